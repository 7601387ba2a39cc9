// test_ledger.c: what the ledger of a pack holds before anything was read, and hostile types in it.
#include "lg_test.h"
#include "pack_fixture.h"

typedef struct root_case {
    const char *ledger; // with its types, in flow style
    const char *root;
} root_case;

#define MAP "{type: object, additionalProperties: {type: string}}"

static const root_case roots[] = {
    {"ledger: {}", "{\"history\":[]}"},
    {"ledger: {user: {type: string}}", "{\"history\":[]}"},
    {"ledger: {orders.*: {type: string}}", "{\"orders\":{},\"history\":[]}"},
    {"ledger: {a.*.*: {type: string}, b.*.x: {type: string}, b.*.y.*: {type: string}}",
     "{\"a\":{},\"b\":{},\"history\":[]}"},
    // A group of names is there, the records in it are not.
    {"ledger: {auth.id: {type: string}}", "{\"auth\":{},\"history\":[]}"},
    {"ledger: {g.a.x: {type: string}, g.b.*: {type: string}, g.a.y.*: {type: string}}",
     "{\"g\":{\"a\":{\"y\":{}},\"b\":{}},\"history\":[]}"},
    // A record that is a map, or holds one, is a record all the same.
    {"ledger: {prefs: " MAP ", auth.prefs: " MAP "}", "{\"auth\":{},\"history\":[]}"},
    {"ledger: {auth.user: {type: object, properties: {cards: " MAP "}}}",
     "{\"auth\":{},\"history\":[]}"},
    // A type that holds itself.
    {"types: {N: {type: object, properties: {next: {$ref: '#/types/N'}, m: " MAP "}}}\n"
     "ledger: {list.head: N, nodes.*: N}",
     "{\"list\":{},\"nodes\":{},\"history\":[]}"},
};

static void collections_and_groups_exist_from_the_start(void)
{
    for (size_t i = 0; i < LG_COUNT(roots); i++) {
        lg_arena arena;
        lg_arena_init(&arena, 0);
        lg_str yaml = lg_arena_printf(
            &arena, "pack: p\nversion: '1'\n%s\ntools: {w: {kind: write, parameters: {}}}\n",
            roots[i].ledger);
        lg_pack *pack = fixture_pack(yaml.ptr);
        CHECK_STR(fixture_print(&arena, pack->ledger.root), roots[i].root);
        lg_pack_free(pack);
        lg_arena_done(&arena);
    }
}

// Two types that hold themselves twice each: comparing them field by field would never end.
static void types_that_hold_themselves_are_compared_by_name(void)
{
    lg_pack *pack =
        fixture_pack("pack: p\nversion: '1'\n"
                     "types:\n"
                     "  A: {type: object, properties: {l: {$ref: '#/types/A'}, r: {$ref: "
                     "'#/types/A'}}}\n"
                     "  B: {type: object, properties: {l: {$ref: '#/types/B'}, r: {$ref: "
                     "'#/types/B'}}}\n"
                     "  C: {anyOf: [{$ref: '#/types/A'}, {$ref: '#/types/B'}]}\n"
                     "ledger: {c: C}\n"
                     "tools:\n"
                     "  get: {kind: read, parameters: {}, returns: C, stores: [{at: c}]}\n");
    CHECK(pack->ledger.count == 1);
    lg_pack_free(pack);
}

// Whatever the ceiling, a pack loads as a whole or not at all.
static void no_part_of_a_pack_is_lost_for_want_of_memory(void)
{
    static const char text[] =
        "pack: p\nversion: '1'\n"
        "types: {T: {type: object, properties: {a: {type: string}, b: {type: number}}}}\n"
        "ledger: {t.*: T, u: T}\n"
        "state: {t.*: T, u: T}\n"
        "tools:\n"
        "  get: {kind: read, parameters: {type: object, properties: {id: {type: string}}},"
        " returns: T, stores: [{at: 't[args.id]'}, {at: u}], gives: 'state.t[args.id]',"
        " found_in: {id: ledger.u.a}}\n"
        "  act: {kind: write, parameters: {type: object, properties: {id: {type: string}}},"
        " effects: [{remove: 't[args.id]'}, {set: u.b, to: 1.0}]}\n"
        "rules:\n"
        "  one: {tools: [act], let: {x: \"'t'\", y: '1'}, that: 'true', offer: [args.id],"
        " show: {z: x, w: z}, say: ['{x} and {y}', '{z}', 'no {w}']}\n"
        "  two: {tools: writes, let: {x: 'ledger.t[args.id]'}, that: \"x.a == ''\", say: '{x.b}',"
        " needs: ['ledger.t[args.id]', ledger.u]}\n";
    lg_pack *whole = fixture_pack(text);
    size_t loaded = 0;
    size_t refused = 0;
    for (size_t limit = 64; limit < (size_t)128 << 10; limit += limit < 16384 ? 40 : 1000) {
        lg_pack *pack = NULL;
        lg_error error = {0};
        size_t count = 0;
        lg_limits limits = {.document_bytes = limit};
        lg_status status =
            lg_pack_load_text(lg_str_c(text), "p", &limits, &pack, &error, 1, &count);
        if (status != LG_OK) {
            refused++;
            CHECK(!pack && count > 0 && error.msg[0]);
            continue;
        }
        loaded++;
        CHECK(strcmp(pack->hash, whole->hash) == 0);
        CHECK(pack->ledger.count == 2 && pack->tool_count == 2 && pack->rule_count == 2);
        CHECK(pack->tools[0].store_count == 2 && pack->tools[1].alters.count == 2);
        CHECK(pack->tools[1].rule_count == 2 && pack->tools[1].arguments);
        const lg_rule *one = &pack->rules[0];
        CHECK(one->let_count == 2 && one->say.count == 3 && one->say.sentences[0].count == 2);
        CHECK(one->say.show_count == 2 && one->offer_count == 1 && pack->let_max == 4);
        CHECK(pack->tools[0].found_count == 1);
        CHECK(pack->rules[1].tool_count == 1 && pack->rules[1].need_count == 2);
        lg_pack_free(pack);
    }
    CHECK(loaded > 0 && refused > 0);
    lg_pack_free(whole);
}

int main(void)
{
    RUN(collections_and_groups_exist_from_the_start);
    RUN(types_that_hold_themselves_are_compared_by_name);
    RUN(no_part_of_a_pack_is_lost_for_want_of_memory);
    return lg_test_done();
}
