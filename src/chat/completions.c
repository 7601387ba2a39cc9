// completions.c: replies of OpenAI's chat completions.
//
//     {choices: [{index, message: {role, content, refusal, tool_calls: [...], function_call}, finish_reason}], usage}
#include "chat/guard.h"
#include "chat/stream.h"

// --- What else might be a call ------------------------------------------------------------------------

static bool is_stray_call(const lg_json *call)
{
    static const char *const of_call[] = {"function", "custom", NULL};
    static const char *const of_function[] = {"arguments", NULL};
    static const char *const of_custom[] = {"input", NULL};
    return lg_has_second_reading(call, of_call, "") || lg_get(call, "name") ||
           lg_has_second_reading(lg_get(call, "function"), of_function, "arguments") ||
           lg_has_second_reading(lg_get(call, "custom"), of_custom, "input");
}

static bool is_stray_message(const lg_json *message)
{
    static const char *const of_message[] = {"tool_calls", "function_call", NULL};
    static const char *const of_legacy[] = {"arguments", NULL};
    const lg_json *calls = lg_get(message, "tool_calls");
    const lg_json *legacy = lg_get(message, "function_call");
    bool stray = (lg_given(calls) && !lg_json_is(calls, LG_JSON_ARRAY)) ||
                 (lg_given(legacy) && !lg_json_is(legacy, LG_JSON_OBJECT)) ||
                 lg_has_second_reading(legacy, of_legacy, "arguments") ||
                 lg_has_stray_member(message, of_message);
    for (size_t i = 0; i < lg_list_len(calls) && !stray; i++) {
        stray = is_stray_call(lg_json_item(calls, i));
    }
    return stray;
}

bool lg_completions_has_stray(const lg_json *root, const char *message)
{
    static const char *const of_root[] = {"choices", NULL};
    const char *const of_choice[] = {message, NULL};
    const lg_json *choices = lg_get(root, "choices");
    bool of_responses =
        lg_str_starts(lg_json_str(lg_get(root, "type")), LG_STR("response.")); // pieces of a call
    bool stray = of_responses || lg_has_stray_member(root, of_root) ||
                 (lg_given(choices) && !lg_json_is(choices, LG_JSON_ARRAY));
    for (size_t i = 0; i < lg_list_len(choices) && !stray; i++) {
        const lg_json *choice = lg_json_item(choices, i);
        stray = lg_has_stray_member(choice, of_choice) || is_stray_message(lg_get(choice, message));
    }
    return stray;
}

// --- Tools that ran unseen ----------------------------------------------------------------------
//
// This protocol has no word for them. Each upstream shows in a way of its own what it has done before it answered.

typedef enum sign_place { OF_REPLY, OF_USAGE, OF_MESSAGE } sign_place;

static const struct {
    sign_place place;
    const char *key;
} signs[LG_COMPLETIONS_SIGNS] = {
    {OF_MESSAGE, "annotations"},    // OpenAI's and OpenRouter's web search: `url_citation`
    {OF_MESSAGE, "executed_tools"}, // Groq's compound systems
    {OF_MESSAGE, "context"},        // Azure: what was found in the data sources
    {OF_MESSAGE, "reasoning_steps"},
    {OF_MESSAGE, "tool_calls"},       // Z.ai: those that are over, beside the client's
    {OF_REPLY, "citations"},          // Perplexity, xAI
    {OF_REPLY, "search_results"},     // Perplexity
    {OF_REPLY, "web_search"},         // Z.ai
    {OF_REPLY, "search_info"},        // Qwen
    {OF_USAGE, "num_search_queries"}, // Perplexity
    {OF_USAGE, "num_sources_used"},   // xAI
    {OF_USAGE, "num_server_side_tools_used"},
    {OF_USAGE, "server_side_tool_usage_details"},
    {OF_USAGE, "server_tool_use"}, // OpenRouter
    {OF_USAGE, "server_tool_use_details"},
};

// Is there anything in it: a text, a number that is not zero, something true, wherever?
static bool has_content(const lg_json *value)
{
    int64_t number;
    bool has = lg_json_is_true(value) || (lg_json_is(value, LG_JSON_STRING) && value->len > 0) ||
               (lg_json_is_number(value) && !(lg_json_int(value, &number) && number == 0));
    for (size_t i = 0; i < lg_list_len(value) && !has; i++) {
        has = has_content(lg_json_item(value, i));
    }
    for (size_t i = 0; i < lg_member_count(value) && !has; i++) {
        has = has_content(&lg_json_member_at(value, i)->value);
    }
    return has;
}

// An annotation of a file is what the client itself has sent, as text.
static bool has_citation(const lg_json *annotations)
{
    bool has = !lg_json_is(annotations, LG_JSON_ARRAY) && has_content(annotations);
    for (size_t i = 0; i < lg_list_len(annotations) && !has; i++) {
        const lg_json *one = lg_json_item(annotations, i);
        has = !lg_text_is(lg_get(one, "type"), "file") && has_content(one);
    }
    return has;
}

static bool has_call_that_ran(const lg_json *calls)
{
    static const char *const types[] = {"web_search", "retrieval", "code_interpreter", "mcp"};
    bool has = false;
    for (size_t i = 0; i < lg_list_len(calls); i++) {
        for (size_t t = 0; t < LG_COUNT(types); t++) {
            has = has || lg_text_is(lg_get(lg_json_item(calls, i), "type"), types[t]);
        }
    }
    return has;
}

static bool shows(const lg_json *in, const char *key)
{
    const lg_json *value = lg_get(in, key);
    if (strcmp(key, "annotations") == 0) {
        return has_citation(value);
    }
    return strcmp(key, "tool_calls") == 0 ? has_call_that_ran(value) : has_content(value);
}

uint32_t lg_completions_signs(const lg_json *root, const char *message)
{
    const lg_json *choices = lg_get(root, "choices");
    uint32_t found = 0;
    for (size_t s = 0; s < LG_COUNT(signs); s++) {
        const lg_json *in = signs[s].place == OF_USAGE ? lg_get(root, "usage") : root;
        bool shown = signs[s].place != OF_MESSAGE && shows(in, signs[s].key);
        for (size_t i = 0; signs[s].place == OF_MESSAGE && i < lg_list_len(choices); i++) {
            shown = shown || shows(lg_get(lg_json_item(choices, i), message), signs[s].key);
        }
        found |= shown ? UINT32_C(1) << s : 0;
    }
    return found;
}

lg_str lg_completions_sign(size_t sign)
{
    return lg_str_c(signs[sign].key);
}

static void read_signs(lg_reply_reader *reader)
{
    uint32_t found = lg_completions_signs(reader->reply->root, "message");
    for (size_t s = 0; s < LG_COUNT(signs); s++) {
        if (found >> s & 1) {
            lg_reader_seen(reader, LG_CHAT_ACTED, lg_completions_sign(s), reader->reply->root);
        }
    }
}

// --- Reading ------------------------------------------------------------------------------------

static void read_call(lg_reply_reader *reader, const lg_json *call, bool cut)
{
    lg_str source = reader->reply->body;
    const lg_json *type = lg_get(call, "type");
    const lg_json *function = lg_get(call, "function");
    const lg_json *custom = lg_get(call, "custom");
    bool is_custom = lg_text_is(type, "custom") && custom && !function;
    bool known = is_custom ||
                 ((!lg_given(type) || lg_text_is(type, "function") || lg_json_str(type).len == 0) &&
                  lg_json_is(function, LG_JSON_OBJECT) && !custom);
    lg_chat_call *added =
        lg_reader_call(reader, call, is_custom ? LG_STR("custom") : LG_STR("function"));
    if (!added) {
        return;
    }
    lg_reader_id(reader, added, lg_get(call, "id"));
    added->args = lg_chat_text_of(source, is_custom ? lg_get(custom, "input")
                                                    : lg_get(function, "arguments"));
    added->cut = cut;
    if (!known) {
        added->kind = lg_json_str(type);
        if (!reader->options.pass_unknown) {
            added->broken = "it is of a kind that is not known";
        }
        lg_reader_seen(reader, LG_CHAT_UNKNOWN, added->kind, call);
    }
}

static void read_legacy(lg_reply_reader *reader, const lg_json *call, bool cut)
{
    lg_chat_call *added = lg_reader_call(reader, call, LG_STR("function_call"));
    if (added) {
        added->args = lg_chat_text_of(reader->reply->body, lg_get(call, "arguments"));
        added->cut = cut;
    }
}

static void read_choice(lg_reply_reader *reader, const lg_json *recorded)
{
    const lg_json *message = lg_get(recorded, "message");
    if (!lg_json_is(message, LG_JSON_OBJECT)) {
        lg_reader_fail(reader, LG_ERR_FORMAT, "a choice of the reply has no message");
        return;
    }
    lg_json list = lg_json_make_array(message, 1);
    list.offset = message->offset;
    lg_json *kept = LG_NEW(reader->arena, lg_json);
    if (!kept) {
        lg_reader_fail(reader, LG_ERR_OOM, "%s", lg_status_text(LG_ERR_OOM));
        return;
    }
    *kept = list;
    lg_chat_choice *choice = lg_reader_choice(reader, LG_TRACE_OPENAI, kept);
    if (!choice) {
        return;
    }
    int64_t index;
    if (lg_get(recorded, "index") && lg_json_int(lg_get(recorded, "index"), &index) && index >= 0 &&
        index <= UINT32_MAX) {
        choice->index = (uint32_t)index;
    }
    choice->refusal = lg_json_str(lg_get(message, "refusal"));
    choice->finish = lg_json_str(lg_get(recorded, "finish_reason"));
    bool cut = lg_str_eq(choice->finish, LG_STR("length")) ||
               lg_str_eq(choice->finish, LG_STR("content_filter"));
    const lg_json *calls = lg_get(message, "tool_calls");
    for (size_t i = 0; i < lg_list_len(calls) && reader->status == LG_OK; i++) {
        read_call(reader, lg_json_item(calls, i), cut);
    }
    if (lg_given(lg_get(message, "function_call"))) {
        read_legacy(reader, lg_get(message, "function_call"), cut);
    }
}

static void read_reply(lg_reply_reader *reader)
{
    lg_chat_reply *reply = reader->reply;
    const lg_json *choices = lg_get(reply->root, "choices");
    if (!lg_json_is(choices, LG_JSON_ARRAY)) {
        reply->is_error = !lg_given(choices) && lg_says_something(lg_get(reply->root, "error"));
        if (!reply->is_error) {
            lg_reader_fail(reader, LG_ERR_FORMAT, "the reply has neither `choices` nor an `error`");
        }
        return;
    }
    if (lg_completions_has_stray(reply->root, "message")) {
        lg_reader_fail(reader, LG_ERR_FORMAT, LG_STRAY_CALL);
    }
    for (size_t i = 0; i < lg_list_len(choices) && reader->status == LG_OK; i++) {
        read_choice(reader, lg_json_item(choices, i));
    }
    read_signs(reader);
}

// --- Rewriting --------------------------------------------------------------------------------------

// What becomes of a message: at most one change of each of its members.
typedef struct changes {
    lg_member_edit items[16];
    size_t count;
} changes;

static void change(changes *c, const char *key, lg_str text)
{
    c->items[c->count++] = (lg_member_edit){key, text};
}

// Returns how many calls are left.
static size_t rewrite_calls(const lg_chat_reply *reply, const lg_chat_ruling *ruling,
                            const lg_json *message, size_t first_call, size_t count,
                            changes *of_message, lg_edits *edits)
{
    const lg_json *calls = lg_get(message, "tool_calls");
    size_t listed = lg_list_len(calls);
    bool *gone = LG_NEW_ARRAY(edits->arena, bool, listed + 1);
    size_t left = 0;
    if (!gone) {
        edits->failed = true;
        return 0;
    }
    for (size_t i = 0; i < listed; i++) {
        gone[i] = !lg_chat_is_allowed(reply, ruling, first_call + i);
        left += !gone[i];
    }
    if (listed && left == 0) {
        change(of_message, "tool_calls", LG_MEMBER_GOES);
    } else if (listed) {
        lg_edits_remove(edits, calls, gone);
    }
    if (count > listed && lg_chat_is_allowed(reply, ruling, first_call + listed)) {
        left++; // the legacy one
    } else if (count > listed) {
        change(of_message, "function_call", LG_MEMBER_GOES);
    }
    return left;
}

static void rewrite_text(const lg_chat_choice *choice, const lg_chat_ruling *ruling, size_t index,
                         size_t left, const lg_json *message, changes *of_message, lg_edits *edits)
{
    static const char *const says_too[] = LG_COMPLETIONS_SAYS_TOO;
    bool dropped = lg_chat_drops_text(ruling, index);
    bool silent = dropped || (choice->text.len == 0 && choice->refusal.len == 0);
    lg_str said = silent && left == 0 ? lg_chat_if_nothing(ruling, index) : LG_STR("");
    if (said.len) {
        change(of_message, "content", lg_chat_quoted(edits->arena, said, &edits->failed));
    } else if (dropped && lg_given(lg_get(message, "content"))) {
        change(of_message, "content", LG_STR("null"));
    }
    if (dropped && lg_given(lg_get(message, "refusal"))) {
        change(of_message, "refusal", LG_STR("null"));
    }
    for (size_t i = 0; i < LG_COUNT(says_too) && dropped; i++) {
        change(of_message, says_too[i], LG_MEMBER_GOES);
    }
}

static bool is_end_for_calls(lg_str finish)
{
    return lg_str_eq(finish, LG_STR("tool_calls")) || lg_str_eq(finish, LG_STR("function_call"));
}

static void rewrite_choice(const lg_chat_reply *reply, const lg_chat_ruling *ruling, size_t index,
                           size_t first_call, lg_edits *edits)
{
    const lg_chat_choice *choice = &reply->choices[index];
    const lg_json *recorded = lg_json_item(lg_get(reply->root, "choices"), index);
    const lg_json *message = lg_get(recorded, "message");
    changes of_message = {.count = 0};
    size_t left =
        rewrite_calls(reply, ruling, message, first_call, choice->call_count, &of_message, edits);
    rewrite_text(choice, ruling, index, left, message, &of_message, edits);
    lg_edits_members(edits, message, of_message.items, of_message.count);
    if (lg_chat_drops_text(ruling, index) && lg_given(lg_get(recorded, "logprobs"))) {
        lg_edits_value(edits, lg_get(recorded, "logprobs"), LG_STR("null"));
    }
    if (is_end_for_calls(choice->finish) && left == 0 && choice->call_count) {
        lg_edits_string(edits, lg_get(recorded, "finish_reason"), LG_STR("stop"));
    }
}

static void rewrite(const lg_chat_reply *reply, const lg_chat_ruling *ruling, lg_edits *edits)
{
    size_t first_call = 0;
    for (size_t i = 0; i < reply->choice_count; i++) {
        rewrite_choice(reply, ruling, i, first_call, edits);
        first_call += reply->choices[i].call_count;
    }
    lg_edits_add_usage(edits, reply->usage, ruling);
}

// --- Asking again -------------------------------------------------------------------------------------

static void answer_call(const lg_chat_call *call, lg_str feedback, lg_json_writer *w)
{
    bool legacy = lg_str_eq(call->kind, LG_STR("function_call"));
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "role", legacy ? "function" : "tool");
    lg_jw_member_str(w, legacy ? "name" : "tool_call_id", legacy ? call->tool : call->id);
    lg_jw_member_str(w, "content", feedback);
    lg_jw_end_object(w);
}

static lg_status ask_again(const lg_chat_reply *reply, size_t choice, const lg_str *feedback,
                           lg_buf *out)
{
    const lg_json *recorded = lg_json_item(lg_get(reply->root, "choices"), choice);
    lg_json_writer w = {.out = out};
    lg_buf_add(out, lg_json_source(reply->body, lg_get(recorded, "message")));
    w.need_comma = true;
    size_t answered = 0;
    for (size_t i = 0; i < reply->call_count; i++) {
        if (reply->calls[i].choice == choice) {
            answer_call(&reply->calls[i], feedback[answered++], &w);
        }
    }
    if (answered == 0) {
        lg_jw_begin_object(&w);
        lg_jw_member_c(&w, "role", "user");
        lg_jw_member_str(&w, "content", feedback[0]);
        lg_jw_end_object(&w);
    }
    return LG_OK;
}

const lg_chat_face lg_chat_completions = {
    .name = "completions",
    .format = LG_TRACE_OPENAI,
    .read_reply = read_reply,
    .rewrite = rewrite,
    .ask_again = ask_again,
    .begin = lg_completions_begin,
    .event = lg_completions_event,
    .body = lg_completions_body,
    .mark = lg_completions_mark,
    .finish = lg_completions_finish,
};
