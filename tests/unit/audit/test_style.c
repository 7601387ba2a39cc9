// test_style.c: text beside calls, calls that are printed, arithmetic; each beside cases that look alike.
#include "audit_fixture.h"

#define LAW                                                                                        \
    SYSTEM(                                                                                        \
        "You may make one tool call at a time, and if you make a tool call you must not respond "  \
        "to the user simultaneously. Always use the calculate tool for arithmetic.")               \
    ","
#define SILENT_LAW SYSTEM("Be kind.") ","
#define READ CALL("1", "get_order_details", ORDER("7")) ","
#define READ_DONE                                                                                  \
    ANSWER("1", "{\\\"order_id\\\": \\\"7\\\", \\\"status\\\": \\\"pending\\\", \\\"total\\\": "   \
                "5}")

#define TALK LAW USER("hi") "," READ READ_DONE
#define SILENT_TALK SILENT_LAW USER("hi") "," READ READ_DONE

static void says_text_beside_a_call(void)
{
    const audit_sample samples[] = {
        {"text_with_call", "minor@3",
         LAW USER("hi") "," CALL_SAYING("\"I look.\"", "1", "get_order_details",
                                        ORDER("7")) "," READ_DONE
                                                    "," AGENT("It is there.") "," USER("Good.")},
        {"text_with_call", "hint@3", // nobody listens
         LAW USER("hi") "," CALL_SAYING("\"I look.\"", "1", "get_order_details",
                                        ORDER("7")) "," READ_DONE "," AGENT("It is there.")},
        {"text_with_call", "hint@3", // nobody forbids it
         SILENT_LAW USER("hi") "," CALL_SAYING("\"I look.\"", "1", "get_order_details",
                                               ORDER("7")) "," READ_DONE},
        {"text_with_call", "", // nothing for the user
         LAW USER("hi") "," CALL_SAYING("\" \\n\"", "1", "get_order_details",
                                        ORDER("7")) "," READ_DONE},
        {"text_with_call", "",
         LAW USER("hi") "," CALL_SAYING("\"<thinking>which?</thinking>\"", "1", "get_order_details",
                                        ORDER("7")) "," READ_DONE},
        {"text_with_call", "", LAW USER("hi") "," AGENT("I look.") "," READ READ_DONE},
    };
    audit_run_samples("", samples, LG_COUNT(samples));
}

static void sees_printed_calls(void)
{
    const audit_sample samples[] = {
        {"printed_call", "severe@4",
         TALK "," AGENT("{\\\"name\\\": \\\"cancel_order\\\", \\\"arguments\\\": "
                        "{\\\"order_id\\\": \\\"7\\\"}}")},
        {"printed_call", "severe@4",
         TALK "," AGENT("I will run cancel_order(order_id='7') for you.")},
        {"printed_call", "", TALK "," AGENT("There is cancel_order() for this (yes).")},
        {"printed_call", "", TALK "," AGENT("Run reboot_device(now=1) on the phone.")},
    };
    audit_run_samples("", samples, LG_COUNT(samples));
}

static void sees_arithmetic_in_prose(void)
{
    const audit_sample samples[] = {
        {"tool_bypassed", "moderate@4", TALK "," AGENT("That is $12.50 + $3.20 = $15.70 in all.")},
        {"tool_bypassed", "hint@4", SILENT_TALK "," AGENT("That is 2 x $3.20 = $6.40 in all.")},
        {"tool_bypassed", "",
         TALK "," CALL("1", "calculate", "{\\\"expression\\\": \\\"12.50 + 3.20\\\"}") "," ANSWER(
             "1", "15.7") "," AGENT("That is "
                                    "$12.50 + "
                                    "$3.20 = "
                                    "$15.70 in "
                                    "all.")},
        {"tool_bypassed", "", TALK "," AGENT("Order #W12 - 3 of 5 items, $15.70, on 2024-05-16.")},
    };
    audit_run_samples("", samples, LG_COUNT(samples));
}

// What a prompt states is kept, but for so many prompts only, and never for another one.
static void each_prompt_is_its_own_law(void)
{
    static const char rest[] = USER("hi") "," CALL_SAYING("\"I look.\"", "1", "get_order_details",
                                                          ORDER("7")) "," READ_DONE;
    audit_desk d;
    char messages[2048];
    audit_open(&d, "");
    for (int i = 0; i < 300; i++) {
        bool states = i % 3 == 0;
        snprintf(messages, sizeof(messages), "%s" SYSTEM("Be kind, agent %d.%s") ",%s",
                 i % 7 ? "" : SYSTEM("Once more: be kind.") ",", i % 5 ? i : 0,
                 states ? " Never respond to the user and make a tool call at the same time." : "",
                 rest);
        (void)audit_says_of(&d, messages, "text_with_call");
        const lg_audit_finding *found =
            d.result && d.result->finding_count ? d.result->findings : NULL;
        bool has_law =
            found && strcmp(found->kind->name, "text_with_call") == 0 && found->because.len;
        CHECK(found && has_law == states);
    }
    audit_close(&d);
}

int main(void)
{
    RUN(says_text_beside_a_call);
    RUN(sees_printed_calls);
    RUN(sees_arithmetic_in_prose);
    RUN(each_prompt_is_its_own_law);
    return lg_test_done();
}
