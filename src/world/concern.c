// concern.c: what an invariant of the state has to be looked at for after a call.
#include "world/world_internal.h"

#include "base/map.h"
#include "json/tree.h"

#define NEW_RECORDS_MAX 64u // with more of them all are looked at

// --- Has anything changed that is read? ---------------------------------------------------------

typedef struct change {
    const lg_reach *reach;
    uint32_t at; // steps that were taken
    const lg_json *before;
    bool found;
} change;

static bool is_changed(const lg_reach *reach, uint32_t at, const lg_json *before,
                       const lg_json *after);

static bool look_at_member(void *context, const void *item)
{
    change *c = context;
    const lg_json_member *member = item;
    c->found =
        is_changed(c->reach, c->at, lg_json_get(c->before, lg_json_key(member)), &member->value);
    return !c->found;
}

// Under any key. One that went away, with as many as before, has made room for a new one.
static bool is_any_changed(const lg_reach *reach, uint32_t at, const lg_json *before,
                           const lg_json *after)
{
    change c = {.reach = reach, .at = at, .before = before};
    if (lg_json_len(before) != lg_json_len(after)) {
        return true;
    }
    if (before->offset == LG_JSON_MAPPED && after->offset == LG_JSON_MAPPED) {
        (void)lg_map_each_new(before->as.map, after->as.map, look_at_member, &c);
        return c.found;
    }
    for (size_t i = 0; i < lg_json_len(after) && !c.found; i++) {
        (void)look_at_member(&c, lg_json_member_at(after, i));
    }
    return c.found;
}

// As deep as a path is long.
static bool is_changed(const lg_reach *reach, uint32_t at, const lg_json *before,
                       const lg_json *after)
{
    if (!before || !after) {
        return before != after;
    }
    if (world_is_same(before, after)) {
        return false;
    }
    if (at == reach->count) {
        bool nulls = lg_json_is(before, LG_JSON_NULL) || lg_json_is(after, LG_JSON_NULL);
        return !reach->presence || nulls;
    }
    if (!lg_json_is(before, LG_JSON_OBJECT) || !lg_json_is(after, LG_JSON_OBJECT)) {
        return true;
    }
    const lg_reach_step *step = &reach->steps[at];
    return step->key == LG_REACH_NAME ? is_changed(reach, at + 1, lg_json_get(before, step->name),
                                                   lg_json_get(after, step->name))
                                      : is_any_changed(reach, at + 1, before, after);
}

// --- New records --------------------------------------------------------------------------------

typedef struct gathering {
    lg_json_member *items;
    size_t count;
} gathering;

static bool gather(void *context, const void *item)
{
    gathering *g = context;
    if (g->count == NEW_RECORDS_MAX) {
        return false;
    }
    g->items[g->count++] = *(const lg_json_member *)item;
    return true;
}

// The root with only those records of the collection that are new. All of it where they are not told apart.
static bool narrow(lg_arena *arena, lg_str each, const lg_json *before, const lg_json *root,
                   const lg_json **ret)
{
    const lg_json *old = lg_json_get(before, each);
    const lg_json *all = lg_json_get(root, each);
    gathering g = {.items = lg_json_alloc_members(arena, NEW_RECORDS_MAX)};
    lg_json *narrowed = LG_NEW(arena, lg_json);
    *ret = root;
    if (!g.items || !narrowed) {
        return false;
    }
    bool mapped = lg_json_is(old, LG_JSON_OBJECT) && lg_json_is(all, LG_JSON_OBJECT) &&
                  old->offset == LG_JSON_MAPPED && all->offset == LG_JSON_MAPPED;
    if (!mapped || !lg_map_each_new(old->as.map, all->as.map, gather, &g)) {
        return true;
    }
    *ret = narrowed;
    return lg_tree_with_member(arena, root, each, lg_json_make_object(g.items, g.count),
                               narrowed) == LG_OK;
}

static bool is_of_collection(const lg_reach *path, lg_str each)
{
    return path->count > 0 && path->steps[0].key == LG_REACH_NAME &&
           lg_str_eq(path->steps[0].name, each);
}

bool world_concerns(lg_arena *arena, const lg_invariant_reach *reach, const lg_json *before,
                    const lg_json *root, const lg_json **ret)
{
    bool own = false;
    bool other = !before || reach->reads.anything;
    for (size_t i = 0; i < reach->reads.count && !other; i++) {
        const lg_reach *path = &reach->reads.items[i];
        bool changed = is_changed(path, 0, before, root);
        bool of_each = reach->each.len && is_of_collection(path, reach->each);
        own = own || (changed && of_each);
        other = other || (changed && !of_each);
    }
    *ret = other || own ? root : NULL;
    return other || !own || narrow(arena, reach->each, before, root, ret);
}
