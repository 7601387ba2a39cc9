// safe.c: JSON text that is fit for a terminal and for every reader.
#include "json/json.h"

#include "base/utf8.h"

#define REPLACEMENT 0xFFFDu

// Bytes of the character at `at`. `*ret_instead` is what must stand there instead, or 0: a control that
// JSON allows and terminals obey, or a byte that is no UTF-8 (only names of files have any).
static size_t character_at(lg_str text, size_t at, uint32_t *ret_instead)
{
    size_t next = at;
    *ret_instead = REPLACEMENT;
    if (lg_utf8_valid_prefix(lg_str_slice(text, at, at + 4)) == 0) {
        return 1;
    }
    uint32_t code_point = lg_utf8_next(text, &next);
    *ret_instead = code_point >= 0x7F && code_point <= 0x9F ? code_point : 0;
    return next - at;
}

void lg_json_add_safe(lg_buf *out, lg_str text)
{
    size_t from = 0;
    for (size_t at = 0; at < text.len;) {
        uint32_t instead = 0;
        size_t length = 1;
        if ((unsigned char)text.ptr[at] >= 0x7F) {
            length = character_at(text, at, &instead);
        }
        if (instead) {
            lg_buf_add(out, lg_str_slice(text, from, at));
            lg_buf_addf(out, "\\u%04x", instead);
            from = at + length;
        }
        at += length;
    }
    lg_buf_add(out, lg_str_slice(text, from, text.len));
}
