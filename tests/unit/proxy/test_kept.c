// test_kept.c: the log says what has happened: what was refused without a rule, what was let pass against one, and what
// has reached the client.
#include "proxy_host.h"
#include "proxy_texts.h"

typedef struct seen {
    uint64_t decisions, outcomes; // that hold what is looked for
    uint64_t all_decisions, all_outcomes;
} seen;

// `decision` and `outcome` are parts of payloads.
static seen look(host *h, const char *decision, const char *outcome)
{
    char path[256];
    lg_error err;
    lg_log *log = NULL;
    lg_log_record record;
    seen s = {0};
    lg_temp_path(path, sizeof(path), h->folder, "log.db");
    CHECK(lg_log_open(path, NULL, &log, &err) == LG_OK);
    for (uint64_t from = 1; lg_log_next(log, from, LG_STR(""), &record, &err) == LG_OK;
         from = record.sequence + 1) {
        bool is_decision = lg_str_eq(record.kind, LG_STR("decision"));
        bool is_outcome = lg_str_eq(record.kind, LG_STR("outcome"));
        s.all_decisions += is_decision;
        s.all_outcomes += is_outcome;
        s.decisions += is_decision && host_has(record.body, host_text(h, decision).ptr);
        s.outcomes += is_outcome && host_has(record.body, host_text(h, outcome).ptr);
    }
    lg_log_close(log);
    return s;
}

#define RETURN                                                                                     \
    {                                                                                              \
        .on_refusal = LG_PROXY_RETURN                                                              \
    }

// One reply, one decision, one outcome.
static void check_one(const host_options *options, const char *body, const char *reply,
                      const char *decision, const char *outcome)
{
    host h;
    host_open(&h, options);
    host_reply(&h, reply);
    host_run(&h, body);
    host_verify(&h, 1);
    seen s = look(&h, decision, outcome);
    CHECK_MSG(s.all_decisions == 1 && s.decisions == 1, decision);
    CHECK_MSG(s.all_outcomes == 1 && s.outcomes == 1, outcome);
    host_close(&h);
}

#define GOOD CALL("w1", "act", ARGS_A)

static void what_no_rule_refuses_stands_there(void)
{
    host_options o = {.rules = RULES, .route = RETURN};
    check_one(&o, ASK(READ_A), REPLY(CALLS(GOOD), "length"),
              "'host':[{'proposed':0,'passes':false,'rules':['cut'],'message':'The message ended",
              "'outcome':'refused','note':'The message ended");
    check_one(&o, ASK("7," READ_A), REPLY(CALLS(GOOD), "tool_calls"),
              "'host':[{'proposed':0,'passes':false,'rules':['unreadable'],'message':'A part",
              "'outcome':'refused','note':'A part");
    check_one(&o, ASK(READ_A), REPLY(CALLS(CALL("w1", "act", "{")), "tool_calls"),
              "'host':[{'proposed':0,'passes':false,'rules':['arguments'],'message':'The arguments",
              "'outcome':'refused','note':'The arguments");
    check_one(
        &o, ASK(READ_A),
        REPLY(CALLS("{'id':'w1','type':'function','function':{'name':'act','arguments':'" ARGS_A
                    "'},'custom':{'name':'act','input':'x'}}"),
              "tool_calls"),
        "'host':[{'proposed':0,'passes':false,'rules':['broken'],'message':'This is not one",
        "'outcome':'refused','note':'This is not one");
}

// Beside one that is made.
static void what_passes_beside_it_is_delivered(void)
{
    host_options o = {.rules = RULES, .route = RETURN};
    check_one(&o, ASK(READ_A), REPLY(CALLS(GOOD "," CALL("w2", "act", "{")), "tool_calls"),
              "'host':[{'proposed':1,'passes':false,'rules':['arguments']",
              "'outcome':'delivered'}");
    check_one(&o, ASK(READ_A), REPLY(CALLS(GOOD), "tool_calls"),
              "}],'decisions':", "'outcome':'delivered'}");
    check_one(&o, ASK(READ_A), REPLY(CALLS(CALL("w1", "act", ARGS_B)), "tool_calls"),
              "}],'decisions':", "'outcome':'refused'}");
}

static void what_is_watched_stands_there(void)
{
    host_options o = {.rules = RULES, .route = {.mode = LG_PROXY_SHADOW}};
    check_one(&o, ASK(READ_A), REPLY(CALLS(CALL("w1", "act", ARGS_B)), "tool_calls"),
              "'host':[{'proposed':0,'passes':true,'rules':['", "'outcome':'delivered'}");
}

static void no_verdict_stands_there(void)
{
    host_options o = {.rules = RULES, .route = RETURN, .proxy = {.limits = {.open_calls = 1}}};
    check_one(&o,
              ASK(USER("x") "," CALLS(
                  CALL("a", "act", ARGS_A) "," CALL("b", "act", ARGS_A)) "," USER("y")),
              REPLY(CALLS(CALL("p1", "ping", ARGS_N("1"))), "tool_calls"), "'error':{'status':",
              "'outcome':'refused','note':'LedgerGate has reached no verdict");
}

// The log has not said that it has it: whether it does is not known, but nothing of it has happened.
static void what_is_not_kept_stands_there(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES});
    h.fails_to_keep = true;
    host_reply(&h, REPLY(CALLS(GOOD), "tool_calls"));
    host_run(&h, ASK(READ_A));
    CHECK(host_counts(&h).failures == 0);
    host_verify(&h, 1);
    seen s = look(&h, "'verdict':'allow'", "'outcome':'refused','note':'The decision on this call");
    CHECK(s.decisions == 1 && s.outcomes == 1 && s.all_outcomes == 1);
    host_close(&h);
}

// Each of the rounds has its own word.
static void what_was_replaced_is_removed(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES});
    host_reply(&h, REPLY(CALLS(GOOD), "length"));
    host_reply(&h, REPLY(CALLS(GOOD), "tool_calls"));
    host_run(&h, ASK(READ_A));
    host_verify(&h, 2);
    CHECK(look(&h, "'rules':['cut']", "'outcome':'removed'").decisions == 1);
    CHECK(look(&h, "", "'outcome':'removed'").outcomes == 1);
    CHECK(look(&h, "", "'outcome':'delivered'").outcomes == 1);
    host_close(&h);
}

// The revision came to nothing, so the client has the reply before it, without its calls.
static void what_was_not_replaced_is_refused(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES});
    host_stream(&h, STREAM_BEGIN STREAM_TEXT("First.") STREAM_CALL("0", "w1", "act", ARGS_B)
                        STREAM_END("tool_calls"));
    host_add(&h, 500, "application/json", "{}");
    host_run(&h, ASK_STREAM(READ_A));
    host_verify(&h, 1);
    CHECK(look(&h, "", "'outcome':'refused'").outcomes == 1);
    host_close(&h);
}

static void what_nobody_got_is_undelivered(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES});
    h.client_is_gone = true;
    host_reply(&h, REPLY(CALLS(GOOD), "tool_calls"));
    host_run(&h, ASK(READ_A));
    host_verify(&h, 1);
    CHECK(look(&h, "", "'outcome':'undelivered'").outcomes == 1);
    host_close(&h);
}

// Nor has he got an answer who was refused: what is gone is told apart from what was told.
static void what_was_refused_to_nobody_is_undelivered(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES, .route = RETURN});
    h.client_is_gone = true;
    host_reply(&h, REPLY(CALLS(GOOD), "length"));
    host_run(&h, ASK(READ_A));
    host_verify(&h, 1);
    CHECK(look(&h, "", "'outcome':'undelivered','note':'The message ended").outcomes == 1);
    CHECK(look(&h, "", "'outcome':'refused'").outcomes == 0);
    host_close(&h);
}

// Whose call it was, and what it was called before ids were made that are the session's own.
static void whose_call_it_was_stands_there(void)
{
    host_options o = {.rules = RULES, .route = RETURN};
    check_one(&o, ASK(READ_A), REPLY(CALLS(GOOD "," CALL("w2", "act", ARGS_B)), "tool_calls"),
              "'principal':'alice',", "'outcome':");
    check_one(&o, ASK(READ_A), REPLY(CALLS(GOOD "," CALL("w2", "act", ARGS_B)), "tool_calls"),
              "'calls':['w1','w2']}", "'outcome':");
}

// Of a call that was refused there is a result: the operator hears of it, and the log, with the next decision.
static void what_comes_past_the_gate_stands_there(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES, .route = RETURN});
    host_reply(&h, REPLY(CALLS(CALL("w1", "act", ARGS_B)), "tool_calls"));
    host_run(&h, ASK(READ_A));
    CHECK(h.report.results_refused == 0);
    host_reply(&h, REPLY(CALLS(GOOD), "tool_calls"));
    host_run(&h, ASK(READ_A "," CALLS(CALL("w1", "act", ARGS_B)) "," RESULT("w1", "done")));
    CHECK(h.report.results_refused == 1);
    host_verify(&h, 2);
    seen s = look(&h, "'findings':[{'kind':'result_of_refused','tool':'act'", "");
    CHECK(s.decisions == 1 && s.all_decisions == 2);
    host_close(&h);
}

int main(void)
{
    RUN(what_no_rule_refuses_stands_there);
    RUN(what_passes_beside_it_is_delivered);
    RUN(what_is_watched_stands_there);
    RUN(no_verdict_stands_there);
    RUN(what_is_not_kept_stands_there);
    RUN(what_was_replaced_is_removed);
    RUN(what_was_not_replaced_is_refused);
    RUN(what_nobody_got_is_undelivered);
    RUN(what_was_refused_to_nobody_is_undelivered);
    RUN(whose_call_it_was_stands_there);
    RUN(what_comes_past_the_gate_stands_there);
    return lg_test_done();
}
