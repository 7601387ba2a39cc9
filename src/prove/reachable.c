// reachable.c: can one get to an allowed call of a tool, from an empty ledger?
//
// Places of the ledger that no read stores are empty for ever, and the history holds only writes
// that can be reached themselves. An allowed call is asked for with a ledger of that kind. If Z3 has
// one, it is made smaller as long as the gate still allows the call, and then it is reached: for each
// record a read is found that gives it, and earlier writes are judged at their turn. If there is none,
// some rule waits for what never comes.
#include "prove/reads.h"
#include "symbolic/translate.h"

#define HISTORY_MAX 4u
#define ROUNDS 3u    // in which more is demanded of the records
#define WAITS_MAX 8u // rounds over the tools that wait for others

// What is known of the tools of a pack, by index.
typedef struct reach_note {
    bool proved;   // a sequence of calls leads to one of it
    bool possible; // it is not known that none does
    bool asked;
    lg_claim claim;
} reach_note;

typedef struct reaching {
    task *task;
    reach_note *notes;
    bool with_history; // of writes that are possible; else there is none
    lg_str why;        // why the latest example could not be executed
    bool *strict;      // by place: its records must be such as some read gives
    bool given;        // and that is demanded of them now
} reaching;

static bool is_obtainable(const lg_pack *pack, const lg_place *place)
{
    for (size_t i = 0; i < pack->tool_count; i++) {
        for (size_t k = 0; k < pack->tools[i].store_count; k++) {
            if (pack->tools[i].stores[k].to.place == place) { // a part makes a record, too
                return true;
            }
        }
    }
    return false;
}

// --- Places that are empty for ever -------------------------------------------------------------

// Whether another place that some read stores lies below the first `depth` names as well.
static bool is_shared(const lg_pack *pack, const lg_place *place, uint32_t depth)
{
    LG_DEBUG_ASSERT(depth <= place->segment_count);
    for (size_t i = 0; i < pack->ledger.count; i++) {
        const lg_place *other = &pack->ledger.items[i];
        bool same = other != place && other->segment_count >= depth;
        for (uint32_t k = 0; same && k < depth; k++) {
            same = lg_str_eq(other->segments[k], place->segments[k]);
        }
        if (same) {
            return true;
        }
    }
    return false;
}

// As deep as a path is long.
static term is_empty(problem *p, const lg_pack *pack, val node, const lg_place *place,
                     uint32_t depth)
{
    LG_DEBUG_ASSERT(depth < place->segment_count);
    terms *t = p->t;
    const dict *map = node.count == 1 ? node.alts[0].map : NULL;
    term all = term_bool(t, true);
    lg_str segment = place->segments[depth];
    bool any_key = lg_str_eq(segment, LG_STR("*"));
    bool here =
        depth + 1 == place->segment_count || (any_key && !is_shared(pack, place, depth + 1));
    for (uint32_t i = 0; map && i < map->count; i++) {
        const entry *e = &map->items[i];
        lg_str key;
        if (!any_key && !(term_text_of(t, e->key, &key) && lg_str_eq(key, segment))) {
            continue;
        }
        term none =
            here ? term_not(t, e->present)
                 : term_implies(t, e->present,
                                is_empty(p, pack, *thunk_value(p, e->value), place, depth + 1));
        all = term_and(t, all, none);
    }
    if (any_key && map && map->summary) {
        term none = term_not(t, summary_is_nonempty(p, map->summary));
        if (!here) {
            val generic = *thunk_value(p, map->summary->generic);
            none = term_or(t, none, is_empty(p, pack, generic, place, depth + 1));
        }
        all = term_and(t, all, none);
    }
    return all;
}

// --- Records that some read gives ---------------------------------------------------------------

typedef struct giving {
    bench *b;
    const lg_place *place;
    val keys[LG_PATH_SEGMENTS_MAX];
} giving;

// As deep as a path is long.
static term are_given(giving *g, val node, uint32_t depth)
{
    LG_DEBUG_ASSERT(depth <= g->place->segment_count);
    problem *p = &g->b->p;
    const val *slots = g->b->s.slots;
    if (depth == g->place->segment_count) {
        return record_is_read(p, g->b->task->pack, g->place, g->keys, node, slots[LG_SLOT_LEDGER],
                              slots[LG_SLOT_NOW]);
    }
    const dict *map = node.count == 1 ? node.alts[0].map : NULL;
    lg_str segment = g->place->segments[depth];
    bool any_key = lg_str_eq(segment, LG_STR("*"));
    term all = term_bool(p->t, true);
    for (uint32_t i = 0; map && i < map->count; i++) {
        const entry *e = &map->items[i];
        lg_str key;
        if (any_key || (term_text_of(p->t, e->key, &key) && lg_str_eq(key, segment))) {
            g->keys[depth] = value_scalar(p, ALT_TEXT, e->key);
            term given = are_given(g, *thunk_value(p, e->value), depth + 1);
            all = term_and(p->t, all, term_implies(p->t, e->present, given));
        }
    }
    return all;
}

static term all_given(const reaching *g, bench *b)
{
    term all = term_bool(b->p.t, true);
    for (size_t i = 0; i < b->task->pack->ledger.count; i++) {
        giving of = {.b = b, .place = &b->task->pack->ledger.items[i]};
        if (g->strict[i]) {
            term given = are_given(&of, b->s.slots[LG_SLOT_LEDGER], 0);
            all = term_and(b->p.t, all, given);
        }
    }
    return all;
}

// --- What was written before --------------------------------------------------------------------

static term is_possible(const reaching *g, problem *p, val written)
{
    val name = operate_select(p, written, LG_STR("name"));
    val became = operate_select(p, written, LG_STR("outcome"));
    term any = term_bool(p->t, false);
    for (size_t i = 0; g->with_history && i < g->task->pack->tool_count; i++) {
        if (g->notes[i].possible) {
            val wanted = value_text(p, g->task->pack->tools[i].name);
            any = term_or(p->t, any, same_value(p, name, wanted, 0));
        }
    }
    return term_and(p->t, any, same_value(p, became, value_text(p, LG_STR("done")), 0));
}

// Each of the writes that are summarised is possible. So "some is" is false of what no possible
// write can be. That is more than the formulas say of the constant, and is found out by asking.
static term none_impossible(bench *b, term generic_is)
{
    LG_DEBUG_ASSERT(term_has_sort(b->p.t, generic_is, SORT_BOOL));
    problem *p = &b->p;
    term all = term_bool(p->t, true);
    if (terms_check(p->t, &generic_is, 1) != ANSWER_SAT) {
        return all; // then there are none of them
    }
    for (size_t i = 0; i < p->goal_count; i++) {
        term both[2] = {generic_is, p->goals[i].of_generic};
        if (terms_check(p->t, both, 2) == ANSWER_UNSAT) {
            all = term_and(p->t, all, term_not(p->t, p->goals[i].some));
        }
    }
    return all;
}

static term history_is_possible(const reaching *g, bench *b)
{
    problem *p = &b->p;
    terms *t = p->t;
    val history = *thunk_value(p, input_thunk(b->s.history));
    const seq *list = history.count == 1 ? history.alts[0].list : NULL;
    term all = term_bool(t, true);
    for (uint32_t i = 0; list && i < list->count; i++) {
        const element *e = &list->items[i];
        term is = is_possible(g, p, *thunk_value(p, e->value));
        all = term_and(t, all, term_implies(t, e->present, is));
    }
    if (list && list->summary && list->summary->generic) {
        term is = is_possible(g, p, *thunk_value(p, list->summary->generic));
        all = term_and(t, all, term_implies(t, summary_is_nonempty(p, list->summary), is));
        all = term_and(t, all, none_impossible(b, is));
    }
    return all;
}

// --- The question -------------------------------------------------------------------------------

// What is demanded of the ledger: one term a place that no read stores, then the history.
typedef struct demands {
    term *items;
    const lg_place **places; // NULL: the history
    size_t count;
} demands;

static bool demands_of(const reaching *g, bench *b, demands *ret)
{
    const lg_pack *pack = b->task->pack;
    size_t room = pack->ledger.count + 1;
    *ret = (demands){LG_NEW_ARRAY(&b->work, term, room),
                     LG_NEW_ARRAY(&b->work, const lg_place *, room), 0};
    if (!ret->items || !ret->places) {
        return false;
    }
    for (size_t i = 0; i < pack->ledger.count; i++) {
        const lg_place *place = &pack->ledger.items[i];
        if (!is_obtainable(pack, place)) {
            ret->places[ret->count] = place;
            ret->items[ret->count++] = is_empty(&b->p, pack, b->s.slots[LG_SLOT_LEDGER], place, 0);
        }
    }
    LG_DEBUG_ASSERT(ret->count < room);
    ret->items[ret->count++] = history_is_possible(g, b);
    return true;
}

static term all_of(bench *b, const demands *d)
{
    term all = term_not(b->p.t, verdict_refuses(&b->s, b->outcomes));
    for (size_t i = 0; i < d->count; i++) {
        all = term_and(b->p.t, all, d->items[i]);
    }
    return all;
}

// --- Reaching it --------------------------------------------------------------------------------

// Leaves out what the call is allowed without. NULL when out of memory.
// Greedy, one record after the other and the history last: a small ledger needs few reads to be reached.
static const lg_json *smaller(bench *b, const lg_json *ledger, const lg_json *args, records *all)
{
    const lg_pack *pack = b->task->pack;
    const lg_json *history = lg_json_get(ledger, LG_STR("history"));
    lg_json *none = LG_NEW(&b->work, lg_json);
    bool *kept = NULL;
    if (!none || !records_of(&b->work, &pack->ledger, ledger, all) ||
        !(kept = LG_NEW_ARRAY(&b->work, bool, all->count + 1))) {
        return NULL;
    }
    *none = lg_json_make_array(NULL, 0);
    memset(kept, true, all->count * sizeof(*kept));
    const lg_json *best = ledger;
    for (size_t i = 0; i <= all->count; i++) {
        bool of_history = i == all->count;
        lg_decision decision;
        kept[i] = false;
        const lg_json *less =
            root_of_records(&b->work, pack, all, kept, of_history ? none : history);
        if (!less) {
            return NULL;
        }
        if (judge(b, less, args, false, &decision) && decision.verdict == LG_ALLOW) {
            best = less;
        } else {
            kept[i] = true;
        }
    }
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        all->items[count] = all->items[i];
        count += kept[i];
    }
    all->count = count;
    return best;
}

static bool make_records(reaching *g, rehearsal *r, stand *at, const records *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const record *wanted = &all->items[i];
        if (!rehearse_record(r, at, wanted)) {
            g->strict[wanted->place - g->task->pack->ledger.items] = true;
            g->why = lg_arena_printf(g->task->arena,
                                     "no read was found that gives the record of "
                                     "ledger.%.*s that a call needs",
                                     LG_FMT(wanted->place->text));
            return false;
        }
    }
    return true;
}

// A ledger for which the gate allows this very call, after what was written so far.
static bool prepare_write(reaching *g, rehearsal *r, stand *at, const lg_tool *tool,
                          const lg_json *args)
{
    bench b;
    demands d;
    records all;
    lg_error ignored;
    if (bench_open(&b, g->task, tool, &ignored) != LG_OK) {
        return false;
    }
    const lg_json *written = lg_json_get(at->session.ledger.root, LG_STR("history"));
    bool ok = demands_of(g, &b, &d);
    if (ok) {
        problem *p = &b.p;
        val history = *thunk_value(p, input_thunk(b.s.history));
        term goals[5] = {all_of(&b, &d), all_given(g, &b), only_explicit(p),
                         same_value(p, b.s.slots[LG_SLOT_ARGS], value_of_json(p, args), 0),
                         same_value(p, history, value_of_json(p, written), 0)};
        ok = terms_check(p->t, goals, LG_COUNT(goals)) == ANSWER_SAT;
    }
    if (ok) {
        model m = model_of(&b.p, &b.work);
        const lg_json *ledger = model_json(&m, b.s.ledger);
        ok = ledger && !m.oom && smaller(&b, ledger, args, &all) && make_records(g, r, at, &all);
    }
    bench_close(&b);
    return ok;
}

static bool make_history(reaching *g, rehearsal *r, stand *at, const lg_json *history)
{
    for (size_t i = 0; i < lg_json_len(history) && i < HISTORY_MAX; i++) {
        const lg_json *written = lg_json_item(history, i);
        const lg_tool *tool =
            lg_pack_tool(g->task->pack, lg_json_str(lg_json_get(written, LG_STR("name"))));
        const lg_json *args = lg_json_get(written, LG_STR("args"));
        if (!tool || !args ||
            (!rehearse_given_write(r, at, tool, args) &&
             !(prepare_write(g, r, at, tool, args) && rehearse_given_write(r, at, tool, args)))) {
            g->why = lg_arena_printf(g->task->arena, "an earlier call of %.*s could not be made",
                                     LG_FMT(lg_json_str(lg_json_get(written, LG_STR("name")))));
            return false;
        }
    }
    return true;
}

// A ledger that the gate allows the call with is not enough: it must come about, call by call.
static bool confirm_reach(bench *b, model *m, const void *context, trial *ret)
{
    reaching *g = *(reaching *const *)context;
    records needed;
    ret->ledger = model_json(m, b->s.ledger);
    ret->args = model_json(m, b->s.args);
    if (!ret->ledger || !ret->args || m->oom ||
        !records_fit(b->task->pack, &b->task->pack->ledger, ret->ledger) ||
        !judge(b, ret->ledger, ret->args, false, &ret->decision) ||
        ret->decision.verdict != LG_ALLOW) {
        return false;
    }
    ret->ledger = smaller(b, ret->ledger, ret->args, &needed);
    rehearsal r;
    stand at = rehearsal_begin(&r, b->task, &b->work, NULL);
    term_time_of(b->p.t, terms_value(b->p.t, b->s.now), &r.now_seconds, &r.now_nanos);
    bool done =
        ret->ledger && make_history(g, &r, &at, lg_json_get(ret->ledger, LG_STR("history"))) &&
        make_records(g, &r, &at, &needed) && rehearse_given_write(&r, &at, b->s.tool, ret->args);
    if (done) {
        ret->example = rehearsed_example(b->task, "from the empty ledger to an allowed call", NULL,
                                         &at, LG_STR(""));
    }
    rehearsal_end(&r);
    return done && ret->example;
}

// --- Claims -------------------------------------------------------------------------------------

// Which of the places that stay empty the call waits for: as few as it takes. Empty: there is no allowed
// call, whatever the ledger holds.
static lg_str waits_for(const reaching *g, bench *b)
{
    LG_DEBUG_ASSERT(!b->p.explicit_only);
    demands d;
    lg_buf text;
    bool *kept = demands_of(g, b, &d) ? LG_NEW_ARRAY(&b->work, bool, d.count + 1) : NULL;
    if (!kept) {
        return LG_STR("");
    }
    term allowed = term_not(b->p.t, verdict_refuses(&b->s, b->outcomes));
    mark_conflict(b->p.t, allowed, d.items, d.count, kept);
    lg_buf_init(&text, 4096);
    bool first = true;
    for (size_t i = 0; i < d.count; i++) {
        if (!kept[i]) {
            continue;
        }
        lg_buf_add_c(&text, first ? "every allowed call needs " : " and ");
        if (d.places[i]) {
            lg_buf_addf(&text, "ledger.%.*s, which no read stores", LG_FMT(d.places[i]->text));
        } else {
            lg_buf_add_c(&text, "earlier calls that can never be made");
        }
        first = false;
    }
    lg_str kept_text = lg_arena_str(b->task->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return kept_text;
}

static void conclude(reaching *g, bench *b, reply r, lg_claim *o)
{
    LG_DEBUG_ASSERT(o->kind == LG_OBLIGE_REACHABLE);
    bool none = r == REPLY_NONE;
    o->outcome = r == REPLY_EXAMPLE     ? LG_PROVED
                 : none                 ? LG_REFUTED
                 : r == REPLY_UNDECIDED ? LG_UNDECIDED
                                        : LG_ASSUMED;
    o->finding = none;
    o->why = lg_str_c(reply_reason(b, r));
    if (none) {
        o->why = waits_for(g, b->whole);
    } else if (r == REPLY_UNCONFIRMED && g->why.len) {
        o->why = g->why;
    } else if (o->outcome == LG_ASSUMED) {
        o->why =
            lg_arena_printf(b->task->arena, "no sequence of calls was found: %.*s", LG_FMT(o->why));
    }
}

static goal_list goals_reached(bench *b, void *about)
{
    reaching *g = about;
    demands d;
    goal_list asked = {{term_bool(b->p.t, false)}, 1};
    if (!demands_of(g, b, &d)) {
        b->task->oom = true;
        return asked;
    }
    asked.items[0] = all_of(b, &d);
    if (g->given) {
        asked.items[asked.count++] = all_given(g, b);
    }
    return asked;
}

// Asks once, with the history that is possible so far. False when out of memory.
static bool ask_reach(reaching *g, bench *b)
{
    reach_note *note = &g->notes[b->s.tool - b->task->pack->tools];
    uint32_t micros = note->claim.micros;
    lg_claim o = obligation_of(b, LG_OBLIGE_REACHABLE, NULL);
    g->strict = LG_NEW_ARRAY(&b->work, bool, b->task->pack->ledger.count + 1);
    if (!g->strict) {
        return false;
    }
    const reaching *self = g;
    g->why = LG_STR("");
    g->given = false;
    question q = {goals_reached, g, confirm_reach, &self, false};
    trial found = {0};
    reply r = ask(b, &q, &found);
    g->given = true;
    for (uint32_t i = 0; i < ROUNDS && r == REPLY_UNCONFIRMED && g->why.len; i++) {
        r = ask(b, &q, &found) == REPLY_EXAMPLE ? REPLY_EXAMPLE : REPLY_UNCONFIRMED;
    }
    conclude(g, b, r, &o);
    o.example = r == REPLY_EXAMPLE ? found.example : NULL;
    take_time(b, &o);
    o.micros += micros;
    note->asked = r != REPLY_NONE || o.why.len > 0;
    note->proved = r == REPLY_EXAMPLE;
    note->possible = r != REPLY_NONE;
    note->claim = o;
    return !b->task->oom;
}

bool is_dead(const task *t, const lg_tool *tool)
{
    for (size_t i = 0; i < t->count; i++) {
        const lg_claim *o = &t->items[i];
        if (o->kind == LG_OBLIGE_ALLOWED && lg_str_eq(o->tool, tool->name)) {
            return o->outcome == LG_REFUTED;
        }
    }
    return false;
}

lg_status oblige_reachable(bench *b)
{
    reaching g = {.task = b->task, .notes = b->task->reach};
    bench_start(b);
    if (is_dead(b->task, b->s.tool)) {
        return LG_OK; // and that has been said
    }
    return ask_reach(&g, b) ? LG_OK : LG_ERR_OOM;
}

// Tools that wait for others: asked again as long as that makes a difference.
static lg_status ask_waiting(task *t, bool *ret_again, lg_error *reterr)
{
    reaching g = {.task = t, .notes = t->reach, .with_history = true};
    *ret_again = false;
    for (size_t i = 0; i < t->pack->tool_count; i++) {
        const lg_tool *tool = &t->pack->tools[i];
        reach_note *note = &t->reach[i];
        if (!is_gated(tool) || note->proved || is_dead(t, tool)) {
            continue;
        }
        bench b;
        bool possible = note->possible;
        lg_status status = bench_open(&b, t, tool, reterr);
        if (status != LG_OK) {
            return status;
        }
        bool ok = ask_reach(&g, &b);
        bench_close(&b);
        if (!ok) {
            return lg_fail_oom(reterr);
        }
        *ret_again = *ret_again || note->proved || note->possible != possible;
    }
    return LG_OK;
}

static bool all_proved(const task *t)
{
    for (size_t i = 0; i < t->pack->tool_count; i++) {
        if (t->reach[i].asked && !t->reach[i].proved) {
            return false;
        }
    }
    return true;
}

lg_status oblige_reached(task *t, lg_error *reterr)
{
    bool again = true;
    for (uint32_t i = 0; again && i < WAITS_MAX && !all_proved(t); i++) {
        lg_status status = ask_waiting(t, &again, reterr);
        if (status != LG_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < t->pack->tool_count; i++) {
        const lg_tool *tool = &t->pack->tools[i];
        lg_claim *o = &t->reach[i].claim;
        if (again && o->outcome == LG_REFUTED && !all_proved(t)) { // what is possible is not known
            o->outcome = LG_ASSUMED;
            o->finding = false;
            o->why = LG_STR("too many tools wait for each other");
        }
        if (t->reach[i].asked && is_wanted_tool(t, tool)) {
            add_obligation(t, o);
        }
    }
    return t->oom ? lg_fail_oom(reterr) : LG_OK;
}

bool reach_begin(task *t)
{
    t->reach = LG_NEW_ARRAY(t->arena, reach_note, t->pack->tool_count + 1);
    return t->reach != NULL;
}
