// ledger_internal.h: what the files of this room share while one call is folded.
#ifndef LG_LEDGER_INTERNAL_H
#define LG_LEDGER_INTERNAL_H

#include "ledger/ledger.h"
#include "json/tree.h"

typedef struct fold {
    lg_ledger *ledger;
    const lg_ledger_call *call;
    const lg_tool *tool; // NULL: the pack does not declare it
    lg_ledger_state next;
    const lg_ledger_entry **entries; // those of `next`, once they are a copy that may be changed
    uint32_t entry_capacity;
    lg_tree_update *stored; // what the root must hold in the end
    uint32_t stored_count;
    size_t stored_capacity;
    bool malformed; // the result was rejected for its form
    lg_error *why;  // of failures, and of what was rejected
    lg_budget work; // of all that is evaluated and checked
    lg_cel_value values[LG_STORE_SLOT_COUNT];
} fold;

// --- ledger.c -----------------------------------------------------------------------------------

// Replaces the entry at `index` or, where that is the count, appends.
LG_NODISCARD lg_status put_entry(fold *f, uint32_t index, const lg_ledger_entry *entry);

// Index of the entry at exactly this path, or the count.
uint32_t find_exact(const lg_ledger_state *state, const lg_str *segments, size_t count);

// --- verify.c -----------------------------------------------------------------------------------

// Notes that the result has not the declared form. The message is in f->why.
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

// Marks the records stale that the call may have changed; counts them.
LG_NODISCARD lg_status mark_stale(fold *f, uint32_t *ret_count);

#endif
