// fitting.c: see fitting.h.
#include "session/fitting.h"

#include <stdlib.h>

static int by_bytes(const void *a, const void *b)
{
    const lg_str *x = a;
    const lg_str *y = b;
    return lg_str_cmp(*x, *y);
}

static size_t each_once(lg_str *names, size_t count)
{
    size_t kept = 0;
    if (count > 1) {
        qsort(names, count, sizeof(*names), by_bytes);
    }
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || !lg_str_eq(names[kept - 1], names[i])) {
            names[kept++] = names[i];
        }
    }
    return kept;
}

bool lg_called_tools(lg_arena *arena, const lg_trace *trace, const lg_str **ret_names,
                     size_t *ret_count)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const lg_trace_event *event = &trace->events[i];
        count += event->kind == LG_EVENT_CALL && event->role == LG_ROLE_AGENT;
    }
    lg_str *names = LG_NEW_ARRAY(arena, lg_str, count + 1);
    if (!names) {
        return false;
    }
    count = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const lg_trace_event *event = &trace->events[i];
        if (event->kind == LG_EVENT_CALL && event->role == LG_ROLE_AGENT) {
            names[count++] = event->tool;
        }
    }
    *ret_count = each_once(names, count);
    *ret_names = names;
    return true;
}

// Names of what the agent could call, likewise: {name, ...}, or {function: {name, ...}}.
static bool offered_tools(lg_arena *arena, const lg_json *tools, const lg_str **ret_names,
                          size_t *ret_count)
{
    size_t count = 0;
    lg_str *names = LG_NEW_ARRAY(arena, lg_str, lg_json_len(tools) + 1);
    if (!names) {
        return false;
    }
    for (size_t i = 0; lg_json_is(tools, LG_JSON_ARRAY) && i < lg_json_len(tools); i++) {
        const lg_json *tool = lg_json_item(tools, i);
        const lg_json *function = lg_json_get(tool, LG_STR("function"));
        lg_str name = lg_json_str(lg_json_get(function ? function : tool, LG_STR("name")));
        if (name.len) {
            names[count++] = name;
        }
    }
    *ret_count = each_once(names, count);
    *ret_names = names;
    return true;
}

bool lg_fitting_pack(lg_arena *scratch, const lg_pack *const *packs, size_t count,
                     const lg_trace *trace, const lg_pack **ret_pack)
{
    lg_tool_use use = {.domain = trace->domain};
    if (!lg_called_tools(scratch, trace, &use.called, &use.called_count) ||
        !offered_tools(scratch, trace->tools, &use.offered, &use.offered_count)) {
        return false;
    }
    *ret_pack = lg_pack_choose(packs, count, &use);
    return true;
}
