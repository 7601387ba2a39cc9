// exchange.c: one question on the wire, as often as it takes.
//
//     attempt ──► answer ──► over
//        ▲           │ 408 409 425 429 5xx, a reset, a timeout, a stream without its end, no JSON
//        └── wait ◄──┘
//
// A question may be sent again because it changes nothing: whoever lets a model act does that somewhere else.
#include "llm/llm_internal.h"

#define WORDS_MAX 200u // of a server, in a message
#define KEY_MIN 16u    // what is shorter is a word that a model may say, and the key of nobody

static void attempt(lg_llm_work *work);

// --- the end ---

static void over(lg_llm_work *work, lg_llm_exchange *exchange)
{
    exchange->attempts = work->attempts;
    exchange->status = work->status;
    lg_llm_exchange_over(work, exchange);
}

static void give_up(lg_llm_work *work, lg_llm_end end, const lg_error *error)
{
    lg_llm_exchange exchange = {.end = end, .error = *error};
    over(work, &exchange);
}

static bool is_out_of_time(const lg_llm *llm, lg_error *error)
{
    if (llm->ended) {
        lg_fail(error, LG_ERR_LIMIT, "no model is asked any more: the program ends");
    } else if (llm->out_of_time) {
        lg_fail(error, LG_ERR_LIMIT, "the budget for models is spent: %g seconds",
                llm->options.budget.seconds);
    }
    return llm->ended || llm->out_of_time;
}

void lg_llm_exchange_end(lg_llm_work *work)
{
    lg_error error = {0};
    if (work->out) {
        lg_outbound_cancel(work->out);
        work->out = NULL;
    }
    lg_timer_stop(work->llm->loop, &work->timer);
    (void)is_out_of_time(work->llm, &error);
    give_up(work, LG_LLM_SPENT, &error);
}

// --- again ---

static void on_timer(void *data)
{
    attempt(data);
}

static void wait_until(lg_llm_work *work, int64_t at_ns)
{
    work->timer.fire = on_timer;
    work->timer.data = work;
    lg_timer_set(work->llm->loop, &work->timer, at_ns);
}

// Milliseconds until the next attempt. False, with the reason behind the error, if there is none.
static bool may_try_again(lg_llm_work *work, lg_error *error, uint64_t *ret_ms)
{
    const lg_llm_options *options = &work->llm->options;
    uint64_t wait = lg_llm_backoff_ms(options, work->question.hash, work->attempts);
    lg_error said = *error;
    if (work->attempts >= options->attempts) {
        lg_fail(error, said.status, "%s (%u attempt%s)", said.msg, work->attempts,
                lg_plural(work->attempts));
        return false;
    }
    if (work->has_wait && work->wait_ms > options->most_wait_ms) {
        lg_fail(error, said.status,
                "%s (it wants to be asked again in %llu s, and %u s is the most)", said.msg,
                (unsigned long long)(work->wait_ms / 1000), options->most_wait_ms / 1000);
        return false;
    }
    wait = work->has_wait && work->wait_ms > wait ? work->wait_ms : wait;
    int64_t at_ns = lg_loop_now_ns(work->llm->loop) + (int64_t)wait * LG_NS_PER_MS;
    if (at_ns - work->begun_ns >= (int64_t)options->total_ms * LG_NS_PER_MS) {
        lg_fail(error, said.status, "%s (%u attempt%s, and no time for another one)", said.msg,
                work->attempts, lg_plural(work->attempts));
        return false;
    }
    *ret_ms = wait;
    return true;
}

static void try_again(lg_llm_work *work, lg_llm_end end, const lg_error *error)
{
    lg_llm *llm = work->llm;
    lg_error why = *error;
    uint64_t wait;
    if (!may_try_again(work, &why, &wait)) {
        give_up(work, end, &why);
        return;
    }
    int64_t at_ns = lg_loop_now_ns(llm->loop) + (int64_t)wait * LG_NS_PER_MS;
    // Who is told to wait speaks for all: the others would be told the same.
    if (work->has_wait && work->status == 429 && at_ns > llm->held_until_ns) {
        llm->held_until_ns = at_ns;
    }
    wait_until(work, at_ns);
}

// --- what came ---

static const char *reason_of(unsigned status)
{
    static const struct {
        unsigned status;
        const char *words;
    } reasons[] = {
        {400, "the request is not understood"},
        {401, "the key is missing or wrong"},
        {402, "there is no credit left"},
        {403, "the key may not do this"},
        {404, "no such address or model"},
        {408, "it waited too long for the request"},
        {413, "the request is too large"},
        {422, "the request is not understood"},
        {429, "too many requests"},
        {500, "an error of the server"},
        {502, "the server behind it does not answer"},
        {503, "it is overloaded"},
        {504, "the server behind it takes too long"},
    };
    for (size_t i = 0; i < LG_COUNT(reasons); i++) {
        if (reasons[i].status == status) {
            return reasons[i].words;
        }
    }
    if (status < 400) {
        return "which sends elsewhere, and is not followed";
    }
    return status >= 500 ? "an error of the server" : "the request is refused";
}

static const lg_json *parse(lg_llm_work *work, lg_error *error)
{
    const lg_json *value = NULL;
    lg_str text = lg_buf_str(&work->answer);
    lg_str kept = lg_arena_str(&work->round, text);
    if (!kept.ptr) {
        lg_fail_oom(error);
        return NULL;
    }
    lg_limits limits = work->llm->limits;
    lg_status status = lg_json_parse_in(&work->round, kept, 0, kept.len, &limits, &value, error);
    return status == LG_OK ? value : NULL;
}

static void take_status(lg_llm_work *work, unsigned status, const lg_json *body)
{
    lg_error error = {0};
    lg_str words = lg_str_cut(lg_str_trim(lg_llm_error_words(body)), WORDS_MAX);
    lg_str code = lg_llm_error_code(body);
    work->status = status;
    lg_fail(&error, LG_ERR_MISSING, "%.*s answered %u, %s%s%.*s", LG_FMT(work->shown), status,
            reason_of(status), words.len ? ": " : "", LG_FMT(words));
    bool no_credit = lg_str_eq(code, LG_STR("insufficient_quota"));
    if (lg_llm_is_worth_again(status) && !no_credit) {
        try_again(work, LG_LLM_REFUSED, &error);
    } else {
        give_up(work, LG_LLM_REFUSED, &error);
    }
}

// A body that is no JSON, though it was called so, may be whole the next time; a page for people is what this address has.
static void take_nonsense(lg_llm_work *work, const lg_error *why)
{
    lg_error error = {0};
    lg_str type = lg_str_cut(work->type, 80);
    if (why->status == LG_ERR_OOM) {
        give_up(work, LG_LLM_FAILED, why);
        return;
    }
    if (!work->is_json && !work->is_events) {
        lg_fail(&error, LG_ERR_FORMAT,
                "%.*s answered %u with %s%.*s and not with JSON: is this the address of a model's "
                "API?",
                LG_FMT(work->shown), work->status, type.len ? "" : "something of no type",
                LG_FMT(type));
        give_up(work, LG_LLM_BAD, &error);
        return;
    }
    lg_fail(&error, LG_ERR_PARSE, "%.*s answered with what cannot be read: %s", LG_FMT(work->shown),
            why->msg);
    if (why->status == LG_ERR_LIMIT) {
        give_up(work, LG_LLM_BAD, &error);
    } else {
        try_again(work, why->status == LG_ERR_MISSING ? LG_LLM_UNREACHABLE : LG_LLM_BAD, &error);
    }
}

static void take_body(lg_llm_work *work, const lg_json *body)
{
    lg_llm_exchange exchange = {.end = LG_LLM_OK, .body = body};
    unsigned hidden = lg_llm_hidden_status(body);
    if (hidden) {
        take_status(work, hidden, body);
        return;
    }
    lg_llm_reply probe = {0};
    lg_error error = {0};
    lg_status status = lg_llm_reply_read(&work->round, work->request, body, &probe, &error);
    if (status == LG_ERR_OOM) {
        give_up(work, LG_LLM_FAILED, &error);
    } else if (status != LG_OK) {
        lg_error named = {0};
        lg_fail(&named, status, "%.*s: %s", LG_FMT(work->shown), error.msg);
        try_again(work, LG_LLM_BAD, &named);
    } else {
        exchange.usage = lg_llm_usage_read(body, work->question.wire.len, work->answer.len);
        over(work, &exchange);
    }
}

// The whole stream, as if it had come in one piece; then it is JSON. False, with the reason, if it is none.
static bool join_events(lg_llm_work *work, lg_error *error)
{
    lg_buf whole;
    lg_buf_init(&whole, 0);
    lg_limits limits = work->llm->limits;
    lg_status status = lg_llm_stream_read(lg_buf_str(&work->answer), &limits, &whole, error);
    if (status != LG_OK) {
        lg_buf_done(&whole);
        return false;
    }
    lg_buf_done(&work->answer);
    work->answer = whole;
    return true;
}

static void take_answer(lg_llm_work *work)
{
    lg_error error = {0};
    bool fine = work->status >= 200 && work->status < 300;
    const lg_json *body = NULL;
    if (!fine || !work->is_events || join_events(work, &error)) {
        body = parse(work, &error);
    }
    if (!fine) {
        take_status(work, work->status, body); // which may be NULL: a page for people
    } else if (lg_json_is(body, LG_JSON_OBJECT)) {
        take_body(work, body);
    } else {
        if (body) {
            lg_fail(&error, LG_ERR_PARSE, "it is no JSON object");
        }
        take_nonsense(work, &error);
    }
}

// A server, or something before it, that repeats a request repeats its key: that is not passed on.
static void mask_key(lg_llm_work *work)
{
    lg_str key = work->llm->options.key;
    size_t at = 0;
    while (key.len >= KEY_MIN && at + key.len <= work->answer.len) {
        size_t found = lg_str_find(lg_str_slice(lg_buf_str(&work->answer), at, SIZE_MAX), key);
        if (found == SIZE_MAX) {
            return;
        }
        memset(work->answer.ptr + at + found, '*', key.len);
        at += found + key.len;
    }
}

// --- the network ---

static void on_head(void *data, unsigned status, lg_http_headers headers)
{
    lg_llm_work *work = data;
    lg_str type = lg_http_header_value(headers, LG_STR("content-type"));
    lg_str kept = lg_arena_str(&work->round, lg_str_cut(type, 80));
    work->status = status;
    work->type = kept.ptr ? kept : LG_STR("");
    work->is_events = lg_is_media_type(type, LG_STR("text/event-stream"));
    work->is_json = lg_is_media_type(type, LG_STR("application/json"));
    work->has_wait =
        lg_llm_retry_after_ms(lg_http_header_value(headers, LG_STR("retry-after")),
                              lg_http_header_value(headers, LG_STR("date")), &work->wait_ms);
}

static void on_bytes(void *data, lg_str bytes)
{
    lg_llm_work *work = data;
    lg_buf_add(&work->answer, bytes);
}

static lg_llm_end end_of(lg_end_kind kind)
{
    switch (kind) {
    case LG_END_OK:
        return LG_LLM_OK;
    case LG_END_REFUSED:
    case LG_END_RESET:
    case LG_END_CUT:
        return LG_LLM_UNREACHABLE;
    case LG_END_TIMEOUT:
        return LG_LLM_TIMEOUT;
    case LG_END_TOO_LARGE:
    case LG_END_BAD:
        return LG_LLM_BAD;
    case LG_END_FAILED:
        return LG_LLM_FAILED;
    }
    return LG_LLM_FAILED;
}

// Has the stream come to its last event, though its connection has not come to a good end?
static bool is_whole_stream(const lg_llm_work *work, lg_end_kind kind)
{
    lg_buf whole;
    if (!work->is_events || work->status / 100 != 2 ||
        (kind != LG_END_CUT && kind != LG_END_TIMEOUT)) {
        return false;
    }
    lg_buf_init(&whole, 0);
    lg_status status =
        lg_llm_stream_read(lg_buf_str(&work->answer), &work->llm->limits, &whole, NULL);
    lg_buf_done(&whole);
    return status == LG_OK;
}

static void on_end(void *data, const lg_outbound_end *end)
{
    lg_llm_work *work = data;
    lg_error error = {0};
    work->out = NULL;
    if (lg_buf_status(&work->answer) != LG_OK) {
        lg_fail_oom(&error);
        give_up(work, LG_LLM_FAILED, &error);
        return;
    }
    mask_key(work);
    if (end->kind == LG_END_OK || is_whole_stream(work, end->kind)) {
        take_answer(work);
        return;
    }
    work->status = 0;
    lg_fail(&error, LG_ERR_MISSING, "%.*s: %.*s", LG_FMT(work->shown), LG_FMT(end->what));
    if (end->kind == LG_END_TOO_LARGE || end->kind == LG_END_FAILED) {
        give_up(work, end_of(end->kind), &error);
    } else {
        try_again(work, end_of(end->kind), &error);
    }
}

// --- an attempt ---

static lg_status connect(lg_llm *llm, lg_error *error)
{
    if (llm->client) {
        return LG_OK;
    }
    const lg_llm_options *o = &llm->options;
    lg_client_options options = {.connections = o->in_flight,
                                 .connections_per_host = o->in_flight,
                                 .idle_connections = o->in_flight,
                                 .ca_file = o->ca_file,
                                 .proxy = o->proxy};
    return lg_client_new(llm->loop, &options, &llm->client, error);
}

static lg_status set_headers(lg_llm_work *work, lg_http_headers *ret, lg_error *error)
{
    lg_str key = work->llm->options.key;
    size_t count = 0;
    work->headers[count++] = (lg_http_header){LG_STR("Content-Type"), LG_STR("application/json")};
    work->headers[count++] = (lg_http_header){
        LG_STR("Accept"), work->request->stream ? LG_STR("text/event-stream, application/json")
                                                : LG_STR("application/json")};
    if (key.len) {
        lg_str value = lg_arena_printf(&work->round, "Bearer %.*s", LG_FMT(key));
        if (!value.ptr) {
            return lg_fail_oom(error);
        }
        work->headers[count++] = (lg_http_header){LG_STR("Authorization"), value};
    }
    *ret = (lg_http_headers){work->headers, count};
    return LG_OK;
}

static uint32_t time_left_ms(const lg_llm_work *work)
{
    const lg_llm_options *options = &work->llm->options;
    int64_t gone_ms = (lg_loop_now_ns(work->llm->loop) - work->begun_ns) / LG_NS_PER_MS;
    int64_t left_ms = (int64_t)options->total_ms - gone_ms;
    left_ms = left_ms < options->request_ms ? left_ms : options->request_ms;
    return left_ms > 1 ? (uint32_t)left_ms : 1;
}

static lg_status send(lg_llm_work *work, lg_error *error)
{
    const lg_llm_options *options = &work->llm->options;
    uint32_t left_ms = time_left_ms(work);
    lg_client_request request = {.method = LG_STR("POST"),
                                 .url = work->url,
                                 .body = work->question.wire,
                                 .connect_ms = options->connect_ms,
                                 .first_byte_ms = left_ms,
                                 .idle_ms = options->idle_ms,
                                 .total_ms = left_ms,
                                 .body_bytes = options->reply_bytes};
    lg_outbound_events events = {work, on_head, on_bytes, on_end};
    lg_status status = set_headers(work, &request.headers, error);
    return status == LG_OK ? lg_client_send(work->llm->client, &request, &events, &work->out, error)
                           : status;
}

static void attempt(lg_llm_work *work)
{
    lg_llm *llm = work->llm;
    lg_error error = {0};
    if (is_out_of_time(llm, &error) ||
        !lg_llm_may_spend(&llm->options, &llm->totals.sent, &error)) {
        give_up(work, LG_LLM_SPENT, &error);
        return;
    }
    if (llm->held_until_ns > lg_loop_now_ns(llm->loop)) {
        wait_until(work, llm->held_until_ns);
        return;
    }
    lg_buf_clear(&work->answer);
    work->status = 0;
    work->has_wait = false;
    lg_status status = connect(llm, &error);
    status = status == LG_OK ? send(work, &error) : status;
    if (status != LG_OK) {
        give_up(work, LG_LLM_FAILED, &error);
        return;
    }
    work->attempts++;
    llm->totals.sent.attempts++;
}

void lg_llm_exchange_begin(lg_llm_work *work)
{
    lg_error error = {0};
    work->attempts = 0;
    work->status = 0;
    work->begun_ns = lg_loop_now_ns(work->llm->loop);
    lg_status status = lg_llm_address(&work->round, work->llm->options.base_url,
                                      work->request->kind, &work->url, &work->shown, &error);
    if (status != LG_OK) {
        give_up(work, LG_LLM_FAILED, &error);
    } else {
        attempt(work);
    }
}
