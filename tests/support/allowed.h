// allowed.h: whether formulas allow what the gate says of a case.
//
// Formulas may leave an outcome open, but must not exclude the one that is. Z3 is asked in two ways:
// with the values of the case in place of the inputs, and with inputs of which only the schemas are
// known, as proofs have them, and which equal those values. Either the outcome of the gate is
// possible, or something false could be proved.
#ifndef LG_ALLOWED_H
#define LG_ALLOWED_H

#include "agreement.h"
#include "evaluate.h"
#include "symbolic/rules.h"
#include "symbolic/translate.h"

// Work on one question; beyond it, everything is open.
#define ALLOWED_WORK 20000u
#define ALLOWED_TERMS 100000u
#define ALLOWED_TIMEOUT_MS 50u

typedef enum allowance {
    ALLOWED_ALONE,    // no other outcome is possible
    ALLOWED_OPEN,     // another is, or nobody knows
    ALLOWED_NOT,      // it is excluded
    ALLOWED_NO_INPUT, // the values themselves are
    ALLOWANCES,
} allowance;

// One tool of a pack.
typedef struct allowed {
    const lg_pack *pack;
    const lg_tool *tool;
    bool given; // the inputs are known by their schemas, and equal to the values
    lg_arena arena;
    problem p;
    scene s;
    rule_outcome *outcomes; // of all rules, if `given`
} allowed;

static inline void allowed_close(allowed *a)
{
    terms_free(a->p.t);
    lg_arena_done(&a->arena);
}

static inline void allow_work(allowed *a)
{
    a->p.work_limit = a->p.work + ALLOWED_WORK;
    a->p.made_limit = terms_made(a->p.t) + ALLOWED_TERMS;
}

// False if the rules are more than is worth following; close it all the same.
static inline bool allowed_open(allowed *a, const lg_pack *pack, const lg_tool *tool, bool given)
{
    *a = (allowed){.pack = pack, .tool = tool, .given = given};
    lg_arena_init(&a->arena, (size_t)1 << 30);
    a->p = (problem){.arena = &a->arena, .width = 2, .document = pack->document, .forall = given};
    a->p.t = terms_new(&a->arena, ALLOWED_TIMEOUT_MS, 0);
    if (!a->p.t || !given) {
        return a->p.t != NULL;
    }
    allow_work(a);
    bool ready = scene_init(&a->s, &a->p, pack, tool);
    a->outcomes = ready ? scene_outcomes(&a->s) : NULL;
    terms_only_refute(a->p.t, ALLOWED_TIMEOUT_MS);
    return a->outcomes && !problem_exhausted(&a->p);
}

static inline term term_of_outcome(const rule_outcome *o, lg_said said)
{
    const term all[] = {o->holds,   o->idle,    o->abstains, o->violated,
                        o->missing, o->lacking, o->defect};
    return all[said];
}

// The packs have a clock of their own.
static inline scene scene_in_place(allowed *a, const lg_agreement_case *c)
{
    problem *p = &a->p;
    scene s = {.p = p, .pack = a->pack, .tool = a->tool};
    s.now = term_nanos(p->t, a->pack->clock_seconds, a->pack->clock_nanos);
    s.slots[LG_SLOT_LEDGER] = value_of_json(p, c->ledger);
    s.slots[LG_SLOT_ARGS] = value_of_args(p, c->args);
    s.slots[LG_SLOT_NOW] = value_scalar(p, ALT_TIME, s.now);
    s.slots[LG_SLOT_TOOL] = value_text(p, a->tool->name);
    return s;
}

static inline allowance allowance_of(allowed *a, const term *equal, term outcome)
{
    terms *t = a->p.t;
    term goals[3] = {equal[0], equal[1], outcome};
    if (problem_exhausted(&a->p)) {
        return ALLOWED_OPEN;
    }
    if (term_is_true(t, outcome)) {
        return ALLOWED_ALONE;
    }
    if (terms_check(t, goals, 2) == ANSWER_UNSAT) {
        return ALLOWED_NO_INPUT;
    }
    if (terms_check(t, goals, 3) == ANSWER_UNSAT) {
        return ALLOWED_NOT;
    }
    goals[2] = term_not(t, outcome);
    return terms_check(t, goals, 3) == ANSWER_UNSAT ? ALLOWED_ALONE : ALLOWED_OPEN;
}

// Of rule number `index` of the tool, of which the gate has said `said`.
static inline allowance is_allowed(allowed *a, const lg_agreement_case *c, const lg_rule *rule,
                                   size_t index, lg_said said)
{
    problem *p = &a->p;
    allow_work(a);
    if (!a->given) {
        const term anything[2] = {term_bool(p->t, true), term_bool(p->t, true)};
        scene s = scene_in_place(a, c);
        rule_outcome o = rule_outcome_of(&s, rule);
        return allowance_of(a, anything, term_of_outcome(&o, said));
    }
    const term equal[2] = {
        same_value(p, a->s.slots[LG_SLOT_ARGS], value_of_json(p, c->args), 0),
        same_value(p, a->s.slots[LG_SLOT_LEDGER], value_of_json(p, c->ledger), 0)};
    return allowance_of(a, equal, term_of_outcome(&a->outcomes[index], said));
}

#endif
