// steps.c: set, append, remove, fail, each: symbolic execution with one path.
//
// There is one state, not one for each path: a step that may be done puts a choice inside of the state,
// `when` it is done the new value and else the old one. `ended` is the condition under which nothing is
// done any more, since a `fail` was reached or a step could not be done; every step is carried out under
// the negation of it. So the condition of a step is the path condition of coming there, and the number of
// steps, not of paths, is what costs.
//
// A change walks down the path of its target and rebuilds what it passes, sharing the rest: in the
// unrolled world entry by entry, with `forall` by putting the changed entry in front (it hides the old
// one), as an array is stored to.
#include "symbolic/funs.h"
#include "symbolic/machine.h"
#include "symbolic/stored.h"

// A fault (a step that cannot be done) ends the call as a `fail` does, but is the pack's mistake.
void machine_fault(machine *m, term when)
{
    LG_DEBUG_ASSERT(term_has_sort(m->p->t, when, SORT_BOOL));
    m->fault = term_or(m->p->t, m->fault, when);
    m->ended = term_or(m->p->t, m->ended, when);
}

static val new_value(const change *c)
{
    return c->unknown ? unknown_part(c) : c->value;
}

// --- Maps ---------------------------------------------------------------------------------------

// A change needs an explicit entry: a summary is one generic element for many, and to change one of them
// would change all. Which records are explicit is ours to choose, so those that are touched are taken to be
// (the generic key is none of them), as long as there are no more of them than explicit entries. Else the
// change cannot be expressed, and nothing is proved.
static void keep_out_of_summary(problem *p, const summary *r, term key)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, key, SORT_TEXT));
    if (!r) {
        return;
    }
    term present;
    summary_lookup(p, r, key, &present);
    if (term_is_false(p->t, present)) {
        return;
    }
    if (r->lookups && *r->lookups <= p->width && r->key && !r->without_entries) {
        terms_assert(p->t, term_not(p->t, term_eq(p->t, key, r->key)));
    } else {
        p->bounded = true;
    }
}

static entry changed_entry(const change *c, const entry *e, uint32_t depth, term hit)
{
    terms *t = c->m->p->t;
    entry made = *e;
    bool last = depth + 1 == c->count && c->kind != CHANGE_APPEND;
    if (term_is_false(t, hit)) {
        return made;
    }
    if (last && c->kind == CHANGE_REMOVE) {
        made.present = term_and(t, e->present, term_not(t, hit));
        return made;
    }
    val old = *thunk_value(c->m->p, e->value);
    val new = last ? value_choose(c->m->p, hit, c->value, old) : changed(c, old, depth + 1, hit);
    made.value = thunk_of(c->m->p, new);
    return made;
}

// With `forall` the changed entry is put before all others, which hides the one it replaces.
static val changed_above(const change *c, const dict *map, uint32_t depth, term when, term key)
{
    LG_DEBUG_ASSERT(c->m->p->forall);
    problem *p = c->m->p;
    terms *t = p->t;
    dict *made = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, map->count + 1);
    if (!made || !items) {
        return value_lost(p);
    }
    bool last = depth + 1 == c->count && c->kind != CHANGE_APPEND;
    term present;
    val old = map_at(p, map, key, &present);
    entry e = {.present = present, .key = key};
    if (last && c->kind == CHANGE_SET) {
        e.present = term_or(t, present, when);
        e.value = thunk_of(p, value_choose(p, when, new_value(c), old));
    } else {
        machine_fault(c->m, term_and(t, when, term_not(t, present)));
        e.present = last ? term_and(t, present, term_not(t, when)) : present;
        e.value = thunk_of(p, last ? old : changed(c, old, depth + 1, term_and(t, when, present)));
    }
    items[0] = e;
    uint32_t count = 1;
    for (uint32_t i = 0; i < map->count; i++) {
        if (map->items[i].key != key) {
            items[count++] = map->items[i];
        }
    }
    *made = (dict){.items = items, .count = count, .summary = map->summary};
    return value_map(p, made);
}

// Entries that may have the key change under that condition. A `set` of a key that none of them has adds
// one; anything else that does not find its key is a fault.
static val changed_map(const change *c, const dict *map, uint32_t depth, term when, term key)
{
    problem *p = c->m->p;
    terms *t = p->t;
    if (p->forall) {
        return changed_above(c, map, depth, when, key);
    }
    dict *made = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, map->count + 1);
    if (!made || !items) {
        return value_lost(p);
    }
    bool put = depth + 1 == c->count && c->kind == CHANGE_SET;
    term found = term_bool(t, false);
    bool own = false;
    keep_out_of_summary(p, map->summary, key);
    for (uint32_t i = 0; i < map->count; i++) {
        const entry *e = &map->items[i];
        term is = term_eq(t, e->key, key);
        bool whole = term_is_true(t, is);
        term hit = term_and(t, when, put && whole ? is : term_and(t, e->present, is));
        items[i] = changed_entry(c, e, depth, hit);
        if (put && whole) { // a named field that may have been absent
            items[i].present = term_or(t, e->present, when);
            own = true;
        }
        found = term_or(t, found, whole && put ? is : term_and(t, e->present, is));
    }
    *made = (dict){.items = items, .count = map->count, .summary = map->summary};
    term absent = term_and(t, when, term_not(t, found));
    if (!put) {
        machine_fault(c->m, absent);
    } else if (!own && !term_is_false(t, absent)) {
        items[made->count++] = (entry){absent, key, 0, thunk_of(p, c->value)};
    }
    return value_map(p, made);
}

// --- Lists --------------------------------------------------------------------------------------

// With `forall`: another value at one index. Where an item is taken away, nothing is known of the list.
static val changed_element(const change *c, const seq *list, uint32_t depth, term when, term index)
{
    LG_DEBUG_ASSERT(c->m->p->forall);
    problem *p = c->m->p;
    terms *t = p->t;
    bool last = depth + 1 == c->count && c->kind != CHANGE_APPEND;
    term present = term_is_index(t, index, seq_size(p, list));
    builder b = builder_of(p);
    seq_get(p, &b, term_bool(t, true), list, index);
    val old = builder_done(&b);
    term hit = term_and(t, when, present);
    machine_fault(c->m, term_and(t, when, term_not(t, present)));
    if (last && c->kind == CHANGE_REMOVE) {
        val unknown = input_value(p, input_unknown(p, LG_STR("list"), NULL, 2));
        return value_choose(p, hit, unknown, value_list(p, list));
    }
    val new = last ? value_choose(p, hit, new_value(c), old) : changed(c, old, depth + 1, hit);
    return value_list(p, list_with(p, list, index, thunk_of(p, new)));
}

static val changed_list(const change *c, const seq *list, uint32_t depth, term when, term index)
{
    problem *p = c->m->p;
    terms *t = p->t;
    if (p->forall) {
        return changed_element(c, list, depth, when, index);
    }
    seq *made = LG_NEW(p->arena, seq);
    element *items = LG_NEW_ARRAY(p->arena, element, list->count + 1);
    if (!made || !items) {
        return value_lost(p);
    }
    bool last = depth + 1 == c->count && c->kind != CHANGE_APPEND;
    term before = term_int(t, 0);
    term found = term_bool(t, false);
    for (uint32_t i = 0; i < list->count; i++) {
        const element *e = &list->items[i];
        term at = list->prefix ? term_int(t, i) : before;
        term is = term_and(t, e->present, term_eq(t, at, index));
        term hit = term_and(t, when, is);
        items[i] = *e;
        before = list->prefix ? before : term_count(t, before, e->present);
        found = term_or(t, found, is);
        if (term_is_false(t, hit)) {
            continue;
        }
        if (last && c->kind == CHANGE_REMOVE) {
            items[i].present = term_and(t, e->present, term_not(t, hit));
            continue;
        }
        val old = *thunk_value(p, e->value);
        items[i].value = thunk_of(p, last ? value_choose(p, hit, c->value, old)
                                          : changed(c, old, depth + 1, hit));
    }
    bool removes = last && c->kind == CHANGE_REMOVE;
    *made = (seq){.items = items,
                  .count = list->count,
                  .summary = list->summary,
                  .prefix = list->prefix && !removes,
                  .shuffled = list->shuffled,
                  .unordered = list->unordered};
    p->bounded = p->bounded || list->summary; // the element may lie beyond
    machine_fault(c->m, term_and(t, when, term_not(t, found)));
    return value_list(p, made);
}

// The new element is present under that condition. Behind a summary its index is not known.
static val appended(const change *c, const seq *list, term when)
{
    problem *p = c->m->p;
    seq *made = LG_NEW(p->arena, seq);
    element *items = LG_NEW_ARRAY(p->arena, element, list->count + 1);
    if (!made || !items) {
        return value_lost(p);
    }
    if (list->count) {
        lg_copy_bytes(items, list->items, list->count * sizeof(*items));
    }
    items[list->count] = (element){when, thunk_of(p, c->value)};
    *made = (seq){.items = items, .count = list->count + 1, .summary = list->summary};
    made->unordered = list->unordered;
    made->shuffled = !p->forall && (list->summary || list->shuffled);
    return value_list(p, made);
}

// --- Paths --------------------------------------------------------------------------------------

// A key that is no alternative of the right kind for the structure is a fault, as in the world.
static val changed_at(const change *c, const alt *a, uint32_t depth, term when)
{
    LG_DEBUG_ASSERT(depth < c->count);
    problem *p = c->m->p;
    if (c->keys[depth].count == 0) { // any key, where a loop is forgotten; else memory ran out
        return c->unknown ? changed_anywhere(c, a, depth, when) : value_lost(p);
    }
    builder b = builder_of(p);
    const val *key = &c->keys[depth];
    term matched = term_bool(p->t, false);
    for (uint32_t i = 0; i < key->count; i++) {
        const alt *k = &key->alts[i];
        if (a->kind == ALT_MAP && k->kind == ALT_TEXT) {
            term now = term_and(p->t, when, k->guard);
            builder_add_value(&b, k->guard, changed_map(c, a->map, depth, now, k->t));
            matched = term_or(p->t, matched, k->guard);
        } else if (a->kind == ALT_LIST && alt_is_number(k)) {
            bool real = k->kind == ALT_DOUBLE;
            term index = real ? term_to_int(p->t, k->t) : k->t;
            term is =
                term_and(p->t, k->guard, real ? term_is_int(p->t, k->t) : term_bool(p->t, true));
            term now = term_and(p->t, when, is);
            builder_add_value(&b, is, changed_list(c, a->list, depth, now, index));
            matched = term_or(p->t, matched, is);
        }
        p->bounded = p->bounded || k->kind == ALT_ANY; // it may be a key, or none
    }
    term no = term_not(p->t, matched);
    machine_fault(c->m, term_and(p->t, when, no));
    builder_add(&b, no, alt_unguarded(p, a));
    return builder_done(&b);
}

// `v` stands behind `depth` keys of the path: what it is once the change was made below it. Where `when` does not
// hold it is as it was; so the choice lies in the state, and there is one path through the program. As deep as
// a path is long.
val changed(const change *c, val v, uint32_t depth, term when)
{
    LG_DEBUG_ASSERT(depth <= c->count);
    problem *p = c->m->p;
    builder b = builder_of(p);
    for (uint32_t i = 0; i < v.count; i++) {
        const alt *a = &v.alts[i];
        term now = term_and(p->t, when, a->guard);
        p->bounded = p->bounded || a->kind == ALT_ANY; // what is changed of it is not followed
        if (term_is_false(p->t, now)) {
            builder_add(&b, term_bool(p->t, true), *a);
        } else if (depth < c->count) {
            builder_add_value(&b, a->guard, changed_at(c, a, depth, now));
        } else if (c->unknown) {
            builder_add_value(&b, a->guard,
                              value_choose(p, now, unknown_part(c), value_of_alt(p, a)));
        } else if (c->kind == CHANGE_APPEND && a->kind == ALT_LIST) {
            builder_add_value(&b, a->guard, appended(c, a->list, now));
        } else {
            machine_fault(c->m, now);
            builder_add(&b, term_bool(p->t, true), *a);
        }
    }
    return builder_done(&b);
}

// --- Steps --------------------------------------------------------------------------------------

// What is made of the values now may be looked at later, when they have changed: so they are copied.
static val machine_translate(machine *m, const lg_cel_program *program)
{
    problem *p = m->p;
    val *slots = LG_NEW_ARRAY(p->arena, val, m->slot_count);
    if (!slots) {
        return value_lost(p);
    }
    lg_copy_bytes(slots, m->slots, m->slot_count * sizeof(*slots));
    slots[LG_STEP_SLOT_STATE] = m->state;
    return translate(p, program, slots);
}

term machine_live(machine *m, term when)
{
    LG_DEBUG_ASSERT(term_has_sort(m->p->t, m->ended, SORT_BOOL));
    return term_and(m->p->t, when, term_not(m->p->t, m->ended));
}

static void do_change(machine *m, const lg_step *step, term when)
{
    LG_DEBUG_ASSERT(step->target.segment_count <= LG_PATH_SEGMENTS_MAX);
    problem *p = m->p;
    val keys[LG_PATH_SEGMENTS_MAX];
    change c = {.m = m, .keys = keys, .count = step->target.segment_count};
    c.kind = step->kind == LG_STEP_SET      ? CHANGE_SET
             : step->kind == LG_STEP_APPEND ? CHANGE_APPEND
                                            : CHANGE_REMOVE;
    for (uint32_t i = 0; i < c.count; i++) {
        const lg_target_segment *segment = &step->target.segments[i];
        keys[i] = segment->key ? machine_translate(m, segment->key) : value_text(p, segment->name);
    }
    term bad = term_bool(p->t, false);
    c.value =
        step->value ? value_stored(p, machine_translate(m, step->value), &bad) : value_null(p);
    c.value = step->kind == LG_STEP_SET ? value_in_kind(p, c.value) : c.value;
    when = machine_live(m, when);
    bad = term_or(p->t, bad, value_is(p, c.value, ALT_MISSING));
    bad = term_or(p->t, bad, value_is(p, c.value, ALT_ERROR));
    machine_fault(m, term_and(p->t, when, bad));
    // What has failed has ended the call, so the change itself is only made where the value is one.
    m->state = changed(&c, m->state, 0, machine_live(m, when));
}

static void do_steps(machine *m, const lg_step *steps, size_t count, term when, uint32_t depth);

void do_once(machine *m, const lg_step *step, term when, uint32_t depth)
{
    terms *t = m->p->t;
    for (size_t i = 0; i < step->let_count; i++) {
        LG_DEBUG_ASSERT(step->let_slot + i < m->slot_count);
        m->slots[step->let_slot + i] = machine_translate(m, step->lets[i].program);
    }
    if (step->when) {
        val test = machine_translate(m, step->when);
        term yes = value_holds(m->p, test, true);
        term no = value_holds(m->p, test, false);
        machine_fault(m, term_and(t, machine_live(m, when), term_not(t, term_or(t, yes, no))));
        when = term_and(t, when, yes);
    }
    when = machine_live(m, when);
    if (term_is_false(t, when)) {
        return;
    }
    switch (step->kind) {
    case LG_STEP_SET:
    case LG_STEP_APPEND:
    case LG_STEP_REMOVE:
        do_change(m, step, when);
        break;
    case LG_STEP_FAIL:
        if (step->keeps) {
            m->stopped = term_or(t, m->stopped, when);
        } else {
            m->failed = term_or(t, m->failed, when);
        }
        m->ended = term_or(t, m->ended, when);
        break;
    case LG_STEP_DO:
        do_steps(m, step->steps, step->step_count, when, depth + 1);
        break;
    // A procedure sees the clock and the state, none of the caller's names.
    case LG_STEP_RUN: {
        val *kept = m->slots;
        m->slots = LG_NEW_ARRAY(m->p->arena, val, m->slot_count);
        if (m->slots) {
            m->slots[LG_STEP_SLOT_NOW] = kept[LG_STEP_SLOT_NOW];
            do_steps(m, step->run->steps, step->run->step_count, when, depth + 1);
        }
        m->slots = kept;
        break;
    }
    }
}

static void do_each(machine *m, const lg_step *step, term when, uint32_t depth)
{
    LG_DEBUG_ASSERT(step->item_slot < m->slot_count);
    val range = machine_translate(m, step->each);
    terms *t = m->p->t;
    term lists = value_is(m->p, range, ALT_LIST);
    m->p->bounded = m->p->bounded || value_may_be_any(range);
    machine_fault(m, term_and(t, machine_live(m, when), term_not(t, lists)));
    for (uint32_t i = 0; i < range.count; i++) {
        const alt *a = &range.alts[i];
        const summary *all = a->kind == ALT_LIST && m->p->forall ? a->list->summary : NULL;
        uint32_t others = a->kind == ALT_LIST ? a->list->count : 0;
        m->loop_depth += others > 0;
        if (all) {
            do_all_elements(m, step, all, term_and(t, when, a->guard), depth);
        }
        for (uint32_t k = 0; a->kind == ALT_LIST && k < a->list->count; k++) {
            const element *e = &a->list->items[k];
            m->slots[step->item_slot] = *thunk_value(m->p, e->value);
            do_once(m, step, term_and(t, when, term_and(t, a->guard, e->present)), depth);
        }
        m->loop_depth -= others > 0;
        // Elements beyond the explicit ones were left out, or it is not known who comes first.
        m->p->bounded = m->p->bounded || (a->kind == ALT_LIST && a->list->summary && !all) ||
                        (a->kind == ALT_LIST && a->list->unordered && a->list->count > 0);
    }
}

// As deep as steps and procedures are nested, within a bound.
static void do_steps(machine *m, const lg_step *steps, size_t count, term when, uint32_t depth)
{
    if (depth > NESTED_MAX) {
        m->p->bounded = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (steps[i].each) {
            do_each(m, &steps[i], when, depth);
        } else {
            do_once(m, &steps[i], when, depth);
        }
    }
}

static lg_str quoted(problem *p, lg_str text)
{
    lg_buf out;
    lg_buf_init(&out, 0);
    lg_json_print_str(&out, text);
    lg_str kept = lg_arena_str(p->arena, lg_buf_str(&out));
    lg_buf_done(&out);
    return kept;
}

static lg_str joined_source(problem *p, lg_str before, lg_str more)
{
    return before.len == 0
               ? more
               : lg_arena_printf(p->arena, "(%.*s + %.*s)", LG_FMT(before), LG_FMT(more));
}

// As it is printed into a template. How anything but a text is printed is not followed: some text.
static val as_text(problem *p, val v)
{
    builder b = builder_of(p);
    for (uint32_t i = 0; i < v.count; i++) {
        const alt *a = &v.alts[i];
        if (a->kind == ALT_TEXT || alt_is_failure(a)) {
            builder_add(&b, term_bool(p->t, true), *a);
        } else {
            term written = unknown_term(p, SORT_TEXT, LG_STR("written"));
            builder_add_value(&b, a->guard, value_scalar(p, ALT_TEXT, written));
        }
    }
    return builder_done(&b);
}

// An answer, put together as a function of what stands in its braces, in the form in which an
// expression would put it together.
static val answer_of(machine *m, const lg_template *said)
{
    problem *p = m->p;
    lg_str source = LG_STR("");
    val holes[4];
    uint32_t count = 0;
    bool fits = true;
    for (size_t i = 0; i < said->count; i++) {
        const lg_template_part *part = &said->parts[i];
        if (part->literal.len) {
            source = joined_source(p, source, quoted(p, part->literal));
        }
        if (part->program && count < LG_COUNT(holes)) {
            holes[count] = as_text(p, machine_translate(m, part->program));
            source = joined_source(p, source, problem_name(p, "x%u", count++));
        } else {
            fits = fits && !part->program;
        }
    }
    val made;
    if (count == 0) {
        return value_text(p, said->count ? said->parts[0].literal : LG_STR(""));
    }
    if (fits && fun_call(p, source, holes, count, ALT_TEXT, &made)) {
        return made;
    }
    return value_scalar(p, ALT_TEXT, unknown_term(p, SORT_TEXT, LG_STR("answer")));
}

// What the tool gives, computed from the state that its steps have left. A tool that does not say what it
// gives may give anything.
static val result_of(machine *m, const lg_tool *tool)
{
    problem *p = m->p;
    if (!tool->gives && !tool->has_answer) {
        return input_value(p, input_unknown(p, LG_STR("result"), NULL, 1));
    }
    term failed;
    val given = tool->gives ? machine_translate(m, tool->gives) : answer_of(m, &tool->answer);
    val result = value_stored(p, given, &failed);
    failed = term_or(p->t, failed, value_is(p, result, ALT_MISSING));
    failed = term_or(p->t, failed, value_is(p, result, ALT_ERROR));
    machine_fault(m, machine_live(m, failed));
    return result;
}

// A tool's own steps, then what it gives, then the pack's `settle`: the result does not see the settling.
carried_out steps_of_tool(problem *p, const lg_pack *pack, const lg_tool *tool, val state, val args,
                          term now)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, now, SORT_INT));
    term no = term_bool(p->t, false);
    term yes = term_bool(p->t, true);
    machine m = {.p = p, .pack = pack, .tool = tool, .state = state};
    m.ended = m.failed = m.stopped = m.fault = no;
    m.slot_count = pack->step_slots + LG_STEP_SLOT_COUNT + 1;
    m.slots = LG_NEW_ARRAY(p->arena, val, m.slot_count);
    if (!m.slots) {
        return (carried_out){state, value_lost(p), no, no, yes};
    }
    m.slots[LG_STEP_SLOT_NOW] = value_scalar(p, ALT_TIME, now);
    m.slots[LG_STEP_SLOT_ARGS] = args;
    for (size_t i = 0; i < tool->let_count; i++) {
        m.slots[LG_STEP_SLOT_COUNT + i] = machine_translate(&m, tool->lets[i].program);
    }
    do_steps(&m, tool->steps, tool->step_count, yes, 0);
    val result = result_of(&m, tool);
    m.ended = term_or(p->t, m.failed, m.fault); // what was stopped half-way settles, too
    do_steps(&m, pack->settle, pack->settle_count, yes, 0);
    return (carried_out){m.state, result, m.failed, m.stopped, m.fault};
}
