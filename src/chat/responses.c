// responses.c: replies of OpenAI's Responses API.
//
//     {id, object: "response", status, output: [items], usage, error}
//
// Reasoning that has nothing behind it cannot be sent back: the API wants the item that it led to. So it goes with the last
// of the items between it and the next reasoning.
#include "chat/responses.h"

#include "chat/guard.h"

static const struct call_type {
    const char *type;
    const char *args;
} call_types[] = {
    {"function_call", "arguments"},
    {"custom_tool_call", "input"},
    {"computer_call", "action"},
    {"local_shell_call", "action"},
    {"shell_call", "action"},
    {"apply_patch_call", "operation"},
    {"mcp_approval_request", "arguments"},
};

static const struct call_type *call_type_of(const lg_json *item)
{
    for (size_t i = 0; i < LG_COUNT(call_types); i++) {
        if (lg_text_is(lg_get(item, "type"), call_types[i].type)) {
            return &call_types[i];
        }
    }
    return NULL;
}

lg_item_kind lg_item_kind_of(const lg_json *item)
{
    const lg_json *type = lg_get(item, "type");
    if (!lg_json_is(item, LG_JSON_OBJECT) || !type || !lg_trace_knows_item(item)) {
        return LG_ITEM_UNKNOWN;
    }
    if (call_type_of(item)) {
        return LG_ITEM_CALL;
    }
    if (lg_text_is(type, "reasoning")) {
        return LG_ITEM_REASONING;
    }
    bool said = lg_text_is(type, "message") || lg_text_is(type, "mcp_list_tools");
    return said ? LG_ITEM_SAID : LG_ITEM_ACTED;
}

const char *lg_item_args_key(const lg_json *item)
{
    const struct call_type *type = call_type_of(item);
    if (lg_text_is(lg_get(item, "type"), "computer_call") && !lg_given(lg_get(item, "action"))) {
        return "actions";
    }
    return type ? type->args : "";
}

bool lg_item_has_stray(const lg_json *item)
{
    static const char *const of_mcp[] = {"type", "arguments", NULL};
    const char *const of_call[] = {"type", lg_item_args_key(item), NULL};
    switch (lg_item_kind_of(item)) {
    case LG_ITEM_CALL:
        return lg_has_second_reading(item, of_call, lg_item_args_key(item));
    case LG_ITEM_ACTED:
        return lg_has_stray_member(item,
                                   lg_text_is(lg_get(item, "type"), "mcp_call") ? of_mcp : NULL);
    case LG_ITEM_SAID:
    case LG_ITEM_REASONING:
        return lg_has_stray_member(item, NULL);
    case LG_ITEM_UNKNOWN:
        break; // it goes as a whole, or is let pass as a whole
    }
    return false;
}

bool lg_response_has_stray(const lg_json *response)
{
    static const char *const of_response[] = {"output", NULL};
    const lg_json *output = lg_get(response, "output");
    bool stray = lg_has_stray_member(response, of_response);
    for (size_t i = 0; i < lg_list_len(output) && !stray; i++) {
        stray = lg_item_has_stray(lg_json_item(output, i));
    }
    return stray;
}

static const lg_json *id_of(const lg_json *item)
{
    const lg_json *id = lg_get(item, "call_id");
    return lg_given(id) ? id : lg_get(item, "id");
}

// --- Reading ------------------------------------------------------------------------------------

static void read_call(lg_reply_reader *reader, const lg_json *item, bool cut)
{
    lg_chat_call *call = lg_reader_call(reader, item, lg_json_str(lg_get(item, "type")));
    if (call) {
        lg_reader_id(reader, call, id_of(item));
        call->args = lg_chat_text_of(reader->reply->body, lg_get(item, lg_item_args_key(item)));
        call->cut = cut || lg_text_is(lg_get(item, "status"), "incomplete");
    }
}

static bool was_approved(const lg_json *item)
{
    return lg_text_is(lg_get(item, "type"), "mcp_call") &&
           lg_json_str(lg_get(item, "approval_request_id")).len > 0;
}

static void read_item(lg_reply_reader *reader, const lg_json *item, bool cut)
{
    lg_str type = lg_json_str(lg_get(item, "type"));
    switch (lg_item_kind_of(item)) {
    case LG_ITEM_CALL:
        read_call(reader, item, cut);
        break;
    case LG_ITEM_ACTED:
        lg_reader_seen(reader, was_approved(item) ? LG_CHAT_APPROVED : LG_CHAT_ACTED, type, item);
        break;
    case LG_ITEM_UNKNOWN:
        reader->unknown += !lg_trace_knows_item(item);
        lg_reader_seen(reader, LG_CHAT_UNKNOWN, type, item);
        break;
    case LG_ITEM_SAID:
    case LG_ITEM_REASONING:
        break;
    }
}

static lg_str refusal_of(const lg_json *output)
{
    for (size_t i = 0; i < lg_list_len(output); i++) {
        const lg_json *content = lg_get(lg_json_item(output, i), "content");
        for (size_t k = 0; k < lg_list_len(content); k++) {
            if (lg_text_is(lg_get(lg_json_item(content, k), "type"), "refusal")) {
                return lg_json_str(lg_get(lg_json_item(content, k), "refusal"));
            }
        }
    }
    return LG_STR("");
}

static void read_reply(lg_reply_reader *reader)
{
    lg_chat_reply *reply = reader->reply;
    const lg_json *output = lg_get(reply->root, "output");
    const lg_json *status = lg_get(reply->root, "status");
    if (lg_text_is(status, "failed") ||
        (lg_says_something(lg_get(reply->root, "error")) && !lg_given(output))) {
        reply->is_error = true;
        if (lg_says_something(output)) {
            lg_reader_fail(reader, LG_ERR_FORMAT, "a reply that failed has items all the same");
        }
        return;
    }
    if (!lg_json_is(output, LG_JSON_ARRAY)) {
        lg_reader_fail(reader, LG_ERR_FORMAT, "the reply has neither an `output` nor an `error`");
        return;
    }
    if (lg_response_has_stray(reply->root)) {
        lg_reader_fail(reader, LG_ERR_FORMAT, LG_STRAY_CALL);
        return;
    }
    lg_chat_choice *choice = lg_reader_choice(reader, LG_TRACE_RESPONSES, output);
    if (!choice) {
        return;
    }
    choice->finish = lg_json_str(status);
    choice->refusal = refusal_of(output);
    bool cut = lg_str_eq(choice->finish, LG_STR("incomplete"));
    if (lg_list_len(output) > reader->options.limits.items) {
        lg_reader_fail(reader, LG_ERR_LIMIT, "the reply has more than %u items",
                       reader->options.limits.items);
    }
    for (size_t i = 0; i < lg_list_len(output) && reader->status == LG_OK; i++) {
        read_item(reader, lg_json_item(output, i), cut);
    }
}

// --- Rewriting --------------------------------------------------------------------------------------

// Reasoning goes if all that it led to goes.
static void plan_reasoning(const lg_json *output, bool *gone)
{
    bool any_gone = false, any_left = false;
    for (size_t i = lg_list_len(output); i > 0; i--) {
        if (lg_item_kind_of(lg_json_item(output, i - 1)) != LG_ITEM_REASONING) {
            any_gone = any_gone || gone[i - 1];
            any_left = any_left || !gone[i - 1];
            continue;
        }
        gone[i - 1] = any_gone && !any_left;
        bool first = i == 1 || lg_item_kind_of(lg_json_item(output, i - 2)) != LG_ITEM_REASONING;
        if (first) { // of several thoughts in a row all go, or none
            any_gone = any_left = false;
        }
    }
}

bool lg_items_plan(const lg_chat_reply *reply, const lg_chat_ruling *ruling, bool drop_text,
                   bool *gone)
{
    const lg_json *output = lg_get(reply->root, "output");
    size_t call = 0;
    bool said = false;
    for (size_t i = 0; i < lg_list_len(output); i++) {
        const lg_json *item = lg_json_item(output, i);
        switch (lg_item_kind_of(item)) {
        case LG_ITEM_CALL:
            gone[i] = !lg_chat_is_allowed(reply, ruling, call++);
            said = said || !gone[i];
            break;
        case LG_ITEM_UNKNOWN:
            gone[i] = !reply->pass_unknown;
            break;
        case LG_ITEM_SAID:
            gone[i] = drop_text && lg_text_is(lg_get(item, "type"), "message");
            break;
        case LG_ITEM_REASONING:
        case LG_ITEM_ACTED:
            gone[i] = false;
            break;
        }
    }
    plan_reasoning(output, gone);
    return said || (reply->choices[0].text.len && !drop_text);
}

// Ids of items have at most 64 bytes.
lg_str lg_item_said_id(lg_arena *arena, lg_str response_id)
{
    bool failed = false;
    lg_str rest = lg_str_starts(response_id, LG_STR("resp_"))
                      ? lg_str_slice(response_id, 5, response_id.len)
                      : response_id;
    lg_str escaped = lg_chat_escaped(arena, lg_str_cut(rest, 50), &failed);
    return failed ? (lg_str){NULL, 0}
                  : lg_arena_printf(arena, "msg_ledgergate%.*s", LG_FMT(escaped));
}

lg_str lg_item_said(lg_arena *arena, lg_str id, lg_str text)
{
    bool failed = false;
    lg_str quoted = lg_chat_quoted(arena, text, &failed);
    lg_str item = lg_arena_printf(arena,
                                  "{\"id\":\"%.*s\",\"type\":\"message\",\"status\":"
                                  "\"completed\",\"role\":\"assistant\",\"content\":[{\"type\":"
                                  "\"output_text\",\"annotations\":[],\"text\":%.*s}]}",
                                  LG_FMT(id), LG_FMT(quoted));
    return failed || !id.ptr ? (lg_str){NULL, 0} : item;
}

void lg_response_edit(lg_edits *edits, const lg_json *response, const lg_chat_ruling *ruling,
                      const bool *gone, lg_str before, lg_str behind)
{
    const lg_json *output = lg_get(response, "output");
    size_t left = 0;
    if (lg_json_is(output, LG_JSON_ARRAY)) {
        for (size_t i = 0; i < lg_list_len(output); i++) {
            left += !gone[i];
        }
        if (before.len) {
            lg_str joined = left || behind.len ? before : lg_str_slice(before, 0, before.len - 1);
            lg_edits_replace(edits, output->offset + 1, output->offset + 1, joined);
        }
        lg_edits_remove(edits, output, gone);
        if (behind.len) {
            lg_edits_append(edits, output, left, behind);
        }
    }
    lg_edits_add_usage(edits, lg_get(response, "usage"), ruling);
}

static void rewrite(const lg_chat_reply *reply, const lg_chat_ruling *ruling, lg_edits *edits)
{
    size_t count = lg_list_len(lg_get(reply->root, "output"));
    bool *gone = LG_NEW_ARRAY(edits->arena, bool, count + 1);
    if (!gone) {
        edits->failed = true;
        return;
    }
    bool any = lg_items_plan(reply, ruling, lg_chat_drops_text(ruling, 0), gone);
    lg_str said = lg_chat_if_nothing(ruling, 0);
    lg_str behind = any || !said.len ? LG_STR("")
                                     : lg_item_said(edits->arena,
                                                    lg_item_said_id(edits->arena, reply->id), said);
    edits->failed = edits->failed || !behind.ptr;
    lg_response_edit(edits, reply->root, ruling, gone, LG_STR(""),
                     behind.ptr ? behind : LG_STR(""));
}

// --- Asking again -------------------------------------------------------------------------------------

// The result of a call, in the form that its kind has.
static void answer_call(const lg_chat_call *call, lg_str feedback, lg_json_writer *w)
{
    static const struct {
        const char *kind;
        const char *output;
        const char *id;
    } forms[] = {{"function_call", "function_call_output", "call_id"},
                 {"custom_tool_call", "custom_tool_call_output", "call_id"},
                 {"computer_call", NULL, NULL},
                 {"local_shell_call", "local_shell_call_output", "id"},
                 {"shell_call", NULL, NULL},
                 {"apply_patch_call", "apply_patch_call_output", "call_id"},
                 {"mcp_approval_request", NULL, NULL}};
    size_t form = 0;
    while (form + 1 < LG_COUNT(forms) && !lg_str_eq(call->kind, lg_str_c(forms[form].kind))) {
        form++;
    }
    lg_jw_begin_object(w);
    if (lg_str_eq(call->kind, LG_STR("mcp_approval_request"))) {
        lg_jw_member_str(w, "type", LG_STR("mcp_approval_response"));
        lg_jw_member_str(w, "approval_request_id", call->id);
        lg_jw_member_bool(w, "approve", false);
        lg_jw_member_str(w, "reason", feedback);
    } else if (lg_str_eq(call->kind, LG_STR("shell_call"))) {
        lg_jw_member_str(w, "type", LG_STR("shell_call_output"));
        lg_jw_member_str(w, "call_id", call->id);
        lg_jw_key(w, "output");
        lg_jw_begin_array(w);
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "stdout", LG_STR(""));
        lg_jw_member_str(w, "stderr", feedback);
        lg_jw_key(w, "outcome");
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "type", LG_STR("exit"));
        lg_jw_member_int(w, "exit_code", 1);
        lg_jw_end_object(w);
        lg_jw_end_object(w);
        lg_jw_end_array(w);
    } else {
        bool computer =
            !forms[form].output; // whose output is a picture: a text says what a function's would
        lg_jw_member_str(w, "type",
                         lg_str_c(computer ? "function_call_output" : forms[form].output));
        lg_jw_member_str(w, computer ? "call_id" : forms[form].id, call->id);
        if (lg_str_eq(call->kind, LG_STR("apply_patch_call"))) {
            lg_jw_member_str(w, "status", LG_STR("failed"));
        }
        lg_jw_member_str(w, "output", feedback);
    }
    lg_jw_end_object(w);
}

static lg_status ask_again(const lg_chat_reply *reply, size_t choice, const lg_str *feedback,
                           lg_buf *out)
{
    const lg_json *output = lg_get(reply->root, "output");
    lg_json_writer w = {.out = out};
    (void)choice; // there is one
    for (size_t i = 0; i < lg_list_len(output); i++) {
        lg_jw_raw(&w, lg_json_source(reply->body, lg_json_item(output, i)));
    }
    for (size_t i = 0; i < reply->call_count; i++) {
        answer_call(&reply->calls[i], feedback[i], &w);
    }
    if (reply->call_count == 0) {
        lg_jw_begin_object(&w);
        lg_jw_member_str(&w, "type", LG_STR("message"));
        lg_jw_member_str(&w, "role", LG_STR("user"));
        lg_jw_member_str(&w, "content", feedback[0]);
        lg_jw_end_object(&w);
    }
    return LG_OK;
}

const lg_chat_face lg_chat_responses = {
    .name = "responses",
    .format = LG_TRACE_RESPONSES,
    .read_reply = read_reply,
    .rewrite = rewrite,
    .ask_again = ask_again,
    .begin = lg_responses_begin,
    .event = lg_responses_event,
    .body = lg_responses_body,
    .mark = lg_responses_mark,
    .finish = lg_responses_finish,
};
