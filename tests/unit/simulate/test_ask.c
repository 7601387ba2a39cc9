// What models say of calls: arguments, responses and states, from models that answer well, in prose, in halves, in other types,
// too much or nothing at all; and reasons that would give a value away.
#include "model_house.h"

#include "json_fixture.h"
#include "simulate/ask_internal.h"

static lg_arena arena;

static const char parameters[] =
    "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\",\"description\":\"City and "
    "country\"},\"day\":{\"type\":\"string\",\"description\":\"YYYY-MM-DD, within 30 days\"},"
    "\"class\":{\"enum\":[\"economy\",\"business\"]},\"a/b\":{\"type\":\"integer\"}}}";

static const char result_schema[] =
    "{\"type\":\"object\",\"required\":[\"id\",\"price\"],\"properties\":{\"id\":{\"type\":"
    "\"string\"},\"price\":{\"type\":\"number\",\"minimum\":0}}}";

static lg_sim_tool tool_of(const char *result)
{
    lg_errors errors;
    lg_errors_init(&errors, &arena, 4);
    lg_sim_tool tool = {.name = LG_STR("book"),
                        .description = LG_STR("Books a trip"),
                        .parameters = fixture_json(&arena, parameters)};
    if (result) {
        tool.result = fixture_json(&arena, result);
        tool.results = lg_schema_compile(&arena, tool.result, NULL, &errors);
        CHECK(tool.results != NULL);
    }
    return tool;
}

// --- Arguments ----------------------------------------------------------------------------------

typedef struct validity {
    const lg_sim_violation *items;
    size_t count;
    lg_str note;
} validity;

static validity ask_validity(model_house *m, const char *args)
{
    validity ret = {0};
    lg_error error = {0};
    lg_sim_tool tool = tool_of(NULL);
    lg_ask ask = {.tool = &tool,
                  .args = fixture_json(&arena, args),
                  .state = fixture_json(&arena, "{\"cities\":[\"Oslo, Norway\"],\"u77\":{}}")};
    CHECK_MSG(lg_ask_validity(&arena, m->llm, &ask, &ret.items, &ret.count, &ret.note, &error) ==
                  LG_OK,
              error.msg);
    return ret;
}

static void wrong_arguments_are_named_without_the_right_ones(void)
{
    static const model_answer answers[] = {
        {"{\"valid\":false,\"problems\":["
         "{\"argument\":\"city\",\"reason\":\"the country is missing\"},"
         "{\"argument\":\"/day\",\"reason\":\"it is not in the form YYYY-MM-DD\"},"
         "{\"argument\":\"class\",\"reason\":\"it should be business\"},"
         "{\"argument\":\"city\",\"reason\":\"Oslo, Norway was meant\"},"
         "{\"argument\":\"a/b\",\"reason\":\"it says again what `day` says\"},"
         "{\"argument\":\"hotel\",\"reason\":\"is missing\"}]}",
         0}};
    model_house m;
    model_begin(&m, answers, 1);
    validity v = ask_validity(&m, "{\"city\":\"Oslo\",\"day\":\"1/2/2024\"}");
    if (CHECK(v.count == 5)) {
        CHECK_STR(v.items[0].message, "`city`: the country is missing");
        CHECK_STR(v.items[0].path, "/city");
        CHECK_STR(v.items[0].rule, "model");
        CHECK_STR(v.items[0].kind, "arguments");
        CHECK_STR(v.items[1].message, "`day`: it is not in the form YYYY-MM-DD");
        CHECK_STR(v.items[2].message, "`class` is not what its description asks for");
        CHECK_STR(v.items[3].message, "`city` is not what its description asks for");
        CHECK_STR(v.items[4].path, "/a~1b");
        CHECK(lg_str_find(v.note, LG_STR("1 named none of the tool's and 2 gave no")) != SIZE_MAX);
    }
    CHECK(lg_str_find(lg_buf_str(&m.last), LG_STR("Oslo, Norway")) == SIZE_MAX); // not even told
    model_end(&m);
}

static void doubts_and_nonsense_count_as_valid(void)
{
    static const model_answer answers[] = {
        {"{\"valid\":true,\"problems\":[{\"argument\":\"city\",\"reason\":\"odd\"}]}", 0},
        {"{\"valid\":false,\"problems\":[]}", 0},
        {"It seems fine to me.", 0},
        {"{\"valid\":\"no\"", 0},
        {"{\"valid\":\"no\",\"problems\":7}", 0},
        {"{}", 401}};
    model_house m;
    model_begin(&m, answers, LG_COUNT(answers));
    validity v = ask_validity(&m, "{\"city\":\"Oslo\"}");
    CHECK(v.count == 0 && v.note.len == 0);
    v = ask_validity(&m, "{\"city\":\"Oslo\"}");
    CHECK(v.count == 0 && lg_str_starts(v.note, LG_STR("the arguments count as valid")));
    for (int i = 0; i < 2; i++) {
        v = ask_validity(&m, "{\"city\":\"Oslo\"}");
        CHECK(v.count == 0 && lg_str_starts(v.note, LG_STR("the model has not looked")));
    }
    size_t asked = atomic_load(&m.asked);
    v = ask_validity(&m, "{}"); // nothing to look at
    CHECK(v.count == 0 && v.note.len == 0 && atomic_load(&m.asked) == asked);
    model_end(&m);
}

static void reasons_that_give_values_away(void)
{
    static const struct {
        const char *argument, *reason;
        bool leaks;
    } cases[] = {
        {"city", "the country is missing", false},
        {"city", "it is not a city, and the country is missing", false},
        {"city", "Rome is in the state", true},
        {"city", "rome", true},
        {"city", "Romeo is a name", false},
        {"city", "use \"Paris, France\"", true},
        {"city", "'Oslo' lacks its country", false},
        {"city", "it isn't what the tool's owner wants", false},
        {"class", "ECONOMY is the right one", true},
        {"class", "an economical one would do", false},
        {"day", "it must be like `YYYY-MM-DD`", false},
        {"day", "it is not within 30 days", false},
        {"day", "it is more than 31 days away", true},
        {"day", "2024-05-01 would do", true},
        {"day", "2023-01-01 is past", false},
        {"city", "user u77 lives elsewhere", true},
        {"city", "it cost 12.5 before", true},
    };
    lg_sim_tool tool = tool_of(NULL);
    lg_sim_past past = {.tool = LG_STR("find"),
                        .result = fixture_json(&arena, "{\"price\":12.5,\"place\":\"Lima\"}")};
    lg_ask ask = {.tool = &tool,
                  .args = fixture_json(&arena, "{\"city\":\"Oslo\",\"day\":\"2023-01-01\"}"),
                  .state = fixture_json(&arena, "{\"cities\":[\"Rome\",\"Oslo\"],\"u77\":{}}"),
                  .past = &past,
                  .past_count = 1};
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        CHECK_MSG(ask_gives_away(&ask, lg_str_c(cases[i].argument), lg_str_c(cases[i].reason)) ==
                      cases[i].leaks,
                  cases[i].reason);
    }
}

// --- Responses ----------------------------------------------------------------------------------

static const lg_json *ask_response(model_house *m, const char *schema, lg_str *ret_note)
{
    const lg_json *result = NULL;
    lg_error error = {0};
    lg_sim_tool tool = tool_of(schema);
    lg_ask ask = {.tool = &tool, .args = fixture_json(&arena, "{\"city\":\"Oslo\"}")};
    CHECK_MSG(lg_ask_response(&arena, m->llm, &ask, &result, ret_note, &error) == LG_OK, error.msg);
    return result;
}

static void a_response_is_repaired_within_bounds(void)
{
    static const model_answer answers[] = {
        {"Here you are: {\"id\":\"b1\",", 0},
        {"{\"id\":7,\"price\":-1}", 0},
        {"```json\n{\"id\":\"b1\",\"price\":3}\n```", 0}, // the second repair
        {"no", 0}};
    model_house m;
    lg_str note;
    model_begin(&m, answers, LG_COUNT(answers));
    const lg_json *result = ask_response(&m, result_schema, &note);
    CHECK(result && note.len == 0 && atomic_load(&m.asked) == 3);
    if (result) {
        CHECK_STR(fixture_print(&arena, result), "{\"id\":\"b1\",\"price\":3}");
    }
    result = ask_response(&m, result_schema, &note);
    CHECK(!result && atomic_load(&m.asked) == 6);
    CHECK(lg_str_starts(note, LG_STR("the model's answer is replaced by synthesis: invalid")));
    model_end(&m);
}

// Its schema leads elsewhere, or is of a dialect that no server speaks: it is kept to, and not sent.
static void a_schema_that_cannot_be_sent_is_checked(void)
{
    static const char with_reference[] =
        "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/n\"}},\"required\":[\"a\"],"
        "\"$defs\":{\"n\":{\"type\":\"integer\"}}}";
    static const model_answer answers[] = {
        {"{\"a\":\"one\"}", 0}, {"{}", 0}, {"{\"a\":1}", 0}, {"prose", 0}};
    model_house m;
    lg_str note;
    model_begin(&m, answers, LG_COUNT(answers));
    const lg_json *result = ask_response(&m, with_reference, &note);
    CHECK(result && atomic_load(&m.asked) == 3);
    CHECK(lg_str_find(lg_buf_str(&m.last), LG_STR("response_format")) == SIZE_MAX);
    result = ask_response(&m, with_reference, &note);
    CHECK(!result && atomic_load(&m.asked) == 6);
    CHECK(lg_str_find(note, LG_STR("after 3 tries: there is no JSON in it")) != SIZE_MAX);
    model_end(&m);
}

static void a_server_that_refuses_the_schema_is_asked_without(void)
{
    static const model_answer answers[] = {
        {"{\"error\":{\"message\":\"response_format: not supported\"}}", 400},
        {"{\"id\":\"x\",\"price\":1}", 0},
        {"{\"error\":{\"message\":\"slow down\"}}", 429}};
    model_house m;
    lg_str note;
    model_begin(&m, answers, LG_COUNT(answers));
    CHECK(ask_response(&m, result_schema, &note) != NULL && atomic_load(&m.asked) == 2);
    CHECK(ask_response(&m, result_schema, &note) == NULL && atomic_load(&m.asked) == 4);
    CHECK(lg_str_find(note, LG_STR("refused: ")) != SIZE_MAX);
    model_end(&m);
}

static void any_json_will_do_without_a_schema(void)
{
    static const model_answer answers[] = {{"\"fine\"", 0}, {"[1]", 0}};
    model_house m;
    lg_str note;
    model_begin(&m, answers, LG_COUNT(answers));
    CHECK(lg_json_is(ask_response(&m, NULL, &note), LG_JSON_STRING));
    CHECK(lg_json_is(ask_response(&m, NULL, &note), LG_JSON_ARRAY));
    model_end(&m);
}

// --- States -------------------------------------------------------------------------------------

static const lg_json *ask_state(model_house *m, const lg_json *state, lg_str *ret_note)
{
    const lg_json *after = NULL;
    lg_error error = {0};
    lg_sim_tool tool = tool_of(NULL);
    lg_ask ask = {.tool = &tool, .args = fixture_json(&arena, "{}"), .state = state};
    CHECK_MSG(lg_ask_state(&arena, m->llm, &ask, fixture_json(&arena, "{\"ok\":true}"), &after,
                           ret_note, &error) == LG_OK,
              error.msg);
    return after;
}

static void a_state_is_an_object_of_bounded_size(void)
{
    lg_buf large, state;
    lg_str note;
    lg_buf_init(&large, 0);
    lg_buf_add_c(&large, "{\"a\":\"");
    lg_buf_add_repeat(&large, 'x', ASK_VALUE_BYTES);
    lg_buf_add_c(&large, "\"}");
    lg_buf_add_byte(&large, '\0');
    lg_buf_init(&state, 0);
    lg_buf_add_c(&state, "{\"a\":\"");
    lg_buf_add_repeat(&state, 'x', ASK_STATE_BYTES);
    lg_buf_add_c(&state, "\"}");
    lg_buf_add_byte(&state, '\0');
    const model_answer answers[] = {
        {"{\"trips\":{\"b1\":{}}}", 0}, {"[1]", 0}, {large.ptr, 0}, {"\"gone\"", 0}};
    model_house m;
    model_begin(&m, answers, LG_COUNT(answers));
    CHECK(lg_json_is(ask_state(&m, fixture_json(&arena, "{}"), &note), LG_JSON_OBJECT));
    CHECK(!ask_state(&m, fixture_json(&arena, "{}"), &note) && atomic_load(&m.asked) == 4);
    CHECK(lg_str_starts(note, LG_STR("the state stays as it was: after 3 tries")));
    CHECK(!ask_state(&m, fixture_json(&arena, state.ptr), &note) && atomic_load(&m.asked) == 4);
    CHECK(lg_str_find(note, LG_STR("too large")) != SIZE_MAX);
    model_end(&m);
    lg_buf_done(&large);
    lg_buf_done(&state);
}

static void a_task_begins_with_a_state(void)
{
    static const char text[] = "[{\"type\":\"function\",\"function\":{\"name\":\"ls\","
                               "\"description\":\"Lists a folder\",\"parameters\":{\"type\":"
                               "\"object\",\"properties\":{\"path\":{\"type\":\"string\"}}}}}]";
    static const model_answer answers[] = {
        {"{\"files\":{\"a.txt\":{}},\"runtime_state\":{\"folder\":\"/\"}}", 0}, {"?", 0}};
    model_house m;
    lg_errors errors;
    lg_error error = {0};
    lg_sim *sim = NULL;
    const lg_catalogue *catalogue = NULL;
    const lg_json *state = NULL;
    lg_str note;
    lg_errors_init(&errors, &arena, 4);
    CHECK(lg_catalogue_read(&arena, lg_str_c(text), NULL, &catalogue, &error) == LG_OK);
    lg_sim_options options = {.catalogue = catalogue};
    CHECK(lg_sim_new(&options, &sim, &errors) == LG_OK);
    model_begin(&m, answers, LG_COUNT(answers));
    CHECK(lg_ask_first_state(&arena, m.llm, sim, LG_STR("List a.txt"), NULL, &state, &note,
                             &error) == LG_OK);
    CHECK(lg_json_len(state) == 2);
    CHECK(lg_str_find(lg_buf_str(&m.last), LG_STR("ls(path): Lists a folder")) != SIZE_MAX);
    CHECK(lg_ask_first_state(&arena, m.llm, sim, LG_STR("x"), fixture_json(&arena, "{\"k\":1}"),
                             &state, &note, &error) == LG_OK);
    CHECK(!state && lg_str_starts(note, LG_STR("the task begins without")));
    model_end(&m);
    lg_sim_free(sim);
}

// --- Material -----------------------------------------------------------------------------------

static void material_is_bounded_and_stays_in_its_tags(void)
{
    lg_buf out;
    lg_sim_past past[ASK_CALLS + 5];
    lg_buf_init(&out, 0);
    lg_llm_add_section(&out, "task", LG_STR("a</task>b"), 100);
    CHECK_STR(lg_buf_str(&out), "<task>\na< /task>b\n</task>\n");
    lg_buf_clear(&out);
    lg_llm_add_section(&out, "task", LG_STR("0123456789"), 4);
    CHECK_STR(lg_buf_str(&out), "<task>\n0123 [cut: 4 of 10 bytes]\n</task>\n");
    lg_buf_clear(&out);
    for (size_t i = 0; i < LG_COUNT(past); i++) {
        past[i] = (lg_sim_past){.number = i + 1, .tool = LG_STR("t")};
    }
    ask_add_calls(&out, past, LG_COUNT(past), 3);
    CHECK(lg_str_starts(lg_buf_str(&out), LG_STR("<calls>\n[cut: 8 earlier calls]\n6. t ")));
    lg_buf_done(&out);
}

int main(void)
{
    lg_arena_init(&arena, 0);
    RUN(wrong_arguments_are_named_without_the_right_ones);
    RUN(doubts_and_nonsense_count_as_valid);
    RUN(reasons_that_give_values_away);
    RUN(a_response_is_repaired_within_bounds);
    RUN(a_schema_that_cannot_be_sent_is_checked);
    RUN(a_server_that_refuses_the_schema_is_asked_without);
    RUN(any_json_will_do_without_a_schema);
    RUN(a_state_is_an_object_of_bounded_size);
    RUN(a_task_begins_with_a_state);
    RUN(material_is_bounded_and_stays_in_its_tags);
    lg_arena_done(&arena);
    return lg_test_done();
}
