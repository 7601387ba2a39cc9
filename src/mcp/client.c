// client.c: what a client says.
#include "mcp/client.h"

// --- requests ---

static void begin_message(lg_json_writer *w, const char *method)
{
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "jsonrpc", "2.0");
    lg_jw_member_c(w, "method", method);
}

// The parameters of a request begin with what each has to say for itself.
static void begin_request(lg_json_writer *w, const lg_mcp_client *client, int64_t id,
                          const char *method)
{
    begin_message(w, method);
    lg_jw_member_int(w, "id", id);
    lg_jw_key(w, "params");
    lg_jw_begin_object(w);
    if (lg_mcp_is_stateless(client->revision)) {
        lg_jw_key(w, "_meta");
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "io.modelcontextprotocol/protocolVersion",
                       lg_mcp_revision_name(client->revision));
        lg_jw_key(w, "io.modelcontextprotocol/clientInfo");
        lg_mcp_write_party(w, &client->party, client->revision);
        lg_jw_key(w, "io.modelcontextprotocol/clientCapabilities");
        lg_jw_begin_object(w);
        lg_jw_end_object(w);
        lg_jw_end_object(w);
    }
}

static void end_request(lg_json_writer *w)
{
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

void lg_mcp_ask_discover(lg_buf *out, const lg_mcp_client *client, int64_t id)
{
    lg_json_writer w = {.out = out};
    begin_request(&w, client, id, "server/discover");
    end_request(&w);
}

void lg_mcp_ask_initialize(lg_buf *out, const lg_mcp_client *client, int64_t id)
{
    lg_json_writer w = {.out = out};
    begin_request(&w, client, id, "initialize");
    lg_jw_member_c(&w, "protocolVersion", lg_mcp_revision_name(client->revision));
    lg_jw_key(&w, "capabilities");
    lg_jw_begin_object(&w);
    lg_jw_end_object(&w);
    lg_jw_key(&w, "clientInfo");
    lg_mcp_write_party(&w, &client->party, client->revision);
    end_request(&w);
}

void lg_mcp_tell_initialized(lg_buf *out)
{
    lg_json_writer w = {.out = out};
    begin_message(&w, "notifications/initialized");
    lg_jw_end_object(&w);
}

void lg_mcp_ask_tools(lg_buf *out, const lg_mcp_client *client, int64_t id, lg_str cursor)
{
    lg_json_writer w = {.out = out};
    begin_request(&w, client, id, "tools/list");
    lg_jw_member_str_if(&w, "cursor", cursor);
    end_request(&w);
}

void lg_mcp_ask_call(lg_buf *out, const lg_mcp_client *client, int64_t id, lg_str name,
                     const lg_json *args)
{
    lg_json_writer w = {.out = out};
    begin_request(&w, client, id, "tools/call");
    lg_jw_member_str(&w, "name", name);
    lg_jw_key(&w, "arguments");
    if (args) {
        lg_jw_json(&w, args);
    } else {
        lg_jw_begin_object(&w);
        lg_jw_end_object(&w);
    }
    end_request(&w);
}

void lg_mcp_tell_cancelled(lg_buf *out, int64_t id, lg_str reason)
{
    lg_json_writer w = {.out = out};
    begin_message(&w, "notifications/cancelled");
    lg_jw_key(&w, "params");
    lg_jw_begin_object(&w);
    lg_jw_member_int(&w, "requestId", id);
    lg_jw_member_str_if(&w, "reason", reason);
    end_request(&w);
}

void lg_mcp_answer_server(lg_buf *out, const lg_mcp_message *request)
{
    lg_json_writer w = {.out = out};
    bool is_ping = lg_str_eq(request->method, LG_STR("ping"));
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "jsonrpc", "2.0");
    lg_jw_member_json(&w, "id", request->id);
    lg_jw_key(&w, is_ping ? "result" : "error");
    lg_jw_begin_object(&w);
    if (!is_ping) {
        lg_jw_member_int(&w, "code", LG_MCP_METHOD_NOT_FOUND);
        lg_jw_member_c(&w, "message", "this client has no such method");
    }
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
}

// --- headers ---

size_t lg_mcp_headers(const lg_mcp_client *client, bool is_agreed, lg_str method, lg_str tool,
                      lg_str session, lg_arena *arena, lg_mcp_header out[LG_MCP_HEADERS_MAX])
{
    bool is_stateless = lg_mcp_is_stateless(client->revision);
    size_t count = 0;
    out[count++] = (lg_mcp_header){LG_STR("Content-Type"), LG_STR("application/json")};
    out[count++] = (lg_mcp_header){LG_STR("Accept"), LG_STR("application/json, text/event-stream")};
    if (is_agreed || is_stateless) {
        out[count++] = (lg_mcp_header){LG_STR("MCP-Protocol-Version"),
                                       lg_str_c(lg_mcp_revision_name(client->revision))};
    }
    if (session.len && !is_stateless) {
        out[count++] = (lg_mcp_header){LG_STR("Mcp-Session-Id"), session};
    }
    if (is_stateless) {
        out[count++] = (lg_mcp_header){LG_STR("Mcp-Method"), method};
    }
    if (is_stateless && tool.len) {
        lg_str name = lg_mcp_header_value(arena, tool);
        if (!name.ptr) {
            return 0;
        }
        out[count++] = (lg_mcp_header){LG_STR("Mcp-Name"), name};
    }
    return count;
}
