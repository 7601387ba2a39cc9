// keep.c: what a call leads to, moved out of the memory it was made in; and what goes on being needed,
// out of the memory of all states.
//
// A call may take many steps, each with a root of its own. Only the last root is kept, and of it only
// what lies in the call's own memory moves: the rest is shared with the state before. So the memory of
// a world grows with what changed, and not with how it came about.
#include "world/world_internal.h"
#include "json/tree.h"

#define TIDY_MIN_BYTES ((size_t)256 << 10) // less is not worth it

bool world_is_same(const lg_json *a, const lg_json *b)
{
    if (a->type != b->type || a->len != b->len) {
        return false;
    }
    switch (lg_json_type_of(a)) {
    case LG_JSON_NULL:
        return true;
    case LG_JSON_BOOL:
        return a->as.boolean == b->as.boolean;
    case LG_JSON_INT:
    case LG_JSON_UINT:
    case LG_JSON_DOUBLE:
        return a->as.u64 == b->as.u64;
    case LG_JSON_BIGNUM:
    case LG_JSON_STRING:
    case LG_JSON_ARRAY:
    case LG_JSON_OBJECT:
        return a->as.text == b->as.text;
    }
    return false;
}

bool world_keep(world_run *run)
{
    lg_world *world = run->world;
    lg_mover mover;
    lg_arena_mark mark = lg_arena_mark_here(&world->arena);
    const lg_json *root = NULL;
    LG_DEBUG_ASSERT(!run->oom);
    if (run->root == world->root) {
        return true;
    }
    if (lg_mover_init(&mover, &world->work, &world->arena)) {
        root = lg_tree_move_at(&mover, run->root);
        lg_mover_done(&mover);
    }
    if (!root) {
        lg_arena_rewind(&world->arena, mark);
        return world_out_of_memory(run);
    }
    world->root = root;
    return true;
}

void lg_world_tidy(lg_world *world, const lg_json **snapshots, size_t count)
{
    lg_arena fresh = {.limit_bytes = world->arena.limit_bytes, .quota = world->arena.quota};
    size_t held = world->arena.held_bytes;
    lg_mover mover;
    if (held < TIDY_MIN_BYTES || held / 2 < world->tidy_bytes) {
        return;
    }
    lg_arena_done(&world->work);
    world->tidy_bytes = held; // if this fails, not again at once
    const lg_json **moved = LG_NEW_ARRAY(&world->work, const lg_json *, count);
    if (!moved || !lg_mover_init(&mover, &world->arena, &fresh)) {
        return;
    }
    const lg_json *root = world->root ? lg_tree_move_at(&mover, world->root) : NULL;
    bool fine = !root == !world->root;
    for (size_t i = 0; i < count && fine; i++) {
        moved[i] = lg_tree_move_at(&mover, snapshots[i]);
        fine = moved[i] != NULL;
    }
    lg_mover_done(&mover);
    if (!fine) {
        lg_arena_done(&fresh);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        snapshots[i] = moved[i];
    }
    world->sound[1] = world->sound[1] == world->root ? root : NULL;
    world->root = root;
    lg_arena_done(&world->work);
    lg_arena_done(&world->arena);
    world->arena = fresh;
    world->tidy_bytes = fresh.held_bytes;
}
