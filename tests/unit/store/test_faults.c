// test_faults.c: a disk that is full, a sync that fails, a database that somebody holds, replaces or writes into: the log
// fails closed, and what it has acknowledged is there when it is opened again.
#include "store/store.h"

#include "fault_disk.h"
#include "temp_folder.h"

#include <sys/stat.h>

static const lg_time NOW = {1700000000, 0};

typedef struct desk {
    char folder[128];
    char path[256];
    lg_store *store;
    lg_error err;
    uint64_t acknowledged, refused;
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
        if (open_store(&d, "fault") != LG_OK) {
            CHECK(d.err.msg[0]);
        } else {
            bool closed = false; // once it has failed, it stays failed
            for (size_t i = 0; i < 25; i++) {
                lg_status status = put(&d);
                CHECK(!closed || status != LG_OK);
                CHECK(lg_store_status(d.store, NULL) == LG_OK || status != LG_OK || i == 24 ||
                      !closed);
                closed = closed || status != LG_OK;
            }
            failed += closed;
            lg_store_close(d.store);
        }
        CHECK(d.acknowledged + d.refused <= 25);
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

static void a_failing_write_fails_closed(void)
{
    sweep(false, SQLITE_IOERR_WRITE, 11);
}

static void a_failing_sync_fails_closed(void)
{
    sweep(true, 0, 3);
}

// --- Others -------------------------------------------------------------------------------------

static void a_locked_database_fails_closed(void)
{
    desk d;
    sqlite3 *other;
    begin(&d);
    CHECK(open_store(&d, NULL) == LG_OK && put(&d) == LG_OK);
    CHECK(sqlite3_open_v2(d.path, &other, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK);
    CHECK(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK);
    CHECK(put(&d) == LG_ERR_IO);
    CHECK(strstr(d.err.msg, "locked"));
    CHECK(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(other);
    CHECK(put(&d) == LG_ERR_IO); // it stays closed
    CHECK(d.acknowledged == 1 && d.refused == 1);
    lg_store_close(d.store);
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
        "INSERT INTO record SELECT 3, kind, time, payload, chain FROM record WHERE sequence = 2",
        "UPDATE head SET signature = zeroblob(64)",
        "DELETE FROM head",
        "DELETE FROM meta WHERE name = 'format'",
        "UPDATE meta SET value = 'x' WHERE name = 'format'",
        "UPDATE meta SET value = zeroblob(32) WHERE name = 'public_key'",
        "CREATE TABLE more(x)",
        "CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM payload; END",
        "DROP INDEX payload_key",
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
    RUN(a_full_disk_fails_closed);
    RUN(a_failing_write_fails_closed);
    RUN(a_failing_sync_fails_closed);
    RUN(a_locked_database_fails_closed);
    RUN(a_database_that_was_replaced_fails_closed);
    RUN(a_database_that_was_written_into_is_not_opened);
    RUN(what_is_no_log_is_not_opened);
    RUN(what_is_too_much_is_refused);
    return lg_test_done();
}
