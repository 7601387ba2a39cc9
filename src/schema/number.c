// number.c: exact questions about numbers.
//
// A double stands for the shortest decimal that reads back to it, which is the text that people and
// models write: 0.0075 is a multiple of 0.0001, although neither is so in binary. The arithmetic is
// modular on integers, so that 1e308 and a thousand digits cost no more than a few divisions.
#include "schema/schema_internal.h"

#include <math.h>

// The decimal text of a number cut into digits and an exponent.
typedef struct decimal_text {
    lg_str digits; // may contain one '.'
    int64_t exponent;
} decimal_text;

#define EXPONENT_MAX INT64_C(1000000000000000)

static int64_t parse_exponent(lg_str s)
{
    bool negative = s.len && s.ptr[0] == '-';
    int64_t value = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] >= '0' && s.ptr[i] <= '9' && value < EXPONENT_MAX) {
            value = value * 10 + (s.ptr[i] - '0');
        }
    }
    return negative ? -value : value;
}

// Cuts "-12.5e3" into the digits "12.5" and the exponent 3.
static decimal_text split_decimal(lg_str s)
{
    if (s.len && s.ptr[0] == '-') {
        s = lg_str_slice(s, 1, s.len);
    }
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == 'e' || s.ptr[i] == 'E') {
            return (decimal_text){lg_str_slice(s, 0, i),
                                  parse_exponent(lg_str_slice(s, i + 1, s.len))};
        }
    }
    return (decimal_text){s, 0};
}

// Moves the point behind the last digit that is not zero, so that the digits are an integer which
// ten does not divide. Returns how many digits that leaves.
static size_t normalise(decimal_text *d)
{
    size_t point = d->digits.len;
    size_t end = 0; // one past the last digit that is not zero
    for (size_t i = 0; i < d->digits.len; i++) {
        if (d->digits.ptr[i] == '.') {
            point = i;
        } else if (d->digits.ptr[i] != '0') {
            end = i + 1;
        }
    }
    if (end > point) {
        d->exponent -= (int64_t)(end - point - 1);
    } else {
        d->exponent += (int64_t)(point - end);
    }
    d->digits.len = end;
    return end;
}

// The shortest text of any number; `room` is used where the value has no text of its own.
static lg_str decimal_of(const lg_json *number, char room[128])
{
    if (lg_json_is(number, LG_JSON_BIGNUM)) {
        return lg_str_of(number->as.text, number->len);
    }
    lg_buf out;
    lg_buf_init_in(&out, room, 128, 128);
    lg_json_print(&out, number);
    return lg_buf_str(&out);
}

bool lg_number_is_integral(const lg_json *number)
{
    switch (lg_json_type_of(number)) {
    case LG_JSON_INT:
    case LG_JSON_UINT:
        return true;
    case LG_JSON_DOUBLE:
        return floor(number->as.f64) >= number->as.f64;
    case LG_JSON_BIGNUM: {
        decimal_text d = split_decimal(lg_str_of(number->as.text, number->len));
        return normalise(&d) == 0 || d.exponent >= 0;
    }
    case LG_JSON_NULL:
    case LG_JSON_BOOL:
    case LG_JSON_STRING:
    case LG_JSON_ARRAY:
    case LG_JSON_OBJECT:
        break;
    }
    return false;
}

bool lg_number_is_positive(const lg_json *number)
{
    lg_json zero = lg_json_make_int(0);
    return lg_json_is_number(number) && lg_json_number_cmp(number, &zero) > 0;
}

bool lg_number_decimal(const lg_json *number, decimal *ret)
{
    char room[128];
    decimal_text d = split_decimal(decimal_of(number, room));
    normalise(&d);
    uint64_t mantissa = 0;
    for (size_t i = 0; i < d.digits.len; i++) {
        if (d.digits.ptr[i] == '.') {
            continue;
        }
        uint64_t digit = (uint64_t)(d.digits.ptr[i] - '0');
        if (mantissa > (UINT64_MAX - digit) / 10) {
            return false;
        }
        mantissa = mantissa * 10 + digit;
    }
    *ret = (decimal){mantissa, mantissa ? d.exponent : 0};
    return true;
}

// a * b mod m without an overflow. Doubling keeps to 64 bits, which ISO C has; the modulus is
// small in practice and the loop short.
static uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t m)
{
    if (a <= UINT32_MAX && b <= UINT32_MAX) {
        return a * b % m;
    }
    uint64_t sum = 0;
    for (a %= m; b; b >>= 1) {
        if (b & 1) {
            sum = sum >= m - a ? sum - (m - a) : sum + a;
        }
        a = a >= m - a ? a - (m - a) : a + a;
    }
    return sum;
}

static uint64_t pow10_mod(uint64_t exponent, uint64_t m)
{
    uint64_t result = 1 % m;
    for (uint64_t base = 10 % m; exponent; exponent >>= 1) {
        if (exponent & 1) {
            result = mul_mod(result, base, m);
        }
        base = mul_mod(base, base, m);
    }
    return result;
}

bool lg_number_is_multiple(const lg_json *number, decimal divisor)
{
    if (divisor.mantissa == 0) {
        return false;
    }
    char room[128];
    decimal_text d = split_decimal(decimal_of(number, room));
    if (normalise(&d) == 0) {
        return true; // zero
    }
    int64_t shift = d.exponent - divisor.exponent;
    if (shift < 0) {
        return false; // ten does not divide the digits, so no smaller power of it is left over
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < d.digits.len; i++) {
        if (d.digits.ptr[i] != '.') {
            uint64_t digit = (uint64_t)(d.digits.ptr[i] - '0') % divisor.mantissa;
            rest = mul_mod(rest, 10, divisor.mantissa);
            rest =
                rest >= divisor.mantissa - digit ? rest - (divisor.mantissa - digit) : rest + digit;
        }
    }
    return mul_mod(rest, pow10_mod((uint64_t)shift, divisor.mantissa), divisor.mantissa) == 0;
}

bool lg_number_count(const lg_json *number, uint64_t *ret)
{
    lg_json zero = lg_json_make_int(0);
    if (!lg_json_is_number(number) || !lg_number_is_integral(number) ||
        lg_json_number_cmp(number, &zero) < 0) {
        return false;
    }
    int64_t small = 0;
    *ret = lg_json_int(number, &small) ? (uint64_t)small : UINT64_MAX;
    return true;
}
