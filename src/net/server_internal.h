// server_internal.h: what a server, its connections and their requests look like inside.
//
// libmicrohttpd parses and writes; it calls from within MHD_run(), which the server's hook calls once a turn
// while there is something to do. A connection that waits for its answer is suspended, and it
// is resumed by whatever changes that: an answer, bytes of a stream, a hangup, a deadline.
//
//     connection   accepted ... closed             peer, watch for a hangup, one timer for all deadlines
//     lg_inbound   first line ... NOTIFY_COMPLETED   at most one a connection at a time
#ifndef LG_NET_SERVER_INTERNAL_H
#define LG_NET_SERVER_INTERNAL_H

#include "base/buf.h"
#include "net/library.h"
#include "net/server.h"

#define PEER_BYTES 64

typedef struct connection connection;

struct lg_server {
    lg_loop *loop;
    lg_server_limits limits;
    lg_handler handler;
    struct MHD_Daemon *daemon;
    lg_watch watch; // of the daemon's own epoll
    lg_hook hook;
    bool run; // the daemon has something to do
    bool tls;
    bool stopping, stopped;
    uint16_t port;
    uint64_t next_id;
    lg_server_counts counts;
    connection *connections;
    size_t shut;       // of them, which the daemon has yet to close
    lg_inbound *spare; // kept for reuse: a first touch of fresh memory costs more than a request
    size_t spare_count;
    lg_timer stop_timer;
    lg_task stop_task;
    void (*on_stopped)(void *data);
    void *stopped_data;
};

typedef enum phase {
    PHASE_HEAD,   // of a new connection, or from the first line on
    PHASE_BODY,   // from the end of the headers
    PHASE_ANSWER, // from the end of the body
    PHASE_IDLE,   // between two requests
} phase;

struct connection {
    lg_server *server;
    struct MHD_Connection *mhd;
    lg_watch watch; // LG_WATCH_HANGUP
    bool watched;
    bool hangup;
    bool half;  // the client sends no more; it may be gone, or wait for its answer
    bool shut;  // by us: there were too many
    bool asked; // which of both, by a byte that only somebody who is there takes
    phase phase;
    lg_timer deadline;
    lg_inbound *current;
    char peer[PEER_BYTES];
    connection *next, *previous;
};

typedef enum stage {
    STAGE_HEAD,   // its first line has been seen
    STAGE_BODY,   // its headers have been looked at
    STAGE_HANDED, // the handler, or the refusal, has it
} stage;

struct lg_inbound {
    lg_server *server;
    connection *connection;
    lg_arena arena;
    lg_http_request request;
    stage stage;
    bool handed;  // to the handler: `done` will be called
    bool one_one; // HTTP/1.1, not 1.0
    bool has_nul; // in a header's value, which the daemon cuts there

    lg_buf body;
    size_t drain_bytes; // of a body that is refused: as much is still read
    unsigned refusal;   // a status: the handler will not see it. 0: it will
    const char *refusal_why;

    lg_inbound_events events;
    unsigned status; // of the answer, with its headers
    lg_http_header *head;
    size_t head_count;
    lg_str whole;   // its body, if it is no stream
    bool answered;  // reply or begin was called
    bool streaming; // begin was
    bool complete;  // reply or end was
    bool suspended;
    bool gone, cut; // the client is; somebody cut it
    bool was_full;
    size_t whole_bytes; // of an answer that goes out in one piece
    lg_buf out;
    size_t out_from;     // what is before was given to the network
    int64_t progress_ns; // when the network last took something, or was given something to take
    int64_t until_ns;    // the request's own deadline
    lg_task writable;

    lg_inbound *next_spare;
};

// inbound.c
lg_inbound *inbound_new(connection *on, const char *target); // NULL: out of memory
void inbound_free(lg_inbound *in);
// Whatever the daemon asks the handler: returns what is to be returned to it.
enum MHD_Result inbound_head(lg_inbound *in, const char *method, const char *version);
enum MHD_Result inbound_body(lg_inbound *in, lg_str bytes);
enum MHD_Result inbound_complete(lg_inbound *in);
enum MHD_Result inbound_answer(lg_inbound *in); // gives the answer if there is one, else waits
void inbound_hangup(lg_inbound *in);
void inbound_half_closed(lg_inbound *in);
void inbound_done(lg_inbound *in, bool sent);
// Cuts it if one of its deadlines has passed; returns when to look again.
int64_t inbound_check(lg_inbound *in, int64_t now_ns);

// check.c: what can be read in two ways, or is no HTTP. Returns 0, or the status of a refusal.
unsigned inbound_faults(const lg_inbound *in, const char **ret_why);

// server.c
void connection_phase(connection *on, phase next);
void connection_shut(const connection *on, int how);

// listen.c: a socket that listens, with its port.
LG_NODISCARD lg_status listen_on(lg_str address, bool joins, int *ret_fd, uint16_t *ret_port,
                                 lg_error *reterr);

#endif
