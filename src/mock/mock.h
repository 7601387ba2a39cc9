// mock.h: the simulator over HTTP: what tests, agents and people ask of tools that are only rehearsed.
//
// A server has one simulator, sessions of it by their ids, and several faces on them (README.md): a plain one below
// /sessions, each tool by name, the document's own paths, MCP, chat completions, and a page. All faces see the same sessions.
//
//     lg_mock_options options = {.sim = sim, .listen = LG_STR("127.0.0.1:8090")};
//     if (lg_mock_new(&options, &mock, &err) != LG_OK) ...
//     if (lg_mock_listen(mock, &err) != LG_OK) ...
//     ... lg_mock_port(mock) ...
//     lg_mock_free(mock); // finishes what is in flight, or cuts it
//
// **Threads.** One event loop answers whatever waits for nobody. What may ask a model or a real tool goes to a few workers,
// each with its own clients; meanwhile its session, with the forks of it, is busy, and another request to one of them is
// refused (409). Whoever starts a server waits for signals on a thread of their own.
//
// **Safety.** It listens to this machine alone unless it is told otherwise. A request for a host that is none of this
// machine's, or from a page of another origin, is refused: names that lead here cannot be made to speak (DNS rebinding).
//
// Everything a client sends is bounded: lg_mock_limits, those of the simulator, and those of net/server.h.
#ifndef LG_MOCK_MOCK_H
#define LG_MOCK_MOCK_H

#include "net/http.h"
#include "rest/rest.h"
#include "simulate/simulate.h"
#include "tool/tool.h"

typedef struct lg_mock lg_mock;

// --- Faults -------------------------------------------------------------------------------------

typedef enum lg_mock_fault_kind {
    LG_MOCK_FAULT_NONE,
    LG_MOCK_FAULT_STATUS, // an answer with this status; nothing was carried out
    LG_MOCK_FAULT_TIMEOUT, // no answer for `timeout_ms`, then the connection is closed; nothing was carried out
    LG_MOCK_FAULT_RESET, // the connection is closed at once; nothing was carried out
    LG_MOCK_FAULT_LOST,  // likewise, but the call was carried out: only its answer is lost
} lg_mock_fault_kind;

typedef struct lg_mock_fault {
    lg_mock_fault_kind kind;
    unsigned status; // of LG_MOCK_FAULT_STATUS: 400 to 599
} lg_mock_fault;

// "503", "timeout", "reset", "lost". False: it is none.
bool lg_mock_fault_read(lg_str word, lg_mock_fault *ret);

#define LG_MOCK_FAULTS_MAX 16u
#define LG_MOCK_LATENCY_MAX_MS 60000u

// What befalls calls, on any face; never what administers sessions. The n-th call of a server gets what the seed says of
// n, so the same requests in the same order meet the same faults.
typedef struct lg_mock_faults {
    uint32_t least_ms, most_ms;              // latency of each call, drawn evenly
    double rate;                             // of calls that fail, 0 to 1
    lg_mock_fault kinds[LG_MOCK_FAULTS_MAX]; // drawn evenly; none: 500
    size_t kind_count;
    uint32_t timeout_ms; // [30 s]
    uint64_t seed;
} lg_mock_faults;

// --- Options ------------------------------------------------------------------------------------

// Zero means the default, in brackets. All are inclusive.
typedef struct lg_mock_limits {
    uint32_t sessions; // at a time, forks included [10,000]
    size_t
        memory_bytes; // of all sessions together; calls beyond are refused until some are deleted [2 GiB]
    uint32_t idle_s; // a session that is not used for longer is gone [3600 s]
    size_t
        body_bytes; // of one request [16 MiB]; all bodies at a time share 64 MiB, or a quarter of `memory_bytes`
    size_t answer_bytes; // of one list of calls, which is then continued [16 MiB]
} lg_mock_limits;

// Models by the component that asks them (figure 4b of the paper); NULL: none. Two that are the same options share a client.
typedef struct lg_mock_models {
    const lg_llm_options *validator, *responder, *estimator, *judge, *planner;
} lg_mock_models;

// What it points to must outlive the server.
typedef struct lg_mock_options {
    const lg_sim *sim;
    const lg_pack *pack;           // of the simulator, or NULL
    const lg_catalogue *catalogue; // likewise: its operations are served by their own paths
    lg_str listen;                 // "127.0.0.1:8090", "[::1]:0"; port 0: any
    bool allow_remote;             // else an address that is not this machine's alone is refused
    lg_str
        token_hash; // "sha256:<hexadecimal>" of a bearer token that requests must show; empty: none
    uint64_t seed;  // of sessions that name none
    lg_rest_options rest;         // of a document's own paths
    uint32_t workers;             // threads for what waits [4]
    int64_t (*now_seconds)(void); // the wall clock, for `created` of chat completions; NULL: 0
    uint32_t retries;             // of refined calls, on the face of chat completions
    // The real tools, or NULL. Sessions are hybrid then: reads go to them, and what was written in the session lies over
    // what they say. With `passes_on` all calls go to them, and the simulator answers none. One worker uses it.
    lg_executor *real;
    bool passes_on;
    lg_mock_limits limits;
    lg_mock_faults faults;
    lg_mock_models models;
} lg_mock_options;

// Fails with LG_ERR_USAGE (an address that is not this machine's alone, a hash that is none), as lg_llm_new() does for each
// model, or LG_ERR_OOM. Listens to nobody yet.
LG_NODISCARD lg_status lg_mock_new(const lg_mock_options *options, lg_mock **ret_mock,
                                   lg_error *reterr);

// Listens, and answers from threads of its own. Fails as lg_server_new() does.
LG_NODISCARD lg_status lg_mock_listen(lg_mock *mock, lg_error *reterr);

uint16_t lg_mock_port(const lg_mock *mock); // once it listens

// Listens no more; what is in flight is finished within two seconds or cut, and models are asked no more. NULL is allowed.
void lg_mock_free(lg_mock *mock);

// --- Without sockets ----------------------------------------------------------------------------

typedef struct lg_mock_request {
    lg_str method;
    lg_str path;  // as on the wire, from the first slash to before the `?`
    lg_str query; // behind the `?`; ptr is NULL without one
    lg_http_headers headers;
    lg_str body;
} lg_mock_request;

#define LG_MOCK_HEADERS_MAX 24u

typedef struct lg_mock_response {
    unsigned status; // 0: the connection is closed without an answer
    lg_http_header headers[LG_MOCK_HEADERS_MAX];
    size_t header_count;
    lg_str body;
    uint32_t delay_ms; // that a client would have waited
} lg_mock_response;

// Answers one message of MCP, a line of standard input, at once, on this thread: the agent's tools, or the customer's, in
// the session `default`. `*ret` is the line to answer, without its end, in `arena`; empty: nothing is to be said. Neither
// latency nor faults befall it. Only of a server that does not listen. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_mock_line(lg_mock *mock, lg_str line, bool by_user, lg_arena *arena,
                                    lg_str *ret, lg_error *reterr);

// Answers one request at once, on this thread: for tests. Only of a server that does not listen. The response lives in
// `arena`. Fails with LG_ERR_OOM.
LG_NODISCARD lg_status lg_mock_answer(lg_mock *mock, const lg_mock_request *request,
                                      lg_arena *arena, lg_mock_response *ret);

#endif
