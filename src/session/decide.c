// decide.c: what the agent proposes together is judged, and nothing of it happens.
//
// Calls of one message are made before any of them has answered. So each is judged in a trial of what
// follows: in it, those before it that were allowed have been made, and have no answer.
#include "session/session_internal.h"

typedef struct trial {
    lg_session *session;
    lg_ledger_state ledger; // with the calls that were allowed
    lg_arena_mark mark;     // of the conversation's memory
} trial;

static void begin_trial(trial *t, lg_session *session)
{
    session_enter(session);
    *t = (trial){.session = session,
                 .ledger = session->state.ledger,
                 .mark = lg_arena_mark_here(&session->memory->conversation.arena)};
}

static void end_trial(trial *t)
{
    lg_session_memory *memory = t->session->memory;
    LG_DEBUG_ASSERT(memory->ledger.state.root ==
                    t->session->state.ledger.root); // it was on trial elsewhere
    memory->conversation.state = t->session->state.conversation;
    lg_arena_rewind(&memory->conversation.arena, t->mark);
    LG_DEBUG_ASSERT(session_is_entered(t->session)); // nothing has happened
}

// What was allowed has been made, to those behind it.
static lg_status assume_made(trial *t, const lg_event *event, const lg_json *args, lg_error *reterr)
{
    lg_session *session = t->session;
    const lg_ledger *ledger = &session->memory->ledger;
    lg_conversation_event made = session_conversation_event(session, event, args);
    lg_status status = lg_conversation_observe(&session->memory->conversation, &made,
                                               &session->scratch, NULL, reterr);
    if (status == LG_ERR_LIMIT) {
        LG_DEBUG_ASSERT(session->memory->conversation.state.lost);
        status = LG_OK; // it is lost in the trial, and so refuses what comes behind it
    }
    if (status != LG_OK || event->kind == LG_EVENT_MESSAGE ||
        ledger->pack->parallel == LG_PARALLEL_JUDGE) {
        return status;
    }
    // A turn or none: it belongs to the message that is judged.
    lg_ledger_call call = {.id = event->id,
                           .tool = event->tool,
                           .args = session_args_made(args),
                           .has_turn = event->has_turn,
                           .turn = event->turn};
    return lg_ledger_begin(ledger, &t->ledger, &session->scratch, &call, reterr);
}

// Rules about the conversation may read the history as well: they are judged with the writes that may or may not
// have happened, and without them, and the severer verdict stands.
static lg_status judge_conversation(trial *t, const lg_event *event, const lg_json *args,
                                    const lg_ledger_state *seen, lg_gate_budget *budget,
                                    lg_decision *decision, lg_error *reterr)
{
    lg_session *session = t->session;
    const lg_conversation *conversation = &session->memory->conversation;
    if (!conversation->pack->course) {
        return LG_OK;
    }
    lg_conversation_event proposed = session_conversation_event(session, event, args);
    (void)lg_budget_take(&budget->verdict,
                         lg_json_len(lg_json_get(seen->root, LG_STR("history"))) / 4);
    const lg_json *certain = lg_ledger_certain(&session->scratch, seen);
    lg_decision without = *decision;
    if (!certain) {
        return lg_fail_oom(reterr);
    }
    proposed.ledger = seen->root;
    lg_status status =
        lg_gate_join(conversation, &proposed, budget, &session->scratch, decision, reterr);
    if (status == LG_OK && certain != seen->root) {
        proposed.ledger = certain;
        status = lg_gate_join(conversation, &proposed, budget, &session->scratch, &without, reterr);
        *decision = without.verdict > decision->verdict ? without : *decision;
    }
    return status;
}

static lg_status judge_call(trial *t, const lg_event *event, const session_args *args,
                            const lg_ledger_state *seen, lg_gate_budget *budget,
                            lg_decision *decision, lg_error *reterr)
{
    lg_session *session = t->session;
    const lg_ledger *ledger = &session->memory->ledger;
    lg_gate_options options = {
        .cel_cost = ledger->limits.cel_cost, .explain = session->explain, .budget = budget};
    lg_gate_call call = {.tool = lg_arena_str(&session->scratch, event->tool),
                         .args = args->json,
                         .args_text = args->text,
                         .read_steps = args->read_steps};
    lg_time now;
    (void)session_now(session, event, &now);
    call.now_seconds = now.seconds;
    call.now_nanos = now.nanos;
    if (!call.tool.ptr) {
        return lg_fail_oom(reterr);
    }
    return lg_gate_decide(ledger->pack, seen, &call, &options, &session->scratch, decision, reterr);
}

// Is it judged by anything that reads the ledger?
static bool reads_ledger(const lg_pack *pack, const lg_event *event)
{
    const lg_tool *tool = lg_pack_tool(pack, event->tool);
    bool gated = event->kind == LG_EVENT_CALL && tool && tool->kind == LG_TOOL_WRITE;
    return gated || pack->course;
}

static lg_status judge_event(trial *t, const lg_event *event, const session_args *args,
                             lg_gate_budget *budget, lg_decision *decision, lg_error *reterr)
{
    lg_session *session = t->session;
    const lg_ledger *ledger = &session->memory->ledger;
    lg_ledger_state seen = t->ledger;
    lg_status status = LG_OK;
    if (reads_ledger(ledger->pack, event)) {
        status = lg_ledger_assume(ledger, &t->ledger, event->has_turn, event->turn,
                                  &budget->verdict, &session->scratch, &seen, reterr);
    }
    if (status == LG_OK && event->kind == LG_EVENT_CALL) {
        status = judge_call(t, event, args, &seen, budget, decision, reterr);
    }
    if (status == LG_OK) {
        status = judge_conversation(t, event, args->json, &seen, budget, decision, reterr);
    }
    decision->clock = session_now(session, event, &decision->now);
    return status;
}

static lg_status judge(trial *t, const lg_event *event, bool last, lg_decision *decision,
                       lg_error *reterr)
{
    const lg_limits *limits = &t->session->memory->ledger.limits;
    lg_gate_budget budget = lg_gate_budget_of(limits->decision_steps);
    session_args args = {0};
    lg_status status = LG_OK;
    *decision = (lg_decision){.verdict = LG_ALLOW, .message = LG_STR("")};
    if (event->kind == LG_EVENT_CALL) {
        status = session_read_args(t->session, event, budget.verdict.left, &args, reterr);
    }
    if (status == LG_OK) {
        status = judge_event(t, event, &args, &budget, decision, reterr);
    }
    bool made = status == LG_OK && decision->verdict == LG_ALLOW && !last;
    return made ? assume_made(t, event, args.json, reterr) : status;
}

static lg_status check_proposed(const lg_event *first, const lg_event *event, lg_error *reterr)
{
    bool proposes = event->kind == LG_EVENT_CALL || event->kind == LG_EVENT_MESSAGE;
    bool together =
        event->has_turn == first->has_turn && (!event->has_turn || event->turn == first->turn);
    if (!proposes || event->role != LG_ROLE_AGENT) {
        return lg_fail(reterr, LG_ERR_USAGE, "only messages and calls of the agent are judged");
    }
    if (!together) {
        return lg_fail(reterr, LG_ERR_USAGE,
                       "what is proposed together is one message, and of one turn; judge messages "
                       "one after the other");
    }
    return session_check_event(event, reterr);
}

lg_status lg_decide(lg_session *session, const lg_event *proposed, size_t count,
                    const lg_decision **ret_decisions, lg_error *reterr)
{
    trial t;
    lg_status status = LG_OK;
    if (session->state.lost) {
        return session_fail_lost(reterr);
    }
    begin_trial(&t, session);
    lg_decision *decisions = LG_NEW_ARRAY(&session->scratch, lg_decision, count);
    if (!decisions) {
        status = lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < count && status == LG_OK; i++) {
        status = check_proposed(proposed, &proposed[i], reterr);
        if (status == LG_OK) {
            status = judge(&t, &proposed[i], i + 1 == count, &decisions[i], reterr);
        }
    }
    end_trial(&t);
    if (status == LG_OK) {
        *ret_decisions = decisions;
    }
    return status;
}
