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
    bool stored_again; // some of them were replaced by later ones
    uint32_t marked;   // records that it has made stale
    bool own;          // what is marked is what this observation has stored, and nothing else
    bool malformed;    // the result was rejected for its form
    bool assumed;      // it has no answer: lg_ledger_assume
    bool pending;      // and belongs to the message that is judged
    lg_json *history;  // of assumed calls: a copy with room for them; NULL: not made yet
    lg_error *why;     // of failures, and of what was rejected
    lg_budget steps;   // of all that is evaluated and checked
    lg_cel_value values[LG_STORE_SLOT_COUNT];
} fold;

// --- ledger.c -----------------------------------------------------------------------------------

// Replaces the entry with the same key, which was found there. NULL: there is none; it is appended.
LG_NODISCARD lg_status put_entry(fold *f, const struct lg_map_key *found,
                                 const lg_ledger_entry *entry);

// lg_ledger_observe of a call that was made before: one of the open ones, or there are none.
LG_NODISCARD lg_status observe_call(lg_ledger *ledger, const lg_ledger_call *call,
                                    lg_observed *ret_observed, lg_error *reterr);

// Appends the call to the history, with what is known of its outcome.
LG_NODISCARD lg_status add_to_history(fold *f, const char *outcome);

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

// --- sources.c ----------------------------------------------------------------------------------

// What the store has put there is the first source of `entry`. Those of `before`, the record as it was
// (or NULL), that it does not replace come behind it.
LG_NODISCARD lg_status add_source(fold *f, lg_ledger_entry *entry, const lg_ledger_entry *before,
                                  const lg_tool_store *store);

// The part of the record into which the store puts something: names alone, as the loader sees to.
lg_stale_part part_of_store(const lg_tool_store *store);

// What of a record may have changed, to be added to what is marked of a source.
#define PARTS_MAX 16u // beyond that it is all of the record
typedef struct marks {
    bool all;
    lg_stale_part parts[PARTS_MAX];
    uint32_t count;
} marks;

void marks_add(marks *m, const lg_stale_part *part);

// The source with these marks as well. `doubted`: by a read that failed.
LG_NODISCARD lg_status mark_source(fold *f, lg_ledger_source *source, const marks *m, bool doubted);

// What is stale of the record, from what is stale of its sources.
LG_NODISCARD lg_status sum_up(fold *f, lg_ledger_entry *entry);

// --- fresh.c ------------------------------------------------------------------------------------

// Marks the records stale that the call may have changed, whatever came of it; counts them.
LG_NODISCARD lg_status mark_stale(fold *f, uint32_t *ret_count);

// Marks the records stale that the read would have stored; counts them.
LG_NODISCARD lg_status mark_doubtful(fold *f, uint32_t *ret_count);

// --- failures.c ---------------------------------------------------------------------------------

// Is the result an error after which nothing has changed, as the pack says?
bool is_declared_error(fold *f);

// --- open.c -------------------------------------------------------------------------------------

// Marks what the fold has stored stale where a write that was made beside the read has answered meanwhile: it
// may have come before or after the read.
LG_NODISCARD lg_status mark_read_beside_writes(fold *f);

// --- tidy.c -------------------------------------------------------------------------------------

// Moves all that the state points to. False when out of memory; then the state must not be used.
LG_NODISCARD bool move_state(lg_mover *mover, lg_ledger_state *state);

#endif
