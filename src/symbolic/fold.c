// fold.c: all, exists, exists_one, filter, map: once for each explicit element, once for the
// generic one of a summary, or for a variable.
//
// A macro is unrolled over the explicit elements; for all others the body is translated once, with the
// generic element bound to the macro's name. What that says ("the generic one is cancelled") becomes a
// question about the summary (summary_exists(), summary_count_where()); a filtered or mapped list has a
// derived summary with the generic element filtered or mapped.
//
// With `forall` the generic element is the one at a position that a quantifier binds, and a filtered or
// mapped list is a closure: what stands at a position is worked out when somebody looks there.
//
// A list that is gone through inside of an iteration over itself needs care: in
// `xs.exists(x, xs.exists(y, x != y))` the two names must not be one generic element. The inner macro gets
// another one (summary_other()), or nothing is known of it.
#include "symbolic/forall.h"

// What one iteration came to.
typedef struct iteration {
    term present; // whether there is such a iteration
    term yes, no; // of conditions
    term failed, missing;
    term lacking; // missing, and it is the call that lacks it
    val v;
    thunk *item;
} iteration;

typedef struct iterations {
    iteration *items;
    uint32_t count;
    const summary *summary; // then the last iteration is that of the generic element
    bool clash;             // which a name stands for already: nothing is known of the others
    term variable;          // with `forall`: where that one is
} iterations;

// A condition that gives no bool is an error of the macro, unless another element decides it.
static void classify(problem *p, iteration *made, bool condition)
{
    terms *t = p->t;
    made->missing = value_is(p, made->v, ALT_MISSING);
    made->lacking = value_lacks(p, made->v);
    made->failed = value_is(p, made->v, ALT_ERROR);
    made->yes = condition ? value_holds(p, made->v, true) : NULL;
    made->no = condition ? value_holds(p, made->v, false) : NULL;
    if (condition) {
        made->failed = term_or(t, made->failed, value_no_bool(p, made->v));
    }
}

// One iteration with the names bound. `map(x, condition, step)` has its condition in `present`; what the
// condition fails with counts as the iteration's. (`present` includes failing conditions, so that their
// failure is seen.)
static iteration iterate(const translation *r, const lg_cel_node *node, term present, val first,
                         val second, thunk *item)
{
    problem *p = r->p;
    binding b1 = {.local = node->as.fold.first, .v = first, .outer = r->locals};
    binding b2 = {.local = node->as.fold.second, .v = second, .outer = &b1};
    translation inner = *r;
    inner.locals = node->as.fold.second ? &b2 : &b1;
    iteration made = {.present = present, .item = item};
    bool condition = node->op <= LG_FOLD_FILTER;
    if (!node->as.fold.filter) {
        made.v = translate_node(&inner, node->as.fold.step);
        classify(p, &made, condition);
        return made;
    }
    iteration test = {.v = translate_node(&inner, node->as.fold.filter)};
    classify(p, &test, true);
    made.v = translate_node(&inner, node->as.fold.step);
    classify(p, &made, condition);
    term bad = term_or(p->t, test.failed, test.missing);
    made.failed = term_or(p->t, test.failed, term_and(p->t, test.yes, made.failed));
    made.missing = term_or(p->t, test.missing, term_and(p->t, test.yes, made.missing));
    made.lacking = term_or(p->t, test.lacking, term_and(p->t, test.yes, made.lacking));
    made.present = term_and(p->t, present, term_or(p->t, test.yes, bad));
    return made;
}

// --- Rounds at a position -----------------------------------------------------------------------

static val as_int(problem *p, term t)
{
    return value_scalar(p, ALT_INT, t);
}

static term unknown_index(problem *p)
{
    term index = unknown_term(p, SORT_INT, LG_STR("index"));
    p->abstracted = "an index into lists put together, or made of a map";
    note_definition(p,
                    (definition){.kind = DEFINED_UNKNOWN, .constant = index, .why = p->abstracted});
    return index;
}

// A macro and what it was called with, kept for when a position is looked at.
typedef struct closure {
    translation r;
    const lg_cel_node *node;
    const elements *of;
    bool of_map;
    uint32_t id;
} closure;

// The iteration for the element at this position.
static iteration iteration_at(const closure *c, term at)
{
    problem *p = c->r.p;
    bool two = c->node->as.fold.second != NULL;
    term present = c->of->present(p, c->of, at);
    val item = c->of_map && !two ? value_scalar(p, ALT_TEXT, at) : c->of->value(p, c->of, at);
    val first = c->of_map ? value_scalar(p, ALT_TEXT, at) : item;
    if (two && !c->of_map) {
        first = as_int(p, c->of->gaps ? unknown_term(p, SORT_INT, LG_STR("index")) : at);
    }
    return iterate(&c->r, c->node, present, first, item, thunk_of(p, c->of_map ? first : item));
}

// The elements of a list that a macro makes are looked at long after translate_node() has returned.
static closure *closure_of(const translation *r, const lg_cel_node *node, const elements *of,
                           bool of_map)
{
    problem *p = r->p;
    closure *c = LG_NEW(p->arena, closure);
    if (!c) {
        return NULL;
    }
    *c = (closure){*r, node, of, of_map, ++p->next_id};
    const binding **end = &c->r.locals;
    for (const binding *b = r->locals; b; b = b->outer) { // those of the caller do not last
        binding *copy = LG_NEW(p->arena, binding);
        if (!copy) {
            return NULL;
        }
        *copy = *b;
        *end = copy;
        end = &copy->outer;
    }
    return c;
}

// Each position is looked at once.
static const iteration *memo_iteration(problem *p, const closure *c, term at)
{
    void **place = memo_place(p, problem_name(p, "iteration %u %u", c->id, term_id(p->t, at)));
    if (place && *place) {
        return *place;
    }
    iteration *made = LG_NEW(p->arena, iteration);
    if (!made) {
        return NULL;
    }
    *made = iteration_at(c, at);
    place = memo_place(p, problem_name(p, "iteration %u %u", c->id, term_id(p->t, at)));
    if (place) {
        *place = made;
    }
    return made;
}

static term lost(problem *p)
{
    p->bounded = true;
    return term_bool(p->t, false);
}

static term filtered_present(problem *p, const elements *e, term at)
{
    const closure *c = e->how;
    const iteration *made = memo_iteration(p, c, at);
    return made ? term_and(p->t, c->of->present(p, c->of, at), made->yes) : lost(p);
}

static val filtered_value(problem *p, const elements *e, term at)
{
    const closure *c = e->how;
    return c->of_map ? value_scalar(p, ALT_TEXT, at) : c->of->value(p, c->of, at);
}

static term mapped_present(problem *p, const elements *e, term at)
{
    const closure *c = e->how;
    const iteration *made = c->node->as.fold.filter ? memo_iteration(p, c, at) : NULL;
    return made ? made->present : c->of->present(p, c->of, at);
}

static val mapped_value(problem *p, const elements *e, term at)
{
    const iteration *made = memo_iteration(p, e->how, at);
    return made ? made->v : value_lost(p);
}

// What an iteration of a macro comes to at a position of `of`: its elements are bound to the names of
// `node`. A list of the elements that the condition keeps, or of what the step makes of each.
static const elements *elements_filtered(const translation *r, const lg_cel_node *node,
                                         const elements *of, bool of_map)
{
    elements e = {.present = filtered_present, .value = filtered_value, .gaps = true};
    e.how = closure_of(r, node, of, of_map);
    return e.how ? elements_new(r->p, e) : NULL;
}

static const elements *elements_mapped(const translation *r, const lg_cel_node *node,
                                       const elements *of, bool of_map)
{
    elements e = {.present = mapped_present, .value = mapped_value};
    e.gaps = of->gaps || node->as.fold.filter || of_map;
    e.how = closure_of(r, node, of, of_map);
    return e.how ? elements_new(r->p, e) : NULL;
}

// The iteration for every element of a summary.
static void add_quantified_iteration(const translation *r, const lg_cel_node *node,
                                     const summary *of, bool of_map, iterations *all)
{
    closure c = {*r, node, of->all, of_map, 0};
    all->summary = of;
    all->variable = variable_open(r->p);
    all->items[all->count] = iteration_at(&c, all->variable);
    variable_close(r->p);
}

// The iteration of the generic element. While it lasts, that one is no longer any element of the summary.
static iteration generic_iteration(const translation *r, const lg_cel_node *node,
                                   const summary *more, val first, val second, thunk *item)
{
    LG_DEBUG_ASSERT(r->p->bound_count < LG_COUNT(r->p->bound));
    problem *p = r->p;
    p->bound[p->bound_count++] = more->base ? more->base : more;
    iteration made = iterate(r, node, more->present, first, second, item);
    p->bound_count--;
    return made;
}

// The summary as a fold may look at it: if it stands inside of one over the same, then by another
// generic element.
static const summary *to_look_at(problem *p, const summary *more, const dict *map, iterations *all)
{
    // Where no more names can be bound, every summary counts as bound, and so does each other one.
    bool full = p->bound_count == LG_COUNT(p->bound);
    while (more && summary_is_bound(p, more)) {
        more = full ? NULL : summary_other(p, more, map);
        all->clash = more == NULL;
    }
    return more;
}

// --- Rounds over lists and maps -----------------------------------------------------------------

// One iteration for each explicit element, and one more (items[count]) for all that are summarised: for the
// generic one, or with `forall` for a variable.
static iterations over_list(const translation *r, const lg_cel_node *node, const seq *list)
{
    problem *p = r->p;
    iterations all = {.items = LG_NEW_ARRAY(p->arena, iteration, list->count + 1)};
    bool two = node->as.fold.second != NULL;
    bool behind = list->summary && list->summary->all && list->count > 0;
    term at = behind ? list->summary->count : term_int(p->t, 0);
    bool prefix = list->prefix && !behind;
    if (!all.items) {
        return all;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const element *e = &list->items[i];
        val index = as_int(p, (list->shuffled || list->unordered) && two ? unknown_index(p)
                              : prefix                                   ? term_int(p->t, i)
                                                                         : at);
        at = prefix || !two ? at : term_count(p->t, at, e->present);
        if (!term_is_false(p->t, e->present)) {
            val item = *thunk_value(p, e->value);
            all.items[all.count++] =
                iterate(r, node, e->present, two ? index : item, item, e->value);
        }
    }
    if (list->summary && list->summary->all) {
        add_quantified_iteration(r, node, list->summary, false, &all);
        return all;
    }
    const summary *more = to_look_at(p, list->summary, NULL, &all);
    if (more && more->generic) {
        term beyond = two ? term_fresh(p->t, SORT_INT, LG_STR("index")) : at;
        if (two && !list->unordered) {
            note_definition(
                p, (definition){.kind = DEFINED_INDEX, .constant = beyond, .summary = more});
        }
        val index = as_int(p, beyond);
        val item = *thunk_value(p, more->generic);
        all.summary = more;
        all.items[all.count] =
            generic_iteration(r, node, more, two ? index : item, item, more->generic);
    }
    return all;
}

// The summary without what entries hide.
static term visible_present(problem *p, const elements *e, term at)
{
    return summary_shows(p, e->how, at);
}

static val visible_value(problem *p, const elements *e, term at)
{
    const dict *map = e->how;
    return map->summary->all->value(p, map->summary->all, at);
}

static const summary *visible_summary(problem *p, const dict *map)
{
    LG_DEBUG_ASSERT(map->summary && map->summary->all);
    if (map->count == 0) {
        return map->summary;
    }
    elements e = {.present = visible_present, .value = visible_value, .gaps = true, .how = map};
    term size = map_size(p, map);
    for (uint32_t i = 0; i < map->count; i++) {
        term one = term_ite(p->t, entry_shows(p, map, i), term_int(p->t, 1), term_int(p->t, 0));
        size = term_arith_of(p->t, ARITH_SUB, size, one);
    }
    return summary_of(p, size, elements_new(p, e));
}

static iterations over_map(const translation *r, const lg_cel_node *node, const dict *map)
{
    problem *p = r->p;
    iterations all = {.items = LG_NEW_ARRAY(p->arena, iteration, map->count + 1)};
    bool two = node->as.fold.second != NULL;
    if (!all.items) {
        return all;
    }
    for (uint32_t i = 0; i < map->count; i++) {
        const entry *e = &map->items[i];
        if (!term_is_false(p->t, e->present)) {
            val key = value_scalar(p, ALT_TEXT, e->key);
            val item = two ? *thunk_value(p, e->value) : key;
            term present = p->forall ? entry_shows(p, map, i) : e->present;
            all.items[all.count++] = iterate(r, node, present, key, item, thunk_of(p, key));
        }
    }
    if (map->summary && map->summary->all) {
        const summary *visible = visible_summary(p, map);
        if (visible) {
            add_quantified_iteration(r, node, visible, true, &all);
        }
        return all;
    }
    const summary *more = to_look_at(p, map->summary, map, &all);
    if (more && more->generic) {
        val key = value_scalar(p, ALT_TEXT, more->key);
        val item = two ? *thunk_value(p, more->generic) : key;
        all.summary = more;
        all.items[all.count] = generic_iteration(r, node, more, key, item, thunk_of(p, key));
    }
    return all;
}

// --- What all iterations come to --------------------------------------------------------------------

typedef enum asked { ASKED_YES, ASKED_NO, ASKED_FAILED, ASKED_MISSING, ASKED_LACKING } asked;

static term answer_of(const iteration *one, asked what)
{
    return what == ASKED_YES       ? one->yes
           : what == ASKED_NO      ? one->no
           : what == ASKED_FAILED  ? one->failed
           : what == ASKED_MISSING ? one->missing
                                   : one->lacking;
}

// Whether in some iteration it is so, that of some element of the summary included.
static term some_iteration(problem *p, const iterations *all, asked what)
{
    LG_DEBUG_ASSERT(!all->variable || all->summary);
    terms *t = p->t;
    term some = term_bool(t, false);
    for (uint32_t i = 0; i < all->count; i++) {
        const iteration *one = &all->items[i];
        some = term_or(t, some, term_and(t, one->present, answer_of(one, what)));
    }
    if (all->summary) {
        const iteration *generic = &all->items[all->count];
        term said = term_and(t, generic->present, answer_of(generic, what));
        some = term_or(t, some,
                       all->variable ? term_exists(t, all->variable, said)
                                     : summary_exists(p, all->summary, said));
    }
    return some;
}

// Where nothing has decided, a failure of some iteration is the macro's; any other error goes first.
static val with_failures(problem *p, const iterations *all, term decided, val clean)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, decided, SORT_BOOL));
    terms *t = p->t;
    term open = term_not(t, decided);
    term failed = term_and(t, open, some_iteration(p, all, ASKED_FAILED));
    term missing =
        term_and(t, term_and(t, open, term_not(t, failed)), some_iteration(p, all, ASKED_MISSING));
    builder b = builder_of(p);
    builder_add(&b, failed, alt_of(p, ALT_ERROR, NULL));
    builder_add(&b, missing, alt_missing(p, some_iteration(p, all, ASKED_LACKING)));
    builder_add_value(&b, term_not(t, term_or(t, failed, missing)), clean);
    return builder_done(&b);
}

// `exists` is decided by one true, `all` by one false, as a chain of `||` or `&&` would be.
static val quantified(problem *p, const iterations *all, bool exists)
{
    term decided = some_iteration(p, all, exists ? ASKED_YES : ASKED_NO);
    val clean = value_bool(p, exists ? decided : term_not(p->t, decided));
    return with_failures(p, all, decided, clean);
}

// In how many iterations of the summary the condition holds: a function of the form of the condition, so
// that equal conditions on equal lists have equal counts.
static term count_iterations(problem *p, const iterations *all)
{
    terms *t = p->t;
    const iteration *generic = &all->items[all->count];
    term said = term_and(t, generic->present, generic->yes);
    term many = form_function(p, SORT_INT, "many", &said, 1, all->variable, NULL);
    problem_assert(p, term_le(t, term_int(t, 0), many));
    problem_assert(
        p, term_eq(t, term_lt(t, term_int(t, 0), many), term_exists(t, all->variable, said)));
    return many;
}

// Unlike `exists`, nothing decides early: every failure counts.
static val exactly_one(problem *p, const iterations *all)
{
    terms *t = p->t;
    term count = term_int(t, 0);
    for (uint32_t i = 0; i < all->count; i++) {
        count = term_count(t, count, term_and(t, all->items[i].present, all->items[i].yes));
    }
    const iteration *generic = &all->items[all->count];
    if (all->summary && all->variable) {
        count = term_arith_of(t, ARITH_ADD, count, count_iterations(p, all));
    } else if (all->summary) {
        count =
            term_arith_of(t, ARITH_ADD, count, summary_count_where(p, all->summary, generic->yes));
    }
    val clean = value_bool(p, term_eq(t, count, term_int(t, 1)));
    return with_failures(p, all, term_bool(t, false), clean);
}

// --- New lists ----------------------------------------------------------------------------------

// Filtered or mapped, it keeps its generic element and its base. The same filter of the same summary has
// the same number, so that what is asked of it has the same answer.
static const summary *derived_summary(problem *p, const iterations *all, term present,
                                      thunk *generic, term in_front)
{
    LG_DEBUG_ASSERT(all->summary && !all->variable);
    summary *r = LG_NEW(p->arena, summary);
    if (!r) {
        return NULL;
    }
    term kept = term_and(p->t, all->summary->present, present);
    void **place =
        memo_place(p, problem_name(p, "part %u %u", all->summary->id, term_id(p->t, kept)));
    uint32_t *id = place ? *place : NULL;
    if (!id) {
        id = LG_NEW(p->arena, uint32_t);
        if (!id) {
            return NULL;
        }
        *id = ++p->next_id;
        if (place) {
            *place = id;
        }
    }
    *r = (summary){.id = term_is_true(p->t, present) ? all->summary->id : *id,
                   .count = summary_count_where(p, all->summary, present),
                   .generic = generic,
                   .present = kept,
                   .lookups = all->summary->lookups, // of the same elements
                   .in_front = in_front,
                   .base = all->summary->base ? all->summary->base : all->summary};
    return r;
}

// The part of a new list or map that comes of the summary.
static const summary *new_summary(const translation *r, const lg_cel_node *node,
                                  const iterations *all, bool of_map)
{
    bool filter = node->op == LG_FOLD_FILTER;
    const elements *made = filter ? elements_filtered(r, node, all->summary->all, of_map)
                                  : elements_mapped(r, node, all->summary->all, of_map);
    bool as_many = !filter && !node->as.fold.filter;
    return made ? summary_of(r->p, as_many ? all->summary->count : NULL, made) : NULL;
}

// `from`: the list that was looked at, or NULL; `drops`: elements of it may be left out; `of_call`: what
// was looked at is the call's.
// A filtered list is no prefix any more, unless what was kept is decided: then positions are counted.
static val new_list(const translation *r, const lg_cel_node *node, const iterations *all,
                    const seq *from, bool drops, bool of_call)
{
    problem *p = r->p;
    bool filter = node->op == LG_FOLD_FILTER;
    seq *list = LG_NEW(p->arena, seq);
    element *items = LG_NEW_ARRAY(p->arena, element, all->count + 1);
    if (!list || !items) {
        return value_lost(p);
    }
    uint32_t count = 0;
    bool prefix = !from || from->prefix;
    bool unordered = from ? from->unordered : all->summary || all->count > 1;
    for (uint32_t i = 0; i < all->count; i++) {
        const iteration *one = &all->items[i];
        element *item = &items[count];
        item->present = filter ? term_and(p->t, one->present, one->yes) : one->present;
        item->value = filter ? one->item : thunk_of(p, one->v);
        bool unchanged = from && (!drops || (filter && term_is_true(p->t, one->yes)));
        bool known = term_is_true(p->t, item->present) || term_is_false(p->t, item->present);
        prefix = prefix && (unchanged || known);
        count += !term_is_false(p->t, item->present);
    }
    *list =
        (seq){.items = items, .count = count, .prefix = prefix, .shuffled = from && from->shuffled};
    list->unordered = unordered;
    list->computed = !from || !filter || from->computed;
    list->of_call = of_call;
    if (all->summary && all->variable) {
        list->summary = new_summary(r, node, all, from == NULL);
        list->prefix = all->count == 0;
        return list->summary ? value_list(p, list) : value_lost(p);
    }
    if (all->summary) {
        const iteration *generic = &all->items[all->count];
        term present = filter ? generic->yes : generic->present;
        thunk *value = filter ? generic->item : thunk_of(p, generic->v);
        term in_front = term_int(p->t, 0);
        for (uint32_t i = 0; i < count; i++) {
            in_front = term_count(p->t, in_front, items[i].present);
        }
        list->summary = derived_summary(p, all, present, value, in_front);
    }
    return value_list(p, list);
}

// --- New maps -----------------------------------------------------------------------------------

// transformMap: the keys stay, the values are those of the iterations.
static val new_map(const translation *by, const lg_cel_node *node, const iterations *all,
                   const dict *from)
{
    problem *p = by->p;
    dict *map = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, all->count + 1);
    uint32_t next = 0;
    if (!map || !items) {
        return value_lost(p);
    }
    for (uint32_t i = 0; i < from->count && next < all->count; i++) {
        if (term_is_false(p->t, from->items[i].present)) {
            continue;
        }
        const iteration *one = &all->items[next];
        items[next++] =
            (entry){one->present, from->items[i].key, from->items[i].family, thunk_of(p, one->v)};
    }
    *map = (dict){.items = items, .count = next, .computed = true, .of_call = from->of_call};
    if (all->summary && all->variable) {
        map->summary = new_summary(by, node, all, true);
        return map->summary ? value_map(p, map) : value_lost(p);
    }
    if (all->summary) {
        const iteration *generic = &all->items[all->count];
        summary *r = LG_NEW(p->arena, summary);
        const summary *part =
            derived_summary(p, all, generic->present, thunk_of(p, generic->v), NULL);
        if (!r || !part) {
            return value_lost(p);
        }
        *r = *part;
        r->key = all->summary->key;
        map->summary = r;
    }
    return value_map(p, map);
}

// --- One range ----------------------------------------------------------------------------------

static val fold_alt(const translation *r, const lg_cel_node *node, const alt *range)
{
    problem *p = r->p;
    bool test = node->op == LG_FOLD_ALL || node->op == LG_FOLD_EXISTS || node->op == LG_FOLD_ONE;
    alt_kind kind = test ? ALT_BOOL : ALT_ANY;
    if (range->kind == ALT_ANY) {
        return unknown_value(p, LG_STR(""), kind, "macros over values of any type");
    }
    if (range->kind != ALT_LIST && range->kind != ALT_MAP) {
        return range->kind == ALT_MISSING ? value_missing(p, range->t) : value_error(p);
    }
    bool list = range->kind == ALT_LIST;
    if (node->op == LG_FOLD_MAP_ENTRIES || (node->op == LG_FOLD_MAP_VALUES && list)) {
        return unknown_value(p, LG_STR(""), ALT_ANY, "maps that are built entry by entry");
    }
    iterations all = list ? over_list(r, node, range->list) : over_map(r, node, range->map);
    if (!all.items) {
        return value_lost(p);
    }
    if (all.clash) {
        return unknown_value(p, LG_STR(""), kind,
                             "a list that is looked at for each of its own elements");
    }
    bool drops = node->op == LG_FOLD_FILTER || node->as.fold.filter;
    switch ((lg_cel_fold_kind)node->op) {
    case LG_FOLD_ALL:
    case LG_FOLD_EXISTS:
        return quantified(p, &all, node->op == LG_FOLD_EXISTS);
    case LG_FOLD_ONE:
        return exactly_one(p, &all);
    case LG_FOLD_FILTER:
    case LG_FOLD_MAP:
        return with_failures(p, &all, term_bool(p->t, false),
                             new_list(r, node, &all, list ? range->list : NULL, drops,
                                      list ? range->list->of_call : range->map->of_call));
    case LG_FOLD_MAP_VALUES:
        return with_failures(p, &all, term_bool(p->t, false), new_map(r, node, &all, range->map));
    case LG_FOLD_MAP_ENTRIES:
        break;
    }
    return value_error(p);
}

val translate_fold(const translation *r, const lg_cel_node *node)
{
    val range = translate_node(r, node->as.fold.range);
    builder b = builder_of(r->p);
    for (uint32_t i = 0; i < range.count; i++) {
        builder_add_value(&b, range.alts[i].guard, fold_alt(r, node, &range.alts[i]));
    }
    return builder_done(&b);
}
