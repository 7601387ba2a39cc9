// synth_demand.c: from what was asked for to the list of all schemas that one value must satisfy.
//
// References and `allOf` are followed first, for all nodes; only then are branches chosen, one node
// at a time, so that a choice knows as many of the types as can be known.
#include "schema/synth_internal.h"

// --- Adding ---------------------------------------------------------------------------------------

static bool make_room(synth *s, demand *d)
{
    if (d->count < d->capacity) {
        return true;
    }
    size_t capacities[3] = {d->capacity, d->capacity, d->capacity};
    const node **nodes =
        lg_arena_grow(&s->arena, d->nodes, d->count, &capacities[0], sizeof(*nodes));
    const scope **outer =
        lg_arena_grow(&s->arena, d->outer, d->count, &capacities[1], sizeof(*outer));
    const scope **here = lg_arena_grow(&s->arena, d->here, d->count, &capacities[2], sizeof(*here));
    if (!nodes || !outer || !here) {
        (void)lg_synth_no_memory(s);
        return false;
    }
    d->nodes = nodes;
    d->outer = outer;
    d->here = here;
    d->capacity = capacities[0];
    return true;
}

// The scope inside of `n`, as the validator has it.
static const scope *enter(synth *s, const node *n, const scope *outer)
{
    if (outer && outer->resource == n->resource) {
        return outer;
    }
    scope *entered = LG_NEW(&s->arena, scope);
    if (entered) {
        *entered = (scope){outer, n->resource};
    }
    return entered;
}

static bool add(synth *s, demand *d, const node *n, const scope *outer)
{
    if (!n || n->trivial) {
        return true;
    }
    for (size_t i = 0; i < d->count; i++) {
        if (d->nodes[i] == n && d->outer[i] == outer) {
            return true;
        }
    }
    if (d->count >= LG_SYNTH_DEMAND_MAX) {
        s->too_large = true;
        lg_synth_fail(s, STOPPED, n, NULL, "more than %u schemas apply to one value",
                      LG_SYNTH_DEMAND_MAX);
        return false;
    }
    const scope *here = enter(s, n, outer);
    if (!here || !make_room(s, d)) {
        (void)lg_synth_no_memory(s);
        return false;
    }
    d->nodes[d->count] = n;
    d->outer[d->count] = outer;
    d->here[d->count++] = here;
    return true;
}

bool lg_synth_ask(synth *s, demand *d, const node *n, const scope *outer)
{
    // Only what is asked for before the expansion is asked for; the rest follows from it.
    bool ok = add(s, d, n, outer);
    d->asked = d->expanded == 0 ? d->count : d->asked;
    return ok;
}

bool lg_synth_shun(synth *s, demand *d, const node *n, const scope *outer)
{
    for (size_t i = 0; i < d->shun_count; i++) {
        if (d->shun[i].n == n && d->shun[i].outer == outer) {
            return true;
        }
    }
    if (d->shun_count >= LG_SYNTH_DEMAND_MAX) {
        return true; // it is only a hint
    }
    shunned *shun =
        lg_arena_grow(&s->arena, d->shun, d->shun_count, &d->shun_capacity, sizeof(*shun));
    if (!shun) {
        (void)lg_synth_no_memory(s);
        return false;
    }
    d->shun = shun;
    d->shun[d->shun_count++] = (shunned){n, outer};
    d->shun_asked = d->expanded == 0 ? d->shun_count : d->shun_asked;
    return lg_synth_spend(s, 1);
}

// --- What surely follows --------------------------------------------------------------------------

// The outermost resource on the way here that declares the anchor, or else the first target.
static const node *dynamic_target(const logic_rules *l, const scope *here)
{
    const node *found = l->dynamic_ref;
    for (const scope *at = l->dynamic_name.len ? here : NULL; at; at = at->parent) {
        for (const dynamic_anchor *a = at->resource->dynamic; a; a = a->next) {
            found = lg_str_eq(a->name, l->dynamic_name) ? a->target : found;
        }
    }
    return found;
}

// `{"not": {"type": ...}}` is a statement about types like any other.
static uint32_t types_but(const node *negated)
{
    if (negated->trivial) {
        return 0;
    }
    bool plain = negated->types && !negated->value && !negated->number && !negated->string &&
                 !negated->array && !negated->object && !negated->logic;
    uint32_t refused = plain ? negated->types : 0;
    refused |= refused & TYPE_NUMBER ? (uint32_t)TYPE_INTEGER : 0;
    return (uint32_t)TYPE_ANY & ~refused;
}

static bool has_risk(const node *n)
{
    const logic_rules *l = n->logic;
    const object_rules *o = n->object;
    const array_rules *a = n->array;
    return n->value || (l && (l->any.count || l->one.count || l->negated || l->condition)) ||
           (o && (o->names || o->dependency_count || o->unevaluated || o->pattern_count)) ||
           (a && (a->contains || a->unevaluated || a->unique));
}

static bool expand_one(synth *s, demand *d, size_t index)
{
    const node *n = d->nodes[index];
    const scope *here = d->here[index];
    const node_info *info = lg_synth_info(s, n);
    d->types &= info ? info->types : (uint32_t)TYPE_ANY;
    d->risky = d->risky || has_risk(n);
    const logic_rules *l = n->logic;
    if (!l) {
        return true;
    }
    bool ok = add(s, d, l->ref, here);
    if (l->negated) {
        d->types &= types_but(l->negated);
        ok = ok && lg_synth_shun(s, d, l->negated, here);
    }
    if (l->dynamic_ref) {
        ok = ok && add(s, d, dynamic_target(l, here), here);
    }
    for (size_t i = 0; i < l->all.count && ok; i++) {
        ok = add(s, d, l->all.items[i], here);
    }
    return ok;
}

// --- Branches -------------------------------------------------------------------------------------

enum { SCORE_WRONG_TYPE = 200, SCORE_HOPELESS = 1000 };

// How little `n` recommends itself. Trouble counts most, then what would make the instance deep.
static uint64_t score_of(synth *s, const demand *d, const node *n)
{
    const node_info *info = n ? lg_synth_info(s, n) : NULL;
    if (!info) {
        return 0;
    }
    uint64_t score = (uint64_t)info->trouble * 8;
    if (info->height >= LG_SYNTH_HEIGHT_NONE || !info->types) {
        return score + SCORE_HOPELESS;
    }
    score += info->types & d->types ? 0 : SCORE_WRONG_TYPE;
    bool brief = !lg_synth_is_easy(s) || s->how.members == LG_MEMBERS_REQUIRED;
    score += brief ? (info->height < 50 ? info->height : 50) * 2 : 0;
    // `null` is a choice, but seldom what someone wants to see.
    score += info->types == TYPE_NULL && !lg_synth_one_in(s, 5) ? 1 : 0;
    return score;
}

static bool note_choice(synth *s, demand *d, const node *n)
{
    node_info *info = n ? lg_synth_info(s, n) : NULL;
    if (!info) {
        return true;
    }
    node_info **chosen =
        lg_arena_grow(&s->arena, d->chosen, d->chosen_count, &d->chosen_capacity, sizeof(*chosen));
    if (!chosen) {
        (void)lg_synth_no_memory(s);
        return false;
    }
    d->chosen = chosen;
    d->chosen[d->chosen_count++] = info;
    return true;
}

static const node *choose(synth *s, demand *d, node_list list)
{
    const node *best = NULL;
    uint64_t best_score = 0;
    uint64_t ties = 0;
    for (size_t i = 0; i < list.count; i++) {
        uint64_t score = score_of(s, d, list.items[i]);
        bool better = !best || score < best_score;
        ties = better ? 1 : score == best_score ? ties + 1 : ties;
        if (better || (score == best_score && lg_synth_one_in(s, ties))) {
            best = list.items[i];
            best_score = score;
        }
    }
    d->choices += list.count > 1 ? list.count - 1 : 0;
    bool ok = lg_synth_spend(s, list.count) && (list.count < 2 || note_choice(s, d, best));
    return ok ? best : NULL;
}

static bool choose_any(synth *s, demand *d, node_list list, const scope *here)
{
    const node *branch = choose(s, d, list);
    return branch && add(s, d, branch, here);
}

static bool choose_one(synth *s, demand *d, node_list list, const scope *here)
{
    const node *branch = choose(s, d, list);
    bool ok = branch && add(s, d, branch, here);
    for (size_t i = 0; i < list.count && ok; i++) {
        ok = list.items[i] == branch || lg_synth_shun(s, d, list.items[i], here);
    }
    return ok;
}

// Either the condition holds, and `then`; or it does not, which only a check can tell, and `else`.
static bool choose_condition(synth *s, demand *d, const logic_rules *l, const scope *here)
{
    if (!l->then_branch && !l->else_branch) {
        return true;
    }
    uint64_t with = score_of(s, d, l->condition) + score_of(s, d, l->then_branch);
    uint64_t without = score_of(s, d, l->else_branch);
    bool holds = with == without || lg_synth_one_in(s, 4) ? lg_synth_one_in(s, 2) : with < without;
    d->choices++;
    if (!holds) {
        return note_choice(s, d, l->else_branch) && add(s, d, l->else_branch, here) &&
               lg_synth_shun(s, d, l->condition, here);
    }
    return note_choice(s, d, l->condition) && add(s, d, l->condition, here) &&
           add(s, d, l->then_branch, here);
}

static bool decide_one(synth *s, demand *d, size_t index)
{
    const logic_rules *l = d->nodes[index]->logic;
    const scope *here = d->here[index];
    if (!l) {
        return true;
    }
    return (!l->any.count || choose_any(s, d, l->any, here)) &&
           (!l->one.count || choose_one(s, d, l->one, here)) &&
           (!l->condition || choose_condition(s, d, l, here));
}

bool lg_synth_expand(synth *s, demand *d)
{
    if (d->expanded == 0) {
        d->types = d->only ? d->only : (uint32_t)TYPE_ANY;
        d->sure_types = d->types;
    }
    bool ok = true;
    while (ok && (d->expanded < d->count || d->decided < d->count)) {
        bool sure = d->expanded < d->count;
        if (!sure && d->choices == 0) {
            d->sure_types = d->types;
            d->sure_count = d->count;
        }
        ok = lg_synth_spend(s, 1) &&
             (sure ? expand_one(s, d, d->expanded++) : decide_one(s, d, d->decided++));
    }
    LG_DEBUG_ASSERT(d->asked <= d->count && d->shun_asked <= d->shun_count);
    LG_DEBUG_ASSERT(!ok || (d->expanded == d->count && d->decided == d->count)); // at rest
    return ok;
}

// --- What had better not hold ---------------------------------------------------------------------

static const node *one_branch(synth *s, node_list list)
{
    return list.count ? list.items[lg_synth_below(s, list.count)] : NULL;
}

const node *lg_synth_to_break(synth *s, const demand *d, uint32_t round, const scope **ret_here)
{
    if (round == 0 || !d->shun_count || lg_synth_one_in(s, 4)) {
        return NULL;
    }
    const shunned *chosen = &d->shun[lg_synth_below(s, d->shun_count)];
    const node *n = chosen->n;
    *ret_here = enter(s, n, chosen->outer);
    // To break one schema of an `allOf` is to break it; of `anyOf`, one is as good a start as any.
    for (int i = 0; i < 16 && *ret_here && n->logic; i++) {
        const logic_rules *l = n->logic;
        const node *ways[] = {l->ref, l->dynamic_ref ? dynamic_target(l, *ret_here) : NULL,
                              one_branch(s, l->all), one_branch(s, l->any), one_branch(s, l->one)};
        bool own = n->object || n->array || n->number || n->string || n->types;
        const node *next = ways[lg_synth_below(s, LG_COUNT(ways))];
        if (!next || (own && lg_synth_one_in(s, 2))) {
            next = own ? NULL : n; // throw again
        }
        if (!next) {
            break;
        }
        *ret_here = next == n ? *ret_here : enter(s, next, *ret_here);
        n = next;
    }
    return *ret_here ? n : NULL;
}

void lg_synth_blame(const demand *d)
{
    for (size_t i = 0; i < d->chosen_count; i++) {
        d->chosen[i]->trouble++;
    }
}
