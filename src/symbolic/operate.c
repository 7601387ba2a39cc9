// operate.c: operators on values, alternative by alternative.
//
// An operator is a function of two alternatives that are no failures; pairwise() does the rest. Each case
// below follows the evaluator (src/cel), and where it cannot, it gives a value that includes whatever the
// evaluator may give (unknown_of()). So a wrong case is always too wide or a mistake, and the mistakes are
// what tests/conformance/prove_generated.c hunts.
//
// Lookups go through the explicit elements first. They share one discipline: `left` is what no element has
// taken so far, each hit takes its part of it, and what is left at the end is MISSING. Thereby the guards
// of what was found exclude each other, although two entries may turn out to have the same key.
#include "base/time.h"
#include "symbolic/forall.h"
#include "symbolic/funs.h"
#include "symbolic/input.h"
#include "symbolic/number.h"

#define EQUAL_DEPTH_MAX 8u
#define COMPARED_MAX 200u // lists and maps, for one comparison

static term either_lacks(problem *p, const alt *x, const alt *y)
{
    term no = term_bool(p->t, false);
    term of_x = x->kind == ALT_MISSING && x->t ? x->t : no;
    term of_y = y->kind == ALT_MISSING && y->t ? y->t : no;
    return term_or(p->t, of_x, of_y);
}

// Every binary operator: each pair of alternatives under both guards. Failures of either operand are
// passed on, any other error before a missing key, as the evaluator has it.
val pairwise(problem *p, val a, val b, operator_of *op, const void *context)
{
    builder made = builder_of(p);
    for (uint32_t i = 0; i < a.count; i++) {
        for (uint32_t k = 0; k < b.count; k++) {
            const alt *x = &a.alts[i];
            const alt *y = &b.alts[k];
            term guard = term_and(p->t, x->guard, y->guard);
            if (term_is_false(p->t, guard)) {
                continue;
            }
            if (x->kind == ALT_ERROR || y->kind == ALT_ERROR) {
                builder_add(&made, guard, alt_of(p, ALT_ERROR, NULL));
            } else if (x->kind == ALT_MISSING || y->kind == ALT_MISSING) {
                builder_add(&made, guard, alt_missing(p, either_lacks(p, x, y)));
            } else {
                builder_add_value(&made, guard, op(p, x, y, context));
            }
        }
    }
    return builder_done(&made);
}

// --- What is not known --------------------------------------------------------------------------

static const char any_type[] = "values of any type";

// Terms by their number; structures by their address, which stands for what they are: they never change.
static void name_alt(lg_buf *out, problem *p, const alt *a)
{
    lg_buf_addf(out, " %d", (int)a->kind);
    if (a->t) {
        lg_buf_addf(out, ":%u", term_id(p->t, a->t));
    }
    if (a->list || a->map) {
        lg_buf_addf(out, ":%p", a->list ? (const void *)a->list : (const void *)a->map);
    }
}

// What an operator gives that may be anything of one kind: the same for the same operands, since the
// evaluator is a function. Without that, `x == x` could be refuted of what is not followed.
val unknown_of(problem *p, const char *what, const alt *a, const alt *b, alt_kind kind)
{
    lg_buf name;
    lg_buf_init(&name, 4096);
    lg_buf_add_c(&name, what);
    name_alt(&name, p, a);
    if (b) {
        name_alt(&name, p, b);
    }
    bool whole = lg_buf_status(&name) == LG_OK;
    val made = unknown_value(p, whole ? lg_buf_str(&name) : LG_STR(""), kind, any_type);
    lg_buf_done(&name);
    return made;
}

static const char *name_of(lg_cel_binary op)
{
    static const char *const names[] = {[LG_BIN_LT] = "<",  [LG_BIN_LE] = "<=", [LG_BIN_GT] = ">",
                                        [LG_BIN_GE] = ">=", [LG_BIN_ADD] = "+", [LG_BIN_SUB] = "-",
                                        [LG_BIN_MUL] = "*", [LG_BIN_DIV] = "/", [LG_BIN_MOD] = "%"};
    return op < LG_COUNT(names) && names[op] ? names[op] : "operator";
}

static bool either_any(const alt *a, const alt *b)
{
    return a->kind == ALT_ANY || b->kind == ALT_ANY;
}

// A question with one answer, asked of these two.
static term unknown_test(problem *p, lg_str what, const void *a, const void *b)
{
    lg_str name = problem_name(p, "%.*s %p %p", LG_FMT(what), a, b);
    void **place = memo_place(p, name);
    if (place && *place) {
        return *place;
    }
    term made = unknown_term(p, SORT_BOOL, what);
    note_definition(p,
                    (definition){.kind = DEFINED_UNKNOWN, .constant = made, .why = p->abstracted});
    place = memo_place(p, name);
    if (place) {
        *place = made;
    }
    return made;
}

// --- Sizes and lookups --------------------------------------------------------------------------

static term with_summary(problem *p, term size, const summary *r)
{
    return r ? term_arith_of(p->t, ARITH_ADD, size, r->count) : size;
}

// Of a prefix, the first absent element says the size; else the present ones are counted.
term seq_size(problem *p, const seq *list)
{
    terms *t = p->t;
    if (!list->prefix) {
        term size = term_int(t, 0);
        for (uint32_t i = 0; i < list->count; i++) {
            size = term_count(t, size, list->items[i].present);
        }
        return with_summary(p, size, list->summary);
    }
    term size = with_summary(p, term_int(t, list->count), list->summary);
    for (uint32_t i = list->count; i-- > 0;) {
        size = term_ite(t, list->items[i].present, size, term_int(t, i));
    }
    return size;
}

term dict_size(problem *p, const dict *map)
{
    if (p->forall) {
        return map_size(p, map);
    }
    term size = term_int(p->t, 0);
    for (uint32_t i = 0; i < map->count; i++) {
        size = term_count(p->t, size, map->items[i].present);
    }
    return with_summary(p, size, map->summary);
}

// The entry whose key is this very term. Others of its family have other keys, so it alone can match.
static const entry *own_entry(const dict *map, term key)
{
    for (uint32_t i = 0; i < map->count; i++) {
        if (map->items[i].key == key && map->items[i].family) {
            return &map->items[i];
        }
    }
    return NULL;
}

// Walks the entries that `key` may name; calls nothing for the others. `*left` is what is not
// matched yet.
typedef struct match {
    const dict *map;
    const entry *own;
    uint32_t next;
    uint32_t family;
    bool mixed; // entries of several families, which need not exclude each other
    term left;
} match;

static match match_of(problem *p, const dict *map, term key)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, key, SORT_TEXT));
    match m = {.map = map, .own = own_entry(map, key), .left = term_bool(p->t, true)};
    for (uint32_t i = 0; i < map->count; i++) {
        m.mixed =
            m.mixed || map->items[i].family == 0 || map->items[i].family != map->items[0].family;
    }
    return m;
}

static const entry *next_match(problem *p, match *m, term key, term *ret_hit)
{
    terms *t = p->t;
    while (m->next < m->map->count) {
        const entry *e = &m->map->items[m->next++];
        bool other = m->own && e->family == m->own->family && e != m->own;
        term hit = other ? term_bool(t, false) : term_and(t, e->present, term_eq(t, e->key, key));
        if (m->mixed) {
            hit = term_and(t, m->left, hit);
        }
        if (term_is_false(t, hit)) {
            continue;
        }
        m->left = term_and(t, m->left, term_not(t, hit));
        *ret_hit = hit;
        return e;
    }
    return NULL;
}

// The value under `key` of a map, added to `b` where `guard` holds; MISSING where there is none. The entries that match,
// in their order, then the summary, then nothing: guards of what is added leave no case of `guard` out.
static void dict_get(problem *p, builder *b, term guard, const dict *map, term key)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, key, SORT_TEXT) && term_has_sort(p->t, guard, SORT_BOOL));
    terms *t = p->t;
    const alt absent = alt_missing(p, term_bool(t, map->of_call));
    if (p->forall) {
        term present;
        val v = map_at(p, map, key, &present);
        builder_add_value(b, term_and(t, guard, present), v);
        builder_add(b, term_and(t, guard, term_not(t, present)), absent);
        return;
    }
    match m = match_of(p, map, key);
    term hit;
    for (const entry *e; (e = next_match(p, &m, key, &hit));) {
        builder_add_value(b, term_and(t, guard, hit), *thunk_value(p, e->value));
    }
    if (map->summary && !m.own && !term_is_false(t, m.left)) {
        term present;
        val v = summary_lookup(p, map->summary, key, &present);
        builder_add_value(b, term_and(t, term_and(t, guard, m.left), present), v);
        m.left = term_and(t, m.left, term_not(t, present));
    }
    builder_add(b, term_and(t, guard, m.left), absent);
}

term dict_has(problem *p, const dict *map, term key)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, key, SORT_TEXT));
    terms *t = p->t;
    if (p->forall) {
        term present;
        map_at(p, map, key, &present);
        return present;
    }
    match m = match_of(p, map, key);
    term any = term_bool(t, false);
    term hit;
    while (next_match(p, &m, key, &hit)) {
        any = term_or(t, any, hit);
    }
    if (map->summary && !m.own && !term_is_false(t, m.left)) {
        term present;
        summary_lookup(p, map->summary, key, &present);
        any = term_or(t, any, term_and(t, m.left, present));
    }
    return any;
}

// In which order the elements stand is not known: at every index there is some value. Cases take
// them in the order in which they were made.
// With `forall` it is some element of the map; else any value.
static term get_unordered(problem *p, builder *b, term guard, const seq *list, term index)
{
    terms *t = p->t;
    term size = seq_size(p, list);
    term present = term_is_index(t, index, size);
    term usual = problem_idealised(p);
    term open = term_and(t, guard, term_not(t, usual));
    if (term_is_false(t, open)) {
        return guard;
    }
    lg_str name = problem_name(p, "[%u] of a map %p", term_id(t, index), (const void *)list);
    bool whole = list->count == 0 && list->summary && list->summary->all;
    val some = whole ? summary_some_element(p, list->summary, present, name)
                     : unknown_value(p, name, ALT_ANY, "the order of a map");
    builder_add_value(b, term_and(t, open, present), some);
    builder_add(b, term_and(t, open, term_not(t, present)),
                alt_missing(p, term_bool(t, list->of_call)));
    return term_and(t, guard, usual);
}

// As dict_get(): explicit elements, then the summary, then MISSING. What makes positions uncertain (a map's
// order, lists put together around a summary) is taken out of `guard` first, as any value.
void seq_get(problem *p, builder *b, term guard, const seq *list, term index)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, index, SORT_INT) && term_has_sort(p->t, guard, SORT_BOOL));
    terms *t = p->t;
    term left = term_bool(t, true);
    if (list->unordered) {
        guard = get_unordered(p, b, guard, list, index);
        if (term_is_false(t, guard)) {
            return;
        }
    }
    term before = term_int(t, 0);
    if (list->summary && list->summary->all) { // it comes first
        term present;
        val v = summary_at(p, list->summary, index, &present);
        builder_add_value(b, term_and(t, guard, present), v);
        left = term_not(t, present);
        before = list->summary->count;
    } else if (list->shuffled &&
               list->summary) { // where they stand is known only if there is nothing in between
        lg_str name = problem_name(p, "[%u] %p", term_id(t, index), (const void *)list);
        term any = summary_is_nonempty(p, list->summary);
        builder_add_value(b, term_and(t, guard, any),
                          unknown_value(p, name, ALT_ANY, "an index into lists put together"));
        guard = term_and(t, guard, term_not(t, any));
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const element *e = &list->items[i];
        // An element's index is the number of present ones before it; in a prefix that is its position.
        bool counted = !list->prefix || before != term_int(t, 0);
        term at = counted ? before : term_int(t, i);
        term hit = term_and(t, e->present, term_eq(t, at, index));
        if (counted) {
            hit = term_and(t, hit, left);
            before = term_count(t, before, e->present);
        }
        if (!term_is_false(t, hit)) {
            builder_add_value(b, term_and(t, guard, hit), *thunk_value(p, e->value));
            left = term_and(t, left, term_not(t, hit));
        }
    }
    int64_t known;
    bool explicit_index = list->prefix && term_int_of(t, index, &known) && known < list->count;
    if (list->summary && !list->summary->all && !explicit_index && !term_is_false(t, left)) {
        term present;
        val v = summary_lookup(p, list->summary, index, &present);
        builder_add_value(b, term_and(t, term_and(t, guard, left), present), v);
        left = term_and(t, left, term_not(t, present));
    }
    builder_add(b, term_and(t, guard, left), alt_missing(p, term_bool(t, list->of_call)));
}

// A double is an index if it is a whole number; below zero it is none that is there.
// CEL takes `list[1.0]` for `list[1]`, and JSON's numbers are doubles.
static void get_at_double(problem *p, builder *b, const seq *list, term at)
{
    terms *t = p->t;
    term whole = term_is_int(t, at);
    term below = term_and(t, term_not(t, whole), term_lt(t, at, term_real(t, 0)));
    seq_get(p, b, whole, list, term_to_int(t, at));
    builder_add(b, below, alt_missing(p, term_bool(t, list->of_call)));
    builder_add(b, term_not(t, term_or(t, whole, below)), alt_of(p, ALT_ERROR, NULL));
}

// A map of JSON has texts for keys: under a number or a bool there is nothing, and that is no error.
static val index_into(problem *p, const alt *a, const alt *b, const void *context)
{
    (void)context;
    builder made = builder_of(p);
    term yes = term_bool(p->t, true);
    if (either_any(a, b)) {
        return unknown_of(p, "index", a, b, ALT_ANY);
    }
    bool number = alt_is_number(b) || b->kind == ALT_NONFINITE;
    if (a->kind == ALT_MAP && b->kind == ALT_TEXT) {
        dict_get(p, &made, yes, a->map, b->t);
    } else if (a->kind == ALT_MAP && (number || b->kind == ALT_BOOL)) {
        return value_missing(p, term_bool(p->t, a->map->of_call));
    } else if (a->kind == ALT_LIST && (b->kind == ALT_INT || b->kind == ALT_UINT)) {
        seq_get(p, &made, yes, a->list, b->t);
    } else if (a->kind == ALT_LIST && b->kind == ALT_DOUBLE) {
        get_at_double(p, &made, a->list, b->t);
    } else if (a->kind == ALT_LIST && b->kind == ALT_NONFINITE) {
        return value_missing(p, term_bool(p->t, a->list->of_call));
    } else {
        return value_error(p);
    }
    return builder_done(&made);
}

// Of what is no map, a field is an error and not missing: that is a mistake of types, not absence.
val operate_select(problem *p, val a, lg_str name)
{
    builder made = builder_of(p);
    term key = term_text(p->t, name);
    const alt of_key = alt_of(p, ALT_TEXT, key);
    for (uint32_t i = 0; i < a.count; i++) {
        const alt *x = &a.alts[i];
        if (x->kind == ALT_MAP) {
            dict_get(p, &made, x->guard, x->map, key);
        } else if (x->kind == ALT_ANY) {
            builder_add_value(&made, x->guard, unknown_of(p, "index", x, &of_key, ALT_ANY));
        } else {
            builder_add(&made, x->guard, alt_is_failure(x) ? *x : alt_of(p, ALT_ERROR, NULL));
        }
    }
    return builder_done(&made);
}

// `has(a.b.c)` fails if `a.b` does: only the last step is tested.
val operate_has(problem *p, val a, lg_str name)
{
    builder made = builder_of(p);
    term key = term_text(p->t, name);
    const alt of_key = alt_of(p, ALT_TEXT, key);
    for (uint32_t i = 0; i < a.count; i++) {
        const alt *x = &a.alts[i];
        if (x->kind == ALT_MAP) {
            builder_add(&made, x->guard, alt_of(p, ALT_BOOL, dict_has(p, x->map, key)));
        } else if (x->kind == ALT_ANY) {
            builder_add_value(&made, x->guard, unknown_of(p, "has", x, &of_key, ALT_BOOL));
        } else {
            builder_add(&made, x->guard, alt_is_failure(x) ? *x : alt_of(p, ALT_ERROR, NULL));
        }
    }
    return builder_done(&made);
}

// --- Equality -----------------------------------------------------------------------------------

// Where it is not followed: a question with one answer, asked of these two.
static term unknown_equal(problem *p, const void *a, const void *b)
{
    p->abstracted = "equality of lists or maps";
    return unknown_test(p, LG_STR("equal"), a < b ? a : b, a < b ? b : a);
}

// Element number `index`; `*ret_present` is when there is one.
static val nth_value(problem *p, const seq *list, uint32_t index, term *ret_present)
{
    LG_DEBUG_ASSERT(list->prefix);
    if (index < list->count) {
        *ret_present = list->items[index].present;
        return *thunk_value(p, list->items[index].value);
    }
    if (!list->summary) {
        *ret_present = term_bool(p->t, false);
        return value_missing(p, NULL);
    }
    term found;
    val v = summary_lookup(p, list->summary, term_int(p->t, index), &found);
    *ret_present = term_lt(p->t, term_int(p->t, index), seq_size(p, list));
    return v;
}

// Two lists, both with their elements in front: as many, and equal at every index. Beyond the depth and the
// number that are compared, it is a question with one answer.
static term same_list(problem *p, const seq *a, const seq *b, uint32_t depth)
{
    terms *t = p->t;
    if (++p->compared > COMPARED_MAX) {
        return unknown_equal(p, a, b);
    }
    if (a == b && !a->computed) { // of JSON: what is no number equals nothing
        return term_bool(t, true);
    }
    if ((a->summary && a->summary->all) || (b->summary && b->summary->all)) {
        return same_sequence(p, a, b, depth);
    }
    if (!a->prefix || !b->prefix || depth > EQUAL_DEPTH_MAX || a->unordered || b->unordered) {
        return unknown_equal(p, a, b);
    }
    term same = term_eq(t, seq_size(p, a), seq_size(p, b));
    uint32_t most = a->count > b->count ? a->count : b->count;
    for (uint32_t i = 0; i < most && !term_is_false(t, same); i++) {
        term present;
        val in_a = nth_value(p, a, i, &present);
        val in_b = nth_value(p, b, i, &present);
        if (!term_is_false(t, present)) {
            term equal = same_value(p, in_a, in_b, depth + 1);
            same = term_and(t, same, term_implies(t, present, equal));
        }
    }
    // What one of them lists explicitly is all of it, unless the other has a summary, too.
    if (!a->summary || !b->summary || term_is_false(t, same)) {
        return same;
    }
    term more = term_or(t, summary_is_nonempty(p, a->summary), summary_is_nonempty(p, b->summary));
    return term_and(t, same, term_or(t, term_not(t, more), unknown_equal(p, a, b)));
}

// Every entry of `a` is in `b` with the same value.
static term within(problem *p, const dict *a, const dict *b, uint32_t depth)
{
    terms *t = p->t;
    term all = term_bool(t, true);
    for (uint32_t i = 0; i < a->count; i++) {
        const entry *e = &a->items[i];
        if (term_is_false(t, e->present)) {
            continue;
        }
        builder found = builder_of(p);
        dict_get(p, &found, term_bool(t, true), b, e->key);
        val other = builder_done(&found);
        term present = term_not(t, value_is(p, other, ALT_MISSING));
        term equal =
            term_and(t, present, same_value(p, *thunk_value(p, e->value), other, depth + 1));
        all = term_and(t, all, term_implies(t, e->present, equal));
    }
    return all;
}

// One inclusion and the same size are equality, because keys are different.
static term same_map(problem *p, const dict *a, const dict *b, uint32_t depth)
{
    terms *t = p->t;
    if (++p->compared > COMPARED_MAX) {
        return unknown_equal(p, a, b);
    }
    if (a == b && !a->computed) {
        return term_bool(t, true);
    }
    // What is in a summary is made when it is looked up, and what is in that again.
    if (depth > EQUAL_DEPTH_MAX || (depth > 1 && a->summary && b->summary)) {
        return unknown_equal(p, a, b);
    }
    if ((a->summary && a->summary->all) || (b->summary && b->summary->all)) {
        return same_entries(p, a, b, depth);
    }
    term same = a->summary ? within(p, b, a, depth) : within(p, a, b, depth);
    if (!term_is_false(t, same)) {
        same = term_and(t, same, term_eq(t, dict_size(p, a), dict_size(p, b)));
    }
    // As many as there are, and each is in the other: what has no summary is known as a whole.
    if (!a->summary || !b->summary || term_is_false(t, same)) {
        return same;
    }
    term more = term_or(t, summary_is_nonempty(p, a->summary), summary_is_nonempty(p, b->summary));
    return term_and(t, same, term_or(t, term_not(t, more), unknown_equal(p, a, b)));
}

// Of a value of any type, of two numbers that are not finite, and of numbers in JSON that no number of
// CEL can hold.
// Beside these, values of different kinds are different, and a failure that stands inside of a list equals
// nothing.
static bool same_is_open(const alt *a, const alt *b)
{
    bool failed_a = alt_is_failure(a);
    bool failed_b = alt_is_failure(b);
    return either_any(a, b) || (a->kind == ALT_NONFINITE && b->kind == ALT_NONFINITE) ||
           (failed_a && (failed_b || alt_is_number(b))) || (failed_b && alt_is_number(a));
}

static term unknown_same(problem *p, const alt *a, const alt *b)
{
    p->abstracted = any_type;
    if (!a->t || !b->t || a->kind == ALT_NONFINITE) {
        return unknown_term(p, SORT_BOOL, LG_STR("same"));
    }
    bool turn = a->t > b->t || (a->t == b->t && a->kind > b->kind);
    const alt *low = turn ? b : a;
    const alt *high = turn ? a : b;
    lg_str what = problem_name(p, "same %d %d", (int)low->kind, (int)high->kind);
    return unknown_test(p, what, low->t, high->t);
}

// Numbers of all three kinds are compared as numbers; everything else only within its kind.
static term same_alt(problem *p, const alt *a, const alt *b, uint32_t depth)
{
    if (same_is_open(a, b)) {
        return unknown_same(p, a, b);
    }
    if (alt_is_number(a) && alt_is_number(b)) {
        return number_same(p, a, b);
    }
    if (a->kind != b->kind) {
        return term_bool(p->t, false);
    }
    switch (a->kind) {
    case ALT_NULL:
        return term_bool(p->t, true);
    case ALT_BOOL:
    case ALT_INT:
    case ALT_UINT:
    case ALT_DOUBLE:
    case ALT_TEXT:
    case ALT_TIME:
    case ALT_DURATION:
        return term_eq(p->t, a->t, b->t);
    case ALT_LIST:
        return same_list(p, a->list, b->list, depth);
    case ALT_MAP:
        return same_map(p, a->map, b->map, depth);
    case ALT_MISSING:
    case ALT_ERROR:
    case ALT_NONFINITE:
    case ALT_ANY:
        break;
    }
    return term_bool(p->t, false);
}

// Recursion is bounded by EQUAL_DEPTH_MAX.
term same_value(problem *p, val a, val b, uint32_t depth)
{
    terms *t = p->t;
    term same = term_bool(t, false);
    p->compared = depth == 0 ? 0 : p->compared;
    for (uint32_t i = 0; i < a.count; i++) {
        for (uint32_t k = 0; k < b.count; k++) {
            term guard = term_and(t, a.alts[i].guard, b.alts[k].guard);
            if (!term_is_false(t, guard)) {
                term equal = same_alt(p, &a.alts[i], &b.alts[k], depth);
                same = term_or(t, same, term_and(t, guard, equal));
            }
        }
    }
    return same;
}

// `==` never fails of two values, whatever they are.
static val equal(problem *p, const alt *a, const alt *b, const void *context)
{
    p->compared = 0;
    term same = same_alt(p, a, b, 0);
    return value_bool(p, *(const bool *)context ? same : term_not(p->t, same));
}

// --- in -----------------------------------------------------------------------------------------

// A list with an element that failed has failed where it was built: no failure is passed on here.
static val member_of(problem *p, const alt *a, const alt *b, const void *context)
{
    (void)context;
    terms *t = p->t;
    if (b->kind == ALT_ANY || (b->kind == ALT_MAP && a->kind == ALT_ANY)) {
        return unknown_of(p, "in", a, b, ALT_BOOL);
    }
    if (b->kind == ALT_MAP) {
        return value_bool(p, a->kind == ALT_TEXT ? dict_has(p, b->map, a->t) : term_bool(t, false));
    }
    if (b->kind != ALT_LIST) {
        return value_error(p);
    }
    term any = term_bool(t, false);
    const alt whole = alt_unguarded(p, a);
    const val item = {&whole, 1};
    for (uint32_t i = 0; i < b->list->count; i++) {
        const element *e = &b->list->items[i];
        if (!term_is_false(t, e->present)) {
            term same = same_value(p, item, *thunk_value(p, e->value), 0);
            any = term_or(t, any, term_and(t, e->present, same));
        }
    }
    if (b->list->summary && b->list->summary->all) {
        const elements *all = b->list->summary->all;
        term at = variable_open(p);
        term same = same_value(p, item, all->value(p, all, at), 0);
        term there = term_and(t, all->present(p, all, at), same);
        variable_close(p);
        any = term_or(t, any, term_exists(t, at, there));
    } else if (b->list->summary && b->list->summary->generic) {
        term same = same_value(p, item, *thunk_value(p, b->list->summary->generic), 0);
        any = term_or(t, any, summary_exists(p, b->list->summary, same));
    }
    return value_bool(p, any);
}

// --- Order --------------------------------------------------------------------------------------

// Negated inside of the function, since nothing is known of it but its values at literals.
static val text_order(problem *p, term low, term high, bool negate)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, low, SORT_TEXT) && term_has_sort(p->t, high, SORT_TEXT));
    val texts[2] = {value_scalar(p, ALT_TEXT, low), value_scalar(p, ALT_TEXT, high)};
    val made;
    lg_str source = negate ? LG_STR("!(x0 < x1)") : LG_STR("x0 < x1");
    return fun_call(p, source, texts, 2, ALT_BOOL, &made) ? made : value_lost(p);
}

static bool is_numeric(const alt *a)
{
    return alt_is_number(a) || a->kind == ALT_NONFINITE;
}

// What a number that is not finite is compared with says nothing: it may be no number at all, and then
// nothing is below it, and nothing above.
static val order_of_nonfinite(problem *p, lg_cel_binary op, const alt *a, const alt *b)
{
    p->abstracted = "numbers that are not finite";
    lg_str what = problem_name(p, "order %d %d %d", (int)op, (int)a->kind, (int)b->kind);
    return value_bool(p, unknown_test(p, what, a->t, b->t));
}

// All four orders come from "less than": numbers and times are ordered totally once those that are not
// finite are taken out.
static val order(problem *p, const alt *a, const alt *b, const void *context)
{
    lg_cel_binary op = *(const lg_cel_binary *)context;
    LG_DEBUG_ASSERT(op == LG_BIN_LT || op == LG_BIN_LE || op == LG_BIN_GT || op == LG_BIN_GE);
    bool swap = op == LG_BIN_GT || op == LG_BIN_LE; // a > b is b < a
    bool negate = op == LG_BIN_LE || op == LG_BIN_GE;
    const alt *low = swap ? b : a;
    const alt *high = swap ? a : b;
    term below;
    if (either_any(a, b)) {
        return unknown_of(p, name_of(op), a, b, ALT_BOOL);
    }
    if (is_numeric(a) && is_numeric(b) && (a->kind == ALT_NONFINITE || b->kind == ALT_NONFINITE)) {
        return order_of_nonfinite(p, op, a, b);
    }
    if (alt_is_number(a) && alt_is_number(b)) {
        below = number_below(p, low, high);
    } else if (a->kind == b->kind && (a->kind == ALT_TIME || a->kind == ALT_DURATION)) {
        below = term_lt(p->t, low->t, high->t);
    } else if (a->kind == b->kind && a->kind == ALT_BOOL) {
        below = term_and(p->t, term_not(p->t, low->t), high->t);
    } else if (a->kind == ALT_TEXT && b->kind == ALT_TEXT) {
        return text_order(p, low->t, high->t, negate);
    } else {
        return value_error(p);
    }
    return value_bool(p, negate ? term_not(p->t, below) : below);
}

// --- Arithmetic ---------------------------------------------------------------------------------

// Beyond the years 1 to 9999, and beyond 64 bits of nanoseconds, the evaluator fails.
static val time_arithmetic(problem *p, lg_cel_binary op, const alt *a, const alt *b)
{
    LG_DEBUG_ASSERT(a->kind == ALT_TIME || a->kind == ALT_DURATION);
    LG_DEBUG_ASSERT(b->kind == ALT_TIME || b->kind == ALT_DURATION);
    terms *t = p->t;
    bool time_a = a->kind == ALT_TIME;
    bool time_b = b->kind == ALT_TIME;
    bool fits =
        (op == LG_BIN_ADD && !(time_a && time_b)) || (op == LG_BIN_SUB && (time_a || !time_b));
    if (!fits) {
        return value_error(p);
    }
    bool is_time = op == LG_BIN_ADD ? time_a || time_b : time_a && !time_b;
    term made = term_arith_of(t, op == LG_BIN_ADD ? ARITH_ADD : ARITH_SUB, a->t, b->t);
    // A duration has as many nanoseconds as fit 64 bits, some 292 years.
    term low = is_time ? term_nanos(t, LG_TIME_MIN_SECONDS, 0) : term_int(t, INT64_MIN);
    term high =
        is_time ? term_nanos(t, LG_TIME_MAX_SECONDS, LG_TIME_NANOS - 1) : term_int(t, INT64_MAX);
    term in_range = term_and(t, term_le(t, low, made), term_le(t, made, high));
    builder b2 = builder_of(p);
    builder_add(&b2, in_range, alt_of(p, is_time ? ALT_TIME : ALT_DURATION, made));
    builder_add(&b2, term_not(t, in_range), alt_of(p, ALT_ERROR, NULL));
    return builder_done(&b2);
}

// A list has one summary. Of two only the number of their elements is kept: a generic element of any type
// stands for one of either.
static const summary *joined_summary(problem *p, const summary *a, const summary *b)
{
    const char *why = "two long lists put together";
    thunk *generic = thunk_of(p, unknown_value(p, LG_STR(""), ALT_ANY, why));
    const summary *r = summary_new(p, LG_STR("either"), generic, NULL, false);
    if (r) {
        p->abstracted = why;
        note_definition(p, (definition){.kind = DEFINED_UNKNOWN, .why = why});
        terms_assert(p->t,
                     term_eq(p->t, r->count, term_arith_of(p->t, ARITH_ADD, a->count, b->count)));
    }
    return r;
}

// Elements of `b` come behind the summary of `a`: from there on positions are not known (`shuffled`).
static val joined(problem *p, const seq *a, const seq *b)
{
    bool of_call = a->of_call || b->of_call;
    if (a->count == 0 && !a->summary && b->of_call == of_call) {
        return value_list(p, b);
    }
    if (b->count == 0 && !b->summary && a->of_call == of_call) {
        return value_list(p, a);
    }
    if (b->summary && b->summary->all) {
        return value_list(p, joined_lists(p, a, b));
    }
    seq *list = LG_NEW(p->arena, seq);
    element *items = LG_NEW_ARRAY(p->arena, element, a->count + b->count + 1);
    if (!list || !items) {
        return value_lost(p);
    }
    lg_copy_bytes(items, a->items, a->count * sizeof(*items));
    lg_copy_bytes(items + a->count, b->items, b->count * sizeof(*items));
    *list = (seq){.items = items, .count = a->count + b->count, .of_call = of_call};
    list->unordered = a->unordered || b->unordered;
    list->computed = a->computed || b->computed || (a->summary && b->summary);
    list->summary = !a->summary   ? b->summary
                    : !b->summary ? a->summary
                                  : joined_summary(p, a->summary, b->summary);
    list->shuffled = !p->forall && (a->shuffled || b->shuffled || (a->summary && b->count));
    return value_list(p, list);
}

// A function without a definition: texts are numbers here, and have no parts.
static val joined_texts(problem *p, term a, term b)
{
    val texts[2] = {value_scalar(p, ALT_TEXT, a), value_scalar(p, ALT_TEXT, b)};
    val made;
    return fun_call(p, LG_STR("(x0 + x1)"), texts, 2, ALT_TEXT, &made) ? made : value_lost(p);
}

static val arithmetic(problem *p, const alt *a, const alt *b, const void *context)
{
    LG_DEBUG_ASSERT(!alt_is_failure(a) && !alt_is_failure(b));
    lg_cel_binary op = *(const lg_cel_binary *)context;
    if (either_any(a, b)) {
        return unknown_of(p, name_of(op), a, b, ALT_ANY);
    }
    bool times = (a->kind == ALT_TIME || a->kind == ALT_DURATION) &&
                 (b->kind == ALT_TIME || b->kind == ALT_DURATION);
    if (times) {
        return time_arithmetic(p, op, a, b);
    }
    if (is_numeric(a) && is_numeric(b)) {
        return number_arithmetic(p, op, a, b);
    }
    if (a->kind == ALT_LIST && b->kind == ALT_LIST && op == LG_BIN_ADD) {
        return joined(p, a->list, b->list);
    }
    if (a->kind == ALT_TEXT && b->kind == ALT_TEXT && op == LG_BIN_ADD) {
        return joined_texts(p, a->t, b->t);
    }
    return value_error(p);
}

// --- The face -----------------------------------------------------------------------------------

val operate(problem *p, lg_cel_binary op, val a, val b)
{
    static const bool yes = true;
    static const bool no = false;
    switch (op) {
    case LG_BIN_EQ:
        return pairwise(p, a, b, equal, &yes);
    case LG_BIN_NE:
        return pairwise(p, a, b, equal, &no);
    case LG_BIN_LT:
    case LG_BIN_LE:
    case LG_BIN_GT:
    case LG_BIN_GE:
        return pairwise(p, a, b, order, &op);
    case LG_BIN_IN:
        return pairwise(p, a, b, member_of, NULL);
    case LG_BIN_INDEX:
        return pairwise(p, a, b, index_into, NULL);
    case LG_BIN_ADD:
    case LG_BIN_SUB:
    case LG_BIN_MUL:
    case LG_BIN_DIV:
    case LG_BIN_MOD:
        return pairwise(p, a, b, arithmetic, &op);
    case LG_BIN_OPT_INDEX:
        break;
    }
    return unknown_value(p, LG_STR(""), ALT_ANY, "optional values");
}

// `!` of what is no bool is an error; of what may be one (ALT_ANY) both are possible.
val operate_not(problem *p, val a)
{
    builder made = builder_of(p);
    builder_add_failures(&made, term_bool(p->t, true), a);
    term yes = value_holds(p, a, true);
    term no = value_holds(p, a, false);
    builder_add(&made, value_no_bool(p, a), alt_of(p, ALT_ERROR, NULL));
    builder_add(&made, term_or(p->t, yes, no), alt_of(p, ALT_BOOL, no));
    return builder_done(&made);
}

// The least int has no negative: number_negated() makes an error of it; so does a duration's range.
static val negated(problem *p, const alt *x)
{
    if (x->kind == ALT_ANY) {
        return unknown_of(p, "-", x, NULL, ALT_ANY);
    }
    if (x->kind != ALT_DURATION) {
        return number_negated(p, x);
    }
    const alt none = alt_of(p, ALT_DURATION, term_int(p->t, 0));
    return time_arithmetic(p, LG_BIN_SUB, &none, x);
}

val operate_negate(problem *p, val a)
{
    builder made = builder_of(p);
    builder_add_failures(&made, term_bool(p->t, true), a);
    for (uint32_t i = 0; i < a.count; i++) {
        if (!alt_is_failure(&a.alts[i])) {
            builder_add_value(&made, a.alts[i].guard, negated(p, &a.alts[i]));
        }
    }
    return builder_done(&made);
}

// --- Values of which nothing is known -----------------------------------------------------------

void name_value(lg_buf *out, problem *p, val v)
{
    for (uint32_t i = 0; i < v.count; i++) {
        name_alt(out, p, &v.alts[i]);
        lg_buf_addf(out, " if %u", term_id(p->t, v.alts[i].guard));
    }
}

static val fresh_of_kind(problem *p, lg_str name, alt_kind kind)
{
    term t = unknown_term(p, sort_of_kind(kind), name);
    if (kind != ALT_DOUBLE) {
        return value_scalar(p, kind, t);
    }
    return double_value(p, t, unknown_term(p, SORT_BOOL, LG_STR("finite")));
}

// Of that kind, or either of the two failures: every outcome that the evaluator may have.
static val fresh_value(problem *p, lg_str name, alt_kind kind, const char *why)
{
    LG_DEBUG_ASSERT(kind != ALT_LIST && kind != ALT_MAP);
    terms *t = p->t;
    term fails = unknown_term(p, SORT_BOOL, name);
    term misses = unknown_term(p, SORT_BOOL, name);
    builder made = builder_of(p);
    builder_add(&made, fails, alt_of(p, ALT_ERROR, NULL));
    term lacks = unknown_term(p, SORT_BOOL, name);
    builder_add(&made, term_and(t, term_not(t, fails), misses), alt_missing(p, lacks));
    builder_add_value(&made, term_not(t, term_or(t, fails, misses)), fresh_of_kind(p, name, kind));
    val v = builder_done(&made);
    note_definition(p, (definition){.kind = DEFINED_UNKNOWN, .constant = fails, .why = why});
    note_definition(p, (definition){.kind = DEFINED_UNKNOWN, .constant = misses, .why = why});
    for (uint32_t i = 0; i < v.count; i++) {
        if (v.alts[i].t) {
            note_definition(
                p, (definition){.kind = DEFINED_UNKNOWN, .constant = v.alts[i].t, .why = why});
        }
    }
    return v;
}

val unknown_value(problem *p, lg_str name, alt_kind kind, const char *why)
{
    p->abstracted = why;
    lg_str full = {NULL, 0};
    if (name.len) {
        full = lg_arena_printf(p->arena, "value %d %.*s", (int)kind, LG_FMT(name));
    }
    void **place = full.ptr ? memo_place(p, full) : NULL;
    if (place && *place) {
        return *(const val *)*place;
    }
    val *kept = LG_NEW(p->arena, val);
    val v = fresh_value(p, full.ptr ? full : LG_STR("value"), kind, why);
    place = full.ptr ? memo_place(p, full) : NULL;
    if (kept && place) {
        *kept = v;
        *place = kept;
    }
    return v;
}
