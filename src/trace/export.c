// export.c: what the exporters share, OpenAI's messages, and the artefact.
#include "trace/export_internal.h"

#include "base/map.h"
#include "base/time.h"
#include "trace/trace_internal.h"

bool lg_export_format_parse(lg_str name, lg_export_format *ret)
{
    static const char *const names[] = {"openai", "otlp", "artifact"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        if (lg_str_eq(name, lg_str_c(names[i]))) {
            *ret = (lg_export_format)i;
            return true;
        }
    }
    return false;
}

void export_fail(lg_buf *out, lg_status status)
{
    if (out->status == LG_OK) {
        out->status = status;
    }
}

lg_str export_file(const lg_trace_set *set)
{
    size_t from = set->path.len;
    while (from > 0 && set->path.ptr[from - 1] != '/') {
        from--;
    }
    return lg_str_slice(set->path, from, set->path.len);
}

// --- Ids -----------------------------------------------------------------------------------------

// The recorded id, or one like it that no call before has.
static bool take_id(lg_arena *arena, lg_map *taken, lg_str recorded, size_t index, lg_str *ret)
{
    lg_str id = recorded.len ? recorded : lg_arena_printf(arena, "call_%zu", index);
    for (size_t round = 0; id.ptr && lg_map_get(taken, id); round++) {
        id = lg_arena_printf(arena, "%.*s_%zu", LG_FMT(recorded), index + round);
    }
    *ret = id;
    return id.ptr && lg_map_put(arena, taken, id, ret, 1);
}

const lg_str *export_ids(lg_buf *out, lg_arena *arena, const lg_trace *trace)
{
    lg_map taken = {0};
    lg_str *ids = LG_NEW_ARRAY(arena, lg_str, trace->count + 1);
    bool fine = ids != NULL;
    for (size_t i = 0; i < trace->count && fine; i++) {
        const lg_trace_event *event = &trace->events[i];
        if (event->kind == LG_EVENT_CALL) {
            fine = take_id(arena, &taken, event->id, i, &ids[i]);
        }
    }
    for (size_t i = 0; i < trace->count && fine; i++) {
        const lg_trace_event *event = &trace->events[i];
        if (export_is_result(event) && event->other != LG_NO_EVENT) {
            ids[i] = ids[event->other];
        } else if (export_is_result(event)) {
            fine = take_id(arena, &taken, event->id, i, &ids[i]); // of no call
        }
    }
    if (!fine) {
        export_fail(out, LG_ERR_OOM);
        return NULL;
    }
    return ids;
}

// --- What it is ----------------------------------------------------------------------------------

static void add_json(lg_json_writer *w, const char *key, const lg_json *value)
{
    if (value) {
        lg_jw_member_json(w, key, value);
    }
}

void export_about(lg_json_writer *w, const lg_trace *trace, bool all)
{
    lg_jw_member_str_if(w, "name", trace->name);
    lg_jw_member_str_if(w, "task", trace->task);
    lg_jw_member_str_if(w, "domain", trace->domain);
    lg_jw_member_str_if(w, "model", trace->model);
    lg_jw_member_uint(w, "trial", trace->trial);
    if (trace->has_reward) {
        lg_jw_member_double(w, "reward", trace->reward);
    }
    lg_jw_member_str_if(w, "prompt", trace->prompt);
    if (all) {
        add_json(w, "tools", trace->tools);
    }
    lg_jw_member_str_if(w, "request", trace->request);
    lg_jw_member_str_if(w, "ended", trace->ended);
    add_json(w, "checks", trace->checks);
    add_json(w, "initial", trace->initial);
    add_json(w, "expected", trace->expected);
    add_json(w, "metadata", trace->metadata);
    if (trace->delegated) {
        lg_jw_member_uint(w, "delegated", trace->delegated);
    }
    if (trace->left_out) {
        lg_jw_member_uint(w, "left_out", trace->left_out);
    }
}

static void write_time(lg_json_writer *w, const char *key, const lg_trace_event *event)
{
    char time[LG_TIME_TEXT_MAX];
    if (event->has_time) {
        lg_jw_member_str(w, key, (lg_str){time, lg_time_print(time, event->time)});
    }
}

// --- The artefact --------------------------------------------------------------------------------

static const char *role_name(lg_role role)
{
    return role == LG_ROLE_AGENT ? "agent" : role == LG_ROLE_USER ? "user" : "system";
}

static void write_event(lg_json_writer *w, const lg_trace_event *event)
{
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "kind", lg_event_kind_name(event->kind));
    lg_jw_member_c(w, "role", role_name(event->role));
    lg_jw_member_uint(w, "turn", event->turn);
    write_time(w, "time", event);
    lg_jw_member_str_if(w, "id", event->id);
    if (event->kind != LG_EVENT_MESSAGE) {
        lg_jw_member_str_if(w, "tool", event->tool);
    }
    if (event->kind == LG_EVENT_CALL && event->args) {
        lg_jw_member_json(w, "value", event->args);
    } else if (event->kind == LG_EVENT_CALL) {
        lg_jw_member_str_if(w, "args", event->text);
    } else {
        lg_jw_member_str(w, "text", event->text);
    }
    if (export_is_result(event) && event->other != LG_NO_EVENT) {
        lg_jw_member_uint(w, "of", event->other);
    }
    if (event->inserted) {
        lg_jw_member_bool(w, "inserted", true);
    }
    lg_jw_end_object(w);
}

static void export_artifact(lg_buf *out, const lg_trace_set *set, const lg_trace *trace)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "ledgergate_artifact", 1);
    lg_jw_key(&w, "source");
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "file", export_file(set));
    lg_jw_member_c(&w, "format", lg_trace_format_name(set->format));
    lg_jw_end_object(&w);
    export_about(&w, trace, true);
    lg_jw_key(&w, "events");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < trace->count; i++) {
        write_event(&w, &trace->events[i]);
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
}

// --- Messages of OpenAI --------------------------------------------------------------------------

typedef struct chat_export {
    lg_json_writer w;
    const lg_trace *trace;
    const lg_str *ids;
    bool user_calls; // then each result says whose call it answers
    lg_buf text;     // one printed value at a time
} chat_export;

static const char *chat_role(lg_role role)
{
    return role == LG_ROLE_AGENT ? "assistant" : role == LG_ROLE_USER ? "user" : "system";
}

static void write_call(chat_export *e, size_t index)
{
    const lg_trace_event *call = &e->trace->events[index];
    lg_json_writer *w = &e->w;
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "id", e->ids[index]);
    lg_jw_member_c(w, "type", "function");
    if (call->role == LG_ROLE_USER) {
        lg_jw_member_c(w, "requestor", "user");
    }
    lg_jw_key(w, "function");
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "name", call->tool);
    if (call->args) {
        lg_buf_clear(&e->text);
        lg_json_print(&e->text, call->args);
        lg_jw_member_str(w, "arguments", lg_buf_str(&e->text));
        if (lg_buf_status(&e->text) != LG_OK) {
            export_fail(w->out, e->text.status);
        }
    } else if (call->text.len) {
        lg_jw_member_str(w, "arguments", call->text);
    }
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

static void write_result(chat_export *e, size_t index)
{
    const lg_trace_event *result = &e->trace->events[index];
    lg_json_writer *w = &e->w;
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "role", "tool");
    lg_jw_member_str(w, "tool_call_id", e->ids[index]);
    lg_jw_member_str_if(w, "name", result->tool);
    if (e->user_calls) {
        lg_jw_member_c(w, "requestor", result->role == LG_ROLE_USER ? "user" : "assistant");
    }
    lg_jw_member_str(w, "content", result->text);
    lg_jw_member_bool(w, "error", result->kind == LG_EVENT_ERROR);
    write_time(w, "timestamp", result);
    lg_jw_end_object(w);
}

// A text with the calls right behind it, or calls alone. Returns the event behind.
static size_t write_said(chat_export *e, size_t index)
{
    const lg_trace_event *first = &e->trace->events[index];
    bool text = first->kind == LG_EVENT_MESSAGE;
    size_t end = index + text;
    while (end < e->trace->count && e->trace->events[end].kind == LG_EVENT_CALL &&
           e->trace->events[end].role == first->role && e->trace->events[end].turn == first->turn &&
           (!text || first->text.len)) { // an empty text beside calls would not be read as one
        end++;
    }
    lg_jw_begin_object(&e->w);
    lg_jw_member_c(&e->w, "role", chat_role(first->role));
    lg_jw_key(&e->w, "content");
    if (text) {
        lg_jw_str(&e->w, first->text);
    } else {
        lg_jw_null(&e->w);
    }
    if (end > index + text) {
        lg_jw_key(&e->w, "tool_calls");
        lg_jw_begin_array(&e->w);
        for (size_t i = index + text; i < end; i++) {
            write_call(e, i);
        }
        lg_jw_end_array(&e->w);
    }
    write_time(&e->w, "timestamp", first);
    lg_jw_end_object(&e->w);
    return end;
}

static void write_messages(chat_export *e)
{
    lg_jw_key(&e->w, "messages");
    lg_jw_begin_array(&e->w);
    for (size_t i = 0; i < e->trace->count && e->w.out->status == LG_OK;) {
        if (export_is_result(&e->trace->events[i])) {
            write_result(e, i++);
        } else {
            i = write_said(e, i);
        }
    }
    lg_jw_end_array(&e->w);
}

static const lg_json *first_of(const lg_json *tool, const char *a, const char *b, const char *c)
{
    const lg_json *found = lg_get(tool, a);
    found = found ? found : lg_get(tool, b);
    return found ? found : lg_get(tool, c);
}

// Any form of a tool that has a name as OpenAI's; what has none stays what it is.
static void write_tool(lg_json_writer *w, const lg_json *tool)
{
    const lg_json *schema = first_of(tool, "parameters", "input_schema", "inputSchema");
    if (lg_get(tool, "function") || !lg_get(tool, "name")) {
        lg_jw_json(w, tool);
        return;
    }
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "type", "function");
    lg_jw_key(w, "function");
    lg_jw_begin_object(w);
    lg_jw_member_json(w, "name", lg_get(tool, "name"));
    add_json(w, "description", lg_get(tool, "description"));
    add_json(w, "parameters", schema);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

static void write_tools(lg_json_writer *w, const lg_json *tools)
{
    if (!lg_list_len(tools)) {
        return;
    }
    lg_jw_key(w, "tools");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < lg_list_len(tools); i++) {
        write_tool(w, lg_json_item(tools, i));
    }
    lg_jw_end_array(w);
}

static void write_chat(chat_export *e)
{
    lg_json_writer *w = &e->w;
    const lg_trace *trace = e->trace;
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "id", trace->name);
    lg_jw_member_str_if(w, "task_id", trace->task);
    lg_jw_member_uint(w, "trial", trace->trial);
    lg_jw_member_str_if(w, "domain", trace->domain);
    lg_jw_member_str_if(w, "model", trace->model);
    if (trace->has_reward) {
        lg_jw_member_double(w, "reward", trace->reward);
    }
    write_messages(e);
    write_tools(w, trace->tools);
    lg_jw_key(w, "metadata");
    lg_jw_begin_object(w);
    lg_jw_key(w, "ledgergate");
    lg_jw_begin_object(w);
    export_about(w, trace, false);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

static void export_openai(lg_buf *out, const lg_trace_set *set, const lg_trace *trace)
{
    (void)set;
    lg_arena arena;
    lg_arena_init(&arena, 0);
    chat_export e = {.w = {.out = out}, .trace = trace, .ids = export_ids(out, &arena, trace)};
    lg_buf_init(&e.text, 0);
    for (size_t i = 0; i < trace->count; i++) {
        e.user_calls = e.user_calls || (trace->events[i].kind == LG_EVENT_CALL &&
                                        trace->events[i].role == LG_ROLE_USER);
    }
    if (e.ids) {
        write_chat(&e);
    }
    lg_buf_done(&e.text);
    lg_arena_done(&arena);
}

// --- All of them ---------------------------------------------------------------------------------

void lg_export(lg_buf *out, lg_export_format format, const lg_trace_set *set, const lg_trace *trace)
{
    switch (format) {
    case LG_EXPORT_OPENAI:
        export_openai(out, set, trace);
        return;
    case LG_EXPORT_OTLP:
        export_otlp(out, set, trace);
        return;
    case LG_EXPORT_ARTIFACT:
        break;
    }
    export_artifact(out, set, trace);
}
