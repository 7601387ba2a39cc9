// alloc.h: the one door to the system's allocator. Only base/ includes <stdlib.h> for memory.
//
// A test can make the n-th allocation of this thread fail, and so visit every branch that runs out
// of memory.
#ifndef LG_BASE_ALLOC_H
#define LG_BASE_ALLOC_H

#include "base/types.h"

LG_NODISCARD void *lg_alloc(size_t size_bytes); // uninitialised, or NULL
// The same at a multiple of `align`, a power of two of which `size_bytes` is a multiple.
LG_NODISCARD void *lg_alloc_aligned(size_t size_bytes, size_t align);
// The same in huge pages, if the system has any to give: `size_bytes` is a multiple of them. A wish: pages of 2 MB
// in place of 4 KB save five hundred faults in each.
#define LG_HUGE_PAGE_BYTES ((size_t)2 << 20)
LG_NODISCARD void *lg_alloc_huge(size_t size_bytes);
LG_NODISCARD void *lg_zalloc(size_t size_bytes);             // zeroed, or NULL
LG_NODISCARD void *lg_realloc(void *old, size_t size_bytes); // NULL leaves `old` as it was
void lg_free(void *memory);                                  // NULL is allowed

// From now on what is large (1 MiB) goes back to the system when it is freed. For a process that lives long: else
// what many needed once stays with it, in pieces. Before there are threads.
void lg_alloc_give_back(void);

// For tests: the n-th allocation from now on (1 is the next) and all later ones fail until it is
// called again; 0 turns this off. Of the calling thread only.
void lg_alloc_fail_at(uint64_t n);

// For tests: how many allocations this thread has asked for.
uint64_t lg_alloc_count(void);

#endif
