// cel_internal.h: what the files of this room share: the tree, the program, the machine, the table
// of functions. Nothing outside src/cel includes it.
#ifndef LG_CEL_INTERNAL_H
#define LG_CEL_INTERNAL_H

#include "base/time.h"
#include "base/utf8.h"
#include "base/zone.h"
#include "cel/cel.h"
#include "cel/tree.h"

// --- Building: what lexer, parser, checker and compiler pass along ---------------------------------

// Recursion over a tree is bounded by the depth of the tree, and that by the smaller of the limit
// that was configured and this, which the C stack can bear.
#define LG_CEL_DEPTH_MAX 1000u

typedef struct lg_cel_build {
    lg_arena *arena; // of the program
    lg_arena *work;  // forgotten at the end of the compilation, unless the tree is kept
    const lg_cel_env *env;
    lg_str source; // a copy in `arena`
    lg_position at;
    lg_errors *errors;
    uint32_t depth_limit;
    uint32_t definitions; // how many of the environment's are known
    size_t expanded;      // bytes of the definitions that were put in
    bool failed;
    bool out_of_memory;
} lg_cel_build;

// Adds an error at byte `offset` of the source. Always returns NULL, for `return lg_cel_report(...)`.
LG_PRINTF(4, 5)
void *lg_cel_report(lg_cel_build *build, lg_status status, uint32_t offset, const char *format,
                    ...);
// Notes that memory ran out. Always returns NULL.
void *lg_cel_oom(lg_cel_build *build);

// Appends "; did you mean `x`?" if the best of the offered names is close enough.
typedef struct lg_cel_closest {
    lg_str wanted;
    lg_str best;
    uint32_t distance;
} lg_cel_closest;
void lg_cel_closest_offer(lg_cel_closest *closest, lg_str name);
bool lg_cel_closest_good(const lg_cel_closest *closest);

// --- Environment --------------------------------------------------------------------------------

typedef struct lg_cel_variable {
    lg_str name;
    const lg_cel_type *type;
} lg_cel_variable;

typedef struct lg_cel_host_function {
    lg_str name;
    const lg_cel_overload *overload;
} lg_cel_host_function;

typedef struct lg_cel_definition lg_cel_definition;

struct lg_cel_env {
    lg_arena *arena;
    const lg_cel_env *parent;
    lg_limits limits;
    uint32_t first_slot;
    lg_cel_variable *items;
    size_t count;
    size_t capacity;
    lg_cel_host_function *functions;
    size_t function_count;
    size_t function_capacity;
    lg_cel_definition *definitions;
    size_t definition_count;
    size_t definition_capacity;
    lg_str container;
    bool unchecked;
    bool keep_trees;
    bool qualified; // some name here or above has a dot in it
};

// Finds exactly `name` here or above.
const lg_cel_variable *lg_cel_env_find(const lg_cel_env *env, lg_str name, uint32_t *ret_slot);
bool lg_cel_is_reserved(lg_str name); // a word that the language keeps for itself

// --- Building the tree (tree.h) ---------------------------------------------------------------------

lg_cel_node *lg_cel_node_new(lg_cel_build *build, lg_cel_node_kind kind, uint32_t offset);
// Sets the depth from that of the children; NULL with an error if it is too deep.
lg_cel_node *lg_cel_node_done(lg_cel_build *build, lg_cel_node *node);

// NULL if there was an error.
lg_cel_node *lg_cel_parse(lg_cel_build *build);
// Turns a call into what the macro of that name stands for; returns the call itself if there is
// none, NULL on an error.
lg_cel_node *lg_cel_expand(lg_cel_build *build, lg_cel_node *call);
// Likewise for a call of a definition.
lg_cel_node *lg_cel_expand_definition(lg_cel_build *build, lg_cel_node *call);
// Offers the names of all definitions that the environment knows.
void lg_cel_offer_definitions(const lg_cel_env *env, lg_cel_closest *closest);
// lg_cel_node_child, for those who may change it.
lg_cel_node *lg_cel_child(const lg_cel_node *node, size_t index);
// Resolves names and sets the types. False if there was an error.
bool lg_cel_check(lg_cel_build *build, lg_cel_node *root);
const lg_cel_program *lg_cel_emit(lg_cel_build *build, const lg_cel_node *root);

// --- Lexer --------------------------------------------------------------------------------------

// clang-format off
#define LG_CEL_TOKEN_MAP(X)                                                                        \
    X(END, "end of expression") X(IDENT, "name") X(QUOTED, "quoted name") X(LITERAL, "literal")    \
    X(LPAREN, "`(`") X(RPAREN, "`)`") X(LBRACKET, "`[`") X(RBRACKET, "`]`")                        \
    X(LBRACE, "`{`") X(RBRACE, "`}`") X(DOT, "`.`") X(COMMA, "`,`") X(COLON, "`:`")                \
    X(QUESTION, "`?`") X(NOT, "`!`") X(PLUS, "`+`") X(MINUS, "`-`") X(STAR, "`*`")                 \
    X(SLASH, "`/`") X(PERCENT, "`%`") X(EQ, "`==`") X(NE, "`!=`") X(LT, "`<`") X(LE, "`<=`")       \
    X(GT, "`>`") X(GE, "`>=`") X(AND, "`&&`") X(OR, "`||`") X(IN, "`in`")
// clang-format on
typedef enum lg_cel_token_kind {
#define X(name, text) LG_TOK_##name,
    LG_CEL_TOKEN_MAP(X)
#undef X
} lg_cel_token_kind;

typedef struct lg_cel_token {
    lg_cel_token_kind kind;
    uint32_t offset;
    uint32_t end;
    lg_str text;        // of a name, without quotes
    lg_cel_value value; // of a literal; an integer is a uint until its sign is known
    bool is_signed;     // an integer without `u`
} lg_cel_token;

// Reads the token at or after `*at` and moves `*at` behind it. False if there was an error.
bool lg_cel_lex(lg_cel_build *build, uint32_t *at, lg_cel_token *ret);
const char *lg_cel_token_text(lg_cel_token_kind kind);

// --- Types --------------------------------------------------------------------------------------

extern const lg_cel_type lg_cel_t_error, lg_cel_t_dyn, lg_cel_t_null, lg_cel_t_bool, lg_cel_t_int,
    lg_cel_t_uint, lg_cel_t_double, lg_cel_t_string, lg_cel_t_bytes, lg_cel_t_timestamp,
    lg_cel_t_duration, lg_cel_t_list, lg_cel_t_map, lg_cel_t_type, lg_cel_t_optional, lg_cel_t_ip,
    lg_cel_t_cidr, lg_cel_t_zone;
// The type that `name` denotes in an expression ("int", "google.protobuf.Timestamp"), or NULL.
const lg_cel_type *lg_cel_type_named(lg_str name);
// What `type(x)` prints.
lg_str lg_cel_type_name(const lg_cel_type *type);
const lg_cel_type *lg_cel_type_copy(lg_arena *arena, const lg_cel_type *type);

// --- Values -------------------------------------------------------------------------------------

struct lg_cel_list {
    const lg_cel_value *items;
    size_t count;
};

typedef struct lg_cel_pair {
    lg_cel_value key;
    lg_cel_value value;
} lg_cel_pair;

// Pairs in the order they were put in; from LG_CEL_MAP_SCAN pairs on, an open-addressed table of
// positions (from 1; 0 is free) beside them.
#define LG_CEL_MAP_SCAN 8u
struct lg_cel_map {
    lg_cel_pair *pairs;
    uint32_t *table;
    uint32_t count;
    uint32_t capacity;
    uint32_t table_size; // a power of two, or 0
};

struct lg_cel_opaque {
    const lg_cel_type *type;
    const lg_zone *zone; // of a time zone
    uint8_t bytes[16];   // an address in network order; IPv4 in the first four
    uint8_t family;      // 4 or 6
    uint8_t prefix;      // of a CIDR
};

// Whether two texts of one length are equal. Keys and ids are short: for these, two overlapping loads
// take a third of the time of a call of memcmp.
static inline bool lg_cel_same_bytes(const char *a, const char *b, size_t len)
{
    if (len > 16) {
        return memcmp(a, b, len) == 0;
    }
    if (len >= 8) {
        uint64_t a1, a2, b1, b2;
        memcpy(&a1, a, 8);
        memcpy(&b1, b, 8);
        memcpy(&a2, a + len - 8, 8);
        memcpy(&b2, b + len - 8, 8);
        return ((a1 ^ b1) | (a2 ^ b2)) == 0;
    }
    if (len >= 4) {
        uint32_t a1, a2, b1, b2;
        memcpy(&a1, a, 4);
        memcpy(&b1, b, 4);
        memcpy(&a2, a + len - 4, 4);
        memcpy(&b2, b + len - 4, 4);
        return ((a1 ^ b1) | (a2 ^ b2)) == 0;
    }
    return len == 0 || (a[0] == b[0] && a[len / 2] == b[len / 2] && a[len - 1] == b[len - 1]);
}

// lg_cel_from_json() for the common kinds, without a call and field by field: a value that was put
// together in a register and then copied as 16 bytes makes the processor wait for its parts.
static inline void lg_cel_load(lg_cel_value *to, const lg_json *json, bool marked)
{
    to->marked = marked;
    if (json->type == LG_JSON_STRING) {
        to->kind = LG_CEL_STRING;
        to->aux = json->len;
        to->as.text = json->as.text;
    } else if (json->type == LG_JSON_OBJECT) {
        to->kind = LG_CEL_MAP;
        to->boxed = 1;
        to->as.json = json;
    } else if (json->type == LG_JSON_DOUBLE) {
        to->kind = LG_CEL_DOUBLE;
        to->as.f64 = json->as.f64;
    } else if (json->type == LG_JSON_ARRAY) {
        to->kind = LG_CEL_LIST;
        to->boxed = 1;
        to->as.json = json;
    } else if (json->type == LG_JSON_INT && json->as.i64 == (int32_t)json->as.i64) {
        to->kind = LG_CEL_DOUBLE;
        to->as.f64 = (double)json->as.i64;
    } else {
        *to = lg_cel_from_json(json);
        to->marked = marked;
    }
}

// Of a scalar that is no string `marked` means nothing: it may not even have been set, so it is not looked at.
static inline bool lg_cel_is_marked(const lg_cel_value *value)
{
    return (value->kind == LG_CEL_STRING || value->kind == LG_CEL_LIST ||
            value->kind == LG_CEL_MAP) &&
           value->marked;
}

static inline void lg_cel_set_bool(lg_cel_value *to, bool value)
{
    to->kind = LG_CEL_BOOL;
    to->as.boolean = value;
}

// Who looks a key up pays for its bytes and for the places that were looked at: keys of one hash can
// be made. `vm` may be NULL.
typedef struct lg_cel_vm lg_cel_vm;
lg_cel_map *lg_cel_map_new(lg_arena *arena, size_t capacity);
const lg_cel_value *lg_cel_map_find(lg_cel_vm *vm, const lg_cel_map *map, lg_cel_value key);
typedef enum lg_cel_put {
    LG_CEL_PUT_OK,
    LG_CEL_PUT_TAKEN,
    LG_CEL_PUT_BAD_KEY,
    LG_CEL_PUT_OOM,
} lg_cel_put;
lg_cel_put lg_cel_map_put(lg_cel_vm *vm, lg_arena *arena, lg_cel_map *map, lg_cel_value key,
                          lg_cel_value value);

// The text of a scalar that is no string: "42", "0.0045", "1e+21", "2024-05-15T15:00:00Z", "3600s".
#define LG_CEL_TEXT_MAX 64
size_t lg_cel_scalar_text(char out[LG_CEL_TEXT_MAX], lg_cel_value value);

// A number with a fraction or an exponent: "4.0". Returns the length.
size_t lg_cel_decimal_text(char out[LG_CEL_TEXT_MAX], double value);
size_t lg_cel_opaque_text(char out[LG_CEL_TEXT_MAX], const lg_cel_opaque *value);

// --- Machine ------------------------------------------------------------------------------------

// An operand is a register, a constant or a variable of the activation.
typedef enum lg_cel_place {
    LG_PLACE_REG,
    LG_PLACE_CONST,
    LG_PLACE_VAR,
} lg_cel_place;

// clang-format off
// name; what it does (R is the register `dst`, A and B are the operands, C the word `c`)
#define LG_CEL_OP_MAP(X)                                                                           \
    X(RETURN)      /* the result is A */                                                           \
    X(MOVE)        /* R = A */                                                                     \
    X(FAIL)        /* R = a TYPE failure with the text of fail text C */                           \
    X(JUMP)        /* to C */                                                                      \
    X(PATH)        /* R = A.key.key...: `b` keys from C on */                                      \
    X(HAS)         /* R = whether A.key... has the last of `b` keys from C on */                   \
    X(OPT_SELECT)  /* R = A.?key C */                                                              \
    X(INDEX)       /* R = A[B] */                                                                  \
    X(OPT_INDEX)   /* R = A[?B] */                                                                 \
    X(EQ) X(NE) X(LT) X(LE) X(GT) X(GE) X(IN)                                                      \
    X(ADD) X(SUB) X(MUL) X(DIV) X(MOD)                                                             \
    X(NEGATE) X(NOT)                                                                               \
    X(AND_FIRST)   /* R is the first operand of `&&`: to C if it is false */                       \
    X(AND)         /* R = R && A; to C if that is false */                                         \
    X(OR_FIRST)                                                                                    \
    X(OR)                                                                                          \
    X(BRANCH)      /* to C if A is false; an error goes to R and then where the instruction */     \
                   /* before C jumps to */                                                         \
    X(CALL)        /* R = function C of the `b` registers from `a` on */                           \
    X(MATCH)       /* R = whether A matches pattern C */                                           \
    X(LIST)        /* R = an empty list with room for C */                                         \
    X(APPEND)      /* add A to list R */                                                           \
    X(APPEND_OPT)  /* the same if optional A has a value */                                        \
    X(MAP)         /* R = an empty map with room for C */                                          \
    X(PUT)         /* add A: B to map R */                                                         \
    X(PUT_OPT)                                                                                     \
    X(FOLD)        /* begin fold `b` over A, and go on with its body or its end */                 \
    X(FOLD_TEST)   /* condition A of fold `b`: on with the next round unless it holds */           \
    X(FOLD_STEP)   /* take in A for fold `b`, and go on with the next round or the end */          \
    X(OPT_ELSE)    /* R is optional: with a value, that (`b` 1) or as it is, to C */               \
    X(OPT_BIND)    /* register `a` is optional: its value takes its place; without, R and to C */  \
    X(WRAP)        /* R = optional of A */
// clang-format on
typedef enum lg_cel_op {
#define X(name) LG_OP_##name,
    LG_CEL_OP_MAP(X)
#undef X
} lg_cel_op;

//   0    1        2      4      6      8        12       16
//   +----+--------+------+------+------+--------+--------+
//   | op | places | dst  |  a   |  b   |   c    | offset |
//   +----+--------+------+------+------+--------+--------+
typedef struct lg_cel_ins {
    uint8_t op;
    uint8_t places; // lg_cel_place of A in bits 0-1, of B in bits 2-3
    uint16_t dst;
    uint16_t a;
    uint16_t b;
    uint32_t c;
    uint32_t offset; // in the source, for failures
} lg_cel_ins;
_Static_assert(sizeof(lg_cel_ins) == 16, "four instructions in a cache line");

typedef struct lg_cel_key {
    const char *ptr;
    uint32_t len;
    uint32_t offset;
} lg_cel_key;

typedef struct lg_cel_fold {
    uint8_t kind; // an lg_cel_fold_kind
    bool two;     // two variables: index and element, or key and value
    uint16_t iterator;
    uint16_t first; // registers of the variables
    uint16_t second;
    uint16_t result;
    uint32_t body;
    uint32_t end;
    uint32_t cost; // of one round
} lg_cel_fold;

typedef struct lg_cel_regex lg_cel_regex;

struct lg_cel_program {
    const lg_cel_ins *code;
    const lg_cel_value *constants;
    const lg_cel_key *keys;
    const lg_cel_fold *folds;
    const lg_cel_function *const *functions;
    const lg_cel_regex *const *patterns;
    const char *const *texts;
    uint32_t cost; // of the code, once through
    uint32_t registers;
    uint32_t iterators;
    uint64_t cost_limit;
    uint32_t regex_steps;
    const lg_cel_type *type;
    lg_str source;
    const lg_cel_node *tree; // NULL unless the environment keeps trees
};

struct lg_cel_vm {
    lg_arena *scratch;
    lg_cel_read_log *log;
    uint64_t budget; // steps that are left
    uint32_t offset; // of the instruction at work
    uint32_t regex_steps;
    const lg_cel_failure *limit; // that was met first: whatever comes out, the evaluation ends so
};

// What a text is worth beyond the step of the instruction: comparing and hashing read it once.
static inline uint64_t lg_cel_text_cost(size_t len)
{
    return len / 32;
}

// A lookup among the keys of a JSON object: a large one is searched by halving, and what is far apart
// in memory takes its time.
static inline uint64_t lg_cel_lookup_cost(size_t members)
{
    return members > LG_JSON_INDEX_MIN ? 2 * (uint64_t)(64 - __builtin_clzll(members)) - 8 : 0;
}

static inline bool lg_cel_is_error(lg_cel_value value)
{
    return value.kind == LG_CEL_ERROR;
}

// Takes `steps` off the budget. False if it does not reach: then any result will do, as the limit
// decides.
bool lg_cel_charge(lg_cel_vm *vm, uint64_t steps);
// lg_str_find() that pays for each place where it has to look closer. SIZE_MAX, too, at the limit.
size_t lg_cel_find(lg_cel_vm *vm, lg_str text, lg_str wanted);
// An error value of the instruction at work.
lg_cel_value lg_cel_fail(lg_cel_vm *vm, lg_cel_failure_kind kind, const char *what);
lg_cel_value lg_cel_fail_missing(lg_cel_vm *vm, const char *what, lg_cel_value key, uint32_t read,
                                 bool marked);
lg_cel_value lg_cel_no_overload(lg_cel_vm *vm);
lg_cel_value lg_cel_out_of_memory(lg_cel_vm *vm);
// Uninitialised scratch, which is paid for, or NULL after noting it.
void *lg_cel_scratch(lg_cel_vm *vm, size_t size_bytes, size_t align);
// Forgets scratch allocated after the mark, and may move the mark.
void lg_cel_forget(lg_cel_vm *vm, lg_arena_mark *mark);

bool lg_cel_same(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b); // `vm` may be NULL
// Order of two numbers (exact), strings, bytes, bools, timestamps or durations. False if they have
// none; NaN gives `*ret` 2.
bool lg_cel_order(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b, int *ret);
lg_cel_value lg_cel_arith(lg_cel_vm *vm, lg_cel_binary op, lg_cel_value a, lg_cel_value b);
lg_cel_value lg_cel_negate(lg_cel_vm *vm, lg_cel_value a);
// A timestamp or duration, its nanoseconds brought into range; a RANGE failure if it has none.
lg_cel_value lg_cel_time_result(lg_cel_vm *vm, lg_cel_kind kind, int64_t seconds, int64_t nanos);
lg_cel_value lg_cel_member_of(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b); // a in b
lg_cel_value lg_cel_index(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b);
lg_cel_value lg_cel_opt_index(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b);
lg_cel_value lg_cel_select(lg_cel_vm *vm, lg_cel_value a, lg_str name);
lg_cel_value lg_cel_opt_select(lg_cel_vm *vm, lg_cel_value a, lg_str name);
lg_cel_value lg_cel_has(lg_cel_vm *vm, lg_cel_value a, lg_str name);
// An optional in scratch.
lg_cel_value lg_cel_some(lg_cel_vm *vm, lg_cel_value value);
lg_cel_value lg_cel_none(void);

// Notes a lookup, if there is a log; returns its index or UINT32_MAX.
uint32_t lg_cel_note_key(lg_cel_vm *vm, const lg_json *parent, lg_str key, const lg_json *child);
uint32_t lg_cel_note_index(lg_cel_vm *vm, const lg_json *parent, size_t index,
                           const lg_json *child);

// --- Functions ----------------------------------------------------------------------------------

typedef lg_cel_value lg_cel_native(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count);

// One row of the table: a name, what the checker knows of it, and what the machine calls. The
// machine calls it with operands that are no errors, of any type: types are only advice.
struct lg_cel_function {
    const char *name;
    lg_cel_native *native;
    const lg_cel_overload *overloads;
    uint8_t overload_count;
    bool constant;   // may be computed by the compiler when all operands are constants
    bool takes_zone; // a constant second operand names a time zone, which the compiler reads
};

// The row of `name`, or NULL.
const lg_cel_function *lg_cel_function_find(lg_str name);
const lg_cel_function *lg_cel_function_at(size_t index); // NULL past the last
const lg_cel_overload *lg_cel_operator_overloads(lg_cel_binary op, size_t *ret_count);

// fn_core.c
lg_cel_native lg_cel_fn_size, lg_cel_fn_contains, lg_cel_fn_starts, lg_cel_fn_ends,
    lg_cel_fn_matches;
// fn_convert.c
lg_cel_native lg_cel_fn_bool, lg_cel_fn_int, lg_cel_fn_uint, lg_cel_fn_double, lg_cel_fn_string,
    lg_cel_fn_bytes, lg_cel_fn_dyn, lg_cel_fn_type;
// fn_time.c
lg_cel_native lg_cel_fn_timestamp, lg_cel_fn_duration, lg_cel_fn_get_full_year, lg_cel_fn_get_month,
    lg_cel_fn_get_date, lg_cel_fn_get_day_of_month, lg_cel_fn_get_day_of_week,
    lg_cel_fn_get_day_of_year, lg_cel_fn_get_hours, lg_cel_fn_get_minutes, lg_cel_fn_get_seconds,
    lg_cel_fn_get_milliseconds;
// fn_string.c
lg_cel_native lg_cel_fn_char_at, lg_cel_fn_index_of, lg_cel_fn_last_index_of, lg_cel_fn_substring,
    lg_cel_fn_lower_ascii, lg_cel_fn_upper_ascii, lg_cel_fn_trim, lg_cel_fn_reverse,
    lg_cel_fn_replace, lg_cel_fn_split, lg_cel_fn_join, lg_cel_fn_quote, lg_cel_fn_decimal,
    lg_cel_fn_arithmetic, lg_cel_fn_arithmetic_error;
// fn_format.c
lg_cel_native lg_cel_fn_format;
// fn_list.c
lg_cel_native lg_cel_fn_range, lg_cel_fn_sum, lg_cel_fn_slice, lg_cel_fn_flatten,
    lg_cel_fn_distinct, lg_cel_fn_sort, lg_cel_fn_sort_by_keys, lg_cel_fn_first, lg_cel_fn_last;
// fn_optional.c
lg_cel_native lg_cel_fn_optional_of, lg_cel_fn_optional_none, lg_cel_fn_optional_non_zero,
    lg_cel_fn_has_value, lg_cel_fn_value, lg_cel_fn_unwrap, lg_cel_fn_or, lg_cel_fn_or_value;
// fn_math.c
lg_cel_native lg_cel_fn_greatest, lg_cel_fn_least, lg_cel_fn_ceil, lg_cel_fn_floor, lg_cel_fn_round,
    lg_cel_fn_trunc, lg_cel_fn_is_nan, lg_cel_fn_is_inf, lg_cel_fn_is_finite, lg_cel_fn_sqrt,
    lg_cel_fn_abs, lg_cel_fn_sign, lg_cel_fn_bit_and, lg_cel_fn_bit_or, lg_cel_fn_bit_xor,
    lg_cel_fn_bit_not, lg_cel_fn_bit_left, lg_cel_fn_bit_right;
// fn_encode.c
lg_cel_native lg_cel_fn_base64_encode, lg_cel_fn_base64_decode;
// fn_net.c
lg_cel_native lg_cel_fn_ip, lg_cel_fn_cidr, lg_cel_fn_is_ip, lg_cel_fn_is_cidr,
    lg_cel_fn_is_canonical, lg_cel_fn_family, lg_cel_fn_is_unspecified, lg_cel_fn_is_loopback,
    lg_cel_fn_is_global_unicast, lg_cel_fn_is_link_local_multicast, lg_cel_fn_is_link_local_unicast,
    lg_cel_fn_prefix_length, lg_cel_fn_masked, lg_cel_fn_contains_ip, lg_cel_fn_contains_cidr;

// Room for elements in scratch, and a list of them.
lg_cel_value *lg_cel_new_items(lg_cel_vm *vm, size_t count);
lg_cel_value lg_cel_list_of(lg_cel_vm *vm, const lg_cel_value *items, size_t count);
lg_cel_value lg_cel_reverse_list(lg_cel_vm *vm, lg_cel_value list);

// A text under construction, in scratch. Fails once and stays failed.
typedef struct lg_cel_builder {
    lg_cel_vm *vm;
    char *text;
    size_t len;
    size_t capacity;
    bool failed;
} lg_cel_builder;
void lg_cel_builder_add(lg_cel_builder *builder, lg_str text); // a step, and one for 16 bytes
lg_cel_value lg_cel_builder_done(lg_cel_builder *builder);

// --- Regular expressions ------------------------------------------------------------------------

// Compiles `pattern` into `arena`, which owns all of it. On failure returns NULL and sets `*ret_why`
// to a fixed text, and `*ret_offset` to the byte of the pattern.
const lg_cel_regex *lg_cel_regex_compile(lg_arena *arena, lg_str pattern, const char **ret_why,
                                         size_t *ret_offset);
uint64_t
lg_cel_regex_cost(const lg_cel_regex *regex); // that its compilation had, beside its length
lg_cel_value lg_cel_regex_match(lg_cel_vm *vm, const lg_cel_regex *regex, lg_str text);

// A pattern that needs no backtracking. `*ret` is NULL if this is none; false when out of memory.
typedef struct lg_cel_linear lg_cel_linear;
bool lg_cel_linear_compile(lg_arena *arena, lg_str pattern, const lg_cel_linear **ret);
bool lg_cel_linear_match(const lg_cel_linear *linear, lg_str text);

// --- words.c ------------------------------------------------------------------------------------

// NULL for what is no such pattern, and when out of memory: it is left to PCRE2.
typedef struct lg_cel_words lg_cel_words;
const lg_cel_words *lg_cel_words_compile(lg_arena *arena, lg_str pattern);
bool lg_cel_words_can(lg_str text); // is it a text that can be asked?
bool lg_cel_words_match(lg_cel_vm *vm, const lg_cel_words *words, lg_str text);

#endif
