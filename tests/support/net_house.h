// net_house.h: what tests of sockets share: a loop in a thread of its own, and raw sockets to talk to it.
//
// The test's own thread plays the other end with blocking sockets. All of them give up after PATIENCE_S,
// so that what never comes is a failed check and not a test that hangs.
#ifndef LG_TEST_NET_HOUSE_H
#define LG_TEST_NET_HOUSE_H

#include "net/client.h"
#include "net/server.h"

#include "lg_test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define PATIENCE_S 30

// --- a loop in a thread ---

typedef struct house {
    lg_loop *loop;
    lg_server *server; // or NULL
    lg_client *client; // or NULL
    uint16_t port;
    pthread_t thread;
    lg_task stop;
    bool stopped; // by itself
} house;

static inline void *house_run(void *data)
{
    house *h = data;
    lg_error error;
    if (lg_loop_run(h->loop, &error) != LG_OK) {
        printf("loop: %s\n", error.msg);
    }
    lg_server_free(h->server);
    lg_client_free(h->client);
    return NULL;
}

// `options` NULL: no server.
static inline bool house_begin(house *h, const lg_server_options *options)
{
    lg_error error = {0};
    lg_client_options client = {0};
    *h = (house){0};
    bool ok = lg_loop_new(&h->loop, &error) == LG_OK &&
              lg_client_new(h->loop, &client, &h->client, &error) == LG_OK;
    if (ok && options) {
        lg_server_options listening = *options;
        if (!listening.listen.ptr) {
            listening.listen = LG_STR("127.0.0.1:0");
        }
        ok = lg_server_new(h->loop, &listening, &h->server, &error) == LG_OK;
        h->port = ok ? lg_server_port(h->server) : 0;
    }
    if (!CHECK_MSG(ok, error.msg)) {
        exit(1);
    }
    return CHECK(pthread_create(&h->thread, NULL, house_run, h) == 0);
}

static inline void house_join(house *h)
{
    pthread_join(h->thread, NULL);
    lg_loop_free(h->loop);
}

static inline void house_end(house *h)
{
    lg_loop_stop(h->loop);
    house_join(h);
}

// --- one call on the loop's thread, waited for ---

typedef struct errand {
    void (*run)(void *data);
    void *data;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
} errand;

static inline void errand_run(void *data)
{
    errand *e = data;
    e->run(e->data);
    pthread_mutex_lock(&e->lock);
    e->done = true;
    pthread_cond_signal(&e->changed);
    pthread_mutex_unlock(&e->lock);
}

static inline void house_call(house *h, void (*run)(void *data), void *data)
{
    errand e = {.run = run, .data = data};
    pthread_mutex_init(&e.lock, NULL);
    pthread_cond_init(&e.changed, NULL);
    lg_task task = {.run = errand_run, .data = &e};
    lg_loop_post(h->loop, &task);
    pthread_mutex_lock(&e.lock);
    while (!e.done) {
        pthread_cond_wait(&e.changed, &e.lock);
    }
    pthread_mutex_unlock(&e.lock);
    pthread_cond_destroy(&e.changed);
    pthread_mutex_destroy(&e.lock);
}

// --- a word that one thread waits for and another says ---

typedef struct flag {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int value;
} flag;

#define FLAG_INIT                                                                                  \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0                                     \
    }

static inline void flag_add(flag *f, int by)
{
    pthread_mutex_lock(&f->lock);
    f->value += by;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

static inline int flag_get(flag *f)
{
    pthread_mutex_lock(&f->lock);
    int value = f->value;
    pthread_mutex_unlock(&f->lock);
    return value;
}

static inline void flag_reset(flag *f)
{
    pthread_mutex_lock(&f->lock);
    f->value = 0;
    pthread_mutex_unlock(&f->lock);
}

// Waits until it is `least`; false if it does not come to that.
static inline bool flag_wait(flag *f, int least)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&f->lock);
    int status = 0;
    while (f->value < least && status == 0) {
        status = pthread_cond_timedwait(&f->changed, &f->lock, &until);
    }
    bool ok = f->value >= least;
    pthread_mutex_unlock(&f->lock);
    return ok;
}

// --- raw sockets ---

static inline void raw_patience(int fd)
{
    struct timeval patience = {.tv_sec = PATIENCE_S};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

static inline struct sockaddr_in raw_address(uint16_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
}

// Returns -1 if nobody listens. `receive_bytes` 0: the usual buffer.
static inline int raw_connect_small(uint16_t port, int receive_bytes)
{
    struct sockaddr_in at = raw_address(port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (receive_bytes) {
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
    }
    raw_patience(fd);
    if (connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static inline int raw_connect(uint16_t port)
{
    return raw_connect_small(port, 0);
}

static inline bool raw_send(int fd, const void *bytes, size_t size_bytes)
{
    const char *at = bytes;
    while (size_bytes > 0) {
        ssize_t sent = send(fd, at, size_bytes, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        at += sent;
        size_bytes -= (size_t)sent;
    }
    return true;
}

static inline bool raw_say(int fd, const char *text)
{
    return raw_send(fd, text, strlen(text));
}

typedef struct raw_text {
    char bytes[1 << 16];
    size_t len;
    bool ended; // the other end closed it, and did not just stop
} raw_text;

static inline lg_str raw_str(const raw_text *text)
{
    return (lg_str){text->bytes, text->len};
}

static inline bool raw_has(const raw_text *text, const char *part)
{
    return strstr(text->bytes, part) != NULL;
}

static inline size_t raw_count(const raw_text *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text->bytes; (at = strstr(at, part)); at += strlen(part)) {
        count++;
    }
    return count;
}

// Reads on until the text has `part`, or the end.
static inline bool raw_read_until(int fd, raw_text *text, const char *part)
{
    text->bytes[text->len] = 0; // of what was read before
    while (!(part && raw_has(text, part)) && text->len + 1 < sizeof(text->bytes)) {
        ssize_t got = recv(fd, text->bytes + text->len, sizeof(text->bytes) - 1 - text->len, 0);
        if (got <= 0) {
            text->ended = got == 0 || errno == ECONNRESET;
            return false;
        }
        text->len += (size_t)got;
        text->bytes[text->len] = 0;
    }
    return true;
}

static inline void raw_read_all(int fd, raw_text *text)
{
    raw_read_until(fd, text, NULL);
}

// One question on a connection of its own, and everything that comes until the other end closes.
static inline void raw_ask(uint16_t port, const char *request, raw_text *ret)
{
    ret->len = 0;
    ret->bytes[0] = 0;
    ret->ended = false;
    int fd = raw_connect(port);
    if (CHECK(fd >= 0)) {
        raw_say(fd, request);
        raw_read_all(fd, ret);
        close(fd);
    }
}

// A socket that listens, on a port that the system chooses.
static inline int raw_listen(uint16_t *ret_port)
{
    struct sockaddr_in at = raw_address(0);
    socklen_t size = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    raw_patience(fd);
    bool ok = bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, 256) == 0 &&
              getsockname(fd, (struct sockaddr *)&at, &size) == 0;
    CHECK(ok);
    *ret_port = ntohs(at.sin_port);
    return fd;
}

static inline int raw_accept(int listening)
{
    int fd = accept(listening, NULL, NULL);
    if (fd >= 0) {
        raw_patience(fd);
    }
    return fd;
}

#endif
