// log.h: what the files of the verb `log` share.
#ifndef LG_CLI_LOG_LOG_H
#define LG_CLI_LOG_LOG_H

#include "cli/cli.h"
#include "journal/journal.h"

typedef struct log_task {
    const char *path;
    const char *key_path; // as it was given, or beside the log
    bool has_keys;        // the key file is there and can be read
    lg_store_keys keys;
    lg_log *log;
    lg_arena arena;
    bool json;
    cli_out out;
    // Options of single actions.
    bool all, execute;
    const char *head, *public_key, *conversation, *why, *before, *from;
} log_task;

// Each is an action with its operands; returns the exit code.
int log_show(log_task *t, char **operands, size_t count);
int log_explain(log_task *t, char **operands, size_t count);
int log_export(log_task *t, char **operands, size_t count);
int log_verify(log_task *t, char **operands, size_t count);
int log_redact(log_task *t, char **operands, size_t count);
int log_prune(log_task *t, char **operands, size_t count);

// Says the error, and returns its exit code.
int log_fail(const lg_error *error);

// The payload of a record as JSON, or NULL if it is none. In the task's arena.
const lg_json *log_payload(log_task *t, lg_str body);

// "2026-01-02T03:04:05Z", in `room`.
lg_str log_time(lg_time time, char room[LG_TIME_TEXT_MAX]);

// Of a decision's payload: "pay, refund" and "allow, block".
void log_add_tools(lg_buf *out, const lg_json *payload);
void log_add_verdicts(lg_buf *out, const lg_json *payload);

// A record as one JSON line: its members, and its payload as JSON if it has one.
void log_write_record(log_task *t, const lg_log_record *record);

#endif
