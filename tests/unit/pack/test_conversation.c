// test_conversation.c: mistakes in conversation rules, each with its place; and what is no mistake.
#include "lg_test.h"
#include "pack/conversation.h"
#include "pack_fixture.h"

static const char head[] =
    "pack: desk\n"
    "version: '1'\n"
    "ledger: {orders.*: {type: object, properties: {state: {type: string}}}}\n"
    "tools:\n"
    "  look: {kind: read, parameters: {type: object, properties: {id: {type: string}}}}\n"
    "  pay: {kind: write, parameters: {type: object, properties: {id: {type: string}, sum: {type:"
    " number}}}}\n"
    "rules: {taken: {tools: writes, that: 'true', say: x}}\n"
    "conversation:\n"; // line 8

typedef struct mistake {
    const char *name, *yaml, *want; // the first error, with line and column
} mistake;

static const mistake mistakes[] = {
    {"no map", "  - 1\n", "9:3: `conversation` must be a map"},
    {"an unknown key", "  rule: {}\n",
     "9:3: unknown key `rule` in `conversation`; did you mean `rules`?"},
    {"an obligation on an unknown tool", "  rules: {r: {after: pay, must: {result: lok}}}\n",
     "9:42: no tool is called `lok`; did you mean `look`?"},
    {"an unknown tool in a list", "  rules: {r: {never: {from: pay, to: {call: [pay, nobody]}}}}\n",
     "9:51: no tool is called `nobody`"},
    {"neither a pattern nor a tool", "  rules: {r: {before: {first: found, then: pay}}}\n",
     "9:31: no pattern or tool is called `found`"},
    {"a pattern is used above its line", "  patterns:\n    a: b\n    b: {message: user}\n",
     "10:8: no pattern or tool is called `b`"},
    {"a pattern that is called like a tool", "  patterns: {pay: {message: user}}\n",
     "9:14: a pattern may not be called `pay`: that names tools"},
    {"a pattern of nothing", "  ends: []\n", "9:9: a pattern without alternatives matches nothing"},
    {"a pattern of two kinds", "  ends: {call: pay, message: user}\n",
     "9:9: a pattern names one of `call`, `result`, `error`, `message` and `event`"},
    {"a message of nobody", "  ends: {message: system}\n", "9:19: `message` is user, agent or any"},
    {"an ill-typed condition", "  ends: {call: pay, when: args.sum == 'x'}\n",
     "9:36: no overload of `==` for (double, string)"},
    {"a condition that is no bool", "  ends: {call: pay, when: args.sum + 1.0}\n",
     "9:27: `when` must give a bool, this gives double"},
    {"an unknown argument", "  ends: {call: pay, when: \"args.idd == ''\"}\n",
     "9:33: unknown field `idd` of the arguments; did you mean `id`?"},
    {"an argument that not all tools have", "  ends: {call: [look, pay], when: args.sum > 1.0}\n",
     "9:40: unknown field `sum` of the arguments that all its tools share"},
    {"a signal that is not there yet",
     "  signals:\n    a: {once: {call: pay, when: b}}\n    b: {once: pay}\n",
     "10:33: unknown name `b`"},
    {"a signal of itself", "  signals: {a: {once: {call: pay, when: a}}}\n",
     "9:41: unknown name `a`"},
    {"a signal that is called like a variable", "  signals: {args: {once: pay}}\n",
     "9:13: `args` cannot be bound: it is taken, reserved, or no name"},
    {"a signal without a formula", "  signals: {a: {within: {events: 3}}}\n",
     "9:13: signal `a` needs one of `once`, `since` and `count`"},
    {"since without an end", "  signals: {a: {since: pay}}\n",
     "9:16: `since` needs `until` or `while`; without them, it is `once`"},
    {"a window of two units", "  signals: {a: {once: pay, within: {events: 3, turns: 2}}}\n",
     "9:36: a window has one of `events`, `turns`, `calls` and `seconds`"},
    {"an empty window", "  signals: {a: {once: pay, within: {events: 0}}}\n",
     "9:45: a window is a whole number from 1 to 1000000000"},
    {"a window that is no whole number", "  signals: {a: {once: pay, within: {seconds: 1.5}}}\n",
     "9:46: a window is a whole number from 1 to 1000000000"},
    {"a rule of no shape", "  rules: {r: {say: x}}\n",
     "9:11: rule `r` needs one of `never`, `before`, `after` and `that`"},
    {"a rule of two shapes", "  rules: {r: {that: 'true', after: pay, must: pay}}\n",
     "9:11: rule `r` needs one of `never`, `before`, `after` and `that`"},
    {"an obligation of nothing", "  rules: {r: {after: pay}}\n",
     "9:22: `after` needs `must`: what has to follow"},
    {"a window where none can be", "  rules: {r: {that: 'true', within: {events: 2}}}\n",
     "9:37: `within` has no meaning in a rule of this shape"},
    {"a rule that is there already", "  rules: {taken: {that: 'true'}}\n",
     "9:11: another rule is called `taken` already"},
    {"a key on one side", "  rules: {r: {after: {call: pay, key: args.id}, must: look}}\n",
     "9:55: `a call of look` needs a `key` here: another pattern of rule `r` has one"},
    {"a key where nothing is kept", "  signals: {a: {once: {call: pay, key: args.id}}}\n",
     "9:40: a `key` has no meaning here: nothing is kept by key"},
    {"an unknown verdict", "  rules: {r: {that: 'true', otherwise: allow}}\n",
     "9:40: `otherwise` is revise, block or report"},
    {"a message of an obligation that speaks of the call",
     "  rules: {r: {after: pay, must: look, say: '{args.id}'}}\n", "9:46: unknown name `args`"},
    {"that which is no bool", "  rules: {r: {that: \"'x'\"}}\n",
     "9:21: `that` must give a bool, this gives string"},
    {"a result that a call does not have", "  ends: {call: pay, when: result.x == 1.0}\n",
     "9:34: a value of type null_type has no field `x`"},
    {"not yes or no", "  single_call_per_turn: 1\n",
     "9:25: `single_call_per_turn` is true, false, or a map"},
};

static void mistakes_are_found_where_they_are(void)
{
    for (size_t i = 0; i < LG_COUNT(mistakes); i++) {
        char yaml[4096];
        char got[600] = "";
        lg_pack *pack = NULL;
        lg_error errors[8];
        size_t count = 0;
        lg_test_name = mistakes[i].name;
        snprintf(yaml, sizeof(yaml), "%s%s", head, mistakes[i].yaml);
        CHECK(lg_pack_load_text(lg_str_c(yaml), "p", NULL, &pack, errors, 8, &count) != LG_OK);
        if (count) {
            snprintf(got, sizeof(got), "%u:%u: %s", errors[0].line, errors[0].column,
                     errors[0].msg);
        }
        CHECK_STR(lg_str_c(got), mistakes[i].want);
        lg_pack_free(pack);
    }
}

static void a_pack_without_them_has_none(void)
{
    char yaml[4096];
    snprintf(yaml, sizeof(yaml), "%.*s", (int)(strlen(head) - strlen("conversation:\n")), head);
    lg_pack *pack = fixture_pack(yaml);
    CHECK(pack->course == NULL);
    lg_pack_free(pack);
}

static void too_many_are_refused(void)
{
    lg_buf yaml;
    lg_buf_init(&yaml, 0);
    lg_buf_addf(&yaml, "%s  rules:\n", head);
    for (unsigned i = 0; i < LG_COURSE_RULES_MAX; i++) {
        lg_buf_addf(&yaml, "    r%u: {that: 'true'}\n", i);
    }
    size_t most = yaml.len;
    lg_pack *pack = NULL;
    lg_error error;
    size_t count = 0;
    CHECK(lg_pack_load_text(lg_str_of(yaml.ptr, most), "p", NULL, &pack, &error, 1, &count) ==
          LG_OK);
    lg_pack_free(pack);
    pack = NULL;
    lg_buf_add_c(&yaml, "    more: {that: 'true'}\n");
    CHECK(lg_pack_load_text(lg_buf_str(&yaml), "p", NULL, &pack, &error, 1, &count) != LG_OK);
    CHECK_STR(lg_str_c(error.msg), "more than 128 conversation rules");
    lg_buf_done(&yaml);

    lg_buf_init(&yaml, 0);
    lg_buf_addf(&yaml, "%s  ends: [", head);
    for (unsigned i = 0; i <= LG_PATTERN_PARTS_MAX; i++) {
        lg_buf_addf(&yaml, "%spay", i ? ", " : "");
    }
    lg_buf_add_c(&yaml, "]\n");
    CHECK(lg_pack_load_text(lg_buf_str(&yaml), "p", NULL, &pack, &error, 1, &count) != LG_OK);
    CHECK_STR(lg_str_c(error.msg), "a pattern has more than 16 alternatives");
    lg_buf_done(&yaml);

    lg_buf_init(&yaml, 0);
    lg_buf_addf(&yaml, "%s  signals:\n", head);
    for (unsigned i = 0; i <= LG_COURSE_SIGNALS_MAX; i++) {
        lg_buf_addf(&yaml, "    s%u: {once: pay}\n", i);
    }
    CHECK(lg_pack_load_text(lg_buf_str(&yaml), "p", NULL, &pack, &error, 1, &count) != LG_OK);
    CHECK_STR(lg_str_c(error.msg), "more than 64 signals");
    lg_buf_done(&yaml);
}

int main(void)
{
    RUN(mistakes_are_found_where_they_are);
    RUN(a_pack_without_them_has_none);
    RUN(too_many_are_refused);
    return lg_test_done();
}
