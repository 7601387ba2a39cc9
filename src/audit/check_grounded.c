// check_grounded.c: is each value of a call's arguments one that somebody gave (AgentPex section 3.3)?
#include "audit/audit_internal.h"
#include "origin/origin.h"

// What the agent's reads have returned, what people said, what it was told: in the order of events.
static lg_origin_kind source_of(const lg_trace_event *event)
{
    switch (event->kind) {
    case LG_EVENT_MESSAGE:
        return event->role == LG_ROLE_USER     ? LG_ORIGIN_USER
               : event->role == LG_ROLE_SYSTEM ? LG_ORIGIN_PROMPT
                                               : LG_ORIGIN_AGENT;
    case LG_EVENT_CALL:
        return LG_ORIGIN_CALL;
    case LG_EVENT_RESULT:
        return LG_ORIGIN_FIELD;
    case LG_EVENT_ERROR:
        return LG_ORIGIN_ERROR;
    }
    return LG_ORIGIN_AGENT;
}

static void take(lg_origin *origin, lg_origin_kind kind, size_t event, uint32_t turn, lg_str text)
{
    if (text.len > 0) {
        lg_origin_source source = {.kind = kind, .event = (uint32_t)event, .turn = turn};
        lg_origin_take(origin, source, text);
    }
}

// The arguments as text: as recorded, or printed.
static lg_str args_text(audit_case *c, const lg_trace_event *call)
{
    if (call->text.len > 0 || !call->args) {
        return call->text;
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_print(&text, call->args);
    lg_str ret = audit_keep(c, lg_buf_str(&text));
    lg_buf_done(&text);
    return ret;
}

// The user's own calls, and what they return, are out of the agent's sight.
static bool is_out_of_sight(const lg_trace_event *event)
{
    return event->kind != LG_EVENT_MESSAGE && event->role != LG_ROLE_AGENT;
}

static void report(audit_case *c, size_t index, const lg_origin_answer *answer)
{
    bool prose = answer->verdict == LG_ORIGIN_PROSE;
    lg_buf value, missing;
    lg_buf_init(&value, 0);
    lg_buf_init(&missing, 0);
    lg_json_print(&value, answer->value);
    for (uint32_t i = 0; i < answer->missing_count; i++) {
        lg_buf_addf(&missing, "%s`%.*s`", i ? ", " : "", LG_FMT(answer->missing[i]));
    }
    lg_str shown = lg_str_cut(lg_buf_str(&value), 120);
    lg_audit_finding *found = audit_found(
        c, KIND_UNGROUNDED_ARGUMENT, index, "%.*s%s%.*s: %s%.*s%s",
        LG_FMT(c->steps[index].event->tool), answer->pointer.len ? " " : "",
        LG_FMT(answer->pointer), prose ? "names what nobody said and no tool returned: " : "",
        LG_FMT(prose ? lg_buf_str(&missing) : shown),
        prose          ? ""
        : answer->said ? " was said by the agent alone"
                       : " was said by nobody and returned by no tool");
    found->key = audit_keep(c, answer->pointer);
    found->severity = prose                            ? LG_SEVERITY_HINT
                      : audit_is_carried_out(c, index) ? LG_SEVERITY_SEVERE
                                                       : LG_SEVERITY_MINOR;
    lg_buf_done(&value);
    lg_buf_done(&missing);
}

// Of all calls of a conversation, beside the bound of each: else the time grows with their product.
#define STEPS_MAX (UINT64_C(32) << 20)

static bool check_call(audit_case *c, lg_origin *origin, size_t index, uint64_t *steps)
{
    const audit_step *step = &c->steps[index];
    lg_origin_answers answers;
    lg_error why;
    if (!step->event->args) {
        return true;
    }
    if (*steps > STEPS_MAX) {
        audit_undecided(c, KIND_UNGROUNDED_ARGUMENT, index, LG_STR(""),
                        "the calls before it took all the steps of a conversation");
        return true;
    }
    lg_status status = lg_origin_ask(origin, c->arena, step->event->args,
                                     step->tool ? step->tool->parameters : NULL, &answers, &why);
    if (status == LG_ERR_OOM) {
        return false;
    }
    if (status != LG_OK) {
        audit_undecided(c, KIND_UNGROUNDED_ARGUMENT, index, LG_STR(""), why.msg);
        return true;
    }
    *steps += answers.steps;
    audit_checked(c, LG_EVAL_GROUNDEDNESS, answers.count);
    for (size_t i = 0; i < answers.count; i++) {
        const lg_origin_answer *answer = &answers.items[i];
        if (answer->verdict == LG_ORIGIN_UNGROUNDED ||
            (answer->verdict == LG_ORIGIN_PROSE && answer->missing_count > 0)) {
            report(c, index, answer);
        } else if (answer->verdict == LG_ORIGIN_UNKNOWN) {
            audit_undecided(c, KIND_UNGROUNDED_ARGUMENT, index, answer->pointer,
                            "there is more text than is searched");
        }
    }
    return true;
}

// Calls are asked before they are taken in themselves: an invention does not ground itself.
static bool follow(audit_case *c, lg_origin *origin)
{
    uint64_t steps = 0;
    take(origin, LG_ORIGIN_PROMPT, LG_NO_EVENT, 0, c->trace->prompt);
    for (size_t i = 0; i < c->count; i++) {
        const lg_trace_event *event = c->steps[i].event;
        if (is_out_of_sight(event)) {
            continue;
        }
        bool is_call = event->kind == LG_EVENT_CALL;
        if (is_call && !check_call(c, origin, i, &steps)) {
            return false;
        }
        take(origin, source_of(event), i, event->turn, is_call ? args_text(c, event) : event->text);
    }
    return true;
}

// Does the recording hold anything that calls could be made from? A transcript of calls alone does not.
static bool has_sources(const audit_case *c)
{
    return c->has_user || c->trace->request.len > 0 || c->trace->prompt.len > 0;
}

void audit_check_grounded(audit_case *c)
{
    lg_origin *origin;
    if (!has_sources(c)) {
        audit_undecided(
            c, KIND_UNGROUNDED_ARGUMENT, LG_NO_EVENT, LG_STR(""),
            "the recording holds calls alone: neither instructions nor what a user said");
        return;
    }
    if (lg_origin_new(NULL, &origin) != LG_OK) {
        c->oom = true;
        return;
    }
    c->oom = !follow(c, origin) || c->oom;
    lg_origin_free(origin);
}
