// spare.h: freed blocks of middling size, kept by the thread that freed them for what it asks for next.
//
// glibc keeps up to 1 KiB so. Beyond that each malloc takes a lock, searches and cuts, each free joins what it finds, and what is
// given next is seldom what is still in the processor's cache: a tenth of the time of a request through the gate. Here it is the last one
// freed, if it has the right size: sizes are rounded up to one of four steps between two powers of two (and
// 64 bytes for headers, which arenas have).
//
// Kept are at most LG_SPARE_COUNT blocks of a size and LG_SPARE_BYTES in all, a thread; a thread that ends frees
// its own. The blocks themselves are not written to, so that a use after free finds nothing to bend.
// Under a sanitizer alloc.c does without: it is the sanitizer's to say who uses what.
#ifndef LG_BASE_SPARE_H
#define LG_BASE_SPARE_H

#include "base/types.h"

#define LG_SPARE_COUNT 8u
#define LG_SPARE_BYTES ((size_t)1 << 20)
#define LG_SPARE_LARGEST_BYTES (((size_t)64 << 10) + 64) // of a block

// What is to be allocated for `size_bytes`: no less, at most a quarter more; `size_bytes` itself where nothing is kept.
size_t lg_spare_size(size_t size_bytes);

// A block of lg_spare_size(`size_bytes`) bytes that was kept, or NULL.
void *lg_spare_take(size_t size_bytes);

// Keeps a block of at least `size_bytes` bytes, which malloc() gave. False: there is no room for it, or no use.
LG_NODISCARD bool lg_spare_keep(void *block, size_t size_bytes);

// Frees all that this thread keeps.
void lg_spare_free(void);

#endif
