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
    return LG_OK;
}

lg_status lg_gate_join(lg_conversation *conversation, const lg_conversation_event *event,
                       lg_arena *scratch, lg_decision *decision, lg_error *reterr)
{
    lg_conversation_findings found;
    size_t before = decision->finding_count;
    lg_status status = lg_conversation_judge(conversation, event, scratch, &found, reterr);
    if (status != LG_OK) {
        return status;
    }
    decision->gated = decision->gated || found.binding > 0;
    decision->rules_evaluated += found.judged;
    decision->rules_abstained += found.undecided;
    if (found.count == 0) {
        return LG_OK;
    }
    if (join(&found, scratch, decision) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    bool said = event->kind == LG_EVENT_MESSAGE;
    lg_gate_call call = {.tool = said ? LG_STR("The message") : event->tool};
    judgement j = {.pack = conversation->pack, .call = &call, .scratch = scratch};
    if (decision->finding_count > before && write_message(&j, decision) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    return LG_OK;
}
