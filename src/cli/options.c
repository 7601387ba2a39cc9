// options.c: long options, in any order with operands.
#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

// --- --max-bytes --------------------------------------------------------------------------------

// Of this process; set once, by cli_parse().
static lg_limits limits;

const lg_limits *cli_limits(void)
{
    return &limits;
}

// A number of bytes, with K, M or G behind it for 1,024, and so on. False if it is none.
static bool read_bytes(const char *text, size_t *ret)
{
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    unsigned shift = unit ? 10u * (unsigned)(unit - units + 1) : 0;
    if (*text < '0' || *text > '9' || errno || end[unit ? 1 : 0] || value == 0 ||
        value > (SIZE_MAX / 4) >> shift) {
        return false;
    }
    *ret = (size_t)value << shift;
    return true;
}

static int set_max_bytes(const char *verb, const char *text)
{
    size_t most;
    if (!read_bytes(text, &most)) {
        return cli_usage(verb, "--max-bytes is a number of bytes, for example 500000 or 512M");
    }
    limits.json_bytes = most;
    limits.stream_bytes = most;
    return EXIT_FINE;
}

// --- Options ------------------------------------------------------------------------------------

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

// Of this verb, or of all.
static const cli_option *find_option(const cli_option *options, size_t count, lg_str name,
                                     const cli_option *common)
{
    if (lg_str_eq(lg_str_c(common->name), name)) {
        return common;
    }
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
    const char *max_bytes = NULL;
    const cli_option common = {"--max-bytes", &max_bytes, NULL};
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
        const cli_option *option = find_option(options, count, name, &common);
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
    return max_bytes ? set_max_bytes(verb, max_bytes) : EXIT_FINE;
}

lg_time cli_now(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (lg_time){now.tv_sec, (uint32_t)now.tv_nsec};
}

const char *cli_environment(const char *name)
{
    return getenv(name);
}
