// stale.c: records that must be read again before a rule may count on them.
//
// A rule with `stale: reread` takes a stale record for missing evidence. Which records it counted on
// tells the log: to come to anything in a record, a lookup must go through the record's own node.
// Of a record of which only parts may have changed, the rule must read such a part: which parts it
// reads at all is known from its expressions.
// That the rule has read it is enough. What a comparison skipped was not read; what was read may
// have decided, and nobody looks twice.
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

static lg_status find_nodes(judgement *j)
{
    if (j->stale) {
        return LG_OK;
    }
    stale_node *nodes = LG_NEW_ARRAY(j->scratch, stale_node, j->state->stale + 1);
    if (!nodes) {
        return LG_ERR_OOM;
    }
    for (uint32_t i = 0; i < j->state->entries.count; i++) {
        const lg_ledger_entry *entry = lg_ledger_entry_at(j->state, i);
        if (entry->stale) {
            nodes[j->stale_count++] = (stale_node){node_of(j, entry), entry};
        }
    }
    j->stale = nodes;
    return LG_OK;
}

// Reads that the log has no room for may have been of any record.
static bool was_read(const judgement *j, const outcome *o, const lg_json *node, bool dropped)
{
    for (uint32_t i = o->log_from; i < o->log_to && !dropped; i++) {
        if (j->log.items[i].child == node) {
            return true;
        }
    }
    return dropped;
}

// A rule that found nothing out, or stumbled, has counted on a stale record only if what it missed
// is missing there.
static bool decided_by_record(judgement *j, const outcome *o)
{
    if (o->kind != OUTCOME_ABSTAINS && o->kind != OUTCOME_MISSING) {
        return o->kind != OUTCOME_DEFECT;
    }
    read_path path;
    uint32_t index = o->failure->read;
    read_note *notes = j->notes;
    j->notes = NULL; // they know nothing of what was read since
    bool in_ledger = index < j->log.count && read_path_of(j, index, &path) && !path.in_args;
    j->notes = notes;
    const lg_ledger_entry *entry = in_ledger ? read_path_entry(j, &path) : NULL;
    return entry && read_path_is_stale(&path, entry, NULL);
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

// Does the rule read anything of the record that may have changed?
static bool reads_stale_part(const lg_rule *rule, const lg_ledger_entry *entry, stale_read *ret)
{
    *ret = (stale_read){.entry = entry};
    if (entry->part_count == 0 || rule->reads.anything) {
        return true;
    }
    for (uint32_t p = 0; p < entry->part_count; p++) {
        lg_reach path = part_path(entry, &entry->parts[p]);
        for (size_t i = 0; i < rule->reads.count; i++) {
            if (lg_reach_meets(&path, &rule->reads.items[i])) {
                ret->part = &entry->parts[p];
                return true;
            }
        }
    }
    return false;
}

lg_status find_stale_reads(judgement *j, const lg_rule *rule, bool dropped, outcome *o)
{
    if (find_nodes(j) != LG_OK) {
        return LG_ERR_OOM;
    }
    if (!decided_by_record(j, o)) {
        return LG_OK;
    }
    stale_read *found = NULL;
    for (uint32_t i = 0; i < j->stale_count; i++) {
        stale_read read;
        if (!was_read(j, o, j->stale[i].node, dropped) ||
            !reads_stale_part(rule, j->stale[i].entry, &read)) {
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
        o->kind = OUTCOME_STALE;
    }
    return LG_OK;
}

// --- In words -----------------------------------------------------------------------------------

// get_order_details(order_id: "#W1")
static lg_str read_call(judgement *j, const lg_ledger_entry *entry)
{
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_buf_add(&text, entry->tool);
    lg_buf_add_byte(&text, '(');
    for (size_t i = 0; i < lg_json_len(entry->args); i++) {
        const lg_json_member *member = lg_json_member_at(entry->args, i);
        lg_buf_add_c(&text, i ? ", " : "");
        lg_utf8_add_printable(&text, lg_json_key(member));
        lg_buf_add_c(&text, ": ");
        lg_json_print(&text, &member->value);
    }
    lg_buf_add_byte(&text, ')');
    lg_str copy = {NULL, 0};
    if (lg_buf_status(&text) == LG_OK) {
        copy = lg_arena_str(j->scratch, lg_buf_str(&text));
    }
    lg_buf_done(&text);
    return copy;
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
    return read_path_text(j, &path);
}

lg_status list_stale(judgement *j, const outcome *o, lg_finding *finding)
{
    lg_missing *missing = LG_NEW_ARRAY(j->scratch, lg_missing, o->stale_count);
    if (!missing) {
        return LG_ERR_OOM;
    }
    for (uint32_t i = 0; i < o->stale_count; i++) {
        missing[i] = (lg_missing){path_of(j, &o->stale[i]), read_call(j, o->stale[i].entry)};
        if (!missing[i].path.ptr || !missing[i].read.ptr) {
            return LG_ERR_OOM;
        }
    }
    finding->missing = missing;
    finding->missing_count = o->stale_count;
    return LG_OK;
}
