// names.c: a balanced tree that is changed in place (Andersson, "Balanced Search Trees Made Simple", 1993). No choice of
// texts makes it slow, and unlike base/map.h it keeps no earlier state of itself.
#include "stats/names.h"

#include <stdlib.h>

typedef struct lg_names_node {
    struct lg_names_node *left, *right;
    lg_str text;
    uint32_t level;
    uint32_t number;
} node;

uint32_t lg_names_find(const lg_names *names, lg_str text)
{
    for (const node *at = names->root; at;) {
        int order = lg_str_cmp(text, at->text);
        if (order == 0) {
            return at->number;
        }
        at = order < 0 ? at->left : at->right;
    }
    return LG_NO_NAME;
}

// A left child of the same level becomes the parent.
static node *skew(node *at)
{
    node *left = at->left;
    if (!left || left->level != at->level) {
        return at;
    }
    at->left = left->right;
    left->right = at;
    return left;
}

// Of three in a row to the right the middle one is lifted.
static node *split(node *at)
{
    node *right = at->right;
    if (!right || !right->right || right->right->level != at->level) {
        return at;
    }
    at->right = right->left;
    right->left = at;
    right->level++;
    return right;
}

static node *insert(node *at, node *made)
{
    if (!at) {
        return made;
    }
    if (lg_str_cmp(made->text, at->text) < 0) {
        at->left = insert(at->left, made);
    } else {
        at->right = insert(at->right, made);
    }
    return split(skew(at));
}

uint32_t lg_names_put(lg_arena *arena, lg_names *names, lg_str text)
{
    uint32_t number = lg_names_find(names, text);
    if (number != LG_NO_NAME || names->count == LG_NO_NAME) {
        return number;
    }
    lg_str *texts =
        lg_arena_grow(arena, names->texts, names->count, &names->capacity, sizeof(*texts));
    names->texts = texts ? texts : names->texts;
    lg_str copy = lg_arena_str(arena, text);
    node *made = LG_NEW(arena, node);
    if (!texts || !copy.ptr || !made) {
        return LG_NO_NAME;
    }
    *made = (node){.text = copy, .level = 1, .number = names->count};
    names->root = insert(names->root, made);
    texts[names->count] = copy;
    return names->count++;
}

typedef struct ranked {
    lg_str text;
    uint32_t number;
} ranked;

static int by_text(const void *a, const void *b)
{
    return lg_str_cmp(((const ranked *)a)->text, ((const ranked *)b)->text);
}

uint32_t *lg_names_rank(lg_arena *arena, const lg_names *names, lg_str **ret_sorted)
{
    size_t count = names->count;
    ranked *list = LG_NEW_ARRAY(arena, ranked, count + 1);
    uint32_t *ranks = LG_NEW_ARRAY(arena, uint32_t, count + 1);
    lg_str *sorted = LG_NEW_ARRAY(arena, lg_str, count + 1);
    if (!list || !ranks || !sorted) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        list[i] = (ranked){names->texts[i], (uint32_t)i};
    }
    qsort(list, count, sizeof(*list), by_text);
    for (size_t i = 0; i < count; i++) {
        ranks[list[i].number] = (uint32_t)i;
        sorted[i] = list[i].text;
    }
    *ret_sorted = sorted;
    return ranks;
}
