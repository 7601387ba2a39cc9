// The network extension: IP addresses (RFC 4291, printed as RFC 5952 wants it) and CIDR blocks.
//
// An IPv6 address that maps an IPv4 one is that IPv4 address; written with dots it is refused.
#include "cel/cel_internal.h"

#include <stdio.h>

// --- Reading ------------------------------------------------------------------------------------

// Up to three decimal digits without a zero in front.
static bool read_byte(lg_str text, size_t *at, uint8_t *ret)
{
    uint32_t value = 0;
    size_t first = *at;
    for (; *at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9'; ++*at) {
        value = value * 10 + (uint32_t)(text.ptr[*at] - '0');
        if (*at - first == 3) {
            return false;
        }
    }
    *ret = (uint8_t)value;
    return *at > first && value <= 255 && !(text.ptr[first] == '0' && *at - first > 1);
}

static bool read_ipv4(lg_str text, lg_cel_opaque *ret)
{
    size_t at = 0;
    for (int i = 0; i < 4; i++) {
        if (i > 0 && (at >= text.len || text.ptr[at++] != '.')) {
            return false;
        }
        if (!read_byte(text, &at, &ret->bytes[i])) {
            return false;
        }
    }
    ret->family = 4;
    return at == text.len;
}

static bool read_group(lg_str text, size_t *at, uint32_t *ret)
{
    size_t first = *at;
    *ret = 0;
    for (; *at < text.len && *at - first < 4; ++*at) {
        char c = text.ptr[*at];
        char lower = (char)(c | 0x20);
        uint32_t digit = c >= '0' && c <= '9'           ? (uint32_t)(c - '0')
                         : lower >= 'a' && lower <= 'f' ? (uint32_t)(lower - 'a') + 10
                                                        : 16;
        if (digit > 15) {
            break;
        }
        *ret = *ret << 4 | digit;
    }
    return *at > first;
}

// "::ffff:c0a8:1" is 192.168.0.1.
static void unmap(lg_cel_opaque *address)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    if (memcmp(address->bytes, mapped, sizeof(mapped)) == 0) {
        memmove(address->bytes, address->bytes + 12, 4);
        memset(address->bytes + 4, 0, 12);
        address->family = 4;
    }
}

static bool read_ipv6(lg_str text, lg_cel_opaque *ret)
{
    uint32_t groups[8] = {0};
    size_t count = 0;
    size_t gap = SIZE_MAX; // where "::" stands
    size_t at = 0;
    if (lg_str_starts(text, LG_STR("::"))) {
        gap = 0;
        at = 2;
    }
    while (at < text.len) {
        if (count == 8 || !read_group(text, &at, &groups[count])) {
            return false;
        }
        count++;
        if (at == text.len) {
            break;
        }
        if (text.ptr[at++] != ':' || at == text.len) {
            return false;
        }
        if (text.ptr[at] == ':') {
            if (gap != SIZE_MAX) {
                return false;
            }
            gap = count;
            at++;
        }
    }
    if (gap == SIZE_MAX ? count != 8 : count > 7) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        size_t to = i < gap ? i : 8 - count + i;
        ret->bytes[2 * to] = (uint8_t)(groups[i] >> 8);
        ret->bytes[2 * to + 1] = (uint8_t)(groups[i] & 0xff);
    }
    ret->family = 6;
    unmap(ret);
    return true;
}

// Longer than any address, its mask and some more: not worth looking at.
#define ADDRESS_BYTES_MAX 64u

static bool read_ip(lg_str text, lg_cel_opaque *ret)
{
    if (text.len > ADDRESS_BYTES_MAX) {
        return false;
    }
    *ret = (lg_cel_opaque){.type = &lg_cel_t_ip};
    return lg_str_find(text, LG_STR(":")) == SIZE_MAX ? read_ipv4(text, ret) : read_ipv6(text, ret);
}

static bool read_cidr(lg_str text, lg_cel_opaque *ret)
{
    size_t slash = text.len <= ADDRESS_BYTES_MAX ? lg_str_find(text, LG_STR("/")) : SIZE_MAX;
    uint8_t prefix = 0;
    size_t at = 0;
    lg_str behind = lg_str_slice(text, slash == SIZE_MAX ? text.len : slash + 1, text.len);
    if (slash == SIZE_MAX || !read_ip(lg_str_slice(text, 0, slash), ret) ||
        !read_byte(behind, &at, &prefix) || at != behind.len) {
        return false;
    }
    ret->type = &lg_cel_t_cidr;
    ret->prefix = prefix;
    return prefix <= (ret->family == 4 ? 32 : 128);
}

// --- Printing -----------------------------------------------------------------------------------

// The longest run of two or more zero groups, which "::" stands for.
static void find_run(const uint32_t groups[8], size_t *ret_from, size_t *ret_len)
{
    *ret_from = 8;
    *ret_len = 1;
    for (size_t i = 0; i < 8; i++) {
        size_t len = 0;
        while (i + len < 8 && groups[i + len] == 0) {
            len++;
        }
        if (len > *ret_len) {
            *ret_from = i;
            *ret_len = len;
        }
        i += len;
    }
}

static size_t print_ipv6(char out[LG_CEL_TEXT_MAX], const lg_cel_opaque *address)
{
    uint32_t groups[8];
    size_t from;
    size_t len;
    for (size_t i = 0; i < 8; i++) {
        groups[i] = (uint32_t)address->bytes[2 * i] << 8 | address->bytes[2 * i + 1];
    }
    find_run(groups, &from, &len);
    size_t at = 0;
    for (size_t i = 0; i < 8; i++) {
        if (i == from) {
            out[at++] = ':';
            out[at++] = ':';
            i += len - 1;
            continue;
        }
        bool colon = i > 0 && i != from + len;
        at += (size_t)snprintf(out + at, 8, "%s%x", colon ? ":" : "", groups[i]);
    }
    return at;
}

size_t lg_cel_opaque_text(char out[LG_CEL_TEXT_MAX], const lg_cel_opaque *value)
{
    if (value->type != &lg_cel_t_ip && value->type != &lg_cel_t_cidr) {
        return 0;
    }
    const uint8_t *b = value->bytes;
    size_t at = value->family == 4
                    ? (size_t)snprintf(out, LG_CEL_TEXT_MAX, "%u.%u.%u.%u", b[0], b[1], b[2], b[3])
                    : print_ipv6(out, value);
    if (value->type == &lg_cel_t_cidr) {
        at += (size_t)snprintf(out + at, 8, "/%u", value->prefix);
    }
    return at;
}

// --- Functions ----------------------------------------------------------------------------------

static lg_cel_value keep(lg_cel_vm *vm, lg_cel_opaque value)
{
    lg_cel_opaque *copy = lg_cel_scratch(vm, sizeof(*copy), _Alignof(lg_cel_opaque));
    if (!copy) {
        return lg_cel_out_of_memory(vm);
    }
    *copy = value;
    return (lg_cel_value){.kind = LG_CEL_OPAQUE, .as.opaque = copy};
}

static const lg_cel_opaque *as_type(lg_cel_value value, const lg_cel_type *type)
{
    return value.kind == LG_CEL_OPAQUE && value.as.opaque->type == type ? value.as.opaque : NULL;
}

static lg_cel_value no_address(lg_cel_vm *vm)
{
    return lg_cel_fail(vm, LG_CEL_FAIL_TYPE, "the text is no IP address or CIDR block");
}

// ip('10.0.0.1'), or the address of a CIDR block.
lg_cel_value lg_cel_fn_ip(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_opaque address;
    const lg_cel_opaque *cidr = as_type(args[0], &lg_cel_t_cidr);
    if (cidr) {
        address = *cidr;
        address.type = &lg_cel_t_ip;
        address.prefix = 0;
        return keep(vm, address);
    }
    if (as_type(args[0], &lg_cel_t_ip)) {
        return args[0];
    }
    if (args[0].kind != LG_CEL_STRING) {
        return lg_cel_no_overload(vm);
    }
    return read_ip(lg_cel_str(args[0]), &address) ? keep(vm, address) : no_address(vm);
}

lg_cel_value lg_cel_fn_cidr(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_opaque block;
    if (as_type(args[0], &lg_cel_t_cidr)) {
        return args[0];
    }
    if (args[0].kind != LG_CEL_STRING) {
        return lg_cel_no_overload(vm);
    }
    return read_cidr(lg_cel_str(args[0]), &block) ? keep(vm, block) : no_address(vm);
}

lg_cel_value lg_cel_fn_is_ip(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_opaque address;
    return args[0].kind == LG_CEL_STRING ? lg_cel_make_bool(read_ip(lg_cel_str(args[0]), &address))
                                         : lg_cel_no_overload(vm);
}

lg_cel_value lg_cel_fn_is_cidr(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_opaque block;
    return args[0].kind == LG_CEL_STRING ? lg_cel_make_bool(read_cidr(lg_cel_str(args[0]), &block))
                                         : lg_cel_no_overload(vm);
}

lg_cel_value lg_cel_fn_is_canonical(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_opaque address;
    char text[LG_CEL_TEXT_MAX];
    if (args[0].kind != LG_CEL_STRING) {
        return lg_cel_no_overload(vm);
    }
    if (!read_ip(lg_cel_str(args[0]), &address)) {
        return no_address(vm);
    }
    lg_str shown = {text, lg_cel_opaque_text(text, &address)};
    return lg_cel_make_bool(lg_str_eq(shown, lg_cel_str(args[0])));
}

// Whether the address begins with the first `bits` bits of `prefix`.
static bool begins_with(const lg_cel_opaque *address, const uint8_t *prefix, uint32_t bits)
{
    uint32_t whole = bits / 8;
    uint32_t rest = bits % 8;
    uint32_t mask = 0xff00u >> rest & 0xff;
    return memcmp(address->bytes, prefix, whole) == 0 &&
           (rest == 0 || ((address->bytes[whole] ^ prefix[whole]) & mask) == 0);
}

static bool all_zero(const lg_cel_opaque *a)
{
    static const uint8_t zeros[16] = {0};
    return memcmp(a->bytes, zeros, sizeof(zeros)) == 0;
}

static bool is_loopback(const lg_cel_opaque *a)
{
    static const uint8_t one[16] = {[15] = 1};
    return a->family == 4 ? a->bytes[0] == 127 : memcmp(a->bytes, one, sizeof(one)) == 0;
}

static bool is_link_local(const lg_cel_opaque *a)
{
    static const uint8_t v4[] = {169, 254};
    static const uint8_t v6[] = {0xfe, 0x80};
    return a->family == 4 ? begins_with(a, v4, 16) : begins_with(a, v6, 10);
}

static bool is_link_local_multicast(const lg_cel_opaque *a)
{
    static const uint8_t v4[] = {224, 0, 0};
    return a->family == 4 ? begins_with(a, v4, 24)
                          : a->bytes[0] == 0xff && (a->bytes[1] & 0x0f) == 0x02;
}

static bool is_global_unicast(const lg_cel_opaque *a)
{
    static const uint8_t everybody[] = {255, 255, 255, 255};
    bool multicast = a->family == 4 ? (a->bytes[0] & 0xf0) == 224 : a->bytes[0] == 0xff;
    bool broadcast = a->family == 4 && begins_with(a, everybody, 32);
    return !multicast && !broadcast && !all_zero(a) && !is_loopback(a) && !is_link_local(a);
}

#define OF_ADDRESS(name, result)                                                                   \
    lg_cel_value lg_cel_fn_##name(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)         \
    {                                                                                              \
        (void)count;                                                                               \
        const lg_cel_opaque *a = as_type(args[0], &lg_cel_t_ip);                                   \
        return a ? (result) : lg_cel_no_overload(vm);                                              \
    }

OF_ADDRESS(family, lg_cel_make_int(a->family))
OF_ADDRESS(is_unspecified, lg_cel_make_bool(all_zero(a)))
OF_ADDRESS(is_loopback, lg_cel_make_bool(is_loopback(a)))
OF_ADDRESS(is_global_unicast, lg_cel_make_bool(is_global_unicast(a)))
OF_ADDRESS(is_link_local_multicast, lg_cel_make_bool(is_link_local_multicast(a)))
OF_ADDRESS(is_link_local_unicast, lg_cel_make_bool(is_link_local(a)))

lg_cel_value lg_cel_fn_prefix_length(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    const lg_cel_opaque *block = as_type(args[0], &lg_cel_t_cidr);
    return block ? lg_cel_make_int(block->prefix) : lg_cel_no_overload(vm);
}

lg_cel_value lg_cel_fn_masked(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    const lg_cel_opaque *block = as_type(args[0], &lg_cel_t_cidr);
    if (!block) {
        return lg_cel_no_overload(vm);
    }
    lg_cel_opaque masked = *block;
    for (uint32_t bit = block->prefix; bit < 128; bit++) {
        masked.bytes[bit / 8] = (uint8_t)(masked.bytes[bit / 8] & ~(0x80u >> bit % 8));
    }
    return keep(vm, masked);
}

static bool contains(const lg_cel_opaque *block, const lg_cel_opaque *other, uint32_t least_prefix)
{
    return block->family == other->family && block->prefix <= least_prefix &&
           begins_with(other, block->bytes, block->prefix);
}

lg_cel_value lg_cel_fn_contains_ip(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_opaque read;
    const lg_cel_opaque *block = as_type(args[0], &lg_cel_t_cidr);
    const lg_cel_opaque *address = as_type(args[1], &lg_cel_t_ip);
    if (!block || (!address && args[1].kind != LG_CEL_STRING)) {
        return lg_cel_no_overload(vm);
    }
    if (!address) {
        address = read_ip(lg_cel_str(args[1]), &read) ? &read : NULL;
    }
    return address ? lg_cel_make_bool(contains(block, address, 128)) : no_address(vm);
}

lg_cel_value lg_cel_fn_contains_cidr(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_opaque read;
    const lg_cel_opaque *block = as_type(args[0], &lg_cel_t_cidr);
    const lg_cel_opaque *other = as_type(args[1], &lg_cel_t_cidr);
    if (!block || (!other && args[1].kind != LG_CEL_STRING)) {
        return lg_cel_no_overload(vm);
    }
    if (!other) {
        other = read_cidr(lg_cel_str(args[1]), &read) ? &read : NULL;
    }
    return other ? lg_cel_make_bool(contains(block, other, other->prefix)) : no_address(vm);
}
