// file.c: reading to the end, and noticing what others do to the file meanwhile.
//
// The memory is as large as the file says it is, and one byte more, so that its end is met without
// growing. A large one begins with a huge page, so that 50 MB take 25 faults in place of 12,000: they
// are read in 13 ms, where walking over a mapping took 5 (without huge pages: 100).
#include "base/file.h"
#include "base/alloc.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STREAM_START_BYTES ((size_t)64 << 10)
#define AGAIN_BYTES ((size_t)16 << 10)
#define HUGE_FROM_BYTES ((size_t)4 << 20)

typedef struct reading {
    int fd;
    const char *name; // for people
    size_t limit_bytes;
    const char *limit_name;
    bool has_size;
    size_t begun_at; // of standard input, others may have read a part
    char *memory;
    size_t len;
    size_t capacity;
} reading;

static lg_status fail_limit(const reading *r, lg_error *reterr)
{
    return lg_fail(reterr, LG_ERR_LIMIT, "%s is larger than the limit of %zu bytes (%s)", r->name,
                   r->limit_bytes, r->limit_name);
}

static lg_status fail_errno(const char *name, lg_error *reterr)
{
    return lg_fail(reterr, LG_ERR_IO, "cannot read %s: %s", name, strerror(errno));
}

static char *alloc_large(size_t *size)
{
    *size = (*size + LG_HUGE_PAGE_BYTES - 1) / LG_HUGE_PAGE_BYTES * LG_HUGE_PAGE_BYTES;
    return lg_alloc_huge(*size);
}

// Makes room for what is to come: all of a file, or twice what a stream has given. Never for more than
// one byte beyond the limit, which is how that is noticed.
static lg_status make_room(reading *r, size_t size, lg_error *reterr)
{
    size_t most = r->limit_bytes < SIZE_MAX ? r->limit_bytes + 1 : SIZE_MAX;
    size = size > most ? most : size;
    bool large = !r->memory && size >= HUGE_FROM_BYTES && size <= SIZE_MAX / 2;
    char *memory = large ? alloc_large(&size) : lg_realloc(r->memory, size);
    if (!memory) {
        return lg_fail_oom(reterr);
    }
    r->memory = memory;
    r->capacity = size;
    return LG_OK;
}

static lg_status read_to_end(reading *r, lg_error *reterr)
{
    for (;;) {
        if (r->len == r->capacity) {
            lg_status status = make_room(r, r->capacity * 2, reterr);
            if (status != LG_OK) {
                return status;
            }
        }
        ssize_t got = read(r->fd, r->memory + r->len, r->capacity - r->len);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return fail_errno(r->name, reterr);
        }
        r->len += (size_t)got;
        if (r->len > r->limit_bytes) {
            return fail_limit(r, reterr);
        }
        if (got == 0) {
            return LG_OK;
        }
    }
}

static size_t size_from(const reading *r, const struct stat *info)
{
    size_t size = (size_t)info->st_size;
    return size > r->begun_at ? size - r->begun_at : 0;
}

// Does the file still begin with what was read of it?
static bool reads_the_same(const reading *r)
{
    char again[AGAIN_BYTES];
    for (size_t at = 0; at < r->len;) {
        size_t left = r->len - at;
        ssize_t got = pread(r->fd, again, left < sizeof(again) ? left : sizeof(again),
                            (off_t)(r->begun_at + at));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0 || memcmp(again, r->memory + at, (size_t)got) != 0) {
            return false;
        }
        at += (size_t)got;
    }
    return true;
}

// Did somebody cut the file short or write it anew while it was read? Then what was read may be half
// of one file and half of another. A file that only grows has the same beginning; its times and its size tell
// nothing, since they change one before the other.
static lg_status check_unchanged(const reading *r, const struct stat *before, lg_error *reterr)
{
    struct stat after;
    if (fstat(r->fd, &after) != 0) {
        return fail_errno(r->name, reterr);
    }
    size_t said = size_from(r, before);
    size_t says = size_from(r, &after);
    bool touched = said != says || before->st_mtim.tv_sec != after.st_mtim.tv_sec ||
                   before->st_mtim.tv_nsec != after.st_mtim.tv_nsec;
    if (r->len < said || says < said || (touched && !reads_the_same(r))) {
        return lg_fail(reterr, LG_ERR_IO,
                       "%s changed while it was read: it had %zu bytes, then %zu, and %zu could be "
                       "read; try again when nobody writes to it",
                       r->name, said, says, r->len);
    }
    return LG_OK;
}

static lg_status read_open(reading *r, const lg_limits *limits, lg_error *reterr)
{
    struct stat info;
    if (fstat(r->fd, &info) != 0) {
        return fail_errno(r->name, reterr);
    }
    if (S_ISDIR(info.st_mode)) {
        return lg_fail(reterr, LG_ERR_IO, "%s is a folder; give the files in it", r->name);
    }
    // Files of /proc claim to be empty and are not.
    r->has_size = S_ISREG(info.st_mode) && info.st_size > 0;
    off_t at = r->has_size ? lseek(r->fd, 0, SEEK_CUR) : 0;
    r->begun_at = at > 0 ? (size_t)at : 0;
    bool as_file = r->has_size || limits->json_bytes < limits->stream_bytes;
    r->limit_bytes = as_file ? limits->json_bytes : limits->stream_bytes;
    r->limit_name = as_file ? "json_bytes" : "stream_bytes";
    if (r->has_size && size_from(r, &info) > r->limit_bytes) {
        return fail_limit(r, reterr);
    }
#ifdef POSIX_FADV_SEQUENTIAL
    (void)posix_fadvise(r->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    lg_status status =
        make_room(r, r->has_size ? size_from(r, &info) + 1 : STREAM_START_BYTES, reterr);
    status = status == LG_OK ? read_to_end(r, reterr) : status;
    return status == LG_OK && r->has_size ? check_unchanged(r, &info, reterr) : status;
}

static lg_status read_fd(int fd, const char *name, const lg_limits *limits, lg_file *ret_file,
                         lg_error *reterr)
{
    reading r = {.fd = fd, .name = name};
    lg_status status = read_open(&r, limits, reterr);
    if (status != LG_OK) {
        lg_free(r.memory);
        return status;
    }
    *ret_file = (lg_file){{r.memory, r.len}, r.memory};
    return LG_OK;
}

lg_status lg_file_read(const char *path, const lg_limits *limits, lg_file *ret_file,
                       lg_error *reterr)
{
    lg_limits resolved = lg_limits_resolve(limits);
    if (strcmp(path, "-") == 0) {
        return read_fd(STDIN_FILENO, "standard input", &resolved, ret_file, reterr);
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return fail_errno(path, reterr);
    }
    lg_status status = read_fd(fd, path, &resolved, ret_file, reterr);
    close(fd);
    return status;
}

lg_status lg_file_open(const char *path, size_t limit_bytes, lg_file *ret_file, lg_error *reterr)
{
    return lg_file_read(path, &(lg_limits){.json_bytes = limit_bytes, .stream_bytes = limit_bytes},
                        ret_file, reterr);
}

void lg_file_close(lg_file *file)
{
    lg_free(file->memory);
    *file = (lg_file){{"", 0}, NULL};
}
