// desk_pack.h: a pack of one write, `act`, whose rules each test brings along, and a decision in a line.
#ifndef LG_DESK_PACK_H
#define LG_DESK_PACK_H

#include "lg_test.h"
#include "pack_fixture.h"

#include <ledgergate/ledgergate.h>

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

// The head of the pack, then `rest` (which begins with other keys, or with `rules:`).
static inline lg_pack *desk_pack(const char *rest)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_str yaml = lg_arena_printf(&arena, "%s%s", fixture_head, rest);
    lg_pack *pack = fixture_pack(yaml.ptr);
    lg_arena_done(&arena);
    return pack;
}

// "revise: a violated, b missing"; "allow" alone if there is no finding. A finding that is more
// severe than revise is named: "a violated block".
static inline lg_str desk_words(lg_arena *arena, const lg_decision *decision)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, lg_verdict_name(decision->verdict));
    for (size_t i = 0; i < decision->finding_count; i++) {
        const lg_finding *finding = &decision->findings[i];
        lg_buf_addf(&text, "%s%.*s %s%s", i ? ", " : ": ", LG_FMT(finding->rule),
                    lg_cause_name(finding->cause), finding->verdict == LG_BLOCK ? " block" : "");
    }
    lg_str copy = lg_arena_str(arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return copy;
}

#endif
