// parser.h: the state of one parse, shared by parse.c (the loop), parse_escape.c (strings with
// escapes) and parse_error.c (the words for what went wrong).
#ifndef LG_JSON_PARSER_H
#define LG_JSON_PARSER_H

#include "json/json_internal.h"

// A key and its value are two slots side by side, laid out like one lg_json_member.
typedef union slot {
    lg_json value;
    struct {
        const char *text;
        uint32_t len;
        uint32_t offset;
    } key;
    uint32_t scratch[4]; // what the sort of a large object borrows
} slot;
_Static_assert(sizeof(slot) == 16, "children are copied to the arena as they lie");

#define COLD __attribute__((cold)) // tells the compiler which branches are not taken

enum { LOCAL_SLOTS = 512 }; // enough for most messages: the heap is not touched

// What of lg_limits holds for a text. All of them would take longer to look up than a short text
// takes to parse.
typedef struct parse_limits {
    uint32_t json_depth;
    size_t json_bytes;
    size_t json_string_bytes;
    size_t document_bytes;
    const char *memory_limit; // the name of the limit that `document_bytes` has come from
} parse_limits;

typedef struct parser {
    const char *text;  // offsets count from here
    const char *begin; // first byte to parse
    const char *end;
    uint32_t shift;             // added to offsets
    const lg_json_known *known; // or NULL
    lg_arena *arena;            // its budget is lowered by what the slots take
    parse_limits limits;
    slot *slots;
    slot *slots_end;
    lg_status status;
    lg_error *reterr;
    slot local[LOCAL_SLOTS];
} parser;

static inline uint32_t offset_of(const parser *ps, const char *at)
{
    return (uint32_t)(at - ps->text) + ps->shift;
}

// --- parse_error.c ------------------------------------------------------------------------------
// All record an error at `at` and return NULL, which ends the parse.

LG_PRINTF(4, 5)
COLD const char *lg_parse_fail(parser *ps, lg_status status, const char *at, const char *format,
                               ...);

// `size_bytes` could not be had: was it the budget or the machine?
COLD const char *lg_parse_fail_memory(parser *ps, const char *at, size_t size_bytes);

// "expected `what`, found ..." and, for what people write by habit, how to mend it.
COLD const char *lg_parse_expected(parser *ps, const char *at, const char *what);

// The string opened at `open` cannot go on at `at`.
COLD const char *lg_parse_bad_string(parser *ps, const char *open, const char *at);

// There is no valid escape at `at`.
COLD const char *lg_parse_bad_escape(parser *ps, const char *at);

// The key of `second` is that of `first`.
COLD const char *lg_parse_duplicate(parser *ps, const lg_json_member *first,
                                    const lg_json_member *second);

// Returns `at` if the text may be UTF-8 without a byte order mark.
const char *lg_parse_check_encoding(parser *ps, const char *at);

// --- parse_escape.c -----------------------------------------------------------------------------

// Decodes the string opened at `open`, whose first escape is at `at`, into the arena. Returns what
// follows its closing quote.
const char *lg_parse_escaped(parser *ps, const char *open, const char *at, lg_str *ret);

#endif
