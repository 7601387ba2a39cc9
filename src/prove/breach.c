// breach.c: a case in which an allowed call breaks what should hold, as it was carried out.
//
// The case is found with small states. It counts only if the gate allows the call with a ledger that
// reads of the state have made, the world carries the call out, and the condition is broken then.
#include "prove/effects.h"
#include "world/world.h"
#include "json/tree.h"

typedef struct wanted_breach {
    const transition *d;
    const lg_condition *condition; // or NULL: only that it is carried out
    term holds;
} wanted_breach;

typedef struct carried {
    bool broken;
    const lg_json *after; // the state
    const lg_json *result;
} carried;

// Carries the call out on the state; whether the condition is broken then, where all invariants held
// before.
static carried carry_out(bench *b, const lg_json *state, const trial *at,
                         const lg_condition *wanted)
{
    LG_DEBUG_ASSERT(state && at->args);
    carried done = {.broken = false};
    lg_world world;
    lg_world_outcome outcome;
    lg_error ignored;
    lg_world_init(&world, b->task->pack, NULL);
    world.root = state;
    const lg_world_breach *before = NULL;
    size_t count = 0;
    bool sound = lg_world_check(&world, b->task->arena, &before, &count) == LG_OK && count == 0;
    lg_world_call call = {.tool = b->s.tool->name, .args = at->args, .ledger = at->ledger};
    call.by_user = b->s.tool->by_user;
    int64_t seconds;
    uint32_t nanos;
    if (term_time_of(b->p.t, terms_value(b->p.t, b->s.now), &seconds, &nanos)) {
        call.now_seconds = seconds;
        call.now_nanos = nanos;
    }
    if (sound && lg_world_call_tool(&world, &call, &outcome, &ignored) == LG_OK &&
        (outcome.end == LG_WORLD_DONE || lg_world_is_half_done(&outcome))) {
        for (size_t i = 0; i < outcome.breach_count; i++) {
            done.broken = done.broken || outcome.breaches[i].condition == wanted;
        }
        done.after = lg_json_copy(b->task->arena, world.root);
        done.result = outcome.result ? lg_json_copy(b->task->arena, outcome.result) : NULL;
    }
    lg_world_done(&world);
    return done;
}

// --- The example --------------------------------------------------------------------------------

static bool add(task *t, lg_json *object, const char *key, const lg_json *value)
{
    lg_json made;
    if (value && lg_tree_with_member(t->arena, object, lg_str_c(key), *value, &made) != LG_OK) {
        t->oom = true;
        return false;
    }
    *object = value ? made : *object;
    return true;
}

// `condition`: what is broken, or NULL.
static const lg_json *example_of_call(bench *b, const trial *at, const lg_json *state,
                                      const carried *done, const lg_condition *condition)
{
    task *t = b->task;
    bool gated = is_gated(b->s.tool);
    const char *what =
        !condition ? (gated ? "the call is allowed, and carried out" : "the call is carried out")
        : gated    ? "the call is allowed, and breaks a condition"
                   : "the call breaks a condition";
    const lg_json *example =
        example_of(t, gated ? at->ledger : NULL, at->args, gated ? &at->decision : NULL, what);
    if (!example) {
        return NULL;
    }
    lg_json whole = *example;
    lg_json yes = lg_json_make_bool(true); // without a gate the world has confirmed it
    lg_json broken = lg_json_make_str(condition ? condition->id : LG_STR(""));
    if ((!gated && !add(t, &whole, "confirmed", &yes)) ||
        (condition && !add(t, &whole, "broken", &broken)) || !add(t, &whole, "state", state) ||
        !add(t, &whole, "result", done->result) || !add(t, &whole, "after", done->after)) {
        return NULL;
    }
    return lg_json_copy(t->arena, &whole);
}

// What the gate does not judge (reads, the customer's own tools) is allowed if its arguments fit.
static bool is_allowed(bench *b, trial *at)
{
    const lg_tool *tool = b->s.tool;
    if (!is_gated(tool)) {
        return lg_schema_validate(tool->arguments, at->args, NULL);
    }
    return records_fit(b->task->pack, &b->task->pack->ledger, at->ledger) &&
           judge(b, at->ledger, at->args, false, &at->decision) && at->decision.verdict == LG_ALLOW;
}

// Does the call do what is wanted: break `condition`, or if that is NULL, get carried out?
// The model's ledger is not believed: it is read again from the state, as an agent would.
static bool is_so(bench *b, const lg_json *state, const lg_json *wanted, trial *ret,
                  const lg_condition *condition)
{
    ret->ledger = state ? reread_ledger(b->task, state, wanted) : NULL;
    if (!ret->ledger || !is_allowed(b, ret)) {
        return false;
    }
    carried done = carry_out(b, state, ret, condition);
    bool wanted_so = condition ? done.broken : done.after != NULL;
    ret->example = wanted_so ? example_of_call(b, ret, state, &done, condition) : NULL;
    return ret->example != NULL;
}

static bool confirm_breach(bench *b, model *m, const void *context, trial *ret)
{
    const wanted_breach *w = context;
    const lg_json *ledger = model_json(m, b->s.ledger);
    const lg_json *state = model_json(m, w->d->state);
    ret->args = model_json(m, b->s.args);
    if (!ledger || !ret->args || !state || m->oom ||
        !records_fit(b->task->pack, &b->task->pack->state, state)) {
        return false;
    }
    // Fields that the model leaves out may be what a read looks for: tried once more with all of them.
    return is_so(b, state, ledger, ret, w->condition) ||
           is_so(b, filled_state(b, state), ledger, ret, w->condition);
}

// --- Looking for it -----------------------------------------------------------------------------

static term same_record(problem *p, val shown, val there)
{
    return term_or(p->t, value_is(p, shown, ALT_MISSING), same_value(p, shown, there, 0));
}

// A record for which the ledger has one place is one of those that the state has many of.
static term one_of_many(const transition *d, const lg_place *place)
{
    LG_DEBUG_ASSERT(place->segment_count == 1);
    problem *p = &d->b->p;
    const lg_places *state = &d->b->task->pack->state;
    val seen = operate_select(p, d->ledger, place->segments[0]);
    for (size_t i = 0; i < state->count; i++) {
        const lg_place *many = &state->items[i];
        if (many->segment_count != 2 || !many->schema || !place->schema ||
            !lg_json_equal(many->schema, place->schema)) {
            continue;
        }
        val all = operate_select(p, d->before, many->segments[0]);
        const dict *of = all.count == 1 ? all.alts[0].map : NULL;
        term any = value_is(p, seen, ALT_MISSING);
        for (uint32_t e = 0; of && e < of->count; e++) {
            term same = same_value(p, seen, *thunk_value(p, of->items[e].value), 0);
            any = term_or(p->t, any, term_and(p->t, of->items[e].present, same));
        }
        return any;
    }
    return term_bool(p->t, true);
}

// Records of the ledger are those of the state, where both have places of one name. This is a help for the
// search and no premise: is_so() builds the ledger by reads.
static term truthful(const transition *d)
{
    LG_DEBUG_ASSERT(!d->b->p.forall);
    problem *p = &d->b->p;
    const lg_pack *pack = d->b->task->pack;
    term all = term_bool(p->t, true);
    for (size_t i = 0; i < pack->ledger.count; i++) {
        if (pack->ledger.items[i].segment_count == 1) {
            all = term_and(p->t, all, one_of_many(d, &pack->ledger.items[i]));
        }
    }
    for (size_t i = 0; i < pack->ledger.count * pack->state.count; i++) {
        const lg_place *place = &pack->ledger.items[i / pack->state.count];
        if (!lg_str_eq(place->text, pack->state.items[i % pack->state.count].text) ||
            place->segment_count > 2) {
            continue;
        }
        val seen = operate_select(p, d->ledger, place->segments[0]);
        val real = operate_select(p, d->before, place->segments[0]);
        if (place->segment_count == 1) {
            all = term_and(p->t, all, same_record(p, seen, real));
            continue;
        }
        const dict *of = seen.count == 1 ? seen.alts[0].map : NULL;
        for (uint32_t e = 0; of && e < of->count; e++) {
            val key = value_scalar(p, ALT_TEXT, of->items[e].key);
            val there = operate(p, LG_BIN_INDEX, real, key);
            term same = same_value(p, *thunk_value(p, of->items[e].value), there, 0);
            all = term_and(p->t, all, term_implies(p->t, of->items[e].present, same));
        }
    }
    return all;
}

static goal_list goals_done(bench *b, void *about)
{
    const wanted_breach *w = about;
    LG_DEBUG_ASSERT(b == w->d->b);
    goal_list asked = {{w->d->done, truthful(w->d)}, 2};
    if (w->condition) {
        asked.items[asked.count++] = term_not(b->p.t, w->holds);
    }
    return asked;
}

reply transition_breach(transition *d, const lg_condition *condition, term holds, trial *ret)
{
    LG_DEBUG_ASSERT(term_has_sort(d->b->p.t, holds, SORT_BOOL));
    wanted_breach wanted = {d, condition, holds};
    question q = {goals_done, &wanted, confirm_breach, &wanted, true};
    return ask(d->b, &q, ret);
}

reply transition_success(transition *d, trial *ret)
{
    wanted_breach wanted = {.d = d};
    question q = {goals_done, &wanted, confirm_breach, &wanted, true};
    return ask(d->b, &q, ret);
}
