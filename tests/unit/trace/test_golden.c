// The samples in tests/golden/trace: one or more a format, each with the events it must give.
// Run with LG_UPDATE_GOLDEN=1 to write the expectations anew, then read the difference.
#include "base/alloc.h"
#include "base/file.h"

#include "lg_test.h"
#include "trace_dump.h"

#define GOLDEN LG_SOURCE_DIR "/tests/golden/trace/"

static const struct sample {
    const char *folder;
    const char *file;
    lg_trace_format format;
} samples[] = {
    {"gold", "input.jsonl", LG_TRACE_GOLD},
    {"tau2-results", "input.json", LG_TRACE_TAU2_RESULTS},
    {"tau2-results-other-tasks", "input.json", LG_TRACE_TAU2_RESULTS},
    {"tau2-simulation", "input.json", LG_TRACE_TAU2_SIMULATION},
    {"tau-bench", "input.json", LG_TRACE_TAU_BENCH},
    {"tau-bench-react", "input.json", LG_TRACE_TAU_BENCH},
    {"openai", "input.json", LG_TRACE_OPENAI},
    {"openai-lines", "input.jsonl", LG_TRACE_OPENAI},
    {"agentdojo", "input.jsonl", LG_TRACE_AGENTDOJO},
    {"agentdojo-file", "input.json", LG_TRACE_AGENTDOJO},
    {"claude-code", "task_7.jsonl", LG_TRACE_CLAUDE_CODE},
    {"claude-code-verdict-above", "run/task_6.jsonl", LG_TRACE_CLAUDE_CODE},
    {"claude-code-verdict-broken", "task_1.jsonl", LG_TRACE_CLAUDE_CODE},
    {"claude-code-other-name", "9.jsonl", LG_TRACE_CLAUDE_CODE},
    {"claude-code-no-verdict", "9.jsonl", LG_TRACE_CLAUDE_CODE},
    {"claude-code-streamed", "input.jsonl", LG_TRACE_CLAUDE_CODE},
    {"claude-code-agents", "input.jsonl", LG_TRACE_CLAUDE_CODE},
    {"vscode", "input.json", LG_TRACE_VSCODE},
    {"responses", "input.json", LG_TRACE_RESPONSES},
    {"responses-items", "input.json", LG_TRACE_RESPONSES},
    {"messages", "input.json", LG_TRACE_MESSAGES},
    {"messages-lines", "input.jsonl", LG_TRACE_MESSAGES},
    {"ledgergate-artifact", "input.jsonl", LG_TRACE_ARTIFACT},
    {"ledgergate", "input.jsonl", LG_TRACE_LEDGERGATE},
    {"mcp", "input.jsonl", LG_TRACE_MCP},
    {"mcp-plain", "input.json", LG_TRACE_MCP},
    {"otel", "input.json", LG_TRACE_OTEL},
    {"otel-lines", "input.jsonl", LG_TRACE_OTEL},
};

static const char *input_path(const struct sample *sample, char *path, size_t size)
{
    snprintf(path, size, GOLDEN "%s/%s", sample->folder, sample->file);
    return path;
}

static bool save(const char *path, lg_str text)
{
    FILE *file = fopen(path, "wb");
    bool saved = file && fwrite(text.ptr, 1, text.len, file) == text.len;
    return file && fclose(file) == 0 && saved;
}

static void compare(const struct sample *sample, lg_str got)
{
    char path[4096];
    lg_file want = {0};
    lg_error err;
    snprintf(path, sizeof(path), GOLDEN "%s/expected.txt", sample->folder);
    if (getenv("LG_UPDATE_GOLDEN")) {
        CHECK_MSG(save(path, got), path);
    }
    if (CHECK_MSG(lg_file_open(path, 1 << 20, &want, &err) == LG_OK, path) &&
        !CHECK_MSG(lg_str_eq(got, want.text), path)) {
        printf("%.*s", LG_FMT(got));
    }
    lg_file_close(&want);
}

static void compare_set(const struct sample *sample, const lg_trace_set *set)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    trace_dump(&out, set);
    compare(sample, lg_buf_str(&out));
    lg_buf_done(&out);
}

static void each_sample_gives_its_events(void)
{
    for (size_t i = 0; i < LG_COUNT(samples); i++) {
        char path[4096];
        lg_trace_set *set = NULL;
        lg_error err;
        input_path(&samples[i], path, sizeof(path));
        if (!CHECK_MSG(lg_trace_open(path, NULL, &set, &err) == LG_OK, path)) {
            printf("%s\n", err.msg);
            continue;
        }
        compare_set(&samples[i], set);
        CHECK(set->format == samples[i].format);
        CHECK_STR(set->path, path);
        const char *broken = trace_broken_law(set);
        CHECK_MSG(!broken, broken ? broken : "");
        lg_trace_close(set);
    }
}

static void the_right_format_may_be_named_and_no_other(void)
{
    for (size_t i = 0; i < LG_COUNT(samples); i++) {
        for (int format = LG_TRACE_GOLD; format < LG_TRACE_FORMAT_COUNT; format++) {
            lg_trace_options options = {.format = (lg_trace_format)format};
            char path[4096];
            char want[256];
            lg_trace_set *set = NULL;
            lg_error err = {0};
            input_path(&samples[i], path, sizeof(path));
            lg_status status = lg_trace_open(path, &options, &set, &err);
            CHECK((status == LG_OK) == (options.format == samples[i].format));
            if (status != LG_OK) {
                snprintf(want, sizeof(want), ", but %s was asked for",
                         lg_trace_format_name(options.format));
                CHECK(status == LG_ERR_FORMAT);
                CHECK(!set);
                CHECK_MSG(strstr(err.msg, "this looks like "), err.msg);
                CHECK_MSG(strstr(err.msg, want), err.msg);
                CHECK_STR(lg_str_c(err.file), path);
            }
            lg_trace_close(set);
        }
    }
}

// Every allocation fails once, in every sample: an error each time, and (by the sanitizer) no leak.
static void no_memory_is_an_error(void)
{
    for (size_t i = 0; i < LG_COUNT(samples); i++) {
        char path[4096];
        lg_status status = LG_ERR_OOM;
        uint64_t n = 1;
        input_path(&samples[i], path, sizeof(path));
        for (; status == LG_ERR_OOM && n < 10000; n++) {
            lg_trace_set *set = NULL;
            lg_error err = {0};
            lg_alloc_fail_at(n);
            status = lg_trace_open(path, NULL, &set, &err);
            lg_alloc_fail_at(0);
            CHECK((status == LG_OK) == (set != NULL));
            CHECK(status == LG_OK || err.status == LG_ERR_OOM);
            lg_trace_close(set);
        }
        CHECK_MSG(status == LG_OK, path);
        CHECK_MSG(n > 3, path);
    }
}

// A budget too small for the sample is an error; whatever budget suffices gives the same.
static void a_small_budget_is_an_error(void)
{
    for (size_t i = 0; i < LG_COUNT(samples); i++) {
        char path[4096];
        lg_status status = LG_ERR_OOM;
        input_path(&samples[i], path, sizeof(path));
        for (size_t bytes = 512; status != LG_OK && bytes < 1 << 20; bytes += 512) {
            lg_limits limits = {.document_bytes = bytes};
            lg_trace_options options = {.limits = &limits};
            lg_trace_set *set = NULL;
            lg_error err = {0};
            status = lg_trace_open(path, &options, &set, &err);
            CHECK(status == LG_OK || status == LG_ERR_OOM || status == LG_ERR_LIMIT);
            CHECK((status == LG_OK) == (set != NULL));
            if (set) {
                compare_set(&samples[i], set);
            }
            lg_trace_close(set);
        }
        CHECK_MSG(status == LG_OK, path);
    }
}

// Cut anywhere, a sample is an error with a position, or (JSON Lines, cut between lines) fewer
// conversations that obey the laws; never a crash.
static void a_cut_sample_is_an_error(void)
{
    for (size_t i = 0; i < LG_COUNT(samples); i++) {
        char path[4096];
        lg_file file = {0};
        lg_error err;
        input_path(&samples[i], path, sizeof(path));
        if (!CHECK(lg_file_open(path, 1 << 20, &file, &err) == LG_OK)) {
            continue;
        }
        for (size_t len = 0; len + 1 < file.text.len; len++) {
            lg_trace_set *set = NULL;
            char *copy = malloc(len ? len : 1);
            memcpy(copy, file.text.ptr, len);
            lg_status status = lg_trace_import((lg_str){copy, len}, path, NULL, &set, &err);
            if (status == LG_OK) {
                CHECK_MSG(strstr(path, ".jsonl"), path);
                CHECK(!trace_broken_law(set));
            } else {
                CHECK(status == LG_ERR_PARSE || status == LG_ERR_FORMAT);
                CHECK(err.line > 0 && err.column > 0);
            }
            lg_trace_close(set);
            free(copy);
        }
        lg_file_close(&file);
    }
}

int main(void)
{
    RUN(each_sample_gives_its_events);
    RUN(the_right_format_may_be_named_and_no_other);
    RUN(no_memory_is_an_error);
    RUN(a_small_budget_is_an_error);
    RUN(a_cut_sample_is_an_error);
    return lg_test_done();
}
