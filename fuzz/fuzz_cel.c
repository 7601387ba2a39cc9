// fuzz_cel.c: any text, compiled against a fixed environment and evaluated over a fixed activation.
//
// Properties: the same text gives the same outcome twice; evaluation ends within its cost and its
// memory; a result that JSON can hold survives being printed; every failure names a place inside of
// the text; without a program there is an error with a place.
#include "cel/cel.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static const char world[] =
    "{\"user\":{\"id\":\"u1\",\"n\":null,\"big\":9007199254740993},\"orders\":{\"#W1\":{\"items\":["
    "{\"price\":10.5,\"name\":\"a\"},{\"price\":60},{}],\"at\":\"2024-05-15T15:00:00Z\"}},"
    "\"vast\":123456789012345678901234567890,\"e\":[],\"t\":true}";

typedef struct run {
    lg_arena arena;
    lg_arena scratch;
    lg_buf shown; // the outcome as text
} run;

static lg_cel_env *make_env(lg_arena *arena, lg_cel_value *values)
{
    const lg_json *json = NULL;
    lg_str text = {world, sizeof(world) - 1};
    lg_limits limits = {.cel_cost = 20000,
                        .regex_steps = 2000,
                        .document_bytes = 64u << 20,
                        .memory_bytes = 64u << 20};
    lg_cel_env *env = lg_cel_env_new(arena, NULL, &limits);
    REQUIRE(env && lg_json_parse_in(arena, text, 0, text.len, NULL, &json, NULL) == LG_OK);
    const lg_cel_type *dyn = lg_cel_type_of_kind(LG_CEL_DYN);
    const lg_cel_type *map = lg_cel_type_map(arena, lg_cel_type_of_kind(LG_CEL_STRING), dyn);
    REQUIRE(lg_cel_env_declare(env, LG_STR("ledger"), map) == 0);
    REQUIRE(lg_cel_env_declare(env, LG_STR("d"), dyn) == 1);
    REQUIRE(lg_cel_env_declare(env, LG_STR("now"), lg_cel_type_of_kind(LG_CEL_TIMESTAMP)) == 2);
    REQUIRE(lg_cel_env_declare(env, LG_STR("s"), lg_cel_type_of_kind(LG_CEL_STRING)) == 3);
    values[0] = lg_cel_from_json(json);
    values[1] = lg_cel_from_json(json);
    values[2] = lg_cel_make_timestamp(1715785200, 0);
    values[3] = lg_cel_make_str(LG_STR("text"));
    return env;
}

static void show_failure(run *r, const lg_cel_failure *failure, lg_str source)
{
    REQUIRE(failure->offset <= source.len && failure->what);
    lg_buf_addf(&r->shown, "failure %d at %u: %s ", (int)failure->kind, failure->offset,
                failure->what);
    if (failure->kind == LG_CEL_FAIL_MISSING) {
        lg_cel_print(&r->shown, failure->key);
    }
}

static void evaluate(run *r, const lg_cel_program *program, const lg_cel_value *values)
{
    lg_cel_read reads[64];
    lg_cel_read_log log = {.items = reads, .capacity = 64};
    lg_cel_value value = lg_cel_eval(
        program, &(lg_cel_activation){.values = values, .scratch = &r->scratch, .log = &log});
    REQUIRE(log.count <= log.capacity);
    for (uint32_t i = 0; i < log.count; i++) {
        REQUIRE(reads[i].parent);
    }
    if (value.kind == LG_CEL_ERROR) {
        show_failure(r, value.as.failure, lg_cel_program_source(program));
        return;
    }
    lg_cel_print(&r->shown, value);
    const lg_json *json = lg_cel_to_json(&r->scratch, value);
    if (json) {
        size_t before = r->shown.len;
        lg_json_print(&r->shown, json);
        const lg_json *again = NULL;
        REQUIRE(lg_buf_status(&r->shown) == LG_OK);
        lg_str printed = lg_str_slice(lg_buf_str(&r->shown), before, r->shown.len);
        lg_status status =
            lg_json_parse_in(&r->scratch, printed, 0, printed.len, NULL, &again, NULL);
        REQUIRE(status != LG_OK || lg_json_equal(json, again));
    }
}

static void show_errors(run *r, const lg_errors *errors)
{
    REQUIRE(lg_errors_any(errors));
    for (size_t i = 0; i < errors->count; i++) {
        const lg_error *error = &errors->items[i];
        REQUIRE(error->line >= 1 && error->column >= 1 && error->msg[0]);
        lg_buf_addf(&r->shown, "%u:%u: %s\n", error->line, error->column, error->msg);
    }
}

static void run_once(run *r, lg_str source, bool unchecked)
{
    lg_cel_value values[4];
    lg_errors errors;
    lg_arena_init(&r->arena, 0);
    lg_arena_init(&r->scratch, 16u << 20);
    lg_buf_init(&r->shown, 0);
    lg_cel_env *env = make_env(&r->arena, values);
    lg_cel_env_set_unchecked(env, unchecked);
    lg_errors_init(&errors, &r->arena, 20);
    const lg_cel_program *program =
        lg_cel_compile(&r->arena, env, source, (lg_position){"fuzz", 1, 1}, &errors);
    if (program) {
        REQUIRE(!lg_errors_any(&errors));
        lg_cel_type_print(&r->shown, lg_cel_program_type(program));
        evaluate(r, program, values);
    } else {
        show_errors(r, &errors);
    }
}

static void run_done(run *r)
{
    lg_buf_done(&r->shown);
    lg_arena_done(&r->scratch);
    lg_arena_done(&r->arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run first;
    run second;
    // A copy of the exact size, so that a sanitizer sees the first byte beyond it.
    char *exact = malloc(size + 1);
    REQUIRE(exact);
    memcpy(exact, data, size);
    lg_str source = {exact, size};
    bool unchecked = size > 0 && data[size - 1] == ' ';
    run_once(&first, source, unchecked);
    run_once(&second, source, unchecked);
    REQUIRE(lg_str_eq(lg_buf_str(&first.shown), lg_buf_str(&second.shown)));
    run_done(&first);
    run_done(&second);
    free(exact);
    return 0;
}
