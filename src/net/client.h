// client.h: HTTP/1.1 out: requests to upstreams, over connections that are used again.
//
// A client belongs to a loop and keeps its open connections. What it tells comes from the loop, never
// from within a function of this header, and in this order: `head` once, `bytes` any number of times, `end` once.
//
//     lg_outbound_events events = {.data = me, .head = on_head, .bytes = on_bytes, .end = on_end};
//     status = lg_client_send(client, &request, &events, &out, &error);
//
// **A request is sent once.** If a connection that was kept open dies before the first byte of an answer,
// nobody knows whether the request was carried out; the same bytes are never sent again. `end` says
// whether any byte had been sent: if not, to ask again is safe; if so, the caller decides, knowing what
// the request does. Redirections are not followed but given as they are.
//
// Bodies are given as they come: nothing is decoded. A ceiling cuts what is longer.
#ifndef LG_NET_CLIENT_H
#define LG_NET_CLIENT_H

#include "net/http.h"
#include "net/loop.h"

typedef struct lg_client lg_client;
typedef struct lg_outbound lg_outbound; // one request, until `end` or lg_outbound_cancel()

// Zero means the default, in brackets.
typedef struct lg_client_options {
    uint32_t connections;          // open at once on this loop; more requests wait [1024]
    uint32_t connections_per_host; // [512]
    uint32_t idle_connections;     // kept open unused [256]
    uint32_t idle_age_s; // a connection that was unused for longer is not used again [60 s]
    // Certificates that may vouch for an upstream, a PEM file. NULL: those of the system.
    const char *ca_file;
    const char *proxy; // "http://proxy:3128"; NULL: none, whatever the environment says
} lg_client_options;

LG_NODISCARD lg_status lg_client_new(lg_loop *loop, const lg_client_options *options,
                                     lg_client **ret_client, lg_error *reterr);

// Ends what is under way without a word of `end`, and closes all connections. Not from within a callback. NULL is allowed.
void lg_client_free(lg_client *client);

typedef struct lg_client_request {
    lg_str method;
    lg_str url; // "http://..." or "https://..."
    // Sent as they are. Host, Content-Length, Transfer-Encoding, Connection and Expect are the client's own and left out. None
    // is added, not even Accept, but Host and Content-Length.
    lg_http_headers headers;
    lg_str body; // borrowed until `end` was called or lg_outbound_cancel() has returned
    // Zero means the default, in brackets.
    uint32_t connect_ms;    // name, connection, TLS [10 s]
    uint32_t first_byte_ms; // from the call to the head of the answer [300 s]
    uint32_t idle_ms;       // between two bytes of the answer, while it is not paused [120 s]
    uint32_t total_ms;      // [1 h]
    size_t head_bytes;      // of the answer's head [64 KiB]
    size_t body_bytes;      // of its body [64 MiB]
} lg_client_request;

typedef enum lg_end_kind {
    LG_END_OK,        // the answer is complete, whatever its status
    LG_END_REFUSED,   // no connection: name, network, TLS. Nothing was sent
    LG_END_TIMEOUT,   // a deadline; `what` says which
    LG_END_RESET,     // the connection broke before the head of an answer
    LG_END_CUT,       // it broke, or ended early, within the answer
    LG_END_TOO_LARGE, // a ceiling
    LG_END_BAD,       // what came is no HTTP
    LG_END_FAILED,    // memory, or something else of our own
} lg_end_kind;

// "timeout": a word for logs and metrics.
const char *lg_end_kind_name(lg_end_kind kind);

typedef struct lg_outbound_end {
    lg_end_kind kind;
    bool sent;   // any byte of the request was given to the network. If not, it can be asked again
    lg_str what; // for people: no newline, no final full stop; lives until the callback returns
    int64_t connected_ns, first_byte_ns, total_ns; // since the call; 0 if it did not come to it
    bool reused;                                   // over a connection that was open already
} lg_outbound_end;

typedef struct lg_outbound_events {
    void *data;
    // The views live until the callback returns. Of `1xx` nothing is told.
    void (*head)(void *data, unsigned status, lg_http_headers headers);
    void (*bytes)(void *data, lg_str bytes);
    void (*end)(void *data, const lg_outbound_end *end); // and the lg_outbound is gone
} lg_outbound_events;

// Begins a request. Fails at once, and calls nothing back, with LG_ERR_USAGE (an address, method or header that is none) or
// LG_ERR_OOM. Whatever happens on the network is told by `end`.
LG_NODISCARD lg_status lg_client_send(lg_client *client, const lg_client_request *request,
                                      const lg_outbound_events *events, lg_outbound **ret_outbound,
                                      lg_error *reterr);

// Backpressure: between the two neither `bytes` nor `end` is called, and the upstream is not read. Both
// may be called from the callbacks.
void lg_outbound_pause(lg_outbound *out);
void lg_outbound_resume(lg_outbound *out);

// Ends it without a word: no callback comes any more. Closes its connection. May be called from its callbacks but `end`.
void lg_outbound_cancel(lg_outbound *out);

#endif
