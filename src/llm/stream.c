// stream.c: a completion that came in server-sent events (HTML, section 9.2), put together.
//
// The whole of a stream is read at once, when it has ended: who asks here has no use for half an answer. The last event
// is `[DONE]`; a stream without it was cut, however well the connection was closed.
#include "llm/llm_internal.h"

#include "base/events.h"

#define MOST_CALLS 128

typedef struct piece_of_call {
    lg_buf id, name, args;
} piece_of_call;

typedef struct stream {
    const lg_limits *limits;
    lg_arena frame; // of the event at hand
    lg_events events;
    lg_buf text, refusal, reasoning, finish, model, tokens, usage;
    bool has_text, has_choice, done;
    piece_of_call calls[MOST_CALLS];
    size_t call_count;
} stream;

// --- what an event adds ---

static void add_text(lg_buf *buf, const lg_json *value)
{
    lg_buf_add(buf, lg_json_str(value));
}

// What is said once, and by some servers in every event.
static void add_once(lg_buf *buf, const lg_json *value)
{
    if (buf->len == 0) {
        add_text(buf, value);
    }
}

static lg_status take_calls(stream *s, const lg_json *calls, lg_error *reterr)
{
    for (size_t i = 0; i < lg_json_len(calls); i++) {
        const lg_json *call = lg_json_item(calls, i);
        const lg_json *function = lg_json_get(call, LG_STR("function"));
        const lg_json *place = lg_json_get(call, LG_STR("index"));
        int64_t index = 0;
        if (place && (!lg_json_int(place, &index) || index < 0 || index >= MOST_CALLS)) {
            return lg_fail(reterr, LG_ERR_LIMIT, "a tool call of the stream has no index below %d",
                           MOST_CALLS);
        }
        piece_of_call *to = &s->calls[index];
        s->call_count = (size_t)index >= s->call_count ? (size_t)index + 1 : s->call_count;
        add_once(&to->id, lg_json_get(call, LG_STR("id")));
        add_once(&to->name, lg_json_get(function, LG_STR("name")));
        add_text(&to->args, lg_json_get(function, LG_STR("arguments")));
    }
    return LG_OK;
}

static void take_tokens(stream *s, const lg_json *logprobs)
{
    const lg_json *content = lg_json_get(logprobs, LG_STR("content"));
    bool is_list = lg_json_is(content, LG_JSON_ARRAY);
    for (size_t i = 0; is_list && i < lg_json_len(content); i++) {
        lg_buf_add_c(&s->tokens, s->tokens.len ? "," : "");
        lg_json_print(&s->tokens, lg_json_item(content, i));
    }
}

static lg_status take_choice(stream *s, const lg_json *choice, lg_error *reterr)
{
    int64_t index = 0;
    const lg_json *place = lg_json_get(choice, LG_STR("index"));
    if (place && (!lg_json_int(place, &index) || index != 0)) {
        return LG_OK; // one answer was asked for
    }
    const lg_json *delta = lg_json_get(choice, LG_STR("delta"));
    const lg_json *content = lg_json_get(delta, LG_STR("content"));
    s->has_choice = s->has_choice || delta != NULL;
    s->has_text = s->has_text || lg_json_is(content, LG_JSON_STRING);
    add_text(&s->text, content);
    add_text(&s->refusal, lg_json_get(delta, LG_STR("refusal")));
    add_text(&s->reasoning, lg_json_get(delta, LG_STR("reasoning_content")));
    add_once(&s->finish, lg_json_get(choice, LG_STR("finish_reason")));
    take_tokens(s, lg_json_get(choice, LG_STR("logprobs")));
    const lg_json *calls = lg_json_get(delta, LG_STR("tool_calls"));
    return lg_json_is(calls, LG_JSON_ARRAY) ? take_calls(s, calls, reterr) : LG_OK;
}

static lg_status take_object(stream *s, const lg_json *value, lg_error *reterr)
{
    lg_status status = LG_OK;
    const lg_json *usage = lg_json_get(value, LG_STR("usage"));
    const lg_json *choices = lg_json_get(value, LG_STR("choices"));
    bool is_list = lg_json_is(choices, LG_JSON_ARRAY);
    if (lg_json_is(lg_json_get(value, LG_STR("error")), LG_JSON_OBJECT)) {
        lg_str words = lg_str_cut(lg_llm_error_words(value), 200);
        return lg_fail(reterr, LG_ERR_MISSING, "the stream ended with an error: %.*s",
                       LG_FMT(words));
    }
    add_once(&s->model, lg_json_get(value, LG_STR("model")));
    if (lg_json_is(usage, LG_JSON_OBJECT)) {
        lg_buf_clear(&s->usage);
        lg_json_print(&s->usage, usage);
    }
    for (size_t i = 0; is_list && i < lg_json_len(choices) && status == LG_OK; i++) {
        status = take_choice(s, lg_json_item(choices, i), reterr);
    }
    return status;
}

static lg_status take_event(stream *s, lg_str data, lg_error *reterr)
{
    const lg_json *value = NULL;
    if (s->done || lg_str_trim(data).len == 0) {
        return LG_OK;
    }
    if (lg_str_eq(lg_str_trim(data), LG_STR("[DONE]"))) {
        s->done = true;
        return LG_OK;
    }
    lg_arena_reset(&s->frame);
    lg_error error = {0};
    lg_status status = lg_json_parse_in(&s->frame, data, 0, data.len, s->limits, &value, &error);
    if (status == LG_ERR_OOM || status == LG_ERR_LIMIT) {
        return lg_fail(reterr, status, "an event of the stream: %s", error.msg);
    }
    if (status != LG_OK || !lg_json_is(value, LG_JSON_OBJECT)) {
        return lg_fail(reterr, LG_ERR_PARSE, "an event of the stream is no JSON object%s%s",
                       error.msg[0] ? ": " : "", error.msg);
    }
    return take_object(s, value, reterr);
}

// A stream that does not end with a blank line has been cut within its last event.
static lg_status take_all(stream *s, lg_str text, lg_error *reterr)
{
    lg_status status = LG_OK;
    lg_str data;
    while (status == LG_OK && lg_events_next(&s->events, text, true, &data)) {
        status = take_event(s, data, reterr);
    }
    if (status == LG_OK && lg_buf_status(&s->events.data) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    // Some servers leave out the blank line behind the very last one.
    lg_str rest = lg_str_trim(lg_events_rest(&s->events));
    s->done = s->done || lg_str_eq(rest, LG_STR("[DONE]"));
    return status;
}

// --- what it comes to ---

static void write_calls(const stream *s, lg_json_writer *w)
{
    lg_jw_key(w, "tool_calls");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < s->call_count; i++) {
        const piece_of_call *call = &s->calls[i];
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "id", lg_buf_str(&call->id));
        lg_jw_member_c(w, "type", "function");
        lg_jw_key(w, "function");
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "name", lg_buf_str(&call->name));
        lg_jw_member_str(w, "arguments", lg_buf_str(&call->args));
        lg_jw_end_object(w);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_message(const stream *s, lg_json_writer *w)
{
    lg_jw_key(w, "message");
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "role", "assistant");
    lg_jw_key(w, "content");
    if (s->has_text) {
        lg_jw_str(w, lg_buf_str(&s->text));
    } else {
        lg_jw_null(w);
    }
    if (s->refusal.len) {
        lg_jw_member_str(w, "refusal", lg_buf_str(&s->refusal));
    }
    if (s->reasoning.len) {
        lg_jw_member_str(w, "reasoning_content", lg_buf_str(&s->reasoning));
    }
    if (s->call_count) {
        write_calls(s, w);
    }
    lg_jw_end_object(w);
}

static void write_whole(const stream *s, lg_buf *out)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "object", "chat.completion");
    lg_jw_member_str(&w, "model", lg_buf_str(&s->model));
    lg_jw_key(&w, "choices");
    lg_jw_begin_array(&w);
    lg_jw_begin_object(&w);
    lg_jw_member_int(&w, "index", 0);
    write_message(s, &w);
    if (s->tokens.len) {
        lg_jw_key(&w, "logprobs");
        lg_jw_begin_object(&w);
        lg_jw_key(&w, "content");
        lg_jw_begin_array(&w);
        lg_jw_raw(&w, lg_buf_str(&s->tokens));
        lg_jw_end_array(&w);
        lg_jw_end_object(&w);
    }
    lg_jw_member_str(&w, "finish_reason", lg_buf_str(&s->finish));
    lg_jw_end_object(&w);
    lg_jw_end_array(&w);
    if (s->usage.len) {
        lg_jw_member_raw(&w, "usage", lg_buf_str(&s->usage));
    }
    lg_jw_end_object(&w);
}

// The buffers fail once and stay failed: they are asked once.
static lg_status check(const stream *s, const lg_buf *out, lg_error *reterr)
{
    const lg_buf *all[] = {&s->text,  &s->refusal, &s->reasoning, &s->finish,
                           &s->model, &s->tokens,  &s->usage,     out};
    bool failed = false;
    for (size_t i = 0; i < LG_COUNT(all); i++) {
        failed = failed || lg_buf_status(all[i]) != LG_OK;
    }
    for (size_t i = 0; i < s->call_count; i++) {
        const piece_of_call *call = &s->calls[i];
        failed = failed || lg_buf_status(&call->id) != LG_OK ||
                 lg_buf_status(&call->name) != LG_OK || lg_buf_status(&call->args) != LG_OK;
    }
    return failed ? lg_fail_oom(reterr) : LG_OK;
}

static void free_all(stream *s)
{
    lg_buf *all[] = {&s->text,  &s->refusal, &s->reasoning, &s->finish,
                     &s->model, &s->tokens,  &s->usage};
    for (size_t i = 0; i < LG_COUNT(all); i++) {
        lg_buf_done(all[i]);
    }
    for (size_t i = 0; i < s->call_count; i++) {
        lg_buf_done(&s->calls[i].id);
        lg_buf_done(&s->calls[i].name);
        lg_buf_done(&s->calls[i].args);
    }
    lg_events_done(&s->events);
    lg_arena_done(&s->frame);
}

static void init_all(stream *s, const lg_limits *limits)
{
    *s = (stream){.limits = limits};
    lg_buf *all[] = {&s->text,  &s->refusal, &s->reasoning, &s->finish,
                     &s->model, &s->tokens,  &s->usage};
    for (size_t i = 0; i < LG_COUNT(all); i++) {
        lg_buf_init(all[i], 0);
    }
    for (size_t i = 0; i < MOST_CALLS; i++) {
        lg_buf_init(&s->calls[i].id, 0);
        lg_buf_init(&s->calls[i].name, 0);
        lg_buf_init(&s->calls[i].args, 0);
    }
    lg_events_init(&s->events);
    lg_arena_init(&s->frame, 0);
}

lg_status lg_llm_stream_read(lg_str text, const lg_limits *limits, lg_buf *out, lg_error *reterr)
{
    stream s;
    init_all(&s, limits);
    lg_status status = take_all(&s, text, reterr);
    if (status == LG_OK && !s.done) {
        status = lg_fail(reterr, LG_ERR_MISSING, "the stream ended without its last event");
    }
    if (status == LG_OK && !s.has_choice) {
        status = lg_fail(reterr, LG_ERR_PARSE, "no event of the stream has a delta");
    }
    if (status == LG_OK) {
        write_whole(&s, out);
        status = check(&s, out, reterr);
    }
    free_all(&s);
    return status;
}
