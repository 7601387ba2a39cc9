// recorded.c: a recorded conversation, told to a session.
#include "session/recorded.h"

// An answer to no call: the importer has said so.
static bool is_stray(const lg_trace_event *event)
{
    bool is_answer = event->kind == LG_EVENT_RESULT || event->kind == LG_EVENT_ERROR;
    return is_answer && event->other == LG_NO_EVENT;
}

// The calls of one message, from `index` on, are judged together, before any of them is made.
static lg_status judge(lg_session *session, const lg_trace *trace,
                       const lg_recorded_listener *listener, lg_arena *scratch, size_t index,
                       size_t count, bool *ret_ended, lg_error *reterr)
{
    lg_arena_mark mark = lg_arena_mark_here(scratch);
    lg_event *proposed = LG_NEW_ARRAY(scratch, lg_event, count);
    char(*ids)[LG_TRACE_ID_BYTES] = lg_arena_alloc(scratch, count * sizeof(*ids), 1);
    if (!proposed || !ids) {
        return lg_fail_oom(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        proposed[i] = lg_trace_event_at(trace, index + i, ids[i]);
    }
    const lg_decision *decisions;
    lg_status status = lg_decide(session, proposed, count, &decisions, reterr);
    lg_arena_rewind(scratch, mark);
    for (size_t i = 0; status == LG_OK && i < count && !*ret_ended; i++) {
        *ret_ended = !listener->judged(listener->context, index + i, &decisions[i]);
    }
    return status;
}

lg_status lg_session_tell(lg_session *session, const lg_trace *trace,
                          const lg_recorded_listener *listener, lg_arena *scratch,
                          size_t *ret_index, bool *ret_ended, lg_error *reterr)
{
    size_t judged = 0; // all calls before it are
    lg_status status = LG_OK;
    *ret_ended = false;
    for (*ret_index = 0; *ret_index < trace->count; ++*ret_index) {
        size_t i = *ret_index;
        size_t together = i < judged ? 0 : lg_trace_calls_together(trace, i);
        if (together) {
            status = judge(session, trace, listener, scratch, i, together, ret_ended, reterr);
            judged = i + together;
        }
        if (status != LG_OK || *ret_ended) {
            return status;
        }
        if (is_stray(&trace->events[i])) {
            continue;
        }
        char id[LG_TRACE_ID_BYTES];
        lg_event event = lg_trace_event_at(trace, i, id);
        lg_observed observed;
        status = lg_observe(session, &event, &observed, reterr);
        *ret_ended = status == LG_OK && !listener->observed(listener->context, i, observed);
        if (status != LG_OK || *ret_ended) {
            return status;
        }
    }
    return LG_OK;
}
