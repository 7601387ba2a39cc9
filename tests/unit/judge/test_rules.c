// Rules of prompts as a file holds them: what is read is what was written, and each is of its prompt.
#include "lg_test.h"

#include "base/alloc.h"
#include "judge/judge.h"

static lg_arena arena;

static const lg_json *parse(lg_arena *into, const char *text)
{
    const lg_json *value = NULL;
    lg_error err;
    lg_str source = lg_str_c(text);
    CHECK(lg_json_parse_in(into, source, 0, source.len, NULL, &value, &err) == LG_OK);
    return value;
}

static const char three[] =
    "{\"rules\":["
    "{\"family\":\"output\",\"level\":\"must\",\"rule\":\"Be kind.\",\"quote\":\"be "
    "kind\",\"source\":\"prompt\",\"begin\":3,\"end\":10},"
    "{\"family\":\"transition\",\"level\":\"should\",\"rule\":\"Ask first.\",\"quote\":\"ask\","
    "\"source\":\"tools\",\"begin\":0,\"end\":3},"
    "{\"family\":\"forbidden_edge\",\"level\":\"must\",\"rule\":\"No b after a.\",\"quote\":\"no "
    "b\",\"source\":\"prompt\",\"begin\":1,\"end\":5,\"from\":\"a\",\"to\":\"b\",\"prompt\":\"%s\"}"
    "],\"unquoted\":0,\"repeated\":0}";

// `three` with the id of a prompt in it.
static const char *file_of(lg_arena *into, const char *id)
{
    return lg_arena_printf(into, three, id).ptr;
}

static void what_is_written_is_read(void)
{
    const char *text = file_of(&arena, "0123");
    lg_prompt_rules rules;
    lg_error err;
    lg_buf out;
    lg_buf_init(&out, 0);
    CHECK(lg_prompt_rules_read(&arena, parse(&arena, text), &rules, &err) == LG_OK);
    CHECK(rules.count == 3 && rules.items[0].must && !rules.items[1].must);
    CHECK(rules.items[1].in_tools && rules.items[2].family == LG_FAMILY_FORBIDDEN_EDGE);
    lg_json_writer w = {.out = &out};
    lg_prompt_rules_write(&w, &rules);
    CHECK(lg_str_eq(lg_buf_str(&out), lg_str_c(text)));
    lg_buf_done(&out);
}

static void rules_are_of_their_prompt(void)
{
    char id[65], other[65];
    lg_error err;
    lg_prompt_rules rules, some;
    const lg_json *tools = parse(&arena, "[{\"name\":\"a\"}]");
    CHECK(lg_prompt_id(LG_STR("Be kind."), tools, id, &err) == LG_OK);
    CHECK(lg_prompt_id(LG_STR("Be kind."), NULL, other, &err) == LG_OK);
    CHECK(memcmp(id, other, 64) != 0);
    const lg_json *value = parse(&arena, file_of(&arena, id));
    CHECK(lg_prompt_rules_read(&arena, value, &rules, &err) == LG_OK);
    CHECK(lg_prompt_rules_of(&arena, &rules, LG_STR("Be kind."), tools, &some, &err) == LG_OK);
    CHECK(some.count == 3);
    CHECK(lg_prompt_rules_of(&arena, &rules, LG_STR("Be kind."), NULL, &some, &err) == LG_OK);
    CHECK(some.count == 2); // those of every prompt
}

static void what_is_no_rule_is_named(void)
{
    static const struct {
        const char *text, *pointer;
    } cases[] = {
        {"[]", "/rules"},
        {"{\"rules\":{}}", "/rules"},
        {"{\"rules\":[1]}", "/rules/0"},
        {"{\"rules\":[{\"family\":\"output\"}]}", "/rules/0"},
        {"{\"rules\":[{\"family\":\"verse\",\"rule\":\"x\"}]}", "/rules/0"},
        {"{\"rules\":[{\"family\":\"output\",\"rule\":\"x\"},"
         "{\"family\":\"forbidden_edge\",\"rule\":\"x\",\"from\":\"a\"}]}",
         "/rules/1"},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_prompt_rules rules;
        lg_error err;
        CHECK(lg_prompt_rules_read(&arena, parse(&arena, cases[i].text), &rules, &err) ==
              LG_ERR_TYPE);
        CHECK(lg_str_starts(lg_str_c(err.msg), lg_str_c(cases[i].pointer)));
    }
}

// Each allocation fails once: an error, and no crash.
static void memory_may_end_anywhere(void)
{
    const lg_json *value = parse(&arena, file_of(&arena, "0123"));
    uint64_t n = 1;
    for (lg_status status = LG_ERR_OOM; status != LG_OK && n < 1000; n++) {
        lg_arena own;
        lg_prompt_rules rules, some;
        lg_error err;
        lg_arena_init(&own, 0);
        lg_alloc_fail_at(n);
        status = lg_prompt_rules_read(&own, value, &rules, &err);
        if (status == LG_OK) {
            status = lg_prompt_rules_of(&own, &rules, LG_STR("x"), value, &some, &err);
        }
        lg_alloc_fail_at(0);
        CHECK(status == LG_OK || status == LG_ERR_OOM);
        lg_arena_done(&own);
    }
    CHECK(n > 2 && n < 1000);
}

int main(void)
{
    lg_arena_init(&arena, 0);
    RUN(what_is_written_is_read);
    RUN(rules_are_of_their_prompt);
    RUN(what_is_no_rule_is_named);
    RUN(memory_may_end_anywhere);
    lg_arena_done(&arena);
    return lg_test_done();
}
