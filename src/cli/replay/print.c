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

void replay_write_talk(replay *r, lg_json_writer *w, const lg_trace_set *set, const lg_trace *trace,
                       uint32_t line)
{
    lg_jw_member_str(w, "file", set->path);
    if (line) {
        lg_jw_member_uint(w, "line", line);
    }
    lg_jw_member_str(w, "trace", trace->name);
    lg_jw_member_str(w, "task", trace->task);
    if (r->packs.chosen && r->by) {
        lg_jw_member_str(w, "pack", r->by->pack->name);
    }
}

void replay_write_site(replay *r, lg_json_writer *w, const replay_site *site)
{
    uint32_t line = line_of(&r->cursor, site->set, site->call->offset);
    replay_write_talk(r, w, site->set, site->trace, line);
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
    if (r->by->counts.by_arguments) {
        lg_jw_member_uint(w, "arguments", r->by->counts.by_arguments);
    }
    if (r->by->counts.by_known_tool) {
        lg_jw_member_uint(w, "known_tool", r->by->counts.by_known_tool);
    }
    for (size_t i = 0; i < r->by->pack->rule_count; i++) {
        if (r->by->counts.by_rule[i]) {
            lg_jw_key_str(w, r->by->pack->rules[i].id);
            lg_jw_uint(w, r->by->counts.by_rule[i]);
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

#define ROW_COUNT 28u

// What is counted, in the order in which it is told.
static void fill_rows(const replay_counts *c, count_row rows[ROW_COUNT])
{
    const count_row all[] = {
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
        {"no_pack", c->no_pack, "conversations that no pack fits, judged by none", OF_TALKS, true},
        {"broken_files", c->broken_files, "files that could not be read", OF_BOTH, false},
        {"skipped_files", c->skipped_files, "files in the folders that are no recordings", OF_BOTH,
         false},
        {"probes", c->probes, "probes", OF_PROBES, false},
        {"caught", c->caught, "  refused", OF_PROBES, false},
        {"right_rule", c->right_rule, "  by the expected rule", OF_PROBES, false},
        {"right_verdict", c->right_verdict, "  with the expected verdict", OF_PROBES, false},
    };
    _Static_assert(LG_COUNT(all) == ROW_COUNT, "one row a count");
    memcpy(rows, all, sizeof(all));
}

static void add_rows(count_row rows[ROW_COUNT], const replay_counts *more)
{
    count_row other[ROW_COUNT];
    fill_rows(more, other);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        rows[i].value += other[i].value;
    }
}

static void write_rows(lg_json_writer *w, const count_row rows[ROW_COUNT], bool probing)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        bool here = rows[i].of != OF_PROBES || probing;
        if (here && (rows[i].value || !rows[i].only_if_any)) {
            lg_jw_member_uint(w, rows[i].key, rows[i].value);
        }
    }
}

// What one pack has found.
static void write_found(replay *r, lg_json_writer *w)
{
    lg_jw_key(w, "by_rule");
    write_by_rule(r, w);
    if (r->by->counts.probes == 0) {
        lg_jw_key(w, "rejections");
        replay_write_rejections(r, w);
        replay_talk_write_summary(r, w);
        replay_requests_write_summary(r, w);
    }
    lg_jw_member_str(w, "pack", r->by->pack->name);
    lg_jw_member_str(w, "pack_version", r->by->pack->version);
    lg_jw_member_c(w, "pack_hash", r->by->pack->hash);
}

// Of several packs: each by itself, as far as it has judged anything.
static void write_by_pack(replay *r, lg_json_writer *w)
{
    lg_jw_key(w, "by_pack");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < r->packs.count; i++) {
        count_row rows[ROW_COUNT];
        r->by = &r->judges[i];
        fill_rows(&r->by->counts, rows);
        if (r->by->counts.traces) {
            lg_jw_begin_object(w);
            write_rows(w, rows, false);
            write_found(r, w);
            lg_jw_end_object(w);
        }
    }
    lg_jw_end_array(w);
}

static void write_summary(replay *r, const count_row rows[ROW_COUNT])
{
    lg_json_writer w = {.out = &r->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "summary");
    lg_jw_begin_object(&w);
    write_rows(&w, rows, r->by->counts.probes > 0);
    (r->packs.chosen ? write_by_pack : write_found)(r, &w);
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

static void show_rows(replay *r, const count_row rows[ROW_COUNT], bool probing)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        bool here = rows[i].of != (probing ? OF_TALKS : OF_PROBES);
        if (here && (rows[i].value || rows[i].of == OF_PROBES)) {
            show_row(r, lg_str_c(rows[i].words), rows[i].value);
        }
    }
}

// Refusals of one pack, rule by rule.
static void show_by_rule(replay *r)
{
    bool any = r->by->counts.by_arguments || r->by->counts.by_known_tool;
    for (size_t i = 0; i < r->by->pack->rule_count; i++) {
        any = any || r->by->counts.by_rule[i];
    }
    if (!any) {
        return;
    }
    lg_buf_add_c(&r->out.buf, "Refusals by rule\n");
    if (r->by->counts.by_arguments) {
        show_row(r, LG_STR("arguments (do not fit the tool's schema)"), r->by->counts.by_arguments);
    }
    if (r->by->counts.by_known_tool) {
        show_row(r, LG_STR("known_tool (the pack declares no such tool)"),
                 r->by->counts.by_known_tool);
    }
    for (size_t i = 0; i < r->by->pack->rule_count; i++) {
        if (r->by->counts.by_rule[i]) {
            show_row(r, r->by->pack->rules[i].id, r->by->counts.by_rule[i]);
        }
    }
}

// What one pack has found.
static void show_found(replay *r)
{
    if (r->by->counts.probes == 0) {
        replay_show_rejections(r);
        replay_talk_show_summary(r);
        replay_requests_show_summary(r);
    }
    show_by_rule(r);
}

static void show_by_pack(replay *r)
{
    for (size_t i = 0; i < r->packs.count; i++) {
        count_row rows[ROW_COUNT];
        r->by = &r->judges[i];
        if (r->by->counts.traces) {
            fill_rows(&r->by->counts, rows);
            lg_buf_addf(&r->out.buf, "\nPack %.*s %.*s\n", LG_FMT(r->by->pack->name),
                        LG_FMT(r->by->pack->version));
            show_rows(r, rows, false);
            show_found(r);
        }
    }
}

static void show_summary(replay *r, const count_row rows[ROW_COUNT])
{
    bool probing = r->by->counts.probes > 0;
    if (r->packs.chosen) {
        lg_buf_addf(&r->out.buf, "Summary, %zu packs to choose from (decided by rules)\n",
                    r->packs.count);
        show_rows(r, rows, false);
        show_by_pack(r);
        return;
    }
    lg_buf_addf(&r->out.buf, "%sSummary, pack %.*s %.*s (decided by rules)\n",
                probing && !r->quiet ? "\n" : "", LG_FMT(r->by->pack->name),
                LG_FMT(r->by->pack->version));
    show_rows(r, rows, probing);
    show_found(r);
}

void replay_summary(replay *r)
{
    count_row rows[ROW_COUNT];
    r->by = r->judges;
    fill_rows(&r->run, rows);
    for (size_t i = 0; i < r->packs.count; i++) {
        add_rows(rows, &r->judges[i].counts);
    }
    (r->json ? write_summary : show_summary)(r, rows);
}
