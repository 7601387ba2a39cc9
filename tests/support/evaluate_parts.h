// evaluate_parts.h: what giving inputs values and evaluating formulas share.
#ifndef LG_EVALUATE_PARTS_H
#define LG_EVALUATE_PARTS_H

#include "evaluate.h"

#define LAYERS_MAX 6u
#define NOBODY UINT32_MAX

// One node of a formula.
typedef struct cell {
    term t;
    term_op op;
    uint32_t first, count;     // its arguments
    const fun *f;              // of a call
    bool fails;                // of that function: whether it fails, not what it gives
    bool nonfinite;            // or whether what it gives is not finite
    const term_func *function; // that is called; if `f` is NULL it stands for arithmetic
    term_arith arith;
    bool is_assigned;
    concrete assigned;   // of a constant, or a literal
    uint32_t definition; // what it means, or NOBODY
} cell;

// What a summary is really: elements number `first` and up of a list, or these members of a map.
typedef struct extent {
    bool known;
    const lg_json *list;
    const lg_json_member *const *members;
    uint32_t first, count;
    uint32_t at; // which of them is the generic one
} extent;

typedef struct undo {
    enum { UNDO_CELL, UNDO_EXTENT, UNDO_LOOKUP } kind;
    uint32_t index;
    bool was_assigned;
    concrete was;
    extent was_extent;
    uint32_t was_layer;
} undo;

// Texts that are looked up in a map and were not explicit at the first attempt.
typedef struct wanted_key {
    uint32_t of; // the summary of the map
    lg_str key;
} wanted_key;

struct evaluation {
    problem *p;
    cell *cells;
    size_t cell_count, cell_capacity;
    uint32_t *args;
    size_t arg_count, arg_capacity;
    uint32_t *by_id; // cell + 1 by Z3's number
    size_t id_count;
    // Of each layer what its cells came to. A layer is entered for each element of a summary, and in it
    // the generic element is that one.
    concrete *memo[LAYERS_MAX];
    uint32_t *stamps[LAYERS_MAX];
    uint32_t stamp; // of the latest layer entered
    uint32_t layer_stamp[LAYERS_MAX];
    uint32_t layer;
    extent *extents; // by number of the summary
    size_t extent_count;
    uint32_t *first_key; // by number of the summary: keys that are looked up in it, by definition,
    uint32_t *next_key;  // by definition: the next such key of the same summary
    uint32_t *looked_up; // by definition: the layer in which its input was given
    undo *undone;
    size_t undo_count, undo_capacity;
    wanted_key *wanted;
    size_t wanted_count, wanted_capacity;
    lg_arena *scratch;
    uint64_t seed;
    int64_t next_text; // of absent things, from -1 down
    uint32_t marking;  // only marks which constants this defines
    uint32_t depth;    // of terms being evaluated
    const char *why;
};

concrete concrete_bool(bool yes);
concrete concrete_int(wide number);
concrete concrete_text(evaluation *e, lg_str text);
bool concrete_of_double(double number, concrete *ret);
concrete concrete_unknown(const char *why);
bool concrete_same(const concrete *a, const concrete *b);

uint32_t cell_of(const evaluation *e, term t); // NOBODY: it is in no formula

void remember_extent(evaluation *e, const summary *r, extent x);
bool note_undo(evaluation *e, undo u);
bool is_wanted_key(const evaluation *e, uint32_t of, lg_str key);

// Gives an input, inside of a layer or not. NULL: what fits, since it is not there.
bool assign(evaluation *e, input *in, const lg_json *json);
// The element number `at` of a summary of an input becomes the generic one.
bool assign_generic(evaluation *e, const summary *r, const extent *x, uint32_t at);

#endif
