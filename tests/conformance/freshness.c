// freshness.c: what is not marked stale is what the tools would return today.
//
// The gold calls of each domain are carried out on its real state, and after each of them some
// writes of other conversations. After every call, every read that the ledger holds a record of is
// made again: where its record has changed, that part of it must be stale.
#include "base/file.h"
#include "ledger/ledger.h"
#include "lg_test.h"
#include "world/world.h"

#include <stdlib.h>

#define STEPS_MAX 16u
#define TASKS_MAX 512u

typedef struct domain {
    lg_pack *pack;
    lg_world world;
    lg_ledger ledger;
    lg_ledger again; // what a read would store today
    lg_arena data;   // of the files
    lg_arena call;   // of one call
    const lg_json *tasks[TASKS_MAX];
    size_t task_count;
    uint64_t random;
    size_t compared, changed, stale;
} domain;

// --- Comparing ------------------------------------------------------------------------------------

typedef struct walk {
    domain *d;
    const lg_ledger_entry *entry;
    lg_str steps[STEPS_MAX];
    uint32_t count;
    bool changed;
} walk;

static void compare(walk *w, const lg_json *old, const lg_json *now);

static void compare_below(walk *w, lg_str step, const lg_json *old, const lg_json *now)
{
    w->steps[w->count++] = step;
    compare(w, old, now);
    w->count--;
}

static void check_stale(walk *w)
{
    w->changed = true;
    if (!CHECK_MSG(lg_ledger_is_stale(w->entry, w->steps, w->count, NULL, NULL),
                   "a record has changed and is not stale")) {
        printf("    %.*s, read by %.*s at turn %u", LG_FMT(w->entry->declared->text),
               LG_FMT(w->entry->tool), w->entry->turn);
        for (uint32_t i = 0; i < w->count; i++) {
            printf(".%.*s", LG_FMT(w->steps[i]));
        }
        printf("\n");
    }
}

static void compare(walk *w, const lg_json *old, const lg_json *now)
{
    bool objects = lg_json_is(old, LG_JSON_OBJECT) && lg_json_is(now, LG_JSON_OBJECT);
    bool lists = lg_json_is(old, LG_JSON_ARRAY) && lg_json_is(now, LG_JSON_ARRAY) &&
                 lg_json_len(old) == lg_json_len(now);
    if ((!old && !now) || (old && now && lg_json_equal(old, now))) {
        return;
    }
    if ((!objects && !lists) || w->count == STEPS_MAX) {
        check_stale(w);
        return;
    }
    for (size_t i = 0; i < lg_json_len(old); i++) {
        lg_str key = objects ? lg_json_key(lg_json_member_at(old, i)) : (lg_str){NULL, 0};
        const lg_json *before = objects ? &lg_json_member_at(old, i)->value : lg_json_item(old, i);
        compare_below(w, key, before, objects ? lg_json_get(now, key) : lg_json_item(now, i));
    }
    for (size_t i = 0; objects && i < lg_json_len(now); i++) {
        lg_str key = lg_json_key(lg_json_member_at(now, i));
        if (!lg_json_get(old, key)) {
            compare_below(w, key, NULL, &lg_json_member_at(now, i)->value);
        }
    }
}

// --- Calls ----------------------------------------------------------------------------------------

// Carries a call out; the text of its result, or an empty one if it failed.
static bool carry_out(domain *d, lg_str tool, const lg_json *args, bool by_user, lg_str *ret)
{
    lg_world_call call = {.tool = tool, .args = args, .by_user = by_user};
    lg_world_outcome outcome;
    lg_error error;
    CHECK(lg_world_call_tool(&d->world, &call, &outcome, &error) == LG_OK);
    lg_buf text;
    lg_buf_init(&text, 0);
    if (outcome.result) {
        lg_world_print_result(&text, outcome.result);
    }
    *ret = lg_arena_str(&d->call, lg_buf_str(&text));
    lg_buf_done(&text);
    return outcome.end == LG_WORLD_DONE;
}

static void observe(lg_ledger *ledger, lg_str tool, const lg_json *args, bool by_user, lg_str text,
                    uint32_t turn)
{
    lg_ledger_call call = {
        .tool = tool, .args = args, .result = text, .by_user = by_user, .turn = turn};
    lg_observed observed;
    lg_error error = {0};
    CHECK_MSG(lg_ledger_observe(ledger, &call, &observed, &error) == LG_OK, error.msg);
}

// Makes the record's read again, on the state as it is, and leaves no trace.
static void check_entry(domain *d, const lg_ledger_entry *entry)
{
    lg_str text;
    const lg_json *root = d->world.root;
    lg_arena_mark mark = lg_arena_mark_here(&d->call);
    lg_ledger_reset(&d->again);
    walk w = {.d = d, .entry = entry};
    if (carry_out(d, entry->tool, entry->args, false, &text)) {
        observe(&d->again, entry->tool, entry->args, false, text, 0);
        const lg_ledger_entry *now =
            lg_ledger_find(&d->again.state, entry->segments, entry->declared->segment_count);
        compare(&w, entry->value, now ? now->value : NULL);
    } else {
        check_stale(&w); // what was there is there no more
    }
    d->compared++;
    d->changed += w.changed;
    d->stale += entry->stale;
    d->world.root = root;
    lg_arena_rewind(&d->call, mark);
}

static void one_call(domain *d, const lg_json *call, uint32_t turn)
{
    lg_str tool = lg_json_str(lg_json_get(call, LG_STR("name")));
    const lg_json *args = lg_json_get(call, LG_STR("arguments"));
    bool by_user = lg_str_eq(lg_json_str(lg_json_get(call, LG_STR("requestor"))), LG_STR("user"));
    const lg_tool *declared = lg_pack_tool(d->pack, tool);
    lg_str text;
    bool says = declared && (declared->gives || declared->has_answer);
    if (!declared || !carry_out(d, tool, args, by_user, &text) ||
        (declared->kind == LG_TOOL_READ && !says)) {
        return;
    }
    observe(&d->ledger, tool, args, by_user, text, turn);
    for (uint32_t i = 0; declared->kind == LG_TOOL_WRITE && i < d->ledger.state.entries.count;
         i++) {
        check_entry(d, lg_ledger_entry_at(&d->ledger.state, i));
    }
}

// A write out of any conversation of the domain, or NULL.
static const lg_json *pick_write(domain *d)
{
    d->random = d->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const lg_json *task = d->tasks[(d->random >> 33) % d->task_count];
    const lg_json *calls = lg_json_get(task, LG_STR("calls"));
    size_t from = (d->random >> 20) % (lg_json_len(calls) + 1);
    for (size_t i = from; i < lg_json_len(calls); i++) {
        const lg_json *call = lg_json_item(calls, i);
        const lg_tool *tool = lg_pack_tool(d->pack, lg_json_str(lg_json_get(call, LG_STR("name"))));
        if (tool && tool->kind == LG_TOOL_WRITE) {
            return call;
        }
    }
    return NULL;
}

static void one_task(domain *d, const lg_json *task)
{
    const lg_json *calls = lg_json_get(task, LG_STR("calls"));
    lg_ledger_reset(&d->ledger);
    for (size_t i = 0; i < lg_json_len(calls); i++) {
        one_call(d, lg_json_item(calls, i), (uint32_t)i);
        const lg_json *other = pick_write(d);
        if (other) {
            one_call(d, other, (uint32_t)i);
        }
    }
}

// --- Domains --------------------------------------------------------------------------------------

static size_t read_lines(lg_arena *arena, const char *folder, const char *name,
                         const lg_json **items)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    lg_file file;
    lg_error error;
    if (lg_file_open(path, (size_t)1 << 30, &file, &error) != LG_OK) {
        printf("%s: %s\n", path, error.msg);
        exit(1);
    }
    lg_str text = lg_arena_str(arena, file.text);
    lg_file_close(&file);
    size_t count = 0;
    for (size_t from = 0; from < text.len && count < TASKS_MAX;) {
        size_t length = lg_str_find(lg_str_slice(text, from, text.len), LG_STR("\n"));
        bool whole = !lg_str_ends(lg_str_c(name), LG_STR("l")) || length == SIZE_MAX;
        size_t to = whole ? text.len : from + length;
        if (lg_json_parse_in(arena, text, from, to, NULL, &items[count++], &error) != LG_OK) {
            printf("%s: %s\n", path, error.msg);
            exit(1);
        }
        from = to + 1;
    }
    return count;
}

static void load_state(domain *d, const lg_json *state)
{
    lg_errors errors;
    lg_errors_init(&errors, &d->call, 4);
    lg_world_file file = {.value = state, .name = "state"};
    if (!CHECK(lg_world_load(&d->world, &file, &errors) == LG_OK)) {
        printf("%s\n", errors.count ? errors.items[0].msg : "out of memory");
        exit(1);
    }
}

static void try_domain(const char *data, const char *name, const char *states_name)
{
    static const lg_json *states[TASKS_MAX];
    domain d = {.random = 7};
    char path[4096];
    lg_error error;
    size_t count = 0;
    snprintf(path, sizeof(path), LG_SOURCE_DIR "/packs/%s", name);
    if (lg_pack_load(path, NULL, &d.pack, &error, 1, &count) != LG_OK) {
        printf("%s: %s\n", path, error.msg);
        exit(1);
    }
    lg_limits no_limit = {.memory_bytes = SIZE_MAX / 2};
    lg_world_init(&d.world, d.pack, NULL);
    lg_ledger_init(&d.ledger, d.pack, NULL);
    lg_ledger_init(&d.again, d.pack, NULL);
    lg_arena_init(&d.data, no_limit.memory_bytes);
    lg_arena_init(&d.call, 0);
    snprintf(path, sizeof(path), "%s/data/tau2/%s", data, name);
    size_t state_count = read_lines(&d.data, path, states_name, states);
    d.task_count = read_lines(&d.data, path, "gold_traces.jsonl", d.tasks);
    for (size_t i = 0; i < d.task_count; i++) {
        load_state(&d, states[i < state_count ? i : state_count - 1]);
        one_task(&d, d.tasks[i]);
        lg_ledger_reset(&d.ledger);
        lg_arena_reset(&d.call);
    }
    printf("%s: %zu records looked at again, %zu had changed, %zu were stale\n", name, d.compared,
           d.changed, d.stale);
    CHECK_MSG(d.changed > 0, "records have changed at all");
    lg_world_done(&d.world);
    lg_ledger_done(&d.ledger);
    lg_ledger_done(&d.again);
    lg_arena_done(&d.data);
    lg_arena_done(&d.call);
    lg_pack_free(d.pack);
}

static void what_has_changed_is_stale(void)
{
    const char *data = lg_test_data_dir();
    if (!data) {
        printf("skipped: freshness (no shared data)\n");
        exit(77);
    }
    try_domain(data, "retail", "db.json");
    try_domain(data, "airline", "db.json");
    try_domain(data, "telecom", "initial_states.jsonl");
}

int main(void)
{
    RUN(what_has_changed_is_stale);
    return lg_test_done();
}
