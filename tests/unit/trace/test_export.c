// Whatever a conversation came from: exported and read again it has the same events, in all three forms.
#include "base/alloc.h"
#include "trace/export.h"

#include "data_files.h"
#include "lg_test.h"
#include "trace_dump.h"

static size_t conversations;
static size_t events;

static bool same_args(const lg_trace_event *a, const lg_trace_event *b)
{
    return a->args && b->args ? lg_json_equal(a->args, b->args)
                              : !a->args && !b->args && lg_str_eq(a->text, b->text);
}

// Kinds, roles, tools, arguments, texts and pairing; not ids, places and turns.
static bool same_event(const lg_trace_event *a, const lg_trace_event *b)
{
    if (a->kind != b->kind || a->role != b->role || a->other != b->other ||
        !lg_str_eq(a->tool, b->tool)) {
        return false;
    }
    return a->kind == LG_EVENT_CALL ? same_args(a, b) : lg_str_eq(a->text, b->text);
}

static bool same_text(const lg_json *a, const lg_json *b)
{
    return (!a && !b) || (a && b && lg_json_equal(a, b));
}

// The exported facts; tools are written in OpenAI's form there.
static bool same_facts(const lg_trace *a, const lg_trace *b, bool tools)
{
    return lg_str_eq(a->name, b->name) && lg_str_eq(a->task, b->task) &&
           lg_str_eq(a->domain, b->domain) && lg_str_eq(a->model, b->model) &&
           a->trial == b->trial && a->has_reward == b->has_reward && a->reward >= b->reward &&
           a->reward <= b->reward && lg_str_eq(a->prompt, b->prompt) &&
           lg_str_eq(a->request, b->request) && lg_str_eq(a->ended, b->ended) &&
           same_text(a->checks, b->checks) && same_text(a->initial, b->initial) &&
           same_text(a->expected, b->expected) && same_text(a->metadata, b->metadata) &&
           (!tools || same_text(a->tools, b->tools)) && a->delegated == b->delegated;
}

static void show_difference(const char *path, const lg_trace *a, const lg_trace *b,
                            lg_export_format format)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    size_t i = 0;
    while (i < a->count && i < b->count && same_event(&a->events[i], &b->events[i])) {
        i++;
    }
    lg_buf_addf(&out, "%s %.*s as %d: %zu and %zu events\n", path, LG_FMT(a->name), (int)format,
                a->count, b->count);
    if (i < a->count) {
        trace_dump_event(&out, a, i);
    }
    if (i < b->count) {
        trace_dump_event(&out, b, i);
    }
    trace_dump_facts(&out, a);
    trace_dump_facts(&out, b);
    printf("%.*s\n", LG_FMT(lg_buf_str(&out)));
    lg_buf_done(&out);
}

static void compare(const char *path, const lg_trace *a, const lg_trace_set *read,
                    lg_export_format format)
{
    static const lg_trace_format formats[] = {LG_TRACE_OPENAI, LG_TRACE_OTEL, LG_TRACE_ARTIFACT};
    const char *broken = trace_broken_law(read);
    CHECK_MSG(!broken, broken ? broken : "");
    if (!CHECK_MSG(read->count == 1 && read->format == formats[format], path)) {
        return;
    }
    const lg_trace *b = &read->traces[0];
    bool same = a->count == b->count && same_facts(a, b, format != LG_EXPORT_OPENAI);
    for (size_t i = 0; same && i < a->count; i++) {
        same = same_event(&a->events[i], &b->events[i]);
    }
    if (!CHECK_MSG(same, path)) {
        show_difference(path, a, b, format);
    }
}

static void round_trip(const char *path, const lg_trace_set *set, const lg_trace *trace)
{
    for (lg_export_format format = LG_EXPORT_OPENAI; format <= LG_EXPORT_ARTIFACT; format++) {
        lg_buf text;
        lg_buf again;
        lg_trace_set *read = NULL;
        lg_error err = {0};
        lg_buf_init(&text, 0);
        lg_buf_init(&again, 0);
        lg_export(&text, format, set, trace);
        lg_export(&again, format, set, trace);
        CHECK(lg_buf_status(&text) == LG_OK);
        CHECK_MSG(lg_str_eq(lg_buf_str(&text), lg_buf_str(&again)), "the same bytes each time");
        CHECK(lg_str_find(lg_buf_str(&text), LG_STR("\n")) == SIZE_MAX);
        if (CHECK_MSG(lg_trace_import(lg_buf_str(&text), "export", NULL, &read, &err) == LG_OK,
                      path)) {
            compare(path, trace, read, format);
        } else {
            printf("%s: %s\n", path, err.msg);
        }
        lg_trace_close(read);
        lg_buf_done(&text);
        lg_buf_done(&again);
    }
}

static void visit(void *context, const char *path, lg_str text)
{
    lg_trace_set *set = NULL;
    (void)context;
    if (lg_trace_import(text, path, NULL, &set, NULL) != LG_OK) {
        return; // what lies beside recordings
    }
    for (size_t i = 0; i < set->count; i++) {
        round_trip(path, set, &set->traces[i]);
        conversations++;
        events += set->traces[i].count;
    }
    lg_trace_close(set);
}

static void the_samples_come_back(void)
{
    int files = lg_data_each(LG_SOURCE_DIR "/tests/golden/trace", ".json", 0, visit, NULL);
    int lines = lg_data_each(LG_SOURCE_DIR "/tests/golden/trace", ".jsonl", 0, visit, NULL);
    CHECK(files > 10 && lines > 8);
}

// What no format of another program gives so: ids twice, texts that are empty or in a row, arguments that are none.
static void odd_events_come_back(void)
{
    static const char text[] =
        "{\"ledgergate_artifact\":1,\"name\":\"odd\",\"events\":["
        "{\"kind\":\"message\",\"role\":\"user\",\"turn\":0,\"text\":\"\"},"
        "{\"kind\":\"message\",\"role\":\"agent\",\"turn\":1,\"text\":\"\"},"
        "{\"kind\":\"call\",\"role\":\"agent\",\"turn\":1,\"id\":\"a\",\"tool\":\"f\",\"value\":{}}"
        ","
        "{\"kind\":\"message\",\"role\":\"agent\",\"turn\":1,\"text\":\"one\"},"
        "{\"kind\":\"message\",\"role\":\"agent\",\"turn\":1,\"text\":\"two\"},"
        "{\"kind\":\"call\",\"role\":\"agent\",\"turn\":1,\"id\":\"a\",\"tool\":\"f\",\"args\":"
        "\"x\"},"
        "{\"kind\":\"call\",\"role\":\"agent\",\"turn\":1,\"id\":\"a_1\",\"tool\":\"\",\"args\":\"["
        "1]\"},"
        "{\"kind\":\"message\",\"role\":\"user\",\"turn\":2,\"text\":\"wait\"},"
        "{\"kind\":\"call\",\"role\":\"user\",\"turn\":2,\"id\":\"a\",\"tool\":\"g\",\"value\":{"
        "\"b\":1}},"
        "{\"kind\":\"error\",\"role\":\"agent\",\"turn\":3,\"id\":\"a\",\"text\":\"fine\"},"
        "{\"kind\":\"result\",\"role\":\"user\",\"turn\":4,\"id\":\"a\",\"text\":\"Error: no\"},"
        "{\"kind\":\"result\",\"role\":\"agent\",\"turn\":5,\"id\":\"a\",\"text\":\"[1]\"},"
        "{\"kind\":\"message\",\"role\":\"system\",\"turn\":6,\"text\":\"S\"},"
        "{\"kind\":\"message\",\"role\":\"system\",\"turn\":7,\"text\":\"S\"},"
        "{\"kind\":\"call\",\"role\":\"agent\",\"turn\":8,\"tool\":\"h\"},"
        "{\"kind\":\"message\",\"role\":\"user\",\"turn\":9,\"text\":\"bye\"}]}";
    visit(NULL, "odd", lg_str_c(text));
}

static void every_recording_comes_back(void)
{
    char folder[4096];
    conversations = events = 0;
    snprintf(folder, sizeof(folder), "%s/data/traces", lg_test_data_dir());
    int files = lg_data_each(folder, ".json", 0, visit, NULL);
    files += lg_data_each(folder, ".jsonl", 0, visit, NULL);
    CHECK(files > 300 && conversations > 2000);
    printf("%d files, %zu conversations, %zu events, each three times there and back\n", files,
           conversations, events);
}

// Every allocation fails once: the buffer says so each time.
static void no_memory_is_the_buffers_failure(void)
{
    lg_trace_set *set = NULL;
    const char *path = LG_SOURCE_DIR "/tests/golden/trace/tau2-results/input.json";
    if (!CHECK(lg_trace_open(path, NULL, &set, NULL) == LG_OK)) {
        return;
    }
    for (lg_export_format format = LG_EXPORT_OPENAI; format <= LG_EXPORT_ARTIFACT; format++) {
        lg_status status = LG_ERR_OOM;
        uint64_t n = 1;
        for (; status == LG_ERR_OOM && n < 1000; n++) {
            lg_buf text;
            lg_buf_init(&text, 0);
            lg_alloc_fail_at(n);
            lg_export(&text, format, set, &set->traces[0]);
            lg_alloc_fail_at(0);
            status = lg_buf_status(&text);
            lg_buf_done(&text);
        }
        CHECK(status == LG_OK && n > 3);
    }
    lg_trace_close(set);
}

int main(void)
{
    RUN(the_samples_come_back);
    RUN(odd_events_come_back);
    RUN(no_memory_is_the_buffers_failure);
    if (lg_test_data_dir()) {
        RUN(every_recording_comes_back);
    } else {
        printf("skipped: the recordings, for there is no shared data\n");
    }
    return lg_test_done();
}
