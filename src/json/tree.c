// tree.c: path copying. The nodes along one path are copied, everything beside it is shared.
#include "json/tree.h"
#include "base/hash.h"

// The same keys: their index serves the copy too, which saves sorting a large collection again.
static lg_status replace_member(lg_arena *arena, const lg_json *object, const lg_json *old,
                                lg_json value, lg_json *ret)
{
    size_t count = lg_json_len(object);
    size_t index_bytes = count > LG_JSON_INDEX_MIN ? count * sizeof(uint32_t) : 0;
    lg_json_member *members = lg_json_alloc_members(arena, count);
    if (!members) {
        return LG_ERR_OOM;
    }
    memcpy(members, object->as.members, count * sizeof(*members) + index_bytes);
    // A member's value lies inside of it, so its address tells which one it is.
    const char *first = (const char *)&object->as.members[0].value;
    members[(size_t)((const char *)old - first) / sizeof(*members)].value = value;
    *ret = *object;
    ret->offset = LG_JSON_NO_OFFSET;
    ret->as.members = members;
    return LG_OK;
}

lg_status lg_tree_with_member(lg_arena *arena, const lg_json *object, lg_str key, lg_json value,
                              lg_json *ret)
{
    size_t count = lg_json_is(object, LG_JSON_OBJECT) ? lg_json_len(object) : 0;
    const lg_json *old = count ? lg_json_get(object, key) : NULL;
    if (old) {
        return replace_member(arena, object, old, value, ret);
    }
    if (key.len > LG_JSON_LEN_MAX || count >= LG_JSON_LEN_MAX) {
        return LG_ERR_LIMIT;
    }
    lg_json_member *members = lg_json_alloc_members(arena, count + 1);
    if (!members) {
        return LG_ERR_OOM;
    }
    if (count) {
        memcpy(members, object->as.members, count * sizeof(*members));
    }
    members[count] = lg_json_make_member(key, value);
    *ret = lg_json_make_object(members, count + 1);
    return LG_OK;
}

lg_status lg_tree_without_member(lg_arena *arena, const lg_json *object, lg_str key, lg_json *ret)
{
    const lg_json *old = lg_json_get(object, key);
    size_t count = lg_json_len(object);
    size_t kept = 0;
    if (!old) {
        *ret = *object;
        return LG_OK;
    }
    lg_json_member *members = lg_json_alloc_members(arena, count - 1);
    if (!members) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < count; i++) {
        if (&object->as.members[i].value != old) {
            members[kept++] = object->as.members[i];
        }
    }
    *ret = lg_json_make_object(members, kept);
    return LG_OK;
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
    const lg_json *child = lg_json_get(root, path[0]);
    lg_status status = lg_tree_with(arena, child, path + 1, count - 1, value, &below);
    return status == LG_OK ? lg_tree_with_member(arena, root, path[0], below, ret) : status;
}

// --- Many at once -------------------------------------------------------------------------------
//
// The updates below one place form a list. It is divided into one list for each next segment, in
// the order in which these first occur; each of them gives one member.

#define NONE UINT32_MAX

typedef struct group {
    uint32_t first, last; // updates whose next segment is the same
} group;

typedef struct many {
    lg_arena *arena;
    const lg_tree_update *updates;
    uint32_t *next; // by update: the one after it in its list
} many;

static lg_str segment_at(const many *m, uint32_t update, uint32_t depth)
{
    return m->updates[update].path[depth];
}

// Divides the list that begins at `first`, of `count` updates. Returns the number of groups, or 0
// when out of memory.
static uint32_t divide(many *m, uint32_t first, uint32_t count, uint32_t depth, group **ret)
{
    uint32_t mask = 15;
    while (mask < count * 2) {
        mask = mask * 2 + 1;
    }
    uint32_t *slots = LG_NEW_ARRAY(m->arena, uint32_t, mask + 1); // a group's number, from 1
    group *groups = LG_NEW_ARRAY(m->arena, group, count);
    uint32_t group_count = 0;
    if (!slots || !groups) {
        return 0;
    }
    for (uint32_t at = first, after; at != NONE; at = after) {
        after = m->next[at];
        lg_str segment = segment_at(m, at, depth);
        uint32_t slot = (uint32_t)lg_hash(segment) & mask;
        while (slots[slot] &&
               !lg_str_eq(segment_at(m, groups[slots[slot] - 1].first, depth), segment)) {
            slot = (slot + 1) & mask;
        }
        if (slots[slot] == 0) {
            groups[group_count++] = (group){at, at};
            slots[slot] = group_count;
        } else {
            m->next[groups[slots[slot] - 1].last] = at;
            groups[slots[slot] - 1].last = at;
        }
        m->next[at] = NONE;
    }
    *ret = groups;
    return group_count;
}

static lg_status with_list(many *m, const lg_json *root, uint32_t first, uint32_t depth,
                           lg_json *ret);

// The members of `object`, some of them replaced, and those that are new behind them.
static lg_status with_groups(many *m, const lg_json *object, const group *groups,
                             uint32_t group_count, uint32_t depth, lg_json *ret)
{
    size_t old_count = lg_json_is(object, LG_JSON_OBJECT) ? lg_json_len(object) : 0;
    size_t count = old_count;
    lg_json_member *members = lg_json_alloc_members(m->arena, old_count + group_count);
    if (!members) {
        return LG_ERR_OOM;
    }
    if (old_count) {
        memcpy(members, object->as.members, old_count * sizeof(*members));
    }
    for (uint32_t g = 0; g < group_count; g++) {
        lg_str key = segment_at(m, groups[g].first, depth);
        const lg_json *old = old_count ? lg_json_get(object, key) : NULL;
        lg_json below;
        lg_status status = key.len > LG_JSON_LEN_MAX || count >= LG_JSON_LEN_MAX
                               ? LG_ERR_LIMIT
                               : with_list(m, old, groups[g].first, depth + 1, &below);
        if (status != LG_OK) {
            return status;
        }
        if (old) { // a member's value lies inside of it, so its address tells which one it is
            const char *start = (const char *)&object->as.members[0].value;
            members[(size_t)((const char *)old - start) / sizeof(*members)].value = below;
        } else {
            members[count++] = lg_json_make_member(key, below);
        }
    }
    *ret = lg_json_make_object(members, count);
    return LG_OK;
}

// As deep as the longest path.
static lg_status with_list(many *m, const lg_json *root, uint32_t first, uint32_t depth,
                           lg_json *ret)
{
    uint32_t count = 1;
    uint32_t last = first;
    for (; m->next[last] != NONE; last = m->next[last]) {
        count++;
    }
    if (m->updates[last].count == depth) {
        *ret = m->updates[last].value;
        return LG_OK;
    }
    group *groups = NULL;
    uint32_t group_count = divide(m, first, count, depth, &groups);
    return group_count ? with_groups(m, root, groups, group_count, depth, ret) : LG_ERR_OOM;
}

lg_status lg_tree_with_many(lg_arena *arena, const lg_json *root, const lg_tree_update *updates,
                            uint32_t count, lg_json *ret)
{
    many m = {.arena = arena, .updates = updates};
    if (count == 0) {
        *ret = *root;
        return LG_OK;
    }
    if (count == 1) {
        return lg_tree_with(arena, root, updates->path, updates->count, updates->value, ret);
    }
    m.next = LG_NEW_ARRAY(arena, uint32_t, count);
    if (!m.next) {
        return LG_ERR_OOM;
    }
    for (uint32_t i = 0; i < count; i++) {
        m.next[i] = i + 1 < count ? i + 1 : NONE;
    }
    return with_list(&m, root, 0, 0, ret);
}

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
