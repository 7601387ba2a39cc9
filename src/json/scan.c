// scan.c: see scan.h.
#include "json/scan.h"

#include "json/wide.h"

static inline const char *skip_plain(const char *at, const char *end)
{
    for (; end - at >= 16; at += 16) {
        unsigned stops = lg_scan_stops(at);
        if (stops) {
            return at + __builtin_ctz(stops);
        }
    }
    while (at < end && !lg_scan_is_stop((unsigned char)*at)) {
        at++;
    }
    return at;
}

static inline bool is_tail(const char *at, unsigned char low, unsigned char high)
{
    return (unsigned char)*at >= low && (unsigned char)*at <= high;
}

// Length of the valid UTF-8 sequence of more than one byte at `at`, or 0 (RFC
// 3629 section 4).
static inline size_t sequence_len(const char *at, const char *end)
{
    unsigned char lead = (unsigned char)*at;
    size_t left = (size_t)(end - at);
    unsigned char low = 0x80; // bounds of the second byte
    unsigned char high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
        return left >= 2 && is_tail(at + 1, low, high) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        low = lead == 0xE0 ? 0xA0 : low;   // no overlong forms
        high = lead == 0xED ? 0x9F : high; // no surrogates
        return left >= 3 && is_tail(at + 1, low, high) && is_tail(at + 2, 0x80, 0xBF) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        low = lead == 0xF0 ? 0x90 : low;
        high = lead == 0xF4 ? 0x8F : high; // nothing above U+10FFFF
        bool valid = left >= 4 && is_tail(at + 1, low, high) && is_tail(at + 2, 0x80, 0xBF) &&
                     is_tail(at + 3, 0x80, 0xBF);
        return valid ? 4 : 0;
    }
    return 0;
}

const char *lg_scan_string(const char *at, const char *end)
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

// The stops of 16 to 64 bytes: in blocks that overlap where there are not four.
static inline uint64_t stops_in_blocks(const char *begin, size_t count)
{
    size_t last = count - 16;
    size_t second = last < 16 ? last : 16;
    size_t third = last < 32 ? last : 32;
    return (uint64_t)lg_scan_stops(begin) | (uint64_t)lg_scan_stops(begin + second) << second |
           (uint64_t)lg_scan_stops(begin + third) << third |
           (uint64_t)lg_scan_stops(begin + last) << last;
}

static uint64_t stops_portable(const char *begin, size_t count)
{
    if (count >= 16) {
        return stops_in_blocks(begin, count);
    }
    uint64_t stops = 0;
    for (size_t i = 0; i < count; i++) {
        stops |= (uint64_t)lg_scan_is_stop((unsigned char)begin[i]) << i;
    }
    return stops;
}

#if LG_WIDE

LG_WIDE_FUNCTION static uint64_t stops_wide(const char *begin, size_t count)
{
    uint64_t counts = lg_low_bits(count);
    __m512i bytes = _mm512_maskz_loadu_epi8(counts, begin);
    // Signed, as in lg_scan_stops.
    uint64_t stops = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(' '));
    stops |= _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"'));
    stops |= _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\'));
    return stops & counts;
}

#else

static uint64_t stops_wide(const char *begin, size_t count)
{
    return stops_portable(begin, count);
}

#endif

static void move(lg_scan_window *w, const char *begin, const char *end)
{
    size_t count = end - begin < 64 ? (size_t)(end - begin) : 64;
    w->begin = begin;
    w->stops = w->wide ? stops_wide(begin, count) : stops_portable(begin, count);
}

lg_scan_window lg_scan_window_at(const char *begin, const char *end, bool wide)
{
    lg_scan_window w = {.wide = wide};
    move(&w, begin, end);
    return w;
}

const char *lg_scan_on(lg_scan_window *w, const char *at, const char *end)
{
    if (at - w->begin < 64) {
        if (end - w->begin <= 64) {
            return end;
        }
        at = w->begin + 64;
    }
    for (;;) {
        move(w, at, end);
        if (w->stops) {
            return at + __builtin_ctzll(w->stops);
        }
        if (end - at <= 64) {
            return end;
        }
        at += 64;
    }
}
