// message.c: one message to its events, in whichever dialect it was written.
//
// The dialects differ in where they keep things, not in what they mean, and never use one key for
// two meanings, so one reader knows them all:
//
//     call      {id, name, arguments: {}, requestor}            tau2
//               {id, type, function: {name, arguments: "{}"}}   OpenAI; AgentDojo with {}
//               {id, function: "name", args: {}}                AgentDojo-style
//               {type: "custom", custom: {name, input: ""}}     OpenAI: {input: ""} are its arguments
//               {type: "tool_use", id, name, input: {}}         Anthropic, as a part; server_tool_use and
//                                                               mcp_tool_use, which Anthropic runs itself
//               {type: "tool_call", id, name, arguments: {}}    OpenTelemetry, as a part
//               {type: "tool-call", toolCallId, toolName, input} Vercel's AI SDK, as a part or not
//     result    role `tool` with `tool_call_id` or `id`         tau2, OpenAI, AgentDojo
//               {type: "tool_result", tool_use_id, is_error}    Anthropic, as a part
//               {type: "tool_call_response", id, response}      OpenTelemetry, as a part
//               {type: "tool-result", toolCallId, output}       Vercel's AI SDK, as a part
//
// Order of the events of one message: as recorded; text stands before `tool_calls`. Reasoning
// (thinking parts) is not said to anyone, so it is no event.
#include "trace/trace_internal.h"

static bool is_string(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_STRING);
}

bool lg_text_is_error(lg_str text)
{
    // The second is what tau-bench says when it does not have the tool.
    return lg_str_starts(text, LG_STR("Error")) || lg_str_starts(text, LG_STR("Unknown action "));
}

// --- Text in pieces -----------------------------------------------------------------------------

// Pieces joined by newlines; a single one is borrowed as it is.
typedef struct pieces {
    lg_str first;
    size_t count;
    uint32_t offset; // of the first piece
} pieces;

static void add_piece(lg_importer *imp, pieces *text, lg_str piece, uint32_t offset)
{
    if (text->count == 0) {
        text->first = piece;
        text->offset = offset;
    } else {
        if (text->count == 1) {
            lg_buf_clear(&imp->joined);
            lg_buf_add(&imp->joined, text->first);
        }
        lg_buf_add_byte(&imp->joined, '\n');
        lg_buf_add(&imp->joined, piece);
    }
    text->count++;
}

static lg_str join_pieces(lg_importer *imp, const pieces *text)
{
    if (text->count <= 1) {
        return text->count ? text->first : LG_STR("");
    }
    if (lg_buf_status(&imp->joined) != LG_OK) {
        lg_importer_fail_oom(imp);
        return LG_STR("");
    }
    return lg_importer_copy(imp, lg_buf_str(&imp->joined));
}

// --- Parts --------------------------------------------------------------------------------------

typedef enum part_kind {
    PART_TEXT,
    PART_REASONING,
    PART_CALL,
    PART_RESULT,
    PART_SERVER_RESULT, // of a tool that the upstream ran: any JSON
    PART_OPAQUE,        // known, but not text: an image
    PART_UNKNOWN,
} part_kind;

static const struct part_name {
    const char *type;
    part_kind kind;
    const char *text; // key of the text
} part_names[] = {
    {"text", PART_TEXT, "text"},
    {"input_text", PART_TEXT, "text"},
    {"output_text", PART_TEXT, "text"},
    {"refusal", PART_TEXT, "refusal"},
    {"tool_reference", PART_TEXT, "tool_name"},
    {"thinking", PART_REASONING, NULL},
    {"redacted_thinking", PART_REASONING, NULL},
    {"reasoning", PART_REASONING, NULL},
    {"tool_use", PART_CALL, NULL},
    {"server_tool_use", PART_CALL, NULL},
    {"mcp_tool_use", PART_CALL, NULL},
    {"tool_call", PART_CALL, NULL},
    {"tool-call", PART_CALL, NULL},
    {"tool_result", PART_RESULT, NULL},
    {"tool_call_response", PART_RESULT, NULL},
    {"tool-result", PART_RESULT, NULL},
    {"mcp_tool_result", PART_RESULT, NULL},
    {"web_search_tool_result", PART_SERVER_RESULT, NULL},
    {"web_fetch_tool_result", PART_SERVER_RESULT, NULL},
    {"code_execution_tool_result", PART_SERVER_RESULT, NULL},
    {"bash_code_execution_tool_result", PART_SERVER_RESULT, NULL},
    {"text_editor_code_execution_tool_result", PART_SERVER_RESULT, NULL},
    {"tool_search_tool_result", PART_SERVER_RESULT, NULL},
    {"image", PART_OPAQUE, NULL},
    {"image_url", PART_OPAQUE, NULL},
    {"input_image", PART_OPAQUE, NULL},
    {"input_audio", PART_OPAQUE, NULL},
    {"input_file", PART_OPAQUE, NULL},
    {"audio", PART_OPAQUE, NULL},
    {"file", PART_OPAQUE, NULL},
    {"document", PART_OPAQUE, NULL},
    {"search_result", PART_OPAQUE, NULL},
    {"blob", PART_OPAQUE, NULL},
    {"uri", PART_OPAQUE, NULL},
    {"resource_link", PART_OPAQUE, NULL},
    {"container_upload", PART_OPAQUE, NULL},
};

// Reads the kind of `part`, and its text if it is one; AgentDojo-style text stands in `content`.
static part_kind part_kind_of(const lg_json *part, lg_str *ret_text)
{
    *ret_text = lg_json_str(part);
    if (is_string(part)) {
        return PART_TEXT;
    }
    lg_str type = lg_json_str(lg_get(part, "type"));
    if (lg_str_eq(type, LG_STR("resource"))) { // of MCP: a document, with its text if it has any
        const lg_json *text = lg_get(lg_get(part, "resource"), "text");
        *ret_text = lg_json_str(text);
        return is_string(text) ? PART_TEXT : PART_OPAQUE;
    }
    for (size_t i = 0; i < LG_COUNT(part_names); i++) {
        const struct part_name *known = &part_names[i];
        if (!lg_str_eq(type, lg_str_c(known->type))) {
            continue;
        }
        if (known->kind == PART_TEXT) {
            const lg_json *text = lg_get(part, known->text);
            text = text ? text : lg_get(part, "content");
            *ret_text = lg_json_str(text);
            return is_string(text) || (text && !lg_given(text)) ? PART_TEXT : PART_UNKNOWN;
        }
        return known->kind;
    }
    return PART_UNKNOWN;
}

bool lg_trace_knows_part(const lg_json *part)
{
    lg_str text;
    return part_kind_of(part, &text) != PART_UNKNOWN;
}

static void issue_part(lg_importer *imp, const lg_json *part, part_kind kind)
{
    lg_str type = lg_json_str(lg_get(part, "type"));
    if (kind == PART_OPAQUE) {
        lg_importer_issue(imp, part->offset, false, "a part of kind `%.*s` is left out: no text",
                          LG_FMT(type));
    } else if (type.len) {
        lg_importer_issue(imp, part->offset, true, "a part of the kind `%.*s` cannot be read here",
                          LG_FMT(type));
    } else {
        lg_importer_issue(imp, part->offset, true, "a part without a kind: %s", lg_kind(part));
    }
}

lg_str lg_importer_json(lg_importer *imp, const lg_json *value)
{
    if (lg_json_is(value, LG_JSON_STRING)) {
        return lg_json_str(value);
    }
    lg_buf_clear(&imp->scratch);
    lg_json_print(&imp->scratch, value);
    if (lg_buf_status(&imp->scratch) != LG_OK) {
        lg_importer_fail_oom(imp);
        return LG_STR("");
    }
    return lg_importer_copy(imp, lg_buf_str(&imp->scratch));
}

lg_str lg_importer_text(lg_importer *imp, const lg_json *content)
{
    if (!lg_given(content)) {
        return LG_STR("");
    }
    if (is_string(content)) {
        return lg_json_str(content);
    }
    const lg_json *first = lg_json_item(content, 0);
    bool parts = lg_json_is(content, LG_JSON_ARRAY) && (!first || lg_get(first, "type"));
    if (!parts) {
        return lg_importer_json(imp, content);
    }
    pieces text = {0};
    for (size_t i = 0; i < lg_list_len(content); i++) {
        const lg_json *part = lg_json_item(content, i);
        lg_str piece;
        part_kind kind = part_kind_of(part, &piece);
        if (kind == PART_TEXT) {
            add_piece(imp, &text, piece, part->offset);
        } else if (kind != PART_REASONING) {
            issue_part(imp, part, kind);
        }
    }
    return join_pieces(imp, &text);
}

static const lg_json *first_of(const lg_json *object, const char *a, const char *b, const char *c)
{
    const lg_json *found = lg_get(object, a);
    found = found ? found : lg_get(object, b);
    return found ? found : lg_get(object, c);
}

// --- Calls --------------------------------------------------------------------------------------

// Arguments that came as JSON text. What is no JSON object stays text.
static void parse_args(lg_importer *imp, lg_trace_event *call, const lg_json *recorded, lg_str text)
{
    static const lg_json empty = {.type = LG_JSON_OBJECT, .offset = LG_JSON_NO_OFFSET};
    call->text = text;
    if (lg_str_trim(text).len == 0) {
        call->args = &empty; // how some runtimes write a call without arguments
        return;
    }
    const lg_json *args = NULL;
    lg_error why;
    if (!lg_importer_parse(imp, text, &args, &why)) {
        lg_importer_issue(imp, recorded->offset, false, "the arguments of `%.*s` are no JSON: %s",
                          LG_FMT(call->tool), why.msg);
    } else if (!lg_json_is(args, LG_JSON_OBJECT)) {
        lg_importer_issue(imp, recorded->offset, false, "the arguments of `%.*s` are no object: %s",
                          LG_FMT(call->tool), lg_kind(args));
    } else {
        call->args = args;
    }
}

// mcp__server__tool names the tool that the server knows as `tool`.
static lg_str without_server(lg_str name)
{
    if (!lg_str_starts(name, LG_STR("mcp__"))) {
        return name;
    }
    lg_str rest = lg_str_slice(name, 5, name.len);
    size_t end = lg_str_find(rest, LG_STR("__"));
    return end == SIZE_MAX ? name : lg_str_slice(rest, end + 2, rest.len);
}

// Issues name the call, not its arguments: those of a ReAct action have no place of their own.
lg_trace_event *lg_importer_call(lg_importer *imp, lg_role role, const lg_json *recorded,
                                 lg_str name, const lg_json *args)
{
    static const lg_json empty = {.type = LG_JSON_OBJECT, .offset = LG_JSON_NO_OFFSET};
    if (role == LG_ROLE_SYSTEM) { // what it does must be judged
        lg_importer_issue(imp, recorded->offset, false,
                          "a call in a message of the system: taken for the agent's");
        role = LG_ROLE_AGENT;
    }
    lg_trace_event *call = lg_importer_add(imp, LG_EVENT_CALL, role, recorded->offset);
    call->id = lg_importer_word(imp, first_of(recorded, "id", "toolCallId", "toolCallId"));
    call->tool = imp->strip_mcp ? without_server(name) : name;
    if (name.len == 0) {
        lg_importer_issue(imp, recorded->offset, false, "a call without the name of a tool");
    }
    if (lg_json_is(args, LG_JSON_OBJECT)) {
        call->args = args;
    } else if (is_string(args)) {
        parse_args(imp, call, recorded, lg_json_str(args));
    } else if (!args) {
        lg_importer_issue(imp, recorded->offset, false, "a call of `%.*s` without arguments",
                          LG_FMT(call->tool));
    } else if (!lg_given(args)) {
        call->args = &empty;
    } else {
        call->text = lg_importer_json(imp, args);
        lg_importer_issue(imp, recorded->offset, false, "the arguments of `%.*s` are no object: %s",
                          LG_FMT(call->tool), lg_kind(args));
    }
    return call;
}

lg_role lg_importer_requestor(lg_importer *imp, const lg_json *recorded, lg_role otherwise)
{
    const lg_json *requestor = lg_get(recorded, "requestor");
    lg_str name = lg_json_str(requestor);
    if (!lg_given(requestor)) {
        return otherwise;
    }
    if (lg_str_eq(name, LG_STR("user"))) {
        return LG_ROLE_USER;
    }
    if (!lg_str_eq(name, LG_STR("assistant"))) {
        lg_importer_issue(imp, requestor->offset, false,
                          "a requestor that is neither `assistant` "
                          "nor `user`");
    }
    return LG_ROLE_AGENT;
}

const lg_json *lg_importer_wrap(lg_importer *imp, const char *key, const lg_json *value)
{
    lg_json *object = LG_NEW(imp->arena, lg_json);
    lg_json_member *member = lg_json_alloc_members(imp->arena, 1);
    if (!object || !member) {
        lg_importer_fail_oom(imp);
        return NULL;
    }
    *member = lg_json_make_member(lg_str_c(key), *value);
    *object = lg_json_make_object(member, 1);
    return object;
}

// A custom tool of OpenAI takes any text. As a member of an object it is something that rules can speak of.
static void read_custom_call(lg_importer *imp, lg_role role, const lg_json *call,
                             const lg_json *custom)
{
    const lg_json *input = lg_get(custom, "input");
    lg_importer_call(imp, role, call, lg_json_str(lg_get(custom, "name")),
                     is_string(input) ? lg_importer_wrap(imp, "input", input) : input);
}

static void read_call(lg_importer *imp, lg_role role, const lg_json *call)
{
    if (!lg_json_is(call, LG_JSON_OBJECT)) {
        lg_importer_issue(imp, call->offset, true, "a call that is %s", lg_kind(call));
        return;
    }
    const lg_json *function = lg_get(call, "function");
    const lg_json *custom = lg_get(call, "custom");
    if (!function && lg_json_is(custom, LG_JSON_OBJECT)) {
        read_custom_call(imp, lg_importer_requestor(imp, call, role), call, custom);
        return;
    }
    const lg_json *owner = lg_json_is(function, LG_JSON_OBJECT) ? function : call;
    lg_str name = is_string(function)
                      ? lg_json_str(function)
                      : lg_json_str(first_of(owner, "name", "toolName", "tool_name"));
    lg_importer_call(imp, lg_importer_requestor(imp, call, role), call, name,
                     first_of(owner, "arguments", "args", "input"));
}

// Keys under which other formats keep calls: a recording that has one meant a call.
static void look_for_other_calls(lg_importer *imp, const lg_json *message)
{
    static const char *const keys[] = {"tool_call",    "toolCalls",      "toolCall",
                                       "tool_uses",    "function_calls", "functionCall",
                                       "functionCalls"};
    for (size_t i = 0; i < LG_COUNT(keys); i++) {
        const lg_json *calls = lg_get(message, keys[i]);
        if (lg_given(calls) && (lg_list_len(calls) || !lg_json_is(calls, LG_JSON_ARRAY))) {
            lg_importer_issue(imp, calls->offset, true,
                              "calls under the key `%s` cannot be read here", keys[i]);
        }
    }
}

static bool read_calls(lg_importer *imp, lg_role role, const lg_json *message)
{
    const lg_json *calls = lg_get(message, "tool_calls");
    const lg_json *legacy = lg_get(message, "function_call"); // before OpenAI had `tool_calls`
    if (lg_given(calls) && !lg_json_is(calls, LG_JSON_ARRAY)) {
        lg_importer_issue(imp, calls->offset, true, "`tool_calls` is %s, not a list",
                          lg_kind(calls));
    }
    for (size_t i = 0; i < lg_list_len(calls); i++) {
        read_call(imp, role, lg_json_item(calls, i));
    }
    if (lg_given(legacy)) {
        read_call(imp, role, legacy);
    }
    look_for_other_calls(imp, message);
    return lg_list_len(calls) > 0 || lg_given(legacy);
}

// --- Results ------------------------------------------------------------------------------------

// Where a format has a flag the flag decides; else the text does.
static bool is_error(const lg_importer *imp, const lg_json *flag, lg_str text)
{
    if (lg_json_is(flag, LG_JSON_BOOL)) {
        return lg_json_is_true(flag);
    }
    if (is_string(flag)) {
        return flag->len > 0;
    }
    return !(flag && imp->null_error_is_success) && lg_text_is_error(text);
}

// AgentDojo keeps the failure in `error` and leaves the content empty.
static lg_str error_text(lg_importer *imp, const lg_json *flag, lg_str text)
{
    lg_str error = lg_json_str(flag);
    if (error.len == 0 || lg_str_eq(error, text)) {
        return text;
    }
    return text.len ? lg_importer_printf(imp, "%.*s\n%.*s", LG_FMT(error), LG_FMT(text)) : error;
}

// A result that names no requestor answers the latest call.
static lg_role last_caller(const lg_importer *imp)
{
    for (size_t i = imp->event_count; i > 0; i--) {
        const lg_trace_event *event = &imp->events[i - 1];
        if (event->kind != LG_EVENT_MESSAGE) {
            return event->role; // results have their caller's role already
        }
    }
    return LG_ROLE_AGENT;
}

// A tool makes no calls, but what is recorded here is somebody's call all the same.
static void look_for_calls(lg_importer *imp, const lg_json *message)
{
    static const char *const keys[] = {"tool_calls", "function_call"};
    for (size_t i = 0; i < LG_COUNT(keys); i++) {
        const lg_json *calls = lg_get(message, keys[i]);
        if (lg_given(calls) && (lg_list_len(calls) || !lg_json_is(calls, LG_JSON_ARRAY))) {
            lg_importer_issue(imp, calls->offset, true, "`%s` in a message of a tool", keys[i]);
        }
    }
}

static void read_result(lg_importer *imp, const lg_json *message)
{
    const lg_json *flag = lg_get(message, "error");
    if (!lg_json_is(message, LG_JSON_OBJECT)) {
        lg_importer_issue(imp, message->offset, true, "a result that is %s", lg_kind(message));
        return;
    }
    look_for_calls(imp, message);
    lg_str text = lg_importer_text(imp, lg_get(message, "content"));
    bool failed = is_error(imp, flag, text);
    lg_role role = lg_importer_requestor(imp, message, last_caller(imp));
    lg_trace_event *result =
        lg_importer_add(imp, failed ? LG_EVENT_ERROR : LG_EVENT_RESULT, role, message->offset);
    const lg_json *id = lg_get(message, "tool_call_id");
    result->id = lg_importer_word(imp, id ? id : lg_get(message, "id"));
    result->tool = lg_json_str(lg_get(message, "name"));
    if (result->tool.len == 0) {
        result->tool = lg_json_str(lg_get(lg_get(message, "tool_call"), "function"));
    }
    result->text = failed ? error_text(imp, flag, text) : text;
}

// tau2 may keep the results of one message together.
static void read_results(lg_importer *imp, const lg_json *message)
{
    const lg_json *many = lg_get(message, "tool_messages");
    if (lg_given(many) && !lg_json_is(many, LG_JSON_ARRAY)) {
        lg_importer_issue(imp, many->offset, true, "`tool_messages` is %s, not a list",
                          lg_kind(many));
    }
    if (!lg_json_is(many, LG_JSON_ARRAY)) {
        read_result(imp, message);
    }
    for (size_t i = 0; i < lg_list_len(many); i++) {
        lg_importer_time(imp, lg_json_item(many, i));
        read_result(imp, lg_json_item(many, i));
    }
}

static void read_result_part(lg_importer *imp, const lg_json *part, part_kind kind)
{
    const lg_json *flag = first_of(part, "is_error", "isError", "is_error");
    const lg_json *content = first_of(part, "content", "response", "result");
    const lg_json *output = lg_get(part, "output"); // {type: "text" or "error-json", value}
    lg_str how = lg_json_str(lg_get(output, "type"));
    bool told = how.len && lg_get(output, "value");
    content = content ? content : told ? lg_get(output, "value") : output;
    lg_str text = kind == PART_SERVER_RESULT && content ? lg_importer_json(imp, content)
                                                        : lg_importer_text(imp, content);
    bool failed = told ? lg_str_starts(how, LG_STR("error")) : is_error(imp, flag, text);
    lg_trace_event *result = lg_importer_add(imp, failed ? LG_EVENT_ERROR : LG_EVENT_RESULT,
                                             LG_ROLE_AGENT, part->offset);
    result->id = lg_importer_word(imp, first_of(part, "tool_use_id", "id", "toolCallId"));
    result->tool = lg_json_str(first_of(part, "name", "toolName", "name"));
    result->text = text;
}

// --- Messages -----------------------------------------------------------------------------------

static void say(lg_importer *imp, lg_role role, uint32_t offset, lg_str text)
{
    lg_importer_add(imp, LG_EVENT_MESSAGE, role, offset)->text = text;
}

static void flush(lg_importer *imp, lg_role role, pieces *text)
{
    if (text->count) {
        say(imp, role, text->offset, join_pieces(imp, text));
        *text = (pieces){0};
    }
}

static bool read_parts(lg_importer *imp, lg_role role, const lg_json *parts)
{
    pieces text = {0};
    for (size_t i = 0; i < lg_list_len(parts); i++) {
        const lg_json *part = lg_json_item(parts, i);
        lg_str piece;
        part_kind kind = part_kind_of(part, &piece);
        if (kind == PART_TEXT) {
            add_piece(imp, &text, piece, part->offset);
            continue;
        }
        flush(imp, role, &text);
        if (kind == PART_CALL) {
            read_call(imp, role, part);
        } else if (kind == PART_RESULT || kind == PART_SERVER_RESULT) {
            read_result_part(imp, part, kind);
        } else if (kind != PART_REASONING) {
            issue_part(imp, part, kind);
        }
    }
    flush(imp, role, &text);
    return lg_list_len(parts) > 0;
}

bool lg_importer_content(lg_importer *imp, lg_role role, const lg_json *message,
                         const lg_json *content)
{
    if (!lg_given(content)) {
        return false;
    }
    if (lg_json_is(content, LG_JSON_ARRAY)) {
        return read_parts(imp, role, content);
    }
    if (!is_string(content)) {
        lg_importer_issue(imp, content->offset, true, "the content of a message is %s",
                          lg_kind(content));
        return true;
    }
    if (content->len == 0) {
        return false;
    }
    say(imp, role, message->offset, lg_json_str(content));
    return true;
}

static bool role_of(lg_str name, lg_role *ret_role)
{
    static const struct {
        const char *name;
        lg_role role;
    } roles[] = {{"system", LG_ROLE_SYSTEM},   {"developer", LG_ROLE_SYSTEM},
                 {"user", LG_ROLE_USER},       {"human", LG_ROLE_USER},
                 {"assistant", LG_ROLE_AGENT}, {"model", LG_ROLE_AGENT}};
    for (size_t i = 0; i < LG_COUNT(roles); i++) {
        if (lg_str_eq(name, lg_str_c(roles[i].name))) {
            *ret_role = roles[i].role;
            return true;
        }
    }
    return false;
}

static bool has_result_part(const lg_json *content)
{
    lg_str text;
    const lg_json *first = lg_json_is(content, LG_JSON_ARRAY) ? lg_json_item(content, 0) : NULL;
    return first && part_kind_of(first, &text) == PART_RESULT;
}

void lg_importer_message(lg_importer *imp, const lg_json *message)
{
    lg_str name = lg_json_str(lg_get(message, "role"));
    lg_role role;
    if (!lg_json_is(message, LG_JSON_OBJECT)) {
        lg_importer_issue(imp, message->offset, true, "a message that is %s", lg_kind(message));
        return;
    }
    const lg_json *content = first_of(message, "content", "parts", "parts");
    if (lg_str_eq(name, LG_STR("tool")) || lg_str_eq(name, LG_STR("function"))) {
        if (has_result_part(content)) {
            (void)read_parts(imp, LG_ROLE_AGENT, content);
        } else {
            read_results(imp, message);
        }
        return;
    }
    if (!role_of(name, &role)) {
        lg_importer_issue(imp, message->offset, true, "a message of the role `%.*s`", LG_FMT(name));
        return;
    }
    bool any = lg_importer_content(imp, role, message, content);
    const lg_json *refusal = lg_get(message, "refusal");
    if (lg_json_str(refusal).len) {
        say(imp, role, message->offset, lg_json_str(refusal));
        any = true;
    } else if (lg_given(refusal) && !is_string(refusal)) {
        lg_importer_issue(imp, refusal->offset, true, "the refusal of a message is %s",
                          lg_kind(refusal));
    }
    any = read_calls(imp, role, message) || any;
    if (!any) {
        say(imp, role, message->offset, LG_STR("")); // a turn, even if nothing was said
    }
}

void lg_importer_messages(lg_importer *imp, const lg_json *messages, const lg_json *parent)
{
    if (!lg_json_is(messages, LG_JSON_ARRAY)) {
        const lg_json *at = messages ? messages : parent;
        lg_importer_issue(imp, at->offset, true, "the messages are %s, not a list",
                          messages ? lg_kind(messages) : "missing");
        return;
    }
    size_t first = imp->known ? imp->known->messages : 0;
    for (size_t i = first; i < lg_list_len(messages) && lg_importer_ok(imp); i++) {
        imp->turn = (uint32_t)i;
        lg_importer_time(imp, lg_json_item(messages, i));
        lg_importer_message(imp, lg_json_item(messages, i));
    }
}
