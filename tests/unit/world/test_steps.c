// test_steps.c: each step, what it needs, and what is said when it cannot be done.
#include "world_fixture.h"

#include "base/alloc.h"

// Effects of a tool `t` whose arguments are anything, and how a call of it goes.
typedef struct step_case {
    const char *effects; // YAML, in one line
    const char *args;
    const char *want;
} step_case;

static const step_case cases[] = {
    // set
    {"[{set: \"users['ada'].name\", to: \"'Eve'\"}]", "{}",
     "done; users.ada.name: \"Ada\" -> \"Eve\""},
    {"[{set: \"users[args.u].balance\", to: args.n}]", "{\"u\":\"bob\",\"n\":7}",
     "done; users.bob.balance: 0.5 -> 7.0"},
    {"[{set: \"users['ada'].balance\", to: \"state.users['ada'].balance + 1.0\"}]", "{}",
     "done; users.ada.balance: 5 -> 6"}, // an integer stays one
    {"[{set: \"users['ada'].balance\", to: 5.5}]", "{}", "done; users.ada.balance: 5 -> 5.5"},
    {"[{set: \"users['ada'].email\", to: \"'a@b'\"}]", "{}",
     "done; users.ada.email: (none) -> \"a@b\""}, // a field that was absent
    {"[{set: \"users['eve']\", to: \"{'name': 'Eve', 'balance': 1}\"}]", "{}",
     "done; users.eve: (none) -> {\"name\":\"Eve\",\"balance\":1}"},
    {"[{set: \"orders['#2'].items[1].n\", to: 9}]", "{}",
     "done; orders[\"#2\"].items[1].n: 2 -> 9"},
    {"[{set: \"orders['#2'].items[args.i].n\", to: 9}]", "{\"i\":0}",
     "done; orders[\"#2\"].items[0].n: 1 -> 9"},
    {"[{set: \"orders['#1'].by\", to: \"null\"}]", "{}",
     "done; orders[\"#1\"].by: \"ada\" -> null"},
    {"[{set: device.on, to: \"!state.device.on\"}]", "{}", "done; device.on: false -> true"},
    {"[{set: memo, to: \"'new'\"}]", "{}", "done; memo: (none) -> \"new\""},
    {"[{set: device, to: \"{'on': true}\"}]", "{}", "done; device.on: false -> true"},
    {"[{set: \"orders['#1'].items\", to: \"state.orders['#2'].items\"}]", "{}",
     "done; orders[\"#1\"].items: [] -> [{\"sku\":\"x\",\"n\":1},{\"sku\":\"y\",\"n\":2}]"},
    // append
    {"[{append: \"users['ada'].tags\", value: \"'c'\"}]", "{}",
     "done; users.ada.tags: [\"a\",\"b\"] -> [\"a\",\"b\",\"c\"]"},
    {"[{append: \"orders['#1'].items\", value: \"{'sku': args.s}\"}]", "{\"s\":\"z\"}",
     "done; orders[\"#1\"].items: [] -> [{\"sku\":\"z\"}]"},
    // remove
    {"[{remove: \"users['bob']\"}]", "{}",
     "done; users.bob: {\"name\":\"Bob\",\"balance\":0.5,\"tags\":[]} -> (none)"},
    {"[{remove: \"orders['#1'].by\"}]", "{}", "done; orders[\"#1\"].by: \"ada\" -> (none)"},
    {"[{remove: \"users['ada'].tags[0]\"}]", "{}",
     "done; users.ada.tags: [\"a\",\"b\"] -> [\"b\"]"},
    // fail
    {"[{fail: 'Error: no {args.what} of {state.users[\"ada\"].name}'}]", "{\"what\":\"luck\"}",
     "failed Error: no luck of Ada"},
    {"[{fail: 'never', when: 'false'}]", "{}", "done"},
    {"[{set: device.on, to: true}, {fail: 'late'}]", "{}", "failed late"}, // nothing is left of it
    // each, as, let, when
    {"[{each: \"state.orders['#2'].items\", set: \"device.bars\", to: item.n}]", "{}",
     "done; device.bars: (none) -> 2.0"},
    {"[{each: args.names, as: n, set: \"users[n]\", to: \"{'name': n, 'balance': 0.0}\"}]",
     "{\"names\":[\"x\",\"y\"]}",
     "done; users.x: (none) -> {\"name\":\"x\",\"balance\":0.0}"
     "; users.y: (none) -> {\"name\":\"y\",\"balance\":0.0}"},
    {"[{each: \"[1.0, 2.0, 3.0]\", as: i, let: {d: i * 2.0}, when: d > 2.0, "
     "append: \"users['bob'].tags\", value: string(d)}]",
     "{}", "done; users.bob.tags: [] -> [\"4\",\"6\"]"},
    {"[{each: \"[]\", fail: 'never'}]", "{}", "done"},
    {"[{each: \"['a', 'b']\", as: x, do: [{each: \"['1', '2']\", as: y, "
     "append: \"users['bob'].tags\", value: x + y}]}]",
     "{}", "done; users.bob.tags: [] -> [\"a1\",\"a2\",\"b1\",\"b2\"]"},
    // One after the other: each sees what those before it did.
    {"[{set: \"users['ada'].balance\", to: 1.0}, "
     "{set: \"users['bob'].balance\", to: \"state.users['ada'].balance + 1.0\"}]",
     "{}", "done; users.ada.balance: 5 -> 1; users.bob.balance: 0.5 -> 2.0"},
    {"[{set: \"users['eve']\", to: \"{'name': 'Eve', 'balance': 1}\"}, "
     "{set: \"users['eve'].name\", to: \"'E'\"}]",
     "{}", "done; users.eve: (none) -> {\"name\":\"E\",\"balance\":1}"},
    // A shape may be wrong on the way; it counts at the end.
    {"[{set: \"users['eve']\", to: \"{}\"}, {set: \"users['eve'].name\", to: \"'E'\"}, "
     "{set: \"users['eve'].balance\", to: 0.0}]",
     "{}", "done; users.eve: (none) -> {\"name\":\"E\",\"balance\":0.0}"},
    {"[{run: touch}]", "{}", "done; memo: (none) -> \"touched 2024-05-15T15:00:00Z\""},
    // A step that changes nothing is no change.
    {"[{set: device.on, to: false}]", "{}", "done"},
    {"[]", "{}", "done"},

    // Targets that are not there.
    {"[{set: \"users['eve'].name\", to: \"'E'\"}]", "{}", "fault users.eve is not there"},
    {"[{set: \"orders['#9'].items[0].n\", to: 1}]", "{}", "fault orders[\"#9\"] is not there"},
    {"[{set: \"orders['#2'].items[2].n\", to: 1}]", "{}",
     "fault orders[\"#2\"].items[2] is not there"},
    {"[{set: \"orders['#1'].items[0]\", to: \"{'sku': 'q'}\"}]", "{}",
     "fault orders[\"#1\"].items[0] is no item of that list"},
    {"[{set: \"orders['#2'].items[args.i].n\", to: 1}]", "{\"i\":0.5}",
     "fault orders[\"#2\"].items[0.5] is not there"},
    {"[{set: \"orders['#2'].items[args.i].n\", to: 1}]", "{\"i\":-1}",
     "fault orders[\"#2\"].items[-1] is not there"},
    {"[{set: \"orders['#2'].items[args.i].n\", to: 1}]", "{\"i\":1e300}",
     "fault orders[\"#2\"].items[1e+300] is not there"},
    {"[{set: \"users[args.k]\", to: \"{'name': 'Eve', 'balance': 1}\"}]", "{\"k\":1}",
     "fault users[1] is no key of a map: a text is"},
    {"[{set: \"loose[args.k].x\", to: 1}]", "{\"k\":\"text\"}",
     "fault loose.text.x cannot be: above it is no map"},
    {"[{set: \"loose[args.k].x\", to: 1}]", "{\"k\":\"none\"}",
     "fault loose.none.x cannot be: above it is no map"},
    {"[{append: \"loose[args.k]\", value: 1}]", "{\"k\":\"text\"}",
     "fault loose.text is no list, so nothing can be appended"},
    {"[{append: \"loose[args.k]\", value: 1}]", "{\"k\":\"absent\"}",
     "fault loose.absent is not there"},
    {"[{remove: \"users['eve']\"}]", "{}", "fault users.eve is not there, so it cannot be removed"},
    {"[{remove: \"users['bob'].tags[0]\"}]", "{}",
     "fault users.bob.tags[0] is not there, so it cannot be removed"},
    // Expressions that fail.
    {"[{set: \"users['ada'].balance\", to: \"state.users['eve'].balance\"}]", "{}",
     "fault `state.users['eve'].balance`: no such key: eve"},
    {"[{set: \"users[args.u].balance\", to: 1.0}]", "{}", "fault `args.u`: no such key: u"},
    {"[{set: device.on, to: true, when: args.yes}]", "{\"yes\":1}",
     "fault `args.yes` is neither true nor false"},
    {"[{set: device.on, to: true, when: args.yes}]", "{}", "fault `args.yes`: no such key: yes"},
    {"[{each: args.list, set: device.on, to: true}]", "{\"list\":{}}",
     "fault `args.list` is no list"},
    {"[{fail: 'no {args.what}'}]", "{}", "fault `args.what`: no such key: what"},
    {"[{set: \"users['ada'].balance\", to: 1.0 / 0.0}]", "{}",
     "fault `1.0 / 0.0` gives what JSON cannot hold"},
    // A `let` that fails is a fault where it is used, and only there.
    {"[{let: {x: args.gone}, set: device.on, to: true}]", "{}", "done; device.on: false -> true"},
    {"[{let: {x: args.gone}, set: device.on, to: x == 1}]", "{}",
     "fault `x == 1`: no such key: gone"},
    // Values that do not fit where they are put.
    {"[{set: \"orders['#1'].status\", to: args.s}]", "{\"s\":\"gone\"}",
     "fault orders[\"#1\"] at /status: `status` must be one of \"open\", \"paid\", \"shut\"; got "
     "\"gone\""},
    {"[{set: \"users['ada']\", to: args.user}]", "{\"user\":{\"name\":\"A\"}}",
     "fault users.ada: `balance` is required, but missing"},
    {"[{set: \"users['ada'].name\", to: args.n}]", "{\"n\":null}",
     "fault users.ada at /name: `name` must be a string; got null"},
    {"[{set: \"orders['#1'].id\", to: \"'#7'\"}]", "{}",
     "fault orders[\"#1\"]: `id` must be the key by which it is found"},
    {"[{set: \"orders['#7']\", to: \"{'id': '#8', 'status': 'open', 'items': []}\"}]", "{}",
     "fault orders[\"#7\"]: `id` must be the key by which it is found"},
    {"[{set: device.on, to: args.v}]", "{\"v\":3}",
     "fault device at /on: `on` must be a boolean; got the number 3.0"},
    // Bounds.
    {"[{each: range(10000), as: i, set: device.bars, to: \"double(i)\"}]", "{}",
     "done; device.bars: (none) -> 9999.0"},
    {"[{each: range(10001), as: i, set: device.bars, to: \"double(i)\"}]", "{}",
     "fault the call takes more than 10000 steps"},
};

static void steps_do_what_they_say(void)
{
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        shop s;
        lg_arena arena;
        lg_arena_init(&arena, 0);
        lg_str rest = lg_arena_printf(
            &arena,
            "procedures: {touch: [{set: memo, to: \"'touched ' + string(now)\"}]}\n"
            "tools:\n  t:\n    kind: write\n    parameters: {type: object}\n    effects: %s\n",
            cases[i].effects);
        shop_open(&s, rest.ptr);
        const lg_json *before = s.world.root;
        lg_str got = shop_call(&s, "t", cases[i].args, false);
        CHECK_MSG(got.len == strlen(cases[i].want) && !memcmp(got.ptr, cases[i].want, got.len),
                  cases[i].effects);
        if (got.len != strlen(cases[i].want) || memcmp(got.ptr, cases[i].want, got.len)) {
            printf("    args: %s\n    got:  %.*s\n    want: %s\n", cases[i].args, LG_FMT(got),
                   cases[i].want);
        }
        // Back to the snapshot, and the same once more.
        s.world.root = before;
        lg_str again = shop_call(&s, "t", cases[i].args, false);
        CHECK(lg_str_eq(got, again));
        shop_close(&s);
        lg_arena_done(&arena);
    }
}

// A procedure sees nothing of the steps that run it, and leaves nothing there.
static void a_procedure_has_values_of_its_own(void)
{
    shop s;
    shop_open(
        &s,
        "procedures:\n"
        "  inner:\n"
        "    - {let: {a: \"'inner'\", b: \"'b'\"}, append: \"users['bob'].tags\", value: a + b}\n"
        "tools:\n"
        "  t:\n"
        "    kind: write\n"
        "    parameters: {type: object}\n"
        "    let: {one: \"'outer'\"}\n"
        "    effects:\n"
        "      - let: {two: \"'2'\"}\n"
        "        do:\n"
        "          - {run: inner}\n"
        "          - {append: \"users['bob'].tags\", value: one + two + args.x}\n"
        "    answer: '{one} {args.x}'\n");
    CHECK_STR(shop_call(&s, "t", "{\"x\":\"!\"}", false),
              "done outer !; users.bob.tags: [] -> [\"innerb\",\"outer2!\"]");
    shop_close(&s);
}

// The `let`s of a tool are of the state before the first step.
static void lets_are_of_the_state_before_the_call(void)
{
    shop s;
    shop_open(
        &s, "tools:\n"
            "  t:\n"
            "    kind: write\n"
            "    parameters: {type: object}\n"
            "    let: {old: \"state.users['ada'].balance\", lost: \"state.users['eve'].balance\"}\n"
            "    effects: [{set: \"users['ada'].balance\", to: old + 1.0}]\n"
            "    gives: \"{'old': old, 'new': state.users['ada'].balance}\"\n");
    CHECK_STR(shop_call(&s, "t", "{}", false),
              "done {\"old\":5.0,\"new\":6.0}; users.ada.balance: 5 -> 6");
    shop_close(&s);
}

static void a_fault_knows_its_place_in_the_pack(void)
{
    shop s;
    shop_open(&s, "tools:\n"
                  "  t:\n"
                  "    kind: write\n"
                  "    parameters: {type: object}\n"
                  "    effects:\n"
                  "      - {set: device.on, to: true}\n"
                  "      - set: users[args.u].name\n"
                  "        to: \"'x'\"\n"
                  "      - set: device.on\n"
                  "        to: state.users['nobody'].balance > 1.0\n");
    uint32_t first = 0;
    for (const char *c = shop_head; *c; c++) {
        first += *c == '\n';
    }
    shop_call(&s, "t", "{\"u\":\"zoe\"}", false);
    CHECK_STR(lg_str_c(s.outcome.fault.msg), "users.zoe is not there");
    CHECK(s.outcome.fault.line == first + 7 && s.outcome.fault.column == 9);
    shop_call(&s, "t", "{\"u\":\"ada\"}", false);
    CHECK(s.outcome.fault.line == first + 10); // in the expression itself
    CHECK(s.outcome.fault.column == 13 + strlen("state.users"));
    CHECK_STR(lg_str_c(s.outcome.fault.file), "fixture.yaml");
    shop_close(&s);
}

int main(void)
{
    RUN(steps_do_what_they_say);
    RUN(a_procedure_has_values_of_its_own);
    RUN(lets_are_of_the_state_before_the_call);
    RUN(a_fault_knows_its_place_in_the_pack);
    return lg_test_done();
}
