// audit_internal.h: what the files of the room share: the facts of a conversation, and what checks say of them.
//
// A conversation is told to a session once, and what came of each event is kept: these are the facts (facts.c). Checks
// read them, in any order, and say what they found, what they could not decide, and how much they looked at; they know
// nothing of each other, and nothing of scores.
#ifndef LG_AUDIT_INTERNAL_H
#define LG_AUDIT_INTERNAL_H

#include "audit/audit.h"
#include "pack/pack.h"

#define LG_AUDIT_FINDINGS_MAX 1000u // of one conversation; more are counted

// --- Kinds (kinds.c) --------------------------------------------------------------------------------

typedef enum audit_kind {
    KIND_TEXT_WITH_CALL,
    KIND_SEVERAL_CALLS,
    KIND_UNCONFIRMED_WRITE,
    KIND_UNAUTHENTICATED,
    KIND_BLIND_TRANSFER,
    KIND_REFUSED_WRITE,
    KIND_ORDER,
    KIND_OWED,
    KIND_FORBIDDEN_EDGE,
    KIND_SCHEMA_VIOLATION,
    KIND_UNKNOWN_TOOL,
    KIND_UNGROUNDED_ARGUMENT,
    KIND_TOOL_BYPASSED,
    KIND_CONTRADICTED_CLAIM,
    KIND_PRINTED_CALL,
    KIND_PROMISE_NOT_KEPT,
    KIND_SKIPPED_VERIFICATION,
    KIND_REPEATED_FAILURE,
    KIND_LOOP,
    KIND_UNASKED_WRITE,
    KIND_YES_WITHOUT_WRITE,
    KIND_ASKED_NOT_DONE,
    KIND_FAILED_WRITE_LEFT,
    KIND_NO_REGULAR_END,
    KIND_JUDGED_OUTPUT, // what a model found, by evaluator
    KIND_JUDGED_TRANSITION,
    KIND_JUDGED_GROUNDEDNESS,
    KIND_JUDGED_ARGUMENT,
    KIND_JUDGED_PLAN,
    KIND_JUDGED_FINAL_STATE,
    KIND_COUNT
} audit_kind;

extern const lg_audit_kind audit_kinds[KIND_COUNT];

// --- Facts (facts.c) ----------------------------------------------------------------------------------

// What came of one event of the recording. All of it lives until the next conversation.
typedef struct audit_step {
    const lg_trace_event *event;
    const lg_tool *
        tool; // of a call or an answer, as the pack declares it; NULL: it does not, or there is no pack
    bool judged; // a call of the agent's that the pack's rules have judged:
    lg_verdict verdict;
    const lg_finding *findings; // by severity of the rules; then what they only report
    size_t finding_count;
    bool followed;         // the session has observed it
    lg_observed observed;  // then
    const lg_json *before; // then: the ledger as it was before the event
    bool refused_result;   // a result that the ledger did not accept
    lg_str plain;          // its text as words.h has it; once it was asked for
} audit_step;

// What a model said of an evaluator, beside its findings.
typedef struct audit_judged {
    bool answered;
    uint32_t checked;
    lg_str reasoning;
    lg_str why; // it was not answered; empty: nobody asked
} audit_judged;

typedef struct audit_case {
    lg_arena *arena; // of the conversation at hand
    const lg_limits *limits;
    const lg_trace_set *set;
    const lg_trace *trace;
    const lg_pack *pack; // or NULL
    lg_session *session; // at the end of what could be followed; NULL without a pack
    audit_step *steps;   // one an event
    size_t count;
    size_t followed;           // events that the session has taken in
    const lg_obligation *owed; // at the end; `event` is an index of `steps`
    size_t owed_count;
    const lg_audit_edge *edges;
    size_t edge_count;
    bool has_user;                       // somebody speaks who is not the agent
    const struct lg_catalogue *offered;  // the tools that were offered; NULL if that is not known
    struct audit_law *law;               // what prompt and pack state: stated.h
    struct audit_laws *laws;             // where that is kept for the next conversation, or NULL
    const struct audit_aftermath *after; // what comes later: dialogue.h
    // What the checks say.
    lg_audit_finding *findings;
    size_t finding_count, finding_capacity, findings_left_out;
    lg_audit_open *undecided, *not_checked;
    size_t undecided_count, undecided_capacity, not_checked_count, not_checked_capacity;
    uint32_t checked[LG_EVAL_COUNT]; // things that an evaluator's checks have looked at
    lg_audit_signal *signals;
    size_t signal_count, signal_capacity;
    audit_judged judged[LG_EVAL_COUNT];
    bool outcome_failed; // wrongly refused or wrongly completed: the paper's outcome failure
    bool keep_changes;
    lg_audit_change *changes; // of the ledger, as long as they are kept
    size_t change_count, change_capacity;
    bool oom;
} audit_case;

// Tells the conversation to `c->session` (if there is a pack) and fills in the facts. Sets `c->oom` for want of memory.
void audit_gather(audit_case *c);

// Reads `c->offered` from the recording.
void audit_read_offered(audit_case *c);

// Keeps what the event at `index`, which the session has just observed, did to the ledger (changes.c).
void audit_keep_changes(audit_case *c, size_t index);

// Was the call at `index` answered, and not by an error? False for any other event.
bool audit_succeeded(const audit_case *c, size_t index);
// Is it an agent's call of a tool that changes something, as the pack says? Without a pack nobody knows: false.
bool audit_is_write(const audit_case *c, size_t index);
// Is it such a call, and did it succeed?
bool audit_is_carried_out(const audit_case *c, size_t index);
// Is it a message of this role with any text?
bool audit_says(const audit_case *c, size_t index, lg_role role);

// --- Saying (found.c) ---------------------------------------------------------------------------------

// Adds a finding; never NULL: after a failure it is one that nobody reads. Its text is copied.
LG_PRINTF(4, 5)
lg_audit_finding *audit_found(audit_case *c, audit_kind kind, size_t event, const char *format,
                              ...);
// It could not be decided.
void audit_undecided(audit_case *c, audit_kind kind, size_t event, lg_str rule, const char *why);
// Nobody looked at this part of the evaluator: what a model would judge, or rules decide.
void audit_not_checked(audit_case *c, lg_evaluator evaluator, bool judged, const char *why);
// So many more things were looked at.
void audit_checked(audit_case *c, lg_evaluator evaluator, size_t count);
void audit_signal(audit_case *c, const char *name, double value);
// Text in the case's arena; the empty one after a failure.
lg_str audit_keep(audit_case *c, lg_str text);

// --- Checks, one file a subject -------------------------------------------------------------------------

void audit_check_verdicts(audit_case *c); // check_verdicts.c: what the pack's rules say
void audit_check_arguments(
    audit_case *c);                    // check_arguments.c: calls and the schemas of their tools
void audit_check_style(audit_case *c); // check_style.c: how the agent talks and calls
void audit_check_grounded(
    audit_case *c);                     // check_grounded.c: where the values of arguments come from
void audit_check_claims(audit_case *c); // check_claims.c: what the agent says, and what is so
void audit_check_asked(audit_case *c);  // check_asked.c: changes that nobody spoke of
void audit_check_consent(audit_case *c); // check_consent.c: who was asked, and who agreed
void audit_check_edges(audit_case *c);   // check_edges.c: consecutive calls beside a list of pairs
// Is it a rule of the pack about the conversation, and not about a tool?
bool audit_is_course_rule(const audit_case *c, lg_str id); // check_verdicts.c
// Has it no regular end, so that what was under way may have been cut (check_course.c)?
bool audit_breaks_off(audit_case *c);
void audit_check_course(audit_case *c); // check_course.c: loops, failures, how it ended

// --- Scores (score.c, classify.c) -----------------------------------------------------------------------

// The paper's rubric: what the findings of each evaluator come to.
void audit_score(const audit_case *c, lg_audit_result *result);
// From the findings to the result: roots, class, scores. May be done again when there are more.
void audit_conclude(audit_case *c, lg_audit_result *result);
// Roots of findings, the failure's class, and the first step after which it could not come right.
void audit_classify(audit_case *c, lg_audit_result *result);

#endif
