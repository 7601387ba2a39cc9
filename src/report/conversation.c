// conversation.c: what conversation rules find, and what is owed, as JSON.
#include "report/report_internal.h"

const char *lg_report_severity(lg_verdict verdict)
{
    return verdict == LG_ALLOW ? "report" : lg_verdict_name(verdict);
}

// Events have no value: where in the conversation they were says which they are.
static void write_events(lg_json_writer *w, const lg_evidence *items, size_t count)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        lg_jw_begin_object(w);
        write_str(w, "path", items[i].path);
        write_any(w, "tool", items[i].tool);
        write_uint(w, "turn", items[i].turn);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

void lg_report_occurrence_members(lg_json_writer *w, const lg_finding *finding)
{
    write_str(w, "rule", finding->rule);
    write_word(w, "severity", lg_report_severity(finding->verdict));
    write_word(w, "cause", lg_cause_name(finding->cause));
    write_str(w, "message", finding->message);
    write_any(w, "because", finding->because);
    lg_jw_key(w, "evidence");
    write_events(w, finding->evidence, finding->evidence_count);
}

void lg_report_obligation_members(lg_json_writer *w, const lg_obligation *owed, bool ended)
{
    LG_DEBUG_ASSERT(owed->rule.len > 0);
    bool unmet = ended && owed->state != LG_OWED_LATE;
    write_str(w, "rule", owed->rule);
    write_word(w, "severity", lg_report_severity(owed->verdict));
    write_word(w, "state", unmet ? "unmet" : lg_obligation_state_name(owed->state));
    write_any(w, "key", owed->key);
    write_any(w, "tool", owed->tool);
    write_uint(w, "event", owed->event);
    write_uint(w, "turn", owed->turn);
    write_str(w, "message", owed->message);
    write_any(w, "because", owed->because);
}
