// tools.c: each tool by its name, as the agent's own: POST /tools/NAME with the arguments, and the result as the tool gives it.
//
// What is not done is an error with the status that says why: 400 arguments, 404 what it asks for is not there, 409 what it would
// make is, 422 the tool's own error, 500 the pack's mistake.
#include "base/str.h"
#include "mock/mock_internal.h"
#include "refine/refine.h"

// --- What there is ------------------------------------------------------------------------------

static const char *kind_of(lg_tool_kind kind)
{
    switch (kind) {
    case LG_TOOL_READ:
        return "read";
    case LG_TOOL_WRITE:
        return "write";
    case LG_TOOL_GENERIC:
        return "generic";
    }
    return "";
}

static void write_tool(lg_json_writer *w, lg_arena *arena, const lg_sim_tool *tool)
{
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "name", tool->name);
    lg_jw_member_str(w, "description", tool->description);
    lg_jw_member_c(w, "kind", kind_of(tool->kind));
    lg_jw_member_bool(w, "guessed", tool->is_guessed);
    lg_jw_member_c(w, "requestor", tool->by_user ? "user" : "assistant");
    lg_jw_member_json(w, "parameters", lg_refine_inlined(arena, tool, tool->parameters));
    lg_jw_member_json(w, "result", lg_refine_inlined(arena, tool, tool->result));
    if (tool->of_catalogue && tool->of_catalogue->method.len) {
        lg_jw_member_str(w, "method", tool->of_catalogue->method);
        lg_jw_member_str(w, "path", tool->of_catalogue->path);
    }
    lg_jw_end_object(w);
}

static void list_tools(mock_exchange *x)
{
    const lg_sim *sim = x->mock->options.sim;
    if (!mock_takes(x, "GET, HEAD")) {
        return;
    }
    lg_json_writer w = mock_begin(x, 200);
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "tools");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < lg_sim_tool_count(sim); i++) {
        write_tool(&w, x->arena, lg_sim_tool_at(sim, i));
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
}

// --- A call -------------------------------------------------------------------------------------

static unsigned status_of(lg_sim_end end, const char **ret_code)
{
    *ret_code = lg_sim_end_name(end);
    switch (end) {
    case LG_SIM_DONE:
        return 200;
    case LG_SIM_FAILED:
        return 422;
    case LG_SIM_ABSENT:
    case LG_SIM_UNKNOWN_TOOL:
        return 404;
    case LG_SIM_CONFLICT:
        return 409;
    case LG_SIM_BAD_ARGUMENTS:
        return 400;
    case LG_SIM_FAULT:
        break;
    }
    return 500;
}

static void answer_error(mock_exchange *x, const lg_sim_answer *answer)
{
    const char *code;
    unsigned status = status_of(answer->end, &code);
    status = answer->status >= 400 ? answer->status : status; // as the real tool has it
    lg_json_writer w = mock_begin(x, status);
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "error");
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "code", code);
    lg_jw_member_str(&w, "message", answer->error);
    lg_jw_end_object(&w);
    lg_jw_member_json(&w, "result", answer->result);
    mock_write_violations(&w, answer->violations, answer->violation_count);
    lg_jw_end_object(&w);
}

static void do_tool(mock_exchange *x, mock_worker *worker)
{
    lg_sim_answer answer;
    if (!mock_call(x, worker, x->task, &answer)) {
        return;
    }
    if (lg_sim_is_error(&answer)) {
        answer_error(x, &answer);
    } else {
        lg_json_writer w = mock_begin(x, 200);
        lg_jw_json(&w, answer.result);
    }
    mock_tell(x, &answer);
}

void mock_tools(mock_exchange *x)
{
    if (x->segment_count == 1) {
        list_tools(x);
        return;
    }
    if (x->segment_count > 2) {
        mock_fail(x, 404, "unknown_path", "a tool is /tools/NAME; a slash in a name is %%2F");
        return;
    }
    lg_str name = x->segments[1];
    if (mock_is(x, "POST") && !lg_sim_tool_named(x->mock->options.sim, name, false) &&
        lg_sim_tool_named(x->mock->options.sim, name, true)) {
        mock_fail(x, 404, "unknown_tool",
                  "`%.*s` is the customer's tool: call it over /mcp/user, or with \"requestor\": "
                  "\"user\" of /sessions/ID/calls",
                  LG_FMT(lg_str_cut(name, 80)));
        return;
    }
    const lg_json *args = mock_takes(x, "POST") ? mock_any_object(x) : NULL;
    mock_session *s = args ? mock_sessions_of(x) : NULL;
    if (!s || !mock_sessions_has_room(x, false) || mock_fault_strikes(x)) {
        return;
    }
    lg_sim_call *call = LG_NEW(x->arena, lg_sim_call);
    if (!call) {
        mock_fail_oom(x);
        return;
    }
    *call = (lg_sim_call){.tool = x->segments[1], .args = args};
    x->session = s;
    x->task = call;
    x->at_once = mock_is_quick(x, s, call);
    x->work = do_tool;
}

// --- The document -------------------------------------------------------------------------------

static void write_media(lg_json_writer *w, const lg_json *schema)
{
    lg_jw_key(w, "content");
    lg_jw_begin_object(w);
    lg_jw_key(w, "application/json");
    lg_jw_begin_object(w);
    lg_jw_key(w, "schema");
    if (schema) {
        lg_jw_json(w, schema);
    } else {
        lg_jw_bool(w, true);
    }
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

static void write_operation(lg_json_writer *w, const lg_sim_tool *tool)
{
    lg_jw_begin_object(w);
    lg_jw_key(w, "post");
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "operationId", tool->name);
    lg_jw_member_str(w, "description", tool->description);
    lg_jw_key(w, "requestBody");
    lg_jw_begin_object(w);
    write_media(w, tool->parameters);
    lg_jw_end_object(w);
    lg_jw_key(w, "responses");
    lg_jw_begin_object(w);
    lg_jw_key(w, "200");
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "description", "the result");
    write_media(w, tool->result);
    lg_jw_end_object(w);
    lg_jw_member_raw(w, "4XX", LG_STR("{\"description\":\"an error\"}"));
    lg_jw_end_object(w);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

// "/tools/NAME", with what may not stand in a path coded. In the writer's buffer alone: names are short.
static void write_path(lg_json_writer *w, lg_str name)
{
    char room[512];
    lg_buf path;
    lg_buf_init_in(&path, room, sizeof(room), 0);
    lg_buf_add_c(&path, "/tools/");
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (lg_is_letter(c) || lg_is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~') {
            lg_buf_add_byte(&path, c);
        } else {
            lg_buf_addf(&path, "%%%02X", (unsigned)(unsigned char)c);
        }
    }
    lg_jw_key_str(w, lg_buf_str(&path));
    lg_buf_done(&path);
}

// The agent's tools as an OpenAPI document of POST /tools/NAME.
void mock_describe(mock_exchange *x)
{
    const lg_sim *sim = x->mock->options.sim;
    if (!mock_takes(x, "GET, HEAD") || mock_rest_describe(x)) {
        return;
    }
    lg_json_writer w = mock_begin(x, 200);
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "openapi", "3.1.0");
    lg_jw_member_raw(&w, "info", LG_STR("{\"title\":\"Simulated tools\",\"version\":\"1\"}"));
    lg_jw_key(&w, "paths");
    lg_jw_begin_object(&w);
    for (size_t i = 0; i < lg_sim_tool_count(sim); i++) {
        const lg_sim_tool *tool = lg_sim_tool_at(sim, i);
        if (!tool->by_user) {
            write_path(&w, tool->name);
            write_operation(&w, tool);
        }
    }
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
}
