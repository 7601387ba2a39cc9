// cel.h: the Common Expression Language: parse, check, compile, evaluate.
//
// Side-effect free and always terminating. An expression is compiled once against an environment
// (which names exist, and of which types) and evaluated often, over JSON values as they are: the
// evaluator converts nothing ahead of time and allocates only from the arena it is given.
//
//     lg_cel_env *env = lg_cel_env_new(arena, NULL, NULL);
//     uint32_t slot = lg_cel_env_declare(env, LG_STR("args"), lg_cel_type_of_kind(LG_CEL_DYN));
//     const lg_cel_program *p = lg_cel_compile(arena, env, LG_STR("args.amount <= 2.0"), at, errors);
//     lg_cel_value v = lg_cel_eval(p, &(lg_cel_activation){.values = values, .scratch = request});
#ifndef LG_CEL_H
#define LG_CEL_H

#include "json/json.h"

// --- Types --------------------------------------------------------------------------------------

typedef enum lg_cel_kind {
    LG_CEL_ERROR, // as a value: evaluation failed. As a type: could not be determined
    LG_CEL_DYN,   // types only: known at run time
    LG_CEL_NULL,
    LG_CEL_BOOL,
    LG_CEL_INT,
    LG_CEL_UINT,
    LG_CEL_DOUBLE,
    LG_CEL_STRING,
    LG_CEL_BYTES,
    LG_CEL_TIMESTAMP,
    LG_CEL_DURATION,
    LG_CEL_LIST,
    LG_CEL_MAP,
    LG_CEL_OBJECT, // types only: a map with known field names; a map as a value
    LG_CEL_TYPE,
    LG_CEL_OPTIONAL, // optional_type(element): a value or none
    LG_CEL_OPAQUE,   // a named type that only its own functions look into, with type parameters
    LG_CEL_PARAM,    // types only: a type parameter of an overload, by `name`
} lg_cel_kind;

typedef struct lg_cel_type lg_cel_type;
typedef struct lg_cel_field {
    lg_str name;
    const lg_cel_type *type;
    bool optional; // it may be absent. For readers of trees: the checker does not ask
} lg_cel_field;

struct lg_cel_type {
    lg_cel_kind kind;
    bool nullable;              // may hold null instead
    const lg_cel_type *key;     // map
    const lg_cel_type *element; // list, optional; map: of the values
    lg_str name;                // object: for messages. opaque, param: its name
    const lg_cel_field *fields; // object
    size_t field_count;
    const lg_cel_type *const *params; // opaque
    size_t param_count;
    const lg_json *values; // string: the only ones there are, if a schema lists them; or NULL. For
                           // readers of trees: to the checker a string is a string
};

const lg_cel_type *lg_cel_type_of_kind(lg_cel_kind kind); // a shared constant
const lg_cel_type *lg_cel_type_list(lg_arena *arena, const lg_cel_type *element);
const lg_cel_type *lg_cel_type_map(lg_arena *arena, const lg_cel_type *key,
                                   const lg_cel_type *value);
const lg_cel_type *lg_cel_type_nullable(lg_arena *arena, const lg_cel_type *type);
// The field of an object type; NULL: it has none of this name, or is no object.
const lg_cel_field *lg_cel_type_field(const lg_cel_type *type, lg_str name);
// Appends "map(string, Order)"; a nullable type as "string or null".
void lg_cel_type_print(lg_buf *out, const lg_cel_type *type);
// Same structure; objects and opaque types by name.
bool lg_cel_type_equal(const lg_cel_type *a, const lg_cel_type *b);

// --- Values -------------------------------------------------------------------------------------

typedef struct lg_cel_failure lg_cel_failure;
typedef struct lg_cel_list lg_cel_list;     // built during evaluation
typedef struct lg_cel_map lg_cel_map;       // likewise
typedef struct lg_cel_opaque lg_cel_opaque; // of an extension

typedef struct lg_cel_value {
    uint8_t kind;  // an lg_cel_kind
    uint8_t boxed; // list, map: 1 if as.json holds it, 0 if as.list or as.map
    bool marked;   // list, map, string: it comes of a marked variable, see LG_CEL_FAIL_MISSING
    uint32_t aux;  // string, bytes: length; timestamp, duration: nanoseconds (always forward)
    union {
        bool boolean;
        int64_t i64; // int; seconds of a timestamp or duration
        uint64_t u64;
        double f64;
        const char *text;
        const lg_json *json;
        const lg_cel_list *list;
        const lg_cel_map *map;
        const lg_cel_type *type;
        const lg_cel_failure *failure;
        const struct lg_cel_value *optional; // NULL: none
        const lg_cel_opaque *opaque;
    } as;
} lg_cel_value;

// A JSON value as CEL sees it. Numbers are doubles (as google.protobuf.Value has them), except
// integers beyond 2^53, which stay exact (int, from 2^63 on uint), so that large ids compare
// exactly. A number beyond 64 bits and beyond the doubles is an error value: nothing is rounded
// silently.
lg_cel_value lg_cel_from_json(const lg_json *json);

static inline lg_cel_value lg_cel_make_null(void)
{
    return (lg_cel_value){.kind = LG_CEL_NULL};
}
static inline lg_cel_value lg_cel_make_bool(bool value)
{
    return (lg_cel_value){.kind = LG_CEL_BOOL, .as.boolean = value};
}
static inline lg_cel_value lg_cel_make_int(int64_t value)
{
    return (lg_cel_value){.kind = LG_CEL_INT, .as.i64 = value};
}
static inline lg_cel_value lg_cel_make_uint(uint64_t value)
{
    return (lg_cel_value){.kind = LG_CEL_UINT, .as.u64 = value};
}
static inline lg_cel_value lg_cel_make_double(double value)
{
    return (lg_cel_value){.kind = LG_CEL_DOUBLE, .as.f64 = value};
}
// Valid UTF-8 of less than 4 GiB.
static inline lg_cel_value lg_cel_make_str(lg_str text)
{
    return (lg_cel_value){.kind = LG_CEL_STRING, .aux = (uint32_t)text.len, .as.text = text.ptr};
}
// Any bytes, of less than 4 GiB.
static inline lg_cel_value lg_cel_make_bytes(lg_str bytes)
{
    return (lg_cel_value){.kind = LG_CEL_BYTES, .aux = (uint32_t)bytes.len, .as.text = bytes.ptr};
}
static inline lg_cel_value lg_cel_make_timestamp(int64_t seconds, uint32_t nanos)
{
    return (lg_cel_value){.kind = LG_CEL_TIMESTAMP, .aux = nanos, .as.i64 = seconds};
}
static inline lg_cel_value lg_cel_make_duration(int64_t seconds, uint32_t nanos)
{
    return (lg_cel_value){.kind = LG_CEL_DURATION, .aux = nanos, .as.i64 = seconds};
}

// A list of `count` values, which must outlive it. An error value when out of memory.
lg_cel_value lg_cel_make_list(lg_arena *arena, const lg_cel_value *items, size_t count);
// A map of `count` pairs: key, value, key, value ... An error value when out of memory, for a
// repeated key, and for a key that is no bool, int, uint or string.
lg_cel_value lg_cel_make_map(lg_arena *arena, const lg_cel_value *pairs, size_t count);

static inline lg_str lg_cel_str(lg_cel_value value) // of a string or bytes
{
    return (lg_str){value.as.text, value.aux};
}
size_t lg_cel_len(lg_cel_value value);                     // of a list or map; 0 for anything else
lg_cel_value lg_cel_item(lg_cel_value list, size_t index); // index below lg_cel_len
void lg_cel_entry(lg_cel_value map, size_t index, lg_cel_value *ret_key, lg_cel_value *ret_value);

// CEL's `==`: numbers by exact value across int, uint and double; NaN equals nothing; values of
// other different types are not equal; lists in order, maps in any order.
bool lg_cel_equal(lg_cel_value a, lg_cel_value b);

// The type of a value ("list", not "list(int)"), as a shared constant.
const lg_cel_type *lg_cel_type_of(lg_cel_value value);

// Converts a value to JSON in `arena` (timestamps and durations to their text, bytes to base64,
// keys to strings). NULL when out of memory and for what JSON cannot hold: an error, a type, an
// infinite double.
const lg_json *lg_cel_to_json(lg_arena *arena, lg_cel_value value);
// The same within a budget: NULL, too, when that is spent.
const lg_json *lg_cel_to_json_within(lg_arena *arena, lg_cel_value value, lg_budget *budget);
// The same, but it may point to what the value was made of, and so lives as long as that and the arena.
const lg_json *lg_cel_as_json(lg_arena *arena, lg_cel_value value, lg_budget *budget);

// Appends the value as a message shows it: a string bare, a number without a needless fraction,
// lists and maps as compact JSON.
void lg_cel_print(lg_buf *out, lg_cel_value value);

// The same within a budget, on one line without control characters: a value in a message must not look like what the
// message says itself.
void lg_cel_print_line(lg_buf *out, lg_cel_value value, lg_budget *budget);

// --- Failures -----------------------------------------------------------------------------------

typedef enum lg_cel_failure_kind {
    LG_CEL_FAIL_MISSING, // an absent map key or a list index out of range
    LG_CEL_FAIL_TYPE,    // no overload for these operands, a field of a scalar, a text no timestamp
    LG_CEL_FAIL_RANGE,   // overflow, division by zero, conversion out of range
    LG_CEL_FAIL_LIMIT,   // cost, memory or match limit
} lg_cel_failure_kind;

struct lg_cel_failure {
    lg_cel_failure_kind kind;
    uint32_t offset;  // byte in the source of the expression
    uint32_t read;    // MISSING: index of the entry in the read log, UINT32_MAX without a log
    lg_cel_value key; // MISSING: what was looked up
    bool marked;      // MISSING: in something that is marked
    const char *what; // fixed text: "no such key", "no such overload", ...
};
// Of two failures that nothing absorbs, any other kind goes before MISSING, and what is missing in
// something marked before what is missing elsewhere. Nothing absorbs LIMIT: an evaluation that met it
// always ends in it.
//
// Who binds a variable may mark its value, to tell what *it* lacks from what others lack. All that lies
// in the value is marked, too, and so is what a fold or a function makes of it, if it is a list, a map
// or a string.

// --- The log of what was read -------------------------------------------------------------------

// One lookup in a JSON value: child = parent[key] (or parent[index] for lists and iteration).
typedef struct lg_cel_read {
    const lg_json *parent;
    const lg_json *child; // NULL: absent
    lg_str key;           // map lookups
    uint32_t index;       // list lookups
    bool is_index;
} lg_cel_read;

typedef struct lg_cel_read_log {
    lg_cel_read *items; // caller's memory
    uint32_t capacity;
    uint32_t count;
    uint32_t dropped; // did not fit
    uint32_t most;    // it may grow to: within `arena`, if there is one. What it was stays there
    lg_arena *arena;  // not that of the evaluation, which forgets
} lg_cel_read_log;

// --- Environment and programs -------------------------------------------------------------------

typedef struct lg_cel_env lg_cel_env;
typedef struct lg_cel_program lg_cel_program;

// A new environment in `arena`, as a child of `parent` (may be NULL): it sees the parent's names,
// and its own slots follow the parent's, which must be complete by then. A NULL `limits` means the
// parent's. NULL when out of memory.
lg_cel_env *lg_cel_env_new(lg_arena *arena, const lg_cel_env *parent, const lg_limits *limits);

// Declares variable `name` and returns its slot in lg_cel_activation.values; UINT32_MAX if the name
// is taken in this environment or its parents, is reserved, or memory ran out. A name may be
// qualified ("com.example.x"). `name` is copied, `type` must outlive the environment.
uint32_t lg_cel_env_declare(lg_cel_env *env, lg_str name, const lg_cel_type *type);
uint32_t lg_cel_env_slots(const lg_cel_env *env); // slots of this environment and its parents

// Names are looked up in `container` ("com.example") first, then in "com", then as they stand. The
// text must outlive the environment.
void lg_cel_env_set_container(lg_cel_env *env, lg_str container);

// Without checking, types are not judged, and a name that nothing declares fails when evaluated.
void lg_cel_env_set_unchecked(lg_cel_env *env, bool unchecked);

// Programs keep their trees (tree.h), at the price of the memory.
void lg_cel_env_keep_trees(lg_cel_env *env);

#define LG_CEL_DEFINITION_PARAMS 8u

// Gives an expression a name: `name(a, b)` in expressions of this environment and its children then
// stands for `body`, with the arguments bound to `params`; it sees the names of the place where it is
// called, and is checked there. A body knows the definitions made before it. False after adding an
// error to `errors`, and when out of memory. Positions in them count from `at`.
bool lg_cel_env_define(lg_cel_env *env, lg_str name, const lg_str *params, uint32_t param_count,
                       lg_str body, lg_position at, lg_errors *errors);

// A signature for the checker. A call of a function that has no implementation fails when
// evaluated.
typedef struct lg_cel_overload {
    const lg_cel_type *result;
    const lg_cel_type *args[5]; // the receiver first
    uint8_t arg_count;
    bool variadic; // the last one may come any number of times
    bool member;   // called as receiver.name(...)
} lg_cel_overload;

// Declares an overload of a function of one's own; both must outlive the environment. False when
// out of memory.
bool lg_cel_env_declare_function(lg_cel_env *env, lg_str name, const lg_cel_overload *overload);

// Parses, checks and compiles `source` into `arena`. `at` is where its first byte stands in `at.file`
// (a single-line scalar keeps columns right). Adds every problem found to `errors` and returns NULL
// if there was one. An error's message is one line.
const lg_cel_program *lg_cel_compile(lg_arena *arena, const lg_cel_env *env, lg_str source,
                                     lg_position at, lg_errors *errors);
const lg_cel_type *lg_cel_program_type(const lg_cel_program *program);
lg_str lg_cel_program_source(const lg_cel_program *program);

typedef struct lg_cel_activation {
    const lg_cel_value *values; // by slot; lg_cel_env_slots() of them
    lg_arena *scratch;          // for lists and strings made on the way
    lg_cel_read_log *log;       // may be NULL
    uint64_t cost_limit;        // 0: that of the limits the program was compiled with
    lg_budget *budget;          // of several evaluations together, beside that; may be NULL
} lg_cel_activation;

// The steps of an evaluation follow from the program and its data: one an instruction, and for what
// is larger in proportion to the elements, bytes and trials of a match. Each is some 20 ns at most.
//
// Evaluates. The result may point into the activation's values and scratch. Never fails otherwise
// than by returning a value of kind LG_CEL_ERROR. Thread-safe: a program is never changed.
lg_cel_value lg_cel_eval(const lg_cel_program *program, const lg_cel_activation *activation);

#endif
