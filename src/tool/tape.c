// tape.c: an executor around another one that writes down what passes.
//
// Only what was answered is written: of a call that failed, or of which nobody knows, there is nothing to recall. A line is
// one write to a file that is only appended to, so that several tapes of one file do not cut each other's lines.
#include "tool/tool_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

typedef struct tape {
    lg_executor base;
    lg_executor *inner;
    lg_str path;
    int fd;
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

static lg_status append(const tape *t, lg_str line, lg_error *reterr)
{
    while (line.len) {
        ssize_t put = write(t->fd, line.ptr, line.len);
        if (put < 0 && errno != EINTR) {
            return lg_fail(reterr, LG_ERR_IO,
                           "the call was carried out, but not written down: %s: %s", t->path.ptr,
                           strerror(errno));
        }
        line = lg_str_slice(line, put > 0 ? (size_t)put : 0, line.len);
    }
    return LG_OK;
}

static lg_status run(lg_executor *executor, const lg_executor_call *call, lg_arena *arena,
                     lg_executor_answer *ret, lg_error *reterr)
{
    const tape *t = (tape *)executor;
    lg_status status = lg_executor_run(t->inner, call, arena, ret, reterr);
    if (status != LG_OK || ret->outcome != LG_EXECUTOR_DONE) {
        return status;
    }
    lg_buf line;
    lg_buf_init(&line, 0);
    write_line(&line, call, ret);
    status = lg_buf_status(&line);
    status = status == LG_OK
                 ? append(t, lg_buf_str(&line), reterr)
                 : lg_fail(reterr, status, "a call that is too large for its recording");
    lg_buf_done(&line);
    return status;
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
    static const lg_executor_kind kind = {list, run, free_tape};
    tape *t = lg_executor_make(&kind, sizeof(*t), NULL);
    if (!t) {
        lg_executor_free(inner);
        return lg_fail_oom(reterr);
    }
    t->inner = inner;
    t->fd = -1;
    t->path = lg_arena_str(&t->base.arena, lg_str_c(path));
    t->fd = t->path.ptr ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (t->fd < 0) {
        lg_status status = t->path.ptr ? lg_fail(reterr, LG_ERR_IO, "%s cannot be written: %s",
                                                 path, strerror(errno))
                                       : lg_fail_oom(reterr);
        lg_executor_free(&t->base);
        return status;
    }
    *ret = &t->base;
    return LG_OK;
}
