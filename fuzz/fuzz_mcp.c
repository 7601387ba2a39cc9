// fuzz_mcp.c: bytes as what a client sends to a server, over HTTP and as a line, and as what a server sends to a client.
//
// Laws: every body is answered, with a status of HTTP and with JSON of the revision or nothing; each call is answered once,
// with the id that it came with; what is read of a server's answer is whole.
#include "drive.h"
#include "mcp/client.h"
#include "mcp/server.h"

static const lg_mcp_tool tools[] = {
    {.name = {"look", 4}}, {.name = {"take", 4}}, {.name = {"x", 1}}};

static void check_reply(const lg_mcp_turn *turn)
{
    lg_buf out;
    lg_json_doc *doc = NULL;
    lg_buf_init(&out, 0);
    unsigned status = lg_mcp_reply(turn, &out);
    drive_require(lg_buf_status(&out) == LG_OK && status >= 200 && status < 500);
    drive_require((out.len == 0) == (status == 202 || status == 204));
    if (out.len) {
        drive_require(lg_json_parse(lg_buf_str(&out), NULL, &doc, NULL) == LG_OK);
        const lg_json *root = lg_json_root(doc);
        drive_require(lg_json_is(root, LG_JSON_ARRAY) ||
                      lg_mcp_message_read(root).kind == LG_MCP_RESULT ||
                      lg_mcp_message_read(root).kind == LG_MCP_ERROR);
        lg_json_doc_free(doc);
    }
    lg_buf_done(&out);
}

static void serve(lg_arena *arena, lg_mcp_request request)
{
    lg_mcp_host host = {.party = {LG_STR("f"), LG_STR("F"), LG_STR("1")},
                        .tools = tools,
                        .tool_count = LG_COUNT(tools),
                        .page_tools = 2,
                        .has_sessions = request.session.len > 0};
    lg_mcp_turn turn;
    drive_require(lg_mcp_take(&host, &request, arena, &turn, NULL) == LG_OK);
    for (size_t i = 0; i < turn.item_count; i++) {
        lg_mcp_item *item = &turn.items[i];
        if (item->is_call) {
            drive_require(item->id && item->tool && lg_json_is(item->args, LG_JSON_OBJECT));
            lg_mcp_result result = {.text = item->name, .value = item->args, .is_error = i % 2};
            drive_require(lg_mcp_answer(&turn, i, &result, NULL) == LG_OK && item->is_answered);
        }
        drive_require(!item->reply.len || item->is_answered);
    }
    check_reply(&turn);
}

static void read_answer(lg_arena *arena, const lg_json *value)
{
    lg_mcp_message message = lg_mcp_message_read(value);
    lg_mcp_returned returned;
    lg_mcp_revision revision;
    lg_mcp_tools list = {0};
    lg_str cursor;
    if (message.kind == LG_MCP_REQUEST) {
        lg_buf out;
        lg_buf_init(&out, 0);
        lg_mcp_answer_server(&out, &message);
        drive_require(lg_buf_status(&out) == LG_OK && out.len > 0);
        lg_buf_done(&out);
    }
    if (lg_mcp_read_returned(&message, arena, NULL, &returned, NULL) == LG_OK) {
        drive_require(returned.value && returned.text.ptr);
    }
    if (lg_mcp_read_discover(message.result, &revision, NULL) == LG_OK ||
        lg_mcp_read_initialize(message.result, &revision, NULL) == LG_OK) {
        drive_require((unsigned)revision < LG_MCP_REVISIONS);
    }
    if (lg_mcp_read_tools(message.result, arena, &list, &cursor, NULL) == LG_OK) {
        drive_require(list.count == 0 || list.items[list.count - 1].name.len > 0);
    }
}

// The first line is a header's value, the rest the body: so that both can be anything.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const versions[] = {NULL, "2025-03-26", "2025-11-25", "2026-07-28"};
    lg_str all = {(const char *)data, size};
    lg_str first = lg_str_slice(all, 0, lg_str_line_end(all, 0));
    lg_str body = lg_str_slice(all, first.len + 1, all.len);
    lg_limits limits = {.json_depth = 64};
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < LG_COUNT(versions); i++) {
        lg_mcp_request request = {.method = LG_STR("POST"),
                                  .content_type = LG_STR("application/json"),
                                  .accept = i == 2 ? first : (lg_str){NULL, 0},
                                  .version = versions[i] ? lg_str_c(versions[i]) : first,
                                  .mcp_method = LG_STR("tools/call"),
                                  .mcp_name = first,
                                  .body = body,
                                  .limits = &limits};
        serve(&arena, request);
        request.session = first;
        serve(&arena, request);
        request = (lg_mcp_request){.is_line = true, .body = body, .limits = &limits};
        serve(&arena, request);
    }
    lg_str name = lg_mcp_header_name(&arena, lg_mcp_header_value(&arena, first));
    drive_require(lg_str_eq(name, first));
    const lg_json *value = NULL;
    if (lg_json_parse_in(&arena, body, 0, body.len, &limits, &value, NULL) == LG_OK) {
        read_answer(&arena, value);
    }
    lg_arena_done(&arena);
    return 0;
}
