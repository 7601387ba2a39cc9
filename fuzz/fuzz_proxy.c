// fuzz_proxy.c: any exchange: a request and the upstream's replies, in pieces.
//
// The first byte chooses the API, how the route is set and whether replies are streams, the second the size of the pieces
// in which they come. Then come the request and up to four replies, apart by lines of `%%`. Laws: it ends, with a status;
// what the client gets has no call of a tool that is always refused; where replies are cut makes no difference; nothing is
// left in memory (the sanitizer looks).
#include "proxy/proxy.h"

#include <stdlib.h>

#define REPLIES_MAX 4u

static const char law[] =
    "pack: fuzz\n"
    "version: '1'\n"
    "ledger:\n"
    "  orders.*: {type: object, properties: {status: {type: string}}}\n"
    "tools:\n"
    "  get_order:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    returns: {type: object, properties: {status: {type: string}}}\n"
    "    stores: [{at: 'orders[args.id]'}]\n"
    "  act: {kind: write, parameters: {type: object, properties: {id: {type: string}}}}\n"
    "  never: {kind: write, parameters: {type: object}}\n"
    "rules:\n"
    "  open_only:\n"
    "    tools: [act]\n"
    "    that: \"ledger.orders[args.id].status == 'open'\"\n"
    "    needs: ['ledger.orders[args.id]']\n"
    "    say: It is not open.\n"
    "  never:\n"
    "    tools: [never]\n"
    "    that: 'false'\n"
    "    otherwise: block\n"
    "    say: Never.\n";

static const char rules_about_text[] = "conversation:\n"
                                       "  rules:\n"
                                       "    no_secrets:\n"
                                       "      that: \"!message.contains('secret')\"\n"
                                       "      at: {message: agent}\n"
                                       "      say: Keep it.\n";

static void require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

typedef struct input {
    lg_chat_api api;
    bool streamed;
    lg_proxy_route_options route;
    size_t piece;
    lg_str request;
    lg_str replies[REPLIES_MAX];
    size_t count;
} input;

static lg_pack *open_pack(bool speaks)
{
    lg_pack *pack = NULL;
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, law);
    lg_buf_add_c(&text, speaks ? rules_about_text : "");
    require(lg_pack_load_text(lg_buf_str(&text), "fuzz", NULL, &pack, NULL, 0, NULL) == LG_OK);
    lg_buf_done(&text);
    return pack;
}

static lg_str next_part(lg_str *rest)
{
    size_t end = lg_str_find(*rest, LG_STR("\n%%\n"));
    lg_str part = lg_str_slice(*rest, 0, end);
    *rest = end == SIZE_MAX ? LG_STR("") : lg_str_slice(*rest, end + 4, rest->len);
    return part;
}

static input read_input(const uint8_t *data, size_t size)
{
    static lg_pack *packs[2];
    uint8_t how = data[0];
    input in = {.api = (lg_chat_api)(how % LG_CHAT_API_COUNT), .streamed = how & 4};
    bool speaks = how & 8;
    packs[speaks] = packs[speaks] ? packs[speaks] : open_pack(speaks);
    in.route = (lg_proxy_route_options){.name = LG_STR("/v1"),
                                        .pack = packs[speaks],
                                        .block = how & 16 ? LG_PROXY_BLOCK_APPEND : 0,
                                        .on_refusal = how & 32 ? LG_PROXY_RETURN : LG_PROXY_ASK,
                                        .block_as_system = how & 64,
                                        .allow_unseen = how & 128};
    in.piece = data[1] ? data[1] : 1;
    lg_str rest = {(const char *)data + 2, size - 2};
    in.request = next_part(&rest);
    while (in.count < REPLIES_MAX && rest.len) {
        in.replies[in.count++] = next_part(&rest);
    }
    return in;
}

// --- A host -------------------------------------------------------------------------------------

static void give(lg_exchange *x, const input *in, lg_str reply, size_t piece)
{
    lg_str type = in->streamed ? LG_STR("text/event-stream") : LG_STR("application/json");
    lg_http_field field = {LG_STR("content-type"), type};
    lg_exchange_upstream_head(x, 200, &field, 1);
    while (reply.len) {
        size_t len = piece < reply.len ? piece : reply.len;
        lg_exchange_upstream_bytes(x, lg_str_slice(reply, 0, len));
        reply = lg_str_slice(reply, len, reply.len);
    }
    lg_exchange_upstream_end(x, &(lg_upstream_end){.whole = true});
}

static void run(lg_proxy *proxy, lg_proxy_route *route, const input *in, size_t piece, lg_buf *got)
{
    lg_exchange *x;
    size_t next = 0;
    uint16_t status = 0;
    bool ended = false;
    lg_exchange_options options = {.proxy = proxy,
                                   .route = route,
                                   .api = in->api,
                                   .principal = LG_STR("fuzz"),
                                   .body = in->request,
                                   .now = {1, 0},
                                   .slice = 7};
    require(lg_exchange_new(&options, &x) == LG_OK);
    for (bool more = true; more;) {
        lg_exchange_action a = lg_exchange_next(x);
        require(a.kind != LG_EXCHANGE_WAIT && a.kind != LG_EXCHANGE_WAIT_DURABLE);
        more = a.kind != LG_EXCHANGE_DONE;
        if (a.kind == LG_EXCHANGE_UPSTREAM) {
            require(next < 8); // revisions are bounded
            lg_str reply = next < in->count ? in->replies[next] : LG_STR("");
            next++;
            give(x, in, reply, piece);
        } else if (a.kind == LG_EXCHANGE_SEND) {
            require(!ended && (status == 0) == a.head);
            status = a.head ? a.status : status;
            ended = a.end;
            lg_buf_add(got, a.body);
        }
    }
    require(ended && status >= 200);
    lg_exchange_delivered(x, true);
    lg_exchange_free(x);
}

// A second turn finds what the first has left.
static void run_twice(const input *in, size_t piece, lg_buf *got)
{
    static const lg_hash_key key = {{9}};
    lg_proxy *proxy;
    lg_proxy_route *route;
    lg_proxy_options options = {.key = &key, .limits = {.memory_bytes = 32u << 20}};
    lg_buf_init(got, 0);
    require(lg_proxy_new(&options, &proxy) == LG_OK);
    require(lg_proxy_route_new(proxy, &in->route, &route, NULL) == LG_OK);
    run(proxy, route, in, piece, got);
    lg_buf_add_c(got, "\n%%\n");
    run(proxy, route, in, piece, got);
    require(lg_buf_status(got) == LG_OK);
    lg_proxy_route_free(route);
    lg_proxy_free(proxy);
}

// --- What the client reads ----------------------------------------------------------------------

static void require_no_never(const lg_chat_reply *reply)
{
    for (size_t i = 0; i < reply->call_count; i++) {
        require(!lg_str_eq(reply->calls[i].tool, LG_STR("never")));
    }
}

static void read_as_client(const input *in, lg_str got)
{
    lg_arena arena;
    const lg_chat_reply *reply = NULL;
    lg_chat_options options = {.pass_unknown = true};
    lg_arena_init(&arena, 64u << 20);
    if (!in->streamed) {
        if (lg_chat_reply_parse(&arena, in->api, got, &options, &reply, NULL) == LG_OK) {
            require_no_never(reply);
        }
    } else {
        lg_chat_stream *stream;
        lg_buf out;
        lg_buf_init(&out, 0);
        require(lg_chat_stream_new(&arena, in->api, &options, &stream, NULL) == LG_OK);
        if (lg_chat_stream_feed(stream, got, &out, NULL) == LG_OK &&
            lg_chat_stream_end(stream, &out, &reply, NULL) == LG_OK) {
            require_no_never(reply);
        }
        lg_chat_stream_free(stream);
        lg_buf_done(&out);
    }
    lg_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    input in = read_input(data, size);
    lg_buf whole;
    lg_buf cut;
    run_twice(&in, SIZE_MAX, &whole);
    run_twice(&in, in.piece, &cut);
    require(lg_str_eq(lg_buf_str(&whole), lg_buf_str(&cut)));
    lg_str got = lg_buf_str(&whole);
    read_as_client(&in, next_part(&got));
    lg_buf_done(&whole);
    lg_buf_done(&cut);
    return 0;
}
