// bridge.c: one request between the client, the exchange that judges it, and the upstream.
//
// The exchange says what to do, and everything that happens is told to it; then it is asked again. A bridge
// lives until both sides have let go: the client's request is done, and the upstream's answer has ended. An upstream
// that has said all but not closed its answer is given a moment, so that its connection can be used again.
//
// The overhead is the time from the request's last byte to the answer's head that was not spent waiting for bytes of
// the upstream: an answer that is judged whole is waited for to its end.
#include "base/alloc.h"
#include "base/str.h"
#include "pack/pack.h"
#include "serve/serve_internal.h"

#define HEADERS_MAX 256u // of a reply

#define DRAIN_MS 1000
#define HEADERS_OF_CLIENT_MAX 200u

struct bridge {
    worker *worker;
    routing *routing;
    crossing c;
    lg_exchange *x;
    lg_inbound *in;   // NULL: done with
    lg_outbound *out; // NULL: none is under way
    bool finished;    // the exchange is over
    bool gated;       // the latest request
    bool asked_twice; // of the latest request: it was sent again, of which nothing had been sent
    lg_str body;      // likewise: the exchange's own
    bool streams;     // likewise: it may be over for the client before the upstream has closed it
    lg_buf kept;      // then: `body`, which outlives the exchange
    ascent up;
    lg_task more;
    aside_work work;
    lg_exchange_action came; // of the work
    bool is_aside;           // the exchange is at work on another thread, which alone may touch it
    bool has_come;           // likewise, and `came` is to be done
    lg_buf left;             // the body, if the client has gone meanwhile
    lg_timer drain;
    uint64_t token;     // for the log; 0: it does not wait
    bridge *token_next; // in its bucket
    bridge *next, *previous;
    int64_t asked_ns; // the latest request; 0: its head has come
    int64_t waits_ns; // since then nothing is to be done but to wait for the upstream; 0: there is
    int64_t upstream_ns; // spent so, until the head went to the client
    int64_t overhead_ns;
    uint16_t status;          // told to the client
    bool tells_events;        // in a stream of events,
    bool in_event;            // of which the last is not whole
    const char *upstream_end; // how the latest answer ended; NULL: it has not
    char upstream_why[200];   // if not well: for the operator alone
};

static void drive(bridge *b);

// --- The log's word -----------------------------------------------------------------------------

static void wait_for(bridge *b, uint64_t token)
{
    bridge **bucket = &b->worker->waiting[token % WAITING_BUCKETS];
    LG_ASSERT(!b->token && token); // it stands in one bucket, and leaves it by the token
    b->token = token;
    b->token_next = *bucket;
    *bucket = b;
}

static void wait_no_more(bridge *b)
{
    bridge **at = &b->worker->waiting[b->token % WAITING_BUCKETS];
    while (b->token && *at && *at != b) {
        at = &(*at)->token_next;
    }
    if (b->token && *at) {
        *at = b->token_next;
    }
    b->token = 0;
}

void bridge_kept(bridge *b, lg_status status)
{
    uint64_t token = b->token;
    wait_no_more(b);
    lg_exchange_durable(b->x, token, status);
    drive(b);
}

void bridge_kept_token(worker *w, uint64_t token, lg_status status)
{
    bridge *b = w->waiting[token % WAITING_BUCKETS];
    while (b && b->token != token) {
        b = b->token_next;
    }
    if (b) {
        bridge_kept(b, status);
    }
}

// --- Its end ------------------------------------------------------------------------------------

static void release(bridge *b)
{
    lg_outbound *out = b->out;
    LG_ASSERT(!b->is_aside || !b->worker->aside.is_open); // else the other thread has the exchange
    b->out = NULL;
    if (out) {
        lg_outbound_cancel(out);
    }
    wait_no_more(b);
    lg_loop_forget(b->worker->loop, &b->more);
    lg_timer_stop(b->worker->loop, &b->drain);
    lg_exchange_free(b->x);
    lg_buf_done(&b->left);
    lg_buf_done(&b->kept);
    *(b->previous ? &b->previous->next : &b->worker->bridges) = b->next;
    if (b->next) {
        b->next->previous = b->previous;
    }
    routing_unref(b->routing);
    atomic_fetch_sub_explicit(&b->worker->metrics.requests_in_flight, 1, memory_order_relaxed);
    lg_free(b);
}

void bridge_drop(bridge *b)
{
    release(b);
}

static void on_drained(void *data)
{
    release(data);
}

static const char *how_name(lg_done how)
{
    switch (how) {
    case LG_DONE_SENT:
        return "sent";
    case LG_DONE_GONE:
        return "client_gone";
    case LG_DONE_CUT:
        return "cut";
    }
    return "";
}

static void count(const bridge *b, lg_done how)
{
    metrics *m = &b->worker->metrics;
    if (b->c.probe.len) { // not one of those that are counted
        return;
    }
    metrics_time(&m->overhead, b->overhead_ns);
    metrics_time(&m->total, lg_monotonic_ns() - lg_inbound_request(b->c.in)->arrived_ns);
    if (how == LG_DONE_GONE) {
        metrics_count(&m->clients_gone_total);
    }
    if (how == LG_DONE_CUT && atomic_load(&b->worker->gateway->stopping)) {
        metrics_count(&b->worker->gateway->cut_at_end);
    }
    if (b->status) {
        metrics_status(m, b->status);
    }
}

// What the exchange can say of itself at this moment.
static lg_exchange_report report_of(const bridge *b)
{
    lg_exchange_report report = {.problem = b->is_aside ? LG_STR("unfinished") : LG_STR("")};
    if (!b->is_aside) {
        lg_exchange_tell(b->x, &report);
    }
    return report;
}

// Has the conversation a result of a call that did not come by here, or was refused here?
static const char *finding_of(const lg_exchange_report *r)
{
    return r->results_refused    ? "result_of_refused"
           : r->results_unjudged ? "result_never_judged"
                                 : NULL;
}

static void tell_finding(say_line *line, const lg_exchange_report *r)
{
    if (finding_of(r)) {
        say_text(line, "finding", lg_str_c(finding_of(r)));
        say_text(line, "finding_tool", r->finding_tool);
        say_number(line, "findings", r->results_refused + r->results_unjudged);
        say_text(line, "conversation", r->conversation);
    }
}

static void count_findings(const bridge *b)
{
    if (b->is_aside) {
        return;
    }
    lg_exchange_report report = report_of(b);
    route_counts *to = b->c.route->counts;
    atomic_fetch_add_explicit(&to->results_refused, report.results_refused, memory_order_relaxed);
    atomic_fetch_add_explicit(&to->results_unjudged, report.results_unjudged, memory_order_relaxed);
}

// A line for the operator: who, where and how it went, and nothing of what was said.
static void tell(const bridge *b, lg_done how)
{
    say_line line;
    say *to = &b->worker->gateway->say;
    const lg_http_request *r = lg_inbound_request(b->c.in);
    lg_exchange_report report = report_of(b);
    if (lg_str_eq(report.problem, LG_STR("ledgergate_journal"))) {
        serve_look_at_log(b->worker->gateway);
    }
    bool warns =
        b->status >= 500 || how != LG_DONE_SENT || report.problem.len || finding_of(&report);
    if (b->routing->config->log.no_requests && !warns) {
        return;
    }
    say_begin(&line, to, warns ? "warn" : "info", "request");
    say_number(&line, "id", r->id);
    say_text(&line, "route", b->c.route->config->path);
    say_text(&line, "endpoint", b->c.rest);
    say_text(&line, "principal", b->c.principal);
    say_text(&line, "model", report.model);
    say_number(&line, "status", b->status);
    say_text(&line, "end", lg_str_c(how_name(how)));
    if (b->upstream_end) {
        say_text(&line, "upstream", lg_str_c(b->upstream_end));
    }
    if (b->upstream_why[0]) {
        say_text(&line, "upstream_why", lg_str_c(b->upstream_why));
    }
    say_number(&line, "decisions", report.decisions);
    say_number(&line, "refused", report.refused);
    say_number(&line, "revisions", report.revisions);
    say_text(&line, "decision", report.decision_id);
    say_text(&line, "problem", report.problem);
    if (report.why.len) {
        say_text(&line, "why", report.why);
    }
    tell_finding(&line, &report);
    if (b->c.probe.len) {
        say_text(&line, "probe", b->c.probe);
    }
    say_number(&line, "overhead_us", (uint64_t)(b->overhead_ns > 0 ? b->overhead_ns : 0) / 1000);
    say_number(&line, "total_us", (uint64_t)(lg_monotonic_ns() - r->arrived_ns) / 1000);
    say_end(&line, to);
}

// The same for a collector.
static void trace(const bridge *b, lg_done how)
{
    lg_serve *s = b->worker->gateway;
    const lg_http_request *r = lg_inbound_request(b->c.in);
    if (!s->otlp.is_open || b->c.way != b->c.route->judged) {
        return;
    }
    lg_exchange_report report = report_of(b);
    otlp_span span = {.parent = lg_http_header_value(r->headers, LG_STR("traceparent")),
                      .api = b->c.api,
                      .route = b->c.route->config->path,
                      .model = report.model,
                      .decision = report.decision_id,
                      .end = s->host.now(),
                      .took_ns = lg_monotonic_ns() - r->arrived_ns,
                      .overhead_ns = b->overhead_ns,
                      .status = b->status,
                      .error = how != LG_DONE_SENT ? how_name(how) : NULL,
                      .upstream = b->c.route->config->upstream.url,
                      .decisions = report.decisions,
                      .refused = report.refused,
                      .revisions = report.revisions,
                      .shadow = report.shadow};
    if (!b->is_aside) {
        lg_exchange_tell_reply(b->x, &span.reply);
    }
    otlp_add(&s->otlp, &span);
}

// Of the client's side nothing comes any more.
static void on_done(void *data, lg_done how)
{
    bridge *b = data;
    bool sent = how == LG_DONE_SENT && b->finished;
    b->in = NULL;
    if (!b->is_aside) {
        lg_exchange_delivered(b->x, sent);
    }
    count(b, how);
    count_findings(b);
    tell(b, how);
    trace(b, how);
    if (b->is_aside) { // it ends when the other thread is done with it, which reads the body
        lg_inbound_take_body(b->c.in, &b->left);
        return;
    }
    if (!sent || !b->out || !b->streams) {
        release(b);
        return;
    }
    b->kept = lg_exchange_take_body(b->x); // it may still be on its way up
    lg_exchange_free(b->x);                // the request's bytes go now
    b->x = NULL;
    b->drain = (lg_timer){.fire = on_drained, .data = b};
    lg_timer_set(b->worker->loop, &b->drain,
                 lg_loop_now_ns(b->worker->loop) + DRAIN_MS * LG_NS_PER_MS);
}

// --- The upstream -------------------------------------------------------------------------------

static void answered(bridge *b)
{
    if (b->asked_ns) {
        metrics_time(&b->worker->metrics.upstream, lg_monotonic_ns() - b->asked_ns);
        b->asked_ns = 0;
    }
}

// Something of the upstream is here: what is done with it is our own time, until it is waited for again.
static void heard(bridge *b)
{
    if (b->waits_ns) {
        b->upstream_ns += lg_monotonic_ns() - b->waits_ns;
        b->waits_ns = 0;
    }
}

static void wait_upstream(bridge *b)
{
    if (b->out && !b->status && !b->waits_ns) {
        b->waits_ns = lg_monotonic_ns();
    }
}

// Is the upstream listened to? While the exchange is on the other thread nothing is heard of it (go_aside).
static bool is_open(const bridge *b)
{
    return !b->finished && !b->is_aside;
}

static void on_head(void *data, unsigned status, lg_http_headers headers)
{
    bridge *b = data;
    lg_http_field fields[HEADERS_MAX];
    size_t count = headers.count < HEADERS_MAX ? headers.count : HEADERS_MAX;
    for (size_t i = 0; i < count; i++) {
        fields[i] = (lg_http_field){headers.items[i].name, headers.items[i].value};
    }
    heard(b);
    answered(b);
    if (is_open(b)) {
        lg_exchange_upstream_head(b->x, (uint16_t)status, fields, count);
        drive(b);
    }
}

static void on_bytes(void *data, lg_str bytes)
{
    bridge *b = data;
    heard(b);
    if (is_open(b)) {
        lg_exchange_upstream_bytes(b->x, bytes);
        drive(b);
    }
}

static bool send_upstream(bridge *b, lg_error *reterr);

// What a client is told: it knows no host behind the gate, and learns of none.
static lg_str told_of(lg_end_kind kind)
{
    switch (kind) {
    case LG_END_OK:
        break;
    case LG_END_REFUSED:
        return LG_STR("it could not be reached, and was sent nothing");
    case LG_END_TIMEOUT:
        return LG_STR("it took longer than is allowed");
    case LG_END_RESET:
        return LG_STR("the connection broke before its answer, and nobody knows what was done");
    case LG_END_CUT:
        return LG_STR("the connection broke within its answer");
    case LG_END_TOO_LARGE:
        return LG_STR("the answer is larger than it may be");
    case LG_END_BAD:
        return LG_STR("what it said is no HTTP");
    case LG_END_FAILED:
        return LG_STR("LedgerGate could not ask it");
    }
    return LG_STR("");
}

static void note_end(bridge *b, lg_end_kind kind, lg_str why)
{
    b->upstream_end = lg_end_kind_name(kind);
    lg_str kept = lg_str_cut(kind == LG_END_OK ? LG_STR("") : why, sizeof(b->upstream_why) - 1);
    lg_copy_bytes(b->upstream_why, kept.ptr, kept.len);
    b->upstream_why[kept.len] = '\0';
}

static void on_end(void *data, const lg_outbound_end *end)
{
    bridge *b = data;
    b->out = NULL;
    heard(b);
    note_end(b, end->kind, end->what);
    // A kept connection that turned out to be closed: nothing was sent, so nothing is asked twice.
    if (is_open(b) && end->reused && !end->sent && end->kind == LG_END_RESET && !b->asked_twice) {
        lg_error err;
        b->asked_twice = true;
        if (send_upstream(b, &err)) {
            wait_upstream(b);
            return;
        }
    }
    answered(b);
    if (!b->in && !b->is_aside) {
        release(b);
        return;
    }
    if (end->kind != LG_END_OK) {
        metrics_count(&b->worker->metrics.upstream_failures_total);
    }
    if (is_open(b)) {
        lg_upstream_end how = {.whole = end->kind == LG_END_OK,
                               .status = end->kind == LG_END_TIMEOUT ? 504 : 502,
                               .why = told_of(end->kind)};
        lg_exchange_upstream_end(b->x, &how);
        drive(b);
    }
}

static bool send_upstream(bridge *b, lg_error *reterr)
{
    const lg_serve_config *c = b->routing->config;
    lg_client_request request = {
        .method = lg_inbound_request(b->c.in)->method,
        .url = b->up.url,
        .headers = {b->up.headers, b->up.header_count},
        .body = b->body,
        .connect_ms = (uint32_t)c->timeouts.connect,
        .first_byte_ms = (uint32_t)c->timeouts.first_byte,
        .idle_ms = (uint32_t)c->timeouts.idle,
        .total_ms = (uint32_t)c->timeouts.total,
        .body_bytes = b->gated ? c->limits.reply_bytes : 0,
    };
    lg_outbound_events events = {b, on_head, on_bytes, on_end};
    return lg_client_send(b->worker->client, &request, &events, &b->out, reterr) == LG_OK;
}

static void ask(bridge *b, const lg_exchange_action *a)
{
    lg_error err = {0};
    if (b->c.probe.len) {
        bool odd = b->c.route->law->pack->allow_unknown_tools;
        probe_answer(b->x, b->c.api, b->c.probe, a->stream, odd, lg_inbound_arena(b->in));
        return;
    }
    if (b->out) { // of an earlier round, which has said all that counts
        lg_outbound_cancel(b->out);
        b->out = NULL;
    }
    b->body = a->body;
    b->streams = a->stream;
    b->gated = a->gated;
    b->asked_twice = false;
    b->asked_ns = lg_monotonic_ns();
    if (!send_upstream(b, &err)) {
        answered(b);
        note_end(b, LG_END_FAILED, lg_str_c(err.msg));
        lg_upstream_end how = {.status = 502, .why = told_of(LG_END_FAILED)};
        lg_exchange_upstream_end(b->x, &how);
    }
}

// --- The client ---------------------------------------------------------------------------------

static bool is_stream(const lg_exchange_action *a)
{
    for (size_t i = 0; i < a->field_count; i++) {
        if (lg_str_eq_any_case(a->fields[i].name, LG_STR("content-type"))) {
            return lg_str_starts(a->fields[i].value, LG_STR("text/event-stream"));
        }
    }
    return false;
}

// What the upstream said, and what is ours.
static lg_http_headers head_of(bridge *b, const lg_exchange_action *a)
{
    lg_arena *arena = lg_inbound_arena(b->in);
    const lg_http_request *r = lg_inbound_request(b->in);
    lg_http_header *items = LG_NEW_ARRAY(arena, lg_http_header, a->field_count + 3 + CORS_HEADERS);
    size_t count = 0;
    lg_exchange_report report;
    lg_exchange_tell(b->x, &report);
    for (size_t i = 0; items && i < a->field_count; i++) {
        if (!cors_is_theirs(r, a->fields[i].name)) {
            items[count++] = (lg_http_header){a->fields[i].name, a->fields[i].value};
        }
    }
    count += items ? cors_add(r, items + count) : 0;
    lg_str overhead =
        lg_arena_printf(arena, "%lld", (long long)(b->overhead_ns > 0 ? b->overhead_ns / 1000 : 0));
    if (items && overhead.ptr) {
        items[count++] = (lg_http_header){LG_STR("x-ledgergate-overhead-us"), overhead};
    }
    if (items && report.decision_id.len) {
        items[count++] = (lg_http_header){LG_STR("x-ledgergate-decision-id"), report.decision_id};
    }
    // Without a pack nothing is said that the upstream did not say.
    if (items && b->gated && is_stream(a)) {
        items[count++] = (lg_http_header){LG_STR("x-accel-buffering"), LG_STR("no")};
    }
    return (lg_http_headers){items, items ? count : 0};
}

static bool ends_event(lg_str bytes)
{
    return lg_str_ends(bytes, LG_STR("\n\n")) || lg_str_ends(bytes, LG_STR("\n\r\n"));
}

static void give(bridge *b, const lg_exchange_action *a)
{
    if (a->head) {
        b->overhead_ns = lg_monotonic_ns() - lg_inbound_request(b->in)->arrived_ns - b->upstream_ns;
        b->status = a->status;
        lg_http_headers headers = head_of(b, a);
        if (a->end && !a->broken) {
            lg_inbound_reply(b->in, a->status, headers, a->body);
            return;
        }
        lg_inbound_begin(b->in, a->status, headers);
        b->tells_events = is_stream(a);
    }
    b->in_event = a->body.len ? !ends_event(a->body) : b->in_event;
    if (a->body.len && lg_inbound_write(b->in, a->body) != LG_OK) {
        return; // it is cut, and `done` will say so
    }
    if (a->end && a->broken) {
        lg_inbound_cut(b->in);
    } else if (a->end) {
        lg_inbound_end(b->in);
    } else if (lg_inbound_is_full(b->in) && b->out) {
        lg_outbound_pause(b->out);
    }
}

static void on_writable(void *data)
{
    bridge *b = data;
    if (b->out && !b->is_aside) {
        lg_outbound_resume(b->out);
    }
}

// Is somebody still there who reads? Between two events a comment tells, which every reader passes over; else what comes next.
static bool on_half_closed(void *data)
{
    bridge *b = data;
    if (b->tells_events && !b->in_event) {
        (void)!lg_inbound_write(b->in, LG_STR(":\n\n")); // what fails is told by `done`
    }
    return true;
}

// On the thread beside the loop, until the exchange waits for something, or goes on on the loop.
static void work_aside(void *data)
{
    bridge *b = data;
    do {
        b->came = lg_exchange_next(b->x);
    } while (b->came.kind == LG_EXCHANGE_MORE && b->came.aside);
    lg_loop_post(b->worker->loop, &b->more);
}

static void go_aside(bridge *b)
{
    metrics_count(&b->worker->metrics.aside_total);
    b->is_aside = true;
    lg_loop_forget(b->worker->loop,
                   &b->more); // a turn that was put off: it would be taken for the thread's word
    if (b->out) {             // what comes meanwhile could be told to nobody
        lg_outbound_pause(b->out);
    }
    aside_give(&b->worker->aside, &b->work);
}

static lg_exchange_action next_action(bridge *b)
{
    if (b->has_come) {
        b->has_come = false;
        return b->came;
    }
    return lg_exchange_next(b->x);
}

// Does what the exchange says until it waits for something.
static void drive(bridge *b)
{
    LG_ASSERT(!b->is_aside);
    while (b->in && !b->finished) {
        lg_exchange_action a = next_action(b);
        switch (a.kind) {
        case LG_EXCHANGE_MORE:
            if (a.aside) {
                go_aside(b);
            } else {
                lg_loop_defer(b->worker->loop, &b->more);
            }
            return;
        case LG_EXCHANGE_UPSTREAM:
            ask(b, &a);
            break;
        case LG_EXCHANGE_SEND:
            give(b, &a);
            break;
        case LG_EXCHANGE_WAIT:
            wait_upstream(b);
            return;
        case LG_EXCHANGE_WAIT_DURABLE:
            if (!b->token) {
                wait_for(b, a.token);
            }
            return;
        case LG_EXCHANGE_DONE:
            b->finished = true;
            return;
        }
    }
}

static void on_more(void *data)
{
    bridge *b = data;
    b->has_come = b->is_aside;
    b->is_aside = false;
    if (b->has_come && !b->in) {
        count_findings(b);
        release(b);
        return;
    }
    if (b->has_come && b->out && !lg_inbound_is_full(b->in)) {
        lg_outbound_resume(b->out);
    }
    drive(b);
}

// --- Its beginning ------------------------------------------------------------------------------

static bool open_exchange(bridge *b)
{
    lg_exchange_options options = {
        .proxy = b->worker->gateway->proxy,
        .route = b->c.way,
        .api = b->c.api,
        .principal = b->c.principal,
        .body = lg_inbound_request(b->c.in)->body,
        .now = b->worker->gateway->host.now(),
        .canary = b->c.probe.len > 0,
        .kept = worker_kept,
        .kept_context = b->worker,
    };
    return lg_exchange_new(&options, &b->x) == LG_OK;
}

static void enlist(bridge *b)
{
    b->next = b->worker->bridges;
    if (b->next) {
        b->next->previous = b;
    }
    b->worker->bridges = b;
}

void bridge_begin(const crossing *c)
{
    if (lg_inbound_request(c->in)->headers.count > HEADERS_OF_CLIENT_MAX) {
        front_fail(c->worker, c->in, 431, "ledgergate_request", "more than %u headers",
                   HEADERS_OF_CLIENT_MAX);
        return;
    }
    bridge *b = lg_zalloc(sizeof(*b));
    if (b) {
        b->worker = c->worker;
        b->c = *c;
        b->in = c->in;
        b->more = (lg_task){.run = on_more, .data = b};
        b->work = (aside_work){.run = work_aside, .data = b};
        lg_buf_init(&b->left, 0);
        lg_buf_init(&b->kept, 0);
    }
    if (!b || !ascent_prepare(&b->c, &b->up) || !open_exchange(b)) {
        lg_free(b);
        front_fail(c->worker, c->in, 503, "ledgergate_memory",
                   "LedgerGate is out of memory; try again later");
        return;
    }
    b->routing = c->worker->routing;
    routing_ref(b->routing);
    enlist(b);
    if (!b->c.probe.len) {
        metrics_count(&b->worker->metrics.requests_total);
    }
    metrics_count(&b->worker->metrics.requests_in_flight);
    lg_inbound_listen(b->in, (lg_inbound_events){b, on_writable, on_done, on_half_closed});
    drive(b);
}
