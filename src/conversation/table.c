// table.c: what is open of a rule, by key, and what an event makes of that.
//
// First what it closes is closed, then what it opens is opened. Of each key is kept since when it is
// certainly open, and since when perhaps: an event that may close makes certain what was only
// possible, and one that may open adds to the possible. An obligation is open until `must`; whether
// that came in time is decided then, so that nothing needs to be done when time passes.
#include "conversation/conversation_internal.h"

const rule_state course_no_rule = {0};

// --- Asking -------------------------------------------------------------------------------------

static const entry *find_entry(passage *p, const lg_course_rule *rule, const rule_state *state,
                               const course_key_text *key)
{
    p->work++;
    if (!rule->keyed) {
        return state->all;
    }
    passage_pay(p, 4); // the halvings of a full table
    return lg_map_get(&state->entries, key_str(key));
}

// Is something open that is not known by its key?
static answer open_for_any(const passage *p, const lg_course_rule *rule, const rule_state *state)
{
    bool all = rule->keyed && state->all;
    return all && mark_within(p, &rule->within, &state->all->open) != ANSWER_NO ? ANSWER_UNKNOWN
                                                                                : ANSWER_NO;
}

answer table_open(passage *p, const lg_course_rule *rule, const rule_state *state, const match *m,
                  const entry **ret)
{
    *ret = NULL;
    if (rule->keyed && m->key.len == 0) { // for whichever key
        bool any = state->entries.count || state->all || state->dropped;
        return any ? ANSWER_UNKNOWN : ANSWER_NO;
    }
    const entry *found = find_entry(p, rule, state, &m->key);
    answer open = found ? mark_within(p, &rule->within, &found->open) : ANSWER_NO;
    *ret = found;
    if (open == ANSWER_NO) {
        open = open_for_any(p, rule, state);
    }
    return open == ANSWER_NO && !found && state->dropped ? ANSWER_UNKNOWN : open;
}

// --- Changing -----------------------------------------------------------------------------------

// A rule on its way to its next state.
typedef struct change {
    passage *p;
    lg_arena *arena;
    const lg_course_rule *rule;
    rule_state next;
    bool changed;
    bool oom;
} change;

// A copy of the entry, or a new one.
static entry *own_entry(change *c, const entry *old, const course_key_text *key)
{
    size_t len = old ? old->key_len : key->len;
    entry *own = lg_arena_zalloc(c->arena, 1, sizeof(entry) + len, _Alignof(entry));
    c->changed = true;
    c->oom = c->oom || !own;
    if (own && old) {
        memcpy(own, old, sizeof(*old) + len);
    } else if (own) {
        own->key_len = key->len;
        memcpy(own->key, key->bytes, len);
    }
    return own;
}

// Puts it in its place; NULL takes out what has this key.
static void put(change *c, lg_str key, const entry *e)
{
    LG_DEBUG_ASSERT(
        !e || (mark_is_sound(&e->open) && e->open.maybe.is)); // else it has no place in the table
    c->changed = true;
    if (!c->rule->keyed || key.len == 0) {
        c->next.all = e;
    } else if (e) {
        c->oom =
            c->oom || !lg_map_put(c->arena, &c->next.entries, lg_str_of(e->key, e->key_len), e, 0);
    } else {
        c->oom = c->oom || !lg_map_remove(c->arena, &c->next.entries, key);
    }
}

static bool is_full(const change *c)
{
    return c->next.entries.count + c->next.breach_count >= LG_CONVERSATION_KEYS_MAX;
}

// --- Closing ------------------------------------------------------------------------------------

static void add_breach(change *c, const entry *e, bool met)
{
    LG_DEBUG_ASSERT(c->rule->kind == LG_COURSE_AFTER && e->open.sure.is);
    if (c->next.breach_count >= LG_CONVERSATION_KEYS_MAX) {
        c->next.dropped++;
        c->changed = true;
        return;
    }
    breach *own = LG_NEW(c->arena, breach);
    c->oom = c->oom || !own;
    if (own) {
        *own = (breach){.older = c->next.breaches, .entry = e, .met = met};
        c->next.breaches = own;
        c->next.breach_count++;
    }
}

// The obligation is met, or may be: was it in time?
static void note_settled(change *c, const entry *e, answer is)
{
    const lg_window *within = &c->rule->within;
    answer sure = moments_within(c->p, within, &e->open.sure);
    answer maybe = moments_within(c->p, within, &e->open.maybe);
    if (e->open.sure.is && sure == ANSWER_NO) {
        add_breach(c, e, is == ANSWER_YES);
    } else if (is == ANSWER_YES &&
               (maybe != ANSWER_YES || (e->open.sure.is && sure != ANSWER_YES))) {
        c->next.tally.undecided++;
    }
}

static void settle(change *c, const entry *e, answer is)
{
    if (!e || (is == ANSWER_UNKNOWN && !e->open.sure.is)) {
        return; // perhaps open, and perhaps closed now: perhaps open
    }
    if (c->rule->kind == LG_COURSE_AFTER) {
        note_settled(c, e, is);
    }
    entry *own = is == ANSWER_UNKNOWN ? own_entry(c, e, NULL) : NULL;
    if (own) {
        own->open.sure = (moments){0};
    }
    if (!c->oom) {
        put(c, lg_str_of(e->key, e->key_len), own);
    }
}

// `unless` without a key counts for all; so does a match whose key is not known, perhaps.
static void close_all(change *c, answer is)
{
    if (is == ANSWER_YES) {
        c->changed = c->changed || c->next.entries.count || c->next.all || c->next.dropped;
        c->next.entries = (lg_map){0};
        c->next.all = NULL;
        c->next.dropped = 0;
        return;
    }
    passage_pay(c->p, c->next.entries.count);
    for (uint32_t i = 0; i < c->next.entries.count && !c->oom; i++) {
        c->p->work++;
        settle(c, lg_map_at(&c->next.entries, i), is);
    }
}

static void close_entries(change *c, const match *m)
{
    if (m->is == ANSWER_NO) {
        return;
    }
    if (c->rule->keyed && m->key.len == 0) {
        close_all(c, m->is);
    } else {
        settle(c, find_entry(c->p, c->rule, &c->next, &m->key), m->is);
    }
}

// --- Opening ------------------------------------------------------------------------------------

// Of an obligation the first moment counts, of what is asked how long ago it was the latest.
static void extend(const change *c, moments *m, lg_conversation_ref *ref)
{
    lg_window_unit unit = c->rule->within.unit;
    bool first = c->rule->kind == LG_COURSE_AFTER;
    int64_t before = m->at;
    bool later = !m->timed || c->p->at[unit] >= before;
    if (m->is && first) {
        return;
    }
    *ref = !m->is || later ? passage_ref(c->p) : *ref;
    moments_add(c->p, unit, m);
}

static void open_as(change *c, const entry *old, const course_key_text *key, answer is)
{
    bool first = c->rule->kind == LG_COURSE_AFTER;
    if (old && first && (is == ANSWER_YES ? old->open.sure.is : old->open.maybe.is)) {
        return; // it is owed already
    }
    entry *own = own_entry(c, old, key);
    if (!own) {
        return;
    }
    if (is == ANSWER_YES) {
        extend(c, &own->open.sure, &own->sure);
    }
    extend(c, &own->open.maybe, &own->maybe);
    put(c, lg_str_of(own->key, own->key_len), own);
}

static void open_entry(change *c, const match *m)
{
    static const course_key_text any = {.len = 0};
    if (m->is == ANSWER_NO) {
        return;
    }
    if (!c->rule->keyed || m->key.len == 0) {
        open_as(c, c->next.all, &any, m->is);
        return;
    }
    const entry *old = find_entry(c->p, c->rule, &c->next, &m->key);
    if (old || !is_full(c)) {
        open_as(c, old, &m->key, m->is);
    } else if (m->is == ANSWER_YES) {
        c->next.dropped++;
        c->changed = true;
    } else {
        open_as(c, c->next.all, &any, m->is); // for some key
    }
}

// --- All of them --------------------------------------------------------------------------------

static void add_tally(change *c, const lg_conversation_tally *more)
{
    lg_conversation_tally *tally = &c->next.tally;
    c->changed = c->changed || more->judged || more->absent;
    tally->judged += more->judged;
    tally->violated += more->violated;
    tally->undecided += more->undecided;
    tally->absent += more->absent;
}

// A table of our own; NULL when out of memory.
static const rule_state **copy_table(const passage *p, lg_arena *arena)
{
    size_t count = p->course->rule_count;
    const rule_state **table = LG_NEW_ARRAY(arena, const rule_state *, count);
    for (size_t i = 0; table && p->next.rules && i < count; i++) {
        table[i] = p->next.rules[i];
    }
    return table;
}

lg_status table_commit(passage *p, lg_arena *arena)
{
    const rule_state **table = NULL;
    for (size_t i = 0; i < p->course->rule_count; i++) {
        change c = {.p = p, .arena = arena, .rule = &p->course->rules[i]};
        c.next = *rule_of(&p->next, i);
        add_tally(&c, &p->rules[i].tally);
        close_entries(&c, &p->rules[i].closes);
        open_entry(&c, &p->rules[i].opens);
        if (!c.changed) {
            continue;
        }
        table = table ? table : copy_table(p, arena);
        rule_state *own = LG_NEW(arena, rule_state);
        if (c.oom || !own || !table) {
            return LG_ERR_OOM;
        }
        LG_DEBUG_ASSERT(c.next.entries.count <= LG_CONVERSATION_KEYS_MAX);
        LG_DEBUG_ASSERT(c.next.breach_count <= LG_CONVERSATION_KEYS_MAX);
        *own = c.next;
        table[i] = own;
    }
    p->next.rules = table ? table : p->next.rules;
    return LG_OK;
}
