// audit.c: `ledgergate audit`: what did the agent really do?
#include "audit/audit.h"

#include "cli/traces.h"

static const char help[] =
    "usage: ledgergate audit [--pack PACK] [OPTIONS] FILE...\n"
    "\n"
    "Judges recorded conversations: what the pack's rules say, and what can be seen without one. "
    "FILE is a\n"
    "recording in any known format, a folder of them, or - for standard input.\n"
    "\n"
    "  --pack PACK     the pack to judge by: a folder with pack.yaml, or a file\n"
    "  --format NAME   refuse recordings of any other format\n"
    "  --json          one JSON object a line: a result a conversation (docs/audit.md)\n"
    "\n"
    "Exit codes: 0 nothing found, 1 findings, 2 usage or bad input, 3 internal or environment.\n";

typedef struct audit_run {
    lg_audit *audit;
    cli_out out;
    bool json;
    size_t conversations, findings, lost;
} audit_run;

static void tell(audit_run *run, const lg_audit_result *result)
{
    run->conversations++;
    for (size_t i = 0; i < result->finding_count; i++) {
        run->findings += result->findings[i].severity > LG_SEVERITY_HINT;
    }
    if (run->json) {
        lg_json_writer w = {.out = &run->out.buf};
        uint32_t line = lg_text_position(result->set->text, result->trace->offset).line;
        lg_audit_write(&w, result, result->set->path, line);
        lg_buf_add_c(&run->out.buf, "\n");
        cli_out_flush_some(&run->out);
    }
}

static bool audit_set(audit_run *run, const lg_trace_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const lg_audit_result *result;
        lg_error why = {0};
        if (lg_audit_conversation(run->audit, set, &set->traces[i], &result, &why) != LG_OK) {
            cli_say("ledgergate audit: %s: %.*s: %s", set->path.ptr, LG_FMT(set->traces[i].name),
                    why.msg);
            run->lost++;
            continue;
        }
        tell(run, result);
    }
    return true;
}

static int run_all(audit_run *run, const cli_traces *traces)
{
    cli_out_init(&run->out, run->json);
    for (size_t s = 0; s < traces->count; s++) {
        cli_progress("auditing file", s + 1, traces->count);
        audit_set(run, traces->sets[s]);
    }
    cli_progress("", 0, 0);
    if (!run->json) {
        lg_buf_addf(&run->out.buf, "%zu conversations, %zu findings\n", run->conversations,
                    run->findings);
    }
    int code = run->lost ? EXIT_INTERNAL : run->findings ? EXIT_FINDINGS : EXIT_FINE;
    return cli_out_done(&run->out, code);
}

int cli_audit(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    audit_run run = {0};
    const char *pack_path = NULL, *format = NULL;
    const cli_option options[] = {
        {"--pack", &pack_path, NULL}, {"--format", &format, NULL}, {"--json", NULL, &run.json}};
    size_t files;
    int code = cli_parse("audit", argc, argv, options, LG_COUNT(options), &files);
    if (code != EXIT_FINE) {
        return code;
    }
    lg_pack *pack = pack_path ? cli_load_pack(pack_path, &code) : NULL;
    if (pack_path && !pack) {
        return code;
    }
    const lg_pack *packs[] = {pack};
    lg_error why;
    lg_audit_options about = {.packs = packs, .pack_count = pack ? 1 : 0, .limits = cli_limits()};
    cli_traces traces;
    if (lg_audit_new(&about, &run.audit, &why) != LG_OK) {
        cli_say("ledgergate audit: %s", why.msg);
        return EXIT_INTERNAL;
    }
    code = cli_open_traces(argv, files, format, &traces);
    if (code == EXIT_FINE) {
        code = cli_traces_code(&traces, run_all(&run, &traces));
        cli_close_traces(&traces);
    }
    lg_audit_free(run.audit);
    lg_pack_free(pack);
    return code;
}
