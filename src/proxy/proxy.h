// proxy.h: one exchange of a client with a model, judged: a state machine without sockets.
//
// The request's messages are the session: they are folded into a ledger, the ledger is put into the prompt, the
// calls of the reply are judged, and only what is allowed, and is durably in the log, reaches the client
// (LedgerAgent section 3.4). The host moves the bytes and does what it is told:
//
//     lg_exchange *x;
//     if (lg_exchange_new(&(lg_exchange_options){.route = route, .api = api, .body = body, ...}, &x) != LG_OK) 503;
//     for (;;) {
//         lg_exchange_action a = lg_exchange_next(x);
//         switch (a.kind) {
//         case LG_EXCHANGE_MORE:         // call again in the next turn of the loop; with a.aside, better elsewhere
//         case LG_EXCHANGE_UPSTREAM:     // begin a request upstream with a.body; what comes of it:
//                                        // lg_exchange_upstream_head(), _bytes()..., _end()
//         case LG_EXCHANGE_SEND:         // a.head: status and headers come first; then a.body; a.end: that was all
//         case LG_EXCHANGE_WAIT:         // nothing to do until something was told
//         case LG_EXCHANGE_WAIT_DURABLE: // until a.token is durable: lg_exchange_durable()
//         case LG_EXCHANGE_DONE:         // lg_exchange_delivered() or not, then lg_exchange_free()
//         }
//     }
//
// It fails closed: whatever goes wrong inside (memory, the log, the pack, a reply that cannot be read) ends in a
// refusal that says so. Only a route without a pack, or in shadow, passes bytes on as they are.
//
// Live is replay: events are told to the session with the turn numbers that an import of the same messages gives,
// so a decision is, byte for byte, that of `ledgergate replay --json`.
//
// An exchange belongs to one thread at a time. Proxy and routes are shared by all: what they keep is locked.
#ifndef LG_PROXY_H
#define LG_PROXY_H

#include "chat/chat.h"
#include "journal/journal.h"

// --- What all loops share -----------------------------------------------------------------------

typedef struct lg_proxy lg_proxy;

// Zero is the default, which is in brackets.
typedef struct lg_proxy_options {
    lg_journal *journal; // where decisions are kept; NULL: nowhere, and nothing waits for it
    lg_limits limits;    // of each session, and of each text that is read
    // What is remembered between exchanges, of all routes together; the oldest goes first. Losing it loses
    // feedback, hidden rounds and continued responses, never a refusal.
    size_t memory_entries; // of each kind [65,536]
    size_t memory_bytes;   // of each kind [64 MiB]
    // Folded conversations that wait for their next turn, of each route; a route that was replaced keeps a quarter.
    size_t session_entries; // [1,024]
    size_t session_bytes; // [256 MiB]; a quarter of it besides for their messages as they were read
    bool
        reads_anew; // nothing of a request is remembered as it was read: each is read from its beginning
    size_t reply_bytes;   // of one reply of the upstream that is judged [16 MiB]
    size_t request_bytes; // of one request [32 MiB]
    size_t out_bytes;     // of what waits to be sent to one client [64 MiB]: 502 beyond it
    // What all exchanges together hold beside their bodies: requests and replies as they were read, prompts. A request
    // that would bring more is refused with 503, unless it is the only one [1 GiB].
    size_t exchange_bytes;
    // Of all that is remembered, of what the journal calls a conversation, and of the marks of blocks: with another one, a
    // conversation that goes on is a new one there, and for the upstream's caches. Copied; NULL: random.
    const lg_hash_key *key;
} lg_proxy_options;

// Fails with LG_ERR_OOM. The journal must outlive it.
LG_NODISCARD lg_status lg_proxy_new(const lg_proxy_options *options, lg_proxy **ret_proxy);
void lg_proxy_free(lg_proxy *proxy); // NULL is allowed; its routes and exchanges must be gone

// --- Routes -------------------------------------------------------------------------------------

typedef struct lg_proxy_route lg_proxy_route;

typedef enum lg_proxy_mode {
    LG_PROXY_ENFORCE,
    LG_PROXY_SHADOW, // everything is judged and kept, and everything passes, also what cannot be judged
} lg_proxy_mode;

typedef enum lg_proxy_block {
    LG_PROXY_BLOCK_CURRENT, // the whole ledger, at the end of the last message
    // A pure function of the prefix: request n is a prefix of request n + 1, so caches and signed parts of the
    // upstream stay valid. After the first block only what changed.
    LG_PROXY_BLOCK_APPEND,
    LG_PROXY_BLOCK_NONE,
} lg_proxy_block;

typedef enum lg_proxy_refusal {
    LG_PROXY_ASK,    // a message left without calls is asked again at once
    LG_PROXY_RETURN, // the client gets the reply without the calls, and why
} lg_proxy_refusal;

#define LG_PROXY_REVISIONS 2u

typedef struct lg_proxy_route_options {
    lg_str name;         // of the route, for scopes and labels; copied
    const lg_pack *pack; // NULL: bytes pass unchanged. It must outlive the route
    // The route that this one comes instead of, or NULL. If only the pack differs, conversations that it has folded and
    // still knows go on by the pack with which they began; so do those of the four packs before. All else begins anew.
    // Must be valid during the call, and the pack until `released` was called for that route.
    lg_proxy_route *before;
    lg_time now; // the host's clock, for what the log says of the pack
    // Called when neither the host nor an exchange uses the route any more: the pack can go. May be NULL.
    void (*released)(void *context);
    void *context;
    lg_proxy_mode mode;
    const lg_str
        *shadow_rules; // of an enforcing route: rules that are recorded and do not refuse; copied
    size_t shadow_rule_count;
    lg_proxy_block block;
    size_t block_bytes; // ceiling of one block; 0: none
    bool block_compact; // one short line a record
    // `append`: a whole block comes again once the changes since the last one have so many bytes [4 KiB], and as many as
    // that had.
    size_t block_again_bytes;
    bool
        block_as_system; // as a system message of its own, and not as text at the end of the last message
    lg_proxy_refusal on_refusal;
    bool no_revisions;      // max_revisions: 0
    uint32_t max_revisions; // how often a message is asked again [2]
    bool hold_text;         // hold all text until it is judged, also where no rule can refuse it
    // Tools that the upstream runs by itself, without showing the call before, and history that only it
    // knows: refused unless this is set; counted in both cases.
    bool allow_unseen;
    // All that come by this route are the same one to the upstream (it is asked with a key of the host's), so it would
    // let each continue what another one has said: a response that is not known to be the principal's own is not
    // continued, unless `allow_unseen` is set.
    bool shares_upstream;
} lg_proxy_route_options;

// Fails with LG_ERR_OOM, or LG_ERR_NAME for a shadow rule that the pack does not have.
LG_NODISCARD lg_status lg_proxy_route_new(lg_proxy *proxy, const lg_proxy_route_options *options,
                                          lg_proxy_route **ret_route, lg_error *reterr);

// The host's use of the route ends: exchanges that run go on with it, and the last of them releases it.
void lg_proxy_route_free(lg_proxy_route *route); // NULL is allowed

// Can a rule of the pack refuse what the agent says, so that text is held until it is judged?
bool lg_proxy_holds_text(const lg_proxy_route *route);

// --- Numbers ------------------------------------------------------------------------------------

// clang-format off
#define LG_PROXY_COUNT_MAP(X)                                                                        \
    X(exchanges,          "exchanges begun")                                                         \
    X(passed,             "exchanges of routes without a pack")                                      \
    X(folds_warm,         "conversations that were found folded up to a prefix")                     \
    X(folds_cold,         "conversations that were folded from the beginning")                       \
    X(readings,           "requests of which messages had been read before")                         \
    X(events,             "events that were folded")                                                 \
    X(allowed,            "judged calls that may be made")                                           \
    X(revised,            "calls and messages that the model may mend")                              \
    X(blocked,            "calls and messages that are ruled out")                                   \
    X(shadowed,           "refusals that were recorded only")                                        \
    X(ungated,            "calls that nothing judges")                                               \
    X(bad_arguments,      "calls whose arguments are no JSON")                                       \
    X(revisions,          "times that a model was asked again")                                      \
    X(gave_up,            "choices that ended with a text of refusal")                               \
    X(feedback_kept,      "refusals that wait for the next request")                                 \
    X(feedback_joined,    "refusals that joined a request")                                          \
    X(hidden_rounds,      "hidden rounds that were put back into a request")                         \
    X(results_refused,    "results of calls that were refused")                                      \
    X(results_unjudged,   "results of calls that were not judged here")                              \
    X(unseen_tools,       "requests for tools that the upstream runs by itself, and replies of them") \
    X(unseen_history,     "requests with history that only the upstream knows")                      \
    X(unknown_responses,  "requests that continue a response that is not known")                     \
    X(block_bytes,        "bytes of ledger blocks added to requests")                                \
    X(block_tokens,       "tokens of them, estimated as a quarter of the bytes")                     \
    X(upstream_errors,    "answers of the upstream that are redirects or have a status of 400 or more")\
    X(upstream_cut,       "replies that were cut short, malformed or too large")                     \
    X(journal_failures,   "replies whose decisions could not be kept: no call of them passed, but in shadow")\
    X(failures,           "failures inside: refused, or in shadow passed unjudged; outcomes that were not kept")\
    X(delivered,          "judged replies that reached the client")                                  \
    X(undelivered,        "judged replies that did not")
// clang-format on

typedef struct lg_proxy_counts {
#define X(name, text) uint64_t name;
    LG_PROXY_COUNT_MAP(X)
#undef X
} lg_proxy_counts;

// Of all routes since the proxy was made. From any thread.
void lg_proxy_count(const lg_proxy *proxy, lg_proxy_counts *ret);

// What all exchanges hold at this moment beside their bodies. From any thread.
size_t lg_proxy_held_bytes(const lg_proxy *proxy);

// Decisions of a route by what decided: tools and rules are those of the pack, so labels are bounded. A tool
// that the pack does not know is "", as is the rule of what is allowed. Calls `visit` for each count that is
// not zero. From any thread.
typedef void (*lg_proxy_visit)(void *context, lg_verdict verdict, lg_str rule, lg_str tool,
                               uint64_t count);
void lg_proxy_route_decisions(const lg_proxy_route *route, lg_proxy_visit visit, void *context);

// --- An exchange --------------------------------------------------------------------------------

typedef struct lg_exchange lg_exchange;

typedef struct lg_exchange_options {
    lg_proxy *proxy;
    lg_proxy_route *route;
    lg_chat_api api;
    lg_str principal; // whose request it is: nothing that is remembered crosses principals
    lg_str body;      // of the request; must live as long as the exchange
    lg_time now;      // the host's clock
    size_t slice;     // events that one turn of the loop folds [16]
    size_t at_once;   // bytes of a body that are read or written in one turn [256 KiB]
    // The host makes up the reply, to see whether it is judged: it is, and is in the journal, but is in no number, and the
    // model is not asked again.
    bool canary;
    // Called once for each WAIT_DURABLE, on whatever thread the journal has it on, perhaps before the action is
    // seen and perhaps after the exchange was freed: the host finds the exchange by its token, on its own thread, and
    // calls lg_exchange_durable(). Needed where there is a journal. `kept_context` must outlive the journal's writing.
    void (*kept)(void *kept_context, uint64_t token, lg_status status);
    void *kept_context;
} lg_exchange_options;

// Takes the request, and does not look at it yet. What is wrong with it comes as an answer to send, in the protocol's own
// form. Fails with LG_ERR_OOM: the host answers 503.
LG_NODISCARD lg_status lg_exchange_new(const lg_exchange_options *options,
                                       lg_exchange **ret_exchange);

// In any state: what is not delivered is recorded as such. NULL is allowed.
void lg_exchange_free(lg_exchange *x);

typedef struct lg_http_field {
    lg_str name, value;
} lg_http_field;

typedef enum lg_exchange_kind {
    LG_EXCHANGE_MORE,
    LG_EXCHANGE_UPSTREAM,
    LG_EXCHANGE_SEND,
    LG_EXCHANGE_WAIT,
    LG_EXCHANGE_WAIT_DURABLE,
    LG_EXCHANGE_DONE,
} lg_exchange_kind;

// Everything that it points to is valid until the next call on the exchange.
typedef struct lg_exchange_action {
    lg_exchange_kind kind;
    lg_str body; // UPSTREAM: of the request; SEND: the next bytes, may be empty
    // MORE: a request or a reply is long, and the next call may read, judge or write all of it, some 20 ms of a core for
    // each MB: a host whose loop must not stand still lets another thread make it, and go on while there is MORE with
    // `aside`; MORE without it comes back to the loop, where what the log says is heard. It waits for nothing, and is told
    // nothing meanwhile: the host does not read on what the upstream says.
    bool aside;
    bool stream;    // UPSTREAM: the reply is to be a stream of events
    bool gated;     // UPSTREAM: it is judged, so it must not come compressed
    uint32_t round; // UPSTREAM: 0, then a revision
    bool head;      // SEND: the first bytes: `status` and `fields` come before them
    uint16_t status;
    const lg_http_field
        *fields; // content-type and what the upstream said: never length, coding or connection
    size_t field_count;
    bool end; // SEND: nothing comes behind them
    bool
        broken; // SEND with `end`: the upstream's reply broke off here: break the client's connection as well
    uint64_t token; // WAIT_DURABLE: of the journal
} lg_exchange_action;

lg_exchange_action lg_exchange_next(lg_exchange *x);

// What the upstream says to the latest UPSTREAM; what is left of an earlier one the host drops, and does not tell. The
// fields are copied as far as they are passed on. Bytes of the body may be cut anywhere.
void lg_exchange_upstream_head(lg_exchange *x, uint16_t status, const lg_http_field *fields,
                               size_t field_count);
void lg_exchange_upstream_bytes(lg_exchange *x, lg_str bytes);

// The body has ended. Not `whole`: the connection broke or timed out, or there was none; `why` says it in a clause
// for people ("the connection was refused"), and `status` is what the client is told if nothing was sent yet:
// 502 or 504.
typedef struct lg_upstream_end {
    bool whole;
    uint16_t status;
    lg_str why;
} lg_upstream_end;
void lg_exchange_upstream_end(lg_exchange *x, const lg_upstream_end *end);

// The body of the latest UPSTREAM becomes the caller's: it lives on where it was. Empty: it was the options' own.
lg_buf lg_exchange_take_body(lg_exchange *x);

// The journal has kept what WAIT_DURABLE named, or has failed to.
void lg_exchange_durable(lg_exchange *x, uint64_t token, lg_status status);

// The last byte was sent, or the client has gone: the outcome of all decisions. Later than that nothing is told
// but lg_exchange_free(). Not called: undelivered.
void lg_exchange_delivered(lg_exchange *x, bool delivered);

// For headers, logs and spans. Valid until the exchange is freed.
typedef struct lg_exchange_report {
    // Of the first decision of the reply that is delivered, or, if nothing was decided on it, of the latest before; empty:
    // nothing was decided, or it is kept nowhere.
    lg_str decision_id;
    lg_str conversation; // as the journal calls it; or empty
    lg_str model;        // as the request names it
    lg_str problem;      // what went wrong inside, or empty
    lg_str why;          // the sentence on it
    uint32_t revisions;
    uint32_t decisions, refused; // of all rounds
    // Results in the conversation of calls that were refused, or never judged here; and the tool of the first of them, of
    // a refused one if there is one.
    uint32_t results_refused, results_unjudged;
    lg_str finding_tool;
    uint64_t block_bytes; // that were added to the prompt, of all rounds
    // Bytes of bodies and events that were read or written so far: what calls have cost.
    uint64_t worked;
    bool shadow;
} lg_exchange_report;
void lg_exchange_tell(const lg_exchange *x, lg_exchange_report *ret);

// What the replies that were judged say of themselves. As long.
#define LG_EXCHANGE_FINISHES 8u
typedef struct lg_exchange_reply {
    lg_str id, model; // of the last; or empty
    lg_str finishes[LG_EXCHANGE_FINISHES];
    size_t finish_count;
    bool has_usage;
    uint64_t input_tokens, output_tokens; // of all rounds
} lg_exchange_reply;
void lg_exchange_tell_reply(const lg_exchange *x, lg_exchange_reply *ret);

#endif
