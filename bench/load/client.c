// client.c: the schedule, and the connections over which it is kept.
//
// A request that finds no free connection waits, and its time runs from when it had to be sent: what a stalled
// proxy does to those behind it is in the figures.
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

static void connect_to(load *l, socket_of *s)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    const char *colon = strchr(l->address, ':');
    char host[64] = {0};
    int one = 1;
    if (!colon || (size_t)(colon - l->address) >= sizeof(host)) {
        load_fail("an address is IP:PORT");
    }
    lg_copy_bytes(host, l->address, (size_t)(colon - l->address));
    at.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
    inet_pton(AF_INET, host, &at.sin_addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (fd < 0 || (connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0 && errno != EINPROGRESS)) {
        load_fail("the client cannot connect");
    }
    wire_open(&s->wire, fd);
    load_watch(l, s, EPOLL_CTL_ADD);
}

static void set_free(load *l, socket_of *s)
{
    if (s->number != UINT64_MAX) {
        l->busy--;
    }
    s->number = UINT64_MAX;
    s->next = l->free_clients;
    l->free_clients = s;
}

static void lost(load *l, socket_of *s)
{
    bool was_busy = s->number != UINT64_MAX;
    wire_close(&s->wire);
    if (was_busy) {
        l->records[s->number].failed = true;
        l->records[s->number].done_ns = load_now_ns();
        set_free(l, s);
    }
    if (load_now_ns() < l->end_ns) {
        connect_to(l, s);
    }
}

static void answered(load *l, socket_of *s)
{
    lg_str message = wire_message(&s->wire);
    if (s->number != UINT64_MAX) {
        record *r = &l->records[s->number];
        bool ok = message.len > 12 && memcmp(message.ptr + 9, "200", 3) == 0;
        r->done_ns = load_now_ns();
        r->failed = !ok || lg_str_find(message, r->turn->expect) == SIZE_MAX;
        if (r->failed && !l->told_failure) {
            l->told_failure = true;
            fprintf(stderr, "bench_load: the first answer that is not the one wanted:\n%.*s\n",
                    (int)message.len, message.ptr);
        }
    }
    wire_next(&s->wire);
    set_free(l, s);
}

static void on_answer(load *l, socket_of *s, uint32_t events)
{
    if ((events & EPOLLOUT) && s->wire.waits_to_write && !wire_send(&s->wire)) {
        lost(l, s);
        return;
    }
    switch (wire_read(&s->wire)) {
    case WIRE_MESSAGE:
        answered(l, s);
        break;
    case WIRE_CLOSED:
        lost(l, s);
        break;
    case WIRE_MORE:
        break;
    }
}

// The next turn of the conversation whose turn it is; one that is over makes room for another.
static const turn *next_turn(load *l, uint64_t *ret_subject)
{
    slot *at = &l->slots[l->slot];
    l->slot = (l->slot + 1) % l->conversations;
    const talk *held = &l->work.talks[at->talk];
    const turn *t = &held->turns[at->turn];
    *ret_subject = at->subject;
    if (++at->turn == held->count) {
        l->subjects++;
        *at = (slot){.talk = l->subjects % l->work.count, .subject = l->subjects};
    }
    return t;
}

static void ask(load *l, socket_of *s, int64_t planned_ns)
{
    uint64_t subject;
    const turn *t = next_turn(l, &subject);
    s->number = l->planned++;
    l->records[s->number] = (record){.turn = t, .planned_ns = planned_ns};
    l->busy++;
    lg_buf_addf(
        &s->wire.out,
        "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
        "Authorization: Bearer %s\r\nAccept: application/json\r\nContent-Length: %zu\r\n\r\n",
        l->path, l->address, l->token, t->request.len);
    work_fill(t, s->number, subject, &s->wire.out);
    if (!wire_send(&s->wire)) {
        lost(l, s);
    }
}

int64_t client_next_ns(load *l)
{
    if (l->rate <= 0) {
        return load_now_ns() < l->end_ns ? load_now_ns() : INT64_MAX;
    }
    int64_t next_ns = l->begin_ns + (int64_t)((double)l->planned / l->rate * 1e9);
    return next_ns < l->end_ns && l->planned < l->most ? next_ns : INT64_MAX;
}

void client_ask_due(load *l)
{
    while (l->free_clients && l->planned < l->most) {
        int64_t next_ns = client_next_ns(l);
        if (next_ns > load_now_ns()) {
            break;
        }
        socket_of *s = l->free_clients;
        l->free_clients = s->next;
        ask(l, s, next_ns);
    }
}

bool client_is_over(const load *l)
{
    int64_t now_ns = load_now_ns();
    return now_ns >= l->end_ns + GRACE_NS || (now_ns >= l->end_ns && l->busy == 0);
}

void client_open(load *l)
{
    l->clients = calloc(l->connections, sizeof(*l->clients));
    l->slots = calloc(l->conversations, sizeof(*l->slots));
    if (!l->clients || !l->slots) {
        load_fail("no memory");
    }
    for (size_t i = 0; i < l->conversations; i++) { // each at another place of its conversation
        l->slots[i].talk = i % l->work.count;
        l->slots[i].turn = i % l->work.talks[l->slots[i].talk].count;
        l->slots[i].subject = l->subjects++;
    }
    for (size_t i = 0; i < l->connections; i++) {
        l->clients[i].ready = on_answer;
        l->clients[i].number = UINT64_MAX;
        connect_to(l, &l->clients[i]);
        set_free(l, &l->clients[i]);
    }
}
