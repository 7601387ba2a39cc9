// test_contract.c: results that break their contract: what is kept, what is recorded, and as what.
#include "ledger/ledger.h"
#include "lg_test.h"
#include "pack_fixture.h"

static const char yaml[] =
    "pack: desk\n"
    "version: '1'\n"
    "clock: 2024-05-15T15:00:00Z\n"
    "types:\n"
    "  Order:\n"
    "    type: object\n"
    "    properties: {id: {type: string}, owner: {type: string}, total: {type: number}}\n"
    "    required: [id]\n"
    "ledger:\n"
    "  orders.*: Order\n"
    "  user: {type: string}\n"
    "  limit: {type: number, maximum: 100}\n"
    "tools:\n"
    "  get_order:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}}\n"
    "    returns: Order\n"
    "    stores: [{at: 'orders[args.id]'}]\n"
    "    ensures:\n"
    "      - {id: right_order, that: result.id == args.id, because: one gets what one asks for}\n"
    "      - {id: same_user, that: \"!has(ledger.user) || result.owner == ledger.user\"}\n"
    "      - {id: of_today, that: 'now.getFullYear() == 2024', category: format}\n"
    "      - {id: sane, that: 'result.total < 1000.0', category: update}\n"
    "  list_orders:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {}}\n"
    "    returns: {type: array, items: {$ref: \"#/types/Order\"}}\n"
    "    stores: [{each: result, at: 'orders[item.id]'}]\n"
    "    ensures: [{id: some, that: result.size() > 0}]\n"
    "  find_user:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {}}\n"
    "    returns: text\n"
    "    stores: [{at: user}]\n"
    "    ensures: [{id: found, that: result != ''}]\n"
    "  get_limit:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {}}\n"
    "    stores: [{at: limit}]\n"
    "  pay:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {id: {type: string}}}\n"
    "    returns: {type: object, properties: {paid: {type: number}}, required: [paid]}\n"
    "    ensures:\n"
    "      - {id: paid_all, that: 'result.paid == ledger.orders[args.id].total'}\n"
    "  ring:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {}}\n"
    "    returns: text\n"
    "    ensures: [{id: rang, that: result.contains('ring')}]\n"
    "invariants:\n"
    "  - {id: one_owner, that: \"ledger.orders.all(a, ledger.orders.all(b, ledger.orders[a].owner "
    "=="
    " ledger.orders[b].owner))\", because: a desk serves one customer}\n"
    "  - {id: small, that: \"!has(ledger.limit) || ledger.limit < 50.0\"}\n";

typedef struct desk {
    lg_pack *pack;
    lg_ledger ledger;
    lg_arena arena;
    lg_error error;
} desk;

static void desk_open(desk *d)
{
    *d = (desk){0};
    lg_arena_init(&d->arena, 0);
    d->pack = fixture_pack(yaml);
    lg_ledger_init(&d->ledger, d->pack, NULL);
}

static void desk_close(desk *d)
{
    lg_ledger_done(&d->ledger);
    lg_pack_free(d->pack);
    lg_arena_done(&d->arena);
}

static lg_observed desk_call(desk *d, const char *tool, const char *args, const char *result)
{
    lg_ledger_call call = {.tool = lg_str_c(tool),
                           .args = fixture_json(&d->arena, args),
                           .result = lg_str_c(result),
                           .turn = 7};
    lg_observed observed = LG_OBSERVED_NOTHING;
    d->error = (lg_error){0};
    CHECK(lg_ledger_observe(&d->ledger, &call, &observed, &d->error) == LG_OK);
    return observed;
}

typedef struct result_case {
    const char *tool, *args, *result;
    lg_observed observed;
    const char *category, *condition; // of what was not accepted
    const char *message;
} result_case;

// One order of ada, and who asks, are in the ledger.
static const result_case results[] = {
    {"get_order", "{\"id\":\"2\"}", "{\"id\":\"2\",\"owner\":\"ada\",\"total\":5}",
     LG_OBSERVED_RECORDS, "none", "", ""},
    {"get_order", "{\"id\":\"2\"}", "{\"id\":\"3\",\"owner\":\"ada\",\"total\":5}",
     LG_OBSERVED_REJECTED, "semantic", "right_order",
     "the result of get_order breaks postcondition right_order: `result.id == args.id` is false"},
    {"get_order", "{\"id\":\"2\"}", "{\"id\":\"2\",\"owner\":\"bob\",\"total\":5}",
     LG_OBSERVED_REJECTED, "semantic", "same_user",
     "the result of get_order breaks postcondition same_user: `!has(ledger.user) || result.owner "
     "== "
     "ledger.user` is false"},
    // A condition that cannot be evaluated does not hold; its own category is that of the pack.
    {"get_order", "{\"id\":\"2\"}", "{\"id\":\"2\",\"owner\":\"ada\"}", LG_OBSERVED_REJECTED,
     "update", "sane",
     "the result of get_order breaks postcondition sane: `result.total < 1000.0`: no such key"},
    {"get_order", "{\"id\":\"2\"}", "{\"id\":\"2\",\"owner\":\"ada\",\"total\":5000}",
     LG_OBSERVED_REJECTED, "update", "sane",
     "the result of get_order breaks postcondition sane: `result.total < 1000.0` is false"},
    // Form.
    {"get_order", "{\"id\":\"2\"}", "{\"id\":2}", LG_OBSERVED_UNREADABLE, "format", "returns",
     "the result of get_order is not what the pack declares: /id: "},
    {"get_order", "{\"id\":\"2\"}", "Error", LG_OBSERVED_UNREADABLE, "format", "returns",
     "the result of get_order is not JSON: line 1, column 1: "},
    {"get_limit", "{}", "1000", LG_OBSERVED_UNREADABLE, "format", "returns",
     "what get_limit returned is no record of ledger place limit: "},
    {"get_limit", "{}", "\"ten\"", LG_OBSERVED_UNREADABLE, "format", "returns",
     "what get_limit returned is no record of ledger place limit: "},
    // Nothing, in all its forms.
    {"get_order", "{\"id\":\"2\"}", "null", LG_OBSERVED_UNREADABLE, "empty", "returns",
     "the result of get_order is not what the pack declares: "},
    {"get_order", "{\"id\":\"2\"}", "{}", LG_OBSERVED_UNREADABLE, "empty", "returns",
     "the result of get_order is not what the pack declares: "},
    {"get_order", "{\"id\":\"2\"}", " \n", LG_OBSERVED_UNREADABLE, "empty", "returns",
     "the result of get_order is not JSON: "},
    {"list_orders", "{}", "[]", LG_OBSERVED_REJECTED, "empty", "some",
     "the result of list_orders breaks postcondition some: `result.size() > 0` is false"},
    {"find_user", "{}", "", LG_OBSERVED_REJECTED, "empty", "found",
     "the result of find_user breaks postcondition found: `result != ''` is false"},
    // The ledger as it would be.
    {"list_orders", "{}", "[{\"id\":\"2\",\"owner\":\"ada\"},{\"id\":\"3\",\"owner\":\"bob\"}]",
     LG_OBSERVED_REJECTED, "update", "one_owner",
     "the result of list_orders breaks invariant one_owner: "},
    {"list_orders", "{}", "[{\"id\":\"2\"}]", LG_OBSERVED_REJECTED, "update", "one_owner",
     "the result of list_orders breaks invariant one_owner: "},
    {"get_limit", "{}", "60", LG_OBSERVED_REJECTED, "update", "small",
     "the result of get_limit breaks invariant small: "},
    {"get_limit", "{}", "40", LG_OBSERVED_RECORDS, "none", "", ""},
    // Writes have happened, whatever they return.
    {"pay", "{\"id\":\"1\"}", "{\"paid\":5}", LG_OBSERVED_WRITE, "none", "", ""},
    {"pay", "{\"id\":\"1\"}", "{\"paid\":4}", LG_OBSERVED_UNVERIFIED, "semantic", "paid_all",
     "the result of pay breaks postcondition paid_all: "},
    {"pay", "{\"id\":\"9\"}", "{\"paid\":4}", LG_OBSERVED_UNVERIFIED, "semantic", "paid_all",
     "the result of pay breaks postcondition paid_all: "},
    {"pay", "{\"id\":\"1\"}", "null", LG_OBSERVED_UNVERIFIED, "empty", "returns",
     "the result of pay is not what the pack declares: "},
    {"pay", "{\"id\":\"1\"}", "done", LG_OBSERVED_UNVERIFIED, "format", "returns",
     "the result of pay is not JSON: "},
    {"ring", "{}", "it rings: ring", LG_OBSERVED_WRITE, "none", "", ""},
    {"ring", "{}", "silence", LG_OBSERVED_UNVERIFIED, "semantic", "rang",
     "the result of ring breaks postcondition rang: "},
};

static void check_rejection(const desk *d, const result_case *c)
{
    const lg_rejection *rejection = &d->ledger.rejection;
    CHECK_STR(lg_str_c(lg_category_name(rejection->category)), c->category);
    CHECK_STR(rejection->condition, c->condition);
    if (!c->message[0]) {
        CHECK_MSG(d->error.status == LG_OK, c->result);
        return;
    }
    CHECK_STR(lg_str_slice(lg_str_c(rejection->message), 0, strlen(c->message)), c->message);
    CHECK_STR(lg_str_c(d->error.msg), rejection->message);
}

static void a_result_is_held_against_its_contract(void)
{
    for (size_t i = 0; i < LG_COUNT(results); i++) {
        const result_case *c = &results[i];
        desk d;
        desk_open(&d);
        desk_call(&d, "find_user", "{}", "ada");
        desk_call(&d, "get_order", "{\"id\":\"1\"}",
                  "{\"id\":\"1\",\"owner\":\"ada\",\"total\":5}");
        lg_ledger_state before = d.ledger.state;
        size_t held = d.ledger.arena.held_bytes;
        CHECK_MSG(desk_call(&d, c->tool, c->args, c->result) == c->observed, c->result);
        check_rejection(&d, c);
        bool same = d.ledger.state.root == before.root &&
                    d.ledger.state.entries.slots == before.entries.slots;
        bool discarded =
            c->observed == LG_OBSERVED_REJECTED || c->observed == LG_OBSERVED_UNREADABLE;
        CHECK_MSG(same == discarded, c->result);
        CHECK_MSG(!discarded || d.ledger.arena.held_bytes == held, c->result);
        desk_close(&d);
    }
}

static void a_write_that_cannot_be_verified_is_marked(void)
{
    desk d;
    desk_open(&d);
    desk_call(&d, "get_order", "{\"id\":\"1\"}", "{\"id\":\"1\",\"owner\":\"ada\",\"total\":5}");
    desk_call(&d, "pay", "{\"id\":\"1\"}", "{\"paid\":5}");
    desk_call(&d, "pay", "{\"id\":\"1\"}", "{\"paid\":4}");
    CHECK_STR(fixture_print(&d.arena, lg_json_get(d.ledger.state.root, LG_STR("history"))),
              "[{\"name\":\"pay\",\"args\":{\"id\":\"1\"},\"outcome\":\"done\"},"
              "{\"name\":\"pay\",\"args\":{\"id\":\"1\"},\"outcome\":\"unverified\"}]");
    CHECK(lg_ledger_entry_at(&d.ledger.state, 0)->stale);
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_ledger_render(&d.ledger, &(lg_render_options){.types = true}, &text);
    CHECK_STR(
        lg_buf_str(&text),
        "Ledger of desk: what tools have returned in this conversation (1 record).\n"
        "ledger.orders[\"1\"]: Order = {\"id\":\"1\",\"owner\":\"ada\",\"total\":5}  [get_order, "
        "turn 7; stale: pay at turn 7 may have changed it, read it again]\n"
        "ledger.history[0] = pay({\"id\":\"1\"})\n"
        "ledger.history[1] = pay({\"id\":\"1\"})  [unverified: its result was not what it should "
        "be]\n");
    lg_buf_done(&text);
    desk_close(&d);
}

static void the_reason_is_that_of_the_condition_and_of_the_latest_call(void)
{
    desk d;
    desk_open(&d);
    CHECK(desk_call(&d, "get_order", "{\"id\":\"2\"}", "{\"id\":\"3\"}") == LG_OBSERVED_REJECTED);
    CHECK_STR(d.ledger.rejection.because, "one gets what one asks for");
    CHECK(desk_call(&d, "get_limit", "{}", "40") == LG_OBSERVED_RECORDS);
    CHECK(d.ledger.rejection.category == LG_CATEGORY_NONE && d.ledger.rejection.message == NULL);
    desk_call(&d, "get_order", "{\"id\":\"2\"}", "{\"id\":\"3\"}");
    lg_ledger_reset(&d.ledger);
    CHECK(d.ledger.rejection.category == LG_CATEGORY_NONE);
    desk_close(&d);
}

// What does not concern an invariant does not evaluate it: a ledger without orders has no owner.
static void an_invariant_is_evaluated_where_it_is_concerned(void)
{
    desk d;
    desk_open(&d);
    CHECK(desk_call(&d, "get_limit", "{}", "40") == LG_OBSERVED_RECORDS);
    CHECK(desk_call(&d, "find_user", "{}", "ada") == LG_OBSERVED_RECORDS);
    desk_close(&d);
}

int main(void)
{
    RUN(a_result_is_held_against_its_contract);
    RUN(a_write_that_cannot_be_verified_is_marked);
    RUN(the_reason_is_that_of_the_condition_and_of_the_latest_call);
    RUN(an_invariant_is_evaluated_where_it_is_concerned);
    return lg_test_done();
}
