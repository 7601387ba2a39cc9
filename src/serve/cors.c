// cors.c: what a page of a browser has to be told before it may ask and read (Fetch standard, section 3.2, "CORS protocol").
//
// Pages of the origins that `origins` names are let in, all others are refused before this is asked. What the upstream
// says of origins counts between it and us alone.
#include "base/str.h"
#include "serve/serve_internal.h"

#define METHODS "GET, HEAD, POST, PUT, PATCH, DELETE"
// What a page may read beside what every page may.
#define EXPOSED                                                                                    \
    "x-ledgergate-decision-id, x-ledgergate-overhead-us, x-request-id, request-id, retry-after"

static lg_str origin_of(const lg_http_request *r)
{
    return lg_http_header_value(r->headers, LG_STR("origin"));
}

bool cors_is_theirs(const lg_http_request *r, lg_str name)
{
    const lg_str prefix = LG_STR("access-control-");
    return origin_of(r).ptr && lg_str_eq_any_case(lg_str_slice(name, 0, prefix.len), prefix);
}

size_t cors_add(const lg_http_request *r, lg_http_header room[CORS_HEADERS])
{
    lg_str origin = origin_of(r);
    if (!origin.ptr) {
        return 0;
    }
    room[0] = (lg_http_header){LG_STR("access-control-allow-origin"), origin};
    room[1] = (lg_http_header){LG_STR("access-control-expose-headers"), LG_STR(EXPOSED)};
    room[2] = (lg_http_header){LG_STR("vary"), LG_STR("Origin")};
    return CORS_HEADERS;
}

bool cors_is_preflight(const lg_http_request *r)
{
    return lg_str_eq(r->method, LG_STR("OPTIONS")) && origin_of(r).ptr &&
           lg_http_header_value(r->headers, LG_STR("access-control-request-method")).ptr;
}

// Nothing but headers, and nobody is asked: whether there is such a path, and with which token, the request itself will hear.
void cors_answer(lg_inbound *in)
{
    const lg_http_request *r = lg_inbound_request(in);
    lg_http_header headers[CORS_HEADERS + 4];
    size_t count = cors_add(r, headers);
    lg_str asked = lg_http_header_value(r->headers, LG_STR("access-control-request-headers"));
    lg_str near =
        lg_http_header_value(r->headers, LG_STR("access-control-request-private-network"));
    headers[count++] = (lg_http_header){LG_STR("access-control-allow-methods"), LG_STR(METHODS)};
    headers[count++] = (lg_http_header){LG_STR("access-control-max-age"), LG_STR("600")};
    if (asked.len) { // each by its name: `*` would leave out `authorization`
        headers[count++] = (lg_http_header){LG_STR("access-control-allow-headers"), asked};
    }
    if (lg_str_eq(near, LG_STR("true"))) {
        headers[count++] = (lg_http_header){LG_STR("access-control-allow-private-network"), near};
    }
    lg_inbound_reply(in, 204, (lg_http_headers){headers, count}, LG_STR(""));
}
