// lines.c: see lines.h.
#include "cli/lines.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define START_BYTES ((size_t)256 << 10)

lg_status cli_lines_open(cli_lines *lines, const char *path, lg_error *reterr)
{
    struct stat info;
    bool is_stdin = strcmp(path, "-") == 0;
    *lines = (cli_lines){.name = is_stdin ? "standard input" : path,
                         .limit_bytes = lg_limits_resolve(cli_limits()).stream_bytes};
    lines->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (lines->fd < 0 || fstat(lines->fd, &info) != 0) {
        return lg_fail(reterr, LG_ERR_IO, "cannot read %s: %s", lines->name, strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return lg_fail(reterr, LG_ERR_IO, "%s is a folder; give the files in it", lines->name);
    }
    return LG_OK;
}

void cli_lines_close(cli_lines *lines)
{
    if (lines->fd > STDERR_FILENO) {
        close(lines->fd);
    }
    lg_free(lines->memory);
    lines->memory = NULL;
}

// Moves what is left to the front, and makes room behind it.
static lg_status make_room(cli_lines *lines, lg_error *reterr)
{
    if (lines->from) {
        memmove(lines->memory, lines->memory + lines->from, lines->len);
        lines->from = 0;
    }
    if (lines->len < lines->capacity) {
        return LG_OK;
    }
    size_t size = lines->capacity ? lines->capacity * 2 : START_BYTES;
    char *memory = lg_realloc(lines->memory, size);
    if (!memory) {
        return lg_fail_oom(reterr);
    }
    lines->memory = memory;
    lines->capacity = size;
    return LG_OK;
}

static lg_status read_more(cli_lines *lines, lg_error *reterr)
{
    lg_status status = make_room(lines, reterr);
    ssize_t got = -1;
    while (status == LG_OK && got < 0) {
        got = read(lines->fd, lines->memory + lines->len, lines->capacity - lines->len);
        if (got < 0 && errno != EINTR) {
            status = lg_fail(reterr, LG_ERR_IO, "cannot read %s: %s", lines->name, strerror(errno));
        }
    }
    lines->ended = status != LG_OK || got == 0;
    lines->len += got > 0 ? (size_t)got : 0;
    return status;
}

lg_status cli_lines_next(cli_lines *lines, lg_str *ret, bool *ret_more, lg_error *reterr)
{
    size_t seen = 0; // of what is there: no line end is in it
    bool too_long = false;
    lines->number++;
    for (;;) {
        const char *start = lines->memory + lines->from;
        const char *end = lines->len > seen ? memchr(start + seen, '\n', lines->len - seen) : NULL;
        size_t length = end ? (size_t)(end - start) : lines->len;
        if (end || lines->ended) {
            *ret = (lg_str){length ? start : "", length};
            *ret_more = end || length > 0 || too_long;
            lines->from += length + (end ? 1 : 0);
            lines->len -= length + (end ? 1 : 0);
            return too_long || length > lines->limit_bytes
                       ? lg_fail(reterr, LG_ERR_LIMIT, "a line is longer than %zu bytes",
                                 lines->limit_bytes)
                       : LG_OK;
        }
        seen = lines->len;
        if (seen > lines->limit_bytes) { // the rest of it is read and forgotten
            too_long = true;
            seen = lines->len = lines->from = 0;
        }
        lg_status status = read_more(lines, reterr);
        if (status != LG_OK) {
            return status;
        }
    }
}
