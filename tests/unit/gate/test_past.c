// test_past.c: rules that read the history, where it is not known whether all of it has happened.
#include "gate_fixture.h"

#include "gate/gate.h"

#define CALLED(name) "ledger.history.exists(h, h.name == '" name "')"

// `{name, args, outcome}`, one for each letter: D done, V unverified, U unknown, P pending; the name
// follows it: "Da Ub".
static const lg_json *ledger_with(desk *d, const char *writes, const char *user)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_addf(&text, "{\"auth\": {}, \"orders\": {}, \"lines\": {}, %s \"history\": [", user);
    for (const char *at = writes; *at; at += at[2] ? 3 : 2) {
        const char *outcome = at[0] == 'D'   ? "done"
                              : at[0] == 'V' ? "unverified"
                              : at[0] == 'U' ? "unknown"
                                             : "pending";
        lg_buf_addf(&text, "%s{\"name\": \"%c\", \"args\": {}, \"outcome\": \"%s\"}",
                    at == writes ? "" : ", ", at[1], outcome);
    }
    lg_buf_add_c(&text, "]}");
    lg_str copy = lg_arena_str(&d->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return fixture_json(&d->arena, copy.ptr);
}

static lg_decision decide(desk *d, const lg_json *ledger, lg_gate_budget *budget)
{
    lg_ledger_state state = {.root = ledger};
    lg_gate_call call = {.tool = LG_STR("act"), .args = fixture_json(&d->arena, "{}")};
    lg_gate_options options = {.explain = LG_EXPLAIN_ALL, .budget = budget};
    lg_decision decision = {0};
    CHECK(lg_gate_decide(d->pack, &state, &call, &options, &d->arena, &decision, NULL) == LG_OK);
    return decision;
}

static void open_with(desk *d, const char *rule)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "rules:\n  a: {tools: [act], say: 'no: {size(ledger.history)}', %s}\n", rule);
    desk_open(d, text);
}

typedef struct past_case {
    const char *rule, *writes, *want;
} past_case;

static const past_case cases[] = {
    // History forbids.
    {"that: \"!" CALLED("b") "\"", "", "allow"},
    {"that: \"!" CALLED("b") "\"", "Da", "allow"},
    {"that: \"!" CALLED("b") "\"", "Db", "revise: a violated"},
    {"that: \"!" CALLED("b") "\"", "Vb", "revise: a violated"},
    {"that: \"!" CALLED("b") "\"", "Ub", "revise: a violated"},
    {"that: \"!" CALLED("b") "\"", "Pb", "revise: a violated"},
    // History permits.
    {"that: \"" CALLED("b") "\"", "Db", "allow"},
    {"that: \"" CALLED("b") "\"", "Vb", "allow"},
    {"that: \"" CALLED("b") "\"", "Ub", "revise: a violated"},
    {"that: \"" CALLED("b") "\"", "Pb", "revise: a violated"},
    {"that: \"" CALLED("b") "\"", "Ub Db", "allow"},
    {"otherwise: block, that: \"" CALLED("b") "\"", "Pb", "block: a violated block"},
    // By `when`, and by a `let`.
    {"when: \"" CALLED("b") "\", that: 'false'", "Ub", "revise: a violated"},
    {"when: \"!" CALLED("b") "\", that: 'false'", "Ub", "revise: a violated"},
    {"let: {n: size(ledger.history)}, that: n != 1", "Ub Ua", "revise: a violated"},
    // All subsets: neither with all nor with none of them is it violated.
    {"that: size(ledger.history) != 1", "Ua Ub", "revise: a violated"},
    {"that: size(ledger.history) != 3", "Ua Ub Pc Pd", "revise: a violated"},
    {"that: \"" CALLED("a") " == " CALLED("d") "\"", "Ua Db Uc Ud", "revise: a violated"},
    {"that: size(ledger.history) < 5", "Ua Ub Pc Pd", "allow"},
    // What is missing without it, or a fault.
    {"that: \"" CALLED("b") " || ledger.user.name == 'x'\"", "Ub", "allow"},
    {"needs: [ledger.user], that: \"" CALLED("b") " || ledger.user.name == 'x'\"", "Ub",
     "revise: a missing"},
    {"that: \"" CALLED("b") " || 1 / 0 == 1\"", "Ub", "revise: a defect"},
    // More than are tried: what it comes to with all and with none, or its own refusal.
    {"that: size(ledger.history) < 9", "Ua Ub Uc Ud Ue", "revise: a missing"},
    {"otherwise: block, that: size(ledger.history) < 9", "Ua Ub Uc Ud Ue",
     "block: a missing block"},
    {"that: size(ledger.history) < 5", "Ua Ub Uc Ud Ue", "revise: a violated"},
    {"that: size(ledger.history) > 0", "Ua Ub Uc Ud Ue", "revise: a violated"},
    // A rule that does not read it does not care.
    {"that: 'true'", "Ua Ub Uc Ud Ue", "allow"},
    // The outcome can be asked for.
    {"that: \"ledger.history.all(h, h.outcome == 'done')\"", "Da Db", "allow"},
    {"that: \"ledger.history.all(h, h.outcome == 'done')\"", "Da Vb", "revise: a violated"},
    {"that: \"ledger.history.all(h, h.outcome != 'unknown')\"", "Da Ub", "revise: a violated"},
};

static void the_severer_verdict_stands(void)
{
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        desk d;
        open_with(&d, cases[i].rule);
        lg_decision decision = decide(&d, ledger_with(&d, cases[i].writes, ""), NULL);
        CHECK_MSG(lg_str_eq(desk_describe(&d, &decision), lg_str_c(cases[i].want)), cases[i].rule);
        CHECK_STR(desk_describe(&d, &decision), cases[i].want);
        desk_close(&d);
    }
}

// What the message shows is what was judged, and whoever reads it learns why.
static void the_message_names_what_is_uncertain(void)
{
    static const struct {
        const char *rule, *writes, *want;
    } messages[] = {
        {"that: size(ledger.history) != 1", "Ua Db Uc",
         "It is not known whether a, c were carried out (2 writes). In the worse case: no: 1"},
        {"that: \"!" CALLED("b") "\"", "Da Pb",
         "It is not known whether b was carried out. In the worse case: no: 2"},
        {"that: \"!" CALLED("b") "\"", "Db Ua", "no: 2"}, // so it is in any case
        {"that: size(ledger.history) < 9", "Ua Ua Ub Uc Ud Ue Uf",
         "It is not known whether a, b, c, d and others were carried out (7 writes), and this rule "
         "depends on it. These are too many to judge it with and without each, so it refuses to be "
         "safe."},
    };
    for (size_t i = 0; i < LG_COUNT(messages); i++) {
        desk d;
        open_with(&d, messages[i].rule);
        lg_decision decision = decide(&d, ledger_with(&d, messages[i].writes, ""), NULL);
        CHECK(decision.finding_count == 1);
        CHECK_STR(decision.findings[0].message, messages[i].want);
        desk_close(&d);
    }
}

// What only the other past has led to is evidence all the same, and so is what the first one read.
static void evidence_is_of_the_past_that_counts(void)
{
    desk d;
    open_with(&d, "that: \"" CALLED("b") " || ledger.user.name == 'x'\"");
    lg_decision decision =
        decide(&d, ledger_with(&d, "Ub", "\"user\": {\"name\": \"ada\"},"), NULL);
    CHECK_STR(desk_describe(&d, &decision), "revise: a violated");
    bool name = false;
    bool history = false;
    for (size_t i = 0; decision.finding_count == 1 && i < decision.findings[0].evidence_count;
         i++) {
        const lg_evidence *one = &decision.findings[0].evidence[i];
        name = name || (lg_str_eq(one->path, LG_STR("ledger.user.name")) &&
                        lg_str_eq(one->value, LG_STR("\"ada\"")));
        history = history || lg_str_eq(one->path, LG_STR("ledger.history[0].name"));
    }
    CHECK(name && history);
    desk_close(&d);
}

// A rule before and after it is judged on all of the history.
static void the_past_of_one_rule_is_not_that_of_the_next(void)
{
    desk d;
    desk_open(&d, "rules:\n"
                  "  a: {tools: [act], that: \"" CALLED(
                      "b") "\", say: 'a {size(ledger.history)}'}\n"
                           "  b: {tools: [act], that: 'false', say: 'b {size(ledger.history)}'}\n");
    lg_decision decision = decide(&d, ledger_with(&d, "Ub", ""), NULL);
    CHECK_STR(desk_describe(&d, &decision), "revise: a violated, b violated");
    CHECK_STR(decision.findings[0].message,
              "It is not known whether b was carried out. In the worse case: a 0");
    CHECK_STR(decision.findings[1].message, "b 1");
    desk_close(&d);
}

// All of it is paid for out of one budget, and ends in a refusal.
static void trying_is_paid_for(void)
{
    desk d;
    open_with(&d, "that: \"size(ledger.history.filter(h, h.name == 'z')) == 0\"");
    const lg_json *ledger = ledger_with(&d, "Ua Ub Uc Ud", "");
    bool refused = false;
    bool allowed = false;
    for (uint64_t steps = 100; steps < 20000 && !allowed; steps += 100) {
        lg_gate_budget budget = lg_gate_budget_of(steps);
        lg_decision decision = decide(&d, ledger, &budget);
        allowed = decision.verdict == LG_ALLOW;
        bool budget_found =
            decision.finding_count == 1 && decision.findings[0].cause == LG_CAUSE_BUDGET;
        CHECK(allowed || budget_found);
        refused = refused || budget_found;
    }
    CHECK(refused && allowed);
    desk_close(&d);
}

int main(void)
{
    RUN(the_severer_verdict_stands);
    RUN(the_message_names_what_is_uncertain);
    RUN(evidence_is_of_the_past_that_counts);
    RUN(the_past_of_one_rule_is_not_that_of_the_next);
    RUN(trying_is_paid_for);
    return lg_test_done();
}
