// steps_bench.h: a session whose decisions are counted, timed and shown.
//
// Outcome and steps are asserted. How long it took is printed and not asserted: the lines are what one
// looks at to see whether a step still is a small piece of work.
#ifndef LG_STEPS_BENCH_H
#define LG_STEPS_BENCH_H

#include "lg_test.h"
#include "pack_fixture.h"

#include "gate/gate.h"

#include <time.h>

static double slowest_ms;
static double dearest_ns; // of a step

static inline double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); // what others do on the machine does not count
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// --- A session of a pack with one rule ------------------------------------------------------------

typedef struct bench {
    lg_pack *pack;
    lg_session *session;
    lg_buf text; // of results and arguments
} bench;

static inline void open_pack(bench *b, const char *parameters, const char *rest)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_str yaml = lg_arena_printf(
        &arena,
        "pack: steps\nversion: '1'\nclock: '2024-05-15T15:00:00Z'\n"
        "ledger: {box: {}, boxes.*: {}}\nstate: {}\n"
        "tools:\n"
        "  get_box: {kind: read, parameters: {type: object}, returns: {}, stores: [{at: box}]}\n"
        "  get_one:\n"
        "    kind: read\n"
        "    parameters: {type: object, properties: {id: {type: string}}}\n"
        "    returns: {}\n"
        "    stores: [{at: 'boxes[args.id]'}]\n"
        "  act: {kind: write, parameters: %s, effects: []}\n%s",
        parameters, rest);
    b->pack = fixture_pack(yaml.ptr);
    lg_arena_done(&arena);
    lg_buf_init(&b->text, 0);
    // Steps are what is looked at here: memory must not end first.
    lg_limits limits = {.memory_bytes = (size_t)1 << 30};
    CHECK(lg_session_new(b->pack, &limits, &b->session) == LG_OK);
}

static inline void close_pack(bench *b)
{
    lg_session_free(b->session);
    lg_pack_free(b->pack);
    lg_buf_done(&b->text);
}

static inline void observe(bench *b, const char *tool, const char *args, lg_str result)
{
    lg_event o = {
        .kind = LG_EVENT_RESULT, .tool = lg_str_c(tool), .args = lg_str_c(args), .text = result};
    lg_observed observed = LG_OBSERVED_NOTHING;
    lg_error error = {0};
    CHECK_MSG(lg_observe(b->session, &o, &observed, &error) == LG_OK, error.msg);
    CHECK_MSG(observed == LG_OBSERVED_RECORDS, error.msg);
}

// "revise: r budget, s violated"
static inline void describe(lg_buf *out, const lg_decision *decision)
{
    lg_buf_addf(out, "%s: ", lg_verdict_name(decision->verdict));
    for (size_t i = 0; i < decision->finding_count; i++) {
        const lg_finding *finding = &decision->findings[i];
        lg_buf_addf(out, "%s%.*s %s", i ? ", " : "", LG_FMT(finding->rule),
                    lg_cause_name(finding->cause));
    }
}

static inline void show(const char *name, const lg_decision *decision, double ns)
{
    double a_step = decision->steps > 1000 ? ns / (double)decision->steps : 0.0;
    slowest_ms = ns / 1e6 > slowest_ms ? ns / 1e6 : slowest_ms;
    dearest_ns = a_step > dearest_ns ? a_step : dearest_ns;
    printf("bench: %-42s %7.2f ms %8llu steps %6.1f ns a step\n", name, ns / 1e6,
           (unsigned long long)decision->steps, a_step);
}

// Judges twice: the outcome and the steps are those of the first time. Returns the second.
static inline const lg_decision *judge(bench *b, const char *name, lg_str args, const char *want)
{
    static const lg_decision none = {0};
    const lg_decision *decision = &none;
    lg_event call = {.kind = LG_EVENT_CALL, .tool = LG_STR("act"), .args = args};
    lg_error error = {0};
    CHECK_MSG(lg_decide(b->session, &call, 1, &decision, &error) == LG_OK, error.msg);
    uint64_t steps = decision->steps;
    double start = now_ns();
    CHECK(lg_decide(b->session, &call, 1, &decision, &error) == LG_OK);
    show(name, decision, now_ns() - start);
    lg_buf text;
    lg_buf_init(&text, 0);
    describe(&text, decision);
    lg_test_name = name;
    CHECK_STR(lg_buf_str(&text), want);
    CHECK_MSG(decision->steps == steps, "the same steps as before");
    lg_buf_done(&text);
    return decision;
}

static inline void show_worst(void)
{
    printf("bench: the slowest decision took %.2f ms, the dearest step %.1f ns\n", slowest_ms,
           dearest_ns);
}

#endif
