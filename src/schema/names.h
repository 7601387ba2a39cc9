// names.h: which property a member's name is.
//
// A name is compared by its length and its two ends, eight bytes each, which overlap in a short
// name and leave a middle to compare in a long one. The first guess is the property that the schema
// declares after the last one found: most texts keep that order. A wrong guess asks a table of
// slots. (Arguments of tool calls, two members in the middle: 8 ns a member by binary search, 3 ns
// so.)
#ifndef LG_SCHEMA_NAMES_H
#define LG_SCHEMA_NAMES_H

#include "schema/schema_internal.h"

// Gives `rules` its slots and guesses, once all of its properties are known. `declared` is the
// object under `properties`, or NULL. False: no memory.
LG_NODISCARD bool lg_names_prepare(lg_arena *arena, object_rules *rules, const lg_json *declared);

// By binary search, for rules that have no slots.
const property *lg_names_search(const object_rules *rules, lg_str name);

static inline name_ends lg_name_ends(lg_str name)
{
    name_ends ends = {0, 0};
    if (name.len >= 8) {
        memcpy(&ends.head, name.ptr, 8);
        memcpy(&ends.tail, name.ptr + name.len - 8, 8);
    } else if (name.len >= 4) {
        uint32_t head;
        uint32_t tail;
        memcpy(&head, name.ptr, 4);
        memcpy(&tail, name.ptr + name.len - 4, 4);
        ends = (name_ends){head, tail};
    } else if (name.len) {
        ends.head = (unsigned char)name.ptr[0];
        ends.tail = (uint64_t)(unsigned char)name.ptr[name.len / 2] << 8 |
                    (unsigned char)name.ptr[name.len - 1];
    }
    return ends;
}

static inline bool lg_name_is(const property *p, lg_str name, name_ends ends)
{
    return p->name.len == name.len && p->ends.head == ends.head && p->ends.tail == ends.tail &&
           (name.len <= 16 || memcmp(p->name.ptr + 8, name.ptr + 8, name.len - 16) == 0);
}

static inline uint32_t lg_name_slot(const object_rules *rules, lg_str name, name_ends ends)
{
    uint64_t mixed = (ends.head ^ (ends.tail * UINT64_C(0x9E3779B97F4A7C15)) ^ name.len) *
                     UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(mixed >> 32) & rules->slot_mask;
}

// The property called `name`, or NULL. `guess` is an index to try first: `rules->first`, then the
// `next` of what was found.
static inline const property *lg_names_find(const object_rules *rules, lg_str name, uint32_t guess)
{
    if (!rules->slots) {
        return rules->property_count ? lg_names_search(rules, name) : NULL;
    }
    name_ends ends = lg_name_ends(name);
    if (lg_name_is(&rules->properties[guess], name, ends)) {
        return &rules->properties[guess];
    }
    uint32_t at = lg_name_slot(rules, name, ends);
    for (; rules->slots[at]; at = (at + 1) & rules->slot_mask) {
        const property *p = &rules->properties[rules->slots[at] - 1];
        if (lg_name_is(p, name, ends)) {
            return p;
        }
    }
    return NULL;
}

#endif
