// types.h: what every part of LedgerGate agrees on: byte slices, statuses, errors, limits.
//
// Nothing here allocates. All functions of the library report failure with an lg_status and, where
// the caller passes one, an lg_error that says what was wrong, where, and what to do about it.
#ifndef LEDGERGATE_TYPES_H
#define LEDGERGATE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LG_NODISCARD __attribute__((warn_unused_result))
#define LG_PRINTF(format_index, first_arg) __attribute__((format(printf, format_index, first_arg)))
#else
#define LG_NODISCARD
#define LG_PRINTF(format_index, first_arg)
#endif

#ifdef __cplusplus
extern "C" {
#endif

// A view of bytes: not ended by NUL, may contain NUL, owns nothing.
typedef struct lg_str {
    const char *ptr;
    size_t len;
} lg_str;

#define LG_STR(literal) ((lg_str){"" literal, sizeof(literal) - 1})
#define LG_FMT(s) (int)(s).len, (s).ptr // printf("%.*s", LG_FMT(key))

// A point in time: `nanos` (0 to 999,999,999) always counts forward from `seconds`.
typedef struct lg_time {
    int64_t seconds; // since 1970-01-01T00:00:00Z
    uint32_t nanos;
} lg_time;

// clang-format off
#define LG_STATUS_MAP(X)                                            \
    X(OOM,      "out of memory, or over the memory budget")         \
    X(LIMIT,    "larger than a configured limit")                   \
    X(IO,       "a file or stream could not be read or written")    \
    X(PARSE,    "not well formed")                                  \
    X(TYPE,     "of the wrong type")                                \
    X(NAME,     "a name that nothing declares")                     \
    X(MISSING,  "needed, but never observed")                       \
    X(FORMAT,   "not in a format that is known here")               \
    X(USAGE,    "the caller asked for something impossible")        \
    X(ENVIRONMENT, "something that is needed is not on this machine") \
    X(BUSY,     "more is waiting than may wait: try again later")   \
    X(INTERNAL, "a mistake of LedgerGate itself")
// clang-format on

typedef enum lg_status {
    LG_OK = 0,
#define X(name, text) LG_ERR_##name,
    LG_STATUS_MAP(X)
#undef X
} lg_status;

// Returns the fixed English text of `status`, for example "not well formed". Never NULL.
const char *lg_status_text(lg_status status);

// One error. Plain data: copy it freely.
typedef struct lg_error {
    lg_status status;
    const char *file; // pack or document name; borrowed from whoever named it, may be NULL
    uint32_t line;    // from 1; 0 if not known
    uint32_t column;  // from 1, in code points; 0 if not known
    char msg[384];    // for people: no newline, no final full stop
} lg_error;

// Ceilings for everything that a stranger chooses. Zero in any field means its default, which is
// in brackets. All are inclusive: a value equal to the limit passes.
typedef struct lg_limits {
    uint32_t json_depth;      // levels of nesting in JSON or YAML [256]
    size_t json_bytes;        // bytes of one JSON text or trace file [1 GiB]
    size_t stream_bytes;      // bytes of a pipe, a device or standard input [64 MiB]
    size_t json_string_bytes; // bytes of one decoded string or key [64 MiB]
    size_t document_bytes;    // memory that one parsed document, pack or state may take [1 GiB]
    size_t memory_bytes;      // memory that one session may take, all in all [64 MiB]
    uint32_t error_count;     // errors collected before a check gives up [50]
    size_t cel_bytes;         // bytes of one CEL expression [64 KiB]
    uint32_t cel_depth;       // nesting of one CEL expression [200]
    uint64_t cel_cost;        // evaluation steps of one expression [1,000,000]
    uint32_t regex_steps;     // PCRE2 match limit of one match [100,000]
    uint64_t decision_steps;  // all work of one decision, some 20 ns each [300,000]
    uint64_t observe_steps;   // all work of taking in one call or message, likewise [5,000,000]
    uint32_t ledger_entries;  // records in one ledger [10,000]
    uint32_t open_calls;      // calls of one session that have no answer yet [256]
    uint32_t trace_events;    // events of one conversation [1,000,000]
} lg_limits;

// Returns `limits` with every zero replaced by its default; NULL gives all defaults.
lg_limits lg_limits_resolve(const lg_limits *limits);

#ifdef __cplusplus
}
#endif

#endif
