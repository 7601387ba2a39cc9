// number.h: ints, uints and doubles, as the evaluator has them.
//
// Ints and uints overflow into an error. Doubles round: of a sum, difference, product or quotient only
// that is known which rounding does not change, and that it is exact as long as all are whole numbers
// up to 2^53. Beyond the largest double it is none, but an ALT_NONFINITE. Where cases are looked for, and not
// proofs, arithmetic is taken to be exact (problem_idealised).
#ifndef LG_SYMBOLIC_NUMBER_H
#define LG_SYMBOLIC_NUMBER_H

#include "symbolic/translate.h"

// Up to here a double holds every whole number, and an integer of JSON is a double to expressions.
#define EXACT_MAX (INT64_C(1) << 53)
// Whether the integer is within these bounds.
term number_is_exact(problem *p, term integer);

// Functions that stand for rounded arithmetic, by term_arith: only facts about them are asserted.
#define NUMBER_OPERATIONS 4u
typedef struct number_funs {
    term_func *doubles[NUMBER_OPERATIONS];
    term_func *wholes[NUMBER_OPERATIONS]; // of whole numbers, as integers
    term_func *finite[NUMBER_OPERATIONS];
} number_funs;

// `a` op `b`, of doubles; and when that is a finite one.
term double_arithmetic(problem *p, term_arith op, term a, term b, term *ret_finite);
// `+`, `-`, `*`, `/`, `%` of two numbers, finite or not.
val number_arithmetic(problem *p, lg_cel_binary op, const alt *a, const alt *b);
// An int or uint that may be too large for its kind: then it is an error.
val number_within(problem *p, alt_kind kind, term t);
val number_negated(problem *p, const alt *a);

term number_same(problem *p, const alt *a, const alt *b);
// Whether `a` is less than `b`; both are finite.
term number_below(problem *p, const alt *a, const alt *b);

// A double that may be none that is finite.
val double_value(problem *p, term t, term finite);
val double_nonfinite(problem *p, const alt *of); // the same for the same `of`
// An int or uint as the nearest double.
val double_of_whole(problem *p, const alt *a);
// A double towards zero.
term double_truncated(problem *p, term number);

#endif
