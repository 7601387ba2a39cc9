// Patterns of matches() that one pass over the text decides.
//
// Most patterns of real rules are like `^#W[0-9]{7}$`: anchored, and made of ASCII characters and
// classes that may be repeated. Where a repeated class has no character in common with what may
// follow it, its longest repetition is the only one that can lead to a match: there is nothing to come
// back to, so a loop over the bytes does, in linear time and without any memory. Everything else is
// left to PCRE2, above all whatever is not well formed: only there are patterns refused.
#include "cel/cel_internal.h"

enum { STEPS_MAX = 32, REPEAT_MAX = 1000 };

// A class of bytes, and how often it stands there.
typedef struct linear_step {
    uint64_t set[4]; // a bit for each byte; the upper half stays empty
    uint32_t min;
    uint32_t max; // UINT32_MAX: no end
} linear_step;

struct lg_cel_linear {
    bool whole; // ends in `$`
    uint32_t count;
    linear_step steps[];
};

static bool contains(const linear_step *step, char c)
{
    unsigned char byte = (unsigned char)c;
    return step->set[byte / 64] >> (byte % 64) & 1;
}

static void add_range(linear_step *step, char from, char to)
{
    for (unsigned c = (unsigned char)from; c <= (unsigned char)to; c++) {
        step->set[c / 64] |= UINT64_C(1) << (c % 64);
    }
}

// --- Reading --------------------------------------------------------------------------------------

typedef struct reader {
    const char *at;
    const char *end;
} reader;

static bool take(reader *r, char c)
{
    bool found = r->at < r->end && *r->at == c;
    r->at += found;
    return found;
}

// A character that stands for itself, or `\d`, `\w` or an escaped punctuation mark. A class has no
// single character: `*ret_single` is NUL then.
static bool read_character(reader *r, const char *special, linear_step *step, char *ret_single)
{
    bool escaped = take(r, '\\');
    if (r->at == r->end || (unsigned char)*r->at >= 0x80 || *r->at == '\0') {
        return false;
    }
    char c = *r->at++;
    if (escaped && (c == 'd' || c == 'w')) {
        *ret_single = '\0';
        add_range(step, '0', '9');
        if (c == 'w') {
            add_range(step, 'a', 'z');
            add_range(step, 'A', 'Z');
            add_range(step, '_', '_');
        }
        return true;
    }
    *ret_single = c;
    bool word = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    return escaped ? !word : !strchr(special, c);
}

// The rest of a class behind its `[`.
static bool read_class(reader *r, linear_step *step)
{
    bool any = false;
    for (; !take(r, ']'); any = true) {
        char from;
        char to;
        if (!read_character(r, any ? "[]" : "[]^", step, &from)) {
            return false;
        }
        to = from;
        if (r->end - r->at >= 2 && r->at[0] == '-' && r->at[1] != ']') {
            r->at++;
            if (!from || !read_character(r, "[]", step, &to) || to < from) {
                return false;
            }
        }
        if (from) {
            add_range(step, from, to);
        }
    }
    return any;
}

static bool read_atom(reader *r, linear_step *step)
{
    if (take(r, '[')) {
        return read_class(r, step);
    }
    char single;
    if (!read_character(r, "^$.*+?()[]{}|", step, &single)) {
        return false;
    }
    if (single) {
        add_range(step, single, single);
    }
    return true;
}

static bool read_number(reader *r, uint32_t *ret)
{
    const char *first = r->at;
    for (*ret = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9' && *ret <= REPEAT_MAX;
         r->at++) {
        *ret = *ret * 10 + (uint32_t)(*r->at - '0');
    }
    return r->at > first && *ret <= REPEAT_MAX;
}

// Fails for what is a plain brace or not well formed, and for what is reluctant.
static bool read_repetition(reader *r, linear_step *step)
{
    step->min = step->max = 1;
    if (take(r, '*') || take(r, '+')) {
        step->min = r->at[-1] == '+';
        step->max = UINT32_MAX;
    } else if (take(r, '?')) {
        step->min = 0;
    } else if (take(r, '{')) {
        if (!read_number(r, &step->min)) {
            return false;
        }
        step->max = step->min;
        if (take(r, ',')) {
            step->max = UINT32_MAX;
            if (r->at < r->end && *r->at != '}' && !read_number(r, &step->max)) {
                return false;
            }
        }
        if (!take(r, '}') || step->max < step->min) {
            return false;
        }
    }
    return r->at == r->end || *r->at != '?';
}

// Whether the longest repetition of each step is the only one worth trying.
static bool is_decided(const linear_step *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; steps[i].min < steps[i].max && j < count; j++) {
            if ((steps[i].set[0] & steps[j].set[0]) || (steps[i].set[1] & steps[j].set[1])) {
                return false;
            }
            if (steps[j].min > 0) {
                break;
            }
        }
    }
    return true;
}

bool lg_cel_linear_compile(lg_arena *arena, lg_str pattern, const lg_cel_linear **ret)
{
    *ret = NULL;
    linear_step steps[STEPS_MAX];
    uint32_t count = 0;
    reader r = {pattern.ptr, pattern.ptr + pattern.len};
    if (!take(&r, '^')) {
        return true;
    }
    bool whole = false;
    while (r.at < r.end && !whole) {
        whole = r.end - r.at == 1 && *r.at == '$';
        if (whole) {
            break;
        }
        if (count == STEPS_MAX) {
            return true;
        }
        linear_step *step = &steps[count++];
        *step = (linear_step){0};
        if (!read_atom(&r, step) || !read_repetition(&r, step)) {
            return true;
        }
    }
    if (!is_decided(steps, count)) {
        return true;
    }
    lg_cel_linear *made = lg_arena_alloc(arena, sizeof(*made) + count * sizeof(*steps), 8);
    if (made) {
        *made = (lg_cel_linear){.whole = whole, .count = count};
        memcpy(made->steps, steps, count * sizeof(*steps));
    }
    *ret = made;
    return made != NULL;
}

// --- Matching -------------------------------------------------------------------------------------

bool lg_cel_linear_match(const lg_cel_linear *linear, lg_str text)
{
    const char *at = text.ptr;
    const char *end = text.ptr + text.len;
    for (uint32_t i = 0; i < linear->count; i++) {
        const linear_step *step = &linear->steps[i];
        size_t left = (size_t)(end - at);
        if (left < step->min) {
            return false;
        }
        const char *least = at + step->min;
        const char *most = left < step->max ? end : at + step->max;
        while (at < most && contains(step, *at)) {
            at++;
        }
        if (at < least) {
            return false;
        }
    }
    return !linear->whole || at == end;
}
