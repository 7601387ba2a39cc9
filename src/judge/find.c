// find.c: does a quote stand in its source?
#include "judge/judge_internal.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// Is what stands at `at` the quote? Then `*ret_end` is behind it.
static bool matches(lg_str text, size_t at, lg_str quote, size_t *ret_end)
{
    size_t q = 0;
    while (q < quote.len) {
        if (is_blank(quote.ptr[q])) {
            if (at >= text.len || !is_blank(text.ptr[at])) {
                return false;
            }
            while (q < quote.len && is_blank(quote.ptr[q])) {
                q++;
            }
            while (at < text.len && is_blank(text.ptr[at])) {
                at++;
            }
            continue;
        }
        if (at >= text.len || lg_lower(text.ptr[at]) != lg_lower(quote.ptr[q])) {
            return false;
        }
        at++;
        q++;
    }
    *ret_end = at;
    return true;
}

bool judge_find_quote(lg_str text, lg_str quote, uint32_t *ret_begin, uint32_t *ret_end)
{
    lg_str wanted = lg_str_trim(quote);
    if (wanted.len < 3) { // stands anywhere
        return false;
    }
    for (size_t at = 0; at < text.len; at++) {
        size_t end;
        if (lg_lower(text.ptr[at]) == lg_lower(wanted.ptr[0]) && matches(text, at, wanted, &end)) {
            *ret_begin = (uint32_t)at;
            *ret_end = (uint32_t)end;
            return true;
        }
    }
    return false;
}
