// json_internal.h: what the files of this room share and nobody else sees.
#ifndef LG_JSON_INTERNAL_H
#define LG_JSON_INTERNAL_H

#include "json/json.h"

// Walkers (print, copy, compare) recurse and stop at LG_JSON_DEPTH_MAX. The parser stops at half of
// it, so that a program may wrap what it parsed.
#define PARSE_DEPTH_MAX (LG_JSON_DEPTH_MAX / 2)

// Exponents beyond this are refused where they would matter, so that all exponent arithmetic fits
// 64 bits.
#define EXPONENT_MAX 100000000000000000

// --- powers.c -----------------------------------------------------------------------------------

// 128 bits of a power of ten.
typedef struct lg_json_power {
    uint64_t high;
    uint64_t low;
} lg_json_power;

enum {
    POWER_MIN = -326, // below it, every 64-bit mantissa gives a subnormal or zero
    POWER_MAX = 324,  // what the printing of the smallest subnormal multiplies with
    POWER_EXACT = 55, // from 0 to this one the entries are exact: 5^55 < 2^128
};
extern const lg_json_power lg_json_powers[POWER_MAX - POWER_MIN + 1];

// --- read_number.c ------------------------------------------------------------------------------

// The double nearest to `mantissa * 10^exponent`. False where that takes more than one or two
// multiplications, or is infinite: then ask lg_json_text_to_double.
bool lg_json_scale(uint64_t mantissa, int64_t exponent, double *ret);

// The double nearest to `number`, a number as RFC 8259 writes it. False if that is infinite.
bool lg_json_text_to_double(lg_str number, double *ret);

// --- print_number.c -----------------------------------------------------------------------------

// Significant digits of a number: value = digits * 10^exponent; `digits` does not end in a zero.
typedef struct lg_json_digits {
    uint64_t digits;
    int32_t exponent;
} lg_json_digits;

// The shortest digits that read back to the finite `value >= 0`; of these the nearest to it.
lg_json_digits lg_json_shortest(double value);

// Appends a finite `value` as ECMAScript's Number::toString does: `118`, `1e+21`, `0.5`.
void lg_json_print_ecma(lg_buf *out, double value);

// Appends an integer: `-` if `negative`, then `magnitude`.
void lg_json_print_integer(lg_buf *out, uint64_t magnitude, bool negative);
static inline void lg_json_print_int(lg_buf *out, int64_t value)
{
    lg_json_print_integer(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

// The product of two 64-bit numbers.
static inline lg_json_power lg_json_mul128(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (lg_json_power){(uint64_t)(product >> 64), (uint64_t)product};
#else
    uint64_t a_low = a & UINT32_MAX;
    uint64_t b_low = b & UINT32_MAX;
    uint64_t low = a_low * b_low;
    uint64_t cross1 = (a >> 32) * b_low + (low >> 32);
    uint64_t cross2 = a_low * (b >> 32) + (cross1 & UINT32_MAX);
    uint64_t high = (a >> 32) * (b >> 32) + (cross1 >> 32) + (cross2 >> 32);
    return (lg_json_power){high, (cross2 << 32) | (low & UINT32_MAX)};
#endif
}

// --- Appending ----------------------------------------------------------------------------------
// What lg_buf_room and lg_buf_add_byte do, without a call where there is room: half the time of
// printing went into calls for a byte or two.

static inline char *lg_json_room(lg_buf *out, size_t size_bytes)
{
    size_t cap = out->cap < out->limit_bytes ? out->cap : out->limit_bytes;
    bool fits = out->status == LG_OK && out->len <= cap && size_bytes <= cap - out->len;
    return fits && out->ptr ? out->ptr + out->len : lg_buf_room(out, size_bytes);
}

static inline void lg_json_put(lg_buf *out, char byte)
{
    char *to = lg_json_room(out, 1);
    if (to) {
        *to = byte;
        out->len++;
    }
}

// --- value.c ------------------------------------------------------------------------------------

// Sorts `order` by key. `scratch` has room for as many. O(n log n) for whatever keys.
typedef int (*lg_json_key_cmp)(lg_str a, lg_str b);
void lg_json_sort_members(const lg_json *object, uint32_t *order, uint32_t *scratch,
                          lg_json_key_cmp cmp);

// Fills the index behind `members` (more than LG_JSON_INDEX_MIN).
void lg_json_build_index(lg_json_member *members, size_t count, uint32_t *scratch);

static inline const uint32_t *lg_json_index_of(const lg_json_member *members, size_t count)
{
    return (const uint32_t *)(const void *)(members + count);
}

#endif
