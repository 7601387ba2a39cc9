// rules.c: rules at one event: what it is to them, whether they are met, what they remember of it.
//
// An event is judged by what was there before it: `never from A to A` is at most once. Then what it
// closes is closed, and what it opens is opened, in this order. An obligation is open until `must`;
// whether that came in time is decided then, so that nothing needs to be done when time passes.
#include "conversation/conversation_internal.h"

// --- What is open -------------------------------------------------------------------------------

static bool has_key(const entry *e, const course_key_text *key)
{
    return e->key_len == key->len && memcmp(e->key, key->bytes, key->len) == 0;
}

// The open entry of a key, or `count` if there is none.
static size_t find_open(const passage *p, const rule_state *state, const course_key_text *key)
{
    passage_pay(p, state->count / 4);
    for (size_t i = 0; i < state->count; i++) {
        p->c->work++;
        if (state->entries[i].state == ENTRY_OPEN && has_key(&state->entries[i], key)) {
            return i;
        }
    }
    return state->count;
}

static void remove_entry(rule_state *state, size_t index)
{
    entry *at = &state->entries[index];
    memmove(at, at + 1, (state->count - index - 1) * sizeof(*at));
    state->count--;
}

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
static lg_status say(passage *p, size_t index, answer met, const match *m, const refs *seen)
{
    const lg_course_rule *rule = &p->course->rules[index];
    lg_conversation_tally *tally = &p->c->rules[index].tally;
    p->judged++;
    p->binding += rule->otherwise != LG_ALLOW;
    p->undecided += met == ANSWER_UNKNOWN;
    if (p->commits) {
        tally->judged++;
        tally->violated += met == ANSWER_NO;
        tally->undecided += met == ANSWER_UNKNOWN;
    }
    return met == ANSWER_NO ? words_violated(p, rule, m, seen) : LG_OK;
}

static lg_status judge_never(passage *p, size_t index, const match *m)
{
    const rule_state *state = &p->c->rules[index];
    const lg_window *within = &p->course->rules[index].within;
    refs seen = {0};
    size_t found = find_open(p, state, &m->key);
    answer met =
        state->blind || (found == state->count && state->dropped) ? ANSWER_UNKNOWN : ANSWER_YES;
    if (found < state->count) {
        answer near = passage_within(p, within, state->entries[found].at);
        met = near == ANSWER_NO        ? met
              : near == ANSWER_UNKNOWN ? near
              : met == ANSWER_UNKNOWN  ? met
                                       : ANSWER_NO;
        add_ref(&seen, &state->entries[found].ref);
    }
    return say(p, index, met, m, &seen);
}

static lg_status judge_before(passage *p, size_t index, const match *m)
{
    const rule_state *state = &p->c->rules[index];
    refs seen = {0};
    size_t found = find_open(p, state, &m->key);
    answer met = ANSWER_NO;
    if (found < state->count) {
        met = passage_within(p, &p->course->rules[index].within, state->entries[found].at);
        add_ref(&seen, &state->entries[found].ref);
    }
    if (met == ANSWER_NO && (state->blind || state->dropped)) {
        met = ANSWER_UNKNOWN;
    }
    return say(p, index, met, m, &seen);
}

static lg_status judge_that(passage *p, size_t index, const match *m)
{
    const lg_course_rule *rule = &p->course->rules[index];
    refs none = {0};
    lg_cel_value value = passage_eval(p, rule->that);
    if (passage_is_spent(p)) {
        return LG_OK;
    }
    if (value.kind == LG_CEL_BOOL) {
        return say(p, index, value.as.boolean ? ANSWER_YES : ANSWER_NO, m, &none);
    }
    static const lg_cel_failure no_bool = {
        .kind = LG_CEL_FAIL_TYPE, .read = UINT32_MAX, .what = "the result is not a bool"};
    const lg_cel_failure *failure = value.kind == LG_CEL_ERROR ? value.as.failure : &no_bool;
    if (failure->kind == LG_CEL_FAIL_MISSING) {
        return say(p, index, ANSWER_UNKNOWN, m, &none);
    }
    return words_defect(p, rule, rule->that, failure);
}

// Before the end of the conversation nothing may be owed but what this event settles.
static lg_status judge_end(passage *p, size_t index, const rule_match *m)
{
    const rule_state *state = &p->c->rules[index];
    passage_pay(p, state->count / 2);
    bool settles = m->closes.is == ANSWER_YES;
    size_t settled = settles ? find_open(p, state, &m->closes.key) : state->count;
    refs seen = {0};
    for (size_t i = 0; i < state->count; i++) {
        p->c->work++;
        if (i != settled && state->entries[i].state == ENTRY_OPEN) {
            add_ref(&seen, &state->entries[i].ref);
        }
    }
    bool unsure = state->blind || m->closes.is == ANSWER_UNKNOWN;
    answer met = seen.count == 0 ? ANSWER_YES : unsure ? ANSWER_UNKNOWN : ANSWER_NO;
    match owed = p->ends;
    if (seen.count) {
        for (size_t i = 0; i < state->count; i++) { // the first one names the key
            if (i != settled && state->entries[i].state == ENTRY_OPEN) {
                owed.key.len = state->entries[i].key_len;
                memcpy(owed.key.bytes, state->entries[i].key, owed.key.len);
                break;
            }
        }
    }
    return say(p, index, met, &owed, &seen);
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
static lg_status judge_message(passage *p, size_t index)
{
    const lg_conversation *c = p->c;
    const lg_conversation_event *event = p->event;
    bool no_text = p->course->rules[index].kind == LG_COURSE_NO_TEXT;
    bool call = is_agents(p, LG_ON_CALL);
    bool text = no_text && is_agents(p, LG_ON_AGENT) && is_said(p, event->text);
    match m = {.is = ANSWER_YES};
    refs seen = {0};
    if (!call && !text) {
        return LG_OK;
    }
    if (call && !event->has_turn) {
        return say(p, index, ANSWER_UNKNOWN, &m, &seen);
    }
    bool same = c->in_turn && c->turn == event->turn;
    bool beside_text = call && no_text;
    uint32_t others = !same ? 0 : beside_text ? c->texts_in_turn : c->calls_in_turn;
    if (text && others == 0) {
        return LG_OK; // text alone
    }
    if (others) {
        add_ref(&seen, beside_text ? &c->text_in_turn : &c->call_in_turn);
    }
    return say(p, index, others ? ANSWER_NO : ANSWER_YES, &m, &seen);
}

// --- One rule at one event ----------------------------------------------------------------------

static lg_status judge(passage *p, size_t index)
{
    const rule_match *m = &p->rules[index];
    bool spoken = m->judged.is == ANSWER_YES;
    refs none = {0};
    if (m->judged.is == ANSWER_UNKNOWN) {
        return say(p, index, ANSWER_UNKNOWN, &m->judged, &none);
    }
    switch (p->course->rules[index].kind) {
    case LG_COURSE_NEVER:
        return spoken ? judge_never(p, index, &m->judged) : LG_OK;
    case LG_COURSE_BEFORE:
        return spoken ? judge_before(p, index, &m->judged) : LG_OK;
    case LG_COURSE_THAT:
        return spoken ? judge_that(p, index, &m->judged) : LG_OK;
    case LG_COURSE_AFTER:
        return p->ends.is == ANSWER_YES ? judge_end(p, index, m) : LG_OK;
    case LG_COURSE_SINGLE_CALL:
    case LG_COURSE_NO_TEXT:
        break;
    }
    return judge_message(p, index);
}

static bool is_defect(const match *m)
{
    return m->failure && m->is != ANSWER_UNKNOWN;
}

// A condition that cannot be evaluated is a defect of the pack, and a finding wherever it is met.
static lg_status pass_rule(passage *p, size_t index)
{
    const lg_course_rule *rule = &p->course->rules[index];
    rule_match *m = &p->rules[index];
    p->c->work++;
    p->absent = 0;
    bool message = rule->kind == LG_COURSE_SINGLE_CALL || rule->kind == LG_COURSE_NO_TEXT;
    if (!message) {
        m->judged = passage_match(p, &rule->judged);
        m->closes = passage_match(p, &rule->closes);
        m->opens = passage_match(p, &rule->opens);
    }
    if (passage_is_spent(p)) {
        return LG_OK;
    }
    p->c->rules[index].tally.absent += p->commits ? p->absent : 0;
    const match *all[] = {&m->judged, &m->closes, &m->opens};
    for (size_t i = 0; i < LG_COUNT(all); i++) {
        if (is_defect(all[i])) {
            return words_defect(p, rule, all[i]->program, all[i]->failure);
        }
    }
    return judge(p, index);
}

lg_status rules_pass(passage *p)
{
    p->rules = LG_NEW_ARRAY(p->scratch, rule_match, p->course->rule_count + 1);
    p->findings = LG_NEW_ARRAY(p->scratch, lg_finding, p->course->rule_count + 1);
    if (!p->rules || !p->findings) {
        return LG_ERR_OOM;
    }
    p->ends = passage_match(p, &p->course->ends);
    lg_status status = LG_OK;
    for (size_t i = 0; i < p->course->rule_count && status == LG_OK && !p->unfinished.ptr; i++) {
        status = passage_is_spent(p) ? LG_OK : pass_rule(p, i);
        p->unfinished = passage_is_spent(p) ? p->course->rules[i].id : p->unfinished;
    }
    return status;
}

// --- Remembering --------------------------------------------------------------------------------

static void settle(passage *p, size_t index, const course_key_text *key)
{
    const lg_course_rule *rule = &p->course->rules[index];
    rule_state *state = &p->c->rules[index];
    size_t found = find_open(p, state, key);
    if (found == state->count) {
        return;
    }
    answer in_time = rule->kind == LG_COURSE_AFTER
                         ? passage_within(p, &rule->within, state->entries[found].at)
                         : ANSWER_YES;
    if (in_time == ANSWER_NO) {
        state->entries[found].state = ENTRY_LATE;
        return;
    }
    state->tally.undecided += in_time == ANSWER_UNKNOWN;
    remove_entry(state, found);
}

static void close_entries(passage *p, size_t index, const match *m)
{
    const lg_course_rule *rule = &p->course->rules[index];
    rule_state *state = &p->c->rules[index];
    if (m->is == ANSWER_UNKNOWN) {
        state->blind = true;
    } else if (m->is == ANSWER_YES && rule->keyed && !m->key.is) {
        state->count = 0; // `unless` without a key counts for all
    } else if (m->is == ANSWER_YES) {
        settle(p, index, &m->key);
    }
}

// An obligation keeps its first trigger, which is the strictest; what is asked how long ago it was,
// the latest.
static lg_status open_entry(passage *p, size_t index, const match *m)
{
    const lg_course_rule *rule = &p->course->rules[index];
    rule_state *state = &p->c->rules[index];
    if (m->is != ANSWER_YES) {
        state->blind = state->blind || m->is == ANSWER_UNKNOWN;
        return LG_OK;
    }
    size_t found = find_open(p, state, &m->key);
    if (found < state->count && rule->kind == LG_COURSE_AFTER) {
        return LG_OK;
    }
    if (found == state->count) {
        if (state->count == LG_CONVERSATION_KEYS_MAX) {
            state->dropped++;
            return LG_OK;
        }
        entry *grown = lg_arena_grow(&p->c->arena, state->entries, state->count, &state->capacity,
                                     sizeof(*grown));
        if (!grown) {
            return LG_ERR_OOM;
        }
        state->entries = grown;
        state->count++;
    }
    entry *e = &state->entries[found];
    *e = (entry){.key_len = m->key.len,
                 .state = ENTRY_OPEN,
                 .at = p->at[rule->within.unit],
                 .ref = passage_ref(p)};
    memcpy(e->key, m->key.bytes, m->key.len);
    return LG_OK;
}

lg_status rules_commit(passage *p)
{
    for (size_t i = 0; i < p->course->rule_count; i++) {
        close_entries(p, i, &p->rules[i].closes);
        if (open_entry(p, i, &p->rules[i].opens) != LG_OK) {
            return LG_ERR_OOM;
        }
    }
    return LG_OK;
}
