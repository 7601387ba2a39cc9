// fuzz_chat_request.c: request bodies of all three APIs.
//
// The first byte chooses the API. Of any bytes: the request is refused with words, or it is read; then what it says is what
// the importer reads, a message's index is its events' turn, nothing inserted gives the body itself, and a text inserted leaves a
// body that says the same of every other message.
#include "trace_fuzz.h"

#include "chat/chat.h"

static void require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

static void check_messages(const lg_chat_request *request)
{
    uint32_t next = 0;
    for (size_t i = 0; i < request->message_count; i++) {
        const lg_chat_message *message = &request->messages[i];
        require(message->from < message->to && message->to <= request->body.len);
        require(message->first_event == next);
        for (uint32_t k = 0; k < message->event_count; k++) {
            require(request->conversation->events[next + k].turn == i);
        }
        next += message->event_count;
    }
    require(next == request->conversation->count);
    for (size_t i = 0; i < request->note_count; i++) {
        require(request->notes[i].offset < request->body.len);
    }
}

static void check_trace(const lg_chat_request *request)
{
    static const lg_trace_format formats[] = {[LG_CHAT_COMPLETIONS] = LG_TRACE_OPENAI,
                                              [LG_CHAT_RESPONSES] = LG_TRACE_RESPONSES,
                                              [LG_CHAT_MESSAGES] = LG_TRACE_MESSAGES};
    lg_trace_options options = {.format = formats[request->api]};
    lg_trace_set *set = NULL;
    if (lg_trace_import(request->body, "fuzz", &options, &set, NULL) == LG_OK &&
        set->format == options.format && set->count == 1) {
        lg_buf dumps[2];
        for (size_t i = 0; i < 2; i++) {
            lg_buf_init(&dumps[i], 0);
            const lg_trace *trace = i ? request->conversation : &set->traces[0];
            for (size_t k = 0; k < trace->count; k++) {
                trace_dump_event(&dumps[i], trace, k);
            }
        }
        require(lg_str_eq(lg_buf_str(&dumps[0]), lg_buf_str(&dumps[1])));
        lg_buf_done(&dumps[0]);
        lg_buf_done(&dumps[1]);
    }
    lg_trace_close(set);
}

static void check_compose(lg_arena *arena, const lg_chat_request *request)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    require(lg_chat_compose(request, NULL, 0, &out, NULL) == LG_OK);
    require(lg_str_eq(lg_buf_str(&out), request->body));
    for (uint32_t i = 0; i < request->message_count && i < 4; i++) {
        lg_chat_insert inserts[] = {
            {LG_CHAT_TEXT, i, LG_STR("block \"1\""), 0},
            {LG_CHAT_AFTER, i, LG_STR("{\"role\":\"user\",\"content\":\"\"}"), 0},
            {LG_CHAT_SYSTEM, i, LG_STR("\n"), 0}};
        const lg_chat_request *again = NULL;
        lg_buf_clear(&out);
        require(lg_chat_compose(request, inserts, LG_COUNT(inserts), &out, NULL) == LG_OK);
        lg_str body = lg_arena_str(arena, lg_buf_str(&out));
        require(body.ptr &&
                lg_chat_request_parse(arena, request->api, body, NULL, &again, NULL) == LG_OK);
        require(again->message_count >= request->message_count + 2);
    }
    lg_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_arena arena;
    lg_error error = {0};
    const lg_chat_request *request;
    if (size == 0) {
        return 0;
    }
    lg_chat_options options = {.limits = {.json_depth = 64}};
    lg_arena_init(&arena, (size_t)64 << 20);
    lg_chat_api api = (lg_chat_api)(data[0] % LG_CHAT_API_COUNT);
    lg_str body = {(const char *)data + 1, size - 1};
    lg_status status = lg_chat_request_parse(&arena, api, body, &options, &request, &error);
    if (status == LG_OK) {
        check_messages(request);
        check_trace(request);
        check_compose(&arena, request);
    } else {
        require(error.status == status && error.msg[0]);
    }
    lg_arena_done(&arena);
    return 0;
}
