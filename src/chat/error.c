// error.c: errors in the words of each protocol.
#include "chat/stream.h"

// What an HTTP status is called where clients look for a type.
static const char *type_of(lg_chat_api api, uint32_t status)
{
    static const struct {
        uint32_t status;
        const char *openai;
        const char *anthropic;
    } types[] = {
        {400, "invalid_request_error", "invalid_request_error"},
        {401, "authentication_error", "authentication_error"},
        {403, "permission_error", "permission_error"},
        {404, "not_found_error", "not_found_error"},
        {413, "invalid_request_error", "request_too_large"},
        {429, "rate_limit_error", "rate_limit_error"},
        {503, "server_error", "overloaded_error"},
        {504, "timeout_error", "timeout_error"},
        {529, "server_error", "overloaded_error"},
    };
    bool anthropic = api == LG_CHAT_MESSAGES;
    for (size_t i = 0; i < LG_COUNT(types); i++) {
        if (types[i].status == status) {
            return anthropic ? types[i].anthropic : types[i].openai;
        }
    }
    if (status >= 400 && status < 500) {
        return "invalid_request_error";
    }
    return anthropic ? "api_error" : "server_error";
}

static void write_code(lg_json_writer *w, lg_str code)
{
    lg_jw_key(w, "code");
    if (code.len) {
        lg_jw_str(w, code);
    } else {
        lg_jw_null(w);
    }
}

static void write_openai(lg_json_writer *w, uint32_t status, lg_str code, lg_str message)
{
    lg_jw_begin_object(w);
    lg_jw_key(w, "error");
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "message", message);
    lg_jw_member_c(w, "type", type_of(LG_CHAT_COMPLETIONS, status));
    lg_jw_key(w, "param");
    lg_jw_null(w);
    write_code(w, code);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

static void write_anthropic(lg_json_writer *w, uint32_t status, lg_str code, lg_str message)
{
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "type", "error");
    lg_jw_key(w, "error");
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "type", type_of(LG_CHAT_MESSAGES, status));
    lg_jw_member_str(w, "message", message);
    if (code.len) {
        write_code(w, code);
    }
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

void lg_chat_error(lg_chat_api api, uint32_t status, lg_str code, lg_str message, lg_buf *out)
{
    lg_json_writer w = {.out = out};
    if (api == LG_CHAT_MESSAGES) {
        write_anthropic(&w, status, code, message);
    } else {
        write_openai(&w, status, code, message);
    }
}

// --- The upstream's own -----------------------------------------------------------------------------

static bool is_scalar(const lg_json *value)
{
    return value && !lg_json_is(value, LG_JSON_ARRAY) && !lg_json_is(value, LG_JSON_OBJECT);
}

// What errors of these APIs hold, and what stands beside them.
static const char *const error_keys[] = {"type", "message", "param", "code"};
static const char *const body_keys[] = {"type", "code", "message", "param", "request_id"};

static bool has_only(const lg_json *object, const char *const *keys, size_t count,
                     const lg_json *but)
{
    bool only = lg_json_is(object, LG_JSON_OBJECT);
    for (size_t i = 0; only && i < lg_json_len(object); i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        bool known = false;
        for (size_t k = 0; k < count && !known; k++) {
            known = lg_str_eq(lg_json_key(member), lg_str_c(keys[k]));
        }
        only = &member->value == but || (known && is_scalar(&member->value));
    }
    return only;
}

// Would nothing be left out of it?
static bool is_words_alone(const lg_json *value)
{
    const lg_json *error = lg_get(value, "error");
    bool plain =
        is_scalar(error) || !error || has_only(error, error_keys, LG_COUNT(error_keys), NULL);
    return plain && has_only(value, body_keys, LG_COUNT(body_keys), error);
}

static void copy_members(lg_json_writer *w, lg_str source, const lg_json *object,
                         const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const lg_json *value = lg_get(object, keys[i]);
        if (is_scalar(value)) {
            lg_jw_member_raw(w, keys[i], lg_json_source(source, value));
        }
    }
}

// The `error` itself: an object with words about it, or a word.
static void copy_error(lg_json_writer *w, lg_str source, const lg_json *error)
{
    if (is_scalar(error)) {
        lg_jw_raw(w, lg_json_source(source, error));
        return;
    }
    lg_jw_begin_object(w);
    copy_members(w, source, error, error_keys, LG_COUNT(error_keys));
    lg_jw_end_object(w);
}

// Of a response that failed, what it is called; what it had until then it does not say to the client.
static void copy_response(lg_json_writer *w, lg_str source, const lg_json *response)
{
    static const char *const keys[] = {"id", "object", "created_at", "status", "model"};
    copy_members(w, source, response, keys, LG_COUNT(keys));
    lg_jw_key(w, "output");
    lg_jw_begin_array(w);
    lg_jw_end_array(w);
    if (lg_get(response, "error")) {
        lg_jw_key(w, "error");
        copy_error(w, source, lg_get(response, "error"));
    }
}

static void copy_body(lg_json_writer *w, lg_chat_api api, lg_str source, const lg_json *value)
{
    const lg_json *error = lg_get(value, "error");
    if (api == LG_CHAT_RESPONSES && lg_text_is(lg_get(value, "status"), "failed")) {
        copy_response(w, source, value);
        return;
    }
    copy_members(w, source, value, body_keys, LG_COUNT(body_keys));
    if (error) {
        lg_jw_key(w, "error");
        copy_error(w, source, error);
    }
}

void lg_chat_write_error_body(lg_chat_api api, lg_str source, const lg_json *value, lg_buf *out)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    copy_body(&w, api, source, value);
    lg_jw_end_object(&w);
}

bool lg_chat_error_again(lg_chat_api api, lg_str body, const lg_chat_limits *limits, lg_buf *out)
{
    lg_chat_options given = {.limits = limits ? *limits : (lg_chat_limits){0}};
    lg_chat_limits l = lg_chat_options_resolve(&given).limits;
    lg_arena scratch;
    const lg_json *value = NULL;
    lg_arena_init(&scratch, 0);
    lg_status status = lg_chat_parse_object(&scratch, body, l.reply_bytes, l.json_depth,
                                            "the answer", &value, NULL);
    const lg_json *message = lg_get(value, "message");
    bool told = status == LG_OK && (lg_says_something(lg_get(value, "error")) ||
                                    (is_scalar(message) && lg_says_something(message)));
    if (told && is_words_alone(value)) {
        lg_buf_add(out, body);
    } else if (told) {
        lg_chat_write_error_body(api, body, value, out);
    }
    lg_arena_done(&scratch);
    return told;
}

void lg_chat_write_error(lg_chat_stream *stream, lg_str source, const lg_json *value, lg_buf *out)
{
    lg_json_writer w = {.out = out};
    const lg_json *response = lg_get(value, "response");
    lg_jw_begin_object(&w);
    copy_body(&w, stream->api, source, value);
    if (stream->api == LG_CHAT_RESPONSES) {
        if (response && lg_text_is(lg_get(value, "type"), "response.failed")) {
            lg_jw_key(&w, "response");
            lg_jw_begin_object(&w);
            copy_response(&w, source, response);
            lg_jw_end_object(&w);
        }
        lg_jw_member_uint(&w, "sequence_number", lg_responses_next_sequence(stream));
    }
    lg_jw_end_object(&w);
}

// --- Ours -------------------------------------------------------------------------------------------

// The one event of Responses that has its error at the top.
static void write_responses_event(const lg_chat_stream *stream, lg_str code, lg_str message,
                                  lg_buf *text)
{
    lg_json_writer w = {.out = text};
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "type", "error");
    write_code(&w, code);
    lg_jw_member_str(&w, "message", message);
    lg_jw_key(&w, "param");
    lg_jw_null(&w);
    lg_jw_member_uint(&w, "sequence_number", stream ? lg_responses_next_sequence(stream) : 0);
    lg_jw_end_object(&w);
}

void lg_chat_stream_error(const lg_chat_stream *stream, lg_chat_api api, uint32_t status,
                          lg_str code, lg_str message, lg_buf *out)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    if (api == LG_CHAT_RESPONSES) {
        write_responses_event(stream, code, message, &text);
    } else {
        lg_chat_error(api, status, code, message, &text);
    }
    lg_stream_write(api == LG_CHAT_COMPLETIONS ? NULL : "error", lg_buf_str(&text), out);
    if (lg_buf_status(&text) != LG_OK) {
        out->status = lg_buf_status(&text);
    }
    lg_buf_done(&text);
}
