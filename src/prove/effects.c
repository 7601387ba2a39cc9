// effects.c: does what an allowed call does keep the invariants of the state?
//
// The single-step obligation of ToolGate (equation 15): in every state with the invariants, if the
// gate allows the call, the state after it has them too. With the initial state that makes every
// reachable state one of them, by induction (equations 20 and 21). The ledger may hold anything that
// its own invariants allow, outdated records included; so what is proved holds for stale ledgers as
// well, and an example only counts as a finding if its ledger shows the state as it is.
#include "prove/steps.h"
#include "prove/task.h"
#include "prove/translate.h"
#include "world/world.h"
#include "json/tree.h"

// Alternatives that the effects of one tool may take; some 5 seconds.
#define WORK_MAX 60000u

typedef struct effect {
    input *state;
    const lg_condition *condition;
    bool truthful; // the ledger shows records of the state
} effect;

// Carries the call out on the state; whether the condition is broken then, and was not before.
static bool breaks(bench *b, const lg_json *state, const lg_json *args, const effect *e)
{
    lg_world world;
    lg_world_outcome outcome;
    lg_error ignored;
    lg_world_init(&world, b->task->pack, NULL);
    world.root = state;
    const lg_world_breach *before = NULL;
    size_t count = 0;
    bool sound = lg_world_check(&world, b->task->arena, &before, &count) == LG_OK && count == 0;
    lg_world_call call = {.tool = b->s.tool->name, .args = args};
    int64_t seconds;
    uint32_t nanos;
    if (term_time_of(b->p.t, terms_value(b->p.t, b->s.now), &seconds, &nanos)) {
        call.now_seconds = seconds;
        call.now_nanos = nanos;
    }
    bool broken = false;
    if (sound && lg_world_call_tool(&world, &call, &outcome, &ignored) == LG_OK &&
        outcome.end == LG_WORLD_DONE) {
        for (size_t i = 0; i < outcome.breach_count; i++) {
            broken = broken || outcome.breaches[i].condition == e->condition;
        }
    }
    lg_world_done(&world);
    return broken;
}

// Does every record of the ledger stand in the state as well, and is it the same?
static bool shows_state(const lg_json *ledger, const lg_json *state)
{
    for (size_t i = 0; i < lg_json_len(ledger); i++) {
        const lg_json_member *group = &ledger->as.members[i];
        const lg_json *there = lg_json_get(state, lg_json_key(group));
        bool empty = lg_json_is(&group->value, LG_JSON_OBJECT) && lg_json_len(&group->value) == 0;
        if (lg_str_eq(lg_json_key(group), LG_STR("history")) || empty) {
            continue;
        }
        if (there && lg_json_equal(there, &group->value)) {
            continue;
        }
        if (!lg_json_is(&group->value, LG_JSON_OBJECT) || !there) {
            return false;
        }
        for (size_t k = 0; k < lg_json_len(&group->value); k++) {
            const lg_json_member *record = &group->value.as.members[k];
            const lg_json *same = lg_json_get(there, lg_json_key(record));
            if (!same || !lg_json_equal(same, &record->value)) {
                return false;
            }
        }
    }
    return true;
}

static bool confirm_breach(bench *b, model *m, const void *context, trial *ret)
{
    const effect *e = context;
    ret->ledger = model_json(m, b->s.ledger);
    ret->args = model_json(m, b->s.args);
    const lg_json *state = model_json(m, e->state);
    if (!ret->ledger || !ret->args || !state || m->oom ||
        !records_fit(b->task->pack, &b->task->pack->ledger, ret->ledger) ||
        !records_fit(b->task->pack, &b->task->pack->state, state) ||
        !judge(b, ret->ledger, ret->args, false, &ret->decision) ||
        ret->decision.verdict != LG_ALLOW || !breaks(b, state, ret->args, e) ||
        (e->truthful && !shows_state(ret->ledger, state))) {
        return false;
    }
    const lg_json *example = example_of(b->task, ret->ledger, ret->args, &ret->decision,
                                        "the call is allowed, and breaks what held before");
    lg_json whole;
    ret->example = NULL;
    lg_json *kept = LG_NEW(b->task->arena, lg_json);
    if (example && kept &&
        lg_tree_with_member(b->task->arena, example, LG_STR("state"), *state, &whole) == LG_OK) {
        *kept = whole;
        ret->example = lg_json_copy(b->task->arena, kept);
    }
    return true;
}

// Records of the ledger are those of the state, where both have places of one name.
static term truthful(bench *b, val ledger, val state)
{
    prover *p = &b->p;
    const lg_pack *pack = b->task->pack;
    term all = term_bool(p->t, true);
    for (size_t i = 0; i < pack->ledger.count; i++) {
        const lg_place *place = &pack->ledger.items[i];
        for (size_t k = 0; k < pack->state.count; k++) {
            if (!lg_str_eq(place->text, pack->state.items[k].text) || place->segment_count > 2) {
                continue;
            }
            if (place->segment_count == 1) {
                val shown = operate_select(p, ledger, place->segments[0]);
                val there = operate_select(p, state, place->segments[0]);
                term absent = value_is(p, shown, ALT_MISSING);
                all = term_and(p->t, all, term_or(p->t, absent, same_value(p, shown, there, 0)));
                continue;
            }
            val seen = operate_select(p, ledger, place->segments[0]);
            val real = operate_select(p, state, place->segments[0]);
            const dict *of = seen.count == 1 ? seen.alts[0].map : NULL;
            for (uint32_t e = 0; of && e < of->count; e++) {
                val key = value_scalar(p, ALT_TEXT, of->items[e].key);
                val there = operate(p, LG_BIN_INDEX, real, key);
                term same = same_value(p, *slot_value(p, of->items[e].value), there, 0);
                all = term_and(p->t, all, term_implies(p->t, of->items[e].here, same));
            }
        }
    }
    return all;
}

// If the goal fails on some element of a rest, the generic one may be taken to be such an element.
static term witnessed(prover *p)
{
    terms *t = p->t;
    term none = term_bool(t, true);
    term some = term_bool(t, false);
    for (size_t i = 0; i < p->goal_count; i++) {
        none = term_and(t, none, term_not(t, p->goals[i].some));
        some = term_or(t, some, term_and(t, p->goals[i].some, p->goals[i].of_generic));
    }
    return term_or(t, none, some);
}

typedef struct after_call {
    bench *b;
    input *state;
    val ledger, before, after;
    term done; // allowed, and carried out
} after_call;

static void oblige_invariant(after_call *a, const lg_condition *condition)
{
    bench *b = a->b;
    prover *p = &b->p;
    lg_claim o = obligation_of(b, LG_OBLIGE_PRESERVES, NULL);
    effect e = {.state = a->state, .condition = condition};
    o.rule = condition->id;
    o.offset = condition->offset;
    p->goal_count = 0;
    p->collect_goals = true;
    val slots[LG_INVARIANT_SLOT_COUNT] = {value_error(p), a->after};
    term broken = term_not(p->t, value_holds(p, translate(p, condition->that, slots), true));
    p->collect_goals = false;
    question q = {.goals = {broken, a->done, witnessed(p)},
                  .count = 3,
                  .confirm = confirm_breach,
                  .wanted = &e};
    trial found = {0};
    reply r = ask(b, &q, &found);
    o.outcome = r == REPLY_NONE ? LG_PROVED : r == REPLY_UNDECIDED ? LG_UNDECIDED : LG_ASSUMED;
    o.why = lg_str_c(reply_reason(b, r));
    if (r == REPLY_EXAMPLE || r == REPLY_UNCONFIRMED) {
        e.truthful = true;
        q.goals[q.count++] = truthful(b, a->ledger, a->before);
        reply honest = ask(b, &q, &found);
        o.outcome = honest == REPLY_EXAMPLE ? LG_REFUTED : LG_ASSUMED;
        o.finding = honest == REPLY_EXAMPLE;
        o.why =
            honest == REPLY_EXAMPLE
                ? LG_STR("an allowed call breaks it, with a ledger that shows the state as it is")
                : LG_STR("it holds only if the ledger shows the state as it is");
        o.example = found.example;
    }
    take_time(b, &o);
    add_obligation(b->task, &o);
}

lg_status oblige_effects(bench *b)
{
    const lg_pack *pack = b->task->pack;
    prover *p = &b->p;
    if (!b->task->options.effects || !b->s.tool->has_effects || pack->state_invariant_count == 0) {
        return LG_OK;
    }
    bench_start(b);
    p->work_limit = p->work + WORK_MAX;
    after_call a = {.b = b};
    a.state = input_of_places(p, LG_STR("state"), &pack->state, NULL, true);
    if (!a.state) {
        return LG_ERR_OOM;
    }
    a.ledger = b->s.slots[LG_SLOT_LEDGER];
    a.before = *slot_value(p, input_slot(a.state));
    val slots[LG_INVARIANT_SLOT_COUNT] = {value_error(p), a.before};
    for (size_t i = 0; i < pack->state_invariant_count; i++) {
        val that = translate(p, pack->state_invariants[i].that, slots);
        terms_assert(p->t, value_holds(p, that, true));
    }
    carried_out done =
        steps_of_tool(p, pack, b->s.tool, a.before, b->s.slots[LG_SLOT_ARGS], b->s.now);
    a.after = done.state;
    term refused = verdict_refuses(&b->s, b->outcomes);
    term ended = term_or(p->t, done.failed, done.fault);
    a.done = term_not(p->t, term_or(p->t, refused, ended));
    for (size_t i = 0; i < pack->state_invariant_count; i++) {
        oblige_invariant(&a, &pack->state_invariants[i]);
    }
    return b->task->oom ? LG_ERR_OOM : LG_OK;
}
