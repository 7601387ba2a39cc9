// arithmetic(text): the value of an arithmetic expression that is a text, for packs that say what a
// calculator answers. Numbers, `+ - * / // **` and parentheses, by Python's rules: `**` binds from the
// right and before a sign, `//` rounds down, what is written without a point is a whole number (there is
// no -0 of them) and exact; one beyond 127 bits is an error. What is divided by zero is infinite or no number.
//
// arithmeticError(text): why there is no value, or an empty text. What Python says while it computes is in its
// words; what it says of a text that is no expression depends on its version, and is in ours.
#include "cel/cel_internal.h"

#include <math.h>
#include <stdlib.h>

#define DEPTH_MAX 200u // of parentheses, as Python's
#define NUMBER_BYTES_MAX 512u
#define WHOLE_DIGITS_MAX 38u // which are within 127 bits

__extension__ typedef __int128 whole_number;
__extension__ typedef unsigned __int128 magnitude;

static const char no_expression[] = "not an arithmetic expression";
static const char too_wide[] = "a whole number beyond 127 bits";

typedef struct reader {
    lg_str text;
    size_t at;
    uint32_t depth;
    const char *wrong; // this is no expression, or too large; or NULL
    const char *error; // the first that Python would meet while it computes; or NULL
} reader;

typedef enum number_kind {
    WHOLE,   // Python's int
    REAL,    // float
    COMPLEX, // a root of what is negative
    TUPLE,   // ()
} number_kind;

typedef struct number {
    number_kind kind;
    whole_number whole; // of WHOLE
    double real;        // the nearest, of any kind; not a number if there is none
} number;

static number sum(reader *r);
static number power(reader *r);

// --- Numbers ------------------------------------------------------------------------------------

static number make_real(double value)
{
    return (number){.kind = REAL, .real = value};
}

static number make_whole(whole_number value)
{
    return (number){.kind = WHOLE, .whole = value, .real = (double)value};
}

static number none(number_kind kind)
{
    return (number){.kind = kind, .real = (double)NAN};
}

static number fail(reader *r, const char *error, number value)
{
    r->error = r->error ? r->error : error;
    return value;
}

static number wrong(reader *r, const char *what)
{
    r->wrong = r->wrong ? r->wrong : what;
    r->at = r->text.len;
    return make_whole(0);
}

// What an operation on whole numbers gives, which has its negative.
static number checked(reader *r, bool overflows, whole_number value)
{
    bool fits = !overflows && (value >= 0 || (magnitude)0 - (magnitude)value <= ~(magnitude)0 >> 1);
    return fits ? make_whole(value) : wrong(r, too_wide);
}

static bool are_whole(number a, number b)
{
    return a.kind == WHOLE && b.kind == WHOLE;
}

// Of what is no real number comes what is none.
static bool has_none(number a, number b, number *ret)
{
    *ret = none(a.kind == TUPLE || b.kind == TUPLE ? TUPLE : COMPLEX);
    return a.kind > REAL || b.kind > REAL;
}

static number negated(number a)
{
    if (a.kind == WHOLE) {
        return make_whole(-a.whole);
    }
    a.real = -a.real;
    return a;
}

static number added(reader *r, number a, number b)
{
    number other;
    if (has_none(a, b, &other)) {
        return other;
    }
    if (!are_whole(a, b)) {
        return make_real(a.real + b.real);
    }
    whole_number whole = 0;
    bool overflows = __builtin_add_overflow(a.whole, b.whole, &whole);
    return checked(r, overflows, whole);
}

static number multiplied(reader *r, number a, number b)
{
    number other;
    if (has_none(a, b, &other)) {
        return other;
    }
    if (!are_whole(a, b)) {
        return make_real(a.real * b.real);
    }
    whole_number whole = 0;
    bool overflows = __builtin_mul_overflow(a.whole, b.whole, &whole);
    return checked(r, overflows, whole);
}

static magnitude magnitude_of(whole_number value)
{
    return value < 0 ? (magnitude)0 - (magnitude)value : (magnitude)value;
}

// The nearest to the quotient: it has 65 bits or more before it is rounded, the last of which stands for all
// that are left out.
static double quotient_of(whole_number a, whole_number b)
{
    magnitude by = magnitude_of(b);
    magnitude quotient = magnitude_of(a) / by;
    magnitude rest = magnitude_of(a) % by;
    int shifted = 0;
    for (; rest && quotient >> 64 == 0; shifted++) {
        rest <<= 1;
        quotient = quotient << 1 | (rest >= by);
        rest -= rest >= by ? by : 0;
    }
    double value = ldexp((double)(quotient | (rest != 0)), -shifted);
    return (a < 0) != (b < 0) ? -value : value;
}

static number divided(reader *r, number a, number b)
{
    number other;
    if (has_none(a, b, &other)) {
        return other;
    }
    if (b.real == 0.0) {
        return fail(r, are_whole(a, b) ? "division by zero" : "float division by zero",
                    make_real(a.real / b.real));
    }
    return make_real(are_whole(a, b) ? quotient_of(a.whole, b.whole) : a.real / b.real);
}

// As CPython does it: of 128 and a 0.4 that is slightly more than that, 319.
static double floor_of_quotient(double a, double b)
{
    double rest = fmod(a, b);
    double quotient = (a - rest) / b;
    quotient -= rest != 0.0 && (b < 0.0) != (rest < 0.0) ? 1.0 : 0.0;
    double floored = floor(quotient);
    return quotient == 0.0            ? copysign(0.0, a / b)
           : quotient - floored > 0.5 ? floored + 1.0
                                      : floored;
}

static number floor_divided(reader *r, number a, number b)
{
    number other;
    if (has_none(a, b, &other)) {
        return other;
    }
    if (b.real == 0.0) {
        return fail(r,
                    are_whole(a, b) ? "integer division or modulo by zero"
                                    : "float floor division by zero",
                    make_real(floor(a.real / b.real)));
    }
    if (are_whole(a, b)) {
        bool less = a.whole % b.whole != 0 && (a.whole < 0) != (b.whole < 0);
        return make_whole(a.whole / b.whole - less);
    }
    return make_real(floor_of_quotient(a.real, b.real));
}

// The exponent is not negative.
static number raised_whole(reader *r, number base, number exponent)
{
    number value = make_whole(1);
    for (whole_number left = exponent.whole; left > 0 && !r->wrong; left >>= 1) {
        value = left & 1 ? multiplied(r, value, base) : value;
        base = left > 1 ? multiplied(r, base, base) : base;
    }
    return value;
}

static number raised(reader *r, number base, number exponent)
{
    number other;
    if (has_none(base, exponent, &other)) {
        return other;
    }
    if (are_whole(base, exponent) && exponent.whole >= 0) {
        return raised_whole(r, base, exponent);
    }
    double value = pow(base.real, exponent.real);
    if (base.real == 0.0 && exponent.real < 0.0) {
        return fail(r, "0.0 cannot be raised to a negative power", make_real(value));
    }
    if (base.real < 0.0 && exponent.real != floor(exponent.real)) {
        return none(COMPLEX);
    }
    bool overflows = isinf(value) && isfinite(base.real) && isfinite(exponent.real);
    return overflows ? fail(r, "(34, 'Numerical result out of range')", make_real(value))
                     : make_real(value);
}

// --- Reading ------------------------------------------------------------------------------------

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

static number whole_literal(reader *r, lg_str digits)
{
    whole_number value = 0;
    for (size_t i = 0; i < digits.len && i < WHOLE_DIGITS_MAX; i++) {
        value = value * 10 + (digits.ptr[i] - '0');
    }
    return digits.len <= WHOLE_DIGITS_MAX ? make_whole(value) : wrong(r, too_wide);
}

// Digits with at most one point; a whole number has no needless zero in front.
static number literal(reader *r)
{
    char copy[NUMBER_BYTES_MAX];
    size_t len = 0;
    size_t digits = 0;
    bool point = false;
    for (; r->at < r->text.len; r->at++) {
        char c = r->text.ptr[r->at];
        if (!lg_is_digit(c) && (c != '.' || point)) {
            break;
        }
        digits += c != '.';
        point = point || c == '.';
        if (len + 1 == sizeof(copy)) {
            return wrong(r, "a number of more than 511 digits");
        }
        copy[len++] = c;
    }
    copy[len] = '\0';
    double value = strtod(copy, NULL);
    if (digits == 0 || (!point && digits > 1 && copy[0] == '0' && value > 0.0)) {
        return wrong(r, no_expression);
    }
    return point ? make_real(value) : whole_literal(r, lg_str_of(copy, len));
}

static number in_parentheses(reader *r)
{
    if (take(r, ")")) {
        return none(TUPLE);
    }
    if (++r->depth > DEPTH_MAX) {
        return wrong(r, "parentheses nested too deep");
    }
    number value = sum(r);
    r->depth--;
    return take(r, ")") ? value : wrong(r, no_expression);
}

// What is followed by parentheses is called, as if it were a function.
static number atom(reader *r)
{
    static const char *const not_callable[] = {
        "'int' object is not callable", "'float' object is not callable",
        "'complex' object is not callable", "'tuple' object is not callable"};
    number value = take(r, "(") ? in_parentheses(r) : literal(r);
    while (!r->wrong && take(r, "(")) {
        in_parentheses(r);
        fail(r, not_callable[value.kind], value);
    }
    return value;
}

static number signed_power(reader *r)
{
    bool minus = take(r, "-");
    if (!minus && !take(r, "+")) {
        return power(r);
    }
    if (++r->depth > DEPTH_MAX) {
        return wrong(r, "signs nested too deep");
    }
    number value = signed_power(r);
    r->depth--;
    return minus ? negated(value) : value;
}

static number power(reader *r)
{
    number base = atom(r);
    if (!take(r, "**")) {
        return base;
    }
    if (++r->depth > DEPTH_MAX) {
        return wrong(r, "powers nested too deep");
    }
    number exponent = signed_power(r);
    r->depth--;
    return raised(r, base, exponent);
}

static number product(reader *r)
{
    number value = signed_power(r);
    while (!r->wrong) {
        if (take(r, "*")) {
            value = multiplied(r, value, signed_power(r));
        } else if (take(r, "//")) {
            value = floor_divided(r, value, signed_power(r));
        } else if (take(r, "/")) {
            value = divided(r, value, signed_power(r));
        } else {
            break;
        }
    }
    return value;
}

static number sum(reader *r)
{
    number value = product(r);
    while (!r->wrong) {
        if (take(r, "+")) {
            value = added(r, value, product(r));
        } else if (take(r, "-")) {
            value = added(r, value, negated(product(r)));
        } else {
            break;
        }
    }
    return value;
}

// Paid for are three letters a power. False when that is too much.
static bool read_text(lg_cel_vm *vm, lg_cel_value text, reader *ret, number *ret_value)
{
    *ret = (reader){.text = lg_cel_str(text)};
    if (!lg_cel_charge(vm, 4 + 3 * (uint64_t)ret->text.len)) {
        return false;
    }
    *ret_value = sum(ret);
    if (!ret->wrong && next(ret) != '\0') {
        wrong(ret, no_expression);
    }
    return true;
}

// --- Errors -------------------------------------------------------------------------------------

static const char *error_of(const reader *r, number value)
{
    const char *first = r->wrong ? r->wrong : r->error;
    return first ? first
           : value.kind == COMPLEX
               ? "float() argument must be a string or a real number, not 'complex'"
           : value.kind == TUPLE ? "float() argument must be a string or a real number, not 'tuple'"
                                 : "";
}

lg_cel_value lg_cel_fn_arithmetic(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    reader r;
    number value;
    if (args[0].kind != LG_CEL_STRING) {
        return lg_cel_no_overload(vm);
    }
    if (!read_text(vm, args[0], &r, &value)) {
        return lg_cel_make_double(0);
    }
    const char *wrong = r.wrong ? r.wrong : value.kind == TUPLE ? no_expression : NULL;
    return wrong ? lg_cel_fail(vm, LG_CEL_FAIL_RANGE, wrong) : lg_cel_make_double(value.real);
}

lg_cel_value lg_cel_fn_arithmetic_error(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    reader r;
    number value;
    if (args[0].kind != LG_CEL_STRING) {
        return lg_cel_no_overload(vm);
    }
    if (!read_text(vm, args[0], &r, &value)) {
        return lg_cel_make_str(LG_STR(""));
    }
    return lg_cel_make_str(lg_str_c(error_of(&r, value)));
}
