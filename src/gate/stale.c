// stale.c: records that must be read again before a rule may count on them.
//
// A rule with `stale: reread` takes a stale record for missing evidence. Which records it counted on
// tells the log: to come to anything in a record, a lookup must go through the record's own node.
// That the rule has read it is enough. What a comparison skipped was not read; what was read may
// have decided, and nobody looks twice.
#include "gate/gate_internal.h"

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
    stale_node *nodes = LG_NEW_ARRAY(j->scratch, stale_node, j->state->entry_count + 1);
    if (!nodes) {
        return LG_ERR_OOM;
    }
    for (uint32_t i = 0; i < j->state->entry_count; i++) {
        const lg_ledger_entry *entry = j->state->entries[i];
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
    return entry && entry->stale;
}

lg_status find_stale_reads(judgement *j, bool dropped, outcome *o)
{
    if (find_nodes(j) != LG_OK) {
        return LG_ERR_OOM;
    }
    if (!decided_by_record(j, o)) {
        return LG_OK;
    }
    const lg_ledger_entry **found = NULL;
    for (uint32_t i = 0; i < j->stale_count; i++) {
        if (!was_read(j, o, j->stale[i].node, dropped)) {
            continue;
        }
        if (!found) {
            found = LG_NEW_ARRAY(j->scratch, const lg_ledger_entry *, j->stale_count);
            if (!found) {
                return LG_ERR_OOM;
            }
        }
        found[o->stale_count++] = j->stale[i].entry;
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
        const lg_json_member *member = &entry->args->as.members[i];
        lg_buf_addf(&text, "%s%.*s: ", i ? ", " : "", LG_FMT(lg_json_key(member)));
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

static lg_str path_of(judgement *j, const lg_ledger_entry *entry)
{
    read_path path = {.count = entry->declared->segment_count};
    for (uint32_t i = 0; i < path.count; i++) {
        path.steps[i].key = entry->segments[i];
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
        missing[i] = (lg_missing){path_of(j, o->stale[i]), read_call(j, o->stale[i])};
        if (!missing[i].path.ptr || !missing[i].read.ptr) {
            return LG_ERR_OOM;
        }
    }
    finding->missing = missing;
    finding->missing_count = o->stale_count;
    return LG_OK;
}
