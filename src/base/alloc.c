// alloc.c: malloc with a memory for what was freed last, and a fault that tests can plant.
//
// The counter and the fault are thread-local: a test that plants one disturbs no other thread.
#define _DEFAULT_SOURCE // madvise
#include "base/alloc.h"
#include "base/spare.h"

#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>

// Freed blocks are kept (spare.h) where it can be known how large they are, and where no sanitizer has to see each of
// them come and go.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define KEEPS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define KEEPS 0
#endif
#endif
#ifndef KEEPS
#define KEEPS 1
#endif

#if KEEPS
static void *give(size_t size_bytes)
{
    void *spare = lg_spare_take(size_bytes);
    return spare ? spare : malloc(lg_spare_size(size_bytes));
}

static void take_back(void *memory)
{
    if (memory && !lg_spare_keep(memory, malloc_usable_size(memory))) {
        free(memory);
    }
}

// What is large the system moves by its pages. Else realloc() would go past what is kept, glibc's own included.
static void *resize(void *old, size_t size_bytes)
{
    size_t had_bytes = malloc_usable_size(old);
    if (had_bytes > LG_SPARE_LARGEST_BYTES) {
        return realloc(old, lg_spare_size(size_bytes));
    }
    void *made = give(size_bytes);
    if (made) {
        lg_copy_bytes(made, old, had_bytes < size_bytes ? had_bytes : size_bytes);
        take_back(old);
    }
    return made;
}
#else
static void *give(size_t size_bytes)
{
    return malloc(size_bytes);
}

static void take_back(void *memory)
{
    free(memory);
}

static void *resize(void *old, size_t size_bytes)
{
    return realloc(old, size_bytes);
}
#endif

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
    return count_one() ? NULL : give(size_bytes ? size_bytes : 1);
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
    if (count_one()) {
        return NULL;
    }
    if (size_bytes > LG_SPARE_LARGEST_BYTES) {
        return calloc(1, size_bytes); // the system's pages are zero already
    }
    void *memory = give(size_bytes ? size_bytes : 1);
    return memory ? memset(memory, 0, size_bytes) : NULL;
}

void *lg_realloc(void *old, size_t size_bytes)
{
    if (count_one()) {
        return NULL;
    }
    size_bytes = size_bytes ? size_bytes : 1;
    return old ? resize(old, size_bytes) : give(size_bytes);
}

void lg_free(void *memory)
{
    take_back(memory);
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
