// tree.h: persistent updates of JSON values: a new root that shares what did not change.
//
// An object of up to LG_JSON_INDEX_MIN members is copied, one of more becomes a map (base/map.h) the
// first time, and after that an update costs O(log n) in time and memory. Arrays are copied.
#ifndef LG_JSON_TREE_H
#define LG_JSON_TREE_H

#include "base/move.h"
#include "json/json.h"

// A copy of `object` (or of an empty one, if it is no object) whose member `key` is `value`.
LG_NODISCARD lg_status lg_tree_with_member(lg_arena *arena, const lg_json *object, lg_str key,
                                           lg_json value, lg_json *ret);

// A copy of `root` with `value` at the path; objects are made where there are none.
LG_NODISCARD lg_status lg_tree_with(lg_arena *arena, const lg_json *root, const lg_str *path,
                                    size_t count, lg_json value, lg_json *ret);

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

// The same object, ready to be updated: a large one becomes a map at once. Any other value is given
// back as it is. Its members stay where they are.
LG_NODISCARD lg_status lg_tree_prepare(lg_arena *arena, const lg_json *object, lg_json *ret);

// Moves what the value points to, and texts and keys. False when out of memory, or nested too deep;
// then the value must not be used. `lg_tree_move_at` moves the value itself as well; NULL then.
LG_NODISCARD bool lg_tree_move(lg_mover *mover, lg_json *value);
LG_NODISCARD const lg_json *lg_tree_move_at(lg_mover *mover, const lg_json *value);

#endif
