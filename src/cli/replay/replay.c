// replay.c: `ledgergate replay`: recorded conversations through ledger and gate, call by call.
//
// The calls of one message are judged in their order, each after the results of those before it. A
// call is judged before its own recorded result is folded; a call that the gate refuses but that
// the recording carried out is folded all the same, because that is what happened.
#include "cli/replay/replay.h"

#include "base/alloc.h"

#include <stdio.h>
#include <time.h>

static const char help[] =
    "usage: ledgergate replay --pack PACK [OPTIONS] FILE...\n"
    "\n"
    "Replays recorded conversations: folds what tools returned into the ledger and judges every\n"
    "call that would change something. FILE is a recording in any known format, a folder of them\n"
    "(.json and .jsonl, hidden files left out), or - for standard input. What cannot be read is\n"
    "named, everything else is judged, and the exit code is 2.\n"
    "\n"
    "  --pack PACK     the pack to judge by: a folder with pack.yaml, or a file\n"
    "  --probe FILE    judge the proposed calls of FILE (JSON Lines), each at its position of the\n"
    "                  gold conversation of its task; lists the misses\n"
    "  --all           with --probe: list every probe, not the misses only\n"
    "  --format NAME   refuse recordings of any other format: gold, tau2-results,\n"
    "                  tau2-simulation, tau-bench, openai, agentdojo, claude-code, vscode\n"
    "  --reads         also show what enters the ledger\n"
    "  --ledger        show the ledger at the end of each conversation\n"
    "  --quiet         the summary only\n"
    "  --json          one JSON object a line: decisions, what could not be read, one summary\n"
    "\n"
    "All verdicts are decided by rules; nothing is judged by a model.\n"
    "Exit codes: 0 all calls allowed, 1 calls were refused, or a conversation rule that does not\n"
    "only report was violated or is still owed something (with --probe: a probe was missed),\n"
    "2 usage or bad input, also if only a part of it could not be read, 3 internal or "
    "environment.\n";

static void set_now(const replay *r, int64_t *seconds, uint32_t *nanos)
{
    if (!r->pack->fixed_clock) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        *seconds = now.tv_sec;
        *nanos = (uint32_t)now.tv_nsec;
    }
}

bool replay_observe(replay *r, const lg_ledger_call *call, lg_observed *ret_observed,
                    lg_error *ret_why)
{
    *ret_why = (lg_error){0};
    lg_ledger_call timed = *call;
    set_now(r, &timed.now_seconds, &timed.now_nanos);
    lg_status status = lg_ledger_observe(&r->ledger, &timed, ret_observed, ret_why);
    if (status != LG_OK) {
        cli_say("ledgergate replay: %s", ret_why->msg);
        r->lost = true;
        return false;
    }
    r->talk.observed = *ret_observed;
    r->counts.unreadable += *ret_observed == LG_OBSERVED_UNREADABLE;
    r->counts.rejected += *ret_observed == LG_OBSERVED_REJECTED;
    r->counts.unverified += *ret_observed == LG_OBSERVED_UNVERIFIED;
    if (r->ledger.rejection.category != LG_CATEGORY_NONE) {
        r->counts.rejected_for[r->ledger.rejection.category]++;
    }
    return true;
}

static void count_finding(replay *r, const lg_finding *finding)
{
    r->counts.pack_errors += finding->cause == LG_CAUSE_DEFECT;
    r->counts.over_budget += finding->cause == LG_CAUSE_BUDGET;
    r->counts.by_arguments += finding->cause == LG_CAUSE_ARGUMENTS;
    r->counts.by_known_tool += finding->cause == LG_CAUSE_UNKNOWN_TOOL;
    for (size_t i = 0; i < r->pack->rule_count; i++) {
        r->counts.by_rule[i] += lg_str_eq(r->pack->rules[i].id, finding->rule);
    }
}

bool replay_decide(replay *r, lg_str tool, const lg_json *args, lg_str args_text,
                   lg_decision *ret_decision)
{
    lg_arena_reset(&r->scratch);
    lg_gate_call call = {.tool = tool, .args = args, .args_text = args_text};
    call.read_steps = lg_gate_read_steps(args_text);
    set_now(r, &call.now_seconds, &call.now_nanos);
    bool terse = r->quiet;
    lg_gate_budget budget = lg_gate_budget_of(0);
    lg_gate_options options = {
        .without_evidence = terse, .without_hints = terse, .budget = &budget};
    lg_error error = {0};
    if (lg_gate_decide(r->pack, &r->ledger.state, &call, &options, &r->scratch, ret_decision,
                       &error) != LG_OK) {
        cli_say("ledgergate replay: no verdict could be reached: %s", error.msg);
        return false;
    }
    if (!replay_talk_judge(r, &call, &budget, ret_decision)) {
        return false;
    }
    if (ret_decision->gated) {
        r->counts.verdicts[ret_decision->verdict]++;
        r->counts.refused_for[ret_decision->category] += ret_decision->verdict != LG_ALLOW;
    }
    for (size_t i = 0; i < ret_decision->finding_count; i++) {
        count_finding(r, &ret_decision->findings[i]);
    }
    return true;
}

static void count_call(replay *r, const lg_event *call)
{
    const lg_tool *tool = lg_pack_tool(r->pack, call->tool);
    r->counts.calls++;
    if (!tool) {
        r->counts.unknown_tools++;
        return;
    }
    r->counts.reads += tool->kind == LG_TOOL_READ;
    r->counts.writes += tool->kind == LG_TOOL_WRITE;
    r->counts.generic += tool->kind == LG_TOOL_GENERIC;
}

static void print_read(replay *r, const lg_event *call, lg_observed observed)
{
    bool written = observed == LG_OBSERVED_WRITE || observed == LG_OBSERVED_UNVERIFIED;
    bool kept = observed == LG_OBSERVED_RECORDS || written;
    if (r->json || !r->show_reads || !kept) {
        return;
    }
    lg_buf *out = &r->out.buf;
    const char *what = written ? "carried out" : "read";
    lg_buf_addf(out, "  turn %-3u  ", call->turn);
    cli_colour(&r->out, "2");
    cli_pad(&r->out, lg_str_c(what), 12);
    cli_add_text(&r->out, call->tool);
    lg_buf_add_c(out, "(");
    lg_json_print(out, call->args);
    lg_buf_add_c(out, ")\n");
    const lg_ledger_state *state = &r->ledger.state;
    for (uint32_t i = 0; i < state->entries.count; i++) {
        const lg_ledger_entry *entry = lg_ledger_entry_at(state, i);
        if (observed == LG_OBSERVED_RECORDS && entry->observed == r->ledger.observed) {
            lg_buf_add_c(out, "                        ledger");
            for (uint32_t s = 0; s < entry->declared->segment_count; s++) {
                lg_ledger_print_segment(out, entry->segments[s]);
            }
            lg_buf_add_c(out, "\n");
        }
    }
    cli_colour(&r->out, "0");
}

static bool fold_call(replay *r, const replay_site *site)
{
    const lg_event *call = site->call;
    if (!site->answer || !call->args) {
        return true;
    }
    lg_ledger_call folded = {.tool = call->tool,
                             .args = call->args,
                             .result = site->answer->text,
                             .failed = site->answer->kind == LG_EVENT_ERROR,
                             .by_user = call->role != LG_ROLE_AGENT,
                             .turn = call->turn};
    lg_observed observed;
    lg_error why;
    if (!replay_observe(r, &folded, &observed, &why)) {
        return false;
    }
    if (r->ledger.rejection.category != LG_CATEGORY_NONE) {
        replay_print_rejected(r, site, observed);
    }
    print_read(r, call, observed);
    return true;
}

static bool replay_call(replay *r, const replay_site *site)
{
    const lg_event *call = site->call;
    if (call->role != LG_ROLE_AGENT) {
        r->counts.by_user++;
        return fold_call(r, site);
    }
    count_call(r, call);
    lg_decision decision;
    if (!replay_decide(r, call->tool, call->args, call->text, &decision)) {
        return false;
    }
    if (decision.gated) {
        bool executed = site->answer && site->answer->kind == LG_EVENT_RESULT;
        bool refused = decision.verdict != LG_ALLOW;
        r->counts.refused_executed += refused && executed;
        r->counts.allowed_failed +=
            !refused && site->answer && site->answer->kind == LG_EVENT_ERROR;
        replay_print(r, site, &decision);
    }
    replay_talk_reports(r, site, &decision);
    return fold_call(r, site);
}

// Results are folded with their calls.
static bool replay_event(replay *r, const replay_site *site)
{
    lg_ledger_tidy(&r->ledger, NULL, 0); // nothing of earlier events points into it
    const lg_json *before = r->ledger.state.root;
    if (site->call->kind == LG_EVENT_MESSAGE) {
        return replay_talk_message(r, site);
    }
    if (site->call->kind != LG_EVENT_CALL) {
        return true;
    }
    r->talk.observed = LG_OBSERVED_NOTHING;
    r->talk.has_turn = true;
    r->talk.turn = site->call->turn;
    r->talk.has_time = site->call->has_time;
    r->talk.time = site->call->time;
    return replay_call(r, site) && replay_talk_call(r, site, before);
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
    lg_buf_add_c(&r->out.buf, "\n");
    lg_render_options options = {.compact = true, .types = true};
    lg_ledger_render(&r->ledger, &options, &r->out.buf);
}

static bool replay_trace(replay *r, const lg_trace_set *set, const lg_trace *trace)
{
    lg_ledger_reset(&r->ledger);
    if (!replay_talk_reset(r)) {
        return false;
    }
    r->counts.traces++;
    if (!r->json && !r->quiet && (r->show_reads || r->show_ledger)) {
        bool alone = set->count == 1; // then its name says nothing
        lg_buf_add_c(&r->out.buf, r->counts.traces > 1 ? "\n" : "");
        cli_add_text(&r->out, set->path);
        lg_buf_add_c(&r->out.buf, alone ? "" : ": ");
        cli_add_text(&r->out, alone ? LG_STR("") : trace->name);
        lg_buf_add_c(&r->out.buf, "\n");
    }
    for (size_t i = 0; i < trace->count; i++) {
        const lg_event *event = &trace->events[i];
        replay_site site = {set, trace, event,
                            event->other == LG_NO_EVENT ? NULL : &trace->events[event->other]};
        if (!replay_event(r, &site)) {
            return false;
        }
    }
    if (!replay_talk_end(r, &(replay_site){set, trace, NULL, NULL})) {
        return false;
    }
    print_ledger(r, set, trace);
    cli_out_flush_some(&r->out);
    return true;
}

// Every kept issue is named: as a JSON line, or for people at the end, before the table.
static void print_issues(replay *r, const lg_trace_set *set)
{
    r->counts.import_errors += set->issue_count + set->issues_dropped;
    if (!r->quiet) {
        (r->json ? cli_write_issues : cli_show_issues)(&r->out.buf, set);
    }
}

// A conversation that is over a limit ends here, and the others go on.
static void tell_lost(replay *r, const lg_trace_set *set, const lg_trace *trace)
{
    r->lost = false;
    r->counts.lost++;
    if (r->json) {
        lg_json_writer w = {.out = &r->out.buf};
        lg_jw_begin_object(&w);
        lg_jw_key(&w, "lost");
        lg_jw_begin_object(&w);
        lg_jw_key(&w, "file");
        lg_jw_str(&w, set->path);
        lg_jw_key(&w, "trace");
        lg_jw_str(&w, trace->name);
        lg_jw_key(&w, "message");
        lg_jw_c(&w, r->ledger.why.msg);
        lg_jw_end_object(&w);
        lg_jw_end_object(&w);
        lg_buf_add_c(&r->out.buf, "\n");
    } else {
        cli_add_text(&r->out, set->path);
        lg_buf_add_c(&r->out.buf, ": ");
        cli_add_text(&r->out, trace->name);
        lg_buf_add_c(&r->out.buf, ": the rest of the conversation was not judged: ");
        cli_add_text(&r->out, lg_str_c(r->ledger.why.msg));
        lg_buf_add_c(&r->out.buf, "\n");
    }
}

static int replay_all(replay *r, const cli_traces *traces)
{
    for (size_t s = 0; s < traces->count; s++) {
        const lg_trace_set *set = traces->sets[s];
        for (size_t t = 0; t < set->count; t++) {
            if (replay_trace(r, set, &set->traces[t])) {
                continue;
            }
            if (!r->lost) {
                return EXIT_INTERNAL;
            }
            tell_lost(r, set, &set->traces[t]);
        }
    }
    for (size_t s = 0; s < traces->count; s++) {
        print_issues(r, traces->sets[s]);
    }
    if (r->json) {
        cli_files_write(&traces->files, &r->out);
    }
    if (traces->traces || r->json) { // of nothing there is nothing to sum up
        replay_summary(r);
    }
    if (r->counts.lost) {
        return EXIT_USAGE;
    }
    bool findings = r->counts.verdicts[LG_REVISE] + r->counts.verdicts[LG_BLOCK] > 0;
    return findings || replay_talk_found(r) ? EXIT_FINDINGS : EXIT_FINE;
}

static int run(replay *r, const cli_traces *traces, const char *probe)
{
    r->counts.broken_files = traces->files.broken;
    r->counts.skipped_files = traces->files.skipped;
    r->counts.left_out = traces->left_out;
    r->counts.by_rule = lg_zalloc((r->pack->rule_count + 1) * sizeof(*r->counts.by_rule));
    if (!r->counts.by_rule) {
        cli_say("ledgergate replay: out of memory");
        return EXIT_INTERNAL;
    }
    lg_limits limits = lg_limits_resolve(NULL);
    lg_ledger_init(&r->ledger, r->pack, &limits);
    lg_arena_init(&r->scratch, limits.document_bytes);
    cli_out_init(&r->out, r->json);
    int code = EXIT_INTERNAL;
    if (replay_talk_init(r)) {
        code = probe ? replay_probes(r, traces, probe) : replay_all(r, traces);
    }
    code = cli_out_done(&r->out, code);
    replay_talk_done(r);
    lg_ledger_done(&r->ledger);
    lg_arena_done(&r->scratch);
    lg_free(r->counts.by_rule);
    return code;
}

int cli_replay(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    replay r = {0};
    const char *pack_path = NULL;
    const char *probe = NULL;
    const char *format = NULL;
    const cli_option options[] = {
        {"--pack", &pack_path, NULL},       {"--probe", &probe, NULL},
        {"--format", &format, NULL},        {"--json", NULL, &r.json},
        {"--quiet", NULL, &r.quiet},        {"--reads", NULL, &r.show_reads},
        {"--ledger", NULL, &r.show_ledger}, {"--all", NULL, &r.show_all},
    };
    size_t files;
    int code = cli_parse("replay", argc, argv, options, LG_COUNT(options), &files);
    if (code != EXIT_FINE) {
        return code;
    }
    if (!pack_path || files == 0) {
        return cli_usage("replay", pack_path ? "give at least one recording"
                                             : "say which pack to judge by: --pack PACK");
    }
    if (r.show_all && !probe) {
        return cli_usage("replay", "--all goes with --probe");
    }
    lg_pack *pack = cli_load_pack(pack_path, &code);
    if (!pack) {
        return code;
    }
    cli_traces traces;
    code = cli_open_traces(argv, files, format, &traces);
    if (code == EXIT_FINE) {
        r.pack = pack;
        code = cli_traces_code(&traces, run(&r, &traces, probe));
        cli_close_traces(&traces);
    }
    lg_pack_free(pack);
    return code;
}
