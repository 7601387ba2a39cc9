// Whole files: regular, empty, missing, folders, pipes, standard input, and the limit for all.
#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lg_test.h"

static char folder[64] = "lg_test_file.XXXXXX"; // in the current folder
static char path[128];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text, size_t size)
{
    FILE *file = fopen(in_folder(name), "wb");
    CHECK(file && fwrite(text, 1, size, file) == size);
    CHECK(file && fclose(file) == 0);
}

// A descriptor from which `size` times `x` can be read; a child writes it.
static int pipe_of(size_t size)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        for (size_t i = 0; i < size; i++) {
            if (write(ends[1], "x", 1) != 1) {
                break;
            }
        }
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

// Opens `name` with `pipe` as standard input, and puts the old one back.
static lg_status open_stdin(int pipe, size_t limit, lg_file *file, lg_error *error)
{
    int saved = dup(STDIN_FILENO);
    dup2(pipe, STDIN_FILENO);
    lg_status status = lg_file_open("-", limit, file, error);
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(pipe);
    return status;
}

static void a_file_is_read_whole(void)
{
    write_file("text", "a\0b\n", 4);
    lg_file file = {0};
    lg_error error;
    CHECK(lg_file_open(in_folder("text"), 4, &file, &error) == LG_OK);
    CHECK(lg_str_eq(file.text, lg_str_of("a\0b\n", 4)));
    lg_file_close(&file);
    CHECK(file.text.len == 0);
    lg_file_close(&file); // twice is allowed, and so is a zeroed one
    lg_file zeroed = {0};
    lg_file_close(&zeroed);
}

// Whoever saves a pack while it is being looked at must not take the reader with them.
static void a_file_that_is_cut_short_later_stays_as_it_was(void)
{
    write_file("pack", "pack: shop\n", 11);
    lg_file file = {0};
    CHECK(lg_file_open(in_folder("pack"), 100, &file, NULL) == LG_OK);
    CHECK(truncate(path, 0) == 0);
    CHECK_STR(file.text, "pack: shop\n");
    lg_file_close(&file);
}

static const off_t large_bytes = (off_t)17 << 20;

static void a_large_file_that_is_cut_short_later_stays_as_it_was(void)
{
    write_file("large", "first", 5);
    lg_file file = {0};
    CHECK(truncate(in_folder("large"), large_bytes) == 0);
    CHECK(lg_file_open(path, (size_t)1 << 30, &file, NULL) == LG_OK);
    CHECK(truncate(path, 0) == 0);
    CHECK(file.text.len == (size_t)large_bytes);
    CHECK(memcmp(file.text.ptr, "first\0", 6) == 0 && file.text.ptr[large_bytes - 1] == 0);
    lg_file_close(&file);
}

// Another process cuts the file short and makes it whole again, over and over, until it is ended.
static pid_t begin_cutting(const char *name)
{
    pid_t child = fork();
    if (child == 0) {
        for (;;) {
            if (truncate(name, 4096) != 0 || truncate(name, large_bytes) != 0) {
                _exit(1);
            }
        }
    }
    return child;
}

// Whenever that happens: a whole file or an error that names it, and never a signal.
static void a_file_that_is_cut_short_while_it_is_read_is_an_error(void)
{
    write_file("large", "first", 5);
    CHECK(truncate(in_folder("large"), large_bytes) == 0);
    pid_t child = begin_cutting(path);
    for (int i = 0; i < 60; i++) {
        lg_file file = {0};
        lg_error error = {0};
        lg_status status = lg_file_open(path, (size_t)1 << 30, &file, &error);
        if (status == LG_OK) {
            size_t sum = 0;
            for (size_t at = 0; at < file.text.len; at += 4096) {
                sum += (unsigned char)file.text.ptr[at];
            }
            CHECK(sum == 'f');
            lg_file_close(&file);
            continue;
        }
        CHECK(status == LG_ERR_IO);
        CHECK_MSG(strstr(error.msg, "changed while it was read"), error.msg);
    }
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    CHECK(truncate(path, 0) == 0);
}

// A recording that is still being written is read as far as it goes.
static void a_file_that_grows_while_it_is_read_is_fine(void)
{
    static const char block[4096] = {'x'};
    write_file("large", block, sizeof(block));
    pid_t child = fork();
    if (child == 0) {
        int fd = open(path, O_WRONLY | O_APPEND);
        for (int i = 0; i < 4000 && write(fd, block, sizeof(block)) == (ssize_t)sizeof(block);
             i++) {
        }
        _exit(0);
    }
    size_t last = 0;
    for (int i = 0; i < 30; i++) {
        lg_file file = {0};
        lg_error error = {0};
        if (CHECK_MSG(lg_file_open(path, (size_t)1 << 30, &file, &error) == LG_OK, error.msg)) {
            CHECK(file.text.len >= last && file.text.len >= sizeof(block));
            last = file.text.len;
            lg_file_close(&file);
        }
    }
    CHECK(waitpid(child, NULL, 0) == child);
    CHECK(truncate(path, 0) == 0);
}

// Files of /sys say that they have a page, and give a few bytes: to a reader that is a file that was
// cut short between being asked for its size and being read.
static void a_file_that_gives_less_than_it_said_is_an_error(void)
{
    static const char *const name = "/sys/kernel/mm/transparent_hugepage/enabled";
    lg_file file = {0};
    lg_error error;
    struct stat info;
    if (stat(name, &info) != 0 || info.st_size == 0) {
        printf("skipped: a file that gives less than it said (%s is not here)\n", name);
        return;
    }
    CHECK(lg_file_open(name, 1 << 20, &file, &error) == LG_ERR_IO);
    CHECK(lg_str_starts(lg_str_c(error.msg), lg_str_c(name)));
    CHECK_MSG(strstr(error.msg, " changed while it was read: it had 4096 bytes, then 4096, and "),
              error.msg);
}

// Standard input may be a file of which somebody has read the beginning.
static void the_rest_of_a_file_is_read_whole(void)
{
    write_file("text", "first\nrest\n", 11);
    int fd = open(in_folder("text"), O_RDONLY);
    lg_file file = {0};
    lg_error error;
    CHECK(lseek(fd, 6, SEEK_SET) == 6);
    CHECK(open_stdin(fd, 5, &file, &error) == LG_OK);
    CHECK_STR(file.text, "rest\n");
    lg_file_close(&file);
}

static void an_empty_file_is_an_empty_text(void)
{
    write_file("empty", "", 0);
    lg_file file = {0};
    CHECK(lg_file_open(in_folder("empty"), 4, &file, NULL) == LG_OK);
    CHECK(file.text.ptr && file.text.len == 0);
    lg_file_close(&file);
}

static void a_file_that_hides_its_size_is_read(void)
{
    lg_file file = {0};
    struct stat info;
    if (stat("/proc/self/status", &info) != 0 || info.st_size != 0) {
        CHECK_MSG(true, "this system has no such file");
        return;
    }
    CHECK(lg_file_open("/proc/self/status", 1 << 20, &file, NULL) == LG_OK);
    CHECK(lg_str_find(file.text, LG_STR("Pid:")) != SIZE_MAX);
    lg_file_close(&file);
}

static void what_cannot_be_read_is_named_with_its_reason(void)
{
    lg_file file = {0};
    lg_error error;
    char want[200];
    CHECK(lg_file_open(in_folder("missing"), 4, &file, &error) == LG_ERR_IO);
    snprintf(want, sizeof(want), "cannot read %s: No such file or directory", path);
    CHECK_STR(lg_str_c(error.msg), want);
    CHECK(lg_file_open(folder, 4, &file, &error) == LG_ERR_IO);
    snprintf(want, sizeof(want), "%s is a folder; give the files in it", folder);
    CHECK_STR(lg_str_c(error.msg), want);
    CHECK(lg_file_open("", 4, &file, &error) == LG_ERR_IO);
    CHECK(file.text.ptr == NULL);
}

static void a_limit_is_inclusive_for_files(void)
{
    write_file("five", "12345", 5);
    lg_file file = {0};
    lg_error error;
    char want[200];
    CHECK(lg_file_open(in_folder("five"), 5, &file, &error) == LG_OK);
    lg_file_close(&file);
    CHECK(lg_file_open(in_folder("five"), 4, &file, &error) == LG_ERR_LIMIT);
    snprintf(want, sizeof(want), "%s is larger than the limit of 4 bytes (json_bytes)", path);
    CHECK_STR(lg_str_c(error.msg), want);
}

static void a_huge_file_is_refused_without_being_read(void)
{
    write_file("huge", "", 0);
    uint64_t before = lg_alloc_count();
    lg_file file = {0};
    CHECK(truncate(in_folder("huge"), (off_t)1 << 33) == 0);
    CHECK(lg_file_open(path, (size_t)1 << 30, &file, NULL) == LG_ERR_LIMIT);
    CHECK(lg_alloc_count() == before);
}

static void a_stream_is_read_to_its_end(void)
{
    static const size_t sizes[] = {0, 1, 3000, 70000};
    for (size_t i = 0; i < LG_COUNT(sizes); i++) {
        lg_file file = {0};
        lg_error error;
        CHECK(open_stdin(pipe_of(sizes[i]), sizes[i] + 1, &file, &error) == LG_OK);
        CHECK(file.text.ptr && file.text.len == sizes[i]);
        lg_file_close(&file);
    }
}

static void a_limit_is_inclusive_for_streams(void)
{
    lg_file file = {0};
    lg_error error;
    CHECK(open_stdin(pipe_of(1000), 1000, &file, &error) == LG_OK);
    CHECK(file.text.len == 1000);
    lg_file_close(&file);
    CHECK(open_stdin(pipe_of(1001), 1000, &file, &error) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(error.msg),
              "standard input is larger than the limit of 1000 bytes (stream_bytes)");
}

// Most that this process has held in memory, in KiB.
static long peak_kib(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : -1;
}

// What has no end is given up at the limit of streams, long before that of files, and no more memory
// than that was taken. (Up to five times under a sanitizer, which keeps what was freed.)
static void an_endless_device_fills_no_memory(void)
{
    lg_file file = {0};
    lg_error error;
    lg_limits limits = {.stream_bytes = (size_t)8 << 20};
    long before = peak_kib();
    CHECK(lg_file_read("/dev/zero", &limits, &file, &error) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(error.msg),
              "/dev/zero is larger than the limit of 8388608 bytes (stream_bytes)");
    CHECK(lg_file_read("/dev/zero", NULL, &file, &error) == LG_ERR_LIMIT);
    CHECK_STR(lg_str_c(error.msg),
              "/dev/zero is larger than the limit of 67108864 bytes (stream_bytes)");
    CHECK(before > 0 && peak_kib() - before < 5 * (64 << 10));
}

static void an_endless_device_ends_at_the_limit(void)
{
    lg_file file = {0};
    CHECK(lg_file_open("/dev/zero", 1 << 20, &file, NULL) == LG_ERR_LIMIT);
    CHECK(lg_file_open("/dev/null", 1 << 20, &file, NULL) == LG_OK);
    CHECK(file.text.len == 0);
    lg_file_close(&file);
}

static void a_stream_without_memory_is_an_error(void)
{
    lg_file file = {0};
    lg_error error;
    int pipe = pipe_of(10);
    lg_alloc_fail_at(1);
    CHECK(open_stdin(pipe, 100, &file, &error) == LG_ERR_OOM);
    lg_alloc_fail_at(0);
    CHECK(error.status == LG_ERR_OOM);
}

static void a_folder_as_standard_input_is_refused(void)
{
    lg_file file = {0};
    lg_error error;
    CHECK(open_stdin(open(folder, O_RDONLY), 100, &file, &error) == LG_ERR_IO);
    CHECK_STR(lg_str_c(error.msg), "standard input is a folder; give the files in it");
}

int main(void)
{
    if (!mkdtemp(folder)) {
        printf("no folder can be made here\n");
        return 1;
    }
    RUN(an_endless_device_fills_no_memory); // first: the peak of memory never falls
    RUN(a_file_is_read_whole);
    RUN(a_file_that_is_cut_short_later_stays_as_it_was);
    RUN(a_large_file_that_is_cut_short_later_stays_as_it_was);
    RUN(a_file_that_is_cut_short_while_it_is_read_is_an_error);
    RUN(a_file_that_grows_while_it_is_read_is_fine);
    RUN(a_file_that_gives_less_than_it_said_is_an_error);
    RUN(the_rest_of_a_file_is_read_whole);
    RUN(an_empty_file_is_an_empty_text);
    RUN(a_file_that_hides_its_size_is_read);
    RUN(what_cannot_be_read_is_named_with_its_reason);
    RUN(a_limit_is_inclusive_for_files);
    RUN(a_huge_file_is_refused_without_being_read);
    RUN(a_stream_is_read_to_its_end);
    RUN(a_limit_is_inclusive_for_streams);
    RUN(an_endless_device_ends_at_the_limit);
    RUN(a_stream_without_memory_is_an_error);
    RUN(a_folder_as_standard_input_is_refused);
    static const char *const names[] = {"text", "pack", "large", "empty", "five", "huge"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        unlink(in_folder(names[i]));
    }
    CHECK_MSG(rmdir(folder) == 0, "the test leaves nothing behind");
    return lg_test_done();
}
