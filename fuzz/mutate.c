// mutate.c: how libFuzzer changes the inputs of every target: in its own way, and by making words long.
#include "stretch.h"

#include <stdlib.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum {
    ONE_IN = 3,    // of the changes makes a word long
    GROWTH = 4096, // in bytes, of one change of libFuzzer's own: long inputs cost time
};

// A generator of its own, so that the same seed makes the same change.
static uint32_t next(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(*state >> 8) * below) >> 24);
}

// Lengths about those of buffers, the short ones more often: a little less, for what stands around
// the word in the same buffer, or one more.
static size_t choose_length(uint32_t *state)
{
    static const uint32_t sizes[] = {64,  100,  128,  160,  200,   256,   300,   320,
                                     384, 512,  600,  700,  800,   1024,  2048,  4096,
                                     0,   4096, 4097, 8192, 16384, 65535, 65536, 70000};
    enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
    uint32_t one = next(state, COUNT);
    uint32_t two = next(state, COUNT);
    uint32_t size = sizes[one < two ? one : two];
    uint32_t less = next(state, 3) ? 0 : next(state, 40);
    return size > less ? size - less + next(state, 2) : size;
}

static const char *choose_fill(uint32_t *state, const char *own)
{
    static const char *const fills[] = {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x99\x82",
                                        "\\u001b",  "\\n",          "~/"};
    return next(state, 4) ? own : fills[next(state, sizeof(fills) / sizeof(fills[0]))];
}

// Any of them with the same probability, the short as the long; its length is 0 if there is none.
static stretch_word choose_word(const uint8_t *data, size_t size, uint32_t *state)
{
    uint32_t count = 0;
    for (stretch_word w = stretch_find(data, size, 0); w.len; count++) {
        w = stretch_find(data, size, w.from + w.len);
    }
    uint32_t index = count ? next(state, count) : 0;
    stretch_word word = stretch_find(data, size, 0);
    while (index-- > 0) {
        word = stretch_find(data, size, word.from + word.len);
    }
    return word;
}

static size_t make_long(uint8_t *data, size_t size, size_t max_size, uint32_t *state)
{
    stretch_word word = choose_word(data, size, state);
    uint8_t *to = word.len ? malloc(max_size) : NULL;
    size_t made = 0;
    if (to) {
        char own[2];
        stretch_own_fill(data, word, own);
        size_t wanted = choose_length(state);
        const char *fill = choose_fill(state, own);
        made = stretch(data, size, word, wanted, fill, next(state, 4) != 0, to, max_size);
        if (made) {
            memcpy(data, to, made);
        }
    }
    free(to);
    return made;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint32_t state = seed;
    if (next(&state, ONE_IN) == 0 && size > 0) {
        size_t made = make_long(data, size, max_size, &state);
        if (made) {
            return made;
        }
    }
    size_t most = size + GROWTH < max_size ? size + GROWTH : max_size;
    return LLVMFuzzerMutate(data, size, most);
}
