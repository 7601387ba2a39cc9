// words.c: texts as words: what a letter is, how it is folded, and numbers at their beginning.
#include "origin/origin_internal.h"

#include "base/utf8.h"

// The letters U+00C0 to U+00FF without case and accent; a blank is no letter.
static const char latin[] = "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty";

static lg_origin_letter ascii(char c)
{
    lg_origin_letter letter = {.len = lg_is_digit(c) || lg_is_letter(c)};
    letter.bytes[0] = lg_lower(c);
    return letter;
}

static lg_origin_letter fold(uint32_t c)
{
    lg_origin_letter none = {0};
    if (c < 0x80) {
        return ascii((char)c);
    }
    if (c < 0xC0 || (c >= 0x2000 && c < 0x2E80) || (c >= 0x3000 && c < 0x3005) ||
        (c >= 0x3008 && c < 0x3021) || c == 0x30FB || (c >= 0xFE00 && c < 0xFE70) ||
        (c >= 0x1F000 && c < 0x20000)) {
        return none; // marks, signs and pictures
    }
    if (c < 0x100) {
        return latin[c - 0xC0] == ' ' ? none : ascii(latin[c - 0xC0]);
    }
    if (c > 0xFF00 && c < 0xFF5F) {
        return ascii((char)(c - 0xFF00 + 0x20));
    }
    lg_origin_letter letter = {.alone = c >= 0x2E80};
    letter.len = (uint32_t)lg_utf8_put(letter.bytes, c);
    return letter;
}

static bool hex4(lg_str text, size_t at, uint32_t *ret)
{
    uint32_t value = 0;
    for (size_t i = at; i < at + 4; i++) {
        char c = i < text.len ? lg_lower(text.ptr[i]) : 'x';
        if (!lg_is_digit(c) && (c < 'a' || c > 'f')) {
            return false;
        }
        value = value << 4 | (uint32_t)(lg_is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    *ret = value;
    return true;
}

// The character behind a backslash. Whatever is no escape of JSON is a mark of one byte.
static lg_origin_letter escaped(lg_origin_reader *reader)
{
    lg_str text = reader->text;
    size_t at = reader->at;
    uint32_t c = 0;
    uint32_t low = 0;
    if (at + 1 >= text.len || text.ptr[at + 1] != 'u' || !hex4(text, at + 2, &c)) {
        bool known = at + 1 < text.len && memchr("\"\\/bfnrt", text.ptr[at + 1], 8);
        reader->at += known ? 2 : 1;
        return (lg_origin_letter){0};
    }
    reader->at += 6;
    if (c >= 0xD800 && c < 0xDC00 && at + 7 < text.len && text.ptr[at + 6] == '\\' &&
        text.ptr[at + 7] == 'u' && hex4(text, at + 8, &low) && low >= 0xDC00 && low < 0xE000) {
        reader->at += 6;
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    return c >= 0xD800 && c < 0xE000 ? (lg_origin_letter){0} : fold(c);
}

static lg_origin_letter unusual(lg_origin_reader *reader)
{
    if (reader->text.ptr[reader->at] == '\\' && reader->escapes) {
        return escaped(reader);
    }
    lg_str rest = {reader->text.ptr + reader->at, reader->text.len - reader->at};
    size_t len = lg_utf8_length(rest.len > 4 ? (lg_str){rest.ptr, 4} : rest);
    if (len == 0) {
        reader->at++;
        return (lg_origin_letter){0};
    }
    return fold(lg_utf8_next(reader->text, &reader->at));
}

lg_origin_letter lg_origin_next_letter(lg_origin_reader *reader)
{
    char c = reader->text.ptr[reader->at];
    if ((unsigned char)c < 0x80 && c != '\\') {
        reader->at++;
        return ascii(c);
    }
    return unusual(reader);
}

// The byte that an ASCII letter or digit is folded to; 0 of any other ASCII; 1: look at it closely.
static const char folded[256] = {
    ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6',
    ['7'] = '7', ['8'] = '8', ['9'] = '9', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd',
    ['E'] = 'e', ['F'] = 'f', ['G'] = 'g', ['H'] = 'h', ['I'] = 'i', ['J'] = 'j', ['K'] = 'k',
    ['L'] = 'l', ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r',
    ['S'] = 's', ['T'] = 't', ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y',
    ['Z'] = 'z', ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd', ['e'] = 'e', ['f'] = 'f',
    ['g'] = 'g', ['h'] = 'h', ['i'] = 'i', ['j'] = 'j', ['k'] = 'k', ['l'] = 'l', ['m'] = 'm',
    ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r', ['s'] = 's', ['t'] = 't',
    ['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z', ['\\'] = 1};

static bool is_close(unsigned char c)
{
    return c >= 0x80 || c == '\\';
}

// The digits that the word begins with: all of it so far, and of the `count` bytes at `run`.
static void add_digits(lg_origin_word *word, const char *run, size_t count)
{
    for (size_t i = 0; i < count && lg_is_digit(run[i]) && word->digits < 19; i++) {
        word->digits++; // what is longer is no number anyhow
        word->number = word->number * 10 + (uint64_t)(run[i] - '0');
    }
}

// Plain letters and digits from `at` on: most of every text. Returns where they end.
static size_t add_run(lg_origin_word *word, lg_str text, size_t at)
{
    uint64_t state = word->state;
    size_t end = at;
    for (char c; end < text.len && (c = folded[(unsigned char)text.ptr[end]]) > 1; end++) {
        state = lg_origin_hash_add(state, c);
    }
    word->begin = word->letters ? word->begin : at;
    word->state = state;
    if (word->digits == word->letters) {
        add_digits(word, text.ptr + at, end - at);
    }
    word->letters += (uint32_t)(end - at);
    word->end = end;
    return end;
}

static size_t skip_marks(lg_str text, size_t at)
{
    while (at < text.len && !folded[(unsigned char)text.ptr[at]] && !(text.ptr[at] & 0x80)) {
        at++;
    }
    return at;
}

static void add_letter(lg_origin_word *word, const lg_origin_letter *letter, size_t begin,
                       size_t end)
{
    for (uint32_t i = 0; i < letter->len; i++) {
        word->state = lg_origin_hash_add(word->state, letter->bytes[i]);
    }
    if (word->digits == word->letters) {
        add_digits(word, letter->bytes, letter->len);
    }
    word->begin = word->letters ? word->begin : begin;
    word->letters += letter->len;
    word->end = end;
}

bool lg_origin_next_word(lg_origin_reader *reader, lg_origin_word *ret)
{
    lg_str text = reader->text;
    lg_origin_word word = {.state = LG_ORIGIN_HASH_START};
    size_t at = skip_marks(text, reader->at);
    while (at < text.len) {
        if (!is_close((unsigned char)text.ptr[at])) {
            if (!folded[(unsigned char)text.ptr[at]]) {
                if (word.letters) {
                    break;
                }
                at = skip_marks(text, at);
                continue;
            }
            at = add_run(&word, text, at);
            continue;
        }
        reader->at = at;
        lg_origin_letter letter = unusual(reader);
        if (word.letters && (letter.alone || !letter.len)) {
            break;
        }
        if (letter.len) {
            add_letter(&word, &letter, at, reader->at);
        }
        at = reader->at;
        if (letter.alone) {
            break;
        }
    }
    reader->at = at;
    *ret = word;
    return word.letters > 0;
}
