// ledger.c: results that were not accepted, and what the ledger holds, as JSON.
#include "report/report_internal.h"

void lg_report_rejection_members(lg_json_writer *w, const lg_rejection *rejection)
{
    LG_DEBUG_ASSERT(rejection->category != LG_CATEGORY_NONE); // else there was none
    lg_jw_member_c(w, "category", lg_category_name(rejection->category));
    lg_jw_member_str(w, "condition", rejection->condition);
    lg_jw_member_c(w, "message", rejection->message);
    lg_jw_member_str_if(w, "because", rejection->because);
}

static void write_record(lg_json_writer *w, const lg_ledger_entry *entry)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, "ledger");
    for (uint32_t i = 0; i < entry->declared->segment_count; i++) {
        lg_ledger_print_segment(&text, entry->segments[i]);
    }
    lg_jw_begin_object(w);
    write_buf(w, "path", &text);
    lg_buf_clear(&text);
    lg_cel_type_print(&text, entry->declared->type);
    write_buf(w, "type", &text);
    lg_buf_done(&text);
    lg_jw_member_json(w, "value", entry->value);
    lg_jw_member_str(w, "tool", entry->tool);
    lg_jw_member_json(w, "args", entry->args);
    lg_jw_member_uint(w, "turn", entry->turn);
    lg_jw_member_bool(w, "stale", entry->stale);
    if (entry->stale) {
        lg_jw_member_uint(w, "stale_since", entry->stale_turn);
        lg_jw_member_str(w, "stale_tool", entry->stale_tool);
    }
    lg_jw_end_object(w);
}

void lg_report_ledger_members(lg_json_writer *w, const lg_ledger_state *state)
{
    lg_jw_key(w, "records");
    lg_jw_begin_array(w);
    for (uint32_t i = 0; i < state->entries.count; i++) {
        write_record(w, lg_ledger_entry_at(state, i));
    }
    lg_jw_end_array(w);
    lg_jw_member_json(w, "history", lg_json_get(state->root, LG_STR("history")));
}
