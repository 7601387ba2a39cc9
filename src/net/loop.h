// loop.h: one event loop a thread: descriptors, timers, and work that other threads hand over.
//
// A loop belongs to the thread that runs it, and so does everything that was made on it: watches,
// timers, servers, clients. From another thread only lg_loop_post() and lg_loop_stop() may be called.
// What is made on a loop is made before it runs, or by its own thread, and is freed before the loop.
//
//     lg_loop *loop;
//     lg_loop_new(&loop, &error);
//     lg_timer_set(loop, &timer, lg_loop_now_ns(loop) + 5 * LG_NS_PER_MS);
//     lg_loop_run(loop, &error); // until lg_loop_stop()
//     lg_loop_free(loop);
//
// Nothing that is called back may block: a loop that waits, waits for all. Long work is cut in
// pieces with lg_loop_defer(), between which the others have their turn.
#ifndef LG_NET_LOOP_H
#define LG_NET_LOOP_H

#include "base/clock.h"

#include <stdatomic.h>

typedef struct lg_loop lg_loop;

#define LG_NS_PER_MS INT64_C(1000000)

// Loads libmicrohttpd and libcurl, starts what they need once for the process, and ignores SIGPIPE.
// To be called before there are threads; later calls cost nothing, and lg_server_new() and
// lg_client_new() call it, too. Fails with LG_ERR_ENVIRONMENT and says what to install.
LG_NODISCARD lg_status lg_net_load(lg_error *reterr);

// Fails with LG_ERR_OOM or LG_ERR_ENVIRONMENT (no more descriptors).
LG_NODISCARD lg_status lg_loop_new(lg_loop **ret_loop, lg_error *reterr);
void lg_loop_free(lg_loop *loop); // NULL is allowed

// Runs until lg_loop_stop(). Fails with LG_ERR_INTERNAL if the system will not wait.
LG_NODISCARD lg_status lg_loop_run(lg_loop *loop, lg_error *reterr);

// Makes lg_loop_run() return at the end of its turn, or the next one as soon as it is called. Of any thread.
void lg_loop_stop(lg_loop *loop);

// lg_monotonic_ns() as it was when this turn began.
int64_t lg_loop_now_ns(const lg_loop *loop);

// --- work: a task is embedded in what it works on, so that handing it over cannot fail ---

typedef struct lg_task {
    void (*run)(void *data); // set these two, and leave the rest zero
    void *data;
    struct lg_task *next;
    atomic_bool waiting;
} lg_task;

// Runs `task` in the next turn of the loop. Of the loop's own thread. One that waits already waits once.
void lg_loop_defer(lg_loop *loop, lg_task *task);

// The same from any thread. What the caller wrote before is seen by the task. Tasks of one thread
// run in the order in which they were posted. The task has to live until it has run.
void lg_loop_post(lg_loop *loop, lg_task *task);

// The task will not run, if it has not yet. Of the loop's own thread.
void lg_loop_forget(lg_loop *loop, lg_task *task);

// --- timers: embedded likewise ---

typedef struct lg_timer {
    void (*fire)(void *data); // set these two, and leave the rest zero
    void *data;
    int64_t at_ns;     // when it is to fire; 0 if it is not set
    int64_t queued_ns; // where it stands in the queue, which may be earlier: see loop.c
    struct lg_timer *child, *next, *previous;
} lg_timer;

// Fires once, not before `at_ns` on the clock of lg_loop_now_ns(). A timer that is set already is moved;
// moving one to a later time costs nothing.
void lg_timer_set(lg_loop *loop, lg_timer *timer, int64_t at_ns);
void lg_timer_stop(lg_loop *loop, lg_timer *timer); // one that is not set is allowed

// --- descriptors: embedded likewise ---

enum {
    LG_WATCH_READ = 1,
    LG_WATCH_WRITE = 2,
    LG_WATCH_HANGUP = 4, // the other end sends no more; told once. Alone: nothing else is told.
    LG_WATCH_ERROR = 8,  // told always: both directions are closed, or the connection is broken
};

typedef struct lg_watch {
    void (*ready)(void *data, unsigned events); // set these three
    void *data;
    int fd; // borrowed: remove the watch before the descriptor is closed
} lg_watch;

// Fails with LG_ERR_ENVIRONMENT: the descriptor cannot be watched.
LG_NODISCARD lg_status lg_watch_add(lg_loop *loop, lg_watch *watch, unsigned events,
                                    lg_error *reterr);
LG_NODISCARD lg_status lg_watch_change(lg_loop *loop, lg_watch *watch, unsigned events,
                                       lg_error *reterr);
// After this `ready` is not called again, not even for what has already been seen in this turn.
void lg_watch_remove(lg_loop *loop, lg_watch *watch);

// --- what wants a say before the loop sleeps: for the files of this room ---

typedef struct lg_hook {
    bool (*before_sleep)(void *data); // true: there is more to do, look and come back at once
    void *data;
    struct lg_hook *next, *previous;
} lg_hook;

void lg_loop_hook(lg_loop *loop, lg_hook *hook);
void lg_loop_unhook(lg_loop *loop, lg_hook *hook);

#endif
