// term_internal.h: what the files that build and walk over formulas share: Z3's own types.
#ifndef LG_SYMBOLIC_TERM_INTERNAL_H
#define LG_SYMBOLIC_TERM_INTERNAL_H

#include "symbolic/term.h"
#include "symbolic/z3_api.h"

#define FORM_PARTS_MAX 24

typedef struct literal {
    lg_str text;
    uint64_t hash;
} literal;

struct term_func {
    Z3_func_decl decl;
    term_sort from[TERM_ARGS_MAX];
    uint32_t count;
};

struct terms {
    lg_arena *arena;
    Z3_context context;
    Z3_solver solver;
    Z3_params params;
    uint32_t steps;
    Z3_model model; // of the last check
    Z3_sort sorts[4];
    Z3_ast yes, no;
    bool failed;
    uint32_t next_name;
    literal *literals; // text number i + 1
    size_t literal_count, literal_capacity;
    uint32_t *table; // literal index + 1 by hash
    size_t table_size;
    Z3_ast *asserted; // in its order, beside Z3's own list: tests/support evaluates it
    size_t asserted_count, asserted_capacity;
    uint64_t made;
    unsigned top; // highest number that Z3 has given to a term: it gives free ones again
    bool only_refutes;
    uint32_t *stamps; // of the walk over a formula at hand, by Z3's number
    bool *found;      // what it found out
    Z3_ast *formed;   // what it made of it; or NULL
    size_t stamp_count;
    uint32_t stamp;
    Z3_ast places[5][FORM_PARTS_MAX + 1]; // constants that stand for parts, by sort
    terms_budget *budget;                 // or NULL
    uint32_t timeout_ms;                  // of one question
    uint32_t allowed_ms;                  // the same, or what the budget leaves
};

static inline Z3_ast ast(term a)
{
    return (Z3_ast)(void *)a;
}

// What Z3 has made, counted against the budget; a term that means nothing if it has failed.
term terms_wrap(terms *t, Z3_ast made);
bool terms_is_kind(terms *t, Z3_ast a, Z3_decl_kind kind);
// An argument of an application.
Z3_ast terms_child(terms *t, Z3_ast a, unsigned index);

#endif
