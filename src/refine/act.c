// act.c: one attempt on the real tools, with the rehearsals before the agent's eyes.
#include "refine/act.h"

#include "refine/attempt.h"

// What was written in earnest is written in the session, so that the next task's rehearsals begin where the world is. Of a
// call of which nobody knows whether it happened it is supposed that it did.
static lg_status follow(lg_sim_session *session, const lg_refine_attempt *attempt, lg_error *reterr)
{
    lg_status status = LG_OK;
    const lg_sim *sim = lg_sim_of(session);
    for (size_t i = 0; status == LG_OK && i < attempt->call_count; i++) {
        const lg_refined_call *call = &attempt->calls[i];
        const lg_sim_tool *tool = lg_sim_tool_named(sim, call->name, call->by_user);
        lg_sim_answer answer;
        lg_sim_call made = {.tool = call->name, .args = call->args, .by_user = call->by_user};
        if (tool && tool->kind == LG_TOOL_WRITE && call->is_valid) {
            status = lg_sim_call_tool(session, &made, NULL, &answer, reterr);
        }
    }
    return status;
}

static lg_status judge(lg_sim_session *session, const lg_refine_options *options, lg_arena *arena,
                       uint64_t since, lg_refine_attempt *ret, lg_error *reterr)
{
    lg_sim_done done = {.task = options->task, .response = ret->response, .since = since};
    lg_llm *model = options->models ? options->models->judge : NULL;
    if (!options->checklist) {
        return LG_OK;
    }
    lg_status status =
        lg_sim_judge(session, options->checklist, &done, model, arena, &ret->judgement, reterr);
    ret->is_judged = status == LG_OK;
    ret->feedback = ret->judgement.feedback;
    return status;
}

static lg_status prepare(lg_refine_run *run, lg_error *reterr)
{
    const lg_refine_options *options = run->options;
    if (!options->planner || !options->planner->next || lg_str_trim(options->task).len == 0) {
        return lg_fail(reterr, LG_ERR_USAGE, "an agent needs a planner and a task");
    }
    lg_refine_meter_init(&run->meter, options);
    run->since = lg_refine_calls_before(run->session, options);
    run->system = lg_refine_system_text(run->arena, options, true);
    run->tools = options->tools;
    if (!run->system.ptr) {
        return lg_fail_oom(reterr);
    }
    return options->tools ? LG_OK
                          : lg_refine_tools(lg_sim_of(run->session), options->with_user_tools,
                                            run->arena, &run->tools, reterr);
}

lg_status lg_refine_act(lg_sim_session *session, lg_executor *real,
                        const lg_refine_options *options, lg_str rehearsals, lg_arena *arena,
                        lg_refine_attempt *ret, lg_str *ret_why, lg_error *reterr)
{
    lg_refine_run run = {.session = session, .real = real, .options = options, .arena = arena};
    *ret = (lg_refine_attempt){.feedback = LG_STR("")};
    lg_status status = prepare(&run, reterr);
    if (status == LG_OK) {
        status = lg_sim_state_hash(session, ret->start_hash, reterr);
    }
    if (status == LG_OK) {
        status = lg_refine_play(&run, 0, rehearsals, LG_STR(""), ret, ret_why, reterr);
    }
    if (status == LG_OK) {
        status = follow(session, ret, reterr);
    }
    if (status == LG_OK) {
        status = lg_sim_state_hash(session, ret->end_hash, reterr);
    }
    bool is_whole = ret->end == LG_REFINE_END_STOP || ret->end == LG_REFINE_END_LIMIT;
    return status == LG_OK && is_whole ? judge(session, options, arena, run.since, ret, reterr)
                                       : status;
}
