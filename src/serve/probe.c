// probe.c: the canary: a reply that no upstream has given, with a call that must never reach the client.
//
// A request with the header x-ledgergate-probe goes the way of every other: route, token, fold, prompt. Only the upstream
// is not asked; in its place the exchange gets a reply that calls a tool which no pack has, and which bears the
// number that the header gave. So the answer shows whether what comes from an upstream is judged on this path, and
// where there is no gate the header means nothing and the number never comes back as refused.
//
// A pack may allow tools that it does not know. Then the call is odd: its arguments are no JSON, or cut.
#include "base/sign.h"
#include "base/str.h"
#include "serve/serve_internal.h"

#define NUMBER_BYTES 32u
#define CALL "\"id\":\"call_probe\",\"type\":\"function\",\"function\":{\"name\":\"" PROBE_TOOL
#define USAGE "\"usage\":{\"input_tokens\":0,\"output_tokens\":0,\"total_tokens\":0}"

bool probe_is(lg_str header)
{
    char bytes[NUMBER_BYTES / 2];
    return header.len == NUMBER_BYTES && lg_unhex(header, bytes, sizeof(bytes));
}

static const char *arguments(bool odd)
{
    return odd ? "{" : "{}";
}

static lg_str completion(lg_arena *arena, lg_str number, bool stream, bool odd)
{
    return lg_arena_printf(
        arena,
        stream
            ? "data: {\"id\":\"chatcmpl-probe\",\"object\":\"chat.completion.chunk\",\"created\":0,"
              "\"model\":\"probe\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\","
              "\"tool_calls\":[{\"index\":0," CALL "%.*s\",\"arguments\":\"%s\"}}]},"
              "\"finish_reason\":null}]}\n\n"
              "data: {\"id\":\"chatcmpl-probe\",\"object\":\"chat.completion.chunk\",\"created\":0,"
              "\"model\":\"probe\",\"choices\":[{\"index\":0,\"delta\":{},"
              "\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"
            : "{\"id\":\"chatcmpl-probe\",\"object\":\"chat.completion\",\"created\":0,"
              "\"model\":\"probe\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
              "\"content\":null,\"tool_calls\":[{" CALL "%.*s\",\"arguments\":\"%s\"}}]},"
              "\"finish_reason\":\"tool_calls\"}]}",
        LG_FMT(number), arguments(odd));
}

static lg_str response(lg_arena *arena, lg_str number, bool stream, bool odd)
{
    lg_str item = lg_arena_printf(arena,
                                  "{\"type\":\"function_call\",\"id\":\"fc_probe\",\"call_id\":"
                                  "\"call_probe\",\"name\":\"" PROBE_TOOL "%.*s\",\"arguments\":"
                                  "\"%s\",\"status\":\"completed\"}",
                                  LG_FMT(number), arguments(odd));
    lg_str whole = lg_arena_printf(
        arena,
        "{\"id\":\"resp_probe\",\"object\":\"response\",\"created_at\":0,\"status\":\"completed\","
        "\"model\":\"probe\",\"output\":[%.*s]," USAGE "}",
        LG_FMT(item));
    if (!stream || !whole.ptr) {
        return whole;
    }
    return lg_arena_printf(
        arena,
        "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,"
        "\"response\":{\"id\":\"resp_probe\",\"object\":\"response\",\"created_at\":0,\"status\":"
        "\"in_progress\",\"model\":\"probe\",\"output\":[]}}\n\n"
        "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\","
        "\"sequence_number\":1,\"output_index\":0,\"item\":%.*s}\n\n"
        "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\","
        "\"sequence_number\":2,\"output_index\":0,\"item\":%.*s}\n\n"
        "event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":3,"
        "\"response\":%.*s}\n\n",
        LG_FMT(item), LG_FMT(item), LG_FMT(whole));
}

static lg_str message(lg_arena *arena, lg_str number, bool stream, bool odd)
{
    return lg_arena_printf(
        arena,
        stream
            ? "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":"
              "\"msg_probe\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"probe\","
              "\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_"
              "tokens\":"
              "0,\"output_tokens\":0}}}\n\n"
              "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
              "\"content_block\":{\"type\":\"tool_use\",\"id\":\"call_probe\",\"name\":"
              "\"" PROBE_TOOL "%.*s\",\"input\":{}}}\n\n"
              "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
              "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
              "\"%s\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":0}}\n\n"
              "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
            : "{\"id\":\"msg_probe\",\"type\":\"message\",\"role\":\"assistant\",\"model\":"
              "\"probe\","
              "\"content\":[{\"type\":\"tool_use\",\"id\":\"call_probe\",\"name\":\"" PROBE_TOOL
              "%.*s\",\"input\":{}}],\"stop_reason\":\"%s\",\"stop_sequence\":null,"
              "\"usage\":{\"input_tokens\":0,\"output_tokens\":0}}",
        LG_FMT(number), odd ? "max_tokens" : "tool_use");
}

void probe_answer(lg_exchange *x, lg_chat_api api, lg_str number, bool stream, bool odd,
                  lg_arena *arena)
{
    lg_http_field type = {LG_STR("content-type"),
                          stream ? LG_STR("text/event-stream") : LG_STR("application/json")};
    lg_str body = {NULL, 0};
    switch (api) {
    case LG_CHAT_COMPLETIONS:
    case LG_CHAT_API_COUNT:
        body = completion(arena, number, stream, odd);
        break;
    case LG_CHAT_RESPONSES:
        body = response(arena, number, stream, odd);
        break;
    case LG_CHAT_MESSAGES:
        body = message(arena, number, stream, odd);
        break;
    }
    lg_upstream_end end = {
        .whole = body.ptr != NULL, .status = 502, .why = LG_STR("out of memory")};
    if (body.ptr) {
        lg_exchange_upstream_head(x, 200, &type, 1);
        lg_exchange_upstream_bytes(x, body);
    }
    lg_exchange_upstream_end(x, &end);
}
