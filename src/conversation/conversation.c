// conversation.c: the life of a conversation, and an event's way through it.
//
// A passage computes what an event is to all signals and rules from what was there before, and
// changes nothing; to observe is to pass and then to commit.
#include "conversation/conversation_internal.h"

// --- Lifetime -----------------------------------------------------------------------------------

static lg_status make_states(lg_conversation *c)
{
    const lg_course *course = c->pack->course;
    if (!course) {
        return LG_OK;
    }
    c->rules = LG_NEW_ARRAY(&c->arena, rule_state, course->rule_count + 1);
    if (!c->rules || signals_init(c) != LG_OK) {
        c->broken = LG_ERR_OOM;
        return LG_ERR_OOM;
    }
    return LG_OK;
}

lg_status lg_conversation_init(lg_conversation *c, const lg_pack *pack, const lg_limits *limits)
{
    *c = (lg_conversation){.pack = pack, .limits = lg_limits_resolve(limits)};
    lg_arena_init(&c->arena, c->limits.memory_bytes);
    return make_states(c);
}

void lg_conversation_share(lg_conversation *c, lg_quota *quota)
{
    lg_arena_share(&c->arena, quota);
}

lg_status lg_conversation_reset(lg_conversation *c)
{
    lg_arena arena = c->arena;
    lg_arena_reset(&arena);
    *c = (lg_conversation){.pack = c->pack, .limits = c->limits, .arena = arena};
    return make_states(c);
}

void lg_conversation_done(lg_conversation *c)
{
    lg_arena_done(&c->arena);
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

// Times are compared in milliseconds, and never go back.
static int64_t milliseconds(lg_time time)
{
    return time.seconds * 1000 + time.nanos / 1000000;
}

static void find_position(passage *p)
{
    const lg_conversation *c = p->c;
    const lg_conversation_event *event = p->event;
    bool agents_call = p->on == LG_ON_CALL && event->role == LG_ROLE_AGENT;
    bool same_turn = event->has_turn && c->in_turn && event->turn == c->turn;
    memcpy(p->at, c->at, sizeof(p->at));
    p->at[LG_WINDOW_EVENTS] = c->events;
    p->at[LG_WINDOW_TURNS] += !same_turn;
    p->at[LG_WINDOW_CALLS] += agents_call;
    p->timed = event->has_time && !c->times_lost;
    if (p->timed && (c->events == 0 || milliseconds(event->time) > p->at[LG_WINDOW_SECONDS])) {
        p->at[LG_WINDOW_SECONDS] = milliseconds(event->time);
    }
}

static lg_status pass(passage *p)
{
    const lg_tool *tool = NULL;
    p->course = p->c->pack->course;
    p->on = bit_of(p->event);
    if (!(p->on & (LG_ON_USER | LG_ON_AGENT))) {
        tool = lg_pack_tool(p->c->pack, p->event->tool);
    }
    p->tool = tool ? (uint32_t)(tool - p->c->pack->tools) : LG_NO_EVENT;
    find_position(p);
    p->signals = LG_NEW_ARRAY(p->scratch, signal_next, p->course->signal_count + 1);
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

static lg_status fail_broken(lg_status broken, lg_error *reterr)
{
    return broken == LG_ERR_LIMIT
               ? lg_fail(
                     reterr, LG_ERR_LIMIT,
                     "what was said or called could not be followed within the limits "
                     "(observe_steps, cel_cost, regex_steps); from now on every call is refused")
               : lg_fail_oom(reterr);
}

lg_status lg_conversation_judge_within(lg_conversation *c, const lg_conversation_event *event,
                                       const lg_conversation_bounds *bounds, lg_arena *scratch,
                                       lg_conversation_findings *ret, lg_error *reterr)
{
    passage p = {.c = c, .event = event, .scratch = scratch, .bounds = *bounds};
    *ret = (lg_conversation_findings){0};
    if (!c->pack->course || bit_of(event) == 0) {
        return LG_OK;
    }
    if (c->broken == LG_ERR_LIMIT) {
        *ret = (lg_conversation_findings){.unfinished = LG_STR("conversation"), .lost = true};
        return LG_OK;
    }
    if (c->broken != LG_OK || pass(&p) != LG_OK) {
        return lg_fail_oom(reterr);
    }
    give(&p, ret);
    return LG_OK;
}

lg_status lg_conversation_judge(lg_conversation *c, const lg_conversation_event *event,
                                lg_arena *scratch, lg_conversation_findings *ret, lg_error *reterr)
{
    lg_budget budget = {.left = c->limits.decision_steps,
                        .what = "there are no steps left for it (decision_steps)"};
    lg_conversation_bounds bounds = {&budget, &budget};
    return lg_conversation_judge_within(c, event, &bounds, scratch, ret, reterr);
}

// --- Observing ----------------------------------------------------------------------------------

static void commit_turn(passage *p)
{
    lg_conversation *c = p->c;
    const lg_conversation_event *event = p->event;
    bool same = event->has_turn && c->in_turn && event->turn == c->turn;
    if (!same) {
        c->calls_in_turn = 0;
        c->texts_in_turn = 0;
    }
    c->in_turn = event->has_turn;
    c->turn = event->turn;
    if (p->on == LG_ON_CALL && event->role == LG_ROLE_AGENT && c->calls_in_turn++ == 0) {
        c->call_in_turn = passage_ref(p);
    }
    if (p->on == LG_ON_AGENT && lg_str_trim(event->text).len > 0 && c->texts_in_turn++ == 0) {
        c->text_in_turn = passage_ref(p);
    }
}

static lg_status commit(passage *p)
{
    lg_conversation *c = p->c;
    signals_commit(p);
    if (rules_commit(p) != LG_OK) {
        c->broken = LG_ERR_OOM;
        return LG_ERR_OOM;
    }
    commit_turn(p);
    memcpy(c->at, p->at, sizeof(c->at));
    c->times_lost = !p->timed;
    c->events++;
    return LG_OK;
}

lg_status lg_conversation_observe(lg_conversation *c, const lg_conversation_event *event,
                                  lg_arena *scratch, lg_conversation_findings *ret,
                                  lg_error *reterr)
{
    lg_budget budget = {.left = c->limits.observe_steps,
                        .what = "there are no steps left for it (observe_steps)"};
    passage p = {
        .c = c, .event = event, .scratch = scratch, .commits = true, .bounds = {&budget, &budget}};
    if (ret) {
        *ret = (lg_conversation_findings){0};
    }
    if (!c->pack->course || bit_of(event) == 0) {
        return LG_OK;
    }
    lg_status status = c->broken != LG_OK ? c->broken : pass(&p);
    if (status == LG_OK) {
        status = p.unfinished.ptr || p.over_limit ? LG_ERR_LIMIT : commit(&p);
    }
    if (status != LG_OK) {
        c->broken = status;
        return fail_broken(status, reterr);
    }
    give(&p, ret);
    return LG_OK;
}

// --- What is known ------------------------------------------------------------------------------

lg_conversation_tally lg_conversation_tally_of(const lg_conversation *c, size_t index)
{
    return c->rules[index].tally;
}

uint64_t lg_conversation_dropped(const lg_conversation *c)
{
    const lg_course *course = c->pack->course;
    uint64_t dropped = 0;
    for (size_t i = 0; course && i < course->rule_count; i++) {
        dropped += course->rules[i].kind == LG_COURSE_AFTER ? c->rules[i].dropped : 0;
    }
    return dropped;
}

lg_cel_value lg_conversation_signal(const lg_conversation *c, size_t index)
{
    return c->signals[index].value;
}
