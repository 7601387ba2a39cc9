// auc.c: see auc.h. One walk over the sorted cases gives an area: below each tie stand so many that did not come right.
// The sums are of integers, twice what they should be, so that halves are exact and no order of adding matters.
#include "stats/auc.h"
#include "stats/chance.h"

#include <stdlib.h>

// A case as the walk needs it: the cluster, and two bits.
#define POSITIVE 1u
#define TIE_ENDS 2u
#define SHIFT 2u

typedef struct walk {
    uint32_t *cases;
    size_t *segment_ends;
    uint32_t segment_count;
    uint32_t *times; // how often each cluster counts
    uint32_t cluster_count;
    size_t count;
} walk;

int lg_auc_by_score(const void *a, const void *b)
{
    const lg_auc_case *x = a;
    const lg_auc_case *y = b;
    return (x->score > y->score) - (x->score < y->score);
}

static int by_segment(const void *a, const void *b)
{
    const lg_auc_case *x = a;
    const lg_auc_case *y = b;
    int order = (x->segment > y->segment) - (x->segment < y->segment);
    return order ? order : lg_auc_by_score(a, b);
}

static void sort(lg_auc_case *cases, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (by_segment(&cases[i - 1], &cases[i]) > 0) {
            qsort(cases, count, sizeof(*cases), by_segment);
            return;
        }
    }
}

// --- One area -------------------------------------------------------------------------------------

// Of a segment; false if one class is missing. Both classes of a tie are counted in one word, so that a walk of many
// cases never waits for memory: fewer than 2^32 conversations are drawn in all.
static bool area_of(const walk *k, size_t from, size_t to, double *ret)
{
    uint64_t twice = 0;
    uint64_t negatives = 0; // so far below
    uint64_t positives = 0;
    uint64_t tied = 0; // the positive ones in the upper half
    for (size_t i = from; i < to; i++) {
        uint32_t one = k->cases[i];
        tied += (uint64_t)k->times[one >> SHIFT] << ((one & POSITIVE) * 32);
        if (one & TIE_ENDS) {
            twice += (tied >> 32) * (2 * negatives + (uint32_t)tied);
            positives += tied >> 32;
            negatives += (uint32_t)tied;
            tied = 0;
        }
    }
    if (negatives == 0 || positives == 0) {
        return false;
    }
    *ret = (double)twice / (2.0 * (double)negatives * (double)positives);
    return true;
}

// The mean of the segments that have both classes; returns how many.
static uint32_t mean_of(const walk *k, double *ret)
{
    double sum = 0;
    uint32_t used = 0;
    size_t from = 0;
    for (uint32_t i = 0; i < k->segment_count; i++) {
        double area;
        if (area_of(k, from, k->segment_ends[i], &area)) {
            sum += area;
            used++;
        }
        from = k->segment_ends[i];
    }
    *ret = used ? sum / used : 0;
    return used;
}

// --- The interval ---------------------------------------------------------------------------------

static bool find_interval(lg_arena *scratch, const walk *k, uint32_t times, lg_auc *ret)
{
    double *areas = LG_NEW_ARRAY(scratch, double, times);
    lg_chance chance = {LG_STATS_SEED};
    uint32_t kept = 0;
    if (!areas) {
        return false;
    }
    for (uint32_t i = 0; i < times; i++) {
        lg_chance_draw(&chance, k->times, k->cluster_count);
        kept += mean_of(k, &areas[kept]) > 0;
    }
    if (kept < times / 2) {
        ret->why_no_interval = "most draws of clusters have one class alone";
        return true;
    }
    lg_chance_interval(areas, kept, &ret->low, &ret->high);
    ret->resamples = kept;
    return true;
}

// --- The whole ------------------------------------------------------------------------------------

// Clusters as numbers without gaps.
static void number_clusters(walk *k, const lg_auc_case *cases, uint32_t *numbers)
{
    for (size_t i = 0; i < k->count; i++) {
        uint32_t *number = &numbers[cases[i].cluster];
        *number = *number ? *number : ++k->cluster_count;
        k->cases[i] = (*number - 1) << SHIFT;
    }
    for (size_t i = 0; i < k->count; i++) {
        numbers[cases[i].cluster] = 0;
    }
}

static bool prepare(lg_arena *scratch, walk *k, const lg_auc_case *cases, uint32_t *numbers)
{
    k->cases = LG_NEW_ARRAY(scratch, uint32_t, k->count);
    k->segment_ends = LG_NEW_ARRAY(scratch, size_t, k->count);
    if (!k->cases || !k->segment_ends) {
        return false;
    }
    number_clusters(k, cases, numbers);
    k->times = LG_NEW_ARRAY(scratch, uint32_t, k->cluster_count);
    if (!k->times) {
        return false;
    }
    for (uint32_t i = 0; i < k->cluster_count; i++) {
        k->times[i] = 1;
    }
    for (size_t i = 0; i < k->count; i++) {
        const lg_auc_case *next = i + 1 < k->count ? &cases[i + 1] : NULL;
        bool segment_ends = !next || next->segment != cases[i].segment;
        bool tie_ends = segment_ends || next->score > cases[i].score;
        k->cases[i] |= (cases[i].positive ? POSITIVE : 0) | (tie_ends ? TIE_ENDS : 0);
        if (segment_ends) {
            k->segment_ends[k->segment_count++] = i + 1;
        }
    }
    return true;
}

static bool compute(lg_arena *scratch, lg_auc_case *cases, size_t count, uint32_t *numbers,
                    uint32_t resamples, lg_auc *ret)
{
    walk k = {.count = count};
    for (size_t i = 0; i < count; i++) {
        ret->positives += cases[i].positive;
    }
    if (count == 0) {
        ret->why = "there is nothing to compare";
        return true;
    }
    sort(cases, count);
    if (!prepare(scratch, &k, cases, numbers)) {
        return false;
    }
    ret->segments = mean_of(&k, &ret->auc);
    if (ret->segments == 0) {
        ret->why = ret->positives == count ? "none of them failed"
                   : ret->positives == 0   ? "none of them passed"
                                           : "no group has both classes";
        return true;
    }
    if (k.cluster_count < 2) {
        ret->why_no_interval = "all are of one cluster";
        return true;
    }
    return find_interval(scratch, &k, resamples, ret);
}

bool lg_auc_of(lg_arena *scratch, lg_auc_case *cases, size_t count, uint32_t *numbers,
               uint32_t resamples, lg_auc *ret)
{
    lg_arena_mark mark = lg_arena_mark_here(scratch);
    *ret = (lg_auc){.n = count};
    bool ok = compute(scratch, cases, count, numbers, resamples, ret);
    lg_arena_rewind(scratch, mark);
    return ok;
}
