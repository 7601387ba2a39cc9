// llm.c: the queue: what is asked next, what is known already, and what becomes of an answer.
//
//     queue ──► question ──► in the recording? ──────────────► answer ──► fits the schema? ──► told
//                  ▲              └─ asked by another now? ──► waits for it        │ no
//                  │              └─ exchange.c ──► recorded ──────────────────────┤
//                  └──────────────── the answer, and what is wrong with it ◄───────┘
//
// While a recording is written, one question is asked once, also by those who ask it at the same time: so the same requests
// have the same replies when they are replayed.
#include "llm/llm_internal.h"

#include "base/alloc.h"

#include <math.h>

#define MOST_IN_FLIGHT 256u
#define MOST_ROUNDS 16u
#define SAID_MAX ((size_t)8 << 10) // of an answer that will not do, when the model is asked again

struct lg_llm_waiting {
    const lg_llm_request *request;
    lg_llm_done done;
    void *data;
    lg_arena *into;
    lg_llm_waiting *next;
};

// --- lists ---

static void list_add(lg_llm_work **list, lg_llm_work *work)
{
    work->previous = NULL;
    work->next = *list;
    if (work->next) {
        work->next->previous = work;
    }
    *list = work;
}

static void list_remove(lg_llm_work **list, lg_llm_work *work)
{
    if (work->previous) {
        work->previous->next = work->next;
    } else {
        *list = work->next;
    }
    if (work->next) {
        work->next->previous = work->previous;
    }
}

// --- one request ---

static void work_free(lg_llm_work *work)
{
    lg_buf_done(&work->answer);
    lg_arena_done(&work->round);
    lg_arena_done(&work->arena);
    lg_free(work);
}

// The status of an error follows from the end, so that it is the same when it is replayed.
static lg_status status_of(lg_llm_end end, lg_status said)
{
    switch (end) {
    case LG_LLM_OK:
        return LG_OK;
    case LG_LLM_REFUSED:
    case LG_LLM_UNREACHABLE:
    case LG_LLM_TIMEOUT:
        return LG_ERR_IO;
    case LG_LLM_BAD:
    case LG_LLM_INVALID:
        return LG_ERR_FORMAT;
    case LG_LLM_SPENT:
        return LG_ERR_LIMIT;
    case LG_LLM_NOT_RECORDED:
        return LG_ERR_MISSING;
    case LG_LLM_FAILED:
        return said != LG_OK ? said : LG_ERR_INTERNAL;
    }
    return LG_ERR_INTERNAL;
}

// Tells one reply; what is behind it in the queue has its turn in the next turn of the loop.
static void tell(lg_llm *llm, lg_llm_done done, void *data, const lg_llm_reply *reply)
{
    llm->totals.failed += reply->end != LG_LLM_OK;
    done(data, reply);
    llm->outstanding--;
    if (llm->outstanding == 0) {
        lg_loop_stop(llm->loop);
    } else {
        lg_loop_defer(llm->loop, &llm->start);
    }
}

static void finish(lg_llm_work *work, lg_llm_end end, const lg_error *error)
{
    lg_llm *llm = work->llm;
    work->reply.end = end;
    if (end != LG_LLM_OK) {
        work->reply.error = *error;
        work->reply.error.status = status_of(end, error->status);
        work->reply.error.file = NULL;
    }
    list_remove(&llm->active, work);
    llm->active_count--;
    tell(llm, work->done, work->data, &work->reply);
    work_free(work);
}

// --- answers ---

static void begin_round(lg_llm_work *work);

// The words for a model whose answer will not do. They are part of a question, so they are part of what is recorded.
static bool add_again(lg_llm_work *work, lg_str wrong)
{
    lg_str said = lg_str_cut(work->reply.text, SAID_MAX);
    lg_llm_message *items = LG_NEW_ARRAY(&work->arena, lg_llm_message, work->again.count + 2);
    if (!items) {
        return false;
    }
    lg_copy_bytes(items, work->again.items, work->again.count * sizeof(*items));
    lg_llm_message *assistant = &items[work->again.count];
    lg_llm_message *user = assistant + 1;
    assistant->role = LG_STR("assistant");
    assistant->text = lg_arena_str(&work->arena, said.len ? said : LG_STR("(nothing)"));
    user->role = LG_STR("user");
    user->text = lg_arena_printf(&work->arena,
                                 "This answer cannot be used: %.*s. Answer the question again, "
                                 "with nothing but JSON of the form that was asked for.",
                                 LG_FMT(wrong));
    work->again = (lg_llm_again){items, work->again.count + 2};
    return assistant->text.ptr && user->text.ptr;
}

static void fail_oom(lg_llm_work *work)
{
    lg_error error = {0};
    lg_fail_oom(&error);
    finish(work, LG_LLM_FAILED, &error);
}

static void ask_again(lg_llm_work *work, lg_str wrong)
{
    lg_error error = {0};
    if (work->reply.rounds < work->llm->options.rounds) {
        if (add_again(work, wrong)) {
            begin_round(work);
        } else {
            fail_oom(work);
        }
        return;
    }
    lg_str shown = lg_str_cut(wrong, 240);
    lg_fail(&error, LG_ERR_FORMAT,
            "the model's answer is not what was asked for, after %u round%s: %.*s",
            work->reply.rounds, lg_plural(work->reply.rounds), LG_FMT(shown));
    finish(work, LG_LLM_INVALID, &error);
}

static void take_value(lg_llm_work *work)
{
    lg_error error = {0};
    lg_str wrong = LG_STR("");
    if (work->reply.call_count && lg_str_trim(work->reply.text).len == 0) {
        finish(work, LG_LLM_OK, NULL); // it wants to know more before it answers
        return;
    }
    const lg_json *value =
        lg_llm_find_json(work->into, work->reply.text, &work->llm->limits, &error);
    if (value && lg_llm_answer_fits(&work->round, work->schema, value, &wrong)) {
        work->reply.value = value;
        finish(work, LG_LLM_OK, NULL);
        return;
    }
    if (error.status == LG_ERR_OOM) {
        finish(work, LG_LLM_FAILED, &error);
        return;
    }
    bool cut = lg_str_eq(work->reply.finish, LG_STR("length"));
    lg_str what = value ? wrong : lg_str_c(error.msg);
    lg_str words = lg_arena_printf(&work->arena, "%s%.*s",
                                   cut ? "it ends where its room ended; " : "", LG_FMT(what));
    if (words.ptr) {
        ask_again(work, words);
    } else {
        fail_oom(work);
    }
}

// What a chat's reply points to has to live where the caller wants it; vectors and ranks point to nothing.
static void take_body(lg_llm_work *work, const lg_json *body)
{
    lg_error error = {0};
    bool chat = work->request->kind == LG_LLM_CHAT;
    const lg_json *kept = chat ? lg_json_copy(work->into, body) : body;
    if (!kept) {
        fail_oom(work);
        return;
    }
    lg_status status = lg_llm_reply_read(work->into, work->request, kept, &work->reply, &error);
    if (status != LG_OK) {
        finish(work, status == LG_ERR_OOM ? LG_LLM_FAILED : LG_LLM_BAD, &error);
    } else if (work->schema) {
        take_value(work);
    } else {
        finish(work, LG_LLM_OK, NULL);
    }
}

static void add_to_sum(lg_llm_sum *sum, const lg_llm_exchange *exchange)
{
    sum->exchanges++;
    lg_llm_usage_add(&sum->usage, exchange->usage);
}

// How a question ended, whether now or in a recording.
static void conclude(lg_llm_work *work, const lg_llm_exchange *exchange, lg_llm_found found)
{
    lg_llm *llm = work->llm;
    lg_llm_reply *reply = &work->reply;
    llm->totals.reused += found != LG_LLM_FOUND_NOTHING;
    if (found != LG_LLM_FOUND_FRESH) {
        add_to_sum(&llm->totals.made, exchange);
        llm->totals.made.attempts += exchange->attempts;
    }
    reply->rounds++;
    reply->attempts += exchange->attempts;
    reply->status = exchange->status;
    reply->reused = found != LG_LLM_FOUND_NOTHING;
    lg_llm_usage_add(&reply->usage, exchange->usage);
    lg_copy_bytes(reply->hash, work->question.hash, sizeof(reply->hash));
    if (exchange->end == LG_LLM_OK) {
        take_body(work, exchange->body);
    } else {
        finish(work, exchange->end, &exchange->error);
    }
}

// --- questions ---

// Those who wait for this very answer look for it in the recording.
static void wake(lg_llm *llm, const char hash[65])
{
    for (lg_llm_work *work = llm->parked, *next; work; work = next) {
        next = work->next;
        if (memcmp(work->question.hash, hash, 64) == 0) {
            list_remove(&llm->parked, work);
            list_add(&llm->woken, work);
        }
    }
    if (llm->woken) {
        lg_loop_defer(llm->loop, &llm->start);
    }
}

void lg_llm_exchange_over(lg_llm_work *work, const lg_llm_exchange *exchange)
{
    lg_llm *llm = work->llm;
    lg_error error = {0};
    add_to_sum(&llm->totals.sent, exchange);
    if (llm->recording) {
        lg_status status =
            lg_llm_recording_add(llm->recording, work->request, &work->question, exchange, &error);
        if (status != LG_OK && llm->record_error.status == LG_OK) {
            llm->record_error = error;
        }
        wake(llm, work->question.hash);
    }
    conclude(work, exchange, LG_LLM_FOUND_NOTHING);
}

static bool is_asked_now(const lg_llm *llm, const lg_llm_work *work)
{
    for (const lg_llm_work *other = llm->active; other; other = other->next) {
        if (other != work && other->is_asked &&
            memcmp(other->question.hash, work->question.hash, 64) == 0) {
            return true;
        }
    }
    return false;
}

static void not_recorded(lg_llm_work *work)
{
    lg_error error = {0};
    lg_fail(&error, LG_ERR_MISSING, "%s has no answer to this %s request (hash %s)",
            work->llm->options.recording, lg_llm_kind_name(work->request->kind),
            work->question.hash);
    finish(work, LG_LLM_NOT_RECORDED, &error);
}

static void look_up(lg_llm_work *work)
{
    lg_llm *llm = work->llm;
    lg_llm_exchange exchange;
    lg_error error = {0};
    lg_llm_found found = llm->recording ? lg_llm_recording_find(llm->recording, &work->round,
                                                                &work->question, &exchange, &error)
                                        : LG_LLM_FOUND_NOTHING;
    if (found == LG_LLM_FOUND_BROKEN) {
        finish(work, LG_LLM_FAILED, &error);
    } else if (found != LG_LLM_FOUND_NOTHING) {
        conclude(work, &exchange, found);
    } else if (llm->options.mode == LG_LLM_REPLAY) {
        lg_copy_bytes(work->reply.hash, work->question.hash, sizeof(work->reply.hash));
        not_recorded(work);
    } else if (llm->recording && is_asked_now(llm, work)) {
        list_remove(&llm->active, work);
        llm->active_count--;
        list_add(&llm->parked, work);
    } else {
        work->is_asked = true;
        lg_llm_exchange_begin(work);
    }
}

static void begin_round(lg_llm_work *work)
{
    lg_error error = {0};
    work->is_asked = false;
    lg_arena_reset(&work->round);
    lg_status status = lg_llm_question_make(&work->round, &work->llm->options, work->request,
                                            &work->again, &work->question, &error);
    if (status != LG_OK) {
        finish(work, LG_LLM_FAILED, &error);
    } else {
        look_up(work);
    }
}

static bool compile(lg_llm_work *work, lg_error *error)
{
    lg_errors errors;
    lg_errors_init(&errors, &work->arena, 1);
    work->schema = lg_schema_compile(&work->arena, work->request->schema, NULL, &errors);
    if (!work->schema) {
        lg_fail(error, LG_ERR_USAGE, "the schema of the request is none: %s",
                errors.count ? errors.items[0].msg : "out of memory");
    }
    return work->schema != NULL;
}

static void begin(lg_llm *llm, const lg_llm_waiting *waiting)
{
    lg_error error = {0};
    lg_llm_work *work = lg_zalloc(sizeof(*work));
    if (!work) {
        lg_llm_reply reply = {.end = LG_LLM_FAILED};
        lg_fail_oom(&reply.error);
        tell(llm, waiting->done, waiting->data, &reply);
        return;
    }
    *work = (lg_llm_work){.llm = llm,
                          .request = waiting->request,
                          .done = waiting->done,
                          .data = waiting->data,
                          .into = waiting->into ? waiting->into : &work->arena};
    lg_arena_init(&work->arena, 0);
    lg_arena_init(&work->round, 0);
    lg_buf_init(&work->answer, 0);
    list_add(&llm->active, work);
    llm->active_count++;
    if (work->request->schema && !compile(work, &error)) {
        finish(work, LG_LLM_FAILED, &error);
    } else {
        begin_round(work);
    }
}

// --- the queue ---

static void start(void *data)
{
    lg_llm *llm = data;
    while (llm->woken) {
        lg_llm_work *work = llm->woken;
        list_remove(&llm->woken, work);
        list_add(&llm->active, work);
        llm->active_count++;
        begin_round(work);
    }
    while (llm->queue && llm->active_count < llm->options.in_flight) {
        lg_llm_waiting *waiting = llm->queue;
        llm->queue = waiting->next;
        if (!llm->queue) {
            llm->queue_end = &llm->queue;
        }
        begin(llm, waiting);
        lg_free(waiting);
    }
}

static lg_status submit(lg_llm *llm, const lg_llm_request *request, lg_arena *into,
                        lg_llm_done done, void *data, lg_error *reterr)
{
    lg_llm_waiting *waiting = lg_zalloc(sizeof(*waiting));
    if (!waiting) {
        return lg_fail_oom(reterr);
    }
    *waiting = (lg_llm_waiting){.request = request, .done = done, .data = data, .into = into};
    *llm->queue_end = waiting;
    llm->queue_end = &waiting->next;
    llm->outstanding++;
    lg_loop_defer(llm->loop, &llm->start);
    return LG_OK;
}

lg_status lg_llm_submit(lg_llm *llm, const lg_llm_request *request, lg_llm_done done, void *data,
                        lg_error *reterr)
{
    return submit(llm, request, NULL, done, data, reterr);
}

lg_status lg_llm_wait(lg_llm *llm, lg_error *reterr)
{
    lg_status status = LG_OK;
    while (llm->outstanding && status == LG_OK) {
        status = lg_loop_run(llm->loop, reterr);
    }
    if (status == LG_OK && llm->record_error.status != LG_OK) {
        status = llm->record_error.status;
        if (reterr) {
            *reterr = llm->record_error;
        }
    }
    return status;
}

static void take_reply(void *data, const lg_llm_reply *reply)
{
    lg_llm_reply *to = data;
    *to = *reply;
}

lg_status lg_llm_ask_all(lg_llm *llm, const lg_llm_request *requests, size_t count, lg_arena *arena,
                         lg_llm_reply *replies, lg_error *reterr)
{
    for (size_t i = 0; i < count; i++) {
        lg_error error = {0};
        replies[i] = (lg_llm_reply){.end = LG_LLM_FAILED};
        if (submit(llm, &requests[i], arena, take_reply, &replies[i], &error) != LG_OK) {
            replies[i].error = error;
            llm->totals.failed++;
        }
    }
    return lg_llm_wait(llm, reterr);
}

lg_llm_totals lg_llm_totals_of(const lg_llm *llm)
{
    lg_llm_totals totals = llm->totals;
    totals.made.money = lg_llm_price(&llm->options, totals.made.usage);
    totals.sent.money = lg_llm_price(&llm->options, totals.sent.usage);
    return totals;
}

// --- beginning and end ---

static void end_active(lg_llm *llm)
{
    while (llm->active) {
        lg_llm_exchange_end(llm->active);
    }
}

static void on_end_of_time(void *data)
{
    lg_llm *llm = data;
    llm->out_of_time = true;
    end_active(llm);
}

static void on_end_all(void *data)
{
    lg_llm *llm = data;
    llm->ended = true;
    end_active(llm);
}

void lg_llm_end_all(lg_llm *llm)
{
    lg_loop_post(llm->loop, &llm->end_all);
}

static uint32_t either(uint32_t given, uint32_t otherwise)
{
    return given ? given : otherwise;
}

static void set_defaults(lg_llm_options *o)
{
    o->in_flight = either(o->in_flight, 8);
    o->connect_ms = either(o->connect_ms, 10 * 1000);
    o->request_ms = either(o->request_ms, 120 * 1000);
    o->idle_ms = either(o->idle_ms, o->request_ms);
    o->total_ms = either(o->total_ms, 600 * 1000);
    o->attempts = either(o->attempts, 5);
    o->backoff_ms = either(o->backoff_ms, 500);
    o->most_backoff_ms = either(o->most_backoff_ms, 30 * 1000);
    o->most_wait_ms = either(o->most_wait_ms, 120 * 1000);
    o->rounds = either(o->rounds, 3);
    o->reply_bytes = o->reply_bytes ? o->reply_bytes : (size_t)16 << 20;
    o->json_depth = either(o->json_depth, 64);
}

static bool copy(lg_arena *arena, lg_str *text)
{
    *text = lg_arena_str(arena, *text);
    return text->ptr != NULL;
}

static bool copy_c(lg_arena *arena, const char **text)
{
    lg_str kept = *text ? lg_arena_str(arena, lg_str_c(*text)) : LG_STR("");
    *text = *text ? kept.ptr : NULL;
    return kept.ptr != NULL;
}

static lg_status copy_options(lg_llm *llm, const lg_llm_options *options, lg_error *reterr)
{
    lg_llm_options *o = &llm->options;
    *o = *options;
    o->base_url = lg_str_trim(o->base_url);
    o->key = lg_str_trim(o->key);
    set_defaults(o);
    bool fine = copy(&llm->arena, &o->base_url) && copy(&llm->arena, &o->model) &&
                copy(&llm->arena, &o->key) && copy_c(&llm->arena, &o->recording) &&
                copy_c(&llm->arena, &o->ca_file) && copy_c(&llm->arena, &o->proxy);
    llm->limits = (lg_limits){.json_depth = o->json_depth, .json_bytes = o->reply_bytes};
    return fine ? LG_OK : lg_fail_oom(reterr);
}

static bool is_amount(double amount)
{
    return isfinite(amount) && amount >= 0 && amount < 1e9;
}

static lg_status check(lg_llm *llm, lg_error *reterr)
{
    const lg_llm_options *o = &llm->options;
    const char *wrong = NULL;
    lg_str url, shown;
    if (!lg_http_header_is_clean((lg_http_header){LG_STR("Authorization"), o->key})) {
        wrong = "the key for the model holds a control character: it is not shown here";
    } else if (o->mode != LG_LLM_OFF && !o->recording) {
        wrong = "to record or to replay, a recording has to be named";
    } else if (o->in_flight > MOST_IN_FLIGHT) {
        wrong = "at most 256 requests can be in flight";
    } else if (o->rounds > MOST_ROUNDS) {
        wrong = "a model is asked 16 times at most";
    } else if (!is_amount(o->budget.seconds) || !is_amount(o->budget.money) ||
               !is_amount(o->prompt_price) || !is_amount(o->completion_price)) {
        wrong = "a budget or a price is no number from 0 to a billion";
    } else if (o->budget.money > 0 && o->prompt_price <= 0 && o->completion_price <= 0) {
        wrong = "a budget in money needs the prices of tokens";
    }
    if (wrong) {
        return lg_fail(reterr, LG_ERR_USAGE, "%s", wrong);
    }
    if (o->mode == LG_LLM_REPLAY) {
        return LG_OK;
    }
    return lg_llm_address(&llm->arena, o->base_url, LG_LLM_CHAT, &url, &shown, reterr);
}

static lg_status set_up(lg_llm *llm, const lg_llm_options *options, lg_error *reterr)
{
    lg_status status = copy_options(llm, options, reterr);
    status = status == LG_OK ? check(llm, reterr) : status;
    status = status == LG_OK ? lg_loop_new(&llm->loop, reterr) : status;
    const lg_llm_options *o = &llm->options;
    if (status == LG_OK && o->mode != LG_LLM_OFF) {
        status = lg_llm_recording_open(o->recording, o->mode, &llm->recording, reterr);
        if (reterr && reterr->file == o->recording) {
            reterr->file = options->recording; // ours is about to be freed
        }
    }
    if (status == LG_OK && o->budget.seconds > 0 && o->mode != LG_LLM_REPLAY) {
        int64_t most_ns = (int64_t)(o->budget.seconds * 1e9);
        lg_timer_set(llm->loop, &llm->end_of_time, lg_loop_now_ns(llm->loop) + most_ns);
    }
    return status;
}

lg_status lg_llm_new(const lg_llm_options *options, lg_llm **ret_llm, lg_error *reterr)
{
    lg_llm *llm = lg_zalloc(sizeof(*llm));
    if (!llm) {
        return lg_fail_oom(reterr);
    }
    lg_arena_init(&llm->arena, 0);
    llm->queue_end = &llm->queue;
    llm->start = (lg_task){.run = start, .data = llm};
    llm->end_all = (lg_task){.run = on_end_all, .data = llm};
    llm->end_of_time = (lg_timer){.fire = on_end_of_time, .data = llm};
    lg_status status = set_up(llm, options, reterr);
    if (status != LG_OK) {
        lg_llm_free(llm);
        return status;
    }
    *ret_llm = llm;
    return LG_OK;
}

static void free_all(lg_llm_work *list)
{
    while (list) {
        lg_llm_work *next = list->next;
        work_free(list);
        list = next;
    }
}

void lg_llm_free(lg_llm *llm)
{
    if (!llm) {
        return;
    }
    lg_client_free(llm->client);
    free_all(llm->active);
    free_all(llm->parked);
    free_all(llm->woken);
    while (llm->queue) {
        lg_llm_waiting *next = llm->queue->next;
        lg_free(llm->queue);
        llm->queue = next;
    }
    lg_llm_recording_close(llm->recording);
    lg_loop_free(llm->loop);
    lg_arena_done(&llm->arena);
    lg_free(llm);
}
