// test_calls.c: what a simulated call answers, what it violates, and what it leaves.
#include "simulate_fixture.h"

static void answers_as_the_pack_says(void)
{
    desk d;
    desk_open(&d, (lg_sim_options){0});
    lg_sim_session *s = desk_session(&d);
    CHECK_STR(desk_call(&d, s, "get_order", "{\"id\":\"#1\"}"),
              "done effects {\"id\":\"#1\",\"status\":\"open\",\"n\":1}");
    CHECK_STR(desk_call(&d, s, "get_order", "{\"id\":\"#9\"}"),
              "failed effects Error: no such order");
    CHECK_STR(desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"paid\"}"),
              "done effects now paid");
    CHECK(d.answer.number == 3 && d.answer.tool &&
          lg_str_eq(d.answer.tool->name, LG_STR("set_status")));
    CHECK_STR(desk_call(&d, s, "get_order", "{\"id\":\"#1\"}"),
              "done effects {\"id\":\"#1\",\"status\":\"paid\",\"n\":1}");
    CHECK_STR(desk_call_by(&d, s, "flip", "{}", true), "done effects {\"on\":true}");
    CHECK_STR(desk_state(&d, s),
              "{\"orders\":[{\"id\":\"#1\",\"status\":\"paid\",\"n\":1},{\"id\":\"#2\",\"status\":"
              "\"paid\",\"n\":2}],\"phone\":{\"on\":true},\"kept\":[1,2]}");
    lg_sim_session_free(s);
    desk_close(&d);
}

static void tells_of_bad_calls(void)
{
    desk d;
    desk_open(&d, (lg_sim_options){0});
    lg_sim_session *s = desk_session(&d);
    lg_str told = desk_call(&d, s, "set_status", "{\"id\":7,\"status\":\"gone\",\"x\":1}");
    CHECK(lg_str_starts(told, LG_STR("bad_arguments rules Error: ")));
    CHECK(lg_str_find(told, LG_STR("arguments type /id: ")) != SIZE_MAX);
    CHECK(lg_str_find(told, LG_STR("arguments enum /status: ")) != SIZE_MAX);
    CHECK(lg_str_find(told, LG_STR(" /x: ")) != SIZE_MAX);
    CHECK(d.answer.violation_count == 3);
    told = desk_call(&d, s, "get_order", "{}");
    CHECK(lg_str_find(told, LG_STR("arguments required /id: ")) != SIZE_MAX);
    told = desk_call(&d, s, "get_order", "not json");
    CHECK(lg_str_starts(told, LG_STR("bad_arguments rules ")) && d.answer.violation_count == 1);
    CHECK_STR(
        desk_call(&d, s, "get_ordr", "{}"),
        "unknown_tool rules Error: Tool 'get_ordr' not found.; arguments known_tool : no tool is "
        "called `get_ordr`");
    CHECK(d.answer.tool == NULL);
    told = desk_call(&d, s, "flip", "{}"); // the customer's own
    CHECK(lg_str_starts(told, LG_STR("unknown_tool rules ")));
    CHECK(lg_sim_history_count(s) == 5);
    CHECK(lg_sim_history_at(s, 2).args == NULL);
    CHECK_STR(lg_sim_history_at(s, 3).tool, "get_ordr");
    lg_sim_session_free(s);
    desk_close(&d);
}

static void tells_what_the_gate_would_have_said(void)
{
    desk d;
    desk_open(&d, (lg_sim_options){0});
    lg_sim_session *s = desk_session(&d);
    lg_str told = desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"paid\"}");
    CHECK(lg_str_starts(
        told, LG_STR("done effects now paid; revise seen_first : "))); // it is done all the same
    told = desk_call(&d, s, "get_order", "{\"id\":\"#1\"}");
    told = desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"paid\"}");
    CHECK(lg_str_find(told, LG_STR("revise seen_first")) != SIZE_MAX);
    CHECK_STR(desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"open\"}"),
              "done effects now open");
    lg_sim_session_free(s);
    desk_close(&d);
}

static void tells_what_does_not_hold(void)
{
    desk d;
    desk_open(&d, (lg_sim_options){0});
    lg_sim_session *s = desk_session(&d);
    CHECK_STR(desk_call(&d, s, "add_order", "{\"id\":\"#3\"}"), "done effects added");
    CHECK_STR(desk_call(&d, s, "add_order", "{\"id\":\"#4\"}"),
              "done effects added; invariant few_open : no more than three");
    CHECK_STR(desk_call(&d, s, "add_order", "{\"id\":\"#5\"}"), "done effects added"); // told once
    (void)desk_call(&d, s, "get_order", "{\"id\":\"#1\"}");
    CHECK_STR(desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"shut\"}"),
              "done effects now shut; postcondition not_shut : shut is for ever");
    lg_sim_session_free(s);
    desk_close(&d);
}

static void validates_and_changes_nothing(void)
{
    desk d;
    desk_open(&d, (lg_sim_options){0});
    lg_sim_session *s = desk_session(&d);
    lg_str before = desk_hash(&d, s);
    lg_sim_call call = {.tool = LG_STR("set_status"),
                        .args = fixture_json(&d.arena, "{\"id\":\"#1\",\"status\":\"paid\"}"),
                        .args_text = LG_STR("")};
    CHECK(lg_sim_validate(s, &call, NULL, &d.answer, NULL) == LG_OK);
    CHECK(d.answer.end == LG_SIM_DONE && d.answer.violation_count == 1 && d.answer.number == 0);
    call.args = fixture_json(&d.arena, "{}");
    CHECK(lg_sim_validate(s, &call, NULL, &d.answer, NULL) == LG_OK);
    CHECK(d.answer.end == LG_SIM_BAD_ARGUMENTS && d.answer.violation_count == 2);
    CHECK(lg_sim_history_count(s) == 0 && lg_str_eq(before, desk_hash(&d, s)));
    lg_sim_session_free(s);
    desk_close(&d);
}

static void can_do_without(void)
{
    desk d;
    desk_open(&d, (lg_sim_options){.without_validator = true});
    lg_sim_session *s = desk_session(&d);
    CHECK_STR(desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"paid\"}"),
              "done effects now paid");
    // Not even by the tool itself: something is answered, and nothing done.
    lg_str paid = desk_hash(&d, s);
    CHECK(lg_str_starts(desk_call(&d, s, "set_status", "{}"), LG_STR("done synthesis")));
    CHECK(d.answer.violation_count == 0 && lg_str_eq(paid, desk_hash(&d, s)));
    lg_sim_session_free(s);
    desk_close(&d);

    desk_open(&d, (lg_sim_options){.without_state = true});
    s = desk_session(&d);
    lg_str before = desk_hash(&d, s);
    (void)desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"paid\"}");
    CHECK_STR(desk_call(&d, s, "get_order", "{\"id\":\"#1\"}"),
              "done effects {\"id\":\"#1\",\"status\":\"open\",\"n\":1}");
    CHECK(lg_str_eq(before, desk_hash(&d, s)) && lg_sim_history_count(s) == 2);
    lg_sim_session_free(s);
    desk_close(&d);
}

// --- First states -------------------------------------------------------------------------------

static void begins_where_it_is_told(void)
{
    desk d;
    lg_errors errors;
    lg_error error = {.msg = ""};
    lg_sim_session *s = NULL;
    desk_open(&d, (lg_sim_options){0});
    lg_errors_init(&errors, &d.arena, 5);
    CHECK(desk_add(&d, "{\"orders\":[],\"phone\":{}}", "t1", &errors) == LG_OK);
    CHECK(lg_sim_has_state(d.sim, LG_STR("t1")) && !lg_sim_has_state(d.sim, LG_STR("t2")));
    CHECK(desk_add(&d, DESK_STATE, "t1", &errors) == LG_ERR_USAGE);
    lg_sim_begin begin = {.task = LG_STR("t1")};
    CHECK(lg_sim_session_new(d.sim, &begin, &s, NULL) == LG_OK);
    CHECK_STR(desk_state(&d, s), "{\"orders\":[],\"phone\":{}}");
    lg_sim_session_free(s);
    begin.task = LG_STR("t2"); // has none: that of no task
    CHECK(lg_sim_session_new(d.sim, &begin, &s, NULL) == LG_OK);
    CHECK_STR(desk_state(&d, s), DESK_STATE);
    lg_sim_session_free(s);

    lg_str text = LG_STR("{\"orders\":[{\"id\":\"#7\",\"status\":\"open\",\"n\":1}],\"phone\":{}}");
    lg_world_file file = {
        .value = fixture_json(&d.arena, text.ptr), .text = text, .name = "own.json"};
    begin = (lg_sim_begin){.state = &file};
    CHECK(lg_sim_session_new(d.sim, &begin, &s, NULL) == LG_OK);
    CHECK(lg_str_starts(desk_call(&d, s, "get_order", "{\"id\":\"#7\"}"), LG_STR("done")));
    CHECK_STR(desk_call(&d, s, "add_order", "{\"id\":\"#8\"}"), "done effects added");
    CHECK(lg_sim_restore(s, 0, NULL) == LG_OK);
    CHECK_STR(desk_state(&d, s), text.ptr);
    lg_sim_session_free(s);

    file.value = fixture_json(&d.arena, "{\"orders\":[{\"id\":\"#7\",\"status\":\"x\"}]}");
    CHECK(lg_sim_session_new(d.sim, &begin, &s, &error) == LG_ERR_MISSING);
    CHECK(strstr(error.msg, "/phone") && strstr(error.msg, "more"));
    desk_close(&d);
}

static void needs_a_state(void)
{
    desk d = {0};
    lg_errors errors;
    lg_error error = {.msg = ""};
    lg_sim_session *s = NULL;
    lg_arena_init(&d.arena, 0);
    lg_errors_init(&errors, &d.arena, 5);
    d.pack = fixture_pack(desk_pack);
    lg_sim_options options = {.pack = d.pack};
    CHECK(lg_sim_new(&options, &d.sim, &errors) == LG_OK);
    CHECK(lg_sim_session_new(d.sim, NULL, &s, &error) == LG_ERR_USAGE && s == NULL);
    CHECK(strstr(error.msg, "no first state"));
    CHECK(desk_add(&d, "{\"orders\":7}", "", &errors) != LG_OK);
    CHECK(errors.count > 0 && strstr(errors.items[0].msg, "/orders"));
    lg_errors_init(&errors, &d.arena, 5);
    CHECK(desk_add(&d, DESK_STATE, "a", &errors) == LG_OK);
    CHECK(lg_sim_session_new(d.sim, NULL, &s, &error) == LG_ERR_USAGE);
    CHECK(strstr(error.msg, "no task was named"));
    desk_close(&d);
}

static void lists_tools(void)
{
    desk d;
    desk_open(&d, (lg_sim_options){0});
    CHECK(lg_sim_tool_count(d.sim) == 4);
    const lg_sim_tool *tool = lg_sim_tool_named(d.sim, LG_STR("set_status"), false);
    CHECK(tool && tool->kind == LG_TOOL_WRITE && tool->parameters && tool->of_pack &&
          !tool->is_guessed);
    CHECK(!lg_sim_tool_named(d.sim, LG_STR("set_status"), true));
    CHECK(lg_sim_tool_named(d.sim, LG_STR("flip"), true)->by_user);
    CHECK(!lg_sim_tool_named(d.sim, LG_STR("zzz"), false));
    CHECK_STR(lg_sim_tool_at(d.sim, 0)->name, "get_order");
    desk_close(&d);
}

int main(void)
{
    RUN(answers_as_the_pack_says);
    RUN(tells_of_bad_calls);
    RUN(tells_what_the_gate_would_have_said);
    RUN(tells_what_does_not_hold);
    RUN(validates_and_changes_nothing);
    RUN(can_do_without);
    RUN(begins_where_it_is_told);
    RUN(needs_a_state);
    RUN(lists_tools);
    return lg_test_done();
}
