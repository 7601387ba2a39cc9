// test_faults.c: a disk that is full, a sync that fails, a database that somebody holds, replaces or writes into: the log
// fails closed, and what it has acknowledged is there when it is opened again.
#include "store/store.h"

#include "fault_disk.h"
#include "temp_folder.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const lg_time NOW = {1700000000, 0};

typedef struct desk {
    char folder[128];
    char path[256];
    lg_store *store;
    lg_error err;
    uint64_t acknowledged, refused, told;
} desk;

static lg_status open_store(desk *d, const char *io)
{
    return lg_store_open(&(lg_store_options){.path = d->path, .io = io, .busy_ms = 50}, &d->store,
                         &d->err);
}

static void begin(desk *d)
{
    *d = (desk){0};
    lg_temp_folder(d->folder);
    lg_temp_path(d->path, sizeof(d->path), d->folder, "log.db");
}

static void count(void *of, const lg_store_receipt *receipt)
{
    desk *d = of;
    d->told++;
    d->acknowledged += receipt->status == LG_OK;
    d->refused += receipt->status != LG_OK && receipt->error && receipt->error->msg[0];
}

static lg_status put(desk *d)
{
    static char body[3000];
    uint64_t ticket = 0;
    memset(body, 'x', sizeof(body));
    lg_store_item item = {.kind = LG_STR("event"), .time = NOW, .body = {body, sizeof(body)}};
    lg_status status = lg_store_append(d->store, &item, 1, count, d, &ticket, &d->err);
    return status == LG_OK ? lg_store_wait(d->store, ticket, &d->err) : status;
}

static void ignore_fault(void *context, const lg_log_fault *fault)
{
    (void)context;
    printf("    record %llu: %s\n", (unsigned long long)fault->sequence, fault->message);
}

// Opened as it is on the system's own files, it holds what was acknowledged and is whole, and goes on.
static void check_whole(desk *d)
{
    lg_log *log = NULL;
    lg_log_verdict verdict = {0};
    CHECK_MSG(open_store(d, NULL) == LG_OK, d->err.msg);
    CHECK(put(d) == LG_OK);
    lg_store_close(d->store);
    CHECK(lg_log_open(d->path, NULL, &log, &d->err) == LG_OK);
    CHECK(lg_log_verify(log, &(lg_log_trust){0}, ignore_fault, NULL, &verdict, &d->err) == LG_OK);
    CHECK(verdict.fault_count == 0 && verdict.records >= d->acknowledged);
    lg_log_close(log);
}

// --- The disk -----------------------------------------------------------------------------------

// The n-th write or sync fails, for n = 1, 2, 3, ...
static void sweep(bool syncs, int error, uint64_t step)
{
    size_t failed = 0;
    for (uint64_t n = 1; n < 120; n += step) {
        desk d;
        begin(&d);
        fault_disk *disk = fault_disk_begin(n);
        disk->write_error = error;
        *(syncs ? &disk->fail_sync : &disk->fail_write) = n;
        uint64_t accepted = 0;
        uint64_t told = 0;
        if (open_store(&d, "fault") != LG_OK) {
            CHECK(d.err.msg[0]);
        } else {
            bool closed = false; // once it has failed, it stays failed
            for (size_t i = 0; i < 25; i++) {
                lg_status status = put(&d);
                CHECK(!closed || status != LG_OK);
                accepted += status == LG_OK || d.told > told;
                CHECK(d.told - told <= 1);
                told = d.told;
                closed = closed || status != LG_OK;
            }
            failed += closed;
            lg_store_close(d.store);
        }
        CHECK(d.told == accepted && d.acknowledged + d.refused == d.told);
        (void)fault_disk_begin(1);
        check_whole(&d);
        lg_temp_remove(d.folder);
    }
    CHECK(failed > 5); // it has failed while it was written to, and not only while it was opened
}

static void a_full_disk_fails_closed(void)
{
    sweep(false, SQLITE_FULL, 7);
}

// Could it be written to just now?
static lg_status ask(desk *d)
{
    uint64_t ticket = 0;
    lg_status status = lg_store_append(d->store, NULL, 0, NULL, NULL, &ticket, &d->err);
    return status == LG_OK ? lg_store_wait(d->store, ticket, &d->err) : status;
}

// What had no room was not written, and is told so; with room again, the log goes on.
static void a_disk_may_have_room_again(void)
{
    for (uint64_t n = 1; n < 40; n += 3) {
        desk d;
        begin(&d);
        fault_disk *disk = fault_disk_begin(n);
        CHECK(open_store(&d, "fault") == LG_OK);
        disk->fail_write = n;
        lg_status status = LG_OK;
        for (size_t i = 0; i < 40 && status == LG_OK; i++) {
            status = put(&d);
        }
        CHECK(status != LG_OK);
        bool goes_on =
            lg_store_status(d.store, NULL) == LG_OK; // what failed may have been a checkpoint
        CHECK(!goes_on || ask(&d) == LG_ERR_BUSY);   // whether there is room now, a write tells
        disk->fail_write = 0;
        CHECK(!goes_on || ask(&d) == LG_OK);
        CHECK(goes_on == (status == LG_ERR_BUSY));
        CHECK(!goes_on || put(&d) == LG_OK);
        lg_store_close(d.store);
        (void)fault_disk_begin(1);
        check_whole(&d);
        lg_temp_remove(d.folder);
    }
}

// The write-ahead log is moved when nobody comes. What has no room in the database stays there, and the log goes on.
static void a_full_database_is_tried_again(void)
{
    desk d;
    begin(&d);
    fault_disk *disk = fault_disk_begin(1);
    CHECK(open_store(&d, "fault") == LG_OK);
    disk->full = "log.db";
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < 300; i++) {
            CHECK_MSG(put(&d) == LG_OK, d.err.msg);
        }
        const struct timespec pause = {.tv_nsec = 200 * 1000 * 1000}; // it begins after 50 ms
        (void)nanosleep(&pause, NULL);
    }
    CHECK_MSG(put(&d) == LG_OK, d.err.msg);
    CHECK(lg_store_status(d.store, &d.err) == LG_OK);
    disk->full = NULL;
    CHECK_MSG(put(&d) == LG_OK, d.err.msg);
    lg_store_close(d.store);
    (void)fault_disk_begin(1);
    check_whole(&d);
    lg_temp_remove(d.folder);
}

static void a_failing_write_fails_closed(void)
{
    sweep(false, SQLITE_IOERR_WRITE, 11);
}

static void a_failing_sync_fails_closed(void)
{
    sweep(true, 0, 3);
}

// --- Others -------------------------------------------------------------------------------------

// Another process, which locks the database and lets go when it is told so.
typedef struct locker {
    pid_t pid;
    int tell, hear;
} locker;

static void be_locker(const char *path, int hear, int tell)
{
    sqlite3 *other = NULL;
    char order;
    while (read(hear, &order, 1) == 1) {
        bool fine =
            other || sqlite3_open_v2(path, &other, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK;
        const char *sql = order == 'l' ? "BEGIN IMMEDIATE" : "ROLLBACK";
        fine = fine && sqlite3_exec(other, sql, NULL, NULL, NULL) == SQLITE_OK;
        (void)!write(tell, fine ? "+" : "-", 1);
    }
    _exit(0);
}

// Before any thread is started.
static locker begin_locker(const char *path)
{
    int orders[2];
    int answers[2];
    CHECK(pipe(orders) == 0 && pipe(answers) == 0);
    fflush(stdout);
    locker l = {fork(), orders[1], answers[0]};
    if (l.pid == 0) {
        close(orders[1]);
        close(answers[0]);
        be_locker(path, orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    return l;
}

static bool order(locker *l, const char *what)
{
    char answer = '-';
    return write(l->tell, what, 1) == 1 && read(l->hear, &answer, 1) == 1 && answer == '+';
}

static void end_locker(locker *l)
{
    close(l->tell);
    close(l->hear);
    CHECK(waitpid(l->pid, NULL, 0) == l->pid);
}

static uint64_t records_of(desk *d)
{
    lg_log *log = NULL;
    lg_log_head head = {0};
    CHECK(lg_log_open(d->path, NULL, &log, &d->err) == LG_OK);
    CHECK(lg_log_head_of(log, &head, &d->err) == LG_OK);
    lg_log_close(log);
    return head.sequence;
}

// What waits is refused, nothing of it is written, and the log goes on once it is let go.
static void a_locked_database_is_busy(void)
{
    desk d;
    begin(&d);
    locker other = begin_locker(d.path);
    CHECK(open_store(&d, NULL) == LG_OK && put(&d) == LG_OK);
    for (uint64_t i = 1; i <= 70; i++) { // more times than are remembered one by one
        CHECK(order(&other, "l"));
        CHECK(put(&d) == LG_ERR_BUSY && strstr(d.err.msg, "locked"));
        CHECK(i > 1 || put(&d) == LG_ERR_BUSY); // they follow each other
        CHECK(lg_store_status(d.store, &d.err) == LG_OK);
        CHECK(order(&other, "u"));
        CHECK_MSG(put(&d) == LG_OK, d.err.msg);
        CHECK(d.acknowledged == i + 1 && d.refused == i + 1);
    }
    CHECK(lg_store_wait(d.store, 2, &d.err) == LG_ERR_BUSY); // also when it is asked late
    CHECK(lg_store_wait(d.store, 1, &d.err) == LG_OK);
    CHECK(records_of(&d) == d.acknowledged);
    lg_store_close(d.store);
    end_locker(&other);
    check_whole(&d);
    lg_temp_remove(d.folder);
}

static lg_status put_later(desk *d)
{
    lg_store_item item = {.kind = LG_STR("outcome"), .time = NOW, .body = LG_STR("later")};
    return lg_store_append_later(d->store, &item, 1, &d->err);
}

// What nobody waits for is kept until it can be written, before what comes later; at the end it is said to be lost.
static void what_is_patient_waits(void)
{
    desk d;
    lg_error why;
    begin(&d);
    locker other = begin_locker(d.path);
    CHECK(open_store(&d, NULL) == LG_OK && put(&d) == LG_OK);
    CHECK(order(&other, "l"));
    CHECK(put_later(&d) == LG_OK && put(&d) == LG_ERR_BUSY && put_later(&d) == LG_OK);
    CHECK(put(&d) == LG_ERR_BUSY && records_of(&d) == 1);
    CHECK(order(&other, "u"));
    CHECK(put(&d) == LG_OK && records_of(&d) == 4);
    CHECK(lg_store_counts_of(d.store).waiting == 0);
    CHECK(order(&other, "l"));
    CHECK(put_later(&d) == LG_OK);
    CHECK(lg_store_finish(d.store, &why) == LG_ERR_BUSY && strstr(why.msg, "locked"));
    lg_store_close(d.store);
    CHECK(order(&other, "u"));
    end_locker(&other);
    CHECK(records_of(&d) == 4);
    check_whole(&d);
    lg_temp_remove(d.folder);
}

// What is written into a file that has no name any more is gone with the process: nobody is told that it is kept.
static void a_write_ahead_log_stays_where_it_is(void)
{
    desk d;
    char wal[300];
    begin(&d);
    CHECK(open_store(&d, NULL) == LG_OK && put(&d) == LG_OK);
    snprintf(wal, sizeof(wal), "%s-wal", d.path);
    CHECK(unlink(wal) == 0);
    CHECK(put(&d) == LG_ERR_IO && strstr(d.err.msg, "-wal"));
    CHECK(lg_store_status(d.store, NULL) == LG_ERR_IO && put(&d) == LG_ERR_IO);
    CHECK(d.acknowledged == 1);
    lg_store_close(d.store);
    lg_temp_remove(d.folder);
}

// Who lets go in time holds nobody up.
static void a_short_lock_is_waited_for(void)
{
    desk d;
    uint64_t ticket = 0;
    begin(&d);
    locker other = begin_locker(d.path);
    lg_store_options options = {.path = d.path, .busy_ms = 60000};
    lg_store_item item = {.kind = LG_STR("event"), .time = NOW, .body = LG_STR("x")};
    CHECK(lg_store_open(&options, &d.store, &d.err) == LG_OK);
    CHECK(order(&other, "l"));
    CHECK(lg_store_append(d.store, &item, 1, count, &d, &ticket, &d.err) == LG_OK);
    CHECK(order(&other, "u"));
    CHECK(lg_store_wait(d.store, ticket, &d.err) == LG_OK);
    CHECK(d.acknowledged == 1 && d.refused == 0);
    lg_store_close(d.store);
    end_locker(&other);
    check_whole(&d);
    lg_temp_remove(d.folder);
}

// A redaction that was not made says so.
static void a_redaction_may_be_put_off(void)
{
    desk d;
    size_t taken = 7;
    uint64_t one = 1;
    begin(&d);
    locker other = begin_locker(d.path);
    CHECK(open_store(&d, NULL) == LG_OK && put(&d) == LG_OK);
    CHECK(order(&other, "l"));
    CHECK(lg_store_redact(d.store,
                          &(lg_store_redaction){
                              .sequences = &one, .count = 1, .why = LG_STR("test"), .now = NOW},
                          &taken, &d.err) == LG_ERR_BUSY);
    CHECK(taken == 0);
    CHECK(order(&other, "u"));
    CHECK(lg_store_redact(d.store,
                          &(lg_store_redaction){
                              .sequences = &one, .count = 1, .why = LG_STR("test"), .now = NOW},
                          &taken, &d.err) == LG_OK);
    CHECK(taken == 1);
    lg_store_close(d.store);
    end_locker(&other);
    check_whole(&d);
    lg_temp_remove(d.folder);
}

static void a_database_that_was_replaced_fails_closed(void)
{
    desk d;
    char aside[300];
    begin(&d);
    CHECK(open_store(&d, NULL) == LG_OK && put(&d) == LG_OK);
    snprintf(aside, sizeof(aside), "%s.old", d.path);
    CHECK(rename(d.path, aside) == 0);
    CHECK(put(&d) == LG_ERR_IO && strstr(d.err.msg, "moved or replaced"));
    lg_store_close(d.store);
    CHECK(rename(aside, d.path) == 0);
    check_whole(&d);
    lg_temp_remove(d.folder);
}

// Somebody writes a record of his own, or changes one: the log is not continued.
static void a_database_that_was_written_into_is_not_opened(void)
{
    static const char *const changes[] = {
        "UPDATE head SET sequence = 1",
        "DELETE FROM record WHERE sequence = 2",
        "UPDATE record SET chain = zeroblob(32) WHERE sequence = 2",
        "INSERT INTO record SELECT 3, kind, time, payload, chain, salt, NULL, body FROM record "
        "WHERE "
        "sequence = 2",
        "UPDATE head SET signature = zeroblob(64)",
        "DELETE FROM head",
        "DELETE FROM meta WHERE name = 'format'",
        "UPDATE meta SET value = 'x' WHERE name = 'format'",
        "UPDATE meta SET value = zeroblob(32) WHERE name = 'public_key'",
        "CREATE TABLE more(x)",
        "CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM redacted; END",
        "DROP INDEX record_key",
    };
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        desk d;
        sqlite3 *other;
        begin(&d);
        CHECK(open_store(&d, NULL) == LG_OK && put(&d) == LG_OK && put(&d) == LG_OK);
        lg_store_close(d.store);
        CHECK(sqlite3_open_v2(d.path, &other, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK);
        CHECK_MSG(sqlite3_exec(other, changes[i], NULL, NULL, NULL) == SQLITE_OK, changes[i]);
        sqlite3_close(other);
        CHECK_MSG(open_store(&d, NULL) == LG_ERR_FORMAT && d.err.msg[0], changes[i]);
        lg_temp_remove(d.folder);
    }
}

static void what_is_no_log_is_not_opened(void)
{
    desk d;
    begin(&d);
    FILE *file = fopen(d.path, "wb");
    fputs("this is a text of a hundred bytes and more, which is no database, whatever it is "
          "called, and so it is left alone",
          file);
    fclose(file);
    CHECK(open_store(&d, NULL) == LG_ERR_FORMAT);
    lg_log *log;
    CHECK(lg_log_open(d.path, NULL, &log, &d.err) == LG_ERR_FORMAT);
    CHECK(unlink(d.path) == 0 && mkdir(d.path, 0700) == 0);
    CHECK(open_store(&d, NULL) == LG_ERR_IO &&
          lg_log_open(d.path, NULL, &log, &d.err) == LG_ERR_IO);
    CHECK(rmdir(d.path) == 0);
    CHECK(lg_log_open(d.path, NULL, &log, &d.err) == LG_ERR_IO);
    lg_temp_remove(d.folder);
}

// --- Memory -------------------------------------------------------------------------------------

static sqlite3_mem_methods plain_memory;
static _Atomic long left_to_fail; // allocations of SQLite until one fails; 0: none does

static bool fails_now(void)
{
    return left_to_fail > 0 && --left_to_fail == 0;
}

static void *starving_alloc(int size_bytes)
{
    return fails_now() ? NULL : plain_memory.xMalloc(size_bytes);
}

static void *starving_realloc(void *before, int size_bytes)
{
    return fails_now() ? NULL : plain_memory.xRealloc(before, size_bytes);
}

// Before SQLite is first used.
static void let_memory_fail(void)
{
    CHECK(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain_memory) == SQLITE_OK);
    sqlite3_mem_methods starving = plain_memory;
    starving.xMalloc = starving_alloc;
    starving.xRealloc = starving_realloc;
    CHECK(sqlite3_config(SQLITE_CONFIG_MALLOC, &starving) == SQLITE_OK);
    CHECK(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK); // or it hides them
}

// Whichever allocation of a transaction fails, the record is in the log or refused, and the next one finds a log that works.
static void memory_may_come_back(void)
{
    desk d;
    begin(&d);
    CHECK(lg_store_open(&(lg_store_options){.path = d.path}, &d.store, &d.err) == LG_OK);
    lg_store_item item = {.kind = LG_STR("event"), .time = NOW, .body = LG_STR("body")};
    uint64_t kept = 0, refused = 0;
    bool reached = true;
    for (long n = 1; reached && n < 2000; n++) {
        uint64_t ticket = 0;
        left_to_fail = n;
        lg_status status = lg_store_append(d.store, &item, 1, NULL, NULL, &ticket, &d.err);
        status = status == LG_OK ? lg_store_wait(d.store, ticket, &d.err) : status;
        reached = left_to_fail == 0;
        left_to_fail = 0;
        CHECK_MSG(status == LG_OK || status == LG_ERR_BUSY, d.err.msg);
        kept += status == LG_OK;
        refused += status != LG_OK;
        if (!CHECK_MSG(lg_store_status(d.store, &d.err) == LG_OK, d.err.msg)) {
            break;
        }
    }
    CHECK(!reached && refused > 3 && kept > 0);
    lg_store_close(d.store);
    lg_log *log;
    lg_log_verdict verdict;
    CHECK(lg_log_open(d.path, NULL, &log, &d.err) == LG_OK);
    CHECK(lg_log_verify(log, &(lg_log_trust){0}, ignore_fault, NULL, &verdict, &d.err) == LG_OK);
    CHECK(verdict.fault_count == 0 && verdict.records == kept);
    lg_log_close(log);
    lg_temp_remove(d.folder);
}

// --- Limits -------------------------------------------------------------------------------------

static void what_is_too_much_is_refused(void)
{
    desk d;
    begin(&d);
    lg_store_options options = {
        .path = d.path, .record_bytes = 100, .queue_records = 10, .queue_bytes = 100000};
    CHECK(lg_store_open(&options, &d.store, &d.err) == LG_OK);
    char body[101] = {0};
    uint64_t ticket = 0;
    lg_store_item item = {.kind = LG_STR("event"), .time = NOW, .body = {body, 100}};
    CHECK(lg_store_append(d.store, &item, 1, NULL, NULL, &ticket, &d.err) == LG_OK);
    CHECK(lg_store_wait(d.store, ticket, &d.err) == LG_OK);
    item.body.len = 101;
    CHECK(lg_store_append(d.store, &item, 1, NULL, NULL, NULL, &d.err) == LG_ERR_LIMIT);
    item.body.len = 1;
    lg_store_item many[11];
    for (size_t i = 0; i < 11; i++) {
        many[i] = item;
    }
    CHECK(lg_store_append(d.store, many, 11, NULL, NULL, NULL, &d.err) == LG_ERR_LIMIT);
    uint64_t busy = 0;
    uint64_t fine = 0;
    for (size_t i = 0; i < 100000 && !busy; i++) {
        lg_status status = lg_store_append(d.store, many, 10, NULL, NULL, NULL, &d.err);
        busy += status == LG_ERR_BUSY;
        fine += status == LG_OK;
    }
    CHECK(busy == 1 && fine > 0);
    item.kind = LG_STR("Not A Kind");
    CHECK(lg_store_append(d.store, &item, 1, NULL, NULL, NULL, &d.err) == LG_ERR_USAGE);
    item.kind = LG_STR("event");
    item.time.seconds = INT64_MAX;
    CHECK(lg_store_append(d.store, &item, 1, NULL, NULL, NULL, &d.err) == LG_ERR_USAGE);
    CHECK(lg_store_status(d.store, &d.err) == LG_OK); // the log itself is fine
    lg_store_close(d.store);
    lg_temp_remove(d.folder);
}

int main(void)
{
    let_memory_fail();
    RUN(a_full_disk_fails_closed);
    RUN(a_disk_may_have_room_again);
    RUN(a_full_database_is_tried_again);
    RUN(a_failing_write_fails_closed);
    RUN(a_failing_sync_fails_closed);
    RUN(a_locked_database_is_busy);
    RUN(what_is_patient_waits);
    RUN(a_write_ahead_log_stays_where_it_is);
    RUN(a_short_lock_is_waited_for);
    RUN(memory_may_come_back);
    RUN(a_redaction_may_be_put_off);
    RUN(a_database_that_was_replaced_fails_closed);
    RUN(a_database_that_was_written_into_is_not_opened);
    RUN(what_is_no_log_is_not_opened);
    RUN(what_is_too_much_is_refused);
    return lg_test_done();
}
