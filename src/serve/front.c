// front.c: what a request is: which route, which protocol, who asks; and what is refused before anything is judged.
//
// What is not listed is denied: below a route with a pack a client reaches the endpoints whose replies are judged and
// the list of models, so no other face of the upstream gives what the judged ones refuse.
#include "base/str.h"
#include "serve/serve_internal.h"

#include <stdarg.h>
#include <stdio.h>

// --- Errors -------------------------------------------------------------------------------------

static lg_chat_api api_of_path(lg_str path)
{
    return lg_str_find(path, LG_STR("/messages")) != SIZE_MAX    ? LG_CHAT_MESSAGES
           : lg_str_find(path, LG_STR("/responses")) != SIZE_MAX ? LG_CHAT_RESPONSES
                                                                 : LG_CHAT_COMPLETIONS;
}

static void reply_error(lg_inbound *in, unsigned status, lg_str code, lg_str message)
{
    static const lg_http_header json[] = {{{"content-type", sizeof("content-type") - 1},
                                           {"application/json", sizeof("application/json") - 1}}};
    lg_buf body;
    lg_buf_init(&body, 0);
    lg_chat_error(api_of_path(lg_inbound_request(in)->path), status, code, message, &body);
    lg_str text = lg_buf_status(&body) == LG_OK ? lg_buf_str(&body) : LG_STR("");
    lg_inbound_reply(in, status, (lg_http_headers){json, LG_COUNT(json)}, text);
    lg_buf_done(&body);
}

void front_fail(lg_inbound *in, unsigned status, const char *code, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    size_t shown = length < 0                      ? 0
                   : (size_t)length < sizeof(text) ? (size_t)length
                                                   : sizeof(text) - 1;
    reply_error(in, status, lg_str_c(code), lg_str_of(text, shown));
}

void front_refuse(void *data, lg_inbound *in, unsigned status, lg_str why)
{
    (void)data;
    reply_error(in, status, LG_STR("ledgergate_request"), why);
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
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && !strchr("-_.:", c)) {
            return false;
        }
    }
    return text.len > 0 && text.ptr[0] != '.';
}

static bool is_models(lg_str method, lg_str rest)
{
    lg_str models = LG_STR("/models");
    if (!lg_str_eq(method, LG_STR("GET")) || !lg_str_starts(rest, models)) {
        return false;
    }
    return rest.len == models.len ||
           (rest.ptr[models.len] == '/' && is_name(lg_str_slice(rest, models.len + 1, rest.len)));
}

static bool is_passed(const lg_serve_route *r, lg_str method, lg_str rest)
{
    for (size_t i = 0; i < r->pass.count; i++) {
        lg_str item = r->pass.items[i];
        size_t blank = lg_str_find(item, LG_STR(" "));
        lg_str path = lg_str_slice(item, blank == SIZE_MAX ? 0 : blank + 1, item.len);
        bool any = lg_str_ends(path, LG_STR("/*"));
        lg_str stem = any ? lg_str_slice(path, 0, path.len - 1) : path;
        bool fits =
            any ? lg_str_starts(rest, stem) && is_name(lg_str_slice(rest, stem.len, rest.len))
                : lg_str_eq(rest, path);
        if (fits && (blank == SIZE_MAX || lg_str_eq(method, lg_str_slice(item, 0, blank)))) {
            return true;
        }
    }
    return false;
}

// --- A request ----------------------------------------------------------------------------------

static bool is_coded(const lg_http_request *r)
{
    lg_str coding = lg_http_header_value(r->headers, LG_STR("content-encoding"));
    return coding.len && !lg_http_name_is(coding, LG_STR("identity"));
}

static void to_endpoint(crossing *c, const lg_http_request *r)
{
    const endpoint *e = find_judged(c->rest);
    const lg_serve_route *config = c->route->config;
    if (e && lg_str_eq(r->method, LG_STR("POST"))) {
        if (c->route->law && is_coded(r)) {
            front_fail(c->in, 415, "ledgergate_request",
                       "the body is compressed, and only a plain one can be judged: send it "
                       "without content-encoding");
            return;
        }
        c->api = e->api;
        c->way = c->route->judged;
        bridge_begin(c);
    } else if (is_models(r->method, c->rest) || is_passed(config, r->method, c->rest)) {
        c->api = api_of_path(r->path);
        c->way = c->route->open;
        bridge_begin(c);
    } else if (e) {
        front_fail(c->in, 405, "ledgergate_request", "%s takes POST", e->path);
    } else {
        front_fail(c->in, 404, "ledgergate_request",
                   "LedgerGate passes on POST /chat/completions, /responses and /messages and GET "
                   "/models below `%.*s`, and not %.*s; `pass` of the route can name more",
                   LG_FMT(config->path), (int)(c->rest.len < 80 ? c->rest.len : 80), c->rest.ptr);
    }
}

void front_request(void *data, lg_inbound *in)
{
    worker *w = data;
    const lg_http_request *r = lg_inbound_request(in);
    crossing c = {.worker = w, .in = in};
    c.route = routing_find(w->routing, r->path, &c.rest);
    if (!c.route) {
        front_fail(in, 404, "ledgergate_request", "no route of LedgerGate begins like this path");
        return;
    }
    to_endpoint(&c, r);
}
