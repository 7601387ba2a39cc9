// refine.h: what the files of this verb share.
#ifndef LG_CLI_REFINE_H
#define LG_CLI_REFINE_H

#include "cli/model.h"
#include "cli/tried.h"
#include "refine/refine.h"

// --- models.c: who does what (figure 4b) -------------------------------------------------------------

typedef enum refine_part {
    PART_PLANNER,
    PART_VALIDATOR,
    PART_RESPONDER,
    PART_ESTIMATOR,
    PART_JUDGE,
} refine_part;

#define PART_COUNT 5u

// A model of one part's own; what it does not say is that of `--model`.
typedef struct refine_own {
    const char *name, *url, *key_env;
} refine_own;

typedef struct refine_models {
    cli_model shared;
    refine_own own[PART_COUNT];
    lg_llm *llms[PART_COUNT]; // by part; several may be one
    lg_llm *opened[PART_COUNT];
    cli_model asked[PART_COUNT]; // of those that were opened
    size_t opened_count;
    lg_sim_models models;
} refine_models;

// Opens a client for each part that has a model. Returns EXIT_FINE, or another code after saying what is wrong;
// refine_models_close() in either case.
int refine_models_open(refine_models *m);
void refine_models_close(refine_models *m);
void refine_models_say(const refine_models *m);

// --- tasks.c --------------------------------------------------------------------------------------

typedef struct refine_task {
    lg_str text;
    lg_str id; // `task_id`; may be empty
    uint64_t seed;
    lg_checklist checklist;
    bool has_checklist;
} refine_task;

typedef struct refine_tasks {
    cli_values file, checklist;
    lg_arena arena;
    refine_task *items;
    size_t count;
} refine_tasks;

// Reads `--task TEXT` or `--tasks FILE`, and the checklist of all that have none of their own. The same.
int refine_tasks_open(refine_tasks *tasks, const char *text, const char *path,
                      const char *checklist);
void refine_tasks_close(refine_tasks *tasks);

// --- show.c ---------------------------------------------------------------------------------------

typedef struct refine_sums {
    size_t tasks, success, failed, unknown, none, attempts;
    size_t acted, acted_success; // on the real tools
    lg_refine_costs costs;
} refine_sums;

void refine_sum(refine_sums *sums, const lg_refined *record);
void refine_show(cli_out *out, size_t number, lg_str task, const lg_refined *record);
void refine_show_sums(cli_out *out, const refine_sums *sums);
void refine_write(cli_out *out, const refine_task *task, const lg_refined *record);
// What was done in earnest; `why` it broke off, or empty.
void refine_show_acted(cli_out *out, const lg_refine_attempt *acted, lg_str why);
void refine_write_acted(cli_out *out, const refine_task *task, const lg_refine_attempt *acted,
                        lg_str why);
void refine_write_sums(cli_out *out, const refine_sums *sums);

#endif
