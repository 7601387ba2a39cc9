// wire.c: one HTTP request, waited for.
//
// Each has a connection of its own: one that was kept open may die under a request, and then nobody knows whether that was
// carried out. A call of a tool is worth a handshake.
#include "tool/tool_internal.h"

#include "base/events.h"

#define HEADERS_MAX 100u // kept of an answer

typedef struct waiting {
    lg_wire *wire;
    const lg_wire_request *request;
    lg_arena *arena;
    lg_wire_answer *answer;
    lg_buf body;
    lg_events events;
    lg_outbound *out;
    bool failed; // out of memory
} waiting;

static void on_head(void *data, unsigned status, lg_http_headers headers)
{
    waiting *w = data;
    size_t count = headers.count < HEADERS_MAX ? headers.count : HEADERS_MAX;
    lg_http_header *kept = LG_NEW_ARRAY(w->arena, lg_http_header, count);
    lg_str type = lg_http_header_value(headers, LG_STR("content-type"));
    w->answer->status = status;
    w->answer->is_events = w->request->event && status / 100 == 2 &&
                           lg_is_media_type(type, LG_STR("text/event-stream"));
    for (size_t i = 0; kept && i < count; i++) {
        kept[i].name = lg_arena_str(w->arena, headers.items[i].name);
        kept[i].value = lg_arena_str(w->arena, headers.items[i].value);
        w->failed = w->failed || !kept[i].name.ptr || !kept[i].value.ptr;
    }
    w->failed = w->failed || (count && !kept);
    w->answer->headers = (lg_http_headers){kept, kept ? count : 0};
}

static void over(waiting *w)
{
    lg_loop_stop(w->wire->loop);
}

static void take_events(waiting *w, bool is_all)
{
    lg_str event;
    lg_wire_answer *answer = w->answer;
    while (!answer->is_found && lg_events_next(&w->events, lg_buf_str(&w->body), is_all, &event)) {
        answer->is_found = w->request->event(w->request->data, event);
    }
}

static void on_bytes(void *data, lg_str bytes)
{
    waiting *w = data;
    lg_buf_add(&w->body, bytes);
    if (w->answer->is_events && lg_buf_status(&w->body) == LG_OK) {
        take_events(w, false);
    }
    if (w->answer->is_found) {
        lg_outbound_cancel(w->out);
        w->answer->kind = LG_END_OK;
        w->answer->sent = true;
        over(w);
    }
}

static void on_end(void *data, const lg_outbound_end *end)
{
    waiting *w = data;
    w->answer->kind = end->kind;
    w->answer->sent = end->sent;
    w->answer->why = lg_arena_str(w->arena, end->what);
    if (w->answer->is_events && lg_buf_status(&w->body) == LG_OK) {
        take_events(w, true);
    }
    over(w);
}

static void ignore_head(void *data, unsigned status, lg_http_headers headers)
{
    (void)data;
    (void)status;
    (void)headers;
}

static void ignore_bytes(void *data, lg_str bytes)
{
    (void)data;
    (void)bytes;
}

static void ignore_end(void *data, const lg_outbound_end *end)
{
    (void)data;
    (void)end;
}

// What cannot be sent the server does not get: it asked for something that this client has not.
void lg_wire_add(lg_wire *wire, const lg_client_request *request)
{
    lg_outbound_events events = {NULL, ignore_head, ignore_bytes, ignore_end};
    lg_outbound *out;
    if (wire->client) {
        lg_status status = lg_client_send(wire->client, request, &events, &out, NULL);
        (void)status;
    }
}

static lg_status wait(waiting *w, lg_error *reterr)
{
    lg_outbound_events events = {w, on_head, on_bytes, on_end};
    lg_wire *wire = w->wire;
    lg_status status = lg_client_send(wire->client, &w->request->request, &events, &w->out, reterr);
    status = status == LG_OK ? lg_loop_run(wire->loop, reterr) : status;
    if (status != LG_OK) {
        return status;
    }
    lg_wire_answer *answer = w->answer;
    if (!answer->is_events) {
        answer->body = lg_arena_str(w->arena, lg_buf_str(&w->body));
    }
    answer->why = answer->why.ptr ? answer->why : LG_STR("");
    bool fine = !w->failed && (answer->is_events || answer->body.ptr) &&
                lg_buf_status(&w->body) == LG_OK && lg_buf_status(&w->events.data) == LG_OK;
    return fine ? LG_OK : lg_fail_oom(reterr);
}

// From now on whoever stops the executor stops this loop, or no more. False: it was stopped before.
static bool show_loop(lg_executor *executor, lg_loop *loop)
{
    pthread_mutex_lock(&executor->stop.lock);
    bool goes_on = !atomic_load(&executor->stop.is_told);
    executor->stop.loop = goes_on ? loop : NULL;
    pthread_mutex_unlock(&executor->stop.lock);
    return goes_on;
}

lg_status lg_wire_send(lg_wire *wire, lg_executor *executor, const lg_wire_request *request,
                       lg_arena *arena, lg_wire_answer *ret, lg_error *reterr)
{
    const lg_executor_options *options = &executor->options;
    lg_client_options settings = {.connections = 8, .ca_file = options->ca_file};
    lg_wire_request sized = *request;
    sized.request.body_bytes = options->reply_bytes;
    waiting w = {.wire = wire, .request = &sized, .arena = arena, .answer = ret};
    lg_status status = lg_loop_new(&wire->loop, reterr); // whose clock begins now
    if (status == LG_OK) {
        status = lg_client_new(wire->loop, &settings, &wire->client, reterr);
    }
    if (status != LG_OK) {
        lg_loop_free(wire->loop);
        *wire = (lg_wire){0};
        return status;
    }
    lg_buf_init(&w.body, 0);
    lg_events_init(&w.events);
    // What is stopped half-way may have been sent.
    *ret = (lg_wire_answer){
        .kind = LG_END_FAILED, .body = LG_STR(""), .why = LG_STR("the program is ending")};
    if (show_loop(executor, wire->loop)) {
        ret->sent = true;
        status = wait(&w, reterr);
    }
    (void)show_loop(executor, NULL);
    lg_client_free(wire->client);
    lg_loop_free(wire->loop);
    *wire = (lg_wire){0};
    lg_events_done(&w.events);
    lg_buf_done(&w.body);
    return status;
}
