// test_shared.c: loops share a proxy and its routes: the same conversations from several threads at once, while the
// route is given up by the host.
#include "desk_pack.h"
#include "proxy/proxy.h"
#include "proxy_texts.h"

#include <pthread.h>

#define THREADS 4u
#define EXCHANGES 60u

typedef struct loop {
    pthread_t thread;
    lg_proxy *proxy;
    lg_proxy_route *route;
    unsigned number;
    unsigned delivered, refused; // calls
} loop;

// ' is ".
static lg_str text_of(char *room, const char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i <= len; i++) {
        room[i] = text[i] == '\'' ? '"' : text[i];
    }
    return (lg_str){room, len};
}

static void answer(lg_exchange *x, bool allowed)
{
    char room[2048];
    lg_http_field type = {LG_STR("content-type"), LG_STR("application/json")};
    lg_exchange_upstream_head(x, 200, &type, 1);
    lg_exchange_upstream_bytes(
        x, text_of(room, allowed ? REPLY(CALLS(CALL("w1", "act", ARGS_A)), "tool_calls")
                                 : REPLY(CALLS(CALL("w1", "act", ARGS_B)), "tool_calls")));
    lg_exchange_upstream_end(x, &(lg_upstream_end){.whole = true});
}

static void run_one(loop *l, const char *body, bool allowed)
{
    char room[2048];
    lg_exchange *x;
    lg_exchange_options options = {.proxy = l->proxy,
                                   .route = l->route,
                                   .principal = LG_STR("all"),
                                   .body = text_of(room, body),
                                   .now = {1700000000, 0}};
    if (lg_exchange_new(&options, &x) != LG_OK) {
        return;
    }
    for (bool more = true; more;) {
        lg_exchange_action a = lg_exchange_next(x);
        more = a.kind != LG_EXCHANGE_DONE;
        if (a.kind == LG_EXCHANGE_UPSTREAM) {
            answer(x, allowed);
        } else if (a.kind == LG_EXCHANGE_SEND) {
            bool there = lg_str_find(a.body, LG_STR("\"id\":\"w1\",\"type\"")) != SIZE_MAX;
            l->delivered += there;
            l->refused += !there;
        }
    }
    lg_exchange_delivered(x, true);
    lg_exchange_free(x);
}

static void *run_loop(void *context)
{
    static const char *const bodies[] = {ASK(READ_A),
                                         ASK(READ_A "," AGENT("Open.") "," USER("go on"))};
    loop *l = context;
    for (unsigned i = 0; i < EXCHANGES; i++) {
        run_one(l, bodies[(i + l->number) % 2], i % 3 != 0);
    }
    return NULL;
}

static void released(void *context)
{
    *(bool *)context = true;
}

static void loops_share_what_is_remembered(void)
{
    lg_pack *pack = desk_pack(RULES);
    lg_proxy *proxy;
    lg_proxy_route *route;
    lg_error err;
    bool is_released = false;
    loop loops[THREADS] = {{0}};
    CHECK(lg_proxy_new(&(lg_proxy_options){.session_entries = 3}, &proxy) == LG_OK);
    lg_proxy_route_options options = {.name = LG_STR("/v1"),
                                      .pack = pack,
                                      .max_revisions = 1,
                                      .released = released,
                                      .context = &is_released};
    CHECK(lg_proxy_route_new(proxy, &options, &route, &err) == LG_OK);
    for (unsigned i = 0; i < THREADS; i++) {
        loops[i] = (loop){.proxy = proxy, .route = route, .number = i};
        CHECK(pthread_create(&loops[i].thread, NULL, run_loop, &loops[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(loops[i].thread, NULL);
        CHECK(loops[i].refused == EXCHANGES / 3);
        CHECK(loops[i].delivered == EXCHANGES - EXCHANGES / 3);
    }
    lg_proxy_counts counts;
    lg_proxy_count(proxy, &counts);
    CHECK(counts.exchanges == THREADS * EXCHANGES);
    CHECK(counts.folds_warm + counts.folds_cold == counts.exchanges);
    CHECK(counts.folds_warm > 0);
    CHECK(!is_released);
    lg_proxy_route_free(route);
    CHECK(is_released);
    lg_proxy_free(proxy);
    lg_pack_free(pack);
}

// The host may give up a route, as when it reloads, while exchanges of it run.
static void a_route_lives_as_long_as_its_exchanges(void)
{
    char room[2048];
    lg_pack *pack = desk_pack(RULES);
    lg_proxy *proxy;
    lg_proxy_route *route;
    lg_exchange *x;
    lg_error err;
    bool is_released = false;
    CHECK(lg_proxy_new(&(lg_proxy_options){0}, &proxy) == LG_OK);
    lg_proxy_route_options options = {
        .name = LG_STR("/v1"), .pack = pack, .released = released, .context = &is_released};
    CHECK(lg_proxy_route_new(proxy, &options, &route, &err) == LG_OK);
    lg_exchange_options of = {
        .proxy = proxy, .route = route, .body = text_of(room, ASK(READ_A)), .now = {1, 0}};
    CHECK(lg_exchange_new(&of, &x) == LG_OK);
    lg_proxy_route_free(route);
    CHECK(!is_released);
    while (lg_exchange_next(x).kind != LG_EXCHANGE_UPSTREAM) {
    }
    answer(x, true);
    CHECK(lg_exchange_next(x).kind == LG_EXCHANGE_SEND);
    CHECK(lg_exchange_next(x).kind == LG_EXCHANGE_DONE);
    lg_exchange_free(x);
    CHECK(is_released);
    lg_proxy_free(proxy);
    lg_pack_free(pack);
}

static void visit(void *context, lg_verdict verdict, lg_str rule, lg_str tool, uint64_t count)
{
    lg_buf_addf(context, "%s %.*s %.*s %llu\n", lg_verdict_name(verdict), LG_FMT(rule),
                LG_FMT(tool), (unsigned long long)count);
}

static void decisions_are_counted_by_what_decided(void)
{
    lg_pack *pack = desk_pack(RULES);
    lg_error err;
    lg_buf text;
    loop l = {0};
    CHECK(lg_proxy_new(&(lg_proxy_options){0}, &l.proxy) == LG_OK);
    lg_proxy_route_options options = {.name = LG_STR("/v1"), .pack = pack, .max_revisions = 1};
    CHECK(lg_proxy_route_new(l.proxy, &options, &l.route, &err) == LG_OK);
    run_one(&l, ASK(READ_A), true);
    run_one(&l, ASK(READ_A), false);
    lg_buf_init(&text, 0);
    lg_proxy_route_decisions(l.route, visit, &text);
    CHECK_STR(lg_buf_str(&text), "allow  act 1\nrevise open_only act 2\n");
    lg_buf_done(&text);
    lg_proxy_route_free(l.route);
    lg_proxy_free(l.proxy);
    lg_pack_free(pack);
}

int main(void)
{
    RUN(loops_share_what_is_remembered);
    RUN(a_route_lives_as_long_as_its_exchanges);
    RUN(decisions_are_counted_by_what_decided);
    return lg_test_done();
}
