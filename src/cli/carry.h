// carry.h: calls carried out on the state of a file: what `apply` shows and `prove --explain` derives.
#ifndef LG_CLI_CARRY_H
#define LG_CLI_CARRY_H

#include "cli/calls.h"
#include "session/session.h"
#include "world/world.h"

typedef struct cli_carry {
    const lg_pack *pack;
    lg_world world;
    lg_session *session; // what the calls returned: postconditions speak of it
    cli_values state;    // the state file: one document, or one a line with the task it is for
    const lg_json *use;  // the document that is loaded; NULL before the first
    bool *broken; // by invariant of the state: it does not hold now; then as many for its update
    lg_world_breach *told; // of the latest call
    size_t told_capacity;
    lg_arena scratch; // of one task
    int64_t now_seconds;
} cli_carry;

// Reads the state file. False after saying what is wrong with it; cli_carry_close() in either case.
bool cli_carry_open(cli_carry *c, const lg_pack *pack, const char *state, int *ret_code);
void cli_carry_close(cli_carry *c);

// Makes the state file's document for `task` (empty: that of no task) the state, and forgets what
// was observed. `*ret_start` has the invariants that do not hold. False after saying what is wrong.
bool cli_carry_begin(cli_carry *c, lg_str task, lg_world_outcome *ret_start, int *ret_code);

// Carries out a call and observes what it returned. Of the invariants that do not hold, those that
// did before. False after saying what is wrong.
bool cli_carry_out(cli_carry *c, const cli_call *call, lg_world_outcome *ret, int *ret_code);

#endif
