// fuzz_world.c: any state and any calls on a small shop. The first line of the input is the state
// file, each other line a call: {"name": ..., "arguments": ..., "requestor": "user"}.
//
// Laws: a state that loads prints as the file it came from, and what it prints loads again; a call
// that does not end well leaves the very state that was there; a snapshot that is restored gives
// the same call the same outcome; what a call leaves fits the schemas, so it loads again. A gate
// judges the calls and reads what the world returned, under the laws of drive.h.
#include "drive.h"
#include "world/world.h"

static void require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

static const char pack_text[] =
    "pack: shop\n"
    "version: '1'\n"
    "clock: 2024-05-15T15:00:00Z\n"
    "types:\n"
    "  Order:\n"
    "    type: object\n"
    "    properties: {id: {type: string}, n: {type: number}, items: {type: array, items: {}}}\n"
    "    required: [id]\n"
    "state:\n"
    "  orders.*: {is: Order, key: id, at: db.orders}\n"
    "  users.*: {}\n"
    "  memo: {is: {type: [string, 'null']}, at: notes.memo}\n"
    "  any: {}\n"
    "ledger: {seen: {type: string}, orders.*: {}, other.*: {}}\n"
    "invariants: [{id: few, that: size(state.orders) < 4}]\n"
    "settle: [{set: any, to: size(state.users), when: 'size(state.users) > 2'}]\n"
    "tools:\n"
    "  set:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {k: {}, v: {}}}\n"
    "    effects:\n"
    "      - {fail: 'Error: {args.v}', when: args.k == 'fail'}\n"
    "      - {set: \"orders[args.k]\", to: args.v}\n"
    "    gives: state\n"
    "  field:\n"
    "    kind: write\n"
    "    parameters: {type: object}\n"
    "    let: {o: \"state.orders[args.k]\"}\n"
    "    effects:\n"
    "      - {set: \"orders[args.k].n\", to: o.n + 1.0, when: has(o.n)}\n"
    "      - {append: \"orders[args.k].items\", value: args.v}\n"
    "      - {set: memo, to: args.v}\n"
    "    answer: '{state.orders[args.k].items}'\n"
    "  deep:\n"
    "    kind: write\n"
    "    parameters: {type: object}\n"
    "    effects: [{set: \"users[args.k][args.l][args.m]\", to: args.v}]\n"
    "  drop:\n"
    "    kind: write\n"
    "    parameters: {type: object}\n"
    "    effects: [{each: args.keys, as: k, remove: \"users[args.k][k]\"}]\n"
    "  many:\n"
    "    kind: write\n"
    "    requestor: user\n"
    "    parameters: {type: object}\n"
    "    effects: [{each: args.keys, as: k, set: \"users[k]\", to: args}]\n"
    "    gives: now\n"
    "  show:\n"
    "    kind: read\n"
    "    parameters: {type: object}\n"
    "    gives: \"state.orders[args.k]\"\n"
    "    stores: [{at: \"orders[args.k]\"}]\n"
    "  find:\n"
    "    kind: read\n"
    "    parameters: {type: object}\n"
    "    gives: \"state.users[args.k]\"\n"
    "    stores: [{at: \"other[args.k]\"}]\n"
    "rules:\n"
    "  known:\n"
    "    tools: [set, field]\n"
    "    that: \"ledger.orders[args.k].items == args.v\"\n"
    "    needs: [\"ledger.orders[args.k]\"]\n"
    "    say: \"{args.k} is {ledger.orders[args.k]}\"\n"
    "  deeper:\n"
    "    tools: [deep, drop]\n"
    "    that: \"ledger.other[args.k].all(l, ledger.other[args.k][l] == args.v)\"\n"
    "    otherwise: block\n"
    "    say: \"{args}\"\n";

static lg_pack *open_pack(void)
{
    lg_pack *pack = NULL;
    lg_str text = {pack_text, sizeof(pack_text) - 1};
    require(lg_pack_load_text(text, "shop", NULL, &pack, NULL, 0, NULL) == LG_OK);
    return pack;
}

static bool load(lg_world *world, const lg_json *value, lg_arena *arena)
{
    lg_errors errors;
    lg_errors_init(&errors, arena, 3);
    lg_world_file file = {.value = value, .text = LG_STR(""), .name = "state"};
    lg_status status = lg_world_load(world, &file, &errors);
    require((status == LG_OK) == !lg_errors_any(&errors));
    for (size_t i = 0; i < errors.count; i++) {
        drive_check_text(lg_str_c(errors.items[i].msg));
    }
    return status == LG_OK;
}

// The state prints as something that is a state, and the same one.
static void require_sound(const lg_world *world, lg_arena *arena)
{
    lg_json file;
    lg_json again;
    lg_world second;
    require(lg_world_print(world, arena, &file) == LG_OK);
    lg_world_init(&second, world->pack, NULL);
    require(load(&second, &file, arena));
    require(lg_world_print(&second, arena, &again) == LG_OK);
    require(lg_json_equal(&file, &again));
    lg_world_done(&second);
}

static void print_outcome(const lg_world *world, const lg_world_outcome *outcome, lg_buf *out)
{
    lg_buf_init(out, 0);
    lg_buf_addf(out, "%s %zu %s ", lg_world_end_name(outcome->end), outcome->breach_count,
                outcome->end == LG_WORLD_FAULT ? outcome->fault.msg : "");
    if (outcome->result) {
        lg_world_print_outcome(out, outcome);
    }
    lg_json_print(out, world->root);
    require(lg_buf_status(out) == LG_OK);
}

static void drive_outcome(lg_session *session, const lg_world_call *call,
                          const lg_world_outcome *outcome, lg_arena *arena)
{
    lg_buf result;
    lg_buf_init(&result, 0);
    if (outcome->result) {
        lg_world_print_outcome(&result, outcome);
    }
    lg_event answer = {.kind = lg_world_is_error(outcome) ? LG_EVENT_ERROR : LG_EVENT_RESULT,
                       .role = call->by_user ? LG_ROLE_USER : LG_ROLE_AGENT,
                       .tool = call->tool,
                       .args = drive_print(arena, call->args),
                       .text = lg_buf_str(&result)};
    drive_call(session, &answer);
    lg_buf_done(&result);
}

static void run_call(lg_world *world, lg_session *session, lg_arena *arena, const lg_json *json)
{
    lg_world_call call = {
        .tool = lg_json_str(lg_json_get(json, LG_STR("name"))),
        .args = lg_json_get(json, LG_STR("arguments")),
        .args_text = LG_STR(""),
        .by_user = lg_str_eq(lg_json_str(lg_json_get(json, LG_STR("requestor"))), LG_STR("user"))};
    const lg_json *before = world->root;
    lg_buf printed[2];
    for (int i = 0; i < 2; i++) {
        lg_world_outcome outcome;
        world->root = before;
        require(lg_world_call_tool(world, &call, &outcome, NULL) == LG_OK);
        require(outcome.end == LG_WORLD_DONE || world->root == before);
        require(outcome.end != LG_WORLD_FAULT || (outcome.fault.line && outcome.fault.msg[0]));
        require(!lg_world_is_error(&outcome) || outcome.result);
        print_outcome(world, &outcome, &printed[i]);
        if (i == 0) {
            drive_outcome(session, &call, &outcome, arena);
        }
    }
    require(lg_str_eq(lg_buf_str(&printed[0]), lg_buf_str(&printed[1])));
    lg_buf_done(&printed[0]);
    lg_buf_done(&printed[1]);
    require_sound(world, arena);
}

static void run_lines(lg_world *world, lg_session *session, lg_arena *arena, lg_str text)
{
    const lg_json *value;
    size_t from = 0;
    lg_str line = drive_next_line(text, &from);
    if (lg_json_parse_in(arena, line, 0, line.len, NULL, &value, NULL) != LG_OK ||
        !load(world, value, arena)) {
        return;
    }
    lg_json printed;
    require(lg_world_print(world, arena, &printed) == LG_OK);
    require(lg_json_equal(value, &printed));
    while (from < text.len) {
        line = drive_next_line(text, &from);
        if (lg_json_parse_in(arena, line, 0, line.len, NULL, &value, NULL) == LG_OK) {
            run_call(world, session, arena, value);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lg_pack *pack;
    pack = pack ? pack : open_pack();
    lg_world world;
    lg_arena arena;
    lg_world_init(&world, pack, NULL);
    lg_arena_init(&arena, 0);
    lg_session *session;
    lg_limits limits = {.memory_bytes = (size_t)64 << 20, .cel_cost = 20000, .ledger_entries = 50};
    require(lg_session_new(pack, &limits, &session) == LG_OK);
    run_lines(&world, session, &arena, lg_arena_str(&arena, (lg_str){(const char *)data, size}));
    drive_end(session);
    lg_session_free(session);
    lg_world_done(&world);
    lg_arena_done(&arena);
    return 0;
}
