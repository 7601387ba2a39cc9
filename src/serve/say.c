// say.c: what the gateway says about itself: lines of JSON, written by a thread of their own.
//
// A loop never waits for whoever reads the lines: what does not fit into the room for them is dropped, and how many
// were is said as soon as there is room again. No line holds a body or a credential: only what stands below goes in.
#include "serve/say.h"

#include "base/alloc.h"
#include "base/str.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define ROOM_BYTES ((size_t)1 << 20)
#define PIECE_BYTES 4096u
#define WAIT_MS 200
#define END_WAITS 10 // of WAIT_MS each

// False: nobody takes what is written. While the gateway runs that is waited for; at its end, not for long.
static bool wait_room(say *s)
{
    struct pollfd at = {.fd = s->fd, .events = POLLOUT};
    int patience = END_WAITS;
    for (;;) {
        int got = poll(&at, 1, WAIT_MS);
        if (got > 0) {
            return (at.revents & POLLOUT) != 0;
        }
        if (got < 0 && errno != EINTR) {
            return false;
        }
        if (got == 0 && atomic_load(&s->ending) && --patience == 0) {
            return false;
        }
    }
}

// In pieces of which a pipe that has any room takes each at once (POSIX, PIPE_BUF).
static void write_all(say *s, lg_str text)
{
    while (text.len && wait_room(s)) {
        ssize_t put = write(s->fd, text.ptr, text.len < PIECE_BYTES ? text.len : PIECE_BYTES);
        if (put < 0 && errno != EINTR && errno != EAGAIN) {
            return; // nobody can be told
        }
        text = lg_str_slice(text, put > 0 ? (size_t)put : 0, text.len);
    }
}

static void *run(void *data)
{
    say *s = data;
    pthread_mutex_lock(&s->lock);
    while (s->waiting.len || !atomic_load(&s->ending)) {
        if (!s->waiting.len) {
            pthread_cond_wait(&s->work, &s->lock);
            continue;
        }
        lg_buf out = s->waiting;
        s->waiting = s->writing;
        s->writing = out;
        pthread_mutex_unlock(&s->lock);
        write_all(s, lg_buf_str(&s->writing));
        pthread_mutex_lock(&s->lock);
        lg_buf_clear(&s->writing);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

lg_status say_open(say *s, int fd, lg_time (*now)(void), lg_error *reterr)
{
    *s = (say){.fd = fd, .now = now};
    lg_buf_init(&s->waiting, ROOM_BYTES);
    lg_buf_init(&s->writing, ROOM_BYTES);
    if (fd < 0) {
        return LG_OK;
    }
    if (pthread_mutex_init(&s->lock, NULL) != 0) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no lock");
    }
    if (pthread_cond_init(&s->work, NULL) != 0 || pthread_create(&s->thread, NULL, run, s) != 0) {
        pthread_mutex_destroy(&s->lock);
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no more threads");
    }
    s->is_open = true;
    return LG_OK;
}

void say_close(say *s)
{
    if (s->is_open) {
        pthread_mutex_lock(&s->lock);
        atomic_store(&s->ending, true);
        pthread_cond_signal(&s->work);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
        pthread_cond_destroy(&s->work);
        pthread_mutex_destroy(&s->lock);
    }
    lg_buf_done(&s->waiting);
    lg_buf_done(&s->writing);
    s->is_open = false;
}

// --- Lines --------------------------------------------------------------------------------------

void say_begin(say_line *line, const say *s, const char *level, const char *event)
{
    char time[LG_TIME_TEXT_MAX];
    lg_buf_init_in(&line->text, line->room, sizeof(line->room), SAY_LINE_BYTES);
    line->w = (lg_json_writer){.out = &line->text};
    lg_jw_begin_object(&line->w);
    if (s->now) {
        size_t length = lg_time_print(time, s->now());
        lg_jw_member_str(&line->w, "time", lg_str_of(time, length));
    }
    say_text(line, "level", lg_str_c(level));
    say_text(line, "event", lg_str_c(event));
}

void say_text(say_line *line, const char *key, lg_str value)
{
    lg_jw_member_str(&line->w, key, lg_str_cut(value, SAY_VALUE_BYTES));
}

void say_number(say_line *line, const char *key, uint64_t value)
{
    lg_jw_member_uint(&line->w, key, value);
}

static void hand_over(say *s, lg_str text)
{
    pthread_mutex_lock(&s->lock);
    if (s->dropped && s->waiting.len + text.len + 128 <= ROOM_BYTES) {
        lg_buf_addf(&s->waiting,
                    "{\"level\":\"warn\",\"event\":\"lines_dropped\",\"count\":%llu}\n",
                    (unsigned long long)s->dropped);
        s->dropped = 0;
    }
    bool was_empty = s->waiting.len == 0;
    if (s->waiting.len + text.len <= ROOM_BYTES &&
        lg_buf_room(&s->waiting, text.len)) { // all of it or nothing
        lg_buf_add(&s->waiting, text);
    } else {
        s->dropped++;
        atomic_fetch_add_explicit(&s->dropped_in_all, 1, memory_order_relaxed);
    }
    if (was_empty) {
        pthread_cond_signal(&s->work);
    }
    pthread_mutex_unlock(&s->lock);
}

void say_end(say_line *line, say *s)
{
    lg_buf safe;
    lg_jw_end_object(&line->w);
    if (s->is_open && lg_buf_status(&line->text) == LG_OK) {
        char room[SAY_LINE_BYTES];
        lg_buf_init_in(&safe, room, sizeof(room), 0);
        lg_json_add_safe(&safe, lg_buf_str(&line->text));
        lg_buf_add_c(&safe, "\n");
        if (lg_buf_status(&safe) == LG_OK) {
            hand_over(s, lg_buf_str(&safe));
        }
        lg_buf_done(&safe);
    }
    lg_buf_done(&line->text);
}
