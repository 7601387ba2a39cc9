// json.h: immutable JSON values.
//
// Every value lives in an arena, is never changed after it was made, and may be shared by threads
// without locks. A value is 16 bytes; the children of a container lie side by side, so an element
// is found by index and a small object by a short scan. Objects of more than LG_JSON_INDEX_MIN
// members carry an index of their sorted keys behind the members, or stand in a persistent map.
//
// The parser is strict (RFC 8259): exactly one value, valid UTF-8, no duplicate keys, no lone
// surrogates. Integers of 64 bits are exact; a number that fits neither an integer nor a finite
// double keeps its text.
//
//     lg_json_doc *doc;
//     if (lg_json_parse(text, NULL, &doc, &err) != LG_OK) ...
//     const lg_json *id = lg_json_get(lg_json_root(doc), LG_STR("order_id"));
#ifndef LG_JSON_H
#define LG_JSON_H

#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

typedef enum lg_json_type {
    LG_JSON_NULL,
    LG_JSON_BOOL,
    LG_JSON_INT,    // -2^63 .. 2^63-1, written without fraction or exponent
    LG_JSON_UINT,   // 2^63 .. 2^64-1, likewise
    LG_JSON_DOUBLE, // any other number that has a finite double
    LG_JSON_BIGNUM, // text of an integer beyond 64 bits, or of a number beyond the doubles
    LG_JSON_STRING,
    LG_JSON_ARRAY,
    LG_JSON_OBJECT,
} lg_json_type;

typedef struct lg_json lg_json;
typedef struct lg_json_member lg_json_member;

//   0        4        8                16
//   +--------+--------+----------------+
//   |len|type| offset | payload        |
//   +--------+--------+----------------+
struct lg_json {
    uint32_t type : 4; // an lg_json_type
    uint32_t len : 28; // bytes of a string or bignum, elements of an array, members of an object
    // Byte in the source text where it begins; LG_JSON_NO_OFFSET if made here, LG_JSON_MAPPED if `as.map`
    // holds the members.
    uint32_t offset;
    union {
        bool boolean;
        int64_t i64;
        uint64_t u64;
        double f64;
        const char *text;
        const lg_json *items;
        const lg_json_member *members;
        const struct lg_map *map; // of a mapped object, see lg_json_member_at
    } as;
};

struct lg_json_member {
    const char *key;
    uint32_t key_len;
    uint32_t key_offset; // as lg_json.offset
    lg_json value;
};

_Static_assert(sizeof(lg_json) == 16, "a value is two words");
_Static_assert(sizeof(lg_json_member) == 32, "a member is four words");

#define LG_JSON_LEN_MAX ((1u << 28) - 1)
#define LG_JSON_NO_OFFSET UINT32_MAX
#define LG_JSON_MAPPED (UINT32_MAX - 1) // offset of an object whose members stand in a lg_map
#define LG_JSON_INDEX_MIN 24u

// Nothing here walks deeper than this: what is nested deeper prints as a failed buffer
// (LG_ERR_LIMIT), copies to NULL and equals nothing. The parser refuses half of it whatever
// json_depth says, so what it made can still be wrapped.
#define LG_JSON_DEPTH_MAX 4096u

typedef struct lg_json_doc lg_json_doc; // A parsed text and everything it owns.

// --- Parsing ------------------------------------------------------------------------------------

// Parses `text`, which must be exactly one JSON value in UTF-8. On success sets `*ret_doc`; free it
// with lg_json_doc_free(). The document keeps its own copy of `text`. Fails with LG_ERR_PARSE
// (`reterr` has line and column), LG_ERR_LIMIT or LG_ERR_OOM, and leaves `*ret_doc` as it was.
// `limits` and `reterr` may be NULL.
LG_NODISCARD lg_status lg_json_parse(lg_str text, const lg_limits *limits, lg_json_doc **ret_doc,
                                     lg_error *reterr);
const lg_json *lg_json_root(const lg_json_doc *doc);
void lg_json_doc_free(lg_json_doc *doc); // NULL is allowed

// Parses the one value in bytes `from` to `to` of `text` into `arena`. Nothing is copied: strings
// without escapes point into `text`, which must outlive the value. Offsets and error positions
// count from the start of `text`, so a line of a JSON Lines file knows its place in the file. On
// failure what was allocated is rewound. Same errors as lg_json_parse.
LG_NODISCARD lg_status lg_json_parse_in(lg_arena *arena, lg_str text, size_t from, size_t to,
                                        const lg_limits *limits, const lg_json **ret_value,
                                        lg_error *reterr);

// The same of all of `text`, which is a piece of a longer one that it stands in at byte `shift`: offsets count from
// there, those of errors from the piece's start.
LG_NODISCARD lg_status lg_json_parse_piece(lg_arena *arena, lg_str text, uint32_t shift,
                                           const lg_limits *limits, const lg_json **ret_value,
                                           lg_error *reterr);

// Elements that were read before: in bytes `from`, right behind a `[`, to `to` of a text, with their offsets there.
typedef struct lg_json_known {
    size_t from, to;
    const lg_json *items;
    size_t count; // at least one
} lg_json_known;

// The same of all of `text`, where `known` holds of it, if that list is a member of the object that the text is:
// the bytes are not looked at again.
LG_NODISCARD lg_status lg_json_parse_beside(lg_arena *arena, lg_str text,
                                            const lg_json_known *known, const lg_limits *limits,
                                            const lg_json **ret_value, lg_error *reterr);

// Is the first line of `text` that is not blank a value of its own, with more behind it (JSON Lines)? What
// `arena` needed for it is rewound.
bool lg_json_is_lines(lg_arena *arena, lg_str text, const lg_limits *limits);

// Line and column (both from 1; columns in code points) of byte `offset` of `text`.
lg_position lg_text_position(lg_str text, size_t offset);

// --- Reading ------------------------------------------------------------------------------------

static inline lg_json_type lg_json_type_of(const lg_json *value)
{
    return (lg_json_type)value->type;
}
static inline bool lg_json_is(const lg_json *value, lg_json_type type)
{
    return value && value->type == (uint32_t)type;
}
static inline bool lg_json_is_number(const lg_json *value)
{
    return value && value->type >= LG_JSON_INT && value->type <= LG_JSON_BIGNUM;
}
static inline bool lg_json_is_true(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_BOOL) && value->as.boolean;
}

// The bytes of a string; an empty slice for NULL or anything else.
static inline lg_str lg_json_str(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_STRING) ? (lg_str){value->as.text, value->len}
                                             : (lg_str){"", 0};
}
static inline lg_str lg_json_key(const lg_json_member *member)
{
    return (lg_str){member->key, member->key_len};
}
// The member `index` of an object that has as many. What tree.h has made of a large object keeps its
// members in a persistent map, all other objects side by side.
const lg_json_member *lg_json_mapped_at(const lg_json *object, size_t index);
static inline const lg_json_member *lg_json_member_at(const lg_json *object, size_t index)
{
    return object->offset == LG_JSON_MAPPED ? lg_json_mapped_at(object, index)
                                            : &object->as.members[index];
}

// Elements of an array or members of an object; 0 for NULL or anything else.
static inline size_t lg_json_len(const lg_json *value)
{
    return value && value->type >= LG_JSON_ARRAY ? value->len : 0;
}

// The member `key` of `object`, or NULL if there is none or `object` is NULL or no object.
const lg_json *lg_json_get(const lg_json *object, lg_str key);

// The element `index` of `array`, or NULL if there is none or `array` is NULL or no array.
const lg_json *lg_json_item(const lg_json *array, size_t index);

// Nearest double of a number. False for a bignum beyond the doubles and for what is no number.
bool lg_json_double(const lg_json *number, double *ret);

// Exact integer value: LG_JSON_INT, or a double with an integral value inside the int64 range.
bool lg_json_int(const lg_json *number, int64_t *ret);

// Deep equality: numbers by exact mathematical value, also of different types (1 is 1.0, and 2^53+1
// is not 9007199254740992.0); objects regardless of order, arrays in order.
bool lg_json_equal(const lg_json *a, const lg_json *b);

// Would both print the same bytes, members in the same order? 1 is not 1.0 here, nor 0.0 -0.0.
bool lg_json_identical(const lg_json *a, const lg_json *b);

// Order of two numbers by mathematical value: negative, zero, positive.
int lg_json_number_cmp(const lg_json *a, const lg_json *b);

// The byte behind `value`, which lg_json_parse_in() has made of `text`: with its offset, where it stands. Takes no longer
// than its last string and its depth.
size_t lg_json_end(lg_str text, const lg_json *value);
// The `]` of the list in whose text `at` stands, between two elements; text.len: there is none. Of a text that is no JSON
// it may be any place.
size_t lg_json_list_end(lg_str text, size_t at);
static inline lg_str lg_json_source(lg_str text, const lg_json *value)
{
    return (lg_str){text.ptr + value->offset, lg_json_end(text, value) - value->offset};
}

// --- Making -------------------------------------------------------------------------------------
// Values are plain structs; what they point to (text, items, members) must outlive them.

lg_json lg_json_make_null(void);
lg_json lg_json_make_bool(bool value);
lg_json lg_json_make_int(int64_t value);
lg_json lg_json_make_double(double value); // must be finite
lg_json lg_json_make_str(lg_str text);     // at most LG_JSON_LEN_MAX bytes of valid UTF-8
lg_json lg_json_make_array(const lg_json *items, size_t count);
// Keys must be unique. Allocates the index of a large object in `arena`: `members` must then have
// been obtained from lg_json_alloc_members(), which leaves room for it.
lg_json_member *lg_json_alloc_members(lg_arena *arena, size_t count);
lg_json lg_json_make_object(lg_json_member *members, size_t count);
extern const lg_json lg_json_no_members; // an object, such as the arguments of a call that has none
lg_json_member lg_json_make_member(lg_str key, lg_json value);

// Takes the steps that going through all of `value` costs. False as soon as they are not there.
bool lg_json_weigh(lg_budget *budget, const lg_json *value);

// The steps of parsing a text, before somebody does.
uint64_t lg_json_read_steps(lg_str text);

// A deep copy into `arena` that points at nothing outside of it. NULL when out of memory.
const lg_json *lg_json_copy(lg_arena *arena, const lg_json *value);

// --- Printing -----------------------------------------------------------------------------------

// Compact: `{"a":[1,2.0]}`. Integers and doubles stay what they are: parsing it again gives the
// same values of the same types.
void lg_json_print(lg_buf *out, const lg_json *value);

// Indented by two blanks a level, for people. No newline at the end.
void lg_json_print_pretty(lg_buf *out, const lg_json *value);

// RFC 8785: keys sorted by UTF-16 code units, ECMAScript numbers. An integer is written with all
// its digits, also above 2^53, and a bignum as it was written: exactness goes before the letter of
// the RFC, which knows doubles only.
void lg_json_print_canonical(lg_buf *out, const lg_json *value);

// SHA-256 of the canonical form in hexadecimal. Fails with LG_ERR_OOM or, for what is nested too
// deep to print, LG_ERR_LIMIT.
LG_NODISCARD lg_status lg_json_hash(const lg_json *value, char out[65]);

// Appends `s` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD.
void lg_json_print_str(lg_buf *out, lg_str s);
void lg_json_add_escaped(lg_buf *out, lg_str s); // without the quotes

// Appends JSON text such that nothing in it is an order to a terminal: controls above ASCII are escaped, and
// bytes that are no UTF-8 replaced. (Outside of its strings all of it is ASCII.)
void lg_json_add_safe(lg_buf *out, lg_str text);

// Appends the shortest text that reads back to `value`, with a fraction or an exponent: `118.0`.
void lg_json_print_double(lg_buf *out, double value);

// --- JSON Pointer (RFC 6901) --------------------------------------------------------------------

// The value that `pointer` ("" or "/a/0/b~1c") names below `root`, or NULL.
const lg_json *lg_json_at(const lg_json *root, lg_str pointer);

// Appends "/" and the escaped reference token.
void lg_json_pointer_add(lg_buf *out, lg_str token);

// Appends the pointer of the value at byte `offset` of the text that `root` was parsed from, or of
// the innermost one around it. A key belongs to its value; what stands between two values, to the
// one before.
void lg_json_pointer_of(lg_buf *out, const lg_json *root, uint32_t offset);

#endif
