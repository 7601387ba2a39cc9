// ascent.c: a request on its way up: where it goes, and with which headers.
#include "base/str.h"
#include "serve/serve_internal.h"

#define OWN_PREFIX LG_STR("x-ledgergate-")

// --- What goes on -------------------------------------------------------------------------------

static bool has_own_key(const crossing *c)
{
    return c->route->config->upstream.key.len > 0;
}

static bool is_replaced(const crossing *c, lg_str name)
{
    const lg_serve_upstream *u = &c->route->config->upstream;
    for (size_t i = 0; i < u->header_count; i++) {
        if (lg_str_eq_any_case(name, u->headers[i].name)) {
            return true;
        }
    }
    return false;
}

static bool is_listed(lg_str name, lg_str connection)
{
    while (connection.len) {
        size_t comma = lg_str_find(connection, LG_STR(","));
        if (lg_str_eq_any_case(lg_str_trim(lg_str_slice(connection, 0, comma)), name)) {
            return true;
        }
        connection =
            comma == SIZE_MAX ? LG_STR("") : lg_str_slice(connection, comma + 1, connection.len);
    }
    return false;
}

// Named by the client as one of this connection (RFC 9110 section 7.6.1).
static bool is_of_connection(lg_str name, lg_http_headers sent)
{
    bool is = false;
    for (size_t i = 0; i < sent.count && !is; i++) {
        is = lg_str_eq_any_case(sent.items[i].name, LG_STR("connection")) &&
             is_listed(name, sent.items[i].value);
    }
    return is;
}

static bool goes_on(const crossing *c, lg_http_header h, lg_http_headers sent)
{
    bool judged = c->way == c->route->judged && c->route->law;
    bool secret = c->has_token || has_own_key(c);
    if (lg_http_is_of_hop(h.name) || is_of_connection(h.name, sent) ||
        lg_str_eq_any_case(h.name, LG_STR("proxy-authorization")) ||
        lg_str_eq_any_case(lg_str_slice(h.name, 0, OWN_PREFIX.len), OWN_PREFIX) ||
        is_replaced(c, h.name)) {
        return false;
    }
    if (judged && lg_str_eq_any_case(h.name, LG_STR("accept-encoding"))) {
        return false; // what is judged must be read
    }
    bool own = token_is_credential(h.name) || lg_str_eq_any_case(h.name, LG_STR("cookie"));
    return !(own && secret);
}

static void add_header(ascent *a, lg_str name, lg_str value)
{
    LG_DEBUG_ASSERT(a->header_count < a->header_room);
    a->headers[a->header_count++] = (lg_http_header){name, value};
}

static lg_serve_key_header key_header_of(const crossing *c, lg_http_headers sent)
{
    lg_serve_key_header wanted = (lg_serve_key_header)c->route->config->upstream.key_header;
    if (wanted != LG_SERVE_KEY_AS_CLIENT) {
        return wanted;
    }
    if (lg_http_header_count(sent, LG_STR("authorization"))) {
        return LG_SERVE_KEY_BEARER;
    }
    bool other = lg_http_header_count(sent, LG_STR("x-api-key")) > 0 || c->api == LG_CHAT_MESSAGES;
    return other ? LG_SERVE_KEY_X_API_KEY : LG_SERVE_KEY_BEARER;
}

static bool add_key(const crossing *c, ascent *a, lg_http_headers sent, lg_arena *arena)
{
    lg_str key = c->route->config->upstream.key;
    switch (key_header_of(c, sent)) {
    case LG_SERVE_KEY_X_API_KEY:
        add_header(a, LG_STR("x-api-key"), key);
        return true;
    case LG_SERVE_KEY_API_KEY:
        add_header(a, LG_STR("api-key"), key);
        return true;
    case LG_SERVE_KEY_AS_CLIENT:
    case LG_SERVE_KEY_BEARER:
        break;
    }
    lg_str bearer = lg_arena_printf(arena, "Bearer %.*s", LG_FMT(key));
    add_header(a, LG_STR("Authorization"), bearer);
    return bearer.ptr != NULL;
}

bool ascent_prepare(const crossing *c, ascent *a)
{
    LG_DEBUG_ASSERT(c->route && c->way && a->header_count == 0);
    const lg_http_request *r = lg_inbound_request(c->in);
    const lg_serve_upstream *u = &c->route->config->upstream;
    lg_arena *arena = lg_inbound_arena(c->in);
    a->header_room = r->headers.count + u->header_count + 1; // and a key
    a->headers = LG_NEW_ARRAY(arena, lg_http_header, a->header_room);
    if (!a->headers) {
        return false;
    }
    for (size_t i = 0; i < r->headers.count; i++) {
        if (goes_on(c, r->headers.items[i], r->headers)) {
            add_header(a, r->headers.items[i].name, r->headers.items[i].value);
        }
    }
    for (size_t i = 0; i < u->header_count; i++) {
        add_header(a, u->headers[i].name, u->headers[i].value);
    }
    a->url = lg_arena_printf(arena, "%.*s%.*s%s%.*s", LG_FMT(u->url), LG_FMT(c->rest),
                             r->query.ptr ? "?" : "", LG_FMT(r->query));
    return a->url.ptr && (!has_own_key(c) || add_key(c, a, r->headers, arena));
}
