// dice.h: numbers by seed, the same on every machine.
#ifndef LG_DICE_H
#define LG_DICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dice {
    uint64_t state;
} dice;

static inline dice dice_of(uint64_t seed)
{
    return (dice){seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
}

// A number below `below`, or 0.
static inline uint32_t dice_below(dice *d, uint32_t below)
{
    d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = d->state;
    x = (x ^ (x >> 31)) * UINT64_C(0xBF58476D1CE4E5B9);
    return below ? (uint32_t)((x >> 17) % below) : 0;
}

static inline bool dice_one_in(dice *d, uint32_t count)
{
    return dice_below(d, count) == 0;
}

// One of the items of an array.
#define DICE_PICK(d, items) ((items)[dice_below((d), sizeof(items) / sizeof(*(items)))])

#endif
