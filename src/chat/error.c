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
    lg_jw_key(w, "message");
    lg_jw_str(w, message);
    lg_jw_key(w, "type");
    lg_jw_c(w, type_of(LG_CHAT_COMPLETIONS, status));
    lg_jw_key(w, "param");
    lg_jw_null(w);
    write_code(w, code);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

static void write_anthropic(lg_json_writer *w, uint32_t status, lg_str code, lg_str message)
{
    lg_jw_begin_object(w);
    lg_jw_key(w, "type");
    lg_jw_c(w, "error");
    lg_jw_key(w, "error");
    lg_jw_begin_object(w);
    lg_jw_key(w, "type");
    lg_jw_c(w, type_of(LG_CHAT_MESSAGES, status));
    lg_jw_key(w, "message");
    lg_jw_str(w, message);
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

// The one event of Responses that has its error at the top.
static void write_responses_event(const lg_chat_stream *stream, lg_str code, lg_str message,
                                  lg_buf *text)
{
    lg_json_writer w = {.out = text};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "type");
    lg_jw_c(&w, "error");
    write_code(&w, code);
    lg_jw_key(&w, "message");
    lg_jw_str(&w, message);
    lg_jw_key(&w, "param");
    lg_jw_null(&w);
    lg_jw_key(&w, "sequence_number");
    lg_jw_uint(&w, stream ? lg_responses_next_sequence(stream) : 0);
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
