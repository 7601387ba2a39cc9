// session.h: one conversation: what has happened in it, and what may happen next.
//
// The room knows how an event meets ledger, conversation rules and gate, and nobody else does: the public
// functions (lg_observe, lg_decide and the rest of <ledgergate/ledgergate.h>), replayed recordings and
// rehearsed calls all go through it. What is live is what is replayed.
//
// All of a session is a value, lg_session_state, beside the memory in which it lies. So a snapshot is a copy of
// one small struct, and going back is assigning it. Forks are sessions that share the memory.
#ifndef LG_SESSION_H
#define LG_SESSION_H

#include "conversation/conversation.h"
#include "gate/gate.h"
#include "ledger/ledger.h"

// Valid until the session is reset or freed, or its memory is tidied: see lg_session_keep_all().
typedef struct lg_session_state {
    lg_ledger_state ledger;
    lg_conversation_state conversation;
    bool lost; // something by which rules count on what was done could not be taken in
} lg_session_state;

// What the forks of a session share.
typedef struct lg_session_memory {
    lg_quota quota; // of all of it
    lg_ledger ledger;
    lg_conversation conversation;
    struct lg_session *forks; // all of them
    size_t fork_count;
    bool keeps_all;
} lg_session_memory;

struct lg_session {
    lg_session_memory *memory;
    struct lg_session *next, *previous; // forks
    lg_session_state state;
    lg_arena scratch; // of the latest call
    lg_explain explain;
    bool recorded;
    bool time_is_set;
    lg_time time; // in place of the host's clock
    lg_rejection rejection;
    lg_error why;
    const lg_finding *found; // of the latest event
    size_t found_count;
    lg_error not_followed; // why the rules about the conversation cannot follow it any more
};

// From now on no memory is given back before the end, so that states which were copied stay valid: for
// rehearsals, which keep many and are short.
void lg_session_keep_all(lg_session *session);

// Ledger and conversation rules as they are in this session. Valid until the next call on it or a fork.
const lg_ledger *lg_session_ledger(lg_session *session);

// The ledger as rules see it: calls that have no answer may have happened. Valid until the next call on the
// session. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_session_seen(lg_session *session, lg_ledger_state *ret);
const lg_conversation *lg_session_conversation(lg_session *session);

// What lg_render() gives without a budget, as it stands inside a JSON string, appended to `out`; lines of records are taken
// from `shown`, which is this session's or a fork's, as long as they are what they were.
typedef struct lg_session_block {
    size_t plain_bytes; // outside of a JSON string
    bool empty;         // its first line alone
} lg_session_block;
LG_NODISCARD lg_status lg_session_render_again(lg_session *session,
                                               const lg_render_options *options,
                                               lg_ledger_shown *shown, lg_buf *out,
                                               lg_session_block *ret, lg_error *reterr);

// What lg_render() shows of the session and did not of `before`, a fork of it that stands where it once was: lines of the
// ledger, and what is owed; then what is not known or not owed any more. Empty: nothing that has a line. It costs what
// has changed, and what is owed; the ceiling of `options` is not looked at. The text is valid as lg_render()'s is.
LG_NODISCARD lg_status lg_session_render_changes(lg_session *session, lg_session *before,
                                                 const lg_render_options *options, lg_str *ret_text,
                                                 lg_error *reterr);

#endif
