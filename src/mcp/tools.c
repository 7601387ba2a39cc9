// tools.c: tools and what they return, as each revision writes them.
#include "mcp/server_internal.h"

static bool is_object_schema(const lg_json *schema)
{
    return lg_str_eq(lg_json_str(lg_json_get(schema, LG_STR("type"))), LG_STR("object"));
}

// Up to 2025-11-25 a result has a structure only if it is an object.
static bool has_output(const lg_mcp_tool *tool, lg_mcp_revision revision)
{
    return revision >= LG_MCP_2025_06_18 && lg_json_is(tool->output, LG_JSON_OBJECT) &&
           (lg_mcp_is_stateless(revision) || is_object_schema(tool->output));
}

// The root of a tool's schema says that it is an object, also where its author took that for granted.
static void write_input(lg_json_writer *w, const lg_json *input)
{
    lg_jw_key(w, "inputSchema");
    if (is_object_schema(input)) {
        lg_jw_json(w, input);
        return;
    }
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "type", "object");
    for (size_t i = 0; lg_json_is(input, LG_JSON_OBJECT) && i < lg_json_len(input); i++) {
        const lg_json_member *member = lg_json_member_at(input, i);
        if (!lg_str_eq(lg_json_key(member), LG_STR("type"))) {
            lg_jw_key_str(w, lg_json_key(member));
            lg_jw_json(w, &member->value);
        }
    }
    lg_jw_end_object(w);
}

static void write_tool(lg_json_writer *w, const lg_mcp_tool *tool, lg_mcp_revision revision)
{
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "name", tool->name);
    if (revision >= LG_MCP_2025_06_18) {
        lg_jw_member_str_if(w, "title", tool->title);
    }
    lg_jw_member_str_if(w, "description", tool->description);
    write_input(w, tool->input);
    if (has_output(tool, revision)) {
        lg_jw_member_json(w, "outputSchema", tool->output);
    }
    if (revision >= LG_MCP_2025_03_26 && lg_json_is(tool->annotations, LG_JSON_OBJECT)) {
        lg_jw_member_json(w, "annotations", tool->annotations);
    }
    lg_jw_end_object(w);
}

// A cursor is the index that the next page begins with. Nobody but us reads it.
static bool read_cursor(const lg_json *cursor, size_t count, size_t *ret)
{
    lg_str text = lg_json_str(cursor);
    size_t index = 0;
    if (!lg_json_is(cursor, LG_JSON_STRING) || text.len < 2 || text.len > 9 || text.ptr[0] != 't') {
        return false;
    }
    for (size_t i = 1; i < text.len; i++) {
        if (!lg_is_digit(text.ptr[i])) {
            return false;
        }
        index = index * 10 + (size_t)(text.ptr[i] - '0');
    }
    *ret = index;
    return index > 0 && index < count;
}

bool lg_mcp_write_tools(lg_json_writer *w, const lg_mcp_turn *turn, const lg_json *params)
{
    const lg_mcp_host *host = turn->host;
    const lg_json *cursor = lg_json_get(params, LG_STR("cursor"));
    size_t from = 0;
    if (cursor && !read_cursor(cursor, host->tool_count, &from)) {
        return false;
    }
    size_t page = host->page_tools ? host->page_tools : LG_MCP_PAGE_TOOLS;
    size_t left = host->tool_count - from;
    size_t to = from + (left < page ? left : page);
    lg_jw_begin_object(w);
    lg_mcp_write_complete(w, turn, true);
    lg_jw_key(w, "tools");
    lg_jw_begin_array(w);
    for (size_t i = from; i < to; i++) {
        write_tool(w, &host->tools[i], turn->revision);
    }
    lg_jw_end_array(w);
    if (to < host->tool_count) {
        char next[16];
        lg_jw_member_str(w, "nextCursor", lg_mcp_print(next, sizeof(next), "t%zu", to));
    }
    lg_jw_end_object(w);
    return true;
}

void lg_mcp_write_result(lg_json_writer *w, const lg_mcp_turn *turn, const lg_mcp_tool *tool,
                         const lg_mcp_result *result)
{
    bool is_shaped = lg_json_is(result->value, LG_JSON_OBJECT) ||
                     (result->value && lg_mcp_is_stateless(turn->revision));
    lg_jw_begin_object(w);
    lg_mcp_write_complete(w, turn, false);
    lg_jw_key(w, "content");
    if (result->content) {
        lg_jw_json(w, result->content);
    } else {
        lg_jw_begin_array(w);
        lg_jw_begin_object(w);
        lg_jw_member_c(w, "type", "text");
        lg_jw_member_str(w, "text", result->text);
        lg_jw_end_object(w);
        lg_jw_end_array(w);
    }
    if (is_shaped && !result->is_error && has_output(tool, turn->revision)) {
        lg_jw_member_json(w, "structuredContent", result->value);
    }
    lg_jw_member_bool(w, "isError", result->is_error);
    if (lg_json_is(result->meta, LG_JSON_OBJECT)) {
        lg_jw_member_json(w, "_meta", result->meta);
    }
    lg_jw_end_object(w);
}
