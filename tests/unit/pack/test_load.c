// test_load.c: what an author can get wrong in a pack, and where it is said.
#include "base/alloc.h"
#include "base/buf.h"
#include "lg_test.h"
#include "pack/pack.h"

// A sound pack in parts, so that each case replaces one of them.
static const char head[] = "pack: p\nversion: '1'\n";
static const char types[] = "types:\n"
                            "  Order: {type: object, properties: {status: {type: string},"
                            " total: {type: number}}}\n"
                            "  User: {type: object, properties: {name: {type: string}}}\n";
static const char ledger[] = "ledger:\n  orders.*: Order\n  user: User\n";
static const char tools[] =
    "tools:\n"
    "  get_order:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    returns: Order\n"
    "    found_in: {id: ledger.user.name}\n"
    "    stores: [{at: 'orders[args.id]'}]\n"
    "  cancel:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {id: {type: string}, size: {enum: [s, l]},"
    " count: {enum: [1, 2]}, gift: {type: boolean}, wrap: {anyOf: [{const: a}, {const: b}]},"
    " note: {anyOf: [{const: a}, {type: string}]}, parts:"
    " {type: array, items: {type: object, properties: {sku: {type: string}}}}}, required: [id]}\n";
#define RULE "rules:\n  r:\n    tools: writes\n    that: 'true'\n"
static const char rules[] = "rules:\n"
                            "  pending:\n"
                            "    tools: [cancel]\n"
                            "    let: {o: 'ledger.orders[args.id]'}\n"
                            "    that: o.status == 'pending'\n"
                            "    needs: ['ledger.orders[args.id]']\n"
                            "    otherwise: block\n"
                            "    offer: [args.id, 'args.parts[].sku']\n"
                            "    show: {n: size(o.status), m: n + 1}\n"
                            "    say: ['is {o.status}', 'of {n}', 'or {m}']\n";

typedef struct load_case {
    const char *types, *ledger, *tools, *rules; // NULL: the sound part
    const char *error;                          // part of the first error, NULL: it loads
    uint32_t line;                              // of that error; 0: not checked
} load_case;

static const load_case cases[] = {
    {NULL, NULL, NULL, NULL, NULL, 0},
    {"typs: {}\n", NULL, NULL, NULL, "unknown key `typs` in the pack; did you mean `types`?", 3},
    {"types: {A: {$ref: '#/types/B'}, B: {$ref: '#/types/A'}}\n", "ledger: {user: A}\n",
     "tools: {x: {kind: write, parameters: {type: object}}}\n", "", "is defined as itself", 3},
    {NULL, "ledger: {orders.*: Ordr}\n", NULL, NULL, "no type is called `Ordr`", 6},
    {NULL, "ledger:\n  orders.*: Order\n  orders.x: User\n  user: User\n", NULL, NULL,
     "`orders.x` collides with `orders.*`", 8},
    {NULL, "ledger:\n  '*.a': Order\n", NULL, NULL, "a segment is a name", 7},
    {NULL, "ledger:\n  history: Order\n", NULL, NULL, "`history` is there already", 7},
    {NULL, NULL, NULL, "rules:\n  r:\n    tools: [cancle]\n    that: 'true'\n    say: no\n",
     "no tool is called `cancle`; did you mean `cancel`?", 21},
    {NULL, NULL, NULL, "rules:\n  r:\n    tools: [get_order]\n    that: 'true'\n    say: no\n",
     "rules judge only tools of kind write", 21},
    {NULL, NULL, NULL, "rules:\n  r:\n    tools: writes\n    that: args.id\n    say: no\n",
     "`that` must give a bool, this gives string", 22},
    {NULL, NULL, NULL, "rules:\n  r:\n    tools: writes\n    that: args.idd == ''\n    say: no\n",
     "did you mean `id`?", 22},
    {NULL, NULL, NULL,
     "rules:\n  r:\n    tools: writes\n    that: ledger.user.name == 1\n    say: no\n", "`==`", 22},
    {NULL, NULL, NULL, "rules:\n  r:\n    tools: writes\n    that: 'true'\n", "needs `say`", 20},
    {NULL, NULL, NULL, "rules:\n  r:\n    tools: writes\n    say: no\n", "needs `that`", 20},
    {NULL, NULL, NULL, "rules:\n  r:\n    tools: writes\n    that: 'true'\n    say: 'a {args.id'\n",
     "a `{` is not closed", 23},
    {NULL, NULL, NULL,
     "rules:\n  r:\n    tools: writes\n    that: 'true'\n    say: no\n    otherwise: deny\n",
     "`otherwise` is revise or block", 24},
    {NULL, NULL, NULL,
     "rules:\n  r:\n    tools: writes\n    that: 'true'\n    say: no\n    needs: [user]\n",
     "begins with `ledger.` or `args.`", 24},
    // What is said, and what is offered.
    {NULL, NULL, NULL, RULE "    say: [a, 'b {n}']\n    show: {n: size(args.id)}\n", NULL, 0},
    {NULL, NULL, NULL, RULE "    say: []\n", "`say` is a text, or a list of 1 to 8 texts", 23},
    {NULL, NULL, NULL, RULE "    say: [1, 2, 3, 4, 5, 6, 7, 8, 9]\n", "a list of 1 to 8", 23},
    {NULL, NULL, NULL, RULE "    say: [a, 3]\n", "a sentence of `say` is a text", 23},
    {NULL, NULL, NULL, RULE "    say: {a: b}\n", "needs `say`", 23},
    {NULL, NULL, NULL, RULE "    say: a\n    show: [n]\n", "`show` must be a map", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    show: {n: nope}\n", "nope", 24},
    {NULL, NULL, NULL, RULE "    let: {n: args.id}\n    say: a\n    show: {n: args.id}\n",
     "`n` cannot be bound", 25},
    {NULL, NULL, NULL, RULE "    when: size(n) > 0\n    say: a\n    show: {n: args.id}\n", "`n`",
     23},
    {NULL, NULL, NULL, RULE "    say: a\n    alone: maybe\n", "`alone` is true or false", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: [args.id]\n", NULL, 0},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: args.id\n", "`offer` is a list", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: [ledger.user]\n", "a path like", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: [args.]\n", "a path like", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: [args.idd]\n", "did you mean `id`?", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: ['args.id[]']\n", "any item of a list", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: ['args.id[0]']\n", "names and `[]`", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: ['args.size']\n", "the customer's choice", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: ['args.count']\n", "the customer's choice", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: ['args.gift']\n", "the customer's choice", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: ['args.wrap']\n", "the customer's choice", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: ['args.note']\n", NULL, 0},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: ['args.id.']\n", "a path like", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: ['args.parts[].']\n", "a path like", 24},
    {NULL, NULL, NULL, RULE "    say: a\n    offer: ['args.parts[].sku', args.parts.sku]\n",
     "there is no `sku` there", 24},
    {NULL, NULL,
     "tools:\n  a: {kind: read, parameters: {type: object, properties: {id: {type: string}}},"
     " found_in: {id: ledger.user.name}}\n",
     "", NULL, 0},
    {NULL, NULL,
     "tools:\n  a: {kind: read, parameters: {type: object, properties: {id: {type: string}}},"
     " found_in: {idd: ledger.user.name}}\n",
     "", "`idd` is no argument of `a`; did you mean `id`?", 10},
    {NULL, NULL,
     "tools:\n  a: {kind: read, parameters: {type: object, properties: {id: {type: string}}},"
     " found_in: {id: args.id}}\n",
     "", "args", 10},
    {NULL, NULL, "tools:\n  a: {kind: write, parameters: {type: object}, found_in: {}}\n", "",
     "`found_in` says of a read", 10},
    {NULL, NULL,
     "tools:\n  a: {kind: read, parameters: {type: object, properties: {id: {type: string}}},"
     " found_in: {id: 3}}\n",
     "", "is an expression", 10},
    {NULL, NULL,
     "tools:\n  a: {kind: read, parameters: {type: object}, returns: User,"
     " stores: [{at: 'orders[\"1\"]'}]}\n",
     "", "would be given User, but the ledger holds Order there", 10},
    {NULL, NULL,
     "tools:\n  a: {kind: read, parameters: {type: object}, stores: [{at: 'ordres[\"1\"]'}]}\n", "",
     "matches no path that `ledger` declares", 10},
    {NULL, NULL, "tools:\n  a: {kind: write, parameters: {type: object}, stores: [{at: user}]}\n",
     "", "only a tool of kind read may have `stores`", 10},
    {NULL, NULL, "tools:\n  a: {kind: reads, parameters: {type: object}}\n", "",
     "needs `kind`: read, write or generic", 10},
    {NULL, NULL, "tools:\n  a: {kind: read}\n", "", "needs `parameters`", 10},
    {NULL, NULL, "tools:\n  a: {kind: read, parameters: {type: objekt}}\n", "", "objekt", 10},
};

static lg_str build(lg_buf *text, const load_case *c)
{
    lg_buf_clear(text);
    lg_buf_add_c(text, head);
    lg_buf_add_c(text, c->types ? c->types : types);
    lg_buf_add_c(text, c->ledger ? c->ledger : ledger);
    lg_buf_add_c(text, c->tools ? c->tools : tools);
    lg_buf_add_c(text, c->rules ? c->rules : rules);
    return lg_buf_str(text);
}

static void authors_mistakes(void)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_pack *pack = NULL;
        lg_error errors[8];
        size_t count = 0;
        lg_str source = build(&text, &cases[i]);
        lg_status status = lg_pack_load_text(source, "p.yaml", NULL, &pack, errors, 8, &count);
        const char *want = cases[i].error;
        if (!want) {
            CHECK_MSG(status == LG_OK, "a sound pack loads");
        } else if (CHECK_MSG(status != LG_OK && count > 0, want)) {
            bool said = false;
            for (size_t e = 0; e < count && e < 8; e++) {
                bool here = !cases[i].line || errors[e].line == cases[i].line;
                said = said || (strstr(errors[e].msg, want) && here);
            }
            if (!CHECK_MSG(said, want)) {
                printf("    got: %u:%u: %s\n", errors[0].line, errors[0].column, errors[0].msg);
            }
        }
        lg_pack_free(pack);
    }
    lg_buf_done(&text);
}

static void mistakes_come_all_at_once(void)
{
    lg_str many = LG_STR("pack: p\nversion: 1\ncolour: red\ntools:\n"
                         "  a: {kind: write, parameters: {type: object}}\n"
                         "rules:\n  r: {tools: [b], that: nope, say: x}\n");
    lg_pack *pack = NULL;
    lg_error errors[16];
    size_t count = 0;
    CHECK(lg_pack_load_text(many, "p.yaml", NULL, &pack, errors, 16, &count) != LG_OK);
    CHECK(count == 4); // unknown key, version, unknown tool, unknown name
    lg_limits limits = {.error_count = 2};
    CHECK(lg_pack_load_text(many, "p.yaml", &limits, &pack, errors, 16, &count) != LG_OK);
    CHECK(count == 4); // all counted, two kept
    CHECK(!pack);
}

static void memory_may_run_out_anywhere(void)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_str source = build(&text, &cases[0]);
    bool loaded = false;
    for (uint64_t n = 1; n < 10000 && !loaded; n++) {
        lg_pack *pack = NULL;
        lg_error errors[2];
        size_t count;
        lg_alloc_fail_at(n);
        loaded = lg_pack_load_text(source, "p.yaml", NULL, &pack, errors, 2, &count) == LG_OK;
        lg_alloc_fail_at(0);
        CHECK(loaded == (pack != NULL));
        lg_pack_free(pack);
    }
    CHECK(loaded);
    lg_buf_done(&text);
}

int main(void)
{
    RUN(authors_mistakes);
    RUN(mistakes_come_all_at_once);
    RUN(memory_may_run_out_anywhere);
    return lg_test_done();
}
