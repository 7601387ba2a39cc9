// show.c: `ledgergate show`: what a pack says, or what a recording holds.
#include "cli/cli.h"

#include <stdio.h>

static const char help[] =
    "usage: ledgergate show PACK|FILE... [OPTIONS]\n"
    "\n"
    "Shows a pack (its tools, ledger paths and rules), or recorded conversations as streams of\n"
    "events.\n"
    "\n"
    "  --events        of recordings: every event, not only one line a conversation\n"
    "  --format NAME   refuse recordings of any other format\n"
    "  --json          one JSON object a line\n"
    "\n"
    "Exit codes: 0 fine, 2 usage or bad input, 3 internal or environment.\n";

// --- Packs --------------------------------------------------------------------------------------

// What the ledger can hold: every record has the type of its place.
static void places_json(lg_json_writer *w, const lg_places *places)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < places->count; i++) {
        lg_buf type;
        lg_buf_init(&type, 0);
        lg_cel_type_print(&type, places->items[i].type);
        lg_jw_begin_object(w);
        lg_jw_key(w, "path");
        lg_jw_str(w, places->items[i].text);
        lg_jw_key(w, "type");
        lg_jw_str(w, lg_buf_str(&type));
        lg_jw_end_object(w);
        lg_buf_done(&type);
    }
    lg_jw_end_array(w);
}

static void pack_json(cli_out *out, const lg_pack *pack)
{
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "pack");
    lg_jw_str(&w, pack->name);
    lg_jw_key(&w, "version");
    lg_jw_str(&w, pack->version);
    lg_jw_key(&w, "ledger");
    places_json(&w, &pack->ledger);
    lg_jw_key(&w, "tools");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < pack->tool_count; i++) {
        const lg_tool *tool = &pack->tools[i];
        lg_jw_begin_object(&w);
        lg_jw_key(&w, "name");
        lg_jw_str(&w, tool->name);
        lg_jw_key(&w, "kind");
        lg_jw_c(&w, lg_tool_kind_name(tool->kind));
        if (tool->by_user) {
            lg_jw_key(&w, "requestor");
            lg_jw_c(&w, "user");
        }
        lg_jw_key(&w, "stores");
        lg_jw_begin_array(&w);
        for (size_t s = 0; s < tool->store_count; s++) {
            lg_jw_str(&w, tool->stores[s].to.place->text);
        }
        lg_jw_end_array(&w);
        lg_jw_key(&w, "rules");
        lg_jw_begin_array(&w);
        for (size_t r = 0; r < tool->rule_count; r++) {
            lg_jw_str(&w, pack->rules[tool->rules[r]].id);
        }
        lg_jw_end_array(&w);
        lg_jw_end_object(&w);
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&out->buf, "\n");
}

static void heading(cli_out *out, const char *text)
{
    lg_buf_add_c(&out->buf, "\n");
    cli_colour(out, "1");
    lg_buf_add_c(&out->buf, text);
    cli_colour(out, "0");
    lg_buf_add_c(&out->buf, "\n");
}

static void show_tool(cli_out *out, const lg_tool *tool)
{
    lg_buf_add_c(&out->buf, "  ");
    cli_pad(out, lg_str_c(lg_tool_kind_name(tool->kind)), 9);
    bool more = tool->by_user || tool->store_count > 0 || tool->kind == LG_TOOL_WRITE;
    cli_pad(out, tool->name, more ? 32 : 0);
    for (size_t s = 0; s < tool->store_count; s++) {
        bool repeated = s > 0 && tool->stores[s].to.place == tool->stores[s - 1].to.place;
        if (!repeated) {
            lg_buf_addf(&out->buf, "%s%.*s", s ? ", " : "  to ",
                        LG_FMT(tool->stores[s].to.place->text));
        }
    }
    if (tool->by_user) {
        lg_buf_add_c(&out->buf, "  the customer's own");
    } else if (tool->kind == LG_TOOL_WRITE) {
        lg_buf_addf(&out->buf, "  %zu rules", tool->rule_count);
    }
    lg_buf_add_c(&out->buf, "\n");
}

static void show_rule(cli_out *out, const lg_pack *pack, const lg_rule *rule)
{
    lg_buf_add_c(&out->buf, "  ");
    cli_pad(out, rule->id, 42);
    cli_pad(out, lg_str_c(lg_verdict_name(rule->otherwise)), 8);
    lg_buf_addf(&out->buf, "%s\n", rule->need_count ? "insists on its evidence" : "may abstain");
    cli_colour(out, "2");
    lg_buf_addf(&out->buf, "    %.*s\n", LG_FMT(lg_cel_program_source(rule->that)));
    lg_buf_add_c(&out->buf, "    for ");
    for (size_t i = 0; i < rule->tool_count; i++) {
        lg_buf_addf(&out->buf, "%s%.*s", i ? ", " : "", LG_FMT(pack->tools[rule->tools[i]].name));
    }
    cli_colour(out, "0");
    lg_buf_add_c(&out->buf, "\n");
}

static void show_pack(cli_out *out, const lg_pack *pack)
{
    cli_colour(out, "1");
    lg_buf_addf(&out->buf, "%.*s %.*s", LG_FMT(pack->name), LG_FMT(pack->version));
    cli_colour(out, "0");
    lg_buf_addf(&out->buf, "  %.*s\n", LG_FMT(pack->description));
    heading(out, "Ledger");
    for (size_t i = 0; i < pack->ledger.count; i++) {
        lg_buf_add_c(&out->buf, "  ");
        cli_pad(out, pack->ledger.items[i].text, 41);
        lg_cel_type_print(&out->buf, pack->ledger.items[i].type);
        lg_buf_add_c(&out->buf, "\n");
    }
    heading(out, "Tools");
    for (size_t i = 0; i < pack->tool_count; i++) {
        show_tool(out, &pack->tools[i]);
    }
    if (pack->rule_count) {
        heading(out, "Rules");
    }
    for (size_t i = 0; i < pack->rule_count; i++) {
        show_rule(out, pack, &pack->rules[i]);
    }
}

static int run_pack(const char *path, bool json)
{
    int code;
    lg_pack *pack = cli_load_pack(path, &code);
    if (!pack) {
        return code;
    }
    cli_out out;
    cli_out_init(&out, json);
    if (json) {
        pack_json(&out, pack);
    } else {
        show_pack(&out, pack);
    }
    lg_pack_free(pack);
    return cli_out_done(&out, EXIT_FINE);
}

// --- Recordings ---------------------------------------------------------------------------------

static const char *event_name(const lg_event *event)
{
    static const char *const names[] = {"message", "call", "result", "error"};
    return names[event->kind];
}

static const char *role_name(lg_role role)
{
    static const char *const names[] = {"system", "user", "agent"};
    return names[role];
}

static void event_json(lg_json_writer *w, const lg_event *event)
{
    lg_jw_begin_object(w);
    lg_jw_key(w, "turn");
    lg_jw_uint(w, event->turn);
    lg_jw_key(w, "event");
    lg_jw_c(w, event_name(event));
    lg_jw_key(w, "role");
    lg_jw_c(w, role_name(event->role));
    if (event->kind != LG_EVENT_MESSAGE) {
        lg_jw_key(w, "tool");
        lg_jw_str(w, event->tool);
    }
    if (event->kind == LG_EVENT_CALL) {
        lg_jw_key(w, "args");
        lg_jw_json(w, event->args);
    }
    if (event->kind != LG_EVENT_CALL || !event->args) {
        lg_jw_key(w, "text");
        lg_jw_str(w, event->text);
    }
    lg_jw_end_object(w);
}

static void trace_json(cli_out *out, const lg_trace_set *set, const lg_trace *trace, bool events)
{
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "file");
    lg_jw_str(&w, set->path);
    lg_jw_key(&w, "format");
    lg_jw_c(&w, lg_trace_format_name(set->format));
    lg_jw_key(&w, "trace");
    lg_jw_str(&w, trace->name);
    lg_jw_key(&w, "task");
    lg_jw_str(&w, trace->task);
    lg_jw_key(&w, "domain");
    lg_jw_str(&w, trace->domain);
    lg_jw_key(&w, "model");
    lg_jw_str(&w, trace->model);
    lg_jw_key(&w, "trial");
    lg_jw_uint(&w, trace->trial);
    lg_jw_key(&w, "reward");
    if (trace->has_reward) {
        lg_jw_double(&w, trace->reward);
    } else {
        lg_jw_null(&w);
    }
    lg_jw_key(&w, "expected");
    lg_jw_json(&w, trace->expected);
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

static void show_event(cli_out *out, const lg_event *event)
{
    lg_buf_addf(&out->buf, "  %4u  ", event->turn);
    cli_pad(out, lg_str_c(role_name(event->role)), 8);
    cli_pad(out, lg_str_c(event_name(event)), 9);
    if (event->kind == LG_EVENT_CALL && event->args) {
        lg_buf_addf(&out->buf, "%.*s(", LG_FMT(event->tool));
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
    lg_buf_addf(&out->buf, "%.*s: %.*s  %s  ", LG_FMT(set->path), LG_FMT(trace->name),
                lg_trace_format_name(set->format));
    cli_colour(out, "0");
    lg_buf_addf(&out->buf, "%.*s  %zu events, %zu calls, reward ", LG_FMT(trace->domain),
                trace->count, calls);
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

static void show_issues(const lg_trace_set *set)
{
    for (size_t i = 0; i < set->issue_count; i++) {
        lg_position at = lg_text_position(set->text, set->issues[i].offset);
        fprintf(stderr, "%.*s:%u:%u: %s: %.*s (%.*s)\n", LG_FMT(set->path), at.line, at.column,
                set->issues[i].fatal ? "left out" : "read in part", LG_FMT(set->issues[i].message),
                LG_FMT(set->issues[i].pointer));
    }
    if (set->issues_dropped) {
        fprintf(stderr, "%.*s: and %zu more\n", LG_FMT(set->path), set->issues_dropped);
    }
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
        const lg_trace_set *set = traces.sets[s];
        for (size_t t = 0; t < set->count; t++) {
            if (json) {
                trace_json(&out, set, &set->traces[t], events);
                cli_out_flush_some(&out);
            } else {
                show_trace(&out, set, &set->traces[t], events);
            }
        }
        show_issues(set);
    }
    if (traces.skipped) {
        fprintf(stderr, "%zu file%s in the folders %s no conversation\n", traces.skipped,
                traces.skipped == 1 ? "" : "s", traces.skipped == 1 ? "is" : "are");
    }
    cli_close_traces(&traces);
    return cli_out_done(&out, EXIT_FINE);
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
        return run_pack(argv[0], json);
    }
    return run_traces(argv, operands, format, events, json);
}
