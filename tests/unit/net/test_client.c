// test_client.c: what is sent, how often, and what is told of what comes, beside upstreams that misbehave.
#include "base/str.h"
#include "net_house.h"

// --- an upstream in a thread: a script for each connection that it accepts ---

typedef struct upstream {
    int listening;
    uint16_t port;
    pthread_t thread;
    void (*serve)(int fd, int number); // of a connection, from 0
    int connections;                   // to serve
} upstream;

static void *upstream_run(void *data)
{
    upstream *up = data;
    for (int i = 0; i < up->connections; i++) {
        int fd = raw_accept(up->listening);
        if (fd < 0) {
            break;
        }
        up->serve(fd, i);
    }
    return NULL;
}

static void upstream_begin(upstream *up, void (*serve)(int fd, int number), int connections)
{
    up->serve = serve;
    up->connections = connections;
    up->listening = raw_listen(&up->port);
    pthread_create(&up->thread, NULL, upstream_run, up);
}

static void upstream_end(upstream *up)
{
    shutdown(up->listening, SHUT_RDWR); // wakes an accept that would wait
    pthread_join(up->thread, NULL);
    close(up->listening);
}

// Reads one request: its head and as many bytes as Content-Length says.
static bool read_request(int fd, raw_text *text)
{
    text->len = 0;
    text->bytes[0] = 0;
    if (!raw_read_until(fd, text, "\r\n\r\n")) {
        return false;
    }
    const char *length = strstr(text->bytes, "Content-Length: ");
    size_t want = (size_t)(strstr(text->bytes, "\r\n\r\n") + 4 - text->bytes) +
                  (length ? strtoul(length + 16, NULL, 10) : 0);
    while (text->len < want) {
        ssize_t got = recv(fd, text->bytes + text->len, want - text->len, 0);
        if (got <= 0) {
            return false;
        }
        text->len += (size_t)got;
        text->bytes[text->len] = 0;
    }
    return true;
}

static void reset(int fd)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close(fd);
}

// --- one request, and what is told of it ---

typedef struct asking {
    lg_client *client;
    lg_client_request request;
    lg_status begun;
    lg_error error;
    lg_outbound *out;
    bool cancel_at_head, cancel_at_bytes, pause_at_bytes;

    char order[64]; // "hbbe"
    size_t order_len;
    unsigned status;
    char headers[4096];
    size_t headers_len;
    char body[1 << 20];
    size_t body_len;
    lg_outbound_end end;
    char what[256];
    flag ended, paused;
} asking;

static void note(asking *a, char what)
{
    bool again = a->order_len > 0 && a->order[a->order_len - 1] == what;
    if (!again && a->order_len + 1 < sizeof(a->order)) {
        a->order[a->order_len++] = what;
        a->order[a->order_len] = 0;
    }
}

static void on_head(void *data, unsigned status, lg_http_headers headers)
{
    asking *a = data;
    note(a, 'h');
    a->status = status;
    for (size_t i = 0; i < headers.count; i++) {
        int len =
            snprintf(a->headers + a->headers_len, sizeof(a->headers) - a->headers_len, "%.*s=%.*s;",
                     LG_FMT(headers.items[i].name), LG_FMT(headers.items[i].value));
        a->headers_len += (size_t)len;
    }
    if (a->cancel_at_head) {
        lg_outbound_cancel(a->out);
        flag_add(&a->ended, 1);
    }
}

static void on_bytes(void *data, lg_str bytes)
{
    asking *a = data;
    note(a, 'b');
    if (a->body_len + bytes.len <= sizeof(a->body)) {
        memcpy(a->body + a->body_len, bytes.ptr, bytes.len);
    }
    a->body_len += bytes.len;
    if (a->cancel_at_bytes) {
        lg_outbound_cancel(a->out);
        flag_add(&a->ended, 1);
    } else if (a->pause_at_bytes) {
        lg_outbound_pause(a->out);
        flag_add(&a->paused, 1);
    }
}

static void on_end(void *data, const lg_outbound_end *end)
{
    asking *a = data;
    note(a, 'e');
    a->end = *end;
    snprintf(a->what, sizeof(a->what), "%.*s", LG_FMT(end->what));
    flag_add(&a->ended, 1);
}

static void begin_asking(void *data)
{
    asking *a = data;
    lg_outbound_events events = {a, on_head, on_bytes, on_end};
    a->begun = lg_client_send(a->client, &a->request, &events, &a->out, &a->error);
}

static void cancel_asking(void *data)
{
    asking *a = data;
    lg_outbound_cancel(a->out);
}

static void resume_asking(void *data)
{
    asking *a = data;
    a->pause_at_bytes = false;
    lg_outbound_resume(a->out);
}

static void clear_asking(asking *a)
{
    *a = (asking){.ended = FLAG_INIT, .paused = FLAG_INIT};
}

static char url_text[128];

static void ask_begin(house *h, asking *a, uint16_t port)
{
    a->client = h->client;
    snprintf(url_text, sizeof(url_text), "http://127.0.0.1:%u/v1/x?y=%%20z", port);
    if (!a->request.url.ptr) {
        a->request.url = (lg_str){url_text, strlen(url_text)};
    }
    if (!a->request.method.ptr) {
        a->request.method = LG_STR("POST");
        a->request.body = a->request.body.ptr ? a->request.body : LG_STR("{\"a\":1}");
    }
    house_call(h, begin_asking, a);
    CHECK_MSG(a->begun == LG_OK, a->error.msg);
}

static void ask(house *h, asking *a, uint16_t port)
{
    ask_begin(h, a, port);
    CHECK(flag_wait(&a->ended, 1));
}

static lg_str body_of(const asking *a)
{
    return (lg_str){a->body, a->body_len};
}

// --- what goes out, and comes in ---

static raw_text seen[4]; // requests, in the order in which they came
static flag requests = FLAG_INIT;

#define OK_3                                                                                       \
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Up:  a b \r\nContent-Type: text/plain\r\n\r\nabc"

static void serve_kept(int fd, int number)
{
    (void)number;
    for (int i = 0; i < 4 && read_request(fd, &seen[i]); i++) {
        flag_add(&requests, 1);
        raw_say(fd, i == 1
                        ? "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nX: 1\r\n\r\nHTTP/1.1 "
                          "200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n3\r\nabc\r\n2"
                          "\r\nde\r\n0\r\nT: 1\r\n\r\n"
                        : OK_3);
    }
    close(fd);
}

static void what_is_sent_is_what_was_given(void)
{
    house h;
    upstream up;
    static asking a;
    house_begin(&h, NULL);
    flag_reset(&requests);
    upstream_begin(&up, serve_kept, 1);
    lg_http_header headers[] = {{LG_STR("Authorization"), LG_STR("Bearer x")},
                                {LG_STR("Content-Type"), LG_STR("application/json")},
                                {LG_STR("Host"), LG_STR("evil")},
                                {LG_STR("Content-Length"), LG_STR("99")},
                                {LG_STR("Transfer-Encoding"), LG_STR("chunked")},
                                {LG_STR("Connection"), LG_STR("close")},
                                {LG_STR("X-Empty"), LG_STR("")}};
    clear_asking(&a);
    a.request.headers = (lg_http_headers){headers, 7};
    ask(&h, &a, up.port);
    char wanted[512];
    snprintf(wanted, sizeof(wanted),
             "POST /v1/x?y=%%20z HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer x\r\n"
             "Content-Type: application/json\r\nX-Empty:\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
             up.port);
    CHECK_STR(raw_str(&seen[0]), wanted);
    CHECK(a.end.kind == LG_END_OK && a.end.sent && !a.end.reused && a.status == 200);
    CHECK_STR(lg_str_of(a.headers, a.headers_len),
              "Content-Length=3;X-Up=a b;Content-Type=text/plain;");
    CHECK_STR(body_of(&a), "abc");
    CHECK_STR(lg_str_of(a.order, a.order_len), "hbe");
    clear_asking(&a); // the same connection; 1xx and trailers are not told
    a.request.method = LG_STR("DELETE");
    ask(&h, &a, up.port);
    snprintf(wanted, sizeof(wanted), "DELETE /v1/x?y=%%20z HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n",
             up.port);
    CHECK_STR(raw_str(&seen[1]), wanted);
    CHECK(a.end.kind == LG_END_OK && a.end.reused);
    CHECK_STR(lg_str_of(a.headers, a.headers_len), "Transfer-Encoding=chunked;Trailer=T;");
    CHECK_STR(body_of(&a), "abcde");
    house_end(&h);
    upstream_end(&up);
}

// --- never twice ---

// Answers the first request, reads the second whole, and hangs up without a word.
static void serve_then_die(int fd, int number)
{
    if (number == 0) {
        if (read_request(fd, &seen[0])) {
            flag_add(&requests, 1);
            raw_say(fd, OK_3);
        }
        if (read_request(fd, &seen[1])) {
            flag_add(&requests, 1);
        }
        close(fd);
        return;
    }
    while (read_request(fd, &seen[2])) { // it was sent again
        flag_add(&requests, 1);
        raw_say(fd, OK_3);
    }
    close(fd);
}

static void serve_then_reset(int fd, int number)
{
    if (number > 0) {
        serve_then_die(fd, number);
        return;
    }
    if (read_request(fd, &seen[0])) {
        flag_add(&requests, 1);
        raw_say(fd, OK_3);
    }
    if (read_request(fd, &seen[1])) {
        flag_add(&requests, 1);
    }
    reset(fd);
}

static const char *const methods[] = {"POST", "GET", "PUT", "DELETE"};

static void nothing_is_sent_twice(void)
{
    void (*const scripts[])(int fd, int number) = {serve_then_die, serve_then_reset};
    for (size_t i = 0; i < 3 * LG_COUNT(methods); i++) {
        house h;
        upstream up;
        static asking a;
        lg_str method = lg_str_c(methods[i % LG_COUNT(methods)]);
        house_begin(&h, NULL);
        flag_reset(&requests);
        upstream_begin(&up, scripts[i / LG_COUNT(methods) % 2], 2);
        clear_asking(&a);
        ask(&h, &a, up.port);
        CHECK(a.end.kind == LG_END_OK);
        clear_asking(&a);
        a.request.method = method;
        a.request.body =
            i >= 2 * LG_COUNT(methods) || i % LG_COUNT(methods) == 2 ? LG_STR("abc") : LG_STR("");
        ask(&h, &a, up.port);
        CHECK_MSG(a.end.kind == LG_END_RESET, a.what);
        CHECK(a.end.sent && a.end.reused);
        CHECK_STR(lg_str_of(a.order, a.order_len), "e");
        CHECK(flag_get(&requests) == 2);
        house_end(&h);
        upstream_end(&up);
        CHECK(flag_get(&requests) == 2);
    }
}

// Closes what it kept open, at once. The next request takes a new connection.
static void serve_once(int fd, int number)
{
    if (read_request(fd, &seen[number])) {
        flag_add(&requests, 1);
        raw_say(fd, OK_3);
    }
    close(fd);
    flag_add(&requests, 1);
}

static void what_was_closed_while_idle_is_not_used(void)
{
    house h;
    upstream up;
    static asking a;
    house_begin(&h, NULL);
    flag_reset(&requests);
    upstream_begin(&up, serve_once, 2);
    for (int i = 0; i < 2; i++) {
        clear_asking(&a);
        ask(&h, &a, up.port);
        CHECK(a.end.kind == LG_END_OK && !a.end.reused);
        CHECK(flag_wait(&requests, 2 * (i + 1)));
    }
    house_end(&h);
    upstream_end(&up);
}

// --- upstreams that misbehave ---

typedef struct bad_case {
    const char *what;
    const char *answer; // and then it hangs up
    lg_end_kind kind;
    const char *order;
    bool by_reset;
} bad_case;

static const bad_case bad_cases[] = {
    {"nothing", "", LG_END_RESET, "e", false},
    {"a reset", "", LG_END_RESET, "e", true},
    {"half a head", "HTTP/1.1 200 OK\r\nContent-Le", LG_END_RESET, "e", false},
    {"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", LG_END_CUT, "hbe", false},
    {"half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", LG_END_CUT,
     "hbe", false},
    {"no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
     LG_END_CUT, "hbe", false},
    {"chunks that are none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
     LG_END_CUT, "he", false},
    {"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", LG_END_BAD, "e", false},
    {"HTTP/0.9", "abc", LG_END_BAD, "e", false},
    {"to the end of the connection", "HTTP/1.1 200 OK\r\n\r\nabc", LG_END_OK, "hbe", false},
    {"a redirection", "HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n",
     LG_END_OK, "he", false},
    {"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
     LG_END_OK, "hbe", false},
};

static const bad_case *current;

static void serve_badly(int fd, int number)
{
    (void)number;
    if (read_request(fd, &seen[0])) {
        raw_say(fd, current->answer);
    }
    if (current->by_reset) {
        reset(fd);
    } else {
        close(fd);
    }
}

static void what_an_upstream_does_is_told(void)
{
    for (size_t i = 0; i < LG_COUNT(bad_cases); i++) {
        house h;
        upstream up;
        static asking a;
        current = &bad_cases[i];
        house_begin(&h, NULL);
        upstream_begin(&up, serve_badly, 1);
        clear_asking(&a);
        ask(&h, &a, up.port);
        CHECK_MSG(a.end.kind == current->kind || current->kind == LG_END_OK, current->what);
        CHECK_MSG(a.end.sent && a.what[0], current->what);
        CHECK_MSG(strcmp(a.order, current->order) == 0, current->what);
        house_end(&h);
        upstream_end(&up);
    }
}

static void who_does_not_answer_is_refused(void)
{
    house h;
    uint16_t port;
    static asking a;
    close(raw_listen(&port)); // nobody is there any more
    house_begin(&h, NULL);
    clear_asking(&a);
    ask(&h, &a, port);
    CHECK(a.end.kind == LG_END_REFUSED && !a.end.sent);
    clear_asking(&a);
    a.request.url = LG_STR("http://no-such-host.invalid/");
    ask(&h, &a, port);
    CHECK(a.end.kind == LG_END_REFUSED && !a.end.sent);
    house_end(&h);
}

// --- ceilings and deadlines ---

static void serve_much(int fd, int number)
{
    (void)number;
    if (!read_request(fd, &seen[0])) {
        close(fd);
        return;
    }
    const char *kind = strstr(seen[0].bytes, "X-Kind: ");
    if (kind && kind[8] == 'h') {
        raw_say(fd, "HTTP/1.1 200 OK\r\n");
        for (int i = 0; i < 10000 && raw_say(fd, "X-More: 0123456789\r\n"); i++) {
        }
    } else {
        raw_say(fd, "HTTP/1.1 200 OK\r\n\r\n");
        for (int i = 0; i < 10000 && raw_say(fd, "0123456789012345678901234567890123456789"); i++) {
        }
    }
    close(fd);
}

static void answers_have_ceilings(void)
{
    for (int i = 0; i < 2; i++) {
        house h;
        upstream up;
        static asking a;
        lg_http_header kind = {LG_STR("X-Kind"), i ? LG_STR("head") : LG_STR("body")};
        house_begin(&h, NULL);
        upstream_begin(&up, serve_much, 1);
        clear_asking(&a);
        a.request.headers = (lg_http_headers){&kind, 1};
        a.request.head_bytes = 1000;
        a.request.body_bytes = 100000;
        ask(&h, &a, up.port);
        CHECK(a.end.kind == LG_END_TOO_LARGE && a.body_len <= 100000);
        house_end(&h);
        upstream_end(&up);
    }
}

// What says that it is compressed is given as it came, whatever would become of it.
static void serve_compressed(int fd, int number)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: "
                                 "12\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03zz";
    (void)number;
    if (read_request(fd, &seen[0])) {
        raw_send(fd, answer, sizeof(answer) - 1);
    }
    close(fd);
}

static void nothing_is_decompressed(void)
{
    house h;
    upstream up;
    static asking a;
    house_begin(&h, NULL);
    upstream_begin(&up, serve_compressed, 1);
    clear_asking(&a);
    ask(&h, &a, up.port);
    CHECK(a.end.kind == LG_END_OK && a.body_len == 12);
    CHECK(memcmp(a.body, "\x1f\x8b\x08\0\0\0\0\0\0\x03zz", 12) == 0);
    house_end(&h);
    upstream_end(&up);
}

static void serve_slowly(int fd, int number)
{
    (void)number;
    if (read_request(fd, &seen[0])) {
        const char *kind = strstr(seen[0].bytes, "X-Kind: ");
        if (kind[8] != 'f') {
            raw_say(fd, "HTTP/1.1 200 OK\r\n\r\nabc");
        }
        struct pollfd gone = {.fd = fd, .events = POLLIN};
        while (kind[8] == 't' && poll(&gone, 1, 5) == 0) {
            raw_say(fd, "x");
        }
        poll(&gone, 1, PATIENCE_S * 1000); // until the other end has had enough
    }
    close(fd);
}

static void answers_have_deadlines(void)
{
    const struct {
        lg_str kind;
        lg_client_request limits;
        const char *what;
    } cases[] = {
        {LG_STR("first"),
         {.first_byte_ms = 700},
         "no answer began within the time that it may take"},
        {LG_STR("idle"), {.idle_ms = 300}, "the answer stopped coming, for longer than it may"},
        {LG_STR("total"), {.total_ms = 700}, "the answer took longer than it may in all"},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        house h;
        upstream up;
        static asking a;
        lg_http_header kind = {LG_STR("X-Kind"), cases[i].kind};
        house_begin(&h, NULL);
        upstream_begin(&up, serve_slowly, 1);
        clear_asking(&a);
        a.request = cases[i].limits;
        a.request.headers = (lg_http_headers){&kind, 1};
        ask(&h, &a, up.port);
        CHECK(a.end.kind == LG_END_TIMEOUT && a.end.sent);
        CHECK_STR(lg_str_c(a.what), cases[i].what);
        house_end(&h);
        upstream_end(&up);
    }
}

// --- pause and cancel ---

static flag written = FLAG_INIT;

static void serve_until_closed(int fd, int number)
{
    (void)number;
    static char piece[100000];
    memset(piece, 'x', sizeof(piece));
    if (read_request(fd, &seen[0])) {
        raw_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n");
        for (int i = 0; i < 1000 && raw_send(fd, piece, sizeof(piece)); i++) {
            flag_add(&written, 1);
        }
    }
    close(fd);
}

static void who_is_paused_is_not_told(void)
{
    house h;
    upstream up;
    static asking a;
    house_begin(&h, NULL);
    flag_reset(&written);
    upstream_begin(&up, serve_until_closed, 1);
    clear_asking(&a);
    a.pause_at_bytes = true;
    a.request.body_bytes = 200000000;
    ask_begin(&h, &a, up.port);
    CHECK(flag_wait(&a.paused, 1));
    CHECK(flag_get(&a.paused) == 1 && flag_get(&a.ended) == 0);
    struct pollfd nothing = {.fd = -1};
    poll(&nothing, 0, 100);
    CHECK(flag_get(&written) < 500); // what the kernel's buffers hold, and no more
    house_call(&h, resume_asking, &a);
    CHECK(flag_wait(&a.ended, 1));
    CHECK_MSG(a.end.kind == LG_END_OK, a.what);
    CHECK(a.body_len == 100000000);
    house_end(&h);
    upstream_end(&up);
}

static void who_is_paused_has_no_idle_deadline(void)
{
    house h;
    upstream up;
    static asking a;
    house_begin(&h, NULL);
    upstream_begin(&up, serve_until_closed, 1);
    clear_asking(&a);
    a.pause_at_bytes = true;
    a.request.idle_ms = 20;
    a.request.body_bytes = 200000000;
    ask_begin(&h, &a, up.port);
    CHECK(flag_wait(&a.paused, 1));
    struct pollfd nothing = {.fd = -1};
    poll(&nothing, 0, 200);
    house_call(&h, cancel_asking, &a);
    CHECK(!strchr(a.order, 'e'));
    house_end(&h);
    upstream_end(&up);
}

static void who_cancels_hears_no_more(void)
{
    for (int i = 0; i < 4; i++) {
        house h;
        upstream up;
        static asking a;
        house_begin(&h, NULL);
        flag_reset(&written);
        upstream_begin(&up, serve_until_closed, 1);
        clear_asking(&a);
        a.cancel_at_head = i == 0;
        a.cancel_at_bytes = i == 1;
        a.pause_at_bytes = i == 2;
        a.request.body_bytes = 200000000;
        ask_begin(&h, &a, up.port);
        if (i == 2) {
            CHECK(flag_wait(&a.paused, 1));
        }
        if (i >= 2) {
            house_call(&h, cancel_asking, &a);
        } else {
            CHECK(flag_wait(&a.ended, 1));
        }
        upstream_end(&up); // its connection is closed, so it ends
        CHECK(flag_get(&written) < 1000);
        CHECK(!strchr(a.order, 'e'));
        house_end(&h);
    }
}

static void a_client_that_is_freed_ends_all(void)
{
    house h;
    upstream up;
    static asking a;
    house_begin(&h, NULL);
    upstream_begin(&up, serve_until_closed, 1);
    clear_asking(&a);
    a.pause_at_bytes = true;
    ask_begin(&h, &a, up.port);
    CHECK(flag_wait(&a.paused, 1));
    house_end(&h);
    CHECK(!strchr(a.order, 'e'));
    upstream_end(&up);
}

// --- what cannot be asked ---

static void what_cannot_be_sent_is_an_error(void)
{
    house h;
    static asking a;
    lg_http_header split = {LG_STR("X"), LG_STR("a\r\nY: b")};
    lg_http_header odd = {LG_STR("X Y"), LG_STR("a")};
    const struct {
        lg_client_request request;
        const char *message;
    } cases[] = {
        {{.method = LG_STR("GET"), .url = LG_STR("ftp://x/")},
         "`ftp://x/` is no address to ask: it has to begin with http:// or https://, and to have "
         "no "
         "blanks"},
        {{.method = LG_STR("GET"), .url = LG_STR("http://x/a b")},
         "`http://x/a b` is no address to ask: it has to begin with http:// or https://, and to "
         "have "
         "no blanks"},
        {{.method = LG_STR("G T"), .url = LG_STR("http://x/")}, "`G T` is no method"},
        {{.method = LG_STR("GET"), .url = LG_STR("http://x/"), .headers = {&split, 1}},
         "the header `X` cannot be sent: its name is no word, or its value has control characters "
         "in it"},
        {{.method = LG_STR("GET"), .url = LG_STR("http://x/"), .headers = {&odd, 1}},
         "the header `X Y` cannot be sent: its name is no word, or its value has control "
         "characters "
         "in it"},
    };
    house_begin(&h, NULL);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        clear_asking(&a);
        a.client = h.client;
        a.request = cases[i].request;
        house_call(&h, begin_asking, &a);
        CHECK(a.begun == LG_ERR_USAGE);
        CHECK_STR(lg_str_c(a.error.msg), cases[i].message);
    }
    house_end(&h);
}

int main(void)
{
    RUN(what_is_sent_is_what_was_given);
    RUN(nothing_is_sent_twice);
    RUN(what_was_closed_while_idle_is_not_used);
    RUN(what_an_upstream_does_is_told);
    RUN(who_does_not_answer_is_refused);
    RUN(answers_have_ceilings);
    RUN(nothing_is_decompressed);
    RUN(answers_have_deadlines);
    RUN(who_is_paused_is_not_told);
    RUN(who_is_paused_has_no_idle_deadline);
    RUN(who_cancels_hears_no_more);
    RUN(a_client_that_is_freed_ends_all);
    RUN(what_cannot_be_sent_is_an_error);
    return lg_test_done();
}
