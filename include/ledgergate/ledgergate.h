// ledgergate.h: the library in four verbs: load a pack, observe, decide, render.
//
// A pack is the law of one domain: its tools, what their results mean, and the rules for calls that
// change something. A session is one conversation: it keeps the ledger, the typed record of what
// tools really returned, and judges proposed calls against it.
//
//     lg_pack *pack;
//     lg_error errors[20];
//     size_t error_count;
//     if (lg_pack_load("packs/retail", NULL, &pack, errors, 20, &error_count) != LG_OK) ...
//     lg_session *session;
//     if (lg_session_new(pack, NULL, &session) != LG_OK) ...
//     // for each tool result that came back:
//     lg_observe(session, &(lg_observation){.tool = tool, .args = args, .result = text}, &err);
//     // for each call the model proposes:
//     const lg_decision *decision;
//     if (lg_decide(session, tool, args, &decision, &err) != LG_OK) refuse();  // fail closed
//     if (decision->verdict == LG_ALLOW) run_the_tool();
//     else tell_the_model(decision->message);
//
// Packs are immutable after loading and may be shared by threads. A session belongs to one thread
// at a time. Tool arguments and results are passed as text, as they travel on the wire.
#ifndef LEDGERGATE_H
#define LEDGERGATE_H

#include <ledgergate/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// "0.1.0"
const char *lg_version(void);

// --- Packs --------------------------------------------------------------------------------------

typedef struct lg_pack lg_pack;

// Loads and checks the pack in file `path`, or in `path`/pack.yaml if `path` is a folder. On success
// sets `*ret_pack`; free it with lg_pack_free(). Otherwise writes up to `capacity` errors to
// `errors` (their `file` borrows `path`, or a text that lives as long as the process) and sets
// `*ret_count` to how many there were in all. Returns the status of the first.
LG_NODISCARD lg_status lg_pack_load(const char *path, const lg_limits *limits, lg_pack **ret_pack,
                                    lg_error *errors, size_t capacity, size_t *ret_count);

// The same from memory: YAML or JSON `text`, called `name` in messages.
LG_NODISCARD lg_status lg_pack_load_text(lg_str text, const char *name, const lg_limits *limits,
                                         lg_pack **ret_pack, lg_error *errors, size_t capacity,
                                         size_t *ret_count);
void lg_pack_free(lg_pack *pack); // NULL is allowed. Sessions of it must be freed first.

lg_str lg_pack_name(const lg_pack *pack);
lg_str lg_pack_version(const lg_pack *pack);

// --- Sessions -----------------------------------------------------------------------------------

typedef struct lg_session lg_session;

// A conversation that has observed nothing yet. `pack` must outlive it. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_session_new(const lg_pack *pack, const lg_limits *limits,
                                      lg_session **ret_session);
void lg_session_free(lg_session *session); // NULL is allowed

// Forgets the conversation and keeps the memory, for the next one. The time, and what is explained, stay
// as they were set; the turn is forgotten.
void lg_session_reset(lg_session *session);

// The time that `now` stands for, unless the pack fixes it, and by which windows in seconds run, in
// seconds since 1970 UTC. Until it is called, each decision, observation and message reads the system's
// clock.
void lg_session_set_time(lg_session *session, int64_t unix_seconds);

// What a decision says beside its verdict and the findings with their messages.
typedef enum lg_explain {
    LG_EXPLAIN_NOTHING = 0,
    LG_EXPLAIN_EVIDENCE = 1,
    LG_EXPLAIN_HINTS = 2,
    LG_EXPLAIN_ALL = LG_EXPLAIN_EVIDENCE | LG_EXPLAIN_HINTS,
} lg_explain;

// From the next decision on; a session begins with LG_EXPLAIN_ALL. No verdict depends on it.
void lg_session_set_explain(lg_session *session, lg_explain explain);

// One tool call that was carried out, with what came back.
typedef struct lg_observation {
    lg_str tool;
    lg_str args;   // the arguments as a JSON object; empty means {}
    lg_str result; // the result's text, as the tool returned it
    bool failed;   // the call failed: `result` is its error
    bool by_user;  // the user called a tool of their own; the agent never sees its result
    uint32_t turn; // of the message with the call; for display
} lg_observation;

typedef enum lg_observed {
    LG_OBSERVED_NOTHING,    // a failed call, a generic tool, a tool that changes nothing known
    LG_OBSERVED_RECORDS,    // a read: the ledger holds what it returned
    LG_OBSERVED_WRITE,      // a write: the history holds it, what it may have changed is stale
    LG_OBSERVED_UNREADABLE, // a read whose result has not the declared form; the ledger is as before
    LG_OBSERVED_REJECTED,   // a read whose result breaks a postcondition or an invariant; likewise
    LG_OBSERVED_UNVERIFIED, // a write whose result does: as LG_OBSERVED_WRITE, but marked
    LG_OBSERVED_STALE, // nothing was stored, and what the call may have changed, or a read that
                       // failed would have stored, is stale
} lg_observed;

// Why something was rejected (ToolGate section 5.4): of proposed calls the first three, of results
// the last four.
typedef enum lg_category {
    LG_CATEGORY_NONE,
    LG_CATEGORY_ENTITY,   // value or entity hallucination: what the call says does not hold
    LG_CATEGORY_STATE,    // state dependency missing: what it depends on was not observed
    LG_CATEGORY_FORMAT,   // schema and format violation
    LG_CATEGORY_EMPTY,    // empty or null result
    LG_CATEGORY_SEMANTIC, // semantic mismatch: the result is not what was asked for
    LG_CATEGORY_UPDATE,   // state-update inconsistency: with it an invariant would not hold
} lg_category;

const char *lg_category_name(lg_category category); // "none", "entity", "state", "format", ...

// Folds one carried-out call into the ledger (LedgerAgent section 3.1). `ret_observed` may be NULL.
// Fails with LG_ERR_PARSE if `args` is no JSON object, LG_ERR_LIMIT or LG_ERR_OOM; then the ledger
// is as it was. Where that was a call that may have changed something, every decision fails from then
// on, until the session is reset: rules count on what was done. If the rules about the conversation could not follow the call, all later calls fail
// likewise and every decision refuses, until the session is reset. What cannot be checked within
// observe_steps counts as not fulfilled. For LG_OBSERVED_UNREADABLE, _REJECTED and _UNVERIFIED,
// `reterr` tells what was wrong with the result.
LG_NODISCARD lg_status lg_observe(lg_session *session, const lg_observation *observation,
                                  lg_observed *ret_observed, lg_error *reterr);

typedef struct lg_rejection { // A result that was not accepted (ToolGate section 3.4).
    lg_category category;
    lg_str condition; // the postcondition or invariant; `returns` is the declared form
    lg_str because;   // of that condition, or empty
    const char *message;
} lg_rejection;

// Why the latest call of lg_observe() did not accept the result; NULL if it did. Valid until the
// next call on this session.
const lg_rejection *lg_rejected(const lg_session *session);

// --- Decisions ----------------------------------------------------------------------------------

typedef enum lg_verdict {
    LG_ALLOW,  // run the call unchanged
    LG_REVISE, // do not run it; the model may mend it
    LG_BLOCK,  // do not run it; the action is ruled out
} lg_verdict;

const char *lg_verdict_name(lg_verdict verdict); // "allow", "revise", "block"

typedef enum lg_cause {
    LG_CAUSE_VIOLATED,     // what the rule demands is false
    LG_CAUSE_MISSING,      // evidence that the rule needs was never observed
    LG_CAUSE_DEFECT,       // the rule could not be evaluated: a fault of the pack or of a record
    LG_CAUSE_ARGUMENTS,    // the arguments do not fit the tool's schema
    LG_CAUSE_UNKNOWN_TOOL, // the pack does not declare the tool
    LG_CAUSE_STALE,        // what the rule has read may have changed since; it wants it read again
    // The decision has used up its steps (decision_steps) before its verdict, or an earlier event could
    // not be followed (lg_hear).
    LG_CAUSE_BUDGET,
} lg_cause;

const char *lg_cause_name(lg_cause cause); // "violated", "missing", ...

// A value that the rules looked at, and where it came from.
typedef struct lg_evidence {
    lg_str path;       // ledger.orders["#W1"].status, args.amount
    lg_str value;      // as JSON, cut to LG_EVIDENCE_BYTES_MAX bytes with "..." at the end
    bool observed;     // it stands in the ledger; the following say where it came from
    lg_str tool;       // the read that returned it
    uint32_t turn;     // of that read
    bool stale;        // a later write may have changed it
    lg_str stale_tool; // that write
} lg_evidence;
#define LG_EVIDENCE_BYTES_MAX 200

// A path that was needed and has never been observed, or has to be observed again.
typedef struct lg_missing {
    lg_str path; // ledger.orders["#W1"]
    lg_str read; // the call that would supply it: get_order_details(order_id: "#W1"), or empty
} lg_missing;

// Another value for one argument with which the call would pass, known to the ledger.
typedef struct lg_hint {
    lg_str path;  // args.payment_method_id
    lg_str value; // as JSON
} lg_hint;

typedef struct lg_finding { // One rule that the call does not meet.
    lg_str rule;            // its id; `arguments` and `known_tool` are the gate's own
    lg_verdict verdict;
    lg_cause cause;
    lg_category category;
    lg_str message; // for the model and for people
    lg_str because; // the policy behind it, or empty
    const lg_missing *missing;
    size_t missing_count;
    const lg_evidence *evidence; // what this rule read
    size_t evidence_count;
} lg_finding;

typedef struct lg_decision {
    lg_verdict verdict;   // the most severe of all findings
    lg_category category; // of the first finding with that verdict
    bool gated;           // false: a read or generic call, which is never judged
    const lg_finding *findings;
    size_t finding_count;
    const lg_finding *reports; // of conversation rules that refuse nothing; their verdict is allow
    size_t report_count;
    const lg_evidence *evidence; // of all rules that were evaluated, in order, without repetition
    size_t evidence_count;
    size_t evidence_left_out; // more was read than is listed
    bool evidence_cut;        // some of it because decision_steps did not reach
    const lg_hint *hints;
    size_t hint_count;
    bool hints_cut;         // there may be more: decision_steps did not reach
    uint64_t steps;         // that the decision took
    size_t rules_evaluated; // that apply to the tool
    size_t rules_abstained; // of these, for want of evidence that they do not insist on
    lg_str message;         // all findings and hints in words, for the model; empty if allowed
} lg_decision;

// Judges a proposed call (LedgerAgent section 3.3). The session is not changed: observe the call
// once it was carried out. `*ret_decision` is valid until the next call on this session. An error
// means that no verdict was reached: treat it as a refusal. Arguments that are not a JSON object
// are no error but a finding.
//
// All work of a decision is bounded by decision_steps: hints end first, then evidence is cut, and a
// verdict that cannot be reached is a refusal with LG_CAUSE_BUDGET. Steps follow from pack, ledger and
// call, never from the time: the same inputs end in the same place.
LG_NODISCARD lg_status lg_decide(lg_session *session, lg_str tool, lg_str args,
                                 const lg_decision **ret_decision, lg_error *reterr);

// --- The conversation ---------------------------------------------------------------------------
//
// A pack may hold rules about the course of the conversation: what comes before what, what must not
// follow, what is owed. For them a session is also told what was said, and to which message the
// calls belong. They judge calls in lg_decide(), with the other rules.

typedef enum lg_speaker { LG_SPEAKER_USER, LG_SPEAKER_AGENT } lg_speaker;

typedef struct lg_message {
    lg_speaker speaker;
    lg_str text;
    uint32_t turn; // its number in the conversation
} lg_message;

// The message was said. Fails with LG_ERR_OOM; then no verdict is reached any more. Fails with
// LG_ERR_LIMIT if the rules cannot follow it within observe_steps; then every call is refused, with
// LG_CAUSE_BUDGET, until the session is reset.
LG_NODISCARD lg_status lg_hear(lg_session *session, const lg_message *message, lg_error *reterr);

// Calls that are judged from now on belong to the message of this turn. Until it is called, each is
// taken for the only call of a message without text, and rules about that are undecided.
void lg_session_set_turn(lg_session *session, uint32_t turn);

// Judges a message that the agent is about to say, as lg_decide() judges a call, and fails as that does.
LG_NODISCARD lg_status lg_decide_message(lg_session *session, const lg_message *message,
                                         const lg_decision **ret_decision, lg_error *reterr);

typedef enum lg_obligation_state {
    LG_OWED_OPEN,    // and there is still time
    LG_OWED_OVERDUE, // its window has passed
    LG_OWED_LATE,    // what was owed came after its window
} lg_obligation_state;

const char *lg_obligation_state_name(lg_obligation_state state); // "open", "overdue", "late"

// What the agent owes: an event asked for another one, which has not come, or not in time.
typedef struct lg_obligation {
    lg_str rule;
    lg_str key;         // what it is about, or empty
    lg_str message;     // what is to be done
    lg_str because;     // the policy behind it, or empty
    lg_verdict verdict; // of the rule; LG_ALLOW: it only reports
    lg_str tool;        // of the event that it arose from; empty for a message
    uint32_t event;     // its number, from 0
    uint32_t turn;      // its turn
    lg_obligation_state state;
} lg_obligation;

// All of them, in the order of the rules. Valid until the next call on this session. When the
// conversation ends, each is a breach of its rule. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_owed(lg_session *session, const lg_obligation **ret, size_t *ret_count,
                               lg_error *reterr);

// --- Rendering ----------------------------------------------------------------------------------

typedef struct lg_render_options {
    bool compact; // one short line a record instead of the whole record
    bool types;   // the type of each record, as the pack declares it
    // Ceiling of the text, 0 for none. The oldest records go first, then the oldest writes. The
    // first line, and a last one that says what was left out, are there at any budget.
    size_t budget_bytes;
} lg_render_options;

// The ledger block for a prompt (LedgerAgent section 3.2): deterministic, every record under its
// canonical path with the read it came from, and what is owed. `options` may be NULL. Valid until the next
// call on this session. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_render(lg_session *session, const lg_render_options *options,
                                 lg_str *ret_text, lg_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
