// rehearse.h: conversations that are carried out: the real session and state.
//
// What a solver finds is a ledger, or a state, all at once. Whether one gets there is shown by
// calls: each read is observed by a real ledger, each write is judged by the gate at its turn, and
// what it leaves stale is stale. A stand is a snapshot of it all; going back is keeping the old one.
#ifndef LG_PROVE_REHEARSE_H
#define LG_PROVE_REHEARSE_H

#include "prove/task.h"
#include "session/session.h"
#include "world/world.h"

// --- Records ------------------------------------------------------------------------------------

// One record of a ledger or state.
typedef struct record {
    const lg_place *place;
    const lg_str *path; // as many as the place has segments
    const lg_json *value;
} record;

typedef struct records {
    record *items;
    size_t count, capacity;
} records;

// All records under `root`. False when out of memory.
bool records_of(lg_arena *arena, const lg_places *places, const lg_json *root, records *ret);
// The root of a ledger of the records that `kept` (or NULL: all) marks, with that history.
const lg_json *root_of_records(lg_arena *arena, const lg_pack *pack, const records *all,
                               const bool *kept, const lg_json *history);
// A state of a ledger that has seen these records, all fresh. False when out of memory.
bool state_of_records(lg_arena *arena, const lg_json *root, const records *all,
                      lg_ledger_state *ret);

// --- Calls --------------------------------------------------------------------------------------

// One call of a conversation, the last first.
typedef struct turn {
    const struct turn *before;
    const lg_tool *tool;
    const lg_json *args;
    const lg_json *result; // NULL: not known
    bool judged;
    lg_verdict verdict; // of a write
    uint32_t number;
} turn;

typedef struct stand {
    lg_session_state session;
    const lg_json *state; // NULL: only the session is rehearsed
    const turn *last;
} stand;

typedef struct rehearsal {
    task *task;
    lg_arena *arena;     // of arguments, results and turns
    lg_session *session; // NULL: there was no memory for it
    lg_world world;
    int64_t now_seconds;
    uint32_t now_nanos;
    const lg_world_breach *breaches; // of the latest call
    size_t breach_count;
} rehearsal;

// Where nothing has been seen; `state` may be NULL.
stand rehearsal_begin(rehearsal *r, task *t, lg_arena *arena, const lg_json *state);
void rehearsal_end(rehearsal *r);

// Makes a read. `result` is what it returns; NULL: what it returns of the state. False, and `at` as
// it was, if the ledger does not accept it.
bool rehearse_read(rehearsal *r, stand *at, const lg_tool *tool, const lg_json *args,
                   const lg_json *result);

// Judges a write and, if it is allowed, makes it. False, and `at` as it was, if it is refused or
// cannot be carried out. What does not hold afterwards is in `r->breaches`.
bool rehearse_write(rehearsal *r, stand *at, const lg_tool *tool, const lg_json *args,
                    const lg_json *result);
// The verdict alone. False when out of memory.
bool rehearse_verdict(rehearsal *r, const stand *at, const lg_tool *tool, const lg_json *args,
                      lg_verdict *ret);

// The calls so far as JSON: `{"what", "state", "calls": [{"tool", "args", "result", "verdict"}]}`, in
// the arena of the answer.
const lg_json *rehearsed_example(task *t, const char *what, const lg_json *state, const stand *at,
                                 lg_str broken);

#endif
