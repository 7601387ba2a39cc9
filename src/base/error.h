// error.h: filling in errors, and collecting a bounded list of them.
#ifndef LG_BASE_ERROR_H
#define LG_BASE_ERROR_H

#include "base/arena.h"

#include <stdarg.h>

// Fills `*reterr` (may be NULL) with `status` and a message, no position; returns `status`. A
// message that does not fit ends in "...". Bytes that are no printable UTF-8 are replaced by `?`.
LG_PRINTF(3, 4) lg_status lg_fail(lg_error *reterr, lg_status status, const char *format, ...);

// Room for words that are put together before they become a message: one byte more than a message
// has, so that what is too long is cut, and shown to be cut, in one place.
#define LG_ERROR_TEXT_BYTES (sizeof(((lg_error *)NULL)->msg) + 1)

// The same with a position.
typedef struct lg_position {
    const char *file;
    uint32_t line;
    uint32_t column;
} lg_position;
LG_PRINTF(4, 5)
lg_status lg_fail_at(lg_error *reterr, lg_status status, lg_position at, const char *format, ...);

LG_PRINTF(4, 0)
lg_status lg_vfail_at(lg_error *reterr, lg_status status, lg_position at, const char *format,
                      va_list args);

static inline lg_position lg_error_position(const lg_error *error)
{
    return (lg_position){error->file, error->line, error->column};
}

// The usual "out of memory" error.
lg_status lg_fail_oom(lg_error *reterr);

// A bounded list. Errors past the limit are counted, not kept.
typedef struct lg_errors {
    lg_arena *arena; // where items live
    lg_error *items;
    size_t count;   // kept
    size_t dropped; // not kept
    size_t capacity;
    size_t limit;
} lg_errors;

void lg_errors_init(lg_errors *errors, lg_arena *arena, size_t limit);
void lg_errors_add(lg_errors *errors, const lg_error *error);
LG_PRINTF(4, 5)
void lg_errors_addf(lg_errors *errors, lg_status status, lg_position at, const char *format, ...);

static inline bool lg_errors_any(const lg_errors *errors)
{
    return errors->count + errors->dropped > 0;
}

#endif
