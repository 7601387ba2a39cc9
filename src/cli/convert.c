// convert.c: `ledgergate convert`: recordings in one form, whatever they came from; and tools as an OpenAPI document.
#include "cli/model.h"
#include "cli/traces.h"
#include "cli/values.h"

#include "describe/describe.h"
#include "trace/export.h"

#include <stdio.h>

static const char help[] =
    "usage: ledgergate convert --to openai|otlp|artifact FILE... [OPTIONS]\n"
    "       ledgergate convert --to openapi FILE [OPTIONS]\n"
    "\n"
    "Writes recorded conversations as JSON Lines, one conversation a line, to standard output. "
    "FILE\n"
    "may be a folder of recordings (.json and .jsonl, hidden files left out), or - for standard\n"
    "input. What cannot be read is named, everything else is written, and the exit code is 2.\n"
    "\n"
    "  --to FORM       openai: chat messages, with the tools;\n"
    "                  otlp: an OpenTelemetry request with GenAI spans (OTLP JSON);\n"
    "                  artifact: all that is known of the conversation: prompt, tools, events,\n"
    "                  reward and its parts; `show`, `replay` and `audit` read all three\n"
    "  --format NAME   refuse recordings of any other format (`replay --help` has their names)\n"
    "  --json          tell on standard output what could not be read, one object a line\n"
    "\n"
    "    ledgergate convert --to artifact runs/ > runs.jsonl\n"
    "\n"
    "With --to openapi FILE describes tools: in words (a name, sentences, a list of parameters), "
    "as\n"
    "Python's functions with their docstrings (they are read, and never run), or as a list of "
    "MCP,\n"
    "OpenAI, Anthropic or BFCL. One OpenAPI 3.1 document is written, with POST /tools/NAME for "
    "each,\n"
    "without references. It says of each part what it came from; what rules cannot tell is asked "
    "of\n"
    "a model, if one is named. Findings are told on standard error.\n"
    "\n"
    "  --input KIND    list, python or words, where it cannot be seen from the text\n"
    "  --title TEXT    of the document\n" CLI_MODEL_HELP "\n"
    "    ledgergate convert --to openapi tools.py > openapi.json\n"
    "\n"
    "Exit codes: 0 fine, 2 usage or bad input, 3 internal or environment.\n";

static void tell_issues(cli_out *out, const lg_trace_set *set, bool json)
{
    lg_buf text;
    if (json) {
        cli_write_issues(&out->buf, set);
        return;
    }
    lg_buf_init(&text, 0);
    cli_show_issues(&text, set);
    fprintf(stderr, "%.*s", LG_FMT(lg_buf_str(&text)));
    lg_buf_done(&text);
}

static void convert_set(cli_out *out, lg_export_format form, const lg_trace_set *set, bool json)
{
    for (size_t i = 0; i < set->count; i++) {
        lg_export(&out->buf, form, set, &set->traces[i]);
        lg_buf_add_c(&out->buf, "\n");
        cli_out_flush_some(out);
    }
    tell_issues(out, set, json);
}

static int run(char **paths, size_t count, const char *format, lg_export_format form, bool json)
{
    cli_traces traces;
    cli_out out;
    int code = cli_open_traces(paths, count, format, &traces);
    if (code != EXIT_FINE) {
        return code;
    }
    cli_out_init(&out, true);
    for (size_t i = 0; i < traces.count; i++) {
        convert_set(&out, form, traces.sets[i], json);
    }
    if (json) {
        cli_files_write(&traces.files, &out);
    }
    code = cli_out_done(&out, cli_traces_code(&traces, EXIT_FINE));
    cli_close_traces(&traces);
    return code;
}

// --- Tools --------------------------------------------------------------------------------------

typedef struct tools_options {
    const char *input, *title;
    bool json;
    cli_model model;
} tools_options;

static bool read_input(const char *word, lg_describe_input *ret)
{
    *ret = LG_DESCRIBE_GUESS;
    for (lg_describe_input i = LG_DESCRIBE_LIST; word && i <= LG_DESCRIBE_WORDS; i++) {
        if (strcmp(word, lg_describe_input_name(i)) == 0) {
            *ret = i;
            return true;
        }
    }
    return !word;
}

// Reads the tools of a file; YAML, by its name, as a list of them.
static lg_status read_tools(cli_values *values, lg_describe_input input, lg_description **ret,
                            lg_error *reterr)
{
    bool yaml = cli_has_ending(values->path, ".yaml") || cli_has_ending(values->path, ".yml");
    lg_describe_options options = {.input = input, .limits = cli_limits()};
    const lg_catalogue *catalogue = NULL;
    lg_status status = yaml ? cli_values_read(values->path, values, reterr)
                            : cli_values_read_text(values->path, values, reterr);
    if (status != LG_OK || !yaml) {
        return status == LG_OK
                   ? lg_describe_read(&values->arena, values->file.text, &options, ret, reterr)
                   : status;
    }
    status = lg_catalogue_of(&values->arena, values->file.text, values->items[0], NULL, &catalogue,
                             reterr);
    return status == LG_OK ? lg_describe_catalogue(&values->arena, catalogue, ret, reterr) : status;
}

static void tell_findings(cli_values *values, const lg_description *tools)
{
    for (size_t i = 0; i < tools->finding_count; i++) {
        const lg_describe_finding *f = &tools->findings[i];
        lg_position at = cli_values_position(values, f->offset);
        cli_say("%s:%u:%u: %.*s: %.*s", values->path, at.line, at.column, LG_FMT(f->tool),
                LG_FMT(f->msg));
    }
    if (tools->findings_dropped || tools->repeated) {
        cli_say("ledgergate convert: %zu more findings; %zu tools were there already",
                tools->findings_dropped, tools->repeated);
    }
}

static int write_tools(cli_values *values, lg_description *tools, const tools_options *options)
{
    lg_llm *llm = NULL;
    lg_error error = {0};
    cli_out out;
    int code = cli_model_open("convert", &options->model, &llm);
    if (code != EXIT_FINE) {
        return code;
    }
    lg_status status = llm ? lg_describe_ask(&values->arena, tools, llm, &error) : LG_OK;
    if (status != LG_OK) {
        cli_say("ledgergate convert: %s", error.msg);
        lg_llm_free(llm);
        return cli_exit_code(status);
    }
    if (llm) {
        cli_model_say("convert", &options->model, llm);
    }
    lg_llm_free(llm);
    tell_findings(values, tools);
    cli_out_init(&out, true);
    lg_describe_print(&out.buf, tools, lg_str_c(options->title));
    lg_buf_add_c(&out.buf, "\n");
    return cli_out_done(&out, EXIT_FINE);
}

static int run_tools(const char *path, const tools_options *options)
{
    cli_values values;
    lg_describe_input input;
    lg_description *tools = NULL;
    lg_error error = {0};
    if (!read_input(options->input, &input)) {
        return cli_usage("convert", "--input is list, python or words");
    }
    values.path = path;
    lg_status status = read_tools(&values, input, &tools, &error);
    int code = cli_exit_code(status);
    if (status != LG_OK) {
        error.file = path;
        cli_say_error(&error, values.file.text);
    } else {
        code = write_tools(&values, tools, options);
    }
    cli_values_close(&values);
    return code;
}

// --- Both ---------------------------------------------------------------------------------------

int cli_convert(int argc, char **argv)
{
    tools_options tools = {0};
    const char *format = NULL;
    const char *to = NULL;
    lg_export_format form;
    const cli_option options[] = {{"--to", &to, NULL},
                                  {"--format", &format, NULL},
                                  {"--input", &tools.input, NULL},
                                  {"--title", &tools.title, NULL},
                                  {"--json", NULL, &tools.json},
                                  CLI_MODEL_OPTIONS(tools.model)};
    size_t operands;
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    int code = cli_parse("convert", argc, argv, options, LG_COUNT(options), &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    bool describes = to && strcmp(to, "openapi") == 0;
    if (!describes && (!to || !lg_export_format_parse(lg_str_c(to), &form))) {
        return cli_usage(
            "convert", "say what to write: --to openai, --to otlp, --to artifact or --to openapi");
    }
    if (!describes && (tools.input || tools.title || tools.model.name || tools.model.none)) {
        return cli_usage("convert",
                         "--input, --title and the options of a model go with --to openapi");
    }
    if (describes && (operands != 1 || format)) {
        return cli_usage("convert", "--to openapi takes one file of tools, and no --format");
    }
    if (operands == 0) {
        return cli_usage("convert", "give at least one recording");
    }
    return describes ? run_tools(argv[0], &tools) : run(argv, operands, format, form, tools.json);
}
