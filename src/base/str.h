// str.h: byte slices. A slice borrows; whoever owns the bytes must outlive it.
#ifndef LG_BASE_STR_H
#define LG_BASE_STR_H

#include "base/types.h"

#include <stdarg.h>
#include <string.h>

static inline lg_str lg_str_of(const char *ptr, size_t len)
{
    return (lg_str){ptr, len};
}

// A slice of a C string; NULL gives the empty slice.
static inline lg_str lg_str_c(const char *text)
{
    return (lg_str){text ? text : "", text ? strlen(text) : 0};
}

static inline bool lg_str_eq(lg_str a, lg_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

// Of ASCII, whatever the locale.
static inline bool lg_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static inline bool lg_is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// What a hexadecimal digit counts, in either case; -1 for what is none.
static inline int lg_hex_digit(int c)
{
    return lg_is_digit(c)           ? c - '0'
           : (c >= 'a' && c <= 'f') ? c - 'a' + 10
           : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                    : -1;
}

// The lower-case letter of an ASCII one; any other byte is itself.
static inline char lg_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

// Equal but for the case of ASCII letters.
bool lg_str_eq_any_case(lg_str a, lg_str b);

// Is the header's value of this media type, whatever its parameters? "application/json; charset=utf-8" is "application/json".
bool lg_is_media_type(lg_str value, lg_str type);

// Byte order, a shorter prefix first: negative, zero or positive.
int lg_str_cmp(lg_str a, lg_str b);

bool lg_str_starts(lg_str s, lg_str prefix);
bool lg_str_ends(lg_str s, lg_str suffix);

// Returns the offset of the first `needle` in `s`, or SIZE_MAX. The empty needle is found at 0.
size_t lg_str_find(lg_str s, lg_str needle);

// "s" for every number but one: "%zu call%s".
static inline const char *lg_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

// Where the line that goes through `from` ends: at its line feed, or at the end.
size_t lg_str_line_end(lg_str s, size_t from);

// The part from `from` (inclusive) to `to` (exclusive), both clamped to the slice.
lg_str lg_str_slice(lg_str s, size_t from, size_t to);

// The first `max_bytes` of valid UTF-8 `s`, or a little less so as not to cut through a character.
lg_str lg_str_cut(lg_str s, size_t max_bytes);

// Prints into `room`. What does not fit is cut, but not through a character.
LG_PRINTF(3, 0)
lg_str lg_str_vprint(char *room, size_t room_bytes, const char *format, va_list args);

// Without ASCII blanks, tabs and line ends at both sides.
lg_str lg_str_trim(lg_str s);

// Edit distance (insert, delete, replace, swap of neighbours), for "did you mean". Slices longer
// than 64 bytes give UINT32_MAX.
uint32_t lg_str_distance(lg_str a, lg_str b);

#endif
