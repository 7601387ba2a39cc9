// test_outcome.c: the outcome score: what is a signal, and that each moves the score the way it is said to.
#include "audit_fixture.h"

static const char requests[] = "requests:\n"
                               "  cancel:\n"
                               "    tool: cancel_order\n"
                               "    says: sentence.matches(r'(?i)\\bcancel')\n"
                               "    about: ledger.orders\n"
                               "    when: record.status == 'pending'\n"
                               "    args: {order_id: key}\n"
                               "  pay:\n"
                               "    tool: pay_order\n"
                               "    says: sentence.contains('gold watch')\n"
                               "    given: said.contains('my birthday')\n";

#define READ(id, status)                                                                           \
    CALL("0", "get_order_details", ORDER(id))                                                      \
    "," ANSWER("0", "{\\\"order_id\\\": \\\"" id "\\\", \\\"status\\\": \\\"" status "\\\"}")
#define CANCEL(id, answer) CALL("1", "cancel_order", ORDER(id)) "," ANSWER("1", answer)
#define BYE AGENT("Anything else?") "," USER("###STOP###")

static double signal_of(audit_desk *d, const char *messages, const char *name)
{
    const lg_audit_result *r = audit_of(d, messages);
    for (size_t i = 0; r && i < r->signal_count; i++) {
        if (strcmp(r->signals[i].name, name) == 0) {
            return r->signals[i].value;
        }
    }
    return -1;
}

typedef struct signal_sample {
    const char *name;
    double want;
    const char *messages;
} signal_sample;

static void run(const signal_sample *samples, size_t count)
{
    audit_desk d;
    audit_open(&d, requests);
    for (size_t i = 0; i < count; i++) {
        if (!CHECK(signal_of(&d, samples[i].messages, samples[i].name) == samples[i].want)) {
            printf("    sample %zu of %s\n", i, samples[i].name);
        }
    }
    audit_close(&d);
}

static void of_requests(void)
{
    const signal_sample samples[] = {
        {"asked_and_permitted", 1, USER("Cancel W77.") "," READ("W77", "pending") "," BYE},
        {"permitted_and_nothing", 1, USER("Cancel W77.") "," READ("W77", "pending") "," BYE},
        {"asked_and_permitted", 0,
         USER("Cancel W77.") "," READ("W77", "pending") "," CANCEL("W77", "done") "," BYE},
        {"asked_and_done", 1,
         USER("Cancel W77.") "," READ("W77", "pending") "," CANCEL("W77", "done") "," BYE},
        {"only_refused", 1, USER("Cancel W77.") "," READ("W77", "delivered") "," BYE},
        {"only_refused", 0, USER("Where is W77?") "," READ("W77", "delivered") "," BYE},
        {"only_refused_or_exceptions", 1,
         USER("I want a gold watch.") "," READ("W77", "pending") "," BYE},
        {"asked_for_new", 1, USER("I want a gold watch.") "," READ("W77", "pending") "," BYE},
        {"asked", 2, USER("Cancel W77. I want a gold watch.") "," READ("W77", "pending") "," BYE},
    };
    run(samples, LG_COUNT(samples));
}

static void of_calls(void)
{
    const signal_sample samples[] = {
        {"nothing_changed", 1, USER("Hi.") "," BYE},
        {"nothing_changed", 0, USER("Hi.") "," CANCEL("W77", "done") "," BYE},
        {"nothing_changed", 1, USER("Hi.") "," CANCEL("W77", "Error: no") "," BYE},
        {"failed_and_left", 1, USER("Hi.") "," CANCEL("W77", "Error: no") "," BYE},
        {"failed_and_left", 0,
         USER("Hi.") "," CANCEL("W77", "Error: no") "," CANCEL("W77", "done") "," BYE},
        {"unseen_value", 1, USER("Cancel it.") "," CANCEL("W77B", "done") "," BYE},
        {"unseen_value", 0, USER("Cancel w77b.") "," CANCEL("W77B", "done") "," BYE},
        {"transfer_unread", 1,
         USER("Hi.") "," CALL("2", "transfer_to_human_agents",
                              "{\\\"summary\\\": \\\"x\\\"}") "," ANSWER("2", "ok")},
        {"transfer_after_change", 1,
         USER("Hi.") "," CANCEL("W77", "done") "," CALL(
             "2", "transfer_to_human_agents", "{\\\"summary\\\": \\\"x\\\"}") "," ANSWER("2",
                                                                                         "ok")},
    };
    run(samples, LG_COUNT(samples));
}

static void of_words(void)
{
    const signal_sample samples[] = {
        {"offer_left_open", 1,
         USER("Hi.") "," AGENT("I cancel W77. Please confirm.") "," USER("Hm. ###STOP###")},
        {"offer_left_open", 0,
         USER("Hi.") "," AGENT("I cancel W77. Please confirm.") "," USER("No. ###STOP###")},
        {"offer_left_open", 0,
         USER("Hi.") "," AGENT("I cancel W77. Please confirm.") "," USER("yes") "," CANCEL(
             "W77", "done") "," BYE},
        {"yes_and_nothing", 1,
         USER("Hi.") "," AGENT("Do you want me to go ahead?") "," USER("Yes.") "," BYE},
        {"yes_and_nothing", 0,
         USER("Hi.") "," AGENT("Do you want me to go ahead?") "," USER("Yes.") "," CANCEL(
             "W77", "done") "," BYE},
        {"denied_and_nothing", 1,
         USER("Hi.") "," AGENT("I cannot cancel this order.") "," USER("###STOP###")},
        {"denied_though_permitted", 1,
         USER("Cancel W77.") "," READ("W77", "pending") "," AGENT(
             "I cannot cancel this order.") "," USER("###STOP###")},
        {"denied_though_permitted", 0,
         USER("Cancel W77.") "," READ("W77", "delivered") "," AGENT(
             "I cannot cancel this order.") "," USER("###STOP###")},
        {"denied_and_nothing", 0,
         USER("Hi.") "," AGENT("I cannot say. Shall I look at how to cancel it?") "," USER(
             "###STOP###")},
        {"claimed_and_nothing", 1, USER("I was told that this is free.") "," BYE},
        {"choice_left", 1, USER("The cheapest one.") "," BYE},
    };
    run(samples, LG_COUNT(samples));
}

static double score_of(audit_desk *d, const char *messages)
{
    const lg_audit_result *r = audit_of(d, messages);
    return r && CHECK(r->has_outcome) ? r->outcome : -1;
}

static void moves_as_it_should(void)
{
    audit_desk d;
    audit_open(&d, requests);
    double done = score_of(
        &d, USER("Cancel W77.") "," READ("W77", "pending") "," CANCEL("W77", "done") "," BYE);
    double left = score_of(&d, USER("Cancel W77.") "," READ("W77", "pending") "," BYE);
    double refused = score_of(&d, USER("Cancel W77.") "," READ("W77", "delivered") "," BYE);
    double broken = score_of(&d, USER("Cancel W77.") "," READ("W77", "delivered"));
    CHECK(done > left);
    CHECK(refused > left);
    CHECK(broken < refused);
    CHECK(left > 0 && refused < 1);
    CHECK(score_of(&d, USER("Cancel W77.") "," READ("W77", "pending") "," BYE) == left);
    audit_close(&d);
}

int main(void)
{
    RUN(of_requests);
    RUN(of_calls);
    RUN(of_words);
    RUN(moves_as_it_should);
    return lg_test_done();
}
