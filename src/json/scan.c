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

static inline uint64_t stops_of(const char *begin, size_t count)
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

static inline uint32_t count_bits(uint64_t bits)
{
    const uint64_t ones = 0x0101010101010101u;
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return (uint32_t)(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * ones >> 56);
}

// Anything if there is none.
static inline uint32_t lowest_bit(uint64_t bits)
{
    return (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63);
}

// Lists the stops of `size` bytes, of which the first is in the place `first`. Returns the list's end.
static uint32_t *list_portable(uint32_t *to, const char *begin, size_t size, uint32_t first)
{
    for (size_t i = 0; i < size; i += 64) {
        uint64_t stops = stops_of(begin + i, size - i < 64 ? size - i : 64);
        const uint32_t base = first + (uint32_t)i;
        uint32_t *next = to;
        to += count_bits(stops);
        // Four at once, whether there are so many or not: fewer branches to be guessed. (3 % of a parse.)
        while (stops) {
            next[0] = base + lowest_bit(stops);
            stops &= stops - 1;
            next[1] = base + lowest_bit(stops);
            stops &= stops - 1;
            next[2] = base + lowest_bit(stops);
            stops &= stops - 1;
            next[3] = base + lowest_bit(stops);
            stops &= stops - 1;
            next += 4;
        }
    }
    return to;
}

#if LG_WIDE

// The numbers of 64 bytes are packed as their stops say, and widened by sixteens.
LG_WIDE_FUNCTION static uint32_t *list_wide(uint32_t *to, const char *begin, size_t size,
                                            uint32_t first)
{
    static const uint8_t numbers[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i all = _mm512_loadu_si512(numbers);
    for (size_t i = 0; i < size; i += 64) {
        uint64_t counts = lg_low_bits(size - i);
        __m512i bytes = _mm512_maskz_loadu_epi8(counts, begin + i);
        // Signed, as in lg_scan_stops.
        uint64_t stops = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(' '));
        stops |= _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"'));
        stops |= _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\'));
        stops &= counts;
        int count = __builtin_popcountll(stops);
        __m512i packed = _mm512_maskz_compress_epi8(stops, all);
        __m512i base = _mm512_set1_epi32((int)(first + (uint32_t)i));
        __m512i four = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed));
        _mm512_storeu_si512(to, _mm512_add_epi32(base, four));
        for (int done = 16; __builtin_expect(done < count, 0); done += 16) {
            packed = _mm512_shuffle_i64x2(packed, packed, 0x39); // the next sixteen come first
            four = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed));
            _mm512_storeu_si512(to + done, _mm512_add_epi32(base, four));
        }
        to += count;
    }
    return to;
}

#else

static uint32_t *list_wide(uint32_t *to, const char *begin, size_t size, uint32_t first)
{
    return list_portable(to, begin, size, first);
}

#endif

static void move(lg_scan_window *w, const char *begin)
{
    size_t left = (size_t)(w->end - begin);
    size_t size = left < LG_SCAN_BLOCK ? left : LG_SCAN_BLOCK;
    uint32_t first = (uint32_t)(begin - w->text);
    uint32_t *last = w->wide ? list_wide(w->places, begin, size, first)
                             : list_portable(w->places, begin, size, first);
    w->after = begin + size;
    if (w->after == w->end) {
        *last++ = (uint32_t)(w->end - w->text);
    }
    *last = LG_SCAN_ON;
}

const uint32_t *lg_scan_open(lg_scan_window *w, const char *text, const char *from, const char *end,
                             bool wide)
{
    w->text = text;
    w->end = end;
    w->wide = wide;
    move(w, from);
    return w->places;
}

const uint32_t *lg_scan_on(lg_scan_window *w, const char *at)
{
    do {
        move(w, at > w->after ? at : w->after);
    } while (w->places[0] == LG_SCAN_ON);
    return w->places;
}
