// journal.h: what the log holds so that a decision can be decided again.
//
// Four kinds of records, all JSON (docs/log.md has their members):
//
//     law       a pack's text, the limits of its sessions, and how they are set: once, whatever it judges
//     event     what a session was told, by a keyed digest of the event before it and of itself: so a conversation that
//               is sent again and again is kept once, and one that was changed is another one from there on
//     decision  after which event, by which law, on which ledger, what was proposed, what the report said
//     outcome   what became of a decision later: delivered or not
//
// Events form a tree whose root is a scope (who speaks by which route): what one sends never meets what another one
// sent. Live:
//
//     lg_journal_add_law(journal, &(lg_journal_law){.pack = pack, .limits = limits}, &law, &err);      // when it is loaded
//     lg_journal_scope(journal, scope, &at);                                           // of a new conversation
//     lg_journal_batch *batch = lg_journal_begin(journal, now);
//     for (each new message) {
//         lg_observe(session, &event, ...);
//         lg_journal_add_event(batch, &at, &(lg_journal_event){.event = event}, &at);  // `at` is of this event now
//     }
//     lg_decide(session, calls, count, &decisions, &err);
//     lg_journal_add_decision(batch, &(lg_journal_decision){.session = session, .law = law, .last = at,
//         .proposed = calls, .count = count, .decisions = decisions, ...}, &id);       // `id` is known at once
//     lg_journal_commit(batch, done, context, &err);    // `done` on the writer's thread, see store/store.h
//     ... when it has come: let the calls through; then
//     lg_journal_add_outcome(other_batch, &id, ...);
//
// A journal is shared by all threads; a batch belongs to one. Events may be added with the decision that needs them,
// however long ago they were told: whoever keeps sessions keeps (id, event) of what is not in the log yet, or adds
// events at once. An event that is in the log already costs a lookup and nothing else.
//
// Deciding again (lg_journal_verify) walks from the decision's last event to the scope, tells a session of that law all of
// it, decides, and compares the bytes of the report. What was redacted cannot be decided again, which is no difference.
#ifndef LG_JOURNAL_H
#define LG_JOURNAL_H

#include "session/session.h"
#include "store/store.h"

#define LG_JOURNAL_ID_BYTES 16u
#define LG_JOURNAL_ID_HEX                                                                          \
    (2 * LG_JOURNAL_ID_BYTES + 1) // with the NUL: lg_hex(id.bytes, sizeof(id.bytes), text)

typedef struct lg_journal_id {
    unsigned char bytes[LG_JOURNAL_ID_BYTES];
    // Of an event: a keyed digest of all that was said up to it, whoever said it and whenever. By it the log knows again what
    // was redacted.
    unsigned char said[LG_JOURNAL_ID_BYTES];
} lg_journal_id;

typedef struct lg_journal lg_journal;

// `store` must outlive it. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_journal_new(lg_store *store, lg_journal **ret_journal);
void lg_journal_free(lg_journal *journal); // NULL is allowed

// --- Laws and scopes ----------------------------------------------------------------------------

// By what sessions of a route judge: all that a verdict depends on beside the conversation.
typedef struct lg_journal_law {
    lg_time now; // of the record, if it becomes one: it counts to no verdict
    const lg_pack *pack;
    const lg_limits
        *limits; // with which the pack was loaded and its sessions are made; NULL: the defaults
    lg_explain explain; // lg_session_set_explain()
    bool recorded;      // lg_session_set_recorded()
} lg_journal_law;

// Puts the law into the log, if it is not there, and tells its id. Waits until it is on the disk. Fails as
// lg_store_append() and lg_store_wait() do.
LG_NODISCARD lg_status lg_journal_add_law(lg_journal *journal, const lg_journal_law *law,
                                          lg_journal_id *ret_id, lg_error *reterr);

// Where a conversation of this scope begins. `scope` is any text; the log holds its digest alone. Pure.
void lg_journal_scope(const lg_journal *journal, lg_str scope, lg_journal_id *ret_id);

// --- Events -------------------------------------------------------------------------------------

// As a session is told it.
typedef struct lg_journal_event {
    lg_event event;
    // The clock of the session when it was told (lg_session_set_time). Where it counts (the pack has no clock, the event
    // no time; rules about the conversation that is not `recorded`), set it, or nobody knows later what the clock said;
    // where it does not, leave it out, or the same event is another one each time. Without it, it is 1970 when it is told
    // again.
    bool has_host_time;
    lg_time host_time;
} lg_journal_event;

// --- Writing ------------------------------------------------------------------------------------

// Records that are written together or not at all. It fails once and stays failed; lg_journal_commit() says so.
typedef struct lg_journal_batch lg_journal_batch;

// `now` is the wall clock, for the records. NULL: out of memory; the rest take that, and lg_journal_commit() fails.
lg_journal_batch *lg_journal_begin(lg_journal *journal, lg_time now);
void lg_journal_drop(lg_journal_batch *batch); // NULL is allowed

// `ret_id` may be `previous`.
void lg_journal_add_event(lg_journal_batch *batch, const lg_journal_id *previous,
                          const lg_journal_event *event, lg_journal_id *ret_id);

// Where the host does not do what the report says: it refuses a call that no rule refuses (it is no whole call, or what
// was done before is not known), or lets one pass that is only watched.
typedef struct lg_journal_override {
    size_t proposed; // its index
    bool passes;
    lg_str rules;   // a JSON array of what it is called
    lg_str message; // or empty
} lg_journal_override;

typedef struct lg_journal_decision {
    lg_str conversation; // what the host calls it, for people and for redaction; or empty
    lg_str about;        // a JSON object of the host's own: route, principal, model, mode; or empty
    lg_journal_id law;
    lg_journal_id last; // the event, or scope, behind which it was decided
    bool has_host_time; // the clock of the session when it decided, as of an event
    lg_time host_time;
    lg_session *
        session; // which decided. Its ledger and its report are read; then the decisions are still valid
    const lg_event *proposed;
    size_t count;
    const lg_decision *decisions; // as many; NULL: there was no verdict, and `error` says why
    const lg_str *reports; // of each, where the host has it (lg_decision_json); an empty one, or
                           // NULL: it is made here
    const lg_error *error;
    const lg_journal_override *overrides;
    size_t override_count;
} lg_journal_decision;

void lg_journal_add_decision(lg_journal_batch *batch, const lg_journal_decision *decision,
                             lg_journal_id *ret_id);

typedef enum lg_journal_outcome_kind {
    LG_OUTCOME_DELIVERED, // the client has got the reply, with the calls that were allowed and not refused by the host
    LG_OUTCOME_REFUSED, // the client has got an answer, and nothing of what was proposed is in it
    LG_OUTCOME_UNDELIVERED, // it was gone; whether it has got a part of what passed is not known
    LG_OUTCOME_REMOVED,     // the message was not delivered, but replaced by another one
} lg_journal_outcome_kind;

typedef struct lg_journal_outcome {
    lg_journal_id decision;
    lg_journal_outcome_kind kind;
    lg_str note; // for people; or empty
} lg_journal_outcome;

void lg_journal_add_outcome(lg_journal_batch *batch, const lg_journal_outcome *outcome);

// Hands the batch to the log and ends it, also when it fails. `done` is called as lg_store_append() says; with nothing
// in the batch, at once. Fails as that does.
LG_NODISCARD lg_status lg_journal_commit(lg_journal_batch *batch, lg_store_done done, void *context,
                                         lg_error *reterr);

// The same for what nobody waits for, as outcomes: it is not lost where the log cannot be written to for a while.
LG_NODISCARD lg_status lg_journal_commit_later(lg_journal_batch *batch, lg_error *reterr);

// --- Deciding again -----------------------------------------------------------------------------

typedef enum lg_journal_agreement {
    LG_JOURNAL_SAME,
    LG_JOURNAL_DIFFERENT,
    LG_JOURNAL_NOT_EXECUTABLE, // a payload that it needs was taken out
    LG_JOURNAL_BROKEN,         // a payload is not what it should be, or is nowhere
} lg_journal_agreement;

typedef struct lg_journal_check {
    uint64_t sequence; // of the decision's record
    lg_str id;         // in hexadecimal
    lg_journal_agreement agreement;
    char why[256]; // where the first difference is, or what is missing; else empty
    lg_str then;   // of a difference: what the log says there, as JSON; and
    lg_str now;    // what is decided now
} lg_journal_check;

typedef struct lg_journal_counts {
    uint64_t decisions, same, different, not_executable, broken;
} lg_journal_counts;

// Decides each decision of the log again, or only the one of record `only` (0: all), and calls `check` for each.
// `secret` (32 bytes, of the key file) may be empty: then it is not looked whether events have the ids that they should
// have. Fails where the log cannot be read, or with LG_ERR_OOM.
typedef void (*lg_journal_check_sink)(void *context, const lg_journal_check *check);
LG_NODISCARD lg_status lg_journal_verify(lg_log *log, lg_str secret, uint64_t only,
                                         lg_journal_check_sink check, void *context,
                                         lg_journal_counts *ret, lg_error *reterr);

// --- Finding ------------------------------------------------------------------------------------

// The decision of this id (hexadecimal; or as a number, its record's). Fails with LG_ERR_MISSING, or LG_ERR_USAGE if it is
// no such text.
LG_NODISCARD lg_status lg_journal_find(lg_log *log, lg_str id, lg_log_record *ret,
                                       lg_error *reterr);

// One path of events, by the last decision that was made on it.
#define LG_JOURNAL_THREADS_MAX 20u // that are told
typedef struct lg_journal_thread {
    lg_str id; // of the decision, in hexadecimal
    uint64_t sequence;
    lg_time time;
    lg_str
        words; // what the user said first on it and on no other of these; its beginning, or empty
} lg_journal_thread;

// Numbers of records that a redaction takes out: a decision with its outcomes; of a conversation, all decisions, their
// outcomes, and the events that they stand on and that came behind these. Conversations that begin alike (with the same
// instructions to the model) have these events together: what another one stands on, too, is not selected. In `arena`.
typedef struct lg_journal_selection {
    const uint64_t *sequences;
    const lg_str *marks; // so that what was said is not written again; empty where there is none
    size_t count;
    size_t decisions; // among them
    size_t shared;    // events that stay, because other conversations stand on them
    // Of a conversation: its paths, those with the latest decision first. Where there are several, these may be different
    // people's, who began alike.
    const lg_journal_thread *threads;
    size_t thread_count; // may be more than are told
} lg_journal_selection;
LG_NODISCARD lg_status lg_journal_select_decision(lg_log *log, lg_str id, lg_arena *arena,
                                                  lg_journal_selection *ret, lg_error *reterr);
// `what` is the id of a decision, or its number: all decisions on the path of events that leads to it, and on all that lead on
// from there; or the name that the host gave, which may be that of many who began alike. Fails with LG_ERR_MISSING if it is
// none of these, LG_ERR_USAGE if it is two of them.
LG_NODISCARD lg_status lg_journal_select_conversation(lg_log *log, lg_str what, lg_arena *arena,
                                                      lg_journal_selection *ret, lg_error *reterr);
// All that was written before `time`, but laws.
LG_NODISCARD lg_status lg_journal_select_before(lg_log *log, lg_time time, lg_arena *arena,
                                                lg_journal_selection *ret, lg_error *reterr);

#endif
