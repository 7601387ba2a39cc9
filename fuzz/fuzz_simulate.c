// fuzz_simulate.c: any calls on a small shop, of which a pack says what its tools do, and on tools of which only schemas are
// known. Each line of the input is a call, {"name": ..., "arguments": ..., "requestor": "user"}, or {"do": "snapshot"},
// "fork" (of which the older half goes on), "restore" or "diff" with a "number", "reset".
//
// Laws: a fork answers a call as its session does, and both are in the same state then; a session that goes back has the
// state that it had; what is not valid changes nothing; the validator changes nothing, and finds an invalid call so; the
// history has no more than it may, and its latest call is the one that was made; all words are UTF-8.
#include "drive.h"
#include "simulate/simulate.h"

static const char shop_pack[] =
    "pack: shop\n"
    "version: '1'\n"
    "clock: 2024-05-15T15:00:00Z\n"
    "types:\n"
    "  Order:\n"
    "    type: object\n"
    "    properties: {id: {type: string}, n: {type: number}}\n"
    "    required: [id]\n"
    "state:\n"
    "  orders.*: {is: Order, key: id, at: db.orders}\n"
    "  any: {}\n"
    "ledger: {seen.*: {}}\n"
    "invariants: [{id: few, that: size(state.orders) < 3}]\n"
    "tools:\n"
    "  put:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {k: {type: string}, v: {}}, required: [k]}\n"
    "    effects:\n"
    "      - {set: any, to: args.v, when: has(args.v)}\n"
    "      - {fail: 'Error: {args.k}', when: args.k == 'fail', undo: false}\n"
    "      - {set: \"orders[args.k]\", to: \"{'id': args.k}\"}\n"
    "    answer: '{args.k}'\n"
    "  show:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {k: {type: string}}, required: [k]}\n"
    "    gives: \"state.orders[args.k]\"\n"
    "    stores: [{at: \"seen[args.k]\"}]\n"
    "  drop:\n"
    "    kind: write\n"
    "    requestor: user\n"
    "    parameters: {type: object}\n"
    "    effects: [{remove: \"orders[args.k]\"}]\n"
    "  ask:\n"
    "    kind: read\n"
    "    parameters: {type: object}\n"
    "    returns: Order\n"
    "rules:\n"
    "  known:\n"
    "    tools: [put]\n"
    "    that: \"ledger.seen[args.k].id == args.k\"\n"
    "    needs: [\"ledger.seen[args.k]\"]\n"
    "    say: \"{args.k}\"\n";

static const char shop_state[] =
    "{\"db\":{\"orders\":[{\"id\":\"a\",\"n\":1},{\"id\":\"b\"}]},\"any\":null,\"x\":[1]}";

static const char shop_tools[] =
    "[{\"name\":\"put\",\"description\":\"Creates an "
    "order.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"k\":{\"type\":\"string\"},\"v\":{}},\"required\":[\"k\"]},\"outputSchema\":{\"type\":"
    "\"object\","
    "\"properties\":{\"id\":{\"type\":\"string\"},\"k\":{\"type\":\"string\"}},\"required\":["
    "\"id\"]}},"
    "{\"name\":\"show\",\"description\":\"Gets an "
    "order.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"k\":{\"type\":\"string\"}},\"required\":[\"k\"]},\"outputSchema\":{\"type\":\"object\","
    "\"properties\":{"
    "\"id\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"}},\"required\":[\"id\"]}},"
    "{\"name\":\"drop\",\"description\":\"Deletes an "
    "order.\",\"inputSchema\":{\"type\":\"object\"}},"
    "{\"name\":\"list_orders\",\"description\":\"Lists "
    "orders.\",\"inputSchema\":{\"type\":\"object\"},"
    "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"orders\":{\"type\":\"array\","
    "\"items\":{\"type\":\"object\","
    "\"properties\":{\"id\":{\"type\":\"string\"}},\"required\":[\"id\"]}}}}}]";

static const char shop_recorded[] =
    "[{\"name\":\"show\",\"arguments\":{\"k\":\"a\"},\"result\":\"{\\\"id\\\":\\\"a\\\",\\\"n\\\":"
    "7}\"},"
    "{\"name\":\"show\",\"arguments\":{\"k\":\"a\"},\"result\":{\"id\":\"a\",\"n\":8}},"
    "{\"name\":\"show\",\"arguments\":{\"k\":\"z\"},\"result\":\"no such order\",\"error\":true}]";

typedef struct house {
    lg_arena arena;
    lg_pack *pack;
    lg_sim *sims[2];
} house;

static const lg_json *parse(lg_arena *arena, lg_str text)
{
    const lg_json *value = NULL;
    bool fine = lg_json_parse_in(arena, text, 0, text.len, NULL, &value, NULL) == LG_OK;
    return fine ? value : NULL;
}

static house *open_house(void)
{
    static house h;
    lg_errors errors;
    lg_error error;
    const lg_catalogue *tools;
    lg_sim_options options = {
        .session_bytes = (size_t)1 << 20, .history_calls = 4, .snapshots = 6, .entities = 10};
    lg_arena_init(&h.arena, 0);
    lg_errors_init(&errors, &h.arena, 3);
    drive_require(lg_pack_load_text(lg_str_c(shop_pack), "shop", NULL, &h.pack, &error, 1, NULL) ==
                  LG_OK);
    drive_require(lg_catalogue_read(&h.arena, lg_str_c(shop_tools), NULL, &tools, NULL) == LG_OK);
    options.pack = h.pack;
    drive_require(lg_sim_new(&options, &h.sims[0], &errors) == LG_OK);
    options.pack = NULL;
    options.catalogue = tools;
    drive_require(lg_sim_new(&options, &h.sims[1], &errors) == LG_OK);
    lg_world_file file = {.value = parse(&h.arena, lg_str_c(shop_state)), .name = "state"};
    drive_require(lg_sim_add_state(h.sims[0], &file, LG_STR(""), &errors) == LG_OK);
    for (int i = 0; i < 2; i++) {
        drive_require(lg_sim_add_recorded(h.sims[i], parse(&h.arena, lg_str_c(shop_recorded)),
                                          NULL) == LG_OK);
    }
    return &h;
}

// --- Looking ------------------------------------------------------------------------------------

typedef struct hash {
    char text[65];
} hash;

static hash hash_of(lg_sim_session *session)
{
    hash h;
    drive_require(lg_sim_state_hash(session, h.text, NULL) == LG_OK);
    return h;
}

static bool is_same(hash a, hash b)
{
    return strcmp(a.text, b.text) == 0;
}

static void check_history(lg_sim_session *session)
{
    size_t count = lg_sim_history_count(session);
    uint64_t number = lg_sim_history_dropped(session);
    drive_require(count <= 4);
    for (size_t i = 0; i < count; i++) {
        drive_require(lg_sim_history_at(session, i).number == ++number);
    }
}

// What an answer says, as one text.
// A ledger that is full has no verdict any more; a session and its forks share the room.
static bool is_judged(const lg_sim_answer *a)
{
    for (size_t i = 0; i < a->violation_count; i++) {
        if (lg_str_eq(a->violations[i].kind, LG_STR("gate"))) {
            return false;
        }
    }
    return true;
}

static lg_str words_of(lg_arena *arena, const lg_sim_answer *a, bool rules)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_addf(&text, "%s %s ", lg_sim_end_name(a->end), lg_sim_source_name(a->source));
    lg_buf_add(&text, a->text);
    lg_buf_add(&text, a->error);
    lg_buf_add(&text, a->note);
    for (size_t i = 0; rules && i < a->violation_count; i++) {
        drive_require(a->violations[i].rule.len && a->violations[i].message.len);
        lg_buf_add(&text, a->violations[i].rule);
        lg_buf_add(&text, a->violations[i].path);
        lg_buf_add(&text, a->violations[i].message);
    }
    if (a->result) {
        lg_json_print(&text, a->result);
    }
    lg_str copy = lg_arena_str(arena, lg_buf_str(&text));
    drive_check_text(copy);
    drive_require(lg_sim_is_error(a) == (a->error.len > 0));
    lg_buf_done(&text);
    return copy;
}

// --- Doing --------------------------------------------------------------------------------------

static bool changes_nothing(lg_sim_end end)
{
    return end == LG_SIM_BAD_ARGUMENTS || end == LG_SIM_UNKNOWN_TOOL || end == LG_SIM_FAULT;
}

static void make_call(lg_sim_session *session, lg_arena *arena, const lg_json *json)
{
    lg_sim_call call = {
        .tool = lg_json_str(lg_json_get(json, LG_STR("name"))),
        .args = lg_json_get(json, LG_STR("arguments")),
        .args_text = LG_STR(""),
        .by_user = lg_str_eq(lg_json_str(lg_json_get(json, LG_STR("requestor"))), LG_STR("user"))};
    lg_sim_session *fork;
    lg_sim_answer answer;
    hash before = hash_of(session);
    drive_require(lg_sim_fork(session, &fork, NULL) == LG_OK);
    lg_status status = lg_sim_validate(session, &call, NULL, &answer, NULL);
    drive_require(status == LG_OK || status == LG_ERR_LIMIT);
    lg_sim_end valid = status == LG_OK ? answer.end : LG_SIM_DONE;
    drive_require(is_same(before, hash_of(session)));
    status = lg_sim_call_tool(session, &call, NULL, &answer, NULL);
    lg_sim_end end = answer.end;
    if (status != LG_OK) {
        drive_require(status == LG_ERR_LIMIT && is_same(before, hash_of(session)));
        lg_sim_session_free(fork);
        return;
    }
    bool judged = is_judged(&answer);
    lg_str first = words_of(arena, &answer, false);
    lg_str first_rules = words_of(arena, &answer, true);
    drive_require(valid == LG_SIM_DONE || valid == end);
    drive_require(!changes_nothing(end) || is_same(before, hash_of(session)));
    drive_require(lg_sim_history_at(session, lg_sim_history_count(session) - 1).number ==
                  answer.number);
    if (lg_sim_call_tool(fork, &call, NULL, &answer, NULL) == LG_OK) {
        judged = judged && is_judged(&answer);
        drive_require(lg_str_eq(first, words_of(arena, &answer, false)));
        drive_require(!judged || lg_str_eq(first_rules, words_of(arena, &answer, true)));
        drive_require(is_same(hash_of(fork), hash_of(session)));
    }
    lg_sim_session_free(fork);
}

typedef struct going {
    lg_sim_session *session;
    hash taken[7]; // by snapshot; 0: the beginning
} going;

static void look_at_differences(going *g, lg_arena *arena, uint64_t number)
{
    lg_world_differences found = {.arena = arena, .limit = 3};
    if (lg_sim_diff(g->session, number, &found, NULL) == LG_OK) {
        drive_require((found.total == 0) || !is_same(g->taken[number], hash_of(g->session)));
    }
    (void)!lg_sim_diff_of_call(g->session, number, &found, NULL);
}

static void go(going *g, lg_arena *arena, lg_str what, int64_t number)
{
    uint64_t taken = 0;
    lg_sim_session *fork = NULL;
    uint64_t n = number >= 0 ? (uint64_t)number : UINT64_MAX;
    if (lg_str_eq(what, LG_STR("snapshot")) && lg_sim_snapshot(g->session, &taken, NULL) == LG_OK) {
        drive_require(taken >= 1 && taken <= 6);
        g->taken[taken] = hash_of(g->session);
    } else if (lg_str_eq(what, LG_STR("fork"))) {
        drive_require(lg_sim_fork(g->session, &fork, NULL) == LG_OK);
        drive_require(is_same(hash_of(fork), hash_of(g->session)));
        lg_sim_session_free(g->session);
        g->session = fork;
    } else if (lg_str_eq(what, LG_STR("restore"))) {
        bool there = n <= lg_sim_snapshot_count(g->session);
        drive_require((lg_sim_restore(g->session, n, NULL) == LG_OK) == there);
        drive_require(!there || is_same(g->taken[n], hash_of(g->session)));
    } else if (lg_str_eq(what, LG_STR("reset"))) {
        drive_require(lg_sim_reset(g->session, NULL) == LG_OK);
        drive_require(is_same(g->taken[0], hash_of(g->session)));
    } else if (lg_str_eq(what, LG_STR("diff"))) {
        look_at_differences(g, arena, n);
    }
}

static void run_lines(const lg_sim *sim, lg_arena *arena, lg_str text)
{
    going g = {0};
    lg_sim_begin begin = {.seed = text.len};
    drive_require(lg_sim_session_new(sim, &begin, &g.session, NULL) == LG_OK);
    g.taken[0] = hash_of(g.session);
    for (size_t from = 0; from < text.len;) {
        const lg_json *line = parse(arena, drive_next_line(text, &from));
        int64_t number = 0;
        (void)lg_json_int(lg_json_get(line, LG_STR("number")), &number);
        lg_str what = lg_json_str(lg_json_get(line, LG_STR("do")));
        if (what.len) {
            go(&g, arena, what, number);
        } else if (line) {
            make_call(g.session, arena, line);
        }
        check_history(g.session);
    }
    lg_sim_session_free(g.session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static house *h;
    h = h ? h : open_house();
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_str text = lg_arena_str(&arena, (lg_str){(const char *)data, size});
    run_lines(h->sims[0], &arena, text);
    run_lines(h->sims[1], &arena, text);
    lg_arena_done(&arena);
    return 0;
}
