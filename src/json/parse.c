// parse.c: text to values, in one pass and without recursion.
//
// The parser pushes finished values on a stack of 16-byte slots. An open
// container is a slot too: it knows how far below it the container around it
// lies, and its children pile up above it. When it closes, they are copied to
// the arena in one piece, and the slot becomes the container's value. So every
// container is allocated once, at its exact size, and depth costs one slot a
// level.
//
// The functions on the path of every value are inlined into the loop: that
// keeps its state in registers. What is rare is kept out of it. Branches on
// what a text usually looks like (`": "` after a key, `, "` after a value) come
// first; they are hints, the slower path behind them takes everything.
//
// Positions are byte offsets; lines and columns are counted only when there is
// an error to report.
#include "json/parser.h"

#include "base/alloc.h"
#include "json/scan.h"
#include "json/wide.h"

#define HOT static inline __attribute__((always_inline))
#define LIKELY(condition) __builtin_expect((condition), 1)
#define UNLIKELY(condition) __builtin_expect((condition), 0)

// --- Blanks and words ---------------------------------------------------------------------------

HOT bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static const char *skip_all_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at)) {
        at++;
    }
    return at;
}

HOT const char *skip_blanks(const char *at, const char *end)
{
    return at < end && (unsigned char)*at <= ' ' ? skip_all_blanks(at, end) : at;
}

// The byte at `at`, or NUL at the end: neither may stand outside of a string.
HOT char peek(const char *at, const char *end)
{
    return at < end ? *at : '\0';
}

// The byte at the first place from `*at` on that is not blank, or NUL at the end.
HOT char next_byte(const char **at, const char *end)
{
    char c = peek(*at, end);
    if ((unsigned char)c <= ' ') {
        *at = skip_all_blanks(*at, end);
        c = peek(*at, end);
    }
    return c;
}

HOT bool is_digit_at(const char *at, const char *end)
{
    return at < end && (unsigned char)(*at - '0') <= 9;
}

HOT const char *parse_word(parser *ps, const char *at, const char *word, size_t len)
{
    if ((size_t)(ps->end - at) < len || memcmp(at, word, len) != 0) {
        return lg_parse_expected(ps, at, "a value");
    }
    return at + len;
}

HOT void set_head(lg_json *value, lg_json_type type, size_t len, uint32_t offset)
{
    value->type = (uint32_t)type & 15;
    value->len = len & LG_JSON_LEN_MAX;
    value->offset = offset;
}

// --- Strings ------------------------------------------------------------------------------------

COLD static const char *string_too_long(parser *ps, const char *open)
{
    return lg_parse_fail(ps, LG_ERR_LIMIT, open,
                         "string longer than the limit of %zu bytes (json_string_bytes)",
                         ps->limits.json_string_bytes);
}

// A string that is not plain ASCII up to its quote; `at` is the first byte of
// it that is not.
static const char *parse_other_string(parser *ps, const char *open, const char *at, lg_str *ret)
{
    at = lg_scan_string(at, ps->end);
    if (peek(at, ps->end) == '"') {
        *ret = (lg_str){open + 1, (size_t)(at - open - 1)};
        at++;
    } else if (peek(at, ps->end) == '\\') {
        at = lg_parse_escaped(ps, open, at, ret);
    } else {
        at = lg_parse_bad_string(ps, open, at);
    }
    return at && ret->len > ps->limits.json_string_bytes ? string_too_long(ps, open) : at;
}

// The string whose opening quote is at `open`. Returns what follows its closing
// quote.
HOT const char *parse_string(parser *ps, const char *open, lg_scan_window *window,
                             const uint32_t **next, lg_str *ret)
{
    const char *at = lg_scan_next(window, next, open + 1);
    size_t len = (size_t)(at - open - 1);
    if (at == ps->end || *at != '"' || len > ps->limits.json_string_bytes) {
        return parse_other_string(ps, open, at, ret);
    }
    *ret = (lg_str){open + 1, len};
    return at + 1;
}

// --- Numbers ------------------------------------------------------------------------------------

// A number in pieces, as the scanner saw them.
typedef struct number {
    const char *begin;
    const char *first; // digit
    const char *end;
    uint64_t mantissa; // of all digits; wrapped around if `digits` says so
    uint32_t digits;   // of the mantissa, without leading zeros
    int64_t exponent;  // of the mantissa; saturates a little above EXPONENT_MAX
    bool negative;
    bool integer; // written without fraction and exponent
} number;

HOT const char *scan_digits(const char *at, const char *end, uint64_t *mantissa)
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
    bool negative = peek(sign, ps->end) == '-';
    const char *first = sign + (negative || peek(sign, ps->end) == '+');
    if (!is_digit_at(first, ps->end)) {
        return lg_parse_expected(ps, first, "a digit in the exponent");
    }
    int64_t exponent = 0;
    for (at = first; is_digit_at(at, ps->end); at++) {
        exponent = exponent > EXPONENT_MAX ? exponent : exponent * 10 + (*at - '0');
    }
    n->exponent += negative ? -exponent : exponent;
    return at;
}

// Digits of `0.00123`: 3. Only asked when there may be more than 64 bits hold.
static uint32_t significant_digits(const char *from, const char *to)
{
    bool point_seen = false;
    for (; from < to && (*from == '0' || *from == '.'); from++) {
        point_seen = point_seen || *from == '.';
    }
    return (uint32_t)(to - from) - (from < to && !point_seen);
}

// Reads `.5e3` behind the integer part that ends at `at`.
HOT const char *scan_fraction(parser *ps, const char *at, number *n)
{
    n->integer = false;
    if (*at == '.') {
        const char *fraction = at + 1;
        if (!is_digit_at(fraction, ps->end)) {
            return lg_parse_expected(ps, fraction, "a digit after the decimal point");
        }
        at = scan_digits(fraction, ps->end, &n->mantissa);
        n->exponent = -(at - fraction);
        n->digits += (uint32_t)(at - fraction);
        if (n->digits > 19) {
            n->digits = significant_digits(n->first, at);
        }
    }
    return (peek(at, ps->end) | 0x20) == 'e' ? scan_exponent(ps, at, n) : at;
}

HOT const char *scan_number(parser *ps, const char *at, number *n)
{
    n->begin = at;
    n->mantissa = 0;
    n->exponent = 0;
    n->negative = *at == '-';
    n->integer = true;
    n->digits = 0;
    n->end = at;
    n->first = at + n->negative;
    if (!is_digit_at(n->first, ps->end)) {
        return lg_parse_expected(ps, n->first, "a digit after `-`");
    }
    at = scan_digits(n->first, ps->end, &n->mantissa);
    n->digits = (uint32_t)(at - n->first);
    if (*n->first == '0' && n->digits > 1) {
        return lg_parse_fail(ps, LG_ERR_PARSE, n->begin,
                             "a number may not begin with a needless `0`");
    }
    char next = peek(at, ps->end);
    if (next == '.' || (next | 0x20) == 'e') {
        at = scan_fraction(ps, at, n);
    }
    n->end = at;
    return at;
}

COLD static const char *make_bignum(parser *ps, const number *n, lg_json *value)
{
    size_t len = (size_t)(n->end - n->begin);
    if (len > ps->limits.json_string_bytes) {
        return lg_parse_fail(ps, LG_ERR_LIMIT, n->begin,
                             "number longer than the limit of %zu bytes (json_string_bytes)",
                             ps->limits.json_string_bytes);
    }
    if (n->exponent > EXPONENT_MAX) {
        return lg_parse_fail(ps, LG_ERR_LIMIT, n->begin,
                             "the exponent of this number is beyond the limit of 10^17");
    }
    set_head(value, LG_JSON_BIGNUM, len, offset_of(ps, n->begin));
    value->as.text = n->begin;
    return n->end;
}

// Whether the 20 digits of an integer fit 64 bits, and their value then.
static bool fits_u64(const char *first, uint64_t *ret)
{
    uint64_t head = 0;
    scan_digits(first, first + 19, &head);
    uint64_t last = (uint64_t)(first[19] - '0');
    *ret = head * 10 + last;
    return head < UINT64_MAX / 10 || (head == UINT64_MAX / 10 && last <= UINT64_MAX % 10);
}

HOT const char *make_integer(parser *ps, const number *n, lg_json *value)
{
    uint64_t magnitude = n->mantissa;
    bool fits = n->digits <= 19 || (n->digits == 20 && fits_u64(n->first, &magnitude));
    uint64_t most = n->negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX;
    if (!fits || magnitude > most) {
        return make_bignum(ps, n, value);
    }
    uint32_t offset = offset_of(ps, n->begin);
    if (n->negative && magnitude == 0) {
        set_head(value, LG_JSON_DOUBLE, 0, offset);
        value->as.f64 = -0.0;
    } else if (n->negative) {
        set_head(value, LG_JSON_INT, 0, offset);
        value->as.i64 = -(int64_t)(magnitude - 1) - 1;
    } else {
        set_head(value, magnitude > INT64_MAX ? LG_JSON_UINT : LG_JSON_INT, 0, offset);
        value->as.u64 = magnitude;
    }
    return n->end;
}

HOT const char *make_double(parser *ps, const number *n, lg_json *value)
{
    double d;
    if (n->digits <= 19 && lg_json_scale(n->mantissa, n->exponent, &d)) {
        d = n->negative ? -d : d;
    } else if (!lg_json_text_to_double((lg_str){n->begin, (size_t)(n->end - n->begin)}, &d)) {
        return make_bignum(ps, n, value);
    }
    set_head(value, LG_JSON_DOUBLE, 0, offset_of(ps, n->begin));
    value->as.f64 = d;
    return n->end;
}

HOT const char *parse_number(parser *ps, const char *at, lg_json *value)
{
    number n;
    if (!scan_number(ps, at, &n)) {
        return NULL;
    }
    return n.integer ? make_integer(ps, &n, value) : make_double(ps, &n, value);
}

// --- Scalars and keys ---------------------------------------------------------------------------

// Numbers and words.
HOT const char *parse_scalar(parser *ps, const char *at, lg_json *value)
{
    uint32_t offset = offset_of(ps, at);
    char c = peek(at, ps->end);
    if (c == '-' || (c >= '0' && c <= '9')) {
        return parse_number(ps, at, value);
    }
    value->as.u64 = 0;
    if (c == 'n') {
        set_head(value, LG_JSON_NULL, 0, offset);
        return parse_word(ps, at, "null", 4);
    }
    set_head(value, LG_JSON_BOOL, 0, offset);
    value->as.boolean = c == 't';
    return c == 't' ? parse_word(ps, at, "true", 4) : parse_word(ps, at, "false", 5);
}

// A key and its colon; `what` was expected if there is none.
HOT const char *parse_key(parser *ps, const char *at, const char *what, lg_scan_window *window,
                          const uint32_t **next, slot *key)
{
    lg_str s;
    if (next_byte(&at, ps->end) != '"') {
        return lg_parse_expected(ps, at, what);
    }
    key->key.offset = offset_of(ps, at);
    at = parse_string(ps, at, window, next, &s);
    if (!at) {
        return NULL;
    }
    key->key.text = s.ptr;
    key->key.len = (uint32_t)s.len;
    if (ps->end - at >= 2 && *at == ':') {
        at++;
        if (LIKELY(*at == ' ')) { // the hint makes it a branch: a wait for the byte
                                  // would be longer
            at++;
        }
        return at;
    }
    at = skip_blanks(at, ps->end);
    return peek(at, ps->end) == ':' ? at + 1 : lg_parse_expected(ps, at, "`:` after a key");
}

// --- Closing containers -------------------------------------------------------------------------

// A number below 64 that seldom is the same for two keys of one object: for one key in a hundred of
// those in recordings and schemas. An empty key stands between two quotes, which are read then.
HOT uint32_t mark_of(const lg_json_member *m)
{
    uint32_t first = (unsigned char)m->key[0];
    uint32_t last = (unsigned char)*(m->key + m->key_len - 1);
    return (3 * (first + m->key_len) + 5 * last) & 63;
}

static bool same_key(const lg_json_member *a, const lg_json_member *b)
{
    size_t len = a->key_len;
    if (len != b->key_len) {
        return false;
    }
    if (len >= 8) { // dates begin alike
        uint64_t x;
        uint64_t y;
        memcpy(&x, a->key + len - 8, sizeof(x));
        memcpy(&y, b->key + len - 8, sizeof(y));
        if (x != y) {
            return false;
        }
    }
    return memcmp(a->key, b->key, len) == 0;
}

// The member among those of `members` before `m` that has the same key, or NULL. Kept out of the loop.
COLD static const lg_json_member *find_same(const lg_json_member *members, const lg_json_member *m)
{
    const lg_json_member *other = members;
    while (other < m && !same_key(other, m)) {
        other++;
    }
    return other < m ? other : NULL;
}

// Copies few members and looks for duplicate keys on the way: a key is compared with those before it
// only if one of them has the same mark. (To mix eight bytes of a key took 7 % of the parse longer.)
HOT const char *copy_few(parser *ps, const char *at, lg_json_member *to, const slot *from,
                         size_t count)
{
    uint64_t marks = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(&to[i], &from[2 * i], sizeof(to[i]));
        uint32_t mark = mark_of(&to[i]);
        if (UNLIKELY(marks >> mark & 1)) {
            const lg_json_member *same = find_same(to, &to[i]);
            if (same) {
                return lg_parse_duplicate(ps, same, &to[i]);
            }
        }
        marks |= (uint64_t)1 << mark;
    }
    return at;
}

// Copies many members and makes their index, where duplicate keys are
// neighbours. Once copied, the slots are free for the sort to use.
static const char *copy_many(parser *ps, const char *at, lg_json_member *to, slot *from,
                             size_t count)
{
    memcpy(to, from, count * sizeof(*to));
    lg_json_build_index(to, count, from->scratch);
    const uint32_t *index = lg_json_index_of(to, count);
    for (size_t i = 1; i < count; i++) {
        const lg_json_member *a = &to[index[i - 1]];
        const lg_json_member *b = &to[index[i]];
        if (lg_str_eq(lg_json_key(a), lg_json_key(b))) {
            return lg_parse_duplicate(ps, a, b); // the sort is stable: `a` came first
        }
    }
    return at;
}

HOT const char *close_object(parser *ps, const char *at, slot *open, slot *top)
{
    size_t count = (size_t)(top - open - 1) / 2;
    bool many = count > LG_JSON_INDEX_MIN;
    open->value.as.members = NULL;
    open->value.len = count & LG_JSON_LEN_MAX;
    if (count == 0) {
        return at + 1;
    }
    if (count > LG_JSON_LEN_MAX) {
        return lg_parse_fail(ps, LG_ERR_LIMIT, at, "more than %u members", LG_JSON_LEN_MAX);
    }
    size_t size_bytes = count * (sizeof(lg_json_member) + (many ? sizeof(uint32_t) : 0));
    lg_json_member *members = lg_arena_alloc(ps->arena, size_bytes, _Alignof(lg_json_member));
    if (!members) {
        return lg_parse_fail_memory(ps, at, size_bytes);
    }
    open->value.as.members = members;
    at = many ? copy_many(ps, at, members, open + 1, count)
              : copy_few(ps, at, members, open + 1, count);
    return at ? at + 1 : NULL;
}

HOT const char *close_array(parser *ps, const char *at, slot *open, slot *top)
{
    size_t count = (size_t)(top - open - 1);
    open->value.as.items = NULL;
    open->value.len = count & LG_JSON_LEN_MAX;
    if (count == 0) {
        return at + 1;
    }
    if (count > LG_JSON_LEN_MAX) {
        return lg_parse_fail(ps, LG_ERR_LIMIT, at, "more than %u elements", LG_JSON_LEN_MAX);
    }
    lg_json *items = lg_arena_alloc(ps->arena, count * sizeof(lg_json), _Alignof(lg_json));
    if (!items) {
        return lg_parse_fail_memory(ps, at, count * sizeof(lg_json));
    }
    memcpy(items, open + 1, count * sizeof(lg_json));
    open->value.as.items = items;
    return at + 1;
}

// --- The loop -----------------------------------------------------------------------------------

// Doubles the stack; returns the new top, or NULL. The stack is no part of the
// arena, but of its budget while the parse lasts.
COLD static slot *grow_slots(parser *ps, const char *at, slot *top)
{
    slot *old = ps->slots == ps->local ? NULL : ps->slots;
    size_t used = (size_t)(top - ps->slots);
    size_t capacity = (size_t)(ps->slots_end - ps->slots);
    size_t more_bytes = (old ? capacity : 2 * capacity) * sizeof(slot);
    size_t left = ps->arena->limit_bytes - ps->arena->held_bytes;
    slot *grown = more_bytes <= left ? lg_realloc(old, 2 * capacity * sizeof(slot)) : NULL;
    if (!grown) {
        lg_parse_fail_memory(ps, at, more_bytes);
        return NULL;
    }
    if (!old) {
        memcpy(grown, ps->local, used * sizeof(slot));
    }
    ps->arena->limit_bytes -= more_bytes;
    ps->slots = grown;
    ps->slots_end = grown + 2 * capacity;
    return grown + used;
}

// Puts the known elements on the stack, as if they had been read. Returns the new top, or NULL.
COLD static slot *put_known(parser *ps, const char *at, slot *top)
{
    const lg_json_known *known = ps->known;
    while (top && (size_t)(ps->slots_end - top) < known->count + 3) {
        top = grow_slots(ps, at, top);
    }
    if (top) {
        memcpy(top, known->items, known->count * sizeof(*top));
        top += known->count;
    }
    return top;
}

// Is the list that has been opened the one whose elements are known?
HOT bool is_known(const parser *ps, const char *at, char c, uint32_t depth)
{
    return UNLIKELY(ps->known != NULL) && c == '[' && depth == 2 &&
           at == ps->text + ps->known->from;
}

COLD static const char *too_deep(parser *ps, const char *at)
{
    return lg_parse_fail(ps, LG_ERR_LIMIT, at,
                         "nested deeper than the limit of %u levels (json_depth)",
                         ps->limits.json_depth);
}

// The state machine: a value, what may follow it, and so on until nothing is open. Returns what
// follows the whole value, which then is in the slot above the first; the first is no container, but
// open as long as none is. A dispatch loop, longer than other functions so that its state stays in
// registers: `top` is the first free slot, `open` the innermost open container.
static const char *parse_value(parser *ps, const char *at)
{
    const char *const end = ps->end;
    slot *top = ps->slots;
    slot *open = top++;
    uint32_t depth = 0;
    lg_scan_window window; // not initialised as a whole, as the parser
    const uint32_t *next = lg_scan_open(&window, ps->text, at, end, lg_wide_here());
    char c;
    set_head(&open->value, LG_JSON_NULL, 0, 0);

value:
    c = next_byte(&at, end);
    if (top > ps->slots_end - 3) { // a value, and the key and value that may follow
        size_t above = (size_t)(top - open);
        top = grow_slots(ps, at, top);
        if (!top) {
            return NULL;
        }
        open = top - above;
    }
    if (c == '"') {
        lg_str s;
        uint32_t offset = offset_of(ps, at);
        at = parse_string(ps, at, &window, &next, &s);
        if (!at) {
            return NULL;
        }
        set_head(&top->value, LG_JSON_STRING, s.len, offset);
        top->value.as.text = s.ptr;
        top++;
        if (end - at >= 2 && *at == ',' && open->value.type == LG_JSON_OBJECT) {
            at++;
            if (LIKELY(*at == ' ')) {
                at++;
            }
            goto key;
        }
        goto after;
    }
    if (c != '{' && c != '[') {
        at = parse_scalar(ps, at, &top->value);
        top++;
        if (!at) {
            return NULL;
        }
        goto after;
    }
    if (depth >= ps->limits.json_depth) {
        return too_deep(ps, at);
    }
    depth++;
    set_head(&top->value, c == '{' ? LG_JSON_OBJECT : LG_JSON_ARRAY, 0, offset_of(ps, at));
    top->value.as.u64 = (uint64_t)(top - open);
    open = top++;
    at++;
    if (is_known(ps, at, c, depth)) {
        size_t above = (size_t)(top - open);
        slot *filled = put_known(ps, at, top);
        if (!filled) {
            return NULL;
        }
        top = filled;
        open = top - ps->known->count - above;
        at = ps->text + ps->known->to;
        next = lg_scan_open(&window, ps->text, at, end, lg_wide_here());
        goto after;
    }
    if (next_byte(&at, end) == (c == '{' ? '}' : ']')) {
        goto close;
    }
    if (c == '[') {
        goto value;
    }
    at = parse_key(ps, at, "a key in double quotes or `}`", &window, &next, top++);
    if (at) {
        goto value;
    }
    return NULL;

after:
    if (open->value.type == LG_JSON_NULL) {
        return at;
    }
    c = next_byte(&at, end);
    if (open->value.type == LG_JSON_OBJECT) {
        if (c == ',') {
            at++;
            goto key;
        }
        if (c != '}') {
            return lg_parse_expected(ps, at, "`,` or `}` after a member");
        }
    } else {
        if (c == ',') {
            at++;
            goto value;
        }
        if (c != ']') {
            return lg_parse_expected(ps, at, "`,` or `]` after an element");
        }
    }

close:;
    slot *parent = open - open->value.as.u64;
    at = open->value.type == LG_JSON_ARRAY ? close_array(ps, at, open, top)
                                           : close_object(ps, at, open, top);
    top = open + 1;
    open = parent;
    depth--;
    if (at) {
        goto after;
    }
    return NULL;

key:
    at = parse_key(ps, at, "a key in double quotes", &window, &next, top++);
    if (at) {
        goto value;
    }
    return NULL;
}

// Whether `c` is ASCII and not NUL.
static bool is_ascii(char c)
{
    return (unsigned char)c - 1u < 0x7F;
}

static const char *parse_all(parser *ps)
{
    size_t size_bytes = (size_t)(ps->end - ps->begin);
    if (size_bytes > ps->limits.json_bytes) {
        return lg_parse_fail(ps, LG_ERR_LIMIT, ps->begin,
                             "JSON text of %zu bytes, the limit is %zu (json_bytes)", size_bytes,
                             ps->limits.json_bytes);
    }
    // Two ASCII characters are no byte order mark and no UTF-16: nothing is left to find out.
    bool plain = size_bytes >= 2 && is_ascii(ps->begin[0]) && is_ascii(ps->begin[1]);
    const char *at = plain ? ps->begin : lg_parse_check_encoding(ps, ps->begin);
    at = at ? parse_value(ps, at) : NULL;
    at = at ? skip_blanks(at, ps->end) : NULL;
    if (at && at != ps->end) {
        return lg_parse_expected(ps, at, "the end of the text after the value");
    }
    return at;
}

HOT size_t limit_or(size_t limit, size_t otherwise)
{
    return limit ? limit : otherwise;
}

HOT size_t at_most(size_t limit, size_t ceiling)
{
    return limit < ceiling ? limit : ceiling;
}

// The limits, with the ceilings that the representation has anyway.
HOT parse_limits find_limits(const lg_limits *limits)
{
    const lg_limits *d = &lg_limits_default;
    const lg_limits *l = limits ? limits : d;
    return (parse_limits){
        .json_depth = (uint32_t)at_most(limit_or(l->json_depth, d->json_depth), PARSE_DEPTH_MAX),
        .json_bytes = limit_or(l->json_bytes, d->json_bytes),
        .json_string_bytes =
            at_most(limit_or(l->json_string_bytes, d->json_string_bytes), LG_JSON_LEN_MAX),
        .document_bytes = limit_or(l->document_bytes, d->document_bytes),
        .memory_limit = "document_bytes",
    };
}

// Parses within the budgets of both the arena and the limits.
static const lg_json *parse_budgeted(parser *ps)
{
    lg_arena *arena = ps->arena;
    size_t arena_limit = arena->limit_bytes;
    if (ps->limits.document_bytes < arena_limit - arena->held_bytes) {
        arena->limit_bytes = arena->held_bytes + ps->limits.document_bytes;
    } else { // for the message; an arena that has another ceiling than a document is a session's
        bool own = arena_limit != ps->limits.document_bytes;
        ps->limits.memory_limit = own ? "memory_bytes" : "document_bytes";
        ps->limits.document_bytes = arena_limit;
    }
    lg_json *root = NULL;
    if (parse_all(ps)) {
        root = lg_arena_alloc(arena, sizeof(*root), _Alignof(lg_json));
        if (root) {
            *root = ps->slots[1].value;
        } else {
            lg_parse_fail_memory(ps, ps->begin, sizeof(*root));
        }
    }
    arena->limit_bytes = arena_limit;
    return root;
}

// Runs a parse whose text is set.
static lg_status run(parser *ps, lg_arena *arena, const lg_limits *limits,
                     const lg_json **ret_value, lg_error *reterr)
{
    ps->arena = arena;
    ps->limits = find_limits(limits);
    ps->slots = ps->local;
    ps->slots_end = ps->local + LOCAL_SLOTS;
    ps->status = LG_OK;
    ps->reterr = reterr;

    lg_arena_mark mark = lg_arena_mark_here(arena);
    const lg_json *root = parse_budgeted(ps);
    if (root) {
        *ret_value = root;
    } else {
        lg_arena_rewind(arena, mark);
    }
    if (ps->slots != ps->local) {
        lg_free(ps->slots);
    }
    return ps->status;
}

// `ps` is not initialised as a whole: most of it is the stack.
static lg_status begin(parser *ps, lg_str text, size_t from, size_t to, lg_error *reterr)
{
    LG_ASSERT(from <= to && to <= text.len);
    if (to >= LG_JSON_NO_OFFSET) {
        return lg_fail(reterr, LG_ERR_LIMIT, "text of %zu bytes, offsets reach to %u", to,
                       LG_JSON_NO_OFFSET - 1);
    }
    ps->text = text.ptr ? text.ptr : "";
    ps->begin = ps->text + from;
    ps->end = ps->text + to;
    ps->shift = 0;
    ps->known = NULL;
    return LG_OK;
}

lg_status lg_json_parse_in(lg_arena *arena, lg_str text, size_t from, size_t to,
                           const lg_limits *limits, const lg_json **ret_value, lg_error *reterr)
{
    parser ps;
    lg_status status = begin(&ps, text, from, to, reterr);
    return status == LG_OK ? run(&ps, arena, limits, ret_value, reterr) : status;
}

lg_status lg_json_parse_piece(lg_arena *arena, lg_str text, uint32_t shift, const lg_limits *limits,
                              const lg_json **ret_value, lg_error *reterr)
{
    parser ps;
    LG_ASSERT(text.len < LG_JSON_NO_OFFSET - shift);
    lg_status status = begin(&ps, text, 0, text.len, reterr);
    ps.shift = shift;
    return status == LG_OK ? run(&ps, arena, limits, ret_value, reterr) : status;
}

lg_status lg_json_parse_beside(lg_arena *arena, lg_str text, const lg_json_known *known,
                               const lg_limits *limits, const lg_json **ret_value, lg_error *reterr)
{
    parser ps;
    LG_ASSERT(known->count && known->from <= known->to && known->to <= text.len);
    lg_status status = begin(&ps, text, 0, text.len, reterr);
    ps.known = known;
    return status == LG_OK ? run(&ps, arena, limits, ret_value, reterr) : status;
}
