// words.c: types as programming languages call them, in the words of JSON Schema.
//
// BFCL's documents look like JSON Schema, but say `dict`, `float`, `tuple` and `any`; others say
// `str`, `HashMap` or `STRING`. Only schemas are looked into: a property that is called "type", an
// enum value or a default that reads `dict` stays what it is. What has no such word is not copied.
//
// Two habits come with the words. A default of null says that null may be passed, as in Python. An
// `enum` beside the type of an array lists what its elements may be: no array equals a text, so read
// by the letter no value would be right.
#include "catalogue/catalogue_internal.h"

static const struct {
    const char *word; // lower case
    const char *type; // "": any value at all, so that `type` is left out
} words[] = {
    {"any", ""},           {"array", "array"},       {"arraylist", "array"},
    {"bigint", "integer"}, {"bool", "boolean"},      {"boolean", "boolean"},
    {"byte", "integer"},   {"char", "string"},       {"decimal", "number"},
    {"dict", "object"},    {"dictionary", "object"}, {"double", "number"},
    {"float", "number"},   {"hashmap", "object"},    {"hashtable", "object"},
    {"int", "integer"},    {"integer", "integer"},   {"list", "array"},
    {"long", "integer"},   {"map", "object"},        {"none", "null"},
    {"null", "null"},      {"number", "number"},     {"object", "object"},
    {"queue", "array"},    {"set", "array"},         {"short", "integer"},
    {"stack", "array"},    {"str", "string"},        {"string", "string"},
    {"tuple", "array"},
};

// JSON Schema's word for `word`, or NULL if it is unknown.
static const char *translate(lg_str word)
{
    for (size_t i = 0; i < LG_COUNT(words); i++) {
        if (lg_str_eq_any_case(lg_str_c(words[i].word), word)) {
            return words[i].type;
        }
    }
    return NULL;
}

bool lg_words_are_foreign(const lg_json *schema)
{
    const lg_json *type = lg_json_get(schema, LG_STR("type"));
    const char *known = lg_json_is(type, LG_JSON_STRING) ? translate(lg_json_str(type)) : NULL;
    return known && !lg_str_eq(lg_str_c(known), lg_json_str(type));
}

// --- The walk -----------------------------------------------------------------------------------

typedef enum word_shape { WORDS_SCHEMA, WORDS_LIST, WORDS_MAP } word_shape;

static const struct {
    const char *keyword;
    word_shape shape;
} holders[] = {
    {"properties", WORDS_MAP}, {"patternProperties", WORDS_MAP},
    {"$defs", WORDS_MAP},      {"definitions", WORDS_MAP},
    {"items", WORDS_SCHEMA},   {"additionalProperties", WORDS_SCHEMA},
    {"not", WORDS_SCHEMA},     {"prefixItems", WORDS_LIST},
    {"anyOf", WORDS_LIST},     {"oneOf", WORDS_LIST},
    {"allOf", WORDS_LIST},
};

static lg_json rewrite(reader *r, const lg_json *value, word_shape shape, uint32_t depth,
                       bool *changed);

static bool is_any(const lg_json *type)
{
    const char *known = translate(lg_json_str(type));
    return known && !*known;
}

// The value of `type` in JSON Schema's words. `*ret_drop` is set where it allows anything.
static lg_json rewrite_type(reader *r, const lg_json *type, bool *ret_drop, bool *changed)
{
    const char *known = translate(lg_json_str(type));
    if (lg_json_is(type, LG_JSON_STRING) && known &&
        !lg_str_eq(lg_str_c(known), lg_json_str(type))) {
        lg_json made = lg_json_make_str(lg_str_c(known));
        made.offset = type->offset;
        *ret_drop = !*known;
        *changed = true;
        return made;
    }
    if (!lg_json_is(type, LG_JSON_ARRAY)) {
        return *type;
    }
    lg_json *items = LG_NEW_ARRAY(r->arena, lg_json, lg_json_len(type));
    if (!items) {
        r->oom = r->oom || lg_json_len(type) > 0;
        return *type;
    }
    bool any = false;
    for (size_t i = 0; i < lg_json_len(type); i++) {
        const lg_json *item = &type->as.items[i];
        bool inner = lg_json_is(item, LG_JSON_STRING);
        any = any || (inner && is_any(item));
        items[i] = inner ? rewrite_type(r, item, ret_drop, changed) : *item;
    }
    *ret_drop = any;
    lg_json made = lg_json_make_array(items, lg_json_len(type));
    made.offset = type->offset;
    return made;
}

static lg_json rewrite_list(reader *r, const lg_json *list, uint32_t depth, bool *changed)
{
    lg_json *items = LG_NEW_ARRAY(r->arena, lg_json, lg_json_len(list));
    if (!items) {
        r->oom = r->oom || lg_json_len(list) > 0;
        return *list;
    }
    for (size_t i = 0; i < lg_json_len(list); i++) {
        items[i] = rewrite(r, &list->as.items[i], WORDS_SCHEMA, depth + 1, changed);
    }
    lg_json made = lg_json_make_array(items, lg_json_len(list));
    made.offset = list->offset;
    return made;
}

static lg_json rewrite_member(reader *r, const lg_json_member *member, word_shape shape,
                              uint32_t depth, bool *ret_drop, bool *changed)
{
    if (shape == WORDS_MAP) {
        return rewrite(r, &member->value, WORDS_SCHEMA, depth + 1, changed);
    }
    if (lg_str_eq(lg_json_key(member), LG_STR("type"))) {
        return rewrite_type(r, &member->value, ret_drop, changed);
    }
    for (size_t i = 0; i < LG_COUNT(holders); i++) {
        if (lg_str_eq(lg_json_key(member), lg_str_c(holders[i].keyword))) {
            return rewrite(r, &member->value, holders[i].shape, depth + 1, changed);
        }
    }
    return member->value;
}

// --- Habits -------------------------------------------------------------------------------------

static size_t find_member(const lg_json_member *members, size_t count, lg_str key)
{
    size_t at = 0;
    while (at < count && !lg_str_eq(lg_json_key(&members[at]), key)) {
        at++;
    }
    return at;
}

// `value`, or the elements of it if it is an array, and `more` as one array.
static lg_json appended(reader *r, const lg_json *value, lg_json more)
{
    bool list = lg_json_is(value, LG_JSON_ARRAY);
    size_t count = list ? lg_json_len(value) : 1;
    const lg_json *from = list ? value->as.items : value;
    lg_json *items = LG_NEW_ARRAY(r->arena, lg_json, count + 1);
    if (!items) {
        r->oom = true;
        return *value;
    }
    if (count) {
        memcpy(items, from, count * sizeof(*items));
    }
    items[count] = more;
    lg_json made = lg_json_make_array(items, count + 1);
    made.offset = value->offset;
    return made;
}

static bool holds(const lg_json *list, lg_json_type type)
{
    for (size_t i = 0; i < lg_json_len(list); i++) {
        if (lg_json_is(&list->as.items[i], type)) {
            return true;
        }
    }
    return false;
}

static void allow_null(reader *r, lg_json_member *members, size_t count, bool *changed)
{
    size_t type = find_member(members, count, LG_STR("type"));
    size_t values = find_member(members, count, LG_STR("enum"));
    size_t given = find_member(members, count, LG_STR("default"));
    if (given == count || !lg_json_is(&members[given].value, LG_JSON_NULL)) {
        return;
    }
    if (type < count && lg_json_is(&members[type].value, LG_JSON_STRING)) {
        members[type].value = appended(r, &members[type].value, lg_json_make_str(LG_STR("null")));
        *changed = true;
    }
    if (values < count && lg_json_is(&members[values].value, LG_JSON_ARRAY) &&
        !holds(&members[values].value, LG_JSON_NULL)) {
        members[values].value = appended(r, &members[values].value, lg_json_make_null());
        *changed = true;
    }
}

// Moves an `enum` that lists elements into `items`.
static void move_enum(reader *r, lg_json_member *members, size_t *count, bool *changed)
{
    size_t type = find_member(members, *count, LG_STR("type"));
    size_t values = find_member(members, *count, LG_STR("enum"));
    size_t items = find_member(members, *count, LG_STR("items"));
    if (type == *count || values == *count || holds(&members[values].value, LG_JSON_ARRAY) ||
        !lg_json_is(&members[values].value, LG_JSON_ARRAY) ||
        !lg_str_eq(lg_json_str(&members[type].value), LG_STR("array"))) {
        return;
    }
    const lg_json *old = items < *count ? &members[items].value : NULL;
    size_t old_count = lg_json_is(old, LG_JSON_OBJECT) ? lg_json_len(old) : 0;
    lg_json_member *inner = lg_catalogue_members(r, old_count + 1);
    if (!inner) {
        return;
    }
    for (size_t i = 0; i < old_count; i++) {
        inner[i] = *lg_json_member_at(old, i);
    }
    if (find_member(inner, old_count, LG_STR("enum")) == old_count) {
        inner[old_count++] = lg_json_make_member(LG_STR("enum"), members[values].value);
    }
    lg_json made = lg_catalogue_object(r, inner, old_count, members[values].value.offset);
    if (items < *count) {
        members[items].value = made;
        members[values] = members[--*count];
    } else {
        members[values] = lg_json_make_member(LG_STR("items"), made);
    }
    *changed = true;
}

static lg_json rewrite_object(reader *r, const lg_json *object, word_shape shape, uint32_t depth,
                              bool *changed)
{
    size_t count = 0;
    lg_json_member *members = lg_catalogue_members(r, lg_json_len(object));
    for (size_t i = 0; members && i < lg_json_len(object); i++) {
        bool drop = false;
        members[count] = *lg_json_member_at(object, i);
        members[count].value =
            rewrite_member(r, lg_json_member_at(object, i), shape, depth, &drop, changed);
        count += drop ? 0 : 1;
    }
    if (members && shape == WORDS_SCHEMA) {
        move_enum(r, members, &count, changed);
        allow_null(r, members, count, changed);
    }
    return members ? lg_catalogue_object(r, members, count, object->offset) : *object;
}

static lg_json rewrite(reader *r, const lg_json *value, word_shape shape, uint32_t depth,
                       bool *changed)
{
    bool inner = false;
    lg_arena_mark before = lg_arena_mark_here(r->arena);
    lg_json made = *value;
    if (depth > LG_CATALOGUE_DEPTH_MAX || r->oom) {
        return made; // its words stay, so that the schema is refused
    }
    if (lg_json_is(value, LG_JSON_OBJECT)) {
        made = rewrite_object(r, value, shape == WORDS_LIST ? WORDS_SCHEMA : shape, depth, &inner);
    } else if (lg_json_is(value, LG_JSON_ARRAY) && shape != WORDS_MAP) {
        made = rewrite_list(r, value, depth, &inner);
    }
    if (!inner) {
        lg_arena_rewind(r->arena, before);
        return *value;
    }
    *changed = true;
    return made;
}

const lg_json *lg_words_normalise(reader *r, const lg_json *schema)
{
    bool changed = false;
    lg_json made = rewrite(r, schema, WORDS_SCHEMA, 0, &changed);
    if (!changed || r->oom) {
        return r->oom ? NULL : schema;
    }
    lg_json *kept = LG_NEW(r->arena, lg_json);
    if (!kept) {
        r->oom = true;
        return NULL;
    }
    *kept = made;
    return kept;
}
