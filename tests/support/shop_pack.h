// shop_pack.h: a small pack with a state and exact effects, for tests of simulated sessions.
#ifndef LG_SHOP_PACK_H
#define LG_SHOP_PACK_H

#include "lg_test.h"
#include "pack_fixture.h"

#include "simulate/simulate.h"

static const char shop_yaml[] =
    "pack: shop\n"
    "version: '1'\n"
    "types:\n"
    "  Order:\n"
    "    type: object\n"
    "    properties:\n"
    "      status: {type: string}\n"
    "      total: {type: number}\n"
    "ledger:\n"
    "  orders.*: Order\n"
    "state:\n"
    "  orders.*: Order\n"
    "tools:\n"
    "  get_order:\n"
    "    kind: read\n"
    "    description: Looks an order up\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    returns: Order\n"
    "    effects: [{fail: 'Error: no such order', when: '!(args.id in state.orders)'}]\n"
    "    gives: 'state.orders[args.id]'\n"
    "    stores: [{at: 'orders[args.id]'}]\n"
    "  set_status:\n"
    "    kind: write\n"
    "    description: Changes the status of an order\n"
    "    parameters:\n"
    "      type: object\n"
    "      properties: {id: {type: string}, status: {type: string}, fee: {type: number}}\n"
    "      required: [id, status]\n"
    "    effects:\n"
    "      - {fail: 'Error: no such order', when: '!(args.id in state.orders)'}\n"
    "      - {set: 'orders[args.id].status', to: args.status}\n"
    "  wave: {kind: write, requestor: user, parameters: {type: object}, effects: []}\n";

static const char shop_state[] =
    "{\"orders\":{\"W1\":{\"status\":\"pending\",\"total\":10.5},\"W2\":{\"status\":\"done\","
    "\"total\":7}}}";

typedef struct shop {
    lg_arena arena;
    lg_pack *pack;
    lg_sim *sim;
    lg_sim_session *session;
} shop;

static inline void shop_open_with(shop *s, lg_sim_options options)
{
    lg_errors errors;
    lg_error error = {0};
    lg_arena_init(&s->arena, 0);
    lg_errors_init(&errors, &s->arena, 4);
    s->pack = fixture_pack(shop_yaml);
    options.pack = s->pack;
    lg_world_file file = {.value = fixture_json(&s->arena, shop_state)};
    if (lg_sim_new(&options, &s->sim, &errors) != LG_OK ||
        lg_sim_add_state(s->sim, &file, LG_STR(""), &errors) != LG_OK ||
        lg_sim_session_new(s->sim, NULL, &s->session, &error) != LG_OK) {
        printf("shop: %s %s\n", errors.count ? errors.items[0].msg : "", error.msg);
        exit(1);
    }
}

static inline void shop_open(shop *s)
{
    shop_open_with(s, (lg_sim_options){.history_calls = 0});
}

static inline void shop_close(shop *s)
{
    lg_sim_session_free(s->session);
    lg_sim_free(s->sim);
    lg_pack_free(s->pack);
    lg_arena_done(&s->arena);
}

// A call; returns how it ended.
static inline lg_sim_end shop_call(shop *s, const char *tool, const char *args)
{
    lg_error error = {0};
    lg_sim_answer answer = {0};
    lg_sim_call call = {.tool = lg_str_c(tool),
                        .args = fixture_json(&s->arena, args),
                        .by_user = strcmp(tool, "wave") == 0};
    CHECK_MSG(lg_sim_call_tool(s->session, &call, NULL, &answer, &error) == LG_OK, error.msg);
    return answer.end;
}

#endif
