// bench_relay.c: a bare relay of ours: server, client, and nothing between. What a gate adds is measured against it.
//
//     bench_relay --listen 127.0.0.1:8090 --upstream http://127.0.0.1:9000 --loops 2
//
// Every request goes to the upstream as it came, at the same path, and the answer back as it comes, with
// backpressure. SIGTERM and SIGINT finish what is in flight.
#include "base/alloc.h"
#include "base/arena.h"
#include "net/client.h"
#include "net/server.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_LOOPS 64

typedef struct relay { // one a loop
    lg_loop *loop;
    lg_server *server;
    lg_client *client;
    const char *upstream;
    lg_task stop;
    pthread_t thread;
} relay;

typedef struct passing { // one a request
    lg_inbound *in;
    lg_outbound *out;
} passing;

static void on_head(void *data, unsigned status, lg_http_headers headers)
{
    passing *p = data;
    lg_inbound_begin(p->in, status, headers);
}

static void on_bytes(void *data, lg_str bytes)
{
    passing *p = data;
    if (lg_inbound_write(p->in, bytes) == LG_OK && lg_inbound_is_full(p->in)) {
        lg_outbound_pause(p->out);
    }
}

static void on_end(void *data, const lg_outbound_end *end)
{
    passing *p = data;
    p->out = NULL;
    if (end->kind == LG_END_OK) {
        lg_inbound_end(p->in);
    } else if (end->first_byte_ns) {
        lg_inbound_cut(p->in);
    } else {
        lg_inbound_reply(p->in, end->kind == LG_END_TIMEOUT ? 504 : 502, (lg_http_headers){0},
                         end->what);
    }
}

static void on_writable(void *data)
{
    passing *p = data;
    if (p->out) {
        lg_outbound_resume(p->out);
    }
}

static void on_done(void *data, lg_done how)
{
    passing *p = data;
    (void)how;
    if (p->out) {
        lg_outbound_cancel(p->out);
    }
}

static void on_request(void *data, lg_inbound *in)
{
    relay *r = data;
    const lg_http_request *request = lg_inbound_request(in);
    lg_arena *arena = lg_inbound_arena(in);
    passing *p = LG_NEW(arena, passing);
    lg_str url = lg_arena_printf(arena, "%s%.*s%s%.*s", r->upstream, LG_FMT(request->path),
                                 request->query.ptr ? "?" : "", LG_FMT(request->query));
    if (!p || !url.ptr) {
        lg_inbound_cut(in);
        return;
    }
    p->in = in;
    lg_inbound_listen(in, (lg_inbound_events){.data = p, .writable = on_writable, .done = on_done});
    lg_client_request forward = {
        .method = request->method, .url = url, .headers = request->headers, .body = request->body};
    lg_outbound_events events = {p, on_head, on_bytes, on_end};
    lg_error error;
    if (lg_client_send(r->client, &forward, &events, &p->out, &error) != LG_OK) {
        lg_inbound_reply(in, 500, (lg_http_headers){0}, (lg_str){error.msg, strlen(error.msg)});
    }
}

static void on_stopped(void *data)
{
    lg_loop_stop(data);
}

static void on_stop(void *data)
{
    relay *r = data;
    lg_server_stop(r->server, 10000, on_stopped, r->loop);
}

static void *run(void *data)
{
    relay *r = data;
    lg_error error;
    if (lg_loop_run(r->loop, &error) != LG_OK) {
        fprintf(stderr, "bench_relay: %s\n", error.msg);
    }
    lg_server_free(r->server);
    lg_client_free(r->client);
    lg_loop_free(r->loop);
    return NULL;
}

static lg_status start(relay *r, lg_str listen, bool joins, lg_error *reterr)
{
    lg_server_options server = {.listen = listen, .joins = joins, .handler = {r, on_request, NULL}};
    lg_client_options client = {0};
    r->stop = (lg_task){.run = on_stop, .data = r};
    lg_status status = lg_loop_new(&r->loop, reterr);
    if (status == LG_OK) {
        status = lg_client_new(r->loop, &client, &r->client, reterr);
    }
    return status == LG_OK ? lg_server_new(r->loop, &server, &r->server, reterr) : status;
}

static relay relays[MOST_LOOPS];

int main(int argc, char **argv)
{
    const char *listen = "127.0.0.1:8090", *upstream = "http://127.0.0.1:9000";
    long loops = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        listen = strcmp(argv[i], "--listen") == 0 ? argv[i + 1] : listen;
        upstream = strcmp(argv[i], "--upstream") == 0 ? argv[i + 1] : upstream;
        loops = strcmp(argv[i], "--loops") == 0 ? strtol(argv[i + 1], NULL, 10) : loops;
    }
    if (loops < 1 || loops > MOST_LOOPS || argc % 2 == 0) {
        fprintf(stderr, "usage: bench_relay [--listen ADDRESS] [--upstream URL] [--loops N]\n");
        return 2;
    }
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    for (long i = 0; i < loops; i++) {
        lg_error error;
        relays[i].upstream = upstream;
        if (start(&relays[i], (lg_str){listen, strlen(listen)}, i > 0, &error) != LG_OK) {
            fprintf(stderr, "bench_relay: %s\n", error.msg);
            return 3;
        }
        if (pthread_create(&relays[i].thread, NULL, run, &relays[i])) {
            return 3;
        }
    }
    int signal;
    sigwait(&signals, &signal);
    for (long i = 0; i < loops; i++) {
        lg_loop_post(relays[i].loop, &relays[i].stop);
    }
    for (long i = 0; i < loops; i++) {
        pthread_join(relays[i].thread, NULL);
    }
    return 0;
}
