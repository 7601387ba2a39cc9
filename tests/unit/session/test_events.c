// test_events.c: calls and their answers, the calls of one message, forks, clocks, and what is lost.
#include "session_fixture.h"

#define RULES                                                                                      \
    "rules:\n"                                                                                     \
    "  open_only:\n"                                                                               \
    "    tools: [act]\n"                                                                           \
    "    let: {o: 'ledger.orders[args.id]'}\n"                                                     \
    "    that: o.status == 'open'\n"                                                               \
    "    needs: ['ledger.orders[args.id]']\n"                                                      \
    "    say: 'Order {args.id} is {o.status}'\n"

// What became of the writes before, seen by `ping`.
#define OUTCOMES                                                                                   \
    "rules:\n"                                                                                     \
    "  outcomes:\n"                                                                                \
    "    tools: [ping]\n"                                                                          \
    "    that: 'size(ledger.history) == 0'\n"                                                      \
    "    say: '{ledger.history}'\n"

#define ONE "{\"id\": \"1\"}"
#define TWO "{\"id\": \"2\"}"
#define ACT_ONE(outcome) "[{\"name\":\"act\",\"args\":{\"id\":\"1\"},\"outcome\":\"" outcome "\"}]"
#define OPEN_ONE "{\"id\": \"1\", \"status\": \"open\"}"
#define OPEN_TWO "{\"id\": \"2\", \"status\": \"open\"}"

static bool shows(desk *d, const char *text)
{
    return lg_str_find(desk_render(d), lg_str_c(text)) != SIZE_MAX;
}

static lg_status take(desk *d, lg_event event)
{
    d->error = (lg_error){0};
    return lg_observe(d->session, &event, NULL, &d->error);
}

static lg_event failure(const char *id, const char *text)
{
    lg_event event = desk_result(id, "", text);
    event.kind = LG_EVENT_ERROR;
    return event;
}

static lg_str json_of(desk *d, const lg_decision *decision)
{
    lg_str json = {0};
    CHECK(lg_decision_json(d->session, decision, &json, NULL) == LG_OK);
    return lg_arena_str(&d->arena, json);
}

static lg_event failure_of(const char *tool, const char *text)
{
    lg_event event = desk_call("", tool, "{}", 2);
    event.kind = LG_EVENT_ERROR;
    event.text = lg_str_c(text);
    return event;
}

// The verdicts of what is proposed together: "allow; revise: open_only pending".
static lg_str verdicts(desk *d, const lg_event *proposed, size_t count)
{
    const lg_decision *decisions = desk_decide_all(d, proposed, count);
    lg_str all = LG_STR("");
    for (size_t i = 0; i < count; i++) {
        lg_str one = desk_describe(d, &decisions[i]);
        all = lg_arena_printf(&d->arena, "%.*s%s%.*s", LG_FMT(all), i ? "; " : "", LG_FMT(one));
    }
    return all;
}

// What the rule `outcomes` says of the history, in a message of this turn: "none", or JSON.
static lg_str history_in(desk *d, uint32_t turn)
{
    lg_event ping = desk_call("", "ping", "{}", turn);
    const lg_decision *decision = desk_decide_all(d, &ping, 1);
    lg_str message = decision->finding_count ? decision->findings[0].message : LG_STR("none");
    lg_str worse = LG_STR("In the worse case: ");
    size_t note = lg_str_find(message, worse);
    message = note == SIZE_MAX ? message : lg_str_slice(message, note + worse.len, message.len);
    return lg_arena_str(&d->arena, message);
}

// --- Answers find their calls -----------------------------------------------------------------------

static void answers_are_paired_by_id(void)
{
    desk d;
    desk_open(&d, RULES);
    CHECK(desk_take(&d, desk_call("a", "get_order", ONE, 1)) == LG_OBSERVED_OPEN);
    CHECK(desk_take(&d, desk_call("b", "get_order", TWO, 1)) == LG_OBSERVED_OPEN);
    CHECK(desk_take(&d, desk_result("b", "", OPEN_TWO)) == LG_OBSERVED_RECORDS);
    CHECK(shows(&d, "ledger.orders[\"2\"] = {\"id\":\"2\"") && !shows(&d, "orders[\"1\"]"));
    // The id decides, whatever the answer says of the tool.
    CHECK(desk_take(&d, desk_result("a", "act", OPEN_ONE)) == LG_OBSERVED_RECORDS);
    CHECK(shows(&d, "ledger.orders[\"1\"] = {\"id\":\"1\""));
    desk_close(&d);
}

static void answers_without_an_id_are_those_of_the_oldest_call(void)
{
    desk d;
    desk_open(&d, RULES);
    desk_take(&d, desk_call("", "get_order", ONE, 1));
    desk_take(&d, desk_call("", "get_user", "{}", 1));
    desk_take(&d, desk_call("x", "get_order", TWO, 1));
    CHECK(desk_take(&d, desk_result("", "get_user", "{\"name\": \"Ada\"}")) == LG_OBSERVED_RECORDS);
    CHECK(desk_take(&d, desk_result("", "get_order", OPEN_ONE)) == LG_OBSERVED_RECORDS);
    CHECK(shows(&d, "ledger.orders[\"1\"] = {\"id\":\"1\"") && !shows(&d, "orders[\"2\"]"));
    CHECK(desk_take(&d, desk_result("", "", OPEN_TWO)) == LG_OBSERVED_RECORDS); // neither
    CHECK(shows(&d, "ledger.orders[\"2\"] = {\"id\":\"2\""));
    CHECK(take(&d, desk_result("", "", OPEN_TWO)) == LG_ERR_USAGE);
    desk_close(&d);
}

static void an_answer_may_bring_its_call(void)
{
    desk d;
    desk_open(&d, OUTCOMES);
    lg_event both = desk_call("", "get_order", ONE, 1);
    both.kind = LG_EVENT_RESULT;
    both.text = LG_STR(OPEN_ONE);
    CHECK(desk_take(&d, both) == LG_OBSERVED_RECORDS);
    CHECK(shows(&d, "[get_order, turn 1]"));
    both.tool = LG_STR("act");
    both.kind = LG_EVENT_ERROR;
    both.text = LG_STR("timeout");
    CHECK(desk_take(&d, both) == LG_OBSERVED_UNKNOWN);
    CHECK_STR(history_in(&d, 2), ACT_ONE("unknown"));
    desk_close(&d);
}

// A read was under way while a write was carried out: nobody knows which came first.
// The same answer once more tells nothing new, and above all not that its record is fresh.
static void an_answer_that_comes_twice_is_a_mistake(void)
{
    desk d;
    desk_open(&d, "stale: reread\n" RULES);
    desk_take(&d, desk_call("r", "get_order", ONE, 1));
    lg_event answer = desk_result("r", "get_order", OPEN_ONE);
    answer.args = LG_STR(ONE);
    CHECK(desk_take(&d, answer) == LG_OBSERVED_RECORDS);
    desk_observe(&d, "act", ONE, "done", 2);
    lg_event next = desk_call("", "act", ONE, 3);
    CHECK_STR(verdicts(&d, &next, 1), "revise: open_only stale");
    CHECK(take(&d, answer) == LG_ERR_USAGE);
    CHECK_STR(verdicts(&d, &next, 1), "revise: open_only stale");
    desk_close(&d);
}

static void one_message_has_one_turn(void)
{
    desk d;
    const lg_decision *decisions = NULL;
    desk_open(&d, RULES);
    lg_event both[] = {desk_call("a", "act", ONE, 2), desk_call("b", "act", ONE, 3)};
    CHECK(lg_decide(d.session, both, 2, &decisions, &d.error) == LG_ERR_USAGE && !decisions);
    both[1].has_turn = false;
    CHECK(lg_decide(d.session, both, 2, &decisions, &d.error) == LG_ERR_USAGE && !decisions);
    desk_close(&d);
}

// Of calls without a turn nobody knows that they are of one message.
static void what_is_judged_alone_is_of_the_same_message(void)
{
    desk d;
    desk_open(&d, "parallel: judge\nstale: reread\n" RULES);
    desk_observe(&d, "get_order", ONE, OPEN_ONE, 1);
    lg_event made = desk_call("a", "act", ONE, 1);
    made.has_turn = false;
    lg_event again = desk_call("", "act", ONE, 1);
    again.has_turn = false;
    CHECK_STR(verdicts(&d, &again, 1), "allow");
    desk_take(&d, made);
    CHECK_STR(verdicts(&d, &again, 1), "revise: open_only stale");
    desk_close(&d);
}

// Whatever writes may have happened beside it: a record at the top of the ledger is as stale as any other.
static void a_past_that_may_be_hides_no_staleness(void)
{
    desk d;
    desk_open(&d, "rules:\n"
                  "  named:\n"
                  "    tools: [ping]\n"
                  "    stale: reread\n"
                  "    when: '!ledger.history.exists(h, h.name == \"act\")'\n"
                  "    that: ledger.user.name == 'Ada'\n"
                  "    needs: [ledger.user]\n"
                  "    say: not Ada\n");
    lg_event ping = desk_call("", "ping", "{}", 4);
    desk_observe(&d, "get_user", "{}", "{\"name\": \"Ada\"}", 1);
    CHECK_STR(verdicts(&d, &ping, 1), "allow");
    desk_take(&d, failure_of("get_user", "Error: not now"));
    CHECK_STR(verdicts(&d, &ping, 1), "revise: named stale");
    desk_take(&d, desk_call("a", "act", ONE, 3));
    desk_take(&d, failure("a", "timeout"));
    CHECK_STR(verdicts(&d, &ping, 1), "revise: named stale");
    desk_close(&d);
}

// Comparing a collection reads all of its records.
static void a_collection_is_as_stale_as_its_records(void)
{
    static const char *const ways[] = {"ledger.orders == {'1': {'id': '1', 'status': 'open'}}",
                                       "ledger.orders in [{'1': {'id': '1', 'status': 'open'}}]"};
    for (size_t i = 0; i < LG_COUNT(ways); i++) {
        desk d;
        lg_arena arena;
        lg_arena_init(&arena, 0);
        desk_open(&d, lg_arena_printf(&arena,
                                      "rules:\n"
                                      "  same:\n"
                                      "    tools: [ping]\n"
                                      "    stale: reread\n"
                                      "    that: \"%s\"\n"
                                      "    say: changed\n",
                                      ways[i])
                          .ptr);
        lg_event both[] = {desk_call("", "act", ONE, 2), desk_call("", "ping", "{}", 2)};
        desk_observe(&d, "get_order", ONE, OPEN_ONE, 1);
        CHECK_STR(verdicts(&d, &both[1], 1), "allow");
        CHECK_STR(verdicts(&d, both, 2), "allow; revise: same pending");
        desk_observe(&d, "act", ONE, "done", 2);
        CHECK_STR(verdicts(&d, &both[1], 1), "revise: same stale");
        desk_close(&d);
        lg_arena_done(&arena);
    }
}

static void conversation_rules_see_what_may_have_happened(void)
{
    desk d;
    desk_open(&d, "conversation:\n"
                  "  rules:\n"
                  "    forbids: {that: \"!ledger.history.exists(h, h.name == 'act')\", at: act}\n"
                  "    permits: {that: \"ledger.history.exists(h, h.name == 'act')\", at: ping}\n");
    lg_event twice[] = {desk_call("a", "act", ONE, 1), desk_call("b", "act", ONE, 1)};
    lg_event ping = desk_call("", "ping", "{}", 2);
    CHECK_STR(verdicts(&d, twice, 2), "allow; revise: forbids violated");
    desk_take(&d, twice[0]);
    CHECK_STR(verdicts(&d, &ping, 1), "revise: permits violated");
    desk_take(&d, failure("a", "timeout"));
    CHECK_STR(verdicts(&d, &ping, 1), "revise: permits violated");
    lg_event act = desk_call("", "act", ONE, 2);
    CHECK_STR(verdicts(&d, &act, 1), "revise: forbids violated");
    desk_observe(&d, "act", ONE, "done", 2);
    CHECK_STR(verdicts(&d, &ping, 1), "allow");
    desk_close(&d);
}

// Agents that number the calls of each message use their ids again.
static void an_id_that_comes_again_is_that_of_the_latest_message(void)
{
    desk d;
    desk_open(&d, OUTCOMES);
    desk_take(&d, desk_call("1", "act", ONE, 1));
    desk_take(&d, desk_call("1", "get_order", ONE, 2));
    CHECK(desk_take(&d, desk_result("1", "", OPEN_ONE)) == LG_OBSERVED_RECORDS);
    CHECK_STR(history_in(&d, 3), ACT_ONE("unknown"));
    CHECK(desk_take(&d, desk_result("1", "", "done")) == LG_OBSERVED_WRITE);
    desk_close(&d);
}

static void an_answer_with_other_arguments_is_that_of_another_call(void)
{
    desk d;
    desk_open(&d, RULES);
    desk_take(&d, desk_call("x", "get_order", ONE, 1));
    desk_observe(&d, "get_order", TWO, OPEN_TWO, 1);
    CHECK(shows(&d, "orders[\"2\"]") && !shows(&d, "orders[\"1\"]"));
    desk_observe(&d, "get_order", ONE, OPEN_ONE, 1); // of the open one
    CHECK(take(&d, desk_result("x", "", OPEN_ONE)) == LG_ERR_USAGE);
    desk_close(&d);
}

static void a_late_read_does_not_show_what_came_meanwhile(void)
{
    desk d;
    desk_open(&d, "stale: reread\n" RULES);
    desk_take(&d, desk_call("r", "get_order", ONE, 1));
    desk_observe(&d, "act", ONE, "done", 2);
    CHECK(desk_take(&d, desk_result("r", "", OPEN_ONE)) == LG_OBSERVED_RECORDS);
    lg_event next = desk_call("", "act", ONE, 3);
    CHECK_STR(verdicts(&d, &next, 1), "revise: open_only stale");
    desk_observe(&d, "get_order", ONE, OPEN_ONE, 3);
    CHECK_STR(verdicts(&d, &next, 1), "allow");
    desk_close(&d);
}

static void an_answer_to_no_call_is_a_mistake(void)
{
    desk d;
    desk_open(&d, RULES);
    CHECK(take(&d, desk_result("a", "", "{}")) == LG_ERR_USAGE && d.error.msg[0]);
    desk_take(&d, desk_call("a", "act", ONE, 1));
    CHECK(take(&d, desk_result("b", "", "{}")) == LG_ERR_USAGE);
    CHECK(desk_take(&d, desk_result("a", "", "{}")) == LG_OBSERVED_WRITE);
    lg_str before = desk_render(&d);
    CHECK(take(&d, failure("a", "no")) == LG_ERR_USAGE); // it has one
    lg_event odd = {.kind = (lg_event_kind)99, .tool = LG_STR("act")};
    CHECK(take(&d, odd) == LG_ERR_USAGE);
    CHECK_STR(desk_render(&d), before.ptr);
    CHECK(desk_decide(&d, "ping", "{}")->verdict == LG_ALLOW); // nothing was lost with it
    desk_close(&d);
}

static void only_what_the_agent_proposes_is_judged(void)
{
    desk d;
    desk_open(&d, RULES);
    const lg_decision *decisions = NULL;
    lg_event good = desk_call("", "ping", "{}", 1);
    lg_event bad[] = {good, good, desk_result("", "act", "{}"), failure("a", "no")};
    bad[0].role = LG_ROLE_USER;
    bad[1].role = LG_ROLE_SYSTEM;
    for (size_t i = 0; i < LG_COUNT(bad); i++) {
        lg_event both[] = {good, bad[i]};
        CHECK(lg_decide(d.session, both, 2, &decisions, &d.error) == LG_ERR_USAGE && !decisions);
    }
    CHECK(lg_decide(d.session, NULL, 0, &decisions, &d.error) == LG_OK);
    CHECK_STR(verdicts(&d, &good, 1), "allow");
    desk_close(&d);
}

// --- Calls of one message ---------------------------------------------------------------------------

static void fill(desk *d)
{
    desk_observe(d, "get_order", ONE, OPEN_ONE, 1);
    desk_observe(d, "get_order", TWO, OPEN_TWO, 1);
}

static void a_write_before_it_makes_a_call_pending(void)
{
    desk d;
    desk_open(&d, RULES);
    fill(&d);
    lg_event calls[] = {desk_call("a", "act", ONE, 2), desk_call("b", "act", TWO, 2),
                        desk_call("c", "act", ONE, 2)};
    CHECK_STR(verdicts(&d, calls, 3), "allow; allow; revise: open_only pending");
    CHECK_STR(verdicts(&d, &calls[2], 1), "allow"); // nothing has happened
    lg_event text = desk_message(LG_ROLE_AGENT, "Both, then.", 2);
    lg_event said[] = {text, calls[0], calls[2]};
    CHECK_STR(verdicts(&d, said, 3), "allow; allow; revise: open_only pending");
    desk_close(&d);
}

static void a_pending_call_is_refused_whatever_its_rule_found(void)
{
    desk d;
    desk_open(&d, RULES "    otherwise: block\n");
    fill(&d);
    desk_observe(&d, "get_order", TWO, "{\"id\": \"2\", \"status\": \"shut\"}", 1);
    lg_event calls[] = {desk_call("a", "act", TWO, 2), desk_call("b", "act", ONE, 2),
                        desk_call("c", "act", ONE, 2)};
    CHECK_STR(verdicts(&d, calls, 3),
              "block: open_only violated block; allow; revise: open_only pending");
    desk_close(&d);
}

static void a_pack_may_judge_calls_by_themselves(void)
{
    desk d;
    desk_open(&d, "parallel: judge\n" RULES);
    fill(&d);
    lg_event calls[] = {desk_call("a", "act", ONE, 2), desk_call("b", "act", ONE, 2)};
    CHECK_STR(verdicts(&d, calls, 2), "allow; allow");
    desk_close(&d);
}

static void a_call_that_is_refused_changes_nothing(void)
{
    desk d;
    desk_open(&d, RULES);
    fill(&d);
    lg_event calls[] = {desk_call("a", "act", "{\"id\": \"1\", \"amount\": 5000}", 2),
                        desk_call("b", "act", ONE, 2), desk_call("c", "act", ONE, 2)};
    CHECK_STR(verdicts(&d, calls, 3),
              "revise: arguments arguments; allow; revise: open_only pending");
    desk_close(&d);
}

static void what_comes_behind_changes_no_decision(void)
{
    desk d;
    desk_open(&d, RULES);
    fill(&d);
    lg_event calls[] = {desk_call("a", "act", ONE, 2), desk_call("b", "act", ONE, 2),
                        desk_call("c", "get_order", TWO, 2), desk_call("", "act", TWO, 2),
                        desk_call("", "nobody", "[", 2)};
    lg_str alone[LG_COUNT(calls)];
    lg_session_set_time(d.session, (lg_time){1700000000, 0});
    for (size_t n = 1; n <= LG_COUNT(calls); n++) {
        const lg_decision *decisions = desk_decide_all(&d, calls, n);
        for (size_t i = 0; i < n; i++) {
            lg_str json = json_of(&d, &decisions[i]);
            alone[i] = i + 1 == n ? json : alone[i];
            CHECK(lg_str_eq(json, alone[i]));
        }
    }
    desk_close(&d);
}

static void an_open_call_of_the_same_message_is_pending(void)
{
    desk d;
    desk_open(&d, "stale: reread\n" RULES);
    fill(&d);
    lg_event again = desk_call("b", "act", ONE, 2);
    desk_take(&d, desk_call("a", "act", ONE, 2));
    CHECK_STR(verdicts(&d, &again, 1), "revise: open_only pending");
    again.has_turn = false;
    CHECK_STR(verdicts(&d, &again, 1), "revise: open_only pending");
    again.has_turn = true;
    again.turn = 3; // of an earlier message: it is not known what it has done
    CHECK_STR(verdicts(&d, &again, 1), "revise: open_only stale");
    again.args = LG_STR(TWO);
    CHECK_STR(verdicts(&d, &again, 1), "allow");
    desk_close(&d);
}

// --- What may have happened -------------------------------------------------------------------------

// The read may have been carried out before the write, whichever answers first.
static void a_read_beside_a_write_is_stale(void)
{
    for (int write_first = 0; write_first < 2; write_first++) {
        for (int call_first = 0; call_first < 2; call_first++) {
            desk d;
            desk_open(&d, "stale: reread\n" RULES);
            lg_event write = desk_call("w", "act", ONE, 2),
                     read = desk_call("r", "get_order", ONE, 2);
            desk_take(&d, call_first ? write : read);
            desk_take(&d, call_first ? read : write);
            CHECK(desk_take(&d, desk_result(write_first ? "w" : "r", "",
                                            write_first ? "done" : OPEN_ONE)) ==
                  (write_first ? LG_OBSERVED_WRITE : LG_OBSERVED_RECORDS));
            desk_take(&d,
                      desk_result(write_first ? "r" : "w", "", write_first ? OPEN_ONE : "done"));
            lg_event next = desk_call("", "act", ONE, 3);
            CHECK_STR(verdicts(&d, &next, 1), "revise: open_only stale");
            desk_observe(&d, "get_order", ONE, OPEN_ONE, 3);
            CHECK_STR(verdicts(&d, &next, 1), "allow");
            desk_close(&d);
        }
    }
}

static void an_open_write_may_have_happened(void)
{
    desk d;
    desk_open(&d, OUTCOMES);
    fill(&d);
    CHECK_STR(history_in(&d, 2), "none");
    desk_take(&d, desk_call("a", "act", ONE, 2));
    CHECK_STR(history_in(&d, 3), ACT_ONE("unknown"));
    CHECK(shows(&d,
                "ledger.orders[\"1\"] = {\"id\":\"1\",\"status\":\"open\"}  [get_order, turn 1; "
                "stale: act at turn 2 may have changed it"));
    CHECK(shows(&d, "ledger.orders[\"2\"] = {\"id\":\"2\",\"status\":\"open\"}  [get_order, turn "
                    "1]\n"));
    // Reading does not settle it: the write may still happen.
    desk_observe(&d, "get_order", ONE, OPEN_ONE, 3);
    CHECK(shows(&d, "stale: act at turn 2"));
    // A late answer does, and only what is read from then on has seen it.
    CHECK(desk_take(&d, desk_result("a", "", "done")) == LG_OBSERVED_WRITE);
    CHECK_STR(history_in(&d, 4), ACT_ONE("done"));
    CHECK(shows(&d, "stale: act at turn 2"));
    desk_observe(&d, "get_order", ONE, OPEN_ONE, 4);
    CHECK(!shows(&d, "stale"));
    desk_close(&d);
}

static void a_write_that_failed_may_have_happened(void)
{
    desk d;
    desk_open(&d, OUTCOMES);
    fill(&d);
    desk_take(&d, desk_call("a", "act", ONE, 2));
    CHECK(desk_take(&d, failure("a", "timeout")) == LG_OBSERVED_UNKNOWN);
    CHECK_STR(history_in(&d, 3), ACT_ONE("unknown"));
    CHECK(shows(&d, "stale: act at turn 2"));
    desk_close(&d);
}

static void open_calls_have_a_ceiling(void)
{
    desk d;
    desk_open(&d, RULES);
    lg_session_free(d.session);
    CHECK(lg_session_new(d.pack, &(lg_limits){.open_calls = 2}, &d.session) == LG_OK);
    desk_take(&d, desk_call("a", "get_order", ONE, 1));
    desk_take(&d, desk_call("b", "act", TWO, 1));
    lg_str before = desk_render(&d);
    CHECK(take(&d, desk_call("c", "get_order", ONE, 1)) == LG_ERR_LIMIT);
    CHECK(lg_str_find(lg_str_c(d.error.msg), LG_STR("open_calls")) != SIZE_MAX);
    CHECK_STR(desk_render(&d), before.ptr);
    CHECK(desk_decide(&d, "ping", "{}")->verdict == LG_ALLOW); // a read, which rules would miss
    const lg_decision *decision;
    lg_event ping = desk_call("", "ping", "{}", 2);
    CHECK(take(&d, desk_call("c", "act", ONE, 1)) == LG_ERR_LIMIT);
    CHECK(lg_decide(d.session, &ping, 1, &decision, &d.error) == LG_ERR_LIMIT);
    lg_session_reset(d.session);
    CHECK_STR(verdicts(&d, &ping, 1), "allow");
    desk_close(&d);
}

// --- Forks --------------------------------------------------------------------------------------------

static lg_session *fork_of(desk *d)
{
    lg_session *fork = NULL;
    if (lg_session_fork(d->session, &fork) != LG_OK) {
        printf("no fork\n");
        exit(1);
    }
    return fork;
}

// What the session decides of some calls, as JSON.
static lg_str decisions_of(desk *d)
{
    const lg_event calls[] = {desk_call("", "act", ONE, 9), desk_call("", "act", TWO, 9),
                              desk_call("", "act", ONE, 9), desk_call("", "ping", "{}", 9)};
    lg_str all = LG_STR("");
    const lg_decision *decisions = desk_decide_all(d, calls, LG_COUNT(calls));
    for (size_t i = 0; i < LG_COUNT(calls); i++) {
        lg_str json = json_of(d, &decisions[i]);
        all = lg_arena_printf(&d->arena, "%.*s%.*s\n", LG_FMT(all), LG_FMT(json));
    }
    return all;
}

static void a_fork_goes_on_by_itself(void)
{
    desk d;
    desk_open(&d, "stale: reread\n" RULES);
    lg_session_set_time(d.session, (lg_time){1700000000, 0});
    fill(&d);
    desk_take(&d, desk_call("a", "get_order", ONE, 2));
    lg_str before = decisions_of(&d);
    lg_session *own = d.session;
    lg_session *fork = fork_of(&d);
    d.session = fork;
    CHECK_STR(decisions_of(&d), before.ptr);
    desk_take(&d, desk_result("a", "", "{\"status\": \"shut\"}"));
    desk_observe(&d, "act", TWO, "done", 2);
    lg_str after = decisions_of(&d);
    CHECK(!lg_str_eq(after, before));
    d.session = own;
    CHECK_STR(decisions_of(&d), before.ptr);
    CHECK(desk_take(&d, desk_result("a", "", OPEN_ONE)) == LG_OBSERVED_RECORDS); // open here
    d.session = fork;
    CHECK_STR(decisions_of(&d), after.ptr);
    lg_session_reset(fork); // the other stays as it is
    d.session = own;
    CHECK(shows(&d, "(2 records)"));
    lg_session_free(fork);
    CHECK(shows(&d, "(2 records)"));
    desk_close(&d);
}

// So much that memory has to be given back many times.
static void observe_much(desk *d)
{
    lg_buf result;
    lg_buf_init(&result, 0);
    lg_buf_add_c(&result, "{\"status\": \"");
    lg_buf_add_repeat(&result, 'x', 4000);
    lg_buf_add_c(&result, "\"}");
    lg_event read = {
        .kind = LG_EVENT_RESULT, .tool = LG_STR("get_order"), .text = lg_buf_str(&result)};
    for (uint32_t i = 0; i < 1000; i++) {
        read.args = i % 2 ? LG_STR(ONE) : LG_STR(TWO);
        desk_take(d, read);
        if (i % 100 == 0) {
            desk_observe(d, "act", i % 3 ? ONE : TWO, "done", i);
        }
    }
    lg_buf_done(&result);
}

static void going_back_gives_the_same_decisions(void)
{
    desk d;
    desk_open(&d, "stale: reread\n" RULES);
    lg_session_free(d.session);
    lg_limits limits = {.memory_bytes = (size_t)512 << 10};
    CHECK(lg_session_new(d.pack, &limits, &d.session) == LG_OK);
    lg_session_set_time(d.session, (lg_time){1700000000, 0});
    lg_session *kept[3];
    lg_str wanted[3];
    for (size_t i = 0; i < LG_COUNT(kept); i++) {
        kept[i] = fork_of(&d);
        wanted[i] = decisions_of(&d);
        desk_observe(&d, "get_order", i ? ONE : TWO, i ? OPEN_ONE : OPEN_TWO, (uint32_t)i + 1);
        desk_take(&d, desk_call("w", "act", TWO, (uint32_t)i + 1));
        observe_much(&d);
    }
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = LG_COUNT(kept); i-- > 0;) {
            CHECK(lg_session_restore(d.session, kept[i]) == LG_OK);
            CHECK_STR(decisions_of(&d), wanted[i].ptr);
            observe_much(&d);
        }
    }
    lg_session_free(kept[1]); // in any order, and the first session before the last fork
    lg_session_free(d.session);
    d.session = kept[0];
    CHECK_STR(decisions_of(&d), wanted[0].ptr);
    lg_session_free(kept[2]);
    observe_much(&d);
    desk_close(&d);
}

static void sessions_are_not_forks_of_each_other(void)
{
    desk d;
    desk other;
    desk_open(&d, RULES);
    desk_open(&other, RULES);
    fill(&d);
    lg_str before = desk_render(&d);
    CHECK(lg_session_restore(d.session, other.session) == LG_ERR_USAGE);
    CHECK_STR(desk_render(&d), before.ptr);
    CHECK(lg_session_restore(d.session, d.session) == LG_OK);
    CHECK_STR(desk_render(&d), before.ptr);
    desk_close(&other);
    desk_close(&d);
}

// --- Clocks ---------------------------------------------------------------------------------------------

static void a_decision_says_which_clock_it_went_by(void)
{
    desk d;
    lg_event ping = desk_call("", "ping", "{}", 1);
    desk_open(&d, "clock: 2024-05-15T15:00:00Z\nrules: {}\n");
    ping.has_time = true;
    ping.time = (lg_time){1700000000, 5};
    const lg_decision *decision = desk_decide_all(&d, &ping, 1);
    CHECK(decision->clock == LG_CLOCK_PACK && decision->now.seconds == 1715785200);
    desk_close(&d);
    desk_open(&d, "rules: {}\n");
    decision = desk_decide_all(&d, &ping, 1);
    CHECK(decision->clock == LG_CLOCK_EVENT && decision->now.seconds == 1700000000 &&
          decision->now.nanos == 5);
    ping.has_time = false;
    decision = desk_decide_all(&d, &ping, 1);
    CHECK(decision->clock == LG_CLOCK_HOST && decision->now.seconds > 1700000000);
    lg_session_set_time(d.session, (lg_time){7, 8});
    decision = desk_decide_all(&d, &ping, 1);
    CHECK(decision->clock == LG_CLOCK_HOST && decision->now.seconds == 7 &&
          decision->now.nanos == 8);
    CHECK_STR(lg_str_c(lg_clock_name(LG_CLOCK_PACK)), "pack");
    CHECK_STR(lg_str_c(lg_clock_name(LG_CLOCK_EVENT)), "event");
    CHECK_STR(lg_str_c(lg_clock_name(LG_CLOCK_HOST)), "host");
    desk_close(&d);
}

// --- What is lost -----------------------------------------------------------------------------------------

static void a_write_that_is_lost_ends_all_decisions(void)
{
    desk d;
    desk_open(&d, RULES);
    lg_session_free(d.session);
    lg_limits limits = {.memory_bytes = (size_t)128 << 10};
    CHECK(lg_session_new(d.pack, &limits, &d.session) == LG_OK);
    fill(&d);
    lg_session *before = fork_of(&d);
    lg_buf args;
    lg_buf_init(&args, 0);
    lg_buf_add_c(&args, "{\"id\": \"1\", \"sku\": \"");
    lg_buf_add_repeat(&args, 'x', (size_t)256 << 10);
    lg_buf_add_c(&args, "\"}");
    lg_event large = {.kind = LG_EVENT_CALL, .tool = LG_STR("act"), .args = lg_buf_str(&args)};
    lg_event ping = desk_call("", "ping", "{}", 3);
    const lg_decision *decision;
    CHECK(take(&d, large) == LG_ERR_OOM);
    for (int round = 0; round < 2; round++) {
        CHECK(lg_decide(d.session, &ping, 1, &decision, &d.error) == LG_ERR_LIMIT);
        CHECK(d.error.msg[0]);
        desk_observe(&d, "get_order", ONE, OPEN_ONE, 3); // nothing that comes mends it
    }
    lg_session *lost = fork_of(&d);
    CHECK(lg_decide(lost, &ping, 1, &decision, NULL) == LG_ERR_LIMIT);
    CHECK(lg_decide(before, &ping, 1, &decision, NULL) == LG_OK); // it has not made the call
    CHECK(lg_session_restore(d.session, before) == LG_OK);
    CHECK_STR(verdicts(&d, &ping, 1), "allow");
    CHECK(lg_session_restore(d.session, lost) == LG_OK);
    CHECK(lg_decide(d.session, &ping, 1, &decision, NULL) == LG_ERR_LIMIT);
    lg_session_reset(d.session);
    CHECK_STR(verdicts(&d, &ping, 1), "allow");
    lg_session_free(lost);
    lg_session_free(before);
    lg_buf_done(&args);
    desk_close(&d);
}

int main(void)
{
    RUN(answers_are_paired_by_id);
    RUN(answers_without_an_id_are_those_of_the_oldest_call);
    RUN(an_answer_may_bring_its_call);
    RUN(an_answer_to_no_call_is_a_mistake);
    RUN(only_what_the_agent_proposes_is_judged);
    RUN(a_write_before_it_makes_a_call_pending);
    RUN(a_pending_call_is_refused_whatever_its_rule_found);
    RUN(a_pack_may_judge_calls_by_themselves);
    RUN(a_call_that_is_refused_changes_nothing);
    RUN(what_comes_behind_changes_no_decision);
    RUN(an_open_call_of_the_same_message_is_pending);
    RUN(a_read_beside_a_write_is_stale);
    RUN(an_answer_that_comes_twice_is_a_mistake);
    RUN(one_message_has_one_turn);
    RUN(what_is_judged_alone_is_of_the_same_message);
    RUN(a_past_that_may_be_hides_no_staleness);
    RUN(a_collection_is_as_stale_as_its_records);
    RUN(conversation_rules_see_what_may_have_happened);
    RUN(an_id_that_comes_again_is_that_of_the_latest_message);
    RUN(an_answer_with_other_arguments_is_that_of_another_call);
    RUN(a_late_read_does_not_show_what_came_meanwhile);
    RUN(an_open_write_may_have_happened);
    RUN(a_write_that_failed_may_have_happened);
    RUN(open_calls_have_a_ceiling);
    RUN(a_fork_goes_on_by_itself);
    RUN(going_back_gives_the_same_decisions);
    RUN(sessions_are_not_forks_of_each_other);
    RUN(a_decision_says_which_clock_it_went_by);
    RUN(a_write_that_is_lost_ends_all_decisions);
    return lg_test_done();
}
