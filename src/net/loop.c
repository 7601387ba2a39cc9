// loop.c: epoll, a heap of timers, a list of tasks, and a door for other threads.
//
// A turn: wait; what descriptors have to say; tasks; timers; and before the next wait, the hooks. Tasks
// that come up in a turn run in the next one, so that a task which defers itself leaves room for all else.
//
// Timers stand in a pairing heap whose nodes are the timers themselves, so setting one cannot fail.
// Deadlines are moved to later all the time and hardly ever fire: a timer that is moved to later stays where it
// is in the heap, and only when it comes up is put where it belongs.
#include "net/loop.h"
#include "base/alloc.h"
#include "base/error.h"

#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define EVENTS_A_TURN 64

typedef struct task_list {
    lg_task *first;
    lg_task **end;
} task_list;

struct lg_loop {
    int epoll_fd;
    int wake_fd; // an eventfd: something was posted, or the loop is to stop
    lg_watch wake;
    int64_t now_ns;
    atomic_bool stop;
    lg_timer *timers; // the root of the heap: the next to fire
    bool firing;      // it is being emptied of what is due
    lg_hook *hooks;
    task_list deferred, running; // of this thread alone
    pthread_mutex_t lock;        // of `posted`
    task_list posted;
    struct epoll_event events[EVENTS_A_TURN];
    int event, event_count; // where this turn is among them
};

int64_t lg_loop_now_ns(const lg_loop *loop)
{
    return loop->now_ns;
}

// --- tasks ---

static void list_init(task_list *list)
{
    list->first = NULL;
    list->end = &list->first;
}

static void list_add(task_list *list, lg_task *task)
{
    task->next = NULL;
    *list->end = task;
    list->end = &task->next;
}

static void list_move(task_list *to, task_list *from)
{
    if (from->first) {
        *to->end = from->first;
        to->end = from->end;
        list_init(from);
    }
}

static bool list_remove(task_list *list, const lg_task *task)
{
    for (lg_task **at = &list->first; *at; at = &(*at)->next) {
        if (*at == task) {
            *at = task->next;
            if (!*at) {
                list->end = at;
            }
            return true;
        }
    }
    return false;
}

void lg_loop_defer(lg_loop *loop, lg_task *task)
{
    if (!atomic_exchange(&task->waiting, true)) {
        list_add(&loop->deferred, task);
    }
}

static void wake_up(lg_loop *loop)
{
    uint64_t one = 1;
    ssize_t written = write(loop->wake_fd, &one, sizeof(one)); // full: then it is awake already
    (void)written;
}

void lg_loop_post(lg_loop *loop, lg_task *task)
{
    if (atomic_exchange(&task->waiting, true)) {
        return;
    }
    pthread_mutex_lock(&loop->lock);
    bool first = !loop->posted.first;
    list_add(&loop->posted, task);
    pthread_mutex_unlock(&loop->lock);
    if (first) {
        wake_up(loop);
    }
}

void lg_loop_forget(lg_loop *loop, lg_task *task)
{
    if (!atomic_load(&task->waiting)) {
        return;
    }
    if (!list_remove(&loop->running, task) && !list_remove(&loop->deferred, task)) {
        pthread_mutex_lock(&loop->lock);
        list_remove(&loop->posted, task);
        pthread_mutex_unlock(&loop->lock);
    }
    atomic_store(&task->waiting, false);
}

static void on_wake(void *data, unsigned events)
{
    lg_loop *loop = data;
    (void)events;
    uint64_t count;
    ssize_t got = read(loop->wake_fd, &count, sizeof(count));
    (void)got;
    pthread_mutex_lock(&loop->lock);
    list_move(&loop->deferred, &loop->posted);
    pthread_mutex_unlock(&loop->lock);
}

static void run_tasks(lg_loop *loop)
{
    list_move(&loop->running, &loop->deferred);
    while (loop->running.first) {
        lg_task *task = loop->running.first;
        list_remove(&loop->running, task);
        // First, so that it may be handed over again from within, or by whoever has more for it.
        atomic_store(&task->waiting, false);
        task->run(task->data);
    }
}

// --- timers ---

static lg_timer *meld(lg_timer *a, lg_timer *b)
{
    if (!a || !b) {
        return a ? a : b;
    }
    lg_timer *top = a->queued_ns <= b->queued_ns ? a : b;
    lg_timer *below = top == a ? b : a;
    below->previous = top; // of a first child it is the parent
    below->next = top->child;
    if (top->child) {
        top->child->previous = below;
    }
    top->child = below;
    top->next = NULL;
    top->previous = NULL;
    return top;
}

// Melds what were the children of a timer in pairs, then the pairs: that keeps removal at O(log n) on average.
static lg_timer *meld_all(lg_timer *first)
{
    lg_timer *pairs = NULL; // linked by `next`, the last pair first
    while (first) {
        lg_timer *second = first->next;
        lg_timer *rest = second ? second->next : NULL;
        first->next = first->previous = NULL;
        if (second) {
            second->next = second->previous = NULL;
        }
        lg_timer *pair = meld(first, second);
        pair->next = pairs;
        pairs = pair;
        first = rest;
    }
    lg_timer *root = NULL;
    while (pairs) {
        lg_timer *next = pairs->next;
        pairs->next = NULL;
        root = meld(root, pairs);
        pairs = next;
    }
    return root;
}

static void heap_remove(lg_loop *loop, lg_timer *timer)
{
    lg_timer *below = meld_all(timer->child);
    if (timer == loop->timers) {
        loop->timers = below;
    } else {
        if (timer->previous->child == timer) {
            timer->previous->child = timer->next;
        } else {
            timer->previous->next = timer->next;
        }
        if (timer->next) {
            timer->next->previous = timer->previous;
        }
        loop->timers = meld(loop->timers, below);
    }
    timer->child = timer->next = timer->previous = NULL;
    timer->queued_ns = 0;
}

static void heap_add(lg_loop *loop, lg_timer *timer)
{
    timer->queued_ns = timer->at_ns;
    loop->timers = meld(loop->timers, timer);
}

void lg_timer_set(lg_loop *loop, lg_timer *timer, int64_t at_ns)
{
    // One that sets itself to now as it fires has its next turn in the next turn.
    int64_t earliest_ns = loop->firing ? loop->now_ns + 1 : 1;
    timer->at_ns = at_ns > earliest_ns ? at_ns : earliest_ns;
    if (timer->queued_ns && timer->at_ns < timer->queued_ns) {
        heap_remove(loop, timer);
    }
    if (!timer->queued_ns) {
        heap_add(loop, timer);
    }
}

void lg_timer_stop(lg_loop *loop, lg_timer *timer)
{
    if (timer->queued_ns) {
        heap_remove(loop, timer);
    }
    timer->at_ns = 0;
}

static void run_timers(lg_loop *loop)
{
    loop->firing = true;
    while (loop->timers && loop->timers->queued_ns <= loop->now_ns) {
        lg_timer *timer = loop->timers;
        bool moved = timer->at_ns > timer->queued_ns;
        heap_remove(loop, timer);
        if (moved) {
            heap_add(loop, timer); // to where it belongs
        } else {
            timer->at_ns = 0;
            timer->fire(timer->data);
        }
    }
    loop->firing = false;
}

// --- descriptors ---

static uint32_t to_epoll(unsigned events)
{
    uint32_t wanted = events & LG_WATCH_READ ? EPOLLIN : 0;
    wanted |= events & LG_WATCH_WRITE ? EPOLLOUT : 0;
    // Edge-triggered when it is all that is asked for, else it would be told again and again.
    wanted |= events == LG_WATCH_HANGUP ? EPOLLRDHUP | (uint32_t)EPOLLET : 0;
    return wanted;
}

static unsigned from_epoll(uint32_t events)
{
    unsigned seen = events & EPOLLIN ? LG_WATCH_READ : 0;
    seen |= events & EPOLLOUT ? LG_WATCH_WRITE : 0;
    seen |= events & EPOLLRDHUP ? LG_WATCH_HANGUP : 0;
    seen |= events & (EPOLLERR | EPOLLHUP) ? LG_WATCH_ERROR : 0;
    return seen;
}

static lg_status control(lg_loop *loop, int operation, lg_watch *watch, unsigned events,
                         lg_error *reterr)
{
    struct epoll_event event = {.events = to_epoll(events), .data = {.ptr = watch}};
    if (epoll_ctl(loop->epoll_fd, operation, watch->fd, &event) == 0) {
        return LG_OK;
    }
    return lg_fail(reterr, LG_ERR_ENVIRONMENT, "a descriptor cannot be watched (error %d)", errno);
}

lg_status lg_watch_add(lg_loop *loop, lg_watch *watch, unsigned events, lg_error *reterr)
{
    return control(loop, EPOLL_CTL_ADD, watch, events, reterr);
}

lg_status lg_watch_change(lg_loop *loop, lg_watch *watch, unsigned events, lg_error *reterr)
{
    return control(loop, EPOLL_CTL_MOD, watch, events, reterr);
}

void lg_watch_remove(lg_loop *loop, lg_watch *watch)
{
    struct epoll_event none = {0};
    epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, &none);
    for (int i = loop->event; i < loop->event_count; i++) {
        if (loop->events[i].data.ptr == watch) {
            loop->events[i].data.ptr = NULL;
        }
    }
}

static void run_events(lg_loop *loop, int count)
{
    loop->event_count = count > 0 ? count : 0;
    for (loop->event = 0; loop->event < loop->event_count; loop->event++) {
        const struct epoll_event *event = &loop->events[loop->event];
        lg_watch *watch = event->data.ptr;
        if (watch) {
            watch->ready(watch->data, from_epoll(event->events));
        }
    }
    loop->event_count = 0;
}

// --- hooks, and the turn ---

void lg_loop_hook(lg_loop *loop, lg_hook *hook)
{
    hook->previous = NULL;
    hook->next = loop->hooks;
    if (loop->hooks) {
        loop->hooks->previous = hook;
    }
    loop->hooks = hook;
}

void lg_loop_unhook(lg_loop *loop, lg_hook *hook)
{
    if (hook->previous) {
        hook->previous->next = hook->next;
    } else {
        loop->hooks = hook->next;
    }
    if (hook->next) {
        hook->next->previous = hook->previous;
    }
}

// A hook may take itself away, and no other.
static bool run_hooks(lg_loop *loop)
{
    bool more = false;
    for (lg_hook *hook = loop->hooks, *next; hook; hook = next) {
        next = hook->next;
        more = hook->before_sleep(hook->data) || more;
    }
    return more;
}

// Milliseconds, rounded up: a timer never fires early, and what is due is not waited for.
static int wait_ms(const lg_loop *loop)
{
    if (!loop->timers) {
        return -1;
    }
    int64_t left_ns = loop->timers->queued_ns - lg_monotonic_ns();
    int64_t left_ms = left_ns <= 0 ? 0 : (left_ns + LG_NS_PER_MS - 1) / LG_NS_PER_MS;
    return left_ms > 60000 ? 60000 : (int)left_ms;
}

lg_status lg_loop_run(lg_loop *loop, lg_error *reterr)
{
    while (!atomic_exchange(&loop->stop, false)) {
        bool busy = run_hooks(loop) || loop->deferred.first;
        int count =
            epoll_wait(loop->epoll_fd, loop->events, EVENTS_A_TURN, busy ? 0 : wait_ms(loop));
        if (count < 0 && errno != EINTR) {
            return lg_fail(reterr, LG_ERR_INTERNAL, "epoll_wait failed (error %d)", errno);
        }
        loop->now_ns = lg_monotonic_ns();
        run_events(loop, count);
        run_tasks(loop);
        run_timers(loop);
    }
    return LG_OK;
}

void lg_loop_stop(lg_loop *loop)
{
    atomic_store(&loop->stop, true);
    wake_up(loop);
}

lg_status lg_loop_new(lg_loop **ret_loop, lg_error *reterr)
{
    lg_loop *loop = lg_zalloc(sizeof(*loop));
    if (!loop) {
        return lg_fail_oom(reterr);
    }
    list_init(&loop->deferred);
    list_init(&loop->running);
    list_init(&loop->posted);
    pthread_mutex_init(&loop->lock, NULL);
    loop->now_ns = lg_monotonic_ns();
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    loop->wake = (lg_watch){.ready = on_wake, .data = loop, .fd = loop->wake_fd};
    if (loop->epoll_fd < 0 || loop->wake_fd < 0 ||
        lg_watch_add(loop, &loop->wake, LG_WATCH_READ, NULL) != LG_OK) {
        lg_loop_free(loop);
        return lg_fail(reterr, LG_ERR_ENVIRONMENT,
                       "an event loop needs two descriptors, and the system gives no more of them "
                       "(see `ulimit -n`)");
    }
    *ret_loop = loop;
    return LG_OK;
}

void lg_loop_free(lg_loop *loop)
{
    if (!loop) {
        return;
    }
    if (loop->wake_fd >= 0) {
        close(loop->wake_fd);
    }
    if (loop->epoll_fd >= 0) {
        close(loop->epoll_fd);
    }
    pthread_mutex_destroy(&loop->lock);
    lg_free(loop);
}
