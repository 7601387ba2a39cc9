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

// Copies up to 15 bytes to `to`, which has room for 16; true if all of them are plain. Halves may overlap.
static inline bool copy_short(char *to, const char *from, size_t len)
{
    uint64_t words[2];
    uint32_t halves[2];
    if (len >= 8) {
        memcpy(&words[0], from, 8);
        memcpy(&words[1], from + len - 8, 8);
        memcpy(to, &words[0], 8);
        memcpy(to + len - 8, &words[1], 8);
        return !lg_scan_has_stop(words[0], words[1]);
    }
    if (len >= 4) {
        memcpy(&halves[0], from, 4);
        memcpy(&halves[1], from + len - 4, 4);
        memcpy(to, &halves[0], 4);
        memcpy(to + len - 4, &halves[1], 4);
        words[0] = (uint64_t)halves[1] << 32 | halves[0];
        return !lg_scan_has_stop(words[0], words[0]);
    }
    bool plain = true;
    for (size_t i = 0; i < len; i++) {
        to[i] = from[i];
        plain = plain && !lg_scan_is_stop((unsigned char)from[i]);
    }
    return plain;
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
    if (copy_short(to + at, from + at, len - at)) {
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

// Those that are a backslash and one letter, in which a text that is itself JSON is rich.
static inline bool has_short_escape(char c)
{
    return c == '"' || c == '\\' || c == '\n';
}

static inline char *put_short_escape(char *to, char c)
{
    to[0] = '\\';
    to[1] = c == '\n' ? 'n' : c;
    return to + 2;
}

// Copies and escapes 16 bytes of 32 that are there. Ends at a stop without a short escape; returns how many bytes it took,
// and where `to` ends. Behind each stop 16 bytes are copied, of which those before the next one count.
static inline size_t copy_escaped_block(char *to, const char *from, char **ret_to)
{
    size_t at = 0;
    memcpy(to, from, 16);
    for (unsigned stops = lg_scan_stops(from); stops; stops &= stops - 1) {
        size_t stop = (size_t)__builtin_ctz(stops);
        to += stop - at;
        if (!has_short_escape(from[stop])) {
            *ret_to = to;
            return stop;
        }
        to = put_short_escape(to, from[stop]);
        at = stop + 1;
        memcpy(to, from + at, 16);
    }
    *ret_to = to + (16 - at);
    return 16;
}

// The same for all of a text. There is room for twice as many bytes and 16 more.
static inline size_t copy_escaped(char *to, const char *from, size_t len, char **ret_to)
{
    size_t at = 0;
    size_t taken = 16;
    while (len - at >= 32 && taken == 16) {
        taken = copy_escaped_block(to, from + at, &to);
        at += taken;
    }
    while (at < len && taken == 16) {
        size_t plain = copy_plain(to, from + at, len - at);
        to += plain;
        at += plain;
        if (at < len && has_short_escape(from[at])) {
            to = put_short_escape(to, from[at++]);
        } else {
            taken = 0;
        }
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

void lg_json_add_escaped(lg_buf *out, lg_str s)
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
        lg_json_add_escaped(out, lg_str_slice(s, plain, s.len));
        lg_json_put(out, '"');
    }
}

// --- The pen ------------------------------------------------------------------------------------
// A value is thousands of appends of a few bytes. Where the next byte goes is kept beside the buffer while it is printed.

typedef struct pen {
    lg_buf *out;
    char *to;  // where the next byte goes
    char *end; // where the room ends
    style how;
} pen;

static inline void pen_up(pen *p)
{
    p->out->len += (size_t)(p->to - (p->out->ptr + p->out->len));
}

static inline void pen_down(pen *p)
{
    lg_buf *out = p->out;
    size_t cap = out->cap < out->limit_bytes ? out->cap : out->limit_bytes;
    p->to = out->ptr + out->len;
    p->end = out->status == LG_OK && out->len < cap ? out->ptr + cap : p->to;
}

// False where there may be no so many bytes, or no memory for them.
static bool pen_refill(pen *p, size_t size_bytes)
{
    lg_buf *out = p->out;
    pen_up(p);
    bool may = out->status == LG_OK && size_bytes <= out->limit_bytes - out->len;
    bool has = may && lg_buf_room(out, size_bytes);
    pen_down(p);
    return has;
}

static inline bool pen_room(pen *p, size_t size_bytes)
{
    return (size_t)(p->end - p->to) >= size_bytes || pen_refill(p, size_bytes);
}

static void pen_add(pen *p, lg_str text)
{
    pen_up(p);
    lg_buf_add(p->out, text);
    pen_down(p);
}

static inline void pen_put(pen *p, char byte)
{
    if (p->to < p->end) {
        *p->to++ = byte;
    } else {
        pen_add(p, (lg_str){&byte, 1});
    }
}

static void pen_any_str(pen *p, lg_str s)
{
    pen_up(p);
    lg_json_print_str(p->out, s);
    pen_down(p);
}

// Nearly all strings are short and plain.
static inline void pen_str(pen *p, lg_str s)
{
    if (pen_room(p, s.len + 18)) {
        size_t plain = copy_plain(p->to + 1, s.ptr, s.len);
        if (plain == s.len) {
            *p->to = '"';
            p->to += s.len + 2;
            p->to[-1] = '"';
            return;
        }
    }
    pen_any_str(p, s);
}

static void pen_int(pen *p, uint64_t magnitude, bool negative)
{
    if (magnitude < 10 && !negative) {
        pen_put(p, (char)('0' + magnitude));
        return;
    }
    pen_up(p);
    lg_json_print_integer(p->out, magnitude, negative);
    pen_down(p);
}

static void pen_double(pen *p, double value)
{
    pen_up(p);
    if (p->how == CANONICAL) {
        lg_json_print_ecma(p->out, value);
    } else {
        lg_json_print_double(p->out, value);
    }
    pen_down(p);
}

// --- Containers ---------------------------------------------------------------------------------

static void print_value(pen *p, const lg_json *value, uint32_t depth);

static inline void new_line(pen *p, uint32_t depth)
{
    if (p->how == PRETTY) {
        pen_put(p, '\n');
        pen_up(p);
        lg_buf_add_repeat(p->out, ' ', (size_t)depth * 2);
        pen_down(p);
    }
}

static void print_items(pen *p, const lg_json *array, uint32_t depth)
{
    pen_put(p, '[');
    for (size_t i = 0; i < array->len; i++) {
        if (i > 0) {
            pen_put(p, ',');
        }
        new_line(p, depth + 1);
        print_value(p, &array->as.items[i], depth + 1);
    }
    if (array->len > 0) {
        new_line(p, depth);
    }
    pen_put(p, ']');
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

static void print_members(pen *p, const lg_json *object, const uint32_t *order, uint32_t depth)
{
    pen_put(p, '{');
    for (size_t i = 0; i < object->len; i++) {
        const lg_json_member *m = lg_json_member_at(object, order ? order[i] : i);
        if (i > 0) {
            pen_put(p, ',');
        }
        new_line(p, depth + 1);
        pen_str(p, lg_json_key(m));
        pen_put(p, ':');
        if (p->how == PRETTY) {
            pen_put(p, ' ');
        }
        print_value(p, &m->value, depth + 1);
    }
    if (object->len > 0) {
        new_line(p, depth);
    }
    pen_put(p, '}');
}

static void print_sorted(pen *p, const lg_json *object, uint32_t depth)
{
    size_t count = object->len;
    uint32_t *order = lg_alloc(2 * count * sizeof(*order));
    if (!order) {
        pen_up(p);
        p->out->status = LG_ERR_OOM;
        pen_down(p);
        return;
    }
    lg_json_sort_members(object, order, order + count, cmp_utf16);
    print_members(p, object, order, depth);
    lg_free(order);
}

// Most objects are sorted already or small: the order then lies in this frame.
static void print_sorted_few(pen *p, const lg_json *object, uint32_t depth)
{
    uint32_t order[2 * LG_JSON_INDEX_MIN];
    size_t count = object->len;
    lg_json_sort_members(object, order, order + count, cmp_utf16);
    print_members(p, object, order, depth);
}

static void print_object(pen *p, const lg_json *object, uint32_t depth)
{
    if (p->how != CANONICAL || object->len < 2) {
        print_members(p, object, NULL, depth);
    } else if (object->len <= LG_JSON_INDEX_MIN) {
        print_sorted_few(p, object, depth);
    } else {
        print_sorted(p, object, depth);
    }
}

// --- Values -------------------------------------------------------------------------------------

static void fail_depth(pen *p)
{
    pen_up(p);
    p->out->status = p->out->status == LG_OK ? LG_ERR_LIMIT : p->out->status;
    pen_down(p);
}

static void print_value(pen *p, const lg_json *value, uint32_t depth)
{
    if (depth > LG_JSON_DEPTH_MAX || p->out->status != LG_OK) {
        fail_depth(p);
        return;
    }
    switch (lg_json_type_of(value)) {
    case LG_JSON_NULL:
        pen_add(p, LG_STR("null"));
        break;
    case LG_JSON_BOOL:
        pen_add(p, value->as.boolean ? LG_STR("true") : LG_STR("false"));
        break;
    case LG_JSON_INT:
        pen_int(p, value->as.i64 < 0 ? 0 - (uint64_t)value->as.i64 : (uint64_t)value->as.i64,
                value->as.i64 < 0);
        break;
    case LG_JSON_UINT:
        pen_int(p, value->as.u64, false);
        break;
    case LG_JSON_DOUBLE:
        pen_double(p, value->as.f64);
        break;
    case LG_JSON_BIGNUM:
        pen_add(p, (lg_str){value->as.text, value->len});
        break;
    case LG_JSON_STRING:
        pen_str(p, lg_json_str(value));
        break;
    case LG_JSON_ARRAY:
        print_items(p, value, depth);
        break;
    case LG_JSON_OBJECT:
        print_object(p, value, depth);
        break;
    }
}

static void print(lg_buf *out, const lg_json *value, style how)
{
    if (!out->ptr && !lg_buf_room(out, 1)) {
        return; // it has failed
    }
    pen p = {.out = out, .how = how};
    pen_down(&p);
    print_value(&p, value, 0);
    pen_up(&p);
}

void lg_json_print(lg_buf *out, const lg_json *value)
{
    print(out, value, COMPACT);
}

void lg_json_print_pretty(lg_buf *out, const lg_json *value)
{
    print(out, value, PRETTY);
}

void lg_json_print_canonical(lg_buf *out, const lg_json *value)
{
    print(out, value, CANONICAL);
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
