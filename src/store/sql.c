// sql.c: SQLite: how a connection is set up, our tables, and statements.
//
// A database is somebody's file: it may hold anything. So its tables have to be ours to the letter, nothing of its
// schema is trusted, and every column is looked at before it is believed.
#include "base/alloc.h"
#include "store/store_internal.h"

#include <stdio.h>
#include <sys/stat.h>

// In the order of their names, as they are compared.
typedef struct table {
    const char *name;
    const char *sql;
} table;

static const table tables[] = {
    {"head", "CREATE TABLE head(id INTEGER PRIMARY KEY CHECK (id = 1), sequence INTEGER NOT NULL, "
             "chain BLOB NOT NULL, signature BLOB NOT NULL)"},
    {"meta", "CREATE TABLE meta(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"},
    {"record", "CREATE TABLE record(sequence INTEGER PRIMARY KEY, kind TEXT NOT NULL, time INTEGER "
               "NOT NULL, payload BLOB NOT NULL, chain BLOB NOT NULL, salt BLOB NOT NULL, "
               "key BLOB, body BLOB NOT NULL)"},
    {"record_key", "CREATE UNIQUE INDEX record_key ON record(key) WHERE key IS NOT NULL"},
    {"redacted", "CREATE TABLE redacted(mark BLOB PRIMARY KEY, sequence INTEGER NOT NULL) WITHOUT "
                 "ROWID"},
};

// Of a payload that was taken out, the columns are empty.
#define IS_BLANK "(salt = x'' AND key IS NULL AND body = x'')"

#define RECORD                                                                                     \
    "SELECT sequence, kind, time, payload, chain, salt, key, "                                     \
    "CASE WHEN " IS_BLANK " THEN NULL ELSE body END FROM record "

// clang-format off
static const char *const statements[DB_STATEMENTS] = {
    [DB_BEGIN] = "BEGIN IMMEDIATE",
    [DB_LOOK] = "BEGIN",
    [DB_COMMIT] = "COMMIT",
    [DB_ROLLBACK] = "ROLLBACK",
    [DB_PUT_RECORD] = "INSERT INTO record(sequence, kind, time, payload, chain, salt, key, body) "
                      "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
                      "ON CONFLICT(key) WHERE key IS NOT NULL DO NOTHING",
    [DB_PUT_HEAD] = "INSERT OR REPLACE INTO head(id, sequence, chain, signature) VALUES(1, ?1, ?2, ?3)",
    [DB_TAKE_PAYLOAD] = "UPDATE record SET salt = x'', key = NULL, body = x'' WHERE sequence = ?1 AND NOT " IS_BLANK,
    [DB_KIND] = "SELECT kind FROM record WHERE sequence = ?1",
    [DB_KEEP_OUT] = "INSERT OR IGNORE INTO redacted(mark, sequence) VALUES(?1, ?2)",
    [DB_IS_KEPT_OUT] = "SELECT 1 FROM redacted WHERE mark = ?1",
    [DB_ANY_KEPT_OUT] = "SELECT EXISTS(SELECT 1 FROM redacted)",
    [DB_HEAD] = "SELECT sequence, chain, signature FROM head WHERE id = 1",
    [DB_LAST] = "SELECT sequence, chain FROM record ORDER BY sequence DESC LIMIT 1",
    [DB_META] = "SELECT value FROM meta WHERE name = ?1",
    [DB_NEXT] = RECORD "WHERE sequence >= ?1 ORDER BY sequence LIMIT 1",
    [DB_NEXT_KIND] = RECORD "WHERE sequence >= ?1 AND kind = ?2 ORDER BY sequence LIMIT 1",
    [DB_KEPT_OUT] = "SELECT sequence FROM redacted ORDER BY sequence",
    [DB_FIND] = RECORD "WHERE key = ?1",
};
// clang-format on

// --- Errors -------------------------------------------------------------------------------------

static lg_status status_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return LG_ERR_OOM;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return LG_ERR_FORMAT;
    case SQLITE_TOOBIG:
        return LG_ERR_LIMIT;
    }
    return LG_ERR_IO;
}

lg_status db_fail(const db *d, const char *what, lg_error *reterr)
{
    int code = d->handle ? sqlite3_extended_errcode(d->handle) : SQLITE_NOMEM;
    lg_status status = status_of(code);
    if (status == LG_ERR_OOM) {
        return lg_fail_oom(reterr);
    }
    if (code == SQLITE_NOTADB) {
        return lg_fail(reterr, status, "%s: this is no log of LedgerGate: it is no database",
                       d->path);
    }
    return lg_fail(reterr, status, "%s: %s: %s (%d)", d->path, what, sqlite3_errmsg(d->handle),
                   code);
}

// --- Opening ------------------------------------------------------------------------------------

static lg_status run_text(db *d, const char *sql, lg_error *reterr)
{
    return sqlite3_exec(d->handle, sql, NULL, NULL, NULL) == SQLITE_OK
               ? LG_OK
               : db_fail(d, "the log cannot be opened", reterr);
}

static lg_status set_journal(db *d, lg_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    bool wal = false;
    int code = sqlite3_prepare_v2(d->handle, "PRAGMA journal_mode=WAL", -1, &statement, NULL);
    if (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        wal = lg_str_eq(db_column(statement, 0), LG_STR("wal"));
    }
    lg_status status =
        wal ? LG_OK : db_fail(d, "a write-ahead log cannot be kept beside it", reterr);
    (void)sqlite3_finalize(statement);
    return status;
}

#define BLOB_BYTES_MAX (256 << 20)

static lg_status set_up(db *d, const db_options *options, lg_error *reterr)
{
    (void)sqlite3_busy_timeout(d->handle, (int)options->busy_ms);
    (void)sqlite3_db_config(d->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(d->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(d->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    (void)sqlite3_db_config(d->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    (void)sqlite3_limit(d->handle, SQLITE_LIMIT_LENGTH, BLOB_BYTES_MAX);
    lg_status status = run_text(d, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0", reterr);
    if (status != LG_OK || !options->write) {
        return status;
    }
    status = set_journal(d, reterr);
    // The writer checkpoints by itself, between commits: nobody waits for that who waits for a commit.
    return status == LG_OK ? run_text(d,
                                      "PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0; "
                                      "PRAGMA secure_delete=ON; PRAGMA cache_size=-16384; "
                                      "PRAGMA temp_store=MEMORY",
                                      reterr)
                           : status;
}

// To SQLite, some names are no files: `:memory:`, `file:...`, none at all.
static char *plain_path(const char *path)
{
    size_t size = strlen(path) + 3;
    char *plain = lg_alloc(size);
    if (plain) {
        (void)snprintf(plain, size, "%s%s", path[0] == '/' ? "" : "./", path);
    }
    return plain;
}

// As a name that says so: whatever stands in a path, it is no option.
static char *immutable_uri(const char *path)
{
    static const char options[] = "?immutable=1";
    size_t size = 3 * strlen(path) + sizeof("file:") + sizeof(options);
    char *uri = lg_alloc(size);
    size_t len = sizeof("file:") - 1;
    if (!uri) {
        return NULL;
    }
    memcpy(uri, "file:", len);
    for (const char *c = path; *c; c++, len += 3) {
        (void)snprintf(uri + len, size - len, "%%%02x", (unsigned char)*c);
    }
    memcpy(uri + len, options, sizeof(options));
    return uri;
}

static int open_file(const db *d, const db_options *options, sqlite3 **ret)
{
    int flags = (options->write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
                SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    char *uri = options->immutable ? immutable_uri(d->path) : NULL;
    if (options->immutable && !uri) {
        *ret = NULL;
        return SQLITE_NOMEM;
    }
    int code =
        sqlite3_open_v2(uri ? uri : d->path, ret, flags | (uri ? SQLITE_OPEN_URI : 0), options->io);
    lg_free(uri);
    return code;
}

// To open a pipe waits for somebody who writes into it. What is not there is SQLite's to tell.
static bool is_pipe(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISFIFO(info.st_mode);
}

lg_status db_open(const db_options *options, db *ret, lg_error *reterr)
{
    db d = {.path = plain_path(options->path)};
    if (!d.path) {
        return lg_fail_oom(reterr);
    }
    if (is_pipe(d.path)) {
        lg_free(d.path);
        return lg_fail(reterr, LG_ERR_IO, "%s: this is no log of LedgerGate: it is a pipe",
                       options->path);
    }
    int code = open_file(&d, options, &d.handle);
    lg_status status = code == SQLITE_OK ? set_up(&d, options, reterr)
                                         : db_fail(&d, "the log cannot be opened", reterr);
    if (status != LG_OK) {
        db_close(&d, false);
        return status;
    }
    *ret = d;
    return LG_OK;
}

void db_close(db *d, bool fine)
{
    for (size_t i = 0; i < DB_STATEMENTS; i++) {
        (void)sqlite3_finalize(d->statements[i]);
    }
    (void)sqlite3_db_config(d->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, fine ? 0 : 1, NULL);
    (void)sqlite3_close(d->handle);
    lg_free(d->path);
    *d = (db){0};
}

// --- Tables -------------------------------------------------------------------------------------

#define LIST_TABLES "SELECT name, sql FROM sqlite_schema ORDER BY name"

lg_status db_is_new(db *d, bool *ret, lg_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(d->handle, LIST_TABLES, -1, &statement, NULL);
    code = code == SQLITE_OK ? sqlite3_step(statement) : code;
    *ret = code == SQLITE_DONE;
    lg_status status =
        code == SQLITE_DONE || code == SQLITE_ROW ? LG_OK : db_fail(d, "it cannot be read", reterr);
    (void)sqlite3_finalize(statement);
    return status;
}

lg_status db_make_tables(db *d, lg_error *reterr)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < LG_COUNT(tables) && status == LG_OK; i++) {
        status = run_text(d, tables[i].sql, reterr);
    }
    return status;
}

lg_status db_check_tables(db *d, lg_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(d->handle, LIST_TABLES, -1, &statement, NULL);
    bool ours = true;
    size_t count = 0;
    for (code = code == SQLITE_OK ? sqlite3_step(statement) : code; code == SQLITE_ROW && ours;
         code = ours ? sqlite3_step(statement) : code) {
        ours = count < LG_COUNT(tables) &&
               lg_str_eq(db_column(statement, 0), lg_str_c(tables[count].name)) &&
               lg_str_eq(db_column(statement, 1), lg_str_c(tables[count].sql));
        count++;
    }
    lg_status status = LG_OK;
    if (ours && code != SQLITE_DONE) {
        status = db_fail(d, "it cannot be read", reterr);
    } else if (!ours || count != LG_COUNT(tables)) {
        status = lg_fail(reterr, LG_ERR_FORMAT,
                         "%s: this is no log of this version of LedgerGate: it has other tables. "
                         "Keep it, to be read by the version that wrote it, and name a new file",
                         d->path);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

// --- Statements ---------------------------------------------------------------------------------

sqlite3_stmt *db_prepare(db *d, db_statement which, lg_error *reterr)
{
    sqlite3_stmt **statement = &d->statements[which];
    if (!*statement &&
        sqlite3_prepare_v3(d->handle, statements[which], -1, SQLITE_PREPARE_PERSISTENT, statement,
                           NULL) != SQLITE_OK) {
        (void)db_fail(d, "it cannot be read", reterr);
        return NULL;
    }
    (void)sqlite3_reset(*statement);
    return *statement;
}

lg_status db_run(db *d, sqlite3_stmt *statement, lg_error *reterr)
{
    int code = sqlite3_step(statement);
    lg_status status = code == SQLITE_DONE ? LG_OK : db_fail(d, "it cannot be written", reterr);
    (void)sqlite3_reset(statement);
    return status;
}

lg_status db_run_plain(db *d, db_statement which, lg_error *reterr)
{
    sqlite3_stmt *statement = db_prepare(d, which, reterr);
    return statement ? db_run(d, statement, reterr) : LG_ERR_IO;
}

void db_undo(db *d)
{
    sqlite3_stmt *statement = db_prepare(d, DB_ROLLBACK, NULL);
    if (statement) {
        (void)sqlite3_step(statement);
        (void)sqlite3_reset(statement);
    }
}

void db_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, size_t size_bytes)
{
    // The caller's bytes stay until the statement has run. An empty blob is not NULL.
    (void)sqlite3_bind_blob64(statement, index, size_bytes ? bytes : "", size_bytes, SQLITE_STATIC);
}

lg_str db_column(sqlite3_stmt *statement, int column)
{
    const void *bytes = sqlite3_column_blob(statement, column);
    int size = sqlite3_column_bytes(statement, column);
    return bytes && size > 0 ? (lg_str){bytes, (size_t)size} : LG_STR("");
}

bool db_read_bytes(sqlite3_stmt *statement, int column, void *ret, size_t size_bytes)
{
    lg_str bytes = db_column(statement, column);
    if (sqlite3_column_type(statement, column) != SQLITE_BLOB || bytes.len != size_bytes) {
        return false;
    }
    memcpy(ret, bytes.ptr, size_bytes);
    return true;
}
