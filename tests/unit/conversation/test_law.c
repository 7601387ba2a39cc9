// test_law.c: the automata agree with the definitions, on random rules and random conversations.
//
// The definitions are evaluated naively here: over the whole conversation so far, at every event,
// without any memory from one event to the next. And the work an event costs does not grow.
#include "course_fixture.h"

static uint64_t seed = 0x9E3779B97F4A7C15u;

static uint32_t roll(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % below);
}

// --- Random rules -------------------------------------------------------------------------------

enum { SIGNALS = 5, RULES = 4, EVENTS = 48, KEYS = 3 };
typedef enum kleene { NO, YES, UNKNOWN } kleene;

// A part of a pattern: a kind of event, a tool, and perhaps a signal that has to hold.
typedef struct part {
    uint32_t base; // index in `bases`
    int signal;    // -1: none
    bool negated;
} part;

static const struct {
    const char *yaml;
    uint32_t on;
    const char *tool; // NULL: any
} bases[] = {
    {"call: look", LG_ON_CALL, "look"},   {"result: look", LG_ON_RESULT, "look"},
    {"error: look", LG_ON_ERROR, "look"}, {"call: pay", LG_ON_CALL, "pay"},
    {"result: pay", LG_ON_RESULT, "pay"}, {"call: any", LG_ON_CALL, NULL},
    {"message: user", LG_ON_USER, NULL},  {"message: agent", LG_ON_AGENT, NULL},
    {"event: any", LG_ON_ANYTHING, NULL},
};
enum { WITH_ARGS = 6 }; // bases that have arguments, and so may have a key

typedef struct sample_pattern {
    part parts[2];
    uint32_t count;
} sample_pattern;

typedef struct sample_window {
    lg_window_unit unit;
    int64_t size;
} sample_window;

typedef struct sample_signal {
    lg_signal_kind kind;
    sample_pattern of, until;
    bool has_until;
    int hold; // signal that has to hold meanwhile, or -1
    sample_window within;
} sample_signal;

typedef struct sample_rule {
    lg_course_kind kind;
    sample_pattern opens, judged, closes;
    bool has_closes, keyed;
    sample_window within;
} sample_rule;

typedef struct sample {
    sample_signal signals[SIGNALS];
    sample_rule rules[RULES];
} sample;

static sample_pattern random_pattern(uint32_t signals, bool keyed)
{
    sample_pattern p = {.count = 1 + roll(2)};
    for (uint32_t i = 0; i < p.count; i++) {
        p.parts[i].base = roll(keyed ? WITH_ARGS : (uint32_t)LG_COUNT(bases));
        p.parts[i].signal = signals && roll(3) == 0 ? (int)roll(signals) : -1;
        p.parts[i].negated = roll(2) == 0;
    }
    return p;
}

static sample_window random_window(void)
{
    sample_window w = {.unit = (lg_window_unit)roll(LG_WINDOW_UNITS)};
    w.size = 1 + (int64_t)roll(w.unit == LG_WINDOW_SECONDS ? 40 : 7);
    return w;
}

static sample random_sample(void)
{
    sample s = {0};
    for (uint32_t i = 0; i < SIGNALS; i++) {
        sample_signal *signal = &s.signals[i];
        signal->kind = (lg_signal_kind)roll(3);
        signal->of = random_pattern(i, false);
        signal->until = random_pattern(i, false);
        signal->hold = i && roll(2) ? (int)roll(i) : -1;
        signal->has_until = signal->hold < 0 || roll(2) == 0;
        signal->within = random_window();
    }
    for (uint32_t i = 0; i < RULES; i++) {
        sample_rule *rule = &s.rules[i];
        rule->kind = (lg_course_kind)roll(3);
        rule->keyed = roll(2) == 0;
        rule->opens = random_pattern(SIGNALS, rule->keyed);
        rule->judged = random_pattern(SIGNALS, rule->keyed);
        rule->has_closes =
            rule->kind == LG_COURSE_AFTER || (rule->kind == LG_COURSE_NEVER && roll(2) == 0);
        rule->closes = random_pattern(SIGNALS, rule->keyed);
        rule->within = random_window();
    }
    return s;
}

// --- As YAML ------------------------------------------------------------------------------------

static void print_condition(lg_buf *out, const sample *s, int signal, bool negated)
{
    bool counts = s->signals[signal].kind == LG_SIGNAL_COUNT;
    lg_buf_addf(out, counts ? "%ss%d > 1%s" : "%ss%d%s", negated ? "!(" : "", signal,
                negated ? ")" : "");
}

static void print_pattern(lg_buf *out, const sample *s, const sample_pattern *p, bool keyed)
{
    lg_buf_add_c(out, "[");
    for (uint32_t i = 0; i < p->count; i++) {
        lg_buf_addf(out, "%s{%s", i ? ", " : "", bases[p->parts[i].base].yaml);
        if (p->parts[i].signal >= 0) {
            lg_buf_add_c(out, ", when: '");
            print_condition(out, s, p->parts[i].signal, p->parts[i].negated);
            lg_buf_add_c(out, "'");
        }
        lg_buf_add_c(out, keyed ? ", key: args.id}" : "}");
    }
    lg_buf_add_c(out, "]");
}

static void print_window(lg_buf *out, const sample_window *w)
{
    static const char *const names[] = {"", "events", "turns", "calls", "seconds"};
    if (w->unit != LG_WINDOW_NONE) {
        lg_buf_addf(out, ", within: {%s: %lld}", names[w->unit], (long long)w->size);
    }
}

static void print_signal(lg_buf *out, const sample *s, uint32_t index)
{
    static const char *const kinds[] = {"once", "since", "count"};
    const sample_signal *signal = &s->signals[index];
    lg_buf_addf(out, "    s%u: {%s: ", index, kinds[signal->kind]);
    print_pattern(out, s, &signal->of, false);
    if (signal->kind == LG_SIGNAL_SINCE && signal->has_until) {
        lg_buf_add_c(out, ", until: ");
        print_pattern(out, s, &signal->until, false);
    }
    if (signal->kind == LG_SIGNAL_SINCE && signal->hold >= 0) {
        lg_buf_add_c(out, ", while: '");
        print_condition(out, s, signal->hold, false);
        lg_buf_add_c(out, "'");
    }
    print_window(out, &signal->within);
    lg_buf_add_c(out, "}\n");
}

static void print_rule(lg_buf *out, const sample *s, uint32_t index)
{
    const sample_rule *rule = &s->rules[index];
    bool after = rule->kind == LG_COURSE_AFTER;
    bool never = rule->kind == LG_COURSE_NEVER;
    lg_buf_addf(out, "    r%u: {%s", index,
                after   ? "after: "
                : never ? "never: {from: "
                        : "before: {first: ");
    print_pattern(out, s, &rule->opens, rule->keyed);
    if (after) {
        lg_buf_add_c(out, ", must: ");
        print_pattern(out, s, &rule->closes, rule->keyed);
    } else {
        lg_buf_add_c(out, never ? ", to: " : ", then: ");
        print_pattern(out, s, &rule->judged, rule->keyed);
        if (rule->has_closes) {
            lg_buf_add_c(out, ", unless: ");
            print_pattern(out, s, &rule->closes, rule->keyed);
        }
        lg_buf_add_c(out, "}");
    }
    print_window(out, &rule->within);
    lg_buf_add_c(out, "}\n");
}

// --- Random conversations -----------------------------------------------------------------------

typedef struct sample_event {
    uint32_t on;
    const char *tool;
    uint32_t key; // below KEYS: the argument `id`; else there is none
    uint32_t turn;
    bool timed;
    int64_t seconds;
} sample_event;

typedef struct story {
    sample_event events[EVENTS];
    uint32_t count;
} story;

static story random_story(void)
{
    static const char *const tools[] = {"look", "pay", "cancel"};
    story t = {.count = 1 + roll(EVENTS)};
    uint32_t lost = roll(3) == 0 ? roll(EVENTS) : roll(2) ? 0 : EVENTS;
    uint32_t turn = 0;
    int64_t seconds = 1000;
    for (uint32_t i = 0; i < t.count; i++) {
        turn += roll(2);
        seconds += roll(4) == 0 ? roll(30) : 0;
        t.events[i] = (sample_event){.on = 1u << roll(5),
                                     .tool = tools[roll(3)],
                                     .key = roll(KEYS + 1),
                                     .turn = turn,
                                     .timed = i < lost,
                                     .seconds = seconds};
    }
    return t;
}

// --- The definitions ----------------------------------------------------------------------------

typedef struct naive {
    const sample *s;
    const story *t;
    kleene is[SIGNALS][EVENTS];
    int64_t count[SIGNALS][EVENTS];
} naive;

static kleene both(kleene a, kleene b)
{
    return a == NO || b == NO ? NO : a == UNKNOWN || b == UNKNOWN ? UNKNOWN : YES;
}

static kleene either(kleene a, kleene b)
{
    return a == YES || b == YES ? YES : a == UNKNOWN || b == UNKNOWN ? UNKNOWN : NO;
}

static kleene not(kleene a)
{
    return a == UNKNOWN ? a : a == YES ? NO : YES;
}

static kleene condition(const naive *n, int signal, bool negated, uint32_t i)
{
    kleene is = n->is[signal][i];
    if (is != UNKNOWN && n->s->signals[signal].kind == LG_SIGNAL_COUNT) {
        is = n->count[signal][i] > 1 ? YES : NO;
    }
    return negated ? not(is) : is;
}

static kleene matches(const naive *n, const sample_pattern *p, bool keyed, uint32_t i)
{
    const sample_event *event = &n->t->events[i];
    kleene is = NO;
    for (uint32_t k = 0; k < p->count; k++) {
        bool fits = (bases[p->parts[k].base].on & event->on) != 0;
        const char *tool = bases[p->parts[k].base].tool;
        fits = fits && (!tool || strcmp(tool, event->tool) == 0);
        fits = fits && (!keyed || event->key < KEYS);
        kleene holds =
            p->parts[k].signal < 0 ? YES : condition(n, p->parts[k].signal, p->parts[k].negated, i);
        is = either(is, fits ? holds : NO);
    }
    return is;
}

// From event j to event i, which is not before it.
static kleene within(const naive *n, const sample_window *w, uint32_t i, uint32_t j)
{
    int64_t distance = 0;
    if (w->unit == LG_WINDOW_NONE) {
        return YES;
    }
    for (uint32_t k = 0; k <= i && w->unit == LG_WINDOW_SECONDS; k++) {
        if (!n->t->events[k].timed) {
            return UNKNOWN;
        }
    }
    for (uint32_t k = j + 1; k <= i; k++) {
        const sample_event *before = &n->t->events[k - 1];
        const sample_event *event = &n->t->events[k];
        distance += w->unit == LG_WINDOW_EVENTS  ? 1
                    : w->unit == LG_WINDOW_TURNS ? event->turn != before->turn
                    : w->unit == LG_WINDOW_CALLS ? event->on == LG_ON_CALL
                                                 : event->seconds - before->seconds;
    }
    return distance <= w->size ? YES : NO;
}

static kleene in_signal_window(const naive *n, const sample_window *w, uint32_t i, uint32_t j)
{
    return i == j ? YES : within(n, w, i, j);
}

static kleene held_since(const naive *n, const sample_signal *signal, uint32_t i, uint32_t j)
{
    kleene held = YES;
    for (uint32_t k = j + 1; k <= i; k++) {
        if (signal->has_until) {
            held = both(held, not(matches(n, &signal->until, false, k)));
        }
        if (signal->hold >= 0) {
            held = both(held, condition(n, signal->hold, false, k));
        }
    }
    return held;
}

static void define_signal(naive *n, uint32_t index, uint32_t i)
{
    const sample_signal *signal = &n->s->signals[index];
    kleene any = NO;
    bool unsure = false;
    int64_t count = 0;
    for (uint32_t j = 0; j <= i; j++) {
        kleene is =
            both(matches(n, &signal->of, false, j), in_signal_window(n, &signal->within, i, j));
        if (signal->kind == LG_SIGNAL_SINCE) {
            is = both(is, held_since(n, signal, i, j));
        }
        any = either(any, is);
        count += is == YES;
        unsure = unsure || is == UNKNOWN;
    }
    n->count[index][i] = count;
    n->is[index][i] = signal->kind != LG_SIGNAL_COUNT ? any : unsure ? UNKNOWN : YES;
}

static bool same_key(const naive *n, const sample_rule *rule, uint32_t i, uint32_t j)
{
    return !rule->keyed || n->t->events[i].key == n->t->events[j].key;
}

// Something the rule depends on was undecided before event i.
static bool is_blind(const naive *n, const sample_rule *rule, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++) {
        if (matches(n, &rule->opens, rule->keyed, k) == UNKNOWN ||
            (rule->has_closes && matches(n, &rule->closes, rule->keyed, k) == UNKNOWN)) {
            return true;
        }
    }
    return false;
}

static bool is_lifted(const naive *n, const sample_rule *rule, uint32_t i, uint32_t j)
{
    for (uint32_t k = j + 1; k < i && rule->has_closes; k++) {
        if (matches(n, &rule->closes, rule->keyed, k) == YES && same_key(n, rule, k, j)) {
            return true;
        }
    }
    return false;
}

// YES: violated.
static kleene violates(const naive *n, const sample_rule *rule, uint32_t i)
{
    kleene judged = matches(n, &rule->judged, rule->keyed, i);
    kleene open = NO;
    if (judged != YES) {
        return judged;
    }
    for (uint32_t j = 0; j < i; j++) {
        if (matches(n, &rule->opens, rule->keyed, j) == YES && same_key(n, rule, i, j) &&
            !is_lifted(n, rule, i, j)) {
            open = either(open, within(n, &rule->within, i, j));
        }
    }
    bool never = rule->kind == LG_COURSE_NEVER;
    if (is_blind(n, rule, i)) {
        return never || open != YES ? UNKNOWN : NO;
    }
    return never ? open : not(open);
}

// What is owed after the last event, for one key: "(key)" and its state, in order.
static void define_owed(const naive *n, const sample_rule *rule, uint32_t key, uint32_t owed_at[],
                        lg_obligation_state state[], uint32_t *count)
{
    uint32_t i = 0;
    while (i < n->t->count) {
        bool mine = !rule->keyed || n->t->events[i].key == key;
        if (!mine || matches(n, &rule->opens, rule->keyed, i) != YES) {
            i++;
            continue;
        }
        uint32_t met = i + 1;
        while (met < n->t->count && !((!rule->keyed || n->t->events[met].key == key) &&
                                      matches(n, &rule->closes, rule->keyed, met) == YES)) {
            met++;
        }
        kleene in_time = within(n, &rule->within, met < n->t->count ? met : n->t->count - 1, i);
        if (met == n->t->count || in_time == NO) {
            owed_at[*count] = i;
            state[(*count)++] = met < n->t->count ? LG_OWED_LATE
                                : in_time == NO   ? LG_OWED_OVERDUE
                                                  : LG_OWED_OPEN;
        }
        i = met;
    }
}

// --- The comparison -----------------------------------------------------------------------------

typedef struct law_run {
    course_run r;
    sample s;
    uint64_t values, unknowns, violations, undecided, debts; // seen, so that none is vacuous
} law_run;

static lg_conversation_event event_of(law_run *run, const sample_event *e)
{
    static const char *const ids[] = {"{\"id\": \"a\"}", "{\"id\": \"b\"}", "{\"id\": \"c\"}",
                                      "{}"};
    return (lg_conversation_event){
        .kind = e->on == LG_ON_CALL     ? LG_EVENT_CALL
                : e->on == LG_ON_RESULT ? LG_EVENT_RESULT
                : e->on == LG_ON_ERROR  ? LG_EVENT_ERROR
                                        : LG_EVENT_MESSAGE,
        .role = e->on == LG_ON_USER ? LG_ROLE_USER : LG_ROLE_AGENT,
        .has_turn = true,
        .turn = e->turn,
        .tool = lg_str_c(e->tool),
        .args = fixture_json(&run->r.scratch, ids[e->key]),
        .text = LG_STR("text"),
        .ledger = run->r.pack->ledger.root,
        .has_time = e->timed,
        .time = {e->seconds, 0},
    };
}

static void compare_signals(law_run *run, const naive *n, uint32_t i)
{
    for (uint32_t s = 0; s < SIGNALS; s++) {
        lg_cel_value value = lg_conversation_signal(&run->r.c, s);
        bool counts = run->s.signals[s].kind == LG_SIGNAL_COUNT;
        bool same = n->is[s][i] == UNKNOWN ? value.kind == LG_CEL_ERROR
                    : counts
                        ? value.kind == LG_CEL_INT && value.as.i64 == n->count[s][i]
                        : value.kind == LG_CEL_BOOL && value.as.boolean == (n->is[s][i] == YES);
        if (!CHECK_MSG(same, "a signal has the value that its definition gives")) {
            printf("    signal s%u at event %u, wanted %d (count %lld)\n", s, i, n->is[s][i],
                   (long long)n->count[s][i]);
        }
        run->values++;
        run->unknowns += n->is[s][i] == UNKNOWN;
    }
}

static void compare_rules(law_run *run, const naive *n, uint32_t i,
                          const lg_conversation_findings *found)
{
    uint64_t undecided = 0;
    for (uint32_t r = 0; r < RULES; r++) {
        const sample_rule *rule = &run->s.rules[r];
        kleene want = rule->kind == LG_COURSE_AFTER ? NO : violates(n, rule, i);
        char id[8];
        bool got = false;
        snprintf(id, sizeof(id), "r%u", r);
        for (size_t f = 0; f < found->count; f++) {
            got = got || lg_str_eq(found->items[f].rule, lg_str_c(id));
        }
        if (!CHECK_MSG(got == (want == YES), "a rule is violated where its definition says so")) {
            printf("    rule %s at event %u, wanted %d\n", id, i, want);
        }
        undecided += want == UNKNOWN;
        run->violations += want == YES;
    }
    CHECK_MSG(found->undecided == undecided, "a rule is undecided where its definition is");
    run->undecided += undecided;
}

static void compare_owed(law_run *run, const naive *n)
{
    const lg_obligation *owed;
    size_t count, wanted = 0;
    CHECK(lg_conversation_owed(&run->r.c, &run->r.scratch, &owed, &count, NULL) == LG_OK);
    for (uint32_t r = 0; r < RULES; r++) {
        const sample_rule *rule = &run->s.rules[r];
        for (uint32_t key = 0; key < (rule->keyed ? KEYS : 1) && rule->kind == LG_COURSE_AFTER;
             key++) {
            uint32_t at[EVENTS], found = 0;
            lg_obligation_state state[EVENTS];
            define_owed(n, rule, key, at, state, &found);
            wanted += found;
            for (uint32_t k = 0; k < found; k++) {
                bool there = false;
                for (size_t o = 0; o < count; o++) {
                    there = there || (owed[o].event == at[k] && owed[o].state == state[k] &&
                                      owed[o].rule.ptr[1] == (char)('0' + r));
                }
                CHECK_MSG(there, "an obligation is owed where its definition says so");
            }
        }
    }
    CHECK_MSG(count == wanted, "nothing else is owed");
    run->debts += wanted;
}

static void compare_story(law_run *run)
{
    story t = random_story();
    naive n = {.s = &run->s, .t = &t};
    CHECK(lg_conversation_reset(&run->r.c) == LG_OK);
    for (uint32_t i = 0; i < t.count; i++) {
        lg_conversation_findings judged, found;
        lg_arena_reset(&run->r.scratch);
        for (uint32_t s = 0; s < SIGNALS; s++) {
            define_signal(&n, s, i);
        }
        lg_conversation_event event = event_of(run, &t.events[i]);
        CHECK(lg_conversation_judge(&run->r.c, &event, &run->r.scratch, &judged, NULL) == LG_OK);
        CHECK(lg_conversation_observe(&run->r.c, &event, &run->r.scratch, &found, NULL) == LG_OK);
        CHECK_MSG(judged.count == found.count, "judging sees what observing sees");
        compare_signals(run, &n, i);
        compare_rules(run, &n, i, &found);
    }
    compare_owed(run, &n);
}

static void automata_agree_with_the_definitions(void)
{
    law_run run = {0};
    for (int round = 0; round < 200; round++) {
        lg_buf yaml;
        lg_buf_init(&yaml, 0);
        run.s = random_sample();
        lg_buf_add_c(&yaml, "  signals:\n");
        for (uint32_t i = 0; i < SIGNALS; i++) {
            print_signal(&yaml, &run.s, i);
        }
        lg_buf_add_c(&yaml, "  rules:\n");
        for (uint32_t i = 0; i < RULES; i++) {
            print_rule(&yaml, &run.s, i);
        }
        lg_buf_add_byte(&yaml, '\0');
        int before = lg_test_failures;
        course_begin(&run.r, yaml.ptr);
        for (int i = 0; i < 10; i++) {
            compare_story(&run);
        }
        course_end(&run.r);
        if (lg_test_failures > before) {
            printf("%s", yaml.ptr);
            lg_buf_done(&yaml);
            return; // the first one tells enough
        }
        lg_buf_done(&yaml);
    }
    printf("%llu values (%llu undecided), %llu violations, %llu undecided, %llu owed\n",
           (unsigned long long)run.values, (unsigned long long)run.unknowns,
           (unsigned long long)run.violations, (unsigned long long)run.undecided,
           (unsigned long long)run.debts);
    CHECK(run.values > 100000 && run.unknowns > 1000 && run.violations > 1000);
    CHECK(run.undecided > 1000 && run.debts > 1000);
}

// --- Constant work ------------------------------------------------------------------------------

#define BUSY                                                                                       \
    "  signals:\n"                                                                                 \
    "    a: {count: {call: pay}, within: {events: 100000}}\n"                                      \
    "    b: {count: {call: pay}, within: {seconds: 100000}}\n"                                     \
    "    c: {since: look, until: pay, within: {turns: 50}}\n"                                      \
    "    d: {once: {call: pay, when: c}, within: {calls: 70}}\n"                                   \
    "  rules:\n"                                                                                   \
    "    q: {never: {from: {call: look, key: args.id}, to: {call: cancel, key: args.id}}}\n"       \
    "    r: {that: 'a < 3 || d', at: pay, otherwise: report}\n"

// The most work that any of the last thousand events was, after so many.
static uint64_t work_after(uint32_t events)
{
    course_run r;
    uint64_t most = 0;
    course_begin(&r, BUSY);
    for (uint32_t i = 0; i < events; i++) {
        lg_arena_reset(&r.arena);
        lg_arena_reset(&r.scratch);
        static const char *const tools[] = {"pay", "look", "cancel", "pay"};
        lg_conversation_event event = {.kind = LG_EVENT_CALL,
                                       .role = LG_ROLE_AGENT,
                                       .has_turn = true,
                                       .turn = i,
                                       .tool = lg_str_c(tools[i % 4]),
                                       .ledger = r.pack->ledger.root,
                                       .has_time = true,
                                       .time = {i, 0}};
        lg_str args = lg_arena_printf(&r.arena, "{\"id\": \"%u\"}", i % 200);
        event.args = fixture_json(&r.arena, args.ptr);
        uint64_t before = r.c.work;
        if (lg_conversation_observe(&r.c, &event, &r.scratch, NULL, NULL) != LG_OK) {
            CHECK_MSG(false, "an event is observed");
        }
        if (i + 1000 >= events && r.c.work - before > most) {
            most = r.c.work - before;
        }
    }
    course_end(&r);
    return most;
}

static void an_event_costs_the_same_however_long_the_conversation_is(void)
{
    uint64_t few = work_after(4000);
    uint64_t many = work_after(40000);
    printf("most steps an event: %llu after 4,000 events, %llu after 40,000\n",
           (unsigned long long)few, (unsigned long long)many);
    CHECK(few > 0 && many == few);
    // Patterns and signals once, ten halvings a count, and the keys of one rule twice.
    CHECK(many <= 4 + 8 + 2 * 11 + 2 + 5 + 2 * LG_CONVERSATION_KEYS_MAX);
}

int main(void)
{
    RUN(automata_agree_with_the_definitions);
    RUN(an_event_costs_the_same_however_long_the_conversation_is);
    return lg_test_done();
}
