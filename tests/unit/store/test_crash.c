// test_crash.c: the writer is killed (SIGKILL) at any moment, many times, and nothing is lost that it has acknowledged.
//
//     unit_store_test_crash [TIMES]      100; `make crash` does it 10,000 times
//
// A child opens the log and appends; what it is told to be on the disk it tells its parent through a pipe, and the parent
// keeps it. All children write to one log, so that each also goes on where another one was killed. A child that acknowledges
// before the commit is the control: it has to lose something.
#include "store/store.h"

#include "temp_folder.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static const lg_time NOW = {1700000000, 0};
static uint64_t seed = 1;

static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

// --- The child ----------------------------------------------------------------------------------

static void tell(void *of, const lg_store_receipt *receipt)
{
    const int *pipe_end = of;
    if (receipt->status == LG_OK && write(*pipe_end, &receipt->last, sizeof(receipt->last)) < 0) {
        _exit(4);
    }
}

static _Noreturn void run_child(const char *path, int pipe_end, bool early)
{
    lg_store *store;
    lg_log_head head;
    lg_log *log;
    char body[900];
    memset(body, 'y', sizeof(body));
    if (lg_store_open(&(lg_store_options){.path = path}, &store, NULL) != LG_OK ||
        lg_log_open(path, NULL, &log, NULL) != LG_OK || lg_log_head_of(log, &head, NULL) != LG_OK) {
        _exit(3);
    }
    lg_log_close(log);
    for (;;) { // until it is killed
        lg_store_item item = {
            .kind = LG_STR("event"), .time = NOW, .body = {body, draw(sizeof(body))}};
        uint64_t ticket = 0;
        if (lg_store_append(store, &item, 1, early ? NULL : tell, &pipe_end, &ticket, NULL) !=
            LG_OK) {
            _exit(3);
        }
        if (early) {
            tell(&pipe_end, &(lg_store_receipt){.last = head.sequence + ticket});
        }
        if (draw(4) == 0 && lg_store_wait(store, ticket, NULL) != LG_OK) {
            _exit(3);
        }
    }
}

// --- The parent ---------------------------------------------------------------------------------

static bool read_one(int pipe_end, int timeout_ms, uint64_t *acknowledged)
{
    struct pollfd ready = {.fd = pipe_end, .events = POLLIN};
    return poll(&ready, 1, timeout_ms) > 0 &&
           read(pipe_end, acknowledged, sizeof(*acknowledged)) == (ssize_t)sizeof(*acknowledged);
}

// Lets it acknowledge so many, and a little more; then kills it. Returns the last that was acknowledged.
static uint64_t kill_after(pid_t child, int pipe_end, uint64_t count)
{
    uint64_t acknowledged = 0;
    while (count-- && read_one(pipe_end, 20000, &acknowledged)) {
    }
    (void)nanosleep(&(struct timespec){0, (long)draw(3000000)}, NULL);
    (void)kill(child, SIGKILL);
    int status;
    (void)waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); // and did not end by itself
    while (read_one(pipe_end, 0, &acknowledged)) {
    }
    (void)close(pipe_end);
    return acknowledged;
}

static uint64_t kill_one(const char *path, bool early)
{
    int ends[2];
    if (!CHECK(pipe(ends) == 0)) {
        return 0;
    }
    uint64_t count = draw(8);
    seed += 1;
    pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        run_child(path, ends[1], early);
    }
    (void)close(ends[1]);
    return kill_after(child, ends[0], count);
}

static void print_fault(void *context, const lg_log_fault *fault)
{
    (void)context;
    printf("    record %llu: %s\n", (unsigned long long)fault->sequence, fault->message);
}

static uint64_t last_of(const char *path, bool all)
{
    lg_log *log;
    lg_log_head head = {0};
    lg_error err = {0};
    if (lg_log_open(path, NULL, &log, &err) != LG_OK) {
        return 0; // it was killed before there was one
    }
    CHECK_MSG(lg_log_head_of(log, &head, &err) == LG_OK, err.msg);
    if (all) {
        lg_log_verdict verdict = {0};
        CHECK(lg_log_verify(log, &(lg_log_trust){0}, print_fault, NULL, &verdict, &err) == LG_OK);
        CHECK(verdict.fault_count == 0 && verdict.records == head.sequence);
    }
    lg_log_close(log);
    return head.sequence;
}

// How many of the kills lose something.
static uint64_t kill_many(uint64_t times, bool early)
{
    char folder[128];
    char path[256];
    uint64_t losing = 0;
    uint64_t last = 0;
    lg_temp_folder(folder);
    lg_temp_path(path, sizeof(path), folder, "log.db");
    for (uint64_t i = 0; i < times; i++) {
        uint64_t acknowledged = kill_one(path, early);
        last = last_of(path, i % 100 == 99 || i + 1 == times);
        losing += last < acknowledged;
    }
    printf("killed %llu times, %llu records, %llu losses%s\n", (unsigned long long)times,
           (unsigned long long)last, (unsigned long long)losing,
           early ? " with acknowledgements before the commit" : "");
    lg_temp_remove(folder);
    return losing;
}

static uint64_t kills = 100;

static void nothing_acknowledged_is_lost(void)
{
    CHECK(kill_many(kills, false) == 0);
}

static void early_acknowledgements_lose(void)
{
    CHECK(kill_many(30, true) > 0);
}

int main(int argc, char **argv)
{
    kills = argc > 1 ? strtoull(argv[1], NULL, 10) : kills;
    (void)signal(SIGPIPE, SIG_IGN);
    RUN(nothing_acknowledged_is_lost);
    RUN(early_acknowledgements_lose);
    return lg_test_done();
}
