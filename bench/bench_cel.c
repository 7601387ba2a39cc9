// bench_cel.c: what compiling and evaluating one expression costs.
//
//     bench_cel dump packs/retail DATA/data/tau2/retail/gold_traces.jsonl > cases.jsonl
//     bench_cel time cases.jsonl            (or `evaluate` or `compile`: only that, for a profile)
//
// `dump` writes every rule of a pack as it meets a real call: one JSON line for each `let`, `when`
// and `that`, with the values that its names have there and the value that must come out. So the
// other implementations can be given the very same work: see bench/cel_side_by_side.py. `time`
// evaluates such lines and prints a JSON line of medians for each. Every name is declared dyn, as it
// is for the others.
#include "cel_typed.h"

#include "gate/gate.h"
#include "trace/trace.h"

#include "base/file.h"

#include <time.h>

#define BATCHES 15
#define BATCH_NS 2e6
#define POSITIONS_A_RULE 1
#define VARIABLES_MAX 24

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

// --- Dump -------------------------------------------------------------------------------------------

typedef struct dumper {
    const lg_pack *pack;
    lg_arena scratch;
    lg_cel_value values[VARIABLES_MAX];
    uint32_t *seen;    // positions dumped, by rule
    uint32_t *skipped; // positions dumped at which `when` is false, by rule
} dumper;

// Only the names that occur in the source: the others would be conversions for nothing.
static bool mentions(lg_str source, lg_str name)
{
    for (size_t at = 0; at + name.len <= source.len; at++) {
        char before = at ? source.ptr[at - 1] : ' ';
        char after = at + name.len < source.len ? source.ptr[at + name.len] : ' ';
        bool whole = !strchr("_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", before) &&
                     !strchr("_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", after);
        if (whole && memcmp(source.ptr + at, name.ptr, name.len) == 0) {
            return true;
        }
    }
    return false;
}

static void write_binding(lg_json_writer *w, lg_str source, lg_str name, lg_cel_value value)
{
    if (mentions(source, name)) {
        lg_jw_key_str(w, name);
        typed_write(w, value);
    }
}

static void write_case(const dumper *d, const lg_rule *rule, const char *part, size_t lets,
                       const lg_cel_program *program, lg_cel_value result)
{
    static const char *const names[] = {"ledger", "args", "now", "tool"};
    lg_buf line;
    char name[200];
    lg_buf_init(&line, 0);
    lg_json_writer w = {.out = &line};
    lg_str source = lg_cel_program_source(program);
    snprintf(name, sizeof(name), "%.*s/%.*s", LG_FMT(d->pack->name), LG_FMT(rule->id));
    lg_jw_begin_object(&w);
    lg_jw_key(&w, "case");
    lg_jw_c(&w, name);
    lg_jw_key(&w, "part");
    lg_jw_c(&w, part);
    lg_jw_key(&w, "expr");
    lg_jw_str(&w, source);
    lg_jw_key(&w, "bindings");
    lg_jw_begin_object(&w);
    for (size_t i = 0; i < LG_SLOT_COUNT; i++) {
        write_binding(&w, source, lg_str_c(names[i]), d->values[i]);
    }
    for (size_t i = 0; i < lets; i++) {
        write_binding(&w, source, rule->lets[i].name, d->values[LG_SLOT_COUNT + i]);
    }
    lg_jw_end_object(&w);
    lg_jw_key(&w, "expect");
    typed_write(&w, result);
    lg_jw_end_object(&w);
    printf("%.*s\n", LG_FMT(lg_buf_str(&line)));
    lg_buf_done(&line);
}

static lg_cel_value evaluate(dumper *d, const lg_cel_program *program)
{
    return lg_cel_eval(program, &(lg_cel_activation){.values = d->values, .scratch = &d->scratch});
}

// Evaluates the rule as the gate does; writes what it evaluated if none of it failed.
static void dump_rule(dumper *d, size_t index)
{
    const lg_rule *rule = &d->pack->rules[index];
    lg_cel_value when = lg_cel_make_bool(true);
    if (d->seen[index] >= POSITIONS_A_RULE || LG_SLOT_COUNT + rule->let_count > VARIABLES_MAX) {
        return;
    }
    for (size_t i = 0; i < rule->let_count; i++) {
        lg_cel_value *let = &d->values[LG_SLOT_COUNT + i];
        *let = evaluate(d, rule->lets[i].program);
        if (let->kind == LG_CEL_ERROR) {
            return;
        }
    }
    if (rule->when) {
        when = evaluate(d, rule->when);
    }
    bool applies = when.kind == LG_CEL_BOOL && when.as.boolean;
    lg_cel_value that = applies ? evaluate(d, rule->that) : when;
    if (that.kind != LG_CEL_BOOL || (!applies && d->skipped[index]++ >= 1)) {
        return;
    }
    for (size_t i = 0; i < rule->let_count; i++) {
        char part[80];
        snprintf(part, sizeof(part), "let %.*s", LG_FMT(rule->lets[i].name));
        write_case(d, rule, part, i, rule->lets[i].program, d->values[LG_SLOT_COUNT + i]);
    }
    if (rule->when) {
        write_case(d, rule, "when", rule->let_count, rule->when, when);
    }
    if (applies) {
        write_case(d, rule, "that", rule->let_count, rule->that, that);
        d->seen[index]++;
    }
}

static void dump_call(dumper *d, const lg_tool *tool, const lg_ledger_state *state,
                      const lg_json *args)
{
    const lg_pack *pack = d->pack;
    d->values[LG_SLOT_LEDGER] = lg_cel_from_json(state->root);
    d->values[LG_SLOT_ARGS] = lg_cel_from_json(args);
    d->values[LG_SLOT_NOW] = lg_cel_make_timestamp(pack->clock_seconds, pack->clock_nanos);
    d->values[LG_SLOT_TOOL] = lg_cel_make_str(tool->name);
    for (size_t i = 0; i < tool->rule_count; i++) {
        dump_rule(d, tool->rules[i]);
    }
    lg_arena_reset(&d->scratch);
}

static void dump_trace(dumper *d, const lg_trace *trace)
{
    lg_ledger ledger;
    lg_ledger_init(&ledger, d->pack, NULL);
    for (size_t i = 0; i < trace->count; i++) {
        const lg_trace_event *call = &trace->events[i];
        const lg_tool *tool = lg_pack_tool(d->pack, call->tool);
        if (call->kind != LG_EVENT_CALL || call->role != LG_ROLE_AGENT || !tool) {
            continue;
        }
        dump_call(d, tool, &ledger.state, call->args);
        const lg_trace_event *answer = &trace->events[call->other];
        lg_ledger_call folded = {.tool = call->tool,
                                 .args = call->args,
                                 .result = answer->text,
                                 .failed = answer->kind == LG_EVENT_ERROR,
                                 .turn = call->turn};
        lg_observed observed;
        if (lg_ledger_observe(&ledger, &folded, &observed, NULL) != LG_OK) {
            exit(3);
        }
    }
    lg_ledger_done(&ledger);
}

static int dump(const char *pack_path, const char *traces_path)
{
    lg_pack *pack;
    lg_trace_set *set;
    lg_error error;
    size_t errors;
    if (lg_pack_load(pack_path, NULL, &pack, &error, 1, &errors) != LG_OK ||
        lg_trace_open(traces_path, NULL, &set, &error) != LG_OK) {
        fprintf(stderr, "%s\n", error.msg);
        return 2;
    }
    dumper d = {.pack = pack};
    lg_arena_init(&d.scratch, 0);
    d.seen = calloc(pack->rule_count, sizeof(*d.seen));
    d.skipped = calloc(pack->rule_count, sizeof(*d.skipped));
    for (size_t i = 0; d.seen && d.skipped && i < set->count; i++) {
        dump_trace(&d, &set->traces[i]);
    }
    free(d.seen);
    free(d.skipped);
    lg_arena_done(&d.scratch);
    lg_trace_close(set);
    lg_pack_free(pack);
    return 0;
}

// --- Time -------------------------------------------------------------------------------------------

typedef struct subject {
    const lg_cel_env *env;
    lg_str source;
    const lg_cel_program *program;
    lg_cel_value values[VARIABLES_MAX];
    lg_arena *scratch;
} subject;

static void evaluate_once(subject *s)
{
    lg_arena_mark mark = lg_arena_mark_here(s->scratch);
    volatile uint8_t kind =
        lg_cel_eval(s->program, &(lg_cel_activation){.values = s->values, .scratch = s->scratch})
            .kind;
    (void)kind;
    lg_arena_rewind(s->scratch, mark);
}

static void compile_once(subject *s)
{
    lg_arena_mark mark = lg_arena_mark_here(s->scratch);
    lg_errors errors;
    lg_errors_init(&errors, s->scratch, 10);
    if (!lg_cel_compile(s->scratch, s->env, s->source, (lg_position){0}, &errors)) {
        exit(3);
    }
    lg_arena_rewind(s->scratch, mark);
}

// Batches long enough for the clock; the median batch counts.
static double median_ns(subject *s, void (*once)(subject *))
{
    double batches[BATCHES];
    size_t rounds = 1;
    for (double spent = 0; spent < BATCH_NS; rounds *= 2) {
        double start = now_ns();
        for (size_t i = 0; i < rounds; i++) {
            once(s);
        }
        spent = now_ns() - start;
    }
    for (size_t b = 0; b < BATCHES; b++) {
        double start = now_ns();
        for (size_t i = 0; i < rounds / 2; i++) {
            once(s);
        }
        batches[b] = (now_ns() - start) / (double)(rounds / 2);
    }
    qsort(batches, BATCHES, sizeof(batches[0]), by_value);
    return batches[BATCHES / 2];
}

static bool prepare(subject *s, lg_arena *arena, const lg_json *json)
{
    lg_errors errors;
    lg_errors_init(&errors, arena, 10);
    lg_cel_env *env = lg_cel_env_new(arena, NULL, NULL);
    const lg_json *bindings = lg_json_get(json, LG_STR("bindings"));
    for (size_t i = 0; i < lg_json_len(bindings) && i < VARIABLES_MAX; i++) {
        const lg_json_member *member = lg_json_member_at(bindings, i);
        (void)lg_cel_env_declare(env, lg_json_key(member), lg_cel_type_of_kind(LG_CEL_DYN));
        s->values[i] = typed_read(arena, &member->value);
    }
    s->env = env;
    s->source = lg_json_str(lg_json_get(json, LG_STR("expr")));
    s->program = lg_cel_compile(arena, env, s->source, (lg_position){0}, &errors);
    if (!s->program) {
        fprintf(stderr, "%.*s: %s\n", LG_FMT(s->source), errors.items[0].msg);
    }
    return s->program != NULL;
}

static bool correct(subject *s, const lg_json *json)
{
    lg_cel_value wanted = typed_read(s->scratch, lg_json_get(json, LG_STR("expect")));
    lg_cel_value got =
        lg_cel_eval(s->program, &(lg_cel_activation){.values = s->values, .scratch = s->scratch});
    return lg_cel_equal(wanted, got);
}

static int time_line(lg_str line, bool evaluates, bool compiles)
{
    lg_arena arena, scratch;
    const lg_json *json;
    lg_error error;
    subject s = {.scratch = &scratch};
    lg_arena_init(&arena, 0);
    lg_arena_init(&scratch, 0);
    if (lg_json_parse_in(&arena, line, 0, line.len, NULL, &json, &error) != LG_OK) {
        fprintf(stderr, "%s\n", error.msg);
        return 3;
    }
    if (!prepare(&s, &arena, json) || !correct(&s, json)) {
        fprintf(stderr, "wrong: %.*s\n", LG_FMT(s.source));
        return 3;
    }
    printf("{\"eval_ns\":%.1f,\"compile_ns\":%.1f}\n", evaluates ? median_ns(&s, evaluate_once) : 0,
           compiles ? median_ns(&s, compile_once) : 0);
    lg_arena_done(&scratch);
    lg_arena_done(&arena);
    return 0;
}

static int time_all(const char *path, bool evaluates, bool compiles)
{
    lg_file file;
    lg_error error;
    int status = 0;
    if (lg_file_open(path, 1u << 28, &file, &error) != LG_OK) {
        fprintf(stderr, "%s\n", error.msg);
        return 2;
    }
    lg_str rest = file.text;
    while (rest.len > 0 && status == 0) {
        size_t end = lg_str_find(rest, LG_STR("\n"));
        status =
            time_line(lg_str_slice(rest, 0, end == SIZE_MAX ? rest.len : end), evaluates, compiles);
        rest = lg_str_slice(rest, end == SIZE_MAX ? rest.len : end + 1, rest.len);
    }
    lg_file_close(&file);
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "dump") == 0) {
        return dump(argv[2], argv[3]);
    }
    bool both = argc == 3 && strcmp(argv[1], "time") == 0;
    bool evaluates = both || (argc == 3 && strcmp(argv[1], "evaluate") == 0);
    bool compiles = both || (argc == 3 && strcmp(argv[1], "compile") == 0);
    if (evaluates || compiles) {
        return time_all(argv[2], evaluates, compiles);
    }
    fprintf(stderr,
            "usage: bench_cel dump PACK GOLD_TRACES | bench_cel time|evaluate|compile CASES\n");
    return 2;
}
