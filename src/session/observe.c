// observe.c: what has happened is taken in, by the ledger and by the rules about the conversation, or by
// neither of them.
#include "session/session_internal.h"

// What the conversation rules found of an event that nobody had proposed, behind what they found before.
static lg_status keep_found(lg_session *session, const lg_conversation_findings *found)
{
    size_t count = session->found_count + found->count;
    lg_finding *all = LG_NEW_ARRAY(&session->scratch, lg_finding, count);
    if (!all) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < count; i++) {
        bool before = i < session->found_count;
        all[i] = before ? session->found[i] : found->items[i - session->found_count];
    }
    session->found = all;
    session->found_count = count;
    return LG_OK;
}

// What the agent proposes was judged before it happened.
static bool was_judged(const lg_event *event)
{
    return event->kind == LG_EVENT_CALL && event->role == LG_ROLE_AGENT;
}

// Where the rules cannot follow an event, it has happened all the same: they are lost from then on, and refuse.
static lg_status tell_conversation(lg_session *session, const lg_conversation_event *event,
                                   bool judged, lg_error *reterr)
{
    lg_conversation_findings found = {0};
    lg_status status = lg_conversation_observe(&session->memory->conversation, event,
                                               &session->scratch, judged ? NULL : &found, reterr);
    if (status == LG_ERR_LIMIT && session->memory->conversation.state.lost) {
        session->not_followed = *reterr;
        return LG_OK;
    }
    return status == LG_OK && found.count ? keep_found(session, &found) : status;
}

// --- Kinds of events ----------------------------------------------------------------------------

static lg_status observe_message(lg_session *session, const lg_event *event, lg_error *reterr)
{
    lg_conversation_event said = session_conversation_event(session, event, NULL);
    return tell_conversation(session, &said, false, reterr);
}

static lg_status args_of(lg_session *session, const lg_event *event, const lg_json **ret,
                         lg_error *reterr)
{
    session_args args;
    lg_status status = session_read_args(session, event, UINT64_MAX, &args, reterr);
    *ret = session_args_made(args.json);
    return status;
}

// The call lies in `arena`: the ledger's own, or the scratch arena if it is answered before that is reset.
static lg_status observe_call(lg_session *session, const lg_event *event, lg_arena *arena,
                              lg_error *reterr)
{
    lg_ledger *ledger = &session->memory->ledger;
    lg_ledger_call call = {.id = event->id,
                           .tool = event->tool,
                           .by_user = event->role == LG_ROLE_USER,
                           .has_turn = event->has_turn,
                           .turn = event->turn};
    lg_status status = args_of(session, event, &call.args, reterr);
    if (status == LG_OK) {
        status = lg_ledger_begin(ledger, &ledger->state, arena, &call, reterr);
    }
    if (status == LG_OK) {
        lg_conversation_event made = session_conversation_event(session, event, call.args);
        status = tell_conversation(session, &made, was_judged(event), reterr);
    }
    return status;
}

// What the ledger did not accept is a failure to the conversation, too.
static lg_event_kind kind_of_answer(const lg_event *event, lg_observed observed)
{
    bool refused = observed == LG_OBSERVED_UNREADABLE || observed == LG_OBSERVED_REJECTED;
    return refused ? LG_EVENT_ERROR : event->kind;
}

static void note_rejection(lg_session *session, lg_error *reterr)
{
    const lg_ledger *ledger = &session->memory->ledger;
    session->rejection = ledger->rejection;
    if (session->rejection.category != LG_CATEGORY_NONE) {
        session->why = ledger->why;
        session->rejection.message = session->why.msg;
        if (reterr) {
            *reterr = session->why;
        }
    }
}

static lg_status fold_answer(lg_session *session, const lg_event *event, const lg_open_call *open,
                             lg_observed *ret_observed, lg_error *reterr)
{
    lg_ledger *ledger = &session->memory->ledger;
    LG_DEBUG_ASSERT(open->answered == 0);
    lg_event answer = *event;
    answer.role = open->call.by_user ? LG_ROLE_USER : LG_ROLE_AGENT;
    answer.tool = open->call.tool;
    answer.has_turn = open->call.has_turn;
    answer.turn = open->call.turn;
    lg_conversation_event came = session_conversation_event(session, &answer, open->call.args);
    lg_ledger_call folded = {.result = event->text, .failed = event->kind == LG_EVENT_ERROR};
    (void)session_now(session, event, &folded.now);
    lg_status status = lg_ledger_answer(ledger, open, &folded, ret_observed, reterr);
    if (status == LG_OK) {
        came.kind = kind_of_answer(event, *ret_observed);
        status = tell_conversation(session, &came, false, reterr);
    }
    return status;
}

static lg_status observe_answer(lg_session *session, const lg_event *event,
                                lg_observed *ret_observed, lg_error *reterr)
{
    lg_ledger *ledger = &session->memory->ledger;
    const lg_json *args = NULL;
    lg_status status = LG_OK;
    if (event->json || event->args.len) {
        status = args_of(session, event, &args, reterr);
    }
    if (status != LG_OK) {
        return status;
    }
    const lg_open_call *open = lg_ledger_awaits(&ledger->state, event->id, event->tool, args);
    if (!open && (event->tool.len == 0 || event->id.len)) {
        return lg_fail(reterr, LG_ERR_USAGE,
                       "an answer to a call that was not observed, or has one already: observe the "
                       "call first; or give its tool and arguments, and no id");
    }
    if (!open) { // its call comes with it
        lg_event call = *event;
        call.kind = LG_EVENT_CALL;
        call.text = (lg_str){NULL, 0};
        call.json = args;
        status = observe_call(session, &call, &session->scratch, reterr);
        open = ledger->state.open;
        LG_DEBUG_ASSERT(status != LG_OK || (open && lg_str_eq(open->call.tool, event->tool)));
    }
    return status == LG_OK ? fold_answer(session, event, open, ret_observed, reterr) : status;
}

static lg_status observe_event(lg_session *session, const lg_event *event,
                               lg_observed *ret_observed, lg_error *reterr)
{
    *ret_observed = LG_OBSERVED_NOTHING;
    lg_status status = session_check_event(event, reterr);
    if (status != LG_OK) {
        return status;
    }
    switch (event->kind) {
    case LG_EVENT_MESSAGE:
        return observe_message(session, event, reterr);
    case LG_EVENT_CALL:
        *ret_observed = LG_OBSERVED_OPEN;
        return observe_call(session, event, &session->memory->ledger.arena, reterr);
    case LG_EVENT_RESULT:
    case LG_EVENT_ERROR:
        return observe_answer(session, event, ret_observed, reterr);
    }
    return lg_fail(reterr, LG_ERR_USAGE, "there is no event of kind %d", (int)event->kind);
}

// --- The whole ----------------------------------------------------------------------------------

// Does anything that is judged later count on it? What a read was to return is asked for, if it is missing; but
// an answer that was not taken in may have shown that what stands there is no longer so.
static bool counts_on(const lg_session *session, const lg_event *event)
{
    const lg_pack *pack = session->memory->ledger.pack;
    if (pack->course || event->kind == LG_EVENT_MESSAGE) {
        return pack->course != NULL;
    }
    const lg_tool *tool = lg_pack_tool(pack, event->tool);
    bool reads =
        tool && tool->kind == LG_TOOL_READ && !tool->by_user && event->role == LG_ROLE_AGENT;
    return event->kind != LG_EVENT_CALL || !reads;
}

static lg_status observe_or_nothing(lg_session *session, const lg_event *event,
                                    lg_observed *ret_observed, lg_error *reterr)
{
    lg_session_memory *memory = session->memory;
    lg_error why;
    lg_status status = observe_event(session, event, ret_observed, &why);
    if (status == LG_OK) {
        session_leave(session);
        note_rejection(session, reterr);
    } else {
        memory->ledger.state = session->state.ledger;
        memory->conversation.state = session->state.conversation;
        session->found_count = 0;
    }
    LG_DEBUG_ASSERT(session_is_entered(session));
    if (reterr && status != LG_OK) {
        *reterr = why;
    }
    return status;
}

lg_status lg_observe(lg_session *session, const lg_event *event, lg_observed *ret_observed,
                     lg_error *reterr)
{
    lg_observed observed;
    session_enter(session);
    (void)session_tidy(session, false);
    lg_status status = observe_or_nothing(session, event, &observed, reterr);
    if (status == LG_ERR_OOM && session_tidy(session, true)) {
        status = observe_or_nothing(session, event, &observed, reterr);
    }
    bool misused = status == LG_ERR_USAGE; // nothing has happened
    session->state.lost =
        session->state.lost || (status != LG_OK && !misused && counts_on(session, event));
    if (ret_observed) {
        *ret_observed = status == LG_OK ? observed : LG_OBSERVED_NOTHING;
    }
    return status;
}
