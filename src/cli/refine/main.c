// main.c: `ledgergate refine`: plans are rehearsed until they succeed.
#include "base/clock.h"
#include "cli/refine/refine.h"
#include "refine/act.h"

#include <stdlib.h>

static const char help[] =
    "usage: ledgergate refine --pack PACK --state FILE --task TEXT [OPTIONS]\n"
    "       ledgergate refine DOCUMENT --tasks FILE [OPTIONS]\n"
    "\n"
    "Has a model plan a task on simulated tools, tells it at once what is wrong with a call and\n"
    "what it returns, has the end judged, and begins again, from the same state, with what is "
    "open.\n"
    "What comes out is the sequence of calls that stands, and how it came about.\n"
    "\n"
    "  --pack PACK      tools and what they do; DOCUMENT: tools alone (OpenAPI, MCP, OpenAI, "
    "BFCL)\n"
    "  --state FILE     the first state: one object, or one a line, each with its `task_id`; "
    "repeatable\n"
    "  --recorded FILE  recorded calls, or conversations: the same call gets the same answer\n"
    "  --task TEXT      what is to be done\n"
    "  --tasks FILE     many, one a line: {\"task\", \"task_id\", \"seed\", and what a checklist "
    "may have}.\n"
    "                   Lines of one `task_id` after each other are turns of one session\n"
    "  --checklist FILE when it is done: a list of {\"description\", \"that\"}, or an object with "
    "such a\n"
    "                   `checklist`, with `actions`, `communicate_info`, `state`; else the "
    "judge's\n"
    "                   model makes one of each task\n"
    "  --rules FILE     what the planner has to keep to: a text\n"
    "  --retries N      attempts after the first [3]\n"
    "  --calls N        of one attempt [30]\n"
    "  --budget LIST    calls=N,tokens=N,seconds=N,money=N: any of them, for each task\n"
    "  --user-tools     the planner may use the customer's tools, too\n"
    "  --real SPEC      the real tools: http://HOST/mcp, stdio:COMMAND, openapi:URL, "
    "recorded:FILE.\n"
    "                   They are asked what only reads; what was written in the rehearsal lies "
    "over it\n"
    "  --rehearse N     rehearse at most N times, then act on the real tools: once, with the\n"
    "                   rehearsals in the prompt. THIS CALLS THEM\n"
    "  --without LIST   validator,state,judge: any of them; for ablations\n"
    "  --json           one JSON object a task, then one with the summary\n"
    "\n" CLI_MODEL_HELP "  --planner-model NAME, --validator-model, --responder-model, "
    "--estimator-model, --judge-model\n"
    "                   a model of one part's own; with -url and -key-env likewise\n"
    "\n"
    "    ledgergate refine --pack packs/retail --state db.json --task \"Cancel #W1\" \\\n"
    "        --checklist list.json --planner-model NAME --model-url http://127.0.0.1:8000/v1\n"
    "\n"
    "Exit codes: 0 every task succeeded, 1 not all of them, 2 bad input, 3 internal or "
    "environment.\n";

typedef struct given {
    const char *pack, *recorded, *task, *tasks, *checklist, *rules, *retries, *calls, *budget,
        *without, *real, *rehearse;
    cli_list states;
    bool user_tools, json;
    refine_models models;
} given;

typedef struct run {
    given *given;
    cli_tried tried;
    refine_tasks tasks;
    cli_values rules;
    lg_refine_planner planner;
    lg_refine_options options;
    lg_executor *real;
    bool acts;
    bool without_validator, without_state;
    bool is_unreachable; // the planner's model has not answered anything
    cli_out out;
    refine_sums sums;
    // The session at hand, and what it has done.
    lg_sim_session *session;
    lg_refine_history history;
    lg_str *before;
    size_t before_count, before_capacity;
    lg_arena arena; // of the session's records
} run;

// --- options --------------------------------------------------------------------------------------

static bool read_number(const char *text, uint32_t most, uint32_t *ret)
{
    char *end;
    if (!text) {
        return true;
    }
    unsigned long value = lg_is_digit(*text) ? strtoul(text, &end, 10) : most + 1ul;
    if (value > most || !lg_is_digit(*text) || *end) {
        return false;
    }
    *ret = (uint32_t)value;
    return true;
}

static int read_without(run *r, lg_str list)
{
    while (list.len) {
        size_t comma = lg_str_find(list, LG_STR(","));
        lg_str word = lg_str_slice(list, 0, comma);
        if (lg_str_eq(word, LG_STR("validator"))) {
            r->without_validator = true;
        } else if (lg_str_eq(word, LG_STR("state"))) {
            r->without_state = true;
        } else if (lg_str_eq(word, LG_STR("judge"))) {
            r->options.without_judge = true;
        } else {
            return cli_usage(
                "refine", "--without is validator, state or judge, or several of them with commas");
        }
        list = comma == SIZE_MAX ? LG_STR("") : lg_str_slice(list, comma + 1, list.len);
    }
    return EXIT_FINE;
}

static int read_budget(run *r, const char *text)
{
    lg_error error;
    lg_llm_budget budget = {0};
    if (!text) {
        return EXIT_FINE;
    }
    if (lg_llm_budget_read(lg_str_c(text), &budget, &error) != LG_OK) {
        return cli_usage("refine", "--budget: %s", error.msg);
    }
    if (budget.prompt_tokens || budget.completion_tokens) {
        return cli_usage("refine", "--budget knows calls, tokens, seconds and money");
    }
    r->options.budget =
        (lg_refine_budget){budget.calls, budget.tokens, budget.seconds, budget.money};
    return EXIT_FINE;
}

static int read_rules(run *r, const char *path)
{
    lg_error error;
    if (!path) {
        return EXIT_FINE;
    }
    lg_status status = cli_values_read_text(path, &r->rules, &error);
    if (status != LG_OK) {
        error.file = path;
        cli_say_error(&error, LG_STR(""));
        return cli_exit_code(status);
    }
    r->options.rules = r->rules.file.text;
    return EXIT_FINE;
}

static int64_t now_ns(void *data)
{
    (void)data;
    return (int64_t)lg_monotonic_ns();
}

static int read_options(run *r)
{
    const given *g = r->given;
    r->options.retries = LG_REFINE_RETRIES;
    if (!read_number(g->retries, 100, &r->options.retries)) {
        return cli_usage("refine", "--retries is a number from 0 to 100");
    }
    if (!read_number(g->calls, 10000, &r->options.calls_per_attempt) ||
        (g->calls && r->options.calls_per_attempt == 0)) {
        return cli_usage("refine", "--calls is a number from 1 to 10000");
    }
    uint32_t rehearsals = 0;
    if (!read_number(g->rehearse, 100, &rehearsals) || (g->rehearse && rehearsals == 0)) {
        return cli_usage("refine", "--rehearse is a number from 1 to 100");
    }
    if (g->rehearse && (!g->real || g->retries)) {
        return cli_usage("refine", "--rehearse goes with --real, and without --retries");
    }
    r->acts = g->rehearse != NULL;
    r->options.retries = r->acts ? rehearsals - 1 : r->options.retries;
    r->options.with_user_tools = g->user_tools;
    r->options.limits = cli_limits();
    // What is replayed takes no time: the same recording, the same bytes.
    r->options.now_ns = g->models.shared.replay ? NULL : now_ns;
    int code = read_without(r, lg_str_c(g->without));
    code = code == EXIT_FINE ? read_budget(r, g->budget) : code;
    return code == EXIT_FINE ? read_rules(r, g->rules) : code;
}

// --- tasks ----------------------------------------------------------------------------------------

static int say_error(lg_status status, const lg_error *error)
{
    if (error->file) {
        cli_say_error(error, LG_STR(""));
    } else {
        cli_say("ledgergate refine: %s", error->msg);
    }
    return cli_exit_code(status);
}

static void end_session(run *r)
{
    lg_sim_session_free(r->session);
    r->session = NULL;
    r->history = (lg_refine_history){0};
    r->before = NULL;
    r->before_count = r->before_capacity = 0;
    lg_arena_reset(&r->arena);
}

static int begin_session(run *r, const refine_task *task)
{
    lg_error error = {0};
    lg_sim_begin begin = {.task = task->id,
                          .seed = task->seed,
                          .read_real = r->real ? lg_executor_read_real : NULL,
                          .real_data = r->real};
    end_session(r);
    lg_status status = lg_sim_session_new(r->tried.sim, &begin, &r->session, &error);
    return status == LG_OK ? EXIT_FINE : say_error(status, &error);
}

// What the next turn of the session knows of this one. False when out of memory.
static bool remember(run *r, const refine_task *task, const lg_refined *record)
{
    lg_error error;
    lg_str *before =
        lg_arena_grow(&r->arena, r->before, r->before_count, &r->before_capacity, sizeof(*before));
    if (!before) {
        return false;
    }
    r->before = before;
    before[r->before_count++] = task->text;
    return lg_refine_remember(&r->history, &r->arena, task->text, record, &error) == LG_OK;
}

static int say_record(run *r, size_t index, const lg_refined *record)
{
    const refine_task *task = &r->tasks.items[index];
    int code = EXIT_FINE;
    if (r->given->json) {
        refine_write(&r->out, task, record);
    } else {
        refine_show(&r->out, index + 1, task->text, record);
    }
    cli_out_flush_some(&r->out);
    if (!r->acts && !remember(r, task, record)) {
        (void)cli_out_of_memory(&code);
    }
    return code;
}

// What the real tools have done is what the next turn begins with, and knows of.
static int act(run *r, const lg_refine_options *options, size_t index, lg_refined *record)
{
    lg_buf text;
    lg_error error = {0};
    int code = EXIT_FINE;
    lg_str why = LG_STR("");
    const refine_task *task = &r->tasks.items[index];
    lg_refine_attempt *acted = LG_NEW(&r->arena, lg_refine_attempt);
    lg_buf_init(&text, 0);
    lg_refine_render(&text, record, 1, 0);
    lg_status status = acted ? lg_buf_status(&text) : lg_fail_oom(&error);
    if (status == LG_OK) {
        lg_refine_options in_earnest = *options;
        in_earnest.checklist = record->checklist;
        status = lg_refine_act(r->session, r->real, &in_earnest, lg_buf_str(&text), &r->arena,
                               acted, &why, &error);
    }
    lg_buf_done(&text);
    if (status != LG_OK) {
        return say_error(status, &error);
    }
    bool success = acted->is_judged && acted->judgement.status == LG_CHECK_SUCCESS;
    r->sums.acted++;
    r->sums.acted_success += success;
    if (r->given->json) {
        refine_write_acted(&r->out, task, acted, why);
    } else {
        refine_show_acted(&r->out, acted, why);
    }
    lg_refined done = {.attempts = acted, .attempt_count = 1, .stands = 0};
    if (!remember(r, task, &done)) {
        (void)cli_out_of_memory(&code);
    }
    return code;
}

static lg_status rehearse(run *r, const lg_refine_options *options, lg_refined *record,
                          lg_error *reterr)
{
    uint64_t start = 0;
    lg_status status = r->acts ? lg_sim_snapshot(r->session, &start, reterr) : LG_OK;
    if (status == LG_OK) {
        status = lg_refine(r->session, options, &r->arena, record, reterr);
    }
    return status == LG_OK && r->acts ? lg_sim_restore(r->session, start, reterr) : status;
}

static int refine_task_at(run *r, size_t index)
{
    lg_error error = {0};
    lg_refined record;
    const refine_task *task = &r->tasks.items[index];
    bool goes_on = index && lg_str_eq(task->id, r->tasks.items[index - 1].id);
    int code = goes_on ? EXIT_FINE : begin_session(r, task);
    if (code != EXIT_FINE) {
        return code;
    }
    lg_refine_options options = r->options;
    options.task = task->text;
    options.tasks_before = r->before;
    options.before_count = r->before_count;
    options.history = r->history.items;
    options.history_count = r->history.count;
    options.checklist = task->has_checklist ? &task->checklist : NULL;
    lg_status status = rehearse(r, &options, &record, &error);
    if (status != LG_OK) {
        return say_error(status, &error);
    }
    refine_sum(&r->sums, &record);
    const lg_refine_cost *asked = &record.costs.planner;
    r->is_unreachable =
        r->is_unreachable || (record.why == LG_REFINE_PLANNER_FAILED && asked->questions <= 1 &&
                              asked->completion_tokens == 0 && !record.costs.calls);
    code = say_record(r, index, &record);
    return code == EXIT_FINE && r->acts ? act(r, &options, index, &record) : code;
}

static int refine_all(run *r)
{
    int code = EXIT_FINE;
    for (size_t i = 0; i < r->tasks.count && code == EXIT_FINE; i++) {
        cli_progress("refining", i, r->tasks.count);
        code = refine_task_at(r, i);
    }
    cli_progress("refining", 0, 0);
    if (code != EXIT_FINE) {
        return code;
    }
    if (r->given->json) {
        refine_write_sums(&r->out, &r->sums);
    } else {
        refine_show_sums(&r->out, &r->sums);
    }
    size_t success = r->acts ? r->sums.acted_success : r->sums.success;
    return success == r->sums.tasks ? EXIT_FINE
           : r->is_unreachable      ? EXIT_INTERNAL // the planner never said a word
                                    : EXIT_FINDINGS;
}

static int open_real(run *r)
{
    lg_error error = {0};
    lg_executor_options options = {.limits = cli_limits(), .catalogue = r->tried.catalogue};
    if (!r->given->real) {
        return EXIT_FINE;
    }
    lg_status status = lg_executor_open(lg_str_c(r->given->real), &options, &r->real, &error);
    return status == LG_OK ? EXIT_FINE : say_error(status, &error);
}

// Without one no attempt could ever succeed, and all of them would be paid for.
static int check_judge(const run *r)
{
    bool needs = false;
    for (size_t i = 0; i < r->tasks.count && !needs; i++) {
        needs = !r->tasks.items[i].has_checklist;
    }
    return needs && !r->options.without_judge && !r->given->models.llms[PART_JUDGE]
               ? cli_usage("refine", "nothing can judge: give --checklist, --judge-model (or "
                                     "--model), or --without judge")
               : EXIT_FINE;
}

static int open_tools(run *r, const char *document)
{
    const given *g = r->given;
    const cli_tried_options options = {
        .pack = g->pack,
        .document = document,
        .states = &g->states,
        .recorded = g->recorded,
        .sim = {.without_validator = r->without_validator, .without_state = r->without_state},
    };
    if (!g->pack && !document && !g->recorded) {
        return cli_usage("refine", "give --pack PACK, one DOCUMENT of tools, or --recorded FILE");
    }
    int code = cli_tried_read("refine", &options, &r->tried);
    return code == EXIT_FINE ? cli_tried_make(&options, &r->tried) : code;
}

static int run_all(run *r, const char *document)
{
    given *g = r->given;
    int code = read_options(r);
    if (code == EXIT_FINE) {
        code = refine_tasks_open(&r->tasks, g->task, g->tasks, g->checklist);
    }
    if (code == EXIT_FINE) {
        code = refine_models_open(&g->models);
    }
    code = code == EXIT_FINE ? check_judge(r) : code;
    if (code == EXIT_FINE) {
        code = open_tools(r, document);
    }
    if (code == EXIT_FINE) {
        code = open_real(r);
    }
    if (code == EXIT_FINE) {
        r->planner = lg_refine_planner_of(g->models.llms[PART_PLANNER]);
        r->options.planner = &r->planner;
        r->options.models = &g->models.models;
        code = refine_all(r);
        refine_models_say(&g->models);
    }
    return code;
}

#define OWN_MODEL(part, word)                                                                      \
    {"--" word "-model", &g.models.own[part].name, NULL},                                          \
        {"--" word "-model-url", &g.models.own[part].url, NULL},                                   \
    {                                                                                              \
        "--" word "-model-key-env", &g.models.own[part].key_env, NULL                              \
    }

int cli_refine(int argc, char **argv)
{
    given g = {.states = {.name = "--state"}};
    size_t operands;
    const cli_option options[] = {{"--pack", &g.pack, NULL},
                                  {"--recorded", &g.recorded, NULL},
                                  {"--task", &g.task, NULL},
                                  {"--tasks", &g.tasks, NULL},
                                  {"--checklist", &g.checklist, NULL},
                                  {"--rules", &g.rules, NULL},
                                  {"--retries", &g.retries, NULL},
                                  {"--calls", &g.calls, NULL},
                                  {"--budget", &g.budget, NULL},
                                  {"--without", &g.without, NULL},
                                  {"--real", &g.real, NULL},
                                  {"--rehearse", &g.rehearse, NULL},
                                  {"--user-tools", NULL, &g.user_tools},
                                  {"--json", NULL, &g.json},
                                  CLI_MODEL_OPTIONS(g.models.shared),
                                  OWN_MODEL(PART_PLANNER, "planner"),
                                  OWN_MODEL(PART_VALIDATOR, "validator"),
                                  OWN_MODEL(PART_RESPONDER, "responder"),
                                  OWN_MODEL(PART_ESTIMATOR, "estimator"),
                                  OWN_MODEL(PART_JUDGE, "judge")};
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    int code =
        cli_parse_list("refine", argc, argv, options, LG_COUNT(options), &g.states, &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    if (operands > 1) {
        return cli_usage("refine", "give one DOCUMENT, not %zu", operands);
    }
    run r = {.given = &g};
    lg_arena_init(&r.arena, 0);
    cli_out_init(&r.out, g.json);
    code = run_all(&r, operands ? argv[0] : NULL);
    end_session(&r);
    lg_executor_free(r.real);
    lg_arena_done(&r.arena);
    cli_tried_close(&r.tried);
    refine_models_close(&g.models);
    refine_tasks_close(&r.tasks);
    cli_values_close(&r.rules);
    return cli_out_done(&r.out, code);
}
