// auc.h: how well a score tells the conversations that came right from those that did not.
//
// The area under the ROC curve is the chance that of one that came right and one that did not, drawn by chance, the
// former has the higher score, ties counting half (Mann and Whitney 1947; Hanley and McNeil 1982). Of results in several
// segments it is the mean of the segments' areas, each counting the same.
//
// The interval is the percentile bootstrap over clusters (Field and Welsh 2007): conversations of one customer are not
// independent, so customers are drawn with replacement, and all conversations of one come along.
#ifndef LG_STATS_AUC_H
#define LG_STATS_AUC_H

#include "base/arena.h"

typedef struct lg_auc_case {
    double score;
    uint32_t cluster; // any number that `numbers` has room for
    uint32_t segment;
    bool positive;
} lg_auc_case;

typedef struct lg_auc {
    const char *why; // there is no area, or NULL
    const char *why_no_interval;
    double auc, low, high;
    uint64_t n, positives;
    uint32_t segments;  // that have both classes
    uint32_t resamples; // that the interval is made of
} lg_auc;

// Sorts the cases by segment and score, if they are not. False when out of memory; `scratch` is left as it was.
// `numbers` has a zero for each cluster that there may be, and zeroes again afterwards; `resamples` is at least 2.
LG_NODISCARD bool lg_auc_of(lg_arena *scratch, lg_auc_case *cases, size_t count, uint32_t *numbers,
                            uint32_t resamples, lg_auc *ret);

// By score, from low to high.
int lg_auc_by_score(const void *a, const void *b);

#endif
