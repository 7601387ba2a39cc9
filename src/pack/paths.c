// paths.c: paths of the state, and sets of those that something reads or changes.
#include "pack/follow.h"

#define READS_MAX 64u

bool lg_reach_meets(const lg_reach *changed, const lg_reach *shown)
{
    uint32_t common = changed->count < shown->count ? changed->count : shown->count;
    for (uint32_t i = 0; i < common; i++) {
        const lg_reach_step *a = &changed->steps[i];
        const lg_reach_step *b = &shown->steps[i];
        if (a->key == LG_REACH_NAME && b->key == LG_REACH_NAME && !lg_str_eq(a->name, b->name)) {
            return false;
        }
    }
    return !shown->presence || changed->count <= shown->count;
}

// Step by step the very same keys, and the very same conditions.
static bool are_equal(const lg_reach *a, const lg_reach *b)
{
    bool same = a->count == b->count && a->presence == b->presence && a->only == b->only;
    for (uint32_t i = 0; same && i < a->count; i++) {
        same = a->steps[i].key == b->steps[i].key && a->steps[i].value == b->steps[i].value &&
               lg_str_eq(a->steps[i].name, b->steps[i].name);
    }
    return same;
}

// Beyond READS_MAX paths it is all of the state.
void reads_note(loader *l, reads *list, const lg_reach *path)
{
    for (size_t i = 0; i < list->count; i++) {
        if (are_equal(&list->items[i], path)) {
            return;
        }
    }
    lg_reach *grown = list->count < READS_MAX ? lg_arena_grow(l->arena, list->items, list->count,
                                                              &list->capacity, sizeof(*path))
                                              : NULL;
    if (!grown) {
        list->anything = true;
        return;
    }
    list->items = grown;
    list->items[list->count++] = *path;
}

void reads_note_all(loader *l, reads *list, const reads *more)
{
    list->anything = list->anything || more->anything;
    for (size_t i = 0; i < more->count; i++) {
        reads_note(l, list, &more->items[i]);
    }
}

bool reads_meet_path(const reads *changed, const lg_reach *shown)
{
    bool meets = changed->anything;
    for (size_t i = 0; i < changed->count && !meets; i++) {
        meets = lg_reach_meets(&changed->items[i], shown);
    }
    return meets;
}

bool reads_meet(const reads *changed, const reads *shown)
{
    bool meets = shown->anything && (changed->anything || changed->count > 0);
    for (size_t i = 0; i < shown->count && !meets; i++) {
        meets = reads_meet_path(changed, &shown->items[i]);
    }
    return meets;
}

lg_reach_set reads_as_set(const reads *list)
{
    return (lg_reach_set){list->items, list->count, list->anything};
}

// One step further. A path that is too long stays where it is, and so reaches further.
ref step_down(ref from, lg_reach_step step)
{
    if (from.kind == REF_TEXTS) {
        from.kind = REF_ONE_OF;
        return from;
    }
    if (from.kind != REF_STATE && from.kind != REF_ARGS) {
        return (ref){.kind = REF_OTHER};
    }
    if (from.path.count == LG_REACH_STEPS_MAX) {
        from.kind = from.kind == REF_ARGS ? REF_OTHER : REF_STATE;
        return from;
    }
    from.path.steps[from.path.count++] = step;
    return from;
}

lg_reach_step name_step(lg_str name)
{
    return (lg_reach_step){.key = LG_REACH_NAME, .name = name};
}

lg_reach_step any_step(void)
{
    return (lg_reach_step){.key = LG_REACH_ANY};
}
