// read.c: finds the tools in a text, whatever it is wrapped in.
//
// A list of tools is recognised by its shape and not by a declared format, since none declares one:
// an array, or an object that holds it as `tools`, `functions`, `function` or `result.tools`. Each
// entry is recognised on its own by the key of its schema, so that mixed lists are read too.
#include "catalogue/catalogue_internal.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

// --- Names of things ----------------------------------------------------------------------------

const char *lg_catalogue_format_name(lg_catalogue_format format)
{
    static const char *const names[] = {"mcp", "openai", "anthropic", "bfcl", "openapi"};
    return names[format];
}

const char *lg_argument_place_name(lg_argument_place place)
{
    static const char *const names[] = {"", "path", "query", "header", "cookie", "member", "body"};
    return names[place];
}

static const struct {
    const char *name;
    bool error;
} kinds[] = {
#define X(name, text, error) {text, error},
    LG_CATALOGUE_FINDING_MAP(X)
#undef X
};

const char *lg_catalogue_kind_name(lg_catalogue_kind kind)
{
    return kinds[kind].name;
}

bool lg_catalogue_kind_is_error(lg_catalogue_kind kind)
{
    return kinds[kind].error;
}

// --- Making -------------------------------------------------------------------------------------

lg_json_member *lg_catalogue_members(reader *r, size_t count)
{
    lg_json_member *members = lg_json_alloc_members(r->arena, count ? count : 1);
    r->oom = r->oom || !members;
    return members;
}

lg_json lg_catalogue_object(reader *r, lg_json_member *members, size_t count, uint32_t offset)
{
    (void)r;
    lg_json made = lg_json_make_object(members, count);
    made.offset = offset;
    return made;
}

// --- Findings -----------------------------------------------------------------------------------

// Has this kind of finding been told of this place already? A component that a hundred operations
// share is broken once.
static bool told_before(reader *r, lg_catalogue_kind kind, uint32_t offset)
{
    lg_str key = lg_arena_printf(r->arena, "%d %u", (int)kind, offset);
    if (!key.ptr) {
        r->oom = true;
        return true;
    }
    return lg_text_set_put(r->arena, &r->told, key, 0, &r->oom) != SIZE_MAX;
}

static lg_str pointer_of(reader *r, uint32_t offset)
{
    lg_buf pointer;
    lg_buf_init(&pointer, 0);
    lg_json_pointer_of(&pointer, r->root, offset);
    lg_str kept = lg_arena_str(r->arena, lg_buf_str(&pointer));
    r->oom = r->oom || !kept.ptr || lg_buf_status(&pointer) == LG_ERR_OOM;
    lg_buf_done(&pointer);
    return kept.ptr ? kept : LG_STR("");
}

void lg_catalogue_complain(reader *r, lg_catalogue_kind kind, uint32_t offset, const char *format,
                           ...)
{
    if (r->oom || told_before(r, kind, offset)) {
        return;
    }
    lg_catalogue *c = &r->catalogue;
    c->error_count += lg_catalogue_kind_is_error(kind) ? 1 : 0;
    if (c->finding_count >= LG_CATALOGUE_FINDINGS_MAX) {
        c->findings_dropped++;
        return;
    }
    char msg[512];
    va_list args;
    va_start(args, format);
    lg_str shown = lg_arena_str(r->arena, lg_str_vprint(msg, sizeof(msg), format, args));
    va_end(args);
    lg_catalogue_finding *findings = lg_arena_grow(r->arena, c->findings, c->finding_count,
                                                   &r->finding_capacity, sizeof(*findings));
    if (!findings || !shown.ptr) {
        r->oom = true;
        return;
    }
    c->findings = findings;
    c->findings[c->finding_count++] = (lg_catalogue_finding){.kind = kind,
                                                             .tool = r->tool,
                                                             .offset = offset,
                                                             .pointer = pointer_of(r, offset),
                                                             .msg = shown};
}

// --- Tools --------------------------------------------------------------------------------------

void lg_catalogue_add_tool(reader *r, const lg_catalogue_tool *tool)
{
    lg_catalogue *c = &r->catalogue;
    if (c->tool_count >= LG_CATALOGUE_TOOLS_MAX) {
        r->too_many = true;
        return;
    }
    lg_catalogue_tool *tools =
        lg_arena_grow(r->arena, c->tools, c->tool_count, &r->tool_capacity, sizeof(*tools));
    if (!tools) {
        r->oom = true;
        return;
    }
    c->tools = tools;
    lg_catalogue_tool *kept = &c->tools[c->tool_count++];
    *kept = *tool;
    r->tool = kept->name;
    lg_catalogue_list_arguments(r, kept);
    lg_catalogue_lint(r, kept);
    r->tool = LG_STR("");
}

static const lg_json *object_or_null(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_OBJECT) ? value : NULL;
}

// The schemas of an entry, and by the key of the first one its format.
static void read_schemas(reader *r, const lg_json *entry, lg_catalogue_tool *tool)
{
    const lg_json *mcp = lg_json_get(entry, LG_STR("inputSchema"));
    const lg_json *anthropic = lg_json_get(entry, LG_STR("input_schema"));
    tool->format = mcp         ? LG_CATALOGUE_MCP
                   : anthropic ? LG_CATALOGUE_ANTHROPIC
                               : LG_CATALOGUE_OPENAI;
    tool->parameters = mcp ? mcp : anthropic ? anthropic : lg_json_get(entry, LG_STR("parameters"));
    tool->result = object_or_null(lg_json_get(entry, LG_STR("outputSchema")));
    if (lg_json_is(tool->parameters, LG_JSON_NULL)) {
        tool->parameters = NULL;
    }
    if (tool->format == LG_CATALOGUE_OPENAI && lg_words_are_foreign(tool->parameters)) {
        const lg_json *response = object_or_null(lg_json_get(entry, LG_STR("response")));
        tool->format = LG_CATALOGUE_BFCL;
        tool->parameters = lg_words_normalise(r, tool->parameters);
        tool->result = response ? lg_words_normalise(r, response) : NULL;
    }
}

// OpenAI's and Anthropic's own tools have a type in place of a schema.
static bool is_built_in(const lg_json *entry)
{
    lg_str type = lg_json_str(lg_json_get(entry, LG_STR("type")));
    return type.len && !lg_str_eq(type, LG_STR("function")) && !lg_str_eq(type, LG_STR("custom")) &&
           !lg_json_get(entry, LG_STR("inputSchema")) &&
           !lg_json_get(entry, LG_STR("input_schema")) && !lg_json_get(entry, LG_STR("parameters"));
}

static void read_tool(reader *r, const lg_json *entry)
{
    const lg_json *inner = object_or_null(lg_json_get(entry, LG_STR("function")));
    const lg_json *body = inner ? inner : entry;
    const lg_json *name = lg_json_get(body, LG_STR("name"));
    lg_catalogue_tool tool = {.source = entry,
                              .name = lg_json_str(name),
                              .description = lg_json_str(lg_json_get(body, LG_STR("description"))),
                              .id = lg_json_str(lg_json_get(entry, LG_STR("id"))),
                              .method = LG_STR(""),
                              .path = LG_STR(""),
                              .media = LG_STR("")};
    r->tool = tool.name;
    if (!inner && is_built_in(entry)) {
        lg_catalogue_complain(
            r, LG_FINDING_BUILT_IN, entry->offset,
            "a tool of type `%.*s` is run by its provider; its arguments are not "
            "known here",
            LG_FMT(lg_str_cut(lg_json_str(lg_json_get(entry, LG_STR("type"))), 60)));
        return;
    }
    read_schemas(r, body, &tool);
    lg_catalogue_add_tool(r, &tool);
}

static bool is_tool(const lg_json *value)
{
    static const lg_str keys[] = {{"inputSchema", 11}, {"input_schema", 12}, {"parameters", 10}};
    if (lg_json_is(lg_json_get(value, LG_STR("function")), LG_JSON_OBJECT)) {
        return true;
    }
    for (size_t i = 0; i < LG_COUNT(keys); i++) {
        if (lg_json_get(value, keys[i])) {
            return true;
        }
    }
    return lg_json_is(lg_json_get(value, LG_STR("name")), LG_JSON_STRING) &&
           lg_json_get(value, LG_STR("description"));
}

static void read_list(reader *r, const lg_json *list)
{
    for (size_t i = 0; i < lg_json_len(list) && !r->oom && !r->too_many; i++) {
        const lg_json *entry = &list->as.items[i];
        const lg_json *functions = lg_json_get(entry, LG_STR("function"));
        if (lg_json_is(functions, LG_JSON_ARRAY)) { // a list of BFCL questions
            r->names = (text_set){0};
            for (size_t j = 0; j < lg_json_len(functions) && !r->oom && !r->too_many; j++) {
                read_tool(r, &functions->as.items[j]);
            }
        } else if (lg_json_is(entry, LG_JSON_OBJECT)) {
            read_tool(r, entry);
        } else {
            r->tool = LG_STR("");
            lg_catalogue_complain(r, LG_FINDING_NOT_A_TOOL, entry->offset,
                                  "an entry of a list of tools must be an object");
        }
    }
}

// The list that an object wraps, or NULL.
static const lg_json *wrapped_list(const lg_json *root)
{
    static const lg_str keys[] = {{"tools", 5}, {"functions", 9}, {"function", 8}};
    const lg_json *result = lg_json_get(root, LG_STR("result"));
    root = lg_json_get(result, LG_STR("tools")) ? result : root;
    for (size_t i = 0; i < LG_COUNT(keys); i++) {
        const lg_json *list = lg_json_get(root, keys[i]);
        if (lg_json_is(list, LG_JSON_ARRAY)) {
            return list;
        }
    }
    return NULL;
}

static lg_status not_a_catalogue(const reader *r, const lg_json *root, lg_error *reterr)
{
    lg_position at = lg_text_position(r->text, root->offset);
    return lg_fail_at(reterr, LG_ERR_FORMAT, at,
                      "no list of tools: expected an MCP tools/list result, OpenAI or Anthropic "
                      "functions, BFCL questions, or an OpenAPI document");
}

// Reads what `root` holds. `is_line`: one of many, so a tool alone goes on with the list so far.
static lg_status read_root(reader *r, const lg_json *root, bool is_line, lg_error *reterr)
{
    r->root = root;
    const lg_json *list = lg_json_is(root, LG_JSON_ARRAY) ? root : wrapped_list(root);
    bool is_openapi = lg_json_get(root, LG_STR("openapi")) || lg_json_get(root, LG_STR("swagger"));
    if (list || is_openapi || !is_line) {
        r->names = (text_set){0};
    }
    if (is_openapi) {
        if (!lg_openapi_read(r)) {
            return lg_fail_at(reterr, LG_ERR_FORMAT, lg_text_position(r->text, root->offset),
                              "an OpenAPI document of an unknown version; 3.0, 3.1 and Swagger 2.0 "
                              "are read");
        }
    } else if (list) {
        read_list(r, list);
    } else if (is_tool(root)) {
        read_tool(r, root);
    } else {
        return not_a_catalogue(r, root, reterr);
    }
    if (r->too_many) {
        return lg_fail(reterr, LG_ERR_LIMIT, "more than %u tools", LG_CATALOGUE_TOOLS_MAX);
    }
    return r->oom ? lg_fail_oom(reterr) : LG_OK;
}

// --- The text -----------------------------------------------------------------------------------

static bool is_blank(lg_str text, size_t from, size_t to)
{
    return lg_str_trim(lg_str_slice(text, from, to)).len == 0;
}

static lg_status read_lines(reader *r, lg_error *reterr)
{
    lg_status status = LG_OK;
    for (size_t from = 0; from < r->text.len && status == LG_OK;) {
        size_t end = lg_str_line_end(r->text, from);
        const lg_json *value = NULL;
        if (!is_blank(r->text, from, end)) {
            status = lg_json_parse_in(r->arena, r->text, from, end, &r->limits, &value, reterr);
            status = status == LG_OK ? read_root(r, value, true, reterr) : status;
        }
        from = end + 1;
    }
    return status;
}

static lg_status finish(reader *r, lg_status status, const lg_catalogue **ret_catalogue,
                        lg_error *reterr)
{
    if (status != LG_OK) {
        return status;
    }
    lg_catalogue *made = LG_NEW(r->arena, lg_catalogue);
    if (!made) {
        return lg_fail_oom(reterr);
    }
    *made = r->catalogue;
    *ret_catalogue = made;
    return LG_OK;
}

static reader new_reader(lg_arena *arena, lg_str text, const lg_catalogue_options *options)
{
    reader r = {.arena = arena, .text = text, .tool = LG_STR("")};
    r.options = options ? *options : (lg_catalogue_options){0};
    r.limits = lg_limits_resolve(r.options.limits);
    return r;
}

lg_status lg_catalogue_of(lg_arena *arena, lg_str text, const lg_json *root,
                          const lg_catalogue_options *options, const lg_catalogue **ret_catalogue,
                          lg_error *reterr)
{
    reader r = new_reader(arena, text, options);
    return finish(&r, read_root(&r, root, false, reterr), ret_catalogue, reterr);
}

lg_status lg_catalogue_read(lg_arena *arena, lg_str text, const lg_catalogue_options *options,
                            const lg_catalogue **ret_catalogue, lg_error *reterr)
{
    reader r = new_reader(arena, text, options);
    if (lg_json_is_lines(r.arena, r.text, &r.limits)) {
        return finish(&r, read_lines(&r, reterr), ret_catalogue, reterr);
    }
    const lg_json *root = NULL;
    lg_status status = lg_json_parse_in(arena, text, 0, text.len, &r.limits, &root, reterr);
    status = status == LG_OK ? read_root(&r, root, false, reterr) : status;
    return finish(&r, status, ret_catalogue, reterr);
}
