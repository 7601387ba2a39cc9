// call.c: functions. Those of sizes and numbers are translated; those of texts and times are looked
// up in the evaluator where their arguments are literals (funs.h).
//
// To follow another function: if what it gives is arithmetic or structure, a row in `functions` and a case
// for each kind of argument; if it is a question about texts, a name in is_evaluated(). Until then a call
// of it is any value of the kind that all its overloads give, the same for the same arguments.
#include "base/time.h"
#include "symbolic/forall.h"
#include "symbolic/funs.h"
#include "symbolic/number.h"

#include <stdio.h>

// --- Templates ----------------------------------------------------------------------------------

// An expression over texts as a function: what is constant stays in it, what is not becomes x0, x1.
typedef struct template
{
    const translation *r;
    lg_buf source;
    val holes[FUN_ARGS_MAX];
    uint32_t count;
    bool failed;
}
template;

// Functions that the evaluator is asked about at literals. Another one needs a row here, or in `functions`
// below if it is translated; what stands in neither is any value.
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

// By the checker's type, which is only used to choose among ways to translate: both are right.
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

// What a function gives whatever its arguments are, as all its overloads have it. The static type of a
// call says less: numbers of JSON beyond 2^53 are no doubles.
static alt_kind kind_given(lg_str name)
{
    return kind_of_cel(lg_cel_function_gives(name));
}

// `+` may be more than texts, whatever the checker says; a call is what its overloads give.
static alt_kind kind_of_template(const lg_cel_node *node)
{
    return node->kind == LG_NODE_CALL ? kind_given(name_of(node)) : ALT_ANY;
}

static void print_hole(template *t, const lg_cel_node *node)
{
    if (t->count == FUN_ARGS_MAX) {
        t->failed = true;
        return;
    }
    lg_buf_addf(&t->source, "x%u", t->count);
    t->holes[t->count++] = translate_node(t->r, node);
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

// As large a part of the expression as can be becomes one function: `timestamp(x + 'Z')` is known at
// more literals than `x + 'Z'` and `timestamp(y)` are, one after the other.
val translate_template(const translation *r, const lg_cel_node *node)
{
    template t = {.r = r};
    lg_buf_init(&t.source, 4096);
    print_node(&t, node);
    val made;
    lg_str source = lg_arena_str(r->p->arena, lg_buf_str(&t.source));
    alt_kind kind = kind_of_template(node);
    bool known = !t.failed && lg_buf_status(&t.source) == LG_OK && source.ptr &&
                 fun_call(r->p, source, t.holes, t.count, kind, &made);
    if (!known) {
        // Not followed: named by all that it depends on, so that the same call is the same value.
        for (uint32_t i = 0; i < t.count; i++) {
            name_value(&t.source, r->p, t.holes[i]);
        }
        bool named = !t.failed && lg_buf_status(&t.source) == LG_OK;
        made = unknown_value(r->p, named ? lg_buf_str(&t.source) : LG_STR(""), kind,
                             "functions of other values");
    }
    lg_buf_done(&t.source);
    return made;
}

// --- Sizes, ranges, sums ------------------------------------------------------------------------

typedef val function_of(problem *p, const alt *a, const lg_cel_node *node);

static val same_of(problem *p, const alt *a, const lg_cel_node *node)
{
    (void)node;
    return value_of_alt(p, a);
}

// A function of one argument passes its failures on.
static val each_alt(problem *p, val v, function_of *of, const lg_cel_node *node)
{
    builder b = builder_of(p);
    for (uint32_t i = 0; i < v.count; i++) {
        const alt *a = &v.alts[i];
        if (alt_is_failure(a)) {
            builder_add(&b, term_bool(p->t, true), *a);
        } else if (a->kind == ALT_ANY && of != same_of) {
            lg_str name = problem_name(p, "%.*s %u", LG_FMT(name_of(node)), term_id(p->t, a->t));
            builder_add_value(&b, a->guard,
                              unknown_value(p, name, kind_given(name_of(node)), "any value"));
        } else {
            builder_add_value(&b, a->guard, of(p, a, node));
        }
    }
    return builder_done(&b);
}

// A text's size counts code points, which the evaluator knows at literals.
static val size_of(problem *p, const alt *a, const lg_cel_node *node)
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
    bool text = a->kind == ALT_TEXT && fun_call(p, LG_STR("size(x0)"), &v, 1, ALT_INT, &made);
    return text ? made : value_error(p);
}

static term range_present(problem *p, const elements *e, term at)
{
    const term *end = e->how;
    return term_is_index(p->t, at, *end);
}

static val range_value(problem *p, const elements *e, term at)
{
    (void)e;
    return value_scalar(p, ALT_INT, at);
}

static const summary *summary_of_range(problem *p, term size)
{
    LG_DEBUG_ASSERT(p->forall);
    terms *t = p->t;
    term *end = LG_NEW(p->arena, term);
    if (!end) {
        return NULL;
    }
    *end = size;
    term none = term_lt(t, size, term_int(t, 0));
    return summary_of(p, term_ite(t, none, term_int(t, 0), size),
                      elements_new(p, (elements){range_present, range_value, false, end}));
}

// 0 to n - 1: explicit as far as lists are, then a summary.
static val range_of(problem *p, const alt *a, const lg_cel_node *node)
{
    (void)node;
    terms *t = p->t;
    int64_t known = -1;
    seq *list = LG_NEW(p->arena, seq);
    if (a->kind != ALT_INT || !list) {
        return list ? value_error(p) : value_lost(p);
    }
    bool literal = term_int_of(t, a->t, &known) && known <= 64;
    uint32_t count = literal ? (uint32_t)(known > 0 ? known : 0) : p->width;
    element *items = LG_NEW_ARRAY(p->arena, element, count + 1);
    if (!items) {
        return value_lost(p);
    }
    for (uint32_t i = 0; i < count; i++) {
        val index = value_scalar(p, ALT_INT, term_int(t, i));
        items[i] = (element){term_lt(t, term_int(t, i), a->t), thunk_of(p, index)};
    }
    *list = (seq){.items = items, .count = count, .prefix = true, .computed = true};
    if (literal) {
        return value_list(p, list);
    }
    if (p->forall) {
        list->count = 0;
        list->summary = summary_of_range(p, a->t);
        return list->summary ? value_list(p, list) : value_lost(p);
    }
    // The same range is one summary, so that its generic index is one constant.
    void **place = memo_place(p, problem_name(p, "range %u", term_id(t, a->t)));
    if (place && *place) {
        list->summary = *place;
        return value_list(p, list);
    }
    term beyond = term_arith_of(t, ARITH_SUB, a->t, term_int(t, count));
    term more = term_lt(t, term_int(t, 0), beyond);
    const summary *r = range_new(p, term_ite(t, more, beyond, term_int(t, 0)), count);
    if (!r) {
        return value_lost(p);
    }
    list->summary = r;
    if (place) {
        *place = (void *)(uintptr_t)r;
    }
    return value_list(p, list);
}

// --- Sums ---------------------------------------------------------------------------------------

// A sum of doubles on its way, from the left, beginning with 0.0: doubles round after each addition, so the
// order is part of what a sum is.
typedef struct total {
    problem *p;
    term sum;
    term nonfinite; // it is not finite
    term failed;    // something else than a double was met
} total;

// What an element adds: the double that it is. Anything else adds zero, and the total fails, or is not finite,
// if the element is present. Of a value of any type the solver chooses among all of these.
static term number_of(total *all, val v, term present)
{
    LG_DEBUG_ASSERT(term_has_sort(all->p->t, present, SORT_BOOL));
    terms *t = all->p->t;
    term number = term_real(t, 0);
    for (uint32_t i = 0; i < v.count; i++) {
        const alt *a = &v.alts[i];
        term is = term_and(t, present, a->guard);
        if (a->kind == ALT_DOUBLE) {
            number = term_ite(t, a->guard, a->t, number);
        } else if (a->kind == ALT_NONFINITE) {
            all->nonfinite = term_or(t, all->nonfinite, is);
        } else if (a->kind == ALT_ANY) {
            term double_nonfinite = unknown_term(all->p, SORT_BOOL, LG_STR("odd"));
            all->nonfinite = term_or(t, all->nonfinite, term_and(t, is, double_nonfinite));
            term fails = unknown_term(all->p, SORT_BOOL, LG_STR("fails"));
            all->failed = term_or(t, all->failed, term_and(t, is, fails));
            term any = unknown_term(all->p, SORT_REAL, LG_STR("number"));
            number = term_ite(t, a->guard, any, number);
        } else {
            all->failed = term_or(t, all->failed, is);
        }
    }
    return number;
}

// An absent element leaves the sum as it is, and fails nothing.
static void add_element(total *all, const element *e)
{
    problem *p = all->p;
    terms *t = p->t;
    term finite;
    term number = number_of(all, *thunk_value(p, e->value), e->present);
    term more = double_arithmetic(p, ARITH_ADD, all->sum, number, &finite);
    all->sum = term_ite(t, e->present, more, all->sum);
    all->nonfinite = term_or(t, all->nonfinite, term_and(t, e->present, term_not(t, finite)));
}

// What is behind the explicit elements is added to them one by one, and rounded each time: so the sum of
// both is no sum of two sums, but a constant of its own, unless arithmetic is exact.
static void add_summary(total *all, const summary *r)
{
    LG_DEBUG_ASSERT(!r->all && r->generic);
    problem *p = all->p;
    terms *t = p->t;
    term finite = term_fresh(t, SORT_BOOL, LG_STR("finite"));
    term sum = term_fresh(t, SORT_REAL, LG_STR("sum"));
    term exact = term_fresh(t, SORT_REAL, LG_STR("exact sum"));
    total one = {p, all->sum, term_bool(t, false), term_bool(t, false)};
    term number = number_of(&one, *thunk_value(p, r->generic), term_bool(t, true));
    all->failed = term_or(t, all->failed, summary_exists(p, r, one.failed));
    all->nonfinite = term_or(t, all->nonfinite, summary_exists(p, r, one.nonfinite));
    term none = term_not(t, summary_is_nonempty(p, r));
    term same = term_and(t, finite, term_eq(t, sum, all->sum));
    terms_assert(t, term_implies(t, none, same));
    terms_assert(t, term_implies(t, problem_idealised(p), finite));
    if (summary_is_bound(p, r)) { // then each sum is one of its own
        all->sum = sum;
        all->nonfinite = term_or(t, all->nonfinite, term_not(t, finite));
        return;
    }
    definition h = {.kind = DEFINED_SUM, .constant = sum, .summary = r, .from = all->sum};
    h.on = term_ite(t, r->present, number, term_real(t, 0));
    note_definition(p, h);
    h.kind = DEFINED_FINITE;
    h.constant = finite;
    note_definition(p, h);
    lg_str name =
        problem_name(p, "exact sum %u %u %u", r->id, term_id(t, r->present), term_id(t, h.on));
    void **place = memo_place(p, name);
    if (place && *place) {
        exact = *place;
    } else if (place) {
        *place = exact;
    }
    term usual = term_eq(t, sum, term_arith_of(t, ARITH_ADD, all->sum, exact));
    terms_assert(t, term_implies(t, problem_idealised(p), usual));
    all->sum = sum;
    all->nonfinite = term_or(t, all->nonfinite, term_not(t, finite));
}

// The same with `forall`, where it comes first: one number for all lists whose elements are of one
// form.
static void begin_with_all(total *all, const summary *r)
{
    LG_DEBUG_ASSERT(r->all);
    problem *p = all->p;
    terms *t = p->t;
    total one = {p, all->sum, term_bool(t, false), term_bool(t, false)};
    term at = variable_open(p);
    term bodies[2] = {r->all->present(p, r->all, at), NULL};
    bodies[1] = number_of(&one, r->all->value(p, r->all, at), bodies[0]);
    variable_close(p);
    all->failed = term_or(t, all->failed, term_exists(t, at, one.failed));
    all->nonfinite = term_or(t, all->nonfinite, term_exists(t, at, one.nonfinite));
    term sum = form_function(p, SORT_REAL, "sum", bodies, 2, at, NULL);
    term finite = form_function(p, SORT_BOOL, "finite sum", bodies, 2, at, NULL);
    term none = term_and(t, finite, term_eq(t, sum, term_real(t, 0)));
    problem_assert(p, term_or(t, term_exists(t, at, bodies[0]), none));
    all->sum = sum;
    all->nonfinite = term_or(t, all->nonfinite, term_not(t, finite));
}

// The elements of a map come in no known order, and rounded in another one they may have another sum: unless
// arithmetic is exact, nothing is known of it.
static void lose_order(total *all)
{
    problem *p = all->p;
    terms *t = p->t;
    term any = unknown_term(p, SORT_REAL, LG_STR("sum"));
    term nonfinite = unknown_term(p, SORT_BOOL, LG_STR("odd"));
    p->abstracted = "the order of a map";
    all->sum = term_ite(t, problem_idealised(p), all->sum, any);
    all->nonfinite = term_ite(t, problem_idealised(p), all->nonfinite, nonfinite);
}

// From the left, beginning with 0.0, as the evaluator adds; where the order is not known, neither is the sum.
static val sum_of(problem *p, const alt *a, const lg_cel_node *node)
{
    (void)node;
    terms *t = p->t;
    if (a->kind != ALT_LIST) {
        return value_error(p);
    }
    const seq *list = a->list;
    const summary *r = list->summary;
    total all = {p, term_real(t, 0), term_bool(t, false), term_bool(t, false)};
    if (r && r->all) {
        begin_with_all(&all, r);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        add_element(&all, &list->items[i]);
    }
    if (r && !r->all && r->generic) {
        add_summary(&all, r);
    }
    if ((list->unordered || list->shuffled) && (!r || !r->all || list->count)) {
        lose_order(&all);
    }
    builder b = builder_of(p);
    builder_add(&b, all.failed, alt_of(p, ALT_ERROR, NULL));
    val sum = double_value(p, all.sum, term_not(t, all.nonfinite));
    builder_add_value(&b, term_not(t, all.failed), sum);
    return builder_done(&b);
}

// --- Numbers ------------------------------------------------------------------------------------

static val of_text(problem *p, const alt *a, const char *source, alt_kind kind)
{
    val v = value_scalar(p, a->kind, a->t);
    val made;
    bool text = a->kind == ALT_TEXT && fun_call(p, lg_str_c(source), &v, 1, kind, &made);
    return text ? made : value_error(p);
}

static val double_of(problem *p, const alt *a, const lg_cel_node *node)
{
    if (a->kind == ALT_INT || a->kind == ALT_UINT) {
        return double_of_whole(p, a);
    }
    return a->kind == ALT_DOUBLE || a->kind == ALT_NONFINITE
               ? same_of(p, a, node)
               : of_text(p, a, "double(x0)", ALT_DOUBLE);
}

// Towards zero; what the type cannot hold is an error. The bounds are exact doubles.
static val whole_of_double(problem *p, alt_kind kind, term number)
{
    LG_DEBUG_ASSERT(kind == ALT_INT || kind == ALT_UINT);
    terms *t = p->t;
    bool is_int = kind == ALT_INT;
    term low = term_lt(t, term_real(t, is_int ? -0x1p63 : -1), number);
    term inside = term_and(t, low, term_lt(t, number, term_real(t, is_int ? 0x1p63 : 0x1p64)));
    if (!is_int) {
        inside = term_and(t, inside, term_le(t, term_real(t, 0), number));
    }
    builder b = builder_of(p);
    builder_add(&b, term_not(t, inside), alt_of(p, ALT_ERROR, NULL));
    builder_add(&b, inside, alt_of(p, kind, double_truncated(p, number)));
    return builder_done(&b);
}

static val int_of(problem *p, const alt *a, const lg_cel_node *node)
{
    (void)node;
    if (a->kind == ALT_INT || a->kind == ALT_UINT) {
        return number_within(p, ALT_INT, a->t);
    }
    if (a->kind == ALT_DOUBLE) {
        return whole_of_double(p, ALT_INT, a->t);
    }
    if (a->kind == ALT_TIME) {
        term second = term_int(p->t, LG_TIME_NANOS);
        return value_scalar(p, ALT_INT, term_arith_of(p->t, ARITH_DIV, a->t, second));
    }
    return of_text(p, a, "int(x0)", ALT_INT);
}

static val uint_of(problem *p, const alt *a, const lg_cel_node *node)
{
    (void)node;
    if (a->kind == ALT_INT || a->kind == ALT_UINT) {
        return number_within(p, ALT_UINT, a->t);
    }
    return a->kind == ALT_DOUBLE ? whole_of_double(p, ALT_UINT, a->t)
                                 : of_text(p, a, "uint(x0)", ALT_UINT);
}

// Half away from zero, as math.round has it.
static val round_of(problem *p, const alt *a, const lg_cel_node *node)
{
    (void)node;
    terms *t = p->t;
    if (a->kind != ALT_DOUBLE) {
        return a->kind == ALT_NONFINITE ? double_nonfinite(p, a) : value_error(p);
    }
    term half = term_real(t, 0.5);
    term up = term_to_int(t, term_arith_of(t, ARITH_ADD, a->t, half));
    term minus = term_arith_of(t, ARITH_SUB, term_real(t, 0), a->t);
    term down = term_to_int(t, term_arith_of(t, ARITH_ADD, minus, half));
    term rounded = term_ite(t, term_le(t, term_real(t, 0), a->t), up,
                            term_arith_of(t, ARITH_SUB, term_int(t, 0), down));
    return value_scalar(p, ALT_DOUBLE, term_to_real(t, rounded));
}

static val abs_of(problem *p, const alt *a, const lg_cel_node *node)
{
    terms *t = p->t;
    if (a->kind == ALT_UINT) {
        return same_of(p, a, node);
    }
    if (a->kind != ALT_DOUBLE && a->kind != ALT_INT) {
        return a->kind == ALT_NONFINITE ? double_nonfinite(p, a) : value_error(p);
    }
    term zero = a->kind == ALT_DOUBLE ? term_real(t, 0) : term_int(t, 0);
    return value_choose(p, term_lt(t, a->t, zero), number_negated(p, a), same_of(p, a, node));
}

static val is_finite(problem *p, const alt *a, const lg_cel_node *node)
{
    (void)node;
    bool finite = a->kind == ALT_DOUBLE;
    return finite || a->kind == ALT_NONFINITE ? value_bool(p, term_bool(p->t, finite))
                                              : value_error(p);
}

// Which of those that are not finite it is.
static val is_nan_or_inf(problem *p, const alt *a, const lg_cel_node *node)
{
    lg_str name = problem_name(p, "%.*s %u", LG_FMT(name_of(node)), a->t ? term_id(p->t, a->t) : 0);
    return a->kind == ALT_DOUBLE ? value_bool(p, term_bool(p->t, false))
           : a->kind == ALT_NONFINITE
               ? unknown_value(p, name, ALT_BOOL, "numbers that are not finite")
               : value_error(p);
}

// math.greatest and math.least of two: the first of those that no other exceeds. Arguments of different kinds
// are compared as numbers, and the result keeps its kind.
static val extreme(problem *p, const alt *a, const alt *b, const void *context)
{
    bool greatest = *(const bool *)context;
    bool number_a = alt_is_number(a) || a->kind == ALT_NONFINITE;
    bool number_b = alt_is_number(b) || b->kind == ALT_NONFINITE;
    if (a->kind == ALT_ANY || b->kind == ALT_ANY || a->kind == ALT_NONFINITE ||
        b->kind == ALT_NONFINITE) {
        return unknown_of(p, greatest ? "greatest" : "least", a, b, ALT_ANY);
    }
    if (!number_a || !number_b) {
        return value_error(p);
    }
    term other = greatest ? number_below(p, a, b) : number_below(p, b, a);
    return value_choose(p, other, same_of(p, b, NULL), same_of(p, a, NULL));
}

// --- Optional lookups ---------------------------------------------------------------------------

// `a[?key].orValue(other)` and `a.?name.orValue(other)`: the one use of optionals that is followed.
static bool translate_or_value(const translation *r, const lg_cel_node *node, val *ret)
{
    const lg_cel_node *from = node->as.call.target;
    bool index = from && from->kind == LG_NODE_BINARY && from->op == LG_BIN_OPT_INDEX;
    bool select = from && from->kind == LG_NODE_SELECT && from->optional;
    if (node->as.call.count != 1 || (!index && !select)) {
        return false;
    }
    problem *p = r->p;
    val of = translate_node(r, index ? from->as.of.a : from->as.select.operand);
    val key = index ? translate_node(r, from->as.of.b) : value_text(p, from->as.select.name);
    val other = translate_node(r, node->as.call.args[0]);
    val found = operate(p, LG_BIN_INDEX, of, key);
    // Only the last lookup is optional: what is missing on the way to it stays missing.
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
    {"size", size_of},
    {"range", range_of},
    {"lists.range", range_of},
    {"sum", sum_of},
    {"double", double_of},
    {"int", int_of},
    {"dyn", same_of},
    {"math.round", round_of},
    {"math.abs", abs_of},
    {"uint", uint_of},
    {"math.isFinite", is_finite},
    {"math.isNaN", is_nan_or_inf},
    {"math.isInf", is_nan_or_inf},
};

static val translate_unknown(const translation *r, const lg_cel_node *node)
{
    lg_buf name;
    lg_buf_init(&name, 8192);
    lg_buf_add(&name, name_of(node));
    if (node->as.call.target) {
        name_value(&name, r->p, translate_node(r, node->as.call.target));
    }
    for (uint32_t i = 0; i < node->as.call.count; i++) {
        name_value(&name, r->p, translate_node(r, node->as.call.args[i]));
    }
    bool named = lg_buf_status(&name) == LG_OK;
    val made = unknown_value(r->p, named ? lg_buf_str(&name) : LG_STR(""),
                             kind_given(name_of(node)), "functions that are not followed");
    lg_buf_done(&name);
    return made;
}

val translate_call(const translation *r, const lg_cel_node *node)
{
    problem *p = r->p;
    lg_str name = name_of(node);
    val made;
    if (lg_str_eq(name, LG_STR("orValue")) && translate_or_value(r, node, &made)) {
        return made;
    }
    if (is_evaluated(name)) {
        return translate_template(r, node);
    }
    const lg_cel_node *first = node->as.call.target  ? node->as.call.target
                               : node->as.call.count ? node->as.call.args[0]
                                                     : NULL;
    bool one = first && node->as.call.count + (node->as.call.target != NULL) == 1;
    for (size_t i = 0; one && i < LG_COUNT(functions); i++) {
        if (lg_str_eq(name, lg_str_c(functions[i].name))) {
            return each_alt(p, translate_node(r, first), functions[i].of, node);
        }
    }
    bool greatest = lg_str_eq(name, LG_STR("math.greatest"));
    if ((greatest || lg_str_eq(name, LG_STR("math.least"))) && node->as.call.count == 2 &&
        !node->as.call.target) {
        return pairwise(p, translate_node(r, node->as.call.args[0]),
                        translate_node(r, node->as.call.args[1]), extreme, &greatest);
    }
    return translate_unknown(r, node);
}
