// clustered.c: see clustered.h.
#include "stats/clustered.h"
#include "stats/chance.h"

#include <math.h>
#include <stdlib.h>

#define EXACT_CLUSTERS_MOST 12u // 4,096 signs
#define SIGNS_MOST 4999u
#define SIGNS_LEAST 999u
#define SIGN_STEPS 1000000u // clusters that are looked at for one p
#define ROUNDING 1e-9       // sums in another order are not the same to the last bit

static void add(lg_clustered_part *sum, const lg_clustered_part *part, double times)
{
    sum->sum += times * part->sum;
    sum->n += times * part->n;
}

static bool find_interval(lg_arena *scratch, const lg_clustered_part *parts, uint32_t count,
                          uint32_t resamples, lg_clustered *ret)
{
    uint32_t *times = LG_NEW_ARRAY(scratch, uint32_t, count);
    double *means = LG_NEW_ARRAY(scratch, double, resamples);
    lg_chance chance = {LG_STATS_SEED};
    if (!times || !means) {
        return false;
    }
    for (uint32_t i = 0; i < resamples; i++) {
        lg_clustered_part sum = {0, 0};
        lg_chance_draw(&chance, times, count);
        for (uint32_t k = 0; k < count; k++) {
            add(&sum, &parts[k], times[k]);
        }
        means[i] = sum.sum / sum.n;
    }
    lg_chance_interval(means, resamples, &ret->low, &ret->high);
    return true;
}

// The sum with the signs that the bits say, 64 at a time.
static double sum_with_signs(const lg_clustered_part *parts, uint32_t count, lg_chance *chance,
                             uint64_t bits)
{
    static const double signs[2] = {-1, 1};
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (chance && i % 64 == 0) {
            bits = lg_chance_bits(chance);
        }
        sum += signs[bits >> (i % 64) & 1] * parts[i].sum; // a branch would be guessed wrongly
    }
    return fabs(sum);
}

static double find_p(const lg_clustered_part *parts, uint32_t count)
{
    lg_chance chance = {LG_STATS_SEED};
    double seen = sum_with_signs(parts, count, NULL, UINT64_MAX) * (1 - ROUNDING);
    uint32_t as_large = 0;
    if (count <= EXACT_CLUSTERS_MOST) {
        uint32_t all = 1u << count;
        for (uint32_t signs = 0; signs < all; signs++) {
            as_large += sum_with_signs(parts, count, NULL, signs) >= seen;
        }
        return (double)as_large / all;
    }
    uint32_t times = SIGN_STEPS / count;
    times = times > SIGNS_MOST ? SIGNS_MOST : times < SIGNS_LEAST ? SIGNS_LEAST : times;
    for (uint32_t i = 0; i < times; i++) {
        as_large += sum_with_signs(parts, count, &chance, 0) >= seen;
    }
    return (as_large + 1.0) / (times + 1.0);
}

bool lg_clustered_of(lg_arena *scratch, const lg_clustered_part *parts, uint32_t count,
                     uint32_t resamples, bool wants_p, lg_clustered *ret)
{
    lg_clustered_part sum = {0, 0};
    lg_arena_mark mark = lg_arena_mark_here(scratch);
    for (uint32_t i = 0; i < count; i++) {
        add(&sum, &parts[i], 1);
    }
    *ret = (lg_clustered){sum.n > 0 ? sum.sum / sum.n : (double)NAN, (double)NAN, (double)NAN,
                          (double)NAN, sum.n};
    if (count < 2) {
        return true;
    }
    bool ok = find_interval(scratch, parts, count, resamples, ret);
    ret->p = ok && wants_p ? find_p(parts, count) : (double)NAN;
    lg_arena_rewind(scratch, mark);
    return ok;
}

bool lg_parts_init(lg_arena *arena, lg_parts *parts, uint32_t clusters)
{
    *parts = (lg_parts){.parts = LG_NEW_ARRAY(arena, lg_clustered_part, (size_t)clusters + 1),
                        .numbers = LG_NEW_ARRAY(arena, uint32_t, (size_t)clusters + 1),
                        .clusters = LG_NEW_ARRAY(arena, uint32_t, (size_t)clusters + 1)};
    return parts->parts && parts->numbers && parts->clusters;
}

void lg_parts_add(lg_parts *parts, uint32_t cluster, double value)
{
    uint32_t *number = &parts->numbers[cluster];
    if (!*number) {
        parts->parts[parts->count] = (lg_clustered_part){0, 0};
        parts->clusters[parts->count] = cluster;
        *number = ++parts->count;
    }
    parts->parts[*number - 1].sum += value;
    parts->parts[*number - 1].n += 1;
}

void lg_parts_clear(lg_parts *parts)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        parts->numbers[parts->clusters[i]] = 0;
    }
    parts->count = 0;
}

void lg_holm(double *p, uint32_t *order, size_t count)
{
    size_t known = 0;
    double highest = 0;
    for (size_t i = 0; i < count; i++) { // by insertion: families are small
        if (isnan(p[i])) {
            continue;
        }
        size_t at = known++;
        for (; at > 0 && p[order[at - 1]] > p[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = (uint32_t)i;
    }
    for (size_t i = 0; i < known; i++) {
        double adjusted = p[order[i]] * (double)(known - i);
        highest = adjusted > highest ? adjusted : highest;
        p[order[i]] = highest < 1 ? highest : 1;
    }
}
