// Values as text: for messages, for string(), and as JSON.
#include "cel/cel_internal.h"

#include "base/base64.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>

// --- Numbers ------------------------------------------------------------------------------------

// Digits d.ddd times ten to the power `exponent`.
typedef struct decimal {
    char digits[32];
    size_t count;
    int exponent;
    bool negative;
} decimal;

// Takes apart what the JSON printer writes, which are the fewest digits that read back to the same
// double: "118.0", "0.0045", "1.5e-7". The buffer is never outgrown, so nothing is allocated.
static decimal shortest(double value)
{
    char room[128];
    lg_buf text;
    lg_buf_init_in(&text, room, sizeof(room), sizeof(room));
    decimal d = {.negative = signbit(value) != 0, .exponent = -1};
    lg_json_print_double(&text, fabs(value));
    bool point = false;
    size_t at = 0;
    for (; at < text.len && text.ptr[at] != 'e'; at++) {
        char c = text.ptr[at];
        if (c == '.') {
            point = true;
            continue;
        }
        bool leading = d.count == 0 && c == '0';
        d.exponent += point ? leading ? -1 : 0 : leading ? 0 : 1;
        if (!leading) {
            d.digits[d.count++] = c;
        }
    }
    int exponent = 0;
    for (size_t i = at + 1; i < text.len; i++) {
        exponent = text.ptr[i] >= '0' && text.ptr[i] <= '9' ? exponent * 10 + (text.ptr[i] - '0')
                                                            : exponent;
    }
    bool negative = at + 1 < text.len && text.ptr[at + 1] == '-';
    d.exponent += negative ? -exponent : exponent;
    while (d.count > 1 && d.digits[d.count - 1] == '0') {
        d.count--;
    }
    if (d.count == 0) {
        d = (decimal){.digits = "0", .count = 1, .negative = d.negative};
    }
    return d;
}

static size_t put(char *out, size_t at, const char *text)
{
    size_t len = strlen(text);
    memcpy(out + at, text, len);
    return at + len;
}

// Plain digits for exponents from -4 to `plain_max`; else "1e+21".
static size_t double_text(char out[LG_CEL_TEXT_MAX], double value, int plain_max)
{
    if (isnan(value)) {
        return put(out, 0, "NaN");
    }
    if (isinf(value)) {
        return put(out, 0, value > 0 ? "+Inf" : "-Inf");
    }
    decimal d = shortest(value);
    size_t at = 0;
    if (d.negative) {
        out[at++] = '-';
    }
    int point = d.exponent + 1; // digits before the point
    if (d.exponent < -4 || d.exponent > plain_max) {
        out[at++] = d.digits[0];
        if (d.count > 1) {
            out[at++] = '.';
            memcpy(out + at, d.digits + 1, d.count - 1);
            at += d.count - 1;
        }
        return at + (size_t)snprintf(out + at, 8, "e%c%02d", d.exponent < 0 ? '-' : '+',
                                     d.exponent < 0 ? -d.exponent : d.exponent);
    }
    if (point <= 0) {
        at = put(out, at, "0.");
        for (int i = point; i < 0; i++) {
            out[at++] = '0';
        }
    }
    for (int i = 0; i < (int)d.count || i < point; i++) {
        if (i == point && i > 0) {
            out[at++] = '.';
        }
        out[at++] = i < (int)d.count ? d.digits[i] : '0';
    }
    return at;
}

// With a fraction or an exponent, always, and the limits of Python: "4.0", "1e-05", "1e+16".
size_t lg_cel_decimal_text(char out[LG_CEL_TEXT_MAX], double value)
{
    size_t at = double_text(out, value, 15);
    for (size_t i = 0; i < at; i++) {
        bool digit = (out[i] >= '0' && out[i] <= '9') || out[i] == '-';
        if (!digit) {
            return at;
        }
    }
    return put(out, at, ".0");
}

// "3600s" or "-1.5s".
static size_t duration_text(char out[LG_CEL_TEXT_MAX], int64_t seconds, uint32_t nanos)
{
    bool negative = seconds < 0;
    uint64_t whole = negative ? (uint64_t) - (seconds + (nanos > 0)) : (uint64_t)seconds;
    uint32_t rest = negative && nanos > 0 ? LG_TIME_NANOS - nanos : nanos;
    int len =
        snprintf(out, LG_CEL_TEXT_MAX, "%s%llu", negative ? "-" : "", (unsigned long long)whole);
    size_t at = len > 0 ? (size_t)len : 0;
    if (rest) {
        at += (size_t)snprintf(out + at, 16, ".%09u", rest);
        while (out[at - 1] == '0') {
            at--;
        }
    }
    out[at++] = 's';
    return at;
}

// --- Scalars ------------------------------------------------------------------------------------

size_t lg_cel_scalar_text(char out[LG_CEL_TEXT_MAX], lg_cel_value value)
{
    switch ((lg_cel_kind)value.kind) {
    case LG_CEL_NULL:
        return put(out, 0, "null");
    case LG_CEL_BOOL:
        return put(out, 0, value.as.boolean ? "true" : "false");
    case LG_CEL_INT:
        return (size_t)snprintf(out, LG_CEL_TEXT_MAX, "%lld", (long long)value.as.i64);
    case LG_CEL_UINT:
        return (size_t)snprintf(out, LG_CEL_TEXT_MAX, "%llu", (unsigned long long)value.as.u64);
    case LG_CEL_DOUBLE:
        return double_text(out, value.as.f64, 20); // as people and JSON write numbers
    case LG_CEL_TIMESTAMP:
        return lg_time_print(out, (lg_time){value.as.i64, value.aux});
    case LG_CEL_DURATION:
        return duration_text(out, value.as.i64, value.aux);
    case LG_CEL_OPAQUE:
        return lg_cel_opaque_text(out, value.as.opaque);
    case LG_CEL_ERROR:
    case LG_CEL_DYN:
    case LG_CEL_STRING:
    case LG_CEL_BYTES:
    case LG_CEL_LIST:
    case LG_CEL_MAP:
    case LG_CEL_OBJECT:
    case LG_CEL_TYPE:
    case LG_CEL_OPTIONAL:
    case LG_CEL_PARAM:
        break;
    }
    return 0;
}

// --- Printing -----------------------------------------------------------------------------------

#define NESTING_MAX 512u

// A list may hold one list a thousand times, and that again: what is printed may be far larger than
// what was made. So each part is paid for.
typedef struct printer {
    lg_buf *out;
    lg_budget *budget; // NULL: no end
} printer;

static void print_value(const printer *p, lg_cel_value value, bool quoted, uint32_t depth);

// False when it is not to be gone on: the budget is spent, or the buffer has failed.
static bool may_print(const printer *p)
{
    return !lg_budget_is_spent(p->budget) && lg_buf_status(p->out) == LG_OK;
}

static void print_list(const printer *p, lg_cel_value list, uint32_t depth)
{
    lg_buf *out = p->out;
    lg_buf_add_byte(out, '[');
    for (size_t i = 0; i < lg_cel_len(list) && may_print(p); i++) {
        lg_buf_add_c(out, i ? "," : "");
        print_value(p, lg_cel_item(list, i), true, depth + 1);
    }
    lg_buf_add_byte(out, ']');
}

static void print_key(lg_buf *out, lg_cel_value key)
{
    char text[LG_CEL_TEXT_MAX];
    lg_str shown =
        key.kind == LG_CEL_STRING ? lg_cel_str(key) : (lg_str){text, lg_cel_scalar_text(text, key)};
    lg_json_print_str(out, shown);
}

static void print_map(const printer *p, lg_cel_value map, uint32_t depth)
{
    lg_buf *out = p->out;
    lg_buf_add_byte(out, '{');
    for (size_t i = 0; i < lg_cel_len(map) && may_print(p); i++) {
        lg_cel_value key;
        lg_cel_value value;
        lg_cel_entry(map, i, &key, &value);
        lg_buf_add_c(out, i ? "," : "");
        if (!lg_budget_take(p->budget, key.kind == LG_CEL_STRING ? key.aux / 8 : 10)) {
            break;
        }
        print_key(out, key);
        lg_buf_add_byte(out, ':');
        print_value(p, value, true, depth + 1);
    }
    lg_buf_add_byte(out, '}');
}

static void print_text(lg_buf *out, lg_cel_value value, bool quoted)
{
    if (value.kind == LG_CEL_BYTES) {
        char *room = lg_buf_room(out, value.aux * 2u + 4u);
        if (room) {
            out->len += lg_base64(room, lg_cel_str(value));
        }
    } else if (quoted) {
        lg_json_print_str(out, lg_cel_str(value));
    } else {
        lg_buf_add(out, lg_cel_str(value));
    }
}

// Inside of a list or map, texts are quoted.
static void print_value(const printer *p, lg_cel_value value, bool quoted, uint32_t depth)
{
    char text[LG_CEL_TEXT_MAX];
    lg_buf *out = p->out;
    bool is_text = value.kind == LG_CEL_STRING || value.kind == LG_CEL_BYTES;
    if (!lg_budget_take(p->budget, is_text ? 2 + value.aux / 8 : 15)) {
        lg_buf_add_c(out, "...");
    } else if (depth > NESTING_MAX) {
        lg_buf_add_c(out, "...");
    } else if (is_text) {
        print_text(out, value, quoted);
    } else if (value.kind == LG_CEL_LIST) {
        print_list(p, value, depth);
    } else if (value.kind == LG_CEL_MAP) {
        print_map(p, value, depth);
    } else if (value.kind == LG_CEL_TYPE) {
        lg_buf_add(out, lg_cel_type_name(value.as.type));
    } else if (value.kind == LG_CEL_ERROR) {
        lg_buf_add_c(out, value.as.failure->what);
    } else if (value.kind == LG_CEL_OPTIONAL) {
        lg_buf_add_c(out, value.as.optional ? "optional.of(" : "optional.none(");
        if (value.as.optional) {
            print_value(p, *value.as.optional, quoted, depth + 1);
        }
        lg_buf_add_byte(out, ')');
    } else {
        lg_buf_add(out, (lg_str){text, lg_cel_scalar_text(text, value)});
    }
}

// When the budget is spent the text ends in "...".
static void print_within(lg_buf *out, lg_cel_value value, lg_budget *budget)
{
    printer p = {out, budget};
    print_value(&p, value, false, 0);
}

void lg_cel_print(lg_buf *out, lg_cel_value value)
{
    print_within(out, value, NULL);
}

void lg_cel_print_line(lg_buf *out, lg_cel_value value, lg_budget *budget)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    print_within(&text, value, budget);
    lg_utf8_add_printable(out, lg_buf_str(&text));
    if (out->status == LG_OK) {
        out->status = lg_buf_status(&text);
    }
    lg_buf_done(&text);
}

// --- JSON ---------------------------------------------------------------------------------------

typedef struct maker {
    lg_arena *arena;
    lg_budget *budget; // NULL: no end
    bool shares;       // what is JSON already stays where it is
} maker;

static bool to_json(const maker *m, lg_cel_value value, lg_json *ret, uint32_t depth);

static bool text_to_json(const maker *m, lg_str text, lg_json *ret)
{
    bool paid = lg_budget_take(m->budget, text.len / 16);
    lg_str copy = !paid ? (lg_str){NULL, 0} : m->shares ? text : lg_arena_str(m->arena, text);
    if (!copy.ptr || copy.len > LG_JSON_LEN_MAX) {
        return false;
    }
    *ret = lg_json_make_str(copy);
    return true;
}

static bool bytes_to_json(const maker *m, lg_str bytes, lg_json *ret)
{
    if (!lg_budget_take(m->budget, bytes.len / 8)) {
        return false;
    }
    char *text = lg_arena_alloc(m->arena, bytes.len / 3 * 4 + 4, 1);
    size_t len = text ? lg_base64(text, bytes) : 0;
    if (!text || len > LG_JSON_LEN_MAX) {
        return false;
    }
    *ret = lg_json_make_str((lg_str){text, len});
    return true;
}

static bool list_to_json(const maker *m, lg_cel_value list, lg_json *ret, uint32_t depth)
{
    size_t count = lg_cel_len(list);
    bool fits = count <= LG_JSON_LEN_MAX && lg_budget_take(m->budget, count);
    lg_json *items = fits ? LG_NEW_ARRAY(m->arena, lg_json, count + 1) : NULL;
    for (size_t i = 0; items && i < count; i++) {
        if (!to_json(m, lg_cel_item(list, i), &items[i], depth + 1)) {
            return false;
        }
    }
    *ret = items ? lg_json_make_array(items, count) : *ret;
    return items != NULL;
}

// The keys of a large object are put in order.
static bool map_to_json(const maker *m, lg_cel_value map, lg_json *ret, uint32_t depth)
{
    size_t count = lg_cel_len(map);
    bool fits = count <= LG_JSON_LEN_MAX && lg_budget_take(m->budget, 16 * count);
    lg_json_member *members = fits ? lg_json_alloc_members(m->arena, count) : NULL;
    for (size_t i = 0; members && i < count; i++) {
        lg_cel_value key;
        lg_cel_value value;
        lg_json name;
        char text[LG_CEL_TEXT_MAX];
        lg_cel_entry(map, i, &key, &value);
        lg_str shown = key.kind == LG_CEL_STRING ? lg_cel_str(key)
                                                 : (lg_str){text, lg_cel_scalar_text(text, key)};
        if (!text_to_json(m, shown, &name)) {
            return false;
        }
        members[i] = lg_json_make_member(lg_json_str(&name), lg_json_make_null());
        if (!to_json(m, value, &members[i].value, depth + 1)) {
            return false;
        }
    }
    *ret = members ? lg_json_make_object(members, count) : *ret;
    return members != NULL;
}

static bool scalar_to_json(const maker *m, lg_cel_value value, lg_json *ret)
{
    char text[LG_CEL_TEXT_MAX];
    if (value.kind == LG_CEL_NULL) {
        *ret = lg_json_make_null();
    } else if (value.kind == LG_CEL_BOOL) {
        *ret = lg_json_make_bool(value.as.boolean);
    } else if (value.kind == LG_CEL_INT ||
               (value.kind == LG_CEL_UINT && value.as.u64 <= (uint64_t)INT64_MAX)) {
        *ret = lg_json_make_int(value.as.i64);
    } else if (value.kind == LG_CEL_UINT) {
        *ret = (lg_json){.type = LG_JSON_UINT, .offset = LG_JSON_NO_OFFSET, .as.u64 = value.as.u64};
    } else if (value.kind == LG_CEL_DOUBLE && isfinite(value.as.f64)) {
        *ret = lg_json_make_double(value.as.f64);
    } else if (value.kind == LG_CEL_TIMESTAMP || value.kind == LG_CEL_DURATION ||
               value.kind == LG_CEL_OPAQUE) {
        return text_to_json(m, (lg_str){text, lg_cel_scalar_text(text, value)}, ret);
    } else {
        return false;
    }
    return true;
}

static bool to_json(const maker *m, lg_cel_value value, lg_json *ret, uint32_t depth)
{
    if (depth > NESTING_MAX || !lg_budget_take(m->budget, 1)) {
        return false;
    }
    if (value.boxed && (value.kind == LG_CEL_LIST || value.kind == LG_CEL_MAP)) {
        bool paid = lg_json_weigh(m->budget, value.as.json);
        const lg_json *copy = !paid       ? NULL
                              : m->shares ? value.as.json
                                          : lg_json_copy(m->arena, value.as.json);
        *ret = copy ? *copy : *ret;
        return copy != NULL;
    }
    if (value.kind == LG_CEL_STRING) {
        return text_to_json(m, lg_cel_str(value), ret);
    }
    if (value.kind == LG_CEL_BYTES) {
        return bytes_to_json(m, lg_cel_str(value), ret);
    }
    if (value.kind == LG_CEL_LIST) {
        return list_to_json(m, value, ret, depth);
    }
    if (value.kind == LG_CEL_MAP) {
        return map_to_json(m, value, ret, depth);
    }
    if (value.kind == LG_CEL_OPTIONAL) {
        return to_json(m, value.as.optional ? *value.as.optional : lg_cel_make_null(), ret,
                       depth + 1);
    }
    return scalar_to_json(m, value, ret);
}

static const lg_json *make_json(const maker *m, lg_cel_value value)
{
    lg_json *json = LG_NEW(m->arena, lg_json);
    return json && to_json(m, value, json, 0) ? json : NULL;
}

const lg_json *lg_cel_to_json_within(lg_arena *arena, lg_cel_value value, lg_budget *budget)
{
    return make_json(&(maker){.arena = arena, .budget = budget}, value);
}

const lg_json *lg_cel_as_json(lg_arena *arena, lg_cel_value value, lg_budget *budget)
{
    return make_json(&(maker){.arena = arena, .budget = budget, .shares = true}, value);
}

const lg_json *lg_cel_to_json(lg_arena *arena, lg_cel_value value)
{
    return lg_cel_to_json_within(arena, value, NULL);
}
