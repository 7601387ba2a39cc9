// doctor.c: looks at the log, the files, the upstreams; and sends canaries through the gateway that runs.
//
// A canary is a request whose answer the gateway makes up (probe.c): a call that it must refuse. Only an answer which
// says that just this call was refused, and in which the call is not there, shows that the gate judges on this path.
#include "serve/doctor.h"

#include "base/sign.h"
#include "base/str.h"
#include "serve/serve_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define WAIT_MS 15000u
#define ANSWER_BYTES ((size_t)4 << 20)

typedef struct doctor {
    lg_doctor_options o;
    lg_arena arena;
    lg_loop *loop;
    lg_client *client;
    size_t wrong;
} doctor;

LG_PRINTF(4, 5)
static void tell(doctor *d, lg_doctor_state state, lg_str what, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    lg_doctor_finding f = {state, what, lg_str_vprint(text, sizeof(text), format, args)};
    va_end(args);
    d->wrong += state == LG_DOCTOR_WRONG;
    d->o.tell(d->o.context, &f);
}

// --- Asking -------------------------------------------------------------------------------------

typedef struct answer {
    doctor *of;
    unsigned status; // 0: there was none
    lg_buf body;
    lg_error why;
} answer;

static void on_head(void *data, unsigned status, lg_http_headers headers)
{
    (void)headers;
    ((answer *)data)->status = status;
}

static void on_bytes(void *data, lg_str bytes)
{
    lg_buf_add(&((answer *)data)->body, bytes);
}

static void on_end(void *data, const lg_outbound_end *end)
{
    answer *a = data;
    if (end->kind != LG_END_OK) {
        a->status = 0;
        (void)lg_fail(&a->why, LG_ERR_IO, "%.*s", LG_FMT(end->what));
    }
    lg_loop_stop(a->of->loop);
}

static void ask(doctor *d, lg_client_request *request, answer *ret)
{
    lg_outbound *out;
    lg_outbound_events events = {ret, on_head, on_bytes, on_end};
    *ret = (answer){.of = d};
    lg_buf_init(&ret->body, ANSWER_BYTES);
    request->connect_ms = request->first_byte_ms = request->total_ms = WAIT_MS;
    request->body_bytes = ANSWER_BYTES;
    if (lg_client_send(d->client, request, &events, &out, &ret->why) != LG_OK ||
        lg_loop_run(d->loop, &ret->why) != LG_OK) {
        ret->status = 0;
    }
}

// --- What stands beside the configuration -----------------------------------------------------------

static void look_at_log(doctor *d)
{
    const lg_serve_config *c = d->o.config;
    lg_log *log = NULL;
    lg_log_head head;
    lg_error err;
    lg_str what = lg_arena_printf(&d->arena, "log %.*s", LG_FMT(c->store));
    if (!c->store.len) {
        tell(d, LG_DOCTOR_NOTE, LG_STR("log"), "there is no `store`: no decision is kept");
    } else if (access(c->store.ptr, F_OK) != 0) {
        tell(d, LG_DOCTOR_NOTE, what, "is not there yet; `serve` makes it");
    } else if (lg_log_open(c->store.ptr, NULL, &log, &err) != LG_OK ||
               lg_log_head_of(log, &head, &err) != LG_OK) {
        tell(d, LG_DOCTOR_WRONG, what, "%s", err.msg);
    } else {
        tell(d, LG_DOCTOR_FINE, what,
             "%llu record%s, as far as they were looked at: `ledgergate log verify` looks at all",
             (unsigned long long)head.sequence, lg_plural(head.sequence));
    }
    lg_log_close(log);
}

// What is lawful, and leaves the gate open or the upstream without a key.
static void tell_advice(void *context, lg_str what, lg_str text)
{
    doctor *d = context;
    if (!lg_str_eq(what, LG_STR("store"))) { // look_at_log() says it
        tell(d, LG_DOCTOR_NOTE, what, "%.*s", LG_FMT(text));
    }
}

static void look_at_route(doctor *d, const lg_serve_route *r)
{
    lg_str what = lg_arena_printf(&d->arena, "route %.*s", LG_FMT(r->path));
    if (!r->pack.len) {
        tell(d, LG_DOCTOR_NOTE, what, "has no pack: everything passes");
    } else if (r->mode == LG_PROXY_SHADOW) {
        tell(d, LG_DOCTOR_NOTE, what, "is in shadow: everything is judged, and everything passes");
    } else {
        tell(d, LG_DOCTOR_FINE, what, "pack %.*s", LG_FMT(r->pack));
    }
    if (r->allow_unseen) {
        tell(d, LG_DOCTOR_NOTE, what,
             "allow_unseen: tools that the upstream runs by itself are not judged");
    }
}

static void look_at_upstream(doctor *d, const lg_serve_route *r)
{
    answer a;
    lg_http_header headers[2];
    size_t count = 0;
    lg_str what = lg_arena_printf(&d->arena, "upstream %.*s", LG_FMT(r->upstream.url));
    lg_str url = lg_arena_printf(&d->arena, "%.*s/models", LG_FMT(r->upstream.url));
    lg_str bearer = lg_arena_printf(&d->arena, "Bearer %.*s", LG_FMT(r->upstream.key));
    if (r->upstream.key.len) {
        headers[count++] = (lg_http_header){LG_STR("authorization"), bearer};
        headers[count++] = (lg_http_header){LG_STR("x-api-key"), r->upstream.key};
    }
    lg_client_request request = {.method = LG_STR("GET"), .url = url, .headers = {headers, count}};
    ask(d, &request, &a);
    if (!a.status) {
        tell(d, LG_DOCTOR_WRONG, what, "cannot be reached: %s", a.why.msg);
    } else if (count && (a.status == 401 || a.status == 403)) {
        tell(d, LG_DOCTOR_WRONG, what, "refuses the key (status %u)", a.status);
    } else if (a.status >= 500) {
        tell(d, LG_DOCTOR_WRONG, what, "answers with status %u", a.status);
    } else {
        tell(d, LG_DOCTOR_FINE, what, "answers (status %u to GET /models)", a.status);
    }
    lg_buf_done(&a.body);
}

// --- Canaries -----------------------------------------------------------------------------------

typedef struct face {
    const char *path;
    const char *rest; // of the body
} face;

static const face faces[] = {
    {"/chat/completions", "\"messages\":[{\"role\":\"user\",\"content\":\"probe\"}]"},
    {"/responses", "\"input\":[{\"role\":\"user\",\"content\":\"probe\"}]"},
    {"/messages", "\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":\"probe\"}]"},
};

// Does the answer say of this very call that it was refused, and not hold it? What is wrong, or NULL. Every protocol
// names the tool of a call in a member `name`, and the verdict in `tool`.
static const char *judge(doctor *d, const answer *a, lg_str tool)
{
    lg_str body = lg_buf_str(&a->body);
    size_t at = lg_str_find(body, LG_STR("\"ledgergate\":"));
    lg_str said = lg_str_slice(body, at == SIZE_MAX ? body.len : at, body.len);
    lg_str call = lg_arena_printf(&d->arena, "\"name\":\"%.*s\"", LG_FMT(tool));
    lg_str verdict = lg_arena_printf(&d->arena, "\"tool\":\"%.*s\"", LG_FMT(tool));
    if (!call.ptr || !verdict.ptr) {
        return "out of memory";
    }
    if (lg_str_find(said, LG_STR("\"problem\":\"ledgergate_journal\"")) != SIZE_MAX) {
        return "the log takes no decision, so no call passes: see /readyz and the gateway's lines";
    }
    if (lg_str_find(body, call) != SIZE_MAX) {
        return "a call that no pack allows reached the client";
    }
    if (!said.len) {
        return "nothing in the path judges: the answer has no verdict";
    }
    bool refused = lg_str_find(said, verdict) != SIZE_MAX &&
                   lg_str_find(said, LG_STR("\"delivered\":false")) != SIZE_MAX &&
                   lg_str_find(said, LG_STR("\"delivered\":true")) == SIZE_MAX;
    return refused ? NULL : "the verdict is not on the call of this probe";
}

static void probe_one(doctor *d, const lg_serve_route *r, const face *f, bool stream, lg_str base)
{
    answer a;
    unsigned char bytes[16];
    char number[33];
    lg_random(bytes, sizeof(bytes));
    lg_hex(bytes, sizeof(bytes), number);
    lg_str what = lg_arena_printf(&d->arena, "probe %.*s%s%s", LG_FMT(r->path), f->path,
                                  stream ? " streamed" : "");
    lg_str tool = lg_arena_printf(&d->arena, PROBE_TOOL "%s", number);
    lg_str bearer = lg_arena_printf(&d->arena, "Bearer %.*s", LG_FMT(d->o.token));
    lg_str text = lg_arena_printf(&d->arena, "{\"model\":\"probe\",\"stream\":%s,%s}",
                                  stream ? "true" : "false", f->rest);
    lg_http_header headers[] = {{LG_STR("content-type"), LG_STR("application/json")},
                                {LG_STR(PROBE_HEADER), lg_str_c(number)},
                                {LG_STR("authorization"), bearer}};
    lg_client_request request = {
        .method = LG_STR("POST"),
        .url = lg_arena_printf(&d->arena, "%.*s%.*s%s", LG_FMT(base), LG_FMT(r->path), f->path),
        .headers = {headers, d->o.token.len ? 3 : 2},
        .body = text};
    ask(d, &request, &a);
    const char *wrong = a.status == 200 ? judge(d, &a, tool) : NULL;
    if (!a.status) {
        tell(d, LG_DOCTOR_WRONG, what, "cannot be reached: %s", a.why.msg);
    } else if (a.status != 200) {
        const char *hint = a.status != 401  ? ""
                           : d->o.token.len ? " (it was LEDGERGATE_TOKEN of the environment)"
                                            : " (LEDGERGATE_TOKEN of the environment is sent)";
        tell(d, LG_DOCTOR_WRONG, what, "status %u: %.*s%s", a.status,
             (int)(a.body.len < 300 ? a.body.len : 300), lg_buf_str(&a.body).ptr, hint);
    } else if (wrong) {
        tell(d, LG_DOCTOR_WRONG, what, "%s", wrong);
    } else {
        tell(d, LG_DOCTOR_FINE, what, "the canary was refused");
    }
    lg_buf_done(&a.body);
}

static lg_str without_slash(lg_str url)
{
    while (lg_str_ends(url, LG_STR("/"))) {
        url.len--;
    }
    return url;
}

// "0.0.0.0:8080" listens everywhere and is nowhere: this machine is asked.
static lg_str url_of(doctor *d, lg_str at, bool tls)
{
    if (lg_str_starts(at, LG_STR("0.0.0.0:"))) {
        at = lg_arena_printf(&d->arena, "127.0.0.1%.*s", LG_FMT(lg_str_slice(at, 7, at.len)));
    } else if (lg_str_starts(at, LG_STR("[::]:"))) {
        at = lg_arena_printf(&d->arena, "[::1]%.*s", LG_FMT(lg_str_slice(at, 4, at.len)));
    }
    return lg_arena_printf(&d->arena, "%s%.*s", tls ? "https://" : "http://", LG_FMT(at));
}

static lg_str base_of(doctor *d)
{
    const lg_serve_config *c = d->o.config;
    return d->o.url.len ? without_slash(d->o.url) : url_of(d, c->listen, c->tls_cert.len > 0);
}

// The gateway itself knows whether its log takes records: a canary is refused in any case.
static void ask_ready(doctor *d)
{
    answer a;
    const lg_serve_config *c = d->o.config;
    lg_str base = d->o.admin.len        ? without_slash(d->o.admin)
                  : c->admin_listen.len ? url_of(d, c->admin_listen, false)
                                        : base_of(d);
    lg_str what = lg_arena_printf(&d->arena, "gateway %.*s", LG_FMT(base));
    lg_str url = lg_arena_printf(&d->arena, "%.*s/readyz", LG_FMT(base));
    lg_client_request request = {.method = LG_STR("GET"), .url = url};
    ask(d, &request, &a);
    int shown = (int)(a.body.len < 300 ? a.body.len : 300);
    while (shown > 0 && lg_buf_str(&a.body).ptr[shown - 1] == '\n') {
        shown--;
    }
    if (!a.status && c->admin_listen.len && d->o.url.len && !d->o.admin.len) {
        tell(d, LG_DOCTOR_NOTE, what,
             "its /readyz cannot be asked from here (--admin says where it is): %s", a.why.msg);
    } else if (!a.status) {
        tell(d, LG_DOCTOR_WRONG, what, "cannot be reached: %s", a.why.msg);
    } else if (a.status == 503) {
        tell(d, LG_DOCTOR_WRONG, what, "is not ready: %.*s", shown, lg_buf_str(&a.body).ptr);
    } else if (a.status != 200) {
        tell(d, LG_DOCTOR_WRONG, what, "is no LedgerGate: status %u to GET /readyz", a.status);
    } else {
        tell(d, LG_DOCTOR_FINE, what, "is ready");
    }
    lg_buf_done(&a.body);
}

static void probe(doctor *d, const lg_serve_route *r)
{
    lg_str base = base_of(d);
    if (d->o.one_route && !lg_str_eq(d->o.route, r->path)) {
        return;
    }
    if (!r->pack.len) {
        lg_str what = lg_arena_printf(&d->arena, "probe %.*s", LG_FMT(r->path));
        tell(d, LG_DOCTOR_WRONG, what, "nothing is judged here: the route has no pack");
        return;
    }
    for (size_t i = 0; i < LG_COUNT(faces); i++) {
        probe_one(d, r, &faces[i], false, base);
        probe_one(d, r, &faces[i], true, base);
    }
}

// --- All of it ----------------------------------------------------------------------------------

static lg_status open_net(doctor *d, lg_error *reterr)
{
    const lg_serve_config *c = d->o.config;
    lg_client_options options = {.ca_file = c->ca_file.len ? c->ca_file.ptr : NULL,
                                 .proxy = c->proxy.len ? c->proxy.ptr : NULL};
    lg_status status = lg_net_load(reterr);
    status = status == LG_OK ? lg_loop_new(&d->loop, reterr) : status;
    status = status == LG_OK ? lg_client_new(d->loop, &options, &d->client, reterr) : status;
    if (status == LG_OK && !lg_sign_begin()) {
        status = lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no random bytes");
    }
    return status;
}

lg_status lg_doctor(const lg_doctor_options *options, size_t *ret_wrong, lg_error *reterr)
{
    doctor d = {.o = *options};
    const lg_serve_config *c = options->config;
    lg_arena_init(&d.arena, 0);
    lg_status status = open_net(&d, reterr);
    if (status == LG_OK) {
        look_at_log(&d);
        lg_serve_advise(c, options->host, tell_advice, &d);
        for (size_t i = 0; i < c->route_count; i++) {
            look_at_route(&d, &c->routes[i]);
            look_at_upstream(&d, &c->routes[i]);
        }
        if (options->probe) {
            ask_ready(&d);
        }
        for (size_t i = 0; options->probe && i < c->route_count; i++) {
            probe(&d, &c->routes[i]);
        }
    }
    *ret_wrong = d.wrong;
    lg_client_free(d.client);
    lg_loop_free(d.loop);
    lg_arena_done(&d.arena);
    return status;
}
