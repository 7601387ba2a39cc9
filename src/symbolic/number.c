// number.c: arithmetic and order of numbers.
//
// Ints and uints are Z3's integers with a check of the range. Doubles are Z3's reals, and there lies the
// difficulty: a real sum is not what a double sum rounds to. Three ways, from exact to open: of literals the
// machine computes the result; of whole numbers it is the exact one as long as that is no larger than
// 2^53; else it is an uninterpreted function, of which monotony and signs are asserted. Where cases are
// looked for, all of it is exact (problem_idealised()), since a case is executed afterwards.
//
// Whether a result is finite is a function of its own. Where it is not, the value is ALT_NONFINITE.
#include "symbolic/number.h"
#include "symbolic/forall.h"

#include <math.h>

#define TAME_MAX 0x1p100 // sums, products and quotients of numbers up to here are finite

// Rounding is left to functions without a definition: of IEEE arithmetic only facts are asserted that
// hold of every rounding, so what is proved holds for doubles.
static const number_funs *functions_of(problem *p)
{
    static const char *const names[NUMBER_OPERATIONS] = {"add", "subtract", "multiply", "divide"};
    static const term_sort reals[2] = {SORT_REAL, SORT_REAL};
    static const term_sort ints[2] = {SORT_INT, SORT_INT};
    if (p->number_funs) {
        return p->number_funs;
    }
    number_funs *made = LG_NEW(p->arena, number_funs);
    for (uint32_t i = 0; made && i < NUMBER_OPERATIONS; i++) {
        made->doubles[i] = term_func_new(p->t, lg_str_c(names[i]), reals, 2, SORT_REAL);
        made->wholes[i] = term_func_new(p->t, lg_str_c(names[i]), ints, 2, SORT_INT);
        made->finite[i] = term_func_new(p->t, LG_STR("finite"), reals, 2, SORT_BOOL);
    }
    p->number_funs = made;
    return made;
}

// --- What rounding does not change --------------------------------------------------------------

// Two operands and what comes of them: reals, or integers.
typedef struct facts {
    problem *p;
    term a, b, made;
    term zero, one;
} facts;

static void tell_if(const facts *f, term condition, term low, term high)
{
    LG_DEBUG_ASSERT(term_has_sort(f->p->t, condition, SORT_BOOL));
    terms *t = f->p->t;
    problem_assert(f->p, term_implies(t, condition, term_le(t, low, high)));
}

// Rounding is monotone and keeps the operands themselves: a + b is no less than a if b is not negative.
static void tell_sum(const facts *f)
{
    terms *t = f->p->t;
    tell_if(f, term_le(t, f->zero, f->b), f->a, f->made);
    tell_if(f, term_le(t, f->b, f->zero), f->made, f->a);
    tell_if(f, term_le(t, f->zero, f->a), f->b, f->made);
    tell_if(f, term_le(t, f->a, f->zero), f->made, f->b);
}

// The sign of a - b is exact (doubles have gradual underflow), whatever its size.
static void tell_difference(const facts *f)
{
    terms *t = f->p->t;
    problem_assert(f->p, term_eq(t, term_le(t, f->zero, f->made), term_le(t, f->b, f->a)));
    problem_assert(f->p, term_eq(t, term_le(t, f->made, f->zero), term_le(t, f->a, f->b)));
    tell_if(f, term_le(t, f->zero, f->b), f->made, f->a);
    tell_if(f, term_le(t, f->b, f->zero), f->a, f->made);
}

// Signs, and what is multiplied with or divided by one.
static void tell_scaled(const facts *f, bool product)
{
    terms *t = f->p->t;
    term up_a = term_le(t, f->zero, f->a);
    term up_b = term_le(t, f->zero, f->b);
    term down_a = term_le(t, f->a, f->zero);
    term down_b = term_le(t, f->b, f->zero);
    tell_if(f, term_or(t, term_and(t, up_a, up_b), term_and(t, down_a, down_b)), f->zero, f->made);
    tell_if(f, term_or(t, term_and(t, up_a, down_b), term_and(t, down_a, up_b)), f->made, f->zero);
    term by_one = term_eq(t, f->b, f->one);
    problem_assert(f->p, term_implies(t, by_one, term_eq(t, f->made, f->a)));
    if (product) {
        term of_one = term_eq(t, f->a, f->one);
        problem_assert(f->p, term_implies(t, of_one, term_eq(t, f->made, f->b)));
    }
}

static void tell(const facts *f, term_arith op)
{
    if (op == ARITH_ADD) {
        tell_sum(f);
    } else if (op == ARITH_SUB) {
        tell_difference(f);
    } else {
        tell_scaled(f, op == ARITH_MUL);
    }
}

// `a` op `b` in exact arithmetic.
static term exactly(problem *p, term_arith op, term a, term b)
{
    return op == ARITH_MUL ? term_times(p->t, a, b) : term_arith_of(p->t, op, a, b);
}

static term within(terms *t, term low, term a, term high)
{
    return term_and(t, term_le(t, low, a), term_le(t, a, high));
}

term number_is_exact(problem *p, term integer)
{
    terms *t = p->t;
    return within(t, term_int(t, -EXACT_MAX), integer, term_int(t, EXACT_MAX));
}

static term is_tame(problem *p, term a)
{
    return within(p->t, term_real(p->t, -TAME_MAX), a, term_real(p->t, TAME_MAX));
}

// When the result is finite. A quotient by zero never is.
// Only what is certain either way: far below the largest double nothing overflows.
static void tell_finite(problem *p, term_arith op, term a, term b, term finite)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, finite, SORT_BOOL));
    terms *t = p->t;
    term tame = term_and(t, is_tame(p, a), is_tame(p, b));
    term usual = term_bool(t, true);
    if (op == ARITH_DIV) {
        term none = term_eq(t, b, term_real(t, 0));
        problem_assert(p, term_implies(t, none, term_not(t, finite)));
        usual = term_not(t, none);
        term small = term_and(t, term_lt(t, term_real(t, -1 / TAME_MAX), b),
                              term_lt(t, b, term_real(t, 1 / TAME_MAX)));
        tame = term_and(t, tame, term_not(t, small));
    }
    problem_assert(p, term_implies(t, tame, finite));
    problem_assert(p, term_implies(t, term_and(t, problem_idealised(p), usual), finite));
}

// Facts about a term are asserted once. Without memory for the note they are asserted again, which is
// harmless.
static bool is_first(problem *p, const char *what, term made)
{
    void **place = memo_place(p, problem_name(p, "%s %u", what, term_id(p->t, made)));
    bool first = !place || !*place;
    if (place) {
        *place = made;
    }
    return first;
}

// Doubles that are known to be whole numbers: the result is one, too (a sum, difference or product, rounded
// or not, for beyond 2^53 all doubles are whole), and exact up to 2^53.
static term whole_arithmetic(problem *p, term_arith op, term a, term b)
{
    LG_DEBUG_ASSERT(op < ARITH_DIV && term_has_sort(p->t, a, SORT_INT) &&
                    term_has_sort(p->t, b, SORT_INT));
    terms *t = p->t;
    term args[2] = {a, b};
    term made = term_apply(t, functions_of(p)->wholes[op], args, 2);
    if (is_first(p, "whole", made)) {
        facts f = {p, a, b, made, term_int(t, 0), term_int(t, 1)};
        term exact = exactly(p, op, a, b);
        term small = number_is_exact(p, exact);
        term plain = term_or(t, small, problem_idealised(p));
        problem_assert(p, term_implies(t, plain, term_eq(t, made, exact)));
        tell(&f, op);
    }
    return term_to_real(t, made);
}

static term rounded_arithmetic(problem *p, term_arith op, term a, term b)
{
    terms *t = p->t;
    term args[2] = {a, b};
    term turned[2] = {b, a};
    const term_func *function = functions_of(p)->doubles[op];
    term made = term_apply(t, function, args, 2);
    if (!is_first(p, "told", made)) {
        return made;
    }
    facts f = {p, a, b, made, term_real(t, 0), term_real(t, 1)};
    if (op == ARITH_ADD || op == ARITH_MUL) {
        problem_assert(p, term_eq(t, made, term_apply(t, function, turned, 2)));
    }
    if (!term_is_false(t, problem_idealised(p))) {
        term exact = term_eq(t, made, exactly(p, op, a, b));
        problem_assert(p, term_implies(t, problem_idealised(p), exact));
    }
    tell(&f, op);
    return made;
}

static bool is_zero(problem *p, term a)
{
    double number;
    return term_double_of(p->t, a, &number) && number == 0;
}

// Of two literals the machine's own arithmetic is the evaluator's.
static term computed(problem *p, term_arith op, double x, double y, term *ret_finite)
{
    double z = op == ARITH_ADD ? x + y : op == ARITH_SUB ? x - y : op == ARITH_MUL ? x * y : x / y;
    *ret_finite = term_bool(p->t, isfinite(z));
    return term_real(p->t, isfinite(z) ? z : 0);
}

// A function of which only that is known which rounding does not change: that it is monotone, and its
// sign. So what is proved holds for doubles.
term double_arithmetic(problem *p, term_arith op, term a, term b, term *ret_finite)
{
    LG_DEBUG_ASSERT(op <= ARITH_DIV && term_has_sort(p->t, a, SORT_REAL) &&
                    term_has_sort(p->t, b, SORT_REAL));
    double x, y;
    terms *t = p->t;
    *ret_finite = term_bool(t, true);
    if (!functions_of(p)) {
        p->bounded = true;
        return a;
    }
    if (term_double_of(t, a, &x) && term_double_of(t, b, &y)) {
        return computed(p, op, x, y, ret_finite);
    }
    if ((op == ARITH_ADD || op == ARITH_SUB) && is_zero(p, b)) {
        return a;
    }
    if (op == ARITH_ADD && is_zero(p, a)) {
        return b;
    }
    if (term_is_true(t, problem_idealised(p))) {
        term zero = term_real(t, 0);
        *ret_finite = op == ARITH_DIV ? term_not(t, term_eq(t, b, zero)) : *ret_finite;
        return exactly(p, op, a, b);
    }
    term args[2] = {a, b};
    *ret_finite = term_apply(t, functions_of(p)->finite[op], args, 2);
    if (is_first(p, "finite", *ret_finite)) {
        tell_finite(p, op, a, b, *ret_finite);
    }
    term whole_a = op == ARITH_DIV ? NULL : term_whole_of(t, a);
    term whole_b = whole_a ? term_whole_of(t, b) : NULL;
    return whole_b ? whole_arithmetic(p, op, whole_a, whole_b) : rounded_arithmetic(p, op, a, b);
}

// --- Doubles as values --------------------------------------------------------------------------

// Something unknown that is the same for the same two terms; `b` may be NULL.
static term unknown_by(problem *p, term_sort sort, const char *what, term a, term b)
{
    lg_str name = problem_name(p, "%s %u %u", what, term_id(p->t, a), b ? term_id(p->t, b) : 0);
    void **place = memo_place(p, name);
    if (place && *place) {
        return *place;
    }
    term made = unknown_term(p, sort, lg_str_c(what));
    place = memo_place(p, name);
    if (place) {
        *place = made;
    }
    return made;
}

static val nonfinite_of(problem *p, term a, term b)
{
    return value_scalar(p, ALT_NONFINITE, unknown_by(p, SORT_INT, "odd", a, b));
}

val double_nonfinite(problem *p, const alt *of)
{
    return nonfinite_of(p, of->t, NULL);
}

val double_value(problem *p, term t, term finite)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, t, SORT_REAL) && term_has_sort(p->t, finite, SORT_BOOL));
    return term_is_true(p->t, finite) ? value_scalar(p, ALT_DOUBLE, t)
                                      : value_choose(p, finite, value_scalar(p, ALT_DOUBLE, t),
                                                     nonfinite_of(p, t, finite));
}

static val double_unknown(problem *p)
{
    p->abstracted = "numbers that are not finite";
    term finite = unknown_term(p, SORT_BOOL, LG_STR("finite"));
    return double_value(p, unknown_term(p, SORT_REAL, LG_STR("number")), finite);
}

static val in_doubles(problem *p, lg_cel_binary op, const alt *a, const alt *b)
{
    static const term_arith ops[] = {[LG_BIN_ADD] = ARITH_ADD,
                                     [LG_BIN_SUB] = ARITH_SUB,
                                     [LG_BIN_MUL] = ARITH_MUL,
                                     [LG_BIN_DIV] = ARITH_DIV};
    if (op == LG_BIN_MOD) {
        return value_error(p);
    }
    if (a->kind == ALT_NONFINITE || b->kind == ALT_NONFINITE) {
        return double_unknown(p);
    }
    term finite;
    term made = double_arithmetic(p, ops[op], a->t, b->t, &finite);
    return double_value(p, made, finite);
}

// Beyond 2^53 it is the nearest double, of which nothing is known but that it is the same each time.
val double_of_whole(problem *p, const alt *a)
{
    LG_DEBUG_ASSERT(a->kind == ALT_INT || a->kind == ALT_UINT);
    terms *t = p->t;
    term small = number_is_exact(p, a->t);
    term exact = term_to_real(t, a->t);
    if (term_is_true(t, term_or(t, small, problem_idealised(p)))) {
        return value_scalar(p, ALT_DOUBLE, exact);
    }
    term near = unknown_by(p, SORT_REAL, "nearest", a->t, NULL);
    return value_choose(p, small, value_scalar(p, ALT_DOUBLE, exact),
                        value_scalar(p, ALT_DOUBLE, near));
}

// Z3's `to_int` is the floor: negative numbers are turned around.
term double_truncated(problem *p, term number)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, number, SORT_REAL));
    terms *t = p->t;
    term minus = term_arith_of(t, ARITH_SUB, term_real(t, 0), number);
    term below = term_arith_of(t, ARITH_SUB, term_int(t, 0), term_to_int(t, minus));
    return term_ite(t, term_le(t, term_real(t, 0), number), term_to_int(t, number), below);
}

// --- Integers -----------------------------------------------------------------------------------

static term bound_of(problem *p, alt_kind kind, bool low)
{
    term most = term_int(p->t, INT64_MAX);
    if (kind == ALT_INT) {
        return low ? term_int(p->t, INT64_MIN) : most;
    }
    return low ? term_int(p->t, 0) : term_numeral(p->t, "18446744073709551615", SORT_INT);
}

val number_within(problem *p, alt_kind kind, term t)
{
    LG_DEBUG_ASSERT(kind == ALT_INT || kind == ALT_UINT);
    if (term_is_true(p->t, problem_idealised(p)) && kind == ALT_INT) {
        return value_scalar(p, kind, t);
    }
    term inside = within(p->t, bound_of(p, kind, true), t, bound_of(p, kind, false));
    builder b = builder_of(p);
    builder_add(&b, term_not(p->t, inside), alt_of(p, ALT_ERROR, NULL));
    builder_add(&b, inside, alt_of(p, kind, t));
    return builder_done(&b);
}

// Division in C goes towards zero, in Z3 the remainder is never negative.
static term towards_zero(problem *p, term_arith op, term a, term b)
{
    terms *t = p->t;
    term minus = term_arith_of(t, ARITH_SUB, term_int(t, 0), a);
    term of_minus = term_arith_of(t, op, minus, b);
    return term_ite(t, term_le(t, term_int(t, 0), a), term_arith_of(t, op, a, b),
                    term_arith_of(t, ARITH_SUB, term_int(t, 0), of_minus));
}

// Exact integers, and an error where the result leaves 64 bits; division by zero is an error, too.
static val in_integers(problem *p, lg_cel_binary op, const alt *a, const alt *b)
{
    LG_DEBUG_ASSERT(a->kind == b->kind);
    terms *t = p->t;
    if (op == LG_BIN_ADD || op == LG_BIN_SUB) {
        term_arith plain = op == LG_BIN_ADD ? ARITH_ADD : ARITH_SUB;
        return number_within(p, a->kind, term_arith_of(t, plain, a->t, b->t));
    }
    if (op == LG_BIN_MUL) {
        return number_within(p, a->kind, term_times(t, a->t, b->t));
    }
    term zero = term_eq(t, b->t, term_int(t, 0));
    term_arith plain = op == LG_BIN_DIV ? ARITH_DIV : ARITH_MOD;
    val left = number_within(p, a->kind, towards_zero(p, plain, a->t, b->t));
    return value_choose(p, zero, value_error(p), left);
}

val number_arithmetic(problem *p, lg_cel_binary op, const alt *a, const alt *b)
{
    bool double_a = a->kind == ALT_DOUBLE || a->kind == ALT_NONFINITE;
    bool double_b = b->kind == ALT_DOUBLE || b->kind == ALT_NONFINITE;
    if (double_a && double_b) {
        return in_doubles(p, op, a, b);
    }
    return a->kind == b->kind ? in_integers(p, op, a, b) : value_error(p);
}

val number_negated(problem *p, const alt *a)
{
    terms *t = p->t;
    if (a->kind == ALT_DOUBLE) {
        term made = term_arith_of(t, ARITH_SUB, term_real(t, 0), a->t);
        return value_scalar(p, ALT_DOUBLE, made);
    }
    if (a->kind == ALT_NONFINITE) {
        return double_nonfinite(p, a);
    }
    if (a->kind == ALT_INT) {
        return number_within(p, ALT_INT, term_arith_of(t, ARITH_SUB, term_int(t, 0), a->t));
    }
    return value_error(p);
}

// --- Order --------------------------------------------------------------------------------------

static term as_real(problem *p, const alt *a)
{
    return a->kind == ALT_DOUBLE ? a->t : term_to_real(p->t, a->t);
}

term number_same(problem *p, const alt *a, const alt *b)
{
    LG_DEBUG_ASSERT(alt_is_number(a) && alt_is_number(b));
    bool reals = a->kind == ALT_DOUBLE || b->kind == ALT_DOUBLE;
    bool alike = (a->kind == ALT_DOUBLE) == (b->kind == ALT_DOUBLE);
    return reals && !alike ? term_eq(p->t, as_real(p, a), as_real(p, b))
                           : term_eq(p->t, a->t, b->t);
}

// An integer meets a double as it is, but for 2^63 and 2^64, to which the largest integers are rounded.
static term rounds_up(problem *p, const alt *a, const alt *b)
{
    LG_DEBUG_ASSERT((a->kind == ALT_DOUBLE) != (b->kind == ALT_DOUBLE));
    const alt *whole = a->kind == ALT_DOUBLE ? b : a;
    const alt *real = a->kind == ALT_DOUBLE ? a : b;
    return term_eq(p->t, real->t, term_real(p->t, whole->kind == ALT_INT ? 0x1p63 : 0x1p64));
}

term number_below(problem *p, const alt *a, const alt *b)
{
    LG_DEBUG_ASSERT(alt_is_number(a) && alt_is_number(b));
    terms *t = p->t;
    if ((a->kind == ALT_DOUBLE) == (b->kind == ALT_DOUBLE)) {
        return term_lt(t, a->t, b->t);
    }
    term below = term_lt(t, as_real(p, a), as_real(p, b));
    term edge = rounds_up(p, a, b);
    if (term_is_false(t, edge)) {
        return below;
    }
    // Whatever is so there, of two numbers one at most is below the other.
    term rounded = unknown_by(p, SORT_BOOL, "below", a->t, b->t);
    term turned = unknown_by(p, SORT_BOOL, "below", b->t, a->t);
    problem_assert(p, term_not(t, term_and(t, rounded, turned)));
    return term_ite(t, edge, rounded, below);
}
