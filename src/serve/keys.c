// keys.c: the keys of a configuration.
#include "serve/keys.h"

#include <stddef.h>

#define AT(type, member) .at = offsetof(type, member)
#define COUNTED(type, member, number) .at = offsetof(type, member), .count = offsetof(type, number)
#define SET(what_, keys_, type, offset_)                                                           \
    {                                                                                              \
        .what = what_, .keys = keys_, .count = sizeof(keys_) / sizeof((keys_)[0]),                 \
        .size = sizeof(type), .offset = offset_                                                    \
    }
#define DAY_MS UINT64_C(86400000)
#define SIZE_LEAST UINT64_C(1024)
#define SIZE_MOST (UINT64_C(1) << 40)

typedef lg_serve_upstream upstream;
typedef lg_serve_route served;
typedef lg_serve_token token;
typedef lg_serve_config whole;

static const char *const key_headers[] = {"as_client", "authorization", "x-api-key", "api-key",
                                          NULL};
static const char *const modes[] = {"enforce", "shadow", NULL};
static const char *const blocks[] = {"current", "append", "none", NULL};
static const char *const block_places[] = {"text", "system", NULL};
static const char *const refusals[] = {"ask", "return", NULL};

static const key upstream_keys[] = {
    {"url", KEY_URL, AT(upstream, url), .required = true,
     .about = "Where the model's API is; what follows the route's path follows it."},
    {"key", KEY_SECRET, AT(upstream, key),
     .about = "The credential for the upstream. Without it the client's own passes, unless there "
              "are tokens."},
    {"key_header", KEY_WORD, AT(upstream, key_header), .words = key_headers,
     .about =
         "The header that carries the key; by default the one in which the client sent its own."},
    {"headers", KEY_PAIRS, COUNTED(upstream, headers, header_count),
     .about = "Headers that every request to the upstream carries, in place of the client's."},
};
static const key_set upstream_set =
    SET("an upstream", upstream_keys, lg_serve_upstream, KEY_NOWHERE);

static const key route_keys[] = {
    {"path", KEY_TEXT, AT(served, path), .required = true,
     .about = "What a request's path begins with, such as /v1. The longest that fits counts."},
    {"upstream", KEY_GROUP, AT(served, upstream), .below = &upstream_set, .required = true,
     .about = "Where the requests go."},
    {"pack", KEY_PATH, AT(served, pack),
     .about = "The pack that judges; without it nothing is judged."},
    {"mode", KEY_WORD, AT(served, mode), .words = modes,
     .about = "`shadow` judges and logs everything, and lets everything pass."},
    {"block", KEY_WORD, AT(served, block), .words = blocks,
     .about =
         "How the ledger stands in the prompt: whole at its end, or as additions that leave the "
         "prefix as it was, or not at all."},
    {"block_bytes", KEY_SIZE, AT(served, block_bytes), .least = 64, .most = SIZE_MOST,
     .about = "The most bytes of one block."},
    {"block_again_bytes", KEY_SIZE, AT(served, block_again_bytes), .least = 64, .most = SIZE_MOST,
     .about = "Of `append`: after so many bytes of additions the whole block comes again (4K)."},
    {"block_compact", KEY_FLAG, AT(served, block_compact), .about = "One short line a record."},
    {"block_as", KEY_WORD, AT(served, block_as), .words = block_places,
     .about = "As text at the end of the last message, or as a message of the system."},
    {"on_refusal", KEY_WORD, AT(served, on_refusal), .words = refusals,
     .about =
         "Whether a message left without calls is asked again at once, or goes to the client."},
    {"max_revisions", KEY_COUNT, COUNTED(served, max_revisions, has_max_revisions), .most = 14,
     .about = "How often one message is asked again (2)."},
    {"shadow_rules", KEY_TEXTS, AT(served, shadow_rules),
     .about = "Rules that are logged and do not refuse."},
    {"hold_text", KEY_FLAG, AT(served, hold_text),
     .about = "Hold streamed text until it is judged, also where no rule can refuse it."},
    {"allow_unseen", KEY_FLAG, AT(served, allow_unseen),
     .about = "Let tools pass that the upstream runs by itself, and history that only it knows."},
    {"pass", KEY_TEXTS, AT(served, pass),
     .about =
         "More that passes unjudged: `GET /files`, `POST /embeddings`, `GET /files/*`; without a "
         "method, whichever."},
};
static const key_set route_set =
    SET("a route", route_keys, lg_serve_route, offsetof(lg_serve_route, offset));

static const key token_keys[] = {
    {"name", KEY_TEXT, AT(token, name), .required = true,
     .about = "Whose token it is: the principal of its conversations."},
    {"hash", KEY_TEXT, AT(token, hash), .required = true,
     .about = "What `ledgergate serve --hash-token` says of the token."},
};
static const key_set token_set = SET("a token", token_keys, lg_serve_token, KEY_NOWHERE);

static const key tls_keys[] = {
    {"cert", KEY_PATH, AT(whole, tls_cert), .required = true,
     .about = "The certificate, and those that vouch for it, as PEM."},
    {"key", KEY_PATH, AT(whole, tls_key), .required = true, .about = "Its private key, as PEM."},
};
static const key_set tls_set = SET("tls", tls_keys, lg_serve_config, KEY_NOWHERE);

static const key admin_keys[] = {
    {"listen", KEY_ADDRESS, AT(whole, admin_listen), .required = true,
     .about = "Where /livez, /readyz and /metrics are, in place of `listen`."},
};
static const key_set admin_set = SET("admin", admin_keys, lg_serve_config, KEY_NOWHERE);

static const key client_keys[] = {
    {"ca", KEY_PATH, AT(whole, ca_file),
     .about = "Certificates that may vouch for upstreams, as PEM, in place of the system's."},
    {"proxy", KEY_URL, AT(whole, proxy), .about = "A proxy on the way to the upstreams."},
};
static const key_set client_set = SET("client", client_keys, lg_serve_config, KEY_NOWHERE);

static const key limit_keys[] = {
    {"connections", KEY_COUNT, AT(whole, limits.connections), .count = KEY_NOWHERE, .least = 1,
     .most = 1000000, .about = "Connections of clients, of each loop (4096)."},
    {"header_bytes", KEY_SIZE, AT(whole, limits.header_bytes), .least = SIZE_LEAST, .most = 32768,
     .about = "A request's line and headers (16K)."},
    {"body_bytes", KEY_SIZE, AT(whole, limits.body_bytes), .least = SIZE_LEAST, .most = SIZE_MOST,
     .about = "A request's body (16M)."},
    {"bodies_bytes", KEY_SIZE, AT(whole, limits.bodies_bytes), .least = SIZE_LEAST,
     .most = SIZE_MOST, .about = "All bodies that one loop holds (512M)."},
    {"exchanges_bytes", KEY_SIZE, AT(whole, limits.exchanges_bytes), .least = SIZE_LEAST,
     .most = SIZE_MOST,
     .about = "What all requests hold beside their bodies: as they were read, what is sent on, "
              "replies (1G). One that would bring more gets 503."},
    {"reply_bytes", KEY_SIZE, AT(whole, limits.reply_bytes), .least = SIZE_LEAST, .most = SIZE_MOST,
     .about = "A reply of an upstream that is judged (16M)."},
    {"out_bytes", KEY_SIZE, AT(whole, limits.out_bytes), .least = SIZE_LEAST, .most = SIZE_MOST,
     .about = "What waits to be sent to one client: a judged reply that comes to more is a 502 "
              "(64M)."},
    {"upstream_connections", KEY_COUNT, AT(whole, limits.upstream_connections),
     .count = KEY_NOWHERE, .least = 1, .most = 1000000,
     .about = "Connections to upstreams, of each loop; more requests wait (1024)."},
    {"sessions", KEY_COUNT, AT(whole, limits.sessions), .count = KEY_NOWHERE, .least = 1,
     .most = 100000000,
     .about = "Folded conversations that wait for their next turn, of each route (1024)."},
    {"session_bytes", KEY_SIZE, AT(whole, limits.session_bytes), .least = SIZE_LEAST,
     .most = SIZE_MOST, .about = "Their memory (256M)."},
    {"memory_bytes", KEY_SIZE, AT(whole, limits.memory_bytes), .least = SIZE_LEAST,
     .most = SIZE_MOST, .about = "What is remembered between requests, of each kind (64M)."},
};
static const key_set limit_set = SET("limits", limit_keys, lg_serve_config, KEY_NOWHERE);

#define TIME(name, member, text)                                                                   \
    {                                                                                              \
        name, KEY_TIME, AT(whole, timeouts.member), .least = 1, .most = DAY_MS, .about = text      \
    }
static const key timeout_keys[] = {
    TIME("header", header,
         "From a connection, or a request's line, to the end of its headers (10s)."),
    TIME("body", body, "From there to the end of the body (60s)."),
    TIME("request", request, "From there to the end of the answer (1h)."),
    TIME("stall", stall, "A client that takes nothing of what waits for it (60s)."),
    TIME("keep_alive", keep_alive, "From an answer to the next request (75s)."),
    TIME("connect", connect, "To an upstream: name, connection, TLS (10s)."),
    TIME("first_byte", first_byte, "To the head of an upstream's answer (300s)."),
    TIME("idle", idle, "Between two bytes of it (120s)."),
    TIME("total", total, "To its end (1h)."),
    TIME("stop", stop, "For what is in flight when the gateway is told to end (30s)."),
};
static const key_set timeout_set = SET("timeouts", timeout_keys, lg_serve_config, KEY_NOWHERE);

static const key log_keys[] = {
    {"only_problems", KEY_FLAG, AT(whole, log.no_requests),
     .about = "No line for a request that went well."},
};
static const key_set log_set = SET("log", log_keys, lg_serve_config, KEY_NOWHERE);

static const key otlp_keys[] = {
    {"url", KEY_URL, AT(whole, otlp.url), .required = true,
     .about = "Where spans go: a collector's OTLP/HTTP address, such as "
              "http://127.0.0.1:4318/v1/traces."},
    {"service", KEY_TEXT, AT(whole, otlp.service), .about = "service.name (ledgergate)."},
    {"headers", KEY_PAIRS, COUNTED(whole, otlp.headers, otlp.header_count),
     .about = "Headers for the collector."},
};
static const key_set otlp_set = SET("otlp", otlp_keys, lg_serve_config, KEY_NOWHERE);

static const key configuration_keys[] = {
    {"listen", KEY_ADDRESS, AT(whole, listen), .about = "Where clients connect (127.0.0.1:8080)."},
    {"routes", KEY_ITEMS, COUNTED(whole, routes, route_count), .below = &route_set, .least = 1,
     .required = true, .about = "What is guarded, by the path that clients ask."},
    {"store", KEY_PATH, AT(whole, store),
     .about = "The log of decisions, made if it is not there; without it nothing is kept."},
    {"store_key", KEY_PATH, AT(whole, store_key),
     .about = "The log's secret keys (the log's name with .key behind it)."},
    {"tls", KEY_GROUP, .at = 0, .below = &tls_set, .about = "Listen with TLS."},
    {"tokens", KEY_ITEMS, COUNTED(whole, tokens, token_count), .below = &token_set, .least = 1,
     .about = "Who may ask. With tokens, no credential of a client reaches an upstream."},
    {"hosts", KEY_TEXTS, AT(whole, hosts),
     .about =
         "Names by which clients may call the gateway; by default any, or, if it listens on this "
         "machine alone, those of this machine."},
    {"origins", KEY_TEXTS, AT(whole, origins),
     .about = "Origins of web pages that may ask; by default none."},
    {"admin", KEY_GROUP, .at = 0, .below = &admin_set, .about = "The operator's own address."},
    {"loops", KEY_COUNT, AT(whole, loops), .count = KEY_NOWHERE, .least = 1, .most = 256,
     .about = "Threads with a loop of their own (one a core)."},
    {"client", KEY_GROUP, .at = 0, .below = &client_set, .about = "How upstreams are reached."},
    {"limits", KEY_GROUP, .at = 0, .below = &limit_set, .about = "Sizes and numbers."},
    {"timeouts", KEY_GROUP, .at = 0, .below = &timeout_set, .about = "Times: 500ms, 30s, 5m, 1h."},
    {"log", KEY_GROUP, .at = 0, .below = &log_set, .about = "Lines of JSON on standard error."},
    {"otlp", KEY_GROUP, .at = 0, .below = &otlp_set,
     .about = "Spans of the GenAI conventions for a collector, over HTTP with JSON."},
};
const key_set keys_of_configuration =
    SET("a configuration", configuration_keys, lg_serve_config, KEY_NOWHERE);
