// keywords.c: keywords to rules.
//
// The index has made a node for each subschema; here each node reads its keywords, one function a
// keyword, found in a sorted table. A keyword that is not in the table is an annotation, as the
// specification wants; one that is must be well formed, or compilation fails with its pointer.
#include "schema/schema_internal.h"

#include <stdlib.h>

// --- Groups of rules, made when the first keyword needs them --------------------------------------

static void *group(compiler *c, void **slot, size_t size_bytes)
{
    if (!*slot) {
        *slot = lg_arena_zalloc(c->arena, 1, size_bytes, _Alignof(max_align_t));
        if (!*slot) {
            lg_schema_no_memory(c);
        }
    }
    return *slot;
}

static value_rules *value_group(compiler *c, node *n)
{
    void *slot = n->value;
    return n->value = group(c, &slot, sizeof(value_rules));
}

static number_rules *number_group(compiler *c, node *n)
{
    void *slot = n->number;
    return n->number = group(c, &slot, sizeof(number_rules));
}

static string_rules *string_group(compiler *c, node *n)
{
    void *slot = n->string;
    string_rules *s = group(c, &slot, sizeof(string_rules));
    if (s && !n->string) {
        s->length_max = UINT64_MAX;
    }
    return n->string = s;
}

static array_rules *array_group(compiler *c, node *n)
{
    void *slot = n->array;
    array_rules *a = group(c, &slot, sizeof(array_rules));
    if (a && !n->array) {
        *a = (array_rules){.items_max = UINT64_MAX, .contains_min = 1, .contains_max = UINT64_MAX};
    }
    return n->array = a;
}

static object_rules *object_group(compiler *c, node *n)
{
    void *slot = n->object;
    object_rules *o = group(c, &slot, sizeof(object_rules));
    if (o && !n->object) {
        o->members_max = UINT64_MAX;
    }
    return n->object = o;
}

static logic_rules *logic_group(compiler *c, node *n)
{
    void *slot = n->logic;
    return n->logic = group(c, &slot, sizeof(logic_rules));
}

// --- Parts that keywords share --------------------------------------------------------------------

// One keyword being read.
typedef struct reading {
    compiler *c;
    node *n;
    const char *keyword;
    const lg_json *value;
} reading;

// A complaint that says what was found instead.
static void complain_value(const reading *r, const char *wanted)
{
    char room[100];
    fixed_text got = lg_text_in(room, sizeof(room));
    lg_text_add_value(&got, r->value);
    lg_text_end(&got);
    lg_schema_complain(r->c, r->n->where, r->keyword, "must be %s, but is %s", wanted, room);
}

static bool read_count(const reading *r, uint64_t *ret)
{
    if (!lg_number_count(r->value, ret)) {
        complain_value(r, "a non-negative integer");
        return false;
    }
    return true;
}

static const place *keyword_place(const reading *r)
{
    return lg_index_place(r->c, r->n->where, lg_str_c(r->keyword));
}

// The node of a subschema that the index has found or, below an unknown holder, is found now.
static const node *subschema(const reading *r, const lg_json *value, const place *where)
{
    if (!lg_json_is(value, LG_JSON_OBJECT) && !lg_json_is(value, LG_JSON_BOOL)) {
        if (where) {
            char room[100];
            fixed_text got = lg_text_in(room, sizeof(room));
            lg_text_add_value(&got, value);
            lg_text_end(&got);
            lg_schema_complain(r->c, where, NULL,
                               "must be a schema (an object or a boolean), but is %s", room);
        }
        return NULL;
    }
    return lg_index_schema(r->c, value, where, r->n->resource);
}

static const node *read_schema(const reading *r)
{
    return subschema(r, r->value, keyword_place(r));
}

static node_list read_schemas(const reading *r)
{
    node_list list = {0};
    size_t count = lg_json_len(r->value);
    if (!lg_json_is(r->value, LG_JSON_ARRAY) || count == 0) {
        complain_value(r, "a non-empty array of schemas");
        return list;
    }
    list.items = LG_NEW_ARRAY(r->c->arena, const node *, count);
    const place *where = keyword_place(r);
    if (!list.items || !where) {
        lg_schema_no_memory(r->c);
        return list;
    }
    for (size_t i = 0; i < count && !r->c->oom; i++) {
        list.items[i] = subschema(r, &r->value->as.items[i], lg_index_place_at(r->c, where, i));
    }
    list.count = count;
    return list;
}

static bool expect_object(const reading *r, const char *wanted)
{
    if (!lg_json_is(r->value, LG_JSON_OBJECT)) {
        complain_value(r, wanted);
        return false;
    }
    return true;
}

// An array of unique names.
static const lg_str *read_names(const reading *r, const lg_json *value, const place *where,
                                size_t *ret_count)
{
    size_t count = lg_json_len(value);
    lg_str *names = LG_NEW_ARRAY(r->c->arena, lg_str, count ? count : 1);
    map seen = {0};
    if (!names) {
        lg_schema_no_memory(r->c);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = lg_json_str(&value->as.items[i]);
        if (!lg_json_is(&value->as.items[i], LG_JSON_STRING)) {
            lg_schema_complain(r->c, where, NULL, "item %zu must be a string", i);
            return NULL;
        }
        if (lg_table_get(&seen, names[i])) {
            lg_schema_complain(r->c, where, NULL, "names `%.*s` twice",
                               LG_FMT(lg_str_slice(names[i], 0, 80)));
            return NULL;
        }
        if (!lg_table_put(r->c->arena, &seen, names[i], names)) {
            lg_schema_no_memory(r->c);
            return NULL;
        }
    }
    *ret_count = count;
    return names;
}

// --- Any type -------------------------------------------------------------------------------------

static uint32_t type_bit(lg_str name)
{
    static const struct {
        const char *name;
        uint32_t bits;
    } types[] = {
        {"string", TYPE_STRING},   {"integer", TYPE_INTEGER},
        {"object", TYPE_OBJECT},   {"number", TYPE_NUMBER | TYPE_INTEGER},
        {"boolean", TYPE_BOOLEAN}, {"array", TYPE_ARRAY},
        {"null", TYPE_NULL},
    };
    for (size_t i = 0; i < LG_COUNT(types); i++) {
        if (lg_str_eq(lg_str_c(types[i].name), name)) {
            return types[i].bits;
        }
    }
    return 0;
}

static void read_type(const reading *r)
{
    bool list = lg_json_is(r->value, LG_JSON_ARRAY);
    size_t count = list ? r->value->len : 1;
    uint32_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        const lg_json *name = list ? &r->value->as.items[i] : r->value;
        uint32_t bit = lg_json_is(name, LG_JSON_STRING) ? type_bit(lg_json_str(name)) : 0;
        if (!bit) {
            reading item = *r;
            item.value = name;
            complain_value(&item, "string, number, integer, boolean, array, object or null");
            return;
        }
        for (size_t j = 0; j < i; j++) {
            if (lg_json_equal(name, &r->value->as.items[j])) {
                lg_schema_complain(r->c, r->n->where, r->keyword, "names `%.*s` twice",
                                   LG_FMT(lg_json_str(name)));
                return;
            }
        }
        bits |= bit;
    }
    if (count == 0) {
        complain_value(r, "a type or a non-empty array of types");
        return;
    }
    bool nullable = r->n->resource->dialect.draft == LG_SCHEMA_OPENAPI_3_0 &&
                    lg_json_is_true(lg_json_get(r->n->source, LG_STR("nullable")));
    r->n->types = (uint8_t)(bits | (nullable ? (uint32_t)TYPE_NULL : 0));
}

static void read_nullable(const reading *r)
{
    if (r->n->resource->dialect.draft == LG_SCHEMA_OPENAPI_3_0 &&
        !lg_json_is(r->value, LG_JSON_BOOL)) {
        complain_value(r, "a boolean");
    }
}

// Steps to compare with `value`: about one for each value in it and each 64 bytes of text.
static uint64_t cost_to_compare(const lg_json *value, uint32_t depth)
{
    uint64_t cost = 1;
    if (lg_json_is(value, LG_JSON_STRING) || lg_json_is(value, LG_JSON_BIGNUM)) {
        return cost + value->len / 64;
    }
    for (size_t i = 0; depth < LG_SCHEMA_DEPTH_MAX && i < lg_json_len(value); i++) {
        bool is_object = lg_json_is(value, LG_JSON_OBJECT);
        cost += cost_to_compare(
            is_object ? &lg_json_member_at(value, i)->value : &value->as.items[i], depth + 1);
    }
    return cost;
}

static void read_enum(const reading *r)
{
    value_rules *rules = value_group(r->c, r->n);
    if (!lg_json_is(r->value, LG_JSON_ARRAY)) {
        complain_value(r, "an array of the allowed values");
    } else if (rules) {
        rules->allowed = r->value;
        rules->cost += cost_to_compare(r->value, 0);
    }
}

static void read_const(const reading *r)
{
    value_rules *rules = value_group(r->c, r->n);
    if (rules) {
        rules->constant = r->value;
        rules->cost += cost_to_compare(r->value, 0);
    }
}

// --- Numbers --------------------------------------------------------------------------------------

static void read_bound(const reading *r)
{
    number_rules *rules = number_group(r->c, r->n);
    if (!rules) {
        return;
    }
    bool low = strcmp(r->keyword, "minimum") == 0;
    bool exclusive = lg_json_is_true(
        lg_json_get(r->n->source, low ? LG_STR("exclusiveMinimum") : LG_STR("exclusiveMaximum")));
    exclusive = exclusive && r->n->resource->dialect.draft == LG_SCHEMA_OPENAPI_3_0;
    if (!lg_json_is_number(r->value)) {
        complain_value(r, "a number");
    } else if (low) {
        *(exclusive ? &rules->above : &rules->minimum) = r->value;
    } else {
        *(exclusive ? &rules->below : &rules->maximum) = r->value;
    }
}

static void read_exclusive_bound(const reading *r)
{
    bool openapi = r->n->resource->dialect.draft == LG_SCHEMA_OPENAPI_3_0;
    if (openapi && lg_json_is(r->value, LG_JSON_BOOL)) {
        return; // it belongs to `minimum` or `maximum`, which has looked here
    }
    number_rules *rules = number_group(r->c, r->n);
    if (openapi || !lg_json_is_number(r->value)) {
        complain_value(r, openapi ? "a boolean" : "a number");
    } else if (rules) {
        *(strcmp(r->keyword, "exclusiveMinimum") == 0 ? &rules->above : &rules->below) = r->value;
    }
}

static void read_multiple_of(const reading *r)
{
    number_rules *rules = number_group(r->c, r->n);
    if (!rules) {
        return;
    }
    if (!lg_number_is_positive(r->value)) {
        complain_value(r, "a number above zero");
    } else if (!lg_number_decimal(r->value, &rules->divisor)) {
        complain_value(r, "a number of at most 19 significant digits");
    } else {
        rules->multiple_of = r->value;
    }
}

// --- Strings --------------------------------------------------------------------------------------

static void read_length(const reading *r)
{
    string_rules *rules = string_group(r->c, r->n);
    if (rules) {
        bool low = strcmp(r->keyword, "minLength") == 0;
        (void)read_count(r, low ? &rules->length_min : &rules->length_max);
    }
}

static void read_pattern(const reading *r)
{
    string_rules *rules = string_group(r->c, r->n);
    if (!lg_json_is(r->value, LG_JSON_STRING)) {
        complain_value(r, "a regular expression");
    } else if (rules) {
        rules->pattern = lg_pattern_compile(r->c, r->n->where, r->keyword, lg_json_str(r->value));
    }
}

// OpenAPI's integers are signed, and of as many bits. Bounds of the schema's own go before.
static void read_integer_format(const reading *r)
{
    static const lg_json bounds[2][2] = {
        {{.type = LG_JSON_INT, .offset = LG_JSON_NO_OFFSET, .as.i64 = INT32_MIN},
         {.type = LG_JSON_INT, .offset = LG_JSON_NO_OFFSET, .as.i64 = INT32_MAX}},
        {{.type = LG_JSON_INT, .offset = LG_JSON_NO_OFFSET, .as.i64 = INT64_MIN},
         {.type = LG_JSON_INT, .offset = LG_JSON_NO_OFFSET, .as.i64 = INT64_MAX}}};
    bool is_long = lg_str_eq(lg_json_str(r->value), LG_STR("int64"));
    bool is_known = is_long || lg_str_eq(lg_json_str(r->value), LG_STR("int32"));
    number_rules *rules =
        is_known && r->c->options.integer_formats ? number_group(r->c, r->n) : NULL;
    if (rules && !lg_json_get(r->n->source, LG_STR("minimum"))) {
        rules->minimum = &bounds[is_long][0];
    }
    if (rules && !lg_json_get(r->n->source, LG_STR("maximum"))) {
        rules->maximum = &bounds[is_long][1];
    }
}

static void read_format(const reading *r)
{
    if (!lg_json_is(r->value, LG_JSON_STRING)) {
        complain_value(r, "the name of a format");
        return;
    }
    read_integer_format(r);
    const format_rule *found = lg_format_find(lg_json_str(r->value));
    bool asserts = r->n->resource->dialect.asserts_format;
    if (asserts && lg_str_eq(lg_json_str(r->value), LG_STR("idn-hostname"))) {
        lg_schema_complain(r->c, r->n->where, r->keyword,
                           "`idn-hostname` cannot be asserted: the tables of IDNA are not here");
    }
    string_rules *rules = found && asserts ? string_group(r->c, r->n) : NULL;
    if (rules) {
        rules->format = found;
    }
}

// --- Arrays ---------------------------------------------------------------------------------------

static void read_item_count(const reading *r)
{
    array_rules *rules = array_group(r->c, r->n);
    if (rules) {
        bool low = strcmp(r->keyword, "minItems") == 0;
        (void)read_count(r, low ? &rules->items_min : &rules->items_max);
    }
}

static void read_unique(const reading *r)
{
    array_rules *rules = array_group(r->c, r->n);
    if (!lg_json_is(r->value, LG_JSON_BOOL)) {
        complain_value(r, "a boolean");
    } else if (rules) {
        rules->unique = r->value->as.boolean;
    }
}

static void read_prefix(const reading *r)
{
    array_rules *rules = array_group(r->c, r->n);
    node_list list = read_schemas(r);
    if (rules) {
        rules->prefix = list.items;
        rules->prefix_count = list.count;
    }
}

static void read_items(const reading *r)
{
    const dialect *d = &r->n->resource->dialect;
    bool tuples = (d->draft == LG_SCHEMA_7 || d->is_2019_09);
    if (lg_json_is(r->value, LG_JSON_ARRAY)) {
        if (!tuples) {
            lg_schema_complain(r->c, r->n->where, r->keyword,
                               "must be a schema; since 2020-12 an array belongs in `prefixItems`");
        } else if (r->value->len) {
            read_prefix(r);
        }
        return;
    }
    array_rules *rules = array_group(r->c, r->n);
    if (rules) {
        rules->rest = read_schema(r);
        rules->rest_keyword = "items";
    }
}

static void read_additional_items(const reading *r)
{
    // It speaks of what comes after an array of `items`; beside a single schema it means nothing.
    array_rules *rules = array_group(r->c, r->n);
    const node *rest = read_schema(r);
    if (rules && lg_json_is(lg_json_get(r->n->source, LG_STR("items")), LG_JSON_ARRAY)) {
        rules->rest = rest;
        rules->rest_keyword = "additionalItems";
    }
}

static void read_contains(const reading *r)
{
    array_rules *rules = array_group(r->c, r->n);
    if (rules) {
        const dialect *d = &r->n->resource->dialect;
        rules->contains = read_schema(r);
        rules->contains_marks = d->draft == LG_SCHEMA_2020_12 && !d->is_2019_09;
    }
}

static void read_contains_count(const reading *r)
{
    array_rules *rules = array_group(r->c, r->n);
    if (rules) {
        bool low = strcmp(r->keyword, "minContains") == 0;
        (void)read_count(r, low ? &rules->contains_min : &rules->contains_max);
    }
}

static void read_unevaluated_items(const reading *r)
{
    array_rules *rules = array_group(r->c, r->n);
    if (rules) {
        rules->unevaluated = read_schema(r);
    }
}

// --- Objects --------------------------------------------------------------------------------------

static void read_member_count(const reading *r)
{
    object_rules *rules = object_group(r->c, r->n);
    if (rules) {
        bool low = strcmp(r->keyword, "minProperties") == 0;
        (void)read_count(r, low ? &rules->members_min : &rules->members_max);
    }
}

static int by_name(const void *a, const void *b)
{
    const property *left = a;
    const property *right = b;
    if (left->name.len != right->name.len) {
        return left->name.len < right->name.len ? -1 : 1;
    }
    return lg_str_cmp(left->name, right->name);
}

static property *find_property(property *items, size_t count, lg_str name)
{
    property wanted = {.name = name};
    return count ? bsearch(&wanted, items, count, sizeof(property), by_name) : NULL;
}

// `properties` and `required` become one sorted table, so that one pass over the members of an
// object finds both the schema of each and how many of the required ones are there.
static void read_properties(const reading *r)
{
    object_rules *rules = object_group(r->c, r->n);
    const place *where = keyword_place(r);
    if (!rules || !where || !expect_object(r, "an object of schemas")) {
        return;
    }
    size_t count = lg_json_len(r->value);
    property *items = LG_NEW_ARRAY(r->c->arena, property, count ? count : 1);
    if (!items) {
        lg_schema_no_memory(r->c);
        return;
    }
    for (size_t i = 0; i < count && !r->c->oom; i++) {
        const lg_json_member *member = lg_json_member_at(r->value, i);
        lg_str name = lg_json_key(member);
        items[i] =
            (property){.name = name,
                       .schema = subschema(r, &member->value, lg_index_place(r->c, where, name))};
    }
    qsort(items, count, sizeof(property), by_name);
    rules->properties = items;
    rules->property_count = count;
}

static void read_required(const reading *r)
{
    object_rules *rules = object_group(r->c, r->n);
    const place *where = keyword_place(r);
    if (!lg_json_is(r->value, LG_JSON_ARRAY)) {
        complain_value(r, "an array of names");
        return;
    }
    size_t count = 0;
    const lg_str *names = rules && where ? read_names(r, r->value, where, &count) : NULL;
    if (!names) {
        return;
    }
    size_t known = rules->property_count;
    property *items = LG_NEW_ARRAY(r->c->arena, property, known + count ? known + count : 1);
    if (!items) {
        lg_schema_no_memory(r->c);
        return;
    }
    if (known) {
        memcpy(items, rules->properties, known * sizeof(property));
    }
    size_t total = known;
    for (size_t i = 0; i < count; i++) {
        property *same = find_property(items, known, names[i]);
        if (same) {
            same->required = true;
        } else {
            items[total++] = (property){.name = names[i], .required = true};
        }
    }
    qsort(items, total, sizeof(property), by_name);
    rules->properties = items;
    rules->property_count = total;
    rules->required_count = count;
}

static void read_pattern_properties(const reading *r)
{
    object_rules *rules = object_group(r->c, r->n);
    const place *where = keyword_place(r);
    if (!rules || !where || !expect_object(r, "an object of schemas")) {
        return;
    }
    size_t count = lg_json_len(r->value);
    pattern_property *items = LG_NEW_ARRAY(r->c->arena, pattern_property, count ? count : 1);
    if (!items) {
        lg_schema_no_memory(r->c);
        return;
    }
    for (size_t i = 0; i < count && !r->c->oom; i++) {
        const lg_json_member *member = lg_json_member_at(r->value, i);
        const place *at = lg_index_place(r->c, where, lg_json_key(member));
        items[i].pattern = lg_pattern_compile(r->c, at, NULL, lg_json_key(member));
        items[i].schema = subschema(r, &member->value, at);
    }
    rules->patterns = items;
    rules->pattern_count = count;
}

static void read_additional(const reading *r)
{
    object_rules *rules = object_group(r->c, r->n);
    if (rules) {
        rules->additional = read_schema(r);
    }
}

static void read_names_schema(const reading *r)
{
    object_rules *rules = object_group(r->c, r->n);
    if (rules) {
        rules->names = read_schema(r);
    }
}

static void read_unevaluated_properties(const reading *r)
{
    object_rules *rules = object_group(r->c, r->n);
    if (rules) {
        rules->unevaluated = read_schema(r);
    }
}

// `dependentSchemas`, `dependentRequired`, and `dependencies`, which is either. 2020-12 has dropped
// the last one; it is honoured all the same, since ignoring it would let everything pass.
static void read_dependencies(const reading *r)
{
    object_rules *rules = object_group(r->c, r->n);
    const place *where = keyword_place(r);
    if (!rules || !where || !expect_object(r, "an object")) {
        return;
    }
    size_t count = lg_json_len(r->value);
    dependency *items = LG_NEW_ARRAY(r->c->arena, dependency, rules->dependency_count + count + 1);
    if (!items) {
        lg_schema_no_memory(r->c);
        return;
    }
    if (rules->dependency_count) {
        memcpy(items, rules->dependencies, rules->dependency_count * sizeof(dependency));
    }
    bool want_schema = strcmp(r->keyword, "dependentSchemas") == 0;
    bool want_names = strcmp(r->keyword, "dependentRequired") == 0;
    for (size_t i = 0; i < count && !r->c->oom; i++) {
        const lg_json_member *member = lg_json_member_at(r->value, i);
        const place *at = lg_index_place(r->c, where, lg_json_key(member));
        dependency *d = &items[rules->dependency_count++];
        *d = (dependency){.name = lg_json_key(member), .keyword = r->keyword};
        bool is_list = lg_json_is(&member->value, LG_JSON_ARRAY);
        if (is_list && !want_schema) {
            d->required = read_names(r, &member->value, at, &d->required_count);
        } else if (want_names) {
            lg_schema_complain(r->c, at, NULL, "must be an array of names");
        } else {
            d->schema = subschema(r, &member->value, at);
        }
    }
    rules->dependencies = items;
}

// --- Logic ----------------------------------------------------------------------------------------

static void read_ref(const reading *r)
{
    logic_rules *rules = logic_group(r->c, r->n);
    lg_str name = {"", 0};
    if (!lg_json_is(r->value, LG_JSON_STRING)) {
        complain_value(r, "a URI reference");
    } else if (rules) {
        rules->ref = lg_index_resolve(r->c, r->n->resource, r->n->where, r->keyword,
                                      lg_json_str(r->value), &name);
    }
}

// A `$dynamicRef` is dynamic only if what it points to is a `$dynamicAnchor` of that very name;
// otherwise it is a `$ref`.
static void read_dynamic_ref(const reading *r)
{
    if (!lg_json_is(r->value, LG_JSON_STRING)) {
        complain_value(r, "a URI reference");
        return;
    }
    logic_rules *rules = logic_group(r->c, r->n);
    lg_str name = {"", 0};
    const node *target = rules ? lg_index_resolve(r->c, r->n->resource, r->n->where, r->keyword,
                                                  lg_json_str(r->value), &name)
                               : NULL;
    if (!target) {
        return;
    }
    const lg_json *anchor = lg_json_get(target->source, LG_STR("$dynamicAnchor"));
    rules->dynamic_ref = target;
    if (name.len && lg_json_is(anchor, LG_JSON_STRING) && lg_str_eq(lg_json_str(anchor), name)) {
        rules->dynamic_name = name;
    }
}

static void refuse_recursive_ref(const reading *r)
{
    lg_schema_complain(r->c, r->n->where, r->keyword,
                       "is of draft 2019-09 and not supported; use `$dynamicRef` of 2020-12");
}

static void read_list(const reading *r)
{
    logic_rules *rules = logic_group(r->c, r->n);
    node_list list = read_schemas(r);
    if (rules) {
        *(r->keyword[0] == 'a' && r->keyword[1] == 'l' ? &rules->all
          : r->keyword[0] == 'a'                       ? &rules->any
                                                       : &rules->one) = list;
    }
}

static void read_not(const reading *r)
{
    logic_rules *rules = logic_group(r->c, r->n);
    if (rules) {
        rules->negated = read_schema(r);
    }
}

static void read_condition(const reading *r)
{
    logic_rules *rules = logic_group(r->c, r->n);
    if (rules) {
        *(r->keyword[0] == 'i'   ? &rules->condition
          : r->keyword[0] == 't' ? &rules->then_branch
                                 : &rules->else_branch) = read_schema(r);
    }
}

// --- The table ------------------------------------------------------------------------------------

typedef enum vocabulary {
    VOCABULARY_CORE,
    VOCABULARY_APPLICATOR,
    VOCABULARY_VALIDATION,
    VOCABULARY_UNEVALUATED,
} vocabulary;

enum { D2020 = 1, D7 = 2, D2019 = 4, DOPENAPI = 8, SINCE_7 = 15, SINCE_2019 = 5 };

// Sorted by bytes. `properties` comes before `required`, whatever the order in the schema: the
// table's order is the order of work.
static const struct keyword {
    const char *name;
    void (*read)(const reading *r);
    vocabulary vocabulary;
    int drafts;
} keywords[] = {
    {"$dynamicRef", read_dynamic_ref, VOCABULARY_CORE, D2020},
    {"$recursiveRef", refuse_recursive_ref, VOCABULARY_CORE, D2019},
    {"$ref", read_ref, VOCABULARY_CORE, SINCE_7},
    {"additionalItems", read_additional_items, VOCABULARY_APPLICATOR, D7 | D2019},
    {"additionalProperties", read_additional, VOCABULARY_APPLICATOR, SINCE_7},
    {"allOf", read_list, VOCABULARY_APPLICATOR, SINCE_7},
    {"anyOf", read_list, VOCABULARY_APPLICATOR, SINCE_7},
    {"const", read_const, VOCABULARY_VALIDATION, D2020 | D7 | D2019},
    {"contains", read_contains, VOCABULARY_APPLICATOR, D2020 | D7 | D2019},
    {"dependencies", read_dependencies, VOCABULARY_APPLICATOR, D2020 | D7 | D2019},
    {"dependentRequired", read_dependencies, VOCABULARY_VALIDATION, SINCE_2019},
    {"dependentSchemas", read_dependencies, VOCABULARY_APPLICATOR, SINCE_2019},
    {"else", read_condition, VOCABULARY_APPLICATOR, D2020 | D7 | D2019},
    {"enum", read_enum, VOCABULARY_VALIDATION, SINCE_7},
    {"exclusiveMaximum", read_exclusive_bound, VOCABULARY_VALIDATION, SINCE_7},
    {"exclusiveMinimum", read_exclusive_bound, VOCABULARY_VALIDATION, SINCE_7},
    {"format", read_format, VOCABULARY_CORE, SINCE_7},
    {"if", read_condition, VOCABULARY_APPLICATOR, D2020 | D7 | D2019},
    {"items", read_items, VOCABULARY_APPLICATOR, SINCE_7},
    {"maxContains", read_contains_count, VOCABULARY_VALIDATION, SINCE_2019},
    {"maxItems", read_item_count, VOCABULARY_VALIDATION, SINCE_7},
    {"maxLength", read_length, VOCABULARY_VALIDATION, SINCE_7},
    {"maxProperties", read_member_count, VOCABULARY_VALIDATION, SINCE_7},
    {"maximum", read_bound, VOCABULARY_VALIDATION, SINCE_7},
    {"minContains", read_contains_count, VOCABULARY_VALIDATION, SINCE_2019},
    {"minItems", read_item_count, VOCABULARY_VALIDATION, SINCE_7},
    {"minLength", read_length, VOCABULARY_VALIDATION, SINCE_7},
    {"minProperties", read_member_count, VOCABULARY_VALIDATION, SINCE_7},
    {"minimum", read_bound, VOCABULARY_VALIDATION, SINCE_7},
    {"multipleOf", read_multiple_of, VOCABULARY_VALIDATION, SINCE_7},
    {"not", read_not, VOCABULARY_APPLICATOR, SINCE_7},
    {"nullable", read_nullable, VOCABULARY_VALIDATION, DOPENAPI},
    {"oneOf", read_list, VOCABULARY_APPLICATOR, SINCE_7},
    {"pattern", read_pattern, VOCABULARY_VALIDATION, SINCE_7},
    {"patternProperties", read_pattern_properties, VOCABULARY_APPLICATOR, D2020 | D7 | D2019},
    {"prefixItems", read_prefix, VOCABULARY_APPLICATOR, D2020},
    {"properties", read_properties, VOCABULARY_APPLICATOR, SINCE_7},
    {"propertyNames", read_names_schema, VOCABULARY_APPLICATOR, D2020 | D7 | D2019},
    {"required", read_required, VOCABULARY_VALIDATION, SINCE_7},
    {"then", read_condition, VOCABULARY_APPLICATOR, D2020 | D7 | D2019},
    {"type", read_type, VOCABULARY_VALIDATION, SINCE_7},
    {"unevaluatedItems", read_unevaluated_items, VOCABULARY_UNEVALUATED, SINCE_2019},
    {"unevaluatedProperties", read_unevaluated_properties, VOCABULARY_UNEVALUATED, SINCE_2019},
    {"uniqueItems", read_unique, VOCABULARY_VALIDATION, SINCE_7},
};

static bool in_dialect(const struct keyword *k, const dialect *d)
{
    int bit = d->draft == LG_SCHEMA_OPENAPI_3_0 ? DOPENAPI
              : d->draft == LG_SCHEMA_7         ? D7
              : d->is_2019_09                   ? D2019
                                                : D2020;
    bool spoken = false;
    switch (k->vocabulary) {
    case VOCABULARY_CORE:
        spoken = true;
        break;
    case VOCABULARY_APPLICATOR:
        spoken = d->applies;
        break;
    case VOCABULARY_VALIDATION:
        spoken = d->validates;
        break;
    case VOCABULARY_UNEVALUATED:
        spoken = d->unevaluated;
        break;
    }
    return spoken && (k->drafts & bit) != 0;
}

static int find_keyword(lg_str name)
{
    size_t low = 0;
    size_t high = LG_COUNT(keywords);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = lg_str_cmp(name, lg_str_c(keywords[middle].name));
        if (order == 0) {
            return (int)middle;
        }
        *(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
    }
    return -1;
}

static void read_keywords(compiler *c, node *n)
{
    const dialect *d = &n->resource->dialect;
    const lg_json *values[LG_COUNT(keywords)] = {NULL};
    for (size_t i = 0; i < lg_json_len(n->source); i++) {
        const lg_json_member *member = lg_json_member_at(n->source, i);
        int at = find_keyword(lg_json_key(member));
        if (at >= 0 && in_dialect(&keywords[at], d)) {
            values[at] = &member->value;
        }
    }
    // Before 2019-09 a `$ref` hides whatever stands beside it.
    bool alone = d->draft != LG_SCHEMA_2020_12 && lg_json_get(n->source, LG_STR("$ref"));
    for (size_t i = 0; i < LG_COUNT(keywords) && !c->oom; i++) {
        if (values[i] && (!alone || strcmp(keywords[i].name, "$ref") == 0)) {
            keywords[i].read(&(reading){c, n, keywords[i].name, values[i]});
        }
    }
}

void lg_compile_node(compiler *c, node *n)
{
    if (lg_json_is(n->source, LG_JSON_BOOL)) {
        n->refuses = !n->source->as.boolean;
    } else {
        read_keywords(c, n);
    }
    n->trivial = !n->refuses && !n->types && !n->value && !n->number && !n->string && !n->array &&
                 !n->object && !n->logic;
}
