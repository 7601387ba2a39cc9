// test_law.c: the automata agree with the definitions, on random rules and random conversations.
//
// The definitions are evaluated naively here: over the whole conversation so far, at every event,
// without any memory from one event to the next, in Kleene's three values. And the work an event
// costs does not grow.
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

enum { SIGNALS = 5, RULES = 4, ALL_RULES = RULES + 2 * SIGNALS, EVENTS = 48, KEYS = 3 };
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
    bool has_closes, keyed, closes_keyed;
    sample_window within;
    int signal; // of a condition: this one, or not, and of a count more than
    bool negated;
    int64_t more_than;
} sample_rule;

typedef struct sample {
    sample_signal signals[SIGNALS];
    sample_rule rules[ALL_RULES]; // the first are random; then some that tell the values of signals
    sample_pattern ends;
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
        rule->kind = (lg_course_kind)roll(4);
        rule->keyed = rule->kind != LG_COURSE_THAT && roll(2) == 0;
        rule->opens = random_pattern(SIGNALS, rule->keyed);
        rule->judged = random_pattern(SIGNALS, rule->keyed);
        rule->has_closes =
            rule->kind == LG_COURSE_AFTER || (rule->kind == LG_COURSE_NEVER && roll(2) == 0);
        rule->closes_keyed = rule->keyed && (rule->kind == LG_COURSE_AFTER || roll(2) == 0);
        rule->closes = random_pattern(SIGNALS, rule->closes_keyed);
        rule->within = rule->kind == LG_COURSE_THAT ? (sample_window){0} : random_window();
        rule->signal = (int)roll(SIGNALS);
        rule->negated = roll(2) == 0;
        rule->more_than = 1;
    }
    for (uint32_t i = RULES; i < ALL_RULES; i++) {
        static const part any = {.base = LG_COUNT(bases) - 1, .signal = -1};
        s.rules[i] = (sample_rule){.kind = LG_COURSE_THAT,
                                   .judged = {.parts = {any}, .count = 1},
                                   .signal = (int)(i - RULES) / 2,
                                   .more_than = (int)(i - RULES) % 2 * 2};
    }
    s.ends = random_pattern(SIGNALS, false);
    return s;
}

// --- As YAML ------------------------------------------------------------------------------------

static void print_condition(lg_buf *out, const sample *s, int signal, bool negated,
                            int64_t more_than)
{
    lg_buf_addf(out, "%ss%d", negated ? "!(" : "", signal);
    if (s->signals[signal].kind == LG_SIGNAL_COUNT) {
        lg_buf_addf(out, " > %lld", (long long)more_than);
    }
    lg_buf_add_c(out, negated ? ")" : "");
}

static void print_pattern(lg_buf *out, const sample *s, const sample_pattern *p, bool keyed)
{
    lg_buf_add_c(out, "[");
    for (uint32_t i = 0; i < p->count; i++) {
        lg_buf_addf(out, "%s{%s", i ? ", " : "", bases[p->parts[i].base].yaml);
        if (p->parts[i].signal >= 0) {
            lg_buf_add_c(out, ", when: '");
            print_condition(out, s, p->parts[i].signal, p->parts[i].negated, 1);
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
        print_condition(out, s, signal->hold, false, 1);
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
    if (rule->kind == LG_COURSE_THAT) {
        lg_buf_addf(out, "    r%u: {that: '", index);
        print_condition(out, s, rule->signal, rule->negated, rule->more_than);
        lg_buf_add_c(out, "', at: ");
        print_pattern(out, s, &rule->judged, false);
        lg_buf_add_c(out, "}\n");
        return;
    }
    lg_buf_addf(out, "    r%u: {%s", index,
                after   ? "after: "
                : never ? "never: {from: "
                        : "before: {first: ");
    print_pattern(out, s, &rule->opens, rule->keyed);
    if (after) {
        lg_buf_add_c(out, ", must: ");
        print_pattern(out, s, &rule->closes, rule->closes_keyed);
    } else {
        lg_buf_add_c(out, never ? ", to: " : ", then: ");
        print_pattern(out, s, &rule->judged, rule->keyed);
        if (rule->has_closes) {
            lg_buf_add_c(out, ", unless: ");
            print_pattern(out, s, &rule->closes, rule->closes_keyed);
        }
        lg_buf_add_c(out, "}");
    }
    print_window(out, &rule->within);
    lg_buf_add_c(out, "}\n");
}

static lg_buf yaml_of(const sample *s)
{
    lg_buf yaml;
    lg_buf_init(&yaml, 0);
    lg_buf_add_c(&yaml, "  ends: ");
    print_pattern(&yaml, s, &s->ends, false);
    lg_buf_add_c(&yaml, "\n  signals:\n");
    for (uint32_t i = 0; i < SIGNALS; i++) {
        print_signal(&yaml, s, i);
    }
    lg_buf_add_c(&yaml, "  rules:\n");
    for (uint32_t i = 0; i < ALL_RULES; i++) {
        print_rule(&yaml, s, i);
    }
    lg_buf_add_byte(&yaml, '\0');
    return yaml;
}

// --- Random conversations -----------------------------------------------------------------------

typedef struct sample_event {
    uint32_t on;
    const char *tool;
    uint32_t key; // below KEYS: the argument `id`; else there is none
    bool stray;   // of no known message
    uint32_t turn;
    bool timed;
    int64_t seconds;
} sample_event;

typedef struct story {
    sample_event events[EVENTS];
    uint32_t count;
} story;

// Times at all events, at none, at the first ones, or at some; a few go back.
static story random_story(void)
{
    static const char *const tools[] = {"look", "pay", "cancel"};
    static const uint32_t shares[] = {0, 1, 5, 10, 100};
    story t = {.count = 1 + roll(EVENTS)};
    uint32_t lost = roll(3) == 0 ? roll(EVENTS) : EVENTS;
    uint32_t share = roll(LG_COUNT(shares));
    bool strays = roll(4) == 0;
    bool jumps = roll(2) == 0;
    uint32_t turn = 0;
    int64_t seconds = 1000;
    for (uint32_t i = 0; i < t.count; i++) {
        turn += roll(2);
        seconds += roll(4) == 0 ? roll(30) : 0;
        bool has_time = shares[share] == 100 || roll(10) < shares[share];
        t.events[i] = (sample_event){.on = 1u << roll(5),
                                     .tool = tools[roll(3)],
                                     .key = roll(KEYS + 1),
                                     .stray = strays && roll(8) == 0,
                                     .turn = turn,
                                     .timed = has_time && i < lost,
                                     .seconds = seconds - (jumps ? roll(20) : 0)};
    }
    return t;
}

// --- The definitions ----------------------------------------------------------------------------

typedef struct naive {
    const sample *s;
    const story *t;
    bool timed[EVENTS]; // when an event happened, as far as that is known
    int64_t time[EVENTS];
    kleene is[SIGNALS][EVENTS];
    int64_t low[SIGNALS][EVENTS], high[SIGNALS][EVENTS]; // of a count
} naive;

// The first event of the message that event i belongs to; those of no known message are passed over.
static uint32_t message_of(const story *t, uint32_t i)
{
    uint32_t first = i;
    for (uint32_t k = i; k-- > 0 && !t->events[i].stray;) {
        if (t->events[k].stray) {
            continue;
        }
        if (t->events[k].turn != t->events[i].turn) {
            break;
        }
        first = k;
    }
    return first;
}

// Calls are of the time of their message; time never goes back from message to message, and nothing of
// a message is before it.
static void define_time(naive *n, uint32_t i)
{
    const sample_event *event = &n->t->events[i];
    uint32_t first = message_of(n->t, i);
    bool known = false;
    int64_t earliest = 0;
    for (uint32_t k = 0; k < first; k++) {
        earliest = n->timed[k] && n->time[k] > earliest ? n->time[k] : earliest;
    }
    for (uint32_t k = first; k < i && !known; k++) {
        bool begins = (n->t->events[k].on & (LG_ON_RESULT | LG_ON_ERROR)) == 0;
        known = begins && !n->t->events[k].stray && n->timed[k];
        earliest = known ? n->time[k] : earliest;
    }
    bool of_message = known && event->on == LG_ON_CALL;
    n->timed[i] = event->timed || of_message;
    n->time[i] = !of_message && event->seconds > earliest ? event->seconds : earliest;
}

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

static kleene condition(const naive *n, int signal, bool negated, int64_t more_than, uint32_t i)
{
    kleene is = n->is[signal][i];
    if (n->s->signals[signal].kind == LG_SIGNAL_COUNT) {
        is = n->low[signal][i] > more_than ? YES : n->high[signal][i] <= more_than ? NO : UNKNOWN;
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
        kleene holds = p->parts[k].signal < 0
                           ? YES
                           : condition(n, p->parts[k].signal, p->parts[k].negated, 1, i);
        is = either(is, fits ? holds : NO);
    }
    return is;
}

static bool begins_turn(const story *t, uint32_t k)
{
    return t->events[k].stray || message_of(t, k) == k;
}

// From event j to event i, which is not before it.
static kleene within(const naive *n, const sample_window *w, uint32_t i, uint32_t j)
{
    int64_t distance = 0;
    if (w->unit == LG_WINDOW_NONE) {
        return YES;
    }
    if (w->unit == LG_WINDOW_SECONDS) {
        return !n->timed[i] || !n->timed[j]         ? UNKNOWN
               : n->time[i] - n->time[j] <= w->size ? YES
                                                    : NO;
    }
    for (uint32_t k = j + 1; k <= i; k++) {
        distance += w->unit == LG_WINDOW_EVENTS  ? 1
                    : w->unit == LG_WINDOW_TURNS ? begins_turn(n->t, k)
                                                 : n->t->events[k].on == LG_ON_CALL;
    }
    return distance <= w->size ? YES : NO;
}

static kleene held_since(const naive *n, const sample_signal *signal, uint32_t i, uint32_t j)
{
    kleene held = YES;
    for (uint32_t k = j + 1; k <= i; k++) {
        if (signal->has_until) {
            held = both(held, not(matches(n, &signal->until, false, k)));
        }
        if (signal->hold >= 0) {
            held = both(held, condition(n, signal->hold, false, 1, k));
        }
    }
    return held;
}

static void define_signal(naive *n, uint32_t index, uint32_t i)
{
    const sample_signal *signal = &n->s->signals[index];
    kleene any = NO;
    n->low[index][i] = n->high[index][i] = 0;
    for (uint32_t j = 0; j <= i; j++) {
        kleene near = i == j ? YES : within(n, &signal->within, i, j);
        kleene is = both(matches(n, &signal->of, false, j), near);
        if (signal->kind == LG_SIGNAL_SINCE) {
            is = both(is, held_since(n, signal, i, j));
        }
        any = either(any, is);
        n->low[index][i] += is == YES;
        n->high[index][i] += is != NO;
    }
    n->is[index][i] = any;
}

static bool same_key(const naive *n, bool keyed, uint32_t i, uint32_t j)
{
    return !keyed || n->t->events[i].key == n->t->events[j].key;
}

// Is what event j opens still open after event i?
static kleene is_open(const naive *n, const sample_rule *rule, uint32_t i, uint32_t j)
{
    kleene open = matches(n, &rule->opens, rule->keyed, j);
    for (uint32_t k = j + 1; k <= i && rule->has_closes; k++) {
        if (same_key(n, rule->closes_keyed, k, j)) {
            open = both(open, not(matches(n, &rule->closes, rule->closes_keyed, k)));
        }
    }
    return open;
}

// YES: violated.
static kleene violates(const naive *n, const sample_rule *rule, uint32_t i)
{
    bool owes = rule->kind == LG_COURSE_AFTER;
    kleene open = NO;
    if (rule->kind == LG_COURSE_THAT) {
        return both(matches(n, &rule->judged, false, i),
                    not(condition(n, rule->signal, rule->negated, rule->more_than, i)));
    }
    for (uint32_t j = 0; j < i; j++) {
        if (owes) { // what ends the conversation may settle it
            open = either(open, is_open(n, rule, i, j));
        } else if (same_key(n, rule->keyed, i, j)) {
            kleene near = within(n, &rule->within, i, j);
            open = either(open, both(near, is_open(n, rule, i - 1, j)));
        }
    }
    return owes ? both(matches(n, &n->s->ends, false, i), open)
                : both(matches(n, &rule->judged, rule->keyed, i),
                       rule->kind == LG_COURSE_NEVER ? open : not(open));
}

// Does event j certainly open what was not certainly open?
static bool is_first(const naive *n, const sample_rule *rule, uint32_t j)
{
    bool first = matches(n, &rule->opens, rule->keyed, j) == YES;
    for (uint32_t k = 0; k < j && first; k++) {
        first = !same_key(n, rule->keyed, j, k) || is_open(n, rule, j, k) != YES;
    }
    return first;
}

// What is certainly owed after the last event since event j: an obligation is so until it may have
// been met, and after that only if its window had passed.
static bool define_owed(const naive *n, const sample_rule *rule, uint32_t j,
                        lg_obligation_state *state)
{
    kleene met = NO;
    uint32_t at = j;
    if (!is_first(n, rule, j)) {
        return false;
    }
    while (at + 1 < n->t->count && met == NO) {
        at++;
        met = same_key(n, rule->keyed, at, j) ? matches(n, &rule->closes, rule->keyed, at) : NO;
    }
    kleene in_time = within(n, &rule->within, at, j);
    if (met == NO && rule->within.unit == LG_WINDOW_SECONDS && n->timed[j]) {
        for (uint32_t k = 0; k < n->t->count; k++) { // time runs on without the last event's
            bool past = n->timed[k] && n->time[k] - n->time[j] > rule->within.size;
            in_time = past ? NO : in_time;
        }
    }
    *state = met == YES ? LG_OWED_LATE : in_time == NO ? LG_OWED_OVERDUE : LG_OWED_OPEN;
    return met == NO || in_time == NO;
}

// --- The comparison -----------------------------------------------------------------------------

typedef struct law_run {
    course_run r;
    sample s;
    uint64_t violations, undecided, debts, forks; // seen, so that none is vacuous
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
        .has_turn = !e->stray,
        .turn = e->turn,
        .tool = lg_str_c(e->tool),
        .args = fixture_json(&run->r.scratch, ids[e->key]),
        .text = LG_STR("text"),
        .ledger = run->r.pack->ledger.root,
        .has_time = e->timed,
        .time = {e->seconds, 0},
    };
}

static bool is_found(const lg_conversation_findings *found, uint32_t rule)
{
    char id[8];
    snprintf(id, sizeof(id), "r%u", rule);
    for (size_t i = 0; i < found->count; i++) {
        if (lg_str_eq(found->items[i].rule, lg_str_c(id))) {
            return true;
        }
    }
    return false;
}

static void compare_rules(law_run *run, const naive *n, uint32_t i,
                          const lg_conversation_findings *found)
{
    uint64_t undecided = 0;
    for (uint32_t r = 0; r < ALL_RULES; r++) {
        kleene want = violates(n, &run->s.rules[r], i);
        bool same = is_found(found, r) == (want == YES);
        if (!CHECK_MSG(same, "a rule is violated where its definition says so")) {
            printf("    rule r%u at event %u, wanted %d\n", r, i, want);
        }
        undecided += want == UNKNOWN;
        run->violations += want == YES;
    }
    if (!CHECK_MSG(found->undecided == undecided, "a rule is undecided where its definition is")) {
        printf("    at event %u, wanted %llu, got %zu\n", i, (unsigned long long)undecided,
               found->undecided);
    }
    run->undecided += undecided;
}

static void compare_owed(law_run *run, const naive *n)
{
    const lg_obligation *owed;
    size_t count, wanted = 0;
    CHECK(lg_conversation_owed(&run->r.c, &run->r.scratch, &owed, &count, NULL) == LG_OK);
    for (uint32_t r = 0; r < RULES; r++) {
        const sample_rule *rule = &run->s.rules[r];
        for (uint32_t j = 0; j < n->t->count && rule->kind == LG_COURSE_AFTER; j++) {
            lg_obligation_state state = LG_OWED_OPEN;
            bool there = !define_owed(n, rule, j, &state);
            wanted += !there;
            for (size_t o = 0; o < count; o++) {
                there = there || (owed[o].event == j && owed[o].state == state &&
                                  owed[o].rule.ptr[1] == (char)('0' + r));
            }
            CHECK_MSG(there, "an obligation is owed where its definition says so");
        }
    }
    CHECK_MSG(count == wanted, "nothing else is owed");
    run->debts += wanted;
}

static void observe_one(law_run *run, const sample_event *e)
{
    lg_conversation_event event = event_of(run, e);
    lg_conversation_findings found;
    CHECK(lg_conversation_observe(&run->r.c, &event, &run->r.scratch, &found, NULL) == LG_OK);
}

// Another future of this conversation, which is left again.
static void go_astray(law_run *run)
{
    lg_conversation_state before = run->r.c.state;
    lg_conversation_state *const snapshots[] = {&before};
    story t = random_story();
    for (uint32_t i = 0; i < t.count && i < 6; i++) {
        observe_one(run, &t.events[i]);
    }
    if (roll(2) == 0) {
        (void)lg_conversation_tidy_now(&run->r.c, snapshots, 1);
    }
    run->r.c.state = before;
    if (roll(4) == 0) {
        (void)lg_conversation_tidy_now(&run->r.c, NULL, 0);
    }
    run->forks++;
}

static void compare_story(law_run *run)
{
    story t = random_story();
    naive n = {.s = &run->s, .t = &t};
    lg_conversation_reset(&run->r.c);
    for (uint32_t i = 0; i < t.count; i++) {
        lg_conversation_findings judged, found;
        lg_arena_reset(&run->r.scratch);
        if (roll(12) == 0) {
            go_astray(run);
        }
        define_time(&n, i);
        for (uint32_t s = 0; s < SIGNALS; s++) {
            define_signal(&n, s, i);
        }
        lg_conversation_event event = event_of(run, &t.events[i]);
        CHECK(judge_event(&run->r.c, &event, &run->r.scratch, &judged) == LG_OK);
        CHECK(lg_conversation_observe(&run->r.c, &event, &run->r.scratch, &found, NULL) == LG_OK);
        CHECK_MSG(judged.count == found.count, "judging sees what observing sees");
        compare_rules(run, &n, i, &found);
    }
    compare_owed(run, &n);
}

// --- Every resolution ---------------------------------------------------------------------------

// A time for each event that has none, such that the others stay what they are: that of its message,
// where another event tells it, else one between those before and behind it.
static void resolve_times(story *t)
{
    naive n = {.t = t};
    for (uint32_t i = 0; i < t->count; i++) {
        sample_event *event = &t->events[i];
        int64_t low = 0;
        int64_t high = INT64_MAX;
        for (uint32_t k = 0; k < i; k++) {
            low = n.time[k] > low ? n.time[k] : low;
        }
        for (uint32_t k = i + 1; k < t->count; k++) {
            bool timed = t->events[k].timed;
            high = timed && t->events[k].seconds < high ? t->events[k].seconds : high;
        }
        for (uint32_t k = i + 1; k < t->count && !event->timed && !event->stray; k++) {
            bool begins = (t->events[k].on & (LG_ON_RESULT | LG_ON_ERROR)) == 0;
            bool mine = !t->events[k].stray && t->events[k].turn == event->turn;
            if (mine && begins && t->events[k].timed) {
                low = high = t->events[k].seconds;
                break;
            }
        }
        if (!event->timed) {
            high = high > low + 30 ? low + 30 : high;
            event->timed = true;
            event->seconds = high > low ? low + (int64_t)roll((uint32_t)(high - low) + 1) : low;
        }
        define_time(&n, i);
    }
}

// What is certain in the story as it is known is so in the story as it was.
static void compare_resolution(law_run *run, lg_conversation *whole)
{
    story known = random_story();
    story was = known;
    resolve_times(&was);
    lg_conversation_reset(&run->r.c);
    lg_conversation_reset(whole);
    for (uint32_t i = 0; i < known.count; i++) {
        lg_conversation_findings partly, fully;
        lg_conversation_tally before[ALL_RULES];
        lg_arena_reset(&run->r.scratch);
        for (uint32_t r = 0; r < ALL_RULES; r++) {
            before[r] = lg_conversation_tally_of(&run->r.c, r);
        }
        lg_conversation_event event = event_of(run, &known.events[i]);
        lg_conversation_event same = event_of(run, &was.events[i]);
        CHECK(lg_conversation_observe(&run->r.c, &event, &run->r.scratch, &partly, NULL) == LG_OK);
        CHECK(lg_conversation_observe(whole, &same, &run->r.scratch, &fully, NULL) == LG_OK);
        for (uint32_t r = 0; r < ALL_RULES; r++) {
            lg_conversation_tally now = lg_conversation_tally_of(&run->r.c, r);
            bool after = run->s.rules[r].kind == LG_COURSE_AFTER;
            bool decided = is_found(&partly, r) || (!after && now.undecided == before[r].undecided);
            bool agrees = !decided || is_found(&partly, r) == is_found(&fully, r);
            if (!CHECK_MSG(agrees, "what is certain is so, whatever the times were")) {
                printf("    rule r%u at event %u\n", r, i);
            }
            run->undecided += !decided;
        }
        CHECK_MSG(fully.undecided == 0, "with all times nothing is undecided");
    }
}

static void what_is_certain_is_so_in_every_resolution(void)
{
    law_run run = {0};
    for (int round = 0; round < 150; round++) {
        lg_conversation whole;
        run.s = random_sample();
        lg_buf yaml = yaml_of(&run.s);
        int before = lg_test_failures;
        course_begin(&run.r, yaml.ptr);
        lg_conversation_init(&whole, run.r.pack, NULL);
        for (int i = 0; i < 10; i++) {
            compare_resolution(&run, &whole);
        }
        lg_conversation_done(&whole);
        course_end(&run.r);
        if (lg_test_failures > before) {
            printf("%s", yaml.ptr);
        }
        lg_buf_done(&yaml);
        if (lg_test_failures > before) {
            return;
        }
    }
    CHECK(run.undecided > 10000);
}

static void automata_agree_with_the_definitions(void)
{
    law_run run = {0};
    for (int round = 0; round < 200; round++) {
        run.s = random_sample();
        lg_buf yaml = yaml_of(&run.s);
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
    printf("%llu violations, %llu undecided, %llu owed, %llu forks\n",
           (unsigned long long)run.violations, (unsigned long long)run.undecided,
           (unsigned long long)run.debts, (unsigned long long)run.forks);
    CHECK(run.violations > 10000 && run.undecided > 10000 && run.debts > 500 && run.forks > 1000);
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
    RUN(what_is_certain_is_so_in_every_resolution);
    RUN(an_event_costs_the_same_however_long_the_conversation_is);
    return lg_test_done();
}
