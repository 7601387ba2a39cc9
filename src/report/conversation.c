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
    lg_jw_member_str(w, "rule", owed->rule);
    lg_jw_member_c(w, "severity", lg_report_severity(owed->verdict));
    lg_jw_member_c(w, "state", unmet ? "unmet" : lg_obligation_state_name(owed->state));
    lg_jw_member_str_if(w, "key", owed->key);
    lg_jw_member_str_if(w, "tool", owed->tool);
    lg_jw_member_uint(w, "event", owed->event);
    lg_jw_member_uint(w, "turn", owed->turn);
    lg_jw_member_str(w, "message", owed->message);
    lg_jw_member_str_if(w, "because", owed->because);
}
