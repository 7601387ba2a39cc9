// test_nesting.c: packs that nest deeper than anybody writes are followed as far as that goes, and what is
// not followed is not proved.
#include "lg_test.h"

#include "pack_fixture.h"
#include "prove/prove.h"

static const char head[] = "pack: p\n"
                           "version: '1'\n"
                           "clock: 2024-05-15T15:00:00Z\n";

static const char act[] =
    "tools:\n"
    "  act:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {k: {type: string}}, required: [k]}\n";

static lg_proof prove_text(lg_arena *arena, const lg_pack *pack)
{
    lg_error err;
    lg_proof proof = {0};
    lg_prove_options options = {.timeout_ms = 200, .seconds = 20};
    CHECK_MSG(lg_prove(pack, &options, arena, &proof, &err) == LG_OK, "the pack is followed");
    return proof;
}

// Each list of the ledger is gone through inside of the one before: more names than are kept apart.
static void macros_in_macros(void)
{
    lg_arena arena;
    lg_buf text;
    lg_arena_init(&arena, 0);
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, head);
    lg_buf_add_c(&text, "ledger:\n");
    for (unsigned i = 0; i < 10; i++) {
        lg_buf_addf(&text, "  l%u: {type: array, items: {type: number}}\n", i);
    }
    lg_buf_add_c(&text, act);
    lg_buf_add_c(&text, "rules:\n  one: {tools: [act], otherwise: block, say: no, that: \"");
    for (unsigned i = 0; i < 10; i++) {
        lg_buf_addf(&text, "ledger.l%u.exists(x%u, ", i, i);
    }
    lg_buf_add_c(&text, "x9 > 0.0))))))))))\"}\n");
    lg_buf_add_byte(&text, '\0');
    lg_pack *pack = fixture_pack(lg_buf_str(&text).ptr);
    lg_proof proof = prove_text(&arena, pack);
    CHECK(proof.count > 0);
    lg_pack_free(pack);
    lg_buf_done(&text);
    lg_arena_done(&arena);
}

// A number in lists in lists: with `forall` it is a function of as many indices.
static void lists_so_deep(unsigned deep)
{
    lg_arena arena;
    lg_buf text;
    lg_arena_init(&arena, 0);
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, head);
    lg_buf_add_c(&text, "ledger:\n  a: {type: number}\nstate:\n  n: {type: number}\n  deep: ");
    for (unsigned i = 0; i < deep; i++) {
        lg_buf_add_c(&text, "{type: array, items: ");
    }
    lg_buf_add_c(&text, "{type: number}");
    for (unsigned i = 0; i < deep; i++) {
        lg_buf_add_c(&text, "}");
    }
    lg_buf_add_c(&text, "\ninvariants:\n  - {id: inv, that: 'state.n == 1.0 || state.deep");
    for (unsigned i = 0; i < deep; i++) {
        lg_buf_add_c(&text, "[0]");
    }
    lg_buf_add_c(&text, " == 1.0'}\n");
    lg_buf_add_c(&text, act);
    lg_buf_add_c(&text, "    effects:\n      - {set: n, to: '2.0'}\n");
    lg_buf_add_byte(&text, '\0');
    lg_pack *pack = fixture_pack(lg_buf_str(&text).ptr);
    lg_proof proof = prove_text(&arena, pack);
    for (size_t i = 0; i < proof.count; i++) {
        bool kept = proof.items[i].kind == LG_OBLIGE_PRESERVES;
        CHECK_MSG(!kept || proof.items[i].outcome != LG_PROVED, "nothing false is proved");
    }
    lg_pack_free(pack);
    lg_buf_done(&text);
    lg_arena_done(&arena);
}

static void lists_in_lists(void)
{
    lists_so_deep(28);
    lists_so_deep(40);
}

int main(void)
{
    RUN(macros_in_macros);
    RUN(lists_in_lists);
    return lg_test_done();
}
