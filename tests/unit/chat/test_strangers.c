// What strangers write into streams and replies, and what of it goes on.
#include "chat_lenient.h"
#include "lg_test.h"

#define SAID(text)                                                                                 \
    "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"}}]}\n\n"
#define PAY                                                                                        \
    "{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"pay\","              \
    "\"arguments\":"                                                                               \
    "\"{}\"}}"
#define CALLING "{\"index\":0,\"delta\":{\"tool_calls\":[" PAY "]}}"
#define END                                                                                        \
    "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" \
    "data: [DONE]\n\n"

// A message of Responses, whose words are told five times.
#define ITEM(state, parts)                                                                         \
    "{\"id\":\"m\",\"type\":\"message\",\"status\":\"" state "\",\"role\":\"assistant\","          \
    "\"content\":[" parts "]}"
#define PART(text) "{\"type\":\"output_text\",\"annotations\":[],\"text\":\"" text "\"}"
#define EVENT(type, members) "data: {\"type\":\"response." type "\"," members "}\n\n"
#define AT "\"output_index\":0,"
#define AT_PART AT "\"content_index\":0,"
#define CREATED EVENT("created", "\"response\":{\"id\":\"r\",\"output\":[]}")
#define ADDED EVENT("output_item.added", AT "\"item\":" ITEM("in_progress", ""))
#define DELTA(text) EVENT("output_text.delta", AT_PART "\"delta\":\"" text "\"")
#define TEXT_DONE(text) EVENT("output_text.done", AT_PART "\"text\":\"" text "\"")
#define PART_DONE(text) EVENT("content_part.done", AT_PART "\"part\":" PART(text))
#define ITEM_DONE(text) EVENT("output_item.done", AT "\"item\":" ITEM("completed", PART(text)))
#define RESPONSE(text)                                                                             \
    "{\"id\":\"r\",\"status\":\"completed\",\"output\":[" ITEM("completed", PART(text)) "]}"
#define COMPLETED(text) EVENT("completed", "\"response\":" RESPONSE(text))
#define MESSAGE(delta, whole, part, item, last)                                                    \
    CREATED ADDED DELTA(delta) TEXT_DONE(whole) PART_DONE(part) ITEM_DONE(item) COMPLETED(last)

typedef struct stranger {
    const char *what;
    lg_chat_api api;
    const char *stream;
    bool is_read;
    const char *gone;
    const char *stays;
} stranger;

static const stranger strangers[] = {
    {"a comment is empty", LG_CHAT_COMPLETIONS, ": " CALLING "\n\n" END, true, "pay", ":\n\n"},
    {"fields that nobody knows", LG_CHAT_COMPLETIONS, "datum: pay\ndata : pay\n" SAID("hi") END,
     true, "pay", "hi"},
    {"a name that is no word", LG_CHAT_COMPLETIONS, "id: pay \v\nretry: pay\n" SAID("hi") END, true,
     "pay", "hi"},
    {"an id and a time", LG_CHAT_COMPLETIONS, "id: 7\nretry: 100\n" SAID("hi") END, true, NULL,
     "id: 7\nretry: 100\ndata: {"},
    {"ends of lines of Unicode", LG_CHAT_COMPLETIONS,
     SAID("a\xE2\x80\xA8"
          "b\xC2\x85"
          "c\xE2\x80\xA9") END,
     true, "\xE2\x80\xA8", "a\\u2028b\\u0085c\\u2029"},
    {"an event has the name of its type", LG_CHAT_MESSAGES,
     "event: content_block_start\ndata: "
     "{\"type\":\"ping\",\"content_block\":{\"type\":\"tool_use\","
     "\"name\":\"pay\"}}\n\n",
     false, "pay", "event: ping\ndata: {\"type\": \"ping\"}\n\n"},
    {"an error alone", LG_CHAT_COMPLETIONS,
     "data: {\"error\":{\"message\":\"full\",\"tool_calls\":[" PAY "]},\"choices\":[" CALLING
     "]}\n\n",
     false, "pay", "data: {\"error\":{\"message\":\"full\"}}\n\n"},
    {"an error that is none", LG_CHAT_COMPLETIONS,
     "data: {\"id\":\"x\",\"error\":{},\"choices\":[" CALLING "]}\n\n" END, true, "\"pay\"",
     "stop"},
    {"an error of Responses", LG_CHAT_RESPONSES,
     "data: {\"type\":\"error\",\"message\":\"full\",\"item\":{\"name\":\"pay\"}}\n\n", false,
     "pay", "full"},
    {"a response that failed", LG_CHAT_RESPONSES,
     "data: {\"type\":\"response.failed\",\"response\":{\"id\":\"r\",\"status\":\"failed\","
     "\"output\":{\"0\":{\"name\":\"pay\"}},\"error\":{\"code\":\"full\"}}}\n\n",
     false, "pay", "\"output\":[],\"error\":{\"code\":\"full\"}"},
    {"a text, told alike", LG_CHAT_RESPONSES, MESSAGE("hi", "hi", "hi", "hi", "hi"), true, NULL,
     "hi"},
    {"other deltas", LG_CHAT_RESPONSES, MESSAGE("ho", "hi", "hi", "hi", "hi"), false, "ho", NULL},
    {"another whole", LG_CHAT_RESPONSES, MESSAGE("hi", "ho", "hi", "hi", "hi"), false, "ho", NULL},
    {"another part", LG_CHAT_RESPONSES, MESSAGE("hi", "hi", "ho", "hi", "hi"), false, "ho", NULL},
    {"another item", LG_CHAT_RESPONSES, MESSAGE("hi", "hi", "hi", "ho", "hi"), false, "ho", NULL},
    {"another end", LG_CHAT_RESPONSES, MESSAGE("hi", "hi", "hi", "hi", "ho"), false, "ho", NULL},
};

static bool has(lg_str text, const char *part)
{
    return lg_str_find(text, lg_str_c(part)) != SIZE_MAX;
}

static void only_what_was_read_goes_on(void)
{
    for (size_t i = 0; i < LG_COUNT(strangers); i++) {
        const stranger *s = &strangers[i];
        chat_run run;
        chat_ruling room;
        lg_chat_options options = {.hold_text = true};
        lg_test_name = s->what;
        chat_run_begin(&run, s->api, &options, lg_str_c(s->stream), 0, 0);
        chat_run_finish(&run, chat_rule(&room, 0, "{}", ""));
        lg_str out = lg_buf_str(&run.all);
        bool fine = (run.status == LG_OK) == s->is_read && (!s->gone || !has(out, s->gone)) &&
                    (!s->stays || has(out, s->stays));
        if (!CHECK(fine)) {
            printf("%s\n%.*s\n", run.error.msg, LG_FMT(out));
        }
        chat_run_done(&run);
    }
}

// A first chunk that is long is not said again with each call.
static void long_members_are_said_once(void)
{
    lg_buf stream;
    chat_run run;
    chat_ruling room;
    lg_buf_init(&stream, 0);
    lg_buf_add_c(&stream, "data: {\"id\":\"x\",\"junk\":\"");
    for (size_t i = 0; i < 10000; i++) {
        lg_buf_add_c(&stream, "j");
    }
    lg_buf_add_c(&stream, "\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\n\n"
                          "data: {\"id\":\"x\",\"choices\":[" CALLING "]}\n\n" END);
    chat_run_begin(&run, LG_CHAT_COMPLETIONS, NULL, lg_buf_str(&stream), 0, 0);
    chat_run_finish(&run, chat_rule(&room, 1, "{}", ""));
    CHECK(run.status == LG_OK && has(lg_buf_str(&run.all), "pay"));
    CHECK(run.all.len < stream.len + 1000);
    chat_run_done(&run);
    lg_buf_done(&stream);
}

// Each delta is read against what is known of its block, not against the block: 20,000 times 100 KB would take minutes.
static void deltas_do_not_read_the_start_again(void)
{
    lg_buf stream;
    chat_run run;
    chat_ruling room;
    lg_buf_init(&stream, 0);
    lg_buf_add_c(&stream, "data: "
                          "{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":"
                          "\"message\",\"role\":\"assistant\","
                          "\"content\":[]}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,"
                          "\"content_block\":{\"type\":\"text\",\"text\":\"\",\"junk\":[0");
    for (size_t i = 0; i < 50000; i++) {
        lg_buf_add_c(&stream, ",1");
    }
    lg_buf_add_c(&stream, "]}}\n\n");
    for (size_t i = 0; i < 20000; i++) {
        lg_buf_add_c(&stream, "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
                              "{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n");
    }
    lg_buf_add_c(&stream, "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
                          "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
                          "\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n");
    chat_run_begin(&run, LG_CHAT_MESSAGES, NULL, lg_buf_str(&stream), 0, 0);
    chat_run_finish(&run, chat_rule(&room, 0, "{}", ""));
    CHECK(run.status == LG_OK);
    CHECK(has(lg_buf_str(&run.all), "message_stop"));
    chat_run_done(&run);
    lg_buf_done(&stream);
}

static void errors_stand_alone(void)
{
    static const struct {
        lg_chat_api api;
        const char *body;
        const char *wanted; // NULL: nothing of it goes on
    } cases[] = {
        {LG_CHAT_COMPLETIONS,
         "{\"error\":\"full\",\"choices\":{\"0\":{\"message\":{\"tool_calls\":[" PAY "]}}}}", NULL},
        {LG_CHAT_COMPLETIONS, "{\"error\":{\"message\":\"full\"},\"junk\":[" PAY "]}",
         "{\"error\":{\"message\":\"full\"}}"},
        {LG_CHAT_COMPLETIONS, "{\"error\":\"\"}", NULL},
        {LG_CHAT_RESPONSES, "{\"status\":\"failed\",\"output\":{\"0\":" PAY "}}", NULL},
        {LG_CHAT_RESPONSES, "{\"id\":\"r\",\"status\":\"failed\",\"output\":[],\"junk\":" PAY "}",
         "{\"id\":\"r\",\"status\":\"failed\",\"output\":[]}"},
        {LG_CHAT_MESSAGES, "{\"type\":\"error\",\"error\":{\"type\":\"full\"},\"junk\":" PAY "}",
         "{\"type\":\"error\",\"error\":{\"type\":\"full\"}}"},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_arena arena;
        lg_buf out;
        chat_ruling room;
        const lg_chat_reply *reply = NULL;
        lg_arena_init(&arena, 0);
        lg_buf_init(&out, 0);
        lg_test_name = cases[i].body;
        lg_status status =
            lg_chat_reply_parse(&arena, cases[i].api, lg_str_c(cases[i].body), NULL, &reply, NULL);
        CHECK((status == LG_OK) == (cases[i].wanted != NULL));
        if (status == LG_OK && cases[i].wanted) {
            CHECK(reply->is_error);
            CHECK(lg_chat_rewrite(reply, chat_rule(&room, 1, "{}", ""), &out, NULL) == LG_OK);
            CHECK(lg_str_eq(lg_buf_str(&out), lg_str_c(cases[i].wanted)));
        }
        lg_buf_done(&out);
        lg_arena_done(&arena);
    }
}

int main(void)
{
    RUN(only_what_was_read_goes_on);
    RUN(long_members_are_said_once);
    RUN(deltas_do_not_read_the_start_again);
    RUN(errors_stand_alone);
    return lg_test_done();
}
