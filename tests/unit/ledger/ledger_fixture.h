// ledger_fixture.h: a shop (shop.yaml), a ledger of it, and calls that were carried out there.
#ifndef LG_LEDGER_FIXTURE_H
#define LG_LEDGER_FIXTURE_H

#include "ledger/ledger.h"
#include "lg_test.h"
#include "pack_fixture.h"

typedef struct shop {
    lg_pack *pack;
    lg_ledger ledger;
    lg_arena arena; // arguments and printed values
    lg_error error; // of the latest call
    uint32_t turn;  // of the next call
} shop;

static inline void shop_open(shop *s, const lg_limits *limits)
{
    *s = (shop){.turn = 1};
    lg_error errors[4];
    size_t count = 0;
    if (lg_pack_load(LG_SOURCE_DIR "/tests/unit/ledger/shop.yaml", NULL, &s->pack, errors, 4,
                     &count) != LG_OK) {
        printf("shop.yaml:%u:%u: %s\n", errors[0].line, errors[0].column, errors[0].msg);
        exit(1);
    }
    lg_ledger_init(&s->ledger, s->pack, limits);
    lg_arena_init(&s->arena, 0);
}

static inline void shop_close(shop *s)
{
    lg_ledger_done(&s->ledger);
    lg_arena_done(&s->arena);
    lg_pack_free(s->pack);
}

static inline lg_ledger_call shop_call(shop *s, const char *tool, const char *args,
                                       const char *result)
{
    return (lg_ledger_call){.tool = lg_str_c(tool),
                            .args = fixture_json(&s->arena, args),
                            .result = lg_arena_str(&s->arena, lg_str_c(result)),
                            .turn = s->turn++};
}

// A call that was carried out; what it was to the ledger.
static inline lg_observed shop_observe(shop *s, const char *tool, const char *args,
                                       const char *result)
{
    lg_ledger_call call = shop_call(s, tool, args, result);
    lg_observed observed = LG_OBSERVED_NOTHING;
    s->error = (lg_error){0};
    CHECK(lg_ledger_observe(&s->ledger, &call, &observed, &s->error) == LG_OK);
    return observed;
}

// The whole ledger as JSON.
static inline lg_str shop_root(shop *s)
{
    return fixture_print(&s->arena, s->ledger.state.root);
}

static inline bool shop_same_state(const lg_ledger_state *a, const lg_ledger_state *b)
{
    return a->root == b->root && a->entries.slots == b->entries.slots &&
           a->entries.count == b->entries.count;
}

static inline const lg_ledger_entry *shop_entry(const shop *s, const char *first,
                                                const char *second)
{
    lg_str path[] = {lg_str_c(first), lg_str_c(second)};
    return lg_ledger_find(&s->ledger.state, path, second ? 2 : 1);
}

#endif
