// commit.c: what waits becomes one transaction.
//
// The order matters: a record's number and link are given here, by the one thread that writes, and the head that is
// signed stands in the same transaction. So what is on the disk is a whole log at any moment.
#include "store/store_internal.h"

#include "base/clock.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

// Pages in the write-ahead log that are moved to the database. Whoever comes meanwhile waits for that: so it is done while
// nobody comes, if some are there; and else when they are much. Those that many commits have touched are moved once: the longer
// it waits, the less there is to do for each commit.
#define SOME_PAGES 200u
#define MUCH_PAGES 4000u // 16 MB

// --- Records ------------------------------------------------------------------------------------

// Does the statement give a row?
static lg_status has_row(lg_store *store, sqlite3_stmt *statement, bool *ret, lg_error *reterr)
{
    int code = sqlite3_step(statement);
    lg_status status = code == SQLITE_ROW || code == SQLITE_DONE
                           ? LG_OK
                           : db_fail(&store->db, "it cannot be read", reterr);
    *ret = code == SQLITE_ROW;
    return status;
}

// Was what had this mark taken out, and is not to come back?
static lg_status is_kept_out(lg_store *store, lg_str mark, bool *ret, lg_error *reterr)
{
    *ret = false;
    if (!mark.len || !store->has_marks_out) {
        return LG_OK;
    }
    sqlite3_stmt *statement = db_prepare(&store->db, DB_IS_KEPT_OUT, reterr);
    if (!statement) {
        return LG_ERR_IO;
    }
    db_bind_bytes(statement, 1, mark.ptr, mark.len);
    lg_status status = has_row(store, statement, ret, reterr);
    (void)sqlite3_reset(statement);
    return status;
}

// Sets `*ret_put` to false if its key is there already.
static lg_status put_record(lg_store *store, const store_item *item, bool *ret_put,
                            lg_error *reterr)
{
    sqlite3_stmt *statement = db_prepare(&store->db, DB_PUT_RECORD, reterr);
    if (!statement) {
        return LG_ERR_IO;
    }
    lg_digest chain = store->chain;
    store_link link = {store->sequence + 1, item->time_us, item->kind, &item->payload};
    store_add_link(&link, &chain);
    (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)link.sequence);
    (void)sqlite3_bind_text(statement, 2, item->kind.ptr, (int)item->kind.len, SQLITE_STATIC);
    (void)sqlite3_bind_int64(statement, 3, item->time_us);
    db_bind_bytes(statement, 4, item->payload.bytes, LG_DIGEST_BYTES);
    db_bind_bytes(statement, 5, chain.bytes, LG_DIGEST_BYTES);
    db_bind_bytes(statement, 6, item->salt, SALT_BYTES);
    if (item->key.len) {
        db_bind_bytes(statement, 7, item->key.ptr, item->key.len);
    } else {
        (void)sqlite3_bind_null(statement, 7);
    }
    db_bind_bytes(statement, 8, item->body.ptr, item->body.len);
    lg_status status = db_run(&store->db, statement, reterr);
    *ret_put = status == LG_OK && (!item->key.len || sqlite3_changes(store->db.handle) > 0);
    if (*ret_put) {
        store->sequence = link.sequence;
        store->chain = chain;
    }
    return status;
}

static lg_status put_item(lg_store *store, store_entry *entry, const store_item *item,
                          lg_error *reterr)
{
    bool is_new = false;
    bool is_out = false;
    lg_status status = is_kept_out(store, item->mark, &is_out, reterr);
    if (status == LG_OK && !is_out) {
        status = put_record(store, item, &is_new, reterr);
    }
    if (status == LG_OK && is_new) {
        entry->first = entry->first ? entry->first : store->sequence;
        entry->last = store->sequence;
    }
    return status;
}

// --- Redactions ---------------------------------------------------------------------------------

static lg_status keep_out(lg_store *store, uint64_t sequence, lg_str mark, lg_error *reterr)
{
    sqlite3_stmt *statement = db_prepare(&store->db, DB_KEEP_OUT, reterr);
    if (!statement) {
        return LG_ERR_IO;
    }
    db_bind_bytes(statement, 1, mark.ptr, mark.len);
    (void)sqlite3_bind_int64(statement, 2, (sqlite3_int64)sequence);
    store->has_marks_out = true;
    return db_run(&store->db, statement, reterr);
}

// Redactions themselves stay: they say why something else is gone.
static lg_status may_take(lg_store *store, uint64_t sequence, bool *ret, lg_error *reterr)
{
    sqlite3_stmt *statement = db_prepare(&store->db, DB_KIND, reterr);
    if (!statement) {
        return LG_ERR_IO;
    }
    (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)sequence);
    lg_status status = has_row(store, statement, ret, reterr);
    *ret = *ret && !lg_str_eq(db_column(statement, 0), REDACTION);
    (void)sqlite3_reset(statement);
    return status;
}

static lg_status take(lg_store *store, uint64_t sequence, bool *ret_taken, lg_error *reterr)
{
    bool may = false;
    *ret_taken = false;
    lg_status status = may_take(store, sequence, &may, reterr);
    sqlite3_stmt *statement =
        status == LG_OK && may ? db_prepare(&store->db, DB_TAKE_PAYLOAD, reterr) : NULL;
    if (!statement) {
        return status == LG_OK && may ? LG_ERR_IO : status;
    }
    (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)sequence);
    status = db_run(&store->db, statement, reterr);
    *ret_taken = status == LG_OK && sqlite3_changes(store->db.handle) > 0;
    return status;
}

static lg_status say_redaction(lg_store *store, store_entry *entry, const uint64_t *taken,
                               size_t count, lg_error *reterr)
{
    store_redaction *redaction = entry->redaction;
    lg_buf body;
    lg_buf_init(&body, 0);
    lg_status status = store_write_redaction(taken, count, redaction->asked->why, &body);
    if (status != LG_OK) {
        lg_buf_done(&body);
        return lg_fail_oom(reterr);
    }
    store_item item = {.kind = REDACTION, .time_us = redaction->time_us, .body = lg_buf_str(&body)};
    lg_random(item.salt, SALT_BYTES);
    store_payload_digest(item.salt, item.key, item.body, &item.payload);
    status = put_item(store, entry, &item, reterr);
    lg_buf_done(&body);
    return status;
}

static lg_status redact(lg_store *store, store_entry *entry, lg_error *reterr)
{
    store_redaction *redaction = entry->redaction;
    const lg_store_redaction *asked = redaction->asked;
    lg_arena scratch;
    lg_arena_init(&scratch, 0);
    uint64_t *taken = LG_NEW_ARRAY(&scratch, uint64_t, asked->count);
    size_t count = 0;
    lg_status status = taken ? LG_OK : lg_fail_oom(reterr);
    for (size_t i = 0; i < asked->count && status == LG_OK; i++) {
        bool was = false;
        status = take(store, asked->sequences[i], &was, reterr);
        if (was) {
            taken[count++] = asked->sequences[i];
        }
        if (was && asked->marks && asked->marks[i].len && status == LG_OK) {
            status = keep_out(store, asked->sequences[i], asked->marks[i], reterr);
        }
    }
    if (status == LG_OK && count) {
        status = say_redaction(store, entry, taken, count, reterr);
        store->empty_wal = true;
    }
    redaction->done = count;
    lg_arena_done(&scratch);
    return status;
}

// --- The transaction ----------------------------------------------------------------------------

// A database that is not where it was would take our records with it, and so would its write-ahead log, which is there
// as long as somebody has it open.
static lg_status check_place(lg_store *store, lg_error *reterr)
{
    char wal[PATH_MAX];
    struct stat info;
    bool there = stat(store->path, &info) == 0 && (uint64_t)info.st_dev == store->device &&
                 (uint64_t)info.st_ino == store->inode;
    int size = snprintf(wal, sizeof(wal), "%s-wal", store->path);
    bool has_wal = size > 0 && (size_t)size < sizeof(wal) && stat(wal, &info) == 0;
    if (has_wal && !store->wal_inode) {
        store->wal_inode = (uint64_t)info.st_ino;
    }
    bool same = !store->wal_inode || (has_wal && (uint64_t)info.st_ino == store->wal_inode);
    return there && same
               ? LG_OK
               : lg_fail(reterr, LG_ERR_IO,
                         "%s: the log%s was moved, removed or replaced while it was written",
                         store->path, there ? "'s -wal file" : "");
}

static lg_status fail_busy(const lg_store *store, lg_error *reterr)
{
    return lg_fail(reterr, LG_ERR_BUSY,
                   "%s: another program has locked the log for more than %u ms, so nothing was "
                   "written; try again when it has let go",
                   store->path, store->busy_ms);
}

// Somebody else may have written since (lg_store_options.beside): then what comes is linked to that. What he deleted may
// stand in the write-ahead log.
static lg_status catch_up(lg_store *store, lg_error *reterr)
{
    lg_digest chain;
    sqlite3_stmt *statement = db_prepare(&store->db, DB_HEAD, reterr);
    if (!statement) {
        return LG_ERR_IO;
    }
    bool same = sqlite3_step(statement) == SQLITE_ROW &&
                sqlite3_column_int64(statement, 0) == (sqlite3_int64)store->sequence &&
                db_read_bytes(statement, 1, chain.bytes, LG_DIGEST_BYTES) &&
                memcmp(chain.bytes, store->chain.bytes, LG_DIGEST_BYTES) == 0;
    (void)sqlite3_reset(statement);
    if (same) {
        return LG_OK;
    }
    store->empty_wal = true;
    return store_read_end(store, reterr);
}

lg_status store_begin(lg_store *store, lg_error *reterr)
{
    store->began_ns = lg_monotonic_ns();
    store->before = store->sequence;
    lg_status status = check_place(store, reterr);
    if (status != LG_OK) {
        return status;
    }
    if (!turn_take(store, store->busy_ms)) {
        return fail_busy(store, reterr);
    }
    status = db_run_plain(&store->db, DB_BEGIN, reterr);
    if (status != LG_OK) {
        turn_give(store);
        return (sqlite3_errcode(store->db.handle) & 0xff) == SQLITE_BUSY ? fail_busy(store, reterr)
                                                                         : status;
    }
    status = catch_up(store, reterr);
    store->before = store->sequence;
    // A read for which SQLite had no memory has taken the transaction back: what is written now would be on its own.
    bool taken_back = sqlite3_get_autocommit(store->db.handle) != 0;
    return status == LG_OK && taken_back ? lg_fail_oom(reterr) : status;
}

lg_status store_put(lg_store *store, store_entry *entries, lg_error *reterr)
{
    lg_status status = LG_OK;
    for (store_entry *entry = entries; entry && status == LG_OK; entry = entry->next) {
        for (size_t i = 0; i < entry->count && status == LG_OK; i++) {
            status = put_item(store, entry, &entry->items[i], reterr);
        }
        if (status == LG_OK && entry->redaction) {
            status = redact(store, entry, reterr);
        }
    }
    return status;
}

// Where there is no memory, or no room for all of it, SQLite takes back what was written, and the next transaction reads the
// end of the log again: it may work. What else fails may be on the disk, or not.
static lg_status name_failure(lg_store *store, lg_status status)
{
    int code = sqlite3_errcode(store->db.handle) & 0xff;
    bool full = status == LG_ERR_IO && code == SQLITE_FULL;
    bool starved = status == LG_ERR_OOM || (status != LG_OK && code == SQLITE_NOMEM);
    store->was_full = full || (store->was_full && status != LG_OK);
    return full || starved ? LG_ERR_BUSY : status;
}

lg_status store_commit(lg_store *store, lg_status status, lg_error *reterr)
{
    bool nothing = store->sequence == store->before && !store->was_full; // all is there already
    if (status == LG_OK && !nothing) {
        status = head_write(&store->db, &store->secrets, store->log_id, store->sequence,
                            &store->chain, reterr);
    }
    if (status == LG_OK && !nothing) {
        status = db_run_plain(&store->db, DB_COMMIT, reterr);
    }
    status = name_failure(store, status);
    if (status == LG_OK && !nothing) {
        status = check_place(store, reterr); // or it is in a file that has no name any more
    }
    if (status != LG_OK || nothing) {
        db_undo(&store->db);
    }
    turn_give(store);
    if (status != LG_OK || nothing) {
        return status;
    }
    atomic_fetch_add_explicit(&store->commits, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&store->records, store->sequence - store->before,
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&store->commit_ns, (uint64_t)(lg_monotonic_ns() - store->began_ns),
                              memory_order_relaxed);
    return LG_OK;
}

// May it go well another time? What was committed stays in the write-ahead log until then.
static bool may_be_moved_later(int code)
{
    int kind = code & 0xff;
    return kind == SQLITE_BUSY || kind == SQLITE_FULL || kind == SQLITE_NOMEM ||
           code == SQLITE_IOERR_NOMEM;
}

static lg_status move_wal(lg_store *store, bool truncate, lg_error *reterr)
{
    // A reader that holds it up is not waited for: it is tried again after the next commit.
    (void)sqlite3_busy_timeout(store->db.handle, 0);
    int code = sqlite3_wal_checkpoint_v2(
        store->db.handle, NULL, truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE,
        NULL, NULL);
    (void)sqlite3_busy_timeout(store->db.handle, (int)store->busy_ms);
    if (code == SQLITE_OK) {
        store->empty_wal = false;
        store->wal_pages = 0;
    }
    return code == SQLITE_OK || may_be_moved_later(code)
               ? LG_OK
               : db_fail(&store->db, "the write-ahead log cannot be moved to the database", reterr);
}

lg_status store_checkpoint(lg_store *store, store_amount amount, lg_error *reterr)
{
    bool truncate = amount == STORE_ALL || store->empty_wal;
    bool had = store->has_turn;
    unsigned pages = amount == STORE_SOME ? SOME_PAGES : MUCH_PAGES;
    if ((!truncate && store->wal_pages < pages) || (!had && !turn_take(store, 0))) {
        return LG_OK;
    }
    lg_status status = move_wal(store, truncate, reterr);
    if (!had) {
        turn_give(store);
    }
    return status;
}
