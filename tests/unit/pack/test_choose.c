// test_choose.c: which of several packs a conversation is of.
#include "lg_test.h"
#include "pack_fixture.h"

#define NAMES_MAX 6u

#define PACK(name, tools)                                                                          \
    "pack: " name "\nversion: '1'\ntools:\n"                                                       \
    "  hand_over: {kind: generic, parameters: {type: object, properties: {}}}\n" tools
#define TOOL(name, kind)                                                                           \
    "  " name ": {kind: " kind ", parameters: {type: object, properties: {}}}\n"

// `get_user` stands in two of them, `hand_over` in all. The last is another version of the first.
static const char *const texts[] = {
    PACK("shop", TOOL("get_user", "read") TOOL("get_order", "read") TOOL("refund", "write")),
    PACK("air", TOOL("get_user", "read") TOOL("get_seat", "read") TOOL("book", "write")),
    PACK("bank",
         TOOL("get_account", "read") TOOL(
             "pay", "write") "  look: {kind: read, requestor: user, parameters: {type: object}}\n"),
    PACK("shop", TOOL("get_user", "read") TOOL("get_order", "read") TOOL("refund", "write")
                     TOOL("exchange", "write")),
};

typedef struct choice_case {
    const char *what;
    const char *called[NAMES_MAX]; // in the order of their bytes
    const char *offered[NAMES_MAX];
    const char *domain;
    int expected; // index of the pack; -1: none
} choice_case;

static const choice_case cases[] = {
    {"a tool that only one has", {"get_seat"}, {0}, "", 1},
    {"a shared tool, and one that only one has", {"get_seat", "get_user"}, {0}, "", 1},
    {"a shared tool alone", {"get_user"}, {0}, "", -1},
    {"a shared tool, and the domain", {"get_user"}, {0}, "Air", 1},
    {"a shared tool, and a domain that none has", {"get_user"}, {0}, "mock", -1},
    {"a shared tool, and what could be called",
     {"get_user"},
     {"book", "get_seat", "get_user"},
     "",
     1},
    {"a generic tool tells nothing", {"hand_over"}, {0}, "", -1},
    {"a generic tool, and the domain", {"hand_over"}, {0}, "bank", 2},
    {"no call", {0}, {0}, "", -1},
    {"no call, and the domain", {0}, {0}, "bank", 2},
    {"no call, and what could be called", {0}, {"get_account", "hand_over", "pay"}, "", 2},
    {"what was called goes before the domain", {"get_seat"}, {0}, "bank", 1},
    {"what was called goes before a domain of two versions", {"exchange"}, {0}, "", 3},
    {"of two versions that are alike the first", {"get_order"}, {0}, "", 0},
    {"one unknown tool of four", {"book", "get_seat", "get_user", "guess"}, {0}, "", 1},
    {"one unknown tool of three", {"book", "get_seat", "guess"}, {0}, "", -1},
    {"one unknown tool of three, and the domain", {"book", "get_seat", "guess"}, {0}, "air", 1},
    {"two unknown tools of three, and the domain", {"book", "guess", "try"}, {0}, "air", -1},
    {"a called tool that could not be called is a mistake",
     {"book", "guess"},
     {"book", "get_seat", "get_user", "hand_over"},
     "",
     1},
    {"another domain that has a tool of the same name",
     {"get_seat"},
     {"clean", "get_seat", "sweep"},
     "",
     -1},
    {"a tool of the customer's is none of the agent's", {"look"}, {0}, "", -1},
    {"tools of two domains", {"book", "pay"}, {0}, "", -1},
};

static size_t fill(const char *const from[NAMES_MAX], lg_str to[NAMES_MAX])
{
    size_t count = 0;
    while (count < NAMES_MAX && from[count]) {
        to[count] = lg_str_c(from[count]);
        count++;
    }
    return count;
}

static void the_pack_that_fits(void)
{
    lg_pack *packs[LG_COUNT(texts)];
    const lg_pack *known[LG_COUNT(texts)];
    for (size_t i = 0; i < LG_COUNT(texts); i++) {
        known[i] = packs[i] = fixture_pack(texts[i]);
    }
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_str called[NAMES_MAX];
        lg_str offered[NAMES_MAX];
        lg_tool_use use = {.called = called, .offered = offered};
        use.called_count = fill(cases[i].called, called);
        use.offered_count = fill(cases[i].offered, offered);
        use.domain = lg_str_c(cases[i].domain);
        const lg_pack *best = lg_pack_choose(known, LG_COUNT(known), &use);
        CHECK_MSG(best == (cases[i].expected < 0 ? NULL : known[cases[i].expected]), cases[i].what);
    }
    for (size_t i = 0; i < LG_COUNT(texts); i++) {
        lg_pack_free(packs[i]);
    }
}

static void of_none_none(void)
{
    lg_str name = LG_STR("get_user");
    CHECK(lg_pack_choose(NULL, 0, &(lg_tool_use){.called = &name, .called_count = 1}) == NULL);
}

int main(void)
{
    RUN(the_pack_that_fits);
    RUN(of_none_none);
    return lg_test_done();
}
