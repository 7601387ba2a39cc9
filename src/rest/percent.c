// percent.c: escapes of URLs and forms (RFC 3986 section 2.1), and bytes that have to become text.
#include "base/base64.h"
#include "base/utf8.h"
#include "rest/rest_internal.h"

static int hex_digit(char c)
{
    if (lg_is_digit(c)) {
        return c - '0';
    }
    char lower = lg_lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static bool is_escaped(lg_str raw, rest_decoding how)
{
    return how != REST_PLAIN &&
           (memchr(raw.ptr, '%', raw.len) || (how == REST_FORM && memchr(raw.ptr, '+', raw.len)));
}

bool lg_rest_decode(lg_arena *arena, lg_str raw, rest_decoding how, lg_str *ret, bool *ret_oom)
{
    *ret = raw;
    if (raw.len > 0 && is_escaped(raw, how)) {
        char *out = lg_arena_alloc(arena, raw.len, 1);
        if (!out) {
            *ret_oom = true;
            return false;
        }
        size_t len = 0;
        for (size_t i = 0; i < raw.len; i++) {
            char c = raw.ptr[i];
            int high = c == '%' && i + 2 < raw.len ? hex_digit(raw.ptr[i + 1]) : -1;
            int low = high >= 0 ? hex_digit(raw.ptr[i + 2]) : -1;
            if (c == '%' && low < 0 && how != REST_LENIENT) {
                return false;
            }
            char plain = c == '+' && how == REST_FORM ? ' ' : c;
            out[len++] = plain;
            if (low >= 0) {
                out[len - 1] = (char)(high << 4 | low);
            }
            i += low >= 0 ? 2 : 0;
        }
        *ret = lg_str_of(out, len);
    }
    return lg_utf8_valid_prefix(*ret) == ret->len;
}

static bool is_unreserved(char c)
{
    return lg_is_letter(c) || lg_is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

void lg_rest_encode(lg_buf *out, lg_str text, lg_str also)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (is_unreserved(c) && !(also.len && memchr(also.ptr, c, also.len))) {
            lg_buf_add_byte(out, c);
        } else {
            char escape[3] = {'%', digits[(unsigned char)c >> 4], digits[(unsigned char)c & 15]};
            lg_buf_add(out, lg_str_of(escape, 3));
        }
    }
}

bool lg_rest_take(lg_arena *arena, lg_buf *buf, lg_str *ret)
{
    bool ok = lg_buf_status(buf) == LG_OK;
    lg_str copy = ok ? lg_arena_str(arena, lg_buf_str(buf)) : (lg_str){0};
    lg_buf_done(buf);
    if (!copy.ptr) {
        return false;
    }
    *ret = copy;
    return true;
}

lg_str lg_rest_text_of(lg_arena *arena, lg_str bytes)
{
    if (bytes.len == 0 || lg_utf8_valid_prefix(bytes) == bytes.len) {
        return bytes.ptr ? bytes : LG_STR("");
    }
    char *out = lg_arena_alloc(arena, (bytes.len + 2) / 3 * 4, 1);
    return out ? lg_str_of(out, lg_base64(out, bytes)) : (lg_str){0};
}
