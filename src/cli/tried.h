// tried.h: what tools are tried on: a pack and its first states, or a document of tools, opened as a simulator.
//
//     cli_tried tried;
//     cli_tried_options options = {.pack = "packs/retail", .states = &states};
//     int code = cli_tried_read("refine", &options, &tried);
//     code = code == EXIT_FINE ? cli_tried_make(&options, &tried) : code;
//     if (code == EXIT_FINE) ... tried.sim ...
//     cli_tried_close(&tried);
#ifndef LG_CLI_TRIED_H
#define LG_CLI_TRIED_H

#include "cli/tape.h"
#include "simulate/simulate.h"

typedef struct cli_tried_options {
    const char *pack;     // one of the two, at most
    const char *document; // OpenAPI, MCP, OpenAI, Anthropic, BFCL; JSON, JSON Lines or YAML
    // Files of first states: one object, or one a line, each with the `task_id` it is for. NULL: none.
    const cli_list *states;
    const char *recorded; // calls with their results, or conversations; NULL: none
    lg_sim_options sim;   // all but what is read here
} cli_tried_options;

typedef struct cli_tried {
    lg_sim *sim;
    lg_pack *pack;                 // or NULL
    const lg_catalogue *catalogue; // or NULL
    const lg_json *calls;          // of the tape, or NULL
    lg_arena arena;
    cli_values document;
    cli_values states[CLI_LIST_MAX];
    size_t state_count;
    cli_tape tape;
} cli_tried;

// Reads the pack, or the document, and the tape; a tape alone says which tools there are. Whoever knows other tools sets
// `catalogue` before the simulator is made. Returns EXIT_FINE, or another code after saying what is wrong;
// cli_tried_close() in either case.
int cli_tried_read(const char *verb, const cli_tried_options *options, cli_tried *ret);

// Makes the simulator, with first states and recorded calls. Likewise.
int cli_tried_make(const cli_tried_options *options, cli_tried *tried);

void cli_tried_close(cli_tried *tried);

#endif
