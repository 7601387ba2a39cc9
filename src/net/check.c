// check.c: which requests are refused unread.
//
// A request that two programs could read differently is how a second one is smuggled past a gate: the daemon takes
// the first of two Content-Length headers and runs the rest of the body as a request (RFC 9112 section 6.3 and 11.2).
// So whatever frames a message stands once and is plain, or there is no message.
#include "base/str.h"
#include "net/server_internal.h"

static unsigned bad(const char **ret_why, const char *why)
{
    *ret_why = why;
    return 400;
}

static bool is_digits(lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
    }
    return text.len > 0;
}

static unsigned framing_faults(const lg_inbound *in, const char **ret_why)
{
    lg_http_headers headers = in->request.headers;
    size_t lengths = lg_http_header_count(headers, LG_STR("Content-Length"));
    size_t codings = lg_http_header_count(headers, LG_STR("Transfer-Encoding"));
    if (lengths + codings > 1) {
        return bad(ret_why, "the length of the body is said more than once: send either one "
                            "Content-Length or one Transfer-Encoding");
    }
    if (lengths && !is_digits(lg_http_header_value(headers, LG_STR("Content-Length")))) {
        return bad(ret_why, "Content-Length is not a number");
    }
    if (codings && !in->one_one) {
        return bad(ret_why, "Transfer-Encoding does not exist in HTTP/1.0");
    }
    if (codings && !lg_str_eq_any_case(lg_http_header_value(headers, LG_STR("Transfer-Encoding")),
                                       LG_STR("chunked"))) {
        return bad(ret_why, "Transfer-Encoding is not `chunked`, and nothing else is understood");
    }
    return 0;
}

static bool is_visible(lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] <= 0x20 || text.ptr[i] == 0x7f) {
            return false;
        }
    }
    return true;
}

static unsigned target_faults(const lg_http_request *request, const char **ret_why)
{
    bool star = lg_str_eq(request->path, LG_STR("*")) && !request->query.ptr &&
                lg_str_eq(request->method, LG_STR("OPTIONS"));
    if (!lg_http_is_token(request->method)) {
        return bad(ret_why, "the method is no word");
    }
    if (!star && !lg_str_starts(request->path, LG_STR("/"))) {
        return bad(ret_why, "the target is no path: it has to begin with `/`");
    }
    if (!is_visible(request->path) || !is_visible(request->query)) {
        return bad(ret_why, "the target has blanks or control characters in it");
    }
    return 0;
}

static unsigned header_faults(const lg_inbound *in, const char **ret_why)
{
    const lg_http_request *request = &in->request;
    size_t size_bytes = request->method.len + request->path.len + request->query.len;
    for (size_t i = 0; i < request->headers.count; i++) {
        lg_http_header header = request->headers.items[i];
        size_bytes += header.name.len + header.value.len + sizeof(": \r\n") - 1;
        if (!lg_http_header_is_clean(header)) {
            return bad(ret_why, "a header has a name that is no word, or control characters in it");
        }
    }
    if (size_bytes > in->server->limits.header_bytes) {
        *ret_why = "the request's line and headers are larger than is allowed";
        return 431;
    }
    if (in->has_nul) {
        return bad(ret_why, "a header has a NUL in it");
    }
    size_t hosts = lg_http_header_count(request->headers, LG_STR("Host"));
    if (hosts > 1 || (in->one_one && hosts == 0)) {
        return bad(ret_why, "Host has to be there, once");
    }
    return 0;
}

unsigned inbound_faults(const lg_inbound *in, const char **ret_why)
{
    unsigned status = header_faults(in, ret_why);
    if (!status) {
        status = target_faults(&in->request, ret_why);
    }
    return status ? status : framing_faults(in, ret_why);
}
