// chance.c: see chance.h.
#include "stats/chance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t lg_chance_resamples(size_t n)
{
    size_t times = LG_STATS_RESAMPLE_VISITS / (n ? n : 1);
    return times > LG_STATS_RESAMPLES_MOST    ? LG_STATS_RESAMPLES_MOST
           : times < LG_STATS_RESAMPLES_LEAST ? LG_STATS_RESAMPLES_LEAST
                                              : (uint32_t)times;
}

void lg_chance_draw(lg_chance *c, uint32_t *times, uint32_t count)
{
    memset(times, 0, count * sizeof(*times));
    for (uint32_t i = 0; i < count; i++) {
        times[lg_chance_below(c, count)]++;
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, double share)
{
    double at = share * (double)(count - 1);
    size_t below = (size_t)at;
    size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - floor(at)) * (sorted[above] - sorted[below]);
}

void lg_chance_interval(double *values, size_t count, double *ret_low, double *ret_high)
{
    qsort(values, count, sizeof(*values), by_value);
    *ret_low = quantile(values, count, 0.025);
    *ret_high = quantile(values, count, 0.975);
}
