// claude_code.c: sessions of Claude Code, one JSON event a line; the file is one conversation.
//
// One message of the model is written in several lines with the same id, a line a part, and a tool that
// answers while the rest of the message still comes is written in between. The model had seen nothing of
// that answer when it made the calls behind it. So all lines of one id are one turn, of the time of the
// first; the calls come before what they returned (lg_importer_end). Tools behind MCP are named `mcp__server__tool`; the
// prefix is taken off. An MCP server wraps a return that is no object as {"result": ...}; where the
// line's `mcpMeta` shows that wrapper, the text is what was inside, as the tool returned it.
//
// The verdict is not in the session. By convention it stands in `eval_results.json` in the
// session's folder or the one above: [{task_id, db_match}], where the session of task 32 is
// `task_32.jsonl` (or `32.jsonl`). Without that file there is no reward.
#include "trace/trace_internal.h"

#include <sys/stat.h>

// Lines about the program rather than the conversation.
static bool is_housekeeping(lg_str type)
{
    static const char *const types[] = {
        "queue-operation", "agent-setting", "agent-name",      "last-prompt",
        "summary",         "system",        "progress",        "file-history-snapshot",
        "attachment",      "custom-title",  "permission-mode", "pr-link",
        "ai-title",        "tag",           "worktree-state",  "mode",
    };
    for (size_t i = 0; i < LG_COUNT(types); i++) {
        if (lg_str_eq(type, lg_str_c(types[i]))) {
            return true;
        }
    }
    return false;
}

// Takes the wrapper off the one result that `line` brought.
static void unwrap(lg_importer *imp, const lg_json *line, size_t first_event)
{
    const lg_json *content = lg_get(lg_get(line, "mcpMeta"), "structuredContent");
    const lg_json *inner = lg_get(content, "result");
    if (!inner || lg_json_len(content) != 1 || imp->event_count != first_event + 1) {
        return;
    }
    lg_trace_event *event = &imp->events[first_event];
    if (event->kind == LG_EVENT_RESULT && lg_str_starts(event->text, LG_STR("{\"result\""))) {
        event->text = lg_importer_json(imp, inner);
    }
}

// A sub-agent's own messages stand in between. What it is told comes from the agent: it is nothing that the user said.
static void read_side_chain(lg_importer *imp, const lg_json *line, size_t first_event)
{
    if (!lg_json_is_true(lg_get(line, "isSidechain"))) {
        return;
    }
    imp->has_side_chains = true;
    for (size_t i = first_event; i < imp->event_count; i++) {
        lg_trace_event *event = &imp->events[i];
        if (event->kind == LG_EVENT_MESSAGE && event->role == LG_ROLE_USER) {
            event->role = LG_ROLE_AGENT;
        }
    }
}

static void read_message(lg_importer *imp, const lg_json *line, const lg_json *message)
{
    size_t first = imp->event_count;
    const lg_json *role = lg_get(message, "role");
    if (!lg_json_is(message, LG_JSON_OBJECT)) {
        lg_importer_issue(imp, line->offset, true, "a line without a message");
        return;
    }
    if (!role) {
        lg_importer_issue(imp, message->offset, true, "a message without a role");
        return;
    }
    lg_importer_message(imp, message);
    if (lg_importer_ok(imp)) {
        unwrap(imp, line, first);
        read_side_chain(imp, line, first);
    }
}

// The message that `line` is a part of, if it is one of the latest that had parts.
static const lg_streamed *find_streamed(const lg_importer *imp, lg_str id)
{
    for (size_t i = 0; i < LG_STREAMED_KEPT && id.len; i++) {
        if (lg_str_eq(id, imp->streamed[i].id)) {
            return &imp->streamed[i];
        }
    }
    return NULL;
}

// The turn and time of what `line` adds: its own, or those of the message that it goes on with.
static void begin_line(lg_importer *imp, const lg_json *line, lg_str id)
{
    const lg_streamed *streamed = find_streamed(imp, id);
    if (streamed) {
        imp->turn = streamed->turn;
        imp->has_time = streamed->has_time;
        imp->time = streamed->time;
        return;
    }
    imp->turn = imp->message_count++;
    lg_importer_time(imp, line);
    if (id.len) {
        imp->streamed[imp->streamed_count++ % LG_STREAMED_KEPT] =
            (lg_streamed){id, imp->turn, imp->has_time, imp->time};
    }
}

static void read_facts(lg_importer *imp, const lg_json *line)
{
    static const char *const about[] = {"version",    "cwd",     "gitBranch",     "userType",
                                        "entrypoint", "agentId", "permissionMode"};
    lg_facts facts = {0};
    lg_facts_pick(&facts, line, about, LG_COUNT(about));
    imp->trace.metadata = lg_facts_make(imp, &facts);
}

void lg_import_claude_code(lg_importer *imp, const lg_json *line)
{
    const lg_json *message = lg_get(line, "message");
    lg_str type = lg_json_str(lg_get(line, "type"));
    bool of_model = lg_str_eq(type, LG_STR("assistant"));
    if (!imp->open) {
        imp->strip_mcp = true;
        lg_importer_begin(imp, line);
    }
    if (imp->trace.name.len == 0) {
        imp->trace.name = lg_json_str(lg_get(line, "sessionId"));
    }
    if (!imp->trace.metadata && lg_given(lg_get(line, "version"))) { // the first line that tells
        read_facts(imp, line);
    }
    if (of_model || lg_str_eq(type, LG_STR("user"))) {
        begin_line(imp, line, of_model ? lg_json_str(lg_get(message, "id")) : LG_STR(""));
        read_message(imp, line, message);
        if (imp->trace.model.len == 0) {
            imp->trace.model = lg_json_str(lg_get(message, "model"));
        }
        lg_str stop = lg_json_str(lg_get(message, "stop_reason"));
        imp->trace.ended = of_model ? stop : imp->trace.ended;
    } else if (!is_housekeeping(type) || lg_given(message) ||
               lg_given(lg_get(lg_get(line, "data"), "message"))) {
        const char *with = is_housekeeping(type) ? " that holds a message" : "";
        lg_importer_issue(imp, line->offset, true, "a line of the type `%.*s`%s", LG_FMT(type),
                          with);
    }
}

// --- The verdict beside the session -------------------------------------------------------------

// The name of the file in `path` without folders and without its last extension.
static lg_str stem_of(lg_str path)
{
    size_t from = path.len;
    while (from > 0 && path.ptr[from - 1] != '/') {
        from--;
    }
    size_t to = path.len;
    while (to > from && path.ptr[to - 1] != '.') {
        to--;
    }
    return lg_str_slice(path, from, to > from ? to - 1 : path.len);
}

// `task_32` is of task 32. Any other name (most sessions are named by chance) is a task's id only if
// a verdict says so.
static lg_str task_of(lg_str stem)
{
    return lg_str_starts(stem, LG_STR("task_")) ? lg_str_slice(stem, 5, stem.len) : LG_STR("");
}

static lg_str folder_of(lg_str path)
{
    size_t len = path.len;
    while (len > 0 && path.ptr[len - 1] != '/') {
        len--;
    }
    return lg_str_slice(path, 0, len);
}

static void take_verdict(lg_importer *imp, const lg_json *entries, lg_str stem, lg_trace *trace)
{
    lg_str task = trace->task.len ? trace->task : stem;
    for (size_t i = 0; i < lg_list_len(entries); i++) {
        const lg_json *entry = lg_json_item(entries, i);
        const lg_json *match = lg_get(entry, "db_match");
        if (lg_str_eq(lg_importer_word(imp, lg_get(entry, "task_id")), task) &&
            lg_json_is(match, LG_JSON_BOOL)) {
            trace->task = lg_importer_copy(imp, task);
            trace->has_reward = true;
            trace->reward = match->as.boolean ? 1.0 : 0.0;
            return;
        }
    }
}

// Reads the file at `path`, which messages call `name`. False: there is none.
static bool read_verdicts(lg_importer *imp, const char *path, const char *name, lg_str stem,
                          lg_trace *trace)
{
    lg_file file = {0};
    const lg_json *entries = NULL;
    lg_error why;
    struct stat info;
    if (stat(path, &info) != 0) {
        return false;
    }
    if (!S_ISREG(info.st_mode)) { // a pipe would be waited for
        lg_importer_issue(imp, 0, false, "no reward: %s is no regular file", name);
        return true;
    }
    if (lg_file_read(path, &imp->limits, &file, &why) != LG_OK) {
        lg_importer_issue(imp, 0, false, "no reward: %s", why.msg);
        return true;
    }
    if (lg_importer_parse(imp, file.text, &entries, &why)) {
        take_verdict(imp, entries, stem, trace);
    } else {
        lg_importer_issue(imp, 0, false, "no reward: %s:%u:%u: %s", name, why.line, why.column,
                          why.msg);
    }
    lg_file_close(&file);
    return true;
}

void lg_import_claude_code_verdict(lg_importer *imp, const char *path)
{
    static const char *const places[] = {"eval_results.json", "../eval_results.json"};
    if (!lg_importer_ok(imp) || imp->set->count != 1) {
        return;
    }
    lg_str folder = folder_of(lg_str_c(path));
    lg_trace *trace = &imp->set->traces[0];
    lg_str stem = stem_of(lg_str_c(path));
    trace->task = lg_importer_copy(imp, task_of(stem));
    for (size_t i = 0; i < LG_COUNT(places); i++) {
        lg_str place = lg_importer_printf(imp, "%.*s%s", LG_FMT(folder), places[i]);
        if (!lg_importer_ok(imp) || read_verdicts(imp, place.ptr, places[i], stem, trace)) {
            return;
        }
    }
}
