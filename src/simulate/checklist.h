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
#include "json/writer.h"

#define LG_CHECKLIST_ITEMS_MAX 1000u
#define LG_CHECKLIST_TEXT_BYTES 4000u // of a description, an expression, or what is to be told
// Work of one judgement, some 20 ns each: of all its items together.
#define LG_SIM_JUDGE_STEPS 10000000u

typedef enum lg_check_kind {
    LG_CHECK_IN_WORDS, // only a model decides it
    LG_CHECK_THAT,     // the expression is true
    LG_CHECK_CALLED,   // the call was made and did not fail
    LG_CHECK_SAYS,     // the response says it
    LG_CHECK_STATE,    // the state has this value there
} lg_check_kind;

typedef struct lg_checklist_item {
    lg_check_kind kind;
    lg_str description;            // tells no value that is not in the task's own words
    lg_str that;                   // the CEL source; empty: no expression decides it
    const lg_cel_program *program; // of it
    const lg_json *value;          // the action; what is to be told; the value in the state
    lg_str pointer;                // into the state
    size_t nth;                    // of equal actions: so many calls are needed
} lg_checklist_item;

typedef struct lg_checklist {
    const lg_checklist_item *items;
    size_t count;
    bool by_model; // a model made it of the task
} lg_checklist;

// Reads what a task says of itself into `arena`: an array of items {"description", "that"}, or an object with any of
//   "checklist": such an array,
//   "actions": [{"name", "arguments", "requestor", "compare_args"}]: each was called with these arguments and no others
//              (numbers by value; of those that `compare_args` names, if it is there) and did not fail, by the assistant
//              unless `requestor` says "user"; an action that stands there twice was called twice,
//   "communicate_info": ["..."]: the response says it (said.c: commas and the case of letters aside, numbers by value),
//   "nl_assertions": ["..."]: items in words,
//   "state": {"path": value} by JSON pointer: the state has this value there at the end; null is also what is absent,
//   "evaluation_criteria": an object with any of these, as the tasks of tau2 have it.
// A member that is null is as good as none. Adds an error with its JSON pointer for each that is none of these; that of an
// expression shows the place in it. Fails with the status of the first.
LG_NODISCARD lg_status lg_checklist_read(lg_arena *arena, const lg_json *task, lg_checklist *ret,
                                         lg_errors *errors);

// Has `model` make a checklist of the task's words (appendix A.6): only of this task, those before it count as done.
// Expressions that it writes and that do not compile are dropped; the item is then one in words. A
// model that gives no item is no error: `ret->count` is 0 and `*ret_why` says why. Fails with LG_ERR_OOM, LG_ERR_IO.
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

// What is said to be done.
typedef struct lg_sim_done {
    lg_str task;     // in words
    lg_str response; // what the agent said at the end; may be empty
    uint64_t
        since; // the calls after the one of this number are the task's: those of earlier tasks are no evidence
} lg_sim_done;

// Judges the session as it is. What is returned lives in `arena`. `model` may be NULL. Fails with LG_ERR_OOM, LG_ERR_IO
// (the model's recording).
LG_NODISCARD lg_status lg_sim_judge(lg_sim_session *session, const lg_checklist *checklist,
                                    const lg_sim_done *done, lg_llm *model, lg_arena *arena,
                                    lg_sim_judgement *ret, lg_error *reterr);

// The members "status", "reward", "items" and "feedback" of the object that was begun.
void lg_sim_judgement_write(lg_json_writer *w, const lg_sim_judgement *judgement);

#endif
