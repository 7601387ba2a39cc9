// What a verdict may count on: what a record refutes, what other rules have read, and what was tried before.
#include "session_fixture.h"

// An order that is read and reopened, and a call that changes its flag only if it is open.
static const char shop[] =
    "pack: shop\nversion: 1.0.0\n"
    "types:\n"
    "  Order: {type: object, properties: {id: {type: string}, status: {type: string}, flag: {type: "
    "string},\n"
    "    items: {type: object, additionalProperties: {type: string}}}}\n"
    "  User: {type: object, properties: {level: {type: string}, note: {type: string}}}\n"
    "ledger: {orders.*: Order, user: User}\n"
    "state: {orders.*: Order, user: User}\n"
    "tools:\n"
    "  get_order:\n    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    returns: Order\n    gives: 'state.orders[args.id]'\n    stores: [{at: "
    "'orders[args.id]'}]\n"
    "  get_user: {kind: read, parameters: {type: object}, returns: User, gives: state.user, "
    "stores: [{at: user}]}\n"
    "  reopen:\n    kind: write\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    effects: [{set: 'orders[args.id].status', to: \"'open'\"}]\n"
    "  flag:\n    kind: write\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    effects: [{when: \"state.orders[args.id].status == 'open'\", set: 'orders[args.id].flag', "
    "to: \"'b'\"}]\n"
    "  note: {kind: write, parameters: {type: object}, effects: [{set: user.note, to: \"'b'\"}]}\n"
    "  act:\n    kind: write\n"
    "    parameters: {type: object, properties: {id: {type: string}, k: {type: string}}}\n"
    "    effects: []\n";

static void shop_open(desk *d, const char *rules)
{
    lg_error error[1] = {0};
    size_t errors;
    *d = (desk){0};
    lg_arena_init(&d->arena, 0);
    lg_str text = lg_arena_printf(&d->arena, "%srules:\n%s", shop, rules);
    CHECK_MSG(lg_pack_load_text(text, "shop", NULL, &d->pack, error, 1, &errors) == LG_OK,
              error[0].msg);
    CHECK(lg_session_new(d->pack, NULL, &d->session) == LG_OK);
}

#define ORDER "{\"id\": \"1\"}"

// What is stale refutes nothing: the order that was read as shut may be open when the flag is set.
static void a_stale_text_refutes_no_pending_change(void)
{
    static const char *const rules[] = {
        "  r: {tools: [act], that: \"ledger.orders[args.id].flag == 'a'\", say: x}\n",
        "  r: {tools: [act], stale: reread, that: \"ledger.orders[args.id].flag == 'a'\", say: "
        "x}\n"};
    for (size_t r = 0; r < LG_COUNT(rules); r++) {
        desk d;
        shop_open(&d, rules[r]);
        lg_event both[] = {desk_call("x", "flag", ORDER, 3), desk_call("y", "act", ORDER, 3)};
        desk_observe(&d, "get_order", ORDER,
                     "{\"id\": \"1\", \"status\": \"shut\", \"flag\": \"a\"}", 1);
        CHECK(desk_decide_all(&d, both, 2)[1].verdict == LG_ALLOW);
        desk_observe(&d, "reopen", ORDER, "done", 2);
        const lg_decision *act = &desk_decide_all(&d, both, 2)[1];
        CHECK(act->verdict == LG_REVISE && act->findings[0].cause == LG_CAUSE_PENDING);
        desk_take(&d, both[0]);
        act = desk_decide_all(&d, &both[1], 1);
        CHECK(act->verdict == LG_REVISE && act->findings[0].cause == LG_CAUSE_PENDING);
        desk_close(&d);
    }
}

// What one record refutes, another of the same list does not.
static void each_record_refutes_for_itself(void)
{
    desk d;
    shop_open(&d, "  r: {tools: [act], stale: reread, that: \"ledger.orders[args.id].flag == "
                  "'a'\", say: x}\n");
    desk_observe(&d, "get_order", ORDER, "{\"id\": \"1\", \"status\": \"shut\", \"flag\": \"a\"}",
                 1);
    desk_observe(&d, "get_order", "{\"id\": \"2\"}",
                 "{\"id\": \"2\", \"status\": \"open\", \"flag\": \"a\"}", 1);
    desk_observe(&d, "flag", "{\"id\": \"2\"}", "done", 2);
    desk_observe(&d, "flag", ORDER, "done", 2);
    CHECK(desk_decide(&d, "act", ORDER)->verdict == LG_ALLOW);
    CHECK(desk_decide(&d, "act", "{\"id\": \"2\"}")->verdict == LG_REVISE);
    desk_close(&d);
}

// Each rule has room for its own lookups, whatever the rules before it have looked up.
static void what_is_explained_changes_no_verdict(void)
{
    static const lg_explain explain[] = {LG_EXPLAIN_ALL, LG_EXPLAIN_EVIDENCE, LG_EXPLAIN_HINTS,
                                         LG_EXPLAIN_NOTHING};
    desk d;
    shop_open(&d, "  long: {tools: [act], that: \"ledger.history.all(h, h.name != 'nobody' && "
                  "h.outcome != 'unverified')\", say: x}\n"
                  "  r: {tools: [act], stale: reread, that: \"ledger.orders['1'].status == "
                  "'shut'\", say: x}\n");
    desk_observe(&d, "get_user", "{}", "{\"level\": \"gold\", \"note\": \"a\"}", 1);
    for (int i = 0; i < 800; i++) {
        desk_observe(&d, "act", "{}", "done", 2);
    }
    desk_observe(&d, "get_order", ORDER, "{\"id\": \"1\", \"status\": \"shut\"}", 3);
    desk_observe(&d, "note", "{}", "done", 3);
    for (size_t i = 0; i < LG_COUNT(explain); i++) {
        lg_session_set_explain(d.session, explain[i]);
        CHECK(desk_decide(&d, "act", ORDER)->verdict == LG_ALLOW);
    }
    desk_close(&d);
}

// What a try of a hint has found out about stale records outlives the try, and so does its memory.
static void tries_of_hints_leave_no_memory_behind(void)
{
    desk d;
    shop_open(&d, "  r: {tools: [act], stale: reread, that: \"ledger.orders[args.id].items[args.k] "
                  "== 'ok' && "
                  "ledger.user.level == 'gold'\", offer: [args.k], say: x}\n");
    desk_observe(
        &d, "get_order", ORDER,
        "{\"id\": \"1\", \"items\": {\"bad\": \"no\", \"kettle\": \"ok\", \"lamp\": \"ok\", "
        "\"mug\": \"ok\", \"nail\": \"ok\"}}",
        1);
    desk_observe(&d, "get_user", "{}", "{\"level\": \"gold\", \"note\": \"a\"}", 2);
    desk_observe(&d, "note", "{}", "done", 3);
    const lg_decision *decision = desk_decide(&d, "act", "{\"id\": \"1\", \"k\": \"bad\"}");
    CHECK(decision->verdict == LG_REVISE && decision->hint_count > 0);
    for (size_t i = 0; i < decision->hint_count; i++) {
        CHECK(decision->hints[i].value.len > 2 && decision->hints[i].value.ptr[0] == '"');
    }
    desk_close(&d);
}

int main(void)
{
    RUN(a_stale_text_refutes_no_pending_change);
    RUN(each_record_refutes_for_itself);
    RUN(what_is_explained_changes_no_verdict);
    RUN(tries_of_hints_leave_no_memory_behind);
    return lg_test_done();
}
