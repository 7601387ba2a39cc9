// inbound.c: one request from its first line to the last byte of its answer.
//
// The daemon asks for an answer, and as long as there is none its connection is suspended. An answer that
// is whole lies in the request's arena and is given at once. A stream is a buffer that the daemon reads;
// when it has read all, the connection is suspended until more is written.
#define _GNU_SOURCE // POLLRDHUP
#include "base/alloc.h"
#include "base/str.h"
#include "net/server_internal.h"

#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

#define KEEP_BYTES ((size_t)64 << 10) // of memory that a request leaves to the next one
#define KEEP_COUNT 256                // requests kept for reuse
#define RESERVE_BYTES ((size_t)64 << 10)

// The daemon allocates as much with each stream, and reads into it where it cannot send chunks (HTTP/1.0).
#define STREAM_BLOCK_BYTES 2048

// A slow reader of a large answer gets time in proportion: 16 bytes a millisecond are 16 KB a second.
#define SLOWEST_BYTES_A_MS 16

// --- birth and death ---

static void on_writable(void *data)
{
    lg_inbound *in = data;
    if (in->events.writable && !in->gone && !in->cut && !in->complete) {
        in->events.writable(in->events.data);
    }
}

static lg_inbound *take_spare(lg_server *server)
{
    lg_inbound *in = server->spare;
    if (!in) {
        in = lg_zalloc(sizeof(*in));
        if (in) {
            lg_arena_init(&in->arena, 0);
            lg_buf_init(&in->body, 0);
            lg_buf_init(&in->out, 0);
        }
        return in;
    }
    server->spare = in->next_spare;
    server->spare_count--;
    lg_arena arena = in->arena;
    lg_buf body = in->body;
    lg_buf out = in->out;
    *in = (lg_inbound){.arena = arena, .body = body, .out = out};
    return in;
}

lg_inbound *inbound_new(connection *on, const char *target)
{
    lg_server *server = on->server;
    lg_inbound *in = take_spare(server);
    if (!in) {
        return NULL;
    }
    in->server = server;
    in->connection = on;
    in->writable = (lg_task){.run = on_writable, .data = in};
    lg_str all = lg_arena_str(&in->arena, lg_str_c(target));
    if (!all.ptr) {
        in->request.path = LG_STR("/");
        inbound_free(in);
        return NULL;
    }
    size_t mark = lg_str_find(all, LG_STR("?"));
    in->request.path = lg_str_slice(all, 0, mark);
    in->request.query = mark == SIZE_MAX ? (lg_str){NULL, 0} : lg_str_slice(all, mark + 1, all.len);
    in->request.id = server->next_id++;
    in->request.peer = lg_str_c(on->peer);
    in->request.tls = server->tls;
    in->request.begun_ns = lg_loop_now_ns(server->loop);
    return in;
}

static void empty_buf(lg_buf *buf)
{
    if (buf->cap > KEEP_BYTES) {
        lg_buf_done(buf);
        lg_buf_init(buf, 0);
    } else {
        lg_buf_clear(buf);
    }
}

void inbound_free(lg_inbound *in)
{
    lg_server *server = in->server;
    lg_loop_forget(server->loop, &in->writable);
    server->counts.bodies_bytes -= in->body.len;
    if (server->spare_count >= KEEP_COUNT) {
        lg_arena_done(&in->arena);
        lg_buf_done(&in->body);
        lg_buf_done(&in->out);
        lg_free(in);
        return;
    }
    if (in->arena.held_bytes > KEEP_BYTES) {
        lg_arena_done(&in->arena);
        lg_arena_init(&in->arena, 0);
    } else {
        lg_arena_reset(&in->arena);
    }
    empty_buf(&in->body);
    empty_buf(&in->out);
    in->next_spare = server->spare;
    server->spare = in;
    server->spare_count++;
}

void lg_inbound_take_body(lg_inbound *in, lg_buf *ret_body)
{
    in->server->counts.bodies_bytes -= in->body.len;
    *ret_body = in->body;
    lg_buf_init(&in->body, 0);
}

void inbound_done(lg_inbound *in, bool sent)
{
    if (!in->handed) {
        return;
    }
    in->server->counts.requests--;
    lg_done how = sent && in->complete ? LG_DONE_SENT : in->cut ? LG_DONE_CUT : LG_DONE_GONE;
    if (in->events.done) {
        in->events.done(in->events.data, how);
    }
}

// --- the answer, towards the daemon ---

static void wake(lg_inbound *in)
{
    if (in->suspended) {
        in->suspended = false;
        mhd.resume_connection(in->connection->mhd);
        in->server->run = true;
    }
}

static ssize_t read_stream(void *data, uint64_t position, char *room, size_t max_bytes)
{
    lg_inbound *in = data;
    (void)position;
    if (in->cut || in->gone) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    size_t left = lg_inbound_queued_bytes(in);
    if (left == 0 && in->complete) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    if (left == 0) {
        in->suspended = true;
        mhd.suspend_connection(in->connection->mhd);
        return 0;
    }
    size_t size_bytes = left < max_bytes ? left : max_bytes;
    lg_copy_bytes(room, in->out.ptr + in->out_from, size_bytes);
    in->out_from += size_bytes;
    if (in->out_from == in->out.len) {
        in->out.len = in->out_from = 0;
    }
    in->progress_ns = lg_loop_now_ns(in->server->loop);
    if (in->was_full && lg_inbound_queued_bytes(in) < in->server->limits.full_bytes / 2) {
        in->was_full = false;
        lg_loop_defer(in->server->loop, &in->writable);
    }
    return (ssize_t)size_bytes;
}

// Headers are copied when they are given, and become the daemon's when the answer does.
static void keep_head(lg_inbound *in, unsigned status, lg_http_headers headers)
{
    LG_ASSERT(!in->answered && status >= 200 && status <= 999);
    in->answered = true;
    in->status = status;
    in->head = LG_NEW_ARRAY(&in->arena, lg_http_header, headers.count + 1);
    in->cut = in->cut || !in->head;
    for (size_t i = 0; i < headers.count && !in->cut; i++) {
        lg_http_header header = headers.items[i];
        // An empty value is none to the daemon.
        if (!header.value.len || !lg_http_header_is_clean(header) ||
            lg_http_is_of_hop(header.name)) {
            continue;
        }
        lg_http_header copy = {lg_arena_str(&in->arena, header.name),
                               lg_arena_str(&in->arena, header.value)};
        in->cut = !copy.name.ptr || !copy.value.ptr;
        in->head[in->head_count++] = copy;
    }
}

static bool add_head(const lg_inbound *in, struct MHD_Response *response)
{
    for (size_t i = 0; i < in->head_count; i++) {
        if (mhd.add_response_header(response, in->head[i].name.ptr, in->head[i].value.ptr) !=
            MHD_YES) {
            return false;
        }
    }
    bool closing = in->server->stopping || in->refusal;
    return !closing || mhd.add_response_header(response, "Connection", "close") == MHD_YES;
}

static bool has_no_body(const lg_inbound *in)
{
    return in->status == 204 || in->status == 304 || lg_str_eq(in->request.method, LG_STR("HEAD"));
}

// A stream that is complete before its head was sent goes out as what it is: one piece, with its length.
static struct MHD_Response *make_response(lg_inbound *in)
{
    if (in->streaming && (!in->complete || has_no_body(in))) {
        return mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES, read_stream,
                                                 in, NULL);
    }
    lg_str body = in->whole;
    if (in->streaming) {
        body = lg_str_slice(lg_buf_str(&in->out), in->out_from, in->out.len);
    }
    in->whole_bytes = body.len;
    // The daemon's type is not const, but what is persistent is only read.
    return mhd.create_response_from_buffer(body.len, (void *)(uintptr_t)body.ptr,
                                           MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result give_response(lg_inbound *in)
{
    struct MHD_Response *response = make_response(in);
    enum MHD_Result result = MHD_NO;
    in->cut = !response || !add_head(in, response);
    if (!in->cut) {
        result = mhd.queue_response(in->connection->mhd, in->status, response);
    }
    if (response) {
        mhd.destroy_response(response); // the daemon has a reference of its own
    }
    in->progress_ns = lg_loop_now_ns(in->server->loop);
    return result;
}

// Who has closed his sending side only, and who has closed everything, look the same until something is sent: to the latter
// the system answers with a reset, which is a hangup. So he is sent what every client passes over (RFC 9110 section
// 15.2.1), past the daemon, which has nothing under way here.
static void ask_if_there(lg_inbound *in)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    connection *on = in->connection;
    if (!on->half || on->asked || !in->one_one) {
        return;
    }
    on->asked = true;
    ssize_t sent = send(on->watch.fd, text, sizeof(text) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    in->gone = sent != (ssize_t)sizeof(text) - 1;
}

enum MHD_Result inbound_answer(lg_inbound *in)
{
    bool lost = in->gone || (in->connection->hangup && !in->complete);
    if (in->cut || lost) {
        in->gone = lost;
        return MHD_NO; // closes the connection
    }
    // Where there is no body to read, the daemon would be done with a stream before the handler is: it waits for the
    // end.
    if (in->answered && (in->complete || !has_no_body(in))) {
        return give_response(in);
    }
    ask_if_there(in);
    if (in->gone) {
        return MHD_NO;
    }
    in->suspended = true;
    mhd.suspend_connection(in->connection->mhd);
    return MHD_YES;
}

void lg_inbound_reply(lg_inbound *in, unsigned status, lg_http_headers headers, lg_str body)
{
    keep_head(in, status, headers);
    in->complete = true;
    in->whole = lg_arena_str(&in->arena, body);
    in->cut = in->cut || !in->whole.ptr;
    wake(in);
}

// What has come with the request may be told by the loop only behind the handler, and would look like an end that came
// within the answer. Below TLS such an end is no end of a request.
static void look_if_half_closed(connection *on)
{
    struct pollfd end = {.fd = on->watch.fd, .events = POLLRDHUP};
    on->half = on->half || (!on->server->tls && poll(&end, 1, 0) > 0 &&
                            !(end.revents & (POLLERR | POLLHUP | POLLNVAL)));
}

void lg_inbound_begin(lg_inbound *in, unsigned status, lg_http_headers headers)
{
    keep_head(in, status, headers);
    look_if_half_closed(in->connection);
    in->streaming = true;
    wake(in);
}

// A connection that the daemon is writing to, or reads from, is not suspended: it is closed under its hands.
static void end_now(lg_inbound *in)
{
    if (in->stage == STAGE_HANDED && in->suspended) {
        wake(in);
    } else {
        connection_shut(in->connection, SHUT_RDWR);
    }
}

void lg_inbound_cut(lg_inbound *in)
{
    in->cut = true;
    end_now(in);
}

lg_status lg_inbound_write(lg_inbound *in, lg_str bytes)
{
    LG_ASSERT(in->streaming && !in->complete);
    bool dropped = in->cut || in->gone || lg_str_eq(in->request.method, LG_STR("HEAD"));
    if (dropped || bytes.len == 0) {
        return LG_OK;
    }
    size_t queued_bytes = lg_inbound_queued_bytes(in);
    const lg_server_limits *limits = &in->server->limits;
    if (bytes.len > limits->queue_bytes || queued_bytes > limits->queue_bytes - bytes.len) {
        lg_inbound_cut(in);
        return LG_ERR_LIMIT;
    }
    if (in->out_from > queued_bytes) { // less to move than there is to win
        memmove(in->out.ptr, in->out.ptr + in->out_from, queued_bytes);
        in->out.len = queued_bytes;
        in->out_from = 0;
    }
    lg_buf_add(&in->out, bytes);
    if (lg_buf_status(&in->out) != LG_OK) {
        lg_inbound_cut(in);
        return LG_ERR_OOM;
    }
    if (queued_bytes == 0) {
        in->progress_ns = lg_loop_now_ns(in->server->loop);
    }
    in->was_full = in->was_full || lg_inbound_is_full(in);
    wake(in);
    return LG_OK;
}

void lg_inbound_end(lg_inbound *in)
{
    LG_ASSERT(in->streaming && !in->complete);
    in->complete = true;
    in->progress_ns = lg_loop_now_ns(in->server->loop);
    wake(in);
}

size_t lg_inbound_queued_bytes(const lg_inbound *in)
{
    return in->out.len - in->out_from;
}

bool lg_inbound_is_full(const lg_inbound *in)
{
    return lg_inbound_queued_bytes(in) >= in->server->limits.full_bytes;
}

const lg_http_request *lg_inbound_request(const lg_inbound *in)
{
    return &in->request;
}

lg_arena *lg_inbound_arena(lg_inbound *in)
{
    return &in->arena;
}

void lg_inbound_listen(lg_inbound *in, lg_inbound_events events)
{
    in->events = events;
}

// --- hangups and deadlines ---

void inbound_hangup(lg_inbound *in)
{
    if (in->stage != STAGE_HANDED || in->complete || in->gone) {
        return; // what is still being read the daemon ends by itself; what is complete it gives
    }
    in->gone = true;
    end_now(in);
}

void inbound_half_closed(lg_inbound *in)
{
    if (in->stage != STAGE_HANDED || in->complete || in->gone) {
        return;
    }
    if (in->answered && in->events.half_closed && in->events.half_closed(in->events.data)) {
        return;
    }
    if (in->answered) { // nothing will be sent that would tell
        in->connection->hangup = true;
        inbound_hangup(in);
        return;
    }
    ask_if_there(in);
    if (in->gone) {
        end_now(in);
    }
}

// When a client that takes nothing is given up.
static int64_t stall_ns(const lg_inbound *in)
{
    bool waits = lg_inbound_queued_bytes(in) > 0 || (in->complete && !in->suspended);
    if (!waits) {
        return INT64_MAX;
    }
    int64_t grace_ms =
        in->server->limits.stall_ms + (int64_t)(in->whole_bytes / SLOWEST_BYTES_A_MS);
    return in->progress_ns + grace_ms * LG_NS_PER_MS;
}

int64_t inbound_check(lg_inbound *in, int64_t now_ns)
{
    int64_t stalled_ns = stall_ns(in);
    if (now_ns >= in->until_ns || now_ns >= stalled_ns) {
        in->server->counts.timed_out++;
        in->cut = now_ns >= in->until_ns;
        in->gone = !in->cut;
        end_now(in);
        return now_ns + in->server->limits.stall_ms * LG_NS_PER_MS;
    }
    int64_t next_ns = now_ns + in->server->limits.stall_ms * LG_NS_PER_MS;
    next_ns = stalled_ns < next_ns ? stalled_ns : next_ns;
    return in->until_ns < next_ns ? in->until_ns : next_ns;
}

// --- the request, from the daemon ---

typedef struct gathering {
    lg_inbound *in;
    lg_http_header *items;
    size_t count, capacity;
    const char *end; // of the value before
    bool failed;
} gathering;

// The daemon takes a value to end at a NUL. What it has left out stands in its buffer still, before the next name,
// or the end of the line.
static bool is_line_end(const char *from, const char *to)
{
    for (; from < to; from++) {
        if (*from && !strchr("\r\n\t ", *from)) {
            return false;
        }
    }
    return true;
}

static void look_between(gathering *all, const char *name)
{
    size_t most = all->in->server->limits.header_bytes;
    bool next = all->end && name > all->end && (size_t)(name - all->end) < most;
    all->in->has_nul = all->in->has_nul || (next && !is_line_end(all->end, name));
}

static enum MHD_Result gather(void *data, enum MHD_ValueKind kind, const char *name,
                              size_t name_len, const char *value, size_t value_len)
{
    gathering *all = data;
    (void)kind;
    look_between(all, name);
    all->end = value ? value + value_len : NULL;
    lg_http_header *room =
        lg_arena_grow(&all->in->arena, all->items, all->count, &all->capacity, sizeof(*room));
    if (!room) {
        all->failed = true;
        return MHD_NO;
    }
    all->items = room;
    all->items[all->count++] =
        (lg_http_header){{name, name_len}, {value ? value : "", value ? value_len : 0}};
    return MHD_YES;
}

// Answers a request that the handler is not given, in the form that it wants, or in plain words.
static enum MHD_Result refuse(lg_inbound *in)
{
    lg_server *server = in->server;
    in->stage = STAGE_HANDED;
    in->until_ns = lg_loop_now_ns(server->loop) + server->limits.request_ms * LG_NS_PER_MS;
    connection_phase(in->connection, PHASE_ANSWER);
    server->counts.refused++;
    if (server->handler.refuse) {
        server->handler.refuse(server->handler.data, in, in->refusal, lg_str_c(in->refusal_why));
    }
    if (!in->answered) {
        lg_http_header plain = {LG_STR("Content-Type"), LG_STR("text/plain; charset=utf-8")};
        lg_str text = lg_arena_printf(&in->arena, "%s\n", in->refusal_why);
        lg_inbound_reply(in, in->refusal, (lg_http_headers){&plain, 1},
                         text.ptr ? text : (lg_str){"", 0});
    }
    return inbound_answer(in);
}

// The length that the request says its body has, or SIZE_MAX if it does not say.
static size_t said_length(const lg_inbound *in)
{
    lg_str text = lg_http_header_value(in->request.headers, LG_STR("Content-Length"));
    size_t length = 0;
    for (size_t i = 0; i < text.len; i++) {
        size_t digit = (size_t)(text.ptr[i] - '0');
        if (length > (SIZE_MAX - 1 - digit) / 10) {
            return SIZE_MAX - 1;
        }
        length = length * 10 + digit;
    }
    return text.ptr ? length : SIZE_MAX;
}

static void refuse_body(lg_inbound *in, unsigned status, const char *why)
{
    in->refusal = status;
    in->refusal_why = why;
    in->drain_bytes = 2 * in->server->limits.body_bytes - in->body.len;
    in->server->counts.bodies_bytes -= in->body.len;
    empty_buf(&in->body);
}

enum MHD_Result inbound_head(lg_inbound *in, const char *method, const char *version)
{
    lg_server *server = in->server;
    gathering all = {.in = in};
    in->request.method = lg_str_c(method);
    in->one_one = lg_str_eq(lg_str_c(version), LG_STR("HTTP/1.1"));
    mhd.get_connection_values_n(in->connection->mhd, MHD_HEADER_KIND, gather, &all);
    in->request.headers = (lg_http_headers){all.items, all.count};
    in->stage = STAGE_BODY;
    if (all.failed) {
        return MHD_NO;
    }
    look_between(&all, all.end ? all.end + 2 : NULL); // two bytes more are there: the empty line's
    in->refusal = inbound_faults(in, &in->refusal_why);
    if (in->refusal) {
        return refuse(in); // before the body was read: the daemon closes the connection behind it
    }
    connection_phase(in->connection, PHASE_BODY);
    size_t length = said_length(in);
    if (length != SIZE_MAX && length > server->limits.body_bytes) {
        refuse_body(in, 413, "the body is larger than is allowed");
        // Who is still sending when the connection closes may never see the answer. So a body that is not much
        // too large is read and thrown away, unless the client waits to be told to send it.
        bool asks = lg_http_header_count(in->request.headers, LG_STR("Expect")) > 0;
        if (asks || length > in->drain_bytes) {
            return refuse(in);
        }
    } else if (length != SIZE_MAX && length > 0) {
        lg_buf_room(&in->body, length < RESERVE_BYTES ? length : RESERVE_BYTES);
    }
    return MHD_YES;
}

enum MHD_Result inbound_body(lg_inbound *in, lg_str bytes)
{
    lg_server *server = in->server;
    if (!in->refusal) {
        if (in->body.len + bytes.len > server->limits.body_bytes) {
            refuse_body(in, 413, "the body is larger than is allowed");
        } else if (server->counts.bodies_bytes + bytes.len > server->limits.bodies_bytes) {
            refuse_body(in, 503, "too many bodies are being held at this moment: try again later");
        }
    }
    if (in->refusal) {
        bool enough = bytes.len > in->drain_bytes;
        in->drain_bytes -= enough ? in->drain_bytes : bytes.len;
        return enough ? MHD_NO : MHD_YES;
    }
    lg_buf_add(&in->body, bytes);
    if (lg_buf_status(&in->body) != LG_OK) {
        server->counts.bodies_bytes -= in->body.len;
        lg_buf_clear(&in->body);
        return MHD_NO;
    }
    server->counts.bodies_bytes += bytes.len;
    return MHD_YES;
}

enum MHD_Result inbound_complete(lg_inbound *in)
{
    lg_server *server = in->server;
    if (in->refusal) {
        return refuse(in);
    }
    in->stage = STAGE_HANDED;
    in->handed = true;
    in->request.body = lg_buf_str(&in->body);
    in->request.arrived_ns = lg_loop_now_ns(server->loop);
    in->until_ns = in->request.arrived_ns + server->limits.request_ms * LG_NS_PER_MS;
    connection_phase(in->connection, PHASE_ANSWER);
    server->counts.requests++;
    server->handler.request(server->handler.data, in);
    return inbound_answer(in);
}
