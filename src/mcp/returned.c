// returned.c: what a client reads of a server's answers.
#include "mcp/client.h"

#define CALL_TEXT_BYTES ((size_t)64 << 20) // of all blocks of one result

bool lg_mcp_answers(const lg_mcp_message *message, int64_t id)
{
    int64_t got;
    return (message->kind == LG_MCP_RESULT || message->kind == LG_MCP_ERROR) && message->id &&
           lg_json_is(message->id, LG_JSON_INT) && lg_json_int(message->id, &got) && got == id;
}

// --- the beginning ---

static lg_status none_in_common(lg_str spoken, lg_error *reterr)
{
    lg_str shown = lg_str_cut(spoken, 60);
    return lg_fail(reterr, LG_ERR_FORMAT, "the MCP server speaks revision %.*s, which is not known",
                   LG_FMT(shown));
}

lg_status lg_mcp_read_discover(const lg_json *result, lg_mcp_revision *ret, lg_error *reterr)
{
    const lg_json *list = lg_json_get(result, LG_STR("supportedVersions"));
    bool found = false;
    if (!lg_json_is(list, LG_JSON_ARRAY)) {
        return lg_fail(reterr, LG_ERR_FORMAT,
                       "the MCP server's answer to server/discover has no list supportedVersions");
    }
    for (size_t i = 0; i < lg_json_len(list); i++) {
        lg_mcp_revision revision;
        if (lg_mcp_revision_named(lg_json_str(lg_json_item(list, i)), &revision) &&
            (!found || revision > *ret)) {
            *ret = revision;
            found = true;
        }
    }
    return found ? LG_OK : none_in_common(lg_json_str(lg_json_item(list, 0)), reterr);
}

lg_status lg_mcp_read_initialize(const lg_json *result, lg_mcp_revision *ret, lg_error *reterr)
{
    const lg_json *spoken = lg_json_get(result, LG_STR("protocolVersion"));
    lg_mcp_revision revision;
    if (!lg_json_is(spoken, LG_JSON_STRING)) {
        return lg_fail(reterr, LG_ERR_FORMAT,
                       "the MCP server's answer to initialize has no protocolVersion");
    }
    if (!lg_mcp_revision_named(lg_json_str(spoken), &revision) || lg_mcp_is_stateless(revision)) {
        return none_in_common(lg_json_str(spoken), reterr);
    }
    *ret = revision;
    return LG_OK;
}

// --- tools ---

static const lg_json *object_of(const lg_json *value, lg_str key)
{
    const lg_json *member = lg_json_get(value, key);
    return lg_json_is(member, LG_JSON_OBJECT) ? member : NULL;
}

static lg_status add_tool(const lg_json *value, lg_arena *arena, lg_mcp_tools *tools,
                          lg_error *reterr)
{
    lg_mcp_tool tool = {.name = lg_json_str(lg_json_get(value, LG_STR("name"))),
                        .title = lg_json_str(lg_json_get(value, LG_STR("title"))),
                        .description = lg_json_str(lg_json_get(value, LG_STR("description"))),
                        .input = object_of(value, LG_STR("inputSchema")),
                        .output = object_of(value, LG_STR("outputSchema")),
                        .annotations = object_of(value, LG_STR("annotations"))};
    if (tool.name.len == 0) {
        return LG_OK;
    }
    if (tools->count >= LG_MCP_TOOLS_MAX) {
        return lg_fail(reterr, LG_ERR_LIMIT, "the MCP server lists more than %u tools",
                       LG_MCP_TOOLS_MAX);
    }
    lg_mcp_tool *items =
        lg_arena_grow(arena, tools->items, tools->count, &tools->capacity, sizeof(*tools->items));
    if (!items) {
        return lg_fail_oom(reterr);
    }
    tools->items = items;
    tools->items[tools->count++] = tool;
    return LG_OK;
}

lg_status lg_mcp_read_tools(const lg_json *result, lg_arena *arena, lg_mcp_tools *tools,
                            lg_str *ret_cursor, lg_error *reterr)
{
    const lg_json *list = lg_json_get(result, LG_STR("tools"));
    lg_status status = LG_OK;
    if (!lg_json_is(list, LG_JSON_ARRAY)) {
        return lg_fail(reterr, LG_ERR_FORMAT,
                       "the MCP server's answer to tools/list has no list of tools");
    }
    for (size_t i = 0; i < lg_json_len(list) && status == LG_OK; i++) {
        status = add_tool(lg_json_item(list, i), arena, tools, reterr);
    }
    *ret_cursor = lg_json_str(lg_json_get(result, LG_STR("nextCursor")));
    return status;
}

// --- results of tools ---

static void add_block(lg_buf *out, const lg_json *block)
{
    lg_str type = lg_json_str(lg_json_get(block, LG_STR("type")));
    const lg_json *resource = lg_json_get(block, LG_STR("resource"));
    const lg_json *text = lg_json_get(block, LG_STR("text"));
    text = text ? text : lg_json_get(resource, LG_STR("text"));
    if (lg_json_is(text, LG_JSON_STRING)) {
        lg_buf_add(out, lg_json_str(text));
        return;
    }
    lg_str kind = lg_json_str(lg_json_get(block, LG_STR("mimeType")));
    kind = kind.len ? kind : lg_json_str(lg_json_get(resource, LG_STR("mimeType")));
    lg_str uri = lg_json_str(lg_json_get(block, LG_STR("uri")));
    uri = uri.len ? uri : lg_json_str(lg_json_get(resource, LG_STR("uri")));
    lg_buf_addf(out, "[%.*s%s%.*s%s%.*s]", LG_FMT(type), kind.len ? " " : "", LG_FMT(kind),
                uri.len ? " " : "", LG_FMT(uri));
}

static lg_status join_blocks(const lg_json *content, lg_arena *arena, lg_str *ret, lg_error *reterr)
{
    lg_buf out;
    lg_buf_init(&out, CALL_TEXT_BYTES);
    for (size_t i = 0; i < lg_json_len(content); i++) {
        lg_buf_add_c(&out, i ? "\n" : "");
        add_block(&out, lg_json_item(content, i));
    }
    lg_status status = lg_buf_status(&out);
    *ret = status == LG_OK ? lg_arena_str(arena, lg_buf_str(&out)) : LG_STR("");
    lg_buf_done(&out);
    if (status == LG_ERR_LIMIT) {
        return lg_fail(reterr, status, "the tool's result has more than %zu bytes of text",
                       CALL_TEXT_BYTES);
    }
    return status == LG_OK && ret->ptr ? LG_OK : lg_fail_oom(reterr);
}

// A text that is an object or a list is one. A bare number or word stays the text that it is.
static lg_status read_value(lg_str text, lg_arena *arena, const lg_limits *limits,
                            const lg_json **ret, lg_error *reterr)
{
    lg_str trimmed = lg_str_trim(text);
    bool is_tree = trimmed.len && (trimmed.ptr[0] == '{' || trimmed.ptr[0] == '[');
    if (is_tree && lg_json_parse_in(arena, text, 0, text.len, limits, ret, NULL) == LG_OK) {
        return LG_OK;
    }
    lg_json *value = LG_NEW(arena, lg_json);
    if (!value) {
        return lg_fail_oom(reterr);
    }
    *value = lg_json_make_str(text);
    *ret = value;
    return LG_OK;
}

static lg_status read_result(const lg_json *result, lg_arena *arena, const lg_limits *limits,
                             lg_mcp_returned *ret, lg_error *reterr)
{
    ret->content = lg_json_get(result, LG_STR("content"));
    ret->structured = lg_json_get(result, LG_STR("structuredContent"));
    ret->is_error = lg_json_is_true(lg_json_get(result, LG_STR("isError")));
    if (!lg_json_is(ret->content, LG_JSON_ARRAY) && !ret->structured) {
        return lg_fail(reterr, LG_ERR_FORMAT, "the MCP server's answer has no `content`");
    }
    bool is_list = lg_json_is(ret->content, LG_JSON_ARRAY);
    ret->content = is_list ? ret->content : NULL;
    lg_status status = join_blocks(ret->content, arena, &ret->text, reterr);
    ret->value = ret->structured;
    return status == LG_OK && !ret->value
               ? read_value(ret->text, arena, limits, &ret->value, reterr)
               : status;
}

lg_status lg_mcp_read_returned(const lg_mcp_message *answer, lg_arena *arena,
                               const lg_limits *limits, lg_mcp_returned *ret, lg_error *reterr)
{
    *ret = (lg_mcp_returned){.is_error = true, .text = LG_STR("")};
    if (answer->kind == LG_MCP_ERROR) {
        ret->text =
            lg_arena_printf(arena, "%lld: %.*s", (long long)answer->code, LG_FMT(answer->words));
        return ret->text.ptr ? read_value(ret->text, arena, limits, &ret->value, reterr)
                             : lg_fail_oom(reterr);
    }
    if (answer->kind != LG_MCP_RESULT) {
        return lg_fail(reterr, LG_ERR_FORMAT, "this is no answer to a call of a tool");
    }
    lg_str type = lg_json_str(lg_json_get(answer->result, LG_STR("resultType")));
    if (lg_str_eq(type, LG_STR("input_required"))) {
        ret->needs_input = true;
        ret->text = LG_STR("the tool asks for input before it goes on");
        return read_value(ret->text, arena, limits, &ret->value, reterr);
    }
    return read_result(answer->result, arena, limits, ret, reterr);
}
