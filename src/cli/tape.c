// tape.c: recorded calls of any form as one array of them.
//
// A tape is a line a call, {"name", "arguments", "result", "error"}, or a list of such; anything else is taken for a recorded
// conversation of the formats that `replay` reads.
#include "cli/tape.h"

#include <stdlib.h>

static bool is_call(const lg_json *value)
{
    return lg_json_is(lg_json_get(value, LG_STR("name")), LG_JSON_STRING) &&
           (lg_json_get(value, LG_STR("result")) || lg_json_get(value, LG_STR("error"))) &&
           lg_json_get(value, LG_STR("arguments"));
}

static bool are_calls(const lg_json *const *items, size_t count)
{
    bool are = count > 0;
    for (size_t i = 0; i < count && are; i++) {
        are = is_call(items[i]);
    }
    return are;
}

static bool list_is_of_calls(const lg_json *list)
{
    bool are = lg_json_is(list, LG_JSON_ARRAY) && lg_json_len(list) > 0;
    for (size_t i = 0; i < lg_json_len(list) && are; i++) {
        are = is_call(lg_json_item(list, i));
    }
    return are;
}

// --- Lines ----------------------------------------------------------------------------------------

// `error` is a flag for the simulator; a tape may tell the words of the error there.
static bool add_line(lg_arena *arena, const lg_json *line, lg_json *ret)
{
    const lg_json *error = lg_json_get(line, LG_STR("error"));
    const lg_json *result = lg_json_get(line, LG_STR("result"));
    bool failed = error && !lg_json_is(error, LG_JSON_NULL) &&
                  (!lg_json_is(error, LG_JSON_BOOL) || lg_json_is_true(error));
    bool words =
        failed && !lg_json_is(error, LG_JSON_BOOL) && (!result || lg_json_is(result, LG_JSON_NULL));
    const lg_json *status = lg_json_get(line, LG_STR("status")); // of HTTP
    lg_json_member *members = lg_json_alloc_members(arena, 5);
    if (!members) {
        return false;
    }
    members[0] = lg_json_make_member(LG_STR("name"), *lg_json_get(line, LG_STR("name")));
    members[1] = lg_json_make_member(LG_STR("arguments"), *lg_json_get(line, LG_STR("arguments")));
    members[2] = lg_json_make_member(LG_STR("result"), words    ? *error
                                                       : result ? *result
                                                                : lg_json_make_null());
    members[3] = lg_json_make_member(LG_STR("error"), lg_json_make_bool(failed));
    members[4] = lg_json_make_member(LG_STR("status"), status ? *status : lg_json_make_null());
    *ret = lg_json_make_object(members, 5);
    return true;
}

static const lg_json *array_of(lg_arena *arena, const lg_json *items, size_t count)
{
    lg_json *array = LG_NEW(arena, lg_json);
    if (array) {
        *array = lg_json_make_array(items, count);
    }
    return array;
}

static const lg_json *read_lines(lg_arena *arena, const cli_values *file)
{
    bool list = file->count == 1 && list_is_of_calls(file->items[0]);
    size_t count = list ? lg_json_len(file->items[0]) : file->count;
    lg_json *items = LG_NEW_ARRAY(arena, lg_json, count + 1);
    for (size_t i = 0; items && i < count; i++) {
        const lg_json *line = list ? lg_json_item(file->items[0], i) : file->items[i];
        if (!add_line(arena, line, &items[i])) {
            return NULL;
        }
    }
    return items ? array_of(arena, items, count) : NULL;
}

// --- Conversations --------------------------------------------------------------------------------

static bool add_event(lg_arena *arena, const lg_trace *trace, const lg_trace_event *call,
                      lg_json *ret)
{
    const lg_trace_event *answer = &trace->events[call->other];
    lg_json_member *members = lg_json_alloc_members(arena, 4);
    if (!members) {
        return false;
    }
    members[0] = lg_json_make_member(LG_STR("name"), lg_json_make_str(call->tool));
    members[1] = lg_json_make_member(LG_STR("arguments"), *call->args);
    members[2] = lg_json_make_member(LG_STR("result"), lg_json_make_str(answer->text));
    members[3] =
        lg_json_make_member(LG_STR("error"), lg_json_make_bool(answer->kind == LG_EVENT_ERROR));
    *ret = lg_json_make_object(members, 4);
    return true;
}

static bool is_answered(const lg_trace_event *e)
{
    return e->kind == LG_EVENT_CALL && e->args && e->other != LG_NO_EVENT;
}

static const lg_json *read_conversations(lg_arena *arena, const lg_trace_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        count += set->traces[i].count;
    }
    lg_json *items = LG_NEW_ARRAY(arena, lg_json, count + 1);
    size_t added = 0;
    for (size_t i = 0; items && i < set->count; i++) {
        const lg_trace *trace = &set->traces[i];
        for (size_t j = 0; j < trace->count; j++) {
            if (is_answered(&trace->events[j]) &&
                !add_event(arena, trace, &trace->events[j], &items[added++])) {
                return NULL;
            }
        }
    }
    return items ? array_of(arena, items, added) : NULL;
}

// Every line but the last is a call, and that has no end: what a crash left, of which nobody heard.
static bool ends_within_a_line(const cli_values *values)
{
    lg_str text = values->file.text;
    size_t lines = 0;
    size_t end = 0;
    for (size_t at = 0; at < text.len; at = end + 1) {
        end = lg_str_line_end(text, at);
        lines += end < text.len && lg_str_trim(lg_str_slice(text, at, end)).len;
    }
    return lines && lines == values->count && are_calls(values->items, values->count);
}

// --- Which ------------------------------------------------------------------------------------------

int cli_tape_open(const char *verb, const char *path, lg_arena *arena, cli_tape *ret,
                  const lg_json **ret_calls)
{
    int code = EXIT_FINE;
    lg_error err = {0};
    const lg_trace_options options = {.limits = cli_limits()};
    const cli_values *values = &ret->values;
    *ret = (cli_tape){0};
    bool read = cli_values_read(path, &ret->values, &err) == LG_OK;
    if (!read && ends_within_a_line(values)) {
        cli_say("%s: the last line is broken, and left out", path);
        read = true;
    }
    if (read && (are_calls(values->items, values->count) ||
                 (values->count == 1 && list_is_of_calls(values->items[0])))) {
        *ret_calls = read_lines(arena, values);
    } else if (lg_trace_open(path, &options, &ret->set, &err) == LG_OK) {
        *ret_calls = read_conversations(arena, ret->set);
    } else {
        cli_say_error(&err, values->file.text);
        return cli_exit_code(err.status);
    }
    if (!*ret_calls) {
        (void)cli_out_of_memory(&code);
        return code;
    }
    return lg_json_len(*ret_calls) ? EXIT_FINE
                                   : cli_usage(verb, "%s holds no call with its result", path);
}

void cli_tape_close(cli_tape *tape)
{
    lg_trace_close(tape->set);
    cli_values_close(&tape->values);
}

// --- Tools ------------------------------------------------------------------------------------------

static int by_text(const void *a, const void *b)
{
    return lg_str_cmp(*(const lg_str *)a, *(const lg_str *)b);
}

lg_status cli_tape_tools(lg_arena *arena, const lg_json *calls, const lg_catalogue **ret,
                         lg_error *reterr)
{
    size_t count = lg_json_len(calls);
    lg_str *names = LG_NEW_ARRAY(arena, lg_str, count + 1);
    lg_buf text;
    if (!names) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = lg_json_str(lg_json_get(lg_json_item(calls, i), LG_STR("name")));
    }
    qsort(names, count, sizeof(*names), by_text);
    lg_buf_init(&text, 0);
    lg_json_writer w = {.out = &text};
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < count; i++) {
        if (i && lg_str_eq(names[i], names[i - 1])) {
            continue;
        }
        lg_jw_begin_object(&w);
        lg_jw_member_str(&w, "name", names[i]);
        lg_jw_member_c(&w, "description", "as recorded");
        lg_jw_member_raw(&w, "parameters", LG_STR("{\"type\":\"object\"}"));
        lg_jw_end_object(&w);
    }
    lg_jw_end_array(&w);
    lg_str copy = lg_arena_str(arena, lg_buf_str(&text));
    lg_status status = lg_buf_status(&text);
    lg_buf_done(&text);
    if (status != LG_OK || !copy.ptr) {
        return lg_fail_oom(reterr);
    }
    const lg_catalogue_options options = {.limits = cli_limits()};
    return lg_catalogue_read(arena, copy, &options, ret, reterr);
}
