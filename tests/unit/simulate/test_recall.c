// test_recall.c: recorded answers are found by value, in their order, and nothing else is.
#include "lg_test.h"

#include "json_fixture.h"
#include "simulate/recall.h"

static const char calls[] =
    "[{\"name\":\"get\",\"arguments\":{\"a\":1,\"b\":{\"c\":[1,2]}},\"result\":\"first\"},"
    "{\"name\":\"get\",\"arguments\":{\"a\":2},\"result\":{\"x\":1},\"error\":false},"
    "{\"name\":\"get\",\"arguments\":{\"b\":{\"c\":[1.0,2]},\"a\":1.0},\"result\":\"second\","
    "\"error\":true},"
    "{\"name\":\"put\",\"result\":null,\"structuredContent\":{\"y\":2}}]";

static void finds_by_value(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_recall *recall = lg_recall_new(&arena);
    CHECK(lg_recall_add(recall, fixture_json(&arena, calls), NULL) == LG_OK);
    CHECK(lg_recall_count(recall) == 4 && lg_recall_group_count(recall) == 3);
    const lg_json *args = fixture_json(&arena, "{\"b\":{\"c\":[1,2.0]},\"a\":1}");
    lg_recalled found;
    CHECK(lg_recall_find(recall, LG_STR("get"), args, 0, &found));
    CHECK_STR(lg_json_str(found.result), "first");
    CHECK(!found.is_error && found.count == 2);
    size_t group = found.group;
    CHECK(lg_recall_find(recall, LG_STR("get"), args, 1, &found));
    CHECK_STR(lg_json_str(found.result), "second");
    CHECK(found.is_error && found.group == group);
    CHECK(lg_recall_find(recall, LG_STR("get"), args, 9, &found)); // the last one again
    CHECK_STR(lg_json_str(found.result), "second");
    CHECK(!lg_recall_find(recall, LG_STR("set"), args, 0, &found));
    CHECK(!lg_recall_find(recall, LG_STR("get"), fixture_json(&arena, "{\"a\":1}"), 0, &found));
    CHECK(lg_recall_find(recall, LG_STR("put"), NULL, 0, &found));
    CHECK(lg_json_is(found.result, LG_JSON_NULL));
    CHECK(lg_json_get(found.entry, LG_STR("structuredContent")) != NULL);
    lg_arena_done(&arena);
}

static void exact_integers(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_recall *recall = lg_recall_new(&arena);
    lg_recalled found;
    CHECK(!lg_recall_find(recall, LG_STR("get"), NULL, 0, &found)); // an empty one
    CHECK(lg_recall_add(recall,
                        fixture_json(&arena, "[{\"name\":\"get\",\"arguments\":{\"id\":"
                                             "9007199254740993},\"result\":1}]"),
                        NULL) == LG_OK);
    CHECK(!lg_recall_find(recall, LG_STR("get"), fixture_json(&arena, "{\"id\":9007199254740992}"),
                          0, &found));
    CHECK(lg_recall_find(recall, LG_STR("get"), fixture_json(&arena, "{\"id\":9007199254740993}"),
                         0, &found));
    lg_arena_done(&arena);
}

static void many(void)
{
    lg_arena arena;
    lg_buf text;
    lg_arena_init(&arena, 0);
    lg_buf_init(&text, 0);
    for (int i = 0; i < 5000; i++) {
        lg_buf_addf(&text, "%s{\"name\":\"get\",\"arguments\":{\"id\":%d},\"result\":%d}",
                    i ? "," : "[", i, i * 2);
    }
    lg_buf_add_c(&text, "]");
    lg_recall *recall = lg_recall_new(&arena);
    lg_recalled found;
    CHECK(lg_recall_add(recall, fixture_json(&arena, text.ptr), NULL) == LG_OK);
    for (int i = 0; i < 5000; i += 7) {
        lg_str args = lg_arena_printf(&arena, "{\"id\":%d}", i);
        CHECK(lg_recall_find(recall, LG_STR("get"), fixture_json(&arena, args.ptr), 0, &found) &&
              found.result->as.i64 == i * 2);
    }
    lg_buf_done(&text);
    lg_arena_done(&arena);
}

static void refuses(void)
{
    static const char *const bad[] = {"{}", "[1]", "[{\"name\":\"\"}]",
                                      "[{\"name\":\"a\",\"arguments\":[]}]",
                                      "[{\"name\":\"a\",\"error\":\"no\"}]"};
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (size_t i = 0; i < LG_COUNT(bad); i++) {
        lg_error error = {.msg = ""};
        lg_recall *recall = lg_recall_new(&arena);
        CHECK(lg_recall_add(recall, fixture_json(&arena, bad[i]), &error) == LG_ERR_FORMAT);
        CHECK(error.msg[0]);
    }
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(finds_by_value);
    RUN(exact_integers);
    RUN(many);
    RUN(refuses);
    return lg_test_done();
}
