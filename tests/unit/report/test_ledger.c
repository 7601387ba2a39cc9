// The ledger as JSON: records with their place, their read and what made them stale; the history.
#include "lg_test.h"
#include "pack_fixture.h"

#include "report/report.h"

static const char desk[] =
    "pack: desk\n"
    "version: '1'\n"
    "ledger: {'orders.*': {type: object, properties: {open: {type: boolean}}}}\n"
    "state: {'orders.*': {type: object, properties: {open: {type: boolean}}}}\n"
    "tools:\n"
    "  get_order:\n"
    "    kind: read\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    returns: {type: object, properties: {open: {type: boolean}}}\n"
    "    gives: 'state.orders[args.id]'\n"
    "    stores: [{at: 'orders[args.id]'}]\n"
    "  close:\n"
    "    kind: write\n"
    "    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
    "    effects: [{set: 'orders[args.id].open', to: 'false'}]\n";

static void observe(lg_ledger *ledger, lg_arena *arena, const char *tool, const char *result,
                    uint32_t turn)
{
    lg_error error;
    lg_observed observed;
    lg_ledger_call call = {.tool = lg_str_c(tool),
                           .args = fixture_json(arena, "{\"id\":\"7\"}"),
                           .result = lg_str_c(result),
                           .turn = turn};
    CHECK(lg_ledger_observe(ledger, &call, &observed, &error) == LG_OK);
}

// `want` is what it begins with: what an entry of the history says is the ledger's business.
static void check_ledger(const lg_ledger *ledger, const char *want)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_json_writer w = {.out = &out};
    lg_jw_begin_object(&w);
    lg_report_ledger_members(&w, &ledger->state);
    lg_jw_end_object(&w);
    CHECK_STR(lg_str_slice(lg_buf_str(&out), 0, strlen(want)), want);
    lg_buf_done(&out);
}

#define RECORD                                                                                     \
    "{\"path\":\"ledger.orders[\\\"7\\\"]\",\"type\":\"object\",\"value\":{\"open\":true},"        \
    "\"tool\":\"get_order\",\"args\":{\"id\":\"7\"},\"turn\":3,"

static void records_and_history(void)
{
    lg_pack *pack = fixture_pack(desk);
    lg_ledger ledger;
    lg_arena arena;
    lg_limits limits = lg_limits_resolve(NULL);
    lg_ledger_init(&ledger, pack, &limits);
    lg_arena_init(&arena, 0);
    check_ledger(&ledger, "{\"records\":[],\"history\":[]}");
    observe(&ledger, &arena, "get_order", "{\"open\":true}", 3);
    check_ledger(&ledger, "{\"records\":[" RECORD "\"stale\":false}],\"history\":[]}");
    observe(&ledger, &arena, "close", "ok", 5);
    check_ledger(&ledger, "{\"records\":[" RECORD
                          "\"stale\":true,\"stale_since\":5,\"stale_tool\":\"close\"}],"
                          "\"history\":[{\"name\":\"close\",\"args\":{\"id\":\"7\"}");
    lg_ledger_done(&ledger);
    lg_arena_done(&arena);
    lg_pack_free(pack);
}

int main(void)
{
    RUN(records_and_history);
    return lg_test_done();
}
