// number.c: decimal text to doubles and back, both correctly rounded, both blind to the locale.
#include "json/json_internal.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// --- Text to double -----------------------------------------------------------------------------

bool lg_json_clinger(uint64_t mantissa, int64_t exponent, double *ret)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (mantissa == 0) {
        *ret = 0.0;
        return true;
    }
    // Both operands are exact doubles, so the one operation rounds once.
    if (FLT_EVAL_METHOD != 0 || mantissa > (uint64_t)1 << 53 || exponent < -22 || exponent > 22) {
        return false;
    }
    double m = (double)mantissa;
    *ret = exponent < 0 ? m / powers[-exponent] : m * powers[exponent];
    return true;
}

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

bool lg_json_text_to_double(lg_str number, double *ret)
{
    bool negative = number.len > 0 && number.ptr[0] == '-';
    decimal d;
    d.len = 0;
    d.exponent = 0;
    size_t at = take_digits(number, negative, &d);
    d.exponent += read_exponent(number, at);
    double value = 0.0;
    if (d.len > 0) {
        // Far outside of the doubles any exponent is as good as another.
        int64_t bound = 100000;
        int64_t e = d.exponent > bound ? bound : d.exponent < -bound ? -bound : d.exponent;
        snprintf(d.text + d.len, sizeof(d.text) - d.len, "e%d", (int)e);
        int saved = errno;
        value = strtod(d.text, NULL);
        errno = saved;
    }
    if (isinf(value)) {
        return false;
    }
    *ret = negative ? -value : value;
    return true;
}

// --- Double to text -----------------------------------------------------------------------------

lg_json_digits lg_json_shortest(double value)
{
    lg_json_digits d = {.count = 0};
    if (value == 0.0) {
        return d;
    }
    for (int precision = 0; precision < 17; precision++) {
        char text[40];
        snprintf(text, sizeof(text), "%.*e", precision, value);
        char *e = strchr(text, 'e');
        d.count = 0;
        for (char *c = text; c < e; c++) {
            if (*c >= '0' && *c <= '9') {
                d.digits[d.count++] = *c;
            }
        }
        d.point = (int32_t)strtol(e + 1, NULL, 10) + 1;
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    while (d.count > 0 && d.digits[d.count - 1] == '0') {
        d.count--;
    }
    return d;
}

// ECMA-262, Number::toString, in its own steps and order.
static void print_digits(lg_buf *out, const lg_json_digits *d)
{
    lg_str digits = {d->digits, d->count};
    int32_t count = (int32_t)d->count;
    int32_t n = d->point;
    if (count == 0) {
        lg_buf_add_byte(out, '0');
    } else if (count <= n && n <= 21) {
        lg_buf_add(out, digits);
        lg_buf_add_repeat(out, '0', (size_t)(n - count));
    } else if (0 < n && n <= 21) {
        lg_buf_add(out, lg_str_slice(digits, 0, (size_t)n));
        lg_buf_add_byte(out, '.');
        lg_buf_add(out, lg_str_slice(digits, (size_t)n, d->count));
    } else if (-6 < n && n <= 0) {
        lg_buf_add_c(out, "0.");
        lg_buf_add_repeat(out, '0', (size_t)-n);
        lg_buf_add(out, digits);
    } else {
        lg_buf_add_byte(out, d->digits[0]);
        if (count > 1) {
            lg_buf_add_byte(out, '.');
            lg_buf_add(out, lg_str_slice(digits, 1, d->count));
        }
        lg_buf_addf(out, "e%c%d", n - 1 < 0 ? '-' : '+', n - 1 < 0 ? 1 - n : n - 1);
    }
}

void lg_json_print_ecma(lg_buf *out, double value)
{
    LG_ASSERT(isfinite(value));
    if (value < 0.0) {
        lg_buf_add_byte(out, '-');
    }
    lg_json_digits d = lg_json_shortest(fabs(value));
    print_digits(out, &d);
}

void lg_json_print_double(lg_buf *out, double value)
{
    LG_ASSERT(isfinite(value));
    if (signbit(value)) {
        lg_buf_add_byte(out, '-');
    }
    lg_json_digits d = lg_json_shortest(fabs(value));
    print_digits(out, &d);
    if ((int32_t)d.count <= d.point && d.point <= 21) {
        lg_buf_add_c(out, ".0");
    }
    if (d.count == 0) {
        lg_buf_add_c(out, ".0");
    }
}
