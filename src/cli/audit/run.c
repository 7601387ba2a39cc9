// run.c: all files, with several threads, and their results in the order of the files.
#include "base/alloc.h"
#include "cli/audit/audit.h"

#include <pthread.h>

#define AHEAD_MAX 16u // batches that wait for those before them: what bounds the memory

typedef struct audit_pool {
    const audit_options *options;
    cli_files *files;
    audit_batch ring[AHEAD_MAX]; // of file i: ring[i % AHEAD_MAX]
    size_t next;                 // file to be taken
    size_t taken;                // files that the sink has taken
    bool failed;                 // a thread has no memory for its audit
    pthread_mutex_t lock;
    pthread_cond_t changed;
} audit_pool;

// The number of the next file, once there is room for what comes of it; SIZE_MAX: there is none.
static size_t take_next(audit_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->next < pool->files->count && pool->next >= pool->taken + AHEAD_MAX) {
        pthread_cond_wait(&pool->changed, &pool->lock);
    }
    size_t ret = pool->next < pool->files->count && !pool->failed ? pool->next++ : SIZE_MAX;
    pthread_mutex_unlock(&pool->lock);
    return ret;
}

static void tell_done(audit_pool *pool, audit_batch *batch, bool failed)
{
    pthread_mutex_lock(&pool->lock);
    if (batch) {
        batch->done = true;
    }
    pool->failed = pool->failed || failed;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

static void *work(void *context)
{
    audit_pool *pool = context;
    audit_worker worker;
    if (!audit_worker_init(&worker, pool->options)) {
        tell_done(pool, NULL, true);
        return NULL;
    }
    for (size_t i; (i = take_next(pool)) != SIZE_MAX;) {
        audit_batch *batch = &pool->ring[i % AHEAD_MAX];
        audit_file(&worker, pool->files->paths[i], batch);
        tell_done(pool, batch, false);
    }
    audit_worker_done(&worker);
    return NULL;
}

static void note_unread(cli_files *files, size_t i, const audit_batch *batch)
{
    if (batch->status == LG_ERR_FORMAT) {
        cli_files_leave_out(files, i, &batch->error);
    } else if (batch->status != LG_OK) {
        cli_files_break(files, i, &batch->error, LG_STR(""));
    }
}

// Hands file after file to the sink. False: a thread had no memory.
static bool drain(audit_pool *pool, audit_sink *sink)
{
    for (size_t i = 0; i < pool->files->count; i++) {
        audit_batch *batch = &pool->ring[i % AHEAD_MAX];
        pthread_mutex_lock(&pool->lock);
        while (!batch->done && !pool->failed) {
            pthread_cond_wait(&pool->changed, &pool->lock);
        }
        bool failed = pool->failed;
        pthread_mutex_unlock(&pool->lock);
        if (failed) {
            return false;
        }
        cli_progress("auditing file", i + 1, pool->files->count);
        note_unread(pool->files, i, batch);
        audit_sink_take(sink, batch);
        pthread_mutex_lock(&pool->lock);
        audit_batch_done(batch);
        audit_batch_init(batch);
        pool->taken++;
        pthread_cond_broadcast(&pool->changed);
        pthread_mutex_unlock(&pool->lock);
    }
    return true;
}

static size_t start(audit_pool *pool, pthread_t *threads)
{
    size_t wanted =
        pool->options->jobs < pool->files->count ? pool->options->jobs : pool->files->count;
    size_t count = 0;
    while (count < wanted && pthread_create(&threads[count], NULL, work, pool) == 0) {
        count++;
    }
    return count;
}

int audit_run_files(const audit_options *options, cli_files *files, audit_sink *sink)
{
    audit_pool pool = {.options = options, .files = files};
    pthread_t threads[AUDIT_JOBS_MAX];
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.changed, NULL);
    for (size_t i = 0; i < AHEAD_MAX; i++) {
        audit_batch_init(&pool.ring[i]);
    }
    size_t count = start(&pool, threads);
    bool fine = files->count == 0 || (count > 0 && drain(&pool, sink));
    tell_done(&pool, NULL, !fine);
    for (size_t i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    for (size_t i = 0; i < AHEAD_MAX; i++) {
        audit_batch_done(&pool.ring[i]);
    }
    pthread_cond_destroy(&pool.changed);
    pthread_mutex_destroy(&pool.lock);
    cli_progress("", 0, 0);
    cli_files_end(files);
    if (!fine) {
        cli_say("ledgergate audit: out of memory");
        return EXIT_INTERNAL;
    }
    return EXIT_FINE;
}
