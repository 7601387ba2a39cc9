// test_relay.c: server and client in one loop, as a gate uses them: whole and streamed, TLS, hangups on both sides,
// and every allocation failing once, ours and libcurl's.
#include "base/alloc.h"
#include "base/str.h"
#include "net/library.h"
#include "net_house.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

// --- a relay: what is asked of it, it asks the upstream in the same house ---

typedef struct passing {
    lg_inbound *in;
    lg_outbound *out;
    bool begun;
} passing;

typedef struct relay {
    house h;
    lg_server *upstream; // a second server on the same loop
    uint16_t upstream_port;
    bool tls;
    uint32_t first_byte_ms;
    flag asked, cancelled, upstream_gone;
} relay;

static void relay_head(void *data, unsigned status, lg_http_headers headers)
{
    passing *p = data;
    p->begun = true;
    lg_inbound_begin(p->in, status, headers);
}

static void relay_bytes(void *data, lg_str bytes)
{
    passing *p = data;
    if (lg_inbound_write(p->in, bytes) == LG_OK && lg_inbound_is_full(p->in)) {
        lg_outbound_pause(p->out);
    }
}

static void relay_end(void *data, const lg_outbound_end *end)
{
    passing *p = data;
    p->out = NULL;
    if (end->kind == LG_END_OK) {
        lg_inbound_end(p->in);
    } else if (p->begun) {
        lg_inbound_cut(p->in);
    } else {
        lg_inbound_reply(p->in, 502, (lg_http_headers){0}, end->what);
    }
}

static void relay_writable(void *data)
{
    passing *p = data;
    if (p->out) {
        lg_outbound_resume(p->out);
    }
}

static void relay_done(void *data, lg_done how)
{
    passing *p = data;
    (void)how;
    if (p->out) {
        lg_outbound_cancel(p->out);
    }
}

static void relay_request(void *data, lg_inbound *in)
{
    relay *r = data;
    const lg_http_request *request = lg_inbound_request(in);
    lg_arena *arena = lg_inbound_arena(in);
    passing *p = LG_NEW(arena, passing);
    lg_str url = lg_arena_printf(arena, "http%s://127.0.0.1:%u%.*s", r->tls ? "s" : "",
                                 r->upstream_port, LG_FMT(request->path));
    if (!p || !url.ptr) {
        lg_inbound_cut(in);
        return;
    }
    p->in = in;
    lg_inbound_listen(
        in, (lg_inbound_events){.data = p, .writable = relay_writable, .done = relay_done});
    lg_client_request forward = {.method = request->method,
                                 .url = url,
                                 .headers = request->headers,
                                 .body = request->body,
                                 .first_byte_ms = r->first_byte_ms};
    lg_outbound_events events = {p, relay_head, relay_bytes, relay_end};
    lg_error error;
    if (lg_client_send(r->h.client, &forward, &events, &p->out, &error) != LG_OK) {
        lg_inbound_reply(in, 500, (lg_http_headers){0}, LG_STR("not asked"));
    }
}

// --- the upstream ---

typedef struct answering {
    relay *r;
    lg_inbound *in;
    size_t left_bytes;
} answering;

static void upstream_fill(void *data)
{
    answering *a = data;
    static const char piece[1000];
    while (a->left_bytes > 0 && !lg_inbound_is_full(a->in)) {
        size_t size = a->left_bytes < sizeof(piece) ? a->left_bytes : sizeof(piece);
        if (lg_inbound_write(a->in, (lg_str){piece, size}) != LG_OK) {
            return;
        }
        a->left_bytes -= size;
    }
    if (a->left_bytes == 0) {
        lg_inbound_end(a->in);
    }
}

static void upstream_done(void *data, lg_done how)
{
    answering *a = data;
    if (how == LG_DONE_GONE) {
        flag_add(&a->r->upstream_gone, 1);
    }
}

static void upstream_request(void *data, lg_inbound *in)
{
    relay *r = data;
    const lg_http_request *request = lg_inbound_request(in);
    answering *a = LG_NEW(lg_inbound_arena(in), answering);
    if (!a) {
        lg_inbound_cut(in);
        return;
    }
    *a = (answering){.r = r, .in = in};
    lg_inbound_listen(
        in, (lg_inbound_events){.data = a, .writable = upstream_fill, .done = upstream_done});
    flag_add(&r->asked, 1);
    switch (request->path.ptr[1]) {
    case 's':
        a->left_bytes = 5000000;
        lg_inbound_begin(in, 200, (lg_http_headers){0});
        upstream_fill(a);
        break;
    case 'n': // never
        break;
    case 'h': // half
        lg_inbound_begin(in, 200, (lg_http_headers){0});
        (void)!lg_inbound_write(in, LG_STR("half"));
        lg_inbound_cut(in);
        break;
    default:
        lg_inbound_reply(in, 201, request->headers, request->body);
    }
}

// --- files with a certificate for this machine, good until 2126 ---

static const char key_pem[] = "-----BEGIN PRIVATE KEY-----\n"
                              "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgHnDqlVOTx0c4Hp2a\n"
                              "1G4j/BMNCIB9R8CEeCjMtNzwAgmhRANCAAQXu1wzjZHMQYRTKVED3uJQvnJyVklf\n"
                              "p6EGQye6N9Sa/9bjNxgdw4qh6bhQs4a4Ro2t2jaiep1ll3qRj/fF1f8S\n"
                              "-----END PRIVATE KEY-----\n";

static const char cert_pem[] = "-----BEGIN CERTIFICATE-----\n"
                               "MIIBmjCCAUGgAwIBAgIUdp9A7dPv04Vl60OPQ0c52BcrsYYwCgYIKoZIzj0EAwIw\n"
                               "FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzAyMjI1MFoYDzIxMjYxMDMw\n"
                               "MDIyMjUwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO\n"
                               "PQMBBwNCAAQXu1wzjZHMQYRTKVED3uJQvnJyVklfp6EGQye6N9Sa/9bjNxgdw4qh\n"
                               "6bhQs4a4Ro2t2jaiep1ll3qRj/fF1f8So28wbTAdBgNVHQ4EFgQUdRQoAjso3oO8\n"
                               "Gk++Tbs9R/gDj7owHwYDVR0jBBgwFoAUdRQoAjso3oO8Gk++Tbs9R/gDj7owDwYD\n"
                               "VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI\n"
                               "zj0EAwIDRwAwRAIgSrXR+xtHMbipxPFzjMJtbmNeJM4QgXRg6JW8eP2UzzECIAdd\n"
                               "bTyLMhdw95Q2I/dMRHYhZz6MMwEjB9PlqjLOAw4S\n"
                               "-----END CERTIFICATE-----\n";

static void write_file(char *path, const char *text)
{
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static char key_file[] = "/tmp/ledgergate-key-XXXXXX", cert_file[] = "/tmp/ledgergate-cert-XXXXXX";

static void relay_begin(relay *r, bool tls)
{
    lg_error error = {0};
    static const flag none = FLAG_INIT;
    *r = (relay){.tls = tls, .asked = none, .cancelled = none, .upstream_gone = none};
    lg_server_options front = {.listen = LG_STR("127.0.0.1:0"),
                               .handler = {r, relay_request, NULL}};
    lg_server_options back = {.listen = LG_STR("127.0.0.1:0"),
                              .handler = {r, upstream_request, NULL}};
    lg_client_options client = {.ca_file = tls ? cert_file : NULL};
    if (tls) {
        back.tls_cert_file = cert_file;
        back.tls_key_file = key_file;
    }
    bool ok = lg_loop_new(&r->h.loop, &error) == LG_OK &&
              lg_client_new(r->h.loop, &client, &r->h.client, &error) == LG_OK &&
              lg_server_new(r->h.loop, &back, &r->upstream, &error) == LG_OK &&
              lg_server_new(r->h.loop, &front, &r->h.server, &error) == LG_OK;
    if (!CHECK_MSG(ok, error.msg)) {
        exit(1);
    }
    r->upstream_port = lg_server_port(r->upstream);
    r->h.port = lg_server_port(r->h.server);
    CHECK(pthread_create(&r->h.thread, NULL, house_run, &r->h) == 0);
}

static void relay_stop(relay *r)
{
    lg_loop_stop(r->h.loop);
    pthread_join(r->h.thread, NULL);
    lg_server_free(r->upstream);
    lg_loop_free(r->h.loop);
}

#define HEAD " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"

// Reads to the end, and counts.
static size_t count_bytes(int fd, bool *ret_whole)
{
    static char room[1 << 16];
    char last[5] = "";
    size_t total = 0;
    ssize_t got;
    while ((got = recv(fd, room, sizeof(room), 0)) > 0) {
        total += (size_t)got;
        if (got >= 4) {
            memcpy(last, room + got - 4, 4);
        }
    }
    *ret_whole = memcmp(last, "\r\n\r\n", 4) == 0;
    return total;
}

static void relays(bool tls)
{
    relay r;
    static raw_text text;
    relay_begin(&r, tls);
    raw_ask(r.h.port, "POST /echo" HEAD "X-Some: thing\r\nContent-Length: 5\r\n\r\nhello", &text);
    CHECK(raw_has(&text, "HTTP/1.1 201 ") && raw_has(&text, "X-Some: thing") &&
          raw_has(&text, "hello"));
    int fd = raw_connect_small(r.h.port, 4096);
    bool whole = false;
    raw_say(fd, "GET /stream" HEAD "\r\n");
    CHECK(count_bytes(fd, &whole) > 5000000 && whole);
    close(fd);
    raw_ask(r.h.port, "GET /half" HEAD "\r\n", &text);
    CHECK(!raw_has(&text, "\r\n0\r\n") && text.ended);
    fd = raw_connect(r.h.port);
    raw_say(fd, "GET /never" HEAD "\r\n");
    CHECK(flag_wait(&r.asked, 4));
    close(fd); // and so the upstream is hung up, too
    CHECK(flag_wait(&r.upstream_gone, 1));
    relay_stop(&r);
}

static void relays_in_plain(void)
{
    relays(false);
}

static void relays_with_tls(void)
{
    relays(true);
}

// Each allocation of ours on the loop's thread fails once: the client gets a whole answer, an error, or an end.
static void fail_at(void *data)
{
    lg_alloc_fail_at(*(const uint64_t *)data);
}

static void memory_runs_out_anywhere(void)
{
    relay r;
    static raw_text text;
    relay_begin(&r, false);
    size_t whole = 0, broken = 0;
    for (uint64_t n = 1; n <= 40; n++) {
        house_call(&r.h, fail_at, &n);
        raw_ask(r.h.port, "POST /echo" HEAD "Content-Length: 5\r\n\r\nhello", &text);
        bool is_whole = raw_has(&text, " 201 ") && raw_has(&text, "hello") && text.ended;
        whole += is_whole;
        broken += !is_whole && text.ended;
        CHECK(text.ended);
        CHECK(is_whole || !raw_has(&text, " 201 ") || !raw_has(&text, "\r\n0\r\n\r\n"));
        uint64_t never = 0;
        house_call(&r.h, fail_at, &never);
        raw_ask(r.h.port, "POST /echo" HEAD "Content-Length: 5\r\n\r\nhello", &text);
        CHECK(raw_has(&text, " 201 ") && raw_has(&text, "hello")); // and it goes on
    }
    CHECK(whole > 0 && broken > 0);
    relay_stop(&r);
}

// libcurl's own allocations. One that failed while nobody was told of it may not harm what is asked later.
static _Atomic long curl_fails_in; // the n-th from now on; 0 and below: none

static bool curl_fails(void)
{
    return atomic_fetch_sub(&curl_fails_in, 1) == 1;
}

static void *curl_malloc(size_t size)
{
    return curl_fails() ? NULL : malloc(size);
}

static void *curl_realloc(void *old, size_t size)
{
    return curl_fails() ? NULL : realloc(old, size);
}

static void *curl_calloc(size_t count, size_t size)
{
    return curl_fails() ? NULL : calloc(count, size);
}

static char *curl_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = curl_fails() ? NULL : malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

// Before anybody else begins with it: its allocators are those of the first who does.
static bool watch_curl(void)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, "curl_global_init_mem") : NULL;
    __typeof__(&curl_global_init_mem) begin = NULL;
    memcpy(&begin, &address, sizeof(begin));
    return begin && begin(CURL_GLOBAL_DEFAULT, curl_malloc, free, curl_realloc, curl_strdup,
                          curl_calloc) == CURLE_OK;
}

// `fresh`: no handle of libcurl's is there that has been through a request; nothing but a POST leaves one.
static bool ask_starved(relay *r, long n, bool fresh)
{
    static raw_text text;
    if (fresh) {
        raw_ask(r->h.port, "GET /echo" HEAD "\r\n", &text);
        CHECK(raw_has(&text, " 201 "));
    }
    atomic_store(&curl_fails_in, n);
    raw_ask(r->h.port, "POST /echo" HEAD "Content-Length: 5\r\n\r\nhello", &text);
    bool is_whole = raw_has(&text, " 201 ") && raw_has(&text, "hello") && text.ended;
    CHECK(text.ended);
    uint64_t never = 0;
    house_call(&r->h, fail_at, &never); // the loop has done with it
    atomic_store(&curl_fails_in, 0);
    raw_ask(r->h.port, "POST /echo" HEAD "Content-Length: 5\r\n\r\nhello", &text);
    CHECK(raw_has(&text, " 201 ") && raw_has(&text, "hello")); // and it goes on
    return is_whole;
}

static void libcurl_runs_out_of_memory_anywhere(void)
{
    relay r;
    relay_begin(&r, false);
    r.first_byte_ms = 1000; // libcurl may forget what it could not begin to watch
    for (int fresh = 0; fresh < 2; fresh++) {
        size_t whole = 0, broken = 0;
        for (long n = 1; n <= 80; n++) {
            bool is_whole = ask_starved(&r, n, fresh);
            whole += is_whole;
            broken += !is_whole;
        }
        CHECK(whole > 0 && broken > 0);
    }
    relay_stop(&r);
}

// --- what cannot be served ---

static void where_one_cannot_listen_it_says_why(void)
{
    lg_loop *loop;
    lg_server *server = NULL, *other;
    lg_error error;
    CHECK(lg_loop_new(&loop, NULL) == LG_OK);
    lg_server_options options = {.listen = LG_STR("127.0.0.1:0"), .handler = {NULL, NULL, NULL}};
    CHECK(lg_server_new(loop, &options, &server, &error) == LG_OK);
    char address[64];
    int len = snprintf(address, sizeof(address), "localhost:%u", lg_server_port(server));
    options.listen = (lg_str){address, (size_t)len};
    CHECK(lg_server_new(loop, &options, &other, &error) == LG_ERR_ENVIRONMENT);
    CHECK(strstr(error.msg, "something listens there already") != NULL);
    options.joins = true;
    CHECK(lg_server_new(loop, &options, &other, &error) == LG_OK);
    CHECK(lg_server_port(other) == lg_server_port(server));
    lg_server_free(other);
    const char *const wrong[] = {
        "",     "8080",         "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000",
        "x:80", "127.0.0.1:8a", "[::1:80",   "::1:80",     "[]:80"};
    for (size_t i = 0; i < LG_COUNT(wrong); i++) {
        options.listen = (lg_str){wrong[i], strlen(wrong[i])};
        CHECK_MSG(lg_server_new(loop, &options, &other, &error) == LG_ERR_USAGE, wrong[i]);
        CHECK(strstr(error.msg, "is no address to listen on") != NULL);
    }
    options = (lg_server_options){.listen = LG_STR("[::1]:0")};
    if (lg_server_new(loop, &options, &other, &error) == LG_OK) { // where the machine has IPv6
        lg_server_free(other);
    } else {
        CHECK(error.status == LG_ERR_ENVIRONMENT);
    }
    options = (lg_server_options){.listen = LG_STR("127.0.0.1:0"), .tls_cert_file = cert_file};
    CHECK(lg_server_new(loop, &options, &other, &error) == LG_ERR_USAGE);
    options.tls_key_file = cert_file; // a certificate is no key
    CHECK(lg_server_new(loop, &options, &other, &error) == LG_ERR_USAGE);
    options.tls_key_file = "/nonexistent/key.pem";
    CHECK(lg_server_new(loop, &options, &other, &error) == LG_ERR_IO);
    lg_server_free(server);
    lg_loop_free(loop);
}

int main(void)
{
    CHECK(watch_curl());
    write_file(key_file, key_pem);
    write_file(cert_file, cert_pem);
    RUN(relays_in_plain);
    RUN(relays_with_tls);
    RUN(memory_runs_out_anywhere);
    RUN(libcurl_runs_out_of_memory_anywhere);
    RUN(where_one_cannot_listen_it_says_why);
    unlink(key_file);
    unlink(cert_file);
    return lg_test_done();
}
