// Chat completions: replies read and rewritten, and their streams.
#include "chat_dump.h"
#include "chat_laws.h"
#include "chat_samples.h"
#include "lg_test.h"

static const char weather[] =
    "{\"id\":\"c-1\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,"
    "\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
    "{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}},"
    "{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"pay\",\"arguments\":\"{\\\"n\\\":"
    "1}\"}},"
    "{\"id\":\"c\",\"type\":\"custom\",\"custom\":{\"name\":\"run\",\"input\":\"ls\"}}]},"
    "\"finish_reason\":\"tool_calls\"}],\"usage\":{\"total_tokens\":3}}";

typedef struct rewrite_case {
    const char *what;
    uint64_t allowed;
    const char *gone;  // what stands in the reply without the ruling
    const char *stays; // and what must be there
} rewrite_case;

static const rewrite_case rewrites[] = {
    {"all stays", 7, NULL,
     "\"input\":\"ls\"}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"total_tokens\":3},"
     "\"ledgergate\":{\"v\":1}}"},
    {"the first goes", 6, "look", "\"tool_calls\":[{\"id\":\"b\""},
    {"the middle goes", 5, "pay", "\"{}\"}},{\"id\":\"c\""},
    {"the last goes", 3, "run", "\"{\\\"n\\\":1}\"}}]}"},
    {"all go", 0, "tool_calls",
     "{\"role\":\"assistant\",\"content\":\"No.\"},\"finish_reason\":\"stop\"}"},
};

static void replies_are_rewritten(void)
{
    for (size_t i = 0; i < LG_COUNT(rewrites); i++) {
        lg_arena arena;
        const lg_chat_reply *reply = NULL;
        chat_ruling room;
        lg_buf out;
        lg_test_name = rewrites[i].what;
        lg_arena_init(&arena, 0);
        lg_buf_init(&out, 0);
        CHECK(lg_chat_reply_parse(&arena, LG_CHAT_COMPLETIONS, lg_str_c(weather), NULL, &reply,
                                  NULL) == LG_OK);
        CHECK(reply && reply->call_count == 3);
        CHECK(lg_chat_rewrite(reply, chat_rule(&room, rewrites[i].allowed, "{\"v\":1}", "No."),
                              &out, NULL) == LG_OK);
        lg_str text = lg_buf_str(&out);
        bool ok =
            (!rewrites[i].gone || lg_str_find(text, lg_str_c(rewrites[i].gone)) == SIZE_MAX) &&
            lg_str_find(text, lg_str_c(rewrites[i].stays)) != SIZE_MAX;
        if (!CHECK(ok)) {
            printf("%.*s\n", LG_FMT(text));
        }
        lg_buf_done(&out);
        lg_arena_done(&arena);
    }
}

typedef struct oddity {
    const char *what;
    const char *stream;
    const char *dump; // a part of it
} oddity;

#define CHUNK(delta) "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":" delta "}]}\n\n"
#define CALLS(calls) CHUNK("{\"tool_calls\":[" calls "]}")
#define END                                                                                        \
    "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" \
    "data: [DONE]\n\n"

static const oddity oddities[] = {
    {"no index",
     CALLS("{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}")
         CALLS("{\"function\":{\"arguments\":\"}\"}}")
             CALLS("{\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}") END,
     "call function a f \"{}\"\n      {}\n    call function b g \"{}\""},
    {"always index 0",
     CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}")
         CALLS("{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}") END,
     "call function a f \"{}\" broken: its deltas carry two ids"},
    {"a new id in each fragment",
     CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}")
         CALLS("{\"index\":0,\"id\":\"b\",\"function\":{\"arguments\":\"}\"}}") END,
     "broken: its deltas carry two ids"},
    {"an empty name first",
     CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"\",\"arguments\":\"\"}}")
         CALLS("{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}") END,
     "call function a f \"{}\"\n"},
    {"arguments that are an empty text",
     CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}") END,
     "call function a f \"\"\n      {}\n"},
    {"a custom tool",
     CALLS("{\"index\":0,\"id\":\"a\",\"type\":\"custom\",\"custom\":{\"name\":\"f\",\"input\":"
           "\"l\"}}") CALLS("{\"index\":0,\"custom\":{\"input\":\"s\"}}") END,
     "call custom a f \"ls\"\n      {\"input\":\"ls\"}"},
    {"a legacy call",
     CHUNK("{\"function_call\":{\"name\":\"f\",\"arguments\":\"{\"}}")
         CHUNK("{\"function_call\":{\"arguments\":\"}\"}}") END,
     "call function_call  f \"{}\"\n"},
};

static void oddities_of_streams(void)
{
    for (size_t i = 0; i < LG_COUNT(oddities); i++) {
        chat_run run;
        lg_buf dump;
        lg_buf_init(&dump, 0);
        lg_test_name = oddities[i].what;
        chat_run_begin(&run, LG_CHAT_COMPLETIONS, NULL, lg_str_c(oddities[i].stream), 0, 0);
        if (CHECK(run.status == LG_OK)) {
            chat_dump_reply(&dump, run.reply);
        } else {
            printf("    %s\n", run.error.msg);
        }
        if (!CHECK(lg_str_find(lg_buf_str(&dump), lg_str_c(oddities[i].dump)) != SIZE_MAX)) {
            printf("%.*s", LG_FMT(lg_buf_str(&dump)));
        }
        lg_buf_done(&dump);
        chat_run_done(&run);
    }
}

static void samples_keep_the_laws(void)
{
    chat_check_samples(LG_CHAT_COMPLETIONS);
}

static void cut_streams_release_nothing(void)
{
    static const char *const streams[] = {
        CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}"
              "}"),
        CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}")
            CHUNK("{}") "data: {\"error\":{\"message\":\"overloaded\"}}\n\n" END,
        CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}"
              "}") "data: {\"id\":\n\n" END,
        CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}"
              "}") "data: [DON",
    };
    for (size_t i = 0; i < LG_COUNT(streams); i++) {
        chat_run run;
        chat_ruling room;
        chat_run_begin(&run, LG_CHAT_COMPLETIONS, NULL, lg_str_c(streams[i]), 0, 0);
        CHECK(run.status != LG_OK && run.error.msg[0]);
        CHECK(lg_chat_stream_told_error(run.stream) == (i == 1));
        CHECK(lg_chat_stream_finish(run.stream, chat_rule(&room, UINT64_MAX, "{}", ""), &run.all,
                                    NULL) != LG_OK);
        CHECK(lg_str_find(lg_buf_str(&run.all), LG_STR("\"f\"")) == SIZE_MAX);
        CHECK((lg_str_find(lg_buf_str(&run.all), LG_STR("overloaded")) != SIZE_MAX) == (i == 1));
        chat_run_done(&run);
    }
}

int main(void)
{
    RUN(replies_are_rewritten);
    RUN(oddities_of_streams);
    RUN(samples_keep_the_laws);
    RUN(cut_streams_release_nothing);
    return lg_test_done();
}
