// stored.c: values as JSON, alternative by alternative.
//
// Only what an expression has computed is gone through: a part of the state or of the arguments was JSON
// before, and is the same value after it was written and read. `fails` collects when something is in it
// that JSON cannot hold, which makes the step a fault.
#include "symbolic/stored.h"
#include "symbolic/forall.h"
#include "symbolic/funs.h"
#include "symbolic/input.h"
#include "symbolic/number.h"

#include <math.h>

#define DEPTH_MAX 6u

// --- Numbers ------------------------------------------------------------------------------------

val stored_large(problem *p, term integer)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, integer, SORT_INT));
    val whole = number_within(p, ALT_INT, integer);
    return value_choose(p, value_is(p, whole, ALT_INT), whole, number_within(p, ALT_UINT, integer));
}

// A double up to 2^53.
static val stored_integer(problem *p, term integer)
{
    val exact = value_scalar(p, ALT_DOUBLE, term_to_real(p->t, integer));
    term is = term_or(p->t, number_is_exact(p, integer), problem_idealised(p));
    return term_is_true(p->t, is) ? exact : value_choose(p, is, exact, stored_large(p, integer));
}

// Where an integer stood before, a double without a fraction is written as one: then it is read as an
// int if it is beyond 2^53.
static val in_kind(problem *p, term number)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, number, SORT_REAL));
    terms *t = p->t;
    double known;
    val as_it_is = value_scalar(p, ALT_DOUBLE, number);
    bool small = term_double_of(t, number, &known) && fabs(known) <= (double)EXACT_MAX;
    if (small || term_is_true(t, problem_idealised(p))) {
        return as_it_is;
    }
    term written = unknown_term(p, SORT_BOOL, LG_STR("written as an integer"));
    term integer = unknown_term(p, SORT_INT, LG_STR("integer"));
    term large = term_and(t, term_not(t, number_is_exact(p, integer)),
                          value_is(p, number_within(p, ALT_INT, integer), ALT_INT));
    term same = term_eq(t, number, term_to_real(t, integer));
    problem_assert(p, term_implies(t, written, term_and(t, large, same)));
    problem_assert(p, term_implies(t, problem_idealised(p), term_not(t, written)));
    return value_choose(p, written, value_scalar(p, ALT_INT, integer), as_it_is);
}

val value_in_kind(problem *p, val v)
{
    builder b = builder_of(p);
    for (uint32_t i = 0; i < v.count; i++) {
        const alt *a = &v.alts[i];
        if (a->kind == ALT_DOUBLE) {
            builder_add_value(&b, a->guard, in_kind(p, a->t));
        } else {
            builder_add(&b, term_bool(p->t, true), *a);
        }
    }
    return builder_done(&b);
}

// --- Lists and maps -----------------------------------------------------------------------------

typedef struct storing {
    problem *p;
    term fails;
    uint32_t depth;
} storing;

static val stored(storing *s, val v);

typedef struct stored_elements {
    const elements *of;
    uint32_t depth;
} stored_elements;

static term stored_present(problem *p, const elements *e, term at)
{
    const stored_elements *how = e->how;
    return how->of->present(p, how->of, at);
}

static val stored_value(problem *p, const elements *e, term at)
{
    const stored_elements *how = e->how;
    storing s = {p, term_bool(p->t, false), how->depth};
    return stored(&s, how->of->value(p, how->of, at));
}

// An element that is absent cannot make the list fail.
static thunk *stored_thunk(storing *s, thunk *of, term present)
{
    LG_DEBUG_ASSERT(term_has_sort(s->p->t, present, SORT_BOOL));
    problem *p = s->p;
    storing one = {p, term_bool(p->t, false), s->depth};
    thunk *made = thunk_of(p, stored(&one, *thunk_value(p, of)));
    s->fails = term_or(p->t, s->fails, term_and(p->t, present, one.fails));
    return made;
}

// All elements at once: each as it is stored, and a failure if one of them cannot be.
static const summary *stored_all(storing *s, const summary *r)
{
    LG_DEBUG_ASSERT(r->all);
    problem *p = s->p;
    terms *t = p->t;
    stored_elements *how = LG_NEW(p->arena, stored_elements);
    if (!how) {
        return NULL;
    }
    *how = (stored_elements){r->all, s->depth};
    storing one = {p, term_bool(t, false), s->depth};
    term at = variable_open(p);
    stored(&one, r->all->value(p, r->all, at));
    term bad = term_and(t, r->all->present(p, r->all, at), one.fails);
    variable_close(p);
    s->fails = term_or(t, s->fails, term_exists(t, at, bad));
    elements e = {stored_present, stored_value, r->all->gaps, how};
    return summary_of(p, r->count, elements_new(p, e));
}

static const summary *stored_summary(storing *s, const summary *r)
{
    problem *p = s->p;
    if (r->all || !r->generic) {
        return r->all ? stored_all(s, r) : r;
    }
    summary *made = LG_NEW(p->arena, summary);
    if (!made) {
        return NULL;
    }
    storing one = {p, term_bool(p->t, false), s->depth};
    *made = *r;
    made->generic = thunk_of(p, stored(&one, *thunk_value(p, r->generic)));
    made->base = r->base ? r->base : r;
    s->fails = term_or(p->t, s->fails, summary_exists(p, r, one.fails));
    return made;
}

static val stored_list(storing *s, const seq *list)
{
    problem *p = s->p;
    seq *made = LG_NEW(p->arena, seq);
    element *items = LG_NEW_ARRAY(p->arena, element, list->count + 1);
    if (!made || !items) {
        return value_lost(p);
    }
    *made = *list;
    made->items = items;
    made->computed = false;
    for (uint32_t i = 0; i < list->count; i++) {
        items[i] = (element){list->items[i].present,
                             stored_thunk(s, list->items[i].value, list->items[i].present)};
    }
    made->summary = list->summary ? stored_summary(s, list->summary) : NULL;
    return list->summary && !made->summary ? value_lost(p) : value_list(p, made);
}

static val stored_map(storing *s, const dict *map)
{
    problem *p = s->p;
    dict *made = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, map->count + 1);
    if (!made || !items) {
        return value_lost(p);
    }
    *made = (dict){.items = items, .count = map->count};
    for (uint32_t i = 0; i < map->count; i++) {
        items[i] = map->items[i];
        items[i].value = stored_thunk(s, items[i].value, items[i].present);
    }
    made->summary = map->summary ? stored_summary(s, map->summary) : NULL;
    return map->summary && !made->summary ? value_lost(p) : value_map(p, made);
}

// --- Any value ----------------------------------------------------------------------------------

// Of what is not followed something is written, or nothing can be.
static val something(storing *s)
{
    problem *p = s->p;
    s->fails = term_or(p->t, s->fails, unknown_term(p, SORT_BOOL, LG_STR("cannot be stored")));
    return input_value(p, input_unknown(p, LG_STR("stored"), NULL, 6));
}

static val as_text(storing *s, const alt *a)
{
    problem *p = s->p;
    val v = value_scalar(p, a->kind, a->t);
    val made;
    return fun_call(p, LG_STR("string(x0)"), &v, 1, ALT_TEXT, &made) ? made : something(s);
}

// What came from JSON and was not touched is stored as it is; only what an expression has made is gone through.
static val stored_alt(storing *s, const alt *a)
{
    problem *p = s->p;
    bool structure = a->kind == ALT_LIST || a->kind == ALT_MAP;
    storing below = *s;
    below.depth++;
    if (a->kind == ALT_ANY || (structure && below.depth > DEPTH_MAX)) {
        return something(s);
    }
    if (a->kind == ALT_INT || a->kind == ALT_UINT) {
        return stored_integer(p, a->t);
    }
    if (a->kind == ALT_TIME || a->kind == ALT_DURATION) {
        return as_text(s, a);
    }
    if (a->kind == ALT_NONFINITE) {
        s->fails = term_bool(p->t, true);
        return value_null(p);
    }
    val made = a->kind == ALT_LIST && a->list->computed ? stored_list(&below, a->list)
               : a->kind == ALT_MAP && a->map->computed ? stored_map(&below, a->map)
                                                        : value_of_alt(p, a);
    s->fails = below.fails;
    return made;
}

// As deep as values are nested, within a bound.
static val stored(storing *s, val v)
{
    problem *p = s->p;
    terms *t = p->t;
    term fails = s->fails;
    builder b = builder_of(p);
    for (uint32_t i = 0; i < v.count; i++) {
        const alt *a = &v.alts[i];
        s->fails = term_bool(t, false);
        if (alt_is_failure(a)) {
            builder_add(&b, term_bool(t, true), *a);
            // A failure inside of a list makes the list fail; at the top it stays the value, for the caller to see.
            s->fails = term_bool(t, s->depth > 0);
        } else {
            builder_add_value(&b, a->guard, stored_alt(s, a));
        }
        fails = term_or(t, fails, term_and(t, a->guard, s->fails));
    }
    s->fails = fails;
    return builder_done(&b);
}

val value_stored(problem *p, val v, term *ret_fails)
{
    storing s = {p, term_bool(p->t, false), 0};
    val made = stored(&s, v);
    *ret_fails = s.fails;
    return made;
}
