// base64.c: see base64.h.
#include "base/base64.h"

#include "base/str.h"

size_t lg_base64(char *out, lg_str bytes)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t at = 0;
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        uint32_t group = (uint32_t)(unsigned char)bytes.ptr[i] << 16;
        group |= left > 1 ? (uint32_t)(unsigned char)bytes.ptr[i + 1] << 8 : 0;
        group |= left > 2 ? (uint32_t)(unsigned char)bytes.ptr[i + 2] : 0;
        out[at++] = letters[group >> 18];
        out[at++] = letters[group >> 12 & 63];
        out[at++] = left > 1 ? letters[group >> 6 & 63] : '=';
        out[at++] = left > 2 ? letters[group & 63] : '=';
    }
    return at;
}

static int digit_of(char c)
{
    if (lg_is_letter(c)) {
        return c >= 'a' ? c - 'a' + 26 : c - 'A';
    }
    if (lg_is_digit(c)) {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Bits behind the last byte are zero, so that no two texts are the same bytes.
bool lg_unbase64(lg_str text, char *out, size_t *ret_len)
{
    size_t len = 0;
    if (text.len % 4) {
        return false;
    }
    for (size_t at = 0; at < text.len; at += 4) {
        bool is_last = at + 4 == text.len;
        size_t padding = !is_last || text.ptr[at + 3] != '=' ? 0 : text.ptr[at + 2] == '=' ? 2 : 1;
        uint32_t bits = 0;
        for (size_t i = 0; i < 4; i++) {
            int digit = i >= 4 - padding ? 0 : digit_of(text.ptr[at + i]);
            if (digit < 0) {
                return false;
            }
            bits = bits << 6 | (uint32_t)digit;
        }
        for (size_t i = 0; i < 3; i++) {
            char byte = (char)(unsigned char)(bits >> (16 - 8 * i));
            if (i < 3 - padding) {
                out[len++] = byte;
            } else if (byte) {
                return false;
            }
        }
    }
    *ret_len = len;
    return true;
}
