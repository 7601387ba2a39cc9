// fuzz_gate.c: any conversation with the retail pack. Each line of the input is one event:
//
//     {"tool": "get_order_details", "args": {...}, "result": "...", "failed": false, "user": false}
//
// Every event is first judged as a proposed call and then folded. Laws: two decisions are the same;
// a call is allowed exactly if nothing was found; a decision leaves
// the ledger; a snapshot that is restored is the ledger as it was, and the same call then leads to
// the same ledger.
#include "base/utf8.h"
#include "gate/gate.h"

#include <stdlib.h>

static void require(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

static lg_pack *open_pack(void)
{
    lg_pack *pack = NULL;
    require(lg_pack_load(LG_SOURCE_DIR "/packs/retail", NULL, &pack, NULL, 0, NULL) == LG_OK);
    return pack;
}

static void render(const lg_ledger *ledger, lg_buf *out)
{
    lg_buf_init(out, 0);
    lg_ledger_render(ledger, &ledger->state,
                     &(lg_render_options){.compact = true, .budget_bytes = 5000}, out);
    lg_json_print(out, ledger->state.root);
    require(lg_buf_status(out) == LG_OK);
}

static void require_same(const lg_ledger *ledger, const lg_buf *before)
{
    lg_buf now;
    render(ledger, &now);
    require(lg_str_eq(lg_buf_str(&now), lg_buf_str(before)));
    lg_buf_done(&now);
}

static lg_decision decide(const lg_ledger *ledger, const lg_gate_call *call,
                          const lg_gate_options *options, lg_arena *scratch)
{
    lg_decision decision;
    require(lg_gate_decide(ledger->pack, &ledger->state, call, options, scratch, &decision, NULL) ==
            LG_OK);
    require((decision.verdict == LG_ALLOW) == (decision.finding_count == 0));
    require((decision.verdict == LG_ALLOW) == (decision.message.len == 0));
    require(decision.hint_count == 0 || decision.verdict == LG_REVISE);
    for (size_t i = 0; i < decision.finding_count; i++) {
        require(decision.findings[i].verdict > LG_ALLOW);
        require(decision.findings[i].verdict <= decision.verdict);
        require(decision.findings[i].message.len > 0);
    }
    for (size_t i = 0; i < decision.evidence_count; i++) {
        lg_str value = decision.evidence[i].value;
        require(value.len <= LG_EVIDENCE_BYTES_MAX && decision.evidence[i].path.len > 0);
        require(lg_utf8_valid_prefix(value) == value.len);
    }
    return decision;
}

static bool is_out_of_steps(const lg_decision *decision)
{
    bool found = false;
    for (size_t i = 0; i < decision->finding_count; i++) {
        found = found || decision->findings[i].cause == LG_CAUSE_BUDGET;
    }
    return found;
}

// Whoever has fewer steps comes to the same verdict or to none, which refuses.
static void judge_with_less(const lg_ledger *ledger, const lg_gate_call *call,
                            const lg_decision *full, lg_arena *scratch)
{
    for (uint64_t steps = full->steps; steps > 0; steps /= 2) {
        lg_gate_budget few = lg_gate_budget_of(steps);
        lg_decision decision = decide(
            ledger, call, &(lg_gate_options){.explain = LG_EXPLAIN_ALL, .budget = &few}, scratch);
        require(is_out_of_steps(&decision) || decision.verdict == full->verdict);
    }
}

static void judge(const lg_ledger *ledger, const lg_gate_call *call)
{
    lg_arena scratch[2];
    lg_arena_init(&scratch[0], (size_t)256 << 20);
    lg_arena_init(&scratch[1], (size_t)256 << 20);
    lg_decision first = decide(ledger, call, NULL, &scratch[0]);
    lg_decision second = decide(ledger, call, NULL, &scratch[1]);
    require(first.verdict == second.verdict && lg_str_eq(first.message, second.message));
    require(first.evidence_count == second.evidence_count);
    require(first.steps == second.steps && first.hint_count == second.hint_count);
    judge_with_less(ledger, call, &first, &scratch[1]);
    lg_arena_done(&scratch[0]);
    lg_arena_done(&scratch[1]);
}

static void fold(lg_ledger *ledger, const lg_ledger_call *call)
{
    lg_buf before;
    lg_buf after;
    lg_observed observed;
    lg_observed again;
    render(ledger, &before);
    lg_ledger_state state = ledger->state;
    lg_status status = lg_ledger_observe(ledger, call, &observed, NULL);
    require(status == LG_OK || status == LG_ERR_LIMIT);
    render(ledger, &after);
    ledger->state = state;
    require_same(ledger, &before);
    require(lg_ledger_observe(ledger, call, &again, NULL) == status && again == observed);
    require_same(ledger, &after);
    bool changed =
        status == LG_OK && (observed == LG_OBSERVED_RECORDS || observed == LG_OBSERVED_WRITE ||
                            observed == LG_OBSERVED_UNVERIFIED || observed == LG_OBSERVED_UNKNOWN);
    require(changed || ledger->state.root == state.root);
    lg_buf_done(&before);
    lg_buf_done(&after);
}

static void run_event(lg_ledger *ledger, lg_arena *arena, lg_str line)
{
    const lg_json *event;
    if (lg_json_parse_in(arena, line, 0, line.len, NULL, &event, NULL) != LG_OK) {
        return;
    }
    const lg_json *args = lg_json_get(event, LG_STR("args"));
    lg_str tool = lg_json_str(lg_json_get(event, LG_STR("tool")));
    lg_buf before;
    render(ledger, &before);
    judge(ledger, &(lg_gate_call){.tool = tool, .args = args, .args_text = line});
    require_same(ledger, &before);
    lg_buf_done(&before);
    if (lg_json_is(args, LG_JSON_OBJECT)) {
        lg_ledger_call call = {.tool = tool,
                               .args = args,
                               .result = lg_json_str(lg_json_get(event, LG_STR("result"))),
                               .failed = lg_json_is_true(lg_json_get(event, LG_STR("failed"))),
                               .by_user = lg_json_is_true(lg_json_get(event, LG_STR("user"))),
                               .turn = ledger->state.entries.count};
        fold(ledger, &call);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lg_pack *pack;
    pack = pack ? pack : open_pack();
    lg_limits limits = {.ledger_entries = 20};
    lg_ledger ledger;
    lg_ledger_init(&ledger, pack, &limits);
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_str text = lg_arena_str(&arena, (lg_str){(const char *)data, size});
    for (size_t from = 0; from < text.len;) {
        size_t length = lg_str_find(lg_str_slice(text, from, text.len), LG_STR("\n"));
        size_t to = length == SIZE_MAX ? text.len : from + length;
        run_event(&ledger, &arena, lg_str_slice(text, from, to));
        from = to + 1;
    }
    lg_ledger_done(&ledger);
    lg_arena_done(&arena);
    return 0;
}
