// moments.c: when events happened, and how many of them lie within a window.
//
// Does any of many moments lie within a window? The latest of them tells, so only that is kept. A count
// keeps the positions of its latest matches in a ring, sorted, so that halving finds how many are within.
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
    LG_DEBUG_ASSERT(mark_is_sound(m));
}

void mark_go_on(mark *m, answer goes_on)
{
    if (goes_on != ANSWER_YES) {
        m->sure = (moments){0};
    }
    if (goes_on == ANSWER_NO) {
        m->maybe = (moments){0};
    }
    LG_DEBUG_ASSERT(mark_is_sound(m));
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

static chunk **chunk_of(ring *r, uint64_t number)
{
    return &r->chunks[number / CHUNK_POSITIONS % RING_CHUNKS];
}

// Gives the ring a chunk of its own for place `number`, with what stands before it.
static bool own_chunk(lg_arena *arena, ring *r, uint64_t number, uint32_t used)
{
    chunk **place = chunk_of(r, number);
    chunk *own = LG_NEW(arena, chunk);
    if (own && used > 0) {
        memcpy(own->at, (*place)->at, used * sizeof(own->at[0]));
        own->used = used;
    }
    *place = own;
    return own != NULL;
}

// Where `at` belongs in the order: nearly always at the end. But a call counts at the time of its message, and
// may be observed when another call of that message has its result already.
static uint64_t place_for(const ring *r, int64_t at)
{
    uint64_t kept = r->total < LG_CONVERSATION_COUNT_MAX ? r->total : LG_CONVERSATION_COUNT_MAX;
    uint64_t number = r->total;
    while (number > r->total - kept && position_at(r, number - 1) > at) {
        number--;
    }
    return number;
}

// Does the position stand between its neighbours?
static bool is_in_order(const ring *r, uint64_t number)
{
    bool first = number == 0 || number + LG_CONVERSATION_COUNT_MAX <= r->total;
    bool last = number + 1 == r->total;
    return (first || position_at(r, number - 1) <= position_at(r, number)) &&
           (last || position_at(r, number) <= position_at(r, number + 1));
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
    uint64_t number = place_for(longer, at);
    uint64_t last = longer->total;
    uint32_t slot = (uint32_t)(last % CHUNK_POSITIONS);
    bool is_taken = slot == 0 || (*chunk_of(longer, last))->used != slot; // by another future
    if ((is_taken || number < last) && !own_chunk(arena, longer, last, slot)) {
        return NULL;
    }
    for (uint64_t from = last / CHUNK_POSITIONS; from-- > number / CHUNK_POSITIONS;) {
        if (!own_chunk(arena, longer, from * CHUNK_POSITIONS, CHUNK_POSITIONS)) {
            return NULL;
        }
    }
    for (uint64_t i = last; i > number; i--) {
        (*chunk_of(longer, i))->at[i % CHUNK_POSITIONS] = position_at(longer, i - 1);
    }
    (*chunk_of(longer, number))->at[number % CHUNK_POSITIONS] = at;
    (*chunk_of(longer, last))->used = slot + 1;
    longer->total++;
    LG_DEBUG_ASSERT(is_in_order(longer, number));
    return longer;
}
