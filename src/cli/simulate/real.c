// real.c: the real tools: whom reads go to (--real), or whom all calls go to while they are recorded (--record, --to).
#include "cli/simulate/simulation.h"

// A document of HTTP operations and an address of MCP: most likely the service itself is meant.
static void warn_of_address(const simulation *s, const char *spec)
{
    lg_str text = lg_str_c(spec);
    const lg_catalogue *c = s->tried.catalogue;
    bool is_rest = false;
    for (size_t i = 0; c && i < c->tool_count && !is_rest; i++) {
        is_rest = c->tools[i].method.len > 0;
    }
    if (is_rest && lg_str_starts(text, LG_STR("http")) && !lg_str_ends(text, LG_STR("/mcp"))) {
        cli_say("ledgergate simulate: warning: %s is taken for an MCP server; of an HTTP service: "
                "openapi:%s",
                spec, spec);
    }
}

void simulate_warn_real(const simulation *s)
{
    lg_mcp_tools tools = {0};
    lg_error err = {0};
    bool any = false;
    lg_arena arena;
    for (size_t i = 0; i < lg_sim_tool_count(s->tried.sim) && !any; i++) {
        any = lg_executor_may_read(lg_sim_tool_at(s->tried.sim, i));
    }
    if (!any) {
        cli_say("ledgergate simulate: warning: no tool is said to read (readOnlyHint, GET): --real "
                "will ask nothing");
    }
    lg_arena_init(&arena, 0);
    if (lg_executor_list(s->executor, &arena, &tools, &err) != LG_OK) {
        cli_say("ledgergate simulate: warning: --real does not answer, and reads will fail: %s",
                err.msg);
    }
    lg_arena_done(&arena);
}

int simulate_open_real(simulation *s)
{
    const simulate_words *w = &s->words;
    lg_error err = {0};
    const char *spec = w->real ? w->real : w->to;
    lg_executor_options options = {.limits = cli_limits(), .catalogue = s->tried.catalogue};
    if (!spec) {
        return EXIT_FINE;
    }
    warn_of_address(s, spec);
    lg_status status = lg_executor_open(lg_str_c(spec), &options, &s->executor, &err);
    if (status == LG_OK && lg_executor_warning(s->executor).len) {
        cli_say("ledgergate simulate: %s", lg_executor_warning(s->executor).ptr);
    }
    if (status == LG_OK && w->record) {
        lg_executor *inner = s->executor;
        s->executor = NULL; // whoever records owns it
        status = lg_executor_record(inner, w->record, &s->executor, &err);
    }
    if (status != LG_OK) {
        cli_say("ledgergate simulate: %s: %s", w->real ? "--real" : "--to", err.msg);
        return cli_exit_code(status);
    }
    return EXIT_FINE;
}

static void write_tool(lg_json_writer *w, const lg_mcp_tool *tool)
{
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "name", tool->name);
    lg_jw_member_str(w, "description", tool->description);
    if (tool->input) {
        lg_jw_member_json(w, "inputSchema", tool->input);
    } else {
        lg_jw_member_raw(w, "inputSchema", LG_STR("{\"type\":\"object\"}"));
    }
    if (tool->output) {
        lg_jw_member_json(w, "outputSchema", tool->output);
    }
    if (tool->title.len) {
        lg_jw_member_str(w, "title", tool->title);
    }
    if (tool->annotations) {
        lg_jw_member_json(w, "annotations", tool->annotations);
    }
    lg_jw_end_object(w);
}

static lg_status read_tools(simulation *s, const lg_mcp_tools *tools, lg_error *reterr)
{
    const lg_catalogue_options options = {.limits = cli_limits()};
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_writer w = {.out = &text};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "tools");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < tools->count; i++) {
        write_tool(&w, &tools->items[i]);
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
    lg_str copy = lg_arena_str(&s->tried.arena, lg_buf_str(&text));
    lg_status status = lg_buf_status(&text);
    lg_buf_done(&text);
    if (status != LG_OK || !copy.ptr) {
        return lg_fail_oom(reterr);
    }
    return lg_catalogue_read(&s->tried.arena, copy, &options, &s->tried.catalogue, reterr);
}

int simulate_list_real(simulation *s)
{
    lg_mcp_tools tools = {0};
    lg_error err = {0};
    lg_status status = lg_executor_list(s->executor, &s->tried.arena, &tools, &err);
    if (status == LG_OK) {
        status = read_tools(s, &tools, &err);
    }
    if (status != LG_OK) {
        cli_say("ledgergate simulate: the real tools could not be listed: %s", err.msg);
        return cli_exit_code(status);
    }
    return EXIT_FINE;
}
