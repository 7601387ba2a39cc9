// The ceilings of live messages: just below passes, just above names the limit.
#include "chat_dump.h"
#include "lg_test.h"

static lg_status parse_reply(const char *body, const lg_chat_limits *limits, lg_error *error)
{
    lg_arena arena;
    const lg_chat_reply *reply;
    lg_chat_options options = {.limits = *limits};
    lg_arena_init(&arena, 0);
    lg_status status =
        lg_chat_reply_parse(&arena, LG_CHAT_COMPLETIONS, lg_str_c(body), &options, &reply, error);
    lg_arena_done(&arena);
    return status;
}

#define CALL "{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}"
#define REPLY                                                                                      \
    "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"tool_calls\":[" CALL "," CALL "]}}]}"

static void replies(void)
{
    static const struct {
        const char *what;
        lg_chat_limits below;
        lg_chat_limits above;
        const char *message;
    } cases[] = {
        {"reply_bytes",
         {.reply_bytes = sizeof(REPLY) - 1},
         {.reply_bytes = sizeof(REPLY) - 2},
         "the reply has 165 bytes, the limit is 164"},
        {"calls", {.calls = 2}, {.calls = 1}, "the reply has more than 1 calls"},
        {"json_depth",
         {.json_depth = 7},
         {.json_depth = 6},
         "the reply is no JSON: nested deeper than the limit of 6 levels (json_depth)"},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_error error = {0};
        lg_test_name = cases[i].what;
        CHECK(parse_reply(REPLY, &cases[i].below, &error) == LG_OK);
        CHECK(parse_reply(REPLY, &cases[i].above, &error) == LG_ERR_LIMIT);
        CHECK_STR(lg_str_c(error.msg), cases[i].message);
    }
}

static void choices(void)
{
    static const char two[] = "{\"choices\":[{\"message\":{\"role\":\"assistant\"}},{\"message\":{"
                              "\"role\":\"assistant\"}}]}";
    lg_error error = {0};
    CHECK(parse_reply(two, &(lg_chat_limits){.choices = 2}, &error) == LG_OK);
    CHECK(parse_reply(two, &(lg_chat_limits){.choices = 1}, &error) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(error.msg), "the reply has more than 1 choices");
}

static void requests(void)
{
    static const char body[] = "{\"messages\":[]}";
    lg_arena arena;
    lg_error error = {0};
    const lg_chat_request *request;
    lg_chat_options below = {.limits = {.request_bytes = sizeof(body) - 1}};
    lg_chat_options above = {.limits = {.request_bytes = sizeof(body) - 2}};
    lg_arena_init(&arena, 0);
    CHECK(lg_chat_request_parse(&arena, LG_CHAT_COMPLETIONS, lg_str_c(body), &below, &request,
                                &error) == LG_OK);
    CHECK(lg_chat_request_parse(&arena, LG_CHAT_COMPLETIONS, lg_str_c(body), &above, &request,
                                &error) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(error.msg), "the request has 15 bytes, the limit is 14");
    lg_arena_done(&arena);
}

#define CHUNK(delta) "data: {\"choices\":[{\"index\":0,\"delta\":" delta "}]}\n\n"
#define DELTA(index)                                                                               \
    CHUNK("{\"tool_calls\":[{\"index\":" #index ",\"id\":\"c" #index                               \
          "\",\"function\":{\"name\":\"f\"}}]}")
#define BLOCK(index)                                                                               \
    "data: {\"type\":\"content_block_start\",\"index\":" #index                                    \
    ",\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
#define START "data: {\"type\":\"message_start\",\"message\":{\"content\":[]}}\n\n"
#define ITEM(index)                                                                                \
    "data: {\"type\":\"response.output_item.added\",\"output_index\":" #index                      \
    ",\"item\":{\"type\":\"message\",\"role\":\"assistant\"}}\n\n"

static void streams(void)
{
    static const char two_calls[] = DELTA(0) DELTA(1);
    static const char one[] = CHUNK("{}");
    static const struct {
        const char *what;
        lg_chat_api api;
        const char *text;
        lg_chat_limits below;
        lg_chat_limits above;
        const char *message;
    } cases[] = {
        {"reply_bytes",
         LG_CHAT_COMPLETIONS,
         one,
         {.reply_bytes = sizeof(one) - 1},
         {.reply_bytes = sizeof(one) - 2},
         "the reply has more than 43 bytes"},
        {"event_bytes",
         LG_CHAT_COMPLETIONS,
         "data: 56789",
         {.event_bytes = 11},
         {.event_bytes = 10},
         "an event of the reply has more than 10 bytes"},
        {"calls",
         LG_CHAT_COMPLETIONS,
         two_calls,
         {.calls = 2},
         {.calls = 1},
         "the reply has more than 1 calls"},
        {"choices",
         LG_CHAT_COMPLETIONS,
         CHUNK("{}") "data: {\"choices\":[{\"index\":1,\"delta\":{}}]}\n\n",
         {.choices = 2},
         {.choices = 1},
         "the reply has more than 1 choices"},
        {"blocks",
         LG_CHAT_MESSAGES,
         START BLOCK(0) BLOCK(1),
         {.items = 2},
         {.items = 1},
         "the reply has more than 1 blocks"},
        {"items",
         LG_CHAT_RESPONSES,
         ITEM(0) ITEM(1),
         {.items = 2},
         {.items = 1},
         "the reply has more than 1 items"},
    };
    for (size_t i = 0; i < 2 * LG_COUNT(cases); i++) {
        lg_arena arena;
        lg_buf out;
        lg_error error = {0};
        lg_chat_stream *stream = NULL;
        bool above = i % 2;
        lg_chat_options options = {.limits = above ? cases[i / 2].above : cases[i / 2].below};
        lg_test_name = cases[i / 2].what;
        lg_arena_init(&arena, 0);
        lg_buf_init(&out, 0);
        CHECK(lg_chat_stream_new(&arena, cases[i / 2].api, &options, &stream, NULL) == LG_OK);
        lg_status status = lg_chat_stream_feed(stream, lg_str_c(cases[i / 2].text), &out, &error);
        CHECK(status == (above ? LG_ERR_LIMIT : LG_OK));
        if (above) {
            CHECK_STR(lg_str_c(error.msg), cases[i / 2].message);
        }
        lg_chat_stream_free(stream);
        lg_buf_done(&out);
        lg_arena_done(&arena);
    }
}

// What a stream holds follows from its bytes: a ceiling of the arena is met with an error, whenever.
static void memory(void)
{
    static const char text[] = DELTA(0) CHUNK("{\"content\":\"hello\"}")
        DELTA(1) "data: "
                 "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}"
                 "\n\ndata: [DONE]\n\n";
    size_t passed = 0;
    for (size_t limit = 64; limit < 60000; limit += 509) {
        lg_arena arena;
        lg_buf out;
        lg_chat_stream *stream = NULL;
        chat_ruling room;
        const lg_chat_reply *reply;
        lg_arena_init(&arena, limit);
        lg_buf_init(&out, 0);
        bool ok = lg_chat_stream_new(&arena, LG_CHAT_COMPLETIONS, NULL, &stream, NULL) == LG_OK &&
                  lg_chat_stream_feed(stream, lg_str_c(text), &out, NULL) == LG_OK &&
                  lg_chat_stream_end(stream, &out, &reply, NULL) == LG_OK &&
                  lg_chat_stream_finish(stream, chat_rule(&room, 3, "{}", ""), &out, NULL) == LG_OK;
        CHECK(ok || lg_str_find(lg_buf_str(&out), LG_STR("\"f\"")) == SIZE_MAX);
        passed += ok;
        lg_chat_stream_free(stream);
        lg_buf_done(&out);
        lg_arena_done(&arena);
    }
    CHECK(passed > 0);
}

// Each text is looked at once: looked at with every other, these would take hours.
static void many_insertions(void)
{
    enum { MESSAGES = 100000 };
    lg_arena arena;
    lg_buf body;
    lg_buf out;
    lg_error error = {0};
    const lg_chat_request *request;
    lg_chat_options options = {.limits = {0}};
    lg_arena_init(&arena, 0);
    lg_buf_init(&body, 0);
    lg_buf_init(&out, 0);
    lg_buf_add_c(&body, "{\"messages\":[");
    for (size_t i = 0; i < MESSAGES; i++) {
        lg_buf_addf(&body, "%s{\"role\":\"%s\",\"content\":\"\"}", i ? "," : "",
                    i % 2 ? "assistant" : "user");
    }
    lg_buf_add_c(&body, "]}");
    CHECK(lg_chat_request_parse(&arena, LG_CHAT_COMPLETIONS, lg_buf_str(&body), &options, &request,
                                &error) == LG_OK);
    lg_chat_insert *inserts = LG_NEW_ARRAY(&arena, lg_chat_insert, MESSAGES);
    for (size_t i = 0; i < MESSAGES; i++) { // two of each user's message, in this order
        inserts[i] =
            (lg_chat_insert){LG_CHAT_TEXT, (uint32_t)i, i % 2 ? LG_STR("b") : LG_STR("a"), 0};
    }
    CHECK(lg_chat_compose(request, inserts, MESSAGES, &out, &error) == LG_OK);
    CHECK(out.len == body.len + (MESSAGES / 2) * (sizeof("a\\n\\nb") - 1));
    CHECK(lg_str_starts(lg_buf_str(&out),
                        LG_STR("{\"messages\":[{\"role\":\"user\",\"content\":\"a\\n\\nb\"}")));
    lg_buf_done(&out);
    lg_buf_done(&body);
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(replies);
    RUN(choices);
    RUN(requests);
    RUN(streams);
    RUN(memory);
    RUN(many_insertions);
    return lg_test_done();
}
