// test_expressions.c: an expression means to the prover what it means to the evaluator.
//
// Each expression is the rule of a pack. On ledgers and calls made by seed, the gate evaluates it and
// the prover is asked, with the values in place and with formulas that were made once for all
// ledgers; lists are looked at one by one up to one, two and three elements, so that what lies beyond
// is reached by all of them.
#include "lg_test.h"

#include "agreement.h"
#include "case_maker.h"
#include "pack_fixture.h"

#define CASES 150u

static const char head[] = "pack: p\n"
                           "version: '1'\n"
                           "clock: 2024-05-15T15:00:00Z\n"
                           "types:\n"
                           "  Row:\n"
                           "    type: object\n"
                           "    properties:\n"
                           "      id: {type: string}\n"
                           "      q: {type: number}\n"
                           "      tag: {type: [string, 'null']}\n"
                           "      at: {type: string}\n"
                           "    required: [id, q]\n"
                           "ledger:\n"
                           "  r:\n"
                           "    type: object\n"
                           "    properties:\n"
                           "      n: {type: number}\n"
                           "      i: {type: integer}\n"
                           "      s: {type: string}\n"
                           "      t: {type: [string, 'null']}\n"
                           "      b: {type: boolean}\n"
                           "      o: {type: number}\n"
                           "      e: {type: string, enum: [red, green, blue]}\n"
                           "      xs: {type: array, items: {type: number}}\n"
                           "      ys: {type: array, items: {type: string}}\n"
                           "      rows: {type: array, items: {$ref: '#/types/Row'}}\n"
                           "      m: {type: object, additionalProperties: {type: number}}\n"
                           "      any: {}\n"
                           "    required: [n, i, s, t, b, e, xs, ys, rows, m, any]\n"
                           "  recs.*: Row\n"
                           "  deep.*.*: {type: number}\n"
                           "  seen: {type: string}\n"
                           "tools:\n"
                           "  act:\n"
                           "    kind: write\n"
                           "    parameters:\n"
                           "      type: object\n"
                           "      properties:\n"
                           "        k: {type: string}\n"
                           "        l: {type: string}\n"
                           "        n: {type: number}\n"
                           "        c: {type: integer}\n"
                           "        ids: {type: array, items: {type: string}}\n"
                           "        opt: {type: string}\n"
                           "      required: [k, l, n, c, ids]\n"
                           "rules:\n";

typedef enum mark {
    EXACT = 0,
    OPEN = 1,   // the prover may leave it open
    ALWAYS = 2, // it is the same in all cases
} mark;

typedef struct expression {
    const char *that;
    int marks;
} expression;

static const expression expressions[] = {
    // Scalars
    {"ledger.r.n < args.n", EXACT},
    {"ledger.r.n + 1.0 >= args.n", EXACT},
    {"ledger.r.i == args.c", EXACT},
    {"-ledger.r.n == args.n", EXACT},
    {"int(ledger.r.n) % 3 == 1", EXACT},
    {"int(ledger.r.n) / 2 == int(args.n)", EXACT},
    {"int(args.n) / int(ledger.r.n) > 0", EXACT},
    {"int(args.n) % int(ledger.r.n) == 1", EXACT},
    {"ledger.r.n / args.n > 1.0", OPEN},
    {"int(ledger.r.n * 1e17) > 0", EXACT},
    {"int(ledger.r.n) * 4611686018427387904 > 0", EXACT},
    {"ledger.r.n * args.n > 10.0", OPEN},
    {"math.round(ledger.r.n) == ledger.r.n", EXACT},
    {"math.abs(ledger.r.n) > 2.0", EXACT},
    {"math.greatest(ledger.r.n, args.n) == args.n", EXACT},
    {"math.least(ledger.r.n, args.n) == args.n", EXACT},
    {"math.floor(ledger.r.n) < args.n", EXACT},
    {"double(int(ledger.r.n)) == ledger.r.n", EXACT},
    {"uint(ledger.r.n) + 1u == 3u", EXACT},
    {"uint(ledger.r.n) < 2u || dyn(ledger.r.n) == 2u", EXACT},
    {"int(timestamp(args.k)) > 0", EXACT},
    {"ledger.r.any + ledger.r.any == 'aa'", OPEN},
    {"ledger.r.t.contains(ledger.recs[args.k].id)", EXACT},
    {"math.greatest(1, dyn(args.n)) == ledger.r.n", EXACT},
    {"ledger.r.s == args.k", EXACT},
    {"ledger.r.s < args.k", EXACT},
    {"ledger.r.s >= args.k", EXACT},
    {"ledger.r.s + 'b' == args.k", EXACT},
    {"size(ledger.r.s) > 1", EXACT},
    {"ledger.r.s.startsWith('a')", EXACT},
    {"args.k.matches('^[a-c]+$')", EXACT},
    {"args.k.contains(ledger.r.s)", EXACT},
    {"ledger.r.e in ['red', 'blue']", EXACT},
    {"ledger.r.b", EXACT},
    {"!ledger.r.b || ledger.r.n > 2.0", EXACT},
    {"ledger.r.b ? ledger.r.n > 2.0 : ledger.r.o > 2.0", EXACT},
    {"ledger.r.b == (ledger.r.n > 2.0)", EXACT},
    {"timestamp(args.k) < now", EXACT},
    {"now - timestamp(args.k) < duration('24h')", EXACT},
    {"now - timestamp(args.l) < duration('24h')", EXACT},
    {"timestamp(args.l) + duration('2000000h') > now", EXACT},
    {"timestamp(args.k + 'T00:00:00Z') <= now", EXACT},
    {"timestamp(args.k).getHours() == 14", EXACT},
    {"double(args.k) > 1.0", EXACT},
    {"int(args.k) > 1", EXACT},
    // Nulls, absent members, errors
    {"ledger.r.t == null", EXACT},
    {"ledger.r.t != null && ledger.r.t == args.k", EXACT},
    {"ledger.r.t == args.k || ledger.r.b", EXACT},
    {"has(ledger.r.o)", EXACT},
    {"has(ledger.r.o) && ledger.r.o > 1.0", EXACT},
    {"ledger.r.o > 1.0 || ledger.r.b", EXACT},
    {"ledger.r.b || ledger.r.o > 1.0", EXACT},
    {"ledger.r.o > 1.0 && ledger.r.b", EXACT},
    {"ledger.r.o > 1.0 && timestamp(args.k) < now", EXACT},
    {"timestamp(args.k) < now && ledger.r.o > 1.0", EXACT},
    {"timestamp(args.k) < now || ledger.r.o > 1.0 || ledger.r.b", EXACT},
    {"ledger.r.o + double(args.k) > 1.0", EXACT},
    {"ledger.r.o == ledger.recs[args.k].q", EXACT},
    {"has(args.opt) ? args.opt == args.k : ledger.r.b", EXACT},
    {"args.opt in ledger.recs", EXACT},
    {"ledger.?seen.orValue('none') == args.k", EXACT},
    {"ledger.recs[?args.k].orValue({'id': 'x', 'q': 1.0}).q == 1.0", OPEN},
    {"!(ledger.seen == args.k)", EXACT},
    {"[ledger.r.o, 1.0][1] == 1.0", EXACT},
    {"{'a': ledger.r.o, 'b': 2.0}.b == 2.0", EXACT},
    // Lists
    {"size(ledger.r.xs) > 2", EXACT},
    {"double(size(ledger.r.xs)) == args.c", EXACT},
    {"ledger.r.xs[0] > 1.0", EXACT},
    {"ledger.r.xs[2] > 1.0", EXACT},
    {"ledger.r.xs[int(args.c)] > 1.0", EXACT},
    {"args.k in ledger.r.ys", EXACT},
    {"args.n in ledger.r.xs", EXACT},
    {"!(args.k in ledger.r.ys) || ledger.r.b", EXACT},
    {"ledger.r.xs.all(x, x > 1.0)", EXACT},
    {"ledger.r.xs.exists(x, x > args.n)", EXACT},
    {"ledger.r.xs.exists_one(x, x > args.n)", EXACT},
    {"ledger.r.xs.all(x, x > 1.0) || ledger.r.xs.exists(x, x > 3.0)", EXACT},
    {"size(ledger.r.xs.filter(x, x > args.n)) == 2", EXACT},
    {"ledger.r.xs.filter(x, x > args.n)[0] > 3.0", OPEN},
    {"ledger.r.xs.map(x, x + 1.0).exists(y, y == args.n)", EXACT},
    {"ledger.r.xs.map(x, x > 1.0, x * 2.0).all(y, y > args.n)", EXACT},
    {"sum(ledger.r.xs) > args.n", EXACT},
    {"sum(ledger.r.xs.filter(x, x > 1.0)) > args.n", EXACT},
    {"sum(ledger.r.rows.map(x, x.q)) == args.n", EXACT},
    {"(ledger.r.xs + [args.n]).exists(x, x == 3.0)", EXACT},
    {"size(ledger.r.xs + ledger.r.xs) == 4", OPEN},
    {"(ledger.r.xs + [args.n])[1] == 3.0", OPEN},
    {"ledger.r.xs == [1.0, 2.0]", EXACT},
    {"ledger.r.ys == args.ids", OPEN},
    {"args.ids.all(i, i in ledger.r.ys)", EXACT},
    {"args.ids.exists(i, !(i in ledger.r.ys))", EXACT},
    {"range(int(args.c)).all(i, ledger.r.xs[i] > 1.0)", EXACT},
    {"range(size(ledger.r.xs)).exists(i, ledger.r.xs[i] == args.n)", EXACT},
    {"range(size(args.ids)).all(i, args.ids[i] == ledger.r.ys[i])", EXACT},
    // A list within itself
    {"args.ids.all(i, size(args.ids.filter(x, x == i)) == 1)", EXACT},
    {"args.ids.all(i, args.ids.all(x, x == i))", EXACT},
    {"args.ids.exists(i, args.ids.exists(x, x != i))", EXACT},
    {"args.ids.all(i, args.ids.exists_one(x, x == i))", EXACT},
    {"args.ids.all(i, i in args.ids)", OPEN | ALWAYS},
    {"ledger.r.rows.all(a, ledger.r.rows.all(b, a.q <= b.q || a.id != b.id))", EXACT},
    {"ledger.r.rows.exists(a, ledger.r.rows.exists(b, a.id == b.id && a.q != b.q))", EXACT},
    {"ledger.r.rows.all(a, a.id in ledger.r.rows.map(b, b.tag))", OPEN},
    {"ledger.recs.all(a, ledger.recs.exists(b, ledger.recs[b].q > ledger.recs[a].q))", OPEN},
    {"range(3).all(i, range(3).exists(k, k == i))", ALWAYS},
    {"ledger.r.xs.map(x, x * 2.0)[1] > args.n", OPEN},
    {"(ledger.r.xs + ledger.r.xs).exists(x, x == 3.0)", OPEN},
    {"([args.n] + ledger.r.xs)[1] == 3.0", EXACT},
    {"([args.n] + ledger.r.xs)[0] == 3.0", EXACT},
    {"[args.n, 2.0, 1.0].filter(x, x > 1.0)[0] == 3.0", EXACT},
    {"[args.n, 2.0] == [3.0, 2.0]", EXACT},
    {"ledger.r.xs.filter(x, x > 1.0) == [3.0]", OPEN},
    {"ledger.r.m == {'a': 1.0, 'b': 2.0}", EXACT},
    {"{'a': args.n} == ledger.r.m", EXACT},
    {"ledger.r.xs.exists(i, x, i == 2 && x > 2.0)", EXACT},
    {"(ledger.r.xs + [args.n]).exists(i, x, i == 2 && x > 2.0)", OPEN},
    {"range(size(args.ids)).all(i, range(size(args.ids)).exists(k, k != i))", EXACT},
    {"ledger.r.xs.all(a, ledger.r.xs.all(b, ledger.r.xs.all(c, a <= b || b <= c)))", EXACT},
    // Records
    {"ledger.r.rows.all(x, x.q > 1.0)", EXACT},
    {"ledger.r.rows.exists(x, x.id == args.k && x.q > 1.0)", EXACT},
    {"ledger.r.rows.exists(x, x.tag == args.k)", EXACT},
    {"ledger.r.rows.all(x, !has(x.tag) || x.tag != null)", EXACT},
    {"ledger.r.rows.all(x, x.tag == args.k)", EXACT},
    {"ledger.r.rows.exists(x, x.tag == null || x.at == args.k)", EXACT},
    {"ledger.r.rows.all(x, timestamp(x.at) < now)", EXACT},
    {"ledger.r.rows.exists(x, timestamp(x.at) < now)", EXACT},
    {"ledger.r.rows.filter(x, x.id == args.k)[0].q > 1.0", OPEN},
    {"size(ledger.r.rows.filter(x, has(x.tag))) == size(ledger.r.rows)", EXACT},
    {"ledger.r.rows[0] == ledger.r.rows[1]", OPEN},
    // Maps
    {"args.k in ledger.r.m", EXACT},
    {"ledger.r.m[args.k] > 1.0", EXACT},
    {"ledger.r.m[args.k] > ledger.r.m[args.l]", EXACT},
    {"size(ledger.r.m) == 2", EXACT},
    {"ledger.r.m.all(k, ledger.r.m[k] > 1.0)", EXACT},
    {"ledger.r.m.exists(k, k == args.k)", EXACT},
    {"ledger.r.m.all(k, v, v > 1.0 || k == args.k)", EXACT},
    {"ledger.r.m.a == 1.0", EXACT},
    {"has(ledger.r.m.a)", EXACT},
    {"ledger.r.m == {'a': 1.0}", EXACT},
    {"args.ids.all(i, ledger.r.m[i] > 0.0)", EXACT},
    {"args.ids.all(i, i in ledger.r.m)", EXACT},
    {"args.ids.exists(i, ledger.r.m[i] > args.n)", EXACT},
    {"args.k in ledger.recs", EXACT},
    {"ledger.recs[args.k].q > 1.0", EXACT},
    {"ledger.recs[args.k].tag == args.l", EXACT},
    {"ledger.recs[args.k].id == ledger.recs[args.l].id", EXACT},
    {"ledger.recs[ledger.recs[args.k].id].q > 1.0", EXACT},
    {"ledger.recs.all(k, ledger.recs[k].id == k)", EXACT},
    {"ledger.recs.exists(k, ledger.recs[k].q == args.n)", EXACT},
    {"args.ids.all(i, ledger.recs[i].q > 0.0)", EXACT},
    {"args.ids.all(i, !(i in ledger.recs) || ledger.recs[i].q > 0.0)", EXACT},
    {"sum(args.ids.map(i, ledger.recs[i].q)) > args.n", EXACT},
    {"ledger.deep[args.k][args.l] > 1.0", EXACT},
    {"args.k in ledger.deep && args.l in ledger.deep[args.k]", EXACT},
    {"args.ids.all(i, ledger.deep[i][args.l] > 0.0)", EXACT},
    {"ledger.deep.all(k, ledger.deep[k].all(l, ledger.deep[k][l] > 0.0))", EXACT},
    // Anything
    {"ledger.r.any == args.k", EXACT},
    {"ledger.r.any == 3.0", EXACT},
    {"ledger.r.any.x == 1.0", EXACT},
    {"ledger.r.any > 1.0", EXACT},
    {"ledger.r.any[0] == args.k", EXACT},
    {"args.k in ledger.r.any", EXACT},
    {"has(ledger.r.any.x)", EXACT},
    {"size(ledger.r.any) == 1", EXACT},
    {"ledger.r.any.exists(x, x == args.k)", OPEN},
    {"ledger.r.any == null || ledger.r.any == ledger.r.s", EXACT},
    // History
    {"ledger.history.exists(h, h.name == tool && h.args == args)", OPEN},
    {"ledger.history.exists(h, h.args.k == args.k)", EXACT},
    {"size(ledger.history) < 2", EXACT},
    {"ledger.history.all(h, h.args.n < args.n)", EXACT},
    {"ledger.history.all(h, h.outcome == 'done')", EXACT},
    {"ledger.history.exists(h, h.outcome in ['unknown', 'pending'])", EXACT},
    {"args.ids[0] == 'a' && ledger.r.o > 1.0", EXACT},
    {"args.ids.filter(i, i != 'a')[0] == 'b'", EXACT},
    {"args.ids.map(i, i + 'x')[0] == 'bx'", OPEN},
    {"(args.ids + ['z'])[1] == 'z'", OPEN},
    {"(args.ids + [])[0] == 'a'", EXACT},
    // What is not followed
    {"ledger.r.s.split(',')[0] == args.k", OPEN},
};

static const char *const ledgers[] = {
    "{'r':{'n':3,'i':2,'s':'a','t':null,'b':true,'e':'red','xs':[],'ys':[],'rows':[],'m':{},"
    "'any':null},'recs':{},'deep':{},'history':[]}",
    "{'r':{'n':2.5,'i':1,'s':'ab','t':'a','b':false,'o':2,'e':'blue','xs':[1,2],'ys':['a','b'],"
    "'rows':[{'id':'a','q':1},{'id':'b','q':2,'tag':null}],'m':{'a':1},'any':3},"
    "'recs':{'a':{'id':'a','q':1}},'deep':{'a':{'b':1}},'seen':'a',"
    "'history':[{'name':'act','args':{'k':'a','l':'b','n':1,'c':0,'ids':[]},'outcome':'done'}]}",
    "{'r':{'n':-3,'i':0,'s':'','t':'b','b':true,'o':1,'e':'green','xs':[1,2,3,4,2],"
    "'ys':['a','b','c','a'],'rows':[{'id':'a','q':1,'tag':'a','at':'2024-05-15T14:00:00Z'},"
    "{'id':'b','q':2,'tag':'b','at':'2024-05-16T14:00:00Z'},{'id':'a','q':3,'tag':'c','at':'no'},"
    "{'id':'c','q':0.5,'tag':'a'}],'m':{'a':1,'b':2,'c':3,'d':0.5},'any':{'x':1,'y':'a'}},"
    "'recs':{'a':{'id':'a','q':1},'b':{'id':'a','q':2,'tag':'a'},'c':{'id':'b','q':0},"
    "'d':{'id':'d','q':0}},'deep':{'a':{'a':1,'b':2,'c':0},'b':{'a':3},'c':{'c':1}},'seen':'b',"
    "'history':[{'name':'act','args':{'k':'a','l':'a','n':1,'c':1,'ids':['a']},'outcome':'"
    "unverified'},"
    "{'name':'act','args':{'k':'a','l':'b','n':2,'c':0,'ids':['a','b']},'outcome':'done'},"
    "{'name':'act','args':{'k':'c','l':'a','n':3,'c':0,'ids':['a','b','c']},'outcome':'pending'}]}",
    "{'r':{'n':1e3,'i':7,'s':'c','t':null,'b':false,'e':'red','xs':[3,3,3],'ys':['c','c'],"
    "'rows':[{'id':'c','q':3,'tag':'a','at':'2024-05-15T15:00:00Z'}],'m':{'b':3,'c':3},"
    "'any':['a','b','c']},'recs':{'b':{'id':'b','q':2},'c':{'id':'c','q':5,'tag':null}},"
    "'deep':{'c':{'a':1}},'history':[]}",
    "{'r':{'n':0,'i':3,'s':'2024-05-15','t':'c','b':true,'o':0,'e':'red','xs':[2.5],'ys':['a'],"
    "'rows':[{'id':'a','q':1},{'id':'a','q':1}],'m':{'a':1,'b':2},'any':'a'},"
    "'recs':{'a':{'id':'b','q':1},'b':{'id':'c','q':1},'c':{'id':'a','q':4}},'deep':{},"
    "'seen':'c','history':[{'name':'act','args':{'k':'b','l':'c','n':2.5,'c':0,'ids':['b']},'"
    "outcome':'unknown'}]}",
};

static const char *const calls[] = {
    "{'k':'a','l':'b','n':2,'c':0,'ids':['a','b']}",
    "{'k':'b','l':'a','n':3,'c':2,'ids':['a','b','c','a']}",
    "{'k':'2024-05-15','l':'c','n':0,'c':-1,'ids':[],'opt':'a'}",
    "{'k':'2024-05-15T14:30:00Z','l':'2524-05-15T14:30:00Z','n':2.5,'c':1,'ids':['c'],'opt':'b'}",
    "{'k':'c','l':'2024-05-15T14:30:00Z','n':1.5,'c':1,'ids':['b']}",
    "{'k':'ab','l':'b','n':2,'c':0,'ids':['a','b','c']}",
    "{'k':'12','l':'9924-05-15T14:30:00Z','n':1,'c':3,'ids':['a','a','a']}",
};

static const lg_json *quoted(lg_arena *arena, const char *text)
{
    char copy[2048];
    size_t i = 0;
    for (; text[i] && i + 1 < sizeof(copy); i++) {
        copy[i] = text[i] == '\'' ? '"' : text[i];
    }
    copy[i] = '\0';
    return fixture_json(arena, copy);
}

static lg_pack *pack_of_expressions(void)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, head);
    for (size_t i = 0; i < LG_COUNT(expressions); i++) {
        lg_buf_addf(&text, "  e%zu: {tools: [act], that: \"%s\", otherwise: %s, say: no}\n", i,
                    expressions[i].that, i % 3 ? "revise" : "block");
    }
    lg_buf_add_byte(&text, '\0');
    lg_pack *pack = fixture_pack(lg_buf_str(&text).ptr);
    lg_buf_done(&text);
    return pack;
}

typedef struct seen {
    size_t holds, refuses, open;
} seen;

static void check_rules(const lg_agreement_result *r, const made_case *c, lg_arena *scratch,
                        const char *way, seen *ret)
{
    CHECK_MSG(!r->broken, r->broken ? r->broken : "");
    CHECK_MSG(r->z3_differs == 0, "Z3 evaluates formulas as the evaluation does");
    CHECK_MSG(!r->verdict_differs, "gate and prover give the same verdict");
    for (size_t i = 0; i < r->rule_count; i++) {
        const lg_agreement_rule *one = &r->rules[i];
        ret[i].holds += one->gate == LG_SAID_HOLDS;
        ret[i].refuses += one->gate != LG_SAID_HOLDS;
        ret[i].open += one->prover == LG_SAID_NOTHING;
        bool same = one->prover == LG_SAID_NOTHING || one->prover == one->gate;
        if (!CHECK_MSG(same, expressions[i].that)) {
            printf("    %s: the gate says %s, the prover %s\n    args %.*s\n    ledger %.*s\n", way,
                   lg_said_name(one->gate), lg_said_name(one->prover),
                   LG_FMT(fixture_print(scratch, c->args)),
                   LG_FMT(fixture_print(scratch, c->ledger)));
        }
        if (one->prover == LG_SAID_NOTHING && !(expressions[i].marks & OPEN) && ret[i].open < 2) {
            printf("    %s: %s: open: %s\n", expressions[i].that, way, one->why);
        }
    }
}

static void try_width(const lg_pack *pack, uint32_t width, seen *all)
{
    static case_maker maker;
    static seen by_values[LG_COUNT(expressions)];
    static seen by_formulas[LG_COUNT(expressions)];
    lg_arena scratch;
    lg_error error = {0};
    lg_agreement *a = NULL;
    const lg_tool *tool = lg_pack_tool(pack, LG_STR("act"));
    memset(by_values, 0, sizeof(by_values));
    memset(by_formulas, 0, sizeof(by_formulas));
    lg_arena_init(&scratch, 0);
    maker_init(&maker, pack, width);
    for (size_t i = 0; i < LG_COUNT(ledgers) * LG_COUNT(calls); i++) {
        add_start(&maker, tool, quoted(&maker.data, ledgers[i % LG_COUNT(ledgers)]),
                  quoted(&maker.data, calls[i / LG_COUNT(ledgers)]));
    }
    CHECK_MSG(maker.start_count == LG_COUNT(ledgers) * LG_COUNT(calls), "all starts are cases");
    maker_ready(&maker);
    if (!CHECK(lg_agreement_open(pack, tool, width, &a, &error) == LG_OK)) {
        return;
    }
    for (uint32_t i = 0; i < CASES; i++) {
        made_case c = i < maker.start_count ? maker.starts[i] : next_case(&maker);
        lg_agreement_case of = {
            .ledger = c.ledger, .args = c.args, .seed = i, .premises = true, .ask_z3 = i % 25 == 0};
        lg_agreement_result r;
        CHECK(lg_agreement_of_formulas(a, &of, &scratch, &r, &error) == LG_OK);
        if (!r.unfit) {
            check_rules(&r, &c, &scratch, "formulas", by_formulas);
        }
        CHECK(lg_agreement_of_values(a, &of, &scratch, &r, &error) == LG_OK);
        check_rules(&r, &c, &scratch, "values", by_values);
        lg_arena_reset(&scratch);
    }
    for (size_t i = 0; i < LG_COUNT(expressions); i++) {
        bool little =
            by_values[i].open + by_formulas[i].open <= (expressions[i].marks & OPEN ? 9999 : 3);
        CHECK_MSG(little, expressions[i].that);
        all[i].holds += by_values[i].holds;
        all[i].refuses += by_values[i].refuses;
    }
    lg_agreement_close(a);
    maker_done(&maker);
    lg_arena_done(&scratch);
}

static void expressions_mean_the_same(void)
{
    static seen all[LG_COUNT(expressions)];
    lg_pack *pack = pack_of_expressions();
    try_width(pack, 1, all);
    try_width(pack, 2, all);
    try_width(pack, 3, all);
    for (size_t i = 0; i < LG_COUNT(expressions); i++) {
        if (!CHECK_MSG((all[i].holds && all[i].refuses) != ((expressions[i].marks & ALWAYS) != 0),
                       "seen to hold and not to")) {
            printf("    %s\n", expressions[i].that);
        }
    }
    lg_pack_free(pack);
}

int main(void)
{
    RUN(expressions_mean_the_same);
    return lg_test_done();
}
