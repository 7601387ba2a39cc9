// bench_simulate.c: what going back, and going on, cost in a simulated session on a large state.
//
//     bench_simulate packs/retail DATA/data/tau2/retail/db.json DATA/data/tau2/retail/gold_traces.jsonl [N]
//
// N calls (100,000; the million takes a minute): those of the gold conversations, round after round, in one session that goes
// on changing, judged and remembered. Of each tenth of the run: microseconds of CPU time a call, megabytes that malloc has handed
// out beyond the loaded state. The ledger is full with `ledger_writes`; from then on the gate has no verdict. Prints one JSON line.
#include "simulate/simulate.h"

#include "base/file.h"
#include "trace/trace.h"

#include "sampling.h"

#include <malloc.h>

#define CALLS 100000u
#define SNAPSHOTS 900u
#define TENTHS 10

static size_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_simulate: %s\n", what);
    exit(3);
}

// --- Going back ---------------------------------------------------------------------------------

typedef struct going {
    lg_sim *sim;
    lg_sim_session *session;
    uint64_t snapshot;
} going;

static void begin(void *context)
{
    going *g = context;
    lg_sim_session *session;
    if (lg_sim_session_new(g->sim, NULL, &session, NULL) != LG_OK) {
        fail("no session");
    }
    lg_sim_session_free(session);
}

static void fork_off(void *context)
{
    going *g = context;
    lg_sim_session *other;
    if (lg_sim_fork(g->session, &other, NULL) != LG_OK) {
        fail("no fork");
    }
    lg_sim_session_free(other);
}

static void restore(void *context)
{
    going *g = context;
    if (lg_sim_restore(g->session, g->snapshot, NULL) != LG_OK) {
        fail("no way back");
    }
}

// Nanoseconds of one of many snapshots, all of which stay: the median of some rounds.
static double time_snapshots(going *g)
{
    double samples[SAMPLES];
    for (size_t s = 0; s < SAMPLES; s++) {
        lg_sim_session *other;
        uint64_t number;
        if (lg_sim_fork(g->session, &other, NULL) != LG_OK) {
            fail("no fork");
        }
        double start = sampling_now_ns();
        for (size_t i = 0; i < SNAPSHOTS; i++) {
            if (lg_sim_snapshot(other, &number, NULL) != LG_OK) {
                fail("no snapshot");
            }
        }
        samples[s] = (sampling_now_ns() - start) / SNAPSHOTS;
        lg_sim_session_free(other);
    }
    qsort(samples, SAMPLES, sizeof(samples[0]), sampling_by_value);
    return samples[SAMPLES / 2];
}

// --- Going on -----------------------------------------------------------------------------------

typedef struct calls {
    lg_sim_call *items;
    size_t count;
} calls;

static calls calls_of(lg_arena *arena, const lg_trace_set *set)
{
    calls all = {0};
    size_t capacity = 0;
    for (size_t t = 0; t < set->count; t++) {
        for (size_t i = 0; i < set->traces[t].count; i++) {
            const lg_trace_event *e = &set->traces[t].events[i];
            if (e->kind != LG_EVENT_CALL) {
                continue;
            }
            all.items = lg_arena_grow(arena, all.items, all.count, &capacity, sizeof(*all.items));
            if (!all.items) {
                fail("out of memory");
            }
            all.items[all.count++] =
                (lg_sim_call){.tool = e->tool, .args = e->args, .by_user = e->role == LG_ROLE_USER};
        }
    }
    return all;
}

typedef struct run {
    double tenth_us[TENTHS]; // CPU time of a call, in each tenth of the run
    double tenth_mb[TENTHS]; // what the session held at its end
    double whole_us;
    size_t peak_bytes;
    size_t violations;
} run;

// CPU time: other work of the machine does not count.
static double cpu_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static run run_calls(lg_sim_session *session, const calls *all, size_t count)
{
    run r = {0};
    size_t before = allocated();
    double start = cpu_now_us();
    for (size_t tenth = 0, i = 0; tenth < TENTHS; tenth++) {
        size_t from = i;
        double began = cpu_now_us();
        for (; i < count * (tenth + 1) / TENTHS; i++) {
            lg_sim_answer answer;
            lg_error error;
            if (lg_sim_call_tool(session, &all->items[i % all->count], NULL, &answer, &error) !=
                LG_OK) {
                fail(error.msg);
            }
            r.violations += answer.violation_count;
            size_t held = i % 256 == 0 ? allocated() - before : 0;
            r.peak_bytes = held > r.peak_bytes ? held : r.peak_bytes;
        }
        r.tenth_us[tenth] = i > from ? (cpu_now_us() - began) / (double)(i - from) : 0;
        r.tenth_mb[tenth] = (double)(allocated() - before) / 1e6;
    }
    r.whole_us = (cpu_now_us() - start) / (double)count;
    return r;
}

static void print_tenths(const char *name, const double tenths[TENTHS])
{
    printf(", \"%s\": [", name);
    for (size_t i = 0; i < TENTHS; i++) {
        printf("%s%.1f", i ? ", " : "", tenths[i]);
    }
    printf("]");
}

// --- The whole ----------------------------------------------------------------------------------

static lg_sim *open_sim(lg_arena *arena, const lg_pack *pack, lg_str text, const char *name)
{
    lg_sim *sim = NULL;
    lg_errors errors;
    const lg_json *value = NULL;
    lg_sim_options options = {.pack = pack};
    lg_errors_init(&errors, arena, 1);
    if (lg_json_parse_in(arena, text, 0, text.len, NULL, &value, NULL) != LG_OK ||
        lg_sim_new(&options, &sim, &errors) != LG_OK) {
        fail("no simulator");
    }
    lg_world_file file = {.value = value, .text = text, .name = name};
    if (lg_sim_add_state(sim, &file, LG_STR(""), &errors) != LG_OK) {
        fail(errors.count ? errors.items[0].msg : "no state");
    }
    return sim;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: bench_simulate PACK STATE GOLD_TRACES [N]\n");
        return 2;
    }
    lg_pack *pack;
    lg_error error = {0};
    size_t errors;
    lg_file state = {0};
    lg_trace_set *set;
    lg_arena arena;
    lg_arena_init(&arena, 0);
    if (lg_pack_load(argv[1], NULL, &pack, &error, 1, &errors) != LG_OK ||
        lg_file_open(argv[2], (size_t)1 << 30, &state, &error) != LG_OK ||
        lg_trace_open(argv[3], NULL, &set, &error) != LG_OK) {
        fprintf(stderr, "%s\n", error.msg);
        return 2;
    }
    size_t count = argc > 4 ? (size_t)strtoull(argv[4], NULL, 10) : CALLS;
    going g = {.sim = open_sim(&arena, pack, state.text, argv[2])};
    calls all = calls_of(&arena, set);
    if (lg_sim_session_new(g.sim, NULL, &g.session, NULL) != LG_OK) {
        fail("no session");
    }
    (void)run_calls(g.session, &all, all.count); // so that there is something to go back from
    if (lg_sim_snapshot(g.session, &g.snapshot, NULL) != LG_OK) {
        fail("no snapshot");
    }
    double new_us = sampling_median_ns(begin, &g) / 1e3;
    double fork_us = sampling_median_ns(fork_off, &g) / 1e3;
    double restore_us = sampling_median_ns(restore, &g) / 1e3;
    double snapshot_us = time_snapshots(&g) / 1e3;
    lg_sim_session_free(g.session);
    if (lg_sim_session_new(g.sim, NULL, &g.session, NULL) != LG_OK) {
        fail("no session");
    }
    run r = run_calls(g.session, &all, count);
    printf("{\"bench\": \"simulate\", \"state_mb\": %.1f, \"session_us\": %.2f, \"snapshot_us\": "
           "%.2f, "
           "\"fork_us\": %.2f, \"restore_us\": %.2f, \"calls\": %zu, \"call_us\": %.1f",
           (double)state.text.len / 1e6, new_us, snapshot_us, fork_us, restore_us, count,
           r.whole_us);
    print_tenths("tenth_us", r.tenth_us);
    print_tenths("tenth_mb", r.tenth_mb);
    printf(", \"peak_mb\": %.1f, \"held_mb\": %.1f, \"violations\": %zu}\n",
           (double)r.peak_bytes / 1e6, (double)lg_sim_held_bytes(g.session) / 1e6, r.violations);
    lg_sim_session_free(g.session);
    lg_sim_free(g.sim);
    lg_trace_close(set);
    lg_file_close(&state);
    lg_pack_free(pack);
    lg_arena_done(&arena);
    return 0;
}
