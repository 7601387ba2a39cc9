// rest_internal.h: what the files of this room share.
//
// An operation is read twice: by the catalogue, which makes a tool of it, and here, for all that HTTP needs beside the tool:
// styles, media types, responses, credentials. Arguments stand in the order of the tool's list.
#ifndef LG_REST_INTERNAL_H
#define LG_REST_INTERNAL_H

#include "base/map.h"
#include "rest/rest.h"
#include "schema/synthesise.h"

#define REST_LEVELS_MAX                                                                            \
    8u // of `$ref`, `allOf` and `anyOf` that are followed for the type of a value
#define REST_VISITS_MAX 500u  // of schemas, for one such question
#define REST_NESTING_MAX 16u  // brackets of one name: a[b][c]
#define REST_SEGMENTS_MAX 64u // of a path
#define REST_PREFIXES_MAX 16u // paths of `servers`

// --- Types of values (shape.c) ------------------------------------------------------------------

enum {
    REST_NULL = 1,
    REST_BOOLEAN = 2,
    REST_INTEGER = 4,
    REST_NUMBER = 8,
    REST_STRING = 16,
    REST_ARRAY = 32,
    REST_OBJECT = 64,
    REST_ANY = 127,
};

// The types that an instance of `schema` may have; all of them where it does not say. `schema` may be NULL.
uint32_t lg_rest_types(const lg_json *schema, const lg_json *document);
// The schema of a member or of the elements; NULL where nothing is said.
const lg_json *lg_rest_member(const lg_json *schema, const lg_json *document, lg_str key);
const lg_json *lg_rest_element(const lg_json *schema, const lg_json *document);
// Does the schema name this member in its `properties`?
bool lg_rest_names_member(const lg_json *schema, const lg_json *document, lg_str key);
// An object of members that stand elsewhere; of two with one key the first. False: out of memory.
bool lg_rest_object(lg_arena *arena, const lg_json_member *members, size_t count, lg_json *ret);
// `text` as the first of `types` that it can be; else it stays a string.
lg_json lg_rest_scalar(lg_arena *arena, lg_str text, uint32_t types);
// `text` read as JSON, or NULL.
const lg_json *lg_rest_json(lg_arena *arena, lg_str text);

// --- Texts (percent.c) --------------------------------------------------------------------------

typedef enum rest_decoding {
    REST_PLAIN,   // nothing is encoded: headers
    REST_ESCAPED, // %41: paths
    REST_FORM,    // and `+` is a blank: queries and forms
    REST_LENIENT, // what is no escape stands for itself: cookies
} rest_decoding;

// False with `*ret_oom` set or not: not well escaped, or no UTF-8.
bool lg_rest_decode(lg_arena *arena, lg_str raw, rest_decoding how, lg_str *ret, bool *ret_oom);
// Escapes all but what RFC 3986 calls unreserved; of that, the bytes of `also`, too.
void lg_rest_encode(lg_buf *out, lg_str text, lg_str also);
// Copies what was built, and frees the buffer. False: out of memory.
bool lg_rest_take(lg_arena *arena, lg_buf *buf, lg_str *ret);
// Bytes as a text of JSON: as they are if they are UTF-8, else in base64. ptr is NULL when out of memory.
lg_str lg_rest_text_of(lg_arena *arena, lg_str bytes);

// --- Operations (operation.c) -------------------------------------------------------------------

typedef enum rest_style {
    REST_SIMPLE,
    REST_LABEL,
    REST_MATRIX,
    REST_FORM_STYLE,
    REST_SPACE,
    REST_PIPE,
    REST_TAB,
    REST_DEEP,
    REST_CONTENT, // JSON in one value
} rest_style;

typedef struct rest_parameter {
    const lg_catalogue_argument *argument;
    rest_style style;
    bool explode;
    uint32_t types;
} rest_parameter;

typedef enum rest_media_kind {
    REST_MEDIA_JSON,
    REST_MEDIA_FORM,
    REST_MEDIA_MULTIPART,
    REST_MEDIA_TEXT,
    REST_MEDIA_XML,
    REST_MEDIA_BYTES,
} rest_media_kind;

typedef struct rest_media {
    lg_str name; // as the document has it
    rest_media_kind kind;
    const lg_json *source;     // {"schema", "example", "examples", "encoding"}
    const lg_json *schema;     // or NULL
    const lg_schema *compiled; // of responses; NULL: there is no schema, or it cannot be compiled
    const lg_json *least;      // of errors: an instance with what it must have; or NULL
} rest_media;

// A header that a response must have.
typedef struct rest_demand {
    lg_str name;
    const lg_schema *schema; // or NULL
} rest_demand;

typedef struct rest_reply {
    uint32_t code;         // 404; 4 for "4XX"; 0 for "default"
    const lg_json *source; // NULL: a reference leads nowhere
    rest_media *media;
    size_t media_count;
    rest_demand *demands;
    size_t demand_count;
} rest_reply;

typedef struct rest_credential {
    lg_argument_place place;
    lg_str name;
    const char *scheme; // "Basic", "Bearer"; NULL: the value itself is the key
} rest_credential;

// One way to be let in: all of these.
typedef struct rest_requirement {
    rest_credential *items;
    size_t count;
} rest_requirement;

// Of a path: literal, value, literal, ... as many values as braces.
typedef struct rest_pattern {
    lg_str *literals; // brace_count + 1
    size_t brace_count;
} rest_pattern;

// What a path has behind a `?`: "beta=true", "lat={lat}". No standard has it; documents do.
typedef struct rest_fixed {
    lg_str key;
    lg_str literal;
    size_t argument; // index of the one in braces; SIZE_MAX: it is the literal
} rest_fixed;

struct lg_rest_operation {
    const lg_rest *rest;
    const lg_catalogue_tool *tool;
    rest_parameter *parameters; // tool->list_count
    size_t *braces; // index of the argument of each brace of the path; SIZE_MAX: none defines it
    size_t brace_count;
    rest_fixed *fixed;
    size_t fixed_count;
    // Headers that are no arguments (Accept, Content-Type, Authorization) and are demanded all the same.
    lg_str demanded[3];
    size_t demanded_count;
    rest_media *bodies;
    size_t body_count;
    bool body_required;
    bool body_closed;     // the schema says that there is no other member
    bool body_may_be_any; // it is not said to be an object: what is none has no members
    bool body_may_be_null;
    bool has_members; // arguments that are members of the body
    rest_reply *replies;
    size_t reply_count;
    size_t success; // index of what is answered when all is well; SIZE_MAX: nothing is documented
    rest_requirement *requirements;
    size_t requirement_count; // 0: nothing is demanded
};

struct lg_rest {
    const lg_rest_options *options;
    const lg_json *document;
    bool is_swagger; // 2.0
    lg_rest_operation *operations;
    size_t count;
    const struct rest_node *root;
    lg_str prefixes[REST_PREFIXES_MAX];
    size_t prefix_count;
    lg_map compiled; // schemas of responses, each once, by their place in memory (compiled.c)
};

bool lg_rest_read_operation(lg_arena *arena, const lg_rest *rest, const lg_catalogue_tool *tool,
                            lg_rest_operation *ret);
// False: out of memory.
bool lg_rest_read_security(lg_arena *arena, const lg_rest *rest, lg_rest_operation *operation);
// Compiles what responses are made of, so that no request has to (compiled.c).
bool lg_rest_compile_replies(lg_arena *arena, lg_rest *rest, lg_rest_operation *operation);

static inline lg_str rest_member_str(const lg_json *object, const char *key)
{
    return lg_json_str(lg_json_get(object, lg_str_c(key)));
}

// The URL of the document's first server, without a slash at its end; empty: none is named. ptr NULL: out of memory.
lg_str lg_rest_server(const lg_rest *rest, lg_arena *arena);

// --- Paths (router.c) ---------------------------------------------------------------------------

bool lg_rest_build_router(lg_arena *arena, lg_rest *rest);

typedef struct rest_route {
    const lg_rest_operation *operation;     // or NULL
    lg_str allow;                           // of a path that has not this method
    lg_str values[LG_REST_PATH_VALUES_MAX]; // as they stand in the path
} rest_route;

// Finds the operation; `path_known` tells whether there is such a path with another method.
// `query` decides between operations of one path and method.
void lg_rest_route(const lg_rest *rest, lg_arena *arena, lg_str method, lg_str path, lg_str query,
                   rest_route *ret);

// --- Media types (media.c) ----------------------------------------------------------------------

lg_str lg_rest_bare_media(lg_str media); // without parameters and blanks
rest_media_kind lg_rest_media_kind(lg_str media);
// Is `media` one of the `range` ("application/*", "*/*")? Parameters do not count.
bool lg_rest_media_fits(lg_str range, lg_str media);
// How welcome: the q of the best range of `accept`, in thousandths; 1000 for an empty one.
uint32_t lg_rest_accepted(lg_str accept, lg_str media);
// The value of a parameter: boundary, charset; empty if there is none.
lg_str lg_rest_media_parameter(lg_str media, lg_str name);

// --- Requests (read.c and those that it uses) ---------------------------------------------------

typedef struct rest_pair {
    lg_str name; // decoded
    lg_str raw;
} rest_pair;

typedef struct rest_reading {
    lg_arena *arena;
    const lg_rest *rest;
    const lg_rest_request *request;
    lg_rest_call *call;
    lg_rest_problem *problem;
    const lg_rest_operation *operation;
    rest_pair *query, *cookies;
    size_t query_count, cookie_count;
    lg_json *values; // of the arguments, in the order of the tool's list
    bool *has;
    bool oom;
} rest_reading;

// Notes the first problem; returns false.
LG_PRINTF(3, 4)
bool lg_rest_trouble(rest_reading *r, uint32_t status, const char *format, ...);
// The same of one place of the arguments.
LG_PRINTF(3, 4) bool lg_rest_invalid(rest_reading *r, lg_str pointer, const char *format, ...);
lg_str lg_rest_header(const lg_rest_request *request, lg_str name); // the first; ptr NULL: none
// `text` decoded, or false with the problem noted.
bool lg_rest_read_text(rest_reading *r, lg_str raw, rest_decoding how, lg_str *ret);
// Pairs of a query, a form (separator `&`) or of cookies (`;`).
bool lg_rest_read_pairs(rest_reading *r, lg_str text, char separator, rest_decoding how,
                        rest_pair **ret, size_t *ret_count);

// One parameter (style.c): of a raw text, or of pairs. `*ret_has` says whether it is there.
bool lg_rest_read_raw(rest_reading *r, const rest_parameter *p, lg_str raw, rest_decoding how,
                      lg_json *ret, bool *ret_has);
bool lg_rest_read_named(rest_reading *r, const rest_parameter *p, const rest_pair *pairs,
                        size_t count, rest_decoding how, lg_json *ret, bool *ret_has);
bool lg_rest_check_security(rest_reading *r); // security.c
bool lg_rest_read_prefer(rest_reading *r);    // prefer.c

// --- Names with brackets (tree.c) ---------------------------------------------------------------

// What pairs like a[b][0]=c say together.
typedef struct rest_tree {
    rest_reading *r;
    struct rest_branch *root;
} rest_tree;

bool lg_rest_tree_begin(rest_reading *r, rest_tree *tree);
// Adds a text at `name`; `literal`: its brackets mean nothing.
bool lg_rest_tree_add(rest_tree *tree, lg_str name, bool literal, lg_str text);
// The value of the top-level `key`, or false if nothing is there.
bool lg_rest_tree_value(rest_tree *tree, lg_str key, const lg_json *schema, lg_json *ret);
// All of it as one object.
lg_json lg_rest_tree_object(rest_tree *tree, const lg_json *schema);
// Calls `visit` with each top-level key, until it returns false.
typedef bool (*rest_tree_visit)(void *context, lg_str key);
bool lg_rest_tree_each(const rest_tree *tree, rest_tree_visit visit, void *context);

bool lg_rest_read_body(rest_reading *r); // body.c
// Adds the parts of a body of this boundary (multipart.c).
bool lg_rest_read_multipart(rest_reading *r, lg_str boundary, rest_tree *tree);
// Is this name in a form one of its members as it stands, whatever its brackets?
bool lg_rest_is_literal(const rest_reading *r, lg_str name);

// --- Responses ----------------------------------------------------------------------------------

// The reply for a status: exactly, by its range, or the default one. NULL: none.
const rest_reply *lg_rest_reply_for(const lg_rest_operation *operation, uint32_t status,
                                    bool with_default);
// The media type of a reply to use, or NULL if the client accepts none of them; `*ret_none`: it has none.
const rest_media *lg_rest_choose_media(const rest_reply *reply, lg_str accept, bool *ret_none);

typedef struct rest_writing {
    lg_arena *arena;
    const lg_rest *rest;
    const lg_rest_call *call;
    lg_rest_response *response;
    uint64_t seed;
    bool oom;
} rest_writing;

void lg_rest_add_header(rest_writing *w, lg_str name, lg_str value);
// The headers that the reply demands.
void lg_rest_demanded_headers(rest_writing *w, const rest_reply *reply);
// A body of this media type.
void lg_rest_body(rest_writing *w, const rest_media *media, const lg_json *value);
// An instance of the schema, which may be NULL; NULL: none can be made. `how` lacks the seed.
const lg_json *lg_rest_make(rest_writing *w, const lg_schema *schema, lg_synthesis_options how);
// What this status or method does not allow is taken away.
void lg_rest_finish(rest_writing *w);
// A problem of RFC 9457, or a body of the schema that the document has for `status` (problem.c).
void lg_rest_write_problem(rest_writing *w, uint32_t status, lg_str detail,
                           const lg_rest_violation *violations, size_t count);
void lg_rest_xml(lg_buf *out, const lg_json *value, lg_str name, uint32_t levels); // xml.c

// --- Sending (style_write.c) --------------------------------------------------------------------

typedef struct rest_sender {
    lg_arena *arena;
    const lg_rest_operation *operation;
    lg_buf path, query, cookies, body;
    lg_rest_field *headers;
    size_t header_count, header_capacity;
    lg_error *reterr;
    lg_status status;
} rest_sender;

LG_PRINTF(2, 3) bool lg_rest_cannot(rest_sender *s, const char *format, ...);
// A value in a path: label and matrix, too. `also`: bytes that must not stand bare.
bool lg_rest_send_simple(rest_sender *s, const rest_parameter *p, const lg_json *value,
                         lg_str also);
// The value of a header.
bool lg_rest_send_header(rest_sender *s, const rest_parameter *p, const lg_json *value);
// name=value pairs, each behind `separator` but for the first of `out`. `as_json`: what has parts of its own is JSON.
bool lg_rest_send_pairs(rest_sender *s, const rest_parameter *p, const lg_json *value,
                        const char *separator, bool as_json, lg_buf *out);
bool lg_rest_add_sent(rest_sender *s, lg_str name, lg_str value); // a header
bool lg_rest_send_body(rest_sender *s, const lg_json *args);      // body_write.c
void lg_rest_scalar_text(lg_buf *out, const lg_json *value);      // a string as it is, else JSON

#endif
