// linear.c: patterns that are matched in one pass.
//
// Most patterns of real tools are like `^#W[0-9]{7}$`: anchored, and made of characters and classes
// that may be repeated. Where a repeated class has no character in common with what may follow, the
// longest repetition is the only one that can lead to a match: there is nothing to come back to, and
// a loop over the bytes does. Only classes of ASCII characters are taken, so that bytes are as good
// as characters; everything else is left to PCRE2. (`^[0-9]{10}$` on ten digits: 12 ns byte by byte,
// 5 ns by the word, 290 ns with PCRE2 and its counting of steps; compiling it takes 0.2 us instead of
// 6.)
#include "schema/schema_internal.h"

enum { ITEMS_MAX = 64 };

typedef struct linear_item {
    uint64_t set[4]; // by byte; the upper half is empty
    uint32_t min;
    uint32_t max; // UINT32_MAX: no end
    bool range;   // the set is one range of bytes, for which there are, in each of eight bytes:
    uint64_t first;
    uint64_t above; // how much is to be added to what is beyond the range to get to 0x80
} linear_item;

struct linear_pattern {
    bool whole; // ends in `$`
    size_t count;
    linear_item items[];
};

static void add_range(linear_item *item, unsigned char from, unsigned char to)
{
    for (unsigned c = from; c <= to; c++) {
        item->set[c / 64] |= UINT64_C(1) << (c % 64);
    }
}

static bool contains(const linear_item *item, char c)
{
    unsigned char byte = (unsigned char)c;
    return item->set[byte / 64] >> (byte % 64) & 1;
}

// --- Reading --------------------------------------------------------------------------------------

typedef struct source {
    const char *at;
    const char *end;
} source;

static bool take(source *s, char c)
{
    bool found = s->at < s->end && *s->at == c;
    s->at += found;
    return found;
}

static bool is_letter_or_digit(char c)
{
    return lg_is_digit(c) || lg_is_letter(c);
}

// Adds what stands behind a backslash. A single character is returned in `ret_single`, for ranges;
// a class leaves it NUL.
static bool read_escape(source *s, linear_item *item, char *ret_single)
{
    if (s->at == s->end || (unsigned char)*s->at >= 0x80) {
        return false;
    }
    char c = *s->at++;
    *ret_single = '\0';
    if (c == 'd' || c == 'w') {
        add_range(item, '0', '9');
        if (c == 'w') {
            add_range(item, 'a', 'z');
            add_range(item, 'A', 'Z');
            add_range(item, '_', '_');
        }
        return true;
    }
    *ret_single = c;
    return !is_letter_or_digit(c);
}

// One character of a class, or an escape.
static bool read_member(source *s, linear_item *item, char *ret_single)
{
    if (s->at == s->end || (unsigned char)*s->at >= 0x80 || *s->at == '\0') {
        return false;
    }
    if (take(s, '\\')) {
        return read_escape(s, item, ret_single);
    }
    *ret_single = *s->at++;
    return true;
}

// The rest of a class behind its `[`. Negated and empty ones are left to PCRE2.
static bool read_class(source *s, linear_item *item)
{
    if (s->at == s->end || *s->at == '^' || *s->at == ']') {
        return false;
    }
    while (!take(s, ']')) {
        char from;
        if (!read_member(s, item, &from)) {
            return false;
        }
        bool range = from && s->end - s->at >= 2 && s->at[0] == '-' && s->at[1] != ']';
        char to = from;
        if (range) {
            s->at++;
            linear_item other = {0};
            if (!read_member(s, &other, &to) || !to || to < from) {
                return false;
            }
        }
        if (from) {
            add_range(item, (unsigned char)from, (unsigned char)to);
        }
    }
    return true;
}

static bool read_atom(source *s, linear_item *item)
{
    char c = *s->at++;
    char single = c;
    if (c == '[') {
        return read_class(s, item);
    }
    if (c == '\\') {
        bool ok = read_escape(s, item, &single);
        if (ok && single) {
            add_range(item, (unsigned char)single, (unsigned char)single);
        }
        return ok;
    }
    if ((unsigned char)c >= 0x80 || c == '\0' || strchr("^$.*+?()[]{}|/", c)) {
        return false;
    }
    add_range(item, (unsigned char)c, (unsigned char)c);
    return true;
}

static bool read_number(source *s, uint32_t *ret)
{
    const char *first = s->at;
    for (*ret = 0; s->at < s->end && *s->at >= '0' && *s->at <= '9' && *ret < 100000; s->at++) {
        *ret = *ret * 10 + (uint32_t)(*s->at - '0');
    }
    return s->at > first && *ret < 100000;
}

static bool read_repetition(source *s, linear_item *item)
{
    item->min = item->max = 1;
    if (take(s, '*') || take(s, '+')) {
        item->min = s->at[-1] == '+' ? 1 : 0;
        item->max = UINT32_MAX;
    } else if (take(s, '?')) {
        item->min = 0;
    } else if (take(s, '{')) {
        if (!read_number(s, &item->min)) {
            return false;
        }
        item->max = item->min;
        if (take(s, ',') && !read_number(s, &item->max)) {
            item->max = UINT32_MAX;
        }
        if (!take(s, '}')) {
            return false;
        }
    }
    return s->at == s->end || *s->at != '?'; // reluctant
}

// Whether the longest repetition of each item is the only one worth trying.
static bool is_decided(const linear_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; items[i].min < items[i].max && j < count; j++) {
            if ((items[i].set[0] & items[j].set[0]) || (items[i].set[1] & items[j].set[1])) {
                return false;
            }
            if (items[j].min > 0) {
                break;
            }
        }
    }
    return true;
}

// Notes whether the set of `item` is a range.
static void find_range(linear_item *item)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t first = 0;
    while (first < 128 && !contains(item, (char)first)) {
        first++;
    }
    uint64_t last = first;
    while (last < 127 && contains(item, (char)(last + 1))) {
        last++;
    }
    int count = __builtin_popcountll(item->set[0]) + __builtin_popcountll(item->set[1]);
    item->range = count > 0 && (uint64_t)count == last - first + 1;
    item->first = ones * first;
    item->above = ones * (0x7F - last);
}

bool lg_linear_compile(lg_arena *arena, lg_str text, const linear_pattern **ret)
{
    *ret = NULL;
    linear_item items[ITEMS_MAX];
    source s = {text.ptr, text.ptr + text.len};
    size_t count = 0;
    bool whole = false;
    if (!take(&s, '^')) {
        return true;
    }
    while (s.at < s.end && !whole) {
        whole = s.end - s.at == 1 && *s.at == '$';
        if (whole) {
            break;
        }
        if (count == ITEMS_MAX) {
            return true;
        }
        linear_item *item = &items[count++];
        *item = (linear_item){0};
        if (!read_atom(&s, item) || !read_repetition(&s, item)) {
            return true;
        }
        find_range(item);
    }
    if (!is_decided(items, count)) {
        return true;
    }
    linear_pattern *made = lg_arena_alloc(arena, sizeof(*made) + count * sizeof(*items), 8);
    if (made) {
        *made = (linear_pattern){.whole = whole, .count = count};
        memcpy(made->items, items, count * sizeof(*items));
    }
    *ret = made;
    return made != NULL;
}

// --- Matching -------------------------------------------------------------------------------------

static inline uint64_t load4(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

static inline uint64_t load8(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

// Whether all eight bytes of `word` are in the range of `item`: no sum or difference leaves its byte.
static inline bool all_inside(const linear_item *item, uint64_t word)
{
    const uint64_t high = 0x8080808080808080u;
    uint64_t below = ~((word | high) - item->first);
    uint64_t beyond = (word & ~high) + item->above;
    return !((word | below | beyond) & high);
}

// How many of the first `most` bytes are in the set of `item`, up to the first that is not. Digits and
// letters come in words: the last ones overlap.
static inline size_t run_length(const linear_item *item, const char *at, size_t most)
{
    size_t n = 0;
    if (item->range && most >= 8) {
        while (most - n >= 8 && all_inside(item, load8(at + n))) {
            n += 8;
        }
        if (most - n < 8 && all_inside(item, load8(at + most - 8))) {
            return most;
        }
    } else if (item->range && most >= 4 &&
               all_inside(item, load4(at) | load4(at + most - 4) << 32)) {
        return most;
    }
    while (n < most && contains(item, at[n])) {
        n++;
    }
    return n;
}

bool lg_linear_match(const linear_pattern *pattern, lg_str subject)
{
    const char *at = subject.ptr;
    size_t left = subject.len;
    for (size_t i = 0; i < pattern->count; i++) {
        const linear_item *item = &pattern->items[i];
        size_t run = run_length(item, at, left < item->max ? left : item->max);
        if (run < item->min) {
            return false;
        }
        at += run;
        left -= run;
    }
    return !pattern->whole || left == 0;
}
