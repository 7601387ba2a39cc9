// measures.h: what is compared: the pass rate, and the mean of each score.
#ifndef LG_STATS_MEASURES_H
#define LG_STATS_MEASURES_H

#include "stats/clustered.h"
#include "stats/stats_internal.h"

// Measure 0 is whether it passed, 1 and up the columns in the order in which they are shown.
#define LG_MEASURE_PASSED 0u

static inline uint32_t lg_measures(const lg_stats_view *view)
{
    return 1 + lg_stats_columns(view);
}

lg_str lg_measure_name(const lg_stats_view *view, uint32_t measure);

// Of a result, or NAN.
double lg_measure_of(const lg_stats_view *view, const lg_stats_row *row, uint32_t measure);

// The members of a difference of two means over `parts`, and its interval. `keys`: how the two are called.
typedef struct lg_difference {
    const char *first, *second; // keys of their means
    double first_sum, second_sum;
    lg_clustered of;
} lg_difference;

void lg_difference_write(lg_json_writer *w, const lg_difference *d);

#endif
