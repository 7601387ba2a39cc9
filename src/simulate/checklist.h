// checklist.h: is the task done? A checklist, verified item by item, first by rules, then by a model (Gecko, section 3.4).
//
// An item is one assertion about the state at the end, or about a call that was made. One that says it as a CEL expression
// is decided by evaluating it; any other is put to the model, if there is one, and is unknown otherwise. `unknown` never
// counts as success.
//
// Expressions see `state` (as lg_sim_state() gives the view), `start` (the first state), `calls` (a list of
// {name, arguments, result, error, requestor}; `error` is null or a text) and `response` (what the agent said at the end).
#ifndef LG_SIMULATE_CHECKLIST_H
#define LG_SIMULATE_CHECKLIST_H

#include "simulate/simulate.h"

typedef struct lg_checklist_item {
    lg_str description;
    lg_str that;                   // the CEL source; empty: no rule decides it
    const lg_cel_program *program; // of it
} lg_checklist_item;

typedef struct lg_checklist {
    const lg_checklist_item *items;
    size_t count;
    bool by_model; // a model made it of the task
} lg_checklist;

// Reads what a task says of itself into `arena`: an array of items {"description", "that"}, or an object with any of
//   "checklist": such an array,
//   "actions": [{"name", "arguments", "requestor"}]: each was called with these arguments (others allowed beside them) and
//              did not fail,
//   "communicate_info": ["..."]: the response says it (letters of any case, commas of numbers aside),
//   "state": {"path": value} by JSON pointer: the state has this value there at the end.
// Adds an error with its JSON pointer for each that is none. Fails with the status of the first.
LG_NODISCARD lg_status lg_checklist_read(lg_arena *arena, const lg_json *task, lg_checklist *ret,
                                         lg_errors *errors);

// Has `model` make a checklist of the task's words (appendix A.6): only of this task, those before it count as done. A
// model that gives none is no error: `ret->count` is 0 and `*ret_why` says why. Fails with LG_ERR_OOM, LG_ERR_IO.
LG_NODISCARD lg_status lg_checklist_make(lg_arena *arena, const lg_sim *sim, lg_str task,
                                         const lg_str *tasks_before, size_t before_count,
                                         lg_llm *model, lg_checklist *ret, lg_str *ret_why,
                                         lg_error *reterr);

typedef enum lg_check_status {
    LG_CHECK_SUCCESS,
    LG_CHECK_FAILED,
    LG_CHECK_UNKNOWN, // not done but explained, or the evidence is incomplete
} lg_check_status;

const char *lg_check_status_name(lg_check_status status); // "success", "failed", "unknown"

typedef enum lg_check_by {
    LG_CHECK_BY_RULE,
    LG_CHECK_BY_MODEL,
    LG_CHECK_BY_NOBODY, // no rule, and no model that answered
} lg_check_by;

const char *lg_check_by_name(lg_check_by by); // "rule", "model", "nobody"

typedef struct lg_checked_item {
    lg_str description;
    lg_check_status status;
    lg_check_by by;
    lg_str reasoning;
} lg_checked_item;

typedef struct lg_sim_judgement {
    const lg_checked_item *items; // as in the checklist
    size_t count;
    lg_check_status
        status;    // success only if all are; failed if any is; else unknown. Of no items: unknown
    double reward; // 1 for success, else 0
    lg_str feedback; // what is open, for whoever plans; empty after success
} lg_sim_judgement;

// Judges the session as it is. `response`: what the agent said at the end; may be empty. What is returned lives in
// `arena`. `model` may be NULL. Fails with LG_ERR_OOM, LG_ERR_IO (the model's recording).
LG_NODISCARD lg_status lg_sim_judge(lg_sim_session *session, const lg_checklist *checklist,
                                    lg_str task, lg_str response, lg_llm *model, lg_arena *arena,
                                    lg_sim_judgement *ret, lg_error *reterr);

#endif
