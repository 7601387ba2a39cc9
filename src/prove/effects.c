// effects.c: does what a call does keep the invariants, and give what its postconditions promise?
//
// The single-step obligation of ToolGate (equation 15): in every state with the invariants, if the
// gate allows the call, with a ledger that shows the state as it is, then the state after it has the
// invariants too, and the result its postconditions. Since the customer's own tools keep them as
// well, every state that calls can reach from one with the invariants has them, by induction
// (equations 20 and 21).
//
// It is proved with quantifiers, for states of any size. Only where that fails, a small state is
// looked for in which the call breaks the condition, and carried out.
#include "prove/effects.h"
#include "symbolic/forall.h"
#include "symbolic/funs.h"
#include "symbolic/steps.h"

// Terms that are built for the questions about one tool: some seconds.
#define MADE_TO_PROVE 400000u
#define MADE_TO_FIND 400000u
#define WORK_TO_FIND 60000u
// Steps of Z3 for one question: a million are some tenths of a second.
#define STEPS_UNGATED 300000u
#define STEPS_GATED 1000000u
#define STEPS_TO_FIND 800000u
#define STEPS_TO_BREAK 200000u

// --- Doing it -----------------------------------------------------------------------------------

// When a postcondition holds of what the call gives, if it gives anything.
static term transition_ensures(const transition *d, const lg_condition *condition)
{
    problem *p = &d->b->p;
    val *slots = LG_NEW_ARRAY(p->arena, val, LG_ENSURE_SLOT_COUNT);
    if (!slots) {
        return term_bool(p->t, false);
    }
    slots[LG_ENSURE_SLOT_LEDGER] = d->ledger;
    slots[LG_ENSURE_SLOT_ARGS] = d->b->s.slots[LG_SLOT_ARGS];
    slots[LG_ENSURE_SLOT_NOW] = d->b->s.slots[LG_SLOT_NOW];
    slots[LG_ENSURE_SLOT_RESULT] = d->result;
    return term_or(p->t, d->stopped, value_holds(p, translate(p, condition->that, slots), true));
}

// Does it with the formulas of the bench, in all states that have the invariants. False when out of
// memory.
static bool transition_begin(transition *d, bench *b)
{
    const lg_pack *pack = b->task->pack;
    problem *p = &b->p;
    terms *t = p->t;
    *d = (transition){.b = b, .ledger = b->s.slots[LG_SLOT_LEDGER]};
    d->state =
        p->forall ? input_of_all_places(p, pack, true, NULL) : input_of_places(p, pack, true, NULL);
    if (!d->state) {
        return false;
    }
    d->before = *thunk_value(p, input_thunk(d->state));
    for (size_t i = 0; i < pack->state_invariant_count; i++) {
        problem_assert(p, invariant_holds(&d->b->p, &pack->state_invariants[i], d->before));
    }
    term allowed = term_not(t, verdict_refuses(&b->s, b->outcomes));
    p->path_condition = allowed;
    carried_out done =
        steps_of_tool(p, pack, b->s.tool, d->before, b->s.slots[LG_SLOT_ARGS], b->s.now);
    p->path_condition = NULL;
    d->after = done.state;
    d->result = done.result;
    d->completes = term_not(t, term_or(t, done.failed, done.fault));
    d->stopped = done.stopped;
    d->done = term_and(t, allowed, d->completes);
    return true;
}

// --- Claims -------------------------------------------------------------------------------------

typedef struct effects {
    task *task;
    const lg_tool *tool;
    bench *rules; // of the tool, if there is one
    bench prove;
    transition all; // with quantifiers
    bench find;
    bool has_find;
    transition few; // with a few records
    bool has_few;
    bool vacuous; // no call is carried out, so of what calls do nothing is proved
} effects;

typedef term holds_of(const transition *d, const lg_condition *condition);

static term holds_after(const transition *d, const lg_condition *condition)
{
    return invariant_holds(&d->b->p, condition, d->after);
}

// {invariants and P} call {Q} is proved by refuting a state in which the call is done and `holds` is not.
// It counts only where such states are known to exist (else anything follows), and where every step was
// followed.
static bool proved(effects *e, term holds, lg_str *ret_why)
{
    LG_DEBUG_ASSERT(e->prove.p.forall && term_has_sort(e->prove.p.t, holds, SORT_BOOL));
    problem *p = &e->prove.p;
    terms *t = p->t;
    term goals[2] = {e->all.done, term_not(t, holds)};
    *ret_why = LG_STR("neither proved, nor broken in a case with a few records");
    if (problem_exhausted(p)) {
        *ret_why = LG_STR("more cases than can be followed");
        return false;
    }
    funs_tell_literals(p);
    // Most of it holds whatever the gate says, and without the rules there is less to look at.
    term ungated[2] = {e->all.completes, goals[1]};
    limit_steps(e->task, t, STEPS_UNGATED);
    answer found = terms_check(t, ungated, 2);
    limit_steps(e->task, t, STEPS_GATED);
    found = found == ANSWER_UNSAT ? found : terms_check(t, goals, 2);
    if (found == ANSWER_UNSAT && (e->vacuous || !e->task->has_state)) {
        *ret_why = e->vacuous ? LG_STR("no call of the tool is carried out")
                              : LG_STR("no state is known in which all invariants hold");
        return false;
    }
    if (found != ANSWER_UNSAT || p->bounded) {
        *ret_why = p->bounded ? LG_STR("not all of its steps could be followed") : *ret_why;
        return false;
    }
    *ret_why = LG_STR("");
    return true;
}

// The small states, made when they are first asked for.
static transition *few_of(effects *e, lg_error *reterr)
{
    if (e->has_few) {
        return &e->few;
    }
    bench *b = e->rules;
    if (!b && !e->has_find) {
        if (bench_open(&e->find, e->task, e->tool, reterr) != LG_OK) {
            return NULL;
        }
        e->has_find = true;
    }
    b = b ? b : &e->find;
    LG_DEBUG_ASSERT(!b->p.forall);
    b->p.work_limit = b->p.work + WORK_TO_FIND;
    b->p.made_limit = terms_made(b->p.t) + MADE_TO_FIND;
    e->has_few = transition_begin(&e->few, b);
    return e->has_few ? &e->few : NULL;
}

static bool find_breach(effects *e, const lg_condition *condition, holds_of *holds, lg_claim *o)
{
    lg_error ignored;
    transition *few = few_of(e, &ignored);
    trial found = {0};
    if (!few || problem_exhausted(&few->b->p)) {
        return false;
    }
    // What is broken is broken in some simple case, as a rule; where none is found soon, none is.
    limit_steps(e->task, few->b->p.t, STEPS_TO_BREAK);
    reply r = transition_breach(few, condition, holds(few, condition), &found);
    if (r != REPLY_EXAMPLE) {
        return false;
    }
    o->outcome = LG_REFUTED;
    o->finding = true;
    o->why = is_gated(e->tool)
                 ? LG_STR("an allowed call breaks it, with a ledger that shows the state as it is")
                 : LG_STR("a call breaks it");
    o->example = found.example;
    return true;
}

static void oblige(effects *e, lg_claim_kind kind, const lg_condition *condition, holds_of *holds)
{
    LG_DEBUG_ASSERT(kind == LG_OBLIGE_PRESERVES || kind == LG_OBLIGE_ENSURES);
    lg_claim o = obligation_of(&e->prove, kind, NULL);
    o.rule = condition->id;
    o.offset = condition->offset;
    if (proved(e, holds(&e->all, condition), &o.why)) {
        o.outcome = LG_PROVED;
    } else if (!find_breach(e, condition, holds, &o)) {
        bool spent = is_late(e->task) || bench_failed(&e->prove);
        o.outcome = spent ? LG_UNDECIDED : LG_ASSUMED;
        o.why = spent ? lg_str_c(undecided_reason(&e->prove)) : o.why;
    }
    take_time(&e->prove, &o);
    add_obligation(e->task, &o);
}

// The invariants of which the call changes nothing are one claim.
static void oblige_invariants(effects *e)
{
    const lg_pack *pack = e->task->pack;
    size_t untouched = 0;
    for (size_t i = 0; i < pack->state_invariant_count; i++) {
        const lg_condition *invariant = &pack->state_invariants[i];
        term before = invariant_holds(&e->all.b->p, invariant, e->all.before);
        // Where a step was not followed, the formulas say less than it may have changed.
        // The same term before and after: the call changes nothing that the invariant speaks of.
        if (before == invariant_holds(&e->all.b->p, invariant, e->all.after) &&
            !problem_exhausted(&e->prove.p) && !e->prove.p.bounded) {
            untouched++;
        } else {
            oblige(e, LG_OBLIGE_PRESERVES, invariant, holds_after);
        }
    }
    if (untouched > 0) {
        lg_claim o = obligation_of(&e->prove, LG_OBLIGE_PRESERVES, NULL);
        bool fine = e->task->has_state && !e->vacuous;
        o.outcome = fine ? LG_PROVED : LG_ASSUMED;
        o.why = lg_arena_printf(e->task->arena, "%zu invariant%s of nothing that it changes",
                                untouched, untouched == 1 ? " speaks" : "s speak");
        take_time(&e->prove, &o);
        add_obligation(e->task, &o);
    }
}

// Can no call be carried out, in no state with the invariants?
static bool none_is_done(effects *e)
{
    LG_DEBUG_ASSERT(e->prove.p.forall);
    problem *p = &e->prove.p;
    funs_tell_literals(p);
    limit_steps(e->task, p->t, STEPS_GATED);
    return !problem_exhausted(p) && terms_check(p->t, &e->all.done, 1) == ANSWER_UNSAT &&
           !p->bounded;
}

// A tool whose calls can only fail keeps everything, and does nothing.
static void oblige_effective(effects *e)
{
    lg_claim o = obligation_of(&e->prove, LG_OBLIGE_EFFECTIVE, NULL);
    lg_error ignored;
    trial found = {0};
    bool none = e->task->has_state && none_is_done(e);
    transition *few = none ? NULL : few_of(e, &ignored);
    bool possible = few && !problem_exhausted(&few->b->p);
    if (possible) {
        limit_steps(e->task, few->b->p.t, STEPS_TO_FIND);
    }
    reply r = possible ? transition_success(few, &found) : REPLY_NONE_SMALL;
    e->vacuous = none;
    o.outcome = none ? LG_REFUTED : r == REPLY_EXAMPLE ? LG_PROVED : LG_ASSUMED;
    o.finding = none;
    o.example = r == REPLY_EXAMPLE ? found.example : NULL;
    o.why = none ? LG_STR("whatever calls are allowed, all of them fail")
            : r == REPLY_EXAMPLE
                ? LG_STR("")
                : LG_STR("no small state was found in which a call is carried out");
    if (is_late(e->task) && r != REPLY_EXAMPLE && !none) {
        o.outcome = LG_UNDECIDED;
        o.why = lg_str_c(undecided_reason(&e->prove));
    }
    take_time(&e->prove, &o);
    add_obligation(e->task, &o);
}

static void oblige_result(effects *e)
{
    const lg_tool *tool = e->tool;
    for (size_t i = 0; i < tool->ensure_count && (tool->gives || tool->has_answer); i++) {
        oblige(e, LG_OBLIGE_ENSURES, &tool->ensures[i], transition_ensures);
    }
}

lg_status oblige_effects(task *t, const lg_tool *tool, bench *rules, lg_error *reterr)
{
    LG_DEBUG_ASSERT(!rules || rules->s.tool == tool);
    const lg_pack *pack = t->pack;
    bool says = tool->kind == LG_TOOL_READ || (tool->kind == LG_TOOL_WRITE && tool->has_effects);
    bool acts = says && pack->state_invariant_count > 0;
    bool gives = tool->ensure_count > 0 && (tool->gives || tool->has_answer);
    bool of_sequences = !tool->by_user && is_asked(&t->options, LG_OBLIGE_SEQUENCE);
    acts = acts && (of_sequences || is_asked(&t->options, LG_OBLIGE_PRESERVES));
    gives = gives && is_asked(&t->options, LG_OBLIGE_ENSURES);
    bool moves = says && (tool->step_count || tool->gives || tool->has_answer) &&
                 is_asked(&t->options, LG_OBLIGE_EFFECTIVE) && !is_dead(t, tool);
    if (pack->state.count == 0 || !(acts || gives || moves)) {
        return LG_OK;
    }
    effects e = {.task = t, .tool = tool, .rules = rules};
    lg_status status = bench_open_all(&e.prove, t, tool, reterr);
    if (status != LG_OK) {
        return status;
    }
    e.prove.p.made_limit = terms_made(e.prove.p.t) + MADE_TO_PROVE;
    bool fine = transition_begin(&e.all, &e.prove);
    if (fine && moves) {
        oblige_effective(&e);
    }
    if (fine && acts) {
        oblige_invariants(&e);
    }
    if (fine && gives) {
        oblige_result(&e);
    }
    if (e.has_find) {
        bench_close(&e.find);
    }
    bench_close(&e.prove);
    return fine && !t->oom ? LG_OK : lg_fail_oom(reterr);
}
