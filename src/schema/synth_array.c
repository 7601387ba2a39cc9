// synth_array.c: arrays: how many elements, and what each must satisfy.
#include "schema/synth_internal.h"

typedef struct array_plan {
    uint64_t min;
    uint64_t max;
    const node *min_node;
    const node *max_node;
    uint64_t prefix;   // the longest one
    uint64_t contains; // elements that `contains` wants
    bool unique;
    bool typed;     // something is said about the elements
    shunned breach; // what the element at `breach_at` had better not satisfy; .n NULL: nothing
    uint64_t breach_at;
    bool twins; // the second element repeats the first
} array_plan;

static array_plan plan_of(const demand *d)
{
    array_plan p = {.max = UINT64_MAX};
    for (size_t i = 0; i < d->count; i++) {
        const array_rules *a = d->nodes[i]->array;
        if (!a) {
            continue;
        }
        if (a->items_min > p.min) {
            p.min = a->items_min;
            p.min_node = d->nodes[i];
        }
        uint64_t max = a->items_max;
        if (a->rest && a->rest->refuses && a->prefix_count < max) {
            max = a->prefix_count;
        }
        if (max < p.max) {
            p.max = max;
            p.max_node = d->nodes[i];
        }
        p.prefix = a->prefix_count > p.prefix ? a->prefix_count : p.prefix;
        bool counts = a->contains && a->contains_min > p.contains;
        p.contains = counts ? a->contains_min : p.contains;
        p.unique = p.unique || a->unique;
        p.typed = p.typed || a->rest || a->prefix_count || a->contains;
    }
    return p;
}

// What the element at `index` must satisfy. Those from `from` on, as many as are wanted, are the
// ones that `contains` finds.
static bool ask_element(synth *s, const demand *d, uint64_t index, uint64_t from, demand *element)
{
    bool ok = true;
    bool evaluated = false;
    for (size_t i = 0; i < d->count && ok; i++) {
        const array_rules *a = d->nodes[i]->array;
        const node *own = !a ? NULL : index < a->prefix_count ? a->prefix[index] : a->rest;
        if (own) {
            evaluated = true;
            ok = lg_synth_ask(s, element, own, d->here[i]);
        }
        if (ok && a && a->contains && index >= from && index - from < a->contains_min) {
            evaluated = evaluated || a->contains_marks;
            ok = lg_synth_ask(s, element, a->contains, d->here[i]);
        }
    }
    for (size_t i = 0; i < d->count && ok && !evaluated; i++) {
        const array_rules *a = d->nodes[i]->array;
        ok = !a || !a->unevaluated || lg_synth_ask(s, element, a->unevaluated, d->here[i]);
    }
    return ok;
}

static bool is_repeated(synth *s, const lg_json *items, uint64_t count, const lg_json *value)
{
    if (!lg_synth_spend(s, count)) {
        return true;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (lg_json_equal(&items[i], value)) {
            return true;
        }
    }
    return false;
}

// Makes one element; where all must differ, until it does.
static outcome make_element(synth *s, const array_plan *p, const demand *element, lg_json *items,
                            uint64_t index)
{
    enum { UNIQUE_TRIES = 24 };
    outcome made = FAILED;
    uint32_t fresh = s->fresh;
    for (int i = 0; i < UNIQUE_TRIES; i++) {
        made = lg_synth_value(s, element, &items[index]);
        if (made != MADE || !p->unique || !is_repeated(s, items, index, &items[index])) {
            break;
        }
        made = FAILED;
        s->fresh = fresh + 1; // the same example again would not help
    }
    s->fresh = fresh;
    return made;
}

static uint64_t choose_count(synth *s, const array_plan *p, uint32_t round)
{
    uint64_t least = p->contains > p->min ? p->contains : p->min;
    least = least < p->max ? least : p->max;
    uint64_t usual = p->prefix > least ? p->prefix : least;
    usual = usual < p->max ? usual : p->max;
    bool brief = lg_synth_members(s, round) == LG_MEMBERS_REQUIRED || !lg_synth_is_easy(s);
    if (brief || !p->typed) {
        return least;
    }
    uint64_t more = lg_synth_below(s, 3);
    uint32_t shown = s->how.made_up ? 4 : 2; // levels on which a list is better not empty
    more = s->depth < shown && usual == 0 && more == 0 ? 1 : more;
    return usual + (more < p->max - usual ? more : p->max - usual);
}

static outcome make_items(synth *s, const demand *d, const array_plan *p, uint64_t count,
                          uint64_t from, lg_json *items, uint64_t *ret_count)
{
    for (uint64_t i = 0; i < count; i++) {
        demand element = {0};
        if (!lg_synth_spend(s, 1 + d->count) || !ask_element(s, d, i, from, &element)) {
            return STOPPED;
        }
        bool broken = p->breach.n && p->breach_at == i;
        if (broken && !lg_synth_shun(s, &element, p->breach.n, p->breach.outer)) {
            return STOPPED;
        }
        if (p->twins && i == 1) {
            items[1] = items[0];
            *ret_count = 2;
            continue;
        }
        outcome made = make_element(s, p, &element, items, i);
        bool enough = i >= p->min && i >= from + p->contains;
        if (made != MADE && (made == STOPPED || !enough)) {
            return made;
        }
        if (made != MADE) {
            break;
        }
        *ret_count = i + 1;
    }
    return MADE;
}

// Plans one way in which the array does not satisfy a schema that it should not; returns how many
// elements that takes.
static uint64_t plan_breach(synth *s, const demand *d, array_plan *p, uint32_t round,
                            uint64_t count)
{
    const scope *here = NULL;
    const node *broken = lg_synth_to_break(s, d, round, &here);
    const array_rules *a = broken ? broken->array : NULL;
    if (!a) {
        return count;
    }
    if (a->items_max < p->max && lg_synth_one_in(s, 2)) {
        return a->items_max + 1;
    }
    if (a->items_min > p->min && lg_synth_one_in(s, 2)) {
        return a->items_min - 1;
    }
    if (a->unique && !p->unique && p->max >= 2) {
        p->twins = true;
        return count < 2 ? 2 : count;
    }
    count = count ? count : p->max < 1 ? 0 : 1;
    p->breach_at = lg_synth_below(s, count);
    const node *own = p->breach_at < a->prefix_count ? a->prefix[p->breach_at] : a->rest;
    own = !own ? a->contains : own;
    p->breach = own && !own->trivial ? (shunned){own, here} : (shunned){NULL, NULL};
    return count;
}

outcome lg_synth_array(synth *s, demand *d, uint32_t round, lg_json *ret)
{
    array_plan p = plan_of(d);
    if (p.min > p.max) {
        return lg_synth_fail(s, IMPOSSIBLE, p.min_node, "minItems",
                             "is more than the %llu items allowed", (unsigned long long)p.max);
    }
    uint64_t count = plan_breach(s, d, &p, round, choose_count(s, &p, round));
    if (count > s->how.values) {
        return lg_synth_fail(s, FAILED, p.min_node, NULL, "needs more than %u values",
                             s->how.values);
    }
    // The elements that `contains` finds come behind the prefix if they can; later rounds try all
    // places. No more than one place is a choice that might have been another.
    uint64_t last = count > p.contains ? count - p.contains : 0;
    uint64_t from = p.prefix < last ? p.prefix : last;
    from = round > 0 && p.contains ? lg_synth_below(s, last + 1) : from;
    d->choices += p.contains ? 1 : 0;
    lg_json *items = LG_NEW_ARRAY(&s->arena, lg_json, count + 1);
    if (!items) {
        return lg_synth_no_memory(s);
    }
    lg_str hint = s->hint;
    uint64_t made_count = 0;
    outcome made = make_items(s, d, &p, count, from, items, &made_count);
    s->hint = hint;
    *ret = lg_json_make_array(items, (size_t)made_count);
    // A longer array than was asked for proves nothing by failing, nor does a lack of variety.
    return made == IMPOSSIBLE && (count > p.min || p.contains) ? FAILED : made;
}
