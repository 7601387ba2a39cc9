// writer.c: the thread that writes: takes all that waits, commits it, tells everyone.
//
// Whoever waits for a commit comes back with the next record a moment after it. A writer that takes the first of them
// at once commits few, while the others wait for a whole commit more: 64 that wait would be served in turns of 1 and 63.
// So it lingers a little, as long as fewer wait than it has just served. What is lost, if they do not come, is an
// eighth of a commit.
#define _DEFAULT_SOURCE // pthread_cond_timedwait with the clock of lg_clock_steady_ns()
#include "base/alloc.h"
#include "base/clock.h"
#include "store/store_internal.h"

#include <time.h>

#define LINGER_NS_MAX 500000u
#define ENTRIES_MAX 4096u // of one transaction

// --- Taking -------------------------------------------------------------------------------------

static uint64_t linger_ns(const lg_store *store)
{
    uint64_t commits = atomic_load_explicit(&store->commits, memory_order_relaxed);
    uint64_t each =
        commits ? atomic_load_explicit(&store->commit_ns, memory_order_relaxed) / commits : 0;
    return each / 8 < LINGER_NS_MAX ? each / 8 : LINGER_NS_MAX;
}

static void linger(lg_store *store)
{
    uint64_t until = lg_clock_steady_ns() + linger_ns(store);
    struct timespec end = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
    int code = 0;
    while (store->entries < store->wanted && !store->ending && code == 0) {
        code = pthread_cond_timedwait(&store->work, &store->mutex, &end);
    }
    store->wanted = 0;
}

// NULL: it is to end, and nothing waits any more. With the mutex held.
static store_entry *take_entries(lg_store *store)
{
    while (!store->first && !store->ending) {
        (void)pthread_cond_wait(&store->work, &store->mutex);
    }
    if (store->entries < store->wanted) {
        linger(store);
    }
    store_entry *taken = store->first;
    store_entry *last = taken;
    size_t count = taken ? 1 : 0;
    while (last && last->next && count < ENTRIES_MAX) {
        last = last->next;
        count++;
    }
    if (last) {
        store->first = last->next;
        store->end = store->first ? store->end : &store->first;
        last->next = NULL;
    }
    store->entries -= count;
    store->wanted = count;
    return taken;
}

// --- Telling ------------------------------------------------------------------------------------

static void forget_waiting(lg_store *store, const store_entry *entries)
{
    for (; entries; entries = entries->next) {
        store->waiting_records -= entries->count;
        store->waiting_bytes -= entries->size_bytes;
    }
    atomic_store_explicit(&store->waiting, store->waiting_records, memory_order_relaxed);
}

static void tell(store_entry *entries, lg_status status, const lg_error *why)
{
    while (entries) {
        store_entry *next = entries->next;
        lg_store_receipt receipt = {.status = status,
                                    .first = status == LG_OK ? entries->first : 0,
                                    .last = status == LG_OK ? entries->last : 0,
                                    .error = status == LG_OK ? NULL : why};
        if (entries->done) {
            entries->done(entries->context, &receipt);
        }
        lg_free(entries);
        entries = next;
    }
}

static uint64_t last_ticket(const store_entry *entries)
{
    while (entries->next) {
        entries = entries->next;
    }
    return entries->ticket;
}

static void settle(lg_store *store, store_entry *entries)
{
    uint64_t ticket = last_ticket(entries);
    pthread_mutex_lock(&store->mutex);
    forget_waiting(store, entries);
    atomic_store_explicit(&store->settled, ticket, memory_order_release);
    if (store->waiters) {
        (void)pthread_cond_broadcast(&store->settled_some);
    }
    pthread_mutex_unlock(&store->mutex);
    tell(entries, LG_OK, NULL);
}

// Nothing is written any more. What waited is told so, in its order; what comes is refused at the door.
static void fail_all(lg_store *store, store_entry *entries, const lg_error *why)
{
    pthread_mutex_lock(&store->mutex);
    store->failed = true;
    store->why = *why;
    store_entry *waiting = store->first;
    store->first = NULL;
    store->end = &store->first;
    store->entries = 0;
    forget_waiting(store, entries);
    forget_waiting(store, waiting);
    (void)pthread_cond_broadcast(&store->settled_some);
    pthread_mutex_unlock(&store->mutex);
    tell(entries, why->status, why);
    tell(waiting, why->status, why);
}

// --- The thread ---------------------------------------------------------------------------------

static store_entry *next_entries(lg_store *store)
{
    pthread_mutex_lock(&store->mutex);
    store_entry *entries = take_entries(store);
    pthread_mutex_unlock(&store->mutex);
    return entries;
}

void *store_write(void *of)
{
    lg_store *store = of;
    lg_error why = {.status = LG_OK};
    for (;;) {
        store_entry *entries = next_entries(store);
        if (!entries) {
            return NULL;
        }
        lg_status status = store_commit(store, entries, &why);
        if (status == LG_OK) {
            settle(store, entries);
            entries = NULL;
            status = store_checkpoint(store, false, &why);
        }
        if (status != LG_OK) {
            why.status = status;
            fail_all(store, entries, &why);
            return NULL;
        }
    }
}
