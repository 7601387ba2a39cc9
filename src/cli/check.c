// check.c: `ledgergate check`: is this pack sound?
#include "cli/cli.h"

#include <stdio.h>

static const char help[] =
    "usage: ledgergate check PACK [--json]\n"
    "\n"
    "Loads a pack and says everything that is wrong with it: unknown keys and names, expressions\n"
    "that are ill-typed, schemas that cannot be honoured, stores that do not fit the ledger. Also\n"
    "names what it does not cover: writes that no rule judges, reads that store nothing.\n"
    "\n"
    "Exit codes: 0 sound, 2 errors or bad input, 3 internal or environment.\n";

typedef struct coverage {
    size_t kinds[3];
    size_t writes_without_rules;
    size_t reads_without_stores;
    size_t expressions;
} coverage;

static coverage measure(const lg_pack *pack)
{
    coverage c = {0};
    for (size_t i = 0; i < pack->tool_count; i++) {
        const lg_tool *tool = &pack->tools[i];
        c.kinds[tool->kind]++;
        c.writes_without_rules += tool->kind == LG_TOOL_WRITE && tool->rule_count == 0;
        c.reads_without_stores += tool->kind == LG_TOOL_READ && tool->store_count == 0;
        c.expressions += tool->store_count;
    }
    for (size_t i = 0; i < pack->rule_count; i++) {
        const lg_rule *rule = &pack->rules[i];
        c.expressions += rule->let_count + 1 + (rule->when != NULL);
    }
    return c;
}

static bool is_uncovered(const lg_tool *tool)
{
    return (tool->kind == LG_TOOL_WRITE && tool->rule_count == 0) ||
           (tool->kind == LG_TOOL_READ && tool->store_count == 0);
}

static void write_json(cli_out *out, const lg_pack *pack, const coverage *c)
{
    lg_json_writer w = {.out = &out->buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "pack");
    lg_jw_str(&w, pack->name);
    lg_jw_key(&w, "version");
    lg_jw_str(&w, pack->version);
    lg_jw_key(&w, "hash");
    lg_jw_c(&w, pack->hash);
    lg_jw_key(&w, "errors");
    lg_jw_uint(&w, 0);
    lg_jw_key(&w, "tools");
    lg_jw_uint(&w, pack->tool_count);
    lg_jw_key(&w, "reads");
    lg_jw_uint(&w, c->kinds[LG_TOOL_READ]);
    lg_jw_key(&w, "writes");
    lg_jw_uint(&w, c->kinds[LG_TOOL_WRITE]);
    lg_jw_key(&w, "rules");
    lg_jw_uint(&w, pack->rule_count);
    lg_jw_key(&w, "ledger_paths");
    lg_jw_uint(&w, pack->ledger.count);
    lg_jw_key(&w, "uncovered");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < pack->tool_count; i++) {
        if (is_uncovered(&pack->tools[i])) {
            lg_jw_str(&w, pack->tools[i].name);
        }
    }
    lg_jw_end_array(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&out->buf, "\n");
}

static void list_uncovered(cli_out *out, const lg_pack *pack, lg_tool_kind kind, const char *words)
{
    bool first = true;
    for (size_t i = 0; i < pack->tool_count; i++) {
        const lg_tool *tool = &pack->tools[i];
        if (tool->kind == kind && is_uncovered(tool)) {
            lg_buf_addf(&out->buf, "%s%.*s", first ? words : ", ", LG_FMT(tool->name));
            first = false;
        }
    }
    lg_buf_add_c(&out->buf, first ? "" : "\n");
}

static void write_text(cli_out *out, const lg_pack *pack, const coverage *c)
{
    cli_colour(out, "1");
    lg_buf_addf(&out->buf, "%.*s %.*s", LG_FMT(pack->name), LG_FMT(pack->version));
    cli_colour(out, "0");
    lg_buf_addf(&out->buf, ": sound\n");
    lg_buf_addf(&out->buf, "  %zu tools: %zu reads, %zu writes, %zu neither\n", pack->tool_count,
                c->kinds[LG_TOOL_READ], c->kinds[LG_TOOL_WRITE], c->kinds[LG_TOOL_GENERIC]);
    lg_buf_addf(&out->buf, "  %zu rules, %zu ledger paths, %zu expressions\n", pack->rule_count,
                pack->ledger.count, c->expressions);
    list_uncovered(out, pack, LG_TOOL_WRITE, "  writes that no rule judges (arguments only): ");
    list_uncovered(out, pack, LG_TOOL_READ, "  reads that store nothing: ");
    lg_buf_addf(&out->buf, "  sha256 %s\n", pack->hash);
}

int cli_check(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    bool json = false;
    const cli_option options[] = {{"--json", NULL, &json}};
    size_t operands;
    int code = cli_parse("check", argc, argv, options, LG_COUNT(options), &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    if (operands != 1) {
        return cli_usage("check", "give one pack");
    }
    lg_pack *pack = json ? cli_load_pack_json(argv[0], &code) : cli_load_pack(argv[0], &code);
    if (!pack) {
        return code;
    }
    cli_out out;
    cli_out_init(&out, json);
    coverage c = measure(pack);
    if (json) {
        write_json(&out, pack, &c);
    } else {
        write_text(&out, pack, &c);
    }
    lg_pack_free(pack);
    return cli_out_done(&out, EXIT_FINE);
}
