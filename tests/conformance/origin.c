// Where the arguments of all recorded calls come from, by the recordings of the shared data: how many of each verdict,
// and how long it takes. With LG_ORIGIN_LIST set, every value that is called ungrounded is printed with its place.
#include "origin/origin.h"
#include "trace/trace.h"

#include <time.h>

#include "data_files.h"
#include "lg_test.h"

typedef struct tally {
    char source[64];
    size_t counts[LG_ORIGIN_VERDICT_COUNT];
} tally;

typedef struct totals {
    tally tallies[64];
    size_t tally_count;
    size_t counts[LG_ORIGIN_VERDICT_COUNT];
    size_t traces, values, text_bytes, pointers;
    double seconds;
    bool list;
    const char *path;
} totals;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static tally *tally_of(totals *all, const char *path, lg_str domain)
{
    char source[64];
    const char *from = strstr(path, "/traces/");
    from = from ? from + 8 : path;
    snprintf(source, sizeof(source), "%.*s %.*s", (int)strcspn(from, "/"), from, LG_FMT(domain));
    for (size_t i = 0; i < all->tally_count; i++) {
        if (strcmp(all->tallies[i].source, source) == 0) {
            return &all->tallies[i];
        }
    }
    tally *added = &all->tallies[all->tally_count < 63 ? all->tally_count++ : 63];
    memcpy(added->source, source, sizeof(source));
    return added;
}

static void list(const totals *all, const lg_trace *trace, size_t event,
                 const lg_origin_answer *answer)
{
    lg_buf value;
    lg_buf_init(&value, 0);
    lg_json_print(&value, answer->value);
    printf("%s\t%s\t%.*s\t%zu\t%.*s\t%.*s\t%.*s\t%d\t", lg_origin_verdict_name(answer->verdict),
           lg_origin_operation_name(answer->operation), LG_FMT(trace->name), event,
           LG_FMT(trace->events[event].tool), LG_FMT(answer->pointer),
           LG_FMT(lg_str_cut(lg_buf_str(&value), 200)), answer->said);
    for (uint32_t i = 0; i < answer->missing_count; i++) {
        printf("[%.*s]", LG_FMT(answer->missing[i]));
    }
    printf("\t%s\n", all->path);
    lg_buf_done(&value);
}

// A value that was seen is where the answer says, and a pointer leads there.
static void count(totals *all, tally *t, const lg_trace *trace, size_t event,
                  const lg_origin_answers *answers)
{
    for (size_t i = 0; i < answers->count; i++) {
        const lg_origin_answer *answer = &answers->items[i];
        all->counts[answer->verdict]++;
        t->counts[answer->verdict]++;
        all->values++;
        bool shown = answer->verdict == LG_ORIGIN_UNGROUNDED || answer->missing_count ||
                     answer->verdict == LG_ORIGIN_COMPUTED;
        if (all->list && shown) {
            list(all, trace, event, answer);
        }
    }
}

static void replay(totals *all, const lg_trace_set *set, const lg_trace *trace)
{
    lg_origin *origin = NULL;
    lg_arena arena;
    lg_arena_init(&arena, 0);
    if (lg_origin_new(NULL, &origin) != LG_OK) {
        CHECK_MSG(false, "out of memory");
        return;
    }
    tally *t = tally_of(all, set->path.ptr, trace->domain);
    double begin = now();
    lg_origin_take(origin, (lg_origin_source){.kind = LG_ORIGIN_PROMPT}, trace->prompt);
    for (size_t i = 0; i < trace->count; i++) {
        const lg_trace_event *event = &trace->events[i];
        lg_origin_source source = {.event = (uint32_t)i, .turn = event->turn};
        lg_str text = event->text;
        if (event->kind == LG_EVENT_MESSAGE) {
            source.kind = event->role == LG_ROLE_USER    ? LG_ORIGIN_USER
                          : event->role == LG_ROLE_AGENT ? LG_ORIGIN_AGENT
                                                         : LG_ORIGIN_PROMPT;
        } else if (event->role != LG_ROLE_AGENT) {
            continue;
        } else if (event->kind == LG_EVENT_CALL) {
            source.kind = LG_ORIGIN_CALL;
            lg_origin_answers answers = {0};
            if (event->args) {
                CHECK(lg_origin_ask(origin, &arena, event->args, NULL, &answers, NULL) == LG_OK);
                count(all, t, trace, i, &answers);
                text = text.len ? text : lg_json_source(set->text, event->args);
            }
            lg_arena_reset(&arena);
        } else {
            source.kind = event->kind == LG_EVENT_RESULT ? LG_ORIGIN_FIELD : LG_ORIGIN_ERROR;
        }
        all->text_bytes += text.len;
        lg_origin_take(origin, source, text);
    }
    CHECK(lg_origin_is_whole(origin));
    lg_origin_free(origin);
    all->seconds += now() - begin;
    all->text_bytes += trace->prompt.len;
    lg_arena_done(&arena);
}

static void visit(void *context, const char *path, lg_str text)
{
    totals *all = context;
    lg_trace_set *set = NULL;
    all->path = path;
    if (lg_trace_import(text, path, NULL, &set, NULL) != LG_OK) {
        return;
    }
    for (size_t i = 0; i < set->count; i++) {
        replay(all, set, &set->traces[i]);
        all->traces++;
    }
    lg_trace_close(set);
}

static void print(const totals *all)
{
    printf("%-44s", "");
    for (int v = 0; v < LG_ORIGIN_VERDICT_COUNT; v++) {
        printf(" %10s", lg_origin_verdict_name((lg_origin_verdict)v));
    }
    for (size_t i = 0; i <= all->tally_count; i++) {
        bool sum = i == all->tally_count;
        printf("\n%-44s", sum ? "all" : all->tallies[i].source);
        for (int v = 0; v < LG_ORIGIN_VERDICT_COUNT; v++) {
            printf(" %10zu", sum ? all->counts[v] : all->tallies[i].counts[v]);
        }
    }
    printf("\n%zu conversations, %zu values, %.1f MB of texts in %.3f s\n", all->traces,
           all->values, (double)all->text_bytes / 1e6, all->seconds);
}

static void recordings(void)
{
    static totals all;
    char folder[4096];
    snprintf(folder, sizeof(folder), "%s/data/traces", lg_test_data_dir());
    all.list = getenv("LG_ORIGIN_LIST") != NULL;
    CHECK(lg_data_each(folder, ".json", 0, visit, &all) > 0);
    CHECK(lg_data_each(folder, ".jsonl", 0, visit, &all) > 0);
    print(&all);
    CHECK(all.traces >= 2000);
    CHECK(all.counts[LG_ORIGIN_UNKNOWN] == 0);
    // Most arguments are what somebody said; were it otherwise, a reading or a form would be broken.
    CHECK(all.counts[LG_ORIGIN_SEEN] * 10 > all.values * 8);
    CHECK(all.counts[LG_ORIGIN_UNGROUNDED] * 20 < all.values);
}

int main(void)
{
    if (!lg_test_data_dir()) {
        printf("skipped: the shared recordings are not here (LEDGERGATE_DATA)\n");
        return 77;
    }
    RUN(recordings);
    return lg_test_done();
}
