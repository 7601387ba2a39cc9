// test_invariants.c: what a call says of the invariants is what looking at all of the state says, however little was looked at.
#include "world_fixture.h"

#include "dice.h"

static const char rules[] =
    "invariants:\n"
    "  - {id: own_key, that: \"state.orders.all(k, state.orders[k].id == k)\"}\n"
    "  - {id: has_owner, that: \"state.orders.all(k, !has(state.orders[k].by) || "
    "state.orders[k].by in state.users)\"}\n"
    "  - {id: not_owing, that: \"state.users.all(k, state.users[k].balance >= 0.0)\"}\n"
    "  - {id: shut_is_paid, that: \"state.orders.all(k, state.orders[k].status != 'shut' || "
    "state.users.exists(u, state.users[u].balance > 9.0))\"}\n"
    "  - {id: few, that: \"size(state.orders) < 40\"}\n"
    "  - {id: phone_on, that: \"state.device.on || size(state.users) < 12\"}\n"
    "  - {id: not_alone, that: \"state.orders.all(k, state.orders.exists(o, o != k && "
    "state.orders[o].status == state.orders[k].status) || state.orders[k].status != 'paid' || "
    "size(state.orders) < 3)\"}\n"
    "tools:\n"
    "  put_order:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {k: {type: string}, status: {type: string}, by: "
    "{type: string}}}\n"
    "    effects: [{set: \"orders[args.k]\", to: \"{'id': args.k, 'status': args.status, 'items': "
    "[], 'by': args.by}\"}]\n"
    "  status:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {k: {type: string}, status: {type: string}}}\n"
    "    effects: [{set: \"orders[args.k].status\", to: args.status, when: args.k in "
    "state.orders}]\n"
    "  drop_order:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {k: {type: string}}}\n"
    "    effects: [{remove: \"orders[args.k]\", when: args.k in state.orders}]\n"
    "  put_user:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {k: {type: string}, balance: {type: number}}}\n"
    "    effects: [{set: \"users[args.k]\", to: \"{'name': 'x', 'balance': args.balance}\"}]\n"
    "  drop_user:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {k: {type: string}}}\n"
    "    effects: [{remove: \"users[args.k]\", when: args.k in state.users}]\n"
    "  flip:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {}}\n"
    "    effects: [{set: \"device.on\", to: \"!state.device.on\"}]\n";

static lg_str any_call(shop *s, dice *d, const char **ret_tool)
{
    static const char *const tools[] = {"put_order", "status",    "drop_order",
                                        "put_user",  "drop_user", "flip"};
    static const char *const states[] = {"open", "open", "open", "paid", "paid", "shut"};
    static const char *const users[] = {"ada", "bob", "u1", "u2", "u3", "u4"};
    static const char *const amounts[] = {"1.0", "10.0", "0.0", "-1.0", "3.5", "2.0"};
    *ret_tool = DICE_PICK(d, tools);
    bool of_user = strstr(*ret_tool, "user") != NULL;
    if (strcmp(*ret_tool, "flip") == 0) {
        return LG_STR("{}");
    }
    lg_str key = of_user ? lg_str_c(DICE_PICK(d, users))
                         : lg_arena_printf(&s->arena, "#%u", dice_below(d, 45));
    if (strcmp(*ret_tool, "put_user") == 0) {
        return lg_arena_printf(&s->arena, "{\"k\":\"%.*s\",\"balance\":%s}", LG_FMT(key),
                               DICE_PICK(d, amounts));
    }
    const char *status = DICE_PICK(d, states);
    if (strcmp(*ret_tool, "put_order") == 0) {
        return lg_arena_printf(&s->arena, "{\"k\":\"%.*s\",\"status\":\"%s\",\"by\":\"%s\"}",
                               LG_FMT(key), status, DICE_PICK(d, users));
    }
    return strcmp(*ret_tool, "status") == 0
               ? lg_arena_printf(&s->arena, "{\"k\":\"%.*s\",\"status\":\"%s\"}", LG_FMT(key),
                                 status)
               : lg_arena_printf(&s->arena, "{\"k\":\"%.*s\"}", LG_FMT(key));
}

static size_t broken[2]; // calls after which something was, and nothing

// The same conditions in the same order.
static void compare_with_all(shop *s)
{
    const lg_world_breach *all;
    size_t count;
    const lg_json *root = s->world.root;
    bool sound = lg_world_is_sound(&s->world);
    lg_world_enter(&s->world, root, false);
    lg_world whole = s->world;
    whole.sound[0] = NULL;
    CHECK(lg_world_check(&whole, &s->arena, &all, &count) == LG_OK);
    CHECK(count == s->outcome.breach_count);
    for (size_t i = 0; i < count && i < s->outcome.breach_count; i++) {
        CHECK(all[i].condition == s->outcome.breaches[i].condition);
    }
    CHECK(sound == (count == 0));
    broken[count == 0]++;
    lg_world_enter(&s->world, root, sound);
}

// So many orders that they stand in a map, in which new ones are told from old ones.
static void open_large(shop *s)
{
    shop_make(s, rules);
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text,
                 "{\"users\":{\"ada\":{\"name\":\"Ada\",\"balance\":5}},\"db\":{\"orders\":[");
    for (int i = 0; i < 30; i++) {
        lg_buf_addf(&text, "%s{\"id\":\"#%d\",\"status\":\"open\",\"items\":[],\"by\":\"ada\"}",
                    i ? "," : "", i);
    }
    lg_buf_add_c(&text, "]},\"phone\":{\"on\":false},\"loose\":{}}");
    lg_str document = lg_arena_str(&s->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    CHECK_STR(shop_load(s, document.ptr), "");
    const lg_world_breach *none;
    size_t count;
    CHECK(lg_world_check(&s->world, &s->arena, &none, &count) == LG_OK && count == 0);
}

static void says_what_all_says(void)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        shop s;
        dice d = dice_of(seed);
        open_large(&s);
        for (int i = 0; i < 200; i++) {
            const char *tool;
            lg_str args = any_call(&s, &d, &tool);
            const lg_json *before = s.world.root;
            bool sound = lg_world_is_sound(&s.world);
            lg_world_call call = {.tool = lg_str_c(tool),
                                  .args = fixture_json(&s.arena, args.ptr),
                                  .args_text = LG_STR("")};
            CHECK(lg_world_call_tool(&s.world, &call, &s.outcome, NULL) == LG_OK);
            if (s.outcome.end != LG_WORLD_DONE) {
                continue;
            }
            compare_with_all(&s);
            if (s.outcome.breach_count && dice_below(&d, 4)) { // and mostly back to where all held
                lg_world_enter(&s.world, before, sound);
            }
        }
        shop_close(&s);
    }
    CHECK(broken[0] > 500 && broken[1] > 500);
}

static void knows_what_speaks_of_each(void)
{
    shop s;
    shop_open(&s, rules);
    const lg_invariant_reach *reaches = s.pack->state_invariant_reaches;
    static const char *const each[] = {"orders", "orders", "users", "orders", "", "", ""};
    for (size_t i = 0; i < 7; i++) {
        CHECK_STR(reaches[i].each, each[i]);
    }
    shop_close(&s);
}

int main(void)
{
    RUN(says_what_all_says);
    RUN(knows_what_speaks_of_each);
    printf("%zu broken, %zu whole\n", broken[0], broken[1]);
    return lg_test_done();
}
