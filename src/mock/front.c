// front.c: a request on its way: who may ask, which face it is for, who does the work, and when the answer goes out.
//
// Where nothing waits an exchange lives in the memory of its request. Where a worker may have it, it lives on its own, so
// that a client may leave in the meantime.
#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "mock/mock_internal.h"

// --- Who may ask --------------------------------------------------------------------------------

static lg_str without_port(lg_str host)
{
    size_t end = host.len;
    while (end && lg_is_digit(host.ptr[end - 1])) {
        end--;
    }
    bool port = end && end < host.len && host.ptr[end - 1] == ':';
    return lg_str_slice(host, 0, port ? end - 1 : host.len);
}

// A name of this machine: what a page in a browser cannot make its own name mean.
static bool is_local(lg_str host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    lg_str name = without_port(host);
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        if (lg_str_eq_any_case(name, lg_str_c(names[i]))) {
            return true;
        }
    }
    return false;
}

// A page may ask the server that it came from.
static bool is_own_origin(lg_str origin, lg_str host)
{
    lg_str scheme = LG_STR("http://");
    return lg_str_starts(origin, scheme) &&
           lg_str_eq_any_case(lg_str_slice(origin, scheme.len, origin.len), host);
}

static bool has_token(const mock_exchange *x)
{
    lg_str hash = x->mock->options.token_hash;
    lg_str shown = lg_http_header_value(x->request.headers, LG_STR("authorization"));
    lg_str scheme = lg_str_slice(shown, 0, 7);
    char hex[65];
    if (!lg_str_eq_any_case(scheme, LG_STR("bearer "))) {
        return false;
    }
    lg_sha256_hex(lg_str_trim(lg_str_slice(shown, 7, shown.len)), hex);
    return lg_str_eq(lg_str_slice(hash, 7, hash.len), lg_str_c(hex)); // hashes tell nothing by time
}

// The page itself tells nothing: a browser cannot show a token before it has the page that asks for it.
static bool is_of_page(const mock_exchange *x)
{
    lg_str path = x->request.path;
    return lg_str_eq(path, LG_STR("/ui")) || lg_str_starts(path, LG_STR("/ui/"));
}

static bool may_come(mock_exchange *x)
{
    const lg_mock_options *o = &x->mock->options;
    lg_str host = lg_http_header_value(x->request.headers, LG_STR("host"));
    lg_str origin = lg_http_header_value(x->request.headers, LG_STR("origin"));
    if (!o->allow_remote && host.ptr && !is_local(host)) {
        host = lg_str_cut(host, 80);
        mock_fail(x, 403, "host", "the simulator is not called `%.*s`", LG_FMT(host));
        return false;
    }
    if (origin.ptr && !is_own_origin(origin, host)) {
        mock_fail(x, 403, "origin", "pages of another origin may not ask");
        return false;
    }
    if (o->token_hash.len && !is_of_page(x) && !has_token(x)) {
        mock_fail(x, 401, "token", "show the token: Authorization: Bearer TOKEN");
        mock_header(x, LG_STR("www-authenticate"), LG_STR("Bearer"));
        return false;
    }
    return true;
}

// --- Which face ---------------------------------------------------------------------------------

// Into decoded segments; an empty one at the end is kept. False after answering.
static bool split(mock_exchange *x, lg_str path)
{
    x->segment_count = 0;
    while (path.len) {
        size_t end = lg_str_find(lg_str_slice(path, 1, path.len), LG_STR("/"));
        lg_str raw = lg_str_slice(path, 1, end == SIZE_MAX ? path.len : end + 1);
        lg_str segment = mock_decode(x->arena, raw);
        if (x->segment_count == MOCK_SEGMENTS_MAX) {
            mock_fail(x, 404, "unknown_path", "there is no such path");
            return false;
        }
        if (!segment.ptr) {
            mock_fail_oom(x);
            return false;
        }
        x->segments[x->segment_count++] = segment;
        path = end == SIZE_MAX ? LG_STR("") : lg_str_slice(path, end + 1, path.len);
    }
    return true;
}

static void health(mock_exchange *x)
{
    if (!mock_takes(x, "GET, HEAD")) {
        return;
    }
    lg_json_writer w = mock_begin(x, 200);
    lg_jw_begin_object(&w);
    lg_jw_member_c(&w, "status", "ok");
    lg_jw_member_uint(&w, "sessions", x->mock->sessions.count);
    lg_jw_member_uint(&w, "held_bytes", x->mock->sessions.held_bytes);
    lg_jw_end_object(&w);
}

typedef struct face {
    const char *name; // the first segment
    void (*answer)(mock_exchange *x);
} face;

static const face faces[] = {
    {"sessions", mock_plain}, {"tools", mock_tools},
    {"mcp", mock_mcp_face},   {"openapi.json", mock_describe},
    {"healthz", health},      {"ui", mock_page},
    {"v1", mock_chat},
};

static void own_paths(mock_exchange *x)
{
    for (size_t i = 0; i < LG_COUNT(faces); i++) {
        if (lg_str_eq(x->segments[0], lg_str_c(faces[i].name))) {
            faces[i].answer(x);
            return;
        }
    }
    lg_str near = mock_rest_nearest(x->mock, x->request.path);
    mock_fail(x, 404, "unknown_path",
              "there is no such path%s%.*s; here are /sessions, /tools, /mcp, /v1, /openapi.json, "
              "/healthz and /ui/",
              near.len ? "; the document has " : "", LG_FMT(lg_str_cut(near, 200)));
}

static void route(mock_exchange *x)
{
    lg_str path = x->request.path;
    lg_str own = LG_STR("/_sim/");
    if (!may_come(x)) {
        return;
    }
    if (!lg_str_starts(path, LG_STR("/"))) {
        mock_fail(x, 404, "unknown_path", "there is no such path");
        return;
    }
    bool always = lg_str_starts(path, own);
    bool page = is_of_page(x) && x->mock->options.token_hash.len && !has_token(x);
    if (!always && !page && x->mock->rest && mock_rest(x)) {
        return; // the document's paths come first
    }
    if (split(x, always ? lg_str_slice(path, own.len - 1, path.len) : path)) {
        own_paths(x);
    }
}

// --- The answer ---------------------------------------------------------------------------------

static void unlink_own(mock_exchange *x)
{
    *(x->previous ? &x->previous->next : &x->mock->own) = x->next;
    if (x->next) {
        x->next->previous = x->previous;
    }
}

void mock_front_drop(mock_exchange *x)
{
    unlink_own(x);
    lg_buf_done(&x->own_body);
    lg_buf_done(&x->own_out);
    lg_arena_done(&x->own_arena);
    lg_free(x);
}

// Nobody needs it any more.
static void end(mock_exchange *x)
{
    if (x->is_own) {
        mock_front_drop(x);
    } else if (x->out == &x->own_out) { // the rest is the request's
        lg_buf_done(&x->own_out);
    }
}

static void send(mock_exchange *x)
{
    lg_inbound *in = x->in;
    if (in) {
        lg_inbound_listen(in, (lg_inbound_events){.data = NULL});
        if (x->cut) {
            lg_inbound_cut(in);
        } else if (lg_buf_status(x->out) != LG_OK) {
            lg_inbound_reply(in, 503, (lg_http_headers){0}, LG_STR(""));
        } else {
            lg_inbound_reply(in, x->status, (lg_http_headers){x->headers, x->header_count},
                             lg_buf_str(x->out));
        }
    }
    end(x);
}

static void on_delayed(void *data)
{
    ((mock_exchange *)data)->mock->delayed--;
    send(data);
}

// The client has left, or the server ends.
static void on_done(void *data, lg_done how)
{
    mock_exchange *x = data;
    (void)how;
    x->in = NULL;
    if (x->timer.at_ns) {
        lg_timer_stop(x->mock->loop, &x->timer);
        x->mock->delayed--;
        end(x);
    }
}

// The answer stands; it goes out now, or after its latency.
static void finish(mock_exchange *x)
{
    if (!x->delay_ms || !x->in) {
        send(x);
        return;
    }
    if (!x->is_own) { // the common buffer is for the next request
        lg_buf_init(&x->own_out, 0);
        lg_buf_add(&x->own_out, lg_buf_str(x->out));
        x->own_out.status = x->own_out.status == LG_OK ? x->out->status : x->own_out.status;
        x->out = &x->own_out;
    }
    lg_loop *loop = x->mock->loop;
    lg_inbound_listen(x->in, (lg_inbound_events){.data = x, .done = on_done});
    x->mock->delayed++;
    x->timer = (lg_timer){.fire = on_delayed, .data = x};
    lg_timer_set(loop, &x->timer, lg_loop_now_ns(loop) + (int64_t)x->delay_ms * LG_NS_PER_MS);
}

static void after_work(mock_exchange *x)
{
    if (x->session) {
        mock_sessions_weigh(x->mock, x->session);
    }
}

// A worker has done it.
static void on_told(void *data)
{
    mock_exchange *x = data;
    if (x->session) {
        x->session->family->busy = false;
    }
    after_work(x);
    finish(x);
}

// --- A request ----------------------------------------------------------------------------------

static lg_mock_request request_of(const lg_http_request *r)
{
    return (lg_mock_request){.method = r->method,
                             .path = r->path,
                             .query = r->query,
                             .headers = r->headers,
                             .body = r->body};
}

static bool copy_request(mock_exchange *x, const lg_http_request *r)
{
    lg_http_header *headers = LG_NEW_ARRAY(x->arena, lg_http_header, r->headers.count + 1);
    lg_str method = lg_arena_str(x->arena, r->method);
    lg_str path = lg_arena_str(x->arena, r->path);
    lg_str query = r->query.ptr ? lg_arena_str(x->arena, r->query) : r->query;
    bool fine = headers && method.ptr && path.ptr && (query.ptr || !r->query.ptr);
    for (size_t i = 0; fine && i < r->headers.count; i++) {
        headers[i].name = lg_arena_str(x->arena, r->headers.items[i].name);
        headers[i].value = lg_arena_str(x->arena, r->headers.items[i].value);
        fine = headers[i].name.ptr && headers[i].value.ptr;
    }
    x->request = (lg_mock_request){
        .method = method, .path = path, .query = query, .headers = {headers, r->headers.count}};
    return fine;
}

// On its own memory, which outlives the client.
static mock_exchange *own_exchange(lg_mock *mock, lg_inbound *in)
{
    mock_exchange *x = lg_zalloc(sizeof(*x));
    if (!x) {
        return NULL;
    }
    *x = (mock_exchange){.mock = mock, .in = in, .is_own = true, .next = mock->own};
    if (x->next) {
        x->next->previous = x;
    }
    mock->own = x;
    lg_arena_init(&x->own_arena, 0);
    lg_buf_init(&x->own_body, 0);
    lg_buf_init(&x->own_out, 0);
    x->arena = &x->own_arena;
    x->out = &x->own_out;
    x->told = (lg_task){.run = on_told, .data = x};
    if (!copy_request(x, lg_inbound_request(in))) {
        mock_front_drop(x);
        return NULL;
    }
    lg_inbound_take_body(in, &x->own_body);
    x->request.body = lg_buf_str(&x->own_body);
    lg_inbound_listen(in, (lg_inbound_events){.data = x, .done = on_done});
    return x;
}

static mock_exchange *light_exchange(lg_mock *mock, lg_inbound *in)
{
    mock_exchange *x = LG_NEW(lg_inbound_arena(in), mock_exchange);
    if (x) {
        x->mock = mock;
        x->in = in;
        x->arena = lg_inbound_arena(in);
        x->out = &mock->out;
        x->request = request_of(lg_inbound_request(in));
    }
    return x;
}

void mock_front_request(void *data, lg_inbound *in)
{
    lg_mock *mock = data;
    mock_exchange *x = mock->may_wait ? own_exchange(mock, in) : light_exchange(mock, in);
    if (!x) {
        lg_inbound_reply(in, 503, (lg_http_headers){0}, LG_STR(""));
        return;
    }
    route(x);
    if (x->work && mock->may_wait && !x->at_once) {
        bool *busy = x->session ? &x->session->family->busy : NULL;
        if (busy) {
            *busy = true; // before a worker may be done with it
        }
        if (mock_workers_give(x)) {
            return;
        }
        if (busy) {
            *busy = false;
        }
        mock_fail(x, 503, "limit", "%u calls wait for a worker already: come back later",
                  MOCK_QUEUE_MAX);
    } else if (x->work) {
        x->work(x, &mock->workers[0]);
        after_work(x);
    }
    finish(x);
}

void mock_front_refuse(void *data, lg_inbound *in, unsigned status, lg_str why)
{
    lg_mock *mock = data;
    mock_exchange *x = light_exchange(mock, in);
    if (x) {
        mock_fail(x, status, "request", "%.*s", LG_FMT(why));
        lg_inbound_reply(in, status, (lg_http_headers){x->headers, x->header_count},
                         lg_buf_str(x->out));
    }
}

// --- Without sockets ----------------------------------------------------------------------------

lg_status lg_mock_answer(lg_mock *mock, const lg_mock_request *request, lg_arena *arena,
                         lg_mock_response *ret)
{
    LG_ASSERT(!mock->server);
    mock_exchange *x = LG_NEW(arena, mock_exchange);
    if (!x) {
        return LG_ERR_OOM;
    }
    *x = (mock_exchange){.mock = mock, .arena = arena, .out = &mock->out, .request = *request};
    route(x);
    if (x->work) {
        x->work(x, &mock->workers[0]);
        after_work(x);
    }
    *ret = (lg_mock_response){.status = x->cut ? 0 : x->status,
                              .header_count = x->header_count,
                              .body = lg_arena_str(arena, lg_buf_str(x->out)),
                              .delay_ms = x->delay_ms};
    for (size_t i = 0; i < x->header_count; i++) {
        ret->headers[i] = x->headers[i];
    }
    return ret->body.ptr && lg_buf_status(x->out) == LG_OK ? LG_OK : LG_ERR_OOM;
}
