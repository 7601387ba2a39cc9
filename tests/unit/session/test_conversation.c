// test_conversation.c: conversation rules in the public session: what it is told, and what it says.
#include "session_fixture.h"

#include "base/alloc.h"

#define UNKEYED                                                                                    \
    "conversation:\n"                                                                              \
    "  rules:\n"                                                                                   \
    "    ping_after: {after: {result: act}, must: {result: ping}, say: 'Ping now.'}\n"             \
    "    at_most_two: {that: n <= 2, at: {call: [ping, get_order]}}\n"                             \
    "  signals: {n: {count: {call: any}, within: {seconds: 60}}}\n"

static void say(desk *d, lg_role who, const char *text, uint32_t turn)
{
    CHECK(desk_take(d, desk_message(who, text, turn)) == LG_OBSERVED_NOTHING);
}

static const lg_decision *decide_event(desk *d, lg_event proposed)
{
    return desk_decide_all(d, &proposed, 1);
}

#define RULES                                                                                      \
    "conversation:\n"                                                                              \
    "  single_call_per_turn: true\n"                                                               \
    "  no_text_with_call: {otherwise: report, because: quiet}\n"                                   \
    "  ends: think\n"                                                                              \
    "  rules:\n"                                                                                   \
    "    look_first: {before: {first: {result: get_order, key: args.id}, then: {call: act, key:"   \
    " args.id}}, because: policy}\n"                                                               \
    "    ping_after: {after: {result: act}, must: {result: ping}, say: 'Ping, since {turn}.'}\n"   \
    "    never_again: {never: {from: {message: agent, when: \"message == 'bye'\"}, to: [ping,"     \
    " {message: agent}]}, otherwise: block}\n"

static void a_call_is_judged_by_what_came_before(void)
{
    desk d;
    desk_open(&d, RULES);
    CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "{\"id\": \"1\"}")),
              "revise: look_first violated");
    desk_observe(&d, "get_order", "{\"id\": \"1\"}", "{\"id\": \"1\"}", 1);
    CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "{\"id\": \"1\"}")), "allow");
    const lg_decision *decision = desk_decide(&d, "act", "{\"id\": \"2\"}");
    CHECK_STR(desk_describe(&d, decision), "revise: look_first violated");
    CHECK_STR(decision->message, "act was not carried out (revise).\n- look_first: First there has "
                                 "to be a result of get_order for 2. [policy]");
    desk_close(&d);
}

// Whatever was made of it: what the ledger lacks is not what the call has left out.
static void what_the_ledger_lacks_leaves_a_rule_undecided(void)
{
    static const char *const conditions[] = {
        "ledger.orders['z'].id == 'z'",
        "ledger.orders.filter(k, true).map(k, ledger.orders[k].id)[0] == 'z'",
    };
    for (size_t i = 0; i < LG_COUNT(conditions); i++) {
        desk d;
        char rules[256];
        snprintf(rules, sizeof(rules),
                 "conversation:\n  rules:\n    r: {that: \"%s\", at: act, otherwise: block}\n",
                 conditions[i]);
        desk_open(&d, rules);
        const lg_decision *decision = desk_decide(&d, "act", "{\"id\": \"1\"}");
        CHECK_STR(desk_describe(&d, decision), "allow");
        CHECK(decision->rules_abstained == 1);
        desk_close(&d);
    }
}

// A result that the ledger did not accept proves nothing here either.
static void an_unreadable_result_is_an_error(void)
{
    desk d;
    desk_open(&d, RULES);
    CHECK(desk_observe(&d, "get_order", "{\"id\": \"1\"}", "no JSON", 1) == LG_OBSERVED_UNREADABLE);
    CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "{\"id\": \"1\"}")),
              "revise: look_first violated");
    desk_close(&d);
}

static void what_is_owed_is_listed_and_holds_the_end_up(void)
{
    desk d;
    const lg_obligation *owed;
    size_t count;
    desk_open(&d, RULES);
    desk_observe(&d, "act", "{\"id\": \"7\"}", "", 4);
    CHECK(lg_owed(d.session, &owed, &count, NULL) == LG_OK);
    if (CHECK(count == 1)) {
        CHECK_STR(owed[0].message, "Ping, since 4.");
        CHECK(owed[0].state == LG_OWED_OPEN && owed[0].turn == 4);
    }
    lg_str text = {0};
    CHECK(lg_render(d.session, NULL, &text, NULL) == LG_OK);
    CHECK_MSG(lg_str_ends(text, LG_STR("\nOwed: Ping, since 4.\n")), "the prompt names it");
    lg_render_options tight = {.budget_bytes = text.len - 1};
    CHECK(lg_render(d.session, &tight, &text, NULL) == LG_OK);
    CHECK_MSG(lg_str_find(text, LG_STR("Owed")) == SIZE_MAX, "within the budget only");
    const lg_decision *decision = desk_decide(&d, "think", "{}");
    CHECK_STR(desk_describe(&d, decision), "revise: ping_after violated");
    CHECK(decision->gated);
    desk_observe(&d, "ping", "{}", "", 5);
    CHECK(lg_owed(d.session, &owed, &count, NULL) == LG_OK && count == 0);
    CHECK_STR(desk_describe(&d, desk_decide(&d, "think", "{}")), "allow");
    lg_session_reset(d.session);
    CHECK(lg_owed(d.session, &owed, &count, NULL) == LG_OK && count == 0);
    desk_close(&d);
}

static void calls_of_one_message_are_told_apart_by_turns(void)
{
    desk d;
    desk_open(&d, RULES);
    lg_event second = desk_call("", "get_user", "{}", 2);
    CHECK_STR(desk_describe(&d, decide_event(&d, desk_call("", "get_order", "{\"id\": \"1\"}", 2))),
              "allow");
    desk_observe(&d, "get_order", "{\"id\": \"1\"}", "{\"id\": \"1\"}", 2);
    CHECK_STR(desk_describe(&d, decide_event(&d, second)), "revise: single_call_per_turn violated");
    second.turn = 3;
    CHECK_STR(desk_describe(&d, decide_event(&d, second)), "allow");
    say(&d, LG_ROLE_AGENT, "One moment", 3);
    const lg_decision *decision = decide_event(&d, second);
    CHECK_STR(desk_describe(&d, decision), "allow");
    if (CHECK(decision->report_count == 1)) {
        CHECK_STR(decision->reports[0].rule, "no_text_with_call");
        CHECK(decision->reports[0].verdict == LG_ALLOW);
    }
    CHECK(decision->message.len == 0);
    desk_close(&d);
}

static void a_message_is_judged_before_it_is_said(void)
{
    desk d;
    lg_event message = desk_message(LG_ROLE_AGENT, "and another thing", 9);
    desk_open(&d, RULES);
    CHECK_STR(desk_describe(&d, decide_event(&d, message)), "allow");
    say(&d, LG_ROLE_AGENT, "bye", 8);
    CHECK_STR(desk_describe(&d, decide_event(&d, message)), "block: never_again violated block");
    CHECK_STR(desk_describe(&d, desk_decide(&d, "ping", "{}")),
              "block: never_again violated block");
    desk_close(&d);
}

static void seconds_run_by_the_clock_of_the_session(void)
{
    desk d;
    desk_open(&d, UNKEYED);
    for (int64_t i = 0; i < 2; i++) {
        lg_session_set_time(d.session, (lg_time){1000 + i, 0});
        desk_observe(&d, "think", "{}", "", 1);
    }
    CHECK_STR(desk_describe(&d, desk_decide(&d, "ping", "{}")), "revise: at_most_two violated");
    lg_session_set_time(d.session, (lg_time){1061, 0});
    CHECK_STR(desk_describe(&d, desk_decide(&d, "ping", "{}")), "allow");
    desk_close(&d);
}

// Whichever allocation fails: an error or the right answer, and never a call allowed for want of
// memory.
static void without_memory_nothing_is_allowed(void)
{
    lg_event bye = desk_message(LG_ROLE_AGENT, "bye", 1);
    lg_event ping = desk_call("", "ping", "{}", 2);
    for (uint64_t n = 1; n < 200; n++) {
        desk d;
        const lg_decision *decision = NULL;
        desk_open(&d, RULES);
        lg_alloc_fail_at(n);
        lg_status heard = lg_observe(d.session, &bye, NULL, NULL);
        lg_status decided = lg_decide(d.session, &ping, 1, &decision, NULL);
        lg_alloc_fail_at(0);
        if (heard != LG_OK) {
            decided = lg_decide(d.session, &ping, 1, &decision, NULL);
            CHECK_MSG(decided != LG_OK, "after an event was lost there is no verdict");
        } else if (decided == LG_OK) {
            CHECK(decision->verdict == LG_BLOCK);
        }
        desk_close(&d);
    }
}

int main(void)
{
    RUN(a_call_is_judged_by_what_came_before);
    RUN(what_the_ledger_lacks_leaves_a_rule_undecided);
    RUN(an_unreadable_result_is_an_error);
    RUN(what_is_owed_is_listed_and_holds_the_end_up);
    RUN(calls_of_one_message_are_told_apart_by_turns);
    RUN(a_message_is_judged_before_it_is_said);
    RUN(seconds_run_by_the_clock_of_the_session);
    RUN(without_memory_nothing_is_allowed);
    return lg_test_done();
}
