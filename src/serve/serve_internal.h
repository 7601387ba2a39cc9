// serve_internal.h: what the files of this room share.
//
//     lg_serve     one: the log, the proxy, what all workers share
//     worker       one a core: a loop, its listeners, its connections to upstreams, its bridges
//     routing      one a configuration, counted: workers and bridges hold it
//     bridge       one a request that is judged or passed on: between the client, the exchange and the upstream
#ifndef LG_SERVE_INTERNAL_H
#define LG_SERVE_INTERNAL_H

#include "serve/aside.h"
#include "serve/files.h"
#include "serve/otlp.h"
#include "serve/say.h"
#include "serve/serve.h"

#include "base/buf.h"
#include "base/map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define WORKERS_MAX 256u
#define WAITING_BUCKETS 1024u

typedef struct worker worker;
typedef struct bridge bridge;
typedef struct ready_check ready_check;

// --- metrics.c ----------------------------------------------------------------------------------

#define METRIC_BUCKETS 24u
#define METRIC_CLASSES 5u

typedef struct histogram {
    atomic_uint_fast64_t counts[METRIC_BUCKETS + 1];
    atomic_uint_fast64_t sum_ns;
} histogram;

// clang-format off
#define METRIC_MAP(X)                                                                                \
    X(requests_total,           "counter", "requests that were taken to a route")                    \
    X(connections,              "gauge",   "connections of clients, as of the last second")          \
    X(timed_out_total,          "counter", "connections that a deadline has cut")                    \
    X(requests_in_flight,       "gauge",   "requests whose answer is not over")                      \
    X(denied_token_total,       "counter", "requests without a token that is known")                 \
    X(denied_host_total,        "counter", "requests for another host, or of another origin")        \
    X(denied_path_total,        "counter", "requests that no route and no endpoint is for")          \
    X(refused_total,            "counter", "requests that were malformed, too large or too slow")    \
    X(clients_gone_total,       "counter", "clients that left before their answer was over")         \
    X(upstream_failures_total,  "counter", "requests to upstreams that broke, or were not answered") \
    X(aside_total,              "counter", "long bodies that were read or written beside the loop")  \
    X(probes_total,             "counter", "canary calls of `doctor --probe`")
// clang-format on

// Of one worker, which alone writes them.
typedef struct metrics {
    atomic_uint_fast64_t answers[METRIC_CLASSES];
#define X(name, type, text) atomic_uint_fast64_t name;
    METRIC_MAP(X)
#undef X
    histogram overhead, upstream, total;
} metrics;

void metrics_time(histogram *h, int64_t ns);
void metrics_status(metrics *m, unsigned status);
void metrics_count(atomic_uint_fast64_t *number);
void metrics_write(lg_buf *out, const worker *w); // of all workers
void metrics_finding_labels(lg_buf *out, lg_str path, const char *kind);
void metrics_labels(lg_buf *out, lg_str path, lg_verdict verdict, lg_str rule, lg_str tool);

// --- routing.c ----------------------------------------------------------------------------------

// A pack, held by the routing that loaded it and by the proxy's routes, which last as long as exchanges do.
typedef struct law {
    lg_pack *pack;
    atomic_uint refs;
} law;

// Of one route, by all workers.
typedef struct route_counts {
    atomic_uint_fast64_t results_refused, results_unjudged;
} route_counts;

typedef struct route {
    const lg_serve_route *config;
    law *law;               // NULL: nothing is judged
    lg_proxy_route *judged; // for what is judged, and
    lg_proxy_route *open;   // for what is passed on as it is
    route_counts *counts;
} route;

typedef struct routing {
    atomic_uint refs;
    struct routing *older; // past.c
    lg_serve_config *config;
    route *routes;
    size_t count;
} routing;

// Takes `config`. `proxy` NULL: the packs are loaded and looked at, and nothing can be asked. `before`: what it comes
// instead of, or NULL.
LG_NODISCARD lg_status routing_new(lg_serve_config *config, lg_proxy *proxy,
                                   const lg_serve_host *host, const routing *before,
                                   lg_serve_problems *problems, routing **ret);
void routing_ref(routing *r);
void routing_unref(routing *r); // NULL is allowed

// An array of what judges where: route, pack, version, hash. No more than `most`.
void routing_tell(const routing *r, size_t most, lg_json_writer *w);

// The route with the longest path that `path` begins with, and what stands behind it; or NULL.
const route *routing_find(const routing *r, lg_str path, lg_str *ret_rest);

// --- past.c -------------------------------------------------------------------------------------

// What routings have decided, those that a reload has replaced too.
typedef struct past {
    pthread_mutex_t lock;
    bool is_open;
    lg_arena arena; // of
    lg_map counts;  // of routings that are over
    routing *routings;
} past;

bool past_open(past *p);
void past_add(past *p, routing *r);
// Those of one metric, whose labels begin with `first`.
void past_write(past *p, lg_buf *out, const char *metric, const char *first);
void past_close(past *p);

// --- serve.c ------------------------------------------------------------------------------------

struct lg_serve {
    lg_serve_host host;
    lg_store *store;
    lg_journal *journal;
    lg_proxy *proxy;
    routing *routing; // of the thread that starts, reloads and stops
    worker *workers;
    size_t worker_count;
    past past;
    atomic_bool stopping, log_told;
    atomic_uint_fast64_t cut_at_end;
    atomic_uint_fast64_t reloads, reloads_failed, reloaded_at; // the last in seconds since 1970
    say say;
    otlp otlp;
    bool has_otlp;
    unsigned char secret[32]; // of names for credentials
};

// Has the log failed? Then that is said, once.
void serve_look_at_log(lg_serve *s);

// --- worker.c -----------------------------------------------------------------------------------

typedef struct kept_word { // what the log has said
    uint64_t token;
    lg_status status;
} kept_word;

struct worker {
    lg_serve *gateway;
    size_t index;
    lg_loop *loop;
    lg_server *server, *admin;
    lg_client *client;
    metrics metrics;
    routing *routing;
    _Atomic(routing *) next_routing; // handed over by another thread
    lg_task reload, stop, hear;
    lg_timer tick; // each second
    aside aside;   // for long bodies
    pthread_t thread;
    bool has_thread;
    size_t stopping; // servers that have not stopped yet
    bridge *bridges;
    bridge *waiting[WAITING_BUCKETS]; // for the log, by token
    bool has_lock;
    pthread_mutex_t lock; // of what the log has said
    kept_word *kept;
    size_t kept_count, kept_capacity;
    ready_check *checks;  // who waits to hear whether it is ready
    bool checking;        // the log has been asked
    lg_error check_error; // what it said; under the lock below
    bool kept_lost; // there was no memory for a word: everyone who waits is told that it failed
};

LG_NODISCARD lg_status worker_open(worker *w, lg_serve *gateway, size_t index, lg_error *reterr);
LG_NODISCARD lg_status worker_start(worker *w, lg_error *reterr);
void worker_join(worker *w);  // its thread has ended
void worker_shut(worker *w);  // connections and bridges
void worker_close(worker *w); // the rest, when nobody posts to it any more

void worker_kept(void *context, uint64_t token, lg_status status); // from any thread

// --- token.c ------------------------------------------------------------------------------------

bool token_is_credential(lg_str header); // does a header of this name hold one?
// What a client shows, in whichever header; or empty.
lg_str token_credential(lg_http_headers headers);
// Whose token one of the headers holds. False: nobody's.
bool token_find(const lg_serve_config *c, lg_http_headers headers, lg_str *ret_name);
// A name for whoever has this credential, which does not tell it. ptr NULL: out of memory.
lg_str token_principal(const lg_serve *s, lg_str credential, lg_arena *arena);

// --- admin.c ------------------------------------------------------------------------------------

// Is it one of the operator's paths, and is it open to everybody?
bool admin_is(lg_str path, bool *ret_open);
void admin_answer(worker *w, lg_inbound *in);
void admin_request(void *data, lg_inbound *in); // of a listener of its own
#define CHECK_TOKEN UINT64_MAX                  // of the log's word on this:
void admin_checked(worker *w, lg_status status);

// --- cors.c -------------------------------------------------------------------------------------

// Of a request whose `Origin`, if it has one, may ask.
#define CORS_HEADERS 3u
size_t cors_add(const lg_http_request *r, lg_http_header room[CORS_HEADERS]); // returns how many
bool cors_is_theirs(const lg_http_request *r,
                    lg_str name); // a header of the upstream that is ours to say
bool cors_is_preflight(const lg_http_request *r);
void cors_answer(lg_inbound *in);

// --- front.c ------------------------------------------------------------------------------------

void front_request(void *data, lg_inbound *in);
void front_refuse(void *data, lg_inbound *in, unsigned status, lg_str why);

// Answers with an error in the form of the protocol that the path belongs to.
LG_PRINTF(5, 6)
void front_fail(worker *w, lg_inbound *in, unsigned status, const char *code, const char *format,
                ...);

// --- probe.c ------------------------------------------------------------------------------------

#define PROBE_HEADER "x-ledgergate-probe"
#define PROBE_TOOL "ledgergate_canary_" // and the number of the probe

bool probe_is(lg_str header); // is it the number of one?
// What the exchange is told in place of an upstream's answer. `odd`: the call has more wrong with it than its name.
void probe_answer(lg_exchange *x, lg_chat_api api, lg_str number, bool stream, bool odd,
                  lg_arena *arena);

// --- ascent.c -----------------------------------------------------------------------------------

typedef struct crossing {
    worker *worker;
    lg_inbound *in;
    const route *route;
    lg_proxy_route *way; // the route's `judged` or `open`
    lg_str rest;         // of the path
    lg_chat_api api;
    lg_str principal; // as long as the request
    bool has_token;   // the client's credential was for us
    lg_str probe;     // the number of a canary: the upstream is not asked; or empty
} crossing;

typedef struct ascent {
    lg_str url;
    lg_http_header *headers;
    size_t header_count, header_room;
} ascent;

// Where the request goes, and with what: it points into the request, its arena, and the route. False: out of memory.
bool ascent_prepare(const crossing *c, ascent *a);

// --- bridge.c -----------------------------------------------------------------------------------

void bridge_begin(const crossing *c);
void bridge_kept(bridge *b, lg_status status);                       // the log has said so
void bridge_kept_token(worker *w, uint64_t token, lg_status status); // to whom it may concern
void bridge_drop(bridge *b);                                         // at the end of the worker

#endif
