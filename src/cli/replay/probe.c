// probe.c: `replay --probe`: proposed calls, each judged at its place in a gold conversation.
//
// A probe names a task, the position of its call among the task's gold calls, calls to leave out of
// the ledger, and reads to add. It says which rule should refuse it, and with what verdict.
#include "cli/replay/replay.h"

#include "base/file.h"
#include "report/report.h"

#include <stdio.h>

typedef struct probe {
    const lg_json *json;
    size_t number; // line in the file, from 1
    const lg_trace *trace;
    int64_t position;
} probe;

static const lg_trace *find_task(const cli_traces *traces, lg_str domain, lg_str task)
{
    for (size_t s = 0; s < traces->count; s++) {
        for (size_t t = 0; t < traces->sets[s]->count; t++) {
            const lg_trace *trace = &traces->sets[s]->traces[t];
            bool same_domain =
                domain.len == 0 || trace->domain.len == 0 || lg_str_eq(trace->domain, domain);
            if (same_domain && lg_str_eq(trace->task, task)) {
                return trace;
            }
        }
    }
    return NULL;
}

static bool is_omitted(const lg_json *omit, size_t index)
{
    for (size_t i = 0; i < lg_json_len(omit); i++) {
        int64_t number;
        if (lg_json_int(lg_json_item(omit, i), &number) && number >= 0 && (size_t)number == index) {
            return true;
        }
    }
    return false;
}

// The gold calls before the probe's position.
static bool observe_gold(replay *r, const probe *p)
{
    int64_t index = 0;
    for (size_t i = 0; i < p->trace->count && index < p->position; i++) {
        const lg_trace_event *call = &p->trace->events[i];
        lg_observed observed;
        char id[LG_TRACE_ID_BYTES];
        if (call->kind != LG_EVENT_CALL) {
            continue;
        }
        bool skip = is_omitted(lg_json_get(p->json, LG_STR("omit")), (size_t)index++);
        if (skip || call->other == LG_NO_EVENT) {
            continue;
        }
        lg_event made = lg_trace_event_at(p->trace, i, id);
        lg_event answer = lg_trace_event_at(p->trace, call->other, id);
        if (!replay_observe(r, &made, &observed) || !replay_observe(r, &answer, &observed)) {
            return false;
        }
    }
    return true;
}

// Calls that came with their answers.
static bool observe_extra(replay *r, const probe *p)
{
    const lg_json *extra = lg_json_get(p->json, LG_STR("extra_calls"));
    for (size_t i = 0; i < lg_json_len(extra); i++) {
        const lg_json *call = lg_json_item(extra, i);
        lg_str requestor = lg_json_str(lg_json_get(call, LG_STR("requestor")));
        bool failed = lg_json_is_true(lg_json_get(call, LG_STR("error")));
        lg_event answer = {.kind = failed ? LG_EVENT_ERROR : LG_EVENT_RESULT,
                           .role =
                               lg_str_eq(requestor, LG_STR("user")) ? LG_ROLE_USER : LG_ROLE_AGENT,
                           .has_turn = true,
                           .turn = (uint32_t)(p->position + (int64_t)i),
                           .tool = lg_json_str(lg_json_get(call, LG_STR("name"))),
                           .json = lg_json_get(call, LG_STR("arguments")),
                           .text = lg_json_str(lg_json_get(call, LG_STR("result")))};
        lg_observed observed;
        if (!lg_json_is(answer.json, LG_JSON_OBJECT) || !replay_observe(r, &answer, &observed)) {
            return false;
        }
    }
    return true;
}

static bool names_rule(const lg_decision *decision, lg_str rule)
{
    for (size_t i = 0; i < decision->finding_count; i++) {
        if (lg_str_eq(decision->findings[i].rule, rule)) {
            return true;
        }
    }
    return false;
}

// What the probe expects, and whether it came.
typedef struct probe_outcome {
    lg_str rule, verdict;
    bool caught, right_rule, right_verdict;
} probe_outcome;

static probe_outcome compare_probe(const probe *p, const lg_decision *decision)
{
    probe_outcome o = {.rule = lg_json_str(lg_json_get(p->json, LG_STR("expected_predicate"))),
                       .verdict = lg_json_str(lg_json_get(p->json, LG_STR("expected_verdict")))};
    o.caught = decision->verdict != LG_ALLOW;
    o.right_rule = names_rule(decision, o.rule);
    o.right_verdict = lg_str_eq(lg_str_c(lg_verdict_name(decision->verdict)), o.verdict);
    return o;
}

static void show_probe(replay *r, const probe *p, const probe_outcome *o, bool missed,
                       const lg_decision *decision)
{
    lg_buf *out = &r->out.buf;
    lg_buf_addf(out, "%s  probe %zu (", missed ? "missed" : "caught", p->number);
    cli_add_text(&r->out, lg_json_str(lg_json_get(p->json, LG_STR("mutation"))));
    lg_buf_add_c(out, ", task ");
    cli_add_text(&r->out, p->trace->task);
    lg_buf_add_c(out, "): ");
    const lg_json *call = lg_json_get(p->json, LG_STR("call"));
    cli_add_text(&r->out, lg_json_str(lg_json_get(call, LG_STR("name"))));
    lg_buf_addf(out, " gave %s", lg_verdict_name(decision->verdict));
    for (size_t i = 0; i < decision->finding_count; i++) {
        lg_buf_addf(out, "%s%.*s", i ? ", " : " by ", LG_FMT(decision->findings[i].rule));
    }
    if (missed) {
        lg_buf_add_c(out, "; expected ");
        cli_add_text(&r->out, o->verdict);
        lg_buf_add_c(out, " by ");
        cli_add_text(&r->out, o->rule);
    }
    lg_buf_add_c(out, "\n");
}

static void write_probe(replay *r, const probe *p, const probe_outcome *o, bool missed,
                        const lg_decision *decision)
{
    const lg_json *call = lg_json_get(p->json, LG_STR("call"));
    lg_json_writer w = {.out = &r->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, missed ? "miss" : "probe", p->number);
    lg_jw_member_str(&w, "mutation", lg_json_str(lg_json_get(p->json, LG_STR("mutation"))));
    lg_jw_member_str(&w, "task", p->trace->task);
    lg_jw_member_str(&w, "expected_rule", o->rule);
    lg_jw_member_str(&w, "expected_verdict", o->verdict);
    lg_jw_member_str(&w, "tool", lg_json_str(lg_json_get(call, LG_STR("name"))));
    lg_jw_key(&w, "decision");
    lg_report_decision(&w, decision);
    lg_jw_end_object(&w);
    lg_buf_add_c(&r->out.buf, "\n");
}

static bool judge_probe(replay *r, const probe *p)
{
    const lg_json *call = lg_json_get(p->json, LG_STR("call"));
    lg_event proposed = {.kind = LG_EVENT_CALL,
                         .tool = lg_json_str(lg_json_get(call, LG_STR("name"))),
                         .json = lg_json_get(call, LG_STR("arguments"))};
    lg_session_reset(r->by->session);
    if (!observe_gold(r, p) || !observe_extra(r, p)) {
        return false;
    }
    const lg_decision *decision = replay_decide(r, &proposed, 1);
    if (!decision) {
        return false;
    }
    replay_count(r, decision);
    probe_outcome o = compare_probe(p, decision);
    bool missed = !o.caught || !o.right_rule || !o.right_verdict;
    r->by->counts.probes++;
    r->by->counts.caught += o.caught;
    r->by->counts.right_rule += o.right_rule;
    r->by->counts.right_verdict += o.right_verdict;
    if (!r->quiet && (missed || r->show_all)) {
        (r->json ? write_probe : show_probe)(r, p, &o, missed, decision);
    }
    cli_out_flush_some(&r->out);
    return true;
}

// Reads one line; says what is wrong with it.
static int read_probe(const cli_traces *traces, const char *path, probe *p)
{
    lg_str domain = lg_json_str(lg_json_get(p->json, LG_STR("domain")));
    lg_str task = lg_json_str(lg_json_get(p->json, LG_STR("task_id")));
    const lg_json *call = lg_json_get(p->json, LG_STR("call"));
    if (!lg_json_int(lg_json_get(p->json, LG_STR("position")), &p->position) ||
        !lg_json_is(lg_json_get(call, LG_STR("arguments")), LG_JSON_OBJECT) ||
        !lg_json_is(lg_json_get(call, LG_STR("name")), LG_JSON_STRING)) {
        cli_say("%s:%zu: a probe needs `position` and `call` with name and arguments", path,
                p->number);
        return EXIT_USAGE;
    }
    p->trace = find_task(traces, domain, task);
    if (!p->trace) {
        cli_say("%s:%zu: none of the recordings is of task %.*s", path, p->number, LG_FMT(task));
        return EXIT_USAGE;
    }
    return EXIT_FINE;
}

static int judge_line(replay *r, const cli_traces *traces, const char *path, lg_str text,
                      size_t from, size_t to, lg_arena *arena, size_t number)
{
    probe p = {.number = number};
    lg_error error;
    lg_status status = lg_json_parse_in(arena, text, from, to, NULL, &p.json, &error);
    if (status != LG_OK) {
        error.file = path;
        cli_say_error(&error, LG_STR(""));
        return cli_exit_code(status);
    }
    int code = read_probe(traces, path, &p);
    if (code != EXIT_FINE) {
        return code;
    }
    return judge_probe(r, &p) ? EXIT_FINE : EXIT_INTERNAL;
}

int replay_probes(replay *r, const cli_traces *traces, const char *path)
{
    lg_file file;
    lg_error error;
    lg_status status = lg_file_read(path, cli_limits(), &file, &error);
    if (status != LG_OK) {
        cli_say_error(&error, LG_STR(""));
        return cli_exit_code(status);
    }
    lg_arena arena;
    lg_arena_init(&arena, 0);
    int code = EXIT_FINE;
    size_t number = 0;
    for (size_t from = 0; from < file.text.len && code == EXIT_FINE;) {
        size_t to = lg_str_line_end(file.text, from);
        number++;
        if (lg_str_trim(lg_str_slice(file.text, from, to)).len) {
            code = judge_line(r, traces, path, file.text, from, to, &arena, number);
        }
        lg_arena_reset(&arena);
        from = to + 1;
    }
    lg_arena_done(&arena);
    lg_file_close(&file);
    if (code != EXIT_FINE) {
        lg_buf_clear(&r->out.buf); // nothing half-written
        r->out.printable = 0;
        return code;
    }
    if (r->by->counts.probes == 0) {
        cli_say("%s: there is no probe in it", path);
        return EXIT_USAGE;
    }
    replay_summary(r);
    bool all = r->by->counts.right_rule == r->by->counts.probes &&
               r->by->counts.right_verdict == r->by->counts.probes &&
               r->by->counts.caught == r->by->counts.probes;
    return all ? EXIT_FINE : EXIT_FINDINGS;
}
