// traces.h: recorded conversations that a verb was given.
#ifndef LG_CLI_TRACES_H
#define LG_CLI_TRACES_H

#include "cli/files.h"

typedef struct cli_traces {
    cli_files files; // that were given, and what could not be read of them
    lg_trace_set **sets;
    size_t count;
    size_t traces;   // in all sets
    size_t left_out; // parts of conversations that could not be read: a write may be in one
} cli_traces;

// Opens every file, and every .json and .jsonl file below a folder. What cannot be read is said and
// counted, and ends nothing. Returns EXIT_FINE, or what is wrong after saying so: a format that nobody
// knows, no memory. cli_close_traces() after EXIT_FINE.
int cli_open_traces(char **paths, size_t count, const char *format, cli_traces *ret);
void cli_close_traces(cli_traces *traces);

// The exit code of a run that by itself would end with `code`: EXIT_USAGE if anything could not be read.
// Says of how much nothing is known.
int cli_traces_code(const cli_traces *traces, int code);

// The same of so many parts of conversations that had to be left out. Says so.
int cli_left_out_code(size_t left_out, int code);

// What could not be read of the conversations of a set: lines for people, or JSON lines.
void cli_show_issues(lg_buf *out, const lg_trace_set *set);
void cli_write_issues(lg_buf *out, const lg_trace_set *set);

#endif
