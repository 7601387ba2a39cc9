// within.c: which of two schemas lets more through, keyword by keyword.
//
// A schema is a conjunction: `a` is within `b` if for each keyword of `b` one of `a` demands no less.
// Keywords that count on others beside them must be the same, and those beside them, too.
#include "prove/within.h"
#include "symbolic/translate.h"

#include <string.h>

#define WITHIN_DEPTH_MAX 32u
#define MISFIT_DEPTH_MAX 3u

static const lg_json *get(const lg_json *schema, const char *keyword)
{
    return lg_json_get(schema, lg_str_c(keyword));
}

static bool same(const lg_json *a, const lg_json *b)
{
    return a && b ? lg_json_equal(a, b) : a == b;
}

static bool is_remark(lg_str keyword)
{
    static const char *const remarks[] = {"title",      "description", "default",   "examples",
                                          "deprecated", "readOnly",    "writeOnly", "$comment"};
    for (size_t i = 0; i < LG_COUNT(remarks); i++) {
        if (lg_str_eq(keyword, lg_str_c(remarks[i]))) {
            return true;
        }
    }
    return false;
}

// The keywords by which others are read, or that let more through: they are the same in both.
static bool are_read_alike(const lg_json *a, const lg_json *b)
{
    static const char *const keywords[] = {"$ref",
                                           "$dynamicRef",
                                           "$schema",
                                           "$id",
                                           "$anchor",
                                           "$dynamicAnchor",
                                           "$defs",
                                           "definitions",
                                           "nullable",
                                           "patternProperties",
                                           "prefixItems",
                                           "additionalItems",
                                           "if",
                                           "then",
                                           "else",
                                           "contains",
                                           "minContains",
                                           "maxContains",
                                           "unevaluatedItems",
                                           "unevaluatedProperties"};
    for (size_t i = 0; i < LG_COUNT(keywords); i++) {
        if (!same(get(a, keywords[i]), get(b, keywords[i]))) {
            return false;
        }
    }
    return !get(a, "$ref") && !get(b, "$ref") && !get(b, "unevaluatedItems") &&
           !get(b, "unevaluatedProperties");
}

// --- Keywords -----------------------------------------------------------------------------------

// The texts, or other values, of one list that are in another; one value is a list of one.
static bool all_listed(const lg_json *items, const lg_json *in)
{
    size_t count = lg_json_is(items, LG_JSON_ARRAY) ? lg_json_len(items) : 1;
    for (size_t i = 0; i < count; i++) {
        const lg_json *one = lg_json_is(items, LG_JSON_ARRAY) ? lg_json_item(items, i) : items;
        bool found = !lg_json_is(in, LG_JSON_ARRAY) && lg_json_equal(one, in);
        for (size_t k = 0; lg_json_is(in, LG_JSON_ARRAY) && k < lg_json_len(in); k++) {
            found = found || lg_json_equal(one, lg_json_item(in, k));
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

// Names of types; an integer is a number.
static bool types_within(const lg_json *a, const lg_json *b)
{
    const lg_json integer = lg_json_make_str(LG_STR("integer"));
    const lg_json number = lg_json_make_str(LG_STR("number"));
    size_t count = lg_json_is(a, LG_JSON_ARRAY) ? lg_json_len(a) : 1;
    for (size_t i = 0; i < count; i++) {
        const lg_json *one = lg_json_is(a, LG_JSON_ARRAY) ? lg_json_item(a, i) : a;
        if (!all_listed(one, b) && !(lg_json_equal(one, &integer) && all_listed(&number, b))) {
            return false;
        }
    }
    return true;
}

// Listed values of `a` against a list of `b`: without any in `a` it may be anything, and that is not within.
static bool values_within(const lg_json *a, const lg_json *listed)
{
    const lg_json *constant = get(a, "const");
    const lg_json *own = get(a, "enum");
    for (size_t i = 0; !constant && i < lg_json_len(own); i++) {
        bool found = false;
        for (size_t k = 0; k < lg_json_len(listed); k++) {
            found = found || lg_json_equal(lg_json_item(own, i), lg_json_item(listed, k));
        }
        if (!found) {
            return false;
        }
    }
    bool found = !constant;
    for (size_t k = 0; k < lg_json_len(listed); k++) {
        found = found || lg_json_equal(constant, lg_json_item(listed, k));
    }
    return found && (constant || own);
}

// A bound of the same keyword that is no wider.
// Numbers are compared as JSON has them, not as doubles.
static int bound_within(lg_str keyword, const lg_json *a, const lg_json *b)
{
    static const struct {
        const char *keyword;
        int sign;
    } table[] = {{"minimum", 1},           {"exclusiveMinimum", 1}, {"maximum", -1},
                 {"exclusiveMaximum", -1}, {"minLength", 1},        {"maxLength", -1},
                 {"minItems", 1},          {"maxItems", -1},        {"minProperties", 1},
                 {"maxProperties", -1}};
    for (size_t i = 0; i < LG_COUNT(table); i++) {
        if (lg_str_eq(keyword, lg_str_c(table[i].keyword))) {
            bool numbers = lg_json_is_number(a) && lg_json_is_number(b);
            return numbers && lg_json_number_cmp(a, b) * table[i].sign >= 0;
        }
    }
    return -1; // another keyword
}

static bool within(const lg_json *a, const lg_json *b, bool arguments, uint32_t depth);

static bool names_within(const lg_json *a, const lg_json *b)
{
    const lg_json *names = get(a, "properties");
    for (size_t i = 0; i < lg_json_len(names); i++) {
        if (!lg_json_get(get(b, "properties"), lg_json_key(lg_json_member_at(names, i)))) {
            return false;
        }
    }
    return true;
}

// Are members that are not named refused?
static bool is_closed(const lg_json *schema, bool arguments)
{
    const lg_json *others = get(schema, "additionalProperties");
    return others ? lg_json_is(others, LG_JSON_BOOL) && !others->as.boolean
                  : arguments && get(schema, "properties");
}

static bool members_within(const lg_json *a, const lg_json *b, bool arguments, uint32_t depth)
{
    LG_DEBUG_ASSERT(lg_json_is(a, LG_JSON_OBJECT) && lg_json_is(b, LG_JSON_OBJECT));
    const lg_json *wanted = get(b, "properties");
    bool closed = is_closed(a, arguments) && !get(a, "patternProperties");
    for (size_t i = 0; i < lg_json_len(wanted); i++) {
        const lg_json_member *member = lg_json_member_at(wanted, i);
        const lg_json *own = lg_json_get(get(a, "properties"), lg_json_key(member));
        bool fits = own ? within(own, &member->value, false, depth + 1) : closed;
        if (!fits) {
            return false;
        }
    }
    if (is_closed(b, arguments)) {
        return is_closed(a, arguments) && names_within(a, b);
    }
    // Others are judged by `additionalProperties`, which ones depends on the names.
    return !get(b, "additionalProperties") ||
           (names_within(a, b) && names_within(b, a) &&
            same(get(a, "additionalProperties"), get(b, "additionalProperties")));
}

static bool keyword_within(lg_str keyword, const lg_json *a, const lg_json *b, uint32_t depth)
{
    LG_DEBUG_ASSERT(depth <= WITHIN_DEPTH_MAX);
    const lg_json *own = lg_json_get(a, keyword);
    const lg_json *wanted = lg_json_get(b, keyword);
    int narrower = bound_within(keyword, own, wanted);
    if (is_remark(keyword) || lg_str_eq(keyword, LG_STR("properties")) ||
        lg_str_eq(keyword, LG_STR("additionalProperties"))) {
        return true; // those of members are looked at together
    }
    if (lg_str_eq(keyword, LG_STR("enum")) || lg_str_eq(keyword, LG_STR("const"))) {
        lg_json item = *wanted;
        const lg_json one = lg_json_make_array(&item, 1);
        return values_within(a, lg_str_eq(keyword, LG_STR("enum")) ? wanted : &one);
    }
    // What `b` demands and `a` does not say is demanded in vain.
    if (!own) {
        return false;
    }
    return narrower >= 0                            ? narrower > 0
           : lg_str_eq(keyword, LG_STR("type"))     ? types_within(own, wanted)
           : lg_str_eq(keyword, LG_STR("required")) ? all_listed(wanted, own)
           : lg_str_eq(keyword, LG_STR("items"))    ? within(own, wanted, false, depth + 1)
                                                    : lg_json_equal(own, wanted);
}

// As deep as schemas are nested, within a bound.
static bool within(const lg_json *a, const lg_json *b, bool arguments, uint32_t depth)
{
    if (lg_json_equal(a, b)) {
        return true;
    }
    if (!lg_json_is(a, LG_JSON_OBJECT) || !lg_json_is(b, LG_JSON_OBJECT) ||
        depth > WITHIN_DEPTH_MAX || !are_read_alike(a, b)) {
        return false;
    }
    for (size_t i = 0; i < lg_json_len(b); i++) {
        if (!keyword_within(lg_json_key(lg_json_member_at(b, i)), a, b, depth)) {
            return false;
        }
    }
    return members_within(a, b, arguments, depth);
}

bool arguments_within(const lg_json *inner, const lg_json *outer)
{
    static const char *const beside[] = {"allOf",       "anyOf", "oneOf", "not", "dependentSchemas",
                                         "dependencies"};
    if (lg_json_equal(inner, outer)) {
        return true;
    }
    for (size_t i = 0; i < LG_COUNT(beside); i++) { // names may stand in them
        if (get(inner, beside[i]) || get(outer, beside[i])) {
            return false;
        }
    }
    return within(inner, outer, true, 0);
}

// --- Values that do not fit ---------------------------------------------------------------------

static term is_listed(problem *p, val v, const lg_json *listed)
{
    term any = term_bool(p->t, false);
    for (size_t i = 0; i < lg_json_len(listed); i++) {
        val one = value_of_json(p, lg_json_item(listed, i));
        any = term_or(p->t, any, same_value(p, v, one, 0));
    }
    return any;
}

static term beyond(problem *p, const alt *a, const lg_json *schema)
{
    LG_DEBUG_ASSERT(a->kind == ALT_DOUBLE);
    terms *t = p->t;
    double low, high;
    const lg_json *least = get(schema, "minimum");
    const lg_json *most = get(schema, "maximum");
    term out = term_bool(t, false);
    if (lg_json_is_number(least) && lg_json_double(least, &low)) {
        out = term_or(t, out, term_lt(t, a->t, term_real(t, low)));
    }
    if (lg_json_is_number(most) && lg_json_double(most, &high)) {
        out = term_or(t, out, term_lt(t, term_real(t, high), a->t));
    }
    return out;
}

static term misfits(problem *p, val v, const lg_json *schema, bool arguments, uint32_t depth);

static term member_misfits(problem *p, const dict *map, const lg_json *schema, bool arguments,
                           uint32_t depth)
{
    terms *t = p->t;
    const lg_json *required = get(schema, "required");
    term out = term_bool(t, false);
    for (size_t i = 0; i < lg_json_len(required); i++) {
        term key = term_text(t, lg_json_str(lg_json_item(required, i)));
        out = term_or(t, out, term_not(t, dict_has(p, map, key)));
    }
    for (uint32_t i = 0; i < map->count; i++) {
        lg_str name;
        const entry *e = &map->items[i];
        if (!term_text_of(t, e->key, &name)) {
            continue;
        }
        const lg_json *own = lg_json_get(get(schema, "properties"), name);
        term bad = term_bool(t, !own && is_closed(schema, arguments));
        if (own && depth < MISFIT_DEPTH_MAX) {
            bad = misfits(p, *thunk_value(p, e->value), own, false, depth + 1);
        }
        out = term_or(t, out, term_and(t, e->present, bad));
    }
    return out;
}

static bool has_kind(const lg_json *type, alt_kind kind)
{
    size_t count = lg_json_is(type, LG_JSON_ARRAY) ? lg_json_len(type) : 1;
    for (size_t i = 0; i < count; i++) {
        const lg_json *name = lg_json_is(type, LG_JSON_ARRAY) ? lg_json_item(type, i) : type;
        alt_kind named;
        bool integer;
        if (kind_of_json_type(lg_json_str(name), &named, &integer) && named == kind) {
            return true;
        }
    }
    return false;
}

// As deep as the bound.
static term misfits(problem *p, val v, const lg_json *schema, bool arguments, uint32_t depth)
{
    LG_DEBUG_ASSERT(depth <= MISFIT_DEPTH_MAX);
    terms *t = p->t;
    const lg_json *type = get(schema, "type");
    const lg_json *listed = get(schema, "enum");
    term out = listed ? term_not(t, is_listed(p, v, listed)) : term_bool(t, false);
    for (uint32_t i = 0; i < v.count; i++) {
        const alt *a = &v.alts[i];
        term bad = term_bool(t, type && !has_kind(type, a->kind));
        if (a->kind == ALT_DOUBLE) {
            bad = term_or(t, bad, beyond(p, a, schema));
        } else if (a->kind == ALT_MAP) {
            bad = term_or(t, bad, member_misfits(p, a->map, schema, arguments, depth));
        }
        out = term_or(t, out, term_and(t, a->guard, bad));
    }
    return out;
}

term value_misfits(problem *p, val v, const lg_json *schema)
{
    return misfits(p, v, schema, true, 0);
}
