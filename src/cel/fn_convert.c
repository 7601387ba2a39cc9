// Conversions between types. A text that does not read as the wanted type is a TYPE failure, a
// number that does not fit is a RANGE failure.
#include "cel/cel_internal.h"

#include <math.h>

// What writing a scalar as text takes: digits of a double, a date.
#define SCALAR_STEPS 15u

static lg_cel_value does_not_fit(lg_cel_vm *vm)
{
    return lg_cel_fail(vm, LG_CEL_FAIL_RANGE, "conversion out of range");
}

static lg_cel_value unreadable(lg_cel_vm *vm, const char *what)
{
    return lg_cel_fail(vm, LG_CEL_FAIL_TYPE, what);
}

lg_cel_value lg_cel_fn_dyn(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)vm;
    (void)count;
    return args[0];
}

lg_cel_value lg_cel_fn_type(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)vm;
    (void)count;
    return (lg_cel_value){.kind = LG_CEL_TYPE, .as.type = lg_cel_type_of(args[0])};
}

lg_cel_value lg_cel_fn_bool(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    static const char *const yes[] = {"1", "t", "T", "true", "TRUE", "True"};
    static const char *const no[] = {"0", "f", "F", "false", "FALSE", "False"};
    (void)count;
    if (args[0].kind == LG_CEL_BOOL) {
        return args[0];
    }
    if (args[0].kind != LG_CEL_STRING) {
        return lg_cel_no_overload(vm);
    }
    for (size_t i = 0; i < LG_COUNT(yes); i++) {
        if (lg_str_eq(lg_cel_str(args[0]), lg_str_c(yes[i]))) {
            return lg_cel_make_bool(true);
        }
        if (lg_str_eq(lg_cel_str(args[0]), lg_str_c(no[i]))) {
            return lg_cel_make_bool(false);
        }
    }
    return unreadable(vm, "the text is no bool");
}

// Reads decimal digits, all of `text`. False if it is anything else; `*ret_fits` tells overflow.
static bool read_decimal(lg_str text, uint64_t *ret, bool *ret_fits)
{
    *ret = 0;
    *ret_fits = true;
    for (size_t i = 0; i < text.len; i++) {
        uint64_t digit = (uint64_t)(unsigned char)text.ptr[i] - '0';
        if (digit > 9) {
            return false;
        }
        *ret_fits = *ret_fits && *ret <= (UINT64_MAX - digit) / 10;
        *ret = *ret * 10 + digit;
    }
    return text.len > 0;
}

static lg_cel_value int_of_text(lg_cel_vm *vm, lg_str text)
{
    bool negative = text.len > 0 && text.ptr[0] == '-';
    bool has_sign = negative || (text.len > 0 && text.ptr[0] == '+');
    uint64_t magnitude;
    bool fits;
    if (!lg_cel_charge(vm, text.len / 8) ||
        !read_decimal(lg_str_slice(text, has_sign, text.len), &magnitude, &fits)) {
        return unreadable(vm, "the text is no int");
    }
    if (!fits || magnitude > (uint64_t)INT64_MAX + (uint64_t)negative) {
        return does_not_fit(vm);
    }
    return lg_cel_make_int(negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude);
}

lg_cel_value lg_cel_fn_int(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_value a = args[0];
    if (a.kind == LG_CEL_INT) {
        return a;
    }
    if (a.kind == LG_CEL_UINT) {
        return a.as.u64 <= (uint64_t)INT64_MAX ? lg_cel_make_int((int64_t)a.as.u64)
                                               : does_not_fit(vm);
    }
    if (a.kind == LG_CEL_DOUBLE) {
        bool inside = a.as.f64 > -0x1p63 && a.as.f64 < 0x1p63;
        return inside ? lg_cel_make_int((int64_t)a.as.f64) : does_not_fit(vm);
    }
    if (a.kind == LG_CEL_TIMESTAMP) {
        return lg_cel_make_int(a.as.i64);
    }
    return a.kind == LG_CEL_STRING ? int_of_text(vm, lg_cel_str(a)) : lg_cel_no_overload(vm);
}

lg_cel_value lg_cel_fn_uint(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_value a = args[0];
    if (a.kind == LG_CEL_UINT) {
        return a;
    }
    if (a.kind == LG_CEL_INT) {
        return a.as.i64 >= 0 ? lg_cel_make_uint((uint64_t)a.as.i64) : does_not_fit(vm);
    }
    if (a.kind == LG_CEL_DOUBLE) {
        bool inside = a.as.f64 >= 0 && a.as.f64 < 0x1p64;
        return inside ? lg_cel_make_uint((uint64_t)a.as.f64) : does_not_fit(vm);
    }
    if (a.kind != LG_CEL_STRING) {
        return lg_cel_no_overload(vm);
    }
    uint64_t value;
    bool fits;
    if (!lg_cel_charge(vm, a.aux / 8) || !read_decimal(lg_cel_str(a), &value, &fits)) {
        return unreadable(vm, "the text is no uint");
    }
    return fits ? lg_cel_make_uint(value) : does_not_fit(vm);
}

// The JSON reader gives the nearest double whatever the C locale. It wants a digit on both sides
// of a point and no zeros in front, so the text is brought to that form.
static lg_cel_value double_of_digits(lg_cel_vm *vm, lg_str text, bool negative)
{
    while (text.len > 1 && text.ptr[0] == '0' && text.ptr[1] >= '0' && text.ptr[1] <= '9') {
        text = lg_str_slice(text, 1, text.len);
    }
    char *copy = lg_cel_scratch(vm, text.len + 3, 1);
    if (!copy) {
        return lg_cel_out_of_memory(vm);
    }
    size_t len = 0;
    bool point = false; // only the first can be one that JSON reads
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool first = c == '.' && !point;
        if (first && i == 0 && text.len > 1 && (text.ptr[1] | 0x20) != 'e') {
            copy[len++] = '0';
        }
        copy[len++] = c;
        if (first && (i + 1 == text.len || (text.ptr[i + 1] | 0x20) == 'e')) {
            copy[len++] = '0';
        }
        point |= first;
    }
    bool digit_first = len > 0 && copy[0] >= '0' && copy[0] <= '9';
    const lg_json *number = NULL;
    lg_status status = digit_first ? lg_json_parse_in(vm->scratch, (lg_str){copy, len}, 0, len,
                                                      NULL, &number, NULL)
                                   : LG_ERR_PARSE;
    if (status != LG_OK) {
        return status != LG_ERR_PARSE ? lg_cel_out_of_memory(vm)
                                      : unreadable(vm, "the text is no double");
    }
    double value;
    if (!lg_json_double(number, &value)) {
        return does_not_fit(vm);
    }
    return lg_cel_make_double(negative ? -value : value);
}

static lg_cel_value double_of_text(lg_cel_vm *vm, lg_str text)
{
    bool negative = text.len > 0 && text.ptr[0] == '-';
    if (negative || (text.len > 0 && text.ptr[0] == '+')) {
        text = lg_str_slice(text, 1, text.len);
    }
    if (lg_str_eq_any_case(text, LG_STR("nan"))) {
        return lg_cel_make_double((double)NAN);
    }
    if (lg_str_eq_any_case(text, LG_STR("inf")) || lg_str_eq_any_case(text, LG_STR("infinity"))) {
        return lg_cel_make_double(negative ? -(double)INFINITY : (double)INFINITY);
    }
    return lg_cel_charge(vm, 4 + text.len / 2) ? double_of_digits(vm, text, negative)
                                               : lg_cel_make_double(0);
}

lg_cel_value lg_cel_fn_double(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_value a = args[0];
    if (a.kind == LG_CEL_DOUBLE) {
        return a;
    }
    if (a.kind == LG_CEL_INT) {
        return lg_cel_make_double((double)a.as.i64);
    }
    if (a.kind == LG_CEL_UINT) {
        return lg_cel_make_double((double)a.as.u64);
    }
    return a.kind == LG_CEL_STRING ? double_of_text(vm, lg_cel_str(a)) : lg_cel_no_overload(vm);
}

lg_cel_value lg_cel_fn_bytes(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_value a = args[0];
    if (a.kind != LG_CEL_BYTES && a.kind != LG_CEL_STRING) {
        return lg_cel_no_overload(vm);
    }
    a.kind = LG_CEL_BYTES;
    return a;
}

static lg_cel_value string_of_bytes(lg_cel_vm *vm, lg_cel_value bytes)
{
    if (!lg_cel_charge(vm, bytes.aux / 8) || lg_utf8_valid_prefix(lg_cel_str(bytes)) != bytes.aux) {
        return unreadable(vm, "the bytes are no UTF-8");
    }
    bytes.kind = LG_CEL_STRING;
    return bytes;
}

// What the printer of messages writes is what string() gives, for all that has a text.
lg_cel_value lg_cel_fn_string(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_value a = args[0];
    bool printable = a.kind >= LG_CEL_BOOL && a.kind <= LG_CEL_DURATION;
    if (a.kind == LG_CEL_STRING) {
        return a;
    }
    if (a.kind == LG_CEL_BYTES) {
        return string_of_bytes(vm, a);
    }
    if (!printable && a.kind != LG_CEL_OPAQUE) {
        return lg_cel_no_overload(vm);
    }
    char text[LG_CEL_TEXT_MAX];
    lg_cel_charge(vm, SCALAR_STEPS);
    lg_str shown = {text, lg_cel_scalar_text(text, a)};
    char *copy = lg_cel_scratch(vm, shown.len + 1, 1);
    if (!copy) {
        return lg_cel_out_of_memory(vm);
    }
    memcpy(copy, shown.ptr, shown.len);
    return lg_cel_make_str((lg_str){copy, shown.len});
}

// The shortest text that reads back as the number, with a fraction or an exponent: "4.0".
lg_cel_value lg_cel_fn_decimal(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    if (args[0].kind != LG_CEL_DOUBLE) {
        return lg_cel_no_overload(vm);
    }
    char text[LG_CEL_TEXT_MAX];
    lg_cel_charge(vm, SCALAR_STEPS);
    lg_str shown = {text, lg_cel_decimal_text(text, args[0].as.f64)};
    lg_cel_builder out = {.vm = vm};
    lg_cel_builder_add(&out, shown);
    return lg_cel_builder_done(&out);
}
