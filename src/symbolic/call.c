// call.c: functions. Those of sizes and numbers are translated; those of texts and times are looked
// up in the evaluator where their arguments are literals (funs.h).
#include "symbolic/forall.h"
#include "symbolic/funs.h"

#include <stdio.h>

static alt alt_of(prover *p, alt_kind kind, term t)
{
    return (alt){.kind = kind, .guard = term_bool(p->t, true), .t = t};
}

// --- Templates ----------------------------------------------------------------------------------

// An expression over texts as a function: what is constant stays in it, what is not becomes x0, x1.
typedef struct template
{
    const reading *r;
    lg_buf source;
    val holes[FUN_ARGS_MAX];
    uint32_t count;
    bool failed;
}
template;

static bool is_evaluated(lg_str name)
{
    static const char *const names[] = {
        "bool",       "charAt",          "contains",     "duration",     "endsWith",
        "getDate",    "getDayOfMonth",   "getDayOfWeek", "getDayOfYear", "getFullYear",
        "getHours",   "getMilliseconds", "getMinutes",   "getMonth",     "getSeconds",
        "indexOf",    "lastIndexOf",     "lowerAscii",   "matches",      "replace",
        "startsWith", "string",          "substring",    "timestamp",    "trim",
        "upperAscii", "math.ceil",       "math.floor",   "math.sign",    "math.sqrt",
        "math.trunc", "decimal"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        if (lg_str_eq(name, lg_str_c(names[i]))) {
            return true;
        }
    }
    return false;
}

static bool kind_is(const lg_cel_node *node, lg_cel_kind kind)
{
    return node->type && node->type->kind == kind && !node->type->nullable;
}

// A function of more than one type, where the argument says which is meant.
static bool is_text_call(const lg_cel_node *node, lg_str name)
{
    const lg_cel_node *first = node->as.call.target  ? node->as.call.target
                               : node->as.call.count ? node->as.call.args[0]
                                                     : NULL;
    bool ambiguous = lg_str_eq(name, LG_STR("int")) || lg_str_eq(name, LG_STR("double")) ||
                     lg_str_eq(name, LG_STR("size"));
    return ambiguous && first && kind_is(first, LG_CEL_STRING);
}

static lg_str name_of(const lg_cel_node *node)
{
    return node->as.call.name;
}

static void print_hole(template *t, const lg_cel_node *node)
{
    if (t->count == FUN_ARGS_MAX) {
        t->failed = true;
        return;
    }
    lg_buf_addf(&t->source, "x%u", t->count);
    t->holes[t->count++] = read_node(t->r, node);
}

static void print_constant(template *t, const lg_cel_node *node)
{
    lg_cel_value v = node->as.constant;
    if (v.kind == LG_CEL_STRING) {
        lg_json_print_str(&t->source, lg_cel_str(v));
    } else if (v.kind == LG_CEL_DOUBLE) {
        lg_buf_add_c(&t->source, "(");
        lg_json_print_double(&t->source, v.as.f64);
        lg_buf_add_c(&t->source, ")");
    } else if (v.kind == LG_CEL_INT) {
        lg_buf_addf(&t->source, "(%lld)", (long long)v.as.i64);
    } else if (v.kind == LG_CEL_BOOL) {
        lg_buf_add_c(&t->source, v.as.boolean ? "true" : "false");
    } else {
        t->failed = true;
    }
}

static void print_node(template *t, const lg_cel_node *node);

static void print_call(template *t, const lg_cel_node *node)
{
    if (node->as.call.target) {
        lg_buf_add_c(&t->source, "(");
        print_node(t, node->as.call.target);
        lg_buf_add_c(&t->source, ").");
    }
    lg_buf_add(&t->source, name_of(node));
    lg_buf_add_c(&t->source, "(");
    for (uint32_t i = 0; i < node->as.call.count; i++) {
        lg_buf_add_c(&t->source, i ? ", " : "");
        print_node(t, node->as.call.args[i]);
    }
    lg_buf_add_c(&t->source, ")");
}

// As deep as the expression.
static void print_node(template *t, const lg_cel_node *node)
{
    if (node->kind == LG_NODE_CONST) {
        print_constant(t, node);
    } else if (node->kind == LG_NODE_CALL &&
               (is_evaluated(name_of(node)) || is_text_call(node, name_of(node)))) {
        print_call(t, node);
    } else if (node->kind == LG_NODE_BINARY && node->op == LG_BIN_ADD &&
               kind_is(node, LG_CEL_STRING)) {
        lg_buf_add_c(&t->source, "(");
        print_node(t, node->as.of.a);
        lg_buf_add_c(&t->source, " + ");
        print_node(t, node->as.of.b);
        lg_buf_add_c(&t->source, ")");
    } else {
        print_hole(t, node);
    }
}

// What is longer than a name may be gets one of its own: cut, two values would be taken for one.
static lg_str whole_name(prover *p, const lg_buf *name)
{
    return lg_buf_status(name) == LG_OK ? lg_buf_str(name)
                                        : prover_name(p, "function %u", ++p->next_id);
}

val read_template(const reading *r, const lg_cel_node *node)
{
    template t = {.r = r};
    lg_buf_init(&t.source, 4096);
    print_node(&t, node);
    val made;
    lg_str source = lg_arena_str(r->p->arena, lg_buf_str(&t.source));
    bool known = !t.failed && lg_buf_status(&t.source) == LG_OK && source.ptr &&
                 fun_call(r->p, source, t.holes, t.count, node->type, &made);
    if (!known) {
        for (uint32_t i = 0; i < t.count; i++) {
            name_value(&t.source, r->p, t.holes[i]);
        }
        made = unknown_value(r->p, whole_name(r->p, &t.source), node->type,
                             "functions of other values");
    }
    lg_buf_done(&t.source);
    return made;
}

// --- Sizes, ranges, sums ------------------------------------------------------------------------

typedef val function_of(prover *p, const alt *a, const lg_cel_node *node);

static val each_alt(prover *p, val v, function_of *of, const lg_cel_node *node)
{
    builder b = builder_of(p);
    for (uint32_t i = 0; i < v.count; i++) {
        const alt *a = &v.alts[i];
        if (alt_is_failure(a)) {
            builder_add(&b, term_bool(p->t, true), *a);
        } else {
            builder_add_value(&b, a->guard, of(p, a, node));
        }
    }
    return builder_done(&b);
}

static val size_of(prover *p, const alt *a, const lg_cel_node *node)
{
    (void)node;
    if (a->kind == ALT_LIST) {
        return value_scalar(p, ALT_INT, seq_size(p, a->list));
    }
    if (a->kind == ALT_MAP) {
        return value_scalar(p, ALT_INT, dict_size(p, a->map));
    }
    val v = value_scalar(p, a->kind, a->t);
    val made;
    bool text = a->kind == ALT_TEXT &&
                fun_call(p, LG_STR("size(x0)"), &v, 1, lg_cel_type_of_kind(LG_CEL_INT), &made);
    return text ? made : value_error(p);
}

static term range_here(prover *p, const elements *e, term at)
{
    const term *end = e->how;
    return term_and(p->t, term_le(p->t, term_int(p->t, 0), at), term_lt(p->t, at, *end));
}

static val range_value(prover *p, const elements *e, term at)
{
    (void)e;
    return value_scalar(p, ALT_INT, at);
}

static const rest *rest_of_range(prover *p, term size)
{
    terms *t = p->t;
    term *end = LG_NEW(p->arena, term);
    if (!end) {
        return NULL;
    }
    *end = size;
    term none = term_lt(t, size, term_int(t, 0));
    return rest_of(p, term_ite(t, none, term_int(t, 0), size),
                   elements_new(p, (elements){range_here, range_value, false, end}));
}

// 0 to n - 1: explicit as far as lists are, then a rest.
static val range_of(prover *p, const alt *a, const lg_cel_node *node)
{
    (void)node;
    terms *t = p->t;
    int64_t known = -1;
    seq *list = LG_NEW(p->arena, seq);
    if (a->kind != ALT_INT || !list) {
        return value_error(p);
    }
    bool literal = term_int_of(t, a->t, &known) && known <= 64;
    uint32_t count = literal ? (uint32_t)(known > 0 ? known : 0) : p->width;
    element *items = LG_NEW_ARRAY(p->arena, element, count + 1);
    if (!items) {
        return value_error(p);
    }
    for (uint32_t i = 0; i < count; i++) {
        val index = value_scalar(p, ALT_INT, term_int(t, i));
        items[i] = (element){term_lt(t, term_int(t, i), a->t), slot_of(p, index)};
    }
    *list = (seq){.items = items, .count = count, .prefix = true};
    if (literal) {
        return value_list(p, list);
    }
    if (p->forall) {
        list->count = 0;
        list->rest = rest_of_range(p, a->t);
        return list->rest ? value_list(p, list) : value_error(p);
    }
    void **place = known_place(p, prover_name(p, "range %u", term_id(t, a->t)));
    if (place && *place) {
        list->rest = *place;
        return value_list(p, list);
    }
    term beyond = term_arith_of(t, ARITH_SUB, a->t, term_int(t, count));
    term more = term_lt(t, term_int(t, 0), beyond);
    const rest *r = range_new(p, term_ite(t, more, beyond, term_int(t, 0)), count);
    if (!r) {
        return value_error(p);
    }
    list->rest = r;
    if (place) {
        *place = (void *)(uintptr_t)r;
    }
    return value_list(p, list);
}

// The sum over a rest is unknown, and one number for one list.
static term rest_sum(prover *p, const rest *r, val generic, term number)
{
    lg_buf name;
    lg_buf_init(&name, 4096);
    lg_buf_addf(&name, "sum %u %u", r->id, term_id(p->t, r->here));
    name_value(&name, p, generic);
    bool is_bound = rest_is_bound(p, r); // then each sum is one of its own
    void **place = is_bound ? NULL : known_place(p, lg_buf_str(&name));
    term made = place ? *place : NULL;
    if (!made) {
        made = term_fresh(p->t, SORT_REAL, LG_STR("sum"));
        term of_one = term_ite(p->t, r->here, number, term_real(p->t, 0));
        hang(p, (hung){.kind = is_bound ? HUNG_UNKNOWN : HUNG_SUM,
                       .constant = made,
                       .rest = r,
                       .on = of_one,
                       .why = is_bound ? "a sum of a list for each of its own elements" : NULL});
        terms_assert(p->t, term_implies(p->t, term_not(p->t, rest_any(p, r)),
                                        term_eq(p->t, made, term_real(p->t, 0))));
        if (place) {
            *place = made;
        }
    }
    lg_buf_done(&name);
    return made;
}

static term number_of(prover *p, val v, term *failed, term here)
{
    terms *t = p->t;
    term number = term_real(t, 0);
    for (uint32_t i = 0; i < v.count; i++) {
        const alt *a = &v.alts[i];
        if (a->kind == ALT_DOUBLE) {
            number = term_ite(t, a->guard, a->t, number);
        } else {
            *failed = term_or(t, *failed, term_and(t, here, a->guard));
        }
    }
    return number;
}

// The same with `forall`: one number for all lists whose elements are of one form.
static term sum_of_all(prover *p, const rest *r, term *failed)
{
    terms *t = p->t;
    term at = variable_open(p);
    term bodies[2] = {r->all->here(p, r->all, at), NULL};
    term bad = term_bool(t, false);
    bodies[1] = number_of(p, r->all->value(p, r->all, at), &bad, bodies[0]);
    variable_close(p);
    *failed = term_or(t, *failed, term_exists(t, at, bad));
    term sum = form_function(p, SORT_REAL, "sum", bodies, 2, at, NULL);
    term none = term_eq(t, sum, term_real(t, 0));
    prover_assert(p, term_or(t, term_exists(t, at, bodies[0]), none));
    return sum;
}

static val sum_of(prover *p, const alt *a, const lg_cel_node *node)
{
    (void)node;
    terms *t = p->t;
    if (a->kind != ALT_LIST) {
        return value_error(p);
    }
    term sum = term_real(t, 0);
    term failed = term_bool(t, false);
    bool all = a->list->rest && a->list->rest->all;
    sum = all ? sum_of_all(p, a->list->rest, &failed) : sum; // it comes first
    for (uint32_t i = 0; i < a->list->count; i++) {
        const element *e = &a->list->items[i];
        term number = number_of(p, *slot_value(p, e->value), &failed, e->here);
        if (!p->forall && !term_is_whole(t, number) && a->list->count > 1) {
            p->rounding = "exact arithmetic";
        }
        term here = term_ite(t, e->here, number, term_real(t, 0));
        sum = p->forall ? double_sum(p, sum, here) : term_arith_of(t, ARITH_ADD, sum, here);
    }
    if (a->list->rest && !all && a->list->rest->generic) {
        const rest *r = a->list->rest;
        val generic = *slot_value(p, r->generic);
        term bad = term_bool(t, false);
        term number = number_of(p, generic, &bad, term_bool(t, true));
        failed = term_or(t, failed, rest_some(p, r, bad));
        sum = term_arith_of(t, ARITH_ADD, sum, rest_sum(p, r, generic, number));
    }
    builder b = builder_of(p);
    builder_add(&b, failed, alt_of(p, ALT_ERROR, NULL));
    builder_add(&b, term_not(t, failed), alt_of(p, ALT_DOUBLE, sum));
    return builder_done(&b);
}

// --- Numbers ------------------------------------------------------------------------------------

static val double_of(prover *p, const alt *a, const lg_cel_node *node)
{
    if (a->kind == ALT_INT) {
        return value_scalar(p, ALT_DOUBLE, term_to_real(p->t, a->t));
    }
    if (a->kind == ALT_DOUBLE) {
        return value_scalar(p, ALT_DOUBLE, a->t);
    }
    val v = value_scalar(p, a->kind, a->t);
    val made;
    bool text = a->kind == ALT_TEXT && fun_call(p, LG_STR("double(x0)"), &v, 1, node->type, &made);
    return text ? made : value_error(p);
}

static term truncated(prover *p, term number)
{
    terms *t = p->t;
    term minus = term_arith_of(t, ARITH_SUB, term_real(t, 0), number);
    term below = term_arith_of(t, ARITH_SUB, term_int(t, 0), term_to_int(t, minus));
    return term_ite(t, term_le(t, term_real(t, 0), number), term_to_int(t, number), below);
}

static val int_of(prover *p, const alt *a, const lg_cel_node *node)
{
    if (a->kind == ALT_INT) {
        return value_scalar(p, ALT_INT, a->t);
    }
    if (a->kind == ALT_DOUBLE) {
        terms *t = p->t;
        term inside = term_and(t, term_lt(t, term_real(t, -0x1p63), a->t),
                               term_lt(t, a->t, term_real(t, 0x1p63)));
        builder b = builder_of(p);
        builder_add(&b, term_not(t, inside), alt_of(p, ALT_ERROR, NULL));
        builder_add(&b, inside, alt_of(p, ALT_INT, truncated(p, a->t)));
        return builder_done(&b);
    }
    val v = value_scalar(p, a->kind, a->t);
    val made;
    bool text = a->kind == ALT_TEXT && fun_call(p, LG_STR("int(x0)"), &v, 1, node->type, &made);
    return text ? made : value_error(p);
}

// Half away from zero, as math.round has it.
static val round_of(prover *p, const alt *a, const lg_cel_node *node)
{
    (void)node;
    terms *t = p->t;
    if (a->kind != ALT_DOUBLE) {
        return value_error(p);
    }
    term half = term_real(t, 0.5);
    term up = term_to_int(t, term_arith_of(t, ARITH_ADD, a->t, half));
    term minus = term_arith_of(t, ARITH_SUB, term_real(t, 0), a->t);
    term down = term_to_int(t, term_arith_of(t, ARITH_ADD, minus, half));
    term rounded = term_ite(t, term_le(t, term_real(t, 0), a->t), up,
                            term_arith_of(t, ARITH_SUB, term_int(t, 0), down));
    return value_scalar(p, ALT_DOUBLE, term_to_real(t, rounded));
}

static val abs_of(prover *p, const alt *a, const lg_cel_node *node)
{
    (void)node;
    terms *t = p->t;
    if (a->kind != ALT_DOUBLE && a->kind != ALT_INT) {
        return value_error(p);
    }
    term zero = a->kind == ALT_DOUBLE ? term_real(t, 0) : term_int(t, 0);
    term minus = term_arith_of(t, ARITH_SUB, zero, a->t);
    return value_scalar(p, a->kind, term_ite(t, term_lt(t, a->t, zero), minus, a->t));
}

static val same_of(prover *p, const alt *a, const lg_cel_node *node)
{
    (void)node;
    const alt whole = {a->kind, term_bool(p->t, true), a->t, a->list, a->map};
    builder b = builder_of(p);
    builder_add(&b, whole.guard, whole);
    return builder_done(&b);
}

static val extreme(prover *p, const alt *a, const alt *b, const void *context)
{
    bool greatest = *(const bool *)context;
    if (a->kind != b->kind || (a->kind != ALT_DOUBLE && a->kind != ALT_INT)) {
        return value_error(p);
    }
    term below = term_lt(p->t, a->t, b->t);
    return value_scalar(p, a->kind,
                        greatest ? term_ite(p->t, below, b->t, a->t)
                                 : term_ite(p->t, below, a->t, b->t));
}

// --- Optional lookups ---------------------------------------------------------------------------

// `a[?key].orValue(other)` and `a.?name.orValue(other)`: the one use of optionals that is followed.
static bool read_or_value(const reading *r, const lg_cel_node *node, val *ret)
{
    const lg_cel_node *from = node->as.call.target;
    bool index = from && from->kind == LG_NODE_BINARY && from->op == LG_BIN_OPT_INDEX;
    bool select = from && from->kind == LG_NODE_SELECT && from->optional;
    if (node->as.call.count != 1 || (!index && !select)) {
        return false;
    }
    prover *p = r->p;
    val of = read_node(r, index ? from->as.of.a : from->as.select.operand);
    val key = index ? read_node(r, from->as.of.b) : value_text(p, from->as.select.name);
    val other = read_node(r, node->as.call.args[0]);
    val found = operate(p, LG_BIN_INDEX, of, key);
    term clean =
        term_not(p->t, term_or(p->t, value_is(p, of, ALT_MISSING), value_is(p, key, ALT_MISSING)));
    term absent = term_and(p->t, clean, value_is(p, found, ALT_MISSING));
    *ret = value_choose(p, absent, other, found);
    return true;
}

// --- Calls --------------------------------------------------------------------------------------

static const struct {
    const char *name;
    function_of *of;
} functions[] = {
    {"size", size_of}, {"range", range_of},      {"lists.range", range_of},
    {"sum", sum_of},   {"double", double_of},    {"int", int_of},
    {"dyn", same_of},  {"math.round", round_of}, {"math.abs", abs_of},
};

static val read_unknown(const reading *r, const lg_cel_node *node)
{
    lg_buf name;
    lg_buf_init(&name, 8192);
    lg_buf_add(&name, name_of(node));
    if (node->as.call.target) {
        name_value(&name, r->p, read_node(r, node->as.call.target));
    }
    for (uint32_t i = 0; i < node->as.call.count; i++) {
        name_value(&name, r->p, read_node(r, node->as.call.args[i]));
    }
    val made =
        unknown_value(r->p, whole_name(r->p, &name), node->type, "functions that are not followed");
    lg_buf_done(&name);
    return made;
}

val read_call(const reading *r, const lg_cel_node *node)
{
    prover *p = r->p;
    lg_str name = name_of(node);
    val made;
    if (lg_str_eq(name, LG_STR("orValue")) && read_or_value(r, node, &made)) {
        return made;
    }
    if (is_evaluated(name)) {
        return read_template(r, node);
    }
    const lg_cel_node *first = node->as.call.target  ? node->as.call.target
                               : node->as.call.count ? node->as.call.args[0]
                                                     : NULL;
    bool one = first && node->as.call.count + (node->as.call.target != NULL) == 1;
    for (size_t i = 0; one && i < LG_COUNT(functions); i++) {
        if (lg_str_eq(name, lg_str_c(functions[i].name))) {
            return each_alt(p, read_node(r, first), functions[i].of, node);
        }
    }
    bool greatest = lg_str_eq(name, LG_STR("math.greatest"));
    if ((greatest || lg_str_eq(name, LG_STR("math.least"))) && node->as.call.count == 2 &&
        !node->as.call.target) {
        return pairwise(p, read_node(r, node->as.call.args[0]), read_node(r, node->as.call.args[1]),
                        extreme, &greatest);
    }
    return read_unknown(r, node);
}
