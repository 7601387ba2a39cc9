// refine.c: attempts, the judge between them, and the way back (algorithm 1).
#include "refine/attempt.h"

static const char *const end_names[] = {
    [LG_REFINE_END_STOP] = "stop",     [LG_REFINE_END_LIMIT] = "limit",
    [LG_REFINE_END_BUDGET] = "budget", [LG_REFINE_END_PLANNER] = "planner",
    [LG_REFINE_END_MEMORY] = "memory",
};

const char *lg_refine_end_name(lg_refine_end end)
{
    return end_names[end];
}

static const char *const why_names[] = {
    [LG_REFINE_SUCCESS] = "success",     [LG_REFINE_RETRIES_SPENT] = "retries",
    [LG_REFINE_BUDGET_SPENT] = "budget", [LG_REFINE_PLANNER_FAILED] = "planner",
    [LG_REFINE_MEMORY_SPENT] = "memory",
};

const char *lg_refine_why_name(lg_refine_why why)
{
    return why_names[why];
}

typedef struct refining {
    lg_refine_run run;
    const lg_refine_options *options;
    lg_refined *record;
    lg_refine_attempt *attempts;
    size_t capacity;
    uint64_t start; // the snapshot that every attempt begins from
    uint64_t stand; // that of the end of the attempt that stands
    char start_hash[65];
    bool is_left; // the session is no longer where it was
} refining;

// --- the judge ------------------------------------------------------------------------------------

static bool is_broken_off(lg_refine_end end)
{
    switch (end) {
    case LG_REFINE_END_STOP:
    case LG_REFINE_END_LIMIT:
        return false;
    case LG_REFINE_END_BUDGET:
    case LG_REFINE_END_PLANNER:
    case LG_REFINE_END_MEMORY:
        return true;
    }
    return true;
}

// What is left without a judge (section 6.3): whoever calls something has done it.
static void judge_naively(lg_refine_attempt *attempt)
{
    bool success = attempt->call_count > 0;
    attempt->judgement = (lg_sim_judgement){
        .status = success ? LG_CHECK_SUCCESS : LG_CHECK_FAILED,
        .reward = success ? 1 : 0,
        .feedback = success ? LG_STR("") : LG_STR("No tool was called."),
    };
}

static lg_status judge(refining *r, lg_refine_attempt *attempt, lg_error *reterr)
{
    const lg_refine_options *options = r->options;
    lg_refine_cost before = lg_refine_meter_read(&r->run.meter);
    int64_t begun_ns = lg_refine_now(options);
    lg_status status = LG_OK;
    if (options->without_judge) {
        judge_naively(attempt);
    } else {
        lg_sim_done done = {
            .task = options->task, .response = attempt->response, .since = r->run.since};
        status = lg_sim_judge(r->run.session, r->record->checklist, &done,
                              options->models ? options->models->judge : NULL, r->run.arena,
                              &attempt->judgement, reterr);
    }
    lg_refine_meter_add(&r->run.meter, before, &attempt->costs.judge);
    attempt->costs.seconds += lg_refine_seconds_since(options, begun_ns);
    attempt->is_judged = status == LG_OK;
    attempt->feedback = attempt->judgement.feedback;
    if (status == LG_OK && attempt->judgement.status != LG_CHECK_SUCCESS &&
        attempt->feedback.len == 0) {
        attempt->feedback = LG_STR("Nothing says that the task is done.");
    }
    return status;
}

// The checklist is made once, of the task's words; without a model there is none, and nothing can be said to be done.
static lg_status make_checklist(refining *r, lg_error *reterr)
{
    const lg_refine_options *options = r->options;
    lg_llm *model = options->models ? options->models->judge : NULL;
    lg_checklist *made = LG_NEW(r->run.arena, lg_checklist);
    lg_str why = LG_STR("there is no checklist, and no model that could make one");
    lg_status status = LG_OK;
    if (!made) {
        return lg_fail_oom(reterr);
    }
    if (options->checklist || options->without_judge) {
        r->record->checklist = options->checklist ? options->checklist : made;
        return LG_OK;
    }
    if (model) {
        lg_refine_cost before = lg_refine_meter_read(&r->run.meter);
        status = lg_checklist_make(r->run.arena, lg_sim_of(r->run.session), options->task,
                                   options->tasks_before, options->before_count, model, made, &why,
                                   reterr);
        lg_refine_meter_add(&r->run.meter, before, &r->record->costs.judge);
    }
    r->record->checklist = made;
    if (status == LG_OK && made->count == 0) {
        r->record->message = why;
    }
    return status;
}

// --- going back -----------------------------------------------------------------------------------

// The same state, to the byte: a session that remembers anything of an attempt that was undone would make the next one
// meaningless.
static lg_status go_back(refining *r, lg_error *reterr)
{
    char hash[65];
    lg_status status = lg_sim_restore(r->run.session, r->start, reterr);
    if (status == LG_OK) {
        status = lg_sim_state_hash(r->run.session, hash, reterr);
    }
    if (status == LG_OK && memcmp(hash, r->start_hash, sizeof(hash)) != 0) {
        status = lg_fail(reterr, LG_ERR_INTERNAL,
                         "the session was restored to another state than it was in: %s, and not %s",
                         hash, r->start_hash);
    }
    return status;
}

// --- attempts -------------------------------------------------------------------------------------

static lg_refine_attempt *new_attempt(refining *r)
{
    lg_refine_attempt *attempts = lg_arena_grow(r->run.arena, r->attempts, r->record->attempt_count,
                                                &r->capacity, sizeof(*attempts));
    if (!attempts) {
        return NULL;
    }
    r->attempts = attempts;
    r->record->attempts = attempts;
    attempts[r->record->attempt_count] = (lg_refine_attempt){.feedback = LG_STR("")};
    return &attempts[r->record->attempt_count++];
}

static lg_refine_why why_of(lg_refine_end end)
{
    switch (end) {
    case LG_REFINE_END_STOP:
    case LG_REFINE_END_LIMIT:
        return LG_REFINE_RETRIES_SPENT;
    case LG_REFINE_END_BUDGET:
        return LG_REFINE_BUDGET_SPENT;
    case LG_REFINE_END_PLANNER:
        return LG_REFINE_PLANNER_FAILED;
    case LG_REFINE_END_MEMORY:
        return LG_REFINE_MEMORY_SPENT;
    }
    return LG_REFINE_PLANNER_FAILED;
}

static lg_status play(refining *r, uint32_t number, lg_refine_attempt *attempt, lg_error *reterr)
{
    lg_str message = LG_STR(""), reminder = LG_STR(""), feedback = LG_STR("");
    if (number) {
        const lg_refine_attempt *last = attempt - 1;
        feedback = last->feedback;
        reminder = lg_refine_reminder_text(r->run.arena, last, number);
        if (!reminder.ptr) {
            return lg_fail_oom(reterr);
        }
    }
    memcpy(attempt->start_hash, r->start_hash, sizeof(r->start_hash));
    r->run.before = r->record->costs;
    r->is_left = true;
    lg_status status =
        lg_refine_play(&r->run, number, reminder, feedback, attempt, &message, reterr);
    if (status == LG_OK) {
        status = lg_sim_state_hash(r->run.session, attempt->end_hash, reterr);
    }
    if (status == LG_OK && message.len) {
        r->record->message = message;
    }
    if (status == LG_OK && !is_broken_off(attempt->end)) {
        status = judge(r, attempt, reterr);
    }
    return status;
}

// One attempt, and what follows from it: `*ret_is_over` if there is to be no other.
static lg_status try_once(refining *r, uint32_t number, bool *ret_is_over, lg_error *reterr)
{
    lg_refined *record = r->record;
    lg_refine_attempt *attempt = new_attempt(r);
    if (!attempt) {
        return lg_fail_oom(reterr);
    }
    lg_status status = play(r, number, attempt, reterr);
    lg_refine_costs_add(&record->costs, &attempt->costs);
    if (status != LG_OK) {
        return status;
    }
    record->why = why_of(attempt->end);
    *ret_is_over = is_broken_off(attempt->end);
    if (*ret_is_over) {
        return LG_OK;
    }
    record->stands = number;
    if (attempt->judgement.status == LG_CHECK_SUCCESS) {
        record->why = LG_REFINE_SUCCESS;
        attempt->feedback = LG_STR("");
        *ret_is_over = true;
    } else if (number < r->options->retries) {
        status = lg_sim_snapshot(r->run.session, &r->stand, reterr);
        return status == LG_OK ? go_back(r, reterr) : status;
    }
    r->stand = 0; // the session is there
    return LG_OK;
}

static lg_status try_all(refining *r, lg_error *reterr)
{
    bool is_over = false;
    lg_status status = LG_OK;
    for (uint32_t number = 0; status == LG_OK && !is_over && number <= r->options->retries;
         number++) {
        status = try_once(r, number, &is_over, reterr);
        if (number == UINT32_MAX) {
            break;
        }
    }
    // An attempt that broke off never stands: the session goes to the end of the one before, or to the beginning.
    if (status == LG_OK && is_broken_off(r->attempts[r->record->attempt_count - 1].end)) {
        bool any = r->record->stands != LG_REFINE_NONE;
        status = lg_sim_restore(r->run.session, any ? r->stand : r->start, reterr);
    }
    return status;
}

// --- the whole ------------------------------------------------------------------------------------

static lg_status check(const lg_refine_options *options, lg_error *reterr)
{
    if (!options->planner || !options->planner->next) {
        return lg_fail(reterr, LG_ERR_USAGE, "a task is refined with a planner: there is none");
    }
    if (lg_str_trim(options->task).len == 0) {
        return lg_fail(reterr, LG_ERR_USAGE, "there is no task: say what is to be done");
    }
    return LG_OK;
}

static lg_status prepare(refining *r, lg_error *reterr)
{
    const lg_refine_options *options = r->options;
    lg_status status = LG_OK;
    lg_refine_meter_init(&r->run.meter, options);
    r->run.since = lg_refine_calls_before(r->run.session, options);
    r->run.system = lg_refine_system_text(r->run.arena, options, false);
    r->run.tools = options->tools;
    if (!r->run.system.ptr) {
        return lg_fail_oom(reterr);
    }
    if (!options->tools) {
        status = lg_refine_tools(lg_sim_of(r->run.session), options->with_user_tools, r->run.arena,
                                 &r->run.tools, reterr);
    }
    if (status == LG_OK) {
        status = make_checklist(r, reterr);
    }
    if (status == LG_OK) {
        status = lg_sim_snapshot(r->run.session, &r->start, reterr);
    }
    if (status == LG_OK) {
        status = lg_sim_state_hash(r->run.session, r->start_hash, reterr);
    }
    return status;
}

lg_status lg_refine(lg_sim_session *session, const lg_refine_options *options, lg_arena *arena,
                    lg_refined *ret, lg_error *reterr)
{
    *ret = (lg_refined){.stands = LG_REFINE_NONE, .message = LG_STR("")};
    refining r = {
        .run = {.session = session, .options = options, .arena = arena},
        .options = options,
        .record = ret,
    };
    int64_t begun_ns = lg_refine_now(options);
    lg_status status = check(options, reterr);
    if (status == LG_OK) {
        status = prepare(&r, reterr);
    }
    if (status == LG_OK) {
        status = try_all(&r, reterr);
    }
    if (status != LG_OK && r.is_left) {
        // What went wrong first is what is told.
        if (lg_sim_restore(session, r.start, NULL) != LG_OK) {
            r.is_left = true;
        }
    }
    ret->costs.seconds = lg_refine_seconds_since(options, begun_ns);
    return status;
}
