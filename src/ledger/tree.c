// tree.c: path copying. The nodes along one path are copied, everything beside it is shared.
#include "ledger/tree.h"

lg_status lg_tree_with_member(lg_arena *arena, const lg_json *object, lg_str key, lg_json value,
                              lg_json *ret)
{
    size_t count = lg_json_is(object, LG_JSON_OBJECT) ? lg_json_len(object) : 0;
    const lg_json *old = count ? lg_json_get(object, key) : NULL;
    if (key.len > LG_JSON_LEN_MAX || count >= LG_JSON_LEN_MAX) {
        return LG_ERR_LIMIT;
    }
    size_t new_count = old ? count : count + 1;
    lg_json_member *members = lg_json_alloc_members(arena, new_count);
    if (!members) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < count; i++) {
        members[i] = object->as.members[i];
        if (&object->as.members[i].value == old) {
            members[i].value = value;
        }
    }
    if (!old) {
        members[count] = lg_json_make_member(key, value);
    }
    *ret = lg_json_make_object(members, new_count);
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
