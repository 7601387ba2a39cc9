// convert.c: `ledgergate convert`: recordings in one form, whatever they came from.
#include "cli/traces.h"

#include "trace/export.h"

#include <stdio.h>

static const char help[] =
    "usage: ledgergate convert --to openai|otlp|artifact FILE... [OPTIONS]\n"
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

int cli_convert(int argc, char **argv)
{
    bool json = false;
    const char *format = NULL;
    const char *to = NULL;
    lg_export_format form;
    const cli_option options[] = {
        {"--to", &to, NULL}, {"--format", &format, NULL}, {"--json", NULL, &json}};
    size_t operands;
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    int code = cli_parse("convert", argc, argv, options, LG_COUNT(options), &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    if (!to || !lg_export_format_parse(lg_str_c(to), &form)) {
        return cli_usage("convert", "say what to write: --to openai, --to otlp or --to artifact");
    }
    if (operands == 0) {
        return cli_usage("convert", "give at least one recording");
    }
    return run(argv, operands, format, form, json);
}
