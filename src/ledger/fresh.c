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
    uint32_t at = find_exact(c->state, path, value->record);
    if (at == c->state->entry_count) {
        return NULL;
    }
    const lg_ledger_entry *entry = c->state->entries[at];
    return entry->mirrors && !entry->stale ? entry->value : NULL;
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

typedef struct changed {
    bool anything;
    const spot *spots;
    size_t count;
    const lg_ledger_state *before;
    const lg_ledger_entry *latest; // what was found of its read holds for the next one, too
    bool latest_met;
} changed;

static bool read_is_met(const changed *c, const lg_ledger_entry *entry)
{
    const lg_reach_set *shows = &entry->read->shows;
    if (shows->anything) {
        return c->anything || c->count > 0;
    }
    context at = {c->before, entry->args};
    for (size_t i = 0; i < shows->count; i++) {
        spot shown = resolve(&at, &shows->items[i]);
        for (size_t k = 0; k < c->count; k++) {
            if (meets(&c->spots[k], &shown)) {
                return true;
            }
        }
    }
    return c->anything;
}

static bool is_met(changed *c, const lg_ledger_entry *entry)
{
    bool same_read = c->latest && c->latest->args == entry->args && c->latest->read == entry->read;
    if (!same_read) {
        c->latest_met = read_is_met(c, entry);
        c->latest = entry;
    }
    return c->latest_met;
}

// A record of which parts were replaced came from several reads.
#define RESTS_MAX 8u

static bool may_have_changed(changed *c, const lg_ledger_entry *entry)
{
    bool met = entry->rest_count > RESTS_MAX && (c->anything || c->count > 0);
    for (; entry && !met; entry = entry->rest) {
        met = is_met(c, entry);
    }
    return met;
}

// --- Marking ------------------------------------------------------------------------------------

static lg_status mark(fold *f, uint32_t index)
{
    lg_ledger_entry *stale = LG_NEW(&f->ledger->arena, lg_ledger_entry);
    if (!stale) {
        return lg_fail_oom(f->why);
    }
    *stale = *f->next.entries[index];
    stale->stale = true;
    stale->stale_tool = f->tool ? f->tool->name : f->call->tool;
    stale->stale_turn = f->call->turn;
    return put_entry(f, index, stale);
}

lg_status mark_stale(fold *f, uint32_t *ret_count)
{
    // Of a tool that the pack does not declare nobody knows what it does, unless the pack lets
    // such tools be.
    lg_reach_set unknown = {.anything = !f->ledger->pack->allow_unknown_tools};
    const lg_reach_set *alters = f->tool ? &f->tool->alters : &unknown;
    *ret_count = 0;
    spot *spots = LG_NEW_ARRAY(&f->ledger->arena, spot, alters->count);
    if (!spots) {
        return lg_fail_oom(f->why);
    }
    lg_ledger_state before = f->ledger->state;
    context c = {&before, f->call->args};
    for (size_t i = 0; i < alters->count; i++) {
        spots[i] = resolve(&c, &alters->items[i]);
    }
    changed all = {
        .anything = alters->anything, .spots = spots, .count = alters->count, .before = &before};
    for (uint32_t i = 0; i < f->next.entry_count; i++) {
        const lg_ledger_entry *entry = f->next.entries[i];
        if (entry->stale || !may_have_changed(&all, entry)) {
            continue;
        }
        lg_status status = mark(f, i);
        if (status != LG_OK) {
            return status;
        }
        ++*ret_count;
    }
    return LG_OK;
}
