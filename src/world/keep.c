// keep.c: what a call leads to, copied out of the memory it was made in.
//
// A call may take many steps, each with a root of its own. Only the last root is kept: what it
// shares with the one before the call stays shared, and the rest is copied. So the memory of a world
// grows with what changed, and not with how it came about.
#include "world/world_internal.h"

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

static bool keep(lg_world *world, const lg_json *old, const lg_json *value, lg_json *ret,
                 uint32_t depth);

static bool keep_items(lg_world *world, const lg_json *old, const lg_json *value, lg_json *ret,
                       uint32_t depth)
{
    size_t count = lg_json_len(value);
    lg_json *items = LG_NEW_ARRAY(&world->arena, lg_json, count + 1);
    if (!items) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!keep(world, lg_json_item(old, i), &value->as.items[i], &items[i], depth + 1)) {
            return false;
        }
    }
    *ret = lg_json_make_array(items, count);
    return true;
}

// The member of `old` with this key: nearly always it stands where it does in the new object.
static const lg_json_member *old_member(const lg_json *old, size_t index,
                                        const lg_json_member *member)
{
    if (!lg_json_is(old, LG_JSON_OBJECT)) {
        return NULL;
    }
    if (index < lg_json_len(old) && old->as.members[index].key == member->key &&
        old->as.members[index].key_len == member->key_len) {
        return &old->as.members[index];
    }
    const lg_json *value = lg_json_get(old, lg_json_key(member));
    const char *first = (const char *)&old->as.members[0].value;
    return value ? &old->as.members[(size_t)((const char *)value - first) / sizeof(*member)] : NULL;
}

static bool keep_members(lg_world *world, const lg_json *old, const lg_json *value, lg_json *ret,
                         uint32_t depth)
{
    size_t count = lg_json_len(value);
    lg_json_member *members = lg_json_alloc_members(&world->arena, count);
    if (!members) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json_member *from = &value->as.members[i];
        const lg_json_member *before = old_member(old, i, from);
        lg_json kept;
        lg_str key = before ? lg_json_key(before) : lg_arena_str(&world->arena, lg_json_key(from));
        if (!key.ptr ||
            !keep(world, before ? &before->value : NULL, &from->value, &kept, depth + 1)) {
            return false;
        }
        members[i] = lg_json_make_member(key, kept);
    }
    *ret = lg_json_make_object(members, count);
    return true;
}

static bool keep(lg_world *world, const lg_json *old, const lg_json *value, lg_json *ret,
                 uint32_t depth)
{
    *ret = *value;
    if (value->type < LG_JSON_BIGNUM || (old && world_is_same(old, value))) {
        return true;
    }
    if (depth > LG_JSON_DEPTH_MAX) {
        return false;
    }
    ret->offset = LG_JSON_NO_OFFSET;
    if (value->type == LG_JSON_ARRAY) {
        return keep_items(world, old, value, ret, depth);
    }
    if (value->type == LG_JSON_OBJECT) {
        return keep_members(world, old, value, ret, depth);
    }
    ret->as.text = lg_arena_str(&world->arena, lg_str_of(value->as.text, value->len)).ptr;
    return ret->as.text != NULL;
}

bool world_keep(lg_world *world, const lg_json *old, const lg_json *value, lg_json *ret)
{
    return keep(world, old, value, ret, 0);
}
