// places.c: ledgers and states of any size, and what a ledger shows of the state.
//
// The ledger is taken to be truthful: none of its records is stale. Where every read that stores at a
// place copies a record of the state there, the record of the ledger *is* that of the state, the
// same functions of the same keys. Any other place may hold whatever fits its type.
#include "cel/tree.h"
#include "symbolic/forall.h"
#include "symbolic/input_internal.h"

typedef struct level {
    problem *p;
    const lg_pack *pack;
    const lg_places *places;
    bool of_state;
    input *history;
} level;

// Where one looks: in the ledger, and at the same place of the state.
typedef struct location {
    input *in_ledger;
    input *in_state;
} location;

static lg_str label_of(problem *p, lg_str name)
{
    return lg_arena_printf(p->arena, ".%.*s", LG_FMT(name));
}

static input *state_root(problem *p)
{
    const input nowhere = {.path = 0};
    return input_child(p, &nowhere, LG_STR("state"), LG_STR("state"), NULL, NULL);
}

// One step down by name, in ledger and state alike.
static location named(const level *l, location from, lg_str name)
{
    problem *p = l->p;
    lg_str label = label_of(p, name);
    lg_str own = problem_name(p, "%.*s.%.*s", LG_FMT(from.in_ledger->name), LG_FMT(name));
    return (location){input_child(p, from.in_ledger, label, own, NULL, NULL),
                      input_child(p, from.in_state, label, own, NULL, NULL)};
}

// --- What reads copy ----------------------------------------------------------------------------

static const lg_place *state_place(const lg_pack *pack, lg_str text)
{
    for (size_t i = 0; i < pack->state.count; i++) {
        if (lg_str_eq(pack->state.items[i].text, text)) {
            return &pack->state.items[i];
        }
    }
    return NULL;
}

// Is a record at this place of the ledger always what the state has at the same place? It was when it was
// read; a proof assumes that no record is stale, so it still is.
static bool is_mirrored(const lg_pack *pack, const lg_place *place)
{
    size_t stores = 0;
    for (size_t i = 0; i < pack->tool_count; i++) {
        for (size_t k = 0; k < pack->tools[i].store_count; k++) {
            const lg_tool_store *store = &pack->tools[i].stores[k];
            if (store->to.place == place) {
                stores++;
                if (!store->mirrors) {
                    return false;
                }
            }
        }
    }
    return stores > 0 && state_place(pack, place->text) != NULL;
}

// The one tool that stores a record of `X.*` at a place for one record, `copied[args.KEY]`, or NULL.
static const lg_tool *copying_tool(const lg_pack *pack, const lg_place *place)
{
    const lg_tool *found = NULL;
    for (size_t i = 0; i < pack->tool_count; i++) {
        const lg_tool *tool = &pack->tools[i];
        for (size_t k = 0; k < tool->store_count; k++) {
            const lg_tool_store *store = &tool->stores[k];
            if (store->to.place != place) {
                continue;
            }
            bool whole = store->to.segment_count == place->segment_count;
            if ((found && found != tool) || store->each_count || store->when ||
                (whole && !store->copies) || (!whole && k == 0)) {
                return NULL;
            }
            found = tool;
        }
    }
    const lg_reach *from = found ? found->copied : NULL;
    bool of_argument = from && from->count == 2 && from->steps[0].key == LG_REACH_NAME &&
                       from->steps[1].key == LG_REACH_VALUE && !from->steps[1].value->of_state &&
                       from->steps[1].value->path.count == 1;
    return of_argument && place->segment_count == 1 ? found : NULL;
}

static bool is_argument(const lg_cel_program *program, lg_str name)
{
    const lg_cel_node *node = program ? lg_cel_program_tree(program) : NULL;
    return node && node->kind == LG_NODE_SELECT && lg_str_eq(node->as.select.name, name) &&
           node->as.select.operand->kind == LG_NODE_IDENT &&
           !node->as.select.operand->as.ident.local &&
           node->as.select.operand->as.ident.slot == LG_STORE_SLOT_ARGS;
}

// The record with the field that another store of the same read puts into it. It stands in front, where it
// hides the record's own field of that name (map_at()).
static val with_field(const level *l, val record, const lg_tool_store *store, lg_str key_name,
                      term key)
{
    LG_DEBUG_ASSERT(term_has_sort(l->p->t, key, SORT_TEXT));
    problem *p = l->p;
    const lg_target *to = &store->to;
    lg_str field = to->segments[1].name;
    builder b = builder_of(p);
    if (to->segment_count != 2 || field.len == 0) {
        return input_value(p, input_unknown(p, LG_STR("stored"), NULL, 4));
    }
    val stored = is_argument(store->value, key_name)
                     ? value_scalar(p, ALT_TEXT, key)
                     : input_value(p, input_unknown(p, field, NULL, 4));
    for (uint32_t i = 0; i < record.count; i++) {
        const alt *a = &record.alts[i];
        const dict *old = a->kind == ALT_MAP ? a->map : NULL;
        dict *made = LG_NEW(p->arena, dict);
        entry *items = LG_NEW_ARRAY(p->arena, entry, old ? old->count + 1 : 1);
        if (!old || !made || !items) {
            builder_add(&b, term_bool(p->t, true), *a);
            continue;
        }
        if (old->count) {
            lg_copy_bytes(items + 1, old->items, old->count * sizeof(*items));
        }
        items[0] = (entry){term_bool(p->t, true), term_text(p->t, field), 0, thunk_of(p, stored)};
        *made = (dict){.items = items, .count = old->count + 1, .summary = old->summary};
        builder_add_value(&b, a->guard, value_map(p, made));
    }
    return builder_done(&b);
}

// The record that `tool` has read last, of the state under a key that nobody knows.
static thunk *copied_record(const level *l, const input *own, const lg_place *to,
                            const lg_tool *tool, term *present)
{
    LG_DEBUG_ASSERT(tool->copied && tool->copied->count == 2);
    problem *p = l->p;
    const lg_reach *from = tool->copied;
    lg_str all = lg_arena_printf(p->arena, "%.*s.*", LG_FMT(from->steps[0].name));
    const lg_place *place = state_place(l->pack, all);
    if (!place) {
        return NULL;
    }
    lg_str key_name = from->steps[1].value->path.steps[0].name;
    term key = input_term(p, own, SORT_TEXT, ":key");
    const input *map =
        input_child(p, state_root(p), label_of(p, from->steps[0].name), all, NULL, NULL);
    input *record = map ? input_child(p, map, LG_STR("[]"), all, place->schema, key) : NULL;
    if (!record) {
        return NULL;
    }
    if (!record->expanded) {
        record->schema = schema_resolve(p, place->schema);
    }
    if (place->record_key.len) {
        record->key_field = place->record_key;
        record->key = key;
    }
    *present = term_and(p->t, *present, input_term(p, record, SORT_BOOL, ":here"));
    val v = *thunk_value(p, input_thunk(record));
    for (size_t i = 0; i < tool->store_count; i++) {
        const lg_tool_store *store = &tool->stores[i];
        if (store->to.place == to && store->to.segment_count > 1) {
            v = with_field(l, v, store, key_name, key);
        }
    }
    return thunk_of(p, v);
}

// --- Levels -------------------------------------------------------------------------------------

static const dict *level_at(const level *l, location at, const lg_place *first, uint32_t depth);

// The record at `place`; `*here` is what is known of whether there is one.
static thunk *record_at(const level *l, location at, const lg_place *place, term key, term *present)
{
    problem *p = l->p;
    bool mirrored = !l->of_state && is_mirrored(l->pack, place);
    const lg_tool *copying = l->of_state || mirrored ? NULL : copying_tool(l->pack, place);
    const lg_place *from = mirrored ? state_place(l->pack, place->text) : place;
    input *record = mirrored || l->of_state ? at.in_state : at.in_ledger;
    if (copying) {
        thunk *copy = copied_record(l, at.in_ledger, place, copying, present);
        if (copy) {
            return copy;
        }
    }
    if (!record->expanded && !record->schema) {
        record->schema = schema_resolve(p, from->schema);
    }
    if (from->record_key.len && key) {
        record->key_field = from->record_key;
        record->key = key;
    }
    if (mirrored && key) {
        *present = term_and(p->t, *present, input_term(p, record, SORT_BOOL, ":here"));
    }
    return input_thunk(record);
}

// What stands below `place` at `depth`: its record, or the next level.
static thunk *below(const level *l, location at, const lg_place *place, uint32_t depth, term key,
                    term *present)
{
    LG_DEBUG_ASSERT(depth <= place->segment_count);
    if (!at.in_ledger || !at.in_state) {
        return NULL;
    }
    if (place->segment_count == depth) {
        return record_at(l, at, place, key, present);
    }
    const dict *map = level_at(l, at, place, depth);
    return map ? thunk_of(l->p, value_map(l->p, map)) : NULL;
}

typedef struct collection {
    level l;
    location at;
    const lg_place *place;
    uint32_t depth;
} collection;

static location location_of_key(const collection *c, term key)
{
    problem *p = c->l.p;
    lg_str name = problem_name(p, "%.*s[]", LG_FMT(c->at.in_ledger->name));
    return (location){input_child(p, c->at.in_ledger, LG_STR("[]"), name, NULL, key),
                      input_child(p, c->at.in_state, LG_STR("[]"), name, NULL, key)};
}

// A key of a mirrored place is only there if the state has the record, too: below() narrows `present`.
static term key_present(problem *p, const elements *e, term key)
{
    const collection *c = e->how;
    location at = location_of_key(c, key);
    if (!at.in_ledger || !at.in_state) {
        return term_bool(p->t, false);
    }
    term present = input_term(p, c->l.of_state ? at.in_state : at.in_ledger, SORT_BOOL, ":here");
    below(&c->l, at, c->place, c->depth + 1, key, &present);
    return present;
}

static val key_value(problem *p, const elements *e, term key)
{
    const collection *c = e->how;
    term ignored = term_bool(p->t, true);
    return *thunk_value(
        p, below(&c->l, location_of_key(c, key), c->place, c->depth + 1, key, &ignored));
}

// A level of keys with nothing unrolled: which keys there are is a function of the key.
static const dict *all_keys(const level *l, location at, const lg_place *place, uint32_t depth)
{
    dict *map = LG_NEW(l->p->arena, dict);
    collection *how = LG_NEW(l->p->arena, collection);
    if (!map || !how) {
        return NULL;
    }
    *how = (collection){*l, at, place, depth};
    const elements *all = elements_new(
        l->p, (elements){.present = key_present, .value = key_value, .gaps = true, .how = how});
    *map = (dict){.summary = summary_of(l->p, NULL, all)};
    return map->summary ? map : NULL;
}

// The level at `depth` of all places that begin as `first` does. As deep as a path is long.
static const dict *level_at(const level *l, location at, const lg_place *first, uint32_t depth)
{
    LG_DEBUG_ASSERT(!first || depth < first->segment_count);
    problem *p = l->p;
    if (first && lg_str_eq(first->segments[depth], LG_STR("*"))) {
        return all_keys(l, at, first, depth);
    }
    dict *map = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, l->places->count + 1);
    uint32_t count = 0;
    if (!map || !items) {
        return NULL;
    }
    for (size_t i = 0; i < l->places->count; i++) {
        const lg_place *place = &l->places->items[i];
        if ((first && !places_share(place, first, depth)) || place_was_seen(l->places, i, depth)) {
            continue;
        }
        location child = named(l, at, place->segments[depth]);
        term present = term_bool(p->t, true);
        bool optional = !l->of_state || may_be_absent(p, place);
        if (place->segment_count == depth + 1 && optional && child.in_ledger) {
            present =
                input_term(p, l->of_state ? child.in_state : child.in_ledger, SORT_BOOL, ":here");
        }
        thunk *value = below(l, child, place, depth + 1, NULL, &present);
        items[count++] = (entry){present, term_text(p->t, place->segments[depth]), 0, value};
    }
    if (depth == 0 && l->history) {
        items[count++] = (entry){term_bool(p->t, true), term_text(p->t, LG_STR("history")), 0,
                                 input_thunk(l->history)};
    }
    *map = (dict){.items = items, .count = count};
    return map;
}

// Ledger and state are made along each other, so that a mirrored record of the ledger is the same input as
// the state's: the two are the same functions of the same keys.
input *input_of_all_places(problem *p, const lg_pack *pack, bool of_state, input *history)
{
    LG_DEBUG_ASSERT(p->forall);
    const input nowhere = {.path = 0};
    level l = {p, pack, of_state ? &pack->state : &pack->ledger, of_state, history};
    location root = {input_child(p, &nowhere, LG_STR("ledger"), LG_STR("ledger"), NULL, NULL),
                     state_root(p)};
    const dict *map = root.in_ledger && root.in_state ? level_at(&l, root, NULL, 0) : NULL;
    return map ? input_of_map(p, of_state ? LG_STR("state") : LG_STR("ledger"), map) : NULL;
}
