// compiled.c: the schemas of responses, compiled when the document is read and not at each answer.
//
// Most operations name the same few errors: a schema that several refer to is compiled once.
#include "rest/rest_internal.h"

// The key of a schema: where it stands.
static lg_str key_of(lg_arena *arena, const lg_json *schema)
{
    const lg_json **place = LG_NEW(arena, const lg_json *);
    if (!place) {
        return (lg_str){0};
    }
    *place = schema;
    return lg_str_of((const char *)place, sizeof(schema));
}

// What a bare reference stands for: then all that refer to it share it.
static const lg_json *target(const lg_json *schema, const lg_json *document)
{
    bool bare = lg_json_get(schema, LG_STR("$ref")) && lg_json_len(schema) == 1;
    return bare ? lg_refer(schema, document) : schema;
}

typedef struct shape {
    const lg_schema *schema; // NULL: it cannot be compiled
    const lg_json *least;    // an instance with no more than it must have; NULL: none was made
    bool has_tried;
} shape;

// The shape of a schema, made when it is asked for first. NULL: out of memory.
static shape *shape_of(lg_arena *arena, lg_rest *rest, const lg_rest_operation *o,
                       const lg_json *schema)
{
    const lg_json *meant = target(schema, rest->document);
    meant = meant ? meant : schema;
    lg_str key = key_of(arena, meant);
    shape *const *known = key.ptr ? lg_map_get(&rest->compiled, key) : NULL;
    if (known || !key.ptr) {
        return known ? *known : NULL;
    }
    shape *made = LG_NEW(arena, shape);
    shape **item = LG_NEW(arena, shape *);
    if (!made || !item) {
        return NULL;
    }
    lg_errors errors;
    lg_errors_init(&errors, arena, 1);
    lg_schema_options options = {
        .dialect = o->tool->dialect, .document = rest->document, .integer_formats = true};
    made->schema = lg_schema_compile(arena, meant, &options, &errors);
    *item = made;
    return lg_map_put(arena, &rest->compiled, key, item, 1) ? made : NULL;
}

// Some schemas reach through the whole document: an instance of them takes milliseconds, which no error should.
static bool make_least(lg_arena *arena, shape *of)
{
    lg_synthesis_options how = {.members = LG_MEMBERS_REQUIRED};
    lg_status status =
        of->has_tried || !of->schema
            ? LG_OK
            : lg_schema_synthesise_compiled(arena, of->schema, &how, &of->least, NULL);
    of->has_tried = true;
    return status != LG_ERR_OOM;
}

static bool compile_media(lg_arena *arena, lg_rest *rest, const lg_rest_operation *o, bool is_error,
                          rest_media *media)
{
    shape *found = shape_of(arena, rest, o, media->schema);
    if (!found || (is_error && !make_least(arena, found))) {
        return false;
    }
    media->compiled = found->schema;
    media->least = found->least;
    return true;
}

// --- Headers ------------------------------------------------------------------------------------

static const lg_json *schema_of_header(const lg_json *header)
{
    const lg_json *schema = lg_json_get(header, LG_STR("schema"));
    const lg_json *content = lg_json_get(header, LG_STR("content"));
    if (!schema && lg_json_is(content, LG_JSON_OBJECT) && lg_json_len(content)) {
        schema = lg_json_get(&lg_json_member_at(content, 0)->value, LG_STR("schema"));
    }
    return schema ? schema : header; // Swagger 2.0
}

static bool is_demanded(const rest_reply *reply, lg_str name, const lg_json *header)
{
    bool elsewhere = reply->code == 3 || reply->code / 100 == 3;
    bool needed = lg_json_is_true(lg_json_get(header, LG_STR("required"))) ||
                  (elsewhere && lg_str_eq_any_case(name, LG_STR("location")));
    return needed && !lg_str_eq_any_case(name, LG_STR("content-type"));
}

static bool read_demands(lg_arena *arena, lg_rest *rest, const lg_rest_operation *o,
                         rest_reply *reply)
{
    const lg_json *headers = lg_json_get(reply->source, LG_STR("headers"));
    size_t count = lg_json_is(headers, LG_JSON_OBJECT) ? lg_json_len(headers) : 0;
    size_t capacity = 0;
    for (size_t i = 0; i < count; i++) {
        const lg_json_member *member = lg_json_member_at(headers, i);
        const lg_json *header = lg_refer(&member->value, rest->document);
        if (!header || !is_demanded(reply, lg_json_key(member), header)) {
            continue;
        }
        reply->demands = lg_arena_grow(arena, reply->demands, reply->demand_count, &capacity,
                                       sizeof(*reply->demands));
        if (!reply->demands) {
            return false;
        }
        rest_demand *demand = &reply->demands[reply->demand_count++];
        *demand = (rest_demand){.name = lg_json_key(member)};
        const shape *found = shape_of(arena, rest, o, schema_of_header(header));
        if (!found) {
            return false;
        }
        demand->schema = found->schema;
    }
    return true;
}

bool lg_rest_compile_replies(lg_arena *arena, lg_rest *rest, lg_rest_operation *operation)
{
    bool ok = true;
    const lg_json *result = operation->tool->result;
    result = result ? target(result, rest->document) : NULL;
    for (size_t i = 0; ok && i < operation->reply_count; i++) {
        rest_reply *reply = &operation->replies[i];
        ok = read_demands(arena, rest, operation, reply);
        for (size_t j = 0; ok && j < reply->media_count; j++) {
            rest_media *media = &reply->media[j];
            bool is_error =
                reply->code >= 400 || reply->code == 0 || reply->code == 4 || reply->code == 5;
            if (!media->schema) {
                continue;
            }
            if (!is_error && operation->tool->results &&
                target(media->schema, rest->document) == result) {
                media->compiled = operation->tool->results;
            } else {
                ok = compile_media(arena, rest, operation, is_error, media);
            }
        }
    }
    return ok;
}
