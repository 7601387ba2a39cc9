// tool_internal.h: what the files of this room share.
//
// An executor is the first member of what its kind makes of it. Three layers: executor.c (specs, the face), the kinds
// (peer.c with stdio.c and http.c for MCP; service.c, session.c, recorded.c, tape.c), and what moves bytes: child.c a process,
// wire.c one HTTP request.
#ifndef LG_TOOL_INTERNAL_H
#define LG_TOOL_INTERNAL_H

#include "net/client.h"
#include "tool/tool.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct lg_executor_kind {
    lg_status (*list)(lg_executor *executor, lg_arena *arena, lg_mcp_tools *tools,
                      lg_error *reterr);
    lg_status (*run)(lg_executor *executor, const lg_executor_call *call, lg_arena *arena,
                     lg_executor_answer *ret, lg_error *reterr);
    void (*free)(lg_executor *executor);
    void (*stop)(lg_executor *executor); // NULL: it waits for nobody but as `stop` below says
} lg_executor_kind;

// Of who waits, and must not any more.
typedef struct lg_stopping {
    atomic_bool is_told;
    pthread_mutex_t lock;
    lg_loop *loop; // that is run now, under the lock; or NULL
} lg_stopping;

struct lg_executor {
    const lg_executor_kind *kind;
    pthread_mutex_t lock; // of whoever makes a call
    lg_executor_options
        options; // defaults filled in; what they point to lives in `arena`, but for the catalogue
    lg_arena arena;
    lg_str warning;
    lg_stopping stop;
};

// A zeroed thing of `size_bytes` that begins with an executor of this kind, or NULL.
void *lg_executor_make(const lg_executor_kind *kind, size_t size_bytes,
                       const lg_executor_options *options);

// An answer that is none: `failed` or `unknown`, and why. Fails with LG_ERR_OOM.
LG_PRINTF(4, 5)
lg_status lg_executor_end(lg_arena *arena, lg_executor_outcome outcome, lg_executor_answer *ret,
                          const char *format, ...);

// Tools of a catalogue as a server would list them.
LG_NODISCARD lg_status lg_executor_add_tool(lg_arena *arena, const lg_mcp_tool *tool,
                                            lg_mcp_tools *tools, lg_error *reterr);

// --- child.c: a process, its input, output and complaints ------------------------------------------

#define LG_CHILD_WORDS 400u // kept of what it complained last

typedef struct lg_child {
    int pid;
    int in, out, err; // -1: closed
    bool has_ended;   // it closed its output, or a line is too long
    bool is_too_long;
    lg_buf lines;   // read
    size_t from;    // before this they are taken
    size_t scanned; // up to here no further line ends
    size_t line_bytes;
    char words[LG_CHILD_WORDS];
    size_t words_len;
} lg_child;

// Starts argv[0], searched in the PATH of `environment`. Fails with LG_ERR_ENVIRONMENT.
LG_NODISCARD lg_status lg_child_start(char *const *argv, const char *const *environment,
                                      size_t line_bytes, lg_child *ret, lg_error *reterr);
// Closes its input, waits a moment, then ends it and all that it has started.
void lg_child_end(lg_child *child);

typedef enum lg_child_got {
    LG_CHILD_LINE,
    LG_CHILD_LATE,  // it is past `until_ns`
    LG_CHILD_ENDED, // it says nothing more
} lg_child_got;

// Gives it `text` and waits for a line, whichever comes first; meanwhile its complaints are read. `text` is cut by
// what was written. The line lives until
// the next call. It is late as well once `is_told`.
lg_child_got lg_child_talk(lg_child *child, lg_str *text, int64_t until_ns,
                           const atomic_bool *is_told, lg_str *ret_line);

// --- wire.c: one HTTP request, over a connection of its own ------------------------------------------

typedef struct lg_wire_request {
    lg_client_request request;
    // Told of a 2xx that is a stream of events, for each; true: it was what was waited for. May be NULL.
    bool (*event)(void *data, lg_str event);
    void *data;
} lg_wire_request;

typedef struct lg_wire_answer {
    lg_end_kind kind; // LG_END_OK also where an event was what was waited for
    bool sent;
    bool is_found; // by `event`
    bool is_events;
    unsigned status;
    lg_http_headers headers; // all of this in the arena
    lg_str body;             // unless it was a stream of events
    lg_str why;
} lg_wire_answer;

// While a request is under way; zeroed before and after.
typedef struct lg_wire {
    lg_loop *loop;
    lg_client *client;
} lg_wire;

// Waits. What goes wrong on the network is in the answer; fails with LG_ERR_USAGE (an address that is none), LG_ERR_OOM,
// LG_ERR_ENVIRONMENT.
LG_NODISCARD lg_status lg_wire_send(lg_wire *wire, lg_executor *executor,
                                    const lg_wire_request *request, lg_arena *arena,
                                    lg_wire_answer *ret, lg_error *reterr);
// Meanwhile, from `event`: sends this, too, and lets nobody know what comes of it. `request->body` lives in the arena.
void lg_wire_add(lg_wire *wire, const lg_client_request *request);

// --- peer.c: an MCP server, however it is reached ----------------------------------------------------

typedef enum lg_peer_end {
    LG_PEER_ANSWERED,
    LG_PEER_REFUSED, // not carried out: nothing was sent, or the transport said no
    LG_PEER_LOST,    // nobody knows
} lg_peer_end;

typedef struct lg_peer_message {
    lg_str text;
    int64_t id; // 0: a notification
    lg_str method, tool;
    uint32_t ms;
} lg_peer_message;

typedef struct lg_peer_answer {
    lg_peer_end end;
    lg_mcp_message message;
    lg_str why;
} lg_peer_answer;

// A server may ask while it is being asked. So often it is answered in one exchange; whoever goes on has no more of it.
#define LG_PEER_QUESTIONS_MAX 100u

typedef struct lg_peer {
    lg_executor base;
    lg_mcp_client client;
    bool is_process; // that has only just begun
    bool is_agreed;
    int64_t last_id;
    unsigned questions; // of the server, in the exchange under way
    // Sends a message and waits for its answer, in `arena`. Fails with LG_ERR_OOM, or LG_ERR_USAGE.
    lg_status (*exchange)(struct lg_peer *peer, const lg_peer_message *message, lg_arena *arena,
                          lg_peer_answer *ret, lg_error *reterr);
} lg_peer;

void lg_peer_init(lg_peer *peer);
LG_NODISCARD lg_status lg_peer_begin(lg_peer *peer, lg_error *reterr);
LG_NODISCARD lg_status lg_peer_list(lg_executor *executor, lg_arena *arena, lg_mcp_tools *tools,
                                    lg_error *reterr);
LG_NODISCARD lg_status lg_peer_run(lg_executor *executor, const lg_executor_call *call,
                                   lg_arena *arena, lg_executor_answer *ret, lg_error *reterr);

// Reads what came as a message of JSON-RPC. False: it is none.
bool lg_peer_read(const lg_peer *peer, lg_str text, lg_arena *arena, lg_mcp_message *ret);

// --- the kinds ---------------------------------------------------------------------------------------

LG_NODISCARD lg_status lg_executor_stdio(lg_str command, const lg_executor_options *options,
                                         lg_executor **ret, lg_error *reterr);
LG_NODISCARD lg_status lg_executor_http(lg_str url, const lg_executor_options *options,
                                        lg_executor **ret, lg_error *reterr);
LG_NODISCARD lg_status lg_executor_service(lg_str base, const lg_executor_options *options,
                                           lg_executor **ret, lg_error *reterr);
LG_NODISCARD lg_status lg_executor_recorded(lg_str path, const lg_executor_options *options,
                                            lg_executor **ret, lg_error *reterr);

#endif
