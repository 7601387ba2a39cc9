// chain.c: from which state do calls lead to a broken invariant?
//
// The state is unknown, the ledger shows it as some reads have returned it, and one or two calls
// follow, each judged with what was read at the beginning. If the gate allows a call for what is no
// longer so, this is where it shows. A state that Z3 finds is begun from for real: the reads, the
// calls, the gate at each turn.
#include "prove/search.h"
#include "symbolic/funs.h"
#include "symbolic/input.h"
#include "symbolic/model.h"
#include "symbolic/translate.h"

#define CALLS_MAX 3u

typedef struct chain {
    search *h;
    lg_arena work;
    problem p;
    uint32_t count;
    const lg_tool *tools[CALLS_MAX];
    input *state;
    input *ledger;
    input *args[CALLS_MAX];
    symbolic_call calls[CALLS_MAX];
    val before;
    term sound;  // the state is, and the ledger has its invariants
    term begins; // and the ledger shows the state
} chain;

// The ledger that reads have made, with an empty history.
static val without_history(problem *p, val ledger)
{
    const dict *map = ledger.count == 1 ? ledger.alts[0].map : NULL;
    dict *made = LG_NEW(p->arena, dict);
    seq *none = LG_NEW(p->arena, seq);
    entry *items = map ? LG_NEW_ARRAY(p->arena, entry, map->count + 1) : NULL;
    if (!made || !none || !items) {
        return value_error(p);
    }
    lg_copy_bytes(items, map->items, map->count * sizeof(*items));
    items[map->count] = (entry){term_bool(p->t, true), term_text(p->t, LG_STR("history")), 0,
                                thunk_of(p, value_list(p, none))};
    *made = (dict){.items = items, .count = map->count + 1};
    return value_map(p, made);
}

static bool *used_places(chain *c)
{
    const lg_pack *pack = c->h->task->pack;
    bool *used = LG_NEW_ARRAY(&c->work, bool, pack->ledger.count + 1);
    for (size_t i = 0; used && i < pack->ledger.count; i++) {
        for (uint32_t k = 0; k < c->count; k++) {
            const lg_tool *tool = c->tools[k];
            for (size_t r = 0; r < tool->rule_count; r++) {
                used[i] =
                    used[i] || rule_reads(&pack->rules[tool->rules[r]], &pack->ledger.items[i]);
            }
        }
    }
    return used;
}

static term seen_soundly(chain *c, val ledger)
{
    problem *p = &c->p;
    const lg_pack *pack = c->h->task->pack;
    val slots[LG_INVARIANT_SLOT_COUNT];
    slots[LG_INVARIANT_SLOT_LEDGER] = ledger;
    slots[LG_INVARIANT_SLOT_STATE] = value_error(p);
    term all = term_bool(p->t, true);
    for (size_t i = 0; i < pack->ledger_invariant_count; i++) {
        val that = translate(p, pack->ledger_invariants[i].that, slots);
        all = term_and(p->t, all, value_holds(p, that, true));
    }
    return all;
}

// All of it as formulas. False: it is too large, or there is no memory.
static bool chain_make(chain *c)
{
    LG_DEBUG_ASSERT(c->count > 0 && c->count <= CALLS_MAX);
    problem *p = &c->p;
    search *h = c->h;
    const lg_pack *pack = h->task->pack;
    bool *used = used_places(c);
    p->explicit_only = true;
    c->state = input_of_places(p, pack, true, NULL);
    c->ledger = input_of_places(p, pack, false, NULL);
    if (!used || !c->state || !c->ledger) {
        return false;
    }
    val state = *thunk_value(p, input_thunk(c->state));
    val ledger = without_history(p, *thunk_value(p, input_thunk(c->ledger)));
    term shown = ledger_shows(p, pack, ledger, state, h->now, used);
    c->sound = term_and(p->t, sound_state(p, pack, state), seen_soundly(c, ledger));
    c->begins = term_and(p->t, shown, c->sound);
    c->before = state;
    for (uint32_t i = 0; i < c->count; i++) {
        c->args[i] = input_of_args(p, problem_name(p, "call %u", i + 1), c->tools[i]->parameters);
        val args = *thunk_value(p, input_thunk(c->args[i]));
        ledger_views seen = {ledger, ledger};
        if (!symbolic_call_make(&c->calls[i], p, pack, c->tools[i], state, seen, args, h->now)) {
            return false;
        }
        state = c->calls[i].state;
        ledger = c->calls[i].ledger;
    }
    return !problem_exhausted(p);
}

// --- Carrying it out ----------------------------------------------------------------------------

// Begins where the model does: its state, and reads that show it as its ledger has it.
static bool begin(chain *c, model *m, node *ret)
{
    search *h = c->h;
    const lg_pack *pack = h->task->pack;
    const lg_json *state = model_json(m, c->state);
    const lg_json *ledger = model_json(m, c->ledger);
    const lg_world_breach *broken;
    size_t count = 0;
    records seen;
    state = state ? lg_json_copy(&h->arena, state) : NULL;
    if (!state || !ledger || m->oom || !records_fit(pack, &pack->state, state) ||
        !records_of(&c->work, &pack->ledger, ledger, &seen)) {
        return false;
    }
    h->r.world.root = state;
    if (lg_world_check(&h->r.world, &c->work, &broken, &count) != LG_OK || count) {
        return false;
    }
    lg_session_state nothing = {.ledger = {.root = pack->ledger.root}};
    *ret = (node){.at = {.session = nothing, .state = state}, .start = state};
    for (size_t i = 0; i < seen.count; i++) {
        record wanted = seen.items[i];
        wanted.value = lg_json_copy(&h->arena, wanted.value);
        if (!wanted.value) {
            return false;
        }
        // A record that no read gives is not there: the gate will say whether that matters.
        (void)rehearse_record(&h->r, &ret->at, &wanted);
    }
    return true;
}

// The calls of the model, for real. What can be begun from is noted.
static void execute(chain *c)
{
    model m = model_of(&c->p, &c->work);
    node n;
    if (!begin(c, &m, &n)) {
        return;
    }
    c->h->starts++;
    search_note(c->h, &n);
    for (uint32_t i = 0; i < c->count; i++) {
        const lg_json *args = model_json(&m, c->args[i]);
        if (!args || !search_write(c->h, &n, c->tools[i], args)) {
            return;
        }
        search_note(c->h, &n);
        c->h->begun[c->tools[i] - c->h->task->pack->tools] = true;
    }
}

// A breach, if one is wanted; else calls that are allowed.
static answer chain_ask(chain *c, const bool *wanted)
{
    problem *p = &c->p;
    term goals[1 + 2 * CALLS_MAX + 1];
    size_t count = 0;
    goals[count++] = c->begins;
    for (uint32_t i = 0; i < c->count; i++) {
        goals[count++] = c->calls[i].allowed;
        goals[count++] = c->calls[i].done;
    }
    if (wanted) {
        goals[count++] = broken_after(p, c->h->task->pack, c->calls[c->count - 1].state, wanted);
    }
    LG_DEBUG_ASSERT(count <= LG_COUNT(goals));
    answer a = search_ask(c->h, p, goals, count);
    if (a == ANSWER_SAT) {
        execute(c);
    }
    return a;
}

// The invariants of which the call changes nothing, in any state, with whatever ledger.
static void note_kept(chain *c)
{
    search *h = c->h;
    const lg_pack *pack = h->task->pack;
    size_t row = (size_t)(c->tools[0] - pack->tools) * h->invariants;
    for (size_t i = 0; i < h->invariants; i++) {
        const lg_condition *invariant = &pack->state_invariants[i];
        term before = invariant_holds(&c->p, invariant, c->before);
        h->kept[row + i] = before == invariant_holds(&c->p, invariant, c->calls[0].state) &&
                           !problem_exhausted(&c->p);
    }
}

// The invariants that the call keeps whatever the ledger shows: what is outdated cannot matter to them.
static void note_kept_anyhow(chain *c, bool *wanted)
{
    search *h = c->h;
    problem *p = &c->p;
    bool *row = &h->kept[(size_t)(c->tools[0] - h->task->pack->tools) * h->invariants];
    if (!may_break(h, c->tools[0], true, wanted)) {
        return;
    }
    term broken = broken_after(p, h->task->pack, c->calls[0].state, wanted);
    term goals[4] = {c->sound, c->calls[0].allowed, c->calls[0].done, broken};
    answer all = search_ask(h, p, goals, LG_COUNT(goals));
    h->hard[c->tools[0] - h->task->pack->tools] = all == ANSWER_UNKNOWN;
    for (size_t i = 0; i < h->invariants && all != ANSWER_UNKNOWN; i++) {
        if (wanted[i] && all == ANSWER_SAT) {
            const lg_condition *invariant = &h->task->pack->state_invariants[i];
            goals[3] = term_not(p->t, invariant_holds(p, invariant, c->calls[0].state));
            row[i] = search_ask(h, p, goals, LG_COUNT(goals)) == ANSWER_UNSAT;
        } else {
            row[i] = row[i] || wanted[i];
        }
    }
}

// One call, or several that follow each other.
static void one_chain(search *h, const lg_tool *const *tools, uint32_t count)
{
    LG_DEBUG_ASSERT(count > 0 && count <= CALLS_MAX);
    chain c = {.h = h, .count = count};
    const lg_tool *last = tools[count - 1];
    bool *hard = &h->hard[last - h->task->pack->tools];
    uint32_t steps = count > 1 ? SEARCH_QUESTION_STEPS : SEARCH_START_STEPS;
    if (search_is_over(h) || h->chains >= SEARCH_CHAINS_MAX ||
        !search_open(h, &c.p, &c.work, steps)) {
        h->left_out++;
        return;
    }
    h->chains++;
    lg_copy_bytes(c.tools, tools, count * sizeof(*tools));
    bool *wanted = LG_NEW_ARRAY(&c.work, bool, h->invariants + 1);
    bool made = wanted && chain_make(&c);
    if (made && count == 1) {
        note_kept(&c);
        note_kept_anyhow(&c, wanted);
    }
    bool breaks = made && may_break(h, last, count > 1, wanted) && !*hard;
    answer broken = breaks ? chain_ask(&c, wanted) : ANSWER_UNKNOWN;
    *hard = *hard || (breaks && broken == ANSWER_UNKNOWN);
    // With several calls that break nothing there is nothing to go on from: one of them has it, too.
    if (made && (count == 1 ? broken != ANSWER_SAT : broken == ANSWER_UNKNOWN)) {
        chain_ask(&c, NULL);
    }
    h->left_out += !made;
    search_close(h, &c.p, &c.work);
}

void search_starts(search *h)
{
    const lg_pack *pack = h->task->pack;
    for (size_t i = 0; i < pack->tool_count; i++) {
        const lg_tool *tool = &pack->tools[i];
        if (is_gated_write(tool)) {
            one_chain(h, &tool, 1);
            h->left_out += !h->begun[i]; // no sequence begins with it
        }
    }
}

static void chain_of_two(search *h, const lg_tool *first, const lg_tool *then)
{
    const lg_pack *pack = h->task->pack;
    const lg_tool *const both[] = {first, then};
    bool begun = h->begun[first - pack->tools] && h->begun[then - pack->tools];
    if (begun && may_break(h, then, true, NULL) && may_outdate(pack, first, then, true)) {
        one_chain(h, both, 2);
    }
}

// The same call again is what is most easily got wrong, so that comes first.
void search_chains(search *h)
{
    const lg_pack *pack = h->task->pack;
    uint32_t depth = h->task->options.depth;
    for (size_t i = 0; i < pack->tool_count && depth > 1; i++) {
        chain_of_two(h, &pack->tools[i], &pack->tools[i]);
    }
    for (size_t i = 0; i < pack->tool_count && depth > 2; i++) {
        const lg_tool *tool = &pack->tools[i];
        const lg_tool *const three[] = {tool, tool, tool};
        if (h->begun[i] && may_break(h, tool, true, NULL) && may_outdate(pack, tool, tool, true)) {
            one_chain(h, three, 3);
        }
    }
    for (size_t k = 0; k < pack->tool_count && depth > 1; k++) {
        for (size_t i = 0; i < pack->tool_count; i++) {
            if (i != k) {
                chain_of_two(h, &pack->tools[i], &pack->tools[k]);
            }
        }
    }
}
