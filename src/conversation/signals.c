// signals.c: past-time formulas as automata, in constant time an event.
//
// `once` within a window needs the matches' latest moment only, `since` that of the beginnings that
// still hold; a count keeps positions in a ring. Undecided matches are kept beside, so that a value is
// undecided only while one of them could change it, and between which bounds is known.
#include "conversation/conversation_internal.h"

const signal_state course_no_signal = {0};

// --- Once and since -----------------------------------------------------------------------------

static void note_defect(signal_now *now, const lg_cel_failure *defect)
{
    if (defect) {
        now->next.why = *defect;
        now->next.why.key = lg_cel_make_null(); // it may lie in the scratch arena
    }
}

static answer goes_on(passage *p, const lg_signal *signal, signal_now *now)
{
    answer on = ANSWER_YES;
    if (signal->until.count) {
        match until = passage_match(p, &signal->until);
        note_defect(now, until.defect);
        on = answer_not(until.is);
    }
    if (signal->hold) {
        truth hold = passage_ask(p, signal->hold);
        note_defect(now, hold.defect);
        p->absent += hold.absent;
        on = answer_both(on, hold.is);
    }
    return on;
}

// A match at this very event lies within any window, whatever the time is.
static void pass_mark(passage *p, const lg_signal *signal, signal_now *now)
{
    mark *last = &now->next.last;
    mark_add(p, signal->within.unit, now->of, last);
    answer is = mark_within(p, &signal->within, last);
    is = now->of == ANSWER_YES ? now->of : is;
    now->low = is == ANSWER_YES;
    now->high = is != ANSWER_NO;
}

// --- Counts -------------------------------------------------------------------------------------

// Of matches before this event, those within the window: at least, and at most.
static void count_before(passage *p, const lg_signal *signal, const signal_state *state,
                         signal_now *now)
{
    bool seconds = signal->within.unit == LG_WINDOW_SECONDS;
    now->low = (int64_t)state->total;
    now->high = (int64_t)(state->total + state->doubtful);
    if (signal->within.unit == LG_WINDOW_NONE) {
        return;
    }
    if (seconds && !p->timed) {
        now->low = 0;
        return;
    }
    now->low = (int64_t)ring_within(p, &signal->within, state->positions);
    now->high = now->low + (int64_t)state->untimed +
                (int64_t)ring_within(p, &signal->within, state->doubtful_positions);
}

static void pass_count(passage *p, const lg_signal *signal, const signal_state *state,
                       signal_now *now)
{
    count_before(p, signal, state, now);
    now->low += now->of == ANSWER_YES;
    now->high += now->of != ANSWER_NO;
    if (signal->within.unit != LG_WINDOW_NONE) {
        int64_t most = LG_CONVERSATION_COUNT_MAX;
        now->low = now->low < most ? now->low : most;
        now->high = now->high < most ? now->high : most;
    }
}

static lg_status commit_count(const passage *p, lg_arena *arena, const lg_signal *signal,
                              signal_now *now)
{
    lg_window_unit unit = signal->within.unit;
    signal_state *next = &now->next;
    bool timed = unit != LG_WINDOW_SECONDS || p->timed;
    bool sure = now->of == ANSWER_YES && timed;
    LG_DEBUG_ASSERT(now->of != ANSWER_NO); // or it would not have changed
    next->total += sure;
    next->doubtful += !sure;
    next->untimed += !timed;
    if (unit == LG_WINDOW_NONE || !timed) {
        return LG_OK;
    }
    const ring **positions = sure ? &next->positions : &next->doubtful_positions;
    *positions = ring_with(arena, *positions, p->at[unit]);
    return *positions ? LG_OK : LG_ERR_OOM;
}

// --- All of them --------------------------------------------------------------------------------

// Could what was undecided before still change the value?
static bool was_doubtful(passage *p, const lg_signal *signal, const signal_state *state,
                         signal_now *now)
{
    if (signal->kind == LG_SIGNAL_COUNT) {
        count_before(p, signal, state, now);
        return now->low != now->high;
    }
    return mark_within(p, &signal->within, &state->last) == ANSWER_UNKNOWN;
}

static void pass_signal(passage *p, size_t index)
{
    const lg_signal *signal = &p->course->signals[index];
    const signal_state *state = signal_of(&p->c->state, index);
    signal_now *now = &p->signals[index];
    p->work++;
    now->next = *state;
    if (!state->why.what || !was_doubtful(p, signal, state, now)) {
        now->next.why = course_no_times;
    }
    match of = passage_match(p, &signal->of);
    now->of = of.is;
    if (signal->kind == LG_SIGNAL_SINCE) {
        answer on = goes_on(p, signal, now);
        now->changed = on != ANSWER_YES && state->last.maybe.is;
        mark_go_on(&now->next.last, on);
    }
    note_defect(now, of.defect);
    now->changed = now->changed || of.is != ANSWER_NO;
    if (signal->kind == LG_SIGNAL_COUNT) {
        pass_count(p, signal, state, now);
    } else {
        pass_mark(p, signal, now);
    }
    LG_DEBUG_ASSERT(0 <= now->low && now->low <= now->high);
    LG_DEBUG_ASSERT(signal->kind == LG_SIGNAL_COUNT || now->high <= 1);
    lg_cel_value undecided = {.kind = LG_CEL_ERROR, .as.failure = &now->next.why};
    lg_cel_value value = now->low != now->high             ? undecided
                         : signal->kind == LG_SIGNAL_COUNT ? lg_cel_make_int(now->low)
                                                           : lg_cel_make_bool(now->low == 1);
    p->values[LG_COURSE_SLOT_COUNT + index] = value;
}

void signals_pass(passage *p)
{
    for (size_t i = 0; i < p->course->signal_count; i++) {
        pass_signal(p, i);
    }
}

// A table of our own; NULL when out of memory.
static const signal_state **copy_table(const passage *p, lg_arena *arena)
{
    size_t count = p->course->signal_count;
    const signal_state **table = LG_NEW_ARRAY(arena, const signal_state *, count);
    for (size_t i = 0; table && p->next.signals && i < count; i++) {
        table[i] = p->next.signals[i];
    }
    return table;
}

lg_status signals_commit(passage *p, lg_arena *arena)
{
    const signal_state **table = NULL;
    for (size_t i = 0; i < p->course->signal_count; i++) {
        const lg_signal *signal = &p->course->signals[i];
        signal_now *now = &p->signals[i];
        if (!now->changed) {
            continue;
        }
        table = table ? table : copy_table(p, arena);
        signal_state *own = LG_NEW(arena, signal_state);
        bool counts = signal->kind == LG_SIGNAL_COUNT;
        if (!table || !own || (counts && commit_count(p, arena, signal, now) != LG_OK)) {
            return LG_ERR_OOM;
        }
        *own = now->next;
        table[i] = own;
    }
    p->next.signals = table ? table : p->next.signals;
    return LG_OK;
}
