// world_internal.h: what the files of this room share and nobody else sees.
#ifndef LG_WORLD_INTERNAL_H
#define LG_WORLD_INTERNAL_H

#include "world/world.h"

// One call being carried out. All of it happens in the world's work arena; only what it leads to is
// kept in the world's own.
typedef struct world_run {
    lg_world *world;
    const lg_world_call *call;
    const lg_tool *tool;
    const lg_json *root;  // the state so far
    const lg_json *args;  // of the call, in the work arena; NULL: they are no JSON
    lg_cel_value *values; // by slot, as long as the pack's steps need
    uint32_t steps_left;
    uint32_t offset; // in the pack, of what is being done
    lg_world_outcome *outcome;
    bool oom;
} world_run;

// --- state.c ------------------------------------------------------------------------------------

// Checks every record that differs between two roots with its place's schema. False after a fault.
bool world_check_shapes(world_run *run, const lg_json *before, const lg_json *after);

// --- keep.c -------------------------------------------------------------------------------------

// Makes the run's root the world's, and moves what is new of it into the world's arena. False when out
// of memory.
bool world_keep(world_run *run);

// Same type and same memory: nothing below can differ.
bool world_is_same(const lg_json *a, const lg_json *b);

// --- concern.c ----------------------------------------------------------------------------------

// What of `root` an invariant has to be evaluated on, if it held in `before` (NULL: it is not known to): NULL if nothing that
// it reads has changed, a root with the new records alone, or all of it. False when out of memory.
bool world_concerns(lg_arena *arena, const lg_invariant_reach *reach, const lg_json *before,
                    const lg_json *root, const lg_json **ret);

// --- steps.c ------------------------------------------------------------------------------------

// Each returns false when the call has ended: run->outcome and run->oom say how.
bool world_do_steps(world_run *run, const lg_step *steps, size_t count);
void world_do_lets(world_run *run, const lg_binding *lets, size_t count, uint32_t slot);
bool world_eval(world_run *run, const lg_cel_program *program, lg_cel_value *ret);
bool world_print_template(world_run *run, const lg_template *template, const lg_json **ret);

// Ends the call with a fault at run->offset. Always false.
LG_PRINTF(2, 3) bool world_fault(world_run *run, const char *format, ...);
bool world_out_of_memory(world_run *run); // likewise

// `what: key` of a failure, in words.
void world_print_failure(lg_buf *out, const lg_cel_failure *failure);

// Appends `.name`, `["key"]` or `[3]`.
void world_print_key(lg_buf *out, lg_str key, bool first);

#endif
