// judge.c: POST /sessions/ID/judge: is the task done?
//
// `task` is the task's words, or an object as lg_checklist_read() takes it; `checklist` gives the items by themselves. Words
// alone need a model that makes a checklist of them. Calls up to the number `since` are another task's.
#include "base/str.h"
#include "mock/mock_internal.h"
#include "simulate/checklist.h"

#define PROBLEMS_MAX 8u

typedef struct judging {
    lg_sim_done done;        // the words of the task among it
    const lg_json *material; // what items are read of; or NULL
} judging;

static void answer(mock_exchange *x, const lg_sim_judgement *j, lg_str why)
{
    lg_json_writer w = mock_begin(x, 200);
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "items");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < j->count; i++) {
        lg_jw_begin_object(&w);
        lg_jw_member_str(&w, "description", j->items[i].description);
        lg_jw_member_c(&w, "status", lg_check_status_name(j->items[i].status));
        lg_jw_member_c(&w, "by", lg_check_by_name(j->items[i].by));
        lg_jw_member_str(&w, "reasoning", j->items[i].reasoning);
        lg_jw_end_object(&w);
    }
    lg_jw_end_array(&w);
    lg_jw_member_c(&w, "status", lg_check_status_name(j->status));
    lg_jw_member_double(&w, "reward", j->reward);
    lg_jw_member_str(&w, "feedback", j->feedback);
    lg_jw_member_str_or_null(&w, "note", why);
    lg_jw_end_object(&w);
}

// False after answering.
static bool make_checklist(mock_exchange *x, const judging *j, lg_llm *model, lg_checklist *ret,
                           lg_str *ret_why)
{
    lg_errors errors;
    lg_error err = {0};
    lg_errors_init(&errors, x->arena, PROBLEMS_MAX);
    *ret_why = LG_STR("");
    if (j->material) {
        if (lg_checklist_read(x->arena, j->material, ret, &errors) == LG_OK) {
            return true;
        }
        if (errors.count) {
            mock_fail(x, 400, "bad_request", "%s", errors.items[0].msg);
        } else {
            mock_fail_oom(x);
        }
        return false;
    }
    if (!model) {
        mock_fail(x, 400, "bad_request",
                  "a task in words needs a model that makes a checklist of it: give `checklist`");
        return false;
    }
    if (lg_checklist_make(x->arena, x->mock->options.sim, j->done.task, NULL, 0, model, ret,
                          ret_why, &err) != LG_OK) {
        mock_fail_with(x, &err);
        return false;
    }
    return true;
}

static void do_judge(mock_exchange *x, mock_worker *worker)
{
    const judging *j = x->task;
    lg_checklist checklist = {0};
    lg_sim_judgement judgement = {0};
    lg_error err = {0};
    lg_str why;
    lg_llm *model = worker->models.judge;
    if (!make_checklist(x, j, model, &checklist, &why)) {
        return;
    }
    if (lg_sim_judge(x->session->sim, &checklist, &j->done, model, x->arena, &judgement, &err) !=
        LG_OK) {
        mock_fail_with(x, &err);
        return;
    }
    answer(x, &judgement, why);
}

static bool read_judging(mock_exchange *x, const lg_json *body, judging *ret)
{
    const lg_json *task = lg_json_get(body, LG_STR("task"));
    const lg_json *list = lg_json_get(body, LG_STR("checklist"));
    const lg_json *response = lg_json_get(body, LG_STR("response"));
    const lg_json *since = lg_json_get(body, LG_STR("since"));
    int64_t number = 0;
    bool words = lg_json_is(task, LG_JSON_STRING);
    if ((!task && !list) ||
        (task && !words && !lg_json_is(task, LG_JSON_OBJECT) && !lg_json_is(task, LG_JSON_ARRAY))) {
        mock_fail(x, 400, "bad_request",
                  "say what is to be done: `task` is a text or an object, `checklist` a list");
        return false;
    }
    if (response && !lg_json_is(response, LG_JSON_STRING)) {
        mock_fail(x, 400, "bad_request", "`response` is the text that the agent said at the end");
        return false;
    }
    if (since && (!lg_json_int(since, &number) || number < 0)) {
        mock_fail(x, 400, "bad_request",
                  "`since` is the number of the last call that is not of this task, or 0");
        return false;
    }
    *ret = (judging){.done = {.task = lg_json_str(task),
                              .response = lg_json_str(response),
                              .since = (uint64_t)number},
                     .material = list    ? list
                                 : words ? NULL
                                         : task};
    return true;
}

void mock_judge(mock_exchange *x, mock_session *session)
{
    static const char *const members[] = {"task", "checklist", "response", "since", NULL};
    const lg_json *body = mock_object(x, members);
    judging *j = body ? LG_NEW(x->arena, judging) : NULL;
    if (body && !j) {
        mock_fail_oom(x);
    } else if (body && read_judging(x, body, j)) {
        x->session = session;
        x->task = j;
        x->work = do_judge;
    }
}
