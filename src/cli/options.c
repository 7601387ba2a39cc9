// options.c: long options, in any order with operands.
#include "cli/cli.h"

bool cli_wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (lg_str_eq(lg_str_c(argv[i]), LG_STR("--help")) ||
            lg_str_eq(lg_str_c(argv[i]), LG_STR("-h"))) {
            return true;
        }
    }
    return false;
}

static const cli_option *find_option(const cli_option *options, size_t count, lg_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (lg_str_eq(lg_str_c(options[i].name), name)) {
            return &options[i];
        }
    }
    return NULL;
}

static int unknown_option(const char *verb, lg_str name, const cli_option *options, size_t count)
{
    const char *best = NULL;
    uint32_t best_distance = 4;
    for (size_t i = 0; i < count; i++) {
        uint32_t distance = lg_str_distance(name, lg_str_c(options[i].name));
        if (distance < best_distance) {
            best_distance = distance;
            best = options[i].name;
        }
    }
    return cli_usage(verb, "unknown option %.*s%s%s%s", LG_FMT(name), best ? "; did you mean " : "",
                     best ? best : "", best ? "?" : "");
}

int cli_parse(const char *verb, int argc, char **argv, const cli_option *options, size_t count,
              size_t *ret_operands)
{
    size_t operands = 0;
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        lg_str word = lg_str_c(argv[i]);
        bool dashed = word.len > 1 && word.ptr[0] == '-'; // `-` alone is standard input
        if (only_operands || !dashed) {
            argv[operands++] = argv[i];
            continue;
        }
        if (lg_str_eq(word, LG_STR("--"))) {
            only_operands = true;
            continue;
        }
        size_t equals = lg_str_find(word, LG_STR("="));
        lg_str name = lg_str_slice(word, 0, equals);
        const cli_option *option = find_option(options, count, name);
        if (!option) {
            return unknown_option(verb, name, options, count);
        }
        if (option->flag && equals == SIZE_MAX) {
            *option->flag = true;
        } else if (option->value && equals != SIZE_MAX) {
            *option->value = argv[i] + equals + 1;
        } else if (option->value && i + 1 < argc) {
            *option->value = argv[++i];
        } else {
            return cli_usage(verb, "%s %s", option->name,
                             option->value ? "needs a value" : "takes no value");
        }
    }
    *ret_operands = operands;
    return EXIT_FINE;
}
