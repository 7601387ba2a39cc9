// otlp.h: spans for a collector, over HTTP with JSON (OTLP 1), on a thread of their own.
//
// Whoever hands over a span never waits: what has no room in the queue is dropped and counted, and what the collector
// does not take is not sent again. No span holds what was said.
#ifndef LG_SERVE_OTLP_H
#define LG_SERVE_OTLP_H

#include "serve/serve.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct otlp {
    bool is_open;
    lg_arena arena;
    lg_str url, service; // and below: copies
    const lg_serve_pair *headers;
    size_t header_count;
    lg_loop *loop;
    lg_client *client;
    lg_outbound *out; // NULL: none is under way
    lg_buf sending;
    uint64_t sending_count;
    lg_timer tick;
    lg_task wake;
    pthread_t thread;
    pthread_mutex_t lock; // of all below
    lg_buf waiting;       // spans, with commas between
    uint64_t waiting_count;
    bool ending;
    atomic_uint_fast64_t sent, dropped; // from any thread
} otlp;

// Without an address of a collector there is nothing to do, and it is LG_OK.
LG_NODISCARD lg_status otlp_open(otlp *o, const lg_serve_config *config, lg_error *reterr);
void otlp_close(
    otlp *o); // what waits is sent, if the collector takes it at once. A zeroed one is allowed

typedef struct otlp_span {
    lg_str parent; // the client's `traceparent`, or empty
    lg_chat_api api;
    lg_str route, model, decision;
    lg_str upstream; // its URL
    lg_exchange_reply reply;
    lg_time end;
    int64_t took_ns, overhead_ns;
    unsigned status;
    const char *error; // "client_gone"; NULL: none but the status
    uint32_t decisions, refused, revisions;
    bool shadow;
} otlp_span;

void otlp_add(otlp *o, const otlp_span *span); // from any thread

#endif
