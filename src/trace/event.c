// event.c: recorded events as a session is told them.
#include "trace/trace_internal.h"

#include <stdio.h>

const char *lg_event_kind_name(lg_event_kind kind)
{
    switch (kind) {
    case LG_EVENT_MESSAGE:
        return "message";
    case LG_EVENT_CALL:
        return "call";
    case LG_EVENT_RESULT:
        return "result";
    case LG_EVENT_ERROR:
        break;
    }
    return "error";
}

// Recorded ids may be empty or repeated; the place of the call is neither.
static lg_str id_of(const lg_trace *trace, size_t index, char room[LG_TRACE_ID_BYTES])
{
    const lg_trace_event *event = &trace->events[index];
    size_t call = event->kind == LG_EVENT_CALL ? index : event->other;
    int len = snprintf(room, LG_TRACE_ID_BYTES, "#%zu", call);
    return (lg_str){room, (size_t)len};
}

lg_event lg_trace_event_at(const lg_trace *trace, size_t index, char id_room[LG_TRACE_ID_BYTES])
{
    const lg_trace_event *recorded = &trace->events[index];
    lg_event event = {.kind = recorded->kind,
                      .role = recorded->role,
                      .has_turn = true,
                      .turn = recorded->turn,
                      .has_time = recorded->has_time,
                      .time = recorded->time,
                      .text = recorded->text};
    if (event.kind == LG_EVENT_MESSAGE) {
        return event;
    }
    event.id = id_of(trace, index, id_room);
    event.tool = recorded->tool;
    if (event.kind == LG_EVENT_CALL) {
        bool readable = recorded->args || recorded->text.len;
        event.json = recorded->args;
        event.args = readable ? recorded->text : LG_STR("null"); // no object, whatever it was
        event.text = LG_STR("");
    }
    return event;
}

size_t lg_trace_calls_together(const lg_trace *trace, size_t index)
{
    const lg_trace_event *first = &trace->events[index];
    size_t count = 0;
    for (; index + count < trace->count; count++) {
        const lg_trace_event *next = first + count;
        if (next->kind != LG_EVENT_CALL || next->role != LG_ROLE_AGENT ||
            next->turn != first->turn) {
            break;
        }
    }
    return count;
}
