// Every allocation fails once: an error or "unknown" each time, never another verdict, and no leak.
#include "origin/origin.h"

#include "base/alloc.h"

#include "lg_test.h"

static const char said[] = "I am Ann Lee, order W77, 12.50 and 7.25, on May 16, 2024 at 4 pm";
static const char asked[] =
    "{\"a\":\"ann lee\",\"b\":[\"W77\",{\"c\":\"W88\"}],\"d\":19.75,"
    "\"e\":\"2024-05-17\",\"summary\":\"Ann and Bob want W99\",\"f\":\"1+12.5\","
    "\"g\":123456789012345678901234567890}";

static lg_status run(lg_arena *arena, const lg_json *args, lg_origin_answers *ret, bool *ret_whole)
{
    lg_origin *origin = NULL;
    lg_origin *fork = NULL;
    lg_status status = lg_origin_new(NULL, &origin);
    if (status == LG_OK) {
        lg_origin_take(origin, (lg_origin_source){.kind = LG_ORIGIN_FIELD},
                       LG_STR("{\"x\":[1,2]}"));
        status = lg_origin_fork(origin, &fork);
    }
    if (status == LG_OK) {
        lg_origin_take(fork, (lg_origin_source){.kind = LG_ORIGIN_USER}, lg_str_c(said));
        *ret_whole = lg_origin_is_whole(fork);
        lg_error error = {0};
        status = lg_origin_ask(fork, arena, args, NULL, ret, &error);
        CHECK(status == LG_OK || error.status == status);
    }
    lg_origin_free(origin);
    lg_origin_free(fork);
    return status;
}

static void no_memory_is_unknown(void)
{
    lg_arena reading;
    lg_arena_init(&reading, 0);
    const lg_json *args = NULL;
    lg_str text = lg_str_c(asked);
    CHECK(lg_json_parse_in(&reading, text, 0, text.len, NULL, &args, NULL) == LG_OK);
    lg_arena first;
    lg_arena_init(&first, 0);
    lg_origin_answers want = {0};
    bool whole = false;
    CHECK(run(&first, args, &want, &whole) == LG_OK && whole && want.count == 8);
    bool done = false;
    uint64_t n = 1;
    for (; !done && n < 1000; n++) {
        lg_arena arena;
        lg_arena_init(&arena, 0);
        lg_origin_answers got = {0};
        lg_alloc_fail_at(n);
        lg_status status = run(&arena, args, &got, &whole);
        lg_alloc_fail_at(0);
        CHECK(status == LG_OK || status == LG_ERR_OOM);
        for (size_t i = 0; status == LG_OK && i < got.count; i++) {
            bool same = got.items[i].verdict == want.items[i].verdict;
            CHECK(same || (!whole && got.items[i].verdict != LG_ORIGIN_UNGROUNDED));
        }
        done = status == LG_OK && whole;
        lg_arena_done(&arena);
    }
    CHECK(n > 5 && n < 1000);
    lg_arena_done(&first);
    lg_arena_done(&reading);
}

int main(void)
{
    RUN(no_memory_is_unknown);
    return lg_test_done();
}
