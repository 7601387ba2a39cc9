// settings.c: the words of options into numbers, faults and models.
#include "cli/simulate/simulation.h"

#include <errno.h>
#include <stdlib.h>

#define RETRIES 3u

static int bad(const char *option, const char *what)
{
    return cli_usage("simulate", "--%s is %s", option, what);
}

static bool read_number(const char *text, uint64_t most, uint64_t *ret)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *ret = value;
    return lg_is_digit(*text) && !errno && !*end && value <= most;
}

// A number with K, M or G behind it.
static bool read_size(const char *text, size_t *ret)
{
    char digits[32];
    uint64_t value;
    lg_str word = lg_str_c(text);
    lg_str units = LG_STR("KMG");
    size_t unit = word.len ? lg_str_find(units, lg_str_slice(word, word.len - 1, word.len)) : 0;
    unsigned shift = unit == SIZE_MAX ? 0 : 10 * (unsigned)(unit + 1);
    size_t len = word.len - (shift != 0);
    if (!word.len || len >= sizeof(digits)) {
        return false;
    }
    lg_copy_bytes(digits, text, len);
    digits[len] = '\0';
    if (!read_number(digits, (SIZE_MAX / 4) >> shift, &value) || value == 0) {
        return false;
    }
    *ret = (size_t)value << shift;
    return true;
}

// --- Limits -------------------------------------------------------------------------------------

typedef struct count_option {
    const char *name, *text;
    uint64_t most;
    uint64_t value; // 0: not given
} count_option;

typedef struct size_option {
    const char *name, *text;
    size_t *value;
} size_option;

static int read_counts(count_option *counts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = counts[i].text;
        if (text && (!read_number(text, counts[i].most, &counts[i].value) || !counts[i].value)) {
            return cli_usage("simulate", "--%s is a number from 1 to %llu", counts[i].name,
                             (unsigned long long)counts[i].most);
        }
    }
    return EXIT_FINE;
}

int simulate_read_limits(const simulate_words *w, lg_sim_options *sim, lg_mock_options *ret)
{
    count_option counts[] = {{"sessions", w->sessions, 1000000, 0},
                             {"history", w->history, 100000000, 0},
                             {"snapshots", w->snapshots, 1000000, 0},
                             {"idle", w->idle, 31536000, 0},
                             {"workers", w->workers, 64, 0}};
    const size_option sizes[] = {{"memory", w->memory, &ret->limits.memory_bytes},
                                 {"session-memory", w->session_memory, &sim->session_bytes},
                                 {"body", w->body, &ret->limits.body_bytes}};
    uint64_t retries = RETRIES;
    int code = read_counts(counts, LG_COUNT(counts));
    for (size_t i = 0; i < LG_COUNT(sizes) && code == EXIT_FINE; i++) {
        if (sizes[i].text && !read_size(sizes[i].text, sizes[i].value)) {
            code = bad(sizes[i].name, "a number of bytes, for example 500000 or 512M");
        }
    }
    if (code == EXIT_FINE && w->retries && !read_number(w->retries, 100, &retries)) {
        code = bad("retries", "a number from 0 to 100");
    }
    if (code == EXIT_FINE && w->seed && !read_number(w->seed, INT64_MAX, &ret->seed)) {
        code = bad("seed", "an integer from 0 on");
    }
    ret->limits.sessions = (uint32_t)counts[0].value;
    sim->history_calls = (size_t)counts[1].value;
    sim->snapshots = (size_t)counts[2].value;
    ret->limits.idle_s = (uint32_t)counts[3].value;
    ret->workers = (uint32_t)counts[4].value;
    ret->retries = (uint32_t)retries;
    return code;
}

// --- Faults -------------------------------------------------------------------------------------

// "20..80", or one number.
static bool read_range(const char *text, uint32_t *ret_least, uint32_t *ret_most)
{
    char first[16];
    uint64_t least;
    uint64_t most;
    lg_str word = lg_str_c(text);
    size_t dots = lg_str_find(word, LG_STR(".."));
    size_t len = dots == SIZE_MAX ? word.len : dots;
    if (len >= sizeof(first)) {
        return false;
    }
    lg_copy_bytes(first, text, len);
    first[len] = '\0';
    if (!read_number(first, LG_MOCK_LATENCY_MAX_MS, &least)) {
        return false;
    }
    most = least;
    if (dots != SIZE_MAX && !read_number(text + dots + 2, LG_MOCK_LATENCY_MAX_MS, &most)) {
        return false;
    }
    *ret_least = (uint32_t)least;
    *ret_most = (uint32_t)most;
    return least <= most;
}

static bool read_kinds(lg_str words, lg_mock_faults *ret)
{
    while (words.len) {
        size_t comma = lg_str_find(words, LG_STR(","));
        lg_str word = lg_str_trim(lg_str_slice(words, 0, comma));
        if (ret->kind_count == LG_MOCK_FAULTS_MAX ||
            !lg_mock_fault_read(word, &ret->kinds[ret->kind_count++])) {
            return false;
        }
        words = comma == SIZE_MAX ? LG_STR("") : lg_str_slice(words, comma + 1, words.len);
    }
    return ret->kind_count > 0;
}

int simulate_read_faults(const simulate_words *w, lg_mock_faults *ret)
{
    char *end = NULL;
    if (w->latency && !read_range(w->latency, &ret->least_ms, &ret->most_ms)) {
        return bad("latency", "a number of ms, or two as in 20..80, up to 60000");
    }
    if (w->fault_rate) {
        ret->rate = lg_is_digit(*w->fault_rate) ? strtod(w->fault_rate, &end) : -1;
        if (!(ret->rate >= 0 && ret->rate <= 1) || *end) {
            return bad("fault-rate", "a share of calls, from 0 to 1");
        }
    }
    if (w->fault_status && !read_kinds(lg_str_c(w->fault_status), ret)) {
        return bad(
            "fault-status",
            "a list of statuses from 400 to 599, timeout, reset and lost, as in 500,timeout");
    }
    if (w->fault_status && !w->fault_rate) {
        return cli_usage("simulate", "--fault-status needs --fault-rate, the share of calls");
    }
    if (w->fault_seed && !read_number(w->fault_seed, INT64_MAX, &ret->seed)) {
        return bad("fault-seed", "an integer from 0 on");
    }
    return EXIT_FINE;
}

// --- Models -------------------------------------------------------------------------------------

int simulate_read_models(const simulate_words *w, simulate_models *ret)
{
    const char *names[] = {w->validator, w->responder, w->estimator, w->judge, w->planner};
    const lg_llm_options **uses[] = {&ret->of.validator, &ret->of.responder, &ret->of.estimator,
                                     &ret->of.judge, &ret->of.planner};
    const char *first = w->model.name;
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        first = first ? first : names[i];
    }
    cli_model model = w->model;
    model.name = first; // the other options are of whichever there is
    bool asks = false;
    int code = cli_model_options("simulate", &model, &ret->options[0], &asks);
    for (size_t i = 0; i < LG_COUNT(names) && code == EXIT_FINE && asks; i++) {
        ret->options[i + 1] = ret->options[0];
        ret->options[i + 1].model = lg_str_c(names[i]);
        *uses[i] = names[i] ? &ret->options[i + 1] : w->model.name ? &ret->options[0] : NULL;
    }
    return code;
}
