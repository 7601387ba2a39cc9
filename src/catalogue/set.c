// set.c: a set of texts, for names that must be unique.
#include "catalogue/catalogue_internal.h"

#include "base/hash.h"

typedef struct text_slot {
    lg_str key;
    uint64_t hash;
    size_t index_plus_1; // 0: free
} text_slot;

static text_slot *find_slot(const text_set *set, uint64_t hash, lg_str key)
{
    size_t at = (size_t)hash & (set->capacity - 1);
    while (set->slots[at].index_plus_1 &&
           !(set->slots[at].hash == hash && lg_str_eq(set->slots[at].key, key))) {
        at = (at + 1) & (set->capacity - 1);
    }
    return &set->slots[at];
}

static bool grow(lg_arena *arena, text_set *set)
{
    text_set bigger = {.capacity = set->capacity ? set->capacity * 2 : 32, .count = set->count};
    bigger.slots = LG_NEW_ARRAY(arena, text_slot, bigger.capacity);
    if (!bigger.slots) {
        return false;
    }
    for (size_t i = 0; i < set->capacity; i++) {
        if (set->slots[i].index_plus_1) {
            *find_slot(&bigger, set->slots[i].hash, set->slots[i].key) = set->slots[i];
        }
    }
    *set = bigger;
    return true;
}

size_t lg_text_set_put(lg_arena *arena, text_set *set, lg_str key, size_t index, bool *oom)
{
    if (set->count * 2 >= set->capacity && !grow(arena, set)) {
        *oom = true;
        return SIZE_MAX;
    }
    uint64_t hash = lg_hash(key);
    text_slot *slot = find_slot(set, hash, key);
    if (slot->index_plus_1) {
        return slot->index_plus_1 - 1;
    }
    *slot = (text_slot){key, hash, index + 1};
    set->count++;
    return SIZE_MAX;
}

size_t lg_text_set_find(const text_set *set, lg_str key)
{
    return set->capacity ? find_slot(set, lg_hash(key), key)->index_plus_1 - 1 : SIZE_MAX;
}
