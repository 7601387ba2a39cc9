// funs.h: functions that are evaluated, not translated: patterns, times, texts.
//
// `timestamp(r.created_at + 'Z')` is a function of one text, known at every text that is written
// down somewhere and unknown elsewhere; the same text always gives the same. CEL itself says what
// it gives at literals, so there is no second opinion about patterns or times.
#ifndef LG_SYMBOLIC_FUNS_H
#define LG_SYMBOLIC_FUNS_H

#include "cel/cel.h"
#include "symbolic/value.h"

#define FUN_ARGS_MAX 4u

typedef struct fun_use {
    term args[FUN_ARGS_MAX];
} fun_use;

typedef struct fun {
    lg_str source; // CEL over x0, x1 ...
    uint32_t count;
    alt_kind from[FUN_ARGS_MAX];
    alt_kind to;
    const lg_cel_program *program;
    term_func *gives;
    term_func *fails;
    term_func *nonfinite; // whether the double that it gives is not finite; NULL: it gives none
    bool signs;           // it tells the two zeros apart, which formulas do not
    const fun_use *uses;  // with arguments that are no literals
    size_t use_count, use_capacity;
    size_t literals_told;
    bool total; // it gives something for all arguments
} fun;

// Applies `source` to scalars. False if an argument may be a list or map: then `*ret` is not set.
// `kind`: what it gives whatever its arguments are, or ALT_ANY.
bool fun_call(problem *p, lg_str source, const val *args, uint32_t count, alt_kind kind, val *ret);

// Tells the solver what the functions of one text give at all literals. Before each check.
void funs_tell_literals(problem *p);

// A scalar as a value of CEL, in the problem's arena. False if the term is no literal.
bool cel_of_literal(problem *p, alt_kind kind, term literal, lg_cel_value *ret);
// Of lists, maps and all that has no term an ALT_ANY.
alt alt_of_cel(problem *p, lg_cel_value v);
// ALT_ANY if no term has it.
alt_kind kind_of_cel(lg_cel_kind kind);

#endif
