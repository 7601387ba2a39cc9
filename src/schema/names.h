// names.h: which property a member's name is.
//
// A name is compared by its length and its two ends, eight bytes each, which overlap in a short
// name and leave a middle to compare in a long one. The first guess is the property that the schema
// declares after the last one found: most texts keep that order. A wrong guess asks a table of
// slots. (The arguments of a real tool call, two members: 25 ns by binary search, 17 ns so.)
#ifndef LG_SCHEMA_NAMES_H
#define LG_SCHEMA_NAMES_H

#include "schema/schema_internal.h"

// Gives `rules` its slots and guesses, once all of its properties are known. `declared` is the
// object under `properties`, or NULL. False: no memory.
LG_NODISCARD bool lg_names_prepare(lg_arena *arena, object_rules *rules, const lg_json *declared);

static inline uint64_t lg_name_word(const char *from)
{
    uint32_t word;
    memcpy(&word, from, sizeof(word));
    return word;
}

// Four words for all but the shortest names, wherever they overlap: lengths come in no order, so a
// branch on them would be guessed wrong.
static inline name_ends lg_name_ends(lg_str name)
{
    size_t len = name.len;
    const char *ptr = name.ptr;
    if (__builtin_expect(len < 4, 0)) {
        uint64_t last = len ? (unsigned char)ptr[len - 1] : 0;
        uint64_t middle = len ? (unsigned char)ptr[len / 2] : 0;
        return (name_ends){len ? (unsigned char)ptr[0] : 0, middle << 8 | last};
    }
    size_t second = len < 8 ? len - 4 : 4;
    size_t third = len < 8 ? 0 : len - 8;
    return (name_ends){lg_name_word(ptr) | lg_name_word(ptr + second) << 32,
                       lg_name_word(ptr + third) | lg_name_word(ptr + len - 4) << 32};
}

// Compares the ends as they are read: a name of another length costs one comparison.
static inline bool lg_name_is(const property *p, lg_str name)
{
    if (p->name.len != name.len) {
        return false;
    }
    name_ends ends = lg_name_ends(name);
    return p->ends.head == ends.head && p->ends.tail == ends.tail &&
           (name.len <= 16 || memcmp(p->name.ptr + 8, name.ptr + 8, name.len - 16) == 0);
}

static inline uint32_t lg_name_slot(const object_rules *rules, lg_str name)
{
    name_ends ends = lg_name_ends(name);
    uint64_t mixed = (ends.head ^ (ends.tail * UINT64_C(0x9E3779B97F4A7C15)) ^ name.len) *
                     UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(mixed >> 32) & rules->slot_mask;
}

// The property called `name`, or NULL; not the one that was guessed.
const property *lg_names_look_up(const object_rules *rules, lg_str name);

// The property called `name`, or NULL. `guess` is an index to try first: `rules->first`, then the
// `next` of what was found.
static inline const property *lg_names_find(const object_rules *rules, lg_str name, uint32_t guess)
{
    if (__builtin_expect(rules->property_count && lg_name_is(&rules->properties[guess], name), 1)) {
        return &rules->properties[guess];
    }
    return rules->property_count ? lg_names_look_up(rules, name) : NULL;
}

#endif
