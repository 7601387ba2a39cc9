// session.c: a session of the simulator as an executor.
#include "tool/tool_internal.h"

typedef struct simulated {
    lg_executor base;
    lg_sim_session *session;
    const lg_sim_models *models;
} simulated;

static lg_status list(lg_executor *executor, lg_arena *arena, lg_mcp_tools *tools, lg_error *reterr)
{
    const lg_sim *sim = lg_sim_of(((simulated *)executor)->session);
    lg_status status = LG_OK;
    for (size_t i = 0; i < lg_sim_tool_count(sim) && status == LG_OK; i++) {
        const lg_sim_tool *from = lg_sim_tool_at(sim, i);
        lg_mcp_tool tool = {.name = from->name,
                            .description = from->description,
                            .input = from->parameters,
                            .output = from->result};
        if (!from->by_user) {
            status = lg_executor_add_tool(arena, &tool, tools, reterr);
        }
    }
    return status;
}

static lg_status run(lg_executor *executor, const lg_executor_call *call, lg_arena *arena,
                     lg_executor_answer *ret, lg_error *reterr)
{
    const simulated *s = (simulated *)executor;
    lg_sim_answer answer;
    lg_error error = {0};
    lg_sim_call made = {.tool = call->tool,
                        .args = call->args ? call->args : &lg_json_no_members,
                        .by_user = call->by_user};
    lg_status status = lg_sim_call_tool(s->session, &made, s->models, &answer, &error);
    if (status != LG_OK) { // and then the session is as it was
        return status == LG_ERR_OOM
                   ? lg_fail_oom(reterr)
                   : lg_executor_end(arena, LG_EXECUTOR_FAILED, ret, "%s", error.msg);
    }
    bool is_error = lg_sim_is_error(&answer);
    lg_str text = is_error && answer.error.len ? answer.error : answer.text;
    *ret = (lg_executor_answer){.outcome = LG_EXECUTOR_DONE,
                                .is_error = is_error,
                                .text = lg_arena_str(arena, text),
                                .why = LG_STR("")};
    lg_json words = lg_json_make_str(ret->text);
    ret->value = lg_json_copy(arena, answer.result ? answer.result : &words);
    return ret->value && ret->text.ptr ? LG_OK : lg_fail_oom(reterr);
}

static void free_simulated(lg_executor *executor)
{
    (void)executor;
}

lg_status lg_executor_of_session(lg_sim_session *session, const lg_sim_models *models,
                                 lg_executor **ret, lg_error *reterr)
{
    static const lg_executor_kind kind = {list, run, free_simulated, NULL};
    simulated *s = lg_executor_make(&kind, sizeof(*s), NULL);
    if (!s) {
        return lg_fail_oom(reterr);
    }
    s->session = session;
    s->models = models;
    *ret = &s->base;
    return LG_OK;
}
