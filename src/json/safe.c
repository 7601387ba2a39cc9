// safe.c: JSON text that is fit for a terminal and for every reader.
#include "json/json.h"

#include "base/utf8.h"

#define REPLACEMENT 0xFFFDu

// Bytes of the character at `at`. `*ret_instead` is what must stand there instead, or 0: a control that
// JSON allows and terminals obey, or a byte that is no UTF-8 (only names of files have any).
static size_t character_at(lg_str text, size_t at, uint32_t *ret_instead)
{
    size_t length = lg_utf8_length(lg_str_slice(text, at, text.len));
    uint32_t code_point = length ? lg_utf8_next(text, &at) : REPLACEMENT;
    bool shown = length > 0 && !lg_utf8_is_control(code_point) && !lg_utf8_is_layout(code_point);
    *ret_instead = shown ? 0 : code_point;
    return length ? length : 1;
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
