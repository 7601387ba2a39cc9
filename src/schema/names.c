// names.c: see names.h.
//
// Names that fall on neighbouring slots make long runs. A schema may be written to have only such
// names, and then a lookup would cost as much as there are names: such rules get no slots, and are
// searched in the order they are sorted in.
#include "schema/names.h"

const property lg_names_nobody = {.name = {"", SIZE_MAX}};

enum { RUN_MAX = 16 }; // a dozen comparisons are what a binary search of thousands takes

static int order_names(lg_str a, lg_str b)
{
    if (a.len != b.len) {
        return a.len < b.len ? -1 : 1;
    }
    return a.len ? memcmp(a.ptr, b.ptr, a.len) : 0;
}

// For rules that have no slots.
static const property *search(const object_rules *rules, lg_str name)
{
    size_t low = 0;
    size_t high = rules->property_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = order_names(name, rules->properties[middle].name);
        if (order == 0) {
            return &rules->properties[middle];
        }
        *(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
    }
    return NULL;
}

const property *lg_names_look_up(const object_rules *rules, lg_str name)
{
    if (!rules->slots) {
        return search(rules, name);
    }
    uint32_t at = lg_name_slot(rules, name);
    for (; rules->slots[at]; at = (at + 1) & rules->slot_mask) {
        const property *p = &rules->properties[rules->slots[at] - 1];
        if (lg_name_is(p, name)) {
            return p;
        }
    }
    return NULL;
}

// Fills `slots` with indices from 1. False if the slots on the way to one are too many.
static bool fill_slots(const object_rules *rules, uint32_t *slots)
{
    for (uint32_t i = 0; i < rules->property_count; i++) {
        const property *p = &rules->properties[i];
        uint32_t at = lg_name_slot(rules, p->name);
        uint32_t run = 0;
        for (; slots[at]; at = (at + 1) & rules->slot_mask) {
            if (++run > RUN_MAX) {
                return false;
            }
        }
        slots[at] = i + 1;
    }
    return true;
}

// A name that is in no slot walks to the end of a run, so no run may be long.
static bool has_long_run(const object_rules *rules, const uint32_t *slots)
{
    uint32_t run = 0;
    for (uint32_t i = 0; i <= rules->slot_mask + RUN_MAX; i++) {
        run = slots[i & rules->slot_mask] ? run + 1 : 0;
        if (run > 2 * RUN_MAX) {
            return true;
        }
    }
    return false;
}

// Links the properties in the order in which they are declared; after the last comes the first.
static void link_declared(object_rules *rules, property *properties, const lg_json *declared)
{
    const property **before = &rules->first;
    for (size_t i = 0; i < lg_json_len(declared); i++) {
        lg_str name = lg_json_key(lg_json_member_at(declared, i));
        const property *p = lg_names_find(rules, name, properties);
        if (p) {
            *before = p;
            before = &properties[p - properties].next;
        }
    }
    *before = rules->first;
}

bool lg_names_prepare(lg_arena *arena, object_rules *rules, const lg_json *declared,
                      property **ret_made)
{
    size_t count = rules->property_count;
    rules->first = &lg_names_nobody;
    *ret_made = NULL;
    if (count == 0 || count > UINT32_MAX / 8) {
        return count == 0;
    }
    uint32_t capacity = 4;
    while (capacity < 2 * count) {
        capacity *= 2;
    }
    property *properties = LG_NEW_ARRAY(arena, property, count);
    uint32_t *slots = LG_NEW_ARRAY(arena, uint32_t, capacity);
    if (!properties || !slots) {
        return false;
    }
    memcpy(properties, rules->properties, count * sizeof(property));
    for (size_t i = 0; i < count; i++) {
        properties[i].words = lg_name_words(properties[i].name);
        properties[i].next = properties;
    }
    rules->properties = rules->first = *ret_made = properties;
    rules->slot_mask = capacity - 1;
    if (fill_slots(rules, slots) && !has_long_run(rules, slots)) {
        rules->slots = slots;
        link_declared(rules, properties, declared);
    }
    return true;
}
