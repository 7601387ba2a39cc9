// arithmetic(text): the value of an arithmetic expression that is a text, for packs that say what a
// calculator answers. Numbers, `+ - * / // **` and parentheses, by Python's rules: `**` binds from the
// right and before a sign, `//` rounds down. All numbers are doubles, so what is divided by zero is
// infinite or no number.
#include "cel/cel_internal.h"

#include <math.h>
#include <stdlib.h>

#define DEPTH_MAX 100u

typedef struct reader {
    lg_cel_vm *vm;
    lg_str text;
    size_t at;
    uint32_t depth;
    const char *wrong; // what was, or NULL
} reader;

static double sum(reader *r);
static double power(reader *r);

static char next(reader *r)
{
    while (r->at < r->text.len && r->text.ptr[r->at] == ' ') {
        r->at++;
    }
    return r->at < r->text.len ? r->text.ptr[r->at] : '\0';
}

// Takes `operator` if it comes next, and is not the beginning of a longer one.
static bool take(reader *r, const char *operator)
{
    next(r);
    lg_str rest = lg_str_slice(r->text, r->at, r->text.len);
    size_t len = strlen(operator);
    bool longer = len == 1 && (operator[0] == '*' || operator[0] == '/') && rest.len > 1 &&
                  rest.ptr[1] == operator[0];
    if (!lg_str_starts(rest, lg_str_c(operator)) || longer) {
        return false;
    }
    r->at += len;
    return true;
}

static double wrong(reader *r, const char *what)
{
    r->wrong = r->wrong ? r->wrong : what;
    r->at = r->text.len;
    return 0.0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Digits with at most one point; a whole number has no needless zero in front.
static double number(reader *r)
{
    char copy[64];
    size_t len = 0;
    size_t digits = 0;
    bool point = false;
    size_t from = r->at;
    for (; r->at < r->text.len; r->at++) {
        char c = r->text.ptr[r->at];
        if (!is_digit(c) && (c != '.' || point)) {
            break;
        }
        digits += c != '.';
        point = point || c == '.';
        if (len + 1 == sizeof(copy)) {
            return wrong(r, "a number of more than 63 digits");
        }
        copy[len++] = c;
    }
    copy[len] = '\0';
    double value = strtod(copy, NULL);
    bool zeros = !point && digits > 1 && r->text.ptr[from] == '0' && value > 0.0;
    return digits == 0 || zeros ? wrong(r, "not an arithmetic expression") : value;
}

static double atom(reader *r)
{
    if (!take(r, "(")) {
        return number(r);
    }
    if (++r->depth > DEPTH_MAX) {
        return wrong(r, "parentheses nested too deep");
    }
    double value = sum(r);
    r->depth--;
    return take(r, ")") ? value : wrong(r, "not an arithmetic expression");
}

static double signed_power(reader *r)
{
    bool minus = take(r, "-");
    if (!minus && !take(r, "+")) {
        return power(r);
    }
    if (++r->depth > DEPTH_MAX) {
        return wrong(r, "signs nested too deep");
    }
    double value = signed_power(r);
    r->depth--;
    return minus ? -value : value;
}

static double power(reader *r)
{
    double base = atom(r);
    if (!take(r, "**")) {
        return base;
    }
    if (++r->depth > DEPTH_MAX) {
        return wrong(r, "powers nested too deep");
    }
    double exponent = signed_power(r);
    r->depth--;
    return pow(base, exponent);
}

static double product(reader *r)
{
    double value = signed_power(r);
    while (!r->wrong) {
        if (take(r, "*")) {
            value *= signed_power(r);
        } else if (take(r, "//")) {
            value = floor(value / signed_power(r));
        } else if (take(r, "/")) {
            value /= signed_power(r);
        } else {
            break;
        }
    }
    return value;
}

static double sum(reader *r)
{
    double value = product(r);
    while (!r->wrong) {
        if (take(r, "+")) {
            value += product(r);
        } else if (take(r, "-")) {
            value -= product(r);
        } else {
            break;
        }
    }
    return value;
}

lg_cel_value lg_cel_fn_arithmetic(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    if (args[0].kind != LG_CEL_STRING) {
        return lg_cel_no_overload(vm);
    }
    reader r = {.vm = vm, .text = lg_cel_str(args[0])};
    if (!lg_cel_charge(vm, 4 + 3 * (uint64_t)r.text.len)) { // a power for three letters
        return lg_cel_make_double(0);
    }
    double value = sum(&r);
    if (!r.wrong && next(&r) != '\0') {
        wrong(&r, "not an arithmetic expression");
    }
    return r.wrong ? lg_cel_fail(vm, LG_CEL_FAIL_RANGE, r.wrong) : lg_cel_make_double(value);
}
