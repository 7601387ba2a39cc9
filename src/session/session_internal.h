// session_internal.h: what the files of this room share.
#ifndef LG_SESSION_INTERNAL_H
#define LG_SESSION_INTERNAL_H

#include "session/session.h"

// --- session.c ----------------------------------------------------------------------------------

// The session's state becomes that of the memory's ledger and conversation, which work on it.
void session_enter(lg_session *session);
void session_leave(lg_session *session);            // and back
bool session_is_entered(const lg_session *session); // for assertions: are they the same?

// Gives back memory that no fork needs, if there is much of it, or `now`. Did it? All states move with it, also
// where nothing is won; the session must have been entered, and be as it was then.
bool session_tidy(lg_session *session, bool now);

LG_NODISCARD lg_status session_fail_lost(lg_error *reterr);

// --- events.c -----------------------------------------------------------------------------------

// Fails with LG_ERR_USAGE for a time that there is not.
LG_NODISCARD lg_status session_check_event(const lg_event *event, lg_error *reterr);

// The time of an event, and where it is from; `now` is what rules see.
lg_clock session_now(const lg_session *session, const lg_event *event, lg_time *ret_now);

// The arguments of a call, parsed in the scratch arena, in at most so many steps of reading. `*ret_args` is
// NULL if they are no JSON, and any value that is no object if they are none. Fails with LG_ERR_OOM.
typedef struct session_args {
    const lg_json *json;
    lg_str text;
    uint64_t read_steps;
} session_args;
LG_NODISCARD lg_status session_read_args(lg_session *session, const lg_event *event, uint64_t steps,
                                         session_args *ret, lg_error *reterr);

// Arguments that are no JSON object count as none: the call is made with them all the same.
const lg_json *session_args_made(const lg_json *args);

// As the rules about the conversation see the event, with the ledger before it.
lg_conversation_event session_conversation_event(const lg_session *session, const lg_event *event,
                                                 const lg_json *args);

#endif
