// show.c: records for people, and as JSON lines.
#include "cli/refine/refine.h"

#define TASK_BYTES 100u
#define VALUE_BYTES 160u
#define SAID_BYTES 400u

void refine_sum(refine_sums *sums, const lg_refined *record)
{
    lg_str status = lg_str_c(lg_refine_status_name(record));
    sums->tasks++;
    sums->attempts += record->attempt_count;
    sums->success += lg_str_eq(status, LG_STR("success"));
    sums->failed += lg_str_eq(status, LG_STR("failed"));
    sums->unknown += lg_str_eq(status, LG_STR("unknown"));
    sums->none += lg_str_eq(status, LG_STR("none"));
    lg_refine_costs_add(&sums->costs, &record->costs);
}

// --- for people -----------------------------------------------------------------------------------

static void show_call(cli_out *out, size_t number, const lg_refined_call *call)
{
    bool is_done = call->end == LG_SIM_DONE;
    lg_buf_addf(&out->buf, "    %2zu  ", number);
    lg_buf_add_c(&out->buf, call->by_user ? "user: " : "");
    cli_add_text(out, call->name);
    lg_buf_add_byte(&out->buf, ' ');
    cli_add_cut(out, call->args_text, VALUE_BYTES);
    if (!is_done) {
        cli_colour(out, "33");
        lg_buf_add_c(&out->buf, "\n        ");
        cli_add_cut(out, call->text, VALUE_BYTES);
        cli_colour(out, "0");
    }
    lg_buf_add_byte(&out->buf, '\n');
    for (size_t i = 0; is_done && i < call->violation_count; i++) {
        const lg_sim_violation *v = &call->violations[i];
        cli_colour(out, "33");
        lg_buf_addf(&out->buf, "        a rule speaks against call %zu: ", number);
        cli_add_text(out, v->rule);
        lg_buf_add_c(&out->buf, ": ");
        cli_add_cut(out, v->message, VALUE_BYTES);
        cli_colour(out, "0");
        lg_buf_add_byte(&out->buf, '\n');
    }
}

static void show_said(cli_out *out, const char *label, lg_str text)
{
    if (text.len) {
        lg_buf_addf(&out->buf, "    %-8s ", label);
        cli_add_cut(out, text, SAID_BYTES);
        lg_buf_add_byte(&out->buf, '\n');
    }
}

void refine_show(cli_out *out, size_t number, lg_str task, const lg_refined *record)
{
    const char *status = lg_refine_status_name(record);
    bool success = record->why == LG_REFINE_SUCCESS;
    size_t calls = 0;
    lg_buf_addf(&out->buf, "%zu  ", number);
    cli_colour(out, success ? "1" : "33");
    lg_buf_addf(&out->buf, "%-8s", status);
    cli_colour(out, "0");
    lg_buf_addf(&out->buf, " %zu attempt%-2s ", record->attempt_count,
                lg_plural(record->attempt_count));
    cli_add_cut(out, task, TASK_BYTES);
    lg_buf_add_byte(&out->buf, '\n');
    if (record->stands != LG_REFINE_NONE) {
        const lg_refine_attempt *attempt = &record->attempts[record->stands];
        for (size_t i = 0; i < attempt->call_count; i++) {
            if (attempt->calls[i].is_valid) {
                show_call(out, ++calls, &attempt->calls[i]);
            }
        }
        show_said(out, "said:", attempt->response);
        show_said(out, "open:", attempt->feedback);
    }
    if (!success) {
        show_said(out, "ended:", lg_str_c(lg_refine_why_name(record->why)));
        show_said(out, "", record->message);
    }
    lg_buf_add_byte(&out->buf, '\n');
}

void refine_show_acted(cli_out *out, const lg_refine_attempt *acted, lg_str why)
{
    const char *status =
        acted->is_judged ? lg_check_status_name(acted->judgement.status) : "broken off";
    lg_buf_addf(&out->buf, "   in earnest: %s\n",
                acted->judgement.count || !acted->is_judged ? status : "not judged");
    for (size_t i = 0; i < acted->call_count; i++) {
        show_call(out, i + 1, &acted->calls[i]);
    }
    show_said(out, "said:", acted->response);
    show_said(out, "open:", acted->feedback);
    show_said(out, "", why);
    lg_buf_add_byte(&out->buf, '\n');
}

static uint64_t tokens(const refine_sums *s)
{
    const lg_refine_costs *c = &s->costs;
    return c->planner.prompt_tokens + c->planner.completion_tokens + c->simulator.prompt_tokens +
           c->simulator.completion_tokens + c->judge.prompt_tokens + c->judge.completion_tokens;
}

void refine_show_sums(cli_out *out, const refine_sums *s)
{
    lg_buf_addf(&out->buf,
                "%zu task%s: %zu success, %zu failed, %zu unknown, %zu without a result\n",
                s->tasks, lg_plural(s->tasks), s->success, s->failed, s->unknown, s->none);
    if (s->acted) {
        lg_buf_addf(&out->buf, "%zu in earnest: %zu success\n", s->acted, s->acted_success);
    }
    lg_buf_addf(&out->buf, "%zu attempt%s, %llu call%s (%llu not valid), %llu tokens\n",
                s->attempts, lg_plural(s->attempts), (unsigned long long)s->costs.calls,
                lg_plural(s->costs.calls), (unsigned long long)s->costs.invalid,
                (unsigned long long)tokens(s));
}

// --- as JSON --------------------------------------------------------------------------------------

void refine_write(cli_out *out, const refine_task *task, const lg_refined *record)
{
    lg_json_writer w = {.out = &out->buf};
    lg_refine_write(&w, task->id, task->text, record);
    lg_buf_add_byte(&out->buf, '\n');
}

void refine_write_acted(cli_out *out, const refine_task *task, const lg_refine_attempt *acted,
                        lg_str why)
{
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_member_str_if(&w, "task_id", task->id);
    lg_jw_member_str(&w, "task", task->text);
    lg_jw_key(&w, "acted");
    lg_refine_write_attempt(&w, acted);
    lg_jw_member_str_if(&w, "message", why);
    lg_jw_end_object(&w);
    lg_buf_add_byte(&out->buf, '\n');
}

void refine_write_sums(cli_out *out, const refine_sums *s)
{
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "summary");
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "tasks", s->tasks);
    lg_jw_member_uint(&w, "success", s->success);
    lg_jw_member_uint(&w, "failed", s->failed);
    lg_jw_member_uint(&w, "unknown", s->unknown);
    lg_jw_member_uint(&w, "none", s->none);
    lg_jw_member_uint(&w, "attempts", s->attempts);
    lg_jw_member_uint(&w, "acted", s->acted);
    lg_jw_member_uint(&w, "acted_success", s->acted_success);
    lg_jw_key(&w, "costs");
    lg_refine_write_costs(&w, &s->costs);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_byte(&out->buf, '\n');
}
