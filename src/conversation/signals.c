// signals.c: past-time formulas as automata, in constant time an event.
//
// `once` within a window needs the latest match only, `since` the latest beginning that still
// holds: both are one mark. A count keeps the positions of its latest matches in a ring; they grow,
// so how many are within the window is found by halving, ten steps at most. Undecided matches are
// marked beside: a value is undecided while one of them could change it.
#include "conversation/conversation_internal.h"

// --- Lifetime -----------------------------------------------------------------------------------

lg_status signals_init(lg_conversation *c)
{
    const lg_course *course = c->pack->course;
    c->signals = LG_NEW_ARRAY(&c->arena, signal_state, course->signal_count + 1);
    if (!c->signals) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < course->signal_count; i++) {
        const lg_signal *signal = &course->signals[i];
        if (signal->kind == LG_SIGNAL_COUNT && signal->within.unit != LG_WINDOW_NONE) {
            c->signals[i].positions = LG_NEW_ARRAY(&c->arena, int64_t, LG_CONVERSATION_COUNT_MAX);
            if (!c->signals[i].positions) {
                return LG_ERR_OOM;
            }
        }
    }
    signals_forget(c);
    return LG_OK;
}

void signals_forget(lg_conversation *c)
{
    for (size_t i = 0; i < c->pack->course->signal_count; i++) {
        int64_t *positions = c->signals[i].positions;
        bool counts = c->pack->course->signals[i].kind == LG_SIGNAL_COUNT;
        c->signals[i] = (signal_state){
            .positions = positions,
            .value = counts ? lg_cel_make_int(0) : lg_cel_make_bool(false),
        };
    }
}

// --- Marks --------------------------------------------------------------------------------------

static answer mark_answer(const passage *p, const lg_window *window, const mark *m)
{
    answer is = m->is ? passage_within(p, window, m->at) : ANSWER_NO;
    answer maybe = m->maybe ? passage_within(p, window, m->maybe_at) : ANSWER_NO;
    if (is != ANSWER_NO) {
        return is;
    }
    return maybe != ANSWER_NO ? ANSWER_UNKNOWN : ANSWER_NO;
}

static void mark_match(mark *m, answer is, int64_t at)
{
    if (is == ANSWER_YES) {
        m->is = true;
        m->at = at;
    } else if (is == ANSWER_UNKNOWN) {
        m->maybe = true;
        m->maybe_at = at;
    }
}

// --- Since --------------------------------------------------------------------------------------

static answer not_until(passage *p, const lg_signal *signal, signal_next *next)
{
    if (signal->until.count == 0) {
        return ANSWER_YES;
    }
    match until = passage_match(p, &signal->until);
    if (until.failure) {
        next->why = *until.failure;
        return until.is == ANSWER_YES ? ANSWER_NO : ANSWER_UNKNOWN;
    }
    return until.is == ANSWER_YES ? ANSWER_NO : ANSWER_YES;
}

static answer holds(passage *p, const lg_signal *signal, signal_next *next)
{
    if (!signal->hold) {
        return ANSWER_YES;
    }
    lg_cel_value value = passage_eval(p, signal->hold);
    if (value.kind == LG_CEL_BOOL) {
        return value.as.boolean ? ANSWER_YES : ANSWER_NO;
    }
    if (value.kind == LG_CEL_ERROR && value.as.failure->what != course_no_times.what &&
        value.as.failure->kind == LG_CEL_FAIL_MISSING) {
        p->absent++;
        return ANSWER_NO;
    }
    next->why = value.kind == LG_CEL_ERROR ? *value.as.failure : course_no_times;
    p->over_limit = p->over_limit || next->why.kind == LG_CEL_FAIL_LIMIT;
    return ANSWER_UNKNOWN;
}

// What began before this event goes on, ends, or may have ended.
static void go_on(mark *m, answer goes_on)
{
    if (goes_on == ANSWER_NO) {
        *m = (mark){0};
    } else if (goes_on == ANSWER_UNKNOWN && m->is) {
        bool later = m->maybe && m->maybe_at > m->at;
        m->maybe_at = later ? m->maybe_at : m->at;
        m->maybe = true;
        m->is = false;
    }
}

static void pass_since(passage *p, const lg_signal *signal, answer begins, int64_t at,
                       signal_next *next)
{
    answer until = not_until(p, signal, next);
    answer hold = holds(p, signal, next);
    bool no = until == ANSWER_NO || hold == ANSWER_NO;
    bool yes = until == ANSWER_YES && hold == ANSWER_YES;
    go_on(&next->last, no ? ANSWER_NO : yes ? ANSWER_YES : ANSWER_UNKNOWN);
    mark_match(&next->last, begins, at);
}

// --- Count --------------------------------------------------------------------------------------

// Matches before this event that are within the window.
static uint32_t count_within(const passage *p, const lg_signal *signal, const signal_state *state)
{
    if (signal->within.unit == LG_WINDOW_NONE) {
        return state->total;
    }
    uint32_t kept =
        state->total < LG_CONVERSATION_COUNT_MAX ? state->total : LG_CONVERSATION_COUNT_MAX;
    uint32_t low = state->total - kept;
    uint32_t high = state->total;
    while (low < high) { // the first that is within
        uint32_t middle = low + (high - low) / 2;
        p->c->work++;
        int64_t at = state->positions[middle % LG_CONVERSATION_COUNT_MAX];
        if (passage_within(p, &signal->within, at) == ANSWER_YES) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return state->total - low;
}

static lg_cel_value count_value(const passage *p, const lg_signal *signal,
                                const signal_state *state, const signal_next *next,
                                lg_cel_value undecided)
{
    bool blind = signal->within.unit == LG_WINDOW_SECONDS && !p->timed && state->total > 0;
    const mark *m = &next->last;
    if (blind || (m->maybe && passage_within(p, &signal->within, m->maybe_at) != ANSWER_NO)) {
        return undecided;
    }
    int64_t count = (int64_t)count_within(p, signal, state) + (next->counted ? 1 : 0);
    bool windowed = signal->within.unit != LG_WINDOW_NONE;
    if (windowed && count > (int64_t)LG_CONVERSATION_COUNT_MAX) {
        count = LG_CONVERSATION_COUNT_MAX;
    }
    return lg_cel_make_int(count);
}

// --- All of them --------------------------------------------------------------------------------

static void pass_signal(passage *p, size_t index)
{
    const lg_signal *signal = &p->course->signals[index];
    const signal_state *state = &p->c->signals[index];
    signal_next *next = &p->signals[index];
    int64_t at = p->at[signal->within.unit];
    p->c->work++;
    *next = (signal_next){.last = state->last, .why = state->why};
    match of = passage_match(p, &signal->of);
    if (of.failure) {
        next->why = *of.failure;
        of.is = of.is == ANSWER_NO ? ANSWER_UNKNOWN : of.is;
    }
    if (signal->kind == LG_SIGNAL_SINCE) {
        pass_since(p, signal, of.is, at, next);
    } else if (signal->kind == LG_SIGNAL_COUNT) {
        next->counted = of.is == ANSWER_YES;
        mark_match(&next->last, of.is == ANSWER_UNKNOWN ? of.is : ANSWER_NO, at);
    } else {
        mark_match(&next->last, of.is, at);
    }
    if (!next->why.what) {
        next->why = course_no_times;
    }
    next->why.key = lg_cel_make_null(); // it may lie in the scratch arena
    lg_cel_value undecided = {.kind = LG_CEL_ERROR, .as.failure = &next->why};
    lg_cel_value value;
    if (signal->kind == LG_SIGNAL_COUNT) {
        value = count_value(p, signal, state, next, undecided);
    } else {
        // This event is within any window, whatever the time is.
        answer is = of.is == ANSWER_YES ? of.is : mark_answer(p, &signal->within, &next->last);
        value = is == ANSWER_UNKNOWN ? undecided : lg_cel_make_bool(is == ANSWER_YES);
    }
    p->values[LG_COURSE_SLOT_COUNT + index] = value;
}

void signals_pass(passage *p)
{
    for (size_t i = 0; i < p->course->signal_count; i++) {
        pass_signal(p, i);
    }
}

void signals_commit(passage *p)
{
    for (size_t i = 0; i < p->course->signal_count; i++) {
        const lg_signal *signal = &p->course->signals[i];
        const signal_next *next = &p->signals[i];
        signal_state *state = &p->c->signals[i];
        state->last = next->last;
        state->why = next->why;
        state->value = p->values[LG_COURSE_SLOT_COUNT + i];
        if (state->value.kind == LG_CEL_ERROR) {
            state->value.as.failure = &state->why;
        }
        if (next->counted && state->total < UINT32_MAX) {
            if (state->positions) {
                state->positions[state->total % LG_CONVERSATION_COUNT_MAX] =
                    p->at[signal->within.unit];
            }
            state->total++;
        }
    }
}
