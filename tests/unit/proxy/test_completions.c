// test_completions.c: chat completions from the request to what the client and the upstream see.
#include "proxy_host.h"
#include "proxy_texts.h"

static void judges_an_unstreamed_reply(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES});
    host_reply(&h, REPLY(CALLS(CALL("w1", "act", ARGS_A)), "tool_calls"));
    host_run(&h, ASK(READ_A));
    CHECK(h.status == 200);
    CHECK_STR(h.type, "application/json");
    CHECK(host_says(&h, CALL("w1", "act", ARGS_A)));
    CHECK(host_says(&h, "'x_unknown':[1, 2.50]"));
    CHECK(host_says(&h, "'verdict':'allow','delivered':true"));
    CHECK(host_asked(&h, 0, "LedgerGate, not written by the user"));
    CHECK(host_asked(&h, 0, "ledger.orders.A = {"));
    CHECK(h.waits == 1);
    CHECK(h.early.len == 0); // nothing of it before the log has it
    CHECK(h.asked_count == 1);
    CHECK(strlen(h.decision_id) == 32);
    CHECK(host_says(&h, h.decision_id));
    CHECK(host_counts(&h).allowed == 1);
    CHECK(host_counts(&h).delivered == 1);
    host_close(&h);
}

static void asks_again_for_what_was_refused(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES});
    host_reply(&h, REPLY(CALLS(CALL("w1", "act", ARGS_B)), "tool_calls"));
    host_reply(&h, REPLY(CALLS(CALL("w2", "act", ARGS_A)), "tool_calls"));
    host_run(&h, ASK(READ_A));
    CHECK(h.asked_count == 2);
    CHECK(host_asked(&h, 1, CALL("w1", "act", ARGS_B)));
    CHECK(host_asked(&h, 1, "'role':'tool','tool_call_id':'w1'"));
    CHECK(host_asked(&h, 1, "LedgerGate has refused this call, and nothing was done."));
    CHECK(!host_says(&h, "'id':'w1','type'"));
    CHECK(host_says(&h, CALL("w2", "act", ARGS_A)));
    CHECK(host_says(&h, "'total_tokens':30"));
    CHECK(host_says(&h, "'verdict':'revise','delivered':false,'rules':['open_only']"));
    CHECK(host_says(&h, "'revisions':1"));
    CHECK(host_counts(&h).revised == 1 && host_counts(&h).revisions == 1);
    host_close(&h);
}

int main(void)
{
    RUN(judges_an_unstreamed_reply);
    RUN(asks_again_for_what_was_refused);
    return lg_test_done();
}
