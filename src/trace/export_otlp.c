// export_otlp.c: a conversation as a trace of OpenTelemetry, by the semantic conventions for GenAI (1.37 and later).
#include "trace/export_internal.h"

#include "base/keyed_hash.h"
#include "base/sign.h"
#include "base/time.h"

#include <stdio.h>

#define TRACE_ID_BYTES 16u
#define SPAN_ID_BYTES 8u
#define STEP_NANOS UINT64_C(1000000) // between events of which no time is known

typedef struct otlp_export {
    lg_json_writer w;
    const lg_trace *trace;
    const lg_str *ids;
    const uint64_t *times; // of events, each later than the one before
    char trace_id[2 * TRACE_ID_BYTES + 1];
    char root[2 * SPAN_ID_BYTES + 1];
    lg_buf text; // one attribute at a time
} otlp_export;

// --- Ids and times -------------------------------------------------------------------------------

static void make_ids(otlp_export *e, const lg_trace_set *set)
{
    lg_digest digest = {{0}};
    lg_buf_clear(&e->text);
    lg_buf_addf(&e->text, "%u %zu ", e->trace->offset, e->trace->count);
    lg_str parts[] = {export_file(set), e->trace->name, lg_buf_str(&e->text)};
    lg_digest_parts(LG_STR("ledgergate trace"), parts, LG_COUNT(parts), &digest);
    lg_hex(digest.bytes, TRACE_ID_BYTES, e->trace_id);
    for (size_t i = 0; i < e->trace->count; i++) {
        const lg_trace_event *event = &e->trace->events[i];
        lg_str more[] = {lg_str_c(e->trace_id), event->tool, event->text};
        lg_digest_parts(LG_STR("ledgergate event"), more, LG_COUNT(more), &digest);
        lg_hex(digest.bytes, TRACE_ID_BYTES, e->trace_id);
    }
    lg_hex(digest.bytes + TRACE_ID_BYTES, SPAN_ID_BYTES, e->root);
}

static void span_id(const otlp_export *e, const char *kind, size_t index, char *ret)
{
    char number[32];
    lg_digest digest;
    lg_str digits = {number, (size_t)snprintf(number, sizeof(number), "%zu", index)};
    lg_str parts[] = {lg_str_c(e->trace_id), digits};
    lg_digest_parts(lg_str_c(kind), parts, LG_COUNT(parts), &digest);
    lg_hex(digest.bytes, SPAN_ID_BYTES, ret);
}

static const uint64_t *make_times(lg_buf *out, lg_arena *arena, const lg_trace *trace)
{
    uint64_t *times = LG_NEW_ARRAY(arena, uint64_t, trace->count + 1);
    uint64_t now = 0;
    if (!times) {
        export_fail(out, LG_ERR_OOM);
        return NULL;
    }
    for (size_t i = 0; i < trace->count; i++) {
        const lg_trace_event *event = &trace->events[i];
        uint64_t told = event->has_time && event->time.seconds >= 0 &&
                                event->time.seconds < INT64_MAX / (int64_t)(2 * LG_TIME_NANOS)
                            ? (uint64_t)event->time.seconds * LG_TIME_NANOS + event->time.nanos
                            : 0;
        now = told > now ? told : now + (told ? 1 : STEP_NANOS);
        times[i] = now;
    }
    times[trace->count] = now + 1;
    return times;
}

// --- Spans ---------------------------------------------------------------------------------------

static void add_text(otlp_export *e, const char *key, lg_str text)
{
    lg_jw_begin_object(&e->w);
    lg_jw_member_c(&e->w, "key", key);
    lg_jw_key(&e->w, "value");
    lg_jw_begin_object(&e->w);
    lg_jw_member_str(&e->w, "stringValue", text);
    lg_jw_end_object(&e->w);
    lg_jw_end_object(&e->w);
}

// What was written to e->text, which is JSON.
static void add_written(otlp_export *e, const char *key)
{
    if (lg_buf_status(&e->text) != LG_OK) {
        export_fail(e->w.out, e->text.status);
    }
    add_text(e, key, lg_buf_str(&e->text));
}

static void member_nanos(otlp_export *e, const char *key, uint64_t nanos)
{
    char digits[32];
    snprintf(digits, sizeof(digits), "%llu", (unsigned long long)nanos);
    lg_jw_member_c(&e->w, key, digits);
}

// Begins a span and its attributes; `kind` 1 is internal, 3 a client's.
static void begin_span(otlp_export *e, const char *id, const char *verb, lg_str of, int kind,
                       uint64_t start, uint64_t end)
{
    lg_json_writer *w = &e->w;
    lg_buf_clear(&e->text);
    lg_buf_add_c(&e->text, verb);
    lg_buf_add_c(&e->text, of.len ? " " : "");
    lg_buf_add(&e->text, of);
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "traceId", e->trace_id);
    lg_jw_member_c(w, "spanId", id);
    if (id != e->root) {
        lg_jw_member_c(w, "parentSpanId", e->root);
    }
    lg_jw_member_str(w, "name", lg_buf_str(&e->text));
    lg_jw_member_int(w, "kind", kind);
    member_nanos(e, "startTimeUnixNano", start);
    member_nanos(e, "endTimeUnixNano", end);
    lg_jw_key(w, "attributes");
    lg_jw_begin_array(w);
    add_text(e, "gen_ai.operation.name", lg_str_c(verb));
}

static void end_span(otlp_export *e, lg_str error, bool failed)
{
    lg_jw_end_array(&e->w);
    lg_jw_key(&e->w, "status");
    lg_jw_begin_object(&e->w);
    lg_jw_member_int(&e->w, "code", failed ? 2 : 0);
    if (failed) {
        lg_jw_member_str(&e->w, "message", lg_str_cut(error, 200));
    }
    lg_jw_end_object(&e->w);
    lg_jw_end_object(&e->w);
}

// --- Messages ------------------------------------------------------------------------------------

static void write_part(lg_json_writer *w, const otlp_export *e, size_t index)
{
    const lg_trace_event *event = &e->trace->events[index];
    lg_jw_begin_object(w);
    if (event->kind == LG_EVENT_MESSAGE) {
        lg_jw_member_c(w, "type", "text");
        lg_jw_member_str(w, "content", event->text);
    } else if (event->kind == LG_EVENT_CALL) {
        lg_jw_member_c(w, "type", "tool_call");
        lg_jw_member_str(w, "id", e->ids[index]);
        lg_jw_member_str(w, "name", event->tool);
        if (event->args) {
            lg_jw_member_json(w, "arguments", event->args);
        } else if (event->text.len) {
            lg_jw_member_str(w, "arguments", event->text);
        }
    } else {
        lg_jw_member_c(w, "type", "tool_call_response");
        lg_jw_member_str(w, "id", e->ids[index]);
        if (event->tool.len) {
            lg_jw_member_str(w, "name", event->tool);
        }
        lg_jw_member_str(w, "response", event->text);
        lg_jw_member_bool(w, "is_error", event->kind == LG_EVENT_ERROR);
    }
    lg_jw_end_object(w);
}

// A message is a text or calls, with the calls of its turn behind it.
static size_t write_message(lg_json_writer *w, const otlp_export *e, size_t from, size_t to)
{
    static const char *const roles[] = {"assistant", "user", "system"};
    const lg_trace_event *events = e->trace->events;
    bool result = export_is_result(&events[from]);
    size_t i = from + 1;
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "role", result ? "tool" : roles[events[from].role]);
    lg_jw_key(w, "parts");
    lg_jw_begin_array(w);
    write_part(w, e, from);
    while (!result && i < to && events[i].kind == LG_EVENT_CALL &&
           events[i].role == events[from].role && events[i].turn == events[from].turn) {
        write_part(w, e, i++);
    }
    lg_jw_end_array(w);
    lg_jw_end_object(w);
    return i;
}

static void add_messages(otlp_export *e, const char *key, size_t from, size_t to)
{
    lg_buf_clear(&e->text);
    lg_json_writer w = {.out = &e->text};
    lg_jw_begin_array(&w);
    while (from < to) {
        from = write_message(&w, e, from, to);
    }
    lg_jw_end_array(&w);
    add_written(e, key);
}

// --- What happened -------------------------------------------------------------------------------

static bool is_of_agent(const lg_trace_event *event)
{
    return event->role == LG_ROLE_AGENT && !export_is_result(event);
}

// All that the agent said and called in one turn.
static size_t end_of_reply(const lg_trace *trace, size_t from)
{
    size_t end = from + 1;
    while (end < trace->count && is_of_agent(&trace->events[end]) &&
           trace->events[end].turn == trace->events[from].turn) {
        end++;
    }
    return end;
}

static void write_chat(otlp_export *e, size_t from, size_t reply, size_t end)
{
    char id[2 * SPAN_ID_BYTES + 1];
    span_id(e, "chat", from, id);
    uint64_t start = e->times[reply];
    begin_span(e, id, "chat", e->trace->model, 3, start, end > reply ? e->times[end - 1] : start);
    if (e->trace->model.len) {
        add_text(e, "gen_ai.request.model", e->trace->model);
    }
    add_messages(e, "gen_ai.input.messages", from, reply);
    add_messages(e, "gen_ai.output.messages", reply, end);
    end_span(e, LG_STR(""), false);
}

// Did the tool run before anybody said something? Then its span is where the result was recorded.
static bool ran_at_once(const lg_trace *trace, size_t call)
{
    size_t result = trace->events[call].other;
    if (result == LG_NO_EVENT || trace->events[call].role != LG_ROLE_AGENT) {
        return false;
    }
    for (size_t i = call + 1; i < result; i++) {
        bool same = trace->events[i].kind == LG_EVENT_CALL &&
                    trace->events[i].role == LG_ROLE_AGENT &&
                    trace->events[i].turn == trace->events[call].turn;
        if (!same &&
            (!export_is_result(&trace->events[i]) || trace->events[i].other == LG_NO_EVENT ||
             trace->events[trace->events[i].other].role != LG_ROLE_AGENT)) {
            return false;
        }
    }
    return true;
}

static void write_tool(otlp_export *e, size_t call)
{
    char id[2 * SPAN_ID_BYTES + 1];
    const lg_trace_event *event = &e->trace->events[call];
    const lg_trace_event *result = &e->trace->events[event->other];
    bool failed = result->kind == LG_EVENT_ERROR;
    span_id(e, "tool", call, id);
    begin_span(e, id, "execute_tool", event->tool, 1, e->times[call], e->times[event->other]);
    add_text(e, "gen_ai.tool.name", event->tool);
    add_text(e, "gen_ai.tool.call.id", e->ids[call]);
    lg_buf_clear(&e->text);
    if (event->args) {
        lg_json_print(&e->text, event->args);
        add_written(e, "gen_ai.tool.call.arguments");
    }
    add_text(e, "gen_ai.tool.call.result", result->text);
    if (failed) {
        add_text(e, "error.type", LG_STR("tool_error"));
    }
    end_span(e, result->text, failed);
}

static void write_root(otlp_export *e)
{
    begin_span(e, e->root, "invoke_agent", e->trace->domain, 1, e->trace->count ? e->times[0] : 0,
               e->times[e->trace->count]);
    add_text(e, "gen_ai.conversation.id", lg_str_c(e->trace_id));
    if (e->trace->domain.len) {
        add_text(e, "gen_ai.agent.name", e->trace->domain);
    }
    lg_buf_clear(&e->text);
    lg_json_writer w = {.out = &e->text};
    lg_jw_begin_object(&w);
    export_about(&w, e->trace, true);
    lg_jw_end_object(&w);
    add_written(e, "ledgergate.recording");
    end_span(e, LG_STR(""), false);
}

static void write_spans(otlp_export *e)
{
    const lg_trace *trace = e->trace;
    size_t from = 0;
    write_root(e);
    for (size_t i = 0; i < trace->count && e->w.out->status == LG_OK; i++) {
        if (is_of_agent(&trace->events[i])) {
            size_t end = end_of_reply(trace, i);
            write_chat(e, from, i, end);
            for (; i < end; i++) {
                if (trace->events[i].kind == LG_EVENT_CALL && ran_at_once(trace, i)) {
                    write_tool(e, i);
                }
            }
            from = end;
            i = end - 1;
        }
    }
    if (from < trace->count) { // nobody answered
        write_chat(e, from, trace->count, trace->count);
    }
}

static void write_request(otlp_export *e)
{
    lg_json_writer *w = &e->w;
    lg_jw_begin_object(w);
    lg_jw_key(w, "resourceSpans");
    lg_jw_begin_array(w);
    lg_jw_begin_object(w);
    lg_jw_key(w, "resource");
    lg_jw_begin_object(w);
    lg_jw_key(w, "attributes");
    lg_jw_begin_array(w);
    add_text(e, "service.name", e->trace->domain.len ? e->trace->domain : LG_STR("agent"));
    lg_jw_end_array(w);
    lg_jw_end_object(w);
    lg_jw_key(w, "scopeSpans");
    lg_jw_begin_array(w);
    lg_jw_begin_object(w);
    lg_jw_key(w, "scope");
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "name", "ledgergate");
    lg_jw_end_object(w);
    lg_jw_key(w, "spans");
    lg_jw_begin_array(w);
    write_spans(e);
    lg_jw_end_array(w);
    lg_jw_end_object(w);
    lg_jw_end_array(w);
    lg_jw_end_object(w);
    lg_jw_end_array(w);
    lg_jw_end_object(w);
}

void export_otlp(lg_buf *out, const lg_trace_set *set, const lg_trace *trace)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    otlp_export e = {.w = {.out = out},
                     .trace = trace,
                     .ids = export_ids(out, &arena, trace),
                     .times = make_times(out, &arena, trace)};
    lg_buf_init(&e.text, 0);
    if (e.ids && e.times) {
        make_ids(&e, set);
        write_request(&e);
    }
    lg_buf_done(&e.text);
    lg_arena_done(&arena);
}
