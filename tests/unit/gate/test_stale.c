// test_stale.c: rules that use stale records, and rules that want them read again.
#include "gate_fixture.h"

// `part` changes one field of an order, `act` all of it, `tap` the user's name; `mark` a field of the card that the
// call names, `open` makes another card, `some` changes one that nobody knows.
#define TOOLS                                                                                      \
    "  part: {kind: write, parameters: {type: object, properties: {id: {type: string}}},"          \
    " effects: [{set: 'orders[args.id].status', to: \"'x'\"}]}\n"                                  \
    "  tap: {kind: write, requestor: user, parameters: {type: object}, effects: [{set: user.name," \
    " to: \"'x'\"}]}\n"                                                                            \
    "  mark: {kind: write, parameters: {type: object, properties: {card: {type: string}}},"        \
    " effects: [{set: 'user.cards[args.card].kind', to: \"'x'\"}]}\n"                              \
    "  open: {kind: write, parameters: {type: object},"                                            \
    " effects: [{set: \"user.cards['n1']\", to: \"{'kind': 'x'}\"}]}\n"                            \
    "  some: {kind: write, parameters: {type: object, properties: {sku: {type: string}}},"         \
    " effects: [{set: 'user.cards[state.orders[args.sku].id].kind', to: \"'x'\"}]}\n"

typedef struct stale_case {
    const char *what;
    const char *before; // carried out after all was read
    bool by_user;
    const char *rule; // body
    const char *want;
    const char *message; // of the finding, or empty
} stale_case;

#define ORDER "let: {o: 'ledger.orders[args.id]'}, say: 'It is {o.status}.', "
#define USER "let: {u: ledger.user}, stale: reread, say: x, "
#define AGAIN " may have changed since it was read (part at turn 3)."

static const stale_case cases[] = {
    {"nothing was changed", "think", false, ORDER "stale: reread, that: o.status == 'open'",
     "allow", ""},
    {"used, and it passes", "part", false, ORDER "stale: use, that: o.status == 'open'", "allow",
     ""},
    {"use is what is done without a word", "part", false, ORDER "that: o.status == 'open'", "allow",
     ""},
    {"used, and it fails", "part", false, ORDER "stale: use, that: o.status == 'shut'",
     "revise: a violated", "It is open."},
    {"read again, though it would pass", "part", false,
     ORDER "stale: reread, that: o.status == 'open'", "revise: a stale",
     "ledger.orders[\"1\"].status" AGAIN},
    {"read again, before it blocks", "part", false,
     ORDER "stale: reread, otherwise: block, that: o.status == 'shut'", "revise: a stale",
     "ledger.orders[\"1\"].status" AGAIN},
    {"a `when` decides, too", "part", false,
     ORDER "stale: reread, when: o.status == 'shut', that: 'false'", "revise: a stale",
     "ledger.orders[\"1\"].status" AGAIN},
    {"another part of the record", "part", false, ORDER "stale: reread, that: o.total == 10.0",
     "allow", ""},
    {"the record as a whole", "part", false, ORDER "stale: reread, that: size(o) > 0",
     "revise: a stale", "ledger.orders[\"1\"].status" AGAIN},
    {"all of the record may have changed", "act", false,
     ORDER "stale: reread, that: o.total == 10.0", "revise: a stale",
     "ledger.orders[\"1\"] may have changed since it was read (act at turn 3)."},
    {"a part that was not come to", "part", false,
     ORDER "stale: reread, that: o.total == 10.0 || o.status == 'open'", "allow", ""},
    {"a part that was come to, though something else decides", "part", false,
     ORDER "stale: reread, that: o.status == 'shut' || o.total == 10.0", "revise: a stale",
     "ledger.orders[\"1\"].status" AGAIN},
    {"the argument that lacks is not in the stale part", "part", false,
     ORDER "stale: reread, otherwise: block, that: \"o.total > 1.0 && "
           "ledger.orders[args.size].status == 'open'\"",
     "block: a arguments block", ""},
    {"another key", "mark", false, USER "that: \"u.cards['c1'].kind == 'card'\"", "allow", ""},
    {"the same key", "mark", false, USER "that: \"u.cards['g1'].kind == 'gift'\"",
     "revise: a stale", ""},
    {"the same key, computed", "mark", false, USER "that: \"u.cards[args.card].kind == 'gift'\"",
     "revise: a stale", ""},
    {"is there such a key", "mark", false, USER "that: \"'g1' in u.cards\"", "allow", ""},
    {"all keys, up to it", "mark", false,
     USER "that: \"u.cards.exists(c, u.cards[c].kind == 'gift')\"", "revise: a stale", ""},
    {"all keys, up to another", "mark", false,
     USER "that: \"u.cards.exists(c, u.cards[c].kind == 'card')\"", "allow", ""},
    {"as optionals", "mark", false,
     USER "that: \"u.?cards[?args.card].?kind.orValue('') == 'gift'\"", "revise: a stale", ""},
    {"as optionals, another key", "mark", false,
     USER "that: \"u.?cards[?'c1'].?kind.orValue('') == 'card'\"", "allow", ""},
    {"all that lies above the key", "mark", false, USER "that: u.cards == u.cards",
     "revise: a stale", ""},
    {"another key than a new one", "open", false, USER "that: \"u.cards['c1'].kind == 'card'\"",
     "allow", ""},
    {"is there the new one", "open", false, USER "that: \"!('n1' in u.cards)\"", "revise: a stale",
     ""},
    {"the new one as an optional", "open", false, USER "that: \"!u.cards[?'n1'].hasValue()\"",
     "revise: a stale", ""},
    {"all keys, and the new one", "open", false, USER "that: \"u.cards.all(c, c in ['c1', 'g1'])\"",
     "revise: a stale", ""},
    {"how many", "open", false, USER "that: size(u.cards) == 2", "revise: a stale", ""},
    {"a binding that has no value and is not used", "open", false,
     "let: {x: \"ledger.user.cards['n1'].kind\"}, stale: reread, say: x, that: 'false'",
     "revise: a stale", ""},
    {"a key that is not known may be any", "some", false,
     USER "that: \"u.cards['c1'].kind == 'card'\"", "revise: a stale", ""},
    {"though not where no card was looked up", "some", false, USER "that: u.name == 'Ada'", "allow",
     ""},
    {"a record of which nothing was come to", "part", false,
     ORDER "stale: reread, that: \"ledger.user.name == 'Ada' || o.status == 'open'\"", "allow", ""},
    {"a record that is not named before it is needed", "part", false,
     "stale: reread, say: x, that: \"ledger.user.name == 'Ada' || ledger.orders[args.id].status == "
     "'open'\"",
     "allow", ""},
    {"the customer has changed it", "tap", true,
     "stale: reread, say: x, that: \"ledger.user.name == 'Ada'\"", "revise: a stale",
     "ledger.user.name may have changed since it was read (tap at turn 3)."},
    {"the customer has changed something else", "tap", true,
     ORDER "stale: reread, that: o.status == 'open'", "allow", ""},
    {"what is missing elsewhere is missing", "part", false,
     ORDER "stale: reread, needs: ['ledger.orders[args.sku]'], that: \"o.status == 'open' && "
           "ledger.orders[args.sku].total > 0.0\"",
     "revise: a missing", ""},
};

static void rules_and_stale_records(void)
{
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        const stale_case *c = &cases[i];
        lg_arena arena;
        lg_arena_init(&arena, 0);
        desk d;
        desk_open(&d,
                  lg_arena_printf(&arena, TOOLS "rules:\n  a: {tools: [act], %s}\n", c->rule).ptr);
        desk_fill(&d);
        lg_ledger_call before = {
            .tool = lg_str_c(c->before),
            .args = fixture_json(&d.arena, "{\"id\": \"1\", \"card\": \"g1\", \"sku\": \"9\"}"),
            .by_user = c->by_user,
            .has_turn = true,
            .turn = 3};
        desk_observe_call(&d, &before);
        const lg_decision *decision =
            desk_decide(&d, "act", "{\"id\": \"1\", \"sku\": \"9\", \"card\": \"g1\"}");
        CHECK_STR(desk_describe(&d, decision), c->want);
        if (c->message[0] && decision->finding_count) {
            CHECK_STR(decision->findings[0].message, c->message);
        }
        bool stale = strstr(c->want, "stale") != NULL;
        CHECK_MSG(!stale || decision->category == LG_CATEGORY_STATE, c->what);
        CHECK_MSG(!stale || (decision->finding_count && decision->findings[0].missing_count == 1),
                  c->what);
        desk_close(&d);
        lg_arena_done(&arena);
    }
}

static void what_was_read_again_counts(void)
{
    desk d;
    desk_open(&d, TOOLS "stale: reread\nrules:\n  a: {tools: [act], " ORDER
                        "that: o.status == 'open'}\n");
    desk_fill(&d);
    desk_observe(&d, "part", "{\"id\": \"1\"}", "", 3);
    CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "{\"id\": \"1\"}")), "revise: a stale");
    desk_observe(&d, "get_order", "{\"id\": \"1\"}", "{\"status\": \"open\"}", 4);
    CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "{\"id\": \"1\"}")), "allow");
    desk_close(&d);
}

static void every_refusal_has_a_category(void)
{
    static const struct {
        const char *rule, *args, *category;
    } all[] = {
        {"that: 'false', say: x", "{}", "entity"},
        {"that: 'false', say: x, category: format", "{}", "format"},
        {"that: 'false', say: x, category: state", "{}", "state"},
        {"that: \"ledger.orders['9'].total > 0.0\", needs: [\"ledger.orders['9']\"], say: x", "{}",
         "state"},
        {"that: 1 / 0 == 1, say: x", "{}", "format"},
        {"that: 'true', say: x", "{\"amount\": 2000}", "format"},
        // The first of the most severe findings.
        {"that: 'false', say: x, otherwise: block", "{\"amount\": 2000}", "entity"},
        {"that: 'true', say: x", "{}", "none"},
    };
    for (size_t i = 0; i < LG_COUNT(all); i++) {
        lg_arena arena;
        lg_arena_init(&arena, 0);
        desk d;
        desk_open(&d,
                  lg_arena_printf(&arena, "rules:\n  a: {tools: [act], %s}\n", all[i].rule).ptr);
        const lg_decision *decision = desk_decide(&d, "act", all[i].args);
        CHECK_STR(lg_str_c(lg_category_name(decision->category)), all[i].category);
        desk_close(&d);
        lg_arena_done(&arena);
    }
    desk d;
    desk_open(&d, "rules: {}\n");
    CHECK(desk_decide(&d, "nobody", "{}")->category == LG_CATEGORY_ENTITY);
    desk_close(&d);
}

int main(void)
{
    RUN(rules_and_stale_records);
    RUN(what_was_read_again_counts);
    RUN(every_refusal_has_a_category);
    return lg_test_done();
}
