// log.c: reading. A reader sees one moment of the log, and believes no column before it has looked at it.
#include "base/alloc.h"
#include "store/log_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static lg_status open_as(lg_log *log, const db_options *opening, lg_error *reterr)
{
    lg_status status = db_open(opening, &log->db, reterr);
    if (status == LG_OK) {
        status = db_run_plain(&log->db, DB_LOOK, reterr);
    }
    return status == LG_OK ? db_check_tables(&log->db, reterr) : status;
}

// To read a log that nobody has open, SQLite makes files beside it. Where it may not, and there is no write-ahead log with
// something in it, the database by itself is all of it.
static lg_status open_in_read_only_folder(lg_log *log, db_options *opening, lg_error *reterr)
{
    struct stat info;
    lg_str plain = lg_str_c(log->db.path ? log->db.path : opening->path);
    lg_buf text;
    lg_buf_init(&text, 0);
    size_t slash = plain.len;
    while (slash > 0 && plain.ptr[slash - 1] != '/') {
        slash--;
    }
    lg_buf_addf(&text, "%.*s.", (int)slash, plain.ptr);
    bool writable = lg_buf_status(&text) != LG_OK || access(text.ptr, W_OK) == 0;
    lg_buf_clear(&text);
    lg_buf_addf(&text, "%.*s-wal", LG_FMT(plain));
    bool waits = lg_buf_status(&text) != LG_OK || (stat(text.ptr, &info) == 0 && info.st_size > 0);
    lg_buf_done(&text);
    if (writable) {
        return LG_ERR_IO; // it is something else
    }
    if (waits) {
        return lg_fail(reterr, LG_ERR_IO,
                       "%s: its folder cannot be written to, and so its write-ahead log (-wal) "
                       "cannot be read: copy both to a folder of your own",
                       opening->path);
    }
    if (log->db.handle) {
        db_close(&log->db, false);
    }
    opening->immutable = true;
    return open_as(log, opening, reterr);
}

lg_status lg_log_open(const char *path, const char *io, lg_log **ret_log, lg_error *reterr)
{
    if (!path || !path[0]) {
        return lg_fail(reterr, LG_ERR_USAGE, "the log has no file name");
    }
    if (!lg_sign_begin()) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no random bytes");
    }
    lg_log *log = lg_zalloc(sizeof(*log));
    if (!log) {
        return lg_fail_oom(reterr);
    }
    db_options opening = {.path = path, .io = io, .busy_ms = 2000};
    lg_status status = open_as(log, &opening, reterr);
    if (status == LG_ERR_IO) {
        status = open_in_read_only_folder(log, &opening, reterr);
    }
    if (status != LG_OK) {
        lg_log_close(log);
        return status;
    }
    *ret_log = log;
    return LG_OK;
}

void lg_log_close(lg_log *log)
{
    if (log) {
        if (log->db.handle) {
            db_close(&log->db, false);
        }
        lg_free(log);
    }
}

lg_status lg_log_head_of(lg_log *log, lg_log_head *ret, lg_error *reterr)
{
    return head_read(&log->db, ret, reterr);
}

// --- A copy -------------------------------------------------------------------------------------

// Of the moment that the reader sees. The file has to be new.
static lg_status copy_to(lg_log *log, db *to, lg_error *reterr)
{
    sqlite3_backup *backup = sqlite3_backup_init(to->handle, "main", log->db.handle, "main");
    if (!backup) {
        return db_fail(to, "the copy cannot be written", reterr);
    }
    (void)sqlite3_backup_step(backup, -1);
    return sqlite3_backup_finish(backup) == SQLITE_OK
               ? LG_OK
               : db_fail(to, "the copy cannot be written", reterr);
}

lg_status lg_log_copy(lg_log *log, const char *path, lg_error *reterr)
{
    db to;
    db_options opening = {.path = path, .write = true, .busy_ms = 2000};
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return lg_fail(reterr, LG_ERR_IO, "%s: the copy cannot be made: %s", path, strerror(errno));
    }
    (void)close(fd);
    lg_status status = db_open(&opening, &to, reterr);
    if (status == LG_OK) {
        status = copy_to(log, &to, reterr);
        db_close(&to, status == LG_OK);
    }
    if (status == LG_OK && !store_sync_folder(path)) {
        status = lg_fail(reterr, LG_ERR_IO, "%s: its folder cannot be synced", path);
    }
    if (status != LG_OK) {
        (void)unlink(path);
    }
    return status;
}

// --- Records ------------------------------------------------------------------------------------

static lg_status fail_odd(const lg_log *log, uint64_t sequence, lg_error *reterr)
{
    return lg_fail(reterr, LG_ERR_FORMAT, "%s: record %llu is no record", log->db.path,
                   (unsigned long long)sequence);
}

// The columns of RECORD_COLUMNS. All but the payload have to be as they should.
static lg_status read_row(lg_log *log, sqlite3_stmt *row, log_row *ret, lg_error *reterr)
{
    lg_log_record *record = &ret->record;
    sqlite3_int64 sequence = sqlite3_column_int64(row, 0);
    *ret = (log_row){.time_us = sqlite3_column_int64(row, 2)};
    record->sequence = (uint64_t)sequence;
    record->kind = db_column(row, 1);
    record->time = store_time_of(ret->time_us);
    bool fine = sequence > 0 && sqlite3_column_type(row, 1) == SQLITE_TEXT &&
                store_is_kind(record->kind) && sqlite3_column_type(row, 2) == SQLITE_INTEGER &&
                record->time.seconds >= LG_TIME_MIN_SECONDS &&
                record->time.seconds <= LG_TIME_MAX_SECONDS &&
                db_read_bytes(row, 3, record->payload.bytes, LG_DIGEST_BYTES) &&
                db_read_bytes(row, 4, record->chain.bytes, LG_DIGEST_BYTES);
    if (!fine) {
        return fail_odd(log, record->sequence, reterr);
    }
    record->has_payload = sqlite3_column_type(row, 7) != SQLITE_NULL;
    record->key = db_column(row, 6);
    record->body = db_column(row, 7);
    bool whole = !record->has_payload || (db_read_bytes(row, 5, ret->salt, SALT_BYTES) &&
                                          record->key.len <= LG_STORE_KEY_BYTES_MAX);
    return whole ? LG_OK : fail_odd(log, record->sequence, reterr);
}

static lg_status step_to(lg_log *log, sqlite3_stmt *statement, log_row *ret, lg_error *reterr)
{
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        return read_row(log, statement, ret, reterr);
    }
    return code == SQLITE_DONE
               ? lg_fail(reterr, LG_ERR_MISSING, "%s: there is no such record", log->db.path)
               : db_fail(&log->db, "it cannot be read", reterr);
}

lg_status log_next_row(lg_log *log, uint64_t from, lg_str kind, log_row *ret, lg_error *reterr)
{
    sqlite3_stmt *statement = db_prepare(&log->db, kind.len ? DB_NEXT_KIND : DB_NEXT, reterr);
    if (!statement) {
        return LG_ERR_IO;
    }
    if (from > INT64_MAX) {
        return lg_fail(reterr, LG_ERR_MISSING, "%s: there is no such record", log->db.path);
    }
    (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)from);
    if (kind.len) {
        (void)sqlite3_bind_text64(statement, 2, kind.ptr, kind.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    return step_to(log, statement, ret, reterr);
}

lg_status lg_log_next(lg_log *log, uint64_t from, lg_str kind, lg_log_record *ret, lg_error *reterr)
{
    log_row row;
    lg_status status = log_next_row(log, from, kind, &row, reterr);
    *ret = status == LG_OK ? row.record : (lg_log_record){0};
    return status;
}

lg_status lg_log_at(lg_log *log, uint64_t sequence, lg_log_record *ret, lg_error *reterr)
{
    lg_log_record record;
    lg_status status = lg_log_next(log, sequence, LG_STR(""), &record, reterr);
    if (status == LG_OK && record.sequence != sequence) {
        status = lg_fail(reterr, LG_ERR_MISSING, "%s: there is no record %llu", log->db.path,
                         (unsigned long long)sequence);
    }
    *ret = status == LG_OK ? record : (lg_log_record){0};
    return status;
}

lg_status lg_log_find(lg_log *log, lg_str key, lg_log_record *ret, lg_error *reterr)
{
    log_row row;
    sqlite3_stmt *statement = db_prepare(&log->db, DB_FIND, reterr);
    if (!statement) {
        return LG_ERR_IO;
    }
    (void)sqlite3_bind_blob64(statement, 1, key.len ? key.ptr : "", key.len, SQLITE_TRANSIENT);
    lg_status status = step_to(log, statement, &row, reterr);
    *ret = status == LG_OK ? row.record : (lg_log_record){0};
    return status;
}
