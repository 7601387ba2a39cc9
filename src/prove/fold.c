// fold.c: all, exists, exists_one, filter, map: once for each explicit element, once for the
// generic one of a rest.
#include "prove/translate.h"

static alt alt_of(prover *p, alt_kind kind, term t)
{
    return (alt){.kind = kind, .guard = term_bool(p->t, true), .t = t};
}

// What one round came to.
typedef struct round {
    term here;    // whether there is such a round
    term yes, no; // of conditions
    term failed, missing;
    val v;
    slot *item;
} round;

typedef struct rounds {
    round *items;
    uint32_t count;
    const rest *rest; // then the last round is that of the generic element
    bool clash;       // which a name stands for already: nothing is known of the others
} rounds;

static void classify(prover *p, round *made, bool condition)
{
    terms *t = p->t;
    made->missing = value_is(p, made->v, ALT_MISSING);
    made->failed = value_is(p, made->v, ALT_ERROR);
    made->yes = condition ? value_holds(p, made->v, true) : NULL;
    made->no = condition ? value_holds(p, made->v, false) : NULL;
    for (uint32_t i = 0; condition && i < made->v.count; i++) {
        const alt *a = &made->v.alts[i];
        if (!alt_is_failure(a) && a->kind != ALT_BOOL) {
            made->failed = term_or(t, made->failed, a->guard);
        }
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
    made.here = term_and(p->t, here, term_or(p->t, test.yes, bad));
    return made;
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

static val as_int(prover *p, term t)
{
    return value_scalar(p, ALT_INT, t);
}

static term unknown_index(prover *p)
{
    term index = term_fresh(p->t, SORT_INT, LG_STR("index"));
    p->abstracted = "an index into lists put together";
    hang(p, (hung){.kind = HUNG_UNKNOWN, .constant = index, .why = p->abstracted});
    return index;
}

static rounds over_list(const reading *r, const lg_cel_node *node, const seq *list)
{
    prover *p = r->p;
    rounds all = {.items = LG_NEW_ARRAY(p->arena, round, list->count + 1)};
    bool two = node->as.fold.second != NULL;
    term at = term_int(p->t, 0);
    if (!all.items) {
        return all;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const element *e = &list->items[i];
        val index = as_int(p, list->shuffled && two ? unknown_index(p)
                              : list->prefix        ? term_int(p->t, i)
                                                    : at);
        at = list->prefix || !two ? at : term_count(p->t, at, e->here);
        if (!term_is_false(p->t, e->here)) {
            val item = *slot_value(p, e->value);
            all.items[all.count++] =
                one_round(r, node, e->here, two ? index : item, item, e->value);
        }
    }
    const rest *more = to_look_at(p, list->rest, NULL, &all);
    if (more && more->generic) {
        term beyond = two ? term_fresh(p->t, SORT_INT, LG_STR("index")) : at;
        if (two) {
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
            all.items[all.count++] = one_round(r, node, e->here, key, item, slot_of(p, key));
        }
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

typedef enum asked { ASKED_YES, ASKED_NO, ASKED_FAILED, ASKED_MISSING } asked;

static term answer_of(const round *one, asked what)
{
    return what == ASKED_YES      ? one->yes
           : what == ASKED_NO     ? one->no
           : what == ASKED_FAILED ? one->failed
                                  : one->missing;
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
        some = term_or(t, some, rest_some(p, all->rest, said));
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
    builder_add(&b, missing, alt_of(p, ALT_MISSING, NULL));
    builder_add_value(&b, term_not(t, term_or(t, failed, missing)), clean);
    return builder_done(&b);
}

static val quantified(prover *p, const rounds *all, bool exists)
{
    term decided = some_round(p, all, exists ? ASKED_YES : ASKED_NO);
    val clean = value_bool(p, exists ? decided : term_not(p->t, decided));
    return with_failures(p, all, decided, clean);
}

static val exactly_one(prover *p, const rounds *all)
{
    terms *t = p->t;
    term count = term_int(t, 0);
    for (uint32_t i = 0; i < all->count; i++) {
        count = term_count(t, count, term_and(t, all->items[i].here, all->items[i].yes));
    }
    if (all->rest) {
        count =
            term_arith_of(t, ARITH_ADD, count, rest_many(p, all->rest, all->items[all->count].yes));
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
                .lookups = LG_NEW(p->arena, uint32_t),
                .in_front = in_front,
                .base = all->rest->base ? all->rest->base : all->rest};
    return r;
}

// `from`: the list that was looked at, or NULL; `drops`: elements of it may be left out.
static val new_list(prover *p, const rounds *all, bool filter, const seq *from, bool drops)
{
    seq *list = LG_NEW(p->arena, seq);
    element *items = LG_NEW_ARRAY(p->arena, element, all->count + 1);
    if (!list || !items) {
        return value_error(p);
    }
    uint32_t count = 0;
    bool prefix = !from || from->prefix;
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
static val new_map(prover *p, const rounds *all, const dict *from)
{
    dict *map = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, all->count + 1);
    uint32_t next = 0;
    if (!map || !items) {
        return value_error(p);
    }
    for (uint32_t i = 0; i < from->count && next < all->count; i++) {
        if (term_is_false(p->t, from->items[i].here)) {
            continue;
        }
        const round *one = &all->items[next];
        items[next++] =
            (entry){one->here, from->items[i].key, from->items[i].family, slot_of(p, one->v)};
    }
    *map = (dict){.items = items, .count = next};
    if (all->rest) {
        const round *generic = &all->items[all->count];
        rest *r = LG_NEW(p->arena, rest);
        const rest *part = derived_rest(p, all, generic->here, slot_of(p, generic->v), NULL);
        if (!r || !part) {
            return value_error(p);
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
    if (range->kind != ALT_LIST && range->kind != ALT_MAP) {
        return alt_is_failure(range) && range->kind == ALT_MISSING ? value_missing(p)
                                                                   : value_error(p);
    }
    bool list = range->kind == ALT_LIST;
    if (node->op == LG_FOLD_MAP_ENTRIES || (node->op == LG_FOLD_MAP_VALUES && list)) {
        lg_str name = prover_name(p, "fold %p %p", (const void *)node,
                                  list ? (const void *)range->list : (const void *)range->map);
        return unknown_value(p, name, node->type, "maps that are built entry by entry");
    }
    rounds all = list ? over_list(r, node, range->list) : over_map(r, node, range->map);
    if (!all.items) {
        return value_error(p);
    }
    if (all.clash) {
        lg_str name = prover_name(p, "self %p %u", (const void *)node, p->next_id++);
        return unknown_value(p, name, node->type,
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
        return with_failures(
            p, &all, term_bool(p->t, false),
            new_list(p, &all, node->op == LG_FOLD_FILTER, list ? range->list : NULL, drops));
    case LG_FOLD_MAP_VALUES:
        return with_failures(p, &all, term_bool(p->t, false), new_map(p, &all, range->map));
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
