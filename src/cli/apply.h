// apply.h: what the files of the verb `apply` share.
#ifndef LG_CLI_APPLY_H
#define LG_CLI_APPLY_H

#include "cli/values.h"
#include "ledger/ledger.h"
#include "world/world.h"

// One call to be carried out.
typedef struct apply_call {
    lg_str name;
    const lg_json *args; // NULL if they are no JSON
    lg_str args_text;
    bool by_user;
} apply_call;

typedef struct apply {
    cli_out out;
    bool json;
    const lg_pack *pack;
    lg_world world;
    lg_ledger ledger;   // of what the calls returned: postconditions speak of it
    cli_values state;   // the state file: one document, or one a line with the task it is for
    const lg_json *use; // the document that is loaded; NULL before the first
    bool *broken; // by invariant of the state: it does not hold now; then as many for its update
    lg_world_breach *told; // of the latest call
    size_t told_capacity;
    lg_arena scratch; // of one task
    int64_t now_seconds;
} apply;

// --- apply.c ------------------------------------------------------------------------------------

// Makes the state file's document for `task` (empty: that of no task) the state, and forgets what
// was observed. `*ret_start` has the invariants that do not hold. False after saying what is wrong.
bool apply_begin(apply *a, lg_str task, lg_world_outcome *ret_start, int *ret_code);

// Carries out a call and observes what it returned. Of the invariants that do not hold, those that
// did before. False after saying what is wrong.
bool apply_one(apply *a, const apply_call *call, lg_world_outcome *ret, int *ret_code);

// False after saying that memory ran out.
bool apply_out_of_memory(int *ret_code);

void apply_write_fault(lg_json_writer *w, const lg_error *fault);
void apply_write_breaches(lg_json_writer *w, const lg_world_breach *items, size_t count);
void apply_show_breach(apply *a, const lg_world_breach *breach);

// --- apply_calls.c ------------------------------------------------------------------------------

typedef struct apply_calls {
    cli_values file;
    lg_trace_set *set; // if the file is a recording
    const apply_call *items;
    size_t count;
    lg_str task; // that the recording is of; or empty
} apply_calls;

// Reads a list of calls, a call a line, or a recording, of which `task` is the one to take if there
// are many. False after saying what is wrong; apply_calls_close() in either case.
bool apply_calls_open(const char *path, const char *task, apply_calls *ret, int *ret_code);
void apply_calls_close(apply_calls *calls);

// Reads {name, arguments, requestor}. False if `json` is no call; then `*ret_why` says why.
bool apply_read_call(lg_arena *arena, const lg_json *json, apply_call *ret, const char **ret_why);

// --- apply_check.c ------------------------------------------------------------------------------

// Carries out recorded calls and compares the states and the results with the recorded ones.
int apply_check(apply *a, const char *path);

#endif
