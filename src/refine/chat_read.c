// chat_read.c: a request of chat completions, read as a task and what was before it.
#include "refine/chat_internal.h"

static lg_status bad(lg_error *reterr, size_t index, const char *what)
{
    return lg_fail(reterr, LG_ERR_FORMAT, "messages[%zu]: %s", index, what);
}

// The text of a message: a string, or parts of which those of text count.
static lg_status read_text(lg_arena *arena, const lg_json *content, lg_str *ret, lg_error *reterr)
{
    lg_buf out;
    if (!lg_json_is(content, LG_JSON_ARRAY)) {
        *ret = lg_json_str(content);
        return LG_OK;
    }
    lg_buf_init(&out, 0);
    for (size_t i = 0; i < content->len; i++) {
        lg_buf_add(&out, lg_json_str(lg_json_get(lg_json_item(content, i), LG_STR("text"))));
    }
    *ret = lg_buf_keep(&out, arena);
    return ret->ptr ? LG_OK : lg_fail_oom(reterr);
}

static bool is_call(const lg_json *call)
{
    const lg_json *function = lg_json_get(call, LG_STR("function"));
    return lg_json_str(lg_json_get(call, LG_STR("id"))).len &&
           lg_json_str(lg_json_get(function, LG_STR("name"))).len &&
           lg_json_is(lg_json_get(function, LG_STR("arguments")), LG_JSON_STRING);
}

static lg_status read_calls(const lg_json *calls, size_t index, lg_error *reterr)
{
    if (!lg_json_is(calls, LG_JSON_ARRAY)) {
        return bad(reterr, index, "tool_calls is a list");
    }
    for (size_t i = 0; i < calls->len; i++) {
        if (!is_call(lg_json_item(calls, i))) {
            return bad(
                reterr, index,
                "a call has an `id` and a `function` with a `name` and, as text, its `arguments`");
        }
    }
    return LG_OK;
}

static lg_status read_message(lg_arena *arena, const lg_json *message, size_t index,
                              lg_llm_message *ret, lg_error *reterr)
{
    const lg_json *calls = lg_json_get(message, LG_STR("tool_calls"));
    lg_str role = lg_json_str(lg_json_get(message, LG_STR("role")));
    *ret = (lg_llm_message){.role = role};
    lg_status status =
        read_text(arena, lg_json_get(message, LG_STR("content")), &ret->text, reterr);
    if (status != LG_OK) {
        return status;
    }
    if (lg_str_eq(role, LG_STR("assistant"))) {
        if (!calls || lg_json_is(calls, LG_JSON_NULL)) {
            return LG_OK;
        }
        ret->calls = lg_json_len(calls) ? calls : NULL;
        return read_calls(calls, index, reterr);
    }
    if (lg_str_eq(role, LG_STR("tool"))) {
        ret->call_id = lg_json_str(lg_json_get(message, LG_STR("tool_call_id")));
        return ret->call_id.len ? LG_OK
                                : bad(reterr, index, "a tool's answer needs its `tool_call_id`");
    }
    bool is_known = lg_str_eq(role, LG_STR("user")) || lg_str_eq(role, LG_STR("system")) ||
                    lg_str_eq(role, LG_STR("developer"));
    return is_known
               ? LG_OK
               : bad(reterr, index, "its `role` is system, developer, user, assistant or tool");
}

static bool is_role(const lg_llm_message *message, const char *role)
{
    return lg_str_eq(message->role, lg_str_c(role));
}

// Messages of the system become rules, the others the conversation.
static lg_status sort(lg_arena *arena, const lg_json *list, lg_refine_chat_request *ret,
                      lg_error *reterr)
{
    lg_buf rules;
    lg_status status = LG_OK;
    lg_llm_message *items = LG_NEW_ARRAY(arena, lg_llm_message, list->len + 1);
    if (!items) {
        return lg_fail_oom(reterr);
    }
    ret->messages = items;
    lg_buf_init(&rules, 0);
    for (size_t i = 0; i < list->len && status == LG_OK; i++) {
        lg_llm_message message;
        status = read_message(arena, lg_json_item(list, i), i, &message, reterr);
        if (status == LG_OK && (is_role(&message, "system") || is_role(&message, "developer"))) {
            lg_buf_add_c(&rules, rules.len ? "\n\n" : "");
            lg_buf_add(&rules, message.text);
        } else if (status == LG_OK) {
            items[ret->message_count++] = message;
        }
    }
    ret->rules = lg_buf_keep(&rules, arena);
    return status != LG_OK || ret->rules.ptr ? status : lg_fail_oom(reterr);
}

static lg_status find_task(lg_arena *arena, lg_refine_chat_request *ret, lg_error *reterr)
{
    lg_str *before = LG_NEW_ARRAY(arena, lg_str, ret->message_count + 1);
    size_t users = 0;
    if (!before) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < ret->message_count; i++) {
        if (is_role(&ret->messages[i], "user")) {
            ret->task = before[users++] = ret->messages[i].text;
            ret->task_at = i;
        }
    }
    if (users == 0 || lg_str_trim(ret->task).len == 0) {
        return lg_fail(reterr, LG_ERR_FORMAT,
                       "the last user message is the task: there is none, or it has no text");
    }
    ret->tasks_before = before;
    ret->before_count = users - 1;
    return LG_OK;
}

static lg_status read_tools(const lg_json *body, lg_refine_chat_request *ret, lg_error *reterr)
{
    const lg_json *tools = lg_json_get(body, LG_STR("tools"));
    if (!tools || lg_json_is(tools, LG_JSON_NULL)) {
        return LG_OK;
    }
    if (!lg_json_is(tools, LG_JSON_ARRAY)) {
        return lg_fail(reterr, LG_ERR_FORMAT, "`tools` is a list");
    }
    for (size_t i = 0; i < tools->len; i++) {
        const lg_json *function = lg_json_get(lg_json_item(tools, i), LG_STR("function"));
        if (lg_json_str(lg_json_get(function, LG_STR("name"))).len == 0) {
            return lg_fail(reterr, LG_ERR_FORMAT,
                           "tools[%zu]: only functions, with a name, can be called", i);
        }
    }
    ret->tools = tools->len ? tools : NULL;
    return LG_OK;
}

lg_status lg_refine_chat_read(lg_arena *arena, lg_str body, const lg_limits *limits,
                              lg_refine_chat_request *ret, lg_error *reterr)
{
    *ret = (lg_refine_chat_request){0};
    lg_status status = lg_json_parse_in(arena, body, 0, body.len, limits, &ret->body, reterr);
    if (status != LG_OK) {
        return status;
    }
    const lg_json *list = lg_json_get(ret->body, LG_STR("messages"));
    if (!lg_json_is(list, LG_JSON_ARRAY)) {
        return lg_fail(reterr, LG_ERR_FORMAT, "a request is an object with a list of `messages`");
    }
    const lg_json *stream = lg_json_get(ret->body, LG_STR("stream_options"));
    const lg_json *together = lg_json_get(ret->body, LG_STR("parallel_tool_calls"));
    ret->model = lg_json_str(lg_json_get(ret->body, LG_STR("model")));
    ret->is_streamed = lg_json_is_true(lg_json_get(ret->body, LG_STR("stream")));
    ret->wants_usage = lg_json_is_true(lg_json_get(stream, LG_STR("include_usage")));
    ret->is_one_by_one = lg_json_is(together, LG_JSON_BOOL) && !together->as.boolean;
    status = sort(arena, list, ret, reterr);
    if (status == LG_OK) {
        status = find_task(arena, ret, reterr);
    }
    return status == LG_OK ? read_tools(ret->body, ret, reterr) : status;
}

// --- what is ours ---------------------------------------------------------------------------------

lg_status lg_refine_chat_checklist(lg_arena *arena, lg_refine_chat_request *request,
                                   lg_error *reterr)
{
    static const char *const known[] = {"checklist", "actions", "communicate_info", "state"};
    const lg_json *ours = lg_json_get(request->body, LG_STR("ledgergate"));
    lg_errors errors;
    if (!ours || lg_json_is(ours, LG_JSON_NULL)) {
        return LG_OK;
    }
    if (!lg_json_is(ours, LG_JSON_OBJECT)) {
        return lg_fail(reterr, LG_ERR_FORMAT, "`ledgergate` is an object with a `checklist`");
    }
    for (size_t i = 0; i < lg_json_len(ours); i++) {
        lg_str key = lg_json_key(lg_json_member_at(ours, i));
        bool is_known = false;
        for (size_t k = 0; k < LG_COUNT(known); k++) {
            is_known = is_known || lg_str_eq(key, lg_str_c(known[k]));
        }
        if (!is_known) {
            return lg_fail(reterr, LG_ERR_FORMAT,
                           "`ledgergate` has no member `%.*s`, but checklist, actions, "
                           "communicate_info and state",
                           LG_FMT(lg_str_cut(key, 60)));
        }
    }
    lg_errors_init(&errors, arena, 1);
    if (lg_checklist_read(arena, ours, &request->checklist, &errors) == LG_OK) {
        return LG_OK;
    }
    return errors.count ? lg_fail(reterr, LG_ERR_FORMAT, "`ledgergate`: %s", errors.items[0].msg)
                        : lg_fail_oom(reterr);
}

// --- what was called already ----------------------------------------------------------------------

// The answer to a call is among the messages right behind those of the assistant.
static const lg_llm_message *answer_to(const lg_refine_chat_request *request, size_t from,
                                       lg_str id)
{
    for (size_t i = from; i < request->message_count && is_role(&request->messages[i], "tool");
         i++) {
        if (lg_str_eq(request->messages[i].call_id, id)) {
            return &request->messages[i];
        }
    }
    return NULL;
}

static bool recorded_call(lg_arena *arena, const lg_json *call, lg_str answer,
                          const lg_limits *limits, lg_json *ret)
{
    const lg_json *function = lg_json_get(call, LG_STR("function"));
    lg_str text = lg_json_str(lg_json_get(function, LG_STR("arguments")));
    const lg_json *args = NULL, *result = NULL;
    lg_json_member *members = lg_json_alloc_members(arena, 4);
    if (!members) {
        return false;
    }
    bool is_json = lg_json_parse_in(arena, text, 0, text.len, limits, &args, NULL) == LG_OK;
    bool has_json = lg_json_parse_in(arena, answer, 0, answer.len, limits, &result, NULL) == LG_OK;
    // An answer of chat completions does not say whether it is an error, but for its words.
    bool is_error = lg_str_starts(answer, LG_STR("Error"));
    members[0] = lg_json_make_member(LG_STR("name"), *lg_json_get(function, LG_STR("name")));
    members[1] = lg_json_make_member(LG_STR("arguments"), is_json ? *args : lg_json_make_null());
    members[2] =
        lg_json_make_member(LG_STR("result"), has_json ? *result : lg_json_make_str(answer));
    members[3] = lg_json_make_member(LG_STR("error"), lg_json_make_bool(is_error));
    *ret = lg_json_make_object(members, 4);
    return true;
}

static size_t count_calls(const lg_refine_chat_request *request)
{
    size_t count = 0;
    for (size_t i = 0; i < request->message_count; i++) {
        count += lg_json_len(request->messages[i].calls);
    }
    return count;
}

lg_status lg_refine_chat_recorded(lg_arena *arena, const lg_refine_chat_request *request,
                                  const lg_limits *limits, const lg_json **ret, lg_error *reterr)
{
    size_t count = 0;
    lg_json *items = LG_NEW_ARRAY(arena, lg_json, count_calls(request) + 1);
    lg_json *list = LG_NEW(arena, lg_json);
    if (!items || !list) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < request->message_count; i++) {
        const lg_json *calls = request->messages[i].calls;
        for (size_t c = 0; c < lg_json_len(calls); c++) {
            const lg_json *call = lg_json_item(calls, c);
            lg_str id = lg_json_str(lg_json_get(call, LG_STR("id")));
            const lg_llm_message *answer = answer_to(request, i + 1, id);
            if (!answer) {
                return lg_fail(reterr, LG_ERR_FORMAT,
                               "the call `%.*s` has no answer: a message of role tool behind it",
                               LG_FMT(lg_str_cut(id, 64)));
            }
            if (!recorded_call(arena, call, answer->text, limits, &items[count++])) {
                return lg_fail_oom(reterr);
            }
        }
    }
    *list = lg_json_make_array(items, count);
    *ret = list;
    return LG_OK;
}
