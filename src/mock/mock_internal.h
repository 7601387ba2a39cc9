// mock_internal.h: what the files of this room share.
//
//     lg_mock    one: the loop, the table of sessions, the workers, the faults
//     mock_session  one an id; those that are forks of each other share a mock_family, which one request at a time uses
//     mock_exchange one a request: what came, what is answered, and what of it has to be done elsewhere
//
// A face is a function that looks at an exchange and answers it, or checks all that can be checked at once and leaves
// `work`, which needs the session alone. Where no model and no real tool can be asked the work is done in the same turn of
// the loop; otherwise a worker does it, and the loop answers.
#ifndef LG_MOCK_MOCK_INTERNAL_H
#define LG_MOCK_MOCK_INTERNAL_H

#include "base/buf.h"
#include "base/map.h"
#include "mcp/server.h"
#include "mock/mock.h"
#include "net/server.h"
#include "rest/rest.h"
#include "json/writer.h"

#include <pthread.h>

#define MOCK_ID_BYTES 24u
#define MOCK_SEGMENTS_MAX 6u
#define MOCK_MODELS 5u
#define MOCK_QUEUE_MAX 1000u   // of calls that wait for a worker
#define MOCK_DELAYED_MAX 1000u // of answers that wait for their latency

typedef struct mock_exchange mock_exchange;
typedef struct mock_session mock_session;

// --- sessions.c ---------------------------------------------------------------------------------

// A session and its forks: one thread at a time may use any of them.
typedef struct mock_family {
    size_t members;
    size_t held_bytes; // as of its last call
    bool busy;         // a worker has one of them
} mock_family;

struct mock_session {
    uint64_t number; // of its id; 0: `default`
    char id[MOCK_ID_BYTES];
    lg_sim_session *sim;
    mock_family *family;
    int64_t used_ns;
    bool has_mcp;   // it is one of MCP, too, of this revision;
    bool is_of_mcp; // and was made by it
    lg_mcp_revision mcp_revision;
    mock_session *next;          // in its bucket
    mock_session *newer, *older; // by use
};

typedef struct mock_sessions {
    mock_session **buckets;
    size_t bucket_count; // a power of two
    size_t count;
    uint64_t last; // number given
    size_t held_bytes;
    mock_session *newest, *oldest;
} mock_sessions;

bool mock_sessions_open(lg_mock *mock);
void mock_sessions_close(lg_mock *mock);

// The session with this id, or NULL.
mock_session *mock_sessions_find(const lg_mock *mock, lg_str id);
// The same for a request: without an id `default`, which is made. NULL after answering: unknown (404), busy (409), full.
mock_session *mock_sessions_take(mock_exchange *x, lg_str id);
// That of the header x-ledgergate-session.
mock_session *mock_sessions_of(mock_exchange *x);
// How a session begins of which nothing is said: the server's seed, hybrid if there are real tools.
lg_sim_begin mock_sessions_as_usual(const lg_mock *mock);
// Begins one of `begin`, NULL: as usual. NULL after answering: there is no room, or no such state.
mock_session *mock_sessions_begin(mock_exchange *x, const lg_sim_begin *begin);
// Makes one, with its id; `family` of the session that it is a fork of, or NULL. Takes `sim`, also if it fails, which is answered.
mock_session *mock_sessions_add(mock_exchange *x, lg_sim_session *sim, mock_family *family);
// False after answering: there are too many, or too much memory is taken.
bool mock_sessions_has_room(mock_exchange *x, bool another);
void mock_sessions_remove(lg_mock *mock, mock_session *session);
void mock_sessions_weigh(lg_mock *mock, mock_session *session); // after a call
void mock_sessions_expire(lg_mock *mock);

// --- work.c -------------------------------------------------------------------------------------

// A thread, and the clients that it alone uses.
typedef struct mock_worker {
    lg_mock *mock;
    pthread_t thread;
    bool has_thread;
    lg_llm *clients[MOCK_MODELS]; // each once
    lg_sim_models models;
    lg_llm *planner;
} mock_worker;

LG_NODISCARD lg_status mock_workers_open(lg_mock *mock, lg_error *reterr);  // clients
LG_NODISCARD lg_status mock_workers_start(lg_mock *mock, lg_error *reterr); // threads
void mock_workers_stop(lg_mock *mock); // no model is asked any more, and they are waited for
void mock_workers_close(lg_mock *mock);
bool mock_workers_give(mock_exchange *x); // false: too many wait already

// --- An exchange --------------------------------------------------------------------------------

struct mock_exchange {
    lg_mock *mock;
    lg_arena *arena; // lives as long as the exchange
    lg_mock_request request;
    lg_str segments[MOCK_SEGMENTS_MAX]; // of the path, decoded
    size_t segment_count;
    // The answer.
    unsigned status;
    lg_http_header headers[LG_MOCK_HEADERS_MAX];
    size_t header_count;
    lg_buf *out;
    bool cut; // no answer: the connection is closed
    uint32_t delay_ms;
    bool has_own_codes; // `Prefer: code=` is the face's own business
    // What has to be done with the session alone. `worker` is that of this thread.
    void (*work)(mock_exchange *x, mock_worker *worker);
    mock_session *session;
    void *task;   // of the face that has left it
    bool at_once; // it asks neither models nor real tools
    // front.c: where the answer goes, and on whose memory it lives.
    lg_inbound *in; // NULL: the client is gone, or there are no sockets
    lg_arena own_arena;
    lg_buf own_body, own_out;
    bool is_own;
    lg_task told; // a worker has done it
    lg_timer timer;
    mock_exchange *next, *previous; // of those that are their own
    mock_exchange *queued;          // behind it, for a worker
};

// An MCP server: the agent's tools, or the customer's.
typedef struct mock_mcp {
    lg_mcp_host host;
    lg_mcp_tool *tools;
    lg_map by_name;
    bool by_user;
} mock_mcp;

struct lg_mock {
    lg_mock_options options;
    lg_mock_limits limits; // resolved
    lg_arena arena;        // of what is made once
    const lg_rest *rest;   // or NULL: there are no operations
    mock_mcp mcp, mcp_user;
    bool has_line; // `initialize` has come by standard input, of this revision
    lg_mcp_revision line_revision;
    mock_sessions sessions;
    uint64_t calls; // that faults were drawn for
    bool may_wait;  // models or real tools may be asked: such calls go to workers
    lg_buf out;     // of answers that are given at once
    mock_worker *workers;
    size_t worker_count;
    pthread_mutex_t lock; // of the queue
    pthread_cond_t more;
    bool has_lock;
    mock_exchange *first, **end;
    size_t queued;  // behind `first`
    size_t delayed; // answers that wait for their latency
    bool ending;
    lg_loop *loop;
    lg_server *server;
    lg_task stop;
    lg_timer sweep;
    pthread_t thread;
    bool has_thread;
    mock_exchange *own; // exchanges that live on their own memory
};

// --- answer.c: how faces answer -----------------------------------------------------------------

// Begins an answer in JSON; what is written to the result is its body.
lg_json_writer mock_begin(mock_exchange *x, unsigned status);
void mock_header(mock_exchange *x, lg_str name, lg_str value); // both outlive the exchange
// {"error": {"code", "message"}}.
LG_PRINTF(4, 5)
void mock_fail(mock_exchange *x, unsigned status, const char *code, const char *format, ...);
// The same of a status of the rooms below: `code` by what it is.
void mock_fail_with(mock_exchange *x, const lg_error *error);
void mock_fail_oom(mock_exchange *x);

// Is the method one of these ("GET, HEAD, POST")? False after answering: 405, or OPTIONS.
bool mock_takes(mock_exchange *x, const char *methods);
bool mock_is(const mock_exchange *x, const char *method);

// The body: an object with no other members than these (ended by NULL). An empty body is an empty object. NULL after answering.
const lg_json *mock_object(mock_exchange *x, const char *const *members);
// Any JSON object.
const lg_json *mock_any_object(mock_exchange *x);

// A parameter of the query, decoded; ptr is NULL without it.
lg_str mock_query(const mock_exchange *x, const char *name);
bool mock_read_number(lg_str text, uint64_t *ret);
lg_str mock_decode(lg_arena *arena, lg_str text); // of percent signs; ptr NULL: out of memory

// --- front.c ------------------------------------------------------------------------------------

void mock_front_request(void *data, lg_inbound *in);
void mock_front_refuse(void *data, lg_inbound *in, unsigned status, lg_str why);
void mock_front_drop(mock_exchange *x); // one on its own memory, without a word

// --- fault.c ------------------------------------------------------------------------------------

// Draws what befalls this call. True: it has been answered with a fault.
bool mock_fault_strikes(mock_exchange *x);

// --- The faces ----------------------------------------------------------------------------------

void mock_plain(mock_exchange *x);                        // plain.c: /sessions
void mock_tools(mock_exchange *x);                        // tools.c: /tools
void mock_describe(mock_exchange *x);                     // tools.c: /openapi.json
void mock_page(mock_exchange *x);                         // page.c: /ui
void mock_mcp_face(mock_exchange *x);                     // mcp_face.c: /mcp
void mock_chat(mock_exchange *x);                         // chat_face.c: /v1
void mock_judge(mock_exchange *x, mock_session *session); // judge.c: /sessions/ID/judge

// rest_face.c: the document's own paths. False: it is none of them.
LG_NODISCARD lg_status mock_rest_open(lg_mock *mock, lg_error *reterr);
bool mock_rest(mock_exchange *x);
lg_str mock_rest_nearest(const lg_mock *mock, lg_str path); // of the document's; or empty
bool mock_rest_describe(mock_exchange *x);                  // false: there is no document

// mcp_face.c
LG_NODISCARD lg_status mock_mcp_open(lg_mock *mock, mock_mcp *side, bool by_user, lg_error *reterr);

// calls.c: the one place where calls are made, for every face. `ret_answer` lives as lg_sim_call_tool() says. False after
// answering with what failed.
bool mock_call(mock_exchange *x, mock_worker *worker, const lg_sim_call *call,
               lg_sim_answer *ret_answer);
// Can the call be answered without models and real tools? Before `x->work` is left.
bool mock_is_quick(const mock_exchange *x, const mock_session *session, const lg_sim_call *call);
void mock_write_call(lg_json_writer *w, const lg_sim_answer *answer);
void mock_write_violations(lg_json_writer *w, const lg_sim_violation *violations, size_t count);
void mock_list_violations(lg_json_writer *w, const lg_sim_violation *violations, size_t count);
// Headers that tell of it on every face: its source, its note, and the rules that speak against the call.
void mock_tell(mock_exchange *x, const lg_sim_answer *answer);

#endif
