// translate.h: what an expression of CEL comes to, for all values of its variables.
//
// The same semantics as the evaluator's, case by case: `&&` and `||` take in failures, of two
// failures that remain any other goes before a missing one, an operator that no overload fits fails.
// What is not followed (splitting texts, sorting) becomes any value, any failure included, and
// `abstracted` says so. A static type is never a reason to leave a value out: the type of a function's
// result is, where all its overloads have it.
#ifndef LG_SYMBOLIC_TRANSLATE_H
#define LG_SYMBOLIC_TRANSLATE_H

#include "cel/tree.h"
#include "symbolic/value.h"

typedef struct binding { // a name that a macro binds
    const lg_cel_local *local;
    val v;
    const struct binding *outer;
} binding;

typedef struct translation {
    problem *p;
    const val *slots; // values of the variables
    const binding *locals;
    uint32_t depth;
} translation;

// The value of a whole program. Its environment must have kept the tree.
val translate(problem *p, const lg_cel_program *program, const val *slots);
val translate_node(const translation *r, const lg_cel_node *node);

// all, exists, filter, map ... (fold.c)
val translate_fold(const translation *r, const lg_cel_node *node);

// A call of a function (call.c)
val translate_call(const translation *r, const lg_cel_node *node);
// `a + b` of texts: a function of texts as well.
val translate_template(const translation *r, const lg_cel_node *node);

// --- Operators (operate.c) ----------------------------------------------------------------------

val operate(problem *p, lg_cel_binary op, val a, val b);
val operate_not(problem *p, val a);
val operate_negate(problem *p, val a);
val operate_select(problem *p, val a, lg_str name);
val operate_has(problem *p, val a, lg_str name);
// Whether two values are the same; neither is a failure.
term same_value(problem *p, val a, val b, uint32_t depth);

term dict_has(problem *p, const dict *map, term key);
// The number of elements, as an integer.
term seq_size(problem *p, const seq *list);
term dict_size(problem *p, const dict *map);
void seq_get(problem *p, builder *b, term guard, const seq *list, term index);

// A failure, or a value of a kind of which nothing else is known: of kind ALT_ANY not even its type, of
// kind ALT_DOUBLE not whether it is finite. The same for the same `name`; without one, of its own.
val unknown_value(problem *p, lg_str name, alt_kind kind, const char *why);
// The same of what an operator or function gives for these; `b` may be NULL.
val unknown_of(problem *p, const char *what, const alt *a, const alt *b, alt_kind kind);
// Says which value it is, for names.
void name_value(lg_buf *out, problem *p, val v);

// What an operator does with two operands that are no failures.
typedef val operator_of(problem *p, const alt *a, const alt *b, const void *context);
val pairwise(problem *p, val a, val b, operator_of *op, const void *context);

#endif
