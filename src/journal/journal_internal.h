// journal_internal.h: what the files of this room share.
#ifndef LG_JOURNAL_INTERNAL_H
#define LG_JOURNAL_INTERNAL_H

#include "journal/journal.h"

#include "json/writer.h"

#define KIND_LAW LG_STR("law")
#define KIND_EVENT LG_STR("event")
#define KIND_DECISION LG_STR("decision")
#define KIND_OUTCOME LG_STR("outcome")

// clang-format off
// All that a verdict may depend on, and loading a pack.
#define LIMITS_MAP(X)                                                                              \
    X(json_depth) X(json_bytes) X(stream_bytes) X(json_string_bytes) X(document_bytes)             \
    X(memory_bytes) X(error_count) X(cel_bytes) X(cel_depth) X(cel_cost) X(regex_steps)            \
    X(decision_steps) X(observe_steps) X(ledger_entries) X(open_calls) X(trace_events)
// clang-format on

static inline lg_str id_bytes(const lg_journal_id *id)
{
    return (lg_str){(const char *)id->bytes, sizeof(id->bytes)};
}

// Ids of scopes have the first bit set, all others have not: so the beginning of a conversation is told from an event
// that is not there any more.
static inline bool id_is_scope(const lg_journal_id *id)
{
    return id->bytes[0] & 0x80;
}

// journal.c: of whatever is found by its content. `what` is a word for each kind of thing.
void id_of_content(lg_str secret, lg_str what, lg_str content, lg_journal_id *ret);
// Of an event, whose payload is `content`. What a commit has touched of the log's index by keys is written and synced, page by
// page, and keys that begin alike stand beside each other: so the ids of one conversation's events begin alike.
void id_of_event(lg_str secret, const lg_journal_id *previous, const lg_event *event,
                 lg_str content, lg_journal_id *ret);
// What was said before, and now this.
void id_add_said(lg_str secret, const lg_journal_id *previous, lg_str text, lg_journal_id *ret);

// --- write.c: payloads --------------------------------------------------------------------------

void write_law(lg_json_writer *w, const lg_journal_law *law);
void write_event(lg_json_writer *w, lg_str secret, const lg_journal_id *previous,
                 const lg_journal_event *event, lg_journal_id *ret_said); // its `said` alone
// Its `decisions` come last.
LG_NODISCARD lg_status write_decision(lg_json_writer *w, const lg_journal_decision *decision,
                                      lg_error *reterr);
void write_outcome(lg_json_writer *w, const lg_journal_outcome *outcome);

// The digest of the ledger as rules see it, in hexadecimal.
#define LEDGER_HEX_BYTES (2 * LG_DIGEST_BYTES + 1)
LG_NODISCARD lg_status digest_ledger(lg_session *session, char out[LEDGER_HEX_BYTES],
                                     lg_error *reterr);

// The reports of decisions, as an array. `made` as lg_journal_decision has `reports`.
LG_NODISCARD lg_status write_reports(lg_json_writer *w, lg_session *session,
                                     const lg_decision *decisions, const lg_str *made, size_t count,
                                     lg_error *reterr);

// --- read.c: payloads that anybody may have written ---------------------------------------------
//
// All that is read lives in `arena` and in `body`. A payload that is not as it should be gives LG_ERR_FORMAT, and the error
// says what is wrong.

typedef struct read_law {
    lg_str text; // the pack's
    lg_str file;
    lg_str program; // the version that decided
    lg_limits limits;
    lg_explain explain;
    bool recorded;
} read_law;
LG_NODISCARD lg_status read_law_body(lg_arena *arena, lg_str body, read_law *ret, lg_error *reterr);

typedef struct read_event {
    lg_journal_id previous;
    lg_journal_event told;
    bool has_said;
    lg_journal_id said; // its `bytes`
} read_event;
LG_NODISCARD lg_status read_event_body(lg_arena *arena, lg_str body, read_event *ret,
                                       lg_error *reterr);

typedef struct read_decision {
    lg_str conversation;
    lg_journal_id law;
    lg_journal_id last;
    bool has_host_time;
    lg_time host_time;
    lg_str ledger; // hexadecimal
    lg_event *proposed;
    size_t count;
    const lg_json *decisions; // NULL: there was no verdict, for
    lg_str reports; // of them: the text from the array's beginning on, to the end of the payload
    lg_str status;  // this reason
    lg_str error;
} read_decision;
LG_NODISCARD lg_status read_decision_body(lg_arena *arena, lg_str body, read_decision *ret,
                                          lg_error *reterr);

// The decision that an outcome is about.
LG_NODISCARD lg_status read_outcome_body(lg_arena *arena, lg_str body, lg_journal_id *ret,
                                         lg_error *reterr);

// --- thread.c: which decisions are of one conversation ------------------------------------------

typedef struct conversation_decision {
    uint64_t sequence;
    lg_journal_id id; // if it has one
    bool has_id;
    bool chosen; // it is of the conversation
    lg_time time;
    lg_journal_id last; // the event behind which it was made
} conversation_decision;

typedef struct conversation {
    conversation_decision *all; // that can be read
    size_t count, capacity;
    lg_journal_thread *threads; // no more than LG_JOURNAL_THREADS_MAX
    size_t thread_count;        // in all
} conversation;

// `what` as lg_journal_select_conversation() has it. All of it in `arena`.
LG_NODISCARD lg_status conversation_find(lg_log *log, lg_str what, lg_arena *arena,
                                         conversation *ret, lg_error *reterr);

#endif
