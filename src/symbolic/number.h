// number.h: ints, uints and doubles, as the evaluator has them.
//
// Ints and uints overflow into an error. Doubles round: of a sum, difference, product or quotient only
// that is known which rounding does not change, and that it is exact as long as all are whole numbers
// up to 2^53. Beyond the largest double it is none, but an ALT_ODD. Where cases are looked for, and not
// proofs, arithmetic is taken to be exact (prover_usual).
#ifndef LG_SYMBOLIC_NUMBER_H
#define LG_SYMBOLIC_NUMBER_H

#include "symbolic/translate.h"

// `a` op `b`, of doubles; and when that is a finite one.
term double_arithmetic(prover *p, term_arith op, term a, term b, term *ret_finite);
// The function that stands for such an operation, and for which: its result, or whether that is finite.
// NULL if the call is of none.
const term_func *number_function(const prover *p, term call, term_arith *ret_op, bool *ret_finite);

// `+`, `-`, `*`, `/`, `%` of two numbers, finite or not.
val number_arithmetic(prover *p, lg_cel_binary op, const alt *a, const alt *b);
// An int or uint that may be too large for its kind: then it is an error.
val number_within(prover *p, alt_kind kind, term t);
val number_negated(prover *p, const alt *a);

term number_same(prover *p, const alt *a, const alt *b);
// Whether `a` is less than `b`; both are finite.
term number_below(prover *p, const alt *a, const alt *b);

// A double that may be none that is finite.
val double_value(prover *p, term t, term finite);
val double_odd(prover *p, const alt *of); // the same for the same `of`
val double_unknown(prover *p);
// An int or uint as the nearest double.
val double_of_whole(prover *p, const alt *a);
// A double towards zero.
term double_truncated(prover *p, term number);

#endif
