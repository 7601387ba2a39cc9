// show.c: rules and plans, for people and for programs.
#include "cli/extract/extract.h"

// --- Rules --------------------------------------------------------------------------------------------

static lg_position place_of(const extract_source *source, const lg_prompt_rule *rule)
{
    return lg_text_position(rule->in_tools ? source->tools_text : source->prompt, rule->begin);
}

static void show_rule(const extract_source *source, const lg_prompt_rule *rule, cli_out *out)
{
    lg_position at = place_of(source, rule);
    lg_buf_add_c(&out->buf, "  ");
    cli_pad(out, lg_str_c(lg_rule_family_name(rule->family)), 15);
    cli_pad(out, lg_str_c(rule->must ? "must" : "should"), 7);
    cli_add_text(out, rule->text);
    if (rule->from.len) {
        lg_buf_add_c(&out->buf, " (");
        cli_add_text(out, rule->from);
        lg_buf_add_c(&out->buf, " -> ");
        cli_add_text(out, rule->to);
        lg_buf_add_c(&out->buf, ")");
    }
    lg_buf_addf(&out->buf, "\n      %s%u:%u: \"", rule->in_tools ? "tools " : "", at.line,
                at.column);
    cli_add_cut(out, rule->quote, 300);
    lg_buf_add_c(&out->buf, "\"\n");
}

static void show_source(const extract_source *source, cli_out *out)
{
    cli_colour(out, "1");
    cli_add_text(out, source->name);
    cli_colour(out, "0");
    if (source->conversations > 1) {
        lg_buf_addf(&out->buf, " and %zu more conversation%s", source->conversations - 1,
                    lg_plural(source->conversations - 1));
    }
    const lg_prompt_rules *rules = source->rules;
    lg_buf_addf(&out->buf, ": %zu rule%s\n", rules->count, lg_plural(rules->count));
    for (size_t i = 0; i < rules->count; i++) {
        show_rule(source, &rules->items[i], out);
    }
    if (rules->unquoted + rules->repeated) {
        lg_buf_addf(&out->buf,
                    "  left out: %zu whose words are not in the text, %zu that say what another "
                    "says\n",
                    rules->unquoted, rules->repeated);
    }
    if (source->why.len) {
        lg_buf_add_c(&out->buf, "  not read: ");
        cli_add_text(out, source->why);
        lg_buf_add_c(&out->buf, "\n");
    }
}

void extract_show_rules(const extract_sources *sources, cli_out *out)
{
    for (size_t i = 0; i < sources->count; i++) {
        show_source(&sources->items[i], out);
    }
}

static void write_places(const extract_source *source, lg_json_writer *w)
{
    lg_jw_key(w, "places");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < source->rules->count; i++) {
        lg_position at = place_of(source, &source->rules->items[i]);
        lg_jw_begin_object(w);
        lg_jw_member_uint(w, "line", at.line);
        lg_jw_member_uint(w, "column", at.column);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

void extract_write_rules(const extract_sources *sources, cli_out *out)
{
    for (size_t i = 0; i < sources->count; i++) {
        const extract_source *source = &sources->items[i];
        lg_json_writer w = {.out = &out->buf};
        lg_jw_begin_object(&w);
        lg_jw_key(&w, "prompt");
        lg_jw_begin_object(&w);
        lg_jw_member_c(&w, "id", source->id);
        lg_jw_member_str(&w, "name", source->name);
        lg_jw_member_uint(&w, "conversations", source->conversations);
        lg_jw_key(&w, "extracted");
        lg_prompt_rules_write(&w, source->rules);
        write_places(source, &w);
        lg_jw_key(&w, "why");
        if (source->why.len) {
            lg_jw_str(&w, source->why);
        } else {
            lg_jw_null(&w);
        }
        lg_jw_end_object(&w);
        lg_jw_end_object(&w);
        lg_buf_add_c(&out->buf, "\n");
        cli_out_flush_some(out);
    }
}

// --- Plans --------------------------------------------------------------------------------------------

static void show_final(const lg_task_plan *plan, cli_out *out)
{
    lg_buf_addf(&out->buf, "  then: %s\n",
                plan->refuses ? "refused, and the state is as it was" : "carried out");
    for (size_t i = 0; i < plan->field_count; i++) {
        lg_buf_add_c(&out->buf, "    ");
        cli_add_text(out, plan->fields[i].name);
        lg_buf_add_c(&out->buf, plan->fields[i].exact ? " = " : " ~ ");
        cli_add_cut(out, plan->fields[i].value, 300);
        lg_buf_add_c(&out->buf, "\n");
    }
    if (plan->fields_left_out) {
        lg_buf_addf(&out->buf, "    left out: %zu with a value that stands nowhere\n",
                    plan->fields_left_out);
    }
}

void extract_show_plan(const extract_planned *planned, cli_out *out)
{
    const lg_trace_set *set = planned->set;
    const lg_trace *trace = planned->trace;
    const lg_task_plan *plan = planned->plan;
    lg_str why = planned->why;
    cli_add_text(out, set->path);
    lg_buf_add_c(&out->buf, ": ");
    cli_add_text(out, trace->name);
    lg_buf_add_c(&out->buf, ": plan\n");
    for (size_t i = 0; plan && i < plan->step_count; i++) {
        lg_buf_addf(&out->buf, "  %zu. ", i + 1);
        cli_add_text(out, plan->steps[i].tool);
        lg_buf_add_c(&out->buf, " ");
        cli_add_cut(out, plan->steps[i].args, 400);
        lg_buf_add_c(&out->buf, "  -> ");
        cli_add_cut(out, plan->steps[i].expects, 300);
        lg_buf_add_c(&out->buf, "\n");
    }
    if (plan && plan->has_final) {
        show_final(plan, out);
    }
    extract_show_computed(&planned->computed, plan, out);
    if (why.len) {
        lg_buf_add_c(&out->buf, "  not predicted: ");
        cli_add_text(out, why);
        lg_buf_add_c(&out->buf, "\n");
    }
}

static void write_steps(const lg_task_plan *plan, lg_json_writer *w)
{
    lg_jw_key(w, "steps");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < plan->step_count; i++) {
        const lg_plan_step *step = &plan->steps[i];
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "tool", step->tool);
        lg_jw_member_raw(w, "arguments", step->args.len ? step->args : LG_STR("null"));
        lg_jw_member_str(w, "expects", step->expects);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_final(const lg_task_plan *plan, lg_json_writer *w)
{
    lg_jw_key(w, "final_state");
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "outcome", plan->refuses ? "refused" : "completed");
    lg_jw_key(w, "fields");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < plan->field_count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "name", plan->fields[i].name);
        lg_jw_member_str(w, "value", plan->fields[i].value);
        lg_jw_member_bool(w, "exact", plan->fields[i].exact);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
    lg_jw_member_uint(w, "left_out", plan->fields_left_out);
    lg_jw_end_object(w);
}

void extract_write_plan(const extract_planned *planned, cli_out *out)
{
    const lg_trace_set *set = planned->set;
    const lg_trace *trace = planned->trace;
    const lg_task_plan *plan = planned->plan;
    lg_str why = planned->why;
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "plan");
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "file", set->path);
    lg_jw_member_str(&w, "conversation", trace->name);
    if (plan) {
        write_steps(plan, &w);
    }
    if (plan && plan->has_final) {
        write_final(plan, &w);
    }
    extract_write_computed(&planned->computed, plan, &w);
    if (why.len) {
        lg_jw_member_str(&w, "why", why);
    }
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&out->buf, "\n");
    cli_out_flush_some(out);
}
