// describe.c: which kind of text it is, tools out of lists, and the document.
#include "describe/describe_internal.h"

#include "base/utf8.h"
#include "json/writer.h"

// --- Lists --------------------------------------------------------------------------------------

static bool is_listed(const lg_json *properties, const lg_json *name)
{
    return lg_json_get(properties, lg_json_str(name)) != NULL;
}

// A word of JSON Schema that says something of arguments; others ("optional", "default") say nothing here, and a reader that
// does not know them would take the whole for one argument.
static bool is_known(lg_str key)
{
    static const char *const words[] = {"type",
                                        "properties",
                                        "required",
                                        "description",
                                        "title",
                                        "allOf",
                                        "anyOf",
                                        "oneOf",
                                        "not",
                                        "if",
                                        "then",
                                        "else",
                                        "minProperties",
                                        "maxProperties",
                                        "propertyNames",
                                        "enum",
                                        "const",
                                        "examples",
                                        "dependentRequired",
                                        "dependentSchemas",
                                        "additionalProperties",
                                        "patternProperties",
                                        "unevaluatedProperties"};
    for (size_t i = 0; i < LG_COUNT(words); i++) {
        if (lg_str_eq(key, lg_str_c(words[i]))) {
            return true;
        }
    }
    return false;
}

// The arguments as one closed object; what is required and nowhere defined could never be given, and goes.
static lg_json closed(job *j, const lg_json *schema)
{
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    const lg_json *required = lg_json_get(schema, LG_STR("required"));
    draft d = {.j = j};
    for (size_t i = 0; lg_json_is(schema, LG_JSON_OBJECT) && i < lg_json_len(schema); i++) {
        const lg_json_member *member = lg_json_member_at(schema, i);
        if (is_known(lg_json_key(member))) {
            describe_add(&d, lg_json_key(member), member->value);
        }
    }
    describe_put_c(&d, "type", "object");
    if (!properties && !lg_json_get(schema, LG_STR("allOf")) &&
        !lg_json_get(schema, LG_STR("anyOf")) && !lg_json_get(schema, LG_STR("oneOf"))) {
        draft none = {.j = j};
        describe_put(&d, LG_STR("properties"), describe_object(&none));
    }
    bool is_map = lg_json_get(schema, LG_STR("patternProperties")) ||
                  lg_json_get(schema, LG_STR("additionalProperties"));
    if (properties && !is_map && !lg_json_get(schema, LG_STR("allOf"))) {
        describe_put(&d, LG_STR("additionalProperties"), lg_json_make_bool(false));
    }
    if (lg_json_is(required, LG_JSON_ARRAY) && properties && !is_map) {
        lg_json *names = LG_NEW_ARRAY(j->arena, lg_json, lg_json_len(required) + 1);
        size_t count = 0;
        for (size_t i = 0; names && i < lg_json_len(required); i++) {
            if (is_listed(properties, &required->as.items[i])) {
                names[count++] = required->as.items[i];
            } else {
                describe_note(j, j->offset,
                              "`%.*s` is required and nowhere defined; it is left out",
                              LG_FMT(lg_str_cut(lg_json_str(&required->as.items[i]), 80)));
            }
        }
        j->oom = j->oom || !names;
        describe_put(&d, LG_STR("required"), lg_json_make_array(names, names ? count : 0));
    }
    return describe_object(&d);
}

static void add_listed(job *j, const lg_catalogue_tool *from)
{
    lg_described tool = {
        .name = from->name, .description = from->description, .words = from->description};
    if (from->format == LG_CATALOGUE_OPENAPI && from->id.len) {
        tool.name = from->id;
    }
    tool.offset = j->offset = from->source ? from->source->offset : 0;
    j->tool = tool.name;
    j->unknown_count = 0;
    if (tool.name.len == 0) {
        describe_note(j, tool.offset, "a tool without a name is left out");
        return;
    }
    const lg_json *document = from->document ? from->document : from->parameters;
    bool listed = lg_json_is(from->parameters, LG_JSON_OBJECT);
    if (listed) {
        lg_json made = describe_inline(j, from->parameters, document, from->dialect);
        tool.parameters = describe_keep(j, closed(j, &made));
        tool.parameters_by = LG_BY_SCHEMA;
    } else {
        describe_unknown(j, "its parameters");
        tool.parameters = describe_keep(j, describe_type(j, "object"));
    }
    if (from->result) {
        const lg_json *whole = from->document ? from->document : from->result;
        lg_json made = describe_inline(j, from->result, whole, from->dialect);
        tool.success = describe_keep(j, made);
        tool.success_by = LG_BY_SCHEMA;
    } else {
        tool.success = describe_keep(j, describe_guess(j, tool.name, tool.description));
        tool.success_by = lg_json_len(tool.success) ? LG_BY_WORDS : LG_BY_NOTHING;
    }
    describe_add_tool(j, &tool);
}

static lg_status add_catalogue(job *j, const lg_catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->finding_count; i++) {
        const lg_catalogue_finding *f = &catalogue->findings[i];
        j->tool = f->tool;
        if (lg_catalogue_kind_is_error(f->kind)) {
            describe_note(j, f->offset, "%.*s", LG_FMT(f->msg));
        }
    }
    for (size_t i = 0; i < catalogue->tool_count && !j->oom && !j->too_many; i++) {
        add_listed(j, &catalogue->tools[i]);
    }
    j->tool = LG_STR("");
    return LG_OK;
}

lg_status lg_describe_catalogue(lg_arena *arena, const lg_catalogue *catalogue,
                                lg_description **ret, lg_error *reterr)
{
    job j;
    lg_status status = describe_begin(arena, LG_STR(""), LG_DESCRIBE_LIST, &j, reterr);
    status = status == LG_OK ? add_catalogue(&j, catalogue) : status;
    return status == LG_OK ? describe_end(&j, ret, reterr) : status;
}

// --- Which kind of text -------------------------------------------------------------------------

static bool begins_definition(lg_str line)
{
    static const char *const begins[] = {"def ", "async def ", "class ", "@"};
    for (size_t i = 0; i < LG_COUNT(begins); i++) {
        if (lg_str_starts(line, lg_str_c(begins[i]))) {
            // In prose a line may begin with "class"; a definition has a bracket or a colon.
            return lg_str_find(line, LG_STR("(")) != SIZE_MAX ||
                   lg_str_ends(lg_str_trim(line), LG_STR(":"));
        }
    }
    return false;
}

static lg_describe_input guess_input(lg_str text)
{
    lg_str begin = lg_str_trim(text);
    if (begin.len && (begin.ptr[0] == '{' || begin.ptr[0] == '[')) {
        return LG_DESCRIBE_LIST;
    }
    for (size_t from = 0; from < text.len;) {
        size_t end = lg_str_line_end(text, from);
        if (begins_definition(lg_str_trim(lg_str_slice(text, from, end)))) {
            return LG_DESCRIBE_PYTHON;
        }
        from = end + 1;
    }
    return LG_DESCRIBE_WORDS;
}

static lg_status read_list(job *j, const lg_limits *limits, lg_error *reterr)
{
    const lg_catalogue *catalogue = NULL;
    lg_catalogue_options options = {.without_results = true, .limits = limits};
    lg_status status = lg_catalogue_read(j->arena, j->text, &options, &catalogue, reterr);
    return status == LG_OK ? add_catalogue(j, catalogue) : status;
}

lg_status lg_describe_read(lg_arena *arena, lg_str text, const lg_describe_options *options,
                           lg_description **ret, lg_error *reterr)
{
    job j;
    lg_limits limits = lg_limits_resolve(options ? options->limits : NULL);
    lg_describe_input input = options ? options->input : LG_DESCRIBE_GUESS;
    input = input == LG_DESCRIBE_GUESS ? guess_input(text) : input;
    size_t valid = lg_utf8_valid_prefix(text);
    if (text.len > UINT32_MAX || text.len > limits.json_bytes) {
        return lg_fail(reterr, LG_ERR_LIMIT, "a text of %zu bytes is too large", text.len);
    }
    if (valid < text.len) {
        return lg_fail_at(reterr, LG_ERR_PARSE, lg_text_position(text, valid),
                          "this byte is no UTF-8");
    }
    lg_status status = describe_begin(arena, text, input, &j, reterr);
    if (status != LG_OK) {
        return status;
    }
    switch (input) {
    case LG_DESCRIBE_GUESS:
    case LG_DESCRIBE_LIST:
        status = read_list(&j, &limits, reterr);
        break;
    case LG_DESCRIBE_PYTHON:
        status = describe_python(&j, reterr);
        break;
    case LG_DESCRIBE_WORDS:
        status = describe_words(&j, reterr);
        break;
    }
    if (status == LG_OK && !j.oom && j.list->tool_count == 0) {
        return lg_fail_at(
            reterr, LG_ERR_FORMAT, (lg_position){NULL, 1, 1},
            "no tool is described here: a function that is public, or a tool with a name");
    }
    return status == LG_OK ? describe_end(&j, ret, reterr) : status;
}

// --- The document -------------------------------------------------------------------------------

// A path has names as they are where they are plain; all other bytes are written as URLs write them.
static void add_path(lg_buf *out, lg_str name)
{
    lg_buf_add_c(out, "/tools/");
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool plain = lg_is_letter(c) || lg_is_digit(c) || strchr("-._~", c);
        if (plain && c) {
            lg_buf_add_byte(out, c);
        } else {
            lg_buf_addf(out, "%%%02X", (unsigned)(unsigned char)c);
        }
    }
}

// The first sentence, for lists.
static lg_str summary_of(lg_str description)
{
    size_t stop = lg_str_find(description, LG_STR(". "));
    size_t line = lg_str_find(description, LG_STR("\n"));
    stop = line < stop ? line : stop;
    return lg_str_cut(lg_str_trim(lg_str_slice(description, 0, stop)), 120);
}

static void write_content(lg_json_writer *w)
{
    lg_jw_key(w, "content");
    lg_jw_begin_object(w);
    lg_jw_key(w, "application/json");
    lg_jw_begin_object(w);
    lg_jw_key(w, "schema");
}

static void write_responses(lg_json_writer *w, job *j, const lg_described *tool)
{
    lg_json success = describe_apart(j, tool->success);
    lg_jw_key(w, "responses");
    lg_jw_begin_object(w);
    lg_jw_key(w, "200");
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "description", "What the tool gives, or what went wrong");
    write_content(w);
    lg_jw_begin_object(w);
    lg_jw_key(w, "oneOf");
    lg_jw_begin_array(w);
    lg_jw_json(w, &success);
    lg_jw_raw(
        w,
        LG_STR(
            "{\"type\":\"object\",\"description\":\"It failed\",\"properties\":{\"error\":"
            "{\"type\":\"string\",\"description\":\"What went wrong\"}},\"required\":[\"error\"],"
            "\"additionalProperties\":false}"));
    lg_jw_end_array(w);
    for (size_t i = 0; i < 5;
         i++) { // oneOf's, the schema's, the media type's, the content's and the response's object
        lg_jw_end_object(w);
    }
}

static void write_tool(lg_json_writer *w, job *j, const lg_described *tool)
{
    lg_jw_begin_object(w);
    lg_jw_key(w, "post");
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "operationId", tool->name);
    lg_jw_member_str(w, "summary", summary_of(tool->description));
    lg_jw_member_str(w, "description", tool->description);
    lg_jw_key(w, "requestBody");
    lg_jw_begin_object(w);
    lg_jw_member_bool(w, "required", true);
    write_content(w);
    lg_jw_json(w, tool->parameters);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
    write_responses(w, j, tool);
    lg_jw_member_c(w, "x-ledgergate-kind",
                   lg_words_name(tool->kind == LG_WORDS_UNKNOWN ? LG_WORDS_GENERIC : tool->kind));
    lg_jw_key(w, "x-ledgergate-by");
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "kind", tool->kind == LG_WORDS_UNKNOWN ? "nothing" : "words");
    lg_jw_member_c(w, "parameters", lg_describe_by_name(tool->parameters_by));
    lg_jw_member_c(w, "success", lg_describe_by_name(tool->success_by));
    lg_jw_end_object(w);
    lg_jw_key(w, "x-ledgergate-unknown");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < tool->unknown_count; i++) {
        lg_jw_str(w, tool->unknown[i]);
    }
    lg_jw_end_array(w);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

void lg_describe_print(lg_buf *out, const lg_description *tools, lg_str title)
{
    lg_json_writer w = {.out = out};
    lg_buf path;
    lg_buf_init(&path, 0);
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "openapi", "3.1.0");
    lg_jw_key(&w, "info");
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "title", title.len ? title : LG_STR("Tools"));
    lg_jw_member_c(&w, "version", "1");
    lg_jw_end_object(&w);
    lg_jw_key(&w, "paths");
    lg_jw_begin_object(&w);
    for (size_t i = 0; i < tools->tool_count; i++) {
        lg_arena arena;
        lg_arena_init(&arena, 0);
        job j = {.arena = &arena};
        lg_buf_clear(&path);
        add_path(&path, tools->tools[i].name);
        lg_jw_key_str(&w, lg_buf_str(&path));
        write_tool(&w, &j, &tools->tools[i]);
        if (j.oom || lg_buf_status(&path) != LG_OK) {
            out->status = LG_ERR_OOM;
        }
        lg_arena_done(&arena);
    }
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_done(&path);
}
