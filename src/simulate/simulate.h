// simulate.h: tools that can be tried without touching the real world (Gecko, section 3).
//
// A simulator holds what never changes: tools (of a pack, or of a catalogue), first states, recordings. A session is one
// try: it has its own state, and what one session does no other sees. A call is validated, answered, and kept:
//
//     lg_sim_options options = {.pack = pack};
//     if (lg_sim_new(&options, &sim, &errors) != LG_OK) ...
//     if (lg_sim_add_state(sim, &file, LG_STR(""), &errors) != LG_OK) ...
//     if (lg_sim_session_new(sim, NULL, &session, &err) != LG_OK) ...
//     lg_sim_call call = {.tool = name, .args = args};
//     if (lg_sim_call_tool(session, &call, NULL, &answer, &err) != LG_OK) ...
//     answer.text, answer.is_error, answer.source
//
// An answer comes from the first of these that has one, and says which:
//
//     rules      the call is not valid: its tool does not exist, or its arguments do not fit (section 3.1)
//     recorded   a recorded answer to the same call, if nothing that it shows has changed since
//     real       reads of a hybrid session alone: the real tool was asked. With a pack only if nothing that it shows has
//                changed; without one what was written here lies over its answer
//     effects    the pack says what the tool does: exact
//     model      constrained by the schema, validated, conditioned on the state (section 3.2)
//     synthesis  made of the schema: the same session seed and arguments give the same answer
//
// **State.** With a pack it is the world's (world.h); without one it is what calls have shown and written so far, in
// which entities are known by collection and id. Either is one immutable value: a snapshot is a few pointers, and so are
// a fork and a restore, O(1) whatever the size.
//
// **Threads.** An lg_sim is made by one thread; after that any number may use it. A session and its forks are a family: they
// share memory, and one thread at a time may use any of them. Different families know nothing of each other.
#ifndef LG_SIMULATE_SIMULATE_H
#define LG_SIMULATE_SIMULATE_H

#include "catalogue/catalogue.h"
#include "llm/llm.h"
#include "session/session.h"
#include "world/world.h"
#include "json/writer.h"

typedef struct lg_sim lg_sim;
typedef struct lg_sim_session lg_sim_session;

// clang-format off
#define LG_SIM_SOURCE_MAP(X)    \
    X(RULES,     "rules")       \
    X(RECORDED,  "recorded")    \
    X(EFFECTS,   "effects")     \
    X(REAL,      "real")        \
    X(MODEL,     "model")       \
    X(SYNTHESIS, "synthesis")
// clang-format on

typedef enum lg_sim_source {
#define X(name, text) LG_SIM_SOURCE_##name,
    LG_SIM_SOURCE_MAP(X)
#undef X
} lg_sim_source;

const char *lg_sim_source_name(lg_sim_source source); // "rules", ...

// --- The simulator ------------------------------------------------------------------------------

// A tool, whatever it was read from.
typedef struct lg_sim_tool {
    lg_str name;
    lg_str description; // may be empty
    lg_tool_kind kind;
    bool is_guessed;            // the kind, from words: neither its method nor its document says it
    bool by_user;               // the customer's own
    const lg_json *parameters;  // JSON Schema of the arguments, or NULL
    const lg_schema *arguments; // the same, compiled; NULL: every object
    const lg_json *result;      // JSON Schema of what it returns, or NULL
    const lg_schema *results;   // the same, compiled; NULL: none, or it does not compile
    const lg_tool *of_pack;     // or NULL
    const lg_catalogue_tool *of_catalogue; // or NULL
} lg_sim_tool;

// Asks the real tool, for hybrid sessions: sets the result (in `arena`) as it came, with its status of HTTP (0: it
// has none). False after writing why it did not: LG_ERR_USAGE where the tool may not be asked.
typedef bool (*lg_sim_read_real)(void *data, const lg_sim_tool *tool, const lg_json *args,
                                 lg_arena *arena, const lg_json **ret_result, bool *ret_is_error,
                                 unsigned *ret_status, lg_error *reterr);

// Zero means the default, in brackets.
typedef struct lg_sim_options {
    const lg_pack *pack;           // one of the two; outlives the simulator
    const lg_catalogue *catalogue; // likewise
    const lg_limits *limits;
    size_t session_bytes; // of a session with its forks [256 MiB]
    size_t
        history_calls; // kept of one session [10,000], as long as they take no more than an eighth of
                       // session_bytes; older ones are dropped, and counted
    size_t
        ledger_writes; // that a session's ledger takes in: rules go through all of them, and through no
                       // more, so that a long session stays as quick as it was. With one more the
                       // gate has no verdict from then on, and says so of each call [1,000]
    size_t snapshots;       // of one session; one more is refused [1,000]
    size_t entities;        // kept of one session without a pack; see open_world.h [20,000]
    int64_t now_seconds;    // for packs without a clock of their own
    bool without_validator; // ablations (section 6.3): calls are not validated, by rules or model;
    bool without_state;     // and every call is answered from the first state
} lg_sim_options;

LG_NODISCARD lg_status lg_sim_new(const lg_sim_options *options, lg_sim **ret_sim,
                                  lg_errors *errors);
void lg_sim_free(lg_sim *sim); // after its sessions. NULL is allowed

// Adds a first state, for sessions of `task` (empty: for those of no task, or of one that has no state of its own). What
// `file` points to must outlive the simulator. Adds errors and fails as lg_world_load() does; without a pack the state is
// an object of lists of objects and of objects, in which no entity's `id` is another one than its key. Before the first session.
LG_NODISCARD lg_status lg_sim_add_state(lg_sim *sim, const lg_world_file *file, lg_str task,
                                        lg_errors *errors);

// Adds recorded answers: an array of {"name", "arguments", "result" (text or JSON), "error": bool, "status" (of HTTP)}, in the order in which
// they were given. Copies nothing. Fails with LG_ERR_FORMAT, LG_ERR_OOM. Before the first session.
LG_NODISCARD lg_status lg_sim_add_recorded(lg_sim *sim, const lg_json *calls, lg_error *reterr);

size_t lg_sim_tool_count(const lg_sim *sim);
const lg_sim_tool *lg_sim_tool_at(const lg_sim *sim, size_t index);
const lg_sim_tool *lg_sim_tool_named(const lg_sim *sim, lg_str name, bool by_user); // or NULL
bool lg_sim_has_state(const lg_sim *sim, lg_str task); // of exactly this task

// --- Sessions -----------------------------------------------------------------------------------

typedef struct lg_sim_begin {
    const lg_world_file *state; // of its own, instead of an added one; is copied. Or NULL
    lg_str task;                // whose first state it has; empty: the one of no task
    lg_str about;               // the task in words; without a pack an estimator makes the first
                                // state of it when the first call comes. Copied; may be empty
    size_t history_bytes;       // that the calls which are kept take; 0: an eighth of session_bytes
    uint64_t seed;              // of what is synthesised
    lg_sim_read_real read_real; // hybrid: reads go to the real tools; or NULL
    void *real_data;
} lg_sim_begin;

// `begin` may be NULL. Fails with LG_ERR_USAGE (a pack with a state, and none was given or is of this task), as
// lg_world_load() where the state does not fit the pack, LG_ERR_OOM.
LG_NODISCARD lg_status lg_sim_session_new(const lg_sim *sim, const lg_sim_begin *begin,
                                          lg_sim_session **ret_session, lg_error *reterr);
void lg_sim_session_free(lg_sim_session *session); // in any order. NULL is allowed

const lg_sim *lg_sim_of(const lg_sim_session *session);
uint64_t lg_sim_seed(const lg_sim_session *session);

// --- Calls --------------------------------------------------------------------------------------

typedef struct lg_sim_call {
    lg_str tool;
    const lg_json *args; // NULL if they are no JSON
    lg_str args_text;    // as written, for messages; may be empty
    bool by_user;        // the customer calls one of their own tools
} lg_sim_call;

// The models that may be asked during a call, each by the calling thread; NULL where there is none (figure 4b).
typedef struct lg_sim_models {
    lg_llm *validator; // are the arguments sensible? (section 3.1)
    lg_llm *responder; // what would the tool return? (section 3.2)
    lg_llm *estimator; // which state does that leave? (section 3.3); only without a pack
    lg_llm *judge;     // is the task done? (section 3.4): judge.h
} lg_sim_models;

// How a call ended.
typedef enum lg_sim_end {
    LG_SIM_DONE,
    LG_SIM_FAILED,   // the tool's own error
    LG_SIM_ABSENT,   // what it asks for was deleted, or never is: an HTTP 404; without a pack only
    LG_SIM_CONFLICT, // what it would make is there already: an HTTP 409; likewise
    LG_SIM_BAD_ARGUMENTS, // by the schema, or by the model that validates
    LG_SIM_UNKNOWN_TOOL,
    LG_SIM_FAULT, // the pack's mistake, or a result schema of which nothing is valid
} lg_sim_end;

const char *lg_sim_end_name(lg_sim_end end); // "done", "failed", "absent", ...

// A rule that the call breaks. Tools do what they do, allowed or not: what a gate would have said is told.
typedef struct lg_sim_violation {
    lg_str rule; // of the pack, or a keyword of JSON Schema; "model" of a model that validates
    lg_str
        kind; // "arguments", "revise", "block", "postcondition", "invariant", "gate" (no verdict)
    lg_str path;    // JSON pointer into the arguments; may be empty
    lg_str message; // for whoever plans; the right value is never in those of kind "arguments"
} lg_sim_violation;

// The member "violations" of the object that was begun.
void lg_sim_violations_write(lg_json_writer *w, const lg_sim_violation *items, size_t count);

typedef struct lg_sim_answer {
    lg_sim_end end;
    lg_sim_source source;
    const lg_sim_tool *tool; // NULL: unknown
    const lg_json
        *result;  // a value, or a text as a string; of an error too. NULL: nothing is known of it
    lg_str text;  // the result as a model reads it
    lg_str error; // in words; empty unless lg_sim_is_error()
    const lg_sim_violation *violations;
    size_t violation_count;
    lg_str note;     // what was replaced or not checked, and why; or empty
    uint64_t number; // of the call in its session, from 1
    unsigned status; // of HTTP, as a recording or the real tool has it; 0: it is not known
} lg_sim_answer;

static inline bool lg_sim_is_error(const lg_sim_answer *answer)
{
    return answer->end != LG_SIM_DONE;
}

// Makes a call. What the answer points to is valid until the next call on the family. `models` may be NULL. A model that
// fails, or a call that is not valid, is an answer; an error is LG_ERR_OOM, LG_ERR_LIMIT (session_bytes) or LG_ERR_IO (a
// model's recording), and then the session is as it was.
LG_NODISCARD lg_status lg_sim_call_tool(lg_sim_session *session, const lg_sim_call *call,
                                        const lg_sim_models *models, lg_sim_answer *ret,
                                        lg_error *reterr);

// May lg_sim_call_tool() ask a model or a real tool? Cheap: looks at the tool, and not at the arguments. Where it says no,
// the answer is the same without `models`.
bool lg_sim_may_wait(const lg_sim_session *session, const lg_sim_call *call,
                     const lg_sim_models *models);

// Takes a call that somebody else has answered into the history: `end`, `source`, `tool`, `result`, `text` and `error` of
// `answer` are read, `number` is set. The state stays what it was. Fails as lg_sim_call_tool() does.
LG_NODISCARD lg_status lg_sim_take_call(lg_sim_session *session, const lg_sim_call *call,
                                        lg_sim_answer *answer, lg_error *reterr);

// The validator alone: nothing is kept and nothing is carried out. `ret->end` is LG_SIM_DONE for a valid call.
LG_NODISCARD lg_status lg_sim_validate(lg_sim_session *session, const lg_sim_call *call,
                                       const lg_sim_models *models, lg_sim_answer *ret,
                                       lg_error *reterr);

// --- Going back ---------------------------------------------------------------------------------

// A snapshot of the state, the ledger and the history, by its number, from 1. Fails with LG_ERR_LIMIT, LG_ERR_OOM.
LG_NODISCARD lg_status lg_sim_snapshot(lg_sim_session *session, uint64_t *ret_snapshot,
                                       lg_error *reterr);

// Makes the session what it was. Snapshot 0 is its beginning. All snapshots stay. Fails with LG_ERR_USAGE: none of the
// session's has this number.
LG_NODISCARD lg_status lg_sim_restore(lg_sim_session *session, uint64_t snapshot, lg_error *reterr);

// A second session that is where this one is, with its snapshots, and goes on by itself. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_sim_fork(lg_sim_session *session, lg_sim_session **ret_fork,
                                   lg_error *reterr);

// The same session from the beginning: its first state, no history, no snapshots.
LG_NODISCARD lg_status lg_sim_reset(lg_sim_session *session, lg_error *reterr);

// --- Looking ------------------------------------------------------------------------------------

// The state as a file of it would be; `as_view`: with maps in place of lists of records. In `arena`, but points into the
// session: valid until its next call. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_sim_state(lg_sim_session *session, lg_arena *arena, bool as_view,
                                    const lg_json **ret, lg_error *reterr);
// SHA-256 of the canonical form of the view, in hexadecimal: what "the same state" means.
LG_NODISCARD lg_status lg_sim_state_hash(lg_sim_session *session, char ret[65], lg_error *reterr);

// Where the state differs from that of a snapshot (0: the beginning); without a pack, as lg_open_world_view() has it. The arena and limit of `ret` are the caller's.
LG_NODISCARD lg_status lg_sim_diff(lg_sim_session *session, uint64_t from,
                                   lg_world_differences *ret, lg_error *reterr);
// The same of two snapshots.
LG_NODISCARD lg_status lg_sim_diff_of_snapshots(lg_sim_session *session, uint64_t from, uint64_t to,
                                                lg_world_differences *ret, lg_error *reterr);
// The same of one call: the state before it and after it. LG_ERR_USAGE: the history does not have it (any more).
LG_NODISCARD lg_status lg_sim_diff_of_call(lg_sim_session *session, uint64_t number,
                                           lg_world_differences *ret, lg_error *reterr);

#define LG_SIM_PAST_VIOLATIONS 16u

// One call of the history, the oldest that is kept first.
typedef struct lg_sim_past {
    uint64_t number;
    lg_str tool;
    const lg_json *args; // NULL: they were no JSON
    bool by_user;
    lg_sim_end end;
    lg_sim_source source;
    const lg_json *result; // or NULL
    lg_str error;
    lg_str note;
    const lg_sim_violation *violations; // the first LG_SIM_PAST_VIOLATIONS of them
    size_t violation_count;
} lg_sim_past;

size_t lg_sim_history_count(const lg_sim_session *session); // kept
uint64_t lg_sim_history_dropped(const lg_sim_session *session);
lg_sim_past lg_sim_history_at(const lg_sim_session *session,
                              size_t index); // valid until the next call

size_t lg_sim_snapshot_count(const lg_sim_session *session);
size_t lg_sim_held_bytes(const lg_sim_session *session); // by the family

#endif
