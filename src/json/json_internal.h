// json_internal.h: what the files of this room share and nobody else sees.
#ifndef LG_JSON_INTERNAL_H
#define LG_JSON_INTERNAL_H

#include "json/json.h"

// Walkers (print, copy, compare) recurse and stop at LG_JSON_DEPTH_MAX. The parser stops at half of
// it, so that a program may wrap what it parsed.
#define PARSE_DEPTH_MAX (LG_JSON_DEPTH_MAX / 2)

// Exponents beyond this are refused where they would matter, so that all exponent arithmetic fits
// 64 bits.
#define EXPONENT_MAX 1000000000000000000

// --- number.c -----------------------------------------------------------------------------------

// The nearest double of `number`, a number as RFC 8259 writes it. False if that is infinite.
bool lg_json_text_to_double(lg_str number, double *ret);

// The double of `mantissa * 10^exponent` where one multiplication or division is known to round
// correctly (Clinger 1990). False elsewhere.
bool lg_json_clinger(uint64_t mantissa, int64_t exponent, double *ret);

// Significant digits of a number: value = 0.d1d2d3... * 10^point. Zero has no digits.
typedef struct lg_json_digits {
    char digits[17];
    uint32_t count;
    int32_t point;
} lg_json_digits;

// The shortest digits that read back to the finite `value >= 0`; of these the nearest to it.
lg_json_digits lg_json_shortest(double value);

// Appends a finite `value` as ECMAScript's Number::toString does: `118`, `1e+21`, `0.5`.
void lg_json_print_ecma(lg_buf *out, double value);

// --- value.c ------------------------------------------------------------------------------------

// Sorts `order` by key. `scratch` has room for as many. O(n log n) for whatever keys.
typedef int (*lg_json_key_cmp)(lg_str a, lg_str b);
void lg_json_sort_members(const lg_json_member *members, uint32_t *order, uint32_t *scratch,
                          size_t count, lg_json_key_cmp cmp);

// Fills the index behind `members` (more than LG_JSON_INDEX_MIN).
void lg_json_build_index(lg_json_member *members, size_t count, uint32_t *scratch);

static inline const uint32_t *lg_json_index_of(const lg_json_member *members, size_t count)
{
    return (const uint32_t *)(const void *)(members + count);
}

#endif
