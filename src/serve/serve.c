// serve.c: a gateway as a whole: what it opens, in which order, and how it ends.
//
// What is shared outlives what uses it: exchanges use routes, routes the proxy, the proxy the journal, the journal the
// log; and the log's thread speaks to loops, so loops go last.
#include "serve/serve_internal.h"

#include "base/alloc.h"
#include "base/sign.h"
#include "base/str.h"

#include <string.h>
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
                                .out_bytes = c->limits.out_bytes,
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
    size_t before = problems->count;
    files_check(config, host, problems);
    lg_status status = open_proxy(&s, config, &err);
    if (status != LG_OK) {
        lg_serve_config_free(config);
        return problem(problems, &err);
    }
    status = routing_new(config, s.proxy, host, NULL, problems, &s.routing);
    routing_unref(status == LG_OK ? s.routing : NULL);
    lg_proxy_free(s.proxy);
    return problems->count > before ? problems->items[before].error.status : status;
}

// --- Ending -------------------------------------------------------------------------------------

void serve_look_at_log(lg_serve *s)
{
    lg_error err;
    say_line line;
    if (!s->store || lg_store_status(s->store, &err) == LG_OK ||
        atomic_exchange(&s->log_told, true)) {
        return;
    }
    say_begin(&line, &s->say, "error", "log_failed");
    say_text(&line, "store", s->routing->config->store);
    say_text(&line, "why", lg_str_c(err.msg));
    say_text(&line, "meaning", LG_STR("no judged call passes until a restart"));
    say_end(&line, &s->say);
}

static uint64_t in_flight(const lg_serve *s)
{
    uint64_t all = 0;
    for (size_t i = 0; i < s->worker_count; i++) {
        all +=
            atomic_load_explicit(&s->workers[i].metrics.requests_in_flight, memory_order_relaxed);
    }
    return all;
}

static void tell_ending(lg_serve *s)
{
    say_line line;
    say_begin(&line, &s->say, "info", "ending");
    say_number(&line, "in_flight", in_flight(s));
    say_number(&line, "within_ms", s->routing->config->timeouts.stop);
    say_end(&line, &s->say);
}

static void tell_ended(lg_serve *s, lg_status status, const lg_error *err)
{
    say_line line;
    uint64_t cut = atomic_load(&s->cut_at_end);
    say_begin(&line, &s->say, status != LG_OK ? "error" : cut ? "warn" : "info", "ended");
    say_number(&line, "cut", cut);
    if (status != LG_OK) {
        say_text(&line, "why", lg_str_c(err->msg));
    }
    say_end(&line, &s->say);
}

static lg_status shut(lg_serve *s, lg_error *reterr)
{
    lg_status status = LG_OK;
    lg_error err = {0};
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
    if (s->store && (status = lg_store_finish(s->store, &err)) != LG_OK && reterr) {
        *reterr = err;
    }
    lg_journal_free(s->journal);
    lg_store_close(s->store);
    for (size_t i = 0; i < s->worker_count; i++) {
        worker_close(&s->workers[i]);
    }
    lg_free(s->workers);
    if (atomic_load(&s->stopping)) {
        tell_ended(s, status, &err);
    }
    say_close(&s->say);
    lg_free(s);
    return status;
}

lg_status lg_serve_stop(lg_serve *serve, lg_error *reterr)
{
    atomic_store(&serve->stopping, true);
    tell_ending(serve);
    return shut(serve, reterr);
}

#define PACKS_TOLD 8u // in a line

static void tell_packs(const lg_serve *s, say_line *line)
{
    say_number(line, "routes", s->routing->count);
    lg_jw_key(&line->w, "packs");
    routing_tell(s->routing, PACKS_TOLD, &line->w);
}

static void tell_advice(void *context, lg_str what, lg_str text)
{
    lg_serve *s = context;
    say_line line;
    say_begin(&line, &s->say, "warn", "advice");
    say_text(&line, "key", what);
    say_text(&line, "text", text);
    say_end(&line, &s->say);
}

static void loaded_now(lg_serve *s)
{
    atomic_store(&s->reloaded_at, (uint64_t)s->host.now().seconds);
}

// 0: there is no second one.
static uint16_t admin_port(const lg_serve *serve)
{
    return serve->workers[0].admin ? lg_server_port(serve->workers[0].admin) : 0;
}

static void tell_listening(lg_serve *s)
{
    say_line line;
    const lg_serve_config *c = s->routing->config;
    say_begin(&line, &s->say, "info", "listening");
    say_text(&line, "address", c->listen);
    say_number(&line, "port", lg_serve_port(s));
    if (admin_port(s)) {
        say_text(&line, "admin_address", c->admin_listen);
        say_number(&line, "admin_port", admin_port(s));
    }
    say_number(&line, "loops", s->worker_count);
    if (c->store.len) {
        say_text(&line, "store", c->store);
    }
    tell_packs(s, &line);
    say_end(&line, &s->say);
    lg_serve_advise(c, &s->host, tell_advice, s);
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
        status = routing_new(config, s->proxy, host, NULL, problems, &s->routing);
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
    loaded_now(s);
    tell_listening(s);
    *ret_serve = s;
    return LG_OK;
}

// --- Going on with another configuration ----------------------------------------------------------

static bool same(lg_str a, lg_str b)
{
    return lg_str_eq(a, b);
}

static bool same_pairs(const lg_serve_pair *a, size_t a_count, const lg_serve_pair *b,
                       size_t b_count)
{
    bool same_all = a_count == b_count;
    for (size_t i = 0; i < a_count && same_all; i++) {
        same_all = same(a[i].name, b[i].name) && same(a[i].value, b[i].value);
    }
    return same_all;
}

static bool same_collector(const lg_serve_config *a, const lg_serve_config *b)
{
    return same(a->otlp.url, b->otlp.url) && same(a->otlp.service, b->otlp.service) &&
           same_pairs(a->otlp.headers, a->otlp.header_count, b->otlp.headers, b->otlp.header_count);
}

// Those of clients; the upstreams' count from the next request on.
static bool same_client_times(const lg_serve_config *a, const lg_serve_config *b)
{
    return a->timeouts.header == b->timeouts.header && a->timeouts.body == b->timeouts.body &&
           a->timeouts.request == b->timeouts.request && a->timeouts.stall == b->timeouts.stall &&
           a->timeouts.keep_alive == b->timeouts.keep_alive;
}

// What a gateway that runs cannot change: it would have to let go of sockets, loops or the log. Each is named.
static bool is_same_where_fixed(const lg_serve *s, const lg_serve_config *b,
                                lg_serve_problems *problems)
{
    const lg_serve_config *a = s->routing->config;
    const struct {
        const char *key;
        bool is_same;
    } fixed[] = {
        {"listen", same(a->listen, b->listen)},
        {"admin", same(a->admin_listen, b->admin_listen)},
        {"store", same(a->store, b->store)},
        {"store_key", same(a->store_key, b->store_key)},
        {"tls", same(a->tls_cert, b->tls_cert) && same(a->tls_key, b->tls_key)},
        {"loops", a->loops == b->loops},
        {"client", same(a->ca_file, b->ca_file) && same(a->proxy, b->proxy)},
        {"limits", memcmp(&a->limits, &b->limits, sizeof(a->limits)) == 0},
        {"timeouts", same_client_times(a, b)},
        {"otlp", same_collector(a, b)},
    };
    bool all = true;
    for (size_t i = 0; i < LG_COUNT(fixed); i++) {
        if (!fixed[i].is_same) {
            lg_error err;
            const char *part = strcmp(fixed[i].key, "timeouts") == 0 ? " of clients" : "";
            (void)lg_fail_at(&err, LG_ERR_USAGE, files_place(b, &s->host, fixed[i].key),
                             "`%s`%s cannot change while the gateway runs: start it again",
                             fixed[i].key, part);
            (void)lg_serve_problem_add(problems, &err, b->text);
            all = false;
        }
    }
    return all;
}

static void tell_opened(lg_serve *s, const lg_serve_config *before)
{
    if (before->token_count && !s->routing->config->token_count) {
        tell_advice(s, LG_STR("tokens"),
                    LG_STR("there were `tokens`, and now there are none: whoever reaches the "
                           "gateway may ask"));
    }
}

static lg_status go_on_with(lg_serve *s, lg_serve_config *config, lg_serve_problems *problems)
{
    routing *next = NULL;
    if (!is_same_where_fixed(s, config, problems)) {
        files_check_packs(config, s->host.limits, problems);
        lg_serve_config_free(config);
        return LG_ERR_USAGE;
    }
    lg_status status = routing_new(config, s->proxy, &s->host, s->routing, problems, &next);
    if (status != LG_OK) {
        return status;
    }
    past_add(&s->past, next);
    for (size_t i = 0; i < s->worker_count; i++) {
        routing_ref(next);
        routing_unref(atomic_exchange(&s->workers[i].next_routing, next));
        lg_loop_post(s->workers[i].loop, &s->workers[i].reload);
    }
    routing *before = s->routing;
    s->routing = next;
    loaded_now(s);
    tell_opened(s, before->config);
    routing_unref(before);
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
    tell_packs(s, &line);
    say_end(&line, &s->say);
    if (status == LG_OK) {
        lg_serve_advise(s->routing->config, &s->host, tell_advice, s);
    }
}

lg_status lg_serve_reload(lg_serve *serve, lg_serve_config *config, lg_serve_problems *problems)
{
    lg_status status = config            ? go_on_with(serve, config, problems)
                       : problems->count ? problems->items[0].error.status
                                         : LG_ERR_USAGE;
    metrics_count(status == LG_OK ? &serve->reloads : &serve->reloads_failed);
    tell_reload(serve, status, problems);
    return status;
}

uint16_t lg_serve_port(const lg_serve *serve)
{
    return lg_server_port(serve->workers[0].server);
}
