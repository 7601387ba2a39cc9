// Checklists as tasks write them: what is read, and how what is none is said, with its place.
#include "lg_test.h"

#include "base/alloc.h"
#include "json_fixture.h"
#include "simulate/checklist.h"

static lg_arena arena;

static lg_status read(const char *text, lg_checklist *ret, lg_errors *errors)
{
    lg_errors_init(errors, &arena, 20);
    return lg_checklist_read(&arena, fixture_json(&arena, text), ret, errors);
}

static void all_forms_are_read(void)
{
    lg_checklist list;
    lg_errors errors;
    CHECK(read("{\"checklist\":[{\"description\":\"d\",\"that\":\"state.a == start.a\"},"
               "{\"description\":\"in words\"},\"words alone\",{\"that\":\"size(calls) > 0\"},"
               "{\"description\":\"e\",\"that\":\"\"}],"
               "\"actions\":[{\"name\":\"f\",\"arguments\":{\"x\":1}},{\"name\":\"f\","
               "\"arguments\":{\"x\":1.0}},{\"name\":\"f\",\"arguments\":{\"x\":2}}],"
               "\"communicate_info\":[\"10\"],\"state\":{\"/a/0\":null,\"\":{}},"
               "\"evaluation_criteria\":{\"nl_assertions\":[\"n\"],\"actions\":null}}",
               &list, &errors) == LG_OK);
    static const lg_check_kind kinds[] = {LG_CHECK_THAT,   LG_CHECK_IN_WORDS, LG_CHECK_IN_WORDS,
                                          LG_CHECK_THAT,   LG_CHECK_IN_WORDS, LG_CHECK_CALLED,
                                          LG_CHECK_CALLED, LG_CHECK_CALLED,   LG_CHECK_SAYS,
                                          LG_CHECK_STATE,  LG_CHECK_STATE,    LG_CHECK_IN_WORDS};
    if (CHECK(list.count == LG_COUNT(kinds) && errors.count == 0 && !list.by_model)) {
        for (size_t i = 0; i < list.count; i++) {
            bool has = (list.items[i].program != NULL) == (kinds[i] == LG_CHECK_THAT);
            CHECK(list.items[i].kind == kinds[i] && has && list.items[i].description.len > 0);
        }
        CHECK(list.items[5].nth == 1 && list.items[6].nth == 2 && list.items[7].nth == 1);
        CHECK_STR(list.items[3].description, "size(calls) > 0");
    }
    CHECK(read("{}", &list, &errors) == LG_OK && list.count == 0);
    CHECK(read("[{\"description\":\"d\"}]", &list, &errors) == LG_OK && list.count == 1);
}

static void descriptions_tell_no_value(void)
{
    lg_checklist list;
    lg_errors errors;
    CHECK(read("{\"actions\":[{\"name\":\"pay\",\"arguments\":{\"to\":\"secret\",\"n\":4711}}],"
               "\"communicate_info\":[\"secret\"],\"state\":{\"/a\":\"secret\",\"/b\":4711}}",
               &list, &errors) == LG_OK);
    for (size_t i = 0; i < list.count; i++) {
        CHECK(lg_str_find(list.items[i].description, LG_STR("secret")) == SIZE_MAX);
        CHECK(lg_str_find(list.items[i].description, LG_STR("4711")) == SIZE_MAX);
    }
    CHECK_STR(list.items[0].description, "`pay` was called with the right `to`, `n`");
}

static void what_is_none_is_said_with_its_place(void)
{
    static const struct {
        const char *text;
        lg_status status;
        const char *begins, *has;
    } cases[] = {
        {"7", LG_ERR_TYPE, ": a checklist is", ""},
        {"{\"checklist\":{}}", LG_ERR_TYPE, "/checklist: a list", ""},
        {"[3]", LG_ERR_TYPE, "/0: an item", ""},
        {"[{\"that\":7}]", LG_ERR_TYPE, "/0/that: ", "expression"},
        {"[{}]", LG_ERR_TYPE, "/0: a description", ""},
        {"{\"checklist\":[{\"description\":\"d\",\"that\":\"state.x ==\"}]}", LG_ERR_PARSE,
         "/checklist/0/that: line 1, column ", "state.x =="},
        {"[{\"that\":\"true &&\\n  stat.x == 1\"}]", LG_ERR_TYPE,
         "/0/that: line 2, column 3: ", "`  ` \xe2\x86\x92 `stat.x == 1`"},
        {"[{\"that\":\"1 + 1\"}]", LG_ERR_TYPE, "/0/that: ", "neither true nor false"},
        {"{\"actions\":[{}]}", LG_ERR_TYPE, "/actions/0: the name", ""},
        {"{\"actions\":[[]]}", LG_ERR_TYPE, "/actions/0: an action", ""},
        {"{\"actions\":[{\"name\":\"a\",\"arguments\":[]}]}", LG_ERR_TYPE,
         "/actions/0: ", "object"},
        {"{\"actions\":[{\"name\":\"a\",\"requestor\":\"cat\"}]}", LG_ERR_TYPE,
         "/actions/0: ", "assistant"},
        {"{\"communicate_info\":[1]}", LG_ERR_TYPE, "/communicate_info/0: ", ""},
        {"{\"state\":[]}", LG_ERR_TYPE, "/state: ", "pointers"},
        {"{\"state\":{\"a/b\":1}}", LG_ERR_TYPE, "/state/a~1b: ", "begins with"},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_checklist list;
        lg_errors errors;
        lg_status status = read(cases[i].text, &list, &errors);
        const char *msg = errors.count ? errors.items[0].msg : "";
        bool fine = status != LG_OK && errors.count > 0 &&
                    lg_str_starts(lg_str_c(msg), lg_str_c(cases[i].begins)) &&
                    lg_str_find(lg_str_c(msg), lg_str_c(cases[i].has)) != SIZE_MAX;
        if (!CHECK_MSG(fine, cases[i].text)) {
            printf("  status %d: %s\n", (int)status, msg);
        }
    }
}

static void sizes_are_bounded(void)
{
    lg_buf text;
    lg_checklist list;
    lg_errors errors;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, "[\"");
    lg_buf_add_repeat(&text, 'x', LG_CHECKLIST_TEXT_BYTES + 1);
    lg_buf_add_c(&text, "\"]");
    lg_buf_add_byte(&text, '\0');
    CHECK(read(text.ptr, &list, &errors) == LG_ERR_LIMIT);
    lg_buf_clear(&text);
    lg_buf_add_c(&text, "{\"actions\":[");
    for (unsigned i = 0; i < LG_CHECKLIST_ITEMS_MAX + 1; i++) {
        lg_buf_add_c(&text, i ? ",{\"name\":\"a\"}" : "{\"name\":\"a\"}");
    }
    lg_buf_add_c(&text, "]}");
    lg_buf_add_byte(&text, '\0');
    CHECK(read(text.ptr, &list, &errors) == LG_ERR_LIMIT && list.count == LG_CHECKLIST_ITEMS_MAX);
    CHECK(list.items[999].nth == 1000);
    lg_buf_done(&text);
}

static void memory_may_end_anywhere(void)
{
    const lg_json *task = fixture_json(
        &arena, "{\"checklist\":[{\"description\":\"d\",\"that\":\"state.a == 1\"}],"
                "\"actions\":[{\"name\":\"f\",\"arguments\":{\"x\":1}}],\"state\":{\"/a\":1}}");
    uint64_t n = 1;
    for (lg_status status = LG_ERR_OOM; status != LG_OK && n < 2000; n++) {
        lg_arena own;
        lg_errors errors;
        lg_checklist list;
        lg_arena_init(&own, 0);
        lg_errors_init(&errors, &own, 4);
        lg_alloc_fail_at(n);
        status = lg_checklist_read(&own, task, &list, &errors);
        lg_alloc_fail_at(0);
        CHECK(status == LG_OK || status == LG_ERR_OOM);
        CHECK(status != LG_OK || list.count == 3);
        lg_arena_done(&own);
    }
    CHECK(n > 2 && n < 2000);
}

int main(void)
{
    lg_arena_init(&arena, 0);
    RUN(all_forms_are_read);
    RUN(descriptions_tell_no_value);
    RUN(what_is_none_is_said_with_its_place);
    RUN(sizes_are_bounded);
    RUN(memory_may_end_anywhere);
    lg_arena_done(&arena);
    return lg_test_done();
}
