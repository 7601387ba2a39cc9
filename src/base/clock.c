// clock.c: the steady clock.
#include "base/clock.h"

#include <time.h>

uint64_t lg_clock_steady_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
