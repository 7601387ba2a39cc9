// scope.h: results by domain, by model, by both.
#ifndef LG_STATS_SCOPE_H
#define LG_STATS_SCOPE_H

#include "stats/stats_internal.h"

typedef enum lg_scope {
    LG_OVERALL,
    LG_BY_DOMAIN,
    LG_BY_MODEL,
    LG_BY_GROUP, // of (domain, model)
} lg_scope;

// Where an item stands in a scope, and how many places there are.
uint32_t lg_scope_place(const lg_stats_item *item, lg_scope scope);
size_t lg_scope_places(const lg_stats_view *view, lg_scope scope);

// Items sorted by their place, each place's in the order in which they were given.
typedef struct lg_places {
    uint32_t *items;
    size_t *starts; // one more than places
    size_t count;   // of places
} lg_places;

// Of the `count` items that `chosen` names, or of all if it is NULL. In the arena; false when out of memory.
LG_NODISCARD bool lg_places_of(lg_arena *arena, const lg_stats_view *view, lg_scope scope,
                               const uint32_t *chosen, size_t count, lg_places *ret);

// The members `domain` and `model`.
void lg_stats_write_group(const lg_stats_view *view, uint32_t group, lg_json_writer *w);

// A number, or null where it is NAN.
void lg_stats_write_number(lg_json_writer *w, const char *key, double value);

// The share of `part` in `whole`, or NAN of nothing.
static inline double lg_share(double part, double whole)
{
    return whole > 0 ? part / whole : LG_UNKNOWN;
}

#endif
