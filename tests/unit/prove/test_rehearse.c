// test_rehearse.c: conversations that the prover carries out are those of the gate and the ledger.
#include "lg_test.h"

#include "pack_fixture.h"
#include "prove/symbolic_call.h"

static const char shop[] =
    "pack: shop\n"
    "version: '1'\n"
    "clock: 2024-05-15T15:00:00Z\n"
    "types:\n"
    "  Item: {type: object, properties: {id: {type: string}, count: {type: number}}, required: "
    "[id, "
    "count]}\n"
    "ledger:\n"
    "  items.*: Item\n"
    "  shelves.*.*: {type: number}\n"
    "state:\n"
    "  items.*: Item\n"
    "tools:\n"
    "  get_item:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    returns: Item\n"
    "    stores: [{at: 'items[args.id]'}]\n"
    "    effects: [{fail: 'no {args.id}', when: '!(args.id in state.items)'}]\n"
    "    gives: state.items[args.id]\n"
    "    ensures: [{id: right_item, that: result.id == args.id && result.count >= 0.0}]\n"
    "  get_shelf:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {room: {type: string}}, required: [room]}\n"
    "    returns: {type: array, items: {type: object, properties: {on: {type: string}, n: {type: "
    "number}}, required: [on, n]}}\n"
    "    stores: [{each: result, at: 'shelves[args.room][item.on]', value: item.n}]\n"
    "  take:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    effects: [{set: 'items[args.id].count', to: 'state.items[args.id].count - 1.0'}]\n"
    "    gives: state.items[args.id]\n"
    "  tidy:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {}}\n"
    "    effects: []\n"
    "rules:\n"
    "  some_left:\n"
    "    tools: [take]\n"
    "    that: ledger.items[args.id].count >= 1.0\n"
    "    needs: ['ledger.items[args.id]']\n"
    "    otherwise: block\n"
    "    say: None.\n"
    "  tidy_twice:\n"
    "    tools: [tidy]\n"
    "    stale: reread\n"
    "    that: \"ledger.items.all(k, ledger.items[k].count >= 0.0)\"\n"
    "    otherwise: revise\n"
    "    say: No.\n"
    "invariants:\n"
    "  - {id: not_negative, that: \"state.items.all(k, state.items[k].count >= 0.0)\"}\n";

static const char names[] =
    "pack: names\n"
    "version: '1'\n"
    "ledger:\n"
    "  name: {type: string}\n"
    "state:\n"
    "  names.*: {type: string}\n"
    "tools:\n"
    "  name_of:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    returns: {type: string}\n"
    "    stores: [{at: name}]\n"
    "    gives: state.names[args.id]\n";

typedef struct bed {
    lg_pack *pack;
    lg_arena arena;
    task t;
    rehearsal r;
} bed;

static const lg_json *parsed(bed *b, const char *text)
{
    const lg_json *value = NULL;
    lg_error error;
    lg_str all = lg_arena_str(&b->arena, lg_str_c(text));
    CHECK(lg_json_parse_in(&b->arena, all, 0, all.len, NULL, &value, &error) == LG_OK);
    return value;
}

static stand begin_in(bed *b, const char *pack, const char *state)
{
    b->pack = fixture_pack(pack);
    lg_arena_init(&b->arena, (size_t)1 << 26);
    b->t = (task){.pack = b->pack, .options = prove_resolved(NULL), .arena = &b->arena};
    return rehearsal_begin(&b->r, &b->t, &b->arena, state ? parsed(b, state) : NULL);
}

static stand begin(bed *b, const char *state)
{
    return begin_in(b, shop, state);
}

static void end(bed *b)
{
    rehearsal_end(&b->r);
    lg_arena_done(&b->arena);
    lg_pack_free(b->pack);
}

static const lg_tool *tool(const bed *b, const char *name)
{
    return lg_pack_tool(b->pack, lg_str_c(name));
}

static const lg_place *place(const bed *b, const char *text)
{
    for (size_t i = 0; i < b->pack->ledger.count; i++) {
        if (lg_str_eq(b->pack->ledger.items[i].text, lg_str_c(text))) {
            return &b->pack->ledger.items[i];
        }
    }
    return NULL;
}

static size_t history(const stand *at)
{
    return lg_json_len(lg_json_get(at->session.ledger.root, LG_STR("history")));
}

// --- Calls --------------------------------------------------------------------------------------

static void reads_are_observed(void)
{
    bed b;
    stand at = begin(&b, NULL);
    const lg_json *args = parsed(&b, "{\"id\": \"a\"}");
    CHECK(!rehearse_read(&b.r, &at, tool(&b, "get_item"), args,
                         parsed(&b, "{\"id\": \"b\", \"count\": 1}"))); // a postcondition
    CHECK(!rehearse_read(&b.r, &at, tool(&b, "get_item"), args, parsed(&b, "{\"id\": \"a\"}")));
    CHECK(at.session.ledger.entries.count == 0 && !at.last);
    CHECK(rehearse_read(&b.r, &at, tool(&b, "get_item"), args,
                        parsed(&b, "{\"id\": \"a\", \"count\": 1}")));
    CHECK(at.session.ledger.entries.count == 1 && at.last && at.last->number == 1);
    end(&b);
}

// The ledger reads a result under a schema as JSON, where "Ada" is a text and Ada is nothing.
static void a_text_under_a_schema_is_json(void)
{
    bed b;
    stand at = begin_in(&b, names, "{\"names\": {\"a\": \"Ada\"}}");
    CHECK(rehearse_read(&b.r, &at, tool(&b, "name_of"), parsed(&b, "{\"id\": \"a\"}"), NULL));
    CHECK(at.session.ledger.entries.count == 1);
    end(&b);
}

static void writes_are_judged_and_leave_stale_records(void)
{
    bed b;
    stand at = begin(&b, "{\"items\": {\"a\": {\"id\": \"a\", \"count\": 1}}}");
    const lg_json *args = parsed(&b, "{\"id\": \"a\"}");
    CHECK(!rehearse_write(&b.r, &at, tool(&b, "take"), args, NULL)); // nothing was read
    CHECK(history(&at) == 0);
    CHECK(rehearse_read(&b.r, &at, tool(&b, "get_item"), args, NULL));
    stand before = at;
    CHECK(rehearse_write(&b.r, &at, tool(&b, "take"), args, NULL));
    CHECK(b.r.breach_count == 0 && history(&at) == 1 && history(&before) == 0);
    CHECK(lg_ledger_entry_at(&at.session.ledger, 0)->stale ||
          lg_ledger_entry_at(&at.session.ledger, 0)->part_count);
    CHECK(!lg_ledger_entry_at(&before.session.ledger, 0)->stale &&
          lg_ledger_entry_at(&before.session.ledger, 0)->part_count == 0);
    CHECK(rehearse_write(&b.r, &at, tool(&b, "take"), args, NULL)); // by what it was
    CHECK(b.r.breach_count == 1);
    CHECK_STR(b.r.breaches[0].condition->id, "not_negative");
    lg_verdict verdict;
    CHECK(rehearse_verdict(&b.r, &before, tool(&b, "tidy"), parsed(&b, "{}"), &verdict));
    CHECK(verdict == LG_ALLOW);
    CHECK(rehearse_verdict(&b.r, &at, tool(&b, "tidy"), parsed(&b, "{}"), &verdict));
    CHECK(verdict == LG_REVISE); // this rule wants it read again
    end(&b);
}

// --- Records ------------------------------------------------------------------------------------

static void records_make_the_ledger_that_they_are_of(void)
{
    bed b;
    begin(&b, NULL);
    const lg_json *ledger = parsed(&b, "{\"items\": {\"a\": {\"id\": \"a\", \"count\": 1}}, "
                                       "\"shelves\": {\"x\": {\"p\": 1, \"q\": 2}}, "
                                       "\"history\": []}");
    records all;
    CHECK(records_of(&b.arena, &b.pack->ledger, ledger, &all) && all.count == 3);
    const lg_json *same = root_of_records(&b.arena, b.pack, &all, NULL, NULL);
    CHECK(same && lg_json_equal(same, ledger));
    const bool kept[3] = {false, true, true};
    const lg_json *less = root_of_records(&b.arena, b.pack, &all, kept, NULL);
    CHECK(less && lg_json_len(lg_json_get(less, LG_STR("items"))) == 0);
    CHECK(lg_json_len(lg_json_get(lg_json_get(less, LG_STR("shelves")), LG_STR("x"))) == 2);
    end(&b);
}

static void a_read_is_found_for_a_record(void)
{
    bed b;
    stand at = begin(&b, NULL);
    const lg_str item[] = {LG_STR("items"), LG_STR("a")};
    record wanted = {place(&b, "items.*"), item, parsed(&b, "{\"id\": \"a\", \"count\": 7}")};
    CHECK(rehearse_record(&b.r, &at, &wanted));
    CHECK(at.last && at.last->tool == tool(&b, "get_item"));
    wanted.value = parsed(&b, "{\"id\": \"a\", \"count\": -7}"); // a postcondition refuses it
    CHECK(!rehearse_record(&b.r, &at, &wanted));
    const lg_str shelf[] = {LG_STR("shelves"), LG_STR("x"), LG_STR("p")};
    record deep = {place(&b, "shelves.*.*"), shelf, parsed(&b, "3")};
    CHECK(rehearse_record(&b.r, &at, &deep)); // one of the items of a result
    CHECK(at.last->tool == tool(&b, "get_shelf") && at.last->number == 2);
    CHECK(rehearse_record(&b.r, &at, &deep) && at.last->number == 2); // it is there already
    end(&b);
}

static void what_outdates_what(void)
{
    bed b;
    begin(&b, NULL);
    CHECK(may_outdate(b.pack, tool(&b, "take"), tool(&b, "take"), true));
    CHECK(!may_outdate(b.pack, tool(&b, "tidy"), tool(&b, "take"), false));
    CHECK(may_outdate(b.pack, tool(&b, "take"), tool(&b, "tidy"), false));
    CHECK(!may_outdate(b.pack, tool(&b, "take"), tool(&b, "tidy"), true)); // it is read again
    end(&b);
}

int main(void)
{
    RUN(reads_are_observed);
    RUN(a_text_under_a_schema_is_json);
    RUN(writes_are_judged_and_leave_stale_records);
    RUN(records_make_the_ledger_that_they_are_of);
    RUN(a_read_is_found_for_a_record);
    RUN(what_outdates_what);
    return lg_test_done();
}
