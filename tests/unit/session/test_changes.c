// test_changes.c: what has changed between two states of a session is what differs between their blocks; and what is shown
// again of what has not changed is the block.
#include "base/alloc.h"
#include "desk_pack.h"
#include "dice.h"
#include "session/session.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS 300
#define LINES_MAX 512u

typedef struct lines {
    lg_str items[LINES_MAX];
    size_t count;
} lines;

static lines split(lg_str text, bool head)
{
    lines l = {0};
    for (size_t at = 0; at < text.len; at = lg_str_line_end(text, at) + 1) {
        if ((at > 0 || !head) && l.count < LINES_MAX) {
            l.items[l.count++] = lg_str_slice(text, at, lg_str_line_end(text, at));
        }
    }
    return l;
}

static bool has(const lines *l, lg_str line)
{
    for (size_t i = 0; i < l->count; i++) {
        if (lg_str_eq(l->items[i], line)) {
            return true;
        }
    }
    return false;
}

static lg_str path_of(lg_str line)
{
    return lg_str_slice(line, 0, lg_str_find(line, LG_STR(" = ")));
}

static bool has_path(const lines *l, lg_str path)
{
    for (size_t i = 0; i < l->count; i++) {
        if (lg_str_eq(path_of(l->items[i]), path)) {
            return true;
        }
    }
    return false;
}

// Every new line is told, in the order of the block; nothing else is but paths that are gone.
static void check_changes(lg_str before, lg_str after, lg_str changes)
{
    static const lg_str gone = {"No longer known: ", 17};
    lines old = split(before, true), now = split(after, true), told = split(changes, false);
    size_t next = 0;
    for (size_t i = 0; i < now.count; i++) {
        if (!has(&old, now.items[i])) {
            CHECK(next < told.count && lg_str_eq(told.items[next], now.items[i]));
            next++;
        }
    }
    size_t missing = 0;
    for (size_t i = 0; i < old.count; i++) {
        missing += !has_path(&now, path_of(old.items[i]));
    }
    CHECK(told.count == next + missing);
    for (size_t i = next; i < told.count; i++) {
        lg_str path = lg_str_slice(told.items[i], gone.len, told.items[i].len);
        CHECK(lg_str_starts(told.items[i], gone) && has_path(&old, path) && !has_path(&now, path));
    }
}

// Reads of orders and of the user, reads that fail, calls that change things, and calls that nobody has answered.
static void do_something(lg_session *session, dice *d, uint32_t turn)
{
    char args[64], result[128];
    uint32_t which = dice_below(d, 8), order = dice_below(d, 24);
    lg_event e = {.kind = LG_EVENT_RESULT, .turn = turn, .tool = LG_STR("get_order")};
    int args_len = snprintf(args, sizeof(args), "{\"id\": \"N%u\"}", order);
    int len = snprintf(result, sizeof(result), "{\"id\": \"N%u\", \"status\": \"s%u\"}", order,
                       dice_below(d, 3));
    if (which == 0) {
        e.tool = LG_STR("act");
        len = snprintf(result, sizeof(result), "done");
    } else if (which == 1) {
        e.kind = LG_EVENT_ERROR;
        len = snprintf(result, sizeof(result), "no");
    } else if (which == 2) {
        e.kind = LG_EVENT_CALL;
        e.tool = LG_STR("act");
        len = 0;
    } else if (which == 3) {
        e.tool = LG_STR("get_user");
        args_len = snprintf(args, sizeof(args), "{}");
        len = snprintf(result, sizeof(result), "{\"name\": \"n%u\"}", dice_below(d, 2));
    }
    e.args = (lg_str){args, (size_t)args_len};
    e.text = (lg_str){result, (size_t)len};
    lg_observed observed;
    lg_error why;
    lg_status status = lg_observe(session, &e, &observed, &why);
    CHECK(status == LG_OK || status == LG_ERR_LIMIT);
}

static lg_str render(lg_session *session, lg_arena *arena)
{
    lg_str text = LG_STR("");
    lg_error why;
    CHECK(lg_render(session, NULL, &text, &why) == LG_OK);
    return lg_arena_str(arena, text);
}

static void changes_are_what_differs(void)
{
    lg_pack *pack = desk_pack("rules: {}\n");
    lg_session *session, *before;
    lg_arena arena;
    lg_error why;
    dice d = dice_of(7);
    lg_arena_init(&arena, 0);
    CHECK(lg_session_new(pack, NULL, &session) == LG_OK);
    CHECK(lg_session_fork(session, &before) == LG_OK);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t count = dice_below(&d, 4);
        for (uint32_t i = 0; i < count; i++) {
            do_something(session, &d, round);
        }
        lg_str changes = LG_STR("");
        CHECK(lg_session_render_changes(session, before, NULL, &changes, &why) == LG_OK);
        changes = lg_arena_str(&arena, changes);
        check_changes(render(before, &arena), render(session, &arena), changes);
        if (dice_below(&d, 3) == 0) {
            CHECK(lg_session_restore(before, session) == LG_OK);
        }
        lg_arena_reset(&arena);
    }
    lg_session_free(before);
    lg_session_free(session);
    lg_arena_done(&arena);
    lg_pack_free(pack);
}

// --- The same again -------------------------------------------------------------------------------

// What is made of lines that are remembered is what lg_render() says, escaped.
static void check_again(lg_session *session, lg_ledger_shown *shown, lg_arena *arena)
{
    lg_buf want, got;
    lg_error why;
    lg_session_block block;
    lg_buf_init(&want, 0);
    lg_buf_init(&got, 0);
    lg_str plain = render(session, arena);
    lg_json_add_escaped(&want, plain);
    CHECK(lg_session_render_again(session, NULL, shown, &got, &block, &why) == LG_OK);
    CHECK(lg_str_eq(lg_buf_str(&want), lg_buf_str(&got)));
    CHECK(block.plain_bytes == plain.len);
    CHECK(block.empty == (lg_str_line_end(plain, 0) + 1 >= plain.len));
    lg_buf_done(&want);
    lg_buf_done(&got);
}

// Also where the session goes back, and another future follows.
static void what_is_shown_again_is_what_is_there(void)
{
    lg_pack *pack = desk_pack("rules: {}\n");
    lg_session *session, *before;
    lg_ledger_shown shown = {0};
    lg_arena arena;
    dice d = dice_of(11);
    lg_arena_init(&arena, 0);
    CHECK(lg_session_new(pack, NULL, &session) == LG_OK);
    check_again(session, &shown, &arena);
    CHECK(lg_session_fork(session, &before) == LG_OK);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t count = dice_below(&d, 4);
        for (uint32_t i = 0; i < count; i++) {
            do_something(session, &d, round);
        }
        check_again(session, &shown, &arena);
        uint32_t then = dice_below(&d, 4);
        if (then == 0) {
            CHECK(lg_session_restore(session, before) == LG_OK);
            check_again(session, &shown, &arena);
        } else if (then == 1) {
            CHECK(lg_session_restore(before, session) == LG_OK);
        }
        lg_arena_reset(&arena);
    }
    lg_ledger_shown_done(&shown);
    lg_session_free(before);
    lg_session_free(session);
    lg_arena_done(&arena);
    lg_pack_free(pack);
}

static void without_memory_nothing_is_remembered(void)
{
    lg_pack *pack = desk_pack("rules: {}\n");
    dice d = dice_of(3);
    lg_arena arena;
    lg_arena_init(&arena, 0);
    bool failed = true;
    for (uint64_t at = 1; failed; at++) {
        lg_session *session;
        lg_ledger_shown shown = {0};
        lg_session_block block;
        lg_error why;
        lg_buf out;
        lg_buf_init(&out, 0);
        CHECK(lg_session_new(pack, NULL, &session) == LG_OK);
        for (uint32_t i = 0; i < 12; i++) {
            do_something(session, &d, i);
        }
        check_again(session, &shown, &arena);
        do_something(session, &d, 12);
        uint64_t before = lg_alloc_count();
        lg_alloc_fail_at(at);
        lg_status status = lg_session_render_again(session, NULL, &shown, &out, &block, &why);
        failed = lg_alloc_count() - before >= at;
        lg_alloc_fail_at(0);
        CHECK(status == LG_OK || status == LG_ERR_OOM);
        check_again(session, &shown, &arena);
        lg_buf_done(&out);
        lg_ledger_shown_done(&shown);
        lg_session_free(session);
        lg_arena_reset(&arena);
    }
    lg_arena_done(&arena);
    lg_pack_free(pack);
}

int main(void)
{
    RUN(what_is_shown_again_is_what_is_there);
    RUN(without_memory_nothing_is_remembered);
    RUN(changes_are_what_differs);
    return lg_test_done();
}
