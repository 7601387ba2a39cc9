// main.c: from a verb's name to its function.
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>

typedef struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} verb;

static const verb verbs[] = {
    {"check", cli_check, "check a pack: types, tools, paths, rules"},
    {"show", cli_show, "show what a pack says or what a recorded conversation holds"},
    {"replay", cli_replay, "judge every call of recorded conversations"},
    {"audit", cli_audit, "say what agents really did: findings, scores, causes of failure"},
    {"extract", cli_extract, "read the rules that prompts state, and draft them for a pack"},
    {"convert", cli_convert, "write recordings in other formats, or tools as one OpenAPI"},
    {"apply", cli_apply, "carry out calls on a state, as a pack says what its tools do"},
    {"prove", cli_prove, "prove what a pack promises, or how two packs differ"},
    {"refine", cli_refine, "rehearse plans on simulated tools until they succeed"},
    {"tools", cli_tools, "list the tools of a catalogue and what is wrong with them"},
    {"validate", cli_validate, "validate JSON files against a schema"},
    {"cel", cli_cel, "evaluate an expression"},
    {"log", cli_log, "show, verify and redact the log of decisions"},
    {"stats", cli_stats, "what many audits say together: pass^k, ROC, failures, violations"},
    {"serve", cli_serve, "guard a model's API: judge every call before an agent gets it"},
    {"simulate", cli_simulate, "serve tools that can be tried without touching the real world"},
    {"doctor", cli_doctor, "is all there that serving needs, and is the gate in the path?"},
};

static void write_help(lg_buf *out)
{
    lg_buf_add_c(out, "ledgergate: a gate between a language-model agent and its tools\n\n"
                      "usage: ledgergate VERB [OPTIONS] ...\n\n");
    for (size_t i = 0; i < LG_COUNT(verbs); i++) {
        lg_buf_addf(out, "  %-9s %s\n", verbs[i].name, verbs[i].summary);
    }
    lg_buf_add_c(
        out,
        "\n`ledgergate VERB --help` tells more. Every verb takes --json, and --max-bytes N for\n"
        "what a file, or standard input, may have (1G, 64M).\n"
        "Exit codes: 0 fine, 1 findings, 2 usage or bad input, 3 internal or "
        "environment.\n");
}

// To standard output where it was asked for, to standard error where it follows a mistake.
static int help(bool asked)
{
    cli_out out;
    cli_out_init(&out, false);
    write_help(&out.buf);
    if (asked) {
        return cli_out_done(&out, EXIT_FINE);
    }
    fprintf(stderr, "%.*s", LG_FMT(lg_buf_str(&out.buf)));
    lg_buf_done(&out.buf);
    return EXIT_USAGE;
}

static int unknown_verb(lg_str name)
{
    const char *best = NULL;
    uint32_t best_distance = 3;
    for (size_t i = 0; i < LG_COUNT(verbs); i++) {
        uint32_t distance = lg_str_distance(name, lg_str_c(verbs[i].name));
        if (distance < best_distance) {
            best_distance = distance;
            best = verbs[i].name;
        }
    }
    cli_say("ledgergate: no verb is called `%.*s`%s%s%s", LG_FMT(name),
            best ? "; did you mean `" : "", best ? best : "", best ? "`?" : "");
    cli_say("%s", "");
    return help(false);
}

int main(int argc, char **argv)
{
    (void)signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk
    if (argc < 2) {
        return help(false);
    }
    lg_str name = lg_str_c(argv[1]);
    if (lg_str_eq(name, LG_STR("--version"))) {
        cli_out out;
        cli_out_init(&out, false);
        lg_buf_addf(&out.buf, "ledgergate %s\n", lg_version());
        return cli_out_done(&out, EXIT_FINE);
    }
    if (lg_str_eq(name, LG_STR("--help")) || lg_str_eq(name, LG_STR("-h")) ||
        lg_str_eq(name, LG_STR("help"))) {
        return help(true);
    }
    for (size_t i = 0; i < LG_COUNT(verbs); i++) {
        if (lg_str_eq(name, lg_str_c(verbs[i].name))) {
            return verbs[i].run(argc - 2, argv + 2);
        }
    }
    return unknown_verb(name);
}
