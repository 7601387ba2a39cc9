// write.c: the result of a conversation as JSON (docs/audit.md).
#include "audit/audit_internal.h"
#include "report/report.h"

static void write_event(lg_json_writer *w, const lg_audit_result *r, uint32_t event)
{
    if (event != LG_NO_EVENT) {
        lg_jw_member_uint(w, "event", event);
        lg_jw_member_uint(w, "turn", r->trace->events[event].turn);
    }
}

static void write_about(lg_json_writer *w, const lg_audit_result *r, lg_str file, uint32_t line)
{
    const lg_trace *trace = r->trace;
    lg_jw_member_uint(w, "version", 1);
    lg_jw_member_c(w, "id", r->id);
    lg_jw_member_str(w, "file", file);
    lg_jw_member_uint(w, "line", line);
    lg_jw_member_str(w, "conversation", trace->name);
    lg_jw_member_str(w, "task", trace->task);
    lg_jw_member_uint(w, "trial", trace->trial);
    lg_jw_member_str(w, "domain", trace->domain);
    lg_jw_member_str(w, "model", trace->model);
    lg_jw_member_str_or_null(w, "customer", r->customer);
    lg_jw_member_str_or_null(w, "did", lg_str_c(r->did));
    lg_jw_member_double_or_null(w, "reward", trace->has_reward, trace->reward);
    lg_jw_member_json(w, "checks", trace->checks);
    lg_jw_member_str(w, "ended", trace->ended);
}

static void write_pack(lg_json_writer *w, const lg_pack *pack)
{
    lg_jw_key(w, "pack");
    if (!pack) {
        lg_jw_null(w);
        return;
    }
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "name", lg_pack_name(pack));
    lg_jw_member_str(w, "version", lg_pack_version(pack));
    lg_jw_member_str(w, "hash", lg_pack_hash(pack));
    lg_jw_end_object(w);
}

static void write_counts(lg_json_writer *w, const lg_audit_counts *counts)
{
    lg_jw_key(w, "counts");
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "turns", counts->turns);
    lg_jw_member_uint(w, "messages", counts->messages);
    lg_jw_member_uint(w, "calls", counts->calls);
    lg_jw_member_uint(w, "reads", counts->reads);
    lg_jw_member_uint(w, "writes", counts->writes);
    lg_jw_member_uint(w, "carried_out", counts->carried_out);
    lg_jw_member_uint(w, "delegated", counts->delegated);
    lg_jw_end_object(w);
}

static void write_scores(lg_json_writer *w, const lg_audit_result *r)
{
    lg_jw_key(w, "scores");
    lg_jw_begin_object(w);
    lg_jw_member_double_or_null(w, "aggregate", r->has_aggregate, r->aggregate);
    lg_jw_member_double_or_null(w, "aggregate_once", r->has_aggregate, r->aggregate_once);
    lg_jw_member_double_or_null(w, "outcome", r->has_outcome, r->outcome);
    lg_jw_member_double(w, "process", r->process);
    lg_jw_end_object(w);
}

static void write_evaluator(lg_json_writer *w, lg_evaluator evaluator, const lg_audit_score *s)
{
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "name", lg_evaluator_name(evaluator));
    lg_jw_member_c(w, "tier", s->weight > 2.5 ? "critical" : s->weight > 1.5 ? "important" : "low");
    lg_jw_member_double(w, "weight", s->weight);
    lg_jw_member_double_or_null(w, "score", s->ran, s->score);
    lg_jw_member_str_if(w, "why", s->why);
    lg_jw_key(w, "decided");
    if (s->has_decided) {
        lg_jw_begin_object(w);
        lg_jw_member_uint(w, "checked", s->checked);
        lg_jw_member_uint(w, "violated", s->violated);
        lg_jw_end_object(w);
    } else {
        lg_jw_null(w);
    }
    lg_jw_key(w, "judged");
    if (s->has_judged) {
        lg_jw_begin_object(w);
        lg_jw_member_double(w, "score", s->judged);
        lg_jw_member_str_if(w, "reasoning", s->reasoning);
        lg_jw_end_object(w);
    } else {
        lg_jw_null(w);
    }
    lg_jw_end_object(w);
}

static void write_finding(lg_json_writer *w, const lg_audit_result *r, size_t index)
{
    const lg_audit_finding *f = &r->findings[index];
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "id", index + 1);
    lg_jw_member_c(w, "kind", f->kind->name);
    lg_jw_member_c(w, "evaluator", lg_evaluator_name(f->kind->evaluator));
    lg_jw_member_c(w, "by", f->by_model ? "model" : "rules");
    lg_jw_member_c(w, "severity", lg_severity_name(f->severity));
    write_event(w, r, f->event);
    if (f->event != LG_NO_EVENT) {
        lg_jw_member_str_if(w, "tool", r->trace->events[f->event].tool);
    }
    lg_jw_member_str_if(w, "rule", f->rule);
    lg_jw_member_str_if(w, "key", f->key);
    lg_jw_member_str(w, "message", f->message);
    lg_jw_member_str_if(w, "because", f->because);
    lg_jw_key(w, "evidence");
    lg_report_evidence(w, f->evidence, f->evidence_count);
    lg_jw_member_uint(w, "root", f->root + 1);
    lg_jw_member_c(w, "suggest", f->kind->suggest);
    lg_jw_end_object(w);
}

static void write_undecided(lg_json_writer *w, const lg_audit_result *r)
{
    lg_jw_key(w, "undecided");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < r->undecided_count; i++) {
        const lg_audit_open *open = &r->undecided[i];
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "kind", open->kind->name);
        write_event(w, r, open->event);
        lg_jw_member_str_if(w, "rule", open->rule);
        lg_jw_member_str(w, "why", open->why);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_not_checked(lg_json_writer *w, const lg_audit_result *r)
{
    lg_jw_key(w, "not_checked");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < r->not_checked_count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "evaluator", lg_evaluator_name(r->not_checked[i].evaluator));
        lg_jw_member_c(w, "part", r->not_checked[i].judged ? "judged" : "decided");
        lg_jw_member_str(w, "why", r->not_checked[i].why);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_lists(lg_json_writer *w, const lg_audit_result *r)
{
    lg_jw_key(w, "evaluators");
    lg_jw_begin_array(w);
    for (lg_evaluator e = 0; e < LG_EVAL_COUNT; e++) {
        write_evaluator(w, e, &r->scores[e]);
    }
    lg_jw_end_array(w);
    lg_jw_member_str_or_null(w, "class", lg_str_c(lg_failure_class_name(r->failure)));
    lg_jw_key(w, "first_unrecoverable");
    if (r->first_unrecoverable == LG_NO_EVENT) {
        lg_jw_null(w);
    } else {
        lg_jw_begin_object(w);
        write_event(w, r, r->first_unrecoverable);
        lg_jw_end_object(w);
    }
    lg_jw_key(w, "findings");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < r->finding_count; i++) {
        write_finding(w, r, i);
    }
    lg_jw_end_array(w);
    if (r->findings_left_out) {
        lg_jw_member_uint(w, "findings_left_out", r->findings_left_out);
    }
}

// What the importer could not read of the conversation.
static void write_import_errors(lg_json_writer *w, const lg_audit_result *r)
{
    uint32_t index = (uint32_t)(r->trace - r->set->traces);
    bool begun = false;
    for (size_t i = 0; i < r->set->issue_count; i++) {
        const lg_trace_issue *issue = &r->set->issues[i];
        if (issue->trace != index) {
            continue;
        }
        if (!begun) {
            lg_jw_key(w, "import_errors");
            lg_jw_begin_array(w);
            begun = true;
        }
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "pointer", issue->pointer);
        lg_jw_member_bool(w, "left_out", issue->fatal);
        lg_jw_member_str(w, "message", issue->message);
        lg_jw_end_object(w);
    }
    if (begun) {
        lg_jw_end_array(w);
    }
}

void lg_audit_write(lg_json_writer *w, const lg_audit_result *r, lg_str file, uint32_t line)
{
    lg_jw_begin_object(w);
    write_about(w, r, file, line);
    write_pack(w, r->pack);
    write_counts(w, &r->counts);
    write_scores(w, r);
    write_lists(w, r);
    write_undecided(w, r);
    write_not_checked(w, r);
    write_import_errors(w, r);
    lg_jw_key(w, "signals");
    lg_jw_begin_object(w);
    for (size_t i = 0; i < r->signal_count; i++) {
        lg_jw_member_double(w, r->signals[i].name, r->signals[i].value);
    }
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}
