// compare.c: where two values differ.
#include "world/world_internal.h"

typedef struct comparison {
    lg_world_differences *found;
    lg_buf path;
} comparison;

static bool is_nothing(const lg_json *value)
{
    return !value || lg_json_is(value, LG_JSON_NULL);
}

static void note(comparison *c, const lg_json *before, const lg_json *after)
{
    lg_world_differences *found = c->found;
    found->total++;
    if (found->count >= found->limit) {
        return;
    }
    if (!found->items) {
        found->items = LG_NEW_ARRAY(found->arena, lg_world_difference, found->limit);
    }
    lg_str path = lg_arena_str(found->arena, lg_buf_str(&c->path));
    if (!found->items || !path.ptr || lg_buf_status(&c->path) != LG_OK) {
        found->oom = true;
        return;
    }
    found->items[found->count++] = (lg_world_difference){path, before, after};
}

static void compare(comparison *c, const lg_json *before, const lg_json *after, uint32_t depth);

static void compare_member(comparison *c, lg_str key, const lg_json *before, const lg_json *after,
                           uint32_t depth)
{
    size_t length = c->path.len;
    LG_DEBUG_ASSERT(before || after);
    if (before && after && world_is_same(before, after)) {
        return; // nearly always, and then no path need be written
    }
    world_print_key(&c->path, key, length == 0);
    compare(c, before, after, depth + 1);
    c->path.len = length;
}

static void compare_objects(comparison *c, const lg_json *before, const lg_json *after,
                            uint32_t depth)
{
    for (size_t i = 0; i < lg_json_len(before); i++) {
        lg_str key = lg_json_key(lg_json_member_at(before, i));
        const lg_json *other =
            i < lg_json_len(after) && lg_str_eq(lg_json_key(lg_json_member_at(after, i)), key)
                ? &lg_json_member_at(after, i)->value
                : lg_json_get(after, key);
        compare_member(c, key, &lg_json_member_at(before, i)->value, other, depth);
    }
    for (size_t i = 0; i < lg_json_len(after); i++) {
        lg_str key = lg_json_key(lg_json_member_at(after, i));
        if (!lg_json_get(before, key)) {
            compare_member(c, key, NULL, &lg_json_member_at(after, i)->value, depth);
        }
    }
}

static void compare_arrays(comparison *c, const lg_json *before, const lg_json *after,
                           uint32_t depth)
{
    size_t length = c->path.len;
    for (size_t i = 0; i < lg_json_len(before); i++) {
        lg_buf_addf(&c->path, "[%zu]", i);
        compare(c, lg_json_item(before, i), lg_json_item(after, i), depth + 1);
        c->path.len = length;
    }
}

static void compare(comparison *c, const lg_json *before, const lg_json *after, uint32_t depth)
{
    if (is_nothing(before) || is_nothing(after)) {
        if (!is_nothing(before) || !is_nothing(after)) {
            note(c, before, after);
        }
        return;
    }
    if (world_is_same(before, after)) {
        return;
    }
    bool objects = lg_json_is(before, LG_JSON_OBJECT) && lg_json_is(after, LG_JSON_OBJECT);
    bool arrays = lg_json_is(before, LG_JSON_ARRAY) && lg_json_is(after, LG_JSON_ARRAY) &&
                  lg_json_len(before) == lg_json_len(after);
    if (depth < LG_JSON_DEPTH_MAX && objects) {
        compare_objects(c, before, after, depth);
    } else if (depth < LG_JSON_DEPTH_MAX && arrays) {
        compare_arrays(c, before, after, depth);
    } else if (!lg_json_equal(before, after)) {
        note(c, before, after);
    }
}

void lg_world_compare(const lg_json *before, const lg_json *after, lg_world_differences *ret)
{
    comparison c = {.found = ret};
    ret->items = NULL;
    ret->count = 0;
    ret->total = 0;
    ret->oom = false;
    lg_buf_init(&c.path, 0);
    compare(&c, before, after, 0);
    ret->oom = ret->oom || lg_buf_status(&c.path) != LG_OK;
    lg_buf_done(&c.path);
}
