// sampling.h: how a benchmark takes its time.
//
// A piece of work is repeated until one sample takes some milliseconds, far above the clock's
// resolution; after a warm-up, the median of many samples counts, so that what the machine does
// besides does not. The programs of bench/peers do the same in their languages.
#ifndef LG_BENCH_SAMPLING_H
#define LG_BENCH_SAMPLING_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 31 };
#define SAMPLE_NS 8e6
#define WARM_UP_NS 100e6

static inline double sampling_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline int sampling_by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double sampling_repeat(void (*work)(void *), void *context, size_t rounds)
{
    double start = sampling_now_ns();
    for (size_t i = 0; i < rounds; i++) {
        work(context);
    }
    return sampling_now_ns() - start;
}

// Median nanoseconds of one call of `work`.
static inline double sampling_median_ns(void (*work)(void *), void *context)
{
    double samples[SAMPLES];
    size_t rounds = 1;
    double spent = 0;
    for (double begin = sampling_now_ns(); sampling_now_ns() - begin < WARM_UP_NS;) {
        spent = sampling_repeat(work, context, rounds);
        rounds = spent < SAMPLE_NS ? rounds * 2 : rounds;
    }
    for (size_t i = 0; i < SAMPLES; i++) {
        samples[i] = sampling_repeat(work, context, rounds) / (double)rounds;
    }
    qsort(samples, SAMPLES, sizeof(samples[0]), sampling_by_value);
    return samples[SAMPLES / 2];
}

// One line for schema_side_by_side.py: the median divided by `units` of work in one call.
static inline void sampling_report(const char *tool, const char *what, const char *input,
                                   void (*work)(void *), void *context, size_t units)
{
    printf("{\"tool\":\"%s\",\"what\":\"%s\",\"input\":\"%s\",\"ns\":%.1f}\n", tool, what, input,
           sampling_median_ns(work, context) / (double)units);
    fflush(stdout);
}

#endif
