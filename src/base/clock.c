// clock.c: the steady clock.
#include "base/clock.h"

#include <time.h>

int64_t lg_monotonic_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
