// test_loop.c: order of timers, tasks that threads hand over, and what is taken back in time.
#include "dice.h"
#include "net_house.h"

#include <sys/epoll.h>

// --- timers ---

#define TIMERS 500

typedef struct ticking {
    lg_loop *loop;
    lg_timer timers[TIMERS];
    int64_t fired_ns[TIMERS]; // what they were set to, in the order in which they fired
    size_t fired, wanted;
} ticking;

typedef struct tick {
    ticking *all;
    int64_t at_ns;
} tick;

static tick ticks[TIMERS];

static void on_tick(void *data)
{
    tick *t = data;
    ticking *all = t->all;
    all->fired_ns[all->fired++] = t->at_ns;
    if (all->fired == all->wanted) {
        lg_loop_stop(all->loop);
    }
}

static void set_tick(ticking *all, size_t i, int64_t at_ns)
{
    ticks[i] = (tick){all, at_ns};
    lg_timer_set(all->loop, &all->timers[i], at_ns);
}

static void timers_fire_in_order(void)
{
    static ticking all;
    dice d = {.state = 7};
    CHECK(lg_loop_new(&all.loop, NULL) == LG_OK);
    int64_t now_ns = lg_loop_now_ns(all.loop);
    for (size_t i = 0; i < TIMERS; i++) {
        all.timers[i] = (lg_timer){.fire = on_tick, .data = &ticks[i]};
        set_tick(&all, i, now_ns + (int64_t)dice_below(&d, 20000000));
    }
    for (size_t i = 0; i < 2000; i++) { // moved to earlier and to later
        set_tick(&all, dice_below(&d, TIMERS), now_ns + (int64_t)dice_below(&d, 20000000));
    }
    all.wanted = TIMERS;
    for (size_t i = 0; i < TIMERS; i += 7) {
        lg_timer_stop(all.loop, &all.timers[i]);
        lg_timer_stop(all.loop, &all.timers[i]); // once more does no harm
        all.wanted--;
    }
    CHECK(lg_loop_run(all.loop, NULL) == LG_OK);
    CHECK(all.fired == all.wanted);
    for (size_t i = 1; i < all.fired; i++) {
        CHECK(all.fired_ns[i - 1] <= all.fired_ns[i]);
    }
    CHECK(lg_monotonic_ns() >= all.fired_ns[all.fired - 1]); // never early
    lg_loop_free(all.loop);
}

// --- tasks ---

typedef struct counting {
    lg_loop *loop;
    lg_task task, other;
    lg_timer timer;
    int runs, other_runs;
} counting;

static void on_count(void *data)
{
    counting *c = data;
    if (++c->runs < 1000) {
        lg_loop_defer(c->loop, &c->task);
    }
}

static void on_time(void *data)
{
    counting *c = data;
    CHECK(c->runs > 0);
    if (c->runs < 1000) {
        lg_timer_set(c->loop, &c->timer, lg_loop_now_ns(c->loop));
        c->other_runs++; // it has its turn between the task's
    } else {
        lg_loop_stop(c->loop);
    }
}

static void a_task_that_goes_on_leaves_room(void)
{
    counting c = {.runs = 0};
    CHECK(lg_loop_new(&c.loop, NULL) == LG_OK);
    c.task = (lg_task){.run = on_count, .data = &c};
    c.timer = (lg_timer){.fire = on_time, .data = &c};
    lg_loop_defer(c.loop, &c.task);
    lg_loop_defer(c.loop, &c.task); // waits already
    lg_timer_set(c.loop, &c.timer, 1);
    CHECK(lg_loop_run(c.loop, NULL) == LG_OK);
    CHECK(c.runs == 1000);
    CHECK(c.other_runs > 100);
    lg_loop_free(c.loop);
}

static void on_never(void *data)
{
    (void)data;
    CHECK_MSG(false, "it was forgotten");
}

static void on_forget(void *data)
{
    counting *c = data;
    lg_loop_forget(c->loop, &c->other);
    lg_loop_stop(c->loop);
}

static void what_is_forgotten_does_not_run(void)
{
    counting c = {.runs = 0};
    CHECK(lg_loop_new(&c.loop, NULL) == LG_OK);
    c.task = (lg_task){.run = on_forget, .data = &c};
    c.other = (lg_task){.run = on_never, .data = NULL};
    lg_loop_defer(c.loop, &c.other);
    lg_loop_forget(c.loop, &c.other);
    lg_loop_post(c.loop, &c.other);
    lg_loop_forget(c.loop, &c.other);
    lg_loop_defer(c.loop, &c.task);  // the first takes the second back,
    lg_loop_defer(c.loop, &c.other); // of the same turn
    CHECK(lg_loop_run(c.loop, NULL) == LG_OK);
    lg_loop_free(c.loop);
}

// --- threads ---

#define THREADS 4
#define POSTS 2000

typedef struct posting {
    lg_loop *loop;
    lg_task tasks[POSTS];
    struct posted {
        struct posting *of;
        int number;
    } posted[POSTS];
    int seen; // by the loop's thread
    int *all_seen;
} posting;

static posting postings[THREADS];

static void on_posted(void *data)
{
    struct posted *p = data;
    CHECK(p->of->seen == p->number); // in order
    p->of->seen++;
    if (++*p->of->all_seen == THREADS * POSTS) {
        lg_loop_stop(p->of->loop);
    }
}

static void *post_all(void *data)
{
    posting *p = data;
    for (int i = 0; i < POSTS; i++) {
        p->posted[i].of = p;
        p->posted[i].number = i;
        p->tasks[i].run = on_posted;
        p->tasks[i].data = &p->posted[i];
        lg_loop_post(p->loop, &p->tasks[i]);
    }
    return NULL;
}

static void threads_hand_over_in_order(void)
{
    pthread_t threads[THREADS];
    lg_loop *loop;
    int all_seen = 0;
    CHECK(lg_loop_new(&loop, NULL) == LG_OK);
    for (size_t i = 0; i < THREADS; i++) {
        postings[i].loop = loop;
        postings[i].all_seen = &all_seen;
        CHECK(pthread_create(&threads[i], NULL, post_all, &postings[i]) == 0);
    }
    CHECK(lg_loop_run(loop, NULL) == LG_OK);
    CHECK(all_seen == THREADS * POSTS);
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    lg_loop_free(loop);
}

static void *stop_it(void *data)
{
    lg_loop_stop(data);
    return NULL;
}

static void a_thread_stops_a_loop_that_sleeps(void)
{
    lg_loop *loop;
    pthread_t thread;
    CHECK(lg_loop_new(&loop, NULL) == LG_OK);
    CHECK(pthread_create(&thread, NULL, stop_it, loop) == 0);
    CHECK(lg_loop_run(loop, NULL) == LG_OK);
    pthread_join(thread, NULL);
    lg_loop_free(loop);
}

// --- descriptors ---

typedef struct pair {
    lg_loop *loop;
    lg_watch watches[2];
    int told;
} pair;

// Both are ready in the same turn; the first to be told removes the other and frees what it would have been told with.
static void on_ready(void *data, unsigned events)
{
    pair *p = data;
    CHECK(events & LG_WATCH_READ);
    p->told++;
    lg_watch_remove(p->loop, &p->watches[0]);
    lg_watch_remove(p->loop, &p->watches[1]);
    lg_loop_stop(p->loop);
}

static void what_is_removed_is_not_told(void)
{
    pair p = {.told = 0};
    int a[2], b[2];
    CHECK(lg_loop_new(&p.loop, NULL) == LG_OK);
    CHECK(pipe(a) == 0 && pipe(b) == 0);
    CHECK(write(a[1], "x", 1) == 1 && write(b[1], "x", 1) == 1);
    p.watches[0] = (lg_watch){.ready = on_ready, .data = &p, .fd = a[0]};
    p.watches[1] = (lg_watch){.ready = on_ready, .data = &p, .fd = b[0]};
    CHECK(lg_watch_add(p.loop, &p.watches[0], LG_WATCH_READ, NULL) == LG_OK);
    CHECK(lg_watch_add(p.loop, &p.watches[1], LG_WATCH_READ, NULL) == LG_OK);
    CHECK(lg_loop_run(p.loop, NULL) == LG_OK);
    CHECK(p.told == 1);
    for (int i = 0; i < 2; i++) {
        close(a[i]);
        close(b[i]);
    }
    lg_loop_free(p.loop);
}

static void a_descriptor_that_is_none_is_an_error(void)
{
    lg_loop *loop;
    lg_error error;
    lg_watch watch = {.ready = on_ready, .data = NULL, .fd = -1};
    CHECK(lg_loop_new(&loop, NULL) == LG_OK);
    CHECK(lg_watch_add(loop, &watch, LG_WATCH_READ, &error) == LG_ERR_ENVIRONMENT);
    lg_loop_free(loop);
}

int main(void)
{
    RUN(timers_fire_in_order);
    RUN(a_task_that_goes_on_leaves_room);
    RUN(what_is_forgotten_does_not_run);
    RUN(threads_hand_over_in_order);
    RUN(a_thread_stops_a_loop_that_sleeps);
    RUN(what_is_removed_is_not_told);
    RUN(a_descriptor_that_is_none_is_an_error);
    return lg_test_done();
}
