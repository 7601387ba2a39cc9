// evaluate.c: was a conversation as rules, plan and final state want it (AgentPex section 3.3)?
#include "judge/judge_internal.h"

typedef struct judging {
    lg_judge *judge;
    const lg_trace *trace;
    const lg_prompt_rules *rules;
    lg_prompt_rules given; // those of the options that are of this prompt
    const lg_task_plan *plan;
    judge_question questions[LG_EVAL_COUNT];
    lg_evaluator of[LG_EVAL_COUNT]; // question i is of this evaluator
    size_t count;
    lg_audit_judgement *out;
    size_t out_count;
    bool oom;
} judging;

// --- Asking ------------------------------------------------------------------------------------------------

static void cannot(judging *j, lg_evaluator evaluator, lg_str why)
{
    j->out[j->out_count++] = (lg_audit_judgement){.evaluator = evaluator, .why = why};
}

// The material begins with what is particular to the evaluator; `head` is used up.
static void ask(judging *j, lg_evaluator evaluator, const char *task, const char *schema,
                lg_buf *head)
{
    judge_add_conversation(j->judge, head, j->trace);
    lg_str material = lg_buf_keep(head, &j->judge->arena);
    j->oom = j->oom || !material.ptr;
    j->of[j->count] = evaluator;
    j->questions[j->count++] = (judge_question){lg_str_c(task), material, schema};
}

static size_t family_count(const lg_prompt_rules *rules, lg_rule_family family)
{
    size_t count = 0;
    for (size_t i = 0; i < rules->count; i++) {
        count += rules->items[i].family == family;
    }
    return count;
}

static void ask_rules(judging *j, lg_evaluator evaluator, lg_rule_family family, const char *task,
                      lg_str why)
{
    lg_buf head, text;
    if (family_count(j->rules, family) == 0) {
        cannot(j, evaluator, why.len ? why : LG_STR("the prompt states no such rule"));
        return;
    }
    lg_buf_init(&head, 0);
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < j->rules->count; i++) {
        const lg_prompt_rule *rule = &j->rules->items[i];
        if (rule->family == family) {
            lg_buf_addf(&text, "%zu. (%s) %.*s\n", i, rule->must ? "must" : "should",
                        LG_FMT(rule->text));
        }
    }
    lg_llm_add_section(&head, "rules", lg_buf_str(&text), SIZE_MAX);
    lg_buf_done(&text);
    ask(j, evaluator, task, judge_schema_violations, &head);
}

static void ask_arguments(judging *j)
{
    lg_buf head;
    lg_buf_init(&head, 0);
    ask(j, LG_EVAL_GROUNDEDNESS, judge_task_groundedness, judge_schema_violations, &head);
    if (!j->trace->tools) {
        cannot(j, LG_EVAL_ARGUMENT, LG_STR("the recording does not say what its tools are"));
        return;
    }
    lg_buf_init(&head, 0);
    judge_add_tools(&head, j->trace->tools);
    ask(j, LG_EVAL_ARGUMENT, judge_task_argument, judge_schema_violations, &head);
}

static void add_steps(lg_buf *out, const lg_task_plan *plan)
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

static void add_fields(lg_buf *out, const lg_task_plan *plan)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_addf(&text, "The request is %s.\n",
                plan->refuses ? "refused, and the state unchanged" : "carried out");
    for (size_t i = 0; i < plan->field_count; i++) {
        const lg_final_field *field = &plan->fields[i];
        lg_buf_addf(&text, "%zu. %.*s = %.*s%s\n", i, LG_FMT(field->name), LG_FMT(field->value),
                    field->exact ? " (exact)" : "");
    }
    lg_llm_add_section(out, "wanted_state", lg_buf_str(&text), SIZE_MAX);
    lg_buf_done(&text);
}

static void ask_task(judging *j, lg_str why)
{
    lg_buf head;
    if (!j->plan || j->plan->step_count == 0) {
        cannot(j, LG_EVAL_PLAN, why.len ? why : LG_STR("the plan has no step"));
    } else {
        lg_buf_init(&head, 0);
        add_steps(&head, j->plan);
        ask(j, LG_EVAL_PLAN, judge_task_plan_kept, judge_schema_plan_kept, &head);
    }
    if (!j->plan || !j->plan->has_final) {
        cannot(j, LG_EVAL_FINAL_STATE,
               why.len ? why : LG_STR("the recording has no initial state"));
    } else {
        lg_buf_init(&head, 0);
        add_fields(&head, j->plan);
        ask(j, LG_EVAL_FINAL_STATE, judge_task_outcome, judge_schema_outcome, &head);
    }
}

// --- From replies to judgements --------------------------------------------------------------------------------

static int64_t int_of(const lg_json *item, const char *key)
{
    int64_t value = -1;
    (void)lg_json_int(lg_json_get(item, lg_str_c(key)), &value);
    return value;
}

// An event that the recording has, or none.
static uint32_t event_of(const judging *j, const lg_json *item)
{
    int64_t event = int_of(item, "event");
    return event >= 0 && (uint64_t)event < j->trace->count ? (uint32_t)event : LG_NO_EVENT;
}

static lg_severity severity_of(lg_str tier)
{
    return lg_str_eq(tier, LG_STR("severe"))     ? LG_SEVERITY_SEVERE
           : lg_str_eq(tier, LG_STR("moderate")) ? LG_SEVERITY_MODERATE
                                                 : LG_SEVERITY_MINOR;
}

typedef struct violations {
    lg_audit_violation *items;
    size_t count;
} violations;

static violations room_for(judging *j, const lg_json *list)
{
    violations ret = {LG_NEW_ARRAY(&j->judge->arena, lg_audit_violation, lg_json_len(list) + 2), 0};
    j->oom = j->oom || !ret.items;
    return ret;
}

static void take_violations(judging *j, const lg_json *value, lg_audit_judgement *ret)
{
    const lg_json *list = lg_json_get(value, LG_STR("violations"));
    violations v = room_for(j, list);
    for (size_t i = 0; v.items && i < lg_json_len(list); i++) {
        const lg_json *item = lg_json_item(list, i);
        int64_t rule = int_of(item, "rule");
        bool known = rule >= 0 && (uint64_t)rule < j->rules->count;
        v.items[v.count++] = (lg_audit_violation){
            .severity = severity_of(lg_json_str(lg_json_get(item, LG_STR("tier")))),
            .event = event_of(j, item),
            .rule = known ? j->rules->items[rule].text : LG_STR(""),
            .message = lg_json_str(lg_json_get(item, LG_STR("why")))};
    }
    ret->violations = v.items;
    ret->violation_count = v.count;
    bool by_rule = ret->evaluator == LG_EVAL_OUTPUT || ret->evaluator == LG_EVAL_TRANSITION;
    lg_rule_family family =
        ret->evaluator == LG_EVAL_OUTPUT ? LG_FAMILY_OUTPUT : LG_FAMILY_TRANSITION;
    ret->checked = by_rule ? (uint32_t)family_count(j->rules, family) : 1;
}

// Appendix A.5: a missing step is one discrepancy, a wrong value in a field that does not matter a small one.
static void take_steps(judging *j, const lg_json *value, lg_audit_judgement *ret)
{
    const lg_json *list = lg_json_get(value, LG_STR("steps"));
    violations v = room_for(j, list);
    for (size_t i = 0; v.items && i < lg_json_len(list); i++) {
        const lg_json *item = lg_json_item(list, i);
        int64_t step = int_of(item, "step");
        lg_str difference = lg_json_str(lg_json_get(item, LG_STR("difference")));
        bool done = lg_json_is_true(lg_json_get(item, LG_STR("done")));
        bool equal = lg_str_eq(difference, LG_STR("none"));
        if (step < 0 || (uint64_t)step >= j->plan->step_count || (done && equal)) {
            continue;
        }
        bool minor = done && lg_str_eq(difference, LG_STR("minor"));
        v.items[v.count++] =
            (lg_audit_violation){.severity = minor ? LG_SEVERITY_MINOR : LG_SEVERITY_SEVERE,
                                 .event = event_of(j, item),
                                 .rule = j->plan->steps[step].tool,
                                 .message = lg_json_str(lg_json_get(item, LG_STR("why")))};
    }
    if (v.items && lg_json_is(lg_json_get(value, LG_STR("in_order")), LG_JSON_BOOL) &&
        !lg_json_is_true(lg_json_get(value, LG_STR("in_order")))) {
        v.items[v.count++] = (lg_audit_violation){
            .severity = LG_SEVERITY_MODERATE,
            .event = LG_NO_EVENT,
            .rule = LG_STR(""),
            .message = LG_STR("steps were done in another order than planned")};
    }
    ret->violations = v.items;
    ret->violation_count = v.count;
    ret->checked = (uint32_t)j->plan->step_count;
}

// Appendix A.6: first the outcome, then the fields.
static void take_outcome(judging *j, const lg_json *value, lg_audit_judgement *ret)
{
    const lg_json *list = lg_json_get(value, LG_STR("fields"));
    lg_str outcome = lg_json_str(lg_json_get(value, LG_STR("outcome")));
    violations v = room_for(j, list);
    ret->outcome_failed = !lg_str_eq(outcome, LG_STR("as_wanted"));
    if (v.items && ret->outcome_failed) {
        bool completed = lg_str_eq(outcome, LG_STR("wrongly_completed"));
        v.items[v.count++] = (lg_audit_violation){
            .severity = LG_SEVERITY_SEVERE,
            .event = LG_NO_EVENT,
            .rule = LG_STR(""),
            .message = completed ? LG_STR("what had to be refused was carried out")
                                 : LG_STR("what had to be done was refused or left undone")};
    }
    for (size_t i = 0; v.items && i < lg_json_len(list); i++) {
        const lg_json *item = lg_json_item(list, i);
        int64_t field = int_of(item, "field");
        if (field < 0 || (uint64_t)field >= j->plan->field_count ||
            lg_json_is_true(lg_json_get(item, LG_STR("matches")))) {
            continue;
        }
        bool matters = lg_json_is_true(lg_json_get(item, LG_STR("matters")));
        v.items[v.count++] =
            (lg_audit_violation){.severity = matters ? LG_SEVERITY_SEVERE : LG_SEVERITY_MINOR,
                                 .event = event_of(j, item),
                                 .rule = j->plan->fields[field].name,
                                 .message = lg_json_str(lg_json_get(item, LG_STR("why")))};
    }
    ret->violations = v.items;
    ret->violation_count = v.count;
    ret->checked = (uint32_t)j->plan->field_count + 1;
}

static void take_reply(judging *j, lg_evaluator evaluator, const lg_llm_reply *reply)
{
    lg_audit_judgement *ret = &j->out[j->out_count++];
    *ret = (lg_audit_judgement){.evaluator = evaluator, .why = LG_STR(""), .reasoning = LG_STR("")};
    if (reply->end != LG_LLM_OK) {
        ret->why = lg_arena_str(&j->judge->arena, lg_str_c(reply->error.msg));
        j->oom = j->oom || !ret->why.ptr;
        return;
    }
    ret->answered = true;
    ret->reasoning = lg_json_str(lg_json_get(reply->value, LG_STR("reasoning")));
    if (evaluator == LG_EVAL_PLAN) {
        take_steps(j, reply->value, ret);
    } else if (evaluator == LG_EVAL_FINAL_STATE) {
        take_outcome(j, reply->value, ret);
    } else {
        take_violations(j, reply->value, ret);
    }
}

// --- All of them ------------------------------------------------------------------------------------------------

static lg_status prepare(judging *j, lg_error *reterr)
{
    lg_judge *judge = j->judge;
    lg_str why = LG_STR(""), plan_why;
    lg_status status = LG_OK;
    j->rules = &j->given;
    if (judge->options.rules) {
        status = lg_prompt_rules_of(&judge->arena, judge->options.rules, j->trace->prompt,
                                    j->trace->tools, &j->given, reterr);
    } else if (j->trace->prompt.len > 0) {
        status = lg_judge_rules(judge, j->trace->prompt, j->trace->tools, &j->rules, &why, reterr);
    } else {
        why = LG_STR("the recording has no prompt");
    }
    if (status == LG_OK) {
        status = judge_plan(judge, j->trace, &j->plan, &plan_why, reterr);
    }
    if (status != LG_OK) {
        return status;
    }
    ask_rules(j, LG_EVAL_OUTPUT, LG_FAMILY_OUTPUT, judge_task_output, why);
    ask_rules(j, LG_EVAL_TRANSITION, LG_FAMILY_TRANSITION, judge_task_transition, why);
    ask_arguments(j);
    ask_task(j, plan_why);
    return j->oom ? lg_fail_oom(reterr) : LG_OK;
}

lg_status lg_judge_conversation(lg_judge *judge, const lg_trace *trace, lg_audit_judgement *ret,
                                size_t *ret_count, lg_error *reterr)
{
    lg_llm_reply replies[LG_EVAL_COUNT];
    lg_arena_reset(&judge->arena);
    judging j = {.judge = judge, .trace = trace, .out = ret};
    lg_status status = prepare(&j, reterr);
    if (status == LG_OK) {
        status =
            judge_ask(judge->options.llm, j.questions, j.count, &judge->arena, replies, reterr);
    }
    for (size_t i = 0; i < j.count && status == LG_OK; i++) {
        take_reply(&j, j.of[i], &replies[i]);
    }
    *ret_count = j.out_count;
    return status == LG_OK && j.oom ? lg_fail_oom(reterr) : status;
}
