// The judge: items by rules on a small shop, the rest by a model that says all sorts of things; and entries of data sets.
#include "model_house.h"
#include "shop_pack.h"

#include "base/alloc.h"
#include "simulate/checklist.h"
#include "simulate/verify.h"

static lg_sim_judgement judge(shop *s, const char *task, const char *response, lg_llm *llm)
{
    lg_checklist list = {0};
    lg_errors errors;
    lg_error error = {0};
    lg_sim_judgement ret = {0};
    lg_sim_done done = {.task = LG_STR("a task"), .response = lg_str_c(response)};
    lg_errors_init(&errors, &s->arena, 4);
    CHECK(lg_checklist_read(&s->arena, fixture_json(&s->arena, task), &list, &errors) == LG_OK);
    CHECK_MSG(lg_sim_judge(s->session, &list, &done, llm, &s->arena, &ret, &error) == LG_OK,
              error.msg);
    return ret;
}

// --- Rules ----------------------------------------------------------------------------------------

static void one(shop *s, const char *task, const char *response, lg_check_status status,
                const char *reason)
{
    lg_sim_judgement j = judge(s, task, response, NULL);
    bool fine = j.count == 1 && j.items[0].status == status && j.status == status &&
                j.reward == (status == LG_CHECK_SUCCESS ? 1 : 0) &&
                (j.feedback.len == 0) == (status == LG_CHECK_SUCCESS) &&
                lg_str_find(j.items[0].reasoning, lg_str_c(reason)) != SIZE_MAX;
    if (!CHECK_MSG(fine, task)) {
        lg_str got = j.count ? j.items[0].reasoning : LG_STR("no items");
        printf("  %s: %.*s\n", lg_check_status_name(j.status), LG_FMT(got));
    }
}

static void expressions_see_the_session(void)
{
    shop s;
    shop_open(&s);
    CHECK(shop_call(&s, "set_status", "{\"id\":\"W1\",\"status\":\"cancelled\"}") == LG_SIM_DONE);
    CHECK(shop_call(&s, "get_order", "{\"id\":\"W9\"}") == LG_SIM_FAILED);
    CHECK(shop_call(&s, "wave", "{}") == LG_SIM_DONE);
    one(&s, "[{\"that\":\"state.orders['W1'].status == 'cancelled'\"}]", "", LG_CHECK_SUCCESS,
        "true");
    one(&s, "[{\"that\":\"start.orders['W1'].status == 'pending'\"}]", "", LG_CHECK_SUCCESS,
        "true");
    one(&s, "[{\"that\":\"state.orders['W2'] == start.orders['W2']\"}]", "", LG_CHECK_SUCCESS, "");
    one(&s, "[{\"that\":\"state == start\"}]", "", LG_CHECK_FAILED, "false");
    one(&s, "[{\"that\":\"calls.exists(c, c.name == 'get_order' && c.error != null)\"}]", "",
        LG_CHECK_SUCCESS, "");
    one(&s, "[{\"that\":\"calls.filter(c, c.requestor == 'user').size() == 1\"}]", "",
        LG_CHECK_SUCCESS, "");
    one(&s, "[{\"that\":\"response.contains('done')\"}]", "All done", LG_CHECK_SUCCESS, "");
    one(&s, "[{\"that\":\"state.orders['W7'].status == 'x'\"}]", "", LG_CHECK_UNKNOWN,
        "cannot be evaluated: no such key: W7");
    one(&s, "[{\"that\":\"state.orders['W1'].total\"}]", "", LG_CHECK_UNKNOWN,
        "neither true nor false");
    one(&s, "[{\"description\":\"it is nice\"}]", "", LG_CHECK_UNKNOWN, "there is no model");
    shop_close(&s);
}

static void actions_are_matched(void)
{
    static const char set[] = "{\"id\":\"W1\",\"status\":\"held\",\"fee\":2}";
    shop s;
    shop_open(&s);
    CHECK(shop_call(&s, "set_status", set) == LG_SIM_DONE);
    CHECK(shop_call(&s, "set_status", "{\"id\":\"W9\",\"status\":\"held\"}") == LG_SIM_FAILED);
    CHECK(shop_call(&s, "wave", "{}") == LG_SIM_DONE);
    one(&s,
        "{\"actions\":[{\"name\":\"set_status\",\"arguments\":{\"id\":\"W1\",\"fee\":2.0,"
        "\"status\":\"held\"}}]}",
        "", LG_CHECK_SUCCESS, "it was called so");
    one(&s,
        "{\"actions\":[{\"name\":\"set_status\",\"arguments\":{\"id\":\"W9\",\"status\":\"held\"}}]"
        "}",
        "", LG_CHECK_FAILED, "the call failed");
    one(&s,
        "{\"actions\":[{\"name\":\"set_status\",\"arguments\":{\"id\":\"W1\",\"fee\":3,\"status\":"
        "\"held\"}}]}",
        "", LG_CHECK_FAILED, "nearest, but for `fee`");
    one(&s, "{\"actions\":[{\"name\":\"set_status\",\"arguments\":{\"id\":\"W1\",\"fee\":2}}]}", "",
        LG_CHECK_FAILED, "`status` (not wanted)");
    one(&s,
        "{\"actions\":[{\"name\":\"set_status\",\"arguments\":{\"id\":\"W1\",\"fee\":2,\"status\":"
        "\"held\",\"x\":null}}]}",
        "", LG_CHECK_FAILED, "`x` (absent)");
    one(&s, "{\"actions\":[{\"name\":\"set_status\"}]}", "", LG_CHECK_FAILED, "not wanted");
    one(&s, "{\"actions\":[{\"name\":\"set_status\",\"compare_args\":[]}]}", "", LG_CHECK_SUCCESS,
        "");
    one(&s,
        "{\"actions\":[{\"name\":\"set_status\",\"arguments\":{\"id\":\"W1\",\"fee\":3},\"compare_"
        "args\":[\"id\"]}]}",
        "", LG_CHECK_SUCCESS, "");
    one(&s,
        "{\"actions\":[{\"name\":\"set_status\",\"arguments\":{\"id\":\"W1\",\"fee\":3},\"compare_"
        "args\":[\"id\",\"fee\"]}]}",
        "", LG_CHECK_FAILED, "but for `fee`");
    one(&s,
        "{\"actions\":[{\"name\":\"set_status\",\"arguments\":{\"id\":\"W1\"},\"compare_args\":["
        "\"id\",\"status\"]}]}",
        "", LG_CHECK_FAILED, "`status` (not wanted)");
    one(&s, "{\"actions\":[{\"name\":\"get_order\",\"arguments\":{\"id\":\"W1\"}}]}", "",
        LG_CHECK_FAILED, "not called");
    one(&s, "{\"actions\":[{\"name\":\"wave\",\"requestor\":\"user\"}]}", "", LG_CHECK_SUCCESS, "");
    one(&s, "{\"actions\":[{\"name\":\"wave\",\"requestor\":\"assistant\"}]}", "", LG_CHECK_FAILED,
        "not called");
    one(&s, "{\"actions\":[{\"name\":\"wave\"}]}", "", LG_CHECK_FAILED, "not called");
    // Two that are spelt otherwise are the same action twice.
    static const char twice[] =
        "{\"actions\":[{\"name\":\"set_status\",\"arguments\":{\"id\":\"W1\",\"fee\":2.0,"
        "\"status\":\"held\"}},{\"name\":\"set_status\",\"arguments\":{\"status\":\"held\",\"id\":"
        "\"W1\",\"fee\":2},\"requestor\":\"assistant\",\"compare_args\":null}]}";
    lg_sim_judgement j = judge(&s, twice, "", NULL);
    CHECK(j.items[0].status == LG_CHECK_SUCCESS && j.items[1].status == LG_CHECK_FAILED);
    CHECK(lg_str_find(j.feedback, LG_STR("only 1 time")) != SIZE_MAX);
    CHECK(shop_call(&s, "set_status", set) == LG_SIM_DONE);
    j = judge(&s, twice, "", NULL);
    CHECK(j.status == LG_CHECK_SUCCESS);
    j = judge(&s,
              "{\"actions\":[{\"name\":\"wave\",\"requestor\":\"user\"},{\"name\":\"wave\","
              "\"arguments\":{},\"requestor\":\"user\"}]}",
              "", NULL);
    CHECK(j.items[0].status == LG_CHECK_SUCCESS && j.items[1].status == LG_CHECK_FAILED);
    shop_close(&s);
}

// An earlier task's call is no evidence for a later one.
static void calls_of_earlier_tasks_do_not_count(void)
{
    static const char *const task =
        "{\"actions\":[{\"name\":\"get_order\",\"arguments\":{\"id\":\"W1\"}}],"
        "\"checklist\":[{\"that\":\"calls.size() == 1\"}]}";
    shop s;
    lg_checklist list = {0};
    lg_errors errors;
    lg_error error;
    shop_open(&s);
    lg_errors_init(&errors, &s.arena, 4);
    CHECK(lg_checklist_read(&s.arena, fixture_json(&s.arena, task), &list, &errors) == LG_OK);
    for (uint64_t since = 0; since < 3; since++) {
        lg_sim_judgement j = {0};
        lg_sim_done done = {.since = since};
        CHECK(since == 2 || shop_call(&s, "get_order", "{\"id\":\"W1\"}") == LG_SIM_DONE);
        CHECK(lg_sim_judge(s.session, &list, &done, NULL, &s.arena, &j, &error) == LG_OK);
        CHECK(j.status == (since < 2 ? LG_CHECK_SUCCESS : LG_CHECK_FAILED));
    }
    shop_close(&s);
}

static void what_is_said_and_where_the_state_is(void)
{
    static const struct {
        const char *info, *response;
        lg_check_status status;
    } said[] = {
        {"1,250.50", "You get 1250.50 back", LG_CHECK_SUCCESS},
        {"1250", "You get 1,250!", LG_CHECK_SUCCESS},
        {"1250", "You get 1,250.50", LG_CHECK_SUCCESS}, // one text is within the other, as in tau2
        {"10", "it is $110", LG_CHECK_SUCCESS},
        {"10", "v10", LG_CHECK_SUCCESS},
        {"11", "1 1 and 1.1", LG_CHECK_FAILED},
        {"327.5", "$327.50.", LG_CHECK_SUCCESS},
        {"327.50", "327.5 dollars", LG_CHECK_SUCCESS},
        {"10.0", "exactly 10, no more", LG_CHECK_SUCCESS},
        {"0.50", "0.5", LG_CHECK_SUCCESS},
        {"50.0", "150", LG_CHECK_FAILED},
        {"-5.0", "it is -5 degrees", LG_CHECK_SUCCESS},
        {"-5.0", "3-5 degrees", LG_CHECK_FAILED},
        {"5.0", "it is -5 degrees", LG_CHECK_FAILED},
        {"1.20", "version 1.2.3", LG_CHECK_FAILED},
        {",", "a, b", LG_CHECK_FAILED},
        {"Smith, John", "it is for smith, john", LG_CHECK_SUCCESS},
        {"M\\u00dcLLER \\u0391\\u03a3 \\u0416\\u00d7",
         "m\xc3\xbcller \xce\xb1\xcf\x82 "
         "\xd0\xb6\xc3\x97",
         LG_CHECK_SUCCESS},
        {"\\u0160\\u0178\\u1ea0", "\xc5\xa1\xc3\xbf\xe1\xba\xa1", LG_CHECK_SUCCESS},
        {"Gold Member", "you are a GOLD member", LG_CHECK_SUCCESS},
        {"gold", "silver", LG_CHECK_FAILED},
        {"gold", "", LG_CHECK_UNKNOWN},
    };
    shop s;
    shop_open(&s);
    for (size_t i = 0; i < LG_COUNT(said); i++) {
        lg_str task = lg_arena_printf(&s.arena, "{\"communicate_info\":[\"%s\"]}", said[i].info);
        one(&s, task.ptr, said[i].response, said[i].status, "");
    }
    one(&s, "{\"state\":{\"/orders/W2/total\":7.0}}", "", LG_CHECK_SUCCESS, "so");
    one(&s, "{\"state\":{\"/orders/W2/status\":\"open\"}}", "", LG_CHECK_FAILED, "another value");
    one(&s, "{\"state\":{\"/orders/W3\":null}}", "", LG_CHECK_SUCCESS, "");
    one(&s, "{\"state\":{\"/orders/W3\":{}}}", "", LG_CHECK_FAILED, "nothing stands there");
    lg_sim_judgement j = judge(&s, "[]", "", NULL);
    CHECK(j.status == LG_CHECK_UNKNOWN && j.reward == 0 && j.feedback.len > 0);
    shop_close(&s);
}

// What the history has dropped may have been the call.
static void dropped_calls_are_no_evidence(void)
{
    shop s;
    shop_open_with(&s, (lg_sim_options){.history_calls = 2});
    for (int i = 0; i < 8; i++) {
        CHECK(shop_call(&s, "get_order", "{\"id\":\"W1\"}") == LG_SIM_DONE);
    }
    if (CHECK(lg_sim_history_dropped(s.session) > 0)) {
        one(&s, "{\"actions\":[{\"name\":\"wave\"}]}", "", LG_CHECK_UNKNOWN, "dropped");
        one(&s, "[{\"that\":\"calls.all(c, c.name == 'get_order')\"}]", "", LG_CHECK_UNKNOWN,
            "dropped");
        one(&s, "{\"actions\":[{\"name\":\"get_order\",\"compare_args\":[]}]}", "",
            LG_CHECK_SUCCESS, "");
    }
    shop_close(&s);
}

// A hundred items of which each takes nearly what one evaluation may take: one budget ends them all soon.
static void all_items_share_one_budget(void)
{
    shop s;
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, "[");
    for (int i = 0; i < 100; i++) {
        lg_buf_addf(&text,
                    "%s{\"that\":\"[1,2,3,4,5,6,7,8].all(a,[1,2,3,4,5,6,7,8].all(b,"
                    "[1,2,3,4,5,6,7,8].all(c,[1,2,3,4,5,6,7,8].all(d,"
                    "[1,2,3,4,5,6,7,8].all(e,a+b+c+d+e > 0)))))\"}",
                    i ? "," : "");
    }
    lg_buf_add_c(&text, "]");
    lg_buf_add_byte(&text, '\0');
    shop_open(&s);
    lg_sim_judgement j = judge(&s, text.ptr, "", NULL);
    CHECK(j.count == 100 && j.items[0].status == LG_CHECK_SUCCESS);
    CHECK(j.items[99].status == LG_CHECK_UNKNOWN && j.status == LG_CHECK_UNKNOWN);
    CHECK(lg_str_find(j.items[99].reasoning, LG_STR("no steps left")) != SIZE_MAX);
    CHECK(j.feedback.len < 8000);
    lg_buf_done(&text);
    shop_close(&s);
}

// --- The model --------------------------------------------------------------------------------------

static const char two_items[] = "[{\"description\":\"first\"},{\"that\":\"true\"},"
                                "{\"description\":\"second\"}]";

static void a_model_decides_the_rest(void)
{
    static const model_answer answers[] = {
        {"{\"items\":[{\"index\":0,\"status\":\"success\",\"reasoning\":\"seen\"},"
         "{\"index\":1,\"status\":\"failed\",\"reasoning\":\"not asked\"},"
         "{\"index\":77,\"status\":\"failed\",\"reasoning\":\"no such item\"}]}",
         0},
        {"{\"items\":[{\"index\":0,\"status\":\"success\",\"reasoning\":\"a\"},"
         "{\"index\":0,\"status\":\"failed\",\"reasoning\":\"b\"},"
         "{\"index\":2,\"status\":\"failed\",\"reasoning\":\"not there\"}]}",
         0}};
    shop s;
    model_house m;
    shop_open(&s);
    model_begin(&m, answers, LG_COUNT(answers));
    lg_sim_judgement j = judge(&s, two_items, "I did it", m.llm);
    CHECK(j.items[0].status == LG_CHECK_SUCCESS && j.items[0].by == LG_CHECK_BY_MODEL);
    CHECK_STR(j.items[0].reasoning, "seen");
    CHECK(j.items[1].status == LG_CHECK_SUCCESS && j.items[1].by == LG_CHECK_BY_RULE);
    CHECK(j.items[2].status == LG_CHECK_UNKNOWN && j.items[2].by == LG_CHECK_BY_NOBODY);
    CHECK(j.status == LG_CHECK_UNKNOWN);
    CHECK(lg_str_find(lg_buf_str(&m.last), LG_STR("I did it")) != SIZE_MAX);
    j = judge(&s, two_items, "", m.llm);
    CHECK(j.items[0].status == LG_CHECK_UNKNOWN && j.items[0].by == LG_CHECK_BY_MODEL);
    CHECK(j.items[2].status == LG_CHECK_FAILED && j.status == LG_CHECK_FAILED);
    CHECK(lg_str_starts(j.feedback, LG_STR("failed: second (not there)\nunknown: first")));
    CHECK(atomic_load(&m.asked) == 2);
    j = judge(&s, "[{\"that\":\"true\"}]", "", m.llm); // nothing is left to ask
    CHECK(j.status == LG_CHECK_SUCCESS && atomic_load(&m.asked) == 2);
    model_end(&m);
    shop_close(&s);
}

static void a_model_that_fails_decides_nothing(void)
{
    static const model_answer answers[] = {{"I think all is well.", 0},
                                           {"{\"items\": [{\"index\"", 0},
                                           {"{\"items\": 7}", 0},
                                           {"{\"error\":{\"message\":\"busy\"}}", 503}};
    shop s;
    model_house m;
    shop_open(&s);
    model_begin(&m, answers, LG_COUNT(answers));
    for (int i = 0; i < 2; i++) { // nonsense three times, then a server that is busy
        lg_sim_judgement j = judge(&s, two_items, "", m.llm);
        CHECK(j.status == LG_CHECK_UNKNOWN && j.reward == 0);
        CHECK(j.items[0].by == LG_CHECK_BY_NOBODY && j.items[1].status == LG_CHECK_SUCCESS);
        CHECK(lg_str_starts(j.items[0].reasoning, LG_STR("the model has not decided it: ")));
    }
    CHECK(atomic_load(&m.asked) == 3 + 2);
    model_end(&m);
    shop_close(&s);
}

// --- A checklist of a model's -------------------------------------------------------------------------

static void a_model_makes_a_checklist(void)
{
    static const model_answer answers[] = {
        {"{\"items\":[{\"description\":\"W1 was looked up\",\"that\":\"calls.exists(c, c.name == "
         "'get_order')\"},{\"description\":\"it is held\",\"that\":\"nonsense(((\"},"
         "{\"description\":\" \",\"that\":\"\"},{\"description\":\"odd\",\"that\":\"state.x.y == "
         "1\"}]}",
         0},
        {"{\"items\":[{\"index\":1,\"status\":\"success\",\"reasoning\":\"r\"},"
         "{\"index\":2,\"status\":\"success\",\"reasoning\":\"r\"}]}",
         0},
        {"no list today", 0}};
    static const lg_str before[] = {{"Log in", 6}};
    shop s;
    model_house m;
    lg_checklist list;
    lg_str why;
    lg_error error = {0};
    lg_sim_judgement j;
    shop_open(&s);
    model_begin(&m, answers, LG_COUNT(answers));
    CHECK(lg_checklist_make(&s.arena, s.sim, LG_STR("Hold order W1"), before, 1, m.llm, &list, &why,
                            &error) == LG_OK);
    CHECK(list.by_model && list.count == 3 && why.len == 0);
    CHECK(lg_str_find(lg_buf_str(&m.last), LG_STR("Log in")) != SIZE_MAX);
    CHECK(list.items[0].kind == LG_CHECK_THAT && list.items[1].kind == LG_CHECK_IN_WORDS);
    CHECK(shop_call(&s, "get_order", "{\"id\":\"W1\"}") == LG_SIM_DONE);
    // What the model wrote and cannot be evaluated is put to it in words.
    CHECK(lg_sim_judge(s.session, &list, &(lg_sim_done){.task = LG_STR("t")}, m.llm, &s.arena, &j,
                       &error) == LG_OK);
    CHECK(j.status == LG_CHECK_SUCCESS && j.items[0].by == LG_CHECK_BY_RULE &&
          j.items[2].by == LG_CHECK_BY_MODEL);
    CHECK(lg_checklist_make(&s.arena, s.sim, LG_STR("t"), NULL, 0, m.llm, &list, &why, &error) ==
          LG_OK);
    CHECK(list.count == 0 && why.len > 0);
    model_end(&m);
    shop_close(&s);
}

// --- Data sets ------------------------------------------------------------------------------------------

static lg_status verify(shop *s, const char *entry, lg_llm *llm, lg_sim_verified *ret,
                        lg_errors *errors)
{
    lg_sim_models models = {.judge = llm};
    lg_errors_init(errors, &s->arena, 4);
    return lg_sim_verify_entry(s->sim, fixture_json(&s->arena, entry), 0, &models, &s->arena, ret,
                               errors);
}

static void entries_are_verified(void)
{
    shop s;
    lg_sim_verified v;
    lg_errors errors;
    shop_open(&s);
    CHECK(
        verify(
            &s,
            "{\"id\":7,\"calls\":[{\"name\":\"set_status\",\"arguments\":\"{\\\"id\\\":\\\"W1\\\","
            "\\\"status\\\":\\\"held\\\"}\"},{\"name\":\"set_status\",\"arguments\":{}},"
            "{\"name\":\"none\"},{\"name\":\"get_order\",\"arguments\":{\"id\":\"W8\"}}],"
            "\"checklist\":{\"state\":{\"/orders/W1/status\":\"held\"}}}",
            NULL, &v, &errors) == LG_OK);
    CHECK_STR(v.id, "7");
    CHECK(v.judgement.status == LG_CHECK_SUCCESS && v.calls == 4 && v.invalid == 2 &&
          v.failed == 1);
    CHECK(lg_str_starts(v.first_invalid, LG_STR("call 2: ")) && !v.tried_again);
    CHECK(verify(&s,
                 "{\"state\":{\"orders\":{\"X\":{\"status\":\"new\"}}},\"calls\":[],"
                 "\"checklist\":[{\"that\":\"state.orders.X.status == 'new'\"}]}",
                 NULL, &v, &errors) == LG_OK);
    CHECK(v.judgement.status == LG_CHECK_SUCCESS);
    CHECK(verify(&s, "{\"calls\":[],\"actions\":[{\"name\":\"wave\"}]}", NULL, &v, &errors) ==
          LG_OK);
    CHECK(v.judgement.status == LG_CHECK_FAILED);
    CHECK(verify(&s, "{\"calls\":[]}", NULL, &v, &errors) == LG_OK);
    CHECK(v.judgement.status == LG_CHECK_UNKNOWN && v.why.len > 0);
    shop_close(&s);
}

static void what_is_no_entry_is_said(void)
{
    static const struct {
        const char *text, *has;
    } cases[] = {{"[]", "an entry is an object"},
                 {"{}", "/calls: a list"},
                 {"{\"calls\":[{}]}", "/calls/0: a call"},
                 {"{\"calls\":[],\"state\":7}", "/state: "},
                 {"{\"calls\":[],\"checklist\":[{\"that\":\"(\"}]}", "/checklist/0/that: "},
                 {"{\"calls\":[],\"state\":{\"orders\":7}}", "orders"}};
    shop s;
    shop_open(&s);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_sim_verified v;
        lg_errors errors;
        CHECK(verify(&s, cases[i].text, NULL, &v, &errors) != LG_OK);
        bool said = errors.count > 0 &&
                    lg_str_find(lg_str_c(errors.items[0].msg), lg_str_c(cases[i].has)) != SIZE_MAX;
        CHECK_MSG(said, errors.count ? errors.items[0].msg : cases[i].text);
    }
    shop_close(&s);
}

static void what_a_model_left_open_is_asked_again_once(void)
{
    static const model_answer answers[] = {
        {"{}", 500},
        {"{}", 500},
        {"{\"items\":[{\"index\":0,\"status\":\"success\",\"reasoning\":\"r\"}]}", 0},
        {"{}", 500}};
    static const char entry[] = "{\"calls\":[],\"checklist\":[\"it is nice\"]}";
    shop s;
    model_house m;
    lg_sim_verified v;
    lg_errors errors;
    shop_open(&s);
    model_begin(&m, answers, LG_COUNT(answers));
    CHECK(verify(&s, entry, m.llm, &v, &errors) == LG_OK);
    CHECK(v.tried_again && v.judgement.status == LG_CHECK_SUCCESS);
    CHECK(verify(&s, entry, m.llm, &v, &errors) == LG_OK);
    CHECK(v.tried_again && v.judgement.status == LG_CHECK_UNKNOWN);
    CHECK(atomic_load(&m.asked) == 3 + 4);
    model_end(&m);
    shop_close(&s);
}

static void memory_may_end_anywhere(void)
{
    shop s;
    uint64_t n = 1;
    lg_checklist list = {0};
    lg_errors errors;
    shop_open(&s);
    lg_errors_init(&errors, &s.arena, 4);
    const lg_json *task = fixture_json(
        &s.arena, "{\"checklist\":[{\"that\":\"state == start\"},\"words\"],\"actions\":[{\"name\":"
                  "\"wave\"}],\"communicate_info\":[\"1\"],\"state\":{\"/orders/W1/total\":1}}");
    CHECK(lg_checklist_read(&s.arena, task, &list, &errors) == LG_OK);
    for (lg_status status = LG_ERR_OOM; status != LG_OK && n < 2000; n++) {
        lg_arena own;
        lg_sim_judgement j;
        lg_error error = {0};
        lg_arena_init(&own, 0);
        lg_alloc_fail_at(n);
        status = lg_sim_judge(s.session, &list, &(lg_sim_done){.response = LG_STR("r")}, NULL, &own,
                              &j, &error);
        lg_alloc_fail_at(0);
        CHECK(status == LG_OK || status == LG_ERR_OOM);
        CHECK(status != LG_OK || j.count == 5);
        lg_arena_done(&own);
    }
    CHECK(n > 2 && n < 2000);
    shop_close(&s);
}

int main(void)
{
    RUN(expressions_see_the_session);
    RUN(actions_are_matched);
    RUN(calls_of_earlier_tasks_do_not_count);
    RUN(what_is_said_and_where_the_state_is);
    RUN(dropped_calls_are_no_evidence);
    RUN(all_items_share_one_budget);
    RUN(a_model_decides_the_rest);
    RUN(a_model_that_fails_decides_nothing);
    RUN(a_model_makes_a_checklist);
    RUN(entries_are_verified);
    RUN(what_is_no_entry_is_said);
    RUN(what_a_model_left_open_is_asked_again_once);
    RUN(memory_may_end_anywhere);
    return lg_test_done();
}
