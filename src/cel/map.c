// Maps made during evaluation. Keys that are numbers are one key if they are equal as numbers, so
// the hash of a number depends on its value only.
#include "base/hash.h"
#include "cel/cel_internal.h"

lg_cel_map *lg_cel_map_new(lg_arena *arena, size_t capacity)
{
    lg_cel_map *map = LG_NEW(arena, lg_cel_map);
    if (!map || capacity > UINT32_MAX / 8) {
        return NULL;
    }
    map->capacity = (uint32_t)capacity;
    map->pairs = lg_arena_alloc(arena, (capacity + 1) * sizeof(*map->pairs), 16);
    return map->pairs ? map : NULL;
}

// Brings a key to the form in which it is stored and compared: a number without a fraction is an
// int if it can be, else a uint. False if no key can equal it.
static bool normalise(lg_cel_value *key)
{
    switch ((lg_cel_kind)key->kind) {
    case LG_CEL_BOOL:
    case LG_CEL_INT:
    case LG_CEL_STRING:
        return true;
    case LG_CEL_UINT:
        if (key->as.u64 <= (uint64_t)INT64_MAX) {
            *key = lg_cel_make_int((int64_t)key->as.u64);
        }
        return true;
    case LG_CEL_DOUBLE:
        if (key->as.f64 >= -0x1p63 && key->as.f64 < 0x1p63) {
            int64_t whole = (int64_t)key->as.f64;
            bool exact = (double)whole == key->as.f64;
            *key = lg_cel_make_int(whole);
            return exact;
        }
        if (key->as.f64 >= 0x1p63 && key->as.f64 < 0x1p64) {
            *key = lg_cel_make_uint((uint64_t)key->as.f64);
            return true;
        }
        return false;
    case LG_CEL_ERROR:
    case LG_CEL_DYN:
    case LG_CEL_NULL:
    case LG_CEL_BYTES:
    case LG_CEL_TIMESTAMP:
    case LG_CEL_DURATION:
    case LG_CEL_LIST:
    case LG_CEL_MAP:
    case LG_CEL_OBJECT:
    case LG_CEL_TYPE:
    case LG_CEL_OPTIONAL:
    case LG_CEL_OPAQUE:
    case LG_CEL_PARAM:
        return false;
    }
    return false;
}

// Both are normalised.
static bool same_key(const lg_cel_value *a, const lg_cel_value *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind == LG_CEL_STRING) {
        return lg_str_eq(lg_cel_str(*a), lg_cel_str(*b));
    }
    return a->kind == LG_CEL_BOOL ? a->as.boolean == b->as.boolean : a->as.u64 == b->as.u64;
}

static uint64_t hash_key(const lg_cel_value *key)
{
    if (key->kind == LG_CEL_STRING) {
        return lg_hash(lg_cel_str(*key));
    }
    uint64_t bits = key->kind == LG_CEL_BOOL ? (uint64_t)key->as.boolean : key->as.u64;
    bits = (bits + key->kind) * UINT64_C(0x9E3779B97F4A7C15);
    return bits ^ bits >> 32;
}

// The key as it would be stored; what was stored keeps its own kind for the eyes of the user.
static lg_cel_value normalised(lg_cel_value key)
{
    normalise(&key);
    return key;
}

// At a limit, any slot will do.
static uint32_t *find_slot(lg_cel_vm *vm, const lg_cel_map *map, const lg_cel_value *key)
{
    uint32_t mask = map->table_size - 1;
    for (uint32_t at = (uint32_t)hash_key(key) & mask;; at = (at + 1) & mask) {
        if (map->table[at] == 0 || (vm && !lg_cel_charge(vm, 1))) {
            return &map->table[at];
        }
        lg_cel_value stored = normalised(map->pairs[map->table[at] - 1].key);
        if (same_key(&stored, key)) {
            return &map->table[at];
        }
    }
}

const lg_cel_value *lg_cel_map_find(lg_cel_vm *vm, const lg_cel_map *map, lg_cel_value key)
{
    uint64_t text = key.kind == LG_CEL_STRING ? lg_cel_text_cost(key.aux) : 0;
    if (!normalise(&key) || (vm && !lg_cel_charge(vm, 1 + text))) {
        return NULL;
    }
    if (map->table_size) {
        uint32_t *slot = find_slot(vm, map, &key);
        return *slot ? &map->pairs[*slot - 1].value : NULL;
    }
    for (uint32_t i = 0; i < map->count; i++) {
        lg_cel_value stored = normalised(map->pairs[i].key);
        if (same_key(&stored, &key)) {
            return &map->pairs[i].value;
        }
    }
    return NULL;
}

// At most half of the table is in use.
static bool build_table(lg_cel_vm *vm, lg_arena *arena, lg_cel_map *map)
{
    uint32_t size = map->table_size ? map->table_size * 2 : LG_CEL_MAP_SCAN * 4;
    while (size < map->capacity * 2) {
        size *= 2;
    }
    map->table = LG_NEW_ARRAY(arena, uint32_t, size);
    if (!map->table) {
        return false;
    }
    map->table_size = size;
    for (uint32_t i = 0; i < map->count; i++) {
        lg_cel_value key = normalised(map->pairs[i].key);
        *find_slot(vm, map, &key) = i + 1;
    }
    return true;
}

lg_cel_put lg_cel_map_put(lg_cel_vm *vm, lg_arena *arena, lg_cel_map *map, lg_cel_value key,
                          lg_cel_value value)
{
    bool may_be_key = key.kind == LG_CEL_BOOL || key.kind == LG_CEL_INT ||
                      key.kind == LG_CEL_UINT || key.kind == LG_CEL_STRING;
    if (!may_be_key) {
        return LG_CEL_PUT_BAD_KEY;
    }
    if (lg_cel_map_find(vm, map, key)) {
        return LG_CEL_PUT_TAKEN;
    }
    size_t capacity = map->capacity;
    lg_cel_pair *pairs =
        lg_arena_grow(arena, map->pairs, map->count, &capacity, sizeof(*map->pairs));
    if (!pairs || capacity > UINT32_MAX / 8) {
        return LG_CEL_PUT_OOM;
    }
    map->pairs = pairs;
    map->capacity = (uint32_t)capacity;
    map->pairs[map->count++] = (lg_cel_pair){key, value};
    if (vm && vm->limit) {
        return LG_CEL_PUT_OK; // what comes out counts no more
    }
    if (map->count >= LG_CEL_MAP_SCAN && map->count * 2 > map->table_size) {
        return build_table(vm, arena, map) ? LG_CEL_PUT_OK : LG_CEL_PUT_OOM;
    }
    if (map->table_size) {
        lg_cel_value stored = normalised(key);
        *find_slot(vm, map, &stored) = map->count;
    }
    return LG_CEL_PUT_OK;
}
