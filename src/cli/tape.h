// tape.h: recorded calls of any form as one array of them, and the tools that they are of.
#ifndef LG_CLI_TAPE_H
#define LG_CLI_TAPE_H

#include "cli/values.h"

#include "catalogue/catalogue.h"

// The files that the calls point into.
typedef struct cli_tape {
    cli_values values;
    lg_trace_set *set; // if they are recorded conversations
} cli_tape;

// Reads what `path` holds into an array for lg_sim_add_recorded(), in `arena`. Returns EXIT_FINE, or another code after
// saying what is wrong; cli_tape_close() in either case.
int cli_tape_open(const char *verb, const char *path, lg_arena *arena, cli_tape *ret,
                  const lg_json **ret_calls);
void cli_tape_close(cli_tape *tape);

// The tools that such an array has calls of, each with open arguments, as a list of tools.
LG_NODISCARD lg_status cli_tape_tools(lg_arena *arena, const lg_json *calls,
                                      const lg_catalogue **ret, lg_error *reterr);

#endif
