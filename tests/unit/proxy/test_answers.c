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
        "'reasoning':'a secret','annotations':['secret']},'logprobs':{'content':[{'token':'secret'"
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
    return lg_test_done();
}
