// summary.c: the elements that are not explicit, and what is asked of them.
//
// A summary node, as shape analysis has them: one generic element stands for any number of real ones. What
// is asked of all of them is translated once, for the generic element, and turned into a constant:
//
//   some element has it    a bool, implied if the generic element has it
//   so many have it        an integer between 0 and their number, above 0 just if some element has it
//   the element under k    the generic one if k is its key; else an element of its own
//
// Real lists are instances: choose any of their elements as the generic one, and the constants as they
// really are; every assertion holds. So what is refuted for summaries is refuted for lists of any length.
// The reverse is not so, and a model whose summaries have elements is not taken for a case.
#include "symbolic/funs.h"
#include "symbolic/input_internal.h"
#include "symbolic/translate.h"

// --- Summaries ----------------------------------------------------------------------------------

const summary *summary_new(problem *p, lg_str name, thunk *generic, term key, bool of_input)
{
    LG_DEBUG_ASSERT(!p->forall);
    LG_DEBUG_ASSERT(!key || term_has_sort(p->t, key, SORT_TEXT));
    summary *r = LG_NEW(p->arena, summary);
    if (!r) {
        return NULL;
    }
    *r = (summary){.id = ++p->next_id,
                   .count = term_fresh(p->t, SORT_INT, name),
                   .generic = p->explicit_only ? NULL : generic,
                   .key = key,
                   .present = term_bool(p->t, true),
                   .lookups = LG_NEW(p->arena, uint32_t),
                   .other = LG_NEW(p->arena, const summary *)};
    if (p->explicit_only) {
        r->count = term_int(p->t, 0);
        return r;
    }
    terms_assert(p->t, term_le(p->t, term_int(p->t, 0), r->count));
    if (of_input) {
        term *summary_sizes = lg_arena_grow(p->arena, p->summary_sizes, p->summary_size_count,
                                            &p->summary_size_capacity, sizeof(*summary_sizes));
        if (summary_sizes) {
            p->summary_sizes = summary_sizes;
            summary_sizes[p->summary_size_count++] = r->count;
        }
    }
    return r;
}

const summary *range_new(problem *p, term count, uint32_t before)
{
    LG_DEBUG_ASSERT(!p->forall && term_has_sort(p->t, count, SORT_INT));
    terms *t = p->t;
    summary *r = LG_NEW(p->arena, summary);
    if (!r) {
        return NULL;
    }
    term index = term_fresh(t, SORT_INT, LG_STR("index"));
    term first = term_int(t, before);
    *r = (summary){.id = ++p->next_id,
                   .count = count,
                   .generic = thunk_of(p, value_scalar(p, ALT_INT, index)),
                   .present = term_bool(t, true),
                   .lookups = LG_NEW(p->arena, uint32_t),
                   .before = before,
                   .range = true,
                   .other = LG_NEW(p->arena, const summary *)};
    note_definition(p, (definition){.kind = DEFINED_RANGE_INDEX, .constant = index, .summary = r});
    terms_assert(t, term_le(t, first, index));
    term end = term_arith_of(t, ARITH_ADD, first, count);
    terms_assert(t, term_implies(t, summary_is_nonempty(p, r), term_lt(t, index, end)));
    return r;
}

// Filtered and mapped summaries count as their base, whose elements they have. If there is no room to note
// more names, everything counts as bound.
bool summary_is_bound(const problem *p, const summary *r)
{
    const summary *base = r->base ? r->base : r;
    for (uint32_t i = 0; i < p->bound_count; i++) {
        if (p->bound[i] == base) {
            return true;
        }
    }
    return p->bound_count == LG_COUNT(p->bound);
}

// A second generic element is an input of the same schema under another key. Nothing says that it differs
// from the first: both may be the same real element.
static const summary *new_other(problem *p, const summary *r, const dict *map)
{
    LG_DEBUG_ASSERT(!r->base && !r->all);
    terms *t = p->t;
    if (r->range) {
        return range_new(p, r->count, r->before);
    }
    summary *twin = LG_NEW(p->arena, summary);
    term key = r->key ? term_fresh(t, SORT_TEXT, LG_STR("another key")) : NULL;
    input *in = r->generic ? input_another(p, r->generic->in, key) : NULL;
    if (!twin || !in) {
        return NULL;
    }
    *twin = *r;
    twin->id = ++p->next_id;
    twin->key = key;
    twin->generic = input_thunk(in);
    twin->other = LG_NEW(p->arena, const summary *);
    for (uint32_t i = 0; key && map && i < map->count; i++) {
        terms_assert(t, term_not(t, term_eq(t, map->items[i].key, key)));
    }
    return twin;
}

const summary *summary_other(problem *p, const summary *r, const dict *map)
{
    if (r->base || !r->other) {
        return NULL; // what was filtered or mapped would have to be so once more
    }
    if (!*r->other) {
        *r->other = new_other(p, r, map);
    }
    return *r->other;
}

void note_definition(problem *p, definition h)
{
    LG_DEBUG_ASSERT(h.kind == DEFINED_KEY || h.kind == DEFINED_UNKNOWN ||
                    (h.constant && h.summary));
    definition *items = lg_arena_grow(p->arena, p->definitions, p->definition_count,
                                      &p->definition_capacity, sizeof(*items));
    if (items) {
        p->definitions = items;
        items[p->definition_count++] = h;
    }
}

// Only collected while the rules are translated: see none_impossible() in prove/reachable.c.
static void note_goal(problem *p, term some, term of_generic)
{
    goal *goals =
        lg_arena_grow(p->arena, p->goals, p->goal_count, &p->goal_capacity, sizeof(*goals));
    if (goals) {
        p->goals = goals;
        goals[p->goal_count++] = (goal){some, of_generic};
    }
}

term summary_is_nonempty(problem *p, const summary *r)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, r->count, SORT_INT));
    return term_lt(p->t, term_int(p->t, 0), r->count);
}

// While a name stands for the generic element, a second look at the same summary must not say of "some
// element" what is true of that very one: the constants would be one. So nothing is known but that
// there are elements, which leaves every case in.
static term some_of_bound(problem *p, const summary *r)
{
    term some = term_fresh(p->t, SORT_BOOL, LG_STR("some"));
    p->abstracted = "a list that is looked at for each of its own elements";
    note_definition(
        p, (definition){
               .kind = DEFINED_UNKNOWN, .constant = some, .summary = r, .why = p->abstracted});
    terms_assert(p->t, term_implies(p->t, some, summary_is_nonempty(p, r)));
    return some;
}

// The same for a number of elements: it is between none and all.
static term many_of_bound(problem *p, const summary *r)
{
    term many = term_fresh(p->t, SORT_INT, LG_STR("many"));
    p->abstracted = "a list that is looked at for each of its own elements";
    note_definition(
        p, (definition){
               .kind = DEFINED_UNKNOWN, .constant = many, .summary = r, .why = p->abstracted});
    terms_assert(p->t, term_le(p->t, term_int(p->t, 0), many));
    terms_assert(p->t, term_le(p->t, many, r->count));
    return many;
}

// Sound in one direction by an assertion (if the generic element has the property, some element has) and
// left open in the other: a model may claim an element that nobody sees. Such a model has a summary
// with elements, and is never taken for a case. `said` includes that the element is there at all.
term summary_exists(problem *p, const summary *r, term of_generic)
{
    LG_DEBUG_ASSERT(!r->all);
    terms *t = p->t;
    if (summary_is_bound(p, r)) {
        return some_of_bound(p, r);
    }
    term said = term_and(t, r->present, of_generic);
    if (p->explicit_only || term_is_false(t, said)) {
        return term_bool(t, false);
    }
    if (term_is_true(t, said)) {
        return summary_is_nonempty(p, r);
    }
    void **place = memo_place(p, problem_name(p, "some %u %u", r->id, term_id(t, said)));
    if (place && *place) {
        return *place;
    }
    term some = term_fresh(t, SORT_BOOL, LG_STR("some"));
    note_definition(
        p, (definition){.kind = DEFINED_EXISTS, .constant = some, .summary = r, .on = said});
    terms_assert(t, term_implies(t, some, summary_is_nonempty(p, r)));
    terms_assert(t, term_implies(t, term_and(t, summary_is_nonempty(p, r), said), some));
    if (p->collect_goals) {
        note_goal(p, some, said);
    }
    if (place) {
        *place = some;
    }
    return some;
}

// Between 0 and all of them, and above 0 just if some element has the property.
term summary_count_where(problem *p, const summary *r, term of_generic)
{
    LG_DEBUG_ASSERT(!r->all);
    terms *t = p->t;
    if (summary_is_bound(p, r)) {
        return many_of_bound(p, r);
    }
    term said = term_and(t, r->present, of_generic);
    if (p->explicit_only || term_is_false(t, said)) {
        return term_int(t, 0);
    }
    if (term_is_true(t, said)) {
        return r->count;
    }
    void **place = memo_place(p, problem_name(p, "many %u %u", r->id, term_id(t, said)));
    if (place && *place) {
        return *place;
    }
    term many = term_fresh(t, SORT_INT, LG_STR("many"));
    note_definition(
        p, (definition){.kind = DEFINED_COUNT, .constant = many, .summary = r, .on = said});
    terms_assert(t, term_le(t, term_int(t, 0), many));
    terms_assert(t, term_le(t, many, r->count));
    terms_assert(t, term_eq(t, summary_exists(p, r, of_generic), term_lt(t, term_int(t, 0), many)));
    if (place) {
        *place = many;
    }
    return many;
}

// --- Looking into a summary ---------------------------------------------------------------------

typedef struct looked_up {
    term present;
    val v;
} looked_up;

// Which elements are explicit is for us to say, without loss of generality: those that are looked up by
// their keys, as long as there are not more keys than explicit elements. Then a key that is none of these
// can only be that of the generic element.
static bool is_explicit(const problem *p, const summary *r)
{
    const summary *base = r->base ? r->base : r;
    return r->key && r->lookups && !base->without_entries && *r->lookups <= p->width;
}

// More lookups than that: each is an element of its own, of the same schema, and nothing relates them.
static val unknown_element(problem *p, const summary *r, term key, term *ret_present)
{
    LG_DEBUG_ASSERT(!r->all);
    const input *like = r->generic ? r->generic->in : NULL;
    lg_str name = problem_name(p, "rest%u[%u]", r->id, term_id(p->t, key));
    if (!like) { // made by an expression
        *ret_present = term_fresh(p->t, SORT_BOOL, name);
        problem_assert(p, term_implies(p->t, *ret_present, summary_is_nonempty(p, r)));
        return unknown_value(p, LG_STR(""), ALT_ANY, "an element of a list that was made");
    }
    input *in = input_like(p, name, like, key);
    *ret_present = term_fresh(p->t, SORT_BOOL, name);
    note_definition(
        p,
        (definition){
            .kind = DEFINED_LOOKUP, .constant = *ret_present, .summary = r, .on = key, .in = in});
    problem_assert(p, term_implies(p->t, *ret_present, summary_is_nonempty(p, r)));
    return input_value(p, in);
}

// Three ways: the generic element's own key; a key of which we may say that it is explicit, so that only
// the generic element can have it beside the explicit entries; and else an element of its own. The
// answer is remembered by key, so that equal terms lead to one element.
val summary_lookup(problem *p, const summary *r, term key, term *ret_present)
{
    LG_DEBUG_ASSERT(!r->all);
    if (p->explicit_only) {
        *ret_present = term_bool(p->t, false);
        return value_error(p);
    }
    if (r->key && r->key == key) {
        *ret_present = term_and(p->t, r->present, summary_is_nonempty(p, r));
        return *thunk_value(p, r->generic);
    }
    // What was mapped has the number of what it was made of, and other elements.
    void **place = memo_place(
        p, problem_name(p, "at %u %p %u", r->id, (const void *)r->generic, term_id(p->t, key)));
    looked_up *found = place ? *place : NULL;
    if (!found) {
        found = LG_NEW(p->arena, looked_up);
        if (!found) {
            *ret_present = term_bool(p->t, false);
            return value_lost(p);
        }
        if (place) {
            *place = found;
        }
        if (r->lookups) {
            ++*r->lookups;
        }
        if (is_explicit(p, r)) {
            note_definition(p, (definition){.kind = DEFINED_KEY, .summary = r, .on = key});
            found->present = term_and(p->t, term_and(p->t, r->present, summary_is_nonempty(p, r)),
                                      term_eq(p->t, key, r->key));
            found->v = *thunk_value(p, r->generic);
        } else {
            found->v = unknown_element(p, r, key, &found->present);
        }
    }
    *ret_present = found->present;
    return found->v;
}
