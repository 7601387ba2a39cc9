// test_hold.c: a large request is forgotten while the upstream is waited for, which nobody sees, and the sum of all has a
// ceiling.
#include "proxy_host.h"
#include "proxy_texts.h"

#define MANY 30000u
#define SHORT 2000u // bytes: replies that are read where the host waits

// So many small messages take twenty times their bytes once they are read.
static lg_str large(host *h, bool stream, const char *before)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text,
                 stream ? "{'model':'m','stream':true,'messages':[" : "{'model':'m','messages':[");
    for (size_t i = 0; i < MANY; i++) {
        lg_buf_add_c(&text, USER("x") ",");
    }
    lg_buf_add_c(&text, before);
    lg_buf_add_c(&text, "]}");
    lg_buf_add(&text, (lg_str){"", 1});
    lg_str kept = host_text(h, text.ptr);
    lg_buf_done(&text);
    return kept;
}

static void a_large_request_rests(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES, .slice = MANY});
    lg_str body = large(&h, false, READ_A);
    host_reply(
        &h, REPLY(CALLS(CALL("w1", "act", ARGS_B)), "tool_calls")); // is refused: it is asked again
    host_reply(&h, REPLY(CALLS(CALL("w2", "act", ARGS_A)), "tool_calls"));
    CHECK(host_run_text(&h, body));
    CHECK(h.asked_count == 2 && host_asked(&h, 1, "w1"));
    CHECK(h.most_worked < SHORT && h.mores - h.asides == 2); // nor is it read again on the loop
    CHECK(h.asked[0].len > body.len && h.asked[1].len > h.asked[0].len);
    CHECK(host_says(&h, "w2") && h.report.revisions == 1 && h.report.decisions == 2);
    CHECK_MSG(h.held < 8 * body.len,
              "what was read is still there"); // of which the most is the session's
    CHECK(lg_proxy_held_bytes(h.proxy) == 0);
    host_verify(&h, 2);
    host_close(&h);
}

static void so_does_one_of_a_stream(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES, .slice = MANY});
    host_stream(&h, STREAM_BEGIN STREAM_CALL("0", "w1", "act", ARGS_A) STREAM_END("tool_calls"));
    CHECK(host_run_text(&h, large(&h, true, READ_A)));
    CHECK(host_says(&h, "w1") && h.report.decisions == 1);
    CHECK(h.most_worked < SHORT);
    host_verify(&h, 1);
    host_close(&h);
}

// What the client has of the stream ends with the reply that there is, for which the request is needed as well.
static void so_does_one_whose_revision_fails(void)
{
    host h;
    host_open(&h, &(host_options){.rules = RULES, .slice = MANY});
    host_stream(&h, STREAM_BEGIN STREAM_TEXT("I will see. ") STREAM_CALL("0", "w1", "act", ARGS_B)
                        STREAM_END("tool_calls"));
    lg_str body = large(&h, true, READ_A);
    CHECK(host_run_text(&h, body));
    CHECK(h.asked_count == 2 && h.ended && !h.broken && h.report.decisions == 1);
    CHECK(host_says(&h, "The model was asked again, and the upstream did not answer."));
    CHECK(h.most_worked < SHORT && lg_proxy_held_bytes(h.proxy) == 0);
    host_verify(&h, 1);
    host_close(&h);
}

// Up to where it waits for the upstream.
static lg_exchange *waiting(host *h, lg_str body)
{
    lg_exchange *x = NULL;
    lg_exchange_options options = {.proxy = h->proxy,
                                   .route = h->route,
                                   .principal = h->principal,
                                   .body = body,
                                   .now = h->now,
                                   .slice = MANY,
                                   .kept = host_kept,
                                   .kept_context = h};
    CHECK(lg_exchange_new(&options, &x) == LG_OK);
    lg_exchange_action a;
    do {
        a = lg_exchange_next(x);
    } while (a.kind == LG_EXCHANGE_MORE);
    CHECK(a.kind == LG_EXCHANGE_UPSTREAM);
    return x;
}

static void all_together_have_a_ceiling(void)
{
    host h;
    host_open(&h,
              &(host_options){.rules = RULES, .slice = MANY, .proxy = {.exchange_bytes = 4096}});
    lg_str body = large(&h, false, USER("x"));
    lg_exchange *first = waiting(&h, body); // who is alone may be larger
    host_run(&h, ASK(USER("x")));
    CHECK(h.status == 503 && host_says(&h, "ledgergate_memory"));
    CHECK(lg_str_eq(h.retry_after, LG_STR("1")));
    CHECK(host_counts(&h).failures == 1);
    lg_exchange_free(first);
    CHECK(lg_proxy_held_bytes(h.proxy) == 0);
    host_reply(&h, REPLY(AGENT("hello"), "stop"));
    host_run(&h, ASK(USER("x")));
    CHECK(h.status == 200);
    host_close(&h);
}

int main(void)
{
    RUN(a_large_request_rests);
    RUN(so_does_one_of_a_stream);
    RUN(so_does_one_whose_revision_fails);
    RUN(all_together_have_a_ceiling);
    return lg_test_done();
}
