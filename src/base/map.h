// map.h: a persistent map: texts to items, in the order in which they came.
//
// A map is a small struct that never changes what it points to: putting and removing copy the nodes
// along two paths, O(log n), and share the rest. So a snapshot is a copy of the struct. Whatever the
// keys are, none makes it slow: they are compared, not hashed.
//
//     lg_map map = {0};
//     if (!lg_map_put(arena, &map, key, item, 0)) ...   // out of memory
//     for (uint32_t i = 0; i < map.count; i++) use(lg_map_at(&map, i));
#ifndef LG_BASE_MAP_H
#define LG_BASE_MAP_H

#include "base/move.h"

typedef struct lg_map {
    const struct lg_map_key *keys;    // a balanced tree by key, which tells an item's slot
    const struct lg_map_slots *slots; // a trie by slot
    uint32_t count;                   // of items
    uint32_t next;                    // slots that were ever taken: the next item's
} lg_map;

// The item of `key`, or NULL.
const void *lg_map_get(const lg_map *map, lg_str key);

// The same in two steps, for whoever is going to replace it: where `key` stands in this very map, or NULL, and
// its item there.
const struct lg_map_key *lg_map_find(const lg_map *map, lg_str key);
const void *lg_map_item(const lg_map *map, const struct lg_map_key *found);

// The item `index` in their order; it is less than the count.
const void *lg_map_at(const lg_map *map, uint32_t index);

// Where the item of `key` stands in their order, or the count if there is none.
uint32_t lg_map_index(const lg_map *map, lg_str key);

// Gives `key` the item, which is not NULL: in the place of the one that it had, or else at the end.
// Key and item must live as long as the map. False when out of memory, or with 2^28 items; then the
// map is as it was.
//
// Whoever puts many and keeps none of the maps between gives all the same `edit`, not 0, and a number
// that no other puts on maps with common nodes have had: then nodes that an earlier of these puts has
// made are changed in place. After a failure such a map can only be forgotten.
LG_NODISCARD bool lg_map_put(lg_arena *arena, lg_map *map, lg_str key, const void *item,
                             uint64_t edit);

// As lg_map_put where the key was found in this map.
LG_NODISCARD bool lg_map_replace(lg_arena *arena, lg_map *map, const struct lg_map_key *found,
                                 const void *item, uint64_t edit);

// Takes `key` out; the others keep their order. False when out of memory. Without the key the map
// stays what it is.
LG_NODISCARD bool lg_map_remove(lg_arena *arena, lg_map *map, lg_str key);

// Calls `visit` with each item of `after` that does not stand in `before` at the same slot, in their
// order, until it returns false; returns what the last call did. Of two maps of which one was made of
// the other, whichever, only the nodes that differ are looked at. `before` may be NULL.
typedef bool (*lg_map_visit)(void *context, const void *item);
bool lg_map_each_new(const lg_map *before, const lg_map *after, lg_map_visit visit, void *context);

// Moves the nodes, the keys, and each item with `move_item`, which returns its new place or NULL when
// out of memory. False then. `once`: no other map that is moved has nodes of this one.
typedef const void *(*lg_map_move_item)(lg_mover *mover, const void *item);
LG_NODISCARD bool lg_map_move(lg_mover *mover, lg_map *map, bool once, lg_map_move_item move_item);

#endif
