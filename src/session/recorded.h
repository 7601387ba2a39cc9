// recorded.h: a recorded conversation, told to a session as a live one is.
//
// The one order in which that is done: the calls of one message are judged together, before any of them is made;
// then each event is observed where it was recorded. A call that is refused, but that the recording carried out, is
// observed all the same, because that is what happened.
#ifndef LG_SESSION_RECORDED_H
#define LG_SESSION_RECORDED_H

#include "session/session.h"
#include "trace/trace.h"

// Who is told what came of it. False ends it. Whatever it is given is valid during the call.
typedef struct lg_recorded_listener {
    void *context;
    // The call at `index` of the trace was judged, and is to be observed.
    bool (*judged)(void *context, size_t index, const lg_decision *decision);
    // The event at `index` was observed: lg_rejected() and lg_found() of the session tell of it.
    bool (*observed)(void *context, size_t index, lg_observed observed);
} lg_recorded_listener;

// Tells the session all of the trace, from its beginning. Answers to no call are left out, which the importer has
// named. Takes memory for the calls of one message from `scratch`, and gives it back. Fails as lg_decide() and lg_observe()
// do: then the conversation was followed up to `*ret_index`. `*ret_ended`: the listener ended it.
LG_NODISCARD lg_status lg_session_tell(lg_session *session, const lg_trace *trace,
                                       const lg_recorded_listener *listener, lg_arena *scratch,
                                       size_t *ret_index, bool *ret_ended, lg_error *reterr);

#endif
