// value.c: reading, comparing, making and copying values.
#include "base/map.h"
#include "json/json_internal.h"

#include <math.h>
#include <stdio.h>

// --- The index of large objects -----------------------------------------------------------------

// Shorter keys first: most comparisons end at the length. This order is not seen outside.
static int cmp_index(lg_str a, lg_str b)
{
    if (a.len != b.len) {
        return a.len < b.len ? -1 : 1;
    }
    return a.len ? memcmp(a.ptr, b.ptr, a.len) : 0;
}

static void merge(const lg_json *object, const uint32_t *from, uint32_t *to, size_t low,
                  size_t middle, size_t high, lg_json_key_cmp cmp)
{
    size_t left = low;
    size_t right = middle;
    for (size_t i = low; i < high; i++) {
        bool take_left =
            left < middle &&
            (right >= high || cmp(lg_json_key(lg_json_member_at(object, from[left])),
                                  lg_json_key(lg_json_member_at(object, from[right]))) <= 0);
        to[i] = from[take_left ? left++ : right++];
    }
}

// A merge sort from below: no input makes it slow, and equal keys keep their order.
void lg_json_sort_members(const lg_json *object, uint32_t *order, uint32_t *scratch,
                          lg_json_key_cmp cmp)
{
    size_t count = object->len;
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
    }
    uint32_t *from = order;
    uint32_t *to = scratch;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            size_t middle = low + width < count ? low + width : count;
            size_t high = middle + width < count ? middle + width : count;
            merge(object, from, to, low, middle, high, cmp);
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order) {
        memcpy(order, from, count * sizeof(*order));
    }
}

void lg_json_build_index(lg_json_member *members, size_t count, uint32_t *scratch)
{
    uint32_t *index = (uint32_t *)(void *)(members + count);
    lg_json object = {.type = LG_JSON_OBJECT,
                      .len = count & LG_JSON_LEN_MAX,
                      .offset = LG_JSON_NO_OFFSET,
                      .as.members = members};
    lg_json_sort_members(&object, index, scratch, cmp_index);
}

static const lg_json *get_indexed(const lg_json *object, lg_str key)
{
    const uint32_t *index = lg_json_index_of(object->as.members, object->len);
    size_t low = 0;
    size_t high = object->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const lg_json_member *m = &object->as.members[index[middle]];
        int order = cmp_index(lg_json_key(m), key);
        if (order == 0) {
            return &m->value;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

// --- Reading ------------------------------------------------------------------------------------

const lg_json *lg_json_get(const lg_json *object, lg_str key)
{
    if (!lg_json_is(object, LG_JSON_OBJECT)) {
        return NULL;
    }
    if (object->offset == LG_JSON_MAPPED) {
        const lg_json_member *member = lg_map_get(object->as.map, key);
        return member ? &member->value : NULL;
    }
    if (object->len > LG_JSON_INDEX_MIN) {
        return get_indexed(object, key);
    }
    for (size_t i = 0; i < object->len; i++) {
        const lg_json_member *m = lg_json_member_at(object, i);
        if (lg_str_eq(lg_json_key(m), key)) {
            return &m->value;
        }
    }
    return NULL;
}

const lg_json_member *lg_json_mapped_at(const lg_json *object, size_t index)
{
    return lg_map_at(object->as.map, (uint32_t)index);
}

const lg_json *lg_json_item(const lg_json *array, size_t index)
{
    bool inside = lg_json_is(array, LG_JSON_ARRAY) && index < array->len;
    return inside ? &array->as.items[index] : NULL;
}

bool lg_json_double(const lg_json *number, double *ret)
{
    if (!number) {
        return false;
    }
    switch (lg_json_type_of(number)) {
    case LG_JSON_INT:
        *ret = (double)number->as.i64;
        return true;
    case LG_JSON_UINT:
        *ret = (double)number->as.u64;
        return true;
    case LG_JSON_DOUBLE:
        *ret = number->as.f64;
        return true;
    case LG_JSON_BIGNUM:
        return lg_json_text_to_double((lg_str){number->as.text, number->len}, ret);
    case LG_JSON_NULL:
    case LG_JSON_BOOL:
    case LG_JSON_STRING:
    case LG_JSON_ARRAY:
    case LG_JSON_OBJECT:
        break;
    }
    return false;
}

bool lg_json_int(const lg_json *number, int64_t *ret)
{
    if (lg_json_is(number, LG_JSON_INT)) {
        *ret = number->as.i64;
        return true;
    }
    if (!lg_json_is(number, LG_JSON_DOUBLE)) {
        return false;
    }
    double d = number->as.f64;
    if (!(d >= -0x1p63 && d < 0x1p63) || d != trunc(d)) {
        return false;
    }
    *ret = (int64_t)d;
    return true;
}

// --- Numbers in order ---------------------------------------------------------------------------
// Integers and doubles are compared by splitting the double into its integral part, which fits the
// integer's type or decides by itself, and the rest. Bignums are compared digit by digit.

static int sign_of(bool greater, bool less)
{
    return (int)greater - (int)less;
}

static int cmp_int_double(int64_t i, double d)
{
    if (d >= 0x1p63) {
        return -1;
    }
    if (d < -0x1p63) {
        return 1;
    }
    int64_t whole = (int64_t)d; // towards zero
    double rest = d - (double)whole;
    return i != whole ? sign_of(i > whole, i < whole) : sign_of(rest<0.0, rest> 0.0);
}

static int cmp_uint_double(uint64_t u, double d)
{
    if (d >= 0x1p64) {
        return -1;
    }
    if (d < 0x1p63) {
        return 1; // an LG_JSON_UINT is at least 2^63
    }
    uint64_t whole = (uint64_t)d;
    return sign_of(u > whole, u < whole);
}

// A number as sign, digits and the place of the point: 0.d1d2d3... * 10^point. The digits stand in
// `text`, perhaps with a point among them, and neither begin nor end with a zero.
typedef struct digits_view {
    bool negative;
    lg_str text; // empty for zero
    int64_t point;
} digits_view;

static bool is_zero_or_point(char c)
{
    return c == '0' || c == '.';
}

static digits_view view_of(lg_str s)
{
    digits_view v = {.negative = s.len > 0 && s.ptr[0] == '-'};
    s = lg_str_slice(s, v.negative, s.len);
    size_t end = 0;
    size_t point = SIZE_MAX;
    while (end < s.len && (s.ptr[end] | 0x20) != 'e') {
        point = s.ptr[end] == '.' ? end : point;
        end++;
    }
    int64_t exponent = 0;
    bool down = end + 1 < s.len && s.ptr[end + 1] == '-';
    for (size_t i = end + 1; i < s.len && exponent <= EXPONENT_MAX; i++) {
        if (s.ptr[i] >= '0' && s.ptr[i] <= '9') {
            exponent = exponent * 10 + (s.ptr[i] - '0');
        }
    }
    size_t whole = point == SIZE_MAX ? end : point;
    size_t first = 0;
    while (first < end && is_zero_or_point(s.ptr[first])) {
        first++;
    }
    while (end > first && is_zero_or_point(s.ptr[end - 1])) {
        end--;
    }
    v.text = lg_str_slice(s, first, end);
    v.point =
        (down ? -exponent : exponent) + (int64_t)whole - (int64_t)first + (first > whole ? 1 : 0);
    return v;
}

static int cmp_digits(lg_str a, lg_str b)
{
    size_t i = 0;
    size_t j = 0;
    for (;;) {
        i += i < a.len && a.ptr[i] == '.';
        j += j < b.len && b.ptr[j] == '.';
        if (i == a.len || j == b.len) {
            return sign_of(i < a.len, j < b.len);
        }
        if (a.ptr[i] != b.ptr[j]) {
            return a.ptr[i] < b.ptr[j] ? -1 : 1;
        }
        i++;
        j++;
    }
}

static int cmp_views(digits_view a, digits_view b)
{
    bool a_zero = a.text.len == 0;
    bool b_zero = b.text.len == 0;
    int a_sign = a_zero ? 0 : a.negative ? -1 : 1;
    int b_sign = b_zero ? 0 : b.negative ? -1 : 1;
    if (a_sign != b_sign || a_zero) {
        return sign_of(a_sign > b_sign, a_sign < b_sign);
    }
    int order = a.point != b.point ? sign_of(a.point > b.point, a.point < b.point)
                                   : cmp_digits(a.text, b.text);
    return a_sign < 0 ? -order : order;
}

enum { NUMBER_TEXT = 400 }; // the largest double has 309 digits

// The exact decimal text of an integer, a bignum, or a double that has no fraction because it is
// large. A smaller double only needs the right sign and to be nearer to zero than any bignum.
static lg_str exact_text(const lg_json *number, char buffer[NUMBER_TEXT])
{
    int len = 0;
    if (number->type == LG_JSON_BIGNUM) {
        return (lg_str){number->as.text, number->len};
    }
    if (number->type == LG_JSON_INT) {
        len = snprintf(buffer, NUMBER_TEXT, "%lld", (long long)number->as.i64);
    } else if (number->type == LG_JSON_UINT) {
        len = snprintf(buffer, NUMBER_TEXT, "%llu", (unsigned long long)number->as.u64);
    } else {
        len = snprintf(buffer, NUMBER_TEXT, "%.0f", number->as.f64);
    }
    return (lg_str){buffer, (size_t)len};
}

static int cmp_via_text(const lg_json *a, const lg_json *b)
{
    char a_buffer[NUMBER_TEXT];
    char b_buffer[NUMBER_TEXT];
    return cmp_views(view_of(exact_text(a, a_buffer)), view_of(exact_text(b, b_buffer)));
}

int lg_json_number_cmp(const lg_json *a, const lg_json *b)
{
    LG_ASSERT(lg_json_is_number(a) && lg_json_is_number(b));
    if (a->type > b->type) {
        return -lg_json_number_cmp(b, a);
    }
    if (b->type == LG_JSON_BIGNUM) {
        return cmp_via_text(a, b);
    }
    if (b->type == LG_JSON_DOUBLE) {
        double d = b->as.f64;
        if (a->type == LG_JSON_DOUBLE) {
            return sign_of(a->as.f64 > d, a->as.f64 < d);
        }
        return a->type == LG_JSON_INT ? cmp_int_double(a->as.i64, d)
                                      : cmp_uint_double(a->as.u64, d);
    }
    if (a->type != b->type) {
        return -1; // a uint is larger than any int
    }
    return a->type == LG_JSON_INT ? sign_of(a->as.i64 > b->as.i64, a->as.i64 < b->as.i64)
                                  : sign_of(a->as.u64 > b->as.u64, a->as.u64 < b->as.u64);
}

// --- Equality -----------------------------------------------------------------------------------

static bool equal(const lg_json *a, const lg_json *b, uint32_t depth);

static bool equal_items(const lg_json *a, const lg_json *b, uint32_t depth)
{
    for (size_t i = 0; i < a->len; i++) {
        if (!equal(&a->as.items[i], &b->as.items[i], depth)) {
            return false;
        }
    }
    return true;
}

static bool equal_members(const lg_json *a, const lg_json *b, uint32_t depth)
{
    for (size_t i = 0; i < a->len; i++) {
        const lg_json_member *m = lg_json_member_at(a, i);
        const lg_json_member *same = lg_json_member_at(b, i); // most often in the same order
        bool in_order = lg_str_eq(lg_json_key(m), lg_json_key(same));
        const lg_json *other = in_order ? &same->value : lg_json_get(b, lg_json_key(m));
        if (!other || !equal(&m->value, other, depth)) {
            return false;
        }
    }
    return true;
}

static bool equal(const lg_json *a, const lg_json *b, uint32_t depth)
{
    if (depth > LG_JSON_DEPTH_MAX) {
        return false;
    }
    if (lg_json_is_number(a) && lg_json_is_number(b)) {
        return lg_json_number_cmp(a, b) == 0;
    }
    if (a->type != b->type) {
        return false;
    }
    switch (lg_json_type_of(a)) {
    case LG_JSON_BOOL:
        return a->as.boolean == b->as.boolean;
    case LG_JSON_STRING:
        return lg_str_eq(lg_json_str(a), lg_json_str(b));
    case LG_JSON_ARRAY:
        return a->len == b->len && equal_items(a, b, depth + 1);
    case LG_JSON_OBJECT:
        return a->len == b->len && equal_members(a, b, depth + 1);
    case LG_JSON_NULL:
    case LG_JSON_INT:
    case LG_JSON_UINT:
    case LG_JSON_DOUBLE:
    case LG_JSON_BIGNUM:
        break;
    }
    return true;
}

bool lg_json_equal(const lg_json *a, const lg_json *b)
{
    return a && b ? equal(a, b, 0) : a == b;
}

static bool identical(const lg_json *a, const lg_json *b, uint32_t depth);

static bool identical_members(const lg_json *a, const lg_json *b, uint32_t depth)
{
    for (size_t i = 0; i < a->len; i++) {
        const lg_json_member *m = lg_json_member_at(a, i);
        const lg_json_member *other = lg_json_member_at(b, i);
        if (!lg_str_eq(lg_json_key(m), lg_json_key(other)) ||
            !identical(&m->value, &other->value, depth)) {
            return false;
        }
    }
    return true;
}

static bool identical_items(const lg_json *a, const lg_json *b, uint32_t depth)
{
    for (size_t i = 0; i < a->len; i++) {
        if (!identical(&a->as.items[i], &b->as.items[i], depth)) {
            return false;
        }
    }
    return true;
}

static bool identical(const lg_json *a, const lg_json *b, uint32_t depth)
{
    if (a->type != b->type || a->len != b->len || depth > LG_JSON_DEPTH_MAX) {
        return false;
    }
    switch (lg_json_type_of(a)) {
    case LG_JSON_NULL:
        return true;
    case LG_JSON_BOOL:
        return a->as.boolean == b->as.boolean;
    case LG_JSON_INT:
    case LG_JSON_UINT:
    case LG_JSON_DOUBLE: // the bits: zero has a sign
        return a->as.u64 == b->as.u64;
    case LG_JSON_BIGNUM:
    case LG_JSON_STRING:
        return a->len == 0 || memcmp(a->as.text, b->as.text, a->len) == 0;
    case LG_JSON_ARRAY:
        return identical_items(a, b, depth + 1);
    case LG_JSON_OBJECT:
        return identical_members(a, b, depth + 1);
    }
    return false;
}

bool lg_json_identical(const lg_json *a, const lg_json *b)
{
    return a && b ? a == b || identical(a, b, 0) : a == b;
}

// --- Making -------------------------------------------------------------------------------------

static lg_json made(lg_json_type type, size_t len)
{
    LG_ASSERT(len <= LG_JSON_LEN_MAX);
    return (lg_json){.type = (uint32_t)type & 15,
                     .len = len & LG_JSON_LEN_MAX,
                     .offset = LG_JSON_NO_OFFSET,
                     .as.u64 = 0};
}

lg_json lg_json_make_null(void)
{
    return made(LG_JSON_NULL, 0);
}

lg_json lg_json_make_bool(bool value)
{
    lg_json v = made(LG_JSON_BOOL, 0);
    v.as.boolean = value;
    return v;
}

lg_json lg_json_make_int(int64_t value)
{
    lg_json v = made(LG_JSON_INT, 0);
    v.as.i64 = value;
    return v;
}

lg_json lg_json_make_double(double value)
{
    LG_ASSERT(isfinite(value));
    lg_json v = made(LG_JSON_DOUBLE, 0);
    v.as.f64 = value;
    return v;
}

lg_json lg_json_make_str(lg_str text)
{
    lg_json v = made(LG_JSON_STRING, text.len);
    v.as.text = text.ptr ? text.ptr : "";
    return v;
}

lg_json lg_json_make_array(const lg_json *items, size_t count)
{
    lg_json v = made(LG_JSON_ARRAY, count);
    v.as.items = items;
    return v;
}

// Behind a large object's members there is room for its index and for the sort that makes it.
lg_json_member *lg_json_alloc_members(lg_arena *arena, size_t count)
{
    size_t behind = count > LG_JSON_INDEX_MIN ? 2 * sizeof(uint32_t) : 0;
    if (count > LG_JSON_LEN_MAX || count > SIZE_MAX / (sizeof(lg_json_member) + behind)) {
        return NULL;
    }
    size_t size_bytes = count * (sizeof(lg_json_member) + behind);
    return lg_arena_zalloc(arena, size_bytes ? size_bytes : 1, 1, _Alignof(lg_json_member));
}

const lg_json lg_json_no_members = {.type = LG_JSON_OBJECT, .offset = LG_JSON_NO_OFFSET};

lg_json lg_json_make_object(lg_json_member *members, size_t count)
{
    lg_json v = made(LG_JSON_OBJECT, count);
    v.as.members = members;
    if (count > LG_JSON_INDEX_MIN) {
        uint32_t *index = (uint32_t *)(void *)(members + count);
        lg_json_build_index(members, count, index + count);
    }
    return v;
}

lg_json_member lg_json_make_member(lg_str key, lg_json value)
{
    LG_ASSERT(key.len <= LG_JSON_LEN_MAX);
    return (lg_json_member){.key = key.ptr ? key.ptr : "",
                            .key_len = (uint32_t)key.len,
                            .key_offset = LG_JSON_NO_OFFSET,
                            .value = value};
}

// --- Copying ------------------------------------------------------------------------------------

static bool copy_into(lg_arena *arena, lg_json *value, uint32_t depth);

static bool copy_text(lg_arena *arena, const char **text, size_t len)
{
    char *copy = lg_arena_alloc(arena, len ? len : 1, 1);
    if (copy && len) {
        memcpy(copy, *text, len);
    }
    *text = copy;
    return copy != NULL;
}

static bool copy_items(lg_arena *arena, lg_json *array, uint32_t depth)
{
    size_t size_bytes = array->len * sizeof(lg_json);
    lg_json *items = lg_arena_alloc(arena, size_bytes, _Alignof(lg_json));
    if (!items) {
        return false;
    }
    memcpy(items, array->as.items, size_bytes);
    array->as.items = items;
    for (size_t i = 0; i < array->len; i++) {
        if (!copy_into(arena, &items[i], depth)) {
            return false;
        }
    }
    return true;
}

// The copy of a mapped object has its members side by side.
static lg_json_member *flat_members(lg_arena *arena, const lg_json *object)
{
    size_t count = object->len;
    bool mapped = object->offset == LG_JSON_MAPPED;
    size_t index_bytes = count > LG_JSON_INDEX_MIN ? count * sizeof(uint32_t) : 0;
    size_t size_bytes = count * sizeof(lg_json_member) + index_bytes;
    lg_json_member *members = mapped ? lg_json_alloc_members(arena, count)
                                     : lg_arena_alloc(arena, size_bytes, _Alignof(lg_json_member));
    if (members && !mapped) {
        memcpy(members, object->as.members, size_bytes);
    }
    for (size_t i = 0; i < count && members && mapped; i++) {
        members[i] = *lg_json_mapped_at(object, i);
    }
    return members;
}

static bool copy_members(lg_arena *arena, lg_json *object, uint32_t depth)
{
    size_t count = object->len;
    lg_json_member *members = flat_members(arena, object);
    if (!members) {
        return false;
    }
    if (object->offset == LG_JSON_MAPPED) {
        *object = lg_json_make_object(members, count);
    }
    object->as.members = members;
    for (size_t i = 0; i < count; i++) {
        if (!copy_text(arena, &members[i].key, members[i].key_len) ||
            !copy_into(arena, &members[i].value, depth)) {
            return false;
        }
    }
    return true;
}

// `value` is a shallow copy already; gives it children and text of its own.
static bool copy_into(lg_arena *arena, lg_json *value, uint32_t depth)
{
    if (depth > LG_JSON_DEPTH_MAX) {
        return false;
    }
    switch (lg_json_type_of(value)) {
    case LG_JSON_STRING:
    case LG_JSON_BIGNUM:
        return copy_text(arena, &value->as.text, value->len);
    case LG_JSON_ARRAY:
        return value->len == 0 || copy_items(arena, value, depth + 1);
    case LG_JSON_OBJECT:
        return value->len == 0 || copy_members(arena, value, depth + 1);
    case LG_JSON_NULL:
    case LG_JSON_BOOL:
    case LG_JSON_INT:
    case LG_JSON_UINT:
    case LG_JSON_DOUBLE:
        break;
    }
    return true;
}

const lg_json *lg_json_copy(lg_arena *arena, const lg_json *value)
{
    lg_arena_mark mark = lg_arena_mark_here(arena);
    lg_json *copy = lg_arena_alloc(arena, sizeof(*copy), _Alignof(lg_json));
    if (copy) {
        *copy = *value;
    }
    if (!copy || !copy_into(arena, copy, 0)) {
        lg_arena_rewind(arena, mark);
        return NULL;
    }
    return copy;
}
