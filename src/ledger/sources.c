// sources.c: what a record was put together from, and what of it is stale.
//
// A record that one read stores as a whole has one source. A record whose fields are stored one by
// one has one for each, with marks of its own: reading a field again clears that of the field.
#include "ledger/ledger_internal.h"

// --- Parts --------------------------------------------------------------------------------------

// Is it at `above`, or below that? A step that is any may be another.
static bool lies_within(const lg_stale_part *part, const lg_stale_part *above)
{
    bool within = part->count >= above->count;
    for (uint32_t i = 0; i < above->count && within; i++) {
        bool any = !above->steps[i].ptr;
        within = any || (part->steps[i].ptr && lg_str_eq(part->steps[i], above->steps[i]));
    }
    return within;
}

lg_stale_part part_of_store(const lg_tool_store *store)
{
    lg_stale_part part = {.count = 0};
    for (uint32_t i = store ? store->to.place->segment_count : 0;
         store && i < store->to.segment_count; i++) {
        part.steps[part.count++] = store->to.segments[i].name;
    }
    return part;
}

void marks_add(marks *m, const lg_stale_part *part)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const lg_stale_part *known = &m->parts[i];
        if (lies_within(part, known)) {
            return;
        }
    }
    m->all = m->all || part->count == 0 || m->count == PARTS_MAX;
    if (m->all) {
        m->count = 0;
    } else {
        m->parts[m->count++] = *part;
    }
}

static lg_status keep_parts(fold *f, const marks *m, const lg_stale_part **ret, uint32_t *ret_count)
{
    *ret = NULL;
    *ret_count = m->all ? 0 : m->count;
    if (*ret_count) {
        size_t bytes = *ret_count * sizeof(**ret);
        lg_stale_part *parts = lg_arena_alloc(f->work, bytes, _Alignof(lg_stale_part));
        if (!parts) {
            return lg_fail_oom(f->why);
        }
        memcpy(parts, m->parts, bytes);
        *ret = parts;
    }
    return LG_OK;
}

static marks marks_of(const lg_ledger_source *source)
{
    marks m = {.all = source->stale && source->part_count == 0};
    for (uint32_t i = 0; i < source->part_count; i++) {
        marks_add(&m, &source->parts[i]);
    }
    return m;
}

lg_status mark_source(fold *f, lg_ledger_source *source, const marks *m, bool doubted)
{
    marks joined = marks_of(source);
    joined.all = joined.all || m->all;
    for (uint32_t i = 0; i < m->count && !joined.all; i++) {
        marks_add(&joined, &m->parts[i]);
    }
    if (!source->stale) {
        source->stale = true;
        source->doubted = doubted;
        source->stale_tool = f->tool ? f->tool->name : f->call.tool;
        source->stale_turn = f->call.turn;
    }
    return keep_parts(f, &joined, &source->parts, &source->part_count);
}

// May the store have nothing to put there any more?
static bool may_be_gone(const lg_ledger_source *source)
{
    lg_stale_part own = part_of_store(source->store);
    bool gone = source->stale && source->part_count == 0;
    for (uint32_t i = 0; i < source->part_count && !gone; i++) {
        gone = lies_within(&own, &source->parts[i]);
    }
    return gone;
}

// If every part of the record may be gone, there may be no record: then all of it is stale, what it does not hold
// included. Else what is stale of it is what is stale of its sources.
lg_status sum_up(fold *f, lg_ledger_entry *entry)
{
    marks m; // whose parts are many: only as many are set as are counted
    m.all = true;
    m.count = 0;
    for (const lg_ledger_source *s = entry->sources; s && m.all; s = s->older) {
        m.all = may_be_gone(s);
    }
    entry->stale = false;
    entry->doubted = false;
    for (const lg_ledger_source *s = entry->sources; s; s = s->older) {
        if (!s->stale) {
            continue;
        }
        if (!entry->stale || s->stale_turn <= entry->stale_turn) {
            entry->stale_tool = s->stale_tool;
            entry->stale_turn = s->stale_turn;
            entry->doubted = s->doubted;
        }
        entry->stale = true;
        m.all = m.all || s->part_count == 0;
        for (uint32_t i = 0; i < s->part_count && !m.all; i++) {
            marks_add(&m, &s->parts[i]);
        }
    }
    return keep_parts(f, &m, &entry->parts, &entry->part_count);
}

// --- Replacing ----------------------------------------------------------------------------------

static bool is_same_read(const lg_ledger_source *a, const lg_ledger_source *b)
{
    return a->read == b->read && a->observed != b->observed && a->args && b->args &&
           lg_json_equal(a->args, b->args);
}

// Is the mark of an old source no longer true of anything? The part was observed again; or the same read
// was made again, and what it would put beside its own part it has put there by now.
static bool is_cleared(const lg_stale_part *mark, const lg_stale_part *own,
                       const lg_stale_part *seen, bool same_read)
{
    return lies_within(mark, seen) || (same_read && !lies_within(mark, own));
}

// The old source beside the fresh one: NULL if nothing is left of it, itself if it stays as it was.
static lg_status source_beside(fold *f, const lg_ledger_source *old, const lg_ledger_source *fresh,
                               const lg_ledger_source **ret)
{
    const lg_stale_part own = part_of_store(old->store);
    const lg_stale_part seen = part_of_store(fresh->store);
    *ret = lies_within(&own, &seen) ? NULL : old;
    if (!*ret || old->part_count == 0) {
        return LG_OK;
    }
    bool same_read = is_same_read(old, fresh);
    marks left = {0};
    bool cleared = false;
    for (uint32_t i = 0; i < old->part_count; i++) {
        if (is_cleared(&old->parts[i], &own, &seen, same_read)) {
            cleared = true;
        } else {
            marks_add(&left, &old->parts[i]);
        }
    }
    lg_ledger_source *copy = cleared ? LG_NEW(f->work, lg_ledger_source) : NULL;
    if (!copy) {
        return cleared ? lg_fail_oom(f->why) : LG_OK;
    }
    *copy = *old;
    copy->stale = left.count > 0;
    *ret = copy;
    return keep_parts(f, &left, &copy->parts, &copy->part_count);
}

static lg_status append(fold *f, lg_ledger_source **last, const lg_ledger_source *source)
{
    lg_ledger_source *copy = LG_NEW(f->work, lg_ledger_source);
    if (!copy) {
        return lg_fail_oom(f->why);
    }
    *copy = *source;
    copy->older = NULL;
    (*last)->older = copy;
    *last = copy;
    return LG_OK;
}

// What is left of the old sources beside the fresh one, which comes first. There are no more than the
// record has fields.
static lg_status add_older(fold *f, lg_ledger_source *fresh, const lg_ledger_source *first)
{
    lg_status status = LG_OK;
    lg_ledger_source *last = fresh;
    for (const lg_ledger_source *at = first; at && status == LG_OK; at = at->older) {
        const lg_ledger_source *left;
        status = source_beside(f, at, fresh, &left);
        status = status == LG_OK && left ? append(f, &last, left) : status;
    }
    return status;
}

lg_status add_source(fold *f, lg_ledger_entry *entry, const lg_ledger_entry *before,
                     const lg_tool_store *store)
{
    lg_ledger_source *made = LG_NEW(f->work, lg_ledger_source);
    if (!made) {
        return lg_fail_oom(f->why);
    }
    *made = (lg_ledger_source){.store = store,
                               .tool = entry->tool,
                               .read = entry->read,
                               .args = entry->args,
                               .turn = entry->turn,
                               .observed = entry->observed};
    entry->sources = made;
    bool whole = store->to.segment_count == store->to.place->segment_count;
    lg_status status = add_older(f, made, before && !whole ? before->sources : NULL);
    return status == LG_OK && made->older ? sum_up(f, entry) : status;
}

// --- Asking -------------------------------------------------------------------------------------

static bool part_meets(const lg_stale_part *part, const lg_str *steps, size_t count)
{
    bool meets = true;
    for (size_t i = 0; i < count && i < part->count && meets; i++) {
        meets = !steps[i].ptr || !part->steps[i].ptr || lg_str_eq(steps[i], part->steps[i]);
    }
    return meets;
}

bool lg_ledger_is_stale(const lg_ledger_entry *entry, const lg_str *steps, size_t count,
                        lg_str *ret_tool, uint32_t *ret_turn)
{
    const lg_stale_part all = {.tool = entry->stale_tool, .turn = entry->stale_turn};
    const lg_stale_part *parts = entry->part_count ? entry->parts : &all;
    size_t part_count = entry->stale ? (entry->part_count ? entry->part_count : 1) : 0;
    for (size_t p = 0; p < part_count; p++) {
        if (part_meets(&parts[p], steps, count)) {
            if (ret_tool) {
                *ret_tool = parts[p].tool;
            }
            if (ret_turn) {
                *ret_turn = parts[p].turn;
            }
            return true;
        }
    }
    return false;
}

static bool source_has(const lg_ledger_source *source, const lg_stale_part *part)
{
    bool has = source->stale && (!part || source->part_count == 0);
    for (uint32_t i = 0; part && i < source->part_count && !has; i++) {
        has = part_meets(&source->parts[i], part->steps, part->count);
    }
    return has;
}

lg_ledger_read lg_ledger_read_again(const lg_ledger_entry *entry, const lg_stale_part *part)
{
    for (const lg_ledger_source *s = entry->sources; s; s = s->older) {
        if (source_has(s, part)) {
            return (lg_ledger_read){s->tool, s->args};
        }
    }
    return (lg_ledger_read){entry->tool, entry->args};
}
