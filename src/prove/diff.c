// diff.c: is the new pack stricter, looser, or neither?
//
// Both packs judge one ledger and one call, whose inputs are made from the new pack's schemas; so
// rules that did not change are the same formulas, and most of the question is decided before Z3
// sees it. An example is executed by both gates.
#include "prove/task.h"
#include "symbolic/funs.h"

const char *lg_relation_name(lg_relation relation)
{
    static const char *const names[] = {"equal", "stricter", "looser", "incomparable", "unknown"};
    return names[relation];
}

typedef struct pair {
    bench *new; // its scene is that of both
    const lg_pack *old_pack;
    bool stricter; // which direction is asked for
} pair;

static bool judge_with(bench *b, const lg_pack *pack, const lg_json *ledger, const lg_json *args,
                       lg_decision *ret)
{
    const lg_pack *kept = b->task->pack;
    b->task->pack = pack;
    bool ok = judge(b, ledger, args, false, ret);
    b->task->pack = kept;
    return ok;
}

static bool confirm_difference(bench *b, model *m, const void *context, trial *ret)
{
    const pair *both = context;
    lg_decision old;
    ret->ledger = model_json(m, b->s.ledger);
    ret->args = model_json(m, b->s.args);
    if (!ret->ledger || !ret->args || m->oom ||
        !records_fit(b->task->pack, &b->task->pack->ledger, ret->ledger) ||
        !judge(b, ret->ledger, ret->args, false, &ret->decision) ||
        !judge_with(b, both->old_pack, ret->ledger, ret->args, &old)) {
        return false;
    }
    lg_str what =
        lg_arena_printf(b->task->arena, "the old pack says %s, the new one %s",
                        lg_verdict_name(old.verdict), lg_verdict_name(ret->decision.verdict));
    ret->example = example_of(b->task, ret->ledger, ret->args, &ret->decision, what.ptr);
    return both->stricter ? ret->decision.verdict > old.verdict
                          : ret->decision.verdict < old.verdict;
}

// One direction: some call is judged more severely by the second. The clearest example is one that
// the milder pack allows; then one in which all evidence is there; then any.
typedef struct direction {
    const lg_pack *old_pack;
    bool stricter;
    term more;     // the question
    term allowed;  // by the milder one
    term complete; // nothing was left unread
} direction;

static reply ask_direction(bench *b, const direction *d, const lg_json **ret_example)
{
    pair both = {.new = b, .old_pack = d->old_pack, .stricter = d->stricter};
    const term also[] = {d->allowed, d->complete};
    question q = {.goals = {d->more}, .confirm = confirm_difference, .wanted = &both};
    trial found = {0};
    reply r = REPLY_NONE;
    for (size_t i = 0; i < LG_COUNT(also) && r != REPLY_EXAMPLE; i++) {
        q.goals[1] = also[i];
        q.count = 2;
        r = ask(b, &q, &found);
    }
    if (r != REPLY_EXAMPLE) {
        q.count = 1;
        r = ask(b, &q, &found);
    }
    *ret_example = r == REPLY_EXAMPLE ? found.example : NULL;
    return r;
}

static lg_relation relation_of(bool stricter, bool looser)
{
    return stricter && looser ? LG_RELATION_INCOMPARABLE
           : stricter         ? LG_RELATION_STRICTER
           : looser           ? LG_RELATION_LOOSER
                              : LG_RELATION_EQUAL;
}

// Nothing that a rule asks for is missing.
static term all_there(prover *p, const scene *s, const rule_outcome *outcomes)
{
    term there = term_bool(p->t, true);
    for (size_t i = 0; i < s->tool->rule_count; i++) {
        term absent = term_or(p->t, outcomes[i].missing, outcomes[i].abstains);
        there = term_and(p->t, there, term_not(p->t, term_or(p->t, absent, outcomes[i].defect)));
    }
    return there;
}

static bool is_settled(reply r)
{
    return r == REPLY_EXAMPLE || r == REPLY_NONE;
}

static void compare_verdicts(bench *b, const scene *old, const rule_outcome *before,
                             lg_tool_difference *d)
{
    prover *p = &b->p;
    term old_refuses = verdict_refuses(old, before);
    term old_blocks = verdict_blocks(old, before);
    term new_refuses = verdict_refuses(&b->s, b->outcomes);
    term new_blocks = verdict_blocks(&b->s, b->outcomes);
    // allow < revise < block, so that more severe is one of two steps up.
    term up = term_or(p->t, term_and(p->t, new_refuses, term_not(p->t, old_refuses)),
                      term_and(p->t, new_blocks, term_not(p->t, old_blocks)));
    term down = term_or(p->t, term_and(p->t, old_refuses, term_not(p->t, new_refuses)),
                        term_and(p->t, old_blocks, term_not(p->t, new_blocks)));
    term complete = term_and(p->t, all_there(p, old, before), all_there(p, &b->s, b->outcomes));
    const direction to_stricter = {old->pack, true, up, term_not(p->t, old_refuses), complete};
    const direction to_looser = {old->pack, false, down, term_not(p->t, new_refuses), complete};
    reply stricter = ask_direction(b, &to_stricter, &d->stricter);
    reply looser = ask_direction(b, &to_looser, &d->looser);
    d->relation = relation_of(stricter == REPLY_EXAMPLE, looser == REPLY_EXAMPLE);
    d->proved = is_settled(stricter) && is_settled(looser);
    if (!d->proved) {
        d->why = lg_str_c(reply_reason(b, is_settled(stricter) ? looser : stricter));
    }
    d->undecided = stricter == REPLY_UNDECIDED || looser == REPLY_UNDECIDED;
    if (d->undecided && d->relation == LG_RELATION_EQUAL) {
        d->relation = LG_RELATION_UNKNOWN;
    }
}

// Do both packs declare the same places, with the same types?
static bool have_same_ledgers(const lg_pack *before, const lg_pack *after)
{
    static const char *const sections[] = {"ledger", "types"};
    for (size_t i = 0; i < LG_COUNT(sections); i++) {
        const lg_json *a = lg_json_get(before->document, lg_str_c(sections[i]));
        const lg_json *b = lg_json_get(after->document, lg_str_c(sections[i]));
        if (a && b ? !lg_json_equal(a, b) : a != b) {
            return false;
        }
    }
    return true;
}

static lg_status compare_tool(task *t, const lg_pack *old_pack, const lg_tool *old_tool,
                              const lg_tool *tool, lg_tool_difference *d, lg_error *reterr)
{
    bench b;
    lg_status status = bench_open(&b, t, tool, reterr);
    if (status != LG_OK) {
        return status;
    }
    scene old = b.s;
    old.pack = old_pack;
    old.tool = old_tool;
    // A pack whose clock stands still elsewhere judges by that time.
    if (old_pack->fixed_clock) {
        old.slots[LG_SLOT_NOW] = value_scalar(
            &b.p, ALT_TIME, term_nanos(b.p.t, old_pack->clock_seconds, old_pack->clock_nanos));
    }
    const rule_outcome *before = scene_outcomes(&old);
    if (before) {
        compare_verdicts(&b, &old, before, d);
        if (!lg_json_equal(old_tool->parameters, tool->parameters)) {
            d->proved = false;
            d->why = LG_STR("the arguments differ: only calls that fit the new ones are compared");
        }
        if (!have_same_ledgers(old_pack, b.task->pack)) {
            d->proved = false;
            d->why = LG_STR("the ledger differs: only ledgers that fit the new types are compared");
        }
    }
    lg_claim timed = {0};
    take_time(&b, &timed);
    d->micros = timed.micros;
    bench_close(&b);
    return before ? LG_OK : lg_fail_oom(reterr);
}

static bool is_gated(const lg_tool *tool)
{
    return tool->kind == LG_TOOL_WRITE && !tool->by_user;
}

// A tool that only one of the packs judges. What a pack does not know it refuses, unless it allows
// unknown tools; what it knows as a read, it allows.
static bool compare_alone(const lg_pack *before, const lg_tool *older, const lg_pack *after,
                          const lg_tool *newer, lg_tool_difference *d)
{
    if (older && newer && is_gated(older) && is_gated(newer)) {
        return false;
    }
    bool is_old = !older || !is_gated(older); // the one that does not judge the tool
    bool known = is_old ? older != NULL : newer != NULL;
    bool lenient = known || (is_old ? before : after)->allow_unknown_tools;
    d->relation = lenient == is_old ? LG_RELATION_STRICTER : LG_RELATION_LOOSER;
    d->why = is_old ? LG_STR("the old pack does not know the tool")
                    : LG_STR("the new pack does not know the tool");
    if (known) {
        d->why = is_old ? LG_STR("the old pack does not judge the tool")
                        : LG_STR("the new pack does not judge the tool");
    }
    return true;
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
    if (unknown && ret->relation == LG_RELATION_EQUAL) {
        ret->relation = LG_RELATION_UNKNOWN;
    }
}

// One tool of either pack, or of both.
static lg_status compare(task *t, const lg_pack *before, const lg_tool *older, const lg_tool *newer,
                         lg_tool_difference *d, lg_error *reterr)
{
    const lg_tool *shown = newer ? newer : older;
    *d = (lg_tool_difference){.tool = shown->name, .offset = shown->offset, .in_old = !newer};
    return compare_alone(before, older, t->pack, newer, d)
               ? LG_OK
               : compare_tool(t, before, older, newer, d, reterr);
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
