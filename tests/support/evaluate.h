// evaluate.h: what formulas come to for one ledger and one call, of any size.
//
// The inputs are given a JSON value each: then every constant is known that stands for a part of it.
// What is defined on a summary (whether some element has a property, how many have) is found out on the real
// elements beyond the explicit ones: each takes the place of the generic one in turn. So a formula
// about all ledgers is evaluated on one of them, and what was assumed of all can be checked there.
//
// What nobody knows stays unknown, with the reason; `false && unknown` is false.
#ifndef LG_EVALUATE_H
#define LG_EVALUATE_H

#include "symbolic/funs.h"
#include "symbolic/input.h"

__extension__ typedef __int128 wide;

// What a term comes to: a bool, or num / den, in lowest terms.
typedef struct concrete {
    const char *why; // it is not known; or NULL
    bool yes;
    wide num, den;
} concrete;

typedef struct evaluation evaluation;

// Prepares the formulas of `p`: everything it has noted and asserted, and `roots`. NULL when out of
// memory. Lives in the problem's arena. No term may be translated later.
evaluation *evaluation_new(problem *p, const term *roots, size_t count);

// Forgets the values before. `scratch` is for what is made on the way, until the next of these.
// `seed` says which of the elements of a summary is the generic one.
void evaluation_begin(evaluation *e, lg_arena *scratch, uint64_t seed);
void evaluation_again(evaluation *e); // the same case: what was wanted is remembered

// Gives an input the value `json`. False if it cannot be that: evaluation_why says why not.
bool evaluation_assign(evaluation *e, input *in, const lg_json *json);
void evaluation_set(evaluation *e, term constant, concrete w);
const char *evaluation_why(const evaluation *e);

// Is every key that is looked up in a map among the explicit ones? If not, the inputs must be given
// again, which then takes those first.
bool evaluation_settled(evaluation *e);

concrete evaluate(evaluation *e, term t);

// The first assertion that does not hold, or NULL. `*ret_unknown`: how many are not known.
term evaluation_broken(evaluation *e, size_t *ret_unknown);

// Makes the values of all that has been evaluated the model of the solver: terms_value() then is
// what Z3 says.
void evaluation_to_model(evaluation *e);

#endif
