// reads.c: from a record that is wanted to a call of a read, and what the call returns.
//
// The arguments and the result of the read are inputs; its `stores` and `ensures` are translated like
// any expression, and Z3 finds a case in which the record stands where it is wanted. The ledger is
// then asked to observe it, and only what it has accepted counts.
#include "prove/reads.h"
#include "prove/symbolic_call.h"
#include "symbolic/funs.h"
#include "symbolic/model.h"
#include "symbolic/translate.h"

// A read that is not found soon is not looked for any longer.
#define GUESS_STEPS 200000u

bool problem_open(problem *p, lg_arena *work, const task *t, uint32_t steps)
{
    lg_arena_init(work, (size_t)1 << 28);
    *p = (problem){.arena = work, .width = t->options.width, .document = t->pack->document};
    steps = steps ? steps : t->options.steps;
    p->t = terms_new(work, t->options.timeout_ms * STEPS_LATE, steps);
    if (!p->t) {
        lg_arena_done(work);
        return false;
    }
    terms_limit(p->t, t->budget);
    if (!steps) {
        limit_steps(t, p->t, STEPS_A_SECOND);
    }
    return true;
}

void problem_close(problem *p, lg_arena *work)
{
    terms_free(p->t);
    lg_arena_done(work);
}

// What a tool is declared to return, whatever it is: the schema for an input, or NULL.
static const lg_json *schema_of_result(problem *p, const lg_pack *pack, const lg_tool *tool)
{
    const lg_json *tools = lg_json_get(pack->document, LG_STR("tools"));
    const lg_json *returns = lg_json_get(lg_json_get(tools, tool->name), LG_STR("returns"));
    if (!tool->returns_text) {
        return returns;
    }
    const lg_json *text;
    lg_str schema = LG_STR("{\"type\":\"string\"}");
    lg_error ignored;
    return lg_json_parse_in(p->arena, schema, 0, schema.len, NULL, &text, &ignored) == LG_OK ? text
                                                                                             : NULL;
}

static bool is_whole(const lg_tool_store *store, const lg_place *place)
{
    return store->to.place == place && store->to.segment_count == place->segment_count;
}

bool stores_at(const lg_tool *tool, const lg_place *place)
{
    for (size_t i = 0; i < tool->store_count; i++) {
        if (is_whole(&tool->stores[i], place)) {
            return true;
        }
    }
    return false;
}

// --- As formulas --------------------------------------------------------------------------------

static term keys_are(const reading_call *c, const lg_tool_store *store, const val *slots,
                     const val *keys)
{
    LG_DEBUG_ASSERT(store->to.segment_count <= LG_PATH_SEGMENTS_MAX);
    problem *p = c->p;
    term all = term_bool(p->t, true);
    for (uint32_t i = 0; i < store->to.segment_count; i++) {
        if (store->to.segments[i].key) {
            val key = translate(p, store->to.segments[i].key, slots);
            all = term_and(p->t, all, same_value(p, key, keys[i], 0));
        }
    }
    return all;
}

// As deep as lists are nested in a store, at most LG_EACH_MAX.
static term stores_each(const reading_call *c, const lg_tool_store *store, val *slots,
                        const val *keys, val value, uint32_t level)
{
    LG_DEBUG_ASSERT(level <= store->each_count);
    problem *p = c->p;
    if (level == store->each_count) {
        term all = keys_are(c, store, slots, keys);
        if (store->when) {
            val when = translate(p, store->when, slots);
            all = term_and(p->t, all, value_holds(p, when, true));
        }
        return term_and(p->t, all, same_value(p, translate(p, store->value, slots), value, 0));
    }
    term any = term_bool(p->t, false);
    val list = translate(p, store->each[level], slots);
    for (uint32_t i = 0; i < list.count; i++) {
        const alt *a = &list.alts[i];
        for (uint32_t k = 0; a->kind == ALT_LIST && k < a->list->count; k++) {
            term here = term_and(p->t, a->guard, a->list->items[k].present);
            if (term_is_false(p->t, here)) {
                continue;
            }
            slots[LG_STORE_SLOT_ITEM] = *thunk_value(p, a->list->items[k].value);
            term stored = stores_each(c, store, slots, keys, value, level + 1);
            any = term_or(p->t, any, term_and(p->t, here, stored));
        }
    }
    return any;
}

term read_stores(const reading_call *c, const lg_tool_store *store, const val *keys, val value)
{
    val slots[LG_STORE_SLOT_COUNT];
    slots[LG_STORE_SLOT_ARGS] = c->args;
    slots[LG_STORE_SLOT_RESULT] = c->result;
    slots[LG_STORE_SLOT_ITEM] = c->result;
    return stores_each(c, store, slots, keys, value, 0);
}

// When the ledger accepts the result, as far as the tool's postconditions go.
static term read_accepted(const reading_call *c, val ledger, val now)
{
    problem *p = c->p;
    val slots[LG_ENSURE_SLOT_COUNT];
    term all = term_bool(p->t, true);
    slots[LG_ENSURE_SLOT_LEDGER] = ledger;
    slots[LG_ENSURE_SLOT_ARGS] = c->args;
    slots[LG_ENSURE_SLOT_NOW] = now;
    slots[LG_ENSURE_SLOT_RESULT] = c->result;
    for (size_t i = 0; i < c->tool->ensure_count; i++) {
        val that = translate(p, c->tool->ensures[i].that, slots);
        all = term_and(p->t, all, value_holds(p, that, true));
    }
    return all;
}

term record_is_read(problem *p, const lg_pack *pack, const lg_place *place, const val *keys,
                    val value, val ledger, val now)
{
    term any = term_bool(p->t, false);
    for (size_t i = 0; i < pack->tool_count; i++) {
        reading_call c = {.p = p, .pack = pack, .tool = &pack->tools[i]};
        for (size_t k = 0; k < c.tool->store_count; k++) {
            const lg_tool_store *store = &c.tool->stores[k];
            if (!is_whole(store, place)) {
                continue;
            }
            lg_str name = problem_name(p, "read %u", ++p->next_id);
            c.args = *thunk_value(p, input_thunk(input_of_args(p, name, c.tool->parameters)));
            c.result = value;
            if (store->each_count ||
                !lg_str_eq(lg_cel_program_source(store->value), LG_STR("result"))) {
                const lg_json *schema = schema_of_result(p, pack, c.tool);
                c.result = *thunk_value(p, input_thunk(input_new(p, name, schema, 1)));
            }
            term gives = read_stores(&c, store, keys, value);
            gives = term_and(p->t, gives, read_accepted(&c, ledger, now));
            any = term_or(p->t, any, gives);
        }
    }
    return any;
}

// --- Executed -----------------------------------------------------------------------------------

// A call of which something is still to be found out.
typedef struct open_call {
    const lg_tool *tool;
    const lg_json *args;        // NULL: any
    const lg_tool_store *store; // that puts `wanted` there; or NULL
    const record *wanted;
} open_call;

const lg_json *record_in(const lg_json *root, const record *wanted)
{
    for (uint32_t i = 0; root && i < wanted->place->segment_count; i++) {
        root = lg_json_get(root, wanted->path[i]);
    }
    return root;
}

// Whether the ledger has the record, perhaps with a field more.
static bool has_record(const lg_json *root, const record *wanted)
{
    LG_DEBUG_ASSERT(wanted->value);
    const lg_json *got = record_in(root, wanted);
    if (!got || !lg_json_is(wanted->value, LG_JSON_OBJECT)) {
        return got && lg_json_equal(got, wanted->value);
    }
    for (size_t i = 0; i < lg_json_len(wanted->value); i++) {
        const lg_json_member *member = lg_json_member_at(wanted->value, i);
        const lg_json *same = lg_json_get(got, lg_json_key(member));
        if (!same || !lg_json_equal(same, &member->value)) {
            return false;
        }
    }
    return true;
}

// The texts among the arguments are such as are written down somewhere: what functions of texts give
// is only known there.
static term known_texts(problem *p, val args)
{
    const dict *map = args.count == 1 ? args.alts[0].map : NULL;
    term last = term_int(p->t, (int64_t)terms_literal_count(p->t));
    term all = term_bool(p->t, true);
    for (uint32_t i = 0; map && i < map->count; i++) {
        val v = *thunk_value(p, map->items[i].value);
        for (uint32_t k = 0; k < v.count; k++) {
            if (v.alts[k].kind == ALT_TEXT) {
                all = term_and(p->t, all, term_le(p->t, v.alts[k].t, last));
                all = term_and(p->t, all, term_le(p->t, term_int(p->t, 1), v.alts[k].t));
            }
        }
    }
    return all;
}

// Finds the arguments and the result, in the arena of the rehearsal.
// With a state the result is what the tool gives of it, so only the arguments are looked for.
static bool fill_in(rehearsal *r, const stand *at, const open_call *call, const lg_json **ret_args,
                    const lg_json **ret_result)
{
    lg_arena work;
    problem p;
    if (!problem_open(&p, &work, r->task, at->state ? GUESS_STEPS : 0)) {
        return false;
    }
    input *args = input_of_args(&p, LG_STR("args"), call->tool->parameters);
    const lg_json *schema = schema_of_result(&p, r->task->pack, call->tool);
    input *result = input_new(&p, LG_STR("result"), schema, 1);
    reading_call c = {.p = &p, .pack = r->task->pack, .tool = call->tool};
    c.args = call->args ? value_of_json(&p, call->args) : *thunk_value(&p, input_thunk(args));
    c.result = *thunk_value(&p, input_thunk(result));
    term at_now = term_nanos(p.t, r->now_seconds, r->now_nanos);
    val now = value_scalar(&p, ALT_TIME, at_now);
    term goals[5];
    size_t count = 0;
    if (at->state) {
        val state = value_of_json(&p, at->state);
        c.result = result_of_read(&p, c.pack, call->tool, state, c.args, at_now, &goals[count]);
        count++;
    }
    goals[count++] = read_accepted(&c, value_of_json(&p, at->session.ledger.root), now);
    if (call->store) {
        val keys[LG_PATH_SEGMENTS_MAX];
        for (uint32_t i = 0; i < call->wanted->place->segment_count; i++) {
            keys[i] = value_text(&p, call->wanted->path[i]);
        }
        val value = value_of_json(&p, call->wanted->value);
        goals[count++] = read_stores(&c, call->store, keys, value);
    }
    goals[count++] = only_explicit(&p);
    if (at->state && !call->args) {
        goals[count++] = known_texts(&p, c.args);
    }
    LG_DEBUG_ASSERT(count <= LG_COUNT(goals));
    funs_tell_literals(&p);
    bool found = terms_check(p.t, goals, count) == ANSWER_SAT;
    if (found) {
        model m = model_of(&p, &work);
        const lg_json *given = call->args ? call->args : model_json(&m, args);
        const lg_json *returned = at->state ? NULL : model_json(&m, result);
        *ret_args = given ? lg_json_copy(r->arena, given) : NULL;
        *ret_result = returned ? lg_json_copy(r->arena, returned) : NULL;
        found = !m.oom && *ret_args && (*ret_result || at->state);
    }
    problem_close(&p, &work);
    return found;
}

// The key of the record is the read's only argument: so it is most often.
static bool try_keys(rehearsal *r, stand *at, const lg_tool *tool, const record *wanted)
{
    const lg_json *properties = lg_json_get(tool->parameters, LG_STR("properties"));
    for (uint32_t i = 0;
         at->state && lg_json_len(properties) == 1 && i < wanted->place->segment_count; i++) {
        lg_json_member *members = lg_json_alloc_members(r->arena, 1);
        lg_json *args = LG_NEW(r->arena, lg_json);
        stand next = *at;
        if (!members || !args) {
            return false;
        }
        members[0] = lg_json_make_member(lg_json_key(lg_json_member_at(properties, 0)),
                                         lg_json_make_str(wanted->path[i]));
        *args = lg_json_make_object(members, 1);
        if (rehearse_read(r, &next, tool, args, NULL) &&
            has_record(next.session.ledger.root, wanted)) {
            *at = next;
            return true;
        }
    }
    return false;
}

static bool try_store(rehearsal *r, stand *at, const open_call *call)
{
    const lg_json *args;
    const lg_json *result;
    stand next = *at;
    if (!fill_in(r, at, call, &args, &result) ||
        !rehearse_read(r, &next, call->tool, args, result) ||
        !has_record(next.session.ledger.root, call->wanted)) {
        return false;
    }
    *at = next;
    return true;
}

// Whether some read makes the record, with arguments that are easily guessed or that Z3 finds.
static bool try_reads(rehearsal *r, stand *at, const record *wanted, bool guess)
{
    const lg_pack *pack = r->task->pack;
    for (size_t i = 0; i < pack->tool_count; i++) {
        const lg_tool *tool = &pack->tools[i];
        if (guess && stores_at(tool, wanted->place) && try_keys(r, at, tool, wanted)) {
            return true;
        }
        for (size_t k = 0; !guess && k < tool->store_count; k++) {
            open_call call = {.tool = tool, .store = &tool->stores[k], .wanted = wanted};
            if (is_whole(call.store, wanted->place) && try_store(r, at, &call)) {
                return true;
            }
        }
    }
    return false;
}

bool rehearse_record(rehearsal *r, stand *at, const record *wanted)
{
    const lg_ledger_entry *seen =
        lg_ledger_find(&at->session.ledger, wanted->path, wanted->place->segment_count);
    if (seen && !seen->stale && seen->part_count == 0 &&
        has_record(at->session.ledger.root, wanted)) {
        return true;
    }
    return (at->state && try_reads(r, at, wanted, true)) || try_reads(r, at, wanted, false);
}

bool rehearse_given_write(rehearsal *r, stand *at, const lg_tool *tool, const lg_json *args)
{
    LG_DEBUG_ASSERT(tool && args);
    const lg_json *result = NULL;
    open_call call = {.tool = tool, .args = args};
    bool promised = tool->result || tool->ensure_count;
    if (promised && !fill_in(r, at, &call, &args, &result)) {
        return false;
    }
    return rehearse_write(r, at, tool, args, result);
}
