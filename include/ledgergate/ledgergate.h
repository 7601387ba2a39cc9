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
//     // for each call that the model proposes:
//     lg_event call = {.kind = LG_EVENT_CALL, .id = id, .tool = tool, .args = args};
//     const lg_decision *decision;
//     if (lg_decide(session, &call, 1, &decision, &err) != LG_OK) refuse();  // fail closed
//     if (decision->verdict != LG_ALLOW) tell_the_model(decision->message);
//     // if it is allowed, say that it is made, make it, and say what came back:
//     lg_observe(session, &call, NULL, &err);
//     lg_event answer = {.kind = LG_EVENT_RESULT, .id = id, .text = run_the_tool()};
//     lg_observe(session, &answer, NULL, &err);
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
lg_str lg_pack_hash(const lg_pack *pack); // of its text, in hexadecimal: what was decided by what

typedef struct lg_tool_info {
    lg_str name;
    bool reads;   // its results enter the ledger
    bool writes;  // it changes something, so its calls are judged
    bool by_user; // it is the user's own
} lg_tool_info;

size_t lg_pack_tool_count(const lg_pack *pack);
lg_tool_info lg_pack_tool_at(const lg_pack *pack, size_t index); // it is less than the count

// --- Sessions -----------------------------------------------------------------------------------

typedef struct lg_session lg_session;

// A conversation that has observed nothing yet. `pack` must outlive it. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_session_new(const lg_pack *pack, const lg_limits *limits,
                                      lg_session **ret_session);
void lg_session_free(lg_session *session); // NULL is allowed

// Forgets the conversation and keeps the memory, for the next one. The time, and what is explained, stay
// as they were set.
void lg_session_reset(lg_session *session);

// A second session that has observed what this one has, and goes on by itself: a snapshot, as long as
// nothing is observed in it. O(1), however much was observed. All forks of a session share its memory
// (memory_bytes is what they may take together) and belong to one thread at a time together; they are
// freed one by one, in any order. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_session_fork(lg_session *session, lg_session **ret_fork);

// Makes `session` what `snapshot` is: both are forks of one session. O(1). Fails with LG_ERR_USAGE if
// they are not.
LG_NODISCARD lg_status lg_session_restore(lg_session *session, const lg_session *snapshot);

// What stands for the host's clock, for events that have no time: within the years 1 to 9999, to which it is
// cut. Until it is called, each such event reads the system's.
void lg_session_set_time(lg_session *session, lg_time time);

// Events without a time were recorded without one: to rules about the conversation it is not known, and so
// undecided whether they come within a number of seconds. In other sessions such events happen now.
void lg_session_set_recorded(lg_session *session, bool recorded);

// What a decision says beside its verdict and the findings with their messages.
typedef enum lg_explain {
    LG_EXPLAIN_NOTHING = 0,
    LG_EXPLAIN_EVIDENCE = 1,
    LG_EXPLAIN_HINTS = 2,
    LG_EXPLAIN_ALL = LG_EXPLAIN_EVIDENCE | LG_EXPLAIN_HINTS,
} lg_explain;

// From the next decision on; a session begins with LG_EXPLAIN_ALL. No verdict depends on it.
void lg_session_set_explain(lg_session *session, lg_explain explain);

// --- Events -------------------------------------------------------------------------------------
//
// A conversation is a sequence of events, and it is the same whether they happen now or were recorded:
// messages, calls, and what came of each call. Kinds may be added.

typedef enum lg_event_kind {
    LG_EVENT_MESSAGE, // text of the user, the agent or the system
    LG_EVENT_CALL,    // a tool call
    LG_EVENT_RESULT,  // what a tool returned
    LG_EVENT_ERROR,   // a tool's failure, in place of a result
} lg_event_kind;

const char *lg_event_kind_name(lg_event_kind kind); // "message", "call", "result", "error"

typedef enum lg_role {
    LG_ROLE_AGENT,
    LG_ROLE_USER,
    LG_ROLE_SYSTEM, // says things, and calls nothing
} lg_role;

typedef struct lg_json lg_json; // a parsed JSON value

// Whatever is zero is not known. Nothing that it points to is kept.
typedef struct lg_event {
    lg_event_kind kind;
    // Of a message: who says it; of a call: whose it is. The agent never sees what the user's own tools
    // return.
    lg_role role;
    bool has_turn;
    uint32_t turn; // number of the message that it belongs to: all calls of one message have one
    bool has_time;
    lg_time time; // of a call: of its message
    // Of a call: by which its answer finds it; of an answer: that of its call, whatever tool it names
    // (if it comes again: of the latest message that has it). Where either has none, an answer is that
    // of the oldest call of its tool (or, without a tool, of any) which has no answer yet and, if the
    // answer has arguments, the same ones.
    lg_str id;
    lg_str tool;
    lg_str args;         // of a call: the arguments as a JSON object in text; empty means {}
    const lg_json *json; // of a call: the same, parsed; NULL: `args` is read
    lg_str text;         // of a message: what it says; of an answer: what the tool returned
} lg_event;

typedef enum lg_observed {
    LG_OBSERVED_NOTHING,    // a message, a generic tool, a call that changes nothing known
    LG_OBSERVED_RECORDS,    // a read: the ledger holds what it returned
    LG_OBSERVED_WRITE,      // a write: the history holds it, what it may have changed is stale
    LG_OBSERVED_UNREADABLE, // a read whose result has not the declared form: what it should have
                            // shown is as it was, and counts as stale
    LG_OBSERVED_REJECTED,   // a read whose result breaks a postcondition or an invariant; likewise
    LG_OBSERVED_UNVERIFIED, // a write whose result does: as LG_OBSERVED_WRITE, but marked
    LG_OBSERVED_STALE,   // nothing was stored, and what the call may have changed, or should have
                         // shown, is stale
    LG_OBSERVED_OPEN,    // a call that has no answer yet
    LG_OBSERVED_UNKNOWN, // a write that failed and may have happened: the same, but marked
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

// Takes in what has happened (LedgerAgent section 3.1).
//
// A call is observed when it is made. It is open then: it may or may not have done what it does, until its
// answer is observed. A write that failed may have happened, unless its error is one that the pack
// declares; a read that failed leaves what it should have shown as it was, but stale. An answer with `tool`
// and arguments, and no id, to a call that was not observed is taken for the call and its answer at once.
//
// Arguments that are no JSON object count as {}.
//
// `ret_observed` may be NULL. For LG_OBSERVED_UNREADABLE, _REJECTED and _UNVERIFIED, `reterr` tells what was
// wrong with the result. What cannot be checked within observe_steps counts as not fulfilled. Fails with
// LG_ERR_USAGE for an answer to no call, LG_ERR_LIMIT or LG_ERR_OOM; then the session is as it was, and since
// rules count on what has happened (on all but the making of a read, and messages, unless the pack has rules about the
// conversation), every decision fails from then on, until the session is reset or restored.
LG_NODISCARD lg_status lg_observe(lg_session *session, const lg_event *event,
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
    LG_CAUSE_ARGUMENTS,    // the arguments do not fit the tool's schema, or lack what a rule needs
    LG_CAUSE_UNKNOWN_TOOL, // the pack does not declare the tool
    LG_CAUSE_STALE,        // what the rule has read may have changed since; it wants it read again
    // The decision has used up its steps (decision_steps) before its verdict, or an earlier event could
    // not be followed.
    LG_CAUSE_BUDGET,
    // Another call of the same message, or one that has not answered yet, may change what the rule has read.
    LG_CAUSE_PENDING,
} lg_cause;

const char *lg_cause_name(lg_cause cause); // "violated", "missing", ...

// A value that the rules looked at, and where it came from.
typedef struct lg_evidence {
    lg_str path;   // ledger.orders["#W1"].status, args.amount, conversation[4]
    lg_str value;  // as JSON, cut to LG_EVIDENCE_BYTES_MAX bytes with "..." at the end
    bool observed; // it stands in the ledger, or is an event; the following say where it came from
    lg_str tool;   // the read that returned it, or the event's; empty for a message
    uint32_t turn; // of that read or event
    bool stale;    // a later write may have changed it
    lg_str stale_tool; // that write
} lg_evidence;
#define LG_EVIDENCE_BYTES_MAX 200

// A path that was needed and has never been observed, or has to be observed again.
typedef struct lg_missing {
    lg_str path; // ledger.orders["#W1"]
    lg_str
        read; // the call that would supply it: get_order_details(order_id: "#W1"), or empty. `...`
              // stands for an argument that nothing tells
} lg_missing;

// Another value for one argument that a rule offers, with which the call would pass, known to the ledger.
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

// What `now` stands for in rules, and time in the rules about the conversation.
typedef enum lg_clock {
    LG_CLOCK_PACK,  // the pack's own, which stands still
    LG_CLOCK_EVENT, // the time of the event
    LG_CLOCK_HOST,  // the system's, or what lg_session_set_time() has set
} lg_clock;

const char *lg_clock_name(lg_clock clock); // "pack", "event", "host"

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
    lg_clock clock;         // which clock `now` was
    lg_time now;            // and what it said
    uint64_t steps;         // that the decision took
    size_t rules_evaluated; // that apply to the tool
    size_t rules_abstained; // of these, for want of evidence that they do not insist on
    lg_str message;         // all findings and hints in words, for the model; empty if allowed
} lg_decision;

// Judges what the agent proposes together, which is one message (LedgerAgent section 3.3): its text, where
// rules speak of that, and all its calls. The session is not changed: observe the calls that are made.
// `*ret_decisions` are `count`, valid until the next call on this session. An error means that no
// verdict was reached: treat it as a refusal. Arguments that are not a JSON object are no error but a
// finding.
//
// Each is judged as if those before it that were allowed had been made and had not answered yet, since
// that is how they are made. A rule that has read what one of these may change is a finding with
// LG_CAUSE_PENDING, whatever it found, unless the pack says `parallel: judge`; of the history it is judged
// with and without them, and the severer verdict stands. So the first few of them are
// judged alike whether or not others come behind them. Calls that were observed and have no answer yet
// count likewise if they are of the same turn, or of none.
//
// All work of a decision is bounded by decision_steps: hints end first, then evidence is cut, and a
// verdict that cannot be reached is a refusal with LG_CAUSE_BUDGET. Steps follow from pack, ledger and
// call, never from the time: the same inputs end in the same place.
LG_NODISCARD lg_status lg_decide(lg_session *session, const lg_event *proposed, size_t count,
                                 const lg_decision **ret_decisions, lg_error *reterr);

// The decision as one JSON object without line breaks: the same for the same decision, always. Valid until
// the next call on this session but those that write JSON. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_decision_json(lg_session *session, const lg_decision *decision,
                                        lg_str *ret_json, lg_error *reterr);
// Likewise; of what lg_found() lists, too.
LG_NODISCARD lg_status lg_finding_json(lg_session *session, const lg_finding *finding,
                                       lg_str *ret_json, lg_error *reterr);
// Likewise.
LG_NODISCARD lg_status lg_rejection_json(lg_session *session, const lg_rejection *rejection,
                                         lg_str *ret_json, lg_error *reterr);

// --- The conversation ---------------------------------------------------------------------------
//
// A pack may hold rules about the course of the conversation: what comes before what, what must not
// follow, what is owed. They judge what is proposed in lg_decide(), with the other rules, and what
// nobody proposes as it is observed.

// Why these rules cannot follow the conversation any more: an event was taken in that they could not follow
// within observe_steps, so that every decision is a refusal with LG_CAUSE_BUDGET. NULL: they can.
const char *lg_not_followed(const lg_session *session);

// What these rules have found of the event that was observed last, unless it is a call of the agent's, which was
// judged: of a message, a result, a call of the user's. Valid until the next call on this session.
const lg_finding *lg_found(const lg_session *session, size_t *ret_count);

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

// The obligation as one JSON object. Once the conversation has `ended` there is no time left: its state is "late"
// or "unmet". Valid as lg_decision_json() says. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_obligation_json(lg_session *session, const lg_obligation *owed,
                                          bool ended, lg_str *ret_json, lg_error *reterr);

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
