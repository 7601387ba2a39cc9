// test_session.c: the public library: sessions, their errors, their memory, packs shared by threads.
#include "session_fixture.h"

#include "base/alloc.h"

#include <pthread.h>

#define RULES                                                                                      \
    "rules:\n"                                                                                     \
    "  pending:\n"                                                                                 \
    "    tools: [act]\n"                                                                           \
    "    let: {o: 'ledger.orders[args.id]'}\n"                                                     \
    "    that: o.status == 'open' && o.items.all(i, i != 'z')\n"                                   \
    "    needs: ['ledger.orders[args.id]']\n"                                                      \
    "    say: 'Order {args.id} is {o.status}'\n"                                                   \
    "  gift:\n"                                                                                    \
    "    tools: [act]\n"                                                                           \
    "    when: has(args.card)\n"                                                                   \
    "    that: \"ledger.user.cards[args.card].kind == 'gift'\"\n"                                  \
    "    say: 'No gift card: {args.card}'\n"

static lg_status decide_call(lg_session *session, lg_str tool, lg_str args, const lg_decision **ret,
                             lg_error *reterr)
{
    lg_event call = {.kind = LG_EVENT_CALL, .tool = tool, .args = args};
    return lg_decide(session, &call, 1, ret, reterr);
}

// --- Observing ------------------------------------------------------------------------------------

static void every_call_is_something_to_the_ledger(void)
{
    static const struct {
        const char *tool, *result;
        bool failed, by_user;
        lg_observed want;
    } calls[] = {
        {"get_order", "{\"id\": \"1\"}", false, false, LG_OBSERVED_RECORDS},
        {"get_order", "{\"id\": \"1\"}", true, false, LG_OBSERVED_STALE},
        {"get_order", "{\"id\": \"1\"}", false, true, LG_OBSERVED_NOTHING},
        {"get_order", "Error", false, false, LG_OBSERVED_UNREADABLE},
        {"act", "", false, false, LG_OBSERVED_WRITE},
        {"act", "", true, false, LG_OBSERVED_UNKNOWN},
        {"think", "", false, false, LG_OBSERVED_NOTHING},
        {"nobody", "", false, false, LG_OBSERVED_NOTHING},
    };
    desk d;
    desk_open(&d, RULES);
    for (size_t i = 0; i < LG_COUNT(calls); i++) {
        lg_event both = {.kind = calls[i].failed ? LG_EVENT_ERROR : LG_EVENT_RESULT,
                         .role = calls[i].by_user ? LG_ROLE_USER : LG_ROLE_AGENT,
                         .tool = lg_str_c(calls[i].tool),
                         .args = LG_STR("{\"id\": \"1\"}"),
                         .text = lg_str_c(calls[i].result)};
        CHECK_MSG(desk_take(&d, both) == calls[i].want, calls[i].tool);
        CHECK((calls[i].want == LG_OBSERVED_UNREADABLE) == (d.error.msg[0] != '\0'));
        CHECK(lg_observe(d.session, &both, NULL, NULL) == LG_OK); // neither is wanted
    }
    desk_close(&d);
}

// A call was made with whatever it was made with.
static void arguments_that_are_no_object_count_as_none(void)
{
    static const char *const bad[] = {"[]", "null", "{\"id\": }", "{\n\"id\": 1,}", "\xFF"};
    desk d;
    desk_open(&d, RULES);
    desk_observe(&d, "act", "{}", "", 1);
    lg_str once = desk_render(&d);
    for (size_t i = 0; i < LG_COUNT(bad); i++) {
        lg_session_reset(d.session);
        CHECK(desk_observe(&d, "act", bad[i], "", 1) == LG_OBSERVED_WRITE);
        CHECK_STR(desk_render(&d), once.ptr);
    }
    desk_close(&d);
}

// The caller's texts may go as soon as the call has returned.
static void a_session_keeps_no_pointer_of_the_callers(void)
{
    desk d;
    desk_open(&d, RULES);
    char tool[] = "get_order";
    char args[] = "{\"id\": \"1\"}";
    char result[] = "{\"id\": \"1\", \"status\": \"shut\"}";
    char id[] = "call 1";
    lg_event call = {
        .kind = LG_EVENT_CALL, .id = lg_str_c(id), .tool = lg_str_c(tool), .args = lg_str_c(args)};
    CHECK(desk_take(&d, call) == LG_OBSERVED_OPEN);
    memset(tool, '#', sizeof(tool) - 1);
    memset(args, '#', sizeof(args) - 1);
    memset(id, '#', sizeof(id) - 1);
    lg_event answer = {.kind = LG_EVENT_RESULT, .id = LG_STR("call 1"), .text = lg_str_c(result)};
    CHECK(desk_take(&d, answer) == LG_OBSERVED_RECORDS);
    memset(result, '#', sizeof(result) - 1);
    char called[] = "act";
    char proposed[] = "{\"id\": \"1\"}";
    const lg_decision *decision = desk_decide(&d, called, proposed);
    memset(called, '#', sizeof(called) - 1);
    memset(proposed, '#', sizeof(proposed) - 1);
    CHECK_STR(decision->message, "act was not carried out (revise).\n"
                                 "- pending: Order 1 is shut");
    CHECK_STR(desk_render(&d),
              "Ledger of desk: what tools have returned in this conversation (1 record).\n"
              "ledger.orders[\"1\"] = {\"id\":\"1\",\"status\":\"shut\"}  [get_order, turn 0]\n");
    desk_close(&d);
}

static void a_session_says_why_a_result_was_rejected(void)
{
    desk d;
    desk_open(
        &d, "  look: {kind: read, parameters: {type: object}, returns: User, stores: [{at: user}],"
            " ensures: [{id: has_name, that: \"result.name != ''\", because: all have one}]}\n"
            "rules: {}\n");
    CHECK(desk_observe(&d, "look", "{}", "{\"name\": \"\"}", 1) == LG_OBSERVED_REJECTED);
    const lg_rejection *rejection = lg_rejected(d.session);
    CHECK(rejection && rejection->category == LG_CATEGORY_SEMANTIC);
    if (rejection) {
        CHECK_STR(rejection->condition, "has_name");
        CHECK_STR(rejection->because, "all have one");
        CHECK_STR(lg_str_c(rejection->message),
                  "the result of look breaks postcondition has_name: `result.name != ''` is false");
    }
    CHECK(desk_observe(&d, "look", "{}", "{\"name\": \"Ada\"}", 1) == LG_OBSERVED_RECORDS);
    CHECK(!lg_rejected(d.session));
    desk_close(&d);
}

static void a_decision_changes_nothing(void)
{
    desk d;
    desk_open(&d, RULES);
    desk_fill(&d);
    lg_str before = desk_render(&d);
    lg_str first = lg_arena_str(
        &d.arena, desk_decide(&d, "act", "{\"id\": \"1\", \"card\": \"c1\"}")->message);
    lg_str second = lg_arena_str(
        &d.arena, desk_decide(&d, "act", "{\"id\": \"1\", \"card\": \"c1\"}")->message);
    CHECK(first.len > 0 && lg_str_eq(first, second));
    CHECK(lg_str_eq(desk_render(&d), before));
    desk_close(&d);
}

static void a_reset_session_is_a_new_one(void)
{
    desk d;
    desk_open(&d, RULES);
    lg_str empty = desk_render(&d);
    for (int round = 0; round < 3; round++) {
        CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "{\"id\": \"1\"}")),
                  "revise: pending missing");
        desk_fill(&d);
        CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "{\"id\": \"1\"}")), "allow");
        lg_session_reset(d.session);
        CHECK(lg_str_eq(desk_render(&d), empty));
    }
    desk_close(&d);
}

static void rendering_takes_options(void)
{
    desk d;
    desk_open(&d, RULES);
    desk_fill(&d);
    lg_str text;
    CHECK(lg_render(d.session, &(lg_render_options){.compact = true}, &text, NULL) == LG_OK);
    CHECK_STR(text, "Ledger of desk: what tools have returned in this conversation (2 records).\n"
                    "ledger.user = {name: \"Ada\", cards: {2}, any: \"text\"}  [get_user, turn 2]\n"
                    "ledger.orders[\"1\"] = {id: \"1\", status: \"open\", total: 10, items: [2]}"
                    "  [get_order, turn 1]\n");
    CHECK(lg_render(d.session, &(lg_render_options){.budget_bytes = 100}, &text, NULL) == LG_OK);
    CHECK_STR(text, "Ledger of desk: what tools have returned in this conversation (2 records).\n"
                    "(2 older records left out to stay within 100 bytes; read again what you "
                    "need)\n");
    desk_close(&d);
}

static void packs_say_who_they_are(void)
{
    desk d;
    desk_open(&d, RULES);
    CHECK_STR(lg_pack_name(d.pack), "desk");
    CHECK_STR(lg_pack_version(d.pack), "1");
    CHECK(lg_version()[0] != '\0');
    desk_close(&d);
    lg_session_free(NULL);
    lg_pack_free(NULL);
}

// --- Memory ---------------------------------------------------------------------------------------

// Results that leave no trace in the ledger must leave none in its memory either.
static void what_is_not_kept_takes_no_memory(void)
{
    static const struct {
        const char *tool, *result;
        bool failed;
    } calls[] = {{"get_order", "no JSON ", false},
                 {"get_order", "[\"of another shape\"] ", false},
                 {"get_order", "{\"id\": \"1\"} ", true},
                 {"think", "a thought ", false},
                 {"nobody", "anything ", false}};
    desk d;
    desk_open(&d, RULES);
    lg_session *session;
    CHECK(lg_session_new(d.pack, &(lg_limits){.memory_bytes = (size_t)256 << 10}, &session) ==
          LG_OK);
    for (size_t i = 0; i < LG_COUNT(calls); i++) {
        lg_buf result;
        lg_buf_init(&result, 0);
        lg_buf_add_c(&result, calls[i].result);
        lg_buf_add_repeat(&result, ' ', 4000);
        lg_event o = {.kind = calls[i].failed ? LG_EVENT_ERROR : LG_EVENT_RESULT,
                      .tool = lg_str_c(calls[i].tool),
                      .args = LG_STR("{\"id\": \"1\"}"),
                      .text = lg_buf_str(&result)};
        bool fine = true;
        for (int round = 0; round < 500 && fine; round++) {
            fine = lg_observe(session, &o, NULL, NULL) == LG_OK;
        }
        CHECK_MSG(fine, calls[i].tool);
        lg_buf_done(&result);
    }
    lg_session_free(session);
    desk_close(&d);
}

static void a_session_has_a_ceiling(void)
{
    desk d;
    desk_open(&d, RULES);
    lg_session *session;
    CHECK(lg_session_new(d.pack, &(lg_limits){.memory_bytes = (size_t)64 << 10}, &session) ==
          LG_OK);
    lg_buf result;
    lg_buf_init(&result, 0);
    lg_buf_add_c(&result, "{\"status\": \"");
    lg_buf_add_repeat(&result, 'x', 4000);
    lg_buf_add_c(&result, "\"}");
    lg_event o = {
        .kind = LG_EVENT_RESULT, .tool = LG_STR("get_order"), .text = lg_buf_str(&result)};
    lg_status status = LG_OK;
    lg_error error = {0};
    int kept = 0;
    while (kept < 100 && status == LG_OK) {
        char args[32];
        int len = snprintf(args, sizeof(args), "{\"id\": \"%d\"}", kept);
        o.args = (lg_str){args, (size_t)len};
        status = lg_observe(session, &o, NULL, &error);
        kept += status == LG_OK;
    }
    CHECK(status == LG_ERR_OOM && kept > 2 && kept < 20);
    CHECK_STR(lg_str_c(error.msg),
              "out of memory, or over the memory budget (limits memory_bytes, document_bytes)");
    lg_session_reset(session);
    for (int i = 0; i < 500; i++) { // one record takes no more memory the five hundredth time
        o.args = LG_STR("{\"id\": \"1\"}");
        CHECK(lg_observe(session, &o, NULL, NULL) == LG_OK);
    }
    lg_buf_done(&result);
    lg_session_free(session);
    desk_close(&d);
}

// Records that take up to a third of the budget can be read again and again: before there is no room for moving
// what is needed beside what is held, it is moved.
static void a_third_of_the_budget_can_be_read_for_ever(void)
{
    enum { BUDGET_BYTES = 2 << 20, ROUNDS = 12 };
    desk d;
    desk_open(&d, RULES);
    for (size_t size_bytes = 50; size_bytes < 20000; size_bytes *= 3) {
        lg_session *session;
        CHECK(lg_session_new(d.pack, &(lg_limits){.memory_bytes = BUDGET_BYTES}, &session) ==
              LG_OK);
        lg_buf result;
        lg_buf_init(&result, 0);
        lg_buf_add_c(&result, "{\"status\": \"");
        lg_buf_add_repeat(&result, 'x', size_bytes);
        lg_buf_add_c(&result, "\"}");
        lg_event o = {
            .kind = LG_EVENT_RESULT, .tool = LG_STR("get_order"), .text = lg_buf_str(&result)};
        size_t records = BUDGET_BYTES / 3 / (size_bytes + 830); // with keys, paths and sources
        size_t taken = 0;
        for (size_t i = 0; i < records * ROUNDS; i++) {
            char args[32];
            int len = snprintf(args, sizeof(args), "{\"id\": \"%zu\"}", i % records);
            o.args = (lg_str){args, (size_t)len};
            taken += lg_observe(session, &o, NULL, NULL) == LG_OK;
        }
        char said[80];
        snprintf(said, sizeof(said), "records of %zu bytes: %zu of %zu reads", size_bytes, taken,
                 records * ROUNDS);
        CHECK_MSG(taken == records * ROUNDS, said);
        lg_buf_done(&result);
        lg_session_free(session);
    }
    desk_close(&d);
}

// A write that was carried out and cannot be taken in is not forgotten: nothing is decided without it.
static void a_write_that_is_not_taken_in_ends_all_decisions(void)
{
    desk d;
    desk_open(&d, RULES);
    lg_session *session;
    CHECK(lg_session_new(d.pack, &(lg_limits){.memory_bytes = (size_t)64 << 10}, &session) ==
          LG_OK);
    lg_buf result;
    lg_buf_init(&result, 0);
    lg_buf_add_repeat(&result, 'x', 100000);
    lg_event read = {.kind = LG_EVENT_RESULT,
                     .tool = LG_STR("get_order"),
                     .args = LG_STR("{\"id\": \"1\"}"),
                     .text = lg_buf_str(&result)};
    lg_event write = read;
    write.tool = d.pack->tools[0].name;
    for (size_t i = 0; i < d.pack->tool_count; i++) {
        write.tool = d.pack->tools[i].kind == LG_TOOL_WRITE ? d.pack->tools[i].name : write.tool;
    }
    const lg_decision *decision;
    lg_error error = {0};
    // Of a read, too: it may have shown that what was read before is no longer so.
    CHECK(lg_observe(session, &read, NULL, NULL) == LG_ERR_OOM);
    CHECK(decide_call(session, write.tool, LG_STR("{}"), &decision, &error) == LG_ERR_LIMIT);
    lg_session_reset(session);
    CHECK(decide_call(session, write.tool, LG_STR("{}"), &decision, &error) == LG_OK);
    CHECK(lg_observe(session, &write, NULL, NULL) == LG_ERR_OOM);
    CHECK(decide_call(session, write.tool, LG_STR("{}"), &decision, &error) == LG_ERR_LIMIT);
    CHECK(lg_str_find(lg_str_c(error.msg), LG_STR("begin a new session")) != SIZE_MAX);
    lg_session_reset(session);
    CHECK(decide_call(session, write.tool, LG_STR("{}"), &decision, &error) == LG_OK);
    lg_buf_done(&result);
    lg_session_free(session);
    desk_close(&d);
}

// Memory runs out at the n-th allocation, for every n until there is enough: an error and the state
// as before, or the very result that there is with enough memory.
static void observing_without_memory_leaves_the_ledger(void)
{
    desk d;
    desk_open(&d, RULES);
    bool done = false;
    for (uint64_t n = 1; n < 200 && !done; n++) {
        lg_session *session;
        CHECK(lg_session_new(d.pack, NULL, &session) == LG_OK);
        lg_session *own = d.session;
        d.session = session;
        desk_fill(&d);
        lg_str before = desk_render(&d);
        lg_buf result;
        lg_buf_init(&result, 0);
        lg_buf_add_c(&result, "{\"id\": \"2\", \"items\": [");
        for (int i = 0; i < 3000; i++) {
            lg_buf_add_c(&result, i ? ",\"\\u0061\"" : "\"\\u0062\"");
        }
        lg_buf_add_c(&result, "]}");
        lg_event o = {.kind = LG_EVENT_RESULT,
                      .tool = LG_STR("get_order"),
                      .args = LG_STR("{\"id\": \"2\"}"),
                      .text = lg_buf_str(&result)};
        lg_observed observed = LG_OBSERVED_NOTHING;
        lg_error error = {0};
        lg_alloc_fail_at(n);
        lg_status status = lg_observe(session, &o, &observed, &error);
        lg_alloc_fail_at(0);
        done = status == LG_OK && observed == LG_OBSERVED_RECORDS;
        CHECK(done || (status == LG_ERR_OOM && error.status == LG_ERR_OOM));
        CHECK(done || lg_str_eq(desk_render(&d), before));
        CHECK(lg_observe(session, &o, &observed, NULL) == LG_OK &&
              observed == LG_OBSERVED_RECORDS); // and now there is memory
        lg_buf_done(&result);
        lg_session_free(session);
        d.session = own;
    }
    CHECK(done);
    desk_close(&d);
}

static void deciding_without_memory_never_allows(void)
{
    static const char *const args[] = {
        "{\"id\": \"1\", \"card\": \"c1\"}", "{\"id\": \"2\", \"card\": \"g1\"}",
        "{\"id\": 1, \"amount\": 5000}", "{\"id\": \"1\", \"card\": \"zz\"}", "no JSON"};
    for (size_t a = 0; a < LG_COUNT(args); a++) {
        desk d;
        desk_open(&d, RULES "  none: {tools: [act], that: 'false', say: '{args}'}\n");
        desk_fill(&d);
        lg_str want = lg_arena_str(&d.arena, desk_decide(&d, "act", args[a])->message);
        bool done = false;
        for (uint64_t n = 1; n < 400 && !done; n++) {
            lg_session *session;
            CHECK(lg_session_new(d.pack, NULL, &session) == LG_OK);
            lg_session *own = d.session;
            d.session = session;
            desk_fill(&d);
            const lg_decision *decision = NULL;
            lg_error error = {0};
            lg_alloc_fail_at(n);
            lg_status status =
                decide_call(session, LG_STR("act"), lg_str_c(args[a]), &decision, &error);
            lg_alloc_fail_at(0);
            CHECK(status == LG_OK || (status == LG_ERR_OOM && error.status == status && !decision));
            CHECK(status != LG_OK || decision->verdict != LG_ALLOW);
            done = status == LG_OK && lg_str_eq(decision->message, want);
            lg_session_free(session);
            d.session = own;
        }
        CHECK(done);
        desk_close(&d);
    }
}

static void a_session_without_memory_is_none(void)
{
    desk d;
    desk_open(&d, RULES);
    lg_session *session = NULL;
    lg_alloc_fail_at(1);
    CHECK(lg_session_new(d.pack, NULL, &session) == LG_ERR_OOM && !session);
    lg_alloc_fail_at(0);
    desk_fill(&d);
    lg_str text;
    lg_error error = {0};
    lg_alloc_fail_at(1);
    CHECK(lg_render(d.session, NULL, &text, &error) == LG_ERR_OOM && error.status == LG_ERR_OOM);
    lg_alloc_fail_at(0);
    CHECK(lg_render(d.session, NULL, &text, &error) == LG_OK && text.len > 0);
    desk_close(&d);
}

// --- Threads --------------------------------------------------------------------------------------

#define THREADS 4

typedef struct worker {
    const lg_pack *pack;
    size_t wrong;
} worker;

// One conversation after the other, each with verdicts that are known.
static void *converse(void *context)
{
    worker *w = context;
    lg_session *session;
    if (lg_session_new(w->pack, NULL, &session) != LG_OK) {
        w->wrong++;
        return NULL;
    }
    static const lg_verdict wanted[] = {LG_REVISE, LG_ALLOW};
    for (int round = 0; round < 200; round++) {
        for (int read = 0; read < 2; read++) {
            const lg_decision *decision;
            lg_event o = {.kind = LG_EVENT_RESULT,
                          .tool = LG_STR("get_order"),
                          .args = LG_STR("{\"id\": \"1\"}"),
                          .text = LG_STR("{\"status\": \"open\", \"items\": [\"a\"]}")};
            bool fine = !read || lg_observe(session, &o, NULL, NULL) == LG_OK;
            fine = fine && decide_call(session, LG_STR("act"), LG_STR("{\"id\": \"1\"}"), &decision,
                                       NULL) == LG_OK;
            w->wrong += !fine || decision->verdict != wanted[read];
        }
        lg_session_reset(session);
    }
    lg_session_free(session);
    return NULL;
}

static void threads_may_share_a_pack(void)
{
    desk d;
    desk_open(&d, RULES "  text: {tools: [act], that: \"!'ab'.matches('^[a-z]+[0-9]$')\", say: x}\n"
                        "  time: {tools: [act], that: \"now > timestamp('2001-01-01T00:00:00Z')\","
                        " say: x}\n");
    pthread_t threads[THREADS];
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.pack = d.pack};
        CHECK(pthread_create(&threads[i], NULL, converse, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(workers[i].wrong == 0);
    }
    desk_close(&d);
}

int main(void)
{
    RUN(every_call_is_something_to_the_ledger);
    RUN(arguments_that_are_no_object_count_as_none);
    RUN(a_session_keeps_no_pointer_of_the_callers);
    RUN(a_session_says_why_a_result_was_rejected);
    RUN(a_decision_changes_nothing);
    RUN(a_reset_session_is_a_new_one);
    RUN(rendering_takes_options);
    RUN(packs_say_who_they_are);
    RUN(what_is_not_kept_takes_no_memory);
    RUN(a_session_has_a_ceiling);
    RUN(a_third_of_the_budget_can_be_read_for_ever);
    RUN(a_write_that_is_not_taken_in_ends_all_decisions);
    RUN(observing_without_memory_leaves_the_ledger);
    RUN(deciding_without_memory_never_allows);
    RUN(a_session_without_memory_is_none);
    RUN(threads_may_share_a_pack);
    return lg_test_done();
}
