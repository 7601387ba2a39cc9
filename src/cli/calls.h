// calls.h: files of calls that somebody wants carried out.
#ifndef LG_CLI_CALLS_H
#define LG_CLI_CALLS_H

#include "cli/values.h"

// One call to be carried out.
typedef struct cli_call {
    lg_str name;
    const lg_json *args; // NULL if they are no JSON
    lg_str args_text;
    bool by_user;
} cli_call;

typedef struct cli_calls {
    cli_values file;
    lg_trace_set *set; // if the file is a recording
    const cli_call *items;
    size_t count;
    lg_str task; // that the recording is of; or empty
} cli_calls;

// Reads a list of calls, a call a line, or a recording, of which `task` is the one to take if there
// are many. False after saying what is wrong; cli_calls_close() in either case.
bool cli_calls_open(const char *path, const char *task, cli_calls *ret, int *ret_code);
void cli_calls_close(cli_calls *calls);

// Reads {name, arguments, requestor}. False if `json` is no call; then `*ret_why` says why.
bool cli_read_call(lg_arena *arena, const lg_json *json, cli_call *ret, const char **ret_why);

#endif
