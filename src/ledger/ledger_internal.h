// ledger_internal.h: what the files of this room share while one call is folded.
#ifndef LG_LEDGER_INTERNAL_H
#define LG_LEDGER_INTERNAL_H

#include "ledger/ledger.h"
#include "json/tree.h"

// Everything is made in the ledger's work arena; what the new state needs is moved out of it.
typedef struct fold {
    lg_ledger *ledger;
    lg_arena *work;
    lg_ledger_call call; // what it points to lies in the work arena, or in the pack
    const lg_tool *tool; // NULL: the pack does not declare it
    lg_ledger_state next;
    const lg_ledger_entry **stored; // in this observation
    uint32_t stored_count;
    size_t stored_capacity;
    bool malformed;  // the result was rejected for its form
    lg_error *why;   // of failures, and of what was rejected
    lg_budget steps; // of all that is evaluated and checked
    lg_cel_value values[LG_STORE_SLOT_COUNT];
} fold;

// --- ledger.c -----------------------------------------------------------------------------------

// Replaces `before`, the entry with the same key. NULL: there is no such entry; it is appended.
LG_NODISCARD lg_status put_entry(fold *f, const lg_ledger_entry *before,
                                 const lg_ledger_entry *entry);

// --- verify.c -----------------------------------------------------------------------------------

// Notes that the result does not have the declared form. The message is in f->why.
void reject_form(fold *f, bool empty);
bool is_rejected(const fold *f);

// Notes that the result gives two different records for one place.
void reject_twice(fold *f, const lg_place *place, lg_str key);

// Reads the result and checks it: the declared form, then the postconditions, with the ledger before
// the call. Rejects it unless it holds. NULL then, and if the tool declares nothing of it.
LG_NODISCARD lg_status read_result(fold *f, const lg_json **ret);

// Checks what the fold has stored: the type of each record, then the invariants on the new root.
void check_commit(fold *f);

// --- fresh.c ------------------------------------------------------------------------------------

#define RESTS_MAX 8u // reads that one record came from; more are not looked at

// Marks the records stale that the call may have changed; counts them.
LG_NODISCARD lg_status mark_stale(fold *f, uint32_t *ret_count);

// --- tidy.c -------------------------------------------------------------------------------------

// Moves all that the state points to. False when out of memory; then the state must not be used.
LG_NODISCARD bool move_state(lg_mover *mover, lg_ledger_state *state);

#endif
