// value.h: what an expression may come to, in every state at once.
//
// A value is a list of alternatives, each with a guard: a formula that says when it is this one.
// Guards exclude each other and leave nothing out. Scalars of one kind are one alternative, whose
// term chooses. Failures are alternatives too, so CEL's logic with its two kinds of errors is
// nothing special here.
//
// Lists and maps are explicit up to a small number of elements, each with a condition under which
// it is there at all. What lies beyond is a `rest`: an unknown number of further elements, of which
// only a generic one is known. What an expression finds out about the rest is a constant that hangs
// on the formula for the generic element, so the same question has the same answer, and every real
// state is an instance. With all rests empty, a model is a state that can be written down.
//
// That is how cases are found. For proofs there is another way: with `forall`, nothing is unrolled, a
// list or map is a function of positions (indices, or keys), and what is said of all of them is said
// with quantifiers. Then whatever Z3 refutes is refuted for all sizes, and there is no model.
//
// Values are expanded lazily: an input becomes constants only where an expression touches it.
//
// What is not followed exactly is any value at all: an alternative of kind ALT_ANY, of which not even
// the type is known, beside both failures. A formula never says more than the evaluator does.
#ifndef LG_SYMBOLIC_VALUE_H
#define LG_SYMBOLIC_VALUE_H

#include "symbolic/term.h"
#include "json/json.h"

typedef enum alt_kind {
    ALT_MISSING, // an error: absent key or index; `t` says whether it is the call that lacks it
    ALT_ERROR,   // any other
    ALT_NULL,
    ALT_BOOL,
    ALT_INT,
    ALT_UINT,
    ALT_DOUBLE, // a finite one, whatever the sign of zero
    ALT_TEXT,
    ALT_TIME, // nanoseconds since 1970
    ALT_SPAN, // a duration, in nanoseconds
    ALT_ODD,  // a double that is not finite; `t` says which
    ALT_ANY,  // a value of any type, no failure; `t` says which
    ALT_LIST,
    ALT_MAP,
} alt_kind;

struct prover;
typedef struct seq seq;
typedef struct dict dict;
typedef struct input input;

typedef struct alt {
    alt_kind kind;
    term guard;
    term t; // of a scalar; of MISSING, NULL: not the call
    const seq *list;
    const dict *map;
} alt;

typedef struct val {
    const alt *alts;
    uint32_t count;
} val;

// A value that is made when it is first looked at.
typedef struct slot {
    val v;
    bool made;
    input *in; // makes it
} slot;

// All elements of a list or map, as functions of where they are: of the index, or of the key. A list
// that was filtered keeps the positions that it had, with gaps.
typedef struct elements elements;
struct elements {
    term (*here)(struct prover *p, const elements *e, term at);
    val (*value)(struct prover *p, const elements *e, term at); // if it is here
    bool gaps;
    const void *how; // for the two functions
};

// The elements beyond the explicit ones; with `forall`, those before them.
typedef struct rest {
    uint32_t id;
    term count;              // how many; not negative
    slot *generic;           // any one of them; NULL: nothing is known of them
    term key;                // of a map: the key of that one. Of `range`: NULL
    term here;               // whether the generic one is among them: false if a filter took it out
    uint32_t *lookups;       // different keys or indices that were looked up in it
    const struct rest *base; // whose elements these are, filtered or mapped; NULL: its own
    term in_front;           // how many explicit elements are, if something was filtered out
    uint32_t before;         // of a range: explicit elements in front of it
    bool range;              // its elements are the numbers from `before` on
    bool bare;               // of a map: no explicit elements stand before it, for keys to be
    // Another element of the same rest, for who looks at all of them for each of them; or NULL.
    const struct rest **twin;
    const struct rest *twin_of; // it is that of this one
    const elements *all;        // with `forall`; then only `id` and `count` count beside it
} rest;

typedef struct element {
    term here; // whether it is in the list
    slot *value;
} element;

struct seq {
    const element *items;
    uint32_t count;
    const rest *rest; // or NULL; behind the explicit ones
    bool prefix;      // if one is here, so are all before it
    bool shuffled;    // some explicit ones stand behind the rest
    bool unordered;   // made of a map: in which order is not known
    bool made;        // by an expression: there may be more in it than JSON holds
    bool of_call;     // it lies in the call's arguments, or was made of what does
};

typedef struct entry {
    term here;
    term key;
    uint32_t family; // entries of one family other than 0 have different keys, here or not
    slot *value;
} entry;

struct dict {
    const entry *items; // with `forall`, one hides those behind it with the same key, and the rest

    uint32_t count;
    const rest *rest;
    bool made;    // as of lists
    bool of_call; // likewise
};

// A constant that hangs on something else: of a real list or map it is known what it is.
typedef enum hung_kind {
    HUNG_SOME,    // whether some element of the rest has what `on` says of the generic one
    HUNG_MANY,    // how many have
    HUNG_SUM,     // the sum of doubles: of `from`, and `on` of one element after the other
    HUNG_FINITE,  // whether that sum is finite
    HUNG_INDEX,   // the index of the generic one
    HUNG_RANGE,   // the same, of `range`: its generic element is its index
    HUNG_LOOKUP,  // whether the rest has an element under the key `on`, which is `in`
    HUNG_KEY,     // no constant: a key that is looked up in it, and then explicit
    HUNG_UNKNOWN, // nobody knows
} hung_kind;

typedef struct hung {
    hung_kind kind;
    term constant;
    const rest *rest;
    term on;
    term from;
    input *in;
    const char *why; // nobody knows
} hung;
#define VARIABLES_MAX 12u

// Everything one proof is about: the terms and what was made of them.
typedef struct known_item known_item;

typedef struct prover prover;
struct prover {
    lg_arena *arena;
    terms *t;
    uint32_t width; // explicit elements of a list or map
    uint32_t next_id;
    uint64_t work;       // alternatives that were added; at the limit translation gives up
    uint64_t work_limit; // 0: none
    uint64_t made_limit; // of terms that are built: beyond it nothing is translated; 0: none
    bool forall;         // nothing is unrolled
    uint32_t level;      // variables that a quantifier is going to bind
    term variables[VARIABLES_MAX];
    term given;             // taken for granted while steps are carried out; or NULL
    bool bounded;           // something could only be unrolled so far
    const char *abstracted; // what was not translated, or NULL
    // That arithmetic is exact, numbers are no larger than doubles count, and maps have the order in
    // which they were made: taken for granted of cases that are looked for, never of a proof.
    term usual;
    term certain; // of all past writes it is known whether they have happened; NULL: there are none
    term_func *any_bool[2]; // of a value of any type: whether it is a bool, and which
    struct number_funs *number_funs;
    uint32_t compared; // lists and maps by the comparison at hand
    known_item *table; // what is known by its name, by hash
    size_t table_size, table_count;
    struct fun *funs; // functions of texts and numbers that are evaluated, not translated
    size_t fun_count, fun_capacity;
    struct goal *goals; // questions about rests, while goals are collected
    size_t goal_count, goal_capacity;
    bool collect_goals;
    bool small;  // lists and maps of inputs have no rest: for cases, never for proofs
    term *rests; // the counts of all rests of inputs
    size_t rest_count, rest_capacity;
    const lg_json *document; // where `$ref` leads
    const rest *bound[8];    // whose generic element a name stands for at the moment
    uint32_t bound_count;
    hung *hung;
    size_t hung_count, hung_capacity;
};

// --- Building -----------------------------------------------------------------------------------

typedef struct builder {
    prover *p;
    alt items[48];
    uint32_t count;
} builder;

builder builder_of(prover *p);
void builder_add(builder *b, term guard, alt a); // `a` where the guard and its own hold
void builder_add_value(builder *b, term guard, val v);
val builder_done(builder *b);

val value_scalar(prover *p, alt_kind kind, term t);
val value_bool(prover *p, term t);
val value_null(prover *p);
val value_missing(prover *p, term of_call);
val value_error(prover *p);
// There was no memory, or too much of it: the answer is none.
val value_lost(prover *p);
// A value of which not even the type is known, and which may be a failure.
val value_any(prover *p, lg_str name);
val value_list(prover *p, const seq *list);
val value_map(prover *p, const dict *map);
val value_text(prover *p, lg_str text);
val value_of_json(prover *p, const lg_json *json);
val value_of_args(prover *p, const lg_json *args); // of the call that is judged
val value_choose(prover *p, term condition, val a, val b);

const val *slot_value(prover *p, slot *s);
slot *slot_of(prover *p, val v);

// When the value is of that kind.
term value_is(prover *p, val v, alt_kind kind);
// When it is a bool and that one.
term value_holds(prover *p, val v, bool wanted);
// When it is missing in the call's arguments.
term value_lacks(prover *p, val v);
// When it is neither a bool nor a failure.
term value_no_bool(prover *p, val v);
// Can it be a value of any type?
bool value_may_be_any(val v);
// The kinds that are no failure.
bool alt_is_failure(const alt *a);
alt alt_missing(prover *p, term of_call);
bool alt_is_number(const alt *a);   // int, uint or a finite double
bool kind_is_scalar(alt_kind kind); // one with a term that is its value
// Of two failures, or of none: MISSING and ERROR parts of `v`, for operators that pass them on.
void builder_add_failures(builder *b, term guard, val v);

// --- Rests --------------------------------------------------------------------------------------

// Whether there are any.
term rest_any(prover *p, const rest *r);
// Whether some element of the rest has what `of_generic` says of the generic one.
term rest_some(prover *p, const rest *r, term of_generic);
// How many have.
term rest_many(prover *p, const rest *r, term of_generic);
const rest *rest_new(prover *p, lg_str name, slot *generic, term key, bool of_input);

// Does a name stand for the generic element of it, so that this is not any more any of them?
bool rest_is_bound(const prover *p, const rest *r);
// The same elements with another generic one. NULL if there is none, or out of memory. `map`: where
// it stands, if in a map.
const rest *rest_twin(prover *p, const rest *r, const dict *map);
const rest *range_new(prover *p, term count, uint32_t before);

// Notes what a constant hangs on.
void hang(prover *p, hung h);

typedef struct goal {
    term some;       // of the rest
    term of_generic; // said of the generic element
} goal;

// --- Tables -------------------------------------------------------------------------------------

// What is stored under a name, made of a word and numbers; NULL if nothing is. `*ret_place` is
// where to put it.
struct known_item {
    uint64_t hash;
    lg_str name;
    void *what;
};
void **known_place(prover *p, lg_str name); // NULL when out of memory: then nothing is remembered

// Holds from now on, for all values of the variables that it mentions.
void prover_assert(prover *p, term fact);
// What cases may take for granted: false in proofs.
term prover_usual(prover *p);
// Too much was translated for one question: what follows is no proof any more.
bool prover_exhausted(prover *p);

LG_PRINTF(2, 3) lg_str prover_name(prover *p, const char *format, ...);

#endif
