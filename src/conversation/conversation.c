// conversation.c: the life of a conversation, and an event's way through it.
//
// A passage computes what an event is to all signals and rules from what was there before, and
// changes nothing; to observe is to pass and then to commit, which makes the next state.
#include "conversation/conversation_internal.h"

#define TIME_MAX_SECONDS INT64_C(253402300799) // the end of the year 9999

// --- Lifetime -----------------------------------------------------------------------------------

void lg_conversation_init(lg_conversation *c, const lg_pack *pack, const lg_limits *limits)
{
    *c = (lg_conversation){.pack = pack, .limits = lg_limits_resolve(limits)};
    lg_arena_init(&c->arena, c->limits.memory_bytes);
}

void lg_conversation_share(lg_conversation *c, lg_quota *quota)
{
    lg_arena_share(&c->arena, quota);
}

void lg_conversation_reset(lg_conversation *c)
{
    lg_arena_reset(&c->arena);
    c->state = (lg_conversation_state){0};
    c->tidy_bytes = 0;
}

void lg_conversation_done(lg_conversation *c)
{
    lg_arena_done(&c->arena);
    c->state = (lg_conversation_state){0};
}

// --- One event ----------------------------------------------------------------------------------

static uint32_t bit_of(const lg_conversation_event *event)
{
    switch (event->kind) {
    case LG_EVENT_CALL:
        return LG_ON_CALL;
    case LG_EVENT_RESULT:
        return LG_ON_RESULT;
    case LG_EVENT_ERROR:
        return LG_ON_ERROR;
    case LG_EVENT_MESSAGE:
        break;
    }
    return event->role == LG_ROLE_USER    ? (uint32_t)LG_ON_USER
           : event->role == LG_ROLE_AGENT ? (uint32_t)LG_ON_AGENT
                                          : 0;
}

// A time that no clock of ours shows is none.
static bool has_time(const lg_conversation_event *event)
{
    return event->has_time && event->time.seconds >= 0 && event->time.seconds <= TIME_MAX_SECONDS;
}

static int64_t milliseconds(lg_time time)
{
    return time.seconds * 1000 + time.nanos / 1000000;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// A call happens at the time of its message, also where the result of one before it came later. What
// else belongs to the message is not before it, and a message not before anything that came earlier.
static void find_time(passage *p)
{
    const lg_conversation_event *event = p->event;
    lg_conversation_state *next = &p->next;
    int64_t latest = next->at[LG_WINDOW_SECONDS];
    bool of_result = (p->on & (LG_ON_RESULT | LG_ON_ERROR)) != 0;
    if (event->has_turn && !p->same_turn) {
        next->turn_at = latest;
        next->turn_timed = false;
    }
    p->at[LG_WINDOW_SECONDS] = event->has_turn ? next->turn_at : latest;
    p->timed = has_time(event);
    if (p->on == LG_ON_CALL && event->has_turn && next->turn_timed) {
        p->timed = true;
    } else if (p->timed) {
        int64_t *at = &p->at[LG_WINDOW_SECONDS];
        *at = later(milliseconds(event->time), *at);
    }
    if (p->timed && event->has_turn && !of_result && !next->turn_timed) {
        next->turn_timed = true;
        next->turn_at = p->at[LG_WINDOW_SECONDS];
    }
    if (p->timed) {
        next->at[LG_WINDOW_SECONDS] = later(latest, p->at[LG_WINDOW_SECONDS]);
    }
}

// The calls and texts of the message, this event included.
static void find_turn(passage *p)
{
    const lg_conversation_event *event = p->event;
    lg_conversation_state *next = &p->next;
    bool call = p->on == LG_ON_CALL && event->role == LG_ROLE_AGENT;
    bool text = p->on == LG_ON_AGENT && lg_str_trim(event->text).len > 0;
    if (!event->has_turn) {
        next->stray_calls += call;
        next->stray_texts += text;
        return;
    }
    if (!p->same_turn) {
        next->calls_in_turn = next->texts_in_turn = 0;
        next->stray_calls = next->stray_texts = 0;
    }
    next->in_turn = true;
    next->turn = event->turn;
    if (call && next->calls_in_turn++ == 0) {
        next->call_in_turn = passage_ref(p);
    }
    if (text && next->texts_in_turn++ == 0) {
        next->text_in_turn = passage_ref(p);
    }
}

// Nothing goes back, time neither.
static bool goes_forward(const lg_conversation_state *before, const lg_conversation_state *next)
{
    bool forward = next->events == before->events + 1;
    for (size_t unit = 0; unit < LG_WINDOW_UNITS; unit++) {
        forward = forward && next->at[unit] >= before->at[unit];
    }
    return forward;
}

// Where the event stands, and where the conversation will once it was observed.
static void find_position(passage *p)
{
    const lg_conversation_state *before = &p->c->state;
    const lg_conversation_event *event = p->event;
    bool agents_call = p->on == LG_ON_CALL && event->role == LG_ROLE_AGENT;
    p->same_turn = event->has_turn && before->in_turn && event->turn == before->turn;
    p->next = *before;
    p->next.at[LG_WINDOW_EVENTS] = before->events;
    p->next.at[LG_WINDOW_TURNS] += !p->same_turn;
    p->next.at[LG_WINDOW_CALLS] += agents_call;
    p->next.events++;
    memcpy(p->at, p->next.at, sizeof(p->at));
    find_time(p);
    find_turn(p);
    LG_DEBUG_ASSERT(goes_forward(before, &p->next));
}

static lg_status pass(passage *p)
{
    const lg_tool *tool = NULL;
    p->course = p->c->pack->course;
    p->on = bit_of(p->event);
    LG_DEBUG_ASSERT(p->on != 0 && (p->on & (p->on - 1)) == 0); // of one kind
    if (!(p->on & (LG_ON_USER | LG_ON_AGENT))) {
        tool = lg_pack_tool(p->c->pack, p->event->tool);
    }
    p->tool = tool ? (uint32_t)(tool - p->c->pack->tools) : LG_NO_EVENT;
    find_position(p);
    p->signals = LG_NEW_ARRAY(p->scratch, signal_now, p->course->signal_count + 1);
    if (!p->signals || !passage_init(p)) {
        return LG_ERR_OOM;
    }
    p->scratch->refused = false;
    signals_pass(p);
    lg_status status = rules_pass(p);
    return p->oom || p->scratch->refused ? LG_ERR_OOM : status;
}

static void give(const passage *p, lg_conversation_findings *ret)
{
    if (ret) {
        *ret = (lg_conversation_findings){.items = p->findings,
                                          .count = p->finding_count,
                                          .judged = p->judged,
                                          .binding = p->binding,
                                          .undecided = p->undecided,
                                          .unfinished = p->unfinished};
    }
}

lg_status lg_conversation_judge(const lg_conversation *c, const lg_conversation_event *event,
                                const lg_conversation_bounds *bounds, lg_arena *scratch,
                                lg_conversation_findings *ret, lg_error *reterr)
{
    passage p = {.c = c, .event = event, .scratch = scratch, .bounds = *bounds};
    *ret = (lg_conversation_findings){0};
    if (!c->pack->course || bit_of(event) == 0) {
        return LG_OK;
    }
    if (c->state.lost) {
        *ret = (lg_conversation_findings){.unfinished = LG_STR("conversation"), .lost = true};
        return LG_OK;
    }
    if (pass(&p) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    give(&p, ret);
    return LG_OK;
}

// --- Observing ----------------------------------------------------------------------------------

// On failure nothing has changed: what was begun is forgotten.
static lg_status commit(passage *p, lg_conversation *c)
{
    LG_DEBUG_ASSERT(p->c == c && p->next.events == c->state.events + 1); // nothing came between
    lg_arena_mark begun = lg_arena_mark_here(&c->arena);
    lg_status status = signals_commit(p, &c->arena);
    if (status == LG_OK) {
        status = table_commit(p, &c->arena);
    }
    if (status == LG_OK) {
        c->state = p->next;
    } else {
        lg_arena_rewind(&c->arena, begun);
    }
    return status;
}

static lg_status fail_lost(lg_error *reterr)
{
    return lg_fail(reterr, LG_ERR_LIMIT,
                   "what was said or called could not be followed within the limits "
                   "(observe_steps, cel_cost, regex_steps); from now on every call is refused");
}

lg_status lg_conversation_observe(lg_conversation *c, const lg_conversation_event *event,
                                  lg_arena *scratch, lg_conversation_findings *ret,
                                  lg_error *reterr)
{
    lg_budget budget = {.left = c->limits.observe_steps, .what = LG_NO_STEPS_LEFT("observe_steps")};
    passage p = {.c = c, .event = event, .scratch = scratch, .bounds = {&budget, &budget}};
    if (ret) {
        *ret = (lg_conversation_findings){0};
    }
    if (!c->pack->course || bit_of(event) == 0) {
        return LG_OK;
    }
    if (c->state.lost) {
        return fail_lost(reterr);
    }
    lg_status status = pass(&p);
    if (status == LG_OK && (p.unfinished.ptr || p.over_limit)) {
        c->state.lost = true;
        return fail_lost(reterr);
    }
    status = status == LG_OK ? commit(&p, c) : status;
    c->work += p.work;
    if (status != LG_OK) {
        return lg_fail_oom(reterr);
    }
    give(&p, ret);
    return LG_OK;
}

// --- What is known ------------------------------------------------------------------------------

static bool is_doubtful(const entry *e)
{
    return e && e->open.maybe.is && !e->open.sure.is;
}

lg_conversation_tally lg_conversation_tally_of(const lg_conversation *c, size_t index)
{
    LG_DEBUG_ASSERT(index < c->pack->course->rule_count);
    const rule_state *state = rule_of(&c->state, index);
    lg_conversation_tally tally = state->tally;
    if (c->pack->course->rules[index].kind == LG_COURSE_AFTER) {
        tally.undecided += is_doubtful(state->all);
        for (uint32_t i = 0; i < state->entries.count; i++) {
            tally.undecided += is_doubtful(lg_map_at(&state->entries, i));
        }
    }
    return tally;
}

uint64_t lg_conversation_dropped(const lg_conversation *c)
{
    const lg_course *course = c->pack->course;
    uint64_t dropped = 0;
    for (size_t i = 0; course && i < course->rule_count; i++) {
        bool owes = course->rules[i].kind == LG_COURSE_AFTER;
        dropped += owes ? rule_of(&c->state, i)->dropped : 0;
    }
    return dropped;
}
