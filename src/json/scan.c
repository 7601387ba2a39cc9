// scan.c: see scan.h.
#include "json/scan.h"

#include <string.h>

static inline bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

#ifdef __SSE2__

static inline const char *skip_plain(const char *at, const char *end)
{
    for (; end - at >= 16; at += 16) {
        unsigned stops = lg_scan_stops(at);
        if (stops) {
            return at + __builtin_ctz(stops);
        }
    }
    while (at < end && is_plain((unsigned char)*at)) {
        at++;
    }
    return at;
}

#else

// 0x80 in each byte of `word` that is zero (exact: no carry crosses bytes that are below 0x80).
static inline uint64_t zero_bytes(uint64_t word)
{
    const uint64_t low7 = 0x7F7F7F7F7F7F7F7Fu;
    return ~(((word & low7) + low7) | word | low7);
}

static inline const char *skip_plain(const char *at, const char *end)
{
    const uint64_t ones = 0x0101010101010101u;
    while (end - at >= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        uint64_t high = word & (ones * 0x80);
        uint64_t control = zero_bytes(word & (ones * 0xE0));
        if (high | control | zero_bytes(word ^ (ones * '"')) | zero_bytes(word ^ (ones * '\\'))) {
            break;
        }
        at += 8;
    }
    while (at < end && is_plain((unsigned char)*at)) {
        at++;
    }
    return at;
}

#endif

static inline bool is_tail(const char *at, unsigned char low, unsigned char high)
{
    return (unsigned char)*at >= low && (unsigned char)*at <= high;
}

// Length of the valid UTF-8 sequence of more than one byte at `at`, or 0 (RFC 3629 section 4).
static inline size_t sequence_len(const char *at, const char *end)
{
    unsigned char lead = (unsigned char)*at;
    size_t left = (size_t)(end - at);
    if (lead >= 0xC2 && lead <= 0xDF) {
        return left >= 2 && is_tail(at + 1, 0x80, 0xBF) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        unsigned char low = lead == 0xE0 ? 0xA0 : 0x80;
        unsigned char high = lead == 0xED ? 0x9F : 0xBF;
        return left >= 3 && is_tail(at + 1, low, high) && is_tail(at + 2, 0x80, 0xBF) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        unsigned char low = lead == 0xF0 ? 0x90 : 0x80;
        unsigned char high = lead == 0xF4 ? 0x8F : 0xBF;
        return left >= 4 && is_tail(at + 1, low, high) && is_tail(at + 2, 0x80, 0xBF) &&
                       is_tail(at + 3, 0x80, 0xBF)
                   ? 4
                   : 0;
    }
    return 0;
}

const char *lg_scan_string_on(const char *at, const char *end)
{
    for (;;) {
        at = skip_plain(at, end);
        if (at >= end || (unsigned char)*at < 0x80) {
            return at;
        }
        while (at < end && (unsigned char)*at >= 0x80) {
            size_t len = sequence_len(at, end);
            if (len == 0) {
                return at;
            }
            at += len;
        }
    }
}

const char *lg_scan_quote(const char *at, const char *end)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    for (; end - at >= 16; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
        unsigned mask = (unsigned)_mm_movemask_epi8(
            _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
        if (mask) {
            return at + __builtin_ctz(mask);
        }
    }
#endif
    while (at < end && *at != '"' && *at != '\\') {
        at++;
    }
    return at;
}
