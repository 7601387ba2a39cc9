// session.c: sessions: how they begin, and going back and beside.
#include "simulate/simulate_internal.h"

#include "base/alloc.h"

// --- Beginning ----------------------------------------------------------------------------------

static lg_status no_state(const lg_sim *sim, lg_str task, lg_error *reterr)
{
    if (!sim->starts) {
        return lg_fail(reterr, LG_ERR_USAGE,
                       "the pack says what its tools do to a state, and no first state was given");
    }
    return task.len ? lg_fail(reterr, LG_ERR_USAGE, "there is no first state for task `%.*s`",
                              LG_FMT(lg_str_cut(task, 100)))
                    : lg_fail(reterr, LG_ERR_USAGE,
                              "every first state is of a task, and no task was named");
}

// The first of what is wrong, and how much more there is.
static lg_status load_own(sim_family *family, const lg_world_file *given, lg_error *reterr)
{
    lg_errors errors;
    lg_errors_init(&errors, &family->work, 1);
    lg_world_file file = *given;
    sim_start start = {.world = family->world};
    file.value = lg_json_copy(&family->own, given->value);
    if (!file.value) {
        return sim_family_fail(family, reterr);
    }
    lg_status status = sim_start_load(family->sim, &start, &file, &errors);
    family->world = start.world;
    family->start.root = start.state;
    if (status == LG_OK) {
        return LG_OK;
    }
    if (!errors.count) {
        return sim_family_fail(family, reterr);
    }
    if (reterr) {
        *reterr = errors.items[0];
    }
    if (reterr && errors.dropped) {
        return lg_fail_at(reterr, status, lg_error_position(&errors.items[0]), "%s; and %zu more",
                          errors.items[0].msg, errors.dropped);
    }
    return status;
}

static lg_status find_start(sim_family *family, const lg_sim_begin *begin, lg_error *reterr)
{
    const lg_sim *sim = family->sim;
    const sim_start *start = sim_start_of(sim, begin->task);
    start = start ? start : sim_start_of(sim, LG_STR(""));
    if (begin->state) {
        return load_own(family, begin->state, reterr);
    }
    if (!start) {
        family->start.root = sim->options.pack ? NULL : &lg_json_no_members;
        return sim_pack_has_state(sim) ? no_state(sim, begin->task, reterr) : LG_OK;
    }
    if (sim->options.pack) {
        lg_world_borrow(&family->world, &start->world);
    }
    family->start.root = start->state;
    return LG_OK;
}

static lg_status open_ledger(lg_sim_session *session, lg_error *reterr)
{
    const lg_sim *sim = session->family->sim;
    lg_limits limits = sim->limits;
    size_t share = sim->options.session_bytes / 4;
    limits.memory_bytes = limits.memory_bytes < share ? limits.memory_bytes : share;
    if (!sim->options.pack) {
        return LG_OK;
    }
    if (lg_session_new(sim->options.pack, &limits, &session->ledger) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    lg_session_set_explain(session->ledger, LG_EXPLAIN_NOTHING);
    lg_session_set_time(session->ledger, (lg_time){sim->options.now_seconds, 0});
    return LG_OK;
}

static void note_broken(sim_family *family)
{
    family->start.sound = lg_world_is_sound(&family->world);
    family->start.broken = 0; // what does not hold at the beginning is told of the first call
}

lg_status lg_sim_session_new(const lg_sim *sim, const lg_sim_begin *begin,
                             lg_sim_session **ret_session, lg_error *reterr)
{
    static const lg_sim_begin plain;
    begin = begin ? begin : &plain;
    sim_family *family = sim_family_new(sim);
    lg_sim_session *session = family ? sim_family_add(family) : NULL;
    if (!session) {
        lg_free(family);
        return lg_fail_oom(reterr);
    }
    lg_status status = find_start(family, begin, reterr);
    if (status == LG_OK) {
        family->has_world = sim->options.pack && family->start.root;
        note_broken(family);
        session->at = family->start;
        session->history_bytes =
            begin->history_bytes ? begin->history_bytes : sim->options.session_bytes / 8;
        session->seed = begin->seed;
        session->read_real = begin->read_real;
        session->real_data = begin->real_data;
        status = open_ledger(session, reterr);
    }
    if (status == LG_OK && begin->about.len && !sim->options.pack) {
        family->about = lg_arena_str(&family->own, begin->about);
        status = family->about.ptr ? LG_OK : sim_family_fail(family, reterr);
    }
    if (status != LG_OK) {
        lg_sim_session_free(session);
        return status;
    }
    *ret_session = session;
    return LG_OK;
}

void lg_sim_session_free(lg_sim_session *session)
{
    if (session) {
        sim_family_remove(session);
    }
}

const lg_sim *lg_sim_of(const lg_sim_session *session)
{
    return session->family->sim;
}

uint64_t lg_sim_seed(const lg_sim_session *session)
{
    return session->seed;
}

// --- Going back ---------------------------------------------------------------------------------

static sim_snapshot *make_snapshot(lg_sim_session *session)
{
    sim_snapshot *snapshot = lg_zalloc(sizeof(*snapshot));
    if (snapshot && session->ledger &&
        lg_session_fork(session->ledger, &snapshot->ledger) != LG_OK) {
        lg_free(snapshot);
        return NULL;
    }
    return snapshot;
}

lg_status lg_sim_snapshot(lg_sim_session *session, uint64_t *ret_snapshot, lg_error *reterr)
{
    sim_family *family = session->family;
    size_t count = lg_sim_snapshot_count(session);
    if (count >= family->sim->options.snapshots) {
        return lg_fail(reterr, LG_ERR_LIMIT,
                       "the session has %zu snapshots, and may have no more: reset it, or begin "
                       "another one",
                       count);
    }
    sim_snapshot *snapshot = make_snapshot(session);
    if (!snapshot) {
        return lg_fail_oom(reterr);
    }
    snapshot->at = session->at;
    snapshot->number = (uint32_t)count + 1;
    snapshot->older = session->newest; // whose owner is now this one
    snapshot->owners = 1;
    snapshot->next = family->snapshots;
    if (family->snapshots) {
        family->snapshots->previous = snapshot;
    }
    family->snapshots = snapshot;
    family->snapshot_count++;
    session->newest = snapshot;
    *ret_snapshot = snapshot->number;
    return LG_OK;
}

size_t lg_sim_snapshot_count(const lg_sim_session *session)
{
    return session->newest ? session->newest->number : 0;
}

static const sim_snapshot *find_snapshot(const lg_sim_session *session, uint64_t number)
{
    const sim_snapshot *snapshot = session->newest;
    while (snapshot && snapshot->number != number) {
        snapshot = snapshot->older;
    }
    return snapshot;
}

const sim_at *sim_at_snapshot(const lg_sim_session *session, uint64_t number, lg_error *reterr)
{
    const sim_snapshot *snapshot = find_snapshot(session, number);
    if (number != 0 && !snapshot) {
        (void)lg_fail(
            reterr, LG_ERR_USAGE,
            "the session has no snapshot %llu: it has %zu, from 1, and 0 is its beginning",
            (unsigned long long)number, lg_sim_snapshot_count(session));
        return NULL;
    }
    return snapshot ? &snapshot->at : &session->family->start;
}

lg_status lg_sim_restore(lg_sim_session *session, uint64_t snapshot, lg_error *reterr)
{
    const sim_snapshot *taken = find_snapshot(session, snapshot);
    const sim_at *at = sim_at_snapshot(session, snapshot, reterr);
    if (!at) {
        return LG_ERR_USAGE;
    }
    if (session->ledger && !taken) {
        lg_session_reset(session->ledger);
    } else if (session->ledger) {
        lg_status status = lg_session_restore(session->ledger, taken->ledger);
        LG_ASSERT(status == LG_OK); // it is a fork of it
    }
    session->at = *at;
    return LG_OK;
}

lg_status lg_sim_fork(lg_sim_session *session, lg_sim_session **ret_fork, lg_error *reterr)
{
    lg_session *ledger = NULL;
    if (session->ledger && lg_session_fork(session->ledger, &ledger) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    lg_sim_session *fork = sim_family_add(session->family);
    if (!fork) {
        lg_session_free(ledger);
        return lg_fail_oom(reterr);
    }
    fork->at = session->at;
    fork->newest = session->newest;
    fork->ledger = ledger;
    fork->history_bytes = session->history_bytes;
    fork->seed = session->seed;
    fork->read_real = session->read_real;
    fork->real_data = session->real_data;
    if (fork->newest) {
        fork->newest->owners++;
    }
    *ret_fork = fork;
    return LG_OK;
}

lg_status lg_sim_reset(lg_sim_session *session, lg_error *reterr)
{
    sim_family *family = session->family;
    (void)reterr; // nothing that can fail
    sim_snapshot_release(family, session->newest);
    session->newest = NULL;
    session->at = family->start;
    if (session->ledger) {
        lg_session_reset(session->ledger);
    }
    if (family->session_count == 1) {
        lg_arena_done(sim_kept(family));
        family->tidy_bytes = 0;
    }
    return LG_OK;
}
