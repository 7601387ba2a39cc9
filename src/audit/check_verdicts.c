// check_verdicts.c: what the pack's rules say of calls, of other events, and of what is owed.
#include "audit/dialogue.h"
#include "audit/stated.h"
#include "audit/words.h"

#include "pack/conversation.h"

static const char no_law[] =
    "the recorded instructions do not hold the policy that the rule quotes";

static const lg_course_rule *course_rule(const audit_case *c, lg_str id)
{
    const lg_course *course = c->pack ? c->pack->course : NULL;
    for (size_t i = 0; course && i < course->rule_count; i++) {
        if (lg_str_eq(course->rules[i].id, id)) {
            return &course->rules[i];
        }
    }
    return NULL;
}

bool audit_is_course_rule(const audit_case *c, lg_str id)
{
    return course_rule(c, id) != NULL;
}

// What other checks say in words of their own: how messages are made, who has confirmed, who was identified.
static bool is_said_elsewhere(audit_case *c, size_t index, const lg_course_rule *rule)
{
    if (!rule) {
        return false;
    }
    if (rule->kind == LG_COURSE_SINGLE_CALL || rule->kind == LG_COURSE_NO_TEXT) {
        return true;
    }
    lg_str plain = audit_plain(c, rule->because);
    return audit_is_write(c, index) &&
           (audit_is_about(plain, TOPIC_CONFIRM) || audit_is_about(plain, TOPIC_AUTHENTICATE));
}

// The call before this one.
static size_t call_before(const audit_case *c, size_t index)
{
    while (index-- > 0) {
        if (audit_is_call(c, index)) {
            return index;
        }
    }
    return SIZE_MAX;
}

// Does the rule forbid this call right behind that of a tool?
static bool forbids_edge(const audit_case *c, const lg_course_rule *rule, size_t index)
{
    bool may = rule && rule->kind == LG_COURSE_NEVER && audit_is_call(c, index);
    size_t before = may ? call_before(c, index) : SIZE_MAX;
    const lg_tool *tool = before == SIZE_MAX ? NULL : c->steps[before].tool;
    for (size_t i = 0; tool && i < rule->opens.count; i++) {
        const lg_pattern_part *part = &rule->opens.parts[i];
        bool of_calls = (part->on & (LG_ON_CALL | LG_ON_RESULT | LG_ON_ERROR)) != 0;
        if (of_calls && part->tools && part->tools[tool - c->pack->tools]) {
            return true;
        }
    }
    return false;
}

static audit_kind kind_of(const audit_case *c, size_t index, const lg_finding *finding,
                          const lg_course_rule *rule)
{
    if (finding->cause == LG_CAUSE_ARGUMENTS) {
        return KIND_SCHEMA_VIOLATION;
    }
    if (finding->cause == LG_CAUSE_UNKNOWN_TOOL) {
        return KIND_UNKNOWN_TOOL;
    }
    return forbids_edge(c, rule, index) ? KIND_FORBIDDEN_EDGE
           : rule                       ? KIND_ORDER
                                        : KIND_REFUSED_WRITE;
}

// The paper's tiers: carried out, tried and made good, or caught before it was carried out. A rule that only misses
// what it would have looked at says nothing against a call that went well.
static lg_severity tier(const audit_case *c, size_t index, const lg_finding *finding)
{
    if (!audit_succeeded(c, index)) {
        return LG_SEVERITY_MINOR;
    }
    if (finding->cause != LG_CAUSE_VIOLATED ||
        lg_str_starts(finding->message,
                      LG_STR("It is not known whether"))) { // the gate's worse case
        return LG_SEVERITY_HINT;
    }
    return finding->because.len ? LG_SEVERITY_SEVERE : LG_SEVERITY_MODERATE; // no policy says it
}

// Was what should come first called in the same message, before it? The order is kept then, and no answer waited for.
static bool is_beside(const audit_case *c, size_t index, const lg_course_rule *rule)
{
    uint32_t turn = c->steps[index].event->turn;
    for (size_t i = index; rule && rule->kind == LG_COURSE_BEFORE && i-- > 0;) {
        if (c->steps[i].event->turn != turn) {
            return false;
        }
        const lg_tool *tool = audit_is_call(c, i) ? c->steps[i].tool : NULL;
        for (size_t p = 0; tool && p < rule->opens.count; p++) {
            const bool *tools = rule->opens.parts[p].tools;
            if (tools && tools[tool - c->pack->tools]) {
                return true;
            }
        }
    }
    return false;
}

// What should have come first is missing until it comes: that is said once.
static bool is_said_before(const audit_case *c, size_t index, const lg_course_rule *rule)
{
    for (size_t i = c->finding_count; rule && rule->kind == LG_COURSE_BEFORE && i-- > 0;) {
        if (c->findings[i].event < index && lg_str_eq(c->findings[i].rule, rule->id)) {
            return true;
        }
    }
    return false;
}

static void add(audit_case *c, size_t index, const lg_finding *finding)
{
    const lg_course_rule *rule = course_rule(c, finding->rule);
    audit_kind kind = kind_of(c, index, finding, rule);
    if (is_said_elsewhere(c, index, rule) || is_said_before(c, index, rule) ||
        kind == KIND_SCHEMA_VIOLATION || kind == KIND_UNKNOWN_TOOL) { // check_arguments.c
        return;
    }
    if (finding->cause == LG_CAUSE_DEFECT || finding->cause == LG_CAUSE_BUDGET) {
        audit_undecided(c, kind, index, finding->rule, "the rule could not be evaluated");
        return;
    }
    if (!audit_is_law(c, finding->because, rule != NULL)) {
        audit_undecided(c, kind, index, finding->rule, no_law);
        return;
    }
    lg_audit_finding *found = audit_found(c, kind, index, "%.*s", LG_FMT(finding->message));
    if (!rule) {
        found->severity = tier(c, index, finding);
    } else if (is_beside(c, index, rule)) {
        found->severity = LG_SEVERITY_HINT;
    }
    found->rule = finding->rule;
    found->because = finding->because;
    found->evidence = finding->evidence;
    found->evidence_count = finding->evidence_count;
}

static void check_step(audit_case *c, size_t index)
{
    const audit_step *step = &c->steps[index];
    audit_checked(c, LG_EVAL_TRANSITION, audit_is_write(c, index));
    for (size_t i = 0; i < step->finding_count; i++) {
        add(c, index, &step->findings[i]);
    }
}

static void check_owed(audit_case *c, const lg_obligation *owed)
{
    if (owed->event + 1 == c->count) { // it ends with what raised it
        audit_undecided(c, KIND_OWED, owed->event, owed->rule,
                        "the recording ends with the event that it arose from");
    } else if (!audit_is_law(c, owed->because, true)) {
        audit_undecided(c, KIND_OWED, owed->event, owed->rule, no_law);
    } else {
        lg_audit_finding *found =
            audit_found(c, KIND_OWED, owed->event, "%.*s", LG_FMT(owed->message));
        found->rule = owed->rule;
        found->because = owed->because;
    }
}

// Pairs of calls of which some rule could forbid one.
static void count_edges(audit_case *c)
{
    const lg_course *course = c->pack->course;
    bool any = false;
    for (size_t i = 0; course && i < course->rule_count; i++) {
        any = any || course->rules[i].kind == LG_COURSE_NEVER;
    }
    for (size_t i = 0, calls = 0; any && i < c->count; i++) {
        calls += audit_is_call(c, i);
        audit_checked(c, LG_EVAL_FORBIDDEN_EDGES, audit_is_call(c, i) && calls > 1);
    }
}

void audit_check_verdicts(audit_case *c)
{
    if (!c->pack) {
        return;
    }
    count_edges(c);
    for (size_t i = 0; i < c->count; i++) {
        check_step(c, i);
    }
    for (size_t i = 0; i < c->owed_count; i++) {
        check_owed(c, &c->owed[i]);
    }
}
