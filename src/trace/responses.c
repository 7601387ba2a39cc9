// responses.c: requests of OpenAI's Responses API: {instructions, input, ...}; {request, response}, or `output` beside
// `input`, with the reply's items at the end; a plain list of items; or JSON Lines of objects.
//
// There are no messages but items, and one reply is several of them. A run of items of the model is one turn, for that is
// what it proposed together; each item of the client is one, as a message is elsewhere; the instructions, if there
// are any, are turn 0.
//
// Items that the client acts on are calls. What the upstream did by itself is a call with its result: it was done, and
// nobody could judge it. An MCP call that was asked about before is a call where it was asked about, and its result where
// it was made.
#include "trace/trace_internal.h"

typedef enum item_kind {
    ITEM_MESSAGE,
    ITEM_REASONING, // of the model, and no event
    ITEM_FUNCTION,  // name, arguments
    ITEM_CUSTOM,    // name, input
    ITEM_ACTION,    // the tool is its kind; the arguments stand under one key
    ITEM_APPROVAL,  // a call of an MCP tool that the client is asked about
    ITEM_MCP,       // one that was made
    ITEM_ACTED,     // anything else that the upstream did
    ITEM_OUTPUT,    // of a call
    ITEM_ANSWER,    // to ITEM_APPROVAL
    ITEM_LISTED,    // tools that were found: no event
    ITEM_UNKNOWN,
} item_kind;

static const struct item_name {
    const char *type;
    item_kind kind;
    const char *tool; // of an action
    const char *args; // the key of its arguments
} item_names[] = {
    {"message", ITEM_MESSAGE, NULL, NULL},
    {"reasoning", ITEM_REASONING, NULL, NULL},
    {"function_call", ITEM_FUNCTION, NULL, "arguments"},
    {"custom_tool_call", ITEM_CUSTOM, NULL, "input"},
    {"computer_call", ITEM_ACTION, "computer", "action"},
    {"local_shell_call", ITEM_ACTION, "local_shell", "action"},
    {"shell_call", ITEM_ACTION, "shell", "action"},
    {"apply_patch_call", ITEM_ACTION, "apply_patch", "operation"},
    {"mcp_approval_request", ITEM_APPROVAL, NULL, "arguments"},
    {"mcp_call", ITEM_MCP, NULL, "arguments"},
    {"web_search_call", ITEM_ACTED, "web_search", NULL},
    {"file_search_call", ITEM_ACTED, "file_search", NULL},
    {"code_interpreter_call", ITEM_ACTED, "code_interpreter", NULL},
    {"image_generation_call", ITEM_ACTED, "image_generation", NULL},
    {"function_call_output", ITEM_OUTPUT, NULL, NULL},
    {"custom_tool_call_output", ITEM_OUTPUT, NULL, NULL},
    {"computer_call_output", ITEM_OUTPUT, NULL, NULL},
    {"local_shell_call_output", ITEM_OUTPUT, NULL, NULL},
    {"shell_call_output", ITEM_OUTPUT, NULL, NULL},
    {"apply_patch_call_output", ITEM_OUTPUT, NULL, NULL},
    {"mcp_approval_response", ITEM_ANSWER, NULL, NULL},
    {"mcp_list_tools", ITEM_LISTED, NULL, NULL},
};

static const struct item_name *item_name_of(const lg_json *item)
{
    static const struct item_name unknown = {"", ITEM_UNKNOWN, NULL, NULL};
    const lg_json *type = lg_get(item, "type");
    lg_str name = lg_json_str(type);
    if (!type && lg_get(item, "role")) {
        return &item_names[0]; // a message may leave its type out
    }
    for (size_t i = 0; i < LG_COUNT(item_names); i++) {
        if (lg_str_eq(name, lg_str_c(item_names[i].type))) {
            return &item_names[i];
        }
    }
    return &unknown;
}

bool lg_trace_knows_item(const lg_json *item)
{
    return item_name_of(item)->kind != ITEM_UNKNOWN;
}

bool lg_trace_is_item(const lg_json *value)
{
    return !lg_get(value, "role") && item_name_of(value)->kind != ITEM_UNKNOWN;
}

static bool is_of_model(const lg_json *item)
{
    switch (item_name_of(item)->kind) {
    case ITEM_MESSAGE:
        return lg_str_eq(lg_json_str(lg_get(item, "role")), LG_STR("assistant"));
    case ITEM_REASONING:
    case ITEM_FUNCTION:
    case ITEM_CUSTOM:
    case ITEM_ACTION:
    case ITEM_APPROVAL:
    case ITEM_MCP:
    case ITEM_ACTED:
    case ITEM_LISTED:
        return true;
    case ITEM_OUTPUT:
    case ITEM_ANSWER:
    case ITEM_UNKNOWN:
        break;
    }
    return false;
}

uint32_t lg_trace_item_turn(const lg_json *before, uint32_t turn_before, const lg_json *item)
{
    return turn_before + !(is_of_model(before) && is_of_model(item));
}

// --- Calls --------------------------------------------------------------------------------------

static lg_str call_id_of(lg_importer *imp, const lg_json *item)
{
    const lg_json *id = lg_get(item, "call_id");
    return lg_importer_word(imp, lg_given(id) ? id : lg_get(item, "id"));
}

static void read_call(lg_importer *imp, const lg_json *item, const struct item_name *name)
{
    lg_str tool = name->tool ? lg_str_c(name->tool) : lg_json_str(lg_get(item, "name"));
    const lg_json *args = lg_get(item, name->args);
    if (name->kind == ITEM_ACTION && !lg_given(args) && lg_given(lg_get(item, "actions"))) {
        args =
            lg_importer_wrap(imp, "actions", lg_get(item, "actions")); // a computer's, many at once
    } else if (name->kind == ITEM_CUSTOM && lg_json_is(args, LG_JSON_STRING)) {
        args = lg_importer_wrap(imp, "input", args);
    }
    lg_importer_call(imp, LG_ROLE_AGENT, item, tool, args)->id = call_id_of(imp, item);
}

static lg_trace_event *add_result(lg_importer *imp, const lg_json *item, bool failed, lg_str text)
{
    lg_event_kind kind = failed ? LG_EVENT_ERROR : LG_EVENT_RESULT;
    lg_trace_event *result = lg_importer_add(imp, kind, LG_ROLE_AGENT, item->offset);
    result->id = call_id_of(imp, item);
    result->text = text;
    return result;
}

// `error` is null, a text or an object.
static void read_mcp(lg_importer *imp, const lg_json *item, const struct item_name *name)
{
    const lg_json *asked = lg_get(item, "approval_request_id");
    const lg_json *error = lg_get(item, "error");
    if (!lg_given(asked)) {
        read_call(imp, item, name);
    }
    const lg_json *text = lg_given(error) ? error : lg_get(item, "output");
    lg_trace_event *result =
        add_result(imp, item, lg_given(error), text ? lg_importer_text(imp, text) : LG_STR(""));
    if (lg_given(asked)) {
        result->id = lg_importer_word(imp, asked);
    }
}

static void read_acted(lg_importer *imp, const lg_json *item, const struct item_name *name)
{
    static const lg_json empty = {.type = LG_JSON_OBJECT, .offset = LG_JSON_NO_OFFSET};
    lg_importer_call(imp, LG_ROLE_AGENT, item, lg_str_c(name->tool), &empty);
    lg_str text = lg_importer_json(imp, item);
    bool failed = lg_str_eq(lg_json_str(lg_get(item, "status")), LG_STR("failed"));
    add_result(imp, item, failed, text)->id = lg_importer_word(imp, lg_get(item, "id"));
}

static void read_output(lg_importer *imp, const lg_json *item)
{
    const lg_json *output = lg_get(item, "output");
    lg_str text = output ? lg_importer_text(imp, output) : LG_STR("");
    bool failed = lg_str_eq(lg_json_str(lg_get(item, "status")), LG_STR("failed"));
    add_result(imp, item, failed || lg_text_is_error(text), text);
}

// A call that is approved is made later; one that is not will never be.
static void read_answer(lg_importer *imp, const lg_json *item)
{
    if (!lg_json_is_true(lg_get(item, "approve"))) {
        lg_str reason = lg_json_str(lg_get(item, "reason"));
        lg_trace_event *result =
            add_result(imp, item, true, reason.len ? reason : LG_STR("Error: not approved"));
        result->id = lg_importer_word(imp, lg_get(item, "approval_request_id"));
    }
}

// --- Items --------------------------------------------------------------------------------------

static void read_item(lg_importer *imp, const lg_json *item)
{
    const struct item_name *name = item_name_of(item);
    switch (name->kind) {
    case ITEM_MESSAGE:
        lg_importer_message(imp, item);
        break;
    case ITEM_FUNCTION:
    case ITEM_CUSTOM:
    case ITEM_ACTION:
    case ITEM_APPROVAL:
        read_call(imp, item, name);
        break;
    case ITEM_MCP:
        read_mcp(imp, item, name);
        break;
    case ITEM_ACTED:
        read_acted(imp, item, name);
        break;
    case ITEM_OUTPUT:
        read_output(imp, item);
        break;
    case ITEM_ANSWER:
        read_answer(imp, item);
        break;
    case ITEM_REASONING:
    case ITEM_LISTED:
        break;
    case ITEM_UNKNOWN:
        lg_importer_issue(imp, item->offset, true, "an item of the kind `%.*s` cannot be read here",
                          LG_FMT(lg_json_str(lg_get(item, "type"))));
    }
}

// Items behind those that were read before, of which `*last` is the last one.
static void read_items(lg_importer *imp, const lg_json *items, const lg_json **last)
{
    for (size_t i = 0; i < lg_list_len(items) && lg_importer_ok(imp); i++) {
        const lg_json *item = lg_json_item(items, i);
        imp->turn = *last ? lg_trace_item_turn(*last, imp->turn, item) : imp->turn;
        lg_importer_time(imp, item);
        read_item(imp, item);
        *last = item;
    }
}

static void read_input(lg_importer *imp, const lg_json *request, const lg_json *input,
                       const lg_json **last)
{
    const lg_json *at = input ? input : request;
    if (lg_json_is(input, LG_JSON_STRING)) {
        lg_importer_add(imp, LG_EVENT_MESSAGE, LG_ROLE_USER, input->offset)->text =
            lg_json_str(input);
        *last = input;
    } else if (lg_json_is(input, LG_JSON_ARRAY)) {
        read_items(imp, input, last);
    } else if (lg_given(input) || !lg_get(request, "previous_response_id")) {
        lg_importer_issue(imp, at->offset, true, "the input is %s, not a list of items",
                          input ? lg_kind(input) : "missing");
    }
}

void lg_import_responses(lg_importer *imp, const lg_json *value)
{
    const lg_json *last = NULL;
    const lg_json *request = lg_get(value, "request");
    const lg_json *reply = request ? lg_get(value, "response") : value;
    request = request ? request : value;
    lg_importer_begin(imp, value);
    lg_importer_about(imp, value, request);
    if (lg_json_is(value, LG_JSON_ARRAY)) {
        read_items(imp, value, &last);
        lg_importer_end(imp);
        return;
    }
    const lg_json *instructions = lg_get(request, "instructions");
    if (lg_given(instructions)) {
        (void)lg_importer_content(imp, LG_ROLE_SYSTEM, instructions, instructions);
        last = instructions; // of the client, as whatever is no item of the model
    }
    if (last && lg_json_is(lg_get(request, "input"), LG_JSON_STRING)) {
        imp->turn++;
    }
    read_input(imp, request, lg_get(request, "input"), &last);
    read_items(imp, lg_get(reply, "output"), &last);
    imp->trace.ended = lg_json_str(lg_get(reply, "status"));
    lg_importer_end(imp);
}
