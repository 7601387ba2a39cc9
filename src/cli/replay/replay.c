// replay.c: `ledgergate replay`: recorded conversations through ledger and gate, call by call.
//
// A recording goes through a session as a live conversation does: the calls of one message are judged
// together, then each event is observed in the order in which it was recorded. A call that the gate
// refuses but that the recording carried out is observed all the same, because that is what happened.
#include "cli/replay/replay.h"

#include "base/alloc.h"
#include "session/recorded.h"

#include <stdio.h>

#define NAMES_TOLD 5u // of conversations, where none has the one that was asked for

static const char help[] =
    "usage: ledgergate replay --pack PACK... [OPTIONS] FILE...\n"
    "\n"
    "Replays recorded conversations: folds what tools returned into the ledger and judges every\n"
    "call that would change something. FILE is a recording in any known format, a folder of them\n"
    "(.json and .jsonl, hidden files left out), or - for standard input. What cannot be read is\n"
    "named, everything else is judged, and the exit code is 2.\n"
    "\n"
    "The summary comes first, then each conversation in which something was refused or reported:\n"
    "refused calls, and whether the recording carried them out, what rules only report, and what\n"
    "was allowed.\n"
    "\n"
    "  --pack PACK     the pack to judge by: a folder with pack.yaml, or a file. Of several, or of "
    "a\n"
    "                  folder of such folders, each conversation is judged by the pack that "
    "declares\n"
    "                  the tools it called; those that none fits are named, and judged by none\n"
    "  --probe FILE    judge the proposed calls of FILE (JSON Lines), each at its position of the\n"
    "                  gold conversation of its task; lists the misses\n"
    "  --all           with --probe: list every probe, not the misses only\n"
    "  --trace NAME    only the conversation of this name: what stands above its rows, FILE: NAME\n"
    "                  or FILE, or `trace` of --json; of tau-bench the task and the trial, 0/0\n"
    "  --format NAME   refuse recordings of any other format: gold, tau2-results,\n"
    "                  tau2-simulation, tau-bench, openai, agentdojo, claude-code, vscode,\n"
    "                  responses, messages, otel, mcp, ledgergate, ledgergate-artifact\n"
    "  --reads         also show what enters the ledger; then all of a conversation in its order\n"
    "  --ledger        show the ledger at the end of each conversation, likewise\n"
    "  --requests      also what customers asked for, by the pack's patterns: permitted and never\n"
    "                  done, refused by a rule, undecided, done\n"
    "  --quiet         the summary only\n"
    "  --json          one JSON object a line: decisions, what could not be read, one summary\n"
    "\n"
    "All verdicts are decided by rules; nothing is judged by a model.\n"
    "Exit codes: 0 all calls allowed, 1 calls were refused, or a conversation rule that does not\n"
    "only report was violated or is still owed something (with --probe: a probe was missed),\n"
    "2 usage or bad input, also if only a part of it could not be read, 3 internal or "
    "environment.\n";

// --- Events -------------------------------------------------------------------------------------

// The conversation ends here, and the others go on.
static bool lose(replay *r, const lg_error *why)
{
    cli_say("ledgergate replay: %s", why->msg);
    r->lost = true;
    r->why = *why;
    return false;
}

static void count_observed(replay *r, lg_observed observed)
{
    const lg_rejection *rejection = lg_rejected(r->by->session);
    r->by->counts.unreadable += observed == LG_OBSERVED_UNREADABLE;
    r->by->counts.rejected += observed == LG_OBSERVED_REJECTED;
    r->by->counts.unverified += observed == LG_OBSERVED_UNVERIFIED;
    r->by->counts.unknown += observed == LG_OBSERVED_UNKNOWN;
    if (rejection) {
        r->by->counts.rejected_for[rejection->category]++;
    }
}

// Counts what came of an event, and says so once if the conversation can be followed no further.
static void note_observed(replay *r, lg_observed observed)
{
    const char *not_followed = lg_not_followed(r->by->session);
    if (not_followed && !r->not_followed) { // the others can be
        cli_say("ledgergate replay: the conversation cannot be followed: %s", not_followed);
    }
    r->not_followed = not_followed != NULL;
    count_observed(r, observed);
}

bool replay_observe(replay *r, const lg_event *event, lg_observed *ret_observed)
{
    lg_error why = {0};
    if (lg_observe(r->by->session, event, ret_observed, &why) != LG_OK) {
        return lose(r, &why);
    }
    note_observed(r, *ret_observed);
    return true;
}

const lg_decision *replay_decide(replay *r, const lg_event *proposed, size_t count)
{
    const lg_decision *decisions;
    lg_error why = {0};
    if (lg_decide(r->by->session, proposed, count, &decisions, &why) != LG_OK) {
        lose(r, &why);
        return NULL;
    }
    return decisions;
}

static void count_finding(replay *r, const lg_finding *finding)
{
    r->by->counts.pack_errors += finding->cause == LG_CAUSE_DEFECT;
    r->by->counts.over_budget += finding->cause == LG_CAUSE_BUDGET;
    r->by->counts.by_arguments += lg_str_eq(finding->rule, LG_STR("arguments"));
    r->by->counts.by_known_tool += finding->cause == LG_CAUSE_UNKNOWN_TOOL;
    for (size_t i = 0; i < r->by->pack->rule_count; i++) {
        r->by->counts.by_rule[i] += lg_str_eq(r->by->pack->rules[i].id, finding->rule);
    }
}

void replay_count(replay *r, const lg_decision *decision)
{
    if (decision->gated) {
        r->by->counts.verdicts[decision->verdict]++;
        r->by->counts.refused_for[decision->category] += decision->verdict != LG_ALLOW;
    }
    for (size_t i = 0; i < decision->finding_count; i++) {
        count_finding(r, &decision->findings[i]);
    }
}

static void count_call(replay *r, const lg_trace_event *call)
{
    const lg_tool *tool = lg_pack_tool(r->by->pack, call->tool);
    r->by->counts.calls++;
    if (!tool) {
        r->by->counts.unknown_tools++;
        return;
    }
    r->by->counts.reads += tool->kind == LG_TOOL_READ;
    r->by->counts.writes += tool->kind == LG_TOOL_WRITE;
    r->by->counts.generic += tool->kind == LG_TOOL_GENERIC;
}

static void print_read(replay *r, const lg_trace_event *call, lg_observed observed)
{
    bool written = observed == LG_OBSERVED_WRITE || observed == LG_OBSERVED_UNVERIFIED;
    bool unknown = observed == LG_OBSERVED_UNKNOWN;
    bool kept = observed == LG_OBSERVED_RECORDS || written || unknown;
    if (r->json || !r->show_reads || !kept) {
        return;
    }
    const char *what = unknown ? "unknown" : written ? "carried out" : "read";
    cli_out *to = replay_begin_row(r, PART_REFUSED, call->turn, "2", what);
    lg_buf *out = &to->buf;
    cli_colour(to, "2");
    cli_add_text(to, call->tool);
    lg_buf_add_c(out, "(");
    lg_json_print(out, call->args);
    lg_buf_add_c(out, ")\n");
    const lg_ledger *ledger = lg_session_ledger(r->by->session);
    for (uint32_t i = 0; i < ledger->state.entries.count; i++) {
        const lg_ledger_entry *entry = lg_ledger_entry_at(&ledger->state, i);
        if (observed == LG_OBSERVED_RECORDS && entry->observed == ledger->observed) {
            lg_buf_add_c(out, "                        ledger");
            for (uint32_t s = 0; s < entry->declared->segment_count; s++) {
                lg_ledger_print_segment(out, entry->segments[s]);
            }
            lg_buf_add_c(out, "\n");
        }
    }
    cli_colour(to, "0");
}

static void report_call(replay *r, const replay_site *site, const lg_decision *decision)
{
    count_call(r, site->call);
    replay_count(r, decision);
    if (decision->gated) {
        bool executed = site->answer && site->answer->kind == LG_EVENT_RESULT;
        bool failed = site->answer && site->answer->kind == LG_EVENT_ERROR;
        bool refused = decision->verdict != LG_ALLOW;
        r->by->counts.refused_executed += refused && executed;
        r->by->counts.allowed_failed += !refused && failed;
        replay_print(r, site, decision);
    }
    replay_talk_reports(r, site, decision);
}

static replay_site site_of(const lg_trace_set *set, const lg_trace *trace, size_t index)
{
    const lg_trace_event *event = &trace->events[index];
    const lg_trace_event *other = event->other == LG_NO_EVENT ? NULL : &trace->events[event->other];
    bool is_answer = event->kind == LG_EVENT_RESULT || event->kind == LG_EVENT_ERROR;
    return (replay_site){.set = set,
                         .trace = trace,
                         .event = event,
                         .call = is_answer && other ? other : event,
                         .answer = is_answer ? event : other};
}

// A recording that is told to the session, and what came of each of its events.
typedef struct telling {
    replay *r;
    const lg_trace_set *set;
    const lg_trace *trace;
} telling;

static bool call_judged(void *context, size_t index, const lg_decision *decision)
{
    const telling *t = context;
    replay_site site = site_of(t->set, t->trace, index);
    report_call(t->r, &site, decision);
    return true;
}

static bool event_observed(void *context, size_t index, lg_observed observed)
{
    const telling *t = context;
    replay *r = t->r;
    replay_site site = site_of(t->set, t->trace, index);
    note_observed(r, observed);
    if (lg_rejected(r->by->session)) {
        replay_print_rejected(r, &site, observed);
    }
    print_read(r, site.call, observed);
    r->by->counts.by_user += site.event->kind == LG_EVENT_CALL && site.event->role != LG_ROLE_AGENT;
    bool refused = observed == LG_OBSERVED_UNREADABLE || observed == LG_OBSERVED_REJECTED;
    replay_talk_found(r, &site, refused);
    return true;
}

static bool replay_events(replay *r, const lg_trace_set *set, const lg_trace *trace)
{
    telling t = {r, set, trace};
    const lg_recorded_listener listener = {&t, call_judged, event_observed};
    lg_error why = {0};
    size_t index;
    bool ended;
    lg_arena_reset(&r->scratch);
    lg_status status =
        lg_session_tell(r->by->session, trace, &listener, &r->scratch, &index, &ended, &why);
    return status == LG_OK || lose(r, &why);
}

static void print_ledger(replay *r, const lg_trace_set *set, const lg_trace *trace)
{
    if (!r->show_ledger || r->quiet) {
        return;
    }
    if (r->json) {
        replay_print_ledger(r, set, trace);
        return;
    }
    lg_buf *out = &replay_rows(r, PART_REFUSED)->buf;
    lg_buf_add_c(out, "\n");
    lg_render_options options = {.compact = true, .types = true};
    lg_str text;
    if (lg_render(r->by->session, &options, &text, NULL) == LG_OK) {
        lg_buf_add(out, text);
    }
}

static bool replay_trace(replay *r, const lg_trace_set *set, const lg_trace *trace)
{
    lg_session_reset(r->by->session);
    r->not_followed = false;
    r->by->counts.traces++;
    bool followed = replay_events(r, set, trace) &&
                    replay_talk_end(r, &(replay_site){.set = set, .trace = trace}) &&
                    replay_requests(r, set, trace);
    if (followed) {
        print_ledger(r, set, trace);
    }
    replay_end_rows(r, set, trace);
    cli_out_flush_some(&r->out);
    return followed;
}

// Every kept issue is named: as a JSON line, or for people at the end.
static void print_issues(replay *r, const lg_trace_set *set)
{
    r->run.import_errors += set->issue_count + set->issues_dropped;
    if (!r->quiet) {
        (r->json ? cli_write_issues : cli_show_issues)(&r->out.buf, set);
    }
}

// A conversation that is over a limit ends here, and the others go on.
static void tell_lost(replay *r, const lg_trace_set *set, const lg_trace *trace)
{
    r->lost = false;
    r->by->counts.lost++;
    if (r->json) {
        lg_json_writer w = {.out = &r->out.buf};
        lg_jw_begin_object(&w);
        lg_jw_key(&w, "lost");
        lg_jw_begin_object(&w);
        replay_write_talk(r, &w, set, trace, 0);
        lg_jw_member_c(&w, "message", r->why.msg);
        lg_jw_end_object(&w);
        lg_jw_end_object(&w);
        lg_buf_add_c(&r->out.buf, "\n");
    } else {
        cli_out *out = &r->told;
        lg_buf_add_c(&out->buf, "\n");
        cli_add_text(out, replay_shown_path(set->path));
        lg_buf_add_c(&out->buf, ": ");
        cli_add_text(out, trace->name);
        lg_buf_add_c(&out->buf, ": the rest of the conversation was not judged: ");
        cli_add_text(out, lg_str_c(r->why.msg));
        lg_buf_add_c(&out->buf, "\n");
    }
}

// For people: the summary, then the conversations, then what could not be read.
static void show_all(replay *r, const cli_traces *traces)
{
    if (traces->traces) { // of nothing there is nothing to sum up
        replay_summary(r);
    }
    cli_out_move(&r->out, &r->told);
    if (r->untold && r->untold + r->run.no_pack < r->named && !r->quiet) {
        lg_buf_addf(&r->out.buf,
                    "\nand %zu conversation%s in which nothing was refused or reported\n",
                    r->untold, lg_plural(r->untold));
    }
    replay_show_left(r);
    for (size_t s = 0; s < traces->count; s++) {
        print_issues(r, traces->sets[s]);
    }
}

static void write_all(replay *r, const cli_traces *traces)
{
    for (size_t s = 0; s < traces->count; s++) {
        print_issues(r, traces->sets[s]);
    }
    cli_files_write(&traces->files, &r->out);
    replay_summary(r);
}

// Is it the name of the conversation, or what stands above its rows: FILE, or FILE: NAME?
static bool is_called(lg_str called, const lg_trace_set *set, const lg_trace *trace)
{
    if (lg_str_eq(called, trace->name)) {
        return true;
    }
    const lg_str paths[] = {set->path, replay_shown_path(set->path)};
    for (size_t i = 0; i < LG_COUNT(paths); i++) {
        lg_str rest = lg_str_slice(called, paths[i].len, called.len);
        if (lg_str_starts(called, paths[i]) &&
            (rest.len == 0 ? set->count == 1
                           : lg_str_starts(rest, LG_STR(": ")) &&
                                 lg_str_eq(lg_str_slice(rest, 2, rest.len), trace->name))) {
            return true;
        }
    }
    return false;
}

// Says how conversations are called, and that none is called as was asked for.
static int tell_names(const replay *r, const cli_traces *traces)
{
    lg_buf names;
    size_t count = 0;
    lg_buf_init(&names, 0);
    for (size_t s = 0; s < traces->count; s++) {
        const lg_trace_set *set = traces->sets[s];
        for (size_t t = 0; t < set->count; t++, count++) {
            if (count < NAMES_TOLD) {
                lg_buf_addf(&names, "%s%.*s", count ? ", " : "", LG_FMT(set->traces[t].name));
            }
        }
    }
    lg_buf_add_c(&names, count > NAMES_TOLD ? ", ..." : count ? "" : "nothing");
    int code = cli_usage("replay",
                         "no conversation is called %s; the %zu that were read are called %.*s, or "
                         "with their file before it: FILE: NAME",
                         r->only, count, LG_FMT(lg_buf_str(&names)));
    lg_buf_done(&names);
    return code;
}

// Judges one conversation by the pack that fits. EXIT_FINE, also if its end could not be reached.
static int judge_trace(replay *r, const lg_trace_set *set, const lg_trace *trace)
{
    size_t pack;
    int code;
    if (!cli_choose_pack(&r->packs, trace, &pack)) {
        cli_out_of_memory(&code);
        return code;
    }
    if (pack == SIZE_MAX) {
        return replay_leave(r, set, trace) || cli_out_of_memory(&code) ? EXIT_FINE : code;
    }
    r->by = &r->judges[pack];
    if (!replay_trace(r, set, trace)) {
        if (!r->lost) {
            return EXIT_INTERNAL;
        }
        tell_lost(r, set, trace);
    }
    return EXIT_FINE;
}

// The exit code, by what all packs have found.
static int code_of(replay *r)
{
    size_t judged = 0;
    size_t refused = 0;
    bool lost = false;
    bool broken = false;
    for (size_t i = 0; i < r->packs.count; i++) {
        const replay_counts *counts = &r->judges[i].counts;
        judged += counts->traces;
        refused += counts->verdicts[LG_REVISE] + counts->verdicts[LG_BLOCK];
        lost = lost || counts->lost > 0;
        broken = broken || replay_talk_broken(&r->judges[i].talk);
    }
    if (judged == 0 && r->run.no_pack) {
        cli_say("ledgergate replay: no pack fits any of the conversations; nothing was judged");
        return EXIT_USAGE;
    }
    return lost ? EXIT_USAGE : refused || broken ? EXIT_FINDINGS : EXIT_FINE;
}

static int replay_all(replay *r, const cli_traces *traces)
{
    for (size_t s = 0; s < traces->count; s++) {
        const lg_trace_set *set = traces->sets[s];
        for (size_t t = 0; t < set->count; t++) {
            bool wanted = !r->only || is_called(lg_str_c(r->only), set, &set->traces[t]);
            r->named += wanted;
            int code = wanted ? judge_trace(r, set, &set->traces[t]) : EXIT_FINE;
            if (code != EXIT_FINE) {
                return code;
            }
        }
    }
    if (r->only && r->named == 0) {
        return tell_names(r, traces);
    }
    (r->json ? write_all : show_all)(r, traces);
    return code_of(r);
}

// --- Lifetime -----------------------------------------------------------------------------------

static bool begin_judge(const replay *r, const lg_pack *pack, replay_judge *judge)
{
    judge->pack = pack;
    judge->counts.by_rule = lg_zalloc((pack->rule_count + 1) * sizeof(*judge->counts.by_rule));
    if (!judge->counts.by_rule || !replay_talk_init(&judge->talk, pack->course) ||
        lg_session_new(pack, NULL, &judge->session) != LG_OK) {
        return false;
    }
    lg_session_set_recorded(judge->session, true);
    lg_session_set_explain(judge->session, r->quiet ? LG_EXPLAIN_NOTHING : LG_EXPLAIN_ALL);
    return true;
}

static bool begin_judges(replay *r)
{
    r->judges = lg_zalloc(r->packs.count * sizeof(*r->judges));
    bool ok = r->judges != NULL;
    for (size_t i = 0; ok && i < r->packs.count; i++) {
        ok = begin_judge(r, r->packs.items[i], &r->judges[i]);
    }
    r->by = r->judges;
    if (!ok) {
        cli_say("ledgergate replay: out of memory");
    }
    return ok;
}

static void end_judges(replay *r)
{
    for (size_t i = 0; r->judges && i < r->packs.count; i++) {
        lg_session_free(r->judges[i].session);
        replay_talk_done(&r->judges[i].talk);
        lg_free(r->judges[i].counts.by_rule);
    }
    lg_free(r->judges);
}

static int run(replay *r, const cli_traces *traces, const char *probe)
{
    r->run.broken_files = traces->files.broken;
    r->run.skipped_files = traces->files.skipped;
    r->run.left_out = traces->left_out;
    lg_arena_init(&r->scratch, lg_limits_resolve(NULL).document_bytes);
    cli_out_init(&r->out, r->json);
    cli_out_init(&r->told, false);
    cli_out_init(&r->unfit, false);
    for (replay_part part = PART_REFUSED; part < PART_COUNT; part++) {
        cli_out_init(&r->parts[part], false);
    }
    int code = EXIT_INTERNAL;
    if (begin_judges(r)) {
        code = probe ? replay_probes(r, traces, probe) : replay_all(r, traces);
    }
    code = cli_out_done(&r->out, code);
    cli_out_drop(&r->told);
    cli_out_drop(&r->unfit);
    for (replay_part part = PART_REFUSED; part < PART_COUNT; part++) {
        cli_out_drop(&r->parts[part]);
    }
    end_judges(r);
    lg_arena_done(&r->scratch);
    return code;
}

static int check_usage(const replay *r, const cli_list *packs, size_t files, const char *probe)
{
    if (packs->count == 0 || files == 0) {
        return cli_usage("replay", packs->count ? "give at least one recording"
                                                : "say which pack to judge by: --pack PACK");
    }
    if (r->only && probe) {
        return cli_usage("replay",
                         "--trace does not go with --probe, whose probes name their task");
    }
    return r->show_all && !probe ? cli_usage("replay", "--all goes with --probe") : EXIT_FINE;
}

static int replay_files(replay *r, char **paths, size_t count, const char *format,
                        const char *probe)
{
    if (r->packs.chosen && probe) {
        return cli_usage("replay", "--probe needs one pack: --pack PACK");
    }
    cli_traces traces;
    int code = cli_open_traces(paths, count, format, &traces);
    if (code == EXIT_FINE) {
        code = cli_traces_code(&traces, run(r, &traces, probe));
        cli_close_traces(&traces);
    }
    return code;
}

int cli_replay(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    replay r = {0};
    cli_list packs = {.name = "--pack"};
    const char *probe = NULL;
    const char *format = NULL;
    const cli_option options[] = {
        {"--probe", &probe, NULL},
        {"--format", &format, NULL},
        {"--json", NULL, &r.json},
        {"--quiet", NULL, &r.quiet},
        {"--reads", NULL, &r.show_reads},
        {"--ledger", NULL, &r.show_ledger},
        {"--requests", NULL, &r.show_requests},
        {"--all", NULL, &r.show_all},
        {"--trace", &r.only, NULL},
    };
    size_t files;
    int code = cli_parse_list("replay", argc, argv, options, LG_COUNT(options), &packs, &files);
    if (code != EXIT_FINE) {
        return code;
    }
    code = check_usage(&r, &packs, files, probe);
    if (code != EXIT_FINE) {
        return code;
    }
    code = cli_load_packs(&packs, &r.packs);
    if (code == EXIT_FINE) {
        code = replay_files(&r, argv, files, format, probe);
    }
    cli_free_packs(&r.packs);
    return code;
}
