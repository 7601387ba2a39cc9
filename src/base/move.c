// move.c: a table from old places to new ones.
#include "base/move.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_TEXT_BYTES 48u // is copied again rather than looked up

typedef lg_range range;
typedef lg_moved moved;

// --- When -----------------------------------------------------------------------------------------

#define TIDY_MIN_BYTES ((size_t)16 << 10) // less is not worth it
#define LARGE_BYTES ((size_t)1 << 20)     // from here on time goes before memory:
#define LARGE_SHARE 4u                    // so much of what is needed may be waste

// While things are moved there is memory for both. How much of it is needed is known only afterwards, at worst all
// that is held: so that must be left, and half as much again, for one chunk more before this is asked again (an
// eighth), the unused end of the new arena (an eighth), and the mover's table (a quarter, for small blocks).
bool lg_arena_is_untidy(const lg_arena *arena, size_t needed_bytes)
{
    size_t held = arena->held_bytes;
    size_t waste = held > needed_bytes ? held - needed_bytes : 0;
    bool scarce = lg_arena_left(arena) < held + held / 2;
    size_t usual = needed_bytes < LARGE_BYTES ? needed_bytes / 2 : LARGE_SHARE * needed_bytes;
    return waste > TIDY_MIN_BYTES && waste > (scarce ? needed_bytes / 8 : usual);
}

// --- Where ----------------------------------------------------------------------------------------

static int cmp_ranges(const void *a, const void *b)
{
    const range *x = a;
    const range *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

// The arena's chunks as ranges, sorted. False when out of memory.
static bool find_ranges(lg_mover *mover, const lg_arena *from)
{
    lg_arena_span few[LG_MOVER_FEW];
    lg_arena_span *spans = few;
    size_t count = lg_arena_chunks(from, few, LG_MOVER_FEW);
    mover->ranges = mover->few_ranges;
    if (count > LG_MOVER_FEW) {
        spans = LG_NEW_ARRAY(&mover->ranges_own, lg_arena_span, count);
        mover->ranges = LG_NEW_ARRAY(&mover->ranges_own, range, count);
        if (!spans || !mover->ranges) {
            return false;
        }
        lg_arena_chunks(from, spans, count);
    }
    for (size_t i = 0; i < count; i++) {
        uintptr_t start = (uintptr_t)spans[i].start;
        mover->ranges[i] = (range){start, start + spans[i].size_bytes};
    }
    mover->range_count = count;
    if (count > 1) {
        qsort(mover->ranges, count, sizeof(range), cmp_ranges);
    }
    mover->latest = count ? mover->ranges[0] : (range){0, 0};
    return true;
}

bool lg_mover_init(lg_mover *mover, const lg_arena *from, lg_arena *to)
{
    mover->to = to;
    mover->range_count = 0;
    mover->latest = (range){0, 0};
    mover->moved = mover->few_moved;
    mover->moved_count = 0;
    mover->moved_size = LG_MOVER_FEW;
    mover->single = false;
    mover->depth = 0;
    mover->failed = false;
    memset(mover->few_moved, 0, sizeof(mover->few_moved));
    lg_arena_init(&mover->ranges_own, 0);
    lg_arena_init(&mover->moved_own, 0);
    lg_arena_share(&mover->ranges_own, to->quota);
    lg_arena_share(&mover->moved_own, to->quota);
    return find_ranges(mover, from);
}

void lg_mover_done(lg_mover *mover)
{
    lg_arena_done(&mover->ranges_own);
    lg_arena_done(&mover->moved_own);
}

bool lg_mover_leaves_chunk(lg_mover *mover, uintptr_t at)
{
    size_t low = 0;
    size_t high = mover->range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (at < mover->ranges[middle].from) {
            high = middle;
        } else if (at >= mover->ranges[middle].to) {
            low = middle + 1;
        } else {
            mover->latest = mover->ranges[middle];
            return true;
        }
    }
    return false;
}

// --- The table ----------------------------------------------------------------------------------

static moved *slot_of(const lg_mover *mover, const void *old)
{
    uint64_t hash = (uint64_t)(uintptr_t)old * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(hash >> 20) & (mover->moved_size - 1);
    while (mover->moved[at].old && mover->moved[at].old != old) {
        at = (at + 1) & (mover->moved_size - 1);
    }
    return &mover->moved[at];
}

// A table of twice the size.
static bool grow(lg_mover *mover)
{
    size_t old_size = mover->moved_size;
    moved *old = mover->moved;
    size_t size = old_size * 2;
    lg_arena larger = {.limit_bytes = SIZE_MAX, .quota = mover->to->quota};
    moved *table = LG_NEW_ARRAY(&larger, moved, size);
    if (!table) {
        mover->failed = true;
        return false;
    }
    mover->moved = table;
    mover->moved_size = size;
    for (size_t i = 0; i < old_size; i++) {
        if (old[i].old) {
            *slot_of(mover, old[i].old) = old[i];
        }
    }
    lg_arena_done(&mover->moved_own);
    mover->moved_own = larger;
    return true;
}

// The slot of `old`, or a free one for it; NULL when out of memory.
static moved *reserve(lg_mover *mover, const void *old)
{
    bool room = mover->moved_count * 4 < mover->moved_size * 3 || grow(mover);
    return room ? slot_of(mover, old) : NULL;
}

static void note(lg_mover *mover, moved *slot, const void *old, void *copy, size_t size_bytes)
{
    mover->moved_count += !slot->old;
    *slot = (moved){old, copy, size_bytes};
}

static void *copy_of(lg_mover *mover, const void *block, size_t size_bytes, size_t align)
{
    void *copy = lg_arena_alloc(mover->to, size_bytes, align);
    if (!copy) {
        mover->failed = true;
        return NULL;
    }
    memcpy(copy, block, size_bytes);
    return copy;
}

// Stays where it is: it is not fresh, so no one writes to it.
static void *as_it_is(const void *block)
{
    union {
        const void *from;
        void *to;
    } same = {block};
    return same.to;
}

void *lg_mover_block(lg_mover *mover, const void *block, size_t size_bytes, size_t align,
                     bool *ret_fresh)
{
    *ret_fresh = false;
    if (!lg_mover_leaves(mover, block)) {
        return as_it_is(block);
    }
    moved *slot = reserve(mover, block);
    if (!slot || (slot->old && slot->size_bytes >= size_bytes)) {
        return slot ? slot->copy : NULL;
    }
    void *copy = copy_of(mover, block, size_bytes, align);
    if (copy) {
        note(mover, slot, block, copy, size_bytes);
        *ret_fresh = true;
    }
    return copy;
}

void *lg_mover_once(lg_mover *mover, const void *block, size_t size_bytes, size_t align,
                    bool *ret_fresh)
{
    *ret_fresh = lg_mover_leaves(mover, block);
    void *copy = *ret_fresh ? copy_of(mover, block, size_bytes, align) : as_it_is(block);
    *ret_fresh = *ret_fresh && copy;
    return copy;
}

bool lg_mover_text(lg_mover *mover, const char **text, size_t len)
{
    if (!lg_mover_leaves(mover, *text)) {
        return true;
    }
    moved *slot = len >= SHORT_TEXT_BYTES ? reserve(mover, *text) : NULL;
    if (mover->failed) {
        return false;
    }
    if (slot && slot->old && slot->size_bytes == len) {
        *text = slot->copy;
        return true;
    }
    void *copy = len ? copy_of(mover, *text, len, 1) : NULL;
    if (slot && copy) {
        note(mover, slot, *text, copy, len);
    }
    *text = len ? copy : "";
    return !mover->failed;
}
