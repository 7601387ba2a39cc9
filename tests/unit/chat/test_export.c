// Recorded conversations, sent as a client of each API sends them, are the same conversations.
#include "chat_export.h"
#include "lg_test.h"
#include "trace_dump.h"

// What a session is told of it, but for its turns, which are the API's own; `prefix`: errors are told by a word.
static void tell(lg_buf *out, const lg_trace *trace, bool prefix)
{
    for (size_t i = 0; i < trace->count; i++) {
        const lg_trace_event *event = &trace->events[i];
        bool marked = lg_str_starts(event->text, LG_STR("Error")) ||
                      lg_str_starts(event->text, LG_STR("Unknown action "));
        if (!chat_is_seen(event)) {
            continue;
        }
        lg_buf_addf(out, "%s %s %.*s ", trace_role(event->role), lg_event_kind_name(event->kind),
                    LG_FMT(event->tool));
        if (event->args) {
            lg_json_print_canonical(out, event->args);
        } else {
            lg_buf_add_c(out, prefix && event->kind == LG_EVENT_ERROR && !marked ? "Error: " : "");
            lg_buf_add(out, event->text);
        }
        lg_buf_add_byte(out, '\n');
    }
}

static void check_trace(const lg_trace *trace, lg_chat_api api)
{
    lg_arena arena;
    lg_buf body, told[2];
    lg_error error = {0};
    const lg_chat_request *request = NULL;
    lg_arena_init(&arena, 0);
    lg_buf_init(&body, 0);
    lg_buf_init(&told[0], 0);
    lg_buf_init(&told[1], 0);
    chat_export(&body, trace, api);
    if (!CHECK(lg_chat_request_parse(&arena, api, lg_buf_str(&body), NULL, &request, &error) ==
               LG_OK)) {
        printf("    %s\n", error.msg);
    } else {
        tell(&told[0], trace, api != LG_CHAT_MESSAGES);
        tell(&told[1], request->conversation, false);
        if (!CHECK(lg_str_eq(lg_buf_str(&told[0]), lg_buf_str(&told[1])))) {
            printf("%.2000s\n---\n%.2000s\n", told[0].ptr, told[1].ptr);
        }
        CHECK(request->conversation->left_out == 0);
    }
    lg_buf_done(&body);
    lg_buf_done(&told[0]);
    lg_buf_done(&told[1]);
    lg_arena_done(&arena);
}

static void check_file(const char *path)
{
    lg_trace_set *set = NULL;
    if (!CHECK_MSG(lg_trace_open(path, NULL, &set, NULL) == LG_OK, path)) {
        return;
    }
    for (size_t i = 0; i < set->count; i++) {
        for (size_t api = 0; api < LG_CHAT_API_COUNT; api++) {
            check_trace(&set->traces[i], (lg_chat_api)api);
        }
    }
    lg_trace_close(set);
}

static void samples(void)
{
    check_file(LG_SOURCE_DIR "/tests/golden/trace/openai/input.json");
    check_file(LG_SOURCE_DIR "/tests/golden/trace/gold/input.jsonl");
    check_file(LG_SOURCE_DIR "/tests/golden/trace/claude-code-streamed/input.jsonl");
}

static void gold_conversations(void)
{
    static const char *const domains[] = {"retail", "airline", "telecom"};
    const char *dir = lg_test_data_dir();
    for (size_t i = 0; i < LG_COUNT(domains); i++) {
        char path[4096];
        if (!dir) {
            printf("skipped: gold conversations of %s (no data)\n", domains[i]);
            continue;
        }
        snprintf(path, sizeof(path), "%s/data/tau2/%s/gold_traces.jsonl", dir, domains[i]);
        check_file(path);
    }
}

int main(void)
{
    RUN(samples);
    RUN(gold_conversations);
    return lg_test_done();
}
