// refine_internal.h: what the files of this room share.
#ifndef LG_REFINE_INTERNAL_H
#define LG_REFINE_INTERNAL_H

#include "refine/refine.h"

// --- memory.c: what a planner is shown --------------------------------------------------------------

// One reply of the planner within an attempt.
typedef struct lg_refine_turn {
    lg_str text;        // said beside its calls
    size_t from, count; // its calls among those of the attempt
    lg_str wrong; // what a reply that says nothing was answered with; empty for one with calls
} lg_refine_turn;

// An attempt under way. A call or reply with something wrong is forgotten as soon as a valid call follows in a later reply.
typedef struct lg_refine_memory {
    const lg_refine_options *options;
    lg_str system;   // what stands before all
    lg_str reminder; // of the last attempt, behind the task; empty in the first
    lg_refined_call *calls;
    bool *is_forgotten; // by call
    size_t call_count, call_capacity, flag_capacity;
    lg_refine_turn *turns;
    size_t turn_count, turn_capacity;
    size_t remembered_from; // turns before this one have nothing wrong left in them
} lg_refine_memory;

// The words that stand before every task. ptr is NULL when out of memory.
lg_str lg_refine_system_text(lg_arena *arena, const lg_refine_options *options, bool is_real);

// What an attempt is told of the last one: its calls, their answers, what was said of them. Bounded.
lg_str lg_refine_reminder_text(lg_arena *arena, const lg_refine_attempt *last, size_t number);

// The messages of the next question. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_refine_messages(const lg_refine_memory *memory, lg_arena *arena,
                                          const lg_llm_message **ret, size_t *ret_count,
                                          lg_error *reterr);

// A valid call has come in the turn `turn`: what was wrong in those before it is forgotten.
void lg_refine_forget_before(lg_refine_memory *memory, size_t turn);

// The `tool_calls` of an assistant's message. NULL when out of memory.
const lg_json *lg_refine_calls_json(lg_arena *arena, const lg_refined_call *calls, const bool *skip,
                                    size_t count, size_t *ret_count);

// --- words.c --------------------------------------------------------------------------------------

// Appends what an attempt came to: its calls and what was said of it.
void lg_refine_add_attempt(lg_buf *out, const lg_refine_attempt *attempt);

// --- costs.c --------------------------------------------------------------------------------------

typedef struct lg_refine_meter {
    const lg_llm *models[5]; // each once
    size_t count;
} lg_refine_meter;

void lg_refine_meter_init(lg_refine_meter *meter, const lg_refine_options *options);
lg_refine_cost lg_refine_meter_read(const lg_refine_meter *meter);
// Adds to `cost` what was read since `before`.
void lg_refine_meter_add(const lg_refine_meter *meter, lg_refine_cost before, lg_refine_cost *cost);
// Names what of the budget is spent, or returns NULL.
const char *lg_refine_is_spent(const lg_refine_budget *budget, const lg_refine_costs *costs);

#endif
