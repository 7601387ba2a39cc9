// front.c: what a request is: which route, which protocol, who asks; and what is refused before anything is judged.
//
// What is not listed is denied: below a route with a pack a client reaches the endpoints whose replies are judged and
// the list of models, so no other face of the upstream gives what the judged ones refuse. Without a pack there is nothing
// to protect, and all that is below passes, unless its path leads up and out for whoever reads it.
#include "base/str.h"
#include "serve/serve_internal.h"

#include <stdarg.h>
#include <stdio.h>

// --- Pages of browsers --------------------------------------------------------------------------

static bool is_of(lg_serve_texts texts, lg_str text)
{
    for (size_t i = 0; i < texts.count; i++) {
        if (lg_str_eq_any_case(texts.items[i], text)) {
            return true;
        }
    }
    return false;
}

// Is it a page of a browser that asks, and nobody has said that it may?
static bool is_strange_origin(const lg_serve_config *c, lg_http_headers headers)
{
    lg_str origin = lg_http_header_value(headers, LG_STR("origin"));
    return origin.ptr && !is_of(c->origins, origin);
}

// --- Errors -------------------------------------------------------------------------------------

static lg_chat_api api_of_path(lg_str path)
{
    return lg_str_find(path, LG_STR("/messages")) != SIZE_MAX    ? LG_CHAT_MESSAGES
           : lg_str_find(path, LG_STR("/responses")) != SIZE_MAX ? LG_CHAT_RESPONSES
                                                                 : LG_CHAT_COMPLETIONS;
}

// A line for the operator: who was sent away, from where, and the sentence that he got.
static void tell_refused(const worker *w, lg_inbound *in, unsigned status, lg_str code, lg_str why)
{
    say_line line;
    const lg_http_request *r = lg_inbound_request(in);
    say_begin(&line, &w->gateway->say, "warn", "refused");
    say_number(&line, "id", r->id);
    say_text(&line, "peer", r->peer);
    say_text(&line, "method", r->method);
    say_text(&line, "path", r->path);
    say_number(&line, "status", status);
    say_text(&line, "problem", code);
    say_text(&line, "why", why);
    say_end(&line, &w->gateway->say);
}

// A page that may ask may read why it was refused. `more`: a header, or NULL.
static void reply_error(const worker *w, lg_inbound *in, unsigned status, lg_str code,
                        lg_str message, const lg_http_header *more)
{
    lg_http_header headers[3 + CORS_HEADERS] = {
        {LG_STR("content-type"), LG_STR("application/json")}};
    const lg_http_request *r = lg_inbound_request(in);
    tell_refused(w, in, status, code, message);
    bool strange = is_strange_origin(w->routing->config, r->headers);
    size_t count = 1 + (strange ? 0 : cors_add(r, headers + 1));
    if (status == 503) {
        headers[count++] = (lg_http_header){LG_STR("retry-after"), LG_STR("1")};
    }
    if (more) {
        headers[count++] = *more;
    }
    lg_buf body;
    lg_buf_init(&body, 0);
    lg_chat_error(api_of_path(r->path), status, code, message, &body);
    lg_str text = lg_buf_status(&body) == LG_OK ? lg_buf_str(&body) : LG_STR("");
    lg_inbound_reply(in, status, (lg_http_headers){headers, count}, text);
    lg_buf_done(&body);
}

void front_fail(worker *w, lg_inbound *in, unsigned status, const char *code, const char *format,
                ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    lg_str message = lg_str_vprint(text, sizeof(text), format, args);
    va_end(args);
    metrics_status(&w->metrics, status);
    reply_error(w, in, status, lg_str_c(code), message, NULL);
}

// Which key of the configuration the status stands for; NULL: none.
static const char *limit_of(unsigned status)
{
    return status == 413   ? "body_bytes"
           : status == 431 ? "header_bytes"
           : status == 503 ? "bodies_bytes"
                           : NULL;
}

void front_refuse(void *data, lg_inbound *in, unsigned status, lg_str why)
{
    worker *w = data;
    metrics_count(&w->metrics.refused_total);
    metrics_status(&w->metrics, status);
    const char *limit = limit_of(status);
    lg_str text = lg_arena_printf(lg_inbound_arena(in),
                                  "%.*s (`limits: {%s: ...}` of LedgerGate's configuration)",
                                  LG_FMT(why), limit ? limit : "");
    reply_error(w, in, status, LG_STR("ledgergate_request"), limit && text.ptr ? text : why, NULL);
}

// --- What a path is -----------------------------------------------------------------------------

typedef struct endpoint {
    const char *path;
    lg_chat_api api;
} endpoint;

static const endpoint judged[] = {
    {"/chat/completions", LG_CHAT_COMPLETIONS},
    {"/responses", LG_CHAT_RESPONSES},
    {"/messages", LG_CHAT_MESSAGES},
};

static const endpoint *find_judged(lg_str rest)
{
    for (size_t i = 0; i < LG_COUNT(judged); i++) {
        if (lg_str_eq(rest, lg_str_c(judged[i].path))) {
            return &judged[i];
        }
    }
    return NULL;
}

// One segment that is a name: nothing that another program could read as a way up or out.
static bool is_name(lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool plain = lg_is_letter(c) || lg_is_digit(c);
        if (!plain && !strchr("-_.:", c)) {
            return false;
        }
    }
    return text.len > 0 && text.ptr[0] != '.';
}

// A segment that leads up, as anybody may read it: also before parameters (RFC 3986 section 3.3), and behind a backslash.
static bool has_way_up(lg_str path)
{
    while (path.len) {
        size_t end = 0;
        while (end < path.len && !strchr("/\\", path.ptr[end])) {
            end++;
        }
        lg_str segment = lg_str_slice(path, 0, end);
        segment = lg_str_slice(segment, 0, lg_str_find(segment, LG_STR(";")));
        if (lg_str_eq(segment, LG_STR(".")) || lg_str_eq(segment, LG_STR(".."))) {
            return true;
        }
        path = end < path.len ? lg_str_slice(path, end + 1, path.len) : LG_STR("");
    }
    return false;
}

// What percent signs code is put in their place. Returns the new length.
static size_t decode(char *text, size_t len)
{
    size_t to = 0;
    for (size_t i = 0; i < len; i++) {
        int high = len - i > 2 ? lg_hex_digit(text[i + 1]) : -1;
        int low = len - i > 2 ? lg_hex_digit(text[i + 2]) : -1;
        bool coded = text[i] == '%' && high >= 0 && low >= 0;
        text[to++] = (char)(coded ? high << 4 | low : text[i]);
        i += coded ? 2 : 0;
    }
    return to;
}

#define CODED_TWICE_MOST 4 // who codes more often than this means nothing good

// Does it lead out of what stands below the route, also for those who decode it before they look, or twice?
static bool climbs(lg_inbound *in, lg_str rest)
{
    char *text = lg_arena_alloc(lg_inbound_arena(in), rest.len + 1, 1);
    size_t len = rest.len;
    if (!text) {
        return true;
    }
    lg_copy_bytes(text, rest.ptr, rest.len);
    for (int i = 0; i < CODED_TWICE_MOST; i++) {
        size_t before = len;
        if (has_way_up(lg_str_of(text, len))) {
            return true;
        }
        len = decode(text, len);
        if (len == before) {
            return false;
        }
    }
    return true;
}

static bool is_models(lg_str rest)
{
    lg_str models = LG_STR("/models");
    return lg_str_starts(rest, models) &&
           (rest.len == models.len ||
            (rest.ptr[models.len] == '/' && is_name(lg_str_slice(rest, models.len + 1, rest.len))));
}

// An item of `pass`: "GET /files", "GET /files/*", "/files"; `method` empty: whichever.
static bool fits_pass(lg_str item, lg_str method, lg_str rest)
{
    size_t blank = lg_str_find(item, LG_STR(" "));
    lg_str path = lg_str_slice(item, blank == SIZE_MAX ? 0 : blank + 1, item.len);
    bool any = lg_str_ends(path, LG_STR("/*"));
    lg_str stem = any ? lg_str_slice(path, 0, path.len - 1) : path;
    bool fits = any ? lg_str_starts(rest, stem) && is_name(lg_str_slice(rest, stem.len, rest.len))
                    : lg_str_eq(rest, path);
    return fits &&
           (blank == SIZE_MAX || !method.len || lg_str_eq(method, lg_str_slice(item, 0, blank)));
}

static bool is_passed(const lg_serve_route *r, lg_str method, lg_str rest)
{
    bool is = false;
    for (size_t i = 0; i < r->pass.count && !is; i++) {
        is = fits_pass(r->pass.items[i], method, rest);
    }
    return is;
}

// --- A request ----------------------------------------------------------------------------------

static bool is_coded(const lg_http_request *r)
{
    bool coded = false;
    for (size_t i = 0; i < r->headers.count && !coded; i++) {
        lg_http_header h = r->headers.items[i];
        coded = lg_str_eq_any_case(h.name, LG_STR("content-encoding")) && h.value.len &&
                !lg_str_eq_any_case(h.value, LG_STR("identity"));
    }
    return coded;
}

static void to_judged(crossing *c, const lg_http_request *r, const endpoint *e)
{
    if (c->route->law && is_coded(r)) {
        front_fail(c->worker, c->in, 415, "ledgergate_request",
                   "the body is compressed, and only a plain one can be judged: send it "
                   "without content-encoding");
        return;
    }
    lg_str probe = lg_http_header_value(r->headers, LG_STR(PROBE_HEADER));
    if (c->route->law && probe_is(probe)) {
        c->probe = probe;
        metrics_count(&c->worker->metrics.probes_total);
    }
    c->api = e->api;
    c->way = c->route->judged;
    bridge_begin(c);
}

#define SHOWN_BYTES 80u // of a path, in a sentence

// The methods that a path takes, as RFC 9110 section 15.5.6 wants them said: "POST", "GET, DELETE".
static lg_str methods_of(const crossing *c)
{
    if (find_judged(c->rest)) {
        return LG_STR("POST");
    }
    lg_arena *arena = lg_inbound_arena(c->in);
    lg_str all = is_models(c->rest) ? LG_STR("GET") : LG_STR("");
    const lg_serve_route *of = c->route->config;
    for (size_t i = 0; i < of->pass.count; i++) {
        lg_str item = of->pass.items[i];
        if (fits_pass(item, LG_STR(""), c->rest)) {
            lg_str method = lg_str_slice(item, 0, lg_str_find(item, LG_STR(" ")));
            all = lg_arena_printf(arena, "%.*s%s%.*s", LG_FMT(all), all.len ? ", " : "",
                                  LG_FMT(method));
        }
    }
    return all.ptr ? all : LG_STR("");
}

// The path is one of those that pass, and the method is not.
static void deny_method(const crossing *c, const lg_http_request *r)
{
    lg_str rest = lg_str_cut(c->rest, SHOWN_BYTES);
    lg_str method = lg_str_cut(r->method, 16);
    lg_str takes = methods_of(c);
    metrics_status(&c->worker->metrics, 405);
    lg_str text = lg_arena_printf(lg_inbound_arena(c->in), "%.*s takes %.*s, and not %.*s",
                                  LG_FMT(rest), LG_FMT(takes), LG_FMT(method));
    lg_http_header allow = {LG_STR("allow"), takes};
    reply_error(c->worker, c->in, 405, LG_STR("ledgergate_request"),
                text.ptr ? text : LG_STR("this path takes another method"), &allow);
}

// Clients put a part of the path behind their base URL by themselves, and not all the same part.
static bool is_doubled(const crossing *c)
{
    lg_str path = c->route->config->path;
    lg_str behind = lg_str_slice(c->rest, path.len, c->rest.len);
    return path.len && lg_str_starts(c->rest, path) && (find_judged(behind) || is_models(behind));
}

static void deny_path(const crossing *c, const lg_http_request *r)
{
    lg_str path = lg_str_cut(c->route->config->path, SHOWN_BYTES);
    lg_str rest = lg_str_cut(c->rest, SHOWN_BYTES);
    metrics_count(&c->worker->metrics.denied_path_total);
    if (!c->route->law) {
        front_fail(c->worker, c->in, 404, "ledgergate_request",
                   "LedgerGate passes on what is below `%.*s`, and %.*s leads out of it",
                   LG_FMT(path), LG_FMT(rest));
    } else if (is_doubled(c)) {
        front_fail(c->worker, c->in, 404, "ledgergate_request",
                   "`%.*s` stands twice in this path: this client puts it behind its base_url by "
                   "itself, so leave it out there (Anthropic's: http://HOST:PORT)",
                   LG_FMT(path));
    } else if (find_judged(c->rest) || is_models(c->rest) ||
               is_passed(c->route->config, LG_STR(""), c->rest)) {
        deny_method(c, r);
    } else {
        front_fail(c->worker, c->in, 404, "ledgergate_request",
                   "LedgerGate passes on POST /chat/completions, /responses and /messages and GET "
                   "/models below `%.*s`, and not %.*s; `pass` of the route can name more",
                   LG_FMT(path), LG_FMT(rest));
    }
}

static void to_endpoint(crossing *c, const lg_http_request *r)
{
    const endpoint *e = find_judged(c->rest);
    bool reads = lg_str_eq(r->method, LG_STR("GET"));
    if (e && lg_str_eq(r->method, LG_STR("POST"))) {
        to_judged(c, r, e);
    } else if ((!c->route->law && !climbs(c->in, c->rest)) || (reads && is_models(c->rest)) ||
               is_passed(c->route->config, r->method, c->rest)) {
        c->api = api_of_path(r->path);
        c->way = c->route->open;
        bridge_begin(c);
    } else {
        deny_path(c, r);
    }
}

// What clients ask whose base URL lacks the route's path.
static void deny_route(worker *w, lg_inbound *in, lg_str path)
{
    metrics_count(&w->metrics.denied_path_total);
    if (find_judged(path) || is_models(path)) {
        lg_str wanted = lg_str_cut(w->routing->routes[0].config->path, SHOWN_BYTES);
        front_fail(w, in, 404, "ledgergate_request",
                   "no route of LedgerGate begins like this path: the client's base_url wants "
                   "`%.*s` at its end",
                   LG_FMT(wanted));
        return;
    }
    front_fail(w, in, 404, "ledgergate_request", "no route of LedgerGate begins like this path");
}

// --- Who may ask ----------------------------------------------------------------------------------

static lg_str without_port(lg_str host)
{
    size_t end = host.len;
    while (end && host.ptr[end - 1] >= '0' && host.ptr[end - 1] <= '9') {
        end--;
    }
    bool port = end && end < host.len && host.ptr[end - 1] == ':';
    return lg_str_slice(host, 0, port ? end - 1 : host.len);
}

// A name of this machine: what a page in a browser cannot make its own name mean.
static bool is_local(lg_str name)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        if (lg_str_eq_any_case(name, lg_str_c(names[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_welcome_host(const lg_serve_config *c, lg_str host)
{
    if (c->hosts.count) {
        return is_of(c->hosts, host) || is_of(c->hosts, without_port(host));
    }
    return !is_local(without_port(c->listen)) || is_local(without_port(host));
}

static bool may_come(worker *w, lg_inbound *in)
{
    const lg_serve_config *c = w->routing->config;
    const lg_http_request *r = lg_inbound_request(in);
    lg_str host = lg_http_header_value(r->headers, LG_STR("host"));
    if (!is_welcome_host(c, host)) {
        metrics_count(&w->metrics.denied_host_total);
        front_fail(w, in, 403, "ledgergate_host",
                   "LedgerGate is not called `%.*s`; `hosts` of its configuration can name it",
                   (int)(host.len < 80 ? host.len : 80), host.ptr);
        return false;
    }
    if (is_strange_origin(c, r->headers)) {
        metrics_count(&w->metrics.denied_host_total);
        front_fail(w, in, 403, "ledgergate_origin",
                   "pages of this origin may not ask; `origins` of LedgerGate's configuration can "
                   "name it");
        return false;
    }
    return true;
}

// Finds out whose request it is. False: it has been answered.
static bool know(crossing *c, const lg_http_request *r)
{
    worker *w = c->worker;
    const lg_serve_config *config = w->routing->config;
    lg_str credential = token_credential(r->headers);
    if (!config->token_count) {
        c->principal = token_principal(w->gateway, credential, lg_inbound_arena(c->in));
        if (!c->principal.ptr) { // what is remembered of others is not for him
            front_fail(w, c->in, 503, "ledgergate_memory",
                       "LedgerGate is out of memory; try again later");
        }
        return c->principal.ptr != NULL;
    }
    c->has_token = true;
    if (token_find(config, r->headers, &c->principal)) {
        return true;
    }
    metrics_count(&w->metrics.denied_token_total);
    front_fail(w, c->in, 401, "ledgergate_token", "%s",
               credential.len
                   ? "this token is none of LedgerGate's"
                   : "LedgerGate wants a token: Authorization: Bearer TOKEN, or x-api-key");
    return false;
}

void front_request(void *data, lg_inbound *in)
{
    worker *w = data;
    const lg_http_request *r = lg_inbound_request(in);
    crossing c = {.worker = w, .in = in};
    bool open = false;
    bool own = !w->routing->config->admin_listen.len && admin_is(r->path, &open);
    if (own && open) { // a probe of an orchestrator names any host
        admin_answer(w, in);
        return;
    }
    if (!may_come(w, in)) {
        return;
    }
    if (cors_is_preflight(r)) { // a browser sends no token with it
        metrics_status(&w->metrics, 204);
        cors_answer(in);
        return;
    }
    if (!know(&c, r)) {
        return;
    }
    if (own) {
        admin_answer(w, in);
        return;
    }
    c.route = routing_find(w->routing, r->path, &c.rest);
    if (!c.route) {
        deny_route(w, in, r->path);
        return;
    }
    to_endpoint(&c, r);
}
