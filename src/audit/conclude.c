// conclude.c: from the findings to the result.
#include "audit/outcome.h"

#include <stdlib.h>

// What a model alone can see of each evaluator; nothing of consecutive calls.
static void name_unjudged(audit_case *c)
{
    size_t kept = 0; // what the checks themselves have named
    while (kept < c->not_checked_count && !c->not_checked[kept].judged) {
        kept++;
    }
    c->not_checked_count = kept;
    for (lg_evaluator e = 0; e < LG_EVAL_COUNT; e++) {
        if (e != LG_EVAL_FORBIDDEN_EDGES && !c->judged[e].answered) {
            lg_str why = c->judged[e].why;
            audit_not_checked(c, e, true, why.len ? why.ptr : "no model was asked");
        }
    }
}

static int by_event(const void *a, const void *b)
{
    const lg_audit_finding *left = a, *right = b;
    if (left->event != right->event) {
        return left->event < right->event ? -1 : 1;
    }
    return left->root < right->root ? -1 : left->root > right->root; // as they were added
}

static void sort_findings(audit_case *c)
{
    for (uint32_t i = 0; i < c->finding_count; i++) {
        c->findings[i].root = i;
    }
    if (c->finding_count > 0) {
        qsort(c->findings, c->finding_count, sizeof(*c->findings), by_event);
    }
    for (uint32_t i = 0; i < c->finding_count; i++) {
        c->findings[i].root = i;
    }
}

void audit_conclude(audit_case *c, lg_audit_result *r)
{
    name_unjudged(c);
    sort_findings(c);
    audit_outcome(c, r);
    audit_classify(c, r); // it asks how likely the outcome is
    audit_score(c, r);
    r->findings = c->findings;
    r->finding_count = c->finding_count;
    r->findings_left_out = c->findings_left_out;
    r->undecided = c->undecided;
    r->undecided_count = c->undecided_count;
    r->not_checked = c->not_checked;
    r->not_checked_count = c->not_checked_count;
    r->signals = c->signals;
    r->signal_count = c->signal_count;
    r->changes = c->changes;
    r->change_count = c->change_count;
}
