// vscode.c: chat exports of VS Code: {responderUsername, requests: [...]}; the file is one
// conversation.
//
// A request keeps two views. `response` is for display and has no arguments; what really happened
// is in `result.metadata`: `toolCallRounds` (the agent's text and its calls) and `toolCallResults`
// (returns by call id). The second view is read, the first only where there is no second. The order
// is that of the rounds; a round's returns follow its calls, for they have no place of their own.
// The user's words are one turn, each round is one.
//
// A return is a string or the tree that VS Code would have rendered; its text is the tree's leaves.
// Errors are texts, and so is the user's refusal to run a tool.
#include "trace/trace_internal.h"

// Nodes nest two levels of JSON each; deeper than this is no rendering of a return.
enum { TREE_DEPTH = 100 };

static bool is_failure(lg_str text)
{
    return lg_str_starts(text, LG_STR("ERROR while calling tool")) ||
           lg_str_starts(text, LG_STR("The user cancelled the tool call")) ||
           lg_str_starts(text, LG_STR("The user chose to skip the tool call"));
}

// --- Returns ------------------------------------------------------------------------------------

static void add_leaves(lg_importer *imp, const lg_json *node, int depth)
{
    const lg_json *children = lg_get(node, "children");
    if (depth > TREE_DEPTH) {
        lg_importer_issue(imp, node->offset, true, "a return that nests more than %d levels",
                          TREE_DEPTH);
        return;
    }
    if (lg_json_is_true(lg_get(node, "lineBreakBefore"))) {
        lg_buf_add_byte(&imp->joined, '\n');
    }
    lg_buf_add(&imp->joined, lg_json_str(lg_get(node, "text")));
    for (size_t i = 0; i < lg_list_len(children); i++) {
        add_leaves(imp, lg_json_item(children, i), depth + 1);
    }
}

static void add_value(lg_importer *imp, const lg_json *piece)
{
    const lg_json *value = lg_get(piece, "value");
    const lg_json *node = lg_get(value, "node");
    if (lg_json_is(value, LG_JSON_STRING)) {
        lg_buf_add(&imp->joined, lg_json_str(value));
    } else if (node) {
        add_leaves(imp, node, 0);
    } else {
        lg_importer_issue(imp, piece->offset, true, "a part of a return that is no text");
    }
}

static lg_str return_text(lg_importer *imp, const lg_json *result)
{
    const lg_json *content = lg_get(result, "content");
    if (lg_list_len(content) == 1 &&
        lg_json_is(lg_get(lg_json_item(content, 0), "value"), LG_JSON_STRING)) {
        return lg_json_str(lg_get(lg_json_item(content, 0), "value")); // borrowed as it is
    }
    lg_buf_clear(&imp->joined);
    for (size_t i = 0; i < lg_list_len(content); i++) {
        add_value(imp, lg_json_item(content, i));
    }
    if (lg_buf_status(&imp->joined) != LG_OK) {
        lg_importer_fail_oom(imp);
        return LG_STR("");
    }
    return lg_importer_copy(imp, lg_buf_str(&imp->joined));
}

static void read_result(lg_importer *imp, const lg_trace_event *call, const lg_json *result)
{
    lg_str id = call->id;
    lg_str text = return_text(imp, result);
    lg_event_kind kind = is_failure(text) ? LG_EVENT_ERROR : LG_EVENT_RESULT;
    lg_trace_event *event = lg_importer_add(imp, kind, LG_ROLE_AGENT, result->offset);
    event->id = id;
    event->text = text;
}

// --- What really happened -----------------------------------------------------------------------

static void say(lg_importer *imp, lg_role role, const lg_json *at, lg_str text)
{
    if (text.len) {
        lg_importer_add(imp, LG_EVENT_MESSAGE, role, at->offset)->text = text;
    }
}

// Lists what is neither absent nor of the kind that is read.
static void expect(lg_importer *imp, const lg_json *value, lg_json_type type, const char *what)
{
    if (lg_given(value) && !lg_json_is(value, type)) {
        lg_importer_issue(imp, value->offset, true, "%s %s", what, lg_kind(value));
    }
}

// Returns how many results it took.
static size_t read_round(lg_importer *imp, const lg_json *round, const lg_json *results)
{
    size_t taken = 0;
    const lg_json *calls = lg_get(round, "toolCalls");
    const lg_json *words = lg_get(round, "response");
    if (!lg_json_is(round, LG_JSON_OBJECT)) {
        lg_importer_issue(imp, round->offset, true, "a round that is %s", lg_kind(round));
        return 0;
    }
    expect(imp, calls, LG_JSON_ARRAY, "the calls of a round are");
    expect(imp, words, LG_JSON_STRING, "the words of a round are");
    say(imp, LG_ROLE_AGENT, round, lg_json_str(words));
    size_t first = imp->event_count;
    for (size_t i = 0; i < lg_list_len(calls); i++) {
        const lg_json *call = lg_json_item(calls, i);
        lg_importer_call(imp, LG_ROLE_AGENT, call, lg_json_str(lg_get(call, "name")),
                         lg_get(call, "arguments"));
    }
    size_t end = imp->event_count;
    for (size_t i = first; i < end; i++) {
        const lg_trace_event call = imp->events[i]; // a copy: adding moves the events
        const lg_json *result = lg_json_get(results, call.id);
        if (result) {
            read_result(imp, &call, result);
            taken++;
        }
    }
    return taken;
}

// --- The display, where there is nothing else -----------------------------------------------------

static lg_str markdown_of(const lg_json *item)
{
    const lg_json *value = lg_get(item, "value");
    const lg_json *inner = lg_get(value, "value");
    return lg_json_str(inner ? inner : value);
}

static void read_shown(lg_importer *imp, const lg_json *item)
{
    static const char *const silent[] = {
        "thinking",
        "mcpServersStarting",
        "prepareToolInvocation",
        "textEditGroup",
        "inlineReference",
        "codeblockUri",
        "undoStop",
        "progressTaskSerialized",
        "progressMessage",
        "confirmation",
        "command",
        "elicitation",
    };
    lg_str kind = lg_json_str(lg_get(item, "kind"));
    if (kind.len == 0 || lg_str_eq(kind, LG_STR("markdownContent"))) {
        say(imp, LG_ROLE_AGENT, item, markdown_of(item));
        return;
    }
    if (lg_str_eq(kind, LG_STR("toolInvocationSerialized"))) {
        lg_trace_event *call = lg_importer_add(imp, LG_EVENT_CALL, LG_ROLE_AGENT, item->offset);
        call->id = lg_json_str(lg_get(item, "toolCallId"));
        call->tool = lg_json_str(lg_get(item, "toolId"));
        lg_importer_issue(imp, item->offset, false,
                          "a call of `%.*s` of which only the display was kept: no arguments, no "
                          "result",
                          LG_FMT(call->tool));
        return;
    }
    for (size_t i = 0; i < LG_COUNT(silent); i++) {
        if (lg_str_eq(kind, lg_str_c(silent[i]))) {
            return;
        }
    }
    lg_importer_issue(imp, item->offset, true, "a part of the kind `%.*s` cannot be read here",
                      LG_FMT(kind));
}

static size_t count_calls(const lg_json *rounds)
{
    size_t count = 0;
    for (size_t i = 0; i < lg_list_len(rounds); i++) {
        count += lg_list_len(lg_get(lg_json_item(rounds, i), "toolCalls"));
    }
    return count;
}

// Calls on display that were turned down or skipped, or that no one waited for.
static size_t count_carried_out(const lg_json *shown)
{
    size_t count = 0;
    for (size_t i = 0; i < lg_list_len(shown); i++) {
        const lg_json *item = lg_json_item(shown, i);
        const lg_json *confirmed = lg_get(item, "isConfirmed");
        int64_t how = 1;
        (void)lg_json_int(lg_get(confirmed, "type"), &how); // 0: turned down, 5: skipped
        bool agreed = lg_json_is(confirmed, LG_JSON_BOOL) ? lg_json_is_true(confirmed)
                                                          : lg_given(confirmed) && how && how != 5;
        count += agreed &&
                 lg_str_eq(lg_json_str(lg_get(item, "kind")), LG_STR("toolInvocationSerialized"));
    }
    return count;
}

// --- Requests -----------------------------------------------------------------------------------

static void read_answer(lg_importer *imp, const lg_json *request)
{
    const lg_json *result = lg_get(request, "result");
    const lg_json *metadata = lg_get(result, "metadata");
    const lg_json *rounds = lg_get(metadata, "toolCallRounds");
    const lg_json *shown = lg_get(request, "response");
    const lg_json *error = lg_get(result, "errorDetails");
    const lg_json *results = lg_get(metadata, "toolCallResults");
    size_t taken = 0;
    for (size_t i = 0; i < lg_list_len(rounds) && lg_importer_ok(imp); i++) {
        imp->turn++;
        taken += read_round(imp, lg_json_item(rounds, i), results);
    }
    size_t carried_out = count_carried_out(shown);
    size_t recorded = count_calls(rounds);
    if (lg_list_len(rounds) > 0 && carried_out > recorded) {
        lg_importer_issue(imp, shown->offset, true,
                          "%zu call%s shown as carried out, of %zu is known what they were",
                          carried_out, carried_out == 1 ? " is" : "s are", recorded);
    }
    if (taken < lg_json_len(results)) {
        lg_importer_issue(imp, results->offset, true, "%zu result%s of calls that are in no round",
                          lg_json_len(results) - taken, lg_plural(lg_json_len(results) - taken));
    }
    expect(imp, rounds, LG_JSON_ARRAY, "the rounds of a request are");
    expect(imp, shown, LG_JSON_ARRAY, "the response of a request is");
    if (lg_list_len(rounds) == 0 && lg_list_len(shown) > 0) {
        imp->turn++;
        for (size_t i = 0; i < lg_list_len(shown) && lg_importer_ok(imp); i++) {
            read_shown(imp, lg_json_item(shown, i));
        }
    }
    if (lg_given(error)) {
        lg_importer_issue(imp, error->offset, false, "the request failed: %.*s",
                          LG_FMT(lg_json_str(lg_get(error, "message"))));
    }
}

// Some tools write {prompt, completion} under the name of an export. That is two texts, no more.
static bool read_texts(lg_importer *imp, const lg_json *request)
{
    const lg_json *prompt = lg_get(request, "prompt");
    const lg_json *completion = lg_get(request, "completion");
    if (!lg_json_is(prompt, LG_JSON_STRING) || !lg_json_is(completion, LG_JSON_STRING)) {
        return false;
    }
    lg_importer_issue(imp, request->offset, false,
                      "not a request as VS Code writes it: read as two texts");
    say(imp, LG_ROLE_USER, prompt, lg_json_str(prompt));
    imp->turn++;
    say(imp, LG_ROLE_AGENT, completion, lg_json_str(completion));
    return true;
}

static void read_request(lg_importer *imp, const lg_json *request)
{
    const lg_json *message = lg_get(request, "message");
    const lg_json *words = lg_get(message, "text");
    words = words ? words : message;
    imp->turn += imp->event_count ? 1 : 0;
    if (read_texts(imp, request)) {
        return;
    }
    if (!lg_json_is(words, LG_JSON_STRING)) {
        lg_importer_issue(imp, request->offset, true, "a request without the user's words");
        read_answer(imp, request); // what was done is done
        return;
    }
    if (imp->trace.model.len == 0) {
        imp->trace.model = lg_json_str(lg_get(request, "modelId"));
    }
    lg_importer_add(imp, LG_EVENT_MESSAGE, LG_ROLE_USER, request->offset)->text =
        lg_json_str(words);
    read_answer(imp, request);
}

static void read_facts(lg_importer *imp, const lg_json *value, const lg_json *last)
{
    static const char *const about[] = {"responderUsername", "initialLocation"};
    const lg_json *agent = lg_get(last, "agent");
    lg_facts facts = {0};
    lg_facts_pick(&facts, value, about, LG_COUNT(about));
    lg_facts_add(&facts, "agent", lg_get(agent, "id"));
    lg_facts_add(&facts, "extensionVersion", lg_get(agent, "extensionVersion"));
    imp->trace.metadata = lg_facts_make(imp, &facts);
    if (lg_given(lg_get(lg_get(last, "result"), "errorDetails"))) {
        imp->trace.ended = LG_STR("error");
    }
}

void lg_import_vscode(lg_importer *imp, const lg_json *value)
{
    const lg_json *requests = lg_get(value, "requests");
    lg_str session = lg_json_str(lg_get(value, "sessionId"));
    lg_str first = lg_json_str(lg_get(lg_json_item(requests, 0), "requestId"));
    lg_importer_begin(imp, value);
    imp->trace.name = session.len ? session : first.len ? first : LG_STR("chat");
    for (size_t i = 0; i < lg_list_len(requests) && lg_importer_ok(imp); i++) {
        read_request(imp, lg_json_item(requests, i));
    }
    size_t count = lg_list_len(requests);
    read_facts(imp, value, count ? lg_json_item(requests, count - 1) : NULL);
    lg_importer_end(imp);
}
