// plan.c: what a task asks for (AgentPex section 3.2.2): a plan, and where an initial state is given the final one.
#include "judge/judge_internal.h"

// What the user says, where no request is recorded.
static void add_request(lg_buf *out, const lg_trace *trace)
{
    if (trace->request.len > 0) {
        lg_llm_add_section(out, "request", trace->request, SIZE_MAX);
        return;
    }
    lg_buf said;
    lg_buf_init(&said, 0);
    for (size_t i = 0; i < trace->count; i++) {
        const lg_trace_event *event = &trace->events[i];
        if (event->kind == LG_EVENT_MESSAGE && event->role == LG_ROLE_USER) {
            lg_buf_add(&said, event->text);
            lg_buf_add_c(&said, "\n");
        }
    }
    lg_llm_add_section(out, "request", lg_buf_str(&said), SIZE_MAX);
    lg_buf_done(&said);
}

static void add_plan(lg_buf *out, const lg_task_plan *plan)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < plan->step_count; i++) {
        const lg_plan_step *step = &plan->steps[i];
        lg_buf_addf(&text, "%zu. %.*s %.*s: %.*s\n", i, LG_FMT(step->tool), LG_FMT(step->args),
                    LG_FMT(step->expects));
    }
    lg_llm_add_section(out, "plan", lg_buf_str(&text), SIZE_MAX);
    lg_buf_done(&text);
}

static lg_status take_plan(lg_judge *judge, const lg_json *value, lg_task_plan *plan,
                           lg_error *reterr)
{
    const lg_json *steps = lg_json_get(value, LG_STR("steps"));
    lg_plan_step *items = LG_NEW_ARRAY(&judge->arena, lg_plan_step, lg_json_len(steps) + 1);
    if (!items) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < lg_json_len(steps); i++) {
        const lg_json *step = lg_json_item(steps, i);
        const lg_json *args = lg_json_get(step, LG_STR("arguments"));
        lg_buf text;
        lg_buf_init(&text, 0);
        if (args) {
            lg_json_print(&text, args);
        }
        items[i] = (lg_plan_step){.tool = lg_json_str(lg_json_get(step, LG_STR("tool"))),
                                  .args = lg_buf_keep(&text, &judge->arena),
                                  .expects = lg_json_str(lg_json_get(step, LG_STR("expects")))};
        if (!items[i].args.ptr) {
            return lg_fail_oom(reterr);
        }
    }
    plan->steps = items;
    plan->step_count = lg_json_len(steps);
    return LG_OK;
}

// Literals only: a value that stands nowhere in the material is left out.
static lg_status take_final(lg_judge *judge, const lg_json *value, lg_str material,
                            lg_task_plan *plan, lg_error *reterr)
{
    const lg_json *fields = lg_json_get(value, LG_STR("fields"));
    lg_final_field *items = LG_NEW_ARRAY(&judge->arena, lg_final_field, lg_json_len(fields) + 1);
    if (!items) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < lg_json_len(fields); i++) {
        const lg_json *field = lg_json_item(fields, i);
        lg_str literal = lg_json_str(lg_json_get(field, LG_STR("value")));
        bool exact = lg_json_is_true(lg_json_get(field, LG_STR("exact")));
        if (exact && lg_str_find(material, literal) == SIZE_MAX) {
            plan->fields_left_out++;
            continue;
        }
        items[plan->field_count++] =
            (lg_final_field){lg_json_str(lg_json_get(field, LG_STR("name"))), literal, exact};
    }
    plan->fields = items;
    plan->has_final = true;
    plan->refuses =
        lg_str_eq(lg_json_str(lg_json_get(value, LG_STR("outcome"))), LG_STR("refused"));
    return LG_OK;
}

static lg_str material_of(lg_judge *judge, const lg_trace *trace, const lg_task_plan *plan)
{
    lg_buf text, initial;
    lg_buf_init(&text, 0);
    lg_buf_init(&initial, 0);
    lg_llm_add_section(&text, "instructions", trace->prompt, SIZE_MAX);
    judge_add_tools(&text, trace->tools);
    add_request(&text, trace);
    if (plan) {
        lg_json_print(&initial, trace->initial);
        lg_llm_add_section(&text, "initial_state", lg_buf_str(&initial), SIZE_MAX);
        add_plan(&text, plan);
    }
    judge_add_conversation(judge, &text, trace);
    lg_buf_done(&initial);
    return lg_buf_keep(&text, &judge->arena);
}

static lg_status ask_one(lg_judge *judge, const char *task, const char *schema, lg_str material,
                         lg_llm_reply *reply, lg_error *reterr)
{
    judge_question question = {lg_str_c(task), material, schema};
    if (!material.ptr) {
        return lg_fail_oom(reterr);
    }
    return judge_ask(judge->options.extractor, &question, 1, &judge->arena, reply, reterr);
}

static lg_status predict_final(lg_judge *judge, const lg_trace *trace, lg_task_plan *plan,
                               lg_str *ret_why, lg_error *reterr)
{
    lg_llm_reply reply;
    lg_str material = material_of(judge, trace, plan);
    lg_status status =
        ask_one(judge, judge_task_final, judge_schema_final, material, &reply, reterr);
    if (status == LG_OK && reply.end == LG_LLM_OK) {
        return take_final(judge, reply.value, material, plan, reterr);
    }
    if (status == LG_OK) {
        *ret_why = lg_arena_printf(&judge->arena, "final state: %s", reply.error.msg);
    }
    return status;
}

lg_status judge_plan(lg_judge *judge, const lg_trace *trace, const lg_task_plan **ret_plan,
                     lg_str *ret_why, lg_error *reterr)
{
    lg_task_plan *plan = LG_NEW(&judge->arena, lg_task_plan);
    lg_llm_reply reply;
    *ret_why = LG_STR("");
    *ret_plan = NULL;
    if (!plan) {
        return lg_fail_oom(reterr);
    }
    lg_status status = ask_one(judge, judge_task_plan, judge_schema_plan,
                               material_of(judge, trace, NULL), &reply, reterr);
    if (status != LG_OK) {
        return status;
    }
    if (reply.end != LG_LLM_OK) {
        *ret_why = lg_arena_printf(&judge->arena, "plan: %s", reply.error.msg);
        return LG_OK;
    }
    status = take_plan(judge, reply.value, plan, reterr);
    if (status == LG_OK && trace->initial) {
        status = predict_final(judge, trace, plan, ret_why, reterr);
    }
    *ret_plan = plan;
    return status;
}

lg_status lg_judge_plan(lg_judge *judge, const lg_trace *trace, const lg_task_plan **ret_plan,
                        lg_str *ret_why, lg_error *reterr)
{
    lg_arena_reset(&judge->arena);
    return judge_plan(judge, trace, ret_plan, ret_why, reterr);
}
