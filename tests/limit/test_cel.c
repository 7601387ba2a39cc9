// test_cel.c: every ceiling of an expression: just below passes, just above names the limit.
#include "lg_test.h"

#include "cel/cel.h"

typedef struct limit_case {
    lg_arena arena;
    lg_cel_env *env;
    lg_errors errors;
} limit_case;

static void start(limit_case *c, lg_limits limits)
{
    lg_arena_init(&c->arena, 0);
    c->env = lg_cel_env_new(&c->arena, NULL, &limits);
    lg_errors_init(&c->errors, &c->arena, 5);
}

static const lg_cel_program *compile(limit_case *c, lg_str source)
{
    lg_errors_init(&c->errors, &c->arena, 5);
    return lg_cel_compile(&c->arena, c->env, source, (lg_position){"test", 1, 1}, &c->errors);
}

static lg_cel_value evaluate(limit_case *c, const char *source, const lg_cel_value *values,
                             uint64_t cost_limit)
{
    const lg_cel_program *program = compile(c, lg_str_c(source));
    if (!CHECK_MSG(program, source)) {
        return lg_cel_make_null();
    }
    return lg_cel_eval(
        program,
        &(lg_cel_activation){.values = values, .scratch = &c->arena, .cost_limit = cost_limit});
}

static bool met_limit(lg_cel_value value)
{
    return value.kind == LG_CEL_ERROR && value.as.failure->kind == LG_CEL_FAIL_LIMIT;
}

// `before` and `after` nested `levels` times around a 1.
static lg_str nest(limit_case *c, const char *before, const char *middle, const char *after,
                   uint32_t levels)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (uint32_t i = 0; i < levels; i++) {
        lg_buf_add_c(&text, before);
    }
    lg_buf_add_c(&text, middle);
    for (uint32_t i = 0; i < levels; i++) {
        lg_buf_add_c(&text, after);
    }
    lg_str copy = lg_arena_str(&c->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return copy;
}

static void expression_bytes(void)
{
    limit_case c;
    start(&c, (lg_limits){.cel_bytes = 10});
    CHECK(compile(&c, LG_STR("1234567890")));
    CHECK(!compile(&c, LG_STR("12345678901")));
    CHECK(c.errors.items[0].status == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(c.errors.items[0].msg),
              "an expression of 11 bytes is longer than 10 (limit cel_bytes)");
    lg_arena_done(&c.arena);
}

static void expression_depth(void)
{
    static const struct {
        const char *before;
        const char *middle;
        const char *after;
    } forms[] = {
        {"(", "1", ")"},           {"[", "1", "]"},          {"!", "true", ""},
        {"-", "dyn(1)", ""},       {"int(", "1", ")"},       {"{1: ", "1", "}"},
        {"", "1", " + 1"},         {"", "dyn(1)", ".a"},     {"", "dyn(1)", "[0]"},
        {"[1].map(x, ", "1", ")"}, {"true ? 1 : ", "1", ""}, {"", "[1]", ".map(x, 1)"},
        {"1 + (", "1", ")"},       {"[1][", "0", "]"},
    };
    limit_case c;
    start(&c, (lg_limits){.cel_depth = 50});
    for (size_t i = 0; i < LG_COUNT(forms); i++) {
        lg_test_name = forms[i].before[0] ? forms[i].before : forms[i].after;
        CHECK(compile(&c, nest(&c, forms[i].before, forms[i].middle, forms[i].after, 20)));
        CHECK(!compile(&c, nest(&c, forms[i].before, forms[i].middle, forms[i].after, 60)));
        CHECK(c.errors.items[0].status == LG_ERR_LIMIT);
        CHECK_STR(lg_str_c(c.errors.items[0].msg),
                  "nested deeper than 50 levels (limit cel_depth)");
    }
    lg_arena_done(&c.arena);
}

// Whatever the configured limit, recursion stops before the C stack does.
static void depth_has_a_ceiling(void)
{
    limit_case c;
    start(&c, (lg_limits){.cel_depth = UINT32_MAX, .cel_bytes = 1 << 20});
    CHECK(compile(&c, nest(&c, "(", "1", ")", 900)));
    CHECK(!compile(&c, nest(&c, "(", "1", ")", 100000)));
    CHECK(!compile(&c, nest(&c, "[", "", "", 100000)));
    CHECK(!compile(&c, nest(&c, "-", "x", "", 100000)));
    CHECK(!compile(&c, nest(&c, "[1].map(x,", "1", ")", 50000)));
    lg_arena_done(&c.arena);
}

// A chain of `&&` or `||` costs no depth.
static void chains_are_not_deep(void)
{
    limit_case c;
    start(&c, (lg_limits){0});
    lg_cel_env_declare(c.env, LG_STR("b"), lg_cel_type_of_kind(LG_CEL_DYN));
    lg_cel_value b = lg_cel_make_bool(true);
    lg_str source = nest(&c, "b && ", "b", "", 5000);
    const lg_cel_program *program = compile(&c, source);
    if (CHECK(program)) {
        lg_cel_value value =
            lg_cel_eval(program, &(lg_cel_activation){.values = &b, .scratch = &c.arena});
        CHECK(value.kind == LG_CEL_BOOL && value.as.boolean);
    }
    lg_arena_done(&c.arena);
}

static void cost(void)
{
    static const char *const sources[] = {
        "range(1000).all(x, x >= 0)",
        "range(1000).exists(x, x < 0)",
        "range(1000).map(x, x) == []",
        "range(30).all(x, range(30).all(y, x + y >= 0))",
        "false && range(1000).all(x, true) || range(2000) == []",
        "true || range(900).all(x, range(900).exists(y, y == 899))",
    };
    limit_case c;
    start(&c, (lg_limits){0});
    for (size_t i = 0; i < LG_COUNT(sources); i++) {
        lg_test_name = sources[i];
        lg_cel_value whole = evaluate(&c, sources[i], NULL, 0);
        CHECK(whole.kind == LG_CEL_BOOL);
        // Below some cost the outcome is the limit, from there on the value: never anything else.
        uint64_t low = 1;
        uint64_t high = 1000000;
        while (low < high) {
            uint64_t middle = (low + high) / 2;
            if (met_limit(evaluate(&c, sources[i], NULL, middle))) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        CHECK(met_limit(evaluate(&c, sources[i], NULL, low - 1)));
        lg_cel_value enough = evaluate(&c, sources[i], NULL, low);
        CHECK(enough.kind == LG_CEL_BOOL && enough.as.boolean == whole.as.boolean);
    }
    lg_arena_done(&c.arena);
}

static void nothing_absorbs_a_limit(void)
{
    static const char *const sources[] = {
        "range(1000).all(x, x >= 0) || true",
        "range(1000).exists(x, x < 0) && false",
        "[range(1000).all(x, x >= 0), true].exists(x, x)",
        "[1, 2].exists(y, y == 2 || range(1000).all(x, x >= 0))",
        "range(1000).all(x, x >= 0) ? true : true",
        "has({'a': range(1000).all(x, x >= 0)}.a)",
    };
    limit_case c;
    start(&c, (lg_limits){0});
    for (size_t i = 0; i < LG_COUNT(sources); i++) {
        lg_cel_value value = evaluate(&c, sources[i], NULL, 1500);
        CHECK_MSG(met_limit(value), sources[i]);
        if (met_limit(value)) {
            CHECK_STR(lg_str_c(value.as.failure->what),
                      "the evaluation takes too many steps (cel_cost)");
        }
    }
    lg_arena_done(&c.arena);
}

// The limit of the environment counts when the activation names none.
static void cost_of_the_environment(void)
{
    limit_case c;
    start(&c, (lg_limits){.cel_cost = 500});
    CHECK(met_limit(evaluate(&c, "range(1000).all(x, true)", NULL, 0)));
    CHECK(!met_limit(evaluate(&c, "range(10).all(x, true)", NULL, 0)));
    CHECK(!met_limit(evaluate(&c, "range(1000).all(x, true)", NULL, 100000)));
    lg_arena_done(&c.arena);
}

// Work that grows with the data is charged, not only the number of operations.
static void cost_follows_the_data(void)
{
    limit_case c;
    start(&c, (lg_limits){0});
    lg_str big = nest(&c, "a", "", "", 200000);
    lg_cel_value value = lg_cel_make_str(big);
    lg_cel_env_declare(c.env, LG_STR("s"), lg_cel_type_of_kind(LG_CEL_STRING));
    static const char *const sources[] = {
        "s == s + ''",
        "size(s) > 0",
        "s + 'b' != ''",
        "s.contains(s)",
        "s.endsWith('b')",
        "s.matches('b')",
        "[s] == [s]",
        "string(bytes(s)) == s",
        "range(2000) == range(2000)",
        "range(2000).map(x, s) == range(2000).map(x, s)",
        "1 in range(2000)",
        "(range(1000) + range(1000)) == []",
    };
    for (size_t i = 0; i < LG_COUNT(sources); i++) {
        CHECK_MSG(met_limit(evaluate(&c, sources[i], &value, 300)), sources[i]);
    }
    lg_arena_done(&c.arena);
}

static void regex_steps(void)
{
    limit_case c;
    lg_cel_value text = lg_cel_make_str(LG_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"));
    start(&c, (lg_limits){.regex_steps = 1000});
    lg_cel_env_declare(c.env, LG_STR("s"), lg_cel_type_of_kind(LG_CEL_STRING));
    CHECK(!met_limit(evaluate(&c, "s.matches('^a+!$')", &text, 0)));
    CHECK(met_limit(evaluate(&c, "s.matches('^(a+)+$')", &text, 0)));
    CHECK(met_limit(evaluate(&c, "s.matches('^(a+)+$') || true", &text, 0)));
    CHECK(met_limit(evaluate(&c, "s.matches('^(a+)+' + '$')", &text, 0)));
    lg_arena_done(&c.arena);
}

static void patterns(void)
{
    limit_case c;
    start(&c, (lg_limits){.cel_bytes = 1 << 20});
    CHECK(compile(&c, nest(&c, "", "'a'.matches('(a{1000})')", "", 1)));
    CHECK(!compile(&c, nest(&c, "", "'a'.matches('a{1001}')", "", 1)));
    lg_str deep = nest(&c, "(", "a", ")", 240);
    lg_str deeper = nest(&c, "(", "a", ")", 260);
    CHECK(compile(&c, lg_arena_printf(&c.arena, "'a'.matches('%.*s')", LG_FMT(deep))));
    CHECK(!compile(&c, lg_arena_printf(&c.arena, "'a'.matches('%.*s')", LG_FMT(deeper))));
    lg_str long_one = nest(&c, "a", "", "", 65537);
    CHECK(!compile(&c, lg_arena_printf(&c.arena, "'a'.matches('%.*s')", LG_FMT(long_one))));
    CHECK_STR(lg_str_c(c.errors.items[0].msg), "a pattern is longer than 64 KiB");
    lg_arena_done(&c.arena);
}

// Values that are wrapped again from one expression to the next have no depth in the source.
static void values_of_any_depth_compare(void)
{
    limit_case c;
    start(&c, (lg_limits){0});
    lg_cel_env_declare(c.env, LG_STR("v"), lg_cel_type_of_kind(LG_CEL_DYN));
    lg_cel_value value = lg_cel_make_int(1);
    const lg_cel_program *wrap = compile(&c, LG_STR("[v]"));
    for (int i = 0; wrap && i < 100000; i++) {
        value = lg_cel_eval(wrap, &(lg_cel_activation){.values = &value, .scratch = &c.arena});
    }
    CHECK(met_limit(evaluate(&c, "v == [v]", &value, 0)));
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_cel_print(&text, value);
    CHECK(text.len > 0);
    lg_buf_done(&text);
    CHECK(lg_cel_to_json(&c.arena, value) == NULL);
    lg_arena_done(&c.arena);
}

int main(void)
{
    RUN(expression_bytes);
    RUN(expression_depth);
    RUN(depth_has_a_ceiling);
    RUN(chains_are_not_deep);
    RUN(cost);
    RUN(nothing_absorbs_a_limit);
    RUN(cost_of_the_environment);
    RUN(cost_follows_the_data);
    RUN(regex_steps);
    RUN(patterns);
    RUN(values_of_any_depth_compare);
    return lg_test_done();
}
