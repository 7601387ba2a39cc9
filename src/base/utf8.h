// utf8.h: UTF-8 as RFC 3629 has it: no surrogates, no overlong forms, nothing above U+10FFFF.
#ifndef LG_BASE_UTF8_H
#define LG_BASE_UTF8_H

#include "base/buf.h"

// Returns the length of the longest valid prefix of `s`; equal to s.len if all of it is valid.
size_t lg_utf8_valid_prefix(lg_str s);

// Bytes of the well-formed sequence that `s` begins with; 0 if there is none.
size_t lg_utf8_length(lg_str s);

// C0, DEL and C1: what commands a terminal.
static inline bool lg_utf8_is_control(uint32_t code_point)
{
    return code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F);
}

// Decodes the code point at `*offset` of a valid `s` and moves `*offset` past it.
uint32_t lg_utf8_next(lg_str s, size_t *offset);

// Writes `code_point` (no surrogate, at most U+10FFFF) and returns the 1 to 4 bytes used.
size_t lg_utf8_put(char out[4], uint32_t code_point);

// Ends of lines and paragraphs, and what turns the order of the text around it (Unicode's bidirectional controls).
bool lg_utf8_is_layout(uint32_t code_point);

// Appends `text` as a terminal may see it, on one line: tabs and line ends become blanks, other characters that
// control something `?`, and so does a byte that is no UTF-8.
void lg_utf8_add_printable(lg_buf *out, lg_str text);

// Number of code points of a valid `s`.
size_t lg_utf8_count(lg_str s);

#endif
