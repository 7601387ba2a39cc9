// hold.c: what an exchange holds: the request as it was read, as long as somebody needs it, and the sum over all exchanges.
//
// A body of many small messages takes twenty times its size once it is read, and waits minutes for the upstream. So a large
// one is forgotten while it waits, but for what says how it ended, and read again when there is a reply to judge: the
// body is the same, so it is the same request.
#include "proxy/exchange_internal.h"

#define REST_BYTES ((size_t)4 << 20) // what takes less is not worth reading twice
#define RESERVED_FROM                                                                              \
    ((size_t)256 << 10) // of a body: from here on memory is spoken for before it is read
#define RESERVED_TIMES 8u

// --- The sum ------------------------------------------------------------------------------------

static size_t bytes_of(const lg_exchange *x)
{
    return x->asked.held_bytes + prefix_bytes(x) + x->arena.held_bytes + x->body.cap +
           x->tail.json.cap + x->rounds.cap + x->collected.cap +
           (x->talk ? talk_bytes(x->talk) : 0);
}

// Sets what the exchange counts for. Returns the sum of the others.
static size_t set_counted(lg_exchange *x, size_t bytes)
{
    size_t before = x->counted_bytes;
    x->counted_bytes = bytes;
    // Unsigned: what is less wraps around, and so does the sum.
    size_t sum =
        atomic_fetch_add_explicit(&x->proxy->held_bytes, bytes - before, memory_order_relaxed);
    return sum - before;
}

// Who is alone may be as large as the other ceilings let him.
static bool fits(lg_exchange *x, size_t bytes)
{
    size_t others = set_counted(x, bytes);
    return others == 0 ||
           (bytes <= x->proxy->most_held_bytes && others <= x->proxy->most_held_bytes - bytes);
}

static size_t reserved(size_t len)
{
    return len < RESERVED_FROM ? 0 : len * RESERVED_TIMES;
}

size_t lg_proxy_held_bytes(const lg_proxy *proxy)
{
    return atomic_load_explicit(&proxy->held_bytes, memory_order_relaxed);
}

// --- The request --------------------------------------------------------------------------------

static lg_status parse(lg_exchange *x, lg_error *reterr)
{
    lg_chat_options options = {.limits = x->proxy->chat_limits, .key = &x->proxy->key};
    if (!fits(x, bytes_of(x) + reserved(x->o.body.len))) {
        return lg_fail_oom(reterr);
    }
    lg_arena_init(&x->asked, x->proxy->limits.document_bytes);
    lg_status status = LG_OK;
    if (!prefix_read(x, &options)) {
        status =
            lg_chat_request_parse(&x->asked, x->o.api, x->o.body, &options, &x->request, reterr);
    }
    if (status == LG_OK && !fits(x, bytes_of(x))) {
        status = lg_fail_oom(reterr);
    }
    return status;
}

static void forget(lg_exchange *x)
{
    lg_arena_done(&x->asked);
    (void)set_counted(x, bytes_of(x));
}

lg_status hold_read(lg_exchange *x, lg_error *reterr)
{
    lg_status status = parse(x, reterr);
    if (status != LG_OK) {
        x->request = NULL;
        forget(x);
        return status;
    }
    const lg_chat_request *request = x->request;
    if (request->message_count) {
        x->last = request->messages[request->message_count - 1].hash;
    }
    return LG_OK;
}

static void rest(lg_exchange *x)
{
    if (x->request && x->request != &x->resting) {
        const lg_chat_request *request = x->request;
        lg_str model = lg_arena_str(&x->arena, request->model);
        x->resting_trace = (lg_trace){.count = request->conversation->count,
                                      .left_out = request->conversation->left_out};
        x->resting = (lg_chat_request){.api = request->api,
                                       .body = request->body,
                                       .model = model.ptr ? model : LG_STR(""),
                                       .stream = request->stream,
                                       .include_usage = request->include_usage,
                                       .n = request->n,
                                       .conversation = &x->resting_trace,
                                       .message_count = request->message_count,
                                       .next_turn = request->next_turn};
        x->request = &x->resting;
    }
}

void hold_rest(lg_exchange *x)
{
    if (x->request && x->request != &x->resting && x->asked.held_bytes >= REST_BYTES) {
        rest(x);
        prefix_put_back(x);
        forget(x);
    } else {
        (void)set_counted(x, bytes_of(x));
    }
}

void hold_put_back(lg_exchange *x)
{
    if (x->reading) {
        rest(x);
        prefix_put_back(x);
        (void)set_counted(x, bytes_of(x));
    }
}

bool hold_recall(lg_exchange *x)
{
    lg_error why;
    if (x->request != &x->resting) {
        return true;
    }
    if (parse(x, &why) != LG_OK) { // it was read before: there is no other reason than memory
        x->request = &x->resting;
        forget(x);
        return false;
    }
    return true;
}

void hold_done(lg_exchange *x)
{
    x->request = NULL;
    prefix_put_back(x);
    lg_arena_done(&x->asked);
    (void)set_counted(x, 0);
}

lg_buf lg_exchange_take_body(lg_exchange *x)
{
    lg_buf body = x->body;
    lg_buf_init(&x->body, 0);
    return body;
}
