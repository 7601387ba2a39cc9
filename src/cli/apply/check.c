// check.c: does a pack do what the real tools did?
//
// Recorded calls are carried out by the pack's effects alone. The state that they reach is compared
// with the recorded one, which is the state before with `changed` applied, and each result with the
// recorded text: as JSON values where both are, else byte for byte.
#include "cli/apply/apply.h"

#include "json/tree.h"

#define DIFFERENCES_SHOWN 10u
#define CHANGED_SEGMENTS_MAX 16u
#define TASK_WIDTH 40u
#define SHOWN_BYTES 70u

// A result that is not the recorded one.
typedef struct result_difference {
    size_t call; // from 1
    lg_str name;
    bool by_user;
    lg_str expected; // as recorded
    bool expected_error;
    lg_str got;
    bool got_error;
    bool fault;
} result_difference;

typedef struct tally {
    size_t calls;
    size_t identical;
    size_t unmodelled;
    size_t unrecorded; // calls without a result, which no result of ours is like
} tally;

typedef struct task_check {
    lg_str id;
    bool identical_state;
    tally agent;
    tally user;
    lg_world_differences states;
    result_difference results[DIFFERENCES_SHOWN];
    size_t result_count;  // kept
    size_t agent_differs; // results of the agent's tools
    size_t faults;
    size_t broken;
} task_check;

typedef struct check_counts {
    size_t tasks;
    size_t identical_states;
    tally agent;
    tally user;
    size_t agent_differs;
    size_t faults;
    size_t broken;
} check_counts;

static const lg_json *get(const lg_json *object, const char *key)
{
    return lg_json_get(object, lg_str_c(key));
}

// --- The recorded state -------------------------------------------------------------------------

// The member of an object, or of a list of records the one that an id names.
static const lg_json *step_down(const lg_json *node, lg_str segment, size_t *ret_index)
{
    for (size_t i = 0; lg_json_is(node, LG_JSON_ARRAY) && i < lg_json_len(node); i++) {
        const lg_json *record = lg_json_item(node, i);
        for (size_t m = 0; lg_json_is(record, LG_JSON_OBJECT) && m < lg_json_len(record); m++) {
            const lg_json_member *member = lg_json_member_at(record, m);
            if (lg_str_ends(lg_json_key(member), LG_STR("id")) &&
                lg_json_is(&member->value, LG_JSON_STRING) &&
                lg_str_eq(lg_json_str(&member->value), segment)) {
                *ret_index = i;
                return record;
            }
        }
    }
    return lg_json_get(node, segment);
}

// As deep as the path.
static lg_status put(lg_arena *arena, const lg_json *node, const lg_str *path, size_t count,
                     const lg_json *value, lg_json *ret)
{
    if (count == 0) {
        *ret = *value;
        return LG_OK;
    }
    size_t index = 0;
    const lg_json *child = step_down(node, path[0], &index);
    lg_json below;
    lg_status status = put(arena, child, path + 1, count - 1, value, &below);
    if (status != LG_OK) {
        return status;
    }
    return child && lg_json_is(node, LG_JSON_ARRAY)
               ? lg_tree_with_item_at(arena, node, index, below, ret)
               : lg_tree_with_member(arena, node, path[0], below, ret);
}

// Changes are told from a part of the file: its member `part`, if there is one.
static lg_status put_changes(apply *a, const lg_json *changed, const char *part, lg_json *view)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < lg_json_len(changed) && status == LG_OK; i++) {
        const lg_json_member *member = lg_json_member_at(changed, i);
        lg_str path[CHANGED_SEGMENTS_MAX];
        size_t count = 0;
        lg_str rest = lg_json_key(member);
        if (lg_json_is(get(view, part), LG_JSON_OBJECT)) {
            path[count++] = lg_str_c(part);
        }
        while (count < CHANGED_SEGMENTS_MAX) {
            size_t dot = lg_str_find(rest, LG_STR("."));
            path[count++] = lg_str_slice(rest, 0, dot);
            if (dot == SIZE_MAX) {
                break;
            }
            rest = lg_str_slice(rest, dot + 1, rest.len);
        }
        status = put(&a->carry.scratch, view, path, count, &member->value, view);
    }
    return status;
}

static bool compare_states(apply *a, const lg_json *gold, const lg_json *before, task_check *t)
{
    lg_json expected = *before;
    lg_json reached;
    t->states = (lg_world_differences){.arena = &a->carry.scratch, .limit = DIFFERENCES_SHOWN};
    if (put_changes(a, get(gold, "changed"), "db", &expected) != LG_OK ||
        put_changes(a, get(gold, "user_changed"), "user_db", &expected) != LG_OK ||
        lg_world_view(&a->carry.world, &a->carry.scratch, &reached) != LG_OK) {
        return false;
    }
    lg_world_compare(&expected, &reached, &t->states);
    t->identical_state = t->states.total == 0;
    return !t->states.oom;
}

// --- The recorded results -----------------------------------------------------------------------

static const lg_json *as_json(apply *a, lg_str text)
{
    const lg_json *value = NULL;
    lg_str copy = lg_arena_str(&a->carry.scratch, text);
    bool parsed = copy.ptr && lg_json_parse_in(&a->carry.scratch, copy, 0, copy.len, NULL, &value,
                                               NULL) == LG_OK;
    return parsed ? value : NULL;
}

// Is the result the recorded one: the same text, or the same value?
static bool is_same_result(apply *a, const lg_json *recorded, const lg_json *result)
{
    bool text = lg_json_is(recorded, LG_JSON_STRING);
    if (text && lg_json_is(result, LG_JSON_STRING) &&
        lg_str_eq(lg_json_str(recorded), lg_json_str(result))) {
        return true;
    }
    const lg_json *expected = text ? as_json(a, lg_json_str(recorded)) : recorded;
    if (expected && lg_json_is(result, LG_JSON_STRING) && !lg_json_is(expected, LG_JSON_STRING)) {
        result = as_json(a, lg_json_str(result)); // an answer may be the text of a value
    }
    return expected && result && lg_json_equal(expected, result);
}

static lg_str print_in(apply *a, const lg_json *result)
{
    if (!result) {
        return LG_STR("(the pack does not say what this tool returns)");
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_world_print_result(&text, NULL, result);
    lg_str copy = lg_arena_str(&a->carry.scratch, lg_buf_str(&text));
    lg_buf_done(&text);
    return copy.ptr ? copy : LG_STR("");
}

static void note_result(apply *a, task_check *t, size_t number, const cli_call *call,
                        const lg_json *gold_call, const lg_world_outcome *outcome)
{
    if (t->result_count == DIFFERENCES_SHOWN) {
        return;
    }
    bool fault = outcome->end == LG_WORLD_FAULT;
    t->results[t->result_count++] = (result_difference){
        .call = number,
        .name = call->name,
        .by_user = call->by_user,
        .expected = print_in(a, get(gold_call, "result")),
        .expected_error = lg_json_is_true(get(gold_call, "error")),
        .got = fault
                   ? lg_arena_printf(&a->carry.scratch, "%s:%u:%u: %s", outcome->fault.file,
                                     outcome->fault.line, outcome->fault.column, outcome->fault.msg)
                   : print_in(a, outcome->result),
        .got_error = lg_world_is_error(outcome),
        .fault = fault};
}

static void judge_result(apply *a, task_check *t, size_t number, const cli_call *call,
                         const lg_json *gold_call, const lg_world_outcome *outcome)
{
    tally *side = call->by_user ? &t->user : &t->agent;
    const lg_json *recorded = get(gold_call, "result");
    bool modelled = outcome->result != NULL || outcome->end == LG_WORLD_FAULT;
    bool generic = outcome->tool && outcome->tool->kind == LG_TOOL_GENERIC;
    side->calls++;
    t->faults += outcome->end == LG_WORLD_FAULT;
    t->broken += outcome->breach_count;
    if (!recorded) {
        side->unrecorded++;
        return;
    }
    if (modelled && outcome->end != LG_WORLD_FAULT &&
        lg_json_is_true(get(gold_call, "error")) == lg_world_is_error(outcome) &&
        is_same_result(a, recorded, outcome->result)) {
        side->identical++;
        return;
    }
    if (!modelled) {
        side->unmodelled++;
    }
    if (modelled || !generic) {
        t->agent_differs += !call->by_user;
        note_result(a, t, number, call, gold_call, outcome);
    }
}

// --- One task -----------------------------------------------------------------------------------

static bool say_bad_gold(cli_values *gold, const lg_json *at, const char *why, int *ret_code)
{
    lg_error error;
    lg_status status =
        lg_fail_at(&error, LG_ERR_FORMAT, cli_values_position(gold, at->offset), "%s", why);
    cli_say_error(&error, gold->file.text);
    *ret_code = cli_exit_code(status);
    return false;
}

static bool run_calls(apply *a, const lg_json *calls, task_check *t, int *ret_code)
{
    for (size_t i = 0; i < lg_json_len(calls); i++) {
        const lg_json *recorded = lg_json_item(calls, i);
        cli_call call;
        lg_world_outcome outcome;
        const char *why = NULL;
        bool sound = cli_read_call(&a->carry.scratch, recorded, &call, &why);
        LG_ASSERT(sound); // looked over before
        if (!cli_carry_out(&a->carry, &call, &outcome, ret_code)) {
            return false;
        }
        judge_result(a, t, i + 1, &call, recorded, &outcome);
    }
    return true;
}

static bool is_map_or_none(const lg_json *value)
{
    return !value || lg_json_is(value, LG_JSON_OBJECT);
}

// Is every line a task that can be carried out on a state? Then nothing is printed in vain.
static bool look_over(apply *a, cli_values *gold, int *ret_code)
{
    for (size_t i = 0; i < gold->count; i++) {
        const lg_json *line = gold->items[i];
        const lg_json *calls = get(line, "calls");
        const lg_json *id = get(line, "task_id");
        lg_world_outcome start;
        lg_arena_reset(&a->carry.scratch);
        if (!id || !lg_json_is(calls, LG_JSON_ARRAY) || !is_map_or_none(get(line, "changed")) ||
            !is_map_or_none(get(line, "user_changed"))) {
            return say_bad_gold(gold, line,
                                "this is no recorded task: {task_id, calls: [...], changed: {...}}",
                                ret_code);
        }
        for (size_t c = 0; c < lg_json_len(calls); c++) {
            cli_call call;
            const char *why = NULL;
            if (!cli_read_call(&a->carry.scratch, lg_json_item(calls, c), &call, &why)) {
                return say_bad_gold(gold, lg_json_item(calls, c), why, ret_code);
            }
        }
        if (!cli_carry_begin(&a->carry, print_in(a, id), &start, ret_code)) {
            return false;
        }
    }
    return true;
}

static bool check_task(apply *a, const lg_json *line, task_check *t, int *ret_code)
{
    t->id = print_in(a, get(line, "task_id"));
    lg_json before;
    lg_world_outcome start;
    if (!cli_carry_begin(&a->carry, t->id, &start, ret_code)) {
        return false;
    }
    t->broken += start.breach_count;
    if (lg_world_view(&a->carry.world, &a->carry.scratch, &before) != LG_OK) {
        return cli_out_of_memory(ret_code);
    }
    return run_calls(a, get(line, "calls"), t, ret_code) &&
           (compare_states(a, line, &before, t) || cli_out_of_memory(ret_code));
}

// --- JSON ---------------------------------------------------------------------------------------

static void write_tally(lg_json_writer *w, const char *key, const tally *side)
{
    lg_jw_key(w, key);
    lg_jw_begin_object(w);
    lg_jw_member_uint(w, "calls", side->calls);
    lg_jw_member_uint(w, "identical_results", side->identical);
    lg_jw_member_uint(w, "unmodelled", side->unmodelled);
    if (side->unrecorded) {
        lg_jw_member_uint(w, "unrecorded", side->unrecorded);
    }
    lg_jw_end_object(w);
}

static void write_differences(lg_json_writer *w, const task_check *t)
{
    lg_jw_key(w, "differences");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < t->states.count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "path", t->states.items[i].path);
        lg_jw_member_json(w, "expected", t->states.items[i].before);
        lg_jw_member_json(w, "got", t->states.items[i].after);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
    lg_jw_key(w, "results");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < t->result_count; i++) {
        const result_difference *r = &t->results[i];
        lg_jw_begin_object(w);
        lg_jw_member_uint(w, "call", r->call);
        lg_jw_member_str(w, "name", r->name);
        lg_jw_member_c(w, "requestor", r->by_user ? "user" : "assistant");
        lg_jw_member_str(w, "expected", r->expected);
        lg_jw_member_bool(w, "expected_error", r->expected_error);
        lg_jw_member_str(w, r->fault ? "fault" : "got", r->got);
        lg_jw_member_bool(w, "got_error", r->got_error);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_task(apply *a, const task_check *t)
{
    lg_json_writer w = {.out = &a->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "task_id", t->id);
    lg_jw_member_bool(&w, "identical_state", t->identical_state);
    lg_jw_member_uint(&w, "calls", t->agent.calls + t->user.calls);
    lg_jw_member_uint(&w, "identical_results", t->agent.identical + t->user.identical);
    write_tally(&w, "agent", &t->agent);
    write_tally(&w, "user", &t->user);
    lg_jw_member_uint(&w, "unmodelled", t->agent.unmodelled + t->user.unmodelled);
    lg_jw_member_uint(&w, "faults", t->faults);
    lg_jw_member_uint(&w, "broken", t->broken);
    write_differences(&w, t);
    lg_jw_end_object(&w);
    lg_buf_add_c(&a->out.buf, "\n");
}

static void write_summary(apply *a, const check_counts *c)
{
    lg_json_writer w = {.out = &a->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "summary");
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "tasks", c->tasks);
    lg_jw_member_uint(&w, "identical_states", c->identical_states);
    lg_jw_member_uint(&w, "calls", c->agent.calls + c->user.calls);
    lg_jw_member_uint(&w, "identical_results", c->agent.identical + c->user.identical);
    write_tally(&w, "agent", &c->agent);
    write_tally(&w, "user", &c->user);
    lg_jw_member_uint(&w, "unmodelled", c->agent.unmodelled + c->user.unmodelled);
    lg_jw_member_uint(&w, "faults", c->faults);
    lg_jw_member_uint(&w, "broken", c->broken);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&a->out.buf, "\n");
}

// --- For people ---------------------------------------------------------------------------------

static void show_first_difference(apply *a, const task_check *t)
{
    lg_buf *out = &a->out.buf;
    if (t->states.count) {
        cli_add_text(&a->out, t->states.items[0].path);
        lg_buf_add_c(out, ": ");
        cli_add_json(&a->out, t->states.items[0].before, SHOWN_BYTES);
        lg_buf_add_c(out, " expected, got ");
        cli_add_json(&a->out, t->states.items[0].after, SHOWN_BYTES);
    } else if (t->result_count) {
        const result_difference *r = &t->results[0];
        lg_buf_addf(out, "call %zu, ", r->call);
        cli_add_text(&a->out, r->name);
        lg_buf_add_c(out, ": ");
        cli_add_cut(&a->out, r->expected, SHOWN_BYTES);
        lg_buf_add_c(out, r->fault ? " expected; fault of the pack: " : " expected, got ");
        cli_add_cut(&a->out, r->got, r->fault ? SIZE_MAX : SHOWN_BYTES);
    }
}

static void show_header(apply *a)
{
    cli_colour(&a->out, "2");
    cli_pad(&a->out, LG_STR("task"), TASK_WIDTH + 2);
    lg_buf_add_c(&a->out.buf, "state    calls  same  first difference\n");
    cli_colour(&a->out, "0");
}

static void show_task(apply *a, const task_check *t)
{
    lg_buf *out = &a->out.buf;
    lg_str id = lg_str_cut(t->id, TASK_WIDTH);
    cli_pad(&a->out, id, TASK_WIDTH + 2);
    cli_colour(&a->out, t->identical_state ? "0" : "31");
    lg_buf_add_c(out, t->identical_state ? "same     " : "differs  ");
    cli_colour(&a->out, "0");
    lg_buf_addf(out, "%5zu %5zu  ", t->agent.calls + t->user.calls,
                t->agent.identical + t->user.identical);
    show_first_difference(a, t);
    lg_buf_add_c(out, "\n");
}

static void show_summary(apply *a, const check_counts *c)
{
    lg_buf *out = &a->out.buf;
    lg_buf_addf(out, "\n%zu of %zu states identical\n", c->identical_states, c->tasks);
    lg_buf_addf(out, "%zu of %zu results of the agent's tools identical, %zu not modelled\n",
                c->agent.identical, c->agent.calls, c->agent.unmodelled);
    if (c->user.calls) {
        lg_buf_addf(out, "%zu of %zu results of the customer's tools identical, %zu not modelled\n",
                    c->user.identical, c->user.calls, c->user.unmodelled);
    }
    if (c->agent.unrecorded + c->user.unrecorded) {
        size_t unrecorded = c->agent.unrecorded + c->user.unrecorded;
        lg_buf_addf(out, "%zu call%s without a recorded result\n", unrecorded,
                    lg_plural(unrecorded));
    }
    if (c->faults + c->broken) {
        lg_buf_addf(out, "%zu fault%s of the pack, %zu condition%s broken\n", c->faults,
                    lg_plural(c->faults), c->broken, lg_plural(c->broken));
    }
}

// --- The whole ----------------------------------------------------------------------------------

static void add_tally(tally *to, const tally *from)
{
    to->calls += from->calls;
    to->identical += from->identical;
    to->unmodelled += from->unmodelled;
    to->unrecorded += from->unrecorded;
}

static void add_task(check_counts *c, const task_check *t)
{
    c->tasks++;
    c->identical_states += t->identical_state;
    add_tally(&c->agent, &t->agent);
    add_tally(&c->user, &t->user);
    c->agent_differs += t->agent_differs;
    c->faults += t->faults;
    c->broken += t->broken;
}

static int check_all(apply *a, cli_values *gold)
{
    int code = EXIT_FINE;
    check_counts counts = {0};
    for (size_t i = 0; i < gold->count; i++) {
        task_check task = {0};
        lg_arena_reset(&a->carry.scratch);
        cli_progress("checking task", i + 1, gold->count);
        if (!check_task(a, gold->items[i], &task, &code)) {
            return code;
        }
        add_task(&counts, &task);
        if (a->json) {
            write_task(a, &task);
        } else {
            if (i == 0) {
                show_header(a);
            }
            show_task(a, &task);
        }
        cli_out_flush_some(&a->out);
    }
    cli_progress("checking task", 0, 0);
    if (a->json) {
        write_summary(a, &counts);
    } else {
        show_summary(a, &counts);
    }
    bool fine = counts.identical_states == counts.tasks && counts.agent_differs == 0 &&
                counts.faults + counts.broken == 0;
    return fine ? EXIT_FINE : EXIT_FINDINGS;
}

int apply_check(apply *a, const char *path)
{
    int code = EXIT_FINE;
    cli_values gold;
    if (cli_values_open(path, &gold, &code) && look_over(a, &gold, &code)) {
        code = gold.count
                   ? check_all(a, &gold)
                   : cli_usage("apply", "%s holds no recorded task: nothing was checked", path);
    }
    cli_values_close(&gold);
    return code;
}
