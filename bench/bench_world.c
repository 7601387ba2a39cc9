// bench_world.c: what a write on a large state costs, and what a million of them hold.
//
//     bench_world packs/retail DATA/data/tau2/retail/db.json DATA/data/tau2/retail/gold_traces.jsonl [N]
//
// N calls (20,000; the million takes minutes): those of the gold conversations, round after round, on one state that goes on changing. Memory is
// what malloc has handed out beyond the loaded state. Prints one JSON line.
#include "world/world.h"

#include "base/file.h"
#include "trace/trace.h"

#include "sampling.h"

#include <malloc.h>

#define CALLS 20000u
#define TIMED_WRITES 2000u

static size_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_world: %s\n", what);
    exit(3);
}

typedef struct calls {
    lg_world_call *items;
    size_t count;
} calls;

static calls calls_of(lg_arena *arena, const lg_pack *pack, const lg_trace_set *set)
{
    calls all = {0};
    size_t capacity = 0;
    for (size_t t = 0; t < set->count; t++) {
        for (size_t i = 0; i < set->traces[t].count; i++) {
            const lg_trace_event *e = &set->traces[t].events[i];
            const lg_tool *tool = lg_pack_tool(pack, e->tool);
            if (e->kind != LG_EVENT_CALL || !tool || tool->by_user) {
                continue;
            }
            all.items = lg_arena_grow(arena, all.items, all.count, &capacity, sizeof(*all.items));
            if (!all.items) {
                fail("out of memory");
            }
            all.items[all.count++] = (lg_world_call){.tool = e->tool, .args = e->args};
        }
    }
    return all;
}

static lg_world_end call(lg_world *world, const lg_world_call *c)
{
    lg_world_outcome outcome;
    if (lg_world_call_tool(world, c, &outcome, NULL) != LG_OK) {
        fail("a call was not carried out");
    }
    return outcome.end;
}

// Writes alone, each from the state at the start: what one takes, and what it adds to the memory.
static double time_writes(lg_world *world, const calls *all, const lg_pack *pack,
                          double *ret_kb_a_write)
{
    double spent = 0;
    size_t writes = 0;
    const lg_json *start = world->root;
    size_t before = allocated();
    for (size_t i = 0; writes < TIMED_WRITES; i++) {
        const lg_world_call *c = &all->items[i % all->count];
        if (lg_pack_tool(pack, c->tool)->kind != LG_TOOL_WRITE) {
            continue;
        }
        world->root = start;
        double begin = sampling_now_ns();
        bool done = call(world, c) == LG_WORLD_DONE;
        if (done) {
            spent += sampling_now_ns() - begin;
            writes++;
        }
    }
    *ret_kb_a_write = (double)(allocated() - before) / 1024 / (double)writes;
    world->root = start;
    return spent / (double)writes;
}

int main(int argc, char **argv)
{
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: bench_world PACK STATE GOLD_TRACES [N]\n");
        return 2;
    }
    lg_pack *pack;
    lg_error error = {0};
    size_t errors;
    lg_trace_set *set;
    lg_file file;
    lg_json_doc *doc;
    if (lg_pack_load(argv[1], NULL, &pack, &error, 1, &errors) != LG_OK ||
        lg_trace_open(argv[3], NULL, &set, &error) != LG_OK ||
        lg_file_read(argv[2], NULL, &file, &error) != LG_OK ||
        lg_json_parse(file.text, NULL, &doc, &error) != LG_OK) {
        fprintf(stderr, "%s\n", error.msg);
        return 2;
    }
    lg_arena arena;
    lg_errors load_errors;
    lg_world world;
    lg_arena_init(&arena, 0);
    lg_errors_init(&load_errors, &arena, 5);
    lg_world_init(&world, pack, NULL);
    lg_world_file state = {.value = lg_json_root(doc), .text = file.text, .name = argv[2]};
    if (lg_world_load(&world, &state, &load_errors) != LG_OK) {
        fail("the state does not fit the pack");
    }
    calls all = calls_of(&arena, pack, set);
    double kb_a_write;
    double ns = time_writes(&world, &all, pack, &kb_a_write);
    lg_world_tidy(&world, NULL, 0);
    size_t before = allocated();
    size_t peak = 0;
    size_t done = 0;
    size_t calls_wanted = argc == 5 ? strtoull(argv[4], NULL, 10) : CALLS;
    double start = sampling_now_ns();
    for (size_t i = 0; i < calls_wanted; i++) {
        lg_world_tidy(&world, NULL, 0);
        done += call(&world, &all.items[i % all.count]) == LG_WORLD_DONE;
        size_t now = i % 64 == 0 ? allocated() : 0;
        peak = now > before + peak ? now - before : peak;
    }
    printf("{\"bench\": \"world\", \"state_mb\": %.1f, \"write_us\": %.1f, \"kb_a_write\": %.1f, "
           "\"calls\": %zu, \"done\": %zu, \"seconds\": %.1f, \"peak_beyond_state_mb\": %.1f}\n",
           (double)file.text.len / 1e6, ns / 1000, kb_a_write, calls_wanted, done,
           (sampling_now_ns() - start) / 1e9, (double)peak / 1e6);
    lg_world_done(&world);
    lg_arena_done(&arena);
    lg_json_doc_free(doc);
    lg_file_close(&file);
    lg_trace_close(set);
    lg_pack_free(pack);
    return 0;
}
