// store.c: opening and closing, and the queue into which records are handed.
//
// All that can be done beside the writer is done by whoever appends: copying, salting and digesting payloads. What is
// left for the one thread is to number, link and write.
#define _GNU_SOURCE // locks of an open file
#include "base/alloc.h"
#include "base/clock.h"
#include "store/store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RECORD_BYTES ((size_t)16 << 20)
#define QUEUE_RECORDS ((size_t)1 << 16)
#define QUEUE_BYTES ((size_t)256 << 20)
#define BUSY_MS 2000u
#define REDACT_AT_ONCE 1000u
#define WIPE_PAUSE_NS 5000000 // between looks whether a reader has ended

// --- Files --------------------------------------------------------------------------------------

static char *with_ending(const char *path, const char *ending)
{
    size_t size = strlen(path) + strlen(ending) + 1;
    char *name = lg_alloc(size);
    if (name) {
        (void)snprintf(name, size, "%s%s", path, ending);
    }
    return name;
}

// One process writes. A lock of its own beside the database: SQLite's are let go between transactions. It belongs to the open
// file, so that it ends with the process, and no other descriptor's end takes it away.
static lg_status take_lock(lg_store *store, bool beside, lg_error *reterr)
{
    char *path = with_ending(store->path, "-lock");
    if (!path) {
        return lg_fail_oom(reterr);
    }
    lg_status status = LG_OK;
    store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (store->lock < 0) {
        status = lg_fail(reterr, LG_ERR_IO, "%s: it cannot be made: %s", path, strerror(errno));
    } else if (!beside && !turn_be_writer(store)) {
        status = lg_fail(reterr, LG_ERR_IO, "%s: another process writes to this log; end it first",
                         store->path);
    }
    lg_free(path);
    if (status == LG_OK && !turn_take(store, store->busy_ms)) {
        status = lg_fail(reterr, LG_ERR_BUSY,
                         "%s: another process has held the log for more than %u ms; try again",
                         store->path, store->busy_ms);
    }
    return status;
}

// What lies beside it is found by its own name, whatever links led to it: there is one lock.
static lg_status take_real_path(lg_store *store, lg_error *reterr)
{
    char real[PATH_MAX];
    char *name = realpath(store->path, real) ? with_ending(real, "") : NULL;
    int error = errno;
    if (!name) {
        return error == ENOMEM ? lg_fail_oom(reterr)
                               : lg_fail(reterr, LG_ERR_IO, "%s: its path cannot be followed: %s",
                                         store->path, strerror(error));
    }
    lg_free(store->path);
    store->path = name;
    return LG_OK;
}

// It may hold what people have said: for its owner alone. SQLite gives what it makes beside it the same mode.
static lg_status make_file(lg_store *store, lg_error *reterr)
{
    struct stat info;
    int fd = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0) {
        return lg_fail(reterr, LG_ERR_IO, "%s: the log cannot be opened for writing: %s",
                       store->path, strerror(errno));
    }
    bool fine = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    (void)close(fd);
    if (!fine) {
        return lg_fail(reterr, LG_ERR_IO, "%s: the log is no file", store->path);
    }
    if (info.st_nlink > 1) {
        return lg_fail(
            reterr, LG_ERR_IO,
            "%s: the log has a second name (a hard link), by which another process could "
            "write to it: remove that",
            store->path);
    }
    store->device = (uint64_t)info.st_dev;
    store->inode = (uint64_t)info.st_ino;
    return take_real_path(store, reterr);
}

// --- Opening ------------------------------------------------------------------------------------

static int note_wal(void *of, sqlite3 *handle, const char *name, int pages)
{
    lg_store *store = of;
    (void)handle;
    (void)name;
    store->wal_pages = pages > 0 ? (unsigned)pages : 0;
    return SQLITE_OK;
}

static lg_status make_log(lg_store *store, lg_error *reterr)
{
    lg_status status = db_run_plain(&store->db, DB_BEGIN, reterr);
    if (status == LG_OK) {
        status = db_make_tables(&store->db, reterr);
    }
    if (status == LG_OK) {
        status = head_make(&store->db, &store->secrets, reterr);
    }
    return status == LG_OK ? db_run_plain(&store->db, DB_COMMIT, reterr) : status;
}

static lg_status read_marks_out(lg_store *store, lg_error *reterr)
{
    sqlite3_stmt *statement = db_prepare(&store->db, DB_ANY_KEPT_OUT, reterr);
    if (!statement) {
        return LG_ERR_IO;
    }
    bool read = sqlite3_step(statement) == SQLITE_ROW;
    store->has_marks_out = read && sqlite3_column_int(statement, 0) != 0;
    lg_status status = read ? LG_OK : db_fail(&store->db, "it cannot be read", reterr);
    (void)sqlite3_reset(statement);
    return status;
}

// What is appended is linked to what the head says: it has to be ours, and true.
lg_status store_read_end(lg_store *store, lg_error *reterr)
{
    lg_log_head head;
    lg_status status = head_read(&store->db, &head, reterr);
    if (status != LG_OK) {
        return status;
    }
    if (memcmp(head.public_key, lg_sign_public(&store->secrets.sign), LG_SIGN_KEY_BYTES) != 0) {
        return lg_fail(reterr, LG_ERR_FORMAT, "%s: the log was begun with another key file",
                       store->path);
    }
    if (!head_is_signed(&head) || !head_is_last(&store->db, &head)) {
        return lg_fail(reterr, LG_ERR_FORMAT,
                       "%s: the end of the log is not what was signed: see `ledgergate log verify`",
                       store->path);
    }
    store->sequence = head.sequence;
    store->chain = head.chain;
    memcpy(store->log_id, head.log_id, LOG_ID_BYTES);
    return read_marks_out(store, reterr);
}

// What an earlier process has left in the write-ahead log is moved to the database before anything is added: if its
// last sync had failed, what is read there may not be on the disk, and what is added behind it would be lost with it.
static lg_status settle_wal(lg_store *store, lg_error *reterr)
{
    store->empty_wal = true;
    return store_checkpoint(store, STORE_ALL, reterr);
}

static lg_status open_log(lg_store *store, const lg_store_options *options, lg_error *reterr)
{
    bool is_new = false;
    db_options opening = {
        .path = store->path, .io = options->io, .write = true, .busy_ms = store->busy_ms};
    lg_status status = db_open(&opening, &store->db, reterr);
    if (status == LG_OK) {
        (void)sqlite3_wal_hook(store->db.handle, note_wal, store);
        status = db_is_new(&store->db, &is_new, reterr);
    }
    if (status == LG_OK) {
        char *key_path = options->key_path ? with_ending(options->key_path, "")
                                           : with_ending(store->path, ".key");
        status = key_path ? store_load_secrets(key_path, is_new, &store->secrets, reterr)
                          : lg_fail_oom(reterr);
        lg_free(key_path);
    }
    if (status == LG_OK && is_new) {
        status = make_log(store, reterr);
    }
    if (status == LG_OK) {
        status = db_check_tables(&store->db, reterr);
    }
    if (status == LG_OK) {
        status = store_read_end(store, reterr);
    }
    return status == LG_OK ? settle_wal(store, reterr) : status;
}

// Signals are the host's: none is delivered to a thread that it does not know.
static lg_status begin_thread(lg_store *store, lg_error *reterr)
{
    sigset_t all;
    sigset_t before;
    pthread_condattr_t steady;
    (void)pthread_mutex_init(&store->mutex, NULL);
    (void)pthread_condattr_init(&steady);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&store->work, &steady);
    (void)pthread_cond_init(&store->settled_some, &steady);
    (void)pthread_condattr_destroy(&steady);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&store->thread, NULL, store_write, store);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code == 0 ? LG_OK
                     : lg_fail(reterr, LG_ERR_ENVIRONMENT, "the log's thread cannot be started: %s",
                               strerror(code));
}

static void end_thread(lg_store *store)
{
    (void)pthread_cond_destroy(&store->settled_some);
    (void)pthread_cond_destroy(&store->work);
    (void)pthread_mutex_destroy(&store->mutex);
}

// Closing may move the write-ahead log to the database: if it is not our turn, whoever has it does so later.
static void forget(lg_store *store, bool fine)
{
    bool may_move = fine && (store->has_turn || turn_take(store, store->busy_ms));
    if (store->db.handle) {
        db_close(&store->db, may_move);
    }
    if (store->lock >= 0) {
        (void)close(store->lock);
    }
    lg_forget(&store->secrets, sizeof(store->secrets));
    lg_free(store->path);
    lg_free(store);
}

static lg_store *new_store(const lg_store_options *options)
{
    lg_store *store = lg_zalloc(sizeof(*store));
    if (!store) {
        return NULL;
    }
    store->lock = -1;
    store->end = &store->first;
    store->next_ticket = 1;
    store->wake_at = 1;
    store->record_bytes = options->record_bytes ? options->record_bytes : RECORD_BYTES;
    store->queue_records = options->queue_records ? options->queue_records : QUEUE_RECORDS;
    store->queue_bytes = options->queue_bytes ? options->queue_bytes : QUEUE_BYTES;
    store->busy_ms = options->busy_ms ? options->busy_ms : BUSY_MS;
    store->path = with_ending(options->path, "");
    if (!store->path) {
        lg_free(store);
        return NULL;
    }
    return store;
}

lg_status lg_store_open(const lg_store_options *options, lg_store **ret_store, lg_error *reterr)
{
    lg_error why = {.status = LG_OK};
    if (!options->path || !options->path[0]) {
        return lg_fail(reterr, LG_ERR_USAGE, "the log has no file name");
    }
    if (!lg_sign_begin()) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no random bytes");
    }
    lg_store *store = new_store(options);
    if (!store) {
        return lg_fail_oom(reterr);
    }
    lg_status status = make_file(store, &why);
    if (status == LG_OK) {
        status = take_lock(store, options->beside, &why);
    }
    if (status == LG_OK) {
        status = open_log(store, options, &why);
    }
    if (status == LG_OK) {
        turn_give(store);
        status = begin_thread(store, &why);
    }
    if (status != LG_OK) {
        forget(store, false);
        why.status = status;
        if (reterr) {
            *reterr = why;
        }
        return status;
    }
    *ret_store = store;
    return LG_OK;
}

lg_status lg_store_finish(lg_store *store, lg_error *reterr)
{
    if (!store->finished) {
        pthread_mutex_lock(&store->mutex);
        store->ending = true;
        (void)pthread_cond_signal(&store->work);
        pthread_mutex_unlock(&store->mutex);
        (void)pthread_join(store->thread, NULL);
        store->finished = true;
    }
    return lg_store_status(store, reterr);
}

void lg_store_close(lg_store *store)
{
    if (store) {
        bool fine = lg_store_finish(store, NULL) == LG_OK;
        end_thread(store);
        forget(store, fine);
    }
}

// --- Handing over -------------------------------------------------------------------------------

static lg_status check_item(const lg_store *store, const lg_store_item *item, int64_t *ret_time_us,
                            lg_error *reterr)
{
    if (!store_is_kind(item->kind) || item->key.len > LG_STORE_KEY_BYTES_MAX ||
        item->mark.len > LG_STORE_KEY_BYTES_MAX) {
        return lg_fail(reterr, LG_ERR_USAGE, "a record's kind, key or mark is not as it may be");
    }
    if (!store_time_us(item->time, ret_time_us)) {
        return lg_fail(reterr, LG_ERR_USAGE, "a record's time is not within the years 1 to 9999");
    }
    if (item->body.len > store->record_bytes) {
        return lg_fail(reterr, LG_ERR_LIMIT,
                       "a record of %zu bytes is larger than the log may hold (%zu)",
                       item->body.len, store->record_bytes);
    }
    return LG_OK;
}

static lg_str copy_to(char **at, lg_str text)
{
    lg_str copy = {*at, text.len};
    lg_copy_bytes(*at, text.ptr, text.len);
    *at += text.len;
    return copy;
}

// All of an entry at once, as far as they fit: each draw is a call of the system.
static void salt_all(store_entry *entry)
{
    unsigned char drawn[32 * SALT_BYTES];
    size_t left = 0;
    for (size_t i = 0; i < entry->count; i++) {
        if (left == 0) {
            size_t wanted = (entry->count - i) * SALT_BYTES;
            left = wanted < sizeof(drawn) ? wanted : sizeof(drawn);
            lg_random(drawn, left);
        }
        left -= SALT_BYTES;
        lg_copy_bytes(entry->items[i].salt, drawn + left, SALT_BYTES);
    }
}

static lg_status new_entry(const lg_store *store, const lg_store_item *items, size_t count,
                           store_entry **ret, lg_error *reterr)
{
    size_t bytes = 0;
    int64_t time_us = 0;
    for (size_t i = 0; i < count; i++) {
        lg_status status = check_item(store, &items[i], &time_us, reterr);
        if (status != LG_OK) {
            return status;
        }
        bytes += items[i].kind.len + items[i].key.len + items[i].mark.len + items[i].body.len;
    }
    size_t head = sizeof(store_entry) + count * sizeof(store_item);
    store_entry *entry = lg_alloc(head + bytes);
    if (!entry) {
        return lg_fail_oom(reterr);
    }
    *entry = (store_entry){.count = count, .size_bytes = head + bytes};
    salt_all(entry);
    char *at = (char *)entry + head;
    for (size_t i = 0; i < count; i++) {
        store_item *item = &entry->items[i];
        (void)store_time_us(items[i].time, &item->time_us);
        item->kind = copy_to(&at, items[i].kind);
        item->key = copy_to(&at, items[i].key);
        item->mark = copy_to(&at, items[i].mark);
        item->body = copy_to(&at, items[i].body);
        store_payload_digest(item->salt, item->key, item->body, &item->payload);
    }
    *ret = entry;
    return LG_OK;
}

// With the mutex held.
static lg_status may_enter(const lg_store *store, const store_entry *entry, lg_error *reterr)
{
    if (store->failed) {
        if (reterr) {
            *reterr = store->why;
        }
        return store->why.status;
    }
    if (entry->size_bytes > store->queue_bytes || entry->count > store->queue_records) {
        return lg_fail(reterr, LG_ERR_LIMIT,
                       "%zu records of %zu bytes are more than may wait at all", entry->count,
                       entry->size_bytes);
    }
    if (store->waiting_records + entry->count > store->queue_records ||
        store->waiting_bytes + entry->size_bytes > store->queue_bytes) {
        return lg_fail(reterr, LG_ERR_BUSY,
                       "the log is behind: %zu records wait to be written; try again later",
                       store->waiting_records);
    }
    return LG_OK;
}

// Takes the entry over, or frees it.
static lg_status enter(lg_store *store, store_entry *entry, uint64_t *ret_ticket, lg_error *reterr)
{
    pthread_mutex_lock(&store->mutex);
    lg_status status = may_enter(store, entry, reterr);
    if (status == LG_OK) {
        entry->ticket = store->next_ticket++;
        if (ret_ticket) {
            *ret_ticket = entry->ticket;
        }
        store->waiting_records += entry->count;
        store->waiting_bytes += entry->size_bytes;
        store->entries++;
        store->urgent += !entry->patient;
        atomic_store_explicit(&store->waiting, store->waiting_records, memory_order_relaxed);
        *store->end = entry;
        store->end = &entry->next;
        if (entry->patient ? store->asleep : store->urgent == store->wake_at) {
            (void)pthread_cond_signal(&store->work);
        }
    }
    pthread_mutex_unlock(&store->mutex);
    if (status != LG_OK) {
        lg_free(entry);
    }
    return status;
}

static lg_status append(lg_store *store, const lg_store_item *items, const store_entry *as,
                        uint64_t *ret_ticket, lg_error *reterr)
{
    store_entry *entry = NULL;
    lg_status status = new_entry(store, items, as->count, &entry, reterr);
    if (status != LG_OK) {
        return status;
    }
    entry->done = as->done;
    entry->context = as->context;
    entry->patient = as->patient;
    size_t bytes = entry->size_bytes - sizeof(*entry) - as->count * sizeof(store_item);
    status = enter(store, entry, ret_ticket, reterr);
    if (status == LG_OK) {
        atomic_fetch_add_explicit(&store->bytes, bytes, memory_order_relaxed);
    }
    return status;
}

lg_status lg_store_append(lg_store *store, const lg_store_item *items, size_t count,
                          lg_store_done done, void *context, uint64_t *ret_ticket, lg_error *reterr)
{
    store_entry as = {.count = count, .done = done, .context = context};
    return append(store, items, &as, ret_ticket, reterr);
}

lg_status lg_store_append_later(lg_store *store, const lg_store_item *items, size_t count,
                                lg_error *reterr)
{
    store_entry as = {.count = count, .patient = true};
    return append(store, items, &as, NULL, reterr);
}

// With the mutex held.
static bool was_put_off(const lg_store *store, uint64_t ticket)
{
    bool was = false;
    for (size_t i = 0; i < store->put_off_count && !was; i++) {
        was = ticket >= store->put_off[i].from && ticket <= store->put_off[i].to;
    }
    return was;
}

lg_status lg_store_wait(lg_store *store, uint64_t ticket, lg_error *reterr)
{
    lg_status status = LG_OK;
    pthread_mutex_lock(&store->mutex);
    store->waiters++;
    while (lg_store_settled(store) < ticket && !store->over) {
        (void)pthread_cond_wait(&store->settled_some, &store->mutex);
    }
    store->waiters--;
    if (was_put_off(store, ticket)) {
        status =
            lg_fail(reterr, LG_ERR_BUSY,
                    "%s: the log could not be written to (locked, or no room), so this was not",
                    store->path);
    } else if (lg_store_settled(store) < ticket) {
        status = store->why.status;
        if (reterr) {
            *reterr = store->why;
        }
    }
    pthread_mutex_unlock(&store->mutex);
    return status;
}

static lg_status take_out(lg_store *store, store_redaction *redaction, lg_error *reterr)
{
    uint64_t ticket = 0;
    store_entry *entry = NULL;
    lg_status status = new_entry(store, NULL, 0, &entry, reterr);
    if (status != LG_OK) {
        return status;
    }
    entry->redaction = redaction;
    status = enter(store, entry, &ticket, reterr);
    return status == LG_OK ? lg_store_wait(store, ticket, reterr) : status;
}

// Whoever waits for the log meanwhile waits for one portion.
static lg_status take_out_all(lg_store *store, const store_redaction *all, bool *ret_wiped,
                              size_t *ret_count, lg_error *reterr)
{
    const lg_store_redaction *asked = all->asked;
    lg_status status = LG_OK;
    size_t i = 0;
    do { // of nothing, too
        lg_store_redaction some = *asked;
        store_redaction portion = {.asked = &some, .time_us = all->time_us};
        some.sequences = asked->count ? asked->sequences + i : NULL;
        some.marks = asked->marks ? asked->marks + i : NULL;
        some.count = asked->count - i < REDACT_AT_ONCE ? asked->count - i : REDACT_AT_ONCE;
        status = take_out(store, &portion, reterr);
        *ret_count += status == LG_OK ? portion.done : 0;
        *ret_wiped = portion.wiped;
        i += REDACT_AT_ONCE;
    } while (i < asked->count && status == LG_OK);
    return status;
}

lg_status lg_store_redact(lg_store *store, const lg_store_redaction *asked, size_t *ret_count,
                          lg_error *reterr)
{
    static const lg_store_redaction nothing;
    store_redaction redaction = {.asked = asked};
    *ret_count = 0;
    if (!store_time_us(asked->now, &redaction.time_us)) {
        return lg_fail(reterr, LG_ERR_USAGE, "the time is not within the years 1 to 9999");
    }
    lg_status status = take_out_all(store, &redaction, &redaction.wiped, ret_count, reterr);
    int64_t until_ns = lg_monotonic_ns() + (int64_t)store->busy_ms * 1000000;
    while (status == LG_OK && !redaction.wiped && lg_monotonic_ns() < until_ns) {
        struct timespec pause = {0, WIPE_PAUSE_NS};
        (void)nanosleep(&pause, NULL);
        redaction.asked = &nothing;
        status = take_out(store, &redaction, reterr);
    }
    if (status == LG_OK && !redaction.wiped) {
        status = lg_fail(reterr, LG_ERR_BUSY,
                         "%s: they are taken out, but somebody has been reading the log for more "
                         "than %u ms, and until then what they said stays in its files: end the "
                         "reader and do this again",
                         store->path, store->busy_ms);
    }
    return status;
}

// --- Asking -------------------------------------------------------------------------------------

uint64_t lg_store_settled(const lg_store *store)
{
    return atomic_load_explicit(&store->settled, memory_order_acquire);
}

lg_status lg_store_status(lg_store *store, lg_error *reterr)
{
    pthread_mutex_lock(&store->mutex);
    lg_status status = store->failed ? store->why.status : LG_OK;
    if (store->failed && reterr) {
        *reterr = store->why;
    }
    pthread_mutex_unlock(&store->mutex);
    return status;
}

lg_store_counts lg_store_counts_of(const lg_store *store)
{
    return (lg_store_counts){
        .commits = atomic_load_explicit(&store->commits, memory_order_relaxed),
        .records = atomic_load_explicit(&store->records, memory_order_relaxed),
        .bytes = atomic_load_explicit(&store->bytes, memory_order_relaxed),
        .commit_ns = atomic_load_explicit(&store->commit_ns, memory_order_relaxed),
        .waiting = atomic_load_explicit(&store->waiting, memory_order_relaxed),
    };
}

lg_str lg_store_secret(const lg_store *store)
{
    return (lg_str){(const char *)store->secrets.secret, sizeof(store->secrets.secret)};
}
