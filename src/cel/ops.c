// What the operators do. The machine has fast paths for the common cases of some; here are all.
//
// None of these is called with an error as an operand.
#include "cel/cel_internal.h"

static const char no_such_key[] = "no such key";
static const char out_of_range[] = "index out of range";
static const char overflow[] = "integer overflow";
static const char time_range[] = "timestamp or duration out of range";

lg_cel_value lg_cel_no_overload(lg_cel_vm *vm)
{
    return lg_cel_fail(vm, LG_CEL_FAIL_TYPE, "no such overload");
}

// --- The read log -------------------------------------------------------------------------------

// Apart from the usual way, which is short.
static __attribute__((noinline)) bool make_room(lg_cel_read_log *log)
{
    size_t capacity = log->capacity;
    if (!log->arena || capacity >= log->most) {
        return false;
    }
    lg_cel_read *grown =
        lg_arena_grow(log->arena, log->items, log->count, &capacity, sizeof(*grown));
    if (grown) {
        log->items = grown;
        log->capacity = capacity < log->most ? (uint32_t)capacity : log->most;
    }
    return grown != NULL;
}

// The index of the next entry, or UINT32_MAX.
static inline uint32_t next_entry(lg_cel_vm *vm)
{
    lg_cel_read_log *log = vm->log;
    if (!log) {
        return UINT32_MAX;
    }
    if (log->count >= log->capacity && !make_room(log)) {
        log->dropped++;
        return UINT32_MAX;
    }
    return log->count++;
}

// Field by field, as lg_cel_load().
uint32_t lg_cel_note_key(lg_cel_vm *vm, const lg_json *parent, lg_str key, const lg_json *child)
{
    uint32_t at = next_entry(vm);
    if (at != UINT32_MAX) {
        lg_cel_read *read = &vm->log->items[at];
        read->parent = parent;
        read->child = child;
        read->key.ptr = key.ptr;
        read->key.len = key.len;
        read->index = 0;
        read->is_index = false;
    }
    return at;
}

uint32_t lg_cel_note_index(lg_cel_vm *vm, const lg_json *parent, size_t index, const lg_json *child)
{
    uint32_t at = next_entry(vm);
    if (at != UINT32_MAX) {
        lg_cel_read *read = &vm->log->items[at];
        read->parent = parent;
        read->child = child;
        read->key.ptr = NULL;
        read->key.len = 0;
        read->index = (uint32_t)index;
        read->is_index = true;
    }
    return at;
}

// --- Optionals ----------------------------------------------------------------------------------

lg_cel_value lg_cel_none(void)
{
    return (lg_cel_value){.kind = LG_CEL_OPTIONAL};
}

lg_cel_value lg_cel_some(lg_cel_vm *vm, lg_cel_value value)
{
    lg_cel_value *copy = lg_cel_scratch(vm, sizeof(*copy), _Alignof(lg_cel_value));
    if (!copy) {
        return lg_cel_out_of_memory(vm);
    }
    *copy = value;
    return (lg_cel_value){.kind = LG_CEL_OPTIONAL, .as.optional = copy};
}

// --- Lookups ------------------------------------------------------------------------------------

typedef enum lookup_result {
    FOUND,
    ABSENT,
    NO_CONTAINER, // or a key of a type that it cannot have
} lookup_result;

typedef struct lookup {
    lookup_result result;
    lg_cel_value value;
    uint32_t read;
    const char *absent;
} lookup;

static lookup found_json(const lg_json *child, uint32_t read, const char *absent, bool marked)
{
    lookup found = {child ? FOUND : ABSENT, lg_cel_make_null(), read, absent};
    if (child) {
        found.value = lg_cel_from_json(child);
        found.value.marked = marked;
    }
    return found;
}

static lookup look_up_name(lg_cel_vm *vm, lg_cel_value map, lg_str name)
{
    if (map.kind != LG_CEL_MAP) {
        return (lookup){NO_CONTAINER, map, UINT32_MAX, no_such_key};
    }
    if (map.boxed) {
        lg_cel_charge(vm, lg_cel_lookup_cost(map.as.json->len) + lg_cel_text_cost(name.len));
        const lg_json *child = lg_json_get(map.as.json, name);
        uint32_t read = lg_cel_note_key(vm, map.as.json, name, child);
        return found_json(child, read, no_such_key, map.marked);
    }
    const lg_cel_value *value = lg_cel_map_find(vm, map.as.map, lg_cel_make_str(name));
    return (lookup){value ? FOUND : ABSENT, value ? *value : map, UINT32_MAX, no_such_key};
}

// The index that a number means. False if it is no whole number; out of the range of lists it
// becomes SIZE_MAX.
static bool whole_index(lg_cel_value index, size_t *ret)
{
    int64_t whole = index.as.i64;
    if (index.kind == LG_CEL_DOUBLE) {
        whole = index.as.f64 >= 0 && index.as.f64 < 0x1p53 ? (int64_t)index.as.f64 : -1;
        if (whole >= 0 && (double)whole != index.as.f64) {
            return false;
        }
    } else if (index.kind == LG_CEL_UINT) {
        whole = index.as.u64 <= (uint64_t)INT64_MAX ? (int64_t)index.as.u64 : -1;
    } else if (index.kind != LG_CEL_INT) {
        return false;
    }
    *ret = whole >= 0 ? (size_t)whole : SIZE_MAX;
    return true;
}

static lookup look_up_item(lg_cel_vm *vm, lg_cel_value list, lg_cel_value index)
{
    size_t at;
    if (!whole_index(index, &at)) {
        return (lookup){NO_CONTAINER, index, UINT32_MAX, out_of_range};
    }
    if (list.boxed) {
        const lg_json *child = lg_json_item(list.as.json, at);
        uint32_t shown = at < UINT32_MAX ? (uint32_t)at : UINT32_MAX;
        uint32_t read = lg_cel_note_index(vm, list.as.json, shown, child);
        return found_json(child, read, out_of_range, list.marked);
    }
    bool inside = at < list.as.list->count;
    return (lookup){inside ? FOUND : ABSENT, inside ? list.as.list->items[at] : index, UINT32_MAX,
                    out_of_range};
}

static lookup look_up(lg_cel_vm *vm, lg_cel_value container, lg_cel_value key)
{
    if (container.kind == LG_CEL_LIST) {
        return look_up_item(vm, container, key);
    }
    if (container.kind != LG_CEL_MAP) {
        return (lookup){NO_CONTAINER, container, UINT32_MAX, no_such_key};
    }
    if (key.kind == LG_CEL_STRING) {
        return look_up_name(vm, container, lg_cel_str(key));
    }
    const lg_cel_value *value = container.boxed ? NULL : lg_cel_map_find(vm, container.as.map, key);
    bool possible =
        key.kind == LG_CEL_BOOL || (key.kind >= LG_CEL_INT && key.kind <= LG_CEL_DOUBLE);
    return (lookup){value      ? FOUND
                    : possible ? ABSENT
                               : NO_CONTAINER,
                    value ? *value : key, UINT32_MAX, no_such_key};
}

// A value that was read may itself be an error: a JSON number that is too large.
static lg_cel_value loaded(lg_cel_vm *vm, lg_cel_value value)
{
    return lg_cel_is_error(value) ? lg_cel_fail(vm, value.as.failure->kind, value.as.failure->what)
                                  : value;
}

static lg_cel_value finish_lookup(lg_cel_vm *vm, lookup found, lg_cel_value key, bool marked)
{
    if (found.result == FOUND) {
        return loaded(vm, found.value);
    }
    if (found.result == NO_CONTAINER) {
        return lg_cel_no_overload(vm);
    }
    return lg_cel_fail_missing(vm, found.absent, key, found.read, marked);
}

static lg_cel_value finish_opt_lookup(lg_cel_vm *vm, lookup found)
{
    if (found.result == NO_CONTAINER) {
        return lg_cel_no_overload(vm);
    }
    lg_cel_value value = found.result == FOUND ? loaded(vm, found.value) : lg_cel_none();
    return found.result == FOUND && !lg_cel_is_error(value) ? lg_cel_some(vm, value) : value;
}

// Looking into an optional gives an optional: of what is there, or none.
lg_cel_value lg_cel_index(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b)
{
    if (a.kind == LG_CEL_OPTIONAL) {
        return a.as.optional ? lg_cel_opt_index(vm, *a.as.optional, b) : a;
    }
    return finish_lookup(vm, look_up(vm, a, b), b, lg_cel_is_marked(&a));
}

lg_cel_value lg_cel_opt_index(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b)
{
    if (a.kind == LG_CEL_OPTIONAL) {
        return a.as.optional ? lg_cel_opt_index(vm, *a.as.optional, b) : a;
    }
    return finish_opt_lookup(vm, look_up(vm, a, b));
}

lg_cel_value lg_cel_select(lg_cel_vm *vm, lg_cel_value a, lg_str name)
{
    if (a.kind == LG_CEL_OPTIONAL) {
        return lg_cel_opt_select(vm, a, name);
    }
    return finish_lookup(vm, look_up_name(vm, a, name), lg_cel_make_str(name),
                         lg_cel_is_marked(&a));
}

lg_cel_value lg_cel_opt_select(lg_cel_vm *vm, lg_cel_value a, lg_str name)
{
    if (a.kind == LG_CEL_OPTIONAL) {
        return a.as.optional ? lg_cel_opt_select(vm, *a.as.optional, name) : a;
    }
    return finish_opt_lookup(vm, look_up_name(vm, a, name));
}

lg_cel_value lg_cel_has(lg_cel_vm *vm, lg_cel_value a, lg_str name)
{
    if (a.kind == LG_CEL_OPTIONAL) {
        return a.as.optional ? lg_cel_has(vm, *a.as.optional, name) : lg_cel_make_bool(false);
    }
    lookup found = look_up_name(vm, a, name);
    return found.result == NO_CONTAINER ? lg_cel_no_overload(vm)
                                        : lg_cel_make_bool(found.result == FOUND);
}

// --- in -----------------------------------------------------------------------------------------

// A step for two items, beside what is compared in them. False at a limit.
static bool pay_item(lg_cel_vm *vm, size_t index)
{
    return index % 8 == 0 ? lg_cel_charge(vm, 4) : !vm->limit;
}

static lg_cel_value in_json_list(lg_cel_vm *vm, lg_cel_value a, const lg_json *list)
{
    for (uint32_t i = 0; i < list->len && pay_item(vm, i); i++) {
        const lg_json *item = &list->as.items[i];
        lg_cel_note_index(vm, list, i, item);
        if (lg_cel_same(vm, a, lg_cel_from_json(item))) {
            return lg_cel_make_bool(true);
        }
    }
    return lg_cel_make_bool(false);
}

static lg_cel_value in_list(lg_cel_vm *vm, lg_cel_value a, lg_cel_value list)
{
    if (list.boxed) {
        return in_json_list(vm, a, list.as.json);
    }
    for (size_t i = 0; i < list.as.list->count && pay_item(vm, i); i++) {
        if (lg_cel_same(vm, a, list.as.list->items[i])) {
            return lg_cel_make_bool(true);
        }
    }
    return lg_cel_make_bool(false);
}

lg_cel_value lg_cel_member_of(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b)
{
    if (b.kind == LG_CEL_LIST) {
        return in_list(vm, a, b);
    }
    if (b.kind != LG_CEL_MAP) {
        return lg_cel_no_overload(vm);
    }
    lookup found = look_up(vm, b, a);
    return lg_cel_make_bool(found.result == FOUND);
}

// --- Arithmetic ---------------------------------------------------------------------------------

static lg_cel_value range_error(lg_cel_vm *vm, const char *what)
{
    return lg_cel_fail(vm, LG_CEL_FAIL_RANGE, what);
}

static lg_cel_value arith_int(lg_cel_vm *vm, lg_cel_binary op, int64_t a, int64_t b)
{
    int64_t result = 0;
    bool over = false;
    if ((op == LG_BIN_DIV || op == LG_BIN_MOD) && b == 0) {
        return range_error(vm, op == LG_BIN_DIV ? "division by zero" : "modulus by zero");
    }
    if (op == LG_BIN_ADD) {
        over = __builtin_add_overflow(a, b, &result);
    } else if (op == LG_BIN_SUB) {
        over = __builtin_sub_overflow(a, b, &result);
    } else if (op == LG_BIN_MUL) {
        over = __builtin_mul_overflow(a, b, &result);
    } else if (b == -1) { // the only divisor that can overflow
        over = op == LG_BIN_DIV && __builtin_sub_overflow(0, a, &result);
    } else {
        result = op == LG_BIN_DIV ? a / b : a % b;
    }
    return over ? range_error(vm, overflow) : lg_cel_make_int(result);
}

static lg_cel_value arith_uint(lg_cel_vm *vm, lg_cel_binary op, uint64_t a, uint64_t b)
{
    uint64_t result = 0;
    bool over = false;
    if ((op == LG_BIN_DIV || op == LG_BIN_MOD) && b == 0) {
        return range_error(vm, op == LG_BIN_DIV ? "division by zero" : "modulus by zero");
    }
    if (op == LG_BIN_ADD) {
        over = __builtin_add_overflow(a, b, &result);
    } else if (op == LG_BIN_SUB) {
        over = __builtin_sub_overflow(a, b, &result);
    } else if (op == LG_BIN_MUL) {
        over = __builtin_mul_overflow(a, b, &result);
    } else {
        result = op == LG_BIN_DIV ? a / b : a % b;
    }
    return over ? range_error(vm, overflow) : lg_cel_make_uint(result);
}

static lg_cel_value arith_double(lg_cel_vm *vm, lg_cel_binary op, double a, double b)
{
    if (op == LG_BIN_MOD) {
        return lg_cel_no_overload(vm);
    }
    double result = op == LG_BIN_ADD   ? a + b
                    : op == LG_BIN_SUB ? a - b
                    : op == LG_BIN_MUL ? a * b
                                       : a / b;
    return lg_cel_make_double(result);
}

static lg_cel_value concat_text(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b)
{
    size_t len = (size_t)a.aux + b.aux;
    if (a.aux == 0 || b.aux == 0) {
        return a.aux ? a : b;
    }
    if (!lg_cel_charge(vm, len / 16)) {
        return a;
    }
    char *text = len <= UINT32_MAX ? lg_cel_scratch(vm, len, 1) : NULL;
    if (!text) {
        return lg_cel_out_of_memory(vm);
    }
    memcpy(text, a.as.text, a.aux);
    memcpy(text + a.aux, b.as.text, b.aux);
    return (lg_cel_value){.kind = a.kind, .aux = (uint32_t)len, .as.text = text};
}

static lg_cel_value concat_lists(lg_cel_vm *vm, lg_cel_value a, lg_cel_value b)
{
    size_t len_a = lg_cel_len(a);
    size_t len_b = lg_cel_len(b);
    if (len_a == 0 || len_b == 0) {
        return len_a ? a : b;
    }
    if (!lg_cel_charge(vm, len_a + len_b)) {
        return a;
    }
    lg_cel_value *items = lg_cel_scratch(vm, (len_a + len_b) * sizeof(*items), 16);
    if (!items) {
        return lg_cel_out_of_memory(vm);
    }
    for (size_t i = 0; i < len_a; i++) {
        items[i] = lg_cel_item(a, i);
    }
    for (size_t i = 0; i < len_b; i++) {
        items[len_a + i] = lg_cel_item(b, i);
    }
    lg_cel_list *list = lg_cel_scratch(vm, sizeof(*list), _Alignof(lg_cel_list));
    if (!list) {
        return lg_cel_out_of_memory(vm);
    }
    *list = (lg_cel_list){items, len_a + len_b};
    return (lg_cel_value){.kind = LG_CEL_LIST, .as.list = list};
}

// Durations hold what 64 bits of nanoseconds hold, about 292 years both ways.
#define DURATION_MAX_SECONDS INT64_C(9223372036)
#define DURATION_MAX_NANOS 854775807u

static bool duration_fits(int64_t seconds, uint32_t nanos)
{
    if (seconds >= 0) {
        return seconds < DURATION_MAX_SECONDS ||
               (seconds == DURATION_MAX_SECONDS && nanos <= DURATION_MAX_NANOS);
    }
    return seconds > -DURATION_MAX_SECONDS - 1 || (seconds == -DURATION_MAX_SECONDS - 1 &&
                                                   nanos >= LG_TIME_NANOS - DURATION_MAX_NANOS - 1);
}

lg_cel_value lg_cel_time_result(lg_cel_vm *vm, lg_cel_kind kind, int64_t seconds, int64_t nanos)
{
    seconds += nanos / LG_TIME_NANOS;
    nanos %= LG_TIME_NANOS;
    if (nanos < 0) {
        nanos += LG_TIME_NANOS;
        seconds--;
    }
    bool fits = kind == LG_CEL_DURATION
                    ? duration_fits(seconds, (uint32_t)nanos)
                    : seconds >= LG_TIME_MIN_SECONDS && seconds <= LG_TIME_MAX_SECONDS;
    if (!fits) {
        return range_error(vm, time_range);
    }
    return (lg_cel_value){.kind = (uint8_t)kind, .aux = (uint32_t)nanos, .as.i64 = seconds};
}

// The seconds of both are within ranges whose sum and difference cannot overflow.
static lg_cel_value arith_time(lg_cel_vm *vm, lg_cel_binary op, lg_cel_value a, lg_cel_value b)
{
    bool time_a = a.kind == LG_CEL_TIMESTAMP;
    bool time_b = b.kind == LG_CEL_TIMESTAMP;
    int64_t nanos_a = a.aux;
    int64_t nanos_b = b.aux;
    if (op == LG_BIN_ADD && !(time_a && time_b)) {
        return lg_cel_time_result(vm, time_a || time_b ? LG_CEL_TIMESTAMP : LG_CEL_DURATION,
                                  a.as.i64 + b.as.i64, nanos_a + nanos_b);
    }
    if (op == LG_BIN_SUB && (time_a || !time_b)) {
        return lg_cel_time_result(vm, time_a && !time_b ? LG_CEL_TIMESTAMP : LG_CEL_DURATION,
                                  a.as.i64 - b.as.i64, nanos_a - nanos_b);
    }
    return lg_cel_no_overload(vm);
}

static bool is_time(lg_cel_value value)
{
    return value.kind == LG_CEL_TIMESTAMP || value.kind == LG_CEL_DURATION;
}

lg_cel_value lg_cel_arith(lg_cel_vm *vm, lg_cel_binary op, lg_cel_value a, lg_cel_value b)
{
    if (is_time(a) && is_time(b)) {
        return arith_time(vm, op, a, b);
    }
    if (a.kind != b.kind) {
        return lg_cel_no_overload(vm);
    }
    if (a.kind == LG_CEL_DOUBLE) {
        return arith_double(vm, op, a.as.f64, b.as.f64);
    }
    if (a.kind == LG_CEL_INT) {
        return arith_int(vm, op, a.as.i64, b.as.i64);
    }
    if (a.kind == LG_CEL_UINT) {
        return arith_uint(vm, op, a.as.u64, b.as.u64);
    }
    if (op == LG_BIN_ADD && (a.kind == LG_CEL_STRING || a.kind == LG_CEL_BYTES)) {
        return concat_text(vm, a, b);
    }
    if (op == LG_BIN_ADD && a.kind == LG_CEL_LIST) {
        return concat_lists(vm, a, b);
    }
    return lg_cel_no_overload(vm);
}

lg_cel_value lg_cel_negate(lg_cel_vm *vm, lg_cel_value a)
{
    if (a.kind == LG_CEL_DOUBLE) {
        return lg_cel_make_double(-a.as.f64);
    }
    if (a.kind == LG_CEL_INT) {
        return a.as.i64 == INT64_MIN ? range_error(vm, overflow) : lg_cel_make_int(-a.as.i64);
    }
    if (a.kind == LG_CEL_DURATION) {
        return lg_cel_time_result(vm, LG_CEL_DURATION, -a.as.i64, -(int64_t)a.aux);
    }
    return lg_cel_no_overload(vm);
}
