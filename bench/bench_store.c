// bench_store.c: durable decisions a second with 64 that wait, beside bare SQLite.
//
//     bench_store [FOLDER [SECONDS]]      FOLDER on a real disk, not tmpfs; `.`, and 3 each
//
// Ours: 64 connections, each with one decision at a time that waits until it is on the disk: as threads that sleep, and as
// two loops of 32, which is how a server holds them. Bare: one thread, the same rows in batches of 64, one statement each,
// WAL and synchronous=FULL, with SQLite's own checkpoints. Rounds take turns; the ratio is the median of those of the rounds, so
// that a machine which is busy with other things for some of them does not count for one side alone.
#include "base/clock.h"
#include "store/store.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 64
#define LOOPS 2
#define ROUNDS 11
#define BODY_BYTES 700 // of a decision on a small call, with its report

static char body[BODY_BYTES];
static volatile bool stop;
static double seconds_each = 3;

static void fail(const char *what)
{
    fprintf(stderr, "bench_store: %s\n", what);
    exit(3);
}

static double seconds_since(int64_t began)
{
    return (double)(lg_monotonic_ns() - began) / 1e9;
}

static void sleep_for(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    (void)nanosleep(&time, NULL);
}

// --- Ours, with a thread a connection -----------------------------------------------------------

typedef struct waiter {
    lg_store *store;
    pthread_t thread;
    uint64_t done;
} waiter;

static lg_store_item decision(void)
{
    return (lg_store_item){
        .kind = LG_STR("decision"), .time = {1700000000, 0}, .body = {body, sizeof(body)}};
}

static void *wait_for_each(void *of)
{
    waiter *w = of;
    lg_store_item item = decision();
    while (!stop) {
        uint64_t ticket;
        if (lg_store_append(w->store, &item, 1, NULL, NULL, &ticket, NULL) != LG_OK ||
            lg_store_wait(w->store, ticket, NULL) != LG_OK) {
            fail("the log has failed");
        }
        w->done++;
    }
    return NULL;
}

static double with_threads(lg_store *store)
{
    static waiter waiters[CONNECTIONS];
    uint64_t total = 0;
    stop = false;
    int64_t began = lg_monotonic_ns();
    for (size_t i = 0; i < CONNECTIONS; i++) {
        waiters[i] = (waiter){.store = store};
        pthread_create(&waiters[i].thread, NULL, wait_for_each, &waiters[i]);
    }
    sleep_for(seconds_each);
    stop = true;
    for (size_t i = 0; i < CONNECTIONS; i++) {
        pthread_join(waiters[i].thread, NULL);
        total += waiters[i].done;
    }
    return (double)total / seconds_since(began);
}

// --- Ours, with loops ---------------------------------------------------------------------------

typedef struct loop {
    lg_store *store;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t some;
    size_t settled; // connections whose decision has come
    uint64_t done;
} loop;

static void post(void *of, const lg_store_receipt *receipt)
{
    loop *l = of;
    if (receipt->status != LG_OK) {
        fail("the log has failed");
    }
    pthread_mutex_lock(&l->mutex);
    if (l->settled++ == 0) {
        pthread_cond_signal(&l->some);
    }
    pthread_mutex_unlock(&l->mutex);
}

static void *run_loop(void *of)
{
    loop *l = of;
    lg_store_item item = decision();
    size_t ready = CONNECTIONS / LOOPS;
    size_t waiting = 0;
    while (!stop || waiting) {
        for (; ready && !stop; ready--, waiting++) {
            if (lg_store_append(l->store, &item, 1, post, l, NULL, NULL) != LG_OK) {
                fail("the log has failed");
            }
        }
        ready = stop ? 0 : ready;
        pthread_mutex_lock(&l->mutex);
        while (waiting && !l->settled) {
            pthread_cond_wait(&l->some, &l->mutex);
        }
        ready += l->settled;
        waiting -= l->settled;
        l->done += l->settled;
        l->settled = 0;
        pthread_mutex_unlock(&l->mutex);
    }
    return NULL;
}

static double with_loops(lg_store *store)
{
    static loop loops[LOOPS];
    uint64_t total = 0;
    stop = false;
    int64_t began = lg_monotonic_ns();
    for (size_t i = 0; i < LOOPS; i++) {
        loops[i] = (loop){.store = store};
        pthread_mutex_init(&loops[i].mutex, NULL);
        pthread_cond_init(&loops[i].some, NULL);
        pthread_create(&loops[i].thread, NULL, run_loop, &loops[i]);
    }
    sleep_for(seconds_each);
    stop = true;
    for (size_t i = 0; i < LOOPS; i++) {
        pthread_join(loops[i].thread, NULL);
        total += loops[i].done;
    }
    return (double)total / seconds_since(began);
}

// --- Bare SQLite --------------------------------------------------------------------------------

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fail(sqlite3_errmsg(db));
    }
}

static sqlite3 *open_bare(const char *path)
{
    sqlite3 *db;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        fail("bare SQLite cannot be opened");
    }
    run_sql(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16384; "
                "CREATE TABLE row(id INTEGER PRIMARY KEY, kind TEXT, time INTEGER, body BLOB)");
    return db;
}

static double bare(sqlite3 *db)
{
    sqlite3_stmt *put;
    uint64_t total = 0;
    if (sqlite3_prepare_v2(db, "INSERT INTO row(kind, time, body) VALUES(?1, ?2, ?3)", -1, &put,
                           NULL) != SQLITE_OK) {
        fail(sqlite3_errmsg(db));
    }
    int64_t began = lg_monotonic_ns();
    while (seconds_since(began) < seconds_each) {
        run_sql(db, "BEGIN IMMEDIATE");
        for (size_t i = 0; i < CONNECTIONS; i++) {
            sqlite3_bind_text(put, 1, "decision", 8, SQLITE_STATIC);
            sqlite3_bind_int64(put, 2, 1700000000);
            sqlite3_bind_blob(put, 3, body, sizeof(body), SQLITE_STATIC);
            if (sqlite3_step(put) != SQLITE_DONE) {
                fail(sqlite3_errmsg(db));
            }
            sqlite3_reset(put);
        }
        run_sql(db, "COMMIT");
        total += CONNECTIONS;
    }
    double rate = (double)total / seconds_since(began);
    sqlite3_finalize(put);
    return rate;
}

// --- Side by side -------------------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
    const double *left = a;
    const double *right = b;
    return (*left > *right) - (*left < *right);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof(*values), by_size);
    return values[ROUNDS / 2];
}

// Round by round.
static double median_ratio(const double *ours, const double *theirs)
{
    double ratios[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        ratios[i] = ours[i] / theirs[i];
    }
    return median(ratios);
}

static void remove_all(const char *folder)
{
    static const char *const names[] = {"ours.db",     "ours.db-wal", "ours.db-shm", "ours.db-lock",
                                        "ours.db.key", "bare.db",     "bare.db-wal", "bare.db-shm"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[5000];
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

static void measure(const char *folder)
{
    double threads[ROUNDS];
    double loops[ROUNDS];
    double bares[ROUNDS];
    char path[5000];
    lg_store *store;
    lg_error err;
    snprintf(path, sizeof(path), "%s/ours.db", folder);
    if (lg_store_open(&(lg_store_options){.path = path}, &store, &err) != LG_OK) {
        fail(err.msg);
    }
    snprintf(path, sizeof(path), "%s/bare.db", folder);
    sqlite3 *db = open_bare(path);
    for (size_t i = 0; i < ROUNDS; i++) {
        loops[i] = with_loops(store);
        bares[i] = bare(db);
        threads[i] = with_threads(store);
        fprintf(stderr, "round %zu: loops %.0f, bare %.0f, threads %.0f a second\n", i + 1,
                loops[i], bares[i], threads[i]);
    }
    lg_store_counts counts = lg_store_counts_of(store);
    double of_loops = median_ratio(loops, bares);
    double of_threads = median_ratio(threads, bares);
    printf("durable decisions a second, %d waiting, %d bytes each\n", CONNECTIONS, BODY_BYTES);
    printf("  %-34s %8.0f\n", "bare SQLite, FULL, batches of 64", median(bares));
    printf("  %-34s %8.0f  %.2f of bare\n", "the log, 64 in two loops", median(loops), of_loops);
    printf("  %-34s %8.0f  %.2f of bare\n", "the log, 64 threads", median(threads), of_threads);
    printf("  %.1f records a commit, %.0f us a commit\n",
           (double)counts.records / (double)counts.commits,
           (double)counts.commit_ns / (double)counts.commits / 1000);
    lg_store_close(store);
    sqlite3_close(db);
}

int main(int argc, char **argv)
{
    char folder[4096];
    snprintf(folder, sizeof(folder), "%s/bench-store-XXXXXX", argc > 1 ? argv[1] : ".");
    seconds_each = argc > 2 ? strtod(argv[2], NULL) : seconds_each;
    memset(body, 'x', sizeof(body));
    if (!mkdtemp(folder)) {
        fail("the folder cannot be made");
    }
    measure(folder);
    remove_all(folder);
    return 0;
}
