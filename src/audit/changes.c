// changes.c: what events did to the ledger, for who shows it beside them.
#include "audit/audit_internal.h"

static lg_str path_text(audit_case *c, const lg_ledger_entry *entry)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, "ledger");
    for (uint32_t s = 0; s < entry->declared->segment_count; s++) {
        lg_ledger_print_segment(&text, entry->segments[s]);
    }
    lg_str path = audit_keep(c, lg_buf_str(&text));
    c->oom = c->oom || lg_buf_status(&text) != LG_OK;
    lg_buf_done(&text);
    return path;
}

static void keep(audit_case *c, size_t index, const lg_ledger_entry *entry, bool is_new)
{
    lg_audit_change *items =
        lg_arena_grow(c->arena, c->changes, c->change_count, &c->change_capacity, sizeof(*items));
    if (!items) {
        c->oom = true;
        return;
    }
    c->changes = items;
    items[c->change_count++] = (lg_audit_change){.event = (uint32_t)index,
                                                 .path = path_text(c, entry),
                                                 .value = is_new ? entry->value : NULL,
                                                 .tool = audit_keep(c, entry->tool),
                                                 .turn = entry->turn,
                                                 .stale = entry->stale};
}

void audit_keep_changes(audit_case *c, size_t index)
{
    const lg_ledger *ledger = lg_session_ledger(c->session);
    lg_event_kind kind = c->steps[index].event->kind;
    if (kind == LG_EVENT_MESSAGE) {
        return; // nothing that anybody says is in the ledger
    }
    for (uint32_t i = 0; i < ledger->state.entries.count && !c->oom; i++) {
        const lg_ledger_entry *entry = lg_ledger_entry_at(&ledger->state, i);
        bool is_new = entry->observed == ledger->observed && kind == LG_EVENT_RESULT;
        if (is_new || (entry->changed == ledger->observed && entry->changed > 0)) {
            keep(c, index, entry, is_new);
        }
    }
}

void lg_audit_write_changes(lg_json_writer *w, const lg_audit_result *result)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < result->change_count; i++) {
        const lg_audit_change *change = &result->changes[i];
        lg_jw_begin_object(w);
        lg_jw_member_uint(w, "event", change->event);
        lg_jw_member_str(w, "path", change->path);
        if (change->value) {
            lg_jw_member_json(w, "value", change->value);
        }
        lg_jw_member_str_if(w, "tool", change->tool);
        lg_jw_member_uint(w, "turn", change->turn);
        lg_jw_member_bool(w, "stale", change->stale);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}
