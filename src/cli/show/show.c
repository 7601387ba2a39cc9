// show.c: `ledgergate show`: what a pack says, or what a recording holds.
#include "cli/show/show.h"
#include "cli/traces.h"

static const char help[] =
    "usage: ledgergate show PACK|FILE... [OPTIONS]\n"
    "\n"
    "Shows a pack (its places, tools, rules and invariants), or recorded conversations as streams\n"
    "of events. FILE may be a folder of recordings (.json and .jsonl, hidden files left out). "
    "What\n"
    "cannot be read is named, everything else is shown, and the exit code is 2.\n"
    "\n"
    "  --events        of recordings: every event, not only one line a conversation\n"
    "  --format NAME   refuse recordings of any other format: gold, tau2-results,\n"
    "                  tau2-simulation, tau-bench, openai, agentdojo, claude-code, vscode,\n"
    "                  responses, messages, otel, mcp, ledgergate, ledgergate-artifact\n"
    "  --json          one JSON object a line; of recordings also what could not be read\n"
    "\n"
    "Exit codes: 0 fine, 2 usage or bad input, 3 internal or environment.\n";

// --- Recordings ---------------------------------------------------------------------------------

static const char *role_name(lg_role role)
{
    static const char *const names[] = {"agent", "user", "system"};
    return names[role];
}

static void event_json(lg_json_writer *w, const lg_trace_event *event)
{
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "turn", event->turn);
    lg_jw_member_c(w, "event", lg_event_kind_name(event->kind));
    lg_jw_member_c(w, "role", role_name(event->role));
    if (event->kind != LG_EVENT_MESSAGE) {
        lg_jw_member_str(w, "tool", event->tool);
    }
    if (event->kind == LG_EVENT_CALL) {
        lg_jw_member_json(w, "args", event->args);
    }
    if (event->kind != LG_EVENT_CALL || !event->args) {
        lg_jw_member_str(w, "text", event->text);
    }
    lg_jw_end_object(w);
}

static void trace_json(cli_out *out, const lg_trace_set *set, const lg_trace *trace, bool events)
{
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "file", set->path);
    lg_jw_member_c(&w, "format", lg_trace_format_name(set->format));
    lg_jw_member_str(&w, "trace", trace->name);
    lg_jw_member_str(&w, "task", trace->task);
    lg_jw_member_str(&w, "domain", trace->domain);
    lg_jw_member_str(&w, "model", trace->model);
    lg_jw_member_uint(&w, "trial", trace->trial);
    lg_jw_key(&w, "reward");
    if (trace->has_reward) {
        lg_jw_double(&w, trace->reward);
    } else {
        lg_jw_null(&w);
    }
    lg_jw_member_json(&w, "expected", trace->expected);
    lg_jw_key(&w, "events");
    if (events) {
        lg_jw_begin_array(&w);
        for (size_t i = 0; i < trace->count; i++) {
            event_json(&w, &trace->events[i]);
        }
        lg_jw_end_array(&w);
    } else {
        lg_jw_uint(&w, trace->count);
    }
    lg_jw_end_object(&w);
    lg_buf_add_c(&out->buf, "\n");
}

// The first line of a text, cut to what fits beside the other columns.
static void show_text(cli_out *out, lg_str text)
{
    text = lg_str_trim(text);
    size_t end = lg_str_find(text, LG_STR("\n"));
    lg_str line = lg_str_slice(text, 0, end);
    bool cut = line.len < text.len || line.len > 100;
    line = lg_str_slice(line, 0, 100);
    while (line.len && line.len < text.len && ((unsigned char)text.ptr[line.len] & 0xC0) == 0x80) {
        line.len--;
    }
    cli_add_text(out, line);
    lg_buf_add_c(&out->buf, cut ? "..." : "");
}

static void show_event(cli_out *out, const lg_trace_event *event)
{
    lg_buf_addf(&out->buf, "  %4u  ", event->turn);
    cli_pad(out, lg_str_c(role_name(event->role)), 8);
    cli_pad(out, lg_str_c(lg_event_kind_name(event->kind)), 9);
    if (event->kind == LG_EVENT_CALL && event->args) {
        cli_add_text(out, event->tool);
        lg_buf_add_c(&out->buf, "(");
        lg_json_print(&out->buf, event->args);
        lg_buf_add_c(&out->buf, ")");
    } else {
        show_text(out, event->text);
    }
    lg_buf_add_c(&out->buf, "\n");
}

static void show_trace(cli_out *out, const lg_trace_set *set, const lg_trace *trace, bool events)
{
    size_t calls = 0;
    for (size_t i = 0; i < trace->count; i++) {
        calls += trace->events[i].kind == LG_EVENT_CALL;
    }
    cli_colour(out, events ? "1" : "0");
    cli_add_text(out, set->path);
    lg_buf_add_c(&out->buf, ": ");
    cli_add_text(out, trace->name);
    lg_buf_addf(&out->buf, "  %s  ", lg_trace_format_name(set->format));
    cli_colour(out, "0");
    cli_add_text(out, trace->domain);
    lg_buf_addf(&out->buf, "  %zu event%s, %zu call%s, reward ", trace->count,
                lg_plural(trace->count), calls, lg_plural(calls));
    if (trace->has_reward) {
        lg_buf_addf(&out->buf, "%g\n", trace->reward);
    } else {
        lg_buf_add_c(&out->buf, "none\n");
    }
    for (size_t i = 0; events && i < trace->count; i++) {
        show_event(out, &trace->events[i]);
    }
    cli_out_flush_some(out);
}

// On standard error: on standard output stands what could be read.
static void say_issues(const lg_trace_set *set)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    cli_show_issues(&text, set);
    lg_str rest = lg_buf_str(&text);
    while (rest.len) {
        size_t end = lg_str_find(rest, LG_STR("\n"));
        cli_say("%.*s", LG_FMT(lg_str_slice(rest, 0, end)));
        rest = lg_str_slice(rest, end == SIZE_MAX ? rest.len : end + 1, rest.len);
    }
    lg_buf_done(&text);
}

static void print_set(cli_out *out, const lg_trace_set *set, bool events, bool json)
{
    for (size_t t = 0; t < set->count; t++) {
        if (json) {
            trace_json(out, set, &set->traces[t], events);
            cli_out_flush_some(out);
        } else {
            show_trace(out, set, &set->traces[t], events);
        }
    }
    if (json) {
        cli_write_issues(&out->buf, set);
    }
    say_issues(set);
}

static int run_traces(char **paths, size_t count, const char *format, bool events, bool json)
{
    cli_traces traces;
    int code = cli_open_traces(paths, count, format, &traces);
    if (code != EXIT_FINE) {
        return code;
    }
    cli_out out;
    cli_out_init(&out, json);
    for (size_t s = 0; s < traces.count; s++) {
        print_set(&out, traces.sets[s], events, json);
    }
    if (json) {
        cli_files_write(&traces.files, &out);
    }
    code = cli_out_done(&out, cli_traces_code(&traces, EXIT_FINE));
    cli_close_traces(&traces);
    return code;
}

int cli_show(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    bool json = false;
    bool events = false;
    const char *format = NULL;
    const cli_option options[] = {
        {"--json", NULL, &json}, {"--events", NULL, &events}, {"--format", &format, NULL}};
    size_t operands;
    int code = cli_parse("show", argc, argv, options, LG_COUNT(options), &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    if (operands == 0) {
        return cli_usage("show", "give a pack or recordings");
    }
    if (operands == 1 && cli_looks_like_pack(argv[0])) {
        return show_pack_file(argv[0], json);
    }
    return run_traces(argv, operands, format, events, json);
}
