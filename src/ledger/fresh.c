// fresh.c: which records a call may have changed.
//
// The pack tells for each call the paths of the state that it may change, and for each store of a read
// those that decide what it puts where. Their keys are known by now, from the arguments of both
// calls; a key that still is not known may be any. What a store has put somewhere is stale if one
// of its paths lies on, above or below one of the call's; and so is what a store would put there
// that the read has left out.
#include "ledger/ledger_internal.h"

// The keys of which a step's is one; none: it may be any.
typedef struct keys {
    const lg_str *items;
    uint32_t count;
} keys;

// A path with its keys. It points into itself, and so stays where it is.
typedef struct spot {
    lg_str single[LG_REACH_STEPS_MAX]; // where there is but one
    keys keys[LG_REACH_STEPS_MAX];
    uint32_t count;
    bool presence;
} spot;

// --- Keys ---------------------------------------------------------------------------------------

typedef struct context {
    const lg_ledger_state *state;
    const lg_json *args;
    lg_arena *work;
} context;

static bool value_of(const context *c, const lg_reach_value *value, lg_str *ret);

// The key, if there is but one that it can be.
static bool key_of(const context *c, const lg_reach_step *step, lg_str *ret)
{
    switch (step->key) {
    case LG_REACH_NAME:
        *ret = step->name;
        return true;
    case LG_REACH_VALUE:
        return value_of(c, step->value, ret);
    case LG_REACH_ANY:
        break;
    }
    return false;
}

// The record of the ledger that stands in for the state's: it must be there as a whole, and fresh.
static const lg_json *standing_in(const context *c, const lg_reach_value *value)
{
    lg_str path[LG_REACH_STEPS_MAX];
    for (uint32_t i = 0; i < value->record; i++) {
        if (!key_of(c, &value->path.steps[i], &path[i])) {
            return NULL;
        }
    }
    const lg_ledger_entry *entry = lg_ledger_at(c->state, path, value->record);
    return entry && entry->mirrors && !entry->stale ? entry->value : NULL;
}

#define KEYS_MAX 16u // more are any

// Adds the texts that the rest of the path leads to. False if there may be others. Recursion along the path.
static bool collect(const context *c, const lg_json *at, const lg_reach *path, uint32_t step,
                    lg_str found[KEYS_MAX], uint32_t *count)
{
    if (step == path->count) {
        lg_str text = lg_json_str(at);
        uint32_t i = 0;
        while (i < *count && !lg_str_eq(found[i], text)) {
            i++;
        }
        if (i == KEYS_MAX || !lg_json_is(at, LG_JSON_STRING)) {
            return false;
        }
        found[i] = text;
        *count += i == *count;
        return true;
    }
    lg_str key;
    if (path->steps[step].key != LG_REACH_ANY) {
        return at && key_of(c, &path->steps[step], &key) &&
               collect(c, lg_json_get(at, key), path, step + 1, found, count);
    }
    bool all = lg_json_is(at, LG_JSON_ARRAY) && lg_json_len(at) <= KEYS_MAX;
    for (size_t i = 0; all && i < lg_json_len(at); i++) {
        all = collect(c, lg_json_item(at, i), path, step + 1, found, count);
    }
    return all;
}

// Returns how many there are; 0: it may be any.
static uint32_t values_of(const context *c, const lg_reach_value *value, lg_str found[KEYS_MAX])
{
    uint32_t count = 0;
    if (value->text_count) {
        for (; count < value->text_count && count < KEYS_MAX; count++) {
            found[count] = value->texts[count];
        }
        return count == value->text_count ? count : 0;
    }
    const lg_json *at = value->of_state ? standing_in(c, value) : c->args;
    uint32_t from = value->of_state ? value->record : 0;
    return at && collect(c, at, &value->path, from, found, &count) ? count : 0;
}

// Values hold values as deep as the pack's expressions are.
static bool value_of(const context *c, const lg_reach_value *value, lg_str *ret)
{
    lg_str found[KEYS_MAX];
    uint32_t count = values_of(c, value, found);
    *ret = found[0];
    return count == 1;
}

static keys keys_of(const context *c, const lg_reach_step *step, lg_str *single)
{
    lg_str found[KEYS_MAX];
    uint32_t count = 0;
    if (step->key == LG_REACH_NAME) {
        *single = step->name;
        return (keys){single, 1};
    }
    if (step->key == LG_REACH_VALUE) {
        count = values_of(c, step->value, found);
    }
    if (count == 1) {
        *single = found[0];
        return (keys){single, 1};
    }
    lg_str *several = count ? LG_NEW_ARRAY(c->work, lg_str, count) : NULL;
    if (!several) {
        return (keys){NULL, 0};
    }
    memcpy(several, found, count * sizeof(*several));
    return (keys){several, count};
}

static void resolve(const context *c, const lg_reach *path, spot *ret)
{
    ret->count = path->count;
    ret->presence = path->presence;
    for (uint32_t i = 0; i < path->count; i++) {
        ret->keys[i] = keys_of(c, &path->steps[i], &ret->single[i]);
    }
}

// --- Comparing ----------------------------------------------------------------------------------

// Can both be the same key?
static bool can_be_equal(const keys *a, const keys *b)
{
    bool can = a->count == 0 || b->count == 0;
    for (uint32_t i = 0; i < a->count && !can; i++) {
        for (uint32_t k = 0; k < b->count && !can; k++) {
            can = lg_str_eq(a->items[i], b->items[k]);
        }
    }
    return can;
}

// As lg_reach_meets, now that keys are known.
static bool meets(const spot *changed, const spot *shown)
{
    uint32_t common = changed->count < shown->count ? changed->count : shown->count;
    bool same = !shown->presence || changed->count <= shown->count;
    for (uint32_t i = 0; i < common && same; i++) {
        same = can_be_equal(&changed->keys[i], &shown->keys[i]);
    }
    return same;
}

// --- What a call may have changed ---------------------------------------------------------------

typedef struct changed {
    fold *f;
    bool anything;
    const spot *spots;
    size_t count;
    const lg_reach *paths; // of the spots; NULL: what records show may be otherwise by now
    const lg_ledger_state *before;
} changed;

// What of that which one store puts somewhere may have changed: all of it, or parts, down from there.
typedef struct finding {
    const lg_tool_store *store;
    uint64_t observed;
    bool there; // else it was left out
    marks of;
} finding;

// The change lies within what the store has copied: it is the rest of the way.
static void find_part(const changed *c, const spot *at, uint32_t above, marks *found)
{
    const fold *f = c->f;
    lg_stale_part part = {.count = at->count - above,
                          .tool = f->tool ? f->tool->name : f->call.tool,
                          .turn = f->call.turn};
    for (uint32_t i = 0; i < part.count; i++) {
        if (at->keys[above + i].count == 1) {
            part.steps[i] = at->keys[above + i].items[0];
        }
    }
    marks_add(found, &part);
}

// --- What a record shows of the state -----------------------------------------------------------

// A place in a record, which a store has copied from the state.
typedef struct shown_place {
    const lg_ledger_entry *entry;
    const lg_ledger_source *source;
    const lg_json *value;
    lg_stale_part way; // to it from the record
} shown_place;

// Has another store than its own put anything there, or above, or below?
static bool is_hidden(const shown_place *at)
{
    bool hidden = false;
    for (const lg_ledger_source *s = at->entry->sources; s && !hidden; s = s->older) {
        lg_stale_part part = part_of_store(s->store);
        hidden = s != at->source;
        for (uint32_t i = 0; i < part.count && i < at->way.count && hidden; i++) {
            hidden = lg_str_eq(part.steps[i], at->way.steps[i]);
        }
    }
    return hidden;
}

// Does it show what the state has there?
static bool is_certain(const shown_place *at)
{
    return !is_hidden(at) &&
           !lg_ledger_is_stale(at->entry, at->way.steps, at->way.count, NULL, NULL);
}

static bool go_down(const shown_place *from, lg_str key, shown_place *ret)
{
    bool fits = from->way.count < LG_REACH_STEPS_MAX;
    *ret = *from;
    ret->value = lg_json_get(from->value, key);
    if (fits) {
        ret->way.steps[ret->way.count++] = key;
    }
    return fits;
}

// Where the store has put what it has copied.
static shown_place place_of(const lg_ledger_entry *entry, const lg_ledger_source *source)
{
    shown_place at = {.entry = entry,
                      .source = source,
                      .value = entry->value,
                      .way = part_of_store(source->store)};
    for (uint32_t i = 0; i < at.way.count; i++) {
        at.value = lg_json_get(at.value, at.way.steps[i]);
    }
    return at;
}

// Does every way of the spot, from step `step` on, end where there is nothing? What a step aims at has to lie in
// something; if the call itself makes that before, this is a change of its own, and is marked. As deep as the path.
static bool leads_nowhere(const spot *s, uint32_t step, const shown_place *from)
{
    bool nowhere = step + 1 < s->count && s->keys[step].count > 0;
    for (uint32_t k = 0; k < s->keys[step].count && nowhere; k++) {
        shown_place at;
        nowhere = go_down(from, s->keys[step].items[k], &at) &&
                  (at.value ? leads_nowhere(s, step + 1, &at) : is_certain(&at));
    }
    return nowhere;
}

// Does another text stand at the end of every way? Likewise.
static bool has_other_text(const spot *s, uint32_t step, const shown_place *from, lg_str text)
{
    if (step == s->count) {
        return lg_json_is(from->value, LG_JSON_STRING) &&
               !lg_str_eq(lg_json_str(from->value), text) && is_certain(from);
    }
    bool other = s->keys[step].count > 0;
    for (uint32_t k = 0; k < s->keys[step].count && other; k++) {
        shown_place at;
        other =
            go_down(from, s->keys[step].items[k], &at) && has_other_text(s, step + 1, &at, text);
    }
    return other;
}

static bool is_same_key(const lg_reach_step *a, const lg_reach_step *b);

// Values hold values as deep as the pack's expressions are. What may be one of several need not be the same twice.
static bool is_same_value(const lg_reach_value *a, const lg_reach_value *b)
{
    bool same = a->of_state == b->of_state && a->late == b->late && a->record == b->record &&
                a->path.count == b->path.count && !a->text_count && !b->text_count;
    for (uint32_t i = 0; i < a->path.count && same; i++) {
        same = is_same_key(&a->path.steps[i], &b->path.steps[i]);
    }
    return same;
}

static bool is_same_key(const lg_reach_step *a, const lg_reach_step *b)
{
    return a->key == b->key && a->key != LG_REACH_ANY &&
           (a->key == LG_REACH_NAME ? lg_str_eq(a->name, b->name)
                                    : is_same_value(a->value, b->value));
}

// Is the condition about the very record that the change is in, whichever that is?
static bool is_of_same_record(const lg_reach *change, const lg_reach *condition, uint32_t record)
{
    bool same = condition->count > record;
    for (uint32_t i = 0; i < record && same; i++) {
        same = is_same_key(&change->steps[i], &condition->steps[i]);
    }
    return same;
}

// Does the record itself show that the change is not made in it? It is a copy of the state's, which `record` steps
// lead to.
static bool is_refuted(const changed *c, const context *at, size_t change, uint32_t record,
                       const shown_place *from)
{
    const lg_reach *path = c->paths ? &c->paths[change] : NULL;
    if (!path || !from->entry) {
        return false;
    }
    bool refuted = leads_nowhere(&c->spots[change], record, from);
    for (const lg_reach_only *only = path->only; only && !refuted; only = only->next) {
        spot condition;
        if (is_of_same_record(path, &only->path, record)) {
            resolve(at, &only->path, &condition);
            refuted = has_other_text(&condition, record, from, only->text);
        }
    }
    return refuted;
}

static bool decides(const changed *c, const context *at, const lg_reach *path)
{
    spot shown;
    resolve(at, path, &shown);
    bool any = false;
    for (size_t k = 0; k < c->count && !any; k++) {
        any = meets(&c->spots[k], &shown);
    }
    return any;
}

// Does the store put what it has copied out of the state where a change is?
static void compare_copied(const changed *c, const lg_tool_store *store, const context *at,
                           const shown_place *from, marks *found)
{
    spot copied;
    resolve(at, store->copied, &copied);
    context call = {c->before, c->f->call.args, c->f->work};
    for (size_t k = 0; k < c->count && !found->all; k++) {
        if (!meets(&c->spots[k], &copied)) {
            continue;
        }
        if (c->spots[k].count <= copied.count) {
            found->all = true;
        } else if (!is_refuted(c, &call, k, copied.count, from)) {
            find_part(c, &c->spots[k], copied.count, found);
        }
    }
}

// What may be otherwise of what the store has put there, or would. `from`: where the store has put it; its entry is NULL if
// it has left it out.
static void compare(const changed *c, const lg_tool_store *store, const lg_json *args,
                    const shown_place *from, marks *found)
{
    found->all = c->anything || (c->count && (!store || store->shows.anything));
    found->count = 0;
    if (found->all || !c->count) {
        return;
    }
    uint64_t pairs = 1 + ((uint64_t)store->shows.count + 1) * c->count;
    if (!lg_budget_take(&c->f->steps, pairs)) {
        found->all = true; // nobody looks any closer
        return;
    }
    context at = {c->before, args, c->f->work};
    for (size_t i = 0; i < store->shows.count && !found->all; i++) {
        found->all = decides(c, &at, &store->shows.items[i]);
    }
    if (!found->all && store->copied) {
        compare_copied(c, store, &at, from, found);
    }
}

// --- Where a store puts it ----------------------------------------------------------------------

static lg_stale_part part_by(const fold *f, const lg_tool_store *store)
{
    lg_stale_part part = part_of_store(store);
    part.tool = f->tool ? f->tool->name : f->call.tool;
    part.turn = f->call.turn;
    return part;
}

static void add_below(const lg_stale_part *from, const marks *found, marks *ret)
{
    if (found->all) {
        marks_add(ret, from);
    }
    for (uint32_t i = 0; i < found->count; i++) {
        const lg_stale_part *down = &found->parts[i];
        lg_stale_part part = *from;
        for (uint32_t s = 0; s < down->count && part.count < LG_REACH_STEPS_MAX; s++) {
            part.steps[part.count++] = down->steps[s];
        }
        marks_add(ret, &part);
    }
}

// --- Marking ------------------------------------------------------------------------------------

#define FINDINGS_KEPT 8u // of the latest stores: what was found of one record holds for others

typedef struct marking {
    changed changed;
    bool doubt;                  // the call is a read that failed
    bool refutable;              // what the record shows may refute a change
    uint32_t next;               // how many findings were made
    finding kept[FINDINGS_KEPT]; // the latest of them; many bytes, of which most calls need none
} marking;

static void begin_marking(marking *m, const changed *by, bool doubt)
{
    m->changed = *by;
    m->doubt = doubt;
    m->refutable = true;
    m->next = 0;
}

// `entry`: where the store has put what it has copied, or NULL. What a record refutes holds for no other.
static const marks *found_of(marking *m, const lg_tool_store *store, const lg_ledger_source *source,
                             const lg_ledger_entry *entry)
{
    shown_place from = {.entry = NULL};
    if (entry && m->refutable && store && store->copied) {
        from = place_of(entry, source);
    }
    uint32_t count = m->next < FINDINGS_KEPT ? m->next : FINDINGS_KEPT;
    for (uint32_t i = 0; i < count && !from.entry; i++) {
        const finding *kept = &m->kept[i];
        if (kept->store == store && store && kept->observed == source->observed &&
            kept->there == (entry != NULL)) {
            return &kept->of;
        }
    }
    finding *made = &m->kept[m->next++ % FINDINGS_KEPT];
    made->store = from.entry ? NULL : store;
    made->observed = source->observed;
    made->there = entry != NULL;
    compare(&m->changed, store, source->args, &from, &made->of);
    return &made->of;
}

static bool has_stored(const lg_ledger_entry *entry, const lg_tool_store *store, uint64_t observed)
{
    const lg_ledger_source *s = entry->sources;
    while (s && !(s->store == store && s->observed == observed)) {
        s = s->older;
    }
    return s != NULL;
}

// What the read has left out of the record, it may put there today. Each of its sources says so, since
// others may be replaced.
static void find_left_out(marking *m, const lg_ledger_entry *entry, const lg_ledger_source *source,
                          marks *ret)
{
    const lg_tool *read = source->read;
    for (size_t i = 0; read && i < read->store_count; i++) {
        const lg_tool_store *store = &read->stores[i];
        if (store->to.place != entry->declared || has_stored(entry, store, source->observed)) {
            continue;
        }
        lg_stale_part there = part_by(m->changed.f, store);
        add_below(&there, found_of(m, store, source, NULL), ret);
    }
}

static void find_changed(marking *m, const lg_ledger_entry *entry, const lg_ledger_source *source,
                         marks *ret)
{
    lg_stale_part there = part_by(m->changed.f, source->store);
    add_below(&there, found_of(m, source->store, source, entry), ret);
}

// Does the store put something into this record, as far as that is known before the result?
static bool is_target(const lg_tool_store *store, const lg_ledger_entry *entry, const lg_json *args)
{
    bool same = store->to.place == entry->declared;
    for (uint32_t i = 0; same && i < entry->declared->segment_count; i++) {
        const lg_target_segment *segment = &store->to.segments[i];
        const lg_json *key = segment->argument.len ? lg_json_get(args, segment->argument) : NULL;
        same = !segment->key ||
               (lg_json_is(key, LG_JSON_STRING) && lg_str_eq(lg_json_str(key), entry->segments[i]));
    }
    return same;
}

// What two parts have in common, if anything.
static bool common_part(const lg_stale_part *a, const lg_stale_part *b, lg_stale_part *ret)
{
    bool meet = true;
    for (uint32_t i = 0; i < a->count && i < b->count && meet; i++) {
        meet = lg_str_eq(a->steps[i], b->steps[i]);
    }
    *ret = a->count > b->count ? *a : *b;
    return meet;
}

static void find_doubted(const marking *m, const lg_ledger_entry *entry,
                         const lg_ledger_source *source, marks *ret)
{
    const fold *f = m->changed.f;
    bool same_call =
        source->read == f->tool && source->args && lg_json_equal(source->args, f->call.args);
    lg_stale_part own = part_by(f, source->store);
    for (size_t i = 0; i < f->tool->store_count; i++) {
        const lg_tool_store *store = &f->tool->stores[i];
        lg_stale_part there = part_by(f, store);
        lg_stale_part both;
        if ((is_target(store, entry, f->call.args) || (same_call && source->store == store)) &&
            common_part(&own, &there, &both)) {
            marks_add(ret, &both);
        }
    }
}

static void find_marks(marking *m, const lg_ledger_entry *entry, const lg_ledger_source *source,
                       marks *ret)
{
    ret->all = false; // the parts are many bytes, of which most records need none
    ret->count = 0;
    const fold *f = m->changed.f;
    bool other = f->own && source->observed != f->ledger->observed;
    if (other || (source->stale && source->part_count == 0)) {
        return;
    }
    if (m->doubt) {
        find_doubted(m, entry, source, ret);
    } else {
        find_changed(m, entry, source, ret);
        find_left_out(m, entry, source, ret);
    }
}

// A copy of the entry with its marks; NULL if there are none to make.
static lg_status mark_entry(marking *m, const lg_ledger_entry *entry, lg_ledger_entry **ret)
{
    fold *f = m->changed.f;
    lg_ledger_source head = {.older = NULL};
    lg_ledger_source *last = &head;
    const lg_ledger_source *copied_to = entry->sources; // not copied yet, from here on
    marks found;
    for (const lg_ledger_source *s = entry->sources; s; s = s->older) {
        find_marks(m, entry, s, &found);
        if (!found.all && !found.count) {
            continue;
        }
        for (; copied_to != s->older; copied_to = copied_to->older) {
            lg_ledger_source *copy = LG_NEW(f->work, lg_ledger_source);
            if (!copy) {
                return lg_fail_oom(f->why);
            }
            *copy = *copied_to;
            last->older = copy;
            last = copy;
        }
        lg_status status = mark_source(f, last, &found, m->doubt);
        if (status != LG_OK) {
            return status;
        }
    }
    *ret = NULL;
    if (last == &head) {
        return LG_OK;
    }
    *ret = LG_NEW(f->work, lg_ledger_entry);
    if (!*ret) {
        return lg_fail_oom(f->why);
    }
    **ret = *entry;
    (*ret)->sources = head.older;
    (*ret)->changed = f->assumed ? 0 : f->ledger->observed;
    return sum_up(f, *ret);
}

// The entry without any marks.
static lg_status unmarked(fold *f, const lg_ledger_entry *entry, const lg_ledger_entry **ret)
{
    *ret = entry;
    if (!entry->stale) {
        return LG_OK;
    }
    lg_ledger_entry *clean = LG_NEW(f->work, lg_ledger_entry);
    if (!clean) {
        return lg_fail_oom(f->why);
    }
    *clean = *entry;
    clean->changed = 0;
    const lg_ledger_source **link = &clean->sources;
    for (const lg_ledger_source *s = entry->sources; s; s = s->older) {
        lg_ledger_source *copy = LG_NEW(f->work, lg_ledger_source);
        if (!copy) {
            return lg_fail_oom(f->why);
        }
        *copy = *s;
        copy->stale = false;
        copy->doubted = false;
        copy->part_count = 0;
        *link = copy;
        link = &copy->older;
    }
    *link = NULL;
    *ret = clean;
    return sum_up(f, clean);
}

// The entry as it is, with what the marks are of pending calls beside it.
static lg_status mark_pending(marking *m, const lg_ledger_entry *entry, lg_ledger_entry **ret)
{
    fold *f = m->changed.f;
    const lg_ledger_entry *before = entry->pending;
    lg_ledger_entry *pending;
    m->refutable = !entry->stale && !before; // marks that are taken off here are true all the same
    lg_status status = before ? LG_OK : unmarked(f, entry, &before);
    if (status == LG_OK) {
        status = mark_entry(m, before, &pending);
    }
    if (status != LG_OK || !pending) {
        *ret = NULL;
        return status;
    }
    status = mark_entry(m, entry, ret);
    if (status == LG_OK && !*ret) { // it is stale already
        *ret = LG_NEW(f->work, lg_ledger_entry);
        if (!*ret) {
            return lg_fail_oom(f->why);
        }
        **ret = *entry;
    }
    if (status == LG_OK) {
        f->next.pending += !entry->pending;
        (*ret)->pending = pending;
    }
    return status;
}

static lg_status mark_all(marking *m, uint32_t *ret_count)
{
    fold *f = m->changed.f;
    *ret_count = 0;
    for (uint32_t i = 0; i < f->next.entries.count; i++) {
        const lg_ledger_entry *entry = lg_ledger_entry_at(&f->next, i);
        lg_ledger_entry *marked;
        if (!lg_budget_take(&f->steps, 1 + f->assumed) && f->assumed) {
            return LG_OK; // what is judged by it has no steps left either, and is refused
        }
        lg_status status =
            f->pending ? mark_pending(m, entry, &marked) : mark_entry(m, entry, &marked);
        if (status == LG_OK && marked) {
            status = put_entry(f, lg_map_find(&f->next.entries, entry->key), marked);
            ++*ret_count;
        }
        if (status != LG_OK) {
            return status;
        }
    }
    return LG_OK;
}

// Were other calls made before this one has answered? Then it is not known what it has found.
static bool others_are_under_way(const fold *f)
{
    bool between = f->call.begun < f->ledger->state.latest;
    return f->next.open_count > 1 || between;
}

lg_status mark_stale(fold *f, uint32_t *ret_count)
{
    // What a tool does that the pack does not declare is not known, whoever calls it.
    const lg_reach_set unknown = {.anything = true};
    const lg_reach_set *alters = f->tool ? &f->tool->alters : &unknown;
    *ret_count = 0;
    if (!alters->anything && alters->count == 0) {
        return LG_OK;
    }
    spot *spots = LG_NEW_ARRAY(f->work, spot, alters->count);
    if (!spots) {
        return lg_fail_oom(f->why);
    }
    lg_ledger_state before = f->ledger->state;
    bool alone = !others_are_under_way(f);
    if (!alone) {
        before.entries = (lg_map){0}; // what stands in for the state may have changed by then
    }
    context c = {&before, f->call.args, f->work};
    for (size_t i = 0; i < alters->count; i++) {
        resolve(&c, &alters->items[i], &spots[i]);
    }
    marking m;
    begin_marking(&m,
                  &(changed){.f = f,
                             .anything = alters->anything,
                             .spots = spots,
                             .count = alters->count,
                             .paths = alone ? alters->items : NULL,
                             .before = &before},
                  false);
    return mark_all(&m, ret_count);
}

lg_status mark_doubtful(fold *f, uint32_t *ret_count)
{
    marking m;
    begin_marking(&m, &(changed){.f = f}, true);
    return mark_all(&m, ret_count);
}
