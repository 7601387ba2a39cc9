// str.c: the slices' longer functions.
#include "base/str.h"

#include "base/utf8.h"

#include <stdio.h>

bool lg_str_eq_any_case(lg_str a, lg_str b)
{
    bool same = a.len == b.len;
    for (size_t i = 0; i < a.len && same; i++) {
        same = lg_lower(a.ptr[i]) == lg_lower(b.ptr[i]);
    }
    return same;
}

bool lg_is_media_type(lg_str value, lg_str type)
{
    lg_str name = lg_str_trim(lg_str_slice(value, 0, lg_str_find(value, LG_STR(";"))));
    return lg_str_eq_any_case(name, type);
}

int lg_str_cmp(lg_str a, lg_str b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common ? memcmp(a.ptr, b.ptr, common) : 0;
    if (order != 0) {
        return order;
    }
    return a.len < b.len ? -1 : a.len > b.len;
}

bool lg_str_starts(lg_str s, lg_str prefix)
{
    return s.len >= prefix.len && lg_str_eq(lg_str_of(s.ptr, prefix.len), prefix);
}

bool lg_str_ends(lg_str s, lg_str suffix)
{
    return s.len >= suffix.len && lg_str_eq(lg_str_slice(s, s.len - suffix.len, s.len), suffix);
}

size_t lg_str_find(lg_str s, lg_str needle)
{
    if (needle.len == 0) {
        return 0;
    }
    for (size_t at = 0; s.len - at >= needle.len;) {
        const char *hit = memchr(s.ptr + at, needle.ptr[0], s.len - at - needle.len + 1);
        if (!hit) {
            return SIZE_MAX;
        }
        at = (size_t)(hit - s.ptr);
        if (memcmp(hit, needle.ptr, needle.len) == 0) {
            return at;
        }
        at++;
    }
    return SIZE_MAX;
}

lg_str lg_str_slice(lg_str s, size_t from, size_t to)
{
    to = to > s.len ? s.len : to;
    from = from > to ? to : from;
    return lg_str_of(from ? s.ptr + from : s.ptr, to - from); // `ptr` of an empty slice may be NULL
}

size_t lg_str_line_end(lg_str s, size_t from)
{
    size_t length = lg_str_find(lg_str_slice(s, from, s.len), LG_STR("\n"));
    return length == SIZE_MAX ? s.len : from + length;
}

lg_str lg_str_cut(lg_str s, size_t max_bytes)
{
    if (s.len <= max_bytes) {
        return s;
    }
    while (max_bytes > 0 && ((unsigned char)s.ptr[max_bytes] & 0xC0) == 0x80) {
        max_bytes--;
    }
    return lg_str_of(s.ptr, max_bytes);
}

lg_str lg_str_vprint(char *room, size_t room_bytes, const char *format, va_list args)
{
    LG_ASSERT(room_bytes > 0);
    int len = vsnprintf(room, room_bytes, format, args);
    if (len < 0) {
        return LG_STR("");
    }
    bool whole = (size_t)len < room_bytes;
    lg_str shown = lg_str_of(room, whole ? (size_t)len : room_bytes - 1);
    return whole ? shown : lg_str_slice(shown, 0, lg_utf8_valid_prefix(shown));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

lg_str lg_str_trim(lg_str s)
{
    size_t from = 0;
    size_t to = s.len;
    while (from < to && is_blank(s.ptr[from])) {
        from++;
    }
    while (to > from && is_blank(s.ptr[to - 1])) {
        to--;
    }
    return lg_str_slice(s, from, to);
}

// Damerau's distance with the three last rows of the usual table.
uint32_t lg_str_distance(lg_str a, lg_str b)
{
    enum { LEN_MAX = 64 };
    if (a.len > LEN_MAX || b.len > LEN_MAX) {
        return UINT32_MAX;
    }
    uint32_t rows[3][LEN_MAX + 1];
    for (size_t j = 0; j <= b.len; j++) {
        rows[0][j] = (uint32_t)j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        uint32_t *row = rows[i % 3];
        const uint32_t *above = rows[(i + 2) % 3];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= b.len; j++) {
            bool same = a.ptr[i - 1] == b.ptr[j - 1];
            uint32_t best = above[j - 1] + (same ? 0 : 1);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1]) {
                uint32_t swapped = rows[(i + 1) % 3][j - 2] + 1;
                best = swapped < best ? swapped : best;
            }
            row[j] = best;
        }
    }
    return rows[a.len % 3][b.len];
}
