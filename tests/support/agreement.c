// agreement.c: the gate and the prover, asked about the same call.
#include "agreement.h"
#include "evaluate.h"
#include "gate/gate.h"
#include "symbolic/rules.h"
#include "symbolic_terms.h"

// The solver keeps every term; after so many cases it is begun anew.
#define CASES_A_SOLVER 64u

struct lg_agreement {
    lg_arena arena; // of the struct itself
    const lg_pack *pack;
    const lg_tool *tool;
    uint32_t width;
    lg_arena values_arena;
    problem values; // for cases with their values in place
    uint32_t cases;
    lg_arena formulas_arena;
    problem formulas; // for all cases
    scene all;
    rule_outcome *outcomes;
    evaluation *evaluation;
};

const char *lg_said_name(lg_said said)
{
    static const char *const names[] = {"holds",   "idle",    "abstains", "violated",
                                        "missing", "lacking", "defect",   "nothing"};
    return said < LG_SAID_COUNT ? names[said] : "";
}

// --- Opening ------------------------------------------------------------------------------------

static void close_values(lg_agreement *a)
{
    terms_free(a->values.t);
    a->values.t = NULL;
    lg_arena_done(&a->values_arena);
}

static bool open_values(lg_agreement *a)
{
    lg_arena_init(&a->values_arena, (size_t)1 << 30);
    a->values =
        (problem){.arena = &a->values_arena, .width = a->width, .document = a->pack->document};
    a->values.t = terms_new(&a->values_arena, 1000, 0);
    a->cases = 0;
    return a->values.t != NULL;
}

#define OUTCOMES 7u

static void outcome_terms(const rule_outcome *o, term *ret)
{
    const term all[OUTCOMES] = {o->holds,   o->idle,    o->abstains, o->violated,
                                o->missing, o->lacking, o->defect};
    memcpy(ret, all, sizeof(all));
}

// The rules of the tool, translated once.
static bool open_formulas(lg_agreement *a)
{
    problem *p = &a->formulas;
    size_t count = a->tool->rule_count;
    lg_arena_init(&a->formulas_arena, 0);
    *p = (problem){.arena = &a->formulas_arena, .width = a->width, .document = a->pack->document};
    p->t = terms_new(&a->formulas_arena, 1000, 0);
    if (!p->t || !scene_init(&a->all, p, a->pack, a->tool)) {
        return false;
    }
    a->outcomes = scene_outcomes(&a->all);
    term *roots = LG_NEW_ARRAY(p->arena, term, count * OUTCOMES + 1);
    for (size_t i = 0; a->outcomes && roots && i < count; i++) {
        outcome_terms(&a->outcomes[i], &roots[i * OUTCOMES]);
    }
    if (!a->outcomes || !roots) {
        return false;
    }
    roots[count * OUTCOMES] = a->all.now;
    a->evaluation = evaluation_new(p, roots, count * OUTCOMES + 1);
    return a->evaluation != NULL;
}

lg_status lg_agreement_open(const lg_pack *pack, const lg_tool *tool, uint32_t width,
                            lg_agreement **ret, lg_error *reterr)
{
    lg_arena arena;
    if (terms_load_solver(NULL, reterr) != LG_OK) {
        return LG_ERR_ENVIRONMENT;
    }
    lg_arena_init(&arena, 0);
    lg_agreement *a = LG_NEW(&arena, lg_agreement);
    if (!a) {
        return lg_fail_oom(reterr);
    }
    *a = (lg_agreement){.arena = arena, .pack = pack, .tool = tool, .width = width};
    if (!open_values(a) || !open_formulas(a)) {
        lg_agreement_close(a);
        return lg_fail(reterr, LG_ERR_INTERNAL, "Z3 could not be started");
    }
    *ret = a;
    return LG_OK;
}

void lg_agreement_close(lg_agreement *a)
{
    if (a) {
        close_values(a);
        terms_free(a->formulas.t);
        lg_arena_done(&a->formulas_arena);
        lg_arena arena = a->arena;
        lg_arena_done(&arena);
    }
}

// --- The gate -----------------------------------------------------------------------------------

static lg_said failed(const lg_rule *rule, lg_cel_value v)
{
    bool missing = v.kind == LG_CEL_ERROR && v.as.failure->kind == LG_CEL_FAIL_MISSING;
    return !missing               ? LG_SAID_DEFECT
           : v.as.failure->marked ? LG_SAID_LACKING
           : rule->need_count     ? LG_SAID_MISSING
                                  : LG_SAID_ABSTAINS;
}

// The gate tells of findings; which of the other three outcomes it was is evaluated once more.
static lg_said evaluated(const lg_rule *rule, lg_cel_value *values, lg_arena *scratch)
{
    lg_cel_activation activation = {.values = values, .scratch = scratch};
    for (size_t i = 0; i < rule->let_count; i++) {
        lg_cel_value v = lg_cel_eval(rule->lets[i].program, &activation);
        if (v.kind == LG_CEL_ERROR) {
            return failed(rule, v);
        }
        values[LG_SLOT_COUNT + i] = v;
    }
    if (rule->when) {
        lg_cel_value when = lg_cel_eval(rule->when, &activation);
        if (when.kind != LG_CEL_BOOL) {
            return failed(rule, when);
        }
        if (!when.as.boolean) {
            return LG_SAID_IDLE;
        }
    }
    lg_cel_value that = lg_cel_eval(rule->that, &activation);
    if (that.kind != LG_CEL_BOOL) {
        return failed(rule, that);
    }
    return that.as.boolean ? LG_SAID_HOLDS : LG_SAID_VIOLATED;
}

static lg_said found(const lg_finding *finding)
{
    return finding->cause == LG_CAUSE_VIOLATED    ? LG_SAID_VIOLATED
           : finding->cause == LG_CAUSE_MISSING   ? LG_SAID_MISSING
           : finding->cause == LG_CAUSE_ARGUMENTS ? LG_SAID_LACKING
           : finding->cause == LG_CAUSE_DEFECT    ? LG_SAID_DEFECT
                                                  : LG_SAID_NOTHING;
}

static bool is_finding(lg_said said)
{
    return said >= LG_SAID_VIOLATED && said <= LG_SAID_DEFECT;
}

// What the decision says of the rule, if it is a finding.
static const lg_finding *finding_of(const lg_decision *decision, const lg_rule *rule)
{
    for (size_t i = 0; i < decision->finding_count; i++) {
        if (lg_str_eq(decision->findings[i].rule, rule->id)) {
            return &decision->findings[i];
        }
    }
    return NULL;
}

static void bind(const lg_agreement *a, const lg_agreement_case *c, lg_cel_value *values)
{
    bool fixed = a->pack->fixed_clock;
    values[LG_SLOT_LEDGER] = lg_cel_from_json(c->ledger);
    values[LG_SLOT_ARGS] = lg_cel_from_json(c->args);
    values[LG_SLOT_ARGS].marked = true;
    values[LG_SLOT_NOW] = lg_cel_make_timestamp(fixed ? a->pack->clock_seconds : c->now_seconds,
                                                fixed ? a->pack->clock_nanos : c->now_nanos);
    values[LG_SLOT_TOOL] = lg_cel_make_str(a->tool->name);
}

// Of a write of which nobody knows whether it has happened the gate says the worse of two; the formulas
// speak of one ledger.
static bool is_certain(const lg_json *ledger)
{
    const lg_json *history = lg_json_get(ledger, LG_STR("history"));
    bool certain = true;
    for (size_t i = 0; i < lg_json_len(history); i++) {
        lg_str became = lg_json_str(lg_json_get(lg_json_item(history, i), LG_STR("outcome")));
        certain = certain && !lg_str_eq(became, LG_STR("unknown")) &&
                  !lg_str_eq(became, LG_STR("pending"));
    }
    return certain;
}

// The gate's verdict follows from what comes of each rule; so does the prover's.
static lg_verdict verdict_of(const lg_rule *rule, lg_said said)
{
    return said == LG_SAID_VIOLATED || said == LG_SAID_LACKING ? rule->otherwise
           : is_finding(said)                                  ? LG_REVISE
                                                               : LG_ALLOW;
}

static lg_status ask_gate(const lg_agreement *a, const lg_agreement_case *c, lg_arena *scratch,
                          lg_agreement_rule *rules, lg_agreement_result *ret, lg_error *reterr)
{
    lg_ledger_state state = {.root = c->ledger};
    lg_gate_call call = {.tool = a->tool->name,
                         .args = c->args,
                         .now_seconds = c->now_seconds,
                         .now_nanos = c->now_nanos};
    lg_gate_options options = {.explain = LG_EXPLAIN_NOTHING};
    lg_decision decision;
    lg_cel_value *values = LG_NEW_ARRAY(scratch, lg_cel_value, LG_SLOT_COUNT + a->pack->let_max);
    lg_status status = lg_gate_decide(a->pack, &state, &call, &options, scratch, &decision, reterr);
    if (status != LG_OK || !values) {
        return lg_fail_oom(reterr);
    }
    ret->verdict = decision.verdict;
    bool certain = is_certain(c->ledger);
    if (!certain) {
        ret->verdict = LG_ALLOW;
    }
    bind(a, c, values);
    size_t found_count = 0;
    for (size_t i = 0; i < a->tool->rule_count; i++) {
        const lg_rule *rule = &a->pack->rules[a->tool->rules[i]];
        const lg_finding *finding = finding_of(&decision, rule);
        lg_said said = evaluated(rule, values, scratch);
        bool same = !certain || (finding ? found(finding) == said : !is_finding(said));
        rules[i] = (lg_agreement_rule){rule, same ? said : LG_SAID_NOTHING, LG_SAID_NOTHING, NULL};
        found_count += finding != NULL;
    }
    for (size_t i = 0; i < a->tool->rule_count && !certain; i++) {
        lg_verdict one = verdict_of(rules[i].rule, rules[i].gate);
        ret->verdict = one > ret->verdict ? one : ret->verdict;
    }
    if (found_count != decision.finding_count) {
        ret->unfit = "the arguments do not fit the tool";
    }
    return LG_OK;
}

// --- Comparing ----------------------------------------------------------------------------------

static void compare(lg_agreement_result *r)
{
    lg_verdict verdict = LG_ALLOW;
    for (size_t i = 0; i < r->rule_count; i++) {
        const lg_agreement_rule *rule = &r->rules[i];
        lg_verdict one = verdict_of(rule->rule, rule->prover);
        verdict = one > verdict ? one : verdict;
        r->open += rule->prover == LG_SAID_NOTHING;
        r->differ += rule->prover != LG_SAID_NOTHING && rule->prover != rule->gate;
    }
    r->verdict_open = r->open && verdict != LG_BLOCK;
    r->verdict_differs = !r->verdict_open && verdict != r->verdict;
}

static lg_agreement_rule *begin(const lg_agreement *a, lg_arena *scratch, lg_agreement_result *ret)
{
    lg_agreement_rule *rules = LG_NEW_ARRAY(scratch, lg_agreement_rule, a->tool->rule_count + 1);
    *ret = (lg_agreement_result){.rules = rules, .rule_count = a->tool->rule_count};
    return rules;
}

// --- With the values in place ---------------------------------------------------------------------

static lg_said said_by(const problem *p, const rule_outcome *o)
{
    term all[OUTCOMES];
    outcome_terms(o, all);
    for (uint32_t i = 0; i < LG_COUNT(all); i++) {
        if (term_is_true(p->t, all[i])) {
            return (lg_said)i;
        }
    }
    return LG_SAID_NOTHING;
}

static scene scene_of(lg_agreement *a, const lg_agreement_case *c)
{
    problem *p = &a->values;
    bool fixed = a->pack->fixed_clock;
    scene s = {.p = p, .pack = a->pack, .tool = a->tool};
    s.now = term_nanos(p->t, fixed ? a->pack->clock_seconds : c->now_seconds,
                       fixed ? a->pack->clock_nanos : c->now_nanos);
    s.slots[LG_SLOT_LEDGER] = value_of_json(p, c->ledger);
    s.slots[LG_SLOT_ARGS] = value_of_args(p, c->args);
    s.slots[LG_SLOT_NOW] = value_scalar(p, ALT_TIME, s.now);
    s.slots[LG_SLOT_TOOL] = value_text(p, a->tool->name);
    return s;
}

lg_status lg_agreement_of_values(lg_agreement *a, const lg_agreement_case *c, lg_arena *scratch,
                                 lg_agreement_result *ret, lg_error *reterr)
{
    lg_agreement_rule *rules = begin(a, scratch, ret);
    if (!rules || ask_gate(a, c, scratch, rules, ret, reterr) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    if (a->cases++ == CASES_A_SOLVER) {
        close_values(a);
        if (!open_values(a)) {
            return lg_fail(reterr, LG_ERR_INTERNAL, "Z3 could not be started");
        }
    }
    scene s = scene_of(a, c);
    for (size_t i = 0; i < ret->rule_count; i++) {
        a->values.abstracted = NULL;
        rule_outcome o = rule_outcome_of(&s, rules[i].rule);
        rules[i].prover = said_by(&a->values, &o);
        if (rules[i].prover == LG_SAID_NOTHING) {
            rules[i].why = a->values.abstracted ? a->values.abstracted : "not decided";
        }
    }
    if (terms_failed(a->values.t)) {
        return lg_fail_oom(reterr);
    }
    compare(ret);
    return LG_OK;
}

// --- With the formulas for all ----------------------------------------------------------------------

// Gives the inputs their values, until all keys that are looked up are explicit.
static bool assign_case(lg_agreement *a, const lg_agreement_case *c, lg_arena *scratch)
{
    evaluation *e = a->evaluation;
    __extension__ typedef __int128 nanos;
    const lg_json *history = lg_json_get(c->ledger, LG_STR("history"));
    evaluation_begin(e, scratch, c->seed);
    for (uint32_t i = 0; i < 16; i++) {
        concrete now = {.den = 1, .num = (nanos)c->now_seconds * 1000000000 + c->now_nanos};
        if (!a->pack->fixed_clock) {
            evaluation_set(e, a->all.now, now);
        }
        if (!evaluation_assign(e, a->all.args, c->args) ||
            !evaluation_assign(e, a->all.history, history) ||
            !evaluation_assign(e, a->all.ledger, c->ledger)) {
            return false;
        }
        if (evaluation_settled(e)) {
            return true;
        }
        evaluation_again(e);
    }
    return true;
}

// What the formulas say of one rule, or why they say nothing.
static lg_said evaluated_outcome(lg_agreement *a, size_t index, const char **ret_why)
{
    term all[OUTCOMES];
    lg_said said = LG_SAID_NOTHING;
    const char *why = NULL;
    uint32_t count = 0;
    outcome_terms(&a->outcomes[index], all);
    for (uint32_t i = 0; i < OUTCOMES; i++) {
        concrete w = evaluate(a->evaluation, all[i]);
        why = w.why ? w.why : why;
        if (!w.why && w.yes) {
            said = (lg_said)i;
            count++;
        }
    }
    if (count == 1) {
        return said;
    }
    *ret_why = count == 0 && why ? why : "outcomes that do not exclude each other";
    return LG_SAID_NOTHING;
}

// Z3 evaluates the same formulas in the same model.
static void ask_z3(lg_agreement *a, lg_agreement_result *ret)
{
    evaluation_to_model(a->evaluation);
    for (size_t i = 0; i < ret->rule_count; i++) {
        term all[OUTCOMES];
        lg_said said = ret->rules[i].prover;
        outcome_terms(&a->outcomes[i], all);
        if (said != LG_SAID_NOTHING) {
            ret->asked_z3++;
            ret->z3_differs += !terms_holds(a->formulas.t, all[said]);
        }
    }
}

lg_status lg_agreement_of_formulas(lg_agreement *a, const lg_agreement_case *c, lg_arena *scratch,
                                   lg_agreement_result *ret, lg_error *reterr)
{
    lg_agreement_rule *rules = begin(a, scratch, ret);
    if (!rules || ask_gate(a, c, scratch, rules, ret, reterr) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    if (!assign_case(a, c, scratch)) {
        ret->unfit = evaluation_why(a->evaluation);
        return LG_OK;
    }
    for (size_t i = 0; i < ret->rule_count; i++) {
        rules[i].prover = evaluated_outcome(a, i, &rules[i].why);
    }
    term broken = c->premises ? evaluation_broken(a->evaluation, &ret->unknown_premises) : NULL;
    if (broken) {
        const char *printed = term_print(a->formulas.t, broken);
        ret->broken = lg_arena_str(scratch, lg_str_c(printed)).ptr;
        ret->broken = ret->broken ? ret->broken : "a premise";
    }
    if (c->ask_z3) {
        ask_z3(a, ret);
    }
    if (terms_failed(a->formulas.t)) {
        return lg_fail_oom(reterr);
    }
    compare(ret);
    return LG_OK;
}
