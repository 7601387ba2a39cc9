// What has no size beforehand is read up to its own limit and no further.
#include "base/file.h"
#include "base/str.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lg_test.h"

// Opens a pipe into which a child writes `size` bytes.
static lg_status read_pipe(size_t size, const lg_limits *limits, lg_file *ret, lg_error *error)
{
    static const char block[65536] = {'x'};
    int ends[2];
    char name[64];
    if (!CHECK(pipe(ends) == 0)) {
        return LG_ERR_INTERNAL;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        for (size_t left = size; left > 0;) {
            ssize_t put = write(ends[1], block, left < sizeof(block) ? left : sizeof(block));
            if (put <= 0) {
                break;
            }
            left -= (size_t)put;
        }
        _exit(0);
    }
    close(ends[1]);
    snprintf(name, sizeof(name), "/dev/fd/%d", ends[0]);
    lg_status status = lg_file_read(name, limits, ret, error);
    close(ends[0]);
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    return status;
}

static void a_pipe_may_have_the_default_and_no_byte_more(void)
{
    size_t most = lg_limits_resolve(NULL).stream_bytes;
    lg_file file = {0};
    lg_error error = {0};
    CHECK(read_pipe(most, NULL, &file, &error) == LG_OK && file.text.len == most);
    lg_file_close(&file);
    CHECK(read_pipe(most + 1, NULL, &file, &error) == LG_ERR_LIMIT);
    CHECK(strstr(error.msg, " is larger than the limit of 67108864 bytes (stream_bytes)") != NULL);
}

static void another_limit_may_be_asked_for(void)
{
    lg_file file = {0};
    lg_error error = {0};
    lg_limits limits = {.stream_bytes = 100000};
    CHECK(read_pipe(100000, &limits, &file, &error) == LG_OK && file.text.len == 100000);
    lg_file_close(&file);
    CHECK(read_pipe(100001, &limits, &file, &error) == LG_ERR_LIMIT);
    limits = (lg_limits){.json_bytes = 10}; // of everything
    CHECK(read_pipe(10, &limits, &file, &error) == LG_OK);
    lg_file_close(&file);
    CHECK(read_pipe(11, &limits, &file, &error) == LG_ERR_LIMIT);
}

int main(void)
{
    RUN(a_pipe_may_have_the_default_and_no_byte_more);
    RUN(another_limit_may_be_asked_for);
    return lg_test_done();
}
