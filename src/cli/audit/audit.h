// audit.h: what the files of this verb share: a conversation that was audited, and where it goes.
#ifndef LG_CLI_AUDIT_AUDIT_H
#define LG_CLI_AUDIT_AUDIT_H

#include "audit/audit.h"
#include "cli/files.h"
#include "judge/judge.h"

#define AUDIT_JOBS_MAX 64u // threads

typedef struct audit_options {
    const char *out;     // folder for all that is written, or NULL
    const char *compare; // folder of an earlier audit, or NULL
    const char *format;
    bool json;
    size_t jobs; // threads, at most AUDIT_JOBS_MAX
    const lg_pack *const *packs;
    size_t pack_count;
    lg_llm *llm;                  // that judges, or NULL
    const char *model;            // its name
    const lg_prompt_rules *rules; // of `--rules`, or NULL: they are extracted
} audit_options;

// What one thread audits with.
typedef struct audit_worker {
    const audit_options *options;
    lg_audit *audit;
    lg_judge *judge; // or NULL
} audit_worker;

// False after saying why.
bool audit_worker_init(audit_worker *worker, const audit_options *options);
void audit_worker_done(audit_worker *worker);

// Findings of one kind, by severity.
typedef struct audit_tally {
    size_t of[LG_SEVERITY_SEVERE + 1];
} audit_tally;

// All but the hints.
static inline size_t audit_tally_counted(const audit_tally *tally)
{
    return tally->of[LG_SEVERITY_MINOR] + tally->of[LG_SEVERITY_MODERATE] +
           tally->of[LG_SEVERITY_SEVERE];
}

// A finding, for people. Empty text: there is none.
typedef struct audit_example {
    lg_severity severity;
    lg_str text; // where, and what was wrong
} audit_example;

// A conversation that was audited. What it points to lives in its batch.
typedef struct audit_item {
    char id[17];
    lg_str name;     // FILE: NAME, for people
    lg_str result;   // one JSON object (docs/audit.md)
    lg_str artefact; // {"conversation", "audit"}; empty where nobody wants it
    lg_str domain, model;
    bool has_pack, has_reward;
    bool has_aggregate, has_outcome;
    double reward, aggregate, outcome, process;
    uint32_t undecided;
    uint32_t unjudged;   // evaluators that a model has not judged
    lg_str why_unjudged; // the first of them
    lg_failure_class failure;
    const audit_tally *found; // by kind
    audit_example *worst;     // by kind: the first of its most severe findings
} audit_item;

// All conversations of one file, or of one line.
typedef struct audit_batch {
    lg_arena arena;
    lg_buf text; // of results and artefacts
    audit_item *items;
    size_t count, capacity;
    lg_buf issues; // what could not be read of them: JSON lines, or lines for people
    size_t issue_count, left_out, lost;
    lg_status status; // of reading the file
    lg_error error;
    bool done;
} audit_batch;

void audit_batch_init(audit_batch *batch);
void audit_batch_done(audit_batch *batch);

// Audits all that a file holds, or a line. Says nothing to anybody: what went wrong stands in the batch.
void audit_file(audit_worker *worker, const char *path, audit_batch *batch);
void audit_line(audit_worker *worker, lg_str text, audit_batch *batch);

// What all conversations come to.
typedef struct audit_sum {
    size_t conversations, violated, duplicates, without_pack, failed, undecided, issues, left_out,
        lost, unjudged;
    lg_str why_unjudged; // the first one's
    const lg_llm *llm;   // that has judged, or NULL
    const char *model;
    audit_tally *found;       // by kind
    size_t *conversations_of; // likewise: in which it is more than a hint
    audit_example *worst;     // likewise: the first of the most severe
    size_t kinds;
    struct audit_group *groups; // by domain and model
    size_t group_count, group_capacity;
    lg_arena arena;
} audit_sum;

bool audit_sum_init(audit_sum *sum);
void audit_sum_done(audit_sum *sum);
bool audit_sum_add(audit_sum *sum, const audit_item *item);
size_t audit_sum_findings(const audit_sum *sum);
void audit_sum_show(const audit_sum *sum, cli_out *out);
void audit_sum_write(const audit_sum *sum, lg_json_writer *w); // one object

// Where results go: standard output, and the folder.
typedef struct audit_sink {
    const audit_options *options;
    cli_out out;
    audit_sum sum;
    struct audit_seen *seen;     // ids, so that a conversation is counted once
    struct audit_folder *folder; // or NULL
    bool failed;
} audit_sink;

bool audit_sink_init(audit_sink *sink, const audit_options *options);
// Takes what a batch holds, in the order of the files.
void audit_sink_take(audit_sink *sink, const audit_batch *batch);
// The end: summary and files. Returns the exit code.
int audit_sink_done(audit_sink *sink, const cli_files *files, int code);

// Audits all files, with as many threads as `options` say, and hands them to the sink in their order. Returns the exit code.
int audit_run_files(const audit_options *options, cli_files *files, audit_sink *sink);

// One conversation a line from standard input, one result a line to standard output.
int audit_stream(const audit_options *options);

#endif
