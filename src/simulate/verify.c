// verify.c: entries of a data set: calls are carried out, and the end is judged.
#include "simulate/verify.h"

#include "json/tree.h"

typedef struct verifying {
    const lg_sim *sim;
    const lg_json *entry;
    const lg_sim_models *models;
    lg_llm *judge; // or NULL
    lg_arena *arena;
    lg_errors *errors;
    lg_sim_session *session;
    lg_checklist checklist;
    lg_sim_verified *ret;
} verifying;

static const lg_json *get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

static lg_status fail(verifying *v, const lg_error *error)
{
    lg_errors_add(v->errors, error);
    return error->status;
}

LG_PRINTF(3, 4)
static lg_status wrong(verifying *v, lg_status status, const char *format, ...)
{
    lg_error error;
    va_list args;
    va_start(args, format);
    status = lg_vfail_at(&error, status, (lg_position){NULL, 0, 0}, format, args);
    va_end(args);
    lg_errors_add(v->errors, &error);
    return status;
}

// --- The session --------------------------------------------------------------------------------

static lg_status read_id(verifying *v)
{
    const lg_json *id = get(v->entry, "id") ? get(v->entry, "id") : get(v->entry, "task_id");
    v->ret->id = lg_json_is(id, LG_JSON_INT)
                     ? lg_arena_printf(v->arena, "%lld", (long long)id->as.i64)
                     : lg_arena_str(v->arena, lg_json_str(id));
    return v->ret->id.ptr ? LG_OK : wrong(v, LG_ERR_OOM, "out of memory");
}

static lg_status begin(verifying *v, uint64_t seed)
{
    lg_error error = {0};
    const lg_json *state = get(v->entry, "state");
    lg_world_file file = {.value = state, .name = "state"};
    bool has_own = lg_sim_has_state(v->sim, v->ret->id);
    lg_sim_begin begin = {.state = lg_json_is(state, LG_JSON_OBJECT) ? &file : NULL,
                          .task = has_own ? v->ret->id : LG_STR(""),
                          .seed = seed};
    if (state && !begin.state && !lg_json_is(state, LG_JSON_NULL)) {
        return wrong(v, LG_ERR_TYPE, "/state: the first state is an object");
    }
    lg_status status = lg_sim_session_new(v->sim, &begin, &v->session, &error);
    return status == LG_OK ? LG_OK : fail(v, &error);
}

// --- Calls --------------------------------------------------------------------------------------

// Arguments are an object, or a text that holds one, as models write them.
static lg_status read_arguments(verifying *v, const lg_json *call, lg_sim_call *ret)
{
    const lg_json *args = get(call, "arguments");
    if (!args || lg_json_is(args, LG_JSON_NULL)) {
        lg_json *none = LG_NEW(v->arena, lg_json);
        if (!none) {
            return wrong(v, LG_ERR_OOM, "out of memory");
        }
        *none = lg_json_make_object(NULL, 0);
        ret->args = none;
        return LG_OK;
    }
    ret->args = args;
    if (lg_json_is(args, LG_JSON_STRING)) {
        lg_error error;
        ret->args_text = lg_json_str(args);
        ret->args = NULL;
        lg_status status = lg_json_parse_in(v->arena, ret->args_text, 0, ret->args_text.len, NULL,
                                            &ret->args, &error);
        return status == LG_ERR_OOM ? fail(v, &error) : LG_OK;
    }
    return LG_OK;
}

static lg_status count_call(verifying *v, const lg_sim_answer *answer)
{
    lg_sim_verified *ret = v->ret;
    bool invalid = answer->end == LG_SIM_BAD_ARGUMENTS || answer->end == LG_SIM_UNKNOWN_TOOL;
    ret->calls++;
    ret->failed += !invalid && lg_sim_is_error(answer);
    ret->invalid += invalid;
    if (invalid && ret->first_invalid.len == 0) {
        ret->first_invalid = lg_arena_printf(v->arena, "call %zu: %.*s", ret->calls,
                                             LG_FMT(lg_str_cut(answer->error, 500)));
    }
    return ret->first_invalid.ptr ? LG_OK : wrong(v, LG_ERR_OOM, "out of memory");
}

static lg_status make_call(verifying *v, size_t index, const lg_json *from)
{
    lg_error error = {0};
    lg_sim_answer answer;
    lg_str requestor = lg_json_str(get(from, "requestor"));
    lg_sim_call call = {.tool = lg_json_str(get(from, "name")),
                        .by_user = lg_str_eq(requestor, LG_STR("user"))};
    if (call.tool.len == 0) {
        return wrong(v, LG_ERR_TYPE,
                     "/calls/%zu: a call is an object with `name`, `arguments` and perhaps "
                     "`requestor`",
                     index);
    }
    lg_status status = read_arguments(v, from, &call);
    if (status != LG_OK) {
        return status;
    }
    status = lg_sim_call_tool(v->session, &call, v->models, &answer, &error);
    return status == LG_OK ? count_call(v, &answer) : fail(v, &error);
}

static lg_status make_calls(verifying *v)
{
    const lg_json *calls = get(v->entry, "calls");
    if (!lg_json_is(calls, LG_JSON_ARRAY)) {
        return wrong(v, LG_ERR_TYPE, "/calls: a list of calls is expected");
    }
    if (lg_json_len(calls) > LG_SIM_VERIFY_CALLS_MAX) {
        return wrong(v, LG_ERR_LIMIT, "/calls: an entry has at most %u calls; this has %zu",
                     LG_SIM_VERIFY_CALLS_MAX, lg_json_len(calls));
    }
    lg_status status = LG_OK;
    for (size_t i = 0; i < lg_json_len(calls) && status == LG_OK; i++) {
        status = make_call(v, i, lg_json_item(calls, i));
    }
    return status;
}

// --- Judging --------------------------------------------------------------------------------------

static lg_status read_checklist(verifying *v)
{
    const lg_json *own = get(v->entry, "checklist");
    lg_json rest;
    if (lg_json_is(own, LG_JSON_OBJECT)) {
        return lg_checklist_read(v->arena, own, &v->checklist, v->errors);
    }
    lg_status status = lg_tree_without_member(v->arena, v->entry, LG_STR("state"), &rest);
    return status == LG_OK ? lg_checklist_read(v->arena, &rest, &v->checklist, v->errors)
                           : wrong(v, status, "out of memory");
}

static lg_status make_checklist(verifying *v, lg_str task)
{
    lg_error error = {0};
    lg_status status = LG_OK;
    for (int round = 0; round < 2 && status == LG_OK && v->checklist.count == 0; round++) {
        v->ret->tried_again = round > 0;
        status = lg_checklist_make(v->arena, v->sim, task, NULL, 0, v->judge, &v->checklist,
                                   &v->ret->why, &error);
    }
    v->ret->by_model = v->checklist.count > 0;
    return status == LG_OK ? LG_OK : fail(v, &error);
}

// Is something unknown that the model might say if it were asked again?
static bool is_left_open(const verifying *v)
{
    bool open = false;
    for (size_t i = 0; i < v->ret->judgement.count; i++) {
        const lg_checked_item *item = &v->ret->judgement.items[i];
        bool in_words = v->checklist.items[i].kind == LG_CHECK_IN_WORDS || v->checklist.by_model;
        open = open || (item->by == LG_CHECK_BY_NOBODY && in_words);
    }
    return open && v->judge;
}

static lg_status judge(verifying *v)
{
    lg_error error = {0};
    lg_str task = lg_json_str(get(v->entry, "task"));
    lg_sim_done done = {.task = task, .response = lg_json_str(get(v->entry, "response"))};
    lg_status status = read_checklist(v);
    if (status == LG_OK && v->checklist.count == 0) {
        v->ret->why = v->judge ? LG_STR("the entry has neither a checklist nor a task")
                               : LG_STR("the entry has no checklist, and no model to make one");
        status = v->judge && task.len ? make_checklist(v, task) : LG_OK;
    }
    for (int round = 0; round < 2 && status == LG_OK; round++) {
        status = lg_sim_judge(v->session, &v->checklist, &done, v->judge, v->arena,
                              &v->ret->judgement, &error);
        if (status != LG_OK) {
            return fail(v, &error);
        }
        if (v->ret->judgement.status != LG_CHECK_UNKNOWN || !is_left_open(v)) {
            break;
        }
        v->ret->tried_again = v->ret->tried_again || round == 0;
    }
    return status;
}

// A member that nobody reads is a mistake: what it was to ask for would be left out without a word.
static lg_status check_members(verifying *v)
{
    static const char *const known[] = {"id",
                                        "task_id",
                                        "task",
                                        "calls",
                                        "response",
                                        "state",
                                        "checklist",
                                        "actions",
                                        "communicate_info",
                                        "nl_assertions",
                                        "evaluation_criteria",
                                        "seed"};
    for (size_t i = 0; i < lg_json_len(v->entry); i++) {
        lg_str key = lg_json_key(lg_json_member_at(v->entry, i));
        bool is_known = lg_str_starts(key, LG_STR("x-")) || lg_str_starts(key, LG_STR("_"));
        for (size_t k = 0; k < LG_COUNT(known) && !is_known; k++) {
            is_known = lg_str_eq(key, lg_str_c(known[k]));
        }
        if (!is_known) {
            return wrong(
                v, LG_ERR_NAME,
                "/%.*s: an entry has no such member (but id, task, calls, response, state, "
                "checklist, actions, communicate_info, nl_assertions; x-... is free)",
                LG_FMT(lg_str_cut(key, 60)));
        }
    }
    return LG_OK;
}

lg_status lg_sim_verify_entry(const lg_sim *sim, const lg_json *entry, uint64_t seed,
                              const lg_sim_models *models, lg_arena *arena, lg_sim_verified *ret,
                              lg_errors *errors)
{
    verifying v = {.sim = sim,
                   .entry = entry,
                   .models = models,
                   .judge = models ? models->judge : NULL,
                   .arena = arena,
                   .errors = errors,
                   .ret = ret};
    *ret = (lg_sim_verified){.id = LG_STR(""), .first_invalid = LG_STR(""), .why = LG_STR("")};
    if (!lg_json_is(entry, LG_JSON_OBJECT)) {
        return wrong(&v, LG_ERR_TYPE, "an entry is an object with `calls` and what they are for");
    }
    lg_status status = check_members(&v);
    status = status == LG_OK ? read_id(&v) : status;
    status = status == LG_OK ? begin(&v, seed) : status;
    status = status == LG_OK ? make_calls(&v) : status;
    status = status == LG_OK ? judge(&v) : status;
    lg_sim_session_free(v.session);
    return status;
}

void lg_sim_verified_write(lg_json_writer *w, const lg_sim_verified *verified)
{
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "id", verified->id);
    lg_sim_judgement_write(w, &verified->judgement);
    lg_jw_member_bool(w, "tried_again", verified->tried_again);
    lg_jw_member_bool(w, "checklist_by_model", verified->by_model);
    lg_jw_member_str_if(w, "why", verified->why);
    lg_jw_member_uint(w, "calls", verified->calls);
    lg_jw_member_uint(w, "invalid", verified->invalid);
    lg_jw_member_uint(w, "failed", verified->failed);
    lg_jw_member_str_if(w, "first_invalid", verified->first_invalid);
    lg_jw_end_object(w);
}
