// tree.c: path copying. The nodes along one path are copied, everything beside it is shared.
//
// An object is mapped if, and only if, an update has made it and it has more than LG_JSON_INDEX_MIN
// members. So whoever walks small objects need not know of maps.
#include "json/tree.h"

#include "base/map.h"

// --- Small objects ------------------------------------------------------------------------------

static lg_status replace_member(lg_arena *arena, const lg_json *object, const lg_json *old,
                                lg_json value, lg_json *ret)
{
    size_t count = lg_json_len(object);
    lg_json_member *members = lg_json_alloc_members(arena, count);
    if (!members) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        members[i] = *member;
        members[i].value = &member->value == old ? value : member->value;
    }
    *ret = lg_json_make_object(members, count);
    return LG_OK;
}

static lg_status append_member(lg_arena *arena, const lg_json *object, lg_str key, lg_json value,
                               lg_json *ret)
{
    size_t count = lg_json_is(object, LG_JSON_OBJECT) ? lg_json_len(object) : 0;
    lg_json_member *members = lg_json_alloc_members(arena, count + 1);
    if (!members) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < count; i++) {
        members[i] = *lg_json_member_at(object, i);
    }
    members[count] = lg_json_make_member(key, value);
    *ret = lg_json_make_object(members, count + 1);
    return LG_OK;
}

// --- Large objects ------------------------------------------------------------------------------

static lg_status make_mapped(lg_arena *arena, const lg_map *map, lg_json *ret)
{
    lg_map *kept = LG_NEW(arena, lg_map);
    if (!kept) {
        return LG_ERR_OOM;
    }
    *kept = *map;
    *ret = lg_json_make_object(NULL, 0);
    ret->len = map->count & LG_JSON_LEN_MAX;
    ret->offset = LG_JSON_MAPPED;
    ret->as.map = kept;
    return LG_OK;
}

// The members of any object as a map.
static bool map_of(lg_arena *arena, const lg_json *object, lg_map *ret)
{
    if (object->offset == LG_JSON_MAPPED) {
        *ret = *object->as.map;
        return true;
    }
    bool fine = true;
    *ret = (lg_map){0};
    for (size_t i = 0; i < lg_json_len(object) && fine; i++) {
        const lg_json_member *member = &object->as.members[i];
        fine = lg_map_put(arena, ret, lg_json_key(member), member, 1); // nobody has seen it yet
    }
    return fine;
}

lg_status lg_tree_prepare(lg_arena *arena, const lg_json *object, lg_json *ret)
{
    lg_map map;
    *ret = *object;
    if (!lg_json_is(object, LG_JSON_OBJECT) || object->offset == LG_JSON_MAPPED ||
        lg_json_len(object) <= LG_JSON_INDEX_MIN) {
        return LG_OK;
    }
    return map_of(arena, object, &map) ? make_mapped(arena, &map, ret) : LG_ERR_OOM;
}

static lg_status put_member(lg_arena *arena, const lg_json *object, lg_str key, lg_json value,
                            lg_json *ret)
{
    lg_map map;
    lg_json_member *member = LG_NEW(arena, lg_json_member);
    if (!member || !map_of(arena, object, &map)) {
        return LG_ERR_OOM;
    }
    *member = lg_json_make_member(key, value);
    return lg_map_put(arena, &map, lg_json_key(member), member, 0) ? make_mapped(arena, &map, ret)
                                                                   : LG_ERR_OOM;
}

// --- Members ------------------------------------------------------------------------------------

lg_status lg_tree_with_member(lg_arena *arena, const lg_json *object, lg_str key, lg_json value,
                              lg_json *ret)
{
    size_t count = lg_json_is(object, LG_JSON_OBJECT) ? lg_json_len(object) : 0;
    bool large = count > LG_JSON_INDEX_MIN;
    const lg_json *old = count && !large ? lg_json_get(object, key) : NULL;
    if (key.len > LG_JSON_LEN_MAX || count >= LG_JSON_LEN_MAX) {
        return LG_ERR_LIMIT;
    }
    if (large || count + !old > LG_JSON_INDEX_MIN) {
        return put_member(arena, object, key, value, ret);
    }
    return old ? replace_member(arena, object, old, value, ret)
               : append_member(arena, object, key, value, ret);
}

static lg_status remove_few(lg_arena *arena, const lg_json *object, const lg_json *old,
                            lg_json *ret)
{
    size_t kept = 0;
    lg_json_member *members = lg_json_alloc_members(arena, lg_json_len(object) - 1);
    if (!members) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < lg_json_len(object); i++) {
        const lg_json_member *member = lg_json_member_at(object, i);
        if (&member->value != old) {
            members[kept++] = *member;
        }
    }
    *ret = lg_json_make_object(members, kept);
    return LG_OK;
}

lg_status lg_tree_without_member(lg_arena *arena, const lg_json *object, lg_str key, lg_json *ret)
{
    const lg_json *old = lg_json_get(object, key);
    lg_map map;
    if (!old) {
        *ret = *object;
        return LG_OK;
    }
    if (lg_json_len(object) - 1 <= LG_JSON_INDEX_MIN) {
        return remove_few(arena, object, old, ret);
    }
    return map_of(arena, object, &map) && lg_map_remove(arena, &map, key)
               ? make_mapped(arena, &map, ret)
               : LG_ERR_OOM;
}

// Down the path first, then the copies on the way back up; paths are short and bounded.
lg_status lg_tree_with(lg_arena *arena, const lg_json *root, const lg_str *path, size_t count,
                       lg_json value, lg_json *ret)
{
    if (count == 0) {
        *ret = value;
        return LG_OK;
    }
    lg_json below;
    const lg_json *child = count > 1 ? lg_json_get(root, path[0]) : NULL; // else it is replaced
    lg_status status = lg_tree_with(arena, child, path + 1, count - 1, value, &below);
    return status == LG_OK ? lg_tree_with_member(arena, root, path[0], below, ret) : status;
}

// --- Items --------------------------------------------------------------------------------------

lg_status lg_tree_with_item(lg_arena *arena, const lg_json *array, lg_json item, lg_json *ret)
{
    size_t count = lg_json_is(array, LG_JSON_ARRAY) ? lg_json_len(array) : 0;
    lg_json *items = LG_NEW_ARRAY(arena, lg_json, count + 1);
    if (!items || count >= LG_JSON_LEN_MAX) {
        return items ? LG_ERR_LIMIT : LG_ERR_OOM;
    }
    if (count) {
        memcpy(items, array->as.items, count * sizeof(*items));
    }
    items[count] = item;
    *ret = lg_json_make_array(items, count + 1);
    return LG_OK;
}

// A copy of all items, which may still be changed; NULL when out of memory.
static lg_json *copy_items(lg_arena *arena, const lg_json *array)
{
    size_t count = lg_json_len(array);
    lg_json *items = LG_NEW_ARRAY(arena, lg_json, count);
    if (items) {
        memcpy(items, array->as.items, count * sizeof(*items));
    }
    return items;
}

lg_status lg_tree_with_item_at(lg_arena *arena, const lg_json *array, size_t index, lg_json item,
                               lg_json *ret)
{
    LG_ASSERT(index < lg_json_len(array));
    lg_json *items = copy_items(arena, array);
    if (!items) {
        return LG_ERR_OOM;
    }
    items[index] = item;
    *ret = lg_json_make_array(items, lg_json_len(array));
    return LG_OK;
}

lg_status lg_tree_without_item(lg_arena *arena, const lg_json *array, size_t index, lg_json *ret)
{
    LG_ASSERT(index < lg_json_len(array));
    size_t left = lg_json_len(array) - index - 1;
    lg_json *items = copy_items(arena, array);
    if (!items) {
        return LG_ERR_OOM;
    }
    memmove(&items[index], &items[index + 1], left * sizeof(*items));
    *ret = lg_json_make_array(items, index + left);
    return LG_OK;
}

// --- Moving -------------------------------------------------------------------------------------

static bool move_member(lg_mover *mover, lg_json_member *member)
{
    return lg_mover_text(mover, &member->key, member->key_len) &&
           lg_tree_move(mover, &member->value);
}

#define OUTERMOST_DEPTH 2u // the collections below the root

// Large flat objects have their index behind the members.
static size_t size_of_members(size_t count)
{
    size_t index = count > LG_JSON_INDEX_MIN ? sizeof(uint32_t) : 0;
    return count * (sizeof(lg_json_member) + index);
}

static bool move_members(lg_mover *mover, lg_json *object)
{
    bool fresh;
    lg_json_member *members = lg_mover_block(
        mover, object->as.members, size_of_members(object->len), _Alignof(lg_json_member), &fresh);
    bool fine = members != NULL;
    object->as.members = members;
    for (size_t i = 0; i < object->len && fresh && fine; i++) {
        fine = move_member(mover, &members[i]);
    }
    return fine;
}

static bool move_items(lg_mover *mover, lg_json *array)
{
    bool fresh;
    lg_json *items = lg_mover_block(mover, array->as.items, array->len * sizeof(lg_json),
                                    _Alignof(lg_json), &fresh);
    bool fine = items != NULL;
    array->as.items = items;
    for (size_t i = 0; i < array->len && fresh && fine; i++) {
        fine = lg_tree_move(mover, &items[i]);
    }
    return fine;
}

static const void *move_mapped(lg_mover *mover, const void *item)
{
    bool fresh;
    lg_json_member *member =
        lg_mover_block(mover, item, sizeof(*member), _Alignof(lg_json_member), &fresh);
    return member && (!fresh || move_member(mover, member)) ? member : NULL;
}

static const void *move_mapped_once(lg_mover *mover, const void *item)
{
    bool fresh;
    lg_json_member *member =
        lg_mover_once(mover, item, sizeof(*member), _Alignof(lg_json_member), &fresh);
    return member && (!fresh || move_member(mover, member)) ? member : NULL;
}

static bool move_map(lg_mover *mover, lg_json *object)
{
    bool fresh;
    bool once = mover->single && mover->depth <= OUTERMOST_DEPTH;
    lg_map *map = lg_mover_block(mover, object->as.map, sizeof(*map), _Alignof(lg_map), &fresh);
    object->as.map = map;
    return map && (!fresh || lg_map_move(mover, map, once, once ? move_mapped_once : move_mapped));
}

static bool move_below(lg_mover *mover, lg_json *value)
{
    switch (lg_json_type_of(value)) {
    case LG_JSON_STRING:
    case LG_JSON_BIGNUM:
        return lg_mover_text(mover, &value->as.text, value->len);
    case LG_JSON_ARRAY:
        return value->len == 0 || move_items(mover, value);
    case LG_JSON_OBJECT:
        return value->len == 0                   ? true
               : value->offset == LG_JSON_MAPPED ? move_map(mover, value)
                                                 : move_members(mover, value);
    case LG_JSON_NULL:
    case LG_JSON_BOOL:
    case LG_JSON_INT:
    case LG_JSON_UINT:
    case LG_JSON_DOUBLE:
        break;
    }
    return true;
}

bool lg_tree_move(lg_mover *mover, lg_json *value)
{
    mover->depth++;
    bool fine = mover->depth <= LG_JSON_DEPTH_MAX && move_below(mover, value);
    mover->depth--;
    return fine;
}

const lg_json *lg_tree_move_at(lg_mover *mover, const lg_json *value)
{
    bool fresh;
    lg_json *copy = lg_mover_block(mover, value, sizeof(*copy), _Alignof(lg_json), &fresh);
    return copy && (!fresh || lg_tree_move(mover, copy)) ? copy : NULL;
}
