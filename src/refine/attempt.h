// attempt.h: one attempt, from the state where the session is until the planner stops.
#ifndef LG_REFINE_ATTEMPT_H
#define LG_REFINE_ATTEMPT_H

#include "refine/act.h"
#include "refine/refine_internal.h"

// What all attempts of a refinement share.
typedef struct lg_refine_run {
    lg_sim_session *session;
    lg_executor *real; // where calls are made in earnest; NULL: they are simulated
    const lg_refine_options *options;
    lg_arena *arena; // of the record
    const lg_json *tools;
    lg_refine_meter meter;
    lg_refine_costs before; // of the attempts that are over, and of the checklist
    lg_str system;
    int64_t begun_ns;
    uint64_t since; // number of the last call before the task
} lg_refine_run;

double lg_refine_seconds_since(const lg_refine_options *options, int64_t begun_ns);
// Number of the last call before the task: what was done of it already belongs to it.
uint64_t lg_refine_calls_before(const lg_sim_session *session, const lg_refine_options *options);
int64_t lg_refine_now(const lg_refine_options *options);

// Plays one attempt: fills all of `ret` but its judgement, feedback and hashes. `*ret_message`: why it broke off, or
// empty. Fails with LG_ERR_OOM, LG_ERR_IO.
LG_NODISCARD lg_status lg_refine_play(const lg_refine_run *run, uint32_t number, lg_str reminder,
                                      lg_str feedback, lg_refine_attempt *ret, lg_str *ret_message,
                                      lg_error *reterr);

#endif
