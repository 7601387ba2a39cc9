// mend.c: schemas of an OpenAPI document that break its version, where the meaning is clear.
//
// Names that `required` and `enum` hold twice; and what other versions have: a boolean exclusiveMinimum (draft 4) and
// `nullable` (OpenAPI 3.0) in a document of 3.1, and `$recursiveAnchor` (2019-09). A schema that refers to one such would be
// lost as a whole. Each is a warning; the parts of the document that are as they should be are shared, not copied.
//
// What is outside schemas is gone through for them, but not examples and extensions: those are values.
#include "catalogue/catalogue_internal.h"

#define FEW 16u // so many are compared each with each

typedef struct mending {
    reader *r;
    bool is_3_0; // or Swagger 2.0: what they say otherwise is right there
} mending;

// What stands somewhere in a document.
typedef enum mend_place {
    MEND_VALUE, // nothing of ours
    MEND_DOCUMENT,
    MEND_SCHEMA, // or a list of them
    MEND_SCHEMAS // by name
} mend_place;

// --- Where schemas are --------------------------------------------------------------------------

static mend_place place_in_schema(lg_str key)
{
    static const char *const one[] = {
        "items",
        "additionalProperties",
        "not",
        "anyOf",
        "oneOf",
        "allOf",
        "prefixItems",
        "if",
        "then",
        "else",
        "contains",
        "propertyNames",
        "unevaluatedProperties",
        "unevaluatedItems",
    };
    static const char *const many[] = {"properties", "patternProperties", "$defs", "definitions",
                                       "dependentSchemas"};
    for (size_t i = 0; i < LG_COUNT(many); i++) {
        if (lg_str_eq(key, lg_str_c(many[i]))) {
            return MEND_SCHEMAS;
        }
    }
    for (size_t i = 0; i < LG_COUNT(one); i++) {
        if (lg_str_eq(key, lg_str_c(one[i]))) {
            return MEND_SCHEMA;
        }
    }
    return MEND_VALUE;
}

static mend_place place_in_document(lg_str key, uint32_t depth)
{
    static const char *const values[] = {"example", "examples", "default", "value", "enum"};
    for (size_t i = 0; i < LG_COUNT(values); i++) {
        if (lg_str_eq(key, lg_str_c(values[i]))) {
            return MEND_VALUE;
        }
    }
    bool named =
        lg_str_eq(key, LG_STR("schemas")) || (depth == 0 && lg_str_eq(key, LG_STR("definitions")));
    return named                              ? MEND_SCHEMAS
           : lg_str_eq(key, LG_STR("schema")) ? MEND_SCHEMA
           : lg_str_starts(key, LG_STR("x-")) ? MEND_VALUE
                                              : MEND_DOCUMENT;
}

static mend_place place_of_member(mend_place place, lg_str key, uint32_t depth)
{
    switch (place) {
    case MEND_VALUE:
        return MEND_VALUE;
    case MEND_DOCUMENT:
        return place_in_document(key, depth);
    case MEND_SCHEMA:
        return place_in_schema(key);
    case MEND_SCHEMAS:
        return MEND_SCHEMA;
    }
    return MEND_VALUE;
}

// --- Named twice --------------------------------------------------------------------------------

static bool is_among(const lg_json *items, size_t count, const lg_json *value)
{
    for (size_t i = 0; i < count; i++) {
        if (lg_json_equal(&items[i], value)) {
            return true;
        }
    }
    return false;
}

// Was this value in the list before? Of a long list only texts are looked up, in a set: it costs no square.
static bool seen_before(mending *m, text_set *seen, const lg_json *items, size_t at, bool few)
{
    if (few) {
        return is_among(items, at, &items[at]);
    }
    return lg_json_is(&items[at], LG_JSON_STRING) &&
           lg_text_set_put(m->r->arena, seen, lg_json_str(&items[at]), at, &m->r->oom) != SIZE_MAX;
}

// False where nothing stands twice.
static bool drop_doubles(mending *m, const lg_json_member *member, lg_json *ret)
{
    const lg_json *list = &member->value;
    size_t len = lg_json_is(list, LG_JSON_ARRAY) ? lg_json_len(list) : 0, count = 0;
    text_set seen = {0};
    lg_json *kept = NULL;
    lg_arena_mark before = lg_arena_mark_here(m->r->arena);
    for (size_t i = 0; i < len && !m->r->oom; i++) {
        bool twice = seen_before(m, &seen, list->as.items, i, len <= FEW);
        if (twice && !kept) {
            kept = LG_NEW_ARRAY(m->r->arena, lg_json, len);
            m->r->oom = m->r->oom || !kept;
            if (kept) {
                memcpy(kept, list->as.items, i * sizeof(*kept));
                count = i;
            }
        }
        if (twice) {
            lg_catalogue_complain(m->r, LG_FINDING_NAMED_TWICE, list->as.items[i].offset,
                                  "it stands in `%.*s` twice, and counts once",
                                  LG_FMT(lg_json_key(member)));
        } else if (kept) {
            kept[count++] = list->as.items[i];
        }
    }
    if (!kept || m->r->oom) {
        lg_arena_rewind(m->r->arena, before);
        return false;
    }
    *ret = lg_json_make_array(kept, count);
    ret->offset = list->offset;
    return true;
}

// --- Words of other versions --------------------------------------------------------------------

static void tell_version(mending *m, const lg_json_member *member, const char *what)
{
    lg_catalogue_complain(m->r, LG_FINDING_OTHER_VERSION, member->value.offset,
                          "`%.*s` is of another version, and read as there: %s",
                          LG_FMT(lg_json_key(member)), what);
}

// `type` with "null" added.
static lg_json or_null(mending *m, const lg_json *type)
{
    bool list = lg_json_is(type, LG_JSON_ARRAY);
    lg_json null_type = lg_json_make_str(LG_STR("null"));
    const lg_json *from = list ? type->as.items : type;
    size_t count = list ? lg_json_len(type) : 1;
    if ((!list && !lg_json_is(type, LG_JSON_STRING)) || is_among(from, count, &null_type)) {
        return *type;
    }
    lg_json *items = LG_NEW_ARRAY(m->r->arena, lg_json, count + 1);
    if (!items) {
        m->r->oom = true;
        return *type;
    }
    if (count) {
        memcpy(items, from, count * sizeof(*items));
    }
    items[count] = null_type;
    items[count].offset = type->offset;
    lg_json made = lg_json_make_array(items, count + 1);
    made.offset = type->offset;
    return made;
}

typedef enum mended { AS_IT_WAS, OTHERWISE, GONE } mended;

// A boolean says of the bound beside it that it is excluded itself: the bound moves to this word.
static mended mend_exclusive(mending *m, const lg_json *schema, const lg_json_member *member,
                             lg_str bound_name, lg_json *ret)
{
    const lg_json *bound = lg_json_get(schema, bound_name);
    if (!lg_json_is(&member->value, LG_JSON_BOOL)) {
        return AS_IT_WAS;
    }
    tell_version(m, member, "it says whether the bound itself is excluded");
    if (!lg_json_is_true(&member->value) || !lg_json_is_number(bound)) {
        return GONE;
    }
    *ret = *bound;
    ret->offset = member->value.offset;
    return OTHERWISE;
}

// In a document of 3.1.
static mended mend_word(mending *m, const lg_json *schema, const lg_json_member *member,
                        lg_json *ret)
{
    lg_str key = lg_json_key(member);
    if (lg_str_eq(key, LG_STR("exclusiveMinimum"))) {
        return mend_exclusive(m, schema, member, LG_STR("minimum"), ret);
    }
    if (lg_str_eq(key, LG_STR("exclusiveMaximum"))) {
        return mend_exclusive(m, schema, member, LG_STR("maximum"), ret);
    }
    if (lg_str_eq(key, LG_STR("minimum")) || lg_str_eq(key, LG_STR("maximum"))) {
        bool low = lg_str_eq(key, LG_STR("minimum"));
        lg_str word = low ? LG_STR("exclusiveMinimum") : LG_STR("exclusiveMaximum");
        return lg_json_is_true(lg_json_get(schema, word)) && lg_json_is_number(&member->value)
                   ? GONE
                   : AS_IT_WAS;
    }
    if (lg_str_eq(key, LG_STR("nullable")) && lg_json_is_true(&member->value)) {
        tell_version(m, member, "null may be given, where `type` says what else");
        return GONE;
    }
    if (lg_str_eq(key, LG_STR("type")) &&
        lg_json_is_true(lg_json_get(schema, LG_STR("nullable")))) {
        *ret = or_null(m, &member->value);
        return OTHERWISE;
    }
    return AS_IT_WAS;
}

static mended mend_member(mending *m, const lg_json *schema, const lg_json_member *member,
                          lg_json *ret)
{
    lg_str key = lg_json_key(member);
    if (lg_str_eq(key, LG_STR("required")) || lg_str_eq(key, LG_STR("enum"))) {
        return drop_doubles(m, member, ret) ? OTHERWISE : AS_IT_WAS;
    }
    if (lg_str_eq(key, LG_STR("$recursiveAnchor"))) {
        tell_version(m, member, "it changes nothing here");
        return GONE;
    }
    return m->is_3_0 ? AS_IT_WAS : mend_word(m, schema, member, ret);
}

// --- The walk -----------------------------------------------------------------------------------

static bool mend(mending *m, mend_place place, const lg_json *value, uint32_t depth, lg_json *ret);

static bool mend_list(mending *m, mend_place place, const lg_json *list, uint32_t depth,
                      lg_json *ret)
{
    lg_json *items = NULL;
    for (size_t i = 0; i < lg_json_len(list) && !m->r->oom; i++) {
        lg_json made;
        if (!mend(m, place, &list->as.items[i], depth + 1, &made)) {
            continue;
        }
        if (!items) {
            items = LG_NEW_ARRAY(m->r->arena, lg_json, lg_json_len(list));
            if (!items) {
                m->r->oom = true;
                return false;
            }
            memcpy(items, list->as.items, lg_json_len(list) * sizeof(*items));
        }
        items[i] = made;
    }
    if (items) {
        *ret = lg_json_make_array(items, lg_json_len(list));
        ret->offset = list->offset;
    }
    return items != NULL;
}

static lg_json_member *copied(mending *m, const lg_json *object, size_t count)
{
    lg_json_member *members = lg_catalogue_members(m->r, lg_json_len(object));
    for (size_t i = 0; members && i < count; i++) {
        members[i] = *lg_json_member_at(object, i);
    }
    return members;
}

static bool mend_object(mending *m, mend_place place, const lg_json *object, uint32_t depth,
                        lg_json *ret)
{
    lg_json_member *members = NULL;
    size_t count = 0;
    for (size_t i = 0; i < lg_json_len(object) && !m->r->oom; i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        lg_json made;
        mend_place inner = place_of_member(place, lg_json_key(member), depth);
        mended how = mend(m, inner, &member->value, depth + 1, &made) ? OTHERWISE : AS_IT_WAS;
        if (place == MEND_SCHEMA && inner == MEND_VALUE) {
            how = mend_member(m, object, member, &made);
        }
        if (how != AS_IT_WAS && !members) {
            members = copied(m, object, i);
            if (!members) {
                return false;
            }
            count = i;
        }
        if (members && how != GONE) {
            members[count] = *member;
            members[count].value = how == OTHERWISE ? made : member->value;
            count++;
        }
    }
    if (members) {
        *ret = lg_catalogue_object(m->r, members, count, object->offset);
    }
    return members != NULL;
}

// False where it is as it should be; then `ret` is not set.
static bool mend(mending *m, mend_place place, const lg_json *value, uint32_t depth, lg_json *ret)
{
    if (place == MEND_VALUE || depth > LG_CATALOGUE_DEPTH_MAX) {
        return false;
    }
    if (lg_json_is(value, LG_JSON_OBJECT)) {
        return mend_object(m, place, value, depth, ret);
    }
    return lg_json_is(value, LG_JSON_ARRAY) && place != MEND_SCHEMAS &&
           mend_list(m, place, value, depth, ret);
}

const lg_json *lg_catalogue_mend(reader *r, const lg_json *document, lg_schema_dialect dialect)
{
    mending m = {.r = r, .is_3_0 = dialect == LG_SCHEMA_OPENAPI_3_0};
    lg_json made;
    if (!mend(&m, MEND_DOCUMENT, document, 0, &made)) {
        return document;
    }
    lg_json *kept = LG_NEW(r->arena, lg_json);
    r->oom = r->oom || !kept;
    if (kept) {
        *kept = made;
    }
    return kept ? kept : document;
}
