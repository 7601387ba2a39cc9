// The buffer: grows, fails once, stays failed.
#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"

#include "lg_test.h"

static void appends_come_out_in_order(void)
{
    lg_buf buf;
    lg_buf_init(&buf, 0);
    CHECK_STR(lg_buf_str(&buf), "");
    lg_buf_add(&buf, LG_STR("ab"));
    lg_buf_add(&buf, (lg_str){NULL, 0});
    lg_buf_add_c(&buf, "cd");
    lg_buf_add_byte(&buf, '-');
    lg_buf_add_repeat(&buf, '.', 3);
    lg_buf_add_repeat(&buf, '?', 0);
    lg_buf_addf(&buf, "%d%s", 42, "!");
    CHECK_STR(lg_buf_str(&buf), "abcd-...42!");
    CHECK(lg_buf_status(&buf) == LG_OK);
    lg_buf_done(&buf);
    CHECK_STR(lg_buf_str(&buf), "");
}

static void a_long_text_is_kept_whole(void)
{
    lg_buf buf;
    lg_buf_init(&buf, 0);
    for (int i = 0; i < 10000; i++) {
        lg_buf_addf(&buf, "%04d", i);
    }
    CHECK(buf.len == 40000);
    CHECK_STR(lg_str_slice(lg_buf_str(&buf), 39996, 40000), "9999");
    CHECK_STR(lg_str_slice(lg_buf_str(&buf), 0, 8), "00000001");
    lg_buf_done(&buf);
}

// Every way of appending may fill the buffer to its last byte, and none goes beyond.
static void a_limit_is_inclusive_for_every_append(void)
{
    for (int way = 0; way < 4; way++) {
        for (size_t size = 4; size <= 5; size++) {
            lg_buf buf;
            lg_buf_init(&buf, 4);
            switch (way) {
            case 0:
                lg_buf_add(&buf, lg_str_of("abcde", size));
                break;
            case 1:
                lg_buf_add_repeat(&buf, 'x', size);
                break;
            case 2:
                lg_buf_addf(&buf, "%.*s", (int)size, "abcde");
                break;
            default:
                for (size_t i = 0; i < size; i++) {
                    lg_buf_add_byte(&buf, 'x');
                }
            }
            CHECK(lg_buf_status(&buf) == (size == 4 ? LG_OK : LG_ERR_LIMIT));
            CHECK(buf.len <= 4);
            lg_buf_done(&buf);
        }
    }
}

static void a_failure_stays_until_it_is_cleared(void)
{
    lg_buf buf;
    lg_buf_init(&buf, 4);
    lg_buf_add_c(&buf, "12345");
    lg_buf_add_c(&buf, "1");
    CHECK(lg_buf_status(&buf) == LG_ERR_LIMIT);
    CHECK(buf.len == 0);
    CHECK(lg_buf_room(&buf, 0) == NULL);
    lg_buf_clear(&buf);
    lg_buf_add_c(&buf, "1234");
    CHECK_STR(lg_buf_str(&buf), "1234");
    CHECK(lg_buf_status(&buf) == LG_OK);
    lg_buf_done(&buf);
}

static void out_of_memory_is_told_from_the_limit(void)
{
    lg_buf buf;
    lg_buf_init(&buf, 0);
    lg_buf_add_c(&buf, "kept");
    lg_alloc_fail_at(1);
    lg_buf_add_repeat(&buf, 'x', 1000);
    lg_alloc_fail_at(0);
    CHECK(lg_buf_status(&buf) == LG_ERR_OOM);
    lg_buf_add_c(&buf, "more");
    CHECK_MSG(lg_buf_status(&buf) == LG_ERR_OOM, "a failure does not go away by itself");
    lg_buf_done(&buf);
}

static void clearing_keeps_the_memory(void)
{
    lg_buf buf;
    lg_buf_init(&buf, 0);
    lg_buf_add_repeat(&buf, 'x', 1000);
    uint64_t before = lg_alloc_count();
    lg_buf_clear(&buf);
    lg_buf_add_repeat(&buf, 'y', 1000);
    CHECK(lg_alloc_count() == before);
    lg_buf_done(&buf);
}

static void room_is_given_out_and_counted_by_the_caller(void)
{
    lg_buf buf;
    lg_buf_init(&buf, 200);
    char *room = lg_buf_room(&buf, 200);
    if (CHECK(room != NULL)) {
        memset(room, 'r', 200); // all of it may be written
        buf.len += 2;
    }
    CHECK_STR(lg_buf_str(&buf), "rr");
    CHECK(lg_buf_room(&buf, 199) == NULL);
    CHECK(lg_buf_status(&buf) == LG_ERR_LIMIT);
    lg_buf_done(&buf);
    CHECK(lg_buf_room(&buf, SIZE_MAX) == NULL);
    lg_buf_done(&buf);
}

int main(void)
{
    RUN(appends_come_out_in_order);
    RUN(a_long_text_is_kept_whole);
    RUN(a_limit_is_inclusive_for_every_append);
    RUN(a_failure_stays_until_it_is_cleared);
    RUN(out_of_memory_is_told_from_the_limit);
    RUN(clearing_keeps_the_memory);
    RUN(room_is_given_out_and_counted_by_the_caller);
    return lg_test_done();
}
