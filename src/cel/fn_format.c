// format(): '%s is %d'.format([a, b]). Clauses: %s %d %f %e %b %o %x %X %%, with a precision for
// %f and %e. Numbers of JSON are doubles, so %d takes a double without a fraction too.
#include "cel/cel_internal.h"

#include <math.h>
#include <stdio.h>

#define PRECISION_DEFAULT 6
#define PRECISION_MAX 100
#define NESTING_MAX 200u
#define SCALAR_STEPS 15u // of a number or date as text
#define REAL_STEPS 200u  // the digits of 1e308 before the point, and a hundred behind it

typedef struct formatter {
    lg_cel_builder out;
    const char *why; // fixed text of a failure
} formatter;

static void add(formatter *f, lg_str text)
{
    lg_cel_builder_add(&f->out, text);
}

static void refuse(formatter *f, const char *why)
{
    f->why = f->why ? f->why : why;
}

static lg_str special_double(double value)
{
    return isnan(value) ? LG_STR("NaN") : value > 0 ? LG_STR("Infinity") : LG_STR("-Infinity");
}

// --- %s -----------------------------------------------------------------------------------------

static void add_shown(formatter *f, lg_cel_value value, uint32_t depth);

static void add_list(formatter *f, lg_cel_value list, uint32_t depth)
{
    add(f, LG_STR("["));
    for (size_t i = 0; i < lg_cel_len(list) && !f->out.failed && !f->why; i++) {
        add(f, i ? LG_STR(", ") : LG_STR(""));
        add_shown(f, lg_cel_item(list, i), depth + 1);
    }
    add(f, LG_STR("]"));
}

// A key and its value; the keys have been printed already, to be put in order.
typedef struct shown_entry {
    lg_str key;
    size_t index;
} shown_entry;

static lg_str shown_key(lg_cel_vm *vm, lg_cel_value key)
{
    char text[LG_CEL_TEXT_MAX];
    if (key.kind == LG_CEL_STRING) {
        return lg_cel_str(key);
    }
    lg_cel_charge(vm, SCALAR_STEPS);
    lg_cel_builder copy = {.vm = vm};
    lg_cel_builder_add(&copy, (lg_str){text, lg_cel_scalar_text(text, key)});
    return (lg_str){copy.text ? copy.text : "", copy.len};
}

static void sift_down(shown_entry *heap, size_t at, size_t count)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && lg_str_cmp(heap[child].key, heap[child + 1].key) < 0) {
            child++;
        }
        if (lg_str_cmp(heap[at].key, heap[child].key) >= 0) {
            return;
        }
        shown_entry swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
    }
}

static void sort_entries(shown_entry *entries, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) {
        sift_down(entries, i, count);
    }
    for (size_t end = count; end-- > 1;) {
        shown_entry swap = entries[0];
        entries[0] = entries[end];
        entries[end] = swap;
        sift_down(entries, 0, end);
    }
}

// The order takes count * log(count) comparisons, of texts that may be long.
static uint64_t order_cost(lg_cel_value map, size_t count)
{
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        lg_cel_value key;
        lg_cel_value value;
        lg_cel_entry(map, i, &key, &value);
        longest = key.kind == LG_CEL_STRING && key.aux > longest ? key.aux : longest;
    }
    uint64_t rounds = count ? 64 - (uint64_t)__builtin_clzll(count) : 0;
    return count * (2 + rounds * (3 + lg_cel_text_cost(longest)));
}

static void add_map(formatter *f, lg_cel_value map, uint32_t depth)
{
    size_t count = lg_cel_len(map);
    lg_cel_value key;
    lg_cel_value value;
    shown_entry *entries = NULL;
    if (lg_cel_charge(f->out.vm, count) && lg_cel_charge(f->out.vm, order_cost(map, count))) {
        entries = lg_cel_scratch(f->out.vm, count * sizeof(*entries) + 1, _Alignof(shown_entry));
    }
    if (!entries) {
        f->out.failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        lg_cel_entry(map, i, &key, &value);
        entries[i] = (shown_entry){shown_key(f->out.vm, key), i};
    }
    sort_entries(entries, count);
    add(f, LG_STR("{"));
    for (size_t i = 0; i < count && !f->out.failed; i++) {
        lg_cel_entry(map, entries[i].index, &key, &value);
        add(f, i ? LG_STR(", ") : LG_STR(""));
        add(f, entries[i].key);
        add(f, LG_STR(": "));
        add_shown(f, value, depth + 1);
    }
    add(f, LG_STR("}"));
}

static void add_shown(formatter *f, lg_cel_value value, uint32_t depth)
{
    char text[LG_CEL_TEXT_MAX];
    bool is_text = value.kind == LG_CEL_STRING || value.kind == LG_CEL_BYTES;
    if (!lg_cel_charge(f->out.vm, is_text ? value.aux / 8 : SCALAR_STEPS)) {
        f->out.failed = true;
    } else if (depth > NESTING_MAX) {
        refuse(f, "format() of a value nested too deep");
    } else if (is_text) {
        lg_str bytes = lg_cel_str(value);
        if (lg_utf8_valid_prefix(bytes) != bytes.len) {
            refuse(f, "the bytes are no UTF-8");
        }
        add(f, bytes);
    } else if (value.kind == LG_CEL_LIST) {
        add_list(f, value, depth);
    } else if (value.kind == LG_CEL_MAP) {
        add_map(f, value, depth);
    } else if (value.kind == LG_CEL_TYPE) {
        add(f, lg_cel_type_name(value.as.type));
    } else if (value.kind == LG_CEL_DOUBLE && !isfinite(value.as.f64)) {
        add(f, special_double(value.as.f64));
    } else if (value.kind == LG_CEL_ERROR || value.kind == LG_CEL_OPTIONAL) {
        refuse(f, "format() of a value without a text");
    } else {
        add(f, (lg_str){text, lg_cel_scalar_text(text, value)});
    }
}

// --- Numbers ------------------------------------------------------------------------------------

// The digits of `magnitude` in a base of 2, 8, 10 or 16.
static void add_digits(formatter *f, uint64_t magnitude, bool negative, uint32_t base, bool upper)
{
    const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char text[66];
    size_t at = sizeof(text);
    do {
        text[--at] = digits[magnitude % base];
        magnitude /= base;
    } while (magnitude);
    if (negative) {
        text[--at] = '-';
    }
    add(f, (lg_str){text + at, sizeof(text) - at});
}

static void add_integer(formatter *f, lg_cel_value value, uint32_t base, bool upper)
{
    bool negative = value.kind == LG_CEL_INT && value.as.i64 < 0;
    uint64_t bits = value.as.u64;
    add_digits(f, negative ? 0 - bits : bits, negative, base, upper);
}

static void add_decimal(formatter *f, lg_cel_value value)
{
    if (value.kind == LG_CEL_DOUBLE && !isfinite(value.as.f64)) {
        add(f, special_double(value.as.f64));
        return;
    }
    if (value.kind == LG_CEL_DOUBLE && fabs(value.as.f64) < 0x1p63 &&
        (double)(int64_t)value.as.f64 == value.as.f64) {
        value = lg_cel_make_int((int64_t)value.as.f64);
    }
    if (value.kind == LG_CEL_INT || value.kind == LG_CEL_UINT) {
        add_integer(f, value, 10, false);
    } else {
        refuse(f, "%d of what is no whole number");
    }
}

static void add_binary(formatter *f, lg_cel_value value)
{
    if (value.kind == LG_CEL_BOOL) {
        add(f, value.as.boolean ? LG_STR("1") : LG_STR("0"));
    } else if (value.kind == LG_CEL_INT || value.kind == LG_CEL_UINT) {
        add_integer(f, value, 2, false);
    } else {
        refuse(f, "%b of what is neither an integer nor a bool");
    }
}

static void add_octal(formatter *f, lg_cel_value value)
{
    if (value.kind == LG_CEL_INT || value.kind == LG_CEL_UINT) {
        add_integer(f, value, 8, false);
    } else {
        refuse(f, "%o of what is no integer");
    }
}

static void add_hex(formatter *f, lg_cel_value value, bool upper)
{
    if (value.kind == LG_CEL_INT || value.kind == LG_CEL_UINT) {
        add_integer(f, value, 16, upper);
        return;
    }
    if (value.kind != LG_CEL_STRING && value.kind != LG_CEL_BYTES) {
        refuse(f, "%x of what is no integer, string or bytes");
        return;
    }
    const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    for (uint32_t i = 0; i < value.aux && !f->out.failed && !f->out.vm->limit; i++) {
        unsigned char byte = (unsigned char)value.as.text[i];
        char pair[2] = {digits[byte >> 4], digits[byte & 15]};
        add(f, (lg_str){pair, 2});
    }
}

// The C library rounds correctly; its decimal point depends on the locale and is put right.
static void add_real(formatter *f, lg_cel_value value, bool scientific, int precision)
{
    char text[512];
    double number = value.kind == LG_CEL_DOUBLE ? value.as.f64
                    : value.kind == LG_CEL_INT  ? (double)value.as.i64
                                                : (double)value.as.u64;
    if (value.kind != LG_CEL_DOUBLE && value.kind != LG_CEL_INT && value.kind != LG_CEL_UINT) {
        refuse(f, "%f or %e of what is no number");
        return;
    }
    if (!isfinite(number)) {
        add(f, special_double(number));
        return;
    }
    lg_cel_charge(f->out.vm, REAL_STEPS);
    int len = scientific ? snprintf(text, sizeof(text), "%.*e", precision, number)
                         : snprintf(text, sizeof(text), "%.*f", precision, number);
    size_t at = 0;
    while (at < (size_t)len && (text[at] == '-' || (text[at] >= '0' && text[at] <= '9'))) {
        at++;
    }
    add(f, (lg_str){text, at});
    if (precision > 0) {
        add(f, LG_STR("."));
        while (at < (size_t)len && (text[at] < '0' || text[at] > '9')) {
            at++;
        }
    }
    add(f, (lg_str){text + at, (size_t)len - at});
}

// --- Clauses ------------------------------------------------------------------------------------

static void add_clause(formatter *f, char clause, int precision, lg_cel_value value)
{
    switch (clause) {
    case 's':
        add_shown(f, value, 0);
        return;
    case 'd':
        add_decimal(f, value);
        return;
    case 'f':
    case 'e':
        add_real(f, value, clause == 'e', precision);
        return;
    case 'b':
        add_binary(f, value);
        return;
    case 'o':
        add_octal(f, value);
        return;
    case 'x':
    case 'X':
        add_hex(f, value, clause == 'X');
        return;
    default:
        refuse(f, "unknown clause in a format");
        return;
    }
}

// ".12" before a clause; the default without one.
static int read_precision(formatter *f, lg_str text, size_t *at)
{
    if (*at >= text.len || text.ptr[*at] != '.') {
        return PRECISION_DEFAULT;
    }
    int precision = 0;
    for (++*at; *at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9'; ++*at) {
        precision = precision > PRECISION_MAX ? precision : precision * 10 + (text.ptr[*at] - '0');
    }
    if (precision > PRECISION_MAX) {
        refuse(f, "a precision in a format is larger than 100");
        return 0;
    }
    return precision;
}

static void format(formatter *f, lg_str text, lg_cel_value args)
{
    size_t used = 0;
    for (size_t at = 0; at < text.len && !f->why && !f->out.failed;) {
        size_t percent = lg_str_find(lg_str_slice(text, at, text.len), LG_STR("%"));
        size_t end = percent == SIZE_MAX ? text.len : at + percent;
        add(f, lg_str_slice(text, at, end));
        at = end + 1;
        if (at >= text.len) {
            if (end < text.len) {
                refuse(f, "unfinished clause in a format");
            }
            return;
        }
        if (text.ptr[at] == '%') {
            add(f, LG_STR("%"));
            at++;
            continue;
        }
        if (!lg_cel_charge(f->out.vm, 5)) {
            return;
        }
        int precision = read_precision(f, text, &at);
        if (at >= text.len || used >= lg_cel_len(args)) {
            refuse(f, at >= text.len ? "unfinished clause in a format"
                                     : "more clauses in a format than values");
            return;
        }
        add_clause(f, text.ptr[at++], precision, lg_cel_item(args, used++));
    }
}

lg_cel_value lg_cel_fn_format(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    if (count != 2 || args[0].kind != LG_CEL_STRING || args[1].kind != LG_CEL_LIST) {
        return lg_cel_no_overload(vm);
    }
    formatter f = {.out = {.vm = vm}};
    format(&f, lg_cel_str(args[0]), args[1]);
    return f.why ? lg_cel_fail(vm, LG_CEL_FAIL_TYPE, f.why) : lg_cel_builder_done(&f.out);
}
