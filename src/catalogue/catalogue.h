// catalogue.h: lists of tools, as the world writes them, read into one form.
//
// What an MCP server answers to `tools/list`, the functions of an OpenAI or Anthropic request, the
// function documents of BFCL, and the operations of an OpenAPI document all become the same thing: a
// name, a description, and one JSON Schema for the arguments, compiled. Whatever is wrong with a
// tool is a finding with its place in the text, and the tool is kept, so that one reading shows all.
//
//     lg_catalogue *tools;
//     if (lg_catalogue_read(&arena, text, NULL, &tools, &err) != LG_OK) ...
//     for (size_t i = 0; i < tools->tool_count; i++) // tools->tools[i].name, .arguments
//
// JSON Lines are read too: a line is a tool, a list, or a BFCL question with its functions. Nothing
// is ever fetched: a reference leads to another place of the same document.
#ifndef LG_CATALOGUE_H
#define LG_CATALOGUE_H

#include "schema/schema.h"

typedef enum lg_catalogue_format {
    LG_CATALOGUE_MCP,       // {name, description, inputSchema, outputSchema}
    LG_CATALOGUE_OPENAI,    // {type: function, function: {...}} or {name, description, parameters}
    LG_CATALOGUE_ANTHROPIC, // {name, description, input_schema}
    LG_CATALOGUE_BFCL,      // as OpenAI's, with type words of programming languages: dict, float
    LG_CATALOGUE_OPENAPI,   // an operation of OpenAPI 3.0, 3.1 or Swagger 2.0
} lg_catalogue_format;

const char *lg_catalogue_format_name(lg_catalogue_format format); // "mcp", "openai", ...

// --- Tools --------------------------------------------------------------------------------------

// Where an argument goes in an HTTP request; a tool that is no operation has plain arguments.
typedef enum lg_argument_place {
    LG_PLACE_NONE,
    LG_PLACE_PATH,
    LG_PLACE_QUERY,
    LG_PLACE_HEADER,
    LG_PLACE_COOKIE,
    LG_PLACE_MEMBER, // a member of the body
    LG_PLACE_BODY,   // the whole body
} lg_argument_place;

const char *lg_argument_place_name(lg_argument_place place); // "", "path", ..., "body"

typedef struct lg_catalogue_argument {
    lg_str name;
    lg_str key; // its name in the request; differs where two parameters share one
    lg_argument_place place;
    const lg_json *schema;
    bool required;
} lg_catalogue_argument;

typedef struct lg_catalogue_tool {
    lg_str name;
    lg_str description; // may be empty
    lg_catalogue_format format;
    lg_str id;     // what the source calls it beside its name: `id`, `operationId`; may be empty
    lg_str method; // "GET"; operations only
    lg_str path;   // "/pets/{id}"; operations only
    lg_str media;  // of the body: "application/json"; empty without one
    const lg_json *source;
    const lg_json *document;   // what `$ref` starts from, set right (mend.c); NULL: the schema
    lg_schema_dialect dialect; // of both schemas
    const lg_json *parameters; // schema of the arguments, type words normalised; NULL: none given
    const lg_json *result;     // schema of what the tool returns; NULL: none given
    // `parameters` compiled, closed; NULL: none, or a finding says why. A server refuses what is no date: of operations `format`
    // is asserted, where that can be, and int32 and int64 are bounds.
    const lg_schema *arguments;
    const lg_schema *results;    // `result` compiled; likewise
    lg_catalogue_argument *list; // the named arguments, in the order of the source
    size_t list_count;
} lg_catalogue_tool;

// --- Findings -----------------------------------------------------------------------------------

// clang-format off
#define LG_CATALOGUE_FINDING_MAP(X)                                                       \
    X(NOT_A_TOOL,       "not_a_tool",       true)  /* an entry that is no tool */         \
    X(NO_NAME,          "no_name",          true)                                         \
    X(BAD_NAME,         "bad_name",         true)  /* refused by the API it is for */     \
    X(ODD_NAME,         "odd_name",         false) /* refused by some */                  \
    X(DUPLICATE_NAME,   "duplicate_name",   true)                                         \
    X(NO_DESCRIPTION,   "no_description",   false)                                        \
    X(NO_SCHEMA,        "no_schema",        false)                                        \
    X(BUILT_IN,         "built_in",         false) /* run by its provider */              \
    X(INVALID_SCHEMA,   "invalid_schema",   true)                                         \
    X(INVALID_RESULT,   "invalid_result",   true)  /* the schema of what is returned */   \
    X(REQUIRED_UNKNOWN, "required_unknown", true)  /* required, but nothing defines it */ \
    X(REQUIRED_NESTED,  "required_nested",  false) /* the same below the top level */     \
    X(BAD_DEFAULT,      "bad_default",      false) /* a default that is not valid */      \
    X(NAMED_TWICE,      "named_twice",      false) /* of `required` or `enum` */          \
    X(OTHER_VERSION,    "other_version",    false) /* a word of another OpenAPI */        \
    X(BAD_REFERENCE,    "bad_reference",    true)  /* leads nowhere */                    \
    X(BAD_PARAMETER,    "bad_parameter",    true)  /* of an operation */                  \
    X(PATH_PARAMETER,   "path_parameter",   false) /* differs from the path's braces */
// clang-format on

typedef enum lg_catalogue_kind {
#define X(name, text, error) LG_FINDING_##name,
    LG_CATALOGUE_FINDING_MAP(X)
#undef X
} lg_catalogue_kind;

const char *lg_catalogue_kind_name(lg_catalogue_kind kind); // "duplicate_name"
bool lg_catalogue_kind_is_error(lg_catalogue_kind kind);    // else a warning

typedef struct lg_catalogue_finding {
    lg_catalogue_kind kind;
    lg_str tool;     // its name; may be empty
    uint32_t offset; // byte of the text
    lg_str pointer;  // of that place in its document
    lg_str msg;      // for people: no newline, no final full stop
} lg_catalogue_finding;

typedef struct lg_catalogue {
    lg_catalogue_tool *tools;
    size_t tool_count;
    lg_catalogue_finding *findings; // in the order in which they were met
    size_t finding_count;
    size_t error_count;      // of the findings, also of the dropped ones
    size_t findings_dropped; // past LG_CATALOGUE_FINDINGS_MAX
} lg_catalogue;

// --- Reading ------------------------------------------------------------------------------------

#define LG_CATALOGUE_TOOLS_MAX 100000u
#define LG_CATALOGUE_FINDINGS_MAX 10000u
#define LG_CATALOGUE_DEPTH_MAX 128u // nesting of a schema whose type words are normalised

typedef struct lg_catalogue_options {
    bool without_results; // do not compile the schemas of what tools return
    const lg_limits *limits;
} lg_catalogue_options;

// Reads the tools of `text` into `arena`; `text` must outlive them. A file that is well formed but
// holds no list of tools is LG_ERR_FORMAT; broken JSON is LG_ERR_PARSE; more than
// LG_CATALOGUE_TOOLS_MAX tools are LG_ERR_LIMIT. `options` and `reterr` may be NULL.
LG_NODISCARD lg_status lg_catalogue_read(lg_arena *arena, lg_str text,
                                         const lg_catalogue_options *options,
                                         const lg_catalogue **ret_catalogue, lg_error *reterr);

// The same for one document that was parsed elsewhere, for example from YAML. `text` is what the
// offsets of `root` count, and gives errors their position.
LG_NODISCARD lg_status lg_catalogue_of(lg_arena *arena, lg_str text, const lg_json *root,
                                       const lg_catalogue_options *options,
                                       const lg_catalogue **ret_catalogue, lg_error *reterr);

// Follows `$ref` of `value` from the root of `document`; `value` itself if it has none, NULL if the
// reference leads nowhere or round in a circle.
const lg_json *lg_refer(const lg_json *value, const lg_json *document);

// Appends what a schema asks for in a few words: "string", "list of integer", "\"a\" | \"b\"",
// "object {street, city}". References are followed from `document`.
void lg_catalogue_print_type(lg_buf *out, const lg_json *schema, const lg_json *document);

#endif
