// words.c: words that were said, so that keys of records are found among them in the time of a search.
#include "request/request_internal.h"

#include <stdlib.h>

#define WORD_MAX 128u // bytes; what is longer is no key of anybody's

static bool is_of_word(char c)
{
    return lg_is_letter(c) || lg_is_digit(c) || c == '-' || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_edge(char c)
{
    return c == '-' || c == '_';
}

static lg_str lower(lg_arena *arena, lg_str text)
{
    char *copy = lg_arena_alloc(arena, text.len + 1, 1);
    for (size_t i = 0; copy && i < text.len; i++) {
        copy[i] = lg_lower(text.ptr[i]);
    }
    return (lg_str){copy, text.len};
}

static lg_status add_word(lg_arena *arena, word_set *set, lg_str word)
{
    while (word.len && is_edge(word.ptr[0])) {
        word = lg_str_slice(word, 1, word.len);
    }
    while (word.len && is_edge(word.ptr[word.len - 1])) {
        word.len--;
    }
    if (word.len == 0 || word.len > WORD_MAX) {
        return LG_OK;
    }
    lg_str *words = lg_arena_grow(arena, set->words, set->count, &set->capacity, sizeof(*words));
    lg_str own = lower(arena, word);
    if (!words || !own.ptr) {
        return LG_ERR_OOM;
    }
    set->words = words;
    words[set->count++] = own;
    return LG_OK;
}

lg_status words_add(lg_arena *arena, word_set *set, lg_str text, lg_budget *budget)
{
    if (!lg_budget_take(budget, text.len / 4 + 1)) {
        return LG_ERR_LIMIT;
    }
    lg_status status = LG_OK;
    for (size_t i = 0; i < text.len && status == LG_OK;) {
        size_t from = i;
        while (i < text.len && is_of_word(text.ptr[i])) {
            i++;
        }
        status = i > from ? add_word(arena, set, lg_str_slice(text, from, i)) : LG_OK;
        i += i == from;
    }
    return status;
}

static int by_bytes(const void *a, const void *b)
{
    const lg_str *x = a;
    const lg_str *y = b;
    return lg_str_cmp(*x, *y);
}

void words_sort(word_set *set)
{
    if (set->count > 1) {
        qsort(set->words, set->count, sizeof(*set->words), by_bytes);
    }
}

bool words_hold(const word_set *set, lg_str key)
{
    char room[WORD_MAX];
    while (key.len && !lg_is_letter(key.ptr[0]) && !lg_is_digit(key.ptr[0])) {
        key = lg_str_slice(key, 1, key.len);
    }
    if (key.len == 0 || key.len > WORD_MAX || set->count == 0) {
        return false;
    }
    for (size_t i = 0; i < key.len; i++) {
        room[i] = lg_lower(key.ptr[i]);
    }
    lg_str word = {room, key.len};
    return bsearch(&word, set->words, set->count, sizeof(word), by_bytes) != NULL;
}
