// session.c: the public session: a ledger, a conversation, scratch memory, and the system's clock.
#include "base/alloc.h"
#include "gate/gate.h"

#include <time.h>

struct lg_session {
    lg_quota memory; // of all that follows
    lg_ledger ledger;
    lg_conversation conversation;
    bool has_turn; // of the message whose calls are judged
    uint32_t turn;
    lg_arena scratch; // of the latest decision or rendering
    lg_decision decision;
    lg_explain explain;
    bool lost; // a call that may have changed something could not be taken in
    bool time_is_set;
    int64_t unix_seconds;
};

lg_status lg_session_new(const lg_pack *pack, const lg_limits *limits, lg_session **ret_session)
{
    lg_session *session = lg_zalloc(sizeof(*session));
    if (!session) {
        return LG_ERR_OOM;
    }
    lg_limits resolved = lg_limits_resolve(limits);
    session->explain = LG_EXPLAIN_ALL;
    lg_ledger_init(&session->ledger, pack, &resolved);
    lg_arena_init(&session->scratch, resolved.memory_bytes);
    session->memory.limit_bytes = resolved.memory_bytes;
    lg_ledger_share(&session->ledger, &session->memory);
    lg_arena_share(&session->scratch, &session->memory);
    lg_conversation_init(&session->conversation, pack, &resolved);
    lg_conversation_share(&session->conversation, &session->memory);
    *ret_session = session;
    return LG_OK;
}

void lg_session_free(lg_session *session)
{
    if (session) {
        lg_ledger_done(&session->ledger);
        lg_conversation_done(&session->conversation);
        lg_arena_done(&session->scratch);
        lg_free(session);
    }
}

void lg_session_reset(lg_session *session)
{
    lg_ledger_reset(&session->ledger);
    session->lost = false;
    session->has_turn = false;
    lg_conversation_reset(&session->conversation);
}

void lg_session_set_time(lg_session *session, int64_t unix_seconds)
{
    session->time_is_set = true;
    session->unix_seconds = unix_seconds;
}

void lg_session_set_explain(lg_session *session, lg_explain explain)
{
    session->explain = explain;
}

// Rules count on what was done: without a part of it there is no verdict.
static lg_status fail_lost(lg_error *reterr)
{
    return lg_fail(reterr, LG_ERR_LIMIT,
                   "what was carried out or said could not be taken in (lg_observe or lg_hear "
                   "failed), so nothing "
                   "is decided any more: begin a new session, or raise the limit that it named");
}

// The time that `now` stands for, where the pack does not say it.
static void set_now(const lg_session *session, int64_t *seconds, uint32_t *nanos)
{
    if (session->time_is_set) {
        *seconds = session->unix_seconds;
    } else if (!session->ledger.pack->fixed_clock) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        *seconds = now.tv_sec;
        *nanos = (uint32_t)now.tv_nsec;
    }
}

// --- The conversation ---------------------------------------------------------------------------

void lg_session_set_turn(lg_session *session, uint32_t turn)
{
    session->has_turn = true;
    session->turn = turn;
}

// Windows in seconds run by the clock of the world, not by a pack's fixed one.
static lg_time event_time(const lg_session *session)
{
    lg_time time = {.seconds = session->unix_seconds};
    if (!session->time_is_set && session->ledger.pack->course) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        time = (lg_time){now.tv_sec, (uint32_t)now.tv_nsec};
    }
    return time;
}

static lg_conversation_event message_event(const lg_session *session, const lg_message *message)
{
    bool user = message->speaker == LG_SPEAKER_USER;
    return (lg_conversation_event){.kind = LG_EVENT_MESSAGE,
                                   .role = user ? LG_ROLE_USER : LG_ROLE_AGENT,
                                   .has_turn = true,
                                   .turn = message->turn,
                                   .text = message->text,
                                   .ledger = session->ledger.state.root,
                                   .has_time = true,
                                   .time = event_time(session)};
}

lg_status lg_hear(lg_session *session, const lg_message *message, lg_error *reterr)
{
    lg_arena_reset(&session->scratch);
    lg_conversation_tidy(&session->conversation, NULL, 0);
    lg_conversation_event event = message_event(session, message);
    lg_status status =
        lg_conversation_observe(&session->conversation, &event, &session->scratch, NULL, reterr);
    if (status == LG_ERR_OOM && lg_conversation_tidy_now(&session->conversation, NULL, 0)) {
        status = lg_conversation_observe(&session->conversation, &event, &session->scratch, NULL,
                                         reterr);
    }
    session->lost = session->lost || status == LG_ERR_OOM;
    return status;
}

lg_status lg_decide_message(lg_session *session, const lg_message *message,
                            const lg_decision **ret_decision, lg_error *reterr)
{
    if (session->lost) {
        return fail_lost(reterr);
    }
    lg_arena_reset(&session->scratch);
    session->decision = (lg_decision){.verdict = LG_ALLOW, .message = LG_STR("")};
    lg_conversation_event event = message_event(session, message);
    lg_gate_budget budget = lg_gate_budget_of(session->ledger.limits.decision_steps);
    lg_status status = lg_gate_join(&session->conversation, &event, &budget, &session->scratch,
                                    &session->decision, reterr);
    if (status == LG_OK) {
        *ret_decision = &session->decision;
    }
    return status;
}

lg_status lg_owed(lg_session *session, const lg_obligation **ret, size_t *ret_count,
                  lg_error *reterr)
{
    lg_arena_reset(&session->scratch);
    return lg_conversation_owed(&session->conversation, &session->scratch, ret, ret_count, reterr);
}

// The call and what it returned, after the ledger took them. What the ledger did not accept is a
// failure to the conversation too.
static lg_status observe_call(lg_session *session, const lg_ledger_call *call,
                              const lg_json *before, lg_observed observed, lg_error *reterr)
{
    bool refused = observed == LG_OBSERVED_UNREADABLE || observed == LG_OBSERVED_REJECTED;
    lg_conversation_event event = {.kind = LG_EVENT_CALL,
                                   .role = call->by_user ? LG_ROLE_USER : LG_ROLE_AGENT,
                                   .has_turn = true,
                                   .turn = call->turn,
                                   .tool = call->tool,
                                   .args = call->args,
                                   .ledger = before,
                                   .has_time = true,
                                   .time = event_time(session)};
    lg_status status =
        lg_conversation_observe(&session->conversation, &event, &session->scratch, NULL, reterr);
    event.kind = call->failed || refused ? LG_EVENT_ERROR : LG_EVENT_RESULT;
    event.text = call->result;
    if (status == LG_OK) {
        status = lg_conversation_observe(&session->conversation, &event, &session->scratch, NULL,
                                         reterr);
    }
    return status;
}

// --- Calls --------------------------------------------------------------------------------------

// Reads that were not taken in are missing evidence, and rules ask for that. Anything else is missing from
// what rules count on without asking.
static bool only_reads(const lg_session *session, const lg_observation *o)
{
    const lg_tool *tool = lg_pack_tool(session->ledger.pack, o->tool);
    return o->failed || (tool && tool->kind == LG_TOOL_READ && !tool->by_user && !o->by_user);
}

static lg_status parse_args(lg_session *session, lg_str args, const lg_json **ret, lg_error *reterr)
{
    lg_str text = args.len ? args : LG_STR("{}");
    lg_status status = lg_json_parse_in(&session->scratch, text, 0, text.len,
                                        &session->ledger.limits, ret, reterr);
    if (status == LG_OK && !lg_json_is(*ret, LG_JSON_OBJECT)) {
        return lg_fail(reterr, LG_ERR_PARSE, "the arguments of a call must be a JSON object");
    }
    return status;
}

// Memory has run out: is there some to give back?
static bool tidy_now(lg_session *session)
{
    bool ledger = lg_ledger_tidy_now(&session->ledger, NULL, 0);
    return lg_conversation_tidy_now(&session->conversation, NULL, 0) || ledger;
}

// Ledger and conversation both take the call, or neither does.
static lg_status observe_both(lg_session *session, const lg_ledger_call *call,
                              lg_observed *ret_observed, lg_error *reterr)
{
    lg_ledger_state before = session->ledger.state;
    lg_conversation_state said = session->conversation.state;
    lg_status status = lg_ledger_observe(&session->ledger, call, ret_observed, reterr);
    if (status == LG_OK) {
        lg_error why;
        status = observe_call(session, call, before.root, *ret_observed, &why);
        if (status != LG_OK) {
            session->ledger.state = before;
            bool lost = session->conversation.state.lost;
            session->conversation.state = said;
            session->conversation.state.lost = lost;
        }
        if (status != LG_OK && reterr) {
            *reterr = why;
        }
    }
    return status;
}

lg_status lg_observe(lg_session *session, const lg_observation *o, lg_observed *ret_observed,
                     lg_error *reterr)
{
    lg_observed observed = LG_OBSERVED_NOTHING;
    const lg_json *args;
    lg_arena_reset(&session->scratch);
    lg_ledger_tidy(&session->ledger, NULL, 0);
    lg_conversation_tidy(&session->conversation, NULL, 0);
    lg_status status = parse_args(session, o->args, &args, reterr);
    if (status == LG_OK) {
        lg_ledger_call call = {.tool = o->tool,
                               .args = args,
                               .result = o->result,
                               .failed = o->failed,
                               .by_user = o->by_user,
                               .turn = o->turn};
        set_now(session, &call.now_seconds, &call.now_nanos);
        status = observe_both(session, &call, &observed, reterr);
        if (status == LG_ERR_OOM && tidy_now(session)) {
            status = observe_both(session, &call, &observed, reterr);
        }
    }
    session->lost = session->lost || (status != LG_OK && !only_reads(session, o));
    if (status == LG_OK && ret_observed) {
        *ret_observed = observed;
    }
    return status;
}

const lg_rejection *lg_rejected(const lg_session *session)
{
    const lg_rejection *rejection = &session->ledger.rejection;
    return rejection->category == LG_CATEGORY_NONE ? NULL : rejection;
}

// The proposed call, in scratch. Arguments that cannot be read are a finding, and no error; what would
// take more than the verdict has is not read at all.
static lg_status proposed_call(lg_session *session, lg_str tool, lg_str args, uint64_t steps,
                               lg_gate_call *ret, lg_error *reterr)
{
    lg_arena *scratch = &session->scratch;
    args = args.len ? args : LG_STR("{}");
    *ret = (lg_gate_call){.tool = lg_arena_str(scratch, tool),
                          .args_text = args,
                          .read_steps = lg_gate_read_steps(args)};
    lg_status status = LG_OK;
    if (ret->read_steps <= steps) {
        ret->args_text = lg_arena_str(scratch, args);
        status = ret->args_text.ptr
                     ? lg_json_parse_in(scratch, ret->args_text, 0, ret->args_text.len,
                                        &session->ledger.limits, &ret->args, NULL)
                     : LG_ERR_OOM;
    }
    if (!ret->tool.ptr || status == LG_ERR_OOM) {
        return lg_fail_oom(reterr);
    }
    ret->args = status == LG_OK ? ret->args : NULL;
    set_now(session, &ret->now_seconds, &ret->now_nanos);
    return LG_OK;
}

lg_status lg_decide(lg_session *session, lg_str tool, lg_str args, const lg_decision **ret_decision,
                    lg_error *reterr)
{
    lg_arena *scratch = &session->scratch;
    if (session->lost) {
        return fail_lost(reterr);
    }
    lg_arena_reset(scratch);
    lg_gate_budget budget = lg_gate_budget_of(session->ledger.limits.decision_steps);
    lg_gate_options options = {.cel_cost = session->ledger.limits.cel_cost,
                               .without_evidence = !(session->explain & LG_EXPLAIN_EVIDENCE),
                               .without_hints = !(session->explain & LG_EXPLAIN_HINTS),
                               .budget = &budget};
    lg_gate_call call;
    lg_status status = proposed_call(session, tool, args, budget.verdict.left, &call, reterr);
    if (status == LG_OK) {
        status = lg_gate_decide(session->ledger.pack, &session->ledger.state, &call, &options,
                                scratch, &session->decision, reterr);
    }
    if (status == LG_OK) {
        lg_conversation_event event = {.kind = LG_EVENT_CALL,
                                       .role = LG_ROLE_AGENT,
                                       .has_turn = session->has_turn,
                                       .turn = session->turn,
                                       .tool = call.tool,
                                       .args = call.args,
                                       .ledger = session->ledger.state.root,
                                       .has_time = true,
                                       .time = event_time(session)};
        status = lg_gate_join(&session->conversation, &event, &budget, scratch, &session->decision,
                              reterr);
    }
    if (status == LG_OK) {
        *ret_decision = &session->decision;
    }
    return status;
}

// What is owed, a line each, as far as the budget goes. Nothing is added where nothing is owed.
static lg_status render_owed(lg_session *session, size_t budget_bytes, lg_buf *text,
                             lg_error *reterr)
{
    const lg_obligation *owed;
    size_t count;
    lg_status status = lg_owed(session, &owed, &count, reterr);
    for (size_t i = 0; status == LG_OK && i < count; i++) {
        size_t needed = sizeof("Owed: \n") - 1 + owed[i].message.len;
        bool fits = budget_bytes == 0 || text->len + needed <= budget_bytes;
        if (fits && owed[i].state != LG_OWED_LATE) {
            lg_buf_addf(text, "Owed: %.*s\n", LG_FMT(owed[i].message));
        }
    }
    return status;
}

lg_status lg_render(lg_session *session, const lg_render_options *options, lg_str *ret_text,
                    lg_error *reterr)
{
    lg_buf text;
    lg_arena_reset(&session->scratch);
    lg_buf_init(&text, lg_arena_left(&session->scratch) / 2); // it is copied in the end
    lg_ledger_render(&session->ledger, options, &text);
    lg_status status = render_owed(session, options ? options->budget_bytes : 0, &text, reterr);
    lg_str kept = {NULL, 0};
    if (status == LG_OK && lg_buf_status(&text) == LG_OK) {
        kept = lg_arena_str(&session->scratch, lg_buf_str(&text));
    }
    lg_buf_done(&text);
    if (status == LG_OK && !kept.ptr) {
        status = lg_fail_oom(reterr);
    }
    *ret_text = status == LG_OK ? kept : *ret_text;
    return status;
}

const char *lg_version(void)
{
    return LG_VERSION;
}
