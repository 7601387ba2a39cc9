// fold.c: all, exists, exists_one, filter, map: once for each explicit element, once for the
// generic one of a rest.
#include "symbolic/forall.h"

static alt alt_of(prover *p, alt_kind kind, term t)
{
    return (alt){.kind = kind, .guard = term_bool(p->t, true), .t = t};
}

// What one round came to.
typedef struct round {
    term here;    // whether there is such a round
    term yes, no; // of conditions
    term failed, missing;
    term lacking; // missing, and it is the call that lacks it
    val v;
    slot *item;
} round;

typedef struct rounds {
    round *items;
    uint32_t count;
    const rest *rest; // then the last round is that of the generic element
    bool clash;       // which a name stands for already: nothing is known of the others
    term variable;    // with `forall`: where that one is
} rounds;

static void classify(prover *p, round *made, bool condition)
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

// One round with the names bound. `map(x, condition, step)` has its condition in `here`; what the
// condition fails with counts as the round's.
static round one_round(const reading *r, const lg_cel_node *node, term here, val first, val second,
                       slot *item)
{
    prover *p = r->p;
    bound b1 = {.local = node->as.fold.first, .v = first, .outer = r->locals};
    bound b2 = {.local = node->as.fold.second, .v = second, .outer = &b1};
    reading inner = *r;
    inner.locals = node->as.fold.second ? &b2 : &b1;
    round made = {.here = here, .item = item};
    bool condition = node->op <= LG_FOLD_FILTER;
    if (!node->as.fold.filter) {
        made.v = read_node(&inner, node->as.fold.step);
        classify(p, &made, condition);
        return made;
    }
    round test = {.v = read_node(&inner, node->as.fold.filter)};
    classify(p, &test, true);
    made.v = read_node(&inner, node->as.fold.step);
    classify(p, &made, condition);
    term bad = term_or(p->t, test.failed, test.missing);
    made.failed = term_or(p->t, test.failed, term_and(p->t, test.yes, made.failed));
    made.missing = term_or(p->t, test.missing, term_and(p->t, test.yes, made.missing));
    made.lacking = term_or(p->t, test.lacking, term_and(p->t, test.yes, made.lacking));
    made.here = term_and(p->t, here, term_or(p->t, test.yes, bad));
    return made;
}

// --- Rounds at a position -----------------------------------------------------------------------

static val as_int(prover *p, term t)
{
    return value_scalar(p, ALT_INT, t);
}

static term unknown_index(prover *p)
{
    term index = unknown_term(p, SORT_INT, LG_STR("index"));
    p->abstracted = "an index into lists put together, or made of a map";
    hang(p, (hung){.kind = HUNG_UNKNOWN, .constant = index, .why = p->abstracted});
    return index;
}

// A macro and what it was called with, kept for when a position is looked at.
typedef struct closure {
    reading r;
    const lg_cel_node *node;
    const elements *of;
    bool of_map;
    uint32_t id;
} closure;

// The round for the element at this position.
static round round_at(const closure *c, term at)
{
    prover *p = c->r.p;
    bool two = c->node->as.fold.second != NULL;
    term here = c->of->here(p, c->of, at);
    val item = c->of_map && !two ? value_scalar(p, ALT_TEXT, at) : c->of->value(p, c->of, at);
    val first = c->of_map ? value_scalar(p, ALT_TEXT, at) : item;
    if (two && !c->of_map) {
        first = as_int(p, c->of->gaps ? unknown_term(p, SORT_INT, LG_STR("index")) : at);
    }
    return one_round(&c->r, c->node, here, first, item, slot_of(p, c->of_map ? first : item));
}

static closure *closure_of(const reading *r, const lg_cel_node *node, const elements *of,
                           bool of_map)
{
    prover *p = r->p;
    closure *c = LG_NEW(p->arena, closure);
    if (!c) {
        return NULL;
    }
    *c = (closure){*r, node, of, of_map, ++p->next_id};
    const bound **end = &c->r.locals;
    for (const bound *b = r->locals; b; b = b->outer) { // those of the caller do not last
        bound *copy = LG_NEW(p->arena, bound);
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
static const round *kept_round(prover *p, const closure *c, term at)
{
    void **place = known_place(p, prover_name(p, "round %u %u", c->id, term_id(p->t, at)));
    if (place && *place) {
        return *place;
    }
    round *made = LG_NEW(p->arena, round);
    if (!made) {
        return NULL;
    }
    *made = round_at(c, at);
    place = known_place(p, prover_name(p, "round %u %u", c->id, term_id(p->t, at)));
    if (place) {
        *place = made;
    }
    return made;
}

static term lost(prover *p)
{
    p->bounded = true;
    return term_bool(p->t, false);
}

static term filtered_here(prover *p, const elements *e, term at)
{
    const closure *c = e->how;
    const round *made = kept_round(p, c, at);
    return made ? term_and(p->t, c->of->here(p, c->of, at), made->yes) : lost(p);
}

static val filtered_value(prover *p, const elements *e, term at)
{
    const closure *c = e->how;
    return c->of_map ? value_scalar(p, ALT_TEXT, at) : c->of->value(p, c->of, at);
}

static term mapped_here(prover *p, const elements *e, term at)
{
    const closure *c = e->how;
    const round *made = c->node->as.fold.filter ? kept_round(p, c, at) : NULL;
    return made ? made->here : c->of->here(p, c->of, at);
}

static val mapped_value(prover *p, const elements *e, term at)
{
    const round *made = kept_round(p, e->how, at);
    return made ? made->v : value_lost(p);
}

const elements *elements_filtered(const reading *r, const lg_cel_node *node, const elements *of,
                                  bool of_map)
{
    elements e = {.here = filtered_here, .value = filtered_value, .gaps = true};
    e.how = closure_of(r, node, of, of_map);
    return e.how ? elements_new(r->p, e) : NULL;
}

const elements *elements_mapped(const reading *r, const lg_cel_node *node, const elements *of,
                                bool of_map)
{
    elements e = {.here = mapped_here, .value = mapped_value};
    e.gaps = of->gaps || node->as.fold.filter || of_map;
    e.how = closure_of(r, node, of, of_map);
    return e.how ? elements_new(r->p, e) : NULL;
}

// The round for every element of a rest.
static void add_variable_round(const reading *r, const lg_cel_node *node, const rest *of,
                               bool of_map, rounds *all)
{
    closure c = {*r, node, of->all, of_map, 0};
    all->rest = of;
    all->variable = variable_open(r->p);
    all->items[all->count] = round_at(&c, all->variable);
    variable_close(r->p);
}

// The round of the generic element. While it lasts, that one is no longer any element of the rest.
static round generic_round(const reading *r, const lg_cel_node *node, const rest *more, val first,
                           val second, slot *item)
{
    prover *p = r->p;
    p->bound[p->bound_count++] = more->base ? more->base : more;
    round made = one_round(r, node, more->here, first, second, item);
    p->bound_count--;
    return made;
}

// The rest as a fold may look at it: if it stands inside of one over the same, then by another
// generic element.
static const rest *to_look_at(prover *p, const rest *more, const dict *map, rounds *all)
{
    while (more && rest_is_bound(p, more)) {
        more = rest_twin(p, more, map);
        all->clash = more == NULL;
    }
    return more;
}

// --- Rounds over lists and maps -----------------------------------------------------------------

static rounds over_list(const reading *r, const lg_cel_node *node, const seq *list)
{
    prover *p = r->p;
    rounds all = {.items = LG_NEW_ARRAY(p->arena, round, list->count + 1)};
    bool two = node->as.fold.second != NULL;
    bool behind = list->rest && list->rest->all && list->count > 0;
    term at = behind ? list->rest->count : term_int(p->t, 0);
    bool prefix = list->prefix && !behind;
    if (!all.items) {
        return all;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const element *e = &list->items[i];
        val index = as_int(p, (list->shuffled || list->unordered) && two ? unknown_index(p)
                              : prefix                                   ? term_int(p->t, i)
                                                                         : at);
        at = prefix || !two ? at : term_count(p->t, at, e->here);
        if (!term_is_false(p->t, e->here)) {
            val item = *slot_value(p, e->value);
            all.items[all.count++] =
                one_round(r, node, e->here, two ? index : item, item, e->value);
        }
    }
    if (list->rest && list->rest->all) {
        add_variable_round(r, node, list->rest, false, &all);
        return all;
    }
    const rest *more = to_look_at(p, list->rest, NULL, &all);
    if (more && more->generic) {
        term beyond = two ? term_fresh(p->t, SORT_INT, LG_STR("index")) : at;
        if (two && !list->unordered) {
            hang(p, (hung){.kind = HUNG_INDEX, .constant = beyond, .rest = more});
        }
        val index = as_int(p, beyond);
        val item = *slot_value(p, more->generic);
        all.rest = more;
        all.items[all.count] =
            generic_round(r, node, more, two ? index : item, item, more->generic);
    }
    return all;
}

// The rest without what entries hide.
static term visible_here(prover *p, const elements *e, term at)
{
    return rest_counts(p, e->how, at);
}

static val visible_value(prover *p, const elements *e, term at)
{
    const dict *map = e->how;
    return map->rest->all->value(p, map->rest->all, at);
}

static const rest *visible_rest(prover *p, const dict *map)
{
    if (map->count == 0) {
        return map->rest;
    }
    elements e = {.here = visible_here, .value = visible_value, .gaps = true, .how = map};
    term size = map_size(p, map);
    for (uint32_t i = 0; i < map->count; i++) {
        term one = term_ite(p->t, entry_counts(p, map, i), term_int(p->t, 1), term_int(p->t, 0));
        size = term_arith_of(p->t, ARITH_SUB, size, one);
    }
    return rest_of(p, size, elements_new(p, e));
}

static rounds over_map(const reading *r, const lg_cel_node *node, const dict *map)
{
    prover *p = r->p;
    rounds all = {.items = LG_NEW_ARRAY(p->arena, round, map->count + 1)};
    bool two = node->as.fold.second != NULL;
    if (!all.items) {
        return all;
    }
    for (uint32_t i = 0; i < map->count; i++) {
        const entry *e = &map->items[i];
        if (!term_is_false(p->t, e->here)) {
            val key = value_scalar(p, ALT_TEXT, e->key);
            val item = two ? *slot_value(p, e->value) : key;
            term here = p->forall ? entry_counts(p, map, i) : e->here;
            all.items[all.count++] = one_round(r, node, here, key, item, slot_of(p, key));
        }
    }
    if (map->rest && map->rest->all) {
        const rest *visible = visible_rest(p, map);
        if (visible) {
            add_variable_round(r, node, visible, true, &all);
        }
        return all;
    }
    const rest *more = to_look_at(p, map->rest, map, &all);
    if (more && more->generic) {
        val key = value_scalar(p, ALT_TEXT, more->key);
        val item = two ? *slot_value(p, more->generic) : key;
        all.rest = more;
        all.items[all.count] = generic_round(r, node, more, key, item, slot_of(p, key));
    }
    return all;
}

// --- What all rounds come to --------------------------------------------------------------------

typedef enum asked { ASKED_YES, ASKED_NO, ASKED_FAILED, ASKED_MISSING, ASKED_LACKING } asked;

static term answer_of(const round *one, asked what)
{
    return what == ASKED_YES       ? one->yes
           : what == ASKED_NO      ? one->no
           : what == ASKED_FAILED  ? one->failed
           : what == ASKED_MISSING ? one->missing
                                   : one->lacking;
}

// Whether in some round it is so, that of some element of the rest included.
static term some_round(prover *p, const rounds *all, asked what)
{
    terms *t = p->t;
    term some = term_bool(t, false);
    for (uint32_t i = 0; i < all->count; i++) {
        const round *one = &all->items[i];
        some = term_or(t, some, term_and(t, one->here, answer_of(one, what)));
    }
    if (all->rest) {
        const round *generic = &all->items[all->count];
        term said = term_and(t, generic->here, answer_of(generic, what));
        some = term_or(t, some,
                       all->variable ? term_exists(t, all->variable, said)
                                     : rest_some(p, all->rest, said));
    }
    return some;
}

static val with_failures(prover *p, const rounds *all, term decided, val clean)
{
    terms *t = p->t;
    term open = term_not(t, decided);
    term failed = term_and(t, open, some_round(p, all, ASKED_FAILED));
    term missing =
        term_and(t, term_and(t, open, term_not(t, failed)), some_round(p, all, ASKED_MISSING));
    builder b = builder_of(p);
    builder_add(&b, failed, alt_of(p, ALT_ERROR, NULL));
    builder_add(&b, missing, alt_missing(p, some_round(p, all, ASKED_LACKING)));
    builder_add_value(&b, term_not(t, term_or(t, failed, missing)), clean);
    return builder_done(&b);
}

static val quantified(prover *p, const rounds *all, bool exists)
{
    term decided = some_round(p, all, exists ? ASKED_YES : ASKED_NO);
    val clean = value_bool(p, exists ? decided : term_not(p->t, decided));
    return with_failures(p, all, decided, clean);
}

// In how many rounds of the rest the condition holds.
static term many_rounds(prover *p, const rounds *all)
{
    terms *t = p->t;
    const round *generic = &all->items[all->count];
    term said = term_and(t, generic->here, generic->yes);
    term many = form_function(p, SORT_INT, "many", &said, 1, all->variable, NULL);
    prover_assert(p, term_le(t, term_int(t, 0), many));
    prover_assert(
        p, term_eq(t, term_lt(t, term_int(t, 0), many), term_exists(t, all->variable, said)));
    return many;
}

static val exactly_one(prover *p, const rounds *all)
{
    terms *t = p->t;
    term count = term_int(t, 0);
    for (uint32_t i = 0; i < all->count; i++) {
        count = term_count(t, count, term_and(t, all->items[i].here, all->items[i].yes));
    }
    const round *generic = &all->items[all->count];
    if (all->rest && all->variable) {
        count = term_arith_of(t, ARITH_ADD, count, many_rounds(p, all));
    } else if (all->rest) {
        count = term_arith_of(t, ARITH_ADD, count, rest_many(p, all->rest, generic->yes));
    }
    val clean = value_bool(p, term_eq(t, count, term_int(t, 1)));
    return with_failures(p, all, term_bool(t, false), clean);
}

// --- New lists ----------------------------------------------------------------------------------

static const rest *derived_rest(prover *p, const rounds *all, term here, slot *generic,
                                term in_front)
{
    rest *r = LG_NEW(p->arena, rest);
    if (!r) {
        return NULL;
    }
    term kept = term_and(p->t, all->rest->here, here);
    void **place = known_place(p, prover_name(p, "part %u %u", all->rest->id, term_id(p->t, kept)));
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
    *r = (rest){.id = term_is_true(p->t, here) ? all->rest->id : *id,
                .count = rest_many(p, all->rest, here),
                .generic = generic,
                .here = kept,
                .lookups = all->rest->lookups, // of the same elements
                .in_front = in_front,
                .base = all->rest->base ? all->rest->base : all->rest};
    return r;
}

// The part of a new list or map that comes of the rest.
static const rest *new_rest(const reading *r, const lg_cel_node *node, const rounds *all,
                            bool of_map)
{
    bool filter = node->op == LG_FOLD_FILTER;
    const elements *made = filter ? elements_filtered(r, node, all->rest->all, of_map)
                                  : elements_mapped(r, node, all->rest->all, of_map);
    bool as_many = !filter && !node->as.fold.filter;
    return made ? rest_of(r->p, as_many ? all->rest->count : NULL, made) : NULL;
}

// `from`: the list that was looked at, or NULL; `drops`: elements of it may be left out; `of_call`: what
// was looked at is the call's.
static val new_list(const reading *r, const lg_cel_node *node, const rounds *all, const seq *from,
                    bool drops, bool of_call)
{
    prover *p = r->p;
    bool filter = node->op == LG_FOLD_FILTER;
    seq *list = LG_NEW(p->arena, seq);
    element *items = LG_NEW_ARRAY(p->arena, element, all->count + 1);
    if (!list || !items) {
        return value_lost(p);
    }
    uint32_t count = 0;
    bool prefix = !from || from->prefix;
    bool unordered = from ? from->unordered : all->rest || all->count > 1;
    for (uint32_t i = 0; i < all->count; i++) {
        const round *one = &all->items[i];
        element *item = &items[count];
        item->here = filter ? term_and(p->t, one->here, one->yes) : one->here;
        item->value = filter ? one->item : slot_of(p, one->v);
        bool unchanged = from && (!drops || (filter && term_is_true(p->t, one->yes)));
        bool known = term_is_true(p->t, item->here) || term_is_false(p->t, item->here);
        prefix = prefix && (unchanged || known);
        count += !term_is_false(p->t, item->here);
    }
    *list =
        (seq){.items = items, .count = count, .prefix = prefix, .shuffled = from && from->shuffled};
    list->unordered = unordered;
    list->made = !from || !filter || from->made;
    list->of_call = of_call;
    if (all->rest && all->variable) {
        list->rest = new_rest(r, node, all, from == NULL);
        list->prefix = all->count == 0;
        return list->rest ? value_list(p, list) : value_lost(p);
    }
    if (all->rest) {
        const round *generic = &all->items[all->count];
        term here = filter ? generic->yes : generic->here;
        slot *value = filter ? generic->item : slot_of(p, generic->v);
        term in_front = term_int(p->t, 0);
        for (uint32_t i = 0; i < count; i++) {
            in_front = term_count(p->t, in_front, items[i].here);
        }
        list->rest = derived_rest(p, all, here, value, in_front);
    }
    return value_list(p, list);
}

// --- New maps -----------------------------------------------------------------------------------

// transformMap: the keys stay, the values are those of the rounds.
static val new_map(const reading *by, const lg_cel_node *node, const rounds *all, const dict *from)
{
    prover *p = by->p;
    dict *map = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, all->count + 1);
    uint32_t next = 0;
    if (!map || !items) {
        return value_lost(p);
    }
    for (uint32_t i = 0; i < from->count && next < all->count; i++) {
        if (term_is_false(p->t, from->items[i].here)) {
            continue;
        }
        const round *one = &all->items[next];
        items[next++] =
            (entry){one->here, from->items[i].key, from->items[i].family, slot_of(p, one->v)};
    }
    *map = (dict){.items = items, .count = next, .made = true, .of_call = from->of_call};
    if (all->rest && all->variable) {
        map->rest = new_rest(by, node, all, true);
        return map->rest ? value_map(p, map) : value_lost(p);
    }
    if (all->rest) {
        const round *generic = &all->items[all->count];
        rest *r = LG_NEW(p->arena, rest);
        const rest *part = derived_rest(p, all, generic->here, slot_of(p, generic->v), NULL);
        if (!r || !part) {
            return value_lost(p);
        }
        *r = *part;
        r->key = all->rest->key;
        map->rest = r;
    }
    return value_map(p, map);
}

// --- One range ----------------------------------------------------------------------------------

static val fold_alt(const reading *r, const lg_cel_node *node, const alt *range)
{
    prover *p = r->p;
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
    rounds all = list ? over_list(r, node, range->list) : over_map(r, node, range->map);
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

val read_fold(const reading *r, const lg_cel_node *node)
{
    val range = read_node(r, node->as.fold.range);
    builder b = builder_of(r->p);
    for (uint32_t i = 0; i < range.count; i++) {
        builder_add_value(&b, range.alts[i].guard, fold_alt(r, node, &range.alts[i]));
    }
    return builder_done(&b);
}
