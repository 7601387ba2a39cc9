// commits.c: what a commit costs on this disk: some pages of a file that stands already, and fdatasync.
//
// That is what a write-ahead log does once it has been through its file: it writes over it, so that no length changes.
#include "load.h"

#include <fcntl.h>
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

void commits_measure(const char *folder)
{
    static char pages[PAGES_A_COMMIT * PAGE_BYTES];
    static double us[COMMITS];
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
    qsort(us, COMMITS, sizeof(us[0]), by_size);
    printf("{\"commits\":%d,\"p50\":%.1f,\"p99\":%.1f}\n", COMMITS, us[COMMITS / 2],
           us[COMMITS * 99 / 100]);
}
