// bench_rest.c: what HTTP costs on top of a call: a request read, an answer written, a problem written.
//
//     bench_rest DOCUMENT...
//
// Of each document every operation whose arguments can be said: its request, made up by seed, is read; its answer, made up once, is
// written as the document says it; a problem is written instead. Microseconds of one, the mean of all of a document's
// operations, and of the dearest. Prints one JSON line a document.
#include "rest/rest.h"

#include "base/file.h"
#include "schema/synthesise.h"

#include "sampling.h"

#define OPERATIONS_MAX 2000u

typedef struct item {
    const lg_rest *rest;
    lg_arena *scratch;
    lg_rest_request request;
    lg_rest_call call;
    lg_rest_answer answer;
} item;

// Not as many rounds as for a single figure: it is the mean of many operations that is told.
static double median_us(void (*work)(void *), void *context)
{
    double samples[7];
    for (size_t i = 0; i < LG_COUNT(samples); i++) {
        samples[i] = sampling_repeat(work, context, 100) / 100 / 1e3;
    }
    qsort(samples, LG_COUNT(samples), sizeof(samples[0]), sampling_by_value);
    return samples[LG_COUNT(samples) / 2];
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_rest: %s\n", what);
    exit(3);
}

static void read_request(void *context)
{
    item *t = context;
    lg_rest_call call;
    lg_rest_problem problem;
    lg_arena_reset(t->scratch);
    if (lg_rest_read(t->rest, t->scratch, &t->request, &call, &problem) != LG_OK) {
        fail("no request");
    }
}

static void respond(void *context)
{
    item *t = context;
    lg_rest_response response;
    lg_arena_reset(t->scratch);
    if (lg_rest_respond(t->rest, t->scratch, &t->call, &t->answer, &response) != LG_OK) {
        fail("no response");
    }
}

static void respond_absent(void *context)
{
    item *t = context;
    lg_rest_response response;
    lg_rest_answer absent = {.kind = LG_REST_ABSENT, .message = LG_STR("there is none")};
    lg_arena_reset(t->scratch);
    if (lg_rest_respond(t->rest, t->scratch, &t->call, &absent, &response) != LG_OK) {
        fail("no problem");
    }
}

// The request of a tool, as a client would make it. False: its arguments cannot be said.
static bool make_item(lg_arena *arena, const lg_rest *rest, const lg_rest_operation *o, item *ret)
{
    const lg_catalogue_tool *tool = lg_rest_tool(o);
    const lg_synthesis_options how = {.seed = 1};
    const lg_json *args = NULL;
    lg_rest_sending sending;
    lg_rest_problem problem;
    lg_error err = {0};
    if (!tool->arguments ||
        lg_schema_synthesise_compiled(arena, tool->arguments, &how, &args, NULL) != LG_OK ||
        lg_rest_write(o, arena, LG_STR("http://h"), args, &sending, &err) != LG_OK) {
        return false;
    }
    lg_str target = lg_str_slice(sending.url, strlen("http://h"), sending.url.len);
    size_t mark = lg_str_find(target, LG_STR("?"));
    ret->rest = rest;
    ret->request = (lg_rest_request){
        .method = sending.method,
        .path = lg_str_slice(target, 0, mark),
        .query = lg_str_slice(target, mark == SIZE_MAX ? target.len : mark + 1, target.len),
        .headers = sending.headers,
        .header_count = sending.header_count,
        .body = sending.body};
    if (tool->results) {
        lg_status status =
            lg_schema_synthesise_compiled(arena, tool->results, &how, &ret->answer.value, NULL);
        ret->answer.value = status == LG_OK ? ret->answer.value : NULL;
    }
    return lg_rest_read(rest, arena, &ret->request, &ret->call, &problem) == LG_OK &&
           problem.status == 0;
}

typedef struct sum {
    const char *name;
    void (*work)(void *);
    double all, most;
} sum;

static void run(const char *path)
{
    lg_arena arena;
    lg_arena scratch;
    lg_file file = {0};
    lg_error err = {0};
    const lg_catalogue *catalogue = NULL;
    const lg_rest *rest = NULL;
    const lg_rest_options options = {.without_security = true};
    lg_arena_init(&arena, 0);
    lg_arena_init(&scratch, 0);
    if (lg_file_read(path, NULL, &file, &err) != LG_OK ||
        lg_catalogue_read(&arena, file.text, NULL, &catalogue, &err) != LG_OK) {
        fail(err.msg);
    }
    double start = sampling_now_ns();
    if (lg_rest_new(&arena, catalogue, &options, &rest, &err) != LG_OK) {
        fail(err.msg);
    }
    double load = sampling_now_ns() - start;
    sum sums[] = {{"read", read_request, 0, 0},
                  {"respond", respond, 0, 0},
                  {"problem", respond_absent, 0, 0}};
    size_t count = 0;
    size_t step = 1 + lg_rest_count(rest) / 60; // of a large document some sixty, evenly
    for (size_t i = 0; i < lg_rest_count(rest) && count < OPERATIONS_MAX; i += step) {
        item t = {.scratch = &scratch};
        if (!make_item(&arena, rest, lg_rest_at(rest, i), &t)) {
            continue;
        }
        count++;
        for (size_t k = 0; k < LG_COUNT(sums); k++) {
            double us = median_us(sums[k].work, &t);
            sums[k].all += us;
            sums[k].most = us > sums[k].most ? us : sums[k].most;
        }
    }
    printf("{\"document\":\"%s\",\"operations\":%zu,\"measured\":%zu,\"load_ms\":%.1f", path,
           lg_rest_count(rest), count, load / 1e6);
    for (size_t k = 0; count && k < LG_COUNT(sums); k++) {
        printf(",\"%s_us\":%.2f,\"%s_most_us\":%.2f", sums[k].name, sums[k].all / (double)count,
               sums[k].name, sums[k].most);
    }
    printf("}\n");
    fflush(stdout);
    lg_arena_done(&scratch);
    lg_arena_done(&arena);
    lg_file_close(&file);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        run(argv[i]);
    }
    return argc > 1 ? 0 : 2;
}
