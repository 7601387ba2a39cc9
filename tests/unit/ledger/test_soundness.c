// test_soundness.c: what holds of every ledger, whatever tools return (ToolGate sections 3.2, G.2).
//
// Calls of the real packs and of the shop with arguments and results made from their own schemas,
// some of them spoiled. After each: every record has its declared type, no two stand at one path,
// the list of records and the tree say the same, and what was not accepted has changed nothing.
#include "ledger/ledger.h"
#include "lg_test.h"
#include "pack_fixture.h"
#include "schema/synthesise.h"
#include "json/tree.h"

#define CONVERSATIONS 30
#define CALLS 60

typedef struct trial {
    lg_pack *pack;
    lg_ledger ledger;
    lg_arena arena; // of one conversation
    uint64_t random;
    size_t accepted, refused;
} trial;

// A linear congruential generator; its upper bits are good enough.
static uint32_t pick(trial *t, uint32_t below)
{
    t->random = t->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(t->random >> 33) % below;
}

static const lg_json *synthesise(trial *t, const lg_schema *schema, uint32_t kinds)
{
    const lg_json *made = NULL;
    lg_synthesis_options how = {.seed = 1 + pick(t, kinds)};
    if (!schema || lg_schema_synthesise_compiled(&t->arena, schema, &how, &made, NULL) != LG_OK) {
        return fixture_json(&t->arena, "{}");
    }
    return made;
}

// A made-up record is rarely the one that was asked for: this one names what the call names.
static const lg_json *with_arguments(trial *t, const lg_json *made, const lg_json *args)
{
    for (size_t i = 0; lg_json_is(made, LG_JSON_OBJECT) && i < lg_json_len(args); i++) {
        lg_json *copy = LG_NEW(&t->arena, lg_json);
        const lg_json_member *member = lg_json_member_at(args, i);
        if (copy && lg_json_get(made, lg_json_key(member)) &&
            lg_tree_with_member(&t->arena, made, lg_json_key(member), member->value, copy) ==
                LG_OK) {
            made = copy;
        }
    }
    return made;
}

// What a tool may return: mostly what is declared, now and then something else or torn.
static lg_str make_result(trial *t, const lg_tool *tool, const lg_json *args)
{
    static const char *const others[] = {"", "null", "[]", "{}", "\"\"", "Error: no", "[1", "0"};
    uint32_t way = pick(t, 10);
    if (way == 0) {
        return lg_str_c(others[pick(t, LG_COUNT(others))]);
    }
    if (tool->returns_text) {
        return lg_arena_printf(&t->arena, "text %u", pick(t, 5));
    }
    const lg_tool *of = way == 1 ? &t->pack->tools[pick(t, (uint32_t)t->pack->tool_count)] : tool;
    const lg_json *made = with_arguments(t, synthesise(t, of->result, 40), args);
    lg_str text = fixture_print(&t->arena, made);
    return way == 2 ? lg_str_slice(text, 0, pick(t, (uint32_t)text.len + 1)) : text;
}

// --- What must hold -------------------------------------------------------------------------------

static bool same_path(const lg_ledger_entry *a, const lg_ledger_entry *b)
{
    bool same = a->declared == b->declared;
    for (uint32_t i = 0; same && i < a->declared->segment_count; i++) {
        same = lg_str_eq(a->segments[i], b->segments[i]);
    }
    return same;
}

static const lg_json *node_at(const lg_json *root, const lg_ledger_entry *entry)
{
    for (uint32_t i = 0; i < entry->declared->segment_count; i++) {
        root = lg_json_get(root, entry->segments[i]);
    }
    return root;
}

// How many records of a place the tree holds. As deep as the place's path.
static size_t count_records(const lg_json *node, const lg_place *place, uint32_t depth)
{
    if (!node || depth == place->segment_count) {
        return node != NULL;
    }
    if (!lg_str_eq(place->segments[depth], LG_STR("*"))) {
        return count_records(lg_json_get(node, place->segments[depth]), place, depth + 1);
    }
    size_t count = 0;
    for (size_t i = 0; i < lg_json_len(node); i++) {
        count += count_records(&lg_json_member_at(node, i)->value, place, depth + 1);
    }
    return count;
}

static void check_state(const trial *t)
{
    const lg_ledger_state *state = &t->ledger.state;
    for (uint32_t i = 0; i < state->entries.count; i++) {
        const lg_ledger_entry *entry = lg_ledger_entry_at(state, i);
        CHECK_MSG(entry->declared->shape &&
                      lg_schema_validate(entry->declared->shape, entry->value, NULL),
                  "a record has not its declared type");
        CHECK_MSG(lg_json_equal(node_at(state->root, entry), entry->value),
                  "the tree and the list of records disagree");
        for (uint32_t k = 0; k < i; k++) {
            CHECK_MSG(!same_path(entry, lg_ledger_entry_at(state, k)),
                      "two records stand at one path");
        }
    }
    size_t records = 0;
    for (size_t p = 0; p < t->pack->ledger.count; p++) {
        records += count_records(state->root, &t->pack->ledger.items[p], 0);
    }
    CHECK_MSG(records == state->entries.count, "the tree holds records that are in no list");
}

static bool is_same(const lg_ledger_state *a, const lg_ledger_state *b)
{
    return a->root == b->root && a->entries.count == b->entries.count;
}

static void one_call(trial *t, uint32_t turn)
{
    const lg_tool *tool = &t->pack->tools[pick(t, (uint32_t)t->pack->tool_count)];
    const lg_json *args = synthesise(t, tool->arguments, 4);
    lg_ledger_call call = {.tool = tool->name,
                           .args = args,
                           .result = make_result(t, tool, args),
                           .failed = pick(t, 20) == 0,
                           .by_user = pick(t, 20) == 0,
                           .turn = turn};
    if (!lg_json_is(call.args, LG_JSON_OBJECT)) {
        return;
    }
    lg_ledger_state before = t->ledger.state;
    size_t history = lg_json_len(lg_json_get(before.root, LG_STR("history")));
    lg_observed observed;
    lg_error error = {0};
    CHECK_MSG(lg_ledger_observe(&t->ledger, &call, &observed, &error) == LG_OK, error.msg);
    bool refused = observed == LG_OBSERVED_UNREADABLE || observed == LG_OBSERVED_REJECTED;
    bool written = observed == LG_OBSERVED_WRITE || observed == LG_OBSERVED_UNVERIFIED ||
                   observed == LG_OBSERVED_UNKNOWN;
    t->accepted += observed == LG_OBSERVED_RECORDS;
    t->refused += refused;
    CHECK_MSG(!refused || is_same(&before, &t->ledger.state), "a refused result left something");
    CHECK_MSG(refused == (t->ledger.rejection.category != LG_CATEGORY_NONE) ||
                  observed == LG_OBSERVED_UNVERIFIED,
              "a refused result has a category");
    CHECK_MSG(lg_json_len(lg_json_get(t->ledger.state.root, LG_STR("history"))) ==
                  history + (written ? 1 : 0),
              "the history holds the writes that were carried out, or may have been");
    check_state(t);
}

static void try_pack(const char *path)
{
    trial t = {.random = 20240515};
    lg_error errors[4];
    size_t count = 0;
    if (lg_pack_load(path, NULL, &t.pack, errors, 4, &count) != LG_OK) {
        printf("%s:%u:%u: %s\n", path, errors[0].line, errors[0].column, errors[0].msg);
        exit(1);
    }
    lg_ledger_init(&t.ledger, t.pack, NULL);
    lg_arena_init(&t.arena, 0);
    for (uint32_t c = 0; c < CONVERSATIONS; c++) {
        for (uint32_t turn = 0; turn < CALLS; turn++) {
            one_call(&t, turn);
        }
        lg_ledger_reset(&t.ledger);
        lg_arena_reset(&t.arena);
    }
    printf("%s: %zu results accepted, %zu refused\n", path, t.accepted, t.refused);
    CHECK_MSG(t.accepted > 20 && t.refused > 20, "the trial has seen results of both kinds");
    lg_ledger_done(&t.ledger);
    lg_arena_done(&t.arena);
    lg_pack_free(t.pack);
}

static void a_ledger_is_typed_and_its_keys_are_unique(void)
{
    static const char *const packs[] = {"airline", "retail", "telecom", "telehealth"};
    try_pack(LG_SOURCE_DIR "/tests/unit/ledger/shop.yaml");
    for (size_t i = 0; i < LG_COUNT(packs); i++) {
        char path[4096];
        snprintf(path, sizeof(path), LG_SOURCE_DIR "/packs/%s", packs[i]);
        try_pack(path);
    }
}

int main(void)
{
    RUN(a_ledger_is_typed_and_its_keys_are_unique);
    return lg_test_done();
}
