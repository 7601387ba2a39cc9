// upstream.c: the model: it has read a request, thinks, and says what stands in the work for its number.
#include "load.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

static const char other_reply[] =
    "{\"id\":\"chatcmpl-other\",\"object\":\"chat.completion\",\"created\":1760000000,\"model\":"
    "\"bench\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Yes.\"},"
    "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":7,"
    "\"total_tokens\":18}}";

static void drop(socket_of *s)
{
    wire_close(&s->wire);
    s->number = UINT64_MAX;
    if (!s->due_ns) { // else it is freed when its answer is due
        free(s);
    }
}

static void understood(load *l, socket_of *s)
{
    int64_t now_ns = load_now_ns();
    s->number = work_number(wire_message(&s->wire));
    if (s->number < l->planned) {
        l->records[s->number].asked_ns = now_ns;
    }
    wire_next(&s->wire);
    s->due_ns = now_ns + l->think_ns;
    s->next = NULL;
    *l->due_end = s;
    l->due_end = &s->next;
}

static void on_request(load *l, socket_of *s, uint32_t events)
{
    if ((events & EPOLLOUT) && s->wire.waits_to_write && !wire_send(&s->wire)) {
        drop(s);
        return;
    }
    switch (wire_read(&s->wire)) {
    case WIRE_MESSAGE:
        understood(l, s);
        break;
    case WIRE_CLOSED:
        drop(s);
        break;
    case WIRE_MORE:
        break;
    }
}

static void answer(load *l, socket_of *s)
{
    lg_str body = {other_reply, sizeof(other_reply) - 1};
    if (s->number < l->planned) {
        record *r = &l->records[s->number];
        body = r->turn->reply;
        r->said_ns = load_now_ns();
    }
    lg_buf_addf(&s->wire.out,
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                "Content-Length: %zu\r\n\r\n",
                body.len);
    lg_buf_add(&s->wire.out, body);
    if (!wire_send(&s->wire)) {
        drop(s);
    }
}

void upstream_answer_due(load *l)
{
    while (l->due && l->due->due_ns <= load_now_ns()) {
        socket_of *s = l->due;
        l->due = s->next;
        if (!l->due) {
            l->due_end = &l->due;
        }
        s->due_ns = 0;
        if (s->wire.fd < 0) {
            free(s);
        } else {
            answer(l, s);
        }
    }
}

static void on_connection(load *l, socket_of *listener, uint32_t events)
{
    (void)events;
    int fd;
    while ((fd = accept4(listener->wire.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        socket_of *s = calloc(1, sizeof(*s));
        int one = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        if (!s) {
            load_fail("no memory");
        }
        s->ready = on_request;
        wire_open(&s->wire, fd);
        load_watch(l, s, EPOLL_CTL_ADD);
    }
}

void upstream_open(load *l)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)l->listen_port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, 1024) != 0) {
        load_fail("the upstream cannot listen at its port");
    }
    l->due_end = &l->due;
    l->listener.ready = on_connection;
    l->listener.wire.fd = fd;
    load_watch(l, &l->listener, EPOLL_CTL_ADD);
}
