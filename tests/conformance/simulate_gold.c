// simulate_gold.c: from a pack and a first state alone, a simulator answers every call of every gold conversation with
// the recorded result, the customer's own calls included, and ends in the recorded state; and from a snapshot that was
// taken on the way it does so again.
//
// A recorded state is the first one with `changed` applied, in which lists of records are told apart by id.
#include "lg_test.h"

#include "base/file.h"
#include "simulate/simulate.h"
#include "json/tree.h"

#define DOMAIN_BYTES_MAX ((size_t)256 << 20)
#define SEGMENTS_MAX 16u

typedef struct gold {
    const char *name;
    const char *states; // file of first states
    bool per_task;      // one a line
    lg_arena arena;
    lg_arena scratch; // of one task
    lg_pack *pack;
    lg_sim *sim;
    size_t tasks, calls, user_calls;
    size_t wrong_results, wrong_states;
} gold;

static lg_str read_text(gold *g, const char *file)
{
    char path[4096];
    lg_file opened = {0};
    lg_error error = {.msg = ""};
    snprintf(path, sizeof(path), "%s/data/tau2/%s/%s", lg_test_data_dir(), g->name, file);
    if (lg_file_open(path, DOMAIN_BYTES_MAX, &opened, &error) != LG_OK) {
        printf("%s: %s\n", path, error.msg);
        exit(1);
    }
    lg_str text = lg_arena_str(&g->arena, opened.text);
    lg_file_close(&opened);
    return text;
}

static const lg_json *parse(lg_arena *arena, lg_str text, size_t from, size_t to)
{
    const lg_json *value = NULL;
    lg_error error = {.msg = ""};
    if (lg_json_parse_in(arena, text, from, to, NULL, &value, &error) != LG_OK) {
        printf("%s\n", error.msg);
        exit(1);
    }
    return value;
}

static const lg_json *get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

// --- The recorded state -------------------------------------------------------------------------

// The member, or of a list of records the one that has this id.
static const lg_json *child_of(const lg_json *node, lg_str name, size_t *ret_index)
{
    for (size_t i = 0; lg_json_is(node, LG_JSON_ARRAY) && i < lg_json_len(node); i++) {
        const lg_json *record = lg_json_item(node, i);
        for (size_t m = 0; lg_json_is(record, LG_JSON_OBJECT) && m < lg_json_len(record); m++) {
            const lg_json_member *member = lg_json_member_at(record, m);
            if (lg_str_ends(lg_json_key(member), LG_STR("id")) &&
                lg_str_eq(lg_json_str(&member->value), name)) {
                *ret_index = i;
                return record;
            }
        }
    }
    return lg_json_get(node, name);
}

static lg_json with_change(lg_arena *arena, const lg_json *node, const lg_str *path, size_t count,
                           const lg_json *value)
{
    size_t index = 0;
    if (count == 0) {
        return *value;
    }
    const lg_json *child = child_of(node, path[0], &index);
    lg_json below = with_change(arena, child, path + 1, count - 1, value);
    lg_json result = lg_json_make_null();
    lg_status status = child && lg_json_is(node, LG_JSON_ARRAY)
                           ? lg_tree_with_item_at(arena, node, index, below, &result)
                           : lg_tree_with_member(arena, node, path[0], below, &result);
    CHECK(status == LG_OK);
    return result;
}

static lg_json with_changes(gold *g, lg_json state, const lg_json *changed, const char *part)
{
    for (size_t i = 0; i < lg_json_len(changed); i++) {
        const lg_json_member *member = lg_json_member_at(changed, i);
        lg_str path[SEGMENTS_MAX];
        size_t count = 0;
        if (lg_json_is(get(&state, part), LG_JSON_OBJECT)) {
            path[count++] = lg_str_c(part);
        }
        lg_str rest = lg_json_key(member);
        for (size_t dot = 0; dot != SIZE_MAX && count < SEGMENTS_MAX;) {
            dot = lg_str_find(rest, LG_STR("."));
            path[count++] = lg_str_slice(rest, 0, dot);
            rest = dot == SIZE_MAX ? rest : lg_str_slice(rest, dot + 1, rest.len);
        }
        state = with_change(&g->scratch, &state, path, count, &member->value);
    }
    return state;
}

static lg_json view_of(gold *g, lg_sim_session *session)
{
    const lg_json *view = NULL;
    CHECK(lg_sim_state(session, &g->scratch, true, &view, NULL) == LG_OK);
    return view ? *view : lg_json_make_null();
}

// --- Calls --------------------------------------------------------------------------------------

static const lg_json *as_json(gold *g, lg_str text)
{
    const lg_json *value = NULL;
    return lg_json_parse_in(&g->scratch, text, 0, text.len, NULL, &value, NULL) == LG_OK ? value
                                                                                         : NULL;
}

static bool is_recorded(gold *g, const lg_json *recorded, const lg_sim_answer *answer)
{
    lg_str expected = lg_json_str(recorded);
    lg_str text = lg_arena_str(&g->scratch, answer->text);
    if (lg_json_is(recorded, LG_JSON_STRING) && lg_str_eq(expected, text)) {
        return true;
    }
    const lg_json *value = lg_json_is(recorded, LG_JSON_STRING) ? as_json(g, expected) : recorded;
    const lg_json *got = as_json(g, text);
    return value && got && lg_json_equal(value, got);
}

static void make_call(gold *g, lg_sim_session *session, const lg_json *task,
                      const lg_json *recorded)
{
    lg_sim_call call = {.tool = lg_json_str(get(recorded, "name")),
                        .args = get(recorded, "arguments"),
                        .by_user =
                            lg_str_eq(lg_json_str(get(recorded, "requestor")), LG_STR("user"))};
    lg_sim_answer answer = {0};
    lg_error error = {.msg = ""};
    if (!CHECK(lg_sim_call_tool(session, &call, NULL, &answer, &error) == LG_OK)) {
        printf("%s\n", error.msg);
        return;
    }
    bool same = lg_json_is_true(get(recorded, "error")) == lg_sim_is_error(&answer) &&
                is_recorded(g, get(recorded, "result"), &answer);
    if (!same) {
        lg_str id = lg_json_str(get(task, "task_id"));
        printf("%s %.*s: %.*s answers %.300s\n", g->name, LG_FMT(id), LG_FMT(call.tool),
               answer.text.ptr);
    }
    g->wrong_results += !same;
    g->calls++;
    g->user_calls += call.by_user;
}

static void make_calls(gold *g, lg_sim_session *session, const lg_json *task, size_t from)
{
    const lg_json *calls = get(task, "calls");
    for (size_t i = from; i < lg_json_len(calls); i++) {
        make_call(g, session, task, lg_json_item(calls, i));
    }
}

static void check_state(gold *g, lg_sim_session *session, const lg_json *expected)
{
    lg_json reached = view_of(g, session);
    lg_world_differences found = {.arena = &g->scratch, .limit = 3};
    lg_world_compare(expected, &reached, &found);
    for (size_t i = 0; i < found.count; i++) {
        printf("%s: %.*s differs\n", g->name, LG_FMT(found.items[i].path));
    }
    g->wrong_states += found.total != 0 || found.oom;
}

// The second half is made twice, from a snapshot in the middle.
static void run_task(gold *g, const lg_json *task, lg_str id)
{
    lg_sim_session *session = NULL;
    lg_sim_begin begin = {.task = id};
    uint64_t snapshot = 0;
    char first[65] = "";
    char again[65] = "";
    lg_arena_reset(&g->scratch);
    if (!CHECK(lg_sim_session_new(g->sim, &begin, &session, NULL) == LG_OK)) {
        return;
    }
    lg_json before = view_of(g, session);
    lg_json expected = with_changes(g, with_changes(g, before, get(task, "changed"), "db"),
                                    get(task, "user_changed"), "user_db");
    size_t half = lg_json_len(get(task, "calls")) / 2;
    for (size_t i = 0; i < half; i++) {
        make_call(g, session, task, lg_json_item(get(task, "calls"), i));
    }
    CHECK(lg_sim_snapshot(session, &snapshot, NULL) == LG_OK);
    make_calls(g, session, task, half);
    CHECK(lg_sim_state_hash(session, first, NULL) == LG_OK);
    CHECK(lg_sim_restore(session, snapshot, NULL) == LG_OK);
    make_calls(g, session, task, half);
    CHECK(lg_sim_state_hash(session, again, NULL) == LG_OK);
    CHECK(strcmp(first, again) == 0);
    check_state(g, session, &expected);
    lg_sim_session_free(session);
    g->tasks++;
}

// --- A domain -----------------------------------------------------------------------------------

static lg_str id_of(gold *g, const lg_json *line)
{
    lg_buf text;
    const lg_json *id = get(line, "task_id");
    lg_buf_init(&text, 0);
    if (lg_json_is(id, LG_JSON_STRING)) {
        lg_buf_add(&text, lg_json_str(id));
    } else {
        lg_json_print(&text, id);
    }
    lg_str copy = lg_arena_str(&g->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return copy;
}

static void add_state(gold *g, const lg_json *value, lg_str text, lg_str task)
{
    lg_errors errors;
    lg_errors_init(&errors, &g->arena, 3);
    lg_world_file file = {.value = value, .text = text, .name = g->states};
    CHECK(lg_sim_add_state(g->sim, &file, task, &errors) == LG_OK);
    for (size_t i = 0; i < errors.count; i++) {
        printf("%s: %s\n", g->states, errors.items[i].msg);
    }
}

static void add_states(gold *g)
{
    lg_str text = read_text(g, g->states);
    if (!g->per_task) {
        add_state(g, parse(&g->arena, text, 0, text.len), text, LG_STR(""));
        return;
    }
    for (size_t from = 0; from < text.len;) {
        size_t end = lg_str_line_end(text, from);
        const lg_json *line = parse(&g->arena, text, from, end);
        add_state(g, line, text, id_of(g, line));
        from = end + 1;
    }
}

static void open_domain(gold *g)
{
    lg_errors errors;
    lg_error error = {.msg = ""};
    size_t count = 0;
    char path[4096];
    lg_arena_init(&g->arena, 0);
    lg_arena_init(&g->scratch, 0);
    snprintf(path, sizeof(path), "%s/packs/%s", LG_SOURCE_DIR, g->name);
    CHECK(lg_pack_load(path, NULL, &g->pack, &error, 1, &count) == LG_OK);
    lg_errors_init(&errors, &g->arena, 3);
    lg_sim_options options = {.pack = g->pack};
    CHECK(lg_sim_new(&options, &g->sim, &errors) == LG_OK);
    add_states(g);
}

static void run_domain(const char *name, const char *states, bool per_task, size_t tasks)
{
    gold g = {.name = name, .states = states, .per_task = per_task};
    open_domain(&g);
    lg_str text = read_text(&g, "gold_traces.jsonl");
    for (size_t from = 0; from < text.len;) {
        size_t end = lg_str_line_end(text, from);
        const lg_json *task = parse(&g.arena, text, from, end);
        run_task(&g, task, per_task ? id_of(&g, task) : LG_STR(""));
        from = end + 1;
    }
    printf("%s: %zu tasks, %zu calls, %zu of the customer's; %zu wrong results, %zu wrong states\n",
           name, g.tasks, g.calls, g.user_calls, g.wrong_results, g.wrong_states);
    CHECK(g.tasks == tasks && g.wrong_results == 0 && g.wrong_states == 0);
    lg_sim_free(g.sim);
    lg_pack_free(g.pack);
    lg_arena_done(&g.scratch);
    lg_arena_done(&g.arena);
}

int main(void)
{
    if (!lg_test_data_dir()) {
        printf("skipped: conformance.simulate_gold (no shared data)\n");
        return 77;
    }
    run_domain("airline", "db.json", false, 31);
    run_domain("retail", "db.json", false, 77);
    run_domain("telecom", "initial_states.jsonl", true, 79);
    return lg_test_done();
}
