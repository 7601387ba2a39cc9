// bench_turns.c: what a turn of a growing conversation costs the proxy, without sockets and without a log.
//
//     bench_turns [--warm]
//
// Turn n sends all of the conversation so far: each turn asks about another order, reads it (a record more in the
// ledger), and proposes a write that is judged. One JSON line for each way of showing the ledger: the medians of the
// 5th and the 50th turn, of fold and decision (what is new goes into the session, the reply is read, judged and written),
// and of the whole request for each KB of its body. Before each step the processor's caches are filled with
// something else, as they are when other conversations come between; with `--warm` they are not, and what the
// longer body has pushed out of them counts against the later turn.
#include "ledgergate/ledgergate.h"
#include "proxy/proxy.h"

#include "sampling.h"

#include <string.h>

#define TURNS 50u
#define EARLY 5u
#define CONVERSATIONS 101u
#define CACHE_BYTES ((size_t)16 << 20)

static const char pack_text[] =
    "pack: desk\n"
    "version: 1.0.0\n"
    "types:\n"
    "  Order: {type: object, properties: {id: {type: string}, paid: {type: number}, items: {type: "
    "array, items: {type: object, properties: {sku: {type: string}, price: {type: number}}}}}, "
    "required: [id, paid]}\n"
    "ledger: {orders.*: Order}\n"
    "tools:\n"
    "  get_order:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    returns: Order\n"
    "    stores: [{at: 'orders[args.id]'}]\n"
    "  refund:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {id: {type: string}, amount: {type: number}}, "
    "required: [id, amount]}\n"
    "    effects: []\n"
    "rules:\n"
    "  within_paid:\n"
    "    tools: [refund]\n"
    "    let: {o: 'ledger.orders[args.id]'}\n"
    "    needs: ['ledger.orders[args.id]']\n"
    "    that: args.amount <= o.paid\n"
    "    say: '{args.amount} is more than {o.paid}.'\n";

static void fail(const char *what)
{
    fprintf(stderr, "bench_turns: %s\n", what);
    exit(3);
}

// --- The conversation ---------------------------------------------------------------------------

static void add_call(lg_buf *out, char kind, const char *tool, const char *args, unsigned n)
{
    lg_buf_addf(out,
                "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_%c%u\","
                "\"type\":\"function\",\"function\":{\"name\":\"%s\",\"arguments\":\"{\\\"id\\\":"
                "\\\"W%u\\\"%s}\"}}]}",
                kind, n, tool, n, args);
}

static void add_turn(lg_buf *out, unsigned n)
{
    if (n > 1) {
        lg_buf_add_c(out, ",");
        add_call(out, 'w', "refund", ",\\\"amount\\\":3", n - 1);
        lg_buf_addf(out, ",{\"role\":\"tool\",\"tool_call_id\":\"call_w%u\",\"content\":\"done\"},",
                    n - 1);
    }
    lg_buf_addf(out, "{\"role\":\"user\",\"content\":\"Something is wrong with my order W%u.\"},",
                n);
    add_call(out, 'r', "get_order", "", n);
    lg_buf_addf(out,
                ",{\"role\":\"tool\",\"tool_call_id\":\"call_r%u\",\"content\":\"{\\\"id\\\":"
                "\\\"W%u\\\",\\\"paid\\\":120.5,\\\"items\\\":[",
                n, n);
    for (unsigned i = 0; i < 8; i++) {
        lg_buf_addf(out, "%s{\\\"sku\\\":\\\"sku_%u_%u\\\",\\\"price\\\":%u.25}", i ? "," : "", n,
                    i, i + 3);
    }
    lg_buf_add_c(out, "]}\"}");
}

static void make_reply(lg_buf *out, unsigned n)
{
    lg_buf_clear(out);
    lg_buf_add_c(out, "{\"id\":\"r\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":"
                      "[{\"index\":0,\"message\":");
    add_call(out, 'w', "refund", ",\\\"amount\\\":3", n);
    lg_buf_add_c(out, ",\"finish_reason\":\"tool_calls\"}]}");
}

// --- The caches -----------------------------------------------------------------------------------

static unsigned char *others; // NULL: they stay as they are
static volatile unsigned sum; // so that reading is not left out

static void forget(void)
{
    for (size_t i = 0; others && i < CACHE_BYTES; i += 64) {
        sum = sum + others[i]++;
    }
}

// --- One request --------------------------------------------------------------------------------

typedef struct cost {
    double fold, decide, whole;
} cost;

static lg_exchange_action next(lg_exchange *x, lg_exchange_kind kind)
{
    lg_exchange_action a = lg_exchange_next(x);
    if (a.kind != kind) {
        fail("the exchange does something else");
    }
    return a;
}

static cost ask(lg_proxy *proxy, lg_proxy_route *route, lg_str body, lg_str reply)
{
    static const lg_http_field fields[] = {{{"content-type", 12}, {"application/json", 16}}};
    lg_exchange *x;
    // So that reading and writing the body are steps of their own.
    lg_exchange_options options = {
        .proxy = proxy, .route = route, .body = body, .slice = 1000000, .at_once = 1};
    forget();
    double begun = sampling_now_ns();
    if (lg_exchange_new(&options, &x) != LG_OK) {
        fail("no memory");
    }
    next(x, LG_EXCHANGE_MORE);
    next(x, LG_EXCHANGE_MORE); // it is read
    double read_ns = sampling_now_ns() - begun;
    forget();
    begun = sampling_now_ns();
    next(x, LG_EXCHANGE_MORE); // folded
    double fold_ns = sampling_now_ns() - begun;
    begun = sampling_now_ns();
    next(x, LG_EXCHANGE_UPSTREAM); // written
    double write_ns = sampling_now_ns() - begun;
    forget();
    begun = sampling_now_ns();
    lg_exchange_upstream_head(x, 200, fields, 1);
    lg_exchange_upstream_bytes(x, reply);
    lg_exchange_upstream_end(x, &(lg_upstream_end){.whole = true});
    double decide_ns = sampling_now_ns() - begun;
    begun = sampling_now_ns();
    lg_exchange_action a = next(x, LG_EXCHANGE_SEND);
    if (a.status != 200 || lg_str_find(a.body, LG_STR("call_w")) == SIZE_MAX) {
        fail("the call was refused");
    }
    lg_exchange_delivered(x, true);
    lg_exchange_free(x);
    double end_ns = sampling_now_ns() - begun;
    return (cost){fold_ns, decide_ns, read_ns + fold_ns + write_ns + decide_ns + end_ns};
}

// --- All of it ----------------------------------------------------------------------------------

typedef struct samples {
    double fold[CONVERSATIONS], decide[CONVERSATIONS], both[CONVERSATIONS], whole[CONVERSATIONS];
    double kb;
} samples;

static double median(double *of)
{
    qsort(of, CONVERSATIONS, sizeof(*of), sampling_by_value);
    return of[CONVERSATIONS / 2] / 1e3;
}

static void keep(samples *s, size_t at, cost c, size_t bytes)
{
    s->fold[at] = c.fold;
    s->decide[at] = c.decide;
    s->both[at] = c.fold + c.decide;
    s->whole[at] = c.whole;
    s->kb = (double)bytes / 1024;
}

static void run(lg_pack *pack, lg_proxy_block block, samples *early, samples *late)
{
    for (size_t c = 0; c < CONVERSATIONS; c++) {
        lg_proxy *proxy;
        lg_proxy_route *route;
        lg_error err;
        lg_proxy_route_options options = {.name = LG_STR("/v1"), .pack = pack, .block = block};
        if (lg_proxy_new(&(lg_proxy_options){0}, &proxy) != LG_OK ||
            lg_proxy_route_new(proxy, &options, &route, &err) != LG_OK) {
            fail("no proxy");
        }
        lg_buf body, reply;
        lg_buf_init(&body, 0);
        lg_buf_init(&reply, 0);
        lg_buf_add_c(&body, "{\"model\":\"m\",\"messages\":[");
        for (unsigned n = 1; n <= TURNS; n++) {
            add_turn(&body, n);
            make_reply(&reply, n);
            lg_buf_add_c(&body, "]}");
            cost took = ask(proxy, route, lg_buf_str(&body), lg_buf_str(&reply));
            body.len -= 2;
            if (n == EARLY || n == TURNS) {
                keep(n == EARLY ? early : late, c, took, body.len);
            }
        }
        lg_buf_done(&body);
        lg_buf_done(&reply);
        lg_proxy_route_free(route);
        lg_proxy_free(proxy);
    }
}

static void tell(const char *name, samples *early, samples *late)
{
    double was = median(early->both), is = median(late->both);
    double was_kb = median(early->whole) / early->kb, is_kb = median(late->whole) / late->kb;
    printf("{\"bench\": \"turns\", \"block\": \"%s\", \"caches\": \"%s\", \"turns\": [%u, %u], "
           "\"kb\": [%.1f, %.1f], "
           "\"fold_us\": [%.1f, %.1f], \"decide_us\": [%.1f, %.1f], \"fold_and_decide_us\": [%.1f, "
           "%.1f], \"ratio\": %.2f, \"whole_us_per_kb\": [%.2f, %.2f], \"ratio_per_kb\": %.2f}\n",
           name, others ? "cold" : "warm", EARLY, TURNS, early->kb, late->kb, median(early->fold),
           median(late->fold), median(early->decide), median(late->decide), was, is, is / was,
           was_kb, is_kb, is_kb / was_kb);
}

int main(int argc, char **argv)
{
    static const struct {
        lg_proxy_block block;
        const char *name;
    } ways[] = {{LG_PROXY_BLOCK_CURRENT, "current"},
                {LG_PROXY_BLOCK_APPEND, "append"},
                {LG_PROXY_BLOCK_NONE, "none"}};
    static samples early, late;
    lg_pack *pack;
    lg_error errors[5];
    size_t count;
    bool warm = argc > 1 && strcmp(argv[1], "--warm") == 0;
    others = warm ? NULL : calloc(1, CACHE_BYTES);
    if (lg_pack_load_text(lg_str_c(pack_text), "desk.yaml", NULL, &pack, errors, 5, &count) !=
        LG_OK) {
        fail(errors[0].msg);
    }
    for (size_t i = 0; i < LG_COUNT(ways); i++) {
        run(pack, ways[i].block, &early, &late);
        tell(ways[i].name, &early, &late);
    }
    lg_pack_free(pack);
    free(others);
    return 0;
}
