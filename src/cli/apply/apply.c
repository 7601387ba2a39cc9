// apply.c: `ledgergate apply`: what do these calls do to this state?
#include "cli/apply/apply.h"

#include "base/write_file.h"

#include <stdio.h>

static const char help[] =
    "usage: ledgergate apply --pack PACK --state FILE CALLS [OPTIONS]\n"
    "       ledgergate apply --pack PACK --state FILE --check GOLD [--json]\n"
    "\n"
    "Carries out calls on a state, as the pack says what its tools do, and shows what each "
    "returns\n"
    "and what has changed. Nothing is judged: the tools do what they would without the gate.\n"
    "\n"
    "CALLS is a list of {name, arguments, requestor}, one a line, or a recorded conversation; - "
    "is\n"
    "standard input. FILE is one JSON object, or one a line, each with the `task_id` it is for.\n"
    "\n"
    "  --pack PACK   the pack\n"
    "  --state FILE  the state before the first call\n"
    "  --task ID     of many conversations or states, those of this task\n"
    "  --out FILE    write the state after the last call to this file: replaced as a whole, a "
    "link\n"
    "                is followed, a device or a pipe is written to\n"
    "  --check GOLD  carry out recorded calls ({task_id, calls, changed} a line), and compare the\n"
    "                states that they reach and the results with the recorded ones\n"
    "  --json        one JSON object a call (or a task), then one with the summary\n"
    "\n"
    "    ledgergate apply --pack packs/retail --state db.json calls.json\n"
    "\n"
    "Exit codes: 0 fine, 1 the pack's effects failed, something that must hold does not, or (with\n"
    "--check) a state or a result of an agent's tool differs, 2 bad input, 3 internal or\n"
    "environment.\n";

#define CHANGES_SHOWN 200u
#define VALUE_BYTES_SHOWN 160u

typedef struct apply_counts {
    size_t calls;
    size_t errors; // of the tools
    size_t faults;
    size_t unmodelled;
    size_t broken;
} apply_counts;

// --- What is said of a call ---------------------------------------------------------------------

static void write_fault(lg_json_writer *w, const lg_error *fault)
{
    lg_jw_begin_object(w);
    cli_write_position(w, lg_error_position(fault));
    lg_jw_member_c(w, "message", fault->msg);
    lg_jw_end_object(w);
}

static void write_breaches(lg_json_writer *w, const lg_world_breach *items, size_t count)
{
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "id", items[i].condition->id);
        lg_jw_member_c(w, "kind", items[i].is_invariant ? "invariant" : "postcondition");
        if (items[i].why.len) {
            lg_jw_member_str(w, "why", items[i].why);
        }
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void show_breach(apply *a, const lg_world_breach *breach)
{
    cli_colour(&a->out, "33");
    lg_buf_addf(&a->out.buf, "    %s `%.*s` does not hold",
                breach->is_invariant ? "invariant" : "postcondition",
                LG_FMT(breach->condition->id));
    if (breach->why.len) {
        lg_buf_add_c(&a->out.buf, ": ");
        cli_add_text(&a->out, breach->why);
    }
    cli_colour(&a->out, "0");
    lg_buf_add_c(&a->out.buf, "\n");
}

static void write_call(apply *a, size_t number, const cli_call *call,
                       const lg_world_outcome *outcome)
{
    lg_json_writer w = {.out = &a->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "call", number);
    lg_jw_member_str(&w, "name", call->name);
    lg_jw_member_json(&w, "arguments", call->args);
    lg_jw_member_c(&w, "requestor", call->by_user ? "user" : "assistant");
    lg_jw_member_c(&w, "end", lg_world_end_name(outcome->end));
    lg_jw_member_bool(&w, "error", lg_world_is_error(outcome));
    lg_jw_member_bool(&w, "modelled", outcome->result && !outcome->effects_unknown);
    lg_jw_member_json(&w, "result", outcome->result);
    if (outcome->end == LG_WORLD_FAULT) {
        lg_jw_key(&w, "fault");
        write_fault(&w, &outcome->fault);
    }
    if (outcome->breach_count) {
        lg_jw_key(&w, "broken");
        write_breaches(&w, outcome->breaches, outcome->breach_count);
    }
    lg_jw_end_object(&w);
    lg_buf_add_c(&a->out.buf, "\n");
}

// What a tool returned, as its text, cut where it is long.
static void show_result(apply *a, const lg_world_outcome *outcome)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_world_print_outcome(&text, outcome);
    cli_add_cut(&a->out, lg_buf_str(&text), VALUE_BYTES_SHOWN);
    lg_buf_done(&text);
}

static void show_arguments(apply *a, const cli_call *call)
{
    lg_buf *out = &a->out.buf;
    lg_buf_add_c(out, "(");
    bool object = lg_json_is(call->args, LG_JSON_OBJECT);
    for (size_t i = 0; object && i < lg_json_len(call->args); i++) {
        const lg_json_member *member = lg_json_member_at(call->args, i);
        lg_buf_add_c(out, i ? ", " : "");
        cli_add_text(&a->out, lg_json_key(member));
        lg_buf_add_c(out, ": ");
        cli_add_json(&a->out, &member->value, VALUE_BYTES_SHOWN);
    }
    if (call->args && !object) {
        cli_add_json(&a->out, call->args, VALUE_BYTES_SHOWN);
    } else if (!call->args) {
        cli_add_cut(&a->out, call->args_text, VALUE_BYTES_SHOWN);
    }
    lg_buf_add_c(out, ")\n");
}

static void show_call(apply *a, size_t number, const cli_call *call,
                      const lg_world_outcome *outcome)
{
    lg_buf *out = &a->out.buf;
    lg_buf_addf(out, "%2zu  ", number);
    cli_colour(&a->out, "1");
    lg_buf_add_c(out, call->by_user ? "user: " : "");
    cli_add_text(&a->out, call->name);
    cli_colour(&a->out, "0");
    show_arguments(a, call);
    lg_buf_add_c(out, "    ");
    if (outcome->end == LG_WORLD_FAULT) {
        cli_colour(&a->out, "31");
        lg_buf_add_c(out, "fault of the pack: ");
        cli_add_text(&a->out, lg_str_c(outcome->fault.file));
        lg_buf_addf(out, ":%u:%u: ", outcome->fault.line, outcome->fault.column);
        cli_add_text(&a->out, lg_str_c(outcome->fault.msg));
    } else if (!outcome->result) {
        cli_colour(&a->out, "2");
        lg_buf_add_c(out, outcome->effects_unknown
                              ? "(the pack does not say what this tool does)"
                              : "(the pack does not say what this tool returns)");
    } else {
        cli_colour(&a->out, lg_world_is_error(outcome) ? "33" : "0");
        show_result(a, outcome);
    }
    cli_colour(&a->out, "0");
    lg_buf_add_c(out, "\n");
    for (size_t i = 0; i < outcome->breach_count; i++) {
        show_breach(a, &outcome->breaches[i]);
    }
}

static void count_outcome(apply_counts *counts, const lg_world_outcome *outcome)
{
    counts->calls++;
    counts->errors += lg_world_is_error(outcome);
    counts->faults += outcome->end == LG_WORLD_FAULT;
    counts->unmodelled +=
        outcome->end == LG_WORLD_DONE && (!outcome->result || outcome->effects_unknown);
    counts->broken += outcome->breach_count;
}

// --- The summary --------------------------------------------------------------------------------

static void write_summary(apply *a, const apply_counts *counts, const lg_world_differences *changes)
{
    lg_json_writer w = {.out = &a->out.buf};
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "summary");
    lg_jw_begin_object(&w);
    lg_jw_member_uint(&w, "calls", counts->calls);
    lg_jw_member_uint(&w, "errors", counts->errors);
    lg_jw_member_uint(&w, "faults", counts->faults);
    lg_jw_member_uint(&w, "unmodelled", counts->unmodelled);
    lg_jw_member_uint(&w, "broken", counts->broken);
    lg_jw_key(&w, "changes");
    lg_jw_begin_array(&w);
    for (size_t i = 0; i < changes->count; i++) {
        lg_jw_begin_object(&w);
        lg_jw_member_str(&w, "path", changes->items[i].path);
        lg_jw_member_json(&w, "old", changes->items[i].before);
        lg_jw_member_json(&w, "new", changes->items[i].after);
        lg_jw_end_object(&w);
    }
    lg_jw_end_array(&w);
    lg_jw_member_uint(&w, "changes_total", changes->total);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_add_c(&a->out.buf, "\n");
}

static void show_summary(apply *a, const apply_counts *counts, const lg_world_differences *changes)
{
    lg_buf *out = &a->out.buf;
    lg_buf_add_c(out, changes->total ? "\nchanged\n" : "\nnothing changed\n");
    for (size_t i = 0; i < changes->count; i++) {
        lg_buf_add_c(out, "  ");
        cli_add_text(&a->out, changes->items[i].path);
        lg_buf_add_c(out, ": ");
        cli_add_json(&a->out, changes->items[i].before, VALUE_BYTES_SHOWN);
        lg_buf_add_c(out, " -> ");
        cli_add_json(&a->out, changes->items[i].after, VALUE_BYTES_SHOWN);
        lg_buf_add_c(out, "\n");
    }
    if (changes->total > changes->count) {
        lg_buf_addf(out, "  ... and %zu more\n", changes->total - changes->count);
    }
    lg_buf_addf(out, "\n%zu call%s, %zu error%s of tools", counts->calls, lg_plural(counts->calls),
                counts->errors, lg_plural(counts->errors));
    if (counts->unmodelled) {
        lg_buf_addf(out, ", %zu not modelled", counts->unmodelled);
    }
    if (counts->faults) {
        lg_buf_addf(out, ", %zu fault%s of the pack", counts->faults, lg_plural(counts->faults));
    }
    if (counts->broken) {
        lg_buf_addf(out, ", %zu condition%s broken", counts->broken, lg_plural(counts->broken));
    }
    lg_buf_add_c(out, "\n");
}

// --- The state file that is written -------------------------------------------------------------

static bool write_state(apply *a, const char *path, int *ret_code)
{
    lg_json file;
    lg_buf text;
    lg_buf_init(&text, 0);
    bool fine = lg_world_print(&a->carry.world, &a->carry.scratch, &file) == LG_OK;
    if (fine) {
        lg_json_print_pretty(&text, &file);
        lg_buf_add_c(&text, "\n");
    }
    if (!fine || lg_buf_status(&text) != LG_OK) {
        lg_buf_done(&text);
        return cli_out_of_memory(ret_code);
    }
    lg_error error;
    cli_out_flush(&a->out); // the file may be standard output
    fine = lg_write_file(path, lg_buf_str(&text), &error) == LG_OK;
    lg_buf_done(&text);
    if (!fine) {
        cli_say_error(&error, LG_STR(""));
        *ret_code = EXIT_INTERNAL;
    }
    return fine;
}

// --- The whole ----------------------------------------------------------------------------------

// Invariants that do not hold before anything was done.
static void tell_start(apply *a, const lg_world_outcome *start)
{
    if (start->breach_count && a->json) {
        lg_json_writer w = {.out = &a->out.buf};
        lg_jw_begin_object(&w);
        lg_jw_key(&w, "broken_at_start");
        write_breaches(&w, start->breaches, start->breach_count);
        lg_jw_end_object(&w);
        lg_buf_add_c(&a->out.buf, "\n");
    } else if (start->breach_count) {
        lg_buf_add_c(&a->out.buf, "before the first call\n");
        for (size_t i = 0; i < start->breach_count; i++) {
            show_breach(a, &start->breaches[i]);
        }
    }
}

static bool summarise(apply *a, const apply_counts *counts, int *ret_code)
{
    lg_json after;
    lg_world_differences changes = {.arena = &a->carry.scratch, .limit = CHANGES_SHOWN};
    lg_json before;
    const lg_json *end = a->carry.world.root;
    a->carry.world.root = a->carry.world.start;
    bool fine = lg_world_view(&a->carry.world, &a->carry.scratch, &before) == LG_OK;
    a->carry.world.root = end;
    fine = fine && lg_world_view(&a->carry.world, &a->carry.scratch, &after) == LG_OK;
    if (!fine) {
        return cli_out_of_memory(ret_code);
    }
    lg_world_compare(&before, &after, &changes);
    if (changes.oom) {
        return cli_out_of_memory(ret_code);
    }
    if (a->json) {
        write_summary(a, counts, &changes);
    } else {
        show_summary(a, counts, &changes);
    }
    return true;
}

static int apply_calls_of(apply *a, const cli_calls *calls, const char *task, const char *out)
{
    int code = EXIT_FINE;
    apply_counts counts = {0};
    lg_world_outcome start;
    if (!cli_carry_begin(&a->carry, task ? lg_str_c(task) : calls->task, &start, &code)) {
        return code;
    }
    counts.broken = start.breach_count;
    tell_start(a, &start);
    for (size_t i = 0; i < calls->count; i++) {
        lg_world_outcome outcome;
        if (!cli_carry_out(&a->carry, &calls->items[i], &outcome, &code)) {
            return code;
        }
        count_outcome(&counts, &outcome);
        if (a->json) {
            write_call(a, i + 1, &calls->items[i], &outcome);
        } else {
            show_call(a, i + 1, &calls->items[i], &outcome);
        }
        cli_out_flush_some(&a->out);
    }
    if (!summarise(a, &counts, &code) || (out && !write_state(a, out, &code))) {
        return code;
    }
    return counts.faults + counts.broken ? EXIT_FINDINGS : EXIT_FINE;
}

static int run(apply *a, char **operands, const char *check, const char *task, const char *out)
{
    int code = EXIT_FINE;
    cli_out_init(&a->out, a->json);
    if (check) {
        code = apply_check(a, check);
    } else {
        cli_calls calls;
        if (cli_calls_open(operands[0], task, &calls, &code)) {
            code = apply_calls_of(a, &calls, task, out);
        }
        cli_calls_close(&calls);
    }
    return cli_out_done(&a->out, code);
}

int cli_apply(int argc, char **argv)
{
    if (cli_wants_help(argc, argv)) {
        return cli_print_help(help);
    }
    apply a = {.json = false};
    const char *pack = NULL;
    const char *state = NULL;
    const char *check = NULL;
    const char *task = NULL;
    const char *out = NULL;
    const cli_option options[] = {{"--pack", &pack, NULL},   {"--state", &state, NULL},
                                  {"--check", &check, NULL}, {"--task", &task, NULL},
                                  {"--out", &out, NULL},     {"--json", NULL, &a.json}};
    size_t operands;
    int code = cli_parse("apply", argc, argv, options, LG_COUNT(options), &operands);
    if (code != EXIT_FINE) {
        return code;
    }
    if (!pack || !state) {
        return cli_usage("apply", pack ? "say on which state: --state FILE"
                                       : "say which pack knows what the tools do: --pack PACK");
    }
    if (check ? operands != 0 || out || task : operands != 1) {
        return cli_usage("apply", check ? "--check takes no CALLS, --out or --task"
                                        : "give one file of calls, or --check GOLD");
    }
    lg_pack *loaded = cli_load_pack(pack, &code);
    if (!loaded) {
        return code;
    }
    if (cli_carry_open(&a.carry, loaded, state, &code)) {
        code = run(&a, argv, check, task, out);
    }
    cli_carry_close(&a.carry);
    lg_pack_free(loaded);
    return code;
}
