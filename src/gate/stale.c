// stale.c: records that must be read again before a rule may count on them.
//
// A rule with `stale: reread` treats a stale record as missing evidence. The log says which records it
// counted on: to come to anything in a record, a lookup must go through the record's own node. If only
// parts of the record may have changed, it must have come to such a part, key by key; or to something above
// it that its expressions take as a whole, which no log of lookups shows (`size(o)`, `o == p`). What it has not
// come to cannot have decided anything: with another value there, it would have gone the same way. But it is
// enough that the rule has read it: whether the value decided is not asked. A call that has not answered yet may
// change records, too: what has read one of those is pending, whatever the rule wants of stale records.
#include "gate/gate_internal.h"

#include "base/utf8.h"

static const lg_json *node_of(const judgement *j, const lg_ledger_entry *entry)
{
    const lg_json *node = j->state->root;
    for (uint32_t i = 0; i < entry->declared->segment_count; i++) {
        node = lg_json_get(node, entry->segments[i]);
    }
    return node;
}

static uint32_t *slot_of(const judgement *j, const lg_json *node)
{
    uint64_t hash = (uint64_t)(uintptr_t)node * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(hash >> 40) & j->stale_mask;
    while (j->stale_table[at] && j->stale[j->stale_table[at] - 1].node != node) {
        at = (at + 1) & j->stale_mask;
    }
    return &j->stale_table[at];
}

static lg_status find_nodes(judgement *j)
{
    if (j->stale) {
        return LG_OK;
    }
    // Each is looked up from the root, in what may be large maps.
    uint32_t count = j->state->stale;
    if (!lg_budget_take(j->work, j->state->entries.count / 4 + 20 * (uint64_t)count)) {
        return LG_OK;
    }
    uint32_t size = 16;
    while (size < count * 2) {
        size *= 2;
    }
    j->stale_table = LG_NEW_ARRAY(&j->log_arena, uint32_t, size);
    j->stale = LG_NEW_ARRAY(&j->log_arena, stale_node, count + 1);
    j->stale_mask = size - 1;
    if (!j->stale_table || !j->stale) {
        return LG_ERR_OOM;
    }
    for (uint32_t i = 0; i < j->state->entries.count; i++) {
        const lg_ledger_entry *entry = lg_ledger_entry_at(j->state, i);
        if (entry->stale) {
            j->stale[j->stale_count++] = (stale_node){node_of(j, entry), entry, 0};
            *slot_of(j, j->stale[j->stale_count - 1].node) = j->stale_count;
        }
    }
    return LG_OK;
}

// Does the rule take something that lies above the record as a whole, a collection that it compares, say? Then
// no lookup goes through the record itself.
static bool reads_above(const lg_rule *rule, const lg_ledger_entry *entry)
{
    uint32_t depth = entry->declared->segment_count;
    for (size_t i = 0; i < rule->reads.count; i++) {
        const lg_reach *path = &rule->reads.items[i];
        bool above = !path->presence && path->count < depth;
        for (uint32_t s = 0; s < path->count && above; s++) {
            above = path->steps[s].key != LG_REACH_NAME ||
                    lg_str_eq(path->steps[s].name, entry->segments[s]);
        }
        if (above) {
            return true;
        }
    }
    return rule->reads.anything;
}

static lg_reach part_path(const lg_ledger_entry *entry, const lg_stale_part *part)
{
    lg_reach path = {0};
    for (uint32_t i = 0; i < entry->declared->segment_count; i++) {
        path.steps[path.count++] =
            (lg_reach_step){.key = LG_REACH_NAME, .name = entry->segments[i]};
    }
    for (uint32_t i = 0; i < part->count && path.count < LG_REACH_STEPS_MAX; i++) {
        lg_reach_key key = part->steps[i].ptr ? LG_REACH_NAME : LG_REACH_ANY;
        path.steps[path.count++] = (lg_reach_step){.key = key, .name = part->steps[i]};
    }
    return path;
}

// Can any expression of the rule come to it?
static bool may_read(const lg_rule *rule, const lg_ledger_entry *entry)
{
    static const lg_stale_part whole = {.count = 0};
    lg_reach path = part_path(entry, &whole);
    bool meets = rule->reads.anything;
    for (size_t i = 0; i < rule->reads.count && !meets; i++) {
        meets = lg_reach_meets(&path, &rule->reads.items[i]);
    }
    return meets;
}

// Stamps the stale records that this rule has gone through. Reads that the log has no room for may
// have been of any record that its expressions can come to.
static void stamp_read(judgement *j, const lg_rule *rule, const outcome *o, bool dropped)
{
    j->stale_stamp++;
    j->came_to.cut = dropped;
    for (uint32_t i = o->log_from; i < o->log_to && !dropped; i++) {
        const lg_json *child = as_of_state(j, j->log.items[i].child);
        uint32_t found = child ? *slot_of(j, child) : 0;
        if (found) {
            j->stale[found - 1].read = j->stale_stamp;
        }
    }
    for (uint32_t i = 0; i < j->stale_count; i++) {
        const lg_ledger_entry *entry = j->stale[i].entry;
        if (dropped ? may_read(rule, entry) : reads_above(rule, entry)) {
            j->stale[i].read = j->stale_stamp;
        }
    }
}

// A rule that asks for what it missed has counted on a stale record only if that is missing there. One that
// abstained lets the call pass: with another value it might not have.
static bool decided_by_record(judgement *j, const outcome *o)
{
    if (o->kind != OUTCOME_MISSING) {
        return o->kind != OUTCOME_DEFECT;
    }
    read_path path;
    uint32_t index = o->failure->read;
    if (!lg_budget_take(j->work, find_cost(j) - o->log_from)) {
        return false;
    }
    read_note *notes = j->notes;
    j->notes = NULL; // they know nothing of what was read since
    bool in_ledger = index < j->log.count && read_path_of(j, index, &path) && !path.in_args;
    j->notes = notes;
    const lg_ledger_entry *entry = in_ledger ? read_path_entry(j, &path) : NULL;
    return entry && read_path_is_stale(&path, entry, NULL);
}

// --- What the rule has come to ------------------------------------------------------------------

// Nodes that lookups have found, and with the lowest bit set those that were looked into.
static uintptr_t found_mark(const lg_json *node)
{
    return (uintptr_t)node;
}

static uintptr_t entered_mark(const lg_json *node)
{
    return (uintptr_t)node | 1u;
}

static uintptr_t *mark_slot(const came_to *to, uintptr_t mark)
{
    uint32_t at = (uint32_t)((uint64_t)mark * UINT64_C(0x9E3779B97F4A7C15) >> 40) & to->mask;
    while (to->marks[at] && to->marks[at] != mark) {
        at = (at + 1) & to->mask;
    }
    return &to->marks[at];
}

static bool has_mark(const came_to *to, uintptr_t mark)
{
    return *mark_slot(to, mark) != 0;
}

// Two marks a lookup, in a table that is at most half full.
static bool make_marks(judgement *j, uint32_t lookups)
{
    came_to *to = &j->came_to;
    uint32_t size = 16;
    while (size < lookups * 4) {
        size *= 2;
    }
    if (!to->marks || to->mask + 1 < size) {
        to->marks = LG_NEW_ARRAY(&j->log_arena, uintptr_t, size);
        to->mask = size - 1;
    } else {
        memset(to->marks, 0, ((size_t)to->mask + 1) * sizeof(*to->marks));
    }
    return to->marks != NULL;
}

// Once an evaluation, when the first part is asked for. Without the steps for it there is no verdict.
static lg_status note_lookups(judgement *j, const outcome *o)
{
    came_to *to = &j->came_to;
    uint32_t lookups = o->log_to - o->log_from;
    if (to->stamp == j->stale_stamp) {
        return LG_OK;
    }
    if (!lg_budget_take(j->work, lookups)) {
        return LG_OK;
    }
    if (!make_marks(j, lookups)) {
        return LG_ERR_OOM;
    }
    to->stamp = j->stale_stamp;
    for (uint32_t i = o->log_from; i < o->log_to; i++) {
        const lg_cel_read *read = &j->log.items[i];
        uintptr_t entered = entered_mark(as_of_state(j, read->parent));
        *mark_slot(to, entered) = entered;
        if (read->child) {
            uintptr_t found = found_mark(as_of_state(j, read->child));
            *mark_slot(to, found) = found;
        }
    }
    return LG_OK;
}

// How far an evaluation has come from a record towards a part of it, in steps.
typedef struct progress {
    uint32_t steps;
    bool nothing_there; // no value stands under the key of the next step
} progress;

#define ALL_THE_WAY UINT32_MAX

// Has the evaluation looked for this key, which the node has not?
static bool has_missed(const judgement *j, const outcome *o, const lg_json *node, lg_str key)
{
    for (uint32_t i = o->log_from; i < o->log_to; i++) {
        const lg_cel_read *read = &j->log.items[i];
        if (!read->child && !read->is_index && as_of_state(j, read->parent) == node &&
            lg_str_eq(read->key, key)) {
            return true;
        }
    }
    return false;
}

// Where the key of the part is not known, any lookup may have been the one. An empty collection shows nobody who
// goes through it.
static progress progress_to(judgement *j, const outcome *o, const lg_json *node,
                            const lg_stale_part *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        lg_str key = part->steps[i];
        const lg_json *child = key.ptr ? lg_json_get(node, key) : NULL;
        bool entered = has_mark(&j->came_to, entered_mark(node));
        if (!key.ptr && (entered || lg_json_len(node) == 0)) {
            return (progress){.steps = ALL_THE_WAY};
        }
        if (!child) {
            bool missed =
                key.ptr && entered &&
                (!lg_budget_take(j->work, o->log_to - o->log_from) || has_missed(j, o, node, key));
            return (progress){.steps = missed ? ALL_THE_WAY : i, .nothing_there = true};
        }
        if (!has_mark(&j->came_to, found_mark(child))) {
            return (progress){.steps = i};
        }
        node = child;
    }
    return (progress){.steps = ALL_THE_WAY};
}

// Does the rule take anything on the way to the part, as far as it has come, or of the part? One that goes through
// all that a collection holds is told by what is not there, too; any key of its expressions may be that.
static bool takes_part(const lg_rule *rule, const lg_ledger_entry *entry, const lg_stale_part *part,
                       progress come)
{
    lg_reach path = part_path(entry, part);
    uint64_t reached = (uint64_t)entry->declared->segment_count + come.steps;
    for (size_t i = 0; i < rule->reads.count; i++) {
        const lg_reach *taken = &rule->reads.items[i];
        uint32_t common = taken->count < path.count ? taken->count : path.count;
        bool comes =
            common <= reached || (come.nothing_there && taken->steps[reached].key != LG_REACH_NAME);
        if (comes && lg_reach_meets(&path, taken)) {
            return true;
        }
    }
    return false;
}

// Has the rule read anything of the record that may have changed, as `marked` says? `ret->entry` is NULL if not.
static lg_status find_part_read(judgement *j, const lg_rule *rule, const stale_node *stale,
                                const lg_ledger_entry *marked, const outcome *o, stale_read *ret)
{
    *ret = (stale_read){.entry = marked};
    uint64_t pairs = (uint64_t)marked->part_count * (rule->reads.count + 1);
    if (marked->part_count == 0 || rule->reads.anything || j->came_to.cut ||
        !lg_budget_take(j->work, 2 * pairs)) {
        return LG_OK;
    }
    if (note_lookups(j, o) != LG_OK) {
        return LG_ERR_OOM;
    }
    for (uint32_t p = 0; p < marked->part_count && !j->work->spent; p++) {
        const lg_stale_part *part = &marked->parts[p];
        if (takes_part(rule, marked, part, progress_to(j, o, stale->node, part))) {
            ret->part = part;
            return LG_OK;
        }
    }
    ret->entry = j->work->spent ? marked : NULL;
    return LG_OK;
}

// The stamped records of which the rule reads what may have changed: of pending changes, or of any.
static lg_status list_reads(judgement *j, const lg_rule *rule, bool pending, outcome *o)
{
    stale_read *found = NULL;
    for (uint32_t i = 0; i < j->stale_count; i++) {
        const lg_ledger_entry *entry = j->stale[i].entry;
        const lg_ledger_entry *marked = pending ? entry->pending : entry;
        stale_read read;
        if (j->stale[i].read != j->stale_stamp || !marked) {
            continue;
        }
        if (find_part_read(j, rule, &j->stale[i], marked, o, &read) != LG_OK) {
            return LG_ERR_OOM;
        }
        if (!read.entry) {
            continue;
        }
        if (!found) {
            found = LG_NEW_ARRAY(j->scratch, stale_read, j->stale_count);
            if (!found) {
                return LG_ERR_OOM;
            }
        }
        found[o->stale_count++] = read;
    }
    if (found) {
        o->stale = found;
        o->kind = pending ? OUTCOME_PENDING : OUTCOME_STALE;
    }
    return LG_OK;
}

lg_status find_stale_reads(judgement *j, const lg_rule *rule, bool dropped, outcome *o)
{
    if (find_nodes(j) != LG_OK) {
        return LG_ERR_OOM;
    }
    if (!lg_budget_take(j->work, (o->log_to - o->log_from) +
                                     (uint64_t)j->stale_count * (1 + rule->reads.count / 4))) {
        return LG_OK; // without the steps for it no verdict is reached
    }
    stamp_read(j, rule, o, dropped);
    lg_status status = LG_OK;
    if (j->state->pending > 0 && o->kind != OUTCOME_DEFECT) {
        status = list_reads(j, rule, true, o);
    }
    bool fresh_only = rule->stale == LG_STALE_REREAD && j->state->stale > 0;
    if (status == LG_OK && fresh_only && o->kind != OUTCOME_PENDING && decided_by_record(j, o)) {
        status = list_reads(j, rule, false, o);
    }
    return status;
}

// --- In words -----------------------------------------------------------------------------------

// get_order_details(order_id: "#W1")
static lg_str read_call(judgement *j, const stale_read *read)
{
    lg_ledger_read again = lg_ledger_read_again(read->entry, read->part);
    const lg_tool *tool = lg_pack_tool(j->pack, again.tool);
    if (!tool) {
        return LG_STR(""); // none can be named
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    print_call(j, &text, tool, again.args);
    lg_str copy = {NULL, 0};
    return take_text(j, &text, &copy) == LG_OK ? copy : (lg_str){NULL, 0};
}

// The record, or as far down to the part as the steps are known.
static lg_str path_of(judgement *j, const stale_read *read)
{
    read_path path = {.count = read->entry->declared->segment_count};
    for (uint32_t i = 0; i < path.count; i++) {
        path.steps[i].key = read->entry->segments[i];
    }
    for (uint32_t i = 0; read->part && i < read->part->count && read->part->steps[i].ptr; i++) {
        path.steps[path.count++].key = read->part->steps[i];
    }
    return read_path_text(j, &path, &j->budget->words);
}

void print_pending(judgement *j, lg_buf *out, const outcome *o)
{
    for (uint32_t i = 0; i < o->stale_count && lg_budget_take(&j->budget->words, 20 + i); i++) {
        const stale_read *read = &o->stale[i];
        lg_str tool = read->part ? read->part->tool : read->entry->stale_tool;
        lg_str path = path_of(j, read);
        lg_buf_add_c(out, i ? " " : "");
        add_shown(out, tool);
        lg_buf_add_c(out,
                     ", which was called before this call and has not answered yet, may change ");
        add_place(out, path.ptr ? path : LG_STR("what this rule has read"));
        lg_buf_add_c(out, ".");
    }
    lg_buf_add_c(out, o->stale_count ? " " : "");
    lg_buf_add_c(out, "Make this call again once that one has answered.");
}

lg_status list_stale(judgement *j, const outcome *o, lg_finding *finding)
{
    lg_missing *missing = LG_NEW_ARRAY(j->scratch, lg_missing, o->stale_count);
    if (!missing) {
        return LG_ERR_OOM;
    }
    uint32_t count = 0;
    for (; count < o->stale_count && lg_budget_take(&j->budget->words, 20 + count); count++) {
        uint32_t i = count;
        missing[i] = (lg_missing){path_of(j, &o->stale[i]), read_call(j, &o->stale[i])};
        if (!missing[i].path.ptr || !missing[i].read.ptr) {
            return LG_ERR_OOM;
        }
    }
    finding->missing = missing;
    finding->missing_count = count;
    return LG_OK;
}
