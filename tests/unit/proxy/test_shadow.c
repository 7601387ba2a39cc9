// test_shadow.c: in shadow everything is judged and kept, and nothing is refused.
#include "proxy_host.h"
#include "proxy_texts.h"

#include <time.h>

#define WATCHES .mode = LG_PROXY_SHADOW
#define BAD REPLY(CALLS(CALL("w1", "act", ARGS_B)), "tool_calls")

static void begin(host *h, lg_chat_api api)
{
    host_open(h, &(host_options){.rules = RULES,
                                 .api = api,
                                 .proxy = {.reply_bytes = 2000},
                                 .route = {WATCHES, .shares_upstream = true}});
}

static void came_as_it_was(host *h, const char *body)
{
    CHECK(h->status == 200 && !h->broken);
    CHECK_STR(lg_buf_str(&h->got), host_text(h, body).ptr);
}

// Nobody can read it, so nobody judges it; and its client can.
static void a_coded_reply_goes_on(void)
{
    host h;
    begin(&h, LG_CHAT_COMPLETIONS);
    host_answer *a = host_add(&h, 200, "application/json; charset=utf-16", "not to be read");
    a->coding = "gzip";
    a->field = "content-encoding";
    a->value = "gzip";
    host_run(&h, ASK(READ_A));
    came_as_it_was(&h, "not to be read");
    CHECK_STR(h.led_to, "gzip");
    CHECK_STR(h.type, "application/json; charset=utf-16");
    CHECK(host_counts(&h).failures == 1);
    host_close(&h);
}

static void a_large_reply_goes_on(void)
{
    lg_buf body;
    lg_buf_init(&body, 0);
    lg_buf_add_c(&body, "{'x':'");
    for (int i = 0; i < 500; i++) {
        lg_buf_addf(&body, "%06d ", i);
    }
    lg_buf_add_c(&body, "'}");
    lg_buf_add_byte(&body, '\0');
    for (int cut = 0; cut < 2; cut++) {
        host h;
        begin(&h, LG_CHAT_COMPLETIONS);
        h.piece = 700;
        host_add(&h, 200, "application/json", body.ptr)->cut = cut ? "it broke" : NULL;
        host_run(&h, ASK(READ_A));
        CHECK_STR(lg_buf_str(&h.got), host_text(&h, body.ptr).ptr);
        CHECK(h.status == 200 && h.broken == cut);
        CHECK(host_counts(&h).failures == 1);
        host_close(&h);
    }
    lg_buf_done(&body);
}

static void what_breaks_off_breaks_off(void)
{
    for (int streamed = 0; streamed < 2; streamed++) {
        host h;
        begin(&h, LG_CHAT_COMPLETIONS);
        const char *begun = streamed ? STREAM_BEGIN STREAM_TEXT("a") : "{'id':";
        const char *type = streamed ? "text/event-stream" : "application/json";
        host_add(&h, 200, type, begun)->cut = "it broke";
        host_run(&h, streamed ? ASK_STREAM(READ_A) : ASK(READ_A));
        CHECK_STR(lg_buf_str(&h.got), host_text(&h, begun).ptr);
        CHECK(h.status == 200 && h.broken);
        host_close(&h);
    }
}

// What an enforcing route refuses is counted.
static void requests_of_all_kinds_pass(void)
{
#define R_ASK(rest) "{'model':'m'," rest "}"
#define R_REPLY                                                                                    \
    "{'id':'resp_1','object':'response','status':'completed','model':'m','output':[{'type':"       \
    "'message','id':'m1','role':'assistant','status':'completed','content':[{'type':"              \
    "'output_text','text':'ok','annotations':[]}]}]}"
    static const char *const bodies[] = {
        R_ASK("'input':'x','tools':[{'type':'web_search'}]"),
        R_ASK("'input':'x','conversation':'conv_1'"),
        R_ASK("'input':'x','prompt':{'id':'p_1'}"),
        R_ASK("'input':'x','background':true"),
        R_ASK("'input':'x','previous_response_id':'resp_9'"),
        R_ASK("'input':'x','previous_response_id':7"),
        "no JSON",
    };
    for (size_t i = 0; i < LG_COUNT(bodies); i++) {
        host h;
        begin(&h, LG_CHAT_RESPONSES);
        host_reply(&h, R_REPLY);
        host_run(&h, bodies[i]);
        CHECK(h.asked_count == 1);
        came_as_it_was(&h, R_REPLY);
        lg_proxy_counts c = host_counts(&h);
        CHECK(c.unseen_tools + c.unseen_history + c.unknown_responses + c.failures > 0);
        host_close(&h);
    }
}

// Where memory ends before the upstream was asked, the request goes on as it came.
static void without_memory_it_goes_on(void)
{
    size_t unjudged = 0;
    host h;
    begin(&h, LG_CHAT_COMPLETIONS);
    lg_proxy_options with = h.o.proxy;
    for (uint64_t n = 1; n < 60; n++) {
        lg_proxy_route_free(h.route);
        lg_proxy_free(h.proxy);
        lg_error err;
        CHECK(lg_proxy_new(&with, &h.proxy) == LG_OK);
        CHECK(lg_proxy_route_new(h.proxy, &h.o.route, &h.route, &err) == LG_OK);
        lg_str body = host_text(&h, ASK(READ_A));
        host_reply(&h, BAD);
        h.answer_next = 0;
        h.fails_at = n;
        bool begun = host_run_text(&h, body);
        h.answer_count = 0;
        h.fails_at = 0;
        if (begun && h.asked_count == 1 && lg_str_eq(h.asked[0], body)) {
            unjudged++;
        }
        CHECK(!begun || h.asked_count == 1);
    }
    CHECK(unjudged > 10);
    host_close(&h);
}

// --- The log ------------------------------------------------------------------------------------

// Until the log has all that waits.
static uint64_t handed_over(const host *h)
{
    struct timespec nap = {.tv_nsec = 1000000};
    for (int i = 0; i < 2000 && lg_store_counts_of(h->store).waiting > 0; i++) {
        nanosleep(&nap, NULL);
    }
    return lg_store_counts_of(h->store).bytes;
}

// A conversation of so many turns, each with a call that is judged, and a long result.
static uint64_t bytes_of(lg_proxy_mode mode, int turns)
{
    host h;
    lg_buf body;
    char call[256], reply[1024];
    lg_buf_init(&body, 0);
    host_open(&h, &(host_options){.rules = RULES, .route = {.mode = mode}});
    lg_buf_add_c(&body, "{'model':'m','messages':[" READ_A);
    for (int i = 0; i < turns; i++) {
        size_t len = body.len;
        lg_buf_add_c(&body, "]}");
        lg_buf_add_byte(&body, '\0');
        snprintf(call, sizeof(call), CALLS(CALL("t%d", "act", ARGS_A)), i);
        snprintf(reply, sizeof(reply), REPLY("%s", "tool_calls"), call);
        host_reply(&h, reply);
        host_run(&h, body.ptr);
        CHECK(h.status == 200);
        body.len = len;
        lg_buf_addf(&body, ",%s,", call);
        lg_buf_addf(&body, RESULT("t%d", "%0400d"), i, i);
        (void)handed_over(&h);
    }
    uint64_t bytes = handed_over(&h);
    host_verify(&h, (uint64_t)turns);
    lg_buf_done(&body);
    host_close(&h);
    return bytes;
}

// Nobody waits for the log; and yet it is handed each event once, or again where it has lost it.
static void events_are_handed_over_once(void)
{
    uint64_t enforced = bytes_of(LG_PROXY_ENFORCE, 30);
    uint64_t watched = bytes_of(LG_PROXY_SHADOW, 30);
    CHECK(enforced > 12000 && watched < 2 * enforced);
}

int main(void)
{
    RUN(a_coded_reply_goes_on);
    RUN(a_large_reply_goes_on);
    RUN(what_breaks_off_breaks_off);
    RUN(requests_of_all_kinds_pass);
    RUN(without_memory_it_goes_on);
    RUN(events_are_handed_over_once);
    return lg_test_done();
}
