// calls.c: calls to carry out, from lists, lines and recordings.
#include "cli/calls.h"

#include <stdio.h>

static const lg_json *get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

// --- One call -----------------------------------------------------------------------------------

// Arguments may also come as text, the way models write them.
static bool read_arguments(lg_arena *arena, const lg_json *json, cli_call *call)
{
    static const lg_json none = {.type = LG_JSON_OBJECT};
    const lg_json *args = get(json, "arguments");
    call->args = args ? args : &none;
    if (lg_json_is(args, LG_JSON_STRING)) {
        call->args_text = lg_json_str(args);
        if (lg_json_parse_in(arena, call->args_text, 0, call->args_text.len, NULL, &call->args,
                             NULL) != LG_OK) {
            call->args = NULL;
        }
    }
    return true;
}

bool cli_read_call(lg_arena *arena, const lg_json *json, cli_call *ret, const char **ret_why)
{
    const lg_json *requestor = get(json, "requestor");
    lg_str who = lg_json_str(requestor);
    *ret = (cli_call){.name = lg_json_str(get(json, "name")), .args_text = LG_STR("")};
    if (!lg_json_is(json, LG_JSON_OBJECT)) {
        *ret_why = "a call is an object: {name, arguments, requestor}";
        return false;
    }
    if (!lg_json_is(get(json, "name"), LG_JSON_STRING)) {
        *ret_why = "a call needs `name`, a text";
        return false;
    }
    ret->by_user = lg_str_eq(who, LG_STR("user"));
    if (requestor && !lg_json_is(requestor, LG_JSON_NULL) && !ret->by_user &&
        !lg_str_eq(who, LG_STR("assistant"))) {
        *ret_why = "`requestor` is assistant or user";
        return false;
    }
    return read_arguments(arena, json, ret);
}

// --- Lists and lines ----------------------------------------------------------------------------

// Has it a name, and nothing that a message or a recording has?
static bool looks_like_call(const lg_json *json)
{
    return lg_json_is(json, LG_JSON_OBJECT) && get(json, "name") && !get(json, "role") &&
           !get(json, "calls") && !get(json, "messages");
}

static bool looks_like_calls(const cli_values *file)
{
    bool list = file->count == 1 && lg_json_is(file->items[0], LG_JSON_ARRAY);
    size_t count = list ? lg_json_len(file->items[0]) : file->count;
    if (count == 0) {
        return true; // nothing to do
    }
    return looks_like_call(list ? lg_json_item(file->items[0], 0) : file->items[0]);
}

static bool read_list(cli_calls *calls, int *ret_code)
{
    cli_values *file = &calls->file;
    bool list = file->count == 1 && lg_json_is(file->items[0], LG_JSON_ARRAY);
    size_t count = list ? lg_json_len(file->items[0]) : file->count;
    cli_call *items = LG_NEW_ARRAY(&file->arena, cli_call, count + 1);
    if (!items) {
        return cli_out_of_memory(ret_code);
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json *json = list ? lg_json_item(file->items[0], i) : file->items[i];
        const char *why = NULL;
        if (!cli_read_call(&file->arena, json, &items[i], &why)) {
            lg_error error;
            *ret_code = cli_exit_code(lg_fail_at(
                &error, LG_ERR_FORMAT, cli_values_position(file, json->offset), "%s", why));
            cli_say_error(&error, file->file.text);
            return false;
        }
    }
    calls->items = items;
    calls->count = count;
    return true;
}

// --- Recordings ---------------------------------------------------------------------------------

static const lg_trace *choose(const lg_trace_set *set, const char *task)
{
    const lg_trace *found = NULL;
    for (size_t i = 0; i < set->count; i++) {
        const lg_trace *trace = &set->traces[i];
        if (!task ? set->count == 1
                  : lg_str_eq(trace->task, lg_str_c(task)) ||
                        lg_str_eq(trace->name, lg_str_c(task))) {
            found = found ? found : trace;
        }
    }
    return found;
}

static bool read_trace(cli_calls *calls, const lg_trace *trace, int *ret_code)
{
    cli_call *items = LG_NEW_ARRAY(&calls->file.arena, cli_call, trace->count + 1);
    if (!items) {
        return cli_out_of_memory(ret_code);
    }
    for (size_t i = 0; i < trace->count; i++) {
        const lg_trace_event *event = &trace->events[i];
        if (event->kind == LG_EVENT_CALL) {
            items[calls->count++] = (cli_call){.name = event->tool,
                                               .args = event->args,
                                               .args_text = event->text,
                                               .by_user = event->role == LG_ROLE_USER};
        }
    }
    calls->items = items;
    calls->task = trace->task;
    return true;
}

static void say_left_out(const lg_trace_set *set, const lg_trace *trace)
{
    for (size_t i = 0; i < set->issue_count; i++) {
        const lg_trace_issue *issue = &set->issues[i];
        if (issue->fatal && issue->trace == (uint32_t)(trace - set->traces)) {
            lg_error error;
            lg_position at = lg_text_position(set->text, issue->offset);
            at.file = set->path.ptr; // copied with its NUL
            (void)lg_fail_at(&error, LG_ERR_FORMAT, at, "%.*s (%.*s)", LG_FMT(issue->message),
                             LG_FMT(issue->pointer));
            cli_say_error(&error, LG_STR(""));
        }
    }
    cli_say(
        "ledgergate: %zu part%s of the conversation could not be read, so that nothing is carried "
        "out: a write may be among them",
        trace->left_out, lg_plural(trace->left_out));
}

static bool read_recording(cli_calls *calls, const char *path, const char *task, int *ret_code)
{
    lg_error error;
    lg_trace_options options = {.limits = cli_limits()};
    if (lg_trace_import(calls->file.file.text, path, &options, &calls->set, &error) != LG_OK) {
        cli_say_error(&error, calls->file.file.text);
        *ret_code = cli_exit_code(error.status);
        return false;
    }
    const lg_trace *trace = choose(calls->set, task);
    if (!trace && task) {
        *ret_code = cli_usage("apply", "%s has no conversation of task `%s`", path, task);
        return false;
    }
    if (!trace) {
        *ret_code = cli_usage("apply", "%s holds %zu conversations; choose one with --task", path,
                              calls->set->count);
        return false;
    }
    if (trace->left_out) { // the state after it would not be the state after all of it
        say_left_out(calls->set, trace);
        *ret_code = EXIT_USAGE;
        return false;
    }
    return read_trace(calls, trace, ret_code);
}

// --- The whole ----------------------------------------------------------------------------------

bool cli_calls_open(const char *path, const char *task, cli_calls *ret, int *ret_code)
{
    *ret = (cli_calls){.task = LG_STR("")};
    if (!cli_values_open(path, &ret->file, ret_code)) {
        return false;
    }
    return looks_like_calls(&ret->file) ? read_list(ret, ret_code)
                                        : read_recording(ret, path, task, ret_code);
}

void cli_calls_close(cli_calls *calls)
{
    lg_trace_close(calls->set);
    cli_values_close(&calls->file);
}
