// found.c: what checks say of a conversation.
#include "audit/audit_internal.h"

lg_str audit_keep(audit_case *c, lg_str text)
{
    lg_str kept = lg_arena_str(c->arena, text);
    if (!kept.ptr) {
        c->oom = true;
        return LG_STR("");
    }
    return kept;
}

lg_audit_finding *audit_found(audit_case *c, audit_kind kind, size_t event, const char *format, ...)
{
    static _Thread_local lg_audit_finding spill; // after a failure
    LG_DEBUG_ASSERT(event == LG_NO_EVENT || event < c->count);
    if (c->finding_count == LG_AUDIT_FINDINGS_MAX) {
        c->findings_left_out++;
        return &spill;
    }
    lg_audit_finding *items = c->findings;
    if (c->finding_count == c->finding_capacity) {
        items = lg_arena_grow(c->arena, c->findings, c->finding_count, &c->finding_capacity,
                              sizeof(*items));
    }
    if (!items) {
        c->oom = true;
        return &spill;
    }
    char room[1024];
    va_list args;
    va_start(args, format);
    lg_str message = lg_str_vprint(room, sizeof(room), format, args);
    va_end(args);
    c->findings = items;
    lg_audit_finding *found = &items[c->finding_count];
    *found = (lg_audit_finding){.kind = &audit_kinds[kind],
                                .severity = audit_kinds[kind].severity,
                                .event = (uint32_t)event,
                                .root = (uint32_t)c->finding_count,
                                .message = audit_keep(c, message)};
    c->finding_count++;
    return found;
}

static void add_open(audit_case *c, lg_audit_open **list, size_t *count, size_t *capacity,
                     lg_audit_open open)
{
    lg_audit_open *items = *list;
    if (*count == *capacity) {
        items = lg_arena_grow(c->arena, *list, *count, capacity, sizeof(*items));
    }
    if (!items) {
        c->oom = true;
        return;
    }
    *list = items;
    items[(*count)++] = open;
}

void audit_undecided(audit_case *c, audit_kind kind, size_t event, lg_str rule, const char *why)
{
    if (c->undecided_count < LG_AUDIT_FINDINGS_MAX) {
        add_open(c, &c->undecided, &c->undecided_count, &c->undecided_capacity,
                 (lg_audit_open){.kind = &audit_kinds[kind],
                                 .evaluator = audit_kinds[kind].evaluator,
                                 .event = (uint32_t)event,
                                 .rule = audit_keep(c, rule),
                                 .why = audit_keep(c, lg_str_c(why))});
    }
}

void audit_not_checked(audit_case *c, lg_evaluator evaluator, bool judged, const char *why)
{
    add_open(c, &c->not_checked, &c->not_checked_count, &c->not_checked_capacity,
             (lg_audit_open){.evaluator = evaluator,
                             .judged = judged,
                             .event = LG_NO_EVENT,
                             .rule = LG_STR(""),
                             .why = audit_keep(c, lg_str_c(why))});
}

void audit_checked(audit_case *c, lg_evaluator evaluator, size_t count)
{
    c->checked[evaluator] += (uint32_t)count;
}

void audit_signal(audit_case *c, const char *name, double value)
{
    lg_audit_signal *items = c->signals;
    if (c->signal_count == c->signal_capacity) {
        items = lg_arena_grow(c->arena, c->signals, c->signal_count, &c->signal_capacity,
                              sizeof(*items));
    }
    if (!items) {
        c->oom = true;
        return;
    }
    c->signals = items;
    items[c->signal_count++] = (lg_audit_signal){name, value};
}
