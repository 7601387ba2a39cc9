// test_state.c: state files: what they must hold, and that they come out as they went in.
#include "world_fixture.h"

#include "base/alloc.h"

static const char no_tools[] = "tools: {t: {kind: write, parameters: {type: object}}}\n";

// --- Files that are no state --------------------------------------------------------------------

typedef struct bad_case {
    const char *file;
    const char *want; // errors, one a line
} bad_case;

#define REST "\"phone\":{},\"loose\":{}"

static const bad_case bad[] = {
    {"[]", "0:0 a state file must hold a JSON object\n"},
    {"{}", "1:1 /users: is absent: the pack's `users.*` stands here\n"
           "1:1 /db/orders: is absent: the pack's `orders.*` stands here\n"
           "1:1 /phone: is absent: the pack's `device` stands here\n"
           "1:1 /loose: is absent: the pack's `loose` stands here\n"},
    {"{\"users\":{},\"db\":[]," REST "}",
     "1:1 /db/orders: is absent: the pack's `orders.*` stands here\n"},
    {"{\"users\":[],\"db\":{\"orders\":[]}," REST "}",
     "1:10 /users: must be an object: a record for each key\n"},
    {"{\"users\":{},\"db\":{\"orders\":{}}," REST "}",
     "1:28 /db/orders: must be a list of records: the pack's `orders.*` stands here\n"},
    {"{\"users\":{},\"db\":{\"orders\":[{\"id\":1},5,{}]}," REST "}",
     "1:29 /db/orders/0: needs a text `id`, by which `orders.*` are told apart\n"
     "1:38 /db/orders/1: needs a text `id`, by which `orders.*` are told apart\n"
     "1:40 /db/orders/2: needs a text `id`, by which `orders.*` are told apart\n"},
    {"{\"users\":{},\"db\":{\"orders\":[{\"id\":\"a\",\"status\":\"open\",\"items\":[]},"
     "{\"id\":\"a\",\"status\":\"open\",\"items\":[]}]}," REST "}",
     "1:67 /db/orders/1: has the same `id`, by which `orders.*` are told apart\n"},
    {"{\"users\":{\"a/b\":{\"name\":\"x\",\"balance\":\"5\"}},\"db\":{\"orders\":[]}," REST "}",
     "1:39 /users/a~1b/balance: `balance` must be a number; got the string \"5\"\n"},
    {"{\"users\":{\"a\":7},\"db\":{\"orders\":[{\"id\":\"a\",\"status\":\"gone\",\"items\":[]}]}"
     "," REST "}",
     "1:15 /users/a: the value must be an object; got the number 7\n"
     "1:53 /db/orders/0/status: `status` must be one of \"open\", \"paid\", \"shut\"; got "
     "\"gone\"\n"},
    {"{\"users\":{},\"db\":{\"orders\":[]},\"phone\":{\"on\":1},\"loose\":{}}",
     "1:46 /phone/on: `on` must be a boolean; got the number 1\n"},
    // What may be absent must still have a place to be put.
    {"{\"users\":{},\"db\":{\"orders\":[]}," REST ",\"notes\":\"text\"}",
     "1:1 /notes/memo: is absent: the pack's `memo` stands here\n"},
};

static void what_is_no_state_is_refused_with_every_place(void)
{
    for (size_t i = 0; i < LG_COUNT(bad); i++) {
        shop s;
        shop_make(&s, no_tools);
        CHECK_STR(shop_load(&s, bad[i].file), bad[i].want);
        lg_error error;
        lg_world_call call = {.tool = LG_STR("t"), .args = s.file};
        CHECK(lg_world_call_tool(&s.world, &call, &s.outcome, &error) == LG_ERR_USAGE);
        CHECK_STR(lg_str_c(error.msg), "no state is loaded");
        CHECK_STR(shop_load(&s, SHOP_STATE), ""); // and the world is none the worse
        shop_close(&s);
    }
}

static void many_errors_are_counted(void)
{
    shop s;
    shop_make(&s, no_tools);
    lg_str told = shop_load(&s, "{\"users\":{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,"
                                "\"7\":1},\"db\":{\"orders\":[]}," REST "}");
    CHECK(lg_str_ends(told, LG_STR("\nand 2 more\n")));
    shop_close(&s);
}

static void packs_without_a_sound_state_have_no_world(void)
{
    shop s = {0};
    lg_arena_init(&s.arena, 0);
    s.pack = fixture_pack("pack: p\nversion: '1'\nledger: {a: {type: string}}\n"
                          "tools: {t: {kind: generic, parameters: {type: object}}}\n");
    lg_world_init(&s.world, s.pack, NULL);
    CHECK_STR(shop_load(&s, "{}"),
              "0:0 the pack declares no `state`: it does not say what its tools do\n");
    shop_close(&s);
}

// --- There and back -----------------------------------------------------------------------------

static const char *const files[] = {
    SHOP_STATE,
    "{\"users\":{},\"db\":{\"orders\":[]},\"phone\":{},\"loose\":{}}",
    // Order of members and records, and what belongs to nobody.
    "{\"z\":[{}],\"loose\":{\"b\":1,\"a\":[[]]},\"db\":{\"x\":null,\"orders\":[{\"status\":"
    "\"open\","
    "\"id\":\"9\",\"items\":[]},{\"id\":\"1\",\"status\":\"paid\",\"items\":[],\"more\":1.50}],"
    "\"y\":12345678901234567890},\"phone\":{\"bars\":1e3},\"users\":{\"\":{\"name\":\"\","
    "\"balance\":0}}}",
    "{\"users\":{},\"db\":{\"orders\":[]},\"phone\":{},\"loose\":{},\"notes\":{\"memo\":null}}",
    "{\"users\":{},\"db\":{\"orders\":[]},\"phone\":{},\"loose\":{},\"notes\":{\"memo\":\"m\"}}",
    "{\"users\":{},\"db\":{\"orders\":[]},\"phone\":{},\"loose\":{},\"notes\":{}}",
};

static void a_file_comes_out_as_it_went_in(void)
{
    for (size_t i = 0; i < LG_COUNT(files); i++) {
        shop s;
        lg_json printed;
        shop_make(&s, no_tools);
        CHECK_STR(shop_load(&s, files[i]), "");
        lg_str want = fixture_print(&s.arena, s.file);
        CHECK(lg_world_print(&s.world, &s.arena, &printed) == LG_OK);
        CHECK_STR(fixture_print(&s.arena, &printed), want.ptr);
        shop_close(&s);
    }
}

static void what_changed_is_in_the_file(void)
{
    shop s;
    lg_json printed;
    shop_open(
        &s, "tools:\n"
            "  t:\n"
            "    kind: write\n"
            "    parameters: {type: object}\n"
            "    effects:\n"
            "      - {set: \"orders['#0']\", to: \"{'id': '#0', 'status': 'open', 'items': []}\"}\n"
            "      - {set: \"orders['#1'].status\", to: \"'shut'\"}\n"
            "      - {remove: \"orders['#2']\"}\n"
            "      - {remove: \"users['ada']\"}\n"
            "      - {set: memo, to: \"'m'\"}\n");
    shop_call(&s, "t", "{}", false);
    CHECK(s.outcome.end == LG_WORLD_DONE);
    CHECK(lg_world_print(&s.world, &s.arena, &printed) == LG_OK);
    CHECK_STR(fixture_print(&s.arena, &printed),
              "{\"users\":{\"bob\":{\"name\":\"Bob\",\"balance\":0.5,\"tags\":[]}},"
              "\"kept\":{\"x\":[1,2]},"
              "\"db\":{\"orders\":[{\"id\":\"#1\",\"status\":\"shut\",\"items\":[],\"by\":\"ada\"},"
              "{\"id\":\"#0\",\"status\":\"open\",\"items\":[]}],\"other\":true},"
              "\"phone\":{\"on\":false},\"loose\":{\"text\":\"t\",\"list\":[1],\"none\":null},"
              "\"notes\":{\"memo\":\"m\"}}");
    lg_json view;
    CHECK(lg_world_view(&s.world, &s.arena, &view) == LG_OK);
    const lg_json *orders = lg_json_at(&view, LG_STR("/db/orders"));
    CHECK(lg_json_is(orders, LG_JSON_OBJECT) && lg_json_get(orders, LG_STR("#1")) != NULL);
    shop_close(&s);
}

// --- Comparing ----------------------------------------------------------------------------------

typedef struct compare_case {
    const char *before, *after, *want;
} compare_case;

static const compare_case comparisons[] = {
    {"{\"a\":1}", "{\"a\":1.0}", ""},
    {"{\"a\":null}", "{}", ""},
    {"{}", "{\"a\":null}", ""},
    {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", ""},
    {"{\"a\":1}", "{\"a\":\"1\"}", "; a: 1 -> \"1\""},
    {"{\"a\":{\"b\":[1,2]}}", "{\"a\":{\"b\":[1,3]}}", "; a.b[1]: 2 -> 3"},
    {"{\"a\":[1]}", "{\"a\":[1,2]}", "; a: [1] -> [1,2]"},
    {"{\"a\":[]}", "{\"a\":{}}", "; a: [] -> {}"},
    {"{\"#1\":{\"x y\":1}}", "{\"#1\":{}}", "; [\"#1\"][\"x y\"]: 1 -> (none)"},
    {"{}", "{\"1a\":false}", "; [\"1a\"]: (none) -> false"},
    {"[{\"a\":1}]", "[{\"a\":2}]", "; [0].a: 1 -> 2"},
    {"9007199254740993", "9007199254740992.0", "; : 9007199254740993 -> 9007199254740992.0"},
};

static void values_are_compared(void)
{
    shop s;
    shop_make(&s, no_tools);
    for (size_t i = 0; i < LG_COUNT(comparisons); i++) {
        const lg_json *before = fixture_json(&s.arena, comparisons[i].before);
        const lg_json *after = fixture_json(&s.arena, comparisons[i].after);
        CHECK_STR(shop_differences(&s, before, after), comparisons[i].want);
        lg_world_differences none = {.limit = 0};
        lg_world_compare(before, after, &none);
        CHECK((none.total == 0) == (comparisons[i].want[0] == 0) && none.count == 0);
    }
    shop_close(&s);
}

// --- Without memory -----------------------------------------------------------------------------

static void without_memory_nothing_is_half_done(void)
{
    static const char tools[] =
        "tools:\n"
        "  t:\n"
        "    kind: write\n"
        "    parameters: {type: object}\n"
        "    effects:\n"
        "      - {set: \"users['eve']\", to: \"{'name': args.n, 'balance': 1}\"}\n"
        "      - {append: \"users['eve'].tags\", value: \"'x' + args.n\", when: \"'false' == "
        "args.n\"}\n"
        "      - {set: memo, to: \"'for ' + args.n\"}\n"
        "    answer: 'hello {args.n}, {state.users}'\n"
        "settle: [{set: device.on, to: true}]\n"
        "invariants: [{id: few, that: size(state.users) < 3}]\n";
    uint32_t refused = 0;
    for (uint64_t n = 1; n < 200; n++) {
        shop s;
        shop_make(&s, tools);
        lg_str text = LG_STR(SHOP_STATE);
        const lg_json *file = fixture_json(&s.arena, SHOP_STATE);
        lg_world_call call = {.tool = LG_STR("t"),
                              .args = fixture_json(&s.arena, "{\"n\":\"Eve\"}")};
        lg_world_file state = {.value = file, .text = text, .name = "db.json"};
        lg_errors errors;
        lg_errors_init(&errors, &s.arena, 5);
        lg_json printed;
        lg_alloc_fail_at(n);
        lg_status status = lg_world_load(&s.world, &state, &errors);
        const lg_json *before = s.world.root;
        CHECK((status == LG_OK) == (before != NULL));
        if (status == LG_OK) {
            status = lg_world_call_tool(&s.world, &call, &s.outcome, NULL);
            CHECK((status == LG_OK) == (s.world.root != before));
        }
        lg_status print = before ? lg_world_print(&s.world, &s.world.work, &printed) : LG_ERR_OOM;
        lg_alloc_fail_at(0);
        CHECK(status == LG_OK || status == LG_ERR_OOM);
        CHECK(print == LG_OK || print == LG_ERR_OOM);
        refused += status != LG_OK;
        if (status == LG_OK) {
            CHECK(s.outcome.end == LG_WORLD_DONE && s.outcome.breach_count == 1);
        }
        shop_close(&s);
        if (status == LG_OK && print == LG_OK && n > 50) {
            break;
        }
    }
    CHECK(refused > 0);
}

int main(void)
{
    RUN(what_is_no_state_is_refused_with_every_place);
    RUN(many_errors_are_counted);
    RUN(packs_without_a_sound_state_have_no_world);
    RUN(a_file_comes_out_as_it_went_in);
    RUN(what_changed_is_in_the_file);
    RUN(values_are_compared);
    RUN(without_memory_nothing_is_half_done);
    return lg_test_done();
}
