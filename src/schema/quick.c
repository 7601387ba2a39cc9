// quick.c: whether a value is valid, for schemas of the usual kind, without a word about why not.
//
// Nearly all values are valid, and nearly all schemas are made of types, properties, items, bounds
// and patterns. This walk answers for those: it carries no path, no marks and no scope, and a schema
// that only names a type costs a test of a bit. What it does not know (`unevaluated...`, `contains`,
// `uniqueItems`, `dependent...`, `propertyNames`) it leaves to the walk of validate.c, node by node.
// A value it finds invalid is walked again over there when somebody wants to know why.
//
// It counts steps and depth at least as strictly as validate.c does, and when it hits a bound it
// gives no answer at all. So both always agree; the conformance test compares them on every case.
// (Arguments of real tool calls: 72 ns by validate.c alone, 15 ns so; orders, with what
// linear.c gives: 2.8 us and 0.42 us.)
#include "schema/names.h"
#include "schema/schema_internal.h"

#include "base/utf8.h"

// What is usual in schemas and values: 7 % of the time of a tool call's arguments.
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

static bool check_node(validation *v, const node *n, const lg_json *value);

// What a value is by its type alone.
static const uint8_t json_types[] = {
    [LG_JSON_NULL] = TYPE_NULL,
    [LG_JSON_BOOL] = TYPE_BOOLEAN,
    [LG_JSON_INT] = TYPE_NUMBER | TYPE_INTEGER,
    [LG_JSON_UINT] = TYPE_NUMBER | TYPE_INTEGER,
    [LG_JSON_DOUBLE] = TYPE_NUMBER,
    [LG_JSON_BIGNUM] = TYPE_NUMBER,
    [LG_JSON_STRING] = TYPE_STRING,
    [LG_JSON_ARRAY] = TYPE_ARRAY,
    [LG_JSON_OBJECT] = TYPE_OBJECT,
};

// Only a number that is written with a fraction or exponent needs a look.
static inline bool accepts(const node *n, const lg_json *value)
{
    return LIKELY(n->admits >> value->type & 1) ||
           (json_types[value->type] == TYPE_NUMBER && (n->types & TYPE_INTEGER) &&
            lg_number_is_integral(value));
}

// Evaluating a node costs a step; without steps there is no answer.
static inline bool spend(validation *v, uint64_t steps)
{
    if (UNLIKELY(v->steps < steps)) {
        v->steps = 0;
        v->stopped = true;
        return false;
    }
    v->steps -= steps;
    return true;
}

static inline bool check(validation *v, const node *n, const lg_json *value)
{
    return LIKELY(n->plain) ? accepts(n, value) : check_node(v, n, value);
}

static bool check_again(validation *v, const node *n, const lg_json *value)
{
    return spend(v, 1) && check(v, n, value);
}

// --- Scalars --------------------------------------------------------------------------------------

static bool check_value(validation *v, const value_rules *r, const lg_json *value)
{
    if (!spend(v, r->cost) || (r->constant && !lg_json_equal(r->constant, value))) {
        return false;
    }
    for (size_t i = 0; r->allowed && i < r->allowed->len; i++) {
        const lg_json *item = &r->allowed->as.items[i];
        bool strings = item->type == LG_JSON_STRING && value->type == LG_JSON_STRING;
        if (strings ? lg_str_eq(lg_json_str(item), lg_json_str(value))
                    : lg_json_equal(item, value)) {
            return true;
        }
    }
    return !r->allowed;
}

// A value that a double holds exactly, as most numbers do.
static inline bool exact_double(const lg_json *number, double *ret)
{
    const int64_t most = INT64_C(1) << 53;
    bool small = number->type == LG_JSON_INT && number->as.i64 <= most && number->as.i64 >= -most;
    *ret = small ? (double)number->as.i64 : number->as.f64;
    return small || number->type == LG_JSON_DOUBLE;
}

static inline int compare(const lg_json *a, const lg_json *b)
{
    double x;
    double y;
    if (exact_double(a, &x) && exact_double(b, &y)) {
        return (x > y) - (x < y);
    }
    return lg_json_number_cmp(a, b);
}

static bool check_number(validation *v, const number_rules *r, const lg_json *value)
{
    uint64_t digits = lg_json_is(value, LG_JSON_BIGNUM) ? value->len : 8;
    return (digits <= 8 || spend(v, digits / 4)) &&
           (!r->minimum || compare(value, r->minimum) >= 0) &&
           (!r->maximum || compare(value, r->maximum) <= 0) &&
           (!r->above || compare(value, r->above) > 0) &&
           (!r->below || compare(value, r->below) < 0) &&
           (!r->multiple_of ||
            (spend(v, 1 + digits / 8) && lg_number_is_multiple(value, r->divisor)));
}

static bool check_pattern(validation *v, const lg_pattern *pattern, lg_str text)
{
    pattern_result result = lg_pattern_match(pattern, &v->patterns, text, &v->steps);
    v->stopped = v->stopped || result == PATTERN_LIMIT;
    return result == PATTERN_YES;
}

static bool check_string(validation *v, const string_rules *r, lg_str text)
{
    if (r->length_min || r->length_max != UINT64_MAX) {
        if (!spend(v, 1 + text.len / 64)) {
            return false;
        }
        // A character has one to four bytes: most lengths are clear without counting.
        bool clear = text.len / 4 >= r->length_min && text.len <= r->length_max;
        size_t count = clear ? 0 : lg_utf8_count(text);
        if (!clear && (count < r->length_min || count > r->length_max)) {
            return false;
        }
    }
    return (!r->pattern || check_pattern(v, r->pattern, text)) &&
           (!r->format || (spend(v, 1 + text.len / 16) && r->format->check(text)));
}

// --- Containers -----------------------------------------------------------------------------------

static bool check_array(validation *v, const array_rules *r, const lg_json *value)
{
    size_t count = value->len;
    if (count < r->items_min || count > r->items_max || !spend(v, count)) {
        return false;
    }
    size_t prefix = r->prefix_count < count ? r->prefix_count : count;
    for (size_t i = 0; i < prefix; i++) {
        if (!check(v, r->prefix[i], &value->as.items[i])) {
            return false;
        }
    }
    for (size_t i = prefix; r->rest && i < count; i++) {
        if (!check(v, r->rest, &value->as.items[i])) {
            return false;
        }
    }
    return true;
}

// `ret_named` becomes true if a pattern matches the name.
static bool check_patterns(validation *v, const object_rules *r, const lg_json_member *member,
                           bool *ret_named)
{
    for (size_t i = 0; i < r->pattern_count; i++) {
        bool hit = check_pattern(v, r->patterns[i].pattern, lg_json_key(member));
        if (v->stopped || (hit && !check_again(v, r->patterns[i].schema, &member->value))) {
            return false;
        }
        *ret_named = *ret_named || hit;
    }
    return true;
}

// A member that its name and its type alone do not make valid. `known` may be NULL.
static bool check_member(validation *v, const object_rules *r, const property *known,
                         const lg_json_member *member)
{
    bool named = known && known->schema;
    if (named && UNLIKELY(!check(v, known->schema, &member->value))) {
        return false;
    }
    if (UNLIKELY(r->pattern_count) && !check_patterns(v, r, member, &named)) {
        return false;
    }
    return named || !r->additional || check(v, r->additional, &member->value);
}

static bool check_members(validation *v, const object_rules *r, const lg_json *value)
{
    size_t required = 0;
    const property *guess = r->first;
    for (size_t i = 0; i < value->len; i++) {
        const lg_json_member *member = lg_json_member_at(value, i);
        const property *known = lg_names_find(r, lg_json_key(member), guess);
        uint32_t enough = 0;
        if (LIKELY(known != NULL)) {
            guess = known->next;
            required += known->required;
            enough = known->enough;
        }
        if (!(enough >> member->value.type & 1) && UNLIKELY(!check_member(v, r, known, member))) {
            return false;
        }
    }
    return required == r->required_count;
}

static bool check_object(validation *v, const object_rules *r, const lg_json *value)
{
    size_t count = value->len;
    if (count < r->members_min || count > r->members_max) {
        return false;
    }
    if (r->property_count || r->pattern_count || r->additional) {
        // One step for the name and one for the value of each.
        return spend(v, 2 * count) && check_members(v, r, value);
    }
    return true;
}

// --- Logic ----------------------------------------------------------------------------------------

static size_t count_valid(validation *v, const node_list *list, const lg_json *value, size_t enough)
{
    size_t found = 0;
    for (size_t i = 0; i < list->count && found < enough && !v->stopped; i++) {
        found += check_again(v, list->items[i], value);
    }
    return found;
}

static bool check_condition(validation *v, const logic_rules *l, const lg_json *value)
{
    bool holds = check_again(v, l->condition, value);
    const node *branch = holds ? l->then_branch : l->else_branch;
    return !v->stopped && (!branch || check_again(v, branch, value));
}

static bool check_logic(validation *v, const logic_rules *l, const lg_json *value)
{
    if (l->ref && !check_again(v, l->ref, value)) {
        return false;
    }
    for (size_t i = 0; i < l->all.count; i++) {
        if (!check_again(v, l->all.items[i], value)) {
            return false;
        }
    }
    if ((l->any.count && count_valid(v, &l->any, value, 1) != 1) ||
        (l->one.count && count_valid(v, &l->one, value, 2) != 1) || v->stopped) {
        return false;
    }
    if (l->negated && (check_again(v, l->negated, value) || v->stopped)) {
        return false;
    }
    return !l->condition || check_condition(v, l, value);
}

// --- One node -------------------------------------------------------------------------------------

static inline __attribute__((always_inline)) bool check_rules(validation *v, const node *n,
                                                              const lg_json *value)
{
    if (!accepts(n, value) || (n->value && !check_value(v, n->value, value))) {
        return false;
    }
    bool ok = true;
    if (value->type == LG_JSON_OBJECT) {
        ok = !n->object || check_object(v, n->object, value);
    } else if (value->type == LG_JSON_ARRAY) {
        ok = !n->array || check_array(v, n->array, value);
    } else if (value->type == LG_JSON_STRING) {
        ok = !n->string || check_string(v, n->string, lg_json_str(value));
    } else if (n->number && lg_json_is_number(value)) {
        ok = check_number(v, n->number, value);
    }
    return ok && (!n->logic || check_logic(v, n->logic, value));
}

// A function of its own, so that not every node takes (and guards) the stack of a spot.
static __attribute__((noinline)) bool check_involved(validation *v, const node *n,
                                                     const lg_json *value)
{
    spot at = {.value = value, .index = SPOT_MEMBER};
    return lg_eval(v, n, &at, NULL, NULL);
}

static bool check_odd(validation *v, const node *n, const lg_json *value)
{
    if (n->involved) {
        return check_involved(v, n, value);
    }
    v->depth++; // a reference: as deep as over there
    bool ok = v->depth < LG_SCHEMA_EVAL_DEPTH_MAX && check_again(v, n->logic->ref, value);
    v->stopped = v->stopped || v->depth >= LG_SCHEMA_EVAL_DEPTH_MAX;
    v->depth--;
    return ok;
}

static bool check_node(validation *v, const node *n, const lg_json *value)
{
    if (UNLIKELY(n->involved || n->forwards)) {
        return check_odd(v, n, value);
    }
    // One level earlier than over there, since plain nodes do not look.
    if (UNLIKELY(v->depth + 1 >= LG_SCHEMA_EVAL_DEPTH_MAX)) {
        v->stopped = true;
        return false;
    }
    v->depth++;
    bool ok = check_rules(v, n, value);
    v->depth--;
    return ok;
}

bool lg_quick_check(validation *v, const lg_json *value)
{
    return spend(v, 1) && check(v, v->schema->root, value);
}

// --- Preparation ----------------------------------------------------------------------------------

static bool is_plain(const node *n)
{
    return !n->value && !n->number && !n->string && !n->array && !n->object && !n->logic;
}

// The types, a bit for each lg_json_type, that the types of `n` allow.
static uint16_t admitted(const node *n)
{
    uint32_t types = n->refuses ? 0 : n->types ? n->types : (uint32_t)TYPE_ANY;
    uint32_t admits = 0;
    for (uint32_t type = 0; type <= LG_JSON_OBJECT; type++) {
        admits |= (uint32_t)((types & json_types[type]) != 0) << type;
    }
    return (uint16_t)admits;
}

// Those whose values are valid as this property by that alone.
static uint16_t enough_types(const object_rules *o, const property *p)
{
    return !o->pattern_count && p->schema && is_plain(p->schema) ? admitted(p->schema) : 0;
}

static bool only_refers(const node *n)
{
    const logic_rules *l = n->logic;
    return l && l->ref && !l->all.count && !l->any.count && !l->one.count && !l->negated &&
           !l->condition && !n->types && !n->value && !n->number && !n->string && !n->array &&
           !n->object;
}

bool lg_quick_prepare(lg_arena *arena, node *n)
{
    const array_rules *a = n->array;
    object_rules *o = n->object;
    n->involved = (a && (a->contains || a->unique || a->unevaluated)) ||
                  (o && (o->names || o->dependency_count || o->unevaluated));
    n->admits = admitted(n);
    n->plain = is_plain(n);
    n->forwards = only_refers(n);
    if (!o || o->slots) {
        return true;
    }
    property *made;
    if (!lg_names_prepare(arena, o, lg_json_get(n->source, LG_STR("properties")), &made)) {
        return false;
    }
    for (size_t i = 0; i < o->property_count; i++) {
        made[i].enough = enough_types(o, &made[i]);
    }
    return true;
}
