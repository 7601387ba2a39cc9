// Every message of MCP that is built here against the schema that its revision has published; and the other way, what the
// specification gives as examples is read. The tools are those of 65 public servers.
#include "data_files.h"
#include "lg_test.h"

#include "mcp/client.h"
#include "mcp/server.h"
#include "schema/schema.h"

typedef struct desk {
    lg_arena arena;
    lg_mcp_revision revision;
    const lg_json *document;
    const char *definitions; // "$defs"
    lg_mcp_tools tools;
    lg_mcp_host host;
    size_t validated, without_id;
} desk;

static lg_str read_file(lg_arena *arena, const char *path)
{
    lg_file file = {0};
    lg_str text = LG_STR("");
    if (lg_file_read(path, NULL, &file, NULL) == LG_OK) {
        text = lg_arena_str(arena, file.text);
    }
    lg_file_close(&file);
    return text;
}

static const lg_json *parse(lg_arena *arena, lg_str text)
{
    const lg_json *value = NULL;
    lg_str kept = lg_arena_str(arena, text);
    return lg_json_parse_in(arena, kept, 0, kept.len, NULL, &value, NULL) == LG_OK ? value : NULL;
}

// Is it what the schema calls `name`?
static bool fits(desk *d, const lg_json *value, const char *name)
{
    lg_schema_options options = {.document = d->document};
    lg_schema_violation violation;
    lg_schema_report report = {.items = &violation, .capacity = 1};
    lg_errors errors;
    lg_arena scratch;
    lg_arena_init(&scratch, 0);
    lg_errors_init(&errors, &scratch, 1);
    lg_str text = lg_arena_printf(&scratch, "{\"$ref\":\"#/%s/%s\"}", d->definitions, name);
    const lg_schema *schema = lg_schema_compile(&scratch, parse(&scratch, text), &options, &errors);
    bool fine = schema && value && lg_schema_validate(schema, value, &report);
    if (!fine) {
        printf("    %s %s: %s\n", lg_mcp_revision_name(d->revision), name,
               !schema        ? errors.items[0].msg
               : report.count ? violation.msg
                              : "nothing");
    }
    d->validated++;
    lg_arena_done(&scratch);
    return fine;
}

// --- what a client says ---

typedef void (*asker)(lg_buf *out, const lg_mcp_client *client);

static void ask_discover(lg_buf *out, const lg_mcp_client *client)
{
    lg_mcp_ask_discover(out, client, 1);
}

static void ask_initialize(lg_buf *out, const lg_mcp_client *client)
{
    lg_mcp_ask_initialize(out, client, 1);
}

static void tell_initialized(lg_buf *out, const lg_mcp_client *client)
{
    (void)client;
    lg_mcp_tell_initialized(out);
}

static void ask_tools(lg_buf *out, const lg_mcp_client *client)
{
    lg_mcp_ask_tools(out, client, 2, LG_STR("next"));
}

static void ask_call(lg_buf *out, const lg_mcp_client *client)
{
    lg_mcp_ask_call(out, client, 3, LG_STR("look"), NULL);
}

static void tell_cancelled(lg_buf *out, const lg_mcp_client *client)
{
    (void)client;
    lg_mcp_tell_cancelled(out, 3, LG_STR("late"));
}

static void what_a_client_says(desk *d)
{
    static const struct {
        asker ask;
        const char *name;
        bool of_sessions, of_stateless, is_request;
    } all[] = {
        {ask_discover, "DiscoverRequest", false, true, true},
        {ask_initialize, "InitializeRequest", true, false, true},
        {tell_initialized, "InitializedNotification", true, false, false},
        {ask_tools, "ListToolsRequest", true, true, true},
        {ask_call, "CallToolRequest", true, true, true},
        {tell_cancelled, "CancelledNotification", true, true, false},
    };
    lg_mcp_client client = {{LG_STR("c"), LG_STR("C"), LG_STR("1")}, d->revision};
    bool is_stateless = lg_mcp_is_stateless(d->revision);
    lg_buf out;
    lg_buf_init(&out, 0);
    for (size_t i = 0; i < LG_COUNT(all); i++) {
        if (is_stateless ? all[i].of_stateless : all[i].of_sessions) {
            lg_buf_clear(&out);
            all[i].ask(&out, &client);
            const lg_json *message = parse(&d->arena, lg_buf_str(&out));
            CHECK(fits(d, message, all[i].name));
            CHECK(fits(d, message, all[i].is_request ? "JSONRPCRequest" : "JSONRPCNotification"));
        }
    }
    lg_mcp_message ping = lg_mcp_message_read(
        parse(&d->arena, LG_STR("{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}")));
    lg_mcp_message roots = lg_mcp_message_read(
        parse(&d->arena, LG_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}")));
    if (!is_stateless) { // whose servers ask nothing
        lg_buf_clear(&out);
        lg_mcp_answer_server(&out, &ping);
        CHECK(fits(d, parse(&d->arena, lg_buf_str(&out)), "JSONRPCMessage"));
        lg_buf_clear(&out);
        lg_mcp_answer_server(&out, &roots);
        CHECK(fits(d, parse(&d->arena, lg_buf_str(&out)), "JSONRPCMessage"));
    }
    lg_buf_done(&out);
}

// --- what a server answers ---

// The answer to a body, and what is in it, against the names that the schema has for them.
static const lg_json *answer_of(desk *d, const char *method, const char *params, lg_mcp_turn *turn,
                                const lg_mcp_result *result)
{
    lg_buf body, out;
    lg_buf_init(&body, 0);
    lg_buf_init(&out, 0);
    bool is_stateless = lg_mcp_is_stateless(d->revision);
    lg_buf_addf(&body, "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"%s\",\"params\":{%s", method,
                params);
    if (is_stateless) {
        lg_buf_addf(&body,
                    "%s\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                    "\"io.modelcontextprotocol/clientCapabilities\":{}}",
                    params[0] ? "," : "");
    }
    lg_buf_add_c(&body, "}}");
    lg_mcp_request request = {.method = LG_STR("POST"),
                              .content_type = LG_STR("application/json"),
                              .version = lg_str_c(lg_mcp_revision_name(d->revision)),
                              .mcp_method = lg_str_c(method),
                              .mcp_name = LG_STR("look"),
                              .body = lg_arena_str(&d->arena, lg_buf_str(&body))};
    CHECK(lg_mcp_take(&d->host, &request, &d->arena, turn, NULL) == LG_OK);
    if (turn->items[0].is_call) {
        CHECK(lg_mcp_answer(turn, 0, result, NULL) == LG_OK);
    }
    CHECK(lg_mcp_reply(turn, &out) != 202);
    const lg_json *message = parse(&d->arena, lg_buf_str(&out));
    lg_buf_done(&body);
    lg_buf_done(&out);
    return message;
}

static void is_answered(desk *d, const char *method, const char *params, const char *name,
                        const lg_mcp_result *result)
{
    lg_mcp_turn turn;
    const lg_json *message = answer_of(d, method, params, &turn, result);
    bool is_old = d->revision < LG_MCP_2025_11_25;
    CHECK(fits(d, message, is_old ? "JSONRPCResponse" : "JSONRPCResultResponse"));
    CHECK(fits(d, lg_json_get(message, LG_STR("result")), name));
}

static void is_refused(desk *d, const char *method, const char *params, const char *name)
{
    lg_mcp_turn turn;
    const lg_json *message = answer_of(d, method, params, &turn, NULL);
    CHECK(fits(d, message,
               d->revision < LG_MCP_2025_11_25 ? "JSONRPCError" : "JSONRPCErrorResponse"));
    if (name && lg_mcp_is_stateless(d->revision)) {
        CHECK(fits(d, lg_json_get(message, LG_STR("error")), name));
    }
}

static void what_a_server_answers(desk *d)
{
    const lg_json *value = parse(&d->arena, LG_STR("{\"n\":[1,null,\"\xC3\xA4\"]}"));
    lg_mcp_result results[] = {
        {.text = LG_STR("plain")},
        {.text = LG_STR("{}"), .value = value},
        {.text = LG_STR("no"), .value = value, .is_error = true},
        {.content = parse(&d->arena, LG_STR("[{\"type\":\"text\",\"text\":\"a\"}]")),
         .meta = value},
    };
    for (size_t i = 0; i < LG_COUNT(results); i++) {
        is_answered(d, "tools/call", "\"name\":\"look\"", "CallToolResult", &results[i]);
    }
    is_answered(d, "tools/list", "", "ListToolsResult", NULL);
    if (lg_mcp_is_stateless(d->revision)) {
        is_answered(d, "server/discover", "", "DiscoverResult", NULL);
    } else {
        is_answered(d, "ping", "", "EmptyResult", NULL);
        is_answered(d, "initialize", "\"protocolVersion\":\"2024-11-05\"", "InitializeResult",
                    NULL);
    }
    is_refused(d, "tools/call", "\"name\":\"look\",\"arguments\":[]", "InvalidParamsError");
    is_refused(d, "tools/list", "\"cursor\":\"none\"", "InvalidParamsError");
    is_refused(d, "resources/list", "", "MethodNotFoundError");
}

// What has no id, or is refused for its headers.
static void refusals(desk *d)
{
    static const struct {
        const char *body, *version, *name;
        bool of_stateless;
    } cases[] = {
        {"{", NULL, NULL, false},
        {"[]", NULL, NULL, false},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
         "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}",
         "2025-06-18", "HeaderMismatchError", true},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
         "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}",
         NULL, NULL, true},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", "2031-01-01",
         "UnsupportedProtocolVersionError", true},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_mcp_turn turn;
        lg_buf out;
        lg_str version = lg_str_c(lg_mcp_revision_name(d->revision));
        lg_mcp_request request = {.method = LG_STR("POST"),
                                  .content_type = LG_STR("application/json"),
                                  .version =
                                      cases[i].version ? lg_str_c(cases[i].version) : version,
                                  .body = lg_str_c(cases[i].body)};
        if (cases[i].of_stateless && !lg_mcp_is_stateless(d->revision)) {
            continue;
        }
        lg_buf_init(&out, 0);
        CHECK(lg_mcp_take(&d->host, &request, &d->arena, &turn, NULL) == LG_OK);
        CHECK(lg_mcp_reply(&turn, &out) == 400);
        const lg_json *message = parse(&d->arena, lg_buf_str(&out));
        if (lg_json_is(lg_json_get(message, LG_STR("id")), LG_JSON_NULL)) {
            d->without_id++; // as JSON-RPC has it; the schemas of these revisions have no word for it
            CHECK(d->revision < LG_MCP_2025_11_25);
        } else {
            CHECK(fits(d, message,
                       cases[i].name                     ? cases[i].name
                       : d->revision < LG_MCP_2025_11_25 ? "JSONRPCError"
                                                         : "JSONRPCErrorResponse"));
        }
        lg_buf_done(&out);
    }
}

// --- real tools ---

static void list_real_tools(void *context, const char *path, lg_str text)
{
    desk *d = context;
    lg_mcp_turn turn;
    lg_mcp_host host = d->host;
    lg_mcp_tools tools = {0};
    lg_str cursor;
    CHECK_MSG(lg_mcp_read_tools(parse(&d->arena, text), &d->arena, &tools, &cursor, NULL) == LG_OK,
              path);
    d->host.tools = tools.items;
    d->host.tool_count = tools.count;
    const lg_json *message = answer_of(d, "tools/list", "", &turn, NULL);
    const lg_json *result = lg_json_get(message, LG_STR("result"));
    CHECK_MSG(fits(d, result, "ListToolsResult"), path);
    CHECK_MSG(lg_json_len(lg_json_get(result, LG_STR("tools"))) == tools.count, path);
    d->host = host;
}

static void each_revision(const char *dir)
{
    for (unsigned r = 0; r < LG_MCP_REVISIONS; r++) {
        char path[4096];
        desk d = {.revision = (lg_mcp_revision)r};
        lg_mcp_tool look = {
            .name = LG_STR("look"), .title = LG_STR("Look"), .description = LG_STR("l")};
        lg_arena_init(&d.arena, 0);
        look.output = parse(&d.arena, LG_STR("{\"type\":\"object\"}"));
        look.annotations = parse(&d.arena, LG_STR("{\"readOnlyHint\":true}"));
        lg_mcp_tool tools[] = {look, look, look};
        d.host = (lg_mcp_host){.party = {LG_STR("s"), LG_STR("S"), LG_STR("1")},
                               .instructions = LG_STR("be careful"),
                               .tools = tools,
                               .tool_count = 3,
                               .page_tools = 2};
        snprintf(path, sizeof(path), "%s/data/mcp/spec/%s/schema.json", dir,
                 lg_mcp_revision_name(d.revision));
        d.document = parse(&d.arena, read_file(&d.arena, path));
        d.definitions = lg_json_get(d.document, LG_STR("$defs")) ? "$defs" : "definitions";
        CHECK_MSG(d.document != NULL, path);
        what_a_client_says(&d);
        what_a_server_answers(&d);
        refusals(&d);
        d.host.page_tools = 0;
        snprintf(path, sizeof(path), "%s/data/mcp/tools-list", dir);
        CHECK(lg_data_each(path, ".json", 0, list_real_tools, &d) == 65);
        printf("%s: %zu messages and results validated, %zu without an id\n",
               lg_mcp_revision_name(d.revision), d.validated, d.without_id);
        lg_arena_done(&d.arena);
    }
}

// --- the specification's examples ---

static bool names(const char *path, const char *folder)
{
    return strstr(path, folder) != NULL;
}

static void read_example(void *context, const char *path, lg_str text)
{
    size_t *read = context;
    lg_arena arena;
    lg_mcp_returned returned;
    lg_mcp_revision revision;
    lg_mcp_tools tools = {0};
    lg_str cursor;
    lg_arena_init(&arena, 0);
    const lg_json *value = parse(&arena, text);
    bool is_message = lg_json_get(value, LG_STR("jsonrpc")) != NULL;
    lg_mcp_message message = lg_mcp_message_read(value);
    CHECK_MSG(!is_message || message.kind != LG_MCP_BROKEN, path);
    *read += is_message;
    if (names(path, "/CallToolResultResponse/")) {
        CHECK_MSG(lg_mcp_read_returned(&message, &arena, NULL, &returned, NULL) == LG_OK, path);
    } else if (names(path, "/DiscoverResultResponse/")) {
        CHECK(lg_mcp_read_discover(message.result, &revision, NULL) == LG_OK);
        CHECK(revision == LG_MCP_2026_07_28);
    } else if (names(path, "/ListToolsResultResponse/")) {
        CHECK(lg_mcp_read_tools(message.result, &arena, &tools, &cursor, NULL) == LG_OK);
        CHECK(tools.count == 1 && cursor.len > 0);
    } else if (names(path, "/CallToolRequest/") || names(path, "/DiscoverRequest/")) {
        CHECK_STR(lg_mcp_meta_revision(message.params), "2026-07-28");
    }
    lg_arena_done(&arena);
}

int main(void)
{
    const char *dir = lg_test_data_dir();
    char path[4096];
    size_t read = 0;
    if (!dir) {
        printf("skipped: mcp_messages (no data: set LEDGERGATE_DATA)\n");
        return 77;
    }
    lg_test_name = "each_revision";
    each_revision(dir);
    lg_test_name = "examples";
    snprintf(path, sizeof(path), "%s/data/mcp/spec/2026-07-28/examples", dir);
    CHECK(lg_data_each(path, ".json", 0, read_example, &read) > 100);
    CHECK(read > 20);
    return lg_test_done();
}
