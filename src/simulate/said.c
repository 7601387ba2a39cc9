// said.c: does a text say what it has to?
//
// The rule of tau2, so that what passes there passes here: the letters small, the commas gone, and one text is within the
// other, even where "10" is within "$110" or "v10". Its comma is gone from the message alone, and 327.5 is not $327.50;
// here commas are gone from both, and a number is also said by one of the same value.
#include "simulate/checklist_internal.h"

#include "base/utf8.h"

// --- Letters ------------------------------------------------------------------------------------

// Blocks of capital letters, and how far the small ones are; 0: each stands before its small one, the first at `from`.
static const struct {
    uint32_t from, to, distance;
} capitals[] = {
    {0x00C0, 0x00D6, 32}, {0x00D8, 0x00DE, 32}, {0x0100, 0x012F, 0},  {0x0132, 0x0137, 0},
    {0x0139, 0x0148, 0},  {0x014A, 0x0177, 0},  {0x0179, 0x017E, 0},  {0x0386, 0x0386, 38},
    {0x0388, 0x038A, 37}, {0x038C, 0x038C, 64}, {0x038E, 0x038F, 63}, {0x0391, 0x03A1, 32},
    {0x03A3, 0x03AB, 32}, {0x0400, 0x040F, 80}, {0x0410, 0x042F, 32}, {0x0460, 0x0481, 0},
    {0x048A, 0x04BF, 0},  {0x04C1, 0x04CE, 0},  {0x04D0, 0x052F, 0},  {0x1E00, 0x1E95, 0},
    {0x1EA0, 0x1EFF, 0},
};

// Never one that takes more bytes.
static uint32_t small(uint32_t letter)
{
    for (size_t i = 0; letter >= 0xC0 && i < LG_COUNT(capitals); i++) {
        if (letter >= capitals[i].from && letter <= capitals[i].to) {
            bool capital = capitals[i].distance || (letter - capitals[i].from) % 2 == 0;
            return letter + (capitals[i].distance ? capitals[i].distance : capital);
        }
    }
    return letter == 0x0178   ? 0x00FF
           : letter == 0x03C2 ? 0x03C3 // the sigma at the end of a word
                              : letter;
}

lg_str checklist_plain(lg_arena *arena, lg_str text)
{
    char *to = lg_arena_alloc(arena, text.len + 1, 1);
    size_t len = 0;
    for (size_t i = 0; to && i < text.len;) {
        size_t bytes = lg_utf8_length(lg_str_slice(text, i, text.len));
        if (bytes > 1) {
            len += lg_utf8_put(to + len, small(lg_utf8_next(text, &i)));
            continue;
        }
        if (text.ptr[i] != ',') {
            to[len++] = lg_lower(text.ptr[i]);
        }
        i++;
    }
    return lg_str_of(to, to ? len : 0);
}

// --- Numbers ------------------------------------------------------------------------------------

// A number without what does not change its value.
typedef struct said_number {
    bool negative;
    lg_str whole, part; // no zeros before the one, and none behind the other
} said_number;

static bool is_digit_at(lg_str text, size_t at)
{
    return at < text.len && lg_is_digit(text.ptr[at]);
}

// The end of the digits and points that begin at `from`; a point at their end is that of a sentence.
static size_t number_end(lg_str text, size_t from)
{
    size_t end = from;
    while (is_digit_at(text, end) || (end < text.len && text.ptr[end] == '.')) {
        end++;
    }
    while (end > from && text.ptr[end - 1] == '.') {
        end--;
    }
    return end;
}

// False for what has two points, such as a date.
static bool read_number(lg_str digits, bool negative, said_number *ret)
{
    size_t point = lg_str_find(digits, LG_STR("."));
    size_t end = point == SIZE_MAX ? digits.len : point, from = 0, last = digits.len;
    while (from < end && digits.ptr[from] == '0') {
        from++;
    }
    while (last > end && (digits.ptr[last - 1] == '0' || last == end + 1)) {
        last--;
    }
    ret->whole = lg_str_slice(digits, from, end);
    ret->part = last > end ? lg_str_slice(digits, end + 1, last) : LG_STR("");
    ret->negative = negative && ret->whole.len + ret->part.len > 0;
    return lg_str_find(ret->part, LG_STR(".")) == SIZE_MAX;
}

// Is it a number, and nothing else?
static bool is_number(lg_str text, said_number *ret)
{
    bool negative = text.len > 0 && text.ptr[0] == '-';
    lg_str digits = lg_str_slice(text, negative, text.len);
    return is_digit_at(digits, 0) && number_end(digits, 0) == digits.len &&
           read_number(digits, negative, ret);
}

static bool says_number(lg_str text, const said_number *wanted)
{
    for (size_t at = 0; at < text.len;) {
        if (!is_digit_at(text, at)) {
            at++;
            continue;
        }
        // 3-5 is no -5.
        bool minus = at > 0 && text.ptr[at - 1] == '-';
        bool behind = at > 1 && (lg_is_letter(text.ptr[at - 2]) || lg_is_digit(text.ptr[at - 2]));
        size_t end = number_end(text, at);
        said_number n;
        if (read_number(lg_str_slice(text, at, end), minus && !behind, &n) &&
            n.negative == wanted->negative && lg_str_eq(n.whole, wanted->whole) &&
            lg_str_eq(n.part, wanted->part)) {
            return true;
        }
        at = end;
    }
    return false;
}

bool checklist_says(lg_str text, lg_str what)
{
    said_number number;
    return what.len > 0 && (lg_str_find(text, what) != SIZE_MAX ||
                            (is_number(what, &number) && says_number(text, &number)));
}
