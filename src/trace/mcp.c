// mcp.c: what a client and a server of the Model Context Protocol sent each other, one message a line: JSON-RPC as it
// is, {dir: "c2s" or "s2c", raw: "..."} as a wiretap writes it, or {..., message: {...}}. The file is one conversation.
//
// Of all messages `tools/call` and its answer are events, each a turn of its own; nobody's words are on this wire. The
// tools are those of `tools/list`, page by page; the prompt is what the server's `initialize` tells the model. Invalid
// arguments come back as a result with `isError` or as an error of JSON-RPC, as the server likes: both are errors. A result
// that asks for input (`resultType: input_required`) is one, too: nothing was carried out, the client calls again.
//
// Both sides number their own requests, so an answer counts only if it comes from the other side, where that is recorded.
#include "base/map.h"
#include "trace/trace_internal.h"

typedef enum mcp_request {
    MCP_CALL,
    MCP_LIST,
    MCP_BEGIN, // initialize, server/discover
} mcp_request;

struct lg_mcp_session {
    lg_map open; // of ids of the client's requests: const mcp_request
    lg_json *tools;
    size_t tool_count, tool_capacity;
    uint32_t turns;
    const lg_json *server, *client, *version;
};

typedef enum mcp_side {
    MCP_UNKNOWN,
    MCP_CLIENT,
    MCP_SERVER,
} mcp_side;

// 3 and "3" are two ids.
static lg_str key_of(lg_importer *imp, const lg_json *id)
{
    lg_str text = lg_importer_word(imp, id);
    bool number = text.len && (lg_is_digit(text.ptr[0]) || text.ptr[0] == '-');
    return number && lg_json_is(id, LG_JSON_STRING)
               ? lg_importer_printf(imp, "\"%.*s\"", LG_FMT(text))
               : text;
}

// --- Requests ------------------------------------------------------------------------------------

static void read_call(lg_importer *imp, const lg_json *message)
{
    static const lg_json empty = {.type = LG_JSON_OBJECT, .offset = LG_JSON_NO_OFFSET};
    const lg_json *params = lg_get(message, "params");
    const lg_json *args = lg_get(params, "arguments");
    lg_str id = key_of(imp, lg_get(message, "id"));
    imp->turn = imp->mcp->turns++;
    lg_trace_event *call =
        lg_importer_call(imp, LG_ROLE_AGENT, message, lg_json_str(lg_get(params, "name")),
                         args ? args : &empty); // they may be left out
    call->id = id;
    if (!lg_given(lg_get(message, "id"))) {
        lg_importer_issue(imp, message->offset, false, "a call without an id has no answer");
    }
}

static void read_request(lg_importer *imp, const lg_json *message, lg_str method)
{
    static const struct {
        const char *method;
        mcp_request request;
    } known[] = {{"tools/call", MCP_CALL},
                 {"tools/list", MCP_LIST},
                 {"initialize", MCP_BEGIN},
                 {"server/discover", MCP_BEGIN}};
    const lg_json *id = lg_get(message, "id");
    const lg_json *client = lg_get(lg_get(message, "params"), "clientInfo");
    for (size_t i = 0; i < LG_COUNT(known); i++) {
        if (!lg_str_eq(method, lg_str_c(known[i].method))) {
            continue;
        }
        if (lg_given(id) &&
            !lg_map_put(imp->arena, &imp->mcp->open, key_of(imp, id), &known[i].request, 1)) {
            lg_importer_fail_oom(imp);
        }
        imp->mcp->client = imp->mcp->client ? imp->mcp->client : client;
        if (known[i].request == MCP_CALL) {
            read_call(imp, message);
        }
    }
}

// --- Answers -------------------------------------------------------------------------------------

static void read_result(lg_importer *imp, const lg_json *message, const lg_json *result,
                        const lg_json *error)
{
    const lg_json *content = lg_get(result, "content");
    const lg_json *structured = lg_get(result, "structuredContent");
    bool asks = lg_str_eq(lg_json_str(lg_get(result, "resultType")), LG_STR("input_required"));
    bool failed = error || asks || lg_json_is_true(lg_get(result, "isError"));
    imp->turn = imp->mcp->turns++;
    lg_trace_event *event = lg_importer_add(imp, failed ? LG_EVENT_ERROR : LG_EVENT_RESULT,
                                            LG_ROLE_AGENT, message->offset);
    lg_str id = key_of(imp, lg_get(message, "id"));
    lg_str text;
    if (error) {
        const lg_json *why = lg_get(error, "message");
        text = lg_importer_word(imp, why ? why : error);
    } else if (lg_list_len(content) || (content && !lg_given(structured))) {
        text = lg_importer_text(imp, content);
    } else {
        text = lg_importer_word(imp, lg_given(structured) ? structured : result);
    }
    event->id = id;
    event->text = text;
}

static void read_tools(lg_importer *imp, const lg_json *page)
{
    struct lg_mcp_session *mcp = imp->mcp;
    for (size_t i = 0; i < lg_list_len(page); i++) {
        lg_json *tools = lg_arena_grow(imp->arena, mcp->tools, mcp->tool_count, &mcp->tool_capacity,
                                       sizeof(*tools));
        if (!tools) {
            lg_importer_fail_oom(imp);
            return;
        }
        mcp->tools = tools;
        tools[mcp->tool_count++] = *lg_json_item(page, i);
    }
}

static void read_begin(lg_importer *imp, const lg_json *result)
{
    imp->mcp->server = lg_get(result, "serverInfo");
    imp->mcp->version = lg_get(result, "protocolVersion");
    imp->trace.prompt = lg_json_str(lg_get(result, "instructions"));
}

static void read_answer(lg_importer *imp, const lg_json *message)
{
    const lg_json *result = lg_get(message, "result");
    const lg_json *error = lg_get(message, "error");
    lg_str key = key_of(imp, lg_get(message, "id"));
    const mcp_request *request = key.len ? lg_map_get(&imp->mcp->open, key) : NULL;
    if (!request && lg_json_is(lg_get(result, "content"), LG_JSON_ARRAY)) {
        lg_importer_issue(imp, message->offset, true, "an answer to a call that is not recorded");
    }
    if (!request) {
        return; // to a request that is no call
    }
    if (*request == MCP_CALL) {
        read_result(imp, message, result, error);
    } else if (*request == MCP_LIST) {
        read_tools(imp, lg_get(result, "tools"));
    } else if (result) {
        read_begin(imp, result);
    }
    if (!lg_map_remove(imp->arena, &imp->mcp->open, key)) {
        lg_importer_fail_oom(imp);
    }
}

// --- Lines ---------------------------------------------------------------------------------------

static void read_message(lg_importer *imp, const lg_json *message, mcp_side side)
{
    lg_str method = lg_json_str(lg_get(message, "method"));
    if (!lg_json_is(message, LG_JSON_OBJECT)) {
        lg_importer_issue(imp, message->offset, true, "a message that is %s", lg_kind(message));
        return;
    }
    if (method.len == 0 && !lg_get(message, "result") && !lg_get(message, "error")) {
        lg_importer_issue(imp, message->offset, true, "neither a request nor an answer");
        return;
    }
    if (method.len && side != MCP_SERVER) {
        read_request(imp, message, method);
    } else if (method.len == 0 && side != MCP_CLIENT) {
        read_answer(imp, message);
    }
}

// Messages may be sent several at once.
static void read_messages(lg_importer *imp, const lg_json *value, mcp_side side)
{
    if (!lg_json_is(value, LG_JSON_ARRAY)) {
        read_message(imp, value, side);
        return;
    }
    for (size_t i = 0; i < lg_list_len(value) && lg_importer_ok(imp); i++) {
        read_message(imp, lg_json_item(value, i), side);
    }
}

// A line that is no JSON is not answered. If it speaks of a call, somebody tried to make one.
static void read_raw(lg_importer *imp, const lg_json *raw, mcp_side side)
{
    const lg_json *value = NULL;
    lg_error why;
    lg_str text = lg_json_str(raw);
    if (lg_importer_parse_inside(imp, text, raw->offset + 1, &value, &why)) {
        read_messages(imp, value, side);
    } else if (lg_importer_ok(imp)) {
        bool call = side != MCP_CLIENT || lg_str_find(text, LG_STR("tools/call")) != SIZE_MAX;
        lg_importer_issue(imp, raw->offset, call, "a message that is no JSON: %s", why.msg);
    }
}

static mcp_side side_of(const lg_json *line)
{
    const lg_json *told = lg_get(line, "dir");
    lg_str dir = lg_json_str(told ? told : lg_get(line, "direction"));
    return lg_str_eq(dir, LG_STR("c2s"))   ? MCP_CLIENT
           : lg_str_eq(dir, LG_STR("s2c")) ? MCP_SERVER
                                           : MCP_UNKNOWN;
}

void lg_import_mcp(lg_importer *imp, const lg_json *line)
{
    const lg_json *raw = lg_get(line, "raw");
    const lg_json *message = lg_get(line, "message");
    if (!imp->open) {
        imp->mcp = LG_NEW(imp->arena, struct lg_mcp_session);
        lg_importer_begin(imp, line);
    }
    if (!imp->mcp) {
        lg_importer_fail_oom(imp);
        return;
    }
    lg_importer_time(imp, line);
    if (lg_json_is(raw, LG_JSON_STRING)) {
        read_raw(imp, raw, side_of(line));
    } else {
        read_messages(imp, message ? message : line, side_of(line));
    }
}

void lg_import_mcp_end(lg_importer *imp)
{
    struct lg_mcp_session *mcp = imp->mcp;
    lg_facts facts = {0};
    if (!mcp || !imp->open) {
        return;
    }
    lg_facts_add(&facts, "server", mcp->server);
    lg_facts_add(&facts, "client", mcp->client);
    lg_facts_add(&facts, "protocolVersion", mcp->version);
    imp->trace.metadata = lg_facts_make(imp, &facts);
    imp->trace.name = lg_json_str(lg_get(mcp->server, "name"));
    imp->trace.name = imp->trace.name.len ? imp->trace.name : LG_STR("session");
    lg_json *list = mcp->tool_count ? LG_NEW(imp->arena, lg_json) : NULL;
    if (list) {
        *list = lg_json_make_array(mcp->tools, mcp->tool_count);
        imp->trace.tools = list;
    } else if (mcp->tool_count) {
        lg_importer_fail_oom(imp);
    }
}
