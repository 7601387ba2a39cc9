// test_settle.c: which steps of `settle` come to rest.
#include "lg_test.h"
#include "pack_fixture.h"

static const char head[] =
    "pack: p\n"
    "version: '1'\n"
    "state:\n"
    "  users.*: {type: object, properties: {level: {type: string}, n: {type: number}}}\n"
    "  c: {type: object, properties: {on: {type: boolean}, low: {type: number}, "
    "high: {type: number}, day: {type: string}, list: {type: array, items: {type: number}}}}\n"
    "tools: {look: {kind: read, parameters: {type: object, properties: {}}, gives: state.c.low}}\n";

typedef struct rest_case {
    const char *what;
    const char *more; // of the pack
    size_t restless;
} rest_case;

static const rest_case cases[] = {
    {"nothing is settled", "", 0},
    {"a constant", "settle: [{set: c.low, to: 1.0}]\n", 0},
    {"what follows from something else", "settle: [{set: c.low, to: state.c.high}]\n", 0},
    {"a step that reads what it sets", "settle: [{set: c.low, to: state.c.low + 1.0}]\n", 1},
    {"its condition does, and the value stays",
     "settle: [{set: c.low, to: 2.0, when: state.c.low < 1.0}]\n", 0},
    {"the value does, under a condition",
     "settle: [{set: c.on, to: '!state.c.on', when: state.c.low < 1.0}]\n", 1},
    {"what an earlier step sets",
     "settle: [{set: c.low, to: state.c.high}, {set: c.on, to: state.c.low > 1.0}]\n", 0},
    {"what a later step sets",
     "settle: [{set: c.on, to: state.c.low > 1.0}, {set: c.low, to: state.c.high}]\n", 1},
    {"a condition on what a later step sets",
     "settle: [{set: c.on, to: 'true', when: state.c.low > 1.0}, {set: c.low, to: 2.0}]\n", 1},
    {"an earlier and a later step set the same",
     "settle: [{set: c.low, to: 1.0}, {set: c.low, to: 2.0, when: state.c.on}]\n", 0},
    {"a list that grows", "settle: [{append: c.list, value: 1.0}]\n", 1},
    {"a list that shrinks", "settle: [{remove: 'c.list[0]', when: state.c.list.size() > 3}]\n", 1},
    {"a record that goes", "settle: [{remove: \"users['x']\", when: \"'x' in state.users\"}]\n", 0},
    {"each, beside one another",
     "settle: [{each: \"['a', 'b']\", as: u, set: 'users[u].n', to: state.c.low}]\n", 0},
    {"each, one after the other",
     "settle: [{each: \"['a', 'b']\", as: u, set: 'users[u].level', to: \"'x'\", when: "
     "\"state.users.exists(k, state.users[k].level == 'y')\"}]\n",
     1},
    {"steps in steps",
     "settle: [{when: state.c.on, do: [{set: c.low, to: 1.0}, {set: c.high, to: 2.0}]}]\n", 0},
    {"steps in steps that end their condition",
     "settle: [{when: state.c.on, do: [{set: c.on, to: 'false'}, {set: c.high, to: 2.0}]}]\n", 1},
    {"a `let` that was before the steps",
     "settle: [{let: {n: state.c.low}, do: [{set: c.low, to: 1.0}, {set: c.high, to: n}]}]\n", 1},
    {"a procedure",
     "procedures: {tick: [{set: c.low, to: state.c.low + 1.0}]}\nsettle: [{run: tick}]\n", 1},
    {"the clock of the host", "settle: [{set: c.day, to: string(now)}]\n", 1},
    {"a clock that stands",
     "clock: 2024-05-15T15:00:00Z\nsettle: [{set: c.day, to: string(now)}]\n", 0},
};

static void what_settle_comes_to(void)
{
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        char yaml[4096];
        snprintf(yaml, sizeof(yaml), "%s%s", head, cases[i].more);
        lg_pack *pack = fixture_pack(yaml);
        CHECK_MSG(pack->restless_count == cases[i].restless, cases[i].what);
        const lg_reach_set *alters = &lg_pack_tool(pack, LG_STR("look"))->alters;
        CHECK_MSG((alters->count > 0) == (cases[i].restless > 0), cases[i].what);
        lg_pack_free(pack);
    }
}

int main(void)
{
    RUN(what_settle_comes_to);
    return lg_test_done();
}
