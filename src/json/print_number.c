// print_number.c: doubles and integers to text.
//
// The shortest digits of a double come from Schubfach (Giulietti 2021): the double and the two ends
// of its rounding interval are multiplied with one power of ten, and at most four candidates with
// few digits are tried against the interval.
#include "json/json_internal.h"

#include <math.h>

// --- Shortest digits ----------------------------------------------------------------------------

// floor(log10(2^e)), or of 3/4 * 2^e. Exact for all exponents of doubles.
static int floor_log10_pow2(int e, bool three_quarters)
{
    return (e * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

static int floor_log2_pow10(int e)
{
    return (e * 1741647) >> 19;
}

// The 128 leading bits of 10^k, rounded up.
static lg_json_power power_above(int k)
{
    lg_json_power p = lg_json_powers[k - POWER_MIN];
    if (k < 0 || k > POWER_EXACT) {
        p.low++;
        p.high += p.low == 0;
    }
    return p;
}

// The top 64 bits of `power * x`, with the lowest bit set if anything below is not negligible.
static uint64_t round_to_odd(lg_json_power power, uint64_t x)
{
    lg_json_power bottom = lg_json_mul128(power.low, x);
    lg_json_power top = lg_json_mul128(power.high, x);
    uint64_t low = top.low + bottom.high;
    return (top.high + (low < top.low)) | (low > 1);
}

// A double scaled by a power of ten, in quarters of a unit: itself and its rounding interval.
typedef struct scaled {
    uint64_t low; // smallest and largest that read back to the double
    uint64_t value;
    uint64_t high;
    int exponent; // the unit is 10^exponent
} scaled;

static scaled scale(uint64_t fraction, int biased)
{
    uint64_t c = biased ? fraction | (uint64_t)1 << 52 : fraction;
    int q = (biased ? biased : 1) - 1075;
    // Below a power of two the doubles lie twice as dense.
    bool lower_is_closer = fraction == 0 && biased > 1;
    bool open = c & 1; // an odd mantissa loses ties
    int k = floor_log10_pow2(q, lower_is_closer);
    int shift = q + floor_log2_pow10(-k) + 1;
    lg_json_power power = power_above(-k);
    scaled s = {.exponent = k};
    s.low = round_to_odd(power, (4 * c - (lower_is_closer ? 1 : 2)) << shift) + open;
    s.value = round_to_odd(power, (4 * c) << shift);
    s.high = round_to_odd(power, (4 * c + 2) << shift) - open;
    return s;
}

// Whether `unit` or `unit + step` (in units of `step`) is the only one of the two inside.
static bool one_inside(const scaled *s, uint64_t down, uint64_t step, uint64_t *ret)
{
    bool down_inside = s->low <= 4 * down;
    bool up_inside = 4 * (down + step) <= s->high;
    *ret = (down + (up_inside ? step : 0)) / step;
    return down_inside != up_inside;
}

static lg_json_digits strip_zeros(lg_json_digits d)
{
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

lg_json_digits lg_json_shortest(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    int biased = (int)(bits >> 52) & 0x7FF;
    if (bits << 1 == 0) {
        return (lg_json_digits){0, 0};
    }
    // Integers below 2^53 are their own digits, and their neighbours are at most 1 away.
    if (value < 0x1p53 && value >= 1.0 && (double)(uint64_t)value == value) {
        return strip_zeros((lg_json_digits){(uint64_t)value, 0});
    }
    scaled s = scale(fraction, biased);
    uint64_t digits;
    uint64_t whole = s.value / 4;
    if (whole >= 10 && one_inside(&s, whole / 10 * 10, 10, &digits)) {
        return strip_zeros((lg_json_digits){digits, s.exponent + 1});
    }
    if (!one_inside(&s, whole, 1, &digits)) {
        uint64_t middle = 4 * whole + 2;
        bool up = s.value > middle || (s.value == middle && (whole & 1));
        digits = whole + up;
    }
    return strip_zeros((lg_json_digits){digits, s.exponent});
}

// --- Text ---------------------------------------------------------------------------------------

// Writes `value` so that it ends before `end`; returns its first digit.
static char *write_digits(char *end, uint64_t value)
{
    static const char pairs[] = "0001020304050607080910111213141516171819"
                                "2021222324252627282930313233343536373839"
                                "4041424344454647484950515253545556575859"
                                "6061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    while (value >= 100) {
        end -= 2;
        memcpy(end, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        end -= 2;
        memcpy(end, pairs + value * 2, 2);
    } else {
        *--end = (char)('0' + value);
    }
    return end;
}

enum { TEXT_MAX = 24 }; // 20 digits and a sign

void lg_json_print_integer(lg_buf *out, uint64_t magnitude, bool negative)
{
    char text[TEXT_MAX];
    char *end = text + sizeof(text);
    char *at = write_digits(end, magnitude);
    if (negative) {
        *--at = '-';
    }
    lg_buf_add(out, (lg_str){at, (size_t)(end - at)});
}

// A text that is put together here and appended at once.
typedef struct number_text {
    char bytes[40]; // longest: a sign, `0.00000`, 17 digits
    size_t len;
} number_text;

static void add(number_text *t, const char *bytes, size_t len)
{
    LG_ASSERT(len <= sizeof(t->bytes) - t->len);
    memcpy(t->bytes + t->len, bytes, len);
    t->len += len;
}

static void add_zeros(number_text *t, size_t count)
{
    add(t, "000000000000000000000", count);
}

// `d1.d2d3e+n`
static void add_scientific(number_text *t, lg_str digits, int32_t exponent)
{
    char text[TEXT_MAX];
    char *end = text + sizeof(text);
    char *first = write_digits(end, (uint64_t)(exponent < 0 ? -exponent : exponent));
    add(t, digits.ptr, 1);
    if (digits.len > 1) {
        add(t, ".", 1);
        add(t, digits.ptr + 1, digits.len - 1);
    }
    add(t, exponent < 0 ? "e-" : "e+", 2);
    add(t, first, (size_t)(end - first));
}

// ECMA-262, Number::toString: `n` is the place of the point counted from the first digit. An
// integral value gets `integral_end`.
static void print_ecma(lg_buf *out, double value, bool negative, lg_str integral_end)
{
    lg_json_digits d = lg_json_shortest(fabs(value));
    char text[TEXT_MAX];
    char *end = text + sizeof(text);
    char *first = write_digits(end, d.digits);
    lg_str digits = {first, (size_t)(end - first)};
    int32_t n = (int32_t)digits.len + d.exponent;
    number_text t = {.len = 0};
    add(&t, "-", negative);
    if (n > 21 || n <= -6) {
        add_scientific(&t, digits, n - 1);
    } else if (d.exponent >= 0) {
        add(&t, digits.ptr, digits.len);
        add_zeros(&t, (size_t)d.exponent);
        add(&t, integral_end.ptr, integral_end.len);
    } else if (n > 0) {
        add(&t, digits.ptr, (size_t)n);
        add(&t, ".", 1);
        add(&t, digits.ptr + n, digits.len - (size_t)n);
    } else {
        add(&t, "0.", 2);
        add_zeros(&t, (size_t)-n);
        add(&t, digits.ptr, digits.len);
    }
    lg_buf_add(out, (lg_str){t.bytes, t.len});
}

void lg_json_print_ecma(lg_buf *out, double value)
{
    LG_ASSERT(isfinite(value));
    print_ecma(out, value, value < 0.0, LG_STR("")); // ECMAScript prints -0 as 0
}

void lg_json_print_double(lg_buf *out, double value)
{
    LG_ASSERT(isfinite(value));
    print_ecma(out, value, signbit(value) != 0, LG_STR(".0"));
}
