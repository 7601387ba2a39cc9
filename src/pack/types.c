// types.c: from JSON Schema to the types that expressions are checked with.
//
// The translation is meant for authors: a field that the schema does not list is taken for a
// misspelling, although JSON Schema would let it be, unless `additionalProperties` says otherwise.
// Numbers are doubles, `integer` included, as CEL sees all JSON numbers.
#include "pack/loader.h"

#define TYPE_DEPTH_MAX 64u

static const lg_cel_type *type_of(loader *l, const lg_json *schema, uint32_t depth);

static const lg_cel_type *dyn(void)
{
    return lg_cel_type_of_kind(LG_CEL_DYN);
}

static const lg_cel_type *or_dyn(const lg_cel_type *type)
{
    return type ? type : dyn();
}

bool loader_same_values(const lg_cel_type *a, const lg_cel_type *b)
{
    return a->values == b->values ||
           (a->values && b->values && lg_json_equal(a->values, b->values));
}

const lg_cel_type *loader_without_values(const lg_cel_type *type)
{
    return type->values ? lg_cel_type_of_kind(type->kind) : type;
}

// Structural equality. Objects with names are told apart by these: only they can hold themselves,
// and looking into two of them would never end.
static bool types_equal(const lg_cel_type *a, const lg_cel_type *b, uint32_t depth)
{
    if (a == b) {
        return true;
    }
    if (a->kind != b->kind || a->nullable != b->nullable || depth > TYPE_DEPTH_MAX) {
        return false;
    }
    if (a->kind == LG_CEL_OBJECT && a->name.len && b->name.len) {
        return lg_str_eq(a->name, b->name);
    }
    if (a->kind == LG_CEL_LIST) {
        return types_equal(a->element, b->element, depth + 1);
    }
    if (a->kind == LG_CEL_MAP) {
        return types_equal(a->key, b->key, depth + 1) &&
               types_equal(a->element, b->element, depth + 1);
    }
    if (a->kind != LG_CEL_OBJECT) {
        return loader_same_values(a, b);
    }
    if (a->field_count != b->field_count) {
        return false;
    }
    for (size_t i = 0; i < a->field_count; i++) {
        if (!lg_str_eq(a->fields[i].name, b->fields[i].name) ||
            !types_equal(a->fields[i].type, b->fields[i].type, depth + 1)) {
            return false;
        }
    }
    return true;
}

static const lg_cel_field *find_field(const lg_cel_field *fields, size_t count, lg_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (lg_str_eq(fields[i].name, name)) {
            return &fields[i];
        }
    }
    return NULL;
}

static const lg_cel_type *nullable(loader *l, const lg_cel_type *type)
{
    return type->kind == LG_CEL_DYN ? type : or_dyn(lg_cel_type_nullable(l->arena, type));
}

// What two different types have in common if listed values are left aside; else dyn.
static const lg_cel_type *with_any_value(const lg_cel_type *a, const lg_cel_type *b)
{
    bool same = a->kind == b->kind && a->nullable == b->nullable && !loader_same_values(a, b);
    return same ? lg_cel_type_of_kind(a->kind) : dyn();
}

// One object with the fields of both; where they disagree about a field it is dyn.
static const lg_cel_type *merge_objects(loader *l, const lg_cel_type *a, const lg_cel_type *b)
{
    lg_cel_type *merged = LG_NEW(l->arena, lg_cel_type);
    lg_cel_field *fields = LG_NEW_ARRAY(l->arena, lg_cel_field, a->field_count + b->field_count);
    if (!merged || !fields) {
        return dyn();
    }
    *merged = *a;
    size_t count = 0;
    for (size_t i = 0; i < a->field_count; i++) {
        const lg_cel_field *other = find_field(b->fields, b->field_count, a->fields[i].name);
        fields[count] = a->fields[i];
        if (other && !types_equal(other->type, a->fields[i].type, 0)) {
            fields[count].type = with_any_value(a->fields[i].type, other->type);
        }
        fields[count].optional = !other || other->optional || a->fields[i].optional;
        count++;
    }
    for (size_t i = 0; i < b->field_count; i++) {
        if (!find_field(a->fields, a->field_count, b->fields[i].name)) {
            fields[count] = b->fields[i];
            fields[count++].optional = true;
        }
    }
    merged->name = LG_STR(""); // it is neither
    merged->fields = fields;
    merged->field_count = count;
    merged->nullable = a->nullable || b->nullable;
    return merged;
}

// What holds a value of either type.
static const lg_cel_type *join(loader *l, const lg_cel_type *a, const lg_cel_type *b)
{
    if (a->kind == LG_CEL_NULL || b->kind == LG_CEL_NULL) {
        return nullable(l, a->kind == LG_CEL_NULL ? b : a);
    }
    if (types_equal(a, b, 0)) {
        return a;
    }
    if (a->kind == LG_CEL_OBJECT && b->kind == LG_CEL_OBJECT) {
        return merge_objects(l, a, b);
    }
    return with_any_value(a, b);
}

static const lg_cel_type *type_of_value(const lg_json *value)
{
    switch (lg_json_type_of(value)) {
    case LG_JSON_NULL:
        return lg_cel_type_of_kind(LG_CEL_NULL);
    case LG_JSON_BOOL:
        return lg_cel_type_of_kind(LG_CEL_BOOL);
    case LG_JSON_INT:
    case LG_JSON_UINT:
    case LG_JSON_DOUBLE:
    case LG_JSON_BIGNUM:
        return lg_cel_type_of_kind(LG_CEL_DOUBLE);
    case LG_JSON_STRING:
        return lg_cel_type_of_kind(LG_CEL_STRING);
    case LG_JSON_ARRAY:
    case LG_JSON_OBJECT:
        return dyn();
    }
    return dyn();
}

static bool is_listed(const lg_json *names, lg_str name)
{
    for (size_t i = 0; i < lg_json_len(names); i++) {
        if (lg_str_eq(lg_json_str(lg_json_item(names, i)), name)) {
            return true;
        }
    }
    return false;
}

static const lg_cel_type *type_of_properties(loader *l, const lg_json *schema, uint32_t depth,
                                             lg_cel_type *object)
{
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    const lg_json *required = lg_json_get(schema, LG_STR("required"));
    size_t count = lg_json_len(properties);
    lg_cel_field *fields = LG_NEW_ARRAY(l->arena, lg_cel_field, count);
    if (!fields && count) {
        return dyn();
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json_member *member = lg_json_member_at(properties, i);
        lg_str name = lg_json_key(member);
        fields[i] =
            (lg_cel_field){name, type_of(l, &member->value, depth + 1), !is_listed(required, name)};
    }
    object->fields = fields;
    object->field_count = count;
    return object;
}

static const lg_cel_type *type_of_object(loader *l, const lg_json *schema, uint32_t depth,
                                         lg_cel_type *into)
{
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    const lg_json *others = lg_json_get(schema, LG_STR("additionalProperties"));
    bool open = others && !(lg_json_is(others, LG_JSON_BOOL) && !others->as.boolean);
    if (lg_json_is(properties, LG_JSON_OBJECT) && !open) {
        return type_of_properties(l, schema, depth, into);
    }
    const lg_cel_type *value = dyn();
    if (open && !properties && lg_json_is(others, LG_JSON_OBJECT)) {
        value = type_of(l, others, depth + 1);
    }
    *into = (lg_cel_type){
        .kind = LG_CEL_MAP, .key = lg_cel_type_of_kind(LG_CEL_STRING), .element = value};
    return into;
}

static const lg_cel_type *type_of_keyword(loader *l, const lg_json *schema, lg_str type,
                                          uint32_t depth, lg_cel_type *into)
{
    if (lg_str_eq(type, LG_STR("string"))) {
        return lg_cel_type_of_kind(LG_CEL_STRING);
    }
    if (lg_str_eq(type, LG_STR("number")) || lg_str_eq(type, LG_STR("integer"))) {
        return lg_cel_type_of_kind(LG_CEL_DOUBLE);
    }
    if (lg_str_eq(type, LG_STR("boolean"))) {
        return lg_cel_type_of_kind(LG_CEL_BOOL);
    }
    if (lg_str_eq(type, LG_STR("null"))) {
        return lg_cel_type_of_kind(LG_CEL_NULL);
    }
    if (lg_str_eq(type, LG_STR("array"))) {
        const lg_json *items = lg_json_get(schema, LG_STR("items"));
        return or_dyn(lg_cel_type_list(l->arena, items ? type_of(l, items, depth + 1) : dyn()));
    }
    if (lg_str_eq(type, LG_STR("object"))) {
        return type_of_object(l, schema, depth, into);
    }
    return dyn(); // the schema compiler reports it
}

static bool are_texts(const lg_json *values)
{
    for (size_t i = 0; i < lg_json_len(values); i++) {
        if (!lg_json_is(lg_json_item(values, i), LG_JSON_STRING)) {
            return false;
        }
    }
    return lg_json_is(values, LG_JSON_ARRAY) && lg_json_len(values) > 0;
}

static const lg_cel_type *type_of_texts(const lg_json *values, lg_cel_type *into)
{
    *into = (lg_cel_type){.kind = LG_CEL_STRING, .values = values};
    return into;
}

// `type` as a text or a list, else what `properties` or the listed values suggest.
static const lg_cel_type *type_of_plain(loader *l, const lg_json *schema, uint32_t depth,
                                        lg_cel_type *into)
{
    const lg_json *type = lg_json_get(schema, LG_STR("type"));
    const lg_json *listed = lg_json_get(schema, LG_STR("enum"));
    if (are_texts(listed) && (!type || lg_str_eq(lg_json_str(type), LG_STR("string")))) {
        return type_of_texts(listed, into);
    }
    if (lg_json_is(type, LG_JSON_STRING)) {
        return type_of_keyword(l, schema, lg_json_str(type), depth, into);
    }
    if (lg_json_len(type) > 0) {
        const lg_cel_type *joined = NULL;
        for (size_t i = 0; i < lg_json_len(type); i++) {
            const lg_cel_type *one =
                type_of_keyword(l, schema, lg_json_str(lg_json_item(type, i)), depth, into);
            joined = joined ? join(l, joined, one) : one;
        }
        return joined;
    }
    if (lg_json_get(schema, LG_STR("properties"))) {
        return type_of_object(l, schema, depth, into);
    }
    const lg_json *values = lg_json_get(schema, LG_STR("enum"));
    const lg_json *constant = lg_json_get(schema, LG_STR("const"));
    const lg_cel_type *joined = constant ? type_of_value(constant) : NULL;
    for (size_t i = 0; i < lg_json_len(values); i++) {
        const lg_cel_type *one = type_of_value(lg_json_item(values, i));
        joined = joined ? join(l, joined, one) : one;
    }
    return or_dyn(joined);
}

static const lg_cel_type *type_of_union(loader *l, const lg_json *variants, uint32_t depth)
{
    const lg_cel_type *joined = NULL;
    for (size_t i = 0; i < lg_json_len(variants); i++) {
        const lg_cel_type *one = type_of(l, lg_json_item(variants, i), depth + 1);
        joined = joined ? join(l, joined, one) : one;
    }
    return or_dyn(joined);
}

// Builds into a fresh object, so that a recursive type can refer to itself while it is unfinished.
static const lg_cel_type *type_of_schema(loader *l, const lg_json *schema, uint32_t depth,
                                         lg_cel_type *into)
{
    const lg_json *any = lg_json_get(schema, LG_STR("anyOf"));
    any = any ? any : lg_json_get(schema, LG_STR("oneOf"));
    if (any) {
        return type_of_union(l, any, depth);
    }
    const lg_json *all = lg_json_get(schema, LG_STR("allOf"));
    if (lg_json_len(all) > 0) {
        const lg_cel_type *merged = NULL;
        for (size_t i = 0; i < lg_json_len(all); i++) {
            const lg_cel_type *one = type_of(l, lg_json_item(all, i), depth + 1);
            bool both = merged && merged->kind == LG_CEL_OBJECT && one->kind == LG_CEL_OBJECT;
            merged = both                                    ? merge_objects(l, merged, one)
                     : !merged || merged->kind == LG_CEL_DYN ? one
                                                             : merged;
        }
        return merged;
    }
    return type_of_plain(l, schema, depth, into);
}

static const lg_cel_type *named_type(loader *l, lg_str name, uint32_t offset, uint32_t depth)
{
    const lg_json *schema = lg_json_get(l->types, name);
    if (!schema) {
        loader_names names = {.wanted = name};
        for (size_t i = 0; i < lg_json_len(l->types); i++) {
            loader_offer(&names, lg_json_key(lg_json_member_at(l->types, i)));
        }
        const char *meant = loader_meant(l, &names);
        loader_error(l, offset, "no type is called `%.*s`%s", LG_FMT(name),
                     meant[0] ? meant : "; declare it under `types`");
        return dyn();
    }
    // `value` of a member lies inside it: step back to find the type's index.
    size_t index = 0;
    while (&lg_json_member_at(l->types, index)->value != schema) {
        index++;
    }
    struct named_type *known = &l->named[index];
    if (known->type) {
        return known->type;
    }
    lg_cel_type *into = LG_NEW(l->arena, lg_cel_type);
    if (known->open || !into) {
        loader_error(l, offset, "type `%.*s` is defined as itself", LG_FMT(name));
        return dyn();
    }
    *into = (lg_cel_type){.kind = LG_CEL_OBJECT, .name = name};
    bool is_object = lg_json_is(lg_json_get(schema, LG_STR("properties")), LG_JSON_OBJECT);
    known->open = true;
    known->type = is_object ? into : NULL; // an object may hold itself, an alias may not
    const lg_cel_type *built = lg_json_get(schema, LG_STR("$ref"))
                                   ? type_of(l, schema, depth + 1)
                                   : type_of_schema(l, schema, depth + 1, into);
    known->open = false;
    known->type = built;
    return built;
}

static const lg_cel_type *type_of(loader *l, const lg_json *schema, uint32_t depth)
{
    if (depth > TYPE_DEPTH_MAX) {
        loader_error(l, schema->offset, "types are nested deeper than %u levels", TYPE_DEPTH_MAX);
        return dyn();
    }
    const lg_json *ref = lg_json_get(schema, LG_STR("$ref"));
    lg_str target = lg_json_str(ref);
    if (lg_json_is(ref, LG_JSON_STRING)) {
        lg_str prefix = LG_STR("#/types/");
        if (!lg_str_starts(target, prefix)) {
            loader_error(l, ref->offset, "`$ref` reaches the pack's types only: \"#/types/NAME\"");
            return dyn();
        }
        return named_type(l, lg_str_slice(target, prefix.len, target.len), ref->offset, depth);
    }
    lg_cel_type *into = LG_NEW(l->arena, lg_cel_type);
    if (!lg_json_is(schema, LG_JSON_OBJECT) || !into) {
        return dyn();
    }
    into->kind = LG_CEL_OBJECT;
    return type_of_schema(l, schema, depth, into);
}

const lg_cel_type *loader_type(loader *l, const lg_json *schema)
{
    if (lg_json_is(schema, LG_JSON_STRING)) {
        return named_type(l, lg_json_str(schema), schema->offset, 0);
    }
    return type_of(l, schema, 0);
}

static bool assignable(const lg_cel_type *from, const lg_cel_type *to, uint32_t depth);

// An object fits another of the same name, or any whose fields it all has.
static bool object_assignable(const lg_cel_type *from, const lg_cel_type *to, uint32_t depth)
{
    if (from->name.len && to->name.len) {
        return lg_str_eq(from->name, to->name);
    }
    for (size_t i = 0; i < to->field_count; i++) {
        const lg_cel_field *field = find_field(from->fields, from->field_count, to->fields[i].name);
        if (!field || !assignable(field->type, to->fields[i].type, depth + 1)) {
            return false;
        }
    }
    return true;
}

static bool assignable(const lg_cel_type *from, const lg_cel_type *to, uint32_t depth)
{
    bool open = from->kind == LG_CEL_DYN || from->kind == LG_CEL_PARAM || to->kind == LG_CEL_DYN;
    if (from == to || open || from->kind == LG_CEL_NULL || depth > TYPE_DEPTH_MAX) {
        return true;
    }
    if (to->kind == LG_CEL_DOUBLE && (from->kind == LG_CEL_INT || from->kind == LG_CEL_UINT)) {
        return true; // a number in JSON
    }
    if (from->kind == LG_CEL_MAP && to->kind == LG_CEL_OBJECT) {
        return true;
    }
    if (from->kind == LG_CEL_OBJECT && to->kind == LG_CEL_MAP) {
        return to->element->kind == LG_CEL_DYN;
    }
    if (from->kind != to->kind) {
        return false;
    }
    if (from->kind == LG_CEL_LIST || from->kind == LG_CEL_MAP) {
        return assignable(from->element, to->element, depth + 1);
    }
    return from->kind != LG_CEL_OBJECT || object_assignable(from, to, depth);
}

bool loader_assignable(const lg_cel_type *from, const lg_cel_type *to)
{
    return assignable(from, to, 0);
}
