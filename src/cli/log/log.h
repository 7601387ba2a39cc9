// log.h: what the files of the verb `log` share.
#ifndef LG_CLI_LOG_LOG_H
#define LG_CLI_LOG_LOG_H

#include "base/map.h"
#include "cli/cli.h"
#include "journal/journal.h"

typedef struct log_task {
    const char *path;
    const char *key_path; // as it was given, or beside the log
    bool has_keys;        // the key file is there and can be read
    lg_store_keys keys;
    lg_log *log;
    lg_arena arena; // of one record, where there are many
    lg_arena kept;
    lg_map outcomes; // what became of decisions, by their ids
    bool json;
    cli_out out;
    // Options of single actions.
    bool all, execute, all_alike, force, dry_run;
    const char *head, *public_key, *conversation, *why, *before, *from;
} log_task;

// Each is an action with its operands; returns the exit code.
int log_show(log_task *t, char **operands, size_t count);
int log_explain(log_task *t, char **operands, size_t count);
int log_export(log_task *t, char **operands, size_t count);
int log_verify(log_task *t, char **operands, size_t count);
int log_redact(log_task *t, char **operands, size_t count);
int log_prune(log_task *t, char **operands, size_t count);
int log_backup(log_task *t, char **operands, size_t count);

// Says the error, and returns its exit code.
int log_fail(const lg_error *error);

// The payload of a record as JSON, or NULL if it is none. In the task's arena.
const lg_json *log_payload(log_task *t, lg_str body);

// "2026-01-02T03:04:05Z", in `room`.
lg_str log_time(lg_time time, char room[LG_TIME_TEXT_MAX]);

// Of a decision's payload: "pay, refund" and "allow, block".
void log_add_tools(lg_buf *out, const lg_json *payload);
// What became of a call is named where it is not what the verdict says: "refused", "revise (passed)".
void log_add_verdicts(lg_buf *out, const lg_json *payload);
// What the host did with one of the proposed in place of what the verdict says; or NULL.
const lg_json *log_override_of(const lg_json *payload, size_t proposed);

// What became of decisions, from record `from` on, for log_show_record().
LG_NODISCARD lg_status log_read_outcomes(log_task *t, uint64_t from, lg_error *reterr);
// A record as one line for people.
void log_show_record(log_task *t, const lg_log_record *record);

// A record as one JSON line: its members, and its payload as JSON if it has one.
void log_write_record(log_task *t, const lg_log_record *record);

#endif
