// extract.h: what the files of this verb share: prompts, and what was read from them.
#ifndef LG_CLI_EXTRACT_EXTRACT_H
#define LG_CLI_EXTRACT_EXTRACT_H

#include "cli/traces.h"
#include "cli/values.h"
#include "judge/judge.h"

// A prompt with its tools, each once.
typedef struct extract_source {
    char id[65]; // lg_prompt_id()
    lg_str name; // where it was met first: FILE, or FILE: CONVERSATION
    lg_str prompt;
    const lg_json *tools;  // or NULL
    lg_str tools_text;     // as rules of tools count its bytes
    const lg_trace *first; // conversation that has it, or NULL
    size_t conversations;  // that have it; 0: it was given by itself
    const lg_prompt_rules *rules;
    lg_str why; // rules of a family are missing; or empty
} extract_source;

typedef struct extract_sources {
    lg_arena arena;
    extract_source *items;
    size_t count, capacity;
    size_t without; // conversations that no prompt was recorded of
} extract_sources;

void extract_sources_init(extract_sources *sources);
void extract_sources_done(extract_sources *sources);

// The prompts of recordings, which must outlive them. False when out of memory.
bool extract_from_traces(extract_sources *sources, const cli_traces *traces);
// A prompt in a file, and its tools in another (or NULL): both must outlive it.
bool extract_from_text(extract_sources *sources, const char *path, lg_str prompt,
                       const lg_json *tools);

// All rules, deduplicated over the prompts. They point into the sources; those of one prompt among several name it.
// False when out of memory.
bool extract_merge(extract_sources *sources, lg_prompt_rules *ret);

// Asks for the rules of each source. Returns EXIT_FINE, or the code after saying what is wrong.
int extract_read_rules(extract_sources *sources, lg_judge *judge);

// --- The final state by the pack (computed.c) ---------------------------------------------------------

typedef struct extract_change {
    lg_str path;
    const lg_json *before, *after; // NULL: absent
} extract_change;

typedef struct extract_computed {
    bool loaded; // there is an initial state, and it is one of the pack's
    extract_change *items;
    size_t count, total;
    size_t failed,
        unknown; // calls that could not be carried out; whose effects the pack does not say
    bool *shown; // by field of the prediction: what changed shows its value
} extract_computed;

// The plan's calls, carried out on the initial state as the pack (or NULL) says what they do. All of it lives in
// `arena`. False when out of memory.
bool extract_compute(const lg_pack *pack, const lg_trace *trace, const lg_task_plan *plan,
                     lg_arena *arena, extract_computed *ret);
void extract_show_computed(const extract_computed *c, const lg_task_plan *plan, cli_out *out);
void extract_write_computed(const extract_computed *c, const lg_task_plan *plan, lg_json_writer *w);

// --- Printing (show.c) ------------------------------------------------------------------------------

void extract_show_rules(const extract_sources *sources, cli_out *out);
void extract_write_rules(const extract_sources *sources, cli_out *out); // a JSON line each
// What the model does not say, or could not be asked: of all sources.
size_t extract_failures(const extract_sources *sources);

// A conversation, what was planned for it, and what the plan comes to.
typedef struct extract_planned {
    const lg_trace_set *set;
    const lg_trace *trace;
    const lg_task_plan *plan; // or NULL
    lg_str why;               // something could not be predicted; or empty
    extract_computed computed;
} extract_planned;

void extract_show_plan(const extract_planned *planned, cli_out *out);
void extract_write_plan(const extract_planned *planned, cli_out *out);

#endif
