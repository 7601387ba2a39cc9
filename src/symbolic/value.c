// value.c: alternatives with guards, and what is asked of rests.
#include "symbolic/value.h"
#include "base/hash.h"
#include "symbolic/forall.h"
#include "symbolic/funs.h"
#include "symbolic/input.h"

#include <stdarg.h>
#include <stdio.h>

// --- Names --------------------------------------------------------------------------------------

lg_str prover_name(prover *p, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    lg_str s = {text, len < 0 ? 0 : len < (int)sizeof(text) ? (size_t)len : sizeof(text) - 1};
    lg_str kept = lg_arena_str(p->arena, s);
    return kept.ptr ? kept : LG_STR("?");
}

static bool grow_known(prover *p)
{
    size_t size = p->table_size ? p->table_size * 2 : 256;
    known_item *table = LG_NEW_ARRAY(p->arena, known_item, size);
    if (!table) {
        return false;
    }
    for (size_t i = 0; i < p->table_size; i++) {
        if (p->table[i].name.ptr) {
            size_t at = p->table[i].hash & (size - 1);
            while (table[at].name.ptr) {
                at = (at + 1) & (size - 1);
            }
            table[at] = p->table[i];
        }
    }
    p->table = table;
    p->table_size = size;
    return true;
}

void **known_place(prover *p, lg_str name)
{
    if (p->table_count * 2 >= p->table_size && !grow_known(p)) {
        return NULL;
    }
    uint64_t hash = lg_hash(name);
    size_t at = hash & (p->table_size - 1);
    while (p->table[at].name.ptr) {
        if (p->table[at].hash == hash && lg_str_eq(p->table[at].name, name)) {
            return &p->table[at].what;
        }
        at = (at + 1) & (p->table_size - 1);
    }
    lg_str kept = lg_arena_str(p->arena, name);
    if (!kept.ptr) {
        return NULL;
    }
    p->table[at] = (known_item){hash, kept, NULL};
    p->table_count++;
    return &p->table[at].what;
}

// --- Building -----------------------------------------------------------------------------------

#define KINDS_BUT_STRUCTURES 12u // each of them is one alternative at most

builder builder_of(prover *p)
{
    return (builder){.p = p};
}

bool alt_is_failure(const alt *a)
{
    return a->kind == ALT_MISSING || a->kind == ALT_ERROR;
}

alt alt_missing(prover *p, term of_call)
{
    return (alt){.kind = ALT_MISSING, .guard = term_bool(p->t, true), .t = of_call};
}

bool alt_is_number(const alt *a)
{
    return a->kind == ALT_INT || a->kind == ALT_UINT || a->kind == ALT_DOUBLE;
}

bool kind_is_scalar(alt_kind kind)
{
    return kind >= ALT_BOOL && kind <= ALT_SPAN;
}

static bool has_term(alt_kind kind)
{
    return kind >= ALT_BOOL && kind <= ALT_ANY;
}

static bool can_merge(const alt *a, const alt *b)
{
    return a->kind == b->kind && a->list == b->list && a->map == b->map;
}

void builder_add(builder *b, term guard, alt a)
{
    terms *t = b->p->t;
    b->p->work++;
    if (prover_exhausted(b->p)) {
        return;
    }
    guard = term_and(t, guard, a.guard);
    if (term_is_false(t, guard)) {
        return;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        alt *old = &b->items[i];
        if (can_merge(old, &a)) {
            if (has_term(a.kind)) {
                old->t = term_ite(t, guard, a.t, old->t);
            } else if (a.kind == ALT_MISSING && (a.t || old->t)) {
                term no = term_bool(t, false);
                old->t = term_ite(t, guard, a.t ? a.t : no, old->t ? old->t : no);
            }
            old->guard = term_or(t, old->guard, guard);
            return;
        }
    }
    a.guard = guard;
    // More structures than there is room for: their choice is not followed.
    bool structure = a.kind == ALT_LIST || a.kind == ALT_MAP;
    if (structure && b->count + KINDS_BUT_STRUCTURES >= LG_COUNT(b->items)) {
        b->p->abstracted = "a choice among too many lists or maps";
        a = (alt){.kind = ALT_ANY, .guard = term_bool(t, true)};
        a.t = unknown_term(b->p, SORT_INT, LG_STR("choice"));
        builder_add(b, guard, a);
        return;
    }
    b->items[b->count++] = a;
}

void builder_add_value(builder *b, term guard, val v)
{
    for (uint32_t i = 0; i < v.count; i++) {
        builder_add(b, guard, v.alts[i]);
    }
}

void builder_add_failures(builder *b, term guard, val v)
{
    for (uint32_t i = 0; i < v.count; i++) {
        if (alt_is_failure(&v.alts[i])) {
            builder_add(b, guard, v.alts[i]);
        }
    }
}

val builder_done(builder *b)
{
    if (b->count == 0) {
        return value_error(b->p); // nothing can be: the guards above are never met
    }
    alt *items = LG_NEW_ARRAY(b->p->arena, alt, b->count);
    if (!items) {
        return (val){NULL, 0};
    }
    memcpy(items, b->items, b->count * sizeof(*items));
    if (b->count == 1) { // alternatives leave nothing out
        items[0].guard = term_bool(b->p->t, true);
    }
    return (val){items, b->count};
}

static val one(prover *p, alt a)
{
    alt *item = LG_NEW(p->arena, alt);
    if (!item) {
        return (val){NULL, 0};
    }
    a.guard = term_bool(p->t, true);
    *item = a;
    return (val){item, 1};
}

val value_scalar(prover *p, alt_kind kind, term t)
{
    return one(p, (alt){.kind = kind, .t = t});
}

val value_bool(prover *p, term t)
{
    return value_scalar(p, ALT_BOOL, t);
}

val value_null(prover *p)
{
    return one(p, (alt){.kind = ALT_NULL});
}

val value_missing(prover *p, term of_call)
{
    return one(p, alt_missing(p, of_call));
}

val value_error(prover *p)
{
    return one(p, (alt){.kind = ALT_ERROR});
}

val value_lost(prover *p)
{
    p->bounded = true;
    return value_error(p);
}

val value_any(prover *p, lg_str name)
{
    return value_scalar(p, ALT_ANY, unknown_term(p, SORT_INT, name));
}

val value_list(prover *p, const seq *list)
{
    return list ? one(p, (alt){.kind = ALT_LIST, .list = list}) : value_lost(p);
}

val value_map(prover *p, const dict *map)
{
    return map ? one(p, (alt){.kind = ALT_MAP, .map = map}) : value_lost(p);
}

val value_text(prover *p, lg_str text)
{
    return value_scalar(p, ALT_TEXT, term_text(p->t, text));
}

val value_choose(prover *p, term condition, val a, val b)
{
    if (term_is_true(p->t, condition)) {
        return a;
    }
    if (term_is_false(p->t, condition)) {
        return b;
    }
    builder made = builder_of(p);
    builder_add_value(&made, term_not(p->t, condition), b);
    builder_add_value(&made, condition, a);
    return builder_done(&made);
}

static val json_value(prover *p, const lg_json *json, bool of_call);

static val list_of_json(prover *p, const lg_json *json, bool of_call)
{
    uint32_t count = (uint32_t)lg_json_len(json);
    seq *list = LG_NEW(p->arena, seq);
    element *items = LG_NEW_ARRAY(p->arena, element, count + 1);
    if (!list || !items) {
        return value_lost(p);
    }
    for (uint32_t i = 0; i < count; i++) {
        items[i] = (element){term_bool(p->t, true),
                             slot_of(p, json_value(p, lg_json_item(json, i), of_call))};
    }
    *list = (seq){.items = items, .count = count, .prefix = true, .of_call = of_call};
    return value_list(p, list);
}

static val map_of_json(prover *p, const lg_json *json, bool of_call)
{
    uint32_t count = (uint32_t)lg_json_len(json);
    dict *map = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, count + 1);
    if (!map || !items) {
        return value_lost(p);
    }
    uint32_t family = ++p->next_id;
    for (uint32_t i = 0; i < count; i++) {
        const lg_json_member *member = lg_json_member_at(json, i);
        items[i] = (entry){term_bool(p->t, true), term_text(p->t, lg_json_key(member)), family,
                           slot_of(p, json_value(p, &member->value, of_call))};
    }
    *map = (dict){.items = items, .count = count, .of_call = of_call};
    return value_map(p, map);
}

// As deep as the JSON value, which its parser has bounded. Scalars are what the evaluator makes of
// them.
static val json_value(prover *p, const lg_json *json, bool of_call)
{
    if (lg_json_is(json, LG_JSON_ARRAY)) {
        return list_of_json(p, json, of_call);
    }
    if (lg_json_is(json, LG_JSON_OBJECT)) {
        return map_of_json(p, json, of_call);
    }
    return one(p, alt_of_cel(p, json ? lg_cel_from_json(json) : lg_cel_make_null()));
}

val value_of_json(prover *p, const lg_json *json)
{
    return json_value(p, json, false);
}

val value_of_args(prover *p, const lg_json *args)
{
    return json_value(p, args, true);
}

slot *slot_of(prover *p, val v)
{
    slot *s = LG_NEW(p->arena, slot);
    if (s) {
        *s = (slot){.v = v, .made = true};
    }
    return s;
}

const val *slot_value(prover *p, slot *s)
{
    static const val nothing = {NULL, 0};
    if (!s) {
        return &nothing;
    }
    if (!s->made) {
        s->made = true;
        s->v = input_value(p, s->in);
    }
    return &s->v;
}

term value_is(prover *p, val v, alt_kind kind)
{
    term is = term_bool(p->t, false);
    for (uint32_t i = 0; i < v.count; i++) {
        if (v.alts[i].kind == kind) {
            is = term_or(p->t, is, v.alts[i].guard);
        }
    }
    return is;
}

term value_lacks(prover *p, val v)
{
    term lacks = term_bool(p->t, false);
    for (uint32_t i = 0; i < v.count; i++) {
        const alt *a = &v.alts[i];
        if (a->kind == ALT_MISSING && a->t) {
            lacks = term_or(p->t, lacks, term_and(p->t, a->guard, a->t));
        }
    }
    return lacks;
}

// Of a value of any type: whether it is a bool (0), and whether that is true (1).
static term any_bool(prover *p, term which, uint32_t index)
{
    static const term_sort from = SORT_INT;
    if (!p->any_bool[index]) {
        p->any_bool[index] = term_func_new(p->t, LG_STR("any"), &from, 1, SORT_BOOL);
    }
    return term_apply(p->t, p->any_bool[index], &which, 1);
}

// When the alternative is that bool.
static term alt_holds(prover *p, const alt *a, bool wanted)
{
    term is = a->kind == ALT_BOOL  ? a->t
              : a->kind == ALT_ANY ? any_bool(p, a->t, 1)
                                   : term_bool(p->t, !wanted);
    is = wanted ? is : term_not(p->t, is);
    return a->kind == ALT_ANY ? term_and(p->t, any_bool(p, a->t, 0), is) : is;
}

term value_holds(prover *p, val v, bool wanted)
{
    term holds = term_bool(p->t, false);
    for (uint32_t i = 0; i < v.count; i++) {
        term is = term_and(p->t, v.alts[i].guard, alt_holds(p, &v.alts[i], wanted));
        holds = term_or(p->t, holds, is);
    }
    return holds;
}

term value_no_bool(prover *p, val v)
{
    term none = term_bool(p->t, false);
    for (uint32_t i = 0; i < v.count; i++) {
        const alt *a = &v.alts[i];
        term no = a->kind == ALT_ANY ? term_not(p->t, any_bool(p, a->t, 0))
                                     : term_bool(p->t, a->kind != ALT_BOOL && !alt_is_failure(a));
        none = term_or(p->t, none, term_and(p->t, a->guard, no));
    }
    return none;
}

bool value_may_be_any(val v)
{
    bool any = false;
    for (uint32_t i = 0; i < v.count; i++) {
        any = any || v.alts[i].kind == ALT_ANY;
    }
    return any;
}

void prover_assert(prover *p, term fact)
{
    terms *t = p->t;
    for (uint32_t i = VARIABLES_MAX; p->forall && i-- > 0;) {
        if (p->variables[i] && term_mentions(t, fact, p->variables[i])) {
            fact = term_not(t, term_exists(t, p->variables[i], term_not(t, fact)));
        }
    }
    terms_assert(t, fact);
}

term prover_usual(prover *p)
{
    if (p->forall ||
        p->small) { // proofs take nothing for granted, and the search for cases all of it
        return term_bool(p->t, p->small);
    }
    p->usual = p->usual ? p->usual : term_fresh(p->t, SORT_BOOL, LG_STR("usual"));
    return p->usual;
}

bool prover_exhausted(prover *p)
{
    bool exhausted = (p->work_limit && p->work > p->work_limit) ||
                     (p->made_limit && terms_made(p->t) > p->made_limit) || terms_failed(p->t);
    p->bounded = p->bounded || exhausted;
    return exhausted;
}

// --- Rests --------------------------------------------------------------------------------------

const rest *rest_new(prover *p, lg_str name, slot *generic, term key, bool of_input)
{
    rest *r = LG_NEW(p->arena, rest);
    if (!r) {
        return NULL;
    }
    *r = (rest){.id = ++p->next_id,
                .count = term_fresh(p->t, SORT_INT, name),
                .generic = p->small ? NULL : generic,
                .key = key,
                .here = term_bool(p->t, true),
                .lookups = LG_NEW(p->arena, uint32_t),
                .twin = LG_NEW(p->arena, const rest *)};
    if (p->small) {
        r->count = term_int(p->t, 0);
        return r;
    }
    terms_assert(p->t, term_le(p->t, term_int(p->t, 0), r->count));
    if (of_input) {
        term *rests =
            lg_arena_grow(p->arena, p->rests, p->rest_count, &p->rest_capacity, sizeof(*rests));
        if (rests) {
            p->rests = rests;
            rests[p->rest_count++] = r->count;
        }
    }
    return r;
}

const rest *range_new(prover *p, term count, uint32_t before)
{
    terms *t = p->t;
    rest *r = LG_NEW(p->arena, rest);
    if (!r) {
        return NULL;
    }
    term index = term_fresh(t, SORT_INT, LG_STR("index"));
    term first = term_int(t, before);
    *r = (rest){.id = ++p->next_id,
                .count = count,
                .generic = slot_of(p, value_scalar(p, ALT_INT, index)),
                .here = term_bool(t, true),
                .lookups = LG_NEW(p->arena, uint32_t),
                .before = before,
                .range = true,
                .twin = LG_NEW(p->arena, const rest *)};
    hang(p, (hung){.kind = HUNG_RANGE, .constant = index, .rest = r});
    terms_assert(t, term_le(t, first, index));
    term end = term_arith_of(t, ARITH_ADD, first, count);
    terms_assert(t, term_implies(t, rest_any(p, r), term_lt(t, index, end)));
    return r;
}

bool rest_is_bound(const prover *p, const rest *r)
{
    const rest *base = r->base ? r->base : r;
    for (uint32_t i = 0; i < p->bound_count; i++) {
        if (p->bound[i] == base) {
            return true;
        }
    }
    return p->bound_count == LG_COUNT(p->bound);
}

static const rest *new_twin(prover *p, const rest *r, const dict *map)
{
    terms *t = p->t;
    if (r->range) {
        return range_new(p, r->count, r->before);
    }
    rest *twin = LG_NEW(p->arena, rest);
    term key = r->key ? term_fresh(t, SORT_TEXT, LG_STR("another key")) : NULL;
    input *in = r->generic ? input_another(p, r->generic->in, key) : NULL;
    if (!twin || !in) {
        return NULL;
    }
    *twin = *r;
    twin->id = ++p->next_id;
    twin->key = key;
    twin->generic = input_slot(in);
    twin->twin = LG_NEW(p->arena, const rest *);
    for (uint32_t i = 0; key && map && i < map->count; i++) {
        terms_assert(t, term_not(t, term_eq(t, map->items[i].key, key)));
    }
    return twin;
}

const rest *rest_twin(prover *p, const rest *r, const dict *map)
{
    if (r->base || !r->twin) {
        return NULL; // what was filtered or mapped would have to be so once more
    }
    if (!*r->twin) {
        rest *made = (rest *)(uintptr_t)new_twin(p, r, map);
        if (made) {
            made->twin_of = r;
        }
        *r->twin = made;
    }
    return *r->twin;
}

void hang(prover *p, hung h)
{
    hung *items =
        lg_arena_grow(p->arena, p->hung, p->hung_count, &p->hung_capacity, sizeof(*items));
    if (items) {
        p->hung = items;
        items[p->hung_count++] = h;
    }
}

static void note_goal(prover *p, term some, term of_generic)
{
    goal *goals =
        lg_arena_grow(p->arena, p->goals, p->goal_count, &p->goal_capacity, sizeof(*goals));
    if (goals) {
        p->goals = goals;
        goals[p->goal_count++] = (goal){some, of_generic};
    }
}

term rest_any(prover *p, const rest *r)
{
    return term_lt(p->t, term_int(p->t, 0), r->count);
}

// A name stands for the generic element, and what is said of it might be said of that name.
static term some_of_bound(prover *p, const rest *r)
{
    term some = term_fresh(p->t, SORT_BOOL, LG_STR("some"));
    p->abstracted = "a list that is looked at for each of its own elements";
    hang(p, (hung){.kind = HUNG_UNKNOWN, .constant = some, .rest = r, .why = p->abstracted});
    terms_assert(p->t, term_implies(p->t, some, rest_any(p, r)));
    return some;
}

static term many_of_bound(prover *p, const rest *r)
{
    term many = term_fresh(p->t, SORT_INT, LG_STR("many"));
    p->abstracted = "a list that is looked at for each of its own elements";
    hang(p, (hung){.kind = HUNG_UNKNOWN, .constant = many, .rest = r, .why = p->abstracted});
    terms_assert(p->t, term_le(p->t, term_int(p->t, 0), many));
    terms_assert(p->t, term_le(p->t, many, r->count));
    return many;
}

// The generic element is one of them: if it has the property, some element has.
term rest_some(prover *p, const rest *r, term of_generic)
{
    terms *t = p->t;
    if (rest_is_bound(p, r)) {
        return some_of_bound(p, r);
    }
    term said = term_and(t, r->here, of_generic);
    if (p->small || term_is_false(t, said)) {
        return term_bool(t, false);
    }
    if (term_is_true(t, said)) {
        return rest_any(p, r);
    }
    void **place = known_place(p, prover_name(p, "some %u %u", r->id, term_id(t, said)));
    if (place && *place) {
        return *place;
    }
    term some = term_fresh(t, SORT_BOOL, LG_STR("some"));
    hang(p, (hung){.kind = HUNG_SOME, .constant = some, .rest = r, .on = said});
    terms_assert(t, term_implies(t, some, rest_any(p, r)));
    terms_assert(t, term_implies(t, term_and(t, rest_any(p, r), said), some));
    if (p->collect_goals) {
        note_goal(p, some, said);
    }
    if (place) {
        *place = some;
    }
    return some;
}

term rest_many(prover *p, const rest *r, term of_generic)
{
    terms *t = p->t;
    if (rest_is_bound(p, r)) {
        return many_of_bound(p, r);
    }
    term said = term_and(t, r->here, of_generic);
    if (p->small || term_is_false(t, said)) {
        return term_int(t, 0);
    }
    if (term_is_true(t, said)) {
        return r->count;
    }
    void **place = known_place(p, prover_name(p, "many %u %u", r->id, term_id(t, said)));
    if (place && *place) {
        return *place;
    }
    term many = term_fresh(t, SORT_INT, LG_STR("many"));
    hang(p, (hung){.kind = HUNG_MANY, .constant = many, .rest = r, .on = said});
    terms_assert(t, term_le(t, term_int(t, 0), many));
    terms_assert(t, term_le(t, many, r->count));
    terms_assert(t, term_eq(t, rest_some(p, r, of_generic), term_lt(t, term_int(t, 0), many)));
    if (place) {
        *place = many;
    }
    return many;
}
