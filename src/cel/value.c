// Values: making, comparing, reading. What JSON holds is never copied: a list or map either points
// to a JSON array or object (boxed), or to one that was made during evaluation.
#include "cel/cel_internal.h"

#include <math.h>

// --- Making -------------------------------------------------------------------------------------

#define EXACT_DOUBLE_MAX (INT64_C(1) << 53)

static const lg_cel_failure big_number = {
    .kind = LG_CEL_FAIL_RANGE, .read = UINT32_MAX, .what = "a number too large to be exact"};
static const lg_cel_failure no_memory = {
    .kind = LG_CEL_FAIL_LIMIT, .read = UINT32_MAX, .what = "out of memory"};
static const lg_cel_failure bad_map = {
    .kind = LG_CEL_FAIL_TYPE, .read = UINT32_MAX, .what = "a repeated key, or one of a wrong type"};

static lg_cel_value make_failure(const lg_cel_failure *failure)
{
    return (lg_cel_value){.kind = LG_CEL_ERROR, .as.failure = failure};
}

lg_cel_value lg_cel_make_list(lg_arena *arena, const lg_cel_value *items, size_t count)
{
    lg_cel_list *list = LG_NEW(arena, lg_cel_list);
    if (!list) {
        return make_failure(&no_memory);
    }
    *list = (lg_cel_list){items, count};
    return (lg_cel_value){.kind = LG_CEL_LIST, .as.list = list};
}

lg_cel_value lg_cel_make_map(lg_arena *arena, const lg_cel_value *pairs, size_t count)
{
    lg_cel_map *map = lg_cel_map_new(arena, count);
    if (!map) {
        return make_failure(&no_memory);
    }
    for (size_t i = 0; i < count; i++) {
        lg_cel_put put = lg_cel_map_put(NULL, arena, map, pairs[2 * i], pairs[2 * i + 1]);
        if (put != LG_CEL_PUT_OK) {
            return make_failure(put == LG_CEL_PUT_OOM ? &no_memory : &bad_map);
        }
    }
    return (lg_cel_value){.kind = LG_CEL_MAP, .as.map = map};
}

lg_cel_value lg_cel_from_json(const lg_json *json)
{
    switch (lg_json_type_of(json)) {
    case LG_JSON_NULL:
        return lg_cel_make_null();
    case LG_JSON_BOOL:
        return lg_cel_make_bool(json->as.boolean);
    case LG_JSON_INT:
        return json->as.i64 >= -EXACT_DOUBLE_MAX && json->as.i64 <= EXACT_DOUBLE_MAX
                   ? lg_cel_make_double((double)json->as.i64)
                   : lg_cel_make_int(json->as.i64);
    case LG_JSON_UINT:
        return lg_cel_make_uint(json->as.u64);
    case LG_JSON_DOUBLE:
        return lg_cel_make_double(json->as.f64);
    case LG_JSON_BIGNUM:
        return make_failure(&big_number);
    case LG_JSON_STRING:
        return lg_cel_make_str((lg_str){json->as.text, json->len});
    case LG_JSON_ARRAY:
        return (lg_cel_value){.kind = LG_CEL_LIST, .boxed = 1, .as.json = json};
    case LG_JSON_OBJECT:
        return (lg_cel_value){.kind = LG_CEL_MAP, .boxed = 1, .as.json = json};
    }
    return lg_cel_make_null();
}

const lg_cel_type *lg_cel_type_of(lg_cel_value value)
{
    return value.kind == LG_CEL_OPAQUE ? value.as.opaque->type
                                       : lg_cel_type_of_kind((lg_cel_kind)value.kind);
}

// --- Reading containers -------------------------------------------------------------------------

size_t lg_cel_len(lg_cel_value value)
{
    if (value.kind == LG_CEL_LIST) {
        return value.boxed ? value.as.json->len : value.as.list->count;
    }
    if (value.kind == LG_CEL_MAP) {
        return value.boxed ? value.as.json->len : value.as.map->count;
    }
    return 0;
}

lg_cel_value lg_cel_item(lg_cel_value list, size_t index)
{
    if (!list.boxed) {
        return list.as.list->items[index];
    }
    lg_cel_value item = lg_cel_from_json(&list.as.json->as.items[index]);
    item.marked = list.marked;
    return item;
}

void lg_cel_entry(lg_cel_value map, size_t index, lg_cel_value *ret_key, lg_cel_value *ret_value)
{
    if (map.boxed) {
        const lg_json_member *member = lg_json_member_at(map.as.json, index);
        *ret_key = lg_cel_make_str(lg_json_key(member));
        *ret_value = lg_cel_from_json(&member->value);
        ret_key->marked = map.marked;
        ret_value->marked = map.marked;
    } else {
        *ret_key = map.as.map->pairs[index].key;
        *ret_value = map.as.map->pairs[index].value;
    }
}

// --- Order --------------------------------------------------------------------------------------

#define UNORDERED 2

static int order_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int order_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int order_f64(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return UNORDERED;
    }
    return (a > b) - (a < b);
}

// Exact: the double is compared as it is, not the integer rounded to a double. The one exception is
// the standard's: a double beyond the integers meets the integer as a double, so that 2^63 is not
// above the largest int. Equality knows no exception.
static int order_i64_f64(int64_t a, double b)
{
    if (isnan(b)) {
        return UNORDERED;
    }
    if (b >= 0x1p63 || b < -0x1p63) {
        return order_f64((double)a, b);
    }
    int64_t whole = (int64_t)b;
    double fraction = b - (double)whole;
    return a != whole ? order_i64(a, whole) : (fraction < 0) - (fraction > 0);
}

static int order_u64_f64(uint64_t a, double b)
{
    if (isnan(b)) {
        return UNORDERED;
    }
    if (b >= 0x1p64 || b < 0) {
        return order_f64((double)a, b);
    }
    uint64_t whole = (uint64_t)b;
    return a != whole ? order_u64(a, whole) : (b > (double)whole ? -1 : 0);
}

static int order_i64_u64(int64_t a, uint64_t b)
{
    return a < 0 ? -1 : order_u64((uint64_t)a, b);
}

static int reversed(int order)
{
    return order == UNORDERED ? UNORDERED : -order;
}

static bool is_number(const lg_cel_value *value)
{
    return value->kind >= LG_CEL_INT && value->kind <= LG_CEL_DOUBLE;
}

static int order_numbers(const lg_cel_value *a, const lg_cel_value *b)
{
    if (a->kind == b->kind) {
        return a->kind == LG_CEL_DOUBLE ? order_f64(a->as.f64, b->as.f64)
               : a->kind == LG_CEL_INT  ? order_i64(a->as.i64, b->as.i64)
                                        : order_u64(a->as.u64, b->as.u64);
    }
    if (a->kind > b->kind) {
        return reversed(order_numbers(b, a));
    }
    if (b->kind == LG_CEL_DOUBLE) {
        return a->kind == LG_CEL_INT ? order_i64_f64(a->as.i64, b->as.f64)
                                     : order_u64_f64(a->as.u64, b->as.f64);
    }
    return order_i64_u64(a->as.i64, b->as.u64);
}

static bool same_number(const lg_cel_value *a, const lg_cel_value *b)
{
    if (a->kind > b->kind) {
        return same_number(b, a);
    }
    bool beyond = b->kind == LG_CEL_DOUBLE && ((a->kind == LG_CEL_INT && b->as.f64 >= 0x1p63) ||
                                               (a->kind == LG_CEL_UINT && b->as.f64 >= 0x1p64));
    return !beyond && order_numbers(a, b) == 0;
}

bool lg_cel_order(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b, int *ret)
{
    if (is_number(&a) && is_number(&b)) {
        *ret = order_numbers(&a, &b);
        return true;
    }
    if (a.kind != b.kind) {
        return false;
    }
    if (a.kind == LG_CEL_STRING || a.kind == LG_CEL_BYTES) {
        lg_cel_charge(vm, lg_cel_text_cost(a.aux < b.aux ? a.aux : b.aux));
        int order = lg_str_cmp(lg_cel_str(a), lg_cel_str(b));
        *ret = (order > 0) - (order < 0);
        return true;
    }
    if (a.kind == LG_CEL_TIMESTAMP || a.kind == LG_CEL_DURATION) {
        *ret = lg_time_cmp((lg_time){a.as.i64, a.aux}, (lg_time){b.as.i64, b.aux});
        return true;
    }
    if (a.kind == LG_CEL_BOOL) {
        *ret = (int)a.as.boolean - (int)b.as.boolean;
        return true;
    }
    return false;
}

// --- Equality -----------------------------------------------------------------------------------

// What wraps values again and again, from one expression to the next, can nest them without bound.
// Deeper than this the comparison gives up: with a limit, or as not equal where nothing counts.
#define NESTING_MAX 2000u

static bool same_json(lg_cel_vm *vm, const lg_json *a, const lg_json *b);
static bool same_at(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b, uint32_t depth);

// `vm` may be NULL: then no steps are counted.
static bool pay(lg_cel_vm *vm, uint64_t steps)
{
    return !vm || lg_cel_charge(vm, steps);
}

static bool same_json_objects(lg_cel_vm *vm, const lg_json *a, const lg_json *b)
{
    for (uint32_t i = 0; i < a->len; i++) {
        const lg_json_member *member = lg_json_member_at(a, i);
        const lg_json_member *across = lg_json_member_at(b, i); // objects mostly come in one order
        lg_str key = lg_json_key(member);
        bool in_order = lg_str_eq(key, lg_json_key(across));
        uint64_t search = in_order ? 0 : 1 + lg_cel_lookup_cost(b->len);
        if (!pay(vm, 1 + lg_cel_text_cost(key.len) + search)) {
            return false;
        }
        const lg_json *other = in_order ? &across->value : lg_json_get(b, key);
        if (!other || !same_json(vm, &member->value, other)) {
            return false;
        }
    }
    return true;
}

// A number that only its text holds may have a million digits.
static bool pay_digits(lg_cel_vm *vm, const lg_json *number)
{
    return !lg_json_is(number, LG_JSON_BIGNUM) || pay(vm, 1 + number->len / 4);
}

// Recursion is bounded by the depth that the JSON reader allows. Numbers are compared exactly, also
// those that no CEL number can hold.
static bool same_json(lg_cel_vm *vm, const lg_json *a, const lg_json *b)
{
    if (lg_json_is_number(a) && lg_json_is_number(b)) {
        return pay_digits(vm, a) && pay_digits(vm, b) && lg_json_number_cmp(a, b) == 0;
    }
    if (a->type != b->type || (a->type >= LG_JSON_STRING && a->len != b->len)) {
        return false;
    }
    switch (lg_json_type_of(a)) {
    case LG_JSON_BOOL:
        return a->as.boolean == b->as.boolean;
    case LG_JSON_STRING:
        return pay(vm, a->len / 64) && lg_str_eq(lg_json_str(a), lg_json_str(b));
    case LG_JSON_ARRAY:
        if (!pay(vm, a->len)) {
            return false;
        }
        for (uint32_t i = 0; i < a->len; i++) {
            if (!same_json(vm, &a->as.items[i], &b->as.items[i])) {
                return false;
            }
        }
        return true;
    case LG_JSON_OBJECT:
        return pay(vm, a->len) && same_json_objects(vm, a, b);
    case LG_JSON_NULL:
    case LG_JSON_INT:
    case LG_JSON_UINT:
    case LG_JSON_DOUBLE:
    case LG_JSON_BIGNUM:
        return true;
    }
    return false;
}

static bool same_lists(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b, uint32_t depth)
{
    size_t count = lg_cel_len(a);
    if (count != lg_cel_len(b) || !pay(vm, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!same_at(vm, lg_cel_item(a, i), lg_cel_item(b, i), depth + 1)) {
            return false;
        }
    }
    return true;
}

static bool same_maps(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b, uint32_t depth)
{
    size_t count = lg_cel_len(a);
    if (count != lg_cel_len(b) || !pay(vm, count)) {
        return false;
    }
    if (b.boxed) { // then `a` was made here
        lg_cel_value swap = a;
        a = b;
        b = swap;
    }
    for (size_t i = 0; i < count; i++) {
        lg_cel_value key;
        lg_cel_value value;
        lg_cel_entry(a, i, &key, &value);
        const lg_cel_value *other = lg_cel_map_find(vm, b.as.map, key);
        if (!other || !same_at(vm, value, *other, depth + 1)) {
            return false;
        }
    }
    return true;
}

static bool same_opaque(const lg_cel_opaque *a, const lg_cel_opaque *b)
{
    return a->type == b->type && a->family == b->family && a->prefix == b->prefix &&
           memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

static bool same_optional(lg_cel_vm *vm, const lg_cel_value *a, const lg_cel_value *b,
                          uint32_t depth)
{
    return a && b ? same_at(vm, *a, *b, depth + 1) : a == b;
}

static bool same_at(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b, uint32_t depth)
{
    if (depth > NESTING_MAX) {
        return vm && lg_cel_charge(vm, UINT64_MAX);
    }
    if (is_number(&a) && is_number(&b)) {
        return same_number(&a, &b);
    }
    if (a.kind != b.kind) {
        return false;
    }
    switch ((lg_cel_kind)a.kind) {
    case LG_CEL_NULL:
        return true;
    case LG_CEL_BOOL:
        return a.as.boolean == b.as.boolean;
    case LG_CEL_STRING:
    case LG_CEL_BYTES:
        return a.aux == b.aux && pay(vm, a.aux / 64) && lg_str_eq(lg_cel_str(a), lg_cel_str(b));
    case LG_CEL_TIMESTAMP:
    case LG_CEL_DURATION:
        return a.as.i64 == b.as.i64 && a.aux == b.aux;
    case LG_CEL_LIST:
        return a.boxed && b.boxed ? same_json(vm, a.as.json, b.as.json)
                                  : same_lists(vm, a, b, depth);
    case LG_CEL_MAP:
        return a.boxed && b.boxed ? same_json(vm, a.as.json, b.as.json)
                                  : same_maps(vm, a, b, depth);
    case LG_CEL_TYPE:
        return a.as.type->kind == b.as.type->kind && lg_str_eq(a.as.type->name, b.as.type->name);
    case LG_CEL_OPTIONAL:
        return same_optional(vm, a.as.optional, b.as.optional, depth);
    case LG_CEL_OPAQUE:
        return same_opaque(a.as.opaque, b.as.opaque);
    case LG_CEL_ERROR:
    case LG_CEL_DYN:
    case LG_CEL_INT:
    case LG_CEL_UINT:
    case LG_CEL_DOUBLE:
    case LG_CEL_OBJECT:
    case LG_CEL_PARAM:
        return false;
    }
    return false;
}

bool lg_cel_same(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b)
{
    return same_at(vm, a, b, 0);
}

bool lg_cel_equal(lg_cel_value a, lg_cel_value b)
{
    return lg_cel_same(NULL, a, b);
}
