// trace_internal.h: what the importers share. For files of this room only.
//
// An importer walks JSON values that borrow the file's text, and adds events to the conversation
// at hand. All memory is the set's arena; a conversation's events grow in one scratch array and are
// copied out, exactly sized, when it ends. The first failure (no memory, a limit) sticks: after it
// everything adds nothing, and the caller asks once, at the end.
#ifndef LG_TRACE_INTERNAL_H
#define LG_TRACE_INTERNAL_H

#include "base/file.h"
#include "trace/trace.h"

// One JSON value of the file: the whole of it, or one line.
typedef struct lg_trace_line {
    uint32_t number; // from 0, blank lines counted
    uint32_t offset; // of the line's first byte
    const lg_json *value;
} lg_trace_line;

// A message that is recorded in parts, with others between them. So many of the latest are remembered.
#define LG_STREAMED_KEPT 32u

typedef struct lg_streamed {
    lg_str id;
    uint32_t turn;
    bool has_time; // of its first part
    lg_time time;
} lg_streamed;

typedef struct lg_importer {
    lg_trace_set *set;
    lg_arena *arena;
    lg_limits limits;
    lg_error *reterr;
    lg_status status; // of the first failure

    bool is_lines;        // JSON Lines: pointers begin with the line's number
    lg_trace_line *lines; // in file order
    size_t line_count;
    size_t line_capacity;

    const uint32_t *line_ends; // before each block of the text (place.c); NULL: not counted yet

    size_t trace_capacity;
    size_t issue_capacity;

    // The conversation at hand; its index will be set->count.
    bool open;
    lg_trace trace;
    lg_trace_event *events;
    size_t event_count;
    size_t event_capacity;
    uint32_t turn;
    bool has_time; // of the message at hand
    lg_time time;
    lg_trace_event spill; // takes what is added after a failure
    lg_buf scratch;       // for one printed text at a time
    lg_buf joined;        // for a text that is put together from pieces, with issues in between

    lg_streamed streamed[LG_STREAMED_KEPT]; // of Claude Code: the latest
    size_t streamed_count;                  // all there were
    uint32_t message_count;                 // likewise

    bool null_error_is_success; // `error: null` was written by the runner: the text says nothing
    bool strip_mcp;             // `mcp__server__tool` is `tool`
    bool has_side_chains;       // of Claude Code: sub-agents are recorded in between
    bool knows_delegated;       // the recording says how often work was handed on
    bool numbers_turns;         // turns were given with gaps, and are numbered at the end
    bool is_live;               // nobody asks for names and domains
    lg_trace_known *known;      // what is read on, or NULL

    struct lg_gathered_spans *spans; // of OpenTelemetry: all of the file
    struct lg_mcp_session *mcp;
    struct lg_log_records *records; // of a log: all of the file
} lg_importer;

// --- Reading ------------------------------------------------------------------------------------

static inline const lg_json *lg_get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

// Absent and null mean the same in every format.
static inline bool lg_given(const lg_json *value)
{
    return value && !lg_json_is(value, LG_JSON_NULL);
}

// The number of elements of a list; 0 for anything else. (lg_json_len counts the members of an object too.)
static inline size_t lg_list_len(const lg_json *value)
{
    return lg_json_is(value, LG_JSON_ARRAY) ? value->len : 0;
}

// "a string", "a list", ...: for messages.
const char *lg_kind(const lg_json *value);

// --- collect.c: sets, conversations, events, issues ----------------------------------------------

// Records the first failure and returns its status.
lg_status lg_importer_fail_oom(lg_importer *imp);

static inline bool lg_importer_ok(const lg_importer *imp)
{
    return imp->status == LG_OK;
}

// Parses JSON that was recorded as text. False: it is none, and `*ret_why` says why; or the import
// itself has failed, for want of memory.
bool lg_importer_parse(lg_importer *imp, lg_str text, const lg_json **ret_value, lg_error *ret_why);

// Parses JSON that stands as a text inside of the file, from byte `offset` on: what is read has its place nearby. Likewise.
bool lg_importer_parse_inside(lg_importer *imp, lg_str text, uint32_t offset,
                              const lg_json **ret_value, lg_error *ret_why);

// Lists an issue of the value at byte `offset` of the file.
LG_PRINTF(4, 5)
void lg_importer_issue(lg_importer *imp, uint32_t offset, bool fatal, const char *format, ...);

// Begins a conversation at `at`. Events, issues and the members of `imp->trace` belong to it until
// lg_importer_end(), which puts the events in the order of their turns.
void lg_importer_begin(lg_importer *imp, const lg_json *at);
void lg_importer_end(lg_importer *imp);

// Adds an event of the present turn; never NULL.
lg_trace_event *lg_importer_add(lg_importer *imp, lg_event_kind kind, lg_role role,
                                uint32_t offset);

// Takes the `timestamp` of `message` for the events that follow; without one, they have no time.
void lg_importer_time(lg_importer *imp, const lg_json *message);

// The line of the file, from 1, that byte `offset` is in.
uint32_t lg_importer_line(lg_importer *imp, uint32_t offset);

// Gives conversations of the same name different ones.
void lg_importer_unique_names(lg_importer *imp);

// Text in the arena; the empty slice after a failure.
lg_str lg_importer_copy(lg_importer *imp, lg_str text);
LG_PRINTF(2, 3) lg_str lg_importer_printf(lg_importer *imp, const char *format, ...);

// --- pair.c --------------------------------------------------------------------------------------

// Pairs the results of the conversation at hand with its calls.
void lg_importer_pair(lg_importer *imp);

// Likewise those that stand behind what is known, if all go by ids. False: they do not, or there are too many to look for.
bool lg_importer_pair_on(lg_importer *imp);
// Does everything go by ids that are there, and has each result its call? What comes later changes nothing of that.
bool lg_importer_is_settled(const lg_importer *imp);

// A stable merge sort of `count` indices; `spare` has room for as many.
typedef int lg_index_cmp(const void *context, uint32_t a, uint32_t b);
void lg_index_sort(uint32_t *indices, uint32_t *spare, size_t count, lg_index_cmp *compare,
                   const void *context);

// --- message.c: messages in any of the dialects of OpenAI, tau2, AgentDojo and Anthropic ----------

// Adds the events of one message. The turn is the caller's business.
void lg_importer_message(lg_importer *imp, const lg_json *message);

// Adds the events of all `messages`; the turn of each is its index.
void lg_importer_messages(lg_importer *imp, const lg_json *messages, const lg_json *parent);

// Adds the events of one message that was said by `role`, from its `content`: a string, null or a
// list of parts. False: it gave none.
bool lg_importer_content(lg_importer *imp, lg_role role, const lg_json *message,
                         const lg_json *content);

// The text of a tool's return: a string, a list of parts, or any other JSON as its text.
lg_str lg_importer_text(lg_importer *imp, const lg_json *content);

// A string as it is, anything else as its JSON text.
lg_str lg_importer_json(lg_importer *imp, const lg_json *value);

// The object {key: value}: arguments of what has none of its own.
const lg_json *lg_importer_wrap(lg_importer *imp, const char *key, const lg_json *value);

// The requestor as `recorded` names it, or `otherwise`; an issue if it names no one.
lg_role lg_importer_requestor(lg_importer *imp, const lg_json *recorded, lg_role otherwise);

// Adds a call that is recorded as `recorded`, with arguments as an object or as JSON text.
lg_trace_event *lg_importer_call(lg_importer *imp, lg_role role, const lg_json *recorded,
                                 lg_str name, const lg_json *args);

// Does the text of a result say that it is an error? For formats without a flag.
bool lg_text_is_error(lg_str text);

// --- lift.c: what is said about a conversation -----------------------------------------------------

// A string as it is, anything else as its JSON text, nothing as an empty one.
lg_str lg_importer_word(lg_importer *imp, const lg_json *value);

// Sets the reward from a number or a boolean; null and NULL mean that it is not scored.
void lg_importer_reward(lg_importer *imp, const lg_json *value);
void lg_importer_trial(lg_importer *imp, const lg_json *value);

// What people write beside a conversation: `id`, `task_id`, `trial`, `reward`, `domain` beside it, `model` in its request.
void lg_importer_about(lg_importer *imp, const lg_json *about, const lg_json *request);

// `actions` as an array of {name, arguments, requestor}; arguments may be recorded as `kwargs`,
// and an action may be wrapped as {action: ...}. NULL if `actions` is no array.
const lg_json *lg_importer_actions(lg_importer *imp, const lg_json *actions);

// A domain for a conversation that names none: from the heading of its policy, else from its tools.
lg_str lg_importer_guess_domain(lg_importer *imp);

// --- delegate.c -----------------------------------------------------------------------------------

// Marks the calls of the conversation at hand that hand work on, and counts them.
void lg_importer_delegations(lg_importer *imp);

// --- facts.c: what makes it self-contained --------------------------------------------------------

// An object on its way: the first value of each key counts, and no more than there is room for.
typedef struct lg_facts {
    lg_json_member members[16];
    size_t count;
} lg_facts;

// Adds what is given; null and NULL are not.
void lg_facts_add(lg_facts *facts, const char *key, const lg_json *value);
void lg_facts_pick(lg_facts *facts, const lg_json *object, const char *const *keys, size_t count);
// Adds a boolean or a number from 0 to 1 as a number; anything else is no score.
void lg_facts_score(lg_facts *facts, const char *key, const lg_json *value);
// Adds the share of `list` whose `flag` is true; of no list the score `otherwise`.
void lg_facts_share(lg_facts *facts, const char *key, const lg_json *list, const char *flag,
                    const lg_json *otherwise);
const lg_json *lg_facts_make(lg_importer *imp, const lg_facts *facts); // NULL of nothing

// What whoever plays the user was given: a text, or {persona, instructions}.
lg_str lg_importer_scenario(lg_importer *imp, const lg_json *scenario);
// Takes what export.h wrote beside a conversation, in whatever format.
void lg_importer_restore(lg_importer *imp, const lg_json *recording);
// The messages of the system that the conversation at hand begins with.
lg_str lg_importer_prompt(lg_importer *imp);
// The tools of a request, or NULL.
const lg_json *lg_importer_tools(const lg_json *request);
// The same of tau2's {name: {name, doc, params}}; a list stays what it is.
const lg_json *lg_importer_signatures(lg_importer *imp, const lg_json *recorded);

// --- recognise.c -------------------------------------------------------------------------------------

// The format that `value` shows, or LG_TRACE_AUTO if none; then `*ret_looks_like` says what it seems
// to be ("tool schemas"), or is NULL.
lg_trace_format lg_trace_recognise(const lg_json *value, const char **ret_looks_like);

// --- one importer a format ---------------------------------------------------------------------------
// Each reads one value of the file: the whole of it, or one line.

void lg_import_gold(lg_importer *imp, const lg_json *value);
void lg_import_tau2_results(lg_importer *imp, const lg_json *value);
void lg_import_tau2_simulation(lg_importer *imp, const lg_json *value);
void lg_import_tau_bench(lg_importer *imp, const lg_json *value);
void lg_import_openai(lg_importer *imp, const lg_json *value);
void lg_import_agentdojo(lg_importer *imp, const lg_json *value);
void lg_import_claude_code(lg_importer *imp, const lg_json *value); // one conversation of all lines
void lg_import_vscode(lg_importer *imp, const lg_json *value);
void lg_import_responses(lg_importer *imp, const lg_json *value);
void lg_import_messages(lg_importer *imp, const lg_json *value);
void lg_import_otel(lg_importer *imp, const lg_json *value); // gathers; then, at the file's end:
void lg_import_otel_end(lg_importer *imp);
void lg_import_ledgergate(lg_importer *imp, const lg_json *record); // likewise
void lg_import_ledgergate_end(lg_importer *imp);
void lg_importer_event(lg_importer *imp,
                       const lg_json *payload); // one event, as docs/log.md has it
void lg_import_artifact(lg_importer *imp, const lg_json *value);
void lg_import_mcp(lg_importer *imp, const lg_json *line); // one conversation of all lines
void lg_import_mcp_end(lg_importer *imp);

// Is it an item of the Responses API that is no message?
bool lg_trace_is_item(const lg_json *value);

// Adds what stands beside a session's file: its task, and its reward in `eval_results.json`.
void lg_import_claude_code_verdict(lg_importer *imp, const char *path);

#endif
