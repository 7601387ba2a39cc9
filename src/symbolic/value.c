// value.c: alternatives with guards.
#include "symbolic/value.h"
#include "base/hash.h"
#include "symbolic/forall.h"
#include "symbolic/funs.h"
#include "symbolic/input.h"

#include <stdarg.h>
#include <stdio.h>

// --- Names --------------------------------------------------------------------------------------

// Cut where it is too long: such a name is for people, or made of numbers that fit.
lg_str problem_name(problem *p, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    lg_str kept = lg_arena_str(p->arena, lg_str_vprint(text, sizeof(text), format, args));
    va_end(args);
    return kept.ptr ? kept : LG_STR("?");
}

// The old table stays in the arena: tables double, so all of them take twice the last.
static bool grow_memo(problem *p)
{
    size_t size = p->table_size ? p->table_size * 2 : 256;
    memo_entry *table = LG_NEW_ARRAY(p->arena, memo_entry, size);
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

void **memo_place(problem *p, lg_str name)
{
    if (p->table_count * 2 >= p->table_size && !grow_memo(p)) {
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
    p->table[at] = (memo_entry){hash, kept, NULL};
    p->table_count++;
    return &p->table[at].what;
}

// --- Building -----------------------------------------------------------------------------------

#define KINDS_BUT_STRUCTURES 12u // each of them is one alternative at most

builder builder_of(problem *p)
{
    return (builder){.p = p};
}

// The two failures are the first two kinds.
bool alt_is_failure(const alt *a)
{
    return a->kind == ALT_MISSING || a->kind == ALT_ERROR;
}

alt alt_missing(problem *p, term of_call)
{
    return (alt){.kind = ALT_MISSING, .guard = term_bool(p->t, true), .t = of_call};
}

bool alt_is_number(const alt *a)
{
    return a->kind == ALT_INT || a->kind == ALT_UINT || a->kind == ALT_DOUBLE;
}

// The kinds from ALT_BOOL to ALT_ANY, as alt_kind orders them.
static bool has_term(alt_kind kind)
{
    return kind >= ALT_BOOL && kind <= ALT_ANY;
}

// What every alternative has to be, for assertions: a term of its kind's sort, or its structure.
static bool is_well_formed(problem *p, const alt *a)
{
    bool scalar = !has_term(a->kind) || (a->t && term_has_sort(p->t, a->t, sort_of_kind(a->kind)));
    return (scalar || terms_failed(p->t)) && (a->kind != ALT_LIST || a->list) &&
           (a->kind != ALT_MAP || a->map);
}

// Scalars of one kind become one term that chooses. Structures only if they are the very same: a choice
// inside of two lists would have to be made for each of their elements.
static bool can_merge(const alt *a, const alt *b)
{
    return a->kind == b->kind && a->list == b->list && a->map == b->map;
}

// Where guards overlap (they do not, but a solver need not see that), the later alternative wins: its
// term is the one that is chosen under its guard.
void builder_add(builder *b, term guard, alt a)
{
    LG_DEBUG_ASSERT(is_well_formed(b->p, &a));
    terms *t = b->p->t;
    b->p->work++;
    if (problem_exhausted(b->p)) {
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
        // Sound: "any value at all" is more than either list or map.
        a = (alt){.kind = ALT_ANY, .guard = term_bool(t, true)};
        a.t = unknown_term(b->p, SORT_INT, LG_STR("choice"));
        builder_add(b, guard, a);
        return;
    }
    LG_DEBUG_ASSERT(b->count < LG_COUNT(b->items));
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

// The alternatives leave the builder's room, which is on the stack, for the arena.
val builder_done(builder *b)
{
    if (b->count == 0) {
        // All guards were false, so nobody can come here; an error is as good as any other value.
        return value_error(b->p); // nothing can be: the guards above are never met
    }
    alt *items = LG_NEW_ARRAY(b->p->arena, alt, b->count);
    if (!items) {
        return (val){NULL, 0};
    }
    lg_copy_bytes(items, b->items, b->count * sizeof(*items));
    if (b->count == 1) { // alternatives leave nothing out
        items[0].guard = term_bool(b->p->t, true);
    }
    return (val){items, b->count};
}

// Times, durations, and what only needs a name (ALT_ANY, ALT_NONFINITE) are integers.
term_sort sort_of_kind(alt_kind kind)
{
    return kind == ALT_BOOL     ? SORT_BOOL
           : kind == ALT_DOUBLE ? SORT_REAL
           : kind == ALT_TEXT   ? SORT_TEXT
                                : SORT_INT;
}

alt alt_of(problem *p, alt_kind kind, term t)
{
    LG_DEBUG_ASSERT(!has_term(kind) || t || terms_failed(p->t));
    return (alt){.kind = kind, .guard = term_bool(p->t, true), .t = t};
}

alt alt_unguarded(problem *p, const alt *a)
{
    alt whole = *a;
    whole.guard = term_bool(p->t, true);
    return whole;
}

static val one(problem *p, alt a)
{
    alt *item = LG_NEW(p->arena, alt);
    if (!item) {
        return (val){NULL, 0};
    }
    *item = alt_unguarded(p, &a);
    return (val){item, 1};
}

val value_of_alt(problem *p, const alt *a)
{
    return one(p, *a);
}

val value_scalar(problem *p, alt_kind kind, term t)
{
    return one(p, alt_of(p, kind, t));
}

val value_bool(problem *p, term t)
{
    return value_scalar(p, ALT_BOOL, t);
}

val value_null(problem *p)
{
    return one(p, alt_of(p, ALT_NULL, NULL));
}

val value_missing(problem *p, term of_call)
{
    return one(p, alt_missing(p, of_call));
}

val value_error(problem *p)
{
    return one(p, alt_of(p, ALT_ERROR, NULL));
}

val value_lost(problem *p)
{
    p->bounded = true;
    return value_error(p);
}

val value_list(problem *p, const seq *list)
{
    return list ? one(p, (alt){.kind = ALT_LIST, .list = list}) : value_lost(p);
}

val value_map(problem *p, const dict *map)
{
    return map ? one(p, (alt){.kind = ALT_MAP, .map = map}) : value_lost(p);
}

val value_text(problem *p, lg_str text)
{
    return value_scalar(p, ALT_TEXT, term_text(p->t, text));
}

// Where `a` and `b` have alternatives of one kind these become one whose term chooses, so that choices in
// choices do not grow in number.
val value_choose(problem *p, term condition, val a, val b)
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

static val json_value(problem *p, const lg_json *json, bool of_call);

// A literal list has no summary: all of its elements are explicit, however many.
static val list_of_json(problem *p, const lg_json *json, bool of_call)
{
    uint32_t count = (uint32_t)lg_json_len(json);
    seq *list = LG_NEW(p->arena, seq);
    element *items = LG_NEW_ARRAY(p->arena, element, count + 1);
    if (!list || !items) {
        return value_lost(p);
    }
    for (uint32_t i = 0; i < count; i++) {
        items[i] = (element){term_bool(p->t, true),
                             thunk_of(p, json_value(p, lg_json_item(json, i), of_call))};
    }
    *list = (seq){.items = items, .count = count, .prefix = true, .of_call = of_call};
    return value_list(p, list);
}

// The members of a JSON object have different keys: they are of one family.
static val map_of_json(problem *p, const lg_json *json, bool of_call)
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
                           thunk_of(p, json_value(p, &member->value, of_call))};
    }
    *map = (dict){.items = items, .count = count, .of_call = of_call};
    return value_map(p, map);
}

// As deep as the JSON value, which its parser has bounded. Scalars are what the evaluator makes of
// them.
static val json_value(problem *p, const lg_json *json, bool of_call)
{
    if (lg_json_is(json, LG_JSON_ARRAY)) {
        return list_of_json(p, json, of_call);
    }
    if (lg_json_is(json, LG_JSON_OBJECT)) {
        return map_of_json(p, json, of_call);
    }
    // NULL is what is absent where a literal stands for it: null.
    return one(p, alt_of_cel(p, json ? lg_cel_from_json(json) : lg_cel_make_null()));
}

val value_of_json(problem *p, const lg_json *json)
{
    return json_value(p, json, false);
}

val value_of_args(problem *p, const lg_json *args)
{
    return json_value(p, args, true);
}

thunk *thunk_of(problem *p, val v)
{
    thunk *s = LG_NEW(p->arena, thunk);
    if (s) {
        *s = (thunk){.v = v, .forced = true};
    }
    return s;
}

const val *thunk_value(problem *p, thunk *s)
{
    LG_DEBUG_ASSERT(!s || s->forced || s->in);
    static const val nothing = {NULL, 0};
    if (!s) {
        return &nothing;
    }
    if (!s->forced) {
        s->forced = true;
        s->v = input_value(p, s->in);
    }
    return &s->v;
}

term value_is(problem *p, val v, alt_kind kind)
{
    term is = term_bool(p->t, false);
    for (uint32_t i = 0; i < v.count; i++) {
        if (v.alts[i].kind == kind) {
            is = term_or(p->t, is, v.alts[i].guard);
        }
    }
    return is;
}

term value_lacks(problem *p, val v)
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
static term any_bool(problem *p, term which, uint32_t index)
{
    static const term_sort from = SORT_INT;
    if (!p->any_bool[index]) {
        p->any_bool[index] = term_func_new(p->t, LG_STR("any"), &from, 1, SORT_BOOL);
    }
    return term_apply(p->t, p->any_bool[index], &which, 1);
}

// When the alternative is that bool.
// Of any value, whether it is a bool and which one are questions of their own to the solver.
static term alt_holds(problem *p, const alt *a, bool wanted)
{
    term is = a->kind == ALT_BOOL  ? a->t
              : a->kind == ALT_ANY ? any_bool(p, a->t, 1)
                                   : term_bool(p->t, !wanted);
    is = wanted ? is : term_not(p->t, is);
    return a->kind == ALT_ANY ? term_and(p->t, any_bool(p, a->t, 0), is) : is;
}

// A failure is neither true nor false: both questions are answered by "no", as Kleene's logic has it.
term value_holds(problem *p, val v, bool wanted)
{
    term holds = term_bool(p->t, false);
    for (uint32_t i = 0; i < v.count; i++) {
        term is = term_and(p->t, v.alts[i].guard, alt_holds(p, &v.alts[i], wanted));
        holds = term_or(p->t, holds, is);
    }
    return holds;
}

term value_no_bool(problem *p, val v)
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

// A constant that stands for a variable is bound here, innermost first, so that the fact is asserted of
// every value and not of one that the solver may choose.
void problem_assert(problem *p, term fact)
{
    terms *t = p->t;
    for (uint32_t i = VARIABLES_MAX; p->forall && i-- > 0;) {
        if (p->variables[i] && term_mentions(t, fact, p->variables[i])) {
            fact = term_not(t, term_exists(t, p->variables[i], term_not(t, fact)));
        }
    }
    terms_assert(t, fact);
}

term problem_idealised(problem *p)
{
    LG_DEBUG_ASSERT(!(p->forall && p->explicit_only));
    if (p->forall ||
        p->explicit_only) { // proofs take nothing for granted, and the search for cases all of it
        return term_bool(p->t, p->explicit_only);
    }
    p->idealised = p->idealised ? p->idealised : term_fresh(p->t, SORT_BOOL, LG_STR("usual"));
    return p->idealised;
}

// Checked wherever work is added, so that a hostile pack ends soon after its limit; what was built until
// then is a formula still, but too much may be left out of it for a proof (`bounded`).
bool problem_exhausted(problem *p)
{
    bool exhausted = (p->work_limit && p->work > p->work_limit) ||
                     (p->made_limit && terms_made(p->t) > p->made_limit) || terms_failed(p->t);
    p->bounded = p->bounded || exhausted;
    return exhausted;
}
