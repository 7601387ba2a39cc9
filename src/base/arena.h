// arena.h: memory of one lifetime: a document, a pack, a session, a request.
//
// Allocation is a bump of a pointer; nothing is freed alone. An arena has a ceiling: past it, as
// when the system has no memory, allocation returns NULL, and goes on returning NULL for anything
// that does not fit; what is smaller may still fit. `refused` tells afterwards whether anything did
// not, however far below. Not thread-safe; give each thread its own.
//
//     lg_arena request;
//     lg_arena_init(&request, limits.memory_bytes);
//     thing *t = LG_NEW(&request, thing); // zeroed, or NULL
//     lg_arena_done(&request);
#ifndef LG_BASE_ARENA_H
#define LG_BASE_ARENA_H

#include "base/types.h"

typedef struct lg_arena_chunk lg_arena_chunk;

// What several arenas may hold together.
typedef struct lg_quota {
    size_t held_bytes;
    size_t limit_bytes;
    bool refused; // something did not fit into it since the caller's last `false`
} lg_quota;

// Under AddressSanitizer the free part of a chunk is poisoned, and every allocation takes the slow
// path, which knows how to lift that.
#if defined(__SANITIZE_ADDRESS__)
#define LG_ARENA_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LG_ARENA_POISONS 1
#endif
#endif
#ifndef LG_ARENA_POISONS
#define LG_ARENA_POISONS 0
#endif

typedef struct lg_arena {
    char *next;            // first free byte of the newest chunk
    char *end;             // one past its last byte
    lg_arena_chunk *chunk; // newest chunk, linked to the older ones
    size_t held_bytes;     // of all chunks
    size_t limit_bytes;    // ceiling for held_bytes
    lg_quota *quota;       // and for what it holds with others, or NULL
    bool lasting;          // it grows by an eighth and not by doubling: for what lives long
    bool refused;          // an allocation got NULL since init, done or the caller's last `false`
} lg_arena;

typedef struct lg_arena_mark {
    lg_arena_chunk *chunk;
    char *next;
} lg_arena_mark;

// Makes `arena` empty. It holds no memory until the first allocation. `limit_bytes` 0: no ceiling.
void lg_arena_init(lg_arena *arena, size_t limit_bytes);

// What the arena holds, and will hold, counts in the quota as well, which must outlive it. NULL: in
// none. It counts in one at a time.
void lg_arena_share(lg_arena *arena, lg_quota *quota);

// Frees everything. The arena is empty and usable again.
void lg_arena_done(lg_arena *arena);

// Forgets all allocations but keeps the largest chunk: the steady state touches no fresh page.
void lg_arena_reset(lg_arena *arena);

// What is left of the ceilings.
size_t lg_arena_left(const lg_arena *arena);

// The chunks, in no order: writes up to `capacity` and returns how many there are.
typedef struct lg_arena_span {
    const void *start;
    size_t size_bytes;
} lg_arena_span;
size_t lg_arena_chunks(const lg_arena *arena, lg_arena_span *spans, size_t capacity);

// Scratch: whatever was allocated after the mark is forgotten by the rewind.
lg_arena_mark lg_arena_mark_here(const lg_arena *arena);
void lg_arena_rewind(lg_arena *arena, lg_arena_mark mark);

// Slow path of lg_arena_alloc.
void *lg_arena_alloc_chunk(lg_arena *arena, size_t size_bytes, size_t align);

// Uninitialised bytes, or NULL. `align` is a power of two of at most 16.
static inline void *lg_arena_alloc(lg_arena *arena, size_t size_bytes, size_t align)
{
    if (!LG_ARENA_POISONS) {
        uintptr_t at = ((uintptr_t)arena->next + (align - 1)) & ~(uintptr_t)(align - 1);
        if (arena->next && at <= (uintptr_t)arena->end &&
            size_bytes <= (uintptr_t)arena->end - at) {
            arena->next = (char *)(at + size_bytes);
            return (void *)at;
        }
    }
    return lg_arena_alloc_chunk(arena, size_bytes, align);
}

// Bytes that the newest chunk has left: an allocation of no more of them, aligned to 1, succeeds.
static inline size_t lg_arena_room(const lg_arena *arena)
{
    return arena->next ? (size_t)(arena->end - arena->next) : 0;
}

// Zeroed memory for `count` things of `size_bytes`, or NULL (also when the product overflows).
void *lg_arena_zalloc(lg_arena *arena, size_t count, size_t size_bytes, size_t align);

#define LG_NEW(arena, type) ((type *)lg_arena_zalloc((arena), 1, sizeof(type), _Alignof(type)))
#define LG_NEW_ARRAY(arena, type, count)                                                           \
    ((type *)lg_arena_zalloc((arena), (count), sizeof(type), _Alignof(type)))

// Makes room for one more element in a growing array: returns `items` itself while `count` is
// below `*capacity`, else a copy of twice the size. NULL when out of memory; `items` stays valid.
void *lg_arena_grow(lg_arena *arena, const void *items, size_t count, size_t *capacity,
                    size_t size_bytes);

// Copies `s` and appends a NUL (not counted in len). ptr is NULL when out of memory.
lg_str lg_arena_str(lg_arena *arena, lg_str s);

// printf into the arena, NUL-ended. ptr is NULL when out of memory.
LG_PRINTF(2, 3) lg_str lg_arena_printf(lg_arena *arena, const char *format, ...);

#endif
