// judge.c: is the task done? Item by item: by rules first, and what they do not decide in one question to the model.
//
// All rules of one judgement share one budget of steps. What it does not reach, what cannot be evaluated, and what rests on
// calls that the history has dropped is unknown.
#include "simulate/ask_internal.h"
#include "simulate/checklist_internal.h"

#define REASON_BYTES 600u
#define FEEDBACK_BYTES 6000u
#define MOST_CHANGES 100u
#define MOST_SAID_BYTES 262144u // of a response that is searched

typedef struct judging {
    lg_sim_session *session;
    const lg_checklist *checklist;
    uint64_t since;
    lg_arena *arena;
    lg_budget budget;
    lg_sim_past *calls;
    size_t call_count;
    uint64_t dropped;
    const lg_json *state;
    lg_str response, said; // `said`: as it is searched
    lg_cel_value values[CHECK_SLOTS];
    lg_checked_item *items;
    bool *open; // the model is to decide it
    bool oom;
} judging;

static lg_str no_steps(void)
{
    return LG_STR(LG_NO_STEPS_LEFT("LG_SIM_JUDGE_STEPS"));
}

LG_PRINTF(5, 6)
static void decide(judging *j, size_t index, lg_check_status status, lg_check_by by,
                   const char *format, ...)
{
    char room[REASON_BYTES];
    va_list args;
    va_start(args, format);
    lg_str text = lg_arena_str(j->arena, lg_str_vprint(room, sizeof(room), format, args));
    va_end(args);
    lg_checked_item *item = &j->items[index];
    item->status = status;
    item->by = by;
    item->reasoning = text.ptr ? text : LG_STR("");
    j->oom = j->oom || !text.ptr;
}

// --- Calls --------------------------------------------------------------------------------------

static lg_status take_history(judging *j, lg_error *reterr)
{
    size_t count = lg_sim_history_count(j->session);
    uint64_t dropped = lg_sim_history_dropped(j->session);
    j->calls = LG_NEW_ARRAY(j->arena, lg_sim_past, count + 1);
    if (!j->calls) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        lg_sim_past call = lg_sim_history_at(j->session, i);
        if (call.number > j->since) {
            j->calls[j->call_count++] = call;
        }
    }
    j->dropped = dropped > j->since ? dropped - j->since : 0;
    return LG_OK;
}

// How an action and the calls of its tool are to each other.
typedef struct match {
    size_t done, failed; // with these arguments
    size_t others;       // with others
    const lg_json *near_args;
    size_t near_wrong; // of the call that comes nearest: arguments that differ
    bool any_near;
} match;

static void match_call(judging *j, const check_action *action, const lg_sim_past *call, match *m)
{
    if (!lg_budget_take(&j->budget, 2) || !lg_str_eq(action->name, call->tool) ||
        action->by_user != call->by_user) {
        return;
    }
    size_t wrong = checklist_wrong(action, call->args, &j->budget, NULL, 0);
    if (wrong == 0 && call->end == LG_SIM_DONE) {
        m->done++;
    } else if (wrong == 0) {
        m->failed++;
    } else {
        m->others++;
        if (!m->any_near || wrong < m->near_wrong) {
            m->any_near = true;
            m->near_args = call->args;
            m->near_wrong = wrong;
        }
    }
}

// Which arguments of the nearest call are not right: their names, never the values.
static void say_nearest(judging *j, size_t index, const check_action *action, const match *m)
{
    lg_str wrong[8];
    lg_buf names;
    lg_buf_init(&names, 0);
    size_t count = checklist_wrong(action, m->near_args, &j->budget, wrong, LG_COUNT(wrong));
    for (size_t i = 0; i < count && i < LG_COUNT(wrong); i++) {
        const char *how = !lg_json_get(m->near_args, wrong[i])   ? " (absent)"
                          : !lg_json_get(action->args, wrong[i]) ? " (not wanted)"
                                                                 : "";
        lg_buf_addf(&names, "%s`%.*s`%s", i ? ", " : "", LG_FMT(lg_str_cut(wrong[i], 60)), how);
    }
    lg_str text = lg_buf_str(&names);
    decide(j, index, LG_CHECK_FAILED, LG_CHECK_BY_RULE,
           "it was called %zu time%s, and each time with other arguments; nearest, but for %.*s",
           m->others, lg_plural(m->others), LG_FMT(text));
    j->oom = j->oom || lg_buf_status(&names) != LG_OK;
    lg_buf_done(&names);
}

static void check_called(judging *j, size_t index)
{
    const lg_checklist_item *item = &j->checklist->items[index];
    match m = {0};
    check_action action = checklist_action(item->value);
    for (size_t i = 0; i < j->call_count && !j->budget.spent; i++) {
        match_call(j, &action, &j->calls[i], &m);
    }
    if (m.done >= item->nth) {
        decide(j, index, LG_CHECK_SUCCESS, LG_CHECK_BY_RULE, "it was called so");
    } else if (j->budget.spent) {
        decide(j, index, LG_CHECK_UNKNOWN, LG_CHECK_BY_NOBODY, "%.*s", LG_FMT(no_steps()));
    } else if (j->dropped > 0) {
        decide(j, index, LG_CHECK_UNKNOWN, LG_CHECK_BY_RULE,
               "the history has dropped %llu calls, and it may have been one of them",
               (unsigned long long)j->dropped);
    } else if (m.done > 0) {
        decide(j, index, LG_CHECK_FAILED, LG_CHECK_BY_RULE, "it was called so only %zu time%s",
               m.done, lg_plural(m.done));
    } else if (m.failed > 0) {
        decide(j, index, LG_CHECK_FAILED, LG_CHECK_BY_RULE,
               "it was called so, and the call failed");
    } else if (m.others > 0) {
        say_nearest(j, index, &action, &m);
    } else {
        decide(j, index, LG_CHECK_FAILED, LG_CHECK_BY_RULE, "it was not called");
    }
}

// --- What was said --------------------------------------------------------------------------------

static void check_said(judging *j, size_t index)
{
    lg_str what = checklist_plain(j->arena, lg_json_str(j->checklist->items[index].value));
    uint64_t steps = (uint64_t)j->said.len / 8 * (what.len / 32 + 2);
    j->oom = j->oom || !what.ptr;
    if (j->response.len == 0) {
        decide(j, index, LG_CHECK_UNKNOWN, LG_CHECK_BY_RULE,
               "nothing is known of what the agent said");
    } else if (!lg_budget_take(&j->budget, steps)) {
        decide(j, index, LG_CHECK_UNKNOWN, LG_CHECK_BY_NOBODY, "%.*s", LG_FMT(no_steps()));
    } else if (checklist_says(j->said, what)) {
        decide(j, index, LG_CHECK_SUCCESS, LG_CHECK_BY_RULE, "the response says it");
    } else if (j->response.len > MOST_SAID_BYTES) {
        decide(j, index, LG_CHECK_UNKNOWN, LG_CHECK_BY_RULE,
               "the first %u bytes of the response do not say it, and it is longer",
               MOST_SAID_BYTES);
    } else {
        decide(j, index, LG_CHECK_FAILED, LG_CHECK_BY_RULE, "the response does not say it");
    }
}

// --- The state ------------------------------------------------------------------------------------

static bool same(judging *j, const lg_json *a, const lg_json *b)
{
    return lg_json_weigh(&j->budget, a) && lg_json_equal(a, b);
}

static void check_state(judging *j, size_t index)
{
    const lg_checklist_item *item = &j->checklist->items[index];
    const lg_json *there = lg_json_at(j->state, item->pointer);
    bool wants_none = lg_json_is(item->value, LG_JSON_NULL);
    bool right = there ? same(j, item->value, there) : wants_none;
    if (j->budget.spent) {
        decide(j, index, LG_CHECK_UNKNOWN, LG_CHECK_BY_NOBODY, "%.*s", LG_FMT(no_steps()));
    } else if (right) {
        decide(j, index, LG_CHECK_SUCCESS, LG_CHECK_BY_RULE, "the state is so");
    } else {
        decide(j, index, LG_CHECK_FAILED, LG_CHECK_BY_RULE, "%s",
               there ? "another value stands there" : "nothing stands there");
    }
}

// --- Expressions ----------------------------------------------------------------------------------

static bool mentions(const lg_checklist *checklist, lg_str word)
{
    for (size_t i = 0; i < checklist->count; i++) {
        if (checklist->items[i].program &&
            lg_str_find(checklist->items[i].that, word) != SIZE_MAX) {
            return true;
        }
    }
    return false;
}

static lg_json value_or_null(const lg_json *value)
{
    return value ? *value : lg_json_make_null();
}

static bool bind_calls(judging *j)
{
    lg_json *list = LG_NEW_ARRAY(j->arena, lg_json, j->call_count + 1);
    for (size_t i = 0; i < j->call_count && list; i++) {
        const lg_sim_past *call = &j->calls[i];
        lg_json_member *m = lg_json_alloc_members(j->arena, 5);
        if (!m) {
            return false;
        }
        bool failed = call->end != LG_SIM_DONE;
        lg_str by = call->by_user ? LG_STR("user") : LG_STR("assistant");
        m[0] = lg_json_make_member(LG_STR("name"), lg_json_make_str(call->tool));
        m[1] = lg_json_make_member(LG_STR("arguments"), value_or_null(call->args));
        m[2] = lg_json_make_member(LG_STR("result"), value_or_null(call->result));
        m[3] = lg_json_make_member(LG_STR("error"),
                                   failed ? lg_json_make_str(call->error) : lg_json_make_null());
        m[4] = lg_json_make_member(LG_STR("requestor"), lg_json_make_str(by));
        list[i] = lg_json_make_object(m, 5);
    }
    lg_json *calls = LG_NEW(j->arena, lg_json);
    if (!list || !calls) {
        return false;
    }
    *calls = lg_json_make_array(list, j->call_count);
    j->values[CHECK_CALLS] = lg_cel_from_json(calls);
    return true;
}

static void check_that(judging *j, size_t index, lg_arena *scratch)
{
    const lg_checklist_item *item = &j->checklist->items[index];
    lg_cel_activation activation = {.values = j->values, .scratch = scratch, .budget = &j->budget};
    lg_cel_value value = lg_cel_eval(item->program, &activation);
    bool lost = j->dropped > 0 && lg_str_find(item->that, LG_STR("calls")) != SIZE_MAX;
    if (value.kind == LG_CEL_BOOL && lost) {
        decide(j, index, LG_CHECK_UNKNOWN, LG_CHECK_BY_RULE,
               "the history has dropped %llu calls, which the expression does not see",
               (unsigned long long)j->dropped);
    } else if (value.kind == LG_CEL_BOOL) {
        decide(j, index, value.as.boolean ? LG_CHECK_SUCCESS : LG_CHECK_FAILED, LG_CHECK_BY_RULE,
               "the expression is %s", value.as.boolean ? "true" : "false");
    } else if (j->checklist->by_model && !j->budget.spent) {
        j->open[index] = true; // a model wrote what cannot be evaluated: it may say so in words
    } else if (j->budget.spent) {
        decide(j, index, LG_CHECK_UNKNOWN, LG_CHECK_BY_NOBODY, "%.*s", LG_FMT(no_steps()));
    } else if (value.kind != LG_CEL_ERROR) {
        decide(j, index, LG_CHECK_UNKNOWN, LG_CHECK_BY_RULE,
               "the expression gives neither true nor false");
    } else {
        lg_buf key;
        lg_buf_init(&key, 0);
        bool missing = value.as.failure->kind == LG_CEL_FAIL_MISSING;
        if (missing) {
            lg_cel_print_line(&key, value.as.failure->key, NULL);
        }
        decide(j, index, LG_CHECK_UNKNOWN, LG_CHECK_BY_RULE,
               "the expression cannot be evaluated: %s%s%.*s (byte %u)", value.as.failure->what,
               missing ? ": " : "", LG_FMT(lg_str_cut(lg_buf_str(&key), 200)),
               value.as.failure->offset);
        lg_buf_done(&key);
    }
}

// --- All rules --------------------------------------------------------------------------------------

static void check_item(judging *j, size_t index, lg_arena *scratch)
{
    switch (j->checklist->items[index].kind) {
    case LG_CHECK_IN_WORDS:
        j->open[index] = true;
        break;
    case LG_CHECK_THAT:
        check_that(j, index, scratch);
        break;
    case LG_CHECK_CALLED:
        check_called(j, index);
        break;
    case LG_CHECK_SAYS:
        check_said(j, index);
        break;
    case LG_CHECK_STATE:
        check_state(j, index);
        break;
    }
}

static lg_status bind(judging *j, const lg_json *start, lg_error *reterr)
{
    j->values[CHECK_STATE] = lg_cel_from_json(j->state);
    j->values[CHECK_START] = lg_cel_from_json(start);
    j->values[CHECK_RESPONSE] = lg_cel_make_str(j->response);
    j->said = checklist_plain(j->arena, lg_str_cut(j->response, MOST_SAID_BYTES));
    return j->said.ptr && bind_calls(j) ? LG_OK : lg_fail_oom(reterr);
}

// The first state is looked at in a second session that was taken back to it, and only if an expression wants it.
static lg_status check_by_rules(judging *j, lg_error *reterr)
{
    lg_sim_session *first = NULL;
    const lg_json *start = j->state;
    lg_arena scratch;
    lg_status status = LG_OK;
    if (mentions(j->checklist, LG_STR("start"))) {
        status = lg_sim_fork(j->session, &first, reterr);
        status = status == LG_OK ? lg_sim_restore(first, 0, reterr) : status;
        status = status == LG_OK ? lg_sim_state(first, j->arena, true, &start, reterr) : status;
    }
    if (status == LG_OK) {
        status = bind(j, start, reterr);
    }
    lg_arena_init(&scratch, lg_limits_resolve(NULL).memory_bytes);
    for (size_t i = 0; i < j->checklist->count && status == LG_OK; i++) {
        check_item(j, i, &scratch);
        lg_arena_reset(&scratch);
    }
    lg_arena_done(&scratch);
    lg_sim_session_free(first);
    return status == LG_OK && j->oom ? lg_fail_oom(reterr) : status;
}

// --- The model --------------------------------------------------------------------------------------

static lg_status add_changes(judging *j, lg_buf *out, lg_error *reterr)
{
    lg_world_differences d = {.arena = j->arena, .limit = MOST_CHANGES};
    lg_status status = lg_sim_diff(j->session, 0, &d, reterr);
    lg_buf text;
    if (status != LG_OK || d.oom) {
        return status != LG_OK ? status : lg_fail_oom(reterr);
    }
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < d.count; i++) {
        lg_buf_addf(&text, "%.*s: ", LG_FMT(d.items[i].path));
        ask_add_cut_json(&text, d.items[i].before, ASK_TEXT_BYTES / 8);
        lg_buf_add_c(&text, " became ");
        ask_add_cut_json(&text, d.items[i].after, ASK_TEXT_BYTES / 8);
        lg_buf_add_c(&text, "\n");
    }
    if (d.total > d.count) {
        lg_buf_addf(&text, "[cut: %zu more changes]\n", d.total - d.count);
    }
    lg_llm_add_section(out, "changes", d.total ? lg_buf_str(&text) : LG_STR("(none)"),
                       ASK_STATE_BYTES);
    status = lg_buf_status(&text);
    lg_buf_done(&text);
    return status == LG_OK ? LG_OK : lg_fail_oom(reterr);
}

static lg_status write_material(judging *j, lg_str task, lg_str *ret, lg_error *reterr)
{
    lg_buf text, items;
    lg_buf_init(&text, 0);
    lg_buf_init(&items, 0);
    for (size_t i = 0; i < j->checklist->count; i++) {
        if (j->open[i]) {
            lg_buf_addf(&items, "%zu. %.*s\n", i, LG_FMT(j->items[i].description));
        }
    }
    lg_llm_add_section(&text, "task", task, ASK_STATE_BYTES);
    lg_llm_add_section(&text, "checklist", lg_buf_str(&items), ASK_STATE_BYTES);
    ask_add_tools(&text, lg_sim_of(j->session));
    ask_add_calls(&text, j->calls, j->call_count, j->dropped);
    lg_status status =
        lg_buf_status(&items) == LG_OK ? add_changes(j, &text, reterr) : lg_fail_oom(reterr);
    ask_add_json(&text, "state", j->state, ASK_STATE_BYTES);
    lg_llm_add_section(&text, "agents_last_words",
                       j->response.len ? j->response : LG_STR("(it said nothing)"),
                       ASK_STATE_BYTES);
    lg_buf_done(&items);
    if (status != LG_OK) {
        lg_buf_done(&text);
        return status;
    }
    return ask_take(j->arena, &text, ret, reterr);
}

static bool read_status(lg_str name, lg_check_status *ret)
{
    for (lg_check_status s = LG_CHECK_SUCCESS; s <= LG_CHECK_UNKNOWN; s++) {
        if (lg_str_eq(name, lg_str_c(lg_check_status_name(s)))) {
            *ret = s;
            return true;
        }
    }
    return false;
}

// An entry that is of no open item, or says no status, is passed over. Two that say different things of one item decide
// nothing.
static void take_verdict(judging *j, const lg_json *entry)
{
    int64_t index = -1;
    lg_check_status status;
    (void)lg_json_int(lg_json_get(entry, LG_STR("index")), &index);
    lg_str reason = lg_str_trim(lg_json_str(lg_json_get(entry, LG_STR("reasoning"))));
    if (index < 0 || (uint64_t)index >= j->checklist->count || !j->open[index] ||
        !read_status(lg_json_str(lg_json_get(entry, LG_STR("status"))), &status)) {
        return;
    }
    size_t at = (size_t)index;
    if (j->items[at].by == LG_CHECK_BY_MODEL && j->items[at].status != status) {
        decide(j, at, LG_CHECK_UNKNOWN, LG_CHECK_BY_MODEL, "the model says two things of it");
    } else if (j->items[at].by != LG_CHECK_BY_MODEL) {
        decide(j, at, status, LG_CHECK_BY_MODEL, "%.*s",
               LG_FMT(lg_str_cut(reason, REASON_BYTES - 1)));
    }
}

// All open items are unknown, until somebody decides them.
static size_t leave_open(judging *j, lg_str why)
{
    size_t count = 0;
    for (size_t i = 0; i < j->checklist->count; i++) {
        if (j->open[i]) {
            count++;
            decide(j, i, LG_CHECK_UNKNOWN, LG_CHECK_BY_NOBODY, "%.*s", LG_FMT(why));
        }
    }
    return count;
}

static lg_status check_by_model(judging *j, lg_str task, lg_llm *model, lg_error *reterr)
{
    const lg_json *value;
    lg_str why;
    ask_question question = {.task = ask_task_judge};
    if (leave_open(j, LG_STR("no rule decides it, and there is no model")) == 0 || !model) {
        return j->oom ? lg_fail_oom(reterr) : LG_OK;
    }
    lg_status status = ask_schema(j->arena, ask_schema_judge, &question.schema, reterr);
    if (status == LG_OK) {
        status = write_material(j, task, &question.material, reterr);
    }
    if (status == LG_OK) {
        status = ask_model(j->arena, model, &question, &value, &why, reterr);
    }
    if (status != LG_OK) {
        return status;
    }
    if (!value) {
        lg_str text = lg_arena_printf(j->arena, "the model has not decided it: %.*s", LG_FMT(why));
        (void)leave_open(j, text.ptr ? text : why);
        return j->oom ? lg_fail_oom(reterr) : LG_OK;
    }
    (void)leave_open(j, LG_STR("the model has left it out"));
    const lg_json *list = lg_json_get(value, LG_STR("items"));
    for (size_t i = 0; lg_json_is(list, LG_JSON_ARRAY) && i < lg_json_len(list); i++) {
        take_verdict(j, lg_json_item(list, i));
    }
    return j->oom ? lg_fail_oom(reterr) : LG_OK;
}

// --- The whole ----------------------------------------------------------------------------------------

static lg_check_status status_of(const judging *j)
{
    bool failed = false, unknown = j->checklist->count == 0;
    for (size_t i = 0; i < j->checklist->count; i++) {
        failed = failed || j->items[i].status == LG_CHECK_FAILED;
        unknown = unknown || j->items[i].status == LG_CHECK_UNKNOWN;
    }
    return failed ? LG_CHECK_FAILED : unknown ? LG_CHECK_UNKNOWN : LG_CHECK_SUCCESS;
}

// What failed first, then what is unknown, as far as there is room.
static lg_status write_feedback(judging *j, lg_str *ret, lg_error *reterr)
{
    lg_buf text;
    size_t left_out = 0;
    lg_buf_init(&text, 0);
    if (j->checklist->count == 0) {
        lg_buf_add_c(&text, "There is no item by which one could see that the task is done.");
    }
    for (lg_check_status s = LG_CHECK_FAILED; s <= LG_CHECK_UNKNOWN; s++) {
        for (size_t i = 0; i < j->checklist->count; i++) {
            const lg_checked_item *item = &j->items[i];
            if (item->status != s) {
                continue;
            }
            if (text.len > FEEDBACK_BYTES) {
                left_out++;
                continue;
            }
            lg_buf_addf(&text, "%s%s: %.*s (%.*s)", text.len ? "\n" : "", lg_check_status_name(s),
                        LG_FMT(lg_str_cut(item->description, 500)), LG_FMT(item->reasoning));
        }
    }
    if (left_out > 0) {
        lg_buf_addf(&text, "\nand %zu more", left_out);
    }
    return ask_take(j->arena, &text, ret, reterr);
}

static lg_status begin(judging *j, lg_error *reterr)
{
    size_t count = j->checklist->count;
    j->items = LG_NEW_ARRAY(j->arena, lg_checked_item, count + 1);
    j->open = LG_NEW_ARRAY(j->arena, bool, count + 1);
    if (!j->items || !j->open) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        j->items[i] = (lg_checked_item){.description = j->checklist->items[i].description,
                                        .status = LG_CHECK_UNKNOWN,
                                        .by = LG_CHECK_BY_NOBODY,
                                        .reasoning = LG_STR("")};
    }
    lg_status status = take_history(j, reterr);
    return status == LG_OK ? lg_sim_state(j->session, j->arena, true, &j->state, reterr) : status;
}

lg_status lg_sim_judge(lg_sim_session *session, const lg_checklist *checklist,
                       const lg_sim_done *done, lg_llm *model, lg_arena *arena,
                       lg_sim_judgement *ret, lg_error *reterr)
{
    judging j = {
        .session = session,
        .checklist = checklist,
        .since = done->since,
        .arena = arena,
        .response = done->response,
        .budget = {.left = LG_SIM_JUDGE_STEPS, .what = LG_NO_STEPS_LEFT("LG_SIM_JUDGE_STEPS")}};
    lg_status status = begin(&j, reterr);
    status = status == LG_OK ? check_by_rules(&j, reterr) : status;
    status = status == LG_OK ? check_by_model(&j, done->task, model, reterr) : status;
    *ret = (lg_sim_judgement){.items = j.items, .count = checklist->count, .feedback = LG_STR("")};
    if (status != LG_OK) {
        return status;
    }
    ret->status = status_of(&j);
    ret->reward = ret->status == LG_CHECK_SUCCESS ? 1 : 0;
    return ret->status == LG_CHECK_SUCCESS ? LG_OK : write_feedback(&j, &ret->feedback, reterr);
}

void lg_sim_judgement_write(lg_json_writer *w, const lg_sim_judgement *judgement)
{
    lg_jw_member_c(w, "status", lg_check_status_name(judgement->status));
    lg_jw_member_double(w, "reward", judgement->reward);
    lg_jw_key(w, "items");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < judgement->count; i++) {
        const lg_checked_item *item = &judgement->items[i];
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "description", item->description);
        lg_jw_member_c(w, "status", lg_check_status_name(item->status));
        lg_jw_member_c(w, "by", lg_check_by_name(item->by));
        lg_jw_member_str(w, "reasoning", item->reasoning);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
    lg_jw_member_str(w, "feedback", judgement->feedback);
}
