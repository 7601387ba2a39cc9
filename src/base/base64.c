// base64.c: see base64.h.
#include "base/base64.h"

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
