// obligations.c: what is claimed of the rules of a tool, and which questions decide it.
#include "prove/task.h"

#include <stdio.h>

const char *lg_proof_outcome_name(lg_proof_outcome outcome)
{
    LG_DEBUG_ASSERT(outcome <= LG_UNDECIDED);
    static const char *const names[] = {"proved", "refuted", "assumed", "unknown"};
    return names[outcome];
}

const char *lg_claim_word(lg_claim_kind kind)
{
    static const char *const words[] = {
#define X(name, word, claim) word,
        LG_OBLIGATION_MAP(X)
#undef X
    };
    return kind < LG_OBLIGATION_KINDS ? words[kind] : "";
}

const char *lg_claim_text(lg_claim_kind kind)
{
    static const char *const claims[] = {
#define X(name, word, claim) claim,
        LG_OBLIGATION_MAP(X)
#undef X
    };
    return kind < LG_OBLIGATION_KINDS ? claims[kind] : "";
}

// --- Noting -------------------------------------------------------------------------------------

lg_claim *add_obligation(task *t, const lg_claim *o)
{
    lg_claim *items = lg_arena_grow(t->arena, t->items, t->count, &t->capacity, sizeof(*items));
    if (!items) {
        t->oom = true;
        return NULL;
    }
    t->items = items;
    items[t->count] = *o;
    return &items[t->count++];
}

lg_claim obligation_of(bench *b, lg_claim_kind kind, const lg_rule *rule)
{
    LG_DEBUG_ASSERT(kind < LG_OBLIGATION_KINDS);
    return (lg_claim){.kind = kind,
                      .tool = b->s.tool->name,
                      .rule = rule ? rule->id : LG_STR(""),
                      .offset = rule ? rule->offset : b->s.tool->offset};
}

// The order in which one tool's answer says more than another's: one example for it is enough, and
// only if every tool speaks against it does the rule as a whole.
static int rank(const lg_claim *o)
{
    if (o->outcome == LG_REFUTED) {
        return o->kind == LG_OBLIGE_HINTS ? 4 : 0; // of hints one that fails is enough
    }
    return o->outcome == LG_PROVED ? 3 : o->outcome == LG_ASSUMED ? 2 : 1;
}

void note_rule(task *t, size_t rule, const lg_claim *o)
{
    LG_DEBUG_ASSERT(rule < t->pack->rule_count && o->kind < LG_OBLIGATION_KINDS);
    rule_note *note = &t->rules[rule];
    lg_claim *best = &note->best[o->kind];
    uint32_t micros = best->micros + o->micros;
    if (!note->seen[o->kind] || rank(o) > rank(best)) {
        *best = *o;
    }
    best->micros = micros;
    note->seen[o->kind] = true;
}

void oblige_noted(task *t)
{
    for (size_t i = 0; i < t->pack->rule_count; i++) {
        for (int kind = 0; kind < LG_OBLIGATION_KINDS; kind++) {
            if (!t->rules[i].seen[kind]) {
                continue;
            }
            lg_claim *o = &t->rules[i].best[kind];
            // A rule that the others imply does no harm; one that can do nothing is a mistake.
            o->finding = o->outcome == LG_REFUTED && kind != LG_OBLIGE_NEEDED;
            if (t->pack->rules[i].tool_count > 1) {
                o->tool = LG_STR("");
            }
            add_obligation(t, o);
        }
    }
}

// --- Confirming ---------------------------------------------------------------------------------

// What the gate should find.
typedef struct wanted {
    bool allow;        // nothing
    lg_str with;       // this rule, or empty
    bool alone;        // and no other
    lg_str without[2]; // not these
    const char *what;  // for the example
} wanted;

static bool is_wanted(const wanted *w, const lg_decision *decision)
{
    if (w->allow && decision->verdict != LG_ALLOW) {
        return false;
    }
    if (w->with.len && !has_finding(decision, w->with)) {
        return false;
    }
    for (size_t i = 0; i < LG_COUNT(w->without); i++) {
        if (w->without[i].len && has_finding(decision, w->without[i])) {
            return false;
        }
    }
    return !w->alone || decision->finding_count == 1;
}

static bool confirm_verdict(bench *b, model *m, const void *context, trial *ret)
{
    const wanted *w = context;
    ret->ledger = model_json(m, b->s.ledger);
    ret->args = model_json(m, b->s.args);
    if (!ret->ledger || !ret->args || m->oom ||
        !records_fit(b->task->pack, &b->task->pack->ledger, ret->ledger) ||
        !judge(b, ret->ledger, ret->args, false, &ret->decision)) {
        return false;
    }
    ret->example = example_of(b->task, ret->ledger, ret->args, &ret->decision, w->what);
    // Arguments that do not fit are refused before any rule is asked: that is no example of a rule.
    return is_wanted(w, &ret->decision) && !has_finding(&ret->decision, LG_STR("arguments"));
}

// --- Claims that one example proves -------------------------------------------------------------

static void conclude(bench *b, lg_claim *o, reply r, const trial *found, const char *against)
{
    LG_DEBUG_ASSERT(r != REPLY_EXAMPLE || found->example || b->task->oom);
    switch (r) {
    case REPLY_EXAMPLE:
        o->outcome = LG_PROVED;
        o->example = found->example;
        break;
    case REPLY_NONE:
        o->outcome = LG_REFUTED;
        o->why = lg_str_c(against);
        break;
    case REPLY_NONE_SMALL:
        o->outcome = LG_ASSUMED;
        o->why = LG_STR(
            "no example with the few records that were looked at; there may be a larger one");
        break;
    case REPLY_NONE_EXACT:
        o->outcome = LG_ASSUMED;
        o->why = LG_STR("no example as long as numbers neither round nor overflow nor count beyond "
                        "2^53, and maps keep their order");
        break;
    case REPLY_UNCONFIRMED:
        o->outcome = LG_ASSUMED;
        o->why =
            lg_arena_printf(b->task->arena, "an example that could not be executed as it is: %s",
                            reply_reason(b, r));
        break;
    case REPLY_UNDECIDED:
        o->outcome = LG_UNDECIDED;
        o->why = lg_str_c(reply_reason(b, r));
        break;
    }
    take_time(b, o);
}

static goal_list goals_allowed(bench *b, void *about)
{
    (void)about;
    return (goal_list){{term_not(b->p.t, verdict_refuses(&b->s, b->outcomes))}, 1};
}

static const lg_rule *rule_at(const bench *b, size_t index)
{
    LG_DEBUG_ASSERT(index < b->s.tool->rule_count);
    return &b->task->pack->rules[b->s.tool->rules[index]];
}

// Which rules stand in each other's way: as few as it takes.
static lg_str conflict_of(bench *b)
{
    size_t count = b->s.tool->rule_count;
    LG_DEBUG_ASSERT(!b->p.explicit_only);
    bool *kept = LG_NEW_ARRAY(&b->work, bool, count + 1);
    term *passes = LG_NEW_ARRAY(&b->work, term, count + 1);
    if (!kept || !passes) {
        return LG_STR("");
    }
    for (size_t i = 0; i < count; i++) {
        passes[i] = rule_passes(&b->p, &b->outcomes[i]);
    }
    mark_conflict(b->p.t, term_bool(b->p.t, true), passes, count, kept);
    lg_buf text;
    lg_buf_init(&text, 4096);
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        left += kept[i];
    }
    lg_buf_add_c(&text, left == 1 ? "no call can ever pass: none meets the rule "
                                  : "no call can ever pass: these rules cannot be met together: ");
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        if (kept[i]) {
            lg_buf_addf(&text, "%s%.*s", first ? "" : ", ", LG_FMT(rule_at(b, i)->id));
            first = false;
        }
    }
    lg_str kept_text = lg_arena_str(b->task->arena, lg_buf_str(&text));
    lg_buf_done(&text);
    return kept_text;
}

// Whether there is none.
static bool oblige_allowed(bench *b)
{
    lg_claim o = obligation_of(b, LG_OBLIGE_ALLOWED, NULL);
    wanted w = {.allow = true, .what = "a call that is allowed"};
    question q = {.goals = goals_allowed, .confirm = confirm_verdict, .wanted = &w};
    trial found = {0};
    reply r = ask(b, &q, &found);
    conclude(b, &o, r, &found, "");
    if (r == REPLY_NONE) {
        o.why = conflict_of(b->whole);
        o.finding = true;
    }
    add_obligation(b->task, &o);
    return r == REPLY_NONE;
}

static term others_pass(bench *b, size_t except)
{
    LG_DEBUG_ASSERT(except < b->s.tool->rule_count);
    term all = term_bool(b->p.t, true);
    for (size_t i = 0; i < b->s.tool->rule_count; i++) {
        if (i != except) {
            all = term_and(b->p.t, all, rule_passes(&b->p, &b->outcomes[i]));
        }
    }
    return all;
}

// Which rules of the tool a question is about.
typedef struct chosen {
    size_t rule, other;
} chosen;

static goal_list goals_needed(bench *b, void *about)
{
    const chosen *c = about;
    return (goal_list){{others_pass(b, c->rule), rule_finds(&b->p, &b->outcomes[c->rule])}, 2};
}

static bool oblige_needed(bench *b, size_t index)
{
    const lg_rule *rule = rule_at(b, index);
    lg_claim o = obligation_of(b, LG_OBLIGE_NEEDED, rule);
    wanted w = {.with = rule->id, .alone = true, .what = "only this rule refuses"};
    chosen about = {.rule = index};
    question q = {goals_needed, &about, confirm_verdict, &w, false};
    trial found = {0};
    reply r = ask(b, &q, &found);
    conclude(b, &o, r, &found,
             "whatever it refuses, other rules refuse as well: it says nothing of its own");
    note_rule(b->task, b->s.tool->rules[index], &o);
    if (r == REPLY_EXAMPLE && is_asked(&b->task->options, LG_OBLIGE_HINTS)) {
        oblige_hints(b, b->s.tool->rules[index], &found);
    }
    return r == REPLY_EXAMPLE;
}

static goal_list goals_violable(bench *b, void *about)
{
    const rule_outcome *o = &b->outcomes[((const chosen *)about)->rule];
    return (goal_list){{term_or(b->p.t, o->violated, o->missing)}, 1};
}

static void oblige_violable(bench *b, size_t index, bool hints)
{
    const lg_rule *rule = rule_at(b, index);
    lg_claim o = obligation_of(b, LG_OBLIGE_VIOLABLE, rule);
    wanted w = {.with = rule->id, .what = "a call that this rule refuses"};
    chosen about = {.rule = index};
    question q = {goals_violable, &about, confirm_verdict, &w, false};
    trial found = {0};
    reply r = ask(b, &q, &found);
    conclude(b, &o, r, &found, "no call can violate it");
    note_rule(b->task, b->s.tool->rules[index], &o);
    if (hints && r == REPLY_EXAMPLE) {
        oblige_hints(b, b->s.tool->rules[index], &found);
    }
}

static goal_list goals_applies(bench *b, void *about)
{
    const rule_outcome *o = &b->outcomes[((const chosen *)about)->rule];
    return (goal_list){{term_or(b->p.t, o->holds, o->violated)}, 1};
}

static void oblige_applies(bench *b, size_t index)
{
    const lg_rule *rule = rule_at(b, index);
    lg_claim o = obligation_of(b, LG_OBLIGE_APPLIES, rule);
    wanted w = {.what = "the rule applies"};
    chosen about = {.rule = index};
    question q = {goals_applies, &about, confirm_verdict, &w, false};
    trial found = {0};
    reply r = ask(b, &q, &found);
    conclude(b, &o, r, &found, "its `when` is never true");
    note_rule(b->task, b->s.tool->rules[index], &o);
}

// --- Pairs --------------------------------------------------------------------------------------

static goal_list goals_both_hold(bench *b, void *about)
{
    const chosen *c = about;
    return (goal_list){{b->outcomes[c->rule].holds, b->outcomes[c->other].holds}, 2};
}

// A rule that no call meets contradicts itself, and every other rule through that.
static bool oblige_single(bench *b, size_t index)
{
    lg_claim o = obligation_of(b, LG_OBLIGE_COMPATIBLE, rule_at(b, index));
    wanted w = {.without = {o.rule}, .what = "the rule is met"};
    chosen about = {index, index};
    question q = {goals_both_hold, &about, confirm_verdict, &w, false};
    trial found = {0};
    reply r = ask(b, &q, &found);
    if (r == REPLY_NONE) {
        conclude(b, &o, r, &found, "no call meets it, whatever the records say");
        o.finding = true;
        add_obligation(b->task, &o);
    }
    return r != REPLY_NONE;
}

// Two rules of which each can be met, but never both at once.
static void oblige_pair(bench *b, size_t i, size_t k)
{
    LG_DEBUG_ASSERT(i < k);
    lg_claim o = obligation_of(b, LG_OBLIGE_COMPATIBLE, rule_at(b, i));
    o.other = rule_at(b, k)->id;
    wanted w = {.without = {o.rule, o.other}, .what = "both rules are met"};
    chosen about = {i, k};
    question q = {goals_both_hold, &about, confirm_verdict, &w, false};
    trial found = {0};
    reply r = ask(b, &q, &found);
    if (r == REPLY_EXAMPLE) {
        return;
    }
    conclude(b, &o, r, &found, "the two rules can never be met at once");
    o.finding = o.outcome == LG_REFUTED;
    add_obligation(b->task, &o);
}

static goal_list goals_all_hold(bench *b, void *about)
{
    (void)about;
    term all = term_bool(b->p.t, true);
    for (size_t i = 0; i < b->s.tool->rule_count; i++) {
        all = term_and(b->p.t, all, b->outcomes[i].holds);
    }
    return (goal_list){{all}, 1};
}

// All pairs of the rules that can be met at all.
static void oblige_each_pair(bench *b)
{
    size_t count = b->s.tool->rule_count;
    size_t *live = LG_NEW_ARRAY(&b->work, size_t, count);
    size_t live_count = 0;
    if (!live) {
        b->task->oom = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (oblige_single(b, i)) {
            live[live_count++] = i;
        }
    }
    for (size_t i = 0; i < live_count; i++) {
        for (size_t k = i + 1; k < live_count; k++) {
            oblige_pair(b, live[i], live[k]);
        }
    }
}

// If some call meets all rules, no two of them exclude each other.
static void oblige_pairs(bench *b)
{
    if (b->s.tool->rule_count < 2) {
        return;
    }
    lg_claim o = obligation_of(b, LG_OBLIGE_COMPATIBLE, NULL);
    size_t before = b->task->count;
    wanted w = {.allow = true, .what = "every rule of the tool applies and is met"};
    question q = {.goals = goals_all_hold, .confirm = confirm_verdict, .wanted = &w};
    trial found = {0};
    reply r = ask(b, &q, &found);
    if (r == REPLY_UNDECIDED && (is_late(b->task) || bench_failed(b))) {
        conclude(b, &o, r, &found, ""); // of all pairs
        add_obligation(b->task, &o);
        return;
    }
    if (r != REPLY_EXAMPLE) {
        oblige_each_pair(b);
    }
    if (b->task->count == before) {
        o.outcome = LG_PROVED;
        o.example = r == REPLY_EXAMPLE ? found.example : NULL;
        take_time(b, &o);
        add_obligation(b->task, &o);
    }
}

// --- All of a tool ------------------------------------------------------------------------------

lg_status oblige_rules(bench *b)
{
    const lg_prove_options *options = &b->task->options;
    bool hints = is_asked(options, LG_OBLIGE_HINTS); // asked at a call that was refused
    bool dead = false;
    bench_start(b);
    // A dead tool is not asked how it is reached, nor which of its rules refuses alone.
    if (is_asked(options, LG_OBLIGE_ALLOWED) || is_asked(options, LG_OBLIGE_REACHABLE)) {
        dead = oblige_allowed(b);
    }
    if (is_asked(options, LG_OBLIGE_COMPATIBLE)) {
        uint64_t outer = share_begin(b->task, 2); // there are more pairs than rules
        oblige_pairs(b);
        share_end(b->task, outer);
    }
    for (size_t i = 0; i < b->s.tool->rule_count; i++) {
        bool alone = !dead && (hints || is_asked(options, LG_OBLIGE_NEEDED)) && oblige_needed(b, i);
        if ((hints && !alone) || is_asked(options, LG_OBLIGE_VIOLABLE)) {
            oblige_violable(b, i, hints && !alone);
        }
        if (is_asked(options, LG_OBLIGE_APPLIES) && rule_at(b, i)->when) {
            oblige_applies(b, i);
        }
    }
    return b->task->oom ? LG_ERR_OOM : LG_OK;
}
