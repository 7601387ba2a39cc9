// audit.h: what an agent really did: one recorded conversation, judged by all that can be decided of it.
//
// An audit is a replay with more questions. The recording goes through a session as a live conversation does;
// what came of each event is kept (the facts), and checks read the facts: each is of one of the seven evaluators of
// AgentPex (section 3.3), and each finding points at its event. What cannot be decided is undecided and no finding;
// what only a model could judge is asked of a model, if there is one, or named as not checked.
//
//     lg_audit *audit;
//     if (lg_audit_new(&options, &audit, &err) != LG_OK) ...
//     for (size_t i = 0; i < set->count; i++) {
//         const lg_audit_result *result;
//         if (lg_audit_conversation(audit, set, &set->traces[i], &result, &err) != LG_OK) ...
//         lg_audit_write(&writer, result); // docs/audit.md
//     }
//     lg_audit_free(audit);
//
// Deterministic: the same recording and the same packs give the same bytes. An audit belongs to one thread at a time;
// several may share packs.
#ifndef LG_AUDIT_AUDIT_H
#define LG_AUDIT_AUDIT_H

#include "session/session.h"
#include "trace/trace.h"
#include "json/writer.h"

// --- What is asked --------------------------------------------------------------------------------

// The evaluators, in the paper's order.
typedef enum lg_evaluator {
    LG_EVAL_OUTPUT,
    LG_EVAL_TRANSITION,
    LG_EVAL_FORBIDDEN_EDGES,
    LG_EVAL_GROUNDEDNESS,
    LG_EVAL_ARGUMENT,
    LG_EVAL_PLAN,
    LG_EVAL_FINAL_STATE,
    LG_EVAL_COUNT
} lg_evaluator;

const char *
lg_evaluator_name(lg_evaluator evaluator); // "output", "transition", "forbidden_edges", ...

typedef enum lg_severity {
    LG_SEVERITY_HINT,     // for people alone: in no score
    LG_SEVERITY_MINOR,    // the paper's tier 3
    LG_SEVERITY_MODERATE, // tier 2
    LG_SEVERITY_SEVERE,   // tier 1
} lg_severity;

const char *lg_severity_name(lg_severity severity); // "hint", "minor", "moderate", "severe"

typedef enum lg_failure_class { // LedgerAgent section 6
    LG_FAILURE_NONE,
    LG_FAILURE_MISSED_ACTION,
    LG_FAILURE_WRONG_ARGUMENT,
    LG_FAILURE_EXTRA_ACTION,
    LG_FAILURE_LOOP,
    LG_FAILURE_POLICY_VIOLATION,
    LG_FAILURE_COMMUNICATION,
    LG_FAILURE_AUTHENTICATION,
} lg_failure_class;

const char *lg_failure_class_name(lg_failure_class which); // "missed_action", ...; "" for none

// What a check can find: the kinds are a table (kinds.c), and a finding names its row.
typedef struct lg_audit_kind {
    const char *name; // "text_with_call"
    lg_evaluator evaluator;
    lg_severity severity;     // unless the check says otherwise
    bool of_process;          // it counts in the process score
    lg_failure_class failure; // of a conversation that it is the worst of; or none
    const char *what;         // in one sentence, for people
    const char *suggest;      // the edit of prompt or pack that would have prevented it
} lg_audit_kind;

const lg_audit_kind *lg_audit_kinds(size_t *ret_count);

// --- What is found --------------------------------------------------------------------------------

typedef struct lg_audit_finding {
    const lg_audit_kind *kind;
    lg_severity severity;
    bool by_model;
    uint32_t event; // of the recording, or LG_NO_EVENT: of the conversation as a whole
    uint32_t root;  // index of the finding that caused it; its own if none did
    lg_str rule;    // of the pack or the prompt, or empty
    lg_str key;     // JSON pointer in the call's arguments, or empty
    lg_str message; // for people: what was wrong
    lg_str because; // the policy behind it, as quoted, or empty
    const lg_evidence *evidence;
    size_t evidence_count;
} lg_audit_finding;

// What could not be decided, or was not looked at.
typedef struct lg_audit_open {
    const lg_audit_kind *kind; // NULL: all that the evaluator would have judged
    lg_evaluator evaluator;
    bool judged;    // of what was not looked at: the part that a model judges
    uint32_t event; // or LG_NO_EVENT
    lg_str rule;    // or empty
    lg_str why;
} lg_audit_open;

typedef struct lg_audit_score {
    bool ran; // else `why` says what was missing, and it is in no sum
    lg_str why;
    double score;     // 0 to 100
    bool has_decided; // something of it was decided by rules:
    uint32_t checked, violated;
    bool has_judged;  // a model has judged it:
    double judged;    // its score
    lg_str reasoning; // and what it said
    bool is_critical; // of the critical tier, be it by promotion
    double weight;    // of its tier: 3, 2, 1
} lg_audit_score;

typedef struct lg_audit_counts {
    uint32_t turns, messages, calls, reads, writes, carried_out, delegated;
} lg_audit_counts;

typedef struct lg_audit_signal {
    const char *name;
    double value;
} lg_audit_signal;

// A record of the ledger that an event has made, changed or cast doubt on.
typedef struct lg_audit_change {
    uint32_t event;
    lg_str path;          // ledger.orders["#W1"]
    const lg_json *value; // NULL: what it was
    lg_str tool;          // the read that returned it
    uint32_t turn;        // of that read
    bool stale;
} lg_audit_change;

// All of it lives in the audit, until its next conversation.
typedef struct lg_audit_result {
    const lg_trace_set *set;
    const lg_trace *trace;
    const lg_pack *pack; // that fits its tools, or NULL
    char id[17];         // of its content, in hexadecimal
    char did[17];        // of the set of changes that were carried out; empty without a pack
    lg_str customer;     // or empty
    lg_audit_counts counts;
    lg_audit_score scores[LG_EVAL_COUNT];
    bool has_aggregate;
    double aggregate, aggregate_once; // 0 to 100
    bool has_outcome;
    double outcome; // 0 to 1
    double process; // 0 to 100
    lg_failure_class failure;
    uint32_t first_unrecoverable; // event, or LG_NO_EVENT
    const lg_audit_finding *findings;
    size_t finding_count, findings_left_out;
    const lg_audit_open *undecided, *not_checked;
    size_t undecided_count, not_checked_count;
    const lg_audit_signal *signals;
    size_t signal_count;
    const lg_audit_change *changes; // in the order of events; only if they were asked for
    size_t change_count;
} lg_audit_result;

// --- Auditing -------------------------------------------------------------------------------------

typedef struct lg_audit lg_audit;

typedef struct lg_audit_options {
    const lg_pack *const *packs; // must outlive the audit
    size_t pack_count;
    const lg_limits *limits; // NULL: the defaults
    bool keep_changes;       // of the ledger, for who shows them
} lg_audit_options;

// Two tools of which the second may not be called right after the first, as a prompt states it (AgentPex, forbidden
// edges).
typedef struct lg_audit_edge {
    lg_str from, to;
    bool must;      // else it is what should be
    lg_str rule;    // in one sentence, or empty
    lg_str because; // the words of the prompt, or empty
} lg_audit_edge;

LG_NODISCARD lg_status lg_audit_new(const lg_audit_options *options, lg_audit **ret_audit,
                                    lg_error *reterr);
void lg_audit_free(lg_audit *audit); // NULL is allowed

// The edges of the conversations from here on, beside those that packs forbid. Borrowed until they are set again; they must
// outlive the results.
void lg_audit_set_edges(lg_audit *audit, const lg_audit_edge *edges, size_t count);

// Fails with LG_ERR_OOM; then the audit can go on with the next one.
LG_NODISCARD lg_status lg_audit_conversation(lg_audit *audit, const lg_trace_set *set,
                                             const lg_trace *trace,
                                             const lg_audit_result **ret_result, lg_error *reterr);

// What a model said of one evaluator (room judge asks it).
typedef struct lg_audit_violation {
    lg_severity severity;
    uint32_t event; // or LG_NO_EVENT
    lg_str rule;    // in the prompt's words, or empty
    lg_str message;
} lg_audit_violation;

typedef struct lg_audit_judgement {
    lg_evaluator evaluator;
    bool
        answered; // else `why` says what went wrong, and the evaluator's judged part is not checked
    lg_str why;
    uint32_t checked; // rules, steps or fields that it was asked about
    const lg_audit_violation *violations;
    size_t violation_count;
    bool outcome_failed; // of LG_EVAL_FINAL_STATE: wrongly refused or wrongly completed
    lg_str reasoning;
} lg_audit_judgement;

// Takes what a model said of the conversation that was audited last into its result, and scores it again. Fails with
// LG_ERR_OOM.
LG_NODISCARD lg_status lg_audit_judge(lg_audit *audit, const lg_audit_judgement *judgements,
                                      size_t count, const lg_audit_result **ret_result,
                                      lg_error *reterr);

// The result as one JSON object (docs/audit.md); `file` and `line` as they shall be written.
void lg_audit_write(lg_json_writer *w, const lg_audit_result *result, lg_str file, uint32_t line);

// What the ledger learnt, as a JSON array of {event, path, value ?, tool ?, turn, stale}.
void lg_audit_write_changes(lg_json_writer *w, const lg_audit_result *result);

// --- The aggregate (AgentPex section 3.4) -----------------------------------------------------------

// The weighted mean of the evaluators that ran, at most the lowest of the critical ones. False if none ran.
bool lg_audit_aggregate(const lg_audit_score scores[LG_EVAL_COUNT], double *ret);

#endif
