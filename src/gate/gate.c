// gate.c: a decision, from the call's tool and arguments to all findings.
#include "gate/gate_internal.h"

#include "catalogue/arguments.h"

const char *lg_verdict_name(lg_verdict verdict)
{
    static const char *const names[] = {"allow", "revise", "block"};
    return names[verdict];
}

const char *lg_cause_name(lg_cause cause)
{
    static const char *const names[] = {"violated",     "missing", "defect", "arguments",
                                        "unknown_tool", "stale",   "budget", "pending"};
    return names[cause];
}

const char *lg_clock_name(lg_clock clock)
{
    static const char *const names[] = {"pack", "event", "host"};
    return names[clock];
}

lg_gate_budget lg_gate_budget_of(uint64_t decision_steps)
{
    uint64_t steps = decision_steps ? decision_steps : lg_limits_default.decision_steps;
    const char *what = LG_NO_STEPS_LEFT("decision_steps");
    uint64_t words = steps / 8;
    return (lg_gate_budget){.steps = steps,
                            .verdict = {.left = steps - steps / 2, .what = what},
                            .words = {.left = words, .what = what},
                            .shows = {.left = words, .what = what},
                            .explain = {.left = steps / 2 - 2 * words, .what = what}};
}

uint64_t lg_gate_steps_used(const lg_gate_budget *budget)
{
    uint64_t left =
        budget->verdict.left + budget->words.left + budget->shows.left + budget->explain.left;
    LG_DEBUG_ASSERT(left <= budget->steps);
    return budget->steps - left;
}

bool decision_is_severest(const lg_decision *decision)
{
    lg_verdict severest = LG_ALLOW;
    for (size_t i = 0; i < decision->finding_count; i++) {
        lg_verdict verdict = decision->findings[i].verdict;
        LG_DEBUG_ASSERT(verdict != LG_ALLOW);
        severest = verdict > severest ? verdict : severest;
    }
    return decision->verdict == severest;
}

static void add_finding(lg_decision *decision, lg_finding *findings, const lg_finding *finding)
{
    LG_DEBUG_ASSERT(finding->verdict != LG_ALLOW && finding->rule.len > 0);
    findings[decision->finding_count++] = *finding;
    decision->findings = findings;
    if (finding->verdict > decision->verdict) {
        decision->verdict = finding->verdict;
        decision->category = finding->category;
    }
}

// A tool that the pack does not know, or that the assistant does not have: one of the customer's own.
static lg_status decide_unknown_tool(judgement *j, lg_decision *decision)
{
    decision->gated = true;
    if (!j->tool && j->pack->allow_unknown_tools) {
        return LG_OK;
    }
    lg_finding *finding = LG_NEW(j->scratch, lg_finding);
    const lg_tool *close = lg_pack_closest_tool(j->pack, j->call->tool);
    if (!finding) {
        return LG_ERR_OOM;
    }
    finding->rule = LG_STR("known_tool");
    finding->verdict = LG_REVISE;
    finding->cause = LG_CAUSE_UNKNOWN_TOOL;
    finding->category = LG_CATEGORY_ENTITY;
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, j->tool ? "Only the customer can use `" : "No tool is called `");
    add_shown(&text, j->call->tool);
    if (j->tool) {
        lg_buf_add_c(&text, "`; ask for it instead of calling it.");
    } else if (close) {
        lg_buf_addf(&text, "`; did you mean `%.*s`?", LG_FMT(close->name));
    } else {
        lg_buf_add_c(&text, "`.");
    }
    if (take_text(j, &text, &finding->message) != LG_OK) {
        return LG_ERR_OOM;
    }
    add_finding(decision, finding, finding);
    decision->finding_count = 1;
    return write_message(j, decision);
}

// The steps have come to an end: nothing more is judged, and the call is refused.
static lg_status end_verdict(judgement *j, lg_str what, lg_decision *decision, lg_finding *findings)
{
    lg_finding finding;
    lg_status status = write_out_of_steps(j, what, &finding);
    if (status == LG_OK) {
        add_finding(decision, findings, &finding);
    }
    return status;
}

// Arguments that are no object, or that do not fit the tool's schema: one finding for all of it.
static lg_status check_arguments(judgement *j, lg_decision *decision, lg_finding *findings)
{
    lg_argument_check check;
    if (j->work->spent) { // by reading them
        return end_verdict(j, LG_STR("arguments"), decision, findings);
    }
    lg_status status = lg_tool_check_arguments_within(j->scratch, j->tool->arguments, j->call->args,
                                                      j->call->args_text, &check,
                                                      &j->budget->verdict, &j->budget->words);
    if (status == LG_OK && j->budget->verdict.spent) {
        return end_verdict(j, LG_STR("arguments"), decision, findings);
    }
    if (status == LG_OK && !check.valid) {
        lg_finding finding = {.rule = LG_STR("arguments"),
                              .verdict = LG_REVISE,
                              .cause = LG_CAUSE_ARGUMENTS,
                              .category = LG_CATEGORY_FORMAT,
                              .message = check.message};
        j->bad_arguments = true;
        add_finding(decision, findings, &finding);
    }
    return status;
}

// A rule that stumbles over arguments which the schema has refused already is no defect of the
// pack, nor is it news what they lack: the finding about the arguments says it all.
static bool is_finding(const judgement *j, const lg_rule *rule, const outcome *o)
{
    bool of_arguments = o->kind == OUTCOME_DEFECT || o->kind == OUTCOME_LACKING;
    return outcome_verdict(rule, o) != LG_ALLOW && !(of_arguments && j->bad_arguments);
}

// What a rule has read is noted for evidence and hints, and for the message of a finding. Without evidence and hints
// only the findings are noted: they are evaluated a second time, which costs no steps, so that the verdict is the same.
static lg_status evaluate_noted(judgement *j, const lg_rule *rule, lg_explain explain, outcome *ret)
{
    lg_budget before = *j->work;
    lg_status status = evaluate_rule(j, rule, explain != 0, ret);
    if (status == LG_OK && !explain && !j->work->spent && is_finding(j, rule, ret)) {
        lg_budget after = *j->work;
        *j->work = before;
        status = evaluate_rule(j, rule, true, ret);
        *j->work = after;
    }
    return status;
}

static lg_status evaluate_rules(judgement *j, lg_explain explain, lg_decision *decision,
                                lg_finding *findings, outcome *outcomes)
{
    judgement_bind(j, j->call->args);
    for (size_t i = 0; i < j->tool->rule_count; i++) {
        const lg_rule *rule = &j->pack->rules[j->tool->rules[i]];
        if (evaluate_noted(j, rule, explain, &outcomes[i]) != LG_OK) {
            return LG_ERR_OOM;
        }
        if (j->work->spent) {
            outcomes[i].kind = OUTCOME_NOT_APPLICABLE; // it has none
            return end_verdict(j, rule->id, decision, findings);
        }
        decision->rules_evaluated++;
        decision->rules_abstained += outcomes[i].kind == OUTCOME_ABSTAINS;
        if (!is_finding(j, rule, &outcomes[i])) {
            continue;
        }
        lg_finding finding;
        if (write_finding(j, rule, &outcomes[i], &finding) != LG_OK) {
            return LG_ERR_OOM;
        }
        add_finding(decision, findings, &finding);
    }
    judgement_bind(j, j->call->args); // the last rule may have been judged on another past
    return withdraw_reads(j, outcomes, findings, decision->finding_count);
}

// Evidence of the whole decision, and of each rule that is a finding.
static lg_status collect_evidence(judgement *j, lg_decision *decision, lg_finding *findings,
                                  const outcome *outcomes)
{
    lg_status status = list_evidence(j, 0, j->log.count, &decision->evidence,
                                     &decision->evidence_count, &decision->evidence_left_out);
    decision->evidence_left_out += j->log.dropped;
    size_t next = decision->finding_count - j->work->spent; // that of the steps has read nothing
    // Findings of rules come last and in the rules' order: go through both backwards.
    for (size_t i = j->tool->rule_count; i-- > 0 && status == LG_OK;) {
        const lg_rule *rule = &j->pack->rules[j->tool->rules[i]];
        if (is_finding(j, rule, &outcomes[i])) {
            size_t left_out;
            LG_DEBUG_ASSERT(next > 0);
            lg_finding *finding = &findings[--next];
            LG_DEBUG_ASSERT(lg_str_eq(finding->rule, j->pack->rules[j->tool->rules[i]].id));
            status = list_evidence(j, outcomes[i].log_from, outcomes[i].log_to, &finding->evidence,
                                   &finding->evidence_count, &left_out);
        }
    }
    LG_DEBUG_ASSERT(status != LG_OK || next == j->bad_arguments); // which comes before all rules
    return status;
}

// What is told about the verdict, once it is known.
static lg_status explain(judgement *j, const lg_gate_options *options, lg_decision *decision,
                         lg_finding *findings, const outcome *outcomes)
{
    lg_status status = LG_OK;
    bool hints = (options->explain & LG_EXPLAIN_HINTS) && decision->verdict == LG_REVISE &&
                 !j->bad_arguments && !j->work->spent && !has_alone(j, decision);
    if ((options->explain & LG_EXPLAIN_EVIDENCE) || hints) {
        status = index_reads(j);
    }
    if (status == LG_OK && (options->explain & LG_EXPLAIN_EVIDENCE)) {
        status = collect_evidence(j, decision, findings, outcomes);
        decision->evidence_cut = j->budget->explain.spent;
    }
    if (status == LG_OK && hints) {
        j->work = &j->budget->explain;
        status = list_hints(j, outcomes, decision);
        decision->hints_cut = j->work->spent;
    }
    return status;
}

static lg_status decide_write(judgement *j, const lg_gate_options *options, lg_decision *decision)
{
    size_t rules = j->tool->rule_count;
    // Written before they are read: most decisions need few of them, and they are large.
    lg_finding *findings =
        lg_arena_alloc(j->scratch, (rules + 2) * sizeof(*findings), _Alignof(lg_finding));
    outcome *outcomes = LG_NEW_ARRAY(j->scratch, outcome, rules + 1);
    lg_cel_read first[READ_LOG_FIRST];
    if (!findings || !outcomes || !judgement_init(j, first)) {
        return LG_ERR_OOM;
    }
    decision->gated = true;
    lg_status status = check_arguments(j, decision, findings);
    if (status == LG_OK && lg_json_is(j->call->args, LG_JSON_OBJECT) && !j->work->spent) {
        status = evaluate_rules(j, options->explain, decision, findings, outcomes);
        if (status == LG_OK) {
            status = explain(j, options, decision, findings, outcomes);
        }
    }
    LG_DEBUG_ASSERT(decision->finding_count <= rules + 2);
    if (status == LG_OK && decision->verdict != LG_ALLOW) {
        status = write_message(j, decision);
    }
    lg_arena_done(&j->log_arena);
    return status;
}

lg_status lg_gate_decide(const lg_pack *pack, const lg_ledger_state *state,
                         const lg_gate_call *call, const lg_gate_options *options,
                         lg_arena *scratch, lg_decision *ret_decision, lg_error *reterr)
{
    static const lg_gate_options defaults = {.explain = LG_EXPLAIN_ALL};
    options = options ? options : &defaults;
    lg_gate_budget own;
    lg_gate_budget *budget = options->budget ? options->budget : &own;
    if (!options->budget) {
        own = lg_gate_budget_of(0);
    }
    judgement j = {.pack = pack,
                   .state = state,
                   .call = call,
                   .tool = lg_pack_tool(pack, call->tool),
                   .scratch = scratch,
                   .cel_cost = options->cel_cost,
                   .budget = budget,
                   .work = &budget->verdict};
    lg_decision decision = {.verdict = LG_ALLOW, .message = LG_STR("")};
    lg_status status = LG_OK;
    scratch->refused = false;
    (void)lg_budget_take(&budget->verdict,
                         call->read_steps); // a read or generic call needs no more
    if (!j.tool || j.tool->by_user) {
        status = decide_unknown_tool(&j, &decision);
    } else if (j.tool->kind == LG_TOOL_WRITE) {
        status = decide_write(&j, options, &decision);
    }
    // Where memory has run out something was not looked at, so there is no verdict, whatever was found.
    if (status != LG_OK || scratch->refused) {
        return lg_fail_oom(reterr);
    }
    LG_DEBUG_ASSERT(decision_is_severest(&decision));
    // What was not judged to the end never passes.
    LG_DEBUG_ASSERT(decision.verdict != LG_ALLOW || !budget->verdict.spent || !j.tool ||
                    j.tool->kind != LG_TOOL_WRITE);
    decision.steps = lg_gate_steps_used(budget);
    *ret_decision = decision;
    return LG_OK;
}
