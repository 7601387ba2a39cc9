// parse_error.c: what to tell someone whose text is no JSON: what was found, what was expected, and
// where a habit from another language shows, what to write instead.
#include "json/parser.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

const char *lg_parse_fail(parser *ps, lg_status status, const char *at, const char *format, ...)
{
    char msg[LG_ERROR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(msg, sizeof(msg), format, args);
    va_end(args);
    lg_str text = {ps->text, (size_t)(ps->end - ps->text)};
    lg_position position = lg_text_position(text, (size_t)(at - ps->text));
    ps->status = lg_fail_at(ps->reterr, status, position, "%s", msg);
    return NULL;
}

const char *lg_parse_fail_memory(parser *ps, const char *at, size_t size_bytes)
{
    if (size_bytes > ps->arena->limit_bytes - ps->arena->held_bytes) {
        return lg_parse_fail(ps, LG_ERR_LIMIT, at,
                             "more memory needed than the limit of %zu bytes (%s)",
                             ps->limits.document_bytes, ps->limits.memory_limit);
    }
    ps->status = lg_fail_oom(ps->reterr);
    return NULL;
}

// --- What stands there --------------------------------------------------------------------------

typedef struct phrase {
    char text[64];
} phrase;

static bool is_word_byte(char c)
{
    return lg_is_letter(c) || lg_is_digit(c) || c == '_';
}

// A character beyond ASCII may be invisible or look like another, so its number is shown too.
static phrase found_unicode(lg_str ahead)
{
    phrase f;
    size_t valid = lg_utf8_valid_prefix(lg_str_slice(ahead, 0, 4));
    if (valid == 0) {
        snprintf(f.text, sizeof(f.text), "the byte 0x%02X", (unsigned char)ahead.ptr[0]);
        return f;
    }
    size_t len = 0;
    uint32_t code = lg_utf8_next(ahead, &len);
    snprintf(f.text, sizeof(f.text), "`%.*s` (U+%04X)", (int)len, ahead.ptr, code);
    return f;
}

static phrase found(const parser *ps, const char *at)
{
    phrase f;
    lg_str ahead = {at, (size_t)(ps->end - at)};
    unsigned char c = ahead.len ? (unsigned char)*at : 0;
    size_t len = 1;
    while (c && is_word_byte(*at) && len < ahead.len && len < 16 && is_word_byte(at[len])) {
        len++;
    }
    if (ahead.len == 0) {
        snprintf(f.text, sizeof(f.text), "the end of the text");
    } else if (c >= 0x80) {
        return found_unicode(ahead);
    } else if (c == '\n' || c == '\r') {
        snprintf(f.text, sizeof(f.text), "the end of the line");
    } else if (c < 0x20 || c == 0x7F) {
        snprintf(f.text, sizeof(f.text), "the byte 0x%02X", c);
    } else {
        snprintf(f.text, sizeof(f.text), "`%.*s`", (int)len, at);
    }
    return f;
}

// --- Habits -------------------------------------------------------------------------------------

// The byte before `at` that is no blank, or NUL.
static char byte_before(const parser *ps, const char *at)
{
    while (at > ps->begin) {
        char c = *--at;
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
            return c;
        }
    }
    return '\0';
}

typedef struct habit {
    const char *seen;
    const char *advice;
    bool instead; // of a value or key; the others can stand anywhere
} habit;

static const char *advice_for(const parser *ps, const char *at, bool wanted_more)
{
    static const habit habits[] = {
        {"True", ": write `true`", true},
        {"False", ": write `false`", true},
        {"None", ": write `null`", true},
        {"undefined", ": write `null`", true},
        {"NaN", ": JSON has no such number", true},
        {"Infinity", ": JSON has no such number", true},
        {"'", ": strings need double quotes", true},
        {"+", ": a number has no `+` before it", true},
        {".", ": a number has a digit before its point", true},
        {"//", ": JSON has no comments", false},
        {"/*", ": JSON has no comments", false},
        {"#", ": JSON has no comments", false},
    };
    lg_str ahead = {at, (size_t)(ps->end - at)};
    if (ahead.len && (*at == ']' || *at == '}') && byte_before(ps, at) == ',') {
        return ": remove the comma before it";
    }
    for (size_t i = 0; i < LG_COUNT(habits); i++) {
        bool fits = wanted_more || !habits[i].instead;
        if (fits && lg_str_starts(ahead, lg_str_c(habits[i].seen))) {
            return habits[i].advice;
        }
    }
    return "";
}

const char *lg_parse_expected(parser *ps, const char *at, const char *what)
{
    bool wanted_more = what[0] == 'a'; // "a value", not "`,` or `]`"
    return lg_parse_fail(ps, LG_ERR_PARSE, at, "expected %s, found %s%s", what, found(ps, at).text,
                         advice_for(ps, at, wanted_more));
}

// --- Strings and keys ---------------------------------------------------------------------------

const char *lg_parse_bad_string(parser *ps, const char *open, const char *at)
{
    if (at >= ps->end) {
        return lg_parse_fail(ps, LG_ERR_PARSE, open, "this string is never closed by a `\"`");
    }
    unsigned char c = (unsigned char)*at;
    if (c == '\n' || c == '\r') {
        return lg_parse_fail(ps, LG_ERR_PARSE, at,
                             "the line ends inside a string: close it with `\"`, or write `\\%c`",
                             c == '\n' ? 'n' : 'r');
    }
    if (c < 0x20) {
        return lg_parse_fail(ps, LG_ERR_PARSE, at,
                             "control character 0x%02X inside a string: write `\\u%04X`", c, c);
    }
    return lg_parse_fail(ps, LG_ERR_PARSE, at, "byte 0x%02X inside a string is not valid UTF-8", c);
}

const char *lg_parse_bad_escape(parser *ps, const char *at)
{
    return lg_parse_fail(ps, LG_ERR_PARSE, at,
                         "unknown escape: expected one of `\"\\/bfnrtu` after `\\`, found %s",
                         found(ps, at + 1).text);
}

const char *lg_parse_duplicate(parser *ps, const lg_json_member *first,
                               const lg_json_member *second)
{
    enum { SHOWN_BYTES = 80 };
    lg_str text = {ps->text, (size_t)(ps->end - ps->text)};
    lg_position at = lg_text_position(text, first->key_offset);
    lg_str key = lg_json_key(second);
    bool cut = key.len > SHOWN_BYTES;
    lg_str shown = lg_str_slice(key, 0, SHOWN_BYTES);
    shown.len = lg_utf8_valid_prefix(shown);
    return lg_parse_fail(ps, LG_ERR_PARSE, ps->text + (second->key_offset - ps->shift),
                         "duplicate key `%.*s`%s, first at line %u", LG_FMT(shown),
                         cut ? "..." : "", at.line);
}

// --- Encodings ----------------------------------------------------------------------------------
// They cannot be seen in an editor, so they get an answer of their own.

// Every other byte of ASCII text in UTF-16 is zero.
static bool looks_like_utf16(lg_str text)
{
    if (lg_str_starts(text, LG_STR("\xFF\xFE")) || lg_str_starts(text, LG_STR("\xFE\xFF"))) {
        return true;
    }
    if (text.len < 4 || text.len % 2 != 0) {
        return false;
    }
    const char *p = text.ptr;
    return (!p[0] && p[1] && !p[2] && p[3]) || (p[0] && !p[1] && p[2] && !p[3]);
}

const char *lg_parse_check_encoding(parser *ps, const char *at)
{
    lg_str text = {at, (size_t)(ps->end - at)};
    if (lg_str_starts(text, LG_STR("\xEF\xBB\xBF"))) {
        return lg_parse_fail(ps, LG_ERR_PARSE, at,
                             "the text begins with a byte order mark: save it without one");
    }
    if (looks_like_utf16(text)) {
        return lg_parse_fail(ps, LG_ERR_PARSE, at, "the text looks like UTF-16: save it as UTF-8");
    }
    return at;
}
