// test_verdicts.c: rules of the pack: which of them are law in a conversation, and what they are called there.
#include "audit/audit_internal.h"
#include "audit_fixture.h"
#include "base/alloc.h"

static const char rules[] =
    "rules:\n"
    "  not_sent:\n"
    "    tools: [cancel_order]\n"
    "    let: {o: 'ledger.orders[args.order_id]'}\n"
    "    needs: ['ledger.orders[args.order_id]']\n"
    "    that: o.status != 'sent'\n"
    "    otherwise: block\n"
    "    say: It was sent.\n"
    "    because: 'shop policy: An order that was sent ... cannot be cancelled by anybody.'\n"
    "conversation:\n"
    "  rules:\n"
    "    nothing_after_transfer:\n"
    "      never: {from: {result: transfer_to_human_agents}, to: writes}\n"
    "      otherwise: report\n"
    "      because: 'shop policy: When the user was handed over, your work is done.'\n"
    "    goodbye_is_said:\n"
    "      after: {result: transfer_to_human_agents}\n"
    "      must: {message: agent}\n"
    "      otherwise: report\n"
    "      because: 'shop policy: Say goodbye after a transfer.'\n";

#define LAW                                                                                        \
    SYSTEM("An order  that was *sent* on its way, cannot be cancelled by anybody. When the user "  \
           "was handed over, your work is done. Say goodbye after a transfer.")                    \
    ","
#define OTHER_LAW SYSTEM("Be kind to everybody, and answer in short sentences.") ","
#define READ                                                                                       \
    CALL("1", "get_order_details", ORDER("7"))                                                     \
    "," ANSWER("1", "{\\\"order_id\\\": \\\"7\\\", \\\"status\\\": \\\"sent\\\"}") ","
#define CANCEL(answer) CALL("2", "cancel_order", ORDER("7")) "," ANSWER("2", answer)
#define TRANSFER                                                                                   \
    CALL("9", "transfer_to_human_agents", "{\\\"summary\\\": \\\"s\\\"}") "," ANSWER("9", "done")
#define HI USER("hi") ","

static void asks_whether_it_is_law(void)
{
    const audit_sample samples[] = {
        {"refused_write", "severe@4", LAW HI READ CANCEL("done")},
        {"refused_write", "minor@4", LAW HI READ CANCEL("Error: no")}, // caught
        {"refused_write", "?@4", OTHER_LAW HI READ CANCEL("done")},
        {"refused_write", "severe@3", HI READ CANCEL("done")}, // nobody knows the instructions
        {"refused_write", "hint@2", LAW HI CANCEL("done")},    // it was never read
        {"obligation_unmet", "moderate@5", LAW HI READ TRANSFER "," USER("ok")},
        {"obligation_unmet", "", LAW HI READ TRANSFER "," AGENT("Goodbye.")},
        {"obligation_unmet", "?@5", LAW HI READ TRANSFER}, // it ends there
        {"obligation_unmet", "?@5", OTHER_LAW HI READ TRANSFER "," USER("ok")},
    };
    audit_run_samples(rules, samples, LG_COUNT(samples));
}

static void knows_forbidden_edges(void)
{
    const audit_sample samples[] = {
        {"forbidden_edge", "severe@6", LAW HI READ TRANSFER "," CANCEL("Error: no")},
        {"order_violated", "", LAW HI READ TRANSFER "," CANCEL("Error: no")}, // that is it
        {"order_violated", "moderate@8",                                      // not right behind it
         LAW HI READ TRANSFER "," CALL("3", "get_order_details", ORDER("7")) "," ANSWER(
             "3", "Error: no") "," CANCEL("Error: no")},
        {"forbidden_edge", "", LAW HI READ CANCEL("Error: no") "," TRANSFER},
    };
    audit_run_samples(rules, samples, LG_COUNT(samples));
}

// A list of pairs, as it is extracted from instructions.
static void takes_a_list_of_edges(void)
{
    const lg_trace_event events[] = {
        {.kind = LG_EVENT_CALL, .tool = LG_STR("a"), .other = LG_NO_EVENT},
        {.kind = LG_EVENT_CALL, .tool = LG_STR("b"), .other = LG_NO_EVENT},
        {.kind = LG_EVENT_CALL, .tool = LG_STR("a"), .other = LG_NO_EVENT},
    };
    audit_step steps[LG_COUNT(events)] = {{0}};
    for (size_t i = 0; i < LG_COUNT(events); i++) {
        steps[i].event = &events[i];
    }
    const lg_audit_edge edges[] = {
        {.from = LG_STR("a"), .to = LG_STR("b"), .must = true, .because = LG_STR("so")},
        {.from = LG_STR("a"), .to = LG_STR("a"), .must = true}};
    lg_arena arena;
    lg_arena_init(&arena, 0);
    audit_case c = {.arena = &arena,
                    .steps = steps,
                    .count = LG_COUNT(steps),
                    .edges = edges,
                    .edge_count = LG_COUNT(edges)};
    audit_check_edges(&c);
    CHECK(c.checked[LG_EVAL_FORBIDDEN_EDGES] == 2);
    if (CHECK(c.finding_count == 1)) {
        CHECK(c.findings[0].event == 1);
        CHECK_STR(c.findings[0].because, "so");
    }
    lg_arena_done(&arena);
}

// Whatever memory is missing: an error, or the same result.
static void lives_with_little_memory(void)
{
    audit_desk d;
    audit_open(&d, rules);
    const lg_audit_result *r = audit_of(&d, LAW HI READ TRANSFER
                                        "," CANCEL("done") "," AGENT("I have cancelled order 7."));
    size_t findings = r ? r->finding_count : 0;
    lg_trace_set *set = d.set;
    bool done = false;
    for (uint64_t n = 1; !done && n < 20000; n++) {
        lg_error why = {0};
        lg_alloc_fail_at(n);
        lg_status status = lg_audit_conversation(d.audit, set, &set->traces[0], &r, &why);
        lg_alloc_fail_at(0);
        done = status == LG_OK;
        CHECK(done ? r->finding_count == findings : status == LG_ERR_OOM);
    }
    CHECK(done);
    audit_close(&d);
}

int main(void)
{
    RUN(asks_whether_it_is_law);
    RUN(knows_forbidden_edges);
    RUN(takes_a_list_of_edges);
    RUN(lives_with_little_memory);
    return lg_test_done();
}
