// commits.c: what a commit costs on this disk, in two ways.
//
// The least: some pages of a file that stands already, and fdatasync. That is what a write-ahead log does once it has
// been through its file: it writes over it, so that no length changes. And bare SQLite, WAL and synchronous=FULL, one row
// of 700 bytes a transaction.
#include "load.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGES_A_COMMIT 4
#define PAGE_BYTES 4120 // with the log's head of a page
#define FILE_BYTES (4 << 20)
#define COMMITS 400

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double commit_us(int fd, off_t at, const char *pages)
{
    int64_t begun_ns = load_now_ns();
    if (pwrite(fd, pages, PAGES_A_COMMIT * PAGE_BYTES, at) < 0 || fdatasync(fd) != 0) {
        load_fail("the disk does not take it");
    }
    return (double)(load_now_ns() - begun_ns) / 1000;
}

static void print_times(const char *name, double *us)
{
    qsort(us, COMMITS, sizeof(us[0]), by_size);
    printf("\"%s\":{\"p50\":%.1f,\"p99\":%.1f}", name, us[COMMITS / 2], us[COMMITS * 99 / 100]);
}

static void measure_sync(const char *folder)
{
    static char pages[PAGES_A_COMMIT * PAGE_BYTES];
    double us[COMMITS];
    char path[4096];
    snprintf(path, sizeof(path), "%s/bench-commits", folder);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        load_fail("the folder takes no file");
    }
    memset(pages, 'x', sizeof(pages));
    for (off_t at = 0; at < FILE_BYTES; at += (off_t)sizeof(pages)) {
        if (pwrite(fd, pages, sizeof(pages), at) < 0) {
            load_fail("the disk is full");
        }
    }
    (void)fsync(fd);
    for (size_t i = 0; i < COMMITS; i++) {
        us[i] = commit_us(fd, (off_t)(i % (FILE_BYTES / sizeof(pages)) * sizeof(pages)), pages);
    }
    close(fd);
    (void)unlink(path);
    print_times("sync_us", us);
}

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        load_fail(sqlite3_errmsg(db));
    }
}

static void measure_sqlite(const char *folder)
{
    double us[COMMITS];
    char path[4096];
    sqlite3 *db;
    snprintf(path, sizeof(path), "%s/bench-commits.db", folder);
    (void)unlink(path);
    if (sqlite3_open(path, &db) != SQLITE_OK) {
        load_fail(sqlite3_errmsg(db));
    }
    run_sql(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
                "CREATE TABLE row(id INTEGER PRIMARY KEY, body BLOB)");
    for (size_t i = 0; i < COMMITS; i++) {
        int64_t begun_ns = load_now_ns();
        run_sql(db, "INSERT INTO row(body) VALUES(zeroblob(700))");
        us[i] = (double)(load_now_ns() - begun_ns) / 1000;
    }
    sqlite3_close(db);
    (void)unlink(path);
    print_times("sqlite_us", us);
}

void commits_measure(const char *folder)
{
    printf("{");
    measure_sync(folder);
    printf(",");
    measure_sqlite(folder);
    printf("}\n");
}
