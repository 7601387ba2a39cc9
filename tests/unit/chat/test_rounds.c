// Replies asked for again, within one stream and without; and streams that must not be released.
#include "chat_samples.h"

typedef struct round_case {
    lg_chat_api api;
    const char *first;  // is refused
    const char *second; // is allowed
    const char *text;   // that the client has heard in the end
    const char *usage;
} round_case;

static const round_case rounds[] = {
    {LG_CHAT_COMPLETIONS, "completions-text-and-two-calls-with-usage",
     "completions-text-and-two-calls-with-usage", "I see.I see.",
     "{\"prompt_tokens\":18,\"completion_tokens\":8,\"total_tokens\":26}"},
    {LG_CHAT_MESSAGES, "messages-thinking-text-two-tools-text-between",
     "messages-thinking-text-two-tools-text-between", "I look.I look.And.",
     "{\"input_tokens\":50,\"output_tokens\":30}"},
    {LG_CHAT_RESPONSES, "responses-text-then-thoughts-that-lead-to-calls",
     "responses-text-then-thoughts-that-lead-to-calls", "I look.I look.",
     "{\"input_tokens\":14,\"output_tokens\":10,\"total_tokens\":24}"},
    {LG_CHAT_RESPONSES, "responses-reasoning-and-two-calls", "responses-text", "Hello there",
     "{\"input_tokens\":14,\"output_tokens\":10,\"total_tokens\":24}"},
};

static lg_str read_sample(lg_arena *arena, const char *name)
{
    char path[512];
    lg_file file;
    lg_limits limits = lg_limits_resolve(NULL);
    memset(&file, 0, sizeof(file));
    snprintf(path, sizeof(path), CHAT_SAMPLES "%s.sse", name);
    CHECK(lg_file_read(path, &limits, &file, NULL) == LG_OK);
    lg_str text = lg_arena_str(arena, file.text);
    lg_file_close(&file);
    return text;
}

// The ids of replies, of one length.
static const char *const first_ids[] = {"chatcmpl-1", "resp_1"};
static const char *const second_ids[] = {"chatcmpl-2", "resp_2"};

static size_t count_of(lg_str text, const char *wanted)
{
    size_t count = 0;
    size_t at;
    while ((at = lg_str_find(text, lg_str_c(wanted))) != SIZE_MAX) {
        text = lg_str_slice(text, at + 1, text.len);
        count++;
    }
    return count;
}

// The same reply by another id.
static lg_str renamed(lg_arena *arena, lg_str text)
{
    char *copy = lg_arena_alloc(arena, text.len + 1, 1);
    size_t at;
    memcpy(copy, text.ptr, text.len);
    for (size_t i = 0; i < LG_COUNT(first_ids); i++) {
        while ((at = lg_str_find((lg_str){copy, text.len}, lg_str_c(first_ids[i]))) != SIZE_MAX) {
            memcpy(copy + at, second_ids[i], strlen(second_ids[i]));
        }
    }
    return (lg_str){copy, text.len};
}

// Clients go by the first id, put texts of deltas together, and stop at an id that changes.
static void check_told_once(lg_chat_api api, lg_str out)
{
    for (size_t i = 0; i < LG_COUNT(first_ids); i++) {
        CHECK(!count_of(out, first_ids[i]) || !count_of(out, second_ids[i]));
    }
    CHECK(api != LG_CHAT_COMPLETIONS || count_of(out, "\"role\"") == 1);
}

// Two replies of the upstream, one stream for the client.
static void play(lg_arena *arena, const round_case *c, bool hold, lg_buf *out)
{
    lg_chat_stream *stream = NULL;
    lg_chat_options options = {.hold_text = hold};
    const lg_chat_reply *replies[2] = {NULL, NULL};
    chat_ruling room;
    CHECK(lg_chat_stream_new(arena, c->api, &options, &stream, NULL) == LG_OK);
    for (size_t i = 0; i < 2 && stream; i++) {
        lg_str text = read_sample(arena, i ? c->second : c->first);
        text = i ? renamed(arena, text) : text;
        CHECK(lg_chat_stream_feed(stream, text, out, NULL) == LG_OK);
        CHECK(lg_chat_stream_end(stream, out, &replies[i], NULL) == LG_OK);
        if (i == 0) {
            lg_chat_stream_again(stream);
        }
    }
    lg_chat_ruling ruling = *chat_rule(&room, UINT64_MAX, "{\"v\":1}", "");
    const lg_json *earlier[] = {replies[0] ? replies[0]->usage : NULL};
    ruling.earlier_usage = earlier;
    ruling.earlier_count = 1;
    CHECK(lg_chat_stream_finish(stream, &ruling, out, NULL) == LG_OK);
    lg_chat_stream_free(stream);
}

static void a_second_reply_continues_the_stream(void)
{
    for (size_t i = 0; i < 2 * LG_COUNT(rounds); i++) {
        const round_case *c = &rounds[i / 2];
        lg_arena arena;
        lg_buf out, usage;
        chat_run run;
        lg_test_name = c->first;
        lg_arena_init(&arena, 0);
        lg_buf_init(&out, 0);
        lg_buf_init(&usage, 0);
        play(&arena, c, i % 2, &out);
        check_told_once(c->api, lg_buf_str(&out));
        chat_run_begin(&run, c->api, NULL, lg_buf_str(&out), 0, 0);
        if (CHECK(run.status == LG_OK)) {
            const char *text = i % 2 ? c->text + strlen(c->text) / 2 : c->text;
            char apart[256]; // one text to the client: a blank line stands between
            if (c->api == LG_CHAT_COMPLETIONS && i % 2 == 0 && c->text[0]) {
                int half = (int)strlen(c->text) / 2;
                snprintf(apart, sizeof(apart), "%.*s\n\n%s", half, c->text, c->text + half);
                text = apart;
            }
            if (c->api == LG_CHAT_MESSAGES && i % 2) {
                text = "I look.And.";
            } else if (strcmp(c->second, "responses-text") == 0) {
                text = c->text;
            }
            CHECK_STR(run.reply->choices[0].text, text);
            lg_json_print(&usage, run.reply->usage);
            CHECK_STR(lg_buf_str(&usage), c->usage);
        } else {
            printf("    %s\n%.*s\n", run.error.msg, LG_FMT(lg_buf_str(&out)));
        }
        chat_run_done(&run);
        lg_buf_done(&out);
        lg_buf_done(&usage);
        lg_arena_done(&arena);
    }
}

// --- What must not be released ----------------------------------------------------------------------

typedef struct bad_stream {
    const char *what;
    lg_chat_api api;
    const char *name;
    const char *find; // of the sample: the first of these ...
    const char *with; // becomes this; NULL: the stream ends there
    bool told;        // the upstream's own error went on
} bad_stream;

static const bad_stream bad_streams[] = {
    {"it ends before message_stop", LG_CHAT_MESSAGES,
     "messages-thinking-text-two-tools-text-between", "event: message_stop", NULL, false},
    {"an error in the middle", LG_CHAT_MESSAGES, "messages-thinking-text-two-tools-text-between",
     "event: message_delta",
     "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\nevent: "
     "message_delta",
     true},
    {"a block twice", LG_CHAT_MESSAGES, "messages-thinking-text-two-tools-text-between",
     "\"index\":3,\"content_block\"", "\"index\":2,\"content_block\"", false},
    {"a block without its end", LG_CHAT_MESSAGES, "messages-thinking-text-two-tools-text-between",
     "\"content_block_stop\",\"index\":2", "\"ping\"", false},
    {"it ends before response.completed", LG_CHAT_RESPONSES, "responses-reasoning-and-two-calls",
     "event: response.completed", NULL, false},
    {"response.failed", LG_CHAT_RESPONSES, "responses-reasoning-and-two-calls",
     "{\"type\":\"response.completed\"", "{\"type\":\"response.failed\"", true},
    {"an error", LG_CHAT_RESPONSES, "responses-reasoning-and-two-calls",
     "{\"type\":\"response.completed\"", "{\"type\":\"error\",\"code\":\"x\"", true},
    {"more items at the end", LG_CHAT_RESPONSES, "responses-text",
     "\"status\":\"completed\",\"model\":\"gpt-x\",\"output\":[",
     "\"status\":\"completed\",\"model\":\"gpt-x\",\"output\":[{\"type\":\"function_call\",\"call_"
     "id\":\"evil\",\"name\":\"pay\",\"arguments\":\"{}\"},",
     false},
    {"no [DONE]", LG_CHAT_COMPLETIONS, "completions-text-and-two-calls-with-usage", "data: [DONE]",
     NULL, false},
    {"an error", LG_CHAT_COMPLETIONS, "completions-text-and-two-calls-with-usage", "data: [DONE]",
     "data: {\"error\":{\"message\":\"x\"}}\n\ndata: [DONE]", true},
};

static lg_str replaced(lg_arena *arena, lg_str text, const char *find, const char *with)
{
    size_t at = lg_str_find(text, lg_str_c(find));
    if (!CHECK(at != SIZE_MAX)) {
        return text;
    }
    lg_str rest = lg_str_slice(text, at + strlen(find), with ? text.len : 0);
    return lg_arena_printf(arena, "%.*s%s%.*s", (int)at, text.ptr, with ? with : "", LG_FMT(rest));
}

static void bad_streams_release_nothing(void)
{
    for (size_t i = 0; i < LG_COUNT(bad_streams); i++) {
        const bad_stream *bad = &bad_streams[i];
        lg_arena arena;
        chat_run run;
        chat_ruling room;
        lg_test_name = bad->what;
        lg_arena_init(&arena, 0);
        lg_str text = replaced(&arena, read_sample(&arena, bad->name), bad->find, bad->with);
        chat_run_begin(&run, bad->api, NULL, text, 0, 0);
        CHECK(run.status != LG_OK);
        CHECK(lg_chat_stream_told_error(run.stream) == bad->told);
        CHECK(lg_chat_stream_finish(run.stream, chat_rule(&room, UINT64_MAX, "{}", ""), &run.all,
                                    NULL) != LG_OK);
        lg_str out = lg_buf_str(&run.all);
        CHECK(lg_str_find(out, LG_STR("\"pay\"")) == SIZE_MAX);
        CHECK(lg_str_find(out, LG_STR("call_a")) == SIZE_MAX);
        CHECK(lg_str_find(out, LG_STR("toolu_a")) == SIZE_MAX);
        chat_run_done(&run);
        lg_arena_done(&arena);
    }
}

// Events that tell of another call than the one that was judged.
static void a_call_is_the_one_that_was_judged(void)
{
    static const char *const lies[][2] = {
        {"\"response.output_item.done\",\"output_index\":2,\"item\":{\"id\":\"fc_b\",\"type\":"
         "\"function_call\",\"status\":\"completed\",\"call_id\":\"call_b\",\"name\":\"pay\"",
         "\"response.output_item.done\",\"output_index\":2,\"item\":{\"id\":\"fc_b\",\"type\":"
         "\"function_call\",\"status\":\"completed\",\"call_id\":\"call_b\",\"name\":\"evil\""},
        {"\"call_id\":\"call_b\",\"name\":\"pay\",\"arguments\":\"\"",
         "\"call_id\":\"call_b\",\"name\":\"pay\",\"arguments\":\"{\\\"n\\\":666}\""},
    };
    for (size_t i = 0; i < LG_COUNT(lies); i++) {
        lg_arena arena;
        chat_run run;
        chat_ruling room;
        lg_test_name = lies[i][1];
        lg_arena_init(&arena, 0);
        lg_str text = replaced(&arena, read_sample(&arena, "responses-reasoning-and-two-calls"),
                               lies[i][0], lies[i][1]);
        chat_run_begin(&run, LG_CHAT_RESPONSES, NULL, text, 0, 0);
        CHECK(run.reply && run.reply->call_count == 2 && run.reply->calls[1].broken);
        chat_run_finish(&run, chat_rule(&room, UINT64_MAX, "", ""));
        CHECK(run.status == LG_OK);
        CHECK(lg_str_find(lg_buf_str(&run.all), LG_STR("call_a")) != SIZE_MAX);
        CHECK(lg_str_find(lg_buf_str(&run.all), LG_STR("call_b")) == SIZE_MAX);
        chat_run_done(&run);
        lg_arena_done(&arena);
    }
}

// --- Asking again, errors -----------------------------------------------------------------------------

static void errors_are_in_the_words_of_the_protocol(void)
{
    static const char *const wanted[] = {
        [LG_CHAT_COMPLETIONS] = "{\"error\":{\"message\":\"no\",\"type\":\"invalid_request_error\","
                                "\"param\":null,\"code\":\"x\"}}"
                                "data: "
                                "{\"error\":{\"message\":\"no\",\"type\":\"invalid_request_error\","
                                "\"param\":null,\"code\":\"x\"}}\n\n",
        [LG_CHAT_RESPONSES] = "{\"error\":{\"message\":\"no\",\"type\":\"invalid_request_error\","
                              "\"param\":null,\"code\":\"x\"}}"
                              "event: error\ndata: "
                              "{\"type\":\"error\",\"code\":\"x\",\"message\":\"no\",\"param\":"
                              "null,\"sequence_number\":0}\n\n",
        [LG_CHAT_MESSAGES] = "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
                             "\"message\":\"no\",\"code\":\"x\"}}"
                             "event: error\ndata: "
                             "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
                             "\"message\":\"no\",\"code\":\"x\"}}\n\n",
    };
    for (size_t i = 0; i < LG_CHAT_API_COUNT; i++) {
        lg_buf out;
        lg_buf_init(&out, 0);
        lg_chat_error((lg_chat_api)i, 400, LG_STR("x"), LG_STR("no"), &out);
        lg_chat_stream_error(NULL, (lg_chat_api)i, 400, LG_STR("x"), LG_STR("no"), &out);
        CHECK_STR(lg_buf_str(&out), wanted[i]);
        lg_buf_done(&out);
    }
}

typedef struct again_case {
    lg_chat_api api;
    const char *reply;
    size_t count;
    const char *wanted;
} again_case;

static const again_case agains[] = {
    {LG_CHAT_COMPLETIONS,
     "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null,\"x\":1.0,\"tool_calls\":"
     "["
     "{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}",
     1,
     "{\"role\":\"assistant\",\"content\":null,\"x\":1.0,\"tool_calls\":[{\"id\":\"a\","
     "\"function\":"
     "{\"name\":\"f\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"a\","
     "\"content\":\"no\"}"},
    {LG_CHAT_COMPLETIONS,
     "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"Bye\"}}]}", 1,
     "{\"role\":\"assistant\",\"content\":\"Bye\"},{\"role\":\"user\",\"content\":\"no\"}"},
    {LG_CHAT_MESSAGES,
     "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":"
     "\"s\"},"
     "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}]}",
     1,
     "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":"
     "\"s\"},"
     "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}]},{\"role\":\"user\","
     "\"content\":["
     "{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"is_error\":true,\"content\":\"no\"}]}"},
    {LG_CHAT_RESPONSES,
     "{\"status\":\"completed\",\"output\":[{\"type\":\"local_shell_call\",\"call_id\":\"a\","
     "\"action\":{}},"
     "{\"type\":\"mcp_approval_request\",\"id\":\"m\",\"name\":\"f\",\"arguments\":\"{}\"}]}",
     2,
     "{\"type\":\"local_shell_call\",\"call_id\":\"a\",\"action\":{}},{\"type\":\"mcp_approval_"
     "request\","
     "\"id\":\"m\",\"name\":\"f\",\"arguments\":\"{}\"},{\"type\":\"local_shell_call_output\","
     "\"id\":\"a\","
     "\"output\":\"no\"},{\"type\":\"mcp_approval_response\",\"approval_request_id\":\"m\","
     "\"approve\":false,"
     "\"reason\":\"no\"}"},
};

static void refused_messages_are_asked_again(void)
{
    static const lg_str feedback[] = {{"no", 2}, {"no", 2}};
    for (size_t i = 0; i < LG_COUNT(agains); i++) {
        lg_arena arena;
        lg_buf out;
        const lg_chat_reply *reply = NULL;
        lg_test_name = agains[i].wanted;
        lg_arena_init(&arena, 0);
        lg_buf_init(&out, 0);
        CHECK(lg_chat_reply_parse(&arena, agains[i].api, lg_str_c(agains[i].reply), NULL, &reply,
                                  NULL) == LG_OK);
        CHECK(reply && lg_chat_ask_again(reply, 0, feedback, agains[i].count, &out, NULL) == LG_OK);
        CHECK_STR(lg_buf_str(&out), agains[i].wanted);
        CHECK(lg_chat_ask_again(reply, 0, feedback, 3, &out, NULL) == LG_ERR_USAGE);
        lg_buf_done(&out);
        lg_arena_done(&arena);
    }
}

int main(void)
{
    RUN(a_second_reply_continues_the_stream);
    RUN(bad_streams_release_nothing);
    RUN(a_call_is_the_one_that_was_judged);
    RUN(errors_are_in_the_words_of_the_protocol);
    RUN(refused_messages_are_asked_again);
    return lg_test_done();
}
