// prove_agreement.c: on thousands of ledgers and calls, the prover says what the gate says.
//
// Each pack gets cases by seed (case_maker.h), made from real conversations where the shared data is
// there, from the pack's schemas, and from what Z3 comes upon. Of each case the gate is asked, and the
// prover, and Z3 evaluates the formulas in a model that has the values of the case; every rule must come
// to the same with all. What the prover leaves open is counted by reason, and must stay rare.
#include "lg_test.h"

#include "agreement.h"
#include "base/file.h"
#include "case_maker.h"
#include "prove/prove.h"

#define LINES_MAX 512u
#define REASONS_MAX 16u
#define RULES_MAX 128u
#define WIDTH 2u
#define EXAMPLE_WALKS 12u
#define VALUES_EVERY 4u
#define CASES_OF_ALL 10000u
#define CASES_OF_MOST 900u
// LG_CASES asks for another number: 10,500 for what docs/proofs.md says.
#define CASES 1000u

typedef struct reason {
    const char *why;
    size_t count;
} reason;

typedef struct tally {
    size_t cases, unfit, verdicts[3], verdicts_open, verdicts_differ;
    size_t rules, rules_differ;
    size_t by_rule[RULES_MAX][LG_SAID_COUNT];
    reason reasons[REASONS_MAX];
    size_t reason_count;
    size_t shown;
    size_t premises_broken, premises_unknown, asked_z3, z3_differs;
} tally;

typedef struct domain {
    const char *name;
    lg_pack *pack;
    case_maker maker;
    lg_agreement **tools; // by number of the tool
    lg_arena scratch;
    tally values, formulas;
} domain;

// --- Counting -------------------------------------------------------------------------------------

static void count_reason(tally *t, const char *why)
{
    for (size_t i = 0; i < t->reason_count; i++) {
        if (strcmp(t->reasons[i].why, why) == 0) {
            t->reasons[i].count++;
            return;
        }
    }
    if (t->reason_count < REASONS_MAX) {
        t->reasons[t->reason_count++] = (reason){why, 1};
    }
}

static void show(domain *d, tally *t, const made_case *c, const lg_agreement_rule *r)
{
    if (t->shown++ < 3) {
        printf("%s: %.*s: %.*s: the gate says %s, the prover %s\n    args %.*s\n    ledger %.*s\n",
               d->name, LG_FMT(c->tool->name), LG_FMT(r->rule->id), lg_said_name(r->gate),
               lg_said_name(r->prover), LG_FMT(fixture_print(&d->scratch, c->args)),
               LG_FMT(fixture_print(&d->scratch, c->ledger)));
    }
}

static void count(domain *d, tally *t, const made_case *c, const lg_agreement_result *r)
{
    if (r->unfit) {
        t->unfit++;
        count_reason(t, r->unfit);
        return;
    }
    t->cases++;
    t->verdicts[r->verdict]++;
    t->verdicts_open += r->verdict_open;
    t->verdicts_differ += r->verdict_differs;
    t->rules_differ += r->differ;
    t->premises_unknown += r->unknown_premises;
    t->asked_z3 += r->asked_z3;
    t->z3_differs += r->z3_differs;
    if (r->broken && t->premises_broken++ < 5) {
        printf("%s: %.*s: not so: %s\n", d->name, LG_FMT(c->tool->name), r->broken);
    }
    for (size_t i = 0; i < r->rule_count; i++) {
        const lg_agreement_rule *rule = &r->rules[i];
        size_t index = (size_t)(rule->rule - d->pack->rules);
        t->rules++;
        t->by_rule[index < RULES_MAX ? index : 0][rule->gate]++;
        if (rule->prover == LG_SAID_NOTHING) {
            count_reason(t, rule->why);
        } else if (rule->prover != rule->gate) {
            show(d, t, c, rule);
        }
    }
}

static void print(const domain *d, const tally *t, const char *way)
{
    size_t open = 0;
    for (size_t i = 0; i < t->reason_count; i++) {
        open += t->reasons[i].count;
    }
    open -= t->unfit;
    printf("%s, %s: %zu cases: %zu allow, %zu revise, %zu block, %zu not spoken of; verdicts: %zu "
           "equal, %zu open, "
           "%zu differ; outcomes of rules: %zu equal, %zu open, %zu differ\n",
           d->name, way, t->cases, t->verdicts[LG_ALLOW], t->verdicts[LG_REVISE],
           t->verdicts[LG_BLOCK], t->unfit, t->cases - t->verdicts_open - t->verdicts_differ,
           t->verdicts_open, t->verdicts_differ, t->rules - open - t->rules_differ, open,
           t->rules_differ);
    for (size_t i = 0; i < t->reason_count; i++) {
        printf("    open %zu times: %s\n", t->reasons[i].count, t->reasons[i].why);
    }
    if (t->asked_z3) {
        printf(
            "%s, %s: Z3 was asked about %zu rules and says otherwise of %zu; premises: %zu cases "
            "break one, %zu times it is not known\n",
            d->name, way, t->asked_z3, t->z3_differs, t->premises_broken, t->premises_unknown);
    }
    CHECK_MSG(t->z3_differs == 0, "Z3 evaluates formulas as the evaluation does");
    CHECK_MSG(t->premises_broken == 0, "what is taken for granted of all ledgers is so");
    CHECK_MSG(t->verdicts_differ == 0, "gate and prover give the same verdict");
    CHECK_MSG(t->rules_differ == 0, "gate and prover say the same of each rule");
    CHECK_MSG(open * 50 <= t->rules, "the prover leaves little open");
    CHECK_MSG(t->unfit * 10 <= t->cases, "the prover speaks of nearly all cases");
}

// Rules of which only one side was seen show nothing of the other.
static void print_coverage(const domain *d, const tally *t, bool real)
{
    size_t both = 0;
    size_t gated = 0;
    for (size_t i = 0; i < d->pack->rule_count && i < RULES_MAX; i++) {
        const lg_rule *rule = &d->pack->rules[i];
        const size_t *said = t->by_rule[i];
        bool used = false;
        for (size_t k = 0; k < rule->tool_count; k++) {
            used = used || has_rules(&d->pack->tools[rule->tools[k]]);
        }
        gated += used;
        bool refuses = said[LG_SAID_VIOLATED] || said[LG_SAID_MISSING];
        both += refuses && said[LG_SAID_HOLDS];
        if (used && !(said[LG_SAID_VIOLATED] && said[LG_SAID_HOLDS])) {
            printf("    %.*s: %zu held, %zu violated, %zu missing\n", LG_FMT(rule->id),
                   said[LG_SAID_HOLDS], said[LG_SAID_VIOLATED], said[LG_SAID_MISSING]);
        }
    }
    printf("%s: %zu of %zu rules were seen to hold and to refuse\n", d->name, both, gated);
    // Some rules seldom refuse, so few cases do not come upon all of them.
    size_t wanted = t->cases >= CASES_OF_ALL    ? gated
                    : t->cases >= CASES_OF_MOST ? gated - gated / 10
                                                : gated / 2;
    CHECK_MSG(!real || both >= wanted, "rules were seen to hold and to refuse");
}

// --- Reading --------------------------------------------------------------------------------------

static size_t read_lines(lg_arena *arena, const char *path, const lg_json **items)
{
    lg_file file;
    lg_error error = {0};
    if (lg_file_open(path, (size_t)1 << 30, &file, &error) != LG_OK) {
        return 0;
    }
    lg_str text = lg_arena_str(arena, file.text);
    lg_file_close(&file);
    size_t count = 0;
    for (size_t from = 0; from < text.len && count < LINES_MAX;) {
        size_t length = lg_str_find(lg_str_slice(text, from, text.len), LG_STR("\n"));
        size_t to = length == SIZE_MAX ? text.len : from + length;
        if (lg_json_parse_in(arena, text, from, to, NULL, &items[count++], &error) != LG_OK) {
            printf("%s: %s\n", path, error.msg);
            exit(1);
        }
        from = to + 1;
    }
    return count;
}

static const lg_json *calls_of(const lg_json *const *traces, size_t count, lg_str task)
{
    for (size_t i = 0; i < count; i++) {
        if (lg_str_eq(lg_json_str(lg_json_get(traces[i], LG_STR("task_id"))), task)) {
            return lg_json_get(traces[i], LG_STR("calls"));
        }
    }
    return NULL;
}

// What was recorded of the domain, if the data is there.
static void start_from_data(domain *d, const char *data)
{
    static const lg_json *traces[LINES_MAX];
    static const lg_json *violations[LINES_MAX];
    char path[4096];
    lg_ledger ledger;
    lg_ledger_init(&ledger, d->pack, NULL);
    snprintf(path, sizeof(path), "%s/data/tau2/%s/gold_traces.jsonl", data, d->name);
    size_t trace_count = read_lines(&d->maker.data, path, traces);
    snprintf(path, sizeof(path), "%s/data/tau2/%s/violating_calls.jsonl", data, d->name);
    size_t violation_count = read_lines(&d->maker.data, path, violations);
    for (size_t i = 0; i < trace_count; i++) {
        start_from_conversation(&d->maker, &ledger, lg_json_get(traces[i], LG_STR("calls")));
    }
    for (size_t i = 0; i < violation_count; i++) {
        lg_str task = lg_json_str(lg_json_get(violations[i], LG_STR("task_id")));
        start_from_violation(&d->maker, &ledger, calls_of(traces, trace_count, task),
                             violations[i]);
    }
    lg_ledger_done(&ledger);
}

// --- The example ----------------------------------------------------------------------------------

static void carry_out(domain *d, lg_world *world, lg_ledger *ledger, const lg_json *call,
                      uint32_t turn)
{
    lg_error error = {0};
    lg_observed observed;
    lg_world_outcome outcome;
    lg_world_call of = {.tool = lg_json_str(lg_json_get(call, LG_STR("name"))),
                        .args = lg_json_get(call, LG_STR("arguments"))};
    start_before(&d->maker, ledger, call);
    CHECK(lg_world_call_tool(world, &of, &outcome, &error) == LG_OK);
    lg_buf text;
    lg_buf_init(&text, 0);
    if (outcome.result) {
        lg_world_print_outcome(&text, &outcome);
    }
    lg_ledger_call call_made = {.tool = of.tool,
                                .args = of.args,
                                .result = lg_arena_str(&d->maker.data, lg_buf_str(&text)),
                                .failed = outcome.end != LG_WORLD_DONE,
                                .turn = turn};
    CHECK_MSG(lg_ledger_observe(ledger, &call_made, &observed, &error) == LG_OK, error.msg);
    lg_buf_done(&text);
}

// The example's own calls on the example's own state, in their order and then in others.
static void start_from_example(domain *d, const char *folder)
{
    static const lg_json *calls[LINES_MAX];
    const char *names[] = {"calls.jsonl", "state.json"};
    lg_file file;
    char path[4096];
    snprintf(path, sizeof(path), LG_SOURCE_DIR "/%s/%s", folder, names[0]);
    size_t count = read_lines(&d->maker.data, path, calls);
    snprintf(path, sizeof(path), LG_SOURCE_DIR "/%s/%s", folder, names[1]);
    if (count == 0 || lg_file_open(path, (size_t)1 << 24, &file, NULL) != LG_OK) {
        return;
    }
    lg_errors errors;
    lg_errors_init(&errors, &d->maker.data, 1);
    char *text = maker_need(lg_arena_alloc(&d->maker.data, file.text.len + 1, 1));
    memcpy(text, file.text.ptr, file.text.len);
    text[file.text.len] = '\0';
    lg_file_close(&file);
    lg_world_file state = {.value = fixture_json(&d->maker.data, text), .name = names[1]};
    for (uint32_t walk = 0; walk < EXAMPLE_WALKS; walk++) {
        lg_world world;
        lg_ledger ledger;
        lg_world_init(&world, d->pack, NULL);
        lg_ledger_init(&ledger, d->pack, NULL);
        CHECK(lg_world_load(&world, &state, &errors) == LG_OK);
        for (size_t i = 0; i < count; i++) {
            size_t next = walk == 0 ? i : maker_random(&d->maker, count);
            carry_out(d, &world, &ledger, calls[next], (uint32_t)i);
        }
        lg_world_done(&world);
        lg_ledger_done(&ledger);
    }
}

// --- What Z3 comes upon ---------------------------------------------------------------------------

// The examples of a proof: each is at the edge of some rule. Z3 is stopped by its own count of steps,
// so that it comes upon the same ones everywhere.
static void start_from_proof(domain *d)
{
    lg_prove_options options = {.timeout_ms = 60000, .steps = 400000};
    options.kinds = 1u << LG_OBLIGE_ALLOWED | 1u << LG_OBLIGE_VIOLABLE | 1u << LG_OBLIGE_NEEDED |
                    1u << LG_OBLIGE_APPLIES | 1u << LG_OBLIGE_COMPATIBLE;
    lg_arena arena;
    lg_proof proof;
    lg_error error = {0};
    lg_arena_init(&arena, 0);
    if (CHECK_MSG(lg_prove(d->pack, &options, &arena, &proof, &error) == LG_OK, error.msg)) {
        for (size_t i = 0; i < proof.count; i++) {
            const lg_claim *claim = &proof.items[i];
            const lg_tool *tool = lg_pack_tool(d->pack, claim->tool);
            const lg_json *ledger = lg_json_get(claim->example, LG_STR("ledger"));
            const lg_json *args = lg_json_get(claim->example, LG_STR("args"));
            if (has_rules(tool) && ledger && args) {
                add_start(&d->maker, tool, ledger, args);
            }
        }
    }
    lg_arena_done(&arena);
}

// --- Running --------------------------------------------------------------------------------------

static void open_domain(domain *d, const char *folder)
{
    char path[4096];
    lg_error error;
    size_t count = 0;
    snprintf(path, sizeof(path), LG_SOURCE_DIR "/%s/pack.yaml", folder);
    if (lg_pack_load(path, NULL, &d->pack, &error, 1, &count) != LG_OK) {
        printf("%s: %s\n", path, error.msg);
        exit(1);
    }
    lg_arena_init(&d->scratch, 0);
    maker_init(&d->maker, d->pack, 7);
    d->tools = maker_need(LG_NEW_ARRAY(&d->maker.data, lg_agreement *, d->pack->tool_count));
    for (size_t i = 0; i < d->pack->tool_count; i++) {
        if (has_rules(&d->pack->tools[i])) {
            CHECK(lg_agreement_open(d->pack, &d->pack->tools[i], WIDTH, &d->tools[i], &error) ==
                  LG_OK);
        }
    }
}

static void close_domain(domain *d)
{
    for (size_t i = 0; i < d->pack->tool_count; i++) {
        lg_agreement_close(d->tools[i]);
    }
    maker_done(&d->maker);
    lg_arena_done(&d->scratch);
    lg_pack_free(d->pack);
}

static void one_case(domain *d, const made_case *c, size_t number)
{
    lg_agreement_case of = {.ledger = c->ledger,
                            .args = c->args,
                            .now_seconds = 1716000000,
                            .seed = number,
                            .premises = number % VALUES_EVERY == 1,
                            .ask_z3 = true};
    lg_agreement_result r;
    lg_error error;
    lg_agreement *a = d->tools[c->tool - d->pack->tools];
    CHECK(lg_agreement_of_formulas(a, &of, &d->scratch, &r, &error) == LG_OK);
    count(d, &d->formulas, c, &r);
    if (number % VALUES_EVERY == 0) {
        CHECK(lg_agreement_of_values(a, &of, &d->scratch, &r, &error) == LG_OK);
        count(d, &d->values, c, &r);
    }
    lg_arena_reset(&d->scratch);
}

static void try_pack(const char *folder, const char *name, size_t cases)
{
    static domain d;
    const char *data = lg_test_data_dir();
    d = (domain){.name = name};
    open_domain(&d, folder);
    if (data) {
        start_from_data(&d, data);
    }
    start_from_example(&d, folder);
    size_t real = d.maker.start_count;
    start_from_schemas(&d.maker, 10);
    size_t made = d.maker.start_count;
    start_from_proof(&d);
    if (d.maker.start_count == 0) {
        printf("%s: no tool has rules: there is nothing to compare\n", name);
        close_domain(&d);
        return;
    }
    printf("%s: %zu cases to start from, %zu of them recorded, %zu from schemas, %zu from proofs\n",
           name, d.maker.start_count, real, made - real, d.maker.start_count - made);
    maker_ready(&d.maker);
    for (size_t i = 0; i < cases; i++) {
        made_case c = next_case(&d.maker);
        one_case(&d, &c, i);
    }
    print(&d, &d.formulas, "formulas for all");
    print(&d, &d.values, "values in place");
    print_coverage(&d, &d.formulas, real > 0);
    close_domain(&d);
}

static void gate_and_prover_agree(void)
{
    const char *given = getenv("LG_CASES");
    size_t cases = given ? (size_t)strtoul(given, NULL, 10) : CASES;
    if (!lg_test_data_dir()) {
        printf("skipped: recorded conversations (no shared data)\n");
    }
    try_pack("packs/airline", "airline", cases);
    try_pack("packs/retail", "retail", cases);
    try_pack("packs/telecom", "telecom", cases);
    try_pack("packs/telehealth", "telehealth", cases);
    try_pack("examples/repository", "repository", cases);
}

int main(void)
{
    RUN(gate_and_prover_agree);
    return lg_test_done();
}
