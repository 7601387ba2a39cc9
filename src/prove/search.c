// search.c: does some sequence of allowed calls break an invariant?
//
// If every allowed call keeps every invariant as long as the ledger shows the state as it is, and no
// call is judged by what is outdated, no sequence breaks one: that is induction, and nothing is
// searched. Else sequences are tried. Where they
// begin chain.c finds out; from there on the state and the ledger are what they have become, only the
// arguments of the next call are unknown, and each call is made for real: judged by the gate,
// carried out on the state, observed by a ledger that knows what is stale. What is found is a
// proof; that nothing is found is none.
#include "prove/search.h"
#include "symbolic/funs.h"
#include "symbolic/model.h"
#include "json/tree.h"

#define TOOLS_MAX 200u // of packs for which induction is tried: it looks at any two of them

bool is_gated_write(const lg_tool *tool)
{
    return is_gated(tool) && tool->has_effects;
}

bool may_break(const search *h, const lg_tool *tool, bool outdated, bool *ret)
{
    LG_DEBUG_ASSERT(tool >= h->task->pack->tools &&
                    tool < h->task->pack->tools + h->task->pack->tool_count);
    size_t row = (size_t)(tool - h->task->pack->tools) * h->invariants;
    bool any = false;
    for (size_t i = 0; i < h->invariants; i++) {
        bool may = is_gated_write(tool) && is_wanted_tool(h->task, tool) && !h->kept[row + i] &&
                   (outdated || !h->single[row + i]) && !h->found[i];
        any = any || may;
        if (ret) {
            ret[i] = may;
        }
    }
    return any;
}

bool search_is_over(const search *h)
{
    return h->questions >= SEARCH_QUESTIONS_MAX || h->undecided >= SEARCH_UNDECIDED_MAX ||
           is_late(h->task) || h->work >= SEARCH_WORK_MAX || h->task->oom;
}

// --- Questions ----------------------------------------------------------------------------------

bool search_open(search *h, problem *p, lg_arena *work, uint32_t steps)
{
    if (!problem_open(p, work, h->task, steps)) {
        return false;
    }
    p->work_limit = SEARCH_QUESTION_WORK;
    h->now = term_nanos(p->t, h->r.now_seconds, h->r.now_nanos);
    return true;
}

void search_close(search *h, problem *p, lg_arena *work)
{
    h->work += p->work;
    problem_close(p, work);
}

answer search_ask(search *h, problem *p, const term *goals, size_t count)
{
    h->questions++;
    for (size_t i = 0; i < count && !terms_failed(p->t); i++) {
        if (term_is_false(p->t, goals[i])) {
            return ANSWER_UNSAT;
        }
    }
    funs_tell_literals(p);
    answer a = terms_check(p->t, goals, count);
    h->undecided += a == ANSWER_UNKNOWN;
    return a;
}

// --- Findings -----------------------------------------------------------------------------------

static const char *const what_broke = "each call is allowed, and then this does not hold";

static void note_breach(search *h, const node *n, const lg_condition *condition)
{
    const lg_pack *pack = h->task->pack;
    size_t i = (size_t)(condition - pack->state_invariants);
    LG_DEBUG_ASSERT(i < h->invariants);
    if (h->found[i]) {
        return;
    }
    lg_claim *o = &h->claims[i];
    h->found[i] = true;
    o->outcome = LG_REFUTED;
    o->finding = true;
    o->why = lg_arena_printf(h->task->arena,
                             "%u allowed call%s, the last of %.*s, break%s it in a state where all "
                             "invariants held",
                             n->writes, lg_plural(n->writes), LG_FMT(n->at.last->tool->name),
                             n->writes == 1 ? "s" : "");
    o->example = rehearsed_example(h->task, what_broke, n->start, &n->at, condition->id);
}

static const char *const what_was_done = "the last call is allowed, and carried out";

// Of a tool of which no small state was found before in which a call is carried out: here is one.
static void note_effective(search *h, const node *n, const lg_tool *tool)
{
    task *t = h->task;
    for (size_t i = 0; i < t->count; i++) {
        lg_claim *o = &t->items[i];
        bool open = o->outcome == LG_ASSUMED || o->outcome == LG_UNDECIDED;
        if (o->kind == LG_OBLIGE_EFFECTIVE && open && lg_str_eq(o->tool, tool->name)) {
            o->outcome = LG_PROVED;
            o->why = LG_STR("");
            o->cut = false;
            o->example = rehearsed_example(t, what_was_done, n->start, &n->at, LG_STR(""));
        }
    }
}

bool search_write(search *h, node *n, const lg_tool *tool, const lg_json *args)
{
    if (!rehearse_write(&h->r, &n->at, tool, args, NULL)) {
        return false;
    }
    n->writes++;
    note_effective(h, n, tool);
    for (size_t i = 0; i < h->r.breach_count; i++) {
        if (h->r.breaches[i].is_invariant) {
            note_breach(h, n, h->r.breaches[i].condition);
        }
    }
    return true;
}

void search_note(search *h, const node *n)
{
    LG_DEBUG_ASSERT(h->node_count <= SEARCH_NODES_MAX);
    bool deep = n->writes >= h->task->options.depth;
    if (!deep && h->node_count < SEARCH_NODES_MAX && h->r.breach_count == 0) {
        h->nodes[h->node_count++] = *n;
    }
}

// --- Nodes --------------------------------------------------------------------------------------

// The ledger without what is stale, for rules that want it read again.
static const lg_json *fresh_root(search *h, const lg_ledger_state *ledger)
{
    const lg_json *history = lg_json_get(ledger->root, LG_STR("history"));
    records seen;
    bool *kept = NULL;
    if (!records_of(&h->arena, &h->task->pack->ledger, ledger->root, &seen) ||
        !(kept = LG_NEW_ARRAY(&h->arena, bool, seen.count + 1))) {
        return ledger->root;
    }
    for (size_t i = 0; i < seen.count; i++) {
        const lg_ledger_entry *of =
            lg_ledger_find(ledger, seen.items[i].path, seen.items[i].place->segment_count);
        kept[i] = of && !of->stale && of->part_count == 0;
    }
    const lg_json *root = root_of_records(&h->arena, h->task->pack, &seen, kept, history);
    return root ? root : ledger->root;
}

// What was read on the way here, read once more.
static void read_again(search *h, node *n)
{
    for (const turn *of = n->at.last; of; of = of->before) {
        bool done = false;
        for (const turn *later = n->at.last; later != of && !done; later = later->before) {
            done = later->tool == of->tool && lg_json_equal(later->args, of->args);
        }
        if (!of->judged && !done) {
            stand next = n->at;
            if (rehearse_read(&h->r, &next, of->tool, of->args, NULL)) {
                n->at = next;
            }
        }
    }
}

static bool is_outdated(const lg_ledger_state *ledger)
{
    for (uint32_t i = 0; i < ledger->entries.count; i++) {
        if (lg_ledger_entry_at(ledger, i)->stale || lg_ledger_entry_at(ledger, i)->part_count) {
            return true;
        }
    }
    return false;
}

static const lg_json *args_of(search *h, problem *p, input *args)
{
    model m = model_of(p, p->arena);
    const lg_json *found = model_json(&m, args);
    return found && !m.oom ? lg_json_copy(&h->arena, found) : NULL;
}

// One tool at one node: a call that breaks something, or else one that is allowed, to go on from.
static void try_tool(search *h, const node *n, const lg_tool *tool)
{
    const lg_pack *pack = h->task->pack;
    lg_arena work;
    problem p;
    symbolic_call l;
    bool *wanted = LG_NEW_ARRAY(&h->arena, bool, h->invariants + 1);
    bool breaks = wanted && may_break(h, tool, is_outdated(&n->at.session.ledger), wanted);
    bool goes_on = n->writes + 1 < h->task->options.depth && h->node_count < SEARCH_NODES_MAX;
    if ((!breaks && !goes_on) || search_is_over(h) ||
        !search_open(h, &p, &work, SEARCH_QUESTION_STEPS)) {
        return;
    }
    input *args = input_of_args(&p, LG_STR("args"), tool->parameters);
    ledger_views seen = {value_of_json(&p, n->at.session.ledger.root),
                         value_of_json(&p, fresh_root(h, &n->at.session.ledger))};
    val state = value_of_json(&p, n->at.state);
    val given = *thunk_value(&p, input_thunk(args));
    bool made = symbolic_call_make(&l, &p, pack, tool, state, seen, given, h->now);
    if (made && p.work <= p.work_limit) {
        term goals[4] = {l.allowed, l.done, only_explicit(&p)};
        goals[3] = breaks ? broken_after(&p, pack, l.state, wanted) : term_bool(p.t, false);
        node next = *n;
        if ((breaks && search_ask(h, &p, goals, 4) == ANSWER_SAT) ||
            (goes_on && search_ask(h, &p, goals, 3) == ANSWER_SAT)) {
            const lg_json *found = args_of(h, &p, args);
            if (found && search_write(h, &next, tool, found)) {
                search_note(h, &next);
            }
        }
    } else {
        h->left_out++;
    }
    search_close(h, &p, &work);
}

static void visit(search *h, const node *n)
{
    for (size_t i = 0; i < h->task->pack->tool_count; i++) {
        if (is_gated_write(&h->task->pack->tools[i])) {
            try_tool(h, n, &h->task->pack->tools[i]);
        }
    }
}

static void visit_all(search *h)
{
    for (uint32_t i = 0; i < h->node_count && !search_is_over(h); i++) {
        node here = h->nodes[i];
        visit(h, &here);
        if (is_outdated(&here.at.session.ledger)) {
            read_again(h, &here);
            visit(h, &here);
        }
    }
}

// --- Claims -------------------------------------------------------------------------------------

// Was it proved that a call keeps the invariant? What a claim without a rule says holds of all that
// no claim names.
static bool is_proved(const task *t, const lg_tool *tool, const lg_condition *invariant)
{
    bool others = false;
    for (size_t i = 0; i < t->count; i++) {
        const lg_claim *o = &t->items[i];
        if (o->kind != LG_OBLIGE_PRESERVES || !lg_str_eq(o->tool, tool->name)) {
            continue;
        }
        if (lg_str_eq(o->rule, invariant->id)) {
            return o->outcome == LG_PROVED;
        }
        others = others || (o->rule.len == 0 && o->outcome == LG_PROVED);
    }
    return others;
}

static void note_singles(search *h)
{
    const lg_pack *pack = h->task->pack;
    for (size_t i = 0; i < pack->tool_count; i++) {
        for (size_t k = 0; k < h->invariants && is_gated_write(&pack->tools[i]); k++) {
            h->single[i * h->invariants + k] =
                is_proved(h->task, &pack->tools[i], &pack->state_invariants[k]);
        }
    }
}

// May rules of the tool be judged by what is no longer so?
static bool may_be_outdated(const lg_pack *pack, const lg_tool *tool)
{
    for (size_t i = 0; i < pack->tool_count; i++) {
        const lg_tool *other = &pack->tools[i];
        if (other->kind == LG_TOOL_WRITE && may_outdate(pack, other, tool, true)) {
            return true;
        }
    }
    return false;
}

// Induction over the calls of a conversation: a single call keeps the invariants if the ledger shows the
// state as it is, which it does as long as nothing outdated is used.
static bool holds_by_induction(const task *t)
{
    const lg_pack *pack = t->pack;
    // What settles a state that was not settled is no change of the call's own: nothing is outdated
    // by it, as far as the ledger knows.
    if (pack->tool_count > TOOLS_MAX || !t->has_state || pack->settle_count > 0) {
        return false;
    }
    for (size_t i = 0; i < pack->tool_count; i++) {
        const lg_tool *tool = &pack->tools[i];
        if (!is_gated(tool)) {
            continue;
        }
        if (!tool->has_effects || may_be_outdated(pack, tool)) {
            return false;
        }
        for (size_t k = 0; k < pack->state_invariant_count; k++) {
            if (!is_proved(t, tool, &pack->state_invariants[k])) {
                return false;
            }
        }
    }
    return true;
}

// What was looked at, for a claim that nothing speaks against.
static lg_str bounds_of(const search *h)
{
    const lg_prove_options *options = &h->task->options;
    lg_arena *arena = h->task->arena;
    if (is_late(h->task)) {
        return lg_arena_printf(arena, "not reached within the %u seconds of the whole run",
                               options->seconds);
    }
    bool all = !h->left_out && !h->undecided && !search_is_over(h);
    if (h->starts == 0) {
        return LG_STR("no small state was found in which calls could begin");
    }
    lg_str last = options->only.len
                      ? lg_arena_printf(arena, ", the last of %.*s,", LG_FMT(options->only))
                      : LG_STR("");
    if (!all) { // from how many is then a matter of chance
        return lg_arena_printf(
            arena,
            "no sequence of up to %u allowed calls%.*s was found that breaks it; "
            "not all small states were looked at",
            options->depth, LG_FMT(last));
    }
    return lg_arena_printf(
        arena, "no sequence of up to %u allowed calls%.*s from %u small state%s breaks it",
        options->depth, LG_FMT(last), h->starts, lg_plural(h->starts));
}

static void conclude(search *h, bool by_induction)
{
    LG_DEBUG_ASSERT(!by_induction || h->task->has_state);
    bool cut = was_cut_off(h->task);
    for (size_t i = 0; i < h->invariants; i++) {
        lg_claim *o = &h->claims[i];
        if (by_induction) {
            o->outcome = LG_PROVED;
            o->why = LG_STR("by induction: an allowed call keeps every invariant, and none is "
                            "judged by what is outdated");
        } else if (!h->found[i]) {
            o->outcome = is_late(h->task) ? LG_UNDECIDED : LG_ASSUMED;
            o->why = bounds_of(h);
            o->cut = cut;
        }
        add_obligation(h->task, o);
    }
}

static bool search_begin(search *h, task *t)
{
    const lg_pack *pack = t->pack;
    *h = (search){.task = t, .invariants = pack->state_invariant_count};
    lg_arena_init(&h->arena, (size_t)1 << 29);
    rehearsal_begin(&h->r, t, &h->arena, NULL);
    h->r.now_seconds = pack->fixed_clock ? pack->clock_seconds : INT64_C(1704110400);
    h->r.now_nanos = pack->fixed_clock ? pack->clock_nanos : 0;
    h->kept = LG_NEW_ARRAY(t->arena, bool, h->invariants * pack->tool_count + 1);
    h->single = LG_NEW_ARRAY(t->arena, bool, h->invariants * pack->tool_count + 1);
    h->hard = LG_NEW_ARRAY(t->arena, bool, pack->tool_count + 1);
    h->begun = LG_NEW_ARRAY(t->arena, bool, pack->tool_count + 1);
    h->found = LG_NEW_ARRAY(t->arena, bool, h->invariants + 1);
    h->claims = LG_NEW_ARRAY(t->arena, lg_claim, h->invariants + 1);
    for (size_t i = 0; h->claims && i < h->invariants; i++) {
        h->claims[i] = (lg_claim){.kind = LG_OBLIGE_SEQUENCE,
                                  .rule = pack->state_invariants[i].id,
                                  .offset = pack->state_invariants[i].offset};
    }
    return h->kept && h->single && h->hard && h->begun && h->found && h->claims;
}

static void search_end(search *h)
{
    rehearsal_end(&h->r);
    lg_arena_done(&h->arena);
}

static bool has_effects(const task *t)
{
    for (size_t i = 0; i < t->pack->tool_count; i++) {
        if (is_gated_write(&t->pack->tools[i])) {
            return true;
        }
    }
    return false;
}

lg_status oblige_sequences(task *t, lg_error *reterr)
{
    if (!is_asked(&t->options, LG_OBLIGE_SEQUENCE) || t->pack->state_invariant_count == 0 ||
        !has_effects(t)) {
        return LG_OK;
    }
    search *h = LG_NEW(t->arena, search);
    if (!h) {
        return lg_fail_oom(reterr);
    }
    if (!search_begin(h, t)) {
        search_end(h);
        return lg_fail_oom(reterr);
    }
    uint64_t since = t->options.now_us ? t->options.now_us() : 0;
    bool by_induction = holds_by_induction(t);
    if (!by_induction) {
        note_singles(h);
        search_starts(h);
        search_chains(h);
        visit_all(h);
    }
    uint64_t until = t->options.now_us ? t->options.now_us() : 0;
    h->claims[0].micros = (uint32_t)(until - since); // they were looked for together
    conclude(h, by_induction);
    search_end(h);
    return t->oom ? lg_fail_oom(reterr) : LG_OK;
}
