// test_going_back.c: snapshots, forks, restores, history, memory: a session that went back is what it was.
#include "simulate_fixture.h"

#include "simulate/simulate_internal.h"

#include "base/alloc.h"

#include <pthread.h>

static void restores_what_was(void)
{
    desk d;
    uint64_t first = 0;
    uint64_t second = 0;
    desk_open(&d, (lg_sim_options){0});
    lg_sim_session *s = desk_session(&d);
    lg_str start = desk_hash(&d, s);
    (void)desk_call(&d, s, "get_order", "{\"id\":\"#1\"}");
    CHECK(lg_sim_snapshot(s, &first, NULL) == LG_OK && first == 1);
    CHECK_STR(desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"paid\"}"),
              "done effects now paid");
    lg_str paid = desk_hash(&d, s);
    CHECK(lg_sim_snapshot(s, &second, NULL) == LG_OK && second == 2);
    CHECK(lg_sim_restore(s, first, NULL) == LG_OK);
    CHECK(lg_str_eq(desk_hash(&d, s), start) && lg_sim_history_count(s) == 1);
    CHECK(lg_sim_snapshot_count(s) == 2); // all stay
    // The ledger went back as well: the order was read, and has not changed.
    CHECK_STR(desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"paid\"}"),
              "done effects now paid");
    CHECK(lg_str_eq(desk_hash(&d, s), paid));
    CHECK(lg_sim_restore(s, 0, NULL) == LG_OK && lg_sim_history_count(s) == 0);
    CHECK(lg_str_find(desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"paid\"}"),
                      LG_STR("seen_first")) != SIZE_MAX);
    CHECK(lg_sim_restore(s, second, NULL) == LG_OK);
    CHECK(lg_str_eq(desk_hash(&d, s), paid) && lg_sim_history_count(s) == 2);
    lg_error error = {.msg = ""};
    CHECK(lg_sim_restore(s, 3, &error) == LG_ERR_USAGE && strstr(error.msg, "snapshot 3"));
    CHECK(lg_str_eq(desk_hash(&d, s), paid));
    CHECK(lg_sim_reset(s, NULL) == LG_OK && lg_sim_snapshot_count(s) == 0);
    CHECK(lg_str_eq(desk_hash(&d, s), start) && lg_sim_history_count(s) == 0);
    CHECK_STR(desk_call(&d, s, "add_order", "{\"id\":\"#3\"}"), "done effects added");
    CHECK(d.answer.number == 1);
    lg_sim_session_free(s);
    desk_close(&d);
}

static void forks_go_their_own_ways(void)
{
    desk d;
    uint64_t n = 0;
    lg_sim_session *fork = NULL;
    desk_open(&d, (lg_sim_options){0});
    lg_sim_session *s = desk_session(&d);
    (void)desk_call(&d, s, "add_order", "{\"id\":\"#3\"}");
    CHECK(lg_sim_snapshot(s, &n, NULL) == LG_OK);
    CHECK(lg_sim_fork(s, &fork, NULL) == LG_OK);
    lg_str before = desk_hash(&d, s);
    CHECK(lg_str_eq(before, desk_hash(&d, fork)) && lg_sim_snapshot_count(fork) == 1);
    for (int i = 0; i < 100; i++) { // both write behind the history that they share
        (void)desk_call(&d, s, "set_status",
                        i % 2 ? "{\"id\":\"#1\",\"status\":\"paid\"}"
                              : "{\"id\":\"#1\",\"status\":\"open\"}");
        (void)desk_call(&d, fork, "get_order", "{\"id\":\"#2\"}");
    }
    CHECK(lg_sim_history_count(s) == 101 && lg_sim_history_count(fork) == 101);
    for (size_t i = 0; i < 101; i++) {
        CHECK_STR(lg_sim_history_at(s, i).tool, i ? "set_status" : "add_order");
        CHECK_STR(lg_sim_history_at(fork, i).tool, i ? "get_order" : "add_order");
        CHECK(lg_sim_history_at(fork, i).number == i + 1);
    }
    CHECK(lg_str_eq(before, desk_hash(&d, fork)) && !lg_str_eq(before, desk_hash(&d, s)));
    CHECK(lg_sim_snapshot(fork, &n, NULL) == LG_OK && n == 2 && lg_sim_snapshot_count(s) == 1);
    lg_sim_session_free(s); // in any order
    CHECK(lg_sim_restore(fork, 1, NULL) == LG_OK && lg_sim_history_count(fork) == 1);
    CHECK(lg_sim_restore(fork, 2, NULL) == LG_OK && lg_sim_history_count(fork) == 101);
    lg_sim_session_free(fork);
    desk_close(&d);
}

static lg_str first_difference(desk *d, const lg_world_differences *found)
{
    const lg_world_difference *first = found->items;
    return found->count ? lg_arena_printf(&d->arena, "%.*s: %.*s -> %.*s", LG_FMT(first->path),
                                          LG_FMT(fixture_print(&d->arena, first->before)),
                                          LG_FMT(fixture_print(&d->arena, first->after)))
                        : LG_STR("");
}

static void shows_what_has_changed(void)
{
    desk d;
    uint64_t n = 0;
    lg_error error = {.msg = ""};
    desk_open(&d, (lg_sim_options){0});
    lg_sim_session *s = desk_session(&d);
    (void)desk_call(&d, s, "set_status", "{\"id\":\"#1\",\"status\":\"paid\"}");
    CHECK(lg_sim_snapshot(s, &n, NULL) == LG_OK);
    (void)desk_call_by(&d, s, "flip", "{}", true);
    lg_world_differences found = {.arena = &d.arena, .limit = 5};
    CHECK(lg_sim_diff(s, 0, &found, NULL) == LG_OK && found.total == 2);
    CHECK_STR(first_difference(&d, &found), "orders[\"#1\"].status: \"open\" -> \"paid\"");
    CHECK(lg_sim_diff(s, n, &found, NULL) == LG_OK && found.total == 1);
    CHECK_STR(first_difference(&d, &found), "phone.on: false -> true");
    CHECK(lg_sim_diff_of_call(s, 1, &found, NULL) == LG_OK && found.total == 1);
    CHECK_STR(first_difference(&d, &found), "orders[\"#1\"].status: \"open\" -> \"paid\"");
    CHECK(lg_sim_diff_of_call(s, 3, &found, &error) == LG_ERR_USAGE && strstr(error.msg, "1 to 2"));
    CHECK(lg_sim_diff(s, 7, &found, &error) == LG_ERR_USAGE);
    lg_sim_session_free(s);
    desk_close(&d);
}

static void drops_old_calls(void)
{
    desk d;
    uint64_t n = 0;
    lg_error error;
    desk_open(&d, (lg_sim_options){.history_calls = 50, .snapshots = 2});
    lg_sim_session *s = desk_session(&d);
    for (int i = 0; i < 5000; i++) {
        (void)desk_call(&d, s, "set_status",
                        i % 2 ? "{\"id\":\"#1\",\"status\":\"paid\"}"
                              : "{\"id\":\"#1\",\"status\":\"open\"}");
        if (i == 40 || i == 4000) {
            CHECK(lg_sim_snapshot(s, &n, NULL) == LG_OK);
        }
    }
    CHECK(lg_sim_snapshot(s, &n, &error) == LG_ERR_LIMIT && strstr(error.msg, "2 snapshots"));
    CHECK(lg_sim_history_count(s) == 50 && lg_sim_history_dropped(s) == 4950);
    CHECK(lg_sim_history_at(s, 0).number == 4951 && lg_sim_history_at(s, 49).number == 5000);
    lg_world_differences found = {.arena = &d.arena, .limit = 5};
    CHECK(lg_sim_diff_of_call(s, 4951, &found, NULL) == LG_OK && found.total == 1);
    CHECK(lg_sim_diff_of_call(s, 4950, &found, NULL) == LG_ERR_USAGE);
    CHECK(lg_sim_restore(s, 1, NULL) == LG_OK);
    CHECK(lg_sim_history_count(s) == 41 && lg_sim_history_dropped(s) == 0);
    CHECK(lg_sim_history_at(s, 0).number == 1 && lg_sim_history_at(s, 40).number == 41);
    CHECK(lg_sim_restore(s, 2, NULL) == LG_OK && lg_sim_history_count(s) == 50);
    CHECK(lg_sim_history_at(s, 49).number == 4001);
    CHECK(lg_sim_held_bytes(s) < (size_t)8 << 20);
    lg_sim_session_free(s);
    desk_close(&d);
}

static bool has_no_verdict(const desk *d)
{
    size_t count = 0;
    for (size_t i = 0; i < d->answer.violation_count; i++) {
        count += lg_str_eq(d->answer.violations[i].kind, LG_STR("gate"));
    }
    CHECK(count <= 1);
    return count == 1;
}

// A ledger that is full says so once a call; the calls are answered, and going back makes room.
static void says_when_the_ledger_is_full(void)
{
    static const char *const args[] = {"{\"id\":\"#1\",\"status\":\"open\"}",
                                       "{\"id\":\"#1\",\"status\":\"paid\"}"};
    desk d;
    uint64_t n = 0;
    desk_open(&d, (lg_sim_options){.ledger_writes = 2});
    lg_sim_session *s = desk_session(&d);
    for (int i = 0; i < 6; i++) {
        (void)desk_call(&d, s, "get_order", "{\"id\":\"#1\"}");
        CHECK(!has_no_verdict(&d));
        CHECK(i != 2 || lg_sim_snapshot(s, &n, NULL) == LG_OK);
        CHECK(lg_str_starts(desk_call(&d, s, "set_status", args[(i + 1) % 2]),
                            LG_STR("done effects now")));
        CHECK(has_no_verdict(&d) == (i > 2));
        CHECK(d.answer.violation_count == (i > 2));
    }
    CHECK(lg_sim_restore(s, n, NULL) == LG_OK);
    CHECK(lg_str_starts(desk_call(&d, s, "set_status", args[0]),
                        LG_STR("done effects now open; revise seen_first")));
    CHECK(lg_sim_reset(s, NULL) == LG_OK);
    (void)desk_call(&d, s, "set_status", args[1]);
    CHECK(!has_no_verdict(&d));
    lg_sim_session_free(s);
    desk_close(&d);
}

// The same where it is its memory that is full: a quarter of the session's.
static void says_when_the_memory_of_the_ledger_is_full(void)
{
    desk d;
    desk_open(&d, (lg_sim_options){.session_bytes = (size_t)2 << 20, .ledger_writes = 1000000});
    lg_sim_session *s = desk_session(&d);
    bool full = false;
    for (int i = 0; i < 20000; i++) {
        lg_str told = desk_call(&d, s, "set_status",
                                i % 2 ? "{\"id\":\"#2\",\"status\":\"paid\"}"
                                      : "{\"id\":\"#2\",\"status\":\"open\"}");
        CHECK_MSG(lg_str_starts(told, LG_STR("done effects now")), told.ptr);
        CHECK(!full || has_no_verdict(&d));
        full = full || has_no_verdict(&d);
    }
    CHECK(full);
    CHECK(lg_session_ledger(s->ledger)->arena.held_bytes <= (size_t)512 << 10);
    lg_sim_session_free(s);
    desk_close(&d);
}

// --- Memory -------------------------------------------------------------------------------------

static void keeps_to_its_ceiling(void)
{
    desk d;
    lg_str told = LG_STR("");
    desk_open(&d, (lg_sim_options){.session_bytes = (size_t)512 << 10, .history_calls = 1000000});
    lg_sim_session *s = desk_session(&d);
    for (int i = 0; i < 20000 && !lg_str_starts(told, LG_STR("failed:")); i++) {
        lg_str args = lg_arena_printf(&d.arena, "{\"id\":\"%d\"}", i);
        told = desk_call(&d, s, "add_order", args.ptr);
    }
    CHECK(lg_str_find(told, LG_STR("session_bytes")) != SIZE_MAX);
    CHECK(lg_sim_held_bytes(s) <= ((size_t)512 << 10) * 5 / 4);
    lg_str before = desk_hash(&d, s);
    size_t count = lg_sim_history_count(s);
    told = desk_call(&d, s, "add_order", "{\"id\":\"one more\"}");
    CHECK(lg_str_starts(told, LG_STR("failed:")) || lg_sim_history_count(s) == count + 1);
    CHECK(!lg_str_starts(told, LG_STR("failed:")) || lg_str_eq(before, desk_hash(&d, s)));
    CHECK(lg_sim_restore(s, 0, NULL) == LG_OK); // and it can be used
    told = desk_call(&d, s, "add_order", "{\"id\":\"x\"}");
    CHECK(lg_str_starts(told, LG_STR("done")));
    lg_sim_session_free(s);
    desk_close(&d);
}

// Some calls, a snapshot, a fork, a restore. False when out of memory, on the way of which nothing was changed by halves.
static bool try_all(desk *d, const lg_json *const *args)
{
    static const char *const tools[] = {"get_order", "set_status", "add_order", "set_status",
                                        "no_tool"};
    lg_sim_session *s = NULL;
    lg_sim_session *fork = NULL;
    uint64_t n = 0;
    bool fine = lg_sim_session_new(d->sim, NULL, &s, NULL) == LG_OK;
    for (size_t i = 0; i < 5 && fine; i++) {
        lg_sim_call call = {.tool = lg_str_c(tools[i]), .args = args[i], .args_text = LG_STR("")};
        fine = lg_sim_call_tool(s, &call, NULL, &d->answer, NULL) == LG_OK;
        CHECK(lg_sim_history_count(s) == i + fine);
    }
    fine = fine && lg_sim_snapshot(s, &n, NULL) == LG_OK && lg_sim_fork(s, &fork, NULL) == LG_OK;
    CHECK(!fine || lg_sim_restore(fork, 1, NULL) == LG_OK);
    lg_sim_session_free(s);
    lg_sim_session_free(fork);
    return fine;
}

static void survives_without_memory(void)
{
    desk d;
    bool done = false;
    desk_open(&d, (lg_sim_options){0});
    const lg_json *args[] = {fixture_json(&d.arena, "{\"id\":\"#1\"}"),
                             fixture_json(&d.arena, "{\"id\":\"#1\",\"status\":\"paid\"}"),
                             fixture_json(&d.arena, "{\"id\":\"#3\"}"),
                             fixture_json(&d.arena, "{\"id\":3}"), fixture_json(&d.arena, "{}")};
    for (uint64_t n = 1; n < 3000 && !done; n++) {
        lg_alloc_fail_at(n);
        done = try_all(&d, args);
        lg_alloc_fail_at(0);
    }
    CHECK(done);
    desk_close(&d);
}

// --- Threads ------------------------------------------------------------------------------------

#define THREADS 8
#define SESSIONS 200

typedef struct worker {
    desk *d;
    int first;
    lg_sim_session *sessions[SESSIONS / THREADS];
    int wrong;
} worker;

static bool plain_call(lg_sim_session *s, const char *tool, const lg_json *args, lg_sim_answer *ret)
{
    lg_sim_call call = {.tool = lg_str_c(tool), .args = args, .args_text = LG_STR("")};
    return lg_sim_call_tool(s, &call, NULL, ret, NULL) == LG_OK;
}

static void *work(void *data)
{
    worker *w = data;
    lg_arena arena;
    lg_arena_init(&arena, 0);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < SESSIONS / THREADS; i++) {
            lg_sim_answer answer = {0};
            lg_str id = lg_arena_printf(&arena, "{\"id\":\"s%d\"}", w->first + i);
            const lg_json *args = fixture_json(&arena, id.ptr);
            if (round == 0 && lg_sim_session_new(w->d->sim, NULL, &w->sessions[i], NULL) != LG_OK) {
                abort();
            }
            bool there = round > 0;
            bool fine = plain_call(w->sessions[i], "get_order", args, &answer) &&
                        lg_sim_is_error(&answer) == !there &&
                        plain_call(w->sessions[i], "add_order", args, &answer);
            w->wrong += !fine;
        }
    }
    for (int i = 0; i < SESSIONS / THREADS; i++) {
        w->wrong += lg_sim_history_count(w->sessions[i]) != 10;
        lg_sim_session_free(w->sessions[i]);
    }
    lg_arena_done(&arena);
    return NULL;
}

static void sessions_know_nothing_of_each_other(void)
{
    desk d;
    pthread_t threads[THREADS];
    static worker workers[THREADS];
    desk_open(&d, (lg_sim_options){0});
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.d = &d, .first = i * 1000};
        CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0 && workers[i].wrong == 0);
    }
    desk_close(&d);
}

int main(void)
{
    RUN(restores_what_was);
    RUN(forks_go_their_own_ways);
    RUN(shows_what_has_changed);
    RUN(drops_old_calls);
    RUN(says_when_the_ledger_is_full);
    RUN(says_when_the_memory_of_the_ledger_is_full);
    RUN(keeps_to_its_ceiling);
    RUN(survives_without_memory);
    RUN(sessions_know_nothing_of_each_other);
    return lg_test_done();
}
