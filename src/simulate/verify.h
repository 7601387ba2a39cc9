// verify.h: is what a data set of tool calls does what its tasks ask for?
//
// Each entry is one try of one task: its calls are carried out in a session of their own, and the end is judged.
//
//     {"id": "7", "task": "Cancel order #W1", "state": {...}, "calls": [{"name": "cancel", "arguments": {"id": "#W1"}}],
//      "checklist": [{"description": "it is cancelled", "that": "state.orders[\"#W1\"].status == \"cancelled\""}],
//      "response": "It is cancelled."}
//
// `id` (or `task_id`) names the simulator's first state of this task, if it has one; `state` goes before it. The checklist
// is what lg_checklist_read() finds: in `checklist`, if that is an object, else in the entry itself, whose `state` is then
// that of the beginning and says nothing of the end. Without one the judge's model makes it of `task`.
#ifndef LG_SIMULATE_VERIFY_H
#define LG_SIMULATE_VERIFY_H

#include "simulate/checklist.h"

#define LG_SIM_VERIFY_CALLS_MAX 100000u // of one entry

typedef struct lg_sim_verified {
    lg_str id; // may be empty
    lg_sim_judgement judgement;
    size_t calls;         // made
    size_t invalid;       // of them: no such tool, or arguments that do not fit
    size_t failed;        // of them: the tool's own error
    lg_str first_invalid; // what is wrong with the first; or empty
    bool by_model;        // a model made the checklist
    lg_str why;           // there is no checklist; or empty
    // Something was unknown as a model had not answered, and it was asked again, once.
    bool tried_again;
} lg_sim_verified;

// What is returned lives in `arena`. `models` may be NULL. An entry that is none adds its errors, each with a JSON pointer,
// and fails with the status of the first: LG_ERR_TYPE, LG_ERR_USAGE (no first state), LG_ERR_LIMIT, or as lg_sim_judge().
LG_NODISCARD lg_status lg_sim_verify_entry(const lg_sim *sim, const lg_json *entry, uint64_t seed,
                                           const lg_sim_models *models, lg_arena *arena,
                                           lg_sim_verified *ret, lg_errors *errors);

// One object: {"id", "status", "reward", "items", "feedback", "calls", "invalid", "failed", "tried_again", ...}.
void lg_sim_verified_write(lg_json_writer *w, const lg_sim_verified *verified);

#endif
