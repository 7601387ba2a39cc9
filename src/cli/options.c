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

// The options of a verb: its own, `--max-bytes` of all verbs, and one that may be repeated, or NULL.
typedef struct option_set {
    const char *verb;
    const cli_option *options;
    size_t count;
    cli_option common;
    cli_list *list;
} option_set;

static const cli_option *find_option(const option_set *set, lg_str name)
{
    if (lg_str_eq(lg_str_c(set->common.name), name)) {
        return &set->common;
    }
    for (size_t i = 0; i < set->count; i++) {
        if (lg_str_eq(lg_str_c(set->options[i].name), name)) {
            return &set->options[i];
        }
    }
    return NULL;
}

static int unknown_option(const option_set *set, lg_str name)
{
    const char *best = NULL;
    uint32_t best_distance = 4;
    for (size_t i = 0; i < set->count + (set->list != NULL); i++) {
        const char *known = i < set->count ? set->options[i].name : set->list->name;
        uint32_t distance = lg_str_distance(name, lg_str_c(known));
        if (distance < best_distance) {
            best_distance = distance;
            best = known;
        }
    }
    return cli_usage(set->verb, "unknown option %.*s%s%s%s", LG_FMT(name),
                     best ? "; did you mean " : "", best ? best : "", best ? "?" : "");
}

// What stands behind `=`, or is the next word.
static const char *value_of(int argc, char **argv, int *i, size_t equals)
{
    return equals != SIZE_MAX ? argv[*i] + equals + 1 : *i + 1 < argc ? argv[++*i] : NULL;
}

static int needs_value(const option_set *set, const char *name)
{
    return cli_usage(set->verb, "%s needs a value", name);
}

static int add_to_list(const option_set *set, const char *value)
{
    cli_list *list = set->list;
    if (!value) {
        return needs_value(set, list->name);
    }
    if (list->count == CLI_LIST_MAX) {
        return cli_usage(set->verb, "%s can be given %u times at most", list->name, CLI_LIST_MAX);
    }
    list->items[list->count++] = value;
    return EXIT_FINE;
}

// The option at `*i`, which is left at its last word.
static int read_option(const option_set *set, int argc, char **argv, int *i)
{
    lg_str word = lg_str_c(argv[*i]);
    size_t equals = lg_str_find(word, LG_STR("="));
    lg_str name = lg_str_slice(word, 0, equals);
    if (set->list && lg_str_eq(lg_str_c(set->list->name), name)) {
        return add_to_list(set, value_of(argc, argv, i, equals));
    }
    const cli_option *option = find_option(set, name);
    if (!option) {
        return unknown_option(set, name);
    }
    if (option->value) {
        const char *value = value_of(argc, argv, i, equals);
        if (!value) {
            return needs_value(set, option->name);
        }
        *option->value = value;
        return EXIT_FINE;
    }
    if (equals != SIZE_MAX) {
        return cli_usage(set->verb, "%s takes no value", option->name);
    }
    *option->flag = true;
    return EXIT_FINE;
}

int cli_parse_list(const char *verb, int argc, char **argv, const cli_option *options, size_t count,
                   cli_list *list, size_t *ret_operands)
{
    const char *max_bytes = NULL;
    const option_set set = {verb, options, count, {"--max-bytes", &max_bytes, NULL}, list};
    size_t operands = 0;
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        lg_str word = lg_str_c(argv[i]);
        bool dashed = word.len > 1 && word.ptr[0] == '-'; // `-` alone is standard input
        if (only_operands || !dashed) {
            argv[operands++] = argv[i];
        } else if (lg_str_eq(word, LG_STR("--"))) {
            only_operands = true;
        } else {
            int code = read_option(&set, argc, argv, &i);
            if (code != EXIT_FINE) {
                return code;
            }
        }
    }
    *ret_operands = operands;
    return max_bytes ? set_max_bytes(verb, max_bytes) : EXIT_FINE;
}

int cli_parse(const char *verb, int argc, char **argv, const cli_option *options, size_t count,
              size_t *ret_operands)
{
    return cli_parse_list(verb, argc, argv, options, count, NULL, ret_operands);
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
