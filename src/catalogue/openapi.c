// openapi.c: the operations of an OpenAPI 3.0, 3.1 or Swagger 2.0 document as tools.
//
// An operation has its arguments in the path, the query, headers, cookies and the body; a tool has
// one object of arguments. Parameters keep their names, and the members of a plain object body stand
// beside them; where a name is taken, the later one gets its place as an ending (`token_query`). Any
// other body is one argument, `body`. Each argument remembers its place and its own name, so that a
// request can be built again. The schemas are those of the document, found through `document`.
//
// Read-only members of a body are left out at the top level: they are not for requests. Parameters
// named Accept, Content-Type and Authorization are ignored, as OpenAPI 3 says.
#include "catalogue/catalogue_internal.h"

typedef struct operation {
    reader *r;
    const lg_json *item; // what all methods of the path share
    const lg_json *source;
    lg_catalogue_tool tool;
    text_set names; // of the arguments
    text_set seen;  // "in name" of the parameters
    size_t capacity;
} operation;

static lg_str member_str(const lg_json *object, const char *key)
{
    return lg_json_str(lg_json_get(object, lg_str_c(key)));
}

static bool is_openapi_2(const reader *r)
{
    return lg_json_get(r->root, LG_STR("swagger")) != NULL;
}

// --- Arguments ----------------------------------------------------------------------------------

// A name for the argument that no other has; empty where a hundred tries were taken.
static lg_str free_name(operation *o, lg_str key, lg_argument_place place)
{
    lg_str name = key;
    for (uint32_t tries = 0; tries < 100 && !o->r->oom; tries++) {
        if (lg_text_set_put(o->r->arena, &o->names, name, 0, &o->r->oom) == SIZE_MAX) {
            return name;
        }
        const char *ending = place == LG_PLACE_MEMBER ? "body" : lg_argument_place_name(place);
        name = tries == 0 ? lg_arena_printf(o->r->arena, "%.*s_%s", LG_FMT(key), ending)
                          : lg_arena_printf(o->r->arena, "%.*s_%s_%u", LG_FMT(key), ending, tries);
        o->r->oom = o->r->oom || !name.ptr;
    }
    return LG_STR("");
}

static void add_argument(operation *o, lg_str key, lg_argument_place place, const lg_json *schema,
                         bool required)
{
    lg_catalogue_argument *list =
        lg_arena_grow(o->r->arena, o->tool.list, o->tool.list_count, &o->capacity, sizeof(*list));
    if (!list || !schema) {
        o->r->oom = true;
        return;
    }
    o->tool.list = list;
    lg_str name = free_name(o, key, place);
    if (name.len == 0) {
        lg_catalogue_complain(o->r, LG_FINDING_BAD_PARAMETER, o->source->offset,
                              "no free name is left for the parameter `%.*s`",
                              LG_FMT(lg_str_cut(key, 80)));
        return;
    }
    o->tool.list[o->tool.list_count++] = (lg_catalogue_argument){
        .name = name, .key = key, .place = place, .schema = schema, .required = required};
}

static const lg_json *keep(reader *r, lg_json value)
{
    lg_json *kept = LG_NEW(r->arena, lg_json);
    if (!kept) {
        r->oom = true;
        return NULL;
    }
    *kept = value;
    return kept;
}

static const lg_json *anything(reader *r, uint32_t offset)
{
    lg_json_member *members = lg_catalogue_members(r, 0);
    return members ? keep(r, lg_catalogue_object(r, members, 0, offset)) : NULL;
}

// The schema with the description that stands beside it in the parameter: models read it there.
static const lg_json *with_description(reader *r, const lg_json *schema, const lg_json *parameter)
{
    const lg_json *description = lg_json_get(parameter, LG_STR("description"));
    if (!lg_json_is(description, LG_JSON_STRING) || !lg_json_is(schema, LG_JSON_OBJECT) ||
        lg_json_get(schema, LG_STR("description")) || lg_json_get(schema, LG_STR("$ref"))) {
        return schema;
    }
    size_t count = lg_json_len(schema);
    lg_json_member *members = lg_catalogue_members(r, count + 1);
    if (!members) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        members[i] = *lg_json_member_at(schema, i);
    }
    members[count] = lg_json_make_member(LG_STR("description"), *description);
    return keep(r, lg_catalogue_object(r, members, count + 1, schema->offset));
}

// --- Parameters ---------------------------------------------------------------------------------

// Swagger 2.0 writes the schema into the parameter itself. What is none of its keywords goes, above
// all `required`, which is a boolean here; a file is text.
static const lg_json *inline_schema(reader *r, const lg_json *parameter)
{
    static const char *const others[] = {"name", "in", "required", "collectionFormat",
                                         "allowEmptyValue"};
    lg_json_member *members = lg_catalogue_members(r, lg_json_len(parameter));
    size_t count = 0;
    for (size_t i = 0; members && i < lg_json_len(parameter); i++) {
        lg_json_member member = *lg_json_member_at(parameter, i);
        bool skip = false;
        for (size_t j = 0; j < LG_COUNT(others); j++) {
            skip = skip || lg_str_eq(lg_json_key(&member), lg_str_c(others[j]));
        }
        if (lg_str_eq(lg_json_key(&member), LG_STR("type")) &&
            lg_str_eq(lg_json_str(&member.value), LG_STR("file"))) {
            member.value = lg_json_make_str(LG_STR("string"));
        }
        if (!skip) {
            members[count++] = member;
        }
    }
    return members ? keep(r, lg_catalogue_object(r, members, count, parameter->offset)) : NULL;
}

static const lg_json *parameter_schema(reader *r, const lg_json *parameter)
{
    const lg_json *schema = lg_json_get(parameter, LG_STR("schema"));
    const lg_json *content = lg_json_get(parameter, LG_STR("content"));
    if (!schema && lg_json_is(content, LG_JSON_OBJECT) && lg_json_len(content)) {
        schema = lg_json_get(&lg_json_member_at(content, 0)->value, LG_STR("schema"));
    }
    if (!schema && is_openapi_2(r)) {
        return inline_schema(r, parameter);
    }
    return schema ? with_description(r, schema, parameter) : anything(r, parameter->offset);
}

static bool place_of_word(lg_str word, lg_argument_place *ret)
{
    static const struct {
        const char *word;
        lg_argument_place place;
    } places[] = {{"path", LG_PLACE_PATH},     {"query", LG_PLACE_QUERY},
                  {"header", LG_PLACE_HEADER}, {"cookie", LG_PLACE_COOKIE},
                  {"body", LG_PLACE_BODY},     {"formData", LG_PLACE_MEMBER}};
    for (size_t i = 0; i < LG_COUNT(places); i++) {
        if (lg_str_eq(word, lg_str_c(places[i].word))) {
            *ret = places[i].place;
            return true;
        }
    }
    return false;
}

static bool is_ignored_header(lg_str name)
{
    static const char *const ignored[] = {"accept", "content-type", "authorization"};
    for (size_t i = 0; i < LG_COUNT(ignored); i++) {
        if (lg_str_eq_any_case(name, lg_str_c(ignored[i]))) {
            return true;
        }
    }
    return false;
}

static void read_body(operation *o, const lg_json *schema, const lg_json *described, bool required);

// Is this the first parameter of its name and place? Those of the operation go before the path's.
static bool is_first(operation *o, lg_str in, lg_str name)
{
    lg_str key = lg_arena_printf(o->r->arena, "%.*s %.*s", LG_FMT(in), LG_FMT(name));
    o->r->oom = o->r->oom || !key.ptr;
    return key.ptr && lg_text_set_put(o->r->arena, &o->seen, key, 0, &o->r->oom) == SIZE_MAX;
}

static void read_parameter(operation *o, const lg_json *given)
{
    reader *r = o->r;
    const lg_json *parameter = lg_refer(given, r->root);
    if (!parameter) {
        lg_catalogue_complain(r, LG_FINDING_BAD_REFERENCE, given->offset,
                              "the parameter `%.*s` is not in this document",
                              LG_FMT(lg_str_cut(member_str(given, "$ref"), 120)));
        return;
    }
    lg_str name = member_str(parameter, "name");
    lg_str in = member_str(parameter, "in");
    lg_argument_place place = LG_PLACE_NONE;
    if (!place_of_word(in, &place) || name.len == 0) {
        lg_catalogue_complain(r, LG_FINDING_BAD_PARAMETER, given->offset,
                              "a parameter must have `name` and `in`, which is path, query, header "
                              "or cookie");
        return;
    }
    bool required = lg_json_is_true(lg_json_get(parameter, LG_STR("required")));
    bool ignored = place == LG_PLACE_HEADER && !is_openapi_2(r) && is_ignored_header(name);
    if (ignored || !is_first(o, in, name)) {
        return;
    }
    const lg_json *schema = parameter_schema(r, parameter);
    if (place == LG_PLACE_BODY) {
        o->tool.media = LG_STR("application/json");
        read_body(o, schema, parameter, required);
        return;
    }
    if (place == LG_PLACE_MEMBER && o->tool.media.len == 0) {
        o->tool.media = lg_str_eq(member_str(parameter, "type"), LG_STR("file"))
                            ? LG_STR("multipart/form-data")
                            : LG_STR("application/x-www-form-urlencoded");
    }
    add_argument(o, name, place, schema, required || place == LG_PLACE_PATH);
}

static void read_parameters(operation *o, const lg_json *list)
{
    for (size_t i = 0; lg_json_is(list, LG_JSON_ARRAY) && i < lg_json_len(list); i++) {
        if (lg_json_is(&list->as.items[i], LG_JSON_OBJECT)) {
            read_parameter(o, &list->as.items[i]);
        }
    }
}

// --- The path's braces ----------------------------------------------------------------------------

static bool has_path_argument(const operation *o, lg_str key)
{
    for (size_t i = 0; i < o->tool.list_count; i++) {
        const lg_catalogue_argument *a = &o->tool.list[i];
        if (a->place == LG_PLACE_PATH && lg_str_eq(a->key, key)) {
            return true;
        }
    }
    return false;
}

static void check_path(operation *o)
{
    lg_str path = o->tool.path;
    for (size_t at = 0; at < path.len;) {
        size_t open = lg_str_find(lg_str_slice(path, at, path.len), LG_STR("{"));
        size_t from = open == SIZE_MAX ? path.len : at + open + 1;
        size_t close = lg_str_find(lg_str_slice(path, from, path.len), LG_STR("}"));
        if (from >= path.len || close == SIZE_MAX) {
            break;
        }
        lg_str key = lg_str_slice(path, from, from + close);
        if (!has_path_argument(o, key)) {
            lg_catalogue_complain(o->r, LG_FINDING_PATH_PARAMETER, o->source->offset,
                                  "the path has {%.*s}, but no parameter defines it",
                                  LG_FMT(lg_str_cut(key, 80)));
        }
        at = from + close + 1;
    }
    for (size_t i = 0; i < o->tool.list_count; i++) {
        const lg_catalogue_argument *a = &o->tool.list[i];
        lg_str brace = lg_arena_printf(o->r->arena, "{%.*s}", LG_FMT(a->key));
        if (a->place == LG_PLACE_PATH && brace.ptr && lg_str_find(path, brace) == SIZE_MAX) {
            lg_catalogue_complain(o->r, LG_FINDING_PATH_PARAMETER, o->source->offset,
                                  "the path parameter `%.*s` is not in the path",
                                  LG_FMT(lg_str_cut(a->key, 80)));
        }
    }
}

// --- Bodies -------------------------------------------------------------------------------------

// Says this schema no more than which members an object has? Then they can stand beside parameters.
static bool is_plain_object(const lg_json *schema, bool body_required)
{
    static const char *const plain[] = {"type",        "properties",  "required", "title",
                                        "description", "example",     "examples", "deprecated",
                                        "xml",         "externalDocs"};
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    if (!lg_json_is(properties, LG_JSON_OBJECT) ||
        (!body_required && lg_json_len(lg_json_get(schema, LG_STR("required"))))) {
        return false;
    }
    for (size_t i = 0; i < lg_json_len(schema); i++) {
        const lg_json_member *member = lg_json_member_at(schema, i);
        bool known = lg_str_starts(lg_json_key(member), LG_STR("x-")) ||
                     (lg_str_eq(lg_json_key(member), LG_STR("additionalProperties")) &&
                      lg_json_is(&member->value, LG_JSON_BOOL) && !member->value.as.boolean);
        for (size_t j = 0; j < LG_COUNT(plain) && !known; j++) {
            known = lg_str_eq(lg_json_key(member), lg_str_c(plain[j]));
        }
        if (!known) {
            return false;
        }
    }
    const lg_json *type = lg_json_get(schema, LG_STR("type"));
    return !type || lg_str_eq(lg_json_str(type), LG_STR("object"));
}

static bool is_listed(const lg_json *list, lg_str name)
{
    for (size_t i = 0; lg_json_is(list, LG_JSON_ARRAY) && i < lg_json_len(list); i++) {
        if (lg_str_eq(lg_json_str(&list->as.items[i]), name)) {
            return true;
        }
    }
    return false;
}

static void read_body(operation *o, const lg_json *schema, const lg_json *described, bool required)
{
    const lg_json *target = schema ? lg_refer(schema, o->r->root) : NULL;
    if (!is_plain_object(target, required)) {
        schema =
            schema ? with_description(o->r, schema, described) : anything(o->r, described->offset);
        add_argument(o, LG_STR("body"), LG_PLACE_BODY, schema, required);
        return;
    }
    const lg_json *properties = lg_json_get(target, LG_STR("properties"));
    const lg_json *names = lg_json_get(target, LG_STR("required"));
    for (size_t i = 0; i < lg_json_len(properties) && !o->r->oom; i++) {
        const lg_json_member *member = lg_json_member_at(properties, i);
        if (!lg_json_is_true(lg_json_get(&member->value, LG_STR("readOnly")))) {
            add_argument(o, lg_json_key(member), LG_PLACE_MEMBER, &member->value,
                         is_listed(names, lg_json_key(member)));
        }
    }
}

// The lower, the better it suits arguments that are JSON.
static int media_rank(lg_str media)
{
    lg_str bare = lg_str_trim(lg_str_slice(media, 0, lg_str_find(media, LG_STR(";"))));
    if (lg_str_eq(bare, LG_STR("application/json"))) {
        return 0;
    }
    if (lg_str_ends(bare, LG_STR("+json"))) {
        return 1;
    }
    return lg_str_eq(bare, LG_STR("application/x-www-form-urlencoded")) ? 2
           : lg_str_eq(bare, LG_STR("multipart/form-data"))             ? 3
                                                                        : 4;
}

// The member of `content` to use, or NULL.
static const lg_json_member *best_media(const lg_json *content)
{
    const lg_json_member *best = NULL;
    for (size_t i = 0; lg_json_is(content, LG_JSON_OBJECT) && i < lg_json_len(content); i++) {
        const lg_json_member *member = lg_json_member_at(content, i);
        if (!best || media_rank(lg_json_key(member)) < media_rank(lg_json_key(best))) {
            best = member;
        }
    }
    return best;
}

static void read_request_body(operation *o)
{
    const lg_json *given = lg_json_get(o->source, LG_STR("requestBody"));
    const lg_json *body = given ? lg_refer(given, o->r->root) : NULL;
    if (given && !body) {
        lg_catalogue_complain(o->r, LG_FINDING_BAD_REFERENCE, given->offset,
                              "the request body `%.*s` is not in this document",
                              LG_FMT(lg_str_cut(member_str(given, "$ref"), 120)));
    }
    const lg_json_member *media = best_media(lg_json_get(body, LG_STR("content")));
    if (media) {
        o->tool.media = lg_json_key(media);
        read_body(o, lg_json_get(&media->value, LG_STR("schema")), body,
                  lg_json_is_true(lg_json_get(body, LG_STR("required"))));
    }
}

// --- Responses ----------------------------------------------------------------------------------

// What a response says of its body; NULL if nothing.
static const lg_json *response_schema(const operation *o, const lg_json *response)
{
    response = response ? lg_refer(response, o->r->root) : NULL;
    const lg_json *schema = lg_json_get(response, LG_STR("schema")); // Swagger 2.0
    const lg_json_member *media = best_media(lg_json_get(response, LG_STR("content")));
    if (!schema && media && media_rank(lg_json_key(media)) <= 1) {
        schema = lg_json_get(&media->value, LG_STR("schema"));
    }
    return schema;
}

static const lg_json *result_schema(const operation *o)
{
    const lg_json *responses = lg_json_get(o->source, LG_STR("responses"));
    for (size_t i = 0; lg_json_is(responses, LG_JSON_OBJECT) && i < lg_json_len(responses); i++) {
        const lg_json_member *member = lg_json_member_at(responses, i);
        if (lg_str_starts(lg_json_key(member), LG_STR("2"))) {
            const lg_json *schema = response_schema(o, &member->value);
            if (schema) {
                return schema;
            }
        }
    }
    return NULL;
}

// --- One schema ---------------------------------------------------------------------------------

static lg_json required_names(operation *o, size_t count)
{
    lg_json *items = LG_NEW_ARRAY(o->r->arena, lg_json, count);
    size_t next = 0;
    for (size_t i = 0; items && i < o->tool.list_count; i++) {
        if (o->tool.list[i].required) {
            items[next++] = lg_json_make_str(o->tool.list[i].name);
        }
    }
    o->r->oom = o->r->oom || !items;
    return lg_json_make_array(items, items ? count : 0);
}

static lg_json properties_of(operation *o)
{
    size_t count = o->tool.list_count;
    lg_json_member *members = lg_catalogue_members(o->r, count);
    for (size_t i = 0; members && i < count; i++) {
        members[i] = lg_json_make_member(o->tool.list[i].name, *o->tool.list[i].schema);
    }
    return members ? lg_catalogue_object(o->r, members, count, o->source->offset)
                   : lg_json_make_null();
}

static const lg_json *assemble(operation *o)
{
    size_t required = 0;
    for (size_t i = 0; i < o->tool.list_count; i++) {
        required += o->tool.list[i].required ? 1 : 0;
    }
    lg_json_member *members = o->r->oom ? NULL : lg_catalogue_members(o->r, 3);
    if (!members) {
        return NULL;
    }
    members[0] = lg_json_make_member(LG_STR("type"), lg_json_make_str(LG_STR("object")));
    members[1] = lg_json_make_member(LG_STR("properties"), properties_of(o));
    if (required) {
        members[2] = lg_json_make_member(LG_STR("required"), required_names(o, required));
    }
    return keep(o->r, lg_catalogue_object(o->r, members, required ? 3 : 2, o->source->offset));
}

// --- Names --------------------------------------------------------------------------------------

// Letters, digits, `_` and `-` of `text`; each run of anything else is one `_`.
static lg_str plain_name(reader *r, lg_str text)
{
    char *out = lg_arena_alloc(r->arena, text.len + 1, 1);
    size_t len = 0;
    bool gap = false;
    for (size_t i = 0; out && i < text.len; i++) {
        char ch = text.ptr[i];
        bool good = lg_is_letter(ch) || lg_is_digit(ch) || ch == '_' || ch == '-';
        if (good && gap && len > 0 && out[len - 1] != '_') {
            out[len++] = '_';
        }
        if (good) {
            out[len++] = ch;
        }
        gap = !good;
    }
    r->oom = r->oom || !out;
    return lg_str_of(out ? out : "", len);
}

// `pets_list` of `pets/list`, or of method and path where there is no operationId. Free of the names
// that other operations have.
static void name_operation(operation *o, lg_str method)
{
    reader *r = o->r;
    lg_str id = member_str(o->source, "operationId");
    lg_str raw =
        id.len ? id : lg_arena_printf(r->arena, "%.*s_%.*s", LG_FMT(method), LG_FMT(o->tool.path));
    lg_str name = plain_name(r, raw.ptr ? raw : LG_STR(""));
    lg_str base = name;
    for (uint32_t n = 2; n < 10000 && !r->oom; n++) {
        if (lg_text_set_put(r->arena, &r->names, name, r->catalogue.tool_count, &r->oom) ==
            SIZE_MAX) {
            break;
        }
        name = lg_arena_printf(r->arena, "%.*s_%u", LG_FMT(base), n);
        r->oom = r->oom || !name.ptr;
    }
    o->tool.name = name.ptr ? name : LG_STR("");
    o->tool.id = id;
    r->tool = o->tool.name;
}

// The same operationId twice is an error of the document, whatever the tools are called.
static void check_operation_id(operation *o, text_set *ids)
{
    const lg_json *id = lg_json_get(o->source, LG_STR("operationId"));
    if (lg_json_is(id, LG_JSON_STRING) &&
        lg_text_set_put(o->r->arena, ids, lg_json_str(id), 0, &o->r->oom) != SIZE_MAX) {
        lg_catalogue_complain(o->r, LG_FINDING_DUPLICATE_NAME, id->offset,
                              "the operationId `%.*s` is taken by another operation",
                              LG_FMT(lg_str_cut(lg_json_str(id), 128)));
    }
}

// --- Documents ----------------------------------------------------------------------------------

static const struct {
    const char *key;
    const char *method;
} methods[] = {
    {"get", "GET"},       {"put", "PUT"},         {"post", "POST"},
    {"delete", "DELETE"}, {"options", "OPTIONS"}, {"head", "HEAD"},
    {"patch", "PATCH"},   {"trace", "TRACE"},     {"query", "QUERY"},
};

static void read_operation(operation *o, lg_str key, text_set *ids)
{
    lg_catalogue_tool *tool = &o->tool;
    name_operation(o, key);
    check_operation_id(o, ids);
    tool->description = member_str(o->source, "description");
    if (lg_str_trim(tool->description).len == 0) {
        tool->description = member_str(o->source, "summary");
    }
    read_parameters(o, lg_json_get(o->source, LG_STR("parameters")));
    read_parameters(o, lg_json_get(o->item, LG_STR("parameters")));
    read_request_body(o);
    check_path(o);
    tool->parameters = assemble(o);
    tool->result = result_schema(o);
    if (!o->r->oom) {
        lg_catalogue_add_tool(o->r, tool);
    }
}

static void read_path(reader *r, const lg_json_member *member, lg_schema_dialect dialect,
                      text_set *ids)
{
    const lg_json *item = lg_refer(&member->value, r->root);
    if (!item) {
        lg_catalogue_complain(r, LG_FINDING_BAD_REFERENCE, member->value.offset,
                              "the path item `%.*s` is not in this document",
                              LG_FMT(lg_str_cut(member_str(&member->value, "$ref"), 120)));
    }
    for (size_t i = 0; i < LG_COUNT(methods) && !r->oom && !r->too_many; i++) {
        const lg_json *source = lg_json_get(item, lg_str_c(methods[i].key));
        if (lg_json_is(source, LG_JSON_OBJECT)) {
            operation o = {.r = r, .item = item, .source = source};
            o.tool = (lg_catalogue_tool){.format = LG_CATALOGUE_OPENAPI,
                                         .method = lg_str_c(methods[i].method),
                                         .path = lg_json_key(member),
                                         .media = LG_STR(""),
                                         .source = source,
                                         .document = r->root,
                                         .dialect = dialect};
            read_operation(&o, lg_str_c(methods[i].key), ids);
        }
    }
}

// The dialect of the document's schemas; false if the version is unknown.
static bool find_dialect(reader *r, lg_schema_dialect *ret)
{
    lg_str version = member_str(r->root, "openapi");
    const lg_json *named = lg_json_get(r->root, LG_STR("jsonSchemaDialect"));
    if (is_openapi_2(r) || lg_str_starts(version, LG_STR("3.0"))) {
        *ret = LG_SCHEMA_OPENAPI_3_0;
        return !is_openapi_2(r) || lg_str_starts(member_str(r->root, "swagger"), LG_STR("2.0"));
    }
    *ret = LG_SCHEMA_2020_12;
    if (lg_str_find(lg_json_str(named), LG_STR("/draft-07/")) != SIZE_MAX) {
        *ret = LG_SCHEMA_7;
    } else if (named && lg_str_find(lg_json_str(named), LG_STR("/2020-12/")) == SIZE_MAX &&
               lg_str_find(lg_json_str(named), LG_STR("spec.openapis.org/oas/3.1")) == SIZE_MAX) {
        lg_catalogue_complain(r, LG_FINDING_INVALID_SCHEMA, named->offset,
                              "invalid schema: this `jsonSchemaDialect` is not known here");
    }
    return lg_str_starts(version, LG_STR("3.1")) || lg_str_starts(version, LG_STR("3.2"));
}

bool lg_openapi_read(reader *r)
{
    lg_schema_dialect dialect;
    if (!find_dialect(r, &dialect)) {
        return false;
    }
    text_set ids = {0};
    r->root = lg_catalogue_mend(r, r->root, dialect);
    const lg_json *paths = lg_json_get(r->root, LG_STR("paths"));
    for (size_t i = 0; lg_json_is(paths, LG_JSON_OBJECT) && i < lg_json_len(paths); i++) {
        const lg_json_member *member = lg_json_member_at(paths, i);
        if (lg_str_starts(lg_json_key(member), LG_STR("/"))) {
            read_path(r, member, dialect, &ids);
        }
        r->tool = LG_STR("");
    }
    return true;
}
