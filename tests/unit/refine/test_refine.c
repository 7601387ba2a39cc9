// test_refine.c: algorithm 1 with scripted planners: two memories, the way back, bounds, what stands.
#include "refine_fixture.h"

#include "base/alloc.h"

#define GET "get_order {\"id\":\"#1\"}"
#define PAY "set_status {\"id\":\"#1\",\"status\":\"paid\"}"
#define WRONG "set_status {\"id\":\"#2\",\"status\":\"open\"}"

typedef struct trial {
    desk d;
    lg_sim_session *session;
    script s;
    lg_refine_planner planner;
    lg_checklist checklist;
    lg_refine_options options;
    lg_refined record;
    lg_error error;
    lg_str before, after;
} trial;

static void open_with(trial *t, const char *const *turns, size_t count, lg_sim_options options)
{
    *t = (trial){.s = {.turns = turns, .count = count}};
    desk_open(&t->d, options);
    t->session = desk_session(&t->d);
    t->planner = script_planner(&t->s);
    t->checklist = fixture_checklist(&t->d.arena, PAID);
    t->options = (lg_refine_options){.task = LG_STR("Pay order #1."),
                                     .checklist = &t->checklist,
                                     .planner = &t->planner,
                                     .retries = LG_REFINE_RETRIES};
    t->before = desk_hash(&t->d, t->session);
}

#define OPEN(t, ...)                                                                               \
    static const char *const turns[] = {__VA_ARGS__};                                              \
    open_with(&(t), turns, LG_COUNT(turns), (lg_sim_options){0})

static lg_status run(trial *t)
{
    lg_status status = lg_refine(t->session, &t->options, &t->d.arena, &t->record, &t->error);
    t->after = desk_hash(&t->d, t->session);
    return status;
}

static void done(trial *t)
{
    lg_sim_session_free(t->session);
    lg_arena_done(&t->s.seen);
    desk_close(&t->d);
}

static void converges(void)
{
    trial t;
    OPEN(t, GET, WRONG, "= done", GET "\n" PAY, "= paid");
    CHECK(run(&t) == LG_OK);
    CHECK(t.record.why == LG_REFINE_SUCCESS && t.record.stands == 1 && t.record.attempt_count == 2);
    const lg_refine_attempt *first = &t.record.attempts[0], *second = &t.record.attempts[1];
    CHECK_STR(lg_str_c(first->start_hash), t.before.ptr);
    CHECK_STR(lg_str_c(second->start_hash), t.before.ptr);
    CHECK(strcmp(first->end_hash, first->start_hash) != 0);
    CHECK_STR(lg_str_c(second->end_hash), t.after.ptr);
    CHECK_STR(second->response, "paid");
    CHECK(first->judgement.status == LG_CHECK_FAILED && has(first->feedback, "#1 is paid"));
    CHECK(second->feedback.len == 0);
    // The first attempt knows of no feedback, the second of all of it, and of the first one's calls.
    CHECK(!has(t.s.texts[1], "#1 is paid") && !has(t.s.texts[2], "did not succeed"));
    for (size_t i = 3; i < 5; i++) {
        CHECK(has(t.s.texts[i], "#1 is paid") && has(t.s.texts[i], "\"status\":\"open\""));
        CHECK(t.s.attempts[i] == 1);
    }
    CHECK(!has(t.s.texts[3], "assistant:")); // what is left of it is the reminder
    CHECK(t.record.costs.calls == 4 && t.record.costs.planner.questions == 5);
    CHECK(t.record.costs.planner.prompt_tokens == 50);
    done(&t);
}

static void stops_at_r(void)
{
    trial t;
    OPEN(t, WRONG, "= done", WRONG, "= done", WRONG, "= done", WRONG, "= done");
    t.options.retries = 2;
    CHECK(run(&t) == LG_OK);
    CHECK(t.record.why == LG_REFINE_RETRIES_SPENT && t.record.attempt_count == 3);
    CHECK(t.record.stands == 2 && t.s.at == 6);
    CHECK_STR(lg_str_c(lg_refine_status_name(&t.record)), "failed");
    for (size_t i = 0; i < 3; i++) {
        CHECK_STR(lg_str_c(t.record.attempts[i].start_hash), t.before.ptr);
        CHECK(t.record.attempts[i].call_count == 1);
        CHECK(t.record.attempts[i].calls[0].end == LG_SIM_DONE);
    }
    CHECK_STR(lg_str_c(t.record.attempts[2].end_hash), t.after.ptr); // the last stands
    done(&t);
}

static void forgets_what_is_mended(void)
{
    trial t;
    OPEN(t, "set_status {\"id\":\"#1\"}", "no_tool {}", GET, PAY, "= paid");
    CHECK(run(&t) == LG_OK && t.record.why == LG_REFINE_SUCCESS);
    CHECK(has(t.s.texts[1], "status") && has(t.s.texts[2], "set_status") &&
          has(t.s.texts[2], "no_tool"));
    CHECK(!has(t.s.texts[3], "no_tool") && !has(t.s.texts[3], "set_status"));
    CHECK(has(t.s.texts[3], "get_order"));
    const lg_refine_attempt *a = &t.record.attempts[0];
    CHECK(a->call_count == 4 && !a->calls[0].is_valid && !a->calls[1].is_valid &&
          a->calls[2].is_valid);
    CHECK(a->calls[0].end == LG_SIM_BAD_ARGUMENTS && a->calls[1].end == LG_SIM_UNKNOWN_TOOL);
    CHECK(t.record.costs.invalid == 2);
    done(&t);
}

// What came in one reply with a valid call was not told yet: it is told once.
static void tells_before_it_forgets(void)
{
    trial t;
    OPEN(t, "no_tool {}\n" GET, PAY, "= paid");
    CHECK(run(&t) == LG_OK);
    CHECK(has(t.s.texts[1], "no_tool") && !has(t.s.texts[2], "no_tool"));
    done(&t);
}

static void bears_nonsense(void)
{
    trial t;
    OPEN(t, "set_status {\"id\"", "", "get_order [1]", "?", GET, PAY, "= paid");
    CHECK(run(&t) == LG_OK && t.record.why == LG_REFINE_SUCCESS);
    const lg_refine_attempt *a = &t.record.attempts[0];
    CHECK(a->calls[0].args == NULL && a->calls[0].end == LG_SIM_BAD_ARGUMENTS);
    CHECK_STR(a->calls[0].args_text, "{\"id\"");
    CHECK(has(t.s.texts[2], "neither a call nor a text") && has(t.s.texts[4], "it is broken"));
    CHECK(!has(t.s.texts[5], "it is broken"));
    done(&t);
}

static void gives_up_silence(void)
{
    trial t;
    OPEN(t, "");
    CHECK(run(&t) == LG_OK && t.record.why == LG_REFINE_PLANNER_FAILED);
    CHECK(t.s.at == 3 && t.record.stands == LG_REFINE_NONE && has(t.record.message, "3 times"));
    CHECK_STR(t.after, t.before.ptr);
    done(&t);
}

static void ends_attempts(void)
{
    trial t;
    OPEN(t, GET "\n" GET "\n" GET "\n" GET "\n" GET, GET);
    t.options.calls_per_attempt = 3;
    t.options.retries = 1;
    CHECK(run(&t) == LG_OK && t.record.why == LG_REFINE_RETRIES_SPENT);
    CHECK(t.record.attempt_count == 2 && t.record.attempts[0].end == LG_REFINE_END_LIMIT);
    CHECK(t.record.attempts[0].call_count == 3 && t.record.attempts[1].call_count == 3);
    CHECK(has(t.s.texts[1], "as many calls as an attempt may make"));
    done(&t);
}

// An attempt that breaks off does not stand: the session goes back to the end of the one before, or to the beginning.
static void breaks_off(void)
{
    static const char *const words[] = {"!", "$"};
    for (size_t i = 0; i < LG_COUNT(words); i++) {
        trial t;
        const char *turns[] = {WRONG, "= done", PAY, words[i]};
        open_with(&t, turns, LG_COUNT(turns), (lg_sim_options){0});
        CHECK(run(&t) == LG_OK && t.record.stands == 0 && t.record.attempt_count == 2);
        CHECK(t.record.why == (i ? LG_REFINE_BUDGET_SPENT : LG_REFINE_PLANNER_FAILED));
        CHECK_STR(t.record.message, "it is broken");
        CHECK(!t.record.attempts[1].is_judged);
        CHECK_STR(lg_str_c(t.record.attempts[0].end_hash), t.after.ptr);
        done(&t);
        const char *at_once[] = {PAY, words[i]};
        open_with(&t, at_once, LG_COUNT(at_once), (lg_sim_options){0});
        CHECK(run(&t) == LG_OK && t.record.stands == LG_REFINE_NONE);
        CHECK_STR(t.after, t.before.ptr);
        done(&t);
    }
}

static void fails_cleanly(void)
{
    trial t;
    OPEN(t, PAY, "= never");
    t.s.fails = LG_ERR_IO;
    CHECK(run(&t) == LG_ERR_IO);
    CHECK_STR(lg_str_c(t.error.msg), "the script ends");
    CHECK_STR(t.after, t.before.ptr);
    t.options.task = LG_STR("  ");
    CHECK(run(&t) == LG_ERR_USAGE);
    t.options.task = LG_STR("Pay.");
    t.options.planner = NULL;
    CHECK(run(&t) == LG_ERR_USAGE);
    done(&t);
    open_with(&t, turns, LG_COUNT(turns), (lg_sim_options){.snapshots = 1});
    uint64_t only;
    CHECK(lg_sim_snapshot(t.session, &only, NULL) == LG_OK);
    CHECK(run(&t) == LG_ERR_LIMIT);
    CHECK_STR(t.after, t.before.ptr);
    done(&t);
}

static void spends_no_more(void)
{
    trial t;
    OPEN(t, GET);
    t.options.budget.calls = 4;
    CHECK(run(&t) == LG_OK && t.record.why == LG_REFINE_BUDGET_SPENT && t.record.costs.calls == 4);
    t.s.at = 0;
    t.options.budget = (lg_refine_budget){.tokens = 31};
    CHECK(run(&t) == LG_OK && t.s.at == 3 && has(t.record.message, "tokens"));
    done(&t);
}

static void without_judge(void)
{
    trial t;
    OPEN(t, "= nothing to do", GET, "= done");
    t.options.without_judge = true;
    CHECK(run(&t) == LG_OK && t.record.why == LG_REFINE_SUCCESS && t.record.attempt_count == 2);
    CHECK(has(t.s.texts[1], "No tool was called."));
    done(&t);
}

// The second task is not done by the first one's call; what was begun of a task is the task's own.
static void each_task_is_judged_by_its_own_calls(void)
{
    static const char calls[] = "[{\"id\":\"a\"}]";
    trial t;
    OPEN(t, "= it is paid", PAY, "= paid", "= it is paid");
    t.checklist = fixture_checklist(&t.d.arena, "{\"actions\":[{\"name\":\"set_status\","
                                                "\"arguments\":{\"id\":\"#1\",\"status\":"
                                                "\"paid\"}}]}");
    (void)desk_call(&t.d, t.session, "set_status", "{\"id\":\"#1\",\"status\":\"paid\"}");
    CHECK(run(&t) == LG_OK && t.record.why == LG_REFINE_SUCCESS && t.record.stands == 1);
    CHECK(t.record.attempts[0].judgement.status == LG_CHECK_FAILED);
    lg_llm_message begun = {.role = LG_STR("assistant"), .calls = fixture_json(&t.d.arena, calls)};
    t.options.begun = &begun;
    t.options.begun_count = 1;
    t.options.retries = 0;
    CHECK(run(&t) == LG_OK && t.record.why == LG_REFINE_SUCCESS);
    done(&t);
}

static void without_checklist(void)
{
    trial t;
    OPEN(t, PAY, "= paid");
    t.options.checklist = NULL;
    t.options.retries = 0;
    CHECK(run(&t) == LG_OK && t.record.why == LG_REFINE_RETRIES_SPENT);
    CHECK_STR(lg_str_c(lg_refine_status_name(&t.record)), "unknown"); // never a success
    CHECK(has(t.record.message, "no checklist"));
    done(&t);
}

static void offers_tools(void)
{
    trial t;
    OPEN(t, "flip {}\n" PAY, "= paid");
    const lg_json *tools = NULL;
    CHECK(lg_refine_tools(t.d.sim, false, &t.d.arena, &tools, NULL) == LG_OK);
    CHECK(lg_json_len(tools) == 3);
    CHECK(lg_refine_tools(t.d.sim, true, &t.d.arena, &tools, NULL) == LG_OK);
    CHECK(lg_json_len(tools) == 4);
    CHECK(run(&t) == LG_OK && t.record.attempts[0].calls[0].end == LG_SIM_UNKNOWN_TOOL);
    t.s.at = 0;
    t.options.with_user_tools = true;
    CHECK(run(&t) == LG_OK && t.record.attempts[0].calls[0].is_valid &&
          t.record.attempts[0].calls[0].by_user);
    t.s.at = 0;
    t.options.tools =
        fixture_json(&t.d.arena, "[{\"type\":\"function\",\"function\":{\"name\":\"get_order\"}}]");
    CHECK(run(&t) == LG_OK);
    CHECK(!t.record.attempts[0].calls[1].is_valid); // it exists, and is not offered
    done(&t);
}

// What is referred to stands in its place; circles and what is wide stay open.
static void inlines(void)
{
    static const char text[] =
        "[{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\","
        "\"properties\":{"
        "\"a\":{\"$ref\":\"#/$defs/A\"},\"tree\":{\"$ref\":\"#/$defs/"
        "Tree\"},\"$ref\":{\"type\":\"string\"},"
        "\"d\":{\"default\":{\"$ref\":\"#/$defs/A\"}}},"
        "\"$defs\":{\"A\":{\"type\":\"integer\"},\"Tree\":{\"type\":\"object\",\"properties\":{"
        "\"next\":{\"$ref\":\"#/$defs/Tree\"},\"a\":{\"$ref\":\"#/$defs/A\"}}}}}}]";
    lg_arena arena;
    lg_errors errors;
    lg_sim *sim = NULL;
    const lg_json *tools = NULL;
    lg_sim_options options = {0};
    lg_arena_init(&arena, 0);
    lg_errors_init(&errors, &arena, 3);
    CHECK(lg_catalogue_read(&arena, lg_str_c(text), NULL, &options.catalogue, NULL) == LG_OK);
    CHECK(lg_sim_new(&options, &sim, &errors) == LG_OK);
    CHECK(sim && lg_refine_tools(sim, false, &arena, &tools, NULL) == LG_OK);
    CHECK_STR(
        fixture_print(&arena, tools),
        "[{\"type\":\"function\",\"function\":{\"name\":\"t\",\"description\":\"d\",\"parameters\":"
        "{"
        "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"tree\":{\"type\":"
        "\"object\","
        "\"properties\":{\"next\":{},\"a\":{\"type\":\"integer\"}}},\"$ref\":{\"type\":\"string\"},"
        "\"d\":{\"default\":{\"$ref\":\"#/$defs/A\"}}}}}}]");
    lg_sim_free(sim);
    lg_arena_done(&arena);
}

static void tells_of_it(void)
{
    trial t;
    OPEN(t, WRONG, "= done", GET "\n" PAY, "= paid");
    CHECK(run(&t) == LG_OK);
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_refine_render(&out, &t.record, 1, 0);
    lg_str text = lg_buf_str(&out);
    CHECK(has(text, "Rehearsal 1:") && has(text, "Rehearsal 2:") && has(text, "#1 is paid") &&
          has(text, "Judged: success"));
    lg_buf_clear(&out);
    lg_refine_render(&out, &t.record, 1, 40);
    CHECK(has(lg_buf_str(&out), "bytes more)"));
    lg_buf_clear(&out);
    lg_json_writer w = {.out = &out};
    lg_refine_write(&w, LG_STR("7"), t.options.task, &t.record);
    const lg_json *json = fixture_json(&t.d.arena, lg_arena_str(&t.d.arena, lg_buf_str(&out)).ptr);
    CHECK_STR(lg_json_str(lg_json_get(json, LG_STR("status"))), "success");
    CHECK(lg_json_len(lg_json_get(json, LG_STR("calls"))) == 2);
    lg_buf_done(&out);
    lg_refine_history history = {0};
    CHECK(lg_refine_remember(&history, &t.d.arena, t.options.task, &t.record, NULL) == LG_OK);
    CHECK(history.count == 6); // the task, two calls with their answers, and what was said
    CHECK_STR(history.items[5].text, "paid");
    done(&t);
}

// Whatever allocation fails: an error, or the same record, and the session is where it was or where it should be.
static void runs_out_of_memory(void)
{
    for (uint64_t n = 1; n < 4000; n += 1 + n / 16) {
        trial t;
        OPEN(t, WRONG, "= done", GET "\n" PAY, "= paid");
        lg_alloc_fail_at(n);
        lg_status status = lg_refine(t.session, &t.options, &t.d.arena, &t.record, &t.error);
        lg_alloc_fail_at(0);
        CHECK(status == LG_OK || status == LG_ERR_OOM);
        bool is_over = status == LG_OK;
        done(&t);
        if (is_over) {
            break;
        }
    }
}

int main(void)
{
    RUN(converges);
    RUN(each_task_is_judged_by_its_own_calls);
    RUN(stops_at_r);
    RUN(forgets_what_is_mended);
    RUN(tells_before_it_forgets);
    RUN(bears_nonsense);
    RUN(gives_up_silence);
    RUN(ends_attempts);
    RUN(breaks_off);
    RUN(fails_cleanly);
    RUN(spends_no_more);
    RUN(without_judge);
    RUN(without_checklist);
    RUN(offers_tools);
    RUN(inlines);
    RUN(tells_of_it);
    RUN(runs_out_of_memory);
    return lg_test_done();
}
