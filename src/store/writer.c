// writer.c: the thread that writes: takes what waits, puts it into a transaction, commits it, tells everyone.
//
// Whoever waits for a commit comes back with the next record a moment after it. A writer that commits the first of them
// at once commits few, while the others wait for a whole commit more: 64 that wait would be served in turns of 1 and 63.
// So what comes while records are put into the transaction goes with them; and as long as fewer came than were just
// served, it lingers a little. What is lost, if they do not come, is an eighth of a commit; where few wait, nothing is.
//
// What nobody waits for is no reason to commit at once: it goes with the next record that somebody waits for, or soon.
#define _DEFAULT_SOURCE // pthread_cond_timedwait with the clock of lg_monotonic_ns()
#include "base/alloc.h"
#include "base/clock.h"
#include "store/store_internal.h"

#include <time.h>

#define LINGER_NS_MAX 500000u
#define LINGER_FROM 4u        // of so many that wait
#define PATIENCE_NS 50000000u // of what is patient
#define ENTRIES_MAX 4096u     // of one transaction

// --- Taking -------------------------------------------------------------------------------------

static uint64_t linger_ns(const lg_store *store)
{
    uint64_t commits = atomic_load_explicit(&store->commits, memory_order_relaxed);
    uint64_t each =
        commits ? atomic_load_explicit(&store->commit_ns, memory_order_relaxed) / commits : 0;
    return each / 8 < LINGER_NS_MAX ? each / 8 : LINGER_NS_MAX;
}

// Until there are as many entries that somebody waits for, or the time is over. With the mutex held.
static void wait_for(lg_store *store, size_t entries, uint64_t ns)
{
    int64_t until_ns = lg_monotonic_ns() + (int64_t)ns;
    struct timespec end = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
    int code = 0;
    store->wake_at = entries;
    while (store->urgent < entries && !store->ending && code == 0) {
        code = pthread_cond_timedwait(&store->work, &store->mutex, &end);
    }
    store->wake_at = 1;
}

// What is being committed.
typedef struct batch {
    store_entry *first, **end;
    size_t count;
    size_t urgent; // of them
} batch;

// What the queue holds, behind what the batch has; returns the first of it, or NULL. With the mutex held.
static store_entry *move_entries(lg_store *store, batch *b)
{
    store_entry *taken = store->first;
    if (!taken) {
        return NULL;
    }
    *b->end = taken;
    b->end = store->end;
    b->count += store->entries;
    b->urgent += store->urgent;
    store->first = NULL;
    store->end = &store->first;
    store->entries = 0;
    store->urgent = 0;
    return taken;
}

// Whatever comes first. With the mutex held.
static void sleep_until_some(lg_store *store)
{
    store->asleep = true;
    while (!store->first && !store->ending) {
        (void)pthread_cond_wait(&store->work, &store->mutex);
    }
    store->asleep = false;
    wait_for(store, 1, PATIENCE_NS);
}

// Begins a batch, which is empty if all is to end, and nothing waits any more.
static lg_status take_first(lg_store *store, batch *b, lg_error *reterr)
{
    lg_status status = LG_OK;
    pthread_mutex_lock(&store->mutex);
    wait_for(store, 1, PATIENCE_NS); // what is patient follows soon on what somebody has waited for
    if (!store->first && !store->ending) {
        pthread_mutex_unlock(&store->mutex);
        status = store_checkpoint(store, STORE_SOME, reterr);
        pthread_mutex_lock(&store->mutex);
        if (status == LG_OK) {
            sleep_until_some(store);
        }
    }
    (void)move_entries(store, b);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

// What has come meanwhile, or comes soon. NULL: it is time to commit.
static store_entry *take_more(lg_store *store, batch *b, bool *lingered)
{
    if (b->count >= ENTRIES_MAX) {
        return NULL;
    }
    pthread_mutex_lock(&store->mutex);
    if (!store->urgent && b->urgent < store->wanted && store->wanted >= LINGER_FROM && !*lingered) {
        *lingered = true;
        wait_for(store, store->wanted - b->urgent, linger_ns(store));
    }
    store_entry *taken = move_entries(store, b);
    pthread_mutex_unlock(&store->mutex);
    return taken;
}

// --- Telling ------------------------------------------------------------------------------------

typedef struct waiting_sum {
    size_t records, bytes;
    uint64_t ticket; // the last
} waiting_sum;

static waiting_sum sum_of(const store_entry *entries)
{
    waiting_sum sum = {0};
    for (; entries; entries = entries->next) {
        sum.records += entries->count;
        sum.bytes += entries->size_bytes;
        sum.ticket = entries->ticket;
    }
    return sum;
}

// With the mutex held.
static void forget_waiting(lg_store *store, const waiting_sum *sum)
{
    store->waiting_records -= sum->records;
    store->waiting_bytes -= sum->bytes;
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

static void tell_settled(lg_store *store, const waiting_sum *sum)
{
    pthread_mutex_lock(&store->mutex);
    forget_waiting(store, sum);
    atomic_store_explicit(&store->settled, sum->ticket, memory_order_release);
    if (store->waiters) {
        (void)pthread_cond_broadcast(&store->settled_some);
    }
    pthread_mutex_unlock(&store->mutex);
}

// Who is called is called first: then whoever waits for a ticket finds that done, too.
static void settle(lg_store *store, store_entry *entries)
{
    waiting_sum sum = sum_of(entries);
    tell(entries, LG_OK, NULL);
    tell_settled(store, &sum);
}

// For lg_store_wait(). Where there are too many, the two oldest become one: then what was written between them counts as
// put off as well, and never the other way round. With the mutex held.
static void note_put_off(lg_store *store, uint64_t from, uint64_t to)
{
    store_tickets *all = store->put_off;
    size_t last = store->put_off_count - 1;
    if (store->put_off_count && all[last].to + 1 == from) {
        all[last].to = to;
        return;
    }
    if (store->put_off_count == STORE_PUT_OFF_MAX) {
        all[0].to = all[1].to;
        memmove(&all[1], &all[2], (STORE_PUT_OFF_MAX - 2) * sizeof(*all));
        store->put_off_count--;
    }
    all[store->put_off_count++] = (store_tickets){from, to};
}

// What is patient goes back into the queue, which is empty. With the mutex held.
static void keep_patient(lg_store *store, batch *b)
{
    for (store_entry **at = &b->first; *at;) {
        store_entry *one = *at;
        if (!one->patient) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        one->next = NULL;
        *store->end = one;
        store->end = &one->next;
        store->entries++;
    }
}

// Nothing of the batch was written, and the log is as it was. Whoever waits has waited, and is told; what is patient stays,
// and is tried again with what comes, or soon. False: there is no
// later.
static bool put_off(lg_store *store, batch *b, const lg_error *why)
{
    pthread_mutex_lock(&store->mutex);
    (void)move_entries(store, b);
    uint64_t last = sum_of(b->first).ticket;
    note_put_off(store, b->first->ticket, last);
    keep_patient(store, b);
    waiting_sum sum = sum_of(b->first);
    sum.ticket = last;
    pthread_mutex_unlock(&store->mutex);
    tell(b->first, LG_ERR_BUSY, why);
    tell_settled(store, &sum);
    pthread_mutex_lock(&store->mutex);
    bool later = !store->first || !store->ending;
    pthread_mutex_unlock(&store->mutex);
    return later;
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
    store->urgent = 0;
    pthread_mutex_unlock(&store->mutex);
    tell(entries, why->status, why);
    tell(waiting, why->status, why);
    pthread_mutex_lock(&store->mutex);
    forget_waiting(store, &(waiting_sum){store->waiting_records, store->waiting_bytes, 0});
    store->over = true;
    (void)pthread_cond_broadcast(&store->settled_some);
    pthread_mutex_unlock(&store->mutex);
}

// --- The thread ---------------------------------------------------------------------------------

static lg_status write_batch(lg_store *store, batch *b, lg_error *reterr)
{
    bool lingered = false;
    lg_status status = store_begin(store, reterr);
    for (store_entry *some = b->first; some && status == LG_OK;
         some = status == LG_OK ? take_more(store, b, &lingered) : NULL) {
        status = store_put(store, some, reterr);
    }
    store->wanted = b->urgent;
    return store_commit(store, status, reterr);
}

static bool has_redaction(const store_entry *entries)
{
    while (entries && !entries->redaction) {
        entries = entries->next;
    }
    return entries != NULL;
}

// What was taken out is overwritten before anybody is told so; or it is known that it is not.
static lg_status settle_batch(lg_store *store, store_entry *entries, lg_error *reterr)
{
    lg_status status = LG_OK;
    bool redacts = has_redaction(entries);
    if (redacts) {
        status = store_checkpoint(store, STORE_MUCH, reterr);
    }
    for (store_entry *entry = entries; entry; entry = entry->next) {
        if (entry->redaction) {
            entry->redaction->wiped = status == LG_OK && !store->empty_wal;
        }
    }
    settle(store, entries);
    return redacts ? status : store_checkpoint(store, STORE_MUCH, reterr);
}

void *store_write(void *of)
{
    lg_store *store = of;
    lg_error why = {.status = LG_OK};
    for (;;) {
        batch b = {.end = &b.first};
        lg_status status = take_first(store, &b, &why);
        if (status == LG_OK && !b.first) {
            return NULL;
        }
        if (status == LG_OK) {
            status = write_batch(store, &b, &why);
        }
        if (status == LG_ERR_BUSY) {
            if (put_off(store, &b, &why)) {
                continue;
            }
            b.first = NULL;
        }
        if (status == LG_OK) {
            status = settle_batch(store, b.first, &why);
            b.first = NULL;
        }
        if (status != LG_OK) {
            why.status = status;
            fail_all(store, b.first, &why);
            return NULL;
        }
    }
}
