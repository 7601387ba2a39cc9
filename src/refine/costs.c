// costs.c: what a refinement takes, and when it has taken enough.
#include "refine/refine_internal.h"

static void add_model(lg_refine_meter *meter, const lg_llm *llm)
{
    for (size_t i = 0; i < meter->count; i++) {
        if (meter->models[i] == llm) {
            return; // one model may do several parts
        }
    }
    if (llm) {
        meter->models[meter->count++] = llm;
    }
}

void lg_refine_meter_init(lg_refine_meter *meter, const lg_refine_options *options)
{
    *meter = (lg_refine_meter){0};
    add_model(meter, options->planner->llm);
    if (options->models) {
        add_model(meter, options->models->validator);
        add_model(meter, options->models->responder);
        add_model(meter, options->models->estimator);
        add_model(meter, options->models->judge);
    }
}

lg_refine_cost lg_refine_meter_read(const lg_refine_meter *meter)
{
    lg_refine_cost cost = {0};
    for (size_t i = 0; i < meter->count; i++) {
        lg_llm_totals t = lg_llm_totals_of(meter->models[i]);
        cost.questions += t.made.exchanges;
        cost.prompt_tokens += t.made.usage.prompt_tokens;
        cost.completion_tokens += t.made.usage.completion_tokens;
        cost.money += t.made.money;
    }
    return cost;
}

void lg_refine_meter_add(const lg_refine_meter *meter, lg_refine_cost before, lg_refine_cost *cost)
{
    lg_refine_cost now = lg_refine_meter_read(meter);
    cost->questions += now.questions - before.questions;
    cost->prompt_tokens += now.prompt_tokens - before.prompt_tokens;
    cost->completion_tokens += now.completion_tokens - before.completion_tokens;
    cost->money += now.money - before.money;
}

static void add_cost(lg_refine_cost *sum, const lg_refine_cost *cost)
{
    sum->questions += cost->questions;
    sum->prompt_tokens += cost->prompt_tokens;
    sum->completion_tokens += cost->completion_tokens;
    sum->money += cost->money;
}

void lg_refine_costs_add(lg_refine_costs *sum, const lg_refine_costs *costs)
{
    sum->calls += costs->calls;
    sum->invalid += costs->invalid;
    add_cost(&sum->planner, &costs->planner);
    add_cost(&sum->simulator, &costs->simulator);
    add_cost(&sum->judge, &costs->judge);
    sum->seconds += costs->seconds;
}

static uint64_t tokens_of(const lg_refine_cost *cost)
{
    return cost->prompt_tokens + cost->completion_tokens;
}

const char *lg_refine_is_spent(const lg_refine_budget *budget, const lg_refine_costs *costs)
{
    uint64_t tokens =
        tokens_of(&costs->planner) + tokens_of(&costs->simulator) + tokens_of(&costs->judge);
    double money = costs->planner.money + costs->simulator.money + costs->judge.money;
    return budget->calls && costs->calls >= budget->calls             ? "calls"
           : budget->tokens && tokens >= budget->tokens               ? "tokens"
           : budget->seconds > 0 && costs->seconds >= budget->seconds ? "seconds"
           : budget->money > 0 && money >= budget->money              ? "money"
                                                                      : NULL;
}

static void write_cost(lg_json_writer *w, const char *key, const lg_refine_cost *cost)
{
    lg_jw_key(w, key);
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "questions", cost->questions);
    lg_jw_member_uint(w, "prompt_tokens", cost->prompt_tokens);
    lg_jw_member_uint(w, "completion_tokens", cost->completion_tokens);
    lg_jw_member_double(w, "money", cost->money);
    lg_jw_end_object(w);
}

void lg_refine_write_costs(lg_json_writer *w, const lg_refine_costs *costs)
{
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "calls", costs->calls);
    lg_jw_member_uint(w, "invalid", costs->invalid);
    write_cost(w, "planner", &costs->planner);
    write_cost(w, "simulator", &costs->simulator);
    write_cost(w, "judge", &costs->judge);
    lg_jw_member_double(w, "seconds", costs->seconds);
    lg_jw_end_object(w);
}
