// The optionals extension, but for the parts that are operators (`.?`, `[?]`) or that evaluate an
// operand only when it is needed (or, orValue, optMap, optFlatMap): those are instructions.
#include "cel/cel_internal.h"

lg_cel_value lg_cel_fn_optional_of(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return lg_cel_some(vm, args[0]);
}

lg_cel_value lg_cel_fn_optional_none(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)vm;
    (void)args;
    (void)count;
    return lg_cel_none();
}

static bool is_zero(lg_cel_value value)
{
    switch ((lg_cel_kind)value.kind) {
    case LG_CEL_NULL:
        return true;
    case LG_CEL_BOOL:
        return !value.as.boolean;
    case LG_CEL_INT:
    case LG_CEL_UINT:
        return value.as.u64 == 0;
    case LG_CEL_DOUBLE:
        return value.as.f64 >= 0 && value.as.f64 <= 0;
    case LG_CEL_STRING:
    case LG_CEL_BYTES:
        return value.aux == 0;
    case LG_CEL_TIMESTAMP:
    case LG_CEL_DURATION:
        return value.as.i64 == 0 && value.aux == 0;
    case LG_CEL_LIST:
    case LG_CEL_MAP:
        return lg_cel_len(value) == 0;
    case LG_CEL_OPTIONAL:
        return !value.as.optional;
    case LG_CEL_ERROR:
    case LG_CEL_DYN:
    case LG_CEL_OBJECT:
    case LG_CEL_TYPE:
    case LG_CEL_OPAQUE:
    case LG_CEL_PARAM:
        return false;
    }
    return false;
}

lg_cel_value lg_cel_fn_optional_non_zero(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return is_zero(args[0]) ? lg_cel_none() : lg_cel_some(vm, args[0]);
}

lg_cel_value lg_cel_fn_has_value(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return args[0].kind == LG_CEL_OPTIONAL ? lg_cel_make_bool(args[0].as.optional != NULL)
                                           : lg_cel_no_overload(vm);
}

lg_cel_value lg_cel_fn_value(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    if (args[0].kind != LG_CEL_OPTIONAL) {
        return lg_cel_no_overload(vm);
    }
    return args[0].as.optional ? *args[0].as.optional
                               : lg_cel_fail(vm, LG_CEL_FAIL_RANGE, "the optional has no value");
}

// The values of those elements that have one.
lg_cel_value lg_cel_fn_unwrap(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    size_t len = lg_cel_len(args[0]);
    if (args[0].kind != LG_CEL_LIST) {
        return lg_cel_no_overload(vm);
    }
    lg_cel_value *items = lg_cel_charge(vm, len) ? lg_cel_new_items(vm, len) : NULL;
    if (!items) {
        return lg_cel_out_of_memory(vm);
    }
    size_t kept = 0;
    for (size_t i = 0; i < len; i++) {
        lg_cel_value item = lg_cel_item(args[0], i);
        if (item.kind != LG_CEL_OPTIONAL) {
            return lg_cel_no_overload(vm);
        }
        if (item.as.optional) {
            items[kept++] = *item.as.optional;
        }
    }
    return lg_cel_list_of(vm, items, kept);
}

// The machine evaluates these without a call; the table needs something to name.
lg_cel_value lg_cel_fn_or(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)args;
    (void)count;
    return lg_cel_no_overload(vm);
}

lg_cel_value lg_cel_fn_or_value(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)args;
    (void)count;
    return lg_cel_no_overload(vm);
}
