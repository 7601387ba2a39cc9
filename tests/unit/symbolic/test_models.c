// test_models.c: formulas simplify as they are built, and what Z3 comes upon is JSON of its schema.
#include "lg_test.h"

#include "json_fixture.h"
#include "schema/schema.h"
#include "symbolic/model.h"

static void what_is_decided_is_a_literal(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    terms *t = terms_new(&arena, 1000, 0);
    term x = term_fresh(t, SORT_BOOL, LG_STR("x"));
    term y = term_fresh(t, SORT_BOOL, LG_STR("y"));
    term n = term_fresh(t, SORT_INT, LG_STR("n"));
    CHECK(term_is_false(t, term_and(t, x, term_not(t, x))));
    CHECK(term_is_true(t, term_or(t, term_not(t, x), x)));
    CHECK(term_not(t, term_not(t, x)) == x);
    CHECK(term_and(t, term_and(t, x, y), x) == term_and(t, x, y));
    CHECK(term_ite(t, x, y, y) == y);
    CHECK(term_ite(t, x, term_bool(t, true), term_bool(t, false)) == x);
    CHECK(term_eq(t, x, y) == term_eq(t, y, x));
    CHECK(term_is_true(t, term_eq(t, n, n)));
    CHECK(term_is_false(t, term_eq(t, term_int(t, 1), term_int(t, 2))));
    CHECK(term_is_true(t, term_lt(t, term_real(t, 0.1), term_real(t, 0.2))));
    CHECK(term_text(t, LG_STR("a")) == term_text(t, LG_STR("a")));
    CHECK(term_is_false(t, term_eq(t, term_text(t, LG_STR("a")), term_text(t, LG_STR("b")))));
    CHECK(!terms_failed(t));
    terms_free(t);
    lg_arena_done(&arena);
}

static void doubles_are_exact(void)
{
    static const double numbers[] = {0,     1,   -1,    0.1,    -0.25,  1e15, 9007199254740993.0,
                                     1e300, 1.5, 1e-10, 5e-200, 118.07, -3.7};
    lg_arena arena;
    lg_arena_init(&arena, 0);
    terms *t = terms_new(&arena, 1000, 0);
    for (size_t i = 0; i < LG_COUNT(numbers); i++) {
        double back = 7;
        bool read = term_double_of(t, term_real(t, numbers[i]), &back);
        CHECK_MSG(read && back >= numbers[i] && back <= numbers[i], "a double comes back");
    }
    terms_free(t);
    lg_arena_done(&arena);
}

static const char *const schemas[] = {
    "{\"type\":\"string\"}",
    "{\"type\":\"string\",\"minLength\":1}",
    "{\"type\":\"string\",\"pattern\":\"^[A-Z]{3}[0-9]+$\"}",
    "{\"type\":\"string\",\"format\":\"date\"}",
    "{\"type\":\"integer\",\"minimum\":3,\"maximum\":4}",
    "{\"type\":\"number\",\"exclusiveMinimum\":0}",
    "{\"type\":[\"string\",\"null\"]}",
    "{\"enum\":[\"a\",\"b\"]}",
    "{\"enum\":[1,null,\"x\",{\"y\":2}]}",
    "{\"const\":true}",
    "{\"type\":\"array\",\"items\":{\"type\":\"boolean\"},\"minItems\":1}",
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\"},\"b\":{\"type\":\"string\"}},"
    "\"required\":[\"a\"]}",
    "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}",
    "{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"object\",\"properties\":{\"k\":{\"enum\":[\"z\"]}}"
    ","
    "\"required\":[\"k\"]}]}",
    "{\"type\":\"object\",\"properties\":{\"list\":{\"type\":\"array\",\"items\":{\"type\":"
    "\"object\","
    "\"properties\":{\"id\":{\"type\":\"string\"}},\"required\":[\"id\"]}}},\"required\":[\"list\"]"
    "}",
};

// Looks at everything, so that all of it is constants. As deep as the schema.
static void look_at(problem *p, val v)
{
    for (uint32_t i = 0; i < v.count; i++) {
        const seq *list = v.alts[i].list;
        const dict *map = v.alts[i].map;
        for (uint32_t k = 0; list && k < list->count; k++) {
            look_at(p, *thunk_value(p, list->items[k].value));
        }
        for (uint32_t k = 0; map && k < map->count; k++) {
            look_at(p, *thunk_value(p, map->items[k].value));
        }
    }
}

static void one_schema(const char *text, bool looked_at)
{
    lg_arena arena;
    lg_errors errors;
    lg_arena_init(&arena, 0);
    lg_errors_init(&errors, &arena, 1);
    const lg_json *schema = fixture_json(&arena, text);
    const lg_schema *shape = lg_schema_compile(&arena, schema, NULL, &errors);
    problem p = {.arena = &arena, .width = 2, .t = terms_new(&arena, 5000, 0)};
    input *in = input_new(&p, LG_STR("x"), schema, 0);
    if (looked_at) {
        look_at(&p, *thunk_value(&p, input_thunk(in)));
    }
    term none = term_bool(p.t, true);
    for (size_t i = 0; i < p.summary_size_count; i++) {
        none = term_and(p.t, none, term_eq(p.t, p.summary_sizes[i], term_int(p.t, 0)));
    }
    CHECK_MSG(terms_check(p.t, &none, 1) == ANSWER_SAT, text);
    model m = model_of(&p, &arena);
    const lg_json *json = model_json(&m, in);
    if (!CHECK_MSG(shape && json && lg_schema_validate(shape, json, NULL), text)) {
        printf("    %.*s\n", LG_FMT(fixture_print(&arena, json)));
    }
    terms_free(p.t);
    lg_arena_done(&arena);
}

static void models_are_of_their_schema(void)
{
    for (size_t i = 0; i < LG_COUNT(schemas); i++) {
        one_schema(schemas[i], false);
        one_schema(schemas[i], true);
    }
}

int main(void)
{
    RUN(what_is_decided_is_a_literal);
    RUN(doubles_are_exact);
    RUN(models_are_of_their_schema);
    return lg_test_done();
}
