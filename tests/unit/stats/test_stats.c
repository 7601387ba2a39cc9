// Lines in, statistics out: in any order the same, and with no memory an error.
#include "lg_test.h"

#include "base/alloc.h"
#include "stats/names.h"
#include "stats/stats.h"

#define RESULTS 24

// A result of four models and domains, with all that is counted.
static lg_str result(char *room, size_t size, int i)
{
    int n = snprintf(
        room, size,
        "{\"id\":\"r%d\",\"task\":\"%d\",\"trial\":%d,\"domain\":\"%s\",\"model\":\"%s\","
        "\"customer\":\"c%d\",\"reward\":%s,\"checks\":{\"db\":%d,\"action\":0.5},"
        "\"counts\":{\"carried_out\":%d},\"scores\":{\"outcome\":%.2f,\"aggregate\":%d},"
        "\"evaluators\":[{\"name\":\"output\",\"score\":%d},{\"name\":\"own\",\"score\":null}],"
        "\"class\":%s,\"findings\":[{\"kind\":\"a\",\"severity\":\"minor\"},"
        "{\"kind\":\"%s\",\"severity\":\"severe\"},{\"kind\":\"a\",\"severity\":\"minor\"}]}",
        i, i % 4, i / 8, i % 2 ? "x" : "y", i % 3 ? "m" : "n", i % 5,
        i % 7 ? i % 3 ? "1" : "0" : "null", i % 3 > 0, i % 2, (i * 7 % 10) / 10.0, i * 13 % 100,
        i * 31 % 100, i % 4 ? "null" : "\"loop\"", i % 2 ? "b" : "a");
    return lg_str_of(room, (size_t)n);
}

static lg_stats *stats_of(bool backwards)
{
    char room[1024];
    lg_stats *stats;
    lg_stats_added added;
    lg_error err;
    if (!CHECK(lg_stats_new(&stats, &err) == LG_OK)) {
        return NULL;
    }
    for (int i = 0; i < RESULTS; i++) {
        lg_str line = result(room, sizeof(room), backwards ? RESULTS - 1 - i : i);
        CHECK_MSG(lg_stats_add(stats, line, &added, &err) == LG_OK, err.msg);
        CHECK(added.kind == LG_STATS_RESULT);
    }
    CHECK(lg_stats_count(stats) == RESULTS);
    return stats;
}

static lg_status write(const lg_stats *stats, const lg_stats *baseline, lg_buf *out)
{
    const lg_stats_options options = {.writes_only = true, .runs = true, .baseline = baseline};
    lg_error err;
    lg_buf_init(out, 0);
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    lg_status status = lg_stats_write(stats, &options, &w, &err);
    if (status == LG_OK) {
        lg_jw_end_object(&w);
    }
    return status;
}

static void no_order_matters(void)
{
    lg_stats *one = stats_of(false);
    lg_stats *other = stats_of(true);
    lg_buf text, same;
    lg_json_doc *doc;
    CHECK(write(one, other, &text) == LG_OK && write(other, one, &same) == LG_OK);
    CHECK(lg_str_eq(lg_buf_str(&text), lg_buf_str(&same)));
    CHECK(lg_json_parse(lg_buf_str(&text), NULL, &doc, NULL) == LG_OK);
    lg_json_doc_free(doc);
    lg_buf_done(&text);
    lg_buf_done(&same);
    lg_stats_free(one);
    lg_stats_free(other);
}

static void lines_are_told_apart(void)
{
    lg_stats *stats = stats_of(false);
    char room[1024];
    lg_stats_added added;
    lg_error err;
    CHECK(lg_stats_add(stats, result(room, sizeof(room), 3), &added, &err) == LG_OK);
    CHECK(added.kind == LG_STATS_DUPLICATE);
    CHECK_STR(added.id, "r3");
    CHECK(lg_stats_add(stats, LG_STR("{\"summary\":{}}\n"), &added, &err) == LG_OK);
    CHECK(added.kind == LG_STATS_OTHER);
    CHECK(lg_stats_add(stats, LG_STR(" \r\n"), &added, &err) == LG_OK);
    CHECK(added.kind == LG_STATS_OTHER);
    CHECK(lg_stats_add(stats, LG_STR("{\"id\":1,\"scores\":{}}"), &added, &err) == LG_ERR_FORMAT);
    CHECK(lg_stats_add(stats, LG_STR("{\"id\":\"x\",}"), &added, &err) == LG_ERR_PARSE);
    CHECK(err.column > 0);
    // What was bad may come again and be good.
    CHECK(lg_stats_add(stats, LG_STR("{\"id\":\"z\",\"scores\":{},\"task\":1}"), &added, &err) ==
          LG_ERR_FORMAT);
    CHECK(lg_stats_add(stats, LG_STR("{\"id\":\"z\",\"scores\":{}}"), &added, &err) == LG_OK);
    CHECK(added.kind == LG_STATS_RESULT);
    CHECK(lg_stats_count(stats) == RESULTS + 1);
    lg_stats_free(stats);
}

static void no_more_columns_than_are_kept(void)
{
    lg_stats *stats;
    char room[256];
    lg_stats_added added;
    lg_error err;
    CHECK(lg_stats_new(&stats, &err) == LG_OK);
    for (int i = 0; i < 40; i++) {
        int n = snprintf(room, sizeof(room),
                         "{\"id\":\"%d\",\"scores\":{},\"evaluators\":[{\"name\":\"e%d\","
                         "\"score\":1}]}",
                         i, i);
        CHECK(lg_stats_add(stats, lg_str_of(room, (size_t)n), &added, &err) ==
              (i < 28 ? LG_OK : LG_ERR_FORMAT));
    }
    CHECK(lg_stats_count(stats) == 28);
    lg_stats_free(stats);
}

// Each allocation fails once: an error and no crash, and what is there is as it was.
static void memory_may_end_anywhere(void)
{
    lg_stats *whole = stats_of(false);
    lg_buf want;
    CHECK(write(whole, whole, &want) == LG_OK);
    for (uint64_t n = 1; n < 100000; n++) {
        lg_stats *stats = NULL;
        lg_error err;
        char room[1024];
        lg_stats_added added;
        lg_buf text;
        lg_buf_init(&text, 0);
        lg_alloc_fail_at(n);
        lg_status status = lg_stats_new(&stats, &err);
        for (int i = 0; i < RESULTS && status == LG_OK; i++) {
            status = lg_stats_add(stats, result(room, sizeof(room), i), &added, &err);
        }
        status = status == LG_OK ? write(stats, stats, &text) : status;
        lg_alloc_fail_at(0);
        CHECK(status == LG_OK || status == LG_ERR_OOM);
        CHECK(status != LG_OK || lg_str_eq(lg_buf_str(&text), lg_buf_str(&want)));
        lg_buf_done(&text);
        if (status == LG_ERR_OOM && stats) { // and it can go on
            for (int i = 0; i < RESULTS; i++) {
                CHECK(lg_stats_add(stats, result(room, sizeof(room), i), &added, &err) == LG_OK);
            }
            CHECK(lg_stats_count(stats) == RESULTS);
        }
        lg_stats_free(stats);
        if (status == LG_OK) {
            CHECK(n > 10);
            break;
        }
    }
    lg_buf_done(&want);
    lg_stats_free(whole);
}

// Sorted, backwards, and both ends in turn: the tree stays flat, so many come in no time.
static void names_come_in_any_order(void)
{
    enum { MANY = 50000 };
    for (int order = 0; order < 3; order++) {
        lg_arena arena;
        lg_names names = {0};
        lg_str *sorted;
        char room[16];
        lg_arena_init(&arena, 0);
        for (int i = 0; i < MANY; i++) {
            int number = order == 0   ? i
                         : order == 1 ? MANY - 1 - i
                         : i % 2      ? MANY - 1 - i / 2
                                      : i / 2;
            snprintf(room, sizeof(room), "%08d", number);
            CHECK(lg_names_put(&arena, &names, lg_str_c(room)) == (uint32_t)i);
            CHECK(lg_names_put(&arena, &names, lg_str_c(room)) == (uint32_t)i);
        }
        const uint32_t *ranks = lg_names_rank(&arena, &names, &sorted);
        CHECK(ranks && ranks[0] == (order == 1 ? MANY - 1u : 0u));
        CHECK_STR(sorted[123], "00000123");
        CHECK(lg_names_find(&names, LG_STR("x")) == LG_NO_NAME);
        lg_arena_done(&arena);
    }
}

int main(void)
{
    RUN(no_order_matters);
    RUN(lines_are_told_apart);
    RUN(no_more_columns_than_are_kept);
    RUN(memory_may_end_anywhere);
    RUN(names_come_in_any_order);
    return lg_test_done();
}
