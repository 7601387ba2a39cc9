// test_server.c: what is refused, what is answered, and who is told what, over real sockets.
#include "net_house.h"

#include <fcntl.h>

// --- a handler that does what the path says ---

typedef struct told { // of all requests; read by the test's own thread
    flag handled, smuggled, sent, gone, cut, writable, most_queued;
} told;

static told heard = {FLAG_INIT, FLAG_INIT, FLAG_INIT, FLAG_INIT, FLAG_INIT, FLAG_INIT, FLAG_INIT};

static void forget_all(void)
{
    flag *all[] = {&heard.handled, &heard.smuggled, &heard.sent,       &heard.gone,
                   &heard.cut,     &heard.writable, &heard.most_queued};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        flag_reset(all[i]);
    }
}

typedef struct work { // of one request; lives in its arena
    lg_inbound *in;
    lg_loop *loop;
    lg_timer later;
    size_t left_bytes; // of a stream
    size_t most_queued;
} work;

static house *serving; // the one whose requests are handled

static void on_done(void *data, lg_done how)
{
    work *w = data;
    lg_timer_stop(w->loop, &w->later);
    switch (how) {
    case LG_DONE_SENT:
        flag_add(&heard.sent, 1);
        break;
    case LG_DONE_GONE:
        flag_add(&heard.gone, 1);
        break;
    case LG_DONE_CUT:
        flag_add(&heard.cut, 1);
        break;
    }
}

static lg_http_headers no_headers(void)
{
    return (lg_http_headers){0};
}

static void echo(work *w)
{
    const lg_http_request *request = lg_inbound_request(w->in);
    lg_http_header headers[] = {
        {LG_STR("Content-Type"), LG_STR("text/plain")}, {LG_STR("X-Id"), LG_STR("a\tb")},
        {LG_STR("X-Split"), LG_STR("a\r\nX-Evil: b")}, // left out
        {LG_STR("Connection"), LG_STR("upgrade")},     // likewise
        {LG_STR("Content-Length"), LG_STR("3")},       // likewise
    };
    lg_str text = lg_arena_printf(lg_inbound_arena(w->in), "<%.*s %.*s ? %.*s | %.*s>",
                                  LG_FMT(request->method), LG_FMT(request->path),
                                  LG_FMT(request->query), LG_FMT(request->body));
    lg_inbound_reply(w->in, 200, (lg_http_headers){headers, 5}, text);
}

static void on_later(void *data)
{
    echo(data);
}

// Writes the digits of positions, so that the reader knows if anything is missing or twice.
static void fill(work *w)
{
    char piece[1000];
    while (w->left_bytes > 0 && !lg_inbound_is_full(w->in)) {
        size_t size = w->left_bytes < sizeof(piece) ? w->left_bytes : sizeof(piece);
        for (size_t i = 0; i < size; i++) {
            piece[i] = (char)('a' + (w->left_bytes - i) % 23);
        }
        if (lg_inbound_write(w->in, (lg_str){piece, size}) != LG_OK) {
            return;
        }
        w->left_bytes -= size;
        size_t queued = lg_inbound_queued_bytes(w->in);
        if (queued > w->most_queued) {
            flag_add(&heard.most_queued, (int)(queued - w->most_queued));
            w->most_queued = queued;
        }
    }
    if (w->left_bytes == 0) {
        lg_inbound_end(w->in);
    }
}

static void on_writable(void *data)
{
    flag_add(&heard.writable, 1);
    fill(data);
}

static void drip(void *data)
{
    work *w = data;
    if (w->left_bytes-- == 0) {
        lg_inbound_end(w->in);
        return;
    }
    (void)!lg_inbound_write(w->in, LG_STR("data: x\n\n"));
    lg_timer_set(w->loop, &w->later, lg_loop_now_ns(w->loop) + LG_NS_PER_MS);
}

static void act(work *w, lg_str path)
{
    lg_timer *later = &w->later;
    if (strncmp(path.ptr, "/later", 6) == 0) {
        *later = (lg_timer){.fire = on_later, .data = w};
        lg_timer_set(w->loop, later, lg_loop_now_ns(w->loop) + 5 * LG_NS_PER_MS);
    } else if (strncmp(path.ptr, "/stream", 7) == 0) {
        w->left_bytes = strtoul(path.ptr + 8, NULL, 10);
        lg_inbound_begin(w->in, 200, no_headers());
        fill(w);
    } else if (strncmp(path.ptr, "/drip", 5) == 0) {
        w->left_bytes = strtoul(path.ptr + 6, NULL, 10);
        *later = (lg_timer){.fire = drip, .data = w};
        lg_inbound_begin(w->in, 200, no_headers());
        drip(w);
    } else if (strncmp(path.ptr, "/flood", 6) == 0) {
        lg_inbound_begin(w->in, 200, no_headers());
        while (lg_inbound_write(w->in, LG_STR("0123456789012345678901234567890123456789")) ==
               LG_OK) {
        }
    } else if (strncmp(path.ptr, "/halfway", 8) == 0) {
        lg_inbound_begin(w->in, 200, no_headers());
        (void)!lg_inbound_write(w->in, LG_STR("half"));
        *later = (lg_timer){.fire = (void (*)(void *))lg_inbound_cut, .data = w->in};
        lg_timer_set(w->loop, later, lg_loop_now_ns(w->loop) + 5 * LG_NS_PER_MS);
    } else if (strncmp(path.ptr, "/cut", 4) == 0) {
        lg_inbound_cut(w->in);
    } else if (strncmp(path.ptr, "/never", 6) != 0) {
        echo(w);
    }
}

static void on_request(void *data, lg_inbound *in)
{
    house *const *h = data;
    const lg_http_request *request = lg_inbound_request(in);
    work *w = LG_NEW(lg_inbound_arena(in), work);
    if (!w) {
        lg_inbound_cut(in);
        return;
    }
    w->in = in;
    w->loop = (*h)->loop;
    lg_inbound_listen(in, (lg_inbound_events){.data = w, .writable = on_writable, .done = on_done});
    lg_str path = lg_arena_str(lg_inbound_arena(in), request->path); // with a NUL
    flag_add(&heard.handled, 1);
    if (request->path.len >= 9 && memcmp(request->path.ptr, "/smuggled", 9) == 0) {
        flag_add(&heard.smuggled, 1);
    }
    if (path.ptr) {
        act(w, path);
    }
}

static void begin(house *h, lg_server_limits limits)
{
    forget_all();
    serving = h;
    house_begin(h, &(lg_server_options){.limits = limits, .handler = {&serving, on_request, NULL}});
}

#define HEAD " HTTP/1.1\r\nHost: x\r\n"
#define CLOSE "Connection: close\r\n\r\n"

// --- what is refused ---

typedef struct refused_case {
    const char *why;
    const char *request; // and behind it always a second one, which must never run
    bool daemons; // libmicrohttpd refuses it by itself; 0.9.75 says the head of that answer twice
} refused_case;

#define SMUGGLED "GET /smuggled" HEAD "\r\n"

static const refused_case refused_cases[] = {
    {"two Content-Length headers, smaller first",
     "POST /a" HEAD "Content-Length: 3\r\nContent-Length: 40\r\n\r\nabc" SMUGGLED, false},
    {"two Content-Length headers, larger first",
     "POST /a" HEAD "Content-Length: 40\r\nContent-Length: 3\r\n\r\nabc" SMUGGLED, false},
    {"two equal Content-Length headers",
     "POST /a" HEAD "Content-Length: 3\r\ncontent-length: 3\r\n\r\nabc" SMUGGLED, false},
    {"a list of lengths", "POST /a" HEAD "Content-Length: 3, 3\r\n\r\nabc" SMUGGLED, true},
    {"a length with a sign", "POST /a" HEAD "Content-Length: +3\r\n\r\nabc" SMUGGLED, true},
    {"a negative length", "POST /a" HEAD "Content-Length: -3\r\n\r\nabc" SMUGGLED, true},
    {"a length in hex", "POST /a" HEAD "Content-Length: 0x3\r\n\r\nabc" SMUGGLED, true},
    {"an empty length", "POST /a" HEAD "Content-Length: \r\n\r\nabc" SMUGGLED, true},
    {"Transfer-Encoding beside Content-Length",
     "POST /a" HEAD "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" SMUGGLED,
     false},
    {"Content-Length beside Transfer-Encoding",
     "POST /a" HEAD "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n" SMUGGLED,
     false},
    {"Transfer-Encoding twice",
     "POST /a" HEAD
     "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" SMUGGLED,
     false},
    {"an unknown coding",
     "POST /a" HEAD "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" SMUGGLED, false},
    {"a coding with an odd blank",
     "POST /a" HEAD "Transfer-Encoding:\x0b"
     "chunked\r\n\r\n0\r\n\r\n" SMUGGLED,
     false},
    {"a coding that only looks like it",
     "POST /a" HEAD "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" SMUGGLED, false},
    {"chunks in HTTP/1.0",
     "POST /a HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
     "0\r\n\r\n" SMUGGLED,
     false},
    {"a blank before the colon", "POST /a" HEAD "Content-Length : 3\r\n\r\nabc" SMUGGLED, false},
    {"a name that is no word", "GET /a" HEAD "X(y): 1\r\n\r\n" SMUGGLED, false},
    {"a control character in a value", "GET /a" HEAD "X: a\x01z\r\n\r\n" SMUGGLED, false},
    {"no Host", "GET /a HTTP/1.1\r\n\r\n" SMUGGLED, false},
    {"Host twice", "GET /a" HEAD "Host: y\r\n\r\n" SMUGGLED, false},
    {"a target with a host", "GET http://x/a" HEAD "\r\n" SMUGGLED, false},
    {"a target that is no path", "GET a" HEAD "\r\n" SMUGGLED, false},
    {"a star for what is not OPTIONS", "GET *" HEAD "\r\n" SMUGGLED, false},
    {"CONNECT", "CONNECT x:443" HEAD "\r\n" SMUGGLED, false},
    {"a method that is no word", "G(T /a" HEAD "\r\n" SMUGGLED, false},
    {"chunks that are none",
     "POST /a" HEAD "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n" SMUGGLED, false},
};

static void refuses_what_can_be_read_in_two_ways(void)
{
    house h;
    begin(&h, (lg_server_limits){0});
    for (size_t i = 0; i < sizeof(refused_cases) / sizeof(refused_cases[0]); i++) {
        const refused_case *c = &refused_cases[i];
        static raw_text text;
        raw_ask(h.port, c->request, &text);
        CHECK_MSG(strncmp(text.bytes, "HTTP/1.1 400 ", 13) == 0, c->why);
        CHECK_MSG(raw_count(&text, "HTTP/1.1 ") <= (c->daemons ? 2 : 1), c->why); // one answer,
        CHECK_MSG(text.ended, c->why); // and the connection is closed
        CHECK_MSG(flag_get(&heard.smuggled) == 0, c->why);
        CHECK_MSG(flag_get(&heard.handled) == 0, c->why);
    }
    house_end(&h);
}

// The daemon would cut a value there, and another program would not.
static void a_nul_in_a_header_is_refused(void)
{
    static const char in_the_midst[] = "GET /a" HEAD "X-A: one\0two\r\nX-B: 1\r\n\r\n" SMUGGLED;
    static const char at_the_end[] = "GET /a" HEAD "X-A: one\0two\r\n\r\n" SMUGGLED;
    static const char at_once[] = "GET /a" HEAD "X-A:\0two\r\nX-B: 1\r\n\r\n" SMUGGLED;
    static const char none[] = "GET /a" HEAD "X-A:  one \t \r\nX-B:two\nX-C:\r\nX-D: \r\n\r\n";
    const lg_str cases[] = {{in_the_midst, sizeof(in_the_midst) - 1},
                            {at_the_end, sizeof(at_the_end) - 1},
                            {at_once, sizeof(at_once) - 1},
                            {none, sizeof(none) - 1}};
    house h;
    begin(&h, (lg_server_limits){0});
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        static raw_text text;
        int fd = raw_connect(h.port);
        text.len = 0;
        raw_send(fd, cases[i].ptr, cases[i].len);
        shutdown(fd, SHUT_WR);
        raw_read_all(fd, &text);
        close(fd);
        CHECK(raw_has(&text, i == 3 ? "HTTP/1.1 200 " : "HTTP/1.1 400 "));
        CHECK(flag_get(&heard.smuggled) == 0);
    }
    house_end(&h);
}

// As `refuse` may give it a form of its own.
static void refuse_in_json(void *data, lg_inbound *in, unsigned status, lg_str why)
{
    (void)data;
    lg_http_header json = {LG_STR("Content-Type"), LG_STR("application/json")};
    lg_str text = lg_arena_printf(lg_inbound_arena(in), "{\"path\":\"%.*s\",\"error\":\"%.*s\"}",
                                  LG_FMT(lg_inbound_request(in)->path), LG_FMT(why));
    lg_inbound_reply(in, status, (lg_http_headers){&json, 1}, text);
}

static void a_refusal_has_the_form_that_the_handler_gives_it(void)
{
    house h;
    static raw_text text;
    forget_all();
    serving = &h;
    house_begin(&h, &(lg_server_options){.handler = {&serving, on_request, refuse_in_json}});
    raw_ask(h.port, "POST /v1/x" HEAD "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", &text);
    CHECK(raw_has(&text, "HTTP/1.1 400 "));
    CHECK(raw_has(&text, "Content-Type: application/json"));
    CHECK(raw_has(&text, "{\"path\":\"/v1/x\",\"error\":\"the length of the body is said more "
                         "than once: send either one Content-Length or one Transfer-Encoding\"}"));
    house_end(&h);
}

// --- sizes ---

static void heads_and_bodies_have_ceilings(void)
{
    house h;
    static raw_text text;
    static char request[300000];
    begin(&h, (lg_server_limits){.header_bytes = 4096, .body_bytes = 1000});
    snprintf(request, sizeof(request), "GET /a" HEAD "X: %05000d\r\n\r\n" SMUGGLED, 0);
    raw_ask(h.port, request, &text);
    CHECK(raw_has(&text, "HTTP/1.1 431 ") && raw_count(&text, "HTTP/1.1 ") == 1 && text.ended);
    snprintf(request, sizeof(request), "GET /a" HEAD "X: %060000d\r\n\r\n" SMUGGLED, 0);
    raw_ask(h.port, request, &text);
    CHECK((raw_has(&text, "HTTP/1.1 431 ") || text.len == 0) && text.ended);
    snprintf(request, sizeof(request), "GET /%060000d" HEAD "\r\n" SMUGGLED, 0);
    raw_ask(h.port, request, &text);
    CHECK((raw_has(&text, "HTTP/1.1 414 ") || text.len == 0) && text.ended);
    CHECK(flag_get(&heard.handled) == 0);

    snprintf(request, sizeof(request), "POST /a" HEAD CLOSE);
    snprintf(request, sizeof(request), "POST /a" HEAD "Content-Length: 1000\r\n" CLOSE "%01000d",
             7);
    raw_ask(h.port, request, &text);
    CHECK(raw_has(&text, "HTTP/1.1 200 ") && raw_has(&text, "0007>"));
    CHECK(flag_get(&heard.handled) == 1);
    // A little too large: it is read to its end, so that the answer is seen; and the next request runs.
    snprintf(request, sizeof(request),
             "POST /a" HEAD "Content-Length: 1001\r\n\r\n%01001dGET /next" HEAD CLOSE, 7);
    raw_ask(h.port, request, &text);
    CHECK(raw_has(&text, "HTTP/1.1 413 ") && raw_has(&text, "the body is larger than is allowed"));
    // Far too large: it is not read.
    raw_ask(h.port, "POST /a" HEAD "Content-Length: 100000000000\r\n\r\nabc" SMUGGLED, &text);
    CHECK(raw_has(&text, "HTTP/1.1 413 ") && raw_count(&text, "HTTP/1.1 ") == 1 && text.ended);
    raw_ask(h.port, "POST /a" HEAD "Content-Length: 99999999999999999999999\r\n\r\nabc" SMUGGLED,
            &text);
    CHECK(raw_has(&text, "HTTP/1.1 413 ") && !raw_has(&text, " 200 ") && text.ended);
    snprintf(request, sizeof(request),
             "POST /a" HEAD "Transfer-Encoding: chunked\r\n\r\n3e9\r\n%01001d\r\n0\r\n\r\n", 7);
    raw_ask(h.port, request, &text);
    CHECK(raw_has(&text, "HTTP/1.1 413 ") && text.ended);
    snprintf(request, sizeof(request),
             "POST /a" HEAD "Transfer-Encoding: chunked\r\n\r\n"
             "f000\r\n%061440d\r\n" SMUGGLED,
             7);
    raw_ask(h.port, request, &text);
    CHECK(text.ended && !raw_has(&text, " 200 "));
    CHECK(flag_get(&heard.handled) == 1 && flag_get(&heard.smuggled) == 0);
    house_end(&h);
}

static void all_bodies_together_have_a_ceiling(void)
{
    house h;
    static raw_text text;
    begin(&h, (lg_server_limits){.body_bytes = 1000, .bodies_bytes = 1500});
    int fd = raw_connect(h.port);
    char request[2000];
    snprintf(request, sizeof(request), "POST /never" HEAD "Content-Length: 900\r\n\r\n%0900d", 7);
    raw_say(fd, request);
    CHECK(flag_wait(&heard.handled, 1));
    snprintf(request, sizeof(request), "POST /a" HEAD "Content-Length: 900\r\n" CLOSE "%0900d", 7);
    raw_ask(h.port, request, &text);
    CHECK(raw_has(&text, "HTTP/1.1 503 "));
    close(fd);
    CHECK(flag_wait(&heard.gone, 1));
    raw_ask(h.port, request, &text);
    CHECK(raw_has(&text, "HTTP/1.1 200 "));
    house_end(&h);
}

static void who_asks_before_sending_is_answered(void)
{
    house h;
    raw_text text = {.len = 0};
    begin(&h, (lg_server_limits){.body_bytes = 1000});
    int fd = raw_connect(h.port);
    raw_say(fd, "POST /a" HEAD "Content-Length: 3\r\nExpect: 100-continue\r\n" CLOSE);
    CHECK(raw_read_until(fd, &text, "HTTP/1.1 100 Continue\r\n\r\n"));
    raw_say(fd, "abc");
    raw_read_all(fd, &text);
    CHECK(raw_has(&text, "HTTP/1.1 200 ") && raw_has(&text, "| abc>"));
    close(fd);
    raw_ask(h.port, "POST /a" HEAD "Content-Length: 1500\r\nExpect: 100-continue\r\n\r\n", &text);
    CHECK(strncmp(text.bytes, "HTTP/1.1 413 ", 13) == 0 && text.ended);
    house_end(&h);
}

// --- time ---

// Sends one byte after another until the other end has enough of it.
static bool drips_until_cut(uint16_t port, const char *begin_with, raw_text *text)
{
    int fd = raw_connect(port);
    raw_say(fd, begin_with);
    text->len = 0;
    bool cut = false;
    for (int i = 0; i < 3000 && !cut; i++) {
        struct pollfd in = {.fd = fd, .events = POLLIN};
        cut = poll(&in, 1, 10) > 0;
        raw_say(fd, "x");
    }
    raw_read_all(fd, text);
    close(fd);
    return cut && text->ended;
}

static void slow_senders_are_cut(void)
{
    house h;
    static raw_text text;
    begin(&h, (lg_server_limits){.header_ms = 1000, .body_ms = 1000, .keep_alive_ms = 200});
    CHECK(drips_until_cut(h.port, "", &text)); // not even a first line
    CHECK(drips_until_cut(h.port, "GET /a" HEAD "X: ", &text));
    CHECK(raw_has(&text, "HTTP/1.1 408 "));
    CHECK(drips_until_cut(h.port, "POST /a" HEAD "Content-Length: 100000\r\n\r\n", &text));
    CHECK(raw_has(&text, "HTTP/1.1 408 ") && raw_has(&text, "the request did not arrive in time."));
    CHECK(flag_get(&heard.handled) == 0);
    int fd = raw_connect(h.port); // idle after an answer
    raw_text idle = {.len = 0};
    raw_say(fd, "GET /a" HEAD "\r\n");
    raw_read_all(fd, &idle);
    CHECK(idle.ended && raw_count(&idle, "HTTP/1.") == 1 && raw_has(&idle, " 200 "));
    close(fd);
    house_end(&h);
}

static void an_answer_that_never_comes_is_cut(void)
{
    house h;
    static raw_text text;
    begin(&h, (lg_server_limits){.request_ms = 50});
    raw_ask(h.port, "GET /never" HEAD "\r\n", &text);
    CHECK(text.ended && text.len == 0);
    CHECK(flag_wait(&heard.cut, 1));
    house_end(&h);
}

static void a_reader_that_does_not_read_is_given_up(void)
{
    house h;
    begin(&h, (lg_server_limits){.stall_ms = 100});
    int fd = raw_connect_small(h.port, 4096);
    raw_say(fd, "GET /stream/100000000" HEAD "\r\n");
    CHECK(flag_wait(&heard.gone, 1));
    close(fd);
    house_end(&h);
}

// --- connections ---

static void pipelined_requests_are_answered_in_order(void)
{
    house h;
    static raw_text text;
    begin(&h, (lg_server_limits){0});
    raw_ask(h.port,
            "GET /later/1" HEAD "\r\nPOST /b?x=%20y" HEAD "Content-Length: 3\r\n\r\nabc"
            "POST /later/c" HEAD "Transfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n"
            "GET /drip/3" HEAD "\r\nGET /%2e%2e/d" HEAD CLOSE,
            &text);
    const char *parts[] = {"<GET /later/1 ?  | >",
                           "<POST /b ? x=%20y | abc>",
                           "<POST /later/c ?  | def>",
                           "data: x\n\n",
                           "\r\n0\r\n\r\n",
                           "<GET /%2e%2e/d ?  | >"};
    const char *at = text.bytes;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && at; i++) {
        at = strstr(at, parts[i]);
        CHECK_MSG(at, parts[i]);
    }
    CHECK(raw_count(&text, "HTTP/1.1 200 OK") == 5);
    CHECK(raw_has(&text, "X-Id: a\tb\r\n") && !raw_has(&text, "Evil") &&
          !raw_has(&text, "upgrade"));
    CHECK(flag_wait(&heard.sent, 5));
    house_end(&h);
}

static void methods_that_are_special(void)
{
    house h;
    static raw_text text;
    begin(&h, (lg_server_limits){0});
    raw_ask(h.port, "HEAD /a" HEAD CLOSE, &text);
    CHECK(raw_has(&text, "Content-Length: 15\r\n") && !raw_has(&text, "<HEAD"));
    raw_ask(h.port, "HEAD /drip/3" HEAD CLOSE, &text);
    CHECK(raw_has(&text, " 200 ") && !raw_has(&text, "data:"));
    CHECK(flag_wait(&heard.sent, 2));
    raw_ask(h.port, "GET /stream/100" HEAD CLOSE, &text); // over at once: it is no stream any more
    CHECK(raw_has(&text, "Content-Length: 100\r\n") && !raw_has(&text, "chunked"));
    raw_ask(h.port, "OPTIONS *" HEAD CLOSE, &text);
    CHECK(raw_has(&text, "<OPTIONS * ?  | >"));
    raw_ask(h.port, "GET /a HTTP/1.0\r\n\r\n", &text);
    CHECK(raw_has(&text, "<GET /a ?  | >") && text.ended);
    raw_ask(h.port, "GET /drip/3 HTTP/1.0\r\n\r\n",
            &text); // no chunks: to the end of the connection
    CHECK(raw_has(&text, "\r\n\r\ndata: x\n\ndata: x\n\ndata: x\n\n") && text.ended);
    raw_ask(h.port, "GET /a HTTP/9.9\r\nHost: x\r\n\r\n", &text);
    CHECK(!raw_has(&text, " 200 ") && text.ended);
    house_end(&h);
}

static void who_hangs_up_is_told(void)
{
    house h;
    begin(&h, (lg_server_limits){0});
    int fd = raw_connect(h.port);
    raw_say(fd, "POST /never" HEAD "Content-Length: 3\r\n\r\nabc");
    CHECK(flag_wait(&heard.handled, 1));
    close(fd); // while it waits
    CHECK(flag_wait(&heard.gone, 1));
    fd = raw_connect(h.port);
    raw_say(fd, "GET /drip/1000000" HEAD "\r\n");
    raw_text some = {.len = 0};
    CHECK(raw_read_until(fd, &some, "data: x"));
    close(fd); // while it is told
    CHECK(flag_wait(&heard.gone, 2));
    fd = raw_connect(h.port);
    raw_say(fd, "POST /a" HEAD "Content-Length: 300\r\n\r\nabc");
    close(fd); // while it asks: nobody has heard of it
    fd = raw_connect(h.port);
    raw_say(fd, "GET /never" HEAD "\r\n");
    shutdown(fd, SHUT_WR); // half: it has asked all, and wants to read
    CHECK(flag_wait(&heard.handled, 3));
    raw_text none = {.len = 0};
    CHECK(raw_read_until(fd, &none, "100 Continue")); // asked whether it is there, it is
    CHECK(flag_get(&heard.gone) == 2);
    struct linger at_once = {1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(fd); // and now it is gone
    CHECK(flag_wait(&heard.gone, 3));
    house_end(&h);
}

// Who has sent all that he has to say gets his answer, now or later, whole or in pieces, and nothing behind it is read.
static void who_closes_one_side_is_answered(void)
{
    static const char *const asked[] = {"GET /a" HEAD "\r\n", "GET /later" HEAD "\r\n",
                                        "POST /later" HEAD "Content-Length: 3\r\n\r\nabc",
                                        "GET /later HTTP/1.0\r\n\r\n", "GET /drip/3" HEAD "\r\n"};
    house h;
    begin(&h, (lg_server_limits){0});
    for (size_t i = 0; i < LG_COUNT(asked); i++) {
        raw_text text = {.len = 0};
        int fd = raw_connect(h.port);
        // The end comes with the last byte: one that comes within the answer is a hangup.
        CHECK(send(fd, asked[i], strlen(asked[i]), MSG_MORE) == (ssize_t)strlen(asked[i]));
        shutdown(fd, SHUT_WR);
        raw_read_all(fd, &text);
        bool drips = strstr(asked[i], "drip") != NULL;
        CHECK(text.ended && raw_has(&text, " 200 OK\r\n"));
        CHECK(raw_has(&text, drips ? "data: x\n\n" : " ? "));
        close(fd);
    }
    CHECK(flag_wait(&heard.sent, LG_COUNT(asked)) && flag_get(&heard.gone) == 0);
    house_end(&h);
}

static void who_cuts_is_seen_to_cut(void)
{
    house h;
    static raw_text text;
    begin(&h, (lg_server_limits){.queue_bytes = 100000});
    raw_ask(h.port, "GET /cut" HEAD "\r\n" SMUGGLED, &text);
    CHECK(text.len == 0 && text.ended);
    raw_ask(h.port, "GET /halfway" HEAD "\r\n" SMUGGLED, &text);
    CHECK(raw_has(&text, "half") && !raw_has(&text, "\r\n0\r\n") && text.ended);
    raw_ask(h.port, "GET /flood" HEAD "\r\n" SMUGGLED, &text);
    CHECK(!raw_has(&text, "\r\n0\r\n") && text.ended);
    CHECK(flag_wait(&heard.cut, 3) && flag_get(&heard.smuggled) == 0);
    house_end(&h);
}

// --- streams ---

// Reads a chunked body to its end and compares it with what fill() wrote.
static bool reads_stream(int fd, size_t size_bytes, bool slowly)
{
    raw_text head = {.len = 0};
    static char wire[4 << 20];
    size_t len = 0;
    ssize_t got;
    while (len + 1 < sizeof(wire) &&
           (got = recv(fd, wire + len, slowly ? 3000 : sizeof(wire) - 1 - len, 0)) > 0) {
        len += (size_t)got;
    }
    wire[len] = 0;
    (void)head;
    const char *at = strstr(wire, "\r\n\r\n");
    size_t left = size_bytes;
    for (at = at ? at + 4 : wire; *at;) {
        char *end;
        size_t chunk = strtoul(at, &end, 16);
        if (chunk == 0) {
            return left == 0;
        }
        at = end + 2;
        for (size_t i = 0; i < chunk; i++, left--) {
            if (at[i] != (char)('a' + left % 23)) {
                return false;
            }
        }
        at += chunk + 2;
    }
    return false;
}

static void a_slow_reader_holds_up_the_writer(void)
{
    house h;
    size_t size = 3000000;
    begin(&h, (lg_server_limits){.full_bytes = 50000});
    int fd = raw_connect_small(h.port, 4096);
    char request[100];
    snprintf(request, sizeof(request), "GET /stream/%zu" HEAD CLOSE, size);
    raw_say(fd, request);
    CHECK(reads_stream(fd, size, true));
    CHECK(flag_wait(&heard.sent, 1));
    CHECK(flag_get(&heard.writable) > 0);
    CHECK(flag_get(&heard.most_queued) < 51000);
    close(fd);
    house_end(&h);
}

// --- many ---

#define MANY 200

static void many_at_once(void)
{
    house h;
    static int fds[MANY];
    begin(&h, (lg_server_limits){0});
    for (int i = 0; i < MANY; i++) {
        fds[i] = raw_connect(h.port);
        char request[100];
        snprintf(request, sizeof(request), "GET %s/%d" HEAD "\r\n", i % 2 ? "/later" : "/drip/5",
                 i);
        CHECK(raw_say(fds[i], request));
    }
    for (int i = 0; i < MANY; i++) {
        raw_text text = {.len = 0};
        CHECK(raw_read_until(fds[i], &text, i % 2 ? "|" : "\r\n0\r\n\r\n"));
        close(fds[i]);
    }
    CHECK(flag_wait(&heard.sent, MANY));
    house_end(&h);
}

static void get_counts(void *data)
{
    *(lg_server_counts *)data = lg_server_count(serving->server);
}

static void connections_have_a_ceiling(void)
{
    house h;
    raw_text text = {.len = 0};
    lg_server_counts counts;
    begin(&h, (lg_server_limits){.connections = 2});
    int a = raw_connect(h.port), b = raw_connect(h.port);
    raw_say(a, "GET /never" HEAD "\r\n");
    raw_say(b, "GET /never" HEAD "\r\n");
    CHECK(flag_wait(&heard.handled, 2));
    for (int i = 0; i < 100; i++) { // more than the daemon has room for beyond it
        text.len = 0;
        int c = raw_connect(h.port);
        raw_read_all(c, &text);
        CHECK(raw_has(&text, "HTTP/1.1 503 ") && raw_has(&text, "Retry-After: 1"));
        close(c);
    }
    house_call(&h, get_counts, &counts);
    CHECK(counts.requests == 2 && counts.refused == 100);
    close(a);
    close(b);
    house_end(&h);
}

static void who_is_idle_makes_room(void)
{
    house h;
    raw_text text = {.len = 0};
    begin(&h, (lg_server_limits){.connections = 2});
    int fds[10];
    for (int i = 0; i < 10; i++) { // all but the first two end one that is kept open
        text.len = 0;
        fds[i] = raw_connect(h.port);
        raw_say(fds[i], "GET /c" HEAD "\r\n");
        CHECK(raw_read_until(fds[i], &text, "<GET /c ?  | >"));
    }
    text.len = 0;
    raw_read_all(fds[0], &text); // the oldest
    CHECK(text.len == 0 && text.ended);
    raw_say(fds[9], "GET /d" HEAD CLOSE); // who made the room has it
    raw_read_all(fds[9], &text);
    CHECK(raw_has(&text, "<GET /d ?  | >"));
    for (int i = 0; i < 10; i++) {
        close(fds[i]);
    }
    house_end(&h);
}

// Two loops at one address: the kernel deals the connections out.
static void loops_share_an_address(void)
{
    house a, b;
    static int fds[MANY];
    begin(&a, (lg_server_limits){0});
    char address[64];
    int len = snprintf(address, sizeof(address), "127.0.0.1:%u", a.port);
    static house *other;
    other = &b;
    house_begin(&b, &(lg_server_options){.listen = {address, (size_t)len},
                                         .joins = true,
                                         .handler = {&other, on_request, NULL}});
    for (int i = 0; i < MANY; i++) {
        fds[i] = raw_connect(a.port);
        CHECK(raw_say(fds[i], "GET /later" HEAD "\r\n"));
    }
    for (int i = 0; i < MANY; i++) {
        raw_text text = {.len = 0};
        CHECK(raw_read_until(fds[i], &text, "<GET /later ?  | >"));
        close(fds[i]);
    }
    CHECK(flag_wait(&heard.sent, MANY));
    house_end(&a);
    house_end(&b);
}

// --- the end ---

static void on_stopped(void *data)
{
    lg_loop_stop(data);
}

static void stop_soon(void *data)
{
    house *h = data;
    lg_server_stop(h->server, 20000, on_stopped, h->loop);
}

static void stop_now(void *data)
{
    house *h = data;
    lg_server_stop(h->server, 20, on_stopped, h->loop);
}

static void a_server_that_stops_finishes_what_it_has(void)
{
    house h;
    begin(&h, (lg_server_limits){0});
    int idle = raw_connect(h.port), later = raw_connect(h.port), drip_fd = raw_connect(h.port);
    raw_text text = {.len = 0};
    raw_say(idle, "GET /a" HEAD "\r\n");
    CHECK(raw_read_until(idle, &text, "| >"));
    raw_say(drip_fd, "GET /drip/200" HEAD "\r\n");
    raw_say(later, "GET /later/x" HEAD "\r\n");
    CHECK(flag_wait(&heard.handled, 3));
    house_call(&h, stop_soon, &h);
    raw_read_all(idle, &text);
    CHECK(text.ended && raw_count(&text, "HTTP/1.1 ") == 1);
    raw_text whole = {.len = 0}, dripped = {.len = 0};
    raw_read_all(later, &whole);
    CHECK(raw_has(&whole, "<GET /later/x") && whole.ended);
    raw_read_all(drip_fd, &dripped);
    CHECK(raw_count(&dripped, "data: x") == 200 && raw_has(&dripped, "\r\n0\r\n\r\n"));
    house_join(&h); // it stops by itself
    CHECK(raw_connect(h.port) < 0);
    CHECK(flag_get(&heard.sent) == 3);
    close(idle);
    close(later);
    close(drip_fd);
}

static void a_server_that_stops_cuts_what_does_not_end(void)
{
    house h;
    begin(&h, (lg_server_limits){0});
    int never = raw_connect(h.port), drip_fd = raw_connect(h.port), half = raw_connect(h.port);
    raw_say(never, "GET /never" HEAD "\r\n");
    raw_say(drip_fd, "GET /drip/1000000" HEAD "\r\n");
    raw_say(half, "POST /a" HEAD "Content-Length: 100\r\n\r\nabc");
    CHECK(flag_wait(&heard.handled, 2));
    house_call(&h, stop_now, &h);
    house_join(&h);
    CHECK(flag_get(&heard.cut) == 2);
    raw_text text = {.len = 0};
    raw_read_all(drip_fd, &text);
    CHECK(text.ended && !raw_has(&text, "\r\n0\r\n"));
    close(never);
    close(drip_fd);
    close(half);
}

static void a_server_that_is_freed_cuts_all(void)
{
    house h;
    begin(&h, (lg_server_limits){0});
    int never = raw_connect(h.port), drip_fd = raw_connect(h.port);
    raw_say(never, "GET /never" HEAD "\r\n");
    raw_say(drip_fd, "GET /drip/1000000" HEAD "\r\n");
    CHECK(flag_wait(&heard.handled, 2));
    house_end(&h);
    CHECK(flag_get(&heard.cut) == 2);
    close(never);
    close(drip_fd);
}

static size_t descriptors(void)
{
    size_t count = 0;
    for (int fd = 0; fd < 4096; fd++) {
        count += fcntl(fd, F_GETFD) >= 0;
    }
    return count;
}

int main(void)
{
    CHECK(lg_net_load(NULL) == LG_OK);
    size_t before = descriptors();
    RUN(refuses_what_can_be_read_in_two_ways);
    RUN(a_nul_in_a_header_is_refused);
    RUN(a_refusal_has_the_form_that_the_handler_gives_it);
    RUN(heads_and_bodies_have_ceilings);
    RUN(all_bodies_together_have_a_ceiling);
    RUN(who_asks_before_sending_is_answered);
    RUN(slow_senders_are_cut);
    RUN(an_answer_that_never_comes_is_cut);
    RUN(a_reader_that_does_not_read_is_given_up);
    RUN(pipelined_requests_are_answered_in_order);
    RUN(methods_that_are_special);
    RUN(who_hangs_up_is_told);
    RUN(who_closes_one_side_is_answered);
    RUN(who_cuts_is_seen_to_cut);
    RUN(a_slow_reader_holds_up_the_writer);
    RUN(many_at_once);
    RUN(loops_share_an_address);
    RUN(connections_have_a_ceiling);
    RUN(who_is_idle_makes_room);
    RUN(a_server_that_stops_finishes_what_it_has);
    RUN(a_server_that_stops_cuts_what_does_not_end);
    RUN(a_server_that_is_freed_cuts_all);
    CHECK_MSG(descriptors() == before, "all descriptors are closed again");
    return lg_test_done();
}
