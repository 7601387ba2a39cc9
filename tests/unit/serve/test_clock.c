// test_clock.c: the wall clock jumps, forth and back: decisions, ids, tokens, deadlines and the log do not mind.
#include "journal/journal.h"
#include "net_house.h"
#include "serve/serve.h"
#include "temp_folder.h"

static const char pack[] =
    "pack: desk\n"
    "version: 1.0.0\n"
    "types:\n"
    "  Order: {type: object, properties: {id: {type: string}, paid: {type: number}}, required: "
    "[id, "
    "paid]}\n"
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
    "    say: Too much.\n";

#define REFUND(amount)                                                                             \
    "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{"    \
    "\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"    \
    "\"call_2\",\"type\":\"function\",\"function\":{\"name\":\"refund\",\"arguments\":\"{"         \
    "\\\"id\\\":\\\"A1\\\",\\\"amount\\\":" amount "}\"}}]},\"finish_reason\":\"tool_calls\"}]}"

// A conversation that grows by what the caller gives.
#define ASKED                                                                                      \
    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"A1\"},{\"role\":"             \
    "\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\","     \
    "\"function\":{\"name\":\"get_order\",\"arguments\":\"{\\\"id\\\":\\\"A1\\\"}\"}}]},{\"role\"" \
    ":\"tool\",\"tool_call_id\":\"call_1\",\"content\":\"{\\\"id\\\":\\\"A1\\\",\\\"paid\\\":50}"  \
    "\"}%s]}"

// --- The clock ----------------------------------------------------------------------------------

#define BEGAN 1700000000
static _Atomic int64_t clock_s = BEGAN;

static lg_time now(void)
{
    return (lg_time){clock_s, 0};
}

static const int64_t jumps[] = {BEGAN, BEGAN + 3600, BEGAN - 86400, BEGAN - 86400,
                                1,     -1,           4102444800,    BEGAN + 1};

static const char *environment(const char *name)
{
    (void)name;
    return NULL;
}

// --- An upstream --------------------------------------------------------------------------------

typedef struct upstream {
    pthread_t thread;
    int listening;
    uint16_t port;
} upstream;

// Proposes a refund that fits. A request has come when its JSON is closed.
static void *answer_all(void *of)
{
    static const char body[] = REFUND("20");
    upstream *u = of;
    for (int fd; (fd = raw_accept(u->listening)) >= 0; close(fd)) {
        static raw_text asked;
        char head[128];
        asked.len = 0;
        asked.bytes[0] = '\0';
        raw_read_until(fd, &asked, "]}");
        snprintf(head, sizeof(head),
                 "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
                 "Connection: close\r\n\r\n",
                 sizeof(body) - 1);
        raw_say(fd, head);
        raw_say(fd, body);
    }
    return NULL;
}

// --- The gateway --------------------------------------------------------------------------------

typedef struct gate {
    char folder[128];
    char store[256], pack[256];
    char token[LG_SERVE_TOKEN_BYTES];
    upstream upstream;
    lg_serve *serve;
    lg_serve_problems problems;
} gate;

static void write_pack(gate *g)
{
    FILE *file = fopen(g->pack, "w");
    CHECK(file && fputs(pack, file) >= 0);
    if (file) {
        fclose(file);
    }
}

static bool begin(gate *g)
{
    static const lg_serve_host host = {.now = now, .environment = environment, .log_fd = -1};
    char hash[LG_SERVE_HASH_BYTES];
    char text[1024];
    lg_serve_config *config = NULL;
    *g = (gate){0};
    lg_temp_folder(g->folder);
    lg_temp_path(g->store, sizeof(g->store), g->folder, "log.db");
    lg_temp_path(g->pack, sizeof(g->pack), g->folder, "pack.yaml");
    write_pack(g);
    g->upstream.listening = raw_listen(&g->upstream.port);
    CHECK(pthread_create(&g->upstream.thread, NULL, answer_all, &g->upstream) == 0);
    lg_serve_make_token(g->token);
    lg_serve_hash_token(lg_str_c(g->token), hash);
    snprintf(text, sizeof(text),
             "listen: 127.0.0.1:0\nloops: 1\nstore: %s\n"
             "routes: [{path: /v1, upstream: {url: 'http://127.0.0.1:%u/v1'}, pack: %s}]\n"
             "tokens: [{name: desk, hash: '%s'}]\n",
             g->store, g->upstream.port, g->pack, hash);
    lg_serve_problems_init(&g->problems);
    bool began =
        lg_serve_config_read(lg_str_c(text), "c.yaml", &host, &config, &g->problems) == LG_OK &&
        lg_serve_start(config, &host, &g->serve, &g->problems) == LG_OK;
    return CHECK_MSG(began, g->problems.count ? g->problems.items[0].error.msg : "");
}

static void end(gate *g)
{
    lg_error err;
    CHECK(lg_serve_stop(g->serve, &err) == LG_OK);
    shutdown(g->upstream.listening, SHUT_RDWR);
    pthread_join(g->upstream.thread, NULL);
    close(g->upstream.listening);
    lg_serve_problems_done(&g->problems);
}

static void print_fault(void *context, const lg_log_fault *fault)
{
    (void)context;
    printf("    record %llu: %s\n", (unsigned long long)fault->sequence, fault->message);
}

static void print_check(void *context, const lg_journal_check *check)
{
    (void)context;
    if (check->agreement != LG_JOURNAL_SAME) {
        printf("    record %llu: %s\n", (unsigned long long)check->sequence, check->why);
    }
}

// What the whole log says.
static void check_log(const gate *g, size_t decisions)
{
    lg_log *log = NULL;
    lg_error err;
    lg_log_verdict verdict = {0};
    lg_journal_counts counts = {0};
    lg_log_trust trust = {0};
    CHECK(lg_log_open(g->store, NULL, &log, &err) == LG_OK);
    CHECK(lg_log_verify(log, &trust, print_fault, NULL, &verdict, &err) == LG_OK);
    CHECK(lg_journal_verify(log, LG_STR(""), 0, print_check, NULL, &counts, &err) == LG_OK);
    CHECK(verdict.fault_count == 0 && counts.decisions == decisions && counts.same == decisions);
    lg_log_close(log);
}

// --- The client ---------------------------------------------------------------------------------

// Asks over a connection that stays, and reads one whole answer.
static void ask(const gate *g, int fd, const char *more, raw_text *ret)
{
    static char body[4096], head[512];
    snprintf(body, sizeof(body), ASKED, more);
    snprintf(head, sizeof(head),
             "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer "
             "%s\r\nContent-Length: %zu\r\n\r\n",
             lg_serve_port(g->serve), g->token, strlen(body));
    raw_say(fd, head);
    raw_say(fd, body);
    *ret = (raw_text){.len = 0};
    CHECK(raw_read_until(fd, ret, "\r\n\r\n"));
    const char *length = strstr(ret->bytes, "Content-Length: ");
    const char *end = strstr(ret->bytes, "\r\n\r\n");
    size_t wanted = length ? strtoul(length + 16, NULL, 10) : 0;
    while (end && ret->len < (size_t)(end + 4 - ret->bytes) + wanted) {
        ssize_t got = recv(fd, ret->bytes + ret->len, sizeof(ret->bytes) - 1 - ret->len, 0);
        if (!CHECK(got > 0)) {
            return;
        }
        ret->len += (size_t)got;
        ret->bytes[ret->len] = '\0';
    }
}

#define ID "x-ledgergate-decision-id: "

static void the_clock_jumps(void)
{
    gate g;
    static raw_text text;
    char ids[LG_COUNT(jumps)][33];
    if (!begin(&g)) {
        return;
    }
    int fd = raw_connect(lg_serve_port(g.serve)); // its deadlines are none of this clock
    for (size_t i = 0; i < LG_COUNT(jumps); i++) {
        char more[128];
        clock_s = jumps[i];
        snprintf(more, sizeof(more), ",{\"role\":\"user\",\"content\":\"%s%zu\"}",
                 i % 2 ? "again " : "", i % 2 ? i : 0);
        ask(&g, fd, more, &text);
        CHECK(raw_has(&text, "HTTP/1.1 200 ") && raw_has(&text, "\"refund\""));
        const char *id = strstr(text.bytes, ID);
        snprintf(ids[i], sizeof(ids[i]), "%s", id ? id + strlen(ID) : "");
        CHECK(strlen(ids[i]) == 32);
        for (size_t k = 0; k < i; k++) {
            CHECK(strcmp(ids[i], ids[k]) != 0);
        }
    }
    close(fd);
    end(&g);
    check_log(&g, LG_COUNT(jumps));
    lg_temp_remove(g.folder);
}

int main(void)
{
    RUN(the_clock_jumps);
    return lg_test_done();
}
