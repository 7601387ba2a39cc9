// rules.c: rules at one event: which of their patterns it matches, and whether they are met.
//
// An event is judged by what was there before it: `never from A to A` is at most once. Two things may be
// undecided: whether the rule speaks about the event, and whether it is met. The rule is violated if it
// certainly speaks about the event and is certainly not met. It is undecided if it may be violated.
#include "conversation/conversation_internal.h"

// --- Judging ------------------------------------------------------------------------------------

static void add_ref(refs *r, const lg_conversation_ref *ref)
{
    if (r->count < LG_COUNT(r->items)) {
        r->items[r->count++] = *ref;
    } else {
        r->more++;
    }
}

// The rule spoke about the event, and this is what it says.
static lg_status say(passage *p, size_t index, answer met, const match *m, const refs *seen,
                     const entry *owed)
{
    const lg_course_rule *rule = &p->course->rules[index];
    lg_conversation_tally *tally = &p->rules[index].tally;
    answer violated = answer_both(m->is, answer_not(met));
    if (m->is != ANSWER_YES && violated == ANSWER_NO) {
        return LG_OK; // whether it spoke or not
    }
    p->judged++;
    p->binding += rule->otherwise != LG_ALLOW;
    p->undecided += violated == ANSWER_UNKNOWN;
    tally->judged++;
    tally->violated += violated == ANSWER_YES;
    tally->undecided += violated == ANSWER_UNKNOWN;
    return violated == ANSWER_YES ? words_violated(p, rule, m, seen, owed) : LG_OK;
}

static lg_status judge_never(passage *p, size_t index, const match *m)
{
    const lg_course_rule *rule = &p->course->rules[index];
    const entry *found;
    refs seen = {0};
    answer open = table_open(p, rule, rule_of(&p->c->state, index), m, &found);
    if (open == ANSWER_YES) {
        LG_DEBUG_ASSERT(found && found->open.sure.is);
        add_ref(&seen, &found->sure);
    }
    return say(p, index, answer_not(open), m, &seen, NULL);
}

static lg_status judge_before(passage *p, size_t index, const match *m)
{
    const lg_course_rule *rule = &p->course->rules[index];
    const entry *found;
    refs seen = {0};
    answer open = table_open(p, rule, rule_of(&p->c->state, index), m, &found);
    if (found) {
        add_ref(&seen, &found->maybe);
    }
    return say(p, index, open, m, &seen, NULL);
}

// What leaves out an argument that is spoken of does not hold; of what else is absent nothing is known.
static lg_status judge_that(passage *p, size_t index, const match *m)
{
    const lg_course_rule *rule = &p->course->rules[index];
    refs none = {0};
    truth that = passage_ask(p, rule->that);
    if (passage_is_spent(p)) {
        return LG_OK;
    }
    if (that.defect && m->is == ANSWER_YES) {
        return words_defect(p, rule, rule->that, that.defect);
    }
    p->rules[index].tally.absent += that.absent;
    answer met = that.absent && !that.of_args ? ANSWER_UNKNOWN : that.is;
    return say(p, index, met, m, &none, NULL);
}

// Before the end of the conversation nothing may be owed but what this event settles.
typedef struct debts {
    refs sure;
    const entry *first; // of these
    bool maybe;
} debts;

static void add_debt(debts *d, const entry *e, answer settled)
{
    LG_DEBUG_ASSERT(mark_is_sound(&e->open));
    if (e->open.sure.is && settled == ANSWER_NO) {
        d->first = d->first ? d->first : e;
        add_ref(&d->sure, &e->sure);
    } else if (settled != ANSWER_YES) {
        d->maybe = d->maybe || e->open.maybe.is;
    }
}

static lg_status judge_end(passage *p, size_t index, const match *closes)
{
    const lg_course_rule *rule = &p->course->rules[index];
    const rule_state *state = rule_of(&p->c->state, index);
    debts d = {.maybe = state->dropped > 0};
    passage_pay(p, state->entries.count / 2);
    if (state->all) {
        add_debt(&d, state->all, rule->keyed ? ANSWER_NO : closes->is);
    }
    for (uint32_t i = 0; i < state->entries.count; i++) {
        const entry *e = lg_map_at(&state->entries, i);
        bool mine =
            closes->key.len == 0 || lg_str_eq(key_str(&closes->key), lg_str_of(e->key, e->key_len));
        p->work++;
        add_debt(&d, e, mine ? closes->is : ANSWER_NO);
    }
    answer met = d.sure.count ? ANSWER_NO : d.maybe ? ANSWER_UNKNOWN : ANSWER_YES;
    match owed = p->ends;
    if (d.first) {
        owed.key.len = d.first->key_len;
        memcpy(owed.key.bytes, d.first->key, d.first->key_len);
    }
    return say(p, index, met, &owed, &d.sure, d.first);
}

// --- The message that a call belongs to ---------------------------------------------------------

static bool is_said(const passage *p, lg_str text)
{
    passage_pay(p, text.len / 16);
    return lg_str_trim(text).len > 0;
}

static bool is_agents(const passage *p, uint32_t on)
{
    return p->on == on && (on == LG_ON_AGENT || p->event->role == LG_ROLE_AGENT);
}

// A call is judged by the calls and the text before it in its message, text by the calls before it.
// Those whose message is not known may belong to it.
static lg_status judge_message(passage *p, size_t index)
{
    const lg_conversation_state *state = &p->c->state;
    bool no_text = p->course->rules[index].kind == LG_COURSE_NO_TEXT;
    bool call = is_agents(p, LG_ON_CALL);
    bool text = no_text && is_agents(p, LG_ON_AGENT) && is_said(p, p->event->text);
    bool beside_text = call && no_text;
    match m = {.is = ANSWER_YES};
    refs seen = {0};
    if (!call && !text) {
        return LG_OK;
    }
    uint32_t strays = beside_text ? state->stray_texts : state->stray_calls;
    uint32_t others = beside_text ? state->texts_in_turn : state->calls_in_turn;
    if (!p->event->has_turn) {
        strays += others;
        others = 0;
    } else if (!p->same_turn) {
        strays = others = 0;
    }
    if (text && others + strays == 0) {
        return LG_OK; // text alone
    }
    if (others) {
        add_ref(&seen, beside_text ? &state->text_in_turn : &state->call_in_turn);
    }
    answer met = others ? ANSWER_NO : strays ? ANSWER_UNKNOWN : ANSWER_YES;
    return say(p, index, met, &m, &seen, NULL);
}

// --- One rule at one event ----------------------------------------------------------------------

static lg_status judge(passage *p, size_t index)
{
    const rule_match *m = &p->rules[index];
    bool judged = m->judged.is != ANSWER_NO;
    switch (p->course->rules[index].kind) {
    case LG_COURSE_NEVER:
        return judged ? judge_never(p, index, &m->judged) : LG_OK;
    case LG_COURSE_BEFORE:
        return judged ? judge_before(p, index, &m->judged) : LG_OK;
    case LG_COURSE_THAT:
        return judged ? judge_that(p, index, &m->judged) : LG_OK;
    case LG_COURSE_AFTER:
        return p->ends.is != ANSWER_NO ? judge_end(p, index, &m->closes) : LG_OK;
    case LG_COURSE_SINGLE_CALL:
    case LG_COURSE_NO_TEXT:
        break;
    }
    return judge_message(p, index);
}

// A condition that cannot be evaluated is a defect of the pack, and a finding wherever it is met.
static lg_status pass_rule(passage *p, size_t index)
{
    const lg_course_rule *rule = &p->course->rules[index];
    rule_match *m = &p->rules[index];
    p->work++;
    p->absent = 0;
    if (rule->kind != LG_COURSE_SINGLE_CALL && rule->kind != LG_COURSE_NO_TEXT) {
        m->judged = passage_match(p, &rule->judged);
        m->closes = passage_match(p, &rule->closes);
        m->opens = passage_match(p, &rule->opens);
    }
    if (passage_is_spent(p)) {
        return LG_OK;
    }
    m->tally.absent += p->absent;
    const match *all[] = {&m->judged, &m->closes, &m->opens};
    lg_status status = LG_OK;
    for (size_t i = 0; i < LG_COUNT(all); i++) {
        if (all[i]->defect) {
            status = words_defect(p, rule, all[i]->program, all[i]->defect);
            break;
        }
    }
    return status == LG_OK && !m->judged.defect ? judge(p, index) : status;
}

// Keys are left as they are, which no match without one looks at: they are most of the bytes.
static void nothing_matches(rule_match *m)
{
    match *all[] = {&m->judged, &m->closes, &m->opens};
    for (size_t i = 0; i < LG_COUNT(all); i++) {
        all[i]->is = ANSWER_NO;
        all[i]->key.len = 0;
        all[i]->defect = NULL;
        all[i]->program = NULL;
    }
    m->tally = (lg_conversation_tally){0};
}

lg_status rules_pass(passage *p)
{
    size_t count = p->course->rule_count;
    p->rules = lg_arena_alloc(p->scratch, (count + 1) * sizeof(rule_match), _Alignof(rule_match));
    p->findings =
        lg_arena_alloc(p->scratch, (2 * count + 1) * sizeof(lg_finding), _Alignof(lg_finding));
    if (!p->rules || !p->findings) {
        return LG_ERR_OOM;
    }
    for (size_t i = 0; i < count; i++) {
        nothing_matches(&p->rules[i]);
    }
    p->ends = passage_match(p, &p->course->ends);
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && status == LG_OK && !p->unfinished.ptr; i++) {
        status = passage_is_spent(p) ? LG_OK : pass_rule(p, i);
        p->unfinished = passage_is_spent(p) ? p->course->rules[i].id : p->unfinished;
    }
    return status;
}
