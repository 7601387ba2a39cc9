// shape.c: what a schema says of the type of a value, as far as a text must know it to become one.
//
// This is no validation: it looks through references and combinations, a few levels deep, and where nothing is said it says
// that everything may be. Who reads a text so never loses it: what fits no type stays a string.
#include "rest/rest_internal.h"

typedef struct walk {
    const lg_json *document;
    uint32_t visits;
} walk;

static const char *const combinations[] = {"allOf", "anyOf", "oneOf"};

static uint32_t type_of_word(lg_str word)
{
    static const struct {
        const char *word;
        uint32_t type;
    } words[] = {{"null", REST_NULL},       {"boolean", REST_BOOLEAN},
                 {"integer", REST_INTEGER}, {"number", REST_NUMBER | REST_INTEGER},
                 {"string", REST_STRING},   {"array", REST_ARRAY},
                 {"object", REST_OBJECT},   {"file", REST_STRING}};
    for (size_t i = 0; i < LG_COUNT(words); i++) {
        if (lg_str_eq(word, lg_str_c(words[i].word))) {
            return words[i].type;
        }
    }
    return 0;
}

static uint32_t type_of_value(const lg_json *value)
{
    switch (lg_json_type_of(value)) {
    case LG_JSON_NULL:
        return REST_NULL;
    case LG_JSON_BOOL:
        return REST_BOOLEAN;
    case LG_JSON_INT:
    case LG_JSON_UINT:
    case LG_JSON_DOUBLE:
    case LG_JSON_BIGNUM:
        return REST_NUMBER | REST_INTEGER;
    case LG_JSON_STRING:
        return REST_STRING;
    case LG_JSON_ARRAY:
        return REST_ARRAY;
    case LG_JSON_OBJECT:
        return REST_OBJECT;
    }
    return 0;
}

// What the schema itself says, its combinations aside.
static uint32_t own_types(const lg_json *schema)
{
    const lg_json *type = lg_json_get(schema, LG_STR("type"));
    const lg_json *choices = lg_json_get(schema, LG_STR("enum"));
    const lg_json *constant = lg_json_get(schema, LG_STR("const"));
    uint32_t types = lg_json_is(type, LG_JSON_STRING) ? type_of_word(lg_json_str(type)) : 0;
    for (size_t i = 0; lg_json_is(type, LG_JSON_ARRAY) && i < lg_json_len(type); i++) {
        types |= type_of_word(lg_json_str(&type->as.items[i]));
    }
    if (types && lg_json_is_true(lg_json_get(schema, LG_STR("nullable")))) {
        types |= REST_NULL;
    }
    bool chosen = !types && lg_json_is(choices, LG_JSON_ARRAY);
    for (size_t i = 0; chosen && i < lg_json_len(choices); i++) {
        types |= type_of_value(&choices->as.items[i]);
    }
    if (!types && constant) {
        types = type_of_value(constant);
    }
    bool combined = false;
    for (size_t i = 0; i < LG_COUNT(combinations); i++) {
        combined = combined || lg_json_get(schema, lg_str_c(combinations[i]));
    }
    if (!types && !combined && lg_json_get(schema, LG_STR("properties"))) {
        types = REST_OBJECT;
    }
    if (!types && !combined && lg_json_get(schema, LG_STR("items"))) {
        types = REST_ARRAY;
    }
    return types ? types : REST_ANY;
}

static const lg_json *enter(walk *w, const lg_json *schema, uint32_t levels)
{
    if (!schema || levels == 0 || w->visits >= REST_VISITS_MAX) {
        return NULL;
    }
    w->visits++;
    schema = lg_refer(schema, w->document);
    return lg_json_is(schema, LG_JSON_OBJECT) ? schema : NULL;
}

static uint32_t types_at(walk *w, const lg_json *given, uint32_t levels)
{
    const lg_json *schema = enter(w, given, levels);
    if (!schema) {
        return REST_ANY;
    }
    uint32_t types = own_types(schema);
    for (size_t c = 0; c < LG_COUNT(combinations); c++) {
        const lg_json *list = lg_json_get(schema, lg_str_c(combinations[c]));
        if (!lg_json_is(list, LG_JSON_ARRAY) || lg_json_len(list) == 0) {
            continue;
        }
        uint32_t all = REST_ANY;
        uint32_t any = 0;
        for (size_t i = 0; i < lg_json_len(list); i++) {
            uint32_t one = types_at(w, &list->as.items[i], levels - 1);
            all &= one;
            any |= one;
        }
        types &= c == 0 ? all : any;
    }
    return types ? types : REST_ANY;
}

uint32_t lg_rest_types(const lg_json *schema, const lg_json *document)
{
    walk w = {.document = document};
    return types_at(&w, schema, REST_LEVELS_MAX);
}

// The subschema for `key`, or, with an empty `keyword` of elements, the one for elements.
static const lg_json *part_at(walk *w, const lg_json *given, const char *keyword, lg_str key,
                              uint32_t levels)
{
    const lg_json *schema = enter(w, given, levels);
    const lg_json *found = lg_json_get(schema, lg_str_c(keyword));
    found = key.ptr ? lg_json_get(found, key) : found;
    for (size_t c = 0; !found && schema && c < LG_COUNT(combinations); c++) {
        const lg_json *list = lg_json_get(schema, lg_str_c(combinations[c]));
        for (size_t i = 0; !found && lg_json_is(list, LG_JSON_ARRAY) && i < lg_json_len(list);
             i++) {
            found = part_at(w, &list->as.items[i], keyword, key, levels - 1);
        }
    }
    return found;
}

const lg_json *lg_rest_member(const lg_json *schema, const lg_json *document, lg_str key)
{
    walk w = {.document = document};
    const lg_json *found = part_at(&w, schema, "properties", key, REST_LEVELS_MAX);
    if (!found) {
        w.visits = 0;
        found = part_at(&w, schema, "additionalProperties", (lg_str){0}, REST_LEVELS_MAX);
    }
    bool none = lg_json_is(found, LG_JSON_BOOL) && !found->as.boolean;
    return none ? NULL : found;
}

bool lg_rest_names_member(const lg_json *schema, const lg_json *document, lg_str key)
{
    walk w = {.document = document};
    return part_at(&w, schema, "properties", key, REST_LEVELS_MAX) != NULL;
}

bool lg_rest_object(lg_arena *arena, const lg_json_member *members, size_t count, lg_json *ret)
{
    lg_json_member *own = lg_json_alloc_members(arena, count);
    size_t kept = 0;
    for (size_t i = 0; own && i < count; i++) {
        bool is_new = true;
        for (size_t j = 0; is_new && j < kept; j++) {
            is_new = !lg_str_eq(lg_json_key(&own[j]), lg_json_key(&members[i]));
        }
        if (is_new) {
            own[kept++] = members[i];
        }
    }
    if (own) {
        *ret = lg_json_make_object(own, kept);
    }
    return own != NULL;
}

const lg_json *lg_rest_element(const lg_json *schema, const lg_json *document)
{
    walk w = {.document = document};
    return part_at(&w, schema, "items", (lg_str){0}, REST_LEVELS_MAX);
}

const lg_json *lg_rest_json(lg_arena *arena, lg_str text)
{
    const lg_json *value = NULL;
    lg_limits limits = {.json_depth = 128};
    return lg_json_parse_in(arena, text, 0, text.len, &limits, &value, NULL) == LG_OK ? value
                                                                                      : NULL;
}

// Digits, and a sign before them: nothing else is an integer where a text stands for it.
static bool is_integer(lg_str text)
{
    size_t from = text.len && text.ptr[0] == '-';
    bool is = from < text.len;
    for (size_t i = from; is && i < text.len; i++) {
        is = lg_is_digit(text.ptr[i]);
    }
    return is;
}

lg_json lg_rest_scalar(lg_arena *arena, lg_str text, uint32_t types)
{
    bool is_true = lg_str_eq(text, LG_STR("true"));
    if ((types & REST_BOOLEAN) && (is_true || lg_str_eq(text, LG_STR("false")))) {
        return lg_json_make_bool(is_true);
    }
    bool looks = text.len && (lg_is_digit(text.ptr[0]) || text.ptr[0] == '-') &&
                 lg_is_digit(text.ptr[text.len - 1]);
    looks = looks && ((types & REST_NUMBER) || is_integer(text));
    if ((types & REST_INTEGER) && lg_str_eq(text, LG_STR("-0"))) {
        return lg_json_make_int(0);
    }
    if ((types & (REST_INTEGER | REST_NUMBER)) && looks) {
        const lg_json *number = lg_rest_json(arena, text);
        if (number) {
            return *number;
        }
    }
    if ((types & REST_NULL) && !(types & REST_STRING) && lg_str_eq(text, LG_STR("null"))) {
        return lg_json_make_null();
    }
    return lg_json_make_str(text);
}
