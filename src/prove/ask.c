// ask.c: from a question to an answer that can be relied on.
//
// First a case with few records is looked for, in formulas that know no others, because only that can be written
// down and executed. If there is none, the question is asked of all states, in formulas of their own;
// only if that has no answer either is it a proof.
#include "prove/task.h"
#include "symbolic/funs.h"
#include "json/tree.h"

#define TRIALS 8u

// --- Benches ------------------------------------------------------------------------------------

static uint64_t now_us(const task *t)
{
    return t->options.now_us ? t->options.now_us() : 0;
}

// Without a clock there is no limit of time: the caller has none to offer, and steps still bound each question.
terms_budget task_budget(const lg_prove_options *options)
{
    terms_budget made = {.now_us = options->now_us,
                         .work_us = options->work_us ? options->work_us : options->now_us,
                         .memory_bytes = (size_t)options->megabytes << 20};
    made.until_us = made.work_us ? made.work_us() + (uint64_t)options->seconds * 1000000u : 0;
    return made;
}

bool is_late(const task *t)
{
    return t->budget->late || t->budget->share_late;
}

uint64_t share_begin(task *t, uint32_t parts)
{
    LG_DEBUG_ASSERT(parts > 0);
    terms_budget *b = t->budget;
    uint64_t outer = b->share_until_us;
    uint64_t until = outer ? outer : b->until_us;
    uint64_t now = b->work_us && until ? b->work_us() : until;
    b->share_until_us = now < until ? now + (until - now) / parts : outer;
    return outer;
}

void limit_steps(const task *t, terms *of, uint32_t steps)
{
    uint32_t timeout_ms = t->options.timeout_ms;
    terms_set_steps(of, (uint32_t)((uint64_t)steps * timeout_ms / 1000u + 1),
                    timeout_ms * STEPS_LATE);
}

void share_end(task *t, uint64_t outer)
{
    terms_budget *b = t->budget;
    b->share_until_us = outer;
    b->share_late = outer && b->work_us && b->work_us() >= outer;
}

// Cleared by asking, so that each claim is told of its own questions only.
bool was_cut_off(task *t)
{
    bool cut = t->budget->cut;
    t->budget->cut = false;
    return cut;
}

typedef enum scope {
    SCOPE_FEW,   // small cases
    SCOPE_WHOLE, // all, with a few elements and a summary of the others
    SCOPE_ALL,   // all, with quantifiers
} scope;

static lg_status open_bench(bench *b, task *t, const lg_tool *tool, scope of, lg_error *reterr)
{
    *b = (bench){.task = t};
    t->tool = tool->name;
    lg_arena_init(&b->work, (size_t)1 << 30);
    b->p = (problem){.arena = &b->work, .width = t->options.width, .document = t->pack->document};
    b->p.t = terms_new(&b->work, t->options.timeout_ms, t->options.steps);
    b->since = now_us(t);
    if (!b->p.t) {
        lg_arena_done(&b->work);
        return lg_fail(reterr, LG_ERR_INTERNAL, "Z3 could not be started");
    }
    terms_limit(b->p.t, t->budget);
    if (!t->options.steps && of != SCOPE_ALL) {
        limit_steps(t, b->p.t, STEPS_A_SECOND);
    }
    b->p.explicit_only = of == SCOPE_FEW;
    b->p.forall = of == SCOPE_ALL;
    if (b->p.forall) {
        terms_only_refute(b->p.t, t->options.timeout_ms * STEPS_LATE);
    }
    // What is beyond the budget is asked all the same, and not answered.
    bool ready = scene_init(&b->s, &b->p, t->pack, tool) || terms_failed(b->p.t);
    // Which constants of the rules ask about which generic element: `reachable` looks through them.
    b->p.collect_goals = true;
    b->outcomes = ready ? scene_outcomes(&b->s) : NULL;
    b->p.collect_goals = false;
    if (!b->outcomes) {
        bench_close(b);
        return lg_fail_oom(reterr);
    }
    return LG_OK;
}

lg_status bench_open(bench *b, task *t, const lg_tool *tool, lg_error *reterr)
{
    return open_bench(b, t, tool, SCOPE_FEW, reterr);
}

lg_status bench_open_all(bench *b, task *t, const lg_tool *tool, lg_error *reterr)
{
    return open_bench(b, t, tool, SCOPE_ALL, reterr);
}

// That of all cases, with summaries of what is not explicit. NULL when out of memory.
static bench *whole_of(bench *b)
{
    LG_DEBUG_ASSERT(b->p.explicit_only);
    lg_error ignored;
    bench *made = b->whole ? NULL : LG_NEW(&b->work, bench);
    if (made && open_bench(made, b->task, b->s.tool, SCOPE_WHOLE, &ignored) == LG_OK) {
        b->whole = made;
    }
    b->task->oom = b->task->oom || !b->whole;
    return b->whole;
}

bool bench_failed(const bench *b)
{
    return terms_failed(b->p.t) || (b->whole && terms_failed(b->whole->p.t));
}

void bench_close(bench *b)
{
    if (b->whole) {
        bench_close(b->whole);
    }
    terms_free(b->p.t);
    lg_arena_done(&b->work);
}

void bench_start(bench *b)
{
    b->since = now_us(b->task);
}

void take_time(bench *b, lg_claim *o)
{
    uint64_t now = now_us(b->task);
    o->micros = (uint32_t)(now - b->since);
    bool cut = was_cut_off(b->task);
    o->cut = cut && (o->outcome == LG_ASSUMED || o->outcome == LG_UNDECIDED);
    b->since = now;
}

// --- Executing ----------------------------------------------------------------------------------

// The time is the model's, so that a case which hangs on the hour is the same case when it is executed.
bool judge(bench *b, const lg_json *ledger, const lg_json *args, bool hints, lg_decision *ret)
{
    const lg_pack *pack = b->task->pack;
    const lg_ledger_state state = {.root = ledger};
    lg_gate_call call = {.tool = b->s.tool->name, .args = args};
    lg_gate_options options = {.explain = hints ? LG_EXPLAIN_HINTS : LG_EXPLAIN_NOTHING};
    int64_t seconds;
    uint32_t nanos;
    if (term_time_of(b->p.t, terms_value(b->p.t, b->s.now), &seconds, &nanos)) {
        call.now_seconds = seconds;
        call.now_nanos = nanos;
    }
    lg_error ignored;
    return lg_gate_decide(pack, &state, &call, &options, b->task->arena, ret, &ignored) == LG_OK;
}

bool has_finding(const lg_decision *decision, lg_str rule)
{
    for (size_t i = 0; i < decision->finding_count; i++) {
        if (lg_str_eq(decision->findings[i].rule, rule)) {
            return true;
        }
    }
    return false;
}

static bool fits_below(const lg_place *place, const lg_json *node, uint32_t depth)
{
    LG_DEBUG_ASSERT(depth <= place->segment_count);
    if (!node) {
        return true;
    }
    if (depth == place->segment_count) {
        return !place->shape || lg_schema_validate(place->shape, node, NULL);
    }
    if (!lg_str_eq(place->segments[depth], LG_STR("*"))) {
        return fits_below(place, lg_json_get(node, place->segments[depth]), depth + 1);
    }
    for (size_t i = 0; i < lg_json_len(node) && lg_json_is(node, LG_JSON_OBJECT); i++) {
        if (!fits_below(place, &lg_json_member_at(node, i)->value, depth + 1)) {
            return false;
        }
    }
    return true;
}

bool records_fit(const lg_pack *pack, const lg_places *places, const lg_json *root)
{
    (void)pack;
    for (size_t i = 0; i < places->count; i++) {
        if (!fits_below(&places->items[i], root, 0)) {
            return false;
        }
    }
    return true;
}

// --- Examples -----------------------------------------------------------------------------------

static bool add(task *t, lg_json *object, const char *key, lg_json value)
{
    lg_json made;
    if (lg_tree_with_member(t->arena, object, lg_str_c(key), value, &made) != LG_OK) {
        t->oom = true;
        return false;
    }
    *object = made;
    return true;
}

// "confirmed" is only said of a case that the gate has decided.
const lg_json *example_of(task *t, const lg_json *ledger, const lg_json *args,
                          const lg_decision *decision, const char *what)
{
    lg_json *object = LG_NEW(t->arena, lg_json);
    lg_json *rules = LG_NEW_ARRAY(t->arena, lg_json, decision ? decision->finding_count + 1 : 1);
    if (!object || !rules) {
        t->oom = true;
        return NULL;
    }
    *object = lg_json_make_object(NULL, 0);
    if (what) {
        add(t, object, "what", lg_json_make_str(lg_str_c(what)));
    }
    if (decision) {
        add(t, object, "confirmed", lg_json_make_bool(true)); // it is the gate's own decision
    }
    if (args) {
        add(t, object, "tool", lg_json_make_str(t->tool));
        add(t, object, "args", *args);
    }
    if (ledger) {
        add(t, object, "ledger", *ledger);
    }
    for (size_t i = 0; decision && i < decision->finding_count; i++) {
        rules[i] = lg_json_make_str(decision->findings[i].rule);
    }
    if (decision) {
        const char *verdict = lg_verdict_name(decision->verdict);
        add(t, object, "verdict", lg_json_make_str(lg_str_c(verdict)));
        add(t, object, "findings", lg_json_make_array(rules, decision->finding_count));
    }
    // The model's texts are the solver's, which is gone before the answer is read.
    const lg_json *kept = lg_json_copy(t->arena, object);
    t->oom = t->oom || !kept;
    return kept;
}

const lg_json *example_of_state(task *t, const lg_json *state)
{
    lg_json *object = LG_NEW(t->arena, lg_json);
    if (!object) {
        t->oom = true;
        return NULL;
    }
    *object = lg_json_make_object(NULL, 0);
    add(t, object, "what", lg_json_make_str(LG_STR("a state with all invariants")));
    add(t, object, "confirmed", lg_json_make_bool(true));
    add(t, object, "state", *state);
    const lg_json *kept = lg_json_copy(t->arena, object);
    t->oom = t->oom || !kept;
    return kept;
}

// --- Asking -------------------------------------------------------------------------------------

term only_explicit(problem *p)
{
    term small = problem_idealised(p);
    for (size_t i = 0; i < p->summary_size_count; i++) {
        small = term_and(p->t, small, term_eq(p->t, p->summary_sizes[i], term_int(p->t, 0)));
    }
    return small;
}

// Deletion: a minimal core, if no check is left undecided; not the smallest.
void mark_conflict(terms *t, term given, const term *items, size_t count, bool *ret_kept)
{
    LG_DEBUG_ASSERT(term_has_sort(t, given, SORT_BOOL));
    for (size_t i = 0; i < count; i++) {
        ret_kept[i] = true;
    }
    for (size_t i = 0; i < count; i++) {
        ret_kept[i] = false;
        term all = given;
        for (size_t k = 0; k < count; k++) {
            all = ret_kept[k] ? term_and(t, all, items[k]) : all;
        }
        ret_kept[i] = terms_check(t, &all, 1) != ANSWER_UNSAT;
    }
}

// Anything but what the functions of texts gave in the model that was no good: the solver had chosen values
// for them that the real functions do not have. The next model differs in one of them.
static term otherwise(problem *p)
{
    terms *t = p->t;
    term same = term_bool(t, true);
    for (size_t i = 0; i < p->fun_count; i++) {
        const fun *f = &p->funs[i];
        for (size_t k = 0; k < f->use_count; k++) {
            term gives = term_apply(t, f->gives, f->uses[k].args, f->count);
            term fails = term_apply(t, f->fails, f->uses[k].args, f->count);
            same = term_and(t, same, term_eq(t, gives, terms_value(t, gives)));
            same = term_and(t, same, term_eq(t, fails, terms_value(t, fails)));
        }
    }
    return term_not(t, same);
}

// Whether there is none as long as arithmetic is exact, and the like.
static bool none_if_idealised(problem *p, goal_list asked)
{
    LG_DEBUG_ASSERT(asked.count < GOALS_MAX);
    asked.items[asked.count++] = problem_idealised(p);
    return terms_check(p->t, asked.items, asked.count) == ANSWER_UNSAT;
}

// A case that the gate confirms, of those in which `such` is so. `*ret_seen`: there were others.
static answer look_for(bench *b, const question *q, const goal_list *asked, term such, trial *ret,
                       bool *ret_confirmed, bool *ret_seen)
{
    LG_DEBUG_ASSERT(asked->count > 0 && asked->count <= GOALS_MAX);
    LG_DEBUG_ASSERT(q->confirm && b->p.explicit_only);
    problem *p = &b->p;
    term all[GOALS_MAX + TRIALS + 1];
    size_t count = asked->count;
    lg_copy_bytes(all, asked->items, count * sizeof(*all));
    all[count++] = such;
    answer found = ANSWER_UNKNOWN;
    for (uint32_t i = 0; i < TRIALS && !*ret_confirmed; i++) {
        found = terms_check(p->t, all, count);
        if (found != ANSWER_SAT) {
            break;
        }
        model m = model_of(p, b->task->arena);
        *ret_confirmed = q->confirm(b, &m, q->wanted, ret);
        *ret_seen = true;
        all[count++] = otherwise(p);
    }
    return found;
}

// REPLY_NONE is a proof and given under three conditions: UNSAT, nothing was bounded, and not under the
// assumption of ideal numbers.
static reply ask_of_all(bench *b, const question *q)
{
    bench *whole = whole_of(b);
    if (!whole) {
        return REPLY_UNDECIDED;
    }
    problem *p = &whole->p;
    goal_list asked = q->goals(whole, q->about);
    funs_tell_literals(p);
    answer any = terms_check(p->t, asked.items, asked.count);
    if (p->bounded) {
        return REPLY_NONE_SMALL;
    }
    if (any == ANSWER_UNSAT) {
        return REPLY_NONE;
    }
    return none_if_idealised(p, asked) ? REPLY_NONE_EXACT : REPLY_NONE_SMALL;
}

// Of writes that may or may not have happened the gate says the severer of two verdicts, the formulas
// that of one: so cases without any are looked for first.
// The order matters: an example ends the search, so only if no small case is confirmed is the question
// asked of all states.
reply ask(bench *b, const question *q, trial *ret)
{
    problem *p = &b->p;
    bool confirmed = false;
    bool seen = false;
    answer small = ANSWER_UNSAT;
    goal_list asked = q->goals(b, q->about);
    funs_tell_literals(p);
    term such = only_explicit(p);
    if (p->certain) {
        term certain = term_and(p->t, such, p->certain);
        small = look_for(b, q, &asked, certain, ret, &confirmed, &seen);
    }
    if (!confirmed && small == ANSWER_UNSAT) {
        small = look_for(b, q, &asked, such, ret, &confirmed, &seen);
    }
    if (confirmed) {
        return REPLY_EXAMPLE;
    }
    if (small == ANSWER_UNKNOWN) {
        return REPLY_UNDECIDED;
    }
    if (small == ANSWER_SAT || seen) {
        return REPLY_UNCONFIRMED;
    }
    return q->executable_only ? REPLY_NONE_SMALL : ask_of_all(b, q);
}

const char *reply_reason(const bench *b, reply r)
{
    switch (r) {
    case REPLY_EXAMPLE:
    case REPLY_NONE:
        return "";
    case REPLY_NONE_SMALL:
        return "as far as lists and maps were unrolled";
    case REPLY_NONE_EXACT:
        return "as long as numbers do not round, overflow or count beyond 2^53, and of maps the "
               "order is known";
    case REPLY_UNCONFIRMED:
        return b->p.abstracted ? b->p.abstracted : "no example that is so when it is executed";
    case REPLY_UNDECIDED:
        break;
    }
    return undecided_reason(b);
}

const char *undecided_reason(const bench *b)
{
    const lg_prove_options *o = &b->task->options;
    lg_str why = LG_STR("");
    if (is_late(b->task)) {
        why =
            lg_arena_printf(b->task->arena, "not reached within %sthe %u seconds of the whole run",
                            b->task->budget->late ? "" : "its share of ", o->seconds);
    } else if (bench_failed(b)) {
        why = lg_arena_printf(b->task->arena,
                              "more cases than can be followed, or more than %u MB of memory",
                              o->megabytes);
    }
    return why.ptr && why.len ? why.ptr : "not decided within the time";
}
