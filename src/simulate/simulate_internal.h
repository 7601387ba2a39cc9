// simulate_internal.h: what the files of this room share and nobody else sees.
//
// A family is a session and its forks. All that they remember (states, histories) lies in one arena, `kept`, which is
// that of the family's world; what nobody needs any more is given back by moving the rest out of it. What a call
// makes on its way lies in `work`. First states lie in the simulator, and are borrowed.
#ifndef LG_SIMULATE_INTERNAL_H
#define LG_SIMULATE_INTERNAL_H

#include "simulate/open_world.h"
#include "simulate/recall.h"
#include "simulate/simulate.h"

// --- The simulator ------------------------------------------------------------------------------

// A first state: of a pack's world, or without a pack an object.
typedef struct sim_start {
    struct sim_start *next;
    lg_str task;
    lg_world world;
    const lg_json *state;
} sim_start;

struct lg_sim {
    lg_sim_options options; // with the defaults
    lg_limits limits;
    lg_arena arena;
    lg_sim_tool *tools;
    size_t tool_count;
    const lg_sim_tool **by_name; // sorted; of those with one name the first comes first
    sim_start *starts;
    lg_recall *recall; // recorded answers, or NULL
};

const sim_start *sim_start_of(const lg_sim *sim, lg_str task); // or NULL
bool sim_pack_has_state(const lg_sim *sim);
// Makes what `file` holds the start's state, in its world. Adds errors as lg_sim_add_state() does.
LG_NODISCARD lg_status sim_start_load(const lg_sim *sim, sim_start *start,
                                      const lg_world_file *file, lg_errors *errors);

// --- History (history.c) ------------------------------------------------------------------------

typedef struct sim_entry {
    lg_sim_past past;
    const lg_json *before, *after; // the states; NULL where there is none
    uint64_t bytes;                // that the calls up to this one have kept
} sim_entry;

#define SIM_PAGE_CALLS 32u

// A list that only grows, in pages from the newest to the oldest. Who is first to write behind what a page holds
// goes on in it; others who share the page copy it. So a copy of a sim_history is a snapshot.
typedef struct sim_page {
    struct sim_page *older;
    uint64_t first; // number of its first call
    uint64_t floor; // while it is moved: the chain from here on is complete down to this number
    uint32_t used;
    const sim_entry *entries[SIM_PAGE_CALLS];
} sim_page;

typedef struct sim_history {
    sim_page *newest;
    uint64_t latest; // number of the latest call; 0: none
    uint64_t first;  // of the oldest that is kept; latest + 1: none
    uint64_t bytes;  // that all of them up to the latest have kept
    uint64_t looked; // what that was when it was last looked whether it is too much
} sim_history;

// The call `number`, or NULL.
const sim_entry *sim_history_find(const sim_history *history, uint64_t number);

// Makes room for one call more, in `arena`: what sim_history_add() needs, so that that cannot fail. NULL when out of
// memory; nothing that anybody sees has changed.
sim_page *sim_history_reserve(lg_arena *arena, const sim_history *history);
// Adds the call as the latest, and drops the oldest beyond the limits.
void sim_history_add(sim_history *history, sim_page *page, const sim_entry *entry, size_t calls_max,
                     uint64_t bytes_max);
// Moves all that is kept. False when out of memory.
bool sim_history_move(lg_mover *mover, const sim_history *history, sim_history *ret);

// --- Families (family.c) ------------------------------------------------------------------------

// Where a session stands: a value, as long as its family is not tidied.
typedef struct sim_at {
    const lg_json *root;  // of the world, or without a pack the state; NULL: a pack that knows none
    bool sound;           // all invariants are known to hold
    uint64_t broken;      // the first 64 invariants that do not: each is told once
    const lg_json *asked; // how often each recorded call was answered; NULL: none was
    sim_history history;
} sim_at;

// Snapshots are a list from the newest to the oldest, which forks share.
typedef struct sim_snapshot {
    struct sim_snapshot *older;
    struct sim_snapshot *next, *previous; // of the family
    uint32_t owners;                      // sessions whose newest it is, and the one that is newer
    uint32_t number;
    sim_at at, moved;
    lg_session *ledger; // or NULL
} sim_snapshot;

typedef struct sim_family {
    const lg_sim *sim;
    lg_quota quota;
    lg_arena own;  // what was there from the beginning: a first state of its own
    lg_arena work; // of the latest call
    sim_made made;
    lg_world world; // its arena is what is kept
    bool has_world;
    lg_str about;      // of which a model is to make the first state; empty: none is, or it has
    size_t tidy_bytes; // what was kept after it was tidied
    sim_at start;
    lg_sim_session *sessions;
    sim_snapshot *snapshots; // all of them
    size_t session_count;
    size_t snapshot_count;
} sim_family;

struct lg_sim_session {
    sim_family *family;
    lg_sim_session *next, *previous;
    sim_at at, moved;
    sim_snapshot *newest;
    lg_session *ledger; // or NULL
    size_t history_bytes;
    uint64_t seed;
    lg_sim_read_real read_real;
    void *real_data;
};

// A family without sessions; a start is set by whoever makes it. NULL when out of memory.
sim_family *sim_family_new(const lg_sim *sim);
// Adds a session at the family's start, or NULL.
lg_sim_session *sim_family_add(sim_family *family);
// Takes the session out, and the family's end with the last.
void sim_family_remove(lg_sim_session *session);
void sim_snapshot_release(sim_family *family, sim_snapshot *snapshot); // and those behind it
lg_arena *sim_kept(sim_family *family);
// Gives back what nobody needs, if that is much or `now`. The answer of the latest call is gone.
void sim_family_tidy(sim_family *family, bool now);
// LG_ERR_LIMIT with what to do, or LG_ERR_OOM: why the latest allocation of the family failed.
lg_status sim_family_fail(const sim_family *family, lg_error *reterr);
// `arena`'s bytes that something lies in.
size_t sim_used_bytes(const lg_arena *arena);

// Where the session stood at a snapshot (0: its beginning), or NULL and LG_ERR_USAGE in `reterr`. (session.c)
const sim_at *sim_at_snapshot(const lg_sim_session *session, uint64_t number, lg_error *reterr);

// --- One call -----------------------------------------------------------------------------------

typedef struct sim_turn {
    lg_sim_session *session;
    const lg_sim_call *call;
    const lg_sim_models *models;
    const lg_sim_tool *tool;
    lg_sim_answer answer;
    lg_sim_violation *violations;
    size_t violation_count, violation_capacity;
    // What it leads to.
    const lg_json *root;
    bool sound;
    uint64_t broken;
    const lg_json *asked;
} sim_turn;

// Each returns LG_OK or the status of what made it impossible to go on; `reterr` says why.

// validate.c: is there such a tool, do the arguments fit it, what does the gate say? Where the call is not valid
// `answer.end` says so, and the rest of the answer is that of the rules.
LG_NODISCARD lg_status sim_validate(sim_turn *turn, lg_error *reterr);
LG_NODISCARD lg_status sim_add_violation(sim_turn *turn, lg_str rule, const char *kind, lg_str path,
                                         lg_str message, lg_error *reterr);
// Adds a sentence to the answer's note.
LG_NODISCARD lg_status sim_add_note(sim_turn *turn, lg_str sentence, lg_error *reterr);

// effects.c: as the pack says.
LG_NODISCARD lg_status sim_carry_out(sim_turn *turn, lg_error *reterr);
// Is what the tool shows as it was at the beginning?
bool sim_shows_the_same(const sim_turn *turn);

// models.c: what models say of the call, where there are any. What one does not say is noted. The response is NULL where
// none came; the state stays what it was. By what the validator finds the call is not valid.
LG_NODISCARD lg_status sim_ask_first_state(sim_turn *turn, lg_error *reterr);
LG_NODISCARD lg_status sim_ask_validator(sim_turn *turn, lg_error *reterr);
LG_NODISCARD lg_status sim_ask_responder(sim_turn *turn, const lg_json **ret, lg_error *reterr);
LG_NODISCARD lg_status sim_ask_estimator(sim_turn *turn, lg_error *reterr);

// sources.c: who answers a call that is valid, or that a world refuses in its own words.
LG_NODISCARD lg_status sim_answer(sim_turn *turn, lg_error *reterr);

#endif
