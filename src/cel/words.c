// Patterns of matches() that ask for one of some words.
//
// `(?i)\b(yes|sure|go ahead)\b` is what rules ask of messages most often. Whether one of the words stands somewhere is
// found in one pass over the text, which looks closer where one of them may begin. Only in ASCII: beyond it there are
// letters that are s or k but for their case. Other patterns, and other texts, are left to PCRE2.
#include "cel/cel_internal.h"

enum { WORDS_MAX = 64, WORD_BYTES_MAX = 64, ASCII = 128 };

typedef struct word {
    const char *text; // in small letters, if case does not matter
    uint32_t len;
    uint32_t next; // the next that begins with the same letter, from 1; 0: none
} word;

struct lg_cel_words {
    bool folds;           // case does not matter
    bool left;            // a boundary stands before the word
    bool right;           // and behind it
    uint8_t first[ASCII]; // the first word that begins so, from 1; 0: none
    uint32_t count;
    word items[WORDS_MAX];
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word_byte(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

// --- Reading --------------------------------------------------------------------------------------

static bool take(lg_str *rest, const char *text)
{
    lg_str wanted = lg_str_c(text);
    bool found = lg_str_starts(*rest, wanted);
    *rest = found ? lg_str_slice(*rest, wanted.len, rest->len) : *rest;
    return found;
}

static bool add_word(lg_arena *arena, lg_cel_words *words, lg_str text)
{
    if (text.len == 0 || text.len > WORD_BYTES_MAX || words->count == WORDS_MAX) {
        return false;
    }
    char *copy = lg_arena_alloc(arena, text.len, 1);
    if (!copy) {
        return false; // PCRE2 will say so
    }
    for (size_t i = 0; i < text.len; i++) {
        copy[i] = words->folds ? fold(text.ptr[i]) : text.ptr[i];
    }
    uint8_t *first = &words->first[(unsigned char)copy[0]];
    words->items[words->count++] = (word){copy, (uint32_t)text.len, *first};
    *first = (uint8_t)words->count;
    if (words->folds && is_letter(copy[0])) {
        words->first[(unsigned char)(copy[0] - ('a' - 'A'))] = *first;
    }
    return true;
}

// Words of letters, digits and blanks, with bars between them.
static bool add_words(lg_arena *arena, lg_cel_words *words, lg_str *rest)
{
    do {
        size_t len = 0;
        while (len < rest->len && (is_word_byte(rest->ptr[len]) || rest->ptr[len] == ' ')) {
            len++;
        }
        if (!add_word(arena, words, lg_str_slice(*rest, 0, len))) {
            return false;
        }
        *rest = lg_str_slice(*rest, len, rest->len);
    } while (take(rest, "|"));
    return true;
}

static bool read_pattern(lg_arena *arena, lg_cel_words *words, lg_str rest)
{
    words->folds = take(&rest, "(?i)");
    words->left = take(&rest, "\\b");
    bool group = take(&rest, "(?:") || take(&rest, "(");
    if (!add_words(arena, words, &rest) || (group && !take(&rest, ")"))) {
        return false;
    }
    words->right = take(&rest, "\\b");
    bool one = group || words->count == 1; // else a boundary belongs to one word of several
    return rest.len == 0 && (one || (!words->left && !words->right));
}

const lg_cel_words *lg_cel_words_compile(lg_arena *arena, lg_str pattern)
{
    lg_arena_mark mark = lg_arena_mark_here(arena);
    lg_cel_words *words = LG_NEW(arena, lg_cel_words);
    if (words && !read_pattern(arena, words, pattern)) {
        lg_arena_rewind(arena, mark);
        words = NULL;
    }
    return words;
}

// --- Matching -------------------------------------------------------------------------------------

bool lg_cel_words_can(lg_str text)
{
    unsigned char all = 0;
    for (size_t i = 0; i < text.len; i++) {
        all |= (unsigned char)text.ptr[i];
    }
    return all < ASCII;
}

static bool is_boundary(lg_str text, size_t at)
{
    bool before = at > 0 && is_word_byte(text.ptr[at - 1]);
    bool behind = at < text.len && is_word_byte(text.ptr[at]);
    return before != behind;
}

static bool stands_at(const lg_cel_words *words, const word *w, lg_str text, size_t at)
{
    if (text.len - at < w->len) {
        return false;
    }
    for (uint32_t i = 0; i < w->len; i++) {
        char c = text.ptr[at + i];
        if ((words->folds ? fold(c) : c) != w->text[i]) {
            return false;
        }
    }
    return !words->right || is_boundary(text, at + w->len);
}

bool lg_cel_words_match(lg_cel_vm *vm, const lg_cel_words *words, lg_str text)
{
    for (size_t at = 0; at < text.len; at++) {
        uint32_t next = words->first[(unsigned char)text.ptr[at]];
        if (!next || (words->left && !is_boundary(text, at))) {
            continue;
        }
        for (; next; next = words->items[next - 1].next) {
            const word *w = &words->items[next - 1];
            if (!lg_cel_charge(vm, 1 + w->len / 16)) {
                return false; // at a limit it does not matter what
            }
            if (stands_at(words, w, text, at)) {
                return true;
            }
        }
    }
    return false;
}
