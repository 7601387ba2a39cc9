// diff.c: is the new pack stricter, looser, or neither?
//
// Both packs judge one ledger and one call, whose inputs are made from the new pack's schemas; so
// rules that did not change are the same formulas, and most of the question is decided before Z3
// sees it. An example is executed by both gates.
#include "prove/task.h"
#include "prove/within.h"

const char *lg_relation_name(lg_relation relation)
{
    static const char *const names[] = {"equal", "stricter", "looser", "incomparable", "unknown"};
    return names[relation];
}

// What one of the packs says of the calls.
typedef struct side {
    term refuses;
    term blocks;
    term complete; // nothing was left unread
} side;

typedef struct sides {
    bool made;
    side old, new;
} sides;

// Two packs, and the bench on which they are compared: its scene is that of both.
typedef struct pair {
    bench *b;
    const lg_pack *before;
    const lg_pack *after;
    bool stricter;        // which direction is asked for
    const lg_tool *older; // of the old pack; NULL: one pack does not judge the tool,
    bool old_is_silent;   // namely the old one,
    bool lenient;         // and allows all calls
    sides few, whole;     // in formulas of small cases, and of all
} pair;

// The bench is that of one pack; for this one decision it is the other's.
static bool judge_with(bench *b, const lg_pack *pack, const lg_json *ledger, const lg_json *args,
                       lg_decision *ret)
{
    const lg_pack *kept = b->task->pack;
    b->task->pack = pack;
    bool ok = judge(b, ledger, args, false, ret);
    b->task->pack = kept;
    return ok;
}

// Both gates judge the call; the example has what the new one says.
static bool is_judged_so(const pair *both, trial *ret)
{
    bench *b = both->b;
    lg_decision old;
    if (!judge_with(b, both->after, ret->ledger, ret->args, &ret->decision) ||
        !judge_with(b, both->before, ret->ledger, ret->args, &old)) {
        return false;
    }
    lg_str what =
        lg_arena_printf(b->task->arena, "the old pack says %s, the new one %s",
                        lg_verdict_name(old.verdict), lg_verdict_name(ret->decision.verdict));
    ret->example = example_of(b->task, ret->ledger, ret->args, &ret->decision, what.ptr);
    return both->stricter ? ret->decision.verdict > old.verdict
                          : ret->decision.verdict < old.verdict;
}

static bool confirm_difference(bench *b, model *m, const void *context, trial *ret)
{
    const pair *both = context;
    ret->ledger = model_json(m, b->s.ledger);
    ret->args = model_json(m, b->s.args);
    return ret->ledger && ret->args && !m->oom &&
           records_fit(both->before, &both->before->ledger, ret->ledger) &&
           records_fit(both->after, &both->after->ledger, ret->ledger) && is_judged_so(both, ret);
}

// Only called with what is proved or shown: no example in a direction means that there is none.
static lg_relation relation_of(bool stricter, bool looser)
{
    return stricter && looser ? LG_RELATION_INCOMPARABLE
           : stricter         ? LG_RELATION_STRICTER
           : looser           ? LG_RELATION_LOOSER
                              : LG_RELATION_EQUAL;
}

// Nothing that a rule asks for is missing.
static term all_there(problem *p, const scene *s, const rule_outcome *outcomes)
{
    LG_DEBUG_ASSERT(s->p == p);
    term there = term_bool(p->t, true);
    for (size_t i = 0; i < s->tool->rule_count; i++) {
        term absent = term_or(p->t, outcomes[i].missing, outcomes[i].abstains);
        absent = term_or(p->t, absent, outcomes[i].lacking);
        there = term_and(p->t, there, term_not(p->t, term_or(p->t, absent, outcomes[i].defect)));
    }
    return there;
}

static side side_of(const scene *s, const rule_outcome *outcomes)
{
    return (side){verdict_refuses(s, outcomes), verdict_blocks(s, outcomes),
                  all_there(s->p, s, outcomes)};
}

// That of a pack that does not judge the tool: it allows all calls, or wants all to be revised.
static side side_without_rules(problem *p, bool lenient)
{
    return (side){term_bool(p->t, !lenient), term_bool(p->t, false), term_bool(p->t, true)};
}

// What is known beside the formulas: they speak of the calls and ledgers of one of the packs.
typedef struct bounds {
    bool none_stricter; // no call beyond them is judged more severely
    bool none_looser;
    const char *why; // that is not known
} bounds;

// A relation is claimed only if it is proved; a difference in both directions is proved by two
// examples.
static void conclude(bench *b, const bounds *known, reply stricter, reply looser,
                     lg_tool_difference *d)
{
    LG_DEBUG_ASSERT(known->why);
    bool up = stricter == REPLY_EXAMPLE;
    bool down = looser == REPLY_EXAMPLE;
    bool up_settled = up || (stricter == REPLY_NONE && known->none_stricter);
    bool down_settled = down || (looser == REPLY_NONE && known->none_looser);
    d->proved = up_settled && down_settled;
    d->relation = d->proved ? relation_of(up, down) : LG_RELATION_UNKNOWN;
    d->undecided = stricter == REPLY_UNDECIDED || looser == REPLY_UNDECIDED;
    d->cut = was_cut_off(b->task) && !d->proved;
    if (d->proved) {
        return;
    }
    reply open = up_settled ? looser : stricter;
    const char *why = open == REPLY_NONE ? known->why : reply_reason(b, open);
    const char *seen =
        up     ? "some call is judged more severely; that none is judged less is not proved"
        : down ? "some call is judged less severely; that none is judged more is not proved"
               : "no difference was found, and that there is none is not proved";
    d->why = lg_arena_printf(b->task->arena, "%s: %s", seen, why);
}

// Only ledgers with the invariants are compared.
static bool have_same_invariants(const lg_pack *before, const lg_pack *after)
{
    bool all = before->ledger_invariant_count == after->ledger_invariant_count;
    for (size_t i = 0; i < before->ledger_invariant_count && all; i++) {
        all = lg_str_eq(lg_cel_program_source(before->ledger_invariants[i].that),
                        lg_cel_program_source(after->ledger_invariants[i].that));
    }
    return all;
}

static bool have_same(const lg_pack *before, const lg_pack *after, const char *section)
{
    const lg_json *a = lg_json_get(before->document, lg_str_c(section));
    const lg_json *b = lg_json_get(after->document, lg_str_c(section));
    return a && b ? lg_json_equal(a, b) : a == b;
}

// Do both packs declare the same places, with the same types?
static bool have_same_ledgers(const lg_pack *before, const lg_pack *after)
{
    return have_same(before, after, "ledger") && have_same(before, after, "types") &&
           have_same_invariants(before, after);
}

static bool same_program(const lg_cel_program *a, const lg_cel_program *b)
{
    return a && b ? lg_str_eq(lg_cel_program_source(a), lg_cel_program_source(b)) : a == b;
}

// Are two rules written alike? Then they come to the same wherever names and places mean the same.
static bool same_rule(const lg_rule *a, const lg_rule *b)
{
    bool same = a->let_count == b->let_count && same_program(a->when, b->when) &&
                same_program(a->that, b->that) && !a->need_count == !b->need_count;
    for (size_t i = 0; i < a->let_count && same; i++) {
        same = lg_str_eq(a->lets[i].name, b->lets[i].name) &&
               same_program(a->lets[i].program, b->lets[i].program);
    }
    return same;
}

// What is not followed is anything at all, and anything else each time it is met. But a rule that stands
// in both packs comes to one thing: its outcome in the new one is taken for the old one, too.
static void share_outcomes(const scene *old, rule_outcome *before, const scene *new,
                           const rule_outcome *after)
{
    LG_DEBUG_ASSERT(old->p == new->p);
    const lg_pack *a = old->pack;
    const lg_pack *b = new->pack;
    if (!have_same_ledgers(a, b) || !have_same(a, b, "define") || !have_same(a, b, "clock") ||
        !lg_json_equal(old->tool->parameters, new->tool->parameters)) {
        return;
    }
    for (size_t i = 0; i < old->tool->rule_count; i++) {
        for (size_t k = 0; k < new->tool->rule_count; k++) {
            if (same_rule(&a->rules[old->tool->rules[i]], &b->rules[new->tool->rules[k]])) {
                before[i] = after[k];
            }
        }
    }
}

// What both packs say of the calls of the bench.
static sides sides_of_both(const pair *both, bench *b)
{
    scene old = b->s;
    old.pack = both->before;
    old.tool = both->older;
    // A pack whose clock stands still elsewhere judges by that time.
    if (old.pack->fixed_clock) {
        old.slots[LG_SLOT_NOW] = value_scalar(
            &b->p, ALT_TIME, term_nanos(b->p.t, old.pack->clock_seconds, old.pack->clock_nanos));
    }
    rule_outcome *before = scene_outcomes(&old);
    if (!before) {
        b->task->oom = true;
        side none = side_without_rules(&b->p, true);
        return (sides){true, none, none};
    }
    share_outcomes(&old, before, &b->s, b->outcomes);
    return (sides){true, side_of(&old, before), side_of(&b->s, b->outcomes)};
}

static const sides *sides_on(pair *both, bench *b)
{
    sides *said = b == both->b ? &both->few : &both->whole;
    if (!said->made && both->older) {
        *said = sides_of_both(both, b);
    } else if (!said->made) {
        side judged = side_of(&b->s, b->outcomes);
        side silent = side_without_rules(&b->p, both->lenient);
        *said = (sides){true, both->old_is_silent ? silent : judged,
                        both->old_is_silent ? judged : silent};
    }
    return said;
}

// --- Directions ---------------------------------------------------------------------------------

// One direction: some call is judged more severely by the second. The clearest example is one that
// the milder pack allows; then one in which all evidence is there; then any.
typedef enum clarity { CLEAR_ALLOWED, CLEAR_COMPLETE, CLEAR_ANY } clarity;

typedef struct direction {
    pair *both;
    clarity of;
} direction;

// allow < revise < block, so that more severe is one of two steps up.
static goal_list goals_more(bench *b, void *about)
{
    const direction *d = about;
    terms *t = b->p.t;
    const sides *said = sides_on(d->both, b);
    const side *low = d->both->stricter ? &said->old : &said->new;
    const side *high = d->both->stricter ? &said->new : &said->old;
    term more = term_or(t, term_and(t, high->refuses, term_not(t, low->refuses)),
                        term_and(t, high->blocks, term_not(t, low->blocks)));
    if (d->of == CLEAR_ANY) {
        return (goal_list){{more}, 1};
    }
    term also = d->of == CLEAR_ALLOWED ? term_not(t, low->refuses)
                                       : term_and(t, said->old.complete, said->new.complete);
    return (goal_list){{more, also}, 2};
}

static reply ask_direction(pair *both, bool stricter, const lg_json **ret_example)
{
    direction d = {.both = both};
    trial found = {0};
    reply r = REPLY_NONE;
    if (*ret_example) {
        return REPLY_EXAMPLE;
    }
    both->stricter = stricter;
    for (int of = CLEAR_ALLOWED; of <= CLEAR_ANY && r != REPLY_EXAMPLE; of++) {
        d.of = (clarity)of;
        // Only the plain question is a proof: those before ask for less.
        question q = {goals_more, &d, confirm_difference, both, d.of != CLEAR_ANY};
        r = ask(both->b, &q, &found);
    }
    *ret_example = r == REPLY_EXAMPLE ? found.example : NULL;
    return r;
}

static void compare_verdicts(pair *both, const bounds *known, lg_tool_difference *d)
{
    LG_DEBUG_ASSERT(both->before != both->after);
    reply stricter = ask_direction(both, true, &d->stricter);
    reply looser = ask_direction(both, false, &d->looser);
    conclude(both->b, known, stricter, looser, d);
}

// --- Tools --------------------------------------------------------------------------------------

static goal_list goals_misfit(bench *b, void *about)
{
    const lg_json *other = *(const lg_json *const *)about;
    return (goal_list){{term_not(b->p.t, verdict_refuses(&b->s, b->outcomes)),
                        value_misfits(&b->p, b->s.slots[LG_SLOT_ARGS], other)},
                       2};
}

// A call of the arguments of one pack, which it allows and the other refuses.
// What the milder schema lets through and the other does not: the formulas never see such arguments,
// because both sides speak of those of one pack.
static void find_misfit(const pair *both, const lg_json *other, lg_tool_difference *d)
{
    bench *b = both->b;
    trial found = {0};
    question q = {goals_misfit, &other, confirm_difference, both, true};
    if (ask(b, &q, &found) == REPLY_EXAMPLE) {
        *(both->stricter ? &d->stricter : &d->looser) = found.example;
    }
}

// Of the arguments that only one of the packs lets through. Fails with LG_ERR_OOM.
static lg_status compare_arguments(task *t, const lg_pack *old_pack, const lg_tool *old_tool,
                                   const lg_tool *tool, lg_tool_difference *d, lg_error *reterr)
{
    for (int stricter = 0; stricter < 2; stricter++) {
        task own = *t;
        bench b;
        const lg_tool *from = stricter ? old_tool : tool;
        own.pack = stricter ? old_pack : t->pack;
        lg_status status = bench_open(&b, &own, from, reterr);
        if (status != LG_OK) {
            return status;
        }
        pair both = {.b = &b, .before = old_pack, .after = t->pack, .stricter = stricter != 0};
        find_misfit(&both, (stricter ? tool : old_tool)->parameters, d);
        bench_close(&b);
        t->oom = t->oom || own.oom;
    }
    return LG_OK;
}

static bounds bounds_of(const lg_pack *old_pack, const lg_tool *old_tool, const lg_pack *pack,
                        const lg_tool *tool)
{
    const char *const ledgers = "only ledgers that fit the new types are compared";
    const char *const arguments = "the arguments differ, in a way that is not followed";
    if (!have_same_ledgers(old_pack, pack)) {
        return (bounds){false, false, ledgers};
    }
    return (bounds){arguments_within(old_tool->parameters, tool->parameters),
                    arguments_within(tool->parameters, old_tool->parameters), arguments};
}

static lg_status compare_tool(task *t, const lg_pack *old_pack, const lg_tool *old_tool,
                              const lg_tool *tool, lg_tool_difference *d, lg_error *reterr)
{
    LG_DEBUG_ASSERT(is_gated(old_tool) && is_gated(tool));
    bench b;
    bounds known = bounds_of(old_pack, old_tool, t->pack, tool);
    lg_status status = LG_OK;
    if (!lg_json_equal(old_tool->parameters, tool->parameters)) {
        status = compare_arguments(t, old_pack, old_tool, tool, d, reterr);
    }
    status = status == LG_OK ? bench_open(&b, t, tool, reterr) : status;
    if (status != LG_OK) {
        return status;
    }
    pair both = {.b = &b, .before = old_pack, .after = t->pack, .older = old_tool};
    compare_verdicts(&both, &known, d);
    bench_close(&b);
    return t->oom ? lg_fail_oom(reterr) : LG_OK;
}

static const char *why_alone(bool is_old, bool known)
{
    return known ? (is_old ? "the old pack does not judge the tool"
                           : "the new pack does not judge the tool")
                 : (is_old ? "the old pack does not know the tool"
                           : "the new pack does not know the tool");
}

// A call without arguments that fit: whoever judges a tool refuses it.
static void find_refusal(const pair *both, lg_tool_difference *d)
{
    bench *b = both->b;
    lg_json *args = LG_NEW(b->task->arena, lg_json);
    if (!args) {
        b->task->oom = true;
        return;
    }
    // Arguments are an object; a list fits no tool.
    *args = lg_json_make_array(NULL, 0);
    trial found = {.ledger = b->task->pack->ledger.root, .args = args};
    if (is_judged_so(both, &found)) {
        *(both->stricter ? &d->stricter : &d->looser) = found.example;
    }
}

// A tool that only one of the packs judges. What a pack does not know it wants to be revised, unless
// it allows unknown tools; what it knows as a read, it allows.
static lg_status compare_alone(task *t, const lg_pack *before, const lg_tool *older,
                               const lg_tool *newer, lg_tool_difference *d, lg_error *reterr)
{
    LG_DEBUG_ASSERT(older || newer);
    static const bounds all = {true, true, ""};
    bool is_old = !older || !is_gated(older); // the one that does not judge the tool
    const lg_tool *other = is_old ? older : newer;
    const lg_pack *after = t->pack;
    bool by_user = other && other->by_user;
    bool lenient = other ? !by_user : (is_old ? before : after)->allow_unknown_tools;
    task own = *t;
    bench b;
    own.pack = is_old ? after : before;
    lg_status status = bench_open(&b, &own, is_old ? newer : older, reterr);
    if (status != LG_OK) {
        return status;
    }
    pair both = {.b = &b, .before = before, .after = after, .stricter = is_old};
    both.old_is_silent = is_old;
    both.lenient = lenient;
    if (lenient) {
        find_refusal(&both, d);
    }
    compare_verdicts(&both, &all, d);
    d->why = d->proved ? lg_str_c(why_alone(is_old, other != NULL)) : d->why;
    bench_close(&b);
    t->oom = t->oom || own.oom;
    return LG_OK;
}

// Tools that neither pack knows.
static bool compare_unknown(const lg_pack *before, const lg_pack *after, lg_tool_difference *d)
{
    const lg_json *at = lg_json_get(after->document, LG_STR("unknown_tools"));
    const lg_json *at_old = lg_json_get(before->document, LG_STR("unknown_tools"));
    if (before->allow_unknown_tools == after->allow_unknown_tools) {
        return false;
    }
    *d = (lg_tool_difference){
        .tool = LG_STR("unknown_tools"),
        .relation = after->allow_unknown_tools ? LG_RELATION_LOOSER : LG_RELATION_STRICTER,
        .proved = true,
        .why = after->allow_unknown_tools ? LG_STR("tools that neither pack knows are allowed now")
                                          : LG_STR("tools that neither pack knows are refused now"),
        .offset = at       ? at->offset
                  : at_old ? at_old->offset
                           : 0,
        .in_old = !at};
    return true;
}

static void sum_up(const lg_tool_difference *tools, size_t count, lg_difference *ret)
{
    bool stricter = false;
    bool looser = false;
    bool unknown = false;
    ret->proved = true;
    for (size_t i = 0; i < count; i++) {
        lg_relation r = tools[i].relation;
        stricter = stricter || r == LG_RELATION_STRICTER || r == LG_RELATION_INCOMPARABLE;
        looser = looser || r == LG_RELATION_LOOSER || r == LG_RELATION_INCOMPARABLE;
        unknown = unknown || r == LG_RELATION_UNKNOWN;
        ret->proved = ret->proved && tools[i].proved;
    }
    ret->relation = relation_of(stricter, looser);
    if (unknown && ret->relation != LG_RELATION_INCOMPARABLE) {
        ret->relation = LG_RELATION_UNKNOWN;
    }
}

// One tool of either pack, or of both.
static lg_status compare(task *t, const lg_pack *before, const lg_tool *older, const lg_tool *newer,
                         lg_tool_difference *d, lg_error *reterr)
{
    LG_DEBUG_ASSERT(older || newer);
    const lg_tool *shown = newer ? newer : older;
    uint64_t since = t->options.now_us ? t->options.now_us() : 0;
    *d = (lg_tool_difference){.tool = shown->name, .offset = shown->offset, .in_old = !newer};
    bool both = older && newer && is_gated(older) && is_gated(newer);
    lg_status status = both ? compare_tool(t, before, older, newer, d, reterr)
                            : compare_alone(t, before, older, newer, d, reterr);
    d->micros = t->options.now_us ? (uint32_t)(t->options.now_us() - since) : 0;
    return status;
}

// The tools to compare: those that either pack judges. Of the two one may be NULL.
typedef struct tool_pair {
    const lg_tool *older;
    const lg_tool *newer;
} tool_pair;

static size_t pairs_of(const lg_pack *before, const lg_pack *after, lg_str only, tool_pair *ret)
{
    size_t count = 0;
    for (size_t i = 0; i < after->tool_count + before->tool_count; i++) {
        bool is_new = i < after->tool_count;
        const lg_tool *tool = is_new ? &after->tools[i] : &before->tools[i - after->tool_count];
        tool_pair both = {lg_pack_tool(before, tool->name), lg_pack_tool(after, tool->name)};
        bool judged = (both.older && is_gated(both.older)) || (both.newer && is_gated(both.newer));
        bool again = !is_new && both.newer; // it was there already
        if (judged && !again && (only.len == 0 || lg_str_eq(only, tool->name))) {
            ret[count++] = both;
        }
    }
    return count;
}

lg_status lg_prove_difference(const lg_pack *before, const lg_pack *after,
                              const lg_prove_options *options, lg_arena *arena, lg_difference *ret,
                              lg_error *reterr)
{
    if (lg_prove_load_solver(NULL, reterr) != LG_OK) {
        return LG_ERR_ENVIRONMENT;
    }
    task t = {.pack = after, .options = prove_resolved(options), .arena = arena};
    terms_budget budget = task_budget(&t.options);
    t.budget = &budget;
    size_t most = before->tool_count + after->tool_count + 1;
    lg_tool_difference *tools = LG_NEW_ARRAY(arena, lg_tool_difference, most);
    tool_pair *pairs = LG_NEW_ARRAY(arena, tool_pair, most);
    if (!tools || !pairs) {
        return lg_fail_oom(reterr);
    }
    uint64_t since = t.options.now_us ? t.options.now_us() : 0;
    size_t count = pairs_of(before, after, t.options.only, pairs);
    for (size_t i = 0; i < count; i++) {
        const lg_tool *shown = pairs[i].newer ? pairs[i].newer : pairs[i].older;
        tell_progress(&t, shown->name, i, count);
        lg_status status = compare(&t, before, pairs[i].older, pairs[i].newer, &tools[i], reterr);
        if (status != LG_OK) {
            return status;
        }
    }
    tell_progress(&t, LG_STR(""), count, count);
    count += t.options.only.len == 0 && compare_unknown(before, after, &tools[count]);
    *ret = (lg_difference){.tools = tools, .count = count};
    sum_up(tools, count, ret);
    list_uncompared(&t, before, after, ret);
    ret->micros = t.options.now_us ? t.options.now_us() - since : 0;
    return t.oom ? lg_fail_oom(reterr) : LG_OK;
}
