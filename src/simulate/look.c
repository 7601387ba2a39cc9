// look.c: what a session is like: its state, its history, and what has changed.
#include "simulate/simulate_internal.h"

// The world at the session's state, or at another one of its family.
static lg_world *world_at(lg_sim_session *session, const lg_json *root)
{
    lg_world *world = &session->family->world;
    lg_world_enter(world, root, false);
    return world;
}

static lg_status view_of(lg_sim_session *session, const sim_at *at, lg_arena *arena, bool as_view,
                         lg_json *ret)
{
    if (!session->family->has_world) {
        *ret = at->root ? *at->root : lg_json_make_object(NULL, 0);
        return LG_OK;
    }
    const lg_world *world = world_at(session, at->root);
    return as_view ? lg_world_view(world, arena, ret) : lg_world_print(world, arena, ret);
}

lg_status lg_sim_state(lg_sim_session *session, lg_arena *arena, bool as_view, const lg_json **ret,
                       lg_error *reterr)
{
    lg_json *state = LG_NEW(arena, lg_json);
    if (!state || view_of(session, &session->at, arena, as_view, state) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    *ret = state;
    return LG_OK;
}

lg_status lg_sim_state_hash(lg_sim_session *session, char ret[65], lg_error *reterr)
{
    lg_arena scratch;
    const lg_json *state;
    lg_arena_init(&scratch, 0);
    lg_status status = lg_sim_state(session, &scratch, true, &state, reterr);
    if (status == LG_OK && lg_json_hash(state, ret) != LG_OK) {
        status = lg_fail_oom(reterr);
    }
    lg_arena_done(&scratch);
    return status;
}

// --- What has changed ---------------------------------------------------------------------------

static lg_status compare(lg_sim_session *session, const lg_json *before, const lg_json *after,
                         lg_world_differences *ret, lg_error *reterr)
{
    lg_arena scratch; // the comparison's paths and values lie elsewhere
    lg_json views[2];
    sim_at at[2] = {{.root = before}, {.root = after}};
    lg_arena_init(&scratch, 0);
    lg_arena *arena = ret->limit ? ret->arena : &scratch;
    bool fine = view_of(session, &at[0], arena, true, &views[0]) == LG_OK &&
                view_of(session, &at[1], arena, true, &views[1]) == LG_OK;
    if (fine && !session->family->has_world) {
        const lg_json states[] = {views[0], views[1]};
        fine = lg_open_world_view(arena, &states[0], &states[1], &views[0]) &&
               lg_open_world_view(arena, &states[1], &states[0], &views[1]);
    }
    if (fine) {
        lg_world_compare(&views[0], &views[1], ret);
        fine = !ret->oom;
    }
    lg_arena_done(&scratch);
    return fine ? LG_OK : lg_fail_oom(reterr);
}

lg_status lg_sim_diff(lg_sim_session *session, uint64_t from, lg_world_differences *ret,
                      lg_error *reterr)
{
    const sim_at *at = sim_at_snapshot(session, from, reterr);
    return at ? compare(session, at->root, session->at.root, ret, reterr) : LG_ERR_USAGE;
}

lg_status lg_sim_diff_of_snapshots(lg_sim_session *session, uint64_t from, uint64_t to,
                                   lg_world_differences *ret, lg_error *reterr)
{
    const sim_at *before = sim_at_snapshot(session, from, reterr);
    const sim_at *after = before ? sim_at_snapshot(session, to, reterr) : NULL;
    return after ? compare(session, before->root, after->root, ret, reterr) : LG_ERR_USAGE;
}

lg_status lg_sim_diff_of_call(lg_sim_session *session, uint64_t number, lg_world_differences *ret,
                              lg_error *reterr)
{
    const sim_history *history = &session->at.history;
    const sim_entry *entry = sim_history_find(history, number);
    if (!entry) {
        return lg_fail(reterr, LG_ERR_USAGE, "the history has no call %llu: it has %llu to %llu",
                       (unsigned long long)number, (unsigned long long)history->first,
                       (unsigned long long)history->latest);
    }
    return compare(session, entry->before, entry->after, ret, reterr);
}

// --- History ------------------------------------------------------------------------------------

size_t lg_sim_history_count(const lg_sim_session *session)
{
    const sim_history *history = &session->at.history;
    return (size_t)(history->latest + 1 - history->first);
}

uint64_t lg_sim_history_dropped(const lg_sim_session *session)
{
    return session->at.history.first - 1;
}

lg_sim_past lg_sim_history_at(const lg_sim_session *session, size_t index)
{
    const sim_history *history = &session->at.history;
    const sim_entry *entry = sim_history_find(history, history->first + index);
    LG_ASSERT(entry); // the index is less than the count
    return entry->past;
}

size_t lg_sim_held_bytes(const lg_sim_session *session)
{
    const lg_session *ledger = session->ledger;
    const sim_family *family = session->family;
    size_t others = family->session_count * sizeof(lg_sim_session) +
                    family->snapshot_count * sizeof(sim_snapshot) + family->made.arena.held_bytes;
    return family->quota.held_bytes + others + (ledger ? ledger->memory->quota.held_bytes : 0);
}
