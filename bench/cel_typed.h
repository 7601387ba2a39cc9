// cel_typed.h: CEL values as JSON with their types, for the benchmarks that run beside other
// implementations.
//
// One object with one key a value: {"int": "-42"}, {"double": "1.5"}, {"list": [...]}, {"map":
// [[key, value], ...]}, {"timestamp": {"seconds": "0", "nanos": 0}}. Beside these, {"json": value} is
// a value that CEL sees as JSON: its numbers are doubles.
#ifndef LG_BENCH_CEL_TYPED_H
#define LG_BENCH_CEL_TYPED_H

#include "cel/cel.h"
#include "json/writer.h"

#include <stdio.h>
#include <stdlib.h>

static inline lg_cel_value typed_read(lg_arena *arena, const lg_json *typed);

static inline lg_cel_value typed_read_list(lg_arena *arena, const lg_json *items)
{
    size_t count = lg_json_len(items);
    lg_cel_value *values = LG_NEW_ARRAY(arena, lg_cel_value, count + 1);
    for (size_t i = 0; values && i < count; i++) {
        values[i] = typed_read(arena, lg_json_item(items, i));
    }
    return lg_cel_make_list(arena, values, values ? count : 0);
}

static inline lg_cel_value typed_read_map(lg_arena *arena, const lg_json *pairs)
{
    size_t count = lg_json_len(pairs);
    lg_cel_value *values = LG_NEW_ARRAY(arena, lg_cel_value, count * 2 + 1);
    for (size_t i = 0; values && i < count * 2; i++) {
        values[i] = typed_read(arena, lg_json_item(lg_json_item(pairs, i / 2), i % 2));
    }
    return lg_cel_make_map(arena, values, values ? count : 0);
}

static inline lg_cel_value typed_read_time(const lg_json *time, bool timestamp)
{
    char seconds[32];
    int64_t nanos = 0;
    snprintf(seconds, sizeof(seconds), "%.*s",
             LG_FMT(lg_json_str(lg_json_get(time, LG_STR("seconds")))));
    const lg_json *given = lg_json_get(time, LG_STR("nanos"));
    (void)(given && lg_json_int(given, &nanos));
    int64_t whole = strtoll(seconds, NULL, 10) - (nanos < 0);
    uint32_t part = (uint32_t)(nanos < 0 ? nanos + 1000000000 : nanos);
    return timestamp ? lg_cel_make_timestamp(whole, part) : lg_cel_make_duration(whole, part);
}

// An error value for what is not one of the forms above.
static inline lg_cel_value typed_read(lg_arena *arena, const lg_json *typed)
{
    if (lg_json_len(typed) != 1 || !lg_json_is(typed, LG_JSON_OBJECT)) {
        return (lg_cel_value){.kind = LG_CEL_ERROR};
    }
    lg_str kind = lg_json_key(lg_json_member_at(typed, 0));
    const lg_json *given = &lg_json_member_at(typed, 0)->value;
    char text[64];
    snprintf(text, sizeof(text), "%.*s", LG_FMT(lg_str_slice(lg_json_str(given), 0, 60)));
    if (lg_str_eq(kind, LG_STR("json"))) {
        return lg_cel_from_json(given);
    }
    if (lg_str_eq(kind, LG_STR("null"))) {
        return lg_cel_make_null();
    }
    if (lg_str_eq(kind, LG_STR("bool"))) {
        return lg_cel_make_bool(lg_json_is_true(given));
    }
    if (lg_str_eq(kind, LG_STR("int"))) {
        return lg_cel_make_int(strtoll(text, NULL, 10));
    }
    if (lg_str_eq(kind, LG_STR("uint"))) {
        return lg_cel_make_uint(strtoull(text, NULL, 10));
    }
    if (lg_str_eq(kind, LG_STR("double"))) {
        return lg_cel_make_double(strtod(text, NULL));
    }
    if (lg_str_eq(kind, LG_STR("string"))) {
        return lg_cel_make_str(lg_json_str(given));
    }
    if (lg_str_eq(kind, LG_STR("list"))) {
        return typed_read_list(arena, given);
    }
    if (lg_str_eq(kind, LG_STR("map"))) {
        return typed_read_map(arena, given);
    }
    if (lg_str_eq(kind, LG_STR("timestamp")) || lg_str_eq(kind, LG_STR("duration"))) {
        return typed_read_time(given, lg_str_eq(kind, LG_STR("timestamp")));
    }
    return (lg_cel_value){.kind = LG_CEL_ERROR};
}

static inline void typed_write(lg_json_writer *w, lg_cel_value value);

static inline void typed_write_items(lg_json_writer *w, lg_cel_value value)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < lg_cel_len(value); i++) {
        if (value.kind == LG_CEL_LIST) {
            typed_write(w, lg_cel_item(value, i));
            continue;
        }
        lg_cel_value pair[2];
        lg_cel_entry(value, i, &pair[0], &pair[1]);
        lg_jw_begin_array(w);
        typed_write(w, pair[0]);
        typed_write(w, pair[1]);
        lg_jw_end_array(w);
    }
    lg_jw_end_array(w);
}

static inline void typed_write_time(lg_json_writer *w, lg_cel_value value)
{
    char seconds[32];
    snprintf(seconds, sizeof(seconds), "%lld", (long long)value.as.i64);
    lg_jw_begin_object(w);
    lg_jw_key(w, "seconds");
    lg_jw_c(w, seconds);
    lg_jw_key(w, "nanos");
    lg_jw_uint(w, value.aux);
    lg_jw_end_object(w);
}

// One key; what JSON held is written as JSON again. Anything without a form above: {"error": text}.
static inline void typed_write(lg_json_writer *w, lg_cel_value value)
{
    char text[64];
    lg_jw_begin_object(w);
    if ((value.kind == LG_CEL_LIST || value.kind == LG_CEL_MAP) && value.boxed) {
        lg_jw_key(w, "json");
        lg_jw_json(w, value.as.json);
    } else if (value.kind == LG_CEL_LIST || value.kind == LG_CEL_MAP) {
        lg_jw_key(w, value.kind == LG_CEL_LIST ? "list" : "map");
        typed_write_items(w, value);
    } else if (value.kind == LG_CEL_TIMESTAMP || value.kind == LG_CEL_DURATION) {
        lg_jw_key(w, value.kind == LG_CEL_TIMESTAMP ? "timestamp" : "duration");
        typed_write_time(w, value);
    } else if (value.kind == LG_CEL_BOOL) {
        lg_jw_key(w, "bool");
        lg_jw_bool(w, value.as.boolean);
    } else if (value.kind == LG_CEL_NULL) {
        lg_jw_key(w, "null");
        lg_jw_null(w);
    } else if (value.kind == LG_CEL_STRING) {
        lg_jw_key(w, "string");
        lg_jw_str(w, lg_cel_str(value));
    } else if (value.kind == LG_CEL_INT) {
        snprintf(text, sizeof(text), "%lld", (long long)value.as.i64);
        lg_jw_key(w, "int");
        lg_jw_c(w, text);
    } else if (value.kind == LG_CEL_UINT) {
        snprintf(text, sizeof(text), "%llu", (unsigned long long)value.as.u64);
        lg_jw_key(w, "uint");
        lg_jw_c(w, text);
    } else if (value.kind == LG_CEL_DOUBLE) {
        snprintf(text, sizeof(text), "%.17g", value.as.f64);
        lg_jw_key(w, "double");
        lg_jw_c(w, text);
    } else {
        lg_jw_key(w, "error");
        lg_jw_c(w, value.kind == LG_CEL_ERROR ? value.as.failure->what : "no form for this value");
    }
    lg_jw_end_object(w);
}

#endif
