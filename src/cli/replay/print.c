// print.c: decisions as JSON lines, and the summary for programs and for people.
#include "cli/replay/replay.h"
#include "report/report.h"

// --- JSON ---------------------------------------------------------------------------------------

// What the recording has as the answer of a call: "result", "error" or "none".
static const char *recorded_of(const replay_site *site)
{
    return !site->answer ? "none" : site->answer->kind == LG_EVENT_ERROR ? "error" : "result";
}

static uint32_t count_lines(const char *at, const char *end)
{
    uint32_t lines = 0;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        lines++;
        at++;
    }
    return lines;
}

// A call may stand before the one that was asked for last: the parts of a message may lie apart.
static uint32_t line_of(line_cursor *cursor, const lg_trace_set *set, uint32_t offset)
{
    const char *text = set->text.ptr;
    if (cursor->set != set) {
        *cursor = (line_cursor){set, 0, 1};
    }
    if (offset < cursor->offset) {
        cursor->line -= count_lines(text + offset, text + cursor->offset);
    } else {
        cursor->line += count_lines(text + cursor->offset, text + offset);
    }
    cursor->offset = offset;
    return cursor->line;
}

void replay_write_talk(lg_json_writer *w, const lg_trace_set *set, const lg_trace *trace,
                       uint32_t line)
{
    lg_jw_member_str(w, "file", set->path);
    if (line) {
        lg_jw_member_uint(w, "line", line);
    }
    lg_jw_member_str(w, "trace", trace->name);
    lg_jw_member_str(w, "task", trace->task);
}

void replay_write_site(replay *r, lg_json_writer *w, const replay_site *site)
{
    uint32_t line = line_of(&r->cursor, site->set, site->call->offset);
    replay_write_talk(w, site->set, site->trace, line);
    lg_jw_member_uint(w, "turn", site->call->turn);
}

static void write_line(replay *r, const replay_site *site, const lg_decision *decision)
{
    lg_json_writer w = {.out = &r->out.buf};
    lg_jw_begin_object(&w);
    replay_write_site(r, &w, site);
    lg_jw_member_json(&w, "args", site->call->args);
    lg_jw_member_str(&w, "tool", site->call->tool);
    lg_jw_key(&w, "decision");
    lg_report_decision(&w, decision);
    lg_jw_member_c(&w, "decided_by", "rules");
    lg_jw_member_c(&w, "recorded", recorded_of(site));
    lg_jw_end_object(&w);
    lg_buf_add_c(&r->out.buf, "\n");
}

void replay_print(replay *r, const replay_site *site, const lg_decision *decision)
{
    if (r->quiet) {
        return;
    }
    if (r->json) {
        write_line(r, site, decision);
    } else {
        replay_show(r, site, decision);
    }
}

// --- The summary --------------------------------------------------------------------------------

static void write_by_rule(replay *r, lg_json_writer *w)
{
    lg_jw_begin_object(w);
    if (r->counts.by_arguments) {
        lg_jw_member_uint(w, "arguments", r->counts.by_arguments);
    }
    if (r->counts.by_known_tool) {
        lg_jw_member_uint(w, "known_tool", r->counts.by_known_tool);
    }
    for (size_t i = 0; i < r->pack->rule_count; i++) {
        if (r->counts.by_rule[i]) {
            lg_jw_key_str(w, r->pack->rules[i].id);
            lg_jw_uint(w, r->counts.by_rule[i]);
        }
    }
    lg_jw_end_object(w);
}

// Of what the row tells.
typedef enum row_subject {
    OF_TALKS,  // recorded conversations
    OF_PROBES, // proposed calls; their zeros tell something
    OF_BOTH,
} row_subject;

typedef struct count_row {
    const char *key;
    size_t value;
    const char *words; // for people
    row_subject of;
    bool only_if_any; // also in JSON
} count_row;

static void write_summary(replay *r, const count_row *rows, size_t count)
{
    lg_json_writer w = {.out = &r->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "summary");
    lg_jw_begin_object(&w);
    for (size_t i = 0; i < count; i++) {
        bool here = rows[i].of != OF_PROBES || r->counts.probes;
        if (here && (rows[i].value || !rows[i].only_if_any)) {
            lg_jw_member_uint(&w, rows[i].key, rows[i].value);
        }
    }
    lg_jw_key(&w, "by_rule");
    write_by_rule(r, &w);
    if (r->counts.probes == 0) {
        lg_jw_key(&w, "rejections");
        replay_write_rejections(r, &w);
        replay_talk_write_summary(r, &w);
    }
    lg_jw_member_str(&w, "pack", r->pack->name);
    lg_jw_member_str(&w, "pack_version", r->pack->version);
    lg_jw_member_c(&w, "pack_hash", r->pack->hash);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&r->out.buf, "\n");
}

static void show_row(replay *r, lg_str words, size_t value)
{
    lg_buf_add_c(&r->out.buf, "  ");
    cli_pad(&r->out, words, 52);
    lg_buf_addf(&r->out.buf, "%8zu\n", value);
}

static void show_summary(replay *r, const count_row *rows, size_t count)
{
    bool probing = r->counts.probes > 0;
    lg_buf_addf(&r->out.buf, "%sSummary, pack %.*s %.*s (decided by rules)\n",
                probing && !r->quiet ? "\n" : "", LG_FMT(r->pack->name), LG_FMT(r->pack->version));
    for (size_t i = 0; i < count; i++) {
        bool here = rows[i].of != (probing ? OF_TALKS : OF_PROBES);
        if (here && (rows[i].value || rows[i].of == OF_PROBES)) {
            show_row(r, lg_str_c(rows[i].words), rows[i].value);
        }
    }
    if (r->counts.probes == 0) {
        replay_show_rejections(r);
        replay_talk_show_summary(r);
    }
    bool any = r->counts.by_arguments || r->counts.by_known_tool;
    for (size_t i = 0; i < r->pack->rule_count; i++) {
        any = any || r->counts.by_rule[i];
    }
    if (!any) {
        return;
    }
    lg_buf_add_c(&r->out.buf, "Refusals by rule\n");
    if (r->counts.by_arguments) {
        show_row(r, LG_STR("arguments (do not fit the tool's schema)"), r->counts.by_arguments);
    }
    if (r->counts.by_known_tool) {
        show_row(r, LG_STR("known_tool (the pack declares no such tool)"), r->counts.by_known_tool);
    }
    for (size_t i = 0; i < r->pack->rule_count; i++) {
        if (r->counts.by_rule[i]) {
            show_row(r, r->pack->rules[i].id, r->counts.by_rule[i]);
        }
    }
}

void replay_summary(replay *r)
{
    const replay_counts *c = &r->counts;
    const count_row rows[] = {
        {"traces", c->traces, "conversations", OF_TALKS, false},
        {"calls", c->calls, "calls of the agent", OF_TALKS, false},
        {"reads", c->reads, "  reads", OF_TALKS, false},
        {"writes", c->writes, "  writes", OF_TALKS, false},
        {"generic", c->generic, "  neither (tools of kind generic)", OF_TALKS, false},
        {"unknown_tools", c->unknown_tools, "  of tools that the pack does not know", OF_TALKS,
         false},
        {"user_calls", c->by_user, "calls of the user's own tools", OF_TALKS, false},
        {"allow", c->verdicts[LG_ALLOW], "allowed", OF_BOTH, false},
        {"revise", c->verdicts[LG_REVISE], "to be revised", OF_BOTH, false},
        {"block", c->verdicts[LG_BLOCK], "blocked", OF_BOTH, false},
        {"refused_executed", c->refused_executed, "refused, but carried out in the recording",
         OF_TALKS, false},
        {"allowed_failed", c->allowed_failed, "allowed, but refused by the recorded environment",
         OF_TALKS, false},
        {"unreadable_results", c->unreadable, "read results that could not be stored", OF_BOTH,
         false},
        {"rejected_results", c->rejected, "read results that break a condition", OF_BOTH, false},
        {"unverified_writes", c->unverified, "writes whose result is not what it should be",
         OF_BOTH, false},
        {"unknown_writes", c->unknown, "writes that failed and may have happened", OF_BOTH, true},
        {"pack_errors", c->pack_errors, "rules that could not be evaluated", OF_BOTH, false},
        {"over_budget", c->over_budget, "decisions that ended for want of steps", OF_BOTH, true},
        {"import_errors", c->import_errors, "places that could not be read", OF_TALKS, false},
        {"left_out", c->left_out, "  left out, and a write may be among them", OF_TALKS, false},
        {"lost", c->lost, "conversations over a limit, judged in part", OF_BOTH, true},
        {"broken_files", c->broken_files, "files that could not be read", OF_BOTH, false},
        {"skipped_files", c->skipped_files, "files in the folders that are no recordings", OF_BOTH,
         false},
        {"probes", c->probes, "probes", OF_PROBES, false},
        {"caught", c->caught, "  refused", OF_PROBES, false},
        {"right_rule", c->right_rule, "  by the expected rule", OF_PROBES, false},
        {"right_verdict", c->right_verdict, "  with the expected verdict", OF_PROBES, false},
    };
    if (r->json) {
        write_summary(r, rows, LG_COUNT(rows));
    } else {
        show_summary(r, rows, LG_COUNT(rows));
    }
}
