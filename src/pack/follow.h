// follow.h: what an expression reads, and what steps aim at. Shared by reach.c and settle.c.
#ifndef LG_PACK_FOLLOW_H
#define LG_PACK_FOLLOW_H

#include "pack/loader.h"

#include "cel/tree.h"

#define LOCALS_MAX 32u
#define NO_SLOT UINT32_MAX

typedef enum ref_kind {
    REF_OTHER,  // computed: whatever it was computed from has been noted
    REF_TEXT,   // a text that the pack says
    REF_TEXTS,  // a list of such texts, or of some of them
    REF_ONE_OF, // one of them
    REF_ARGS,   // a place in the arguments
    REF_STATE,  // a place in the state
} ref_kind;

// What an expression stands for.
typedef struct ref {
    ref_kind kind;
    bool late; // of the state after steps that may have changed it
    lg_str text;
    const lg_str *texts;
    uint32_t text_count;
    lg_reach path;
} ref;

typedef struct reads {
    lg_reach *items;
    size_t count;
    size_t capacity;
    bool anything;
} reads;

typedef struct slot {
    ref is;
    reads of; // what was read on the way
} slot;

typedef struct walk {
    loader *l;
    uint32_t state_slot; // or NO_SLOT
    uint32_t args_slot;  // or NO_SLOT
    bool late;           // `state` is what earlier steps have left
    slot *slots;         // of `let`s and items
    uint32_t slot_count;
    struct {
        const lg_cel_local *local;
        ref is;
    } locals[LOCALS_MAX];
    uint32_t local_count;
    reads *out;                // what is read
    reads *changes;            // what steps aim at
    bool conditional;          // the conditions of steps are noted with what they aim at
    const lg_reach_only *only; // those of the steps around
} walk;

// --- Paths (paths.c) ----------------------------------------------------------------------------

void reads_note(loader *l, reads *list, const lg_reach *path); // too many are all of the state
void reads_note_all(loader *l, reads *list, const reads *more);
bool reads_meet(const reads *changed, const reads *shown);
bool reads_meet_path(const reads *changed, const lg_reach *shown);
lg_reach_set reads_as_set(const reads *list);

// One step further. A path that is too long stays where it is, and so reaches further.
ref step_down(ref from, lg_reach_step step);
lg_reach_step any_step(void);
lg_reach_step name_step(lg_str name);

// --- Expressions --------------------------------------------------------------------------------

// What stands for the whole expression; what was read on the way is noted.
ref follow_program(walk *w, const lg_cel_program *program);
void consume(walk *w, ref used);          // notes that it is read
void consume_presence(walk *w, ref used); // notes that it is read whether there is such a thing
void consume_program(walk *w, const lg_cel_program *program); // both
void consume_template(walk *w, const lg_template *text);

// Does the expression name this slot?
bool names_slot(const lg_cel_node *node, uint32_t at);

// The collection at the top of the slot's value of which the expression says something for each record by itself:
// `state.orders.all(k, ...)`, where the body names that collection as `state.orders[k]` alone. Else empty. (each.c)
lg_str each_of(const lg_cel_node *tree, uint32_t state_slot);

// --- Steps --------------------------------------------------------------------------------------

walk new_walk(loader *l, uint32_t args_slot, reads *out, reads *changes);
void set_slot(walk *w, uint32_t at, ref is, reads of);
void walk_lets(walk *w, const lg_binding *lets, size_t count, uint32_t first);
void walk_target(walk *w, const lg_step *step);
bool is_item_removed(const lg_step *step); // out of a list: those behind it have other indices then
walk walk_of_procedure(const walk *w);     // it sees the state and nothing else
void walk_steps(walk *w, const lg_step *steps, size_t count);

// --- Settling (settle.c) ------------------------------------------------------------------------

typedef struct settling {
    struct effect *effects; // one for each step of `settle`; NULL: out of memory
    reads always;           // what every call changes, since it is not at rest
    reads conditions;       // under which it fails, and the call with it
} settling;

settling read_settle(loader *l);

// Adds what `settle` may change after something else has changed.
void add_settle(loader *l, const settling *settle, reads *changes);

#endif
