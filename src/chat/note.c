// note.c: what hides history, and tools that act without showing a call: tables of fields and types.
//
// A type of tool that is not known is taken for one that the upstream runs: what the client runs is a short and stable
// list, what upstreams run is neither.
#include "chat/note.h"

typedef struct notes {
    lg_arena *arena;
    lg_chat_note *items;
    size_t count;
    size_t capacity;
    bool failed;
} notes;

static void add(notes *n, lg_chat_note_kind kind, lg_str id, const lg_json *at)
{
    lg_chat_note *items = lg_arena_grow(n->arena, n->items, n->count, &n->capacity, sizeof(*items));
    if (!items) {
        n->failed = true;
        return;
    }
    n->items = items;
    items[n->count++] = (lg_chat_note){kind, id, at->offset};
}

const char *lg_chat_note_name(lg_chat_note_kind kind)
{
    switch (kind) {
    case LG_CHAT_PREVIOUS_RESPONSE:
        return "previous_response";
    case LG_CHAT_CONVERSATION:
        return "conversation";
    case LG_CHAT_ITEM_REFERENCE:
        return "item_reference";
    case LG_CHAT_COMPACTION:
        return "compaction";
    case LG_CHAT_PROMPT:
        return "prompt";
    case LG_CHAT_BACKGROUND:
        return "background";
    case LG_CHAT_CONTAINER:
        return "container";
    case LG_CHAT_BUILT_IN:
        return "built_in";
    case LG_CHAT_BAD_FIELD:
        break;
    }
    return "bad_field";
}

// --- Fields -------------------------------------------------------------------------------------

typedef struct field_note {
    lg_chat_api api;
    const char *field;
    lg_chat_note_kind kind;
    bool even_empty; // an empty object says it as well
} field_note;

static const field_note field_notes[] = {
    {LG_CHAT_RESPONSES, "previous_response_id", LG_CHAT_PREVIOUS_RESPONSE, false},
    {LG_CHAT_RESPONSES, "conversation", LG_CHAT_CONVERSATION, false},
    {LG_CHAT_RESPONSES, "prompt", LG_CHAT_PROMPT, false},
    {LG_CHAT_RESPONSES, "background", LG_CHAT_BACKGROUND, false},
    {LG_CHAT_RESPONSES, "context_management", LG_CHAT_COMPACTION, false},
    {LG_CHAT_COMPLETIONS, "web_search_options", LG_CHAT_BUILT_IN, true},
    {LG_CHAT_COMPLETIONS, "search_parameters", LG_CHAT_BUILT_IN, true}, // xAI
    {LG_CHAT_COMPLETIONS, "plugins", LG_CHAT_BUILT_IN, false},          // OpenRouter
    {LG_CHAT_COMPLETIONS, "mcp_servers", LG_CHAT_BUILT_IN, false},
    {LG_CHAT_COMPLETIONS, "data_sources", LG_CHAT_BUILT_IN, false},    // Azure
    {LG_CHAT_COMPLETIONS, "enable_search", LG_CHAT_BUILT_IN, false},   // Qwen
    {LG_CHAT_COMPLETIONS, "compound_custom", LG_CHAT_BUILT_IN, false}, // Groq
    {LG_CHAT_MESSAGES, "container", LG_CHAT_CONTAINER, false},
    {LG_CHAT_MESSAGES, "mcp_servers", LG_CHAT_BUILT_IN, false},
    {LG_CHAT_MESSAGES, "context_management", LG_CHAT_COMPACTION, false},
};

static bool is_nothing(const lg_json *value)
{
    bool is_false = lg_json_is(value, LG_JSON_BOOL) && !lg_json_is_true(value);
    bool is_empty = (lg_json_is(value, LG_JSON_ARRAY) || lg_json_is(value, LG_JSON_OBJECT)) &&
                    lg_json_len(value) == 0;
    return !lg_given(value) || is_false || is_empty;
}

static void note_fields(notes *n, const lg_chat_request *request)
{
    for (size_t i = 0; i < LG_COUNT(field_notes); i++) {
        const field_note *note = &field_notes[i];
        const lg_json *value = lg_get(request->root, note->field);
        bool empty = note->even_empty ? !lg_given(value) : is_nothing(value);
        if (note->api != request->api || empty) {
            continue;
        }
        const lg_json *id = lg_get(value, "id");
        bool by_field = note->kind == LG_CHAT_BUILT_IN || note->kind == LG_CHAT_BACKGROUND;
        add(n, note->kind, by_field ? lg_str_c(note->field) : lg_json_str(id ? id : value), value);
    }
}

static void note_bad_fields(notes *n, const lg_chat_request *request)
{
    static const struct {
        const char *field;
        lg_json_type type;
    } types[] = {{"model", LG_JSON_STRING},
                 {"stream", LG_JSON_BOOL},
                 {"n", LG_JSON_INT},
                 {"tools", LG_JSON_ARRAY},
                 {"stream_options", LG_JSON_OBJECT},
                 {"functions", LG_JSON_ARRAY}};
    for (size_t i = 0; i < LG_COUNT(types); i++) {
        const lg_json *value = lg_get(request->root, types[i].field);
        if (lg_given(value) && !lg_json_is(value, types[i].type)) {
            add(n, LG_CHAT_BAD_FIELD, lg_str_c(types[i].field), value);
        }
    }
}

// --- Items --------------------------------------------------------------------------------------

static void note_items(notes *n, const lg_json *items)
{
    for (size_t i = 0; i < lg_list_len(items); i++) {
        const lg_json *item = lg_json_item(items, i);
        if (lg_text_is(lg_get(item, "type"), "item_reference")) {
            add(n, LG_CHAT_ITEM_REFERENCE, lg_json_str(lg_get(item, "id")), item);
        } else if (lg_text_is(lg_get(item, "type"), "compaction") ||
                   lg_text_is(lg_get(item, "type"), "compaction_summary")) {
            add(n, LG_CHAT_COMPACTION, lg_json_str(lg_get(item, "id")), item);
        }
    }
}

// --- Tools --------------------------------------------------------------------------------------

static bool is_one_of(lg_str type, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (lg_str_eq(type, lg_str_c(names[i]))) {
            return true;
        }
    }
    return false;
}

// An MCP server acts without being asked about, unless all of its calls need an approval. A shell is the client's, unless it
// runs in a container of the upstream.
static bool is_client_tool_of_responses(const lg_json *tool, lg_str type)
{
    static const char *const names[] = {"function",    "custom",      "computer_use_preview",
                                        "computer",    "local_shell", "apply_patch",
                                        "computer_use"};
    const lg_json *where = lg_get(lg_get(tool, "environment"), "type");
    if (lg_str_eq(type, LG_STR("mcp"))) {
        return lg_text_is(lg_get(tool, "require_approval"), "always");
    }
    if (lg_str_eq(type, LG_STR("shell"))) {
        return !where || lg_text_is(where, "local");
    }
    return is_one_of(type, names, LG_COUNT(names));
}

static bool is_client_tool_of_messages(const lg_json *tool, lg_str type)
{
    static const char *const kinds[] = {"bash_", "text_editor_", "computer_", "memory_"};
    if (!lg_given(lg_get(tool, "type")) || lg_str_eq(type, LG_STR("custom"))) {
        return true;
    }
    for (size_t i = 0; i < LG_COUNT(kinds); i++) {
        if (lg_str_starts(type, lg_str_c(kinds[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_client_tool(lg_chat_api api, const lg_json *tool)
{
    lg_str type = lg_json_str(lg_get(tool, "type"));
    switch (api) {
    case LG_CHAT_RESPONSES:
        return is_client_tool_of_responses(tool, type);
    case LG_CHAT_MESSAGES:
        return is_client_tool_of_messages(tool, type);
    case LG_CHAT_COMPLETIONS:
    case LG_CHAT_API_COUNT:
        break;
    }
    return lg_str_eq(type, LG_STR("function")) || lg_str_eq(type, LG_STR("custom"));
}

static void note_tools(notes *n, const lg_chat_request *request)
{
    for (size_t i = 0; i < lg_list_len(request->tools); i++) {
        const lg_json *tool = lg_json_item(request->tools, i);
        if (!is_client_tool(request->api, tool)) {
            add(n, LG_CHAT_BUILT_IN, lg_json_str(lg_get(tool, "type")), tool);
        }
    }
}

lg_status lg_chat_take_notes(lg_arena *arena, lg_chat_request *request, lg_error *reterr)
{
    notes n = {.arena = arena};
    note_fields(&n, request);
    note_bad_fields(&n, request);
    note_tools(&n, request);
    if (request->api == LG_CHAT_RESPONSES) {
        note_items(&n, lg_get(request->root, "input"));
    }
    request->notes = n.items;
    request->note_count = n.count;
    return n.failed ? lg_fail_oom(reterr) : LG_OK;
}
