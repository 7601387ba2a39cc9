// rehearse.c: calls, one after the other, as an agent would make them.
#include "prove/rehearse.h"
#include "json/tree.h"

// --- Records ------------------------------------------------------------------------------------

typedef struct collecting {
    lg_arena *arena;
    const lg_place *place;
    lg_str path[LG_PATH_SEGMENTS_MAX];
    records *to;
} collecting;

static bool collect_one(collecting *c, const lg_json *node)
{
    records *to = c->to;
    lg_str *path = LG_NEW_ARRAY(c->arena, lg_str, c->place->segment_count);
    record *items = lg_arena_grow(c->arena, to->items, to->count, &to->capacity, sizeof(*items));
    if (!path || !items) {
        return false;
    }
    memcpy(path, c->path, c->place->segment_count * sizeof(*path));
    to->items = items;
    items[to->count++] = (record){c->place, path, node};
    return true;
}

// As deep as a path is long.
static bool collect(collecting *c, const lg_json *node, uint32_t depth)
{
    if (!node) {
        return true;
    }
    if (depth == c->place->segment_count) {
        return collect_one(c, node);
    }
    lg_str segment = c->place->segments[depth];
    if (!lg_str_eq(segment, LG_STR("*"))) {
        c->path[depth] = segment;
        return collect(c, lg_json_get(node, segment), depth + 1);
    }
    for (size_t i = 0; i < lg_json_len(node) && lg_json_is(node, LG_JSON_OBJECT); i++) {
        c->path[depth] = lg_json_key(lg_json_member_at(node, i));
        if (!collect(c, &lg_json_member_at(node, i)->value, depth + 1)) {
            return false;
        }
    }
    return true;
}

bool records_of(lg_arena *arena, const lg_places *places, const lg_json *root, records *ret)
{
    *ret = (records){.count = 0};
    for (size_t i = 0; i < places->count; i++) {
        collecting c = {.arena = arena, .place = &places->items[i], .to = ret};
        if (!collect(&c, root, 0)) {
            return false;
        }
    }
    return true;
}

const lg_json *root_of_records(lg_arena *arena, const lg_pack *pack, const records *all,
                               const bool *kept, const lg_json *history)
{
    lg_json *root = LG_NEW(arena, lg_json);
    lg_status status = root ? LG_OK : LG_ERR_OOM;
    static const lg_str at_history[1] = {{"history", 7}};
    if (root) {
        *root = *pack->ledger.root;
    }
    for (size_t i = 0; i < all->count && status == LG_OK; i++) {
        const record *r = &all->items[i];
        if (!kept || kept[i]) {
            status = lg_tree_with(arena, root, r->path, r->place->segment_count, *r->value, root);
        }
    }
    if (history && status == LG_OK) {
        status = lg_tree_with(arena, root, at_history, 1, *history, root);
    }
    return status == LG_OK ? root : NULL;
}

bool state_of_records(lg_arena *arena, const lg_json *root, const records *all,
                      lg_ledger_state *ret)
{
    *ret = (lg_ledger_state){.root = root};
    for (size_t i = 0; i < all->count; i++) {
        const record *r = &all->items[i];
        lg_ledger_entry given = {
            .declared = r->place, .segments = r->path, .value = r->value, .turn = 1};
        if (!lg_ledger_state_add(arena, ret, &given)) {
            return false;
        }
    }
    return true;
}

// --- Beginning and end --------------------------------------------------------------------------

stand rehearsal_begin(rehearsal *r, task *t, lg_arena *arena, const lg_json *state)
{
    *r = (rehearsal){.task = t, .arena = arena};
    lg_limits limits = {.memory_bytes = lg_limits_resolve(NULL).document_bytes};
    lg_world_init(&r->world, t->pack, NULL);
    if (lg_session_new(t->pack, &limits, &r->session) != LG_OK) {
        t->oom = true;
        return (stand){.state = state};
    }
    lg_session_keep_all(r->session); // every stand is
    lg_session_set_explain(r->session, LG_EXPLAIN_NOTHING);
    return (stand){.session = r->session->state, .state = state};
}

void rehearsal_end(rehearsal *r)
{
    lg_session_free(r->session);
    lg_world_done(&r->world);
}

// --- Calls --------------------------------------------------------------------------------------

static bool note_turn(rehearsal *r, stand *at, turn made)
{
    turn *kept = LG_NEW(r->arena, turn);
    if (!kept) {
        return false;
    }
    *kept = made;
    kept->before = at->last;
    kept->number = at->last ? at->last->number + 1 : 1;
    at->last = kept;
    return true;
}

static lg_str text_of_result(rehearsal *r, const lg_tool *tool, const lg_json *result)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_world_print_result(&text, tool, result);
    lg_str kept = lg_arena_str(r->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return kept.ptr ? kept : LG_STR("");
}

// The next call, in a message of its own.
static lg_event call_event(const rehearsal *r, const stand *at, const lg_tool *tool,
                           const lg_json *args)
{
    return (lg_event){.kind = LG_EVENT_CALL,
                      .has_turn = true,
                      .turn = at->last ? at->last->number + 1 : 1,
                      .has_time = true,
                      .time = {r->now_seconds, r->now_nanos},
                      .tool = tool->name,
                      .json = args};
}

static bool observe(rehearsal *r, stand *at, const turn *made, lg_observed *ret)
{
    lg_event came = call_event(r, at, made->tool, made->args);
    came.kind = LG_EVENT_RESULT;
    came.text = made->result ? text_of_result(r, made->tool, made->result) : LG_STR("");
    if (!r->session) {
        return false;
    }
    r->session->state = at->session;
    if (lg_observe(r->session, &came, ret, NULL) != LG_OK) {
        return false;
    }
    at->session = r->session->state;
    return true;
}

// Carries the call out on the state, if there is one. What it returns lives in the arena.
static bool carry_out(rehearsal *r, stand *at, turn *made)
{
    lg_world_outcome outcome;
    lg_error ignored;
    lg_world_call call = {.tool = made->tool->name,
                          .args = made->args,
                          .ledger = at->session.ledger.root,
                          .now_seconds = r->now_seconds,
                          .now_nanos = r->now_nanos};
    r->breach_count = 0;
    if (!at->state) {
        return true;
    }
    r->world.root = at->state;
    if (lg_world_call_tool(&r->world, &call, &outcome, &ignored) != LG_OK ||
        outcome.end != LG_WORLD_DONE) {
        return false;
    }
    at->state = r->world.root;
    if (outcome.result) {
        made->result = lg_json_copy(r->arena, outcome.result);
    }
    r->breaches = outcome.breaches;
    r->breach_count = outcome.breach_count;
    return made->result || !outcome.result;
}

bool rehearse_read(rehearsal *r, stand *at, const lg_tool *tool, const lg_json *args,
                   const lg_json *result)
{
    stand next = *at;
    turn made = {.tool = tool, .args = lg_json_copy(r->arena, args), .result = result};
    lg_observed observed;
    if (!made.args || (!result && !carry_out(r, &next, &made)) || !made.result ||
        !observe(r, &next, &made, &observed) || observed != LG_OBSERVED_RECORDS ||
        !note_turn(r, &next, made)) {
        return false;
    }
    *at = next;
    return true;
}

bool rehearse_verdict(rehearsal *r, const stand *at, const lg_tool *tool, const lg_json *args,
                      lg_verdict *ret)
{
    lg_event call = call_event(r, at, tool, args);
    const lg_decision *decision;
    if (!r->session) {
        return false;
    }
    r->session->state = at->session;
    bool judged = lg_decide(r->session, &call, 1, &decision, NULL) == LG_OK;
    *ret = judged ? decision->verdict : LG_BLOCK;
    return judged;
}

bool rehearse_write(rehearsal *r, stand *at, const lg_tool *tool, const lg_json *args,
                    const lg_json *result)
{
    stand next = *at;
    turn made = {.tool = tool, .args = lg_json_copy(r->arena, args), .result = result};
    lg_observed observed;
    made.judged = true;
    if (!made.args || !rehearse_verdict(r, at, tool, args, &made.verdict) ||
        made.verdict != LG_ALLOW || !carry_out(r, &next, &made) ||
        !observe(r, &next, &made, &observed) || !note_turn(r, &next, made)) {
        return false;
    }
    *at = next;
    return true;
}

// --- Examples -----------------------------------------------------------------------------------

static bool turn_json(task *t, const turn *of, lg_json *ret)
{
    lg_json_member *members = lg_json_alloc_members(t->arena, 4);
    size_t count = 0;
    if (!members) {
        return false;
    }
    lg_json name = lg_json_make_str(of->tool->name);
    members[count++] = lg_json_make_member(LG_STR("tool"), name);
    members[count++] = lg_json_make_member(LG_STR("args"), *of->args);
    if (of->judged) {
        lg_json verdict = lg_json_make_str(lg_str_c(lg_verdict_name(of->verdict)));
        members[count++] = lg_json_make_member(LG_STR("verdict"), verdict);
    }
    if (of->result) {
        members[count++] = lg_json_make_member(LG_STR("result"), *of->result);
    }
    *ret = lg_json_make_object(members, count);
    return true;
}

const lg_json *rehearsed_example(task *t, const char *what, const lg_json *state, const stand *at,
                                 lg_str broken)
{
    size_t total = at->last ? at->last->number : 0;
    lg_json *calls = LG_NEW_ARRAY(t->arena, lg_json, total + 1);
    lg_json_member *members = lg_json_alloc_members(t->arena, 5);
    lg_json *whole = LG_NEW(t->arena, lg_json);
    size_t count = 0;
    if (!calls || !members || !whole) {
        t->oom = true;
        return NULL;
    }
    for (const turn *of = at->last; of; of = of->before) {
        if (!turn_json(t, of, &calls[of->number - 1])) {
            t->oom = true;
            return NULL;
        }
    }
    members[count++] = lg_json_make_member(LG_STR("what"), lg_json_make_str(lg_str_c(what)));
    members[count++] = lg_json_make_member(LG_STR("confirmed"), lg_json_make_bool(true));
    if (state) {
        members[count++] = lg_json_make_member(LG_STR("state"), *state);
    }
    members[count++] = lg_json_make_member(LG_STR("calls"), lg_json_make_array(calls, total));
    if (broken.len) {
        members[count++] = lg_json_make_member(LG_STR("broken"), lg_json_make_str(broken));
    }
    *whole = lg_json_make_object(members, count);
    const lg_json *kept = lg_json_copy(t->arena, whole); // of what dies with the rehearsal
    t->oom = t->oom || !kept;
    return kept;
}
