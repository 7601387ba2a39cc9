// parse.c: text to values, in one pass and without recursion.
//
// The parser pushes finished values on a stack of 16-byte slots. An open container is a slot too: it
// holds the index of the container around it, and its children pile up above it. When it closes,
// they are copied to the arena in one piece, and the slot becomes the container's value. So every
// container is allocated once, at its exact size, and depth costs one slot a level.
//
// Positions are byte offsets; lines and columns are counted only when there is an error to report.
#include "json/json_internal.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "json/scan.h"

#include <stdarg.h>
#include <stdio.h>

// A key and its value are two slots side by side, laid out like one lg_json_member.
typedef union slot {
    lg_json value;
    struct {
        const char *text;
        uint32_t len;
        uint32_t offset;
    } key;
    uint32_t scratch[4]; // what the sort of a large object borrows
} slot;
_Static_assert(sizeof(slot) == 16, "children are copied to the arena as they lie");

enum {
    LOCAL_SLOTS = 512, // enough for most messages: the heap is not touched
    ROOT = 0,          // slot of the whole value
};

typedef struct parser {
    const char *text;  // offsets count from here
    const char *begin; // first byte to parse
    const char *end;
    lg_arena *arena;
    lg_limits limits;
    slot *slots;
    size_t top; // slots in use
    size_t capacity;
    size_t open; // innermost open container
    uint32_t depth;
    lg_status status;
    lg_error *reterr;
    slot local[LOCAL_SLOTS];
} parser;

// --- Errors -------------------------------------------------------------------------------------
// All return NULL, which ends the parse.

static uint32_t offset_of(const parser *ps, const char *at)
{
    return (uint32_t)(at - ps->text);
}

LG_PRINTF(4, 5)
static const char *fail(parser *ps, lg_status status, const char *at, const char *format, ...)
{
    char msg[sizeof(ps->reterr->msg)];
    va_list args;
    va_start(args, format);
    vsnprintf(msg, sizeof(msg), format, args);
    va_end(args);
    lg_str text = {ps->text, (size_t)(ps->end - ps->text)};
    lg_position position = lg_text_position(text, offset_of(ps, at));
    ps->status = lg_fail_at(ps->reterr, status, position, "%s", msg);
    return NULL;
}

// Memory ran out: was it the budget or the machine?
static const char *fail_memory(parser *ps, const char *at, size_t held_bytes, size_t size_bytes)
{
    size_t budget = ps->limits.memory_bytes;
    if (ps->arena->limit_bytes && ps->arena->limit_bytes < budget) {
        budget = ps->arena->limit_bytes;
    }
    enum { CHUNK_OVERHEAD = 64 };
    if (held_bytes + size_bytes + CHUNK_OVERHEAD > budget) {
        return fail(ps, LG_ERR_LIMIT, at, "more memory needed than the limit of %zu bytes", budget);
    }
    ps->status = lg_fail_oom(ps->reterr);
    return NULL;
}

typedef struct found_text {
    char text[64];
} found_text;

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What stands at `at`, in words for an error message.
static found_text found(const parser *ps, const char *at)
{
    found_text f;
    size_t left = (size_t)(ps->end - at);
    unsigned char c = left ? (unsigned char)*at : 0;
    size_t len = left ? 1 : 0;
    if (c >= 0x80) {
        lg_str ahead = {at, left < 4 ? left : 4};
        size_t valid = lg_utf8_valid_prefix(ahead);
        for (len = valid > 0; len > 0 && len < valid && ((unsigned char)at[len] & 0xC0) == 0x80;) {
            len++;
        }
    } else if (left && is_word_byte(*at)) {
        while (len < left && len < 16 && is_word_byte(at[len])) {
            len++;
        }
    }
    if (left == 0) {
        snprintf(f.text, sizeof(f.text), "the end of the text");
    } else if (len == 0 || c == 0x7F || (c < 0x20 && c != '\n')) {
        snprintf(f.text, sizeof(f.text), "the byte 0x%02X", c);
    } else if (c == '\n') {
        snprintf(f.text, sizeof(f.text), "the end of the line");
    } else {
        snprintf(f.text, sizeof(f.text), "`%.*s`", (int)len, at);
    }
    return f;
}

static const char *expected(parser *ps, const char *at, const char *what)
{
    return fail(ps, LG_ERR_PARSE, at, "expected %s, found %s", what, found(ps, at).text);
}

// --- Slots --------------------------------------------------------------------------------------

static bool grow_slots(parser *ps, const char *at)
{
    size_t size_bytes = ps->capacity * 2 * sizeof(slot);
    if (ps->arena->held_bytes + size_bytes > ps->limits.memory_bytes) {
        fail_memory(ps, at, ps->arena->held_bytes, size_bytes);
        return false;
    }
    slot *old = ps->slots == ps->local ? NULL : ps->slots;
    slot *grown = lg_realloc(old, size_bytes);
    if (!grown) {
        fail_memory(ps, at, 0, 0);
        return false;
    }
    if (!old) {
        memcpy(grown, ps->local, ps->top * sizeof(slot));
    }
    ps->slots = grown;
    ps->capacity *= 2;
    return true;
}

// A fresh slot, or NULL after an error.
static inline slot *push(parser *ps, const char *at)
{
    if (ps->top == ps->capacity && !grow_slots(ps, at)) {
        return NULL;
    }
    return &ps->slots[ps->top++];
}

static inline lg_json head_of(lg_json_type type, size_t len, uint32_t offset)
{
    return (lg_json){.type = (uint32_t)type & 15, .len = len & LG_JSON_LEN_MAX, .offset = offset};
}

// --- Strings ------------------------------------------------------------------------------------

typedef struct string_span {
    const char *ptr;
    size_t len;
} string_span;

static const char *bad_string_byte(parser *ps, const char *open, const char *at)
{
    if (at >= ps->end) {
        return fail(ps, LG_ERR_PARSE, open, "this string is not closed: expected `\"` before %s",
                    "the end of the text");
    }
    unsigned char c = (unsigned char)*at;
    if (c == '\n' || c == '\r') {
        return fail(ps, LG_ERR_PARSE, at,
                    "line break inside a string: close it with `\"`, or write `\\%c`",
                    c == '\n' ? 'n' : 'r');
    }
    if (c < 0x20) {
        return fail(ps, LG_ERR_PARSE, at,
                    "control character 0x%02X inside a string: write `\\u%04X`", c, c);
    }
    return fail(ps, LG_ERR_PARSE, at, "byte 0x%02X inside a string is not valid UTF-8", c);
}

static const char *string_too_long(parser *ps, const char *open)
{
    return fail(ps, LG_ERR_LIMIT, open, "string longer than the limit of %zu bytes",
                ps->limits.json_string_bytes);
}

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

// Decodes the `\u` escape at `at` (its backslash), both halves of a surrogate pair if it is one.
static const char *unicode_escape(parser *ps, const char *at, char **out)
{
    int32_t unit = hex4(at + 2, ps->end);
    if (unit < 0) {
        return fail(ps, LG_ERR_PARSE, at, "expected four hexadecimal digits after `\\u`");
    }
    uint32_t code = (uint32_t)unit;
    const char *next = at + 6;
    if (code >= 0xD800 && code <= 0xDBFF) {
        bool pair = ps->end - next >= 6 && next[0] == '\\' && next[1] == 'u';
        int32_t low = pair ? hex4(next + 2, ps->end) : -1;
        if (low < 0xDC00 || low > 0xDFFF) {
            return fail(ps, LG_ERR_PARSE, at,
                        "lone surrogate `\\u%04X`: expected a low surrogate (`\\uDC00` to "
                        "`\\uDFFF`) after it",
                        code);
        }
        code = 0x10000 + ((code - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
        next += 6;
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
        return fail(ps, LG_ERR_PARSE, at,
                    "lone surrogate `\\u%04X`: a low surrogate needs a high one before it", code);
    }
    *out += lg_utf8_put(*out, code);
    return next;
}

static const char *one_escape(parser *ps, const char *at, char **out)
{
    char c = ps->end - at > 1 ? at[1] : '\0';
    switch (c) {
    case '"':
    case '\\':
    case '/':
        break;
    case 'b':
        c = '\b';
        break;
    case 'f':
        c = '\f';
        break;
    case 'n':
        c = '\n';
        break;
    case 'r':
        c = '\r';
        break;
    case 't':
        c = '\t';
        break;
    case 'u':
        return unicode_escape(ps, at, out);
    default:
        return fail(ps, LG_ERR_PARSE, at,
                    "unknown escape: expected one of `\"\\/bfnrtu` after `\\`, found %s",
                    found(ps, at + 1 < ps->end ? at + 1 : ps->end).text);
    }
    *(*out)++ = c;
    return at + 2;
}

// The closing quote of a string with escapes, or the end of the text. Nothing is checked yet.
static const char *find_close(const parser *ps, const char *at)
{
    while (at < ps->end && *at != '"') {
        if (*at == '\\') {
            at += ps->end - at > 1 ? 2 : 1;
        } else {
            at = lg_scan_quote(at + 1, ps->end);
        }
    }
    return at;
}

// The rest of a string from its first escape at `at`. Decoded text is never longer than its source,
// so one allocation of the raw length does.
static const char *escaped_string(parser *ps, const char *open, const char *at, string_span *span)
{
    size_t raw = (size_t)(find_close(ps, at) - open);
    char *decoded = lg_arena_alloc(ps->arena, raw, 1);
    if (!decoded) {
        return fail_memory(ps, open, ps->arena->held_bytes, raw);
    }
    char *out = decoded;
    const char *from = open + 1;
    for (;;) {
        memcpy(out, from, (size_t)(at - from));
        out += at - from;
        if (at < ps->end && *at == '"') {
            break;
        }
        if (at >= ps->end || *at != '\\') {
            return bad_string_byte(ps, open, at);
        }
        from = one_escape(ps, at, &out);
        if (!from) {
            return NULL;
        }
        at = lg_scan_string(from, ps->end);
    }
    *span = (string_span){decoded, (size_t)(out - decoded)};
    return at + 1;
}

// The string whose opening quote is at `open`. Returns what follows its closing quote.
static inline const char *parse_string(parser *ps, const char *open, string_span *span)
{
    const char *at = lg_scan_string(open + 1, ps->end);
    if (at < ps->end && *at == '"') {
        *span = (string_span){open + 1, (size_t)(at - open - 1)};
        at++;
    } else if (at < ps->end && *at == '\\') {
        at = escaped_string(ps, open, at, span);
    } else {
        at = bad_string_byte(ps, open, at);
    }
    if (at && span->len > ps->limits.json_string_bytes) {
        return string_too_long(ps, open);
    }
    return at;
}

// --- Numbers ------------------------------------------------------------------------------------

static inline bool is_digit_at(const char *at, const char *end)
{
    return at < end && (unsigned char)(*at - '0') <= 9;
}

// A number in pieces, as the scanner saw them.
typedef struct number {
    const char *begin;
    const char *end;
    uint64_t mantissa; // wraps if there are more than 19 digits
    uint32_t digits;   // of the mantissa, without leading zeros; saturates
    int64_t exponent;  // of the mantissa; saturates at EXPONENT_MAX and a little
    bool negative;
    bool integer; // written without fraction and exponent
} number;

static inline const char *scan_digits(const char *at, const char *end, uint64_t *mantissa)
{
    uint64_t m = *mantissa;
    while (is_digit_at(at, end)) {
        m = m * 10 + (uint64_t)(*at - '0');
        at++;
    }
    *mantissa = m;
    return at;
}

static const char *scan_exponent(parser *ps, const char *at, number *n)
{
    const char *sign = at + 1;
    bool negative = sign < ps->end && *sign == '-';
    const char *first = sign + (negative || (sign < ps->end && *sign == '+'));
    if (!is_digit_at(first, ps->end)) {
        return expected(ps, first, "a digit in the exponent");
    }
    int64_t exponent = 0;
    for (at = first; is_digit_at(at, ps->end); at++) {
        exponent = exponent > EXPONENT_MAX ? exponent : exponent * 10 + (*at - '0');
    }
    n->exponent += negative ? -exponent : exponent;
    return at;
}

// Significant digits between `from` and `to`, for which leading zeros and the point do not count.
static uint32_t count_digits(const char *from, const char *to)
{
    while (from < to && (*from == '0' || *from == '.')) {
        from++;
    }
    const char *point = memchr(from, '.', (size_t)(to - from));
    return (uint32_t)(to - from) - (point ? 1 : 0);
}

// Reads `.5e3` behind the integer part that ends at `at`.
static const char *scan_fraction(parser *ps, const char *first, const char *at, number *n)
{
    n->integer = false;
    if (*at == '.') {
        const char *fraction = at + 1;
        if (!is_digit_at(fraction, ps->end)) {
            return expected(ps, fraction, "a digit after the decimal point");
        }
        at = scan_digits(fraction, ps->end, &n->mantissa);
        n->exponent = -(at - fraction);
    }
    n->digits = count_digits(first, at);
    if (at < ps->end && (*at | 0x20) == 'e') {
        return scan_exponent(ps, at, n);
    }
    return at;
}

static inline const char *scan_number(parser *ps, const char *at, number *n)
{
    *n = (number){.begin = at, .negative = *at == '-', .integer = true};
    const char *first = at + n->negative;
    if (!is_digit_at(first, ps->end)) {
        return expected(ps, first, "a digit after `-`");
    }
    at = scan_digits(first, ps->end, &n->mantissa);
    n->digits = (uint32_t)(at - first);
    if (*first == '0' && at - first > 1) {
        return fail(ps, LG_ERR_PARSE, n->begin, "a number may not begin with a needless `0`");
    }
    if (at < ps->end && (*at == '.' || (*at | 0x20) == 'e')) {
        at = scan_fraction(ps, first, at, n);
    }
    n->end = at;
    return at;
}

// Whether the 20 digits of an integer fit 64 bits, and their value then.
static bool fits_u64(const char *first, uint64_t *ret)
{
    uint64_t head = 0;
    for (int i = 0; i < 19; i++) {
        head = head * 10 + (uint64_t)(first[i] - '0');
    }
    uint64_t last = (uint64_t)(first[19] - '0');
    *ret = head * 10 + last;
    return head < UINT64_MAX / 10 || (head == UINT64_MAX / 10 && last <= UINT64_MAX % 10);
}

static const char *make_bignum(parser *ps, const number *n, lg_json *value)
{
    size_t len = (size_t)(n->end - n->begin);
    if (len > ps->limits.json_string_bytes) {
        return fail(ps, LG_ERR_LIMIT, n->begin, "number longer than the limit of %zu bytes",
                    ps->limits.json_string_bytes);
    }
    if (n->exponent > EXPONENT_MAX) {
        return fail(ps, LG_ERR_LIMIT, n->begin, "exponent of a number beyond the limit of 10^18");
    }
    *value = head_of(LG_JSON_BIGNUM, len, offset_of(ps, n->begin));
    value->as.text = n->begin;
    return n->end;
}

static const char *make_integer(parser *ps, const number *n, lg_json *value)
{
    uint64_t magnitude = n->mantissa;
    bool fits = n->digits <= 19 || (n->digits == 20 && fits_u64(n->begin + n->negative, &magnitude));
    uint64_t most = n->negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX;
    if (!fits || magnitude > most) {
        return make_bignum(ps, n, value);
    }
    uint32_t offset = offset_of(ps, n->begin);
    if (n->negative && magnitude == 0) {
        *value = head_of(LG_JSON_DOUBLE, 0, offset);
        value->as.f64 = -0.0;
    } else if (n->negative) {
        *value = head_of(LG_JSON_INT, 0, offset);
        value->as.i64 = -(int64_t)(magnitude - 1) - 1;
    } else {
        *value = head_of(magnitude > INT64_MAX ? LG_JSON_UINT : LG_JSON_INT, 0, offset);
        value->as.u64 = magnitude;
    }
    return n->end;
}

static const char *make_double(parser *ps, const number *n, lg_json *value)
{
    double d;
    if (n->digits <= 19 && lg_json_clinger(n->mantissa, n->exponent, &d)) {
        d = n->negative ? -d : d;
    } else if (!lg_json_text_to_double((lg_str){n->begin, (size_t)(n->end - n->begin)}, &d)) {
        return make_bignum(ps, n, value);
    }
    *value = head_of(LG_JSON_DOUBLE, 0, offset_of(ps, n->begin));
    value->as.f64 = d;
    return n->end;
}

static const char *parse_number(parser *ps, const char *at, lg_json *value)
{
    number n;
    if (!scan_number(ps, at, &n)) {
        return NULL;
    }
    return n.integer ? make_integer(ps, &n, value) : make_double(ps, &n, value);
}

// --- Words --------------------------------------------------------------------------------------

// What people and programs write where JSON wants something else.
static const char *bad_value(parser *ps, const char *at)
{
    static const struct {
        const char *seen;
        const char *advice;
    } habits[] = {
        {"True", "write `true`"},
        {"False", "write `false`"},
        {"None", "write `null`"},
        {"undefined", "write `null`"},
        {"NaN", "JSON has no such number"},
        {"Infinity", "JSON has no such number"},
        {"'", "strings need double quotes"},
        {"/", "JSON has no comments"},
        {"#", "JSON has no comments"},
        {"+", "a number has no `+` before it"},
        {".", "write a `0` before the point"},
        {"]", "remove the comma before it, or write the missing value"},
        {"}", "remove the comma before it, or write the missing value"},
    };
    lg_str ahead = {at, (size_t)(ps->end - at)};
    for (size_t i = 0; i < LG_COUNT(habits); i++) {
        if (lg_str_starts(ahead, lg_str_c(habits[i].seen))) {
            return fail(ps, LG_ERR_PARSE, at, "expected a value, found %s: %s", found(ps, at).text,
                        habits[i].advice);
        }
    }
    return expected(ps, at, "a value");
}

static inline const char *parse_word(parser *ps, const char *at, const char *word, size_t len)
{
    if ((size_t)(ps->end - at) < len || memcmp(at, word, len) != 0) {
        return bad_value(ps, at);
    }
    return at + len;
}

// --- Containers ---------------------------------------------------------------------------------

static const char *open_container(parser *ps, const char *at, lg_json_type type)
{
    if (ps->depth >= ps->limits.json_depth) {
        return fail(ps, LG_ERR_LIMIT, at, "nested deeper than the limit of %u levels",
                    ps->limits.json_depth);
    }
    slot *s = push(ps, at);
    if (!s) {
        return NULL;
    }
    s->value = head_of(type, 0, offset_of(ps, at));
    s->value.as.u64 = ps->open;
    ps->open = ps->top - 1;
    ps->depth++;
    return at + 1;
}

static const char *duplicate_key(parser *ps, const lg_json_member *first,
                                 const lg_json_member *second)
{
    lg_str text = {ps->text, (size_t)(ps->end - ps->text)};
    lg_position at = lg_text_position(text, first->key_offset);
    lg_str key = lg_json_key(second);
    return fail(ps, LG_ERR_PARSE, ps->text + second->key_offset,
                "duplicate key `%.*s`%s, first at line %u", key.len > 80 ? 80 : (int)key.len,
                key.ptr, key.len > 80 ? "..." : "", at.line);
}

// Six bits that keys of one object seldom share.
static inline uint32_t fingerprint(const lg_json_member *m)
{
    uint32_t len = m->key_len;
    if (len == 0) {
        return 0;
    }
    uint32_t mix = len + ((uint32_t)(unsigned char)m->key[0] << 8) +
                   ((uint32_t)(unsigned char)m->key[len - 1] << 16) +
                   ((uint32_t)(unsigned char)m->key[len / 2] << 24);
    return (mix * 0x9E3779B1u) >> 26;
}

// Few members: each key whose fingerprint was seen before is compared with those before it.
static bool check_few(parser *ps, const lg_json_member *members, size_t count)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bit = (uint64_t)1 << fingerprint(&members[i]);
        for (size_t j = 0; (seen & bit) && j < i; j++) {
            if (lg_str_eq(lg_json_key(&members[i]), lg_json_key(&members[j]))) {
                duplicate_key(ps, &members[j], &members[i]);
                return false;
            }
        }
        seen |= bit;
    }
    return true;
}

// Many members: equal keys are neighbours in the index.
static bool check_many(parser *ps, const lg_json_member *members, size_t count)
{
    const uint32_t *index = lg_json_index_of(members, count);
    for (size_t i = 1; i < count; i++) {
        const lg_json_member *a = &members[index[i - 1]];
        const lg_json_member *b = &members[index[i]];
        if (lg_str_eq(lg_json_key(a), lg_json_key(b))) {
            bool ordered = a->key_offset < b->key_offset;
            duplicate_key(ps, ordered ? a : b, ordered ? b : a);
            return false;
        }
    }
    return true;
}

static bool finish_members(parser *ps, lg_json_member *members, size_t count)
{
    if (count <= LG_JSON_INDEX_MIN) {
        return check_few(ps, members, count);
    }
    // The slots were copied already, so there is room for the sort.
    lg_json_build_index(members, count, ps->slots[ps->open + 1].scratch);
    return check_many(ps, members, count);
}

static const char *close_container(parser *ps, const char *at)
{
    slot *s = &ps->slots[ps->open];
    bool object = s->value.type == LG_JSON_OBJECT;
    size_t slots = ps->top - ps->open - 1;
    size_t count = object ? slots / 2 : slots;
    size_t size_bytes = slots * sizeof(slot);
    size_t index_bytes = object && count > LG_JSON_INDEX_MIN ? count * sizeof(uint32_t) : 0;
    if (count > LG_JSON_LEN_MAX) {
        return fail(ps, LG_ERR_LIMIT, at, "more than the limit of %u elements", LG_JSON_LEN_MAX);
    }
    size_t parent = s->value.as.u64;
    s->value.as.items = NULL;
    if (count) {
        void *children = lg_arena_alloc(ps->arena, size_bytes + index_bytes, _Alignof(slot));
        if (!children) {
            return fail_memory(ps, at, ps->arena->held_bytes, size_bytes + index_bytes);
        }
        memcpy(children, s + 1, size_bytes);
        s->value.as.items = children;
        if (object && !finish_members(ps, children, count)) {
            return NULL;
        }
    }
    s->value.len = count & LG_JSON_LEN_MAX;
    ps->top = ps->open + 1;
    ps->open = parent;
    ps->depth--;
    return at + 1;
}

// --- The loop -----------------------------------------------------------------------------------

static inline const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) {
        at++;
    }
    return at;
}

// The byte at `at`, or NUL at the end: neither may stand outside of a string.
static inline char peek(const char *at, const char *end)
{
    return at < end ? *at : '\0';
}

static inline const char *parse_scalar(parser *ps, const char *at)
{
    slot *s = push(ps, at);
    if (!s) {
        return NULL;
    }
    string_span span;
    uint32_t offset = offset_of(ps, at);
    switch (peek(at, ps->end)) {
    case '"':
        at = parse_string(ps, at, &span);
        if (at) {
            s->value = head_of(LG_JSON_STRING, span.len, offset);
            s->value.as.text = span.ptr;
        }
        return at;
    case 't':
        s->value = head_of(LG_JSON_BOOL, 0, offset);
        s->value.as.u64 = 0;
        s->value.as.boolean = true;
        return parse_word(ps, at, "true", 4);
    case 'f':
        s->value = head_of(LG_JSON_BOOL, 0, offset);
        s->value.as.u64 = 0;
        return parse_word(ps, at, "false", 5);
    case 'n':
        s->value = head_of(LG_JSON_NULL, 0, offset);
        s->value.as.u64 = 0;
        return parse_word(ps, at, "null", 4);
    case '-':
        return parse_number(ps, at, &s->value);
    default:
        return is_digit_at(at, ps->end) ? parse_number(ps, at, &s->value) : bad_value(ps, at);
    }
}

// A key and its colon.
static inline const char *parse_key(parser *ps, const char *at)
{
    if (peek(at, ps->end) != '"') {
        return expected(ps, at, "a key in double quotes");
    }
    slot *s = push(ps, at);
    string_span span;
    if (!s) {
        return NULL;
    }
    uint32_t offset = offset_of(ps, at);
    at = parse_string(ps, at, &span);
    if (!at) {
        return NULL;
    }
    s->key.text = span.ptr;
    s->key.len = (uint32_t)span.len;
    s->key.offset = offset;
    at = skip_blanks(at, ps->end);
    return peek(at, ps->end) == ':' ? at + 1 : expected(ps, at, "`:` after a key");
}

// The state machine: a value, what may follow it, and so on until nothing is open. Returns what
// follows the whole value.
static const char *parse_value(parser *ps, const char *at)
{
value:
    at = skip_blanks(at, ps->end);
    switch (peek(at, ps->end)) {
    case '[':
        at = open_container(ps, at, LG_JSON_ARRAY);
        if (!at) {
            return NULL;
        }
        at = skip_blanks(at, ps->end);
        if (peek(at, ps->end) != ']') {
            goto value;
        }
        at = close_container(ps, at);
        break;
    case '{':
        at = open_container(ps, at, LG_JSON_OBJECT);
        if (!at) {
            return NULL;
        }
        at = skip_blanks(at, ps->end);
        if (peek(at, ps->end) != '}') {
            goto key;
        }
        at = close_container(ps, at);
        break;
    default:
        at = parse_scalar(ps, at);
        break;
    }
after:
    if (!at || ps->depth == 0) {
        return at;
    }
    at = skip_blanks(at, ps->end);
    char c = peek(at, ps->end);
    if (ps->slots[ps->open].value.type == LG_JSON_ARRAY) {
        if (c == ',') {
            at++;
            goto value;
        }
        at = c == ']' ? close_container(ps, at)
                      : expected(ps, at, "`,` or `]` after an element");
        goto after;
    }
    if (c == '}') {
        at = close_container(ps, at);
        goto after;
    }
    if (c != ',') {
        return expected(ps, at, "`,` or `}` after a member");
    }
    at = skip_blanks(at + 1, ps->end);
key:
    at = parse_key(ps, at);
    if (!at) {
        return NULL;
    }
    goto value;
}

// Byte order marks and other encodings get an answer of their own: they cannot be seen in an editor.
static const char *check_encoding(parser *ps, const char *at)
{
    lg_str text = {at, (size_t)(ps->end - at)};
    if (lg_str_starts(text, LG_STR("\xEF\xBB\xBF"))) {
        return fail(ps, LG_ERR_PARSE, at,
                    "the text begins with a byte order mark: save it as UTF-8 without one");
    }
    bool marked = lg_str_starts(text, LG_STR("\xFF\xFE")) ||
                  lg_str_starts(text, LG_STR("\xFE\xFF"));
    if (marked || (text.len >= 2 && (at[0] == '\0') != (at[1] == '\0'))) {
        return fail(ps, LG_ERR_PARSE, at, "the text looks like UTF-16: JSON must be UTF-8");
    }
    return at;
}

static const char *parse_all(parser *ps)
{
    size_t size_bytes = (size_t)(ps->end - ps->begin);
    if (size_bytes > ps->limits.json_bytes) {
        return fail(ps, LG_ERR_LIMIT, ps->begin, "JSON text of %zu bytes, the limit is %zu",
                    size_bytes, ps->limits.json_bytes);
    }
    const char *at = check_encoding(ps, ps->begin);
    at = at ? parse_value(ps, at) : NULL;
    if (at) {
        at = skip_blanks(at, ps->end);
        if (at != ps->end) {
            return expected(ps, at, "the end of the text after the value");
        }
    }
    return at;
}

// The limits, with the ceilings that the representation has anyway.
static lg_limits clamp_limits(const lg_limits *limits)
{
    lg_limits l = lg_limits_resolve(limits);
    l.json_depth = l.json_depth > PARSE_DEPTH_MAX ? PARSE_DEPTH_MAX : l.json_depth;
    l.json_bytes = l.json_bytes >= UINT32_MAX ? UINT32_MAX - 1 : l.json_bytes;
    l.json_string_bytes =
        l.json_string_bytes > LG_JSON_LEN_MAX ? LG_JSON_LEN_MAX : l.json_string_bytes;
    return l;
}

lg_status lg_json_parse_in(lg_arena *arena, lg_str text, size_t from, size_t to,
                           const lg_limits *limits, const lg_json **ret_value, lg_error *reterr)
{
    LG_ASSERT(from <= to && to <= text.len);
    if (to >= UINT32_MAX) {
        return lg_fail(reterr, LG_ERR_LIMIT, "text of %zu bytes, the limit is %u", to,
                       UINT32_MAX - 1);
    }
    parser ps;
    ps.text = text.ptr ? text.ptr : "";
    ps.begin = ps.text + from;
    ps.end = ps.text + to;
    ps.arena = arena;
    ps.limits = clamp_limits(limits);
    ps.slots = ps.local;
    ps.top = 0;
    ps.capacity = LOCAL_SLOTS;
    ps.open = ROOT;
    ps.depth = 0;
    ps.status = LG_OK;
    ps.reterr = reterr;

    lg_arena_mark mark = lg_arena_mark_here(arena);
    lg_json *root = NULL;
    if (parse_all(&ps)) {
        root = lg_arena_alloc(arena, sizeof(*root), _Alignof(lg_json));
        if (root) {
            *root = ps.slots[ROOT].value;
            *ret_value = root;
        } else {
            fail_memory(&ps, ps.begin, arena->held_bytes, sizeof(*root));
        }
    }
    if (!root) {
        lg_arena_rewind(arena, mark);
    }
    if (ps.slots != ps.local) {
        lg_free(ps.slots);
    }
    return ps.status;
}

// --- Documents ----------------------------------------------------------------------------------

struct lg_json_doc {
    lg_arena arena; // holds this struct too
    lg_str text;
    const lg_json *root;
};

lg_status lg_json_parse(lg_str text, const lg_limits *limits, lg_json_doc **ret_doc,
                        lg_error *reterr)
{
    lg_limits l = lg_limits_resolve(limits);
    if (text.len > l.json_bytes) {
        return lg_fail(reterr, LG_ERR_LIMIT, "JSON text of %zu bytes, the limit is %zu", text.len,
                       l.json_bytes);
    }
    lg_arena arena;
    lg_arena_init(&arena, l.memory_bytes);
    lg_json_doc *doc = LG_NEW(&arena, lg_json_doc);
    lg_str copy = lg_arena_str(&arena, text);
    lg_status status = LG_OK;
    if (!doc || !copy.ptr) {
        status = text.len + sizeof(*doc) > l.memory_bytes
                     ? lg_fail(reterr, LG_ERR_LIMIT,
                               "more memory needed than the limit of %zu bytes", l.memory_bytes)
                     : lg_fail_oom(reterr);
    } else {
        status = lg_json_parse_in(&arena, copy, 0, copy.len, limits, &doc->root, reterr);
    }
    if (status != LG_OK) {
        lg_arena_done(&arena);
        return status;
    }
    doc->text = copy;
    doc->arena = arena;
    *ret_doc = doc;
    return LG_OK;
}

const lg_json *lg_json_root(const lg_json_doc *doc)
{
    return doc->root;
}

lg_str lg_json_doc_text(const lg_json_doc *doc)
{
    return doc->text;
}

void lg_json_doc_free(lg_json_doc *doc)
{
    if (doc) {
        lg_arena arena = doc->arena; // the struct lies in its own arena
        lg_arena_done(&arena);
    }
}

lg_position lg_text_position(lg_str text, size_t offset)
{
    lg_position at = {.line = 1, .column = 1};
    size_t end = offset < text.len ? offset : text.len;
    for (size_t i = 0; i < end; i++) {
        if (text.ptr[i] == '\n') {
            at.line++;
            at.column = 1;
        } else if (((unsigned char)text.ptr[i] & 0xC0) != 0x80) {
            at.column++;
        }
    }
    return at;
}
