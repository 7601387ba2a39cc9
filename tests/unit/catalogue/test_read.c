// test_read.c: each format in small, and everything that can be wrong with a tool.
#include "lg_test.h"

#include "base/types.h"
#include "catalogue/catalogue.h"

static lg_arena arena;

// All that was read, in one line: "format name(arg*: type [place], ...)".
static lg_str describe(const lg_catalogue *c)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    for (size_t i = 0; i < c->tool_count; i++) {
        const lg_catalogue_tool *tool = &c->tools[i];
        lg_buf_addf(&out, "%s%s %.*s(", i ? "; " : "", lg_catalogue_format_name(tool->format),
                    LG_FMT(tool->name));
        for (size_t j = 0; j < tool->list_count; j++) {
            const lg_catalogue_argument *a = &tool->list[j];
            lg_buf_addf(&out, "%s%.*s%s: ", j ? ", " : "", LG_FMT(a->name), a->required ? "*" : "");
            lg_catalogue_print_type(&out, a->schema,
                                    tool->document ? tool->document : tool->parameters);
            lg_buf_addf(&out, "%s%s", a->place ? " " : "", lg_argument_place_name(a->place));
        }
        lg_buf_addf(&out, ")%s%s", tool->arguments ? "" : "!", tool->results ? "->" : "");
    }
    for (size_t i = 0; i < c->finding_count; i++) {
        const lg_catalogue_finding *f = &c->findings[i];
        lg_buf_addf(&out, " | %s %.*s: %.*s", lg_catalogue_kind_name(f->kind), LG_FMT(f->pointer),
                    LG_FMT(f->msg));
    }
    lg_str kept = lg_arena_str(&arena, lg_buf_str(&out));
    lg_buf_done(&out);
    return kept;
}

typedef struct sample {
    const char *text;
    const char *want; // or the error
} sample;

static void run(const sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const lg_catalogue *c = NULL;
        lg_error error;
        lg_arena_init(&arena, 0);
        lg_str text = lg_str_c(samples[i].text);
        if (lg_catalogue_read(&arena, text, NULL, &c, &error) == LG_OK) {
            CHECK_STR(describe(c), samples[i].want);
        } else {
            lg_str said = lg_arena_printf(&arena, "%s %u:%u: %s", lg_status_text(error.status),
                                          error.line, error.column, error.msg);
            CHECK_STR(said, samples[i].want);
        }
        lg_arena_done(&arena);
    }
}

#define D "\"description\":\"d\","

static void formats(void)
{
    static const sample samples[] = {
        {"{\"tools\":[{\"name\":\"a\"," D "\"inputSchema\":{\"type\":\"object\",\"properties\":"
         "{\"x\":{\"type\":\"string\"}},\"required\":[\"x\"]},\"outputSchema\":{\"type\":"
         "\"object\"}}]}",
         "mcp a(x*: string)->"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\"a\"," D
         "\"inputSchema\":{\"type\":\"object\"}}]}}",
         "mcp a()"},
        {"[{\"type\":\"function\",\"function\":{\"name\":\"a\"," D
         "\"parameters\":{\"type\":\"object\",\"properties\":{\"x\":{\"enum\":[1,2]}}}}}]",
         "openai a(x: 1 | 2)"},
        {"{\"name\":\"a\"," D "\"parameters\":{\"type\":\"object\"}}", "openai a()"},
        {"[{\"name\":\"a\"," D "\"input_schema\":{\"type\":\"object\",\"properties\":{\"x\":"
         "{\"type\":[\"integer\",\"null\"]}}}}]",
         "anthropic a(x: integer or null)"},
        {"{\"functions\":[{\"name\":\"a\"," D "\"parameters\":{\"type\":\"dict\",\"properties\":"
         "{\"x\":{\"type\":\"float\"},\"y\":{\"type\":\"tuple\",\"items\":{\"type\":\"any\"}},"
         "\"type\":{\"type\":\"dict\"}}}}]}",
         "bfcl a(x: number, y: list of any, type: object)"},
        {"[]", ""},
        {"{\"tools\":[]}", ""},
        {"{\"name\":\"a\"," D "\"parameters\":{\"type\":\"object\"}}\n"
         "\n{\"name\":\"b\"," D "\"parameters\":{\"type\":\"object\"}}\n",
         "openai a(); openai b()"},
        {"{\"id\":1,\"question\":[],\"function\":[{\"name\":\"a\"," D
         "\"parameters\":{\"type\":\"dict\"}}]}\n"
         "{\"id\":2,\"question\":[],\"function\":[{\"name\":\"a\"," D
         "\"parameters\":{\"type\":\"dict\"}}]}\n",
         "bfcl a(); bfcl a()"}, // two lists
    };
    run(samples, LG_COUNT(samples));
}

#define MENDED                                                                                     \
    "{\"openapi\":\"3.1.0\",\"paths\":{\"/"                                                        \
    "a\":{\"get\":{\"operationId\":\"a\",\"description\":\"d\",\"responses\":{\"200\":{"           \
    "\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/"              \
    "A\"}}}}}}}},\"components\":{\"schemas\":{\"A\":{\"type\":\"object\",\"properties\":{\"n\":{"  \
    "\"minimum\":0,\"exclusiveMinimum\":true},\"m\":{\"maximum\":9,\"exclusiveMaximum\":false},"   \
    "\"s\":{\"type\":\"string\",\"nullable\":true},\"l\":{\"type\":[\"string\",\"boolean\"],"      \
    "\"nullable\":true}}}}}}"

// Broken, but clear: a warning, and the schema is there.
static void documents_that_break_their_version(void)
{
    static const sample samples[] = {
        {"{\"openapi\":\"3.1.0\",\"paths\":{\"/"
         "a\":{\"get\":{\"operationId\":\"a\",\"description\":\"d\",\"responses\":{\"200\":{"
         "\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/"
         "A\"}}}}}}}},\"components\":{\"schemas\":{\"A\":{\"type\":\"object\",\"required\":[\"id\","
         "\"x\",\"id\"],\"properties\":{\"e\":{\"enum\":[\"a\",\"b\",\"a\",1,1.0]}}}}}}",
         "openapi a()-> | named_twice /components/schemas/A/required/2: it stands in `required` "
         "twice, and counts once | named_twice /components/schemas/A/properties/e/enum/2: it "
         "stands in `enum` twice, and counts once | named_twice "
         "/components/schemas/A/properties/e/enum/4: it stands in `enum` twice, and counts once"},
        {"{\"openapi\":\"3.1.0\",\"paths\":{\"/"
         "a\":{\"get\":{\"operationId\":\"a\",\"description\":\"d\",\"responses\":{\"200\":{"
         "\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/"
         "A\"}}}}}}}},\"components\":{\"schemas\":{\"A\":{\"allOf\":[{\"type\":\"integer\","
         "\"minimum\":0,\"exclusiveMinimum\":true},{\"exclusiveMaximum\":false,\"maximum\":9}]}}}}",
         "openapi a()-> | other_version /components/schemas/A/allOf/0/exclusiveMinimum: "
         "`exclusiveMinimum` is of another version, and read as there: it says whether the bound "
         "itself is excluded | other_version /components/schemas/A/allOf/1/exclusiveMaximum: "
         "`exclusiveMaximum` is of another version, and read as there: it says whether the bound "
         "itself is excluded"},
        {"{\"openapi\":\"3.1.0\",\"paths\":{\"/"
         "a\":{\"get\":{\"operationId\":\"a\",\"description\":\"d\",\"responses\":{\"200\":{"
         "\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/"
         "A\"}}}}}}}},\"components\":{\"schemas\":{\"A\":{\"type\":\"string\",\"nullable\":true,\"$"
         "recursiveAnchor\":true}}}}",
         "openapi a()-> | other_version /components/schemas/A/nullable: `nullable` is of another "
         "version, and read as there: null may be given, where `type` says what else | "
         "other_version /components/schemas/A/$recursiveAnchor: `$recursiveAnchor` is of another "
         "version, and read as there: it changes nothing here"},
        {"{\"openapi\":\"3.0.0\",\"paths\":{\"/"
         "a\":{\"get\":{\"operationId\":\"a\",\"description\":\"d\",\"responses\":{\"200\":{"
         "\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/"
         "A\"}}}}}}}},\"components\":{\"schemas\":{\"A\":{\"type\":\"number\",\"nullable\":true,"
         "\"minimum\":0,\"exclusiveMinimum\":true}}}}",
         "openapi a()->"},
        {"{\"openapi\":\"3.1.0\",\"paths\":{\"/"
         "a\":{\"get\":{\"operationId\":\"a\",\"description\":\"d\",\"responses\":{\"200\":{"
         "\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/"
         "A\"}}}}}}}},\"components\":{\"schemas\":{\"A\":{\"type\":\"object\",\"default\":{"
         "\"required\":[\"a\",\"a\"]},\"example\":{\"nullable\":true}}}},\"x-a\":{\"schema\":{"
         "\"nullable\":true}}}",
         "openapi a()->"},
        {"{\"openapi\":\"3.1.0\",\"paths\":{\"/"
         "b\":{\"get\":{\"operationId\":\"b\",\"description\":\"d\",\"responses\":{\"200\":{"
         "\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/"
         "A\"}}}}}}},\"/"
         "a\":{\"get\":{\"operationId\":\"a\",\"description\":\"d\",\"responses\":{\"200\":{"
         "\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/"
         "A\"}}}}}}}},\"components\":{\"schemas\":{\"A\":{\"type\":\"object\",\"required\":[\"a\","
         "\"a\"]}}}}",
         "openapi b()->; openapi a()-> | named_twice /components/schemas/A/required/1: it stands "
         "in `required` twice, and counts once"},
    };
    run(samples, LG_COUNT(samples));
}

// What was set right means what it says.
static void what_is_mended_means_the_same(void)
{
    static const struct {
        const char *value;
        bool valid;
    } values[] = {{"{\"n\":0}", false},   {"{\"n\":1}", true},     {"{\"m\":9}", true},
                  {"{\"s\":null}", true}, {"{\"s\":\"x\"}", true}, {"{\"s\":1}", false},
                  {"{\"l\":null}", true}, {"{\"l\":2}", false}};
    lg_error error;
    const lg_catalogue *c = NULL;
    lg_arena_init(&arena, 0);
    CHECK(lg_catalogue_read(&arena, LG_STR(MENDED), NULL, &c, &error) == LG_OK);
    for (size_t i = 0; i < LG_COUNT(values) && CHECK(c && c->tools[0].results); i++) {
        const lg_json *value = NULL;
        lg_str text = lg_str_c(values[i].value);
        CHECK(lg_json_parse_in(&arena, text, 0, text.len, NULL, &value, &error) == LG_OK);
        CHECK_MSG(lg_schema_validate(c->tools[0].results, value, NULL) == values[i].valid,
                  values[i].value);
    }
    lg_arena_done(&arena);
}

static void what_is_no_catalogue(void)
{
    static const sample samples[] = {
        {"", "not well formed 1:1: expected a value, found the end of the text"},
        {"{}", "not in a format that is known here 1:1: no list of tools: expected an MCP "
               "tools/list result, OpenAI or Anthropic functions, BFCL questions, or an OpenAPI "
               "document"},
        {"{\"openapi\":\"4.0\"}", "not in a format that is known here 1:1: an OpenAPI document of "
                                  "an unknown version; 3.0, 3.1 and Swagger 2.0 are read"},
        {"{\"name\":\"a\",\"description\":\"\"}\n{\"name\":}",
         "not well formed 2:9: expected a value, found `}`"},
    };
    run(samples, LG_COUNT(samples));
}

#define TOOL(schema) "[{\"name\":\"a\"," D "\"inputSchema\":" schema "}]"

static void findings(void)
{
    static const sample samples[] = {
        {"[1]", " | not_a_tool /0: an entry of a list of tools must be an object"},
        {"[{" D "\"inputSchema\":{\"type\":\"object\"}}]",
         "mcp () | no_name /0: a tool must have a name"},
        {"[{\"name\":7," D "\"inputSchema\":{\"type\":\"object\"}}]",
         "mcp () | no_name /0/name: a tool must have a name, which is a string"},
        {"[{\"name\":\"a b\"," D "\"input_schema\":{\"type\":\"object\"}}]",
         "anthropic a b() | bad_name /0/name: the name must be letters, digits, `_` and `-`, 128 "
         "at most, or the Anthropic API refuses the list"},
        {"[{\"type\":\"function\",\"function\":{\"name\":\"a.b\"," D
         "\"parameters\":{\"type\":\"object\"}}}]",
         "openai a.b() | bad_name /0/function/name: the name must be letters, digits, `_` and "
         "`-`, 64 at most, or the OpenAI API refuses the list"},
        {"[{\"name\":\"a/b\"," D "\"inputSchema\":{\"type\":\"object\"}}]",
         "mcp a/b() | odd_name /0/name: the name should be letters, digits, `_`, `-` and `.`, 128 "
         "at most"},
        {"[{\"name\":\"a\"," D "\"inputSchema\":{\"type\":\"object\"}},\n{\"name\":\"a\"," D
         "\"inputSchema\":{\"type\":\"object\"}}]",
         "mcp a(); mcp a() | duplicate_name /1/name: tool 1 is called `a` already"},
        {"[{\"name\":\"a\",\"description\":\" \",\"inputSchema\":{\"type\":\"object\"}}]",
         "mcp a() | no_description /0: no description"},
        {"[{\"name\":\"a\",\"description\":\"d\"}]",
         "openai a()! | no_schema /0: no schema of the arguments"},
        {"[{\"type\":\"web_search\"}]",
         " | built_in /0: a tool of type `web_search` is run by its provider; its arguments are "
         "not known here"},
        {TOOL("7"), "mcp a()! | invalid_schema /0/inputSchema: invalid schema: must be an object"},
        {TOOL("{}"),
         "mcp a() | invalid_schema /0/inputSchema: invalid schema: MCP asks for \"type\": "
         "\"object\""},
        {TOOL("{\"type\":\"object\",\"properties\":{\"x\":{\"minimum\":\"1\"}}}"),
         "mcp a(x: any)! | invalid_schema /0/inputSchema/properties/x/minimum: invalid schema: "
         "must be a number, but is the string \"1\""},
        {TOOL("{\"type\":\"object\",\"properties\":{\"x\":{\"$ref\":\"#/$defs/no\"}}}"),
         "mcp a(x: any)! | invalid_schema /0/inputSchema/properties/x/$ref: invalid schema: "
         "`#/$defs/no` points to no schema"},
        {TOOL("{\"type\":\"object\",\"properties\":{\"x\":{}},\"required\":[\"x\",\"y\"]}"),
         "mcp a(x*: any) | required_unknown /0/inputSchema/required/1: the argument `y` is "
         "required, but `properties` does not define it"},
        {TOOL("{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"object\",\"properties\":{},"
              "\"required\":[\"y\"]}}}"),
         "mcp a(x: object) | required_nested /0/inputSchema/properties/x/required/0: the member "
         "`y` is required, but `properties` does not define it"},
        {TOOL("{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\",\"default\":\"1\"}"
              "}}"),
         "mcp a(x: integer) | bad_default /0/inputSchema/properties/x/default: the default of `x` "
         "is not valid: the value must be an integer; got the string \"1\""},
        {"[{\"name\":\"a\"," D "\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":{\"type\":"
         "\"thing\"}}]",
         "mcp a() | invalid_result /0/outputSchema/type: invalid result schema: must be string, "
         "number, integer, boolean, array, object or null, but is the string \"thing\""},
    };
    run(samples, LG_COUNT(samples));
}

// BFCL's habits: null as a default, the values of an array's elements beside its type.
static void words(void)
{
    static const sample samples[] = {
        {"[{\"name\":\"a\"," D "\"parameters\":{\"type\":\"dict\",\"properties\":{"
         "\"x\":{\"type\":\"integer\",\"default\":null},"
         "\"y\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"enum\":[\"p\",\"q\"]},"
         "\"z\":{\"type\":\"HashMap\"},"
         "\"w\":{\"type\":\"string\",\"enum\":[\"dict\"],\"default\":\"dict\"}}}}]",
         "bfcl a(x: integer or null, y: list of \"p\" | \"q\", z: object, w: \"dict\")"},
        // Words of a schema that is otherwise JSON Schema are mistakes.
        {"[{\"name\":\"a\"," D "\"parameters\":{\"type\":\"object\",\"properties\":{\"x\":"
         "{\"type\":\"float\"}}}}]",
         "openai a(x: float)! | invalid_schema /0/parameters/properties/x/type: invalid schema: "
         "must be string, number, integer, boolean, array, object or null, but is the string "
         "\"float\""},
        {"[{\"name\":\"a\"," D "\"parameters\":{\"type\":\"dict\",\"properties\":{\"x\":"
         "{\"type\":\"quux\"}}}}]",
         "bfcl a(x: quux)! | invalid_schema /0/parameters/properties/x/type: invalid schema: must "
         "be string, number, integer, boolean, array, object or null, but is the string "
         "\"quux\""},
    };
    run(samples, LG_COUNT(samples));
}

#define API(paths) "{\"openapi\":\"3.0.3\",\"paths\":" paths "}"
#define OP "\"summary\":\"s\",\"responses\":{}"

static void operations(void)
{
    static const sample samples[] = {
        {API("{\"/a/{id}\":{\"parameters\":[{\"name\":\"id\",\"in\":\"path\",\"required\":true,"
             "\"schema\":{\"type\":\"string\"}},{\"name\":\"q\",\"in\":\"query\",\"schema\":{"
             "\"type\":\"string\"}}],\"get\":{\"operationId\":\"get/a\",\"parameters\":[{\"name\":"
             "\"q\",\"in\":\"query\",\"schema\":{\"type\":\"integer\"}}]," OP "}}}"),
         "openapi get_a(q: integer query, id*: string path)"},
        {API("{\"/a\":{\"post\":{" OP ",\"requestBody\":{\"required\":true,\"content\":{"
             "\"text/plain\":{},\"application/json\":{\"schema\":{\"type\":\"object\","
             "\"properties\":{\"n\":{\"type\":\"integer\"},\"at\":{\"type\":\"string\","
             "\"readOnly\":true}},\"required\":[\"n\",\"at\"]}}}}}}}"),
         "openapi post_a(n*: integer member)"},
        // The members of a body that may be left out cannot be required: it stays whole.
        {API("{\"/a\":{\"post\":{" OP ",\"requestBody\":{\"content\":{\"application/json\":{"
             "\"schema\":{\"type\":\"object\",\"properties\":{\"n\":{}},\"required\":[\"n\"]}}}}"
             "}}}"),
         "openapi post_a(body: object {n} body)"},
        {API("{\"/a\":{\"get\":{" OP ",\"parameters\":[{\"name\":\"t\",\"in\":\"query\",\"schema\":"
             "{}},{\"name\":\"t\",\"in\":\"header\",\"schema\":{}},{\"name\":\"Accept\",\"in\":"
             "\"header\",\"schema\":{}}]}}}"),
         "openapi get_a(t: any query, t_header: any header)"},
        {API("{\"/a\":{\"get\":{" OP ",\"parameters\":[{\"$ref\":\"#/components/no\"},{\"in\":"
             "\"query\"}]}}}"),
         "openapi get_a() | bad_reference /paths/~1a/get/parameters/0: the parameter "
         "`#/components/no` is not in this document | bad_parameter /paths/~1a/get/parameters/1: "
         "a parameter must have `name` and `in`, which is path, query, header or cookie"},
        {API("{\"/a/{id}\":{\"get\":{" OP "}}}"),
         "openapi get_a_id() | path_parameter /paths/~1a~1{id}/get: the path has {id}, but no "
         "parameter defines it"},
        {API("{\"/a\":{\"get\":{\"operationId\":\"x\"," OP "}},\"/b\":{\"get\":{\"operationId\":"
             "\"x\"," OP "}}}"),
         "openapi x(); openapi x_2() | duplicate_name /paths/~1b/get/operationId: the operationId "
         "`x` is taken by another operation"},
        {"{\"swagger\":\"2.0\",\"paths\":{\"/a\":{\"post\":{\"summary\":\"s\",\"parameters\":[{"
         "\"name\":\"f\",\"in\":\"formData\",\"type\":\"file\",\"required\":true},{\"name\":\"l\","
         "\"in\":\"query\",\"type\":\"array\",\"items\":{\"type\":\"integer\"},"
         "\"collectionFormat\":\"csv\"}],\"responses\":{\"200\":{\"schema\":{\"type\":\"object\"}}"
         "}}}}}",
         "openapi post_a(f*: string member, l: list of integer query)->"},
        {"{\"openapi\":\"3.1.0\",\"paths\":{\"/a\":{\"get\":{\"summary\":\"s\",\"parameters\":[{"
         "\"name\":\"c\",\"in\":\"cookie\",\"schema\":{\"$ref\":\"#/components/schemas/C\"}}],"
         "\"responses\":{\"200\":{\"content\":{\"application/json\":{\"schema\":{\"$ref\":"
         "\"#/components/schemas/C\"}}}}}}}},\"components\":{\"schemas\":{\"C\":{\"type\":["
         "\"string\",\"null\"]}}}}",
         "openapi get_a(c: string or null cookie)->"},
    };
    run(samples, LG_COUNT(samples));
}

static void schemas_are_closed_and_hold(void)
{
    static const char text[] = API(
        "{\"/a\":{\"get\":{" OP ",\"parameters\":[{\"name\":\"n\",\"in\":\"query\",\"required\":"
        "true,\"schema\":{\"$ref\":\"#/components/schemas/N\"}}]}}},\"components\":{\"schemas\":{"
        "\"N\":{\"type\":\"integer\",\"minimum\":0,\"exclusiveMinimum\":true,\"nullable\":true}}"
        "}");
    static const struct {
        const char *args;
        bool valid;
    } calls[] = {{"{\"n\":1}", true},      {"{\"n\":null}", true}, {"{\"n\":0}", false},
                 {"{\"n\":\"1\"}", false}, {"{}", false},          {"{\"n\":1,\"m\":1}", false}};
    lg_arena_init(&arena, 0);
    const lg_catalogue *c = NULL;
    CHECK(lg_catalogue_read(&arena, lg_str_c(text), NULL, &c, NULL) == LG_OK && c->tool_count == 1);
    CHECK(c && lg_str_eq(c->tools->name, LG_STR("get_a")));
    for (size_t i = 0; c && i < LG_COUNT(calls); i++) {
        const lg_json *args = NULL;
        lg_str call = lg_str_c(calls[i].args);
        CHECK(lg_json_parse_in(&arena, call, 0, call.len, NULL, &args, NULL) == LG_OK);
        CHECK_MSG(lg_schema_validate(c->tools[0].arguments, args, NULL) == calls[i].valid,
                  calls[i].args);
    }
    lg_arena_done(&arena);
}

// With ever more memory: an error until there is enough, and never half a catalogue.
static void memory_runs_out_cleanly(void)
{
    static const char text[] = TOOL(
        "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\",\"default\":\"\"}}}");
    bool read = false;
    for (size_t limit = 1024; limit < 1u << 20 && !read; limit += 1024) {
        const lg_catalogue *c = NULL;
        lg_error error = {0};
        lg_arena_init(&arena, limit);
        lg_status status = lg_catalogue_read(&arena, lg_str_c(text), NULL, &c, &error);
        read = status == LG_OK;
        CHECK(read ? c != NULL && c->finding_count == 1 && c->tools[0].arguments
                   : c == NULL && status == LG_ERR_OOM);
        lg_arena_done(&arena);
    }
    CHECK(read);
}

int main(void)
{
    RUN(formats);
    RUN(what_is_no_catalogue);
    RUN(documents_that_break_their_version);
    RUN(what_is_mended_means_the_same);
    RUN(findings);
    RUN(words);
    RUN(operations);
    RUN(schemas_are_closed_and_hold);
    RUN(memory_runs_out_cleanly);
    return lg_test_done();
}
