// symbolic_call.h: the calls of a sequence as formulas, one after the other.
//
// A call is judged with the ledger that is there, carried out on the state that is there, and leaves
// another state and a longer history; the rest of the ledger stays as it is, as outdated as it may
// have become. State and ledger may be inputs or known values.
#ifndef LG_PROVE_SYMBOLIC_CALL_H
#define LG_PROVE_SYMBOLIC_CALL_H

#include "prove/reads.h"
#include "symbolic/steps.h"

typedef struct symbolic_call {
    const lg_tool *tool;
    val args;
    term allowed; // by the gate
    term done;    // the tool neither fails nor stumbles
    val state;    // after it
    val ledger;   // likewise
} symbolic_call;

// What rules see of the ledger that want stale records read again; or the ledger itself.
typedef struct ledger_views {
    val ledger;
    val fresh;
} ledger_views;

// False when out of memory.
bool symbolic_call_make(symbolic_call *l, problem *p, const lg_pack *pack, const lg_tool *tool,
                        val state, ledger_views seen, val args, term now);

// Where one of the invariants that `wanted` marks does not hold.
term broken_after(problem *p, const lg_pack *pack, val state, const bool *wanted);
// Where all invariants of the state hold.
term sound_state(problem *p, const lg_pack *pack, val state);

// What a read returns of a state, and when it does so.
val result_of_read(problem *p, const lg_pack *pack, const lg_tool *tool, val state, val args,
                   term now, term *ret_done);
// Where every record of the ledger is what some read gives of the state, as far as lists were
// unrolled. Places that `used` does not mark are empty.
term ledger_shows(problem *p, const lg_pack *pack, val ledger, val state, term now,
                  const bool *used);

// Does the rule read records of this place?
bool rule_reads(const lg_rule *rule, const lg_place *place);
// May a call of `first` make what rules of `then` have read outdated? `used`: only rules that do not
// want it read again.
bool may_outdate(const lg_pack *pack, const lg_tool *first, const lg_tool *then, bool used);

#endif
