// replay.h: what judging recorded conversations counts and prints; shared by replay and probes.
#ifndef LG_CLI_REPLAY_REPLAY_H
#define LG_CLI_REPLAY_REPLAY_H

#include "cli/packs.h"
#include "cli/replay/conversation.h"
#include "request/request.h"

typedef struct replay_counts {
    size_t traces, calls, reads, writes, generic, unknown_tools, by_user;
    size_t verdicts[3];      // of gated calls, by lg_verdict
    size_t pack_errors;      // findings that are defects
    size_t over_budget;      // decisions that used up their steps
    size_t unreadable;       // reads whose result had not the declared form
    size_t rejected;         // reads whose result broke a condition
    size_t unverified;       // writes whose result did either
    size_t unknown;          // writes that failed and may have happened
    size_t refused_executed; // refused calls that the recorded environment carried out
    size_t allowed_failed;   // allowed calls that the recorded environment refused
    size_t import_errors;
    size_t left_out; // of these, what nobody can judge
    size_t broken_files, skipped_files;
    size_t probes, caught, right_rule, right_verdict;
    size_t lost;     // conversations that could not be followed to their end
    size_t no_pack;  // conversations that no pack fits
    size_t *by_rule; // findings by rule of the pack
    size_t by_arguments, by_known_tool;
    size_t refused_for[LG_CATEGORY_UPDATE + 1];  // proposed calls, by lg_category
    size_t rejected_for[LG_CATEGORY_UPDATE + 1]; // results, likewise
} replay_counts;

// Where the line counting stands: calls come nearly in the order of the file, so few lines are counted twice.
typedef struct line_cursor {
    const lg_trace_set *set;
    uint32_t offset;
    uint32_t line;
} line_cursor;

// What people are told of one conversation, each part by itself. With --reads and --ledger all rows are in the
// first, in the order of events.
typedef enum replay_part {
    PART_REFUSED,  // also what occurred, and what is owed
    PART_REPORTED, // by rules that refuse nothing
    PART_ALLOWED,
    PART_COUNT
} replay_part;

// A pack, and what was counted of the conversations that it judges.
typedef struct replay_judge {
    const lg_pack *pack;
    lg_session *session; // of the conversation at hand
    replay_counts counts;
    replay_talk talk;
    size_t asked[LG_ASKED_VERDICT_COUNT]; // requests by what came of them, if they are looked for
} replay_judge;

typedef struct replay {
    cli_packs packs;
    replay_judge *judges; // one a pack
    replay_judge *by;     // of the conversation at hand; NULL: no pack fits it
    replay_counts run;    // what belongs to no pack: files, what could not be read, what none fits
    lg_arena scratch;     // of the calls of one message
    cli_out out;
    cli_out parts[PART_COUNT]; // of the conversation at hand, for people
    cli_out told;              // of those before it: it is printed after the summary
    cli_out unfit;             // conversations that no pack fits: likewise, after those
    size_t untold;             // conversations of which there is nothing to tell
    const char *only;          // what the only conversation to replay is called, or NULL
    size_t named;              // conversations that were asked for: that are called so, or all
    bool json;
    bool quiet;         // only the summary
    bool show_reads;    // also what enters the ledger
    bool show_ledger;   // the ledger at the end of each conversation
    bool show_requests; // what customers asked for
    bool show_all;      // of probes: also those that were caught as expected
    bool lost;          // the conversation at hand could not be followed to its end
    bool not_followed;  // its rules cannot follow it any more, which was said
    lg_error why;       // then
    line_cursor cursor;
} replay;

// The recorded call that a decision is about, or another event that is spoken of.
typedef struct replay_site {
    const lg_trace_set *set;
    const lg_trace *trace;
    const lg_trace_event *event;
    const lg_trace_event *call;   // the event itself, or the call that it answers
    const lg_trace_event *answer; // the result or error of the call, or NULL
} replay_site;

// Takes in one event. False if the conversation cannot be followed any further, after saying so.
bool replay_observe(replay *r, const lg_event *event, lg_observed *ret_observed);

// Judges what was proposed together. NULL when there is no verdict, after saying so.
const lg_decision *replay_decide(replay *r, const lg_event *proposed, size_t count);

// Where rows of this part go.
cli_out *replay_rows(replay *r, replay_part part);
// Begins a row of this part: the turn, and what it is in one word.
cli_out *replay_begin_row(replay *r, replay_part part, uint32_t turn, const char *colour,
                          const char *word);

// Puts the rows of the conversation together, under its name.
void replay_end_rows(replay *r, const lg_trace_set *set, const lg_trace *trace);

// The path as people shall see it: relative, if the file lies in the folder where the program runs.
lg_str replay_shown_path(lg_str path);

// Counts a decision on a call.
void replay_count(replay *r, const lg_decision *decision);

// One decision for people.
void replay_show(replay *r, const replay_site *site, const lg_decision *decision);

// Prints one decision as a JSON line or for people.
void replay_print(replay *r, const replay_site *site, const lg_decision *decision);

// Names a call whose result was not accepted.
void replay_print_rejected(replay *r, const replay_site *site, lg_observed observed);

// Writes which conversation it is as members of an object: file, line (0: none), conversation, task, and the
// pack that was chosen for it.
void replay_write_talk(replay *r, lg_json_writer *w, const lg_trace_set *set, const lg_trace *trace,
                       uint32_t line);

// Writes the place of a call as members of an object: file, line, conversation, task and turn.
void replay_write_site(replay *r, lg_json_writer *w, const replay_site *site);

// What the customer has asked for, at the end of the conversation. False when out of memory, after saying so.
bool replay_requests(replay *r, const lg_trace_set *set, const lg_trace *trace);
void replay_requests_write_summary(replay *r, lg_json_writer *w); // the member `requests`
void replay_requests_show_summary(replay *r);

// The ledger as one JSON line.
void replay_print_ledger(replay *r, const lg_trace_set *set, const lg_trace *trace);

// What was rejected, by category, as the paper's table has it (ToolGate section 5.4): of the summary
// the member `rejections`, or a table.
void replay_write_rejections(replay *r, lg_json_writer *w);
void replay_show_rejections(replay *r);

// Counts and names a conversation that no pack fits. False when out of memory.
bool replay_leave(replay *r, const lg_trace_set *set, const lg_trace *trace);

// Those that were left, for people.
void replay_show_left(replay *r);

// The summary as a JSON line or a table.
void replay_summary(replay *r);

// Judges each call of `path` (violating_calls.jsonl) at its position of its gold trace. Returns the
// exit code.
int replay_probes(replay *r, const cli_traces *traces, const char *path);

#endif
