// bench_gate.c: what one decision costs.
//
//     bench_gate packs/retail DATA/data/tau2/retail/gold_traces.jsonl
//     bench_gate
//
// Every gold write is judged against the ledger that stands before it, with the whole pack, round
// after round; the median round counts. Prints one JSON line. Without arguments: what a decision costs
// that somebody made expensive, a line each. (tests/limit/test_steps.c has sixty of them.)
#include "gate/gate.h"
#include "trace/trace.h"

#include "sampling.h"

#define ROUNDS 301
#define PLACES_MAX 512

typedef struct place {
    lg_ledger_state state;
    lg_str tool;
    const lg_json *args;
    lg_str message; // the call as a chat message of about 2 KB
} place;

// A chat completion as it comes over the wire: usage, text, and the call with its arguments as a
// string, padded by the model's words to about 2 KB.
static lg_str wire_message(lg_arena *arena, lg_str tool, const lg_json *args)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf plain;
    lg_buf_init(&plain, 0);
    lg_json_print(&plain, args);
    lg_buf_add_c(&text,
                 "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"choices\":[{\"index\":"
                 "0,\"message\":{\"role\":\"assistant\",\"content\":\"");
    while (text.len < 1700) {
        lg_buf_add_c(&text, "I have checked the order and the policy, and I will now do this. ");
    }
    lg_buf_addf(&text,
                "\",\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\",\"function\":{"
                "\"name\":\"%.*s\",\"arguments\":",
                LG_FMT(tool));
    lg_json_print_str(&text, lg_buf_str(&plain));
    lg_buf_add_c(&text, "}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":4211,"
                        "\"completion_tokens\":96,\"total_tokens\":4307}}");
    lg_str copy = lg_arena_str(arena, lg_buf_str(&text));
    lg_buf_done(&text);
    lg_buf_done(&plain);
    return copy;
}

// One ledger a conversation, kept alive: the states point into it.
static size_t collect(const lg_pack *pack, const lg_trace_set *set, lg_ledger *ledgers,
                      lg_arena *arena, place *places)
{
    size_t count = 0;
    for (size_t t = 0; t < set->count; t++) {
        lg_ledger *ledger = &ledgers[t];
        lg_ledger_init(ledger, pack, NULL);
        for (size_t i = 0; i < set->traces[t].count; i++) {
            const lg_trace_event *call = &set->traces[t].events[i];
            const lg_tool *tool = lg_pack_tool(pack, call->tool);
            if (call->kind != LG_EVENT_CALL || call->role != LG_ROLE_AGENT || !tool) {
                continue;
            }
            if (tool->kind == LG_TOOL_WRITE && count < PLACES_MAX) {
                places[count++] = (place){ledger->state, call->tool, call->args,
                                          wire_message(arena, call->tool, call->args)};
            }
            const lg_trace_event *answer = &set->traces[t].events[call->other];
            lg_ledger_call folded = {.tool = call->tool,
                                     .args = call->args,
                                     .result = answer->text,
                                     .failed = answer->kind == LG_EVENT_ERROR,
                                     .turn = call->turn};
            lg_observed observed;
            if (lg_ledger_observe(ledger, &folded, &observed, NULL) != LG_OK) {
                exit(3);
            }
        }
    }
    return count;
}

typedef enum mode { BARE, EXPLAINED, WITH_PARSING } mode;

static const lg_json *parse_call(const place *p, lg_arena *scratch)
{
    const lg_json *message;
    if (lg_json_parse_in(scratch, p->message, 0, p->message.len, NULL, &message, NULL) != LG_OK) {
        exit(3);
    }
    const lg_json *text =
        lg_json_at(message, LG_STR("/choices/0/message/tool_calls/0/function/arguments"));
    const lg_json *args;
    lg_str arguments = lg_json_str(text);
    if (lg_json_parse_in(scratch, arguments, 0, arguments.len, NULL, &args, NULL) != LG_OK) {
        exit(3);
    }
    return args;
}

static double median_ns(const lg_pack *pack, const place *places, size_t count, mode m)
{
    lg_arena scratch;
    lg_arena_init(&scratch, 0);
    double rounds[ROUNDS];
    size_t refused = 0;
    lg_gate_options options = {.explain = m == BARE ? LG_EXPLAIN_NOTHING : LG_EXPLAIN_ALL};
    for (size_t r = 0; r < ROUNDS; r++) {
        double start = sampling_now_ns();
        for (size_t i = 0; i < count; i++) {
            lg_arena_reset(&scratch);
            lg_gate_call call = {.tool = places[i].tool, .args = places[i].args};
            if (m == WITH_PARSING) {
                call.args = parse_call(&places[i], &scratch);
            }
            lg_decision decision;
            if (lg_gate_decide(pack, &places[i].state, &call, &options, &scratch, &decision,
                               NULL) != LG_OK) {
                exit(3);
            }
            refused += decision.verdict != LG_ALLOW;
        }
        rounds[r] = (sampling_now_ns() - start) / (double)count;
    }
    lg_arena_done(&scratch);
    if (refused > ROUNDS * count) {
        exit(3); // keeps the loop's result alive
    }
    qsort(rounds, ROUNDS, sizeof(rounds[0]), sampling_by_value);
    return rounds[ROUNDS / 2];
}

// --- At the worst -------------------------------------------------------------------------------

typedef struct expensive {
    const char *name;
    const char *rule;
    const char *unit; // of the list in the result
    size_t times;
} expensive;

static const expensive expensive_cases[] = {
    {"a nested exists over 4.4 KB, and its hints",
     "ledger.box.exists(x, ledger.box.exists(y, x + y + 0.5 == args.n))", "100000000001", 310},
    {"a nested exists over 1 MB",
     "ledger.box.exists(x, ledger.box.exists(y, x + y + 0.5 == args.n))", "100000000001", 75000},
    {"1,000 patterns that backtrack", "!ledger.box.exists(s, s.matches('(a+)+$'))",
     "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"", 1000},
};

static lg_pack *pack_of(const expensive *e)
{
    lg_buf yaml;
    lg_buf_init(&yaml, 0);
    lg_buf_addf(
        &yaml,
        "pack: bench\nversion: '1'\nledger: {box: {}}\nstate: {}\ntools:\n"
        "  get: {kind: read, parameters: {type: object}, returns: {}, stores: [{at: box}]}\n"
        "  act:\n    kind: write\n    effects: []\n"
        "    parameters: {type: object, properties: {n: {type: number}}}\n"
        "rules: {r: {tools: [act], that: \"%s\", say: no}}\n",
        e->rule);
    lg_pack *pack;
    lg_error error;
    size_t errors;
    if (lg_pack_load_text(lg_buf_str(&yaml), "bench", NULL, &pack, &error, 1, &errors) != LG_OK) {
        fprintf(stderr, "%s\n", error.msg);
        exit(3);
    }
    lg_buf_done(&yaml);
    return pack;
}

static void run_expensive(const expensive *e)
{
    lg_pack *pack = pack_of(e);
    lg_session *session;
    lg_buf result;
    lg_buf_init(&result, 0);
    for (size_t i = 0; i < e->times; i++) {
        lg_buf_addf(&result, "%s%s", i ? ", " : "[", e->unit);
    }
    lg_buf_add_c(&result, "]");
    lg_event seen = {.kind = LG_EVENT_RESULT, .tool = LG_STR("get"), .text = lg_buf_str(&result)};
    lg_event call = {.kind = LG_EVENT_CALL, .tool = LG_STR("act"), .args = LG_STR("{\"n\": 1}")};
    if (lg_session_new(pack, NULL, &session) != LG_OK ||
        lg_observe(session, &seen, NULL, NULL) != LG_OK) {
        exit(3);
    }
    double rounds[SAMPLES];
    const lg_decision *decision = NULL;
    for (size_t r = 0; r < SAMPLES; r++) {
        double start = sampling_now_ns();
        if (lg_decide(session, &call, 1, &decision, NULL) != LG_OK) {
            exit(3);
        }
        rounds[r] = (sampling_now_ns() - start) / 1e6;
    }
    qsort(rounds, SAMPLES, sizeof(rounds[0]), sampling_by_value);
    printf(
        "{\"bench\":\"gate at the worst\",\"case\":\"%s\",\"result_bytes\":%zu,\"verdict\":\"%s\","
        "\"cause\":\"%s\",\"ms\":%.2f,\"steps\":%llu}\n",
        e->name, result.len, lg_verdict_name(decision->verdict),
        lg_cause_name(decision->findings[0].cause), rounds[SAMPLES / 2],
        (unsigned long long)decision->steps);
    lg_session_free(session);
    lg_pack_free(pack);
    lg_buf_done(&result);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 1 && i < sizeof(expensive_cases) / sizeof(expensive_cases[0]); i++) {
        run_expensive(&expensive_cases[i]);
    }
    if (argc == 1) {
        return 0;
    }
    if (argc != 3) {
        fprintf(stderr, "usage: bench_gate [PACK GOLD_TRACES]\n");
        return 2;
    }
    lg_pack *pack;
    lg_error error;
    size_t errors;
    lg_trace_set *set;
    if (lg_pack_load(argv[1], NULL, &pack, &error, 1, &errors) != LG_OK ||
        lg_trace_open(argv[2], NULL, &set, &error) != LG_OK) {
        fprintf(stderr, "%s\n", error.msg);
        return 2;
    }
    static place places[PLACES_MAX];
    lg_arena arena;
    lg_arena_init(&arena, 0);
    lg_ledger *ledgers = lg_arena_zalloc(&arena, set->count, sizeof(*ledgers), 16);
    size_t count = collect(pack, set, ledgers, &arena, places);
    double bare = median_ns(pack, places, count, BARE);
    double explained = median_ns(pack, places, count, EXPLAINED);
    double parsed = median_ns(pack, places, count, WITH_PARSING);
    printf("{\"bench\":\"gate\",\"pack\":\"%.*s\",\"calls\":%zu,\"rules\":%zu,"
           "\"message_bytes\":%zu,\"verdict_ns\":%.0f,\"verdict_and_evidence_ns\":%.0f,"
           "\"with_message_parsed_ns\":%.0f,\"decisions_per_second\":%.0f}\n",
           LG_FMT(lg_pack_name(pack)), count, pack->rule_count, places[0].message.len, bare,
           explained, parsed, 1e9 / explained);
    for (size_t i = 0; i < set->count; i++) {
        lg_ledger_done(&ledgers[i]);
    }
    lg_arena_done(&arena);
    lg_trace_close(set);
    lg_pack_free(pack);
    return 0;
}
