// messages.c: replies of Anthropic's Messages API.
//
//     {type: "message", role, content: [blocks], stop_reason, usage}, or {type: "error", error}
//
// The reply is a message as it is, and its blocks are parts of it. Reasoning is never touched: it is signed.
#include "chat/messages.h"

#include "chat/guard.h"

lg_block_kind lg_block_kind_of(const lg_json *block)
{
    const lg_json *type = lg_get(block, "type");
    if (!lg_json_is(block, LG_JSON_OBJECT) || !lg_trace_knows_part(block)) {
        return LG_BLOCK_UNKNOWN;
    }
    if (lg_text_is(type, "tool_use")) {
        return LG_BLOCK_CALL;
    }
    bool acted = lg_text_is(type, "server_tool_use") || lg_text_is(type, "mcp_tool_use");
    return acted ? LG_BLOCK_ACTED : LG_BLOCK_SAID;
}

bool lg_block_has_stray(const lg_json *block)
{
    static const char *const of_call[] = {"type", "input", NULL};
    switch (lg_block_kind_of(block)) {
    case LG_BLOCK_CALL:
    case LG_BLOCK_ACTED:
        return lg_has_second_reading(block, of_call, "input");
    case LG_BLOCK_SAID:
        return lg_has_stray_member(block, NULL);
    case LG_BLOCK_UNKNOWN:
        break; // it goes as a whole, or is let pass as a whole
    }
    return false;
}

bool lg_message_has_stray(const lg_json *message)
{
    static const char *const of_message[] = {"content", NULL};
    const lg_json *content = lg_get(message, "content");
    bool stray = lg_has_stray_member(message, of_message);
    for (size_t i = 0; i < lg_list_len(content) && !stray; i++) {
        stray = lg_block_has_stray(lg_json_item(content, i));
    }
    return stray;
}

bool lg_block_goes(const lg_json *block, bool pass_unknown, bool drop_text)
{
    return lg_block_kind_of(block) == LG_BLOCK_UNKNOWN
               ? !pass_unknown
               : drop_text && lg_text_is(lg_get(block, "type"), "text");
}

bool lg_is_end_for_tools(const lg_chat_reply *reply, const lg_chat_ruling *ruling,
                         const lg_json *stop_reason)
{
    return lg_text_is(stop_reason, "tool_use") && reply->call_count &&
           lg_chat_calls_left(reply, ruling, 0) == 0;
}

// --- Reading ------------------------------------------------------------------------------------

static void read_call(lg_reply_reader *reader, const lg_json *block, bool cut)
{
    lg_chat_call *call = lg_reader_call(reader, block, LG_STR("tool_use"));
    if (call) {
        lg_reader_id(reader, call, lg_get(block, "id"));
        call->args = lg_chat_text_of(reader->reply->body, lg_get(block, "input"));
        call->cut = cut;
    }
}

static void read_block(lg_reply_reader *reader, const lg_json *block, bool cut)
{
    lg_str type = lg_json_str(lg_get(block, "type"));
    switch (lg_block_kind_of(block)) {
    case LG_BLOCK_CALL:
        read_call(reader, block, cut);
        break;
    case LG_BLOCK_ACTED:
        lg_reader_seen(reader, LG_CHAT_ACTED, type, block);
        break;
    case LG_BLOCK_UNKNOWN:
        reader->unknown += !lg_trace_knows_part(block);
        lg_reader_seen(reader, LG_CHAT_UNKNOWN, type, block);
        break;
    case LG_BLOCK_SAID:
        break;
    }
}

static void read_reply(lg_reply_reader *reader)
{
    lg_chat_reply *reply = reader->reply;
    const lg_json *content = lg_get(reply->root, "content");
    const lg_json *role = lg_get(reply->root, "role");
    if (lg_text_is(lg_get(reply->root, "type"), "error") ||
        lg_says_something(lg_get(reply->root, "error"))) {
        reply->is_error = !lg_given(content);
    }
    if (reply->is_error) {
        return;
    }
    if (!lg_json_is(content, LG_JSON_ARRAY) || !lg_text_is(role, "assistant")) {
        lg_reader_fail(reader, LG_ERR_FORMAT, "the reply is no message of the assistant");
        return;
    }
    if (lg_message_has_stray(reply->root)) {
        lg_reader_fail(reader, LG_ERR_FORMAT, LG_STRAY_CALL);
        return;
    }
    lg_json *list = LG_NEW(reader->arena, lg_json);
    if (!list) {
        lg_reader_fail(reader, LG_ERR_OOM, "%s", lg_status_text(LG_ERR_OOM));
        return;
    }
    *list = lg_json_make_array(reply->root, 1);
    list->offset = 0;
    lg_chat_choice *choice = lg_reader_choice(reader, LG_TRACE_OPENAI, list);
    if (!choice) {
        return;
    }
    choice->finish = lg_json_str(lg_get(reply->root, "stop_reason"));
    bool refused = lg_str_eq(choice->finish, LG_STR("refusal"));
    choice->refusal = refused ? choice->text : LG_STR("");
    bool cut = refused || lg_str_eq(choice->finish, LG_STR("max_tokens")) ||
               lg_str_eq(choice->finish, LG_STR("model_context_window_exceeded"));
    for (size_t i = 0; i < lg_list_len(content) && reader->status == LG_OK; i++) {
        read_block(reader, lg_json_item(content, i), cut);
    }
}

// --- Rewriting --------------------------------------------------------------------------------------

static void rewrite(const lg_chat_reply *reply, const lg_chat_ruling *ruling, lg_edits *edits)
{
    const lg_json *content = lg_get(reply->root, "content");
    const lg_json *stop_reason = lg_get(reply->root, "stop_reason");
    size_t count = lg_list_len(content);
    bool *gone = LG_NEW_ARRAY(edits->arena, bool, count + 1);
    bool dropped = lg_chat_drops_text(ruling, 0);
    bool silent = dropped || reply->choices[0].text.len == 0;
    size_t left = 0, call = 0, calls_left = 0;
    if (!gone) {
        edits->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const lg_json *block = lg_json_item(content, i);
        bool is_call = lg_block_kind_of(block) == LG_BLOCK_CALL;
        gone[i] = is_call ? !lg_chat_is_allowed(reply, ruling, call++)
                          : lg_block_goes(block, reply->pass_unknown, dropped);
        left += !gone[i];
        calls_left += is_call && !gone[i];
    }
    lg_edits_remove(edits, content, gone);
    lg_str said = lg_chat_if_nothing(ruling, 0);
    if (silent && calls_left == 0 && said.len) {
        lg_str quoted = lg_chat_quoted(edits->arena, said, &edits->failed);
        lg_str block =
            lg_arena_printf(edits->arena, "{\"type\":\"text\",\"text\":%.*s}", LG_FMT(quoted));
        edits->failed = edits->failed || !block.ptr;
        lg_edits_append(edits, content, left, block.ptr ? block : LG_STR(""));
    }
    if (lg_is_end_for_tools(reply, ruling, stop_reason)) {
        lg_edits_string(edits, stop_reason, LG_STR("end_turn"));
    }
    lg_edits_add_usage(edits, reply->usage, ruling);
}

// --- Asking again -------------------------------------------------------------------------------------

// The content as it came; but arguments that are no object, which only a stream can have, cannot be sent.
static lg_status write_content(const lg_chat_reply *reply, const lg_json *content, lg_buf *out)
{
    lg_arena scratch;
    lg_edits edits;
    lg_arena_init(&scratch, 0);
    lg_edits_begin(&edits, &scratch, lg_json_source(reply->body, content));
    for (size_t i = 0; i < lg_list_len(content); i++) {
        const lg_json *block = lg_json_item(content, i);
        const lg_json *input = lg_get(block, "input");
        if (lg_block_kind_of(block) == LG_BLOCK_CALL && input &&
            !lg_json_is(input, LG_JSON_OBJECT)) {
            size_t from = input->offset - content->offset;
            lg_edits_replace(&edits, from, lg_json_end(reply->body, input) - content->offset,
                             LG_STR("{}"));
        }
    }
    lg_status status = lg_edits_apply(&edits, out, NULL);
    lg_arena_done(&scratch);
    return status;
}

static lg_status ask_again(const lg_chat_reply *reply, size_t choice, const lg_str *feedback,
                           lg_buf *out)
{
    const lg_json *content = lg_get(reply->root, "content");
    lg_json_writer w = {.out = out};
    lg_status status = LG_OK;
    (void)choice; // there is one
    if (lg_list_len(content)) {
        lg_buf_add_c(out, "{\"role\":\"assistant\",\"content\":");
        status = write_content(reply, content, out);
        lg_buf_add_c(out, "},");
    }
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "role", "user");
    lg_jw_key(&w, "content");
    if (reply->call_count == 0) {
        lg_jw_str(&w, feedback[0]);
        lg_jw_end_object(&w);
        return status;
    }
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < reply->call_count; i++) {
        lg_jw_begin_object(&w);
        lg_jw_member_c(&w, "type", "tool_result");
        lg_jw_member_str(&w, "tool_use_id", reply->calls[i].id);
        lg_jw_member_bool(&w, "is_error", true);
        lg_jw_member_str(&w, "content", feedback[i]);
        lg_jw_end_object(&w);
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
    return status;
}

const lg_chat_face lg_chat_messages = {
    .name = "messages",
    .format = LG_TRACE_MESSAGES,
    .read_reply = read_reply,
    .rewrite = rewrite,
    .ask_again = ask_again,
    .begin = lg_messages_begin,
    .event = lg_messages_event,
    .body = lg_messages_body,
    .mark = lg_messages_mark,
    .finish = lg_messages_finish,
};
