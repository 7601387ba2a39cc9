// test_fresh.c: which records a call makes stale, for each way in which reads show and writes change.
#include "ledger/ledger.h"
#include "lg_test.h"
#include "pack_fixture.h"

// Two reads bring records; the rest of the pack is of each test.
static const char head[] =
    "pack: desk\n"
    "version: '1'\n"
    "types:\n"
    "  Order:\n"
    "    type: object\n"
    "    properties:\n"
    "      owner: {type: string}\n"
    "      status: {type: string}\n"
    "      items: {type: array, items: {type: object, properties: {id: {type: string}, n: {type: "
    "number}}}}\n"
    "  User:\n"
    "    type: object\n"
    "    properties:\n"
    "      id: {type: string}\n"
    "      name: {type: string}\n"
    "      cards: {type: object, additionalProperties: {type: object, properties: {n: {type: "
    "number}}}}\n"
    "ledger:\n"
    "  orders.*: Order\n"
    "  user: User\n"
    "  found.*: {}\n"
    "state:\n"
    "  orders.*: Order\n"
    "  users.*: User\n"
    "  device: {type: object, properties: {on: {type: boolean}, bars: {type: number}}}\n"
    "  total: {type: number}\n";

// Rows of `tools`: name and body without `parameters`, which are all the same.
typedef struct fresh_case {
    const char *what;
    const char *gives;   // of the read `look`, which stores its result at found[args.key]
    const char *args;    // of that read
    const char *effects; // of the write `act`
    const char *more;    // further keys of the pack
    const char *call;    // arguments of the write
    bool stale;
} fresh_case;

static const fresh_case cases[] = {
    {"the same record", "state.orders[args.a]", "{\"a\":\"1\"}",
     "[{set: 'orders[args.a].status', to: \"'x'\"}]", "", "{\"a\":\"1\"}", true},
    {"another record", "state.orders[args.a]", "{\"a\":\"1\"}",
     "[{set: 'orders[args.a].status', to: \"'x'\"}]", "", "{\"a\":\"2\"}", false},
    {"a key under another name", "state.orders[args.b]", "{\"b\":\"1\"}",
     "[{set: 'orders[args.a].status', to: \"'x'\"}]", "", "{\"a\":\"1\"}", true},
    {"an argument that is not there may be any", "state.orders[args.a]", "{\"a\":\"1\"}",
     "[{set: 'orders[args.a].status', to: \"'x'\"}]", "", "{}", true},
    {"a key that the pack says", "state.orders['7'].status", "{}",
     "[{set: \"orders['8'].status\", to: \"'x'\"}]", "", "{}", false},
    {"the same key that the pack says", "state.orders['7'].status", "{}",
     "[{set: \"orders['7'].status\", to: \"'x'\"}]", "", "{}", true},
    {"another field", "state.orders[args.a].owner", "{\"a\":\"1\"}",
     "[{set: 'orders[args.a].status', to: \"'x'\"}]", "", "{\"a\":\"1\"}", false},
    {"a computed value of a field", "state.orders[args.a].status + '!'", "{\"a\":\"1\"}",
     "[{set: 'orders[args.a].status', to: \"'x'\"}]", "", "{\"a\":\"1\"}", true},
    {"a whole record is set", "state.orders[args.a].owner", "{\"a\":\"1\"}",
     "[{set: 'orders[args.a]', to: \"{'owner': 'x'}\"}]", "", "{\"a\":\"1\"}", true},
    {"a record is removed", "state.orders[args.a].owner", "{\"a\":\"1\"}",
     "[{remove: 'orders[args.a]'}]", "", "{\"a\":\"1\"}", true},
    {"nothing is changed", "state.orders", "{}", "[]", "", "{}", false},
    {"a step that only fails changes nothing", "state.orders", "{}",
     "[{fail: no, when: args.a == 'x'}]", "", "{}", false},
    // Lists.
    {"an item of the list", "state.orders[args.a].items.size()", "{\"a\":\"1\"}",
     "[{append: 'orders[args.a].items', value: \"{'id': 'x', 'n': 1.0}\"}]", "", "{\"a\":\"1\"}",
     true},
    {"an item behind a removed one", "state.orders[args.a].items[1].n", "{\"a\":\"1\"}",
     "[{remove: 'orders[args.a].items[0]'}]", "", "{\"a\":\"1\"}", true},
    {"items in a loop", "state.orders[args.a].items.map(i, i.n)", "{\"a\":\"1\"}",
     "[{set: 'orders[args.a].items[0].n', to: 2.0}]", "", "{\"a\":\"1\"}", true},
    // Comprehensions over maps read keys, and what they say of the values.
    {"keys only, a field set", "state.users.map(u, u)", "{}",
     "[{set: 'users[args.a].name', to: \"'x'\"}]", "", "{\"a\":\"1\"}", false},
    {"keys only, a record set", "state.users.map(u, u)", "{}",
     "[{set: 'users[args.a]', to: \"{'id': 'x'}\"}]", "", "{\"a\":\"1\"}", true},
    {"a field of all", "state.users.filter(u, state.users[u].name == args.a)", "{\"a\":\"1\"}",
     "[{set: 'users[args.b].name', to: \"'x'\"}]", "", "{\"b\":\"2\"}", true},
    {"another field of all", "state.users.filter(u, state.users[u].name == args.a)",
     "{\"a\":\"1\"}", "[{set: 'users[args.b].id', to: \"'x'\"}]", "", "{\"b\":\"2\"}", false},
    {"a field by the second name", "state.users.transformList(k, u, u.name)", "{}",
     "[{set: 'users[args.b].name', to: \"'x'\"}]", "", "{\"b\":\"2\"}", true},
    {"another field by the second name", "state.users.transformList(k, u, u.name)", "{}",
     "[{set: 'users[args.b].id', to: \"'x'\"}]", "", "{\"b\":\"2\"}", false},
    // Presence.
    {"whether it is there, a field set", "args.a in state.users", "{\"a\":\"1\"}",
     "[{set: 'users[args.a].name', to: \"'x'\"}]", "", "{\"a\":\"1\"}", false},
    {"whether it is there, removed", "args.a in state.users", "{\"a\":\"1\"}",
     "[{remove: 'users[args.a]'}]", "", "{\"a\":\"1\"}", true},
    {"whether it is there, another removed", "args.a in state.users", "{\"a\":\"1\"}",
     "[{remove: 'users[args.b]'}]", "", "{\"b\":\"2\"}", false},
    {"has a field", "has(state.users[args.a].cards)", "{\"a\":\"1\"}",
     "[{set: \"users[args.a].cards['c'].n\", to: 1.0}]", "", "{\"a\":\"1\"}", false},
    {"has a field, set", "has(state.users[args.a].cards)", "{\"a\":\"1\"}",
     "[{set: 'users[args.a].cards', to: '{}'}]", "", "{\"a\":\"1\"}", true},
    // Branches, bindings, optionals: what might be read was read.
    {"either branch", "args.a == 'x' ? state.total : state.device.bars", "{\"a\":\"1\"}",
     "[{set: device.bars, to: 1.0}]", "", "{}", true},
    {"a bound name", "cel.bind(o, state.orders[args.a], o.status)", "{\"a\":\"1\"}",
     "[{set: 'orders[args.a].owner', to: \"'x'\"}]", "", "{\"a\":\"1\"}", false},
    {"a bound name, its field", "cel.bind(o, state.orders[args.a], o.status)", "{\"a\":\"1\"}",
     "[{set: 'orders[args.a].status', to: \"'x'\"}]", "", "{\"a\":\"1\"}", true},
    {"an optional", "state.orders[?args.a].orValue({})", "{\"a\":\"1\"}",
     "[{set: 'orders[args.a].status', to: \"'x'\"}]", "", "{\"a\":\"1\"}", true},
    {"all of the state", "size(state) + 0", "{}", "[{set: total, to: 1.0}]", "", "{}", true},
    // Keys of reads that lie in the state.
    {"the user of an order, the order's owner set", "state.users[state.orders[args.a].owner].name",
     "{\"a\":\"1\"}", "[{set: 'orders[args.a].owner', to: \"'x'\"}]", "", "{\"a\":\"1\"}", true},
    {"the user of an order, its status set", "state.users[state.orders[args.a].owner].name",
     "{\"a\":\"1\"}", "[{set: 'orders[args.a].status', to: \"'x'\"}]", "", "{\"a\":\"1\"}", false},
    // Loops of writes.
    {"a record for each item", "state.orders[args.a]", "{\"a\":\"1\"}",
     "[{each: 'args.list', as: id, set: 'orders[id].status', to: \"'x'\"}]", "",
     "{\"list\":[\"2\",\"1\"]}", true},
    {"a record for each of other items", "state.orders[args.a]", "{\"a\":\"1\"}",
     "[{each: 'args.list', as: id, set: 'orders[id].status', to: \"'x'\"}]", "",
     "{\"list\":[\"2\",\"3\"]}", false},
    {"one of some texts", "state.orders[args.a]", "{\"a\":\"1\"}",
     "[{each: \"['1', '2'].filter(i, i != args.b)\", as: id, set: 'orders[id].status', to: "
     "\"'x'\"}]",
     "", "{\"b\":\"1\"}", true},
    {"one of some other texts", "state.orders[args.a]", "{\"a\":\"1\"}",
     "[{each: \"['3', '2']\", as: id, set: 'orders[id].status', to: \"'x'\"}]", "", "{}", false},
    {"steps in steps", "state.total", "{}",
     "[{when: args.a == 'x', do: [{let: {n: state.total}, set: total, to: n + 1.0}]}]", "", "{}",
     true},
    {"another part in steps in steps", "state.device", "{}",
     "[{when: args.a == 'x', do: [{let: {n: state.total}, set: total, to: n + 1.0}]}]", "", "{}",
     false},
    // Procedures and settle.
    {"a procedure", "state.total", "{}", "[{run: count}]",
     "procedures: {count: [{set: total, to: 'double(state.orders.size())'}]}\n", "{}", true},
    {"settle has something to do", "state.total", "{}", "[{remove: 'orders[args.a]'}]",
     "settle: [{set: total, to: 'double(state.orders.size())'}]\n", "{\"a\":\"1\"}", true},
    {"settle has nothing to do", "state.total", "{}", "[{set: device.on, to: 'true'}]",
     "settle: [{set: total, to: 'double(state.orders.size())'}]\n", "{}", false},
    {"settle step by step", "state.total", "{}", "[{set: device.on, to: 'true'}]",
     "settle:\n  - {set: device.bars, to: 'state.device.on ? 1.0 : 0.0'}\n"
     "  - {set: total, to: state.device.bars}\n",
     "{}", true},
};

typedef struct desk {
    lg_pack *pack;
    lg_ledger ledger;
    lg_arena arena;
    uint32_t turn;
} desk;

#define PARAMETERS                                                                                 \
    "    parameters: {type: object, properties: {a: {type: string}, b: {type: string}, key: "      \
    "{type: "                                                                                      \
    "string}, list: {type: array, items: {type: string}}}}\n"

static void desk_open(desk *d, const char *yaml)
{
    *d = (desk){.turn = 1};
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

static lg_observed desk_call(desk *d, const char *tool, const char *args, const char *result,
                             bool by_user)
{
    lg_ledger_call call = {.tool = lg_str_c(tool),
                           .args = fixture_json(&d->arena, args),
                           .result = lg_str_c(result),
                           .by_user = by_user,
                           .turn = d->turn++};
    lg_observed observed = LG_OBSERVED_NOTHING;
    lg_error error = {0};
    CHECK(lg_ledger_observe(&d->ledger, &call, &observed, &error) == LG_OK);
    return observed;
}

static bool is_stale(const desk *d, const char *first, const char *second)
{
    lg_str path[] = {lg_str_c(first), lg_str_c(second ? second : "")};
    const lg_ledger_entry *entry = lg_ledger_find(&d->ledger.state, path, second ? 2 : 1);
    CHECK(entry != NULL);
    return entry && entry->stale;
}

static void what_a_write_changes_and_a_read_has_shown(void)
{
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        const fresh_case *c = &cases[i];
        lg_arena arena;
        lg_arena_init(&arena, 0);
        lg_str yaml = lg_arena_printf(&arena,
                                      "%s%stools:\n"
                                      "  look:\n    kind: read\n" PARAMETERS
                                      "    gives: \"%s\"\n    stores: [{at: \"found['k']\"}]\n"
                                      "  act:\n    kind: write\n" PARAMETERS "    effects: %s\n",
                                      head, c->more, c->gives, c->effects);
        desk d;
        desk_open(&d, yaml.ptr);
        CHECK_MSG(desk_call(&d, "look", c->args, "1", false) == LG_OBSERVED_RECORDS, c->what);
        CHECK_MSG(desk_call(&d, "act", c->call, "done", false) == LG_OBSERVED_WRITE, c->what);
        CHECK_MSG(is_stale(&d, "found", "k") == c->stale, c->what);
        desk_close(&d);
        lg_arena_done(&arena);
    }
}

// --- Who calls ------------------------------------------------------------------------------------

static const char phone[] =
    "tools:\n"
    "  look:\n    kind: read\n" PARAMETERS
    "    gives: state.device\n    stores: [{at: \"found['device']\"}]\n"
    "  count:\n    kind: read\n" PARAMETERS
    "    gives: state.total\n    stores: [{at: \"found['total']\"}]\n"
    "  guess:\n    kind: read\n" PARAMETERS "    stores: [{at: \"found['guess']\"}]\n"
    "  switch_on:\n    kind: write\n    requestor: user\n" PARAMETERS
    "    effects: [{set: device.on, to: 'true'}]\n"
    "  look_at_it:\n    kind: read\n    requestor: user\n" PARAMETERS "    answer: 'on'\n"
    "  shake:\n    kind: write\n    requestor: user\n" PARAMETERS
    "  nothing:\n    kind: write\n" PARAMETERS "    effects: []\n"
    "  think:\n    kind: generic\n" PARAMETERS;

typedef struct caller_case {
    const char *what, *tool;
    bool by_user;
    lg_observed observed;
    const char *stale; // device, total, guess
} caller_case;

static const caller_case callers[] = {
    {"the customer's own tool changes its targets, and what nobody knows of", "switch_on", true,
     LG_OBSERVED_STALE, "s.s"},
    {"a tool of theirs that only looks", "look_at_it", true, LG_OBSERVED_NOTHING, "..."},
    {"a tool of theirs without effects", "shake", true, LG_OBSERVED_STALE, "sss"},
    {"a tool of theirs that the pack does not declare", "throw", true, LG_OBSERVED_STALE, "sss"},
    {"a tool of the agent that the pack does not declare", "hack", false, LG_OBSERVED_STALE, "sss"},
    {"a write that changes nothing", "nothing", false, LG_OBSERVED_WRITE, "..."},
    {"a generic tool", "think", false, LG_OBSERVED_NOTHING, "..."},
    {"another read", "count", false, LG_OBSERVED_RECORDS, "..."},
};

static void calls_of_others_count(void)
{
    for (size_t i = 0; i < LG_COUNT(callers); i++) {
        const caller_case *c = &callers[i];
        lg_arena arena;
        lg_arena_init(&arena, 0);
        desk d;
        desk_open(&d, lg_arena_printf(&arena, "%s%s", head, phone).ptr);
        desk_call(&d, "look", "{}", "{}", false);
        desk_call(&d, "count", "{}", "1", false);
        desk_call(&d, "guess", "{}", "1", false);
        CHECK_MSG(desk_call(&d, c->tool, "{}", "1", c->by_user) == c->observed, c->what);
        static const char *const keys[] = {"device", "total", "guess"};
        char got[4] = {0};
        for (size_t k = 0; k < 3; k++) {
            got[k] = is_stale(&d, "found", keys[k]) ? 's' : '.';
        }
        CHECK_MSG(lg_str_eq(lg_str_c(got), lg_str_c(c->stale)), c->what);
        desk_close(&d);
        lg_arena_done(&arena);
    }
}

static void what_a_pack_lets_through_it_does_not_know(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    desk d;
    desk_open(&d, lg_arena_printf(&arena, "%sunknown_tools: allow\n%s", head, phone).ptr);
    desk_call(&d, "look", "{}", "{}", false);
    CHECK(desk_call(&d, "hack", "{}", "1", true) == LG_OBSERVED_STALE);
    CHECK(is_stale(&d, "found", "device"));
    desk_close(&d);
    lg_arena_done(&arena);
}

// --- The ledger in the state's place --------------------------------------------------------------

// The owner of the order is told by the ledger if it holds that very order, and fresh.
static const char owners[] =
    "tools:\n"
    "  get_order:\n    kind: read\n" PARAMETERS
    "    returns: Order\n    gives: 'state.orders[args.a]'\n    stores: [{at: 'orders[args.a]'}]\n"
    "  get_other:\n    kind: read\n" PARAMETERS
    "    returns: Order\n    gives: 'state.orders[args.a]'\n    stores: [{at: 'orders[args.b]'}]\n"
    "  get_user:\n    kind: read\n" PARAMETERS
    "    returns: User\n    gives: 'state.users[args.a]'\n    stores: [{at: user}]\n"
    "  pay:\n    kind: write\n" PARAMETERS "    let: {o: 'state.orders[args.a]'}\n"
    "    effects: [{set: 'users[o.owner].name', to: \"'x'\"}]\n"
    "  pay_late:\n    kind: write\n" PARAMETERS "    effects:\n"
    "      - {set: 'orders[args.a].owner', to: \"'bob'\"}\n"
    "      - {set: 'users[state.orders[args.a].owner].name', to: \"'x'\"}\n"
    "  pay_after:\n    kind: write\n" PARAMETERS "    effects:\n"
    "      - {set: 'orders[args.a].status', to: \"'paid'\"}\n"
    "      - {set: 'users[state.orders[args.a].owner].name', to: \"'x'\"}\n"
    "  close:\n    kind: write\n" PARAMETERS
    "    effects: [{set: 'orders[args.a].status', to: \"'shut'\"}]\n";

typedef struct owner_case {
    const char *what;
    const char *reads[3]; // tool and arguments, one after the other
    const char *write;
    bool stale; // the user ada
} owner_case;

static const owner_case owner_cases[] = {
    {"the order of another user was read", {"get_order", "bob"}, "pay", false},
    {"the order of this user was read", {"get_order", "ada"}, "pay", true},
    {"the order was not read: anybody's", {NULL}, "pay", true},
    {"the order was read, and is stale", {"get_order", "bob", "close"}, "pay", true},
    {"what stands there is another order", {"get_other", "bob"}, "pay", true},
    {"an earlier step sets the owner", {"get_order", "bob"}, "pay_late", true},
    {"an earlier step sets something else", {"get_order", "bob"}, "pay_after", false},
};

static void a_fresh_record_tells_a_key(void)
{
    for (size_t i = 0; i < LG_COUNT(owner_cases); i++) {
        const owner_case *c = &owner_cases[i];
        lg_arena arena;
        lg_arena_init(&arena, 0);
        desk d;
        desk_open(&d, lg_arena_printf(&arena, "%s%s", head, owners).ptr);
        desk_call(&d, "get_user", "{\"a\":\"ada\"}", "{\"id\":\"ada\"}", false);
        if (c->reads[0]) {
            lg_str order = lg_arena_printf(&arena, "{\"owner\":\"%s\"}", c->reads[1]);
            desk_call(&d, c->reads[0], "{\"a\":\"1\",\"b\":\"1\"}", order.ptr, false);
        }
        if (c->reads[2]) {
            desk_call(&d, c->reads[2], "{\"a\":\"1\"}", "", false);
        }
        desk_call(&d, c->write, "{\"a\":\"1\"}", "", false);
        CHECK_MSG(is_stale(&d, "user", NULL) == c->stale, c->what);
        desk_close(&d);
        lg_arena_done(&arena);
    }
}

// --- Parts of records -----------------------------------------------------------------------------

static const char parts[] =
    "tools:\n"
    "  get_order:\n    kind: read\n" PARAMETERS
    "    returns: Order\n    gives: 'state.orders[args.a]'\n    stores: [{at: 'orders[args.a]'}]\n"
    "  get_total:\n    kind: read\n" PARAMETERS
    "    returns: text\n    gives: 'string(state.total)'\n"
    "    stores: [{at: 'orders[args.a].status'}]\n"
    "  close:\n    kind: write\n" PARAMETERS
    "    effects: [{set: 'orders[args.a].owner', to: \"'x'\"}]\n"
    "  add:\n    kind: write\n" PARAMETERS "    effects: [{set: total, to: 1.0}]\n";

static void a_part_that_is_read_again_leaves_the_rest_as_it_was(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    desk d;
    desk_open(&d, lg_arena_printf(&arena, "%s%s", head, parts).ptr);
    desk_call(&d, "get_order", "{\"a\":\"1\"}", "{\"owner\":\"ada\"}", false);
    desk_call(&d, "get_total", "{\"a\":\"1\"}", "3", false);
    CHECK(!is_stale(&d, "orders", "1"));
    desk_call(&d, "close", "{\"a\":\"1\"}", "", false); // of the first read
    CHECK(is_stale(&d, "orders", "1"));
    desk_call(&d, "get_total", "{\"a\":\"1\"}", "3", false);
    CHECK(is_stale(&d, "orders", "1"));
    desk_call(&d, "get_order", "{\"a\":\"1\"}", "{\"owner\":\"ada\"}", false);
    CHECK(!is_stale(&d, "orders", "1"));
    desk_call(&d, "add", "{}", "", false); // of no read that made the record
    CHECK(!is_stale(&d, "orders", "1"));
    desk_call(&d, "get_total", "{\"a\":\"1\"}", "3", false);
    desk_call(&d, "add", "{}", "", false); // of the second read
    CHECK(is_stale(&d, "orders", "1"));
    desk_close(&d);
    lg_arena_done(&arena);
}

static void the_first_call_that_may_have_changed_a_record_is_named(void)
{
    lg_arena arena;
    lg_arena_init(&arena, 0);
    desk d;
    desk_open(&d, lg_arena_printf(&arena, "%s%s", head, phone).ptr);
    desk_call(&d, "look", "{}", "{}", false);
    desk_call(&d, "switch_on", "{}", "", true);
    desk_call(&d, "throw", "{}", "", true);
    CHECK_STR(lg_ledger_entry_at(&d.ledger.state, 0)->stale_tool, "switch_on");
    CHECK(lg_ledger_entry_at(&d.ledger.state, 0)->stale_turn == 2);
    desk_close(&d);
    lg_arena_done(&arena);
}

int main(void)
{
    RUN(what_a_write_changes_and_a_read_has_shown);
    RUN(calls_of_others_count);
    RUN(what_a_pack_lets_through_it_does_not_know);
    RUN(a_fresh_record_tells_a_key);
    RUN(a_part_that_is_read_again_leaves_the_rest_as_it_was);
    RUN(the_first_call_that_may_have_changed_a_record_is_named);
    return lg_test_done();
}
