// loops.c: `each` over a list of any length.
//
// Where the steps only `fail`, the call fails if they do for some element. Where they change the
// state, the rule for loops: whatever they aim at is as it was or unknown, from the first iteration to the
// last, and an invariant of the state is known there if it held before, and one iteration from any such
// state keeps it. Schemas are checked when the call is over, so between iterations nothing is known of
// them; what no other step can write fits its schema after the loop, or the call is undone.
#include "cel/tree.h"
#include "symbolic/machine.h"
#include "symbolic/rules.h"

// --- What a step does ---------------------------------------------------------------------------

static bool any_changes(const lg_step *steps, size_t count, uint32_t depth);

// May the step change the state? Too deep to tell counts as a change.
static bool changes(const lg_step *step, uint32_t depth)
{
    switch (step->kind) {
    case LG_STEP_SET:
    case LG_STEP_APPEND:
    case LG_STEP_REMOVE:
        return true;
    case LG_STEP_FAIL:
        return false;
    case LG_STEP_DO:
        return any_changes(step->steps, step->step_count, depth + 1);
    case LG_STEP_RUN:
        return any_changes(step->run->steps, step->run->step_count, depth + 1);
    }
    return true;
}

// As deep as steps are nested, within a bound.
static bool any_changes(const lg_step *steps, size_t count, uint32_t depth)
{
    bool any = depth > NESTED_MAX;
    for (size_t i = 0; i < count && !any; i++) {
        any = changes(&steps[i], depth);
    }
    return any;
}

static val *copied_slots(const machine *m)
{
    val *slots = LG_NEW_ARRAY(m->p->arena, val, m->slot_count);
    if (slots) {
        lg_copy_bytes(slots, m->slots, m->slot_count * sizeof(*slots));
    }
    return slots;
}

// A loop that only fails: the call fails if there is an element for which a step does. Order does not
// matter, since nothing changes between iterations.
static void fails_somewhere(machine *m, const lg_step *step, const summary *r, term when,
                            uint32_t depth)
{
    LG_DEBUG_ASSERT(r->all && step->item_slot < m->slot_count);
    problem *p = m->p;
    terms *t = p->t;
    term no = term_bool(t, false);
    machine one = *m;
    one.slots = copied_slots(m);
    one.ended = one.failed = one.stopped = one.fault = no;
    if (!one.slots) {
        p->bounded = true;
        return;
    }
    term at = variable_open(p);
    one.slots[step->item_slot] = r->all->value(p, r->all, at);
    do_once(&one, step, r->all->present(p, r->all, at), depth);
    variable_close(p);
    term reached = machine_live(m, when);
    // Which comes first is not known: a call that may have been stopped is not taken for failed.
    term stopped = term_and(t, reached, term_exists(t, at, one.stopped));
    term failed = term_and(t, reached, term_exists(t, at, one.failed));
    failed = term_and(t, failed, term_not(t, stopped));
    m->stopped = term_or(t, m->stopped, stopped);
    m->failed = term_or(t, m->failed, failed);
    m->ended = term_or(t, m->ended, term_or(t, failed, stopped));
    machine_fault(m, term_and(t, reached, term_exists(t, at, one.fault)));
}

// --- Unknown parts ------------------------------------------------------------------------------

val unknown_part(const change *c)
{
    return *thunk_value(c->m->p, input_thunk(c->leaf));
}

// Whether it was done, for the keys of the leaf.
static term unknown_done(const change *c)
{
    return input_term(c->m->p, c->leaf, SORT_BOOL, ":done");
}

typedef struct anywhere {
    change c;
    machine m; // so that what cannot be done ends nothing
    const dict *map;
    const seq *list;
    uint32_t depth;
    term when;
} anywhere;

// The change under this key, carried out on a copy of the machine: what cannot be done under some key has
// been counted as a fault where the loop's own step was done.
static change change_at(const anywhere *w, machine *scratch, term at)
{
    problem *p = w->m.p;
    change c = w->c;
    *scratch = w->m;
    c.m = scratch;
    input *leaf = input_child(p, w->c.leaf, LG_STR("[]"), w->c.leaf->name, NULL, at);
    if (leaf && !leaf->expanded) {
        leaf->schema = w->c.leaf->schema;
    }
    c.leaf = leaf;
    return c;
}

static bool is_last(const anywhere *w)
{
    return w->depth + 1 == w->c.count && w->c.kind != CHANGE_APPEND;
}

static term anywhere_present(problem *p, const elements *e, term at)
{
    const anywhere *w = e->how;
    term present;
    if (w->list) {
        return term_is_index(p->t, at, seq_size(p, w->list));
    }
    map_at(p, w->map, at, &present);
    if (!is_last(w)) {
        return present;
    }
    machine scratch;
    change c = change_at(w, &scratch, at);
    term done = c.leaf ? term_and(p->t, w->when, unknown_done(&c)) : term_bool(p->t, false);
    return w->c.kind == CHANGE_REMOVE ? term_and(p->t, present, term_not(p->t, done))
                                      : term_or(p->t, present, done);
}

static val anywhere_value(problem *p, const elements *e, term at)
{
    const anywhere *w = e->how;
    machine scratch;
    change c = change_at(w, &scratch, at);
    term present = term_bool(p->t, true);
    val old;
    if (w->list) {
        builder b = builder_of(p);
        seq_get(p, &b, present, w->list, at);
        old = builder_done(&b);
    } else {
        old = map_at(p, w->map, at, &present);
    }
    if (!c.leaf || (is_last(w) && c.kind == CHANGE_REMOVE)) {
        return c.leaf ? old : value_error(p);
    }
    term done = term_and(p->t, w->when, unknown_done(&c));
    if (is_last(w)) {
        return value_choose(p, done, unknown_part(&c), old);
    }
    return changed(&c, old, w->depth + 1, term_and(p->t, done, present));
}

val changed_anywhere(const change *c, const alt *a, uint32_t depth, term when)
{
    LG_DEBUG_ASSERT(c->m->p->forall && depth < c->count);
    problem *p = c->m->p;
    anywhere *w = LG_NEW(p->arena, anywhere);
    bool remove = depth + 1 == c->count && c->kind == CHANGE_REMOVE;
    if (!w || (a->kind != ALT_MAP && a->kind != ALT_LIST) || (a->kind == ALT_LIST && remove)) {
        return input_value(p, input_unknown(p, LG_STR("part"), NULL, 2));
    }
    *w = (anywhere){*c, *c->m, a->map, a->list, depth, when};
    elements e = {.present = anywhere_present, .value = anywhere_value, .how = w};
    e.gaps = a->kind == ALT_MAP;
    const elements *all = elements_new(p, e);
    if (a->kind == ALT_LIST) {
        seq *list = LG_NEW(p->arena, seq);
        const summary *r = summary_of(p, seq_size(p, a->list), all);
        if (!list || !r) {
            return value_error(p);
        }
        *list = (seq){.summary = r, .prefix = true};
        return value_list(p, list);
    }
    dict *map = LG_NEW(p->arena, dict);
    const summary *r = summary_of(p, NULL, all);
    if (!map || !r) {
        return value_error(p);
    }
    *map = (dict){.summary = r};
    return value_map(p, map);
}

// --- What a loop may have changed ---------------------------------------------------------------

// Does the expression depend on the state, or on names of the loop? Then its value is another in each
// iteration, and the key that it gives any key. As deep as the tree.
static bool is_of_loop(const lg_cel_node *node, uint32_t first_slot)
{
    if (node->kind == LG_NODE_IDENT && !node->as.ident.local &&
        (node->as.ident.slot == LG_STEP_SLOT_STATE || node->as.ident.slot >= first_slot)) {
        return true;
    }
    const lg_cel_node *child;
    for (size_t i = 0; (child = lg_cel_node_child(node, i)) != NULL; i++) {
        if (is_of_loop(child, first_slot)) {
            return true;
        }
    }
    return false;
}

// What a schema says of what stands under `segment`; NULL if that cannot be told.
static const lg_json *schema_below(const lg_json *schema, const lg_target_segment *segment)
{
    const lg_json *items = lg_json_get(schema, LG_STR("items"));
    const lg_json *properties = lg_json_get(schema, LG_STR("properties"));
    const lg_json *named = lg_json_get(properties, segment->name);
    const lg_json *others = lg_json_get(schema, LG_STR("additionalProperties"));
    if (lg_json_get(schema, LG_STR("prefixItems")) ||
        lg_json_get(schema, LG_STR("patternProperties"))) {
        return NULL;
    }
    if (!segment->key) {
        return named ? named : others;
    }
    // A key that is computed may be a name, or an index.
    return properties || (items && others) ? NULL : items ? items : others;
}

// What the pack declares of what stands at a target; NULL if that cannot be told.
static const lg_json *schema_at(const problem *p, const lg_target *to)
{
    const lg_json *schema = to->place ? schema_resolve(p, to->place->schema) : NULL;
    for (uint32_t i = to->place ? to->place->segment_count : 0; schema && i < to->segment_count;
         i++) {
        schema = schema_resolve(p, schema_below(schema, &to->segments[i]));
    }
    return schema;
}

// How many steps write at the place, at least as many as there are: a procedure that is run twice counts
// twice, and what lies deeper than is looked counts as one that does.
static uint32_t count_writes(const lg_step *steps, size_t count, const lg_place *place,
                             uint32_t depth)
{
    uint32_t writes = depth > NESTED_MAX;
    for (size_t i = 0; i < count && depth <= NESTED_MAX; i++) {
        const lg_step *step = &steps[i];
        if (step->kind == LG_STEP_DO) {
            writes += count_writes(step->steps, step->step_count, place, depth + 1);
        } else if (step->kind == LG_STEP_RUN) {
            writes += count_writes(step->run->steps, step->run->step_count, place, depth + 1);
        } else {
            writes += step->kind != LG_STEP_FAIL && step->target.place == place;
        }
    }
    return writes;
}

// What is forgotten, and what of it is known nevertheless.
typedef struct havocking {
    machine *m;
    const lg_step *loop;
    bool over; // the loop is; else it is between iterations
} havocking;

// Does nothing but the loop write there in this call? Then what stands there after the loop is what the
// call leaves, and that fits its schema: the world undoes a call that leaves something else.
static bool is_left_alone(const havocking *f, const lg_place *place)
{
    const lg_pack *pack = f->m->pack;
    const lg_tool *tool = f->m->tool;
    return f->over && f->m->loop_depth == 0 && place &&
           count_writes(f->loop, 1, place, 0) ==
               count_writes(tool->steps, tool->step_count, place, 0) +
                   count_writes(pack->settle, pack->settle_count, place, 0);
}

// What the step aims at becomes unknown, or stays as it was, as the solver likes: an over-approximation of
// any number of iterations in any order. Keys that do not depend on the loop are kept.
static void havoc(const havocking *f, const lg_step *step, uint32_t first_slot, term when)
{
    LG_DEBUG_ASSERT(step->kind != LG_STEP_FAIL &&
                    step->target.segment_count <= LG_PATH_SEGMENTS_MAX);
    machine *m = f->m;
    problem *p = m->p;
    const lg_target *to = &step->target;
    val *keys = LG_NEW_ARRAY(p->arena, val, LG_PATH_SEGMENTS_MAX); // what is made keeps them
    machine *scratch = LG_NEW(p->arena, machine);
    if (!keys || !scratch) {
        p->bounded = true;
        return;
    }
    *scratch = *m;
    change c = {.m = scratch, .keys = keys, .count = to->segment_count, .unknown = true};
    c.kind = step->kind == LG_STEP_SET      ? CHANGE_SET
             : step->kind == LG_STEP_APPEND ? CHANGE_APPEND
                                            : CHANGE_REMOVE;
    for (uint32_t i = 0; i < c.count; i++) {
        const lg_target_segment *segment = &to->segments[i];
        const lg_cel_node *tree = segment->key ? lg_cel_program_tree(segment->key) : NULL;
        bool any = segment->key && (!tree || is_of_loop(tree, first_slot));
        keys[i] = any            ? (val){NULL, 0}
                  : segment->key ? translate(p, segment->key, m->slots)
                                 : value_text(p, segment->name);
    }
    const lg_json *schema = is_left_alone(f, to->place) ? schema_at(p, to) : NULL;
    c.leaf = input_unknown(p, LG_STR("loop"), schema, 3);
    if (!c.leaf) {
        p->bounded = true;
        return;
    }
    m->state = changed(&c, m->state, 0, term_and(p->t, when, unknown_done(&c)));
}

// As deep as steps are nested, within a bound.
static void havoc_all(const havocking *f, const lg_step *steps, size_t count, uint32_t first_slot,
                      term when, uint32_t depth)
{
    if (depth > NESTED_MAX) {
        f->m->p->bounded = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const lg_step *step = &steps[i];
        switch (step->kind) {
        case LG_STEP_SET:
        case LG_STEP_APPEND:
        case LG_STEP_REMOVE:
            havoc(f, step, first_slot, when);
            break;
        case LG_STEP_FAIL:
            break;
        case LG_STEP_DO:
            havoc_all(f, step->steps, step->step_count, first_slot, when, depth + 1);
            break;
        case LG_STEP_RUN: // its names are its own: no key of it is known before
            havoc_all(f, step->run->steps, step->run->step_count, 0, when, depth + 1);
            break;
        }
    }
}

// --- The rule for loops -------------------------------------------------------------------------

static term invariant_at(machine *m, size_t index, val state)
{
    return invariant_holds(m->p, &m->pack->state_invariants[index], state);
}

typedef struct loop {
    machine *m;
    size_t count; // of invariants
    term *during; // each of them at the start of a iteration
    term *after;  // and after it
    bool *kept;
    term go;        // the loop is reached
    term iteration; // one iteration was done, or stopped half-way, and the call stands
} loop;

// Is `wanted` implied? Only a refutation counts, and none if translation was cut off.
static bool follows(loop *l, const term *facts, uint32_t count, term wanted)
{
    LG_DEBUG_ASSERT(count <= 2);
    problem *p = l->m->p;
    term all[4] = {p->path_condition ? p->path_condition : term_bool(p->t, true),
                   term_not(p->t, wanted)};
    for (uint32_t i = 0; i < count; i++) {
        all[2 + i] = facts[i];
    }
    return !problem_exhausted(p) && terms_check(p->t, all, 2 + count) == ANSWER_UNSAT;
}

// Houdini (Flanagan and Leino 2001): of the invariants that held before the loop, drops those that an
// iteration may break, until those that are left keep each other. What is left is inductive.
static void find_kept(loop *l)
{
    terms *t = l->m->p->t;
    bool again = true;
    while (again) {
        again = false;
        term known = term_and(t, l->go, l->iteration);
        for (size_t i = 0; i < l->count; i++) {
            known = l->kept[i] ? term_and(t, known, l->during[i]) : known;
        }
        for (size_t i = 0; i < l->count; i++) {
            if (l->kept[i] && l->after[i] != l->during[i] && !follows(l, &known, 1, l->after[i])) {
                l->kept[i] = false;
                again = true;
            }
        }
    }
}

// Invariants of the state are the candidates for what a loop keeps: they are what is to be proved.
static bool loop_init(loop *l, machine *m)
{
    lg_arena *arena = m->p->arena;
    *l = (loop){.m = m, .count = m->pack->state_invariant_count};
    l->during = LG_NEW_ARRAY(arena, term, l->count + 1);
    l->after = LG_NEW_ARRAY(arena, term, l->count + 1);
    l->kept = LG_NEW_ARRAY(arena, bool, l->count + 1);
    return l->during && l->after && l->kept;
}

// The rule for loops of Hoare logic. `between` is the state at the start of any iteration: havocked, and
// with the invariants that find_kept() leaves. One iteration is done from there. The state after the loop
// is havocked anew, and has those invariants, too.
static void repeat(machine *m, const lg_step *step, const summary *r, term when, uint32_t depth)
{
    LG_DEBUG_ASSERT(step->item_slot < m->slot_count && r->all);
    problem *p = m->p;
    terms *t = p->t;
    loop l;
    machine one = *m;
    one.slots = copied_slots(m);
    uint32_t first_slot = step->item_slot;
    if (step->let_count && step->let_slot < first_slot) {
        first_slot = step->let_slot;
    }
    if (!loop_init(&l, m) || !one.slots) {
        p->bounded = true;
        return;
    }
    l.go = term_and(t, machine_live(m, when), term_lt(t, term_int(t, 0), r->count));
    for (size_t i = 0; i < l.count; i++) {
        l.kept[i] = follows(&l, &l.go, 1, invariant_at(m, i, m->state));
    }
    lg_step body = *step;
    body.each = NULL;
    machine between = *m; // at the beginning of any iteration
    havoc_all(&(havocking){&between, &body, false}, &body, 1, first_slot, l.go, depth);
    term at = term_fresh(t, SORT_INT, LG_STR("iteration"));
    one.state = between.state;
    one.loop_depth = m->loop_depth + 1;
    one.slots[step->item_slot] = r->all->value(p, r->all, at);
    term present = r->all->present(p, r->all, at);
    do_once(&one, &body, term_and(t, l.go, present), depth);
    l.iteration = term_and(t, present, term_not(t, term_or(t, one.failed, one.fault)));
    for (size_t i = 0; i < l.count; i++) {
        l.during[i] = invariant_at(m, i, between.state);
        l.after[i] = l.kept[i] ? invariant_at(m, i, one.state) : l.during[i];
    }
    find_kept(&l);
    havoc_all(&(havocking){m, &body, true}, &body, 1, first_slot, l.go, depth);
    if (!term_is_false(t, one.stopped)) { // by some iteration: then no further step is done
        term stopped = term_and(t, l.go, term_fresh(t, SORT_BOOL, LG_STR("stopped")));
        m->stopped = term_or(t, m->stopped, stopped);
        m->ended = term_or(t, m->ended, stopped);
    }
    for (size_t i = 0; i < l.count; i++) {
        if (l.kept[i]) {
            problem_assert(p, term_implies(t, l.go, invariant_at(m, i, m->state)));
        }
    }
}

void do_all_elements(machine *m, const lg_step *step, const summary *r, term when, uint32_t depth)
{
    lg_step body = *step;
    body.each = NULL;
    if (changes(&body, depth)) {
        repeat(m, step, r, when, depth);
    } else {
        fails_somewhere(m, step, r, when, depth);
    }
}
