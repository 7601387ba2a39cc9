// writer.c: see writer.h.
#include "json/writer.h"

#include "json/json_internal.h"

static void separate(lg_json_writer *w)
{
    if (w->need_comma) {
        lg_json_put(w->out, ',');
    }
    w->need_comma = true;
}

static void begin(lg_json_writer *w, char bracket)
{
    separate(w);
    lg_json_put(w->out, bracket);
    w->need_comma = false;
    LG_DEBUG_ASSERT(w->depth < 64); // reports are flat; a value of any depth is lg_jw_json()
    w->objects = w->objects << 1 | (bracket == '{');
    w->depth++;
}

static void end(lg_json_writer *w, char bracket)
{
    LG_DEBUG_ASSERT(w->depth > 0 && (w->objects & 1) == (bracket == '}'));
    w->objects >>= 1;
    w->depth--;
    lg_json_put(w->out, bracket);
    w->need_comma = true;
}

void lg_jw_begin_object(lg_json_writer *w)
{
    begin(w, '{');
}

void lg_jw_end_object(lg_json_writer *w)
{
    end(w, '}');
}

void lg_jw_begin_array(lg_json_writer *w)
{
    begin(w, '[');
}

void lg_jw_end_array(lg_json_writer *w)
{
    end(w, ']');
}

void lg_jw_key(lg_json_writer *w, const char *key)
{
    lg_jw_key_str(w, lg_str_c(key));
}

void lg_jw_key_str(lg_json_writer *w, lg_str key)
{
    LG_DEBUG_ASSERT(w->depth > 0 && (w->objects & 1));
    separate(w);
    lg_json_print_str(w->out, key);
    lg_json_put(w->out, ':');
    w->need_comma = false;
}

void lg_jw_str(lg_json_writer *w, lg_str value)
{
    separate(w);
    lg_json_print_str(w->out, value);
}

void lg_jw_c(lg_json_writer *w, const char *value)
{
    lg_jw_str(w, lg_str_c(value));
}

void lg_jw_int(lg_json_writer *w, int64_t value)
{
    separate(w);
    lg_json_print_int(w->out, value);
}

void lg_jw_uint(lg_json_writer *w, uint64_t value)
{
    separate(w);
    lg_json_print_integer(w->out, value, false);
}

void lg_jw_double(lg_json_writer *w, double value)
{
    separate(w);
    lg_json_print_double(w->out, value);
}

void lg_jw_bool(lg_json_writer *w, bool value)
{
    separate(w);
    lg_buf_add(w->out, value ? LG_STR("true") : LG_STR("false"));
}

void lg_jw_null(lg_json_writer *w)
{
    separate(w);
    lg_buf_add(w->out, LG_STR("null"));
}

void lg_jw_json(lg_json_writer *w, const lg_json *value)
{
    if (!value) {
        lg_jw_null(w);
        return;
    }
    separate(w);
    lg_json_print(w->out, value);
}

void lg_jw_raw(lg_json_writer *w, lg_str json)
{
    separate(w);
    lg_buf_add(w->out, json);
}

void lg_jw_member_str(lg_json_writer *w, const char *key, lg_str value)
{
    lg_jw_key(w, key);
    lg_jw_str(w, value);
}

void lg_jw_member_c(lg_json_writer *w, const char *key, const char *value)
{
    lg_jw_key(w, key);
    lg_jw_c(w, value);
}

void lg_jw_member_int(lg_json_writer *w, const char *key, int64_t value)
{
    lg_jw_key(w, key);
    lg_jw_int(w, value);
}

void lg_jw_member_uint(lg_json_writer *w, const char *key, uint64_t value)
{
    lg_jw_key(w, key);
    lg_jw_uint(w, value);
}

void lg_jw_member_double(lg_json_writer *w, const char *key, double value)
{
    lg_jw_key(w, key);
    lg_jw_double(w, value);
}

void lg_jw_member_bool(lg_json_writer *w, const char *key, bool value)
{
    lg_jw_key(w, key);
    lg_jw_bool(w, value);
}

void lg_jw_member_json(lg_json_writer *w, const char *key, const lg_json *value)
{
    lg_jw_key(w, key);
    lg_jw_json(w, value);
}

void lg_jw_member_raw(lg_json_writer *w, const char *key, lg_str json)
{
    lg_jw_key(w, key);
    lg_jw_raw(w, json);
}

void lg_jw_member_str_if(lg_json_writer *w, const char *key, lg_str value)
{
    if (value.len) {
        lg_jw_member_str(w, key, value);
    }
}

void lg_jw_member_str_or_null(lg_json_writer *w, const char *key, lg_str value)
{
    lg_jw_key(w, key);
    if (value.len) {
        lg_jw_str(w, value);
    } else {
        lg_jw_null(w);
    }
}

void lg_jw_member_double_or_null(lg_json_writer *w, const char *key, bool known, double value)
{
    lg_jw_key(w, key);
    if (known) {
        lg_jw_double(w, value);
    } else {
        lg_jw_null(w);
    }
}
