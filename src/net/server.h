// server.h: HTTP/1.1 in: what a client asks, and the answer to it, now or later, whole or streamed.
//
// A server listens on one loop; a program with several cores has one a loop at the same address, and
// the kernel deals the connections out. The handler gets a request when all of it has arrived (head
// and body, within the limits) and answers it from the loop's thread, in that call or any time after:
//
//     static void on_request(void *data, lg_inbound *in)
//     {
//         const lg_http_request *request = lg_inbound_request(in);
//         lg_inbound_reply(in, 200, (lg_http_headers){0}, request->body);
//     }
//
// or lg_inbound_begin(), lg_inbound_write() as often as wanted, lg_inbound_end(). Each write goes to
// the network in the same turn of the loop.
//
// **The one rule of lifetime**: an lg_inbound, its request and its arena live until `done` was
// called, which happens exactly once for every request that the handler was given, last of all and
// never from within a function of this header. It says whether the answer went out whole. A client that
// hangs up before the answer is complete ends it: `done` with LG_DONE_GONE is how one hears of it.
// A client that closes only its sending side has hung up, too (as nginx and Go have it; the two cannot
// be told apart until one writes), unless the answer is already complete: then it gets it.
//
// Refused before the handler sees anything, with 400 and the connection closed: what could be read as
// two different requests by two programs (RFC 9112 section 6.3) - Content-Length twice or no plain
// number, Transfer-Encoding beside it, in HTTP/1.0, or anything but `chunked`, control characters or
// odd names in headers, Host missing or twice -, and a target that is no path. Then 408, 413, 431,
// 503 for the limits below. `refuse` may give such an answer its form. What libmicrohttpd itself cannot
// parse it answers itself.
//
// What is *not* decided here: which hosts and origins are welcome. Both are headers of the request.
#ifndef LG_NET_SERVER_H
#define LG_NET_SERVER_H

#include "base/arena.h"
#include "base/buf.h"
#include "net/http.h"
#include "net/loop.h"

typedef struct lg_server lg_server;
typedef struct lg_inbound lg_inbound; // one request, and the answer that is being given

typedef struct lg_http_request {
    uint64_t id; // counts up, from the server's `first_id`
    lg_str method;
    lg_str path;  // as sent: not decoded, begins with "/" (or is "*", with OPTIONS)
    lg_str query; // behind the "?", as sent; ptr is NULL if there was none
    lg_http_headers headers;
    lg_str body;
    lg_str peer; // "127.0.0.1:51234", "[::1]:51234"
    bool tls;
    int64_t begun_ns;   // when its first line was there, on the loop's clock
    int64_t arrived_ns; // when all of it was
} lg_http_request;

typedef enum lg_done {
    LG_DONE_SENT, // the whole answer was handed to the network
    LG_DONE_GONE, // the client hung up, or read too slowly, before that
    LG_DONE_CUT,  // the handler, a deadline or the end of the server cut it
} lg_done;

typedef struct lg_handler {
    void *data;
    // A request is complete. Answer it now or later.
    void (*request)(void *data, lg_inbound *in);
    // May be NULL. A request that was not even given to the handler is answered with `status`: call
    // lg_inbound_reply() with it in this very call to give the answer its form, or do nothing and have `why`
    // as text/plain. What is known of the request can be looked at. There will be no `done`.
    void (*refuse)(void *data, lg_inbound *in, unsigned status, lg_str why);
} lg_handler;

// What one request's owner hears; set with lg_inbound_listen() during `request`.
typedef struct lg_inbound_events {
    void *data;
    void (*writable)(void *data);          // may be NULL: lg_inbound_is_full() has become false
    void (*done)(void *data, lg_done how); // may be NULL
    // The client has closed its side in the midst of a stream: it has said all and still reads, or it is gone. Which of both
    // shows when something is sent: to who is gone the system answers with a reset, and `done` follows. True: the handler has
    // sent something that a reader passes over, or goes on with what comes. False, or NULL: it counts as gone.
    bool (*half_closed)(void *data);
} lg_inbound_events;

// Zero means the default, in brackets. All are inclusive.
typedef struct lg_server_limits {
    uint32_t
        connections; // open at once on this loop; one more ends one that is idle, or gets 503 [4096]
    size_t header_bytes; // of the request's line and headers: 431 [16 KiB]
    size_t body_bytes;   // of one body: 413 [16 MiB]
    size_t bodies_bytes; // of all bodies that this server holds: 503 [512 MiB]
    size_t full_bytes;   // queued of one stream: from here on it is full [256 KiB]
    size_t queue_bytes;  // queued of one stream: a write beyond fails [64 MiB]
    uint32_t
        header_ms; // from the connection, or from the request's line, to the end of the headers [10 s]
    uint32_t body_ms;       // from there to the end of the body [60 s]
    uint32_t request_ms;    // from there to the end of the answer [1 h]
    uint32_t stall_ms;      // a client that takes nothing of what is queued for it [60 s]
    uint32_t keep_alive_ms; // from the end of an answer to the next request's line [75 s]
} lg_server_limits;

typedef struct lg_server_options {
    lg_str listen; // "127.0.0.1:8080", "[::1]:8080", "0.0.0.0:8080", "localhost:8080"; port 0: any
    // Another server of this process listens there already, on another loop. Without it an address that
    // somebody uses is an error, with it the two share what comes.
    bool joins;
    const char *tls_cert_file, *tls_key_file; // PEM; both or neither
    uint64_t first_id;
    lg_server_limits limits;
    lg_handler handler;
} lg_server_options;

// Listens. Fails with LG_ERR_ENVIRONMENT (address in use, no right, libraries missing), LG_ERR_USAGE (an address or a
// certificate that is none), LG_ERR_IO (a file that cannot be read), LG_ERR_OOM.
LG_NODISCARD lg_status lg_server_new(lg_loop *loop, const lg_server_options *options,
                                     lg_server **ret_server, lg_error *reterr);

// The port that it listens on.
uint16_t lg_server_port(const lg_server *server);

// Takes no new connection, closes those that are idle, tells the others with their answer (Connection:
// close), and calls `stopped(data)` once none is left, or `within_ms` later, when what is left is cut. Then it
// may be freed.
void lg_server_stop(lg_server *server, uint32_t within_ms, void (*stopped)(void *data), void *data);

// Cuts whatever is open; `done` is called for each. Not from within a callback of this server. NULL is allowed.
void lg_server_free(lg_server *server);

// What is open at this moment.
typedef struct lg_server_counts {
    size_t connections;
    size_t requests; // given to the handler and not done
    size_t bodies_bytes;
    uint64_t refused;   // requests that were answered without the handler, so far
    uint64_t timed_out; // connections that were cut by a deadline, so far
} lg_server_counts;
lg_server_counts lg_server_count(const lg_server *server);

// --- one request ---

const lg_http_request *lg_inbound_request(const lg_inbound *in);

// The request's body becomes the caller's, who ends it with lg_buf_done(); its bytes stay where they are. For who has not
// finished with it when `done` is called.
void lg_inbound_take_body(lg_inbound *in, lg_buf *ret_body);

// Memory that lives as long as the request does.
lg_arena *lg_inbound_arena(lg_inbound *in);

void lg_inbound_listen(lg_inbound *in, lg_inbound_events events);

// Answers whole. Headers and body are copied. Content-Length, Connection, Date and Transfer-Encoding are
// set by the server and left out of `headers`; so is what lg_http_header_is_clean() refuses. Without
// memory the client gets nothing and the connection is closed: `done` will say CUT.
void lg_inbound_reply(lg_inbound *in, unsigned status, lg_http_headers headers, lg_str body);

// Answers in pieces: the head now (as above), the body with writes, then end. What has ended before the loop came to
// send its head goes out whole, with its length.
void lg_inbound_begin(lg_inbound *in, unsigned status, lg_http_headers headers);

// Copies `bytes` to the stream's queue. Fails with LG_ERR_LIMIT or LG_ERR_OOM: then the stream is cut, and
// `done` will say so. After the client has gone it is LG_OK and does nothing.
LG_NODISCARD lg_status lg_inbound_write(lg_inbound *in, lg_str bytes);
void lg_inbound_end(lg_inbound *in);

// Cuts the connection, so that the client sees that the answer is not complete. At any time before `done`.
void lg_inbound_cut(lg_inbound *in);

// Backpressure: bytes written and not yet given to the network, and whether they are many. Who sees that it is full
// stops what fills it until `writable`.
size_t lg_inbound_queued_bytes(const lg_inbound *in);
bool lg_inbound_is_full(const lg_inbound *in);

#endif
