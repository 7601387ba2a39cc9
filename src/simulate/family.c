// family.c: the memory that a session shares with its forks.
#include "simulate/simulate_internal.h"

#include "base/alloc.h"
#include "json/tree.h"

sim_family *sim_family_new(const lg_sim *sim)
{
    sim_family *family = lg_zalloc(sizeof(*family));
    if (!family) {
        return NULL;
    }
    family->sim = sim;
    family->quota.limit_bytes = sim->options.session_bytes;
    lg_arena_init(&family->own, 0);
    lg_arena_init(&family->work, 0);
    sim_made_init(&family->made);
    lg_arena_share(&family->own, &family->quota);
    lg_arena_share(&family->work, &family->quota);
    lg_world_init(&family->world, sim->options.pack, &sim->limits);
    lg_arena_share(&family->world.base, &family->quota);
    lg_arena_share(&family->world.arena, &family->quota);
    lg_arena_share(&family->world.work, &family->quota);
    family->start.history.first = 1;
    return family;
}

static void free_family(sim_family *family)
{
    LG_DEBUG_ASSERT(!family->snapshots);
    lg_world_done(&family->world);
    lg_arena_done(&family->own);
    sim_made_done(&family->made);
    lg_arena_done(&family->work);
    lg_free(family);
}

lg_arena *sim_kept(sim_family *family)
{
    return &family->world.arena;
}

size_t sim_used_bytes(const lg_arena *arena)
{
    return arena->held_bytes - lg_arena_room(arena);
}

lg_status sim_family_fail(const sim_family *family, lg_error *reterr)
{
    if (!family->quota.refused) {
        return lg_fail_oom(reterr);
    }
    return lg_fail(reterr, LG_ERR_LIMIT,
                   "the session has no room left (session_bytes: %zu): go on in a new one, or with "
                   "fewer snapshots",
                   family->sim->options.session_bytes);
}

// --- Sessions -----------------------------------------------------------------------------------

lg_sim_session *sim_family_add(sim_family *family)
{
    lg_sim_session *session = lg_zalloc(sizeof(*session));
    if (!session) {
        return NULL;
    }
    session->family = family;
    session->at = family->start;
    session->next = family->sessions;
    if (family->sessions) {
        family->sessions->previous = session;
    }
    family->sessions = session;
    family->session_count++;
    return session;
}

void sim_family_remove(lg_sim_session *session)
{
    sim_family *family = session->family;
    sim_snapshot_release(family, session->newest);
    lg_session_free(session->ledger);
    if (session->next) {
        session->next->previous = session->previous;
    }
    if (session->previous) {
        session->previous->next = session->next;
    } else {
        family->sessions = session->next;
    }
    lg_free(session);
    if (--family->session_count == 0) {
        free_family(family);
    }
}

void sim_snapshot_release(sim_family *family, sim_snapshot *snapshot)
{
    while (snapshot && --snapshot->owners == 0) {
        sim_snapshot *older = snapshot->older;
        if (snapshot->next) {
            snapshot->next->previous = snapshot->previous;
        }
        if (snapshot->previous) {
            snapshot->previous->next = snapshot->next;
        } else {
            family->snapshots = snapshot->next;
        }
        family->snapshot_count--;
        lg_session_free(snapshot->ledger);
        lg_free(snapshot);
        snapshot = older;
    }
}

// --- Tidying ------------------------------------------------------------------------------------

static bool move_at(lg_mover *mover, const sim_at *at, sim_at *ret)
{
    *ret = *at;
    ret->root = at->root ? lg_tree_move_at(mover, at->root) : NULL;
    ret->asked = at->asked ? lg_tree_move_at(mover, at->asked) : NULL;
    return !ret->root == !at->root && !ret->asked == !at->asked &&
           sim_history_move(mover, &at->history, &ret->history);
}

static bool move_all(lg_mover *mover, sim_family *family)
{
    bool fine = true;
    for (lg_sim_session *s = family->sessions; s && fine; s = s->next) {
        fine = move_at(mover, &s->at, &s->moved);
    }
    for (sim_snapshot *s = family->snapshots; s && fine; s = s->next) {
        fine = move_at(mover, &s->at, &s->moved);
    }
    return fine;
}

void sim_family_tidy(sim_family *family, bool now)
{
    lg_arena *kept = sim_kept(family);
    lg_arena fresh = {.limit_bytes = kept->limit_bytes, .quota = kept->quota};
    lg_mover mover;
    if (!lg_arena_is_untidy(kept, family->tidy_bytes) && !now) {
        return;
    }
    lg_arena_done(&family->work);
    lg_arena_done(&family->world.work);
    family->tidy_bytes = kept->held_bytes; // if this fails, not again at once
    bool fine = lg_mover_init(&mover, kept, &fresh);
    if (fine) {
        fine = move_all(&mover, family);
        lg_mover_done(&mover);
    }
    if (!fine) {
        lg_arena_done(&fresh);
        return;
    }
    for (lg_sim_session *s = family->sessions; s; s = s->next) {
        s->at = s->moved;
    }
    for (sim_snapshot *s = family->snapshots; s; s = s->next) {
        s->at = s->moved;
    }
    lg_arena_done(kept);
    *kept = fresh;
    family->tidy_bytes = fresh.held_bytes;
    lg_world_enter(&family->world, family->start.root, false);
}
