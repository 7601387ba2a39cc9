// delegate.c: calls that hand work to another agent, whose own calls the recording does not show.
//
// What such an agent did cannot be judged here, and whoever judges must be able to say so. Known are the ways of widespread
// programs; a tool that has an agent behind it and does not look like it is a tool like any other. Known by its arguments:
// `subagent_type` (Claude Code's Task, and tools modelled on it). By its name: `Task`, `Agent` in a session of Claude Code,
// VS Code's `runSubagent`, `delegate_...`. A handoff (`transfer_to_..._agent`, `handoff_to_...`) is one only if no agent
// speaks behind it: else it is the other agent that speaks. A transfer to a human is none.
#include "trace/trace_internal.h"

// A session's own record of a sub-agent is looked for once for each call, for so many of them.
enum { LOOKED_FOR_MAX = 100 };

static bool contains(lg_str text, const char *needle)
{
    return lg_str_find(text, lg_str_c(needle)) != SIZE_MAX;
}

static bool is_handoff(lg_str tool)
{
    bool agent = lg_str_starts(tool, LG_STR("handoff_to_")) ||
                 (lg_str_starts(tool, LG_STR("transfer_to_")) && contains(tool, "agent"));
    return agent && !contains(tool, "human");
}

static bool is_delegation(const lg_importer *imp, const lg_trace_event *call)
{
    bool claude = imp->set->format == LG_TRACE_CLAUDE_CODE;
    lg_str tool = call->tool;
    return lg_get(call->args, "subagent_type") ||
           (claude && (lg_str_eq(tool, LG_STR("Task")) || lg_str_eq(tool, LG_STR("Agent")))) ||
           lg_str_eq(tool, LG_STR("runSubagent")) || lg_str_starts(tool, LG_STR("delegate_"));
}

// The turn in which an agent says or calls something for the last time.
static uint32_t last_turn(const lg_importer *imp)
{
    for (size_t i = imp->event_count; i > 0; i--) {
        const lg_trace_event *event = &imp->events[i - 1];
        bool speaks = event->kind == LG_EVENT_MESSAGE || event->kind == LG_EVENT_CALL;
        if (speaks && event->role == LG_ROLE_AGENT) {
            return event->turn;
        }
    }
    return 0;
}

// Is what the sub-agent was told recorded as the beginning of a side chain?
static bool is_in_sight(const lg_importer *imp, const lg_trace_event *call)
{
    lg_str prompt = lg_json_str(lg_get(call->args, "prompt"));
    for (size_t i = 0; i < imp->event_count && prompt.len; i++) {
        const lg_trace_event *event = &imp->events[i];
        if (event->kind == LG_EVENT_MESSAGE && lg_str_eq(event->text, prompt)) {
            return true;
        }
    }
    return false;
}

void lg_importer_delegations(lg_importer *imp)
{
    size_t found = 0;
    size_t looked = 0;
    uint32_t end = last_turn(imp);
    for (size_t i = 0; i < imp->event_count; i++) {
        lg_trace_event *call = &imp->events[i];
        if (call->kind != LG_EVENT_CALL) {
            continue;
        }
        call->is_delegation =
            is_delegation(imp, call) || (is_handoff(call->tool) && call->turn >= end);
        if (call->is_delegation && imp->has_side_chains && looked++ < LOOKED_FOR_MAX) {
            call->is_delegation = !is_in_sight(imp, call);
        }
        found += call->is_delegation;
    }
    if (!imp->knows_delegated) {
        imp->trace.delegated += found;
    }
}
