// parse_escape.c: strings that hold escapes, and so have to be decoded into the
// arena.
#include "json/parser.h"

#include "base/utf8.h"
#include "json/scan.h"
#include "json/unescape.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Four hexadecimal digits, or -1.
static int32_t hex4(const char *at, const char *end)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = end - at > i ? hex_digit(at[i]) : -1;
        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

// Decodes the `\u` escape at `at` (its backslash), both halves of a surrogate
// pair if it is one.
static const char *unicode_escape(parser *ps, const char *at, char **out)
{
    int32_t unit = hex4(at + 2, ps->end);
    if (unit < 0) {
        return lg_parse_fail(ps, LG_ERR_PARSE, at, "expected four hexadecimal digits after `\\u`");
    }
    uint32_t code = (uint32_t)unit;
    const char *next = at + 6;
    if (code >= 0xD800 && code <= 0xDBFF) {
        bool pair = ps->end - next >= 6 && next[0] == '\\' && next[1] == 'u';
        int32_t low = pair ? hex4(next + 2, ps->end) : -1;
        if (low < 0xDC00 || low > 0xDFFF) {
            return lg_parse_fail(ps, LG_ERR_PARSE, at,
                                 "lone surrogate `\\u%04X`: expected a low surrogate (`\\uDC00` to "
                                 "`\\uDFFF`) after it",
                                 code);
        }
        code = 0x10000 + ((code - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
        next += 6;
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
        return lg_parse_fail(ps, LG_ERR_PARSE, at,
                             "lone surrogate `\\u%04X`: a low surrogate needs a high one before it",
                             code);
    }
    *out += lg_utf8_put(*out, code);
    return next;
}

static inline const char *one_escape(parser *ps, const char *at, char **out)
{
    char meant = lg_short_escapes[(unsigned char)at[1]];
    if (meant) {
        *(*out)++ = meant;
        return at + 2;
    }
    return at[1] == 'u' ? unicode_escape(ps, at, out) : lg_parse_bad_escape(ps, at);
}

// Copies from `from` to `*out` up to the next byte that needs a decision, which
// is at or before `close`; returns where that is. There is room for all bytes
// before `close`.
static inline const char *copy_plain(const char *from, const char *close, char **out)
{
    // Sixteen bytes are copied before anyone knows how many of them count: it
    // saves a call for the few bytes between two escapes, as in JSON that is
    // quoted inside of JSON.
    while (close - from >= 16) {
        memcpy(*out, from, 16);
        unsigned stops = lg_scan_stops(from);
        int count = stops ? __builtin_ctz(stops) : 16;
        from += count;
        *out += count;
        if (stops && (unsigned char)*from < 0x80) {
            return from;
        }
        if (stops) {
            break;
        }
    }
    const char *stop = lg_scan_string(from, close);
    memcpy(*out, from, (size_t)(stop - from));
    *out += stop - from;
    return stop;
}

// Decoded text is never longer than its source, so an allocation of the raw
// length does. What is left over goes back.
const char *lg_parse_escaped(parser *ps, const char *open, const char *at, lg_str *ret)
{
    const lg_unescaper *way = lg_unescaper_best();
    const char *close = way->find_close(at, ps->end);
    size_t raw = (size_t)(close - open);
    char *decoded = lg_arena_alloc(ps->arena, raw, 1);
    if (!decoded) {
        return lg_parse_fail_memory(ps, open, raw);
    }
    size_t plain = (size_t)(at - open - 1); // has been looked at
    memcpy(decoded, open + 1, plain);
    char *out = decoded + plain;
    for (;;) {
        at = way->decode(at, close, &out);
        at = copy_plain(at, close, &out);
        if (at >= close) {
            break;
        }
        bool cut_off = ps->end - at < 2; // a backslash is the last byte of the text
        if (*at != '\\' || cut_off) {
            return lg_parse_bad_string(ps, open, cut_off ? ps->end : at);
        }
        at = one_escape(ps, at, &out);
        if (!at) {
            return NULL;
        }
    }
    if (at >= ps->end) {
        return lg_parse_bad_string(ps, open, ps->end);
    }
    lg_arena_mark mark = lg_arena_mark_here(ps->arena);
    mark.next = out;
    lg_arena_rewind(ps->arena, mark);
    *ret = (lg_str){decoded, (size_t)(out - decoded)};
    return at + 1;
}
