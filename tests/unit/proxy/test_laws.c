// test_laws.c: what holds however bytes are cut, and wherever memory ends.
#include "proxy_host.h"
#include "proxy_texts.h"

#define TEXTS                                                                                      \
    RULES "conversation:\n"                                                                        \
          "  rules:\n"                                                                             \
          "    no_secrets:\n"                                                                      \
          "      that: \"!message.contains('secret')\"\n"                                          \
          "      at: {message: agent}\n"

// --- Memory -------------------------------------------------------------------------------------

// Two calls, of which one is refused; then, of a message that is refused as a whole, a better one.
static void tell(host *h, bool streamed)
{
    if (streamed) {
        host_stream(h, STREAM_BEGIN STREAM_TEXT("Now.") STREAM_CALL("0", "bad1", "act", ARGS_B)
                           STREAM_END("tool_calls"));
        host_stream(h, STREAM_BEGIN STREAM_CALL("0", "good1", "act", ARGS_A)
                           STREAM_CALL("1", "bad2", "act", ARGS_B) STREAM_END("tool_calls"));
    } else {
        host_reply(h, REPLY(SAYS_AND_CALLS("Now.", CALL("bad1", "act", ARGS_B)), "tool_calls"));
        host_reply(h, REPLY(CALLS(CALL("good1", "act", ARGS_A) "," CALL("bad2", "act", ARGS_B)),
                            "tool_calls"));
    }
}

static bool shows(host *h, const char *id)
{
    char text[64];
    snprintf(text, sizeof(text), "'id':'%s','type'", id);
    return host_says(h, text);
}

// Wherever memory ends, nothing refused passes, nothing passes that the log does not have, and it ends.
static bool ends_well(host *h, bool streamed, uint64_t fails_at)
{
    lg_str body = host_text(h, streamed ? ASK_STREAM(READ_A) : ASK(READ_A));
    tell(h, streamed);
    h->answer_next = 0;
    h->fails_at = fails_at;
    h->has_failed = false;
    bool begun = host_run_text(h, body);
    h->answer_count = 0;
    h->fails_at = 0;
    CHECK(!begun || !shows(h, "bad1"));
    CHECK(!begun || !shows(h, "bad2"));
    CHECK(!begun || !shows(h, "good1") || h->waits > 0);
    CHECK(!begun || h->has_failed || shows(h, "good1"));
    CHECK(!begun || h->status == 200 || h->status == 503);
    return !h->has_failed;
}

static void sweep(const char *rules, bool streamed, lg_proxy_block block)
{
    uint64_t n = 1;
    bool whole = false;
    host h;
    host_open(&h, &(host_options){.rules = rules, .route = {.block = block}});
    lg_proxy_options with = h.o.proxy;
    for (; !whole && n < 5000; n++) {
        // A fresh memory each time, so that each allocation is met.
        lg_proxy_route_free(h.route);
        lg_proxy_free(h.proxy);
        lg_error err;
        CHECK(lg_proxy_new(&with, &h.proxy) == LG_OK);
        CHECK(lg_proxy_route_new(h.proxy, &h.o.route, &h.route, &err) == LG_OK);
        whole = ends_well(&h, streamed, n);
    }
    CHECK(whole && n > 20);
    host_close(&h);
}

static void memory_may_end_anywhere(void)
{
    sweep(RULES, false, LG_PROXY_BLOCK_CURRENT);
    sweep(RULES, true, LG_PROXY_BLOCK_APPEND);
    sweep(TEXTS, true, LG_PROXY_BLOCK_CURRENT);
}

// --- Streams ------------------------------------------------------------------------------------

// What the reply says of its decisions.
static lg_str decisions(host *h)
{
    lg_str got = lg_buf_str(&h->got);
    size_t from = lg_str_find(got, host_text(h, "'ledgergate':").ptr ? LG_STR("\"ledgergate\":")
                                                                     : LG_STR(""));
    if (from == SIZE_MAX) {
        return LG_STR("");
    }
    size_t depth = 0;
    size_t to = from + 13;
    bool quoted = false;
    for (; to < got.len; to++) {
        char c = got.ptr[to];
        if (c == '"' && got.ptr[to - 1] != '\\') {
            quoted = !quoted;
        }
        depth += !quoted && c == '{' ? 1 : 0;
        depth -= !quoted && c == '}' ? 1 : 0;
        if (!quoted && depth == 0) {
            break;
        }
    }
    return lg_arena_str(&h->arena, lg_str_slice(got, from, to + 1));
}

// A message of up to three calls, as a whole and as a stream.
typedef struct made {
    lg_buf whole, stream;
} made;

static void make(dice *d, made *m)
{
    static const char *const tools[] = {"act", "ping", "think", "get_order", "nobody"};
    static const char *const args[] = {ARGS_A, ARGS_B, ARGS_N("1"), ARGS_N("5"), "{}", "{\\'n\\':"};
    uint32_t calls = dice_below(d, 4);
    bool says = dice_one_in(d, 2);
    lg_buf_init(&m->whole, 0);
    lg_buf_init(&m->stream, 0);
    lg_buf_addf(&m->whole,
                "{'id':'c','choices':[{'index':0,'message':{'role':'assistant',"
                "'content':%s",
                says ? "'I say so.'" : "null");
    lg_buf_add_c(&m->stream, STREAM_BEGIN);
    lg_buf_add_c(&m->stream, says ? STREAM_TEXT("I say") STREAM_TEXT(" so.") : "");
    lg_buf_add_c(&m->whole, calls ? ",'tool_calls':[" : "");
    for (uint32_t i = 0; i < calls; i++) {
        const char *tool = DICE_PICK(d, tools);
        const char *given = DICE_PICK(d, args);
        lg_buf_addf(&m->whole, "%s" CALL("k%u", "%s", "%s"), i ? "," : "", i, tool, given);
        lg_buf_addf(&m->stream, STREAM_CALL("%u", "k%u", "%s", "%s"), i, i, tool, i, given);
    }
    const char *finish = calls ? "tool_calls" : "stop";
    lg_buf_addf(&m->whole, "%s},'finish_reason':'%s'}]}", calls ? "]" : "", finish);
    lg_buf_addf(&m->stream, STREAM_END("%s"), finish);
}

// However a stream is cut, the decisions are those of the same message as a whole.
static void streamed_is_unstreamed(void)
{
    dice d = dice_of(7);
    for (int i = 0; i < 120; i++) {
        lg_str told[2];
        size_t asked[2];
        const char *rules = i % 2 ? RULES : TEXTS;
        host h;
        host_open(&h, &(host_options){.rules = rules, .no_journal = true});
        made m[3];
        for (size_t k = 0; k < LG_COUNT(m); k++) {
            make(&d, &m[k]);
        }
        for (int streamed = 0; streamed < 2; streamed++) {
            for (size_t k = 0; k < LG_COUNT(m); k++) {
                lg_buf *one = streamed ? &m[k].stream : &m[k].whole;
                lg_buf_add_byte(one, '\0');
                (streamed ? host_stream : host_reply)(&h, one->ptr);
            }
            h.shakes = streamed;
            h.dice = dice_of((uint64_t)i);
            host_run(&h, streamed ? ASK_STREAM(READ_A) : ASK(READ_A));
            told[streamed] = decisions(&h);
            asked[streamed] = h.asked_count;
        }
        CHECK(told[0].len > 0);
        CHECK(asked[0] == asked[1]);
        if (!CHECK(lg_str_eq(told[0], told[1]))) {
            printf("    %.*s\n    %.*s\n    %s\n", LG_FMT(told[0]), LG_FMT(told[1]),
                   m[0].whole.ptr);
        }
        for (size_t k = 0; k < LG_COUNT(m); k++) {
            lg_buf_done(&m[k].whole);
            lg_buf_done(&m[k].stream);
        }
        host_close(&h);
    }
}

// Each cut in two of one stream.
static void every_split_is_one(void)
{
    static const char stream[] =
        STREAM_BEGIN STREAM_TEXT("I look.") STREAM_CALL("0", "w1", "act", ARGS_A)
            STREAM_CALL("1", "w2", "act", ARGS_B) STREAM_END("tool_calls");
    lg_str whole = LG_STR("");
    host h;
    for (size_t piece = 0; piece < sizeof(stream); piece++) {
        host_open(&h, &(host_options){.rules = RULES, .no_journal = true});
        h.piece = piece;
        host_stream(&h, stream);
        host_run(&h, ASK_STREAM(READ_A));
        lg_str got = lg_buf_str(&h.got);
        if (piece == 0) {
            char *kept = malloc(got.len);
            memcpy(kept, got.ptr, got.len);
            whole = (lg_str){kept, got.len};
        }
        CHECK(lg_str_eq(got, whole));
        host_close(&h);
    }
    free((void *)(uintptr_t)whole.ptr);
}

int main(void)
{
    RUN(memory_may_end_anywhere);
    RUN(streamed_is_unstreamed);
    RUN(every_split_is_one);
    return lg_test_done();
}
