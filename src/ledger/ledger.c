// ledger.c: the fold.
//
// An observation first computes everything from the call alone, into a new state, in memory of its
// own; only when all of it has succeeded is what the new state needs moved out of there, and the
// ledger's state becomes the new one.
#include "ledger/ledger_internal.h"

#define WORK_KEPT_BYTES ((size_t)16 << 10) // for the next observation

void lg_ledger_init(lg_ledger *ledger, const lg_pack *pack, const lg_limits *limits)
{
    *ledger = (lg_ledger){.pack = pack, .limits = lg_limits_resolve(limits)};
    lg_arena_init(&ledger->arena, ledger->limits.memory_bytes);
    lg_arena_init(&ledger->work, ledger->limits.memory_bytes);
    ledger->arena.lasting = true;
    ledger->state.root = pack->ledger.root;
}

void lg_ledger_share(lg_ledger *ledger, lg_quota *quota)
{
    lg_arena_share(&ledger->arena, quota);
    lg_arena_share(&ledger->work, quota);
}

void lg_ledger_reset(lg_ledger *ledger)
{
    lg_arena_reset(&ledger->arena);
    ledger->state = (lg_ledger_state){.root = ledger->pack->ledger.root};
    ledger->rejection = (lg_rejection){0};
    ledger->tidy_bytes = 0;
    ledger->history = NULL;
    ledger->history_count = 0;
    ledger->history_capacity = 0;
}

void lg_ledger_done(lg_ledger *ledger)
{
    lg_arena_done(&ledger->arena);
    lg_arena_done(&ledger->work);
    ledger->state = (lg_ledger_state){0};
    ledger->history = NULL;
}

// --- Entries ------------------------------------------------------------------------------------

#define KEY_LENGTH_BYTES 4u

// Each segment is preceded by its length, so that different paths have different keys.
static void put_length(char *to, size_t len)
{
    uint32_t bytes = (uint32_t)len; // no key is as long as 4 GiB
    memcpy(to, &bytes, KEY_LENGTH_BYTES);
}

static void add_key(lg_buf *key, lg_str segment)
{
    char bytes[KEY_LENGTH_BYTES];
    put_length(bytes, segment.len);
    lg_buf_add(key, (lg_str){bytes, sizeof(bytes)});
    lg_buf_add(key, segment);
}

#define KEY_ROOM_BYTES 256u // a longer key is put together on the heap

const lg_ledger_entry *lg_ledger_at(const lg_ledger_state *state, const lg_str *segments,
                                    size_t count)
{
    char room[KEY_ROOM_BYTES];
    lg_buf key;
    lg_buf_init_in(&key, room, sizeof(room), 0);
    for (size_t i = 0; i < count; i++) {
        add_key(&key, segments[i]);
    }
    bool fine = lg_buf_status(&key) == LG_OK;
    const lg_ledger_entry *entry = fine ? lg_map_get(&state->entries, lg_buf_str(&key)) : NULL;
    lg_buf_done(&key);
    return entry;
}

const lg_ledger_entry *lg_ledger_find(const lg_ledger_state *state, const lg_str *segments,
                                      size_t count)
{
    const lg_ledger_entry *entry = NULL;
    char room[KEY_ROOM_BYTES];
    lg_buf key;
    lg_buf_init_in(&key, room, sizeof(room), 0);
    for (size_t depth = 1; depth <= count && depth <= LG_PATH_SEGMENTS_MAX && !entry; depth++) {
        add_key(&key, segments[depth - 1]);
        bool fine = lg_buf_status(&key) == LG_OK;
        entry = fine ? lg_map_get(&state->entries, lg_buf_str(&key)) : NULL;
    }
    lg_buf_done(&key);
    return entry;
}

// A copy of `entry` with segments of its own, and behind them its key, in which they lie; or NULL.
static lg_ledger_entry *keyed_entry(lg_arena *arena, const lg_ledger_entry *entry)
{
    uint32_t count = entry->declared->segment_count;
    size_t size_bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_bytes += KEY_LENGTH_BYTES + entry->segments[i].len;
    }
    lg_ledger_entry *copy = lg_arena_alloc(arena, sizeof(*copy), _Alignof(lg_ledger_entry));
    lg_str *segments =
        lg_arena_alloc(arena, count * sizeof(*segments) + size_bytes, _Alignof(lg_str));
    if (!copy || !segments) {
        return NULL;
    }
    char *key = (char *)(segments + count);
    *copy = *entry;
    copy->key = (lg_str){key, size_bytes};
    copy->segments = segments;
    for (uint32_t i = 0; i < count; i++) {
        lg_str segment = entry->segments[i];
        put_length(key, segment.len);
        memcpy(key + KEY_LENGTH_BYTES, segment.ptr, segment.len);
        segments[i] = (lg_str){key + KEY_LENGTH_BYTES, segment.len};
        key += KEY_LENGTH_BYTES + segment.len;
    }
    return copy;
}

bool lg_ledger_state_add(lg_arena *arena, lg_ledger_state *state, const lg_ledger_entry *entry)
{
    lg_ledger_entry *added = keyed_entry(arena, entry);
    lg_ledger_source *source = LG_NEW(arena, lg_ledger_source);
    if (!added || !source) {
        return false;
    }
    *source = (lg_ledger_source){.tool = entry->tool,
                                 .read = entry->read,
                                 .args = entry->args,
                                 .turn = entry->turn,
                                 .stale = entry->stale,
                                 .stale_tool = entry->stale_tool,
                                 .stale_turn = entry->stale_turn};
    added->sources = source;
    return lg_map_put(arena, &state->entries, added->key, added, 0);
}

static lg_status fail_full(fold *f)
{
    return lg_fail(f->why, LG_ERR_LIMIT,
                   "the ledger has reached its limit of %u records (ledger_entries)",
                   f->ledger->limits.ledger_entries);
}

lg_status put_entry(fold *f, const struct lg_map_key *found, const lg_ledger_entry *entry)
{
    lg_ledger_state *next = &f->next;
    const lg_ledger_entry *before = found ? lg_map_item(&next->entries, found) : NULL;
    if (!before && next->entries.count >= f->ledger->limits.ledger_entries) {
        return fail_full(f);
    }
    // No two observations have the same number, and what one has made, no other sees half done.
    uint64_t edit = f->ledger->observed;
    if (!(found ? lg_map_replace(f->work, &next->entries, found, entry, edit)
                : lg_map_put(f->work, &next->entries, entry->key, entry, edit))) {
        return lg_fail_oom(f->why);
    }
    next->stale = next->stale + entry->stale - (before && before->stale);
    return LG_OK;
}

// --- Storing ------------------------------------------------------------------------------------

static lg_status fail_tree(fold *f, lg_status status)
{
    return status == LG_ERR_OOM
               ? lg_fail_oom(f->why)
               : lg_fail(f->why, status, "a ledger key or collection is too large");
}

static lg_status note_stored(fold *f, const lg_ledger_entry *entry)
{
    const lg_ledger_entry **stored =
        lg_arena_grow(f->work, f->stored, f->stored_count, &f->stored_capacity, sizeof(*stored));
    if (!stored) {
        return lg_fail_oom(f->why);
    }
    stored[f->stored_count++] = entry;
    f->stored = stored;
    return LG_OK;
}

static lg_status set_root(fold *f, const lg_str *path, uint32_t count, lg_json value)
{
    lg_json *root = LG_NEW(f->work, lg_json);
    if (!root) {
        return lg_fail_oom(f->why);
    }
    lg_status status = lg_tree_with(f->work, f->next.root, path, count, value, root);
    if (status != LG_OK) {
        return fail_tree(f, status);
    }
    f->next.root = root;
    return LG_OK;
}

// The record at the store's declared path after the store: the value itself, or the record that
// stands there with one field replaced.
static lg_status stored_record(fold *f, const lg_tool_store *store, const lg_str *path,
                               const lg_ledger_entry *before, lg_json value, lg_json *ret)
{
    uint32_t declared = store->to.place->segment_count;
    if (store->to.segment_count == declared) {
        *ret = value;
        return LG_OK;
    }
    lg_status status = lg_tree_with(f->work, before ? before->value : NULL, path + declared,
                                    store->to.segment_count - declared, value, ret);
    return status == LG_OK ? LG_OK : fail_tree(f, status);
}

// Most reads of a record show again what is there: it need not be made, moved and held a second time. Places lie
// in no other place, so that what stands at the path is the record of `before`.
static void keep_what_is_the_same(lg_ledger_entry *entry, const lg_ledger_entry *before,
                                  bool shown_again)
{
    entry->key = before->key;
    entry->segments = before->segments;
    if (shown_again) {
        entry->value = before->value;
    }
    if (entry->args && before->args && lg_json_identical(entry->args, before->args)) {
        entry->args = before->args;
    }
}

static lg_status commit_store(fold *f, const lg_tool_store *store, const lg_str *path,
                              lg_json value)
{
    uint32_t count = store->to.place->segment_count;
    lg_json *record = LG_NEW(f->work, lg_json);
    lg_ledger_entry made = {.declared = store->to.place,
                            .segments = path,
                            .value = record,
                            .tool = f->tool->name,
                            .read = f->tool,
                            .args = f->call.args,
                            .turn = f->call.turn,
                            .observed = f->ledger->observed,
                            .changed = f->ledger->observed,
                            .mirrors = store->mirrors};
    lg_ledger_entry *entry = keyed_entry(f->work, &made);
    if (!record || !entry) {
        return lg_fail_oom(f->why);
    }
    const struct lg_map_key *found = lg_map_find(&f->next.entries, entry->key);
    const lg_ledger_entry *before = found ? lg_map_item(&f->next.entries, found) : NULL;
    lg_status status = stored_record(f, store, path, before, value, record);
    if (status != LG_OK) {
        return status;
    }
    bool whole = store->to.segment_count == count;
    if (whole && before && before->observed == entry->observed &&
        !lg_json_equal(before->value, record)) {
        reject_twice(f, entry->declared, entry->segments[count - 1]); // it says two things of one
        return LG_OK;
    }
    bool shown_again = before && lg_json_identical(before->value, record);
    if (before) {
        keep_what_is_the_same(entry, before, shown_again);
    }
    f->stored_again = f->stored_again || (before && before->observed == entry->observed);
    status = add_source(f, entry, before, store);
    if (status == LG_OK && !shown_again) {
        status = set_root(f, entry->segments, count, *record);
    }
    status = status == LG_OK ? note_stored(f, entry) : status;
    return status == LG_OK ? put_entry(f, found, entry) : status;
}

// --- Evaluating ---------------------------------------------------------------------------------

static lg_cel_value eval(fold *f, const lg_cel_program *program)
{
    lg_cel_activation activation = {.values = f->values,
                                    .scratch = f->work,
                                    .cost_limit = f->ledger->limits.cel_cost,
                                    .budget = &f->steps};
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
            : f->steps.spent           ? f->steps.what
                                       : "not of the expected type");
    reject_form(f, false);
}

// The path of the target. False if a key is absent or null (the store is skipped) or is no string
// (then the result is unreadable).
static bool target_path(fold *f, const lg_tool_store *store, lg_str path[LG_PATH_SEGMENTS_MAX])
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

static lg_status store_one(fold *f, const lg_tool_store *store)
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
    // It may be a part of the result, which lives as long as the observation.
    const lg_json *json =
        value.kind == LG_CEL_ERROR ? NULL : lg_cel_as_json(f->work, value, &f->steps);
    if (!json) {
        note_unreadable(f, store->value, value);
        return LG_OK;
    }
    return commit_store(f, store, path, *json);
}

// Recursion over nested lists, at most LG_EACH_MAX deep.
static lg_status store_each(fold *f, const lg_tool_store *store, uint32_t level)
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
        f->values[LG_STORE_SLOT_ARGS] = lg_cel_from_json(f->call.args);
        f->values[LG_STORE_SLOT_RESULT] = lg_cel_from_json(result);
    }
    for (size_t i = 0; i < f->tool->store_count && !is_rejected(f); i++) {
        status = store_each(f, &f->tool->stores[i], 0);
        if (status != LG_OK) {
            return status;
        }
    }
    if (!is_rejected(f)) {
        check_commit(f);
    }
    if (!is_rejected(f)) {
        status = mark_read_beside_writes(f);
    }
    *ret_observed = !is_rejected(f) ? LG_OBSERVED_RECORDS
                    : f->malformed  ? LG_OBSERVED_UNREADABLE
                                    : LG_OBSERVED_REJECTED;
    if (!is_rejected(f)) {
        return mark_stale(f, &f->marked); // where `settle` does not come to rest
    }
    f->next = f->ledger->state; // what stood there is doubtful now
    return mark_doubtful(f, &f->marked);
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
        size_t capacity = 2 * count + 4;
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

// All of the history and one item more, for a state that is forgotten soon. It is copied once, with room for
// all open calls.
static lg_status copied_history(fold *f, lg_json written, lg_json *ret)
{
    const lg_json *history = lg_json_get(f->next.root, LG_STR("history"));
    size_t count = lg_json_len(history);
    if (!f->history) {
        f->history = LG_NEW_ARRAY(f->work, lg_json, count + f->next.open_count);
        if (!f->history) {
            return LG_ERR_OOM;
        }
        (void)lg_budget_take(&f->steps, count / 16);
        for (size_t i = 0; i < count; i++) {
            f->history[i] = *lg_json_item(history, i);
        }
    }
    f->history[count] = written;
    *ret = lg_json_make_array(f->history, count + 1);
    return LG_OK;
}

static lg_status moved_history(fold *f, lg_json written, lg_json *ret)
{
    lg_mover mover;
    if (!lg_mover_init(&mover, f->work, &f->ledger->arena)) {
        return LG_ERR_OOM;
    }
    bool moved = lg_tree_move(&mover, &written);
    lg_mover_done(&mover);
    return moved ? longer_history(f, written, ret) : LG_ERR_OOM;
}

// `{name, args, outcome}`. It goes where the history is: into the ledger's own memory.
lg_status add_to_history(fold *f, const char *outcome)
{
    lg_json_member *members = lg_json_alloc_members(f->work, 3);
    if (!members) {
        return lg_fail_oom(f->why);
    }
    members[0] = lg_json_make_member(LG_STR("name"), lg_json_make_str(f->tool->name));
    members[1] = lg_json_make_member(LG_STR("args"), *f->call.args);
    members[2] = lg_json_make_member(LG_STR("outcome"), lg_json_make_str(lg_str_c(outcome)));
    lg_json written = lg_json_make_object(members, 3);
    lg_json grown = lg_json_make_null();
    lg_status status =
        f->assumed ? copied_history(f, written, &grown) : moved_history(f, written, &grown);
    static const lg_str path[1] = {{"history", sizeof("history") - 1}};
    bool grows = f->next.certain + 1 == lg_json_len(&grown) && !lg_ledger_is_uncertain(&written);
    f->next.certain += status == LG_OK && grows;
    return status == LG_OK ? set_root(f, path, 1, grown) : fail_tree(f, status);
}

// A write has happened, whatever it returned: nothing of it can be discarded but its result.
static lg_status observe_write(fold *f, lg_observed *ret_observed)
{
    lg_status status = LG_OK;
    if (f->tool->result || f->tool->ensure_count) {
        const lg_json *result;
        status = read_result(f, &result);
    }
    *ret_observed = is_rejected(f) ? LG_OBSERVED_UNVERIFIED : LG_OBSERVED_WRITE;
    if (status == LG_OK) {
        status = add_to_history(f, is_rejected(f) ? "unverified" : "done");
    }
    return status == LG_OK ? mark_stale(f, &f->marked) : status;
}

// A tool of the customer's own, a generic one, or one that the pack does not declare.
static lg_status observe_other(fold *f, lg_observed *ret_observed)
{
    lg_status status = mark_stale(f, &f->marked);
    *ret_observed = f->marked ? LG_OBSERVED_STALE : LG_OBSERVED_NOTHING;
    return status;
}

// What a read of the agent would have stored is doubtful. Of any other call nothing has happened if
// the pack knows the error; else it may have.
static lg_status observe_failed(fold *f, lg_observed *ret_observed)
{
    bool of_agent = f->tool && !f->call.by_user && !f->tool->by_user;
    bool written = false;
    lg_status status = LG_OK;
    if (of_agent && f->tool->kind == LG_TOOL_READ) {
        status = mark_doubtful(f, &f->marked);
    } else if ((!f->tool || f->tool->kind == LG_TOOL_WRITE) && !is_declared_error(f)) {
        status = of_agent ? add_to_history(f, "unknown") : LG_OK;
        status = status == LG_OK ? mark_stale(f, &f->marked) : status;
        written = of_agent;
    }
    *ret_observed = written     ? LG_OBSERVED_UNKNOWN
                    : f->marked ? LG_OBSERVED_STALE
                                : LG_OBSERVED_NOTHING;
    return status;
}

static lg_status observe(fold *f, lg_observed *ret_observed)
{
    if (f->call.failed) {
        return observe_failed(f, ret_observed);
    }
    if (f->call.by_user || !f->tool || f->tool->by_user || f->tool->kind == LG_TOOL_GENERIC) {
        return observe_other(f, ret_observed);
    }
    return f->tool->kind == LG_TOOL_READ ? observe_read(f, ret_observed)
                                         : observe_write(f, ret_observed);
}

// --- The whole ----------------------------------------------------------------------------------

// A copy of the call that lives as long as the observation.
static bool take_call(fold *f, const lg_ledger_call *call)
{
    f->call = *call;
    f->call.tool = f->tool ? f->tool->name : lg_arena_str(f->work, call->tool);
    f->call.args = lg_json_copy(f->work, call->args);
    f->call.result = lg_arena_str(f->work, call->result);
    return f->call.tool.ptr && f->call.args && f->call.result.ptr;
}

// The new state out of the work arena. False when out of memory.
static bool keep(fold *f)
{
    lg_mover mover;
    if (!lg_mover_init(&mover, f->work, &f->ledger->arena)) {
        return false;
    }
    mover.single = true; // nobody else knows what this observation has made
    bool fine = move_state(&mover, &f->next);
    lg_mover_done(&mover);
    return fine;
}

static lg_status fold_call(fold *f, const lg_ledger_call *call, lg_observed *ret_observed)
{
    if (!take_call(f, call)) {
        return lg_fail_oom(f->why);
    }
    f->work->refused = false;
    lg_status status = observe(f, ret_observed);
    if (status == LG_OK && f->work->refused) {
        return lg_fail_oom(f->why); // whatever an expression made of it
    }
    bool discard = !f->marked && ((is_rejected(f) && *ret_observed != LG_OBSERVED_UNVERIFIED) ||
                                  *ret_observed == LG_OBSERVED_NOTHING);
    if (status == LG_OK && !discard) {
        f->next.latest = f->ledger->observed;
        status = keep(f) ? LG_OK : lg_fail_oom(f->why);
        f->ledger->state = status == LG_OK ? f->next : f->ledger->state;
    }
    return status;
}

// What a failed observation has taken of the ledger's own memory is given back.
static lg_status fold_or_nothing(fold *f, const lg_ledger_call *call, lg_observed *ret_observed)
{
    lg_ledger *ledger = f->ledger;
    lg_json *history = ledger->history;
    size_t count = ledger->history_count;
    size_t capacity = ledger->history_capacity;
    lg_arena_mark mark = lg_arena_mark_here(&ledger->arena);
    lg_status status = fold_call(f, call, ret_observed);
    if (status != LG_OK) {
        lg_arena_rewind(&ledger->arena, mark);
        ledger->history = history;
        ledger->history_count = count;
        ledger->history_capacity = capacity;
    }
    return status;
}

static fold new_fold(lg_ledger *ledger, const lg_ledger_call *call)
{
    return (fold){
        .ledger = ledger,
        .work = &ledger->work,
        .tool = lg_pack_tool(ledger->pack, call->tool),
        .next = ledger->state,
        .why = &ledger->why,
        .steps = {.left = ledger->limits.observe_steps, .what = LG_NO_STEPS_LEFT("observe_steps")}};
}

static void forget_work(lg_ledger *ledger)
{
    if (ledger->work.held_bytes > WORK_KEPT_BYTES) {
        lg_arena_done(&ledger->work);
    } else {
        lg_arena_reset(&ledger->work);
    }
}

lg_status observe_call(lg_ledger *ledger, const lg_ledger_call *call, lg_observed *ret_observed,
                       lg_error *reterr)
{
    *ret_observed = LG_OBSERVED_NOTHING;
    ledger->rejection = (lg_rejection){0};
    ledger->observed++;
    fold f = new_fold(ledger, call);
    lg_status status = fold_or_nothing(&f, call, ret_observed);
    forget_work(ledger);
    if (reterr && (status != LG_OK || is_rejected(&f))) {
        *reterr = ledger->why;
    }
    if (status != LG_OK) {
        ledger->rejection = (lg_rejection){0};
        *ret_observed = LG_OBSERVED_NOTHING;
    }
    return status;
}

lg_status lg_ledger_observe(lg_ledger *ledger, const lg_ledger_call *call,
                            lg_observed *ret_observed, lg_error *reterr)
{
    lg_ledger_call made = *call;
    made.begun = ledger->observed;
    if (ledger->state.open_count == 0) {
        return observe_call(ledger, &made, ret_observed, reterr);
    }
    // It is beside those that are open, and they have to know of it.
    lg_ledger_state before = ledger->state;
    *ret_observed = LG_OBSERVED_NOTHING;
    lg_status status = lg_ledger_begin(ledger, &ledger->state, &ledger->arena, &made, reterr);
    if (status == LG_OK) {
        status = lg_ledger_answer(ledger, ledger->state.open, &made, ret_observed, reterr);
    }
    if (status != LG_OK) {
        ledger->state = before;
    }
    return status;
}
