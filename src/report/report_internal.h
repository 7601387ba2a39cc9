// report_internal.h: members of an object, for the files of the room.
#ifndef LG_REPORT_INTERNAL_H
#define LG_REPORT_INTERNAL_H

#include "report/report.h"

static inline void write_str(lg_json_writer *w, const char *key, lg_str value)
{
    lg_jw_key(w, key);
    lg_jw_str(w, value);
}

// A text that may have failed to be made: then the output fails, too.
static inline void write_buf(lg_json_writer *w, const char *key, const lg_buf *text)
{
    if (lg_buf_status(text) != LG_OK && lg_buf_status(w->out) == LG_OK) {
        w->out->status = text->status;
    }
    write_str(w, key, lg_buf_str(text));
}

// Nothing for an empty text.
static inline void write_any(lg_json_writer *w, const char *key, lg_str value)
{
    if (value.len) {
        write_str(w, key, value);
    }
}

static inline void write_word(lg_json_writer *w, const char *key, const char *value)
{
    lg_jw_key(w, key);
    lg_jw_c(w, value);
}

static inline void write_uint(lg_json_writer *w, const char *key, uint64_t value)
{
    lg_jw_key(w, key);
    lg_jw_uint(w, value);
}

static inline void write_bool(lg_json_writer *w, const char *key, bool value)
{
    lg_jw_key(w, key);
    lg_jw_bool(w, value);
}

#endif
