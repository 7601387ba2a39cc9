// tape.c: an executor around another one that writes down what passes.
//
// Only what was answered is written: of a call that failed, or of which nobody knows, there is nothing to recall. A line is
// appended under a lock of the file, so that several tapes of one file do not cut each other's lines, and one that does not
// fit (the disk is full) is taken back. After that no call is made any more: it could not be recalled.
#include "tool/tool_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAST_LINE_BYTES                                                                            \
    ((size_t)32 << 20) // looked at of a file that does not end with a line's end

typedef struct tape {
    lg_executor base;
    lg_executor *inner;
    lg_str path;
    int fd;
    bool is_broken; // a line could not be written
} tape;

static lg_status list(lg_executor *executor, lg_arena *arena, lg_mcp_tools *tools, lg_error *reterr)
{
    return lg_executor_list(((tape *)executor)->inner, arena, tools, reterr);
}

static void write_line(lg_buf *out, const lg_executor_call *call, const lg_executor_answer *answer)
{
    lg_json_writer w = {.out = out};
    lg_jw_begin_object(&w);
    lg_jw_member_str(&w, "name", call->tool);
    lg_jw_key(&w, "arguments");
    if (call->args) {
        lg_jw_json(&w, call->args);
    } else {
        lg_jw_begin_object(&w);
        lg_jw_end_object(&w);
    }
    if (call->by_user) {
        lg_jw_member_c(&w, "requestor", "user");
    }
    lg_jw_member_json(&w, "result", answer->value);
    lg_jw_member_bool(&w, "error", answer->is_error);
    if (answer->status) {
        lg_jw_member_uint(&w, "status", answer->status);
    }
    if (answer->structured) {
        lg_jw_member_json(&w, "structuredContent", answer->structured);
    }
    lg_jw_end_object(&w);
    lg_buf_add_byte(out, '\n');
}

static bool write_all(int fd, lg_str line)
{
    while (line.len) {
        ssize_t put = write(fd, line.ptr, line.len);
        if (put == 0 || (put < 0 && errno != EINTR)) {
            return false;
        }
        line = lg_str_slice(line, put > 0 ? (size_t)put : 0, line.len);
    }
    return true;
}

static void lock_file(int fd, int how)
{
    while (flock(fd, how) != 0 && errno == EINTR) {
    }
}

// Whole, or not at all: half a line would make all the tape unreadable.
static lg_status append(tape *t, lg_str line, lg_error *reterr)
{
    lg_status status = LG_OK;
    lock_file(t->fd, LOCK_EX);
    off_t before = lseek(t->fd, 0, SEEK_END);
    if (!write_all(t->fd, line)) {
        const char *why = strerror(errno);
        bool is_mended = before >= 0 && ftruncate(t->fd, before) == 0;
        t->is_broken = true;
        status =
            lg_fail(reterr, LG_ERR_IO, "the call was carried out, but not written down: %s: %s%s",
                    t->path.ptr, why, is_mended ? "" : "; its last line is broken");
    }
    lock_file(t->fd, LOCK_UN);
    return status;
}

// What a crash has left of a line is cut; a whole line gets its end. Never more than the last line is touched.
static lg_status mend_end(const tape *t, lg_error *reterr)
{
    lg_buf tail;
    lg_arena arena;
    const lg_json *last = NULL;
    off_t size = lseek(t->fd, 0, SEEK_END);
    size_t len = size > (off_t)LAST_LINE_BYTES ? LAST_LINE_BYTES : size > 0 ? (size_t)size : 0;
    lg_buf_init(&tail, 0);
    lg_arena_init(&arena, 0);
    char *room = len ? lg_buf_room(&tail, len) : NULL;
    bool fine = !len || (room && pread(t->fd, room, len, size - (off_t)len) == (ssize_t)len);
    size_t from = len;
    while (fine && from && room[from - 1] != '\n') {
        from--;
    }
    if (fine && from < len && (from || (off_t)len == size)) {
        lg_str text = {room, len};
        bool whole =
            lg_json_parse_in(&arena, text, from, len, t->base.options.limits, &last, NULL) == LG_OK;
        fine = whole ? write_all(t->fd, LG_STR("\n"))
                     : ftruncate(t->fd, size - (off_t)(len - from)) == 0;
    }
    lg_arena_done(&arena);
    lg_buf_done(&tail);
    return fine ? LG_OK
                : lg_fail(reterr, LG_ERR_IO, "%s cannot be written: %s", t->path.ptr,
                          strerror(errno));
}

static lg_status run(lg_executor *executor, const lg_executor_call *call, lg_arena *arena,
                     lg_executor_answer *ret, lg_error *reterr)
{
    tape *t = (tape *)executor;
    if (t->is_broken) {
        return lg_executor_end(arena, LG_EXECUTOR_FAILED, ret,
                               "nothing is recorded any more, since %s could not be written: make "
                               "room, and start again",
                               t->path.ptr);
    }
    lg_status status = lg_executor_run(t->inner, call, arena, ret, reterr);
    if (status != LG_OK || ret->outcome != LG_EXECUTOR_DONE) {
        return status;
    }
    lg_buf line;
    lg_buf_init(&line, 0);
    write_line(&line, call, ret);
    status = lg_buf_status(&line);
    if (status == LG_OK) {
        status = append(t, lg_buf_str(&line), reterr);
    } else {
        status = lg_fail(reterr, LG_ERR_IO,
                         "the call was carried out, but is too large to be written down");
    }
    lg_buf_done(&line);
    return status;
}

static void stop(lg_executor *executor)
{
    lg_executor_stop(((tape *)executor)->inner);
}

static void free_tape(lg_executor *executor)
{
    tape *t = (tape *)executor;
    lg_executor_free(t->inner);
    if (t->fd >= 0) {
        close(t->fd);
    }
}

lg_status lg_executor_record(lg_executor *inner, const char *path, lg_executor **ret,
                             lg_error *reterr)
{
    static const lg_executor_kind kind = {list, run, free_tape, stop};
    tape *t = lg_executor_make(&kind, sizeof(*t), NULL);
    if (!t) {
        lg_executor_free(inner);
        return lg_fail_oom(reterr);
    }
    t->inner = inner;
    t->fd = -1;
    t->path = lg_arena_str(&t->base.arena, lg_str_c(path));
    t->fd = t->path.ptr ? open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    lg_status status = LG_OK;
    if (t->fd < 0) {
        status = t->path.ptr
                     ? lg_fail(reterr, LG_ERR_IO, "%s cannot be written: %s", path, strerror(errno))
                     : lg_fail_oom(reterr);
    } else {
        struct stat about;
        bool is_file = fstat(t->fd, &about) == 0 && S_ISREG(about.st_mode);
        lock_file(t->fd, LOCK_EX);
        status = is_file ? mend_end(t, reterr) : LG_OK;
        lock_file(t->fd, LOCK_UN);
    }
    if (status != LG_OK) {
        lg_executor_free(&t->base);
        return status;
    }
    *ret = &t->base;
    return LG_OK;
}
