// Areas, intervals and p values against the same computed in the plainest way.
#include "dice.h"
#include "lg_test.h"

#include "base/str.h"
#include "stats/auc.h"
#include "stats/chance.h"
#include "stats/clustered.h"

#include <math.h>

#define CASES_MOST 60u
#define CLUSTERS 12u

static lg_arena arena;
static uint32_t numbers[CLUSTERS];

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

// --- Areas ------------------------------------------------------------------------------------------

// Of all pairs, each counting as often as both of its clusters: how often the one that passed is above.
static bool slow_area(const lg_auc_case *cases, size_t count, uint32_t segment,
                      const uint32_t *times, double *ret)
{
    double above = 0;
    double pairs = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            const lg_auc_case *a = &cases[i];
            const lg_auc_case *b = &cases[k];
            if (a->segment == segment && b->segment == segment && a->positive && !b->positive) {
                double weight = (double)times[a->cluster] * times[b->cluster];
                pairs += weight;
                above += weight * (a->score > b->score ? 1 : a->score < b->score ? 0 : 0.5);
            }
        }
    }
    *ret = pairs > 0 ? above / pairs : 0;
    return pairs > 0;
}

static uint32_t slow_mean(const lg_auc_case *cases, size_t count, uint32_t segments,
                          const uint32_t *times, double *ret)
{
    uint32_t used = 0;
    *ret = 0;
    for (uint32_t i = 0; i < segments; i++) {
        double area;
        if (slow_area(cases, count, i, times, &area)) {
            *ret += area;
            used++;
        }
    }
    *ret = used ? *ret / used : 0;
    return used;
}

// The same draws: clusters are numbered as the sorted cases have them.
static void slow_interval(const lg_auc_case *sorted, size_t count, uint32_t segments,
                          uint32_t resamples, double *low, double *high)
{
    double areas[100];
    uint32_t number_of[CLUSTERS], drawn[CLUSTERS], times[CLUSTERS];
    uint32_t clusters = 0;
    uint32_t kept = 0;
    memset(number_of, 0xff, sizeof(number_of));
    for (size_t i = 0; i < count; i++) {
        uint32_t *number = &number_of[sorted[i].cluster];
        *number = *number == UINT32_MAX ? clusters++ : *number;
    }
    lg_chance chance = {LG_STATS_SEED};
    for (uint32_t i = 0; i < resamples; i++) {
        lg_chance_draw(&chance, drawn, clusters);
        for (uint32_t k = 0; k < CLUSTERS; k++) {
            times[k] = number_of[k] == UINT32_MAX ? 0 : drawn[number_of[k]];
        }
        kept += slow_mean(sorted, count, segments, times, &areas[kept]) > 0;
    }
    lg_chance_interval(areas, kept, low, high);
}

static void areas_are_those_of_all_pairs(void)
{
    static const uint32_t once[CLUSTERS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    dice d = dice_of(3);
    for (uint32_t round = 0; round < 300; round++) {
        lg_auc_case cases[CASES_MOST];
        size_t count = 1 + dice_below(&d, CASES_MOST - 1);
        uint32_t segments = 1 + dice_below(&d, 3);
        uint32_t scores = 1 + dice_below(&d, 30); // few of them: ties
        for (size_t i = 0; i < count; i++) {
            cases[i] = (lg_auc_case){dice_below(&d, scores) / 7.0, dice_below(&d, CLUSTERS),
                                     dice_below(&d, segments), dice_one_in(&d, 2)};
        }
        lg_auc got;
        double want, low, high;
        CHECK(lg_auc_of(&arena, cases, count, numbers, 100, &got));
        CHECK(slow_mean(cases, count, segments, once, &want) == got.segments);
        CHECK((got.why != NULL) == (got.segments == 0));
        CHECK(got.why || near(got.auc, want));
        if (!got.why && !got.why_no_interval) {
            slow_interval(cases, count, segments, 100, &low, &high);
            CHECK(near(got.low, low) && near(got.high, high));
        }
        for (uint32_t i = 0; i < CLUSTERS; i++) {
            CHECK(numbers[i] == 0);
        }
    }
}

static void what_has_no_area_says_why(void)
{
    lg_auc got;
    lg_auc_case passed[] = {{1, 0, 0, true}, {2, 1, 0, true}};
    lg_auc_case apart[] = {{1, 0, 0, true}, {2, 1, 1, false}};
    lg_auc_case one[] = {{1, 0, 0, true}, {2, 0, 0, false}};
    CHECK(lg_auc_of(&arena, NULL, 0, numbers, 100, &got));
    CHECK(got.why && got.n == 0);
    CHECK(lg_auc_of(&arena, passed, 2, numbers, 100, &got));
    CHECK_STR(lg_str_c(got.why), "none of them failed");
    CHECK(lg_auc_of(&arena, apart, 2, numbers, 100, &got));
    CHECK_STR(lg_str_c(got.why), "no group has both classes");
    CHECK(lg_auc_of(&arena, one, 2, numbers, 100, &got));
    CHECK(!got.why && got.auc == 0);
    CHECK_STR(lg_str_c(got.why_no_interval), "all are of one cluster");
}

// --- Means ------------------------------------------------------------------------------------------

static void signs_are_all_tried_where_they_are_few(void)
{
    // Of 32 ways to sign 1, 2, 3, 4 and 5 two sum to 15 or -15; with -1 in place of 1, four to 13 or more.
    lg_clustered_part parts[] = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}};
    lg_clustered got;
    CHECK(lg_clustered_of(&arena, parts, 5, 200, true, &got));
    CHECK(near(got.mean, 3) && near(got.p, 2 / 32.0) && got.n == 5);
    CHECK(got.low >= 1 && got.low < 3 && got.high > 3 && got.high <= 5);
    parts[0].sum = -1;
    CHECK(lg_clustered_of(&arena, parts, 5, 200, true, &got));
    CHECK(near(got.p, 4 / 32.0));
    CHECK(lg_clustered_of(&arena, parts, 1, 200, true, &got));
    CHECK(near(got.mean, -1) && isnan(got.low) && isnan(got.p));
    CHECK(lg_clustered_of(&arena, parts, 0, 200, true, &got));
    CHECK(isnan(got.mean));
}

static void drawn_signs_tell_chance_from_difference(void)
{
    lg_clustered_part parts[100];
    lg_clustered got;
    for (uint32_t i = 0; i < 100; i++) {
        parts[i] = (lg_clustered_part){i % 2 ? 1 : -1, 1};
    }
    CHECK(lg_clustered_of(&arena, parts, 100, 500, true, &got));
    CHECK(near(got.mean, 0) && got.p == 1);
    // 60 of 100 are positive: by the binomial distribution 0.0569 either way.
    for (uint32_t i = 0; i < 100; i++) {
        parts[i].sum = i < 60 ? 1 : -1;
    }
    CHECK(lg_clustered_of(&arena, parts, 100, 500, true, &got));
    CHECK(fabs(got.p - 0.0569) < 0.01);
    // The mean of 100 signs has a standard error of 0.098.
    CHECK(fabs(got.low - (0.2 - 1.96 * 0.098)) < 0.04 &&
          fabs(got.high - (0.2 + 1.96 * 0.098)) < 0.04);
}

static void parts_gather_their_clusters(void)
{
    lg_parts parts;
    CHECK(lg_parts_init(&arena, &parts, 10));
    for (int round = 0; round < 2; round++) {
        lg_parts_add(&parts, 7, 1);
        lg_parts_add(&parts, 3, 2);
        lg_parts_add(&parts, 7, 5);
        CHECK(parts.count == 2 && parts.parts[0].sum == 6 && parts.parts[0].n == 2);
        CHECK(parts.parts[1].sum == 2);
        lg_parts_clear(&parts);
        CHECK(parts.count == 0);
    }
}

// As R's p.adjust(c(0.04, 0.01, 0.03, 0.02), "holm") has it.
static void holm_is_as_others_have_it(void)
{
    double p[] = {0.04, 0.01, (double)NAN, 0.03, 0.02};
    uint32_t order[5];
    lg_holm(p, order, 5);
    CHECK(near(p[0], 0.06) && near(p[1], 0.04) && isnan(p[2]) && near(p[3], 0.06) &&
          near(p[4], 0.06));
    double high[] = {0.9, 0.8};
    lg_holm(high, order, 2);
    CHECK(high[0] == 1 && high[1] == 1);
}

// As numpy.percentile(range(11), [2.5, 97.5]) has it.
static void quantiles_are_between_their_neighbours(void)
{
    double values[] = {10, 0, 9, 1, 8, 2, 7, 3, 6, 4, 5};
    double low, high;
    lg_chance_interval(values, 11, &low, &high);
    CHECK(near(low, 0.25) && near(high, 9.75));
    lg_chance_interval(values, 1, &low, &high);
    CHECK(low == 0 && high == 0);
}

static void draws_are_bounded(void)
{
    CHECK(lg_chance_resamples(0) == 1000 && lg_chance_resamples(20000) == 1000);
    CHECK(lg_chance_resamples(40000) == 500 && lg_chance_resamples(10000000) == 200);
    uint32_t times[7];
    lg_chance chance = {1};
    for (int i = 0; i < 100; i++) {
        uint32_t sum = 0;
        lg_chance_draw(&chance, times, 7);
        for (int k = 0; k < 7; k++) {
            sum += times[k];
        }
        CHECK(sum == 7);
    }
}

int main(void)
{
    lg_arena_init(&arena, 0);
    RUN(areas_are_those_of_all_pairs);
    RUN(what_has_no_area_says_why);
    RUN(signs_are_all_tried_where_they_are_few);
    RUN(drawn_signs_tell_chance_from_difference);
    RUN(parts_gather_their_clusters);
    RUN(holm_is_as_others_have_it);
    RUN(quantiles_are_between_their_neighbours);
    RUN(draws_are_bounded);
    lg_arena_done(&arena);
    return lg_test_done();
}
