// check_edges.c: calls that may not follow one another, from a list that was extracted from the instructions.
#include "audit/dialogue.h"

static const lg_audit_edge *edge_between(const audit_case *c, lg_str from, lg_str to)
{
    for (size_t i = 0; i < c->edge_count; i++) {
        if (lg_str_eq(c->edges[i].from, from) && lg_str_eq(c->edges[i].to, to)) {
            return &c->edges[i];
        }
    }
    return NULL;
}

// Has a rule of the pack said it of this call already?
static bool is_known(const audit_case *c, size_t index)
{
    for (size_t i = 0; i < c->finding_count; i++) {
        if (c->findings[i].event == index &&
            c->findings[i].kind == &audit_kinds[KIND_FORBIDDEN_EDGE]) {
            return true;
        }
    }
    return false;
}

void audit_check_edges(audit_case *c)
{
    size_t before = SIZE_MAX;
    for (size_t i = 0; c->edge_count > 0 && i < c->count; i++) {
        if (!audit_is_call(c, i)) {
            continue;
        }
        lg_str to = c->steps[i].event->tool;
        lg_str from = before == SIZE_MAX ? LG_STR("") : c->steps[before].event->tool;
        const lg_audit_edge *edge = edge_between(c, from, to);
        audit_checked(c, LG_EVAL_FORBIDDEN_EDGES, before != SIZE_MAX);
        if (edge && !is_known(c, i)) {
            lg_audit_finding *found = audit_found(
                c, KIND_FORBIDDEN_EDGE, i, "%.*s may not follow %.*s", LG_FMT(to), LG_FMT(from));
            found->rule = edge->rule;
            found->because = edge->because;
            found->severity = edge->must ? found->severity : LG_SEVERITY_MINOR;
        }
        before = i;
    }
}
