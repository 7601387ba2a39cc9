// input.c: from schemas to symbolic values.
//
// An input is never narrower than its schema: what a schema demands beyond types, required members,
// listed values and bounds is left out, and then more states are considered than there are. A proof
// stays one, and a counterexample is executed before it is shown, arguments and records checked with
// their whole schema. Whoever follows a keyword here follows all that the validator lets through.
//
// A schema becomes variants: the JSON types that it allows, or the values that it lists, or the schemas
// that it is one of. Which one it is says an integer constant (`which`), so that a model names it. Facts
// about the constants of a variant are asserted whether or not it is the one: there are always values for
// them (a schema that nothing meets is not followed), so nothing is excluded by that.
#include "symbolic/forall.h"
#include "symbolic/number.h"
#include "symbolic/stored.h"
#include "symbolic/translate.h"

#include "symbolic/input_internal.h"

#include <math.h>

#define DEPTH_MAX 12u // of `anyOf` in `anyOf`
#define KINDS_MAX 8u

// A chain of `$ref` that does not end is cut: then anything goes, which is never too narrow.
const lg_json *schema_resolve(const problem *p, const lg_json *schema)
{
    for (int steps = 0; schema && steps < 16; steps++) {
        const lg_json *ref = lg_json_get(schema, LG_STR("$ref"));
        lg_str name = lg_json_str(lg_json_is(schema, LG_JSON_STRING) ? schema : ref);
        lg_str prefix = LG_STR("#/types/");
        if (!lg_json_is(schema, LG_JSON_STRING) && !ref) {
            return lg_json_is(schema, LG_JSON_OBJECT) ? schema : NULL;
        }
        if (lg_str_starts(name, prefix)) {
            name = lg_str_slice(name, prefix.len, name.len);
        }
        schema = lg_json_get(lg_json_get(p->document, LG_STR("types")), name);
    }
    return NULL;
}

// Without `forall` a path means nothing: each input has constants of its own.
input *input_new(problem *p, lg_str name, const lg_json *schema, uint32_t depth)
{
    input *in = LG_NEW(p->arena, input);
    if (in) {
        *in = (input){.name = name, .schema = schema_resolve(p, schema), .depth = depth};
        in->path = p->forall ? ++p->next_id : 0;
        in->thunk.in = in;
    }
    return in;
}

// A member or an element of `whole`.
static input *input_part(problem *p, const input *whole, lg_str name, const lg_json *schema)
{
    input *in = input_new(p, name, schema, whole->depth + 1);
    if (in) {
        in->of_call = whole->of_call;
    }
    return in;
}

// The gate refuses an argument that the schema does not name, even where JSON Schema would let it be.
bool arguments_are_closed(const lg_json *parameters)
{
    static const char *const beside[] = {
        "$ref", "$dynamicRef",      "allOf",       "anyOf", "oneOf", "not", "if", "then",
        "else", "dependentSchemas", "dependencies"};
    bool alone = true;
    for (size_t i = 0; i < LG_COUNT(beside); i++) {
        alone = alone && !lg_json_get(parameters, lg_str_c(beside[i]));
    }
    return alone;
}

input *input_of_args(problem *p, lg_str name, const lg_json *parameters)
{
    input *in = input_new(p, name, parameters, 1);
    if (in) {
        in->of_call = true;
        in->named_only = arguments_are_closed(parameters);
    }
    return in;
}

input *input_like(problem *p, lg_str name, const input *like, term key)
{
    input *in = input_new(p, name, like ? like->schema : NULL, like ? like->depth : 1);
    if (in && like) {
        in->also_schema = like->also_schema;
        in->of_call = like->of_call;
        in->named_only = like->named_only;
        in->key_field = like->key && key ? like->key_field : in->key_field;
        in->key = like->key && key ? key : NULL;
    }
    return in;
}

input *input_another(problem *p, const input *like, term key)
{
    if (!like || like->composed) {
        return NULL;
    }
    return input_like(p, problem_name(p, "%.*s'", LG_FMT(like->name)), like, key);
}

// A place of its own (no two unknowns are equal), and a function of the open variables: one unknown for
// each element that is looked at.
input *input_unknown(problem *p, lg_str name, const lg_json *schema, uint32_t depth)
{
    input *in = input_new(p, name, schema, depth);
    term *at = LG_NEW_ARRAY(p->arena, term, VARIABLES_MAX);
    if (!in || !at || !p->forall) {
        return in;
    }
    in->path = ++p->next_id;
    in->at_count = p->open_variables < VARIABLES_MAX ? p->open_variables : VARIABLES_MAX;
    lg_copy_bytes(at, p->variables, in->at_count * sizeof(*at));
    in->at = at;
    return in;
}

// --- For all records at once --------------------------------------------------------------------

// The number of a place: the same steps from the same root lead to the same number.
static uint32_t path_below(problem *p, uint32_t parent, lg_str label)
{
    lg_str name = lg_arena_printf(p->arena, "path %u %.*s", parent, LG_FMT(label));
    void **place = name.ptr ? memo_place(p, name) : NULL;
    uint32_t *path = place ? *place : NULL;
    if (!path) {
        path = LG_NEW(p->arena, uint32_t);
        if (!path) {
            return ++p->next_id;
        }
        *path = ++p->next_id;
        if (place) {
            *place = path;
        }
    }
    return *path;
}

// The place and the keys on the way, by their terms' numbers: what is equal as a term is one record.
static lg_str name_of_record(problem *p, const input *in, const char *what)
{
    lg_buf name;
    lg_buf_init(&name, 4096);
    lg_buf_addf(&name, "%s %u", what, in->path);
    for (uint32_t i = 0; i < in->at_count; i++) {
        lg_buf_addf(&name, " %u", term_id(p->t, in->at[i]));
    }
    lg_str kept = lg_arena_str(p->arena, lg_buf_str(&name));
    lg_buf_done(&name);
    return kept.ptr ? kept : LG_STR("?");
}

// With `forall` one input stands for one place and one tuple of keys; the memo is what makes lookups by
// equal terms equal. Without it each call makes a new input.
input *input_child(problem *p, const input *parent, lg_str label, lg_str name,
                   const lg_json *schema, term key)
{
    input *in = input_part(p, parent, name, schema);
    term *at = LG_NEW_ARRAY(p->arena, term, parent->at_count + 1);
    if (!in || !at || !p->forall) {
        return in;
    }
    in->path = path_below(p, parent->path, label);
    in->at_count = parent->at_count;
    if (parent->at_count) {
        lg_copy_bytes(at, parent->at, parent->at_count * sizeof(*at));
    }
    if (key) {
        at[in->at_count++] = key;
    }
    in->at = at;
    void **place = memo_place(p, name_of_record(p, in, "in"));
    if (place && *place) {
        return *place;
    }
    if (place) {
        *place = in;
    }
    return in;
}

// With keys it is a function of them, declared once for each place: f(k1) = f(k2) follows from k1 = k2
// by congruence, and nothing else relates two records.
term input_term(problem *p, const input *in, term_sort sort, const char *what)
{
    if (in->at_count > TERM_ARGS_MAX) { // so deep nobody looks, but a hostile pack
        p->bounded = true;
        return unknown_term(p, sort, LG_STR("deep"));
    }
    if (!p->forall) {
        return term_fresh(p->t, sort, problem_name(p, "%.*s%s", LG_FMT(in->name), what));
    }
    lg_str name = problem_name(p, "fun%s %u %d", what, in->path, (int)sort);
    void **place = memo_place(p, name);
    if (in->at_count == 0) {
        if (place && !*place) {
            *place = term_fresh(p->t, sort, problem_name(p, "%.*s%s", LG_FMT(in->name), what));
        }
        return place ? *place : term_fresh(p->t, sort, name);
    }
    if (place && !*place) {
        term_sort from[TERM_ARGS_MAX];
        for (uint32_t i = 0; i < in->at_count; i++) {
            from[i] = term_sort_of(p->t, in->at[i]);
        }
        *place = term_func_new(p->t, problem_name(p, "%.*s%s", LG_FMT(in->name), what), from,
                               in->at_count, sort);
    }
    return term_apply(p->t, place ? *place : NULL, in->at, in->at_count);
}

// A map has keys, a list indices below its count. What is named is not among the others.
static term member_present(problem *p, const elements *e, term at)
{
    terms *t = p->t;
    const input_members *m = e->how;
    if (!m->of_map) {
        return term_is_index(t, at, m->count);
    }
    const input *in = input_child(p, m->of, m->label, m->of->name, m->schema, at);
    term present = in ? input_term(p, in, SORT_BOOL, ":here") : term_bool(t, false);
    for (uint32_t i = 0; m->named && i < m->named->count; i++) {
        present = term_and(t, present, term_not(t, term_eq(t, m->named->items[i].key, at)));
    }
    return present;
}

static val member_value(problem *p, const elements *e, term at)
{
    const input_members *m = e->how;
    lg_str name = problem_name(p, "%.*s[]", LG_FMT(m->of->name));
    input *in = input_child(p, m->of, m->label, name, m->schema, at);
    if (in && m->key_field.len) {
        in->key_field = m->key_field;
        in->key = at;
    }
    return *thunk_value(p, input_thunk(in));
}

static const summary *input_summary(problem *p, const input_members *of)
{
    LG_DEBUG_ASSERT(p->forall && of->of);
    terms *t = p->t;
    input_members *how = LG_NEW(p->arena, input_members);
    if (!how) {
        return NULL;
    }
    *how = *of;
    how->count = input_term(p, of->of, SORT_INT, of->of_map ? ":members" : ":count");
    problem_assert(p, term_le(t, term_int(t, 0), how->count));
    const elements *all =
        elements_new(p, (elements){.present = member_present, .value = member_value, .how = how});
    const summary *r = summary_of(p, how->count, all);
    if (r && of->of_map) {
        term at = variable_open(p);
        term some = term_lt(t, term_int(t, 0), how->count);
        problem_assert(p, term_implies(t, all->present(p, all, at), some));
        variable_close(p);
    }
    return r;
}

thunk *input_thunk(input *in)
{
    return in ? &in->thunk : NULL;
}

// --- Variants -----------------------------------------------------------------------------------

// What is returned is only good until the next one is added.
variant *add_variant(problem *p, input *in, variant v)
{
    variant *items = LG_NEW_ARRAY(p->arena, variant, in->variant_count + 1);
    if (!items) {
        return NULL;
    }
    if (in->variant_count) {
        lg_copy_bytes(items, in->variants, in->variant_count * sizeof(*items));
    }
    v.guard = v.guard ? v.guard : term_bool(p->t, true);
    items[in->variant_count++] = v;
    in->variants = items;
    return &items[in->variant_count - 1];
}

input *input_of_map(problem *p, lg_str name, const dict *map)
{
    input *in = input_new(p, name, NULL, 0);
    if (in) {
        in->expanded = add_variant(p, in, (variant){.kind = ALT_MAP, .map = map}) != NULL;
        in->composed = true;
    }
    return in;
}

term input_chosen(problem *p, term which, uint32_t i, uint32_t count)
{
    LG_DEBUG_ASSERT(i < count && (count < 2 || which));
    return count < 2 ? term_bool(p->t, true) : term_eq(p->t, which, term_int(p->t, i));
}

term input_choice(problem *p, const input *in, uint32_t count)
{
    if (count < 2) {
        return NULL;
    }
    term which = input_term(p, in, SORT_INT, "?");
    problem_assert(p, term_le(p->t, term_int(p->t, 0), which));
    problem_assert(p, term_lt(p->t, which, term_int(p->t, count)));
    return which;
}

typedef struct limits {
    double low, high;
    bool has_low, has_high;
    bool above, below; // the limit itself is outside
} limits;

// Takes a bound into account: of two on one side (`minimum`, `exclusiveMinimum`) the narrower counts. A
// bound that no double holds exactly is left out, since rounding would move it.
static void read_limit(const lg_json *schema, const char *keyword, bool low, bool strict, limits *l)
{
    double limit;
    const lg_json *given = lg_json_get(schema, lg_str_c(keyword));
    if (!lg_json_is_number(given) || !lg_json_double(given, &limit) ||
        (given->type != LG_JSON_DOUBLE && fabs(limit) >= (double)EXACT_MAX)) {
        return; // none, or none that a double holds as it is
    }
    bool has = low ? l->has_low : l->has_high;
    double old = low ? l->low : l->high;
    bool narrower = !has || (low ? limit > old : limit < old) || (limit == old && strict);
    if (narrower && low) {
        l->low = limit;
        l->above = strict;
        l->has_low = true;
    } else if (narrower) {
        l->high = limit;
        l->below = strict;
        l->has_high = true;
    }
}

// Bounds that no number meets are not asserted: the value may be of another type, or absent, and a fact that
// contradicts itself would make every question about the record unsatisfiable, and so everything provable.
static bool can_be_met(const limits *l, bool integer)
{
    double low = l->low;
    double high = l->high;
    if (!l->has_low || !l->has_high) {
        return true;
    }
    if (integer) {
        low = l->above ? floor(low) + 1 : ceil(low);
        high = l->below ? ceil(high) - 1 : floor(high);
    }
    return low < high || (low == high && (integer || !(l->above || l->below)));
}

// A whole number beyond this may be another than its double.
static bool is_exact(double limit)
{
    return fabs(limit) < (double)EXACT_MAX;
}

static void limit_number(problem *p, const lg_json *schema, term number, bool integer)
{
    LG_DEBUG_ASSERT(term_has_sort(p->t, number, SORT_REAL));
    terms *t = p->t;
    limits l = {.low = 0};
    read_limit(schema, "minimum", true, false, &l);
    read_limit(schema, "exclusiveMinimum", true, true, &l);
    read_limit(schema, "maximum", false, false, &l);
    read_limit(schema, "exclusiveMaximum", false, true, &l);
    if (!can_be_met(&l, integer)) {
        return;
    }
    if (l.has_low) {
        term low = term_real(t, l.low);
        bool strict = l.above && is_exact(l.low);
        problem_assert(p, strict ? term_lt(t, low, number) : term_le(t, low, number));
    }
    if (l.has_high) {
        term high = term_real(t, l.high);
        bool strict = l.below && is_exact(l.high);
        problem_assert(p, strict ? term_lt(t, number, high) : term_le(t, number, high));
    }
}

static bool has_limit_within(const lg_json *schema, const char *keyword)
{
    double limit;
    const lg_json *given = lg_json_get(schema, lg_str_c(keyword));
    return lg_json_is_number(given) && lg_json_double(given, &limit) &&
           fabs(limit) < (double)EXACT_MAX;
}

// Both bounds within 2^53: then the number is a double, and one alternative less is carried along.
static bool limits_exclude_large(const lg_json *schema)
{
    bool below =
        has_limit_within(schema, "minimum") || has_limit_within(schema, "exclusiveMinimum");
    bool above =
        has_limit_within(schema, "maximum") || has_limit_within(schema, "exclusiveMaximum");
    return below && above;
}

// A number is a double to expressions, but an integer beyond 2^53 that is written without a fraction stays
// an integer, or is an error. Unless the schema's bounds exclude it, `large` says which of both it is.
static variant number_variant(problem *p, const input *in, bool integer)
{
    variant v = {.kind = ALT_DOUBLE};
    if (integer) {
        v.whole = input_term(p, in, SORT_INT, "");
        v.t = term_to_real(p->t, v.whole);
    } else {
        v.t = input_term(p, in, SORT_REAL, "");
    }
    limit_number(p, in->schema, v.t, integer);
    // A constant of its own: that it is beyond 2^53 is asserted whether or not it is the one, and the double may
    // well be small.
    if (!limits_exclude_large(in->schema) && !term_is_true(p->t, problem_idealised(p))) {
        v.large = input_term(p, in, SORT_BOOL, ":large");
        v.integer = input_term(p, in, SORT_INT, ":integer");
        limit_number(p, in->schema, term_to_real(p->t, v.integer), true);
        problem_assert(p, term_implies(p->t, problem_idealised(p), term_not(p->t, v.large)));
        problem_assert(p, term_not(p->t, number_is_exact(p, v.integer)));
    }
    return v;
}

static int64_t bound_of(const lg_json *schema, const char *keyword, int64_t otherwise)
{
    int64_t limit;
    const lg_json *given = lg_json_get(schema, lg_str_c(keyword));
    return lg_json_is_number(given) && lg_json_int(given, &limit) ? limit : otherwise;
}

// A case whose text does not fit its pattern cannot be executed. Only the few numbers that stand for literals
// can go wrong: a text for any other number is made when the model is read.
static void note_patterned(problem *p, const input *in, term text)
{
    if (!p->explicit_only || !lg_json_get(in->schema, LG_STR("pattern"))) {
        return;
    }
    patterned *items = lg_arena_grow(p->arena, p->patterned, p->patterned_count,
                                     &p->patterned_capacity, sizeof(*items));
    if (items) {
        p->patterned = items;
        items[p->patterned_count++] = (patterned){.text = text, .schema = in->schema};
    }
}

// Texts are numbers to Z3, so of lengths and patterns one thing is followed: whether the text may be empty.
// Where the text is the key that its record repeats, not even that: the key is also looked up where no
// record is, and a fact about it would hold there, too.
static variant text_variant(problem *p, const input *in)
{
    variant v = {.kind = ALT_TEXT};
    v.t = in->same_as ? in->same_as : input_term(p, in, SORT_TEXT, ":text");
    note_patterned(p, in, v.t);
    if (!in->same_as && bound_of(in->schema, "minLength", 0) > 0) {
        problem_assert(p, term_not(p->t, term_eq(p->t, v.t, term_text(p->t, LG_STR("")))));
    }
    return v;
}

// --- Lists --------------------------------------------------------------------------------------

void elements_in_order(problem *p, const seq *list)
{
    LG_DEBUG_ASSERT(list->prefix);
    for (uint32_t i = 0; i + 1 < list->count; i++) {
        problem_assert(p, term_implies(p->t, list->items[i + 1].present, list->items[i].present));
    }
    if (list->summary && list->count) {
        term more = term_lt(p->t, term_int(p->t, 0), list->summary->count);
        problem_assert(p, term_implies(p->t, more, list->items[list->count - 1].present));
    }
}

// The schema of every element. NULL: they may be anything, or differ: `prefixItems` gives each position a
// schema of its own, and the generic element stands for all positions.
static const lg_json *items_of(const lg_json *schema)
{
    return lg_json_get(schema, LG_STR("prefixItems")) ? NULL : lg_json_get(schema, LG_STR("items"));
}

// False if no list has as many.
static bool sizes_of(const lg_json *schema, int64_t *ret_least, int64_t *ret_most)
{
    *ret_least = bound_of(schema, "minItems", 0);
    *ret_most = bound_of(schema, "maxItems", -1);
    return *ret_most < 0 || *ret_least <= *ret_most;
}

static void limit_list(problem *p, const lg_json *schema, const seq *list)
{
    LG_DEBUG_ASSERT(list->summary);
    int64_t least, most;
    if (!sizes_of(schema, &least, &most)) {
        return;
    }
    if (least > 0 && list->count) {
        uint32_t last = least < list->count ? (uint32_t)least - 1 : list->count - 1;
        problem_assert(p, list->items[last].present);
    }
    if (least > list->count) {
        problem_assert(p, term_le(p->t, term_int(p->t, least - list->count), list->summary->count));
    }
    if (most >= 0 && most < list->count) {
        problem_assert(p, term_not(p->t, list->items[most].present));
    } else if (most >= 0) {
        problem_assert(p, term_le(p->t, list->summary->count, term_int(p->t, most - list->count)));
    }
}

static const seq *whole_list_of(problem *p, const input *in, const lg_json *item)
{
    LG_DEBUG_ASSERT(p->forall);
    terms *t = p->t;
    seq *list = LG_NEW(p->arena, seq);
    const input_members of = {.of = in, .label = LG_STR("[]"), .schema = item};
    const summary *all = input_summary(p, &of);
    if (!list || !all) {
        return NULL;
    }
    *list = (seq){.summary = all, .prefix = true, .of_call = in->of_call};
    int64_t least, most;
    bool met = sizes_of(in->schema, &least, &most);
    if (met && least > 0) {
        problem_assert(p, term_le(t, term_int(t, least), all->count));
    }
    if (met && most >= 0) {
        problem_assert(p, term_le(t, all->count, term_int(t, most)));
    }
    return list;
}

// `width` explicit elements, each present only if the one before it is, and a summary of all others.
static const seq *list_of(problem *p, const input *in)
{
    const lg_json *item = items_of(in->schema);
    if (p->forall) {
        return whole_list_of(p, in, item);
    }
    seq *list = LG_NEW(p->arena, seq);
    element *items = LG_NEW_ARRAY(p->arena, element, p->width + 1);
    if (!list || !items) {
        return NULL;
    }
    for (uint32_t i = 0; i < p->width; i++) {
        lg_str name = problem_name(p, "%.*s[%u]", LG_FMT(in->name), i);
        items[i].present = term_fresh(p->t, SORT_BOOL, problem_name(p, "%.*s:here", LG_FMT(name)));
        items[i].value = input_thunk(input_part(p, in, name, item));
    }
    lg_str generic = problem_name(p, "%.*s[*]", LG_FMT(in->name));
    *list = (seq){.items = items, .count = p->width, .prefix = true, .of_call = in->of_call};
    list->summary =
        summary_new(p, generic, input_thunk(input_part(p, in, generic, item)), NULL, true);
    if (!list->summary) {
        return NULL;
    }
    elements_in_order(p, list);
    limit_list(p, in->schema, list);
    return list;
}

// --- Objects ------------------------------------------------------------------------------------

// A required member is there in every case; of any other a constant says whether it is.
static bool is_required(const lg_json *schema, lg_str name)
{
    const lg_json *required = lg_json_get(schema, LG_STR("required"));
    for (size_t i = 0; i < lg_json_len(required); i++) {
        if (lg_str_eq(lg_json_str(lg_json_item(required, i)), name)) {
            return true;
        }
    }
    return false;
}

// A record that repeats its key (`orders.*` has `order_id`) has that very key there: what is looked up by
// the field is found.
static entry named_entry(problem *p, const input *in, lg_str key, const lg_json *schema,
                         bool present, uint32_t family)
{
    lg_str name = problem_name(p, "%.*s.%.*s", LG_FMT(in->name), LG_FMT(key));
    input *child =
        input_child(p, in, lg_arena_printf(p->arena, ".%.*s", LG_FMT(key)), name, schema, NULL);
    entry made = {.present = term_bool(p->t, true),
                  .key = term_text(p->t, key),
                  .family = family,
                  .value = input_thunk(child)};
    bool is_key = in->key && lg_str_eq(in->key_field, key);
    if (is_key && child) {
        child->same_as = in->key;
    }
    if (!present && !is_key && child) {
        made.present = input_term(p, child, SORT_BOOL, ":here");
    }
    return made;
}

// Entries whose keys are not known, different from each other and from the `named` before them. Which record
// stands in which entry means nothing, so an entry is only present if the one before it is: of all ways to
// write down one map the solver sees one.
static void open_entries(problem *p, const input *in, const lg_json *schema, entry *items,
                         uint32_t named, uint32_t family, lg_str key_field)
{
    LG_DEBUG_ASSERT(!p->forall);
    terms *t = p->t;
    for (uint32_t i = named; i < named + p->width; i++) {
        lg_str name = problem_name(p, "%.*s[k%u]", LG_FMT(in->name), i - named);
        input *child = input_part(p, in, name, schema);
        items[i] =
            (entry){.present = term_fresh(t, SORT_BOOL, problem_name(p, "%.*s:here", LG_FMT(name))),
                    .key = term_fresh(t, SORT_TEXT, problem_name(p, "%.*s:key", LG_FMT(name))),
                    .family = family,
                    .value = input_thunk(child)};
        if (child && key_field.len) {
            child->key_field = key_field;
            child->key = items[i].key;
        }
        for (uint32_t k = 0; k < i; k++) {
            problem_assert(p, term_not(t, term_eq(t, items[k].key, items[i].key)));
        }
        if (i > named) {
            problem_assert(p, term_implies(t, items[i].present, items[i - 1].present));
        }
    }
}

// The summary of all members that `map` does not hold explicitly: the key of its generic one is none of
// theirs. `explicit`: the last entries of `map` are such members, too, and are used up first, so that a small
// map has no summary.
static const summary *summary_of_others(problem *p, const input *in, const lg_json *schema,
                                        const dict *map, bool explicit)
{
    LG_DEBUG_ASSERT(!explicit || map->count > 0);
    terms *t = p->t;
    lg_str name = problem_name(p, "%.*s[*]", LG_FMT(in->name));
    term key = term_fresh(t, SORT_TEXT, problem_name(p, "%.*s:key", LG_FMT(name)));
    input *child = input_part(p, in, name, schema);
    summary *r = (summary *)(uintptr_t)summary_new(p, name, input_thunk(child), key, true);
    if (!r || !child) {
        return NULL;
    }
    r->without_entries = !explicit;
    term other = term_bool(t, true);
    for (uint32_t i = 0; i < map->count; i++) {
        other = term_and(t, other, term_not(t, term_eq(t, map->items[i].key, key)));
    }
    problem_assert(p, other);
    if (explicit) {
        term more = term_lt(t, term_int(t, 0), r->count);
        problem_assert(p, term_implies(t, more, map->items[map->count - 1].present));
    }
    return r;
}

// The members that a schema does not name.
typedef struct others {
    bool any;              // there may be some
    bool expected;         // the author says so: cases have some
    const lg_json *schema; // of all of them; NULL: anything
} others;

// `patternProperties` is not followed: members that it names may be there, and may be anything.
static others others_of(const input *in)
{
    const lg_json *named = lg_json_get(in->schema, LG_STR("properties"));
    const lg_json *more = lg_json_get(in->schema, LG_STR("additionalProperties"));
    bool patterns = lg_json_get(in->schema, LG_STR("patternProperties")) != NULL;
    if (!more) {
        return (others){.any = !named || !in->named_only || patterns,
                        .expected = !named || patterns};
    }
    bool refused = lg_json_is(more, LG_JSON_BOOL) && !more->as.boolean;
    return (others){
        .any = !refused || patterns, .expected = true, .schema = patterns ? NULL : more};
}

static const dict *object_of(problem *p, const input *in)
{
    const lg_json *properties = lg_json_get(in->schema, LG_STR("properties"));
    others more = others_of(in);
    uint32_t named = (uint32_t)lg_json_len(properties);
    uint32_t family = ++p->next_id;
    dict *map = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, named + p->width + 1);
    if (!map || !items) {
        return NULL;
    }
    for (uint32_t i = 0; i < named; i++) {
        const lg_json_member *member = lg_json_member_at(properties, i);
        lg_str key = lg_json_key(member);
        items[i] = named_entry(p, in, key, &member->value, is_required(in->schema, key), family);
    }
    *map = (dict){.items = items, .count = named, .of_call = in->of_call};
    if (more.any && p->forall) {
        dict *known = LG_NEW(p->arena, dict);
        if (!known) {
            return NULL;
        }
        *known = *map;
        const input_members of = {
            .of = in, .label = LG_STR("{}"), .schema = more.schema, .of_map = true, .named = known};
        map->summary = input_summary(p, &of);
        return map->summary ? map : NULL;
    }
    if (more.any && more.expected) {
        open_entries(p, in, more.schema, items, named, family, LG_STR(""));
        map->count = named + p->width;
    }
    if (more.any && (more.expected || !p->explicit_only)) {
        map->summary = summary_of_others(p, in, more.schema, map, more.expected);
        if (!map->summary) {
            return NULL;
        }
    }
    if (bound_of(in->schema, "minProperties", 0) > 0 && named == 0 && map->count) {
        problem_assert(p, items[0].present);
    }
    return map;
}

// --- From a schema ------------------------------------------------------------------------------

static const struct {
    const char *name;
    alt_kind kind;
    bool integer;
} json_types[] = {
    {"null", ALT_NULL, false},     {"boolean", ALT_BOOL, false}, {"number", ALT_DOUBLE, false},
    {"integer", ALT_DOUBLE, true}, {"string", ALT_TEXT, false},  {"array", ALT_LIST, false},
    {"object", ALT_MAP, false},
};

typedef struct kinds {
    alt_kind items[KINDS_MAX];
    bool integer[KINDS_MAX];
    uint32_t count;
} kinds;

// Of "number" and "integer" together the wider counts.
static void add_kind(kinds *k, alt_kind kind, bool integer)
{
    for (uint32_t i = 0; i < k->count; i++) {
        if (k->items[i] == kind) {
            k->integer[i] = k->integer[i] && integer;
            return;
        }
    }
    if (k->count < KINDS_MAX) {
        k->integer[k->count] = integer;
        k->items[k->count++] = kind;
    }
}

bool kind_of_json_type(lg_str name, alt_kind *ret, bool *ret_integer)
{
    for (size_t i = 0; i < LG_COUNT(json_types); i++) {
        if (lg_str_eq(name, lg_str_c(json_types[i].name))) {
            *ret = json_types[i].kind;
            *ret_integer = json_types[i].integer;
            return true;
        }
    }
    return false;
}

// Types that are listed twice are one kind. A name that is no type is left out: the pack's own check has
// refused it.
static void add_type(kinds *k, lg_str name)
{
    alt_kind kind;
    bool integer;
    if (kind_of_json_type(name, &kind, &integer)) {
        add_kind(k, kind, integer);
    }
}

// No type at all means any.
static kinds kinds_of(const lg_json *schema)
{
    kinds k = {.count = 0};
    const lg_json *type = lg_json_get(schema, LG_STR("type"));
    if (lg_json_is(type, LG_JSON_STRING)) {
        add_type(&k, lg_json_str(type));
    }
    for (size_t i = 0; i < lg_json_len(type); i++) {
        add_type(&k, lg_json_str(lg_json_item(type, i)));
    }
    if (lg_json_is_true(lg_json_get(schema, LG_STR("nullable"))) && k.count) {
        add_kind(&k, ALT_NULL, false);
    }
    bool any = k.count == 0;
    for (size_t i = 0; any && i < LG_COUNT(json_types); i++) {
        add_kind(&k, json_types[i].kind, false);
    }
    return k;
}

// The kinds of both schemas that hold, or of the first, if they have none in common: a schema that nothing
// meets must not make every question unsatisfiable.
static kinds common_kinds(kinds a, kinds b)
{
    kinds both = {.count = 0};
    for (uint32_t i = 0; i < a.count; i++) {
        for (uint32_t k = 0; k < b.count; k++) {
            if (a.items[i] == b.items[k]) {
                add_kind(&both, a.items[i], a.integer[i] || b.integer[k]);
            }
        }
    }
    return both.count ? both : a;
}

static void add_kind_variant(problem *p, input *in, alt_kind kind, bool integer, term guard)
{
    LG_DEBUG_ASSERT(kind == ALT_NULL || kind == ALT_BOOL || kind == ALT_DOUBLE ||
                    kind == ALT_TEXT || kind == ALT_LIST || kind == ALT_MAP);
    variant v = {.kind = kind};
    if (kind == ALT_BOOL) {
        v.t = input_term(p, in, SORT_BOOL, "");
    } else if (kind == ALT_DOUBLE) {
        v = number_variant(p, in, integer);
    } else if (kind == ALT_TEXT) {
        v = text_variant(p, in);
    } else if (kind == ALT_LIST) {
        v.list = list_of(p, in);
        v.kind = v.list ? ALT_LIST : ALT_NULL;
    } else if (kind == ALT_MAP) {
        v.map = object_of(p, in);
        v.kind = v.map ? ALT_MAP : ALT_NULL;
    }
    v.guard = guard;
    add_variant(p, in, v);
}

// One of the values that `enum` or `const` lists. Texts are one constant that equals one of them.
static void make_listed(problem *p, input *in, const lg_json *const *listed, uint32_t count)
{
    bool texts = true;
    for (uint32_t i = 0; i < count; i++) {
        texts = texts && lg_json_is(listed[i], LG_JSON_STRING);
    }
    if (!texts) {
        term which = in->which = input_choice(p, in, count);
        for (uint32_t i = 0; i < count; i++) {
            add_variant(p, in,
                        (variant){.guard = input_chosen(p, which, i, count), .json = listed[i]});
        }
        return;
    }
    variant v = text_variant(p, in);
    term any = term_bool(p->t, false);
    for (uint32_t i = 0; i < count; i++) {
        any = term_or(p->t, any, term_eq(p->t, v.t, term_text(p->t, lg_json_str(listed[i]))));
    }
    if (!in->same_as) {
        problem_assert(p, any);
    }
    add_variant(p, in, v);
}

// `const` is an `enum` of one.
static bool make_enum(problem *p, input *in)
{
    const lg_json *constant = lg_json_get(in->schema, LG_STR("const"));
    const lg_json *listed = lg_json_get(in->schema, LG_STR("enum"));
    uint32_t count = constant ? 1 : (uint32_t)lg_json_len(listed);
    if (count == 0) {
        return false;
    }
    const lg_json **items = LG_NEW_ARRAY(p->arena, const lg_json *, count);
    for (uint32_t i = 0; items && i < count; i++) {
        items[i] = constant ? constant : lg_json_item(listed, i);
    }
    if (items) {
        make_listed(p, in, items, count);
    }
    return items != NULL;
}

// Does the schema itself say more of a value than its type? Then it is followed, and what it combines
// (`anyOf`, `oneOf`, `allOf`) is left out; else the other way round. Either leaves something out, which is
// wider than the schema and so allowed.
static bool has_details(const lg_json *schema)
{
    return lg_json_get(schema, LG_STR("properties")) || lg_json_get(schema, LG_STR("items")) ||
           lg_json_get(schema, LG_STR("prefixItems"));
}

// One of several schemas, or one of those that all hold: beside the schema itself, of which then only
// the type counts.
static bool make_union(problem *p, input *in)
{
    const lg_json *any = lg_json_get(in->schema, LG_STR("anyOf"));
    any = any ? any : lg_json_get(in->schema, LG_STR("oneOf"));
    const lg_json *all = any ? NULL : lg_json_get(in->schema, LG_STR("allOf"));
    // Of `allOf` one member is followed, the first that says more than a type: the others only narrow it.
    uint32_t count = all ? lg_json_len(all) > 0 : (uint32_t)lg_json_len(any);
    uint32_t first = 0;
    while (all && first + 1 < lg_json_len(all) &&
           !has_details(schema_resolve(p, lg_json_item(all, first)))) {
        first++;
    }
    if (count == 0 || in->depth > DEPTH_MAX || has_details(in->schema)) {
        return false;
    }
    term which = in->which = input_choice(p, in, count);
    for (uint32_t i = 0; i < count; i++) {
        lg_str name = problem_name(p, "%.*s|%u", LG_FMT(in->name), i);
        const lg_json *one = lg_json_item(all ? all : any, first + i);
        input *sub = input_child(p, in, problem_name(p, "|%u", i), name, one, NULL);
        if (sub) {
            sub->also_schema = in->schema;
            sub->same_as = in->same_as;
            sub->key = in->key;
            sub->key_field = in->key_field;
        }
        add_variant(p, in, (variant){.guard = input_chosen(p, which, i, count), .sub = sub});
    }
    return true;
}

static void make_variants(problem *p, input *in)
{
    LG_DEBUG_ASSERT(!in->expanded && in->variant_count == 0);
    in->expanded = true;
    if (make_enum(p, in) || make_union(p, in)) {
        return;
    }
    kinds k = kinds_of(in->schema);
    k = in->also_schema ? common_kinds(k, kinds_of(in->also_schema)) : k;
    term which = in->which = input_choice(p, in, k.count);
    for (uint32_t i = 0; i < k.count; i++) {
        add_kind_variant(p, in, k.items[i], k.integer[i], input_chosen(p, which, i, k.count));
    }
}

val input_value(problem *p, input *in)
{
    if (!in) {
        return value_error(p);
    }
    if (!in->expanded) {
        make_variants(p, in);
    }
    builder b = builder_of(p);
    for (uint32_t i = 0; i < in->variant_count; i++) {
        const variant *v = &in->variants[i];
        if (v->sub) {
            builder_add_value(&b, v->guard, *thunk_value(p, &v->sub->thunk));
        } else if (v->json) {
            builder_add_value(&b, v->guard,
                              in->of_call ? value_of_args(p, v->json) : value_of_json(p, v->json));
        } else {
            if (v->large) {
                LG_DEBUG_ASSERT(v->kind == ALT_DOUBLE && v->integer);
                term large = term_and(p->t, v->guard, v->large);
                builder_add_value(&b, large, stored_large(p, v->integer));
            }
            term plain = v->large ? term_not(p->t, v->large) : term_bool(p->t, true);
            builder_add(&b, term_and(p->t, v->guard, plain),
                        (alt){v->kind, term_bool(p->t, true), v->t, v->list, v->map});
        }
    }
    return builder_done(&b);
}

// --- Places -------------------------------------------------------------------------------------

typedef struct level {
    problem *p;
    const lg_places *places;
    bool of_state;
    input *history;
} level;

static bool lists_null(const lg_json *listed)
{
    for (size_t i = 0; i < lg_json_len(listed); i++) {
        if (lg_json_is(lg_json_item(listed, i), LG_JSON_NULL)) {
            return true;
        }
    }
    return false;
}

bool may_be_absent(const problem *p, const lg_place *place)
{
    const lg_json *schema = schema_resolve(p, place->schema);
    const lg_json *constant = lg_json_get(schema, LG_STR("const"));
    const lg_json *listed = lg_json_get(schema, LG_STR("enum"));
    if ((constant && !lg_json_is(constant, LG_JSON_NULL)) || (listed && !lists_null(listed))) {
        return false;
    }
    kinds k = kinds_of(schema);
    bool null = false;
    for (uint32_t i = 0; i < k.count; i++) {
        null = null || k.items[i] == ALT_NULL;
    }
    return null;
}

// So that a level is made once for all places that begin alike.
bool places_share(const lg_place *a, const lg_place *b, uint32_t depth)
{
    bool share = a->segment_count >= depth && b->segment_count >= depth;
    for (uint32_t i = 0; share && i < depth; i++) {
        share = lg_str_eq(a->segments[i], b->segments[i]);
    }
    return share;
}

bool place_was_seen(const lg_places *places, size_t index, uint32_t depth)
{
    LG_DEBUG_ASSERT(index < places->count);
    for (size_t i = 0; i < index; i++) {
        if (places_share(&places->items[i], &places->items[index], depth + 1)) {
            return true;
        }
    }
    return false;
}

static const dict *level_of(const level *l, lg_str name, const lg_place *first, uint32_t depth);

// What stands below `place` at `depth`: its record, or the next level.
static thunk *below(const level *l, lg_str name, const lg_place *place, uint32_t depth, term key)
{
    problem *p = l->p;
    if (place->segment_count == depth) {
        input *record = input_new(p, name, place->schema, depth);
        if (record && place->record_key.len && key) {
            record->key_field = place->record_key;
            record->key = key;
        }
        return input_thunk(record);
    }
    const dict *map = level_of(l, name, place, depth);
    return map ? input_thunk(input_of_map(p, name, map)) : NULL;
}

// A level of keys is never empty: the ledger makes it when it stores the first record below it.
static void never_empty(problem *p, term present, thunk *s)
{
    const input *in = s ? s->in : NULL;
    if (in && in->expanded && in->variant_count == 1 && in->variants[0].map &&
        in->variants[0].map->count) {
        problem_assert(p, term_implies(p->t, present, in->variants[0].map->items[0].present));
    }
}

// A level of keys (`*`): a few explicit ones, different and taken in their order, and a summary of the others.
static const dict *collection(const level *l, lg_str name, const lg_place *place, uint32_t depth)
{
    LG_DEBUG_ASSERT(!l->p->forall);
    problem *p = l->p;
    terms *t = p->t;
    dict *map = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, p->width + 1);
    input holder = {.name = name, .depth = depth};
    if (!map || !items) {
        return NULL;
    }
    uint32_t family = ++p->next_id;
    open_entries(p, &holder, NULL, items, 0, family, LG_STR(""));
    for (uint32_t i = 0; i < p->width; i++) {
        lg_str record = problem_name(p, "%.*s[k%u]", LG_FMT(name), i);
        items[i].value = below(l, record, place, depth + 1, items[i].key);
        never_empty(p, items[i].present, items[i].value);
    }
    *map = (dict){.items = items, .count = p->width};
    lg_str generic = problem_name(p, "%.*s[*]", LG_FMT(name));
    term key = term_fresh(t, SORT_TEXT, problem_name(p, "%.*s:key", LG_FMT(generic)));
    const summary *made =
        summary_new(p, generic, below(l, generic, place, depth + 1, key), key, true);
    if (!made) {
        return NULL;
    }
    for (uint32_t i = 0; i < p->width; i++) {
        problem_assert(p, term_not(t, term_eq(t, items[i].key, key)));
    }
    term more = term_lt(t, term_int(t, 0), made->count);
    problem_assert(p, term_implies(t, more, items[p->width - 1].present));
    map->summary = made;
    return map;
}

// The level at `depth` of all places that begin as `first` does. As deep as a path is long.
static const dict *level_of(const level *l, lg_str name, const lg_place *first, uint32_t depth)
{
    LG_DEBUG_ASSERT(!first || depth < first->segment_count);
    problem *p = l->p;
    if (first && lg_str_eq(first->segments[depth], LG_STR("*"))) {
        return collection(l, name, first, depth);
    }
    dict *map = LG_NEW(p->arena, dict);
    entry *items = LG_NEW_ARRAY(p->arena, entry, l->places->count + 1);
    if (!map || !items) {
        return NULL;
    }
    uint32_t family = ++p->next_id;
    uint32_t count = 0;
    for (size_t i = 0; i < l->places->count; i++) {
        const lg_place *place = &l->places->items[i];
        if ((first && !places_share(place, first, depth)) || place_was_seen(l->places, i, depth)) {
            continue;
        }
        lg_str key = place->segments[depth];
        lg_str child = problem_name(p, "%.*s.%.*s", LG_FMT(name), LG_FMT(key));
        bool optional =
            place->segment_count == depth + 1 && (!l->of_state || may_be_absent(p, place));
        items[count++] =
            (entry){.present = optional ? term_fresh(p->t, SORT_BOOL,
                                                     problem_name(p, "%.*s:here", LG_FMT(child)))
                                        : term_bool(p->t, true),
                    .key = term_text(p->t, key),
                    .family = family,
                    .value = below(l, child, place, depth + 1, NULL)};
    }
    if (depth == 0 && l->history) {
        items[count++] = (entry){.present = term_bool(p->t, true),
                                 .key = term_text(p->t, LG_STR("history")),
                                 .family = family,
                                 .value = input_thunk(l->history)};
    }
    *map = (dict){.items = items, .count = count};
    return map;
}

// The root is a map of the places' first names. Levels that are names are there from the beginning, records
// of the ledger may be absent, collections have any number of keys.
input *input_of_places(problem *p, const lg_pack *pack, bool of_state, input *history)
{
    level l = {.p = p, .of_state = of_state, .history = history};
    lg_str name = of_state ? LG_STR("state") : LG_STR("ledger");
    l.places = of_state ? &pack->state : &pack->ledger;
    const dict *map = level_of(&l, name, NULL, 0);
    return map ? input_of_map(p, name, map) : NULL;
}
