// refine.h: a plan is rehearsed until it succeeds (GATS: Gecko, section 4 and algorithm 1 of appendix A.9).
//
// A planner is given a task and tools. Every call that it makes is validated and simulated at once, and answered as its tool
// would. When it makes no further call, a judge looks at the checklist: success ends it, and anything else begins another
// attempt, from exactly the same state, with what the judge has said. What is returned is the sequence of calls of the
// attempt that stands, which somebody may then make on the real tools, and a record of how it came about.
//
//     lg_refine_planner planner = lg_refine_planner_of(llm);
//     lg_refine_options options = {.task = task, .planner = &planner, .models = &models, .retries = 3};
//     if (lg_refine(session, &options, &arena, &record, &err) != LG_OK) ...
//     if (record.why == LG_REFINE_SUCCESS) ... record.attempts[record.stands].calls
//
// **Two memories.** Algorithm 1 has one variable for both kinds of error, and never clears it. Here a call that is not valid,
// with what was wrong with it, is shown until a valid one follows in a later reply; the judge's feedback is shown for the whole of
// the next attempt, together with the last one's calls. Nothing else of an attempt reaches the next.
//
// **Bounds.** The algorithm's inner loop has none. Here an attempt ends with its calls, and replies that say nothing at all
// count as calls. Retries, tokens, seconds and money have ends, too.
//
// **Which attempt stands.** The first that succeeds. If none does, the last that came to its end, as in the paper, and
// `why` says so; one that broke off (planner, budget) never stands. The session is at the end of the one that stands, or
// where it was.
//
// Each user message is one task: those before it count as done, and its attempts begin where the last turn has left the
// session. One thread at a time may use a session's family and a planner; different sessions may be refined at once.
#ifndef LG_REFINE_H
#define LG_REFINE_H

#include "simulate/checklist.h"

#include "json/writer.h"

// --- Planners -----------------------------------------------------------------------------------

// What a planner is asked.
typedef struct lg_refine_ask {
    const lg_llm_message
        *messages; // rules, what was before, the task; then this attempt's calls with their answers
    size_t message_count;
    const lg_json *tools; // an array as the protocol of chat completions has it, without `$ref`
    uint32_t attempt;     // from 0
    lg_str feedback;      // of the judge on the last attempt; empty in the first
} lg_refine_ask;

typedef enum lg_refine_said {
    LG_REFINE_SAID,           // calls, or a text; or nothing at all
    LG_REFINE_SAID_UNREAD,    // what came cannot be read; `error` says why
    LG_REFINE_SAID_NOTHING,   // it cannot be asked; `error` says why
    LG_REFINE_SAID_NO_BUDGET, // its budget is spent; `error` says which
} lg_refine_said;

// What it says. Of a reply without calls the text is what it tells the user, and the attempt is over.
typedef struct lg_refine_reply {
    lg_refine_said said;
    lg_str text;
    const lg_llm_call *calls; // their arguments as they were written
    size_t call_count;
    lg_error error;
    lg_llm_usage usage; // counted unless the planner has an `llm`
} lg_refine_reply;

typedef struct lg_refine_planner {
    // Fills `ret` with what lives in `arena`. Fails with LG_ERR_OOM, LG_ERR_IO (a recording): that ends the refinement.
    lg_status (*next)(void *data, const lg_refine_ask *ask, lg_arena *arena, lg_refine_reply *ret,
                      lg_error *reterr);
    void *data;
    const lg_llm *llm; // whose totals tell what it took, or NULL
} lg_refine_planner;

// A model as planner, asked at temperature 0. `llm` outlives it.
lg_refine_planner lg_refine_planner_of(lg_llm *llm);

// The tools that a simulator offers to an agent (and, if asked for, to its customer), as a planner gets them: schemas
// with what they refer to in its place; what refers to itself is left open. In `arena`. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_refine_tools(const lg_sim *sim, bool with_user_tools, lg_arena *arena,
                                       const lg_json **ret_tools, lg_error *reterr);
// The same of the customer's own alone, whatever the agent's are called.
LG_NODISCARD lg_status lg_refine_user_tools(const lg_sim *sim, lg_arena *arena,
                                            const lg_json **ret_tools, lg_error *reterr);

// One schema of a tool likewise. NULL: there is none, or no memory.
const lg_json *lg_refine_inlined(lg_arena *arena, const lg_sim_tool *tool, const lg_json *schema);

// --- Refining -----------------------------------------------------------------------------------

// What a refinement may take, all attempts together; 0: without end. Looked at before the planner is asked.
typedef struct lg_refine_budget {
    uint64_t calls;  // simulated
    uint64_t tokens; // of all models
    double seconds;  // needs `now_ns`
    double money;
} lg_refine_budget;

#define LG_REFINE_RETRIES 3u
#define LG_REFINE_CALLS_PER_ATTEMPT 30u

// Zero means the default, in brackets; of `retries` zero is zero.
typedef struct lg_refine_options {
    lg_str task;
    const lg_str
        *tasks_before; // done: for the checklist, and for the planner if there is no history
    size_t before_count;
    const lg_llm_message *history; // the conversation before the task, calls and results included
    size_t history_count;
    // The same of this task, what was done of it already: stands behind the task, and in every attempt.
    const lg_llm_message *begun;
    size_t begun_count;
    lg_str rules;                  // what the planner has to keep to: a policy; may be empty
    const lg_checklist *checklist; // NULL: the judge's model makes one
    const lg_refine_planner *planner;
    const lg_sim_models *models; // NULL: none
    const lg_json *tools;        // that the planner may use; NULL: all of the agent's
    bool with_user_tools;        // and the customer's own: a planner that acts for both
    bool without_judge;          // ablation (section 6.3): any call is success, none is failure
    uint32_t retries;            // R: there are R + 1 attempts at most
    uint32_t calls_per_attempt;  // [30]
    lg_refine_budget budget;
    const lg_limits *limits;       // of arguments that are read
    int64_t (*now_ns)(void *data); // the host's clock; NULL: seconds are not known
    void *clock_data;
} lg_refine_options;

typedef struct lg_refined_call {
    lg_str id; // of the planner, or one made for it
    lg_str name;
    lg_str args_text;    // as written
    const lg_json *args; // NULL: they are no JSON
    bool by_user;        // of a tool of the customer
    bool
        is_valid; // it was carried out: a step of the sequence. Else it was answered with what is wrong
    lg_sim_end end;
    lg_sim_source source;
    const lg_json *result; // or NULL
    lg_str text;           // as the planner read it
    const lg_sim_violation *violations;
    size_t violation_count;
    lg_str note;
} lg_refined_call;

// How an attempt ended.
typedef enum lg_refine_end {
    LG_REFINE_END_STOP,    // the planner made no further call
    LG_REFINE_END_LIMIT,   // of calls an attempt
    LG_REFINE_END_BUDGET,  // broke off
    LG_REFINE_END_PLANNER, // broke off
    LG_REFINE_END_MEMORY,  // the session's memory is used up: broke off
} lg_refine_end;

const char *lg_refine_end_name(lg_refine_end end); // "stop", "limit", "budget", "planner", "memory"

// What a part of the work took. Replayed questions count as when they were asked: the same run has the same costs.
typedef struct lg_refine_cost {
    uint64_t questions; // put to models
    uint64_t prompt_tokens, completion_tokens;
    double money;
} lg_refine_cost;

typedef struct lg_refine_costs {
    uint64_t calls;   // of the planner
    uint64_t invalid; // of them
    lg_refine_cost planner, simulator, judge;
    double seconds; // by the host's clock; 0 without one
} lg_refine_costs;

typedef struct lg_refine_attempt {
    const lg_refined_call *calls; // all, in their order
    size_t call_count;
    lg_str response; // what the planner said at the end
    lg_refine_end end;
    bool is_judged;                    // not one that broke off
    lg_sim_judgement judgement;        // without a judge: no items
    lg_str feedback;                   // what the next attempt was told; empty after success
    char start_hash[65], end_hash[65]; // of the session's state
    lg_refine_costs costs;
} lg_refine_attempt;

// Why it ended.
typedef enum lg_refine_why {
    LG_REFINE_SUCCESS,
    LG_REFINE_RETRIES_SPENT, // no attempt succeeded: the last stands
    LG_REFINE_BUDGET_SPENT,
    LG_REFINE_PLANNER_FAILED,
    LG_REFINE_MEMORY_SPENT,
} lg_refine_why;

const char *
lg_refine_why_name(lg_refine_why why); // "success", "retries", "budget", "planner", "memory"

#define LG_REFINE_NONE SIZE_MAX

typedef struct lg_refined {
    lg_refine_why why;
    lg_str message; // more about it, in one sentence; may be empty
    const lg_checklist *checklist;
    const lg_refine_attempt *attempts;
    size_t attempt_count;
    size_t stands;         // the attempt whose calls are the result; or LG_REFINE_NONE
    lg_refine_costs costs; // of all, the making of the checklist included
} lg_refined;

// Refines. All that `ret` points to lives in `arena`, or is what the options point to. Fails with LG_ERR_USAGE (no
// planner, no task), LG_ERR_LIMIT (the session has no room for another snapshot), LG_ERR_OOM, LG_ERR_IO (a recording),
// LG_ERR_INTERNAL (a restored session is not what it was); then the session is where it was, if it can be.
LG_NODISCARD lg_status lg_refine(lg_sim_session *session, const lg_refine_options *options,
                                 lg_arena *arena, lg_refined *ret, lg_error *reterr);

// --- What is made of a record -------------------------------------------------------------------

// "success", or what was said of the attempt that stands ("failed", "unknown"), or "none".
const char *lg_refine_status_name(const lg_refined *record);

// As JSON: {"task_id" (if there is one), "task", "status", "why", "stands", "calls": [...], "attempts": [...], "costs": {...}}.
void lg_refine_write(lg_json_writer *w, lg_str task_id, lg_str task, const lg_refined *record);

void lg_refine_write_attempt(lg_json_writer *w,
                             const lg_refine_attempt *attempt); // one of its `attempts`

void lg_refine_costs_add(lg_refine_costs *sum, const lg_refine_costs *costs);
void lg_refine_write_costs(lg_json_writer *w, const lg_refine_costs *costs);

// Rehearsals as a block of text for the prompt of an agent that acts on the real tools (act.h; section 6.1, the experiment
// on tau2): each attempt of the records with its calls, what they returned, and what was said of it; at most `bytes` of it [32 KiB].
void lg_refine_render(lg_buf *out, const lg_refined *records, size_t count, size_t bytes);

// Appends to a conversation what a task and the attempt that stands add to it: for the `history` of the next task.
typedef struct lg_refine_history {
    lg_llm_message *items;
    size_t count, capacity;
} lg_refine_history;

LG_NODISCARD lg_status lg_refine_remember(lg_refine_history *history, lg_arena *arena, lg_str task,
                                          const lg_refined *record, lg_error *reterr);

#endif
