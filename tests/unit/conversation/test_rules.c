// test_rules.c: short conversations, and at which word which rule finds something.
#include "course_fixture.h"

#include "base/hash.h"

typedef struct course_case {
    const char *name;
    const char *rules;
    const char *words;
    const char *want;
} course_case;

#define NEVER "  rules: {r: {never: {from: pay, to: cancel}}}\n"
#define NEVER_NEXT "  rules: {r: {never: {from: pay, to: cancel}, within: {calls: 1}}}\n"
#define UNLESS "  rules: {r: {never: {from: pay, to: cancel, unless: {result: refund}}}}\n"
#define KEYED                                                                                      \
    "  rules: {r: {never: {from: {result: pay, key: args.id}, to: {call: cancel, key: "            \
    "args.id}}}}\n"
#define BEFORE "  rules: {r: {before: {first: {result: find}, then: writes}}}\n"
#define BEFORE_KEYED                                                                               \
    "  rules: {r: {before: {first: {result: look, key: args.id}, then: {call: cancel, key:"        \
    " args.id}}}}\n"
#define AFTER                                                                                      \
    "  ends: transfer\n"                                                                           \
    "  rules: {r: {after: {result: cancel, key: args.id}, must: {result: refund, key: args.id},"   \
    " within: {events: 6}}}\n"
#define AFTER_SECONDS                                                                              \
    "  rules: {r: {after: {result: cancel}, must: refund, within: {seconds: 60}}}\n"
#define MESSAGE "  single_call_per_turn: true\n  no_text_with_call: {otherwise: report}\n"
#define COUNT                                                                                      \
    "  signals: {n: {count: transfer}}\n"                                                          \
    "  rules: {r: {that: n <= 2, at: transfer, otherwise: block}}\n"
#define COUNT_EVENTS                                                                               \
    "  signals: {n: {count: {call: pay}, within: {events: 4}}}\n"                                  \
    "  rules: {r: {that: n <= 1, at: pay}}\n"
#define COUNT_SECONDS                                                                              \
    "  signals: {n: {count: {call: pay}, within: {seconds: 60}}}\n"                                \
    "  rules: {r: {that: n <= 1, at: pay}}\n"
#define CONFIRM                                                                                    \
    "  patterns:\n"                                                                                \
    "    asks: {message: agent, when: \"message.contains('confirm')\"}\n"                          \
    "    yes: {message: user, when: \"message.matches('(?i)\\\\\\\\byes\\\\\\\\b')\"}\n"           \
    "  signals:\n"                                                                                 \
    "    asked: {since: asks, until: {message: agent, when: \"!message.contains('confirm')\"}}\n"  \
    "    agreed: {since: {message: user, when: \"asked && message.contains('yes')\"}, until:"      \
    " {result: writes}}\n"                                                                         \
    "  rules: {r: {that: agreed, at: {call: writes}, say: 'Ask first, {tool}.'}}\n"
#define LEDGER                                                                                     \
    "  rules: {r: {never: {from: {call: look, when: \"'x' in ledger.orders\"}, to: pay}}}\n"
#define RESULTS                                                                                    \
    "  rules: {r: {after: {result: look, when: \"result.state == 'open'\"}, must: pay}}\n"
#define ABSENT                                                                                     \
    "  signals: {n: {count: {call: pay, when: args.amount > 100.0}}}\n"                            \
    "  rules: {r: {that: n <= 0, at: pay}}\n"
#define DEFECT "  rules: {r: {never: {from: look, to: {call: pay, when: \"int(args.id) > 3\"}}}}\n"
#define DEFECT_SIGNAL                                                                              \
    "  signals: {n: {once: {call: look, when: \"int(args.id) > 3\"}}}\n"                           \
    "  rules: {r: {that: n, at: pay}, s: {that: \"n || true\", at: pay}}\n"
#define USER                                                                                       \
    "  rules: {r: {after: find, must: {result: reboot}}, q: {never: {from: {call:"                 \
    " any}, to: pay}}}\n"

// What depends on `near` is undecided where there are no times.
#define NEAR "  signals: {near: {once: {result: look}, within: {seconds: 5}}}\n"
#define NEVER_NEAR NEAR "  rules: {r: {never: {from: [pay, {call: find, when: near}], to: pay}}}\n"
#define BEFORE_NEAR                                                                                \
    NEAR "  rules: {r: {before: {first: [refund, {call: find, when: near}], then: pay}}}\n"
#define UNLESS_NEAR                                                                                \
    NEAR "  rules: {r: {never: {from: pay, to: cancel, unless: {call: find, when: near}}}}\n"
#define UNLESS_ALL_NEAR                                                                            \
    NEAR                                                                                           \
        "  rules: {r: {never: {from: {call: pay, key: args.id}, to: {call: cancel, key: args.id}," \
        " unless: {call: find, when: near}}}}\n"
#define AFTER_NEAR                                                                                 \
    NEAR "  ends: transfer\n"                                                                      \
         "  rules: {r: {after: [cancel, {call: find, when: near}], must: [refund, {call: pay, "    \
         "when:"                                                                                   \
         " near}]}}\n"
#define JUDGED_NEAR NEAR "  rules: {r: {never: {from: cancel, to: {call: pay, when: near}}}}\n"
#define THAT_NEAR NEAR "  rules: {r: {that: near, at: pay}, s: {that: 'near || !near', at: pay}}\n"
#define COUNT_NEAR                                                                                 \
    "  signals:\n"                                                                                 \
    "    near: {once: {result: look}, within: {seconds: 5}}\n"                                     \
    "    n: {count: [{call: pay}, {call: find, when: near}]}\n"                                    \
    "  rules: {r: {that: n <= 2, at: pay}}\n"
#define MOMENT "  rules: {r: {never: {from: pay, to: cancel}, within: {seconds: 10}}}\n"
#define LIMIT "  rules: {r: {that: args.amount <= 100.0, at: pay}}\n"
#define LIMIT_IF "  rules: {r: {that: '!has(args.amount) || args.amount <= 100.0', at: pay}}\n"
#define LIMIT_LEDGER "  rules: {r: {that: \"ledger.orders['x'].state == 'open'\", at: pay}}\n"
#define KEYS_OF(from, to)                                                                          \
    "  rules: {r: {never: {from: {call: look, key: \"" from "\"}, to: {call: pay, key: \"" to      \
    "\"}}}}\n"
#define WRITES "  rules: {r: {never: {from: {call: writes}, to: {message: user}}}}\n"
#define READS "  rules: {r: {never: {from: {call: reads}, to: {message: user}}}}\n"
#define WHILE                                                                                      \
    "  signals:\n"                                                                                 \
    "    heard: {once: {message: user}}\n"                                                         \
    "    s: {since: {call: pay}, while: heard}\n"                                                  \
    "  rules: {r: {that: s, at: {message: agent}}}\n"
#define UNTIL                                                                                      \
    "  signals: {s: {since: {call: pay}, until: {event: any}}}\n"                                  \
    "  rules: {r: {that: s, at: {call: any}}}\n"
#define TURNS "  rules: {r: {never: {from: {call: pay}, to: {call: cancel}}, within: {turns: 1}}}\n"

static const course_case cases[] = {
    {"never: the second is refused after the first", NEVER, "cancel pay u:hi cancel cancel",
     "4:r 5:r"},
    {"never: once it is at most once", "  rules: {r: {never: {from: pay, to: pay}}}\n",
     "pay look pay", "3:r"},
    {"never within one call: only the next call", NEVER_NEXT, "pay cancel pay look cancel", "2:r"},
    {"never within one call: messages do not count", NEVER_NEXT, "pay u:ok a:fine cancel", "4:r"},
    {"never unless: lifted by what came in between", UNLESS, "pay refund cancel pay refund! cancel",
     "6:r"},
    {"never by key: other keys are free", KEYED, "pay(1) cancel(2) cancel(1) pay! cancel(3)",
     "3:r"},
    {"never by key: what failed was no result", KEYED, "pay(1)! cancel(1)", ""},
    {"a key that is absent is no match", KEYED, "pay cancel", ""},
    {"before: refused until the first succeeded", BEFORE, "find! pay find pay cancel", "2:r"},
    {"before by key: each key for itself", BEFORE_KEYED, "look(1) cancel(2) cancel(1)", "2:r"},
    {"after: met by its own key", AFTER, "cancel(1) refund(1)", ""},
    {"after: owed at the end", AFTER, "cancel(1) cancel(2) refund(1)", "owes r(2)"},
    {"after: what has failed does not count", AFTER, "cancel(1) refund(1)!", "owes r(1)"},
    {"after: late is not in time", AFTER, "cancel(1) u:a u:b u:c u:d refund(1)", ""},
    {"after: too late", AFTER, "cancel(1) u:a u:b u:c u:d u:e refund(1)", "owes r(1) late"},
    {"after: overdue", AFTER, "cancel(1) u:a u:b u:c u:d u:e u:f u:g", "owes r(1) overdue"},
    {"after: the first trigger counts", AFTER, "cancel(1) u:a u:b cancel(1) u:c u:d refund(1)",
     "owes r(1) late"},
    {"ends: nothing may be owed", AFTER, "cancel(1) transfer", "2:r owes r(1)"},
    {"ends: nothing is owed", AFTER, "cancel(1) refund(1) transfer", ""},
    {"seconds: in time", AFTER_SECONDS, "@1 cancel @60 refund", ""},
    {"seconds: late", AFTER_SECONDS, "@1 cancel @61 refund", "owes r late"},
    {"seconds without times: undecided, not late", AFTER_SECONDS, "cancel refund", ""},
    {"seconds without times: owed all the same", AFTER_SECONDS, "cancel", "owes r"},
    {"one call a message", MESSAGE, "pay look +look +pay pay",
     "3:single_call_per_turn "
     "4:single_call_per_turn"},
    {"no text with a call", MESSAGE, "a:hi pay a:hi +pay", "4:no_text_with_call report"},
    {"no text after a call", MESSAGE, "pay +a:done pay +a:_", "2:no_text_with_call report"},
    {"no text with a call: the user's text is none", MESSAGE, "u:hi +pay", ""},
    {"count: the third is refused", COUNT, "transfer look transfer u:hi transfer", "5:r block"},
    {"count within events", COUNT_EVENTS, "pay look pay look look pay pay", "3:r 7:r"},
    {"count within seconds", COUNT_SECONDS, "@1 pay @60 pay @1 pay @61 pay", "2:r 3:r"},
    {"count within seconds: the first needs no time", COUNT_SECONDS, "pay", ""},
    {"count within seconds without times is undecided", COUNT_SECONDS, "pay pay", "2:?"},
    {"count within seconds: what lies between needs no time", COUNT_SECONDS, "@1 pay @ u:hi @1 pay",
     "3:r"},
    {"since: agreed after asking", CONFIRM, "a:confirm? u:yes pay pay", "4:r"},
    {"since: a yes to something else", CONFIRM, "a:confirm? a:weather? u:yes pay", "4:r"},
    {"a condition on the ledger that does not hold", LEDGER, "look pay", ""},
    {"a condition on a result", RESULTS, "look", "owes r"},
    {"a condition on a result, met", RESULTS, "look look! pay", ""},
    {"leaving an argument out does not switch a count off", ABSENT, "pay pay", ""},
    {"a condition that cannot be evaluated is a defect", DEFECT, "look pay(4) pay(x)",
     "2:r 3:r defect"},
    {"a signal that cannot be evaluated is a defect of the rules that need it", DEFECT_SIGNAL,
     "look(x) pay", "2:r defect"},
    {"a tool of the user is called by the user", USER, "find reboot", ""},
    {"any call is one of the agent", USER, "reboot pay find pay", "4:q owes r"},
    {"a tool of the user is owed", USER, "find reboot!", "owes r"},
    {"undecided: an opening hides no certain one", NEVER_NEAR, "look pay find pay", "4:r"},
    {"undecided: an opening that may be", NEVER_NEAR, "look find pay pay", "3:? 4:r"},
    {"undecided: what may come first is not what did", BEFORE_NEAR, "look find pay refund find pay",
     "3:?"},
    {"undecided: what may lift leaves it possible, and the next is certain", UNLESS_NEAR,
     "look pay find cancel pay cancel", "4:? 6:r"},
    {"undecided: what may lift all leaves each possible", UNLESS_ALL_NEAR,
     "look pay(1) pay(2) find cancel(1) pay(2) cancel(2) cancel(3)", "5:? 7:r"},
    {"undecided: what may be owed is not owed", AFTER_NEAR, "look find transfer", "3:?"},
    {"undecided: what may be met is not owed", AFTER_NEAR, "look cancel pay transfer", "4:?"},
    {"undecided: what is owed again is", AFTER_NEAR, "look cancel pay cancel transfer",
     "5:r owes r"},
    {"undecided: what is met is met", AFTER_NEAR, "look find cancel pay refund transfer", ""},
    {"undecided: an event that may be judged, and would be fine", JUDGED_NEAR, "look pay", ""},
    {"undecided: an event that may be judged, and would not", JUDGED_NEAR, "look cancel pay",
     "3:?"},
    {"undecided: a condition that is the same either way is certain", THAT_NEAR, "look pay", "2:?"},
    {"undecided: a count that is over its limit whatever else matched", COUNT_NEAR,
     "look pay find pay pay", "4:? 5:r"},
    {"undecided: a count that is within its limit whatever else matched", COUNT_NEAR,
     "look find pay", ""},
    {"the calls of a message are of one moment", MOMENT, "@1 pay @20 +cancel", "2:r"},
    {"calls of two messages are not", MOMENT, "@1 pay @20 cancel", ""},
    {"time never goes back", MOMENT, "@100 pay @20 u:hi @-20 cancel", ""},
    {"a clock that jumps back keeps no window open", MOMENT, "@100 pay @-50 u:hi @12 cancel",
     "3:r"},
    {"of a distance both ends need a time", MOMENT, "@1 pay @ u:hi @1 cancel @ cancel", "3:r 4:?"},
    {"an argument that is left out does not hold", LIMIT, "pay", "1:r"},
    {"an argument that may be left out", LIMIT_IF, "pay", ""},
    {"what the ledger lacks is undecided", LIMIT_LEDGER, "pay", "1:?"},
    {"keys: 1 and 1.0 are the same number", KEYS_OF("1", "1.0"), "look pay", "2:r"},
    {"keys: a number is no text", KEYS_OF("1.0", "'1.0'"), "look pay", ""},
    {"keys: nor is one that is written like it", KEYS_OF("1", "'1'"), "look pay", ""},
    {"keys: the order of members is nothing", KEYS_OF("{'a': 1, 'b': 2}", "{'b': 2.0, 'a': 1.0}"),
     "look pay", "2:r"},
    {"writes are declared writes of the agent", WRITES, "reboot nobody transfer look u:a pay u:b",
     "7:r"},
    {"reads are declared reads of the agent", READS, "reboot nobody transfer pay u:a find u:b",
     "7:r"},
    {"while need not hold where it begins", WHILE, "pay? u:hi a:so", ""},
    {"while has to hold afterwards", WHILE, "pay? a:so", "2:r"},
    {"until ends nothing that begins there", UNTIL, "pay look", "2:r"},
    {"a turn is a message with its calls", TURNS, "pay +look u:hi cancel pay u:a cancel pay cancel",
     "9:r"},
    {"an unknown tool is any call", "  rules: {r: {never: {from: {call: any}, to: pay}}}\n",
     "nobody pay", "2:r"},
};

static void rules_find_what_they_say(void)
{
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        course_run r;
        lg_test_name = cases[i].name;
        course_begin(&r, cases[i].rules);
        course_play(&r, cases[i].words);
        CHECK_STR(course_outcome(&r), cases[i].want);
        course_end(&r);
    }
}

// --- Tallies ------------------------------------------------------------------------------------

// What was owed for certain is met in time, and what may have been owed before it too late.
static void what_may_have_come_too_late_is_undecided(void)
{
    course_run r;
    course_begin(&r, NEAR "  rules: {r: {after: [cancel, {call: find, when: near}], must: {call:"
                          " refund}, within: {events: 4}}}\n");
    course_play(&r, "look find");
    CHECK(lg_conversation_tally_of(&r.c, 0).undecided == 1); // it may be owed
    course_play(&r, "u:a u:b cancel refund");
    CHECK_STR(course_outcome(&r), "");
    CHECK(lg_conversation_tally_of(&r.c, 0).undecided == 1);
    course_play(&r, "cancel refund");
    CHECK(lg_conversation_tally_of(&r.c, 0).undecided == 1);
    course_end(&r);
}

// --- Times --------------------------------------------------------------------------------------

static void a_time_that_no_clock_shows_is_none(void)
{
    static const int64_t seconds[] = {INT64_MIN, -1, INT64_C(253402300800), INT64_MAX};
    for (size_t i = 0; i < LG_COUNT(seconds); i++) {
        course_run r;
        course_begin(&r, MOMENT);
        r.timed = true;
        r.seconds = seconds[i];
        course_play(&r, "pay cancel");
        r.seconds = 7;
        course_play(&r, "cancel pay cancel");
        CHECK_STR(course_outcome(&r), "2:? 3:? 5:r");
        course_end(&r);
    }
}

// --- Messages -----------------------------------------------------------------------------------

// A call of no known message may belong to the one before it.
static void a_call_of_no_known_message_hides_no_second_one(void)
{
    static const struct {
        bool has_turn;
        size_t found, undecided;
    } calls[] = {{false, 0, 0}, {true, 0, 0}, {false, 0, 1}, {true, 1, 0}};
    course_run r;
    course_begin(&r, "  single_call_per_turn: true\n");
    for (size_t i = 0; i < LG_COUNT(calls); i++) {
        lg_conversation_findings found;
        lg_conversation_event event = {.kind = LG_EVENT_CALL,
                                       .role = LG_ROLE_AGENT,
                                       .has_turn = calls[i].has_turn,
                                       .turn = 5,
                                       .tool = LG_STR("look"),
                                       .args = fixture_json(&r.arena, "{}"),
                                       .ledger = r.pack->ledger.root};
        CHECK(lg_conversation_observe(&r.c, &event, &r.scratch, &found, NULL) == LG_OK);
        CHECK(found.count == calls[i].found && found.undecided == calls[i].undecided);
    }
    course_end(&r);
}

static void a_reset_forgets_all(void)
{
    course_run r;
    course_begin(&r, COUNT "    # and\n");
    course_play(&r, "transfer transfer");
    lg_conversation_reset(&r.c);
    course_play(&r, "transfer transfer");
    CHECK_STR(course_outcome(&r), "");
    course_play(&r, "transfer");
    CHECK_STR(course_outcome(&r), "5:r block");
    course_end(&r);
}

// --- Words --------------------------------------------------------------------------------------

// A call, as it would come next.
static lg_conversation_event next_call(course_run *r, const char *tool, const char *id,
                                       bool together)
{
    lg_str args = id ? lg_arena_printf(&r->arena, "{\"id\": \"%s\"}", id) : LG_STR("{}");
    return (lg_conversation_event){.kind = LG_EVENT_CALL,
                                   .role = LG_ROLE_AGENT,
                                   .has_turn = true,
                                   .turn = together ? r->turn : r->turn + 1,
                                   .tool = lg_str_c(tool),
                                   .args = fixture_json(&r->arena, args.ptr),
                                   .ledger = r->pack->ledger.root};
}

typedef struct words_case {
    const char *name, *rules, *words, *tool, *id;
    bool together; // the call is in the message of the last word
    const char *want;
} words_case;

static const words_case messages[] = {
    {"never", KEYED, "pay(1)", "cancel", "1", false,
     "This may not follow a result of pay for 1 (turn 1)."},
    {"before", BEFORE, "", "pay", NULL, false, "First there has to be a result of find."},
    {"before, too long ago",
     "  rules: {r: {before: {first: look, then: pay}, within: {turns: 1}}}\n", "look u:a", "pay",
     NULL, false, "First there has to be a call of look, and the latest is too long ago."},
    {"that", COUNT, "transfer transfer", "transfer", NULL, false, "`n <= 2` does not hold."},
    {"that, in its own words", CONFIRM, "", "pay", NULL, false, "Ask first, pay."},
    {"one call", MESSAGE, "pay", "pay", NULL, true,
     "One call at a time: this message holds another call already."},
    {"text and call", MESSAGE, "a:hi", "pay", NULL, true,
     "A message either says something or calls a tool; this one does both."},
    {"the end", AFTER, "cancel(1) cancel(2)", "transfer", NULL, false,
     "Before the conversation ends there has to be a result of refund for 1 and 1 more, owed since"
     " turn 1."},
    {"a defect", DEFECT, "look", "pay", "x", false,
     "Rule r (fixture.yaml:14) could not be evaluated: the text is no int in `int(args.id) > 3`. "
     "This is a fault of the pack or of a record, not of the call."},
};

static void findings_are_said_in_words(void)
{
    for (size_t i = 0; i < LG_COUNT(messages); i++) {
        const words_case *m = &messages[i];
        course_run r;
        lg_test_name = m->name;
        course_begin(&r, m->rules);
        course_play(&r, m->words);
        lg_conversation_event event = next_call(&r, m->tool, m->id, m->together);
        lg_conversation_findings findings;
        CHECK(judge_event(&r.c, &event, &r.scratch, &findings) == LG_OK);
        if (CHECK(findings.count == 1)) {
            CHECK_STR(findings.items[0].message, m->want);
        }
        course_end(&r);
    }
}

static void a_finding_names_the_events_that_decided(void)
{
    course_run r;
    course_begin(&r, KEYED);
    course_play(&r, "u:hi pay(1) u:so");
    lg_conversation_event event = next_call(&r, "cancel", "1", false);
    lg_conversation_findings findings;
    CHECK(judge_event(&r.c, &event, &r.scratch, &findings) == LG_OK);
    if (CHECK(findings.count == 1 && findings.items[0].evidence_count == 1)) {
        const lg_evidence *evidence = &findings.items[0].evidence[0];
        CHECK_STR(evidence->path, "conversation[2]");
        CHECK_STR(evidence->value, "\"result\"");
        CHECK_STR(evidence->tool, "pay");
        CHECK(evidence->turn == 2);
    }
    course_end(&r);
}

static void an_obligation_says_what_to_do(void)
{
    course_run r;
    course_begin(&r,
                 "  rules: {r: {after: {result: cancel, key: args.id}, must: {result: refund, key: "
                 "args.id}, because: policy, say: 'Refund {key} ({tool}, {turn})'}}\n");
    course_play(&r, "u:hi cancel(7)");
    const lg_obligation *owed;
    size_t count;
    CHECK(lg_conversation_owed(&r.c, &r.arena, &owed, &count, NULL) == LG_OK);
    if (CHECK(count == 1)) {
        CHECK_STR(owed[0].message, "Refund 7 (cancel, 2)");
        CHECK_STR(owed[0].because, "policy");
        CHECK(owed[0].event == 2 && owed[0].turn == 2 && owed[0].verdict == LG_REVISE);
    }
    course_end(&r);
}

// --- Limits -------------------------------------------------------------------------------------

// One more key than a rule keeps apart: nothing is allowed or refused by what was forgotten.
static void keys_beyond_the_limit_are_undecided(void)
{
    course_run r;
    char word[32];
    course_begin(&r, AFTER);
    for (unsigned i = 0; i <= LG_CONVERSATION_KEYS_MAX; i++) {
        CHECK(lg_conversation_dropped(&r.c) == 0);
        snprintf(word, sizeof(word), "cancel(%u)", i);
        course_play(&r, word);
    }
    CHECK(lg_conversation_dropped(&r.c) == 1);
    course_end(&r);

    course_begin(&r, BEFORE_KEYED);
    for (unsigned i = 0; i <= LG_CONVERSATION_KEYS_MAX; i++) {
        snprintf(word, sizeof(word), "look(%u)", i);
        course_play(&r, word);
    }
    course_play(&r, "cancel(3) cancel(256)");
    CHECK_STR(course_outcome(&r), "259:?");
    course_end(&r);
}

static void a_long_key_is_told_from_one_that_begins_like_it(void)
{
    course_run r;
    char word[256];
    course_begin(&r, BEFORE_KEYED);
    snprintf(word, sizeof(word), "look(%0100d1)", 0);
    course_play(&r, word);
    snprintf(word, sizeof(word), "cancel(%0100d1) cancel(%0100d2)", 0, 0);
    course_play(&r, word);
    CHECK_STR(course_outcome(&r), "3:r");
    course_end(&r);
}

// Who knows the hash of a key cannot use it in its place.
static void a_key_is_not_its_hash(void)
{
    course_run r;
    char key[101], hex[65], word[512];
    snprintf(key, sizeof(key), "%0100d", 1);
    lg_sha256_hex(lg_str_c(key), hex);
    course_begin(&r, BEFORE_KEYED);
    snprintf(word, sizeof(word), "look(%s) cancel(%s) cancel(%s)", key, hex, key);
    course_play(&r, word);
    CHECK_STR(course_outcome(&r), "2:r");
    course_end(&r);
}

int main(void)
{
    RUN(rules_find_what_they_say);
    RUN(a_time_that_no_clock_shows_is_none);
    RUN(what_may_have_come_too_late_is_undecided);
    RUN(a_call_of_no_known_message_hides_no_second_one);
    RUN(a_reset_forgets_all);
    RUN(findings_are_said_in_words);
    RUN(a_finding_names_the_events_that_decided);
    RUN(an_obligation_says_what_to_do);
    RUN(keys_beyond_the_limit_are_undecided);
    RUN(a_long_key_is_told_from_one_that_begins_like_it);
    RUN(a_key_is_not_its_hash);
    return lg_test_done();
}
