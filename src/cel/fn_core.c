// Functions over sizes, texts and patterns.
#include "cel/cel_internal.h"

lg_cel_value lg_cel_fn_size(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_value a = args[0];
    if (a.kind == LG_CEL_LIST || a.kind == LG_CEL_MAP) {
        return lg_cel_make_int((int64_t)lg_cel_len(a));
    }
    if (a.kind == LG_CEL_BYTES) {
        return lg_cel_make_int(a.aux);
    }
    if (a.kind != LG_CEL_STRING) {
        return lg_cel_no_overload(vm);
    }
    lg_cel_charge(vm, a.aux / 64);
    return lg_cel_make_int((int64_t)lg_utf8_count(lg_cel_str(a)));
}

static bool two_strings(lg_cel_vm *vm, const lg_cel_value *args)
{
    return args[0].kind == LG_CEL_STRING && args[1].kind == LG_CEL_STRING &&
           lg_cel_charge(vm, args[0].aux / 64);
}

lg_cel_value lg_cel_fn_contains(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    if (!two_strings(vm, args)) {
        return lg_cel_no_overload(vm);
    }
    lg_cel_charge(vm, (uint64_t)args[0].aux * args[1].aux / 1024); // the search is a plain one
    return lg_cel_make_bool(lg_str_find(lg_cel_str(args[0]), lg_cel_str(args[1])) != SIZE_MAX);
}

lg_cel_value lg_cel_fn_starts(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return two_strings(vm, args)
               ? lg_cel_make_bool(lg_str_starts(lg_cel_str(args[0]), lg_cel_str(args[1])))
               : lg_cel_no_overload(vm);
}

lg_cel_value lg_cel_fn_ends(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return two_strings(vm, args)
               ? lg_cel_make_bool(lg_str_ends(lg_cel_str(args[0]), lg_cel_str(args[1])))
               : lg_cel_no_overload(vm);
}

// A pattern that is no constant is compiled for each match, in scratch.
lg_cel_value lg_cel_fn_matches(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    if (!two_strings(vm, args)) {
        return lg_cel_no_overload(vm);
    }
    if (!lg_cel_charge(vm, 100 + (uint64_t)args[1].aux)) {
        return lg_cel_make_bool(false);
    }
    const char *why;
    size_t offset;
    const lg_cel_regex *regex =
        lg_cel_regex_compile(vm->scratch, lg_cel_str(args[1]), &why, &offset);
    if (!regex) {
        return why ? lg_cel_fail(vm, LG_CEL_FAIL_TYPE, why) : lg_cel_out_of_memory(vm);
    }
    return lg_cel_regex_match(vm, regex, lg_cel_str(args[0]));
}
