// test_explain.c: what a decision is based on, what would pass, and how it is said.
#include "gate_fixture.h"

#include "base/utf8.h"

// --- Evidence -------------------------------------------------------------------------------------

// One line a piece of evidence: path = value [tool turn stale-tool].
static lg_str evidence_text(desk *d, const lg_evidence *items, size_t count)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < count; i++) {
        const lg_evidence *e = &items[i];
        lg_buf_addf(&text, "%.*s = %.*s", LG_FMT(e->path), LG_FMT(e->value));
        if (e->tool.len) {
            lg_buf_addf(&text, " [%.*s %u%s%.*s%s]", LG_FMT(e->tool), e->turn, e->stale ? " " : "",
                        LG_FMT(e->stale_tool), e->observed ? "" : " absent");
        }
        lg_buf_add_c(&text, "\n");
    }
    lg_str copy = lg_arena_str(&d->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return copy;
}

typedef struct evidence_case {
    const char *that;
    const char *args;
    const char *want;
} evidence_case;

static const evidence_case evidence[] = {
    {"ledger.orders[args.id].status == 'shut'", "{\"id\": \"1\"}",
     "args.id = \"1\"\n"
     "ledger.orders[\"1\"].status = \"open\" [get_order 1]\n"},
    // Once each, however often it was read.
    {"ledger.user.name == 'Bea' || ledger.user.name == 'Cid'", "{}",
     "ledger.user.name = \"Ada\" [get_user 2]\n"},
    {"ledger.user.name == 'Bea' && args.amount > 1.0", "{\"amount\": 1.5}",
     "ledger.user.name = \"Ada\" [get_user 2]\n"},
    // What was looked for and is not there.
    {"has(ledger.user.cards.c7)", "{}", "ledger.user.cards.c7 = absent [get_user 2 absent]\n"},
    {"'9' in ledger.orders", "{}", "ledger.orders[\"9\"] = absent\n"},
    {"has(args.amount)", "{}", "args.amount = absent\n"},
    // Elements of a list by their place.
    {"ledger.orders['1'].items.exists(i, i == 'c')", "{}",
     "ledger.orders[\"1\"].items[0] = \"a\" [get_order 1]\n"
     "ledger.orders[\"1\"].items[1] = \"b\" [get_order 1]\n"},
    // Null is a value.
    {"ledger.orders['1'].note != null", "{}", "ledger.orders[\"1\"].note = null [get_order 1]\n"},
    // A whole record, where nothing went further.
    {"ledger.user.cards.c1 == ledger.user.cards.g1", "{}",
     "ledger.user.cards.c1 = {\"kind\":\"card\"} [get_user 2]\n"
     "ledger.user.cards.g1 = {\"kind\":\"gift\"} [get_user 2]\n"},
    {"1 == 2", "{}", ""},
};

static void evidence_is_what_the_rule_read(void)
{
    for (size_t i = 0; i < LG_COUNT(evidence); i++) {
        desk d;
        lg_arena arena;
        lg_arena_init(&arena, 0);
        lg_str rest = lg_arena_printf(&arena, "rules:\n  a: {tools: [act], that: \"%s\", say: x}\n",
                                      evidence[i].that);
        desk_open(&d, rest.ptr);
        desk_fill(&d);
        const lg_decision *decision = desk_decide(&d, "act", evidence[i].args);
        CHECK_STR(desk_describe(&d, decision), "revise: a violated");
        const lg_finding *finding = &decision->findings[0];
        CHECK_STR(evidence_text(&d, finding->evidence, finding->evidence_count), evidence[i].want);
        CHECK_STR(evidence_text(&d, decision->evidence, decision->evidence_count),
                  evidence[i].want);
        CHECK(decision->evidence_left_out == 0);
        desk_close(&d);
        lg_arena_done(&arena);
    }
}

static void each_finding_has_its_own_evidence(void)
{
    desk d;
    desk_open(&d, "rules:\n"
                  "  a: {tools: [act], that: \"ledger.user.name == 'Bea'\", say: x}\n"
                  "  b: {tools: [act], that: \"ledger.orders['1'].total == 10.0\", say: x}\n"
                  "  c: {tools: [act], that: \"ledger.orders['1'].total == 11.0\", say: x}\n");
    desk_fill(&d);
    const lg_decision *decision = desk_decide(&d, "act", "{}");
    CHECK_STR(desk_describe(&d, decision), "revise: a violated, c violated");
    CHECK_STR(evidence_text(&d, decision->findings[0].evidence, 1),
              "ledger.user.name = \"Ada\" [get_user 2]\n");
    CHECK_STR(
        evidence_text(&d, decision->findings[1].evidence, decision->findings[1].evidence_count),
        "ledger.orders[\"1\"].total = 10 [get_order 1]\n");
    CHECK_STR(evidence_text(&d, decision->evidence, decision->evidence_count),
              "ledger.user.name = \"Ada\" [get_user 2]\n"
              "ledger.orders[\"1\"].total = 10 [get_order 1]\n");
    desk_close(&d);
}

static void an_allowed_call_has_evidence_too(void)
{
    desk d;
    desk_open(&d, "rules:\n  a: {tools: [act], that: \"ledger.user.name == 'Ada'\", say: x}\n");
    desk_fill(&d);
    const lg_decision *decision = desk_decide(&d, "act", "{}");
    CHECK(decision->verdict == LG_ALLOW && decision->finding_count == 0);
    CHECK_STR(evidence_text(&d, decision->evidence, decision->evidence_count),
              "ledger.user.name = \"Ada\" [get_user 2]\n");
    desk_close(&d);
}

static void evidence_says_that_it_is_stale(void)
{
    desk d;
    desk_open(&d,
              "rules:\n  a: {tools: [act], that: \"ledger.orders['1'].status == 'x'\", say: x}\n");
    desk_fill(&d);
    desk_observe(&d, "act", "{\"id\": \"1\"}", "done", 5);
    const lg_decision *decision = desk_decide(&d, "act", "{}");
    CHECK_STR(evidence_text(&d, decision->evidence, decision->evidence_count),
              "ledger.orders[\"1\"].status = \"open\" [get_order 1 act]\n");
    desk_observe(&d, "get_order", "{\"id\": \"1\"}", "{\"status\": \"shut\"}", 6);
    decision = desk_decide(&d, "act", "{}");
    CHECK_STR(evidence_text(&d, decision->evidence, decision->evidence_count),
              "ledger.orders[\"1\"].status = \"shut\" [get_order 6]\n");
    desk_close(&d);
}

static void long_values_are_cut_between_characters(void)
{
    for (size_t shift = 0; shift < 4; shift++) {
        desk d;
        desk_open(&d, "rules:\n  a: {tools: [act], that: \"args.id == ''\", say: x}\n");
        lg_buf args;
        lg_buf_init(&args, 0);
        lg_buf_add_c(&args, "{\"id\": \"");
        lg_buf_add_repeat(&args, 'x', shift);
        for (int i = 0; i < 100; i++) {
            lg_buf_add_c(&args, "\xf0\x9f\x8d\xb0");
        }
        lg_buf_add(&args, lg_str_of("\"}", 3));
        const lg_decision *decision = desk_decide(&d, "act", args.ptr);
        CHECK(decision->evidence_count == 1);
        lg_str value = decision->evidence[0].value;
        CHECK(value.len <= LG_EVIDENCE_BYTES_MAX && value.len > LG_EVIDENCE_BYTES_MAX - 8);
        CHECK(lg_str_ends(value, LG_STR("...")) && lg_utf8_valid_prefix(value) == value.len);
        lg_buf_done(&args);
        desk_close(&d);
    }
}

static void a_value_of_exactly_the_limit_is_whole(void)
{
    desk d;
    desk_open(&d, "rules:\n  a: {tools: [act], that: \"args.id == ''\", say: x}\n");
    char args[300] = "{\"id\": \"";
    memset(args + 8, 'x', LG_EVIDENCE_BYTES_MAX - 2);
    memcpy(args + 8 + LG_EVIDENCE_BYTES_MAX - 2, "\"}", 3);
    lg_str value = desk_decide(&d, "act", args)->evidence[0].value;
    CHECK(value.len == LG_EVIDENCE_BYTES_MAX && lg_str_ends(value, LG_STR("xx\"")));
    memcpy(args + 8 + LG_EVIDENCE_BYTES_MAX - 2, "y\"}", 4);
    value = desk_decide(&d, "act", args)->evidence[0].value;
    CHECK(value.len == LG_EVIDENCE_BYTES_MAX && lg_str_ends(value, LG_STR("xx...")));
    desk_close(&d);
}

static void much_evidence_is_cut_and_counted(void)
{
    desk d;
    desk_open(&d, "rules:\n  a: {tools: [act], that: \"ledger.orders['1'].items.all(i, i == 'x')"
                  "\", say: x}\n");
    lg_buf result;
    lg_buf_init(&result, 0);
    for (int i = 0; i < 100; i++) {
        lg_buf_add_c(&result, i ? ", \"x\"" : "{\"items\": [\"x\"");
    }
    lg_buf_add(&result, lg_str_of(", \"y\"]}", 8));
    desk_observe(&d, "get_order", "{\"id\": \"1\"}", result.ptr, 1);
    const lg_decision *decision = desk_decide(&d, "act", "{}");
    CHECK_STR(desk_describe(&d, decision), "revise: a violated");
    CHECK(decision->evidence_count + decision->evidence_left_out == 101);
    CHECK(decision->evidence_left_out > 0);
    lg_buf_done(&result);
    desk_close(&d);
}

// --- Hints ----------------------------------------------------------------------------------------

typedef struct hint_case {
    const char *rules;
    const char *args;
    const char *hints; // "path=value ", one after the other
} hint_case;

#define CARD "args.card in ledger.user.cards"
#define GIFT "ledger.user.cards[args.card].kind == 'gift'"

#define OFFER "offer: [args.card], say: x"

static const hint_case hints[] = {
    {"a: {tools: [act], that: \"" GIFT "\", " OFFER "}", "{\"card\": \"c1\"}", "args.card=\"g1\" "},
    {"a: {tools: [act], that: \"" CARD "\", " OFFER "}", "{\"card\": \"zz\"}",
     "args.card=\"c1\" args.card=\"g1\" "},
    // What the rule does not offer is the customer's choice.
    {"a: {tools: [act], that: \"" GIFT "\", say: x}", "{\"card\": \"c1\"}", ""},
    {"a: {tools: [act], that: \"" GIFT "\", offer: [args.sku], say: x}", "{\"card\": \"c1\"}", ""},
    {"a: {tools: [act], that: \"args.size != 'small'\", say: x}", "{\"size\": \"small\"}", ""},
    // An item of a list, or a member of one.
    {"a: {tools: [act], that: \"args.parts.all(p, p.sku in ledger.user.cards)\","
     " offer: ['args.parts[].sku'], say: x}",
     "{\"parts\": [{\"sku\": \"c1\"}, {\"sku\": \"zz\"}]}",
     "args.parts[1].sku=\"c1\" args.parts[1].sku=\"g1\" "},
    // The whole call must pass: here no card does.
    {"a: {tools: [act], that: \"" GIFT "\", " OFFER "}\n  b: {tools: [act], that: \"args.card == "
     "'c1'\", say: x}",
     "{\"card\": \"c1\"}", ""},
    {"a: {tools: [act], that: \"" GIFT "\", " OFFER "}\n  b: {tools: [act], that: 'false', say: x}",
     "{\"card\": \"c1\"}", ""},
    // What is ruled out gets no advice.
    {"a: {tools: [act], that: \"" GIFT "\", otherwise: block, " OFFER "}", "{\"card\": \"c1\"}",
     ""},
    {"a: {tools: [act], that: \"" GIFT "\", " OFFER
     "}\n  b: {tools: [act], that: 'false', otherwise:"
     " block, say: x}",
     "{\"card\": \"c1\"}", ""},
    // A value that the rule compared it with.
    {"a: {tools: [act], that: \"args.amount == ledger.orders['1'].total\", offer: [args.amount], "
     "say:"
     " x}",
     "{\"amount\": 9}", "args.amount=10 "},
    // A key of another record would pass, but it is not what was asked for.
    {"a: {tools: [act], that: \"args.id in ledger.orders\", offer: [args.id], say: x}",
     "{\"id\": \"2\"}", ""},
    // Nothing to try.
    {"a: {tools: [act], that: 'false', say: x}", "{\"card\": \"c1\"}", ""},
    {"a: {tools: [act], that: \"" GIFT "\", " OFFER "}", "{\"card\": \"g1\"}", ""},
    {"a: {tools: [act], that: \"" GIFT "\", needs: [ledger.user], " OFFER "}", "{\"card\": \"zz\"}",
     ""},
};

static void hints_are_values_with_which_the_whole_call_passes(void)
{
    for (size_t i = 0; i < LG_COUNT(hints); i++) {
        desk d;
        lg_arena arena;
        lg_arena_init(&arena, 0);
        lg_str rest = lg_arena_printf(&arena, "rules:\n  %s\n", hints[i].rules);
        desk_open(&d, rest.ptr);
        desk_fill(&d);
        const lg_decision *decision = desk_decide(&d, "act", hints[i].args);
        lg_buf text;
        lg_buf_init(&text, 0);
        for (size_t h = 0; h < decision->hint_count; h++) {
            lg_buf_addf(&text, "%.*s=%.*s ", LG_FMT(decision->hints[h].path),
                        LG_FMT(decision->hints[h].value));
        }
        if (!lg_str_eq(lg_buf_str(&text), lg_str_c(hints[i].hints))) {
            printf("%s\n", hints[i].rules);
        }
        CHECK_STR(lg_buf_str(&text), hints[i].hints);
        lg_buf_done(&text);
        desk_close(&d);
        lg_arena_done(&arena);
    }
}

// An object of many members is held in another way once one of them was replaced.
static void hints_reach_into_large_arguments(void)
{
    desk d;
    lg_buf args;
    lg_buf_init(&args, 0);
    lg_buf_add_c(&args, "{\"form\": {");
    for (unsigned i = 1; i <= 60; i++) {
        lg_buf_addf(&args, "%s\"k%u\": \"v%u\"", i > 1 ? ", " : "", i, i);
    }
    lg_buf_add_c(&args, "}}");
    desk_open(&d, "  send:\n"
                  "    kind: write\n"
                  "    parameters:\n"
                  "      type: object\n"
                  "      properties:\n"
                  "        form: {type: object, additionalProperties: {type: string}}\n"
                  "    effects: []\n"
                  "rules:\n"
                  "  signed:\n"
                  "    tools: [send]\n"
                  "    that: args.form.k40 == ledger.user.name && args.form.k60 == 'v60'\n"
                  "    otherwise: revise\n"
                  "    offer: [args.form.k40]\n"
                  "    say: no\n");
    desk_fill(&d);
    lg_str text = lg_arena_str(&d.arena, lg_buf_str(&args));
    const lg_decision *decision = desk_decide(&d, "send", text.ptr);
    CHECK_STR(desk_describe(&d, decision), "revise: signed violated");
    if (CHECK(decision->hint_count == 1)) {
        CHECK_STR(decision->hints[0].path, "args.form.k40");
        CHECK_STR(decision->hints[0].value, "\"Ada\"");
    }
    desk_close(&d);
    lg_buf_done(&args);
}

// The law: whoever follows a hint is allowed.
static void a_hint_that_is_followed_passes(void)
{
    desk d;
    desk_open(&d, "rules:\n  a: {tools: [act], that: \"" GIFT "\", " OFFER "}\n");
    desk_fill(&d);
    const lg_decision *decision = desk_decide(&d, "act", "{\"card\": \"c1\", \"id\": \"1\"}");
    if (CHECK(decision->hint_count == 1)) {
        lg_str args = lg_arena_printf(&d.arena, "{\"card\": %.*s, \"id\": \"1\"}",
                                      LG_FMT(decision->hints[0].value));
        CHECK(desk_decide(&d, "act", args.ptr)->verdict == LG_ALLOW);
    }
    desk_close(&d);
}

// --- Messages -------------------------------------------------------------------------------------

#define TEN "0123456789"

typedef struct message_case {
    const char *rules;
    const char *args;
    const char *message;
} message_case;

static const message_case messages[] = {
    {"a:\n    tools: [act]\n    let: {o: 'ledger.orders[args.id]'}\n"
     "    that: o.status == 'shut'\n"
     "    say: \"Order {args.id} is '{o.status}', not shut; {{total}} {o.total}, {o.items}\"\n"
     "    because: 'Open orders stay'\n    otherwise: block",
     "{\"id\": \"1\"}",
     "act was not carried out (block).\n"
     "- a: Order 1 is 'open', not shut; {total} 10, [\"a\",\"b\"] [Open orders stay]\n"
     "What was observed rules this call out: do not make it again unless that has changed."},
    {"a: {tools: [act], that: \"ledger.orders['7'].total > 1.0\", needs: ['ledger.orders'],"
     " say: x}\n"
     "  b: {tools: [act], that: \"" GIFT "\", say: 'No gift card: {args.card}'}",
     "{\"card\": \"c1\"}",
     "act was not carried out (revise).\n"
     "- a: Evidence is missing: no tool has returned ledger.orders[\"7\"] yet.\n"
     "- b: No gift card: c1\n"
     "Call get_order(id: \"7\") first, then try again."},
    {"a: {tools: [act], that: \"" GIFT "\", offer: [args.card], say: 'No gift card: {args.card}'}",
     "{\"card\": \"c1\"}",
     "act was not carried out (revise).\n"
     "- a: No gift card: c1\n"
     "The rules would pass with args.card = \"g1\", if that is what is wanted."},
    {"a: {tools: [act], that: \"" CARD "\", offer: [args.card], say: 'No such card'}",
     "{\"card\": \"zz\"}",
     "act was not carried out (revise).\n"
     "- a: No such card\n"
     "The rules would pass with args.card = \"c1\" or \"g1\", if that is what is wanted."},
    // Each read once, and what is said twice in one line, with each policy once.
    {"a: {tools: [act], that: \"ledger.orders['7'].total > 1.0\", needs: [\"ledger.orders['7']\","
     " \"ledger.lines['1']['2']\"], because: p, say: x}\n"
     "  b: {tools: [act], that: \"ledger.lines['1']['2'] > 1.0\", needs: ['ledger.orders'],"
     " because: q, say: x}\n"
     "  c: {tools: [act], that: \"ledger.lines['1']['2'] > 2.0\", needs: ['ledger.orders'],"
     " because: q, say: x}",
     "{}",
     "act was not carried out (revise).\n"
     "- a: Evidence is missing: no tool has returned ledger.orders[\"7\"] and ledger.lines[\"1\"] "
     "yet. [p]\n"
     "- b, c: Evidence is missing: no tool has returned ledger.lines[\"1\"] yet. [q]\n"
     "Call get_order(id: \"7\") and get_line(order: \"1\") first, then try again."},
    // `show` is for the words alone: what fails there, or is empty, takes its sentence with it.
    {"a:\n    tools: [act]\n    that: 'false'\n"
     "    show: {half: 'args.amount / 2.0', gone: 'ledger.user.cards.zz.kind', none: '[]'}\n"
     "    say: ['No.', 'Half is {half}.', 'It is {gone}.', 'There are {none}.', 'So be it.']",
     "{\"amount\": 3}",
     "act was not carried out (revise).\n"
     "- a: No. Half is 1.5. So be it."},
    {"a: {tools: [act], that: 'false', show: {half: 'args.amount / 2.0'}, say: 'Half is {half}.'}",
     "{}",
     "act was not carried out (revise).\n"
     "- a: Half is (half: not known)."},
    // A rule that stands alone hides what the others have found, and what would pass.
    {"a: {tools: [act], that: \"" CARD "\", offer: [args.card], say: 'Card {args.card}'}\n"
     "  b: {tools: [act], that: \"args.id == '1'\", alone: true, say: 'Not yours'}",
     "{\"card\": \"zz\", \"id\": \"2\"}",
     "act was not carried out (revise).\n"
     "- b: Not yours"},
    {"a: {tools: [act], that: \"" CARD "\", say: 'Card {args.card}'}\n"
     "  b: {tools: [act], that: \"args.id == '1'\", alone: true, say: 'Not yours'}",
     "{\"card\": \"zz\", \"id\": \"1\"}",
     "act was not carried out (revise).\n"
     "- a: Card zz"},
    // So does one that has not the evidence to tell: whose it is, is not known either. What is wrong with the
    // call itself is told; how severe the others are is not.
    {"a: {tools: [act], that: \"ledger.orders['1'].status == 'shut'\", otherwise: block, say: '1 "
     "is "
     "open'}\n"
     "  b: {tools: [act], that: \"ledger.orders['7'].total > 1.0\", needs: ['ledger.orders'], "
     "alone: "
     "true, say: x}",
     "{\"amount\": 2000}",
     "act was not carried out (revise).\n"
     "- arguments: `amount` must be at most 1000; got 2000\n"
     "- b: Evidence is missing: no tool has returned ledger.orders[\"7\"] yet.\n"
     "Call get_order(id: \"7\") first, then try again."},
    // Where one rule blocks for what it knows, no read would help.
    {"a: {tools: [act], that: \"ledger.orders['7'].total > 1.0\", needs: ['ledger.orders'], say: "
     "x}\n"
     "  b: {tools: [act], that: \"ledger.orders['1'].status == 'shut'\", otherwise: block, say: '1 "
     "is "
     "open'}",
     "{}",
     "act was not carried out (block).\n"
     "- a: Evidence is missing: no tool has returned ledger.orders[\"7\"] yet.\n"
     "- b: 1 is open\n"
     "What was observed rules this call out: do not make it again unless that has changed."},
    {"a: {tools: [act], that: \"ledger.orders['7'].total > 1.0\", needs: ['ledger.orders'], "
     "otherwise: "
     "block, say: x}",
     "{}",
     "act was not carried out (revise).\n"
     "- a: Evidence is missing: no tool has returned ledger.orders[\"7\"] yet.\n"
     "Call get_order(id: \"7\") first, then try again."},
    // Ends of lines and what turns the order of letters never reach the reader of a message.
    {"a: {tools: [act], that: 'false', say: 'Card {args.card}'}",
     "{\"card\": \"a\\u2028b\\u202ec\\u2066d\\u200ee\"}",
     "act was not carried out (revise).\n"
     "- a: Card a b?c?d?e"},
    // No read is asked for with a text of which a rule says that it has the wrong form.
    {"a: {tools: [act], that: 'ledger.orders[args.id].total > 1.0', needs: ['ledger.orders'], say:"
     " x}\n"
     "  b: {tools: [act], that: \"args.id.matches('^[0-9]$')\", category: format, say: 'Id "
     "{args.id}'}",
     "{\"id\": \"x\"}",
     "act was not carried out (revise).\n"
     "- b: Id x"},
    // Beside a rule that is told alone, what asks nothing of the ledger is told, too.
    {"a: {tools: [act], alone: true, that: 'ledger.orders[args.id].total > 1.0', needs: "
     "['ledger.orders'], say: x}\n"
     "  b: {tools: [act], that: args.amount == 1.0, say: No}\n"
     "  c: {tools: [act], that: \"ledger.orders['1'].status == 'shut'\", say: Open}\n"
     "  d: {tools: [act], that: args.amount == 1.0, say: 'Not {size(ledger.orders)}'}",
     "{\"id\": \"x\", \"amount\": 2}",
     "act was not carried out (revise).\n"
     "- a: Evidence is missing: no tool has returned ledger.orders.x yet.\n"
     "- b: No\n"
     "Call get_order(id: \"x\") first, then try again."},
    // Another argument that happens to say the same is not meant.
    {"a: {tools: [act], that: 'ledger.orders[args.id].total > 1.0', needs: ['ledger.orders'], say: "
     "x}\n"
     "  b: {tools: [act], that: \"args.card != '' && args.amount == 1.0\", category: format, say: "
     "No}",
     "{\"id\": \"x\", \"card\": \"x\", \"amount\": 2}",
     "act was not carried out (revise).\n"
     "- a: Evidence is missing: no tool has returned ledger.orders.x yet.\n"
     "- b: No\n"
     "Call get_order(id: \"x\") first, then try again."},
    // Nor is anything told where the steps ended before such a rule was judged.
    {"a: {tools: [act], that: \"ledger.orders['1'].status == 'shut'\", otherwise: block, say: '1 "
     "is "
     "open'}\n"
     "  b: {tools: [act], that: \"'" TEN TEN TEN TEN "'.split('').all(x, '" TEN TEN TEN TEN
     "'.split('').all(y, '" TEN TEN TEN TEN "'.split('').all(z, x + y + z != '')))\", say: x}\n"
     "  c: {tools: [act], that: \"args.id == '1'\", alone: true, say: 'Not yours'}",
     "{\"id\": \"2\"}",
     "act was not carried out (revise).\n"
     "- b: There was no verdict within its share of the 300000 steps of a decision "
     "(decision_steps), so "
     "the call is refused to be safe. Try it with fewer or shorter arguments; if that is no help, "
     "it "
     "cannot be judged, nor made."},
    // What a message cannot say is no reason to allow.
    {"a: {tools: [act], that: 'false', say: '{args.id} and {ledger.user.cards.zz.kind}'}", "{}",
     "act was not carried out (revise).\n"
     "- a: (args.id: not known) and (ledger.user.cards.zz.kind: not known)"},
    {"a: {tools: [act], that: '1 / 0 == 1', say: x}", "{}",
     "act was not carried out (revise).\n"
     "- a: Rule a (fixture.yaml:65) could not be evaluated: division by zero. This is a fault of "
     "the pack or of a record, not of the call; it is refused to be safe."},
};

static void messages_word_for_word(void)
{
    for (size_t i = 0; i < LG_COUNT(messages); i++) {
        desk d;
        lg_arena arena;
        lg_arena_init(&arena, 0);
        lg_str rest = lg_arena_printf(&arena, "rules:\n  %s\n", messages[i].rules);
        desk_open(&d, rest.ptr);
        desk_fill(&d);
        CHECK_STR(desk_decide(&d, "act", messages[i].args)->message, messages[i].message);
        desk_close(&d);
        lg_arena_done(&arena);
    }
}

// A value that a stranger made long is cut, whatever shows it, and takes no words from the first sentence.
static void long_values_are_cut(void)
{
    enum { LONG = 60000 };
    desk d;
    desk_open(
        &d,
        "rules:\n"
        "  a: {tools: [act], that: 'false', say: 'Card {args.card}'}\n"
        "  b: {tools: [act], that: 'ledger.orders[args.id].total > 1.0', needs: ['ledger.orders'],"
        " say: x}\n"
        "  c: {tools: [act], that: 'false', show: {spent: "
        "'args.card.split(\"\").map(x, args.card.split(\"\").map(y, x + y))'},"
        " say: ['Id of {args.amount}', '{spent}']}\n");
    char *text = malloc(LONG + 1);
    memset(text, 'x', LONG);
    text[LONG] = 0;
    lg_str args =
        lg_arena_printf(&d.arena, "{\"card\": \"%s\", \"id\": \"%s\", \"amount\": 7}", text, text);
    free(text);
    const lg_decision *decision = desk_decide(&d, "act", args.ptr);
    CHECK(decision->finding_count == 3 && decision->findings[0].message.len < 2100);
    CHECK(decision->message.len < 4000);
    CHECK(lg_str_starts(decision->findings[2].message, LG_STR("Id of 7")));
    desk_close(&d);
}

// --- Reads ----------------------------------------------------------------------------------------

// Two reads supply an account: by its number, which is known, and by a name, which is not; and one
// that stores there only what it was asked for by another letter.
static const char account_tools[] =
    "  by_name:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {name: {type: string}}, required: [name]}\n"
    "    returns: Order\n"
    "    stores: [{at: 'orders[result.id]'}]\n"
    "  by_letter:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {key: {type: string}}, required: [key]}\n"
    "    returns: Order\n"
    "    stores: [{at: 'orders[args.key]', when: \"args.key.startsWith('L')\"},"
    " {at: 'lines[args.key].x', value: '1.0', when: \"result.total > 1.0\"}]\n"
    "  profile:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {user_id: {type: string}, card: {type: string}},"
    " required: [user_id, card]}\n"
    "    returns: User\n"
    "    found_in: {user_id: ledger.auth.user_id}\n"
    "    stores: [{at: user}]\n"
    "rules:\n";

typedef struct read_case {
    const char *that;
    const char *args;
    const char *read;
} read_case;

static const read_case reads[] = {
    {"ledger.orders[args.id].total > 1.0", "{\"id\": \"L1\"}", "get_order(id: \"L1\")"},
    {"ledger.lines[args.id].x > 1.0", "{\"id\": \"L1\"}", "get_line(order: \"L1\")"},
    {"ledger.user.name == 'Ada'", "{\"card\": \"c\"}", "get_user()"},
};

static void of_several_reads_the_one_that_is_known_best(void)
{
    for (size_t i = 0; i < LG_COUNT(reads); i++) {
        desk d;
        lg_arena arena;
        lg_arena_init(&arena, 0);
        lg_str rest = lg_arena_printf(&arena,
                                      "%s  a: {tools: [act], that: \"%s\", needs: [ledger.orders], "
                                      "say: x}\n",
                                      account_tools, reads[i].that);
        desk_open(&d, rest.ptr);
        const lg_decision *decision = desk_decide(&d, "act", reads[i].args);
        if (CHECK(decision->finding_count == 1 && decision->findings[0].missing_count == 1)) {
            CHECK_STR(decision->findings[0].missing[0].read, reads[i].read);
        }
        desk_close(&d);
        lg_arena_done(&arena);
    }
}

// The arguments of a read: the key of the path, what the ledger has where the pack says, what the call gives
// under the same name; else it is left open.
static void arguments_of_a_read_are_found(void)
{
    static const char pack[] =
        "pack: bank\nversion: '1'\n"
        "ledger: {auth: {type: string}, 'notes.*.*': {type: string}}\n"
        "tools:\n"
        "  login: {kind: read, parameters: {type: object}, returns: text, stores: [{at: auth}]}\n"
        "  note:\n"
        "    kind: read\n"
        "    parameters:\n"
        "      type: object\n"
        "      properties: {who: {type: string}, day: {type: string}, room: {type: string},"
        " id: {type: string}, lang: {type: string}}\n"
        "      required: [who, day, room, id]\n"
        "    returns: text\n"
        "    found_in: {who: ledger.auth}\n"
        "    stores: [{at: 'notes[args.who][args.day]'}]\n"
        "  act:\n"
        "    kind: write\n"
        "    parameters: {type: object, properties: {id: {type: string}, day: {type: string}, room:"
        " {type: string}}}\n"
        "    effects: []\n"
        "rules:\n"
        "  a: {tools: [act], that: \"ledger.notes['ada'][args.day] == ''\", needs: [ledger.notes],"
        " say: x}\n"
        "  b: {tools: [act], that: 'size(ledger.auth) > 0', needs: [ledger.auth], say: x}\n";
    desk d = {.pack = fixture_pack(pack)};
    lg_ledger_init(&d.ledger, d.pack, NULL);
    lg_arena_init(&d.arena, 0);
    lg_arena_init(&d.scratch, 0);
    const char *args = "{\"id\": \"7\", \"day\": \"mon\", \"room\": \"r\"}";
    CHECK_STR(
        desk_decide(&d, "act", args)->message,
        "act was not carried out (revise).\n"
        "- a: Evidence is missing: no tool has returned ledger.notes.ada yet.\n"
        "- b: Evidence is missing: no tool has returned ledger.auth yet.\n"
        "Call note(who: \"ada\", day: \"mon\", room: \"r\", id: ...) and login() first, then try"
        " again.");
    desk_close(&d);
}

int main(void)
{
    RUN(evidence_is_what_the_rule_read);
    RUN(each_finding_has_its_own_evidence);
    RUN(an_allowed_call_has_evidence_too);
    RUN(evidence_says_that_it_is_stale);
    RUN(long_values_are_cut_between_characters);
    RUN(a_value_of_exactly_the_limit_is_whole);
    RUN(much_evidence_is_cut_and_counted);
    RUN(hints_are_values_with_which_the_whole_call_passes);
    RUN(hints_reach_into_large_arguments);
    RUN(a_hint_that_is_followed_passes);
    RUN(messages_word_for_word);
    RUN(long_values_are_cut);
    RUN(of_several_reads_the_one_that_is_known_best);
    RUN(arguments_of_a_read_are_found);
    return lg_test_done();
}
