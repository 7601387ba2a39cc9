// load.h: a client and the model behind the proxy under test, in one loop and so on one clock.
//
// The generator asks by a schedule, whatever has become of the requests before (an open loop), or, without a rate,
// as fast as answers come. The upstream answers each after the time that a model thinks. Both write what they see
// into the record of the request, so that of each one there is known how long it was neither the client's nor
// the model's: that is the proxy's, the network's and this program's own.
#ifndef LG_BENCH_LOAD_H
#define LG_BENCH_LOAD_H

#include "base/buf.h"
#include "json/json.h"

#include <stdbool.h>
#include <stdint.h>

// --- What is asked and answered: read from a file that make_work.py writes ---------------------------

typedef struct turn {
    lg_str request;               // its body; the two numbers in it are of ten digits
    size_t number_at, subject_at; // where they stand: of the request, of the conversation
    lg_str reply;                 // its body
    lg_str expect;                // a text that the client's reply must hold
    bool gated;                   // the reply has a call that is judged
} turn;

typedef struct talk {
    turn *turns;
    size_t count;
} talk;

typedef struct work {
    talk *talks;
    size_t count;
} work;

#define NUMBER_DIGITS 10

void work_read(work *w, const char *path);
// The body of a turn, with its numbers, into `room`.
void work_fill(const turn *t, uint64_t number, uint64_t subject, lg_buf *room);
// The number of a request, or UINT64_MAX.
uint64_t work_number(lg_str body);

// --- What became of a request -------------------------------------------------------------------

typedef struct record {
    const turn *turn;
    int64_t planned_ns; // when it had to be sent; 0: not yet
    int64_t asked_ns;   // the upstream had all of it
    int64_t said_ns;    // the upstream answers
    int64_t done_ns;    // the client had all of the answer; 0: never
    bool failed;        // another status, another answer, a connection that broke
} record;

// --- One connection's messages ------------------------------------------------------------------

typedef struct wire {
    int fd; // -1: none
    lg_buf in, out;
    size_t out_from;
    size_t head_bytes; // of the message that is being read; 0: its head is not complete
    size_t body_bytes; // SIZE_MAX: in chunks
    bool waits_to_write;
} wire;

typedef enum wire_state { WIRE_MORE, WIRE_MESSAGE, WIRE_CLOSED } wire_state;

void wire_open(wire *w, int fd);
void wire_close(wire *w);
wire_state wire_read(wire *w);     // reads what there is: is a message complete?
lg_str wire_message(const wire *); // head and body
void wire_next(wire *w);           // forgets the message
bool wire_send(wire *w);           // as much of `out` as goes; false: it broke

// --- The two sides ------------------------------------------------------------------------------

typedef struct load load;

typedef struct socket_of {
    void (*ready)(load *l, struct socket_of *s, uint32_t events);
    wire wire;
    uint64_t number;        // of the request that it is busy with; UINT64_MAX: none
    struct socket_of *next; // among those that are free, or whose answers are due
    int64_t due_ns;
} socket_of;

typedef struct slot { // a conversation that is going on
    size_t talk, turn;
    uint64_t subject;
} slot;

struct load {
    work work;
    const char *address, *path; // of the proxy: "127.0.0.1:8080", "/v1/chat/completions"
    double rate;                // a second; 0: closed loop
    double warm_up_s, seconds;
    int64_t think_ns;
    size_t connections, conversations;
    int listen_port;
    const char *token;

    int epoll_fd, listen_fd;
    socket_of listener;
    socket_of *clients, *free_clients;
    size_t busy;
    socket_of *due, **due_end; // answers of the upstream, in the order in which they are due
    slot *slots;
    size_t slot;
    uint64_t subjects; // conversations begun so far, and where their numbers begin
    bool told_failure;

    record *records;
    uint64_t planned, most; // requests sent so far; room
    int64_t begin_ns, measure_ns, end_ns;
};

#define GRACE_NS INT64_C(10000000000) // that answers may take when all has been asked

int64_t load_now_ns(void);
void load_fail(const char *what);
void load_watch(load *l, socket_of *s, int operation);

void upstream_open(load *l);
void upstream_answer_due(load *l);

void client_open(load *l);
void client_ask_due(load *l);    // what the schedule says
int64_t client_next_ns(load *l); // INT64_MAX: when a connection is free
bool client_is_over(const load *l);

void commits_measure(const char *folder); // prints them

#endif
