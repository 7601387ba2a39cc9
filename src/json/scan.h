// scan.h: finding the next byte of a string that needs a decision. Shared by parser and printer.
//
// Most bytes of most strings are plain ASCII, so they are taken 16 at a time with SSE2, or 8 at a
// time in a 64-bit word where there is none. The first step is inline: keys and most strings are
// shorter than 16 bytes (inline it saves a fifth of the time of a message of short strings).
#ifndef LG_JSON_SCAN_H
#define LG_JSON_SCAN_H

#include "base/types.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// The first byte at or after `at` that is a quote, a backslash, a control character, or begins what
// is not valid UTF-8; `end` if there is none.
const char *lg_scan_string_on(const char *at, const char *end);

// The first quote or backslash at or after `at`; `end` if there is none.
const char *lg_scan_quote(const char *at, const char *end);

#ifdef __SSE2__
// A bit for each of 16 bytes that is a quote, a backslash, a control character or not ASCII.
static inline unsigned lg_scan_stops(const char *at)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    // The comparison is signed: bytes from 0x80 on are below the blank, as control characters are.
    __m128i stop = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
    stop = _mm_or_si128(stop, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
    stop = _mm_or_si128(stop, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    return (unsigned)_mm_movemask_epi8(stop);
}
#endif

// The same as lg_scan_string_on.
static inline const char *lg_scan_string(const char *at, const char *end)
{
#ifdef __SSE2__
    if (end - at >= 16) {
        unsigned stops = lg_scan_stops(at);
        if (!stops) {
            return lg_scan_string_on(at + 16, end);
        }
        at += __builtin_ctz(stops);
        if ((unsigned char)*at < 0x80) {
            return at;
        }
    }
#endif
    return lg_scan_string_on(at, end);
}

#endif
