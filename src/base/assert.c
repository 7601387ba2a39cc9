// assert.c: the end of the road for a broken invariant of our own.
#include "base/types.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void lg_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "ledgergate: internal error: %s:%d: %s does not hold\n", file, line, condition);
    abort();
}
