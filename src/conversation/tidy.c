// tidy.c: moving states from one arena to another, so that what no state needs is given back.
#include "conversation/conversation_internal.h"

#include "base/move.h"

// --- Moving -------------------------------------------------------------------------------------

static bool move_ring(lg_mover *mover, const ring **r)
{
    bool fresh;
    if (!*r) {
        return true;
    }
    ring *copy = lg_mover_block(mover, *r, sizeof(*copy), _Alignof(ring), &fresh);
    *r = copy;
    for (uint32_t i = 0; copy && fresh && i < RING_CHUNKS; i++) {
        bool ignored;
        if (copy->chunks[i]) {
            copy->chunks[i] =
                lg_mover_block(mover, copy->chunks[i], sizeof(chunk), _Alignof(chunk), &ignored);
            if (!copy->chunks[i]) {
                return false;
            }
        }
    }
    return copy != NULL;
}

static const void *move_signal(lg_mover *mover, const void *item)
{
    bool fresh;
    signal_state *copy = lg_mover_block(mover, item, sizeof(*copy), _Alignof(signal_state), &fresh);
    bool fine = copy && (!fresh || (move_ring(mover, &copy->positions) &&
                                    move_ring(mover, &copy->doubtful_positions)));
    return fine ? copy : NULL;
}

static const void *move_entry(lg_mover *mover, const void *item)
{
    bool ignored;
    const entry *e = item;
    return lg_mover_block(mover, e, sizeof(*e) + e->key_len, _Alignof(entry), &ignored);
}

// The list from here on, as far as it was not moved before.
static bool move_breaches(lg_mover *mover, const breach **at)
{
    bool fresh = true;
    while (*at && fresh) {
        breach *copy = lg_mover_block(mover, *at, sizeof(*copy), _Alignof(breach), &fresh);
        *at = copy;
        if (!copy) {
            return false;
        }
        if (fresh) {
            copy->entry = move_entry(mover, copy->entry);
            if (!copy->entry) {
                return false;
            }
            at = &copy->older;
        }
    }
    return true;
}

static const void *move_rule(lg_mover *mover, const void *item)
{
    bool fresh;
    rule_state *copy = lg_mover_block(mover, item, sizeof(*copy), _Alignof(rule_state), &fresh);
    if (!copy || !fresh) {
        return copy;
    }
    copy->all = copy->all ? move_entry(mover, copy->all) : NULL;
    bool fine = copy->all || !((const rule_state *)item)->all;
    return fine && lg_map_move(mover, &copy->entries, false, move_entry) &&
                   move_breaches(mover, &copy->breaches)
               ? copy
               : NULL;
}

typedef const void *(*move_cell)(lg_mover *mover, const void *item);

// A table of `count` pointers; NULL when out of memory.
static void *move_table(lg_mover *mover, const void *table, size_t count, move_cell move)
{
    bool fresh;
    const void **copy =
        lg_mover_block(mover, table, count * sizeof(*copy), _Alignof(void *), &fresh);
    for (size_t i = 0; copy && fresh && i < count; i++) {
        if (copy[i]) {
            copy[i] = move(mover, copy[i]);
            if (!copy[i]) {
                return NULL;
            }
        }
    }
    return copy;
}

static bool move_state(lg_mover *mover, const lg_course *course, lg_conversation_state *state)
{
    bool fine = true;
    if (state->signals) {
        state->signals = move_table(mover, state->signals, course->signal_count, move_signal);
        fine = state->signals != NULL;
    }
    if (state->rules && fine) {
        state->rules = move_table(mover, state->rules, course->rule_count, move_rule);
        fine = state->rules != NULL;
    }
    return fine;
}

// --- Tidying ------------------------------------------------------------------------------------

bool lg_conversation_is_untidy(const lg_conversation *c)
{
    return lg_arena_is_untidy(&c->arena, c->tidy_bytes);
}

void lg_conversation_tidy(lg_conversation *c, lg_conversation_state *const *snapshots, size_t count)
{
    if (lg_conversation_is_untidy(c)) {
        (void)lg_conversation_tidy_now(c, snapshots, count);
    }
}

// Moves all of them; those that are moved stand in `moved`, the state first.
static bool move_all(lg_conversation *c, lg_arena *fresh, lg_conversation_state *const *snapshots,
                     lg_conversation_state *moved, size_t count)
{
    lg_mover mover;
    if (!lg_mover_init(&mover, &c->arena, fresh)) {
        return false;
    }
    moved[0] = c->state;
    bool fine = move_state(&mover, c->pack->course, &moved[0]);
    for (size_t i = 0; i < count && fine; i++) {
        moved[1 + i] = *snapshots[i];
        fine = move_state(&mover, c->pack->course, &moved[1 + i]);
    }
    lg_mover_done(&mover);
    return fine;
}

bool lg_conversation_tidy_now(lg_conversation *c, lg_conversation_state *const *snapshots,
                              size_t count)
{
    size_t held = c->arena.held_bytes;
    lg_arena fresh = {
        .limit_bytes = c->arena.limit_bytes, .quota = c->arena.quota, .lasting = true};
    lg_arena work = {.limit_bytes = c->arena.limit_bytes, .quota = c->arena.quota};
    lg_conversation_state *moved = LG_NEW_ARRAY(&work, lg_conversation_state, count + 1);
    bool fine = moved && move_all(c, &fresh, snapshots, moved, count);
    if (fine) {
        c->state = moved[0];
        for (size_t i = 0; i < count; i++) {
            *snapshots[i] = moved[1 + i];
        }
        lg_arena_done(&c->arena);
        c->arena = fresh;
        c->tidy_bytes = fresh.held_bytes;
    } else {
        lg_arena_done(&fresh);
        c->tidy_bytes = held; // not again at once
    }
    lg_arena_done(&work);
    return fine && c->arena.held_bytes < held;
}
