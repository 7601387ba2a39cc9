// main.c: from a verb's name to its function.
#include "cli/cli.h"

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
};

static void print_help(FILE *to)
{
    fputs("ledgergate: a gate between a language-model agent and its tools\n\n"
          "usage: ledgergate VERB [OPTIONS] ...\n\n",
          to);
    for (size_t i = 0; i < LG_COUNT(verbs); i++) {
        fprintf(to, "  %-8s %s\n", verbs[i].name, verbs[i].summary);
    }
    fputs("\n`ledgergate VERB --help` tells more. Every verb takes --json.\n"
          "Exit codes: 0 fine, 1 findings, 2 usage or bad input, 3 internal or environment.\n",
          to);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    lg_str name = lg_str_c(argv[1]);
    if (lg_str_eq(name, LG_STR("--version"))) {
        printf("ledgergate %s\n", lg_version());
        return EXIT_FINE;
    }
    if (lg_str_eq(name, LG_STR("--help")) || lg_str_eq(name, LG_STR("-h")) ||
        lg_str_eq(name, LG_STR("help"))) {
        print_help(stdout);
        return EXIT_FINE;
    }
    for (size_t i = 0; i < LG_COUNT(verbs); i++) {
        if (lg_str_eq(name, lg_str_c(verbs[i].name))) {
            return verbs[i].run(argc - 2, argv + 2);
        }
    }
    fprintf(stderr, "ledgergate: no verb is called `%s`\n\n", argv[1]);
    print_help(stderr);
    return EXIT_USAGE;
}
