// satisfiable.c: is there a state that has all invariants?
//
// Where there is none, whatever calls do keeps them, and nothing is proved by that.
#include "prove/effects.h"
#include "world/world.h"

// A state of small cases, and one of all.
typedef struct wanted_state {
    input *state;
    term *holds; // of all: by invariant
} wanted_state;

static bool confirm_state(bench *b, model *m, const void *context, trial *ret)
{
    const wanted_state *w = context;
    const lg_pack *pack = b->task->pack;
    const lg_json *state = model_json(m, w->state);
    lg_world world;
    const lg_world_breach *broken;
    size_t count = 1;
    if (!state || m->oom || !records_fit(pack, &pack->state, state)) {
        return false;
    }
    lg_world_init(&world, pack, NULL);
    world.root = state;
    bool sound = lg_world_check(&world, b->task->arena, &broken, &count) == LG_OK && count == 0;
    lg_world_done(&world);
    ret->example = sound ? example_of_state(b->task, state) : NULL;
    return ret->example != NULL;
}

// Which invariants stand in each other's way: as few as it takes.
static lg_str invariants_in_conflict(bench *b, const term *holds, size_t count)
{
    terms *t = b->p.t;
    const lg_pack *pack = b->task->pack;
    bool *kept = LG_NEW_ARRAY(&b->work, bool, count + 1);
    lg_buf text;
    if (!kept) {
        return LG_STR("");
    }
    mark_conflict(t, term_bool(t, true), holds, count, kept);
    lg_buf_init(&text, 4096);
    lg_buf_add_c(&text, "no state can have them together:");
    const char *comma = " ";
    for (size_t i = 0; i < count; i++) {
        if (kept[i]) {
            lg_buf_addf(&text, "%s%.*s", comma, LG_FMT(pack->state_invariants[i].id));
            comma = ", ";
        }
    }
    lg_str made = lg_arena_str(b->task->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return made;
}

static goal_list goals_sound(bench *b, void *about)
{
    wanted_state *w = about;
    const lg_pack *pack = b->task->pack;
    problem *p = &b->p;
    input *in = input_of_places(p, pack, true, NULL);
    term *holds = LG_NEW_ARRAY(&b->work, term, pack->state_invariant_count);
    term all = term_bool(p->t, true);
    b->task->oom = b->task->oom || !in || !holds;
    for (size_t i = 0; in && holds && i < pack->state_invariant_count; i++) {
        holds[i] = invariant_holds(p, &pack->state_invariants[i], *thunk_value(p, input_thunk(in)));
        all = term_and(p->t, all, holds[i]);
    }
    w->state = p->explicit_only ? in : w->state;
    w->holds = p->explicit_only ? w->holds : holds;
    return (goal_list){{all}, 1};
}

static void conclude_state(bench *b, reply r, const trial *found, const term *holds, lg_claim *o)
{
    LG_DEBUG_ASSERT(r != REPLY_EXAMPLE || found->example || b->task->oom);
    size_t count = b->task->pack->state_invariant_count;
    b->task->has_state = r == REPLY_EXAMPLE;
    o->outcome = r == REPLY_EXAMPLE     ? LG_PROVED
                 : r == REPLY_NONE      ? LG_REFUTED
                 : r == REPLY_UNDECIDED ? LG_UNDECIDED
                                        : LG_ASSUMED;
    o->finding = r == REPLY_NONE;
    o->example = r == REPLY_EXAMPLE ? found->example : NULL;
    o->why = r == REPLY_NONE ? invariants_in_conflict(b->whole, holds, count)
                             : lg_str_c(reply_reason(b, r));
}

lg_status oblige_satisfiable(task *t, lg_error *reterr)
{
    const lg_pack *pack = t->pack;
    size_t count = pack->state_invariant_count;
    bench b;
    t->has_state = count == 0;
    if (count == 0 || pack->state.count == 0 || pack->tool_count == 0) {
        return LG_OK;
    }
    lg_status status = bench_open(&b, t, &pack->tools[0], reterr); // any tool will do
    if (status != LG_OK) {
        return status;
    }
    wanted_state wanted = {0};
    question q = {goals_sound, &wanted, confirm_state, &wanted, false};
    trial found = {0};
    lg_claim o = {.kind = LG_OBLIGE_SATISFIABLE, .offset = pack->state_invariants[0].offset};
    reply r = ask(&b, &q, &found);
    if (!t->oom) {
        conclude_state(&b, r, &found, wanted.holds, &o);
        take_time(&b, &o);
        add_obligation(t, &o);
    }
    bench_close(&b);
    return t->oom ? lg_fail_oom(reterr) : LG_OK;
}
