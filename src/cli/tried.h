// tried.h: what tools are tried on: a pack and its first states, or a document of tools, opened as a simulator.
//
//     cli_tried tried;
//     cli_tried_options options = {.pack = "packs/retail", .state = "db.json"};
//     int code = cli_tried_open("refine", &options, &tried);
//     if (code == EXIT_FINE) ... tried.sim ...
//     cli_tried_close(&tried);
#ifndef LG_CLI_TRIED_H
#define LG_CLI_TRIED_H

#include "cli/values.h"
#include "simulate/simulate.h"

typedef struct cli_tried_options {
    const char *pack;     // one of the two
    const char *document; // OpenAPI, MCP, OpenAI, Anthropic, BFCL; JSON, JSON Lines or YAML
    // First states: one object, or one a line, each with the `task_id` it is for. NULL: none.
    const char *state;
    const char *recorded; // answers: a list of them, or one a line; NULL: none
    bool without_validator, without_state;
    size_t history_calls; // as in lg_sim_options; 0: the default
} cli_tried_options;

typedef struct cli_tried {
    lg_sim *sim;
    lg_pack *pack;                 // or NULL
    const lg_catalogue *catalogue; // or NULL; with findings that nothing has said yet
    lg_arena arena;
    cli_values document, state, recorded;
    lg_json answers; // of several lines
} cli_tried;

// Opens it. Returns EXIT_FINE, or another code after saying what is wrong; cli_tried_close() in either case.
int cli_tried_open(const char *verb, const cli_tried_options *options, cli_tried *ret);
void cli_tried_close(cli_tried *tried);

#endif
