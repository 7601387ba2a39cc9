// serve.c: a gateway as a whole: what it opens, in which order, and how it ends.
//
// What is shared outlives what uses it: exchanges use routes, routes the proxy, the proxy the journal, the journal the
// log; and the log's thread speaks to loops, so loops go last.
#include "serve/serve_internal.h"

#include "base/alloc.h"
#include "base/sign.h"
#include "base/str.h"

#include <unistd.h>

static lg_status problem(lg_serve_problems *problems, const lg_error *err)
{
    return lg_serve_problem_add(problems, err, LG_STR(""));
}

// --- Opening ------------------------------------------------------------------------------------

static lg_status open_log(lg_serve *s, const lg_serve_config *c, lg_error *reterr)
{
    if (!c->store.len) {
        lg_random(s->secret, sizeof(s->secret));
        return LG_OK;
    }
    lg_store_options options = {.path = c->store.ptr,
                                .key_path = c->store_key.len ? c->store_key.ptr : NULL};
    lg_status status = lg_store_open(&options, &s->store, reterr);
    if (status == LG_OK && lg_journal_new(s->store, &s->journal) != LG_OK) {
        status = lg_fail_oom(reterr);
    }
    if (status == LG_OK) { // the same names for credentials after a restart
        memcpy(s->secret, lg_store_secret(s->store).ptr, sizeof(s->secret));
    }
    return status;
}

// By the log's secret, if there is one: then a conversation is the same one after a restart, and is kept once.
static lg_hash_key proxy_key(const lg_serve *s)
{
    lg_digest digest;
    lg_hash_key key;
    const lg_str what = LG_STR("ledgergate proxy 1\n");
    lg_digest_parts(lg_str_of((const char *)s->secret, sizeof(s->secret)), &what, 1, &digest);
    _Static_assert(sizeof(key) <= sizeof(digest.bytes), "a digest holds a key");
    memcpy(&key, digest.bytes, sizeof(key));
    return key;
}

static lg_status open_proxy(lg_serve *s, const lg_serve_config *c, lg_error *reterr)
{
    lg_hash_key key = proxy_key(s);
    lg_proxy_options options = {.journal = s->journal,
                                .key = s->store ? &key : NULL,
                                .limits = s->host.limits ? *s->host.limits : (lg_limits){0},
                                .memory_bytes = c->limits.memory_bytes,
                                .session_entries = c->limits.sessions,
                                .session_bytes = c->limits.session_bytes,
                                .exchange_bytes = c->limits.exchanges_bytes,
                                .reply_bytes = c->limits.reply_bytes,
                                .request_bytes = c->limits.body_bytes};
    return lg_proxy_new(&options, &s->proxy) == LG_OK ? LG_OK : lg_fail_oom(reterr);
}

static size_t loops_of(const lg_serve_config *c)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = c->loops ? c->loops : cores > 0 ? (size_t)cores : 1;
    return count < WORKERS_MAX ? count : WORKERS_MAX;
}

static lg_status open_workers(lg_serve *s, lg_error *reterr)
{
    size_t count = loops_of(s->routing->config);
    s->workers = lg_zalloc(count * sizeof(*s->workers));
    if (!s->workers) {
        return lg_fail_oom(reterr);
    }
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && status == LG_OK; i++) {
        s->worker_count++;
        status = worker_open(&s->workers[i], s, i, reterr);
    }
    for (size_t i = 0; i < count && status == LG_OK; i++) {
        status = worker_start(&s->workers[i], reterr);
    }
    return status;
}

// All but listening and writing: what can be wrong with packs and rules is found where routes are made.
lg_status lg_serve_check(lg_serve_config *config, const lg_serve_host *host,
                         lg_serve_problems *problems)
{
    lg_serve s = {.host = *host};
    lg_error err;
    lg_status status = open_proxy(&s, config, &err);
    if (status != LG_OK) {
        lg_serve_config_free(config);
        return problem(problems, &err);
    }
    status = routing_new(config, s.proxy, host, problems, &s.routing);
    routing_unref(status == LG_OK ? s.routing : NULL);
    lg_proxy_free(s.proxy);
    return status;
}

// --- Ending -------------------------------------------------------------------------------------

static lg_status shut(lg_serve *s, lg_error *reterr)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < s->worker_count; i++) {
        if (s->workers[i].has_thread) {
            lg_loop_post(s->workers[i].loop, &s->workers[i].stop);
        }
    }
    for (size_t i = 0; i < s->worker_count; i++) {
        worker_join(&s->workers[i]);
    }
    for (size_t i = 0; i < s->worker_count; i++) {
        worker_shut(&s->workers[i]);
    }
    if (s->has_otlp) {
        otlp_close(&s->otlp);
    }
    routing_unref(s->routing);
    past_close(&s->past);
    lg_proxy_free(s->proxy);
    if (s->store) {
        status = lg_store_finish(s->store, reterr);
    }
    lg_journal_free(s->journal);
    lg_store_close(s->store);
    for (size_t i = 0; i < s->worker_count; i++) {
        worker_close(&s->workers[i]);
    }
    lg_free(s->workers);
    say_close(&s->say);
    lg_free(s);
    return status;
}

lg_status lg_serve_stop(lg_serve *serve, lg_error *reterr)
{
    atomic_store(&serve->stopping, true);
    return shut(serve, reterr);
}

static void tell_listening(lg_serve *s)
{
    say_line line;
    const lg_serve_config *c = s->routing->config;
    say_begin(&line, &s->say, "info", "listening");
    say_text(&line, "address", c->listen);
    say_number(&line, "port", lg_serve_port(s));
    if (lg_serve_admin_port(s)) {
        say_text(&line, "admin_address", c->admin_listen);
        say_number(&line, "admin_port", lg_serve_admin_port(s));
    }
    say_number(&line, "loops", s->worker_count);
    say_number(&line, "routes", s->routing->count);
    say_text(&line, "store", c->store);
    say_end(&line, &s->say);
}

lg_status lg_serve_start(lg_serve_config *config, const lg_serve_host *host, lg_serve **ret_serve,
                         lg_serve_problems *problems)
{
    lg_error err = {0};
    lg_serve *s = lg_zalloc(sizeof(*s));
    if (!s) {
        (void)lg_fail_oom(&err);
        lg_serve_config_free(config);
        return problem(problems, &err);
    }
    s->host = *host;
    lg_alloc_give_back();
    lg_status status = say_open(&s->say, host->log_fd, host->now, &err);
    status = status == LG_OK ? lg_net_load(&err) : status;
    if (status == LG_OK && !lg_sign_begin()) {
        status = lg_fail(&err, LG_ERR_ENVIRONMENT, "the system gives no random bytes");
    }
    if (status == LG_OK && (status = otlp_open(&s->otlp, config, &err)) == LG_OK) {
        s->has_otlp = true;
    }
    if (status == LG_OK && !past_open(&s->past)) {
        status = lg_fail(&err, LG_ERR_ENVIRONMENT, "the system gives no lock");
    }
    status = status == LG_OK ? open_log(s, config, &err) : status;
    status = status == LG_OK ? open_proxy(s, config, &err) : status;
    if (status != LG_OK) {
        lg_serve_config_free(config);
        (void)problem(problems, &err);
    } else {
        status = routing_new(config, s->proxy, host, problems, &s->routing);
        if (status == LG_OK) {
            past_add(&s->past, s->routing);
        }
        if (status == LG_OK && (status = open_workers(s, &err)) != LG_OK) {
            (void)problem(problems, &err);
        }
    }
    if (status != LG_OK) {
        (void)shut(s, NULL);
        return status;
    }
    tell_listening(s);
    *ret_serve = s;
    return LG_OK;
}

// --- Going on with another configuration ----------------------------------------------------------

static bool same(lg_str a, lg_str b)
{
    return lg_str_eq(a, b);
}

// What a gateway that runs cannot change: it would have to let go of sockets, loops or the log.
static const char *fixed_difference(const lg_serve_config *a, const lg_serve_config *b)
{
    return !same(a->listen, b->listen)                                        ? "listen"
           : !same(a->admin_listen, b->admin_listen)                          ? "admin"
           : !same(a->store, b->store) || !same(a->store_key, b->store_key)   ? "store"
           : !same(a->tls_cert, b->tls_cert) || !same(a->tls_key, b->tls_key) ? "tls"
           : a->loops != b->loops                                             ? "loops"
           : !same(a->ca_file, b->ca_file) || !same(a->proxy, b->proxy)       ? "client"
           : memcmp(&a->limits, &b->limits, sizeof(a->limits)) != 0           ? "limits"
           : !same(a->otlp.url, b->otlp.url)                                  ? "otlp"
                                                                              : NULL;
}

static lg_status go_on_with(lg_serve *s, lg_serve_config *config, lg_serve_problems *problems)
{
    routing *next = NULL;
    const char *fixed = fixed_difference(s->routing->config, config);
    if (fixed) {
        lg_error err;
        (void)lg_fail_at(&err, LG_ERR_USAGE, (lg_position){.file = config->file.ptr},
                         "`%s` cannot change while the gateway runs: start it again", fixed);
        (void)problem(problems, &err);
        lg_serve_config_free(config);
        return LG_ERR_USAGE;
    }
    lg_status status = routing_new(config, s->proxy, &s->host, problems, &next);
    if (status != LG_OK) {
        return status;
    }
    past_add(&s->past, next);
    for (size_t i = 0; i < s->worker_count; i++) {
        routing_ref(next);
        routing_unref(atomic_exchange(&s->workers[i].next_routing, next));
        lg_loop_post(s->workers[i].loop, &s->workers[i].reload);
    }
    routing_unref(s->routing);
    s->routing = next;
    return LG_OK;
}

static void tell_problem(lg_serve *s, const lg_error *err)
{
    say_line line;
    say_begin(&line, &s->say, "error", "reload_failed");
    say_text(&line, "file", lg_str_c(err->file));
    say_number(&line, "line", err->line);
    say_number(&line, "column", err->column);
    say_text(&line, "why", lg_str_c(err->msg));
    say_end(&line, &s->say);
}

static void tell_reload(lg_serve *s, lg_status status, const lg_serve_problems *problems)
{
    say_line line;
    for (size_t i = 0; status != LG_OK && i < problems->count; i++) {
        tell_problem(s, &problems->items[i].error);
    }
    say_begin(&line, &s->say, status == LG_OK ? "info" : "warn",
              status == LG_OK ? "reloaded" : "kept");
    say_number(&line, "routes", s->routing->count);
    say_end(&line, &s->say);
}

lg_status lg_serve_reload(lg_serve *serve, const char *path)
{
    lg_serve_problems problems;
    lg_serve_config *config = NULL;
    lg_serve_problems_init(&problems);
    lg_status status = lg_serve_config_open(path, &serve->host, &config, &problems);
    status = status == LG_OK ? go_on_with(serve, config, &problems) : status;
    tell_reload(serve, status, &problems);
    lg_serve_problems_done(&problems);
    return status;
}

uint16_t lg_serve_port(const lg_serve *serve)
{
    return lg_server_port(serve->workers[0].server);
}

uint16_t lg_serve_admin_port(const lg_serve *serve)
{
    return serve->workers[0].admin ? lg_server_port(serve->workers[0].admin) : 0;
}
