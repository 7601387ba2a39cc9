// wide.h: the 512-bit instructions that look up, choose and pack single bytes (Intel since Ice Lake,
// AMD since Zen 4). What uses them is compiled for them alone, function by function, and is asked only
// where the processor has them; beside each there is a portable way with the same answers.
#ifndef LG_JSON_WIDE_H
#define LG_JSON_WIDE_H

#include "base/types.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define LG_WIDE 1

#include <immintrin.h>

// BMI too, or gcc reckons in mask registers, where each step takes three times as long.
#define LG_WIDE_FUNCTION __attribute__((target("avx512bw,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

static inline bool lg_wide_here(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

#else
#define LG_WIDE 0

static inline bool lg_wide_here(void)
{
    return false;
}

#endif

// The lowest `count` bits, all if there are more than 64.
static inline uint64_t lg_low_bits(size_t count)
{
    return count < 64 ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
}

#endif
