// bench_load: asks through a proxy by a schedule, answers behind it, and prints what it saw as one line of JSON.
//
//     bench_load --work FILE --to 127.0.0.1:8080 --rate 3000 --seconds 20 [--warm-up 2] [--path /v1/chat/completions]
//                [--listen 9100] [--connections 64] [--conversations 256] [--think-us 5000] [--pid N]... [--token T]
//     bench_load --commits FOLDER     what a commit costs on the disk of this folder
//
// --rate 0: a closed loop. --pid: whose processor time and memory are read at the ends of the measured time. A
// request that has failed or was never sent counts as slower than all others.
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_A_TURN 64
#define PIDS_MAX 64
#define MOST_REQUESTS 4000000

static long pids[PIDS_MAX];
static size_t pid_count;

int64_t load_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void load_fail(const char *what)
{
    fprintf(stderr, "bench_load: %s\n", what);
    exit(3);
}

void load_watch(load *l, socket_of *s, int operation)
{
    // Edge-triggered: both sides read and write until nothing goes.
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | (uint32_t)EPOLLET,
                                .data = {.ptr = s}};
    if (epoll_ctl(l->epoll_fd, operation, s->wire.fd, &event) != 0) {
        load_fail("a descriptor cannot be watched");
    }
}

// --- The processor time of others ---------------------------------------------------------------

// Of a process and its children that are gone, in ns; of one that is gone itself, 0.
static int64_t cpu_of(long pid)
{
    char path[64], text[1024];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    size_t got = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    text[got] = '\0';
    const char *behind_name = strrchr(text, ')');
    if (!behind_name || sscanf(behind_name, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                               &user, &system) != 2) {
        return 0;
    }
    return (int64_t)(user + system) * (1000000000 / sysconf(_SC_CLK_TCK));
}

static int64_t cpu_of_all(void)
{
    int64_t sum = 0;
    for (size_t i = 0; i < pid_count; i++) {
        sum += cpu_of(pids[i]);
    }
    return sum;
}

static int64_t cpu_of_us(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * INT64_C(1000000000) +
           (use.ru_utime.tv_usec + use.ru_stime.tv_usec) * INT64_C(1000);
}

// --- The loop -----------------------------------------------------------------------------------

typedef struct cpu_times {
    int64_t at_ns, theirs_ns, ours_ns;
    uint64_t done;
} cpu_times;

static cpu_times read_cpu(void)
{
    return (cpu_times){load_now_ns(), cpu_of_all(), cpu_of_us(), 0};
}

static void wait_and_serve(load *l)
{
    struct epoll_event events[EVENTS_A_TURN];
    int64_t next_ns = l->free_clients ? client_next_ns(l) : INT64_MAX;
    next_ns = l->due && l->due->due_ns < next_ns ? l->due->due_ns : next_ns;
    int64_t left_ns = next_ns - load_now_ns();
    left_ns = left_ns < 0 ? 0 : left_ns > 10000000 ? 10000000 : left_ns;
    struct timespec wait = {0, left_ns};
    int count = epoll_pwait2(l->epoll_fd, events, EVENTS_A_TURN, &wait, NULL);
    if (count < 0 && errno != EINTR) {
        load_fail("epoll_pwait2 failed");
    }
    for (int i = 0; i < count; i++) {
        socket_of *s = events[i].data.ptr;
        s->ready(l, s, events[i].events);
    }
}

static void run(load *l, cpu_times *ret_begin, cpu_times *ret_end)
{
    bool measuring = false, ended = false;
    while (!client_is_over(l)) {
        client_ask_due(l);
        upstream_answer_due(l);
        wait_and_serve(l);
        if (!measuring && load_now_ns() >= l->measure_ns) {
            measuring = true;
            *ret_begin = read_cpu();
        }
        if (!ended && load_now_ns() >= l->end_ns) {
            ended = true;
            *ret_end = read_cpu();
        }
    }
}

// --- What it saw --------------------------------------------------------------------------------

#define NEVER_NS INT64_MAX

static int by_size(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void print_us(const char *name, const int64_t *sorted, size_t count, double share)
{
    size_t at = (size_t)((double)count * share);
    int64_t ns = count ? sorted[at < count ? at : count - 1] : NEVER_NS;
    if (ns == NEVER_NS) {
        printf("\"%s\":null", name);
    } else {
        printf("\"%s\":%.1f", name, (double)ns / 1000);
    }
}

static void print_quantiles(const char *name, int64_t *values, size_t count)
{
    qsort(values, count, sizeof(*values), by_size);
    printf("\"%s\":{", name);
    print_us("p50", values, count, 0.5);
    printf(",");
    print_us("p99", values, count, 0.99);
    printf(",");
    print_us("p999", values, count, 0.999);
    printf("}");
}

// Of the requests that were planned in the measured time: those with, or without a gated call.
static void print_class(const load *l, const char *name, bool gated)
{
    int64_t *whole = calloc(l->planned + 1, sizeof(*whole));
    int64_t *outside = calloc(l->planned + 1, sizeof(*outside));
    size_t count = 0, failed = 0;
    double bytes = 0;
    if (!whole || !outside) {
        load_fail("no memory");
    }
    for (uint64_t i = 0; i < l->planned; i++) {
        const record *r = &l->records[i];
        if (r->planned_ns < l->measure_ns || r->turn->gated != gated) {
            continue;
        }
        bool bad = r->failed || !r->done_ns || !r->said_ns;
        failed += bad;
        bytes += (double)r->turn->request.len;
        whole[count] = bad ? NEVER_NS : r->done_ns - r->planned_ns;
        outside[count] = bad ? NEVER_NS : whole[count] - (r->said_ns - r->asked_ns);
        count++;
    }
    printf("\"%s\":{\"requests\":%zu,\"failed\":%zu,\"request_bytes\":%.0f,", name, count, failed,
           count ? bytes / (double)count : 0);
    print_quantiles("whole_us", whole, count);
    printf(",");
    print_quantiles("outside_us", outside, count);
    printf("}");
    free(whole);
    free(outside);
}

static void print_all(const load *l, const cpu_times *begin, const cpu_times *end)
{
    uint64_t done = 0, unsent = 0;
    for (uint64_t i = 0; i < l->planned; i++) {
        const record *r = &l->records[i];
        done += r->done_ns > begin->at_ns && r->done_ns <= end->at_ns && !r->failed;
    }
    double seconds = (double)(end->at_ns - begin->at_ns) / 1e9;
    if (l->rate > 0) {
        uint64_t wanted = (uint64_t)((double)(l->end_ns - l->begin_ns) / 1e9 * l->rate);
        unsent = wanted > l->planned ? wanted - l->planned : 0;
    }
    printf("{\"seconds\":%.3f,\"done\":%llu,\"a_second\":%.1f,\"unsent\":%llu,\"cpu_us\":%.2f,"
           "\"generator_busy\":%.3f,",
           seconds, (unsigned long long)done, (double)done / seconds, (unsigned long long)unsent,
           (double)(end->theirs_ns - begin->theirs_ns) / 1000 / (double)(done ? done : 1),
           (double)(end->ours_ns - begin->ours_ns) / 1e9 / seconds);
    print_class(l, "plain", false);
    printf(",");
    print_class(l, "gated", true);
    printf("}\n");
}

// --- Arguments ----------------------------------------------------------------------------------

static const char *take_number(load *l, const char *name, double value)
{
    const struct {
        const char *name;
        size_t *at;
    } sizes[] = {{"--connections", &l->connections}, {"--conversations", &l->conversations}};
    for (size_t i = 0; i < LG_COUNT(sizes); i++) {
        if (strcmp(name, sizes[i].name) == 0) {
            *sizes[i].at = (size_t)value;
            return name;
        }
    }
    const struct {
        const char *name;
        double *at;
    } doubles[] = {{"--rate", &l->rate}, {"--seconds", &l->seconds}, {"--warm-up", &l->warm_up_s}};
    for (size_t i = 0; i < LG_COUNT(doubles); i++) {
        if (strcmp(name, doubles[i].name) == 0) {
            *doubles[i].at = value;
            return name;
        }
    }
    if (strcmp(name, "--think-us") == 0) {
        l->think_ns = (int64_t)(value * 1000);
        return name;
    }
    if (strcmp(name, "--listen") == 0) {
        l->listen_port = (int)value;
        return name;
    }
    return NULL;
}

static void take(load *l, const char *name, const char *value)
{
    if (strcmp(name, "--work") == 0) {
        work_read(&l->work, value);
    } else if (strcmp(name, "--to") == 0) {
        l->address = value;
    } else if (strcmp(name, "--path") == 0) {
        l->path = value;
    } else if (strcmp(name, "--token") == 0) {
        l->token = value;
    } else if (strcmp(name, "--pid") == 0 && pid_count < PIDS_MAX) {
        pids[pid_count++] = strtol(value, NULL, 10);
    } else if (!take_number(l, name, strtod(value, NULL))) {
        load_fail("see the first lines of bench/load/main.c for what can be asked");
    }
}

static void begin(load *l)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    // Milliseconds: no run meets a conversation of another.
    l->subjects = ((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000) % 10000000000;
    double wanted = (l->warm_up_s + l->seconds) * l->rate + 1;
    l->most = l->rate > 0 ? (uint64_t)wanted : MOST_REQUESTS;
    l->records = calloc(l->most, sizeof(*l->records));
    if (!l->records || !l->connections || !l->conversations) {
        load_fail("no memory, or nothing to do");
    }
    l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    l->begin_ns = load_now_ns() + 100000000;
    l->measure_ns = l->begin_ns + (int64_t)(l->warm_up_s * 1e9);
    l->end_ns = l->measure_ns + (int64_t)(l->seconds * 1e9);
    upstream_open(l);
    client_open(l);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--commits") == 0) {
        commits_measure(argv[2]);
        return 0;
    }
    load l = {.address = "127.0.0.1:8080",
              .path = "/v1/chat/completions",
              .rate = 1000,
              .seconds = 10,
              .warm_up_s = 2,
              .think_ns = 5000000,
              .connections = 64,
              .conversations = 256,
              .listen_port = 9100,
              .token = "bench"};
    for (int i = 1; i + 1 < argc; i += 2) {
        take(&l, argv[i], argv[i + 1]);
    }
    if (l.work.count == 0 || argc % 2 == 0) {
        load_fail("--work FILE is wanted, and a value behind each name");
    }
    prctl(PR_SET_TIMERSLACK, 1000UL);
    begin(&l);
    cpu_times before = {0}, after = {0};
    run(&l, &before, &after);
    print_all(&l, &before, &after);
    return 0;
}
