// clock.h: how long something takes. What time it is comes in from hosts, never from here.
#ifndef LG_BASE_CLOCK_H
#define LG_BASE_CLOCK_H

#include "base/types.h"

// Nanoseconds of a clock that never goes back, whatever the wall clock does. Only differences mean something; it is
// CLOCK_MONOTONIC.
int64_t lg_monotonic_ns(void);

#endif
