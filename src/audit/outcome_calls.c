// outcome_calls.c: signals of what was called, and what came of it.
#include "audit/dialogue.h"
#include "audit/outcome.h"

// Without a pack: tools that change nothing, by their names.
static bool is_idle(lg_str tool)
{
    static const char *const names[] = {"think", "calculate", "transfer", "ToolSearch", NULL};
    return audit_begins_with(tool, names);
}

bool audit_changes(const audit_case *c, size_t index)
{
    const audit_step *step = &c->steps[index];
    return audit_is_write(c, index) || (audit_is_call(c, index) && !step->tool && !c->pack &&
                                        !audit_is_read(c, index) && !is_idle(step->event->tool));
}

size_t audit_changes_done(const audit_case *c)
{
    size_t done = 0;
    for (size_t i = 0; i < c->count; i++) {
        done += audit_changes(c, i) && audit_succeeded(c, i);
    }
    return done;
}

// Findings of rules, hints among them: what is no law here may still tell how it went.
static size_t found(const audit_case *c, audit_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < c->finding_count; i++) {
        count += c->findings[i].kind == &audit_kinds[kind] && !c->findings[i].by_model;
    }
    return count;
}

// A rule that was there to refuse it, and not for want of evidence.
static bool is_violation(const audit_step *step)
{
    for (size_t i = 0; step->verdict != LG_ALLOW && i < step->finding_count; i++) {
        if (step->findings[i].cause == LG_CAUSE_VIOLATED) {
            return true;
        }
    }
    return false;
}

static size_t refused_and_done(const audit_case *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        const audit_step *step = &c->steps[i];
        count +=
            audit_is_write(c, i) && step->judged && audit_succeeded(c, i) && is_violation(step);
    }
    return count;
}

#define TOOLS_MAX 64u // that changed something; a failure of any other is taken to be made good

typedef struct tool_set {
    lg_str names[TOOLS_MAX];
    size_t count;
} tool_set;

static bool has_tool(const tool_set *set, lg_str name)
{
    for (size_t i = 0; i < set->count; i++) {
        if (lg_str_eq(set->names[i], name)) {
            return true;
        }
    }
    return set->count == TOOLS_MAX;
}

// Changes that failed, and no later call of the same tool came through.
static size_t failed_and_left(const audit_case *c)
{
    tool_set later = {.count = 0};
    size_t count = 0;
    for (size_t i = c->count; i-- > 0;) {
        lg_str tool = c->steps[i].event->tool;
        if (!audit_changes(c, i) || has_tool(&later, tool)) {
            continue;
        }
        if (audit_succeeded(c, i)) {
            later.names[later.count++] = tool;
        } else {
            count++;
        }
    }
    return count;
}

// Handing over: after something was changed, or before anything was read.
static void add_transfers(audit_case *c)
{
    size_t changed = 0, read = 0, after_change = 0, unread = 0;
    for (size_t i = 0; i < c->count; i++) {
        changed += audit_changes(c, i) && audit_succeeded(c, i);
        read += audit_is_read(c, i) && audit_succeeded(c, i);
        after_change += audit_is_transfer(c, i) && changed > 0;
        unread += audit_is_transfer(c, i) && read == 0;
    }
    audit_signal_count(c, "transfer_after_change", after_change > 0);
    audit_signal_count(c, "transfer_unread", unread > 0);
}

void audit_signals_of_calls(audit_case *c)
{
    audit_signal_count(c, "no_regular_end", found(c, KIND_NO_REGULAR_END) > 0);
    audit_signal_count(c, "printed_call", found(c, KIND_PRINTED_CALL) > 0);
    audit_signal_count(c, "loop", found(c, KIND_LOOP));
    audit_signal_count(c, "promise_not_kept", found(c, KIND_PROMISE_NOT_KEPT));
    audit_signal_count(c, "nothing_changed", audit_changes_done(c) == 0);
    audit_signal_count(c, "refused_and_done", refused_and_done(c));
    audit_signal_count(c, "failed_and_left", failed_and_left(c));
    add_transfers(c);
}
