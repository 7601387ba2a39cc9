// test_verdict.c: which verdict a call gets, for which causes, and in which order they are told.
#include "gate_fixture.h"

#include "base/utf8.h"

// --- Rules ----------------------------------------------------------------------------------------

typedef struct rule_case {
    const char *rules; // of the tool `act`, one line each, without `tools`
    const char *args;
    const char *want;
} rule_case;

#define OPEN "{that: \"ledger.orders[args.id].status == 'open'\", say: x}"
#define OPEN_NEEDED                                                                                \
    "{that: \"ledger.orders[args.id].status == 'open'\", needs: ['ledger.orders[args.id]'], say: " \
    "x}"

static const rule_case cases[] = {
    // What is true is no finding.
    {"a: " OPEN, "{\"id\": \"1\"}", "allow"},
    {"a: {that: 'false', say: x}", "{}", "revise: a violated"},
    {"a: {that: 'false', otherwise: revise, say: x}", "{}", "revise: a violated"},
    {"a: {that: 'false', otherwise: block, say: x}", "{}", "block: a violated block"},
    // The most severe verdict wins, and all findings are listed in the pack's order.
    {"a: {that: 'false', say: x}\n  b: {that: 'true', say: x}\n"
     "  c: {that: 'false', otherwise: block, say: x}\n  d: {that: 'false', say: x}",
     "{}", "block: a violated, c violated block, d violated"},
    {"a: {that: 'false', otherwise: block, say: x}\n  b: {that: 'false', say: x}", "{}",
     "block: a violated block, b violated"},
    // `when` that is false: not applicable, whatever `that` says.
    {"a: {when: 'false', that: 'false', say: x}", "{}", "allow"},
    {"a: {when: 'true', that: 'false', say: x}", "{}", "revise: a violated"},
    {"a: {when: 'has(args.amount)', that: 'args.amount < 5.0', say: x}", "{}", "allow"},
    {"a: {when: 'has(args.amount)', that: 'args.amount < 5.0', say: x}", "{\"amount\": 5}",
     "revise: a violated"},
    {"a: {when: 'has(args.amount)', that: 'args.amount < 5.0', say: x}", "{\"amount\": 4}",
     "allow"},
    // Evidence that is missing and decides: abstains, or insists.
    {"a: " OPEN, "{\"id\": \"2\"}", "allow"},
    {"a: " OPEN_NEEDED, "{\"id\": \"2\"}", "revise: a missing"},
    {"a: {that: \"ledger.orders[args.id].status == 'shut'\", otherwise: block, say: x,"
     " needs: ['ledger.orders[args.id]']}",
     "{\"id\": \"2\"}", "revise: a missing"}, // what was not seen rules out nothing
    // Missing evidence that does not decide is not asked for.
    {"a: {that: \"true || ledger.user.any == ledger.auth.user_id\", needs: [ledger.user], say: x}",
     "{}", "allow"},
    {"a: {that: \"ledger.orders['9'].total > 1.0 || true\", needs: [ledger.user], say: x}", "{}",
     "allow"},
    {"a: {that: \"ledger.orders['9'].total > 1.0 && false\", needs: [ledger.user], say: x}", "{}",
     "revise: a violated"},
    {"a: {that: \"has(ledger.auth.user_id)\", needs: [ledger.user], say: x}", "{}",
     "revise: a violated"},
    {"a: {that: \"args.id in ledger.orders\", say: x}", "{\"id\": \"2\"}", "revise: a violated"},
    // First all of `let`, then `when`, then `that`.
    {"a: {let: {o: 'ledger.orders[args.id]'}, when: 'false', that: 'true', say: x,"
     " needs: ['ledger.orders[args.id]']}",
     "{\"id\": \"2\"}", "revise: a missing"},
    {"a: {let: {o: 'ledger.orders[args.id]', t: o.total * 2.0}, that: t == 20.0, say: x}",
     "{\"id\": \"1\"}", "allow"},
    {"a: {let: {o: 'ledger.orders[args.id]', t: o.total * 2.0}, that: t == 10.0, say: x}",
     "{\"id\": \"1\"}", "revise: a violated"},
    {"a: {let: {t: '1 / 0'}, when: 'false', that: 'true', say: x}", "{}", "revise: a defect"},
    {"a: {when: '1 / 0 == 1', that: \"ledger.orders['9'].total > 1.0\", needs: [ledger.user],"
     " say: x}",
     "{}", "revise: a defect"},
    // Anything else that goes wrong is a defect, and refuses.
    {"a: {that: '1 / 0 == 1', say: x}", "{}", "revise: a defect"},
    {"a: {that: '1 / 0 == 1', otherwise: block, say: x}", "{}", "revise: a defect"},
    {"a: {that: 'ledger.user.any > 1.0', say: x}", "{}", "revise: a defect"},
    {"a: {that: 'ledger.user.any', say: x}", "{}", "revise: a defect"}, // a text, no bool
    {"a: {when: 'ledger.user.any', that: 'true', say: x}", "{}", "revise: a defect"},
    {"a: {that: \"timestamp(ledger.user.name) < now\", say: x}", "{}", "revise: a defect"},
    {"a: {that: \"matches(ledger.user.name, ledger.user.any + '(')\", say: x}", "{}",
     "revise: a defect"},
    {"a: {that: '1 / 0 == 1 || true', say: x}", "{}", "allow"}, // absorbed
    // Any other failure goes before missing evidence.
    {"a: {that: \"1 / 0 == 1 || ledger.orders['9'].total > 1.0\", needs: [ledger.user], say: x}",
     "{}", "revise: a defect"},
    {"a: {that: \"ledger.orders['9'].total > 1.0 || 1 / 0 == 1\", needs: [ledger.user], say: x}",
     "{}", "revise: a defect"},
    // The names that a rule knows.
    {"a: {that: \"tool == 'act'\", say: x}", "{}", "allow"},
    {"a: {that: size(ledger.history) == 0, say: x}", "{}", "allow"},
};

static void rules_give_verdicts(void)
{
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_buf rest;
        lg_buf_init(&rest, 0);
        lg_buf_add_c(&rest, "rules:\n  ");
        for (const char *at = cases[i].rules; *at; at++) { // `{` of each rule: also its tools
            lg_buf_add_byte(&rest, *at);
            if (*at == '{' && at >= cases[i].rules + 3 && at[-1] == ' ' && at[-2] == ':' &&
                (at - 4 < cases[i].rules || at[-4] == ' ')) {
                lg_buf_add_c(&rest, "tools: [act], ");
            }
        }
        lg_buf_add_byte(&rest, '\0');
        desk d;
        desk_open(&d, rest.ptr);
        desk_fill(&d);
        const lg_decision *decision = desk_decide(&d, "act", cases[i].args);
        if (!lg_str_eq(desk_describe(&d, decision), lg_str_c(cases[i].want))) {
            printf("%s\n", cases[i].rules);
        }
        CHECK_STR(desk_describe(&d, decision), cases[i].want);
        CHECK(decision->gated);
        CHECK((decision->verdict == LG_ALLOW) == (decision->message.len == 0));
        desk_close(&d);
        lg_buf_done(&rest);
    }
}

static void rules_are_counted(void)
{
    desk d;
    desk_open(&d, "rules:\n"
                  "  a: {tools: [act], that: 'ledger.orders[args.id].total > 1.0', say: x}\n"
                  "  b: {tools: [ping], that: 'false', say: x}\n"
                  "  c: {tools: writes, that: 'true', say: x}\n");
    const lg_decision *decision = desk_decide(&d, "act", "{\"id\": \"1\"}");
    CHECK(decision->rules_evaluated == 2 && decision->rules_abstained == 1);
    desk_fill(&d);
    decision = desk_decide(&d, "act", "{\"id\": \"1\"}");
    CHECK(decision->rules_evaluated == 2 && decision->rules_abstained == 0);
    decision = desk_decide(&d, "ping", "{}");
    CHECK(decision->rules_evaluated == 2 && decision->finding_count == 1);
    desk_close(&d);
}

// --- Missing evidence -----------------------------------------------------------------------------

typedef struct missing_case {
    const char *that;
    const char *args;
    const char *path;
    const char *read;
    const char *message;
} missing_case;

static const missing_case missing[] = {
    {"ledger.orders[args.id].total > 1.0", "{\"id\": \"#2.x\"}", "ledger.orders[\"#2.x\"]",
     "get_order(id: \"#2.x\")",
     "Evidence is missing: no tool has returned ledger.orders[\"#2.x\"] yet."},
    {"ledger.auth.user_id == 'ada'", "{}", "ledger.auth.user_id", "find_user()",
     "Evidence is missing: no tool has returned ledger.auth.user_id yet."},
    {"ledger.lines[args.id][args.sku] > 1.0", "{\"id\": \"1\", \"sku\": \"s\"}",
     "ledger.lines[\"1\"]", "get_line(order: \"1\", sku: \"s\")",
     "Evidence is missing: no tool has returned ledger.lines[\"1\"] yet."},
    // The record is there: to read it again would not help.
    {"ledger.user.cards[args.card].kind == 'gift'", "{\"card\": \"c9\"}", "ledger.user.cards.c9",
     "", "Evidence is missing: ledger.user.cards.c9 is in none of the records that were read."},
    {"ledger.orders['1'].items[int(args.amount)] == 'a'", "{\"amount\": 2}",
     "ledger.orders[\"1\"].items[2]", "",
     "Evidence is missing: ledger.orders[\"1\"].items[2] is in none of the records that were "
     "read."},
    // What is looked up in a computed value has no path.
    {"{'a': true}[args.id]", "{\"id\": \"b\"}", NULL, NULL,
     "Evidence is missing: `{'a': true}[args.id]` has no value yet."},
};

static void missing_evidence_is_named_with_the_read_that_has_it(void)
{
    for (size_t i = 0; i < LG_COUNT(missing); i++) {
        desk d;
        lg_arena arena;
        lg_arena_init(&arena, 0);
        lg_str rest = lg_arena_printf(
            &arena, "rules:\n  a: {tools: [act], that: \"%s\", needs: [ledger.user], say: x}\n",
            missing[i].that);
        desk_open(&d, rest.ptr);
        desk_fill(&d);
        const lg_decision *decision = desk_decide(&d, "act", missing[i].args);
        CHECK_STR(desk_describe(&d, decision), "revise: a missing");
        if (decision->finding_count == 1) {
            const lg_finding *finding = &decision->findings[0];
            CHECK(finding->missing_count == (missing[i].path ? 1 : 0));
            if (finding->missing_count) {
                CHECK_STR(finding->missing[0].path, missing[i].path);
                CHECK_STR(finding->missing[0].read, missing[i].read);
            }
            CHECK_STR(finding->message, missing[i].message);
        }
        desk_close(&d);
        lg_arena_done(&arena);
    }
}

// What the arguments lack cannot come by another read: a rule that needs it refuses, with `needs` or
// without, and with the verdict that it has for what violates it. `path` NULL: it has none.
static const struct {
    const char *that, *args, *path, *message;
} lacking[] = {
    {"args.amount < 5.0", "{}", "args.amount",
     "This rule needs args.amount, which the call does not give."},
    {"args.parts[0].sku == 's'", "{\"parts\": []}", "args.parts[0]",
     "This rule needs args.parts[0], which the call does not give."},
    {"args.parts[size(args.parts) - 1].sku == 's'", "{\"parts\": [{\"sku\": \"s\"}, {}]}",
     "args.parts[1].sku", "This rule needs args.parts[1].sku, which the call does not give."},
    {"args.parts.all(p, p.sku == 's')", "{\"parts\": [{\"sku\": \"s\"}, {}]}", "args.parts[1].sku",
     "This rule needs args.parts[1].sku, which the call does not give."},
    {"ledger.orders[args.sku].status == 'open'", "{}", "args.sku",
     "This rule needs args.sku, which the call does not give."},
    {"{'a': args.amount}['a'] < 5.0", "{}", "args.amount",
     "This rule needs args.amount, which the call does not give."},
    // Lists that are made of arguments are the call's, too.
    {"args.parts.filter(p, p.sku == 's')[0].sku != ''", "{\"parts\": [{\"sku\": \"t\"}]}", NULL,
     "With what the call gives, `args.parts.filter(p, p.sku == 's')[0].sku != ''` has no value."},
    {"args.parts.map(p, p.sku)[1] == 's'", "{\"parts\": [{\"sku\": \"t\"}]}", NULL,
     "With what the call gives, `args.parts.map(p, p.sku)[1] == 's'` has no value."},
    {"(args.parts + [])[0].sku == 's'", "{\"parts\": []}", NULL,
     "With what the call gives, `(args.parts + [])[0].sku == 's'` has no value."},
    {"args.sku.split('-')[1] == 'a'", "{\"sku\": \"s\"}", NULL,
     "With what the call gives, `args.sku.split('-')[1] == 'a'` has no value."},
    // Of two things that are missing, the argument decides, whichever stands first.
    {"ledger.orders['9'].total > args.amount", "{}", "args.amount",
     "This rule needs args.amount, which the call does not give."},
    {"ledger.orders['9'].total > 1.0 && args.amount < 5.0", "{}", "args.amount",
     "This rule needs args.amount, which the call does not give."},
    {"['9', args.sku].exists(k, ledger.orders[k].total > 1.0)", "{}", "args.sku",
     "This rule needs args.sku, which the call does not give."},
};

static void what_the_arguments_lack_is_a_finding(void)
{
    static const char *const extra[] = {"", ", needs: [ledger.user]", ", otherwise: block"};
    for (size_t i = 0; i < LG_COUNT(lacking) * LG_COUNT(extra); i++) {
        desk d;
        lg_arena arena;
        lg_arena_init(&arena, 0);
        const char *more = extra[i % LG_COUNT(extra)];
        bool block = i % LG_COUNT(extra) == 2;
        size_t k = i / LG_COUNT(extra);
        lg_str rest = lg_arena_printf(
            &arena, "rules:\n  a: {tools: [act], that: \"%s\", say: x%s}\n", lacking[k].that, more);
        desk_open(&d, rest.ptr);
        desk_fill(&d);
        const lg_decision *decision = desk_decide(&d, "act", lacking[k].args);
        CHECK_STR(desk_describe(&d, decision),
                  block ? "block: a arguments block" : "revise: a arguments");
        if (decision->finding_count == 1) {
            const lg_finding *finding = &decision->findings[0];
            CHECK_STR(finding->message, lacking[k].message);
            CHECK(finding->missing_count == (lacking[k].path ? 1 : 0));
            CHECK(finding->category == LG_CATEGORY_FORMAT);
            CHECK(!lacking[k].path ||
                  lg_str_eq(finding->missing[0].path, lg_str_c(lacking[k].path)));
            CHECK(lg_str_find(decision->message, LG_STR("rules this call out")) == SIZE_MAX);
        }
        desk_close(&d);
        lg_arena_done(&arena);
    }
}

// What is absent and does not decide is no finding, nor is what the rule has asked for.
static void an_argument_that_does_not_decide_may_be_left_out(void)
{
    static const char *const rules[] = {
        "args.amount < 5.0 || true",
        "!has(args.amount) || args.amount < 5.0",
        "args.?amount.orValue(1.0) < 5.0",
        "'amount' in args ? args.amount < 5.0 : true",
        "ledger.orders['9'].total > 1.0 || !has(args.amount)",
    };
    for (size_t i = 0; i < LG_COUNT(rules); i++) {
        desk d;
        lg_arena arena;
        lg_arena_init(&arena, 0);
        lg_str rest = lg_arena_printf(&arena, "rules:\n  a: {tools: [act], that: \"%s\", say: x}\n",
                                      rules[i]);
        desk_open(&d, rest.ptr);
        desk_fill(&d);
        CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "{}")), "allow");
        desk_close(&d);
        lg_arena_done(&arena);
    }
}

static void a_stale_record_that_lacks_a_field_may_be_read_again(void)
{
    desk d;
    desk_open(&d, "rules:\n  a: {tools: [act], that: \"ledger.orders[args.id].items[5] == 'a'\","
                  " needs: ['ledger.orders[args.id]'], say: x}\n");
    desk_fill(&d);
    CHECK(desk_observe(&d, "act", "{\"id\": \"1\"}", "", 3) == LG_OBSERVED_WRITE);
    const lg_decision *decision = desk_decide(&d, "act", "{\"id\": \"1\"}");
    CHECK_STR(decision->findings[0].missing[0].path, "ledger.orders[\"1\"].items[5]");
    CHECK_STR(decision->findings[0].missing[0].read, "get_order(id: \"1\")");
    desk_close(&d);
}

// --- Arguments ------------------------------------------------------------------------------------

typedef struct args_case {
    const char *args;
    const char *want;
    const char *message; // how the finding's text begins
} args_case;

static const args_case args_cases[] = {
    {"", "allow", NULL}, // nothing is an empty object
    {"{}", "allow", NULL},
    {"{\"id\": \"1\", \"amount\": 1}", "allow", NULL},
    {"null", "revise: arguments arguments", "The arguments are not a JSON object: null"},
    {"[1]", "revise: arguments arguments", "The arguments are not a JSON object: [1]"},
    {"\"{}\"", "revise: arguments arguments", "The arguments are not a JSON object: \"{}\""},
    {"{\"id\": \"1\"", "revise: arguments arguments",
     "The arguments are not a JSON object: {\"id\": \"1\""},
    {"{\"id\": \"1\", \"id\": \"2\"}", "revise: arguments arguments",
     "The arguments are not a JSON object: "},
    {"{\"id\": 1}", "revise: arguments arguments", "`id` "},
    {"{\"amount\": 1001}", "revise: arguments arguments", "`amount` "},
    {"{\"amuont\": 1}", "revise: arguments arguments", "`amuont` "},
    {"{\"size\": \"medium\"}", "revise: arguments arguments", "`size` "},
};

// The rule would stumble over every argument that does not fit: that is no defect of the pack.
static void arguments_that_do_not_fit_are_one_finding(void)
{
    for (size_t i = 0; i < LG_COUNT(args_cases); i++) {
        desk d;
        desk_open(&d, "rules:\n"
                      "  a: {tools: [act], when: has(args.id), that: \"args.id + 'x' != ''\","
                      " say: x}\n");
        const lg_decision *decision = desk_decide(&d, "act", args_cases[i].args);
        CHECK_STR(desk_describe(&d, decision), args_cases[i].want);
        if (args_cases[i].message && decision->finding_count == 1) {
            lg_str start =
                lg_str_slice(decision->findings[0].message, 0, strlen(args_cases[i].message));
            CHECK_STR(start, args_cases[i].message);
        }
        CHECK(decision->hint_count == 0);
        desk_close(&d);
    }
}

static void rules_are_told_beside_bad_arguments(void)
{
    desk d;
    desk_open(&d, "rules:\n  a: {tools: [act], that: 'false', otherwise: block, say: no}\n");
    CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "{\"amount\": 2000}")),
              "block: arguments arguments, a violated block");
    desk_close(&d);
}

// --- Tools ----------------------------------------------------------------------------------------

static void a_tool_that_nobody_declared(void)
{
    desk d;
    desk_open(&d, "rules: {}\n");
    const lg_decision *decision = desk_decide(&d, "get_ordr", "{}");
    CHECK_STR(desk_describe(&d, decision), "revise: known_tool unknown_tool");
    CHECK_STR(decision->findings[0].message,
              "No tool is called `get_ordr`; did you mean `get_order`?");
    CHECK_STR(decision->message,
              "get_ordr was not carried out (revise).\n"
              "- known_tool: No tool is called `get_ordr`; did you mean `get_order`?");
    decision = desk_decide(&d, "rm_rf_everything", "not even JSON");
    CHECK_STR(decision->findings[0].message, "No tool is called `rm_rf_everything`.");
    decision = desk_decide(&d, "", "{}");
    CHECK(decision->verdict == LG_REVISE);
    desk_close(&d);
    desk_open(&d, "unknown_tools: allow\nrules: {}\n");
    CHECK_STR(desk_describe(&d, desk_decide(&d, "get_ordr", "{}")), "allow");
    CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "[]")), "revise: arguments arguments");
    desk_close(&d);
}

static void a_tool_of_the_customers_own(void)
{
    desk d;
    desk_open(&d, "unknown_tools: allow\nrules:\n  a: {tools: writes, that: 'false', say: x}\n");
    const lg_decision *decision = desk_decide(&d, "toggle", "{}");
    CHECK_STR(desk_describe(&d, decision), "revise: known_tool unknown_tool");
    CHECK_STR(decision->findings[0].message,
              "Only the customer can use `toggle`; ask for it instead of calling it.");
    desk_close(&d);
}

static void reads_and_generic_tools_are_never_judged(void)
{
    static const char *const args[] = {"{}", "[]", "{\"id\": 1}", "no JSON"};
    desk d;
    desk_open(&d, "rules:\n  a: {tools: writes, that: 'false', say: x}\n");
    for (size_t i = 0; i < LG_COUNT(args); i++) {
        const lg_decision *read = desk_decide(&d, "get_order", args[i]);
        CHECK(read->verdict == LG_ALLOW && !read->gated && read->rules_evaluated == 0);
        const lg_decision *generic = desk_decide(&d, "think", args[i]);
        CHECK(generic->verdict == LG_ALLOW && !generic->gated);
    }
    CHECK_STR(desk_describe(&d, desk_decide(&d, "ping", "{}")), "revise: a violated");
    desk_close(&d);
}

// Whatever a model writes, the message is text that can be passed on.
static void hostile_calls_give_clean_messages(void)
{
    desk d;
    desk_open(&d, "rules: {}\n");
    char args[600];
    for (size_t shift = 0; shift < 4; shift++) {
        memset(args, 'x', shift);
        for (size_t i = shift; i + 4 < sizeof(args) - 1; i += 4) {
            memcpy(args + i, "\xf0\x9f\x8d\xb0", 4);
        }
        args[sizeof(args) - 8] = '\0';
        const lg_decision *decision = desk_decide(&d, "act", args);
        CHECK(decision->verdict == LG_REVISE);
        CHECK(lg_utf8_valid_prefix(decision->message) == decision->message.len);
        CHECK(decision->message.len < 400);
        decision = desk_decide(&d, args, "{}");
        CHECK(lg_utf8_valid_prefix(decision->message) == decision->message.len);
        CHECK(decision->message.len < 400);
    }
    static const char *const hostile[] = {"\xff\xfe", "a\nb", "\x1b[2J", "x\x7f"};
    for (size_t i = 0; i < LG_COUNT(hostile); i++) {
        for (int as_tool = 0; as_tool < 2; as_tool++) {
            const lg_decision *decision =
                as_tool ? desk_decide(&d, hostile[i], "{}") : desk_decide(&d, "act", hostile[i]);
            lg_str message = decision->findings[0].message;
            CHECK(decision->verdict == LG_REVISE);
            CHECK(lg_utf8_valid_prefix(message) == message.len);
            for (size_t at = 0; at < message.len; at++) {
                CHECK((unsigned char)message.ptr[at] >= 0x20 && message.ptr[at] != 0x7f);
            }
        }
    }
    desk_close(&d);
}

// --- History, clock, cost -------------------------------------------------------------------------

static void history_stops_a_loop(void)
{
    desk d;
    desk_open(&d, "rules:\n"
                  "  once:\n"
                  "    tools: writes\n"
                  "    that: '!ledger.history.exists(h, h.name == tool && h.args == args)'\n"
                  "    otherwise: block\n"
                  "    say: '{tool} was carried out before'\n");
    CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "{\"id\": \"1\"}")), "allow");
    desk_observe(&d, "act", "{\"id\": \"1\"}", "done", 1);
    CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "{\"id\": \"1\"}")),
              "block: once violated block");
    CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "{\"id\": \"2\"}")), "allow");
    CHECK_STR(desk_describe(&d, desk_decide(&d, "ping", "{}")), "allow");
    lg_ledger_reset(&d.ledger);
    CHECK_STR(desk_describe(&d, desk_decide(&d, "act", "{\"id\": \"1\"}")), "allow");
    desk_close(&d);
}

#define IS_2024 "rules:\n  a: {tools: [act], that: 'now.getFullYear() == 2024', say: '{now}'}\n"

static void the_clock_is_the_packs_or_given(void)
{
    desk d;
    desk_open(&d, "clock: 2024-05-15T15:00:00Z\n" IS_2024);
    CHECK(desk_decide(&d, "act", "{}")->verdict == LG_ALLOW);
    d.now = (lg_time){1, 0}; // the pack's own clock stands
    CHECK(desk_decide(&d, "act", "{}")->verdict == LG_ALLOW);
    desk_close(&d);
    desk_open(&d, IS_2024);
    d.now = (lg_time){1715785200, 0};
    CHECK(desk_decide(&d, "act", "{}")->verdict == LG_ALLOW);
    d.now = (lg_time){1, 0};
    CHECK_STR(desk_decide(&d, "act", "{}")->findings[0].message, "1970-01-01T00:00:01Z");
    desk_close(&d);
}

// A time that no calendar has must not become an undefined one.
static void any_time_may_be_given(void)
{
    static const int64_t times[] = {INT64_MAX, INT64_MIN, INT64_C(253402300800),
                                    INT64_C(-62135596801)};
    for (size_t i = 0; i < LG_COUNT(times); i++) {
        desk d;
        desk_open(&d, "rules:\n"
                      "  a: {tools: [act], that: \"now.getFullYear() == 1 && now - "
                      "duration('1h') < now && now + duration('1h') > now\", say: '{now}'}\n");
        d.now = (lg_time){times[i], 0};
        CHECK(desk_decide(&d, "act", "{}")->verdict == LG_REVISE);
        desk_close(&d);
    }
}

// A thousand elements squared: over the steps of a decision, and over those of one expression, where
// somebody has set these lower.
static void a_rule_that_is_too_expensive_refuses(void)
{
    desk d;
    desk_open(&d, "rules:\n"
                  "  a: {tools: [act], that: \"range(3000).all(x, range(3000).all(y, x + y >= 0))"
                  " || true\", otherwise: block, say: x}\n");
    const lg_decision *decision = desk_decide(&d, "act", "{}");
    CHECK_STR(desk_describe(&d, decision), "revise: a budget");
    CHECK(lg_str_find(decision->message, LG_STR("(decision_steps)")) != SIZE_MAX);
    d.cel_cost = 10000;
    decision = desk_decide(&d, "act", "{}");
    CHECK_STR(desk_describe(&d, decision), "revise: a defect");
    CHECK(lg_str_find(decision->message, LG_STR("(cel_cost)")) != SIZE_MAX);
    desk_close(&d);
}

static void causes_and_verdicts_have_names(void)
{
    CHECK_STR(lg_str_c(lg_verdict_name(LG_ALLOW)), "allow");
    CHECK_STR(lg_str_c(lg_verdict_name(LG_REVISE)), "revise");
    CHECK_STR(lg_str_c(lg_verdict_name(LG_BLOCK)), "block");
    CHECK_STR(lg_str_c(lg_cause_name(LG_CAUSE_VIOLATED)), "violated");
    CHECK_STR(lg_str_c(lg_cause_name(LG_CAUSE_MISSING)), "missing");
    CHECK_STR(lg_str_c(lg_cause_name(LG_CAUSE_DEFECT)), "defect");
    CHECK_STR(lg_str_c(lg_cause_name(LG_CAUSE_ARGUMENTS)), "arguments");
    CHECK_STR(lg_str_c(lg_cause_name(LG_CAUSE_UNKNOWN_TOOL)), "unknown_tool");
    CHECK_STR(lg_str_c(lg_cause_name(LG_CAUSE_STALE)), "stale");
    CHECK_STR(lg_str_c(lg_cause_name(LG_CAUSE_BUDGET)), "budget");
    CHECK_STR(lg_str_c(lg_cause_name(LG_CAUSE_PENDING)), "pending");
}

int main(void)
{
    RUN(rules_give_verdicts);
    RUN(rules_are_counted);
    RUN(missing_evidence_is_named_with_the_read_that_has_it);
    RUN(a_stale_record_that_lacks_a_field_may_be_read_again);
    RUN(arguments_that_do_not_fit_are_one_finding);
    RUN(rules_are_told_beside_bad_arguments);
    RUN(what_the_arguments_lack_is_a_finding);
    RUN(an_argument_that_does_not_decide_may_be_left_out);
    RUN(a_tool_that_nobody_declared);
    RUN(a_tool_of_the_customers_own);
    RUN(reads_and_generic_tools_are_never_judged);
    RUN(hostile_calls_give_clean_messages);
    RUN(history_stops_a_loop);
    RUN(the_clock_is_the_packs_or_given);
    RUN(any_time_may_be_given);
    RUN(a_rule_that_is_too_expensive_refuses);
    RUN(causes_and_verdicts_have_names);
    return lg_test_done();
}
