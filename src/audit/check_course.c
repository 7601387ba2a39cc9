// check_course.c: loops, failures that repeat or stay, and how the conversation ended.
#include "audit/audit_internal.h"

#define LOOP_MIN 3u // the same call with the same answer so many times

static const lg_trace_event *answer_of(const audit_case *c, size_t call)
{
    uint32_t other = c->steps[call].event->other;
    return other == LG_NO_EVENT ? NULL : &c->trace->events[other];
}

static bool is_agents_call(const audit_case *c, size_t index)
{
    const lg_trace_event *event = c->steps[index].event;
    return event->kind == LG_EVENT_CALL && event->role == LG_ROLE_AGENT;
}

static bool same_call(const lg_trace_event *a, const lg_trace_event *b)
{
    return lg_str_eq(a->tool, b->tool) &&
           (a->args && b->args ? lg_json_equal(a->args, b->args) : lg_str_eq(a->text, b->text));
}

// How often the call was made before with the same answer, and nothing that changes anything was done since.
static size_t times_before(const audit_case *c, size_t index)
{
    const lg_trace_event *answer = answer_of(c, index);
    size_t times = 0;
    for (size_t i = index; answer && i-- > 0;) {
        if (!is_agents_call(c, i)) {
            continue;
        }
        const lg_trace_event *before = answer_of(c, i);
        bool same = same_call(c->steps[i].event, c->steps[index].event);
        if (same && before && before->kind == answer->kind &&
            lg_str_eq(before->text, answer->text)) {
            times++;
        } else if (audit_is_write(c, i) && audit_succeeded(c, i)) {
            break;
        }
    }
    return times;
}

static void check_repeats(audit_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!is_agents_call(c, i)) {
            continue;
        }
        const lg_trace_event *answer = answer_of(c, i);
        size_t times = times_before(c, i);
        audit_checked(c, LG_EVAL_PLAN, 1);
        if (times > 0 && answer->kind == LG_EVENT_ERROR) {
            audit_found(c, KIND_REPEATED_FAILURE, i, "%.*s failed again as it had before: %.*s",
                        LG_FMT(c->steps[i].event->tool), LG_FMT(lg_str_cut(answer->text, 200)));
        } else if (times + 1 == LOOP_MIN) {
            audit_found(c, KIND_LOOP, i, "%.*s was called %u times with the same result",
                        LG_FMT(c->steps[i].event->tool), LOOP_MIN);
        }
    }
}

void audit_check_course(audit_case *c)
{
    check_repeats(c);
}
