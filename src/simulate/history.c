// history.c: the calls of a session, of which copies share all they have in common.
#include "simulate/simulate_internal.h"

#include "json/tree.h"

static uint64_t count_in(const sim_page *page, uint64_t latest)
{
    LG_DEBUG_ASSERT(latest >= page->first);
    uint64_t count = latest - page->first + 1;
    return count < page->used ? count : page->used;
}

const sim_entry *sim_history_find(const sim_history *history, uint64_t number)
{
    if (number < history->first || number > history->latest) {
        return NULL;
    }
    const sim_page *page = history->newest;
    while (page && page->first > number) {
        page = page->older;
    }
    return page ? page->entries[number - page->first] : NULL;
}

sim_page *sim_history_reserve(lg_arena *arena, const sim_history *history)
{
    sim_page *newest = history->newest;
    uint64_t count = newest ? count_in(newest, history->latest) : 0;
    if (newest && count == newest->used && count < SIM_PAGE_CALLS) {
        return newest;
    }
    sim_page *page = LG_NEW(arena, sim_page);
    if (!page) {
        return NULL;
    }
    page->first = history->latest + 1;
    page->older = newest;
    if (newest && count < SIM_PAGE_CALLS) { // somebody else has gone on in it
        page->first = newest->first;
        page->older = newest->older;
        page->used = (uint32_t)count;
        memcpy(page->entries, newest->entries, count * sizeof(page->entries[0]));
    }
    return page;
}

// Drops the oldest calls behind which more than `bytes_max` was kept; never the latest.
static void drop_beyond(sim_history *history, uint64_t bytes_max)
{
    uint64_t first = history->latest;
    const sim_page *page = history->newest;
    bool all = true; // calls of the page fit
    for (; page && all && first > history->first; page = page->older) {
        uint64_t floor = page->first > history->first ? page->first : history->first;
        const sim_entry *oldest = page->entries[floor - page->first];
        all = history->bytes - oldest->bytes <= bytes_max;
        while (!all && first > floor &&
               history->bytes - page->entries[first - 1 - page->first]->bytes <= bytes_max) {
            first--;
        }
        first = all ? floor : first;
    }
    history->first = first;
}

void sim_history_add(sim_history *history, sim_page *page, const sim_entry *entry, size_t calls_max,
                     uint64_t bytes_max)
{
    LG_DEBUG_ASSERT(page->first + page->used == history->latest + 1);
    page->entries[page->used++] = entry;
    history->newest = page;
    history->latest++;
    history->bytes = entry->bytes;
    if (history->latest - history->first + 1 > calls_max) {
        history->first++;
    }
    uint64_t slack = bytes_max / 64; // looking goes through all pages, so it is done now and then
    if (page->used == 1 || history->bytes - history->looked > slack) {
        history->looked = history->bytes;
        drop_beyond(history, bytes_max - slack);
    }
}

// --- Moving -------------------------------------------------------------------------------------

static bool move_value(lg_mover *mover, const lg_json **value)
{
    *value = *value ? lg_tree_move_at(mover, *value) : NULL;
    return *value != NULL;
}

static bool move_violations(lg_mover *mover, lg_sim_past *past)
{
    bool fresh = false;
    if (!past->violation_count) {
        return true;
    }
    lg_sim_violation *items =
        lg_mover_block(mover, past->violations, past->violation_count * sizeof(*items),
                       _Alignof(lg_sim_violation), &fresh);
    bool fine = items != NULL;
    for (size_t i = 0; fine && fresh && i < past->violation_count; i++) {
        fine = lg_mover_text(mover, &items[i].rule.ptr, items[i].rule.len) &&
               lg_mover_text(mover, &items[i].kind.ptr, items[i].kind.len) &&
               lg_mover_text(mover, &items[i].path.ptr, items[i].path.len) &&
               lg_mover_text(mover, &items[i].message.ptr, items[i].message.len);
    }
    past->violations = items;
    return fine;
}

static const sim_entry *move_entry(lg_mover *mover, const sim_entry *old)
{
    bool fresh;
    sim_entry *entry = lg_mover_block(mover, old, sizeof(*old), _Alignof(sim_entry), &fresh);
    if (!entry || !fresh) {
        return entry;
    }
    bool fine = lg_mover_text(mover, &entry->past.tool.ptr, entry->past.tool.len) &&
                lg_mover_text(mover, &entry->past.error.ptr, entry->past.error.len) &&
                lg_mover_text(mover, &entry->past.note.ptr, entry->past.note.len) &&
                move_violations(mover, &entry->past) &&
                (!entry->past.args || move_value(mover, &entry->past.args)) &&
                (!entry->past.result || move_value(mover, &entry->past.result)) &&
                (!entry->before || move_value(mover, &entry->before)) &&
                (!entry->after || move_value(mover, &entry->after));
    return fine ? entry : NULL;
}

static bool move_entries(lg_mover *mover, sim_page *page)
{
    bool fine = true;
    for (uint32_t i = 0; i < page->used && fine; i++) {
        page->entries[i] = move_entry(mover, page->entries[i]);
        fine = page->entries[i] != NULL;
    }
    return fine;
}

// Another history may have moved these pages already, but not as far down as this one needs them.
bool sim_history_move(lg_mover *mover, const sim_history *history, sim_history *ret)
{
    sim_page *above = NULL;
    *ret = *history;
    ret->newest = NULL;
    for (sim_page *page = history->first <= history->latest ? history->newest : NULL; page;
         page = page->older) {
        bool fresh;
        sim_page *copy = lg_mover_block(mover, page, sizeof(*page), _Alignof(sim_page), &fresh);
        if (copy && fresh) {
            copy->older = NULL;
            copy->floor = UINT64_MAX;
        }
        if (!copy || (fresh && !move_entries(mover, copy))) {
            return false;
        }
        *(above ? &above->older : &ret->newest) = copy;
        bool complete = copy->floor <= history->first;
        copy->floor = complete ? copy->floor : history->first;
        if (complete || page->first <= history->first) {
            break;
        }
        above = copy;
    }
    return true;
}
