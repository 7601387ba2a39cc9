// main.c: `ledgergate audit`: what did the agent really do?
#include "cli/audit/audit.h"

#include "cli/model.h"
#include "cli/packs.h"
#include "cli/traces.h"
#include "cli/values.h"

#include <stdlib.h>
#include <unistd.h>

static const char help[] =
    "usage: ledgergate audit [--pack PACK]... [OPTIONS] FILE...\n"
    "       ledgergate audit --stream [--pack PACK]... < LINES\n"
    "\n"
    "Says what agents really did in recorded conversations: calls that rules refuse, arguments "
    "that\n"
    "nobody gave, claims that results contradict, promises, loops, what was asked for and not "
    "done;\n"
    "scores of the seven evaluators of AgentPex; the class of each failure. FILE is a recording "
    "in\n"
    "any known format, a folder of them (.json and .jsonl, hidden files left out), or - for "
    "standard\n"
    "input. What cannot be read is named, everything else is audited, and the exit code is 2.\n"
    "\n"
    "  --pack PACK     a pack to judge by: a folder with pack.yaml, a file, or a folder of packs; "
    "of\n"
    "                  several, each conversation is judged by the one that its tools fit\n"
    "  --out DIR       write results.jsonl, summary.json, junit.xml, audit.sarif, index.html and "
    "an\n"
    "                  artefact a conversation into this folder\n"
    "  --compare DIR   the folder of an earlier audit: index.html and summary.json show what "
    "changed\n"
    "  --stream        read one conversation a line, write one result a line, in order\n"
    "  --format NAME   refuse recordings of any other format\n"
    "  --jobs N        threads (as many as there are processors)\n"
    "  --rules FILE    rules of the prompts, as `ledgergate extract` writes them; else a model "
    "reads\n"
    "                  them, once a prompt. Which call may not follow which needs no model\n"
    "  --json          one JSON object a line: a result a conversation, then a summary "
    "(docs/audit.md)\n"
    "\n" CLI_MODEL_HELP "\n"
    "Without a model all is decided by rules, and what only a model can judge is named as not "
    "checked.\n"
    "Exit codes: 0 nothing found, 1 findings, 2 usage or bad input, also if only a part of it "
    "could\n"
    "not be read, 3 internal or environment.\n";

static int read_jobs(const char *text, size_t *ret)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *ret = processors < 1 ? 1 : processors > AUDIT_JOBS_MAX ? AUDIT_JOBS_MAX : (size_t)processors;
    if (text) {
        char *end;
        unsigned long jobs = strtoul(text, &end, 10);
        if (text[0] < '0' || text[0] > '9' || *end || jobs < 1 || jobs > AUDIT_JOBS_MAX) {
            return cli_usage("audit", "--jobs is a number from 1 to %u", AUDIT_JOBS_MAX);
        }
        *ret = jobs;
    }
    return EXIT_FINE;
}

static int run_files(const audit_options *options, char **paths, size_t count)
{
    static const char *const endings[] = {".json", ".jsonl", NULL};
    cli_files files = {0};
    audit_sink sink;
    if (!cli_files_list(&files, paths, count, endings) || !audit_sink_init(&sink, options)) {
        cli_say("ledgergate audit: out of memory");
        cli_files_close(&files);
        return EXIT_INTERNAL;
    }
    int code = audit_run_files(options, &files, &sink);
    bool nothing = sink.sum.conversations == 0 && files.broken == 0;
    size_t left_out = sink.sum.left_out;
    code = audit_sink_done(&sink, &files, code);
    if (nothing && code != EXIT_INTERNAL) {
        cli_say("ledgergate audit: there is no conversation in %s%s; give recordings, or folders "
                "with .json or .jsonl files of them",
                paths[0], count > 1 ? " and the others" : "");
        code = EXIT_USAGE;
    }
    code = cli_files_code(&files, cli_left_out_code(left_out, code));
    cli_files_close(&files);
    return code;
}

static int check_usage(const audit_options *options, bool streams, size_t files)
{
    lg_trace_format format;
    if (streams && (files > 0 || options->out)) {
        return cli_usage("audit", "--stream reads standard input and writes standard output: it "
                                  "takes no FILE and no --out");
    }
    if (options->compare && !options->out) {
        return cli_usage("audit", "--compare goes with --out");
    }
    if (!streams && files == 0) {
        return cli_usage("audit", "give at least one recording, or --stream");
    }
    if (options->format && !lg_trace_format_parse(lg_str_c(options->format), &format)) {
        return cli_usage("audit", "no format is called `%s`; `ledgergate replay --help` lists them",
                         options->format);
    }
    return EXIT_FINE;
}

// A file of rules, and what was read from it, which lives as long.
typedef struct rules_file {
    cli_values values;
    lg_prompt_rules rules;
} rules_file;

static int read_rules(const char *path, rules_file *ret, audit_options *options)
{
    int code = EXIT_FINE;
    lg_error why;
    if (!cli_values_open_one(path, &ret->values, &code)) {
        return code;
    }
    lg_status status =
        lg_prompt_rules_read(&ret->values.arena, ret->values.items[0], &ret->rules, &why);
    if (status != LG_OK) {
        cli_say("ledgergate audit: %s: %s", path, why.msg);
        return cli_exit_code(status);
    }
    options->rules = &ret->rules;
    return EXIT_FINE;
}

int cli_audit(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    audit_options run = {0};
    const char *jobs = NULL;
    const char *rules = NULL;
    bool streams = false;
    cli_model model = {0};
    cli_list pack_paths = {.name = "--pack"};
    const cli_option options[] = {
        {"--out", &run.out, NULL},       {"--compare", &run.compare, NULL},
        {"--format", &run.format, NULL}, {"--jobs", &jobs, NULL},
        {"--stream", NULL, &streams},    {"--json", NULL, &run.json},
        {"--rules", &rules, NULL},       CLI_MODEL_OPTIONS(model)};
    size_t files;
    int code = cli_parse_list("audit", argc, argv, options, LG_COUNT(options), &pack_paths, &files);
    code = code == EXIT_FINE ? read_jobs(jobs, &run.jobs) : code;
    code = code == EXIT_FINE ? check_usage(&run, streams, files) : code;
    if (code != EXIT_FINE) {
        return code;
    }
    cli_packs packs;
    rules_file given = {0};
    code = cli_load_packs(&pack_paths, &packs);
    code = code == EXIT_FINE && rules ? read_rules(rules, &given, &run) : code;
    code = code == EXIT_FINE ? cli_model_open("audit", &model, &run.llm) : code;
    if (code == EXIT_FINE) {
        run.jobs = run.llm ? 1 : run.jobs; // it asks several questions at a time by itself
        run.packs = (const lg_pack *const *)packs.items;
        run.pack_count = packs.count;
        run.json = run.json || streams;
        run.model = model.name;
        code = streams ? audit_stream(&run) : run_files(&run, argv, files);
    }
    if (run.llm) {
        cli_model_say("audit", &model, run.llm);
    }
    lg_llm_free(run.llm);
    if (rules) {
        cli_values_close(&given.values);
    }
    cli_free_packs(&packs);
    return code;
}
