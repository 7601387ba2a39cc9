// main.c: `ledgergate extract`: which rules do the prompts state?
#include "cli/extract/extract.h"
#include "cli/extract/offer.h"

#include "base/write_file.h"
#include "cli/model.h"

static const char help[] =
    "usage: ledgergate extract --model NAME [OPTIONS] RECORDING...\n"
    "       ledgergate extract --model NAME [OPTIONS] --prompt FILE [--tools FILE]\n"
    "\n"
    "Has a model read the rules that prompts state: what is said (output), in which order things\n"
    "are done (transition), which call may not follow which (forbidden_edge); each with the words\n"
    "that state it. A rule whose words are not in the prompt or in the tools is left out. Of\n"
    "recordings each prompt is read once.\n"
    "\n"
    "  --prompt FILE   a prompt that stands in a file, in place of recordings\n"
    "  --tools FILE    its tools, an array as a recording has it\n"
    "  --out FILE      write the rules as JSON, for `ledgergate audit --rules FILE`\n"
    "  --plan          predict plan and final state of each conversation, too; with\n"
    "                  --pack also carry the plan out, as the pack says what tools do\n"
    "  --pack PACK     draft what can be said as a rule of this pack: type-checked, proved to "
    "refuse\n"
    "                  something that the pack does not, tried on recordings, and then offered\n"
    "  --draft FILE    write the changes of the pack there, for `patch -p1`; else they are "
    "printed\n"
    "  --try FILES     recordings that drafts are tried on; may be given several times\n"
    "  --all           offer what refuses calls of conversations with reward 1, too\n"
    "  --format NAME   refuse recordings of any other format\n"
    "  --json          one JSON object a line: a prompt, a plan; then a summary (docs/audit.md)\n"
    "\n" CLI_MODEL_HELP "\n"
    "What it took is said on standard error.\n"
    "Exit codes: 0 fine, 1 something could not be had from the model, 2 usage or bad input,\n"
    "3 internal or environment.\n";

typedef struct extract_options {
    const char *prompt, *tools, *out, *format;
    bool plan, json;
    cli_model model;
    offer_options offer;
} extract_options;

typedef struct extract_run {
    const extract_options *options;
    cli_traces traces;
    bool has_traces;
    cli_values prompt, tools;
    bool has_prompt, has_tools;
    extract_sources sources;
    lg_llm *llm;
    lg_judge *judge;
    cli_out out;
    size_t unplanned; // conversations
    offer offer;
    bool has_offer;
} extract_run;

static int check_usage(const extract_options *o, size_t files)
{
    if (!o->model.name || o->model.none) {
        return cli_usage("extract", "rules are read by a model: give --model, and --model-url or "
                                    "--model-replay");
    }
    if ((files > 0) == (o->prompt != NULL)) {
        return cli_usage("extract", "give recordings, or --prompt FILE, and not both");
    }
    if (o->tools && !o->prompt) {
        return cli_usage("extract", "--tools are those of --prompt; recordings have their own");
    }
    if (o->plan && o->prompt) {
        return cli_usage("extract", "--plan is of conversations: give recordings");
    }
    if (!o->offer.pack && (o->offer.patch || o->offer.tries.count || o->offer.all)) {
        return cli_usage("extract", "--draft, --try and --all are about drafts for a pack: give "
                                    "--pack");
    }
    return EXIT_FINE;
}

// --- Reading --------------------------------------------------------------------------------------------

static int read_prompt(extract_run *run)
{
    const extract_options *o = run->options;
    lg_error why = {0};
    int code = EXIT_FINE;
    run->has_prompt = true;
    lg_status status = cli_values_read_text(o->prompt, &run->prompt, &why);
    if (status != LG_OK) {
        why.file = o->prompt;
        cli_say_error(&why, LG_STR(""));
        return cli_exit_code(status);
    }
    run->has_tools = o->tools != NULL;
    if (o->tools && !cli_values_open_one(o->tools, &run->tools, &code)) {
        return code;
    }
    if (lg_str_trim(run->prompt.file.text).len == 0) {
        return cli_usage("extract", "%s: there is no prompt in it", o->prompt);
    }
    const lg_json *tools = o->tools ? run->tools.items[0] : NULL;
    if (!extract_from_text(&run->sources, o->prompt, run->prompt.file.text, tools)) {
        (void)cli_out_of_memory(&code);
    }
    return code;
}

static int read_recordings(extract_run *run, char **paths, size_t count)
{
    int code = cli_open_traces(paths, count, run->options->format, &run->traces);
    run->has_traces = code == EXIT_FINE;
    if (code == EXIT_FINE && !extract_from_traces(&run->sources, &run->traces)) {
        (void)cli_out_of_memory(&code);
    }
    if (code == EXIT_FINE && run->sources.count == 0 && run->traces.traces > 0) {
        cli_say("ledgergate extract: the recordings hold no prompt; give it with --prompt FILE");
        code = EXIT_USAGE;
    }
    return code;
}

// --- Asking and printing ----------------------------------------------------------------------------------

static int write_rules_file(extract_run *run)
{
    lg_prompt_rules all;
    lg_error why;
    int code = EXIT_FINE;
    lg_buf text;
    if (!extract_merge(&run->sources, &all)) {
        (void)cli_out_of_memory(&code);
        return code;
    }
    lg_buf_init(&text, 0);
    lg_json_writer w = {.out = &text};
    lg_prompt_rules_write(&w, &all);
    lg_buf_add_c(&text, "\n");
    lg_status status = lg_buf_status(&text) == LG_OK
                           ? lg_write_file(run->options->out, lg_buf_str(&text), &why)
                           : lg_fail_oom(&why);
    lg_buf_done(&text);
    if (status != LG_OK) {
        cli_say("ledgergate extract: %s: %s", run->options->out, why.msg);
    }
    return status == LG_OK ? EXIT_FINE : cli_exit_code(status);
}

static int plan_one(extract_run *run, const lg_trace_set *set, const lg_trace *trace)
{
    extract_planned planned = {.set = set, .trace = trace};
    const lg_pack *pack = run->has_offer ? run->offer.pack : NULL;
    lg_error why;
    lg_arena arena;
    int code = EXIT_FINE;
    lg_status status = lg_judge_plan(run->judge, trace, &planned.plan, &planned.why, &why);
    if (status != LG_OK) {
        cli_say("ledgergate extract: %s", why.msg);
        return cli_exit_code(status);
    }
    run->unplanned += planned.why.len > 0;
    lg_arena_init(&arena, 0);
    if (!extract_compute(pack, trace, planned.plan, &arena, &planned.computed)) {
        (void)cli_out_of_memory(&code);
    } else {
        (run->options->json ? extract_write_plan : extract_show_plan)(&planned, &run->out);
    }
    lg_arena_done(&arena);
    return code;
}

static int plan_all(extract_run *run)
{
    int code = EXIT_FINE;
    size_t done = 0;
    for (size_t i = 0; i < run->traces.count && code == EXIT_FINE; i++) {
        const lg_trace_set *set = run->traces.sets[i];
        for (size_t j = 0; j < set->count && code == EXIT_FINE; j++) {
            cli_progress("planning conversation", ++done, run->traces.traces);
            code = plan_one(run, set, &set->traces[j]);
        }
    }
    cli_progress("", 0, 0);
    return code;
}

static void write_summary(extract_run *run)
{
    const extract_sources *s = &run->sources;
    size_t rules = 0, unquoted = 0, repeated = 0;
    for (size_t i = 0; i < s->count; i++) {
        rules += s->items[i].rules->count;
        unquoted += s->items[i].rules->unquoted;
        repeated += s->items[i].rules->repeated;
    }
    lg_json_writer w = {.out = &run->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "summary");
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "prompts", s->count);
    lg_jw_member_uint(&w, "conversations_without_prompt", s->without);
    lg_jw_member_uint(&w, "rules", rules);
    lg_jw_member_uint(&w, "unquoted", unquoted);
    lg_jw_member_uint(&w, "repeated", repeated);
    lg_jw_member_uint(&w, "prompts_in_part", extract_failures(s));
    lg_jw_member_uint(&w, "unplanned", run->unplanned);
    if (run->has_offer) {
        lg_jw_key(&w, "drafts");
        draft_write_counts(&run->offer.drafts, &w);
    }
    lg_jw_key(&w, "model");
    cli_model_write(run->options->model.name, run->llm, &w);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&run->out.buf, "\n");
}

static int ask_all(extract_run *run)
{
    const extract_options *o = run->options;
    int code = extract_read_rules(&run->sources, run->judge);
    if (code != EXIT_FINE) {
        return code;
    }
    (o->json ? extract_write_rules : extract_show_rules)(&run->sources, &run->out);
    code = o->out ? write_rules_file(run) : EXIT_FINE;
    code = code == EXIT_FINE && o->plan ? plan_all(run) : code;
    if (code == EXIT_FINE && run->has_offer) {
        code = offer_make(&run->offer, &run->sources, run->llm, &run->out);
    }
    if (run->sources.without) {
        cli_say("ledgergate extract: %zu conversation%s without a recorded prompt",
                run->sources.without, lg_plural(run->sources.without));
    }
    if (o->json && code == EXIT_FINE) {
        write_summary(run);
    }
    size_t missing = extract_failures(&run->sources) + run->unplanned;
    missing += run->has_offer ? offer_failures(&run->offer) : 0;
    return code == EXIT_FINE && missing > 0 ? EXIT_FINDINGS : code;
}

static int open_judge(extract_run *run)
{
    lg_error why;
    int code = cli_model_open("extract", &run->options->model, &run->llm);
    if (code == EXIT_FINE) {
        lg_judge_options judging = {.llm = run->llm};
        if (lg_judge_new(&judging, &run->judge, &why) != LG_OK) {
            (void)cli_out_of_memory(&code);
        }
    }
    return code;
}

static void close_all(extract_run *run)
{
    if (run->has_offer) {
        offer_close(&run->offer);
    }
    lg_judge_free(run->judge);
    lg_llm_free(run->llm);
    extract_sources_done(&run->sources);
    if (run->has_prompt) {
        cli_values_close(&run->prompt);
    }
    if (run->has_tools) {
        cli_values_close(&run->tools);
    }
    if (run->has_traces) {
        cli_close_traces(&run->traces);
    }
}

static int run_all(extract_run *run, char **paths, size_t files)
{
    extract_sources_init(&run->sources);
    cli_out_init(&run->out, run->options->json);
    int code = EXIT_FINE;
    run->has_offer = run->options->offer.pack != NULL;
    if (run->has_offer) {
        code = offer_open(&run->offer, &run->options->offer);
    }
    if (code != EXIT_FINE) {
        close_all(run);
        return cli_out_done(&run->out, code);
    }
    code = run->options->prompt ? read_prompt(run) : read_recordings(run, paths, files);
    if (code == EXIT_FINE && run->sources.count > 0) {
        code = open_judge(run);
        code = code == EXIT_FINE ? ask_all(run) : code;
    }
    if (run->llm) {
        cli_model_say("extract", &run->options->model, run->llm);
    }
    if (run->has_traces) {
        code = cli_traces_code(&run->traces, code);
    }
    close_all(run);
    return cli_out_done(&run->out, code);
}

int cli_extract(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    extract_options given = {.offer.tries.name = "--try"};
    const cli_option options[] = {
        {"--prompt", &given.prompt, NULL},   {"--tools", &given.tools, NULL},
        {"--out", &given.out, NULL},         {"--format", &given.format, NULL},
        {"--plan", NULL, &given.plan},       {"--json", NULL, &given.json},
        {"--pack", &given.offer.pack, NULL}, {"--draft", &given.offer.patch, NULL},
        {"--all", NULL, &given.offer.all},   CLI_MODEL_OPTIONS(given.model)};
    size_t files;
    int code = cli_parse_list("extract", argc, argv, options, LG_COUNT(options), &given.offer.tries,
                              &files);
    given.offer.json = given.json;
    code = code == EXIT_FINE ? check_usage(&given, files) : code;
    if (code != EXIT_FINE) {
        return code;
    }
    extract_run run = {.options = &given};
    return run_all(&run, argv, files);
}
