// text.c: text in a fixed room, and values as a reader of an error wants to see them.
//
// A message must fit 256 bytes whatever the instance holds, so everything that comes from outside
// is cut by itself first, and the whole once more at the end, never inside a code point.
#include "schema/schema_internal.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

fixed_text lg_text_in(char *room, size_t size_bytes)
{
    room[0] = '\0';
    return (fixed_text){.ptr = room, .cap = size_bytes};
}

static void add(fixed_text *out, lg_str s)
{
    size_t room = out->cap - 1 - out->len;
    size_t take = s.len <= room ? s.len : room;
    out->cut = out->cut || take < s.len;
    if (take) {
        memcpy(out->ptr + out->len, s.ptr, take);
    }
    out->len += take;
    out->ptr[out->len] = '\0';
}

void lg_text_addc(fixed_text *out, const char *text)
{
    add(out, lg_str_c(text));
}

void lg_text_addf(fixed_text *out, const char *format, ...)
{
    char part[512];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(part, sizeof(part), format, args);
    va_end(args);
    if (len > 0) {
        size_t got = (size_t)len < sizeof(part) ? (size_t)len : sizeof(part) - 1;
        out->cut = out->cut || got < (size_t)len;
        add(out, lg_str_of(part, got));
    }
}

// The longest prefix of at most `max_bytes` that ends between two code points.
static size_t whole_prefix(lg_str s, size_t max_bytes)
{
    if (s.len <= max_bytes) {
        return s.len;
    }
    size_t end = max_bytes;
    while (end > 0 && ((unsigned char)s.ptr[end] & 0xC0) == 0x80) {
        end--;
    }
    return end;
}

void lg_text_end(fixed_text *out)
{
    if (!out->cut || out->cap < 4) {
        return;
    }
    size_t end = whole_prefix(lg_str_of(out->ptr, out->len), out->cap - 4);
    memcpy(out->ptr + end, "...", 4);
    out->len = end + 3;
}

void lg_text_add_pointer_token(fixed_text *out, lg_str token)
{
    lg_text_addc(out, "/");
    for (size_t i = 0; i < token.len && !out->cut; i++) {
        if (token.ptr[i] == '~') {
            lg_text_addc(out, "~0");
        } else if (token.ptr[i] == '/') {
            lg_text_addc(out, "~1");
        } else {
            add(out, lg_str_of(token.ptr + i, 1));
        }
    }
}

void lg_text_add_cut(fixed_text *out, lg_str s, size_t max_bytes)
{
    size_t shown = whole_prefix(s, max_bytes);
    for (size_t i = 0; i < shown && !out->cut; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        add(out, c < 0x20 || c == 0x7F ? LG_STR("?") : lg_str_of(s.ptr + i, 1));
    }
    lg_text_addc(out, shown < s.len ? "..." : "");
}

void lg_text_add_quoted(fixed_text *out, lg_str s, size_t max_bytes)
{
    size_t shown = whole_prefix(s, max_bytes);
    lg_text_addc(out, "\"");
    for (size_t i = 0; i < shown && !out->cut; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c == '"' || c == '\\') {
            lg_text_addf(out, "\\%c", c);
        } else if (c < 0x20 || c == 0x7F) {
            lg_text_addf(out, "\\u%04x", c);
        } else {
            add(out, lg_str_of(s.ptr + i, 1));
        }
    }
    lg_text_addc(out, shown < s.len ? "...\"" : "\"");
}

static void add_number(fixed_text *out, const lg_json *number)
{
    if (lg_json_is(number, LG_JSON_BIGNUM)) {
        size_t shown = number->len <= 40 ? number->len : 40;
        add(out, lg_str_of(number->as.text, shown));
        lg_text_addc(out, shown < number->len ? "..." : "");
        return;
    }
    // A buffer whose ceiling is its size never touches the heap.
    char room[128];
    lg_buf digits;
    lg_buf_init_in(&digits, room, sizeof(room), sizeof(room));
    lg_json_print(&digits, number);
    add(out, lg_buf_str(&digits));
}

void lg_text_add_literal(fixed_text *out, const lg_json *value)
{
    switch (lg_json_type_of(value)) {
    case LG_JSON_NULL:
        lg_text_addc(out, "null");
        break;
    case LG_JSON_BOOL:
        lg_text_addc(out, value->as.boolean ? "true" : "false");
        break;
    case LG_JSON_INT:
    case LG_JSON_UINT:
    case LG_JSON_DOUBLE:
    case LG_JSON_BIGNUM:
        add_number(out, value);
        break;
    case LG_JSON_STRING:
        lg_text_add_quoted(out, lg_json_str(value), 60);
        break;
    case LG_JSON_ARRAY:
        lg_text_addf(out, value->len == 1 ? "an array of %u item" : "an array of %u items",
                     (unsigned)value->len);
        break;
    case LG_JSON_OBJECT:
        lg_text_addf(out, value->len == 1 ? "an object of %u member" : "an object of %u members",
                     (unsigned)value->len);
        break;
    }
}

void lg_text_add_value(fixed_text *out, const lg_json *value)
{
    if (lg_json_is(value, LG_JSON_STRING)) {
        lg_text_addc(out, "the string ");
    } else if (lg_json_is_number(value)) {
        lg_text_addc(out, "the number ");
    }
    lg_text_add_literal(out, value);
}

void lg_text_add_types(fixed_text *out, uint32_t types)
{
    static const struct {
        uint32_t bit;
        const char *text;
    } names[] = {
        {TYPE_STRING, "a string"},   {TYPE_NUMBER, "a number"}, {TYPE_INTEGER, "an integer"},
        {TYPE_BOOLEAN, "a boolean"}, {TYPE_ARRAY, "an array"},  {TYPE_OBJECT, "an object"},
        {TYPE_NULL, "null"},
    };
    // Every integer is a number: naming both would only be noise.
    types = types & TYPE_NUMBER ? types & ~(uint32_t)TYPE_INTEGER : types;
    uint32_t left = types;
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        if (types & names[i].bit) {
            left &= ~names[i].bit;
            bool first = (types & ~left) == names[i].bit;
            lg_text_addc(out, first ? "" : left ? ", " : " or ");
            lg_text_addc(out, names[i].text);
        }
    }
}

void lg_place_print(fixed_text *out, const place *where)
{
    // Root first: the list is walked once to reverse it into a bounded stack of tokens. What is
    // nested deeper is cut in the middle, which "..." says.
    enum { SHOWN = 64 };
    lg_str tokens[SHOWN];
    size_t count = 0;
    for (; where && where->parent; where = where->parent) {
        tokens[count % SHOWN] = where->token;
        count++;
    }
    if (where && where->token.len) {
        add(out, where->token);
        lg_text_addc(out, "#");
    }
    size_t shown = count < SHOWN ? count : SHOWN;
    lg_text_addc(out, count > SHOWN ? "/..." : "");
    // The ring holds the outermost tokens when it overflowed: those written last.
    for (size_t i = 0; i < shown; i++) {
        lg_text_add_pointer_token(out, tokens[(count - 1 - i) % SHOWN]);
    }
    lg_text_end(out);
}
