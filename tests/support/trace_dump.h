// trace_dump.h: a set of conversations as text, and the laws that every set obeys.
//
//     trace 3/0 task=3 domain=library model= trial=0 reward=1 expected=[...]
//       0 turn=0 @52 user message "..."
//       1 turn=1 @99 agent call renew_loan id=c1 {"loan":7} -> 2
//     issue /0/traj/3: what is wrong
#ifndef LG_TRACE_DUMP_H
#define LG_TRACE_DUMP_H

#include <inttypes.h>

#include "trace/trace.h"

static inline const char *trace_role(lg_role role)
{
    static const char *const names[] = {"agent", "user", "system"};
    return names[role];
}

static inline void trace_dump_event(lg_buf *out, const lg_trace *trace, size_t index)
{
    const lg_trace_event *event = &trace->events[index];
    lg_buf_addf(out, "  %zu turn=%" PRIu32 " @%" PRIu32 " %s %s", index, event->turn, event->offset,
                trace_role(event->role), lg_event_kind_name(event->kind));
    if (event->kind != LG_EVENT_MESSAGE) {
        lg_buf_addf(out, " %.*s id=%.*s", LG_FMT(event->tool), LG_FMT(event->id));
    }
    if (event->args) {
        lg_buf_add_byte(out, ' ');
        lg_json_print(out, event->args);
    }
    if (event->kind != LG_EVENT_CALL || (event->text.len && !event->args)) {
        lg_buf_add_byte(out, ' ');
        lg_json_print_str(out, event->text);
    }
    if (event->other != LG_NO_EVENT) {
        lg_buf_addf(out, event->kind == LG_EVENT_CALL ? " -> %" PRIu32 : " <- %" PRIu32,
                    event->other);
    }
    lg_buf_add_c(out, event->is_delegation ? " delegation" : "");
    lg_buf_add_c(out, event->inserted ? " inserted\n" : "\n");
}

static inline void trace_dump_text(lg_buf *out, const char *name, lg_str text)
{
    if (text.len) {
        lg_buf_addf(out, "  %s ", name);
        lg_json_print_str(out, text);
        lg_buf_add_byte(out, '\n');
    }
}

static inline void trace_dump_value(lg_buf *out, const char *name, const lg_json *value)
{
    if (value) {
        lg_buf_addf(out, "  %s ", name);
        lg_json_print(out, value);
        lg_buf_add_byte(out, '\n');
    }
}

// What makes it self-contained; nothing of what is not there.
static inline void trace_dump_facts(lg_buf *out, const lg_trace *trace)
{
    trace_dump_text(out, "prompt", trace->prompt);
    trace_dump_value(out, "tools", trace->tools);
    trace_dump_text(out, "request", trace->request);
    trace_dump_text(out, "ended", trace->ended);
    trace_dump_value(out, "checks", trace->checks);
    trace_dump_value(out, "initial", trace->initial);
    trace_dump_value(out, "metadata", trace->metadata);
    if (trace->delegated) {
        lg_buf_addf(out, "  delegated %zu\n", trace->delegated);
    }
}

static inline void trace_dump_trace(lg_buf *out, const lg_trace *trace)
{
    lg_buf_addf(out, "trace %.*s task=%.*s domain=%.*s model=%.*s trial=%" PRIu32 " reward=",
                LG_FMT(trace->name), LG_FMT(trace->task), LG_FMT(trace->domain),
                LG_FMT(trace->model), trace->trial);
    if (trace->has_reward) {
        lg_buf_addf(out, "%g", trace->reward);
    } else {
        lg_buf_add_c(out, "none");
    }
    lg_buf_addf(out, " @%" PRIu32 " expected=", trace->offset);
    if (trace->expected) {
        lg_json_print(out, trace->expected);
    } else {
        lg_buf_add_c(out, "unknown");
    }
    lg_buf_add_byte(out, '\n');
    trace_dump_facts(out, trace);
    for (size_t i = 0; i < trace->count; i++) {
        trace_dump_event(out, trace, i);
    }
}

static inline void trace_dump_issues(lg_buf *out, const lg_trace_set *set)
{
    for (size_t i = 0; i < set->issue_count; i++) {
        const lg_trace_issue *issue = &set->issues[i];
        lg_buf_addf(out, "issue %.*s%s: %.*s\n", LG_FMT(issue->pointer),
                    issue->fatal ? " (left out)" : "", LG_FMT(issue->message));
    }
    if (set->issues_dropped) {
        lg_buf_addf(out, "and %zu issues more\n", set->issues_dropped);
    }
}

static inline void trace_dump(lg_buf *out, const lg_trace_set *set)
{
    lg_buf_addf(out, "format %s\n", lg_trace_format_name(set->format));
    for (size_t i = 0; i < set->count; i++) {
        trace_dump_trace(out, &set->traces[i]);
    }
    trace_dump_issues(out, set);
}

// --- Laws ---------------------------------------------------------------------------------------

// The law that event `index` breaks, or NULL.
static inline const char *trace_broken_event(const lg_trace_set *set, const lg_trace *trace,
                                             size_t index)
{
    const lg_trace_event *event = &trace->events[index];
    if (event->offset >= set->text.len) {
        return "an event begins inside the file";
    }
    if (index > 0 && event->turn < event[-1].turn) {
        return "turns never go back";
    }
    if (event->args && (event->kind != LG_EVENT_CALL || !lg_json_is(event->args, LG_JSON_OBJECT))) {
        return "arguments are an object, and of a call";
    }
    if (event->other == LG_NO_EVENT) {
        return NULL;
    }
    if (event->kind == LG_EVENT_MESSAGE || event->other >= trace->count) {
        return "only calls and their results are paired";
    }
    const lg_trace_event *other = &trace->events[event->other];
    if (other->other != index || (other->kind == LG_EVENT_CALL) == (event->kind == LG_EVENT_CALL)) {
        return "a call and its result name each other";
    }
    if ((event->kind == LG_EVENT_CALL) != (index < event->other)) {
        return "a result comes after its call";
    }
    return event->role == other->role ? NULL : "a result is of the requestor of its call";
}

// The law that `set` breaks, or NULL.
static inline const char *trace_broken_law(const lg_trace_set *set)
{
    const char *broken = set->format == LG_TRACE_AUTO ? "a set has a format" : NULL;
    for (size_t i = 0; i < set->count && !broken; i++) {
        const lg_trace *trace = &set->traces[i];
        if (trace->offset >= set->text.len) {
            broken = "a conversation begins inside the file";
        } else if (i < 4 && trace->line != lg_text_position(set->text, trace->offset).line) {
            broken = "a conversation knows its line";
        }
        for (size_t k = 0; k < trace->count && !broken; k++) {
            broken = trace_broken_event(set, trace, k);
        }
    }
    for (size_t i = 0; i < set->issue_count && !broken; i++) {
        const lg_trace_issue *issue = &set->issues[i];
        if (issue->message.len == 0 || issue->offset >= set->text.len ||
            (issue->trace != LG_NO_EVENT && issue->trace >= set->count)) {
            broken = "an issue says what and where";
        }
    }
    return broken;
}

#endif
