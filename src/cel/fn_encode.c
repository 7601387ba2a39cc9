// The encoders extension: base64 (RFC 4648, section 4).
#include "cel/cel_internal.h"

#include "base/base64.h"

lg_cel_value lg_cel_fn_base64_encode(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    if (args[0].kind != LG_CEL_BYTES) {
        return lg_cel_no_overload(vm);
    }
    lg_str bytes = lg_cel_str(args[0]);
    char *text =
        lg_cel_charge(vm, bytes.len / 8) ? lg_cel_scratch(vm, bytes.len / 3 * 4 + 4, 1) : NULL;
    return text ? lg_cel_make_str((lg_str){text, lg_base64(text, bytes)})
                : lg_cel_out_of_memory(vm);
}

static int letter_value(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

// With or without padding. False for anything but base64, also for bits that say nothing.
static bool decode(lg_str text, char *out, size_t *ret_len)
{
    uint32_t bits = 0;
    uint32_t count = 0;
    *ret_len = 0;
    size_t padding = 0;
    while (padding < 2 && text.len > 0 && text.ptr[text.len - 1] == '=') {
        text.len--;
        padding++;
    }
    for (size_t i = 0; i < text.len; i++) {
        int value = letter_value(text.ptr[i]);
        if (value < 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t)value;
        count += 6;
        if (count >= 8) {
            count -= 8;
            out[(*ret_len)++] = (char)(bits >> count & 0xff);
        }
    }
    bool whole = count < 6 && (bits & ((1u << count) - 1)) == 0;
    return whole && (padding == 0 || (text.len + padding) % 4 == 0);
}

lg_cel_value lg_cel_fn_base64_decode(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    if (args[0].kind != LG_CEL_STRING) {
        return lg_cel_no_overload(vm);
    }
    lg_str text = lg_cel_str(args[0]);
    size_t len;
    char *bytes = lg_cel_charge(vm, text.len / 8) ? lg_cel_scratch(vm, text.len + 1, 1) : NULL;
    if (!bytes) {
        return lg_cel_out_of_memory(vm);
    }
    return decode(text, bytes, &len) ? lg_cel_make_bytes((lg_str){bytes, len})
                                     : lg_cel_fail(vm, LG_CEL_FAIL_TYPE, "the text is no base64");
}
