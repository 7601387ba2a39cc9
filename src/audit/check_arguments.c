// check_arguments.c: do calls fit the schemas of their tools (AgentPex section 3.3, argument specification)?
//
// The schema is the pack's, or else that of the tools which the recording says were offered. A tool that neither knows,
// and that answered all the same, was there: only one that failed is unknown.
#include "audit/dialogue.h"
#include "audit/words.h"

#include "catalogue/catalogue.h"

#define VIOLATIONS_MAX 4u // that are told of a call

static const lg_catalogue_tool *tool_of(const lg_catalogue *tools, lg_str name)
{
    for (size_t i = 0; tools && i < tools->tool_count; i++) {
        if (lg_str_eq(tools->tools[i].name, name)) {
            return &tools->tools[i];
        }
    }
    return NULL;
}

// What the gate's own finding says of the call, if there is one.
static const lg_finding *gate_says(const audit_case *c, size_t index, lg_cause cause)
{
    const audit_step *step = &c->steps[index];
    for (size_t i = 0; i < step->finding_count; i++) {
        if (step->findings[i].cause == cause) {
            return &step->findings[i];
        }
    }
    return NULL;
}

// Carried out: the value is wrong and nobody has seen it. Refused by the tool: it came to nothing.
static lg_severity weigh(const audit_case *c, size_t index)
{
    return audit_is_carried_out(c, index) ? LG_SEVERITY_SEVERE : LG_SEVERITY_MINOR;
}

static void check_schema(audit_case *c, size_t index, const lg_schema *schema)
{
    const lg_trace_event *event = c->steps[index].event;
    lg_schema_violation items[VIOLATIONS_MAX];
    lg_schema_report report = {.items = items, .capacity = VIOLATIONS_MAX};
    audit_checked(c, LG_EVAL_ARGUMENT, 1);
    if (!event->args) {
        lg_audit_finding *unread =
            audit_found(c, KIND_SCHEMA_VIOLATION, index, "the arguments of %.*s are no JSON object",
                        LG_FMT(event->tool));
        // What the tool has answered all the same, it has understood: the recording may have another form than the call.
        unread->severity = audit_succeeded(c, index) ? LG_SEVERITY_HINT : weigh(c, index);
        return;
    }
    if (!schema || lg_schema_validate(schema, event->args, &report) || report.count == 0 ||
        items[0].fault == LG_FAULT_LIMIT) {
        return;
    }
    lg_audit_finding *found =
        audit_found(c, KIND_SCHEMA_VIOLATION, index, "%.*s: %s%s", LG_FMT(event->tool),
                    items[0].msg, report.count + report.dropped > 1 ? "; and more" : "");
    found->severity = weigh(c, index);
    found->key = audit_keep(c, lg_str_c(items[0].instance_pointer));
}

// The environment says that it has no such tool.
static bool is_disowned(audit_case *c, const lg_trace_event *answer)
{
    static const char *const words[] = {
        "unknown action",   "unknown tool",     "no such tool",        "tool not found",
        "not a valid tool", "unknown function", "tool does not exist", NULL};
    return answer && answer->kind == LG_EVENT_ERROR &&
           audit_has_any(audit_plain(c, lg_str_cut(answer->text, 400)), words);
}

static void check_call(audit_case *c, const lg_catalogue *tools, size_t index)
{
    const audit_step *step = &c->steps[index];
    const lg_catalogue_tool *tool = tool_of(tools, step->event->tool);
    if (step->tool || tool) {
        check_schema(c, index, step->tool ? step->tool->arguments : tool->arguments);
        return;
    }
    bool not_offered = tools || gate_says(c, index, LG_CAUSE_UNKNOWN_TOOL);
    const lg_trace_event *answer = audit_answer(c, index);
    audit_checked(c, LG_EVAL_ARGUMENT, not_offered);
    if (is_disowned(c, answer) || (not_offered && answer && answer->kind == LG_EVENT_ERROR)) {
        audit_found(c, KIND_UNKNOWN_TOOL, index, "there is no tool %.*s", LG_FMT(step->event->tool))
            ->severity = LG_SEVERITY_MINOR;
    } else if (!step->event->args) {
        check_schema(c, index, NULL);
    }
}

void audit_check_arguments(audit_case *c)
{
    for (size_t i = 0; i < c->count && !c->oom; i++) {
        if (audit_is_call(c, i)) {
            check_call(c, c->offered, i);
        }
    }
}
