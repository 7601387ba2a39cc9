// effects.h: one call of a tool, carried out on every state in which it may be made.
#ifndef LG_PROVE_EFFECTS_H
#define LG_PROVE_EFFECTS_H

#include "prove/task.h"
#include "symbolic/translate.h"

typedef struct deed {
    bench *b;
    input *state;
    val ledger, before, after, result;
    term carried; // it is carried out
    term done;    // the gate allows it, and it is carried out
} deed;

// Does it with the formulas of the bench, in all states that have the invariants. False when out of
// memory.
bool deed_begin(deed *d, bench *b);

// When an invariant of the state holds of `state`, or a postcondition of what the call gave.
term deed_invariant(const deed *d, const lg_condition *invariant, val state);
term deed_ensures(const deed *d, const lg_condition *condition);

// Looks for a case that breaks `condition`, of whose truth `holds` speaks, and carries it out.
reply deed_breach(deed *d, const lg_condition *condition, term holds, trial *ret);
// Looks for a case in which the call is carried out, and does so.
reply deed_success(deed *d, trial *ret);

// The state with a text of its own in each field that may be absent, so that reads can look for it;
// NULL when out of memory.
const lg_json *filled_state(bench *b, const lg_json *state);
// The ledger that reads of `state` make where `wanted` has records; NULL when out of memory.
const lg_json *reread_ledger(task *t, const lg_json *state, const lg_json *wanted);

#endif
