// alloc.c: malloc with a fault that tests can plant.
//
// The counter and the fault are thread-local: a test that plants one disturbs no other thread.
#define _DEFAULT_SOURCE // madvise
#include "base/alloc.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>

static _Thread_local uint64_t allocations;
static _Thread_local uint64_t fail_at;

// True if this allocation is to fail.
static bool count_one(void)
{
    allocations++;
    return fail_at != 0 && allocations >= fail_at;
}

void *lg_alloc(size_t size_bytes)
{
    return count_one() ? NULL : malloc(size_bytes ? size_bytes : 1);
}

void *lg_alloc_aligned(size_t size_bytes, size_t align)
{
    return count_one() ? NULL : aligned_alloc(align, size_bytes);
}

void *lg_alloc_huge(size_t size_bytes)
{
    void *memory = lg_alloc_aligned(size_bytes, LG_HUGE_PAGE_BYTES);
#ifdef MADV_HUGEPAGE
    if (memory) {
        (void)madvise(memory, size_bytes, MADV_HUGEPAGE);
    }
#endif
    return memory;
}

void *lg_zalloc(size_t size_bytes)
{
    return count_one() ? NULL : calloc(1, size_bytes ? size_bytes : 1);
}

void *lg_realloc(void *old, size_t size_bytes)
{
    return count_one() ? NULL : realloc(old, size_bytes ? size_bytes : 1);
}

void lg_free(void *memory)
{
    free(memory);
}

void lg_alloc_give_back(void)
{
#ifdef M_MMAP_THRESHOLD
    // Set, it stays: glibc raises it to what was freed, so that the next chunk of that size comes from the heap.
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

void lg_alloc_fail_at(uint64_t n)
{
    fail_at = n == 0 ? 0 : allocations + n;
}

uint64_t lg_alloc_count(void)
{
    return allocations;
}
