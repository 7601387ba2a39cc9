// utf8.c: UTF-8, checked by the table of RFC 3629 section 4.
#include "base/utf8.h"
#include "base/str.h"

#include <string.h>

// Length of the well-formed sequence at `s`, at most `len` bytes of it; 0 if there is none.
static size_t sequence_length(const unsigned char *s, size_t len)
{
    unsigned char lead = s[0];
    if (lead < 0x80) {
        return 1;
    }
    size_t need = lead >= 0xC2 && lead <= 0xDF   ? 2
                  : (lead & 0xF0) == 0xE0        ? 3
                  : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                 : 0;
    if (need == 0 || need > len) {
        return 0;
    }
    // The second byte's range keeps out overlong forms, surrogates and what is above U+10FFFF.
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (s[1] < low || s[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < need; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return need;
}

size_t lg_utf8_valid_prefix(lg_str s)
{
    const unsigned char *bytes = (const unsigned char *)s.ptr;
    size_t at = 0;
    while (at < s.len) {
        uint64_t word;
        if (s.len - at >= sizeof(word)) { // eight ASCII bytes at once
            memcpy(&word, bytes + at, sizeof(word));
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                at += sizeof(word);
                continue;
            }
        }
        size_t len = sequence_length(bytes + at, s.len - at);
        if (len == 0) {
            return at;
        }
        at += len;
    }
    return at;
}

size_t lg_utf8_length(lg_str s)
{
    return s.len ? sequence_length((const unsigned char *)s.ptr, s.len) : 0;
}

uint32_t lg_utf8_next(lg_str s, size_t *offset)
{
    const unsigned char *p = (const unsigned char *)s.ptr + *offset;
    if (p[0] < 0x80) {
        *offset += 1;
        return p[0];
    }
    size_t len = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    uint32_t code_point = p[0] & (0x7Fu >> len);
    for (size_t i = 1; i < len; i++) {
        code_point = code_point << 6 | (p[i] & 0x3Fu);
    }
    *offset += len;
    return code_point;
}

size_t lg_utf8_put(char out[4], uint32_t code_point)
{
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    size_t len = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    out[0] = (char)((0xF00u >> len & 0xF0) | code_point);
    return len;
}

size_t lg_utf8_count(lg_str s)
{
    size_t count = 0;
    for (size_t i = 0; i < s.len; i++) {
        count += ((unsigned char)s.ptr[i] & 0xC0) != 0x80;
    }
    return count;
}

// --- Text of strangers --------------------------------------------------------------------------

bool lg_utf8_is_layout(uint32_t code_point)
{
    return code_point == 0x061C || code_point == 0x200E || code_point == 0x200F ||
           (code_point >= 0x2028 && code_point <= 0x202E) ||
           (code_point >= 0x2066 && code_point <= 0x2069);
}

// What stands for a character of the text, and how many bytes that was.
static lg_str shown_character(lg_str text, size_t at, size_t *ret_length)
{
    size_t next = at;
    size_t length = lg_utf8_length(lg_str_slice(text, at, text.len));
    *ret_length = length ? length : 1;
    if (!length) {
        return LG_STR("?");
    }
    uint32_t code_point = lg_utf8_next(text, &next);
    bool line_end = code_point == 0x2028 || code_point == 0x2029;
    if (code_point == '\t' || code_point == '\n' || code_point == '\r' || line_end) {
        return LG_STR(" ");
    }
    return lg_utf8_is_control(code_point) || lg_utf8_is_layout(code_point)
               ? LG_STR("?")
               : lg_str_slice(text, at, next);
}

void lg_utf8_add_printable(lg_buf *out, lg_str text)
{
    for (size_t at = 0; at < text.len;) {
        size_t plain = at; // printable ASCII, nearly always most of it
        while (plain < text.len && text.ptr[plain] >= 0x20 && text.ptr[plain] < 0x7F) {
            plain++;
        }
        size_t length = plain - at;
        lg_buf_add(out,
                   length ? lg_str_slice(text, at, plain) : shown_character(text, at, &length));
        at += length;
    }
}
