// exchange_internal.h: one exchange, for the files that carry it on.
#ifndef LG_PROXY_EXCHANGE_INTERNAL_H
#define LG_PROXY_EXCHANGE_INTERNAL_H

#include "proxy/proxy_internal.h"

#define EXCHANGE_ROUNDS_MAX 16u
#define EXCHANGE_NOTES_MAX 8u
#define EXCHANGE_ERROR_ROOM 2048u

// Of what is judged. A client that minds a charset has to read what was read here: the upstream's own word, which may
// name any other, does not go on.
#define EXCHANGE_JSON "application/json; charset=utf-8"

typedef enum exchange_state {
    EXCHANGE_READING, // the request is still bytes
    EXCHANGE_FOLDING,
    EXCHANGE_COMPOSING,  // what goes upstream is to be written
    EXCHANGE_ASKING,     // the upstream is to be asked
    EXCHANGE_AWAITING,   // its head
    EXCHANGE_RELAYING,   // its bytes go on as they are
    EXCHANGE_PROBLEM,    // its reply is no success
    EXCHANGE_COLLECTING, // its reply, whole
    EXCHANGE_STREAMING,  // its events
    EXCHANGE_HEARING,    // an event of it that is long
    EXCHANGE_REPLIED,    // it is here, and is to be read
    EXCHANGE_RECALLING,  // it has been, and the request is to be read again
    EXCHANGE_RECALLED,   // both are at hand, and the reply is to be judged or delivered
    EXCHANGE_JUDGED,     // the journal is to have the decisions
    EXCHANGE_KEEPING,    // and has not said yet that it has
    EXCHANGE_SETTLING,   // the model is to be asked again, or the reply to be delivered
    EXCHANGE_OVER,       // what is in `out` is all
} exchange_state;

// What came of something proposed: a call, or what was said in a choice.
typedef struct ruling {
    bool decided; // somebody has looked at it
    bool judged;  // by the gate; else there is nothing to say but why it does not pass, if so
    bool passes;
    bool shadowed;    // it passes, and would not have
    const char *host; // what refused it that is no rule of the pack, as a JSON array; or NULL
    lg_str host_says; // why
    lg_verdict verdict;
    lg_str rules; // a JSON array of their ids
    lg_str message;
    lg_str report; // the decision as JSON, as `replay --json` has it; or empty
    lg_str id;     // of the decision, in hexadecimal; or empty
} ruling;

// A decision that the log has, and what waits to be told of it there.
typedef struct outcome {
    lg_journal_id decision;
    ruling *const *rulings; // on what was proposed
    size_t count;
} outcome;

// One reply of the upstream, judged.
typedef struct round {
    const lg_chat_reply *reply;
    ruling *calls; // one a call of the reply
    ruling *texts; // one a choice
} round_of;

// Something to tell about what the request holds.
typedef struct note {
    const char *kind;
    bool past_gate; // it tells of a call that was made and not let through here
    lg_str tool, id;
    lg_str message;
} note;

struct lg_exchange {
    lg_exchange_options o;
    lg_proxy *proxy;
    lg_proxy_route *home; // with which it began: its numbers are counted there
    lg_proxy_route
        *route; // by which it goes: that, or an earlier one that has folded the conversation
    lg_arena arena;
    exchange_state state;

    // --- The request ---
    const lg_chat_request *request; // NULL: nobody reads it
    lg_arena asked;                 // where it lives
    lg_chat_request resting;        // what is known of it while it is not at hand (hold_rest)
    lg_trace resting_trace;
    shelf_item *reading;  // of its messages, where they live; or NULL
    bool reads_on;        // it is of use to the next request
    lg_hash_digest last;  // the hash of its last message, if it has any
    size_t counted_bytes; // in the sum of all exchanges
    lg_hash_digest scope;
    lg_hash_digest base; // what came before its first message (the scope, or what it continues)
    lg_hash_digest continues; // the key of what it continues
    bool is_continued;        // it continues something that is known:
    lg_buf record;            // as it is remembered
    lg_str previous; // in it: the upstream's own id of what is continued; empty: as it was named
    lg_str owing;    // in it: items for the upstream, which answer refused calls; or empty
    uint32_t base_messages, base_events;
    const lg_event *before; // the events of what it continues, if somebody needed them
    size_t before_count;
    size_t before_told; // to the session
    talk *talk;
    bool lost; // something could not be taken in: nothing gated passes, and the talk is not kept
    size_t message; // the next to fold
    size_t event;   // likewise
    bool entered;   // the message is begun
    bool folded;
    bool told_aside;       // the host knows that the next call is a long one
    char conversation[33]; // what the log calls it
    note notes[EXCHANGE_NOTES_MAX];
    size_t note_count, notes_seen;

    // --- The upstream ---
    lg_buf body;      // of the latest request to it
    prompt_text tail; // of the prompt: feedback and block
    lg_buf rounds;    // hidden ones, as messages
    uint32_t round;   // of the latest request
    bool is_sse;      // its reply is a stream
    uint16_t status;  // of its reply
    lg_str coding;    // of one that is no success; or empty
    lg_str unrevised; // why what was refused was not revised; or empty
    lg_http_field *fields;
    size_t field_count;
    lg_buf collected;   // a reply that came whole; in shadow, what a stream would have become
    lg_buf heard;       // of a stream: the end of a long event
    size_t reply_bytes; // of the latest reply, so far
    lg_chat_stream *stream;
    lg_str *passed; // text that has gone on, by choice, of the rounds before
    size_t passed_count;

    // --- What was decided ---
    const lg_chat_reply
        *awaits; // the request, to be judged; NULL: the latest round, to be delivered
    round_of judged[EXCHANGE_ROUNDS_MAX]; // all rounds so far
    size_t judged_count;
    bool ruled_out;    // a call was blocked, and the model has been asked to decline
    outcome *outcomes; // the first `removed` of them are of replies that were replaced
    size_t outcome_count, outcome_capacity, removed;
    size_t removed_before;   // as long as the latest round was not
    lg_journal_batch *batch; // of the latest round, until judge_keep(); or NULL
    bool keeps;              // there is something for the journal
    bool misses;             // and it is not known any more what it is about
    bool answered;           // the client gets what came of the latest round
    lg_journal_id logged_at; // where the log is, once it has what was handed over
    uint64_t token;
    bool kept_failed;
    char decision_id[LG_JOURNAL_ID_HEX]; // the first of the delivered reply
    lg_exchange_report report;

    // --- The client ---
    lg_buf out;     // what is to be sent
    lg_buf sending; // what the latest action has shown
    bool head_due, head_sent, end_due, end_sent, broken;
    uint16_t out_status;
    bool own_answer;                // it is JSON of ours, whatever the upstream's fields say
    bool settled;                   // the outcome is in the log
    char room[EXCHANGE_ERROR_ROOM]; // for an answer when there is no memory
};

// What a canary does is in no number.
static inline void exchange_add(const lg_exchange *x, proxy_number number, uint64_t more)
{
    proxy_add(x->proxy, number, x->o.canary ? 0 : more);
}

static inline bool exchange_is_shadow(const lg_exchange *x)
{
    return x->route->options.mode == LG_PROXY_SHADOW;
}

// Are there calls that do not pass? Else what the upstream says goes on as it is.
static inline bool exchange_is_gated(const lg_exchange *x)
{
    return x->route->options.pack && !exchange_is_shadow(x);
}

// --- exchange.c ---------------------------------------------------------------------------------

// Ends the exchange with the protocol's error, or its event in a stream that has begun. Needs no memory.
LG_PRINTF(4, 5)
void exchange_fail(lg_exchange *x, uint16_t status, const char *code, const char *format, ...);
void exchange_fail_oom(lg_exchange *x);
void exchange_problem(lg_exchange *x, const char *code, lg_str why); // for the report

// Adds something to tell, if there is room, and a number.
void exchange_note(lg_exchange *x, proxy_number number, note what);

// Goes on with what the request is needed for: a reply to be judged or, without one, the latest round to be delivered.
void exchange_go_on_with(lg_exchange *x, const lg_chat_reply *reply);
// The reply cannot be judged. `why` may be NULL for LG_ERR_OOM.
void exchange_fail_reply(lg_exchange *x, lg_status status, const lg_error *why);
// In shadow nothing is kept from the client.
void exchange_pass_as_it_came(lg_exchange *x, bool broken);
// Nothing comes behind what is in `out`.
void exchange_end(lg_exchange *x, bool broken);
// Has all that waits for the client found its place?
LG_NODISCARD lg_status exchange_check_out(const lg_exchange *x, lg_error *reterr);

// --- upstream.c ---------------------------------------------------------------------------------

void upstream_hear(lg_exchange *x);       // reads the long event that was put by
void upstream_read_reply(lg_exchange *x); // which is here, whole

// --- head.c -------------------------------------------------------------------------------------

bool head_is_events(const lg_http_field *fields, size_t count); // is the body a stream of them?
// How the body is coded, if it is; empty: it can be read.
lg_str head_coding(const lg_http_field *fields, size_t count);
// Keeps what goes on to the client. False: out of memory.
bool head_take(lg_exchange *x, uint16_t status, const lg_http_field *fields, size_t count,
               bool sse);

// --- hold.c: what it holds in memory ---------------------------------------------------------------

// Reads the request. Fails with LG_ERR_OOM also where all exchanges together hold too much.
LG_NODISCARD lg_status hold_read(lg_exchange *x, lg_error *reterr);
// It is not needed for a while: a large one is forgotten, its messages, events and JSON. What is left is what the
// exchange's end needs, and `last`.
void hold_rest(lg_exchange *x);
bool hold_recall(lg_exchange *x); // it is needed. False: there is no memory for it
// Nobody reads it any more: what was read of it is the next turn's.
void hold_put_back(lg_exchange *x);
void hold_done(lg_exchange *x);

// --- prefix.c: what is known of its messages -------------------------------------------------------

// Reads the request with what was read before of the messages that it begins with. False: it must be read as it is.
LG_NODISCARD bool prefix_read(lg_exchange *x, const lg_chat_options *options);
size_t prefix_bytes(const lg_exchange *x);
// For the next turn; `x->request` points into it no more.
void prefix_put_back(lg_exchange *x);

// --- fold.c -------------------------------------------------------------------------------------

// Reads the request and finds its conversation. False: the exchange has failed.
bool fold_begin(lg_exchange *x);
// One slice of it. False: the exchange has failed.
bool fold_some(lg_exchange *x);
// The body for the upstream, with all that is put in, into `x->body`. False: the exchange has failed.
bool fold_compose(lg_exchange *x);
// Event `index` of the request, or the event of a reply, as the session is told it.
lg_event fold_event_at(const lg_exchange *x, size_t index, char room[LG_TRACE_ID_BYTES]);
lg_event fold_proposed(const lg_exchange *x, const lg_chat_choice *choice, size_t index,
                       char room[LG_TRACE_ID_BYTES]);

// --- continue.c: responses that are continued ----------------------------------------------------

// Finds what `id` stands for. False: out of memory. It may be that nothing is known of it.
bool continue_find(lg_exchange *x, lg_str id);
// Loads the events before the request, all of them. LG_ERR_MISSING: they are not known any more.
LG_NODISCARD lg_status continue_load(lg_exchange *x);
// The talk that has folded what it continues, up to the reply; or NULL.
talk *continue_take(lg_exchange *x);
// Remembers what was delivered under the response's id: what was said in it, and `said` with its calls (key_said).
void continue_keep(lg_exchange *x, const round_of *r, lg_str text, const lg_hash_digest *said);

// --- judge.c ------------------------------------------------------------------------------------

// Judges a reply: `x->judged` has one round more. False: out of memory.
bool judge_reply(lg_exchange *x, const lg_chat_reply *reply);
// Hands the decisions to the journal. The state is KEEPING where its word is waited for.
void judge_keep(lg_exchange *x);
// The journal has failed: nothing gated passes.
void judge_unkept(lg_exchange *x, round_of *r, lg_str why);
// What became of the decisions.
void judge_outcomes(lg_exchange *x, bool delivered);

// --- answer.c -----------------------------------------------------------------------------------

// Is nothing of the reply left for the client to go on with, because it was refused?
bool answer_wants_again(const round_of *r);
// Two texts of one stream, as the client has them. NULL: out of memory.
lg_str answer_join(lg_exchange *x, lg_str text, lg_str behind);
// What the model is told of a refused call; or, without memory, a word.
lg_str answer_feedback(lg_exchange *x, const ruling *one);
// Appends the hidden round that asks again, to `x->rounds`.
LG_NODISCARD lg_status answer_ask(lg_exchange *x, const round_of *r, lg_error *reterr);
// Remembers what the next request needs: what was refused, rounds that the client has not seen, what a response id
// continues. Without the memory for it that is lost, and nothing passes for it.
void answer_remember(lg_exchange *x, const round_of *r);
// Writes the reply for the client.
LG_NODISCARD lg_status answer_write(lg_exchange *x, const round_of *r, lg_error *reterr);

#endif
