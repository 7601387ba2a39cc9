// arena.c: chunks of growing size in a list, newest first.
//
// A first touch of a fresh page costs about a microsecond, so chunks start small and a reset keeps
// the largest one. Under AddressSanitizer the free part of a chunk is poisoned: a write past an
// allocation's end is caught although the chunk goes on.
#include "base/arena.h"
#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if LG_ARENA_POISONS
#include <sanitizer/asan_interface.h>
#define POISON(ptr, size) ASAN_POISON_MEMORY_REGION((ptr), (size))
#define UNPOISON(ptr, size) ASAN_UNPOISON_MEMORY_REGION((ptr), (size))
#else
#define POISON(ptr, size) ((void)(ptr), (void)(size))
#define UNPOISON(ptr, size) ((void)(ptr), (void)(size))
#endif

#define BRIEF_BYTES 256u
#define CHUNK_MIN_BYTES ((size_t)4 << 10)
#define CHUNK_MAX_BYTES (((size_t)8 << 20) - sizeof(lg_arena_chunk))
#define CHUNK_HUGE_BYTES ((size_t)4 << 20) // from here on huge pages are asked for

struct lg_arena_chunk {
    lg_arena_chunk *older;
    size_t size_bytes; // of the bytes behind this header
    char *used_end;    // `next` at the time a newer chunk took over
    uint64_t pad;      // keeps the bytes behind it aligned to 16
};

_Static_assert(sizeof(lg_arena_chunk) % 16 == 0, "chunk data must be aligned to 16");

static char *chunk_data(lg_arena_chunk *chunk)
{
    return (char *)(chunk + 1);
}

void lg_arena_init(lg_arena *arena, size_t limit_bytes)
{
    *arena = (lg_arena){.limit_bytes = limit_bytes ? limit_bytes : SIZE_MAX};
}

void lg_arena_share(lg_arena *arena, lg_quota *quota)
{
    if (arena->quota) {
        arena->quota->held_bytes -= arena->held_bytes;
    }
    arena->quota = quota;
    if (quota) {
        quota->held_bytes += arena->held_bytes;
    }
}

size_t lg_arena_left(const lg_arena *arena)
{
    const lg_quota *quota = arena->quota;
    size_t left = arena->limit_bytes - arena->held_bytes;
    size_t shared = SIZE_MAX;
    if (quota) {
        shared =
            quota->limit_bytes > quota->held_bytes ? quota->limit_bytes - quota->held_bytes : 0;
    }
    return left < shared ? left : shared;
}

size_t lg_arena_chunks(const lg_arena *arena, lg_arena_span *spans, size_t capacity)
{
    size_t count = 0;
    for (lg_arena_chunk *c = arena->chunk; c; c = c->older) {
        if (count < capacity) {
            spans[count] = (lg_arena_span){chunk_data(c), c->size_bytes};
        }
        count++;
    }
    return count;
}

static void count_held(lg_arena *arena, size_t more, size_t less)
{
    arena->held_bytes = arena->held_bytes + more - less;
    if (arena->quota) {
        arena->quota->held_bytes = arena->quota->held_bytes + more - less;
    }
}

static void free_chunk(lg_arena *arena, lg_arena_chunk *chunk)
{
    UNPOISON(chunk_data(chunk), chunk->size_bytes);
    count_held(arena, 0, chunk->size_bytes);
    lg_free(chunk);
}

void lg_arena_done(lg_arena *arena)
{
    for (lg_arena_chunk *chunk = arena->chunk; chunk;) {
        lg_arena_chunk *older = chunk->older;
        free_chunk(arena, chunk);
        chunk = older;
    }
    *arena = (lg_arena){
        .limit_bytes = arena->limit_bytes, .quota = arena->quota, .lasting = arena->lasting};
}

static void use_chunk(lg_arena *arena, lg_arena_chunk *chunk, char *next)
{
    arena->chunk = chunk;
    arena->next = next;
    arena->end = chunk_data(chunk) + chunk->size_bytes;
    POISON(next, (size_t)(arena->end - next));
}

void lg_arena_reset(lg_arena *arena)
{
    lg_arena_chunk *largest = arena->chunk;
    if (largest && !largest->older) { // the steady state
        use_chunk(arena, largest, chunk_data(largest));
        return;
    }
    for (lg_arena_chunk *c = arena->chunk; c; c = c->older) {
        largest = c->size_bytes > largest->size_bytes ? c : largest;
    }
    for (lg_arena_chunk *c = arena->chunk; c;) {
        lg_arena_chunk *older = c->older;
        if (c != largest) {
            free_chunk(arena, c);
        }
        c = older;
    }
    if (largest) {
        largest->older = NULL;
        use_chunk(arena, largest, chunk_data(largest));
    }
}

lg_arena_mark lg_arena_mark_here(const lg_arena *arena)
{
    return (lg_arena_mark){arena->chunk, arena->next};
}

void lg_arena_rewind(lg_arena *arena, lg_arena_mark mark)
{
    while (arena->chunk != mark.chunk) {
        lg_arena_chunk *older = arena->chunk->older;
        free_chunk(arena, arena->chunk);
        arena->chunk = older;
    }
    if (mark.chunk) {
        use_chunk(arena, mark.chunk, mark.next);
    } else {
        arena->next = arena->end = NULL;
    }
}

// Twice the newest chunk, at least what is asked for, and no more than the budget leaves. A large one
// ends, with its header, where a huge page does.
static size_t next_chunk_size(const lg_arena *arena, size_t needed)
{
    size_t size = arena->chunk ? arena->chunk->size_bytes * 2 : CHUNK_MIN_BYTES;
    if (arena->lasting) {
        size = arena->held_bytes / 8 > CHUNK_MIN_BYTES ? arena->held_bytes / 8 : CHUNK_MIN_BYTES;
    }
    size = size > CHUNK_MAX_BYTES ? CHUNK_MAX_BYTES : size;
    size_t left = lg_arena_left(arena);
    size = size > left ? left : size;
    size = size < needed ? needed : size;
    size_t beyond = (size + sizeof(lg_arena_chunk)) % LG_HUGE_PAGE_BYTES;
    size_t gap = beyond ? LG_HUGE_PAGE_BYTES - beyond : 0;
    return size >= CHUNK_HUGE_BYTES && gap <= left - size ? size + gap : size;
}

// A large chunk is filled from end to end: pages of 2 MB instead of 4 KB save the system five hundred
// faults in each, if the chunk begins and ends with one. It is a wish, so that it may fail. (A file of
// 50 MB, parsed: 46 ms, with huge pages that began anywhere 38 ms, aligned 7 % less.)
static lg_arena_chunk *alloc_chunk(size_t size)
{
    size_t whole = sizeof(lg_arena_chunk) + size;
    if (size < CHUNK_HUGE_BYTES || whole % LG_HUGE_PAGE_BYTES != 0) {
        return lg_alloc(whole);
    }
    return lg_alloc_huge(whole);
}

void *lg_arena_alloc_chunk(lg_arena *arena, size_t size_bytes, size_t align)
{
    if (arena->next) { // what the fast path of lg_arena_alloc does, for poisoned chunks
        uintptr_t at = ((uintptr_t)arena->next + (align - 1)) & ~(uintptr_t)(align - 1);
        if (at <= (uintptr_t)arena->end && size_bytes <= (uintptr_t)arena->end - at) {
            UNPOISON((void *)at, size_bytes);
            arena->next = (char *)(at + size_bytes);
            return (void *)at;
        }
    }
    bool fits = size_bytes <= SIZE_MAX / 2 && size_bytes <= lg_arena_left(arena);
    size_t size = fits ? next_chunk_size(arena, size_bytes) : 0;
    lg_arena_chunk *chunk = fits ? alloc_chunk(size) : NULL;
    if (!chunk) {
        arena->refused = true;
        if (arena->quota && !fits) {
            arena->quota->refused = true;
        }
        return NULL;
    }
    *chunk = (lg_arena_chunk){.older = arena->chunk, .size_bytes = size};
    count_held(arena, size, 0);
    use_chunk(arena, chunk, chunk_data(chunk));
    UNPOISON(arena->next, size_bytes);
    void *result = arena->next;
    arena->next += size_bytes;
    return result;
}

void *lg_arena_zalloc(lg_arena *arena, size_t count, size_t size_bytes, size_t align)
{
    if (size_bytes != 0 && count > SIZE_MAX / 2 / size_bytes) {
        arena->refused = true;
        return NULL;
    }
    void *memory = lg_arena_alloc(arena, count * size_bytes, align);
    if (memory) {
        memset(memory, 0, count * size_bytes);
    }
    return memory;
}

void *lg_arena_grow(lg_arena *arena, const void *items, size_t count, size_t *capacity,
                    size_t size_bytes)
{
    if (count < *capacity) {
        union {
            const void *from;
            void *to;
        } same = {items}; // the caller's own array; it was never const
        return same.to;
    }
    size_t grown = *capacity ? *capacity * 2 : 8;
    if (grown > SIZE_MAX / 2 / size_bytes) {
        arena->refused = true;
        return NULL;
    }
    void *copy = lg_arena_alloc(arena, grown * size_bytes, 16);
    if (!copy) {
        return NULL;
    }
    if (count) {
        memcpy(copy, items, count * size_bytes);
    }
    *capacity = grown;
    return copy;
}

lg_str lg_arena_str(lg_arena *arena, lg_str s)
{
    char *copy = s.len < SIZE_MAX ? lg_arena_alloc(arena, s.len + 1, 1) : NULL;
    if (!copy) {
        return (lg_str){NULL, 0};
    }
    if (s.len) {
        memcpy(copy, s.ptr, s.len);
    }
    copy[s.len] = '\0';
    return (lg_str){copy, s.len};
}

lg_str lg_arena_printf(lg_arena *arena, const char *format, ...)
{
    char room[BRIEF_BYTES]; // most are shorter, and so are printed once
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(room, sizeof(room), format, args);
    va_end(args);
    char *text = len >= 0 ? lg_arena_alloc(arena, (size_t)len + 1, 1) : NULL;
    if (text && (size_t)len < sizeof(room)) {
        memcpy(text, room, (size_t)len + 1);
    } else if (text) {
        vsnprintf(text, (size_t)len + 1, format, again);
    }
    va_end(again);
    return (lg_str){text, text ? (size_t)len : 0};
}
