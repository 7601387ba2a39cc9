// wire.c: HTTP/1.1 as far as a benchmark's two ends need it: a head, and a body with a length or in chunks.
#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_BYTES ((size_t)64 << 10)

void wire_open(wire *w, int fd)
{
    w->fd = fd;
    lg_buf_init(&w->in, 0);
    lg_buf_init(&w->out, 0);
    w->out_from = w->head_bytes = w->body_bytes = 0;
    w->waits_to_write = false;
}

void wire_close(wire *w)
{
    close(w->fd);
    w->fd = -1;
    lg_buf_done(&w->in);
    lg_buf_done(&w->out);
}

// A field of the head, from behind its colon, or NULL.
static const char *field(const char *head, size_t len, const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i + size < len; i++) {
        if (head[i] == '\n' && strncasecmp(head + i + 1, name, size) == 0) {
            return head + i + 1 + size;
        }
    }
    return NULL;
}

static size_t body_of(const char *head, size_t len)
{
    const char *length = field(head, len, "content-length:");
    bool chunked = field(head, len, "transfer-encoding:") != NULL;
    return chunked ? SIZE_MAX : length ? (size_t)strtoull(length, NULL, 10) : 0;
}

// Where the last chunk ends, or 0.
static size_t chunks_end(const wire *w)
{
    size_t at = w->head_bytes;
    while (at < w->in.len) {
        const char *line = memchr(w->in.ptr + at, '\n', w->in.len - at);
        if (!line) {
            return 0;
        }
        size_t size = (size_t)strtoull(w->in.ptr + at, NULL, 16);
        at = (size_t)(line + 1 - w->in.ptr) + size + 2;
        if (size == 0) {
            return at <= w->in.len ? at : 0;
        }
    }
    return 0;
}

static size_t message_bytes(wire *w)
{
    if (!w->head_bytes) {
        const char *end = w->in.len ? memmem(w->in.ptr, w->in.len, "\r\n\r\n", 4) : NULL;
        if (!end) {
            return 0;
        }
        w->head_bytes = (size_t)(end - w->in.ptr) + 4;
        w->body_bytes = body_of(w->in.ptr, w->head_bytes);
    }
    if (w->body_bytes == SIZE_MAX) {
        return chunks_end(w);
    }
    size_t all = w->head_bytes + w->body_bytes;
    return all <= w->in.len ? all : 0;
}

wire_state wire_read(wire *w)
{
    for (;;) {
        size_t missing = w->head_bytes && w->body_bytes != SIZE_MAX
                             ? w->head_bytes + w->body_bytes - w->in.len
                             : 0;
        char *room = lg_buf_room(&w->in, missing > READ_BYTES ? missing : READ_BYTES);
        if (!room) {
            load_fail("no memory");
        }
        ssize_t got = recv(w->fd, room, w->in.cap - w->in.len, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            return WIRE_MORE;
        }
        if (got <= 0) {
            return WIRE_CLOSED;
        }
        w->in.len += (size_t)got;
        if (message_bytes(w)) {
            return WIRE_MESSAGE;
        }
    }
}

lg_str wire_message(const wire *w)
{
    return lg_buf_str(&w->in);
}

void wire_next(wire *w)
{
    lg_buf_clear(&w->in);
    w->head_bytes = w->body_bytes = 0;
}

bool wire_send(wire *w)
{
    while (w->out_from < w->out.len) {
        ssize_t sent =
            send(w->fd, w->out.ptr + w->out_from, w->out.len - w->out_from, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
            w->waits_to_write = true;
            return true;
        }
        if (sent < 0) {
            return false;
        }
        w->out_from += (size_t)sent;
    }
    w->waits_to_write = false;
    w->out_from = 0;
    lg_buf_clear(&w->out);
    return true;
}
