// ledger.c: the fold.
//
// An observation first computes everything from the call alone, into a new state; only when all of
// it has succeeded does the ledger's state become the new one. Arena memory of a failed attempt is
// rewound, so that a stream of unreadable results cannot fill the budget.
#include "base/hash.h"
#include "ledger/ledger_internal.h"

void lg_ledger_init(lg_ledger *ledger, const lg_pack *pack, const lg_limits *limits)
{
    *ledger = (lg_ledger){.pack = pack, .limits = lg_limits_resolve(limits)};
    lg_arena_init(&ledger->arena, ledger->limits.memory_bytes);
    ledger->state.root = pack->ledger.root;
}

void lg_ledger_reset(lg_ledger *ledger)
{
    lg_arena_reset(&ledger->arena);
    ledger->state = (lg_ledger_state){.root = ledger->pack->ledger.root};
    ledger->rejection = (lg_rejection){0};
    ledger->history = NULL;
    ledger->history_count = 0;
    ledger->history_capacity = 0;
}

void lg_ledger_done(lg_ledger *ledger)
{
    lg_arena_done(&ledger->arena);
    ledger->state = (lg_ledger_state){0};
    ledger->history = NULL;
}

// --- Entries ------------------------------------------------------------------------------------

uint64_t lg_ledger_path_hash(uint64_t hash, lg_str segment)
{
    return (hash ^ lg_hash(segment)) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t hash_path(const lg_str *segments, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) {
        hash = lg_ledger_path_hash(hash, segments[i]);
    }
    return hash;
}

static bool entry_is_at(const lg_ledger_entry *entry, uint64_t hash, const lg_str *segments,
                        size_t count)
{
    if (entry->path_hash != hash || entry->declared->segment_count != count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!lg_str_eq(entry->segments[i], segments[i])) {
            return false;
        }
    }
    return true;
}

uint32_t find_exact(const lg_ledger_state *state, const lg_str *segments, size_t count)
{
    uint64_t hash = hash_path(segments, count);
    for (uint32_t i = 0; i < state->entry_count; i++) {
        if (entry_is_at(state->entries[i], hash, segments, count)) {
            return i;
        }
    }
    return state->entry_count;
}

const lg_ledger_entry *lg_ledger_find(const lg_ledger_state *state, const lg_str *segments,
                                      size_t count)
{
    uint64_t hash = 0;
    for (size_t depth = 1; depth <= count && depth <= LG_PATH_SEGMENTS_MAX; depth++) {
        hash = lg_ledger_path_hash(hash, segments[depth - 1]);
        for (uint32_t i = 0; i < state->entry_count; i++) {
            if (entry_is_at(state->entries[i], hash, segments, depth)) {
                return state->entries[i];
            }
        }
    }
    return NULL;
}

static lg_status fail_full(fold *f)
{
    return lg_fail(f->why, LG_ERR_LIMIT,
                   "the ledger has reached its limit of %u records (ledger_entries)",
                   f->ledger->limits.ledger_entries);
}

// Makes `next` the owner of its entries, with room for one more: older states keep their array.
static bool own_entries(fold *f)
{
    lg_ledger_state *state = &f->next;
    if (f->entries && state->entry_count < f->entry_capacity) {
        return true;
    }
    uint32_t capacity = state->entry_count + (f->entries ? state->entry_count : 1);
    const lg_ledger_entry **copy =
        LG_NEW_ARRAY(&f->ledger->arena, const lg_ledger_entry *, capacity);
    if (!copy) {
        return false;
    }
    if (state->entry_count) {
        memcpy(copy, state->entries, state->entry_count * sizeof(*copy));
    }
    f->entries = copy;
    f->entry_capacity = capacity;
    state->entries = copy;
    return true;
}

lg_status put_entry(fold *f, uint32_t index, const lg_ledger_entry *entry)
{
    lg_ledger_state *state = &f->next;
    bool append = index == state->entry_count;
    if (append && state->entry_count >= f->ledger->limits.ledger_entries) {
        return fail_full(f);
    }
    if (!own_entries(f)) {
        return lg_fail_oom(f->why);
    }
    f->entries[index] = entry;
    state->entry_count += append;
    return LG_OK;
}

// --- Storing ------------------------------------------------------------------------------------

static lg_status fail_tree(fold *f, lg_status status)
{
    return status == LG_ERR_OOM
               ? lg_fail_oom(f->why)
               : lg_fail(f->why, status, "a ledger key or collection is too large");
}

// The root is made once, when all stores are done: a list of a thousand records then copies its
// collection once and not a thousand times.
static lg_status note_stored(fold *f, const lg_ledger_entry *entry)
{
    lg_tree_update *updates = lg_arena_grow(&f->ledger->arena, f->stored, f->stored_count,
                                            &f->stored_capacity, sizeof(*updates));
    if (!updates) {
        return lg_fail_oom(f->why);
    }
    updates[f->stored_count++] = (lg_tree_update){
        .path = entry->segments, .count = entry->declared->segment_count, .value = *entry->value};
    f->stored = updates;
    return LG_OK;
}

static lg_status make_root(fold *f)
{
    lg_json *root = LG_NEW(&f->ledger->arena, lg_json);
    if (!root) {
        return lg_fail_oom(f->why);
    }
    lg_status status =
        lg_tree_with_many(&f->ledger->arena, f->next.root, f->stored, f->stored_count, root);
    if (status != LG_OK) {
        return fail_tree(f, status);
    }
    f->next.root = root;
    return LG_OK;
}

// The record at the store's declared path after the store: the value itself, or the record that
// stands there with one field replaced.
static lg_status stored_record(fold *f, const lg_store *store, const lg_str *path, lg_json value,
                               lg_json *ret)
{
    uint32_t declared = store->to.place->segment_count;
    if (store->to.segment_count == declared) {
        *ret = value;
        return LG_OK;
    }
    uint32_t index = find_exact(&f->next, path, declared);
    const lg_json *record = index < f->next.entry_count ? f->next.entries[index]->value : NULL;
    lg_status status = lg_tree_with(&f->ledger->arena, record, path + declared,
                                    store->to.segment_count - declared, value, ret);
    return status == LG_OK ? LG_OK : fail_tree(f, status);
}

// What remains of a record of which a part was replaced is as old as it was before.
static void keep_rest(lg_ledger_entry *entry, const lg_ledger_entry *before, bool of_call)
{
    bool same_call = before->args == entry->args && before->read == entry->read;
    entry->stale = before->stale;
    entry->stale_tool = before->stale_tool;
    entry->stale_turn = before->stale_turn;
    entry->parts = before->parts;
    entry->part_count = before->part_count;
    entry->copies = same_call && before->copies && of_call;
    entry->rest = same_call ? before->rest : before;
    entry->rest_count = before->rest_count + !same_call;
}

// Has this very result put another record at the place? Then it says two things of one.
static bool contradicts(fold *f, const lg_ledger_entry *before, const lg_ledger_entry *entry)
{
    for (uint32_t i = 0; i < f->stored_count; i++) {
        if (f->stored[i].path == before->segments) {
            return !lg_json_equal(before->value, entry->value);
        }
    }
    return false;
}

static lg_status commit_store(fold *f, const lg_store *store, const lg_str *path, lg_json value)
{
    lg_arena *arena = &f->ledger->arena;
    uint32_t count = store->to.place->segment_count;
    lg_json *record = LG_NEW(arena, lg_json);
    lg_str *segments = LG_NEW_ARRAY(arena, lg_str, count);
    lg_ledger_entry *entry = LG_NEW(arena, lg_ledger_entry);
    if (!record || !segments || !entry) {
        return lg_fail_oom(f->why);
    }
    memcpy(segments, path, count * sizeof(*segments));
    lg_status status = stored_record(f, store, path, value, record);
    if (status != LG_OK) {
        return status;
    }
    *entry = (lg_ledger_entry){.declared = store->to.place,
                               .segments = segments,
                               .path_hash = hash_path(segments, count),
                               .value = record,
                               .tool = f->tool->name,
                               .read = f->tool,
                               .args = f->call->args,
                               .turn = f->call->turn,
                               .copies = store->copies,
                               .mirrors = store->mirrors};
    uint32_t index = find_exact(&f->next, segments, count);
    const lg_ledger_entry *before = index < f->next.entry_count ? f->next.entries[index] : NULL;
    if (before && store->to.segment_count > count) {
        keep_rest(entry, before, store->of_call);
    } else if (before && contradicts(f, before, entry)) {
        reject_twice(f, entry->declared, segments[count - 1]);
        return LG_OK;
    }
    status = note_stored(f, entry);
    return status == LG_OK ? put_entry(f, index, entry) : status;
}

// --- Evaluating ---------------------------------------------------------------------------------

static lg_cel_value eval(fold *f, const lg_cel_program *program)
{
    lg_cel_activation activation = {.values = f->values,
                                    .scratch = &f->ledger->arena,
                                    .cost_limit = f->ledger->limits.cel_cost,
                                    .budget = &f->work};
    return lg_cel_eval(program, &activation);
}

static bool is_missing(lg_cel_value value)
{
    return value.kind == LG_CEL_NULL ||
           (value.kind == LG_CEL_ERROR && value.as.failure->kind == LG_CEL_FAIL_MISSING);
}

static void note_unreadable(fold *f, const lg_cel_program *program, lg_cel_value value)
{
    lg_str source = lg_cel_program_source(program);
    lg_fail(f->why, LG_ERR_TYPE,
            "the result of %.*s does not have the shape that the pack declares: `%.*s`: %s",
            LG_FMT(f->tool->name), LG_FMT(source),
            value.kind == LG_CEL_ERROR ? value.as.failure->what
            : f->work.spent            ? f->work.what
                                       : "not of the expected type");
    reject_form(f, false);
}

// The path of the target. False if a key is absent or null (the store is skipped) or is no string
// (then the result is unreadable).
static bool target_path(fold *f, const lg_store *store, lg_str path[LG_PATH_SEGMENTS_MAX])
{
    for (uint32_t i = 0; i < store->to.segment_count; i++) {
        const lg_target_segment *segment = &store->to.segments[i];
        if (!segment->key) {
            path[i] = segment->name;
            continue;
        }
        lg_cel_value key = eval(f, segment->key);
        if (is_missing(key)) {
            return false;
        }
        if (key.kind != LG_CEL_STRING) {
            note_unreadable(f, segment->key, key);
            return false;
        }
        path[i] = lg_str_of(key.as.text, key.aux);
    }
    return true;
}

static lg_status store_one(fold *f, const lg_store *store)
{
    if (store->when) {
        lg_cel_value when = eval(f, store->when);
        if (is_missing(when) || (when.kind == LG_CEL_BOOL && !when.as.boolean)) {
            return LG_OK;
        }
        if (when.kind != LG_CEL_BOOL) {
            note_unreadable(f, store->when, when);
            return LG_OK;
        }
    }
    lg_str path[LG_PATH_SEGMENTS_MAX];
    if (!target_path(f, store, path)) {
        return LG_OK;
    }
    lg_cel_value value = eval(f, store->value);
    if (value.kind == LG_CEL_ERROR && is_missing(value)) {
        return LG_OK;
    }
    const lg_json *json = value.kind == LG_CEL_ERROR
                              ? NULL
                              : lg_cel_to_json_within(&f->ledger->arena, value, &f->work);
    if (!json) {
        note_unreadable(f, store->value, value);
        return LG_OK;
    }
    return commit_store(f, store, path, *json);
}

// Recursion over nested lists, at most LG_EACH_MAX deep.
static lg_status store_each(fold *f, const lg_store *store, uint32_t level)
{
    if (level == store->each_count) {
        return store_one(f, store);
    }
    lg_cel_value list = eval(f, store->each[level]);
    if (is_missing(list)) {
        return LG_OK;
    }
    if (list.kind != LG_CEL_LIST || !list.boxed) {
        note_unreadable(f, store->each[level], list);
        return LG_OK;
    }
    for (size_t i = 0; i < lg_json_len(list.as.json) && !is_rejected(f); i++) {
        f->values[LG_STORE_SLOT_ITEM] = lg_cel_from_json(lg_json_item(list.as.json, i));
        lg_status status = store_each(f, store, level + 1);
        if (status != LG_OK) {
            return status;
        }
    }
    return LG_OK;
}

// --- Kinds of calls -----------------------------------------------------------------------------

static lg_status observe_read(fold *f, lg_observed *ret_observed)
{
    const lg_json *result = NULL;
    lg_status status = read_result(f, &result);
    if (status != LG_OK) {
        return status;
    }
    if (!is_rejected(f)) {
        f->values[LG_STORE_SLOT_ARGS] = lg_cel_from_json(f->call->args);
        f->values[LG_STORE_SLOT_RESULT] = lg_cel_from_json(result);
    }
    for (size_t i = 0; i < f->tool->store_count && !is_rejected(f); i++) {
        status = store_each(f, &f->tool->stores[i], 0);
        if (status != LG_OK) {
            return status;
        }
    }
    if (!is_rejected(f) && f->stored_count > 0) {
        status = make_root(f);
    }
    if (status == LG_OK && !is_rejected(f)) {
        check_commit(f);
    }
    *ret_observed = !is_rejected(f) ? LG_OBSERVED_RECORDS
                    : f->malformed  ? LG_OBSERVED_UNREADABLE
                                    : LG_OBSERVED_REJECTED;
    return status;
}

// The history with one write more. It grows in place, so that a long conversation does not copy all
// of it at each write: older states see as many items as they knew. After going back to one of them
// the next write finds what comes behind taken, and copies.
static lg_status longer_history(fold *f, lg_json written, lg_json *ret)
{
    lg_ledger *ledger = f->ledger;
    const lg_json *history = lg_json_get(f->next.root, LG_STR("history"));
    const lg_json *known = history ? history->as.items : NULL;
    size_t count = lg_json_len(history);
    bool own = known && known == ledger->history && count == ledger->history_count &&
               count < ledger->history_capacity;
    if (count >= LG_JSON_LEN_MAX) {
        return LG_ERR_LIMIT;
    }
    if (!own) {
        size_t capacity = 2 * count + 8;
        lg_json *items = LG_NEW_ARRAY(&ledger->arena, lg_json, capacity);
        if (!items) {
            return LG_ERR_OOM;
        }
        if (known && count) {
            memcpy(items, known, count * sizeof(*items));
        }
        ledger->history = items;
        ledger->history_capacity = capacity;
    }
    ledger->history[count] = written;
    ledger->history_count = count + 1;
    *ret = lg_json_make_array(ledger->history, count + 1);
    return LG_OK;
}

// `{name, args}`; of a write whose result was not what its contract says, with `unverified`.
static lg_status add_to_history(fold *f)
{
    lg_arena *arena = &f->ledger->arena;
    lg_json_member *members = lg_json_alloc_members(arena, 3);
    if (!members) {
        return lg_fail_oom(f->why);
    }
    members[0] = lg_json_make_member(LG_STR("name"), lg_json_make_str(f->tool->name));
    members[1] = lg_json_make_member(LG_STR("args"), *f->call->args);
    members[2] = lg_json_make_member(LG_STR("unverified"), lg_json_make_bool(true));
    lg_json written = lg_json_make_object(members, is_rejected(f) ? 3 : 2);
    lg_json grown;
    lg_status status = longer_history(f, written, &grown);
    if (status != LG_OK) {
        return fail_tree(f, status);
    }
    lg_str path[1] = {LG_STR("history")};
    lg_tree_update update = {.path = path, .count = 1, .value = grown};
    f->stored = &update;
    f->stored_count = 1;
    return make_root(f);
}

// A write has happened, whatever it returned: nothing of it can be discarded but its result.
static lg_status observe_write(fold *f, lg_observed *ret_observed)
{
    lg_arena *arena = &f->ledger->arena;
    lg_status status = LG_OK;
    if (f->tool->result || f->tool->ensure_count) {
        const lg_json *result;
        lg_arena_mark mark = lg_arena_mark_here(arena);
        status = read_result(f, &result);
        lg_arena_rewind(arena, mark);
    }
    *ret_observed = is_rejected(f) ? LG_OBSERVED_UNVERIFIED : LG_OBSERVED_WRITE;
    if (status == LG_OK) {
        status = add_to_history(f);
    }
    uint32_t marked;
    return status == LG_OK ? mark_stale(f, &marked) : status;
}

// A tool of the customer's own, a generic one, one that the pack does not declare.
static lg_status observe_other(fold *f, lg_observed *ret_observed)
{
    uint32_t marked;
    lg_status status = mark_stale(f, &marked);
    *ret_observed = marked ? LG_OBSERVED_STALE : LG_OBSERVED_NOTHING;
    return status;
}

static lg_status observe(fold *f, lg_observed *ret_observed)
{
    if (f->call->by_user || !f->tool || f->tool->by_user || f->tool->kind == LG_TOOL_GENERIC) {
        return observe_other(f, ret_observed);
    }
    return f->tool->kind == LG_TOOL_READ ? observe_read(f, ret_observed)
                                         : observe_write(f, ret_observed);
}

lg_status lg_ledger_observe(lg_ledger *ledger, const lg_ledger_call *call,
                            lg_observed *ret_observed, lg_error *reterr)
{
    *ret_observed = LG_OBSERVED_NOTHING;
    ledger->rejection = (lg_rejection){0};
    if (call->failed) {
        return LG_OK;
    }
    fold f = {.ledger = ledger,
              .call = call,
              .tool = lg_pack_tool(ledger->pack, call->tool),
              .next = ledger->state,
              .why = &ledger->why,
              .work = {.left = ledger->limits.observe_steps,
                       .what = "there are no steps left for it (observe_steps)"}};
    lg_arena_mark mark = lg_arena_mark_here(&ledger->arena);
    ledger->arena.refused = false;
    lg_status status = observe(&f, ret_observed);
    if (status == LG_OK && ledger->arena.refused) {
        status = lg_fail_oom(f.why); // whatever an expression made of it
    }
    bool discard = is_rejected(&f) && *ret_observed != LG_OBSERVED_UNVERIFIED;
    if (status == LG_OK && !discard && *ret_observed != LG_OBSERVED_NOTHING) {
        ledger->state = f.next;
    } else {
        lg_arena_rewind(&ledger->arena, mark);
    }
    if (reterr && (status != LG_OK || is_rejected(&f))) {
        *reterr = ledger->why;
    }
    if (status != LG_OK) {
        ledger->rejection = (lg_rejection){0};
        *ret_observed = LG_OBSERVED_NOTHING;
    }
    return status;
}
