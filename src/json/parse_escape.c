// parse_escape.c: strings that hold escapes, and so have to be decoded into the arena.
#include "json/parser.h"

#include "base/utf8.h"
#include "json/scan.h"
#include "json/unescape.h"

// Four hexadecimal digits, or -1.
static int32_t hex4(const char *at, const char *end)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = end - at > i ? lg_hex_digit(at[i]) : -1;
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

// Copies from `from` to `*out` up to the next byte that needs a decision, which is at or before `limit`;
// returns where that is. There is room for all bytes before `limit`.
static inline const char *copy_plain(const char *from, const char *limit, char **out)
{
    // Sixteen bytes are copied before anyone knows how many of them count: it saves a call for the
    // few bytes between two escapes, as in JSON that is quoted inside of JSON.
    while (limit - from >= 16) {
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
    const char *stop = lg_scan_string(from, limit);
    memcpy(*out, from, (size_t)(stop - from));
    *out += stop - from;
    return stop;
}

enum {
    ESCAPE_MAX = 12, // the bytes of the longest thing that is decoded in one piece: `\uD83D\uDE00`
    GUESS_MAX = 1 << 16,
};

// A string that is being decoded.
typedef struct decoding {
    const char *open;
    const char *limit; // decoded no further; the text before it was given room
    bool guessed;      // `limit` is any place of the text, not the end of the string or the text
    char *text;
    char *out;
} decoding;

// Decodes from `at` to the closing quote, and returns where it is; or to `limit` if that comes first.
static const char *decode(parser *ps, decoding *d, const char *at)
{
    const lg_unescaper *way = lg_unescaper_best();
    for (;;) {
        at = way->decode(at, d->limit, &d->out);
        at = copy_plain(at, d->limit, &d->out);
        if (at >= d->limit || *at == '"') {
            return at;
        }
        if (d->guessed && d->limit - at < ESCAPE_MAX) {
            return d->limit; // what is here may be cut off
        }
        bool cut_off = ps->end - at < 2; // a backslash is the last byte of the text
        if (*at != '\\' || cut_off) {
            return lg_parse_bad_string(ps, d->open, cut_off ? ps->end : at);
        }
        at = one_escape(ps, at, &d->out);
        if (!at) {
            return NULL;
        }
    }
}

// The same from the beginning: the bytes before `at` have been looked at. Decoded text is never longer
// than its source, so that an allocation of the raw length does.
static const char *decode_up_to(parser *ps, decoding *d, const char *at)
{
    size_t raw = (size_t)(d->limit - d->open);
    d->text = lg_arena_alloc(ps->arena, raw, 1);
    if (!d->text) {
        return lg_parse_fail_memory(ps, d->open, raw);
    }
    size_t plain = (size_t)(at - d->open - 1);
    memcpy(d->text, d->open + 1, plain);
    d->out = d->text + plain;
    return decode(ps, d, at);
}

// How far one may decode into what the arena has left, without a look at where the string ends.
static const char *guess_limit(const parser *ps, const char *open)
{
    size_t left = (size_t)(ps->end - open);
    size_t room = lg_arena_room(ps->arena);
    size_t most = room < GUESS_MAX ? room : GUESS_MAX;
    return open + (left < most ? left : most);
}

// Nearly all strings end before the limit that is guessed. Of the others the end is sought first.
// (A message of 2 KB, escaped: 11 % less time than with a search for the end of each.)
const char *lg_parse_escaped(parser *ps, const char *open, const char *at, lg_str *ret)
{
    decoding d = {.open = open, .limit = guess_limit(ps, open)};
    d.guessed = d.limit != ps->end;
    lg_arena_mark mark = lg_arena_mark_here(ps->arena);
    const char *close = d.limit > at ? decode_up_to(ps, &d, at) : d.limit;
    if (close == d.limit && d.guessed) {
        lg_arena_rewind(ps->arena, mark);
        d.limit = lg_unescaper_best()->find_close(at, ps->end);
        d.guessed = false;
        close = decode_up_to(ps, &d, at);
    }
    if (!close || close >= ps->end) {
        return close ? lg_parse_bad_string(ps, open, ps->end) : NULL;
    }
    mark = lg_arena_mark_here(ps->arena);
    mark.next = d.out; // what is left over goes back
    lg_arena_rewind(ps->arena, mark);
    *ret = (lg_str){d.text, (size_t)(d.out - d.text)};
    return close + 1;
}
