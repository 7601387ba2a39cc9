// ask.h: what only a model can say of a call: whether its arguments are sensible, what its tool would return, and which state that
// leaves (Gecko, sections 3.1 to 3.3 and appendices A.3.2 to A.5).
//
// Everything a model says is hostile and bounded. What does not come, or does not fit after two repairs, is told as such, and
// whoever asked goes on without it.
#ifndef LG_SIMULATE_ASK_H
#define LG_SIMULATE_ASK_H

#include "simulate/simulate.h"

// What is known of the call and its session when a model is asked.
typedef struct lg_ask {
    const lg_sim_tool *tool;
    const lg_json *args;
    const lg_json *state;    // the task state; or NULL
    const lg_sim_past *past; // the latest calls of the session, the oldest first
    size_t past_count;
} lg_ask;

// Are the arguments sensible? Adds what is not to `ret` (in `arena`), of kind "arguments" and rule "model", without the right value. A model that
// says nothing usable finds nothing, and `*ret_note` says so. Fails with LG_ERR_OOM, LG_ERR_IO (the recording).
LG_NODISCARD lg_status lg_ask_validity(lg_arena *arena, lg_llm *model, const lg_ask *ask,
                                       const lg_sim_violation **ret, size_t *ret_count,
                                       lg_str *ret_note, lg_error *reterr);

// What does the tool return? `*ret_result` fits the tool's result schema, or is NULL and `*ret_note` says why.
LG_NODISCARD lg_status lg_ask_response(lg_arena *arena, lg_llm *model, const lg_ask *ask,
                                       const lg_json **ret_result, lg_str *ret_note,
                                       lg_error *reterr);

// The state after `result`: an object, or NULL and `*ret_note` says why (then the state stays what it was).
LG_NODISCARD lg_status lg_ask_state(lg_arena *arena, lg_llm *model, const lg_ask *ask,
                                    const lg_json *result, const lg_json **ret_state,
                                    lg_str *ret_note, lg_error *reterr);

// The first state of a task (the bootstrapper of A.5): `background` is what is known of the world already, or NULL.
LG_NODISCARD lg_status lg_ask_first_state(lg_arena *arena, lg_llm *model, const lg_sim *sim,
                                          lg_str task, const lg_json *background,
                                          const lg_json **ret_state, lg_str *ret_note,
                                          lg_error *reterr);

#endif
