// What is written is there as a whole or not at all, and what is no regular file is written to.
#include "base/file.h"
#include "base/str.h"
#include "base/write_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lg_test.h"

static char folder[64] = "lg_test_write.XXXXXX"; // in the current folder
static char path[256];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void make(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "wb");
    CHECK(file && fputs(text, file) >= 0);
    CHECK(file && fclose(file) == 0);
}

static void check_holds(const char *name, const char *want)
{
    lg_file file = {0};
    lg_error error;
    if (CHECK_MSG(lg_file_open(in_folder(name), 1 << 20, &file, &error) == LG_OK, error.msg)) {
        CHECK_STR(file.text, want);
    }
    lg_file_close(&file);
}

static struct stat stat_of(const char *name)
{
    struct stat info = {0};
    CHECK(lstat(in_folder(name), &info) == 0);
    return info;
}

// Nothing is left beside the files that were meant.
static void check_only(size_t want)
{
    size_t count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    CHECK(dir && closedir(dir) == 0);
    CHECK(count == want);
}

static void empty_folder(void)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
    CHECK(dir && closedir(dir) == 0);
}

static bool writes(const char *name, const char *text)
{
    lg_error error = {0};
    return CHECK_MSG(lg_write_file(in_folder(name), lg_str_c(text), &error) == LG_OK, error.msg);
}

static void check_fails(const char *name, const char *text, int why)
{
    lg_error error = {0};
    char want[400];
    CHECK(lg_write_file(name, lg_str_c(text), &error) == LG_ERR_IO);
    snprintf(want, sizeof(want), "cannot write %s: %s", name, strerror(why));
    CHECK_STR(lg_str_c(error.msg), want);
}

static void a_new_file_has_the_mode_of_new_files(void)
{
    mode_t old = umask(027);
    writes("new", "text\n");
    umask(old);
    check_holds("new", "text\n");
    CHECK((stat_of("new").st_mode & 07777) == 0640);
    check_only(1);
    empty_folder();
}

static void a_file_is_replaced_and_keeps_its_mode(void)
{
    static const mode_t modes[] = {0600, 0644, 0664, 0755, 0606};
    for (size_t i = 0; i < LG_COUNT(modes); i++) {
        make("old", "a longer text than the new one\n");
        CHECK(chmod(in_folder("old"), modes[i]) == 0);
        ino_t before = stat_of("old").st_ino;
        int reader = open(in_folder("old"), O_RDONLY);
        writes("old", "new\n");
        char seen[8] = {0};
        CHECK(read(reader, seen, 7) == 7 && strcmp(seen, "a longe") == 0); // the old one, whole
        close(reader);
        check_holds("old", "new\n");
        CHECK((stat_of("old").st_mode & 07777) == modes[i]);
        CHECK(stat_of("old").st_ino != before);
        check_only(1);
        empty_folder();
    }
}

static void a_link_stays_and_its_target_is_replaced(void)
{
    char far[512];
    char here[256];
    CHECK(getcwd(here, sizeof(here)) != NULL);
    make("target", "old\n");
    CHECK(symlink("target", in_folder("near")) == 0 && symlink("near", in_folder("chain")) == 0);
    snprintf(far, sizeof(far), "%s/%s/target", here, folder);
    CHECK(symlink(far, in_folder("far")) == 0);
    static const char *const links[] = {"near", "chain", "far"};
    for (size_t i = 0; i < LG_COUNT(links); i++) {
        writes(links[i], links[i]);
        check_holds("target", links[i]);
        CHECK(S_ISLNK(stat_of(links[i]).st_mode) && S_ISREG(stat_of("target").st_mode));
    }
    CHECK(symlink("made", in_folder("to-nothing")) == 0);
    writes("to-nothing", "text\n");
    check_holds("made", "text\n");
    CHECK(S_ISLNK(stat_of("to-nothing").st_mode));
    CHECK(symlink("circle", in_folder("circle")) == 0);
    check_fails(in_folder("circle"), "text\n", ELOOP);
    check_only(7);
    empty_folder();
}

static void a_fifo_is_written_to(void)
{
    CHECK(mkfifo(in_folder("fifo"), 0600) == 0);
    pid_t child = fork();
    if (child == 0) {
        char seen[16] = {0};
        int fd = open(path, O_RDONLY);
        ssize_t got = read(fd, seen, 15);
        _exit(got == 5 && strcmp(seen, "text\n") == 0 ? 0 : 1);
    }
    writes("fifo", "text\n");
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(S_ISFIFO(stat_of("fifo").st_mode));
    check_only(1);
    empty_folder();
}

static void a_device_is_written_to(void)
{
    struct stat before;
    struct stat after;
    lg_error error;
    CHECK(stat("/dev/null", &before) == 0);
    CHECK(lg_write_file("/dev/null", LG_STR("text\n"), &error) == LG_OK);
    CHECK(stat("/dev/null", &after) == 0 && S_ISCHR(after.st_mode) &&
          after.st_ino == before.st_ino);
    if (access("/dev/full", W_OK) == 0) {
        check_fails("/dev/full", "text\n", ENOSPC);
    }
}

// Also where standard output is a file: what is in it already is neither replaced nor written over.
static void standard_output_is_written_to_where_it_stands(void)
{
    lg_error error = {0};
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    int fd = open(in_folder("out"), O_WRONLY | O_CREAT, 0600);
    CHECK(dup2(fd, STDOUT_FILENO) == STDOUT_FILENO && write(STDOUT_FILENO, "before\n", 7) == 7);
    lg_status status = lg_write_file("/dev/stdout", LG_STR("text\n"), &error);
    CHECK(write(STDOUT_FILENO, "after\n", 6) == 6);
    CHECK(dup2(saved, STDOUT_FILENO) == STDOUT_FILENO);
    close(saved);
    close(fd);
    CHECK_MSG(status == LG_OK, error.msg);
    check_holds("out", "before\ntext\nafter\n");
    check_only(1);
    empty_folder();
}

static void what_fails_leaves_the_old_file(void)
{
    check_fails(folder, "text\n", EISDIR);
    check_fails(in_folder("none/file"), "text\n", ENOENT);
    make("old", "old\n");
    check_fails(in_folder("old/file"), "text\n", ENOTDIR);
    char name[300];
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    check_fails(name, "text\n", ENAMETOOLONG);
    check_holds("old", "old\n");
    check_only(1);
    empty_folder();
}

// As on a full disk: the first part of the text can be written, the rest cannot.
static void a_disk_that_is_full_leaves_the_old_file(void)
{
    static char text[8192];
    memset(text, 'x', sizeof(text) - 1);
    make("old", "old\n");
    struct rlimit before;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, before.rlim_max}) == 0);
    in_folder("old");
    lg_error error = {0};
    lg_status status = lg_write_file(path, lg_str_c(text), &error);
    errno = 0;
    bool private = lg_write_private_file(path, lg_str_c(text));
    int why = errno;
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    signal(SIGXFSZ, handler);
    CHECK(status == LG_ERR_IO && strstr(error.msg, strerror(EFBIG)) != NULL);
    CHECK(!private && why == EFBIG);
    check_holds("old", "old\n");
    check_only(1);
    empty_folder();
}

// A folder would let a file be replaced that its owner has made read-only.
static void a_file_that_may_not_be_written_stays(void)
{
    if (geteuid() == 0) {
        printf("skipped: a file that may not be written (root may write to all)\n");
        return;
    }
    make("old", "old\n");
    CHECK(chmod(in_folder("old"), 0400) == 0);
    check_fails(path, "text\n", EACCES);
    check_holds("old", "old\n");
    CHECK(chmod(folder, 0500) == 0);
    check_fails(in_folder("new"), "text\n", EACCES);
    CHECK(chmod(folder, 0700) == 0);
    check_only(1);
    empty_folder();
}

static void a_private_file_takes_the_place_of_a_link(void)
{
    make("target", "old\n");
    CHECK(symlink("target", in_folder("link")) == 0);
    CHECK(lg_write_private_file(in_folder("link"), LG_STR("text\n")));
    CHECK(S_ISREG(stat_of("link").st_mode) && (stat_of("link").st_mode & 07777) == 0600);
    check_holds("link", "text\n");
    check_holds("target", "old\n");
    check_only(2);
    empty_folder();
}

// What another process of the same number has left there is neither written to nor taken away.
static void a_temporary_name_that_is_taken_is_left_alone(void)
{
    char taken[64];
    snprintf(taken, sizeof(taken), ".ledgergate-%ld-0.tmp", (long)getpid());
    make(taken, "somebody's\n");
    writes("new", "text\n");
    check_holds(taken, "somebody's\n");
    check_holds("new", "text\n");
    check_only(2);
    empty_folder();
}

int main(void)
{
    if (!mkdtemp(folder)) {
        printf("no folder can be made here\n");
        return 1;
    }
    RUN(a_new_file_has_the_mode_of_new_files);
    RUN(a_file_is_replaced_and_keeps_its_mode);
    RUN(a_link_stays_and_its_target_is_replaced);
    RUN(a_fifo_is_written_to);
    RUN(a_device_is_written_to);
    RUN(standard_output_is_written_to_where_it_stands);
    RUN(what_fails_leaves_the_old_file);
    RUN(a_disk_that_is_full_leaves_the_old_file);
    RUN(a_file_that_may_not_be_written_stays);
    RUN(a_private_file_takes_the_place_of_a_link);
    RUN(a_temporary_name_that_is_taken_is_left_alone);
    CHECK_MSG(rmdir(folder) == 0, "the test leaves nothing behind");
    return lg_test_done();
}
