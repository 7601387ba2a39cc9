// chance.h: numbers by seed (SplitMix64: Steele, Lea and Flood 2014), and what is made of many draws.
#ifndef LG_STATS_CHANCE_H
#define LG_STATS_CHANCE_H

#include <stddef.h>
#include <stdint.h>

#define LG_STATS_SEED UINT64_C(0x1ED6E26A7E57A75)
#define LG_STATS_RESAMPLES_MOST 1000u
#define LG_STATS_RESAMPLES_LEAST 200u
#define LG_STATS_RESAMPLE_VISITS 20000000u // conversations that are looked at for one interval

typedef struct lg_chance {
    uint64_t state;
} lg_chance;

static inline uint64_t lg_chance_bits(lg_chance *c)
{
    uint64_t z = (c->state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

// A number below `below`, which is not 0.
static inline uint32_t lg_chance_below(lg_chance *c, uint32_t below)
{
    return (uint32_t)(((lg_chance_bits(c) >> 32) * below) >> 32);
}

// How often the clusters are drawn for each interval where there are `n` results: often where that is cheap. With many
// of them intervals are small, whatever their ends' own error.
uint32_t lg_chance_resamples(size_t n);

// Draws `count` of `count` clusters with replacement: how often each came.
void lg_chance_draw(lg_chance *c, uint32_t *times, uint32_t count);

// Sorts `values` and finds the ends of the middle 95 % by linear interpolation (Hyndman and Fan's type 7).
void lg_chance_interval(double *values, size_t count, double *ret_low, double *ret_high);

#endif
