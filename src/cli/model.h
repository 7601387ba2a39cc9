// model.h: the model that a verb may ask: its options, the same for every verb that judges with one.
//
//     cli_model model = {0};
//     cli_option options[] = {{"--pack", &pack, NULL}, CLI_MODEL_OPTIONS(model)};
//     ... cli_parse(...) ...
//     code = cli_model_open("audit", &model, &llm); // NULL: without a model
//
// A verb without a model does what needs none, and says what it has not checked.
#ifndef LG_CLI_MODEL_H
#define LG_CLI_MODEL_H

#include "cli/cli.h"
#include "llm/llm.h"

typedef struct cli_model {
    const char *name, *url, *key_env, *record, *replay, *budget, *prices, *format;
    bool none;
} cli_model;

// clang-format off
#define CLI_MODEL_OPTIONS(model)                                            \
    {"--model", &(model).name, NULL},                                       \
    {"--model-url", &(model).url, NULL},                                    \
    {"--model-key-env", &(model).key_env, NULL},                            \
    {"--model-record", &(model).record, NULL},                              \
    {"--model-replay", &(model).replay, NULL},                              \
    {"--model-budget", &(model).budget, NULL},                              \
    {"--model-prices", &(model).prices, NULL},                              \
    {"--model-format", &(model).format, NULL},                              \
    {"--no-model", NULL, &(model).none}

#define CLI_MODEL_HELP                                                                          \
    "  --model NAME           the model that judges what no rule decides\n"                     \
    "  --model-url URL        its API, as OpenAI's: http://127.0.0.1:8080/v1\n"                 \
    "  --model-key-env NAME   the environment variable that holds the key\n"                    \
    "  --model-record FILE    keep what was asked; what is there is not asked again\n"          \
    "  --model-replay FILE    ask nothing: every answer comes out of this recording\n"          \
    "  --model-budget LIST    calls=N,tokens=N,prompt_tokens=N,completion_tokens=N,\n"          \
    "                         seconds=N,money=N: any of them; then the rest goes unasked\n"     \
    "  --model-prices P,C     of a million tokens of prompts, and of completions\n"             \
    "  --model-format WORD    how JSON is asked for: schema, object-schema (llama.cpp),\n"      \
    "                         object or prompt\n"                                               \
    "  --no-model             ask none\n"
// clang-format on

// Opens the model that the options name: sets `*ret_llm`, or to NULL if they name none. Returns EXIT_FINE, or another
// code after saying what is wrong. The key is read from the environment, and said nowhere.
int cli_model_open(const char *verb, const cli_model *model, lg_llm **ret_llm);

// The same without a client, for verbs that make several: fills `ret`, and says whether a model is named. What it points to is
// that of the options and of the environment.
int cli_model_options(const char *verb, const cli_model *model, lg_llm_options *ret,
                      bool *ret_asks);

// What it took so far: one line on standard error, or one JSON object (null without a client). The object is the same
// when it is replayed.
void cli_model_say(const char *verb, const cli_model *model, const lg_llm *llm);
void cli_model_write(const char *name, const lg_llm *llm, lg_json_writer *w);

#endif
