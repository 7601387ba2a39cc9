// http.h: what requests and responses are made of, whichever way they go.
//
// Names and values are views. A value is as it stood on the wire, without the blanks around it.
#ifndef LG_NET_HTTP_H
#define LG_NET_HTTP_H

#include "base/types.h"

typedef struct lg_http_header {
    lg_str name;
    lg_str value;
} lg_http_header;

typedef struct lg_http_headers {
    const lg_http_header *items;
    size_t count;
} lg_http_headers;

// The value of the first header with this name, in any case of letters; ptr is NULL if there is none.
lg_str lg_http_header_value(lg_http_headers headers, lg_str name);

// How many headers have this name.
size_t lg_http_header_count(lg_http_headers headers, lg_str name);

// Letters, digits and the signs that a name or a method may consist of (RFC 9110 section 5.6.2); not empty.
bool lg_http_is_token(lg_str text);

// Headers that speak of one connection and not of what is sent (RFC 9110 section 7.6.1), and those that follow
// from where and how it is sent: whoever sends makes them anew. Neither server nor client sends on one of a caller.
bool lg_http_is_of_hop(lg_str name);

// Whether this may be sent or was allowed to be: a token as name (RFC 9110 section 5.6.2), and a value
// without control characters other than tab. What is neither could end a header early and begin another.
bool lg_http_header_is_clean(lg_http_header header);

#endif
