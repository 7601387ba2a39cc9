// test_absences.c: where a rule abstains because a record may leave something out.
#include "lg_test.h"
#include "pack/pack.h"
#include "pack_fixture.h"

static const char head[] =
    "pack: desk\n"
    "version: '1'\n"
    "types:\n"
    "  Part:\n"
    "    type: object\n"
    "    properties: {id: {type: string}, size: {type: number}}\n"
    "    required: [id]\n"
    "  Named: {type: object, properties: {name: {type: string}}, required: [name]}\n"
    "  Parts: {type: array, items: {$ref: '#/types/Part'}}\n"
    "  Order:\n"
    "    type: object\n"
    "    properties:\n"
    "      id: {type: string}\n"
    "      note: {type: string}\n"
    "      parts: {$ref: '#/types/Parts'}\n"
    "      owner: {anyOf: [{$ref: '#/types/Part'}, {$ref: '#/types/Named'}]}\n"
    "    required: [id, parts, owner]\n"
    "ledger: {orders.*: Order, user: Part}\n"
    "tools:\n"
    "  act:\n"
    "    kind: write\n"
    "    parameters:\n"
    "      type: object\n"
    "      properties: {id: {type: string}, parts: {$ref: '#/types/Parts'}}\n"
    "rules:\n"
    "  r:\n"
    "    tools: [act]\n"
    "    say: no\n";

// The fields that are told of, in the order of the rule.
static const struct {
    const char *rule, *told;
} cases[] = {
    {"    that: ledger.user.id == 'a'\n", ""},
    {"    that: ledger.user.size > 1.0\n", "size"},
    {"    that: ledger.user.size > 1.0\n    needs: [ledger.user]\n", ""},
    {"    that: ledger.user.size > 1.0 && ledger.user.size < 5.0\n", "size"}, // once
    {"    that: has(ledger.user.size) && ledger.user.size > 1.0\n", ""},
    {"    that: ledger.user.size > 1.0 && has(ledger.user.size)\n", ""}, // CEL absorbs it
    {"    that: '!has(ledger.user.size) || ledger.user.size > 1.0'\n", ""},
    {"    that: has(ledger.user.size) || ledger.user.size > 1.0\n", "size"},
    {"    that: '!has(ledger.user.size) && ledger.user.size > 1.0'\n", "size"},
    {"    that: \"'size' in ledger.user ? ledger.user.size > 1.0 : true\"\n", ""},
    {"    that: \"has(ledger.user.size) ? true : ledger.user.size > 1.0\"\n", "size"},
    {"    that: ledger.user.?size.orValue(1.0) > 1.0\n", ""},
    {"    when: has(ledger.user.size)\n    that: ledger.user.size > 1.0\n", ""},
    {"    when: ledger.user.size > 1.0\n    that: has(ledger.user.size)\n", "size"},
    // Names of `let` stand for what they are, and a `let` comes before everything else.
    {"    let: {u: ledger.user}\n    when: has(u.size)\n    that: ledger.user.size > 1.0\n", ""},
    {"    let: {u: ledger.user, known: has(u.size)}\n    that: '!known || u.size > 1.0'\n", ""},
    {"    let: {s: ledger.user.size}\n    when: has(ledger.user.size)\n    that: s > 1.0\n",
     "size"},
    {"    let: {o: 'ledger.orders[args.id]'}\n    that: has(o.note) && o.note == "
     "ledger.orders['x'].note\n",
     "note"},
    // In lists, and what a macro binds.
    {"    that: ledger.orders['x'].parts.all(p, p.size > 1.0)\n", "size"},
    {"    that: ledger.orders['x'].parts.all(p, !has(p.size) || p.size > 1.0)\n", ""},
    {"    that: \"ledger.orders['x'].parts.map(p, has(p.size), p.size).size() > 1\"\n", ""},
    {"    that: \"ledger.orders['x'].parts.filter(p, p.size > 1.0)[0].size > 2.0\"\n", "size"},
    {"    that: \"ledger.orders.all(k, ledger.orders[k].note != '')\"\n", "note"},
    // One of several forms may be without it.
    {"    that: \"ledger.orders['x'].owner.name != ''\"\n", "name"},
    // What the call leaves out is a finding by itself.
    {"    that: args.id == 'a'\n", ""},
    {"    that: args.parts[0].size > 1.0\n", ""},
    {"    that: args.parts.all(p, p.size > 1.0)\n", ""},
    {"    that: args.parts.filter(p, p.id == 'a').all(q, q.size > 1.0)\n", ""},
    {"    that: args.parts.all(p, p.size > ledger.user.size)\n", "size"},
};

static void fields_that_may_be_absent_are_told(void)
{
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        char text[4096];
        snprintf(text, sizeof(text), "%s%s", head, cases[i].rule);
        lg_pack *pack = fixture_pack(text);
        lg_buf told;
        lg_buf_init(&told, 0);
        for (size_t k = 0; pack && k < pack->remark_count; k++) {
            lg_str rest = pack->remarks[k].text;
            rest = lg_str_slice(rest, lg_str_find(rest, LG_STR("where `")) + 7, rest.len);
            lg_buf_add_c(&told, k ? ", " : "");
            lg_buf_add(&told, lg_str_slice(rest, 0, lg_str_find(rest, LG_STR("`"))));
        }
        if (!CHECK(lg_str_eq(lg_buf_str(&told), lg_str_c(cases[i].told)))) {
            printf("%s    told: %.*s\n", cases[i].rule, LG_FMT(lg_buf_str(&told)));
        }
        lg_buf_done(&told);
        lg_pack_free(pack);
    }
}

static void a_remark_has_words_and_a_place(void)
{
    char text[4096];
    snprintf(text, sizeof(text), "%s    that: ledger.user.id == 'a' && ledger.user.size > 1.0\n",
             head);
    lg_pack *pack = fixture_pack(text);
    CHECK(pack->remark_count == 1);
    lg_position at = lg_pack_position(pack, pack->remarks[0].offset);
    CHECK_MSG(at.line == 29 && at.column == 48, "the field is pointed at");
    CHECK_STR(
        pack->remarks[0].text,
        "rule `r` abstains where `size` is absent, which Part does not require; say has(), or "
        "`needs`");
    lg_pack_free(pack);
}

// Each name stands for twice the one before it: to follow them all would take for ever.
static void a_rule_that_grows_without_end_is_left(void)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, head);
    lg_buf_add_c(&text, "    let:\n      a0: has(ledger.user.size)\n");
    for (int i = 1; i < 64; i++) {
        lg_buf_addf(&text, "      a%d: a%d && a%d\n", i, i - 1, i - 1);
    }
    lg_buf_add_c(&text, "    that: a63 && ledger.user.size > 1.0\n");
    lg_buf_add_byte(&text, '\0');
    lg_pack *pack = fixture_pack(lg_buf_str(&text).ptr);
    CHECK(pack && pack->remark_count == 1);
    CHECK_STR(pack->remarks[0].text, "rule `r` is too long to say where it abstains");
    lg_pack_free(pack);
    lg_buf_done(&text);
}

int main(void)
{
    RUN(fields_that_may_be_absent_are_told);
    RUN(a_remark_has_words_and_a_place);
    RUN(a_rule_that_grows_without_end_is_left);
    return lg_test_done();
}
