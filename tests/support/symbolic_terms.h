// symbolic_terms.h: into formulas, deeper than the prover has to look, for who evaluates them beside Z3.
#ifndef LG_SYMBOLIC_TERMS_H
#define LG_SYMBOLIC_TERMS_H

#include "symbolic/number.h"
#include "symbolic/term_internal.h"

const char *term_print(terms *t, term a);        // until the next call
const char *term_digits(terms *t, term numeral); // "-12/5"; until the next call
term term_arg(terms *t, term a, uint32_t index);
bool term_is_call_of(terms *t, term a, const term_func *func);

// The function that stands for an operation on numbers, and for which: its result, or whether that is finite.
// NULL if the call is of none.
const term_func *number_function(const problem *p, term call, term_arith *ret_op, bool *ret_finite);

// A model of one's own, in place of a check's: constants and calls with values. It is that of the terms
// from its beginning on; what is told of it ends with end_model().
typedef struct own_model {
    terms *t;
    const term_func **funcs;
    Z3_func_interp *interps;
    size_t count, capacity;
} own_model;

own_model begin_model(terms *t);
void model_constant(own_model *m, term constant, term value);
void model_call(own_model *m, const term_func *func, const term *args, uint32_t count, term value);
void end_model(own_model *m);

#endif
