// writer.h: JSON written piece by piece, for output that is never a tree in memory.
//
// Commas and quotes are the writer's business. Nesting is the caller's: each begin has its end, which is
// asserted.
//
//     lg_json_writer w = {.out = &buf};
//     lg_jw_begin_object(&w);
//     lg_jw_member_str(&w, "verdict", LG_STR("allow"));
//     lg_jw_key(&w, "rules"); lg_jw_begin_array(&w); ... lg_jw_end_array(&w);
//     lg_jw_end_object(&w);
#ifndef LG_JSON_WRITER_H
#define LG_JSON_WRITER_H

#include "json/json.h"

typedef struct lg_json_writer {
    lg_buf *out;
    // Private.
    bool need_comma;
    uint32_t depth;   // of what is open
    uint64_t objects; // a bit for each, the innermost last: is it an object?
} lg_json_writer;

void lg_jw_begin_object(lg_json_writer *w);
void lg_jw_end_object(lg_json_writer *w);
void lg_jw_begin_array(lg_json_writer *w);
void lg_jw_end_array(lg_json_writer *w);
void lg_jw_key(lg_json_writer *w, const char *key);
void lg_jw_key_str(lg_json_writer *w, lg_str key);
void lg_jw_str(lg_json_writer *w, lg_str value);
void lg_jw_c(lg_json_writer *w, const char *value);
void lg_jw_int(lg_json_writer *w, int64_t value);
void lg_jw_uint(lg_json_writer *w, uint64_t value);
void lg_jw_double(lg_json_writer *w, double value);
void lg_jw_bool(lg_json_writer *w, bool value);
void lg_jw_null(lg_json_writer *w);
void lg_jw_json(lg_json_writer *w, const lg_json *value); // NULL writes null
void lg_jw_raw(lg_json_writer *w, lg_str json);           // is JSON, and stands as it is

// A key and its value.
void lg_jw_member_str(lg_json_writer *w, const char *key, lg_str value);
void lg_jw_member_c(lg_json_writer *w, const char *key, const char *value);
void lg_jw_member_int(lg_json_writer *w, const char *key, int64_t value);
void lg_jw_member_uint(lg_json_writer *w, const char *key, uint64_t value);
void lg_jw_member_double(lg_json_writer *w, const char *key, double value);
void lg_jw_member_bool(lg_json_writer *w, const char *key, bool value);
void lg_jw_member_json(lg_json_writer *w, const char *key, const lg_json *value);
void lg_jw_member_raw(lg_json_writer *w, const char *key, lg_str json);

// What may not be there: no member for an empty text; null for one; null for a number that is not known.
void lg_jw_member_str_if(lg_json_writer *w, const char *key, lg_str value);
void lg_jw_member_str_or_null(lg_json_writer *w, const char *key, lg_str value);
void lg_jw_member_double_or_null(lg_json_writer *w, const char *key, bool known, double value);

#endif
