// value.h: what an expression may come to, in every state at once.
//
// A value is a list of alternatives, each with a guard: a formula that says when the value is this
// one. Guards exclude each other and leave no case out. All scalars of one kind are one alternative,
// whose term chooses among them. Failures are alternatives too: an absent key (ALT_MISSING) and any
// other error (ALT_ERROR) are told apart, because CEL's logic and the rules' `needs` do so. With that,
// three-valued logic needs no machinery of its own: an operator goes through pairs of alternatives.
//
// Lists and maps hold a few explicit elements, each with a formula that says whether it is present.
// All further elements are one *summary*: an unknown number of elements, of which only a generic one
// is known. What an expression finds out about them (does some element ...? how many?) is a constant
// that is constrained by the formula for the generic element, so that the same question has the same
// answer and every real state is an instance. If all summaries are empty, a model is a state that can
// be written down. That is how cases are found.
//
// Proofs need another way, because a summary says too little: with `forall`, nothing is unrolled. A
// list or map is a function of positions (indices, or keys), and what is said of all elements is said
// with a quantifier. What Z3 refutes then is refuted for all sizes; there are no models.
//
// Inputs are expanded lazily, through thunks: a field becomes constants only where an expression
// looks at it, so that large schemas cost nothing.
//
// What is not followed exactly is any value at all: ALT_ANY, of which not even the type is known,
// beside both failures. So a formula never excludes what the evaluator may do, and an UNSAT stays one.
#ifndef LG_SYMBOLIC_VALUE_H
#define LG_SYMBOLIC_VALUE_H

#include "symbolic/term.h"
#include "json/json.h"

// Failures come first and structures last: ranges of kinds are tested (alt_is_failure(), has_term()).
typedef enum alt_kind {
    ALT_MISSING, // an error: absent key or index; `t` says whether it is the call that lacks it
    ALT_ERROR,   // any other
    ALT_NULL,
    ALT_BOOL,
    ALT_INT,
    ALT_UINT,
    ALT_DOUBLE, // a finite one, whatever the sign of zero
    ALT_TEXT,
    ALT_TIME,      // nanoseconds since 1970
    ALT_DURATION,  // in nanoseconds
    ALT_NONFINITE, // a double that is NaN or infinite; the term says which
    ALT_ANY,       // a value of any type, but no failure; the term says which
    ALT_LIST,
    ALT_MAP,
} alt_kind;

typedef struct problem problem;
typedef struct seq seq;
typedef struct dict dict;
typedef struct input input;

typedef struct alt {
    alt_kind kind;
    term guard;
    // From ALT_BOOL to ALT_ANY, of the sort of its kind (sort_of_kind()); of MISSING, whether it is missing in
    // the arguments of the call (NULL: it is not); else NULL.
    term t;
    const seq *list;
    const dict *map;
} alt;

// `count` is 0 only when memory ran out: an operator on it finds nothing, and terms_failed() says so.
typedef struct val {
    const alt *alts;
    uint32_t count;
} val;

// A value that is made when it is first looked at.
typedef struct thunk {
    val v;
    bool forced; // `v` was made
    input *in;   // makes it
} thunk;

// All elements of a list or map, as functions of where they are: of the index, or of the key. A list
// that was filtered keeps the positions that it had, with gaps.
typedef struct elements elements;
struct elements {
    term (*present)(struct problem *p, const elements *e, term at);
    val (*value)(struct problem *p, const elements *e, term at); // if it is present
    bool gaps;
    const void *how; // for the two functions
};

// The elements that are not explicit: those behind the explicit ones; with `forall`, those before them.
typedef struct summary {
    uint32_t id;
    term count;                 // how many; not negative
    thunk *generic;             // any one of them; NULL: nothing is known of them
    term key;                   // of a map: the key of that one. Of `range`: NULL
    term present;               // of the generic one: false if a filter took it out
    uint32_t *lookups;          // different keys or indices that were looked up in it
    const struct summary *base; // whose elements these are, filtered or mapped; NULL: its own
    term in_front;              // how many explicit elements are, if something was filtered out
    uint32_t before;            // of a range: explicit elements in front of it
    bool range;                 // its elements are the numbers from `before` on
    bool without_entries;       // of a map: no explicit entries with unknown keys stand before it
    // The same elements with another generic one, for who looks at all of them for each of them. Made
    // at the first wish; NULL: cannot be.
    const struct summary **other;
    const elements *all; // with `forall`; then only `id`, `count` and `present` count beside it
} summary;

typedef struct element {
    term present; // whether it is in the list
    thunk *value;
} element;

struct seq {
    const element *items;
    uint32_t count;
    const summary *summary; // or NULL; behind the explicit ones
    bool prefix;            // if one is present, so are all before it: position i has index i
    bool shuffled;          // some explicit ones stand behind the summary
    bool unordered;         // made of a map: in which order is not known
    bool computed;          // by an expression: there may be more in it than JSON holds
    bool of_call;           // it lies in the arguments of the call, or was made of what does
};

typedef struct entry {
    term present;
    term key;
    uint32_t family; // entries of one family other than 0 have different keys, present or not
    thunk *value;
} entry;

struct dict {
    const entry
        *items; // with `forall`, one hides those behind it with the same key, and the summary
    uint32_t count;
    const summary *summary;
    bool computed; // as of lists
    bool of_call;  // likewise
};

// What a constant means where lists and maps are real ones. The solver only sees what is asserted of the
// constant; the definition lets tests evaluate formulas on a real ledger (tests/support/evaluate.h).
typedef enum definition_kind {
    DEFINED_EXISTS, // whether some element of the summary has what `on` says of the generic one
    DEFINED_COUNT,  // how many have
    DEFINED_SUM,    // the sum of doubles: of `from`, and `on` of one element after the other
    DEFINED_FINITE, // whether that sum is finite
    DEFINED_INDEX,  // the index of the generic one
    DEFINED_RANGE_INDEX, // the same, of `range`: its generic element is its index
    DEFINED_LOOKUP,      // whether the summary has an element under the key `on`, which is `in`
    DEFINED_KEY,         // no constant: a key that is looked up in it, and then explicit
    DEFINED_UNKNOWN,     // nobody knows
} definition_kind;

typedef struct definition {
    definition_kind kind;
    term constant;
    const summary *summary;
    term on;
    term from;
    input *in;
    const char *why; // nobody knows
} definition;
#define VARIABLES_MAX 12u

// --- The problem --------------------------------------------------------------------------------

typedef struct memo_entry memo_entry;

// The context of the encoding: one question to Z3 or several about the same inputs, the terms, and
// everything that must be encoded alike each time it is met.
struct problem {
    lg_arena *arena;
    terms *t;
    uint32_t width; // explicit elements of a list or map
    uint32_t next_id;
    uint64_t work;       // alternatives that were added; at the limit translation gives up
    uint64_t work_limit; // 0: none
    uint64_t made_limit; // of terms that are built: beyond it nothing is translated; 0: none
    bool forall;         // nothing is unrolled
    bool explicit_only;  // lists and maps of inputs have no summary: for cases, never for proofs
    uint32_t open_variables; // that a quantifier is going to bind
    term variables[VARIABLES_MAX];
    term path_condition; // taken for granted while steps are carried out; or NULL
    bool bounded;        // something could only be unrolled so far: UNSAT is no proof any more
    const char
        *abstracted; // the latest thing that was not translated, or NULL: SAT may be spurious
    term idealised;  // problem_idealised(); NULL: not asked for yet
    term certain; // of all past writes it is known whether they have happened; NULL: there are none
    term_func *any_bool[2]; // of a value of any type: whether it is a bool, and which
    struct number_funs *number_funs;
    uint32_t compared; // lists and maps by the comparison at hand
    memo_entry *table; // what is known by its name, by hash
    size_t table_size, table_count;
    struct fun *funs; // functions of texts and numbers that are evaluated, not translated
    size_t fun_count, fun_capacity;
    struct patterned *patterned; // texts of cases that have to fit a pattern
    size_t patterned_count, patterned_capacity;
    struct goal *goals; // questions about summaries, while goals are collected
    size_t goal_count, goal_capacity;
    bool collect_goals;
    term *summary_sizes; // the counts of all summaries of inputs
    size_t summary_size_count, summary_size_capacity;
    const lg_json *document; // where `$ref` leads
    const summary *bound[8]; // whose generic element a name stands for at the moment
    uint32_t bound_count;
    definition *definitions;
    size_t definition_count, definition_capacity;
};

// A text of a case fits a pattern: funs_tell_literals() says which literals it is not.
typedef struct patterned {
    term text;
    const lg_json *schema;
    size_t literals_told;
} patterned;

// Holds from now on, for all values of the variables that it mentions.
void problem_assert(problem *p, term fact);
// When numbers and maps behave ideally: arithmetic is exact, no number is too large for a double to
// count, a map keeps its order. Where cases are looked for a constant that the question assumes; where
// summaries are left out simply true; false in proofs, which take nothing of it for granted.
term problem_idealised(problem *p);
// Too much was translated for one question: what follows is no proof any more.
bool problem_exhausted(problem *p);

LG_PRINTF(2, 3) lg_str problem_name(problem *p, const char *format, ...);

// What is stored under a name, made of a word and numbers; NULL if nothing is. `*ret_place` is
// where to put it.
struct memo_entry {
    uint64_t hash;
    lg_str name;
    void *what;
};
// Where what has this name is kept: `*place` is NULL until the caller stores it. The same question must
// come to the same constant, or what is proved of one use says nothing of the other; so whatever makes
// a constant looks here first. The place is only good until the next call. NULL when out of memory:
// then nothing is remembered.
void **memo_place(problem *p, lg_str name);

// --- Building -----------------------------------------------------------------------------------

// Collects the alternatives of a value; those of one kind, or of one structure, are merged.
typedef struct builder {
    problem *p;
    alt items[48];
    uint32_t count;
} builder;

builder builder_of(problem *p);
void builder_add(builder *b, term guard, alt a); // `a` where the guard and its own hold
void builder_add_value(builder *b, term guard, val v);
val builder_done(builder *b);

// The sort of the term of an alternative of this kind, which has one.
term_sort sort_of_kind(alt_kind kind);
// An alternative that is so in every case: without a guard of its own.
alt alt_of(problem *p, alt_kind kind, term t);
alt alt_unguarded(problem *p, const alt *a);

val value_scalar(problem *p, alt_kind kind, term t);
val value_of_alt(problem *p, const alt *a); // whatever its guard is
val value_bool(problem *p, term t);
val value_null(problem *p);
val value_missing(problem *p, term of_call);
val value_error(problem *p);
// For what was given up, for want of memory or because it was too much. Sets `bounded`, so that nothing
// is proved of it; that it is an error is arbitrary.
val value_lost(problem *p);
val value_list(problem *p, const seq *list);
val value_map(problem *p, const dict *map);
val value_text(problem *p, lg_str text);
val value_of_json(problem *p, const lg_json *json);
val value_of_args(problem *p, const lg_json *args); // of the call that is judged
val value_choose(problem *p, term condition, val a, val b);

const val *thunk_value(problem *p, thunk *s);
thunk *thunk_of(problem *p, val v);

// When the value is of that kind.
term value_is(problem *p, val v, alt_kind kind);
// When it is a bool and that one.
term value_holds(problem *p, val v, bool wanted);
// When it is missing in the call's arguments.
term value_lacks(problem *p, val v);
// When it is neither a bool nor a failure: `&&`, `||`, `?:` and conditions fail of it.
// The three and value_is() for both failures leave no case out.
term value_no_bool(problem *p, val v);
// Can it be a value of any type?
bool value_may_be_any(val v);
bool alt_is_failure(const alt *a);
alt alt_missing(problem *p, term of_call);
bool alt_is_number(const alt *a); // int, uint or a finite double
// The failures among the alternatives of `v`, for operators that pass them on.
void builder_add_failures(builder *b, term guard, val v);

// --- Summaries ----------------------------------------------------------------------------------

// Whether it has elements.
term summary_is_nonempty(problem *p, const summary *r);
// Whether some element has what `of_generic` says of the generic one: a constant, implied if the generic
// element has it. Any element can be the generic one, so what is asserted holds in every real state;
// that there is such an element if the constant is true is what a model with summaries leaves open.
term summary_exists(problem *p, const summary *r, term of_generic);
// How many elements have it.
term summary_count_where(problem *p, const summary *r, term of_generic);
// `of_input`: it is counted among those that must be empty in a state that can be written down.
const summary *summary_new(problem *p, lg_str name, thunk *generic, term key, bool of_input);

// Does a name of a macro stand for its generic element, so that this is no longer any one of them? What
// is said of all elements then must not be said of that one, which would be one and the same.
bool summary_is_bound(const problem *p, const summary *r);
// The same elements with another generic one. NULL if there is none, or out of memory. `map`: where
// it stands, if in a map.
const summary *summary_other(problem *p, const summary *r, const dict *map);
// The numbers from `before` on, `count` of them.
const summary *range_new(problem *p, term count, uint32_t before);

// Notes what a constant means.
void note_definition(problem *p, definition h);

// A constant of summary_exists(), and what it asks of the generic element.
typedef struct goal {
    term some;
    term of_generic; // said of the generic element
} goal;

#endif
