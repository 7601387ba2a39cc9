// test_course.c: loops, failures that stay, a yes without a deed, transfers, ends; each beside cases that look alike.
#include "audit_fixture.h"

#define HELLO                                                                                      \
    SYSTEM("Make sure you try all ways before transferring the user.")                             \
    "," USER("cancel 7, please") ","
#define READ_AS(n, id, status)                                                                     \
    CALL(n, "get_order_details", ORDER(id))                                                        \
    "," ANSWER(n, "{\\\"order_id\\\": \\\"" id "\\\", \\\"status\\\": \\\"" status "\\\"}") ","
#define CANCEL(n, id, answer) CALL(n, "cancel_order", ORDER(id)) "," ANSWER(n, answer) ","
#define PAY(n, id, answer) CALL(n, "pay_order", ORDER(id)) "," ANSWER(n, answer) ","
#define FAILS "Error: it broke"
#define BYE AGENT("Anything else?") "," USER("No, bye. ###STOP###")

static void counts_repetitions(void)
{
    const audit_sample samples[] = {
        {"repeated_failure", "moderate@4",
         HELLO CANCEL("1", "7", FAILS) CANCEL("2", "7", FAILS) BYE},
        {"repeated_failure", "", HELLO CANCEL("1", "7", FAILS) CANCEL("2", "8", FAILS) BYE},
        {"repeated_failure", "", // something was changed in between
         HELLO CANCEL("1", "7", FAILS) CANCEL("2", "8", "done") CANCEL("3", "7", FAILS) BYE},
        {"loop", "moderate@6",
         HELLO READ_AS("1", "7", "a") READ_AS("2", "7", "a") READ_AS("3", "7", "a") BYE},
        {"loop", "", // the user has asked again
         HELLO READ_AS("1", "7", "a") READ_AS("2", "7", "a")
             USER("And now?") "," READ_AS("3", "7", "a") BYE},
        {"loop", "", // it changed
         HELLO READ_AS("1", "7", "a") READ_AS("2", "7", "a") READ_AS("3", "7", "b") BYE},
        {"loop", "",
         HELLO READ_AS("1", "7", "a") READ_AS("2", "7", "a") READ_AS("3", "8", "a") BYE},
    };
    audit_run_samples("", samples, LG_COUNT(samples));
}

static void sees_failures_that_stay(void)
{
    const audit_sample samples[] = {
        {"failed_write_left", "moderate@2",
         HELLO CANCEL("1", "7", FAILS) AGENT("All is done.") "," USER("Good. ###STOP###")},
        {"failed_write_left", "", // the user was told
         HELLO CANCEL("1", "7", FAILS) AGENT("I was unable to do it.") "," USER("###STOP###")},
        {"failed_write_left", "",
         HELLO CANCEL("1", "7", FAILS) CANCEL("2", "7", "done") AGENT("All is done.")},
        {"failed_write_left", "severe@3", // what was done first barred the way
         SYSTEM("Be kind.") "," USER("pay and cancel 7") "," AGENT("Well.") "," PAY(
             "1", "7", "done") CANCEL("2", "7", "Error: it cannot be cancelled any more")
             AGENT("I was unable to do it.")},
        {"failed_write_left", "", // it was asked for later
         SYSTEM("Be kind.") "," USER("pay 7") "," PAY("1", "7", "done") AGENT("Well.") "," USER(
             "cancel it") "," CANCEL("2", "7", "Error: it cannot be cancelled any more")
             AGENT("I was unable to do it.")},
    };
    audit_run_samples("", samples, LG_COUNT(samples));
}

// Two tools of one family, of which the one bars the way to the other.
static const char family[] =
    "  change_order_items:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {order_id: {type: string}}}\n"
    "  change_order_address:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {order_id: {type: string}}}\n";
#define CHANGE CALL("1", "change_order_items", ORDER("7")) "," ANSWER("1", "done") ","
#define DENIES AGENT("Unfortunately the address cannot be changed since the items were modified.")

static void sees_what_was_barred(void)
{
    const audit_sample samples[] = {
        {"failed_write_left", "severe@2",
         USER("Change the items and update the address, too.") "," AGENT(
             "Well.") "," CHANGE DENIES},
        {"failed_write_left", "", // nobody had asked before
         USER("Change the items.") "," AGENT("Well.") "," CHANGE AGENT("Done.") "," USER(
             "Now change the address.") "," DENIES},
        {"failed_write_left", "", // it was spoken of, no more
         USER("Change the items. My address is right.") "," AGENT("Well.") "," CHANGE DENIES},
        {"failed_write_left", "",
         USER("Change the items and update the address, too.") "," AGENT("Well.") "," CHANGE AGENT(
             "Done. And the address?")},
    };
    audit_run_samples(family, samples, LG_COUNT(samples));
}

#define ASKS AGENT("I will cancel order 7. Do you confirm (yes)?") ","

static void sees_a_yes_without_a_deed(void)
{
    const audit_sample samples[] = {
        {"yes_without_write", "hint@5",
         HELLO READ_AS("1", "7", "a")
             ASKS USER("Yes, please.") "," AGENT("Very good.") "," USER("Bye.")},
        {"yes_without_write", "", // with a reason
         HELLO READ_AS("1", "7", "a")
             ASKS USER("Yes, please.") "," AGENT("It is not possible.") "," USER("Bye.")},
        {"yes_without_write", "",
         HELLO READ_AS("1", "7", "a") ASKS USER("Yes, please.") "," CANCEL("2", "7", "done") BYE},
        {"yes_without_write", "", // no plain yes
         HELLO READ_AS("1", "7", "a")
             ASKS USER("Yes, but what does it cost?") "," AGENT("Very good.")},
        {"yes_without_write", "?@5", HELLO READ_AS("1", "7", "a") ASKS USER("Yes, please.")},
    };
    audit_run_samples("", samples, LG_COUNT(samples));
}

#define TRANSFER                                                                                   \
    CALL("9", "transfer_to_human_agents", "{\\\"summary\\\": \\\"s\\\"}") "," ANSWER("9", "done")

static void sees_how_it_ends(void)
{
    const audit_sample samples[] = {
        {"blind_transfer", "minor@2", HELLO TRANSFER},
        {"blind_transfer", "", HELLO READ_AS("1", "7", "a") TRANSFER},
        {"blind_transfer", "hint@2", SYSTEM("Be kind.") "," USER("hi") "," TRANSFER},
        {"no_regular_end", "hint@3",
         HELLO CALL("1", "get_order_details", ORDER("7")) "," ANSWER("1", "{}")},
        {"no_regular_end", "hint@2", HELLO CALL("1", "get_order_details", ORDER("7"))},
        {"no_regular_end", "hint@4", HELLO READ_AS("1", "7", "a") USER("And now?")},
        {"no_regular_end", "", HELLO READ_AS("1", "7", "a") BYE},
        {"no_regular_end", "", HELLO READ_AS("1", "7", "a") TRANSFER},
        {"no_regular_end", "", HELLO READ_AS("1", "7", "a") USER("Thank you, bye!")},
        {"skipped_verification", "hint@2", HELLO CANCEL("1", "7", "done") BYE},
        {"skipped_verification", "", HELLO CANCEL("1", "7", "done") READ_AS("2", "7", "b") BYE},
        {"skipped_verification", "", HELLO CANCEL("1", "7", FAILS) BYE},
    };
    audit_run_samples("", samples, LG_COUNT(samples));
}

// One deviation with several symptoms is one root.
static void finds_roots(void)
{
    audit_desk d;
    audit_open(&d, "");
    const lg_audit_result *r = audit_of(
        &d, HELLO CALL("1", "cancel_order", "{\\\"number\\\": 7}") "," ANSWER("1", FAILS) "," CALL(
                "2", "cancel_order",
                "{\\\"number\\\": 7}") "," ANSWER("2", FAILS) "," AGENT("I was unable to do "
                                                                        "it.") "," USER("###"
                                                                                        "STOP##"
                                                                                        "#"));
    size_t roots = 0, wrong = 0;
    for (size_t i = 0; r && i < r->finding_count; i++) {
        const lg_audit_finding *found = &r->findings[i];
        bool of_call = strcmp(found->kind->name, "schema_violation") == 0 ||
                       strcmp(found->kind->name, "repeated_failure") == 0;
        wrong += of_call;
        roots += of_call && found->root == i;
    }
    CHECK(wrong == 3);
    CHECK(roots == 1);
    CHECK(r && r->failure == LG_FAILURE_WRONG_ARGUMENT);
    CHECK(r && r->first_unrecoverable == 2);
    audit_close(&d);
}

// What a sub-agent does is out of sight: that there was one is counted.
static void counts_what_is_out_of_sight(void)
{
    audit_desk d;
    audit_open(&d, "");
    const lg_audit_result *r = audit_of(
        &d, USER("Hi.") "," CALL("c1", "delegate_to_billing", "{}") "," ANSWER("c1", "done"));
    CHECK(r && r->counts.calls == 1 && r->counts.delegated == 1);
    audit_close(&d);
}

int main(void)
{
    RUN(counts_repetitions);
    RUN(sees_failures_that_stay);
    RUN(sees_what_was_barred);
    RUN(sees_a_yes_without_a_deed);
    RUN(sees_how_it_ends);
    RUN(finds_roots);
    RUN(counts_what_is_out_of_sight);
    return lg_test_done();
}
