// chat.c: refined calls for whoever speaks chat completions.
#include "refine/chat_internal.h"

// A simulator of the request's own, by its tools' schemas alone.
typedef struct own {
    lg_sim *sim;
    lg_buf text;
    const lg_catalogue *tools;
} own;

typedef struct chat {
    const lg_refine_chat_options *options;
    lg_refine_chat_request request;
    lg_arena arena;
    const lg_sim *sim;
    const lg_json *recorded;
    lg_sim_session *session;
    own own;
} chat;

static void refuse(lg_buf *out, lg_refine_chat_reply *ret, unsigned status, const char *code,
                   const char *message)
{
    lg_json_writer w = {.out = out};
    ret->status = status;
    ret->type = "application/json";
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "error");
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "code", code);
    lg_jw_member_c(&w, "message", message);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
}

// --- which tools ----------------------------------------------------------------------------------

static bool has_user_tool(const chat *c, lg_str name)
{
    return c->options->refine.with_user_tools && lg_sim_tool_named(c->options->sim, name, true);
}

// The first tool of the request that the simulator has not; empty: it has them all.
static lg_str find_unknown(const chat *c)
{
    for (size_t i = 0; i < lg_json_len(c->request.tools); i++) {
        const lg_json *function =
            lg_json_get(lg_json_item(c->request.tools, i), LG_STR("function"));
        lg_str name = lg_json_str(lg_json_get(function, LG_STR("name")));
        if (!lg_sim_tool_named(c->options->sim, name, false) && !has_user_tool(c, name)) {
            return name;
        }
    }
    return LG_STR("");
}

static lg_status make_own_sim(chat *c, lg_error *reterr)
{
    lg_errors errors;
    lg_sim_options options = {.limits = c->options->refine.limits};
    lg_buf_init(&c->own.text, 0);
    lg_json_print(&c->own.text, c->request.tools);
    lg_status status = lg_buf_status(&c->own.text);
    if (status != LG_OK) {
        return lg_fail_oom(reterr);
    }
    status = lg_catalogue_read(&c->arena, lg_buf_str(&c->own.text), NULL, &c->own.tools, reterr);
    if (status != LG_OK) {
        return status;
    }
    lg_errors_init(&errors, &c->arena, 1);
    options.catalogue = c->own.tools;
    status = lg_sim_new(&options, &c->own.sim, &errors);
    if (status != LG_OK) {
        return errors.count ? lg_fail(reterr, status, "%s", errors.items[0].msg)
                            : lg_fail_oom(reterr);
    }
    c->sim = c->own.sim;
    // What the real tools have returned so far is known, and is not to be made up anew.
    return lg_json_len(c->recorded) ? lg_sim_add_recorded(c->own.sim, c->recorded, reterr) : LG_OK;
}

// --- where it begins ------------------------------------------------------------------------------

// Makes the calls of the conversation again. What they answer is of no interest here: the planner reads what they did.
static lg_status replay(chat *c, lg_error *reterr)
{
    lg_status status = LG_OK;
    for (size_t i = 0; status == LG_OK && i < lg_json_len(c->recorded); i++) {
        const lg_json *made = lg_json_item(c->recorded, i);
        const lg_json *args = lg_json_get(made, LG_STR("arguments"));
        lg_str name = lg_json_str(lg_json_get(made, LG_STR("name")));
        lg_sim_answer answer;
        lg_sim_call call = {
            .tool = name,
            .args = lg_json_is(args, LG_JSON_OBJECT) ? args : NULL,
            .by_user = !lg_sim_tool_named(c->sim, name, false) && has_user_tool(c, name),
        };
        status = lg_sim_call_tool(c->session, &call, NULL, &answer, reterr);
    }
    return status;
}

static lg_status begin(chat *c, lg_error *reterr)
{
    if (c->options->session && !c->own.sim) {
        return lg_sim_fork(c->options->session, &c->session, reterr);
    }
    lg_sim_begin plain = {.seed = c->options->begin ? c->options->begin->seed : 0};
    lg_status status =
        lg_sim_session_new(c->sim, c->own.sim ? &plain : c->options->begin, &c->session, reterr);
    return status == LG_OK ? replay(c, reterr) : status;
}

// --- the answer -----------------------------------------------------------------------------------

static lg_status refine(chat *c, lg_refined *record, lg_error *reterr)
{
    lg_refine_options options = c->options->refine;
    const lg_refine_chat_request *request = &c->request;
    options.task = request->task;
    options.tasks_before = request->tasks_before;
    options.before_count = request->before_count;
    options.history = request->messages;
    options.history_count = request->task_at;
    options.begun = request->messages + request->task_at + 1;
    options.begun_count = request->message_count - request->task_at - 1;
    options.tools = request->tools;
    options.checklist = request->checklist.count ? &request->checklist : options.checklist;
    bool has_judge = options.checklist || (options.models && options.models->judge);
    options.retries = has_judge ? options.retries : 0; // no attempt could be better than the first
    if (options.rules.len && request->rules.len) {
        options.rules = lg_arena_printf(&c->arena, "%.*s\n\n%.*s", LG_FMT(options.rules),
                                        LG_FMT(request->rules));
        if (!options.rules.ptr) {
            return lg_fail_oom(reterr);
        }
    } else if (request->rules.len) {
        options.rules = request->rules;
    }
    return lg_refine(c->session, &options, &c->arena, record, reterr);
}

static void answer(chat *c, const lg_refined *record, lg_buf *out, lg_refine_chat_reply *ret)
{
    if (record->stands != LG_REFINE_NONE) {
        ret->status = 200;
        ret->type = c->request.is_streamed ? "text/event-stream" : "application/json";
        lg_refine_chat_answer(out, &c->request, record, c->options->created);
        return;
    }
    lg_str message =
        lg_arena_printf(&c->arena, "no attempt came to its end: %.*s", LG_FMT(record->message));
    const char *said = message.ptr ? message.ptr : "no attempt came to its end";
    switch (record->why) {
    case LG_REFINE_BUDGET_SPENT:
        refuse(out, ret, 429, "budget", said);
        return;
    case LG_REFINE_MEMORY_SPENT:
        refuse(out, ret, 503, "memory", said);
        return;
    case LG_REFINE_SUCCESS:
    case LG_REFINE_RETRIES_SPENT:
    case LG_REFINE_PLANNER_FAILED:
        refuse(out, ret, 502, "planner", said);
        return;
    }
}

static bool is_of_request(lg_status status)
{
    return status == LG_ERR_FORMAT || status == LG_ERR_PARSE || status == LG_ERR_LIMIT;
}

// What can be wrong with a request. `*ret_is_refused`: it was, and is answered.
static lg_status read(chat *c, lg_str body, lg_buf *out, lg_refine_chat_reply *ret,
                      bool *ret_is_refused, lg_error *reterr)
{
    lg_error wrong = {0};
    const lg_limits *limits = c->options->refine.limits;
    lg_status status = lg_refine_chat_read(&c->arena, body, limits, &c->request, &wrong);
    if (status == LG_OK) {
        status = lg_refine_chat_checklist(&c->arena, &c->request, &wrong);
    }
    if (status == LG_OK) {
        status = lg_refine_chat_recorded(&c->arena, &c->request, limits, &c->recorded, &wrong);
    }
    lg_str unknown = status == LG_OK ? find_unknown(c) : LG_STR("");
    if (unknown.len && !c->options->allows_other_tools) {
        status = lg_fail(&wrong, LG_ERR_FORMAT, "there is no tool `%.*s` to rehearse with",
                         LG_FMT(lg_str_cut(unknown, 128)));
    } else if (unknown.len) {
        status = make_own_sim(c, &wrong);
    }
    *ret_is_refused = is_of_request(status);
    if (*ret_is_refused) {
        refuse(out, ret, 400, "request", wrong.msg);
        return LG_OK;
    }
    if (status != LG_OK && reterr) {
        *reterr = wrong;
    }
    return status;
}

lg_status lg_refine_chat(const lg_refine_chat_options *options, lg_str body, lg_buf *out,
                         lg_refine_chat_reply *ret, lg_error *reterr)
{
    chat c = {.options = options, .sim = options->sim};
    lg_refined record;
    bool is_refused = false;
    *ret = (lg_refine_chat_reply){0};
    lg_arena_init(&c.arena, 0);
    lg_status status = read(&c, body, out, ret, &is_refused, reterr);
    if (status == LG_OK && !is_refused) {
        status = begin(&c, reterr);
        if (status == LG_OK) {
            status = refine(&c, &record, reterr);
        }
        if (status == LG_OK) {
            answer(&c, &record, out, ret);
        }
    }
    if (status == LG_OK && lg_buf_status(out) != LG_OK) {
        status = lg_fail_oom(reterr);
    }
    lg_sim_session_free(c.session);
    lg_sim_free(c.own.sim);
    if (c.own.tools || c.own.text.ptr) {
        lg_buf_done(&c.own.text);
    }
    lg_arena_done(&c.arena);
    return status;
}
