// mcp_face.c: /mcp, the agent's tools, and /mcp/user, the customer's own, as an MCP server of every revision.
//
// A session of MCP is a session of the simulator, by the same id. `initialize` makes one, or takes the one that the header
// x-ledgergate-session names; a DELETE ends it, and with it what `initialize` has made. From 2026-07-28 requests have no
// sessions: the header says which one they mean.
#include "base/str.h"
#include "mock/mock_internal.h"
#include "refine/refine.h"

#define EDIT 1u // maps that are made once

typedef struct mcp_task {
    lg_mcp_turn turn;
    bool by_user;
} mcp_task;

// --- Tools --------------------------------------------------------------------------------------

static const lg_mcp_tool *find_tool(void *data, lg_str name)
{
    const mock_mcp *side = data;
    return lg_map_get(&side->by_name, name);
}

// What MCP takes as the schema of structured content: that of an object.
static const lg_json *output_of(const lg_sim_tool *tool)
{
    bool object =
        lg_str_eq(lg_json_str(lg_json_get(tool->result, LG_STR("type"))), LG_STR("object"));
    bool whole = !tool->of_catalogue || !tool->of_catalogue->document; // it refers to nothing else
    return object && whole ? tool->result : NULL;
}

static bool add_tools(lg_mock *mock, mock_mcp *side, const lg_json *functions)
{
    for (size_t i = 0; i < lg_json_len(functions); i++) {
        const lg_json *f = lg_json_get(lg_json_item(functions, i), LG_STR("function"));
        lg_str name = lg_json_str(lg_json_get(f, LG_STR("name")));
        const lg_sim_tool *tool = lg_sim_tool_named(mock->options.sim, name, side->by_user);
        lg_mcp_tool *to = &side->tools[side->host.tool_count];
        if (!tool || lg_map_get(&side->by_name, name)) {
            continue; // of the other side
        }
        const lg_json *source = tool->of_catalogue ? tool->of_catalogue->source : NULL;
        *to = (lg_mcp_tool){.name = name,
                            .title = lg_json_str(lg_json_get(source, LG_STR("title"))),
                            .annotations = lg_json_get(source, LG_STR("annotations")),
                            .description = tool->description,
                            .input = lg_json_get(f, LG_STR("parameters")),
                            .output = output_of(tool)};
        side->host.tool_count++;
        if (!lg_map_put(&mock->arena, &side->by_name, name, to, EDIT)) {
            return false;
        }
    }
    return true;
}

lg_status mock_mcp_open(lg_mock *mock, mock_mcp *side, bool by_user, lg_error *reterr)
{
    const lg_json *functions = NULL;
    lg_status status =
        by_user ? lg_refine_user_tools(mock->options.sim, &mock->arena, &functions, reterr)
                : lg_refine_tools(mock->options.sim, false, &mock->arena, &functions, reterr);
    if (status != LG_OK) {
        return status;
    }
    *side = (mock_mcp){.by_user = by_user};
    side->tools = LG_NEW_ARRAY(&mock->arena, lg_mcp_tool, lg_json_len(functions) + 1);
    if (!side->tools || !add_tools(mock, side, functions)) {
        return lg_fail_oom(reterr);
    }
    side->host.party = (lg_mcp_party){.name = LG_STR("ledgergate-simulate"),
                                      .title = LG_STR("LedgerGate's simulator"),
                                      .version = lg_str_c(lg_version())};
    side->host.tools = side->tools;
    side->host.find = find_tool;
    side->host.data = side;
    side->host.has_sessions = true;
    return LG_OK;
}

// --- Calls --------------------------------------------------------------------------------------

// {"ledgergate/violations": [...]}: the rules that speak against the call, or NULL: none does, or there is no memory.
static const lg_json *meta_of(mock_exchange *x, const lg_sim_answer *answer)
{
    const lg_json *meta = NULL;
    lg_buf text;
    if (!answer->violation_count) {
        return NULL;
    }
    lg_buf_init(&text, 0);
    lg_json_writer w = {.out = &text};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "ledgergate/violations");
    mock_list_violations(&w, answer->violations, answer->violation_count);
    lg_jw_end_object(&w);
    lg_str kept = lg_arena_str(x->arena, lg_buf_str(&text));
    bool fine = lg_buf_status(&text) == LG_OK && kept.ptr &&
                lg_json_parse_in(x->arena, kept, 0, kept.len, NULL, &meta, NULL) == LG_OK;
    lg_buf_done(&text);
    return fine ? meta : NULL;
}

static bool answer_call(mock_exchange *x, mock_worker *worker, mcp_task *t, size_t i)
{
    lg_sim_answer answer;
    lg_error err = {0};
    const lg_mcp_item *item = &t->turn.items[i];
    lg_sim_call call = {.tool = item->name, .args = item->args, .by_user = t->by_user};
    if (!mock_call(x, worker, &call, &answer)) {
        return false;
    }
    bool error = lg_sim_is_error(&answer);
    bool silent = !answer.text.len || lg_json_is(answer.result, LG_JSON_NULL);
    lg_mcp_result result = {.is_error = error,
                            .text = error && silent ? answer.error : answer.text,
                            .meta = meta_of(x, &answer),
                            .value =
                                lg_json_is(answer.result, LG_JSON_OBJECT) ? answer.result : NULL};
    if (lg_mcp_answer(&t->turn, i, &result, &err) != LG_OK) {
        mock_fail_with(x, &err);
        return false;
    }
    if (!t->turn.is_batch) { // of several no header can tell
        x->header_count = 0;
        mock_tell(x, &answer);
    }
    return true;
}

static bool has_calls(const lg_mcp_turn *turn)
{
    bool has = false;
    for (size_t i = 0; i < turn->item_count && !has; i++) {
        has = turn->items[i].is_call;
    }
    return has;
}

static void reply(mock_exchange *x, const mcp_task *t)
{
    lg_http_header told[LG_MOCK_HEADERS_MAX];
    size_t count = has_calls(&t->turn) ? x->header_count : 0;
    lg_copy_bytes(told, x->headers, count * sizeof(*told));
    (void)mock_begin(x, 200);
    x->status = lg_mcp_reply(&t->turn, x->out);
    if (!x->out->len) {
        x->header_count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        mock_header(x, told[i].name, told[i].value);
    }
    if (x->status == 405) {
        mock_header(x, LG_STR("allow"), lg_str_c(lg_mcp_allow(t->turn.host)));
    }
}

static void do_mcp(mock_exchange *x, mock_worker *worker)
{
    mcp_task *t = x->task;
    for (size_t i = 0; i < t->turn.item_count; i++) {
        if (t->turn.items[i].is_call && !answer_call(x, worker, t, i)) {
            return;
        }
    }
    reply(x, t);
}

// --- Sessions -----------------------------------------------------------------------------------

static lg_str header(const mock_exchange *x, const char *name)
{
    return lg_http_header_value(x->request.headers, lg_str_c(name));
}

static lg_mcp_request request_of(const mock_exchange *x)
{
    lg_mcp_request r = {.method = x->request.method,
                        .body = x->request.body,
                        .content_type = header(x, "content-type"),
                        .accept = header(x, "accept"),
                        .version = header(x, "mcp-protocol-version"),
                        .mcp_method = header(x, "mcp-method"),
                        .mcp_name = header(x, "mcp-name"),
                        .session = header(x, "mcp-session-id")};
    const mock_session *s = r.session.ptr ? mock_sessions_find(x->mock, r.session) : NULL;
    r.session_known = s && s->has_mcp;
    r.session_revision = s ? s->mcp_revision : LG_MCP_2025_11_25;
    return r;
}

// `initialize`: a session of its own, unless one is named.
static mock_session *open_session(mock_exchange *x, lg_mcp_revision revision)
{
    lg_str named = header(x, "x-ledgergate-session");
    mock_session *s = named.ptr ? mock_sessions_take(x, named) : mock_sessions_begin(x, NULL);
    if (s) {
        s->is_of_mcp = s->is_of_mcp || !named.ptr;
        s->has_mcp = true;
        s->mcp_revision = revision;
    }
    return s;
}

static void end_session(mock_exchange *x, lg_str id)
{
    mock_session *s = mock_sessions_find(x->mock, id);
    if (s && s->is_of_mcp && !s->family->busy) {
        mock_sessions_remove(x->mock, s);
    } else if (s) {
        s->has_mcp = false;
    }
}

static bool are_quick(const mock_exchange *x, const mcp_task *t, const mock_session *s)
{
    bool quick = true;
    for (size_t i = 0; i < t->turn.item_count && quick; i++) {
        const lg_mcp_item *item = &t->turn.items[i];
        const lg_sim_call call = {.tool = item->name, .by_user = t->by_user};
        quick = !item->is_call || mock_is_quick(x, s, &call);
    }
    return quick;
}

static void begin_calls(mock_exchange *x, mcp_task *t, lg_str session)
{
    mock_session *s = lg_mcp_is_stateless(t->turn.revision) || !session.ptr
                          ? mock_sessions_of(x)
                          : mock_sessions_take(x, session);
    if (s && mock_sessions_has_room(x, false) && !mock_fault_strikes(x)) {
        x->session = s;
        x->task = t;
        x->at_once = are_quick(x, t, s);
        x->work = do_mcp;
    }
}

void mock_mcp_face(mock_exchange *x)
{
    bool by_user = x->segment_count == 2 && lg_str_eq(x->segments[1], LG_STR("user"));
    const mock_mcp *side = by_user ? &x->mock->mcp_user : &x->mock->mcp;
    lg_error err = {0};
    if (x->segment_count > 1 && !by_user) {
        mock_fail(x, 404, "unknown_path", "here are /mcp and /mcp/user");
        return;
    }
    mcp_task *t = LG_NEW(x->arena, mcp_task);
    lg_mcp_request request = request_of(x);
    if (!t || lg_mcp_take(&side->host, &request, x->arena, &t->turn, &err) != LG_OK) {
        mock_fail_oom(x);
        return;
    }
    t->by_user = by_user;
    if (has_calls(&t->turn)) {
        begin_calls(x, t, request.session);
        return;
    }
    const mock_session *opened = t->turn.opens ? open_session(x, t->turn.revision) : NULL;
    if (t->turn.opens && !opened) {
        return; // answered: there is no room
    }
    if (t->turn.ends) {
        end_session(x, request.session);
    }
    reply(x, t);
    if (opened) {
        mock_header(x, LG_STR("mcp-session-id"), lg_str_c(opened->id));
    }
}

// --- Lines --------------------------------------------------------------------------------------

// What a failure that is none of the tool's says.
static lg_str words_of(mock_exchange *x)
{
    const lg_json *body = NULL;
    lg_str text = lg_arena_str(x->arena, lg_buf_str(x->out));
    if (!text.ptr || lg_json_parse_in(x->arena, text, 0, text.len, NULL, &body, NULL) != LG_OK) {
        return LG_STR("the call could not be made");
    }
    return lg_json_str(lg_json_get(lg_json_get(body, LG_STR("error")), LG_STR("message")));
}

static lg_status answer_line_call(mock_exchange *x, mcp_task *t, size_t i, lg_error *reterr)
{
    bool fine = x->session && mock_sessions_has_room(x, false) &&
                answer_call(x, &x->mock->workers[0], t, i);
    return fine ? LG_OK
                : lg_mcp_answer_error(&t->turn, i, LG_MCP_INTERNAL_ERROR, words_of(x), reterr);
}

lg_status lg_mock_line(lg_mock *mock, lg_str line, bool by_user, lg_arena *arena, lg_str *ret,
                       lg_error *reterr)
{
    LG_ASSERT(!mock->server);
    const mock_mcp *side = by_user ? &mock->mcp_user : &mock->mcp;
    mock_exchange x = {.mock = mock, .arena = arena, .out = &mock->out};
    mcp_task t = {.by_user = by_user};
    lg_mcp_request request = {.is_line = true,
                              .body = line,
                              .session_known = mock->has_line,
                              .session_revision = mock->line_revision};
    lg_status status = lg_mcp_take(&side->host, &request, arena, &t.turn, reterr);
    if (status == LG_OK && has_calls(&t.turn)) {
        x.session = mock_sessions_take(&x, LG_STR(""));
    }
    for (size_t i = 0; i < t.turn.item_count && status == LG_OK; i++) {
        status = t.turn.items[i].is_call ? answer_line_call(&x, &t, i, reterr) : LG_OK;
    }
    if (status != LG_OK) {
        return status;
    }
    if (t.turn.opens) {
        mock->has_line = true;
        mock->line_revision = t.turn.revision;
    }
    if (x.session) {
        mock_sessions_weigh(mock, x.session);
    }
    reply(&x, &t);
    *ret = lg_arena_str(arena, lg_buf_str(&mock->out));
    return ret->ptr && lg_buf_status(&mock->out) == LG_OK ? LG_OK : lg_fail_oom(reterr);
}
