// The buffer: grows, fails once, stays failed, and gives lent memory back as it was.
#include "base/alloc.h"
#include "base/arena.h"
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

// --- Lent memory --------------------------------------------------------------------------------

#define LENT 16u

static const char *const ways[] = {"add", "add_c", "add_byte", "add_repeat", "addf", "room"};

// Appends `count` times 'x', in one of the ways that there are.
static void append(lg_buf *buf, size_t way, size_t count)
{
    static const char many[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    const char *text = many + sizeof(many) - 1 - count;
    char *room;
    switch (way) {
    case 0:
        lg_buf_add(buf, lg_str_of(many, count));
        break;
    case 1:
        lg_buf_add_c(buf, text);
        break;
    case 2:
        for (size_t i = 0; i < count; i++) {
            lg_buf_add_byte(buf, 'x');
        }
        break;
    case 3:
        lg_buf_add_repeat(buf, 'x', count);
        break;
    case 4:
        lg_buf_addf(buf, "%s", text);
        break;
    default:
        room = lg_buf_room(buf, count);
        if (room) {
            memset(room, 'x', count);
            buf->len += count;
        }
    }
}

static bool holds_only(lg_str s, char byte)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != byte) {
            return false;
        }
    }
    return true;
}

// Whatever is appended to whatever is there: nothing is written behind what was lent, nothing that
// was lent is freed or moved, and all of the text is there.
static void lent_memory_is_outgrown_in_every_way(void)
{
    for (size_t way = 0; way < LG_COUNT(ways); way++) {
        for (size_t before = 0; before <= LENT + 1; before++) {
            for (size_t count = 0; count <= 3 * LENT; count++) {
                char lent[LENT + 1];
                memset(lent, '|', sizeof(lent));
                lg_buf buf;
                lg_buf_init_in(&buf, lent, LENT, 0);
                append(&buf, way, before);
                append(&buf, way, count);
                CHECK_MSG(lg_buf_status(&buf) == LG_OK, ways[way]);
                CHECK_MSG(buf.len == before + count && buf.len <= buf.cap, ways[way]);
                CHECK_MSG(holds_only(lg_buf_str(&buf), 'x'), ways[way]);
                CHECK_MSG(lent[LENT] == '|', ways[way]);
                CHECK_MSG(buf.lent == (buf.ptr == lent), ways[way]);
                CHECK_MSG(buf.len > LENT ? !buf.lent : buf.len == LENT || buf.lent, ways[way]);
                lg_buf_done(&buf);
            }
        }
    }
}

// The NUL behind a formatted text is no content: no limit counts it, and it has room all the same.
static void a_full_buffer_has_room_for_the_nul(void)
{
    char lent[LENT + 1];
    memset(lent, '|', sizeof(lent));
    lg_buf buf;
    lg_buf_init_in(&buf, lent, LENT, LENT);
    lg_buf_addf(&buf, "%s", "0123456789abcdef");
    CHECK(lg_buf_status(&buf) == LG_OK);
    CHECK_STR(lg_buf_str(&buf), "0123456789abcdef");
    CHECK(lent[LENT] == '|');
    lg_buf_addf(&buf, "%s", "");
    CHECK(lg_buf_status(&buf) == LG_OK);
    lg_buf_addf(&buf, "%d", 1);
    CHECK(lg_buf_status(&buf) == LG_ERR_LIMIT);
    lg_buf_done(&buf);
}

static void short_texts_stay_in_lent_memory(void)
{
    char lent[LENT];
    lg_buf buf;
    uint64_t before = lg_alloc_count();
    lg_buf_init_in(&buf, lent, sizeof(lent), 0);
    lg_buf_addf(&buf, "%d-", 12345678);
    lg_buf_add_c(&buf, "1234567");
    CHECK(buf.ptr == lent && lg_alloc_count() == before);
    CHECK_STR(lg_buf_str(&buf), "12345678-1234567");
    lg_buf_done(&buf);
    CHECK_MSG(memcmp(lent, "12345678-1234567", sizeof(lent)) == 0, "what is lent is left as it is");
}

static void out_of_memory_leaves_what_was_lent(void)
{
    char lent[LENT];
    lg_buf buf;
    lg_buf_init_in(&buf, lent, sizeof(lent), 0);
    lg_buf_add_c(&buf, "kept");
    lg_alloc_fail_at(1);
    lg_buf_add_repeat(&buf, 'x', 1000);
    lg_alloc_fail_at(0);
    CHECK(lg_buf_status(&buf) == LG_ERR_OOM);
    CHECK(buf.lent && buf.ptr == lent);
    lg_buf_clear(&buf);
    lg_buf_add_repeat(&buf, 'y', 1000);
    CHECK(lg_buf_status(&buf) == LG_OK && !buf.lent && buf.len == 1000);
    lg_buf_done(&buf);
}

static void any_limit_can_be_asked_for(void)
{
    const size_t limits[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 4};
    for (size_t i = 0; i < LG_COUNT(limits); i++) {
        lg_buf buf;
        lg_buf_init(&buf, limits[i]);
        lg_buf_add_c(&buf, "some");
        CHECK(lg_buf_room(&buf, SIZE_MAX - buf.len) == NULL); // with it, sizes wrap
        CHECK(lg_buf_status(&buf) == LG_ERR_LIMIT);
        lg_buf_done(&buf);
    }
}

static void a_text_is_handed_to_an_arena(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_buf buf;
    lg_buf_init(&buf, 3);
    lg_buf_add_c(&buf, "abc");
    CHECK_STR(lg_buf_keep(&buf, &arena), "abc");
    CHECK(buf.ptr == NULL);
    lg_buf_init(&buf, 0);
    lg_str nothing = lg_buf_keep(&buf, &arena);
    CHECK(nothing.ptr != NULL && nothing.len == 0);
    lg_buf_init(&buf, 3);
    lg_buf_add_c(&buf, "abcd");
    CHECK(lg_buf_keep(&buf, &arena).ptr == NULL); // it has failed
    lg_arena_done(&arena);
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
    RUN(lent_memory_is_outgrown_in_every_way);
    RUN(a_full_buffer_has_room_for_the_nul);
    RUN(short_texts_stay_in_lent_memory);
    RUN(out_of_memory_leaves_what_was_lent);
    RUN(any_limit_can_be_asked_for);
    RUN(a_text_is_handed_to_an_arena);
    return lg_test_done();
}
