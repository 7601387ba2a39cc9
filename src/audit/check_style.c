// check_style.c: how the agent talks and calls.
#include "audit/audit_internal.h"

static bool is_agents(const lg_trace_event *event)
{
    return event->role == LG_ROLE_AGENT &&
           (event->kind == LG_EVENT_CALL || event->kind == LG_EVENT_MESSAGE);
}

// One message of the agent: events [from, to) that it said and called in one turn.
static void check_message(audit_case *c, size_t from, size_t to)
{
    size_t calls = 0, texts = 0, first_call = from;
    for (size_t i = from; i < to; i++) {
        bool is_call =
            c->steps[i].event->kind == LG_EVENT_CALL && c->steps[i].event->role == LG_ROLE_AGENT;
        first_call = is_call && calls == 0 ? i : first_call;
        calls += is_call;
        texts += audit_says(c, i, LG_ROLE_AGENT);
    }
    audit_checked(c, LG_EVAL_TRANSITION, calls > 0);
    if (calls > 0 && texts > 0) {
        audit_found(c, KIND_TEXT_WITH_CALL, first_call,
                    "text for the user and a call of %.*s in one message",
                    LG_FMT(c->steps[first_call].event->tool));
    }
    if (calls > 1) {
        audit_found(c, KIND_SEVERAL_CALLS, first_call, "%zu calls in one message", calls);
    }
}

void audit_check_style(audit_case *c)
{
    for (size_t from = 0, to; from < c->count; from = to) {
        to = from + 1;
        if (!is_agents(c->steps[from].event)) {
            continue;
        }
        while (to < c->count && c->steps[to].event->turn == c->steps[from].event->turn) {
            to++;
        }
        check_message(c, from, to);
    }
}
