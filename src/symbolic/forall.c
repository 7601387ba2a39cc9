// forall.c: variables, functions of positions, and what is found at a position.
//
// A field of a record at a place is an uninterpreted function of the keys on the way, so equal keys give
// equal fields by congruence and different keys are independent: that is exactly what is known of a ledger.
// A list with gaps (filtered), and counts and sums of lists, are functions too, named after the form of
// what they are computed from (form_function()): two lists that are built alike have the same count. Of
// such functions only facts are asserted that hold of the real ones; whatever is not asserted the solver
// may choose, which can lose a proof and never makes one.
#include "symbolic/forall.h"

#define PARTS_MAX 24u
#define EQUAL_DEPTH_MAX 6u

// --- Variables ----------------------------------------------------------------------------------

// The constant of a nesting level stands for whatever variable is open there. So the same expression, at
// the same depth, is the same term wherever it is translated, and untouched parts are seen to be equal.
term variable_open(problem *p)
{
    LG_DEBUG_ASSERT(p->forall);
    uint32_t at = p->open_variables < VARIABLES_MAX ? p->open_variables : VARIABLES_MAX - 1;
    p->bounded = p->bounded || p->open_variables >= VARIABLES_MAX; // one constant for two variables
    p->open_variables++;
    if (!p->variables[at]) {
        p->variables[at] = term_fresh(p->t, SORT_INT, LG_STR("any"));
    }
    return p->variables[at];
}

void variable_close(problem *p)
{
    LG_DEBUG_ASSERT(p->open_variables > 0);
    p->open_variables--;
}

static const term_func *function_named(problem *p, lg_str name, const term *args, uint32_t count,
                                       term_sort sort)
{
    LG_DEBUG_ASSERT(count > 0 && count <= PARTS_MAX + 1);
    void **place = memo_place(p, name);
    if (place && *place) {
        return *place;
    }
    term_sort from[PARTS_MAX + 1];
    for (uint32_t i = 0; i < count; i++) {
        from[i] = term_sort_of(p->t, args[i]);
    }
    term_func *made = term_func_new(p->t, name, from, count, sort);
    if (place) {
        *place = made;
    }
    return made;
}

// A Skolem function of all open variables: what is not known may be another thing for each element.
term unknown_term(problem *p, term_sort sort, lg_str name)
{
    uint32_t count = p->open_variables < VARIABLES_MAX ? p->open_variables : VARIABLES_MAX;
    if (!p->forall || count == 0) {
        return term_fresh(p->t, sort, name);
    }
    lg_str own = problem_name(p, "unknown %u", ++p->next_id);
    return term_apply(p->t, function_named(p, own, p->variables, count, sort), p->variables, count);
}

term form_function(problem *p, term_sort sort, const char *what, const term *bodies, uint32_t count,
                   term variable, term extra)
{
    LG_DEBUG_ASSERT(!extra || term_has_sort(p->t, extra, SORT_INT));
    terms *t = p->t;
    term parts[PARTS_MAX + 1];
    uint32_t part_count = 0;
    bool formed = true;
    lg_buf name;
    lg_buf_init(&name, 4096);
    lg_buf_addf(&name, "%s %d %d", what, (int)sort, extra != NULL);
    for (uint32_t i = 0; i < count && formed; i++) {
        term made;
        formed = term_form(t, bodies[i], variable, parts, &part_count, PARTS_MAX, &made);
        lg_buf_addf(&name, " %u", term_id(t, made));
    }
    if (!formed) { // as it stands, a function of all variables
        part_count = 0;
        lg_buf_clear(&name);
        lg_buf_addf(&name, "%s %d as it is", what, (int)sort);
        for (uint32_t i = 0; i < count; i++) {
            lg_buf_addf(&name, " %u", term_id(t, bodies[i]));
        }
        LG_DEBUG_ASSERT(part_count < PARTS_MAX);
        for (uint32_t i = 0; i < VARIABLES_MAX && p->variables[i]; i++) {
            parts[part_count++] = p->variables[i];
        }
    }
    if (extra) {
        parts[part_count++] = extra;
    }
    lg_str text = lg_arena_str(p->arena, lg_buf_str(&name));
    bool ready = lg_buf_status(&name) == LG_OK && text.ptr;
    lg_buf_done(&name);
    if (!ready) {
        return unknown_term(p, sort, LG_STR("function"));
    }
    if (part_count == 0) {
        void **place = memo_place(p, text);
        if (place && !*place) {
            *place = term_fresh(t, sort, lg_str_c(what));
        }
        return place ? *place : term_fresh(t, sort, lg_str_c(what));
    }
    return term_apply(t, function_named(p, text, parts, part_count, sort), parts, part_count);
}

// --- Summaries ----------------------------------------------------------------------------------

const elements *elements_new(problem *p, elements like)
{
    elements *made = LG_NEW(p->arena, elements);
    if (made) {
        *made = like;
    }
    return made;
}

// How many positions hold an element.
static term count_of(problem *p, const elements *all)
{
    terms *t = p->t;
    term at = variable_open(p);
    term present = all->present(p, all, at);
    term many = form_function(p, SORT_INT, "many", &present, 1, at, NULL);
    term any = term_exists(t, at, present);
    variable_close(p);
    problem_assert(p, term_le(t, term_int(t, 0), many));
    problem_assert(p, term_eq(t, term_lt(t, term_int(t, 0), many), any));
    return many;
}

const summary *summary_of(problem *p, term count, const elements *all)
{
    LG_DEBUG_ASSERT(!count || term_has_sort(p->t, count, SORT_INT));
    summary *r = LG_NEW(p->arena, summary);
    if (!r || !all) {
        return NULL;
    }
    *r = (summary){.id = ++p->next_id, .present = term_bool(p->t, true), .all = all};
    r->count = count ? count : count_of(p, all);
    return r;
}

// --- Lists --------------------------------------------------------------------------------------

// Where the element of this index stands in a list with gaps (one that was filtered): a function of the
// list's form and the index. That the position holds an element is asserted; its order is only for index 0.
static term position_of(problem *p, const summary *r, term index)
{
    LG_DEBUG_ASSERT(r->all && term_has_sort(p->t, index, SORT_INT));
    terms *t = p->t;
    int64_t literal;
    term at = variable_open(p);
    term present = r->all->present(p, r->all, at);
    term position = form_function(p, SORT_INT, "position", &present, 1, at, index);
    if (term_int_of(t, index, &literal) && literal == 0) {
        term none_before = term_implies(t, present, term_le(t, position, at));
        problem_assert(p, term_not(t, term_exists(t, at, term_not(t, none_before))));
    }
    variable_close(p);
    term there = r->all->present(p, r->all, position);
    problem_assert(p, term_implies(t, term_is_index(p->t, index, r->count), there));
    return position;
}

val summary_at(problem *p, const summary *r, term index, term *ret_present)
{
    const elements *all = r->all;
    *ret_present = all->gaps ? term_is_index(p->t, index, r->count) : all->present(p, all, index);
    return all->value(p, all, all->gaps ? position_of(p, r, index) : index);
}

val summary_some_element(problem *p, const summary *r, term there, lg_str name)
{
    LG_DEBUG_ASSERT(r->all && term_has_sort(p->t, there, SORT_BOOL));
    void **place = memo_place(p, name);
    term at = place ? *place : NULL;
    if (!at) {
        at = unknown_term(p, SORT_INT, name);
        problem_assert(p, term_implies(p->t, there, r->all->present(p, r->all, at)));
        place = memo_place(p, name);
        if (place) {
            *place = at;
        }
    }
    return r->all->value(p, r->all, at);
}

// All of a list by index: the summary first, then what is explicit.
static val at_index(problem *p, const elements *e, term at)
{
    builder b = builder_of(p);
    seq_get(p, &b, term_bool(p->t, true), e->how, at);
    return builder_done(&b);
}

static term has_index(problem *p, const elements *e, term at)
{
    return term_is_index(p->t, at, seq_size(p, e->how));
}

// All of the list as one summary, the explicit elements included.
static const summary *whole_list(problem *p, const seq *list)
{
    LG_DEBUG_ASSERT(!list->summary || list->summary->all);
    if (list->count == 0 && list->summary && !list->summary->all->gaps) {
        return list->summary;
    }
    return summary_of(
        p, seq_size(p, list),
        elements_new(p, (elements){.present = has_index, .value = at_index, .how = list}));
}

static val at_index_of_two(problem *p, const elements *e, term at)
{
    const seq *const *pair = e->how;
    term size = seq_size(p, pair[0]);
    term first = term_lt(p->t, at, size);
    builder b = builder_of(p);
    seq_get(p, &b, first, pair[0], at);
    seq_get(p, &b, term_not(p->t, first), pair[1], term_arith_of(p->t, ARITH_SUB, at, size));
    return builder_done(&b);
}

static term has_index_of_two(problem *p, const elements *e, term at)
{
    const seq *const *pair = e->how;
    term sizes[2] = {seq_size(p, pair[0]), seq_size(p, pair[1])};
    return term_is_index(p->t, at, term_arith_of(p->t, ARITH_ADD, sizes[0], sizes[1]));
}

// By index, so that neither needs to be looked through: those of `b` follow at the size of `a`.
const seq *joined_lists(problem *p, const seq *a, const seq *b)
{
    LG_DEBUG_ASSERT(p->forall);
    seq *made = LG_NEW(p->arena, seq);
    const seq **pair = LG_NEW_ARRAY(p->arena, const seq *, 2);
    if (!made || !pair) {
        return NULL;
    }
    pair[0] = a;
    pair[1] = b;
    term size = term_arith_of(p->t, ARITH_ADD, seq_size(p, a), seq_size(p, b));
    const elements *both = elements_new(
        p, (elements){.present = has_index_of_two, .value = at_index_of_two, .how = pair});
    *made = (seq){.summary = summary_of(p, size, both), .prefix = true};
    made->unordered = a->unordered || b->unordered;
    made->computed = a->computed || b->computed;
    made->of_call = a->of_call || b->of_call;
    return made->summary ? made : NULL;
}

typedef struct changed_at {
    const elements *of;
    term index;
    thunk *value;
} changed_at;

static term changed_present(problem *p, const elements *e, term at)
{
    const changed_at *c = e->how;
    return c->of->present(p, c->of, at);
}

static val changed_value(problem *p, const elements *e, term at)
{
    const changed_at *c = e->how;
    term is = term_eq(p->t, at, c->index);
    val new = *thunk_value(p, c->value);
    return term_is_true(p->t, is) ? new : value_choose(p, is, new, c->of->value(p, c->of, at));
}

// McCarthy's store: read again at the same index it is the new value, at any other the old one.
const seq *list_with(problem *p, const seq *list, term index, thunk *value)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, index, SORT_INT));
    seq *made = LG_NEW(p->arena, seq);
    changed_at *how = LG_NEW(p->arena, changed_at);
    const summary *all = whole_list(p, list);
    if (!made || !how || !all) {
        return NULL;
    }
    *how = (changed_at){all->all, index, value};
    const elements *changed =
        elements_new(p, (elements){.present = changed_present, .value = changed_value, .how = how});
    *made = (seq){.summary = summary_of(p, all->count, changed), .prefix = true};
    made->unordered = list->unordered;
    return made->summary ? made : NULL;
}

// --- Maps ---------------------------------------------------------------------------------------

// Entries hide those behind them with the same key, present or not: an entry that is not present says that
// the key was removed.
val map_at(problem *p, const dict *map, term key, term *ret_present)
{
    LG_DEBUG_ASSERT(!map->summary || map->summary->all);
    LG_DEBUG_ASSERT(term_has_sort(p->t, key, SORT_TEXT));
    terms *t = p->t;
    builder b = builder_of(p);
    term left = term_bool(t, true);
    *ret_present = term_bool(t, false);
    for (uint32_t i = 0; i < map->count && !term_is_false(t, left); i++) {
        const entry *e = &map->items[i];
        term hit = term_and(t, left, term_eq(t, e->key, key));
        if (!term_is_false(t, hit)) {
            builder_add_value(&b, hit, *thunk_value(p, e->value));
            *ret_present = term_or(t, *ret_present, term_and(t, hit, e->present));
            left = term_and(t, left, term_not(t, hit));
        }
    }
    if (map->summary && !term_is_false(t, left)) {
        const elements *all = map->summary->all;
        term present = all->present(p, all, key);
        builder_add_value(&b, left, all->value(p, all, key));
        *ret_present = term_or(t, *ret_present, term_and(t, left, present));
    } else {
        builder_add(&b, left, alt_missing(p, term_bool(t, map->of_call)));
    }
    return builder_done(&b);
}

// That no entry before number `count` has the key.
static term not_before(problem *p, const dict *map, uint32_t count, term key)
{
    term fresh = term_bool(p->t, true);
    for (uint32_t i = 0; i < count; i++) {
        fresh = term_and(p->t, fresh, term_not(p->t, term_eq(p->t, map->items[i].key, key)));
    }
    return fresh;
}

term entry_shows(problem *p, const dict *map, uint32_t index)
{
    LG_DEBUG_ASSERT(index < map->count);
    const entry *e = &map->items[index];
    return term_and(p->t, e->present, not_before(p, map, index, e->key));
}

term summary_shows(problem *p, const dict *map, term key)
{
    LG_DEBUG_ASSERT(map->summary && map->summary->all);
    const elements *all = map->summary->all;
    term present = all->present(p, all, key);
    return term_and(p->t, present, not_before(p, map, map->count, key));
}

// Every entry that is not hidden, and of the summary all but those that an entry hides.
term map_size(problem *p, const dict *map)
{
    terms *t = p->t;
    term size = map->summary ? map->summary->count : term_int(t, 0);
    for (uint32_t i = 0; i < map->count; i++) {
        term key = map->items[i].key;
        size = term_count(t, size, entry_shows(p, map, i));
        if (map->summary) {
            term hidden = term_and(t, map->summary->all->present(p, map->summary->all, key),
                                   not_before(p, map, i, key));
            term one = term_ite(t, hidden, term_int(t, 1), term_int(t, 0));
            size = term_arith_of(t, ARITH_SUB, size, one);
        }
    }
    return size;
}

// --- Equality -----------------------------------------------------------------------------------

// Extensionality: of one size, and no index at which they differ.
term same_sequence(problem *p, const seq *a, const seq *b, uint32_t depth)
{
    terms *t = p->t;
    if (depth > EQUAL_DEPTH_MAX) {
        return unknown_term(p, SORT_BOOL, LG_STR("equal"));
    }
    term size = seq_size(p, a);
    term same = term_eq(t, size, seq_size(p, b));
    if (term_is_false(t, same)) {
        return same;
    }
    term at = variable_open(p);
    builder in_a = builder_of(p);
    builder in_b = builder_of(p);
    seq_get(p, &in_a, term_bool(t, true), a, at);
    seq_get(p, &in_b, term_bool(t, true), b, at);
    term equal = same_value(p, builder_done(&in_a), builder_done(&in_b), depth + 1);
    term differ = term_and(t, term_is_index(p->t, at, size), term_not(t, equal));
    variable_close(p);
    return term_and(t, same, term_not(t, term_exists(t, at, differ)));
}

// Extensionality: no key at which one has something else, or nothing.
term same_entries(problem *p, const dict *a, const dict *b, uint32_t depth)
{
    terms *t = p->t;
    if (depth > EQUAL_DEPTH_MAX) {
        return unknown_term(p, SORT_BOOL, LG_STR("equal"));
    }
    term at = variable_open(p);
    term in_a, in_b;
    val x = map_at(p, a, at, &in_a);
    val y = map_at(p, b, at, &in_b);
    term same = term_eq(t, in_a, in_b);
    same = term_and(t, same, term_implies(t, in_a, same_value(p, x, y, depth + 1)));
    variable_close(p);
    return term_not(t, term_exists(t, at, term_not(t, same)));
}
