// call.c: the call that a request comes to: how it would be made, whether it was, and what the gate says.
#include "request/request_internal.h"
#include "json/tree.h"

// --- How it would be made -----------------------------------------------------------------------

static bool has_required(const lg_tool *tool, const lg_json *args)
{
    const lg_json *required = lg_json_get(tool->parameters, LG_STR("required"));
    for (size_t i = 0; i < lg_json_len(required); i++) {
        lg_str name = lg_json_str(lg_json_item(required, i));
        if (name.len && !lg_json_get(args, name)) {
            return false;
        }
    }
    return true;
}

lg_status asked_build(seeker *s, lg_asked *asked)
{
    const lg_request *request = asked->request;
    lg_json *empty = LG_NEW(s->arena, lg_json);
    if (!empty) {
        return LG_ERR_OOM;
    }
    *empty = lg_json_make_object(NULL, 0);
    asked->args = empty;
    for (size_t i = 0; i < request->arg_count; i++) {
        lg_cel_value value = seeker_evaluate(s, request->args[i].program);
        const lg_json *json =
            value.kind == LG_CEL_ERROR ? NULL : lg_cel_to_json_within(s->arena, value, &s->budget);
        if (json &&
            lg_tree_with_member(s->arena, empty, request->args[i].name, *json, empty) != LG_OK) {
            return LG_ERR_OOM;
        } // what is not known is left out
    }
    asked->complete = has_required(request->tool, asked->args);
    return s->arena->refused ? LG_ERR_OOM : LG_OK;
}

static bool holds(seeker *s, const lg_cel_program *program, bool *ret_decided)
{
    lg_cel_value value = program ? seeker_evaluate(s, program) : lg_cel_make_bool(true);
    *ret_decided = value.kind == LG_CEL_BOOL;
    return *ret_decided && value.as.boolean;
}

// What stands in the words of the pack, as a rule of the request's own.
static void decide(lg_asked *asked, lg_asked_verdict verdict, lg_str message)
{
    asked->verdict = verdict;
    asked->rule = asked->request->id;
    asked->because = asked->request->because;
    asked->message = message;
}

void asked_entitle(seeker *s, lg_asked *asked)
{
    bool decided;
    asked->verdict = LG_ASKED_PERMITTED;
    if (!holds(s, asked->request->when, &decided)) {
        decide(asked, decided ? LG_ASKED_REFUSED : LG_ASKED_UNDECIDED,
               decided ? LG_STR("The policy does not give it: `when` is false.")
                       : LG_STR("What was read does not tell whether the policy gives it."));
    } else if (!holds(s, asked->request->given, &decided)) {
        decide(asked, LG_ASKED_UNDECIDED, // that words were not found is no proof
               LG_STR("What the customer has to say for it was not found: `given` is false."));
    }
}

// --- Whether it was made ------------------------------------------------------------------------

// A tool that answers the request, or NULL.
static const lg_tool *answering(const lg_request *request, lg_str tool)
{
    if (lg_str_eq(request->tool->name, tool)) {
        return request->tool;
    }
    for (size_t i = 0; i < request->also_count; i++) {
        if (lg_str_eq(request->also[i]->name, tool)) {
            return request->also[i];
        }
    }
    return NULL;
}

static bool names_key(const lg_json *args, lg_str key)
{
    bool is_object = lg_json_is(args, LG_JSON_OBJECT);
    for (size_t i = 0; is_object && i < lg_json_len(args); i++) {
        const lg_json *value = &lg_json_member_at(args, i)->value;
        if (lg_json_is(value, LG_JSON_STRING) && lg_str_eq(lg_json_str(value), key)) {
            return true;
        }
    }
    return false;
}

// Of the record that is meant; any call will do where that is a guess, or the tool knows of no records.
static bool is_about(const lg_asked *asked, const lg_tool *tool, const lg_json *args)
{
    bool sure = asked->key.len && asked->how == LG_ASKED_NAMED;
    return !sure || tool->kind == LG_TOOL_GENERIC || names_key(args, asked->key);
}

void asked_find_call(const seeker *s, lg_asked *asked)
{
    const lg_trace *trace = s->trace;
    asked->done = LG_NO_EVENT;
    asked->tried = LG_NO_EVENT;
    for (size_t i = 0; i < trace->count && asked->done == LG_NO_EVENT; i++) {
        const lg_trace_event *event = &trace->events[i];
        bool call = event->kind == LG_EVENT_CALL && event->role == LG_ROLE_AGENT;
        const lg_tool *tool = call ? answering(asked->request, event->tool) : NULL;
        if (tool && is_about(asked, tool, event->args)) {
            bool carried_out =
                event->other != LG_NO_EVENT && trace->events[event->other].kind == LG_EVENT_RESULT;
            *(carried_out ? &asked->done : &asked->tried) = (uint32_t)i;
        }
    }
}

// --- What the gate says -------------------------------------------------------------------------

// Rules about the conversation say how a call is to be made (after a confirmation, one at a time), and
// nobody was about to make it.
static bool is_of_course(const lg_pack *pack, lg_str rule)
{
    const lg_course *course = pack->course;
    for (size_t i = 0; course && i < course->rule_count; i++) {
        if (lg_str_eq(course->rules[i].id, rule)) {
            return true;
        }
    }
    return false;
}

// What the finding comes to, of a call some of whose arguments are not known.
static lg_asked_verdict verdict_of(const seeker *s, const lg_asked *asked,
                                   const lg_finding *finding)
{
    if (is_of_course(s->pack, finding->rule)) {
        return LG_ASKED_PERMITTED;
    }
    if (finding->cause == LG_CAUSE_ARGUMENTS) {
        return asked->complete ? LG_ASKED_REFUSED : LG_ASKED_PERMITTED;
    }
    // What such a rule wants is a read, in words of its own.
    bool wants_read = finding->category == LG_CATEGORY_STATE && finding->verdict == LG_REVISE;
    bool violated = finding->cause == LG_CAUSE_VIOLATED && !wants_read;
    return violated ? LG_ASKED_REFUSED : LG_ASKED_UNDECIDED;
}

// A rule that does not hold goes before what is not known.
static bool goes_before(lg_asked_verdict a, lg_asked_verdict b)
{
    static const int ranks[] = {0, 1, 4, 3, 2};
    return ranks[a] > ranks[b];
}

static lg_status take_decision(seeker *s, lg_asked *asked, const lg_decision *decision)
{
    asked->verdict = LG_ASKED_PERMITTED;
    for (size_t i = 0; i < decision->finding_count; i++) {
        const lg_finding *finding = &decision->findings[i];
        lg_asked_verdict verdict = verdict_of(s, asked, finding);
        if (!goes_before(verdict, asked->verdict)) {
            continue;
        }
        asked->verdict = verdict;
        asked->rule = lg_arena_str(s->arena, finding->rule);
        asked->because = lg_arena_str(s->arena, finding->because);
        asked->message = lg_arena_str(s->arena, finding->message);
    }
    return s->arena->refused ? LG_ERR_OOM : LG_OK;
}

// The time at which nothing more happens.
static void set_time(const lg_trace *trace, lg_event *event)
{
    for (size_t i = trace->count; i-- > 0 && !event->has_time;) {
        event->has_time = trace->events[i].has_time;
        event->time = trace->events[i].time;
    }
}

// The same call in a conversation in which nothing was written: is it what was done that stands against it?
static lg_status judge_without_history(seeker *s, const lg_event *call, lg_asked *asked)
{
    const lg_limits *limits = &lg_session_ledger(s->session)->limits;
    lg_gate_budget budget = lg_gate_budget_of(limits->decision_steps);
    lg_gate_options options = {.cel_cost = limits->cel_cost, .budget = &budget};
    lg_gate_call alone = {.tool = call->tool,
                          .args = asked->args,
                          .now_seconds = call->time.seconds,
                          .now_nanos = call->time.nanos};
    lg_ledger_state seen;
    lg_decision decision;
    lg_json root;
    lg_arena_reset(&s->scratch);
    if (lg_session_seen(s->session, &seen) != LG_OK ||
        lg_tree_with_member(&s->scratch, seen.root, LG_STR("history"), lg_json_make_array(NULL, 0),
                            &root) != LG_OK) {
        return LG_ERR_OOM;
    }
    seen.root = &root;
    lg_status status =
        lg_gate_decide(s->pack, &seen, &alone, &options, &s->scratch, &decision, NULL);
    bool refused = false;
    for (size_t i = 0; status == LG_OK && i < decision.finding_count; i++) {
        refused = refused || verdict_of(s, asked, &decision.findings[i]) == LG_ASKED_REFUSED;
    }
    asked->verdict = refused ? LG_ASKED_REFUSED : LG_ASKED_FORFEITED;
    return status;
}

lg_status asked_judge(seeker *s, lg_asked *asked, lg_error *reterr)
{
    lg_event call = {.kind = LG_EVENT_CALL,
                     .role = LG_ROLE_AGENT,
                     .tool = asked->request->tool->name,
                     .json = asked->args};
    const lg_decision *decision;
    lg_error why;
    set_time(s->trace, &call);
    lg_status status = lg_decide(s->session, &call, 1, &decision, &why);
    if (status == LG_ERR_OOM) {
        return lg_fail_oom(reterr);
    }
    if (status != LG_OK) { // the session cannot judge anything any more
        asked->verdict = LG_ASKED_UNDECIDED;
        asked->message = lg_arena_str(s->arena, lg_str_c(why.msg));
        return LG_OK;
    }
    status = take_decision(s, asked, decision);
    if (status == LG_OK && asked->verdict == LG_ASKED_REFUSED) {
        status = judge_without_history(s, &call, asked);
    }
    return status == LG_OK ? LG_OK : lg_fail_oom(reterr);
}
