// inline.c: a schema without references.
//
// What a reference leads to is put in its place. A schema that contains itself goes once round and is cut there, and so is
// what is too deep or too much: a cut is an open schema with a description that says so. On the way the words of draft 7
// and of OpenAPI 3.0 become those of draft 2020-12, and every property gets a description.
#include "describe/describe_internal.h"

#define ROUNDS 2u // how often a reference may stand within itself

typedef struct walk {
    job *j;
    const lg_json *document;
    lg_schema_dialect dialect;
    const lg_json *open[LG_DESCRIBE_DEPTH_MAX + 1]; // targets that are being put in
    size_t open_count;
    uint32_t depth;
    bool told;
} walk;

typedef enum shape { SHAPE_SCHEMA, SHAPE_LIST, SHAPE_MAP, SHAPE_PROPERTIES, SHAPE_DROP } shape;

static const struct {
    const char *keyword;
    shape shape;
} keywords[] = {
    {"properties", SHAPE_PROPERTIES},
    {"patternProperties", SHAPE_MAP},
    {"dependentSchemas", SHAPE_MAP},
    {"items", SHAPE_SCHEMA},
    {"additionalItems", SHAPE_SCHEMA},
    {"additionalProperties", SHAPE_SCHEMA},
    {"unevaluatedProperties", SHAPE_SCHEMA},
    {"unevaluatedItems", SHAPE_SCHEMA},
    {"contains", SHAPE_SCHEMA},
    {"propertyNames", SHAPE_SCHEMA},
    {"not", SHAPE_SCHEMA},
    {"if", SHAPE_SCHEMA},
    {"then", SHAPE_SCHEMA},
    {"else", SHAPE_SCHEMA},
    {"prefixItems", SHAPE_LIST},
    {"anyOf", SHAPE_LIST},
    {"oneOf", SHAPE_LIST},
    {"allOf", SHAPE_LIST},
    {"$schema", SHAPE_DROP},
    {"$id", SHAPE_DROP},
    {"$comment", SHAPE_DROP},
    {"$defs", SHAPE_DROP},
    {"definitions", SHAPE_DROP},
    {"$anchor", SHAPE_DROP},
    {"$dynamicAnchor", SHAPE_DROP},
    {"$vocabulary", SHAPE_DROP},
    {"$ref", SHAPE_DROP},
    {"$dynamicRef", SHAPE_DROP},
    {"discriminator", SHAPE_DROP},
};

static lg_json walk_schema(walk *w, const lg_json *schema);

static lg_json cut(walk *w, const char *why)
{
    draft d = {.j = w->j};
    if (!w->told) {
        describe_note(w->j, w->j->offset, "a schema is cut: %s", why);
        describe_unknown(w->j, "a part of its schema, which is cut: %s", why);
        w->told = true;
    }
    lg_str said = lg_arena_printf(w->j->arena, "Anything; cut here: %s", why);
    w->j->oom = w->j->oom || !said.ptr;
    describe_put(&d, LG_STR("description"), lg_json_make_str(said.ptr ? said : LG_STR("")));
    return describe_object(&d);
}

// --- References ---------------------------------------------------------------------------------

static int hex(char c)
{
    return lg_is_digit(c)                             ? c - '0'
           : lg_lower(c) >= 'a' && lg_lower(c) <= 'f' ? lg_lower(c) - 'a' + 10
                                                      : -1;
}

// What `#/$defs/A%20b` leads to in the document, or NULL.
static const lg_json *target_of(walk *w, lg_str ref)
{
    if (ref.len == 0 || ref.ptr[0] != '#' || (ref.len > 1 && ref.ptr[1] != '/')) {
        return NULL;
    }
    char *pointer = lg_arena_alloc(w->j->arena, ref.len, 1);
    size_t len = 0;
    for (size_t i = 1; pointer && i < ref.len; i++) {
        bool escaped = ref.ptr[i] == '%' && i + 2 < ref.len && hex(ref.ptr[i + 1]) >= 0 &&
                       hex(ref.ptr[i + 2]) >= 0;
        pointer[len++] =
            escaped ? (char)(hex(ref.ptr[i + 1]) * 16 + hex(ref.ptr[i + 2])) : ref.ptr[i];
        i += escaped ? 2 : 0;
    }
    w->j->oom = w->j->oom || !pointer;
    return pointer ? lg_json_at(w->document, lg_str_of(pointer, len)) : NULL;
}

static lg_json put_in(walk *w, lg_str ref)
{
    const lg_json *target = target_of(w, ref);
    size_t rounds = 0;
    if (!target) {
        describe_note(w->j, w->j->offset, "`%.*s` leads nowhere in this text",
                      LG_FMT(lg_str_cut(ref, 120)));
        return cut(w, "its reference leads nowhere");
    }
    for (size_t i = 0; i < w->open_count; i++) {
        rounds += w->open[i] == target ? 1 : 0;
    }
    if (rounds >= ROUNDS || w->open_count >= LG_DESCRIBE_DEPTH_MAX) {
        return cut(w, "it contains itself");
    }
    w->open[w->open_count++] = target;
    lg_json made = walk_schema(w, target);
    w->open_count--;
    return made;
}

static bool is_annotation(lg_str key)
{
    static const char *const names[] = {"description", "title",       "default",      "example",
                                        "examples",    "deprecated",  "readOnly",     "writeOnly",
                                        "definitions", "$ref",        "$defs",        "$id",
                                        "$comment",    "$dynamicRef", "externalDocs", "$schema"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        if (lg_str_eq(key, lg_str_c(names[i]))) {
            return true;
        }
    }
    return lg_str_starts(key, LG_STR("x-")); // which is not copied
}

// What a reference and the keywords beside it say together.
static lg_json beside(walk *w, const lg_json *schema, lg_json target, lg_json own)
{
    bool plain = true;
    for (size_t i = 0; i < lg_json_len(schema); i++) {
        plain = plain && is_annotation(lg_json_key(lg_json_member_at(schema, i)));
    }
    if (lg_json_len(&own) == 0 || w->dialect == LG_SCHEMA_OPENAPI_3_0) {
        return target;
    }
    if (plain && lg_json_is(&target, LG_JSON_OBJECT)) {
        draft d = describe_draft_of(w->j, &target);
        for (size_t i = 0; i < lg_json_len(&own); i++) {
            const lg_json_member *member = lg_json_member_at(&own, i);
            describe_put(&d, lg_json_key(member), member->value);
        }
        return describe_object(&d);
    }
    lg_json both[2] = {target, own};
    draft d = {.j = w->j};
    describe_put(&d, LG_STR("allOf"), describe_list(w->j, both, 2));
    return describe_object(&d);
}

// --- Keywords -----------------------------------------------------------------------------------

static lg_json walk_list(walk *w, const lg_json *list)
{
    size_t count = lg_json_is(list, LG_JSON_ARRAY) ? lg_json_len(list) : 0;
    lg_json *items = LG_NEW_ARRAY(w->j->arena, lg_json, count ? count : 1);
    if (!items || count == 0) {
        w->j->oom = w->j->oom || !items;
        return *list;
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = walk_schema(w, &list->as.items[i]);
    }
    return lg_json_make_array(items, count);
}

static lg_json walk_map(walk *w, const lg_json *map, bool properties)
{
    draft d = {.j = w->j};
    if (!lg_json_is(map, LG_JSON_OBJECT)) {
        return *map;
    }
    for (size_t i = 0; i < lg_json_len(map) && !w->j->oom; i++) {
        const lg_json_member *member = lg_json_member_at(map, i);
        lg_json made = walk_schema(w, &member->value);
        if (properties && lg_json_str(lg_json_get(&made, LG_STR("description"))).len == 0) {
            made = describe_said(w->j, &made, describe_phrase(w->j, lg_json_key(member)));
        }
        describe_add(&d, lg_json_key(member), made);
    }
    return describe_object(&d);
}

// `items` as a list, `dependencies`, exclusive bounds as booleans: each has another word now.
static bool put_old_word(walk *w, draft *d, const lg_json *schema, const lg_json_member *member)
{
    lg_str key = lg_json_key(member);
    const lg_json *value = &member->value;
    if (lg_str_eq(key, LG_STR("items")) && lg_json_is(value, LG_JSON_ARRAY)) {
        const lg_json *more = lg_json_get(schema, LG_STR("additionalItems"));
        describe_put(d, LG_STR("prefixItems"), walk_list(w, value));
        if (more) {
            describe_put(d, LG_STR("items"), walk_schema(w, more));
        }
        return true;
    }
    if (lg_str_eq(key, LG_STR("additionalItems"))) {
        return true;
    }
    bool low = lg_str_eq(key, LG_STR("exclusiveMinimum"));
    if ((low || lg_str_eq(key, LG_STR("exclusiveMaximum"))) && lg_json_is(value, LG_JSON_BOOL)) {
        const lg_json *bound = lg_json_get(schema, low ? LG_STR("minimum") : LG_STR("maximum"));
        if (value->as.boolean && bound) {
            describe_put(d, key, *bound);
        }
        return true;
    }
    if (lg_str_eq(key, LG_STR("dependencies")) && lg_json_is(value, LG_JSON_OBJECT)) {
        draft names = {.j = w->j};
        draft schemas = {.j = w->j};
        for (size_t i = 0; i < lg_json_len(value); i++) {
            const lg_json_member *one = lg_json_member_at(value, i);
            bool list = lg_json_is(&one->value, LG_JSON_ARRAY);
            describe_add(list ? &names : &schemas, lg_json_key(one),
                         list ? one->value : walk_schema(w, &one->value));
        }
        describe_put(d, LG_STR("dependentRequired"), describe_object(&names));
        describe_put(d, LG_STR("dependentSchemas"), describe_object(&schemas));
        return true;
    }
    return false;
}

static void put_keyword(walk *w, draft *d, const lg_json *schema, const lg_json_member *member)
{
    lg_str key = lg_json_key(member);
    // What is not JSON Schema may hold anything, references too.
    if (lg_str_starts(key, LG_STR("x-")) || put_old_word(w, d, schema, member)) {
        return;
    }
    for (size_t i = 0; i < LG_COUNT(keywords); i++) {
        if (!lg_str_eq(key, lg_str_c(keywords[i].keyword))) {
            continue;
        }
        switch (keywords[i].shape) {
        case SHAPE_SCHEMA:
            describe_put(d, key, walk_schema(w, &member->value));
            return;
        case SHAPE_LIST:
            describe_put(d, key, walk_list(w, &member->value));
            return;
        case SHAPE_MAP:
        case SHAPE_PROPERTIES:
            describe_put(d, key,
                         walk_map(w, &member->value, keywords[i].shape == SHAPE_PROPERTIES));
            return;
        case SHAPE_DROP:
            return;
        }
    }
    // Keys of an object are unique: only those that an old word becomes may be there already.
    bool twice = lg_str_eq(key, LG_STR("dependentRequired"));
    twice ? describe_put(d, key, member->value) : describe_add(d, key, member->value);
}

// OpenAPI 3.0's way to say that null is allowed.
static lg_json with_null(walk *w, const lg_json *schema)
{
    const lg_json *nullable = lg_json_get(schema, LG_STR("nullable"));
    if (w->dialect != LG_SCHEMA_OPENAPI_3_0 || !nullable) {
        return *schema;
    }
    draft d = {.j = w->j};
    for (size_t i = 0; i < lg_json_len(schema); i++) {
        const lg_json_member *member = lg_json_member_at(schema, i);
        if (!lg_str_eq(lg_json_key(member), LG_STR("nullable"))) {
            describe_add(&d, lg_json_key(member), member->value);
        }
    }
    lg_json both[2] = {describe_object(&d), describe_type(w->j, "null")};
    return lg_json_is_true(nullable) ? describe_either(w->j, both, 2) : both[0];
}

static lg_json walk_members(walk *w, const lg_json *schema)
{
    draft d = {.j = w->j};
    const lg_json *ref = lg_json_get(schema, LG_STR("$ref"));
    ref = ref ? ref : lg_json_get(schema, LG_STR("$dynamicRef"));
    bool is_ref = lg_json_is(ref, LG_JSON_STRING);
    for (size_t i = 0; i < lg_json_len(schema) && !w->j->oom; i++) {
        put_keyword(w, &d, schema, lg_json_member_at(schema, i));
    }
    lg_json own = describe_object(&d);
    return is_ref ? beside(w, schema, put_in(w, lg_json_str(ref)), own) : with_null(w, &own);
}

static lg_json walk_schema(walk *w, const lg_json *schema)
{
    if (!lg_json_is(schema, LG_JSON_OBJECT)) {
        return *schema;
    }
    size_t cost = 1 + lg_json_len(schema) / 8;
    if (w->j->nodes < cost) {
        return cut(w, "there is too much of it");
    }
    if (w->depth >= LG_DESCRIBE_DEPTH_MAX) {
        return cut(w, "it is nested too deep");
    }
    w->j->nodes -= cost;
    w->depth++;
    lg_json made = walk_members(w, schema);
    w->depth--;
    return made;
}

lg_json describe_inline(job *j, const lg_json *schema, const lg_json *document,
                        lg_schema_dialect dialect)
{
    walk w = {.j = j, .document = document, .dialect = dialect};
    return walk_schema(&w, schema);
}
