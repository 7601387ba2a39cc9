// proxy_host.h: a host of exchanges without sockets: the upstream is a list of replies as bytes, the client a buffer.
//
//     host h;
//     host_open(&h, &(host_options){.rules = RULES});
//     host_reply(&h, "{'choices': [...]}");          // ' stands for ", as in all texts here
//     host_run(&h, "{'model': 'm', 'messages': [...]}");
//     CHECK(host_says(&h, "call_1")); CHECK(host_asked(&h, 0, "LedgerGate"));
//     host_close(&h);
#ifndef LG_PROXY_HOST_H
#define LG_PROXY_HOST_H

#include "base/alloc.h"
#include "desk_pack.h"
#include "dice.h"
#include "proxy/proxy.h"
#include "temp_folder.h"

#include <pthread.h>

#define HOST_REPLIES_MAX 16u
#define HOST_TOKENS_MAX 4096u

typedef struct host_options {
    const char *rules; // of the desk pack; NULL: no pack, unless `pack` is given
    lg_pack *pack;     // the host frees it
    bool no_journal;
    size_t record_bytes; // of the log: what is larger cannot be kept
    lg_chat_api api;
    lg_proxy_options proxy;
    lg_proxy_route_options route;
    size_t slice, at_once;
} host_options;

typedef struct host_answer {
    uint16_t status;
    const char *type;
    lg_str body;
    const char *cut;    // the connection broke: why
    const char *field;  // another field, and
    const char *value;  // its value
    const char *coding; // a content-encoding behind it
} host_answer;

typedef struct host {
    host_options o;
    char folder[128];
    lg_pack *pack;
    lg_store *store;
    lg_journal *journal;
    lg_proxy *proxy;
    lg_proxy_route *route;
    lg_arena arena; // of texts
    lg_str principal;
    lg_time now;
    host_answer answers[HOST_REPLIES_MAX];
    size_t answer_count, answer_next;
    bool shakes; // replies come in random pieces
    dice dice;
    size_t piece;        // not 0: in pieces of so many bytes
    bool asks;           // what is next, after each piece
    uint64_t fails_at;   // not 0: the allocation of the exchange that fails, and all later ones
    bool has_failed;     // it has come to that
    uint64_t asked_for;  // allocations when the exchange was entered
    bool fails_to_keep;  // the log says that it has failed
    bool client_is_gone; // before the last byte
    // What came of the latest exchange.
    lg_str asked[HOST_REPLIES_MAX]; // bodies for the upstream
    size_t asked_count;
    lg_buf got;
    uint16_t status;
    lg_str type, retry_after;
    lg_str field;  // the name of a field that the answer had, and
    lg_str led_to; // what the client got of it
    bool ended, broken;
    size_t mores, waits;
    size_t asides;        // of the mores: what the host is asked to do elsewhere
    uint64_t most_worked; // by one call that it was not asked to make elsewhere
    uint64_t worked;      // so far
    bool is_aside;        // the next call
    size_t held;          // by all exchanges, when the upstream was asked last
    lg_str early;         // what had been sent when the upstream was done
    lg_exchange_report report;
    char decision_id[LG_JOURNAL_ID_HEX];
    // What the journal has said, on its own thread.
    pthread_mutex_t lock;
    pthread_cond_t told;
    lg_status tokens[HOST_TOKENS_MAX];
    bool is_told[HOST_TOKENS_MAX];
} host;

// ' is ", and ` is '.
static inline lg_str host_text(host *h, const char *text)
{
    lg_str copy = lg_arena_str(&h->arena, lg_str_c(text));
    char *bytes = (char *)(uintptr_t)copy.ptr;
    for (size_t i = 0; i < copy.len; i++) {
        bytes[i] = bytes[i] == '\'' ? '"' : bytes[i] == '`' ? '\'' : bytes[i];
    }
    return copy;
}

static inline void host_kept(void *context, uint64_t token, lg_status status)
{
    host *h = context;
    pthread_mutex_lock(&h->lock);
    h->tokens[token % HOST_TOKENS_MAX] = status;
    h->is_told[token % HOST_TOKENS_MAX] = true;
    pthread_cond_broadcast(&h->told);
    pthread_mutex_unlock(&h->lock);
}

static inline void host_open_log(host *h)
{
    char path[256];
    lg_error err;
    lg_temp_folder(h->folder);
    lg_temp_path(path, sizeof(path), h->folder, "log.db");
    lg_store_options options = {.path = path, .record_bytes = h->o.record_bytes};
    CHECK(lg_store_open(&options, &h->store, &err) == LG_OK);
    CHECK(lg_journal_new(h->store, &h->journal) == LG_OK);
}

static inline void host_open(host *h, const host_options *options)
{
    static const lg_hash_key key = {{1, 2, 3}};
    *h = (host){.o = *options, .principal = LG_STR("alice"), .now = {1700000000, 0}};
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->told, NULL);
    lg_arena_init(&h->arena, 0);
    lg_buf_init(&h->got, 0);
    h->pack = options->pack ? options->pack : options->rules ? desk_pack(options->rules) : NULL;
    if (!options->no_journal) {
        host_open_log(h);
    }
    h->o.proxy.journal = h->journal;
    h->o.proxy.key = &key;
    h->o.route.pack = h->pack;
    h->o.route.now = h->now;
    h->o.route.name = h->o.route.name.len ? h->o.route.name : LG_STR("/v1");
    lg_error err;
    CHECK(lg_proxy_new(&h->o.proxy, &h->proxy) == LG_OK);
    CHECK(lg_proxy_route_new(h->proxy, &h->o.route, &h->route, &err) == LG_OK);
}

static inline void host_close(host *h)
{
    lg_proxy_route_free(h->route);
    lg_proxy_free(h->proxy);
    lg_journal_free(h->journal);
    lg_store_close(h->store);
    lg_pack_free(h->pack);
    if (h->folder[0]) {
        lg_temp_remove(h->folder);
    }
    lg_arena_done(&h->arena);
    lg_buf_done(&h->got);
    pthread_cond_destroy(&h->told);
    pthread_mutex_destroy(&h->lock);
}

static inline host_answer *host_add(host *h, uint16_t status, const char *type, const char *body)
{
    host_answer *a = &h->answers[h->answer_count++];
    *a = (host_answer){.status = status, .type = type, .body = host_text(h, body)};
    return a;
}

static inline void host_reply(host *h, const char *body)
{
    host_add(h, 200, "application/json", body);
}

static inline void host_stream(host *h, const char *body)
{
    host_add(h, 200, "text/event-stream; charset=utf-8", body);
}

// Only what the exchange asks for fails.
static inline void host_enter(host *h)
{
    h->asked_for = lg_alloc_count();
    lg_alloc_fail_at(h->fails_at);
}

static inline void host_leave(host *h)
{
    uint64_t asked = lg_alloc_count() - h->asked_for;
    lg_alloc_fail_at(0);
    h->has_failed = h->has_failed || (h->fails_at && asked >= h->fails_at);
    h->fails_at = !h->fails_at ? 0 : asked >= h->fails_at ? 1 : h->fails_at - asked;
}

static inline bool host_step(host *h, lg_exchange *x);

static inline void host_give(host *h, lg_exchange *x, lg_str bytes)
{
    while (bytes.len) {
        size_t piece = h->piece ? h->piece : h->shakes ? 1 + dice_below(&h->dice, 40) : bytes.len;
        piece = piece < bytes.len ? piece : bytes.len;
        // Of the exact size, so that a sanitizer sees the first byte beyond it.
        char *exact = malloc(piece);
        memcpy(exact, bytes.ptr, piece);
        host_enter(h);
        lg_exchange_upstream_bytes(x, (lg_str){exact, piece});
        host_leave(h);
        free(exact);
        while (h->asks && host_step(h, x)) {
        }
        bytes = lg_str_slice(bytes, piece, bytes.len);
    }
}

static inline void host_answer_now(host *h, lg_exchange *x, const lg_exchange_action *asked)
{
    h->held = lg_proxy_held_bytes(h->proxy);
    if (h->asked_count < HOST_REPLIES_MAX) {
        h->asked[h->asked_count++] = lg_arena_str(&h->arena, asked->body);
    }
    if (h->answer_next >= h->answer_count) {
        host_enter(h);
        lg_exchange_upstream_end(
            x, &(lg_upstream_end){.status = 502, .why = LG_STR("the connection was refused")});
        host_leave(h);
        return;
    }
    const host_answer *a = &h->answers[h->answer_next++];
    h->field = lg_str_c(a->field ? a->field : "x-request-id");
    lg_http_field fields[] = {{LG_STR("Content-Type"), lg_str_c(a->type)},
                              {LG_STR("Content-Length"), LG_STR("12345")},
                              {h->field, lg_str_c(a->value ? a->value : "req_1")},
                              {LG_STR("content-encoding"), lg_str_c(a->coding)}};
    host_enter(h);
    lg_exchange_upstream_head(x, a->status, fields, LG_COUNT(fields) - !a->coding);
    host_leave(h);
    host_give(h, x, a->body);
    host_enter(h);
    lg_exchange_upstream_end(
        x, &(lg_upstream_end){.whole = !a->cut, .status = 502, .why = lg_str_c(a->cut)});
    host_leave(h);
}

static inline void host_sent(host *h, const lg_exchange_action *a)
{
    CHECK(!h->ended);
    if (a->head) {
        CHECK(h->status == 0);
        h->status = a->status;
        for (size_t i = 0; i < a->field_count; i++) {
            CHECK(!lg_str_eq(a->fields[i].name, LG_STR("Content-Length")));
            lg_str value = lg_arena_str(&h->arena, a->fields[i].value);
            bool type = lg_str_eq(a->fields[i].name, LG_STR("Content-Type")) ||
                        lg_str_eq(a->fields[i].name, LG_STR("content-type"));
            h->type = type ? value : h->type;
            h->led_to = lg_str_eq(a->fields[i].name, h->field) ? value : h->led_to;
            h->retry_after =
                lg_str_eq(a->fields[i].name, LG_STR("retry-after")) ? value : h->retry_after;
        }
    }
    CHECK(h->status != 0);
    lg_buf_add(&h->got, a->body);
    h->ended = a->end;
    h->broken = a->broken;
}

static inline void host_wait(host *h, lg_exchange *x, uint64_t token)
{
    size_t at = token % HOST_TOKENS_MAX;
    h->waits++;
    h->early = lg_arena_str(&h->arena, lg_buf_str(&h->got));
    pthread_mutex_lock(&h->lock);
    while (!h->is_told[at]) {
        pthread_cond_wait(&h->told, &h->lock);
    }
    lg_status status = h->tokens[at];
    h->is_told[at] = false;
    pthread_mutex_unlock(&h->lock);
    host_enter(h);
    lg_exchange_durable(x, token + 1, LG_OK); // somebody else's
    lg_exchange_durable(x, token, h->fails_to_keep ? LG_ERR_IO : status);
    host_leave(h);
}

static inline bool host_step(host *h, lg_exchange *x)
{
    host_enter(h);
    lg_exchange_action a = lg_exchange_next(x);
    host_leave(h);
    lg_exchange_report report;
    lg_exchange_tell(x, &report);
    uint64_t worked = report.worked - h->worked;
    h->most_worked = !h->is_aside && worked > h->most_worked ? worked : h->most_worked;
    h->worked = report.worked;
    h->is_aside = a.kind == LG_EXCHANGE_MORE && a.aside;
    h->asides += h->is_aside;
    switch (a.kind) {
    case LG_EXCHANGE_MORE:
        h->mores++;
        return true;
    case LG_EXCHANGE_UPSTREAM:
        host_answer_now(h, x, &a);
        return true;
    case LG_EXCHANGE_SEND:
        host_sent(h, &a);
        return true;
    case LG_EXCHANGE_WAIT_DURABLE:
        host_wait(h, x, a.token);
        return true;
    case LG_EXCHANGE_WAIT: // for what has been told already
        CHECK_MSG(h->asks, "the exchange waits for nothing");
        return false;
    case LG_EXCHANGE_DONE:
        break;
    }
    return false;
}

// Runs an exchange to its end. False: it could not begin, for want of memory.
static inline bool host_run_text(host *h, lg_str body)
{
    lg_exchange *x;
    lg_exchange_options options = {.proxy = h->proxy,
                                   .route = h->route,
                                   .api = h->o.api,
                                   .principal = h->principal,
                                   .body = body,
                                   .now = h->now,
                                   .slice = h->o.slice,
                                   .at_once = h->o.at_once,
                                   .kept = host_kept,
                                   .kept_context = h};
    h->asked_count = 0;
    h->status = 0;
    h->ended = h->broken = false;
    h->mores = h->waits = h->asides = 0;
    h->worked = h->most_worked = 0;
    h->is_aside = false;
    h->type = h->retry_after = h->led_to = h->early = LG_STR("");
    lg_buf_clear(&h->got);
    host_enter(h);
    lg_status status = lg_exchange_new(&options, &x);
    host_leave(h);
    if (status != LG_OK) {
        CHECK(status == LG_ERR_OOM);
        return false;
    }
    while (host_step(h, x)) {
    }
    CHECK(h->ended);
    host_enter(h);
    lg_exchange_delivered(x, !h->client_is_gone);
    host_leave(h);
    lg_exchange_tell(x, &h->report);
    snprintf(h->decision_id, sizeof(h->decision_id), "%.*s", LG_FMT(h->report.decision_id));
    host_enter(h);
    lg_exchange_free(x);
    host_leave(h);
    return true;
}

static inline void host_run(host *h, const char *body)
{
    h->answer_next = 0;
    CHECK(host_run_text(h, host_text(h, body)));
    h->answer_count = 0;
}

// --- What came of it ----------------------------------------------------------------------------

static inline bool host_has(lg_str text, const char *part)
{
    return lg_str_find(text, lg_str_c(part)) != SIZE_MAX;
}

static inline bool host_says(host *h, const char *part)
{
    return host_has(lg_buf_str(&h->got), host_text(h, part).ptr);
}

static inline bool host_asked(host *h, size_t round, const char *part)
{
    return round < h->asked_count && host_has(h->asked[round], host_text(h, part).ptr);
}

static inline lg_proxy_counts host_counts(const host *h)
{
    lg_proxy_counts counts;
    lg_proxy_count(h->proxy, &counts);
    return counts;
}

// --- The log ------------------------------------------------------------------------------------

static inline void host_is_same(void *context, const lg_journal_check *check)
{
    (void)context;
    if (!CHECK(check->agreement == LG_JOURNAL_SAME)) {
        printf("    %.300s\n    then: %.*s\n    now:  %.*s\n", check->why, LG_FMT(check->then),
               LG_FMT(check->now));
    }
}

// Ends all that writes, and decides again from the log what was decided: so many decisions, and all of them the same.
static inline void host_verify(host *h, uint64_t decisions)
{
    char path[256];
    lg_error err;
    lg_log *log;
    lg_journal_counts counts = {0};
    lg_proxy_route_free(h->route);
    lg_proxy_free(h->proxy);
    lg_journal_free(h->journal);
    lg_store_close(h->store);
    h->route = NULL;
    h->proxy = NULL;
    h->journal = NULL;
    h->store = NULL;
    lg_temp_path(path, sizeof(path), h->folder, "log.db");
    CHECK(lg_log_open(path, NULL, &log, &err) == LG_OK);
    CHECK(lg_journal_verify(log, LG_STR(""), 0, host_is_same, NULL, &counts, &err) == LG_OK);
    CHECK(counts.decisions == decisions && counts.same == decisions);
    lg_log_close(log);
}

#endif
