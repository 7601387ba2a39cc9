// test_threads.c: two hundred sessions of one simulator, refined at once, each with a planner of its own: none sees another.
#include "refine_fixture.h"

#include <pthread.h>

#define SESSIONS 200u

typedef struct worker {
    const lg_sim *sim;
    const lg_checklist *checklist;
    unsigned number;
    char start[65], end[65];
    bool is_fine;
} worker;

// Its first attempt adds an order of its own name and pays nothing; the second is right, and sees none of it.
static void *work(void *data)
{
    worker *w = data;
    char add[64];
    lg_arena arena;
    lg_refined record = {0};
    lg_sim_session *session = NULL;
    (void)snprintf(add, sizeof(add), "add_order {\"id\":\"#own%u\"}", w->number);
    const char *const turns[] = {add,
                                 "set_status {\"id\":\"#2\",\"status\":\"open\"}",
                                 "= done",
                                 "get_order {\"id\":\"#1\"}",
                                 "set_status {\"id\":\"#1\",\"status\":\"paid\"}",
                                 "= paid"};
    script s = {.turns = turns, .count = LG_COUNT(turns)};
    lg_refine_planner planner = script_planner(&s);
    lg_refine_options options = {.task = LG_STR("Pay order #1."),
                                 .checklist = w->checklist,
                                 .planner = &planner,
                                 .retries = 3};
    lg_arena_init(&arena, 0);
    w->is_fine = lg_sim_session_new(w->sim, NULL, &session, NULL) == LG_OK &&
                 lg_refine(session, &options, &arena, &record, NULL) == LG_OK &&
                 record.why == LG_REFINE_SUCCESS && record.attempt_count == 2 &&
                 strcmp(record.attempts[0].start_hash, record.attempts[1].start_hash) == 0;
    if (w->is_fine) {
        memcpy(w->start, record.attempts[0].start_hash, sizeof(w->start));
        memcpy(w->end, record.attempts[1].end_hash, sizeof(w->end));
    }
    lg_sim_session_free(session);
    lg_arena_done(&s.seen);
    lg_arena_done(&arena);
    return NULL;
}

static void are_isolated(void)
{
    static worker workers[SESSIONS];
    static pthread_t threads[SESSIONS];
    desk d;
    desk_open(&d, (lg_sim_options){0});
    lg_checklist checklist = fixture_checklist(&d.arena, PAID);
    for (unsigned i = 0; i < SESSIONS; i++) {
        workers[i] = (worker){.sim = d.sim, .checklist = &checklist, .number = i};
        CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    }
    for (unsigned i = 0; i < SESSIONS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(workers[i].is_fine);
        CHECK_STR(lg_str_c(workers[i].start), workers[0].start);
        CHECK_STR(lg_str_c(workers[i].end), workers[0].end);
    }
    CHECK(strcmp(workers[0].start, workers[0].end) != 0);
    desk_close(&d);
}

int main(void)
{
    RUN(are_isolated);
    return lg_test_done();
}
