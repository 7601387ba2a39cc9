// Memory that runs out, at every place where it can: compiling and evaluating fail cleanly.
#include "cel_fixture.h"

#include "base/alloc.h"

// Touches every kind of node, function and value that allocates.
static const char everything[] =
    "j.rows.filter(r, has(r.v) && r.v != null).map(r, {'v': r.v, 'k': string(r.v) + "
    "'!'}).exists(m, "
    "m.v == true && m.k.matches('^t.*!$') || m.k in ['x', \"\\u00e9\", j.name + '?']) && "
    "[1, 2] + [size(j.rows)] == range(4).filter(i, i > 0).map(i, i == 3, i) + [1] || "
    "{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9}[dyn(9)] == 9 && "
    "timestamp('2024-01-01T00:00:00' + j.z) - duration('1.5h') < now && "
    "double('1.5') + 0.5 == 2.0 && j.name.matches(j.name) && [[[j]]] == [[[j]]] && "
    "string(1.5) == '1.5' && b'a' + b'b' == bytes('ab') && "
    "(true ? [] : [1]).all(x, x == 1) && 'a'.contains('a') && j.rows.exists_one(r, r == {'v': "
    "true})";

static const char out_of_memory[] =
    "out of memory, or over the memory budget (limits memory_bytes, document_bytes)";

static void declare_all(cel_fixture *f)
{
    fixture_declare(f, "j", lg_cel_type_of_kind(LG_CEL_DYN),
                    fixture_json(f,
                                 "{\"name\":\"n\",\"z\":\"Z\",\"rows\":[{\"v\":true},{\"v\":null},"
                                 "{},{\"v\":1}]}"));
    fixture_declare(f, "now", lg_cel_type_of_kind(LG_CEL_TIMESTAMP),
                    lg_cel_make_timestamp(1715785200, 0));
}

static lg_cel_value run_with(cel_fixture *f, const lg_cel_program *program, lg_arena *scratch)
{
    return lg_cel_eval(program, &(lg_cel_activation){.values = f->values, .scratch = scratch});
}

static void check_outcome(lg_cel_value value)
{
    bool right = value.kind == LG_CEL_BOOL && value.as.boolean;
    bool limit = value.kind == LG_CEL_ERROR && value.as.failure->kind == LG_CEL_FAIL_LIMIT;
    CHECK_MSG(right || limit, "the right value, or a limit");
}

static void the_expression_is_true(void)
{
    cel_fixture f;
    fixture_init(&f);
    declare_all(&f);
    CHECK_STR(fixture_run(&f, everything), "bool true");
    fixture_done(&f);
}

static void compiles_in_any_budget(void)
{
    cel_fixture f;
    fixture_init(&f);
    declare_all(&f);
    size_t compiled = 0;
    size_t refused = 0;
    for (size_t budget = 1; budget < 40000; budget += budget < 12000 ? 24 : 501) {
        lg_arena arena;
        lg_errors errors;
        lg_arena_init(&arena, budget);
        lg_errors_init(&errors, &f.arena, 5);
        const lg_cel_program *program =
            lg_cel_compile(&arena, f.env, lg_str_c(everything), (lg_position){0}, &errors);
        CHECK((program == NULL) == lg_errors_any(&errors));
        if (program) {
            compiled++;
            check_outcome(run_with(&f, program, &f.scratch));
        } else {
            refused++;
            CHECK_STR(lg_str_c(errors.items[0].msg), out_of_memory);
            CHECK(errors.count == 1);
        }
        lg_arena_done(&arena);
    }
    CHECK(compiled > 0 && refused > 0);
    fixture_done(&f);
}

// The tree has a budget of its own: document_bytes.
static void builds_trees_in_any_budget(void)
{
    size_t compiled = 0;
    size_t refused = 0;
    for (size_t budget = 1; budget < 120000; budget += budget < 40000 ? 104 : 2001) {
        cel_fixture f;
        fixture_init(&f);
        lg_limits limits = {.document_bytes = budget};
        f.env = lg_cel_env_new(&f.arena, NULL, &limits);
        declare_all(&f);
        const lg_cel_program *program = fixture_compile(&f, lg_str_c(everything));
        compiled += program != NULL;
        if (!program) {
            refused++;
            CHECK_STR(lg_str_c(f.errors.items[0].msg), out_of_memory);
            CHECK(f.errors.count == 1);
        }
        fixture_done(&f);
    }
    CHECK(compiled > 0 && refused > 0);
}

static void evaluates_in_any_budget(void)
{
    cel_fixture f;
    fixture_init(&f);
    declare_all(&f);
    const lg_cel_program *program = fixture_compile(&f, lg_str_c(everything));
    size_t right = 0;
    size_t limited = 0;
    for (size_t budget = 1; program && budget < 60000; budget += 40) {
        lg_arena scratch;
        lg_arena_init(&scratch, budget);
        lg_cel_value value = run_with(&f, program, &scratch);
        check_outcome(value);
        right += value.kind == LG_CEL_BOOL;
        limited += value.kind == LG_CEL_ERROR;
        lg_arena_done(&scratch);
    }
    CHECK(right > 0 && limited > 0);
    fixture_done(&f);
}

static void survives_failing_allocations(void)
{
    for (uint64_t n = 1; n < 40; n++) {
        cel_fixture f;
        lg_alloc_fail_at(0);
        fixture_init(&f);
        declare_all(&f);
        lg_alloc_fail_at(n);
        lg_errors errors;
        lg_errors_init(&errors, &f.arena, 5);
        const lg_cel_program *program =
            lg_cel_compile(&f.arena, f.env, lg_str_c(everything), (lg_position){0}, &errors);
        if (program) {
            check_outcome(run_with(&f, program, &f.scratch));
        } else {
            CHECK(lg_errors_any(&errors));
        }
        lg_alloc_fail_at(0);
        fixture_done(&f);
    }
}

// After the first evaluation, a reset arena serves all later ones.
static void steady_state_allocates_nothing(void)
{
    cel_fixture f;
    fixture_init(&f);
    declare_all(&f);
    const lg_cel_program *program = fixture_compile(&f, lg_str_c(everything));
    uint64_t before = 0;
    for (int i = 0; program && i < 20; i++) {
        before = i == 4 ? lg_alloc_count() : before;
        check_outcome(run_with(&f, program, &f.scratch));
        lg_arena_reset(&f.scratch);
    }
    CHECK(lg_alloc_count() == before);
    fixture_done(&f);
}

// What a round of exists() or all() makes is forgotten after the round.
static void quantifiers_use_constant_memory(void)
{
    cel_fixture f;
    fixture_init(&f);
    lg_cel_value items[2000];
    for (size_t i = 0; i < LG_COUNT(items); i++) {
        items[i] = lg_cel_make_int((int64_t)i);
    }
    fixture_declare(&f, "l", lg_cel_type_of_kind(LG_CEL_DYN),
                    lg_cel_make_list(&f.arena, items, LG_COUNT(items)));
    static const char *const sources[] = {
        "l.all(x, string(x) + '................................................' != '')",
        "l.exists(x, [x, x, x, x, x, x, x, x] == [x])",
        "l.exists_one(x, {'a': x}.a == 1)",
        "l.exists(x, x.y == 1)",
    };
    for (size_t i = 0; i < LG_COUNT(sources); i++) {
        const lg_cel_program *program = fixture_compile(&f, lg_str_c(sources[i]));
        lg_test_name = sources[i];
        lg_arena scratch;
        lg_arena_init(&scratch, 16384);
        if (CHECK(program)) {
            lg_cel_value value = run_with(&f, program, &scratch);
            CHECK(value.kind == LG_CEL_BOOL ||
                  (value.kind == LG_CEL_ERROR && value.as.failure->kind == LG_CEL_FAIL_TYPE));
        }
        lg_arena_done(&scratch);
    }
    fixture_done(&f);
}

int main(void)
{
    RUN(the_expression_is_true);
    RUN(compiles_in_any_budget);
    RUN(builds_trees_in_any_budget);
    RUN(evaluates_in_any_budget);
    RUN(survives_failing_allocations);
    RUN(steady_state_allocates_nothing);
    RUN(quantifiers_use_constant_memory);
    return lg_test_done();
}
