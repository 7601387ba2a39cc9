// advice.c: what a configuration may say, and who wrote it may not have meant: a gate that stands open.
#include "base/str.h"
#include "net/certificate.h"
#include "serve/serve_internal.h"

#include <stdarg.h>
#include <stdio.h>

#define DAY_S 86400
#define SOON_DAYS 14

typedef struct advising {
    const lg_serve_config *config;
    lg_serve_advice tell;
    void *context;
} advising;

LG_PRINTF(3, 4)
static void tell(const advising *a, const char *what, const char *format, ...)
{
    char text[LG_ERROR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    lg_str said = lg_str_vprint(text, sizeof(text), format, args);
    va_end(args);
    a->tell(a->context, lg_str_c(what), said);
}

// Can only this machine reach it?
static bool is_loopback(lg_str address)
{
    return lg_str_starts(address, LG_STR("127.")) || lg_str_starts(address, LG_STR("localhost:")) ||
           lg_str_starts(address, LG_STR("[::1]:"));
}

static bool has_credential(const lg_serve_upstream *u)
{
    bool has = u->key.len > 0;
    for (size_t i = 0; i < u->header_count && !has; i++) {
        has = token_is_credential(u->headers[i].name);
    }
    return has;
}

static void on_route(const advising *a, const lg_serve_route *r)
{
    const lg_serve_config *c = a->config;
    bool has = has_credential(&r->upstream);
    if (has && !c->token_count && !is_loopback(c->listen)) {
        tell(a, "tokens",
             "whoever reaches %.*s spends the key of route `%.*s`: there are no `tokens`",
             LG_FMT(c->listen), LG_FMT(r->path));
    }
    if (!has && c->token_count) {
        tell(a, "key",
             "the upstream of route `%.*s` gets no credential: with `tokens` none of a client "
             "passes, and it has no `key`",
             LG_FMT(r->path));
    }
    if (r->pack.len && !c->store.len) {
        tell(a, "store", "no decision of route `%.*s` is kept: there is no `store`",
             LG_FMT(r->path));
    }
}

static void on_certificate(const advising *a, int64_t now)
{
    const lg_serve_config *c = a->config;
    lg_certificate found;
    char from[LG_TIME_TEXT_MAX];
    char until[LG_TIME_TEXT_MAX];
    if (!c->tls_cert.len ||
        lg_certificate_read(c->tls_cert.ptr, c->tls_key.ptr, &found, NULL) != LG_OK ||
        !found.is_dated) {
        return;
    }
    from[lg_time_print(from, (lg_time){found.from, 0})] = '\0';
    until[lg_time_print(until, (lg_time){found.until, 0})] = '\0';
    if (now < found.from) {
        tell(a, "tls", "%.*s is valid from %s on, and not yet", LG_FMT(c->tls_cert), from);
    } else if (now > found.until) {
        tell(a, "tls", "%.*s is not valid any more since %s", LG_FMT(c->tls_cert), until);
    } else if (found.until - now < SOON_DAYS * DAY_S) {
        tell(a, "tls", "%.*s is valid until %s", LG_FMT(c->tls_cert), until);
    }
}

void lg_serve_advise(const lg_serve_config *config, const lg_serve_host *host, lg_serve_advice told,
                     void *context)
{
    advising a = {config, told, context};
    for (size_t i = 0; i < config->route_count; i++) {
        on_route(&a, &config->routes[i]);
    }
    if (config->token_count && !config->tls_cert.len && !is_loopback(config->listen)) {
        tell(&a, "tls", "tokens come to %.*s without TLS: whoever listens on the way has them",
             LG_FMT(config->listen));
    }
    on_certificate(&a, host->now().seconds);
}
