// fresh.c: which records a call may have changed.
//
// The pack tells for each call the paths that it may change, and for each read those that it has
// shown. Their keys are known by now, from the arguments of both calls; a key that still is not
// known may be any. A record is stale if one of its read's paths lies on, above or below one of the
// call's.
#include "ledger/ledger_internal.h"

// A path with its keys. `known` has a bit for each step whose key is.
typedef struct spot {
    lg_str keys[LG_REACH_STEPS_MAX];
    uint32_t known;
    uint32_t count;
    bool presence;
} spot;

// --- Keys ---------------------------------------------------------------------------------------

typedef struct context {
    const lg_ledger_state *state;
    const lg_json *args;
} context;

static bool value_of(const context *c, const lg_reach_value *value, lg_str *ret);

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

// Values hold values as deep as the pack's expressions are.
static bool value_of(const context *c, const lg_reach_value *value, lg_str *ret)
{
    const lg_json *at = value->of_state ? standing_in(c, value) : c->args;
    for (uint32_t i = value->of_state ? value->record : 0; at && i < value->path.count; i++) {
        lg_str key;
        at = key_of(c, &value->path.steps[i], &key) ? lg_json_get(at, key) : NULL;
    }
    *ret = lg_json_str(at);
    return lg_json_is(at, LG_JSON_STRING);
}

static spot resolve(const context *c, const lg_reach *path)
{
    spot s = {.count = path->count, .presence = path->presence};
    for (uint32_t i = 0; i < path->count; i++) {
        if (key_of(c, &path->steps[i], &s.keys[i])) {
            s.known |= 1u << i;
        }
    }
    return s;
}

// --- Comparing ----------------------------------------------------------------------------------

// As lg_reach_meets, now that keys are known.
static bool meets(const spot *changed, const spot *shown)
{
    uint32_t common = changed->count < shown->count ? changed->count : shown->count;
    uint32_t known = changed->known & shown->known;
    for (uint32_t i = 0; i < common; i++) {
        if ((known >> i & 1u) && !lg_str_eq(changed->keys[i], shown->keys[i])) {
            return false;
        }
    }
    return !shown->presence || changed->count <= shown->count;
}

#define PARTS_MAX 16u // of one record; beyond that it is all of it

// What a call may have changed.
typedef struct changed {
    fold *f;
    bool anything;
    const spot *spots;
    size_t count;
    const lg_ledger_state *before;
} changed;

// What of a record may have changed.
typedef struct finding {
    const lg_ledger_entry *of; // what was found of one record holds for others of its read
    bool all;
    lg_stale_part parts[PARTS_MAX];
    uint32_t part_count;
} finding;

static void find_all(finding *found)
{
    found->all = true;
    found->part_count = 0;
}

static bool same_part(const lg_stale_part *a, const lg_stale_part *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++) {
        same = lg_str_eq(a->steps[i], b->steps[i]) && !a->steps[i].ptr == !b->steps[i].ptr;
    }
    return same;
}

static void add_part(finding *found, const lg_stale_part *part)
{
    for (uint32_t i = 0; i < found->part_count; i++) {
        if (same_part(&found->parts[i], part)) {
            return;
        }
    }
    if (found->all || found->part_count == PARTS_MAX) {
        find_all(found);
        return;
    }
    found->parts[found->part_count++] = *part;
}

// The change lies within what the record is a copy of: it is the rest of the way.
static void find_part(const changed *c, const spot *changed_at, uint32_t above, finding *found)
{
    const fold *f = c->f;
    lg_stale_part part = {.count = changed_at->count - above,
                          .tool = f->tool ? f->tool->name : f->call.tool,
                          .turn = f->call.turn};
    for (uint32_t i = 0; i < part.count; i++) {
        if (changed_at->known >> (above + i) & 1u) {
            part.steps[i] = changed_at->keys[above + i];
        }
    }
    add_part(found, &part);
}

static void compare_read(const changed *c, const lg_ledger_entry *entry, finding *found)
{
    const lg_reach_set *shows = &entry->read->shows;
    uint64_t pairs = 1 + (uint64_t)shows->count * c->count;
    if (!lg_budget_take(&c->f->steps, pairs)) {
        find_all(found); // nobody looks any closer
        return;
    }
    const lg_reach *copied = entry->copies && !entry->rest ? entry->read->copied : NULL;
    if (c->anything || (shows->anything && c->count > 0)) {
        find_all(found);
        return;
    }
    context at = {c->before, entry->args};
    for (size_t i = 0; i < shows->count && !found->all; i++) {
        spot shown = resolve(&at, &shows->items[i]);
        bool is_record = copied && lg_reach_equal(&shows->items[i], copied);
        for (size_t k = 0; k < c->count && !found->all; k++) {
            if (!meets(&c->spots[k], &shown)) {
                continue;
            }
            if (is_record && c->spots[k].count > shown.count) {
                find_part(c, &c->spots[k], shown.count, found);
            } else {
                find_all(found);
            }
        }
    }
}

static void compare(const changed *c, const lg_ledger_entry *entry, finding *found)
{
    bool same_read = found->of && !entry->rest && !found->of->rest &&
                     found->of->observed == entry->observed && found->of->copies == entry->copies;
    if (same_read) {
        return;
    }
    *found = (finding){.of = entry};
    if (entry->rest_count > RESTS_MAX && (c->anything || c->count > 0)) {
        find_all(found);
    }
    for (; entry && !found->all; entry = entry->rest) {
        compare_read(c, entry, found);
    }
}

// --- Marking ------------------------------------------------------------------------------------

// The parts that were found before, and those that are found now.
static lg_status join_parts(fold *f, lg_ledger_entry *stale, const finding *found)
{
    finding joined = {.all = found->all || (stale->stale && stale->part_count == 0)};
    for (uint32_t i = 0; i < stale->part_count; i++) {
        add_part(&joined, &stale->parts[i]);
    }
    for (uint32_t i = 0; i < found->part_count; i++) {
        add_part(&joined, &found->parts[i]);
    }
    stale->parts = NULL;
    stale->part_count = joined.all ? 0 : joined.part_count;
    if (stale->part_count) {
        size_t bytes = stale->part_count * sizeof(*stale->parts);
        lg_stale_part *parts = lg_arena_alloc(f->work, bytes, 8);
        if (!parts) {
            return lg_fail_oom(f->why);
        }
        memcpy(parts, joined.parts, bytes);
        stale->parts = parts;
    }
    return LG_OK;
}

static lg_status mark(fold *f, const lg_ledger_entry *entry, const finding *found)
{
    lg_ledger_entry *stale = LG_NEW(f->work, lg_ledger_entry);
    if (!stale) {
        return lg_fail_oom(f->why);
    }
    *stale = *entry;
    lg_status status = join_parts(f, stale, found);
    if (status != LG_OK) {
        return status;
    }
    if (!entry->stale) {
        stale->stale = true;
        stale->stale_tool = f->tool ? f->tool->name : f->call.tool;
        stale->stale_turn = f->call.turn;
    }
    return put_entry(f, entry, stale);
}

bool lg_ledger_is_stale(const lg_ledger_entry *entry, const lg_str *steps, size_t count,
                        lg_str *ret_tool, uint32_t *ret_turn)
{
    const lg_stale_part all = {.tool = entry->stale_tool, .turn = entry->stale_turn};
    const lg_stale_part *parts = entry->part_count ? entry->parts : &all;
    size_t part_count = entry->stale ? (entry->part_count ? entry->part_count : 1) : 0;
    for (size_t p = 0; p < part_count; p++) {
        bool meets_part = true;
        for (size_t i = 0; i < count && i < parts[p].count && meets_part; i++) {
            meets_part =
                !steps[i].ptr || !parts[p].steps[i].ptr || lg_str_eq(steps[i], parts[p].steps[i]);
        }
        if (meets_part) {
            if (ret_tool) {
                *ret_tool = parts[p].tool;
            }
            if (ret_turn) {
                *ret_turn = parts[p].turn;
            }
            return true;
        }
    }
    return false;
}

lg_status mark_stale(fold *f, uint32_t *ret_count)
{
    // A customer's tool that the pack does not declare may do anything. An undeclared tool of the agent is
    // refused before it does anything, or the pack allows it.
    lg_reach_set unknown = {.anything = f->call.by_user && !f->ledger->pack->allow_unknown_tools};
    const lg_reach_set *alters = f->tool ? &f->tool->alters : &unknown;
    *ret_count = 0;
    spot *spots = LG_NEW_ARRAY(f->work, spot, alters->count);
    if (!spots) {
        return lg_fail_oom(f->why);
    }
    lg_ledger_state before = f->ledger->state;
    context c = {&before, f->call.args};
    for (size_t i = 0; i < alters->count; i++) {
        spots[i] = resolve(&c, &alters->items[i]);
    }
    changed all = {.f = f,
                   .anything = alters->anything,
                   .spots = spots,
                   .count = alters->count,
                   .before = &before};
    finding found = {0};
    for (uint32_t i = 0; i < f->next.entries.count; i++) {
        const lg_ledger_entry *entry = lg_ledger_entry_at(&f->next, i);
        if (entry->stale && entry->part_count == 0) {
            continue;
        }
        compare(&all, entry, &found);
        if (!found.all && found.part_count == 0) {
            continue;
        }
        lg_status status = mark(f, entry, &found);
        if (status != LG_OK) {
            return status;
        }
        ++*ret_count;
    }
    return LG_OK;
}
