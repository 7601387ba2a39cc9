// test_answers.c: what model and client are told, and by what words of the upstream.
#include "proxy_host.h"
#include "proxy_texts.h"

#define TEXTS                                                                                      \
    RULES "conversation:\n"                                                                        \
          "  rules:\n"                                                                             \
          "    discreet:\n"                                                                        \
          "      that: \"!message.contains('secret')\"\n"                                          \
          "      at: {message: agent}\n"                                                           \
          "      say: Keep it to yourself.\n"
#define BAD(id) CALL(id, "act", ARGS_B)
#define SAID(text) REPLY(AGENT(text), "stop")

// --- The head -----------------------------------------------------------------------------------

// A client that minds a charset reads what was read here.
static void the_charset_is_ours(void)
{
    static const struct {
        uint16_t status;
        const char *type, *wants;
    } cases[] = {
        {200, "application/json; charset=utf-7", "application/json; charset=utf-8"},
        {200, "text/html", "application/json; charset=utf-8"},
        {200, "text/event-stream;charset=utf-16", "text/event-stream; charset=utf-8"},
        {429, "text/event-stream; charset=utf-7", "application/json; charset=utf-8"},
        {500, "text/plain; charset=utf-7", "application/json; charset=utf-8"},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        host h;
        bool streamed = cases[i].type[5] == 'e';
        host_open(&h, &(host_options){.rules = RULES});
        host_answer *a = host_add(&h, cases[i].status, cases[i].type,
                                  cases[i].status >= 400 ? "{'error':{'message':'no'}}"
                                  : streamed ? STREAM_BEGIN STREAM_TEXT("x") STREAM_END("stop")
                                             : SAID("x"));
        a->field = "Content-Type"; // twice
        a->value = "application/json; charset=utf-7";
        host_run(&h, streamed ? ASK_STREAM(READ_A) : ASK(READ_A));
        CHECK(h.status == cases[i].status);
        CHECK_STR(h.type, cases[i].wants);
        CHECK_STR(h.led_to, ""); // no field of the upstream's
        host_close(&h);
    }
}

static void a_status_that_is_none_is_refused(void)
{
    static const uint16_t odd[] = {100, 199, 302, 600, 999};
    for (size_t i = 0; i < LG_COUNT(odd); i++) {
        host h;
        host_open(&h, &(host_options){.rules = RULES});
        host_add(&h, odd[i], "application/json", REPLY(CALLS(BAD("w1")), "tool_calls"));
        host_run(&h, ASK(READ_A));
        CHECK(h.status == 502 && !host_says(&h, "w1"));
        host_close(&h);
    }
}

// --- The model ----------------------------------------------------------------------------------

static void both_are_told(void)
{
    host h;
    host_open(&h, &(host_options){.rules = TEXTS});
    host_reply(&h, REPLY(SAYS_AND_CALLS("a secret", BAD("w1") "," BAD("w2")), "tool_calls"));
    host_reply(&h, SAID("Sorry."));
    host_run(&h, ASK(READ_A));
    CHECK(h.asked_count == 2);
    CHECK(host_asked(&h, 1, "Keep it to yourself."));
    CHECK(host_asked(&h, 1, "LedgerGate has refused what the message says"));
    CHECK(host_asked(&h, 1, "LedgerGate has refused this call"));
    host_close(&h);
}

static void broken_arguments_are_told_once(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES, .route = {.on_refusal = LG_PROXY_RETURN}});
    host_reply(&h, REPLY(CALLS(CALL("w1", "act", "{")), "tool_calls"));
    host_run(&h, ASK(READ_A));
    CHECK(host_says(&h, "'text':'The arguments of this call are no JSON: line 1, column 2: "));
    CHECK(host_says(&h, "refused.\\nact: The arguments of this call are no JSON: "));
    CHECK(host_says(&h, "found the end of the text.'},'logprobs'"));
    host_close(&h);
}

// --- The client ---------------------------------------------------------------------------------

static void texts_of_a_stream_stand_apart(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES});
    for (int i = 0; i < 3; i++) {
        host_stream(&h, STREAM_BEGIN STREAM_TEXT("One") STREAM_TEXT(", two.")
                            STREAM_CALL("0", "w1", "act", ARGS_B) STREAM_END("tool_calls"));
    }
    host_run(&h, ASK_STREAM(READ_A));
    CHECK(h.asked_count == 3);
    CHECK(host_says(&h, "'delta':{'content':'One'}"));
    CHECK(host_says(&h, "'delta':{'content':'\\n\\nOne'}"));
    CHECK(!host_says(&h, "\\n\\n, two."));
    CHECK(host_says(&h, "'delta':{'content':'\\n\\nThis was not done"));
    host_close(&h);
}

// The words that the client has of a stream in several rounds are found again.
static void a_stream_in_rounds_is_known_again(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES});
    host_stream(&h, STREAM_BEGIN STREAM_TEXT("One.") STREAM_CALL("0", "w1", "act", ARGS_B)
                        STREAM_END("tool_calls"));
    host_stream(&h, STREAM_BEGIN STREAM_TEXT("Two.") STREAM_CALL("0", "w2", "act", ARGS_B)
                        STREAM_CALL("1", "w3", "act", ARGS_A) STREAM_END("tool_calls"));
    host_run(&h, ASK_STREAM(READ_A));
    CHECK(host_says(&h, "'id':'w3'"));
    host_reply(&h, SAID("I see."));
    host_run(&h, ASK(READ_A "," SAYS_AND_CALLS(
                     "One.\\n\\nTwo.", CALL("w3", "act", ARGS_A)) "," RESULT("w3", "done")));
    CHECK(host_asked(&h, 0, "was taken out of your last message"));
    host_close(&h);
}

static void what_a_revision_failed_with_is_said(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES});
    host_stream(&h, STREAM_BEGIN STREAM_TEXT("First.") STREAM_CALL("0", "w1", "act", ARGS_B)
                        STREAM_END("tool_calls"));
    host_add(&h, 429, "application/json", "{'error':{'message':'slowly'}}");
    host_run(&h, ASK_STREAM(READ_A));
    CHECK(host_says(&h, "the upstream answered with status 429"));
    CHECK(host_says(&h, "'problem':'ledgergate_upstream'"));
    host_close(&h);
}

// A text that is refused stands nowhere else either.
static void nothing_says_it_again(void)
{
    static const char said[] =
        "{'id':'c1','object':'chat.completion','created':1,'model':'m','choices':[{'index':0,"
        "'message':{'role':'assistant','content':'a secret','reasoning_content':'the secret',"
        "'reasoning':'a "
        "secret','annotations':[{'type':'file','file':'secret'}]},'logprobs':{'content':[{'token':'"
        "secret'"
        "}]},'finish_reason':'stop'}]}";
    static const char streamed[] =
        CHUNK("{'index':0,'delta':{'content':'a secret','reasoning_details':['secret']},'logprobs':"
              "{'content':[{'token':'secret'}]},'finish_reason':null}") STREAM_END("stop");
    for (int stream = 0; stream < 2; stream++) {
        host h;
        host_open(&h, &(host_options){.rules = TEXTS, .route = {.no_revisions = true}});
        if (stream) {
            host_stream(&h, streamed);
        } else {
            host_reply(&h, said);
        }
        host_run(&h, stream ? ASK_STREAM(READ_A) : ASK(READ_A));
        lg_str got = lg_buf_str(&h.got);
        CHECK(h.status == 200);
        CHECK(
            !host_has(lg_str_slice(got, 0, lg_str_find(got, LG_STR("\"ledgergate\""))), "secret"));
        host_close(&h);
    }
}

static void usage_is_kept_over_rounds(void)
{
#define WITH(usage, message)                                                                       \
    "{'id':'c1','object':'chat.completion','created':1,'model':'m','choices':[" CHOICE(            \
        "0", message, "stop") "]" usage "}"
    host h;
    host_open(&h, &(host_options){.rules = RULES});
    host_reply(&h, WITH(",'usage':{'total_tokens':10,'cost':0.5}", CALLS(BAD("w1"))));
    host_reply(&h, WITH(",'usage':{'total_tokens':5,'cost':0.25}", CALLS(BAD("w2"))));
    host_reply(&h, WITH("", AGENT("Sorry.")));
    host_run(&h, ASK(READ_A));
    CHECK(host_says(&h, "'usage':{'total_tokens':15,'cost':0.75}"));
    host_reply(&h, WITH(",'usage':{'total_tokens':10,'cost':0.5}", CALLS(BAD("w1"))));
    host_reply(&h, WITH(",'usage':{'total_tokens':1,'cost':1}", AGENT("Sorry.")));
    host_run(&h, ASK(READ_A));
    CHECK(host_says(&h, "'usage':{'total_tokens':11,'cost':1.5}"));
    host_stream(
        &h,
        STREAM_BEGIN STREAM_CALL("0", "w1", "act", ARGS_B) DELTA(
            "{}",
            "'tool_calls'") "data: {'choices':[],'usage':{'total_tokens':7}}\n\ndata: [DONE]\n\n");
    host_stream(&h, STREAM_BEGIN STREAM_TEXT("Sorry.") STREAM_END("stop"));
    host_run(&h, ASK_STREAM(READ_A));
    CHECK(host_says(&h, "'usage':{'total_tokens':7}"));
    host_close(&h);
}

// Half a character in one delta, half in the next: the client has it, and rules see it.
static void characters_may_be_cut(void)
{
    static const char *const bad[] = {
        STREAM_TEXT("\\ud83d") STREAM_TEXT("\\ud83d"),
        STREAM_TEXT("\\ud83dx"),
        STREAM_TEXT("\\ude00"),
        STREAM_TEXT("x\\\\\\'\\ude00"),
    };
    host h;
    host_open(&h, &(host_options){.rules = TEXTS});
    host_stream(&h, STREAM_BEGIN STREAM_TEXT("so \\ud83d") STREAM_TEXT("\\uDE00 and \\ud83D")
                        STREAM_TEXT("\\ude01.") STREAM_END("stop"));
    host_run(&h, ASK_STREAM(READ_A));
    CHECK(host_says(&h, "'content':'so '"));
    CHECK(host_says(&h, "'content':'\\uD83D\\uDE00 and '"));
    CHECK(host_says(&h, "'content':'\\uD83D\\ude01.'"));
    CHECK(host_says(&h, "[DONE]"));
    for (size_t i = 0; i < LG_COUNT(bad); i++) {
        char text[2048];
        snprintf(text, sizeof(text), STREAM_BEGIN "%s" STREAM_END("stop"), bad[i]);
        host_stream(&h, text);
        host_run(&h, ASK_STREAM(READ_A));
        CHECK(host_says(&h, "lone surrogate"));
    }
    host_close(&h);
}

// --- Decisions ----------------------------------------------------------------------------------

static void decisions_are_named(void)
{
    host h;
    host_open(&h, &(host_options){.rules = TEXTS, .route = {.no_revisions = true}});
    host_reply(&h, SAID("a secret"));
    host_run(&h, ASK(READ_A));
    CHECK(h.decision_id[0] != 0); // of words
    host_close(&h);
    host_open(&h, &(host_options){.rules = RULES});
    host_reply(&h, REPLY(CALLS(BAD("w1")), "tool_calls"));
    host_reply(&h, SAID("Sorry."));
    host_run(&h, ASK(READ_A));
    CHECK(h.decision_id[0] != 0); // of what was replaced
    h.fails_to_keep = true;
    host_reply(&h, REPLY(CALLS(CALL("w1", "act", ARGS_A)), "tool_calls"));
    host_run(&h, ASK(READ_A));
    CHECK(h.decision_id[0] == 0 && host_says(&h, "'round'")); // no log has it
    CHECK(!host_says(&h, "'id':'','round'") && !host_says(&h, "'id':'w1','round'"));
    host_close(&h);
}

static void what_is_watched_would_say(void)
{
    static const lg_str rules[] = {{"open_only", 9}};
    host h;
    host_open(&h, &(host_options){.rules = RULES,
                                  .route = {.shadow_rules = rules, .shadow_rule_count = 1}});
    host_reply(&h, REPLY(CALLS(BAD("w1")), "tool_calls"));
    host_run(&h, ASK(READ_A));
    CHECK(host_says(&h, "'delivered':true,'shadow':true"));
    CHECK(host_says(&h, "'would_say':'act was not carried out"));
    CHECK(!host_says(&h, "'text':'act was not"));
    host_close(&h);
}

// A text of so many bytes, between two others.
static const char *around(host *h, const char *before, size_t bytes, const char *behind)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, before);
    for (size_t i = 0; i < bytes; i += 10) {
        lg_buf_add_c(&text, "0123456789");
    }
    lg_buf_add_c(&text, behind);
    lg_str kept = lg_arena_str(&h->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return kept.ptr;
}

enum { AT_ONCE = 16 << 10, LONG = 200000 };

// A reply of many short events, of which the last calls for what is allowed.
static const char *many_events(host *h)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, STREAM_BEGIN);
    for (size_t i = 0; i < 500; i++) {
        lg_buf_add_c(&text, STREAM_TEXT("a few words that are said "));
    }
    lg_buf_add_c(&text, STREAM_CALL("0", "w1", "act", ARGS_A) STREAM_END("tool_calls"));
    lg_str kept = lg_arena_str(&h->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return kept.ptr;
}

#define CALL_FROM                                                                                  \
    "{'id':'c1','object':'chat.completion','created':1,'model':'m','choices':[{'index':0,"         \
    "'message':{'role':'assistant','content':null,'tool_calls':[{'id':'w1','type':'function',"     \
    "'function':{'name':'act','arguments':'"
#define CALL_TO "'}}]},'finish_reason':'tool_calls'}]}"

// Of a long reply, too, nothing is read, judged or written in a turn of the loop but what the host was asked to do elsewhere;
// and it is the same reply.
static void long_replies_are_read_elsewhere(void)
{
    for (int i = 0; i < 12; i++) {
        host h;
        bool streams = i % 4 > 1, refused = i % 4 == 1;
        host_open(&h, &(host_options){.rules = RULES,
                                      .at_once = AT_ONCE,
                                      .route = {.mode = i / 4 == 2 ? LG_PROXY_SHADOW : 0}});
        h.piece = i / 4 ? 1000 : 0;
        h.asks = true;
        if (i % 4 == 0) {
            host_reply(
                &h, around(&h, CALL_FROM "{\\'id\\':\\'A\\',\\'card\\':\\'", LONG, "\\'}" CALL_TO));
        } else if (i % 4 == 1) {
            host_reply(
                &h, around(&h, CALL_FROM "{\\'id\\':\\'B\\',\\'card\\':\\'", LONG, "\\'}" CALL_TO));
            host_reply(&h, REPLY(AGENT("no"), "stop"));
        } else if (i % 4 == 2) {
            host_stream(&h, around(&h,
                                   STREAM_BEGIN "data: {'id':'c1','choices':[{'index':0,'delta':"
                                                "{'content':'",
                                   LONG,
                                   "'}}]}\n\n" STREAM_CALL("0", "w1", "act", ARGS_A)
                                       STREAM_END("tool_calls")));
        } else {
            host_stream(&h, many_events(&h));
        }
        host_run(&h, streams ? ASK_STREAM(READ_A) : ASK(READ_A));
        bool shadow = i / 4 == 2;
        char name[40];
        snprintf(name, sizeof(name), "case %d", i);
        CHECK_MSG(h.status == 200 && h.ended && !h.broken && h.asides > 1, name);
        CHECK_MSG(h.most_worked <= AT_ONCE, "it was worked on in a turn of the loop");
        CHECK(host_says(&h, "'arguments':") == (shadow || !refused));
        CHECK(h.asked_count == (refused && !shadow ? 2 : 1) && h.report.decisions == 1);
        CHECK(shadow || !refused ? h.got.len > AT_ONCE : host_says(&h, "'no'"));
        CHECK(h.waits == (shadow ? 0 : 1));
        host_verify(&h, 1);
        host_close(&h);
    }
}

// Who was to get it is gone while it is judged: the decision is in the log all the same.
static void a_long_reply_that_nobody_waits_for_is_in_the_log(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES, .at_once = AT_ONCE});
    lg_exchange *x;
    lg_exchange_options options = {.proxy = h.proxy,
                                   .route = h.route,
                                   .principal = h.principal,
                                   .body = host_text(&h, ASK(READ_A)),
                                   .now = h.now,
                                   .at_once = AT_ONCE,
                                   .kept = host_kept,
                                   .kept_context = &h};
    host_reply(&h, around(&h, CALL_FROM "{\\'id\\':\\'A\\',\\'card\\':\\'", LONG, "\\'}" CALL_TO));
    CHECK(lg_exchange_new(&options, &x) == LG_OK);
    lg_exchange_report report = {0};
    while (!report.decisions && host_step(&h, x)) {
        lg_exchange_tell(x, &report);
    }
    CHECK(report.decisions == 1 && h.waits == 0 && !h.ended);
    lg_exchange_free(x);
    host_verify(&h, 1);
    host_close(&h);
}

int main(void)
{
    RUN(the_charset_is_ours);
    RUN(a_status_that_is_none_is_refused);
    RUN(both_are_told);
    RUN(broken_arguments_are_told_once);
    RUN(texts_of_a_stream_stand_apart);
    RUN(a_stream_in_rounds_is_known_again);
    RUN(what_a_revision_failed_with_is_said);
    RUN(nothing_says_it_again);
    RUN(usage_is_kept_over_rounds);
    RUN(characters_may_be_cut);
    RUN(decisions_are_named);
    RUN(what_is_watched_would_say);
    RUN(long_replies_are_read_elsewhere);
    RUN(a_long_reply_that_nobody_waits_for_is_in_the_log);
    return lg_test_done();
}
