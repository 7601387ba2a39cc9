// child.c: a process of one's own, spoken to over its standard input and output.
//
// Between fork() and exec only what is safe there is called: other threads may have held locks. So the command is searched
// before, and what goes wrong is told through a pipe that a successful exec closes. The child is the leader of its own
// session, so that it ends with all that it has started; and it ends when the thread that started it does.
#define _GNU_SOURCE // pipe2, close_range
#include "tool/tool_internal.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 1500 // between closing its input, SIGTERM and SIGKILL
#define READ_BYTES ((size_t)64 << 10)

// --- the command ---

static lg_str path_of(const char *const *environment)
{
    for (size_t i = 0; environment[i]; i++) {
        if (strncmp(environment[i], "PATH=", 5) == 0) {
            return lg_str_c(environment[i] + 5);
        }
    }
    return LG_STR("/usr/local/bin:/usr/bin:/bin");
}

static bool find_command(const char *command, lg_str path, char *room, size_t room_bytes)
{
    if (strchr(command, '/')) {
        return (size_t)snprintf(room, room_bytes, "%s", command) < room_bytes;
    }
    for (size_t at = 0; at <= path.len;) {
        size_t colon = lg_str_find(lg_str_slice(path, at, path.len), LG_STR(":"));
        size_t end = colon == SIZE_MAX ? path.len : at + colon;
        lg_str folder = lg_str_slice(path, at, end);
        int len = snprintf(room, room_bytes, "%.*s/%s", LG_FMT(folder), command);
        if (folder.len && len > 0 && (size_t)len < room_bytes && access(room, X_OK) == 0) {
            return true;
        }
        at = end + 1;
    }
    return false;
}

// --- starting it ---

typedef struct pipes {
    int in[2], out[2], err[2], fault[2];
} pipes;

static void close_one(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

static void close_pipes(pipes *p)
{
    int *all[] = {p->in, p->out, p->err, p->fault};
    for (size_t i = 0; i < LG_COUNT(all); i++) {
        close_one(&all[i][0]);
        close_one(&all[i][1]);
    }
}

static bool open_pipes(pipes *p)
{
    *p = (pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    if (pipe2(p->in, O_CLOEXEC) || pipe2(p->out, O_CLOEXEC) || pipe2(p->err, O_CLOEXEC) ||
        pipe2(p->fault, O_CLOEXEC)) {
        close_pipes(p);
        return false;
    }
    return true;
}

// A pipe's end may itself be 0, 1 or 2: it is moved out of the way first.
static bool place(int fd, int as)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    return high >= 0 && dup2(high, as) == as;
}

// In the child, until it is another program. What remains is a kill: there is no way back from here.
static void become(const pipes *p, const char *path, char *const *argv,
                   const char *const *environment, pid_t parent)
{
    sigset_t none;
    struct sigaction plain = {.sa_handler = SIG_DFL};
    bool placed = place(p->in[0], 0) && place(p->out[1], 1) && place(p->err[1], 2);
    sigemptyset(&none);
    sigaction(SIGPIPE, &plain, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (placed && getppid() == parent) {
        close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
        execve(path, argv, (char *const *)(uintptr_t)environment);
    }
    int why = errno ? errno : EINVAL;
    while (write(p->fault[1], &why, sizeof(why)) < 0 && errno == EINTR) {
    }
    kill(getpid(), SIGKILL);
}

// Waits until the child has become its program, or has said why not.
static int fault_of(int fd)
{
    int why = 0;
    ssize_t got;
    do {
        got = read(fd, &why, sizeof(why));
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof(why) ? why : 0;
}

static lg_status start(lg_child *child, pipes *p, const char *path, char *const *argv,
                       const char *const *environment, lg_error *reterr)
{
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        become(p, path, argv, environment, parent);
    }
    if (pid < 0) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "no process for `%s`: %s", argv[0],
                       strerror(errno));
    }
    close_one(&p->in[0]);
    close_one(&p->out[1]);
    close_one(&p->err[1]);
    close_one(&p->fault[1]);
    int why = fault_of(p->fault[0]);
    if (why) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "`%s` cannot be run: %s", argv[0],
                       strerror(why));
    }
    child->pid = pid;
    child->in = p->in[1];
    child->out = p->out[0];
    child->err = p->err[0];
    p->in[1] = p->out[0] = p->err[0] = -1;
    fcntl(child->in, F_SETFL, O_NONBLOCK);
    fcntl(child->out, F_SETFL, O_NONBLOCK);
    fcntl(child->err, F_SETFL, O_NONBLOCK);
    return LG_OK;
}

lg_status lg_child_start(char *const *argv, const char *const *environment, size_t line_bytes,
                         lg_child *ret, lg_error *reterr)
{
    static const char *const plain[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", NULL};
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    char path[4096];
    pipes p;
    environment = environment ? environment : plain;
    *ret = (lg_child){.in = -1, .out = -1, .err = -1};
    ret->line_bytes = line_bytes;
    lg_buf_init(&ret->lines, 0);
    if (!find_command(argv[0], path_of(environment), path, sizeof(path))) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "there is no command `%s`", argv[0]);
    }
    if (!open_pipes(&p)) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "no pipes for `%s`: %s", argv[0],
                       strerror(errno));
    }
    sigaction(SIGPIPE, &ignored,
              NULL); // who has ended is written to in vain, which is no reason to end
    lg_status status = start(ret, &p, path, argv, environment, reterr);
    close_pipes(&p);
    return status;
}

// --- ending it ---

// Has it ended? It stays a zombie: its number is not given to another.
static bool has_exited(int pid, int64_t until_ns)
{
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
            info.si_pid == pid) {
            return true;
        }
        if (lg_monotonic_ns() >= until_ns) {
            return false;
        }
        poll(NULL, 0, 5);
    }
}

static bool waits_out(int pid)
{
    return has_exited(pid, lg_monotonic_ns() + PATIENCE_MS * LG_NS_PER_MS);
}

void lg_child_end(lg_child *child)
{
    close_one(&child->in);
    if (child->pid > 0) {
        // Nobody reads what it says now: who waits for that, too, is told to end.
        if (!waits_out(child->pid)) {
            kill(-child->pid, SIGTERM);
            (void)waits_out(child->pid);
        }
        kill(-child->pid, SIGKILL);
        while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        child->pid = 0;
    }
    close_one(&child->out);
    close_one(&child->err);
    lg_buf_done(&child->lines);
}

// --- talking to it ---

static void read_complaints(lg_child *child)
{
    char room[4096];
    ssize_t got = read(child->err, room, sizeof(room));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        close_one(&child->err);
    }
    for (ssize_t i = 0; i < got; i++) {
        if (child->words_len == LG_CHILD_WORDS) {
            child->words_len -= LG_CHILD_WORDS / 2;
            memmove(child->words, child->words + LG_CHILD_WORDS / 2, child->words_len);
        }
        child->words[child->words_len++] = room[i];
    }
}

static void read_lines(lg_child *child)
{
    lg_str rest = lg_str_slice(lg_buf_str(&child->lines), child->from, child->lines.len);
    if (child->from) { // what was taken goes before more comes
        memmove(child->lines.ptr, rest.ptr, rest.len);
        child->lines.len = rest.len;
        child->scanned -= child->from;
        child->from = 0;
    }
    char *room = rest.len <= child->line_bytes ? lg_buf_room(&child->lines, READ_BYTES) : NULL;
    if (!room) {
        child->has_ended = child->is_too_long = true;
        return;
    }
    ssize_t got = read(child->out, room, READ_BYTES);
    if (got > 0) {
        child->lines.len += (size_t)got;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        child->has_ended = true;
    }
}

// A server that does not read any more may still have said something.
static void write_some(lg_child *child, lg_str *text)
{
    ssize_t put = write(child->in, text->ptr, text->len);
    if (put > 0) {
        *text = lg_str_slice(*text, (size_t)put, text->len);
    } else if (put < 0 && errno != EAGAIN && errno != EINTR) {
        close_one(&child->in);
    }
}

static bool take_line(lg_child *child, lg_str *ret)
{
    lg_str all = lg_buf_str(&child->lines);
    size_t end = lg_str_line_end(all, child->scanned);
    if (end >= all.len) {
        child->scanned = all.len;
        return false;
    }
    *ret = lg_str_slice(all, child->from, end);
    child->from = child->scanned = end + 1;
    return true;
}

lg_child_got lg_child_talk(lg_child *child, lg_str *text, int64_t until_ns,
                           const atomic_bool *is_told, lg_str *ret_line)
{
    for (;;) {
        if (take_line(child, ret_line)) {
            return LG_CHILD_LINE;
        }
        int64_t left_ns = until_ns - lg_monotonic_ns();
        if (child->has_ended) {
            return LG_CHILD_ENDED;
        }
        if (left_ns <= 0 || atomic_load(is_told)) {
            return LG_CHILD_LATE;
        }
        struct pollfd fds[] = {{child->out, POLLIN, 0},
                               {child->err, POLLIN, 0},
                               {text->len ? child->in : -1, POLLOUT, 0}};
        int64_t left_ms = left_ns / LG_NS_PER_MS + 1;
        int ready = poll(fds, LG_COUNT(fds), left_ms > 250 ? 250 : (int)left_ms);
        if (ready > 0 && fds[1].revents) {
            read_complaints(child);
        }
        if (ready > 0 && fds[2].revents) {
            write_some(child, text);
        }
        if (ready > 0 && fds[0].revents) {
            read_lines(child);
        }
    }
}
