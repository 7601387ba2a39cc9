// admin.c: what an operator's machines ask: is it alive, is it ready, what does it count.
#include "base/str.h"
#include "serve/serve_internal.h"

static void answer(lg_inbound *in, unsigned status, const char *type, lg_str body)
{
    lg_http_header headers[] = {{LG_STR("content-type"), lg_str_c(type)},
                                {LG_STR("cache-control"), LG_STR("no-store")},
                                {LG_STR("allow"), LG_STR("GET, HEAD")}}; // the last for 405 alone
    size_t count = LG_COUNT(headers) - (status != 405);
    lg_inbound_reply(in, status, (lg_http_headers){headers, count}, body);
}

// Who has asked whether it is ready, and waits for the log's word. In the request's arena.
struct ready_check {
    worker *worker;
    lg_inbound *in;
    ready_check *next, *previous;
};

// `why` NULL: it is ready.
static void answer_ready(const worker *w, lg_inbound *in, const char *why)
{
    char room[512];
    lg_buf body;
    lg_buf_init_in(&body, room, sizeof(room), 0);
    lg_json_writer line = {.out = &body};
    lg_jw_begin_object(&line);
    lg_jw_member_bool(&line, "ready", why == NULL);
    if (why) {
        lg_jw_member_c(&line, "why", why);
    }
    lg_jw_member_uint(&line, "routes", w->routing->count);
    const lg_serve_config *c = w->routing->config;
    if (c->admin_listen.len || !c->token_count) { // not to strangers
        lg_jw_key(&line, "packs");
        routing_tell(w->routing, w->routing->count, &line);
    }
    lg_jw_end_object(&line);
    lg_buf_add_c(&body, "\n");
    answer(in, why ? 503 : 200, "application/json", lg_buf_str(&body));
    lg_buf_done(&body);
}

static void forget_check(void *data, lg_done how)
{
    ready_check *check = data;
    (void)how;
    *(check->previous ? &check->previous->next : &check->worker->checks) = check->next;
    if (check->next) {
        check->next->previous = check->previous;
    }
}

// On the log's thread.
static void checked(void *context, const lg_store_receipt *receipt)
{
    worker *w = context;
    pthread_mutex_lock(&w->lock);
    w->check_error = receipt->error ? *receipt->error : (lg_error){0};
    pthread_mutex_unlock(&w->lock);
    worker_kept(w, CHECK_TOKEN, receipt->status);
}

static void answer_checks(worker *w, const char *why)
{
    for (ready_check *check = w->checks; check; check = check->next) {
        if (check->in) {
            answer_ready(w, check->in, why);
            check->in = NULL; // its `done` comes later
        }
    }
}

void admin_checked(worker *w, lg_status status)
{
    pthread_mutex_lock(&w->lock);
    lg_error err = w->check_error;
    pthread_mutex_unlock(&w->lock);
    w->checking = false;
    if (status != LG_OK && !err.msg[0]) {
        (void)lg_fail(&err, status, "the log could not be asked");
    }
    answer_checks(w, status == LG_OK ? NULL : err.msg);
}

// The log is asked whether it could be written to now: somebody may have locked it.
static void ask_log(worker *w, lg_inbound *in)
{
    lg_error err;
    ready_check *check = LG_NEW(lg_inbound_arena(in), ready_check);
    if (!check) {
        answer_ready(w, in, "out of memory");
        return;
    }
    *check = (ready_check){.worker = w, .in = in, .next = w->checks};
    if (check->next) {
        check->next->previous = check;
    }
    w->checks = check;
    lg_inbound_listen(in, (lg_inbound_events){.data = check, .done = forget_check});
    if (w->checking) {
        return;
    }
    w->checking = true;
    if (lg_store_append(w->gateway->store, NULL, 0, checked, w, NULL, &err) != LG_OK) {
        w->checking = false;
        answer_checks(w, err.msg);
    }
}

static void ready(worker *w, lg_inbound *in)
{
    const lg_serve *s = w->gateway;
    lg_error err = {0};
    if (atomic_load(&s->stopping)) {
        answer_ready(w, in, "it is ending");
    } else if (s->store && lg_store_status(s->store, &err) != LG_OK) {
        answer_ready(w, in, err.msg);
    } else if (s->store) {
        ask_log(w, in);
    } else {
        answer_ready(w, in, NULL);
    }
}

static void numbers(const worker *w, lg_inbound *in)
{
    lg_buf body;
    lg_buf_init(&body, 0);
    metrics_write(&body, w);
    if (lg_buf_status(&body) == LG_OK) {
        answer(in, 200, "text/plain; version=0.0.4; charset=utf-8", lg_buf_str(&body));
    } else {
        answer(in, 503, "text/plain", LG_STR("out of memory\n"));
    }
    lg_buf_done(&body);
}

bool admin_is(lg_str path, bool *ret_open)
{
    *ret_open = !lg_str_eq(path, LG_STR("/metrics"));
    return lg_str_eq(path, LG_STR("/livez")) || lg_str_eq(path, LG_STR("/readyz")) ||
           lg_str_eq(path, LG_STR("/healthz")) || !*ret_open;
}

void admin_answer(worker *w, lg_inbound *in)
{
    const lg_http_request *r = lg_inbound_request(in);
    bool open;
    bool reads = lg_str_eq(r->method, LG_STR("GET")) || lg_str_eq(r->method, LG_STR("HEAD"));
    if (!admin_is(r->path, &open)) {
        answer(in, 404, "text/plain", LG_STR("here are /livez, /readyz and /metrics\n"));
    } else if (!reads) {
        answer(in, 405, "text/plain", LG_STR("this takes GET\n"));
    } else if (!open) {
        numbers(w, in);
    } else if (lg_str_eq(r->path, LG_STR("/livez"))) {
        answer(in, 200, "application/json", LG_STR("{\"alive\":true}\n"));
    } else {
        ready(w, in);
    }
}

void admin_request(void *data, lg_inbound *in)
{
    admin_answer(data, in);
}
