// error.c: filling in errors.
#include "base/error.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Messages quote hostile bytes. What is no printable UTF-8 becomes `?`, a cut is shown as "...".
static void tidy_message(char *msg, size_t size_bytes, bool cut)
{
    size_t len = strlen(msg);
    if (cut) {
        len = size_bytes - 4;
    }
    for (size_t at = 0; at < len;) {
        lg_str rest = {msg + at, len - at};
        size_t length = lg_utf8_length(rest);
        if (length == 0 && cut && rest.len < 4) {
            len = at; // the cut went through a character
            break;
        }
        size_t start = 0;
        if (length == 0 || lg_utf8_is_control(lg_utf8_next(rest, &start))) {
            memset(msg + at, '?', length ? length : 1);
        }
        at += length ? length : 1;
    }
    memcpy(msg + len, cut ? "..." : "", cut ? 4 : 1);
}

lg_status lg_vfail_at(lg_error *reterr, lg_status status, lg_position at, const char *format,
                      va_list args)
{
    if (reterr) {
        *reterr =
            (lg_error){.status = status, .file = at.file, .line = at.line, .column = at.column};
        int len = vsnprintf(reterr->msg, sizeof(reterr->msg), format, args);
        tidy_message(reterr->msg, sizeof(reterr->msg),
                     len < 0 || (size_t)len >= sizeof(reterr->msg));
    }
    return status;
}

lg_status lg_fail(lg_error *reterr, lg_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)lg_vfail_at(reterr, status, (lg_position){0}, format, args);
    va_end(args);
    return status;
}

lg_status lg_fail_at(lg_error *reterr, lg_status status, lg_position at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)lg_vfail_at(reterr, status, at, format, args);
    va_end(args);
    return status;
}

lg_status lg_fail_oom(lg_error *reterr)
{
    return lg_fail(
        reterr, LG_ERR_OOM,
        "out of memory, or over the memory budget (limits memory_bytes, document_bytes)");
}

void lg_errors_init(lg_errors *errors, lg_arena *arena, size_t limit)
{
    *errors = (lg_errors){.arena = arena, .limit = limit};
}

void lg_errors_add(lg_errors *errors, const lg_error *error)
{
    if (errors->count >= errors->limit) {
        errors->dropped++;
        return;
    }
    lg_error *items = lg_arena_grow(errors->arena, errors->items, errors->count, &errors->capacity,
                                    sizeof(*items));
    if (!items) {
        errors->dropped++;
        return;
    }
    errors->items = items;
    errors->items[errors->count++] = *error;
}

void lg_errors_addf(lg_errors *errors, lg_status status, lg_position at, const char *format, ...)
{
    lg_error error;
    va_list args;
    va_start(args, format);
    (void)lg_vfail_at(&error, status, at, format, args);
    va_end(args);
    lg_errors_add(errors, &error);
}
