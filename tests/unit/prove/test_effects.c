// test_effects.c: what is proved of effects, for states of any size, and what must not be.
//
// Each case is one tool with effects and a postcondition, in a pack with invariants. What does not
// hold has to be refuted by a case that was carried out, or left open; it is never proved.
#include "lg_test.h"

#include "pack_fixture.h"
#include "prove/prove.h"

static const char head[] =
    "pack: p\n"
    "version: '1'\n"
    "types:\n"
    "  Row:\n"
    "    type: object\n"
    "    properties:\n"
    "      id: {type: string}\n"
    "      q: {type: number}\n"
    "      total: {type: number}\n"
    "      xs: {type: array, items: {type: number}}\n"
    "    required: [id, q, total, xs]\n"
    "ledger:\n"
    "  rows.*: Row\n"
    "state:\n"
    "  rows.*: Row\n"
    "  log: {type: array, items: {type: string}}\n"
    "invariants:\n"
    "  - {id: by_id, that: 'state.rows.all(k, state.rows[k].id == k)'}\n"
    "  - {id: positive, that: 'state.rows.all(k, state.rows[k].q >= 0.0)'}\n"
    "  - {id: adds_up, that: 'state.rows.all(k, state.rows[k].total == sum(state.rows[k].xs))'}\n"
    "tools:\n"
    "  act:\n"
    "    kind: write\n"
    "    parameters:\n"
    "      type: object\n"
    "      properties:\n"
    "        a: {type: string}\n"
    "        b: {type: string}\n"
    "        n: {type: number, minimum: -1000000, maximum: 1000000}\n"
    "        ids: {type: array, items: {type: string}}\n"
    "      required: [a, b, n, ids]\n";

typedef struct effect_case {
    const char *sentence;
    const char *effects; // steps of a flow sequence
    const char *gives;
    const char *that;      // of the result
    const char *condition; // which claim is looked at: `q`, or an invariant
    bool proved;
} effect_case;

static const effect_case cases[] = {
    {"what is set is there", "{set: 'rows[args.a].q', to: '1.0'}", "state.rows[args.a].q",
     "result == 1.0", "q", true},
    {"another key may be the same key",
     "{set: 'rows[args.a].q', to: '1.0'}, {set: 'rows[args.b].q', to: '2.0'}",
     "state.rows[args.a].q", "result == 1.0", "q", false},
    {"another key that is not the same key leaves it",
     "{fail: 'no', when: 'args.a == args.b'}, {set: 'rows[args.a].q', to: '1.0'}, "
     "{set: 'rows[args.b].q', to: '2.0'}",
     "state.rows[args.a].q", "result == 1.0", "q", true},
    {"what is removed is gone", "{remove: 'rows[args.a]'}", "args.a in state.rows", "!result", "q",
     true},
    {"what is removed may be put back",
     "{set: 'rows[args.b]', to: '{\"id\": args.b, \"q\": 0.0, \"total\": 0.0, \"xs\": []}'}, "
     "{remove: 'rows[args.a]'}",
     "args.b in state.rows", "result", "q", false},
    {"a new record keeps the invariants",
     "{set: 'rows[args.b]', to: '{\"id\": args.b, \"q\": 0.0, \"total\": 0.0, \"xs\": []}'}", "1.0",
     "result == 1.0", "by_id", true},
    {"a new record under another key breaks one",
     "{set: 'rows[args.b]', to: '{\"id\": args.a, \"q\": 0.0, \"total\": 0.0, \"xs\": []}'}", "1.0",
     "result == 1.0", "by_id", false},
    {"a loop over all of a list keeps an invariant",
     "{each: args.ids, set: 'rows[item].q', to: '3.0'}", "1.0", "result == 1.0", "positive", true},
    {"a loop that takes one away each time breaks it",
     "{each: args.ids, set: 'rows[item].q', to: 'state.rows[item].q - 1.0'}", "1.0",
     "result == 1.0", "positive", false},
    {"a loop knows nothing of what it has set", "{each: args.ids, set: 'rows[item].q', to: '3.0'}",
     "state.rows[args.a].q", "result == 3.0", "q", false},
    {"a loop that fails for one fails", "{each: args.ids, fail: 'no', when: 'item == args.a'}",
     "args.ids", "!(args.a in result)", "q", true},
    {"a sum follows what is appended",
     "{append: 'rows[args.a].xs', value: args.n}, "
     "{set: 'rows[args.a].total', to: 'state.rows[args.a].total + args.n'}",
     "1.0", "result == 1.0", "adds_up", true},
    {"a sum that is not told of it is wrong", "{append: 'rows[args.a].xs', value: args.n}", "1.0",
     "result == 1.0", "adds_up", false},
    {"of doubles, a difference with itself is zero", "{set: log, to: '[]'}", "args.n - args.n",
     "result == 0.0", "q", true},
    {"doubles round", "{set: log, to: '[]'}", "(args.n + 0.1) - 0.1", "result == args.n", "q",
     false},
    {"the first of those that a filter keeps is one of them",
     "{fail: 'no', when: '!state.rows.exists(k, state.rows[k].q > 5.0)'}",
     "state.rows[state.rows.filter(k, state.rows[k].q > 5.0)[0]]", "result.q > 5.0", "q", true},
    {"two loops over one list look at any two", "{set: log, to: args.ids}", "state.log",
     "result.all(x, result.all(y, x == y))", "q", false},
    {"the last of a list is the one appended", "{append: log, value: args.a}",
     "state.log[size(state.log) - 1]", "result == args.a", "q", true},
};

static const lg_claim *claim_of(const lg_proof *proof, lg_str condition)
{
    for (size_t i = 0; i < proof->count; i++) {
        if (lg_str_eq(proof->items[i].rule, condition)) {
            return &proof->items[i];
        }
    }
    return NULL;
}

static void check_case(const effect_case *c)
{
    char text[4096];
    snprintf(text, sizeof(text),
             "%s    effects: [%s]\n    gives: \"%s\"\n    ensures: [{id: q, that: \"%s\"}]\n", head,
             c->effects, c->gives, c->that);
    lg_pack *pack = fixture_pack(text);
    lg_arena arena;
    lg_proof proof;
    lg_error error = {.status = LG_OK};
    lg_prove_options options = {.timeout_ms = 20000};
    options.kinds = 1u << LG_OBLIGE_PRESERVES | 1u << LG_OBLIGE_ENSURES;
    lg_arena_init(&arena, (size_t)1 << 28);
    bool fine = lg_prove(pack, &options, &arena, &proof, &error) == LG_OK;
    const lg_claim *claim = fine ? claim_of(&proof, lg_str_c(c->condition)) : NULL;
    CHECK(claim != NULL);
    if (claim && (claim->outcome == LG_PROVED) != c->proved) {
        printf("%s: %s\n", c->sentence, lg_proof_outcome_name(claim->outcome));
        CHECK(false);
    }
    CHECK(!claim || claim->outcome != LG_REFUTED || (claim->finding && claim->example));
    lg_arena_done(&arena);
    lg_pack_free(pack);
}

static void only_what_holds_is_proved(void)
{
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        check_case(&cases[i]);
    }
}

int main(void)
{
    RUN(only_what_holds_is_proved);
    return lg_test_done();
}
