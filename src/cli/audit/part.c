// part.c: see part.h.
#include "cli/audit/part.h"

#include "base/alloc.h"

#include <errno.h>
#include <unistd.h>

static void forget(audit_part *part)
{
    lg_free(part->path);
    lg_free(part->part);
    *part = (audit_part){.file = NULL};
}

static char *join(const char *path, const char *ending)
{
    size_t length = strlen(path) + strlen(ending) + 1;
    char *ret = lg_zalloc(length);
    if (ret) {
        snprintf(ret, length, "%s%s", path, ending);
    }
    return ret;
}

bool audit_part_open(audit_part *part, const char *path)
{
    *part = (audit_part){.path = join(path, ""), .part = join(path, ".part")};
    errno = ENOMEM;
    part->file = part->path && part->part ? fopen(part->part, "we") : NULL;
    if (!part->file) {
        int why = errno;
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
