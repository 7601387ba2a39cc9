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
    lg_cel_charge(vm, a.aux / 16);
    return lg_cel_make_int((int64_t)lg_utf8_count(lg_cel_str(a)));
}

// memchr() jumps to the next place where the first byte stands. Bytes that are passed over cost little,
// places that are looked at a quarter of a step, and 64 bytes compared there a step.
size_t lg_cel_find(lg_cel_vm *vm, lg_str text, lg_str wanted)
{
    if (wanted.len == 0 || wanted.len > text.len) {
        return wanted.len == 0 ? 0 : SIZE_MAX;
    }
    const uint64_t a_look = 16 + wanted.len;
    uint64_t work = 0; // in 64ths of a step
    for (size_t at = 0; text.len - at >= wanted.len;) {
        const char *hit = memchr(text.ptr + at, wanted.ptr[0], text.len - at - wanted.len + 1);
        size_t found = hit ? (size_t)(hit - text.ptr) : text.len;
        work += found - at + (hit ? a_look : 0);
        bool last = !hit || memcmp(hit, wanted.ptr, wanted.len) == 0;
        if ((last || work >= 4096) && !lg_cel_charge(vm, work / 64)) {
            return SIZE_MAX;
        }
        if (last) {
            return hit ? found : SIZE_MAX;
        }
        work %= work >= 4096 ? 64 : UINT64_MAX;
        at = found + 1;
    }
    lg_cel_charge(vm, work / 64);
    return SIZE_MAX;
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
    return lg_cel_make_bool(lg_cel_find(vm, lg_cel_str(args[0]), lg_cel_str(args[1])) != SIZE_MAX);
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
    if (regex && !lg_cel_charge(vm, lg_cel_regex_cost(regex))) {
        return lg_cel_make_bool(false);
    }
    if (!regex) {
        return why ? lg_cel_fail(vm, LG_CEL_FAIL_TYPE, why) : lg_cel_out_of_memory(vm);
    }
    return lg_cel_regex_match(vm, regex, lg_cel_str(args[0]));
}
