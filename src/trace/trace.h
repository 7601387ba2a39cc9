// trace.h: recorded conversations as streams of events, whatever program recorded them.
//
// A file holds one or many conversations in one of the formats below. An importer recognises its
// format by itself, turns each conversation into events in their order, and pairs every result with
// its call: by id where ids are unique, by position where they are repeated, empty or missing.
// Whatever cannot be read is listed as an issue with its JSON pointer; nothing is dropped silently.
//
//     lg_trace_set *set;
//     if (lg_trace_open("runs.json", NULL, &set, &err) != LG_OK) ...
//     for (size_t i = 0; i < set->count; i++) replay(&set->traces[i]);
//     lg_trace_close(set);
//
// One order for all formats: messages as recorded; of one message its text and its calls as
// recorded, text before calls where a format keeps them apart; a result where it is recorded, but after
// all of the message that its call is of: a program that runs a call while the rest of the message still
// comes records the result in between, and the model has not seen it then.
//
// What is no event: reasoning (thinking parts, ReAct thoughts), since it was not said to anyone, and a
// program's housekeeping lines.
//
// A failure is told by the format's own flag (`error`, `is_error`); where there is none, by a text
// that begins "Error" or, of a tool that tau-bench does not have, "Unknown action" (VS Code: "ERROR
// while calling tool", or a call that the user turned down).
#ifndef LG_TRACE_H
#define LG_TRACE_H

#include "base/time.h"
#include "json/json.h"

#include <ledgergate/ledgergate.h>

typedef enum lg_trace_format {
    LG_TRACE_AUTO,            // recognise it
    LG_TRACE_GOLD,            // JSON Lines {domain, task_id, calls: [...]}
    LG_TRACE_TAU2_RESULTS,    // {info, tasks, simulations: [...]}
    LG_TRACE_TAU2_SIMULATION, // {task_id, task, run_info, reward_info, messages}
    LG_TRACE_TAU_BENCH,       // [{task_id, reward, info, traj}]; tool calls or ReAct text
    LG_TRACE_OPENAI,          // [messages], {"messages": [...]}, or JSON Lines of the latter
    LG_TRACE_AGENTDOJO,       // JSON Lines of {messages, metadata}, or one {run_id, messages, ...}
    LG_TRACE_CLAUDE_CODE,     // JSON Lines of session events
    LG_TRACE_VSCODE,          // chat export {requesterUsername, requests: [...]}
    LG_TRACE_RESPONSES,  // {input, instructions, ...}, {request, response}, [items], or JSON Lines
    LG_TRACE_MESSAGES,   // {system, messages, ...}, {request, response}, or JSON Lines
    LG_TRACE_OTEL,       // OTLP JSON with GenAI attributes: {resourceSpans: [...]}, or JSON Lines
    LG_TRACE_MCP,        // JSON Lines of what an MCP client and a server sent each other
    LG_TRACE_LEDGERGATE, // JSON Lines of `ledgergate log export`
    LG_TRACE_ARTIFACT,   // JSON Lines of what export.h writes
    LG_TRACE_FORMAT_COUNT
} lg_trace_format;

// "gold", "tau2-results", "tau2-simulation", "tau-bench", "openai", "agentdojo", "claude-code",
// "vscode", "responses", "messages", "otel", "mcp", "ledgergate",
// "ledgergate-artifact"; "auto".
const char *lg_trace_format_name(lg_trace_format format);
bool lg_trace_format_parse(lg_str name, lg_trace_format *ret_format);

#define LG_NO_EVENT UINT32_MAX

// One recorded event. lg_trace_event_at() makes of it what a session is told.
typedef struct lg_trace_event {
    lg_event_kind kind;
    lg_role role;    // of a message: who speaks. Of a call, result or error: who requested it, the
                     // agent, or the user with tools of their own
    uint32_t turn;   // index of the recorded message it came from, from 0
    uint32_t offset; // byte in the file where it begins
    uint32_t other;  // of a call: index of its result or error; of those: index of their call.
                     // LG_NO_EVENT if there is none
    bool inserted;   // gold format: a read that was added before a write
    bool
        is_delegation; // of a call: it hands work to an agent whose own calls are not in the recording
    bool has_time;     // `time` was recorded
    lg_time time;      // of its message; a time without a zone is taken as UTC
    lg_str id;         // call id as recorded, may be empty and need not be unique
    lg_str tool;       // of a call: name as recorded (Claude Code's `mcp__server__` prefix is taken
                       // off); of a result or error: that of its call
    const lg_json *args; // of a call: its arguments, an object; NULL if they could not be read.
                         // Where they were text, offsets inside count from the start of that text
    lg_str text;         // of a message: its text; of a result or error: its text; of a call: the
                         // arguments as recorded, if they were text
} lg_trace_event;

typedef struct lg_trace {
    lg_str name;     // unique in its file: the recorded id, else the task and trial
    lg_str task;     // task id as text, or empty
    lg_str domain;   // as recorded or guessed from the file's own words; or empty
    lg_str model;    // as recorded, or empty
    uint32_t trial;  // from 0
    bool has_reward; // false: null or unscored
    double reward;
    const lg_json *expected; // the task's expected actions, an array of {name, arguments,
                             // requestor}; NULL if they are not known
    // What makes it self-contained (AgentPex section 3.1). Whatever was not recorded is empty or NULL.
    lg_str prompt;        // the agent's instructions: its system prompt, or the policy in force
    const lg_json *tools; // what the agent could call, an array as recorded, in any form that
                          // catalogue/catalogue.h reads
    lg_str request;       // the task as whoever played the user was given it
    lg_str ended;         // how it ended, as recorded: "user_stop", "max_steps", ...
    const lg_json *
        checks; // the recorded parts of the reward, an object of numbers from 0 to 1: `db`, and shares of
    // what was checked: `action`, `communicate`, `nl`, `env`; AgentDojo's `utility`, `security`
    const lg_json *initial;  // the state of the world before it
    const lg_json *metadata; // what else the format says of it, an object
    size_t
        delegated; // how often work was handed on to agents whose own calls are not in the recording
    size_t left_out; // fatal issues: parts of it that are in no event
    uint32_t offset; // byte in the file where it begins
    uint32_t line;   // of the file, from 1, in which that is
    const lg_trace_event *events;
    size_t count;
} lg_trace;

typedef struct lg_trace_issue {
    lg_str pointer;  // JSON pointer from the file's root; for JSON Lines "/<line from 0>/..."
    uint32_t offset; // byte in the file
    uint32_t trace;  // index of the conversation, or LG_NO_EVENT
    bool fatal; // a conversation, an event or a part was left out, and a write may have been in it;
                // else all that was done is there, and something about it is not
    lg_str message;
} lg_trace_issue;

typedef struct lg_trace_set {
    lg_str path; // as given
    lg_str text; // the file's bytes
    lg_trace_format format;
    lg_trace *traces;
    size_t count;
    lg_trace_issue *issues;
    size_t left_out;       // fatal issues of the whole file, kept or not: what nobody can judge
    size_t issue_count;    // kept
    size_t issues_dropped; // beyond limits->error_count; counted, not kept
    void *owned;           // private: arena and file
} lg_trace_set;

typedef struct lg_trace_options {
    lg_trace_format format; // LG_TRACE_AUTO: recognise; anything else: refuse other formats
    const lg_limits *limits;
} lg_trace_options;

// Opens a file ("-": standard input) and imports all of it. A Claude Code session takes its reward
// from `eval_results.json` in its folder or the one above, if there is one. Fails with LG_ERR_IO, LG_ERR_PARSE
// (position of the first malformed byte), LG_ERR_FORMAT (what it looks like and what was asked for)
// or LG_ERR_LIMIT; then `*ret_set` is untouched. `options` may be NULL.
LG_NODISCARD lg_status lg_trace_open(const char *path, const lg_trace_options *options,
                                     lg_trace_set **ret_set, lg_error *reterr);

// The same from memory; `text` must outlive the set. `path` is only for messages.
LG_NODISCARD lg_status lg_trace_import(lg_str text, const char *path,
                                       const lg_trace_options *options, lg_trace_set **ret_set,
                                       lg_error *reterr);
void lg_trace_close(lg_trace_set *set); // NULL is allowed

// What is said now, read as it will be read when it is recorded: `value`, which was parsed from `text`, is of `format`.
// All of it lives in `arena`; the set is not to be closed. Fails with LG_ERR_LIMIT or LG_ERR_OOM.
LG_NODISCARD lg_status lg_trace_read(lg_arena *arena, lg_str text, const lg_json *value,
                                     const lg_trace_options *options, const lg_trace_set **ret_set,
                                     lg_error *reterr);

// The events of a list of messages (LG_TRACE_OPENAI) as far as it has been read, so that a longer one that begins with it
// is read on from there. What it points to, and `arena`, live as long as it. All zero but for the arena: nothing.
typedef struct lg_trace_known {
    lg_arena *arena;
    lg_trace_event *events;
    size_t count, capacity;
    size_t messages; // that they are of
} lg_trace_known;

// The same as lg_trace_read(), of a value whose messages begin with those that `known` is of: events and what they
// point to are in `known`, which has all of them then; the rest is in `arena`. What the messages point to must live as
// long as `known`. `*ret_more`: it can be read on from here; else, as after a failure, `known` is of no use. Fails with
// LG_ERR_MISSING where only all of the messages together tell what belongs together.
LG_NODISCARD lg_status lg_trace_read_on(lg_arena *arena, lg_trace_known *known, lg_str text,
                                        const lg_json *value, const lg_trace_options *options,
                                        const lg_trace_set **ret_set, bool *ret_more,
                                        lg_error *reterr);

// Can a part of a message's content, an item of the Responses API, be read? If not it is left out with a fatal issue.
bool lg_trace_knows_part(const lg_json *part);
bool lg_trace_knows_item(const lg_json *item);

// The turn of an item of the Responses API, where `before` stands before it and has `turn_before`.
uint32_t lg_trace_item_turn(const lg_json *before, uint32_t turn_before, const lg_json *item);

#define LG_TRACE_ID_BYTES 16u

// The event `index` as a session is told it (lg_observe). Calls and their answers are paired by ids that are
// written to `id_room`, which must live as long as the event.
lg_event lg_trace_event_at(const lg_trace *trace, size_t index, char id_room[LG_TRACE_ID_BYTES]);

// How many calls of the agent's latest message stand from `index` on, one right after the other: those that
// it proposed together. 0 if there is none at `index`.
size_t lg_trace_calls_together(const lg_trace *trace, size_t index);

#endif
