// names.h: which property a member's name is.
//
// A name is compared by its length and four words of four bytes, two from each end, which overlap in
// a short name; in a name beyond sixteen bytes, by longer words. The first guess is the property that the schema
// declares after the last one found: most texts keep that order. A wrong guess asks a table of
// slots. (The arguments of a real tool call, two members: 25 ns by binary search, 17 ns so.)
#ifndef LG_SCHEMA_NAMES_H
#define LG_SCHEMA_NAMES_H

#include "schema/schema_internal.h"

// Gives `rules` its slots and guesses, once all of its properties are known. `declared` is the
// object under `properties`, or NULL; `ret_made` gets the copies of the properties that are in use
// from then on. False: no memory.
LG_NODISCARD bool lg_names_prepare(lg_arena *arena, object_rules *rules, const lg_json *declared,
                                   property **ret_made);

static inline uint32_t lg_name_word(const char *from)
{
    uint32_t word;
    memcpy(&word, from, sizeof(word));
    return word;
}

// Four words for all but the shortest names, wherever they overlap: lengths come in no order, so a
// branch on them would be guessed wrong.
static inline name_words lg_name_words(lg_str name)
{
    name_words w = {{0}, 0, 0};
    size_t len = name.len;
    if (len < 4) {
        for (size_t i = 0; i < len; i++) {
            w.at[i] = (unsigned char)name.ptr[i];
        }
        return w;
    }
    w.second = len < 8 ? (uint8_t)(len - 4) : 4;
    w.third = len < 8 ? 0 : len < 16 ? (uint8_t)(len - 8) : 8;
    w.at[0] = lg_name_word(name.ptr);
    w.at[1] = lg_name_word(name.ptr + w.second);
    w.at[2] = lg_name_word(name.ptr + w.third);
    w.at[3] = lg_name_word(name.ptr + len - 4);
    return w;
}

static inline uint64_t lg_name_differ8(const char *a, const char *b)
{
    uint64_t x;
    uint64_t y;
    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return x ^ y;
}

// Names of other lengths than the usual ones; `len` is that of both.
static inline bool lg_name_same(const char *a, const char *b, size_t len)
{
    if (len < 16 || len > 32) {
        return len == 0 || memcmp(a, b, len) == 0;
    }
    return !(lg_name_differ8(a, b) | lg_name_differ8(a + 8, b + 8) |
             lg_name_differ8(a + len - 16, b + len - 16) |
             lg_name_differ8(a + len - 8, b + len - 8));
}

static inline bool lg_name_is(const property *p, lg_str name)
{
    size_t len = name.len;
    if (p->name.len != len) {
        return false;
    }
    if (__builtin_expect(len < 4 || len > 16, 0)) {
        return lg_name_same(p->name.ptr, name.ptr, len);
    }
    const name_words *w = &p->words;
    uint32_t differ = lg_name_word(name.ptr) ^ w->at[0];
    differ |= lg_name_word(name.ptr + w->second) ^ w->at[1];
    differ |= lg_name_word(name.ptr + w->third) ^ w->at[2];
    differ |= lg_name_word(name.ptr + len - 4) ^ w->at[3];
    return differ == 0;
}

static inline uint32_t lg_name_slot(const object_rules *rules, lg_str name)
{
    name_words w = lg_name_words(name);
    uint64_t head = w.at[0] | (uint64_t)w.at[1] << 32;
    uint64_t tail = w.at[2] | (uint64_t)w.at[3] << 32;
    uint64_t mixed =
        (head ^ (tail * UINT64_C(0x9E3779B97F4A7C15)) ^ name.len) * UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(mixed >> 32) & rules->slot_mask;
}

// The property that no name is.
extern const property lg_names_nobody;

// The property called `name`, or NULL; not the one that was guessed.
const property *lg_names_look_up(const object_rules *rules, lg_str name);

// The property called `name`, or NULL. `guess` is one to try first: `rules->first`, then the `next` of
// what was found.
static inline const property *lg_names_find(const object_rules *rules, lg_str name,
                                            const property *guess)
{
    if (__builtin_expect(lg_name_is(guess, name), 1)) {
        return guess;
    }
    return rules->property_count ? lg_names_look_up(rules, name) : NULL;
}

#endif
