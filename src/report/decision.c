// decision.c: decisions and their findings as JSON.
#include "base/time.h"
#include "report/report_internal.h"

// --- Evidence -----------------------------------------------------------------------------------

void lg_report_evidence(lg_json_writer *w, const lg_evidence *items, size_t count)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "path", items[i].path);
        lg_jw_member_str(w, "value", items[i].value);
        if (items[i].observed || items[i].tool.len) {      // of what a record lacks, the record's
            lg_jw_member_str_if(w, "tool", items[i].tool); // a message is of none
            lg_jw_member_uint(w, "turn", items[i].turn);
            lg_jw_member_bool(w, "stale", items[i].stale);
        }
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static bool names_path(const lg_finding *finding, size_t count, lg_str path)
{
    for (size_t i = 0; i < count; i++) {
        if (lg_str_eq(finding->missing[i].path, path)) {
            return true;
        }
    }
    return false;
}

// Was `path` missing before, in an earlier finding or earlier in this one?
static bool is_repeated(const lg_decision *decision, size_t finding, size_t missing, lg_str path)
{
    for (size_t before = 0; before < finding; before++) {
        const lg_finding *other = &decision->findings[before];
        if (names_path(other, other->missing_count, path)) {
            return true;
        }
    }
    return names_path(&decision->findings[finding], missing, path);
}

static void write_missing(lg_json_writer *w, const lg_decision *decision)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < decision->finding_count; i++) {
        const lg_finding *finding = &decision->findings[i];
        for (size_t m = 0; m < finding->missing_count; m++) {
            if (!is_repeated(decision, i, m, finding->missing[m].path)) {
                lg_jw_str(w, finding->missing[m].path);
            }
        }
    }
    lg_jw_end_array(w);
}

// --- Findings -----------------------------------------------------------------------------------

// The read that is asked for; all of them where there are several.
static void write_reads(lg_json_writer *w, const lg_finding *finding)
{
    if (finding->missing_count) {
        lg_jw_member_str_if(w, "read", finding->missing[0].read);
    }
    if (finding->missing_count > 1) {
        lg_jw_key(w, "reads");
        lg_jw_begin_array(w);
        for (size_t i = 0; i < finding->missing_count; i++) {
            lg_jw_str(w, finding->missing[i].read);
        }
        lg_jw_end_array(w);
    }
}

void lg_report_finding_members(lg_json_writer *w, const lg_finding *finding)
{
    lg_jw_member_str(w, "rule", finding->rule);
    lg_jw_member_c(w, "verdict", lg_verdict_name(finding->verdict));
    lg_jw_member_c(w, "cause", lg_cause_name(finding->cause));
    lg_jw_member_str(w, "message", finding->message);
    lg_jw_member_str_if(w, "because", finding->because);
    lg_jw_member_c(w, "category", lg_category_name(finding->category));
    write_reads(w, finding);
    lg_jw_key(w, "evidence");
    lg_report_evidence(w, finding->evidence, finding->evidence_count);
}

void lg_report_finding(lg_json_writer *w, const lg_finding *finding)
{
    lg_jw_begin_object(w);
    lg_report_finding_members(w, finding);
    lg_jw_end_object(w);
}

static void write_findings(lg_json_writer *w, const char *key, const lg_finding *items,
                           size_t count)
{
    lg_jw_key(w, key);
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        lg_report_finding(w, &items[i]);
    }
    lg_jw_end_array(w);
}

// --- Decisions ----------------------------------------------------------------------------------

static void write_rules(lg_json_writer *w, const lg_decision *decision)
{
    lg_jw_key(w, "rules");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < decision->finding_count; i++) {
        lg_jw_str(w, decision->findings[i].rule);
    }
    lg_jw_end_array(w);
}

static void write_evidence(lg_json_writer *w, const lg_decision *decision)
{
    lg_jw_key(w, "evidence");
    lg_report_evidence(w, decision->evidence, decision->evidence_count);
    if (decision->evidence_left_out) {
        lg_jw_member_uint(w, "evidence_left_out", decision->evidence_left_out);
    }
    if (decision->evidence_cut) {
        lg_jw_member_bool(w, "evidence_cut", true);
    }
}

static void write_hints(lg_json_writer *w, const lg_decision *decision)
{
    lg_jw_key(w, "hints");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < decision->hint_count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "path", decision->hints[i].path);
        lg_jw_member_str(w, "value", decision->hints[i].value);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
    if (decision->hints_cut) {
        lg_jw_member_bool(w, "hints_cut", true);
    }
}

// What the host's clock says is not written: the same events are to have the same report.
static void write_clock(lg_json_writer *w, const lg_decision *decision)
{
    char now[LG_TIME_TEXT_MAX];
    lg_jw_member_c(w, "clock", lg_clock_name(decision->clock));
    if (decision->clock != LG_CLOCK_HOST) {
        lg_jw_member_str(w, "now", (lg_str){now, lg_time_print(now, decision->now)});
    }
}

void lg_report_decision(lg_json_writer *w, const lg_decision *decision)
{
    LG_DEBUG_ASSERT(decision->verdict == LG_ALLOW || decision->finding_count > 0);
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "verdict", lg_verdict_name(decision->verdict));
    if (decision->verdict != LG_ALLOW) {
        lg_jw_member_c(w, "category", lg_category_name(decision->category));
    }
    lg_jw_member_bool(w, "gated", decision->gated);
    write_clock(w, decision);
    write_rules(w, decision);
    write_evidence(w, decision);
    lg_jw_key(w, "missing");
    write_missing(w, decision);
    write_findings(w, "findings", decision->findings, decision->finding_count);
    write_findings(w, "reports", decision->reports, decision->report_count);
    write_hints(w, decision);
    lg_jw_member_uint(w, "rules_evaluated", decision->rules_evaluated);
    lg_jw_member_uint(w, "rules_abstained", decision->rules_abstained);
    lg_jw_member_str(w, "message", decision->message);
    lg_jw_end_object(w);
}
