// amounts.c: numbers as they stand in texts.
#include "audit/amounts.h"

#include <math.h>

#define DIGITS_MAX 15u // more are an id

static bool is_of_id(char byte)
{
    return lg_is_letter(byte) || lg_is_digit(byte) || byte == '_' || byte == '#' ||
           ((unsigned char)byte & 0x80) != 0;
}

// Digits, and commas before three of them, from `at` on; then perhaps a point and digits. Where it ends.
static size_t read_number(lg_str text, size_t at, double *ret, size_t *ret_digits)
{
    double value = 0, unit = 1;
    size_t digits = 0;
    for (; at < text.len; at++) {
        char byte = text.ptr[at];
        bool groups = byte == ',' && at + 3 < text.len && lg_is_digit(text.ptr[at + 1]) &&
                      lg_is_digit(text.ptr[at + 2]) && lg_is_digit(text.ptr[at + 3]);
        if (!groups && !lg_is_digit(byte)) {
            break;
        }
        if (!groups) {
            value = value * 10 + (byte - '0');
            digits++;
        }
    }
    if (at + 1 < text.len && text.ptr[at] == '.' && lg_is_digit(text.ptr[at + 1])) {
        for (at++; at < text.len && lg_is_digit(text.ptr[at]); at++, digits++) {
            unit /= 10;
            value += unit * (text.ptr[at] - '0');
        }
    }
    *ret = value;
    *ret_digits = digits;
    return at;
}

bool audit_next_amount(lg_str text, size_t *at, audit_amount *ret)
{
    while (*at < text.len) {
        size_t from = *at;
        if (!lg_is_digit(text.ptr[from])) {
            (*at)++;
            continue;
        }
        double value;
        size_t digits, to = read_number(text, from, &value, &digits);
        *at = to;
        bool is_money = from > 0 && text.ptr[from - 1] == '$';
        char before = from > 0 ? text.ptr[from - 1] : ' ',
             after = to < text.len ? text.ptr[to] : ' ';
        bool is_date =
            (before == '-' && from > 1 && lg_is_digit(text.ptr[from - 2])) ||
            (after == '-' && to + 1 < text.len && lg_is_digit(text.ptr[to + 1]) && !is_money) ||
            (before == ':' || (after == ':' && to + 1 < text.len && lg_is_digit(text.ptr[to + 1])));
        if (is_of_id(before) || is_of_id(after) || is_date || digits > DIGITS_MAX) {
            while (*at < text.len && is_of_id(text.ptr[*at])) {
                (*at)++;
            }
            continue;
        }
        *ret =
            (audit_amount){.from = from - is_money, .to = to, .value = value, .is_money = is_money};
        return true;
    }
    return false;
}

bool audit_same_amount(double a, double b)
{
    return fabs(a - b) < 0.005;
}

bool audit_holds_amount(lg_str text, double value)
{
    audit_amount amount;
    for (size_t at = 0; audit_next_amount(text, &at, &amount);) {
        if (audit_same_amount(amount.value, value)) {
            return true;
        }
    }
    return false;
}
