// lint.c: compiles the schemas of a tool and finds whatever is wrong with it.
//
// An error is what makes the tool unusable as it stands: no call could be valid, or the API it is
// written for would refuse the list. A warning is what a model or a reader will stumble over.
#include "catalogue/catalogue_internal.h"

#define NESTED_DEPTH_MAX 32u

static uint32_t offset_or(const lg_json *value, const lg_json *otherwise)
{
    return value && value->offset != LG_JSON_NO_OFFSET ? value->offset : otherwise->offset;
}

// --- Names --------------------------------------------------------------------------------------

static bool is_name_char(char ch, bool dots)
{
    return lg_is_letter(ch) || lg_is_digit(ch) || ch == '_' || ch == '-' || (dots && ch == '.');
}

static bool is_name(lg_str name, size_t max, bool dots)
{
    bool ok = name.len <= max;
    for (size_t i = 0; i < name.len && ok; i++) {
        ok = is_name_char(name.ptr[i], dots);
    }
    return ok;
}

// OpenAI's API refuses a wrapped function by this rule, Anthropic's a longer name; MCP says SHOULD.
static void check_name(reader *r, const lg_catalogue_tool *tool)
{
    const lg_json *body = lg_json_get(tool->source, LG_STR("function"));
    const lg_json *name = lg_json_get(body ? body : tool->source, LG_STR("name"));
    uint32_t offset = offset_or(name, tool->source);
    bool wrapped = body || lg_json_get(tool->source, LG_STR("type"));
    bool openai = tool->format == LG_CATALOGUE_OPENAI && wrapped;
    if (tool->name.len == 0) {
        lg_catalogue_complain(r, LG_FINDING_NO_NAME, offset, "a tool must have a name%s",
                              name && !lg_json_is(name, LG_JSON_STRING) ? ", which is a string"
                                                                        : "");
    } else if (openai && !is_name(tool->name, 64, false)) {
        lg_catalogue_complain(r, LG_FINDING_BAD_NAME, offset,
                              "the name must be letters, digits, `_` and `-`, 64 at most, or the "
                              "OpenAI API refuses the list");
    } else if (tool->format == LG_CATALOGUE_ANTHROPIC && !is_name(tool->name, 128, false)) {
        lg_catalogue_complain(r, LG_FINDING_BAD_NAME, offset,
                              "the name must be letters, digits, `_` and `-`, 128 at most, or the "
                              "Anthropic API refuses the list");
    } else if (!is_name(tool->name, 128, true)) {
        lg_catalogue_complain(r, LG_FINDING_ODD_NAME, offset,
                              "the name should be letters, digits, `_`, `-` and `.`, 128 at most");
    }
}

static void check_unique(reader *r, const lg_catalogue_tool *tool)
{
    lg_str key = tool->id.len ? tool->id : tool->name;
    const lg_json *name = lg_json_get(tool->source, LG_STR("name"));
    if (key.len == 0 || tool->format == LG_CATALOGUE_OPENAPI) {
        return; // operations have had their operationIds compared
    }
    size_t first = lg_text_set_put(r->arena, &r->names, key, r->catalogue.tool_count - 1, &r->oom);
    if (first != SIZE_MAX) {
        lg_catalogue_complain(r, LG_FINDING_DUPLICATE_NAME, offset_or(name, tool->source),
                              "tool %zu is called `%.*s` already", first + 1,
                              LG_FMT(lg_str_cut(key, 128)));
    }
}

// --- Schemas ------------------------------------------------------------------------------------

// The value that the pointer at the start of `msg` names, or the nearest one above it; the words
// behind the pointer go to `*ret_words`. A key may hold ": ", so the longest pointer counts.
static const lg_json *place_of(const lg_catalogue_tool *tool, const lg_json *schema, lg_str msg,
                               lg_str *ret_words)
{
    size_t colon = lg_str_find(msg, LG_STR(": "));
    lg_str pointer = lg_str_slice(msg, 0, colon == SIZE_MAX ? 0 : colon);
    *ret_words = colon == SIZE_MAX ? msg : lg_str_slice(msg, colon + 2, msg.len);
    if (pointer.len == 0 || pointer.ptr[0] != '/') {
        return schema;
    }
    while (pointer.len) {
        const lg_json *found = lg_json_at(schema, pointer);
        if (!found && tool->document) {
            found = lg_json_at(tool->document, pointer);
        }
        if (found) {
            return found;
        }
        while (pointer.len && pointer.ptr[pointer.len - 1] != '/') {
            pointer.len--;
        }
        pointer.len -= pointer.len ? 1 : 0;
    }
    return schema;
}

static const lg_schema *compile(reader *r, const lg_catalogue_tool *tool, const lg_json *schema,
                                bool arguments, lg_errors *errors)
{
    lg_schema_options options = {.dialect = tool->dialect,
                                 .closed_arguments = arguments,
                                 .integer_formats = tool->format == LG_CATALOGUE_OPENAPI,
                                 // The caller of a tool should hear what its server would say.
                                 .assert_formats =
                                     arguments && tool->format == LG_CATALOGUE_OPENAPI,
                                 .document = tool->document,
                                 .limits = &r->limits};
    lg_errors_init(errors, r->arena, LG_CATALOGUE_SCHEMA_ERRORS);
    r->arena->refused = false;
    const lg_schema *compiled = lg_schema_compile(r->arena, schema, &options, errors);
    if (!compiled && options.assert_formats && !r->arena->refused) {
        // A format that cannot be asserted is no reason to lose the tool.
        options.assert_formats = false;
        lg_errors_init(errors, r->arena, LG_CATALOGUE_SCHEMA_ERRORS);
        compiled = lg_schema_compile(r->arena, schema, &options, errors);
    }
    r->oom = r->oom || (!compiled && r->arena->refused);
    return compiled;
}

static const lg_schema *compile_or_complain(reader *r, const lg_catalogue_tool *tool,
                                            const lg_json *schema, bool arguments)
{
    lg_errors errors;
    const lg_schema *compiled = compile(r, tool, schema, arguments, &errors);
    for (size_t i = 0; !compiled && i < errors.count && !r->oom; i++) {
        lg_str words;
        const lg_json *at = place_of(tool, schema, lg_str_c(errors.items[i].msg), &words);
        lg_catalogue_complain(
            r, arguments ? LG_FINDING_INVALID_SCHEMA : LG_FINDING_INVALID_RESULT,
            offset_or(at,
                      offset_or(schema, tool->source) == schema->offset ? schema : tool->source),
            "%s: %.*s", arguments ? "invalid schema" : "invalid result schema", LG_FMT(words));
    }
    return compiled;
}

// --- What is required, and defaults -------------------------------------------------------------

// Could a member that `properties` does not name come from elsewhere in this schema?
static bool names_elsewhere(const lg_json *schema)
{
    static const char *const keywords[] = {"additionalProperties",
                                           "patternProperties",
                                           "allOf",
                                           "anyOf",
                                           "oneOf",
                                           "$ref",
                                           "if",
                                           "dependentSchemas",
                                           "$dynamicRef",
                                           "unevaluatedProperties"};
    for (size_t i = 0; i < LG_COUNT(keywords); i++) {
        const lg_json *value = lg_json_get(schema, lg_str_c(keywords[i]));
        bool refuses = lg_json_is(value, LG_JSON_BOOL) && !value->as.boolean;
        if (value && !refuses) {
            return true;
        }
    }
    return false;
}

static void check_required(reader *r, const lg_json *schema, lg_catalogue_kind kind,
                           const char *what)
{
    const lg_json *required = lg_json_get(schema, LG_STR("required"));
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    bool known = properties || kind == LG_FINDING_REQUIRED_UNKNOWN;
    if (!lg_json_is(required, LG_JSON_ARRAY) || !known || names_elsewhere(schema)) {
        return;
    }
    for (size_t i = 0; i < lg_json_len(required); i++) {
        const lg_json *name = &required->as.items[i];
        if (lg_json_is(name, LG_JSON_STRING) && !lg_json_get(properties, lg_json_str(name))) {
            lg_catalogue_complain(r, kind, name->offset,
                                  "the %s `%.*s` is required, but `properties` does not define it",
                                  what, LG_FMT(lg_str_cut(lg_json_str(name), 80)));
        }
    }
}

static void check_nested(reader *r, const lg_json *schema, uint32_t depth)
{
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    const lg_json *items = lg_json_get(schema, LG_STR("items"));
    if (depth > NESTED_DEPTH_MAX || !lg_json_is(schema, LG_JSON_OBJECT)) {
        return;
    }
    if (depth > 0) {
        check_required(r, schema, LG_FINDING_REQUIRED_NESTED, "member");
    }
    for (size_t i = 0; lg_json_is(properties, LG_JSON_OBJECT) && i < lg_json_len(properties); i++) {
        check_nested(r, &lg_json_member_at(properties, i)->value, depth + 1);
    }
    if (items) {
        check_nested(r, items, depth + 1);
    }
}

static void check_default(reader *r, const lg_catalogue_tool *tool,
                          const lg_catalogue_argument *argument)
{
    const lg_json *value = lg_json_get(argument->schema, LG_STR("default"));
    // Many generators write `null` for an absent default.
    if (!value || lg_json_is(value, LG_JSON_NULL)) {
        return;
    }
    lg_catalogue_tool scope = *tool;
    scope.document = tool->document ? tool->document : tool->parameters;
    lg_errors errors;
    lg_arena_mark mark = lg_arena_mark_here(r->arena);
    lg_schema_violation item;
    lg_schema_report report = {.items = &item, .capacity = 1};
    const lg_schema *schema = compile(r, &scope, argument->schema, false, &errors);
    bool valid = !schema || lg_schema_validate(schema, value, &report);
    lg_arena_rewind(r->arena, mark);
    if (!valid) {
        lg_catalogue_complain(r, LG_FINDING_BAD_DEFAULT, offset_or(value, tool->source),
                              "the default of `%.*s` is not valid: %s",
                              LG_FMT(lg_str_cut(argument->name, 80)), item.msg);
    }
}

// --- All of it ----------------------------------------------------------------------------------

static void check_root_type(reader *r, const lg_catalogue_tool *tool)
{
    const lg_json *type = lg_json_get(tool->parameters, LG_STR("type"));
    bool object = lg_str_eq(lg_json_str(type), LG_STR("object"));
    if (tool->format == LG_CATALOGUE_MCP && !object) {
        lg_catalogue_complain(r, LG_FINDING_INVALID_SCHEMA, offset_or(type, tool->parameters),
                              "invalid schema: MCP asks for \"type\": \"object\"");
    } else if (lg_json_is(type, LG_JSON_STRING) && !object) {
        lg_catalogue_complain(r, LG_FINDING_INVALID_SCHEMA, offset_or(type, tool->parameters),
                              "invalid schema: arguments are an object, so `type` must be "
                              "\"object\"");
    }
}

static void check_arguments(reader *r, lg_catalogue_tool *tool)
{
    if (!tool->parameters) {
        lg_catalogue_complain(r, LG_FINDING_NO_SCHEMA, tool->source->offset,
                              "no schema of the arguments");
        return;
    }
    if (!lg_json_is(tool->parameters, LG_JSON_OBJECT)) {
        lg_catalogue_complain(r, LG_FINDING_INVALID_SCHEMA,
                              offset_or(tool->parameters, tool->source),
                              "invalid schema: must be an object");
        return;
    }
    check_root_type(r, tool);
    tool->arguments = compile_or_complain(r, tool, tool->parameters, true);
    check_required(r, tool->parameters, LG_FINDING_REQUIRED_UNKNOWN, "argument");
    check_nested(r, tool->parameters, 0);
    for (size_t i = 0; i < tool->list_count && !r->oom; i++) {
        check_default(r, tool, &tool->list[i]);
    }
}

void lg_catalogue_lint(reader *r, lg_catalogue_tool *tool)
{
    check_name(r, tool);
    check_unique(r, tool);
    if (lg_str_trim(tool->description).len == 0) {
        lg_catalogue_complain(r, LG_FINDING_NO_DESCRIPTION, tool->source->offset, "no description");
    }
    check_arguments(r, tool);
    if (tool->result && !r->options.without_results && !r->oom) {
        tool->results = compile_or_complain(r, tool, tool->result, false);
    }
}
