// test_arguments.c: what a model is told of a call that does not fit its tool.
#include "lg_test.h"

#include "base/types.h"
#include "catalogue/arguments.h"

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{\"order\":{\"type\":\"string\",\"pattern\":\"^#\"},"
    "\"count\":{\"type\":\"integer\",\"minimum\":1},\"size\":{\"enum\":[\"S\",\"M\"]},"
    "\"paid\":{\"items\":{\"properties\":{\"card_id\":{},\"amount\":{}},\"required\":[\"card_id\"]}"
    "}},"
    "\"required\":[\"order\"]}";

static const struct {
    const char *args;
    size_t count;
    lg_schema_fault fault;
    const char *message;
} calls[] = {
    {"{\"order\":\"#1\"}", 0, LG_FAULT_TYPE, ""},
    {"{}", 1, LG_FAULT_REQUIRED, "`order` is required, but missing"},
    {"{\"order\":\"#1\",\"count\":\"two\"}", 1, LG_FAULT_TYPE,
     "`count` must be an integer; got the string \"two\""},
    {"{\"order\":\"#1\",\"count\":0}", 1, LG_FAULT_RANGE, "`count` must be at least 1; got 0"},
    {"{\"order\":\"#1\",\"size\":\"L\"}", 1, LG_FAULT_ENUM,
     "`size` must be one of \"S\", \"M\"; got \"L\""},
    {"{\"order\":\"#1\",\"ordr\":1}", 1, LG_FAULT_UNKNOWN, NULL},
    {"{\"order\":\"#1\",\"paid\":[{\"id\":\"c\"}]}", 1, LG_FAULT_REQUIRED,
     "`paid[0].card_id` is required, but missing; there is `id`, \"c\": did you mean `card_id`?"},
    {"{\"count\":0,\"size\":\"L\"}", 3, LG_FAULT_RANGE, NULL},
    {"[1]", 1, LG_FAULT_TYPE, "The arguments are not a JSON object: [1]"},
    {"no json\n\033[2J", 1, LG_FAULT_TYPE, "The arguments are not a JSON object: no json??[2J"},
};

static void calls_are_judged(void)
{
    lg_arena arena;
    lg_errors errors;
    lg_arena_init(&arena, 0);
    lg_errors_init(&errors, &arena, 4);
    const lg_json *source = NULL;
    lg_str text = lg_str_c(schema_text);
    CHECK(lg_json_parse_in(&arena, text, 0, text.len, NULL, &source, NULL) == LG_OK);
    const lg_schema *schema =
        lg_schema_compile(&arena, source, &(lg_schema_options){.closed_arguments = true}, &errors);
    CHECK(schema != NULL);
    for (size_t i = 0; schema && i < LG_COUNT(calls); i++) {
        const lg_json *args = NULL;
        lg_str call = lg_str_c(calls[i].args);
        if (lg_json_parse_in(&arena, call, 0, call.len, NULL, &args, NULL) != LG_OK) {
            args = NULL; // as whoever hears the call would have it
        }
        lg_argument_check check;
        CHECK(lg_tool_check_arguments(&arena, schema, args, call, &check) == LG_OK);
        CHECK_MSG(check.valid == (calls[i].count == 0), calls[i].args);
        CHECK_MSG(check.count == calls[i].count && check.dropped == 0, calls[i].args);
        CHECK_MSG(check.count == 0 || check.errors[0].fault == calls[i].fault, calls[i].args);
        if (calls[i].message) {
            CHECK_STR(check.message, calls[i].message);
        }
    }
    lg_arena_done(&arena);
}

static void many_errors_are_counted(void)
{
    lg_arena arena;
    lg_errors errors;
    lg_argument_check check;
    lg_json_member members[40];
    char keys[40][8];
    lg_arena_init(&arena, 0);
    lg_errors_init(&errors, &arena, 4);
    for (size_t i = 0; i < LG_COUNT(members); i++) {
        snprintf(keys[i], sizeof(keys[i]), "k%zu", i);
        members[i] = lg_json_make_member(lg_str_c(keys[i]), lg_json_make_int(1));
    }
    lg_json_member *kept = lg_json_alloc_members(&arena, LG_COUNT(members));
    memcpy(kept, members, sizeof(members));
    lg_json args = lg_json_make_object(kept, LG_COUNT(members));
    lg_str text = LG_STR("{\"properties\":{}}");
    const lg_json *source = NULL;
    CHECK(lg_json_parse_in(&arena, text, 0, text.len, NULL, &source, NULL) == LG_OK);
    const lg_schema *schema =
        lg_schema_compile(&arena, source, &(lg_schema_options){.closed_arguments = true}, &errors);
    CHECK(lg_tool_check_arguments(&arena, schema, &args, LG_STR(""), &check) == LG_OK);
    CHECK(!check.valid && check.count == LG_ARGUMENT_ERRORS_MAX);
    CHECK(check.count + check.dropped == LG_COUNT(members));
    CHECK(lg_str_ends(check.message, LG_STR("; and 24 more")));
    lg_arena_done(&arena);
}

static void a_tool_without_a_schema_takes_any_object(void)
{
    lg_arena arena;
    lg_argument_check check;
    lg_arena_init(&arena, 0);
    lg_json empty = lg_json_make_object(NULL, 0);
    CHECK(lg_tool_check_arguments(&arena, NULL, &empty, LG_STR(""), &check) == LG_OK &&
          check.valid);
    CHECK(lg_tool_check_arguments(&arena, NULL, NULL, LG_STR("x"), &check) == LG_OK);
    CHECK(!check.valid && check.count == 1 && check.errors[0].instance == NULL);
    lg_arena_done(&arena);
}

static void no_memory_is_an_error(void)
{
    lg_arena arena;
    lg_argument_check check;
    lg_arena_init(&arena, 16);
    CHECK(lg_tool_check_arguments(&arena, NULL, NULL, LG_STR("x"), &check) == LG_ERR_OOM);
    lg_arena_done(&arena);
}

// However little is left for words, a refusal has some.
static void a_refusal_always_says_something(void)
{
    lg_arena arena;
    lg_errors errors;
    lg_arena_init(&arena, 0);
    lg_errors_init(&errors, &arena, 4);
    const lg_json *source = NULL;
    const lg_json *args = NULL;
    lg_str text = lg_str_c(schema_text);
    lg_str call = LG_STR("{\"order\":\"#1\",\"count\":0}");
    CHECK(lg_json_parse_in(&arena, text, 0, text.len, NULL, &source, NULL) == LG_OK);
    CHECK(lg_json_parse_in(&arena, call, 0, call.len, NULL, &args, NULL) == LG_OK);
    const lg_schema *schema = lg_schema_compile(&arena, source, NULL, &errors);
    for (uint64_t steps = 0; schema && steps < 40; steps++) {
        lg_argument_check check;
        lg_budget verdict = {.left = 10000};
        lg_budget words = {.left = steps};
        CHECK(lg_tool_check_arguments_within(&arena, schema, args, call, &check, &verdict,
                                             &words) == LG_OK);
        CHECK(!check.valid && check.message.len > 0);
        if (steps == 0) {
            CHECK_STR(check.message, "The arguments do not fit the tool's schema.");
        }
    }
    CHECK(schema != NULL);
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(calls_are_judged);
    RUN(many_errors_are_counted);
    RUN(a_tool_without_a_schema_takes_any_object);
    RUN(no_memory_is_an_error);
    RUN(a_refusal_always_says_something);
    return lg_test_done();
}
