// chat_export.h: a recorded conversation as the request body in which a client of each API would send it.
//
// Calls of the user's own tools are left out, for an agent's client never sees them. Ids are made from the places of the calls.
// Completions and Responses have no flag for a failure: a text of one that does not begin with "Error" is told behind that
// word.
#ifndef LG_CHAT_EXPORT_H
#define LG_CHAT_EXPORT_H

#include <stdio.h>

#include "chat/chat.h"
#include "json/writer.h"

typedef struct chat_exporter {
    const lg_trace *trace;
    lg_chat_api api;
    lg_json_writer w;
} chat_exporter;

static inline void chat_key(chat_exporter *x, const char *key, lg_str text)
{
    lg_jw_key(&x->w, key);
    lg_jw_str(&x->w, text);
}

static inline void chat_export_id(chat_exporter *x, const char *key, size_t call)
{
    char id[32];
    snprintf(id, sizeof(id), "call_%zu", call);
    chat_key(x, key, lg_str_c(id));
}

static inline void chat_export_args(chat_exporter *x, const char *key, const lg_trace_event *call,
                                    bool as_text)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_jw_key(&x->w, key);
    if (call->args) {
        lg_json_print(&text, call->args);
    } else {
        lg_buf_add(&text, call->text);
    }
    if (as_text || !call->args) {
        lg_jw_str(&x->w, lg_buf_str(&text));
    } else {
        lg_jw_json(&x->w, call->args);
    }
    lg_buf_done(&text);
}

static inline void chat_export_text(chat_exporter *x, const char *key, const lg_trace_event *event)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    bool flagged = x->api == LG_CHAT_MESSAGES || event->kind != LG_EVENT_ERROR ||
                   lg_str_starts(event->text, LG_STR("Error")) ||
                   lg_str_starts(event->text, LG_STR("Unknown action "));
    lg_buf_add_c(&text, flagged ? "" : "Error: ");
    lg_buf_add(&text, event->text);
    chat_key(x, key, lg_buf_str(&text));
    lg_buf_done(&text);
}

static inline bool chat_is_seen(const lg_trace_event *event)
{
    return event->kind == LG_EVENT_MESSAGE || event->role != LG_ROLE_USER;
}

// --- Messages of each API ---------------------------------------------------------------------------

static inline void chat_export_plain(chat_exporter *x, const lg_trace_event *event)
{
    static const char *const roles[] = {
        [LG_ROLE_AGENT] = "assistant", [LG_ROLE_USER] = "user", [LG_ROLE_SYSTEM] = "system"};
    lg_jw_begin_object(&x->w);
    chat_key(x, "role", lg_str_c(roles[event->role]));
    chat_key(x, "content", event->text);
    lg_jw_end_object(&x->w);
}

static inline void chat_export_completions_call(chat_exporter *x, size_t index)
{
    const lg_trace_event *call = &x->trace->events[index];
    lg_jw_begin_object(&x->w);
    chat_export_id(x, "id", index);
    chat_key(x, "type", LG_STR("function"));
    lg_jw_key(&x->w, "function");
    lg_jw_begin_object(&x->w);
    chat_key(x, "name", call->tool);
    chat_export_args(x, "arguments", call, true);
    lg_jw_end_object(&x->w);
    lg_jw_end_object(&x->w);
}

// A text and the calls behind it, of one turn. Returns what follows them.
static inline size_t chat_export_completions_agent(chat_exporter *x, size_t from)
{
    const lg_trace_event *first = &x->trace->events[from];
    size_t at = from;
    lg_jw_begin_object(&x->w);
    chat_key(x, "role", LG_STR("assistant"));
    lg_jw_key(&x->w, "content");
    if (first->kind == LG_EVENT_MESSAGE) {
        lg_jw_str(&x->w, first->text);
        at++;
    } else {
        lg_jw_null(&x->w);
    }
    size_t calls = at < x->trace->count && x->trace->events[at].turn == first->turn
                       ? lg_trace_calls_together(x->trace, at)
                       : 0;
    if (calls) {
        lg_jw_key(&x->w, "tool_calls");
        lg_jw_begin_array(&x->w);
        for (size_t i = 0; i < calls; i++) {
            chat_export_completions_call(x, at + i);
        }
        lg_jw_end_array(&x->w);
    }
    lg_jw_end_object(&x->w);
    return at + calls;
}

static inline size_t chat_export_completions(chat_exporter *x, size_t at)
{
    const lg_trace_event *event = &x->trace->events[at];
    if (event->kind == LG_EVENT_CALL ||
        (event->kind == LG_EVENT_MESSAGE && event->role == LG_ROLE_AGENT)) {
        return chat_export_completions_agent(x, at);
    }
    if (event->kind == LG_EVENT_MESSAGE) {
        chat_export_plain(x, event);
        return at + 1;
    }
    lg_jw_begin_object(&x->w);
    chat_key(x, "role", LG_STR("tool"));
    chat_export_id(x, "tool_call_id", event->other);
    chat_export_text(x, "content", event);
    lg_jw_end_object(&x->w);
    return at + 1;
}

static inline size_t chat_export_responses(chat_exporter *x, size_t at)
{
    const lg_trace_event *event = &x->trace->events[at];
    if (event->kind == LG_EVENT_MESSAGE) {
        chat_export_plain(x, event);
        return at + 1;
    }
    lg_jw_begin_object(&x->w);
    if (event->kind == LG_EVENT_CALL) {
        chat_key(x, "type", LG_STR("function_call"));
        chat_export_id(x, "call_id", at);
        chat_key(x, "name", event->tool);
        chat_export_args(x, "arguments", event, true);
    } else {
        chat_key(x, "type", LG_STR("function_call_output"));
        chat_export_id(x, "call_id", event->other);
        chat_export_text(x, "output", event);
    }
    lg_jw_end_object(&x->w);
    return at + 1;
}

static inline void chat_export_block(chat_exporter *x, size_t at)
{
    const lg_trace_event *event = &x->trace->events[at];
    lg_jw_begin_object(&x->w);
    if (event->kind == LG_EVENT_MESSAGE) {
        chat_key(x, "type", LG_STR("text"));
        chat_key(x, "text", event->text);
    } else if (event->kind == LG_EVENT_CALL) {
        chat_key(x, "type", LG_STR("tool_use"));
        chat_export_id(x, "id", at);
        chat_key(x, "name", event->tool);
        chat_export_args(x, "input", event, false);
    } else {
        chat_key(x, "type", LG_STR("tool_result"));
        chat_export_id(x, "tool_use_id", event->other);
        lg_jw_key(&x->w, "is_error");
        lg_jw_bool(&x->w, event->kind == LG_EVENT_ERROR);
        chat_export_text(x, "content", event);
    }
    lg_jw_end_object(&x->w);
}

// The model's events of one turn are one message; so are results that stand together.
static inline size_t chat_export_messages(chat_exporter *x, size_t from)
{
    const lg_trace_event *first = &x->trace->events[from];
    bool is_result = first->kind == LG_EVENT_RESULT || first->kind == LG_EVENT_ERROR;
    bool of_agent = !is_result && first->role == LG_ROLE_AGENT;
    size_t to = from + 1;
    if (!is_result && !of_agent) {
        chat_export_plain(x, first);
        return to;
    }
    lg_jw_begin_object(&x->w);
    chat_key(x, "role", of_agent ? LG_STR("assistant") : LG_STR("user"));
    lg_jw_key(&x->w, "content");
    lg_jw_begin_array(&x->w);
    chat_export_block(x, from);
    for (; to < x->trace->count; to++) {
        const lg_trace_event *next = &x->trace->events[to];
        bool next_result = next->kind == LG_EVENT_RESULT || next->kind == LG_EVENT_ERROR;
        bool same = is_result
                        ? next_result
                        : !next_result && next->role == LG_ROLE_AGENT && next->turn == first->turn;
        if (!same || !chat_is_seen(next)) {
            break;
        }
        chat_export_block(x, to);
    }
    lg_jw_end_array(&x->w);
    lg_jw_end_object(&x->w);
    return to;
}

static inline void chat_export(lg_buf *out, const lg_trace *trace, lg_chat_api api)
{
    static size_t (*const faces[])(chat_exporter *, size_t) = {
        [LG_CHAT_COMPLETIONS] = chat_export_completions,
        [LG_CHAT_RESPONSES] = chat_export_responses,
        [LG_CHAT_MESSAGES] = chat_export_messages,
    };
    chat_exporter x = {.trace = trace, .api = api, .w = {.out = out}};
    lg_jw_begin_object(&x.w);
    chat_key(&x, "model", LG_STR("scripted"));
    lg_jw_key(&x.w, api == LG_CHAT_RESPONSES ? "input" : "messages");
    lg_jw_begin_array(&x.w);
    for (size_t i = 0; i < trace->count;) {
        i = chat_is_seen(&trace->events[i]) ? faces[api](&x, i) : i + 1;
    }
    lg_jw_end_array(&x.w);
    lg_jw_end_object(&x.w);
}

#endif
