// names.h: texts as numbers: each different text is kept once.
#ifndef LG_STATS_NAMES_H
#define LG_STATS_NAMES_H

#include "base/arena.h"
#include "base/str.h"

#define LG_NO_NAME UINT32_MAX

// All of it lives in an arena of the caller.
typedef struct lg_names {
    struct lg_names_node *root; // private
    lg_str *texts;
    uint32_t count;
    size_t capacity;
} lg_names;

// The number of `text`, from 0 in the order in which they came; it is copied if it is new. LG_NO_NAME when out of
// memory; then nothing has changed.
uint32_t lg_names_put(lg_arena *arena, lg_names *names, lg_str text);

// The same of a text that must be there, else LG_NO_NAME.
uint32_t lg_names_find(const lg_names *names, lg_str text);

// Each number's rank among the texts in byte order, so that nothing depends on what came first; NULL when out of memory.
// `*ret_sorted`: the texts in that order.
uint32_t *lg_names_rank(lg_arena *arena, const lg_names *names, lg_str **ret_sorted);

#endif
