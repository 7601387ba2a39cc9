// recognise.c: which format a value is in, by the keys that only that format has.
//
// The file's name does not matter: a recording keeps its shape wherever it is copied to. Files beside
// recordings that are something else (annotations, evaluations, tool schemas) are named, because "not
// recognised" would send people looking for a mistake in them.
#include "trace/trace_internal.h"

static bool has(const lg_json *object, const char *key)
{
    return lg_get(object, key) != NULL;
}

static bool has_list(const lg_json *object, const char *key)
{
    return lg_json_is(lg_get(object, key), LG_JSON_ARRAY);
}

static bool is_agentdojo(const lg_json *value)
{
    const lg_json *metadata = lg_get(value, "metadata");
    if (has(value, "messages")) {
        return has(metadata, "user_task_id") || has(metadata, "suite_name") ||
               (has(value, "suite_name") && has(value, "pipeline_name"));
    }
    return has(metadata, "benchmark") && lg_json_len(value) == 1; // the first line of an export
}

static bool is_claude_code(const lg_json *value)
{
    return lg_json_is(lg_get(value, "type"), LG_JSON_STRING) &&
           (has(value, "sessionId") || has(value, "parentUuid") || has(value, "leafUuid") ||
            has(value, "messageId"));
}

static bool is_tau2_simulation(const lg_json *value)
{
    return has(value, "messages") && has(value, "task_id") &&
           (has(value, "run_info") || has(value, "termination_reason") ||
            has(value, "reward_info"));
}

// A request that has the marks of Anthropic's API; without them its messages read the same as OpenAI's.
static bool is_messages(const lg_json *value)
{
    return has_list(value, "messages") &&
           (has(value, "system") || has(value, "anthropic_version") ||
            has(lg_json_item(lg_get(value, "tools"), 0), "input_schema"));
}

static bool is_responses(const lg_json *value)
{
    const lg_json *input = lg_get(value, "input");
    return !has(value, "messages") && (lg_json_is(input, LG_JSON_ARRAY) ||
                                       (lg_json_is(input, LG_JSON_STRING) && has(value, "model")));
}

// The items of the Responses API: among them is one that is no message.
static bool is_items(const lg_json *value)
{
    for (size_t i = 0; i < lg_list_len(value); i++) {
        if (lg_trace_is_item(lg_json_item(value, i))) {
            return true;
        }
    }
    return false;
}

static lg_trace_format recognise_request(const lg_json *value)
{
    if (is_messages(value)) {
        return LG_TRACE_MESSAGES;
    }
    return is_responses(value) ? LG_TRACE_RESPONSES : LG_TRACE_AUTO;
}

static bool is_mcp(const lg_json *value)
{
    lg_str dir = lg_json_str(lg_get(value, "dir"));
    return lg_json_is(lg_get(value, "jsonrpc"), LG_JSON_STRING) ||
           has(lg_get(value, "message"), "jsonrpc") ||
           (lg_json_is(lg_get(value, "raw"), LG_JSON_STRING) &&
            (lg_str_eq(dir, LG_STR("c2s")) || lg_str_eq(dir, LG_STR("s2c"))));
}

static lg_trace_format recognise_object(const lg_json *value)
{
    if (has_list(value, "resourceSpans")) {
        return LG_TRACE_OTEL;
    }
    if (has(value, "ledgergate_artifact")) {
        return LG_TRACE_ARTIFACT;
    }
    if (is_mcp(value)) {
        return LG_TRACE_MCP;
    }
    if (lg_json_is_number(lg_get(value, "sequence")) && has(value, "kind") && has(value, "chain")) {
        return LG_TRACE_LEDGERGATE;
    }
    if (has_list(value, "simulations")) {
        return LG_TRACE_TAU2_RESULTS;
    }
    if (has_list(value, "calls") && has(value, "task_id")) {
        return LG_TRACE_GOLD;
    }
    if (has_list(value, "requests") && !has(value, "messages")) {
        return LG_TRACE_VSCODE;
    }
    if (is_agentdojo(value)) {
        return LG_TRACE_AGENTDOJO;
    }
    if (is_tau2_simulation(value)) {
        return LG_TRACE_TAU2_SIMULATION;
    }
    if (is_claude_code(value)) {
        return LG_TRACE_CLAUDE_CODE;
    }
    const lg_json *request = lg_get(value, "request");
    if (request && has(value, "response")) { // with its reply
        bool plain = has_list(request, "messages") && has(lg_get(value, "response"), "content");
        return plain ? LG_TRACE_MESSAGES : recognise_request(request);
    }
    lg_trace_format format = recognise_request(value);
    return format == LG_TRACE_AUTO && has_list(value, "messages") ? LG_TRACE_OPENAI : format;
}

static bool is_tool_schema(const lg_json *value)
{
    return has(lg_get(value, "function"), "parameters") ||
           (has(value, "name") &&
            (has(value, "input_schema") || has(value, "inputSchema") || has(value, "parameters")));
}

static const char *looks_like(const lg_json *value)
{
    if (has(value, "db_match") && has(value, "task_id")) {
        return "results of an evaluation";
    }
    if (has(value, "failures") && has(value, "trajectory_id")) {
        return "annotations of failures";
    }
    if (has(value, "user_scenario") || (has(value, "instruction") && has(value, "actions"))) {
        return "tasks that nobody has run";
    }
    if (has(value, "resourceLogs") || has(value, "resourceMetrics")) {
        return "logs or metrics of OpenTelemetry; conversations are read from its spans";
    }
    if (has_list(value, "spans")) {
        return "spans of a form of their own, not OTLP (which begins with `resourceSpans`)";
    }
    if (is_tool_schema(value) || is_tool_schema(lg_json_item(lg_get(value, "tools"), 0))) {
        return "tool schemas";
    }
    return NULL;
}

lg_trace_format lg_trace_recognise(const lg_json *value, const char **ret_looks_like)
{
    const lg_json *first = lg_json_item(value, 0);
    lg_trace_format format = LG_TRACE_AUTO;
    *ret_looks_like = NULL;
    if (lg_json_is(value, LG_JSON_OBJECT)) {
        format = recognise_object(value);
        first = value;
    } else if (has(first, "traj")) {
        format = LG_TRACE_TAU_BENCH;
    } else if (has(first, "jsonrpc")) {
        format = LG_TRACE_MCP;
    } else if (is_items(value)) {
        format = LG_TRACE_RESPONSES;
    } else if (has(first, "role") || has_list(first, "messages")) {
        format = LG_TRACE_OPENAI;
    }
    if (format == LG_TRACE_AUTO) {
        *ret_looks_like = looks_like(first);
    }
    return format;
}
