// clustered.h: a mean whose parts are not independent: its interval, and whether it may be zero by chance.
#ifndef LG_STATS_CLUSTERED_H
#define LG_STATS_CLUSTERED_H

#include "base/arena.h"

// What one cluster adds to a mean.
typedef struct lg_clustered_part {
    double sum;
    double n;
} lg_clustered_part;

typedef struct lg_clustered {
    double mean;      // NAN of nothing
    double low, high; // 95 %, or NAN with fewer than two clusters
    double p;         // of a mean of zero, or NAN likewise
    double n;
} lg_clustered;

// The interval: the percentile bootstrap over clusters. `p`, if wanted: how often a sum as large, either way, comes about
// if each cluster's sum might as well have the other sign (Fisher's randomisation of pairs); of all signs if the clusters
// are few, else of many drawn by seed. False when out of memory; `scratch` is left as it was.
LG_NODISCARD bool lg_clustered_of(lg_arena *scratch, const lg_clustered_part *parts, uint32_t count,
                                  uint32_t resamples, bool wants_p, lg_clustered *ret);

// Parts by the number of their cluster.
typedef struct lg_parts {
    lg_clustered_part *parts;
    uint32_t count;
    // Private.
    uint32_t *numbers;  // of each cluster that there may be: its part and one, or 0
    uint32_t *clusters; // of each part
} lg_parts;

// `clusters`: how many there may be. All in the arena; false when out of memory.
LG_NODISCARD bool lg_parts_init(lg_arena *arena, lg_parts *parts, uint32_t clusters);
void lg_parts_add(lg_parts *parts, uint32_t cluster, double value);
void lg_parts_clear(lg_parts *parts);

// Makes of `count` p values those that Holm (1979) allows to compare with one level: NAN stays and is not counted.
// `order` has room for them.
void lg_holm(double *p, uint32_t *order, size_t count);

#endif
