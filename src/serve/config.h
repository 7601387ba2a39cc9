// config.h: what a gateway is told to do: listen where, guard which upstream with which pack.
//
// A configuration is plain data in one arena and never changes; a reload makes another one. Zero means the default,
// in brackets. docs/serve.md tells people, docs/serve.schema.json tells editors.
#ifndef LG_SERVE_CONFIG_H
#define LG_SERVE_CONFIG_H

#include "proxy/proxy.h"

// In which header an upstream wants its key.
typedef enum lg_serve_key_header {
    LG_SERVE_KEY_AS_CLIENT, // as the client sent its own; else as the protocol's first clients do
    LG_SERVE_KEY_BEARER,    // Authorization: Bearer KEY
    LG_SERVE_KEY_X_API_KEY, // x-api-key: KEY
    LG_SERVE_KEY_API_KEY,   // api-key: KEY
} lg_serve_key_header;

typedef struct lg_serve_pair {
    lg_str name, value;
} lg_serve_pair;

typedef struct lg_serve_texts {
    const lg_str *items;
    size_t count;
} lg_serve_texts;

typedef struct lg_serve_upstream {
    lg_str url;          // what stands behind a route's path comes behind it
    lg_str key;          // empty: the client's own credential passes, unless there are tokens
    uint32_t key_header; // lg_serve_key_header
    const lg_serve_pair *headers;
    size_t header_count;
} lg_serve_upstream;

typedef struct lg_serve_route {
    uint32_t offset; // in the configuration's text
    lg_str path;     // "/v1"; "" is everything
    lg_serve_upstream upstream;
    lg_str pack;    // a path, or empty: nothing is judged
    uint32_t mode;  // lg_proxy_mode
    uint32_t block; // lg_proxy_block
    uint64_t block_bytes, block_again_bytes;
    bool block_compact;
    uint32_t block_as;   // 1: as a system message
    uint32_t on_refusal; // lg_proxy_refusal
    uint64_t max_revisions;
    bool has_max_revisions;
    lg_serve_texts shadow_rules;
    bool hold_text;
    bool allow_unseen;
    lg_serve_texts pass; // "GET /files": what goes through unjudged beside the models
} lg_serve_route;

typedef struct lg_serve_token {
    lg_str name; // the principal
    lg_str hash; // "sha256:" and 64 hexadecimal digits
} lg_serve_token;

typedef struct lg_serve_config {
    lg_arena arena;
    lg_str file; // where it stands, or empty
    lg_str text; // of the file
    lg_str listen;
    lg_str admin_listen; // empty: the same
    const lg_serve_route *routes;
    size_t route_count;
    lg_str store, store_key; // empty: nothing is kept
    lg_str tls_cert, tls_key;
    const lg_serve_token *tokens;
    size_t token_count;
    lg_serve_texts
        hosts; // that a client may name; none: any, or those of this machine if only it is listened to
    lg_serve_texts origins; // of browsers
    uint64_t loops;         // [one a core]
    lg_str ca_file;         // of upstreams
    lg_str proxy;           // on the way to them

    struct {
        uint64_t connections, header_bytes, body_bytes, reply_bytes, bodies_bytes, out_bytes;
        uint64_t exchanges_bytes;
        uint64_t upstream_connections;
        uint64_t session_bytes, sessions, memory_bytes;
    } limits;

    struct { // milliseconds
        uint64_t header, body, request, stall, keep_alive;
        uint64_t connect, first_byte, idle, total;
        uint64_t stop;
    } timeouts;

    struct {
        bool no_requests; // only what is wrong is logged
    } log;

    struct {
        lg_str url;
        lg_str service;
        const lg_serve_pair *headers;
        size_t header_count;
    } otlp;
} lg_serve_config;

// An empty one, with the defaults that are not zero; NULL: out of memory.
lg_serve_config *lg_serve_config_new(void);
void lg_serve_config_free(lg_serve_config *config); // NULL is allowed

// What is wrong, with the text that it stands in, for whoever shows it.
typedef struct lg_serve_problem {
    lg_error error;
    lg_str source;
} lg_serve_problem;

#define LG_SERVE_PROBLEMS_MAX 50u

typedef struct lg_serve_problems {
    lg_arena arena; // of sources and names
    lg_serve_problem items[LG_SERVE_PROBLEMS_MAX];
    size_t count; // kept
    size_t dropped;
} lg_serve_problems;

void lg_serve_problems_init(lg_serve_problems *problems);
void lg_serve_problems_done(lg_serve_problems *problems);

// A copy of the error and of its source. Returns its status.
lg_status lg_serve_problem_add(lg_serve_problems *problems, const lg_error *error, lg_str source);

#endif
