// admin.c: what an operator's machines ask: is it alive, is it ready, what does it count.
#include "base/str.h"
#include "serve/serve_internal.h"

static void answer(lg_inbound *in, unsigned status, const char *type, lg_str body)
{
    lg_http_header headers[] = {{LG_STR("content-type"), lg_str_c(type)},
                                {LG_STR("cache-control"), LG_STR("no-store")}};
    lg_inbound_reply(in, status, (lg_http_headers){headers, LG_COUNT(headers)}, body);
}

static void ready(const worker *w, lg_inbound *in)
{
    const lg_serve *s = w->gateway;
    lg_error err = {0};
    bool stopping = atomic_load(&s->stopping);
    bool kept = !s->store || lg_store_status(s->store, &err) == LG_OK;
    char room[512];
    lg_buf body;
    lg_buf_init_in(&body, room, sizeof(room), 0);
    lg_json_writer line = {.out = &body};
    lg_jw_begin_object(&line);
    lg_jw_key(&line, "ready");
    lg_jw_bool(&line, kept && !stopping);
    if (!kept || stopping) {
        lg_jw_key(&line, "why");
        lg_jw_c(&line, stopping ? "it is ending" : err.msg);
    }
    lg_jw_key(&line, "routes");
    lg_jw_uint(&line, w->routing->count);
    lg_jw_end_object(&line);
    lg_buf_add_c(&body, "\n");
    answer(in, kept && !stopping ? 200 : 503, "application/json", lg_buf_str(&body));
    lg_buf_done(&body);
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
