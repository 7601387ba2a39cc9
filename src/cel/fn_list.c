// The lists extension. Results are new lists; the elements are shared.
#include "cel/cel_internal.h"

lg_cel_value *lg_cel_new_items(lg_cel_vm *vm, size_t count)
{
    return count < SIZE_MAX / sizeof(lg_cel_value) / 2
               ? lg_cel_scratch(vm, count * sizeof(lg_cel_value) + 1, 16)
               : NULL;
}

lg_cel_value lg_cel_list_of(lg_cel_vm *vm, const lg_cel_value *items, size_t count)
{
    lg_cel_list *list = lg_cel_scratch(vm, sizeof(*list), _Alignof(lg_cel_list));
    if (!list) {
        return lg_cel_out_of_memory(vm);
    }
    *list = (lg_cel_list){items, count};
    return (lg_cel_value){.kind = LG_CEL_LIST, .as.list = list};
}

// A copy of the elements, to be put in another order. NULL if a limit was met.
static lg_cel_value *copy_items(lg_cel_vm *vm, lg_cel_value list, size_t *ret_count)
{
    size_t count = lg_cel_len(list);
    lg_cel_value *items = lg_cel_charge(vm, count) ? lg_cel_new_items(vm, count) : NULL;
    for (size_t i = 0; items && i < count; i++) {
        items[i] = lg_cel_item(list, i);
    }
    *ret_count = count;
    return items;
}

lg_cel_value lg_cel_reverse_list(lg_cel_vm *vm, lg_cel_value list)
{
    size_t count;
    lg_cel_value *items = copy_items(vm, list, &count);
    if (!items) {
        return lg_cel_out_of_memory(vm);
    }
    for (size_t i = 0; i < count / 2; i++) {
        lg_cel_value swap = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = swap;
    }
    return lg_cel_list_of(vm, items, count);
}

lg_cel_value lg_cel_fn_range(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    if (args[0].kind != LG_CEL_INT) {
        return lg_cel_no_overload(vm);
    }
    size_t len = args[0].as.i64 > 0 ? (size_t)args[0].as.i64 : 0;
    lg_cel_value *items = lg_cel_charge(vm, len) ? lg_cel_new_items(vm, len) : NULL;
    if (!items) {
        return lg_cel_out_of_memory(vm);
    }
    for (size_t i = 0; i < len; i++) {
        items[i] = lg_cel_make_int((int64_t)i);
    }
    return lg_cel_list_of(vm, items, len);
}

// From the left, beginning with 0.0, so that every reader gets the same last digit.
lg_cel_value lg_cel_fn_sum(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    size_t len = lg_cel_len(args[0]);
    if (args[0].kind != LG_CEL_LIST || !lg_cel_charge(vm, len / 2)) {
        return lg_cel_no_overload(vm);
    }
    double sum = 0.0;
    for (size_t i = 0; i < len; i++) {
        lg_cel_value item = lg_cel_item(args[0], i);
        if (args[0].boxed) {
            lg_cel_note_index(vm, args[0].as.json, i, &args[0].as.json->as.items[i]);
        }
        if (item.kind != LG_CEL_DOUBLE) {
            return lg_cel_no_overload(vm);
        }
        sum += item.as.f64;
    }
    return lg_cel_make_double(sum);
}

lg_cel_value lg_cel_fn_slice(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    if (count != 3 || args[0].kind != LG_CEL_LIST || args[1].kind != LG_CEL_INT ||
        args[2].kind != LG_CEL_INT) {
        return lg_cel_no_overload(vm);
    }
    int64_t from = args[1].as.i64;
    int64_t to = args[2].as.i64;
    size_t len;
    if (from < 0 || to < from || (uint64_t)to > lg_cel_len(args[0])) {
        return lg_cel_fail(vm, LG_CEL_FAIL_RANGE, "slice outside of the list");
    }
    const lg_cel_value *items = copy_items(vm, args[0], &len);
    return items ? lg_cel_list_of(vm, items + from, (size_t)(to - from)) : lg_cel_out_of_memory(vm);
}

// The number of elements, with lists inside opened up to `depth` levels.
static size_t flat_count(lg_cel_vm *vm, lg_cel_value list, int64_t depth)
{
    size_t count = lg_cel_len(list);
    size_t sum = 0;
    for (size_t i = 0; i < count && lg_cel_charge(vm, 1); i++) {
        lg_cel_value item = lg_cel_item(list, i);
        sum += depth > 0 && item.kind == LG_CEL_LIST ? flat_count(vm, item, depth - 1) : 1;
    }
    return sum;
}

static lg_cel_value *flatten(lg_cel_value list, int64_t depth, lg_cel_value *to)
{
    for (size_t i = 0; i < lg_cel_len(list); i++) {
        lg_cel_value item = lg_cel_item(list, i);
        if (depth > 0 && item.kind == LG_CEL_LIST) {
            to = flatten(item, depth - 1, to);
        } else {
            *to++ = item;
        }
    }
    return to;
}

#define FLATTEN_MAX 100

lg_cel_value lg_cel_fn_flatten(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    if (args[0].kind != LG_CEL_LIST || (count == 2 && args[1].kind != LG_CEL_INT)) {
        return lg_cel_no_overload(vm);
    }
    int64_t depth = count == 2 ? args[1].as.i64 : 1;
    if (depth < 0 || depth > FLATTEN_MAX) {
        return lg_cel_fail(vm, LG_CEL_FAIL_RANGE, "flatten() wants a depth from 0 to 100");
    }
    size_t len = flat_count(vm, args[0], depth);
    lg_cel_value *items = vm->limit ? NULL : lg_cel_new_items(vm, len);
    if (!items) {
        return lg_cel_out_of_memory(vm);
    }
    flatten(args[0], depth, items);
    return lg_cel_list_of(vm, items, len);
}

// Each comparison is charged, as there may be a square of them.
lg_cel_value lg_cel_fn_distinct(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    size_t len;
    if (args[0].kind != LG_CEL_LIST) {
        return lg_cel_no_overload(vm);
    }
    lg_cel_value *items = copy_items(vm, args[0], &len);
    if (!items) {
        return lg_cel_out_of_memory(vm);
    }
    size_t kept = 0;
    for (size_t i = 0; i < len && !vm->limit; i++) {
        bool seen = false;
        for (size_t k = 0; k < kept && !seen && lg_cel_charge(vm, 1); k++) {
            seen = lg_cel_same(vm, items[k], items[i]);
        }
        if (!seen) {
            items[kept++] = items[i];
        }
    }
    return lg_cel_list_of(vm, items, kept);
}

// --- Sorting ------------------------------------------------------------------------------------

typedef struct sorter {
    lg_cel_value *items;
    lg_cel_value *keys; // the same array, or moved in step with it
    lg_cel_value *spare_items;
    lg_cel_value *spare_keys;
} sorter;

// Merges the sorted halves of [from, to). Stable. False if two keys have no order.
static bool merge(lg_cel_vm *vm, sorter *s, size_t from, size_t middle, size_t to)
{
    size_t a = from;
    size_t b = middle;
    for (size_t at = from; at < to; at++) {
        int order = 0;
        bool both = a < middle && b < to;
        if (both && !lg_cel_order(vm, s->keys[a], s->keys[b], &order)) {
            return false;
        }
        bool take_b = both ? order == 1 : a >= middle;
        size_t taken = take_b ? b++ : a++;
        s->spare_items[at] = s->items[taken];
        s->spare_keys[at] = s->keys[taken];
    }
    memcpy(s->items + from, s->spare_items + from, (to - from) * sizeof(*s->items));
    memcpy(s->keys + from, s->spare_keys + from, (to - from) * sizeof(*s->keys));
    return lg_cel_charge(vm, to - from);
}

static lg_cel_value sort(lg_cel_vm *vm, lg_cel_value list, lg_cel_value keys)
{
    size_t count;
    size_t key_count;
    sorter s = {.items = copy_items(vm, list, &count), .keys = copy_items(vm, keys, &key_count)};
    s.spare_items = lg_cel_new_items(vm, count);
    s.spare_keys = lg_cel_new_items(vm, count);
    if (vm->limit || !s.items || !s.keys || !s.spare_items || !s.spare_keys) {
        return lg_cel_out_of_memory(vm);
    }
    int order;
    if (key_count != count || (count == 1 && !lg_cel_order(vm, s.keys[0], s.keys[0], &order))) {
        return lg_cel_no_overload(vm);
    }
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t from = 0; from + width < count; from += 2 * width) {
            size_t to = from + 2 * width < count ? from + 2 * width : count;
            if (!merge(vm, &s, from, from + width, to)) {
                return vm->limit ? lg_cel_out_of_memory(vm) : lg_cel_no_overload(vm);
            }
        }
    }
    return lg_cel_list_of(vm, s.items, count);
}

lg_cel_value lg_cel_fn_sort(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return args[0].kind == LG_CEL_LIST ? sort(vm, args[0], args[0]) : lg_cel_no_overload(vm);
}

// What sortBy(x, key) becomes: the list and the list of its keys.
lg_cel_value lg_cel_fn_sort_by_keys(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return args[0].kind == LG_CEL_LIST && args[1].kind == LG_CEL_LIST ? sort(vm, args[0], args[1])
                                                                      : lg_cel_no_overload(vm);
}

static lg_cel_value edge(lg_cel_vm *vm, lg_cel_value list, bool last)
{
    size_t count = lg_cel_len(list);
    if (list.kind != LG_CEL_LIST) {
        return lg_cel_no_overload(vm);
    }
    if (count == 0) {
        return lg_cel_none();
    }
    lg_cel_value item = lg_cel_item(list, last ? count - 1 : 0);
    return lg_cel_is_error(item) ? item : lg_cel_some(vm, item);
}

lg_cel_value lg_cel_fn_first(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return edge(vm, args[0], false);
}

lg_cel_value lg_cel_fn_last(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return edge(vm, args[0], true);
}
