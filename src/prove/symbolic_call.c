// symbolic_call.c: a call that is judged and carried out, and reads that tell the truth.
#include "prove/symbolic_call.h"
#include "symbolic/translate.h"

// --- The ledger after a write -------------------------------------------------------------------

// `{name, args, outcome}`
static thunk *written(problem *p, const lg_tool *tool, val args)
{
    dict *map = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, 3);
    if (!map || !items) {
        return NULL;
    }
    term yes = term_bool(p->t, true);
    uint32_t family = ++p->next_id;
    items[0] = (entry){yes, term_text(p->t, LG_STR("name")), family,
                       thunk_of(p, value_text(p, tool->name))};
    items[1] = (entry){yes, term_text(p->t, LG_STR("args")), family, thunk_of(p, args)};
    items[2] = (entry){yes, term_text(p->t, LG_STR("outcome")), family,
                       thunk_of(p, value_text(p, LG_STR("done")))};
    *map = (dict){.items = items, .count = 3};
    return thunk_of(p, value_map(p, map));
}

static val with_written(problem *p, val history, thunk *item)
{
    const seq *list = history.count == 1 ? history.alts[0].list : NULL;
    seq *made = LG_NEW(p->arena, seq);
    uint32_t count = list ? list->count : 0;
    element *items = LG_NEW_ARRAY(p->arena, element, count + 1);
    if (!list || !made || !items) {
        return history;
    }
    if (count) {
        lg_copy_bytes(items, list->items, count * sizeof(*items));
    }
    items[count] = (element){term_bool(p->t, true), item};
    *made = (seq){.items = items, .count = count + 1, .summary = list->summary};
    return value_list(p, made);
}

static val ledger_after(problem *p, val ledger, const lg_tool *tool, val args)
{
    const dict *map = ledger.count == 1 ? ledger.alts[0].map : NULL;
    dict *made = LG_NEW(p->arena, dict);
    entry *items = map ? LG_NEW_ARRAY(p->arena, entry, map->count + 1) : NULL;
    thunk *item = written(p, tool, args);
    if (!made || !items || !item) {
        return ledger;
    }
    *made = *map;
    made->items = items;
    for (uint32_t i = 0; i < map->count; i++) {
        lg_str key;
        items[i] = map->items[i];
        if (term_text_of(p->t, items[i].key, &key) && lg_str_eq(key, LG_STR("history"))) {
            val history = with_written(p, *thunk_value(p, items[i].value), item);
            items[i].value = thunk_of(p, history);
        }
    }
    return value_map(p, made);
}

// --- Legs ---------------------------------------------------------------------------------------

// The gate's verdict and the tool's steps, both on the values that are given: the output of one call is the
// input of the next.
bool symbolic_call_make(symbolic_call *l, problem *p, const lg_pack *pack, const lg_tool *tool,
                        val state, ledger_views seen, val args, term now)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, now, SORT_INT));
    terms *t = p->t;
    scene s = {.p = p, .pack = pack, .tool = tool, .now = now};
    *l = (symbolic_call){.tool = tool, .args = args, .allowed = term_bool(t, true)};
    s.slots[LG_SLOT_ARGS] = args;
    s.slots[LG_SLOT_NOW] = value_scalar(p, ALT_TIME, now);
    s.slots[LG_SLOT_TOOL] = value_text(p, tool->name);
    for (size_t i = 0; i < tool->rule_count; i++) {
        const lg_rule *rule = &pack->rules[tool->rules[i]];
        s.slots[LG_SLOT_LEDGER] = rule->stale == LG_STALE_REREAD ? seen.fresh : seen.ledger;
        rule_outcome o = rule_outcome_of(&s, rule);
        l->allowed = term_and(t, l->allowed, rule_passes(p, &o));
        if (term_is_false(t, l->allowed)) {
            break;
        }
    }
    if (!term_is_false(t, l->allowed)) {
        carried_out made = steps_of_tool(p, pack, tool, state, args, now);
        // What is stopped half-way leaves no `done` in the history: such calls are not looked for.
        l->done = term_not(t, term_or(t, made.stopped, term_or(t, made.failed, made.fault)));
        l->state = made.state;
        l->ledger = ledger_after(p, seen.ledger, tool, args);
    } else {
        l->done = term_bool(t, false);
        l->state = state;
        l->ledger = seen.ledger;
    }
    return !terms_failed(t);
}

term broken_after(problem *p, const lg_pack *pack, val state, const bool *wanted)
{
    term broken = term_bool(p->t, false);
    for (size_t i = 0; i < pack->state_invariant_count; i++) {
        if (wanted[i]) {
            term holds = invariant_holds(p, &pack->state_invariants[i], state);
            broken = term_or(p->t, broken, term_not(p->t, holds));
        }
    }
    return broken;
}

term sound_state(problem *p, const lg_pack *pack, val state)
{
    term all = term_bool(p->t, true);
    for (size_t i = 0; i < pack->state_invariant_count; i++) {
        all = term_and(p->t, all, invariant_holds(p, &pack->state_invariants[i], state));
    }
    return all;
}

// --- Reads that tell the truth ------------------------------------------------------------------

val result_of_read(problem *p, const lg_pack *pack, const lg_tool *tool, val state, val args,
                   term now, term *ret_done)
{
    carried_out made = steps_of_tool(p, pack, tool, state, args, now);
    *ret_done = term_not(p->t, term_or(p->t, made.failed, made.fault));
    return made.result;
}

typedef struct showing {
    problem *p;
    const lg_pack *pack;
    const lg_place *place;
    val ledger, state;
    term now;
    val keys[LG_PATH_SEGMENTS_MAX];
} showing;

// When some read of the state gives this record.
// The read's arguments are inputs of their own: there are some with which it gives the record.
static term is_shown(showing *g, val value)
{
    LG_DEBUG_ASSERT(g->place->segment_count <= LG_PATH_SEGMENTS_MAX);
    problem *p = g->p;
    term any = term_bool(p->t, false);
    for (size_t i = 0; i < g->pack->tool_count; i++) {
        const lg_tool *tool = &g->pack->tools[i];
        if (!stores_at(tool, g->place) || (!tool->gives && !tool->has_answer)) {
            continue;
        }
        reading_call c = {.p = p, .pack = g->pack, .tool = tool};
        lg_str name = problem_name(p, "read %u", ++p->next_id);
        c.args = *thunk_value(p, input_thunk(input_of_args(p, name, tool->parameters)));
        term done;
        c.result = result_of_read(p, g->pack, tool, g->state, c.args, g->now, &done);
        for (size_t k = 0; k < tool->store_count && !term_is_false(p->t, done); k++) {
            const lg_target *to = &tool->stores[k].to;
            if (to->place == g->place && to->segment_count == g->place->segment_count) {
                term gives = read_stores(&c, &tool->stores[k], g->keys, value);
                any = term_or(p->t, any, term_and(p->t, done, gives));
            }
        }
    }
    return any;
}

// As deep as a path is long.
static term all_shown(showing *g, val node, uint32_t depth, bool used)
{
    LG_DEBUG_ASSERT(depth <= g->place->segment_count);
    problem *p = g->p;
    if (depth == g->place->segment_count) {
        return used ? is_shown(g, node) : term_bool(p->t, false);
    }
    const dict *map = node.count == 1 ? node.alts[0].map : NULL;
    lg_str segment = g->place->segments[depth];
    bool any_key = lg_str_eq(segment, LG_STR("*"));
    bool last = depth + 1 == g->place->segment_count;
    term all = term_bool(p->t, true);
    for (uint32_t i = 0; map && i < map->count; i++) {
        const entry *e = &map->items[i];
        lg_str key;
        if (!any_key && !(term_text_of(p->t, e->key, &key) && lg_str_eq(key, segment))) {
            continue;
        }
        g->keys[depth] = value_scalar(p, ALT_TEXT, e->key);
        term shown = last && !used ? term_bool(p->t, false)
                                   : all_shown(g, *thunk_value(p, e->value), depth + 1, used);
        all = term_and(p->t, all, term_implies(p->t, e->present, shown));
    }
    return all;
}

term ledger_shows(problem *p, const lg_pack *pack, val ledger, val state, term now,
                  const bool *used)
{
    term all = term_bool(p->t, true);
    for (size_t i = 0; i < pack->ledger.count; i++) {
        showing g = {.p = p,
                     .pack = pack,
                     .place = &pack->ledger.items[i],
                     .ledger = ledger,
                     .state = state,
                     .now = now};
        all = term_and(p->t, all, all_shown(&g, ledger, 0, used[i]));
    }
    return all;
}

// --- Who may outdate what -----------------------------------------------------------------------

// Two paths meet unless some step of both is a name and the names differ.
static bool path_reads(const lg_reach *path, const lg_place *place)
{
    for (uint32_t i = 0; i < path->count && i < place->segment_count; i++) {
        bool fixed = !lg_str_eq(place->segments[i], LG_STR("*"));
        if (fixed && path->steps[i].key == LG_REACH_NAME &&
            !lg_str_eq(path->steps[i].name, place->segments[i])) {
            return false;
        }
    }
    return true;
}

bool rule_reads(const lg_rule *rule, const lg_place *place)
{
    for (size_t i = 0; i < rule->reads.count; i++) {
        if (path_reads(&rule->reads.items[i], place)) {
            return true;
        }
    }
    return rule->reads.anything;
}

static bool sets_meet(const lg_reach_set *changed, const lg_reach_set *shown)
{
    if (changed->anything || shown->anything) {
        return true;
    }
    for (size_t i = 0; i < changed->count; i++) {
        for (size_t k = 0; k < shown->count; k++) {
            if (lg_reach_meets(&changed->items[i], &shown->items[k])) {
                return true;
            }
        }
    }
    return false;
}

// By the paths that the pack's check has found in the expressions: what cannot be told counts as meeting.
static bool outdates(const lg_pack *pack, const lg_tool *first, const lg_rule *rule)
{
    for (size_t i = 0; i < pack->ledger.count; i++) {
        const lg_place *place = &pack->ledger.items[i];
        for (size_t k = 0; rule_reads(rule, place) && k < pack->tool_count; k++) {
            const lg_tool *read = &pack->tools[k];
            if (stores_at(read, place) && sets_meet(&first->alters, &read->shows)) {
                return true;
            }
        }
    }
    return false;
}

bool may_outdate(const lg_pack *pack, const lg_tool *first, const lg_tool *then, bool used)
{
    for (size_t i = 0; i < then->rule_count; i++) {
        const lg_rule *rule = &pack->rules[then->rules[i]];
        if (!(used && rule->stale == LG_STALE_REREAD) && outdates(pack, first, rule)) {
            return true;
        }
    }
    return false;
}
