// gate_fixture.h: a ledger of the desk's pack, and calls that are judged against it.
#ifndef LG_GATE_FIXTURE_H
#define LG_GATE_FIXTURE_H

#include "desk_pack.h"
#include "gate/gate.h"

typedef struct desk {
    lg_pack *pack;
    lg_ledger ledger;
    uint64_t cel_cost; // of the next decision
    lg_time now;       // likewise
    lg_arena arena;    // texts of the test
    lg_arena scratch;  // of the latest decision
    lg_error error;    // of the latest call
} desk;

static inline void desk_open(desk *d, const char *rest)
{
    *d = (desk){.pack = desk_pack(rest)};
    lg_ledger_init(&d->ledger, d->pack, NULL);
    lg_arena_init(&d->arena, 0);
    lg_arena_init(&d->scratch, 0);
}

static inline void desk_close(desk *d)
{
    lg_ledger_done(&d->ledger);
    lg_pack_free(d->pack);
    lg_arena_done(&d->arena);
    lg_arena_done(&d->scratch);
}

static inline lg_observed desk_observe_call(desk *d, const lg_ledger_call *call)
{
    lg_observed observed = LG_OBSERVED_NOTHING;
    d->error = (lg_error){0};
    CHECK(lg_ledger_observe(&d->ledger, call, &observed, &d->error) == LG_OK);
    return observed;
}

static inline lg_observed desk_observe(desk *d, const char *tool, const char *args,
                                       const char *result, uint32_t turn)
{
    return desk_observe_call(d, &(lg_ledger_call){.tool = lg_str_c(tool),
                                                  .args = fixture_json(&d->arena, args),
                                                  .result = lg_str_c(result),
                                                  .has_turn = true,
                                                  .turn = turn});
}

// One order and the user; what else there is was never read.
static inline void desk_fill(desk *d)
{
    desk_observe(d, "get_order", "{\"id\": \"1\"}",
                 "{\"id\": \"1\", \"status\": \"open\", \"total\": 10, \"note\": null,"
                 " \"items\": [\"a\", \"b\"]}",
                 1);
    desk_observe(d, "get_user", "{}",
                 "{\"name\": \"Ada\", \"cards\": {\"c1\": {\"kind\": \"card\"},"
                 " \"g1\": {\"kind\": \"gift\"}}, \"any\": \"text\"}",
                 2);
}

// No verdict, and no finding, depends on what is explained.
static inline void desk_check_bare(desk *d, const lg_gate_call *call, const lg_decision *explained)
{
    lg_decision bare;
    lg_gate_options options = {.cel_cost = d->cel_cost, .explain = LG_EXPLAIN_NOTHING};
    CHECK(lg_gate_decide(d->pack, &d->ledger.state, call, &options, &d->scratch, &bare,
                         &d->error) == LG_OK);
    CHECK(bare.verdict == explained->verdict && bare.evidence_count == 0 && bare.hint_count == 0);
    bool alike = CHECK(bare.finding_count == explained->finding_count);
    for (size_t i = 0; alike && i < bare.finding_count; i++) {
        CHECK(bare.findings[i].cause == explained->findings[i].cause);
        CHECK(lg_str_eq(bare.findings[i].rule, explained->findings[i].rule));
        CHECK(lg_str_eq(bare.findings[i].message, explained->findings[i].message));
    }
}

static inline const lg_decision *desk_decide(desk *d, const char *tool, const char *args)
{
    lg_arena_reset(&d->scratch);
    lg_decision *decision = LG_NEW(&d->scratch, lg_decision);
    lg_str text = lg_arena_str(&d->scratch, args[0] ? lg_str_c(args) : LG_STR("{}"));
    lg_gate_call call = {.tool = lg_str_c(tool),
                         .args_text = text,
                         .now_seconds = d->now.seconds,
                         .now_nanos = d->now.nanos};
    if (lg_json_parse_in(&d->scratch, text, 0, text.len, NULL, &call.args, NULL) != LG_OK) {
        call.args = NULL;
    }
    lg_gate_options options = {.cel_cost = d->cel_cost, .explain = LG_EXPLAIN_ALL};
    d->error = (lg_error){0};
    CHECK(lg_gate_decide(d->pack, &d->ledger.state, &call, &options, &d->scratch, decision,
                         &d->error) == LG_OK);
    desk_check_bare(d, &call, decision);
    return decision;
}

static inline lg_str desk_describe(desk *d, const lg_decision *decision)
{
    return desk_words(&d->arena, decision);
}

#endif
