// server.c: the daemon in our loop, its connections with their deadlines, and the end of it.
//
// The daemon has an epoll of its own, which the loop watches; whatever happens there, or is resumed by
// us, is worked off by MHD_run() right before the loop sleeps. The daemon's own timeouts are not used: they
// begin anew with each byte, so that a byte a second lives for ever. Each connection has one timer, set to the end of the phase
// that it is in.
//
// The daemon does not look at a suspended connection, and so would not see that its client has hung up. So
// every connection's descriptor is watched by the loop as well, for nothing but that.
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "net/server_internal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

// The daemon's memory for one connection: it parses headers into the half of it. Up to 32 KiB it takes it from the
// heap; what is larger it maps and unmaps with each request.
#define POOL_BYTES ((size_t)32 << 10)

#define RUNS_A_TURN 4

// Connections beyond the limit that are told so: the daemon accepts them, and closes them in its next run.
#define BEYOND_LIMIT 64u

#define PEM_BYTES ((size_t)1 << 20)

static const lg_server_limits limits_default = {
    .connections = 4096,
    .header_bytes = (size_t)16 << 10,
    .body_bytes = (size_t)16 << 20,
    .bodies_bytes = (size_t)512 << 20,
    .full_bytes = (size_t)256 << 10,
    .queue_bytes = (size_t)64 << 20,
    .header_ms = 10 * 1000,
    .body_ms = 60 * 1000,
    .request_ms = 60 * 60 * 1000,
    .stall_ms = 60 * 1000,
    .keep_alive_ms = 75 * 1000,
};

static lg_server_limits resolve(const lg_server_limits *given)
{
    lg_server_limits all = *given;
#define OR_DEFAULT(name) all.name = all.name ? all.name : limits_default.name
    OR_DEFAULT(connections);
    OR_DEFAULT(header_bytes);
    OR_DEFAULT(body_bytes);
    OR_DEFAULT(bodies_bytes);
    OR_DEFAULT(full_bytes);
    OR_DEFAULT(queue_bytes);
    OR_DEFAULT(header_ms);
    OR_DEFAULT(body_ms);
    OR_DEFAULT(request_ms);
    OR_DEFAULT(stall_ms);
    OR_DEFAULT(keep_alive_ms);
#undef OR_DEFAULT
    all.body_bytes = all.body_bytes < SIZE_MAX / 2 ? all.body_bytes : SIZE_MAX / 2; // it is doubled
    return all;
}

// --- connections ---

void connection_shut(const connection *on, int how)
{
    shutdown(on->watch.fd, how);
}

void connection_phase(connection *on, phase next)
{
    const lg_server_limits *limits = &on->server->limits;
    uint32_t ms = 0;
    on->phase = next;
    switch (next) {
    case PHASE_HEAD:
        ms = limits->header_ms;
        break;
    case PHASE_BODY:
        ms = limits->body_ms;
        break;
    case PHASE_ANSWER:
        ms = limits->stall_ms < limits->request_ms ? limits->stall_ms : limits->request_ms;
        break;
    case PHASE_IDLE:
        ms = limits->keep_alive_ms;
        break;
    }
    lg_loop *loop = on->server->loop;
    lg_timer_set(loop, &on->deadline, lg_loop_now_ns(loop) + ms * LG_NS_PER_MS);
}

// Where nothing of an answer can be under way, a word about why is sent past the daemon.
static void say_timeout(const connection *on)
{
    static const char text[] = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n"
                               "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 36\r\n"
                               "\r\nthe request did not arrive in time.\n";
    if (!on->server->tls && on->current) {
        ssize_t sent = send(on->watch.fd, text, sizeof(text) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)sent;
    }
}

static void on_deadline(void *data)
{
    connection *on = data;
    lg_server *server = on->server;
    if (on->phase == PHASE_ANSWER && on->current) {
        int64_t next_ns = inbound_check(on->current, lg_loop_now_ns(server->loop));
        lg_timer_set(server->loop, &on->deadline, next_ns);
        return;
    }
    if (on->phase != PHASE_IDLE) {
        server->counts.timed_out++;
        say_timeout(on);
    }
    connection_shut(on, SHUT_RDWR); // the daemon sees that, and closes it
}

static void on_hangup(void *data, unsigned events)
{
    connection *on = data;
    // Below TLS nothing can be sent past the daemon before there is an answer: who cannot be asked is gone.
    bool streams = on->current && on->current->streaming;
    on->hangup = on->hangup || (events & LG_WATCH_ERROR) || (on->server->tls && !streams);
    bool known = on->half;
    on->half = true;
    if (on->current && on->hangup) {
        inbound_hangup(on->current);
    } else if (on->current && !known) {
        inbound_half_closed(on->current);
    }
}

static void name_peer(connection *on, const struct sockaddr *from)
{
    char host[INET6_ADDRSTRLEN] = "";
    if (from && from->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const void *)from;
        inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
        snprintf(on->peer, sizeof(on->peer), "%s:%u", host, ntohs(v4->sin_port));
    } else if (from && from->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const void *)from;
        inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
        snprintf(on->peer, sizeof(on->peer), "[%s]:%u", host, ntohs(v6->sin6_port));
    }
}

static connection *oldest_idle(const lg_server *server)
{
    connection *idle = NULL;
    for (connection *on = server->connections; on; on = on->next) { // the newest first
        idle = on->phase == PHASE_IDLE && !on->shut ? on : idle;
    }
    return idle;
}

// One too many: who has had an answer and asks nothing goes first, as it does when its time is over. Else the new one is
// told, rather than left in a queue of the kernel, where nobody knows how long.
static void make_room(lg_server *server, connection *newest)
{
    static const char text[] = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n"
                               "Retry-After: 1\r\nContent-Type: text/plain; charset=utf-8\r\n"
                               "Content-Length: 36\r\n\r\ntoo many connections at this moment\n";
    connection *goes = oldest_idle(server);
    if (!goes) {
        goes = newest;
        server->counts.refused++;
        if (!server->tls) {
            ssize_t sent =
                send(goes->watch.fd, text, sizeof(text) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
            (void)sent;
        }
    }
    goes->shut = true;
    server->shut++;
    connection_shut(goes, SHUT_RDWR);
}

static connection *open_connection(lg_server *server, struct MHD_Connection *mhd_connection, int fd)
{
    connection *on = lg_zalloc(sizeof(*on));
    if (!on) {
        shutdown(fd, SHUT_RDWR);
        return NULL;
    }
    on->server = server;
    on->mhd = mhd_connection;
    on->watch = (lg_watch){.ready = on_hangup, .data = on, .fd = fd};
    on->deadline = (lg_timer){.fire = on_deadline, .data = on};
    on->watched = lg_watch_add(server->loop, &on->watch, LG_WATCH_HANGUP, NULL) == LG_OK;
    if (!on->watched) {
        shutdown(fd, SHUT_RDWR);
    }
    on->next = server->connections;
    if (on->next) {
        on->next->previous = on;
    }
    server->connections = on;
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    connection_phase(on, PHASE_HEAD);
    return on;
}

static void close_connection(connection *on)
{
    lg_server *server = on->server;
    lg_timer_stop(server->loop, &on->deadline);
    if (on->watched) {
        lg_watch_remove(server->loop, &on->watch);
    }
    if (on->current) {
        inbound_free(on->current); // the daemon had not told the handler of it
    }
    if (on->previous) {
        on->previous->next = on->next;
    } else {
        server->connections = on->next;
    }
    if (on->next) {
        on->next->previous = on->previous;
    }
    lg_free(on);
}

static void on_connection(void *data, struct MHD_Connection *mhd_connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    lg_server *server = data;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        const connection *closed = *context;
        server->counts.connections--;
        server->shut -= closed && closed->shut;
        server->run = true; // at its limit it listens again only when it is run again
        if (*context) {
            close_connection(*context);
        }
        if (server->stopping && server->counts.connections == 0) {
            lg_loop_defer(server->loop, &server->stop_task);
        }
        return;
    }
    server->counts.connections++;
    int fd = mhd.get_connection_info(mhd_connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    connection *on = open_connection(server, mhd_connection, fd);
    if (on) {
        name_peer(on, mhd.get_connection_info(mhd_connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
                          ->client_addr);
    }
    *context = on;
    if (on && server->counts.connections - server->shut > server->limits.connections) {
        make_room(server, on);
    }
}

// --- requests ---

// The first line is there. What this returns is the request's context from now on.
static void *on_first_line(void *data, const char *target, struct MHD_Connection *mhd_connection)
{
    (void)data;
    connection *on =
        mhd.get_connection_info(mhd_connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    if (!on) {
        return NULL;
    }
    if (on->current) {
        inbound_free(on->current);
    }
    on->current = inbound_new(on, target);
    connection_phase(on, PHASE_HEAD);
    return on->current;
}

static enum MHD_Result on_request(void *data, struct MHD_Connection *mhd_connection,
                                  const char *url, const char *method, const char *version,
                                  const char *upload, size_t *upload_bytes, void **context)
{
    lg_inbound *in = *context;
    (void)data, (void)mhd_connection, (void)url;
    if (!in) {
        return MHD_NO; // there was no memory for it: the connection is closed
    }
    if (in->stage == STAGE_HEAD) {
        return inbound_head(in, method, version);
    }
    if (in->stage == STAGE_HANDED) {
        return inbound_answer(in);
    }
    if (*upload_bytes) {
        lg_str bytes = {upload, *upload_bytes};
        *upload_bytes = 0;
        return inbound_body(in, bytes);
    }
    return inbound_complete(in);
}

static void on_completed(void *data, struct MHD_Connection *mhd_connection, void **context,
                         enum MHD_RequestTerminationCode code)
{
    lg_server *server = data;
    lg_inbound *in = *context;
    (void)mhd_connection;
    if (!in) {
        return;
    }
    *context = NULL;
    connection *on = in->connection;
    inbound_done(in, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    on->current = NULL;
    inbound_free(in);
    connection_phase(on, PHASE_IDLE);
    if (server->stopping) {
        connection_shut(on, SHUT_RD);
    }
}

// Paths are given as they were sent.
static size_t leave_escaped(void *data, struct MHD_Connection *mhd_connection, char *text)
{
    (void)data, (void)mhd_connection;
    return strlen(text);
}

// --- in the loop ---

static void on_daemon_ready(void *data, unsigned events)
{
    lg_server *server = data;
    (void)events;
    server->run = true;
}

static bool run_daemon(void *data)
{
    lg_server *server = data;
    if (!server->run) {
        return false;
    }
    // One run moves each connection by one step; an answer takes a few.
    for (int i = 0; i < RUNS_A_TURN && server->run; i++) {
        MHD_UNSIGNED_LONG_LONG wait_ms;
        server->run = false;
        mhd.run(server->daemon);
        if (mhd.get_timeout(server->daemon, &wait_ms) == MHD_YES && wait_ms == 0) {
            server->run = true;
        }
    }
    return server->run;
}

// --- beginning ---

typedef struct certificate {
    lg_arena arena;
    lg_str cert, key;
} certificate;

static lg_status read_pem(certificate *pem, const char *path, lg_str *ret, lg_error *reterr)
{
    lg_file file = {0};
    lg_status status = lg_file_open(path, PEM_BYTES, &file, reterr);
    if (status == LG_OK) {
        *ret = lg_arena_str(&pem->arena, file.text); // ended with a NUL, as the daemon wants it
        status = ret->ptr ? LG_OK : lg_fail_oom(reterr);
    }
    lg_file_close(&file);
    return status;
}

static lg_status read_certificate(const lg_server_options *options, certificate *pem,
                                  lg_error *reterr)
{
    if (!options->tls_cert_file && !options->tls_key_file) {
        return LG_OK;
    }
    if (!options->tls_cert_file || !options->tls_key_file) {
        return lg_fail(reterr, LG_ERR_USAGE,
                       "TLS needs two files, a certificate and its key; one is named");
    }
    lg_status status = read_pem(pem, options->tls_cert_file, &pem->cert, reterr);
    return status == LG_OK ? read_pem(pem, options->tls_key_file, &pem->key, reterr) : status;
}

static struct MHD_Daemon *start(lg_server *server, int fd, const certificate *pem)
{
    size_t pool_bytes = 2 * server->limits.header_bytes;
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)pem->cert.ptr},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)pem->key.ptr},
        {MHD_OPTION_HTTPS_PRIORITIES, 0,
         (void *)(uintptr_t) "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
        {MHD_OPTION_END, 0, NULL},
    };
    server->tls = pem->cert.ptr != NULL;
    return mhd.start_daemon(
        server->tls ? flags | MHD_USE_TLS : flags, 0, NULL, NULL, on_request, server,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_STRICT_FOR_CLIENT, 0,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_CONNECTION_TIMEOUT, 0u,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)server->limits.connections + BEYOND_LIMIT,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, pool_bytes > POOL_BYTES ? pool_bytes : POOL_BYTES,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_NOTIFY_COMPLETED,
        on_completed, server, MHD_OPTION_URI_LOG_CALLBACK, on_first_line, server,
        MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, server, MHD_OPTION_ARRAY,
        server->tls ? tls : &tls[LG_COUNT(tls) - 1], MHD_OPTION_END);
}

static lg_status start_daemon(lg_server *server, const lg_server_options *options, lg_error *reterr)
{
    certificate pem = {.cert = {NULL, 0}};
    lg_arena_init(&pem.arena, 0);
    int fd = -1;
    lg_status status = read_certificate(options, &pem, reterr);
    if (status == LG_OK) {
        status = listen_on(options->listen, options->joins, &fd, &server->port, reterr);
    }
    if (status == LG_OK) {
        server->daemon = start(server, fd, &pem);
        if (!server->daemon) {
            close(fd);
            status = pem.cert.ptr
                         ? lg_fail(reterr, LG_ERR_USAGE,
                                   "%s and %s are no certificate and its key in PEM, or do not "
                                   "belong together",
                                   options->tls_cert_file, options->tls_key_file)
                         : lg_fail(reterr, LG_ERR_ENVIRONMENT,
                                   "libmicrohttpd does not start: no memory or no descriptors");
        }
    }
    lg_arena_done(&pem.arena);
    return status;
}

static void finish_stop(void *data)
{
    lg_server *server = data;
    if (!server->stopped) {
        server->stopped = true;
        lg_timer_stop(server->loop, &server->stop_timer);
        server->on_stopped(server->stopped_data);
    }
}

static void cut_all(lg_server *server)
{
    for (connection *on = server->connections; on; on = on->next) {
        if (on->current) {
            lg_inbound_cut(on->current);
        }
        connection_shut(on, SHUT_RDWR);
    }
}

static void on_stop_deadline(void *data)
{
    cut_all(data);
}

lg_status lg_server_new(lg_loop *loop, const lg_server_options *options, lg_server **ret_server,
                        lg_error *reterr)
{
    lg_status status = lg_net_load(reterr);
    if (status != LG_OK) {
        return status;
    }
    lg_server *server = lg_zalloc(sizeof(*server));
    if (!server) {
        return lg_fail_oom(reterr);
    }
    server->loop = loop;
    server->limits = resolve(&options->limits);
    server->handler = options->handler;
    server->next_id = options->first_id;
    server->run = true; // its first run is what makes it listen
    server->hook = (lg_hook){.before_sleep = run_daemon, .data = server};
    server->stop_timer = (lg_timer){.fire = on_stop_deadline, .data = server};
    server->stop_task = (lg_task){.run = finish_stop, .data = server};
    status = start_daemon(server, options, reterr);
    if (status != LG_OK) {
        lg_free(server);
        return status;
    }
    int fd = mhd.get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    server->watch = (lg_watch){.ready = on_daemon_ready, .data = server, .fd = fd};
    status = lg_watch_add(loop, &server->watch, LG_WATCH_READ, reterr);
    if (status != LG_OK) {
        mhd.stop_daemon(server->daemon);
        lg_free(server);
        return status;
    }
    lg_loop_hook(loop, &server->hook);
    *ret_server = server;
    return LG_OK;
}

uint16_t lg_server_port(const lg_server *server)
{
    return server->port;
}

lg_server_counts lg_server_count(const lg_server *server)
{
    return server->counts;
}

// --- the end ---

static void stop_listening(lg_server *server)
{
    int fd = mhd.quiesce_daemon(server->daemon);
    if (fd >= 0) {
        close(fd);
    }
    server->run = true;
}

void lg_server_stop(lg_server *server, uint32_t within_ms, void (*stopped)(void *data), void *data)
{
    LG_ASSERT(!server->stopping);
    server->stopping = true;
    server->on_stopped = stopped;
    server->stopped_data = data;
    stop_listening(server);
    for (connection *on = server->connections; on; on = on->next) {
        if (!on->current) {
            connection_shut(on, SHUT_RD); // what has come already is still read
        }
    }
    lg_timer_set(server->loop, &server->stop_timer,
                 lg_loop_now_ns(server->loop) + within_ms * LG_NS_PER_MS);
    if (server->counts.connections == 0) {
        lg_loop_defer(server->loop, &server->stop_task);
    }
}

void lg_server_free(lg_server *server)
{
    if (!server) {
        return;
    }
    lg_loop_unhook(server->loop, &server->hook);
    lg_watch_remove(server->loop, &server->watch);
    cut_all(server);
    mhd.stop_daemon(server->daemon);
    lg_timer_stop(server->loop, &server->stop_timer);
    lg_loop_forget(server->loop, &server->stop_task);
    while (server->spare) {
        lg_inbound *in = server->spare;
        server->spare = in->next_spare;
        lg_arena_done(&in->arena);
        lg_buf_done(&in->body);
        lg_buf_done(&in->out);
        lg_free(in);
    }
    lg_free(server);
}
