// otlp.c: spans for a collector.
//
// One span a request, `chat MODEL`, by the GenAI conventions of OpenTelemetry (1.37: `gen_ai.provider.name` and not
// `gen_ai.system`; no event a message), with what was decided under `ledgergate.*` and as an evaluation. Spans are text from the beginning, so that the queue is a buffer, and a batch is that buffer between
// two brackets.
#include "serve/otlp.h"

#include "base/sign.h"
#include "base/str.h"
#include "json/writer.h"

#define QUEUE_BYTES ((size_t)4 << 20)
#define QUEUE_SPANS 8192u
#define TICK_MS 1000
#define SEND_MS 5000u
#define BATCH_SPANS 512u

// --- A span -------------------------------------------------------------------------------------

static void text(lg_json_writer *w, const char *key, lg_str value)
{
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "key", key);
    lg_jw_key(w, "value");
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "stringValue", lg_str_cut(value, 256));
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

static void number(lg_json_writer *w, const char *key, uint64_t value)
{
    char digits[24];
    lg_buf room;
    lg_buf_init_in(&room, digits, sizeof(digits), 0);
    lg_buf_addf(&room, "%llu", (unsigned long long)value); // 64 bits are a text in JSON of protobuf
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "key", key);
    lg_jw_key(w, "value");
    lg_jw_begin_object(w);
    lg_jw_member_str(w, "intValue", lg_buf_str(&room));
    lg_jw_end_object(w);
    lg_jw_end_object(w);
    lg_buf_done(&room);
}

// "00-<32 hex>-<16 hex>-<flags>" (W3C trace context). False: it is none.
static bool is_parent(lg_str text_)
{
    char bytes[16];
    return text_.len >= 55 && lg_str_starts(text_, LG_STR("00-")) && text_.ptr[35] == '-' &&
           text_.ptr[52] == '-' && lg_unhex(lg_str_slice(text_, 3, 35), bytes, 16) &&
           lg_unhex(lg_str_slice(text_, 36, 52), bytes, 8);
}

static void identify(lg_json_writer *w, const otlp_span *s)
{
    unsigned char bytes[24];
    char trace[33], span[17];
    lg_random(bytes, sizeof(bytes));
    lg_hex(bytes, 16, trace);
    lg_hex(bytes + 16, 8, span);
    bool child = is_parent(s->parent);
    lg_jw_member_str(w, "traceId", child ? lg_str_slice(s->parent, 3, 35) : lg_str_c(trace));
    lg_jw_member_c(w, "spanId", span);
    if (child) {
        lg_jw_member_str(w, "parentSpanId", lg_str_slice(s->parent, 36, 52));
    }
}

static void time_of(lg_json_writer *w, const char *key, int64_t ns)
{
    char digits[24];
    lg_buf room;
    lg_buf_init_in(&room, digits, sizeof(digits), 0);
    lg_buf_addf(&room, "%lld", (long long)ns);
    lg_jw_member_str(w, key, lg_buf_str(&room));
    lg_buf_done(&room);
}

static void texts(lg_json_writer *w, const char *key, const lg_str *values, size_t count)
{
    lg_jw_begin_object(w);
    lg_jw_member_c(w, "key", key);
    lg_jw_key(w, "value");
    lg_jw_begin_object(w);
    lg_jw_key(w, "arrayValue");
    lg_jw_begin_object(w);
    lg_jw_key(w, "values");
    lg_jw_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        lg_jw_begin_object(w);
        lg_jw_member_str(w, "stringValue", lg_str_cut(values[i], 64));
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
    lg_jw_end_object(w);
}

// "https://host:8443/v1" -> host, 8443
static void server(lg_json_writer *w, lg_str url)
{
    bool tls = lg_str_starts(url, LG_STR("https://"));
    lg_str rest = lg_str_slice(url, lg_str_find(url, LG_STR("://")) + 3, url.len);
    lg_str host = lg_str_slice(rest, 0, lg_str_find(rest, LG_STR("/")));
    size_t end = host.len;
    uint64_t port = 0;
    uint64_t unit = 1;
    while (end && host.len - end < 5 && host.ptr[end - 1] >= '0' && host.ptr[end - 1] <= '9') {
        port += unit * (uint64_t)(host.ptr[--end] - '0');
        unit *= 10;
    }
    bool said = end && end < host.len && host.ptr[end - 1] == ':';
    text(w, "server.address", said ? lg_str_slice(host, 0, end - 1) : host);
    number(w, "server.port", said ? port : tls ? 443 : 80);
}

static void write_reply(lg_json_writer *w, const lg_exchange_reply *reply)
{
    if (reply->id.len) {
        text(w, "gen_ai.response.id", reply->id);
    }
    if (reply->model.len) {
        text(w, "gen_ai.response.model", reply->model);
    }
    if (reply->finish_count) {
        texts(w, "gen_ai.response.finish_reasons", reply->finishes, reply->finish_count);
    }
    if (reply->has_usage) {
        number(w, "gen_ai.usage.input_tokens", reply->input_tokens);
        number(w, "gen_ai.usage.output_tokens", reply->output_tokens);
    }
}

// Of low cardinality: how it ended, or the status.
static void write_error(lg_json_writer *w, const otlp_span *s)
{
    char digits[16];
    lg_buf room;
    lg_buf_init_in(&room, digits, sizeof(digits), 0);
    lg_buf_addf(&room, "%u", s->status);
    if (s->error || s->status >= 400) {
        text(w, "error.type", s->error ? lg_str_c(s->error) : lg_buf_str(&room));
    }
    lg_buf_done(&room);
}

static void attributes(lg_json_writer *w, const otlp_span *s)
{
    lg_jw_key(w, "attributes");
    lg_jw_begin_array(w);
    text(w, "gen_ai.operation.name", LG_STR("chat"));
    text(w, "gen_ai.provider.name",
         s->api == LG_CHAT_MESSAGES ? LG_STR("anthropic") : LG_STR("openai"));
    text(w, "gen_ai.request.model", s->model);
    write_reply(w, &s->reply);
    server(w, s->upstream);
    number(w, "http.response.status_code", s->status);
    write_error(w, s);
    text(w, "ledgergate.route", s->route);
    text(w, "ledgergate.api", lg_str_c(lg_chat_api_name(s->api)));
    text(w, "ledgergate.mode", s->shadow ? LG_STR("shadow") : LG_STR("enforce"));
    number(w, "ledgergate.decisions", s->decisions);
    number(w, "ledgergate.refused", s->refused);
    number(w, "ledgergate.revisions", s->revisions);
    number(w, "ledgergate.overhead_us", (uint64_t)(s->overhead_ns > 0 ? s->overhead_ns : 0) / 1000);
    if (s->decision.len) {
        text(w, "ledgergate.decision_id", s->decision);
    }
    lg_jw_end_array(w);
}

// What the gate said of the calls, as the conventions have an evaluation of what a model said.
static void events(lg_json_writer *w, const otlp_span *s, int64_t at)
{
    lg_jw_key(w, "events");
    lg_jw_begin_array(w);
    if (s->decisions) {
        lg_jw_begin_object(w);
        time_of(w, "timeUnixNano", at);
        lg_jw_member_c(w, "name", "gen_ai.evaluation.result");
        lg_jw_key(w, "attributes");
        lg_jw_begin_array(w);
        text(w, "gen_ai.evaluation.name", LG_STR("ledgergate"));
        text(w, "gen_ai.evaluation.score.label",
             s->refused ? LG_STR("refused") : LG_STR("allowed"));
        if (s->reply.id.len) {
            text(w, "gen_ai.response.id", s->reply.id);
        }
        lg_jw_end_array(w);
        lg_jw_end_object(w);
    }
    lg_jw_end_array(w);
}

static void write_span(lg_buf *out, const otlp_span *s)
{
    lg_json_writer w = {.out = out};
    char room[300];
    lg_buf name;
    int64_t end = s->end.seconds * (int64_t)LG_TIME_NANOS + s->end.nanos;
    lg_buf_init_in(&name, room, sizeof(room), 0);
    lg_buf_add_c(&name, "chat ");
    lg_buf_add(&name, lg_str_cut(s->model, 256));
    lg_jw_begin_object(&w);
    identify(&w, s);
    lg_jw_member_str(&w, "name", lg_buf_str(&name));
    lg_jw_member_int(&w, "kind", 3); // a client's
    time_of(&w, "startTimeUnixNano", end - s->took_ns);
    time_of(&w, "endTimeUnixNano", end);
    attributes(&w, s);
    events(&w, s, end);
    lg_jw_key(&w, "status");
    lg_jw_begin_object(&w);
    lg_jw_member_int(&w, "code", s->error || s->status >= 400 ? 2 : 0);
    lg_jw_end_object(&w);
    lg_jw_end_object(&w);
    lg_buf_done(&name);
}

void otlp_add(otlp *o, const otlp_span *span)
{
    char room[4096];
    lg_buf line;
    if (!o->is_open) {
        return;
    }
    lg_buf_init_in(&line, room, sizeof(room), 0);
    write_span(&line, span);
    pthread_mutex_lock(&o->lock);
    bool fits = lg_buf_status(&line) == LG_OK && o->waiting_count < QUEUE_SPANS &&
                o->waiting.len + line.len < QUEUE_BYTES && lg_buf_room(&o->waiting, line.len + 1);
    if (fits) {
        lg_buf_add_c(&o->waiting, o->waiting_count ? "," : "");
        lg_buf_add(&o->waiting, lg_buf_str(&line));
        o->waiting_count++;
    }
    bool wakes = o->waiting_count == BATCH_SPANS;
    pthread_mutex_unlock(&o->lock);
    lg_buf_done(&line);
    if (!fits) {
        atomic_fetch_add_explicit(&o->dropped, 1, memory_order_relaxed);
    }
    if (wakes) {
        lg_loop_post(o->loop, &o->wake);
    }
}

// --- Sending ------------------------------------------------------------------------------------

static void send_some(void *data);

static void finish(otlp *o, bool taken)
{
    atomic_fetch_add_explicit(taken ? &o->sent : &o->dropped, o->sending_count,
                              memory_order_relaxed);
    o->sending_count = 0;
    lg_buf_clear(&o->sending);
}

static void on_head(void *data, unsigned status, lg_http_headers headers)
{
    otlp *o = data;
    (void)headers;
    if (status >= 200 && status < 300) {
        finish(o, true);
    }
}

static void on_bytes(void *data, lg_str bytes)
{
    (void)data;
    (void)bytes;
}

static void on_end(void *data, const lg_outbound_end *end)
{
    otlp *o = data;
    (void)end;
    o->out = NULL;
    finish(o, false); // what was not taken
    pthread_mutex_lock(&o->lock);
    bool ending = o->ending;
    bool more = o->waiting_count >= (ending ? 1 : BATCH_SPANS);
    pthread_mutex_unlock(&o->lock);
    if (more) {
        lg_loop_defer(o->loop, &o->wake);
    } else if (ending) {
        lg_loop_stop(o->loop);
    }
}

// The queue between its brackets. False: there is nothing.
static bool take(otlp *o)
{
    static const char scope[] =
        "]},\"scopeSpans\":[{\"scope\":{\"name\":\"ledgergate\"},\"spans\":[";
    lg_buf_clear(&o->sending);
    lg_buf_add_c(&o->sending, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
    lg_json_writer w = {.out = &o->sending};
    text(&w, "service.name", o->service);
    lg_buf_add_c(&o->sending, scope);
    pthread_mutex_lock(&o->lock);
    lg_buf_add(&o->sending, lg_buf_str(&o->waiting));
    o->sending_count = o->waiting_count;
    o->waiting_count = 0;
    lg_buf_clear(&o->waiting);
    pthread_mutex_unlock(&o->lock);
    lg_buf_add_c(&o->sending, "]}]}]}");
    return o->sending_count > 0;
}

static void post(otlp *o)
{
    lg_error err;
    lg_http_header headers[32] = {{LG_STR("content-type"), LG_STR("application/json")}};
    size_t count = 1;
    for (size_t i = 0; i < o->header_count && count < LG_COUNT(headers); i++) {
        headers[count++] = (lg_http_header){o->headers[i].name, o->headers[i].value};
    }
    lg_client_request request = {.method = LG_STR("POST"),
                                 .url = o->url,
                                 .headers = {headers, count},
                                 .body = lg_buf_str(&o->sending),
                                 .connect_ms = SEND_MS,
                                 .first_byte_ms = SEND_MS,
                                 .total_ms = SEND_MS};
    lg_outbound_events events = {o, on_head, on_bytes, on_end};
    bool fine = lg_buf_status(&o->sending) == LG_OK;
    if (!fine || lg_client_send(o->client, &request, &events, &o->out, &err) != LG_OK) {
        finish(o, false);
    }
}

static void send_some(void *data)
{
    otlp *o = data;
    if (!o->out && take(o)) {
        post(o);
    }
    pthread_mutex_lock(&o->lock);
    bool ending = o->ending;
    pthread_mutex_unlock(&o->lock);
    if (ending && !o->out) {
        lg_loop_stop(o->loop);
    }
}

static void on_tick(void *data)
{
    otlp *o = data;
    send_some(o);
    lg_timer_set(o->loop, &o->tick, lg_loop_now_ns(o->loop) + TICK_MS * LG_NS_PER_MS);
}

static void *run(void *data)
{
    otlp *o = data;
    lg_error err;
    lg_status status = lg_loop_run(o->loop, &err);
    (void)status; // then spans are dropped, and counted
    return NULL;
}

// --- Life ---------------------------------------------------------------------------------------

static bool copy_config(otlp *o, const lg_serve_config *c)
{
    lg_serve_pair *pairs = LG_NEW_ARRAY(&o->arena, lg_serve_pair, c->otlp.header_count + 1);
    o->url = lg_arena_str(&o->arena, c->otlp.url);
    o->service =
        lg_arena_str(&o->arena, c->otlp.service.len ? c->otlp.service : LG_STR("ledgergate"));
    bool fine = pairs && o->url.ptr && o->service.ptr;
    for (size_t i = 0; fine && i < c->otlp.header_count; i++) {
        pairs[i].name = lg_arena_str(&o->arena, c->otlp.headers[i].name);
        pairs[i].value = lg_arena_str(&o->arena, c->otlp.headers[i].value);
        fine = pairs[i].name.ptr && pairs[i].value.ptr;
    }
    o->headers = pairs;
    o->header_count = c->otlp.header_count;
    return fine;
}

static lg_status start(otlp *o, const lg_serve_config *c, lg_error *reterr)
{
    lg_client_options options = {.ca_file = c->ca_file.len ? c->ca_file.ptr : NULL};
    if (!copy_config(o, c)) {
        return lg_fail_oom(reterr);
    }
    lg_status status = lg_loop_new(&o->loop, reterr);
    status = status == LG_OK ? lg_client_new(o->loop, &options, &o->client, reterr) : status;
    if (status != LG_OK) {
        return status;
    }
    lg_timer_set(o->loop, &o->tick, lg_loop_now_ns(o->loop) + TICK_MS * LG_NS_PER_MS);
    if (pthread_mutex_init(&o->lock, NULL) != 0) {
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no lock");
    }
    if (pthread_create(&o->thread, NULL, run, o) != 0) {
        pthread_mutex_destroy(&o->lock);
        return lg_fail(reterr, LG_ERR_ENVIRONMENT, "the system gives no more threads");
    }
    o->is_open = true;
    return LG_OK;
}

static void release(otlp *o)
{
    lg_client_free(o->client);
    lg_loop_free(o->loop);
    lg_buf_done(&o->waiting);
    lg_buf_done(&o->sending);
    lg_arena_done(&o->arena);
    o->client = NULL;
    o->loop = NULL;
}

lg_status otlp_open(otlp *o, const lg_serve_config *config, lg_error *reterr)
{
    *o = (otlp){.tick = {.fire = on_tick, .data = o}, .wake = {.run = send_some, .data = o}};
    lg_arena_init(&o->arena, 0);
    lg_buf_init(&o->waiting, QUEUE_BYTES);
    lg_buf_init(&o->sending, 2 * QUEUE_BYTES);
    lg_status status = config->otlp.url.len ? start(o, config, reterr) : LG_OK;
    if (status != LG_OK) {
        release(o);
    }
    return status;
}

void otlp_close(otlp *o)
{
    if (o->is_open) {
        pthread_mutex_lock(&o->lock);
        o->ending = true;
        pthread_mutex_unlock(&o->lock);
        lg_loop_post(o->loop, &o->wake);
        pthread_join(o->thread, NULL);
        pthread_mutex_destroy(&o->lock);
        o->is_open = false;
    }
    release(o);
}
