// read_number.c: decimal text to doubles, correctly rounded, blind to the locale.
//
// Three ways, the fastest first. Small mantissas and exponents take one exact floating-point
// operation (Clinger 1990). The rest up to 19 digits takes one or two integer multiplications with
// 128 bits of the power of ten (as Lemire 2021, but the error of the product is bounded here
// instead of proven away). What that cannot decide - near-ties, subnormals, more digits - goes to
// strtod, in a form that has no decimal point for a locale to disagree with.
#include "json/json_internal.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// --- One floating-point operation ---------------------------------------------------------------

static bool scale_exactly(uint64_t mantissa, int64_t exponent, double *ret)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    // Both operands are exact doubles, so the one operation rounds once.
    if (FLT_EVAL_METHOD != 0 || mantissa > (uint64_t)1 << 53 || exponent < -22 || exponent > 22) {
        return false;
    }
    double m = (double)mantissa;
    *ret = exponent < 0 ? m / powers[-exponent] : m * powers[exponent];
    return true;
}

// --- One 64 by 128 bit product ------------------------------------------------------------------

// A product of 192 bits without its lowest 64, and whether those were all zero.
typedef struct product {
    uint64_t high;
    uint64_t low;
    bool exact;
} product;

static product multiply(uint64_t w, lg_json_power power)
{
    lg_json_power top = lg_json_mul128(w, power.high);
    lg_json_power bottom = lg_json_mul128(w, power.low);
    uint64_t low = top.low + bottom.high;
    return (product){top.high + (low < top.low), low, bottom.low == 0};
}

static inline int leading_zeros(uint64_t w)
{
    return __builtin_clzll(w);
}

// Rounds `p`, of whose top 64 bits the lowest `drop` bits do not fit the 53 of a double. The true
// product lies in [p, p + 2), or is p itself if `exact`. False if that leaves the rounding open.
static bool round_product(product p, int drop, bool exact, uint64_t *ret)
{
    uint64_t mask = ((uint64_t)1 << drop) - 1;
    uint64_t half = (uint64_t)1 << (drop - 1);
    uint64_t rest = p.high & mask;
    uint64_t kept = p.high >> drop;
    bool up = rest >= half;
    if (rest == half - 1 && p.low >= UINT64_MAX - 1) {
        return false; // just below a tie, as far as one can see
    }
    if (rest == half && p.low == 0) {
        if (!exact) {
            return false;
        }
        up = !p.exact || (kept & 1);
    }
    *ret = kept + up;
    return true;
}

bool lg_json_scale(uint64_t mantissa, int64_t exponent, double *ret)
{
    if (mantissa == 0) {
        *ret = 0.0;
        return true;
    }
    if (scale_exactly(mantissa, exponent, ret)) {
        return true;
    }
    if (exponent < POWER_MIN || exponent > 308) {
        return false;
    }
    int zeros = leading_zeros(mantissa);
    product p = multiply(mantissa << zeros, lg_json_powers[exponent - POWER_MIN]);
    int carry = (int)(p.high >> 63);
    bool exact = exponent >= 0 && exponent <= POWER_EXACT;
    uint64_t bits;
    if (!round_product(p, 10 + carry, exact, &bits)) {
        return false;
    }
    // floor(log2(10^e)) = floor(e * 217706 / 2^16) for all exponents of the table.
    int64_t log2_power = (exponent * 217706) >> 16;
    int64_t biased = log2_power + 63 - zeros + carry + 1023;
    biased += bits >> 53 ? 1 : 0; // rounded up to the next power of two
    if (biased < 1 || biased > 2046) {
        return false;
    }
    bits = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)biased << 52;
    memcpy(ret, &bits, sizeof(bits));
    return true;
}

// --- strtod -------------------------------------------------------------------------------------

// No double and no midpoint of two has more than 767 significant digits: of those that follow only
// matters whether one of them is not zero.
enum { DIGITS_MAX = 800 };

typedef struct decimal {
    char text[DIGITS_MAX + 32]; // as strtod wants it: digits, `e`, exponent; no decimal point
    size_t len;
    int64_t exponent;
} decimal;

// Takes the digits before the exponent; returns where that is.
static size_t take_digits(lg_str s, size_t at, decimal *d)
{
    bool fraction = false;
    bool more = false;
    for (; at < s.len && (s.ptr[at] | 0x20) != 'e'; at++) {
        char c = s.ptr[at];
        if (c == '.') {
            fraction = true;
            continue;
        }
        bool leading = c == '0' && d->len == 0;
        if (!leading && d->len < DIGITS_MAX) {
            d->text[d->len++] = c;
        } else if (!leading) {
            more = more || c != '0';
            d->exponent++;
        }
        d->exponent -= fraction;
    }
    if (more) {
        d->text[d->len++] = '1';
        d->exponent--;
    }
    return at;
}

// The value of the exponent part at `at` (its `e`), saturated a little above EXPONENT_MAX.
static int64_t read_exponent(lg_str s, size_t at)
{
    if (at >= s.len) {
        return 0;
    }
    at++;
    bool negative = s.ptr[at] == '-';
    at += negative || s.ptr[at] == '+';
    int64_t value = 0;
    for (; at < s.len && value <= EXPONENT_MAX; at++) {
        value = value * 10 + (s.ptr[at] - '0');
    }
    return negative ? -value : value;
}

static double decimal_to_double(decimal *d)
{
    enum { FAR = 100000 }; // so far outside of the doubles one exponent is as good as another
    int64_t e = d->exponent > FAR ? FAR : d->exponent < -FAR ? -FAR : d->exponent;
    snprintf(d->text + d->len, sizeof(d->text) - d->len, "e%d", (int)e);
    int saved = errno;
    double value = strtod(d->text, NULL);
    errno = saved;
    return value;
}

bool lg_json_text_to_double(lg_str number, double *ret)
{
    bool negative = number.len > 0 && number.ptr[0] == '-';
    decimal d;
    d.len = 0;
    d.exponent = 0;
    size_t at = take_digits(number, negative, &d);
    d.exponent += read_exponent(number, at);
    double value = d.len > 0 ? decimal_to_double(&d) : 0.0;
    if (isinf(value)) {
        return false;
    }
    *ret = negative ? -value : value;
    return true;
}
