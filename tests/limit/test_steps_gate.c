// test_steps_gate.c: what the gate itself does is bounded: arguments, messages, evidence, hints, stale
// records, conversation rules, and what is observed.
#include "steps_bench.h"

static void add_text(lg_buf *out, const char *unit, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        lg_buf_add_c(out, unit);
    }
}

static lg_str whole(lg_buf *out)
{
    return lg_buf_str(out);
}

// --- Arguments ----------------------------------------------------------------------------------

typedef struct argument_case {
    const char *name;
    const char *parameters;
    const char *rest;                  // of the pack
    const char *before, *unit, *after; // of the arguments
    size_t times;
    const char *want;
} argument_case;

static const argument_case argument_cases[] = {
    {"arguments of 2 MB", "{type: object}", "", "{\"a\": \"", "xxxxxxxxxxxxxxxx", "\"}", 131072,
     "revise: arguments budget"},
    {"arguments of 1 MB", "{type: object, properties: {a: {type: string}}}", "", "{\"a\": \"",
     "xxxxxxxxxxxxxxxx", "\"}", 65536, "allow: "},
    {"unique items", "{type: object, properties: {a: {type: array, uniqueItems: true}}}", "",
     "{\"a\": [[0]", ", [1, 1.0, 2]", "]}", 60000, "revise: arguments budget"},
    {"unique items in several passes",
     "{type: object, properties: {a: {type: array, uniqueItems: true}}}", "", "{\"a\": [[0]",
     ", [1, 1.0, 2]", "]}", 6000, "revise: arguments budget"},
    {"a pattern that backtracks",
     "{type: object, properties: {a: {type: array, items: {type: string, pattern: '^(a|a)*$'}}}}",
     "", "{\"a\": [\"\"", ", \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"", "]}", 1000,
     "revise: arguments budget"},
    {"patterns of names",
     "{type: object, additionalProperties: true, patternProperties: {'(x+x+)+[yz]': {type: "
     "string}}}",
     "", "{\"a\": 1", ", \"xxxxxxxxxxxxxxxxxxxxxxxxxxx\": 1", "}", 1, "revise: arguments budget"},
    {"a number of 100,000 digits", "{type: object, properties: {a: {type: number, minimum: 3}}}",
     "", "{\"a\": 4", "77777777", "}", 12500, "allow: "},
};

static void arguments_are_checked_within_their_steps(void)
{
    for (size_t i = 0; i < LG_COUNT(argument_cases); i++) {
        const argument_case *c = &argument_cases[i];
        bench b;
        open_pack(&b, c->parameters, c->rest);
        lg_buf_add_c(&b.text, c->before);
        add_text(&b.text, c->unit, c->times);
        lg_buf_add_c(&b.text, c->after);
        const lg_decision *decision = judge(&b, c->name, whole(&b.text), c->want);
        if (decision->verdict != LG_ALLOW && decision->finding_count) {
            CHECK(decision->message.len < 10000);
        }
        close_pack(&b);
    }
}

// Twenty types, each of which may be the next one in two ways: a million ways to be no integer.
static void references_that_branch_end(void)
{
    bench b;
    lg_buf types;
    lg_buf_init(&types, 0);
    lg_buf_add_c(&types, "types:\n  T20: {type: integer}\n");
    for (unsigned i = 20; i > 0; i--) {
        lg_buf_addf(&types,
                    "  T%u: {anyOf: [{$ref: '#/types/T%u'}, {allOf: [{$ref: '#/types/T%u'}]}]}\n",
                    i - 1, i, i);
    }
    lg_buf_add_byte(&types, '\0');
    open_pack(&b, "{type: object, properties: {a: {$ref: '#/types/T0'}}}", types.ptr);
    (void)judge(&b, "references that branch", LG_STR("{\"a\": 1}"), "allow: ");
    (void)judge(&b, "references that branch, and fail", LG_STR("{\"a\": \"x\"}"),
                "revise: arguments budget");
    lg_buf_done(&types);
    close_pack(&b);
}

// --- Messages -----------------------------------------------------------------------------------

// Ten lists of ten of the former: what would be printed is far larger than what was made.
static void a_message_shows_what_it_can(void)
{
    bench b;
    open_pack(&b, "{type: object}",
              "rules:\n  r:\n    tools: [act]\n    let:\n"
              "      a: \"range(100)\"\n      b: \"range(100).map(i, a)\"\n"
              "      c: \"range(100).map(i, b)\"\n      d: \"range(100).map(i, c)\"\n"
              "    that: \"size(d) == 0\"\n    say: 'so {d} it {size(d)} is'\n");
    const lg_decision *decision =
        judge(&b, "a message of a hundred million parts", LG_STR("{}"), "revise: r violated");
    CHECK(lg_str_find(decision->message, LG_STR("...")) != SIZE_MAX);
    CHECK(lg_str_find(decision->message, LG_STR("(size(d): not known)")) != SIZE_MAX);
    CHECK(decision->message.len < 1000000);
    close_pack(&b);
}

// What is only for the words may cost as much as the words may, and takes its sentence with it.
static void shows_end_with_the_words(void)
{
    bench b;
    open_pack(&b, "{type: object}",
              "rules:\n  r:\n    tools: [act]\n    that: \"size('') == 1\"\n"
              "    show:\n      a: \"range(1000)\"\n      b: \"a.map(i, a.map(j, i * j))\"\n"
              "      c: \"b.map(x, b.map(y, size(x) + size(y)))\"\n"
              "    say: ['so it is', 'with {b}', 'and {c}', 'or {size(c)}']\n");
    const lg_decision *decision =
        judge(&b, "what is shown of a million parts", LG_STR("{}"), "revise: r violated");
    CHECK(lg_str_find(decision->message, LG_STR("- r: so it is")) != SIZE_MAX);
    CHECK(lg_str_find(decision->message, LG_STR("and ")) == SIZE_MAX);
    CHECK(decision->message.len < 1000);
    close_pack(&b);
}

// A text whose form is refused, looked for in the reads that are missing.
static void reads_are_withdrawn_within_the_words(void)
{
    bench b;
    open_pack(
        &b, "{type: object, properties: {a: {type: string}}}",
        "rules:\n  form: {tools: [act], that: \"args.a.size() < 3\", category: format, say: "
        "too long}\n"
        "  r: {tools: [act], that: \"ledger.box.keys[args.a] > 0.0\", needs: [ledger.box], say: "
        "no}\n");
    lg_buf_add_c(&b.text, "{\"a\": \"");
    lg_buf_add_repeat(&b.text, 'x', 100000);
    lg_buf_add_c(&b.text, "\"}");
    const lg_decision *decision =
        judge(&b, "a read of a long text", whole(&b.text), "revise: form violated, r missing");
    CHECK(decision->message.len < 2000);
    close_pack(&b);
}

// --- Evidence and hints ---------------------------------------------------------------------------

static void add_map(lg_buf *out, unsigned count)
{
    lg_buf_add_c(out, "{\"keys\": {\"no\": 0");
    for (unsigned i = 0; i < count; i++) {
        lg_buf_addf(out, ", \"k%u\": %u", i, i);
    }
    lg_buf_add_c(out, "}, \"list\": [0");
    for (unsigned i = 0; i < count; i++) {
        lg_buf_addf(out, ", %u", i);
    }
    lg_buf_add_c(out, "]}");
}

// Each candidate makes the rule go through the list again: the search for hints ends, nothing else.
static void hints_end_first(void)
{
    bench b;
    open_pack(&b, "{type: object, properties: {a: {type: string}}}",
              "rules: {r: {tools: [act], that: \"ledger.box.keys[args.a] > 0.0 && "
              "ledger.box.list.all(x, x >= 0.0) && args.a == 'k2999'\", offer: [args.a], "
              "say: 'not {args.a}'}}\n");
    add_map(&b.text, 3000);
    observe(&b, "get_box", "{}", whole(&b.text));
    const lg_decision *decision =
        judge(&b, "hints among 3,000 keys", LG_STR("{\"a\": \"no\"}"), "revise: r violated");
    CHECK(decision->hints_cut && !decision->evidence_cut);
    CHECK(decision->evidence_count > 0);
    CHECK(lg_str_find(decision->message, LG_STR("not no")) != SIZE_MAX);
    close_pack(&b);
}

// The read log is full of places that are not there, with keys of some kilobytes.
static void evidence_is_cut_and_says_so(void)
{
    bench b;
    open_pack(&b, "{type: object, properties: {a: {type: array, items: {type: string}}}}",
              "rules: {r: {tools: [act], that: \"args.a.exists(k, k in ledger.box)\", "
              "say: no}}\n");
    observe(&b, "get_box", "{}", LG_STR("{}"));
    lg_buf_add_c(&b.text, "{\"a\": [\"\"");
    for (unsigned i = 0; i < 20; i++) {
        lg_buf_addf(&b.text, ", \"%u", i);
        add_text(&b.text, "kkkkkkkkkkkkkkkk", 2500);
        lg_buf_add_c(&b.text, "\"");
    }
    lg_buf_add_c(&b.text, "]}");
    const lg_decision *decision =
        judge(&b, "evidence of long keys", whole(&b.text), "revise: r violated");
    CHECK(decision->evidence_cut && decision->evidence_left_out > 0);
    lg_session_set_explain(b.session, LG_EXPLAIN_NOTHING);
    decision = judge(&b, "the same without evidence", whole(&b.text), "revise: r violated");
    CHECK(!decision->evidence_cut && !decision->hints_cut);
    CHECK(decision->evidence_count == 0 && decision->hint_count == 0);
    close_pack(&b);
}

// 300 absent reads, each twice: none is taken for another, and none is compared with all.
static void absent_reads_are_told_apart(void)
{
    bench b;
    open_pack(&b, "{type: object, properties: {a: {type: array, items: {type: string}}}}",
              "rules: {r: {tools: [act], that: \"args.a.exists(k, k in ledger.box) || "
              "args.a.exists(k, k in ledger.box)\", say: no}}\n");
    observe(&b, "get_box", "{}", LG_STR("{}"));
    lg_buf_add_c(&b.text, "{\"a\": [\"\"");
    for (unsigned i = 0; i < 299; i++) {
        lg_buf_addf(&b.text, ", \"%u\"", i);
    }
    lg_buf_add_c(&b.text, "]}");
    const lg_decision *decision = judge(&b, "absent reads", whole(&b.text), "revise: r violated");
    CHECK(!decision->evidence_cut);
    CHECK(decision->evidence_count + decision->evidence_left_out == 600);
    close_pack(&b);
}

// What a decision read is forgotten with it: a session keeps what the decision says, and little more.
static void a_decision_leaves_little_behind(void)
{
    bench b;
    open_pack(&b, "{type: object}",
              "rules: {r: {tools: [act], that: \"ledger.box.list.all(x, x >= 0.0)\", say: no}}\n");
    add_map(&b.text, 1500);
    lg_ledger ledger;
    lg_ledger_init(&ledger, b.pack, NULL);
    const lg_json *none = NULL;
    lg_arena scratch;
    lg_arena_init(&scratch, 0);
    lg_arena args;
    lg_arena_init(&args, 0);
    CHECK(lg_json_parse_in(&args, LG_STR("{}"), 0, 2, NULL, &none, NULL) == LG_OK);
    lg_ledger_call call = {.tool = LG_STR("get_box"), .args = none, .result = whole(&b.text)};
    lg_observed observed;
    CHECK(lg_ledger_observe(&ledger, &call, &observed, NULL) == LG_OK);
    lg_gate_call proposed = {.tool = LG_STR("act"), .args = none};
    lg_decision decision = {0};
    CHECK(lg_gate_decide(b.pack, &ledger.state, &proposed, NULL, &scratch, &decision, NULL) ==
          LG_OK);
    CHECK(decision.evidence_count == 64 && decision.evidence_left_out == 1501 - 64);
    CHECK_MSG(scratch.held_bytes <= (size_t)24 << 10, "1,500 reads in 24 KiB");
    lg_arena_done(&scratch);
    lg_arena_done(&args);
    lg_ledger_done(&ledger);
    close_pack(&b);
}

// --- Stale records ------------------------------------------------------------------------------

static void stale_records_are_found_within_their_steps(void)
{
    enum { RECORDS = 2000 };
    bench b;
    open_pack(&b, "{type: object}",
              "  touch: {kind: write, parameters: {type: object}}\n"
              "stale: reread\n"
              "rules: {r: {tools: [act], that: \"ledger.boxes.all(k, ledger.boxes[k] >= 0.0)\", "
              "say: no}}\n");
    for (unsigned i = 0; i < RECORDS; i++) {
        char args[64];
        snprintf(args, sizeof(args), "{\"id\": \"%u\"}", i);
        observe(&b, "get_one", args, LG_STR("1"));
    }
    lg_event touched = {.kind = LG_EVENT_RESULT, .tool = LG_STR("touch"), .text = LG_STR("{}")};
    CHECK(lg_observe(b.session, &touched, NULL, NULL) == LG_OK);
    const lg_decision *decision = judge(&b, "2,000 stale records", LG_STR("{}"), "revise: r stale");
    CHECK(decision->finding_count == 1 && decision->findings[0].missing_count > 0);
    CHECK(decision->message.len < 200000);
    close_pack(&b);
}

// --- Conversations ------------------------------------------------------------------------------

static void messages_are_judged_within_their_steps(void)
{
    bench b;
    open_pack(&b, "{type: object}",
              "conversation:\n  rules:\n"
              "    polite: {that: \"!message.matches('(a+)+[bc]')\", at: {message: agent}}\n"
              "    clear: {that: \"!message.contains('aab')\", at: {message: agent}}\n");
    add_text(&b.text, "aaaaaaaaaaaaaaaa", 6250);
    lg_event message = {.kind = LG_EVENT_MESSAGE, .role = LG_ROLE_AGENT, .text = whole(&b.text)};
    const lg_decision *decision = NULL;
    lg_error error = {0};
    double start = now_ns();
    if (CHECK(lg_decide(b.session, &message, 1, &decision, &error) == LG_OK)) {
        show("a message of 100 KB", decision, now_ns() - start);
        CHECK(decision->verdict == LG_REVISE && decision->gated);
        if (CHECK(decision->finding_count == 1)) {
            CHECK_STR(decision->findings[0].rule, "polite");
            CHECK(decision->findings[0].cause == LG_CAUSE_BUDGET);
        }
    }
    message.text = LG_STR("aaab");
    CHECK(lg_decide(b.session, &message, 1, &decision, &error) == LG_OK);
    CHECK(decision && decision->finding_count == 2 &&
          decision->findings[0].cause == LG_CAUSE_VIOLATED);
    close_pack(&b);
}

// A call is judged by its rules and by those of the conversation out of one budget.
static void calls_and_conversation_share_their_steps(void)
{
    bench b;
    open_pack(&b, "{type: object, properties: {n: {type: number}}}",
              "rules: {r: {tools: [act], that: \"range(int(args.n)).all(i, i >= 0)\", say: no}}\n"
              "conversation:\n  rules:\n"
              "    c: {that: \"range(int(args.n)).all(i, i >= 0)\", at: {call: act}}\n");
    (void)judge(&b, "a rule and a conversation rule", LG_STR("{\"n\": 10000}"), "allow: ");
    (void)judge(&b, "the second is too much", LG_STR("{\"n\": 30000}"), "revise: c budget");
    (void)judge(&b, "the first is too much", LG_STR("{\"n\": 100000}"), "revise: r budget");
    close_pack(&b);
}

// What was said cannot be followed: from then on every call is refused, and the reason is told.
static void what_cannot_be_followed_refuses_what_comes(void)
{
    bench b;
    open_pack(&b, "{type: object}",
              "conversation:\n  rules:\n    never_after:\n      never:\n"
              "        from: {message: user, when: \"message.matches('(a+)+[bc]')\"}\n"
              "        to: {call: act}\n");
    add_text(&b.text, "aaaaaaaaaaaaaaaa", 6250);
    lg_event message = {
        .kind = LG_EVENT_MESSAGE, .role = LG_ROLE_USER, .text = LG_STR("aab is said")};
    const lg_decision *decision = NULL;
    lg_error error = {0};
    CHECK(lg_observe(b.session, &message, NULL, &error) == LG_OK);
    lg_event call = {.kind = LG_EVENT_CALL, .tool = LG_STR("act")};
    CHECK(lg_decide(b.session, &call, 1, &decision, &error) == LG_OK);
    CHECK(decision && decision->verdict == LG_REVISE);
    message.text = whole(&b.text);
    double start = now_ns();
    CHECK(lg_observe(b.session, &message, NULL, &error) == LG_OK);
    printf("bench: %-42s %7.2f ms\n", "a message that cannot be followed",
           (now_ns() - start) / 1e6);
    const char *why = lg_not_followed(b.session);
    CHECK(why && lg_str_find(lg_str_c(why), LG_STR("observe_steps")) != SIZE_MAX);
    decision = judge(&b, "a call after that", LG_STR("{}"), "revise: conversation budget");
    CHECK(lg_str_find(decision->message, LG_STR("observe_steps")) != SIZE_MAX);
    lg_session_reset(b.session);
    (void)judge(&b, "a call of a new conversation", LG_STR("{}"), "allow: ");
    close_pack(&b);
}

// --- What is observed -----------------------------------------------------------------------------

typedef struct observe_case {
    const char *name;
    const char *tool; // its definition
    const char *unit; // of the list that it returns
    size_t times;
    lg_observed want;
    const char *told; // which limit it was
} observe_case;

static const observe_case observe_cases[] = {
    {"a store that is too expensive",
     "kind: read, parameters: {type: object}, returns: {}, stores: [{at: box, value: "
     "\"result.filter(x, result.all(y, x + y >= 0.0))\"}]",
     "1", 10000, LG_OBSERVED_UNREADABLE, "cel_cost"},
    {"a value far larger than the result",
     "kind: read, parameters: {type: object}, returns: {}, stores: [{at: box, value: "
     "\"result.map(x, result)\"}]",
     "1", 10000, LG_OBSERVED_UNREADABLE, "observe_steps"},
    {"a postcondition that is too expensive",
     "kind: read, parameters: {type: object}, returns: {}, stores: [{at: box}], ensures: [{id: e, "
     "that: \"result.all(x, result.all(y, x + y >= 0.0))\"}]",
     "1", 10000, LG_OBSERVED_REJECTED, "cel_cost"},
    {"a form that is too expensive",
     "kind: read, parameters: {type: object}, stores: [{at: box}], returns: {type: array, items: "
     "{type: string, pattern: '^(a|a)*$'}}",
     "\"aaaaaaaaaaaaab\"", 10000, LG_OBSERVED_UNREADABLE, "too much work to match"},
    {"a write whose postcondition is too expensive",
     "kind: write, parameters: {type: object}, returns: {}, effects: [], ensures: [{id: e, that: "
     "\"result.all(x, result.all(y, x + y >= 0.0))\"}]",
     "1", 10000, LG_OBSERVED_UNVERIFIED, "cel_cost"},
    {"many stores that are expensive together",
     "kind: read, parameters: {type: object}, returns: {}, stores: [{each: result, at: "
     "'boxes[string(item)]', value: \"result.all(x, x > 0.0)\"}]",
     "1", 3000, LG_OBSERVED_UNREADABLE, "observe_steps"},
    {"a large result", "kind: read, parameters: {type: object}, returns: {}, stores: [{at: box}]",
     "1", 500000, LG_OBSERVED_RECORDS, ""},
};

static void results_are_taken_in_within_their_steps(void)
{
    for (size_t i = 0; i < LG_COUNT(observe_cases); i++) {
        const observe_case *c = &observe_cases[i];
        bench b;
        lg_buf rest;
        lg_buf_init(&rest, 0);
        lg_buf_addf(&rest, "  get: {%s}\n", c->tool);
        lg_buf_add_byte(&rest, '\0');
        open_pack(&b, "{type: object}", rest.ptr);
        lg_buf_addf(&b.text, "[%s", c->unit);
        for (size_t k = 1; k < c->times; k++) {
            lg_buf_addf(&b.text, ",%s", c->unit);
        }
        lg_buf_add_c(&b.text, "]");
        lg_event o = {.kind = LG_EVENT_RESULT, .tool = LG_STR("get"), .text = whole(&b.text)};
        lg_observed observed = LG_OBSERVED_NOTHING;
        lg_error error = {0};
        lg_test_name = c->name;
        double start = now_ns();
        CHECK_MSG(lg_observe(b.session, &o, &observed, &error) == LG_OK, error.msg);
        printf("bench: %-42s %7.2f ms\n", c->name, (now_ns() - start) / 1e6);
        CHECK_MSG(observed == c->want, error.msg);
        bool told = lg_str_find(lg_str_c(error.msg), lg_str_c(c->told)) != SIZE_MAX;
        CHECK_MSG(told && (c->told[0] || !error.msg[0]), error.msg);
        lg_buf_done(&rest);
        close_pack(&b);
    }
}

int main(void)
{
    RUN(arguments_are_checked_within_their_steps);
    RUN(references_that_branch_end);
    RUN(a_message_shows_what_it_can);
    RUN(shows_end_with_the_words);
    RUN(reads_are_withdrawn_within_the_words);
    RUN(hints_end_first);
    RUN(evidence_is_cut_and_says_so);
    RUN(absent_reads_are_told_apart);
    RUN(a_decision_leaves_little_behind);
    RUN(stale_records_are_found_within_their_steps);
    RUN(messages_are_judged_within_their_steps);
    RUN(calls_and_conversation_share_their_steps);
    RUN(what_cannot_be_followed_refuses_what_comes);
    RUN(results_are_taken_in_within_their_steps);
    show_worst();
    return lg_test_done();
}
