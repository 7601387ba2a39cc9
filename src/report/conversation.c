// conversation.c: what conversation rules ask for, as JSON.
#include "report/report_internal.h"

const char *lg_report_severity(lg_verdict verdict)
{
    return verdict == LG_ALLOW ? "report" : lg_verdict_name(verdict);
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
