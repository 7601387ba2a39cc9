// gate_fixture.h: a pack of one write, `act`, whose rules each test brings along.
#ifndef LG_GATE_FIXTURE_H
#define LG_GATE_FIXTURE_H

#include "gate/gate.h"
#include "lg_test.h"
#include "pack_fixture.h"

static const char fixture_head[] =
    "pack: desk\n"
    "version: '1'\n"
    "types:\n"
    "  Order:\n"
    "    type: object\n"
    "    properties:\n"
    "      id: {type: string}\n"
    "      status: {type: string}\n"
    "      total: {type: number}\n"
    "      note: {type: [string, 'null']}\n"
    "      items: {type: array, items: {type: string}}\n"
    "  User:\n"
    "    type: object\n"
    "    properties:\n"
    "      name: {type: string}\n"
    "      cards: {type: object, additionalProperties: {type: object, properties: {kind: {type:"
    " string}}}}\n"
    "      any: {}\n"
    "ledger:\n"
    "  user: User\n"
    "  auth.user_id: {type: string}\n"
    "  orders.*: Order\n"
    "  lines.*.*: {type: number}\n"
    "state:\n"
    "  user: User\n"
    "  orders.*: Order\n"
    "tools:\n"
    "  find_user:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {mail: {type: string}}}\n"
    "    returns: text\n"
    "    stores: [{at: auth.user_id}]\n"
    "  get_user:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {}}\n"
    "    returns: User\n"
    "    gives: state.user\n"
    "    stores: [{at: user}]\n"
    "  get_order:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    returns: Order\n"
    "    gives: 'state.orders[args.id]'\n"
    "    stores: [{at: 'orders[args.id]'}]\n"
    "  get_line:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {order: {type: string}, sku: {type: string}}}\n"
    "    returns: {type: number}\n"
    "    stores: [{at: 'lines[args.order][args.sku]'}]\n"
    "  act:\n"
    "    kind: write\n"
    "    parameters:\n"
    "      type: object\n"
    "      properties:\n"
    "        id: {type: string}\n"
    "        sku: {type: string}\n"
    "        card: {type: string}\n"
    "        amount: {type: number, maximum: 1000}\n"
    "        size: {enum: [small, large]}\n"
    "        parts: {type: array, items: {type: object, properties: {sku: {type: string}}}}\n"
    "    effects: [{set: 'orders[args.id]', to: '{}'}]\n"
    "  ping: {kind: write, parameters: {type: object}, effects: []}\n"
    "  think: {kind: generic, parameters: {type: object}}\n"
    "  toggle: {kind: write, requestor: user, parameters: {type: object}}\n";

typedef struct desk {
    lg_pack *pack;
    lg_session *session;
    lg_arena arena; // texts of the test
    lg_error error; // of the latest call
} desk;

// The head of the pack, then `rest` (which begins with other keys, or with `rules:`).
static inline void desk_open(desk *d, const char *rest)
{
    *d = (desk){0};
    lg_arena_init(&d->arena, 0);
    lg_str yaml = lg_arena_printf(&d->arena, "%s%s", fixture_head, rest);
    d->pack = fixture_pack(yaml.ptr);
    CHECK(lg_session_new(d->pack, NULL, &d->session) == LG_OK);
}

static inline void desk_close(desk *d)
{
    lg_session_free(d->session);
    lg_pack_free(d->pack);
    lg_arena_done(&d->arena);
}

static inline lg_observed desk_observe(desk *d, const char *tool, const char *args,
                                       const char *result, uint32_t turn)
{
    lg_observation o = {
        .tool = lg_str_c(tool), .args = lg_str_c(args), .result = lg_str_c(result), .turn = turn};
    lg_observed observed = LG_OBSERVED_NOTHING;
    d->error = (lg_error){0};
    CHECK(lg_observe(d->session, &o, &observed, &d->error) == LG_OK);
    return observed;
}

// One order and the user; what else there is was never read.
static inline void desk_fill(desk *d)
{
    desk_observe(d, "get_order", "{\"id\": \"1\"}",
                 "{\"id\": \"1\", \"status\": \"open\", \"total\": 10, \"note\": null,"
                 " \"items\": [\"a\", \"b\"]}",
                 1);
    desk_observe(d, "get_user", "{}",
                 "{\"name\": \"Ada\", \"cards\": {\"c1\": {\"kind\": \"card\"},"
                 " \"g1\": {\"kind\": \"gift\"}}, \"any\": \"text\"}",
                 2);
}

static inline const lg_decision *desk_decide(desk *d, const char *tool, const char *args)
{
    static const lg_decision none = {0};
    const lg_decision *decision = &none;
    d->error = (lg_error){0};
    CHECK(lg_decide(d->session, lg_str_c(tool), lg_str_c(args), &decision, &d->error) == LG_OK);
    return decision;
}

// "revise: a violated, b missing"; "allow" alone if there is no finding. A finding that is more
// severe than revise is named: "a violated block".
static inline lg_str desk_describe(desk *d, const lg_decision *decision)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, lg_verdict_name(decision->verdict));
    for (size_t i = 0; i < decision->finding_count; i++) {
        const lg_finding *finding = &decision->findings[i];
        lg_buf_addf(&text, "%s%.*s %s%s", i ? ", " : ": ", LG_FMT(finding->rule),
                    lg_cause_name(finding->cause), finding->verdict == LG_BLOCK ? " block" : "");
    }
    lg_str copy = lg_arena_str(&d->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return copy;
}

#endif
