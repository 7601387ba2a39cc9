// assign.c: an input becomes one JSON value: its constants get theirs.
//
// What is not there gets something that fits, too: the constants of absent elements and of variants
// that the value is not exist all the same, and what is asserted of them holds anyway.
#include "evaluate_parts.h"
#include "symbolic/number.h"

#include <math.h>

#define ADMIT_DEPTH_MAX 8u

static bool unfit(evaluation *e, const char *why)
{
    e->why = e->why ? e->why : why;
    return false;
}

// --- Setting --------------------------------------------------------------------------------------

bool note_undo(evaluation *e, undo u)
{
    undo *items =
        lg_arena_grow(e->p->arena, e->undone, e->undo_count, &e->undo_capacity, sizeof(*items));
    if (!items) {
        return unfit(e, "out of memory");
    }
    e->undone = items;
    items[e->undo_count++] = u;
    return true;
}

// A term that is a literal already must be that.
static bool set(evaluation *e, term constant, concrete w)
{
    uint32_t index = constant ? cell_of(e, constant) : NOBODY;
    if (index == NOBODY) {
        return true; // no formula speaks of it
    }
    cell *c = &e->cells[index];
    if (e->marking != NOBODY) {
        c->definition = c->op == TERM_CONSTANT ? e->marking : c->definition;
        return true;
    }
    if (c->op != TERM_CONSTANT) {
        concrete now = evaluate(e, constant);
        return concrete_same(&now, &w) || unfit(e, "a member or key that must be another");
    }
    undo u = {
        .kind = UNDO_CELL, .index = index, .was_assigned = c->is_assigned, .was = c->assigned};
    c->is_assigned = true;
    c->assigned = w;
    return note_undo(e, u);
}

void evaluation_set(evaluation *e, term constant, concrete w)
{
    set(e, constant, w);
}

static concrete absent_text(evaluation *e)
{
    return concrete_int(--e->next_text);
}

void remember_extent(evaluation *e, const summary *r, extent x)
{
    if (r->id < e->extent_count && e->marking == NOBODY) {
        undo u = {.kind = UNDO_EXTENT, .index = r->id, .was_extent = e->extents[r->id]};
        e->extents[r->id] = x;
        note_undo(e, u);
    }
}

// --- Which variant --------------------------------------------------------------------------------

static bool has_type(lg_str name, const lg_json *json)
{
    static const struct {
        const char *name;
        lg_json_type type;
    } table[] = {{"null", LG_JSON_NULL},
                 {"boolean", LG_JSON_BOOL},
                 {"string", LG_JSON_STRING},
                 {"array", LG_JSON_ARRAY},
                 {"object", LG_JSON_OBJECT}};
    double number;
    if (lg_str_eq(name, LG_STR("number"))) {
        return lg_json_is_number(json);
    }
    if (lg_str_eq(name, LG_STR("integer"))) {
        return lg_json_is_number(json) && lg_json_double(json, &number) && number == floor(number);
    }
    for (size_t i = 0; i < LG_COUNT(table); i++) {
        if (lg_str_eq(name, lg_str_c(table[i].name))) {
            return lg_json_is(json, table[i].type);
        }
    }
    return false;
}

static bool of_types(const lg_json *type, const lg_json *json)
{
    if (!type || lg_json_is(type, LG_JSON_STRING)) {
        return !type || has_type(lg_json_str(type), json);
    }
    for (size_t i = 0; i < lg_json_len(type); i++) {
        if (has_type(lg_json_str(lg_json_item(type, i)), json)) {
            return true;
        }
    }
    return false;
}

static bool is_listed(const lg_json *listed, const lg_json *json)
{
    for (size_t i = 0; i < lg_json_len(listed); i++) {
        if (lg_json_equal(lg_json_item(listed, i), json)) {
            return true;
        }
    }
    return false;
}

static bool admits(const problem *p, const lg_json *schema, const lg_json *json, uint32_t depth);

static bool admits_members(const problem *p, const lg_json *schema, const lg_json *json,
                           uint32_t depth)
{
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    const lg_json *required = lg_json_get(schema, LG_STR("required"));
    const lg_json *others = lg_json_get(schema, LG_STR("additionalProperties"));
    bool closed = lg_json_is(others, LG_JSON_BOOL) && !others->as.boolean;
    for (size_t i = 0; i < lg_json_len(required); i++) {
        if (!lg_json_get(json, lg_json_str(lg_json_item(required, i)))) {
            return false;
        }
    }
    for (size_t i = 0; i < lg_json_len(json); i++) {
        const lg_json_member *member = lg_json_member_at(json, i);
        const lg_json *property = lg_json_get(properties, lg_json_key(member));
        if (property ? !admits(p, property, &member->value, depth + 1) : closed) {
            return false;
        }
    }
    return true;
}

// As much of validation as tells the variants of real packs apart.
static bool admits(const problem *p, const lg_json *schema, const lg_json *json, uint32_t depth)
{
    schema = schema_resolve(p, schema);
    if (!schema || depth > ADMIT_DEPTH_MAX) {
        return true;
    }
    const lg_json *constant = lg_json_get(schema, LG_STR("const"));
    const lg_json *listed = lg_json_get(schema, LG_STR("enum"));
    if ((constant && !lg_json_equal(constant, json)) || (listed && !is_listed(listed, json)) ||
        !of_types(lg_json_get(schema, LG_STR("type")), json)) {
        return false;
    }
    const lg_json *any = lg_json_get(schema, LG_STR("anyOf"));
    any = any ? any : lg_json_get(schema, LG_STR("oneOf"));
    bool one = lg_json_len(any) == 0;
    for (size_t i = 0; i < lg_json_len(any); i++) {
        one = one || admits(p, lg_json_item(any, i), json, depth + 1);
    }
    const lg_json *all = lg_json_get(schema, LG_STR("allOf"));
    for (size_t i = 0; i < lg_json_len(all) && one; i++) {
        one = admits(p, lg_json_item(all, i), json, depth + 1);
    }
    const lg_json *item = lg_json_get(schema, LG_STR("items"));
    for (size_t i = 0; lg_json_is(json, LG_JSON_ARRAY) && item && one && i < lg_json_len(json);
         i++) {
        one = admits(p, item, lg_json_item(json, i), depth + 1);
    }
    return one && (!lg_json_is(json, LG_JSON_OBJECT) || admits_members(p, schema, json, depth));
}

static bool has_fraction(const lg_json *json)
{
    double number;
    return lg_json_double(json, &number) && number != trunc(number);
}

static bool variant_admits(const evaluation *e, const variant *v, const lg_json *json)
{
    if (v->sub) {
        return admits(e->p, v->sub->schema, json, 0);
    }
    if (v->json) {
        return lg_json_equal(v->json, json);
    }
    return v->kind == ALT_NULL     ? lg_json_is(json, LG_JSON_NULL)
           : v->kind == ALT_BOOL   ? lg_json_is(json, LG_JSON_BOOL)
           : v->kind == ALT_DOUBLE ? lg_json_is_number(json) && !(v->whole && has_fraction(json))
           : v->kind == ALT_TEXT   ? lg_json_is(json, LG_JSON_STRING)
           : v->kind == ALT_LIST   ? lg_json_is(json, LG_JSON_ARRAY)
                                   : v->kind == ALT_MAP && lg_json_is(json, LG_JSON_OBJECT);
}

// --- Scalars --------------------------------------------------------------------------------------

static bool bound_of(const input *in, const char *keyword, double *ret)
{
    const lg_json *bound = in ? lg_json_get(in->schema, lg_str_c(keyword)) : NULL;
    return lg_json_is_number(bound) && lg_json_double(bound, ret);
}

static double number_that_fits(const input *in)
{
    double bound;
    if (bound_of(in, "minimum", &bound)) {
        return bound;
    }
    if (bound_of(in, "exclusiveMinimum", &bound)) {
        return bound + 1;
    }
    if (bound_of(in, "maximum", &bound)) {
        return bound < 0 ? bound : 0;
    }
    return bound_of(in, "exclusiveMaximum", &bound) && bound <= 0 ? bound - 1 : 0;
}

// An integer beyond 2^53, if it is one.
static bool is_large(const input *in, const lg_json *json, concrete *ret)
{
    const wide exact = EXACT_MAX;
    double most;
    bool below = (bound_of(in, "maximum", &most) && most < (double)EXACT_MAX) ||
                 (bound_of(in, "exclusiveMaximum", &most) && most < (double)EXACT_MAX);
    *ret = concrete_int(below ? -exact - 1 : exact + 1); // something that fits
    if (json &&
        json->type == LG_JSON_BIGNUM) { // one that no kind of number holds, so it is an error
        *ret = concrete_int(below ? -((wide)1 << 64) : (wide)1 << 64);
        return true;
    }
    if (!json || (json->type != LG_JSON_INT && json->type != LG_JSON_UINT)) {
        return false;
    }
    wide whole = json->type == LG_JSON_INT ? (wide)json->as.i64 : (wide)json->as.u64;
    bool large = whole > exact || whole < -exact;
    *ret = large ? concrete_int(whole) : *ret;
    return large;
}

static bool assign_number(evaluation *e, const input *in, const variant *v, const lg_json *json)
{
    double number = number_that_fits(in);
    concrete w;
    concrete integer;
    bool large = is_large(in, json, &integer);
    if (json && !large && !lg_json_double(json, &number)) {
        return unfit(e, "a number beyond the doubles");
    }
    if (large && !v->large) {
        return unfit(e, "an integer that its schema does not allow");
    }
    if (v->large && (!set(e, v->large, concrete_bool(large)) || !set(e, v->integer, integer))) {
        return false;
    }
    bool given = json && !large; // else the number stands for nothing, and only has to fit
    number = given || !v->whole ? number : ceil(number);
    if (!concrete_of_double(number, &w)) {
        return unfit(e, "a number that is very large or very small");
    }
    if (v->whole && w.den != 1) {
        return unfit(e, "an integer with a fraction");
    }
    return set(e, v->whole ? v->whole : v->t, w);
}

static bool assign_text(evaluation *e, const input *in, const variant *v, const lg_json *json)
{
    const lg_json *constant = lg_json_get(in->schema, LG_STR("const"));
    const lg_json *listed = lg_json_get(in->schema, LG_STR("enum"));
    if (json) {
        return set(e, v->t, concrete_text(e, lg_json_str(json)));
    }
    if (in->same_as && v->t == in->same_as) {
        return true; // it is given where it stands for itself
    }
    constant = constant ? constant : lg_json_item(listed, 0);
    if (constant) {
        return set(e, v->t, concrete_text(e, lg_json_str(constant)));
    }
    return set(e, v->t, in->sample.len ? concrete_text(e, in->sample) : absent_text(e));
}

// --- Lists and maps -------------------------------------------------------------------------------

static uint32_t least_of(const input *in, const char *keyword)
{
    double bound;
    return bound_of(in, keyword, &bound) && bound > 0 && bound < 1000 ? (uint32_t)bound : 0;
}

static input *input_at(const thunk *s)
{
    return s ? s->in : NULL;
}

bool assign_generic(evaluation *e, const summary *r, const extent *x, uint32_t at)
{
    bool there = at < x->count;
    const lg_json_member *member = there && x->members ? x->members[at] : NULL;
    const lg_json *json = !there    ? NULL
                          : member  ? &member->value
                          : x->list ? lg_json_item(x->list, x->first + at)
                                    : NULL;
    if (r->key &&
        !set(e, r->key, member ? concrete_text(e, lg_json_key(member)) : absent_text(e))) {
        return false;
    }
    return assign(e, input_at(r->generic), json);
}

static bool assign_summary(evaluation *e, const summary *r, extent x)
{
    x.known = true;
    bool ok = set(e, r->count, concrete_int(x.count));
    for (uint32_t i = 0; r && ok; i++) {
        x.at = x.count ? (uint32_t)((e->seed + i) % x.count) : 0;
        remember_extent(e, r, x);
        ok = assign_generic(e, r, &x, x.at);
        r = r->other ? *r->other : NULL;
    }
    return ok;
}

static bool assign_list(evaluation *e, const input *in, const seq *list, const lg_json *json)
{
    uint32_t count = json ? (uint32_t)lg_json_len(json) : least_of(in, "minItems");
    for (uint32_t i = 0; i < list->count; i++) {
        const element *item = &list->items[i];
        if (!set(e, item->present, concrete_bool(i < count)) ||
            !assign(e, input_at(item->value), json ? lg_json_item(json, i) : NULL)) {
            return false;
        }
    }
    extent x = {.list = json, .first = list->count};
    x.count = count > list->count ? count - list->count : 0;
    return !list->summary || assign_summary(e, list->summary, x);
}

static bool is_named(const evaluation *e, const entry *item)
{
    return term_is_literal(e->p->t, item->key);
}

// The members that no entry names, those first that are wanted among the explicit ones.
static bool other_members(evaluation *e, const dict *map, const lg_json *json,
                          const lg_json_member ***ret, uint32_t *ret_count)
{
    size_t most = lg_json_len(json);
    const lg_json_member **items = LG_NEW_ARRAY(e->scratch, const lg_json_member *, most + 1);
    uint32_t count = 0;
    if (!items) {
        return unfit(e, "out of memory");
    }
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < most; i++) {
            const lg_json_member *member = lg_json_member_at(json, i);
            lg_str key = lg_json_key(member);
            bool named = false;
            bool wanted = map->summary && is_wanted_key(e, map->summary->id, key);
            for (uint32_t k = 0; k < map->count && !named && wanted == (turn == 0); k++) {
                lg_str name;
                named = is_named(e, &map->items[k]) &&
                        term_text_of(e->p->t, map->items[k].key, &name) && lg_str_eq(name, key);
            }
            if (wanted == (turn == 0) && !named) {
                items[count++] = member;
            }
        }
    }
    *ret = items;
    *ret_count = count;
    return true;
}

static bool assign_named(evaluation *e, const entry *item, const lg_json *json)
{
    lg_str name;
    const lg_json *member =
        json && term_text_of(e->p->t, item->key, &name) ? lg_json_get(json, name) : NULL;
    bool always = term_is_true(e->p->t, item->present);
    if (always && json && !member) {
        return unfit(e, "a member is absent that its schema requires");
    }
    return (always || set(e, item->present, concrete_bool(member))) &&
           assign(e, input_at(item->value), member);
}

static bool assign_map(evaluation *e, const input *in, const dict *map, const lg_json *json)
{
    const lg_json_member **others;
    uint32_t count;
    if (!other_members(e, map, json, &others, &count)) {
        return false;
    }
    uint32_t next = 0;
    bool any = false;
    for (uint32_t i = 0; i < map->count; i++) {
        const entry *item = &map->items[i];
        if (is_named(e, item)) {
            if (!assign_named(e, item, json)) {
                return false;
            }
            continue;
        }
        bool present = next < count || (!json && !any && least_of(in, "minProperties") > 0);
        const lg_json_member *member = next < count ? others[next++] : NULL;
        any = true;
        concrete key = member ? concrete_text(e, lg_json_key(member)) : absent_text(e);
        if (!set(e, item->present, concrete_bool(present)) || !set(e, item->key, key) ||
            !assign(e, input_at(item->value), member ? &member->value : NULL)) {
            return false;
        }
    }
    if (next < count && !map->summary) {
        return unfit(e, "a member that its schema does not list");
    }
    return !map->summary ||
           assign_summary(e, map->summary,
                          (extent){.members = others + next, .count = count - next});
}

// --- Inputs ---------------------------------------------------------------------------------------

static bool assign_variant(evaluation *e, const input *in, const variant *v, const lg_json *json)
{
    if (v->sub) {
        return assign(e, v->sub, json);
    }
    switch (v->json ? ALT_NULL : v->kind) {
    case ALT_BOOL:
        return set(e, v->t, concrete_bool(json && json->as.boolean));
    case ALT_DOUBLE:
        return assign_number(e, in, v, json);
    case ALT_TEXT:
        return assign_text(e, in, v, json);
    case ALT_LIST:
        return assign_list(e, in, v->list, json);
    case ALT_MAP:
        return assign_map(e, in, v->map, json);
    case ALT_NULL:
    case ALT_MISSING:
    case ALT_ERROR:
    case ALT_INT:
    case ALT_UINT:
    case ALT_TIME:
    case ALT_DURATION:
    case ALT_NONFINITE:
    case ALT_ANY:
        break;
    }
    return true;
}

static uint32_t variant_of(evaluation *e, const input *in, const lg_json *json)
{
    for (uint32_t i = 0; i < in->variant_count; i++) {
        const variant *v = &in->variants[i];
        concrete is = {.yes = true};
        if (!in->which && in->variant_count > 1 && e->marking == NOBODY) {
            is = evaluate(e, v->guard);
        }
        bool chosen = in->which ? !json || variant_admits(e, v, json) : !is.why && is.yes;
        if (chosen) {
            return i;
        }
    }
    return NOBODY;
}

// As deep as inputs were expanded, which is bounded.
bool assign(evaluation *e, input *in, const lg_json *json)
{
    if (!in || !in->expanded) {
        return true; // nothing has looked at it
    }
    uint32_t chosen = variant_of(e, in, json);
    if (chosen == NOBODY || (json && !variant_admits(e, &in->variants[chosen], json))) {
        return unfit(e, "a value that its schema does not allow");
    }
    if (in->which && !set(e, in->which, concrete_int(chosen))) {
        return false;
    }
    for (uint32_t i = 0; i < in->variant_count; i++) {
        if (!assign_variant(e, in, &in->variants[i], i == chosen ? json : NULL)) {
            return false;
        }
    }
    return true;
}

bool evaluation_assign(evaluation *e, input *in, const lg_json *json)
{
    return assign(e, in, json);
}
