// settle.c: what the steps after every call change, and whether they come to rest.
//
// `settle` is at rest if doing it twice is doing it once. Then a call need only be asked whether it
// changes what a step of it reads. A step is not at rest if what it reads is changed by itself or by
// a step behind it, if it adds to a list, or if it reads a clock: what it changes, every call
// changes. Rather too many steps are taken for restless than too few.
#include "pack/follow.h"

// One step of `settle` with all that stands in it.
typedef struct effect {
    reads reads;
    reads changes;
} effect;

// A step that does something, wherever it stands.
typedef struct leaf {
    const lg_step *step;
    uint32_t at;      // in the order of all steps
    uint32_t from;    // where its reads were made: at the start of the outermost steps around it
    bool grouped;     // there are such
    bool looped;      // it is done again and again, and reads what it has changed
    bool by_clock;    // of a pack without a fixed one
    reads conditions; // under which it is done
    reads values;     // what it puts there, and where that is
    reads changes;
} leaf;

typedef struct leaves {
    loader *l;
    leaf *items;
    size_t count;
    size_t capacity;
    uint32_t next_at;
    bool oom;
} leaves;

// --- Leaves -------------------------------------------------------------------------------------

static bool names_clock(const lg_cel_program *program)
{
    const lg_cel_node *tree = program ? lg_cel_program_tree(program) : NULL;
    return tree && names_slot(tree, LG_STEP_SLOT_NOW);
}

static bool step_names_clock(const lg_step *step)
{
    bool names = names_clock(step->each) || names_clock(step->when) || names_clock(step->value);
    for (size_t i = 0; i < step->let_count && !names; i++) {
        names = names_clock(step->lets[i].program);
    }
    for (uint32_t i = 0; i < step->target.segment_count && !names; i++) {
        names = names_clock(step->target.segments[i].key);
    }
    return names;
}

static void add_leaf(leaves *all, const leaf *one)
{
    leaf *items =
        lg_arena_grow(all->l->arena, all->items, all->count, &all->capacity, sizeof(*items));
    if (!items) {
        all->oom = true;
        return;
    }
    all->items = items;
    items[all->count++] = *one;
}

// The steps around it, and what they have read.
static leaf leaf_within(const leaves *all, const leaf *around, const lg_step *step)
{
    leaf own = *around;
    own.step = step;
    own.conditions = own.values = own.changes = (reads){0};
    reads_note_all(all->l, &own.conditions, &around->conditions);
    reads_note_all(all->l, &own.values, &around->values);
    own.looped = own.looped || step->each;
    own.by_clock = own.by_clock || (!all->l->pack->fixed_clock && step_names_clock(step));
    return own;
}

static void visit_all(leaves *all, walk *w, const lg_step *steps, size_t count, const leaf *around);

// As deep as steps stand in steps and procedures run procedures, which the loader bounds.
static void visit(leaves *all, walk *w, const lg_step *step, const leaf *around)
{
    leaf own = leaf_within(all, around, step);
    own.at = all->next_at++;
    own.from = around->grouped ? around->from : own.at;
    w->out = &own.values;
    w->changes = &own.changes;
    if (step->each) {
        ref list = follow_program(w, step->each);
        consume(w, list);
        set_slot(w, step->item_slot, step_down(list, any_step()), (reads){0});
    }
    walk_lets(w, step->lets, step->let_count, step->let_slot);
    w->out = &own.conditions;
    consume_program(w, step->when);
    w->out = &own.values;
    if (step->kind == LG_STEP_DO || step->kind == LG_STEP_RUN) {
        own.grouped = true;
        walk inner = step->kind == LG_STEP_RUN ? walk_of_procedure(w) : *w;
        const lg_step *steps = step->run ? step->run->steps : step->steps;
        visit_all(all, &inner, steps, step->run ? step->run->step_count : step->step_count, &own);
        return;
    }
    if (step->kind != LG_STEP_FAIL) {
        walk_target(w, step);
        consume_program(w, step->value);
    }
    add_leaf(all, &own);
}

static void visit_all(leaves *all, walk *w, const lg_step *steps, size_t count, const leaf *around)
{
    for (size_t i = 0; i < count; i++) {
        visit(all, w, &steps[i], around);
    }
}

// --- Rest ---------------------------------------------------------------------------------------

// Does doing the step change what a second time would do? Not if it is done once and only its condition reads
// what it changes: the second time it puts the same there, or does nothing.
static bool outdates_itself(const leaf *one)
{
    return reads_meet(&one->changes, &one->values) ||
           (one->looped && reads_meet(&one->changes, &one->conditions));
}

static bool is_restless(const leaves *all, const leaf *one)
{
    if (one->by_clock || one->step->kind == LG_STEP_APPEND || is_item_removed(one->step) ||
        outdates_itself(one)) {
        return one->changes.count > 0 || one->changes.anything;
    }
    for (size_t i = 0; i < all->count; i++) {
        const leaf *other = &all->items[i];
        if (other->at >= one->from && other != one &&
            (reads_meet(&other->changes, &one->values) ||
             reads_meet(&other->changes, &one->conditions))) {
            return true;
        }
    }
    return false;
}

// It runs after the call has changed what it reads: no key of it is known from before.
static void forget_keys(reads *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        for (uint32_t s = 0; s < changes->items[i].count; s++) {
            if (changes->items[i].steps[s].key == LG_REACH_VALUE) {
                changes->items[i].steps[s] = any_step();
            }
        }
    }
}

static void find_restless(loader *l, const leaves *all, settling *ret)
{
    uint32_t *offsets = LG_NEW_ARRAY(l->arena, uint32_t, all->count);
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const leaf *one = &all->items[i];
        if (one->step->kind == LG_STEP_FAIL) {
            reads_note_all(l, &ret->conditions, &one->conditions);
            reads_note_all(l, &ret->conditions, &one->values);
        } else if (is_restless(all, one)) {
            reads_note_all(l, &ret->always, &one->changes);
            if (offsets) {
                offsets[count++] = one->step->offset;
            }
        }
    }
    forget_keys(&ret->always);
    ret->always.anything = ret->always.anything || all->oom || !offsets;
    l->pack->restless = offsets;
    l->pack->restless_count = count;
}

settling read_settle(loader *l)
{
    settling made = {.effects = LG_NEW_ARRAY(l->arena, effect, l->pack->settle_count)};
    for (size_t i = 0; made.effects && i < l->pack->settle_count; i++) {
        effect *one = &made.effects[i];
        walk w = new_walk(l, NO_SLOT, &one->reads, &one->changes);
        w.late = true;
        walk_steps(&w, &l->pack->settle[i], 1);
        forget_keys(&one->changes);
    }
    leaves all = {.l = l};
    leaf around = {0};
    walk w = new_walk(l, NO_SLOT, NULL, NULL);
    w.late = true;
    visit_all(&all, &w, l->pack->settle, l->pack->settle_count, &around);
    find_restless(l, &all, &made);
    return made;
}

// A step that is at rest has nothing to do unless something that it reads has changed: the state was
// settled before. What it does may give the others something to do.
void add_settle(loader *l, const settling *settle, reads *changes)
{
    reads_note_all(l, changes, &settle->always);
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < l->pack->settle_count; i++) {
            if (reads_meet(changes, &settle->effects[i].reads)) {
                size_t before = changes->count;
                bool anything = changes->anything;
                reads_note_all(l, changes, &settle->effects[i].changes);
                more = more || changes->count > before || changes->anything != anything;
            }
        }
    }
}
