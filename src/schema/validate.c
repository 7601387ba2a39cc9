// validate.c: walks a node and a value together.
//
// Without a report the walk stops at the first failure; with one it goes on and names every
// failure. Both ways give the same answer: `go` below is all the difference.
//
// Work is bounded three ways: a budget of steps for the whole run, a depth of evaluations, and a
// fixed scratch for marks. Hitting one stops the run, and a stopped run is never valid, whatever
// `not` makes of it on the way out.
//
// Marks say which members or elements have been evaluated. They are kept only below a schema with
// `unevaluatedProperties` or `unevaluatedItems`; everywhere else `seen` is NULL and costs nothing.
#include "schema/names.h"
#include "schema/schema_internal.h"

#include "base/utf8.h"

// Whether to look at the next rule: always with a report, without one only while all is well.
static bool go(const validation *v, bool ok)
{
    return (ok || v->report) && !v->stopped;
}

static spot member_of(const spot *at, const lg_json_member *member)
{
    return (spot){
        .parent = at, .value = &member->value, .key = lg_json_key(member), .index = SPOT_MEMBER};
}

static spot element_of(const spot *at, size_t index)
{
    return (spot){.parent = at, .value = &at->value->as.items[index], .index = index};
}

// --- Marks ----------------------------------------------------------------------------------------

static bool new_marks(validation *v, const node *n, const spot *at, marks *ret)
{
    size_t count = lg_json_len(at->value);
    size_t words = (count + 63) / 64;
    if (words > LG_SCHEMA_MARK_WORDS - v->words_used) {
        return lg_stop(v, n, at, "has too many parts to keep track of under `unevaluated...`");
    }
    *ret = (marks){.bits = v->words + v->words_used, .count = count};
    memset(ret->bits, 0, words * sizeof(uint64_t));
    v->words_used += words;
    return true;
}

static void mark(marks *seen, size_t index)
{
    if (seen) {
        seen->bits[index / 64] |= UINT64_C(1) << (index % 64);
    }
}

static bool is_marked(const marks *seen, size_t index)
{
    return seen->all || (seen->bits[index / 64] >> (index % 64) & 1);
}

static void mark_all(marks *seen)
{
    if (seen) {
        seen->all = true;
    }
}

static void merge_marks(marks *into, const marks *from)
{
    into->all = into->all || from->all;
    for (size_t i = 0; i < (into->count + 63) / 64; i++) {
        into->bits[i] |= from->bits[i];
    }
}

// Evaluates `n` without a report; its marks count only if it holds.
static bool try_eval(validation *v, const node *n, const spot *at, const scope *outer, marks *seen)
{
    lg_schema_report *report = v->report;
    size_t words_used = v->words_used;
    marks own;
    bool track = seen && seen->count;
    v->report = NULL;
    bool ok = !track || new_marks(v, n, at, &own);
    ok = ok && lg_eval(v, n, at, outer, track ? &own : NULL);
    if (ok && track) {
        merge_marks(seen, &own);
    }
    v->words_used = words_used;
    v->report = report;
    return ok && !v->stopped;
}

// --- Type and value -------------------------------------------------------------------------------

uint32_t lg_type_of_value(const lg_json *value)
{
    switch (lg_json_type_of(value)) {
    case LG_JSON_NULL:
        return TYPE_NULL;
    case LG_JSON_BOOL:
        return TYPE_BOOLEAN;
    case LG_JSON_INT:
    case LG_JSON_UINT:
        return TYPE_NUMBER | TYPE_INTEGER;
    case LG_JSON_DOUBLE:
    case LG_JSON_BIGNUM:
        return lg_number_is_integral(value) ? TYPE_NUMBER | TYPE_INTEGER : TYPE_NUMBER;
    case LG_JSON_STRING:
        return TYPE_STRING;
    case LG_JSON_ARRAY:
        return TYPE_ARRAY;
    case LG_JSON_OBJECT:
        return TYPE_OBJECT;
    }
    return 0;
}

static bool check_value(validation *v, const node *n, const spot *at)
{
    const value_rules *rules = n->value;
    bool ok = true;
    if (!lg_spend(v, n, at, rules->cost)) {
        return false;
    }
    if (rules->constant) {
        ok = lg_json_equal(rules->constant, at->value) || lg_report_const(v, n, at);
    }
    if (rules->allowed && go(v, ok)) {
        bool found = false;
        for (size_t i = 0; i < rules->allowed->len && !found; i++) {
            found = lg_json_equal(&rules->allowed->as.items[i], at->value);
        }
        ok = (found || lg_report_enum(v, n, at)) && ok;
    }
    return ok;
}

// --- Numbers --------------------------------------------------------------------------------------

static bool check_bound(validation *v, const node *n, const spot *at, const lg_json *bound,
                        bool holds, const char *keyword, const char *words)
{
    return holds || lg_report_bound(v, n, at, bound, keyword, words);
}

static bool check_number(validation *v, const node *n, const spot *at)
{
    const number_rules *r = n->number;
    // A number of a million digits is compared digit by digit.
    bool ok = !lg_json_is(at->value, LG_JSON_BIGNUM) || lg_spend(v, n, at, at->value->len / 4);
    if (r->minimum && go(v, ok)) {
        bool holds = lg_json_number_cmp(at->value, r->minimum) >= 0;
        ok = check_bound(v, n, at, r->minimum, holds, "minimum", "at least") && ok;
    }
    if (r->maximum && go(v, ok)) {
        bool holds = lg_json_number_cmp(at->value, r->maximum) <= 0;
        ok = check_bound(v, n, at, r->maximum, holds, "maximum", "at most") && ok;
    }
    if (r->above && go(v, ok)) {
        bool holds = lg_json_number_cmp(at->value, r->above) > 0;
        ok = check_bound(v, n, at, r->above, holds, "exclusiveMinimum", "greater than") && ok;
    }
    if (r->below && go(v, ok)) {
        bool holds = lg_json_number_cmp(at->value, r->below) < 0;
        ok = check_bound(v, n, at, r->below, holds, "exclusiveMaximum", "less than") && ok;
    }
    if (r->multiple_of && go(v, ok)) {
        // A number of a million digits is divided digit by digit.
        uint64_t digits = lg_json_is(at->value, LG_JSON_BIGNUM) ? at->value->len : 8;
        bool holds =
            lg_spend(v, n, at, 1 + digits / 8) && lg_number_is_multiple(at->value, r->divisor);
        ok = check_bound(v, n, at, r->multiple_of, holds, "multipleOf", "a multiple of") && ok;
    }
    return ok;
}

// --- Strings --------------------------------------------------------------------------------------

// The name of the size that is wrong, and the words for it.
static const size_words character_words = {"minLength", "maxLength", "character", "characters"};
static const size_words item_words = {"minItems", "maxItems", "item", "items"};
static const size_words member_words = {"minProperties", "maxProperties", "member", "members"};

static bool check_size(validation *v, const node *n, const spot *at, size_range range,
                       uint64_t size, const size_words *words)
{
    return (size >= range.min && size <= range.max) || lg_report_size(v, n, at, range, size, words);
}

static bool check_pattern(validation *v, const node *n, const spot *at, const lg_pattern *pattern)
{
    switch (lg_pattern_match(pattern, &v->patterns, lg_json_str(at->value), &v->steps)) {
    case PATTERN_YES:
        return true;
    case PATTERN_NO:
        return lg_report_pattern(v, n, at, pattern);
    case PATTERN_LIMIT:
        break;
    }
    return lg_stop(v, n, at, "takes too much work to match against its pattern");
}

static bool check_string(validation *v, const node *n, const spot *at)
{
    const string_rules *r = n->string;
    lg_str text = lg_json_str(at->value);
    bool ok = true;
    if (r->length_min || r->length_max != UINT64_MAX) {
        // Below the minimum in bytes is below it in characters, and the other way round above.
        ok = lg_spend(v, n, at, 1 + text.len / 64) &&
             check_size(v, n, at, (size_range){r->length_min, r->length_max}, lg_utf8_count(text),
                        &character_words);
    }
    if (r->pattern && go(v, ok)) {
        ok = check_pattern(v, n, at, r->pattern) && ok;
    }
    if (r->format && go(v, ok)) {
        bool holds = lg_spend(v, n, at, 1 + text.len / 16) && r->format->check(text);
        ok = (holds || lg_report_format(v, n, at, r->format)) && ok;
    }
    return ok;
}

// --- Arrays ---------------------------------------------------------------------------------------

static bool check_element(validation *v, const node *schema, const spot *at, size_t index,
                          const scope *outer)
{
    spot element = element_of(at, index);
    return lg_eval(v, schema, &element, outer, NULL);
}

static bool check_elements(validation *v, const node *n, const spot *at, const scope *outer,
                           marks *seen)
{
    const array_rules *r = n->array;
    size_t count = at->value->len;
    size_t prefix = r->prefix_count < count ? r->prefix_count : count;
    bool ok = true;
    for (size_t i = 0; i < prefix && go(v, ok); i++) {
        ok = check_element(v, r->prefix[i], at, i, outer) && ok;
        mark(seen, i);
    }
    if (!r->rest) {
        return ok;
    }
    mark_all(seen);
    if (r->rest->refuses && count > prefix && go(v, ok)) {
        return lg_report_surplus(v, n, at, prefix, r->rest_keyword);
    }
    for (size_t i = prefix; i < count && !r->rest->trivial && go(v, ok); i++) {
        ok = check_element(v, r->rest, at, i, outer) && ok;
    }
    return ok;
}

static bool check_contains(validation *v, const node *n, const spot *at, const scope *outer,
                           marks *seen)
{
    const array_rules *r = n->array;
    uint64_t found = 0;
    bool all = seen && r->contains_marks;
    for (size_t i = 0; i < at->value->len && !v->stopped; i++) {
        // Without marks to set, the answer may be known before the end.
        if (!all && found >= r->contains_min && r->contains_max == UINT64_MAX) {
            break;
        }
        spot element = element_of(at, i);
        if (try_eval(v, r->contains, &element, outer, NULL)) {
            found++;
            if (all) {
                mark(seen, i);
            }
        }
    }
    return !v->stopped && ((found >= r->contains_min && found <= r->contains_max) ||
                           lg_report_contains(v, n, at, found));
}

static bool check_array(validation *v, const node *n, const spot *at, const scope *outer,
                        marks *seen)
{
    const array_rules *r = n->array;
    bool ok =
        check_size(v, n, at, (size_range){r->items_min, r->items_max}, at->value->len, &item_words);
    if (r->unique && go(v, ok)) {
        ok = lg_check_unique(v, n, at) && ok;
    }
    if ((r->prefix_count || r->rest) && go(v, ok)) {
        ok = check_elements(v, n, at, outer, seen) && ok;
    }
    if (r->contains && go(v, ok)) {
        ok = check_contains(v, n, at, outer, seen) && ok;
    }
    return ok;
}

// --- Objects --------------------------------------------------------------------------------------

static bool check_required(validation *v, const node *n, const spot *at)
{
    const object_rules *r = n->object;
    bool ok = true;
    for (size_t i = 0; i < r->property_count && go(v, ok); i++) {
        const property *p = &r->properties[i];
        if (p->required && !lg_json_get(at->value, p->name)) {
            ok = lg_report_missing(v, n, at, p->name);
        }
    }
    return ok;
}

// All patterns that match `name`; `ret_any` says whether one did.
static bool check_pattern_properties(validation *v, const node *n, const spot *member,
                                     const scope *outer, bool *ret_any)
{
    const object_rules *r = n->object;
    bool ok = true;
    for (size_t i = 0; i < r->pattern_count && go(v, ok); i++) {
        pattern_result hit =
            lg_pattern_match(r->patterns[i].pattern, &v->patterns, member->key, &v->steps);
        if (hit == PATTERN_LIMIT) {
            return lg_stop(v, n, member, "has a name that takes too much work to match");
        }
        if (hit == PATTERN_YES) {
            *ret_any = true;
            ok = lg_eval(v, r->patterns[i].schema, member, outer, NULL) && ok;
        }
    }
    return ok;
}

// One member against `properties`, `patternProperties` and `additionalProperties`.
static bool check_member(validation *v, const node *n, const spot *member, const scope *outer,
                         const property *known, bool *ret_evaluated)
{
    const object_rules *r = n->object;
    bool ok = true;
    bool named = known && known->schema;
    if (named && !known->schema->trivial) {
        ok = lg_eval(v, known->schema, member, outer, NULL);
    }
    if (r->pattern_count && go(v, ok)) {
        ok = check_pattern_properties(v, n, member, outer, &named) && ok;
    }
    if (!named && r->additional && go(v, ok)) {
        named = true;
        ok = r->additional->refuses ? lg_report_unknown(v, n, member, "additionalProperties")
                                    : lg_eval(v, r->additional, member, outer, NULL) && ok;
    }
    *ret_evaluated = named;
    return ok;
}

static bool check_members(validation *v, const node *n, const spot *at, const scope *outer,
                          marks *seen)
{
    const object_rules *r = n->object;
    size_t required = 0;
    const property *guess = r->first;
    bool ok = true;
    for (size_t i = 0; i < at->value->len && go(v, ok); i++) {
        spot member = member_of(at, lg_json_member_at(at->value, i));
        const property *known = lg_names_find(r, member.key, guess);
        bool evaluated = false;
        guess = known ? known->next : guess;
        required += known && known->required ? 1 : 0;
        ok = lg_spend(v, n, at, 1) && check_member(v, n, &member, outer, known, &evaluated) && ok;
        if (evaluated) {
            mark(seen, i);
        }
    }
    if (required < r->required_count && go(v, ok)) {
        ok = check_required(v, n, at) && ok;
    }
    return ok;
}

static bool check_names(validation *v, const node *n, const spot *at, const scope *outer)
{
    bool ok = true;
    for (size_t i = 0; i < at->value->len && go(v, ok); i++) {
        lg_str key = lg_json_key(lg_json_member_at(at->value, i));
        lg_json name = lg_json_make_str(key);
        spot here = {.parent = at, .value = &name, .key = key, .index = SPOT_NAME};
        if (!try_eval(v, n->object->names, &here, outer, NULL)) {
            ok = !v->stopped && lg_report_name(v, n, at, &here, outer);
        }
    }
    return ok;
}

static bool check_dependencies(validation *v, const node *n, const spot *at, const scope *outer,
                               marks *seen)
{
    bool ok = true;
    for (size_t i = 0; i < n->object->dependency_count && go(v, ok); i++) {
        const dependency *d = &n->object->dependencies[i];
        if (!lg_spend(v, n, at, 1) || !lg_json_get(at->value, d->name)) {
            continue;
        }
        if (d->schema) {
            ok = lg_eval(v, d->schema, at, outer, seen) && ok;
        }
        for (size_t j = 0; j < d->required_count && go(v, ok); j++) {
            if (!lg_json_get(at->value, d->required[j])) {
                ok = lg_report_dependent(v, n, at, d, d->required[j]);
            }
        }
    }
    return ok;
}

static bool check_object(validation *v, const node *n, const spot *at, const scope *outer,
                         marks *seen)
{
    const object_rules *r = n->object;
    bool ok = check_size(v, n, at, (size_range){r->members_min, r->members_max}, at->value->len,
                         &member_words);
    if ((r->property_count || r->pattern_count || r->additional) && go(v, ok)) {
        ok = check_members(v, n, at, outer, seen) && ok;
    }
    if (r->names && go(v, ok)) {
        ok = check_names(v, n, at, outer) && ok;
    }
    if (r->dependency_count && go(v, ok)) {
        ok = check_dependencies(v, n, at, outer, seen) && ok;
    }
    return ok;
}

// --- Logic ----------------------------------------------------------------------------------------

// The outermost resource on the way here that declares the anchor, or else the first target.
static const node *resolve_dynamic(validation *v, const node *n, const spot *at, const scope *outer)
{
    const logic_rules *l = n->logic;
    const node *found = l->dynamic_ref;
    for (const scope *s = l->dynamic_name.len ? outer : NULL; s; s = s->parent) {
        for (const dynamic_anchor *a = s->resource->dynamic; a; a = a->next) {
            if (!lg_spend(v, n, at, 1)) {
                return NULL;
            }
            found = lg_str_eq(a->name, l->dynamic_name) ? a->target : found;
        }
    }
    return found;
}

static bool check_any(validation *v, const node *n, const spot *at, const scope *outer, marks *seen)
{
    const node_list *any = &n->logic->any;
    bool found = false;
    // With marks, every alternative that holds adds its own.
    for (size_t i = 0; i < any->count && (!found || seen) && !v->stopped; i++) {
        found = try_eval(v, any->items[i], at, outer, seen) || found;
    }
    return !v->stopped && (found || lg_report_choice(v, n, at, outer, any, "anyOf"));
}

static bool check_one(validation *v, const node *n, const spot *at, const scope *outer, marks *seen)
{
    const node_list *one = &n->logic->one;
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < one->count && !v->stopped; i++) {
        if (!try_eval(v, one->items[i], at, outer, seen)) {
            continue;
        }
        if (first != SIZE_MAX) {
            return lg_report_both(v, n, at, first, i);
        }
        first = i;
    }
    return !v->stopped && (first != SIZE_MAX || lg_report_choice(v, n, at, outer, one, "oneOf"));
}

static bool check_condition(validation *v, const node *n, const spot *at, const scope *outer,
                            marks *seen)
{
    const logic_rules *l = n->logic;
    bool holds = try_eval(v, l->condition, at, outer, seen);
    const node *branch = holds ? l->then_branch : l->else_branch;
    return !v->stopped && (!branch || lg_eval(v, branch, at, outer, seen));
}

static bool check_logic(validation *v, const node *n, const spot *at, const scope *outer,
                        marks *seen)
{
    const logic_rules *l = n->logic;
    bool ok = !l->ref || lg_eval(v, l->ref, at, outer, seen);
    if (l->dynamic_ref && go(v, ok)) {
        const node *target = resolve_dynamic(v, n, at, outer);
        ok = target && lg_eval(v, target, at, outer, seen) && ok;
    }
    for (size_t i = 0; i < l->all.count && go(v, ok); i++) {
        ok = lg_eval(v, l->all.items[i], at, outer, seen) && ok;
    }
    if (l->any.count && go(v, ok)) {
        ok = check_any(v, n, at, outer, seen) && ok;
    }
    if (l->one.count && go(v, ok)) {
        ok = check_one(v, n, at, outer, seen) && ok;
    }
    if (l->negated && go(v, ok)) {
        bool holds = try_eval(v, l->negated, at, outer, NULL);
        ok = !v->stopped && (!holds || lg_report_not(v, n, at)) && ok;
    }
    if (l->condition && go(v, ok)) {
        ok = check_condition(v, n, at, outer, seen) && ok;
    }
    return ok;
}

// --- One evaluation -------------------------------------------------------------------------------

static bool check_unevaluated(validation *v, const node *n, const spot *at, const scope *outer,
                              marks *seen)
{
    bool is_object = lg_json_is(at->value, LG_JSON_OBJECT);
    const node *rule = is_object ? n->object->unevaluated : n->array->unevaluated;
    bool ok = true;
    for (size_t i = 0; i < at->value->len && !seen->all && go(v, ok); i++) {
        if (is_marked(seen, i)) {
            continue;
        }
        spot part = is_object ? member_of(at, lg_json_member_at(at->value, i)) : element_of(at, i);
        if (rule->refuses) {
            ok = is_object ? lg_report_unknown(v, n, &part, "unevaluatedProperties")
                           : lg_report_surplus(v, n, at, i, "unevaluatedItems");
            // One surplus element says it for all that follow.
            if (!is_object) {
                break;
            }
        } else {
            ok = lg_eval(v, rule, &part, outer, NULL) && ok;
        }
    }
    mark_all(seen);
    return ok;
}

// The rules of `n` that look at the whole value or its parts, in the order of their cost.
static bool check_rules(validation *v, const node *n, const spot *at, const scope *outer,
                        marks *seen)
{
    lg_json_type type = lg_json_type_of(at->value);
    // Whether a long number is whole is found out digit by digit, and in each branch anew.
    if (type == LG_JSON_BIGNUM && !lg_spend(v, n, at, at->value->len / 8)) {
        return false;
    }
    bool ok =
        !n->types || (n->types & lg_type_of_value(at->value)) || lg_report_type(v, n, at, n->types);
    if (n->value && go(v, ok)) {
        ok = check_value(v, n, at) && ok;
    }
    if (n->number && lg_json_is_number(at->value) && go(v, ok)) {
        ok = check_number(v, n, at) && ok;
    }
    if (n->string && type == LG_JSON_STRING && go(v, ok)) {
        ok = check_string(v, n, at) && ok;
    }
    if (n->array && type == LG_JSON_ARRAY && go(v, ok)) {
        ok = check_array(v, n, at, outer, seen) && ok;
    }
    if (n->object && type == LG_JSON_OBJECT && go(v, ok)) {
        ok = check_object(v, n, at, outer, seen) && ok;
    }
    if (n->logic && go(v, ok)) {
        ok = check_logic(v, n, at, outer, seen) && ok;
    }
    return ok;
}

// The same with marks of its own, which `unevaluated...` reads and `seen` then inherits.
static bool check_with_marks(validation *v, const node *n, const spot *at, const scope *outer,
                             marks *seen)
{
    size_t words_used = v->words_used;
    marks own;
    if (!new_marks(v, n, at, &own)) {
        return false;
    }
    bool ok = check_rules(v, n, at, outer, &own);
    if (go(v, ok)) {
        ok = check_unevaluated(v, n, at, outer, &own) && ok;
    }
    if (seen) {
        merge_marks(seen, &own);
    }
    v->words_used = words_used;
    return ok;
}

bool lg_eval(validation *v, const node *n, const spot *at, const scope *outer, marks *seen)
{
    if (n->trivial) {
        return true;
    }
    if (n->refuses) {
        return lg_report_false(v, n, at);
    }
    if (!lg_spend(v, n, at, 1)) {
        return false;
    }
    if (v->depth >= LG_SCHEMA_EVAL_DEPTH_MAX) {
        return lg_stop(v, n, at, "is nested too deep for this schema");
    }
    v->depth++;
    scope entered = {outer, n->resource};
    const scope *here = outer && outer->resource == n->resource ? outer : &entered;
    bool unevaluated =
        (n->object && n->object->unevaluated && lg_json_is(at->value, LG_JSON_OBJECT)) ||
        (n->array && n->array->unevaluated && lg_json_is(at->value, LG_JSON_ARRAY));
    bool ok =
        unevaluated ? check_with_marks(v, n, at, here, seen) : check_rules(v, n, at, here, seen);
    v->depth--;
    return ok;
}

// The steps of the schema, or those of the budget if they are fewer.
static inline void begin_run(validation *v, const lg_schema *schema, lg_schema_report *report,
                             const lg_budget *budget)
{
    v->schema = schema;
    v->report = report;
    v->main_report = report;
    v->steps = budget && budget->left < schema->steps ? budget->left : schema->steps;
    v->depth = 0;
    v->stopped = false;
    v->explaining = false;
    v->words_used = 0;
    lg_pattern_run_init(&v->patterns, schema->regex_steps);
}

// Takes what the run has used off the budget.
static inline void end_run(validation *v, lg_budget *budget)
{
    if (budget) {
        bool own = v->schema->steps < budget->left;
        uint64_t given = own ? v->schema->steps : budget->left;
        budget->left -= given - v->steps;
        budget->spent = budget->spent || (!own && v->stopped && v->steps == 0);
    }
}

// Apart from the usual way, so that it costs that no register and no store.
static __attribute__((noinline)) bool validate_fully(validation *v, const lg_schema *schema,
                                                     const lg_json *instance,
                                                     lg_schema_report *report, lg_budget *budget)
{
    begin_run(v, schema, report, budget);
    spot root = {.value = instance, .index = SPOT_MEMBER};
    bool ok = lg_eval(v, schema->root, &root, NULL, NULL);
    lg_pattern_run_done(&v->patterns);
    end_run(v, budget);
    return ok && !v->stopped;
}

bool lg_schema_validate_within(const lg_schema *schema, const lg_json *instance,
                               lg_schema_report *report, lg_budget *budget)
{
    if (!instance) {
        return false;
    }
    if (report) {
        report->count = 0;
        report->dropped = 0;
    }
    validation v; // not zeroed as a whole: the scratch is 40 KiB
    if (schema->quick) {
        begin_run(&v, schema, NULL, budget);
        bool ok = lg_quick_check(&v, instance);
        if (v.patterns.match_data) {
            lg_pattern_run_done(&v.patterns);
        }
        end_run(&v, budget);
        if (lg_budget_is_spent(budget) || (!v.stopped && (ok || !report))) {
            return ok && !v.stopped;
        }
    }
    return validate_fully(&v, schema, instance, report, budget);
}

bool lg_schema_validate(const lg_schema *schema, const lg_json *instance, lg_schema_report *report)
{
    return lg_schema_validate_within(schema, instance, report, NULL);
}
