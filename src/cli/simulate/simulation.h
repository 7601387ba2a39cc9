// simulation.h: what the files of the verb `simulate` share.
#ifndef LG_CLI_SIMULATE_SIMULATION_H
#define LG_CLI_SIMULATE_SIMULATION_H

#include "cli/model.h"
#include "cli/tried.h"

#include "mock/mock.h"

// The words of the command, as they were given; NULL: not given.
typedef struct simulate_words {
    const char *pack, *document, *recorded, *verify;
    const char *listen, *token, *seed, *workers;
    const char *sessions, *memory, *session_memory, *history, *snapshots, *idle, *body;
    const char *latency, *fault_rate, *fault_status, *fault_seed;
    const char *real, *record, *to, *retries;
    cli_model model;
    const char *validator, *responder, *estimator, *judge, *planner; // names of models of their own
    cli_list states;
    const char *credential;
    bool allow_remote, json, no_security, dynamic, stdio, user_tools;
} simulate_words;

typedef struct simulate_models {
    lg_llm_options options[6]; // the model of all, and one of each component
    lg_mock_models of;
} simulate_models;

// What is served: loaded once, and never changed while it is.
typedef struct simulation {
    simulate_words words;
    cli_tried tried;
    simulate_models models;
    lg_executor *executor; // of real tools, or NULL
    lg_mock_options options;
} simulation;

// --- settings.c: words into numbers. Each returns EXIT_FINE, or says what is wrong -------------------

int simulate_read_limits(const simulate_words *w, lg_sim_options *sim, lg_mock_options *ret);
int simulate_read_faults(const simulate_words *w, lg_mock_faults *ret);
int simulate_read_models(const simulate_words *w, simulate_models *ret);

// --- real.c -------------------------------------------------------------------------------------

void simulate_warn_real(const simulation *s); // that it will be asked nothing, or does not answer
int simulate_open_real(simulation *s);        // that --real or --to name, if they do
int simulate_list_real(simulation *s);        // their tools become the catalogue

// --- stdio.c ------------------------------------------------------------------------------------

// Answers MCP by standard input and output, until the input ends.
int simulate_stdio(simulation *s);

// --- verify.c -----------------------------------------------------------------------------------

// Verifies the entries of a file, one a line, in place of serving.
int simulate_verify(simulation *s, const char *path);

#endif
