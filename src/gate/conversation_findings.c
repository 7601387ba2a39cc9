// conversation_findings.c: what conversation rules find of a proposed call, joined to the decision.
//
// A finding refuses like one of the pack's other rules. That of a rule which only reports stands in
// a list of its own, so that no finding is ever `allow`.
#include "gate/gate_internal.h"

// Copies the findings behind those of the decision, each to the list it belongs to.
static lg_status join(const lg_conversation_findings *found, lg_arena *scratch,
                      lg_decision *decision)
{
    lg_finding *findings =
        LG_NEW_ARRAY(scratch, lg_finding, decision->finding_count + found->count);
    lg_finding *reports = LG_NEW_ARRAY(scratch, lg_finding, found->count);
    if (!findings || !reports) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < decision->finding_count; i++) {
        findings[i] = decision->findings[i];
    }
    for (size_t i = 0; i < found->count; i++) {
        const lg_finding *finding = &found->items[i];
        if (finding->verdict == LG_ALLOW) {
            reports[decision->report_count++] = *finding;
            continue;
        }
        findings[decision->finding_count++] = *finding;
        if (finding->verdict > decision->verdict) {
            decision->verdict = finding->verdict;
            decision->category = finding->category;
        }
    }
    decision->findings = findings;
    decision->reports = reports;
    LG_DEBUG_ASSERT(decision_is_severest(decision));
    LG_DEBUG_ASSERT(decision->report_count <= found->count);
    return LG_OK;
}

// The rules could not be judged within the steps: one finding says so.
static lg_status add_out_of_steps(judgement *j, const lg_conversation_findings *found,
                                  lg_conversation_findings *ret)
{
    lg_finding *items = LG_NEW_ARRAY(j->scratch, lg_finding, found->count + 1);
    if (!items || write_out_of_steps(j, found->unfinished, &items[found->count]) != LG_OK) {
        return LG_ERR_OOM;
    }
    if (found->lost) {
        items[found->count].message = LG_STR(
            "Something that was said or called before could not be followed within the limits "
            "(observe_steps, cel_cost, regex_steps), so that nothing is known of what must "
            "come first or must not follow. Every call is refused to be safe, until a new "
            "session is begun.");
    }
    for (size_t i = 0; i < found->count; i++) {
        items[i] = found->items[i];
    }
    *ret = *found;
    ret->items = items;
    ret->count = found->count + 1;
    return LG_OK;
}

static bool is_out_of_steps(const lg_decision *decision)
{
    for (size_t i = 0; i < decision->finding_count; i++) {
        if (decision->findings[i].cause == LG_CAUSE_BUDGET) {
            return true;
        }
    }
    return false;
}

lg_status lg_gate_join(const lg_conversation *conversation, const lg_conversation_event *event,
                       lg_gate_budget *budget, lg_arena *scratch, lg_decision *decision,
                       lg_error *reterr)
{
    lg_gate_budget own = lg_gate_budget_of(0);
    budget = budget ? budget : &own;
    bool said = event->kind == LG_EVENT_MESSAGE;
    lg_gate_call call = {.tool = said ? LG_STR("The message") : event->tool};
    judgement j = {.pack = conversation->pack, .call = &call, .scratch = scratch, .budget = budget};
    lg_conversation_findings found;
    size_t before = decision->finding_count;
    LG_DEBUG_ASSERT(decision->report_count == 0); // it was not joined before
    lg_conversation_bounds bounds = {&budget->verdict, &budget->words};
    if (is_out_of_steps(decision)) {
        return LG_OK; // it is refused already, and nothing is left to judge it with
    }
    lg_status status = lg_conversation_judge(conversation, event, &bounds, scratch, &found, reterr);
    if (status != LG_OK) {
        return status;
    }
    if (found.unfinished.ptr && add_out_of_steps(&j, &found, &found) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    decision->steps = lg_gate_steps_used(budget);
    decision->gated = decision->gated || found.binding > 0 || found.unfinished.ptr;
    decision->rules_evaluated += found.judged;
    decision->rules_abstained += found.undecided;
    if (found.count == 0) {
        return LG_OK;
    }
    if (join(&found, scratch, decision) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    if (decision->finding_count > before && write_message(&j, decision) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    return LG_OK;
}
