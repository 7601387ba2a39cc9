// evidence.c: from the evaluator's log of lookups to paths, values and origins.
//
// The log says "child = parent[key]" for every lookup. While it judges no value moves, so a node's address names
// it: the entry whose child is another entry's parent is the step before it, down from the roots
// `ledger` and `args`. Only values that no further lookup went through are evidence.
#include "base/hash.h"
#include "gate/gate_internal.h"

static lg_cel_read *entry_at(const judgement *j, uint32_t index)
{
    LG_DEBUG_ASSERT(index < j->log.count);
    return &j->log.items[index];
}

#define FIND_STEPS 4u // of finding a record by its path: the ledger has an index

// --- Paths --------------------------------------------------------------------------------------

// The latest entry before `before` that led to `node`.
static uint32_t entry_of_child(const judgement *j, const lg_json *node, uint32_t before)
{
    for (uint32_t i = before; i-- > 0;) {
        if (entry_at(j, i)->child == node) {
            return i;
        }
    }
    return NO_ENTRY;
}

// In a ledger without some of its writes the history has other indices: there it has no path.
static bool is_root(const judgement *j, const lg_cel_read *read, bool *ret_in_args)
{
    *ret_in_args = read->parent == j->values[LG_SLOT_ARGS].as.json;
    return *ret_in_args || read->parent == j->state->root ||
           (is_other_past(j, read->parent) && !lg_str_eq(read->key, LG_STR("history")));
}

bool read_path_of(const judgement *j, uint32_t index, read_path *ret)
{
    read_step upward[READ_PATH_MAX];
    uint32_t count = 0;
    for (;;) {
        const lg_cel_read *read = entry_at(j, index);
        if (count == READ_PATH_MAX) {
            return false;
        }
        upward[count++] = (read_step){read->key, read->index, read->is_index};
        if (is_root(j, read, &ret->in_args)) {
            break;
        }
        index = j->notes ? j->notes[index].above : entry_of_child(j, read->parent, index);
        if (index == NO_ENTRY) {
            return false;
        }
    }
    ret->count = count;
    for (uint32_t i = 0; i < count; i++) {
        ret->steps[i] = upward[count - 1 - i];
    }
    return true;
}

static uint64_t keys_cost(const read_path *path)
{
    uint64_t cost = path->count;
    for (uint32_t i = 0; i < path->count; i++) {
        cost += path->steps[i].key.len / 8;
    }
    return cost;
}

lg_str read_path_text(judgement *j, const read_path *path, lg_budget *budget)
{
    if (!lg_budget_take(budget, keys_cost(path))) {
        return LG_STR("...");
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add_c(&text, path->in_args ? "args" : "ledger");
    for (uint32_t i = 0; i < path->count; i++) {
        if (path->steps[i].is_index) {
            lg_buf_addf(&text, "[%u]", path->steps[i].index);
        } else {
            lg_ledger_print_segment(&text, path->steps[i].key);
        }
    }
    lg_str copy;
    return take_text(j, &text, &copy) == LG_OK ? copy : (lg_str){NULL, 0};
}

const lg_ledger_entry *read_path_entry(const judgement *j, const read_path *path)
{
    lg_str segments[READ_PATH_MAX];
    uint32_t count = 0;
    while (!path->in_args && count < path->count && !path->steps[count].is_index) {
        segments[count] = path->steps[count].key;
        count++;
    }
    return lg_ledger_find(j->state, segments, count);
}

bool read_path_is_stale(const read_path *path, const lg_ledger_entry *entry, lg_str *ret_tool)
{
    lg_str steps[READ_PATH_MAX];
    uint32_t count = 0;
    LG_DEBUG_ASSERT(!path->in_args && path->count >= entry->declared->segment_count);
    for (uint32_t i = entry->declared->segment_count; i < path->count; i++) {
        steps[count++] = path->steps[i].is_index ? (lg_str){NULL, 0} : path->steps[i].key;
    }
    return lg_ledger_is_stale(entry, steps, count, ret_tool, NULL);
}

// --- The index ----------------------------------------------------------------------------------

// A hash table from what an entry found to the entry's number, from 1; open addressing, at most half full.
typedef struct read_table {
    uint32_t *first;
    uint32_t mask;
} read_table;

// The first entry with each child, and the first of each place where nothing was. What the second is
// filled with may be chosen by a stranger, so that each look is paid for; and addresses have no part in
// it, since the steps must be the same in every run.
typedef struct read_index {
    read_table children, absent;
} read_index;

static bool read_table_init(read_table *table, lg_arena *scratch, uint32_t count)
{
    uint32_t size = 16;
    while (size < count * 2) {
        size *= 2;
    }
    table->first = LG_NEW_ARRAY(scratch, uint32_t, size);
    table->mask = size - 1;
    return table->first != NULL;
}

static uint32_t home_of(const read_table *table, uint64_t bits)
{
    return (uint32_t)(bits * UINT64_C(0x9E3779B97F4A7C15) >> 40) & table->mask;
}

// The slot of the entry that led to `node`, or the free one where it belongs.
static uint32_t *child_slot(const judgement *j, const read_table *table, const lg_json *node)
{
    uint32_t at = home_of(table, (uint64_t)(uintptr_t)node);
    while (table->first[at] && entry_at(j, table->first[at] - 1)->child != node) {
        at = (at + 1) & table->mask;
    }
    return &table->first[at];
}

// The same for the place that `read` looked at: a key of the node that entry `above` led to.
static uint32_t *absent_slot(const judgement *j, const read_table *table, const lg_cel_read *read,
                             uint32_t above)
{
    uint64_t place = read->is_index ? read->index : lg_hash(read->key);
    uint32_t at = home_of(table, place + above);
    for (; table->first[at]; at = (at + 1) & table->mask) {
        const lg_cel_read *other = entry_at(j, table->first[at] - 1);
        if (!lg_budget_take(&j->budget->explain, 1) ||
            (other->parent == read->parent && other->is_index == read->is_index &&
             other->index == read->index && lg_str_eq(other->key, read->key))) {
            break;
        }
    }
    return &table->first[at];
}

// The record at the path of a log entry, or NULL.
static const lg_ledger_entry *entry_with_path(const judgement *j, uint32_t index)
{
    lg_str segments[LG_PATH_SEGMENTS_MAX];
    uint32_t depth = j->notes[index].depth;
    uint64_t bytes = 0;
    if (depth > LG_PATH_SEGMENTS_MAX) {
        return NULL;
    }
    for (uint32_t i = depth; i-- > 0; index = j->notes[index].above) {
        if (entry_at(j, index)->is_index) {
            return NULL;
        }
        segments[i] = entry_at(j, index)->key;
        bytes += segments[i].len;
    }
    bool paid = lg_budget_take(&j->budget->explain, FIND_STEPS + bytes / 64);
    return paid ? lg_ledger_at(j->state, segments, depth) : NULL;
}

// Continues what is known of the entry above by one step.
static void note_step(judgement *j, uint32_t index)
{
    read_note *note = &j->notes[index];
    const lg_cel_read *read = entry_at(j, index);
    bool at_root = is_root(j, read, &note->in_args);
    const read_note *above = note->above == NO_ENTRY ? NULL : &j->notes[note->above];
    note->rooted = at_root || (above && above->rooted && above->depth < READ_PATH_MAX - 1);
    if (at_root) {
        note->above = NO_ENTRY;
        note->depth = 1;
    } else if (note->rooted) {
        note->in_args = above->in_args;
        note->depth = (uint8_t)(above->depth + 1);
        note->entry = above->entry;
    }
    if (note->rooted && !note->in_args && !note->entry && !read->is_index) {
        note->entry = entry_with_path(j, index);
    }
}

// A session keeps the decision, but the index is not needed after it. A small one is not worth memory of
// its own.
static lg_arena *index_arena(judgement *j)
{
    return j->log.count > READ_INDEX_KEPT ? &j->log_arena : j->scratch;
}

// False when out of memory.
static bool note_read(judgement *j, read_index *known, uint32_t index)
{
    const lg_cel_read *read = entry_at(j, index);
    uint32_t *slot;
    uint32_t above;
    if (read->child) {
        slot = child_slot(j, &known->children, read->child);
        if (*slot) {
            j->notes[index] = j->notes[*slot - 1]; // most reads are repeated
            return true;
        }
        above = *child_slot(j, &known->children, read->parent);
    } else {
        if (!known->absent.first &&
            !read_table_init(&known->absent, index_arena(j), j->log.count)) {
            return false;
        }
        above = *child_slot(j, &known->children, read->parent);
        slot = absent_slot(j, &known->absent, read, above);
        if (*slot) {
            j->notes[index] = j->notes[*slot - 1];
            return true;
        }
    }
    *slot = index + 1;
    LG_DEBUG_ASSERT(above <= index); // a step is looked up after the one above it
    j->notes[index] = (read_note){.above = above ? above - 1 : NO_ENTRY, .first = index};
    note_step(j, index);
    return true;
}

lg_status index_reads(judgement *j)
{
    read_index known = {0};
    lg_budget *budget = &j->budget->explain;
    if (!lg_budget_take(budget, 4 * (uint64_t)j->log.count)) {
        return LG_OK;
    }
    lg_arena *arena = index_arena(j);
    size_t notes_bytes = ((size_t)j->log.count + 1) * sizeof(*j->notes);
    j->notes = lg_arena_alloc(arena, notes_bytes, _Alignof(read_note)); // written one by one
    if (!j->notes || !read_table_init(&known.children, arena, j->log.count)) {
        return LG_ERR_OOM;
    }
    for (uint32_t i = 0; i < j->log.count && !budget->spent; i++) {
        size_t key = entry_at(j, i)->key.len;
        if (key >= 32 && !lg_budget_take(budget, key / 32)) {
            break;
        }
        if (!note_read(j, &known, i)) {
            return LG_ERR_OOM;
        }
    }
    j->notes = budget->spent ? NULL : j->notes;
    return LG_OK;
}

// --- Evidence -----------------------------------------------------------------------------------

// The text of an entry's path: that of the entry above and one segment more. Texts are kept, since
// many entries lie below one record. As deep as paths are, at most READ_PATH_MAX.
static lg_str note_path(judgement *j, uint32_t index)
{
    read_note *note = &j->notes[index];
    if (note->path.ptr) {
        return note->path;
    }
    lg_str above = note->in_args ? LG_STR("args") : LG_STR("ledger");
    if (note->above != NO_ENTRY) {
        above = note_path(j, note->above);
    }
    if (!lg_budget_take(&j->budget->explain, (above.len + entry_at(j, index)->key.len) / 8)) {
        return LG_STR("...");
    }
    char room[256];
    lg_buf text;
    lg_buf_init_in(&text, room, sizeof(room), 0);
    lg_buf_add(&text, above);
    if (entry_at(j, index)->is_index) {
        lg_buf_addf(&text, "[%u]", entry_at(j, index)->index);
    } else {
        lg_ledger_print_segment(&text, entry_at(j, index)->key);
    }
    if (above.ptr && lg_buf_status(&text) == LG_OK) {
        note->path = lg_arena_str(j->scratch, lg_buf_str(&text));
    }
    lg_buf_done(&text);
    return note->path;
}

// A value as JSON, cut. Printing stops soon after the cut, however large the value is.
static lg_str value_text(judgement *j, const lg_json *value)
{
    if (!value) {
        return LG_STR("absent");
    }
    char room[LG_EVIDENCE_BYTES_MAX * 2];
    lg_buf text;
    lg_json shown = *value;
    bool long_text = lg_json_is(value, LG_JSON_STRING) && value->len > LG_EVIDENCE_BYTES_MAX;
    if (long_text) {
        shown = lg_json_make_str(lg_str_cut(lg_json_str(value), LG_EVIDENCE_BYTES_MAX));
    }
    lg_buf_init_in(&text, room, sizeof(room), sizeof(room));
    lg_json_print(&text, &shown);
    lg_str whole = lg_buf_str(&text);
    bool cut = long_text || lg_buf_status(&text) != LG_OK || whole.len > LG_EVIDENCE_BYTES_MAX;
    lg_str kept = cut ? lg_str_cut(whole, LG_EVIDENCE_BYTES_MAX - 3) : whole;
    lg_str copy =
        cut ? lg_arena_printf(j->scratch, "%.*s...", LG_FMT(kept)) : lg_arena_str(j->scratch, kept);
    lg_buf_done(&text);
    return copy;
}

static lg_status make_evidence(judgement *j, uint32_t index, lg_evidence *ret)
{
    const lg_json *child = entry_at(j, index)->child;
    *ret = (lg_evidence){.path = note_path(j, index), .value = value_text(j, child)};
    if (!ret->path.ptr || !ret->value.ptr) {
        return LG_ERR_OOM;
    }
    const lg_ledger_entry *entry = j->notes[index].entry;
    if (entry) {
        ret->observed = child != NULL;
        ret->tool = entry->tool;
        ret->turn = entry->turn;
        read_path path;
        lg_budget_take(&j->budget->explain, entry->part_count);
        ret->stale = entry->stale && (!read_path_of(j, index, &path) ||
                                      read_path_is_stale(&path, entry, &ret->stale_tool));
        // A tool that the pack does not declare has its name in the ledger's memory, which moves.
        ret->stale_tool = lg_arena_str(j->scratch, ret->stale_tool);
    }
    return !entry || ret->stale_tool.ptr ? LG_OK : LG_ERR_OOM;
}

#define EVIDENCE_MAX 64u
#define EVIDENCE_STEPS 40u // a value as text, cut

// Is the entry a value of its own in this range: not passed through, and not listed before?
static bool is_evidence(judgement *j, uint32_t index, uint32_t range)
{
    read_note *first = &j->notes[j->notes[index].first];
    if (!j->notes[index].rooted) {
        return false;
    }
    if (first->used == range || first->seen == range) {
        return false;
    }
    first->seen = range;
    return true;
}

// The entries that are evidence, as many as are listed; returns how many more there are.
static size_t choose_evidence(judgement *j, uint32_t from, uint32_t to,
                              uint32_t chosen[EVIDENCE_MAX], size_t *ret_count)
{
    uint32_t range = ++j->ranges;
    LG_DEBUG_ASSERT(from <= to && to <= j->log.count);
    for (uint32_t i = from; i < to; i++) {
        if (j->notes[i].above != NO_ENTRY) {
            j->notes[j->notes[i].above].used = range;
        }
    }
    size_t count = 0;
    size_t left_out = 0;
    for (uint32_t i = from; i < to; i++) {
        if (!is_evidence(j, i, range)) {
            continue;
        }
        if (count == EVIDENCE_MAX || !lg_budget_take(&j->budget->explain, EVIDENCE_STEPS)) {
            left_out++;
        } else {
            chosen[count++] = i;
        }
    }
    *ret_count = count;
    return left_out;
}

lg_status list_evidence(judgement *j, uint32_t from, uint32_t to, const lg_evidence **ret_items,
                        size_t *ret_count, size_t *ret_left_out)
{
    *ret_items = NULL;
    *ret_count = 0;
    *ret_left_out = to - from;
    if (!j->notes || !lg_budget_take(&j->budget->explain, (to - from) / 2)) {
        return LG_OK;
    }
    uint32_t chosen[EVIDENCE_MAX];
    size_t count;
    size_t left_out = choose_evidence(j, from, to, chosen, &count);
    lg_evidence *items = lg_arena_alloc(j->scratch, (count + 1) * sizeof(*items), 8);
    if (!items) {
        return LG_ERR_OOM;
    }
    size_t made = 0;
    for (; made < count; made++) {
        if (make_evidence(j, chosen[made], &items[made]) != LG_OK) {
            return LG_ERR_OOM;
        }
        if (j->budget->explain.spent) {
            break; // in the middle of this one
        }
    }
    *ret_items = items;
    *ret_count = made;
    *ret_left_out = left_out + (count - made);
    return LG_OK;
}

uint64_t find_cost(const judgement *j)
{
    return j->log.count + FIND_STEPS;
}
