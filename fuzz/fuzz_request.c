// fuzz_request.c: requests and messages from any bytes. A pack with the text before the first line `--` as its `requests` is
// refused or loaded; then whatever is said (each line after it a message, the user's and the agent's in turn), what was
// asked for is found twice alike, within its bounds, and the session decides afterwards as before.
#include "pack_fixture.h"
#include "request/request.h"

#include <stdint.h>

#define MESSAGES_MAX 24u

static void require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

static const char head[] =
    "pack: desk\nversion: '1'\n"
    "ledger: {orders.*: {type: object, properties: {id: {type: string}, status: {type: string}}}}\n"
    "tools:\n"
    "  look:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}}\n"
    "    stores: [{at: 'orders[args.id]'}]\n"
    "  pay: {kind: write, parameters: {type: object, properties: {id: {type: string}}}}\n"
    "rules:\n"
    "  open: {tools: [pay], that: \"ledger.orders[args.id].status == 'open'\", say: no}\n"
    "requests:\n";

static size_t split(lg_str text, lg_str *ret_pack, lg_trace_event *events)
{
    size_t at = lg_str_find(text, LG_STR("\n--\n"));
    *ret_pack = lg_str_slice(text, 0, at == SIZE_MAX ? text.len : at + 1);
    size_t count = 0;
    for (size_t from = at == SIZE_MAX ? text.len : at + 4; from < text.len && count < MESSAGES_MAX;
         count++) {
        size_t to = lg_str_line_end(text, from);
        events[count] = (lg_trace_event){.kind = LG_EVENT_MESSAGE,
                                         .role = count % 2 ? LG_ROLE_AGENT : LG_ROLE_USER,
                                         .turn = (uint32_t)count,
                                         .other = LG_NO_EVENT,
                                         .text = lg_str_slice(text, from, to)};
        from = to + 1;
    }
    return count;
}

static void observe(lg_session *session, const char *id, const char *result)
{
    lg_event both = {.kind = LG_EVENT_RESULT,
                     .tool = LG_STR("look"),
                     .args = lg_str_c(id),
                     .text = lg_str_c(result)};
    require(lg_observe(session, &both, NULL, NULL) == LG_OK);
}

static void check(const lg_requests *a, const lg_requests *b, size_t events)
{
    require(a->count == b->count && a->cut == b->cut && a->count <= LG_ASKED_MAX);
    for (size_t i = 0; i < a->count; i++) {
        const lg_asked *asked = &a->items[i];
        require(asked->verdict == b->items[i].verdict && asked->how == b->items[i].how);
        require(lg_str_eq(asked->key, b->items[i].key));
        require((asked->how == LG_ASKED_NOTHING) == (asked->key.len == 0));
        require(asked->event <= asked->last && asked->last < events);
        require(asked->withdrawn == LG_NO_EVENT || asked->withdrawn > asked->last);
        require(lg_json_is(asked->args, LG_JSON_OBJECT) && asked->done == LG_NO_EVENT);
        require(asked->verdict != LG_ASKED_DONE && asked->verdict != LG_ASKED_FORFEITED);
    }
}

static void find(const lg_pack *pack, lg_trace_event *events, size_t count)
{
    lg_session *session;
    lg_arena arena;
    lg_requests a;
    lg_requests b;
    lg_trace trace = {.events = events, .count = count};
    require(lg_session_new(pack, NULL, &session) == LG_OK);
    lg_arena_init(&arena, 0);
    observe(session, "{\"id\": \"W1\"}", "{\"id\": \"W1\", \"status\": \"open\"}");
    observe(session, "{\"id\": \"#W2\"}", "{\"id\": \"#W2\", \"status\": \"shut\"}");
    require(lg_requests_find(session, &trace, &arena, &a, NULL) == LG_OK);
    require(lg_requests_find(session, &trace, &arena, &b, NULL) == LG_OK);
    check(&a, &b, count);
    const lg_decision *decision;
    lg_event call = {
        .kind = LG_EVENT_CALL, .tool = LG_STR("pay"), .args = LG_STR("{\"id\": \"W1\"}")};
    require(lg_decide(session, &call, 1, &decision, NULL) == LG_OK);
    require(decision->verdict == LG_ALLOW);
    lg_arena_done(&arena);
    lg_session_free(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const lg_limits limits = {.observe_steps = 200000, .decision_steps = 20000};
    lg_str requests;
    lg_trace_event events[MESSAGES_MAX];
    lg_pack *pack = NULL;
    lg_buf text;
    if (size > 1 << 16) {
        return 0;
    }
    size_t count = split((lg_str){(const char *)data, size}, &requests, events);
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, head);
    lg_buf_add(&text, requests);
    if (lg_pack_load_text(lg_buf_str(&text), "fuzz.yaml", &limits, &pack, NULL, 0, NULL) == LG_OK) {
        find(pack, events, count);
        lg_pack_free(pack);
    }
    lg_buf_done(&text);
    return 0;
}
