// test_difference.c: how two packs relate, of which one rule differs.
#include "lg_test.h"

#include "pack_fixture.h"
#include "prove/prove.h"

typedef struct difference_case {
    const char *before, *after; // what the rule demands
    lg_relation relation;
    bool proved;
} difference_case;

static const difference_case cases[] = {
    {"args.n > 1.0", "args.n > 1.0", LG_RELATION_EQUAL, true},
    {"args.n > 1.0", "!(args.n <= 1.0)", LG_RELATION_EQUAL, true},
    {"args.n > 1.0", "args.n > 2.0", LG_RELATION_STRICTER, true},
    {"args.n > 2.0", "args.n > 1.0", LG_RELATION_LOOSER, true},
    {"args.n > 2.0", "args.n < 1.0", LG_RELATION_INCOMPARABLE, true},
    {"args.k in ledger.ys", "ledger.ys.exists(y, y == args.k)", LG_RELATION_EQUAL, true},
    {"ledger.ys.all(y, y != '')", "ledger.ys.all(y, y != '' && y != args.k)", LG_RELATION_STRICTER,
     false},
    {"ledger.ys.exists(y, y == args.k)", "ledger.ys.all(y, y == args.k)", LG_RELATION_INCOMPARABLE,
     true},
    // The first is always so; the second only where all are the same.
    {"ledger.ys.all(y, y in ledger.ys)", "ledger.ys.all(y, ledger.ys.all(z, y == z))",
     LG_RELATION_STRICTER, false},
    {"ledger.ys.all(y, ledger.ys.all(z, y == z))", "true", LG_RELATION_LOOSER, true},
    {"ledger.ys.map(y, y + '!')[1] == 'a'", "ledger.ys[1] == 'a'", LG_RELATION_LOOSER, false},
    {"(ledger.ys + [args.k])[0] == 'a'", "ledger.ys[0] == 'a'", LG_RELATION_STRICTER, false},
    {"has(ledger.seen)", "has(ledger.seen) && ledger.seen != ''", LG_RELATION_STRICTER, true},
};

static lg_pack *pack_with(const char *that)
{
    char text[2048];
    snprintf(
        text, sizeof(text),
        "pack: p\n"
        "version: '1'\n"
        "clock: 2024-05-15T15:00:00Z\n"
        "ledger: {ys: {type: array, items: {type: string}}, seen: {type: string}}\n"
        "tools:\n"
        "  act:\n"
        "    kind: write\n"
        "    parameters: {type: object, properties: {k: {type: string}, n: {type: number}},\n"
        "                 required: [k, n]}\n"
        "rules:\n"
        "  one: {tools: [act], that: \"%s\", otherwise: revise, say: no, needs: [ledger.ys]}\n",
        that);
    return fixture_pack(text);
}

static void packs_relate_as_their_rules_do(void)
{
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        const difference_case *c = &cases[i];
        lg_pack *before = pack_with(c->before);
        lg_pack *after = pack_with(c->after);
        lg_prove_options options = {.timeout_ms = 20000};
        lg_difference d = {0};
        lg_error error = {0};
        lg_arena arena;
        lg_arena_init(&arena, 0);
        CHECK(lg_prove_difference(before, after, &options, &arena, &d, &error) == LG_OK);
        bool known =
            d.proved ? d.relation == c->relation : !c->proved && d.relation == LG_RELATION_UNKNOWN;
        if (!CHECK_MSG(known, c->after)) {
            printf("    %s\n    %s, %s\n", c->before, lg_relation_name(d.relation),
                   d.proved ? "proved" : "not proved");
        }
        lg_arena_done(&arena);
        lg_pack_free(before);
        lg_pack_free(after);
    }
}

int main(void)
{
    RUN(packs_relate_as_their_rules_do);
    return lg_test_done();
}
