// request.h: what a customer has asked for, and whether the law gives it.
//
// The pack says by which words a write is asked for and of which records (pack/requests.h). Here the messages of a
// conversation are looked through, each record that is meant becomes a call, and the gate is asked about it as things
// stand in the session: so "permitted, asked for, and never done" and "rightly refused" can be told apart. Patterns are
// hints: that something was asked for is never proof, and no verdict on a call depends on it.
//
//     const lg_asked *asked;  // after the last event of `trace` was observed
//     if (lg_requests_find(session, trace, arena, &found, &err) != LG_OK) ...
#ifndef LG_REQUEST_H
#define LG_REQUEST_H

#include "pack/requests.h"
#include "session/session.h"
#include "trace/trace.h"

#define LG_ASKED_MAX 64u         // of one conversation; what else was asked for is counted
#define LG_ASKED_RECORDS_MAX 16u // of one request

// How it is known which record is meant, the surest first.
typedef enum lg_asked_how {
    LG_ASKED_NAMED,   // its key stands in a message that asks
    LG_ASKED_MEANT,   // words of the user describe it
    LG_ASKED_SAID,    // its key stands in another message of the user
    LG_ASKED_ONLY,    // it is the only one, of those that are likely
    LG_ASKED_SPOKEN,  // the agent has named it
    LG_ASKED_ANY,     // nothing tells: it is one of those that there are
    LG_ASKED_NOTHING, // the request is about no record, or none is known
    LG_ASKED_HOW_COUNT
} lg_asked_how;

typedef enum lg_asked_verdict {
    LG_ASKED_DONE,      // it was carried out, and nobody was asked
    LG_ASKED_PERMITTED, // no rule is against it, as things stand
    LG_ASKED_REFUSED,   // a rule does not hold
    LG_ASKED_FORFEITED, // a rule does not hold, for what was done in the conversation; else it would pass
    LG_ASKED_UNDECIDED, // a rule lacks evidence, or the gate steps or memory; or no record is known
    LG_ASKED_VERDICT_COUNT
} lg_asked_verdict;

const char *lg_asked_how_name(lg_asked_how how);             // "named", "said", "only", ...
const char *lg_asked_verdict_name(lg_asked_verdict verdict); // "done", "permitted", ...

// One record of one request.
typedef struct lg_asked {
    const lg_request *request;
    uint32_t event;     // of the trace: the message that asks first
    uint32_t last;      // that which asks last
    uint32_t withdrawn; // a later message that takes it back, or LG_NO_EVENT
    lg_asked_how how;
    lg_str key;          // of the record; empty: of none
    const lg_json *args; // how the call would be made, an object
    bool complete;       // all arguments that the tool requires are there
    lg_asked_verdict verdict;
    lg_str rule;    // if refused or undecided: of the finding that decides; or empty
    lg_str because; // likewise: the policy behind it
    lg_str message; // likewise, for people
    uint32_t done;  // the call that was carried out; LG_NO_EVENT: none was
    uint32_t tried; // the last that failed, or had no answer; or LG_NO_EVENT
} lg_asked;

typedef struct lg_requests {
    const lg_asked *items; // in the order of the pack's requests, and of the ledger's records
    size_t count;
    bool cut; // what was said, or which records there are, was not looked through to the end
} lg_requests;

// What was asked for in `trace`, whose events the session has observed, all or some; nothing happens in it. All of the
// result lives in `arena`; the session is used for its decisions, and what it explains is left as it was. Its work is
// bounded by observe_steps, and by decision_steps for each call. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_requests_find(lg_session *session, const lg_trace *trace, lg_arena *arena,
                                        lg_requests *ret, lg_error *reterr);

// Whom the conversation is about, as the pack says and the ledger knows; empty if it is not known. Fails with
// LG_ERR_OOM.
LG_NODISCARD lg_status lg_customer_of(lg_session *session, lg_arena *arena, lg_str *ret,
                                      lg_error *reterr);

#endif
