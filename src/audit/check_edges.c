// check_edges.c: calls that may not follow one another, from a list that was extracted from the instructions.
#include "audit/dialogue.h"

const audit_edge *audit_read_edges(audit_case *c, const lg_json *list, size_t *ret_count)
{
    size_t count = lg_json_is(list, LG_JSON_ARRAY) ? lg_json_len(list) : 0;
    audit_edge *edges = LG_NEW_ARRAY(c->arena, audit_edge, count + 1);
    *ret_count = 0;
    c->oom = c->oom || !edges;
    for (size_t i = 0; edges && i < count; i++) {
        const lg_json *item = lg_json_item(list, i);
        lg_str from = lg_json_str(lg_json_get(item, LG_STR("from")));
        lg_str to = lg_json_str(lg_json_get(item, LG_STR("to")));
        if (from.len && to.len) {
            lg_str reason = lg_json_str(lg_json_get(item, LG_STR("reason")));
            edges[(*ret_count)++] = (audit_edge){from, to, reason};
        }
    }
    return edges;
}

static const audit_edge *edge_between(const audit_edge *edges, size_t count, lg_str from, lg_str to)
{
    for (size_t i = 0; i < count; i++) {
        if (lg_str_eq(edges[i].from, from) && lg_str_eq(edges[i].to, to)) {
            return &edges[i];
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

void audit_check_edges(audit_case *c, const audit_edge *edges, size_t count)
{
    size_t before = SIZE_MAX;
    for (size_t i = 0; count > 0 && i < c->count; i++) {
        if (!audit_is_call(c, i)) {
            continue;
        }
        lg_str to = c->steps[i].event->tool;
        lg_str from = before == SIZE_MAX ? LG_STR("") : c->steps[before].event->tool;
        const audit_edge *edge = edge_between(edges, count, from, to);
        audit_checked(c, LG_EVAL_FORBIDDEN_EDGES, before != SIZE_MAX);
        if (edge && !is_known(c, i)) {
            audit_found(c, KIND_FORBIDDEN_EDGE, i, "%.*s may not follow %.*s", LG_FMT(to),
                        LG_FMT(from))
                ->because = edge->reason;
        }
        before = i;
    }
}
