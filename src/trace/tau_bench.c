// tau_bench.c: lists of tau-bench runs: [{task_id, reward, info, traj, trial}].
//
// Most runs use tool calls; their messages are OpenAI's. A ReAct run has none: what the agent does
// stands as JSON behind `Action:` in its text, and what the tool returned comes as a message of the
// user that begins "API output: ". Read here as the benchmark itself reads it: behind the last
// `Action:`, or the whole text if there is none; `respond` is speech; what is no action is speech
// too, for it was shown to the user. The thoughts before it are reasoning and make no event.
//
// No run names its domain. It is that of its policy's heading ("# Retail agent policy"), else that
// of a tool that only one of the benchmarks has; a run without either, because it never began,
// takes the domain of the run before it in the file.
#include "trace/trace_internal.h"

static bool contains(lg_str text, const char *needle)
{
    return lg_str_find(text, lg_str_c(needle)) != SIZE_MAX;
}

// --- ReAct --------------------------------------------------------------------------------------

static bool is_react(const lg_json *messages)
{
    bool any = false;
    for (size_t i = 0; i < lg_list_len(messages); i++) {
        const lg_json *message = lg_json_item(messages, i);
        lg_str role = lg_json_str(lg_get(message, "role"));
        const lg_json *calls = lg_get(message, "tool_calls");
        bool has_calls =
            lg_given(calls) && (lg_list_len(calls) || !lg_json_is(calls, LG_JSON_ARRAY));
        if (lg_str_eq(role, LG_STR("tool")) || has_calls ||
            lg_given(lg_get(message, "function_call"))) {
            return false;
        }
        any = any || (lg_str_eq(role, LG_STR("assistant")) &&
                      contains(lg_json_str(lg_get(message, "content")), "Action:"));
    }
    return any;
}

// What stands behind the last `Action:`, or all of it.
static lg_str action_text(lg_str content)
{
    static const lg_str mark = {"Action:", 7};
    lg_str rest = content;
    for (;;) {
        size_t at = lg_str_find(rest, mark);
        if (at == SIZE_MAX) {
            return lg_str_trim(rest);
        }
        rest = lg_str_slice(rest, at + mark.len, rest.len);
    }
}

// The action in `content`, or NULL: then `*ret_why` says why, or is empty if there is no sign of one.
static const lg_json *parse_action(lg_importer *imp, lg_str content, lg_error *ret_why)
{
    const lg_json *action = NULL;
    lg_str text = action_text(content);
    *ret_why = (lg_error){0};
    if (!contains(content, "Action:") && !lg_str_starts(text, LG_STR("{"))) {
        return NULL;
    }
    if (!lg_importer_parse(imp, text, &action, ret_why)) {
        return NULL;
    }
    if (!lg_json_is(lg_get(action, "name"), LG_JSON_STRING)) {
        lg_fail(ret_why, LG_ERR_FORMAT, "it has no name");
        return NULL;
    }
    return action;
}

static void read_action(lg_importer *imp, const lg_json *message)
{
    const lg_json *recorded = lg_get(message, "content");
    lg_str content = lg_json_str(recorded);
    lg_error why;
    if (lg_given(recorded) && !lg_json_is(recorded, LG_JSON_STRING)) {
        lg_importer_issue(imp, recorded->offset, true,
                          "the content of a message is %s: an action in it cannot be read",
                          lg_kind(recorded));
    }
    const lg_json *action = parse_action(imp, content, &why);
    lg_str name = lg_json_str(lg_get(action, "name"));
    const lg_json *args = lg_get(action, "arguments");
    const lg_json *said = lg_get(args, "content");
    if (action && lg_str_eq(name, LG_STR("respond")) && lg_json_is(said, LG_JSON_STRING)) {
        lg_importer_add(imp, LG_EVENT_MESSAGE, LG_ROLE_AGENT, message->offset)->text =
            lg_json_str(said);
        return;
    }
    if (!action) {
        if (why.msg[0]) {
            lg_importer_issue(imp, message->offset, false,
                              "no readable action, so it was said to the user: %s", why.msg);
        }
        lg_importer_message(imp, message);
        return;
    }
    lg_trace_event *call = lg_importer_call(imp, LG_ROLE_AGENT, message, name, args);
    call->id = LG_STR("");
}

// After a call the next message of the user is the tool's return, if it says so. Without a call it
// is the user's words, whatever they begin with.
static bool read_output(lg_importer *imp, const lg_json *message)
{
    static const lg_str mark = {"API output: ", 12};
    lg_str content = lg_json_str(lg_get(message, "content"));
    const lg_trace_event *last = imp->event_count ? &imp->events[imp->event_count - 1] : NULL;
    bool is_user = lg_str_eq(lg_json_str(lg_get(message, "role")), LG_STR("user"));
    if (!is_user || !last || last->kind != LG_EVENT_CALL || !lg_str_starts(content, mark)) {
        return false;
    }
    lg_str text = lg_str_slice(content, mark.len, content.len);
    lg_event_kind kind = lg_text_is_error(text) ? LG_EVENT_ERROR : LG_EVENT_RESULT;
    lg_importer_add(imp, kind, LG_ROLE_AGENT, message->offset)->text = text;
    return true;
}

static void read_react(lg_importer *imp, const lg_json *messages)
{
    for (size_t i = 0; i < lg_list_len(messages) && lg_importer_ok(imp); i++) {
        const lg_json *message = lg_json_item(messages, i);
        lg_str role = lg_json_str(lg_get(message, "role"));
        imp->turn = (uint32_t)i;
        if (lg_str_eq(role, LG_STR("assistant"))) {
            read_action(imp, message);
        } else if (!read_output(imp, message)) {
            lg_importer_message(imp, message);
        }
    }
}

// --- Runs ---------------------------------------------------------------------------------------

// `r_actions`: the data is as it has to be; `r_outputs`: all that had to be said was said.
static void read_facts(lg_importer *imp, const lg_json *run, const lg_json *info)
{
    static const char *const about[] = {"source", "user_cost"};
    const lg_json *reward = lg_get(info, "reward_info");
    const lg_json *parts = lg_get(reward, "info");
    lg_facts checks = {0};
    lg_facts metadata = {0};
    lg_facts_score(&checks, "db", lg_get(parts, "r_actions"));
    lg_facts_score(&checks, "communicate", lg_get(parts, "r_outputs"));
    lg_facts_pick(&metadata, info, about, LG_COUNT(about));
    lg_facts_add(&metadata, "user_id", lg_get(lg_get(info, "task"), "user_id"));
    imp->trace.checks = lg_facts_make(imp, &checks);
    imp->trace.metadata = lg_facts_make(imp, &metadata);
    imp->trace.request = lg_json_str(lg_get(lg_get(info, "task"), "instruction"));
    imp->trace.tools = lg_importer_tools(run);
    imp->trace.ended = lg_given(lg_get(info, "error")) ? LG_STR("error") : LG_STR("");
}

// tau-bench names no model in its files but in their names: STRATEGY-MODEL-TEMPERATURE_range_FROM-TO_user-...
static lg_str model_of_path(lg_str path)
{
    static const char *const strategies[] = {"tool-calling-", "react-", "act-", "few-shot-"};
    size_t slash = path.len;
    while (slash > 0 && path.ptr[slash - 1] != '/') {
        slash--;
    }
    lg_str name = lg_str_slice(path, slash, path.len);
    size_t end = lg_str_find(name, LG_STR("_range_"));
    while (end != SIZE_MAX && end > 0 && name.ptr[end - 1] != '-') {
        end--; // the temperature
    }
    for (size_t i = 0; i < LG_COUNT(strategies) && end != SIZE_MAX; i++) {
        lg_str strategy = lg_str_c(strategies[i]);
        if (lg_str_starts(name, strategy) && end > strategy.len + 1) {
            lg_str model = lg_str_slice(name, strategy.len, end - 1);
            return lg_str_ends(model, LG_STR("none")) ? LG_STR("") : model;
        }
    }
    return LG_STR("");
}

static void read_about(lg_importer *imp, const lg_json *run)
{
    const lg_json *info = lg_get(run, "info");
    const lg_json *actions = lg_get(lg_get(info, "task"), "actions");
    const lg_json *error = lg_get(info, "error");
    if (!lg_given(actions)) {
        actions = lg_get(lg_get(info, "reward_info"), "actions");
    }
    imp->trace.expected = lg_importer_actions(imp, actions);
    imp->trace.model = model_of_path(imp->set->path);
    imp->trace.task = lg_importer_word(imp, lg_get(run, "task_id"));
    lg_importer_reward(imp, lg_get(run, "reward"));
    lg_importer_trial(imp, lg_get(run, "trial"));
    imp->trace.name = lg_importer_printf(imp, "%.*s/%u", LG_FMT(imp->trace.task), imp->trace.trial);
    read_facts(imp, run, info);
    if (lg_given(error)) {
        lg_importer_issue(imp, error->offset, false, "the run failed: %.*s",
                          LG_FMT(lg_json_str(error)));
    }
}

static void read_run(lg_importer *imp, const lg_json *run)
{
    const lg_json *messages = lg_get(run, "traj");
    if (!lg_json_is(run, LG_JSON_OBJECT)) {
        lg_importer_issue(imp, run->offset, true, "a run that is %s", lg_kind(run));
        return;
    }
    lg_importer_begin(imp, run);
    read_about(imp, run);
    if (is_react(messages)) {
        read_react(imp, messages);
    } else {
        lg_importer_messages(imp, messages, run);
    }
    imp->trace.domain = lg_importer_guess_domain(imp);
    if (imp->trace.domain.len == 0 && imp->set->count > 0) {
        imp->trace.domain = imp->set->traces[imp->set->count - 1].domain;
    }
    lg_importer_end(imp);
}

void lg_import_tau_bench(lg_importer *imp, const lg_json *value)
{
    for (size_t i = 0; i < lg_list_len(value) && lg_importer_ok(imp); i++) {
        read_run(imp, lg_json_item(value, i));
    }
}
