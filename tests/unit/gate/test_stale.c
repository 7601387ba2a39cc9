// test_stale.c: rules that use stale records, and rules that want them read again.
#include "gate_fixture.h"

// `part` changes one field of an order, `act` all of it, `user_part` the user's name.
#define TOOLS                                                                                      \
    "  part: {kind: write, parameters: {type: object, properties: {id: {type: string}}},"          \
    " effects: [{set: 'orders[args.id].status', to: \"'x'\"}]}\n"                                  \
    "  tap: {kind: write, requestor: user, parameters: {type: object}, effects: [{set: user.name," \
    " to: \"'x'\"}]}\n"

typedef struct stale_case {
    const char *what;
    const char *before; // carried out after all was read
    bool by_user;
    const char *rule; // body
    const char *want;
    const char *message; // of the finding, or empty
} stale_case;

#define ORDER "let: {o: 'ledger.orders[args.id]'}, say: 'It is {o.status}.', "
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
     ORDER "stale: reread, that: o.total == 10.0 || o.status == 'open'", "revise: a stale",
     "ledger.orders[\"1\"].status" AGAIN},
    {"a record that was not come to", "part", false,
     ORDER "stale: reread, that: \"ledger.user.name == 'Ada' || o.status == 'open'\"",
     "revise: a stale", "ledger.orders[\"1\"].status" AGAIN},
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
        lg_ledger_call before = {.tool = lg_str_c(c->before),
                                 .args = fixture_json(&d.arena, "{\"id\": \"1\"}"),
                                 .by_user = c->by_user,
                                 .has_turn = true,
                                 .turn = 3};
        desk_observe_call(&d, &before);
        const lg_decision *decision = desk_decide(&d, "act", "{\"id\": \"1\", \"sku\": \"9\"}");
        CHECK_STR(desk_describe(&d, decision), c->want);
        if (c->message[0] && decision->finding_count) {
            CHECK_STR(decision->findings[0].message, c->message);
        }
        bool stale = strstr(c->want, "stale") != NULL;
        CHECK_MSG(!stale || decision->category == LG_CATEGORY_STATE, c->what);
        CHECK_MSG(!stale || decision->findings[0].missing_count == 1, c->what);
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
