// file.c: what is small is read to its end, a large regular file is mapped.
//
// A mapped file that another program cuts short takes the reader with it (SIGBUS). So what people and
// editors write while we look (packs, schemas, states) is read; only recordings and databases are of
// a size where the copy would be felt.
#include "base/file.h"
#include "base/buf.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAPPED_FROM_BYTES ((size_t)16 << 20)

static lg_status fail_limit(const char *path, size_t limit_bytes, lg_error *reterr)
{
    return lg_fail(reterr, LG_ERR_LIMIT, "%s is larger than the limit of %zu bytes (json_bytes)",
                   path, limit_bytes);
}

static lg_status fail_errno(const char *path, lg_error *reterr)
{
    return lg_fail(reterr, LG_ERR_IO, "cannot read %s: %s", path, strerror(errno));
}

static lg_status map_file(int fd, const char *path, size_t size, lg_file *ret_file,
                          lg_error *reterr)
{
    void *mapping = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapping == MAP_FAILED) {
        return fail_errno(path, reterr);
    }
    *ret_file = (lg_file){{mapping, size}, mapping, size};
    return LG_OK;
}

// Reads to the end; the buffer's memory passes to the file.
static lg_status read_stream(int fd, const char *path, size_t limit_bytes, lg_file *ret_file,
                             lg_error *reterr)
{
    lg_buf buf;
    lg_buf_init(&buf, limit_bytes < SIZE_MAX / 8 ? limit_bytes + 65536 : 0);
    for (;;) {
        char *room = lg_buf_room(&buf, 65536);
        if (!room) {
            break;
        }
        ssize_t got = read(fd, room, 65536);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            lg_status status = fail_errno(path, reterr);
            lg_buf_done(&buf);
            return status;
        }
        buf.len += (size_t)got;
        if (got == 0 || buf.len > limit_bytes) {
            break;
        }
    }
    if (buf.len > limit_bytes || lg_buf_status(&buf) != LG_OK) {
        bool oom = lg_buf_status(&buf) == LG_ERR_OOM;
        lg_buf_done(&buf);
        return oom ? lg_fail_oom(reterr) : fail_limit(path, limit_bytes, reterr);
    }
    *ret_file = (lg_file){lg_buf_str(&buf), buf.ptr, 0};
    return LG_OK;
}

static lg_status open_fd(int fd, const char *path, size_t limit_bytes, lg_file *ret_file,
                         lg_error *reterr)
{
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return fail_errno(path, reterr);
    }
    if (S_ISDIR(info.st_mode)) {
        return lg_fail(reterr, LG_ERR_IO, "%s is a folder; give the files in it", path);
    }
    if (S_ISREG(info.st_mode) && (uint64_t)info.st_size > limit_bytes) {
        return fail_limit(path, limit_bytes, reterr);
    }
    // Files of /proc claim to be empty and are not.
    if (!S_ISREG(info.st_mode) || (uint64_t)info.st_size < MAPPED_FROM_BYTES) {
        return read_stream(fd, path, limit_bytes, ret_file, reterr);
    }
    return map_file(fd, path, (size_t)info.st_size, ret_file, reterr);
}

lg_status lg_file_open(const char *path, size_t limit_bytes, lg_file *ret_file, lg_error *reterr)
{
    if (strcmp(path, "-") == 0) {
        return open_fd(STDIN_FILENO, "standard input", limit_bytes, ret_file, reterr);
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return fail_errno(path, reterr);
    }
    lg_status status = open_fd(fd, path, limit_bytes, ret_file, reterr);
    close(fd);
    return status;
}

void lg_file_close(lg_file *file)
{
    if (file->mapping && file->mapping_bytes) {
        munmap(file->mapping, file->mapping_bytes);
    } else if (file->mapping) {
        lg_buf buf = {.ptr = file->mapping};
        lg_buf_done(&buf);
    }
    *file = (lg_file){{"", 0}, NULL, 0};
}
