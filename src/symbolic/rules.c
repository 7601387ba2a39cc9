// rules.c: outcomes of rules and the verdict of a call.
//
// The weakest precondition of "the gate allows the call", rule by rule: each rule comes to one of six
// outcomes, each with a formula over ledger, arguments and time. The order of evaluation is the gate's
// (src/gate/evaluate.c), because which of two failures comes first decides between a refusal and an abstention.
#include "symbolic/rules.h"
#include "base/time.h"
#include "symbolic/translate.h"

// What an expression may say of the time.
#define YEAR_2100_SECONDS INT64_C(4102444800)

// The ledger's invariants are premises: a ledger has them from the beginning, and no result that breaks
// one is taken in. One of which it is not known what it reads may speak of writes, which are not judged
// by it; it is no premise.
static void assume_invariants(scene *s)
{
    val slots[LG_INVARIANT_SLOT_COUNT] = {s->slots[LG_SLOT_LEDGER], value_error(s->p)};
    for (size_t i = 0; i < s->pack->ledger_invariant_count; i++) {
        if (!s->pack->ledger_invariant_reads[i].anything) {
            val that = translate(s->p, s->pack->ledger_invariants[i].that, slots);
            terms_assert(s->p->t, value_holds(s->p, that, true));
        }
    }
}

bool scene_init(scene *s, problem *p, const lg_pack *pack, const lg_tool *tool)
{
    *s = (scene){.p = p, .pack = pack, .tool = tool};
    s->history = input_of_history(p, pack);
    s->ledger = p->forall ? input_of_all_places(p, pack, false, s->history)
                          : input_of_places(p, pack, false, s->history);
    s->args = input_of_args(p, LG_STR("args"), tool->parameters);
    if (!s->history || !s->ledger || !s->args) {
        return false;
    }
    if (pack->fixed_clock) {
        s->now = term_nanos(p->t, pack->clock_seconds, pack->clock_nanos);
    } else {
        s->now = term_fresh(p->t, SORT_INT, LG_STR("now"));
        term from = term_nanos(p->t, LG_TIME_MIN_SECONDS, 0);
        term until = term_nanos(p->t, LG_TIME_MAX_SECONDS + 1, 0);
        terms_assert(p->t,
                     term_and(p->t, term_le(p->t, from, s->now), term_lt(p->t, s->now, until)));
        term usual = term_and(p->t, term_le(p->t, term_nanos(p->t, 0, 0), s->now),
                              term_lt(p->t, s->now, term_nanos(p->t, YEAR_2100_SECONDS, 0)));
        terms_assert(p->t, term_implies(p->t, problem_idealised(p), usual));
    }
    LG_DEBUG_ASSERT(pack->fixed_clock || term_has_sort(p->t, s->now, SORT_INT));
    s->slots[LG_SLOT_LEDGER] = *thunk_value(p, input_thunk(s->ledger));
    s->slots[LG_SLOT_ARGS] = *thunk_value(p, input_thunk(s->args));
    s->slots[LG_SLOT_NOW] = value_scalar(p, ALT_TIME, s->now);
    s->slots[LG_SLOT_TOOL] = value_text(p, tool->name);
    assume_invariants(s);
    return !terms_failed(p->t);
}

typedef struct steps {
    problem *p;
    const lg_rule *rule;
    rule_outcome o;
    term live; // no step has decided yet
} steps;

// A step that fails decides: what the arguments lack is a finding, what else is missing is one by `needs`,
// and anything else is a defect.
static void note_failure(steps *s, val v, bool condition)
{
    LG_DEBUG_ASSERT(term_has_sort(s->p->t, s->live, SORT_BOOL));
    terms *t = s->p->t;
    term missing = term_and(t, s->live, value_is(s->p, v, ALT_MISSING));
    term lacking = term_and(t, s->live, value_lacks(s->p, v));
    term failed = value_is(s->p, v, ALT_ERROR);
    if (condition) {
        failed = term_or(t, failed, value_no_bool(s->p, v));
    }
    failed = term_and(t, s->live, failed);
    term *where = s->rule->need_count ? &s->o.missing : &s->o.abstains;
    *where = term_or(t, *where, term_and(t, missing, term_not(t, lacking)));
    s->o.lacking = term_or(t, s->o.lacking, lacking);
    s->o.defect = term_or(t, s->o.defect, failed);
    s->live = term_and(t, s->live, term_not(t, term_or(t, missing, failed)));
}

// lets, `when`, `that`: the order in which the gate evaluates, and where it stops. `live` is the path
// condition of having come so far, so the outcomes exclude each other, and what is left holds.
rule_outcome rule_outcome_of(const scene *of, const lg_rule *rule)
{
    problem *p = of->p;
    terms *t = p->t;
    term no = term_bool(t, false);
    steps s = {.p = p, .rule = rule, .o = {no, no, no, no, no, no, no}, .live = term_bool(t, true)};
    val *slots = LG_NEW_ARRAY(p->arena, val, LG_SLOT_COUNT + rule->let_count);
    if (!slots) {
        s.o.defect = term_bool(t, true);
        return s.o;
    }
    memcpy(slots, of->slots, sizeof(of->slots));
    for (size_t i = 0; i < rule->let_count; i++) {
        slots[LG_SLOT_COUNT + i] = translate(p, rule->lets[i].program, slots);
        note_failure(&s, slots[LG_SLOT_COUNT + i], false);
    }
    if (rule->when) {
        val when = translate(p, rule->when, slots);
        note_failure(&s, when, true);
        s.o.idle = term_and(t, s.live, value_holds(p, when, false));
        s.live = term_and(t, s.live, term_not(t, s.o.idle));
    }
    val that = translate(p, rule->that, slots);
    note_failure(&s, that, true);
    s.o.violated = term_and(t, s.live, value_holds(p, that, false));
    s.o.holds = term_and(t, s.live, term_not(t, s.o.violated));
    return s.o;
}

term invariant_holds(problem *p, const lg_condition *invariant, val state)
{
    val *slots = LG_NEW_ARRAY(p->arena, val, LG_INVARIANT_SLOT_COUNT);
    if (!slots) {
        p->bounded = true;
        return term_bool(p->t, false);
    }
    slots[LG_INVARIANT_SLOT_LEDGER] = value_error(p); // an invariant of the state does not name it
    slots[LG_INVARIANT_SLOT_STATE] = state;
    return value_holds(p, translate(p, invariant->that, slots), true);
}

// It refuses with its own verdict.
static term rule_rejects(problem *p, const rule_outcome *o)
{
    return term_or(p->t, o->violated, o->lacking);
}

term rule_finds(problem *p, const rule_outcome *o)
{
    return term_or(p->t, rule_rejects(p, o), term_or(p->t, o->missing, o->defect));
}

term rule_passes(problem *p, const rule_outcome *o)
{
    return term_not(p->t, rule_finds(p, o));
}

rule_outcome *scene_outcomes(const scene *s)
{
    size_t count = s->tool->rule_count;
    rule_outcome *outcomes = LG_NEW_ARRAY(s->p->arena, rule_outcome, count + 1);
    for (size_t i = 0; outcomes && i < count; i++) {
        LG_DEBUG_ASSERT(s->tool->rules[i] < s->pack->rule_count);
        outcomes[i] = rule_outcome_of(s, &s->pack->rules[s->tool->rules[i]]);
    }
    return outcomes;
}

term verdict_refuses(const scene *s, const rule_outcome *outcomes)
{
    term any = term_bool(s->p->t, false);
    for (size_t i = 0; i < s->tool->rule_count; i++) {
        any = term_or(s->p->t, any, rule_finds(s->p, &outcomes[i]));
    }
    return any;
}

term verdict_blocks(const scene *s, const rule_outcome *outcomes)
{
    term any = term_bool(s->p->t, false);
    for (size_t i = 0; i < s->tool->rule_count; i++) {
        if (s->pack->rules[s->tool->rules[i]].otherwise == LG_BLOCK) {
            any = term_or(s->p->t, any, rule_rejects(s->p, &outcomes[i]));
        }
    }
    return any;
}
