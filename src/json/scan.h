// scan.h: finding the bytes of strings that need a decision. Shared by parser
// and printer.
//
// A stop is a byte that is a quote, a backslash, a control character or not
// ASCII. Most bytes of most strings are none, so they are looked at 16 at a
// time: with SSE2, or in two 64-bit words where there is none.
#ifndef LG_JSON_SCAN_H
#define LG_JSON_SCAN_H

#include "base/types.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// --- Stops of 16 bytes ----------------------------------------------------------------------------
// Bit i of the result belongs to byte i.

// 0x80 in each byte of `word` that is zero, exactly: below 0x80 no carry
// reaches the next byte.
static inline uint64_t lg_scan_zero_bytes(uint64_t word)
{
    const uint64_t low7 = 0x7F7F7F7F7F7F7F7Fu;
    return ~(((word & low7) + low7) | word | low7);
}

static inline bool lg_scan_is_stop(unsigned char c)
{
    return c < 0x20 || c >= 0x80 || c == '"' || c == '\\';
}

// 0x80 in each byte of `word` that is a stop.
static inline uint64_t lg_scan_stop_bytes(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t stops = word & (ones * 0x80); // not ASCII
    stops |= lg_scan_zero_bytes(word & (ones * 0xE0));
    stops |= lg_scan_zero_bytes(word ^ (ones * '"'));
    stops |= lg_scan_zero_bytes(word ^ (ones * '\\'));
    return stops;
}

static inline unsigned lg_scan_stops8(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    // The product gathers a bit of each byte in the highest one.
    return (unsigned)((lg_scan_stop_bytes(word) >> 7) * 0x0102040810204080u >> 56);
}

static inline unsigned lg_scan_stops_portable(const char *at)
{
    return lg_scan_stops8(at) | lg_scan_stops8(at + 8) << 8;
}

static inline unsigned lg_scan_stops(const char *at)
{
#ifdef __SSE2__
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    // The comparison is signed: bytes from 0x80 on are below the blank, as
    // control characters are.
    __m128i stop = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
    stop = _mm_or_si128(stop, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
    stop = _mm_or_si128(stop, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    return (unsigned)_mm_movemask_epi8(stop);
#else
    return lg_scan_stops_portable(at);
#endif
}

// Is any of the 16 bytes of two words a stop?
static inline bool lg_scan_has_stop(uint64_t a, uint64_t b)
{
#ifdef __SSE2__
    __m128i bytes = _mm_set_epi64x((int64_t)b, (int64_t)a);
    __m128i stop = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
    stop = _mm_or_si128(stop, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
    stop = _mm_or_si128(stop, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    return _mm_movemask_epi8(stop) != 0;
#else
    return (lg_scan_stop_bytes(a) | lg_scan_stop_bytes(b)) != 0;
#endif
}

static inline uint64_t lg_scan_stops64(const char *at)
{
    return (uint64_t)lg_scan_stops(at) | (uint64_t)lg_scan_stops(at + 16) << 16 |
           (uint64_t)lg_scan_stops(at + 32) << 32 | (uint64_t)lg_scan_stops(at + 48) << 48;
}

// Bits of those of 64 bytes that are `c`.
static inline uint64_t lg_scan_equal64(const char *at, char c)
{
    uint64_t equal = 0;
#ifdef __SSE2__
    for (int i = 0; i < 4; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
        unsigned bits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
        equal |= (uint64_t)bits << (16 * i);
    }
#else
    for (int i = 0; i < 64; i++) {
        equal |= (uint64_t)(at[i] == c) << i;
    }
#endif
    return equal;
}

// --- One string -----------------------------------------------------------------------------------

// The first byte at or after `at` that is a stop and not part of valid UTF-8; else `end`.
const char *lg_scan_string(const char *at, const char *end);

// --- One string after the other -------------------------------------------------------------------
// Finding the end of one string before looking for the next is a chain of loads that wait for each
// other, and a branch that is guessed wrong at the end of many. A window finds the stops of a whole
// block of text before anybody asks, and lists their places: from one string to the next it takes a
// look at the list. (Orders of 1.1 KB: 0.71 us with a search for each string in windows of 64
// bytes, 0.60 us so.)

enum { LG_SCAN_BLOCK = 1024 };
#define LG_SCAN_ON UINT32_MAX

typedef struct lg_scan_window {
    const char *text;  // places count from here; shorter than LG_SCAN_ON
    const char *after; // behind the block
    const char *end;   // of what is looked at
    bool wide;         // stops are found with the instructions of wide.h
    // The stops of the block in their order, and behind those of the last block the place of `end`;
    // then LG_SCAN_ON. There is room for what is written with them and does not count.
    uint32_t places[LG_SCAN_BLOCK + 64];
} lg_scan_window;

// Opens a window on the bytes `from` to `end` of `text`, and returns the first of its places. `wide`
// only where lg_wide_here() says so.
const uint32_t *lg_scan_open(lg_scan_window *w, const char *text, const char *from, const char *end,
                             bool wide);

// The slow path of lg_scan_next: there is no stop at or after `at` in the block.
const uint32_t *lg_scan_on(lg_scan_window *w, const char *at);

// The first stop at or after `at`, or the end. `*next` is a place of `w` at or before it, and moves on
// to it. Calls go forward: `at` is not before the last answer.
static inline __attribute__((always_inline)) const char *
lg_scan_next(lg_scan_window *w, const uint32_t **next, const char *at)
{
    const uint32_t *n = *next;
    uint32_t place = (uint32_t)(at - w->text);
    while (*n < place) {
        n++;
    }
    if (__builtin_expect(*n == LG_SCAN_ON, 0)) {
        n = lg_scan_on(w, at);
    }
    *next = n;
    return w->text + *n;
}

#endif
