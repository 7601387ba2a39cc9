// The server's side: envelopes, revisions, sessions, batches, methods, calls.
#include "lg_test.h"

#include "base/alloc.h"
#include "mcp/server.h"

#define MODERN                                                                                     \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

typedef struct desk {
    lg_arena arena;
    lg_buf body;
    lg_mcp_tool tools[3];
    lg_mcp_host host;
    lg_mcp_request request;
    lg_mcp_turn turn;
} desk;

static const lg_json *json(desk *d, const char *text)
{
    const lg_json *value = NULL;
    lg_str s = lg_str_c(text);
    CHECK(lg_json_parse_in(&d->arena, s, 0, s.len, NULL, &value, NULL) == LG_OK);
    return value;
}

static void open_desk(desk *d)
{
    *d = (desk){0};
    lg_arena_init(&d->arena, 0);
    lg_buf_init(&d->body, 0);
    d->tools[0] = (lg_mcp_tool){.name = LG_STR("look"),
                                .title = LG_STR("Look"),
                                .description = LG_STR("looks"),
                                .input = json(d, "{\"type\":\"object\",\"properties\":{}}"),
                                .output = json(d, "{\"type\":\"object\"}"),
                                .annotations = json(d, "{\"readOnlyHint\":true}")};
    d->tools[1] =
        (lg_mcp_tool){.name = LG_STR("count"), .output = json(d, "{\"type\":\"integer\"}")};
    d->tools[2] = (lg_mcp_tool){.name = LG_STR("gr\xC3\xB6\xC3\x9F"),
                                .input = json(d, "{\"required\":[\"x\"]}")};
    d->host = (lg_mcp_host){
        .party = {LG_STR("shop"), LG_STR(""), LG_STR("1")}, .tools = d->tools, .tool_count = 3};
    d->request = (lg_mcp_request){.method = LG_STR("POST"),
                                  .content_type = LG_STR("application/json; charset=utf-8"),
                                  .accept = LG_STR("application/json, text/event-stream")};
}

static void close_desk(desk *d)
{
    lg_buf_done(&d->body);
    lg_arena_done(&d->arena);
}

static unsigned take(desk *d, const char *body)
{
    lg_mcp_result result = {.text = LG_STR("{\"n\":1}"), .value = json(d, "{\"n\":1}")};
    d->request.body = lg_str_c(body);
    CHECK(lg_mcp_take(&d->host, &d->request, &d->arena, &d->turn, NULL) == LG_OK);
    for (size_t i = 0; i < d->turn.item_count; i++) {
        if (d->turn.items[i].is_call) {
            CHECK(lg_mcp_answer(&d->turn, i, &result, NULL) == LG_OK);
        }
    }
    lg_buf_clear(&d->body);
    return lg_mcp_reply(&d->turn, &d->body);
}

static bool says(const desk *d, const char *what)
{
    bool found = lg_str_find(lg_buf_str(&d->body), lg_str_c(what)) != SIZE_MAX;
    if (!found) {
        printf("    wanted %s in %.*s\n", what, LG_FMT(lg_buf_str(&d->body)));
    }
    return found;
}

static bool lacks(const desk *d, const char *what)
{
    return lg_str_find(lg_buf_str(&d->body), lg_str_c(what)) == SIZE_MAX;
}

static void a_version_is_agreed_on(void)
{
    static const char *const cases[][2] = {
        {"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"}, {"2025-06-18", "2025-06-18"},
        {"2025-11-25", "2025-11-25"}, {"2026-07-28", "2025-11-25"}, {"1999-01-01", "2025-11-25"},
    };
    desk d;
    open_desk(&d);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        char body[200], wanted[60];
        snprintf(body, sizeof(body),
                 "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"initialize\",\"params\":"
                 "{\"protocolVersion\":\"%s\"}}",
                 cases[i][0]);
        snprintf(wanted, sizeof(wanted), "\"protocolVersion\":\"%s\"", cases[i][1]);
        CHECK(take(&d, body) == 200 && d.turn.opens);
        CHECK(says(&d, wanted) && says(&d, "\"id\":\"a\""));
    }
    CHECK(take(&d, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}") ==
          200);
    CHECK(says(&d, "-32602") && !d.turn.opens);
    CHECK(take(&d, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}") == 202);
    CHECK(d.body.len == 0);
    close_desk(&d);
}

static void what_is_no_message_is_refused(void)
{
    static const struct {
        const char *body;
        unsigned status;
        const char *says;
    } cases[] = {
        {"", 400, "-32700"},
        {"{", 400, "\"id\":null,\"error\":{\"code\":-32700"},
        {"\xFF", 400, "-32700"},
        {"{\"a\":1,\"a\":2}", 400, "-32700"},
        {"1", 400, "-32600"},
        {"{}", 400, "-32600"},
        {"[]", 400, "-32600"},
        {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", 400, "\"id\":1,\"error\""},
        {"{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", 400, "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", 400, "\"id\":null"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", 400, "\"id\":null"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"ping\"}", 400, "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", 400, "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}", 400, "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", 400, "\"id\":1"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}", 400, "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", 400, "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"result\":{}}", 400, "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1}", 400, "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"result\":{}}", 400, "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", 202, ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"\"}}", 202, ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"\"}}", 202, ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}", 200, "-32601"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}", 200, "-32601"},
        {"{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,\"method\":\"ping\"}", 200,
         "\"id\":123456789012345678901234567890,\"result\":{}"},
        {"{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"method\":\"ping\"}", 200, "\"id\":\"7\""},
    };
    desk d;
    open_desk(&d);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        unsigned status = take(&d, cases[i].body);
        CHECK_MSG(status == cases[i].status && says(&d, cases[i].says), cases[i].body);
    }
    close_desk(&d);
}

static void envelopes(void)
{
    static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    desk d;
    open_desk(&d);
    d.request.accept = (lg_str){NULL, 0};
    CHECK(take(&d, ping) == 200);
    d.request.accept = LG_STR("text/html, */*;q=0.1");
    CHECK(take(&d, ping) == 200);
    d.request.accept = LG_STR("text/event-stream");
    CHECK(take(&d, ping) == 406);
    d.request.accept = (lg_str){NULL, 0};
    d.request.content_type = LG_STR("text/plain");
    CHECK(take(&d, ping) == 415);
    d.request.content_type = (lg_str){NULL, 0};
    CHECK(take(&d, ping) == 415);
    d.request.method = LG_STR("GET");
    CHECK(take(&d, "") == 405);
    CHECK_STR(lg_str_c(lg_mcp_allow(&d.host)), "POST");
    d.request.method = LG_STR("DELETE");
    CHECK(take(&d, "") == 405 && !d.turn.ends);
    close_desk(&d);
}

static void sessions(void)
{
    static const char list[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    static const char begin[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
        "{\"protocolVersion\":\"2025-06-18\"}}";
    desk d;
    open_desk(&d);
    d.host.has_sessions = true;
    CHECK(take(&d, list) == 400);
    CHECK(take(&d, begin) == 200 && d.turn.opens && d.turn.revision == LG_MCP_2025_06_18);
    d.request.session = LG_STR("gone");
    CHECK(take(&d, list) == 404);
    d.request.session_known = true;
    d.request.session_revision = LG_MCP_2025_06_18;
    CHECK(take(&d, list) == 200 && says(&d, "outputSchema"));
    d.request.version = LG_STR("2024-11-05");
    CHECK(take(&d, list) == 400);
    d.request.version = LG_STR("1999-01-01");
    CHECK(take(&d, list) == 400 && says(&d, "-32022") && says(&d, "\"requested\":\"1999-01-01\""));
    d.request.version = LG_STR("2025-06-18");
    CHECK(take(&d, list) == 200);
    d.request.method = LG_STR("DELETE");
    CHECK(take(&d, "") == 204 && d.turn.ends && d.body.len == 0);
    d.request.session_known = false;
    CHECK(take(&d, "") == 404 && !d.turn.ends);
    close_desk(&d);
}

static void batches(void)
{
    static const char two[] = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
                              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                              "\"params\":{\"requestId\":\"x\"}},"
                              "{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"tools/call\","
                              "\"params\":{\"name\":\"look\"}},7,"
                              "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"initialize\"}]";
    desk d;
    lg_buf many;
    open_desk(&d);
    CHECK(take(&d, two) == 200 && d.turn.cancelled_count == 1 && !d.turn.opens);
    CHECK_STR(lg_json_str(d.turn.cancelled[0]), "x");
    const lg_json *replies = json(&d, lg_arena_str(&d.arena, lg_buf_str(&d.body)).ptr);
    CHECK(lg_json_len(replies) == 4);
    CHECK(says(&d,
               "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":\"b\""));
    CHECK(take(&d, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]") == 202 && !d.body.len);
    static const char *const others[] = {"2024-11-05", "2025-06-18", "2025-11-25"};
    for (size_t i = 0; i < LG_COUNT(others); i++) {
        d.request.version = lg_str_c(others[i]);
        CHECK(take(&d, two) == 400 && says(&d, "-32600") && d.turn.cancelled_count == 0);
    }
    d.request.version = (lg_str){NULL, 0};
    lg_buf_init(&many, 0);
    for (size_t i = 0; i <= LG_MCP_BATCH_MAX; i++) {
        lg_buf_addf(&many, "%s{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"tools/list\"}",
                    i ? "," : "[", i);
    }
    lg_buf_add(&many, (lg_str){"]\0", 2});
    CHECK(take(&d, many.ptr) == 400);
    many.ptr[lg_str_find(lg_buf_str(&many), LG_STR(",{\"jsonrpc\":\"2.0\",\"id\":10,"))] = ']';
    many.ptr[lg_str_find(lg_buf_str(&many), LG_STR("]{")) + 1] = '\0';
    CHECK(take(&d, many.ptr) == 200);
    size_t lists = 0;
    for (size_t i = 0; i < d.turn.item_count; i++) {
        lists += lg_str_find(d.turn.items[i].reply, LG_STR("\"tools\":")) != SIZE_MAX;
    }
    CHECK(d.turn.item_count == 10 && lists == LG_MCP_BATCH_LISTS_MAX);
    lg_buf_done(&many);
    close_desk(&d);
}

static void tools_are_listed_as_each_revision_has_them(void)
{
    static const char list[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    desk d;
    open_desk(&d);
    d.request.version = LG_STR("2024-11-05");
    CHECK(take(&d, list) == 200);
    CHECK(lacks(&d, "outputSchema") && lacks(&d, "title") && lacks(&d, "annotations"));
    CHECK(says(&d, "\"name\":\"count\",\"inputSchema\":{\"type\":\"object\"}"));
    CHECK(says(&d, "{\"type\":\"object\",\"required\":[\"x\"]}"));
    d.request.version = LG_STR("2025-03-26");
    CHECK(take(&d, list) == 200 && says(&d, "readOnlyHint") && lacks(&d, "outputSchema"));
    d.request.version = LG_STR("2025-11-25");
    CHECK(take(&d, list) == 200 && says(&d, "\"outputSchema\":{\"type\":\"object\"}") &&
          says(&d, "\"title\":\"Look\"") && lacks(&d, "integer"));
    d.host.page_tools = 2;
    CHECK(take(&d, list) == 200 && says(&d, "\"nextCursor\":\"t2\""));
    CHECK(take(&d, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":"
                   "{\"cursor\":\"t2\"}}") == 200);
    CHECK(lacks(&d, "nextCursor") && lacks(&d, "look"));
    static const char *const wrong[] = {"\"\"",   "\"t\"", "\"t0\"", "\"t3\"", "\"t99999999999\"",
                                        "\"tx\"", "2",     "null"};
    for (size_t i = 0; i < LG_COUNT(wrong); i++) {
        char body[200];
        snprintf(
            body, sizeof(body),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":%s}}",
            wrong[i]);
        CHECK_MSG(take(&d, body) == 200 && says(&d, "-32602"), wrong[i]);
    }
    close_desk(&d);
}

static void calls_are_answered(void)
{
    desk d;
    open_desk(&d);
    d.request.version = LG_STR("2025-06-18");
    d.request.body =
        LG_STR("{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"method\":\"tools/call\",\"params\":"
               "{\"name\":\"look\",\"arguments\":{\"at\":1},\"_meta\":{\"p\":1}}}");
    for (int round = 0; round < 4; round++) {
        lg_mcp_result result = {.text = LG_STR("text"), .value = json(&d, "{\"n\":1}")};
        CHECK(lg_mcp_take(&d.host, &d.request, &d.arena, &d.turn, NULL) == LG_OK);
        CHECK(d.turn.item_count == 1 && d.turn.items[0].is_call && !d.turn.items[0].is_answered);
        CHECK_STR(d.turn.items[0].name, "look");
        CHECK(d.turn.items[0].tool == &d.tools[0] && lg_json_len(d.turn.items[0].args) == 1);
        CHECK(lg_json_get(d.turn.items[0].meta, LG_STR("p")) != NULL);
        result.is_error = round == 1;
        result.value = round == 2 ? json(&d, "[1]") : result.value;
        if (round == 3) {
            CHECK(lg_mcp_answer_error(&d.turn, 0, LG_MCP_INTERNAL_ERROR, LG_STR("lost"), NULL) ==
                  LG_OK);
        } else {
            CHECK(lg_mcp_answer(&d.turn, 0, &result, NULL) == LG_OK);
        }
        lg_buf_clear(&d.body);
        CHECK(lg_mcp_reply(&d.turn, &d.body) == 200);
        CHECK((lg_str_find(lg_buf_str(&d.body), LG_STR("structuredContent")) != SIZE_MAX) ==
              (round == 0));
        CHECK(says(&d, round == 3   ? "\"error\":{\"code\":-32603,\"message\":\"lost\"}"
                       : round == 1 ? "\"isError\":true"
                                    : "\"isError\":false"));
    }
    static const char *const wrong[] = {"{\"name\":\"nothing\"}", "{\"name\":7}", "{}",
                                        "{\"name\":\"look\",\"arguments\":[]}"};
    for (size_t i = 0; i < LG_COUNT(wrong); i++) {
        char body[200];
        snprintf(body, sizeof(body),
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":%s}",
                 wrong[i]);
        CHECK_MSG(take(&d, body) == 200 && says(&d, "\"code\":-32602"), wrong[i]);
    }
    close_desk(&d);
}

// 2026-07-28: every request says all for itself, and twice.
static void stateless_requests(void)
{
    static const char call[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
                               "{\"name\":\"gr\xC3\xB6\xC3\x9F\"," MODERN "}}";
    desk d;
    open_desk(&d);
    d.host.has_sessions = true;
    CHECK(take(&d, call) == 400 && says(&d, "-32020"));
    d.request.version = LG_STR("2026-07-28");
    CHECK(take(&d, call) == 400 && says(&d, "-32020"));
    d.request.mcp_method = LG_STR("tools/call");
    CHECK(take(&d, call) == 400 && says(&d, "-32020") && says(&d, "Mcp-Name"));
    d.request.mcp_name = LG_STR("look");
    CHECK(take(&d, call) == 400 && says(&d, "-32020"));
    d.request.mcp_name = LG_STR("=?base64?!!!!?=");
    CHECK(take(&d, call) == 400 && says(&d, "-32020"));
    d.request.mcp_name = lg_mcp_header_value(&d.arena, d.tools[2].name);
    CHECK_STR(d.request.mcp_name, "=?base64?Z3LDtsOf?=");
    CHECK(take(&d, call) == 200 && says(&d, "\"resultType\":\"complete\""));
    d.request.version = LG_STR("2025-11-25");
    CHECK(take(&d, call) == 400 && says(&d, "-32020"));
    d.request.version = LG_STR("2026-07-28");
    CHECK(take(&d, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"_meta\":"
                   "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}") == 400);
    CHECK(says(&d, "-32602"));
    d.request.mcp_method = LG_STR("ping");
    CHECK(take(&d, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{" MODERN "}}") ==
          404);
    CHECK(says(&d, "-32601"));
    d.request.mcp_method = LG_STR("server/discover");
    CHECK(take(&d,
               "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{" MODERN
               "}}") == 200);
    CHECK(says(&d, "\"supportedVersions\":[\"2026-07-28\",\"2025-11-25\"") && says(&d, "ttlMs"));
    CHECK(take(&d, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]") == 400);
    d.request.version = LG_STR("2031-01-01");
    CHECK(take(&d,
               "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{\"_meta\":"
               "{\"io.modelcontextprotocol/protocolVersion\":\"2031-01-01\"}}}") == 400);
    CHECK(says(&d, "\"code\":-32022") && says(&d, "\"supported\":[\"2026-07-28\""));
    close_desk(&d);
}

static void any_json_is_structured_when_it_may_be(void)
{
    desk d;
    open_desk(&d);
    d.request.is_line = true;
    d.request.body = LG_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
                            "\"name\":\"count\"," MODERN "}}");
    lg_mcp_result result = {.text = LG_STR("3"), .value = json(&d, "3")};
    CHECK(lg_mcp_take(&d.host, &d.request, &d.arena, &d.turn, NULL) == LG_OK);
    CHECK(lg_mcp_answer(&d.turn, 0, &result, NULL) == LG_OK);
    CHECK(lg_mcp_reply(&d.turn, &d.body) == 200 && says(&d, "\"structuredContent\":3"));
    close_desk(&d);
}

static void lines_have_no_headers(void)
{
    desk d;
    open_desk(&d);
    d.host.has_sessions = true;
    d.request = (lg_mcp_request){.is_line = true};
    CHECK(take(&d, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}") == 200);
    CHECK(says(&d, "outputSchema"));
    d.request.session_known = true;
    d.request.session_revision = LG_MCP_2024_11_05;
    CHECK(take(&d, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}") == 200);
    CHECK(lacks(&d, "outputSchema"));
    CHECK(take(&d, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" MODERN
                   "}}") == 200);
    CHECK(says(&d, "cacheScope"));
    close_desk(&d);
}

// Every allocation fails once: the turn says so, or is whole.
static void memory_runs_out(void)
{
    static const char *const bodies[] = {
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"},7,{\"jsonrpc\":\"2.0\",\"id\":2,"
        "\"method\":\"tools/call\",\"params\":{\"name\":\"look\"}}]",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":"
        "{\"io.modelcontextprotocol/protocolVersion\":\"2031-01-01\"}}}",
        "{",
    };
    for (size_t i = 0; i < LG_COUNT(bodies); i++) {
        bool done = false;
        for (uint64_t n = 1; !done && n < 200; n++) {
            desk d;
            open_desk(&d);
            lg_mcp_result result = {.text = LG_STR("t"), .value = json(&d, "{}")};
            lg_arena arena;
            lg_arena_init(&arena, 0);
            d.request.body = lg_str_c(bodies[i]);
            d.request.version = i == 1 ? LG_STR("2031-01-01") : (lg_str){NULL, 0};
            lg_alloc_fail_at(n);
            lg_status status = lg_mcp_take(&d.host, &d.request, &arena, &d.turn, NULL);
            if (status == LG_OK && d.turn.item_count == 3) {
                status = lg_mcp_answer(&d.turn, 2, &result, NULL);
            }
            done = status == LG_OK;
            lg_alloc_fail_at(0);
            CHECK(done || status == LG_ERR_OOM);
            if (done) {
                CHECK(lg_mcp_reply(&d.turn, &d.body) == (i == 0 ? 200 : 400) && d.body.len > 0);
            }
            lg_arena_done(&arena);
            close_desk(&d);
        }
        CHECK(done);
    }
}

int main(void)
{
    RUN(memory_runs_out);
    RUN(a_version_is_agreed_on);
    RUN(what_is_no_message_is_refused);
    RUN(envelopes);
    RUN(sessions);
    RUN(batches);
    RUN(tools_are_listed_as_each_revision_has_them);
    RUN(calls_are_answered);
    RUN(stateless_requests);
    RUN(any_json_is_structured_when_it_may_be);
    RUN(lines_have_no_headers);
    return lg_test_done();
}
