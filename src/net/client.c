// client.c: libcurl's multi interface in our loop.
//
// libcurl says which descriptors to watch and when to be called again, and calls us with what it reads. Nothing of
// that goes to the owner of a request from within libcurl: it is noted, and told when libcurl has returned
// (deliver_all), so that whatever is called back may begin, pause and cancel requests as it likes.
//
// Never twice: libcurl sends a request again by itself if a connection that it used again dies before the first byte of
// an answer. It asks before each attempt, in CURLOPT_PREREQFUNCTION; if there was one already, and any byte of
// it was sent, the answer is no, and the owner is told that the outcome is unknown.
#include "net/client.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "net/library.h"

#include <stdio.h>

#define KEEP_HANDLES 256
#define KEEP_EASY 64 // of them with libcurl's own half, which has a buffer of 16 KiB
#define KEEP_BYTES ((size_t)64 << 10)

struct lg_client {
    lg_loop *loop;
    lg_client_options options;
    lg_arena arena; // what `options` points to
    CURLM *multi;
    lg_timer timer; // when libcurl wants to be called
    lg_task deliver;
    lg_outbound *all;
    lg_outbound *ready, **ready_end;
    bool delivering;
    bool starved; // so is one of all
    lg_outbound *spare;
    size_t spare_count, easy_count;
};

typedef struct socket_watch {
    lg_watch watch;
    lg_client *client;
} socket_watch;

struct lg_outbound {
    lg_client *client;
    CURL *easy; // NULL in a spare one: the next request gets another
    // It has gone through a request, and well: what is the same for every request is set.
    bool is_set;
    bool posts;
    lg_outbound_events events;
    struct curl_slist *headers;
    lg_arena arena; // of the answer's head
    lg_http_header *head;
    size_t head_count, head_capacity, head_bytes;
    unsigned status;
    bool in_body;   // the head is complete: what comes now as a header is a trailer
    bool head_told; // to the owner
    lg_buf bytes;   // of the body, not yet told
    size_t body_bytes;
    size_t most_head_bytes, most_body_bytes;
    bool paused, stopped; // by the owner; libcurl was told so
    bool over;            // libcurl has done with it
    bool cancelled;
    bool told; // `end` was called, or is not to be
    unsigned attempts;
    bool too_large;
    bool starved; // its descriptor cannot be watched
    lg_outbound_end end;
    char error[CURL_ERROR_SIZE];
    lg_timer deadline;
    uint32_t first_byte_ms, idle_ms, total_ms;
    int64_t begun_ns, heard_ns;
    lg_outbound *next, *previous; // of all
    lg_outbound *next_ready;
    bool is_ready;
};

static const struct {
    const char *name;
} end_kinds[] = {
    [LG_END_OK] = {"ok"},       [LG_END_REFUSED] = {"refused"}, [LG_END_TIMEOUT] = {"timeout"},
    [LG_END_RESET] = {"reset"}, [LG_END_CUT] = {"cut"},         [LG_END_TOO_LARGE] = {"too large"},
    [LG_END_BAD] = {"bad"},     [LG_END_FAILED] = {"failed"},
};

const char *lg_end_kind_name(lg_end_kind kind)
{
    return end_kinds[kind].name;
}

// --- telling the owners ---

static void make_ready(lg_outbound *out)
{
    lg_client *client = out->client;
    if (!out->is_ready) {
        out->is_ready = true;
        out->next_ready = NULL;
        *client->ready_end = out;
        client->ready_end = &out->next_ready;
    }
    if (!client->delivering) {
        lg_loop_defer(client->loop, &client->deliver);
    }
}

static void free_outbound(lg_outbound *out);

static void tell_bytes(lg_outbound *out)
{
    // Taken out first: while it is told, more may come (a resume may read on).
    lg_buf bytes = out->bytes;
    lg_buf_init(&out->bytes, 0);
    out->events.bytes(out->events.data, lg_buf_str(&bytes));
    if (out->bytes.cap == 0 && bytes.cap <= KEEP_BYTES) {
        lg_buf_clear(&bytes);
        out->bytes = bytes;
    } else {
        lg_buf_done(&bytes);
    }
}

static void deliver(lg_outbound *out)
{
    if (out->in_body && !out->head_told && !out->cancelled) {
        out->head_told = true;
        out->events.head(out->events.data, out->status,
                         (lg_http_headers){out->head, out->head_count});
    }
    while (out->bytes.len > 0 && !out->paused && !out->cancelled) {
        tell_bytes(out);
    }
    if (out->over && !out->paused && !out->cancelled) {
        out->told = true;
        out->events.end(out->events.data, &out->end);
        out->cancelled = true;
    }
    if (out->cancelled && !out->is_ready) {
        free_outbound(out);
    }
}

static void finish(lg_outbound *out, lg_end_kind kind, const char *what);

static void end_starved(lg_client *client)
{
    client->starved = false;
    for (lg_outbound *out = client->all; out; out = out->next) {
        if (out->starved && !out->over) {
            finish(out, LG_END_FAILED, "no memory or no descriptors for a connection");
        }
    }
}

static void deliver_all(void *data)
{
    lg_client *client = data;
    client->delivering = true;
    if (client->starved) {
        end_starved(client);
    }
    while (client->ready) {
        lg_outbound *out = client->ready;
        client->ready = out->next_ready;
        if (!client->ready) {
            client->ready_end = &client->ready;
        }
        out->is_ready = false;
        deliver(out);
    }
    client->delivering = false;
}

// --- ends ---

static lg_end_kind kind_of(const lg_outbound *out, CURLcode code)
{
    bool begun = out->in_body;
    if (out->too_large) {
        return LG_END_TOO_LARGE;
    }
    // A few of a hundred codes matter here; all others are what they look like: a failure of our own.
    if (code == CURLE_OK) {
        return begun ? LG_END_OK : LG_END_RESET; // a head that has no end is well for libcurl
    }
    if (code == CURLE_OPERATION_TIMEDOUT) {
        return LG_END_TIMEOUT;
    }
    if (code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR ||
        code == CURLE_ABORTED_BY_CALLBACK || code == CURLE_PARTIAL_FILE) {
        return begun ? LG_END_CUT : LG_END_RESET;
    }
    if (code == CURLE_WEIRD_SERVER_REPLY || code == CURLE_UNSUPPORTED_PROTOCOL ||
        code == CURLE_BAD_CONTENT_ENCODING || code == CURLE_HTTP2) {
        return LG_END_BAD;
    }
    bool ours = code == CURLE_OUT_OF_MEMORY || code == CURLE_WRITE_ERROR ||
                code == CURLE_FAILED_INIT || code == CURLE_BAD_FUNCTION_ARGUMENT;
    return ours || begun || out->attempts ? LG_END_FAILED : LG_END_REFUSED;
}

static void remember(lg_outbound *out)
{
    long sent_bytes = 0;
    curl.easy_getinfo(out->easy, CURLINFO_REQUEST_SIZE, &sent_bytes);
    out->end.sent = out->end.sent || sent_bytes > 0;
    out->end.total_ns = lg_monotonic_ns() - out->begun_ns;
}

// libcurl lets go of it; what was noted of it is still told.
static void let_go(lg_outbound *out)
{
    if (!out->over) {
        out->over = true;
        lg_timer_stop(out->client->loop, &out->deadline);
        remember(out);
        curl.multi_remove_handle(out->client->multi, out->easy);
    }
}

static void finish(lg_outbound *out, lg_end_kind kind, const char *what)
{
    let_go(out);
    out->end.kind = kind;
    out->end.what = lg_str_c(what);
    make_ready(out);
}

static const char *words_of(const lg_outbound *out, CURLcode code)
{
    if (code == CURLE_OK) {
        return out->in_body ? "complete" : "the answer ended within its head";
    }
    if (out->too_large) {
        return out->in_body ? "the answer's body is larger than it may be"
                            : "the answer's head is larger than it may be";
    }
    if (code == CURLE_ABORTED_BY_CALLBACK) {
        return "the connection, which had been kept open, died after the request was sent and "
               "before an "
               "answer: nobody knows whether it was carried out";
    }
    return out->error[0] ? out->error : curl.easy_strerror(code);
}

static lg_outbound *owner_of(CURL *easy)
{
    char *owner = NULL;
    curl.easy_getinfo(easy, CURLINFO_PRIVATE, &owner);
    return (lg_outbound *)(void *)owner;
}

static void read_messages(lg_client *client)
{
    CURLMsg *message;
    int left;
    while ((message = curl.multi_info_read(client->multi, &left))) {
        if (message->msg != CURLMSG_DONE) {
            continue;
        }
        CURLcode code = message->data.result;
        lg_outbound *out = owner_of(message->easy_handle);
        finish(out, kind_of(out, code), words_of(out, code));
    }
}

// --- libcurl and the loop ---

// What libcurl knows of its sockets may be broken when it had no memory for it: the next use of such a socket divides by
// zero. So all of it goes, with what is under way; a new one is made when it is next needed.
static void give_up(lg_client *client)
{
    for (lg_outbound *out = client->all; out; out = out->next) {
        if (!out->over) {
            finish(out, LG_END_FAILED, "no memory for a connection");
        }
    }
    curl.multi_cleanup(client->multi);
    client->multi = NULL;
    lg_timer_stop(client->loop, &client->timer);
}

static void act(lg_client *client, curl_socket_t fd, int events)
{
    int running;
    client->delivering = true; // soon
    CURLMcode code = curl.multi_socket_action(client->multi, fd, events, &running);
    read_messages(client);
    if (code != CURLM_OK) {
        give_up(client);
    }
    deliver_all(client);
}

static void on_socket(void *data, unsigned events)
{
    socket_watch *socket = data;
    int seen = events & LG_WATCH_READ ? CURL_CSELECT_IN : 0;
    seen |= events & LG_WATCH_WRITE ? CURL_CSELECT_OUT : 0;
    seen |= events & LG_WATCH_ERROR ? CURL_CSELECT_ERR : 0;
    act(socket->client, socket->watch.fd, seen);
}

static void on_timer(void *data)
{
    act(data, CURL_SOCKET_TIMEOUT, 0);
}

static void unwatch(lg_client *client, curl_socket_t fd, socket_watch *socket)
{
    if (socket) {
        lg_watch_remove(client->loop, &socket->watch);
        curl.multi_assign(client->multi, fd, NULL);
        lg_free(socket);
    }
}

static bool watch(lg_client *client, curl_socket_t fd, unsigned events)
{
    socket_watch *socket = lg_zalloc(sizeof(*socket));
    if (!socket) {
        return false;
    }
    socket->client = client;
    socket->watch = (lg_watch){.ready = on_socket, .data = socket, .fd = fd};
    if (lg_watch_add(client->loop, &socket->watch, events, NULL) != LG_OK) {
        lg_free(socket);
        return false;
    }
    curl.multi_assign(client->multi, fd, socket);
    return true;
}

// If this said -1, libcurl would give up all that the client has under way. So only the one request ends.
static int want_socket(CURL *easy, curl_socket_t fd, int what, void *data, void *assigned)
{
    lg_client *client = data;
    socket_watch *socket = assigned;
    if (what == CURL_POLL_REMOVE) {
        unwatch(client, fd, socket);
        return 0;
    }
    unsigned events = what == CURL_POLL_IN    ? LG_WATCH_READ
                      : what == CURL_POLL_OUT ? LG_WATCH_WRITE
                                              : LG_WATCH_READ | LG_WATCH_WRITE;
    bool ok = socket ? lg_watch_change(client->loop, &socket->watch, events, NULL) == LG_OK
                     : watch(client, fd, events);
    lg_outbound *out = ok ? NULL : owner_of(easy);
    if (out) {
        out->starved = client->starved = true;
        lg_loop_defer(client->loop, &client->deliver);
    }
    return 0;
}

static int want_timer(CURLM *multi, long wait_ms, void *data)
{
    lg_client *client = data;
    (void)multi;
    if (wait_ms < 0) {
        lg_timer_stop(client->loop, &client->timer);
    } else {
        int64_t now_ns = lg_loop_now_ns(client->loop);
        lg_timer_set(client->loop, &client->timer, now_ns + wait_ms * LG_NS_PER_MS);
    }
    return 0;
}

// --- what comes ---

static int64_t next_deadline_ns(const lg_outbound *out)
{
    int64_t total_ns = out->begun_ns + out->total_ms * LG_NS_PER_MS;
    int64_t other_ns = out->in_body ? out->heard_ns + out->idle_ms * LG_NS_PER_MS
                                    : out->begun_ns + out->first_byte_ms * LG_NS_PER_MS;
    if (out->paused && out->in_body) {
        return total_ns;
    }
    return other_ns < total_ns ? other_ns : total_ns;
}

static int before_attempt(void *data, char *peer, char *local, int peer_port, int local_port)
{
    lg_outbound *out = data;
    (void)peer, (void)local, (void)peer_port, (void)local_port;
    long sent_bytes = 0, connects = 0;
    curl.easy_getinfo(out->easy, CURLINFO_REQUEST_SIZE, &sent_bytes);
    curl.easy_getinfo(out->easy, CURLINFO_NUM_CONNECTS, &connects);
    if (out->attempts++ > 0 && sent_bytes > 0) {
        out->end.sent = true;
        return CURL_PREREQFUNC_ABORT;
    }
    out->end.reused = connects == 0;
    out->end.connected_ns = lg_monotonic_ns() - out->begun_ns;
    return CURL_PREREQFUNC_OK;
}

static bool keep_header(lg_outbound *out, lg_str line)
{
    lg_http_header *room =
        lg_arena_grow(&out->arena, out->head, out->head_count, &out->head_capacity, sizeof(*room));
    lg_str copy = lg_arena_str(&out->arena, line);
    if (!room || !copy.ptr) {
        return false;
    }
    size_t colon = lg_str_find(copy, LG_STR(":"));
    out->head = room;
    out->head[out->head_count++] = (lg_http_header){
        lg_str_slice(copy, 0, colon),
        lg_str_trim(lg_str_slice(copy, colon == SIZE_MAX ? copy.len : colon + 1, copy.len))};
    return true;
}

static void end_of_head(lg_outbound *out)
{
    long status = 0;
    curl.easy_getinfo(out->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200) {
        out->in_body = true;
        out->status = (unsigned)status;
        out->end.first_byte_ns = out->heard_ns - out->begun_ns;
        lg_timer_set(out->client->loop, &out->deadline, next_deadline_ns(out));
        make_ready(out);
    }
}

static size_t on_header(char *line, size_t size, size_t count, void *data)
{
    lg_outbound *out = data;
    lg_str text = lg_str_trim((lg_str){line, size * count});
    out->heard_ns = lg_monotonic_ns();
    if (out->in_body) {
        return size * count; // a trailer
    }
    out->head_bytes += size * count;
    if (out->head_bytes > out->most_head_bytes) {
        out->too_large = true;
        return 0;
    }
    if (text.len == 0) {
        end_of_head(out);
        return size * count;
    }
    if (lg_str_starts(text, LG_STR("HTTP/"))) {
        out->head_count = 0; // the one before was a 1xx
        return size * count;
    }
    return keep_header(out, text) ? size * count : 0;
}

static size_t on_bytes(char *bytes, size_t size, size_t count, void *data)
{
    lg_outbound *out = data;
    size_t size_bytes = size * count;
    if (out->paused) {
        out->stopped = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    out->heard_ns = lg_monotonic_ns();
    if (size_bytes > out->most_body_bytes - out->body_bytes) {
        out->too_large = true;
        return 0;
    }
    out->body_bytes += size_bytes;
    lg_buf_add(&out->bytes, (lg_str){bytes, size_bytes});
    if (lg_buf_status(&out->bytes) != LG_OK) {
        lg_buf_clear(&out->bytes);
        return 0;
    }
    make_ready(out);
    return size_bytes;
}

// --- deadlines ---

static void on_outbound_deadline(void *data)
{
    lg_outbound *out = data;
    int64_t now_ns = lg_monotonic_ns();
    int64_t next_ns = next_deadline_ns(out);
    if (now_ns < next_ns) {
        lg_timer_set(out->client->loop, &out->deadline, next_ns);
        return;
    }
    bool total = now_ns >= out->begun_ns + out->total_ms * LG_NS_PER_MS;
    finish(out, LG_END_TIMEOUT,
           total          ? "the answer took longer than it may in all"
           : out->in_body ? "the answer stopped coming, for longer than it may"
                          : "no answer began within the time that it may take");
}

// --- beginning ---

static bool add_line(lg_outbound *out, const char *line)
{
    struct curl_slist *grown = line ? curl.slist_append(out->headers, line) : NULL;
    out->headers = grown ? grown : out->headers;
    return grown != NULL;
}

static bool add_headers(lg_outbound *out, lg_http_headers headers, lg_arena *scratch)
{
    // An empty line takes out what libcurl would add by itself.
    static const char *const unwanted[] = {"Accept:", "Content-Type:", "User-Agent:"};
    bool ok = add_line(out, "Expect:");
    for (size_t i = 0; i < LG_COUNT(unwanted); i++) {
        lg_str name = {unwanted[i], strlen(unwanted[i]) - 1};
        ok = ok && (lg_http_header_count(headers, name) > 0 || add_line(out, unwanted[i]));
    }
    for (size_t i = 0; i < headers.count && ok; i++) {
        lg_http_header header = headers.items[i];
        if (lg_http_is_of_hop(header.name)) {
            continue;
        }
        // `Name;` is how an empty value is sent.
        lg_str line = header.value.len ? lg_arena_printf(scratch, "%.*s: %.*s", LG_FMT(header.name),
                                                         LG_FMT(header.value))
                                       : lg_arena_printf(scratch, "%.*s;", LG_FMT(header.name));
        ok = add_line(out, line.ptr);
    }
    return ok;
}

static bool is_clean_url(lg_str url)
{
    if (!lg_str_starts(url, LG_STR("http://")) && !lg_str_starts(url, LG_STR("https://"))) {
        return false;
    }
    for (size_t i = 0; i < url.len; i++) {
        if ((unsigned char)url.ptr[i] <= 0x20 || url.ptr[i] == 0x7f) {
            return false;
        }
    }
    return true;
}

static lg_status check_request(const lg_client_request *request, lg_error *reterr)
{
    if (!is_clean_url(request->url)) {
        return lg_fail(reterr, LG_ERR_USAGE,
                       "`%.*s` is no address to ask: it has to begin with http:// or https://, and "
                       "to have no blanks",
                       LG_FMT(request->url));
    }
    if (!lg_http_is_token(request->method)) {
        return lg_fail(reterr, LG_ERR_USAGE, "`%.*s` is no method", LG_FMT(request->method));
    }
    for (size_t i = 0; i < request->headers.count; i++) {
        if (!lg_http_header_is_clean(request->headers.items[i])) {
            return lg_fail(
                reterr, LG_ERR_USAGE,
                "the header `%.*s` cannot be sent: its name is no word, or its value has "
                "control characters in it",
                LG_FMT(request->headers.items[i].name));
        }
    }
    return LG_OK;
}

// What is the same for every request.
static bool set_always(lg_outbound *out)
{
    CURL *easy = out->easy;
    const lg_client_options *options = &out->client->options;
    CURLcode bad = curl.easy_setopt(easy, CURLOPT_PRIVATE, out);
    bad |= curl.easy_setopt(easy, CURLOPT_ERRORBUFFER, out->error);
    bad |= curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    bad |= curl.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); // a cancel does not wait for names
    bad |= curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    bad |= curl.easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    bad |= curl.easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    bad |= curl.easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
    bad |= curl.easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    bad |= curl.easy_setopt(easy, CURLOPT_MAXAGE_CONN, (long)options->idle_age_s);
    bad |= curl.easy_setopt(easy, CURLOPT_PROXY, options->proxy ? options->proxy : "");
    if (options->ca_file) {
        bad |= curl.easy_setopt(easy, CURLOPT_CAINFO, options->ca_file);
    }
    bad |= curl.easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_attempt);
    bad |= curl.easy_setopt(easy, CURLOPT_PREREQDATA, out);
    bad |= curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    bad |= curl.easy_setopt(easy, CURLOPT_HEADERDATA, out);
    bad |= curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes);
    bad |= curl.easy_setopt(easy, CURLOPT_WRITEDATA, out);
    return bad == CURLE_OK;
}

static bool set_method(lg_outbound *out, lg_str method, lg_str body, lg_arena *scratch)
{
    CURL *easy = out->easy;
    bool post = out->posts;
    if (lg_str_eq(method, LG_STR("HEAD"))) {
        return curl.easy_setopt(easy, CURLOPT_NOBODY, 1L) == CURLE_OK;
    }
    CURLcode bad = CURLE_OK;
    if (post || body.len > 0) {
        bad |= curl.easy_setopt(easy, CURLOPT_POST, 1L);
        bad |= curl.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
        bad |= curl.easy_setopt(easy, CURLOPT_POSTFIELDS, body.len ? body.ptr : "");
    }
    if (!post && !lg_str_eq(method, LG_STR("GET"))) {
        lg_str name = lg_arena_str(scratch, method);
        bad |= name.ptr ? curl.easy_setopt(easy, CURLOPT_CUSTOMREQUEST, name.ptr)
                        : CURLE_OUT_OF_MEMORY;
    } else if (!post && body.len > 0) {
        bad |= curl.easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "GET");
    }
    return bad == CURLE_OK;
}

static bool set_up(lg_outbound *out, const lg_client_request *request, lg_arena *scratch)
{
    lg_str url = lg_arena_str(scratch, request->url);
    long connect_ms = request->connect_ms ? request->connect_ms : 10 * 1000;
    return url.ptr && (out->is_set || set_always(out)) &&
           add_headers(out, request->headers, scratch) &&
           set_method(out, request->method, request->body, scratch) &&
           curl.easy_setopt(out->easy, CURLOPT_URL, url.ptr) == CURLE_OK &&
           curl.easy_setopt(out->easy, CURLOPT_CONNECTTIMEOUT_MS, connect_ms) == CURLE_OK &&
           curl.easy_setopt(out->easy, CURLOPT_HTTPHEADER, out->headers) == CURLE_OK;
}

static void set_limits(lg_outbound *out, const lg_client_request *request)
{
    out->first_byte_ms = request->first_byte_ms ? request->first_byte_ms : 300 * 1000;
    out->idle_ms = request->idle_ms ? request->idle_ms : 120 * 1000;
    out->total_ms = request->total_ms ? request->total_ms : 60 * 60 * 1000;
    out->most_head_bytes = request->head_bytes ? request->head_bytes : (size_t)64 << 10;
    out->most_body_bytes = request->body_bytes ? request->body_bytes : (size_t)64 << 20;
}

static void keep_spare(lg_client *client, lg_outbound *out)
{
    client->easy_count += out->easy != NULL;
    out->next = client->spare;
    client->spare = out;
    client->spare_count++;
}

static void free_easy(lg_outbound *out)
{
    if (out->easy) {
        curl.easy_cleanup(out->easy);
        out->easy = NULL;
    }
}

static lg_outbound *take_spare(lg_client *client)
{
    lg_outbound *out = client->spare;
    if (out) {
        client->spare = out->next;
        client->spare_count--;
        client->easy_count -= out->easy != NULL;
        return out;
    }
    out = lg_zalloc(sizeof(*out));
    if (out) {
        lg_arena_init(&out->arena, 0);
        lg_buf_init(&out->bytes, 0);
    }
    return out;
}

// A handle of libcurl's is used again if the request before went well and was a POST, as nearly all are: then every option is
// what it was, or is set anew. Never after anything else, and never by a reset, which cannot say that it failed: what failed of
// it is a handle whose read buffer has no size.
static lg_outbound *new_outbound(lg_client *client, bool posts)
{
    lg_outbound *out = take_spare(client);
    if (!out) {
        return NULL;
    }
    if (!posts) {
        free_easy(out);
    }
    bool is_set = out->easy != NULL;
    CURL *easy = is_set ? out->easy : curl.easy_init();
    if (!easy) {
        keep_spare(client, out);
        return NULL;
    }
    lg_arena arena = out->arena;
    lg_buf bytes = out->bytes;
    *out = (lg_outbound){.client = client,
                         .easy = easy,
                         .is_set = is_set,
                         .posts = posts,
                         .arena = arena,
                         .bytes = bytes};
    out->deadline = (lg_timer){.fire = on_outbound_deadline, .data = out};
    out->next = client->all;
    if (out->next) {
        out->next->previous = out;
    }
    client->all = out;
    return out;
}

static void destroy(lg_outbound *out)
{
    free_easy(out);
    lg_arena_done(&out->arena);
    lg_buf_done(&out->bytes);
    lg_free(out);
}

// What libcurl was lent is the owner's again.
static void end_easy(lg_outbound *out)
{
    bool well = out->told && out->end.kind == LG_END_OK && out->posts;
    if (!well || out->client->easy_count >= KEEP_EASY ||
        curl.easy_setopt(out->easy, CURLOPT_HTTPHEADER, NULL) != CURLE_OK ||
        curl.easy_setopt(out->easy, CURLOPT_POSTFIELDS, NULL) != CURLE_OK) {
        free_easy(out);
    }
    curl.slist_free_all(out->headers);
    out->headers = NULL;
}

static void free_outbound(lg_outbound *out)
{
    lg_client *client = out->client;
    lg_timer_stop(client->loop, &out->deadline);
    if (out->previous) {
        out->previous->next = out->next;
    } else {
        client->all = out->next;
    }
    if (out->next) {
        out->next->previous = out->previous;
    }
    end_easy(out);
    bool large = out->bytes.cap > KEEP_BYTES || out->arena.held_bytes > KEEP_BYTES;
    if (large || client->spare_count >= KEEP_HANDLES) {
        destroy(out);
        return;
    }
    lg_arena_reset(&out->arena);
    lg_buf_clear(&out->bytes);
    keep_spare(client, out);
}

static bool set_multi(lg_client *client)
{
    const lg_client_options *options = &client->options;
    CURLM *multi = client->multi;
    return curl.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, want_socket) == CURLM_OK &&
           curl.multi_setopt(multi, CURLMOPT_SOCKETDATA, client) == CURLM_OK &&
           curl.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, want_timer) == CURLM_OK &&
           curl.multi_setopt(multi, CURLMOPT_TIMERDATA, client) == CURLM_OK &&
           curl.multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING) == CURLM_OK &&
           curl.multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)options->connections) ==
               CURLM_OK &&
           curl.multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS,
                             (long)options->connections_per_host) == CURLM_OK &&
           curl.multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)options->idle_connections) ==
               CURLM_OK;
}

static bool open_multi(lg_client *client)
{
    client->multi = curl.multi_init();
    if (client->multi && !set_multi(client)) {
        curl.multi_cleanup(client->multi);
        client->multi = NULL;
    }
    return client->multi != NULL;
}

static lg_status begin(lg_client *client, const lg_client_request *request,
                       const lg_outbound_events *events, lg_outbound **ret_outbound)
{
    bool posts = lg_str_eq(request->method, LG_STR("POST"));
    lg_outbound *out = client->multi || open_multi(client) ? new_outbound(client, posts) : NULL;
    if (!out) {
        return LG_ERR_OOM;
    }
    out->events = *events;
    out->over = true; // libcurl has not got it yet
    set_limits(out, request);
    lg_arena scratch;
    lg_arena_init(&scratch, 0);
    bool ok = set_up(out, request, &scratch);
    lg_arena_done(&scratch);
    out->begun_ns = out->heard_ns = lg_monotonic_ns();
    if (!ok || curl.multi_add_handle(client->multi, out->easy) != CURLM_OK) {
        free_outbound(out);
        return LG_ERR_OOM;
    }
    out->over = false;
    lg_timer_set(client->loop, &out->deadline, next_deadline_ns(out));
    *ret_outbound = out;
    return LG_OK;
}

lg_status lg_client_send(lg_client *client, const lg_client_request *request,
                         const lg_outbound_events *events, lg_outbound **ret_outbound,
                         lg_error *reterr)
{
    lg_status status = check_request(request, reterr);
    if (status == LG_OK && begin(client, request, events, ret_outbound) != LG_OK) {
        status = lg_fail_oom(reterr);
    }
    return status;
}

void lg_outbound_pause(lg_outbound *out)
{
    out->paused = true;
}

void lg_outbound_resume(lg_outbound *out)
{
    if (!out->paused) {
        return;
    }
    out->paused = false;
    out->heard_ns = lg_monotonic_ns();
    if (!out->over) {
        lg_timer_set(out->client->loop, &out->deadline, next_deadline_ns(out));
    }
    if (out->stopped && !out->over) {
        out->stopped = false;
        curl.easy_pause(out->easy, CURLPAUSE_CONT);
    }
    make_ready(out);
}

void lg_outbound_cancel(lg_outbound *out)
{
    LG_ASSERT(!out->told);
    let_go(out);
    out->cancelled = true;
    make_ready(out); // whoever is telling it something now frees it afterwards
}

// --- the client ---

static lg_status copy_options(lg_client *client, const lg_client_options *options)
{
    lg_client_options *all = &client->options;
    *all = *options;
    all->connections = all->connections ? all->connections : 1024;
    all->connections_per_host = all->connections_per_host ? all->connections_per_host : 512;
    all->idle_connections = all->idle_connections ? all->idle_connections : 256;
    all->idle_age_s = all->idle_age_s ? all->idle_age_s : 60;
    all->ca_file =
        options->ca_file ? lg_arena_str(&client->arena, lg_str_c(options->ca_file)).ptr : NULL;
    all->proxy = options->proxy ? lg_arena_str(&client->arena, lg_str_c(options->proxy)).ptr : NULL;
    bool ok = (all->ca_file || !options->ca_file) && (all->proxy || !options->proxy);
    return ok ? LG_OK : LG_ERR_OOM;
}

lg_status lg_client_new(lg_loop *loop, const lg_client_options *options, lg_client **ret_client,
                        lg_error *reterr)
{
    lg_status status = lg_net_load(reterr);
    if (status != LG_OK) {
        return status;
    }
    lg_client *client = lg_zalloc(sizeof(*client));
    if (!client) {
        return lg_fail_oom(reterr);
    }
    client->loop = loop;
    client->ready_end = &client->ready;
    client->timer = (lg_timer){.fire = on_timer, .data = client};
    client->deliver = (lg_task){.run = deliver_all, .data = client};
    lg_arena_init(&client->arena, 0);
    if (copy_options(client, options) != LG_OK || !open_multi(client)) {
        lg_client_free(client);
        return lg_fail_oom(reterr);
    }
    *ret_client = client;
    return LG_OK;
}

void lg_client_free(lg_client *client)
{
    if (!client) {
        return;
    }
    while (client->all) {
        let_go(client->all);
        free_outbound(client->all);
    }
    while (client->spare) {
        lg_outbound *out = client->spare;
        client->spare = out->next;
        destroy(out);
    }
    if (client->multi) {
        curl.multi_cleanup(client->multi);
    }
    lg_timer_stop(client->loop, &client->timer);
    lg_loop_forget(client->loop, &client->deliver);
    lg_arena_done(&client->arena);
    lg_free(client);
}
