// spool.c: files that grow, and appear under their name when they are whole.
#include "page/page_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WAITING_BYTES (64u << 10)
#define NAMES_TRIED 100u

static void fail(page_spool *s, lg_status status)
{
    if (s->status == LG_OK) {
        s->status = status;
        s->why = errno;
    }
}

void page_spool_open(page_spool *s, const char *beside, bool named)
{
    const char *slash = strrchr(beside, '/');
    int folder = slash ? (int)(slash - beside) + 1 : 0;
    *s = (page_spool){.fd = -1};
    lg_buf_init(&s->waiting, 0);
    for (unsigned i = 0; i < NAMES_TRIED && s->fd < 0; i++) {
        int length = snprintf(s->path, sizeof(s->path), "%.*s.ledgergate-%ld-%u.tmp", folder,
                              beside, (long)getpid(), i);
        if (length < 0 || (size_t)length >= sizeof(s->path)) {
            errno = ENAMETOOLONG;
            break;
        }
        s->fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (s->fd < 0 && errno != EEXIST) {
            break;
        }
    }
    if (s->fd < 0) {
        fail(s, LG_ERR_IO);
        s->path[0] = '\0';
    } else if (!named) {
        (void)unlink(s->path);
        s->path[0] = '\0';
    }
}

static void write_all(page_spool *s, lg_str text)
{
    while (text.len > 0 && s->status == LG_OK) {
        ssize_t put = write(s->fd, text.ptr, text.len);
        if (put < 0 && errno != EINTR) {
            fail(s, LG_ERR_IO);
        } else if (put > 0) {
            text = (lg_str){text.ptr + put, text.len - (size_t)put};
        }
    }
}

static void flush(page_spool *s)
{
    if (s->status == LG_OK && lg_buf_status(&s->waiting) != LG_OK) {
        fail(s, LG_ERR_OOM);
    }
    write_all(s, lg_buf_str(&s->waiting));
    lg_buf_clear(&s->waiting);
}

void page_spool_add(page_spool *s, lg_str text)
{
    s->bytes += text.len;
    if (text.len >= WAITING_BYTES) {
        flush(s);
        write_all(s, text);
        return;
    }
    lg_buf_add(&s->waiting, text);
    if (s->waiting.len >= WAITING_BYTES) {
        flush(s);
    }
}

void page_spool_copy(page_spool *to, page_spool *from)
{
    static const size_t piece = WAITING_BYTES / 4;
    char bytes[WAITING_BYTES / 4];
    flush(from);
    for (off_t at = 0; from->status == LG_OK && to->status == LG_OK;) {
        ssize_t got = pread(from->fd, bytes, piece, at);
        if (got < 0 && errno != EINTR) {
            fail(from, LG_ERR_IO);
        } else if (got == 0) {
            break;
        } else if (got > 0) {
            page_spool_add(to, (lg_str){bytes, (size_t)got});
            at += got;
        }
    }
    if (from->status != LG_OK && to->status == LG_OK) {
        errno = from->why;
        fail(to, from->status);
    }
}

bool page_spool_rename(page_spool *s, const char *to)
{
    flush(s);
    if (s->status == LG_OK && (fsync(s->fd) != 0 || rename(s->path, to) != 0)) {
        fail(s, LG_ERR_IO);
    }
    if (s->status == LG_OK) {
        s->path[0] = '\0';
    }
    return s->status == LG_OK;
}

void page_spool_close(page_spool *s)
{
    if (s->path[0]) {
        (void)unlink(s->path);
    }
    if (s->fd >= 0) {
        (void)close(s->fd);
    }
    s->fd = -1;
    lg_buf_done(&s->waiting);
}
