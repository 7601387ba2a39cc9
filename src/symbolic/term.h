// term.h: formulas: the one door to Z3.
//
// Only term.c calls Z3, through z3_api.h. A term is a node of Z3's, shared by structure: two terms that are
// built alike are one pointer, and that is used: what has the same pointer means the same. The
// builders simplify as they go (`true && x` is x), because most of what packs say is decided by
// constants, and what is decided need not be sent to a solver.
//
// Texts are whole numbers: each literal has its own, and equality is all that is asked of them.
// What else an expression asks of a text (a pattern, a time) is a function without a definition,
// of which only the values at literals are known.
//
// Nothing here fails loudly: a mistake of Z3's, or memory, sets `failed`, every term from then on is
// a constant, and every check is answered by ANSWER_UNKNOWN. Who asks sees it there.
#ifndef LG_SYMBOLIC_TERM_H
#define LG_SYMBOLIC_TERM_H

#include "base/arena.h"
#include "base/str.h"

typedef struct term_node *term;
typedef struct term_func term_func; // a function without a definition
typedef struct terms terms;         // one context with one solver

typedef enum term_sort {
    SORT_BOOL,
    SORT_INT,
    SORT_REAL,
    SORT_TEXT,
} term_sort;

typedef enum answer {
    ANSWER_UNSAT,
    ANSWER_SAT,
    ANSWER_UNKNOWN,
} answer;

// Takes the system's memory through Z3; terms_free gives it back. NULL when out of memory, or without Z3. `steps`
// is Z3's resource limit of one check, which unlike time is the same on every machine; 0: none.
terms *terms_new(lg_arena *arena, uint32_t timeout_ms, uint32_t steps);
void terms_free(terms *t); // NULL is allowed
bool terms_failed(const terms *t);
// What is quantified is only tried with terms that occur: faster, and it finds no models.
void terms_only_refute(terms *t, uint32_t timeout_ms);
// Other limits in place of those of terms_new().
void terms_set_steps(terms *t, uint32_t steps, uint32_t timeout_ms);

// --- Building -----------------------------------------------------------------------------------

term term_bool(terms *t, bool value);
term term_int(terms *t, int64_t value);
term term_whole(terms *t, int64_t bits, bool is_unsigned); // of 64 bits with a sign or without
term term_real(terms *t, double value);                    // exactly; finite
term term_text(terms *t, lg_str text);                     // the literal
term term_nanos(terms *t, int64_t seconds, uint32_t nanos);
// A new constant, whatever its name; names are for people who read a formula.
term term_fresh(terms *t, term_sort sort, lg_str name);

term term_not(terms *t, term a);
term term_and(terms *t, term a, term b);
term term_or(terms *t, term a, term b);
term term_implies(terms *t, term a, term b);
term term_ite(terms *t, term condition, term a, term b);
term term_eq(terms *t, term a, term b); // of one sort
term term_lt(terms *t, term a, term b);
term term_le(terms *t, term a, term b);
term term_is_index(terms *t, term index, term count); // 0 <= index < count
typedef enum term_arith { ARITH_ADD, ARITH_SUB, ARITH_MUL, ARITH_DIV, ARITH_MOD } term_arith;
term term_arith_of(terms *t, term_arith op, term a, term b);
term term_to_real(terms *t, term a);
term term_to_int(terms *t, term a); // the floor
term term_is_int(terms *t, term a);
term term_count(terms *t, term sum, term condition); // one more where the condition holds
// A product; of a choice among numerals it is a choice among products, which stays linear.
term term_times(terms *t, term a, term b);
// The integer behind a real that is known to be a whole number, or NULL.
term term_whole_of(terms *t, term a);

// Of at most TERM_ARGS_MAX arguments; with more, the terms fail.
#define TERM_ARGS_MAX 32u
term_func *term_func_new(terms *t, lg_str name, const term_sort *from, uint32_t count,
                         term_sort to);
term term_apply(terms *t, const term_func *func, const term *args, uint32_t count);

// --- Variables ----------------------------------------------------------------------------------
//
// A constant stands for a variable until a quantifier binds it.

// There is a value of `variable` with which `body` holds.
term term_exists(terms *t, term variable, term body);
bool term_mentions(terms *t, term a, term constant);
// `a` with what does not mention `variable` taken out: each such part, numerals aside, is appended to
// `parts` and a constant of its place stands for it, as one does for the variable, so that formulas
// of one form become one term. False if there are more than `capacity` parts.
bool term_form(terms *t, term a, term variable, term *parts, uint32_t *count, uint32_t capacity,
               term *ret);
uint64_t terms_made(const terms *t); // how many were built: a measure of work

// --- Reading ------------------------------------------------------------------------------------

bool term_is_true(const terms *t, term a);
bool term_is_false(const terms *t, term a);
uint32_t term_id(terms *t, term a);               // the same for the same structure
bool term_is_literal(terms *t, term a);           // a numeral (also of a text)
bool term_text_of(terms *t, term a, lg_str *ret); // of a literal text
size_t terms_literal_count(const terms *t);
lg_str terms_literal(const terms *t, size_t index);
bool term_double_of(terms *t, term numeral, double *ret);
bool term_int_of(terms *t, term numeral, int64_t *ret);
bool term_time_of(terms *t, term numeral, int64_t *ret_seconds, uint32_t *ret_nanos);
term_sort term_sort_of(terms *t, term a); // SORT_INT of texts, too
// Whether the term is of the sort, for assertions. Terms that have failed are of any: they are only
// carried along until somebody asks.
bool term_has_sort(terms *t, term a, term_sort sort);

// --- Looking inside -----------------------------------------------------------------------------

typedef enum term_op {
    TERM_LITERAL, // `true`, `false`, a numeral
    TERM_CONSTANT,
    TERM_CALL, // of a function without a definition
    TERM_NOT,
    TERM_AND,
    TERM_OR,
    TERM_EQ,
    TERM_ITE,
    TERM_LT,
    TERM_LE,
    TERM_GT,
    TERM_GE,
    TERM_ADD,
    TERM_SUB,
    TERM_MUL,
    TERM_DIV,
    TERM_IDIV,
    TERM_MOD,
    TERM_MINUS,
    TERM_TO_REAL,
    TERM_TO_INT,
    TERM_IS_INT,
    TERM_OTHER,
} term_op;

term_op term_op_of(terms *t, term a);
uint32_t term_arg_count(terms *t, term a);
term term_numeral(terms *t, const char *digits, term_sort sort);

// --- Solving ------------------------------------------------------------------------------------

// Loads Z3, from `path` if that is not NULL; only the first call that succeeds does anything. Fails with
// LG_ERR_ENVIRONMENT, and says what to install. terms_new() does the same by itself.
LG_NODISCARD lg_status terms_load_solver(const char *path, lg_error *reterr);
const char *terms_solver(void); // Z3's version; "none" if it cannot be loaded

// What all questions of a run may take together. Beyond it nothing is built or asked any more, nor
// beyond a number of terms that no time would be enough for.
typedef struct terms_budget {
    uint64_t (*now_us)(void);  // the time; NULL: no limit of it
    uint64_t (*work_us)(void); // the work that was done, by which the run is limited
    uint64_t until_us;         // on that clock; 0: no limit
    uint64_t share_until_us;   // no question is asked after it, but terms are built; 0: no limit
    size_t memory_bytes;       // of Z3, for all terms; 0: no limit
    bool late;                 // the time is up
    bool share_late;           // that of the share is
    bool cut;                  // some question was given up that another machine may answer
} terms_budget;

// The budget must outlive the terms. Memory that is used up makes these terms fail, and no others.
void terms_limit(terms *t, terms_budget *budget);

// Holds from now on, in every check.
void terms_assert(terms *t, term a);

// Is there a model of everything asserted and the `count` goals? It stays until the next check.
answer terms_check(terms *t, const term *goals, size_t count);

// The value of `a` in the model of the last check: a literal.
term terms_value(terms *t, term a);
bool terms_holds(terms *t, term a);

#endif
