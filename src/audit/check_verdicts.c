// check_verdicts.c: what the pack's rules say of calls, of other events, and of what is owed.
#include "audit/audit_internal.h"

#include "pack/conversation.h"

static const lg_course_rule *course_rule(const audit_case *c, lg_str id)
{
    const lg_course *course = c->pack->course;
    for (size_t i = 0; course && i < course->rule_count; i++) {
        if (lg_str_eq(course->rules[i].id, id)) {
            return &course->rules[i];
        }
    }
    return NULL;
}

static audit_kind kind_of(const audit_case *c, const lg_finding *finding)
{
    if (finding->cause == LG_CAUSE_ARGUMENTS) {
        return KIND_SCHEMA_VIOLATION;
    }
    if (finding->cause == LG_CAUSE_UNKNOWN_TOOL) {
        return KIND_UNKNOWN_TOOL;
    }
    return course_rule(c, finding->rule) ? KIND_ORDER : KIND_REFUSED_WRITE;
}

// The paper's tiers: carried out, tried and made good, or caught before it was carried out.
static lg_severity tier(const audit_case *c, size_t index)
{
    return audit_succeeded(c, index) ? LG_SEVERITY_SEVERE : LG_SEVERITY_MINOR;
}

// A rule that speaks of evidence which the recording does not hold decides nothing: the read may have been made elsewhere.
static bool is_undecided(const lg_finding *finding)
{
    return finding->cause == LG_CAUSE_DEFECT || finding->cause == LG_CAUSE_BUDGET;
}

static void add(audit_case *c, size_t index, const lg_finding *finding, lg_severity severity)
{
    audit_kind kind = kind_of(c, finding);
    if (is_undecided(finding)) {
        audit_undecided(c, kind, index, finding->rule, "the rule could not be evaluated");
        return;
    }
    lg_audit_finding *found = audit_found(c, kind, index, "%.*s", LG_FMT(finding->message));
    found->severity = finding->verdict == LG_ALLOW ? LG_SEVERITY_HINT : severity;
    found->rule = finding->rule;
    found->because = finding->because;
    found->evidence = finding->evidence;
    found->evidence_count = finding->evidence_count;
}

static void check_step(audit_case *c, size_t index)
{
    const audit_step *step = &c->steps[index];
    bool is_call = step->event->kind == LG_EVENT_CALL;
    audit_checked(c, LG_EVAL_TRANSITION, audit_is_write(c, index));
    for (size_t i = 0; i < step->finding_count; i++) {
        add(c, index, &step->findings[i], is_call ? tier(c, index) : LG_SEVERITY_MODERATE);
    }
}

void audit_check_verdicts(audit_case *c)
{
    for (size_t i = 0; c->pack && i < c->count; i++) {
        check_step(c, i);
    }
    for (size_t i = 0; i < c->owed_count; i++) {
        const lg_obligation *owed = &c->owed[i];
        if (owed->event + 1 == c->count) { // it ends with what raised it
            audit_undecided(c, KIND_OWED, owed->event, owed->rule,
                            "the recording ends with the event that it arose from");
            continue;
        }
        lg_audit_finding *found =
            audit_found(c, KIND_OWED, owed->event, "%.*s", LG_FMT(owed->message));
        found->severity = owed->verdict == LG_ALLOW ? LG_SEVERITY_HINT : found->severity;
        found->rule = owed->rule;
        found->because = owed->because;
    }
}
