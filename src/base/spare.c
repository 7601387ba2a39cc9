// spare.c: a short stack of blocks for each size.
#include "base/spare.h"

#include <pthread.h>
#include <stdlib.h>

#define SMALLEST_LOG 10u // 1 KiB
#define LARGEST_LOG 16u  // 64 KiB
#define STEPS_LOG 2u
#define STEPS (1u << STEPS_LOG)
#define HEADER_BYTES 64u
#define SIZES ((LARGEST_LOG - SMALLEST_LOG) * STEPS + 1)

typedef struct spares {
    void *blocks[SIZES][LG_SPARE_COUNT];
    uint8_t counts[SIZES];
    size_t size_bytes;
    bool is_known; // to the system: it is told when the thread ends
} spares;

_Static_assert(LG_SPARE_LARGEST_BYTES == ((size_t)1 << LARGEST_LOG) + HEADER_BYTES,
               "the last of the sizes");

static _Thread_local spares mine;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_end;
static bool has_key;

static size_t bytes_of(unsigned index)
{
    size_t step = (size_t)1 << (SMALLEST_LOG - STEPS_LOG + index / STEPS);
    return (STEPS + index % STEPS) * step + HEADER_BYTES;
}

// The largest size that is no larger.
static bool index_below(size_t size_bytes, unsigned *ret_index)
{
    if (size_bytes < bytes_of(0) || size_bytes >= LG_SPARE_LARGEST_BYTES + HEADER_BYTES) {
        return false;
    }
    size_t rest = size_bytes - HEADER_BYTES;
    unsigned log = 63u - (unsigned)__builtin_clzll((unsigned long long)rest);
    unsigned step = (unsigned)(rest >> (log - STEPS_LOG)) - STEPS;
    *ret_index = (log - SMALLEST_LOG) * STEPS + step;
    return true;
}

// The smallest that is no smaller. What glibc keeps by itself is left to it.
static bool index_above(size_t size_bytes, unsigned *ret_index)
{
    if (size_bytes <= ((size_t)1 << SMALLEST_LOG) || size_bytes > LG_SPARE_LARGEST_BYTES) {
        return false;
    }
    *ret_index = 0;
    return size_bytes <= bytes_of(0) || (index_below(size_bytes - 1, ret_index) && ++*ret_index);
}

size_t lg_spare_size(size_t size_bytes)
{
    unsigned index;
    return index_above(size_bytes, &index) ? bytes_of(index) : size_bytes;
}

void *lg_spare_take(size_t size_bytes)
{
    unsigned index;
    if (!index_above(size_bytes, &index) || mine.counts[index] == 0) {
        return NULL;
    }
    mine.size_bytes -= bytes_of(index);
    return mine.blocks[index][--mine.counts[index]];
}

static void on_thread_end(void *known)
{
    (void)known;
    lg_spare_free();
    mine.is_known = false; // what ends after this may bring more
}

static void make_key(void)
{
    has_key = pthread_key_create(&at_end, on_thread_end) == 0;
}

// A thread whose end nobody would tell keeps nothing.
static bool is_known(void)
{
    if (!mine.is_known) {
        mine.is_known = pthread_once(&once, make_key) == 0 && has_key &&
                        pthread_setspecific(at_end, &mine) == 0;
    }
    return mine.is_known;
}

bool lg_spare_keep(void *block, size_t size_bytes)
{
    unsigned index;
    if (!index_below(size_bytes, &index) || mine.counts[index] == LG_SPARE_COUNT ||
        bytes_of(index) > LG_SPARE_BYTES - mine.size_bytes || !is_known()) {
        return false;
    }
    for (unsigned i = 0; i < mine.counts[index]; i++) {
        LG_ASSERT(mine.blocks[index][i] != block); // freed twice
    }
    mine.blocks[index][mine.counts[index]++] = block;
    mine.size_bytes += bytes_of(index);
    return true;
}

void lg_spare_free(void)
{
    for (unsigned index = 0; index < SIZES; index++) {
        while (mine.counts[index]) {
            free(mine.blocks[index][--mine.counts[index]]);
        }
    }
    mine.size_bytes = 0;
}
