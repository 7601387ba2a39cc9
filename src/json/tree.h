// tree.h: persistent updates of JSON values: a new root that shares what did not change.
#ifndef LG_JSON_TREE_H
#define LG_JSON_TREE_H

#include "json/json.h"

// A copy of `object` (or of an empty one, if it is no object) whose member `key` is `value`.
LG_NODISCARD lg_status lg_tree_with_member(lg_arena *arena, const lg_json *object, lg_str key,
                                           lg_json value, lg_json *ret);

// A copy of `root` with `value` at the path; objects are made where there are none.
LG_NODISCARD lg_status lg_tree_with(lg_arena *arena, const lg_json *root, const lg_str *path,
                                    size_t count, lg_json value, lg_json *ret);

// One of many values that are set at once.
typedef struct lg_tree_update {
    const lg_str *path;
    uint32_t count; // segments of `path`
    lg_json value;
} lg_tree_update;

// As lg_tree_with for each of `updates` in turn, in time and memory that grow with the sizes of
// what is replaced and of the updates, not with their product. No path may lead through another.
LG_NODISCARD lg_status lg_tree_with_many(lg_arena *arena, const lg_json *root,
                                         const lg_tree_update *updates, uint32_t count,
                                         lg_json *ret);

// A copy of `object` without its member `key`; the same again if it has none.
LG_NODISCARD lg_status lg_tree_without_member(lg_arena *arena, const lg_json *object, lg_str key,
                                              lg_json *ret);

// A copy of `array` (or of an empty one) with `item` at its end.
LG_NODISCARD lg_status lg_tree_with_item(lg_arena *arena, const lg_json *array, lg_json item,
                                         lg_json *ret);

// A copy of `array` with `item` at `index`, or without the item there. The array has that item.
LG_NODISCARD lg_status lg_tree_with_item_at(lg_arena *arena, const lg_json *array, size_t index,
                                            lg_json item, lg_json *ret);
LG_NODISCARD lg_status lg_tree_without_item(lg_arena *arena, const lg_json *array, size_t index,
                                            lg_json *ret);

#endif
