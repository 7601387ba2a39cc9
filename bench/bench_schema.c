// bench_schema.c: what it costs to compile the schemas of real tools and to check real calls.
//
// Prints one line a measure: nanoseconds per schema compiled and per call validated, for the calls
// of the gold conversations and the tool lists of public servers.
#include "lg_test.h"

#include "base/alloc.h"
#include "base/file.h"
#include "schema/schema.h"

#include <dirent.h>
#include <time.h>

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

enum { TOOLS_MAX = 2000, CALLS_MAX = 8000 };

typedef struct tool {
    lg_str name;
    const lg_json *parameters;
    const lg_schema *schema;
} tool;

static tool tools[TOOLS_MAX];
static size_t tool_count;
static struct {
    const tool *tool;
    const lg_json *arguments;
} calls[CALLS_MAX];
static size_t call_count;

static void add_tools(const lg_json *list)
{
    for (size_t i = 0; i < lg_json_len(list) && tool_count < TOOLS_MAX; i++) {
        const lg_json *item = lg_json_item(list, i);
        const lg_json *function = lg_json_get(item, LG_STR("function"));
        item = function ? function : item;
        const lg_json *parameters = lg_json_get(item, LG_STR("parameters"));
        parameters = parameters ? parameters : lg_json_get(item, LG_STR("inputSchema"));
        if (parameters) {
            tools[tool_count++] =
                (tool){lg_json_str(lg_json_get(item, LG_STR("name"))), parameters, NULL};
        }
    }
}

static void compile_all(const char *name, lg_arena *arena, bool quiet)
{
    size_t failed = 0;
    double start = now_ns();
    for (size_t i = 0; i < tool_count; i++) {
        lg_errors errors;
        lg_errors_init(&errors, arena, 5);
        lg_schema_options options = {.closed_arguments = true};
        tools[i].schema = lg_schema_compile(arena, tools[i].parameters, &options, &errors);
        failed += tools[i].schema ? 0 : 1;
        if (!quiet && !tools[i].schema && errors.count) {
            printf("  %.*s: %s\n", LG_FMT(tools[i].name), errors.items[0].msg);
        }
    }
    double spent = now_ns() - start;
    printf("%s: %zu schemas, %.0f ns to compile one, %zu bytes each, %zu refused\n", name,
           tool_count, spent / (double)tool_count, arena->held_bytes / tool_count, failed);
}

static void read_calls(const lg_json *trace)
{
    const lg_json *list = lg_json_get(trace, LG_STR("calls"));
    for (size_t i = 0; i < lg_json_len(list) && call_count < CALLS_MAX; i++) {
        const lg_json *call = lg_json_item(list, i);
        lg_str name = lg_json_str(lg_json_get(call, LG_STR("name")));
        for (size_t t = 0; t < tool_count; t++) {
            if (lg_str_eq(tools[t].name, name)) {
                calls[call_count].tool = &tools[t];
                calls[call_count++].arguments = lg_json_get(call, LG_STR("arguments"));
            }
        }
    }
}

static void validate_all(const char *name, bool with_report)
{
    enum { ROUNDS = 200 };
    lg_schema_violation items[4];
    lg_schema_report report = {.items = items, .capacity = LG_COUNT(items)};
    size_t valid = 0;
    uint64_t allocations = lg_alloc_count();
    double start = now_ns();
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < call_count; i++) {
            valid += lg_schema_validate(calls[i].tool->schema, calls[i].arguments,
                                        with_report ? &report : NULL);
        }
    }
    double spent = now_ns() - start;
    printf("%s: %zu calls, %zu valid, %.0f ns to validate one%s, %llu allocations\n", name,
           call_count, valid / ROUNDS, spent / ROUNDS / (double)call_count,
           with_report ? " with a report" : "",
           (unsigned long long)(lg_alloc_count() - allocations));
}

static void bench_domain(const char *data, const char *domain)
{
    char path[1024];
    lg_file file = {0};
    lg_error error;
    lg_json_doc *doc = NULL;
    lg_arena arena;
    lg_arena_init(&arena, 0);
    tool_count = call_count = 0;
    snprintf(path, sizeof(path), "%.800s/data/tau2/%s/tools.json", data, domain);
    if (lg_file_open(path, 1u << 26, &file, &error) != LG_OK ||
        lg_json_parse(file.text, NULL, &doc, &error) != LG_OK) {
        printf("%s\n", error.msg);
        return;
    }
    lg_file_close(&file);
    add_tools(lg_json_root(doc));
    compile_all(domain, &arena, false);
    snprintf(path, sizeof(path), "%.800s/data/tau2/%s/gold_traces.jsonl", data, domain);
    lg_arena traces;
    lg_arena_init(&traces, 0);
    if (lg_file_open(path, 1u << 28, &file, &error) == LG_OK) {
        for (size_t at = 0; at < file.text.len;) {
            lg_str rest = lg_str_slice(file.text, at, file.text.len);
            size_t end = lg_str_find(rest, LG_STR("\n"));
            end = end == SIZE_MAX ? file.text.len : at + end;
            const lg_json *trace = NULL;
            if (lg_json_parse_in(&traces, file.text, at, end, NULL, &trace, &error) == LG_OK) {
                read_calls(trace);
            }
            at = end + 1;
        }
        validate_all(domain, false);
        validate_all(domain, true);
    }
    lg_arena_done(&traces);
    lg_file_close(&file);
    lg_json_doc_free(doc);
    lg_arena_done(&arena);
}

static void bench_servers(const char *data)
{
    static lg_json_doc *docs[128];
    size_t count = 0;
    char path[1024];
    snprintf(path, sizeof(path), "%.800s/data/mcp/tools-list", data);
    DIR *folder = opendir(path);
    tool_count = 0;
    for (struct dirent *e = folder ? readdir(folder) : NULL; e && count < LG_COUNT(docs);
         e = readdir(folder)) {
        lg_file file = {0};
        lg_error error;
        snprintf(path, sizeof(path), "%.600s/data/mcp/tools-list/%.255s", data, e->d_name);
        if (strstr(e->d_name, ".json") && lg_file_open(path, 1u << 26, &file, &error) == LG_OK &&
            lg_json_parse(file.text, NULL, &docs[count], &error) == LG_OK) {
            add_tools(lg_json_get(lg_json_root(docs[count++]), LG_STR("tools")));
        }
        lg_file_close(&file);
    }
    if (folder) {
        closedir(folder);
    }
    lg_arena arena;
    lg_arena_init(&arena, 0);
    if (tool_count) {
        compile_all("mcp servers", &arena, false);
    }
    lg_arena_done(&arena);
    for (size_t i = 0; i < count; i++) {
        lg_json_doc_free(docs[i]);
    }
}

int main(void)
{
    const char *data = lg_test_data_dir();
    if (!data) {
        printf("skipped: bench_schema (no shared data)\n");
        return 0;
    }
    static const char *const domains[] = {"airline", "retail", "telecom", "telehealth"};
    for (size_t i = 0; i < LG_COUNT(domains); i++) {
        bench_domain(data, domains[i]);
    }
    bench_servers(data);
    return 0;
}
