// test_call.c: a call as a whole: refusals, results, settling, and what must hold afterwards.
#include "world_fixture.h"

static const char tools[] =
    "procedures: {sync: [{set: device.bars, to: 'state.device.on ? 4.0 : 0.0'}]}\n"
    "settle: [{run: sync}]\n"
    "invariants:\n"
    "  - {id: few_users, that: size(state.users) < 3}\n"
    "  - {id: ada_pays, that: \"state.users['ada'].balance >= 0.0\"}\n"
    "  - {id: of_the_ledger, that: \"!has(ledger.seen) || ledger.seen != ''\"}\n"
    "tools:\n"
    "  toggle:\n"
    "    kind: write\n"
    "    requestor: user\n"
    "    parameters: {type: object, properties: {}}\n"
    "    effects: [{set: device.on, to: '!state.device.on'}]\n"
    "    answer: \"The phone is {state.device.on ? 'ON' : 'OFF'}, {has(state.device.bars)}.\"\n"
    "  get_user:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    returns: User\n"
    "    effects: [{fail: 'Error: no user {args.id}', when: '!(args.id in state.users)'}]\n"
    "    gives: state.users[args.id]\n"
    "    ensures:\n"
    "      - {id: named, that: result.name != ''}\n"
    "      - {id: is_ada, that: \"args.id != 'ada' || result.name == 'Ada'\"}\n"
    "      - {id: was_seen, that: \"ledger.seen == 'x'\"}\n"
    "  find:\n"
    "    kind: read\n"
    "    parameters: {type: object}\n"
    "    returns: text\n"
    "    gives: \"'ada'\"\n"
    "  bad_text:\n"
    "    kind: read\n"
    "    parameters: {type: object}\n"
    "    returns: text\n"
    "    gives: args.x\n"
    "  bad_user:\n"
    "    kind: read\n"
    "    parameters: {type: object}\n"
    "    returns: User\n"
    "    gives: args.x\n"
    "  pay:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {n: {type: number}}, required: [n]}\n"
    "    effects: [{set: \"users['ada'].balance\", to: \"state.users['ada'].balance - args.n\"}]\n"
    "    gives: state.users\n"
    "  half:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {n: {type: number}}, required: [n]}\n"
    "    effects:\n"
    "      - {set: device.on, to: 'true'}\n"
    "      - {set: \"users['ada'].balance\", to: args.n}\n"
    "      - {fail: 'Error: whole', when: args.n == 1.0}\n"
    "      - {fail: 'Error: half', undo: false}\n"
    "      - {set: \"users['ada'].name\", to: \"'Eve'\"}\n"
    "    answer: done\n"
    "    ensures: [{id: of_no_error, that: \"result == 'done'\"}]\n"
    "  drop:\n"
    "    kind: write\n"
    "    parameters: {type: object}\n"
    "    effects: [{remove: \"users['ada']\"}]\n"
    "    answer: gone\n"
    "  secret: {kind: write, parameters: {type: object}}\n"
    "  transfer: {kind: generic, parameters: {type: object}}\n";

typedef struct call_case {
    const char *tool, *args;
    bool by_user;
    const char *want;
} call_case;

#define BARS "; device.bars: (none) -> 0.0"

// Each on the state as it is loaded.
static const call_case cases[] = {
    // The answer is of the state that the steps leave, before it settles.
    {"toggle", "{}", true,
     "done The phone is ON, false.; device.on: false -> true; device.bars: (none) -> 4.0"},
    {"toggle", "{}", false, "unknown_tool Error: Tool 'toggle' not found."},
    {"find", "{}", true, "unknown_tool Error: Tool 'find' not found."},
    {"fly", "{}", false, "unknown_tool Error: Tool 'fly' not found."},
    {"", "{}", false, "unknown_tool Error: Tool '' not found."},
    {"get_user", "{\"id\":\"bob\"}", false,
     "done {\"name\":\"Bob\",\"balance\":0.5,\"tags\":[]}" BARS},
    {"get_user", "{\"id\":\"eve\"}", false, "failed Error: no user eve"},
    {"get_user", "{}", false, "bad_arguments Error: `id` is required, but missing"},
    {"get_user", "[]", false, "bad_arguments Error: The arguments are not a JSON object: []"},
    {"get_user", "not json", false,
     "bad_arguments Error: The arguments are not a JSON object: not json"},
    {"find", "{}", false, "done ada" BARS},
    {"bad_text", "{\"x\":1}", false, "fault the result must be a text, as the pack declares"},
    {"bad_text", "{}", false, "fault `args.x`: no such key: x"},
    {"bad_user", "{\"x\":{\"name\":\"n\"}}", false,
     "fault the result is not what the pack declares: `balance` is required, but missing"},
    {"secret", "{}", false, "done" BARS},
    {"transfer", "{}", false, "done" BARS},
    // The state stands though it must not.
    {"pay", "{\"n\":6}", false,
     "done {\"ada\":{\"name\":\"Ada\",\"balance\":-1,\"tags\":[\"a\",\"b\"]},\"bob\":{\"name\":"
     "\"Bob\",\"balance\":0.5,\"tags\":[]}}; broken ada_pays; users.ada.balance: 5 -> -1" BARS},
    // What was done before stays done, and settles; the steps behind it are not.
    {"half", "{\"n\":2}", false,
     "failed Error: half; users.ada.balance: 5 -> 2; device.on: false -> true; device.bars: (none) "
     "-> 4.0"},
    {"half", "{\"n\":-2}", false,
     "failed Error: half; broken ada_pays; users.ada.balance: 5 -> -2; device.on: false -> true; "
     "device.bars: (none) -> 4.0"},
    {"half", "{\"n\":1}", false, "failed Error: whole"},
    {"drop", "{}", false,
     "done gone; broken ada_pays: no such key: ada; users.ada: {\"name\":\"Ada\",\"balance\":5,"
     "\"tags\":[\"a\",\"b\"]} -> (none)" BARS},
};

static void calls_end_as_they_must(void)
{
    shop s;
    shop_open(&s, tools);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        s.world.root = s.world.start;
        lg_str got = shop_call(&s, cases[i].tool, cases[i].args, cases[i].by_user);
        CHECK_STR(got, cases[i].want);
        bool error = s.outcome.end != LG_WORLD_DONE && s.outcome.end != LG_WORLD_FAULT;
        CHECK(lg_world_is_error(&s.outcome) == error);
        CHECK((s.outcome.failed != NULL) == (s.outcome.end == LG_WORLD_FAILED));
        CHECK((s.outcome.tool == NULL) == (s.outcome.end == LG_WORLD_UNKNOWN_TOOL));
    }
    shop_close(&s);
}

static void what_the_pack_does_not_say_is_not_invented(void)
{
    shop s;
    shop_open(&s, tools);
    shop_call(&s, "secret", "{}", false);
    CHECK(s.outcome.effects_unknown && !s.outcome.result);
    shop_call(&s, "transfer", "{}", false);
    CHECK(!s.outcome.effects_unknown && !s.outcome.result);
    shop_call(&s, "pay", "{\"n\":1}", false);
    CHECK(!s.outcome.effects_unknown && s.outcome.result);
    shop_close(&s);
}

static void postconditions_are_of_the_ledger_that_is_given(void)
{
    shop s;
    shop_open(&s, tools);
    lg_world_call call = {.tool = LG_STR("get_user"),
                          .args = fixture_json(&s.arena, "{\"id\":\"bob\"}")};
    CHECK(lg_world_call_tool(&s.world, &call, &s.outcome, NULL) == LG_OK);
    CHECK(s.outcome.breach_count == 0); // without one they are not checked
    call.ledger = fixture_json(&s.arena, "{\"seen\":\"x\",\"history\":[]}");
    CHECK(lg_world_call_tool(&s.world, &call, &s.outcome, NULL) == LG_OK);
    CHECK(s.outcome.breach_count == 0);
    call.ledger = fixture_json(&s.arena, "{\"seen\":\"y\",\"history\":[]}");
    CHECK(lg_world_call_tool(&s.world, &call, &s.outcome, NULL) == LG_OK);
    if (CHECK(s.outcome.breach_count == 1)) {
        CHECK_STR(s.outcome.breaches[0].condition->id, "was_seen");
        CHECK(!s.outcome.breaches[0].is_invariant && s.outcome.breaches[0].why.len == 0);
    }
    call.ledger = fixture_json(&s.arena, "{\"history\":[]}");
    CHECK(lg_world_call_tool(&s.world, &call, &s.outcome, NULL) == LG_OK);
    if (CHECK(s.outcome.breach_count == 1)) {
        CHECK_STR(s.outcome.breaches[0].why, "no such key: seen");
    }
    shop_close(&s);
}

static void invariants_are_checked_at_the_start(void)
{
    shop s;
    const lg_world_breach *items;
    size_t count;
    shop_open(&s, tools);
    CHECK(lg_world_check(&s.world, &s.arena, &items, &count) == LG_OK && count == 0);
    shop_call(&s, "pay", "{\"n\":100}", false);
    CHECK(lg_world_check(&s.world, &s.arena, &items, &count) == LG_OK);
    if (CHECK(count == 1)) {
        CHECK_STR(items[0].condition->id, "ada_pays");
        CHECK(items[0].is_invariant);
    }
    shop_close(&s);
}

// A pack without a clock is told the time.
static void now_is_what_the_call_says(void)
{
    shop s = {0};
    lg_arena_init(&s.arena, 0);
    s.pack = fixture_pack("pack: p\nversion: '1'\nledger: {a: {type: string}}\n"
                          "state: {x: {type: object}}\n"
                          "tools: {t: {kind: read, parameters: {type: object}, "
                          "answer: '{now}'}}\n");
    lg_world_init(&s.world, s.pack, NULL);
    CHECK_STR(shop_load(&s, "{\"x\":{}}"), "");
    lg_world_call call = {
        .tool = LG_STR("t"), .args = fixture_json(&s.arena, "{}"), .now_seconds = 1};
    CHECK(lg_world_call_tool(&s.world, &call, &s.outcome, NULL) == LG_OK);
    CHECK_STR(lg_json_str(s.outcome.result), "1970-01-01T00:00:01Z");
    shop_close(&s);
}

// The memory of a world grows with what changed, not with the steps that led there.
static void memory_grows_with_what_changed(void)
{
    shop s;
    shop_open(&s, "tools:\n"
                  "  t:\n"
                  "    kind: write\n"
                  "    parameters: {type: object}\n"
                  "    effects:\n"
                  "      - {each: range(5000), as: i, set: device.bars, to: double(i)}\n");
    for (int i = 0; i < 100; i++) {
        shop_call(&s, "t", "{}", false);
    }
    CHECK(s.outcome.end == LG_WORLD_DONE);
    CHECK(s.world.arena.held_bytes < (size_t)512 << 10);
    shop_close(&s);
}

// A hundred thousand calls hold what the state is, and snapshots stay what they were.
static void what_no_state_needs_is_given_back(void)
{
    shop s;
    shop_open(&s,
              "tools:\n"
              "  t:\n"
              "    kind: write\n"
              "    parameters: {type: object, properties: {k: {type: string}, b: {type: "
              "number}}, required: [k, b]}\n"
              "    effects:\n"
              "      - {set: 'users[args.k]', to: '{\"name\": args.k, \"balance\": args.b}'}\n");
    lg_arena args;
    lg_arena_init(&args, 0);
    const lg_json *kept[2] = {s.world.root, s.world.root};
    lg_str want = {NULL, 0};
    for (int i = 0; i < 100000; i++) {
        lg_str text = lg_arena_printf(&args, "{\"k\":\"user %d\",\"b\":%d}", i * 7 % 500, i);
        lg_world_call call = {.tool = LG_STR("t"), .args = fixture_json(&args, text.ptr)};
        CHECK(lg_world_call_tool(&s.world, &call, &s.outcome, NULL) == LG_OK);
        CHECK(s.outcome.end == LG_WORLD_DONE);
        lg_arena_reset(&args);
        if (i == 50000) {
            kept[1] = s.world.root;
            want = fixture_print(&s.arena, kept[1]);
        }
        lg_world_tidy(&s.world, kept, 2);
    }
    CHECK(s.world.arena.held_bytes < (size_t)4 << 20);
    CHECK(kept[0] == s.world.start);
    CHECK_STR(fixture_print(&s.arena, kept[1]), want.ptr);
    CHECK(lg_json_len(lg_json_get(s.world.root, LG_STR("users"))) == 502);
    lg_arena_done(&args);
    shop_close(&s);
}

static void every_end_has_a_name(void)
{
    CHECK_STR(lg_str_c(lg_world_end_name(LG_WORLD_DONE)), "done");
    CHECK_STR(lg_str_c(lg_world_end_name(LG_WORLD_FAULT)), "fault");
}

int main(void)
{
    RUN(calls_end_as_they_must);
    RUN(what_the_pack_does_not_say_is_not_invented);
    RUN(postconditions_are_of_the_ledger_that_is_given);
    RUN(invariants_are_checked_at_the_start);
    RUN(now_is_what_the_call_says);
    RUN(memory_grows_with_what_changed);
    RUN(what_no_state_needs_is_given_back);
    RUN(every_end_has_a_name);
    return lg_test_done();
}
