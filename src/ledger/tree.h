// tree.h: persistent updates of JSON values: a new root that shares what did not change.
#ifndef LG_LEDGER_TREE_H
#define LG_LEDGER_TREE_H

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

// A copy of `array` (or of an empty one) with `item` at its end.
LG_NODISCARD lg_status lg_tree_with_item(lg_arena *arena, const lg_json *array, lg_json item,
                                         lg_json *ret);

#endif
