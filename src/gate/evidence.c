// evidence.c: from the evaluator's log of lookups to paths, values and origins.
//
// The log says "child = parent[key]" for every lookup. Values never move, so a node's address names
// it: the entry whose child is another entry's parent is the step before it, down from the roots
// `ledger` and `args`. Only values that no further lookup went through are evidence.
#include "gate/gate_internal.h"

static lg_cel_read *entry_at(const judgement *j, uint32_t index)
{
    return &j->log.items[index];
}

// --- Paths --------------------------------------------------------------------------------------

#define NO_ENTRY UINT32_MAX

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

static bool is_root(const judgement *j, const lg_json *node, bool *ret_in_args)
{
    *ret_in_args = node == j->values[LG_SLOT_ARGS].as.json;
    return *ret_in_args || node == j->values[LG_SLOT_LEDGER].as.json;
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
        if (is_root(j, read->parent, &ret->in_args)) {
            break;
        }
        index = j->above ? j->above[index] : entry_of_child(j, read->parent, index);
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

lg_str read_path_text(judgement *j, const read_path *path)
{
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
    lg_str copy = {NULL, 0};
    if (lg_buf_status(&text) == LG_OK) {
        copy = lg_arena_str(j->scratch, lg_buf_str(&text));
    }
    lg_buf_done(&text);
    return copy;
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

// --- Evidence -----------------------------------------------------------------------------------

// Node addresses with a number each; open addressing, at most half full.
typedef struct node_map {
    const void **nodes;
    uint32_t *numbers;
    uint32_t mask;
} node_map;

static bool node_map_init(node_map *map, lg_arena *scratch, uint32_t count)
{
    uint32_t size = 16;
    while (size < count * 2) {
        size *= 2;
    }
    map->nodes = LG_NEW_ARRAY(scratch, const void *, size);
    map->numbers = lg_arena_alloc(scratch, size * sizeof(*map->numbers), 4);
    map->mask = size - 1;
    return map->nodes && map->numbers;
}

// The slot of `node`, or the free one where it belongs.
static uint32_t node_slot(const node_map *map, const void *node)
{
    uint64_t hash = (uint64_t)(uintptr_t)node * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(hash >> 40) & map->mask;
    while (map->nodes[at] && map->nodes[at] != node) {
        at = (at + 1) & map->mask;
    }
    return at;
}

// Gives `node` the number; true if it had none.
static bool node_put(node_map *map, const void *node, uint32_t number)
{
    uint32_t at = node_slot(map, node);
    bool fresh = !map->nodes[at];
    map->nodes[at] = node;
    map->numbers[at] = number;
    return fresh;
}

static uint32_t node_number(const node_map *map, const void *node)
{
    uint32_t at = node_slot(map, node);
    return map->nodes[at] ? map->numbers[at] : NO_ENTRY;
}

lg_status index_reads(judgement *j)
{
    node_map latest;
    uint32_t *above = lg_arena_alloc(j->scratch, (j->log.count + 1) * sizeof(*above), 4);
    if (!above || !node_map_init(&latest, j->scratch, j->log.count)) {
        return LG_ERR_OOM;
    }
    for (uint32_t i = 0; i < j->log.count; i++) {
        above[i] = node_number(&latest, entry_at(j, i)->parent);
        if (entry_at(j, i)->child) {
            node_put(&latest, entry_at(j, i)->child, i);
        }
    }
    j->above = above;
    return LG_OK;
}

static lg_str value_text(judgement *j, const lg_json *value)
{
    if (!value) {
        return LG_STR("absent");
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_json_print(&text, value);
    lg_str whole = lg_buf_str(&text);
    lg_str copy = {NULL, 0};
    if (lg_buf_status(&text) == LG_OK && whole.len <= LG_EVIDENCE_BYTES_MAX) {
        copy = lg_arena_str(j->scratch, whole);
    } else if (lg_buf_status(&text) == LG_OK) {
        size_t cut = LG_EVIDENCE_BYTES_MAX - 3;
        while (cut > 0 && ((unsigned char)whole.ptr[cut] & 0xC0) == 0x80) {
            cut--; // not through a character
        }
        copy = lg_arena_printf(j->scratch, "%.*s...", (int)cut, whole.ptr);
    }
    lg_buf_done(&text);
    return copy;
}

static lg_status make_evidence(judgement *j, uint32_t index, const read_path *path,
                               lg_evidence *ret)
{
    *ret = (lg_evidence){.path = read_path_text(j, path),
                         .value = value_text(j, entry_at(j, index)->child)};
    if (!ret->path.ptr || !ret->value.ptr) {
        return LG_ERR_OOM;
    }
    const lg_ledger_entry *entry = read_path_entry(j, path);
    if (entry) {
        ret->observed = entry_at(j, index)->child != NULL;
        ret->tool = entry->tool;
        ret->turn = entry->turn;
        ret->stale = entry->stale;
        ret->stale_tool = entry->stale_tool;
    }
    return LG_OK;
}

#define EVIDENCE_MAX 64u

// Two absent lookups of one key in one place are the same evidence.
static bool absent_before(const judgement *j, uint32_t from, uint32_t index)
{
    const lg_cel_read *read = entry_at(j, index);
    for (uint32_t i = from; i < index; i++) {
        const lg_cel_read *other = entry_at(j, i);
        if (!other->child && other->parent == read->parent && other->is_index == read->is_index &&
            other->index == read->index && lg_str_eq(other->key, read->key)) {
            return true;
        }
    }
    return false;
}

lg_status list_evidence(judgement *j, uint32_t from, uint32_t to, const lg_evidence **ret_items,
                        size_t *ret_count, size_t *ret_left_out)
{
    node_map parents;
    node_map seen;
    lg_evidence *items = lg_arena_alloc(j->scratch, EVIDENCE_MAX * sizeof(*items), 8);
    if (!items || !node_map_init(&parents, j->scratch, to - from) ||
        !node_map_init(&seen, j->scratch, to - from)) {
        return LG_ERR_OOM;
    }
    for (uint32_t i = from; i < to; i++) {
        node_put(&parents, entry_at(j, i)->parent, i);
    }
    size_t count = 0;
    size_t left_out = 0;
    for (uint32_t i = from; i < to; i++) {
        const lg_json *child = entry_at(j, i)->child;
        if (child && (node_number(&parents, child) != NO_ENTRY || !node_put(&seen, child, i))) {
            continue;
        }
        if (count == EVIDENCE_MAX) {
            left_out++;
            continue;
        }
        read_path path;
        if ((!child && absent_before(j, from, i)) || !read_path_of(j, i, &path)) {
            continue;
        }
        if (make_evidence(j, i, &path, &items[count]) != LG_OK) {
            return LG_ERR_OOM;
        }
        count++;
    }
    *ret_items = items;
    *ret_count = count;
    *ret_left_out = left_out;
    return LG_OK;
}

// --- What is missing ----------------------------------------------------------------------------

// The keys of the path that the store's computed segments stand for, as arguments of the read.
static void print_read_call(lg_buf *out, const lg_tool *tool, const lg_store *store,
                            const read_path *path)
{
    lg_buf_add(out, tool->name);
    lg_buf_add_byte(out, '(');
    bool first = true;
    for (uint32_t i = 0; i < store->segment_count && i < path->count; i++) {
        if (store->segments[i].argument.len) {
            lg_buf_add_c(out, first ? "" : ", ");
            lg_buf_add(out, store->segments[i].argument);
            lg_buf_add_c(out, ": ");
            lg_json_print_str(out, path->steps[i].key);
            first = false;
        }
    }
    lg_buf_add_byte(out, ')');
}

// Does the store put a record at the path, or above it, or (for a whole collection) below it?
static bool store_supplies(const lg_store *store, const read_path *path)
{
    for (uint32_t i = 0; i < store->segment_count && i < path->count; i++) {
        if (path->steps[i].is_index ||
            (!store->segments[i].key && !lg_str_eq(store->segments[i].name, path->steps[i].key))) {
            return false;
        }
    }
    return true;
}

// The first read of the pack that stores there, with those arguments that the path tells.
static lg_str supplying_read(judgement *j, const read_path *path)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    for (size_t t = 0; t < j->pack->tool_count && text.len == 0; t++) {
        const lg_tool *tool = &j->pack->tools[t];
        for (size_t s = 0; s < tool->store_count && text.len == 0; s++) {
            if (store_supplies(&tool->stores[s], path)) {
                print_read_call(&text, tool, &tool->stores[s], path);
            }
        }
    }
    lg_str copy = lg_arena_str(j->scratch, lg_buf_str(&text));
    lg_buf_done(&text);
    return copy;
}

lg_status list_missing(judgement *j, const outcome *o, lg_finding *finding)
{
    read_path path;
    uint32_t index = o->failure ? o->failure->read : UINT32_MAX;
    if (index >= j->log.count || !read_path_of(j, index, &path)) {
        return LG_OK; // looked up in a computed list: there is no path to name
    }
    lg_missing *missing = LG_NEW(j->scratch, lg_missing);
    if (!missing) {
        return LG_ERR_OOM;
    }
    missing->path = read_path_text(j, &path);
    // A record that is there but lacks the field would lack it again.
    bool fetch = !path.in_args && (!read_path_entry(j, &path) || read_path_entry(j, &path)->stale);
    missing->read = fetch ? supplying_read(j, &path) : LG_STR("");
    finding->missing = missing;
    finding->missing_count = 1;
    return missing->path.ptr && missing->read.ptr ? LG_OK : LG_ERR_OOM;
}
