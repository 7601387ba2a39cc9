// reach.c: what a call changes and what a read shows, as paths of the state.
#include "pack/follow.h"

// --- What a call changes ------------------------------------------------------------------------

static bool has_early_keys(const reads *changes, const lg_reach *path);

// Is the key what it was before the call, whatever the steps before it did? Values hold values to
// the depth of the pack's expressions.
static bool is_early(const reads *changes, const lg_reach_value *value)
{
    return !(value->of_state && value->late && reads_meet_path(changes, &value->path)) &&
           has_early_keys(changes, &value->path);
}

static bool has_early_keys(const reads *changes, const lg_reach *path)
{
    bool early = true;
    for (uint32_t i = 0; i < path->count && early; i++) {
        const lg_reach_step *step = &path->steps[i];
        early = step->key != LG_REACH_VALUE || is_early(changes, step->value);
    }
    return early;
}

// Conditions on what the call itself may change say nothing of the state before it.
static void forget_late_conditions(loader *l, reads *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        const lg_reach_only *kept = NULL;
        for (const lg_reach_only *at = changes->items[i].only; at; at = at->next) {
            bool early = !reads_meet_path(changes, &at->path) && has_early_keys(changes, &at->path);
            lg_reach_only *copy = early ? LG_NEW(l->arena, lg_reach_only) : NULL;
            if (copy) {
                *copy = *at;
                copy->next = kept;
                kept = copy;
            }
        }
        changes->items[i].only = kept;
    }
}

static void forget_late_keys(reads *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        for (uint32_t s = 0; s < changes->items[i].count; s++) {
            lg_reach_step *step = &changes->items[i].steps[s];
            if (step->key == LG_REACH_VALUE && !is_early(changes, step->value)) {
                *step = any_step();
            }
        }
    }
}

static void find_changes(loader *l, lg_tool *tool, const settling *settle)
{
    reads ignored = {0};
    reads changes = {.anything = tool->kind == LG_TOOL_WRITE && !tool->has_effects};
    walk w = new_walk(l, LG_STEP_SLOT_ARGS, &ignored, &changes);
    walk_lets(&w, tool->lets, tool->let_count, LG_STEP_SLOT_COUNT);
    w.late = true;
    w.conditional = true;
    walk_steps(&w, tool->steps, tool->step_count);
    forget_late_conditions(l, &changes);
    forget_late_keys(&changes);
    add_settle(l, settle, &changes);
    tool->alters = reads_as_set(&changes);
}

// --- What a read shows --------------------------------------------------------------------------

// A path of full length may have been cut.
static bool is_whole_path(const ref *value)
{
    return value->kind == REF_STATE && value->path.count < LG_REACH_STEPS_MAX;
}

static bool is_whole_result(const lg_tool_store *store)
{
    const lg_cel_node *value = store->value ? lg_cel_program_tree(store->value) : NULL;
    return value && value->kind == LG_NODE_IDENT && !value->as.ident.local &&
           value->as.ident.slot == LG_STORE_SLOT_RESULT && store->each_count == 0 &&
           store->to.place && store->to.place->segment_count == store->to.segment_count;
}

// Does the copy of what lies at `path` stand at the same place of the ledger, under the same keys?
static bool is_in_place(const lg_tool_store *store, const lg_reach *path)
{
    const lg_target *to = &store->to;
    bool same = path->count == to->segment_count;
    for (uint32_t i = 0; same && i < to->segment_count; i++) {
        const lg_reach_step *step = &path->steps[i];
        if (step->key == LG_REACH_NAME) {
            same = !to->segments[i].key && lg_str_eq(step->name, to->segments[i].name);
            continue;
        }
        const lg_reach_value *key = step->value;
        same = step->key == LG_REACH_VALUE && !key->of_state && key->path.count == 1 &&
               key->path.steps[0].key == LG_REACH_NAME && to->segments[i].argument.len > 0 &&
               lg_str_eq(key->path.steps[0].name, to->segments[i].argument);
    }
    return same;
}

// What decides what the store puts where: `done` decides whether the call succeeds at all, and what
// the store's expressions read of the result they read of what it stands for.
static void find_source(loader *l, lg_tool_store *store, const slot *given, const reads *done)
{
    slot values[LG_STORE_SLOT_COUNT] = {[LG_STORE_SLOT_RESULT] = *given};
    reads shown = {0};
    walk w = {.l = l,
              .state_slot = NO_SLOT,
              .args_slot = LG_STORE_SLOT_ARGS,
              .slots = values,
              .slot_count = LG_STORE_SLOT_COUNT,
              .out = &shown};
    reads_note_all(l, &shown, done);
    for (uint32_t i = 0; i < store->each_count; i++) {
        ref list = follow_program(&w, store->each[i]);
        consume(&w, list);
        set_slot(&w, LG_STORE_SLOT_ITEM, step_down(list, any_step()), (reads){0});
    }
    consume_program(&w, store->when);
    for (uint32_t i = 0; i < store->to.segment_count; i++) {
        consume_program(&w, store->to.segments[i].key);
    }
    ref value = follow_program(&w, store->value);
    lg_reach *copied =
        is_whole_path(&value) && !store->each_count ? LG_NEW(l->arena, lg_reach) : NULL;
    if (copied) {
        *copied = value.path;
    } else {
        consume(&w, value);
    }
    store->copied = copied;
    store->shows = reads_as_set(&shown);
}

static void find_copies(loader *l, lg_tool *tool, const slot *given, const reads *done)
{
    lg_tool_store *stores = LG_NEW_ARRAY(l->arena, lg_tool_store, tool->store_count);
    lg_reach *path = LG_NEW(l->arena, lg_reach);
    if (!stores || !path) {
        return;
    }
    bool copy = tool->gives && is_whole_path(&given->is);
    *path = given->is.path;
    tool->copied = copy ? path : NULL;
    for (size_t i = 0; i < tool->store_count; i++) {
        stores[i] = tool->stores[i];
        stores[i].copies = copy && is_whole_result(&stores[i]);
        stores[i].mirrors = stores[i].copies && is_in_place(&stores[i], path);
        find_source(l, &stores[i], given, done);
    }
    tool->stores = stores;
}

// Whether the read succeeds is part of what it shows: its own conditions, and those of `settle`.
static void find_shown(loader *l, lg_tool *tool, const settling *settle)
{
    reads done = {.anything = !tool->gives && !tool->has_answer};
    reads none = {0};
    walk w = new_walk(l, LG_STEP_SLOT_ARGS, &done, &none);
    walk_lets(&w, tool->lets, tool->let_count, LG_STEP_SLOT_COUNT);
    walk_steps(&w, tool->steps, tool->step_count);
    reads_note_all(l, &done, &settle->conditions);
    slot given = {0};
    w.out = &given.of;
    given.is = follow_program(&w, tool->gives);
    consume_template(&w, &tool->answer);
    reads shown = {0};
    reads_note_all(l, &shown, &done);
    reads_note_all(l, &shown, &given.of);
    w.out = &shown;
    consume(&w, given.is);
    tool->shows = reads_as_set(&shown);
    find_copies(l, tool, &given, &done);
}

// --- Invariants ---------------------------------------------------------------------------------

static bool reads_history(const reads *read)
{
    lg_reach history = {.steps = {name_step(LG_STR("history"))}, .count = 1};
    bool any = false;
    for (size_t i = 0; i < read->count; i++) {
        any = any || lg_reach_meets(&history, &read->items[i]);
    }
    return any;
}

// What was carried out cannot be taken back, so no invariant can forbid it: that is for rules.
static void refuse_history(loader *l, const lg_condition *invariant, const reads *read)
{
    if (reads_history(read)) {
        loader_error(l, invariant->offset,
                     "invariant `%.*s` speaks of `ledger.history`, which only grows: what was "
                     "carried out cannot be discarded; write a rule",
                     LG_FMT(invariant->id));
    }
}

static void find_invariant_reads(loader *l)
{
    lg_pack *pack = l->pack;
    lg_reach_set *sets = LG_NEW_ARRAY(l->arena, lg_reach_set, pack->ledger_invariant_count);
    for (size_t i = 0; sets && i < pack->ledger_invariant_count; i++) {
        reads read = {0};
        walk w = {
            .l = l, .state_slot = LG_INVARIANT_SLOT_LEDGER, .args_slot = NO_SLOT, .out = &read};
        consume_program(&w, pack->ledger_invariants[i].that);
        refuse_history(l, &pack->ledger_invariants[i], &read);
        sets[i] = reads_as_set(&read);
    }
    pack->ledger_invariant_reads = sets;
}

static void find_state_invariant_reads(loader *l)
{
    lg_pack *pack = l->pack;
    lg_invariant_reach *reaches =
        LG_NEW_ARRAY(l->arena, lg_invariant_reach, pack->state_invariant_count);
    for (size_t i = 0; reaches && i < pack->state_invariant_count; i++) {
        const lg_cel_program *that = pack->state_invariants[i].that;
        reads read = {0};
        walk w = {
            .l = l, .state_slot = LG_INVARIANT_SLOT_STATE, .args_slot = NO_SLOT, .out = &read};
        consume_program(&w, that);
        reaches[i] = (lg_invariant_reach){
            reads_as_set(&read), each_of(lg_cel_program_tree(that), LG_INVARIANT_SLOT_STATE)};
    }
    pack->state_invariant_reaches = reaches;
}

// A rule evaluates all its bindings, and if one has no value it says nothing: so whether there is one is read,
// used or not.
static void consume_let(walk *w, const slot *let)
{
    reads_note_all(w->l, w->out, &let->of);
    consume_presence(w, let->is);
}

// What each rule reads of the ledger, whatever it comes to.
static void find_rule_reads(loader *l)
{
    lg_rule *rules = LG_NEW_ARRAY(l->arena, lg_rule, l->pack->rule_count);
    uint32_t slots = LG_SLOT_COUNT + l->pack->let_max;
    slot *values = LG_NEW_ARRAY(l->arena, slot, slots);
    for (size_t i = 0; rules && values && i < l->pack->rule_count; i++) {
        reads read = {0};
        walk w = {.l = l,
                  .state_slot = LG_SLOT_LEDGER,
                  .args_slot = NO_SLOT,
                  .slots = values,
                  .slot_count = slots,
                  .out = &read};
        rules[i] = l->pack->rules[i];
        walk_lets(&w, rules[i].lets, rules[i].let_count, LG_SLOT_COUNT);
        for (size_t k = 0; k < rules[i].let_count; k++) {
            consume_let(&w, &w.slots[LG_SLOT_COUNT + k]);
        }
        consume_program(&w, rules[i].when);
        consume_program(&w, rules[i].that);
        rules[i].reads = reads_as_set(&read);
        rules[i].reads_history = rules[i].reads.anything || reads_history(&read);
    }
    l->pack->rules = rules ? rules : l->pack->rules;
}

void loader_find_reach(loader *l, lg_tool *tools)
{
    settling settle = read_settle(l);
    for (size_t i = 0; settle.effects && i < l->pack->tool_count; i++) {
        find_changes(l, &tools[i], &settle);
        find_shown(l, &tools[i], &settle);
    }
    find_invariant_reads(l);
    find_state_invariant_reads(l);
    find_rule_reads(l);
}
