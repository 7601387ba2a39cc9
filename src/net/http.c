// http.c: names and values of headers.
#include "net/http.h"
#include "base/str.h"

lg_str lg_http_header_value(lg_http_headers headers, lg_str name)
{
    for (size_t i = 0; i < headers.count; i++) {
        if (lg_str_eq_any_case(headers.items[i].name, name)) {
            return headers.items[i].value;
        }
    }
    return (lg_str){NULL, 0};
}

size_t lg_http_header_count(lg_http_headers headers, lg_str name)
{
    size_t count = 0;
    for (size_t i = 0; i < headers.count; i++) {
        count += lg_str_eq_any_case(headers.items[i].name, name);
    }
    return count;
}

bool lg_http_is_token(lg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool plain = lg_is_digit(c) || lg_is_letter(c);
        if (!plain && (!c || !strchr("!#$%&'*+-.^_`|~", c))) {
            return false;
        }
    }
    return text.len > 0;
}

bool lg_http_header_is_clean(lg_http_header header)
{
    for (size_t i = 0; i < header.value.len; i++) {
        unsigned char c = (unsigned char)header.value.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return lg_http_is_token(header.name);
}

bool lg_http_is_of_hop(lg_str name)
{
    static const char *const names[] = {
        "Connection", "Content-Length",    "Expect", "Host", "Keep-Alive", "Proxy-Connection", "TE",
        "Trailer",    "Transfer-Encoding", "Upgrade"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        if (lg_str_eq_any_case(name, lg_str_c(names[i]))) {
            return true;
        }
    }
    return false;
}
