// moments.c: when events happened, and how many of them lie within a window.
//
// Whether one of many lies within a window the latest of them tells. A count keeps the positions of
// its latest matches in a ring; they grow, so how many are within is found by halving.
#include "conversation/conversation_internal.h"

void moments_add(const passage *p, lg_window_unit unit, moments *m)
{
    bool timed = unit != LG_WINDOW_SECONDS || p->timed;
    m->is = true;
    m->untimed = m->untimed || !timed;
    if (timed && (!m->timed || p->at[unit] > m->at)) {
        m->timed = true;
        m->at = p->at[unit];
    }
}

answer moments_within(const passage *p, const lg_window *window, const moments *m)
{
    if (!m->is) {
        return ANSWER_NO;
    }
    if (window->unit == LG_WINDOW_NONE) {
        return ANSWER_YES;
    }
    if (window->unit == LG_WINDOW_SECONDS && !p->timed) {
        return ANSWER_UNKNOWN;
    }
    if (m->timed && p->at[window->unit] - m->at <= window->size) {
        return ANSWER_YES;
    }
    return m->untimed ? ANSWER_UNKNOWN : ANSWER_NO;
}

// --- Certain and possible -----------------------------------------------------------------------

void mark_add(const passage *p, lg_window_unit unit, answer is, mark *m)
{
    if (is == ANSWER_YES) {
        moments_add(p, unit, &m->sure);
    }
    if (is != ANSWER_NO) {
        moments_add(p, unit, &m->maybe);
    }
}

void mark_go_on(mark *m, answer goes_on)
{
    if (goes_on != ANSWER_YES) {
        m->sure = (moments){0};
    }
    if (goes_on == ANSWER_NO) {
        m->maybe = (moments){0};
    }
}

answer mark_within(const passage *p, const lg_window *window, const mark *m)
{
    if (moments_within(p, window, &m->sure) == ANSWER_YES) {
        return ANSWER_YES;
    }
    return moments_within(p, window, &m->maybe) == ANSWER_NO ? ANSWER_NO : ANSWER_UNKNOWN;
}

// --- Rings --------------------------------------------------------------------------------------

static int64_t position_at(const ring *r, uint64_t number)
{
    return r->chunks[number / CHUNK_POSITIONS % RING_CHUNKS]->at[number % CHUNK_POSITIONS];
}

uint64_t ring_within(passage *p, const lg_window *window, const ring *r)
{
    if (!r) {
        return 0;
    }
    uint64_t kept = r->total < LG_CONVERSATION_COUNT_MAX ? r->total : LG_CONVERSATION_COUNT_MAX;
    uint64_t low = r->total - kept;
    uint64_t high = r->total;
    while (low < high) { // the first that is within
        uint64_t middle = low + (high - low) / 2;
        p->work++;
        if (p->at[window->unit] - position_at(r, middle) <= window->size) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return r->total - low;
}

// The chunk in which place `slot` may be written.
static chunk *writable(lg_arena *arena, chunk *old, uint32_t slot)
{
    if (slot > 0 && old->used == slot) {
        return old;
    }
    chunk *own = LG_NEW(arena, chunk);
    if (own && slot > 0) {
        memcpy(own->at, old->at, slot * sizeof(own->at[0]));
    }
    return own;
}

const ring *ring_with(lg_arena *arena, const ring *r, int64_t at)
{
    ring *longer = LG_NEW(arena, ring);
    if (!longer) {
        return NULL;
    }
    if (r) {
        *longer = *r;
    }
    uint32_t slot = (uint32_t)(longer->total % CHUNK_POSITIONS);
    chunk **place = &longer->chunks[longer->total / CHUNK_POSITIONS % RING_CHUNKS];
    int64_t latest = longer->total ? position_at(longer, longer->total - 1) : at;
    *place = writable(arena, *place, slot);
    if (!*place) {
        return NULL;
    }
    (*place)->at[slot] = at > latest ? at : latest;
    (*place)->used = slot + 1;
    longer->total++;
    return longer;
}
