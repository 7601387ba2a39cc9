// move.h: moving what is still wanted out of an arena that is about to be emptied.
//
// Memory of an arena is never freed alone. What goes on living is moved into another one, and the
// first is emptied: so a call's result leaves the memory in which it was computed, and a session gives
// back what its past has left. Whatever is reached twice is moved once, and what lies outside of the
// first arena stays where it is. Until the first arena is emptied nothing is lost: a move that ran out
// of memory can be forgotten.
//
//     lg_mover m;
//     if (!lg_mover_init(&m, &from, &to)) ...
//     const thing *moved = lg_mover_block(&m, old, sizeof(*old), _Alignof(thing), &fresh);
//     if (fresh) ... move what it points to as well ...
//     lg_mover_done(&m);
#ifndef LG_BASE_MOVE_H
#define LG_BASE_MOVE_H

#include "base/arena.h"

// Is there so much waste in the arena that it pays to move what is needed into another one? `needed_bytes` is
// what it held when that was last done. Small arenas are kept small, large ones moved seldom; and while both
// still fit into what the budget leaves, the last chance for that is taken.
bool lg_arena_is_untidy(const lg_arena *arena, size_t needed_bytes);

typedef struct lg_moved {
    const void *old;
    void *copy;
    size_t size_bytes; // of the copy: a longer one of the same beginning is another block
} lg_moved;

typedef struct lg_range {
    uintptr_t from, to; // [from, to)
} lg_range;

#define LG_MOVER_FEW 64u // blocks and chunks for which the mover needs no memory

typedef struct lg_mover {
    lg_arena *to;
    lg_range *ranges; // of the arena's chunks, by address
    size_t range_count;
    lg_range latest; // in which something was found
    lg_moved *moved; // by address; open addressing
    size_t moved_count, moved_size;
    lg_arena ranges_own, moved_own; // of the two tables, once they are large
    lg_moved few_moved[LG_MOVER_FEW];
    lg_range few_ranges[LG_MOVER_FEW];
    bool single;    // one state alone is moved: its outermost maps are reached once
    uint32_t depth; // of what is being moved, for those who move trees
    bool failed;    // out of memory
} lg_mover;

// `from` and `to` differ. False when out of memory. The tables count in the quota of `to`.
LG_NODISCARD bool lg_mover_init(lg_mover *mover, const lg_arena *from, lg_arena *to);
void lg_mover_done(lg_mover *mover);

// Slow path of lg_mover_leaves.
bool lg_mover_leaves_chunk(lg_mover *mover, uintptr_t at);

// Is it memory that has to be moved?
static inline bool lg_mover_leaves(lg_mover *mover, const void *memory)
{
    uintptr_t at = (uintptr_t)memory;
    bool in_latest = at - mover->latest.from < mover->latest.to - mover->latest.from;
    return in_latest || (mover->range_count > 1 && lg_mover_leaves_chunk(mover, at));
}

// The new place of a block. The first time it is copied, and `*ret_fresh` is set: then its pointers
// are those of the old one. What lies outside of the arena is returned as it is. NULL when out of
// memory.
void *lg_mover_block(lg_mover *mover, const void *block, size_t size_bytes, size_t align,
                     bool *ret_fresh);

// The same where it is known that nobody else asks for this block: nothing is looked up.
void *lg_mover_once(lg_mover *mover, const void *block, size_t size_bytes, size_t align,
                    bool *ret_fresh);

// As lg_mover_block for bytes, with nothing behind them. Short ones may be copied more than once. False when
// out of memory.
bool lg_mover_text(lg_mover *mover, const char **text, size_t len);

#endif
