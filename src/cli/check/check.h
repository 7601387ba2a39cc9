// check.h: what the files of the verb `check` share.
#ifndef LG_CLI_CHECK_CHECK_H
#define LG_CLI_CHECK_CHECK_H

#include "cli/values.h"
#include "world/world.h"

// An invariant of the state that does not hold before the first call.
typedef struct check_breach {
    const lg_condition *condition;
    lg_position at; // in the pack
    lg_str task;    // whose state it is; or empty
    lg_str why;     // it could not be evaluated; empty: it is false
} check_breach;

// A state that `settle` changes although no call has: the first time, or each time.
typedef struct check_unrest {
    lg_str task; // whose state it is; or empty
    bool again;  // the second time, too: it does not come to rest
    lg_str what; // the first difference, or why the steps fail
} check_unrest;

typedef struct check_start {
    cli_values file;
    lg_world world;
    lg_arena arena;
    size_t states; // that were looked at
    check_breach *broken;
    size_t broken_count;
    size_t capacity;
    check_unrest *unrest;
    size_t unrest_count;
    size_t unrest_capacity;
    int code;
} check_start;

// Looks at the documents of the state file, or at that of `task` alone (NULL: all). False after
// saying what is wrong with the file; check_start_close() in either case.
bool check_start_open(check_start *start, const lg_pack *pack, const char *path, const char *task,
                      int *ret_code);
void check_start_close(check_start *start);

void check_start_write(const check_start *start, lg_json_writer *w); // members of an object
void check_start_show(const check_start *start, cli_out *out);

// --- check_settle.c -----------------------------------------------------------------------------

// Does `settle` leave the state that was loaded as it is? False when out of memory.
bool check_settle_state(check_start *start, lg_str task);

// Steps of `settle` of which every call may find something to do.
void check_settle_write(const lg_pack *pack, const check_start *start, lg_json_writer *w);
void check_settle_show(const lg_pack *pack, const check_start *start, cli_out *out);

#endif
