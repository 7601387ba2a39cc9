// agreement.h: does the prover say of a call what the gate says?
//
// What is proved of a pack is worth as much as the formulas are true to the gate. Here both are asked
// about one ledger and one call, and compared rule by rule. The prover is asked in two ways: the
// rules are translated with the values themselves in place of unknowns, or they are translated once
// for all ledgers and calls, and the formulas are given the values of this one.
//
//     lg_agreement *a;
//     if (lg_agreement_open(pack, tool, 2, &a, &err) != LG_OK) ...
//     lg_agreement_case c = {.ledger = root, .args = args};
//     lg_agreement_result r;
//     if (lg_agreement_of_values(a, &c, scratch, &r, &err) != LG_OK) ... // r.differ
//     lg_agreement_close(a);
//
// Whatever the prover leaves open is told with its reason: it is neither agreement nor the opposite.
#ifndef LG_AGREEMENT_H
#define LG_AGREEMENT_H

#include "pack/pack.h"

// What comes of one rule.
typedef enum lg_said {
    LG_SAID_HOLDS,
    LG_SAID_IDLE,     // its `when` is false
    LG_SAID_ABSTAINS, // something is missing that it does not insist on
    LG_SAID_VIOLATED,
    LG_SAID_MISSING,
    LG_SAID_LACKING, // the call lacks an argument
    LG_SAID_DEFECT,
    LG_SAID_NOTHING, // it is left open
    LG_SAID_COUNT,
} lg_said;

const char *lg_said_name(lg_said said); // "holds", "idle", ...

// One tool of a pack.
typedef struct lg_agreement lg_agreement;

typedef struct lg_agreement_case {
    const lg_json *ledger;
    const lg_json *args;
    int64_t now_seconds; // for packs without a fixed clock
    uint32_t now_nanos;
    uint64_t seed; // which element of a long list stands for those that are not explicit
    bool premises; // what is taken for granted of all ledgers is looked at, too
    bool ask_z3;   // Z3 evaluates the formulas, too: slow
} lg_agreement_case;

typedef struct lg_agreement_rule {
    const lg_rule *rule;
    lg_said gate;
    lg_said prover;
    const char *why; // the prover leaves it open
} lg_agreement_rule;

typedef struct lg_agreement_result {
    const char *unfit; // why the prover does not speak of this case at all; or NULL
    const lg_agreement_rule *rules;
    size_t rule_count;
    size_t open;        // rules of which the prover says nothing
    size_t differ;      // rules of which it says something else
    lg_verdict verdict; // of the gate
    bool verdict_open;  // the prover's is not known, because of what it leaves open
    bool verdict_differs;
    // Of the formulas for all ledgers alone:
    const char *broken; // something that is taken for granted of all, and is not so here; or NULL
    size_t unknown_premises; // of which it is not known
    size_t asked_z3;         // rules that Z3 was asked about
    size_t z3_differs;
} lg_agreement_result;

// `width` elements of a list or map are looked at one by one. Fails with LG_ERR_OOM or, if Z3 cannot
// be started, LG_ERR_INTERNAL.
LG_NODISCARD lg_status lg_agreement_open(const lg_pack *pack, const lg_tool *tool, uint32_t width,
                                         lg_agreement **ret, lg_error *reterr);
void lg_agreement_close(lg_agreement *a); // NULL is allowed

// Both need a case that both speak of: the arguments are those of the tool, and the ledger has the
// form that the pack declares. The result is in `scratch`. They fail with LG_ERR_OOM.
LG_NODISCARD lg_status lg_agreement_of_values(lg_agreement *a, const lg_agreement_case *c,
                                              lg_arena *scratch, lg_agreement_result *ret,
                                              lg_error *reterr);
LG_NODISCARD lg_status lg_agreement_of_formulas(lg_agreement *a, const lg_agreement_case *c,
                                                lg_arena *scratch, lg_agreement_result *ret,
                                                lg_error *reterr);

#endif
