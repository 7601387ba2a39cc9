// worker.c: one core's loop, with its listeners and its connections, and how others reach it.
//
// Other threads hand over three things, each as a task that is embedded here: another routing, the end, and what
// the log has said. The last comes in any number, so it stands in a list under a lock; if there is no memory for a
// word, everybody who waits hears that the log failed, which refuses their calls.
#include "base/alloc.h"
#include "base/str.h"
#include "serve/serve_internal.h"

#include <stdio.h>

#define TICK_MS 1000

// --- The log's words ----------------------------------------------------------------------------

void worker_kept(void *context, uint64_t token, lg_status status)
{
    worker *w = context;
    pthread_mutex_lock(&w->lock);
    if (w->kept_count == w->kept_capacity) {
        size_t capacity = w->kept_capacity ? 2 * w->kept_capacity : 256;
        kept_word *grown = lg_realloc(w->kept, capacity * sizeof(*grown));
        w->kept = grown ? grown : w->kept;
        w->kept_capacity = grown ? capacity : w->kept_capacity;
    }
    if (w->kept_count < w->kept_capacity) {
        w->kept[w->kept_count++] = (kept_word){token, status};
    } else {
        w->kept_lost = true;
    }
    pthread_mutex_unlock(&w->lock);
    lg_loop_post(w->loop, &w->hear);
}

static bool next_word(worker *w, size_t *at, kept_word *ret)
{
    pthread_mutex_lock(&w->lock);
    bool any = *at < w->kept_count;
    if (any) {
        *ret = w->kept[(*at)++];
    } else {
        w->kept_count = 0;
    }
    pthread_mutex_unlock(&w->lock);
    return any;
}

static void hear_lost(worker *w)
{
    pthread_mutex_lock(&w->lock);
    bool lost = w->kept_lost;
    w->kept_lost = false;
    pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; lost && i < WAITING_BUCKETS; i++) {
        while (w->waiting[i]) {
            bridge_kept(w->waiting[i], LG_ERR_OOM);
        }
    }
    if (lost && w->checking) {
        admin_checked(w, LG_ERR_OOM);
    }
}

static void hear(void *data)
{
    worker *w = data;
    kept_word word;
    for (size_t at = 0; next_word(w, &at, &word);) {
        if (word.token == CHECK_TOKEN) {
            admin_checked(w, word.status);
        } else {
            bridge_kept_token(w, word.token, word.status);
        }
    }
    hear_lost(w);
}

// --- Reload and stop ----------------------------------------------------------------------------

static void on_reload(void *data)
{
    worker *w = data;
    routing *next = atomic_exchange(&w->next_routing, NULL);
    if (next) {
        routing_unref(w->routing);
        w->routing = next;
    }
}

static void on_stopped(void *data)
{
    worker *w = data;
    if (--w->stopping == 0) {
        lg_loop_stop(w->loop);
    }
}

static void on_stop(void *data)
{
    worker *w = data;
    uint32_t within = (uint32_t)w->routing->config->timeouts.stop;
    w->stopping = w->admin ? 2 : 1;
    lg_server_stop(w->server, within, on_stopped, w);
    if (w->admin) {
        lg_server_stop(w->admin, within, on_stopped, w);
    }
}

// --- Numbers of the server, which only its own thread may read --------------------------------------

static void on_tick(void *data)
{
    worker *w = data;
    lg_server_counts now = lg_server_count(w->server);
    atomic_store_explicit(&w->metrics.connections, now.connections, memory_order_relaxed);
    atomic_store_explicit(&w->metrics.timed_out_total, now.timed_out, memory_order_relaxed);
    lg_timer_set(w->loop, &w->tick, lg_loop_now_ns(w->loop) + TICK_MS * LG_NS_PER_MS);
}

// --- Life ---------------------------------------------------------------------------------------

static lg_server_options server_options(worker *w, lg_str listen)
{
    const lg_serve_config *c = w->routing->config;
    return (lg_server_options){
        .listen = listen,
        .tls_cert_file = c->tls_cert.len ? c->tls_cert.ptr : NULL,
        .tls_key_file = c->tls_key.len ? c->tls_key.ptr : NULL,
        .first_id = (uint64_t)w->index << 48,
        .limits = {.connections = (uint32_t)c->limits.connections,
                   .header_bytes = c->limits.header_bytes,
                   .body_bytes = c->limits.body_bytes,
                   .bodies_bytes = c->limits.bodies_bytes,
                   .header_ms = (uint32_t)c->timeouts.header,
                   .body_ms = (uint32_t)c->timeouts.body,
                   .request_ms = (uint32_t)c->timeouts.request,
                   .stall_ms = (uint32_t)c->timeouts.stall,
                   .keep_alive_ms = (uint32_t)c->timeouts.keep_alive},
        .handler = {w, front_request, front_refuse},
    };
}

static lg_status listen_main(worker *w, lg_error *reterr)
{
    char first[128];
    lg_server_options options = server_options(w, w->routing->config->listen);
    if (w->index > 0) { // port 0 is any, but the same for all
        lg_str host = options.listen;
        while (host.len && host.ptr[host.len - 1] != ':') {
            host.len--;
        }
        int length = snprintf(first, sizeof(first), "%.*s%u", LG_FMT(host),
                              lg_server_port(w->gateway->workers[0].server));
        options.listen = lg_str_of(first, length > 0 ? (size_t)length : 0);
        options.joins = true;
    }
    return lg_server_new(w->loop, &options, &w->server, reterr);
}

static lg_status open_client(worker *w, lg_error *reterr)
{
    const lg_serve_config *c = w->routing->config;
    lg_client_options options = {.connections = (uint32_t)c->limits.upstream_connections,
                                 .connections_per_host = (uint32_t)c->limits.upstream_connections,
                                 .ca_file = c->ca_file.len ? c->ca_file.ptr : NULL,
                                 .proxy = c->proxy.len ? c->proxy.ptr : NULL};
    return lg_client_new(w->loop, &options, &w->client, reterr);
}

lg_status worker_open(worker *w, lg_serve *gateway, size_t index, lg_error *reterr)
{
    w->gateway = gateway;
    w->index = index;
    w->reload = (lg_task){.run = on_reload, .data = w};
    w->stop = (lg_task){.run = on_stop, .data = w};
    w->hear = (lg_task){.run = hear, .data = w};
    w->tick = (lg_timer){.fire = on_tick, .data = w};
    atomic_init(&w->next_routing, NULL);
    if (pthread_mutex_init(&w->lock, NULL) != 0) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no lock");
    }
    w->has_lock = true;
    routing_ref(gateway->routing);
    w->routing = gateway->routing;
    lg_status status = lg_loop_new(&w->loop, reterr);
    if (status == LG_OK) {
        status = open_client(w, reterr);
    }
    if (status == LG_OK) {
        status = listen_main(w, reterr);
    }
    if (status == LG_OK && index == 0 && w->routing->config->admin_listen.len) {
        lg_server_options options = server_options(w, w->routing->config->admin_listen);
        options.tls_cert_file = options.tls_key_file = NULL;
        options.handler = (lg_handler){w, admin_request, NULL};
        status = lg_server_new(w->loop, &options, &w->admin, reterr);
    }
    return status;
}

static void *run(void *data)
{
    worker *w = data;
    lg_error err;
    lg_timer_set(w->loop, &w->tick, lg_loop_now_ns(w->loop) + TICK_MS * LG_NS_PER_MS);
    if (lg_loop_run(w->loop, &err) != LG_OK) {
        say_line line;
        say_begin(&line, &w->gateway->say, "error", "loop_failed");
        say_text(&line, "why", lg_str_c(err.msg));
        say_end(&line, &w->gateway->say);
    }
    return NULL;
}

lg_status worker_start(worker *w, lg_error *reterr)
{
    if (aside_open(&w->aside, reterr) != LG_OK) {
        return LG_ERR_ENVIRONMENT;
    }
    w->has_thread = pthread_create(&w->thread, NULL, run, w) == 0;
    return w->has_thread ? LG_OK
                         : lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no more threads");
}

void worker_join(worker *w)
{
    if (w->has_thread) {
        pthread_join(w->thread, NULL);
        w->has_thread = false;
    }
    aside_close(&w->aside);
}

void worker_shut(worker *w)
{
    lg_server_free(w->server);
    lg_server_free(w->admin);
    w->server = w->admin = NULL;
    while (w->bridges) {
        bridge_drop(w->bridges);
    }
    lg_client_free(w->client);
    w->client = NULL;
    routing_unref(atomic_exchange(&w->next_routing, NULL));
    routing_unref(w->routing);
    w->routing = NULL;
}

void worker_close(worker *w)
{
    lg_loop_free(w->loop);
    w->loop = NULL;
    lg_free(w->kept);
    w->kept = NULL;
    if (w->has_lock) {
        pthread_mutex_destroy(&w->lock);
    }
    w->has_lock = false;
}
