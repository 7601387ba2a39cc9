// part.c: see part.h.
#include "cli/audit/part.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static void forget(audit_part *part)
{
    lg_free(part->path);
    lg_free(part->part);
    *part = (audit_part){.file = NULL};
}

#define NAMES_TRIED 100u

static char *copy(const char *path)
{
    size_t length = strlen(path) + 1;
    char *ret = lg_zalloc(length);
    if (ret) {
        memcpy(ret, path, length);
    }
    return ret;
}

// A new file beside `path`, by a name that nobody else has: another audit into the same folder has its own, and what
// stands there already, be it a link or a pipe, is not written to. -1 with errno set.
static int open_new(audit_part *part, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    size_t room = folder + 64;
    int fd = -1;
    part->path = copy(path);
    part->part = lg_zalloc(room);
    errno = part->path && part->part ? EEXIST : ENOMEM;
    for (unsigned i = 0; i < NAMES_TRIED && fd < 0 && errno == EEXIST; i++) {
        snprintf(part->part, room, "%.*s.ledgergate-%ld-%u.tmp", (int)folder, path, (long)getpid(),
                 i);
        fd = open(part->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return fd;
}

bool audit_part_open(audit_part *part, const char *path)
{
    *part = (audit_part){.file = NULL};
    int fd = open_new(part, path);
    part->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!part->file) {
        int why = errno;
        if (fd >= 0) {
            (void)unlink(part->part);
            (void)close(fd);
        }
        forget(part);
        errno = why;
    }
    return part->file != NULL;
}

void audit_part_put(audit_part *part, lg_str text)
{
    if (fwrite(text.ptr, 1, text.len, part->file) != text.len) {
        part->failed = true;
    }
}

bool audit_part_close(audit_part *part, bool whole)
{
    if (!part->file) {
        return true;
    }
    bool fine = fflush(part->file) == 0 && !part->failed && fsync(fileno(part->file)) == 0;
    fine = fclose(part->file) == 0 && fine;
    fine = fine && (!whole || rename(part->part, part->path) == 0);
    int why = errno;
    if (!fine || !whole) {
        (void)unlink(part->part);
    }
    forget(part);
    errno = why;
    return fine;
}
