// synth_object.c: objects: which members, and what each must satisfy.
//
// The names are settled first, the values then. Required names come in over the schemas of the
// demand and over `dependentRequired`; a dependent schema joins the demand itself, which may require
// more names, until nothing changes. Optional names are chosen, and names are made up where
// `minProperties` wants more or where the schema is that of a map.
#include "schema/synth_internal.h"

typedef struct member_plan {
    lg_str name;
    bool required;
    shunned breach; // what its value had better not satisfy; .n NULL: nothing
} member_plan;

typedef struct object_plan {
    synth *s;
    demand *d;
    member_plan *items;
    size_t count;
    size_t capacity;
    uint64_t min;
    uint64_t max;
    const node *min_node;
    lg_synthesis_members members;
    uint32_t round;
} object_plan;

// --- What the demand says -------------------------------------------------------------------------

static const property *find_property(const object_rules *o, lg_str name)
{
    size_t low = 0;
    size_t high = o->property_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        lg_str other = o->properties[middle].name;
        int order =
            name.len != other.len ? (name.len < other.len ? -1 : 1) : lg_str_cmp(name, other);
        if (order == 0) {
            return &o->properties[middle];
        }
        *(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
    }
    return NULL;
}

// What one schema says of the member `name`. `ret_named` says whether it said anything.
static bool ask_node(object_plan *p, size_t index, lg_str name, demand *member, bool *ret_named)
{
    synth *s = p->s;
    const object_rules *o = p->d->nodes[index]->object;
    const scope *here = p->d->here[index];
    const property *known = find_property(o, name);
    bool named = known && known->schema;
    bool ok = !named || lg_synth_ask(s, member, known->schema, here);
    for (size_t i = 0; i < o->pattern_count && ok; i++) {
        uint64_t steps = s->steps;
        if (lg_pattern_match(o->patterns[i].pattern, &s->v.patterns, name, &steps) == PATTERN_YES) {
            named = true;
            ok = lg_synth_ask(s, member, o->patterns[i].schema, here);
        }
        ok = lg_synth_spend(s, s->steps - steps) && ok;
    }
    if (!named && o->additional) {
        named = true;
        ok = ok && lg_synth_ask(s, member, o->additional, here);
    }
    *ret_named = *ret_named || named;
    return ok;
}

static bool ask_member(object_plan *p, lg_str name, demand *member)
{
    const demand *d = p->d;
    bool named = false;
    bool ok = lg_synth_spend(p->s, 1 + d->count);
    for (size_t i = 0; i < d->count && ok; i++) {
        ok = !d->nodes[i]->object || ask_node(p, i, name, member, &named);
    }
    for (size_t i = 0; i < d->count && ok && !named; i++) {
        const object_rules *o = d->nodes[i]->object;
        ok = !o || !o->unevaluated || lg_synth_ask(p->s, member, o->unevaluated, d->here[i]);
    }
    return ok;
}

// Whether something is known to speak against a member that is not required.
static bool is_hopeless(object_plan *p, lg_str name)
{
    synth *s = p->s;
    demand member = {0};
    if (!ask_member(p, name, &member)) {
        return true;
    }
    for (size_t i = 0; i < member.count; i++) {
        const node_info *info = lg_synth_info(s, member.nodes[i]);
        bool deep = info && (uint64_t)s->depth + info->height > s->how.depth;
        if (member.nodes[i]->refuses || (info && (!info->types || deep))) {
            return true;
        }
    }
    return false;
}

// --- Names ----------------------------------------------------------------------------------------

static member_plan *find_planned(const object_plan *p, lg_str name)
{
    for (size_t i = 0; i < p->count; i++) {
        if (lg_str_eq(p->items[i].name, name)) {
            return &p->items[i];
        }
    }
    return NULL;
}

static bool plan_name(object_plan *p, lg_str name, bool required)
{
    member_plan *planned = find_planned(p, name);
    if (planned) {
        planned->required = planned->required || required;
        return true;
    }
    synth *s = p->s;
    const node *n = p->d->count ? p->d->nodes[0] : NULL;
    member_plan *items = lg_arena_grow(&s->arena, p->items, p->count, &p->capacity, sizeof(*items));
    if (!items) {
        (void)lg_synth_no_memory(s);
        return false;
    }
    p->items = items;
    p->items[p->count++] = (member_plan){.name = name, .required = required};
    // The search above is linear, so a plan of n names takes n^2 steps, some of them tiny.
    return lg_synth_spend(s, 1 + p->count / 8) && lg_synth_count_text(s, n, name.len);
}

static bool is_required(const object_plan *p, lg_str name)
{
    for (size_t i = 0; i < p->d->count; i++) {
        const object_rules *o = p->d->nodes[i]->object;
        const property *known = o && o->required_count ? find_property(o, name) : NULL;
        if (known && known->required) {
            return true;
        }
    }
    return false;
}

static bool wants_optional(object_plan *p, lg_str name)
{
    synth *s = p->s;
    bool easy = lg_synth_is_easy(s);
    bool wanted = p->members == LG_MEMBERS_ALL ? easy
                  : p->members == LG_MEMBERS_REQUIRED
                      ? false
                      : easy && lg_synth_one_in(s, s->depth < 3 ? 2 : 4);
    return wanted && p->count < p->max && !is_hopeless(p, name);
}

// The declared names of one schema in the order in which they were written.
static bool plan_declared(object_plan *p, const node *n)
{
    const lg_json *declared = lg_json_get(n->source, LG_STR("properties"));
    bool ok = true;
    for (size_t i = 0; i < lg_json_len(declared) && ok; i++) {
        lg_str name = lg_json_key(lg_json_member_at(declared, i));
        if (!find_property(n->object, name) || find_planned(p, name)) {
            continue;
        }
        bool required = is_required(p, name);
        ok = !(required || wants_optional(p, name)) || plan_name(p, name, required);
    }
    return ok;
}

static bool plan_required(object_plan *p, const object_rules *o)
{
    bool ok = true;
    for (size_t i = 0; i < o->property_count && ok && o->required_count; i++) {
        const property *known = &o->properties[i];
        ok = !known->required || plan_name(p, known->name, true);
    }
    return ok;
}

static bool plan_dependencies(object_plan *p, size_t index)
{
    const object_rules *o = p->d->nodes[index]->object;
    const scope *here = p->d->here[index];
    bool ok = true;
    for (size_t i = 0; i < o->dependency_count && ok; i++) {
        const dependency *d = &o->dependencies[i];
        if (!find_planned(p, d->name)) {
            continue;
        }
        p->d->choices++; // without an optional member, this would ask for nothing
        ok = !d->schema || lg_synth_ask(p->s, p->d, d->schema, here);
        for (size_t j = 0; j < d->required_count && ok; j++) {
            ok = plan_name(p, d->required[j], true);
        }
    }
    return ok && lg_synth_expand(p->s, p->d);
}

// Until neither names nor schemas are added.
static bool plan_closure(object_plan *p)
{
    bool ok = true;
    for (size_t before = SIZE_MAX; ok && before != p->count + p->d->count;) {
        before = p->count + p->d->count;
        for (size_t i = 0; i < p->d->count && ok; i++) {
            const object_rules *o = p->d->nodes[i]->object;
            ok = !o || (plan_required(p, o) && plan_dependencies(p, i));
        }
    }
    return ok;
}

static void read_sizes(object_plan *p)
{
    p->min = 0;
    p->max = UINT64_MAX;
    for (size_t i = 0; i < p->d->count; i++) {
        const object_rules *o = p->d->nodes[i]->object;
        if (o && o->members_min > p->min) {
            p->min = o->members_min;
            p->min_node = p->d->nodes[i];
        }
        p->max = o && o->members_max < p->max ? o->members_max : p->max;
    }
}

// --- Names that are made up -----------------------------------------------------------------------

static const pattern_property *one_pattern(object_plan *p)
{
    size_t count = 0;
    const pattern_property *found = NULL;
    for (size_t i = 0; i < p->d->count; i++) {
        const object_rules *o = p->d->nodes[i]->object;
        for (size_t j = 0; o && j < o->pattern_count; j++) {
            found = lg_synth_one_in(p->s, ++count) ? &o->patterns[j] : found;
        }
    }
    return found;
}

// A name that `propertyNames` allows, from what it says itself.
static bool name_from_rules(object_plan *p, lg_str *ret)
{
    synth *s = p->s;
    demand names = {.only = TYPE_STRING};
    bool ok = true;
    for (size_t i = 0; i < p->d->count && ok; i++) {
        const object_rules *o = p->d->nodes[i]->object;
        ok = !o || !o->names || lg_synth_ask(s, &names, o->names, p->d->here[i]);
    }
    if (!ok || names.asked == 0) {
        return false;
    }
    lg_json name;
    s->hint = LG_STR("");
    if (lg_synth_value(s, &names, &name) != MADE) {
        return false;
    }
    *ret = lg_json_str(&name);
    return true;
}

static bool make_name(object_plan *p, uint32_t turn, lg_str *ret)
{
    synth *s = p->s;
    const pattern_property *pattern = turn % 2 == 0 ? one_pattern(p) : NULL;
    if (pattern) {
        *ret = lg_synth_match(s, lg_pattern_text(pattern->pattern), 1, 64, turn / 2);
        return ret->ptr != NULL;
    }
    if (name_from_rules(p, ret)) {
        return true;
    }
    *ret = lg_synth_words(s, LG_STR("query"), 0, UINT64_MAX);
    if (turn > 6 && ret->ptr) {
        *ret = lg_arena_printf(&s->arena, "%.*s%u", LG_FMT(*ret), turn);
    }
    return ret->ptr != NULL;
}

static bool is_allowed_name(object_plan *p, lg_str name)
{
    lg_json text = lg_json_make_str(name);
    bool ok = true;
    for (size_t i = 0; i < p->d->count && ok; i++) {
        const object_rules *o = p->d->nodes[i]->object;
        ok = !o || !o->names || lg_synth_holds_node(p->s, o->names, p->d->here[i], &text);
    }
    return ok && !find_planned(p, name) && !is_hopeless(p, name);
}

static outcome plan_made_up(object_plan *p, uint64_t wanted)
{
    synth *s = p->s;
    uint64_t turns = (wanted > p->count ? wanted - p->count : 0) * 2 + 16;
    for (uint64_t turn = 0; turn < turns && p->count < wanted; turn++) {
        lg_str name = {NULL, 0};
        if (!lg_synth_spend(s, 1 + p->count)) {
            return STOPPED;
        }
        bool made = make_name(p, (uint32_t)turn, &name);
        if (s->stopped || s->too_large ||
            (made && is_allowed_name(p, name) && !plan_name(p, name, false))) {
            return STOPPED;
        }
    }
    return MADE;
}

// Whether the schema is that of a map: it says something of members that it does not name.
static bool is_map(const object_plan *p)
{
    for (size_t i = 0; i < p->d->count; i++) {
        const object_rules *o = p->d->nodes[i]->object;
        if (o && (o->pattern_count ||
                  (o->additional && !o->additional->refuses && !o->additional->trivial))) {
            return true;
        }
    }
    return false;
}

// --- Breaking what should not hold ----------------------------------------------------------------

static bool shun_member(object_plan *p, lg_str name, const node *n, const scope *here)
{
    if (!n || n->trivial || (!find_planned(p, name) && is_hopeless(p, name))) {
        return true;
    }
    bool ok = plan_name(p, name, false);
    member_plan *planned = ok ? find_planned(p, name) : NULL;
    if (planned) {
        planned->breach = (shunned){n, here};
    }
    return ok;
}

static void leave_out(object_plan *p, lg_str name)
{
    for (size_t i = 0; i < p->count; i++) {
        if (lg_str_eq(p->items[i].name, name) && !p->items[i].required) {
            memmove(&p->items[i], &p->items[i + 1], (p->count - i - 1) * sizeof(*p->items));
            p->count--;
            return;
        }
    }
}

static bool plan_breach_of(object_plan *p, const object_rules *o, const scope *here);

// A member that wants another one, without it. Dependent schemas nest as deep as the schema is
// written, which its compiler limits.
static bool plan_dependency_breach(object_plan *p, const object_rules *o, const scope *here)
{
    const dependency *d = &o->dependencies[lg_synth_below(p->s, o->dependency_count)];
    bool ok = find_planned(p, d->name) || is_hopeless(p, d->name) || plan_name(p, d->name, false);
    if (d->required_count) {
        leave_out(p, d->required[lg_synth_below(p->s, d->required_count)]);
    } else if (ok && d->schema && d->schema->object) {
        ok = plan_breach_of(p, d->schema->object, here);
    }
    return ok;
}

// Plans one way in which the object does not satisfy `o`: a member that it requires is left out, one
// that it describes is something else, or one too many is there.
static bool plan_breach_of(object_plan *p, const object_rules *o, const scope *here)
{
    synth *s = p->s;
    const property *one =
        o->property_count ? &o->properties[lg_synth_below(s, o->property_count)] : NULL;
    bool closed =
        (o->additional && o->additional->refuses) || (o->unevaluated && o->unevaluated->refuses);
    bool fewer = o->members_max < p->max;
    if ((closed || fewer || o->names) && lg_synth_one_in(s, 2)) {
        uint64_t wanted = fewer && o->members_max >= p->count ? o->members_max + 1 : p->count + 1;
        return wanted > s->how.values || plan_made_up(p, wanted) == MADE;
    }
    if (o->dependency_count && lg_synth_one_in(s, 2)) {
        return plan_dependency_breach(p, o, here);
    }
    if (one && one->required && lg_synth_one_in(s, 2)) {
        leave_out(p, one->name);
        return true;
    }
    if (one) {
        return shun_member(p, one->name, one->schema, here);
    }
    if (o->additional && !p->count && plan_made_up(p, 1) != MADE) {
        return false;
    }
    const member_plan *planned = p->count ? &p->items[lg_synth_below(s, p->count)] : NULL;
    return !planned || shun_member(p, planned->name, o->additional, here);
}

static bool plan_breach(object_plan *p)
{
    const scope *here = NULL;
    const node *broken = lg_synth_to_break(p->s, p->d, p->round, &here);
    return !broken || !broken->object || plan_breach_of(p, broken->object, here);
}

// --- All names ------------------------------------------------------------------------------------

static bool plan_optional(object_plan *p)
{
    bool ok = true;
    for (size_t i = 0; i < p->d->count && ok; i++) {
        ok = !p->d->nodes[i]->object || plan_declared(p, p->d->nodes[i]);
    }
    return ok;
}

// Where there are too few names, optional ones are better than made-up ones.
static bool fill_declared(object_plan *p)
{
    bool ok = true;
    for (size_t i = 0; i < p->d->count && ok; i++) {
        const object_rules *o = p->d->nodes[i]->object;
        for (size_t j = 0; o && j < o->property_count && p->count < p->min && ok; j++) {
            lg_str name = o->properties[j].name;
            ok = find_planned(p, name) || !is_allowed_name(p, name) || plan_name(p, name, false);
        }
    }
    return ok;
}

static outcome plan_names(object_plan *p)
{
    read_sizes(p);
    if (!plan_optional(p) || !plan_breach(p) || !plan_closure(p)) {
        return STOPPED;
    }
    read_sizes(p); // dependent schemas may have narrowed them
    if (p->min > p->s->how.values) {
        return lg_synth_fail(p->s, FAILED, p->min_node, "minProperties",
                             "needs more than the %u values allowed", p->s->how.values);
    }
    if (p->count < p->min && !fill_declared(p)) {
        return STOPPED;
    }
    bool lively = lg_synth_is_easy(p->s) && p->members != LG_MEMBERS_REQUIRED && is_map(p);
    uint64_t wanted = p->min;
    if (lively && p->count + 2 > wanted) {
        wanted = p->count + (p->count ? lg_synth_below(p->s, 2) : 1 + lg_synth_below(p->s, 2));
        wanted = wanted < p->max ? wanted : p->max;
        wanted = wanted > p->min ? wanted : p->min;
    }
    outcome made = p->count < wanted ? plan_made_up(p, wanted) : MADE;
    if (made == MADE && !plan_closure(p)) {
        return STOPPED;
    }
    if (made == MADE && (p->count < p->min || p->count > p->max)) {
        return lg_synth_fail(p->s, p->min > p->max ? IMPOSSIBLE : FAILED, p->min_node,
                             p->count < p->min ? "minProperties" : NULL,
                             "%zu member%s cannot be made into the number wanted", p->count,
                             lg_plural(p->count));
    }
    return made;
}

// --- Values ---------------------------------------------------------------------------------------

static outcome make_members(object_plan *p, lg_json_member *members, size_t *ret_count)
{
    synth *s = p->s;
    lg_str hint = s->hint;
    for (size_t i = 0; i < p->count; i++) {
        demand member = {0};
        lg_json value;
        s->hint = p->items[i].name;
        const shunned *breach = &p->items[i].breach;
        bool asked = ask_member(p, p->items[i].name, &member) &&
                     (!breach->n || lg_synth_shun(s, &member, breach->n, breach->outer));
        outcome made = asked ? lg_synth_value(s, &member, &value) : STOPPED;
        s->hint = hint;
        bool needed = p->items[i].required || made == STOPPED;
        if (made != MADE && needed) {
            return made;
        }
        if (made == MADE) {
            members[(*ret_count)++] = lg_json_make_member(p->items[i].name, value);
        }
    }
    return MADE;
}

outcome lg_synth_object(synth *s, demand *d, uint32_t round, lg_json *ret)
{
    object_plan p = {.s = s, .d = d, .members = lg_synth_members(s, round), .round = round};
    outcome made = plan_names(&p);
    if (made != MADE) {
        return s->stopped || s->too_large ? STOPPED : made;
    }
    lg_json_member *members = lg_json_alloc_members(&s->arena, p.count);
    if (!members) {
        return lg_synth_no_memory(s);
    }
    size_t count = 0;
    made = make_members(&p, members, &count);
    if (made == MADE && count < p.min) {
        return lg_synth_fail(s, FAILED, p.min_node, "minProperties",
                             "too few members could be made");
    }
    *ret = lg_json_make_object(members, count);
    return made;
}
