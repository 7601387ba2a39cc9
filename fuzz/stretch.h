// stretch.h: an input with one of its words made long.
//
// Ids, keys, names and texts of hostile lengths are what a mutator that works byte by byte does not
// come by: an id has to be the same in the call, in the result and in the pack before anything is
// done with it, and text that grows at one place only is soon no JSON any more. So a word grows by a
// byte that it ends with already (an id stays an id, a number a number), and everywhere at once.
#ifndef LG_FUZZ_STRETCH_H
#define LG_FUZZ_STRETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct stretch_word {
    size_t from;
    size_t len;
} stretch_word;

static inline bool stretch_is_word(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '#' || byte >= 0x80;
}

// The first word at or behind `from`; its length is 0 if there is none.
static inline stretch_word stretch_find(const uint8_t *data, size_t size, size_t from)
{
    size_t end = from;
    while (from < size && !stretch_is_word(data[from])) {
        from++;
    }
    for (end = from; end < size && stretch_is_word(data[end]);) {
        end++;
    }
    return (stretch_word){from, end - from};
}

typedef struct stretch_out {
    uint8_t *at;
    size_t size;
    size_t max_size;
} stretch_out;

static inline void stretch_add(stretch_out *out, const uint8_t *bytes, size_t count)
{
    if (out->size + count <= out->max_size && count) {
        memcpy(out->at + out->size, bytes, count);
    }
    out->size += count;
}

// The word made `wanted` bytes long with `fill`, or cut to that.
static inline void stretch_add_word(stretch_out *out, const uint8_t *word, size_t len,
                                    size_t wanted, const char *fill)
{
    size_t unit = strlen(fill);
    stretch_add(out, word, len < wanted ? len : wanted);
    for (size_t have = len; have < wanted; have += unit) {
        stretch_add(out, (const uint8_t *)fill, unit);
    }
}

// What repeats a word's own last byte.
static inline void stretch_own_fill(const uint8_t *data, stretch_word word, char fill[2])
{
    uint8_t last = data[word.from + word.len - 1];
    fill[0] = last < 0x80 && last != '#' ? (char)last : 'x';
    fill[1] = '\0';
}

// Writes `data` to `out` with `word` made `wanted` bytes long, everywhere it stands or only there.
// Returns the size, or 0 if that is more than `max_size`.
static inline size_t stretch(const uint8_t *data, size_t size, stretch_word word, size_t wanted,
                             const char *fill, bool everywhere, uint8_t *to, size_t max_size)
{
    stretch_out out = {.at = to, .max_size = max_size};
    for (size_t at = 0; at < size && out.size <= max_size;) {
        stretch_word next = stretch_find(data, size, at);
        bool same = next.len == word.len && next.len &&
                    memcmp(data + next.from, data + word.from, word.len) == 0;
        stretch_add(&out, data + at, next.from - at);
        if (same && (everywhere || next.from == word.from)) {
            stretch_add_word(&out, data + next.from, next.len, wanted, fill);
        } else {
            stretch_add(&out, data + next.from, next.len);
        }
        at = next.from + next.len;
    }
    return out.size <= max_size ? out.size : 0;
}

#endif
