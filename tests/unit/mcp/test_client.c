// The client's side: what it says, what it reads; and recorded sessions of real servers, read again.
#include "lg_test.h"

#include "mcp/client.h"

#include "base/file.h"

static const lg_json *parse(lg_arena *arena, lg_str text)
{
    const lg_json *value = NULL;
    lg_str kept = lg_arena_str(arena, text);
    return lg_json_parse_in(arena, kept, 0, kept.len, NULL, &value, NULL) == LG_OK ? value : NULL;
}

static lg_mcp_message message_of(lg_arena *arena, const char *text)
{
    return lg_mcp_message_read(parse(arena, lg_str_c(text)));
}

static lg_mcp_client client_of(lg_mcp_revision revision)
{
    return (lg_mcp_client){{LG_STR("c"), LG_STR("C"), LG_STR("1")}, revision};
}

static void requests(void)
{
    lg_arena arena;
    lg_buf out;
    lg_arena_init(&arena, 0);
    lg_buf_init(&out, 0);
    for (unsigned r = 0; r < LG_MCP_REVISIONS; r++) {
        lg_mcp_client client = client_of((lg_mcp_revision)r);
        bool is_stateless = lg_mcp_is_stateless(client.revision);
        lg_buf_clear(&out);
        lg_mcp_ask_call(&out, &client, 7, LG_STR("t"), NULL);
        lg_mcp_message message = lg_mcp_message_read(parse(&arena, lg_buf_str(&out)));
        CHECK(message.kind == LG_MCP_REQUEST);
        CHECK_STR(message.method, "tools/call");
        CHECK((lg_mcp_meta(message.params) != NULL) == is_stateless);
        CHECK_STR(lg_mcp_meta_revision(message.params), is_stateless ? "2026-07-28" : "");
        CHECK(lg_json_is(lg_json_get(message.params, LG_STR("arguments")), LG_JSON_OBJECT));
        lg_mcp_header headers[LG_MCP_HEADERS_MAX];
        size_t count = lg_mcp_headers(&client, true, message.method, LG_STR("t"), LG_STR("s"),
                                      &arena, headers);
        CHECK(count == (is_stateless ? 5 : 4));
        CHECK_STR(headers[2].value, lg_mcp_revision_name(client.revision));
        CHECK_STR(headers[3].name, is_stateless ? "Mcp-Method" : "Mcp-Session-Id");
    }
    lg_mcp_header headers[LG_MCP_HEADERS_MAX];
    lg_mcp_client old = client_of(LG_MCP_2025_11_25);
    CHECK(lg_mcp_headers(&old, false, LG_STR("initialize"), LG_STR(""), LG_STR(""), &arena,
                         headers) == 2);
    lg_buf_done(&out);
    lg_arena_done(&arena);
}

static void names_in_headers(void)
{
    static const char *const plain[] = {"a", "get_order", "a b", "x=?base64?y", ""};
    static const char *const coded[] = {"\xC3\xA4", " a", "a ", "a\nb", "=?base64?YQ==?=", "\t"};
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < LG_COUNT(plain); i++) {
        CHECK_STR(lg_mcp_header_value(&arena, lg_str_c(plain[i])), plain[i]);
    }
    for (size_t i = 0; i < LG_COUNT(coded); i++) {
        lg_str value = lg_mcp_header_value(&arena, lg_str_c(coded[i]));
        CHECK(lg_str_starts(value, LG_STR("=?base64?")) && lg_str_ends(value, LG_STR("?=")));
        CHECK_STR(lg_mcp_header_name(&arena, value), coded[i]);
    }
    CHECK(!lg_mcp_header_name(&arena, LG_STR("=?base64?=?=")).ptr);
    CHECK_STR(lg_mcp_header_name(&arena, LG_STR("=?base64?=")), "=?base64?=");
    lg_arena_done(&arena);
}

static void beginnings(void)
{
    lg_arena arena;
    lg_mcp_revision revision = LG_MCP_2024_11_05;
    lg_error error;
    lg_arena_init(&arena, 0);
    const lg_json *both = parse(
        &arena, LG_STR("{\"supportedVersions\":[\"2025-11-25\",\"2026-07-28\",\"2099-01-01\"]}"));
    CHECK(lg_mcp_read_discover(both, &revision, &error) == LG_OK && revision == LG_MCP_2026_07_28);
    const lg_json *none = parse(&arena, LG_STR("{\"supportedVersions\":[\"2099-01-01\"]}"));
    CHECK(lg_mcp_read_discover(none, &revision, &error) == LG_ERR_FORMAT &&
          strstr(error.msg, "2099-01-01"));
    CHECK(lg_mcp_read_discover(parse(&arena, LG_STR("{}")), &revision, &error) == LG_ERR_FORMAT);
    const lg_json *old = parse(&arena, LG_STR("{\"protocolVersion\":\"2024-11-05\"}"));
    CHECK(lg_mcp_read_initialize(old, &revision, &error) == LG_OK && revision == LG_MCP_2024_11_05);
    const lg_json *modern = parse(&arena, LG_STR("{\"protocolVersion\":\"2026-07-28\"}"));
    CHECK(lg_mcp_read_initialize(modern, &revision, &error) == LG_ERR_FORMAT);
    CHECK(lg_mcp_read_initialize(parse(&arena, LG_STR("{\"protocolVersion\":7}")), &revision,
                                 &error) == LG_ERR_FORMAT);
    lg_arena_done(&arena);
}

static void tools_of_pages(void)
{
    lg_arena arena;
    lg_mcp_tools tools = {0};
    lg_str cursor;
    lg_error error;
    lg_arena_init(&arena, 0);
    const lg_json *page =
        parse(&arena, LG_STR("{\"tools\":[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}},7,"
                             "{\"name\":\"\"},{\"name\":\"b\",\"title\":\"B\",\"inputSchema\":7}],"
                             "\"nextCursor\":\"n\"}"));
    CHECK(lg_mcp_read_tools(page, &arena, &tools, &cursor, &error) == LG_OK);
    CHECK_STR(cursor, "n");
    CHECK(lg_mcp_read_tools(page, &arena, &tools, &cursor, &error) == LG_OK && tools.count == 4);
    CHECK(tools.items[0].input && !tools.items[1].input);
    CHECK_STR(tools.items[3].title, "B");
    CHECK(lg_mcp_read_tools(parse(&arena, LG_STR("{\"tools\":{}}")), &arena, &tools, &cursor,
                            &error) == LG_ERR_FORMAT);
    lg_arena_done(&arena);
}

static void results_of_calls(void)
{
    static const struct {
        const char *message, *text, *value;
        bool is_error;
    } cases[] = {
        {"{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":1}\"}]}", "{\"a\":1}", "{\"a\":1}",
         false},
        {"{\"content\":[{\"type\":\"text\",\"text\":\"7\"}],\"isError\":true}", "7", "\"7\"", true},
        {"{\"content\":[],\"structuredContent\":[1]}", "", "[1]", false},
        {"{\"structuredContent\":null,\"content\":7}", "", "null", false},
        {"{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\",\"mimeType\":"
         "\"image/"
         "png\",\"data\":\"\"},{\"type\":\"resource\",\"resource\":{\"text\":\"r\",\"uri\":\"u:r\"}"
         "},"
         "{\"type\":\"resource_link\",\"uri\":\"u:x\"}]}",
         "a\n[image image/png]\nr\n[resource_link u:x]",
         "\"a\\n[image image/png]\\nr\\n[resource_link u:x]\"", false},
        {"{\"content\":[{\"type\":\"text\",\"text\":\"[1,\"}]}", "[1,", "\"[1,\"", false},
    };
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        char text[700];
        lg_mcp_returned got;
        snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}",
                 cases[i].message);
        lg_mcp_message message = message_of(&arena, text);
        CHECK(lg_mcp_answers(&message, 1) && !lg_mcp_answers(&message, 2));
        CHECK(lg_mcp_read_returned(&message, &arena, NULL, &got, NULL) == LG_OK);
        CHECK_STR(got.text, cases[i].text);
        CHECK(lg_json_identical(got.value, parse(&arena, lg_str_c(cases[i].value))));
        CHECK(got.is_error == cases[i].is_error);
    }
    lg_mcp_returned got;
    lg_mcp_message asks = message_of(
        &arena, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"input_required\"}}");
    CHECK(lg_mcp_read_returned(&asks, &arena, NULL, &got, NULL) == LG_OK && got.needs_input);
    lg_mcp_message error = message_of(
        &arena, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"no\"}}");
    CHECK(lg_mcp_read_returned(&error, &arena, NULL, &got, NULL) == LG_OK && got.is_error);
    CHECK_STR(got.text, "-32602: no");
    lg_mcp_message empty = message_of(&arena, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    CHECK(lg_mcp_read_returned(&empty, &arena, NULL, &got, NULL) == LG_ERR_FORMAT);
    lg_mcp_message text_id = message_of(&arena, "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}");
    CHECK(!lg_mcp_answers(&text_id, 1));
    lg_arena_done(&arena);
}

// --- recorded sessions ---

typedef struct recorded {
    const char *file;
    size_t answers, broken, errors, tool_errors, asked; // of the server's lines
} recorded;

static void count_line(lg_arena *arena, const lg_json *line, recorded *counts)
{
    lg_str raw = lg_json_str(lg_json_get(line, LG_STR("raw")));
    if (!lg_str_eq(lg_json_str(lg_json_get(line, LG_STR("dir"))), LG_STR("s2c"))) {
        return;
    }
    lg_mcp_message message = lg_mcp_message_read(parse(arena, raw));
    lg_mcp_returned got;
    counts->broken += message.kind == LG_MCP_BROKEN;
    counts->asked += message.kind == LG_MCP_REQUEST;
    counts->errors += message.kind == LG_MCP_ERROR;
    counts->answers += message.kind == LG_MCP_RESULT;
    if (message.kind == LG_MCP_RESULT && lg_json_get(message.result, LG_STR("content"))) {
        CHECK(lg_mcp_read_returned(&message, arena, NULL, &got, NULL) == LG_OK && got.value);
        counts->tool_errors += got.is_error;
    }
}

static void sessions_of_real_servers(void)
{
    static const recorded wanted[] = {
        {"everything-bidirectional", 0, 0, 0, 1, 3},
        {"filesystem-ok-and-errors", 10, 0, 0, 5, 0},
        {"git", 5, 0, 2, 0, 0},
        {"memory-graph", 8, 0, 0, 2, 0},
        {"playwright-tool-error", 3, 0, 0, 2, 0},
        {"protocol-edge-cases", 0, 0, 2, 1, 0},
        {"sequential-thinking", 5, 0, 0, 1, 0},
    };
    const char *dir = lg_test_data_dir();
    if (!dir) {
        printf("skipped: sessions_of_real_servers (no data)\n");
        return;
    }
    for (size_t i = 0; i < LG_COUNT(wanted); i++) {
        char path[4096];
        lg_file file = {0};
        lg_arena arena;
        recorded got = {0};
        lg_arena_init(&arena, 0);
        snprintf(path, sizeof(path), "%s/data/mcp/transcripts/%s.jsonl", dir, wanted[i].file);
        CHECK_MSG(lg_file_read(path, NULL, &file, NULL) == LG_OK, path);
        for (size_t at = 0; at < file.text.len; at++) {
            size_t end = lg_str_line_end(file.text, at);
            count_line(&arena, parse(&arena, lg_str_slice(file.text, at, end)), &got);
            at = end;
        }
        CHECK_MSG(got.broken == 0 && got.errors == wanted[i].errors, wanted[i].file);
        CHECK_MSG(got.tool_errors == wanted[i].tool_errors && got.asked >= wanted[i].asked,
                  wanted[i].file);
        CHECK_MSG(!wanted[i].answers || got.answers == wanted[i].answers, wanted[i].file);
        lg_file_close(&file);
        lg_arena_done(&arena);
    }
}

int main(void)
{
    RUN(requests);
    RUN(names_in_headers);
    RUN(beginnings);
    RUN(tools_of_pages);
    RUN(results_of_calls);
    RUN(sessions_of_real_servers);
    return lg_test_done();
}
