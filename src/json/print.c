// print.c: values to text: compact, for people, and canonical (RFC 8785).
//
// One recursive walk serves all three; a style says what differs. Depth is bounded by
// LG_JSON_DEPTH_MAX.
#include "json/json_internal.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "json/scan.h"

typedef enum style {
    COMPACT,
    PRETTY,
    CANONICAL,
} style;

// --- Strings ------------------------------------------------------------------------------------

static void print_control(lg_buf *out, unsigned char c)
{
    static const char letters[] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    static const char hex[] = "0123456789abcdef";
    if (c < sizeof(letters) && letters[c]) {
        char text[] = {'\\', letters[c]};
        lg_buf_add(out, (lg_str){text, sizeof(text)});
    } else {
        char text[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
        lg_buf_add(out, (lg_str){text, sizeof(text)});
    }
}

// Copies 4 to 15 bytes to `to` as two halves that may overlap; true if all of them are plain.
static inline bool copy_short(char *to, const char *from, size_t len)
{
    uint64_t words[2] = {0, 0};
    uint32_t halves[2];
    if (len >= 8) {
        memcpy(&words[0], from, 8);
        memcpy(&words[1], from + len - 8, 8);
        memcpy(to, &words[0], 8);
        memcpy(to + len - 8, &words[1], 8);
        return (lg_scan_stop_bytes(words[0]) | lg_scan_stop_bytes(words[1])) == 0;
    }
    memcpy(&halves[0], from, 4);
    memcpy(&halves[1], from + len - 4, 4);
    memcpy(to, &halves[0], 4);
    memcpy(to + len - 4, &halves[1], 4);
    return lg_scan_stop_bytes((uint64_t)halves[1] << 32 | halves[0]) == 0;
}

// Copies up to the first byte that needs an escape or is no ASCII; returns how many were copied.
// There is room for all of them, and what lies behind may be written over.
static inline size_t copy_plain(char *to, const char *from, size_t len)
{
    size_t at = 0;
    for (; len - at >= 16; at += 16) {
        memcpy(to + at, from + at, 16); // before anyone knows how many of them count
        unsigned stops = lg_scan_stops(from + at);
        if (stops) {
            return at + (size_t)__builtin_ctz(stops);
        }
    }
    if (len - at >= 4 && copy_short(to + at, from + at, len - at)) {
        return len;
    }
    for (; at < len && !lg_scan_is_stop((unsigned char)from[at]); at++) {
        to[at] = from[at];
    }
    return at;
}

static void print_stop(lg_buf *out, unsigned char c)
{
    if (c >= 0x80) {
        lg_buf_add(out, LG_STR("\xEF\xBF\xBD")); // U+FFFD for a byte that is not UTF-8
    } else if (c < 0x20) {
        print_control(out, c);
    } else {
        lg_json_put(out, '\\');
        lg_json_put(out, (char)c);
    }
}

// So many bytes of a string are escaped at a time, into room for twice as many.
#define ESCAPE_BYTES ((size_t)512)

// Copies with a backslash before each quote, backslash and line feed, which are what a text that is itself JSON is full
// of. Ends at any other stop; returns how many bytes of `from` it took, and where `to` ends. There is room for twice
// as many and 16 more.
static inline size_t copy_escaped(char *to, const char *from, size_t len, char **ret_to)
{
    size_t at = 0;
    while (at < len) {
        size_t plain = copy_plain(to, from + at, len - at);
        to += plain;
        at += plain;
        if (at == len) {
            break;
        }
        char stop = from[at];
        if (stop != '"' && stop != '\\' && stop != '\n') {
            break;
        }
        *to++ = '\\';
        *to++ = stop == '\n' ? 'n' : stop;
        at++;
    }
    *ret_to = to;
    return at;
}

// Bytes of `s` that were printed: 0 if there is no room for the worst, or if another stop comes first.
static size_t print_escaped(lg_buf *out, lg_str s)
{
    size_t len = s.len < ESCAPE_BYTES ? s.len : ESCAPE_BYTES;
    size_t room_bytes = 2 * len + 16;
    bool fits = out->status == LG_OK && out->len <= out->limit_bytes &&
                room_bytes <= out->limit_bytes - out->len;
    char *room = fits ? lg_json_room(out, room_bytes) : NULL;
    if (!room) {
        return 0;
    }
    char *end;
    size_t taken = copy_escaped(room, s.ptr, len, &end);
    out->len += (size_t)(end - room);
    return taken;
}

// What copy_plain left of a string, and the closing quote.
static void print_rest(lg_buf *out, lg_str s)
{
    const char *at = s.ptr;
    const char *end = s.ptr + s.len;
    while (at < end) {
        at += print_escaped(out, (lg_str){at, (size_t)(end - at)});
        const char *stop = lg_scan_string(at, end); // past valid UTF-8
        lg_buf_add(out, (lg_str){at, (size_t)(stop - at)});
        at = stop;
        if (at < end) {
            print_stop(out, (unsigned char)*at++);
        }
    }
    lg_json_put(out, '"');
}

void lg_json_print_str(lg_buf *out, lg_str s)
{
    char *to = lg_json_room(out, s.len + 2);
    if (!to) {
        return;
    }
    *to = '"';
    size_t plain = copy_plain(to + 1, s.ptr, s.len);
    out->len += plain + 1;
    if (plain == s.len) {
        to[plain + 1] = '"';
        out->len++;
    } else {
        print_rest(out, (lg_str){s.ptr + plain, s.len - plain});
    }
}

// --- Containers ---------------------------------------------------------------------------------

static void print_value(lg_buf *out, const lg_json *value, style how, uint32_t depth);

static void new_line(lg_buf *out, style how, uint32_t depth)
{
    if (how == PRETTY) {
        lg_json_put(out, '\n');
        lg_buf_add_repeat(out, ' ', (size_t)depth * 2);
    }
}

static void print_items(lg_buf *out, const lg_json *array, style how, uint32_t depth)
{
    lg_json_put(out, '[');
    for (size_t i = 0; i < array->len; i++) {
        if (i > 0) {
            lg_json_put(out, ',');
        }
        new_line(out, how, depth + 1);
        print_value(out, &array->as.items[i], how, depth + 1);
    }
    if (array->len > 0) {
        new_line(out, how, depth);
    }
    lg_json_put(out, ']');
}

// RFC 8785 section 3.2.3: UTF-16 code units. UTF-8 bytes have the same order, except that code
// points beyond U+FFFF (lead byte F0 and up), being surrogates in UTF-16, go before U+E000 (lead
// byte EE). Where two valid keys first differ, both bytes are lead bytes or neither is.
static int cmp_utf16(lg_str a, lg_str b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    for (size_t i = 0; i < common; i++) {
        unsigned char x = (unsigned char)a.ptr[i];
        unsigned char y = (unsigned char)b.ptr[i];
        if (x != y) {
            bool x_pair = x >= 0xF0;
            bool y_pair = y >= 0xF0;
            if (x_pair != y_pair && x >= 0xEE && y >= 0xEE) {
                return x_pair ? -1 : 1;
            }
            return x < y ? -1 : 1;
        }
    }
    return a.len == b.len ? 0 : a.len < b.len ? -1 : 1;
}

static void print_members(lg_buf *out, const lg_json *object, const uint32_t *order, style how,
                          uint32_t depth)
{
    lg_json_put(out, '{');
    for (size_t i = 0; i < object->len; i++) {
        const lg_json_member *m = lg_json_member_at(object, order ? order[i] : i);
        if (i > 0) {
            lg_json_put(out, ',');
        }
        new_line(out, how, depth + 1);
        lg_json_print_str(out, lg_json_key(m));
        lg_json_put(out, ':');
        if (how == PRETTY) {
            lg_json_put(out, ' ');
        }
        print_value(out, &m->value, how, depth + 1);
    }
    if (object->len > 0) {
        new_line(out, how, depth);
    }
    lg_json_put(out, '}');
}

static void print_sorted(lg_buf *out, const lg_json *object, uint32_t depth)
{
    size_t count = object->len;
    uint32_t *order = lg_alloc(2 * count * sizeof(*order));
    if (!order) {
        out->status = LG_ERR_OOM;
        return;
    }
    lg_json_sort_members(object, order, order + count, cmp_utf16);
    print_members(out, object, order, CANONICAL, depth);
    lg_free(order);
}

// Most objects are sorted already or small: the order then lies in this frame.
static void print_sorted_few(lg_buf *out, const lg_json *object, uint32_t depth)
{
    uint32_t order[2 * LG_JSON_INDEX_MIN];
    size_t count = object->len;
    lg_json_sort_members(object, order, order + count, cmp_utf16);
    print_members(out, object, order, CANONICAL, depth);
}

static void print_object(lg_buf *out, const lg_json *object, style how, uint32_t depth)
{
    if (how != CANONICAL || object->len < 2) {
        print_members(out, object, NULL, how, depth);
    } else if (object->len <= LG_JSON_INDEX_MIN) {
        print_sorted_few(out, object, depth);
    } else {
        print_sorted(out, object, depth);
    }
}

// --- Values -------------------------------------------------------------------------------------

static void print_value(lg_buf *out, const lg_json *value, style how, uint32_t depth)
{
    if (depth > LG_JSON_DEPTH_MAX || out->status != LG_OK) {
        out->status = out->status == LG_OK ? LG_ERR_LIMIT : out->status;
        return;
    }
    switch (lg_json_type_of(value)) {
    case LG_JSON_NULL:
        lg_buf_add(out, LG_STR("null"));
        break;
    case LG_JSON_BOOL:
        lg_buf_add(out, value->as.boolean ? LG_STR("true") : LG_STR("false"));
        break;
    case LG_JSON_INT:
        lg_json_print_int(out, value->as.i64);
        break;
    case LG_JSON_UINT:
        lg_json_print_integer(out, value->as.u64, false);
        break;
    case LG_JSON_DOUBLE:
        if (how == CANONICAL) {
            lg_json_print_ecma(out, value->as.f64);
        } else {
            lg_json_print_double(out, value->as.f64);
        }
        break;
    case LG_JSON_BIGNUM:
        lg_buf_add(out, (lg_str){value->as.text, value->len});
        break;
    case LG_JSON_STRING:
        lg_json_print_str(out, lg_json_str(value));
        break;
    case LG_JSON_ARRAY:
        print_items(out, value, how, depth);
        break;
    case LG_JSON_OBJECT:
        print_object(out, value, how, depth);
        break;
    }
}

void lg_json_print(lg_buf *out, const lg_json *value)
{
    print_value(out, value, COMPACT, 0);
}

void lg_json_print_pretty(lg_buf *out, const lg_json *value)
{
    print_value(out, value, PRETTY, 0);
}

void lg_json_print_canonical(lg_buf *out, const lg_json *value)
{
    print_value(out, value, CANONICAL, 0);
}

lg_status lg_json_hash(const lg_json *value, char out[65])
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_print_canonical(&text, value);
    lg_status status = lg_buf_status(&text);
    if (status == LG_OK) {
        lg_sha256_hex(lg_buf_str(&text), out);
    }
    lg_buf_done(&text);
    return status;
}
