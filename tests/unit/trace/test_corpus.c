// The recordings of the shared corpus: each must import, with the numbers that its README states.
#include "trace/trace.h"

#include <dirent.h>

#include "lg_test.h"

// One row of the README's table. `part` is a piece of the file's path that tells apart what the
// table tells apart by model; the domain is what the importer says it is.
typedef struct row {
    const char *source;
    const char *part;
    const char *domain;
    int total;
    int reward_1;
    int reward_0;
    int other;
} row;

// clang-format off
static const row rows[] = {
    {"activegraph-tau2", "", "airline", 6, 2, 4, 0},
    {"activegraph-tau2", "", "mock", 13, 8, 5, 0},
    {"activegraph-tau2", "", "retail", 1, 1, 0, 0},
    {"activegraph-tau2", "", "telecom", 1, 1, 0, 0},
    {"tau2-enhanced", "", "airline", 52, 37, 15, 0},
    {"tau2-leaderboard-toolorchestra", "", "airline", 31, 16, 15, 0},
    {"tau2-leaderboard-toolorchestra", "", "retail", 65, 52, 13, 0},
    {"tau2-policy-refinement", "", "retail", 75, 58, 17, 0},
    {"tau2-single-simulations", "gemini-3-flash-base", "retail", 63, 46, 17, 0},
    {"tau2-single-simulations", "gpt-5-nano", "retail", 63, 18, 45, 0},
    {"whissle-tau2", "", "airline", 31, 17, 14, 0},
    {"tau-bench-historical", "", "airline", 110, 46, 64, 0},
    {"tau-bench-llama", "", "airline", 122, 44, 78, 0},
    {"tau-trait", "", "airline", 99, 44, 55, 0},
    {"tau-trait", "", "retail", 146, 75, 71, 0},
    {"tau-trait", "", "telecom", 50, 35, 15, 0},
    {"tau-trait", "", "telehealth", 60, 8, 52, 0},
    {"agentrx-tau-retail", "full", "retail", 59, 46, 13, 0},
    {"agentrx-tau-retail", "failed", "retail", 15, 0, 15, 0},
    {"grok-tau-bench", "tool-calling-grok-4-1-fast-non", "airline", 30, 14, 16, 0},
    {"grok-tau-bench", "tool-calling-grok-4-1-fast-r", "airline", 64, 34, 30, 0},
    {"grok-tau-bench", "tool-calling-grok-4-fast-r", "airline", 30, 17, 13, 0},
    {"grok-tau-bench", "react-", "airline", 30, 16, 14, 0},
    {"grok-tau-bench", "tool-calling-grok-4-1-fast-r", "retail", 72, 59, 13, 0},
    {"grok-tau-bench", "tool-calling-grok-4-fast-n", "retail", 72, 34, 38, 0},
    {"tau-bench-contract-agents", "l0-4.1", "retail", 76, 70, 6, 0},
    {"tau-bench-contract-agents", "with-preconditions", "retail", 66, 43, 23, 0},
    {"claude-code-retail-solo", "haiku", "retail", 12, 11, 1, 0},
    {"claude-code-retail-solo", "sonnet", "retail", 34, 33, 1, 0},
    {"agentdojo", "claude-3-5-sonnet-20241022", "banking", 18, 14, 4, 0},
    {"agentdojo", "command-r", "banking", 18, 6, 12, 0},
    {"agentdojo", "gemini-1-5-flash-002", "banking", 18, 6, 12, 0},
    {"agentdojo", "gpt-4o-mini-2024-07-18", "banking", 18, 10, 8, 0},
    {"agentdojo", "claude-3-5-sonnet-20241022", "slack", 24, 15, 9, 0},
    {"agentdojo", "command-r", "slack", 24, 6, 18, 0},
    {"agentdojo", "gemini-1-5-flash-002", "slack", 24, 14, 10, 0},
    {"agentdojo", "gpt-4o-mini-2024-07-18", "slack", 24, 13, 11, 0},
    {"agentdojo", "claude-3-5-sonnet-20241022", "travel", 23, 15, 8, 0},
    {"agentdojo", "command-r", "travel", 23, 2, 21, 0},
    {"agentdojo", "gemini-1-5-flash-002", "travel", 23, 6, 17, 0},
    {"agentdojo", "gpt-4o-mini-2024-07-18", "travel", 23, 11, 12, 0},
    {"agentdojo", "claude-3-5-sonnet-20241022", "workspace", 45, 39, 6, 0},
    {"agentdojo", "command-r", "workspace", 45, 14, 31, 0},
    {"agentdojo", "gemini-1-5-flash-002", "workspace", 45, 14, 31, 0},
    {"agentdojo", "gpt-4o-mini-2024-07-18", "workspace", 45, 27, 18, 0},
    {"injection-suites-gpt-5.6-luna", "", "airport", 10, 5, 5, 0},
    {"injection-suites-gpt-5.6-luna", "", "automotive", 9, 2, 7, 0},
    {"injection-suites-gpt-5.6-luna", "", "banking", 10, 2, 8, 0},
    {"injection-suites-gpt-5.6-luna", "", "ecommerce", 11, 2, 9, 0},
    {"injection-suites-gpt-5.6-luna", "", "employment", 11, 2, 9, 0},
    {"injection-suites-gpt-5.6-luna", "", "government", 10, 4, 6, 0},
    {"injection-suites-gpt-5.6-luna", "", "healthcare", 9, 2, 7, 0},
    {"injection-suites-gpt-5.6-luna", "", "logistics", 7, 3, 4, 0},
    {"injection-suites-gpt-5.6-luna", "", "saas", 11, 1, 10, 0},
    {"injection-suites-gpt-5.6-luna", "", "telecom", 9, 2, 7, 0},
    {"injection-suites-gpt-5.6-luna", "", "ticketing", 13, 2, 11, 0},
    {"injection-suites-gpt-5.6-luna", "", "university", 9, 3, 6, 0},
    {"vscode-chat", "", "", 3, 0, 0, 3},};
// clang-format on

// Calls and returns of each source, counted apart from this code.
typedef struct volume {
    const char *source;
    size_t calls;
    size_t results; // errors among them
    size_t errors;
} volume;

static const volume volumes[] = {
    {"activegraph-tau2", 65, 65, 0},
    {"tau2-enhanced", 211, 211, 6},
    {"tau2-leaderboard-toolorchestra", 817, 817, 11},
    {"tau2-policy-refinement", 535, 535, 29},
    {"whissle-tau2", 174, 174, 10},
    {"tau2-single-simulations", 1142, 1142, 80},
    {"tau-bench-historical", 612, 612, 31},
    {"tau-bench-llama", 472, 472, 152},
    {"tau-trait", 2421, 2421, 83},
    {"agentrx-tau-retail", 616, 616, 26},
    {"grok-tau-bench", 2066, 2066, 74},
    {"tau-bench-contract-agents", 1172, 1172, 45},
    {"agentdojo", 1435, 1434, 121},
    {"injection-suites-gpt-5.6-luna", 735, 735, 33},
    {"claude-code-retail-solo", 398, 398, 3},
    {"vscode-chat", 40, 40, 4},
};

static row found[LG_COUNT(rows)];
static volume found_volumes[32];
static size_t files;
static size_t events;
static size_t issues;
static size_t fatal;
static size_t stray;

static bool ends(const char *text, const char *tail)
{
    size_t a = strlen(text);
    size_t b = strlen(tail);
    return a >= b && !strcmp(text + a - b, tail);
}

// Files that lie among the recordings and are none.
static bool is_beside(const char *path)
{
    return strstr(path, "/tool-schemas/") || ends(path, "tau_ground_truth.json") ||
           ends(path, "eval_results.json");
}

static void count_trace(const char *path, const char *source, const lg_trace *trace)
{
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        const row *wanted = &rows[i];
        const char *rest = strstr(path, source);
        if (strcmp(wanted->source, source) || !rest || !strstr(rest, wanted->part) ||
            !lg_str_eq(trace->domain, lg_str_c(wanted->domain))) {
            continue;
        }
        found[i].total++;
        found[i].reward_1 += trace->has_reward && trace->reward >= 1.0 && trace->reward <= 1.0;
        found[i].reward_0 += trace->has_reward && trace->reward >= 0.0 && trace->reward <= 0.0;
        found[i].other += !trace->has_reward;
        return;
    }
    stray++;
    printf("%s: conversation %.*s of the domain `%.*s` has no row\n", path, LG_FMT(trace->name),
           LG_FMT(trace->domain));
}

static void count_events(const lg_trace *trace, volume *sum)
{
    for (size_t i = 0; i < trace->count; i++) {
        const lg_trace_event *event = &trace->events[i];
        bool is_result = event->kind == LG_EVENT_RESULT || event->kind == LG_EVENT_ERROR;
        sum->calls += event->kind == LG_EVENT_CALL;
        sum->results += is_result;
        sum->errors += event->kind == LG_EVENT_ERROR;
        stray += is_result && event->other == LG_NO_EVENT;
        stray += event->other != LG_NO_EVENT && trace->events[event->other].other != i;
    }
    events += trace->count;
}

static volume *volume_of(const char *source)
{
    size_t i = 0;
    while (found_volumes[i].source && strcmp(found_volumes[i].source, source)) {
        i++;
    }
    found_volumes[i].source = source;
    return &found_volumes[i];
}

static void count_set(const char *path, const char *source, const lg_trace_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        count_trace(path, source, &set->traces[i]);
        count_events(&set->traces[i], volume_of(source));
    }
    for (size_t i = 0; i < set->issue_count; i++) {
        const lg_trace_issue *issue = &set->issues[i];
        fatal += issue->fatal;
        if (getenv("LG_SHOW_ISSUES")) {
            printf("%s%.*s: %.*s\n", path, LG_FMT(issue->pointer), LG_FMT(issue->message));
        }
    }
    issues += set->issue_count + set->issues_dropped;
    files++;
}

static void import(const char *path, const char *source)
{
    lg_trace_set *set = NULL;
    lg_error err;
    lg_status status = lg_trace_open(path, NULL, &set, &err);
    if (is_beside(path)) {
        CHECK_MSG(status == LG_ERR_FORMAT, path);
        CHECK_MSG(strstr(err.msg, "looks like"), err.msg);
    } else if (CHECK_MSG(status == LG_OK, path)) {
        count_set(path, source, set);
    } else {
        printf("%s:%u:%u: %s\n", path, err.line, err.column, err.msg);
    }
    lg_trace_close(set);
}

static void walk(const char *folder, const char *source, int depth)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || ends(path, ".md")) {
            continue;
        }
        if (ends(path, ".json") || ends(path, ".jsonl")) {
            import(path, source);
        } else if (depth < 3) {
            walk(path, source, depth + 1);
        }
    }
    if (CHECK_MSG(dir, folder)) {
        closedir(dir);
    }
}

static void check_row(const row *want, const row *got)
{
    char text[256];
    snprintf(text, sizeof(text), "%s %s %s: %d conversations (%d, %d, %d), not %d (%d, %d, %d)",
             want->source, want->part, want->domain, got->total, got->reward_1, got->reward_0,
             got->other, want->total, want->reward_1, want->reward_0, want->other);
    CHECK_MSG(got->total == want->total && got->reward_1 == want->reward_1 &&
                  got->reward_0 == want->reward_0 && got->other == want->other,
              text);
}

static void every_recording_is_imported(void)
{
    const char *data = lg_test_data_dir();
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        char folder[4096];
        snprintf(folder, sizeof(folder), "%s/data/traces/%s", data, rows[i].source);
        if (i == 0 || strcmp(rows[i].source, rows[i - 1].source)) {
            walk(folder, rows[i].source, 0);
        }
    }
    for (size_t i = 0; i < LG_COUNT(rows); i++) {
        check_row(&rows[i], &found[i]);
    }
    CHECK(stray == 0);
}

static void every_call_and_return_is_there(void)
{
    for (size_t i = 0; i < LG_COUNT(volumes); i++) {
        const volume *want = &volumes[i];
        const volume *got = volume_of(want->source);
        char text[256];
        snprintf(text, sizeof(text), "%s: %zu calls, %zu results, %zu of them errors", want->source,
                 got->calls, got->results, got->errors);
        CHECK_MSG(got->calls == want->calls && got->results == want->results &&
                      got->errors == want->errors,
                  text);
    }
}

static void what_lies_beside_is_refused(void)
{
    char folder[4096];
    size_t before = files;
    snprintf(folder, sizeof(folder), "%s/data/traces/tool-schemas", lg_test_data_dir());
    walk(folder, "tool-schemas", 0);
    CHECK(files == before);
}

// Calls of the gold traces, counted apart from this code.
static void gold_traces_are_imported(void)
{
    static const struct {
        const char *domain;
        size_t traces;
        size_t calls;
        size_t errors;
    } gold[] = {{"airline", 31, 162, 0},
                {"retail", 77, 566, 13},
                {"telecom", 79, 574, 0},
                {"telehealth", 15, 171, 4}};
    for (size_t i = 0; i < LG_COUNT(gold); i++) {
        char path[4096];
        lg_trace_set *set = NULL;
        lg_error err;
        volume sum = {0};
        snprintf(path, sizeof(path), "%s/data/tau2/%s/gold_traces.jsonl", lg_test_data_dir(),
                 gold[i].domain);
        if (!CHECK_MSG(lg_trace_open(path, NULL, &set, &err) == LG_OK, err.msg)) {
            continue;
        }
        for (size_t k = 0; k < set->count; k++) {
            count_events(&set->traces[k], &sum);
            CHECK_STR(set->traces[k].domain, gold[i].domain);
            CHECK(set->traces[k].expected);
        }
        CHECK(set->format == LG_TRACE_GOLD);
        CHECK(set->issue_count == 0);
        CHECK(set->count == gold[i].traces);
        CHECK(sum.calls == gold[i].calls);
        CHECK(sum.results == gold[i].calls);
        CHECK(sum.errors == gold[i].errors);
        lg_trace_close(set);
    }
}

int main(void)
{
    if (!lg_test_data_dir()) {
        printf("skipped: trace corpus (no shared data)\n");
        return 0;
    }
    RUN(every_recording_is_imported);
    RUN(every_call_and_return_is_there);
    RUN(what_lies_beside_is_refused);
    printf("%zu files, %zu events, %zu issues, %zu of them fatal\n", files, events, issues, fatal);
    RUN(gold_traces_are_imported);
    return lg_test_done();
}
